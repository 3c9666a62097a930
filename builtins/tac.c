/* tac.c - concatenate files with their records in reverse
 *
 * Standard: none. Oracle: coreutils 9.1 tac.
 * Differs:  docs/divergences/tac.md
 */
#define _GNU_SOURCE /* memrchr */
#include "builtins/tac.h"

#include "base/utf8.h"
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

struct reverse {
    struct wk_tac t;
    struct wk_str sep;
    struct wk_re *re; /* NULL: sep is literal */
    bool before, utf8;
    size_t bound; /* of the bytes at hand: the next separator ends here or in front of it */
    size_t seen;  /* and begins in front of this place */
};

/* A separator: what is behind it, or from it on, is a record. */
static void put_record(struct reverse *r, size_t start, size_t end)
{
    struct wk_tac *t = &r->t;
    size_t from = r->before ? start : end;
    wk_out_put(t->c->out, t->buf + t->at + from, t->n - from);
    t->n = from;
    r->bound = r->seen = start;
}

/* GNU looks for separators from the end: overlapping ones are taken from there. */
static void find_literal(struct reverse *r)
{
    struct wk_tac *t = &r->t;
    struct wk_str sep = r->sep;
    while (r->seen && r->bound >= sep.n) {
        const char *text = t->buf + t->at;
        size_t places = WK_MIN(r->seen, r->bound - sep.n + 1);
        const char *p = memrchr(text, sep.p[0], places);
        r->seen = p ? (size_t)(p - text) : 0;
        wk_tick(t->c, (uint32_t)((places - r->seen) / 256 & 0xffffff) + 1);
        if (p && memcmp(p, sep.p, sep.n) == 0)
            put_record(r, r->seen, r->seen + sep.n);
    }
    r->seen = 0;
}

static bool search(struct wk_cmd *c, struct wk_re *re, struct wk_str s, size_t from,
                   struct wk_re_span *span)
{
    struct wk_re_run run = wk_cmd_re_run(c);
    return wk_cmd_re_search(c, re, &run, s, from, span, 1, 1);
}

/* The places where matches begin, from `from` to what was seen. */
struct starts {
    size_t *v;
    size_t n, cap;
};

static void find_starts(struct reverse *r, struct wk_str text, size_t from, struct starts *k)
{
    struct wk_re_span span;
    struct wk_cmd *c = r->t.c;
    k->n = 0;
    for (size_t at = from; at < r->seen && search(c, r->re, text, at, &span);) {
        if ((size_t)span.start >= r->seen)
            break;
        if (k->n == k->cap) {
            k->cap = k->cap ? k->cap * 2 : 64;
            k->v = (size_t *)wk_heap_realloc(c->heap, k->v, k->cap * sizeof *k->v);
        }
        k->v[k->n++] = (size_t)span.start;
        uint32_t ch;
        at = (size_t)span.start;
        at += r->utf8 && at < text.n ? wk_utf8_next(text.p + at, text.n - at, &ch)
                                     : 1; /* none begins within a character */
        wk_tick(c, 1);
    }
}

/* GNU looks for matches from the end: the last place where one begins, then the last one before it
 * in the text that is left. The places are found from the front, a window at a time. The first byte
 * at hand only tells what precedes the second, unless it is the first of all. */
static void find_regex(struct reverse *r, struct starts *k)
{
    enum { WINDOW = 64 * 1024 };
    struct wk_tac *t = &r->t;
    struct wk_re_span span;
    const size_t first = t->low > 0;
    while (r->seen > first) {
        size_t window = WK_MAX((size_t)WINDOW, r->bound - WK_MIN(r->bound, r->seen));
        size_t from = r->seen - first > window ? r->seen - window : first;
        find_starts(r, wk_str(t->buf + t->at, r->bound), from, k);
        for (size_t i = k->n; i-- > 0;) {
            size_t at = k->v[i];
            struct wk_str left = wk_str(t->buf + t->at, r->bound);
            if (at >= r->bound || !search(t->c, r->re, left, at, &span) || (size_t)span.start != at)
                continue;
            put_record(r, at, (size_t)span.end);
            wk_tick(t->c, 1);
        }
        r->seen = from;
    }
}

static void put_reversed(struct reverse *r)
{
    struct wk_tac *t = &r->t;
    struct starts k = {0};
    r->bound = r->seen = t->n;
    for (;;) {
        if (r->re)
            find_regex(r, &k);
        else
            find_literal(r);
        size_t had = t->n;
        if (!wk_tac_more(t))
            break;
        r->bound += t->n - had;
        r->seen += t->n - had;
    }
    if (t->n)
        wk_out_put(t->c->out, t->buf + t->at, t->n);
    wk_heap_free(t->c->heap, k.v);
}

static int tac_main(struct wk_cmd *c)
{
    const struct tac_opts *o = c->opts;
    static const char nul = '\0';
    struct reverse r = {.before = o->before, .utf8 = wk_cmd_utf8(c)};
    bool from_input = false, closed = !c->in->file;
    r.sep = o->separator ? wk_str_c(o->separator) : WK_STR("\n");
    if (o->regex && o->separator) {
        if (!r.sep.n)
            wk_fail(c, 1, "separator cannot be empty");
        struct wk_re_error err;
        r.re = wk_cmd_re(c, r.sep, WK_RE_EMACS | WK_RE_NEWLINE | WK_RE_NOSUB, &err);
        if (!r.re)
            wk_fail(c, 1, "%s", err.text);
    } else if (!r.sep.n) {
        r.sep = wk_str(&nul, 1);
    }
    for (int i = 0; i < c->nargs || i == 0; i++) {
        struct wk_in *in = c->in;
        const char *name = c->nargs ? c->args[i] : "-";
        bool dash = strcmp(name, "-") == 0;
        int err = dash ? 0 : wk_raw_open(c, name, false, &in);
        from_input = from_input || dash;
        if (err) {
            wk_msg(c, "failed to open %s for reading: %s", wk_quote(c, name), wk_err_text(err));
            continue;
        }
        if (wk_tac_open(c, in, dash ? "standard input" : name, &r.t)) {
            put_reversed(&r);
            wk_tac_close(&r.t);
        }
        if (in != c->in)
            wk_in_close(in);
    }
    if (from_input && closed)
        wk_msg(c, "-: %s", wk_err_text(WK_EBADF));
    return c->status;
}

WK_COMMAND(tac, .summary = "concatenate and print files in reverse",
           .usage = "tac [OPTION]... [FILE]...", .std = "coreutils 9.1", .opts = tac_options,
           .opts_size = sizeof(struct tac_opts),
           .flags = WK_CMD_FILTER);
