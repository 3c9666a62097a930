/* alias.c - aliases: a sorted table, copied before a shared one changes */
#include "interp/alias.h"

struct wk_aliases {
    uint32_t refs;
    size_t n, cap;
    struct wk_alias *v; /* sorted by name */
};

void wk_aliases_unref(struct wk_mem *m, struct wk_aliases *a)
{
    if (!a || --a->refs)
        return;
    for (size_t i = 0; i < a->n; i++) {
        wk_val_unref(m, a->v[i].name);
        wk_val_unref(m, a->v[i].value);
    }
    wk_free(m, a->v);
    wk_free(m, a);
}

/* Place of a name, or where it would stand. */
static size_t place(const struct wk_aliases *a, struct wk_str name, bool *found)
{
    size_t lo = 0, hi = a ? a->n : 0;
    *found = false;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int c = wk_str_cmp(wk_val_str(a->v[mid].name), name);
        if (c == 0) {
            *found = true;
            return mid;
        }
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static struct wk_aliases *table_own(struct wk_shell *sh)
{
    struct wk_aliases *old = sh->st->aliases;
    if (old && old->refs == 1)
        return old;
    struct wk_aliases *a = WK_NEW(sh->mem, struct wk_aliases);
    if (!a)
        return NULL;
    a->refs = 1;
    if (old) {
        a->v = wk_calloc(sh->mem, old->n + 1, sizeof *a->v);
        if (!a->v) {
            wk_free(sh->mem, a);
            return NULL;
        }
        a->cap = old->n + 1;
        for (; a->n < old->n; a->n++)
            a->v[a->n] =
                (struct wk_alias){wk_val_ref(old->v[a->n].name), wk_val_ref(old->v[a->n].value)};
        wk_aliases_unref(sh->mem, old);
    }
    sh->st->aliases = a;
    return a;
}

bool wk_alias_get(const struct wk_shell *sh, struct wk_str name, struct wk_str *value)
{
    bool found;
    size_t at = place(sh->st->aliases, name, &found);
    if (found)
        *value = wk_val_str(sh->st->aliases->v[at].value);
    return found;
}

int wk_alias_set(struct wk_shell *sh, struct wk_str name, struct wk_str value)
{
    struct wk_aliases *a = table_own(sh);
    struct wk_val *v = a ? wk_val_new(sh->mem, value) : NULL;
    if (!v)
        return -WK_ENOMEM;
    bool found;
    size_t at = place(a, name, &found);
    if (found) {
        wk_val_unref(sh->mem, a->v[at].value);
        a->v[at].value = v;
        return 0;
    }
    struct wk_val *n = wk_val_new(sh->mem, name);
    if (!n || !wk_vec_grow(sh->mem, &a->v, &a->cap, a->n + 1, sizeof *a->v)) {
        wk_val_unref(sh->mem, n);
        wk_val_unref(sh->mem, v);
        return -WK_ENOMEM;
    }
    memmove(&a->v[at + 1], &a->v[at], (a->n - at) * sizeof *a->v);
    a->v[at] = (struct wk_alias){n, v};
    a->n++;
    return 0;
}

int wk_alias_unset(struct wk_shell *sh, struct wk_str name)
{
    bool found;
    (void)place(sh->st->aliases, name, &found);
    if (!found)
        return -WK_ENOENT;
    struct wk_aliases *a = table_own(sh);
    if (!a)
        return -WK_ENOMEM;
    size_t at = place(a, name, &found);
    wk_val_unref(sh->mem, a->v[at].name);
    wk_val_unref(sh->mem, a->v[at].value);
    a->n--;
    memmove(&a->v[at], &a->v[at + 1], (a->n - at) * sizeof *a->v);
    return 0;
}

void wk_alias_clear(struct wk_shell *sh)
{
    wk_aliases_unref(sh->mem, sh->st->aliases);
    sh->st->aliases = NULL;
}

const struct wk_alias *wk_alias_list(const struct wk_shell *sh, size_t *n)
{
    *n = sh->st->aliases ? sh->st->aliases->n : 0;
    return sh->st->aliases ? sh->st->aliases->v : NULL;
}

bool wk_alias_name_ok(struct wk_str name)
{
    for (size_t i = 0; i < name.n; i++) {
        if (strchr(" \t\n|&;()<>/$`\"'\\=", name.p[i]))
            return false;
    }
    return name.n > 0;
}
