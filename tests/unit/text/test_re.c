/* test_re.c - regular expressions */
#include "text/re/re.h"

#include "base/err.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct wk_mem *mem;

static struct wk_re *compile(const char *pattern, unsigned flags)
{
    struct wk_re *re;
    struct wk_re_error err;
    int r = wk_re_compile(mem, wk_str_c(pattern), flags, NULL, &re, &err);
    cr_assert_eq(r, 0, "%s: %s", pattern, err.text);
    return re;
}

/* "(0,2)(1,2)", "no" or an error's text. */
static const char *result(const char *pattern, unsigned flags, const char *subject, char *out)
{
    struct wk_re *re;
    struct wk_re_error err;
    struct wk_re_span spans[10];
    size_t n = 0;
    if (wk_re_compile(mem, wk_str_c(pattern), flags, NULL, &re, &err)) {
        strcpy(out, err.text);
        return out;
    }
    int r = wk_re_search(re, NULL, wk_str_c(subject), 0, spans, 10);
    cr_assert(r == 0 || r == 1);
    cr_assert_eq(wk_re_search(re, NULL, wk_str_c(subject), 0, NULL, 0), r);
    strcpy(out, r ? "" : "no");
    for (size_t g = 0; r && g <= wk_re_groups(re) && g < 10; g++)
        n += (size_t)sprintf(out + n, "(%td,%td)", spans[g].start, spans[g].end);
    wk_re_unref(re);
    return out;
}

static void open_mem(void)
{
    mem = wk_mem_new(SIZE_MAX);
}

static void close_mem(void)
{
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

TestSuite(re, .init = open_mem, .fini = close_mem);

Test(re, as_glibc)
{
    enum { E = WK_RE_EXTENDED, B = 0, P = WK_RE_PERL };
    static const struct {
        unsigned flags;
        const char *pattern, *subject, *want;
    } rows[] = {
        {E, "a|ab", "ab", "(0,2)"},
        {E, "(a|ab)(c|bcd)(d*)", "abcd", "(0,4)(0,1)(1,4)(4,4)"},
        {E, "(a*)*", "aa", "(0,2)(0,2)"},
        {E, "(a?){2}", "a", "(0,1)(1,1)"},
        {E, "(|a)*", "aa", "(0,2)(1,2)"},
        {E, "((a)|b)*", "ab", "(0,2)(1,2)(0,1)"},
        {E, "x*", "aaa", "(0,0)"},
        {E, "^$", "", "(0,0)"},
        {E, "a{2,3}", "aaaa", "(0,3)"},
        {E, "\\<b", "ab b", "(3,4)"},
        {E, "[[:alpha:]]+", "1\xc3\xa9\x61", "(1,4)"},
        {E, "^.$", "\xc3\xa9", "(0,2)"},
        {E, "^.$", "\xff", "no"},
        {E | WK_RE_BYTES, "^.$", "\xff", "(0,1)"},
        {E | WK_RE_ICASE, "\xc3\x89[a-c]", "\xc3\xa9\x42", "(0,3)"},
        {E | WK_RE_NEWLINE, "^b$", "a\nb\nc", "(2,3)"},
        {E | WK_RE_NEWLINE, "a.b", "a\nb", "no"},
        {B, "\\(.\\)\\1", "xaab", "(1,3)(1,2)"},
        {E, "(a*)(ab)*\\1", "aab", "(0,2)(0,1)(-1,-1)"},
        {E, "(a)\\1|aaa", "aaa", "(0,3)(-1,-1)"},
        {E | WK_RE_ICASE, "(a[^x])\\1\\w", "xABabx", "(1,6)(1,3)"},
        {E, "(\\w)\\1(\\w{2}\\w){2}[[:alpha:]]{2,20}(\\W)\\3", ".aabcdefg\xc3\xa9i--",
         "(1,14)(1,2)(6,9)(12,13)"},
        {B, "*a", "*a", "(0,2)"},
        {B, "a\\+\\|b", "aab", "(0,2)"},
        {E, "*a", "", "Invalid preceding regular expression"},
        {B, "a**", "", "Invalid preceding regular expression"},
        {E | WK_RE_GREP, "*a", "a", "(0,1)"},
        {E | WK_RE_GREP, "a{x", "a{x", "(0,3)"},
        {E, "a{1", "", "Unmatched \\{"},
        {E, "a{b", "", "Unmatched \\{"},
        {E, "a{b}", "", "Invalid content of \\{\\}"},
        {B, "a\\{1b", "", "Unmatched \\{"},
        {E | WK_RE_STRICT_PAREN, "[^:a:]", "",
         "character class syntax is [[:space:]], not [:space:]"},
        {E | WK_RE_STRICT_PAREN, "[::]", ":", "(0,1)"},
        {E, "a{2,1}", "", "Invalid content of \\{\\}"},
        {E, "a{99999}", "", "Regular expression too big"},
        {E, "(", "", "Unmatched ( or \\("},
        {E, ")", ")", "(0,1)"},
        {E | WK_RE_STRICT_PAREN, ")", "", "Unmatched ) or \\)"},
        {E, "[a", "", "Unmatched [, [^, [:, [., or [="},
        {E, "[", "", "Invalid regular expression"},
        {E, "[z-a]", "", "Invalid range end"},
        {E, "[[:foo:]]", "", "Invalid character class name"},
        {E, "[[.ab.]]", "", "Invalid collation character"},
        {E, "a\\", "", "Trailing backslash"},
        {E, "(a)\\2", "", "Invalid back reference"},
        {B, "a*\\?", "aa", "(0,2)"},
        {B, "a\\{2\\}\\{3\\}", "", "Invalid preceding regular expression"},
        {B | WK_RE_REPEATS, "a**", "aa", "(0,2)"},
        {B, "a\\{\\,\\}", "aa", "(0,2)"},
        {E, "a{{,", "", "Invalid content of \\{\\}"},
        {E, "a{1,2", "", "Unmatched \\{"},
        {E | WK_RE_ICASE, "s", "\xc5\xbf", "(0,2)"},
        {E | WK_RE_ICASE, "[\xcf\x83]", "\xcf\x82", "(0,2)"},
        {E | WK_RE_ICASE, "\xc4\xb0", "i", "no"},
        {E | WK_RE_ICASE, "[A-z]", "_", "no"},
        {E | WK_RE_ICASE, "[Z-a]", "", "Invalid range end"},
        {E, "[\xff]", "\xff", "no"},
        {E, "\xff\\>", "\xff", "(0,1)"},
        {E, "\\b", "\x80\xd7", "no"},
        {E, "(a)\\b|a", "a", "(0,1)(-1,-1)"},
        {E, "(a|ab)(c|bcd)\\1", "abcda", "(0,5)(0,1)(1,4)"},
        {E, "((a)|b)*\\2", "aba", "(0,3)(1,2)(0,1)"},
        {E, "(.)x\\1|\xff", "\xff", "(0,1)(-1,-1)"},
        {E, "()\\1", "\x80", "(0,0)(0,0)"},
        {E, "^(.*),\\1,\\1$", "ab,ab,ab", "(0,8)(0,2)"},
        {E | WK_RE_ICASE, "(\xc3\xa9\x62)\\1", "\xc3\x89\x42\xc3\xa9\x62", "(0,6)(0,3)"},
        {E | WK_RE_WORD, "(.)\\1", "aab bb", "(4,6)(4,5)"},
        {E | WK_RE_LINE, "(.)\\1|a", "aa", "(0,2)(0,1)"},
        {E, "$|()", "", "(0,0)(0,0)"},
        {E, "(()|b|\\w.)*", "bb", "(0,2)(0,2)(0,0)"},
        {E, "(s{0}|a){2}", "a", "(0,1)(1,1)"},
        {P, "(?<=a)b(?<x>c?)", "abc", "(1,3)(2,3)"},
        {P, "(*UCP)\\w+", "-\xc3\xa9", "(1,3)"},
        {P | WK_RE_WORD, "a|b", "ab b", "(3,4)"},
        {WK_RE_LITERAL | WK_RE_ALTS, "a.b\nc", "a.bc", "(0,3)"},
        {E | WK_RE_WORD, "ab?", "abc a", "(4,5)"},
        {E | WK_RE_LINE, "a|ab", "ab", "(0,2)"},
        {B, "\\<\\+*", "a++", "(0,0)"},
        {B, "\\b*a\\?", "*a", "no"},
        {B | WK_RE_EMACS, "a+\\(b\\|c\\)?", "aac", "(0,3)(2,3)"},
    };
    char out[300];
    for (size_t i = 0; i < WK_COUNTOF(rows); i++)
        cr_expect_str_eq(result(rows[i].pattern, rows[i].flags, rows[i].subject, out), rows[i].want,
                         "%s on %s: %s", rows[i].pattern, rows[i].subject, out);
}

Test(re, searches_from_the_middle)
{
    struct wk_re *re = compile("^a|\\<b", WK_RE_EXTENDED);
    struct wk_re_span s;
    cr_assert_eq(wk_re_search(re, NULL, WK_STR("aab b"), 1, &s, 1), 1);
    cr_assert_eq(s.start, 4);
    struct wk_re_run run = {.not_bol = true};
    cr_assert_eq(wk_re_search(re, &run, WK_STR("aa"), 0, &s, 1), 0);
    wk_re_unref(re);
}

static int count_work(void *ctx, size_t bytes)
{
    *(size_t *)ctx += bytes;
    return 0;
}

/* Patterns that blow up backtrackers stay linear. */
Test(re, hostile_patterns_are_linear)
{
    static const char *const hard[] = {"(a|aa)+$",        "(a*)*b",
                                       "(a|a|a)*b",       "((a+)+)+b",
                                       "(.*)*x",          "a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?b",
                                       "(a{0,30}){0,30}b"};
    enum { N = 80000 };
    char *text = malloc(N + 1);
    memset(text, 'a', N);
    text[N] = 'c';
    for (size_t i = 0; i < WK_COUNTOF(hard); i++) {
        size_t work = 0;
        struct wk_re_run run = {.step = count_work, .ctx = &work};
        struct wk_re *re = compile(hard[i], WK_RE_EXTENDED);
        struct wk_re_span s[2];
        cr_expect_eq(wk_re_search(re, &run, wk_str(text, N + 1), 0, s, 2), 0, "%s", hard[i]);
        cr_expect_lt(work, 100u * N, "%s: %zu", hard[i], work);
        wk_re_unref(re);
    }
    free(text);
}

static int stop_soon(void *ctx, size_t bytes)
{
    (void)bytes;
    return --*(int *)ctx ? 0 : -WK_ESTOP;
}

Test(re, a_step_can_stop_a_search)
{
    int left = 3;
    struct wk_re_run run = {.step = stop_soon, .ctx = &left};
    char *text = malloc(1 << 20);
    memset(text, 'a', 1 << 20);
    struct wk_re *re = compile("(a|b)*c", WK_RE_EXTENDED);
    struct wk_re_span s[2];
    cr_assert_eq(wk_re_search(re, &run, wk_str(text, 1 << 20), 0, s, 2), -WK_ESTOP);
    wk_re_unref(re);
    re = compile("((a+)+)+\\1(b|c)", WK_RE_EXTENDED);
    left = 3;
    cr_assert_eq(wk_re_search(re, &run, wk_str(text, 600), 0, s, 2), -WK_ESTOP);
    wk_re_unref(re);
    re = compile("a.*[bc]", WK_RE_PERL);
    left = 3;
    cr_assert_eq(wk_re_search(re, &run, wk_str(text, 30000), 0, s, 2), -WK_ESTOP);
    wk_re_unref(re);
    re = compile("^(?:a?){30}a{30}[bc]", WK_RE_PERL); /* one try that takes very long */
    left = 3;
    cr_assert_eq(wk_re_search(re, &run, wk_str(text, 3000), 0, s, 2), -WK_ESTOP);
    wk_re_unref(re);
    re = compile("((a+)+)+\\1(b|c)", WK_RE_EXTENDED);
    run.step = NULL;
    run.pcre_limit = 100000;
    cr_assert_eq(wk_re_search(re, &run, wk_str(text, 600), 0, s, 2), -WK_ELIMIT);
    wk_re_unref(re);
    free(text);
}

Test(re, finds_lines)
{
    static const char *const patterns[] = {"b", "^b", "a.*d$", "(b|x)d", "^$", "zz", "[^a]d$"};
    static const size_t want[] = {3, 1, 1, 2, 1, 0, 3};
    struct wk_str buf = WK_STR("abcd\nbd\n\nxd\nacb");
    for (size_t i = 0; i < WK_COUNTOF(patterns); i++) {
        struct wk_re *re = compile(patterns[i], WK_RE_EXTENDED);
        struct wk_re_span line;
        size_t from = 0, count = 0;
        while (wk_re_find_line(re, NULL, buf, from, '\n', &line) == 1) {
            count++;
            cr_assert(line.start == 0 || buf.p[line.start - 1] == '\n');
            cr_assert((size_t)line.end == buf.n || buf.p[line.end] == '\n');
            from = (size_t)line.end + 1;
        }
        cr_expect_eq(count, want[i], "%s: %zu", patterns[i], count);
        wk_re_unref(re);
    }
    struct wk_re_span none;
    /* nothing begins behind the last end of line */
    struct wk_re *re = compile("^$", WK_RE_EXTENDED);
    cr_assert_eq(wk_re_find_line(re, NULL, WK_STR("a\nb\n"), 0, '\n', &none), 0);
    wk_re_unref(re);
}

/* Leftmost, then longest, of some words. */
static bool find_word(const struct wk_str *words, size_t n, struct wk_str text, struct wk_re_span *out)
{
    for (size_t at = 0; at <= text.n; at++) {
        ptrdiff_t longest = -1;
        for (size_t k = 0; k < n; k++)
            if (wk_str_starts(wk_str_from(text, at), words[k]))
                longest = WK_MAX(longest, (ptrdiff_t)words[k].n);
        if (longest >= 0) {
            *out = (struct wk_re_span){(ptrdiff_t)at, (ptrdiff_t)at + longest};
            return true;
        }
    }
    return false;
}

Test(re, lists_of_words)
{
    uint32_t x = 1;
    for (int turn = 0; turn < 300; turn++) {
        char pattern[400] = "(", text[40];
        struct wk_str words[30];
        size_t n = 1, count = 1 + (size_t)turn % 30, length = 0;
        for (size_t k = 0; k < count; k++) {
            size_t from = n;
            x = x * 1103515245 + 12345;
            for (uint32_t left = 1 + (x >> 16) % 6; left; left--) {
                x = x * 1103515245 + 12345;
                pattern[n++] = "abc"[(x >> 16) % 3];
            }
            words[k] = wk_str(pattern + from, n - from);
            pattern[n++] = k + 1 < count ? '|' : ')';
        }
        pattern[n] = '\0';
        struct wk_re *re = compile(pattern, WK_RE_EXTENDED);
        for (int k = 0; k < 20; k++) {
            x = x * 1103515245 + 12345;
            for (length = 0; length < (x >> 20) % sizeof text; length++)
                text[length] = "abcd"[((x >> 8) * (length + 7) * (length + 3) >> 3) % 4];
            struct wk_re_span want, s[2];
            bool found = find_word(words, count, wk_str(text, length), &want);
            cr_assert_eq(wk_re_search(re, NULL, wk_str(text, length), 0, s, 2), found, "%s", pattern);
            cr_assert(!found || (s[0].start == want.start && s[0].end == want.end && s[1].start == want.start &&
                                 s[1].end == want.end),
                      "%s on %.*s", pattern, (int)length, text);
        }
        wk_re_unref(re);
    }
}

Test(re, a_small_cache_gives_the_same)
{
    struct wk_re_env env = {.cache_bytes = 1};
    struct wk_re *big = compile("(a|b|ab|ba|[a-c]*b)*c(a|bc)*", WK_RE_EXTENDED), *small;
    cr_assert_eq(wk_re_compile(mem, WK_STR("(a|b|ab|ba|[a-c]*b)*c(a|bc)*"), WK_RE_EXTENDED, &env,
                               &small, NULL),
                 0);
    char text[2000];
    uint32_t x = 7;
    for (size_t i = 0; i < sizeof text; i++) {
        x = x * 1103515245 + 12345;
        text[i] = "abcbadacab"[(x >> 16) % 10];
    }
    for (size_t from = 0; from < sizeof text; from += 97) {
        struct wk_re_span a[3], b[3];
        cr_assert_eq(wk_re_search(big, NULL, wk_str(text, sizeof text), from, a, 3), 1);
        cr_assert_eq(wk_re_search(small, NULL, wk_str(text, sizeof text), from, b, 3), 1);
        cr_assert_eq(memcmp(a, b, sizeof a), 0);
    }
    wk_re_unref(big);
    wk_re_unref(small);
}

Test(re, every_allocation_may_fail)
{
    static const char *const patterns[] = {"(a|b)*c[[:alpha:]]\\b", "(a)\\1", "abc", "abc|abd|b|ca|cab",
                                           "((a|b|x)*)*(c|d)*((a)|b)*\\5\\1(q|r)|x"};
    for (size_t i = 0; i < WK_COUNTOF(patterns); i++)
        for (uint64_t k = 1; k < 120; k++) {
            struct wk_re *re;
            struct wk_re_span s[2], line;
            mem->count = 0;
            mem->fail_at = k;
            int r = wk_re_compile(mem, wk_str_c(patterns[i]), WK_RE_EXTENDED, NULL, &re, NULL);
            if (r == 0) {
                r = wk_re_search(re, NULL, WK_STR("xxabacdaa"), 0, s, 2);
                cr_assert(r >= 0 || r == -WK_ENOMEM);
                r = wk_re_find_line(re, NULL, WK_STR("xxabac\ndaa"), 0, '\n', &line);
                cr_assert(r >= 0 || r == -WK_ENOMEM);
                wk_re_unref(re);
            } else {
                cr_assert_eq(r, -WK_ENOMEM);
            }
            cr_assert_eq(wk_mem_used(mem), 0);
        }
    mem->fail_at = 0;
}

Test(re, deep_and_large_patterns)
{
    struct wk_re *re;
    char deep[402];
    memset(deep, '(', 150);
    deep[150] = 'a';
    memset(deep + 151, ')', 150);
    cr_assert_eq(wk_re_compile(mem, wk_str(deep, 301), WK_RE_EXTENDED, NULL, &re, NULL),
                 -WK_ELIMIT); /* needs lib_call */
    cr_assert_eq(wk_re_compile(mem, WK_STR("((a{1000}){1000}){1000}"), WK_RE_EXTENDED, NULL, &re,
                               NULL), -WK_ELIMIT);
    /* Repetitions of repetitions nest as groups do; those of nothing take no states. */
    char *stars = malloc(300001);
    memset(stars, '*', 300001);
    stars[0] = 'a';
    cr_assert_eq(wk_re_compile(mem, wk_str(stars, 300001), WK_RE_EXTENDED, NULL, &re, NULL),
                 -WK_EINVAL);
    cr_assert_eq(wk_re_compile(mem, wk_str(stars, 15), WK_RE_EXTENDED, NULL, &re, NULL), 0);
    cr_assert_eq(wk_re_search(re, NULL, WK_STR("aaa"), 0, NULL, 0), 1);
    wk_re_unref(re);
    free(stars);
    cr_assert_eq(wk_re_compile(mem, WK_STR("a{0}{32767}{32767}{32767}{32767}"), WK_RE_EXTENDED,
                               NULL, &re, NULL), -WK_ELIMIT);
    cr_assert_eq(wk_re_compile(mem, WK_STR("((((){32767}){32767}){32767}){32767}"),
                               WK_RE_EXTENDED | WK_RE_NOSUB, NULL, &re, NULL), -WK_ELIMIT);
    char *many = malloc(40000);
    for (size_t i = 0; i < 40000; i += 2) {
        many[i] = 'a';
        many[i + 1] = i + 2 < 40000 ? '|' : 'b';
    }
    cr_assert_eq(wk_re_compile(mem, wk_str(many, 40000), WK_RE_EXTENDED, NULL, &re, NULL), 0);
    cr_assert_eq(wk_re_search(re, NULL, WK_STR("xxa"), 0, NULL, 0), 1);
    wk_re_unref(re);
    free(many);
}
