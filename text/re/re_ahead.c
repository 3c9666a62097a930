/* re_ahead.c - what a search learnt of the text behind its match, for the next one in the same
 * subject
 *
 * The longest match is known when no longer one can come, which may show only at the end of the
 * subject ("a*b|a" on a's). Searches for one match after the other would each go there. So the
 * states in which a search passed every 64th byte to no avail are noted; the next one that comes
 * there in the same state need not go on. Times and memory are (bytes / 64 * different states
 * there) at most, the memory up to a bound.
 */
#include "text/re/re_dfa.h"

enum { MOST = 1 << 20 };

static uint64_t key_of(uint32_t state, size_t at)
{
    return (uint64_t)at / WK_RE_AHEAD_STEP << 28 | state | 1ull << 63;
}

static size_t slot_of(const struct wk_re_ahead *a, uint64_t key)
{
    uint64_t h = key * 0x9e3779b97f4a7c15ull;
    size_t i = (size_t)(h >> 32) & (a->cap - 1);
    while (a->table[i] && a->table[i] != key)
        i = (i + 1) & (a->cap - 1);
    return i;
}

bool wk_re_ahead_learns(const struct wk_re_ahead *a, const struct wk_re_run *run,
                        const struct wk_re_dfa *d)
{
    return run && run->same && run->learnt && run->learnt == a->series && a->d == d &&
           a->flushes == d->flushes;
}

void wk_re_ahead_begin(struct wk_re_ahead *a, struct wk_re_run *run, const struct wk_re_dfa *d)
{
    if (a->cap)
        memset(a->table, 0, a->cap * sizeof *a->table);
    a->n = a->npending = 0;
    a->d = d;
    a->flushes = d->flushes;
    run->learnt = ++a->series;
}

bool wk_re_ahead_knows(const struct wk_re_ahead *a, uint32_t state, size_t at)
{
    return a->cap && a->table[slot_of(a, key_of(state, at))];
}

void wk_re_ahead_note(struct wk_re_ahead *a, struct wk_mem *m, uint32_t state, size_t at)
{
    if (a->n + a->npending < MOST &&
        wk_vec_grow(m, &a->pending, &a->pending_cap, a->npending + 1, sizeof *a->pending))
        a->pending[a->npending++] = key_of(state, at);
}

static bool make_room(struct wk_re_ahead *a, struct wk_mem *m, size_t n)
{
    size_t cap = a->cap ? a->cap : 256, old = a->cap;
    while (cap < n * 2)
        cap *= 2;
    if (cap == old)
        return true;
    uint64_t *was = a->table, *table = wk_calloc(m, cap, sizeof *table);
    if (!table)
        return false;
    a->table = table;
    a->cap = cap;
    for (size_t i = 0; i < old; i++)
        if (was[i])
            table[slot_of(a, was[i])] = was[i];
    wk_free(m, was);
    return true;
}

void wk_re_ahead_keep(struct wk_re_ahead *a, struct wk_mem *m)
{
    /* without memory nothing is learnt, which is no error */
    for (size_t i = 0; i < a->npending && make_room(a, m, a->n + 1); i++) {
        size_t slot = slot_of(a, a->pending[i]);
        a->n += !a->table[slot];
        a->table[slot] = a->pending[i];
    }
    a->npending = 0;
}

void wk_re_ahead_release(struct wk_re_ahead *a, struct wk_mem *m)
{
    wk_free(m, a->table);
    wk_free(m, a->pending);
}
