/* sed_io.c - sed: the input, as lines in a window on the files */
#define _GNU_SOURCE /* memrchr */
#include "builtins/sed_out.h"

enum { PIECE = 64 * 1024, MOST_IDLE = 63 };

/* ---- streams --------------------------------------------------------------------------------- */

static const char *shown(const struct sed_stream *in)
{
    return in->name[0] == '-' && !in->name[1] ? "stdin" : in->name;
}

/* What the pattern space has borrowed of the window stays in it. */
static void make_room(struct sed *s, struct sed_stream *in)
{
    struct sed_space *p = &s->pattern;
    bool lent = in == &s->in && p->borrowed;
    size_t keep = lent ? (size_t)(p->p - in->buf) : in->pos;
    if (keep) {
        memmove(in->buf, in->buf + keep, in->n - keep);
        in->n -= keep;
        in->pos -= keep;
        in->seen = in->seen > keep ? in->seen - keep : 0;
    }
    if (in->cap - in->n < PIECE / 2) {
        in->cap = in->cap ? in->cap * 2 : PIECE;
        in->buf = wk_heap_realloc(s->c->heap, in->buf, in->cap);
    }
    if (lent)
        p->p = in->buf;
}

/* Reads on; false at the end of the file. For a glance ahead what cannot be read has ended. */
static bool refill(struct sed *s, struct sed_stream *in, bool ahead)
{
    const char *p;
    int err;
    if (in->eof)
        return false;
    make_room(s, in);
    size_t n = wk_raw_next(s->c, in->in, &p, &err);
    if (err == WK_ENOMEM)
        wk_heap_exhausted(s->c->heap);
    if (err && !ahead)
        wk_sed_die(s, 4, "read error on %s: %s", shown(in), wk_err_text(err));
    if (!n) {
        in->eof = true;
        return false;
    }
    n = WK_MIN(n, in->cap - in->n);
    if (s->o->unbuffered) {
        const char *end = memchr(p, s->eol, n);
        n = end ? (size_t)(end - p) + 1 : n;
    }
    memcpy(in->buf + in->n, p, n);
    in->n += n;
    wk_file_skip(in->in->file, n);
    wk_tick(s->c, (uint32_t)(n / 1024) + 1);
    return true;
}

/* The next line lies in buf[pos], n bytes without its end, and is passed. */
static bool take_line(struct sed *s, struct sed_stream *in, size_t *at, size_t *n, bool *newline)
{
    const char *end = NULL;
    do {
        if (in->seen < in->n)
            end = memchr(in->buf + in->seen, s->eol, in->n - in->seen);
        in->seen = in->n;
    } while (!end && refill(s, in, false));
    if (!end && in->pos == in->n)
        return false;
    *at = in->pos;
    *n = end ? (size_t)(end - in->buf) - in->pos : in->n - in->pos;
    *newline = end != NULL;
    in->pos += *n + *newline;
    in->seen = in->pos;
    return true;
}

bool wk_sed_stream_line(struct sed *s, struct sed_stream *in, struct wk_str *line, bool *newline)
{
    size_t at, n;
    if (!in->in || !take_line(s, in, &at, &n, newline))
        return false;
    *line = wk_str(in->buf + at, n);
    return true;
}

struct sed_stream *wk_sed_open_stream(struct sed *s, const char *name)
{
    struct sed_stream *in;
    for (in = s->readers; in; in = in->next) {
        wk_tick(s->c, 1);
        if (strcmp(in->name, name) == 0)
            return in;
    }
    in = wk_new(s->c, struct sed_stream);
    in->name = name;
    in->next = s->readers;
    s->readers = in;
    if (strcmp(name, "/dev/stdin") == 0 && s->c->in->file)
        in->in = s->c->in;
    else if (wk_raw_open(s->c, name, false, &in->in) != 0)
        in->in = NULL;
    return in;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void close_file(struct sed *s)
{
    if (s->in.in && s->in.in != s->c->in)
        wk_in_close(s->in.in);
    s->in.in = NULL;
}

static struct wk_in *open_operand(struct sed *s, const char *name)
{
    struct wk_in *in;
    bool dash = strcmp(name, "-") == 0;
    if (s->o->in_place)
        return wk_sed_begin_edit(s, name);
    int err = wk_raw_open(s->c, name, true, &in);
    if (err && dash)
        wk_sed_die(s, 4, "read error on stdin: %s", wk_err_text(err));
    if (err) {
        s->missing = true;
        wk_msg(s->c, "can't read %s: %s", name, wk_err_text(err));
        return NULL;
    }
    return in;
}

/* Begins the next file that can be read. */
static bool open_next(struct sed *s)
{
    struct wk_cmd *c = s->c;
    int files = c->nargs ? c->nargs : 1;
    while (s->next_file < files) {
        const char *name = c->nargs ? c->args[s->next_file] : "-";
        s->next_file++;
        wk_tick(c, 1);
        if (s->o->follow && (s->o->in_place || strcmp(name, "-") != 0))
            name = wk_sed_follow(s, name);
        s->in.in = open_operand(s, name);
        s->in.name = name;
        s->in.eof = false;
        if (s->in.in)
            return true;
    }
    return false;
}

/* With -s every file meets the program as it was at first. */
static void begin_anew(struct sed *s)
{
    s->line = 0;
    s->hold.n = 0;
    for (size_t i = 0; i < s->nprog; i++) {
        s->prog[i].active = s->prog[i].a1.kind == SED_ZERO && s->prog[i].a2.kind;
        s->prog[i].begun = false;
    }
    for (struct sed_stream *in = s->readers; in; in = in->next)
        if (in->in && wk_file_seek(in->in->file, 0, 0) == 0) {
            in->pos = in->n = in->seen = 0;
            in->eof = false;
        }
}

bool wk_sed_next_file(struct sed *s)
{
    close_file(s);
    if (s->temp)
        wk_sed_finish_edit(s);
    begin_anew(s);
    return open_next(s);
}

bool wk_sed_at_end(struct sed *s)
{
    while (s->in.pos == s->in.n) {
        if (s->in.in && refill(s, &s->in, true))
            return false;
        if (s->o->separate)
            return true;
        close_file(s);
        if (!open_next(s))
            return true;
    }
    return false;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* The line goes behind the pattern space. In the window it stands there already, as a rule. */
static void join_line(struct sed *s, size_t at, size_t n)
{
    struct sed_space *p = &s->pattern;
    const char *line = s->in.buf + at;
    if (p->borrowed && p->p + p->n + 1 == line) {
        p->n += n + 1;
        return;
    }
    wk_sed_room(s, p, n + 1);
    p->p[p->n++] = s->eol;
    memcpy(p->p + p->n, s->in.buf + at, n);
    p->n += n;
}

bool wk_sed_read(struct sed *s, bool join)
{
    struct sed_space *p = &s->pattern;
    size_t at, n;
    bool newline;
    if (!join && p->borrowed) {
        p->borrowed = false;
        p->p = p->buf;
        p->n = 0;
    }
    for (;;) {
        if (s->in.in && take_line(s, &s->in, &at, &n, &newline))
            break;
        if (s->o->separate)
            return false;
        close_file(s);
        if (!open_next(s))
            return false;
    }
    s->line++;
    s->replaced = false;
    p->newline = newline;
    if (join) {
        join_line(s, at, n);
        return true;
    }
    p->p = s->in.buf + at;
    p->n = n;
    p->borrowed = true;
    return true;
}

static uint64_t count_lines(const char *p, const char *end, char eol)
{
    uint64_t n = 0;
    while (p < end && (p = memchr(p, eol, (size_t)(end - p))) != NULL) {
        n++;
        p++;
    }
    return n;
}

void wk_sed_skip(struct sed *s)
{
    struct sed_stream *in = &s->in;
    if (s->gate_rest) {
        s->gate_rest--;
        return;
    }
    const char *last =
        in->pos < in->n ? memrchr(in->buf + in->pos, s->eol, in->n - in->pos) : NULL;
    size_t end = last ? (size_t)(last - in->buf) + 1 : in->pos;
    struct wk_re_span line;
    s->run.same = false;
    int r = wk_re_find_line(s->gate, &s->run, wk_str(in->buf, end), in->pos, s->eol, &line);
    if (r == -WK_ENOMEM)
        wk_heap_exhausted(s->c->heap);
    if (r > 0)
        end = (size_t)line.start;
    if (r < 0 || end == in->pos) {
        s->gate_idle = WK_MIN(2 * s->gate_idle + 1, MOST_IDLE);
        s->gate_rest = s->gate_idle;
        return;
    }
    s->gate_idle = 0;
    if (s->gate_lines)
        s->line += count_lines(in->buf + in->pos, in->buf + end, s->eol);
    if (!s->o->quiet)
        wk_sed_raw(s, s->out, wk_str(in->buf + in->pos, end - in->pos));
    in->pos = in->seen = end;
}

void wk_sed_leave_input(struct sed *s)
{
    const struct sed_stream *in = &s->in;
    if (in->in && in->in == s->c->in && in->n > in->pos)
        (void)wk_file_seek(in->in->file, -(int64_t)(in->n - in->pos), 1);
    close_file(s);
}
