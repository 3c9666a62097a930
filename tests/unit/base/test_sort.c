/* test_sort.c - stable, bounded, stoppable */
#include "base/err.h"
#include "base/rng.h"
#include "base/sort.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

struct item {
    int key;
    int at;
    char pad;
};

struct counts {
    size_t compared, stepped;
    size_t stop_after;
};

static int by_key(void *ctx, const void *a, const void *b)
{
    struct counts *c = ctx;
    const struct item *x = a, *y = b;
    c->compared++;
    return x->key < y->key ? -1 : x->key > y->key;
}

static int step(void *ctx, size_t n)
{
    struct counts *c = ctx;
    c->stepped += n;
    return c->stop_after && c->stepped >= c->stop_after ? -WK_ESTOP : 0;
}

Test(sort, is_stable_and_bounded)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_rng r;
    wk_rng_seed(&r, 2);
    static struct item v[5000];
    for (size_t n = 0; n < 5000; n += n < 40 ? 1 : 331) {
        for (int kind = 0; kind < 4; kind++) {
            for (size_t i = 0; i < n; i++)
                v[i] = (struct item){.key = kind == 0   ? (int)wk_rng_below(&r, 1000)
                                            : kind == 1 ? (int)i
                                            : kind == 2 ? -(int)i
                                                        : (int)wk_rng_below(&r, 3),
                                     .at = (int)i};
            struct counts c = {0};
            struct wk_sort how = {by_key, step, &c};
            cr_assert_eq(wk_sort(m, v, n, sizeof v[0], &how), 0);
            for (size_t i = 1; i < n; i++)
                cr_assert(v[i - 1].key < v[i].key ||
                          (v[i - 1].key == v[i].key && v[i - 1].at < v[i].at));
            cr_assert_leq((double)c.compared, (double)n * log2((double)n + 1) + 2 * (double)n);
            if (kind == 1)
                cr_assert_leq(c.compared, n + n / 7);
        }
    }
    cr_assert_eq(m->used, 0);
    wk_mem_unref(m);
}

Test(sort, stops_with_all_elements_there)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_rng r;
    wk_rng_seed(&r, 2);
    static struct item v[20000];
    static char seen[20000];
    for (size_t i = 0; i < 20000; i++)
        v[i] = (struct item){.key = (int)wk_rng_below(&r, 1000000), .at = (int)i};
    struct counts c = {.stop_after = 200000};
    struct wk_sort how = {by_key, step, &c};
    cr_assert_eq(wk_sort(m, v, 20000, sizeof v[0], &how), -WK_ESTOP);
    cr_assert_leq(c.compared, 202048);
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < 20000; i++)
        seen[v[i].at]++;
    for (size_t i = 0; i < 20000; i++)
        cr_assert_eq(seen[i], 1);
    cr_assert_eq(m->used, 0);
    m->count = 0;
    m->fail_at = 1;
    cr_assert_eq(wk_sort(m, v, 20000, sizeof v[0], &how), -WK_ENOMEM);
    wk_mem_unref(m);
}

static int by_nothing(void *ctx, const void *a, const void *b)
{
    (void)a, (void)b;
    return (int)wk_rng_below(ctx, 3) - 1;
}

Test(sort, a_senseless_order_is_survived)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_rng r;
    wk_rng_seed(&r, 2);
    void *v[1000];
    for (size_t i = 0; i < 1000; i++)
        v[i] = &v[i];
    struct wk_sort how = {by_nothing, NULL, &r};
    cr_assert_eq(wk_sort(m, v, 1000, sizeof v[0], &how), 0);
    wk_mem_unref(m);
}
