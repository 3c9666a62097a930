/* state.h - everything a subshell inherits: forked, never shared
 *
 * Variables live in copy-on-write pages of 32 slots, indexed by interned name. Functions, aliases,
 * traps, options and saved locals fork by counted reference and are copied when first changed.
 * Forking costs one reference a page.
 */
#ifndef WK_INTERP_STATE_H
#define WK_INTERP_STATE_H

#include "interp/names.h"
#include "interp/tree.h"
#include "interp/value.h"

enum {
    WK_VAR_SET = 1 << 0,      /* has a value (for arrays: is declared with elements or by =()) */
    WK_VAR_DECLARED = 1 << 1, /* exists, perhaps without value (declare x, local x, export x) */
    WK_VAR_TEXT = 1 << 2,     /* `text` is valid */
    WK_VAR_INT = 1 << 3,      /* `ival` is valid: the value is this number in decimal */
    WK_VAR_EXPORT = 1 << 4,
    WK_VAR_READONLY = 1 << 5,
    WK_VAR_INTEGER = 1 << 6, /* declare -i */
    WK_VAR_LOWER = 1 << 7,
    WK_VAR_UPPER = 1 << 8,
    WK_VAR_CAPITAL = 1 << 9,
    WK_VAR_TRACE = 1 << 10,
    WK_VAR_NAMEREF = 1 << 11,     /* text = the target's name */
    WK_VAR_ARRAY = 1 << 12,       /* `array` */
    WK_VAR_ASSOC = 1 << 13,       /* `assoc` */
    WK_VAR_LOCAL = 1 << 14,       /* belongs to a function's scope */
    WK_VAR_DYNAMIC = 1 << 15,     /* computed when read (RANDOM, SECONDS…): vars_special.c */
    WK_VAR_TEMPENV = 1 << 16,     /* from an assignment before a command */
    WK_VAR_NOASSIGN = 1 << 17,    /* assignments are ignored silently (FUNCNAME, GROUPS…) */
    WK_VAR_HOOK = 1 << 18,        /* acts when it changes (PATH, IFS…): vars_special.c */
    WK_VAR_NOUNSET = 1 << 19,     /* cannot be unset */
    WK_VAR_WAS_TEMPENV = 1 << 20, /* a local that took the place of a temporary assignment */
    WK_VAR_HANDED_ON = 1 << 21,   /* goes to the variable that it hides when its scope ends */
    WK_VAR_REASSIGNED = 1 << 22,  /* a temporary assignment that got another value */
    WK_VAR_MADE = 1 << 23,        /* an integer whose value could not be had: as an array it counts as set */
    WK_VAR_KIND_SHIFT = 24 /* the byte above: which special variable (enum in vars_special.h) */
};

struct wk_array; /* indexed: dense vector with sparse fall-back; counted, copied on write */
struct wk_assoc; /* counted, copied on write */

/* `text` is NULL unless TEXT is set; TEXT and INT together agree. A nameref has TEXT (or no value). */
struct wk_var {
    uint32_t flags;
    uint32_t level; /* function depth of a local */
    int64_t ival;
    union {
        struct wk_val *text;
        struct wk_array *array;
        struct wk_assoc *assoc;
    };
};

#define WK_PAGE_SLOTS 32u

struct wk_var_page {
    uint32_t refs;
    struct wk_var slots[WK_PAGE_SLOTS];
};

/* A defined function; counted. */
struct wk_func {
    uint32_t refs;
    uint32_t name;
    struct wk_tree *tree;      /* holds the definition */
    const struct wk_node *def; /* the function node in it */
    struct wk_val *source;     /* file it was defined in */
    uint32_t flags;            /* WK_VAR_EXPORT, READONLY, TRACE */
};

struct wk_func_page {
    uint32_t refs;
    struct wk_func *slots[WK_PAGE_SLOTS];
};

/* A variable hidden by a local or a temporary assignment: what to put back. */
struct wk_saved {
    uint32_t name;
    uint32_t level;
    struct wk_var var;
};
/* Counted; entries of a shared one never change. How many of them a state sees is in the state, so
 * that going back never needs memory. */
struct wk_saved_stack {
    uint32_t refs;
    uint32_t n, cap;
    struct wk_saved v[];
};

/* Counted parts whose insides belong to other files: each begins with `uint32_t refs`, is copied by
 * its owner before a change when refs > 1, and is dropped by its unref function (NULL is fine). */
struct wk_traps;    /* trap.c */
struct wk_assoc;    /* vars_assoc.c: aliases */
struct wk_dirstack; /* builtins/shell: directory stack; one value list */
struct wk_hashed;   /* lookup.c: command paths */
struct wk_history;  /* history.c */
void wk_traps_unref(struct wk_mem *m, struct wk_traps *t);
void wk_hashed_unref(struct wk_mem *m, struct wk_hashed *h);
void wk_history_unref(struct wk_mem *m, struct wk_history *h);

/* A list of values, as the stack of pushd and popd beneath the working directory: counted, copied
 * before a change when refs > 1. */
struct wk_dirstack {
    uint32_t refs;
    uint32_t n, cap;
    struct wk_val *v[];
};

/* Positional parameters that live longer than a call's arena: slices and their bytes in one block. */
struct wk_param_block {
    uint32_t refs;
    uint32_t n;
    struct wk_str v[];
};

/* Positional parameters: slices that live in the caller's arena (function calls) or in `block`. */
struct wk_params {
    const struct wk_str *v;
    uint32_t n;
    struct wk_param_block *block; /* counted; NULL when the call's arena holds them */
};

/* A coprocess whose variables and descriptors are still there. */
struct wk_coproc {
    uint32_t pid; /* 0 = none */
    uint32_t name, pid_name, subshell_depth;
    int fds[2];
};

/* Where getopts goes on. OPTIND only says where the next word is: it may be changed in the middle of a cluster. */
struct wk_getopts_place {
    int64_t index; /* of the next word; 0: begin anew */
    int64_t word;  /* of the cluster that is being read */
    int64_t at;    /* place in it; 0: in none */
};

enum { WK_COMPUTED_KINDS = 12 };

struct wk_state {
    struct wk_var_page **pages;
    struct wk_func_page **funcs;
    uint32_t npages, nfuncs;
    uint64_t options;       /* set -o, bits of options.h */
    uint64_t shopts;        /* shopt, bits of options.h */
    struct wk_saved_stack *saved;
    uint32_t saved_n;       /* entries of `saved` that are this state's */
    struct wk_traps *traps;
    struct wk_assoc *aliases; /* alias.c; NULL: none */
    struct wk_hashed *hashed;
    struct wk_dirstack *dirs;
    struct wk_dirstack *foreign; /* of the environment: what is no variable and yet is passed on */
    struct wk_history *history;      /* lines that were read (history.h) */
    struct wk_dirstack *completions; /* specifications of `complete` (builtins/shell/completion.c) */
    struct wk_dirstack *bindings;    /* what `bind` has changed (builtins/shell/bind.c) */
    struct wk_params params;
    struct wk_param_block *base_args; /* beneath the frames' arguments in BASH_ARGV; NULL: not in use yet */
    struct wk_val *arg0;
    struct wk_val *cwd;     /* logical $PWD */
    struct wk_val *glob_ignore, *exec_ignore; /* GLOBIGNORE and EXECIGNORE as they count; NULL: nothing is ignored */
    uint32_t env_gen;       /* changes with any exported variable or function */
    uint32_t exported_cache_gen;
    struct wk_env *env_cache; /* block for children, valid while the two are equal */
    struct wk_getopts_place getopts;
    uint32_t random_seed;   /* bash's RANDOM generator */
    uint32_t random_last;   /* what it gave last: never twice the same */
    uint32_t random_depth;  /* subshell_depth + 1 for which it was seeded; a subshell seeds anew */
    int64_t computed[WK_COMPUTED_KINDS]; /* numbers that are computed, as last asked for or set: by kind of variable */
    uint32_t computed_known;             /* bits: it was asked for or set */
    int64_t seconds_base_ns; /* when SECONDS was `seconds_value' */
    int64_t seconds_value;
    uint32_t subshell_depth;
    int32_t subshell_shift; /* BASH_SUBSHELL was set: what it is more than that */
    uint32_t monitor_depth; /* subshell_depth where `set -m' was: only there are jobs controlled */
    int xtrace_fd;          /* where `set -x' writes + 1; 0: standard error */
    bool bytes;             /* LC_ALL, LC_CTYPE or LANG name the C locale: a character is a byte */
    bool locale_named;      /* one of them has named another */
    uint64_t builtins_off[2]; /* enable -n: bits by place in the list of builtins */
};

/* Fork: `child` gets references to everything. Errors: -WK_ENOMEM (child untouched). */
int wk_state_fork(struct wk_state *child, struct wk_state *parent, struct wk_mem *m);
void wk_state_release(struct wk_state *s, struct wk_mem *m);

/* Drop a reference to a list of values; NULL is fine. */
void wk_dirstack_unref(struct wk_mem *m, struct wk_dirstack *d);
/* Drop what a slot holds and make it empty (attributes too). */
void wk_var_release(struct wk_mem *m, struct wk_var *v);
/* A copy that shares the value. */
struct wk_var wk_var_share(const struct wk_var *v);
/* Page `page` of variables or functions as one's own; made when missing. NULL when refused. */
struct wk_var_page *wk_state_own_page(struct wk_state *s, struct wk_mem *m, uint32_t page);
struct wk_func_page *wk_state_own_func_page(struct wk_state *s, struct wk_mem *m, uint32_t page);
/* Remember a slot's contents (moved out of it) on the saved stack. 0 or -WK_ENOMEM (nothing changed). */
int wk_state_save(struct wk_state *s, struct wk_mem *m, uint32_t name, uint32_t level, struct wk_var *v);

#endif
