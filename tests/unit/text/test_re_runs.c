/* test_re_runs.c - runs of one kind of byte, against the automaton */
#include "text/re/re.h"

#include <criterion/criterion.h>

static struct wk_mem *mem;
static uint32_t seed = 5;

static void open_mem(void)
{
    mem = wk_mem_new(SIZE_MAX);
}

static void close_mem(void)
{
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

TestSuite(re_runs, .init = open_mem, .fini = close_mem);

static uint32_t chance(uint32_t n)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % n;
}

static const char *const patterns[] = {
    "[ab]+", "[ab][ab]*", "[ab]*[ab]", "a{2,3}", "[ab]{2}", "[a-c]{3,}", "[^a]+", "[^\xc3\xa9]+", "[[:alpha:]]{2,5}",
    ".+", ".{3}", "[ab][a]+", "a+b*", "[ab]?",
    "[ab]{0,2}[ab]{2,3}", "[ab]{2}{2}", "(a)+", "[ab]+|c", "\\w+", "[a\xff]+",
};

static void compare(struct wk_re *runs, struct wk_re *plain, const char *pattern)
{
    static const char *const pieces[] = {"a", "b", "c", "A", "\n", "\xc3\xa9", "aa", "bab", "\xff", "\xc3", "abababab"};
    for (int turn = 0; turn < 100; turn++) {
        char text[64];
        size_t n = 0, most = chance(50);
        while (n < most) {
            const char *piece = pieces[chance(11)];
            for (size_t i = 0; piece[i]; i++)
                text[n++] = piece[i];
        }
        for (size_t from = 0; from <= n; from++) {
            struct wk_re_span a[2] = {{0, 0}, {0, 0}}, b[2] = {{0, 0}, {0, 0}};
            if (from < n && ((unsigned char)text[from] & 0xc0) == 0x80)
                continue;
            int x = wk_re_search(runs, NULL, wk_str(text, n), from, a, 2);
            cr_assert_eq(x, wk_re_search(plain, NULL, wk_str(text, n), from, b, 2), "%s", pattern);
            cr_assert_eq(x, wk_re_search(runs, NULL, wk_str(text, n), from, NULL, 0), "%s", pattern);
            if (x == 1)
                cr_assert(a[0].start == b[0].start && a[0].end == b[0].end && a[1].end == b[1].end, "%s", pattern);
        }
    }
}

Test(re_runs, as_the_automaton)
{
    static const unsigned flags[] = {0, WK_RE_BYTES, WK_RE_ICASE, WK_RE_NEWLINE, WK_RE_BYTES | WK_RE_ICASE,
                                     WK_RE_WORD, WK_RE_LINE, WK_RE_ALTS};
    const struct wk_re_env plain = {.plain = true};
    for (size_t i = 0; i < WK_COUNTOF(patterns); i++)
        for (size_t k = 0; k < WK_COUNTOF(flags); k++) {
            struct wk_re *a, *b;
            unsigned f = flags[k] | WK_RE_EXTENDED;
            cr_assert_eq(wk_re_compile(mem, wk_str_c(patterns[i]), f, NULL, &a, NULL), 0);
            cr_assert_eq(wk_re_compile(mem, wk_str_c(patterns[i]), f, &plain, &b, NULL), 0);
            compare(a, b, patterns[i]);
            wk_re_unref(a);
            wk_re_unref(b);
        }
}

static int stop(void *ctx, size_t bytes)
{
    *(size_t *)ctx += bytes;
    return *(size_t *)ctx > 200000 ? -1 : 0;
}

Test(re_runs, long_ones_can_be_stopped)
{
    enum { N = 1000000 };
    struct wk_re *re;
    struct wk_re_span s;
    char *text = malloc(N);
    for (int other = 0; other < 2; other++) {
        size_t seen = 0;
        struct wk_re_run run = {.step = stop, .ctx = &seen};
        memset(text, other ? 'b' : 'a', N);
        cr_assert_eq(wk_re_compile(mem, WK_STR("a+"), WK_RE_EXTENDED, NULL, &re, NULL), 0);
        cr_assert_eq(wk_re_search(re, &run, wk_str(text, N), 0, &s, 1), -1);
        cr_assert(seen < 400000);
        cr_assert_eq(wk_re_search(re, NULL, wk_str(text, N), 0, &s, 1), !other);
        wk_re_unref(re);
    }
    free(text);
}
