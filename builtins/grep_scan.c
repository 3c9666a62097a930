/* grep_scan.c - grep: one input searched piece by piece, its lines printed with their contexts */
#define _GNU_SOURCE /* memrchr */
#include "builtins/grep.h"

#include "base/utf8.h"
#include "builtins/regex.h"

enum { FIRST_BYTES = 64 * 1024, BINARY_LOOK = 32 * 1024 };

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
    int columns; /* of numbers, for -T; 0: as they come */
    bool eof, binary, stop, said_binary,
        gap; /* gap: lines were left out since the last printed one */
};

static void grow(struct scan *s, size_t cap)
{
    s->buf = wk_heap_realloc(s->g->c->heap, s->buf, cap);
    s->cap = cap;
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

/* Drop what no context can need any more and read on. False at the end. */
static bool refill(struct scan *s)
{
    size_t keep = s->pos;
    if (s->g->before > 0)
        keep = back_lines(s, s->pos, s->g->before, WK_MIN(s->printed, s->pos));
    s->gap = s->gap || keep > s->printed;
    if (s->g->o->number)
        count_to(s, keep);
    memmove(s->buf, s->buf + keep, s->n - keep);
    s->n -= keep;
    s->pos -= keep;
    s->printed = s->printed > keep ? s->printed - keep : 0;
    s->counted = s->counted > keep ? s->counted - keep : 0;
    s->base += (int64_t)keep;
    if (s->eof)
        return false;
    if (s->cap - s->n < FIRST_BYTES / 2)
        grow(s, s->cap * 2);
    const char *p;
    size_t got;
    if (!wk_in_chunk(s->in, &p, &got)) {
        s->eof = true;
        s->end = s->n;
        return s->n > s->pos;
    }
    if (got > s->cap - s->n)
        grow(s, s->n + got + FIRST_BYTES);
    memcpy(s->buf + s->n, p, got);
    s->n += got;
    const char *last = memrchr(s->buf, s->g->eol, s->n);
    s->end = last ? (size_t)(last - s->buf) + 1 : 0;
    return true;
}

/* ---- printing
 * ------------------------------------------------------------------------------------- */

static void start_color(struct wk_out *o, const char *sgr)
{
    wk_out_fmt(o, "\33[%sm\33[K", sgr);
}

static void end_color(struct wk_out *o)
{
    wk_out_c(o, "\33[m\33[K");
}

static void put_colored(struct scan *s, const char *sgr, const char *text)
{
    struct wk_out *o = s->g->c->out;
    if (s->g->color)
        start_color(o, sgr);
    wk_out_c(o, text);
    if (s->g->color)
        end_color(o);
}

static void put_number_field(struct scan *s, int64_t v, char sep)
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
    put_colored(s, "32", text + i);
    char mark[2] = {sep, '\0'};
    put_colored(s, "36", mark);
}

/* A tab keeps the text of lines that have some in columns. */
static void put_prefix(struct scan *s, size_t at, char sep, bool empty)
{
    const struct grep_opts *o = s->g->o;
    struct wk_out *out = s->g->c->out;
    char mark[2] = {sep, '\0'};
    bool any = false;
    if (s->g->names) {
        put_colored(s, "35", s->name);
        if (o->null_name)
            wk_out_char(out, '\0');
        else
            put_colored(s, "36", mark);
        any = true;
    }
    if (o->number) {
        count_to(s, at);
        put_number_field(s, s->lines + 1, sep);
        any = true;
    }
    if (o->byte_offset) {
        put_number_field(s, s->base + (int64_t)at, sep);
        any = true;
    }
    if (o->initial_tab && any && !empty)
        wk_out_c(out, "\t");
}

static int search(struct scan *s, struct wk_str subject, size_t from, struct wk_re_span *span)
{
    struct wk_re_run run = wk_cmd_re_run(s->g->c);
    return wk_re_search(s->g->re, &run, subject, from, span, 1);
}

/* The next matched part that is not empty, from *from on; *from is put behind it. */
static bool next_part(struct scan *s, struct wk_str line, size_t *from, struct wk_re_span *span)
{
    while (*from <= line.n && search(s, line, *from, span) == 1) {
        *from = (size_t)span->end;
        if (span->end > span->start)
            return true;
        ++*from;
    }
    return false;
}

static void put_match(struct scan *s, struct wk_str line, const struct wk_re_span *span)
{
    struct wk_out *out = s->g->c->out;
    if (s->g->color)
        start_color(out, "01;31");
    wk_out_put(out, line.p + span->start, (size_t)(span->end - span->start));
    if (s->g->color)
        end_color(out);
}

/* -o: the matched parts, each on a line of its own; -b counts from the part. */
static void put_parts(struct scan *s, size_t at, struct wk_str line)
{
    struct wk_re_span span;
    size_t from = 0;
    while (next_part(s, line, &from, &span)) {
        put_prefix(s, at + (size_t)span.start, ':', false);
        put_match(s, line, &span);
        wk_out_char(s->g->c->out, s->g->eol);
    }
}

static void put_highlighted(struct scan *s, struct wk_str line)
{
    struct wk_re_span span;
    size_t from = 0, done = 0;
    while (next_part(s, line, &from, &span)) {
        wk_out_put(s->g->c->out, line.p + done, (size_t)span.start - done);
        put_match(s, line, &span);
        done = from;
    }
    wk_out_put(s->g->c->out, line.p + done, line.n - done);
}

static void put_line(struct scan *s, size_t at, size_t end, char sep)
{
    struct wk_out *out = s->g->c->out;
    size_t n = end - at;
    bool ended = n && s->buf[end - 1] == s->g->eol;
    struct wk_str line = wk_str(s->buf + at, n - ended);
    s->printed = end;
    if (s->g->o->only_matching) {
        if (sep != ':' || s->g->o->invert)
            return;
        put_parts(s, at, line);
        return;
    }
    put_prefix(s, at, sep, line.n == 0);
    if (s->g->color && (sep == ':') != s->g->o->invert)
        put_highlighted(s, line);
    else
        wk_out_str(out, line);
    wk_out_char(out, s->g->eol);
}

static void put_separator(struct scan *s)
{
    if (s->g->o->before <= 0 && s->g->o->after <= 0)
        return;
    if (s->g->printed_any && s->gap && !s->g->o->no_separator) {
        put_colored(s, "36", s->g->o->separator ? s->g->o->separator : "--");
        wk_out_char(s->g->c->out, '\n');
    }
    s->g->printed_any = true;
    s->gap = false;
}

/* ---- judging lines
 * ----------------------------------------------------------------------------------- */

static bool counts_only(const struct grep_opts *o)
{
    return o->count || o->list || o->quiet;
}

/* Lines with bytes that are no characters make the output binary too. */
static bool is_binary_line(const struct scan *s, size_t at, size_t end)
{
    return s->g->utf8 && !s->g->o->text && !wk_utf8_valid(wk_str(s->buf + at, end - at));
}

static void say_binary(struct scan *s)
{
    s->said_binary = true;
    s->stop = true;
    wk_out_flush(s->g->c->out);
    wk_out_fmt(s->g->c->err, "%s: %s: binary file matches\n", s->g->c->name, s->name);
}

static void select_line(struct scan *s, size_t at, size_t end)
{
    const struct grep_opts *o = s->g->o;
    s->selected++;
    if (o->quiet || o->list) {
        s->stop = true;
        return;
    }
    if (!counts_only(o)) {
        if (s->binary || is_binary_line(s, at, end)) {
            say_binary(s);
            return;
        }
        size_t first = back_lines(s, at, s->g->before, s->printed);
        s->gap = s->gap || first > s->printed;
        put_separator(s);
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

/* Lines that are not selected, [from, to): the first few may be context after a selected one. */
static void pass_lines(struct scan *s, size_t from, size_t to)
{
    while (from < to && s->after_left > 0 && !counts_only(s->g->o)) {
        const char *e = memchr(s->buf + from, s->g->eol, to - from);
        size_t next = e ? (size_t)(e - s->buf) + 1 : to;
        put_line(s, from, next, '-');
        from = next;
        s->after_left--;
    }
    if (s->selected >= s->g->o->max_count && s->after_left <= 0)
        s->stop = true;
}

static void select_each(struct scan *s, size_t from, size_t to)
{
    while (from < to && !s->stop) {
        const char *e = memchr(s->buf + from, s->g->eol, to - from);
        size_t next = e ? (size_t)(e - s->buf) + 1 : to;
        if (s->selected < s->g->o->max_count)
            select_line(s, from, next);
        else
            pass_lines(s, from, next);
        from = next;
    }
    s->pos = from;
}

static void failed(struct scan *s, int r)
{
    s->g->trouble = true;
    s->stop = true;
    wk_msg(s->g->c, "%s: %s", s->name,
           r == -WK_ELIMIT ? "exceeded PCRE's backtracking limit" : wk_err_text(r));
}

/* The whole lines at hand. */
static void judge(struct scan *s)
{
    struct wk_re_run run = wk_cmd_re_run(s->g->c);
    while (s->pos < s->end && !s->stop) {
        struct wk_re_span line;
        struct wk_str hay = wk_str(s->buf, s->end);
        int r = s->selected >= s->g->o->max_count
                    ? 0
                    : wk_re_find_line(s->g->re, &run, hay, s->pos, s->g->eol, &line);
        if (r == -WK_ENOMEM)
            wk_heap_exhausted(s->g->c->heap);
        if (r < 0) {
            failed(s, r);
            return;
        }
        size_t start = r ? (size_t)line.start : s->end;
        size_t next = r ? WK_MIN((size_t)line.end + 1, s->end) : s->end;
        if (s->g->o->invert) {
            select_each(s, s->pos, start);
            if (!s->stop) {
                pass_lines(s, start, next);
                s->pos = next;
            }
        } else {
            pass_lines(s, s->pos, start);
            s->pos = start;
            if (r && !s->stop) {
                select_line(s, start, next);
                s->pos = next;
            }
        }
    }
}

static void look_for_binary(struct scan *s)
{
    const struct grep_opts *o = s->g->o;
    if (o->text || o->null_data || s->binary)
        return;
    s->binary = memchr(s->buf, '\0', s->n) != NULL;
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

bool wk_grep_input(struct wk_grep *g, struct wk_in *in, const char *name)
{
    struct scan s = {.g = g, .in = in, .name = name, .gap = true};
    const struct grep_opts *o = g->o;
    if (o->initial_tab)
        s.columns = number_columns(in, o->number);
    grow(&s, FIRST_BYTES);
    if (o->max_count <= 0)
        s.stop = true;
    while (!s.stop && refill(&s)) {
        look_for_binary(&s);
        if (s.binary && o->binary && strcmp(o->binary, "without-match") == 0) {
            s.selected = 0;
            break;
        }
        judge(&s);
    }
    /* The offset of the input is put behind the last line that was judged, where it can be. */
    if (s.stop && s.n > s.pos && !in->owned && in->file) {
        wk_in_sync(in);
        (void)wk_file_seek(in->file, -(int64_t)(s.n - s.pos), 1);
    }
    bool bad = in->err != 0;
    g->trouble = g->trouble || bad;
    if (o->count && !o->list && !o->quiet) {
        if (g->names) {
            put_colored(&s, "35", name);
            if (o->null_name)
                wk_out_char(g->c->out, '\0');
            else
                put_colored(&s, "36", ":");
        }
        wk_out_i64(g->c->out, s.selected);
        wk_out_char(g->c->out, '\n');
    }
    if (!o->quiet && o->list == (s.selected ? 'l' : 'L')) {
        put_colored(&s, "35", name);
        wk_out_char(g->c->out, o->null_name ? '\0' : '\n');
    }
    wk_heap_free(g->c->heap, s.buf);
    return s.selected > 0;
}
