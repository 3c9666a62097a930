/* test_base64.c - both ways */
#include "base/base64.h"
#include "base/err.h"

#include <criterion/criterion.h>

Test(base64, round_trip_and_refusals)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_buf a, b;
    wk_buf_init(&a, m, 10000);
    wk_buf_init(&b, m, 10000);
    char data[256];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 37);
    for (size_t n = 0; n <= sizeof data; n++) {
        wk_buf_reset(&a);
        wk_buf_reset(&b);
        cr_assert(wk_base64_put(&a, wk_str(data, n)));
        cr_assert_eq(a.n, (n + 2) / 3 * 4);
        cr_assert_eq(wk_base64_get(&b, wk_buf_str(&a)), 0);
        cr_assert(wk_str_eq(wk_buf_str(&b), wk_str(data, n)));
    }
    wk_buf_reset(&a);
    wk_base64_put(&a, WK_STR("hello\n"));
    cr_assert_str_eq(wk_buf_c(&a), "aGVsbG8K");
    static const char *const bad[] = {"a",    "aGVsb",     "a===", "aG=V",
                                      "aGV$", "aGVsbG8=x", "=",    "aGVsbA==="};
    for (size_t i = 0; i < WK_COUNTOF(bad); i++)
        cr_expect_eq(wk_base64_get(&b, wk_str_c(bad[i])), -WK_EINVAL, "%s", bad[i]);
    wk_buf_reset(&b);
    cr_assert_eq(wk_base64_get(&b, WK_STR("aGVs\nbG8K\n")), 0);
    cr_assert_str_eq(wk_buf_c(&b), "hello\n");
    wk_buf_release(&a);
    wk_buf_release(&b);
    cr_assert_eq(m->used, 0);
    wk_mem_unref(m);
}
