/* test_names.c - the intern table */
#include "interp/names.h"

#include <criterion/criterion.h>
#include <stdio.h>

Test(names, numbers_are_dense_and_stable)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_names *t = wk_names_new(m, 42);
    char buf[32];
    for (uint32_t i = 0; i < 20000; i++) {
        int n = snprintf(buf, sizeof buf, "name_%u", i);
        cr_assert_eq(wk_names_intern(t, wk_str(buf, (size_t)n)), i);
    }
    const char *p = wk_names_str(t, 7).p;
    for (uint32_t i = 0; i < 20000; i++) {
        int n = snprintf(buf, sizeof buf, "name_%u", i);
        cr_assert_eq(wk_names_intern(t, wk_str(buf, (size_t)n)), i);
        cr_assert_eq(wk_names_find(t, wk_str(buf, (size_t)n)), i);
        cr_assert(wk_str_eq(wk_names_str(t, i), wk_str(buf, (size_t)n)));
    }
    cr_assert_eq(wk_names_str(t, 7).p, p);
    cr_assert_eq(wk_names_count(t), 20000);
    wk_names_free(t);
    cr_assert_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
}

Test(names, any_bytes_and_empty)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_names *t = wk_names_new(m, 1);
    uint32_t a = wk_names_intern(t, wk_str("a\0b", 3));
    uint32_t b = wk_names_intern(t, wk_str("a\0c", 3));
    uint32_t e = wk_names_intern(t, wk_str(NULL, 0));
    cr_assert_neq(a, b);
    cr_assert_eq(wk_names_intern(t, wk_str("", 0)), e);
    cr_assert_eq(wk_names_find(t, WK_STR("none")), WK_NAME_NONE);
    cr_assert_eq(wk_names_str(t, 99).n, 0);
    wk_names_free(t);
    wk_mem_unref(m);
}

Test(names, refused_memory)
{
    for (uint64_t k = 1; k < 40; k++) {
        struct wk_mem *m = wk_mem_new(SIZE_MAX);
        m->fail_at = k;
        struct wk_names *t = wk_names_new(m, 1);
        if (t) {
            char buf[16];
            for (int i = 0; i < 300; i++) {
                int n = snprintf(buf, sizeof buf, "n%d", i);
                uint32_t id = wk_names_intern(t, wk_str(buf, (size_t)n));
                if (id != WK_NAME_NONE)
                    cr_assert(wk_str_eq(wk_names_str(t, id), wk_str(buf, (size_t)n)));
            }
        }
        wk_names_free(t);
        cr_assert_eq(wk_mem_used(m), 0);
        wk_mem_unref(m);
    }
}
