/* comm.c - compare two sorted files line by line
 *
 * Standard: GNU coreutils 9.1, in byte order. Oracle: comm.
 */
#include "builtins/fsops.h"

struct comm_opts {
    bool no_first, no_second, no_both, total, zero;
    int check; /* 0 when a line has no partner, 1 always, -1 never */
    const char *separator;
};

static int set_separator(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct comm_opts *o = (struct comm_opts *)c->opts;
    if (o->separator && strcmp(o->separator, arg) != 0)
        wk_fail(c, 1, "multiple output delimiters specified");
    o->separator = arg;
    return 0;
}

static const struct wk_opt comm_options[] = {
    WK_FLAG(struct comm_opts, no_first, '1', NULL, "suppress column 1 (lines unique to FILE1)"),
    WK_FLAG(struct comm_opts, no_second, '2', NULL, "suppress column 2 (lines unique to FILE2)"),
    WK_FLAG(struct comm_opts, no_both, '3', NULL,
            "suppress column 3 (lines that appear in both files)"),
    WK_SET(struct comm_opts, check, 1, 0, "check-order",
           "check that the input is correctly sorted, even\nif all input lines are pairable"),
    WK_SET(struct comm_opts, check, -1, 0, "nocheck-order",
           "do not check that the input is correctly sorted"),
    WK_FUNC_OPT(set_separator, 0, 0, "output-delimiter", "STR", "separate columns with STR"),
    WK_FLAG(struct comm_opts, total, 0, "total", "output a summary"),
    WK_FLAG(struct comm_opts, zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
    WK_OPTS_END,
};

struct held {
    char *p;
    size_t n, cap;
    bool set;
};

struct side {
    struct wk_in *in;
    struct held line[3]; /* the present line and the two before, in turn */
    unsigned at;
    bool ended, warned;
};

struct comm_state {
    struct wk_cmd *c;
    const struct comm_opts *o;
    struct side side[2];
    struct wk_str separator;
    uint64_t totals[3];
    char eol;
    bool unpaired;
};

static struct wk_str held_str(const struct held *h)
{
    return wk_str(h->p, h->n);
}

static void check_order(struct comm_state *s, int which, const struct held *before,
                        const struct held *after)
{
    struct side *d = &s->side[which];
    if (s->o->check < 0 || (s->o->check == 0 && !s->unpaired) || d->warned || !before->set)
        return;
    if (wk_str_cmp(held_str(before), held_str(after)) <= 0)
        return;
    d->warned = true;
    int status = s->c->status;
    if (s->o->check > 0)
        wk_fail(s->c, 1, "file %d is not in sorted order", which + 1);
    wk_msg(s->c, "file %d is not in sorted order", which + 1);
    s->c->status = status;
}

static void advance(struct comm_state *s, int which)
{
    struct side *d = &s->side[which];
    struct wk_str line;
    struct held *before = &d->line[d->at];
    d->at = (d->at + 1) % 3;
    struct held *now = &d->line[d->at];
    if (!wk_line_next(d->in, s->eol, &line)) {
        d->ended = true;
        if (d->in->err)
            wk_exit(s->c, 1);
        /* A line without partner may have been seen since these two were looked at. */
        struct held *older = &d->line[(d->at + 1) % 3];
        if (older->set)
            check_order(s, which, older, before);
        return;
    }
    if (line.n > now->cap) {
        now->cap = line.n * 2 + 64;
        wk_heap_free(s->c->heap, now->p);
        now->p = NULL;
        char *fresh = (char *)wk_heap_alloc(s->c->heap, now->cap);
        now->p = fresh;
    }
    if (line.n)
        memcpy(now->p, line.p, line.n);
    now->n = line.n;
    now->set = true;
    check_order(s, which, before, now);
}

static void put_line(struct comm_state *s, const struct held *h, int column)
{
    const struct comm_opts *o = s->o;
    struct wk_out *out = s->c->out;
    if (column == 0 ? o->no_first : column == 1 ? o->no_second : o->no_both)
        return;
    if (column > 0 && !o->no_first)
        wk_out_str(out, s->separator);
    if (column > 1 && !o->no_second)
        wk_out_str(out, s->separator);
    wk_out_put(out, h->p, h->n);
    wk_out_char(out, s->eol);
}

static void compare(struct comm_state *s)
{
    struct side *a = &s->side[0], *b = &s->side[1];
    advance(s, 0);
    advance(s, 1);
    while (!a->ended || !b->ended) {
        const struct held *x = &a->line[a->at], *y = &b->line[b->at];
        int r = a->ended ? 1 : b->ended ? -1 : wk_str_cmp(held_str(x), held_str(y));
        int column = r == 0 ? 2 : r < 0 ? 0 : 1;
        s->totals[column]++;
        if (r)
            s->unpaired = true;
        put_line(s, r <= 0 ? x : y, column);
        if (r <= 0)
            advance(s, 0);
        if (r >= 0)
            advance(s, 1);
        wk_tick(s->c, 1);
    }
}

static int comm_main(struct wk_cmd *c)
{
    const struct comm_opts *o = (const struct comm_opts *)c->opts;
    struct comm_state s = {.c = c, .o = o, .eol = o->zero ? '\0' : '\n'};
    s.separator = !o->separator   ? WK_STR("\t")
                  : *o->separator ? wk_str_c(o->separator)
                                  : wk_str(o->separator, 1);
    for (int i = 0; i < 2; i++)
        if (!(s.side[i].in = wk_in_open(c, c->args[i], true)))
            return 1;
    compare(&s);
    if (s.side[0].in == s.side[1].in) /* it cannot be closed twice */
        wk_fail(c, 1, "-: %s", wk_err_text(WK_EBADF));
    if (o->total) {
        for (int i = 0; i < 3; i++) {
            wk_out_u64(c->out, s.totals[i]);
            wk_out_c(c->out, s.separator.p); /* GNU: a NUL is not printed here */
        }
        wk_out_c(c->out, "total");
        wk_out_char(c->out, s.eol);
    }
    if (s.side[0].warned || s.side[1].warned)
        wk_fail(c, 1, "input is not in sorted order");
    return c->status;
}

WK_COMMAND(comm, .summary = "compare sorted files FILE1 and FILE2 line by line",
           .usage = "comm [OPTION]... FILE1 FILE2", .std = "coreutils 9.1", .opts = comm_options,
           .opts_size = sizeof(struct comm_opts), .min_args = 2, .max_args = 2,
           .flags = WK_CMD_FILTER);
