/* test_num.c - integers, sizes, durations */
#include "base/err.h"
#include "base/num.h"
#include "base/rng.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

Test(num, scans_as_strtoll)
{
    struct wk_rng r;
    wk_rng_seed(&r, 3);
    static const char set[] = "00123456789abcdefxX-+zZ 9999999";
    static const int bases[] = {0, 8, 10, 16, 36};
    for (int i = 0; i < 300000; i++) {
        char text[40], *end;
        size_t n = wk_rng_below(&r, 24);
        for (size_t k = 0; k < n; k++)
            text[k] = set[wk_rng_below(&r, sizeof set - 1)];
        text[n] = 0;
        if (text[0] == ' ')
            continue;
        int base = bases[wk_rng_below(&r, 5)], err;
        errno = 0;
        int64_t want = strtoll(text, &end, base), got;
        bool over = errno == ERANGE;
        cr_assert_eq(wk_scan_i64(wk_str(text, n), base, &got, &err), (size_t)(end - text), "%s %d",
                     text, base);
        cr_assert_eq(got, want, "%s", text);
        cr_assert_eq(err, over ? -WK_ERANGE : 0);
        uint64_t u;
        if (text[0] == '-')
            continue;
        errno = 0;
        uint64_t uwant = strtoull(text, &end, base);
        over = errno == ERANGE;
        cr_assert_eq(wk_scan_u64(wk_str(text, n), base, &u, &err), (size_t)(end - text));
        cr_assert_eq(u, uwant, "%s", text);
        cr_assert_eq(err, over ? -WK_ERANGE : 0);
    }
}

Test(num, whole_slices)
{
    int64_t v;
    uint64_t u;
    cr_assert_eq(wk_parse_i64(WK_STR("-9223372036854775808"), 10, &v), 0);
    cr_assert_eq(v, INT64_MIN);
    cr_assert_eq(wk_parse_i64(WK_STR("-9223372036854775809"), 10, &v), -WK_ERANGE);
    cr_assert_eq(v, INT64_MIN);
    cr_assert_eq(wk_parse_i64(WK_STR("9223372036854775808"), 10, &v), -WK_ERANGE);
    cr_assert_eq(v, INT64_MAX);
    cr_assert_eq(wk_parse_i64(WK_STR("12 "), 10, &v), -WK_EINVAL);
    cr_assert_eq(wk_parse_i64(WK_STR(""), 10, &v), -WK_EINVAL);
    cr_assert_eq(wk_parse_i64(WK_STR("-"), 10, &v), -WK_EINVAL);
    cr_assert_eq(wk_parse_u64(WK_STR("-1"), 10, &u), -WK_EINVAL);
    cr_assert_eq(wk_parse_u64(WK_STR("0b101"), 2, &u), 0);
    cr_assert_eq(u, 5);
    cr_assert_eq(wk_parse_u64(WK_STR("18446744073709551616"), 10, &u), -WK_ERANGE);
    cr_assert_eq(u, UINT64_MAX);
}

Test(num, sizes)
{
    static const struct {
        const char *text;
        int err;
        uint64_t v;
    } t[] = {
        {"0", 0, 0},
        {"10", 0, 10},
        {"10K", 0, 10240},
        {"10k", 0, 10240},
        {"1kB", 0, 1000},
        {"1KB", 0, 1000},
        {"1KiB", 0, 1024},
        {"5MB", 0, 5000000},
        {"1M", 0, 1048576},
        {"2G", 0, 2147483648u},
        {"1T", 0, 1ull << 40},
        {"K", 0, 1024},
        {"15E", 0, 15ull << 60},
        {"16E", -WK_ERANGE, UINT64_MAX},
        {"1Y", -WK_ERANGE, UINT64_MAX},
        {"0Y", 0, 0},
        {"2b", 0, 1024},
        {"x", -WK_EINVAL, 0},
        {"", -WK_EINVAL, 0},
        {"1Kx", -WK_EINVAL, 0},
        {"-1", -WK_EINVAL, 0},
        {"1 K", -WK_EINVAL, 0},
        {"99999999999999999999", -WK_ERANGE, UINT64_MAX},
    };
    for (size_t i = 0; i < WK_COUNTOF(t); i++) {
        uint64_t v;
        int err = wk_parse_size(wk_str_c(t[i].text), true, &v);
        cr_expect_eq(err, t[i].err, "%s: %d", t[i].text, err);
        if (err != -WK_EINVAL)
            cr_expect_eq(v, t[i].v, "%s", t[i].text);
    }
    uint64_t v;
    cr_assert_eq(wk_parse_size(WK_STR("2b"), false, &v), -WK_EINVAL);
}

Test(num, durations)
{
    static const struct {
        const char *text;
        int err;
        int64_t v;
    } t[] = {
        {"1", 0, 1000000000},
        {"1.5s", 0, 1500000000},
        {"10ms", 0, 10000000},
        {"2m", 0, 120000000000},
        {".5", 0, 500000000},
        {"1.", 0, 1000000000},
        {"1h", 0, 3600000000000},
        {"1d", 0, 86400000000000},
        {"0.0000000001", 0, 1},
        {"0.1000000000000000000000001ns", 0, 1},
        {"3us", 0, 3000},
        {"7ns", 0, 7},
        {"0", 0, 0},
        {"inf", 0, INT64_MAX},
        {".", -WK_EINVAL, 0},
        {"", -WK_EINVAL, 0},
        {"s", -WK_EINVAL, 0},
        {"-1", -WK_EINVAL, 0},
        {"1x", -WK_EINVAL, 0},
        {"1.5.5", -WK_EINVAL, 0},
        {"9999999999999", -WK_ERANGE, INT64_MAX},
        {"99999999999999999999999", -WK_ERANGE, INT64_MAX},
        {"106751.99d", 0, 9223371936000000000},
    };
    for (size_t i = 0; i < WK_COUNTOF(t); i++) {
        int64_t v;
        int err = wk_parse_duration(wk_str_c(t[i].text), &v);
        cr_expect_eq(err, t[i].err, "%s: %d", t[i].text, err);
        if (err != -WK_EINVAL)
            cr_expect_eq(v, t[i].v, "%s: %ld", t[i].text, v);
    }
}

Test(num, prints)
{
    char out[WK_NUM_MAX + 1];
    out[wk_fmt_i64(out, INT64_MIN)] = 0;
    cr_assert_str_eq(out, "-9223372036854775808");
    out[wk_fmt_u64(out, UINT64_MAX, 36)] = 0;
    cr_assert_str_eq(out, "3w5e11264sgsf");
    cr_assert_eq(wk_fmt_u64(out, UINT64_MAX, 2), 64);
    out[wk_fmt_u64(out, 0, 10)] = 0;
    cr_assert_str_eq(out, "0");
}
