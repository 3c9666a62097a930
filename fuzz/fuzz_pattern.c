/* fuzz_pattern.c - shell patterns: any pattern on any subject; the ways of matching must agree
 *
 * input: one byte of flags, then the pattern up to a NUL, then the subject.
 */
#include "base/err.h"
#include "text/pattern/pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int spend(void *ctx, size_t steps)
{
    size_t *left = ctx;
    if (steps > *left)
        return -WK_ESTOP;
    *left -= steps;
    return 0;
}

static void check(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s)
{
    size_t longest, shortest, at, end;
    int whole = wk_pattern_match(p, run, s);
    int l = wk_pattern_prefix(p, run, s, true, &longest);
    int r = wk_pattern_prefix(p, run, s, false, &shortest);
    if (whole < 0 || l < 0 || r < 0)
        return;
    if (l != r || (l && (shortest > longest || longest > s.n)))
        __builtin_trap();
    if (whole == 1 && (l != 1 || longest != s.n))
        __builtin_trap();
    l = wk_pattern_suffix(p, run, s, true, &longest);
    r = wk_pattern_suffix(p, run, s, false, &shortest);
    if (l < 0 || r < 0)
        return;
    if (l != r || (l && (shortest < longest || shortest > s.n)))
        __builtin_trap();
    if (whole == 1 && (l != 1 || longest != 0))
        __builtin_trap();
    r = wk_pattern_find(p, run, s, 0, &at, &end);
    if (r == 1 && (at > end || end > s.n))
        __builtin_trap();
    if (r == 0 && whole == 1)
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    /* Where a period leads depends on what is asked: only whole matches use that flag. */
    unsigned flags = data[0] & (WK_PATTERN_EXTGLOB | WK_PATTERN_NOCASE | WK_PATTERN_BYTES);
    struct wk_str rest = wk_str((const char *)data + 1, size - 1);
    ptrdiff_t nul = wk_str_chr(rest, '\0');
    struct wk_str pattern = nul < 0 ? rest : wk_str_take(rest, (size_t)nul);
    struct wk_str subject = wk_str_from(rest, pattern.n + 1);
    struct wk_mem *m = wk_mem_new(64u << 20);
    if (!m)
        return 0;
    struct wk_arena a;
    size_t left = 20000000;
    struct wk_pattern_run run = {.mem = m, .step = spend, .ctx = &left, .keep = data[0] & 128};
    const struct wk_pattern *p;
    wk_arena_init(&a, m);
    if (wk_pattern_compile(&a, pattern, flags, &p) == 0)
        check(p, &run, subject);
    wk_pattern_run_release(&run);
    wk_arena_release(&a);
    if (wk_mem_used(m) != 0)
        __builtin_trap();
    wk_mem_unref(m);
    return 0;
}
