/* sort.h - stable merge sort that can be stopped
 *
 * At most n*log2(n) + n comparisons, whatever the data and the compare function answer.
 */
#ifndef WK_BASE_SORT_H
#define WK_BASE_SORT_H

#include "base/mem.h"

struct wk_sort {
    /* Order of two elements: < 0, 0, > 0. */
    int (*cmp)(void *ctx, const void *a, const void *b);
    /* Called now and then with the comparisons made since the last call; anything but 0 stops the
     * sort. May be NULL. */
    int (*step)(void *ctx, size_t comparisons);
    void *ctx;
};

/* Sorts n elements of `size` bytes at base. Scratch for less than n elements comes from the
 * account. 0, -WK_ENOMEM (nothing was moved), or what `step` answered (some order of the same
 * elements). */
WK_NODISCARD int wk_sort(struct wk_mem *m, void *base, size_t n, size_t size,
                         const struct wk_sort *how);

#endif
