/* ptrsort.c - stable sort of pointers for commands: scratch in the process heap, may be dropped */
#include "builtins/ptrsort.h"

void wk_ptr_sort(struct wk_cmd *c, const void **v, size_t n,
                 int (*cmp)(void *ctx, const void *a, const void *b), void *ctx)
{
    enum { RUN = 8 };
    for (size_t at = 0; at < n; at += RUN) {
        size_t end = n - at < RUN ? n : at + RUN;
        for (size_t i = at + 1; i < end; i++) {
            const void *x = v[i];
            size_t k = i;
            for (; k > at && cmp(ctx, x, v[k - 1]) < 0; k--)
                v[k] = v[k - 1];
            v[k] = x;
        }
        wk_tick(c, RUN * 2);
    }
    if (n <= RUN)
        return;
    const void **scratch = (const void **)wk_heap_calloc(c->heap, n, sizeof *v), **from = v;
    const void **to = scratch;
    for (size_t run = RUN; run < n; run *= 2) {
        for (size_t at = 0; at < n; at += 2 * run) {
            size_t mid = n - at < run ? n : at + run, end = n - at < 2 * run ? n : at + 2 * run;
            size_t a = at, b = mid, k = at;
            if (mid < end && cmp(ctx, from[mid - 1], from[mid]) <= 0)
                b = end; /* in order already: copied below */
            if (b == end && mid < end) {
                memcpy(to + at, from + at, (end - at) * sizeof *to);
                continue;
            }
            while (a < mid && b < end) {
                to[k++] = cmp(ctx, from[b], from[a]) < 0 ? from[b++] : from[a++];
                if ((k & 255) == 0)
                    wk_tick(c, 256);
            }
            while (a < mid)
                to[k++] = from[a++];
            while (b < end)
                to[k++] = from[b++];
            wk_tick(c, (uint32_t)(run > 4096 ? 4096 : run));
        }
        const void **swap = from;
        from = to;
        to = swap;
    }
    if (from != v)
        memcpy(v, from, n * sizeof *v);
    wk_heap_free(c->heap, scratch);
}
