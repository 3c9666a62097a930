/* awk_symtab.c - SYMTAB and FUNCTAB: an awk program's variables and functions by their names
 *
 * An element of SYMTAB is the variable: what is found in the table is the number of its slot. Variables whose storing
 * does more than that are given as copies, so that nothing is done by storing there, as in gawk.
 */
#include "builtins/awk.h"

static const char *name_of(const struct awk_array *t)
{
    return t->by_name == AWK_BY_VARIABLE ? "SYMTAB" : "FUNCTAB";
}

/* What the present step does with the element. */
static bool is_stored(const struct awk *a)
{
    switch (a->pc[-1] & 255) {
    case AWK_STORE_ELEM:
    case AWK_AUG_ELEM:
    case AWK_STEP_ELEM:
    case AWK_A_SET:
    case AWK_A_AUG:
    case AWK_A_STEP:
    case AWK_GETLINE:
        return true;
    default:
        return false;
    }
}

struct awk_val *wk_awk_named(struct awk *a, struct awk_array *t, struct awk_elem *e)
{
    if (t->by_name == AWK_BY_FUNCTION) {
        if (a->pc && is_stored(a))
            wk_awk_fatal(a, "cannot assign to elements of FUNCTAB");
        return &e->v;
    }
    for (uint32_t i = 0; awk_has_hook(i); i++) {
        if (!wk_str_is(awk_slice(e->key.text), a->names[i]))
            continue;
        awk_drop(a, &e->v);
        e->v = i <= AWK_FNR ? awk_num(wk_awk_special(a, i)) : awk_copy(&a->globals[i]);
        return &e->v;
    }
    return &a->globals[(size_t)e->v.num];
}

void wk_awk_not_named(struct awk *a, const struct awk_array *t, struct wk_str key)
{
    if (a->pc && is_stored(a))
        wk_awk_fatal(a, t->by_name == AWK_BY_VARIABLE ? "cannot assign to arbitrary elements of SYMTAB"
                                                      : "cannot assign to elements of FUNCTAB");
    wk_awk_fatal(a, "reference to uninitialized element `%s[\"%.*s\"] is not allowed'", name_of(t),
                 (int)WK_MIN(key.n, (size_t)4000), key.p);
}

void wk_awk_check_cleared(struct awk *a, const struct awk_array *t, const char *what)
{
    if (t->by_name && what)
        wk_awk_fatal(a, "%s: cannot use %s as second argument", what, name_of(t));
    if (t->by_name)
        wk_awk_fatal(a, "`delete' is not allowed with %s", name_of(t));
}

static void add(struct awk *a, struct awk_array *t, const char *name, struct awk_val v)
{
    struct awk_str *key = wk_awk_str_of(a, name, strlen(name));
    uint8_t by_name = t->by_name;
    t->by_name = 0;
    wk_awk_array_set(a, t, key, v);
    t->by_name = by_name;
    awk_str_unref(a, key);
}

bool wk_awk_is_symtab(const struct awk *a, struct wk_str name)
{
    return !a->old && (wk_str_is(name, "SYMTAB") || wk_str_is(name, "FUNCTAB"));
}

void wk_awk_name_variable(struct awk *a, uint32_t slot)
{
    if (!wk_awk_is_symtab(a, wk_str_c(a->names[slot])))
        add(a, a->symtab, a->names[slot], awk_num(slot));
}

/* The name that comes behind another; NULL: the first, or none. In this order those of gawk come into its tables. */
static const char *next_name(const char *const *names, size_t n, const char *before)
{
    const char *next = NULL;
    for (size_t i = 0; i < n; i++)
        if ((!before || strcmp(names[i], before) > 0) && (!next || strcmp(names[i], next) < 0))
            next = names[i];
    return next;
}

static void name_functions(struct awk *a, struct awk_array *t)
{
    const char *names[AWK_FUNCTIONS], *name = NULL;
    for (size_t i = 0; i < AWK_FUNCTIONS; i++)
        names[i] = wk_awk_builtins[i].name;
    for (size_t i = 0; i < a->nfuncs; i++)
        if (a->funcs[i].defined)
            add(a, t, a->funcs[i].name, awk_string(wk_awk_str_of(a, a->funcs[i].name, strlen(a->funcs[i].name))));
    while ((name = next_name(names, AWK_FUNCTIONS, name)))
        add(a, t, name, awk_string(wk_awk_str_of(a, name, strlen(name))));
    t->by_name = AWK_BY_FUNCTION;
}

void wk_awk_name_all(struct awk *a)
{
    size_t n = a->nglobals;
    for (size_t i = AWK_SPECIALS; i < n; i++) {
        struct wk_str name = wk_str_c(a->names[i]);
        if (!wk_awk_is_symtab(a, name))
            continue;
        struct awk_array *t = wk_awk_array_of(a, &a->globals[i]);
        if (wk_str_is(name, "FUNCTAB")) {
            name_functions(a, t);
            continue;
        }
        a->symtab = t;
        static const uint32_t late[] = {AWK_ENVIRON, AWK_ARGC, AWK_ARGV};
        const char *special = NULL;
        while ((special = next_name(a->names, AWK_SPECIALS, special))) {
            uint32_t slot = wk_awk_global(a, special, strlen(special));
            if (slot != late[0] && slot != late[1] && slot != late[2])
                wk_awk_name_variable(a, slot);
        }
        for (size_t k = 0; k < WK_COUNTOF(late); k++)
            wk_awk_name_variable(a, late[k]);
        for (size_t k = AWK_SPECIALS; k < n; k++)
            wk_awk_name_variable(a, (uint32_t)k);
        t->by_name = AWK_BY_VARIABLE;
    }
}
