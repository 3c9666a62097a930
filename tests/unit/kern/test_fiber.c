/* test_fiber.c - fibers: switching, drops, further segments, the library stack */
#include "kern/fiber.h"

#include <criterion/criterion.h>

struct ground {
    struct wk_mem *mem;
    struct wk_stacks *stacks;
    struct wk_fiber *f;
    int turns, depth, left;
};

static void turn(void *arg)
{
    struct ground *g = arg;
    for (int i = 0; i < 3; i++) {
        g->turns++;
        wk_fiber_yield(g->f);
    }
    wk_fiber_finish(g->f);
}

static struct ground open_ground(size_t limit)
{
    return (struct ground){.mem = wk_mem_new(limit), .stacks = wk_stacks_new(4)};
}

static void close_ground(struct ground *g)
{
    cr_expect_eq(g->mem->used, 0);
    wk_stacks_free(g->stacks);
    wk_mem_unref(g->mem);
}

Test(fiber, yields_and_finishes)
{
    struct ground g = open_ground(1 << 20);
    cr_assert_eq(wk_fiber_new(g.stacks, g.mem, turn, &g, &g.f), 0);
    for (int i = 0; i < 4; i++)
        wk_fiber_resume(g.f);
    cr_expect_eq(g.turns, 3);
    wk_fiber_free(g.f);
    close_ground(&g);
}

Test(fiber, dropped_a_hundred_thousand_times)
{
    struct ground g = open_ground(1 << 20);
    for (int i = 0; i < 100000; i++) {
        cr_assert_eq(wk_fiber_new(g.stacks, g.mem, turn, &g, &g.f), 0);
        wk_fiber_resume(g.f);
        wk_fiber_free(g.f);
    }
    cr_expect_eq(g.turns, 100000);
    close_ground(&g);
}

static int descend(void *arg)
{
    struct ground *g = arg;
    int below = 0;
    g->depth++;
    if (--g->left > 0 && wk_fiber_extend(g->f, descend, g, &below) != 0)
        return -1;
    return below < 0 ? below : 7;
}

static void dive(void *arg)
{
    struct ground *g = arg;
    int r = 0;
    (void)wk_fiber_extend(g->f, descend, g, &r);
    g->turns = r;
    wk_fiber_finish(g->f);
}

Test(fiber, segments_nest_until_the_account_refuses)
{
    struct ground g = open_ground(SIZE_MAX);
    g.left = 50;
    cr_assert_eq(wk_fiber_new(g.stacks, g.mem, dive, &g, &g.f), 0);
    wk_fiber_resume(g.f);
    cr_expect_eq(g.turns, 7);
    cr_expect_eq(g.depth, 50);
    wk_fiber_free(g.f);
    g.mem->limit = 10 * WK_STACK_BYTES;
    g.left = 50;
    g.depth = 0;
    cr_assert_eq(wk_fiber_new(g.stacks, g.mem, dive, &g, &g.f), 0);
    wk_fiber_resume(g.f);
    cr_expect_eq(g.turns, -1);
    cr_expect_eq(g.depth, 9);
    wk_fiber_free(g.f);
    close_ground(&g);
}

static int big_frame(void *arg)
{
    volatile char big[1 << 20];
    big[0] = 1;
    big[sizeof big - 1] = 2;
    *(int *)arg = big[0] + big[sizeof big - 1];
    return 5;
}

static void call_library(void *arg)
{
    struct ground *g = arg;
    int r = 0;
    (void)wk_fiber_lib_call(g->f, big_frame, &g->depth, &r);
    g->turns = r;
    wk_fiber_finish(g->f);
}

Test(fiber, library_stack_has_a_megabyte_to_spare)
{
    struct ground g = open_ground(1 << 20);
    cr_assert_eq(wk_fiber_new(g.stacks, g.mem, call_library, &g, &g.f), 0);
    wk_fiber_resume(g.f);
    cr_expect_eq(g.turns, 5);
    cr_expect_eq(g.depth, 3);
    wk_fiber_free(g.f);
    close_ground(&g);
}
