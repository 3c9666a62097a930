/* sort.c - stable merge sort that can be stopped
 *
 * Short runs are sorted by insertion, then merged bottom-up. A merge copies only its left half to
 * the scratch, and is skipped when the two halves stand in order already, so sorted input costs n
 * comparisons for the runs and n/RUN for the merges.
 */
#include "base/sort.h"
#include "base/err.h"

#include <string.h>

enum { RUN = 8, STEP_EVERY = 1024 };

struct sorter {
    const struct wk_sort *how;
    char *base, *scratch;
    size_t size;
    size_t compared; /* since the last step */
    int stopped;
};

static int compare(struct sorter *s, const void *a, const void *b)
{
    if (++s->compared >= STEP_EVERY) {
        if (s->how->step && !s->stopped)
            s->stopped = s->how->step(s->how->ctx, s->compared);
        s->compared = 0;
    }
    return s->how->cmp(s->how->ctx, a, b);
}

/* Pointers are what is sorted nearly always: a load and a store for them, not a call. */
static inline void move(char *dst, const char *src, size_t size)
{
    if (WK_LIKELY(size == sizeof(void *)))
        memcpy(dst, src, sizeof(void *));
    else
        memcpy(dst, src, size);
}

static void insertion(struct sorter *s, char *lo, size_t n, char *hold)
{
    for (size_t i = 1; i < n && !s->stopped; i++) {
        char *at = lo + i * s->size;
        char *to = at;
        while (to > lo && compare(s, to - s->size, at) > 0)
            to -= s->size;
        if (to == at)
            continue;
        move(hold, at, s->size);
        memmove(to + s->size, to, (size_t)(at - to));
        move(to, hold, s->size);
    }
}

/* Merges [lo, mid) and [mid, hi); the scratch has room for the left part. */
static void merge(struct sorter *s, char *lo, char *mid, char *hi)
{
    const size_t size = s->size;
    if (compare(s, mid - size, mid) <= 0)
        return;
    size_t left_bytes = (size_t)(mid - lo);
    memcpy(s->scratch, lo, left_bytes);
    const char *left = s->scratch, *left_end = s->scratch + left_bytes;
    const char *right = mid;
    char *out = lo;
    while (left < left_end && right < hi && !s->stopped) {
        if (compare(s, left, right) <= 0) {
            move(out, left, size);
            left += size;
        } else {
            move(out, right, size);
            right += size;
        }
        out += size;
    }
    /* What is left on the right already stands in its place; the same when stopped. */
    memcpy(out, left, (size_t)(left_end - left));
}

int wk_sort(struct wk_mem *m, void *base, size_t n, size_t size, const struct wk_sort *how)
{
    if (n < 2 || size == 0)
        return 0;
    /* The widest left half is the greatest RUN * 2^k below n. */
    size_t half = RUN;
    while (half < n - half && half <= n / 2)
        half *= 2;
    size_t room = n <= RUN ? 1 : WK_MIN(half, n);
    struct sorter s = {.how = how, .base = base, .size = size};
    if (room > SIZE_MAX / size || !(s.scratch = wk_alloc(m, room * size)))
        return -WK_ENOMEM;
    for (size_t i = 0; i < n && !s.stopped; i += RUN)
        insertion(&s, s.base + i * size, WK_MIN((size_t)RUN, n - i), s.scratch);
    for (size_t width = RUN; width < n && !s.stopped; width *= 2)
        for (size_t i = 0; n - i > width && !s.stopped; i += WK_MIN(2 * width, n - i))
            merge(&s, s.base + i * size, s.base + (i + width) * size,
                  s.base + WK_MIN(n, i + 2 * width) * size);
    wk_free(m, s.scratch);
    return s.stopped;
}
