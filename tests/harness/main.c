/* main.c - whelk-case: runs case files in this process
 *
 * whelk-case run [-v] [--known FILE] [--filter TEXT] FILE…
 * whelk-case list FILE…
 *
 * Prints what failed and "N passed, N failed" at the end. Cases named in the file of known failures
 * ("FILE: NAME  # reason" a line, FILE without directory "tests/cases/" and ".case") must fail: one
 * that passes has to leave the list, which may only shrink.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/harness/case_run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct totals {
    size_t passed, failed, known;
};

struct options {
    bool verbose, list;
    struct wk_str filter;
    struct wk_str known; /* text of the file */
};

static bool read_whole(struct wk_buf *b, const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t n;
    char block[65536];
    if (!f)
        return false;
    while ((n = fread(block, 1, sizeof block, f)) > 0)
        wk_buf_put(b, block, n);
    bool ok = !ferror(f) && !b->failed;
    fclose(f);
    return ok;
}

/* "…/tests/cases/lang/split.case" is known as "lang/split". */
static struct wk_str short_name(const char *path)
{
    struct wk_str s = wk_str_c(path);
    ptrdiff_t at = wk_str_find(s, WK_STR("tests/cases/"));
    if (at >= 0)
        s = wk_str_from(s, (size_t)at + 12);
    if (wk_str_ends(s, WK_STR(".case")))
        s.n -= 5;
    return s;
}

static bool is_known(const struct options *o, struct wk_str file, struct wk_str name)
{
    struct wk_str text = o->known;
    while (text.n) {
        ptrdiff_t nl = wk_str_chr(text, '\n');
        struct wk_str line = wk_str_take(text, nl < 0 ? text.n : (size_t)nl);
        text = wk_str_from(text, line.n + 1);
        ptrdiff_t reason = wk_str_find(line, WK_STR("  #"));
        if (reason >= 0)
            line = wk_str_take(line, (size_t)reason);
        line = wk_str_trim(line);
        if (wk_str_starts(line, file) && wk_str_starts(wk_str_from(line, file.n), WK_STR(": ")) &&
            wk_str_eq(wk_str_trim(wk_str_from(line, file.n + 2)), name))
            return true;
    }
    return false;
}

static void run_one(whelk_runtime *rt, const struct options *o, const char *path,
                    const struct wk_case *c, struct totals *t, struct wk_mem *mem)
{
    struct wk_case_result r = {0};
    wk_buf_init(&r.why, mem, 1 << 26);
    if (o->verbose) {
        printf("%s: %.*s\n", path, (int)c->name.n, c->name.p);
        fflush(stdout);
    }
    wk_case_run(rt, c, &r);
    bool known = is_known(o, short_name(path), c->name);
    if (r.passed && known) {
        printf("FAIL %s:%zu: %.*s\n  passes, so it must leave the list of known failures\n", path,
               c->line, (int)c->name.n, c->name.p);
        t->failed++;
    } else if (r.passed) {
        t->passed++;
    } else if (known) {
        t->known++;
    } else {
        printf("FAIL %s:%zu: %.*s\n%s", path, c->line, (int)c->name.n, c->name.p, wk_buf_c(&r.why));
        t->failed++;
    }
    wk_buf_release(&r.why);
}

static void run_file(whelk_runtime *rt, const struct options *o, const char *path, struct totals *t,
                     struct wk_mem *mem)
{
    struct wk_buf text;
    struct wk_arena arena;
    struct wk_case_file f = {0};
    wk_buf_init(&text, mem, SIZE_MAX / 2);
    wk_arena_init(&arena, mem);
    if (!read_whole(&text, path)) {
        printf("FAIL %s: cannot be read\n", path);
        t->failed++;
    } else if (!wk_case_parse(&arena, wk_buf_str(&text), &f)) {
        printf("FAIL %s:%zu: %s\n", path, f.bad_line, f.bad ? f.bad : "malformed");
        t->failed++;
    } else {
        for (const struct wk_case *c = f.cases; c; c = c->next) {
            if (o->filter.n && wk_str_find(c->name, o->filter) < 0)
                continue;
            if (o->list)
                printf("%s:%zu: %.*s\n", path, c->line, (int)c->name.n, c->name.p);
            else
                run_one(rt, o, path, c, t, mem);
        }
    }
    wk_arena_release(&arena);
    wk_buf_release(&text);
}

static int usage(void)
{
    fputs("usage: whelk-case run [-v] [--known FILE] [--filter TEXT] FILE…\n"
          "       whelk-case list FILE…\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    struct options o = {0};
    struct totals t = {0};
    struct wk_mem *mem = wk_mem_new(SIZE_MAX);
    struct wk_buf known;
    whelk_runtime *rt = NULL;
    int i = 2;
    if (argc < 3 || !mem)
        return usage();
    wk_buf_init(&known, mem, SIZE_MAX / 2);
    o.list = strcmp(argv[1], "list") == 0;
    if (!o.list && strcmp(argv[1], "run") != 0)
        return usage();
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "-v") == 0)
            o.verbose = true;
        else if (strcmp(argv[i], "--filter") == 0 && i + 1 < argc)
            o.filter = wk_str_c(argv[++i]);
        else if (strcmp(argv[i], "--known") == 0 && i + 1 < argc)
            read_whole(&known, argv[++i]); /* no file: nothing is known to fail */
        else
            return usage();
    }
    o.known = wk_buf_str(&known);
    signal(SIGPIPE, SIG_IGN);
    if (whelk_runtime_new(NULL, &rt) != WHELK_OK) {
        fputs("whelk-case: no runtime\n", stderr);
        return 2;
    }
    for (; i < argc; i++)
        run_file(rt, &o, argv[i], &t, mem);
    if (!o.list) {
        printf("%zu passed, %zu failed", t.passed, t.failed);
        if (t.known)
            printf(" (%zu known failures)", t.known);
        putchar('\n');
    }
    fflush(stdout); /* a leak report at exit would swallow it */
    wk_buf_release(&known);
    whelk_runtime_free(rt);
    wk_mem_unref(mem);
    return t.failed ? 1 : 0;
}
