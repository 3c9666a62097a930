/* test_re_lines.c - lines of large buffers, and searches by texts, against the automaton alone */
#include "text/re/re.h"

#include <criterion/criterion.h>

static struct wk_mem *mem;
static uint32_t seed = 7;

static void open_mem(void)
{
    mem = wk_mem_new(SIZE_MAX);
}

static void close_mem(void)
{
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

TestSuite(re_lines, .init = open_mem, .fini = close_mem);

static uint32_t chance(uint32_t n)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % n;
}

static const char *const patterns[] = {
    "ab",
    "abc",
    "b",
    "cab|bad|abba",
    "a|b",
    "(ab|cd)e",
    "[ab]c",
    "a.*d$",
    "^ab",
    "^a|b$",
    "^(a|b)c.*d",
    "x*ab",
    "[abc]{3}d",
    "(a|bc|\xc3\xa9)+d",
    "\xc3\xa9",
    "a{3}",
    "(abc)+",
    "a?bc",
    "(a|)bc",
    "\\bab\\b",
    "a\\b.c",
    "\\<d",
    "",
    "^$",
    "^",
    "$",
    "dddddddd",
    "k|status",
    "[a-d]*e",
    "(a|b)*a(a|b){6}d",
    "a(b(c|d)|(d|e)b)a",
    "abcd|bcda|cdab|dabc",
    "aa|bb|cc|dd|ee|ab|ba|cd|dc",
    "(ab){2}",
    "(a|b){2,3}e",
    "e$|^d",
    "\xc3",
    "[^a]b",
    "bad",
    "aaaaaaaaaaaaaaaaaaaaab",
    "(a|b|c|d)(a|b|c|d)(a|b|c|d)e",
    "é|É",
    "abab.*cdcd",
    "cdcd.*é",
};
static const unsigned ways[] = {0,
                                WK_RE_ICASE,
                                WK_RE_BYTES,
                                WK_RE_ICASE | WK_RE_BYTES,
                                WK_RE_WORD,
                                WK_RE_LINE,
                                WK_RE_WORD | WK_RE_ICASE};

static char *make_text(size_t n, uint32_t line)
{
    static const char *const parts[] = {
        "a",      "b",   "c",        "d",        "e",    "a", "b", "ab",
        "A",      "B",   "\xc3\xa9", "\xc3\x89", "\xff", " ", "k", "\xe2\x84\xaa",
        "sTatus", "abba"};
    char *text = malloc(n + 8);
    for (size_t i = 0; i < n;) {
        const char *p = chance(line) == 0 ? "\n" : parts[chance(WK_COUNTOF(parts))];
        memcpy(text + i, p, strlen(p));
        i += strlen(p);
    }
    return text;
}

static void compare_lines(struct wk_re *re, struct wk_re *plain, struct wk_str text,
                          const char *pattern)
{
    struct wk_re_lines *lines = malloc(sizeof *lines);
    struct wk_re_span line = {-1, -1}, first;
    (void)pattern; /* only messages have it, which not every build prints */
    for (size_t at = 0; at < text.n; at = lines->to) {
        cr_assert_eq(wk_re_lines_judge(re, NULL, text, at, '\n', lines), 0);
        cr_assert_eq(lines->from, at);
        cr_assert_gt(lines->to, at);
        size_t count = 0;
        bool more = wk_re_lines_next(lines, text, &line);
        if (more) {
            cr_assert_eq(wk_re_find_line(re, NULL, text, at, '\n', &first), 1);
            cr_assert_eq(first.start, line.start);
        }
        for (size_t k = at; k < lines->to;) {
            ptrdiff_t nl = wk_str_chr(wk_str_from(text, k), '\n');
            struct wk_str one = wk_str(text.p + k, nl < 0 ? text.n - k : (size_t)nl);
            int want = wk_re_search(plain, NULL, one, 0, NULL, 0);
            cr_assert_eq(more && (size_t)line.start == k, want == 1, "%s: line at %zu", pattern, k);
            if (want) {
                cr_assert_eq((size_t)line.end, k + one.n);
                more = wk_re_lines_next(lines, text, &line);
                count++;
            }
            k += one.n + 1;
        }
        cr_assert_not(more);
        cr_assert_eq(wk_re_lines_count(lines), count);
    }
    free(lines);
}

static void compare_spans(struct wk_re *re, struct wk_re *plain, struct wk_str text,
                          const char *pattern)
{
    struct wk_re_run run = {.same = true};
    size_t from = 0;
    for (int turn = 0; turn < 300 && from <= text.n; turn++) {
        struct wk_re_span x = {-1, -1}, y = {-1, -1};
        int r = wk_re_search(re, &run, text, from, &x, 1);
        cr_assert_eq(r, wk_re_search(plain, NULL, text, from, &y, 1), "%s", pattern);
        cr_assert_eq(r, wk_re_search(re, NULL, text, from, NULL, 0), "%s", pattern);
        cr_assert(x.start == y.start && x.end == y.end, "%s from %zu: %td,%td not %td,%td", pattern,
                  from, x.start, x.end, y.start, y.end);
        if (!r)
            return;
        from = (size_t)x.end + (x.end == x.start);
    }
}

static void compare_all(size_t n, uint32_t line, size_t cache)
{
    char *text = make_text(n, line);
    for (size_t i = 0; i < WK_COUNTOF(patterns); i++)
        for (size_t k = 0; k < WK_COUNTOF(ways); k++) {
            struct wk_re *re, *plain;
            struct wk_re_env env = {.cache_bytes = cache}, alone = {.plain = true};
            unsigned flags = ways[k] | WK_RE_EXTENDED | WK_RE_NOSUB;
            cr_assert_eq(wk_re_compile(mem, wk_str_c(patterns[i]), flags, &env, &re, NULL), 0);
            cr_assert_eq(wk_re_compile(mem, wk_str_c(patterns[i]), flags, &alone, &plain, NULL), 0);
            compare_lines(re, plain, wk_str(text, n), patterns[i]);
            compare_spans(re, plain, wk_str(text, n), patterns[i]);
            wk_re_unref(re);
            wk_re_unref(plain);
        }
    free(text);
}

Test(re_lines, many_short_lines)
{
    compare_all(140000, 12, 0);
}

Test(re_lines, long_lines)
{
    compare_all(200000, 140000, 0);
}

Test(re_lines, a_cache_that_is_emptied_all_the_time)
{
    compare_all(20000, 30, 1);
}

/* Ends of buffers: no byte behind them is looked at, and none before is left out. */
Test(re_lines, every_small_size)
{
    for (size_t n = 1; n < 140; n += 1 + n / 8)
        compare_all(n, 20, 0);
}

static int count_work(void *ctx, size_t bytes)
{
    *(size_t *)ctx += bytes;
    return 0;
}

/* What must look to the end of the subject behind each match does so a few times, and finds the
 * same. */
Test(re_lines, all_matches_in_linear_time)
{
    static const char *const hard[] = {"a*b|a",          "(aaa)*b|a",      "a.*b|c",
                                       "(a|c)*b|a|c{2}", "a(.*d)?|c",      "(ac)*b|ac|a|c",
                                       "a{3}.*d|a",      "(a|aa)*(b|d)|aa"};
    enum { N = 50000, SMALL = 6000 };
    char *text = malloc(N);
    for (size_t i = 0; i < WK_COUNTOF(hard); i++)
        for (int kind = 0; kind < 3; kind++) {
            struct wk_re *re;
            size_t work = 0, n = kind == 2 ? SMALL : N, from = 0;
            struct wk_re_run run = {.step = count_work, .ctx = &work, .same = true};
            for (size_t k = 0; k < n; k++)
                text[k] = kind == 0 ? 'a' : kind == 1 ? "ac"[k % 2] : "aaaacaaaacaab"[chance(13)];
            if (kind == 2)
                memset(text + n / 2, 'a', n / 2);
            cr_assert_eq(wk_re_compile(mem, wk_str_c(hard[i]), WK_RE_EXTENDED, NULL, &re, NULL), 0);
            while (from < n) {
                struct wk_re_span x, y;
                int r = wk_re_search(re, &run, wk_str(text, n), from, &x, 1);
                if (kind == 2) {
                    cr_assert_eq(wk_re_search(re, NULL, wk_str(text, n), from, &y, 1), r);
                    cr_assert(!r || (x.start == y.start && x.end == y.end), "%s from %zu", hard[i],
                              from);
                }
                if (!r)
                    break;
                from = (size_t)x.end;
            }
            cr_expect_lt(work, 200 * (size_t)N, "%s on %d: %zu", hard[i], kind, work);
            wk_re_unref(re);
        }
    free(text);
}
