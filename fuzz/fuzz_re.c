/* fuzz_re.c - regular expressions: any pattern on any subject; all ways of asking must agree
 *
 * input: two bytes of flags, then the pattern up to a NUL, then the subject.
 */
#include "base/err.h"
#include "text/re/re.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct budget {
    size_t left;
};

static int spend(void *ctx, size_t bytes)
{
    struct budget *b = ctx;
    if (bytes > b->left)
        return -WK_ESTOP;
    b->left -= bytes;
    return 0;
}

/* Spans lie inside the subject and groups inside the whole. */
static void check_spans(const struct wk_re_span *s, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++) {
        if (s[i].start == -1 && s[i].end == -1 && i > 0)
            continue;
        if (s[i].start < 0 || s[i].end < s[i].start || (size_t)s[i].end > size)
            __builtin_trap();
    }
}

static void search_all(struct wk_re *re, struct wk_str subject, size_t groups)
{
    struct budget b = {20000000};
    struct wk_re_run run = {.step = spend, .ctx = &b, .pcre_limit = 10000};
    struct wk_re_span spans[6], one, line;
    size_t from = 0;
    for (int turn = 0; turn < 50 && from <= subject.n; turn++) {
        int r = wk_re_search(re, &run, subject, from, spans, 6);
        int any = wk_re_search(re, &run, subject, from, NULL, 0);
        int whole = wk_re_search(re, &run, subject, from, &one, 1);
        if (r < 0 || any < 0 || whole < 0)
            return;
        if (r != any || r != whole)
            __builtin_trap();
        if (r == 0)
            break;
        check_spans(spans, WK_MIN(groups + 1, 6), subject.n);
        if (spans[0].start != one.start || spans[0].end != one.end ||
            (size_t)spans[0].start < from)
            __builtin_trap();
        from = (size_t)spans[0].end + (spans[0].end == spans[0].start);
    }
    if (wk_re_find_line(re, &run, subject, 0, '\n', &line) == 1)
        check_spans(&line, 1, subject.n);
}

/* What is found by texts, and of several lines at once, is what the automaton finds alone, and line by line. */
static void compare(struct wk_re *re, struct wk_re *plain, struct wk_str subject)
{
    struct budget b = {20000000};
    struct wk_re_run run = {.step = spend, .ctx = &b};
    struct wk_re_span x, y;
    int r = wk_re_search(re, &run, subject, 0, &x, 1);
    int s = wk_re_search(plain, &run, subject, 0, &y, 1);
    if (r >= 0 && s >= 0 && (r != s || (r == 1 && (x.start != y.start || x.end != y.end))))
        __builtin_trap();
    static struct wk_re_lines lines;
    if (!subject.n || wk_re_lines_judge(re, &run, subject, 0, '\n', &lines))
        return;
    bool more = wk_re_lines_next(&lines, subject, &x);
    for (size_t at = 0; at < lines.to;) {
        ptrdiff_t nl = wk_str_chr(wk_str_from(subject, at), '\n');
        struct wk_str line = wk_str(subject.p + at, nl < 0 ? subject.n - at : (size_t)nl);
        s = wk_re_search(plain, &run, line, 0, NULL, 0);
        if (s < 0)
            return;
        bool marked = more && (size_t)x.start == at;
        if (marked != s)
            __builtin_trap();
        if (marked)
            more = wk_re_lines_next(&lines, subject, &x);
        at += line.n + 1;
    }
    if (more)
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    unsigned flags = (data[0] | (unsigned)data[1] << 8) & 0xfffd; /* Perl patterns are PCRE2's */
    struct wk_str rest = wk_str((const char *)data + 2, size - 2);
    ptrdiff_t nul = wk_str_chr(rest, '\0');
    struct wk_str pattern = nul < 0 ? rest : wk_str_take(rest, (size_t)nul);
    struct wk_str subject = wk_str_from(rest, pattern.n + 1);
    struct wk_mem *m = wk_mem_new(64u << 20);
    if (!m)
        return 0;
    struct wk_re *re;
    struct wk_re_env env = {.cache_bytes = 4096, .max_states = 2000};
    if (wk_re_compile(m, pattern, flags, &env, &re, NULL) == 0) {
        search_all(re, subject, wk_re_groups(re));
        struct wk_re *plain;
        env.plain = true;
        if (wk_re_compile(m, pattern, flags, &env, &plain, NULL) == 0) {
            compare(re, plain, subject);
            wk_re_unref(plain);
        }
        wk_re_unref(re);
    }
    if (wk_mem_used(m) != 0)
        __builtin_trap();
    wk_mem_unref(m);
    return 0;
}
