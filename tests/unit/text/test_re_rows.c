/* test_re_rows.c - groups with room for few rows of places, against those with the usual room */
#include "base/err.h"
#include "text/re/re.h"

#include <criterion/criterion.h>

static struct wk_mem *mem;
static uint32_t seed = 11;

static void open_mem(void)
{
    mem = wk_mem_new(SIZE_MAX);
}

static void close_mem(void)
{
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

TestSuite(re_rows, .init = open_mem, .fini = close_mem);

static uint32_t chance(uint32_t n)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % n;
}

static const char *const patterns[] = {
    "(a|b)*(c|d)",
    "((a|ab)(c|bcd))(d*)",
    "(a*)(b|abc)(c*)",
    "(\\b|x)(a+)(\\b|y)(.*)",
    "^(.*)(a.{7})(b.{5})",
    "((a|b){3}|(c|d){2})*",
    "(a|b)*a(a|b){6}(c?)",
    "(^|[^a])(\\<b|c\\>)*(.)$",
    "([^\xc3\xa9]*)(\xc3\xa9|a)(.*)",
};

enum { GROUPS = 6, LONGEST = 60 };

/* The same as groups of the whole: what the two say of every subject. */
static void compare(struct wk_re *few, struct wk_re *usual)
{
    static const char *const pieces[] = {"a", "b", "c", "d", "x", "\xc3\xa9", " ", "\xff", "ab", "abc"};
    for (int turn = 0; turn < 200; turn++) {
        char text[LONGEST + 4];
        struct wk_re_span a[GROUPS], b[GROUPS];
        size_t n = 0, most = chance(LONGEST);
        while (n < most) {
            const char *piece = pieces[chance(10)];
            for (size_t i = 0; piece[i]; i++)
                text[n++] = piece[i];
        }
        int x = wk_re_search(few, NULL, wk_str(text, n), 0, a, GROUPS);
        int y = wk_re_search(usual, NULL, wk_str(text, n), 0, b, GROUPS);
        cr_assert_eq(x, y);
        cr_assert(x >= 0);
        for (size_t g = 0; x == 1 && g < GROUPS; g++) {
            cr_assert_eq(a[g].start, b[g].start);
            cr_assert_eq(a[g].end, b[g].end);
        }
    }
}

Test(re_rows, few_rows_say_the_same)
{
    for (size_t i = 0; i < WK_COUNTOF(patterns); i++)
        for (unsigned bytes = 0; bytes <= WK_RE_BYTES; bytes += WK_RE_BYTES) {
            const struct wk_re_env small = {.cache_bytes = 1};
            struct wk_re *few, *usual;
            unsigned flags = WK_RE_EXTENDED | bytes;
            cr_assert_eq(wk_re_compile(mem, wk_str_c(patterns[i]), flags, &small, &few, NULL), 0);
            cr_assert_eq(wk_re_compile(mem, wk_str_c(patterns[i]), flags, NULL, &usual, NULL), 0);
            compare(few, usual);
            wk_re_unref(few);
            wk_re_unref(usual);
        }
}

Test(re_rows, long_subjects)
{
    enum { N = 300000 };
    struct wk_re *re;
    struct wk_re_span s[4];
    char *text = malloc(N);
    for (size_t i = 0; i < N; i++)
        text[i] = (char)('a' + (i * i / 7) % 3);
    text[N - 1] = 'x';
    const struct wk_re_env small = {.cache_bytes = 1};
    cr_assert_eq(wk_re_compile(mem, WK_STR("^(.*)(a.{40})(.{9}x)"), WK_RE_EXTENDED, &small, &re, NULL), 0);
    int r = wk_re_search(re, NULL, wk_str(text, N), 0, s, 4);
    if (text[N - 51] == 'a') {
        cr_assert_eq(r, 1);
        cr_assert_eq(s[1].end, N - 51);
        cr_assert_eq(s[2].end, N - 10);
    }
    wk_re_unref(re);
    cr_assert_eq(wk_re_compile(mem, WK_STR("^(.*)([ab])(.*x)"), WK_RE_EXTENDED, NULL, &re, NULL), 0);
    cr_assert_eq(wk_re_search(re, NULL, wk_str(text, N), 0, s, 4), 1);
    cr_assert(text[s[2].start] != 'c');
    for (size_t i = (size_t)s[2].end; i + 1 < N; i++)
        cr_assert_eq(text[i], 'c');
    wk_re_unref(re);
    free(text);
}

Test(re_rows, every_allocation_may_fail)
{
    for (size_t i = 0; i < WK_COUNTOF(patterns); i++)
        for (uint64_t k = 1; k < 90; k++) {
            struct wk_re *re;
            struct wk_re_span s[GROUPS];
            mem->count = 0;
            mem->fail_at = k;
            int r = wk_re_compile(mem, wk_str_c(patterns[i]), WK_RE_EXTENDED, NULL, &re, NULL);
            for (int turn = 0; r == 0 && turn < 2; turn++) { /* once more after a failure */
                int found = wk_re_search(re, NULL, WK_STR("xa abcd ab \xc3\xa9 abacdaab bcd"), 0, s, GROUPS);
                cr_assert(found >= 0 || found == -WK_ENOMEM);
            }
            if (r == 0)
                wk_re_unref(re);
            else
                cr_assert_eq(r, -WK_ENOMEM);
            cr_assert_eq(wk_mem_used(mem), 0);
        }
    mem->fail_at = 0;
}
