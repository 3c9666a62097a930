/* arena.c - bump region */
#include "base/arena.h"

struct wk_arena_chunk {
    struct wk_arena_chunk *next;
    size_t size; /* of data */
    char data[];
};

enum { FIRST_CHUNK = 1008, LARGEST_CHUNK = 256 * 1024, LARGEST_SPARE = 64 * 1024 };

void wk_arena_init(struct wk_arena *a, struct wk_mem *m)
{
    *a = (struct wk_arena){.mem = m, .next_size = FIRST_CHUNK};
}

void wk_arena_release(struct wk_arena *a)
{
    while (a->chunks) {
        struct wk_arena_chunk *c = a->chunks;
        a->chunks = c->next;
        wk_free(a->mem, c);
    }
    wk_free(a->mem, a->spare);
    a->spare = NULL;
    a->cur = a->end = NULL;
    a->next_size = FIRST_CHUNK;
}

static void *open_chunk(struct wk_arena *a, struct wk_arena_chunk *c, size_t n)
{
    c->next = a->chunks;
    a->chunks = c;
    a->cur = c->data + ((n + 7) & ~(size_t)7);
    a->end = c->data + c->size;
    WK_ARENA_OPEN(c->data, n);
    WK_ARENA_SHUT(c->data + n, c->size - n);
    return c->data;
}

void *wk_arena_more(struct wk_arena *a, size_t n)
{
    size_t need = (n + 7) & ~(size_t)7;
    if (n == 0)
        return wk_arena_alloc(a, 1);
    if (need < n)
        return NULL;
    struct wk_arena_chunk *c = a->spare;
    if (c && c->size >= need) {
        a->spare = NULL;
        return open_chunk(a, c, n);
    }
    size_t size = need > a->next_size ? need : a->next_size;
    size_t total;
    if (__builtin_add_overflow(size, sizeof(struct wk_arena_chunk), &total))
        return NULL;
    c = wk_alloc(a->mem, total);
    if (!c)
        return NULL;
    c->size = size;
    if (a->next_size < LARGEST_CHUNK)
        a->next_size *= 2;
    return open_chunk(a, c, n);
}

void *wk_arena_zalloc(struct wk_arena *a, size_t n)
{
    void *p = wk_arena_alloc(a, n);
    if (p)
        memset(p, 0, n);
    return p;
}

char *wk_arena_strndup(struct wk_arena *a, const char *p, size_t n)
{
    if (n == SIZE_MAX)
        return NULL;
    char *q = wk_arena_alloc(a, n + 1);
    if (!q)
        return NULL;
    if (n)
        memcpy(q, p, n);
    q[n] = '\0';
    return q;
}

struct wk_arena_mark wk_arena_mark(const struct wk_arena *a)
{
    return (struct wk_arena_mark){a->chunks, a->cur};
}

/* Takes the newest chunk off. Work that marks, crosses the end of a chunk and rewinds, over and over,
 * must not cost an allocation each time, nor let the chunks grow: the first chunk after the mark
 * stays as the spare, and growth resumes from its size. */
static void drop_chunk(struct wk_arena *a)
{
    struct wk_arena_chunk *c = a->chunks;
    a->chunks = c->next;
    if (c->size < a->next_size)
        a->next_size = c->size < FIRST_CHUNK ? FIRST_CHUNK : c->size;
    if (c->size > LARGEST_SPARE) {
        wk_free(a->mem, c);
        return;
    }
    wk_free(a->mem, a->spare);
    a->spare = c;
    WK_ARENA_SHUT(c->data, c->size);
}

void wk_arena_rewind(struct wk_arena *a, struct wk_arena_mark m)
{
    while (a->chunks != m.chunk)
        drop_chunk(a);
    a->cur = m.cur;
    a->end = m.chunk ? m.chunk->data + m.chunk->size : NULL;
    if (a->cur)
        WK_ARENA_SHUT(a->cur, (size_t)(a->end - a->cur));
}
