/* mem.c - accounts and accounted memory */
#include "base/mem.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

struct wk_mem *wk_mem_new(size_t limit)
{
    struct wk_mem *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->limit = limit;
    atomic_init(&m->credits, 0);
    atomic_init(&m->refs, 1);
    return m;
}

struct wk_mem *wk_mem_ref(struct wk_mem *m)
{
    atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}

void wk_mem_unref(struct wk_mem *m)
{
    if (m && atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) == 1)
        free(m);
}

size_t wk_mem_used(struct wk_mem *m)
{
    if (atomic_load_explicit(&m->credits, memory_order_relaxed) != 0)
        m->used -= atomic_exchange_explicit(&m->credits, 0, memory_order_relaxed);
    return m->used;
}

static size_t ceiling(const struct wk_mem *m)
{
    if (!m->in_reserve)
        return m->limit;
    return m->limit > SIZE_MAX - m->reserve ? SIZE_MAX : m->limit + m->reserve;
}

/* The slow half of a charge: fold credits in, then refuse for good. */
static WK_COLD bool charge_tight(struct wk_mem *m, size_t n)
{
    size_t top = ceiling(m);
    for (int turn = 0; turn < 2; turn++) {
        size_t used = wk_mem_used(m);
        if (used <= top && n <= top - used)
            return true;
        if (turn || !m->reclaim)
            break;
        m->reclaim(m->reclaim_ctx);
    }
    m->breached = true;
    return false;
}

bool wk_mem_charge(struct wk_mem *m, size_t n)
{
    if (WK_UNLIKELY(m->used > m->limit || n > m->limit - m->used) && !charge_tight(m, n))
        return false;
    m->used += n;
    if (m->used > m->peak)
        m->peak = m->used;
    return true;
}

void wk_mem_credit(struct wk_mem *m, size_t n)
{
    m->used -= n;
}

void wk_mem_credit_shared(struct wk_mem *m, size_t n)
{
    atomic_fetch_add_explicit(&m->credits, n, memory_order_relaxed);
}

static bool fault_due(struct wk_mem *m)
{
    m->count++;
    if (WK_LIKELY(m->fail_at == 0))
        return false;
    return m->count == m->fail_at || (m->fail_forever && m->count > m->fail_at);
}

/* More than any machine has: refused here, since a sanitizer's malloc would end the process. */
static const size_t absurd = (size_t)1 << 38;

/* Asked for before malloc, so that a huge request costs nothing; corrected to the usable size. */
void *wk_alloc(struct wk_mem *m, size_t n)
{
    if (fault_due(m) || n > absurd || !wk_mem_charge(m, n))
        return NULL;
    void *p = malloc(n ? n : 1);
    if (!p) {
        m->used -= n;
        return NULL;
    }
    m->used += malloc_usable_size(p) - n;
    return p;
}

void *wk_zalloc(struct wk_mem *m, size_t n)
{
    if (fault_due(m) || n > absurd || !wk_mem_charge(m, n))
        return NULL;
    void *p = calloc(1, n ? n : 1);
    if (!p) {
        m->used -= n;
        return NULL;
    }
    m->used += malloc_usable_size(p) - n;
    return p;
}

void *wk_calloc(struct wk_mem *m, size_t count, size_t size)
{
    size_t n;
    if (__builtin_mul_overflow(count, size, &n))
        return NULL;
    return wk_zalloc(m, n);
}

void *wk_realloc(struct wk_mem *m, void *p, size_t n)
{
    if (!p)
        return wk_alloc(m, n);
    size_t old = malloc_usable_size(p);
    if (fault_due(m) || n > absurd || (n > old && !wk_mem_charge(m, n - old)))
        return NULL;
    void *q = realloc(p, n ? n : 1);
    if (!q) {
        if (n > old)
            m->used -= n - old;
        return NULL;
    }
    size_t charged = n > old ? n : old;
    m->used += malloc_usable_size(q) - charged;
    return q;
}

void wk_free(struct wk_mem *m, void *p)
{
    if (!p)
        return;
    m->used -= malloc_usable_size(p);
    free(p);
}

void wk_free_shared(struct wk_mem *m, void *p)
{
    if (!p)
        return;
    wk_mem_credit_shared(m, malloc_usable_size(p));
    free(p);
}

char *wk_strndup(struct wk_mem *m, const char *p, size_t n)
{
    if (n == SIZE_MAX)
        return NULL;
    char *q = wk_alloc(m, n + 1);
    if (!q)
        return NULL;
    if (n)
        memcpy(q, p, n);
    q[n] = '\0';
    return q;
}

bool wk_vec_grow(struct wk_mem *m, void *ptr, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return true;
    size_t n = *cap < 8 ? 8 : *cap;
    while (n < need) {
        if (n > SIZE_MAX / 2)
            return false;
        n *= 2;
    }
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        return false;
    void *old;
    memcpy(&old, ptr, sizeof old);
    void *p = wk_realloc(m, old, bytes);
    if (!p)
        return false;
    memcpy(ptr, &p, sizeof p);
    *cap = n;
    return true;
}
