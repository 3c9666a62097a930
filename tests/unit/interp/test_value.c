/* test_value.c - shell strings */
#include "interp/value.h"

#include <criterion/criterion.h>

Test(value, store_reuses_an_unshared_block)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_val *v = wk_val_new(m, WK_STR("hello"));
    cr_assert(v && v->n == 5 && v->p[5] == '\0');
    struct wk_val *same = wk_val_store(m, v, WK_STR("bye"));
    cr_assert_eq(same, v);
    cr_assert_str_eq(v->p, "bye");
    wk_val_ref(v);
    struct wk_val *other = wk_val_store(m, v, WK_STR("new"));
    cr_assert_neq(other, v);
    cr_assert_str_eq(v->p, "bye");
    cr_assert_eq(v->refs, 1);
    wk_val_unref(m, v);
    wk_val_unref(m, other);
    cr_assert_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
}

Test(value, store_from_inside_itself)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_val *v = wk_val_new(m, WK_STR("abcdef"));
    v = wk_val_store(m, v, wk_str(v->p + 2, 3));
    cr_assert_str_eq(v->p, "cde");
    wk_val_unref(m, v);
    wk_mem_unref(m);
}

Test(value, append_copies_shared_and_doubles)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_val *v = wk_val_new(m, WK_STR("x")), *shared = wk_val_ref(v);
    cr_assert(wk_val_append(m, &v, WK_STR("y")));
    cr_assert_str_eq(v->p, "xy");
    cr_assert_str_eq(shared->p, "x");
    cr_assert(wk_val_append(m, &v, wk_val_str(v)));
    cr_assert_str_eq(v->p, "xyxy");
    uint64_t before = m->count;
    for (int i = 0; i < 100000; i++)
        cr_assert(wk_val_append(m, &v, WK_STR("z")));
    cr_assert_eq(v->n, 100004);
    cr_assert_lt(m->count - before, 64, "%llu allocations",
                 (unsigned long long)(m->count - before));
    wk_val_unref(m, v);
    wk_val_unref(m, shared);
    cr_assert_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
}

Test(value, refusals_leave_the_value)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_val *v = wk_val_new(m, WK_STR("abc"));
    m->fail_at = m->count + 1;
    m->fail_forever = true;
    char big[300] = {0};
    cr_assert_null(wk_val_store(m, v, wk_str(big, sizeof big)));
    cr_assert_not(wk_val_append(m, &v, wk_str(big, sizeof big)));
    cr_assert_str_eq(v->p, "abc");
    m->fail_at = 0;
    wk_val_unref(m, v);
    cr_assert_null(wk_val_alloc(m, (size_t)WK_VAL_MAX + 1));
    wk_mem_unref(m);
}
