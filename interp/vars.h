/* vars.h - reading and setting shell variables (bash 3.4, 5.1, 6.7)
 *
 * Variables are named by index (names.h). Setting a variable honours its attributes (readonly,
 * integer, case, nameref, export, dynamic); messages are printed as bash prints them.
 *
 * Results: int functions return 0, -WK_ENOMEM, or -WK_EPERM after a message (readonly, bad
 *          subscript, invalid nameref…): the caller then ends as its construct requires.
 */
#ifndef WK_INTERP_VARS_H
#define WK_INTERP_VARS_H

#include "interp/shell.h"

/* An error that abandons the present complete command of the innermost text (main, eval, source, trap), its message
 * having been printed: status 1. Which shells it ends: */
enum wk_discard { WK_DISCARD_ENDS_POSIX = 1, WK_DISCARD_ENDS_ERREXIT = 2 };
enum wk_flow wk_sh_discard_as(struct wk_shell *sh, int ends);
/* Bad substitution, assignment to a readonly variable… */
static inline enum wk_flow wk_sh_discard(struct wk_shell *sh)
{
    return wk_sh_discard_as(sh, WK_DISCARD_ENDS_POSIX | WK_DISCARD_ENDS_ERREXIT);
}
/* After a message that passes, unless errors end the shell at once. */
static inline enum wk_flow wk_sh_told(struct wk_shell *sh)
{
    if (!wk_opt(sh, ERREXIT) || sh->interactive)
        return WK_NEXT;
    sh->status = 1;
    return WK_EXIT;
}
/* The flow that a failed int function of this file asks for when its construct gives up. */
static inline enum wk_flow wk_var_failed(struct wk_shell *sh, int err)
{
    enum wk_flow flow = wk_sh_fail(sh, err);
    return flow == WK_NEXT ? wk_sh_discard(sh) : flow;
}
/* Decimal digits of v; out has at least 24 bytes and gets a NUL. Returns the length. */
size_t wk_i64_text(int64_t v, char *out);

/* ---- slots ----------------------------------------------------------------------------------- */

/* The slot for reading; NULL when nothing was ever stored under this name. No nameref resolution. */
static inline struct wk_var *wk_var_peek(const struct wk_shell *sh, uint32_t name)
{
    const struct wk_state *st = sh->st;
    uint32_t page = name / WK_PAGE_SLOTS;
    return page < st->npages && st->pages[page] ? &st->pages[page]->slots[name % WK_PAGE_SLOTS] : NULL;
}
/* The slot for changing, in a page of our own. NULL when memory is refused. */
struct wk_var *wk_var_own_slow(struct wk_shell *sh, uint32_t name);
static inline struct wk_var *wk_var_own(struct wk_shell *sh, uint32_t name)
{
    struct wk_state *st = sh->st;
    uint32_t page = name / WK_PAGE_SLOTS;
    if (WK_LIKELY(page < st->npages && st->pages[page] && st->pages[page]->refs == 1))
        return &st->pages[page]->slots[name % WK_PAGE_SLOTS];
    return wk_var_own_slow(sh, name);
}
/* Follow namerefs to the variable finally meant: its name index, and a subscript text when the
 * nameref names an array element (p == NULL otherwise). Prints "circular name reference" warnings. */
int wk_var_resolve(struct wk_shell *sh, uint32_t *name, struct wk_str *subscript);
/* The nameref becomes an ordinary variable without value: an array is to stand there. Warns as bash does, of the name
 * that was written. */
WK_NODISCARD int wk_var_end_reference(struct wk_shell *sh, uint32_t name, uint32_t written);
/* The same before elements or a whole list are set: a nameref that ends in an element has none. */
int wk_var_resolve_array(struct wk_shell *sh, uint32_t *name);

/* ---- scalars --------------------------------------------------------------------------------- */

/* Value of a variable as text (element 0 of arrays): false when unset. The slice is valid until the
 * variable is changed. *scratch (at least 24 bytes) may hold the digits of a number. Follows namerefs
 * and computes dynamic variables (their text may live in sh->arena). */
bool wk_var_get(struct wk_shell *sh, uint32_t name, char *scratch, struct wk_str *out);
/* The same of a variable that is no nameref, also one that another hides (that is then no array). */
bool wk_var_plain(struct wk_shell *sh, const struct wk_var *v, uint32_t name, char *scratch, struct wk_str *out);
/* Counted value, or NULL when unset (or, with *err = -WK_ENOMEM, refused). */
struct wk_val *wk_var_get_val(struct wk_shell *sh, uint32_t name, int *err);
bool wk_var_is_set(struct wk_shell *sh, uint32_t name);

int wk_var_set(struct wk_shell *sh, uint32_t name, struct wk_str value);
int wk_var_set_int(struct wk_shell *sh, uint32_t name, int64_t value);
int wk_var_append(struct wk_shell *sh, uint32_t name, struct wk_str value); /* += */
int wk_var_set_quietly(struct wk_shell *sh, uint32_t name, struct wk_str value, bool append); /* no set -a of arrays */
/* By text name ("x" or "x[sub]"), as read, printf -v, getopts, mapfile and for need: checks that it is
 * an identifier ("`%s': not a valid identifier" with the builtin's name) and not readonly. */
int wk_var_set_named(struct wk_shell *sh, const char *builtin, struct wk_str target, struct wk_str value);
/* An element of an associative array by its key as it is: false when `target` is none. */
bool wk_var_unset_exact(struct wk_shell *sh, struct wk_str target, int *err);
/* unset -v / unset 'a[1]' / unset -n. -WK_EPERM after the readonly message. What can be no variable
 * is none. */
int wk_var_unset(struct wk_shell *sh, uint32_t name);
int wk_var_unset_named(struct wk_shell *sh, struct wk_str target, bool nameref);
/* Add and remove attribute bits, converting the value where bash does. */
int wk_var_attributes(struct wk_shell *sh, uint32_t name, uint32_t add, uint32_t remove);

/* Text as the variable would hold it: the integer and case attributes applied. The result may lie in the arena. */
int wk_var_convert(struct wk_shell *sh, uint32_t flags, struct wk_str value, struct wk_str *out);
/* Like wk_var_set with a subscript text behind the name; expand: the subscript still holds expansions
 * (associative arrays). Errors as above. */
int wk_var_sub_set(struct wk_shell *sh, uint32_t name, struct wk_str sub, struct wk_str value, bool append,
                   bool expand);
/* A subscript's text as key of an associative array, or as index of an indexed one. */
int wk_var_key(struct wk_shell *sh, struct wk_str sub, struct wk_str *key);
int wk_var_index(struct wk_shell *sh, uint32_t name, struct wk_str sub, int64_t *index);
/* unset 'name[sub]'; and where name is no array: 0 when sub is 0, else -WK_EPERM after a message. */
int wk_var_check_first(struct wk_shell *sh, uint32_t name, struct wk_str sub);
int wk_var_unset_sub(struct wk_shell *sh, uint32_t name, struct wk_str sub);
/* "name" or "name[sub]": false when it is neither; sub->p is NULL without a subscript. */
bool wk_var_split_target(struct wk_str target, struct wk_str *name, struct wk_str *sub);
/* Value of name[sub] (sub not "@" or "*"). *set tells whether there is one. */
int wk_var_sub_get(struct wk_shell *sh, uint32_t name, struct wk_str sub, char *scratch, struct wk_str *out, bool *set);

/* Integer value for arithmetic: evaluates the text as an expression (depth-limited), 0 when unset
 * (an error under set -u). */
enum wk_flow wk_var_int(struct wk_shell *sh, uint32_t name, int64_t *out);

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Is it there, and no array yet? Then it has one element to assign to, x[0] or x[-1], also when it has no value. */
bool wk_var_has_one(const struct wk_var *v);
int wk_var_elem_get(struct wk_shell *sh, uint32_t name, int64_t index, char *scratch, struct wk_str *out, bool *set);
int wk_var_elem_set(struct wk_shell *sh, uint32_t name, int64_t index, struct wk_str value, bool append);
/* As elem_set with the digits of value; name is no nameref. */
int wk_var_elem_set_int(struct wk_shell *sh, uint32_t name, int64_t index, int64_t value);
int wk_var_key_get(struct wk_shell *sh, uint32_t name, struct wk_str key, char *scratch, struct wk_str *out, bool *set);
int wk_var_key_set(struct wk_shell *sh, uint32_t name, struct wk_str key, struct wk_str value, bool append);
/* Make it an (empty) array / associative array, keeping a scalar as element 0. */
int wk_var_make_array(struct wk_shell *sh, uint32_t name, bool assoc);
int wk_var_clear_array(struct wk_shell *sh, uint32_t name);
/* Replace the whole array with n values at 0…n-1 (mapfile, read -a, PIPESTATUS, BASH_REMATCH). */
int wk_var_set_list(struct wk_shell *sh, uint32_t name, const struct wk_str *v, size_t n);
size_t wk_var_count(struct wk_shell *sh, uint32_t name);
/* Greatest index in use; -1 when there is none; 0 for a scalar that is set. */
int64_t wk_var_max_index(struct wk_shell *sh, uint32_t name);
/* Iterate in bash's order (vars_array.h). The iterator holds the array: changes made meanwhile are not
 * seen. */
struct wk_elem_iter {
    struct wk_array *array;
    struct wk_assoc *assoc;
    void *order;
    size_t at;
    int64_t index;       /* present element */
    struct wk_str key;   /* of an associative array; else ask wk_elem_iter_key */
    struct wk_str value;
    char scratch[24], value_scratch[24];
    struct wk_val *scalar;
};
int wk_elem_iter_init(struct wk_shell *sh, uint32_t name, struct wk_elem_iter *it);
bool wk_elem_iter_next(struct wk_shell *sh, struct wk_elem_iter *it);
/* The present key, or the index as text. */
struct wk_str wk_elem_iter_key(struct wk_elem_iter *it);
void wk_elem_iter_release(struct wk_shell *sh, struct wk_elem_iter *it);

/* From now on BASH_ARGV has the present parameters at its end. 0 or -WK_ENOMEM. */
int wk_vars_keep_args(struct wk_shell *sh);

/* ---- scopes ---------------------------------------------------------------------------------- */

/* Level of a temporary assignment that is in no function's scope. wk_vars_set_level puts those saved from `base`
 * on in one, that of the function called or of the builtin that runs commands: a local of that level then takes
 * the place of the temporary variable, and goes with it. */
#define WK_LEVEL_NONE UINT32_MAX
void wk_vars_set_level(struct wk_shell *sh, uint32_t base, uint32_t level);
/* Make `name` local to the innermost function (or push a temporary assignment when tempenv): the old
 * variable is saved; the new one is unset, or a copy when inherit. */
int wk_var_push_local(struct wk_shell *sh, uint32_t name, uint32_t level, bool tempenv, bool inherit);
/* Put back everything saved above `base`, newest first. Cannot fail. */
void wk_vars_pop(struct wk_shell *sh, uint32_t base);
/* Put back one variable (`move`: its contents go over, else they are shared), handing the present one on to it
 * where that was asked for. */
void wk_vars_restore(struct wk_shell *sh, uint32_t name, struct wk_var *saved, bool move);
/* A temporary assignment that export, readonly or declare -x and -r have named: its value and these attributes
 * outlive its command; that of eval or . outside of functions only when from_eval. Other variables stay as they are.
 * -WK_EPERM when an integer is beneath and the value is none. */
int wk_var_hand_on(struct wk_shell *sh, uint32_t name, bool from_eval);
/* The same for the temporary assignments among the entries base … top - 1 of the saved stack: those before a
 * special builtin in posix mode. */
void wk_vars_hand_on(struct wk_shell *sh, uint32_t base, uint32_t top);
/* Temporary assignments among those entries whose variables were set again: the variables beneath get that value. */
int wk_vars_pass_on(struct wk_shell *sh, uint32_t base, uint32_t top);
/* The temporary variable has the value that stands before the command. */
void wk_var_is_assigned(struct wk_shell *sh, uint32_t name);
static inline uint32_t wk_vars_mark(const struct wk_shell *sh)
{
    return sh->st->saved_n;
}
/* The global variable's slot for `declare -g` (beneath all locals). */
struct wk_var *wk_var_global(struct wk_shell *sh, uint32_t name);
/* The visible variable and the global one of that name change places (and back with a second call); nothing happens
 * when they are the same, or when memory is refused. */
void wk_var_swap_global(struct wk_shell *sh, uint32_t name);
/* A function's nameref to its own name means the global variable: true when the two have changed places, with a
 * warning, and are to be changed back after the operation. */
bool wk_var_enter_self_slow(struct wk_shell *sh, uint32_t name);
static inline bool wk_var_enter_self(struct wk_shell *sh, uint32_t name)
{
    const uint32_t both = WK_VAR_NAMEREF | WK_VAR_LOCAL;
    const struct wk_var *v = wk_var_peek(sh, name);
    return WK_UNLIKELY(v && (v->flags & both) == both) && wk_var_enter_self_slow(sh, name);
}

/* BASH_REMATCH: a new array, of the shell whatever function has a local one. 0, -WK_ENOMEM. */
int wk_var_set_rematch(struct wk_shell *sh, const struct wk_str *v, size_t n);

/* ---- environment, special variables ---------------------------------------------------------- */

/* bash looks a variable up several times where once would do, and each look computes it anew: which shows with RANDOM.
 * v: any variable. */
void wk_special_look(struct wk_shell *sh, const struct wk_var *v, unsigned times);
/* Block of exported variables and functions. A new reference; NULL when refused. */
struct wk_env *wk_vars_env(struct wk_shell *sh);
/* The same for a command started from `path', which _ tells it; cached until something exported changes. kept: what
 * this gave last time for the command. */
struct wk_env *wk_vars_env_of(struct wk_shell *sh, struct wk_str path, struct wk_env **kept);
/* env for a program that takes the shell's place: SHLVL does not count the shell. Takes the reference to env. */
struct wk_env *wk_vars_env_replacing(struct wk_shell *sh, struct wk_env *env, struct wk_env **kept);
int wk_vars_import(struct wk_shell *sh, const struct wk_env *env, bool functions);
/* Define the dynamic variables and defaults of a new shell (vars_special.c). */
int wk_vars_init(struct wk_shell *sh);
/* After the environment was imported: PWD, OLDPWD, SHLVL and the defaults of what was not there. */
int wk_vars_start(struct wk_shell *sh);
/* The shell begins: BASH_XTRACEFD of its environment counts. */
void wk_vars_begin_trace(struct wk_shell *sh);
/* set -o posix and +o posix: the shopt options and the variable that go with it change, too. */
int wk_vars_posix_mode(struct wk_shell *sh, bool on);
/* $IFS as bash uses it: default " \t\n" when unset. Cached in sh->shared-free form by vars_special.c. */
struct wk_ifs {
    bool unset, null, bytes, stray; /* bytes: a character was one when it was looked at; stray: it is not UTF-8 */
    unsigned char first_n; /* bytes of the first character, for "$*" */
    char first[8];
    uint8_t kind[256];     /* 0 no, 1 IFS white space, 2 other delimiter, 3 look closer (wk_ifs_long) */
    struct wk_str text;
};
const struct wk_ifs *wk_vars_ifs(struct wk_shell *sh);

/* `declare -p` form of one variable ("declare -ai a=([0]=\"1\")"), and of all; to a buffer. */
int wk_var_print_declare(struct wk_shell *sh, uint32_t name, struct wk_buf *out);
/* With `word`: "WORD a=…" as a POSIX shell's `export -p` and `readonly -p` say it; NULL: as above. */
int wk_var_print_declare_as(struct wk_shell *sh, uint32_t name, const char *word, struct wk_buf *out);
/* The "(…)" part of it alone. */
int wk_var_print_elements(struct wk_shell *sh, uint32_t name, struct wk_buf *out);
/* A key of an associative array as declare -p writes it: quoted when a shell would act on it. */
void wk_var_put_key(struct wk_buf *out, struct wk_str key, bool bytes);
/* Attribute letters as ${x@a} shows them, at most 16 bytes. Returns the length. */
size_t wk_var_attribute_letters(const struct wk_var *v, char *out);
/* Names set (or declared) that start with prefix, sorted, as indices in the arena. */
int wk_vars_names(struct wk_shell *sh, struct wk_str prefix, bool declared_too, uint32_t **out, size_t *n);

#endif
