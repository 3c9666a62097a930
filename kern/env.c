/* env.c - environment blocks: counted, immutable */
#include "kern/proc.h"

struct wk_env *wk_env_new(struct wk_kern *k, const struct wk_str *entries, size_t n)
{
    size_t bytes = sizeof(struct wk_env), strings = 0, table;
    if (n > UINT32_MAX / 2 || __builtin_mul_overflow(n + 1, sizeof(char *), &table))
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (__builtin_add_overflow(strings, entries[i].n + 1, &strings))
            return NULL;
    if (__builtin_add_overflow(bytes + table, strings, &bytes))
        return NULL;
    struct wk_env *e = wk_alloc(k->mem, bytes);
    if (!e)
        return NULL;
    e->refs = 1;
    e->n = (uint32_t)n;
    e->k = k;
    char *p = (char *)&e->v[n + 1];
    for (size_t i = 0; i < n; i++) {
        e->v[i] = p;
        if (entries[i].n)
            memcpy(p, entries[i].p, entries[i].n);
        p[entries[i].n] = '\0';
        p += entries[i].n + 1;
    }
    e->v[n] = NULL;
    return e;
}

struct wk_env *wk_env_ref(struct wk_env *e)
{
    if (e)
        e->refs++;
    return e;
}

void wk_env_unref(struct wk_env *e)
{
    if (e && --e->refs == 0)
        wk_free(e->k->mem, e);
}

const char *wk_env_get(const struct wk_env *e, const char *name)
{
    size_t n = strlen(name);
    for (uint32_t i = 0; e && i < e->n; i++)
        if (strncmp(e->v[i], name, n) == 0 && e->v[i][n] == '=')
            return e->v[i] + n + 1;
    return NULL;
}
