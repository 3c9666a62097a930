/* test_buf.c - buffers and the formatter, against the C library's printf */
#include "base/buf.h"
#include "base/rng.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>

static struct wk_mem *mem;

static void setup(void)
{
    mem = wk_mem_new(SIZE_MAX);
}

static void teardown(void)
{
    cr_assert_eq(mem->used, 0);
    wk_mem_unref(mem);
}

TestSuite(buf, .init = setup, .fini = teardown);

Test(buf, grows_and_stays_terminated)
{
    struct wk_buf b;
    wk_buf_init(&b, mem, SIZE_MAX / 2);
    cr_assert_str_eq(wk_buf_c(&b), "");
    for (size_t i = 0; i < 5000; i++) {
        cr_assert(wk_buf_putc(&b, (char)('a' + i % 26)));
        cr_assert_eq(b.p[b.n], 0);
    }
    cr_assert_eq(b.n, 5000);
    wk_buf_reset(&b);
    cr_assert(wk_buf_put_c(&b, "x") && wk_buf_fill(&b, '-', 3) && wk_buf_puts(&b, WK_STR("y")));
    cr_assert(wk_buf_put_i64(&b, INT64_MIN) && wk_buf_put_u64(&b, UINT64_MAX));
    cr_assert_str_eq(wk_buf_c(&b), "x---y-922337203685477580818446744073709551615");
    size_t n;
    char *p = wk_buf_take(&b, &n);
    cr_assert_eq(n, strlen(p));
    wk_free(mem, p);
    cr_assert(p = wk_buf_take(&b, &n));
    cr_assert_eq(n, 0);
    wk_free(mem, p);
    wk_buf_release(&b);
}

Test(buf, the_maximum_is_sticky)
{
    struct wk_buf b;
    wk_buf_init(&b, mem, 10);
    cr_assert(wk_buf_put_c(&b, "0123456789"));
    cr_assert_not(wk_buf_putc(&b, 'x'));
    cr_assert_not(wk_buf_put(&b, "", 0));
    cr_assert(b.failed);
    cr_assert_str_eq(wk_buf_c(&b), "0123456789");
    cr_assert_null(wk_buf_take(&b, NULL));
    wk_buf_reset(&b);
    cr_assert(wk_buf_putc(&b, 'x'));
    cr_assert_not(wk_buf_fill(&b, ' ', SIZE_MAX));
    wk_buf_reset(&b);
    cr_assert_not(wk_buf_fmt(&b, "%*d", INT_MAX, 1));
    wk_buf_reset(&b);
    cr_assert_not(wk_buf_fmt(&b, "%.999999999999999999999999d", 1));
    wk_buf_reset(&b);
    cr_assert_not(wk_buf_fmt(&b, "%*d", INT_MIN, 1));
    wk_buf_release(&b);
}

Test(buf, every_allocation_may_fail)
{
    for (uint64_t at = 1;; at++) {
        struct wk_buf b;
        wk_buf_init(&b, mem, 100000);
        mem->count = 0;
        mem->fail_at = at;
        size_t good = 0;
        for (int i = 0; i < 2000; i++)
            good += wk_buf_fmt(&b, "%d-", 7);
        cr_assert(b.failed || b.n == 4000);
        cr_assert(b.n % 2 == 0 || b.failed);
        bool failed = b.failed;
        mem->fail_at = 0;
        wk_buf_release(&b);
        cr_assert_eq(mem->used, 0);
        if (!failed)
            break;
        cr_assert_lt(good, 2000);
    }
}

#define SAME(...)                                                                                  \
    do {                                                                                           \
        char want[400];                                                                            \
        int n = snprintf(want, sizeof want, __VA_ARGS__);                                          \
        wk_buf_reset(&b);                                                                          \
        cr_assert(wk_buf_fmt(&b, __VA_ARGS__));                                                    \
        cr_assert(b.n == (size_t)n && memcmp(b.p, want, b.n) == 0, "%s: %s for %s", #__VA_ARGS__,  \
                  b.p, want);                                                                      \
    } while (0)

Test(buf, formats_as_printf)
{
    struct wk_buf b;
    wk_buf_init(&b, mem, 1000);
    SAME("plain %% text");
    SAME("%d %i %u %x %X %o", -5, 7, 8u, 255u, 255u, 8u);
    SAME("[%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%-8.3d|%.0d]", 42, 42, 42, 42, 42, 42, 42, 42, 0);
    SAME("%#x %#o %#X %#x %#o %#.3o", 255u, 8u, 255u, 0u, 0u, 8u);
    SAME("%ld %lld %lu %llu %zu %zd %jd %ju %td", LONG_MIN, LLONG_MIN, ULONG_MAX, ULLONG_MAX,
         SIZE_MAX, (ptrdiff_t)-1, INTMAX_MIN, UINTMAX_MAX, (ptrdiff_t)-9);
    SAME("%hd %hu %hhd %hhu", (short)-3, (unsigned short)65535, (signed char)-3,
         (unsigned char)255);
    SAME("%s|%10s|%-10s|%.2s|%10.2s|%.*s|%*s|%-*s", "abc", "abc", "abc", "abc", "abc", 2, "abc", 6,
         "abc", 6, "abc");
    SAME("%c|%3c|%-3c", 'x', 'y', 'z');
    SAME("%p", (void *)&b);
    SAME("%.*d|%*d", -1, 5, -6, 5);
    SAME("%lx %lX %lo", 0xdeadbeefcafeUL, 0xdeadbeefcafeUL, 0777777777777UL);
    const char unterminated[3] = {'a', 'b', 'c'};
    SAME("%.3s", unterminated);
    SAME("%020ld|%-20ld|%+020ld|%+.12ld", 123456789L, 123456789L, 123456789L, 123456789L);
    wk_buf_release(&b);
}
