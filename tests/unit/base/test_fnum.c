/* test_fnum.c - floating numbers as text, against the C library's own
 *
 * WHELK_FNUM_ROUNDS sets the number of random values (default 20,000).
 */
#include "base/err.h"
#include "base/fnum.h"
#include "base/rng.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct wk_mem *mem;
static char want[40000], got[40000];

static void setup(void)
{
    mem = wk_mem_new(SIZE_MAX);
}

static void teardown(void)
{
    cr_assert_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

TestSuite(fnum, .init = setup, .fini = teardown);

static size_t rounds(void)
{
    const char *s = getenv("WHELK_FNUM_ROUNDS");
    return s ? strtoul(s, NULL, 10) : 20000;
}

static double random_double(struct wk_rng *r)
{
    double d;
    uint64_t v = wk_rng_next(r);
    switch (wk_rng_below(r, 8)) {
    case 0:
        return (double)(int64_t)wk_rng_below(r, 100000) / 1000;
    case 1:
        return (double)(int64_t)(v >> wk_rng_below(r, 63));
    case 2:
        return ldexp(1.0, (int)wk_rng_below(r, 2098) - 1074);
    case 3:
        v &= 0x800fffffffffffffu; /* subnormal */
        break;
    case 4: /* near one */
        v = (v & 0x800fffffffffffffu) | (uint64_t)(1023 - 20 + wk_rng_below(r, 40)) << 52;
        break;
    case 5: /* a short binary fraction: exact ties */
        return (double)(int64_t)wk_rng_below(r, 1 << 20) / (double)(1 << wk_rng_below(r, 12));
    default:
        break;
    }
    memcpy(&d, &v, sizeof d);
    return d;
}

static long double random_ldouble(struct wk_rng *r)
{
    if (wk_rng_below(r, 3) == 0)
        return random_double(r);
    long double v = (long double)wk_rng_next(r);
    int span = wk_rng_below(r, 2) ? 200 : 32800;
    return ldexpl(v, (int)wk_rng_below(r, (uint64_t)span) - span / 2);
}

static void make_spec(struct wk_rng *r, struct wk_fnum *how, char fmt[40], bool lng)
{
    static const char convs[] = "efgaEFGA";
    char *p = fmt;
    *how = (struct wk_fnum){.precision = -1};
    *p++ = '%';
    if (wk_rng_below(r, 3) == 0) {
        how->flags = (unsigned)wk_rng_below(r, 32);
        if (how->flags & WK_FNUM_MINUS)
            *p++ = '-';
        if (how->flags & WK_FNUM_PLUS)
            *p++ = '+';
        if (how->flags & WK_FNUM_SPACE)
            *p++ = ' ';
        if (how->flags & WK_FNUM_ALT)
            *p++ = '#';
        if (how->flags & WK_FNUM_ZERO)
            *p++ = '0';
    }
    if (wk_rng_below(r, 3) == 0) {
        how->width = wk_rng_below(r, 40);
        p += how->width ? sprintf(p, "%zu", how->width) : 0;
    }
    if (wk_rng_below(r, 4)) {
        uint64_t kind = wk_rng_below(r, 20);
        how->precision = (int)wk_rng_below(r, kind == 0 ? 12000 : kind < 4 ? 400 : 25);
        p += sprintf(p, ".%d", how->precision);
    }
    how->conv = convs[wk_rng_below(r, 8)];
    if (lng)
        *p++ = 'L';
    *p++ = how->conv;
    *p = 0;
}

Test(fnum, prints_double_as_the_c_library)
{
    struct wk_rng r;
    wk_rng_seed(&r, 7);
    struct wk_buf b;
    wk_buf_init(&b, mem, 1 << 20);
    for (size_t i = 0; i < rounds(); i++) {
        struct wk_fnum how;
        char fmt[40];
        double v = random_double(&r);
        make_spec(&r, &how, fmt, false);
        int n = snprintf(want, sizeof want, fmt, v);
        wk_buf_reset(&b);
        cr_assert(wk_buf_put_double(&b, v, &how));
        cr_assert(b.n == (size_t)n && memcmp(b.p, want, b.n) == 0,
                  "%s of %a:\nwant %.60s\n got %.60s", fmt, v, want, wk_buf_c(&b));
    }
    wk_buf_release(&b);
}

Test(fnum, prints_long_double_as_the_c_library)
{
    struct wk_rng r;
    wk_rng_seed(&r, 8);
    struct wk_buf b;
    wk_buf_init(&b, mem, 1 << 20);
    for (size_t i = 0; i < rounds(); i++) {
        struct wk_fnum how;
        char fmt[40];
        long double v = random_ldouble(&r);
        make_spec(&r, &how, fmt, true);
        int n = snprintf(want, sizeof want, fmt, v);
        wk_buf_reset(&b);
        cr_assert(wk_buf_put_ldouble(&b, v, &how));
        cr_assert(b.n == (size_t)n && memcmp(b.p, want, b.n) == 0,
                  "%s of %La:\nwant %.60s\n got %.60s", fmt, v, want, wk_buf_c(&b));
    }
    wk_buf_release(&b);
}

/* Text near a number or near the middle of two, or anything that looks like a number. */
static void random_text(struct wk_rng *r, char *out)
{
    long double v = random_ldouble(r);
    int n;
    switch (wk_rng_below(r, 9)) {
    case 0:
        sprintf(out, "%.*Lg", (int)wk_rng_below(r, 30) + 1, v);
        break;
    case 1:
        sprintf(out, "%.*e", (int)wk_rng_below(r, 800), random_double(r));
        break;
    case 2: /* the exact middle of two doubles, and a hair beside it */
        v = random_double(r);
        v += (nextafter((double)v, INFINITY) - v) / 2;
        n = sprintf(out, "%.*Le", (int)wk_rng_below(r, 2) ? 800 : 30, v);
        if (wk_rng_below(r, 2) && strchr(out, 'e'))
            strchr(out, 'e')[-1] = (char)('0' + wk_rng_below(r, 10));
        break;
    case 3:
        sprintf(out, "%La", v);
        break;
    case 4:
        n = sprintf(out, "%.*Lf", (int)wk_rng_below(r, 40), fmodl(v, 1e30L));
        break;
    case 5:
        sprintf(out, "0x%llx.%llxp%d", (unsigned long long)wk_rng_next(r),
                (unsigned long long)wk_rng_next(r), (int)wk_rng_below(r, 40000) - 20000);
        break;
    case 6: { /* characters that numbers are made of */
        static const char set[] = "0123456789..eE+-xXpPabfinINtyq() ";
        n = (int)wk_rng_below(r, 14);
        for (int i = 0; i < n; i++)
            out[i] = set[wk_rng_below(r, sizeof set - 1)];
        out[n] = 0;
        break;
    }
    case 7: { /* many digits */
        char *p = out;
        for (int i = (int)wk_rng_below(r, 900); i >= 0; i--)
            *p++ = (char)('0' + wk_rng_below(r, 10));
        *p++ = '.';
        for (int i = (int)wk_rng_below(r, 300); i >= 0; i--)
            *p++ = (char)('0' + wk_rng_below(r, 10));
        sprintf(p, "e%d", (int)wk_rng_below(r, 11000) - 5500);
        break;
    }
    default:
        sprintf(out, "%lld%s%llde%d", (long long)wk_rng_next(r), wk_rng_below(r, 2) ? "." : "",
                (long long)(wk_rng_next(r) >> 1), (int)wk_rng_below(r, 700) - 350);
        break;
    }
}

Test(fnum, reads_long_double_as_the_c_library)
{
    struct wk_rng r;
    wk_rng_seed(&r, 9);
    for (size_t i = 0; i < rounds(); i++) {
        random_text(&r, got);
        if (got[0] == ' ')
            continue;
        char *end;
        errno = 0;
        long double a = strtold(got, &end), b;
        int e = errno, err;
        size_t used = wk_scan_ldouble(wk_str_c(got), &b, &err);
        cr_assert_eq(used, (size_t)(end - got), "%.80s: %zu for %td", got, used, end - got);
        cr_assert((isnan(a) && isnan(b)) || memcmp(&a, &b, 10) == 0, "%.900s: %La for %La", got, b,
                  a);
        if (used && strncmp(got, "nan", 3) != 0)
            cr_assert_eq(err, e == ERANGE ? -WK_ERANGE : 0, "%.900s: err %d for %d (%La)", got, err,
                         e, a);
    }
}

Test(fnum, reads_double_as_the_c_library)
{
    struct wk_rng r;
    wk_rng_seed(&r, 10);
    for (size_t i = 0; i < rounds(); i++) {
        random_text(&r, got);
        if (got[0] == ' ')
            continue;
        char *end;
        errno = 0;
        double a = strtod(got, &end), b;
        int e = errno, err;
        size_t used = wk_scan_double(wk_str_c(got), &b, &err);
        cr_assert_eq(used, (size_t)(end - got), "%.80s", got);
        cr_assert((isnan(a) && isnan(b)) || memcmp(&a, &b, 8) == 0, "%.900s: %a for %a", got, b, a);
        if (used && strncmp(got, "nan", 3) != 0)
            cr_assert_eq(err, e == ERANGE ? -WK_ERANGE : 0, "%.900s: err %d for %d (%a)", got, err,
                         e, a);
    }
}

Test(fnum, shortest_reads_back_and_none_is_shorter)
{
    struct wk_rng r;
    wk_rng_seed(&r, 11);
    for (size_t i = 0; i < rounds(); i++) {
        double v = fabs(random_double(&r));
        if (!(v > 0) || isinf(v))
            continue;
        char digits[18], text[64];
        int exp;
        int n = wk_double_shortest(v, digits, &exp);
        digits[n] = 0;
        snprintf(text, sizeof text, "0.%se%d", digits, exp);
        cr_assert(strtod(text, NULL) == v, "%s for %a", text, v);
        cr_assert(digits[0] != '0' && digits[n - 1] != '0');
        if (n > 1) {
            snprintf(text, sizeof text, "%.*e", n - 2, v);
            cr_assert(strtod(text, NULL) != v, "%s is shorter than %s", text, digits);
        }
    }
}

Test(fnum, whole_slice_or_error)
{
    double d;
    cr_assert_eq(wk_parse_double(WK_STR("1.5"), &d), 0);
    cr_assert_eq(wk_parse_double(WK_STR("1.5x"), &d), -WK_EINVAL);
    cr_assert_eq(wk_parse_double(WK_STR(""), &d), -WK_EINVAL);
    cr_assert_eq(wk_parse_double(WK_STR(" 1"), &d), -WK_EINVAL);
    cr_assert_eq(wk_parse_double(WK_STR("1e999"), &d), -WK_ERANGE);
    cr_assert(isinf(d));
    cr_assert_eq(wk_parse_double(WK_STR("1e99999999999999999999999"), &d), -WK_ERANGE);
    cr_assert_eq(wk_parse_double(WK_STR("0e99999999999999999999999"), &d), 0);
    cr_assert_eq(wk_parse_double(WK_STR("1e-99999999999999999999999"), &d), -WK_ERANGE);
    cr_assert(!(d > 0));
}

Test(fnum, a_full_buffer_is_an_error_and_not_a_crash)
{
    struct wk_buf b;
    struct wk_fnum how = {.conv = 'f', .precision = 2147483647};
    wk_buf_init(&b, mem, 1000);
    cr_assert_not(wk_buf_put_double(&b, 1.5, &how));
    cr_assert(b.failed);
    wk_buf_release(&b);
    how = (struct wk_fnum){.conv = 'f', .precision = 3, .width = SIZE_MAX};
    wk_buf_init(&b, mem, 1000);
    cr_assert_not(wk_buf_put_double(&b, 1.5, &how));
    wk_buf_release(&b);
}

Test(fnum, every_allocation_may_fail)
{
    struct wk_fnum how = {.conv = 'f', .precision = 5};
    for (uint64_t at = 1; at < 6; at++) {
        struct wk_buf b;
        wk_buf_init(&b, mem, 100000);
        mem->count = 0;
        mem->fail_at = at;
        bool ok = wk_buf_put_ldouble(&b, 1e4000L, &how);
        cr_assert_eq(ok, mem->count < at);
        mem->fail_at = 0;
        wk_buf_release(&b);
        cr_assert_eq(wk_mem_used(mem), 0);
    }
}
