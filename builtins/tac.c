/* tac.c - concatenate files with their records in reverse
 *
 * Standard: none. Oracle: coreutils 9.1 tac.
 * Differs:  docs/divergences/tac.md
 */
#define _GNU_SOURCE /* memrchr */
#include "base/utf8.h"
#include "builtins/fsops.h"
#include "builtins/regex.h"

struct tac_opts {
    bool before, regex;
    const char *separator;
};

static const struct wk_opt tac_options[] = {
    WK_FLAG(struct tac_opts, before, 'b', "before", "attach the separator before instead of after"),
    WK_FLAG(struct tac_opts, regex, 'r', "regex",
            "interpret the separator as a regular expression"),
    WK_STR_OPT(struct tac_opts, separator, 's', "separator", "STRING",
               "use STRING as the separator instead of newline"),
    WK_OPTS_END,
};

/* The places where separators end (or begin, with -b). */
struct cuts {
    size_t *v;
    size_t n, cap;
};

static void add_cut(struct wk_cmd *c, struct cuts *k, size_t at)
{
    if (k->n == k->cap) {
        k->cap = k->cap ? k->cap * 2 : 64;
        k->v = wk_heap_realloc(c->heap, k->v, k->cap * sizeof *k->v);
    }
    k->v[k->n++] = at;
}

/* GNU looks for separators from the end: overlapping ones are taken from there. */
static void find_literal(struct wk_cmd *c, struct wk_str s, struct wk_str sep, bool before,
                         struct cuts *k)
{
    if (sep.n == 1) {
        for (size_t i = s.n; i-- > 0;) {
            const char *p = memrchr(s.p, sep.p[0], i + 1);
            if (!p)
                return;
            i = (size_t)(p - s.p);
            add_cut(c, k, before ? i : i + 1);
            wk_tick(c, 1);
        }
        return;
    }
    for (size_t end = s.n; end >= sep.n;) {
        if (memcmp(s.p + end - sep.n, sep.p, sep.n) == 0) {
            add_cut(c, k, before ? end - sep.n : end);
            end -= sep.n;
        } else {
            end--;
        }
        wk_tick(c, (uint32_t)(sep.n / 64) + 1);
    }
}

static void put_records(struct wk_cmd *c, struct wk_str s, const struct cuts *k)
{
    size_t end = s.n;
    for (size_t i = 0; i < k->n; i++) {
        if (k->v[i] < end)
            wk_out_put(c->out, s.p + k->v[i], end - k->v[i]);
        end = k->v[i];
    }
    wk_out_put(c->out, s.p, end);
}

static int search(struct wk_cmd *c, struct wk_re *re, struct wk_str s, size_t from,
                  struct wk_re_span *span)
{
    struct wk_re_run run = wk_cmd_re_run(c);
    int r = wk_re_search(re, &run, s, from, span, 1);
    if (r == -WK_ENOMEM)
        wk_heap_exhausted(c->heap);
    if (r < 0)
        wk_fail(c, 1, "error in regular expression search");
    return r;
}

/* GNU looks for matches from the end: the last place where one begins, then the last one before it
 * in the text that is left. The places are found from the front. */
static void find_regex(struct wk_cmd *c, struct wk_str s, struct wk_re *re, bool before,
                       struct cuts *k)
{
    struct cuts starts = {0};
    struct wk_re_span span;
    size_t end = s.n;
    bool utf8 = wk_cmd_utf8(c);
    for (size_t at = 0; at < s.n && search(c, re, s, at, &span);) {
        uint32_t ch;
        add_cut(c, &starts, (size_t)span.start);
        at = (size_t)span.start;
        at += utf8 && at < s.n ? wk_utf8_next(s.p + at, s.n - at, &ch) : 1; /* none begins within a character */
        wk_tick(c, 1);
    }
    for (size_t i = starts.n; i-- > 0;) {
        size_t at = starts.v[i];
        if (at >= end || !search(c, re, wk_str_take(s, end), at, &span) || (size_t)span.start != at)
            continue;
        add_cut(c, k, (size_t)(before ? span.start : span.end));
        end = at;
        wk_tick(c, 1);
    }
    wk_heap_free(c->heap, starts.v);
}

static int tac_main(struct wk_cmd *c)
{
    const struct tac_opts *o = c->opts;
    static const char nul = '\0';
    struct wk_str sep = o->separator ? wk_str_c(o->separator) : WK_STR("\n");
    struct wk_re *re = NULL;
    if (o->regex && o->separator) {
        if (!sep.n)
            wk_fail(c, 1, "separator cannot be empty");
        struct wk_re_error err;
        re = wk_cmd_re(c, sep, WK_RE_EMACS | WK_RE_NEWLINE | WK_RE_NOSUB, &err);
        if (!re)
            wk_fail(c, 1, "%s", err.text);
    } else if (!sep.n) {
        sep = wk_str(&nul, 1);
    }
    for (int i = 0; i < c->nargs || i == 0; i++) {
        struct cuts k = {0};
        struct wk_in *in = c->in;
        int err = c->nargs ? wk_raw_open(c, c->args[i], true, &in) : 0;
        if (err) {
            wk_msg(c, "failed to open %s for reading: %s", wk_quote(c, c->args[i]),
                   wk_err_text(err));
            continue;
        }
        struct wk_str s = wk_in_all(in);
        if (re)
            find_regex(c, s, re, o->before, &k);
        else
            find_literal(c, s, sep, o->before, &k);
        put_records(c, s, &k);
        wk_heap_free(c->heap, k.v);
        if (s.n)
            wk_heap_free(c->heap, (void *)(uintptr_t)s.p);
        if (in != c->in)
            wk_in_close(in);
    }
    return c->status;
}

WK_COMMAND(tac, .summary = "concatenate and print files in reverse",
           .usage = "tac [OPTION]... [FILE]...", .std = "coreutils 9.1", .opts = tac_options,
           .opts_size = sizeof(struct tac_opts));
