/* vallist.c - counted lists of values in the shell's state */
#include "builtins/shell/vallist.h"

/* A list of our own with room for `more` entries. */
static int list_own(struct wk_shell *sh, struct wk_dirstack **list, uint32_t more)
{
    struct wk_dirstack *old = *list;
    uint32_t n = wk_vallist_count(old);
    if (old && old->refs == 1 && old->cap - n >= more)
        return 0;
    if (n >= WK_VALLIST_MAX)
        return -WK_ENOMEM;
    uint32_t cap = n < 4 ? 8 : n * 2;
    struct wk_dirstack *d = wk_alloc(sh->mem, sizeof *d + cap * sizeof d->v[0]);
    if (!d)
        return -WK_ENOMEM;
    d->refs = 1;
    d->n = n;
    d->cap = cap;
    for (uint32_t i = 0; i < n; i++)
        d->v[i] = wk_val_ref(old->v[i]);
    wk_dirstack_unref(sh->mem, old);
    *list = d;
    return 0;
}

int wk_vallist_own(struct wk_shell *sh, struct wk_dirstack **list)
{
    return list_own(sh, list, 0);
}

int wk_vallist_push(struct wk_shell *sh, struct wk_dirstack **list, struct wk_str s)
{
    struct wk_val *v = wk_val_new(sh->mem, s);
    if (!v || list_own(sh, list, 1) != 0) {
        wk_val_unref(sh->mem, v);
        return -WK_ENOMEM;
    }
    (*list)->v[(*list)->n++] = v;
    return 0;
}

int wk_vallist_set(struct wk_shell *sh, struct wk_dirstack **list, uint32_t i, struct wk_str s)
{
    struct wk_val *v = wk_val_new(sh->mem, s);
    if (!v || list_own(sh, list, 0) != 0) {
        wk_val_unref(sh->mem, v);
        return -WK_ENOMEM;
    }
    wk_val_unref(sh->mem, (*list)->v[i]);
    (*list)->v[i] = v;
    return 0;
}

int wk_vallist_cut(struct wk_shell *sh, struct wk_dirstack **list, uint32_t from, uint32_t to)
{
    if (from >= to)
        return 0;
    if (list_own(sh, list, 0) != 0)
        return -WK_ENOMEM;
    struct wk_dirstack *d = *list;
    for (uint32_t i = from; i < to; i++)
        wk_val_unref(sh->mem, d->v[i]);
    memmove(&d->v[from], &d->v[to], (d->n - to) * sizeof d->v[0]);
    d->n -= to - from;
    return 0;
}

void wk_vallist_clear(struct wk_shell *sh, struct wk_dirstack **list)
{
    wk_dirstack_unref(sh->mem, *list);
    *list = NULL;
}
