/* env.c - environment blocks: counted, immutable */
#include "kern/proc.h"

#include "base/hash.h"
#include "base/sort.h"

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
    wk_env_unref(e->base); /* which has one itself at most */
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
    memcpy(e->parts, base->parts, sizeof e->parts);
    memcpy(e->v, base->v, base->n * sizeof e->v[0]);
    uint32_t at = base->n; /* it is rather at the end */
    while (at > 0 && !is_of(base->v[at - 1], name))
        at--;
    at = at ? at - 1 : base->n;
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

struct listed {
    const char *entry;
    uint32_t bucket, age;
};

/* BASH_FUNC_NAME%% is kept by its name. */
static uint32_t bucket_of(const char *entry, uint32_t buckets)
{
    static const char head[] = "BASH_FUNC_";
    const char *eq = strchr(entry, '=');
    struct wk_str name = wk_str(entry, eq ? (size_t)(eq - entry) : strlen(entry));
    if (wk_str_starts(name, wk_str_c(head)) && wk_str_ends(name, WK_STR("%%")))
        name = wk_str(name.p + sizeof head - 1, name.n - sizeof head - 1);
    return wk_fnv1(name) & (buckets - 1);
}

static int by_place(void *ctx, const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    (void)ctx;
    if (x->bucket != y->bucket)
        return x->bucket < y->bucket ? -1 : 1;
    return x->age < y->age ? 1 : -1;
}

static int list_part(struct wk_mem *m, const char *const *entries, struct wk_env_part part, struct listed *v,
                     const char **out)
{
    const struct wk_sort how = {.cmp = by_place};
    for (uint32_t i = 0; i < part.n; i++)
        v[i] = (struct listed){entries[i], bucket_of(entries[i], part.buckets), i};
    int e = wk_sort(m, v, part.n, sizeof *v, &how);
    for (uint32_t i = 0; !e && i < part.n; i++)
        out[i] = v[i].entry;
    return e;
}

int wk_env_listed(const struct wk_env *e, struct wk_mem *m, const char **out)
{
    struct listed *v = wk_calloc(m, (size_t)e->n + 1, sizeof *v);
    int r = v ? 0 : -WK_ENOMEM;
    uint32_t at = 0;
    for (uint32_t p = 0; !r && p < WK_ENV_PARTS && e->parts[p].n; p++) {
        r = list_part(m, e->v + e->parts[p].from, e->parts[p], v, out + at);
        at += e->parts[p].n;
    }
    for (; !r && at < e->n; at++)
        out[at] = e->v[at];
    wk_free(m, v);
    return r;
}

const char *wk_env_get(const struct wk_env *e, const char *name)
{
    size_t n = strlen(name);
    for (uint32_t i = 0; e && i < e->n; i++)
        if (strncmp(e->v[i], name, n) == 0 && e->v[i][n] == '=')
            return e->v[i] + n + 1;
    return NULL;
}
