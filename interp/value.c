/* value.c - shell strings: counted bytes, shared until written */
#include "interp/value.h"

struct wk_val *wk_val_alloc(struct wk_mem *m, size_t cap)
{
    if (cap > WK_VAL_MAX)
        return NULL;
    /* Small blocks are rounded up so that a variable that changes its length keeps its block. */
    size_t bytes = sizeof(struct wk_val) + cap + 1;
    bytes = (bytes + 15) & ~(size_t)15;
    struct wk_val *v = wk_alloc(m, bytes);
    if (!v)
        return NULL;
    v->refs = 1;
    v->n = 0;
    v->cap = (uint32_t)(bytes - sizeof(struct wk_val) - 1);
    v->p[0] = '\0';
    return v;
}

struct wk_val *wk_val_new(struct wk_mem *m, struct wk_str s)
{
    struct wk_val *v = wk_val_alloc(m, s.n);
    if (!v)
        return NULL;
    if (s.n)
        memcpy(v->p, s.p, s.n);
    v->p[s.n] = '\0';
    v->n = (uint32_t)s.n;
    return v;
}

void wk_val_free(struct wk_mem *m, struct wk_val *v)
{
    wk_free(m, v);
}

/* A block of its own with both texts: for shared values, and for values that outgrow theirs. */
static bool append_fresh(struct wk_mem *m, struct wk_val **v, struct wk_str s, size_t n)
{
    struct wk_val *old = *v;
    size_t cap = n < WK_VAL_MAX / 2 ? n + n / 2 + 16 : WK_VAL_MAX;
    struct wk_val *fresh = wk_val_alloc(m, cap);
    if (!fresh && cap > n)
        fresh = wk_val_alloc(m, n);
    if (!fresh)
        return false;
    memcpy(fresh->p, old->p, old->n);
    memcpy(fresh->p + old->n, s.p, s.n);
    fresh->p[n] = '\0';
    fresh->n = (uint32_t)n;
    *v = fresh;
    wk_val_unref(m, old);
    return true;
}

bool wk_val_append(struct wk_mem *m, struct wk_val **v, struct wk_str s)
{
    struct wk_val *old = *v;
    if (s.n == 0)
        return true;
    if (s.n > WK_VAL_MAX - old->n)
        return false;
    size_t n = old->n + s.n;
    if (old->refs > 1 || n > old->cap)
        return append_fresh(m, v, s, n);
    memmove(old->p + old->n, s.p, s.n);
    old->p[n] = '\0';
    old->n = (uint32_t)n;
    return true;
}

struct wk_val *wk_val_store(struct wk_mem *m, struct wk_val *v, struct wk_str s)
{
    if (v && v->refs == 1 && s.n <= v->cap && (v->cap <= 256 || s.n > v->cap / 4)) {
        if (s.n)
            memmove(v->p, s.p, s.n);
        v->p[s.n] = '\0';
        v->n = (uint32_t)s.n;
        return v;
    }
    struct wk_val *fresh = wk_val_new(m, s);
    if (fresh)
        wk_val_unref(m, v);
    return fresh;
}
