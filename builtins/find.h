/* find.h - what the parts of find share: the compiled expression and the present file
 *
 * find.c walks; find_parse.c compiles the expression to a row of steps with jumps, so neither reading
 * nor evaluating it recurses; find_test.c has the tests, find_print.c -printf and -ls, find_exec.c
 * the actions that start programs.
 */
#ifndef WK_BUILTINS_FIND_H
#define WK_BUILTINS_FIND_H

#include "base/arena.h"
#include "builtins/idnames.h"
#include "builtins/modes.h"
#include "builtins/ftw.h"
#include "builtins/zone.h"
#include "text/pattern/pattern.h"
#include "text/re/re.h"

struct wk_find;
struct wk_find_pred;

/* Declares a test or action on the present file. */
#define WK_FIND_FN(name) bool name(struct wk_find *f, struct wk_find_pred *p)

enum wk_find_cmp { WK_FIND_EQ, WK_FIND_GT, WK_FIND_LT };
enum wk_find_perm { WK_FIND_PERM_EXACT, WK_FIND_PERM_ALL, WK_FIND_PERM_ANY };

/* A batch of -exec … +. */
struct wk_find_batch {
    char **v;
    size_t n, cap, bytes;
    struct wk_vdir *dir; /* -execdir: where it runs */
};

struct wk_find_pred {
    bool (*fn)(struct wk_find *f, struct wk_find_pred *p);
    const char *name;      /* as written */
    const char *text;      /* argument */
    enum wk_find_cmp cmp;
    char which;            /* variant: time letter, type … */
    bool fold, confirm, in_dir, plus;
    bool stat_needed, type_needed; /* -printf: by a directive */
    int64_t num, unit;
    uint32_t mode, mode_dir; /* -perm: for files, for directories; -type: bits */
    enum wk_find_perm perm;
    int64_t when;          /* -newer: reference */
    uint64_t dev, ino;     /* -samefile */
    const struct wk_pattern *pattern;
    struct wk_re *re;
    struct wk_out *out;    /* -fprint and the like */
    char **argv;           /* -exec */
    size_t argc;
    struct wk_find_batch batch;
};

enum wk_find_op { WK_FIND_DO, WK_FIND_NOT, WK_FIND_JUMP_TRUE, WK_FIND_JUMP_FALSE };

struct wk_find_step {
    enum wk_find_op op;
    size_t to;
    struct wk_find_pred *pred;
};

struct wk_find {
    struct wk_cmd *c;
    struct wk_find_step *steps;
    size_t n, cap;
    struct wk_find_pred **preds;
    size_t preds_n, preds_cap;
    struct wk_arena *arena; /* patterns */
    struct wk_ftw *t;
    struct wk_idnames *ids;
    const struct wk_tz *tz;
    struct wk_buf *text;
    int links;              /* 'P', 'H' or 'L' */
    bool warn, depth_first, one_fs, any_action, has_prune, has_delete, depth_option;
    int64_t max_depth, min_depth, now, day_base;
    unsigned re_flags;
    const char *files_from;

    /* the present file */
    struct wk_stat st;
    int st_err;             /* 0, or why there is no stat */
    bool st_known;
    uint32_t type;          /* 0 when not known yet */
    size_t level;           /* below the operand */
    size_t operand_n;       /* length of the operand in the path */
    bool prune, quit;
    struct wk_vdir *held; /* an operand's directory while -execdir runs in it */
};

/* ---- find_parse.c ---- */

/* Compiles c->args[at…]. Ends the process when the expression is wrong. */
void wk_find_parse(struct wk_find *f, int at);
/* "find: " and a message, status 1, end. */
#define wk_find_fail(f, ...) wk_fail((f)->c, 1, __VA_ARGS__)

/* ---- find_test.c ---- */

/* Looks at the present file: false when it cannot be (reported). */
bool wk_find_stat(struct wk_find *f);
/* Its type, from the directory when that tells. */
uint32_t wk_find_type(struct wk_find *f);
/* The part of the path after the last slash. */
const char *wk_find_base(const struct wk_find *f, size_t *n);
int64_t wk_find_time(const struct wk_stat *st, char which);
bool wk_find_compare(enum wk_find_cmp cmp, int64_t value, int64_t than);

WK_FIND_FN(wk_find_true);
WK_FIND_FN(wk_find_false);
WK_FIND_FN(wk_find_name);
WK_FIND_FN(wk_find_path);
WK_FIND_FN(wk_find_lname);
WK_FIND_FN(wk_find_regex);
WK_FIND_FN(wk_find_is_type);
WK_FIND_FN(wk_find_is_xtype);
WK_FIND_FN(wk_find_size);
WK_FIND_FN(wk_find_age);
WK_FIND_FN(wk_find_newer);
WK_FIND_FN(wk_find_used);
WK_FIND_FN(wk_find_perm);
WK_FIND_FN(wk_find_links);
WK_FIND_FN(wk_find_inum);
WK_FIND_FN(wk_find_same);
WK_FIND_FN(wk_find_user);
WK_FIND_FN(wk_find_group);
WK_FIND_FN(wk_find_no_user);
WK_FIND_FN(wk_find_no_group);
WK_FIND_FN(wk_find_empty);
WK_FIND_FN(wk_find_access);
WK_FIND_FN(wk_find_fstype);

/* ---- find_print.c ---- */

WK_FIND_FN(wk_find_print);
WK_FIND_FN(wk_find_print0);
WK_FIND_FN(wk_find_printf);
WK_FIND_FN(wk_find_ls);
/* Warns about what the format of -printf has wrong, and notes what it needs; ends the process for a % at its end. */
void wk_find_check_format(struct wk_find *f, struct wk_find_pred *k);

/* ---- find_exec.c ---- */

WK_FIND_FN(wk_find_exec);
WK_FIND_FN(wk_find_delete);
WK_FIND_FN(wk_find_prune);
WK_FIND_FN(wk_find_quit);
/* Runs what has gathered for -exec … + (of -execdir only, when dirs_only). */
void wk_find_flush(struct wk_find *f, bool dirs_only);

#endif
