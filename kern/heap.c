/* heap.c - process heaps of leaf commands: allocation that ends the process when refused */
#include "kern/heap.h"

#include "kern/proc.h"

struct block {
    struct block *next, *prev;
};

struct owned {
    struct owned *next;
    void *obj;
    void (*release)(void *obj);
};

struct wk_heap {
    struct wk_task *task;
    struct wk_mem *mem;
    struct block blocks; /* ring */
    struct owned *owned;
    struct wk_arena bump;
};

struct wk_heap *wk_heap_new(struct wk_task *t, struct wk_mem *m)
{
    struct wk_heap *h = WK_NEW(m, struct wk_heap);
    if (!h)
        return NULL;
    h->task = t;
    h->mem = m;
    h->blocks.next = h->blocks.prev = &h->blocks;
    wk_arena_init(&h->bump, m);
    return h;
}

void wk_heap_drop(struct wk_heap *h)
{
    while (h->owned) {
        struct owned *o = h->owned; /* lies in the bump region */
        h->owned = o->next;
        o->release(o->obj);
    }
    while (h->blocks.next != &h->blocks) {
        struct block *b = h->blocks.next;
        h->blocks.next = b->next;
        wk_free(h->mem, b);
    }
    wk_arena_release(&h->bump);
    wk_free(h->mem, h);
}

void wk_heap_exhausted(struct wk_heap *h)
{
    struct wk_task *t = h->task;
    (void)wk_kern_breach(t->k, WK_LIMIT_MEMORY);
    for (;;) {
        wk_task_stop(t, WK_STOP_LIMIT); /* a memory fault without a breach ends it all the same */
        (void)wk_park(t, NULL, WK_FOREVER, false);
    }
}

static void *link_in(struct wk_heap *h, struct block *b)
{
    b->prev = &h->blocks;
    b->next = h->blocks.next;
    b->next->prev = b;
    h->blocks.next = b;
    return b + 1;
}

static void *track(struct wk_heap *h, struct block *b)
{
    if (!b)
        wk_heap_exhausted(h);
    return link_in(h, b);
}

void *wk_heap_try(struct wk_heap *h, size_t n)
{
    struct block *b =
        n > SIZE_MAX - sizeof *b ? NULL : wk_alloc(h->mem, n + sizeof(struct block));
    return b ? link_in(h, b) : NULL;
}

void *wk_heap_alloc(struct wk_heap *h, size_t n)
{
    return track(
        h, n > SIZE_MAX - sizeof(struct block) ? NULL : wk_alloc(h->mem, n + sizeof(struct block)));
}

void *wk_heap_zalloc(struct wk_heap *h, size_t n)
{
    return track(h, n > SIZE_MAX - sizeof(struct block)
                        ? NULL
                        : wk_zalloc(h->mem, n + sizeof(struct block)));
}

void *wk_heap_calloc(struct wk_heap *h, size_t count, size_t size)
{
    size_t n;
    if (__builtin_mul_overflow(count, size, &n))
        wk_heap_exhausted(h);
    return wk_heap_zalloc(h, n);
}

void *wk_heap_realloc(struct wk_heap *h, void *p, size_t n)
{
    if (!p)
        return wk_heap_alloc(h, n);
    struct block *b = (struct block *)p - 1;
    b->prev->next = b->next;
    b->next->prev = b->prev;
    struct block *fresh = n > SIZE_MAX - sizeof *b ? NULL : wk_realloc(h->mem, b, n + sizeof *b);
    if (!fresh) {
        track(h, b); /* to be freed with the rest */
        wk_heap_exhausted(h);
    }
    return track(h, fresh);
}

void wk_heap_free(struct wk_heap *h, void *p)
{
    if (!p)
        return;
    struct block *b = (struct block *)p - 1;
    b->prev->next = b->next;
    b->next->prev = b->prev;
    wk_free(h->mem, b);
}

char *wk_heap_strndup(struct wk_heap *h, const char *p, size_t n)
{
    char *q = wk_heap_alloc(h, n == SIZE_MAX ? n : n + 1);
    if (n)
        memcpy(q, p, n);
    q[n] = '\0';
    return q;
}

void *wk_heap_bump(struct wk_heap *h, size_t n)
{
    void *p = wk_arena_alloc(&h->bump, n);
    if (!p)
        wk_heap_exhausted(h);
    return p;
}

struct wk_mem *wk_heap_mem(struct wk_heap *h)
{
    return h->mem;
}

void wk_heap_own(struct wk_heap *h, void *obj, void (*release)(void *obj))
{
    struct owned *o = wk_arena_alloc(&h->bump, sizeof *o);
    if (!o) {
        release(obj);
        wk_heap_exhausted(h);
    }
    *o = (struct owned){h->owned, obj, release};
    h->owned = o;
}
