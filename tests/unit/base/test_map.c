/* test_map.c - hash map against a plain model, and with failing allocations */
#include "base/err.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/rng.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { KEYS = 500 };

static struct wk_str key_text(char buf[32], size_t i)
{
    return wk_str(buf, (size_t)snprintf(buf, 32, "%s%zu", i % 3 ? "k" : "a-longer-key-", i));
}

static void model(bool borrow)
{
    static char texts[KEYS][32];
    static struct wk_str names[KEYS];
    static size_t value[KEYS], order[KEYS]; /* 0 = absent */
    struct wk_mem *mem = wk_mem_new(SIZE_MAX);
    struct wk_map m;
    struct wk_rng r;
    size_t clock = 0;
    wk_rng_seed(&r, 1);
    wk_map_init(&m, mem, 42, borrow);
    memset(value, 0, sizeof value);
    for (size_t i = 0; i < KEYS; i++)
        names[i] = key_text(texts[i], i);
    for (int step = 0; step < 100000; step++) {
        size_t k = wk_rng_below(&r, step / 1000 % 2 ? KEYS : 20);
        if (wk_rng_below(&r, 3)) {
            if (!value[k])
                order[k] = ++clock;
            value[k] = (size_t)step + 1;
            cr_assert_eq(wk_map_set(&m, names[k], (void *)value[k]), 0);
        } else {
            cr_assert_eq((size_t)wk_map_del(&m, names[k]), value[k]);
            value[k] = 0;
        }
        k = wk_rng_below(&r, KEYS);
        cr_assert_eq((size_t)wk_map_get(&m, names[k]), value[k]);
    }
    size_t pos = 0, seen = 0, last = 0, live = 0;
    struct wk_str key;
    void *v;
    while (wk_map_next(&m, &pos, &key, &v)) {
        size_t k = 0;
        while (!wk_str_eq(names[k], key))
            k++;
        cr_assert_eq((size_t)v, value[k]);
        cr_assert_gt(order[k], last);
        last = order[k];
        seen++;
    }
    for (size_t k = 0; k < KEYS; k++)
        live += value[k] != 0;
    cr_assert_eq(seen, live);
    cr_assert_eq(m.count, live);
    cr_assert_leq(m.cap, 4 * KEYS);
    wk_map_release(&m);
    cr_assert_eq(mem->used, 0);
    wk_mem_unref(mem);
}

Test(map, agrees_with_a_plain_model)
{
    model(false);
    model(true);
}

Test(map, every_allocation_may_fail)
{
    struct wk_mem *mem = wk_mem_new(SIZE_MAX);
    for (uint64_t at = 1;; at++) {
        struct wk_map m;
        char buf[32];
        size_t refused = 0;
        wk_map_init(&m, mem, at, false);
        mem->count = 0;
        mem->fail_at = at;
        for (size_t i = 1; i < 60; i++) {
            int err = wk_map_set(&m, key_text(buf, i), (void *)i);
            cr_assert(err == 0 || err == -WK_ENOMEM);
            if (err) {
                refused++;
                cr_assert_null(wk_map_at(&m, key_text(buf, i)));
                for (size_t k = 1; k < i; k++)
                    cr_assert_eq((size_t)wk_map_get(&m, key_text(buf, k)), k);
                cr_assert_eq(wk_map_set(&m, key_text(buf, i), (void *)i), 0);
            }
        }
        mem->fail_at = 0;
        wk_map_release(&m);
        cr_assert_eq(mem->used, 0);
        if (!refused)
            break;
    }
    wk_mem_unref(mem);
}

Test(map, empty_key_and_binary_keys)
{
    struct wk_mem *mem = wk_mem_new(SIZE_MAX);
    struct wk_map m;
    int a, b;
    bool made;
    wk_map_init(&m, mem, 0, false);
    cr_assert_null(wk_map_get(&m, wk_str(NULL, 0)));
    *wk_map_put(&m, wk_str(NULL, 0), &made) = &a;
    cr_assert(made);
    *wk_map_put(&m, wk_str("\0", 1), &made) = &b;
    cr_assert(made);
    cr_assert(wk_map_put(&m, WK_STR(""), &made));
    cr_assert_not(made);
    cr_assert_eq(wk_map_get(&m, WK_STR("")), (void *)&a);
    cr_assert_eq(wk_map_get(&m, wk_str("\0", 1)), (void *)&b);
    wk_map_release(&m);
    wk_mem_unref(mem);
}

Test(map, hash_spreads)
{
    /* Counters in a row must not share low bits: chains stay short. */
    static unsigned slots[1 << 12];
    memset(slots, 0, sizeof slots);
    for (uint64_t i = 0; i < 1 << 12; i++) {
        char k[8];
        memcpy(k, &i, 8);
        slots[wk_hash64(7, wk_str(k, 8)) & 0xfff]++;
    }
    for (size_t i = 0; i < 1 << 12; i++)
        cr_assert_leq(slots[i], 10);
    cr_assert_neq(wk_hash64(1, WK_STR("abc")), wk_hash64(2, WK_STR("abc")));
    cr_assert_neq(wk_hash64(1, wk_str("\0", 1)), wk_hash64(1, wk_str("\0\0", 2)));
    cr_assert_eq(wk_fnv1(WK_STR("")), 2166136261u);
}
