/* test_utf8.c - decoding, counting, classes */
#define _GNU_SOURCE
#include "base/rng.h"
#include "base/utf8.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <wchar.h>
#include <wctype.h>

Test(utf8, every_character_goes_round)
{
    for (uint32_t c = 0; c <= WK_UTF8_MAX; c++) {
        char out[6];
        uint32_t back;
        size_t n = wk_utf8_put(out, c), m = wk_utf8_next(out, n, &back);
        if (c >= 0xd800 && c <= 0xdfff) {
            cr_assert_eq(m, 1);
            cr_assert(wk_utf8_is_bad(back));
            continue;
        }
        cr_assert_eq(n, m);
        cr_assert_eq(back, c);
        cr_assert_eq(wk_utf8_prev(out, n), n);
        for (size_t cut = 1; cut < n; cut++) { /* a part of one is a stray byte */
            cr_assert_eq(wk_utf8_next(out, cut, &back), 1);
            cr_assert_eq(back, WK_UTF8_BAD + (unsigned char)out[0]);
            cr_assert_eq(wk_utf8_put(out + 0, back), 1);
            wk_utf8_put(out, c);
        }
    }
}

Test(utf8, ill_formed_bytes_count_one_each)
{
    static const struct {
        const char *s;
        size_t n;
    } t[] = {{"\xc0\x80", 2},
             {"\xe0\x80\x80", 3},
             {"\xed\xa0\x80", 3},
             {"\xff\xfe", 2},
             {"\xe2\x82", 2},
             {"a\xe2\x82z", 4},
             {"\xf4\x90\x80\x80", 4},
             {"\xe2\x28\xa1", 3},
             {"\xf0\x9f\x98\x80", 1},
             {"\xc3\xa9\xa9", 2},
             {"", 0}};
    for (size_t i = 0; i < WK_COUNTOF(t); i++)
        cr_expect_eq(wk_utf8_count(wk_str_c(t[i].s)), t[i].n, "%zu", i);
}

static size_t plain_count(struct wk_str s)
{
    size_t n = 0;
    uint32_t c;
    for (size_t i = 0; i < s.n; n++)
        i += wk_utf8_next(s.p + i, s.n - i, &c);
    return n;
}

Test(utf8, counting_and_offsets_agree_with_decoding_one_by_one)
{
    struct wk_rng r;
    wk_rng_seed(&r, 5);
    for (int i = 0; i < 100000; i++) {
        char text[80];
        size_t n = 0, len = wk_rng_below(&r, 70);
        while (n < len)
            n += wk_rng_below(&r, 4) == 0
                     ? wk_utf8_put(text + n, WK_UTF8_BAD + 0x80 + (uint32_t)wk_rng_below(&r, 128))
                     : wk_utf8_put(text + n,
                                   (uint32_t)wk_rng_below(&r, wk_rng_below(&r, 2) ? 128 : 0x11000));
        struct wk_str s = wk_str(text, n);
        size_t count = plain_count(s), left;
        cr_assert_eq(wk_utf8_count(s), count);
        size_t k = wk_rng_below(&r, count + 3);
        size_t at = wk_utf8_offset(s, k, &left);
        cr_assert_eq(plain_count(wk_str_take(s, at)) + left, k);
        size_t back = 0, i2 = n;
        while (i2) {
            i2 -= wk_utf8_prev(text, i2);
            back++;
        }
        cr_assert_eq(back, count);
        bool valid = true;
        uint32_t c;
        for (size_t p = 0; p < n; valid = valid && !wk_utf8_is_bad(c))
            p += wk_utf8_next(text + p, n - p, &c);
        cr_assert_eq(wk_utf8_valid(s), valid);
    }
}

/* Of different Unicode versions: a few properties of characters that both have changed in between.
 */
Test(utf8, classes_are_those_of_the_c_library)
{
    if (!setlocale(LC_ALL, "C.UTF-8"))
        cr_skip_test("no C.UTF-8");
    static const char *const names[] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph",
                                        "lower", "print", "punct", "space", "upper", "xdigit"};
    size_t wrong = 0, seen = 0;
    for (uint32_t c = 0; c <= WK_UTF8_MAX; c++) {
        if ((c > 127 && !iswprint(c)) || c == 0x2028 || c == 0x2029)
            continue;
        seen++;
        for (unsigned k = 0; k < WK_CLASS_COUNT; k++)
            if (wk_utf8_is(c, (enum wk_class)k) != !!iswctype(c, wctype(names[k]))) {
                wrong++;
                cr_assert_geq(c, 128, "U+%04X %s", c, names[k]);
            }
        cr_assert_eq(wk_utf8_upper(c), (uint32_t)towupper(c), "U+%04X", c);
        cr_assert_eq(wk_utf8_lower(c), (uint32_t)towlower(c), "U+%04X", c);
        cr_assert_eq(wk_utf8_width(c), wcwidth((wchar_t)c), "U+%04X", c);
    }
    cr_assert_geq(seen, 280000u);
    cr_assert_leq(wrong, 40u);
    cr_assert_eq(wk_class_named(WK_STR("alpha")), WK_CLASS_ALPHA);
    cr_assert_eq(wk_class_named(WK_STR("nope")), WK_CLASS_COUNT);
}

Test(utf8, columns)
{
    cr_assert_eq(wk_utf8_columns(WK_STR("ab\xe4\xb8\xad\xcc\x81\xff")), 5);
}
