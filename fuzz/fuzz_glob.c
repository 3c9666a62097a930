/* fuzz_glob.c - patterns of paths in sandboxes: any pattern on any path; braces mean what is written out
 *
 * input: one byte (1: names with a dot are like others), then the pattern up to a NUL, then the path.
 */
#include "adapters/sandbox/sandbox_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether a path below the beginning matches: its names one by one. The last one may be a directory. */
static int matches(const struct wk_box_glob *g, struct wk_mem *m, struct wk_str path, bool dir)
{
    struct wk_box_glob_state s = g->start, next;
    int r = 0;
    while (path.n) {
        ptrdiff_t slash = wk_str_chr(path, '/');
        struct wk_str name = wk_str_take(path, slash < 0 ? path.n : (size_t)slash);
        path = wk_str_from(path, name.n + 1);
        if (!name.n)
            continue;
        r = wk_box_glob_step(g, m, &s, name, slash >= 0 || dir, &next);
        if (r < 0)
            return r;
        if (wk_box_glob_dead(&next) && path.n)
            return 0;
        s = next;
    }
    return r;
}

/* A pattern, and {it,it}, match the same. */
static void check_twice(struct whelk_sandbox *b, const char *pattern, bool hidden, struct wk_str path, int wanted)
{
    struct wk_buf twice;
    struct wk_box_glob again;
    if (strpbrk(pattern, "{},\\"))
        return;
    wk_buf_init(&twice, b->mem, 1 << 20);
    wk_buf_fmt(&twice, "{%s,%s}", pattern, pattern);
    int code = wk_box_glob_init(b, wk_buf_c(&twice), hidden, &again);
    if (code == WHELK_OK && matches(&again, b->mem, path, false) != wanted)
        __builtin_trap();
    wk_box_glob_release(&again);
    wk_buf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wk_mem *m = size ? wk_mem_new(64u << 20) : NULL;
    if (!m)
        return 0;
    struct whelk_sandbox b = {.mem = m};
    wk_buf_init(&b.error, m, 1 << 20);
    struct wk_str rest = wk_str((const char *)data + 1, size - 1);
    ptrdiff_t nul = wk_str_chr(rest, '\0');
    size_t n = nul < 0 ? rest.n : (size_t)nul;
    char *pattern = wk_strndup(m, rest.p, n);
    struct wk_str path = wk_str_from(rest, n + 1);
    if (path.p && memchr(path.p, 0, path.n))
        path.n = 0;
    bool hidden = data[0] & 1;
    struct wk_box_glob g;
    int code = pattern ? wk_box_glob_init(&b, pattern, hidden, &g) : WHELK_E_NOMEM;
    if (pattern && code == WHELK_OK) {
        int file = matches(&g, m, path, false), dir = matches(&g, m, path, true);
        if (file < 0 || file > 1 || dir < file)
            __builtin_trap();
        if (strlen(pattern) < 2000)
            check_twice(&b, pattern, hidden, path, file);
    }
    if (pattern)
        wk_box_glob_release(&g);
    wk_free(m, pattern);
    wk_buf_release(&b.error);
    if (wk_mem_used(m))
        __builtin_trap();
    wk_mem_unref(m);
    return 0;
}
