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
    *e = (struct wk_env){.refs = 1, .n = (uint32_t)n, .k = k};
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
    if (!e || --e->refs)
        return;
    wk_env_unref(e->base); /* which has none itself */
    wk_free(e->k->mem, e);
}

static bool is_of(const char *entry, struct wk_str name)
{
    return entry[0] == name.p[0] && strncmp(entry, name.p, name.n) == 0 && entry[name.n] == '=';
}

struct wk_env *wk_env_with(struct wk_env *base, struct wk_str name, struct wk_str value)
{
    size_t strings = sizeof(struct wk_env) + ((size_t)base->n + 2) * sizeof(char *), bytes;
    if (__builtin_add_overflow(name.n, value.n, &bytes) || __builtin_add_overflow(bytes, strings + 2, &bytes))
        return NULL;
    struct wk_env *e = wk_alloc(base->k->mem, bytes);
    if (!e)
        return NULL;
    *e = (struct wk_env){.refs = 1, .k = base->k, .base = wk_env_ref(base)};
    memcpy(e->v, base->v, base->n * sizeof e->v[0]);
    uint32_t at = 0;
    while (at < base->n && !is_of(base->v[at], name))
        at++;
    e->n = base->n + (at == base->n);
    char *p = (char *)&e->v[e->n + 1];
    e->v[at] = p;
    e->v[e->n] = NULL;
    memcpy(p, name.p, name.n);
    p[name.n] = '=';
    memcpy(p + name.n + 1, value.p, value.n);
    p[name.n + 1 + value.n] = '\0';
    return e;
}

const char *wk_env_get(const struct wk_env *e, const char *name)
{
    size_t n = strlen(name);
    for (uint32_t i = 0; e && i < e->n; i++)
        if (strncmp(e->v[i], name, n) == 0 && e->v[i][n] == '=')
            return e->v[i] + n + 1;
    return NULL;
}
