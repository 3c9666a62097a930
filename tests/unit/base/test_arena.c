/* test_arena.c - bump regions */
#include "base/arena.h"

#include <criterion/criterion.h>

Test(arena, blocks_are_apart_and_aligned)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_arena a;
    wk_arena_init(&a, m);
    char *last = NULL;
    for (size_t i = 0; i < 3000; i++) {
        size_t n = i % 70;
        char *p = wk_arena_alloc(&a, n);
        cr_assert(p && p != last);
        cr_assert_eq((uintptr_t)p % 8, 0);
        memset(p, 0x55, n);
        last = p;
    }
    cr_assert(wk_arena_alloc(&a, 1 << 20));
    cr_assert_null(wk_arena_alloc(&a, SIZE_MAX));
    cr_assert_null(wk_arena_alloc(&a, SIZE_MAX - 6));
    cr_assert_null(wk_arena_alloc(&a, SIZE_MAX / 2 + 1));
    cr_assert_str_eq(wk_arena_strndup(&a, "hello", 4), "hell");
    cr_assert_null(wk_arena_strndup(&a, "", SIZE_MAX));
    const char *z = wk_arena_zalloc(&a, 100);
    for (size_t i = 0; i < 100; i++)
        cr_assert_eq(z[i], 0);
    wk_arena_release(&a);
    cr_assert_eq(m->used, 0);
    cr_assert(wk_arena_alloc(&a, 0));
    wk_arena_release(&a);
    wk_mem_unref(m);
}

Test(arena, rewinding_gives_back)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_arena a;
    wk_arena_init(&a, m);
    struct wk_arena_mark empty = wk_arena_mark(&a);
    char *first = wk_arena_alloc(&a, 16);
    memcpy(first, "kept", 5);
    struct wk_arena_mark mark = wk_arena_mark(&a);
    size_t used = m->used, kept = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1000; i++)
            cr_assert(wk_arena_alloc(&a, 100));
        wk_arena_rewind(&a, mark);
        size_t spare = m->used - used; /* one chunk, the same each time */
        cr_assert(spare <= 8192 && (round == 0 || spare == kept), "round %d: %zu", round, spare);
        kept = spare;
        cr_assert_str_eq(first, "kept");
    }
    wk_arena_rewind(&a, empty);
    cr_assert_leq(m->used, 8192);
    cr_assert(wk_arena_alloc(&a, 16));
    wk_arena_release(&a);
    cr_assert_eq(m->used, 0);
    wk_mem_unref(m);
}

Test(arena, every_allocation_may_fail)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    for (uint64_t at = 1;; at++) {
        struct wk_arena a;
        wk_arena_init(&a, m);
        m->count = 0;
        m->fail_at = at;
        size_t got = 0;
        for (size_t i = 0; i < 400; i++) {
            char *p = wk_arena_zalloc(&a, i);
            got += p != NULL;
        }
        m->fail_at = 0;
        wk_arena_release(&a);
        cr_assert_eq(m->used, 0);
        if (got == 400)
            break;
        cr_assert_geq(got, 399); /* one refused, all others served */
    }
    wk_mem_unref(m);
}

/* The end of a chunk crossed over and over keeps one chunk for it. */
Test(arena, rewinds_at_the_edge_of_a_chunk_do_not_grow_it)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_arena a;
    wk_arena_init(&a, m);
    cr_assert_not_null(wk_arena_alloc(&a, 1000));
    size_t most = 0;
    for (int i = 0; i < 100; i++) {
        struct wk_arena_mark mark = wk_arena_mark(&a);
        cr_assert_not_null(wk_arena_alloc(&a, 100));
        if (m->used > most)
            most = m->used;
        wk_arena_rewind(&a, mark);
    }
    cr_expect_lt(most, 8192);
    wk_arena_release(&a);
    cr_expect_eq(m->used, 0);
    wk_mem_unref(m);
}
