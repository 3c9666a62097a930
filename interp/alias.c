/* alias.c - aliases: an associative array of fewer buckets, copied before a shared one changes */
#include "interp/alias.h"

#include "base/err.h"
#include "base/sort.h"

bool wk_alias_name_ok(struct wk_str name)
{
    for (size_t i = 0; i < name.n; i++) {
        if (strchr(" \t\n|&;()<>/$`\"'\\=", name.p[i]))
            return false;
    }
    return name.n > 0;
}

static struct wk_assoc *table_own(struct wk_shell *sh)
{
    struct wk_assoc **a = &sh->st->aliases;
    if (!*a)
        *a = wk_assoc_new(sh->mem, WK_ALIAS_BUCKETS);
    return *a && wk_assoc_own(sh->mem, a) ? *a : NULL;
}

bool wk_alias_get(const struct wk_shell *sh, struct wk_str name, struct wk_str *value)
{
    const struct wk_elem_value *e = sh->st->aliases ? wk_assoc_at(sh->st->aliases, name) : NULL;
    if (e)
        *value = wk_val_str(e->text);
    return e != NULL;
}

int wk_alias_set(struct wk_shell *sh, struct wk_str name, struct wk_str value)
{
    struct wk_assoc *a = table_own(sh);
    return a && wk_assoc_set(sh->mem, a, name, value) ? 0 : -WK_ENOMEM;
}

int wk_alias_unset(struct wk_shell *sh, struct wk_str name)
{
    if (!sh->st->aliases || !wk_assoc_at(sh->st->aliases, name))
        return -WK_ENOENT;
    struct wk_assoc *a = table_own(sh);
    if (!a)
        return -WK_ENOMEM;
    wk_assoc_delete(sh->mem, a, name);
    return 0;
}

bool wk_aliases_apply(const struct wk_shell *sh)
{
    struct wk_assoc *a = sh->st->aliases;
    return WK_UNLIKELY(a != NULL) && (wk_shopt(sh, EXPAND_ALIASES) || sh->interactive) && wk_assoc_count(a);
}

bool wk_aliases_apply_in(const struct wk_shell *sh, const struct wk_cmdsub *sub)
{
    return wk_aliases_apply(sh) && (!wk_opt(sh, POSIX) || sub->flags & WK_CMDSUB_BACKQUOTE);
}

void wk_alias_clear(struct wk_shell *sh)
{
    wk_assoc_unref(sh->mem, sh->st->aliases);
    sh->st->aliases = NULL;
}

int wk_alias_copy(const struct wk_shell *from, struct wk_shell *to)
{
    struct wk_assoc *a = from->st->aliases;
    int r = a ? wk_assoc_order(from->mem, a) : 0;
    for (size_t i = a ? wk_assoc_count(a) : 0; !r && i-- > 0;) {
        struct wk_str name, value = wk_val_str(wk_assoc_nth(a, i, &name)->text);
        r = wk_alias_set(to, name, value);
    }
    return r;
}

static int by_name(void *ctx, const void *pa, const void *pb)
{
    (void)ctx;
    const struct wk_alias *a = pa, *b = pb;
    return wk_names_order(a->name, b->name);
}

int wk_alias_list(struct wk_shell *sh, struct wk_alias **list, size_t *n)
{
    struct wk_assoc *a = sh->st->aliases;
    *list = NULL;
    *n = 0;
    if (!a || !wk_assoc_count(a))
        return 0;
    struct wk_alias *v = wk_arena_alloc(&sh->arena, wk_assoc_count(a) * sizeof *v);
    int r = v ? wk_assoc_order(sh->mem, a) : -WK_ENOMEM;
    if (r)
        return r;
    for (size_t i = 0; i < wk_assoc_count(a); i++)
        v[i].value = wk_val_str(wk_assoc_nth(a, i, &v[i].name)->text);
    *list = v;
    *n = wk_assoc_count(a);
    return wk_sort(sh->mem, v, *n, sizeof *v, &(struct wk_sort){.cmp = by_name});
}
