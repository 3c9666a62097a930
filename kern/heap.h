/* heap.h - process heap: allocation that never fails visibly
 *
 * For leaf commands only. A refused allocation breaches the memory limit and ends the process (the
 * calling fiber is parked and dropped), so callers need no checks. Everything left is freed when
 * the process ends. The symbols gate forbids these names in interp/ and builtins/shell/.
 */
#ifndef WK_KERN_HEAP_H
#define WK_KERN_HEAP_H

#include "base/arena.h"
#include "base/buf.h"

struct wk_heap;
struct wk_task;

/* For proc.c: a heap on the account; NULL when refused. */
struct wk_heap *wk_heap_new(struct wk_task *t, struct wk_mem *m);
void wk_heap_drop(struct wk_heap *h);

void *wk_heap_alloc(struct wk_heap *h, size_t n);
void *wk_heap_zalloc(struct wk_heap *h, size_t n);
/* As wk_heap_alloc, but NULL when refused: for a caller that holds what the heap does not know of
 * and has to release it before it says wk_heap_exhausted. */
void *wk_heap_try(struct wk_heap *h, size_t n);
/* count * size, overflow ends the process. */
void *wk_heap_calloc(struct wk_heap *h, size_t count, size_t size);
void *wk_heap_realloc(struct wk_heap *h, void *p, size_t n);
void wk_heap_free(struct wk_heap *h, void *p);
char *wk_heap_strndup(struct wk_heap *h, const char *p, size_t n);
/* Bump allocation, never freed singly: cheapest for small things. */
void *wk_heap_bump(struct wk_heap *h, size_t n);
/* A scratch account view for base containers (struct wk_buf, wk_map…) that leaf code uses: their
 * memory must be released by hand or registered with wk_heap_own. */
struct wk_mem *wk_heap_mem(struct wk_heap *h);
/* release(obj) is called when the heap is dropped (compiled patterns, buffers over wk_heap_mem); at
 * once, and the process ends, when there is no room to remember it. */
void wk_heap_own(struct wk_heap *h, void *obj, void (*release)(void *obj));
/* The process cannot go on for lack of memory. Ends it; does not return. */
WK_NORETURN void wk_heap_exhausted(struct wk_heap *h);

#endif
