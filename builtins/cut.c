/* cut.c - remove sections from each line of files
 *
 * Standard: GNU coreutils 9.1. Oracle: cut.
 */
#include "builtins/fsops.h"
#include "builtins/ranges.h"

struct cut_opts {
    const char *list, *delimiter, *output;
    int kind; /* 'b' or 'f' */
    bool ignored, complement, only_delimited, zero;
};

static int set_list(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct cut_opts *o = (struct cut_opts *)c->opts;
    if (o->list)
        wk_usage(c, "only one list may be specified");
    o->kind = opt->value;
    o->list = arg;
    return 0;
}

static int set_delimiter(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct cut_opts *o = (struct cut_opts *)c->opts;
    if (arg[0] && arg[1])
        wk_usage(c, "the delimiter must be a single character");
    o->delimiter = arg;
    return 0;
}

static const struct wk_opt cut_options[] = {
    WK_FUNC_OPT(set_list, 'b', 'b', "bytes", "LIST", "select only these bytes"),
    WK_FUNC_OPT(set_list, 'b', 'c', "characters", "LIST", "select only these characters"),
    WK_FUNC_OPT(set_delimiter, 0, 'd', "delimiter", "DELIM",
                "use DELIM instead of TAB for field delimiter"),
    WK_FUNC_OPT(set_list, 'f', 'f', "fields", "LIST",
                "select only these fields;  also print any line\nthat contains no delimiter "
                "character, unless\nthe -s option is specified"),
    WK_FLAG(struct cut_opts, ignored, 'n', NULL, "(ignored)"),
    WK_FLAG(struct cut_opts, complement, 0, "complement",
            "complement the set of selected bytes, characters\nor fields"),
    WK_FLAG(struct cut_opts, only_delimited, 's', "only-delimited",
            "do not print lines not containing delimiters"),
    WK_STR_OPT(struct cut_opts, output, 0, "output-delimiter", "STRING",
               "use STRING as the output delimiter\nthe default is to use the input delimiter"),
    WK_FLAG(struct cut_opts, zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
    WK_OPTS_END,
};

struct cutter {
    struct wk_cmd *c;
    const struct wk_range *v;
    struct wk_str between; /* output delimiter; p NULL: none between byte ranges */
    char delim, eol;
    bool only_delimited;
};

static void cut_bytes(struct cutter *s, struct wk_str line)
{
    struct wk_out *out = s->c->out;
    bool more = false;
    for (const struct wk_range *r = s->v; r->lo <= line.n; r++) {
        size_t from = (size_t)r->lo - 1;
        size_t to = r->hi < line.n ? (size_t)r->hi : line.n;
        if (more && s->between.p)
            wk_out_str(out, s->between);
        wk_out_put(out, line.p + from, to - from);
        more = true;
    }
    wk_out_char(out, s->eol);
}

static void cut_fields(struct cutter *s, struct wk_str line)
{
    struct wk_out *out = s->c->out;
    const char *p = line.p, *end = line.p + line.n;
    const char *d = line.n ? (const char *)memchr(p, s->delim, line.n) : NULL;
    if (!d) {
        if (s->only_delimited)
            return;
        wk_out_str(out, line);
        wk_out_char(out, s->eol);
        return;
    }
    bool more = false;
    uint64_t field = 1;
    const struct wk_range *r = s->v;
    while (r->lo != UINT64_MAX) {
        if (field >= r->lo) {
            if (more)
                wk_out_str(out, s->between);
            if (r->hi == UINT64_MAX && s->between.n == 1 && s->between.p[0] == s->delim) {
                wk_out_put(out, p, (size_t)(end - p)); /* the rest as it stands */
                break;
            }
            wk_out_put(out, p, (size_t)((d ? d : end) - p));
            more = true;
        }
        if (!d)
            break;
        if (field == r->hi)
            r++;
        field++;
        p = d + 1;
        d = p < end ? (const char *)memchr(p, s->delim, (size_t)(end - p)) : NULL;
    }
    wk_out_char(out, s->eol);
}

/* ---- lines of any length, in parts ---- */

struct progress {
    const struct wk_range *r;
    uint64_t at;             /* bytes before the part, or the number of the field */
    struct wk_fifo_buf held; /* without a delimiter so far */
    bool more, delimited;
    bool fresh; /* nothing of the field was seen */
};

static void part_of_bytes(struct cutter *s, struct progress *g, struct wk_str part)
{
    uint64_t end = g->at + part.n;
    while (g->r->lo <= end) {
        uint64_t from = g->r->lo - 1, to = WK_MIN(g->r->hi, end);
        if (from >= g->at) {
            if (g->more && s->between.p)
                wk_out_str(s->c->out, s->between);
            g->more = true;
        }
        from = WK_MAX(from, g->at);
        wk_out_put(s->c->out, part.p + (from - g->at), (size_t)(to - from));
        if (g->r->hi > end)
            break;
        g->r++;
    }
    g->at = end;
}

static void piece_of_field(struct cutter *s, struct progress *g, const char *p, size_t n)
{
    if (g->at >= g->r->lo) {
        if (g->fresh && g->more)
            wk_out_str(s->c->out, s->between);
        wk_out_put(s->c->out, p, n);
        g->more = true;
    }
    g->fresh = false;
}

static void part_of_fields(struct cutter *s, struct progress *g, struct wk_str part)
{
    const char *p = part.p, *end = p + part.n, *d;
    while (p < end && (d = (const char *)memchr(p, s->delim, (size_t)(end - p)))) {
        piece_of_field(s, g, p, (size_t)(d - p));
        if (g->at == g->r->hi)
            g->r++;
        g->at++;
        g->fresh = true;
        p = d + 1;
    }
    if (p < end)
        piece_of_field(s, g, p, (size_t)(end - p));
}

/* What has no delimiter yet waits: without any the line is printed whole, or not at all. */
static void hold_part(struct cutter *s, struct progress *g, struct wk_str part)
{
    if (g->delimited) {
        part_of_fields(s, g, part);
        return;
    }
    wk_fifo_put(s->c, &g->held, part.p, part.n);
    g->delimited = part.n && memchr(part.p, s->delim, part.n);
    if (!g->delimited)
        return;
    part_of_fields(s, g, wk_str(g->held.p + g->held.head, g->held.n));
    wk_heap_free(s->c->heap, g->held.p);
    g->held = (struct wk_fifo_buf){0};
}

static void cut_long(struct cutter *s, struct wk_in *in, struct wk_str part, bool fields)
{
    struct progress g = {.r = s->v, .at = fields, .fresh = true};
    bool last = false;
    for (;;) {
        if (fields)
            hold_part(s, &g, part);
        else
            part_of_bytes(s, &g, part);
        if (last || !wk_line_part(in, s->eol, &part, &last))
            break;
    }
    /* One delimiter at the end: GNU takes it for a NUL that was read. */
    bool taken = !last && fields && g.delimited && g.fresh && g.at == 2 && s->eol == '\0' &&
                 s->only_delimited == (s->v->lo == 1);
    if (fields && g.delimited && g.fresh && !taken)
        piece_of_field(s, &g, "", 0);
    else if (fields && !g.delimited && !s->only_delimited)
        wk_out_put(s->c->out, g.held.p + g.held.head, g.held.n);
    if (!taken && (!fields || g.delimited || !s->only_delimited))
        wk_out_char(s->c->out, s->eol);
    wk_heap_free(s->c->heap, g.held.p);
}

/* The delimiter is the line terminator: lines are fields, the file is one record. */
static void cut_line_fields(struct cutter *s, struct wk_in *in)
{
    struct wk_str line;
    const struct wk_range *r = s->v;
    bool more = false;
    uint64_t field = 1;
    for (; wk_line_next(in, s->eol, &line); field++) {
        bool whole = field == 1 && in->no_newline; /* one line, nothing delimited */
        if (whole && s->only_delimited)
            return;
        if (field >= r->lo || whole) {
            if (more)
                wk_out_str(s->c->out, s->between);
            wk_out_str(s->c->out, line);
            more = true;
        }
        if (field == r->hi)
            r++;
    }
    if (field > 1)
        wk_out_char(s->c->out, s->eol);
}

static void cut_prepare(struct wk_cmd *c, struct cut_opts *o, struct cutter *s)
{
    bool fields = o->kind == 'f';
    if (!o->list)
        wk_usage(c, "you must specify a list of bytes, characters, or fields");
    if (!fields && o->delimiter)
        wk_usage(c, "an input delimiter may be specified only when operating on fields");
    if (!fields && o->only_delimited)
        wk_usage(c, "suppressing non-delimited lines makes sense\n\tonly when operating on fields");
    struct wk_ranges ranges;
    wk_ranges_parse(c, o->list,
                    (fields ? WK_RANGES_FIELDS : 0) | (o->complement ? WK_RANGES_COMPLEMENT : 0),
                    &ranges);
    s->v = ranges.v;
    s->delim = o->delimiter ? o->delimiter[0] : '\t';
    s->eol = o->zero ? '\0' : '\n';
    s->only_delimited = o->only_delimited;
    char *own = wk_dupn(c, &s->delim, 1);
    if (o->output)
        s->between = *o->output ? wk_str_c(o->output) : wk_str(o->output, 1);
    else if (fields)
        s->between = wk_str(own, 1);
}

static int cut_main(struct wk_cmd *c)
{
    struct cut_opts *o = (struct cut_opts *)c->opts;
    struct cutter s = {.c = c};
    cut_prepare(c, o, &s);
    struct wk_in *in = NULL;
    struct wk_str line;
    bool whole, fields = o->kind == 'f';
    while (wk_input_next(c, &in)) {
        if (fields && s.delim == s.eol) {
            cut_line_fields(&s, in);
            continue;
        }
        while (wk_line_part(in, s.eol, &line, &whole)) {
            if (!whole)
                cut_long(&s, in, line, fields);
            else if (fields)
                cut_fields(&s, line);
            else
                cut_bytes(&s, line);
        }
    }
    return c->status;
}

WK_COMMAND(cut, .summary = "print selected parts of lines from each FILE to standard output",
           .usage = "cut OPTION... [FILE]...", .std = "coreutils 9.1", .opts = cut_options,
           .opts_size = sizeof(struct cut_opts),
           .help = "Use one, and only one of -b, -c or -f.  Each LIST is made up of one\n"
                   "range, or many ranges separated by commas.  Selected input is written\n"
                   "in the same order that it is read, and is written exactly once.\n"
                   "Each range is one of:\n\n"
                   "  N     N'th byte, character or field, counted from 1\n"
                   "  N-    from N'th byte, character or field, to end of line\n"
                   "  N-M   from N'th to M'th (included) byte, character or field\n"
                   "  -M    from first to M'th (included) byte, character or field\n",
           .flags = WK_CMD_FILTER);
