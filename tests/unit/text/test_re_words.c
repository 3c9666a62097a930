/* test_re_words.c - long lists of texts against the same lists as plain alternatives */
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

TestSuite(re_words, .init = open_mem, .fini = close_mem);

static uint32_t chance(uint32_t n)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % n;
}

static const char *const letters[] = {"a", "b", "A", "_", " ", "s", "k", "\xc3\xa9", "\xc3\x89",
                                      "\xe2\x84\xaa", "\xc5\xbf"};

static size_t put_letters(char *p, size_t n)
{
    size_t at = 0;
    while (n--) {
        const char *c = letters[chance(WK_COUNTOF(letters))];
        memcpy(p + at, c, strlen(c));
        at += strlen(c);
    }
    return at;
}

/* A list of 70 texts, parted by newlines; an empty one at its end when `empty`. */
static struct wk_str make_list(char *p, bool empty)
{
    size_t n = 0;
    for (int i = 0; i < 70; i++) {
        n += put_letters(p + n, 1 + chance(chance(4) ? 5 : 12));
        p[n++] = '\n';
    }
    return wk_str(p, empty ? n : n - 1);
}

static void compare(struct wk_re *fast, struct wk_re *plain, struct wk_str s)
{
    for (size_t from = 0; from <= s.n; from = from ? from + 7 : 1) {
        struct wk_re_span a, b;
        if (from < s.n && (s.p[from] & 0xc0) == 0x80)
            continue; /* searches begin at characters */
        int x = wk_re_search(fast, NULL, s, from, &a, 1), y = wk_re_search(plain, NULL, s, from, &b, 1);
        cr_assert_eq(x, y, "'%.*s' from %zu: %d, should be %d", (int)s.n, s.p, from, x, y);
        if (x == 1)
            cr_assert(a.start == b.start && a.end == b.end, "'%.*s' from %zu: %td-%td, should be %td-%td", (int)s.n,
                      s.p, from, a.start, a.end, b.start, b.end);
    }
    struct wk_re_span a, b;
    int x = wk_re_find_line(fast, NULL, s, 0, '\n', &a), y = wk_re_find_line(plain, NULL, s, 0, '\n', &b);
    cr_assert(x == y && (x != 1 || (a.start == b.start && a.end == b.end)));
}

static void compare_lists(unsigned flags, bool empty)
{
    char list[8192], subject[512];
    for (int round = 0; round < 20; round++) {
        struct wk_re *fast, *plain;
        struct wk_re_env env = {.plain = true};
        struct wk_str words = make_list(list, empty);
        cr_assert_eq(wk_re_compile(mem, words, WK_RE_LITERAL | WK_RE_ALTS | flags, NULL, &fast, NULL), 0);
        cr_assert_eq(wk_re_compile(mem, words, WK_RE_LITERAL | WK_RE_ALTS | flags, &env, &plain, NULL), 0);
        for (int k = 0; k < 40; k++) {
            size_t n = put_letters(subject, chance(30));
            if (n && chance(2))
                subject[chance((uint32_t)n)] = chance(2) ? '\n' : '\xc3';
            compare(fast, plain, wk_str(subject, n));
        }
        wk_re_unref(fast);
        wk_re_unref(plain);
    }
}

Test(re_words, agree_with_alternatives)
{
    static const unsigned flags[] = {0,
                                     WK_RE_ICASE,
                                     WK_RE_WORD,
                                     WK_RE_LINE,
                                     WK_RE_BYTES,
                                     WK_RE_BYTES | WK_RE_ICASE,
                                     WK_RE_ICASE | WK_RE_WORD,
                                     WK_RE_ICASE | WK_RE_LINE,
                                     WK_RE_BYTES | WK_RE_WORD};
    for (size_t i = 0; i < WK_COUNTOF(flags); i++) {
        compare_lists(flags[i], false);
        compare_lists(flags[i], true);
    }
}

/* What a long alternation of an ERE is, too; far more states than an automaton of places may have. */
Test(re_words, long_alternation)
{
    struct wk_buf b;
    struct wk_re *re;
    struct wk_re_span span;
    wk_buf_init(&b, mem, SIZE_MAX / 2);
    for (int i = 0; i < 50000; i++)
        cr_assert(wk_buf_fmt(&b, "%sword%d", i ? "|" : "", i));
    cr_assert_eq(wk_re_compile(mem, wk_buf_str(&b), WK_RE_EXTENDED, NULL, &re, NULL), 0);
    wk_buf_release(&b);
    cr_assert_eq(wk_re_search(re, NULL, WK_STR("a word499991 b"), 0, &span, 1), 1);
    cr_assert(span.start == 2 && span.end == 11);
    cr_assert_eq(wk_re_search(re, NULL, WK_STR("words"), 0, &span, 1), 0);
    wk_re_unref(re);
}

/* Every allocation failing in turn leaves nothing behind. */
Test(re_words, failing_memory)
{
    char list[8192];
    struct wk_str words = make_list(list, false);
    for (size_t limit = 0;; limit += 997) {
        struct wk_mem *small = wk_mem_new(limit);
        struct wk_re *re = NULL;
        int r = wk_re_compile(small, words, WK_RE_LITERAL | WK_RE_ALTS | WK_RE_ICASE, NULL, &re, NULL);
        cr_assert(r == 0 || r == -WK_ENOMEM);
        wk_re_unref(re);
        cr_assert_eq(wk_mem_used(small), 0);
        wk_mem_unref(small);
        if (r == 0)
            break;
    }
}
