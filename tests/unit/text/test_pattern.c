/* test_pattern.c - shell patterns */
#include "text/pattern/pattern.h"

#include "base/err.h"
#include "base/rng.h"

#include <criterion/criterion.h>

/* One account and arena for a test. */
struct bench {
    struct wk_mem *mem;
    struct wk_arena arena;
    struct wk_pattern_run run;
    uint64_t budget;
};

static int step(void *ctx, size_t n)
{
    struct bench *b = ctx;
    if (n > b->budget)
        return -WK_ELIMIT;
    b->budget -= n;
    return 0;
}

static struct bench open_bench(void)
{
    struct bench b = {.mem = wk_mem_new(SIZE_MAX), .budget = UINT64_MAX};
    wk_arena_init(&b.arena, b.mem);
    b.run.mem = b.mem;
    return b;
}

static void close_bench(struct bench *b)
{
    wk_pattern_run_release(&b->run);
    wk_arena_release(&b->arena);
    cr_assert_eq(wk_mem_used(b->mem), 0);
    wk_mem_unref(b->mem);
}

static const struct wk_pattern *compile(struct bench *b, const char *text, unsigned flags)
{
    const struct wk_pattern *p;
    cr_assert_eq(wk_pattern_compile(&b->arena, wk_str_c(text), flags, &p), 0, "%s", text);
    return p;
}

static bool matches(struct bench *b, const char *s, const char *pattern, unsigned flags)
{
    int r = wk_pattern_match(compile(b, pattern, flags), &b->run, wk_str_c(s));
    cr_assert(r == 0 || r == 1);
    return r == 1;
}

Test(pattern, whole)
{
    static const struct {
        const char *s, *p;
        unsigned flags;
        bool want;
    } rows[] = {
        {"", "", 0, true},
        {"a", "", 0, false},
        {"abc", "a*c", 0, true},
        {"abc", "a?c", 0, true},
        {"a\xc3\xa9\x63", "a?c", 0, true},
        {"a\xc3\xa9\x63", "a??c", WK_PATTERN_BYTES, true},
        {"a\xff\x63", "a?c", 0, true},
        {"]", "[]]", 0, true},
        {"[a", "[a", 0, true},
        {"b", "[a\\]b]", 0, true},
        {"*", "\\*", 0, true},
        {"a\\", "a\\", 0, true},
        {"B", "b", WK_PATTERN_NOCASE, true},
        {"\xc3\x89", "\xc3\xa9", WK_PATTERN_NOCASE, true},
        {"-", "[[.hyphen.]]", 0, true},
        {"b", "[z-a]", 0, false},
        {"a(b|c)d", "@(a(b|c)d)", WK_PATTERN_EXTGLOB, true},
        {"abab", "+(ab)", WK_PATTERN_EXTGLOB, true},
        {"x.o", "!(*.o|*.c)", WK_PATTERN_EXTGLOB, false},
        {"x.h", "!(*.o|*.c)", WK_PATTERN_EXTGLOB, true},
        {"a", "!(!(a))", WK_PATTERN_EXTGLOB, true},
        {"b", "!(!(a))", WK_PATTERN_EXTGLOB, false},
        {"@(a", "@(a", WK_PATTERN_EXTGLOB, true},
        {".a", "*", WK_PATTERN_PERIOD, false},
        {".a", ".*", WK_PATTERN_PERIOD, true},
        {".a", "!(b)", WK_PATTERN_PERIOD | WK_PATTERN_EXTGLOB, false},
        {".a", "@(.a|b)", WK_PATTERN_PERIOD | WK_PATTERN_EXTGLOB, true},
        {"a/b", "*", WK_PATTERN_PATHNAME, false},
        {"a/b", "*/?", WK_PATTERN_PATHNAME, true},
        {"a/.b", "*/*", WK_PATTERN_PATHNAME | WK_PATTERN_PERIOD, false},
    };
    struct bench b = open_bench();
    for (size_t i = 0; i < WK_COUNTOF(rows); i++)
        cr_expect_eq(matches(&b, rows[i].s, rows[i].p, rows[i].flags), rows[i].want, "'%s' '%s'",
                     rows[i].s, rows[i].p);
    close_bench(&b);
}

Test(pattern, parts)
{
    struct bench b = open_bench();
    size_t x, y;
    struct wk_str path = WK_STR("/usr/local/lib/x.tar.gz");
    const struct wk_pattern *p = compile(&b, "*/", 0);
    cr_assert_eq(wk_pattern_prefix(p, &b.run, path, true, &x), 1);
    cr_assert_eq(x, 15);
    cr_assert_eq(wk_pattern_prefix(p, &b.run, path, false, &x), 1);
    cr_assert_eq(x, 1);
    p = compile(&b, ".*", 0);
    cr_assert_eq(wk_pattern_suffix(p, &b.run, path, false, &x), 1);
    cr_assert_eq(x, 20);
    cr_assert_eq(wk_pattern_suffix(p, &b.run, path, true, &x), 1);
    cr_assert_eq(x, 16);
    p = compile(&b, "l+([a-z])", WK_PATTERN_EXTGLOB);
    cr_assert_eq(wk_pattern_find(p, &b.run, path, 6, &x, &y), 1);
    cr_assert_eq(x, 11);
    cr_assert_eq(y, 14);
    cr_assert_eq(wk_pattern_find(p, &b.run, path, 15, &x, &y), 0);
    close_bench(&b);
}

Test(pattern, hostile_patterns_stay_polynomial)
{
    struct bench b = open_bench();
    b.run.step = step;
    b.run.ctx = &b;
    b.budget = 400000000;
    char text[2001];
    memset(text, 'a', 2000);
    text[2000] = 0;
    static const char *const hard[] = {"+(a|aa|a*)c", "*(*(*(*(a))))b", "*a*a*a*a*a*a*a*a*a*ab",
                                       "!(*a*b*c)d", "*+(!(b))c", "@(*|?(a)*|*(aa))*b"};
    for (size_t i = 0; i < WK_COUNTOF(hard); i++)
        cr_expect_not(matches(&b, text, hard[i], WK_PATTERN_EXTGLOB), "%s", hard[i]);
    b.budget = 1000;
    const struct wk_pattern *p = compile(&b, "*+(!(*b*c))d", WK_PATTERN_EXTGLOB);
    cr_assert_eq(wk_pattern_match(p, &b.run, wk_str(text, 2000)), -WK_ELIMIT);
    char marks[1002]; /* every place costs a walk along the pattern, which is counted */
    memset(marks, '?', 1000);
    memcpy(marks + 1000, "b", 2);
    size_t x, y;
    b.budget = 100000;
    b.run.pending = 0;
    p = compile(&b, marks, 0);
    cr_assert_eq(wk_pattern_find(p, &b.run, wk_str(text, 2000), 0, &x, &y), -WK_ELIMIT);
    char deep[400] = "";
    for (size_t i = 0; i < 40; i++)
        memcpy(deep + 2 * i, "@(", 2);
    memset(deep + 80, ')', 40);
    const struct wk_pattern *none;
    cr_assert_eq(wk_pattern_compile(&b.arena, wk_str(deep, 120), WK_PATTERN_EXTGLOB, &none),
                 -WK_ELIMIT);
    close_bench(&b);
}

Test(pattern, replacing_all_is_linear)
{
    struct bench b = open_bench();
    enum { N = 200000 };
    char *text = malloc(N);
    for (size_t i = 0; i < N; i++)
        text[i] = i % 100 < 50 ? 'x' : '7';
    const struct wk_pattern *p = compile(&b, "+([0-9])", WK_PATTERN_EXTGLOB);
    b.run.keep = true;
    size_t at = 0, x, y, count = 0;
    while (wk_pattern_find(p, &b.run, wk_str(text, N), at, &x, &y) == 1) {
        count++;
        at = y;
    }
    cr_assert_eq(count, N / 100);
    cr_assert_lt(b.run.total, 50u * N);
    free(text);
    close_bench(&b);
}

Test(pattern, quoting)
{
    struct bench b = open_bench();
    struct wk_buf out;
    wk_buf_init(&out, b.mem, 1000);
    wk_pattern_quote(&out, WK_STR("a*[b]?\\"));
    cr_assert(matches(&b, "a*[b]?\\", wk_buf_c(&out), WK_PATTERN_EXTGLOB));
    struct wk_str lit;
    cr_assert(wk_pattern_literal(compile(&b, wk_buf_c(&out), 0), &lit));
    cr_assert(wk_str_is(lit, "a*[b]?\\"));
    cr_assert(wk_pattern_has_magic(WK_STR("a[b]"), 0));
    cr_assert_not(wk_pattern_has_magic(WK_STR("a[b\\*"), 0));
    cr_assert_not(wk_pattern_has_magic(WK_STR("+(a)"), 0));
    cr_assert(wk_pattern_has_magic(WK_STR("+(a)"), WK_PATTERN_EXTGLOB));
    wk_buf_release(&out);
    close_bench(&b);
}

Test(pattern, every_allocation_may_fail)
{
    for (uint64_t k = 1; k < 30; k++) {
        struct bench b = open_bench();
        b.mem->fail_at = k;
        const struct wk_pattern *p;
        size_t x, y;
        int r = wk_pattern_compile(&b.arena, WK_STR("*a!(x!(y)|[a-\xc3\xa9])b"),
                                   WK_PATTERN_EXTGLOB, &p);
        if (!r)
            r = wk_pattern_find(p, &b.run, WK_STR("xxaaxaxaxabxy"), 0, &x, &y);
        cr_assert(r == -WK_ENOMEM || r == 1 || r == 0);
        close_bench(&b);
    }
}
