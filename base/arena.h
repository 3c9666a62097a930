/* arena.h - bump region: many small blocks, freed together
 *
 * Blocks are aligned to 8, not to 16. Not thread-safe;
 * owned by one account's owner.
 */
#ifndef WK_BASE_ARENA_H
#define WK_BASE_ARENA_H

#include "base/mem.h"
#include "base/str.h"

struct wk_arena_chunk;

struct wk_arena {
    struct wk_mem *mem;
    struct wk_arena_chunk *chunks; /* newest first */
    struct wk_arena_chunk *spare;  /* kept by a rewind for the next block that needs a chunk */
    char *cur, *end;
    size_t next_size;
};

struct wk_arena_mark {
    struct wk_arena_chunk *chunk;
    char *cur;
};

/* Sets up an empty arena; allocates nothing. */
void wk_arena_init(struct wk_arena *a, struct wk_mem *m);
/* Frees every block; the arena is empty and usable again. */
void wk_arena_release(struct wk_arena *a);
/* Slow half of wk_arena_alloc. */
void *wk_arena_more(struct wk_arena *a, size_t n);
/* Zeroed variant. */
WK_NODISCARD void *wk_arena_zalloc(struct wk_arena *a, size_t n);
/* NUL-terminated copy. */
WK_NODISCARD char *wk_arena_strndup(struct wk_arena *a, const char *p, size_t n);

#if WK_ASAN
void __asan_poison_memory_region(void const volatile *p, size_t n);
void __asan_unpoison_memory_region(void const volatile *p, size_t n);
#define WK_ARENA_OPEN(p, n) __asan_unpoison_memory_region((p), (n))
#define WK_ARENA_SHUT(p, n) __asan_poison_memory_region((p), (n))
#else
#define WK_ARENA_OPEN(p, n) ((void)0)
#define WK_ARENA_SHUT(p, n) ((void)0)
#endif

/* n bytes, uninitialised; n = 0 gives a block of its own. NULL when refused. */
WK_NODISCARD static inline void *wk_arena_alloc(struct wk_arena *a, size_t n)
{
    size_t need = (n + 7) & ~(size_t)7;
    if (WK_LIKELY(need - 1 < (size_t)(a->end - a->cur))) { /* 0, also by overflow, goes slow */
        void *p = a->cur;
        a->cur += need;
        WK_ARENA_OPEN(p, n); /* a read past its end is then reported */
        return p;
    }
    return wk_arena_more(a, n);
}

#define WK_ARENA_NEW(a, type) ((type *)wk_arena_zalloc((a), sizeof(type)))

/* Remember the present end, and go back to it: all blocks made since are gone. One chunk of theirs, of at
 * most 64 KiB, stays with the arena until its release. */
struct wk_arena_mark wk_arena_mark(const struct wk_arena *a);
void wk_arena_rewind(struct wk_arena *a, struct wk_arena_mark m);

#endif
