/* jq_pool.h - where jq's small values lie: lists of free blocks by size, over the process heap
 *
 * Owner: the process heap has it all; nothing goes back to it before the process ends but blocks above
 *        WK_JQ_POOL_MAX bytes.
 */
#ifndef WK_BUILTINS_JQ_POOL_H
#define WK_BUILTINS_JQ_POOL_H

#include "kern/cmd.h"

enum {
    WK_JQ_POOL_UNIT = 16,
    WK_JQ_POOL_CLASSES = 33,
    WK_JQ_POOL_MAX = WK_JQ_POOL_UNIT * (WK_JQ_POOL_CLASSES - 1)
};

struct jq_pool {
    struct wk_heap *heap;
    struct jq_pool_free {
        struct jq_pool_free *next;
    } *free[WK_JQ_POOL_CLASSES]; /* blocks of i units */
    char *at, *end;              /* not handed out yet */
};

void *wk_jq_pool_fill(struct jq_pool *p, size_t units);

/* What a request for n bytes gets: a sum that overflows is as much as no machine has. */
static inline size_t jq_pool_room(size_t n)
{
    return n <= SIZE_MAX / 2 ? (n + WK_JQ_POOL_UNIT - 1) & ~(size_t)(WK_JQ_POOL_UNIT - 1) : n;
}
static inline void *jq_pool_alloc(struct jq_pool *p, size_t n)
{
    size_t units = (n + WK_JQ_POOL_UNIT - 1) / WK_JQ_POOL_UNIT;
    if (WK_ASAN || units >= WK_JQ_POOL_CLASSES || n > WK_JQ_POOL_MAX)
        return wk_heap_alloc(p->heap, n);
    struct jq_pool_free *f = p->free[units];
    if (WK_UNLIKELY(!f))
        return wk_jq_pool_fill(p, units);
    p->free[units] = f->next;
    return f;
}
/* n: as it was asked for, or jq_pool_room of that. */
static inline void jq_pool_free(struct jq_pool *p, void *block, size_t n)
{
    size_t units = (n + WK_JQ_POOL_UNIT - 1) / WK_JQ_POOL_UNIT;
    if (WK_ASAN || units >= WK_JQ_POOL_CLASSES || n > WK_JQ_POOL_MAX) {
        wk_heap_free(p->heap, block);
        return;
    }
    struct jq_pool_free *f = block;
    f->next = p->free[units];
    p->free[units] = f;
}

#endif
