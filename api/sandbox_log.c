/* sandbox_log.c - output of a process that is kept: its beginning and its end, in bounded room */
#include "api/sandbox_inprocess.h"

enum { FIRST_TAIL = 64 * 1024 };

void wk_inproc_log_init(struct wk_inproc_log *l, struct wk_mem *m, uint64_t each)
{
    *l = (struct wk_inproc_log){.mem = m, .each = WK_MIN(each, (uint64_t)SIZE_MAX / 4)};
    l->tail_max = (size_t)l->each;
    wk_buf_init(&l->head, m, (size_t)l->each);
}

void wk_inproc_log_release(struct wk_inproc_log *l)
{
    wk_buf_release(&l->head);
    wk_free(l->mem, l->tail);
    l->tail = NULL;
    l->tail_cap = 0;
}

/* A larger ring while it has not yet come round. Without memory it stays as it is. */
static void grow(struct wk_inproc_log *l, uint64_t need)
{
    while (l->tail_cap < l->tail_max && l->tail_cap < need) {
        size_t cap = l->tail_cap ? l->tail_cap : FIRST_TAIL / 2;
        cap = cap > l->tail_max / 2 ? l->tail_max : cap * 2;
        char *t = wk_realloc(l->mem, l->tail, cap);
        if (!t) {
            l->tail_max = l->tail_cap;
            return;
        }
        l->tail = t;
        l->tail_cap = cap;
    }
}

static void put_tail(struct wk_inproc_log *l, const char *p, size_t n)
{
    grow(l, l->total - l->tail_base + n);
    uint64_t at = l->total;
    l->total += n;
    if (!l->tail_cap)
        return;
    if (n > l->tail_cap) {
        p += n - l->tail_cap;
        at += n - l->tail_cap;
        n = l->tail_cap;
    }
    size_t from = (size_t)((at - l->tail_base) % l->tail_cap), first = WK_MIN(n, l->tail_cap - from);
    memcpy(l->tail + from, p, first);
    memcpy(l->tail, p + first, n - first);
}

void wk_inproc_log_put(struct wk_inproc_log *l, const char *p, size_t n)
{
    if (!l->head_full) {
        size_t take = (size_t)WK_MIN((uint64_t)n, l->each - l->head.n);
        if (take && wk_buf_put(&l->head, p, take)) {
            l->total += take;
            p += take;
            n -= take;
        }
        l->head_full = n > 0;
        l->tail_base = l->total;
    }
    if (n)
        put_tail(l, p, n);
}

struct wk_str wk_inproc_log_get(const struct wk_inproc_log *l, uint64_t offset, size_t most, uint64_t *at,
                                uint64_t *lost)
{
    *lost = 0;
    *at = offset;
    if (offset < l->head.n)
        return wk_str(l->head.p + offset, WK_MIN(l->head.n - (size_t)offset, most));
    uint64_t kept = l->total - l->tail_base;
    kept = WK_MIN(kept, (uint64_t)l->tail_cap);
    uint64_t from = WK_MAX(offset, l->total - kept);
    if (offset >= l->total) {
        *at = l->total;
        return wk_str("", 0);
    }
    *lost = from - offset;
    *at = from;
    if (from == l->total)
        return wk_str("", 0);
    size_t pos = (size_t)((from - l->tail_base) % l->tail_cap);
    uint64_t left = WK_MIN(l->total - from, (uint64_t)(l->tail_cap - pos));
    return wk_str(l->tail + pos, (size_t)WK_MIN(left, (uint64_t)most));
}
