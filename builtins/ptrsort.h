/* ptrsort.h - stable sort of pointers for commands: scratch in the process heap, may be dropped */
#ifndef WK_BUILTINS_PTRSORT_H
#define WK_BUILTINS_PTRSORT_H

#include "kern/cmd.h"

/* Sorts v[0..n) with at most n*log2(n) comparisons, counted as work. P */
void wk_ptr_sort(struct wk_cmd *c, const void **v, size_t n,
                 int (*cmp)(void *ctx, const void *a, const void *b), void *ctx);

#endif
