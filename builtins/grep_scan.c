/* grep_scan.c - grep: one input searched piece by piece, its lines printed with their contexts */
#define _GNU_SOURCE /* memrchr */
#include "builtins/grep.h"

#include "base/utf8.h"
#include "builtins/fsops.h"
#include "builtins/regex.h"

enum { READ_BYTES = 96 * 1024, FIRST_BYTES = 128 * 1024, BINARY_LOOK = 96 * 1024, KEEP_BYTES = 1024 * 1024 };

/* A window on the input: whole lines in [0, end), a partial line up to n. Offsets are into `buf`.
 */
struct scan {
    struct wk_grep *g;
    struct wk_in *in;
    const char *name;
    char *buf;
    size_t n, cap, end;
    size_t pos;     /* start of the first line not yet judged */
    size_t printed; /* everything before this was printed, or is out of reach */
    size_t counted; /* lines were counted up to here */
    int64_t base;   /* offset in the input of buf[0] */
    int64_t lines;  /* lines before `counted` */
    int64_t selected, after_left;
    int64_t size;   /* of a file that is read from its start, where its end is; 0: not known */
    int64_t last_end; /* offset behind the last selected line */
    int columns; /* of numbers, for -T; 0: as they come */
    bool is_file, eof, binary, stop, hid_lines,
        gap; /* nothing was printed that is still at hand */
};

static void grow(struct scan *s, size_t cap)
{
    s->buf = s->g->buf = wk_heap_realloc(s->g->c->heap, s->buf, cap);
    s->cap = s->g->cap = cap;
}

/* Start of the line that is `count` lines before the line at `at`, not before `floor`. */
static size_t back_lines(const struct scan *s, size_t at, int64_t count, size_t floor)
{
    while (count-- > 0 && at > floor) {
        const char *p = at > floor + 1 ? memrchr(s->buf + floor, s->g->eol, at - 1 - floor) : NULL;
        at = p ? (size_t)(p - s->buf) + 1 : floor;
    }
    return at;
}

static void count_to(struct scan *s, size_t at)
{
    while (s->counted < at) {
        const char *p = memchr(s->buf + s->counted, s->g->eol, at - s->counted);
        if (!p) {
            s->counted = at;
            return;
        }
        s->lines++;
        s->counted = (size_t)(p - s->buf) + 1;
    }
}

/* In what is binary a NUL ends a line, too. */
static void end_lines_at_nuls(struct scan *s, size_t from)
{
    const struct grep_opts *o = s->g->o;
    if (o->text || o->null_data)
        return;
    if (!s->binary && memchr(s->buf + from, '\0', s->n - from)) {
        s->binary = true;
        from = s->pos;
    }
    for (char *p = s->buf + from; s->binary && (p = memchr(p, '\0', (size_t)(s->buf + s->n - p))) != NULL;)
        *p++ = s->g->eol;
}

/* Drop what no context can need any more and read on. False at the end. */
static bool refill(struct scan *s)
{
    size_t keep = s->pos;
    if (s->g->before > 0)
        keep = back_lines(s, s->pos, s->g->before, WK_MIN(s->printed, s->pos));
    s->gap = s->gap || keep > s->printed;
    if (s->g->o->number)
        count_to(s, keep);
    if (keep)
        memmove(s->buf, s->buf + keep, s->n - keep);
    s->n -= keep;
    s->pos -= keep;
    s->printed = s->printed > keep ? s->printed - keep : 0;
    s->counted = s->counted > keep ? s->counted - keep : 0;
    s->base += (int64_t)keep;
    if (s->eof)
        return false;
    size_t had = s->n;
    do { /* whether a file is binary is seen from what stands at its beginning */
        if (s->cap - s->n < READ_BYTES)
            grow(s, s->cap > FIRST_BYTES ? s->cap * 2 : 2 * FIRST_BYTES);
        size_t got = wk_in_some(s->in, s->buf + s->n, READ_BYTES);
        s->n += got;
        s->eof = got == 0 || (s->size && s->base + (int64_t)s->n == s->size);
        end_lines_at_nuls(s, s->n - got);
    } while (!s->eof && s->is_file && s->base == 0 && s->n < BINARY_LOOK);
    const char *last = s->eof ? NULL : memrchr(s->buf + had, s->g->eol, s->n - had);
    s->end = s->eof ? s->n : last ? (size_t)(last - s->buf) + 1 : s->pos;
    return !s->eof || s->n > s->pos;
}

/* ---- printing
 * ------------------------------------------------------------------------------------- */

static void start_color(const struct wk_grep *g, const char *sgr)
{
    wk_out_fmt(g->c->out, "\33[%sm%s", sgr, g->colors.ne ? "" : "\33[K");
}

static void end_color(const struct wk_grep *g)
{
    wk_out_c(g->c->out, g->colors.ne ? "\33[m" : "\33[m\33[K");
}

static void put_colored(const struct wk_grep *g, const char *sgr, const char *text)
{
    bool color = g->color && *sgr;
    if (color)
        start_color(g, sgr);
    wk_out_c(g->c->out, text);
    if (color)
        end_color(g);
}

static void put_number_field(struct scan *s, const char *sgr, int64_t v, char sep)
{
    char text[32];
    size_t i = sizeof text - 1;
    text[i] = '\0';
    int digits = 0;
    do {
        text[--i] = (char)('0' + v % 10);
        v /= 10;
        digits++;
    } while (v);
    while (digits++ < s->columns && i)
        text[--i] = ' ';
    put_colored(s->g, sgr, text + i);
    char mark[2] = {sep, '\0'};
    put_colored(s->g, s->g->colors.se, mark);
}

/* A tab keeps the text of lines that have some in columns. */
static void put_prefix(struct scan *s, size_t at, char sep, bool empty)
{
    const struct grep_opts *o = s->g->o;
    struct wk_out *out = s->g->c->out;
    char mark[2] = {sep, '\0'};
    bool any = false;
    if (s->g->names) {
        put_colored(s->g, s->g->colors.fn, s->name);
        if (o->null_name)
            wk_out_char(out, '\0');
        else
            put_colored(s->g, s->g->colors.se, mark);
        any = true;
    }
    if (o->number) {
        count_to(s, at);
        put_number_field(s, s->g->colors.ln, s->lines + 1, sep);
        any = true;
    }
    if (o->byte_offset) {
        put_number_field(s, s->g->colors.bn, s->base + (int64_t)at, sep);
        any = true;
    }
    if (o->initial_tab && any && !empty)
        wk_out_c(out, "\t");
}

static void failed(struct scan *s, int r)
{
    s->g->trouble = true;
    s->stop = true;
    if (r == -WK_ENOMEM)
        wk_heap_exhausted(s->g->c->heap);
    const char *limit = s->g->o->syntax == WK_RE_PERL ? "exceeded PCRE's backtracking limit"
                                                      : "the regular expression takes too much work";
    wk_msg(s->g->c, "%s: %s", s->name, r == -WK_ELIMIT ? limit : wk_err_text(-r));
}

/* For all parts of one line. */
static struct wk_re_run part_run(const struct scan *s)
{
    struct wk_re_run run = wk_cmd_re_run(s->g->c);
    run.same = true;
    return run;
}

/* The next matched part that is not empty, from *from on; *from is put behind it. */
static bool next_part(struct scan *s, struct wk_re_run *run, struct wk_str line, size_t *from,
                      struct wk_re_span *span)
{
    while (*from <= line.n && !s->stop) {
        int r = wk_re_search(s->g->re, run, line, *from, span, 1);
        if (r < 0)
            failed(s, r);
        if (r != 1)
            return false;
        *from = (size_t)span->end;
        if (span->end > span->start)
            return true;
        ++*from;
    }
    return false;
}

static void put_match(struct scan *s, struct wk_str line, const struct wk_re_span *span, const char *sgr)
{
    if (s->g->color && *sgr)
        start_color(s->g, sgr);
    wk_out_put(s->g->c->out, line.p + span->start, (size_t)(span->end - span->start));
    if (s->g->color && *sgr)
        end_color(s->g);
}

/* What holds bytes that are no characters is not printed: the end of the input will tell. */
static bool is_hidden(struct scan *s, struct wk_str text)
{
    bool bad = s->g->utf8 && !s->g->o->text && !wk_utf8_valid(text);
    s->hid_lines = s->hid_lines || bad;
    return bad;
}

/* -o: the matched parts, each on a line of its own; -b counts from the part. */
static void put_parts(struct scan *s, size_t at, struct wk_str line, char sep)
{
    struct wk_re_span span;
    struct wk_re_run run = part_run(s);
    size_t from = 0;
    while (next_part(s, &run, line, &from, &span)) {
        if (is_hidden(s, wk_str(line.p + span.start, (size_t)(span.end - span.start))))
            continue;
        put_prefix(s, at + (size_t)span.start, sep, false);
        put_match(s, line, &span, sep == ':' ? s->g->colors.ms : s->g->colors.mc);
        wk_out_char(s->g->c->out, s->g->eol);
    }
}

/* A line in its colours; a return at its end stays outside of them. */
static void put_highlighted(struct scan *s, struct wk_str line, bool selected)
{
    const struct wk_grep_colors *k = &s->g->colors;
    struct wk_out *out = s->g->c->out;
    const char *around = selected != (s->g->o->invert && k->rv) ? k->sl : k->cx;
    const char *match = selected ? k->ms : k->mc;
    struct wk_re_span span;
    struct wk_re_run run = part_run(s);
    size_t from = 0, done = 0, tail = line.n - (line.n && line.p[line.n - 1] == '\r');
    while (*match && selected != s->g->o->invert && next_part(s, &run, line, &from, &span)) {
        if (*around)
            start_color(s->g, around);
        wk_out_put(out, line.p + done, (size_t)span.start - done);
        put_match(s, line, &span, match);
        done = from;
    }
    if (*around && tail > done) {
        start_color(s->g, around);
        wk_out_put(out, line.p + done, tail - done);
        end_color(s->g);
        done = tail;
    }
    wk_out_put(out, line.p + done, line.n - done);
}

static void put_line(struct scan *s, size_t at, size_t end, char sep)
{
    struct wk_out *out = s->g->c->out;
    size_t n = end - at;
    bool ended = n && s->buf[end - 1] == s->g->eol;
    struct wk_str line = wk_str(s->buf + at, n - ended);
    size_t before = s->printed;
    s->printed = end;
    if (s->g->o->only_matching) {
        s->gap = false;
        if ((sep == ':') != s->g->o->invert)
            put_parts(s, at, line, sep);
        return;
    }
    if (is_hidden(s, line)) {
        s->printed = before;
        return;
    }
    s->gap = false;
    put_prefix(s, at, sep, line.n == 0);
    if (s->g->color)
        put_highlighted(s, line, sep == ':');
    else
        wk_out_str(out, line);
    wk_out_char(out, s->g->eol);
}

static void put_separator(struct scan *s, bool apart)
{
    if (s->g->o->before <= 0 && s->g->o->after <= 0)
        return;
    if (s->g->printed_any && apart && !s->g->o->no_separator) {
        put_colored(s->g, s->g->colors.se, s->g->o->separator ? s->g->o->separator : "--");
        wk_out_char(s->g->c->out, '\n');
    }
    s->g->printed_any = true;
}

/* ---- judging lines
 * ----------------------------------------------------------------------------------- */

static bool counts_only(const struct grep_opts *o)
{
    return o->count || o->list || o->quiet;
}

static void say_binary(struct scan *s)
{
    s->stop = true;
    s->hid_lines = false;
    wk_out_flush(s->g->c->out);
    wk_out_fmt(s->g->c->err, "%s: %s: binary file matches\n", s->g->c->name, s->name);
}

/* `again`: the line before was selected by -v, too; what goes in front of a group has been there. */
static void select_line(struct scan *s, size_t at, size_t end, bool again)
{
    const struct grep_opts *o = s->g->o;
    s->selected++;
    s->last_end = s->base + (int64_t)end;
    if (o->quiet || o->list) {
        s->stop = true;
        return;
    }
    if (!counts_only(o)) {
        if (s->binary) {
            s->g->printed_any = true; /* as far as separators go */
            say_binary(s);
            return;
        }
        size_t first = again ? at : back_lines(s, at, s->g->before, s->printed);
        if (!again)
            put_separator(s, s->gap || first > s->printed);
        while (first < at) {
            const char *e = memchr(s->buf + first, s->g->eol, at - first);
            size_t next = e ? (size_t)(e - s->buf) + 1 : at;
            put_line(s, first, next, '-');
            first = next;
        }
        put_line(s, at, end, ':');
        s->after_left = s->g->after;
    }
    if (s->selected >= o->max_count)
        s->stop = s->after_left <= 0;
}

/* Lines up to `to` that are not selected: the first few may be context after a selected one. They begin behind what
 * was printed last, so that a line that is hidden takes the place of all further ones, as in GNU grep. */
static void pass_lines(struct scan *s, size_t to)
{
    s->gap = s->gap && (s->after_left <= 0 || counts_only(s->g->o)); /* what is at hand now is as if printed */
    while (s->printed < to && s->after_left > 0 && !counts_only(s->g->o)) {
        size_t from = s->printed;
        const char *e = memchr(s->buf + from, s->g->eol, to - from);
        put_line(s, from, e ? (size_t)(e - s->buf) + 1 : to, '-');
        s->after_left = s->printed > from ? s->after_left - 1 : 0;
    }
    if (s->selected >= s->g->o->max_count && s->after_left <= 0)
        s->stop = true;
}

static void select_each(struct scan *s, size_t from, size_t to)
{
    for (bool again = false; from < to && !s->stop; again = true) {
        const char *e = memchr(s->buf + from, s->g->eol, to - from);
        size_t next = e ? (size_t)(e - s->buf) + 1 : to;
        if (s->selected < s->g->o->max_count)
            select_line(s, from, next, again && e); /* GNU grep looks at a last line without end by itself */
        else
            pass_lines(s, next);
        from = next;
    }
    s->pos = from;
}

/* The lines of a block, of which `lines` tells those that have a match. */
static void judge_block(struct scan *s, struct wk_re_lines *lines)
{
    struct wk_str buf = wk_str(s->buf, s->end);
    struct wk_re_span line;
    size_t to = lines->to;
    while (s->pos < to && !s->stop) {
        bool any = s->selected < s->g->o->max_count && wk_re_lines_next(lines, buf, &line);
        size_t start = any ? (size_t)line.start : to;
        size_t next = any ? WK_MIN((size_t)line.end + 1, to) : to;
        if (s->g->o->invert) {
            select_each(s, s->pos, start);
            if (!s->stop) {
                pass_lines(s, next);
                s->pos = next;
            }
        } else {
            pass_lines(s, start);
            s->pos = start;
            if (any && !s->stop) {
                select_line(s, start, next, false);
                s->pos = next;
            }
        }
    }
}

/* The same when only their number is asked for. */
static void count_block(struct scan *s, const struct wk_re_lines *lines)
{
    size_t n = wk_re_lines_count(lines);
    if (s->g->o->invert) {
        struct wk_str all = wk_str(s->buf + lines->from, lines->to - lines->from);
        n = wk_str_count(all, s->g->eol) + (all.p[all.n - 1] != s->g->eol) - n;
    }
    s->selected += (int64_t)n;
    s->pos = lines->to;
}

/* The whole lines at hand. */
static void judge(struct scan *s)
{
    const struct grep_opts *o = s->g->o;
    struct wk_re_run run = wk_cmd_re_run(s->g->c);
    while (s->pos < s->end && !s->stop) {
        struct wk_str buf = wk_str(s->buf, s->end);
        if (s->selected >= o->max_count) {
            pass_lines(s, s->end);
            s->pos = s->end;
            return;
        }
        int r = wk_re_lines_judge(s->g->re, &run, buf, s->pos, s->g->eol, s->g->lines);
        if (r < 0)
            failed(s, r);
        else if (o->count && !o->quiet && !o->list && o->max_count == INT64_MAX)
            count_block(s, s->g->lines);
        else
            judge_block(s, s->g->lines);
    }
}

/* As many as the greatest offset or line number of the input may have. */
static int number_columns(struct wk_in *in, bool lines)
{
    struct wk_stat st;
    int columns = 0;
    uint64_t most = INT64_MAX;
    if (in->file && wk_file_stat(in->file, &st) >= 0 && WK_S_ISREG(st.mode))
        most = st.size + lines;
    for (; most; most /= 10)
        columns++;
    return columns;
}

static bool is_output(const struct wk_grep *g, struct wk_in *in)
{
    struct wk_stat st;
    return g->out.mode && in->file && wk_file_stat(in->file, &st) >= 0 && wk_stat_same(&st, &g->out);
}

/* Where the input's offset is left, if it can be: behind the last selected line when there were as many as -m wants,
 * at the end of what is binary, else behind the pieces that were looked at, which are those of GNU grep. */
static void leave_offset(struct scan *s)
{
    const struct grep_opts *o = s->g->o;
    int64_t at = s->base + (int64_t)s->n, to = at;
    if (s->selected >= o->max_count && !o->quiet && !o->list && !s->binary)
        to = s->last_end;
    else if (s->stop)
        to = WK_MIN(at, (s->base + (int64_t)s->pos + BINARY_LOOK - 1) / BINARY_LOOK * BINARY_LOOK);
    wk_in_sync(s->in);
    if (s->binary && !o->quiet && !o->list)
        (void)wk_file_seek(s->in->file, 0, 2);
    else if (to != at)
        (void)wk_file_seek(s->in->file, to - at, 1);
}

bool wk_grep_input(struct wk_grep *g, struct wk_in *in, const char *name)
{
    struct scan s = {.g = g, .in = in, .name = name, .gap = true};
    const struct grep_opts *o = g->o;
    struct wk_stat st;
    s.is_file = in->file && wk_file_stat(in->file, &st) >= 0 && WK_S_ISREG(st.mode);
    if (s.is_file && in->owned && st.size <= READ_BYTES)
        s.size = (int64_t)st.size;
    if (o->initial_tab)
        s.columns = number_columns(in, o->number);
    if (!g->buf) {
        g->cap = FIRST_BYTES;
        g->buf = wk_heap_alloc(g->c->heap, g->cap);
    }
    s.buf = g->buf;
    s.cap = g->cap;
    if (o->max_count <= 0)
        s.stop = true;
    if (!s.stop && is_output(g, in)) {
        g->trouble = s.stop = true;
        if (!o->no_messages) {
            wk_out_flush(g->c->out);
            wk_out_fmt(g->c->err, "%s: %s: input file is also the output\n", g->c->name, name);
        }
    }
    while (!s.stop && refill(&s)) {
        if (s.binary && o->binary && strcmp(o->binary, "without-match") == 0) {
            s.selected = 0;
            break;
        }
        judge(&s);
    }
    if (!in->owned && in->file)
        leave_offset(&s);
    if (s.hid_lines && !(o->binary && strcmp(o->binary, "without-match") == 0))
        say_binary(&s);
    bool bad = in->err != 0;
    g->trouble = g->trouble || bad;
    wk_grep_tell(g, name, s.selected);
    if (s.cap > KEEP_BYTES)
        wk_heap_free(g->c->heap, s.buf);
    g->buf = s.cap > KEEP_BYTES ? NULL : s.buf;
    return s.selected > 0;
}

void wk_grep_tell(struct wk_grep *g, const char *name, int64_t selected)
{
    const struct grep_opts *o = g->o;
    if (o->count && !o->list && !o->quiet) {
        if (g->names) {
            put_colored(g, g->colors.fn, name);
            if (o->null_name)
                wk_out_char(g->c->out, '\0');
            else
                put_colored(g, g->colors.se, ":");
        }
        wk_out_i64(g->c->out, selected);
        wk_out_char(g->c->out, '\n');
    }
    if (!o->quiet && o->list == (selected ? 'l' : 'L')) {
        put_colored(g, g->colors.fn, name);
        wk_out_char(g->c->out, o->null_name ? '\0' : '\n');
    }
}

/* NAME=SGR or NAME, divided by colons, up to what is no such thing. */
void wk_grep_read_colors(struct wk_grep *g)
{
    struct wk_grep_colors *k = &g->colors;
    *k = (struct wk_grep_colors){"01;31", "01;31", "", "", "35", "32", "32", "36", false, false};
    const char *old = wk_cmd_env(g->c, "GREP_COLOR"), *p = wk_cmd_env(g->c, "GREP_COLORS");
    if (old && *old && !old[strspn(old, "0123456789;")]) {
        wk_out_fmt(g->c->err, "%s: warning: GREP_COLOR='%s' is deprecated; use GREP_COLORS='mt=%s'\n", g->c->name,
                   old, old);
        k->ms = k->mc = old;
    }
    while (p && *p) {
        static const char *const names[] = {"ms", "mc", "sl", "cx", "fn", "ln", "bn", "se"};
        const char **to[] = {&k->ms, &k->mc, &k->sl, &k->cx, &k->fn, &k->ln, &k->bn, &k->se};
        size_t n = strcspn(p, "=:"), value = p[n] == '=' ? strcspn(p + n + 1, ":") : 0;
        struct wk_str name = wk_str(p, n);
        const char *sgr = p[n] == '=' ? wk_dupn(g->c, p + n + 1, value) : NULL;
        if (sgr && sgr[strspn(sgr, "0123456789;")])
            return;
        k->rv = k->rv || wk_str_is(name, "rv");
        k->ne = k->ne || wk_str_is(name, "ne");
        if (sgr && wk_str_is(name, "mt"))
            k->ms = k->mc = sgr;
        for (size_t i = 0; sgr && i < WK_COUNTOF(names); i++)
            if (wk_str_is(name, names[i]))
                *to[i] = sgr;
        p += n + (sgr ? 1 + value : 0);
        p += *p == ':';
    }
}
