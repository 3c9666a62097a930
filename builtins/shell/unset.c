/* unset.c - unset: remove variables, array elements and functions
 *
 * Standard: POSIX XCU unset; bash 4.1. Oracle: bash 5.2.
 */
#include "interp/builtin.h"
#include "interp/eval.h"
#include "interp/vars.h"

extern const struct wk_builtin wk_builtin_unset;

enum kind { EITHER, VARIABLES, FUNCTIONS, REFERENCES };

/* 1 when a function of that name was there and went; 0 when there is none; -1 after a message. */
static int unset_function(struct wk_shell *sh, struct wk_str name)
{
    uint32_t id = wk_names_find(sh->names, name);
    const struct wk_func *f = id == WK_NAME_NONE ? NULL : wk_func_find(sh, id);
    if (!f)
        return 0;
    if (f->flags & WK_VAR_READONLY) {
        wk_sh_builtin_error(sh, "unset", "%s: cannot unset: readonly function", name.p);
        return -1;
    }
    return wk_func_unset(sh, id) == 0 ? 1 : -1;
}

/* Is there a variable of that name (the part before a subscript)? */
static bool variable_exists(struct wk_shell *sh, struct wk_str target)
{
    ptrdiff_t bracket = wk_str_chr(target, '[');
    struct wk_str name = bracket < 0 ? target : wk_str_take(target, (size_t)bracket);
    uint32_t id = wk_names_find(sh->names, name);
    const struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_peek(sh, id);
    return v && v->flags & (WK_VAR_SET | WK_VAR_DECLARED | WK_VAR_DYNAMIC | WK_VAR_NAMEREF);
}

/* Was the argument written as name[…], the brackets not being quoted? Its subscript has been expanded. */
static bool is_reference(const struct wk_args *a, size_t i)
{
    struct wk_str s = a->words ? wk_word_source(a->words[i]) : WK_STR("");
    ptrdiff_t bracket = wk_str_chr(s, '[');
    return bracket > 0 && s.p[s.n - 1] == ']' && wk_str_is_name(wk_str_take(s, (size_t)bracket)) &&
           wk_str_starts(a->v[i], wk_str_take(s, (size_t)bracket + 1));
}

/* Something with a bracket that is no name[sub]; sub may be any text. */
static bool bad_element(struct wk_str target)
{
    size_t n = (size_t)wk_str_chr(target, '[');
    return !wk_str_is_name(wk_str_take(target, n)) || target.n - n < 3 ||
           target.p[target.n - 1] != ']';
}

/* A reference to no variable leaves the name to the function that has it. */
static bool is_function_behind_reference(struct wk_shell *sh, struct wk_str name)
{
    uint32_t id = wk_names_find(sh->names, name);
    const struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_peek(sh, id);
    if (!v || !(v->flags & WK_VAR_NAMEREF) || !wk_func_find(sh, id))
        return false;
    ptrdiff_t bracket = v->text ? wk_str_chr(wk_val_str(v->text), '[') : 0;
    return !v->text || bracket > 0 || !variable_exists(sh, wk_val_str(v->text));
}

/* The function that an element's name has, when that is no variable. */
static const struct wk_func *function_of_element(struct wk_shell *sh, struct wk_str target)
{
    size_t bracket = (size_t)wk_str_chr(target, '[');
    uint32_t id = wk_names_find(sh->names, wk_str_take(target, bracket));
    return id == WK_NAME_NONE || variable_exists(sh, target) ? NULL : wk_func_find(sh, id);
}

/* It stays, whatever the subscript; one that is not 0 is told of. */
static int refuse_function(struct wk_shell *sh, const struct wk_func *f, struct wk_str target)
{
    size_t bracket = (size_t)wk_str_chr(target, '[');
    if (!(f->flags & WK_VAR_READONLY))
        return wk_var_check_first(sh, f->name, wk_str(target.p + bracket + 1, target.n - bracket - 2));
    wk_sh_builtin_error(sh, "unset", "%s: cannot unset: readonly function", wk_names_str(sh->names, f->name).p);
    return -WK_EPERM;
}

/* `checked`: what can be no variable is an error (-v). */
static enum wk_flow unset_one(struct wk_shell *sh, const struct wk_args *a, size_t at, enum kind kind,
                              bool checked, int *status)
{
    struct wk_str name = a->v[at];
    ptrdiff_t bracket = wk_str_chr(name, '[');
    bool element = bracket > 0;
    if (kind == FUNCTIONS ||
        (kind == EITHER && !element &&
         (!variable_exists(sh, name) || is_function_behind_reference(sh, name)))) {
        int found = unset_function(sh, name);
        if (found < 0)
            *status = 1;
        if (found || kind == FUNCTIONS)
            return WK_NEXT;
    }
    if ((!element || kind == REFERENCES) && !wk_str_is_name(name)) {
        if (checked) {
            wk_sh_builtin_error(sh, "unset", "`%s': not a valid identifier", name.p);
            *status = 1;
        }
        return WK_NEXT;
    }
    bool bad = element && bad_element(name);
    int r = checked && bad ? -WK_EPERM : 0;
    const struct wk_func *f = kind == EITHER && element && !bad ? function_of_element(sh, name) : NULL;
    if (r)
        wk_sh_builtin_error(sh, "unset", "`%s': not a valid identifier", name.p);
    else if (f)
        r = refuse_function(sh, f, name);
    else if (kind == REFERENCES || !is_reference(a, at) || !wk_var_unset_exact(sh, name, &r))
        r = wk_var_unset_named(sh, name, kind == REFERENCES);
    if (element && kind != REFERENCES && !bad)
        a->v[at] = wk_str_take(name, (size_t)bracket); /* what $_ is afterwards */
    if (r == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    if (r)
        *status = 1;
    return WK_NEXT;
}

static enum wk_flow unset_run(struct wk_shell *sh, const struct wk_args *a)
{
    bool functions = false, variables = false, references = false;
    struct wk_getopt g = {.b = &wk_builtin_unset, .a = a, .spec = "fnv"};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c == '?')
            return wk_status(sh, 2);
        *(c == 'f' ? &functions : c == 'v' ? &variables : &references) = true;
    }
    if (functions && variables) {
        wk_sh_builtin_error(sh, "unset", "cannot simultaneously unset a function and a variable");
        return wk_status(sh, 1);
    }
    enum kind kind = functions ? FUNCTIONS : references ? REFERENCES : variables ? VARIABLES : EITHER;
    int status = 0;
    for (size_t i = g.at; i < a->n; i++) {
        enum wk_flow flow = unset_one(sh, a, i, kind, variables, &status);
        if (flow != WK_NEXT || sh->now.arith_failed)
            return flow;
    }
    return wk_status(sh, status);
}

WK_BUILTIN(unset, .usage = "unset [-f] [-v] [-n] [name ...]",
           .summary = "Remove variables, array elements and functions.",
           .help = "Without an option a variable goes, or, when there is none, a function.\n\n"
                   "  -f   functions   -v   variables   -n   a reference itself, not its target",
           .flags = WK_BUILTIN_SPECIAL | WK_BUILTIN_OWN, .run = unset_run);
