/* rg_search.c - rg: one input searched piece by piece; matches and their contexts are told to a sink */
#define _GNU_SOURCE /* memrchr */
#include "builtins/rg.h"

enum { PIECE = 64 * 1024 };

/* A window on the input: whole lines in [0, end), a partial line up to n. Offsets are into buf. */
struct scan {
    struct wk_rg_sink *s;
    struct wk_rg *g;
    struct wk_rg_matcher *m;
    struct wk_rg_input *in;
    char *buf;
    size_t n, cap, end;
    size_t pos;     /* start of the first line not yet judged */
    size_t visited; /* everything before was told, or will not be */
    size_t counted; /* lines were counted up to here */
    int64_t lines;  /* before `counted` */
    uint64_t base;  /* offset in the input of buf[0] */
    int64_t after_left;
    int64_t before, after;
    bool passthru, sunk, lost, eof, stop, slice, sniffs;
    unsigned reads;
    const char *more; /* of the input's last piece, what was not taken yet */
    size_t more_n;
    char *held; /* where it is kept over calls of the sink */
    size_t held_cap;
    size_t room; /* what the real tool would read into */
    char eol;
};

/* Room in the window of its own. */
static void grow(struct scan *s, size_t cap)
{
    s->g->window = wk_heap_realloc(s->g->c->heap, s->g->window, cap);
    s->g->window_cap = s->cap = cap;
    s->buf = s->g->window;
}

static size_t next_line(const struct scan *s, size_t at, size_t to)
{
    const char *e = memchr(s->buf + at, s->eol, to - at);
    return e ? (size_t)(e - s->buf) + 1 : to;
}

/* Start of the line that is `count` lines before the one at `at`, not before `floor`. */
static size_t back_lines(const struct scan *s, size_t at, int64_t count, size_t floor)
{
    while (count-- > 0 && at > floor) {
        const char *p = at > floor + 1 ? memrchr(s->buf + floor, s->eol, at - 1 - floor) : NULL;
        at = p ? (size_t)(p - s->buf) + 1 : floor;
    }
    return at;
}

static int64_t number_at(struct scan *s, size_t at)
{
    if (!s->g->number)
        return -1;
    while (s->counted < at) {
        const char *p = memchr(s->buf + s->counted, s->eol, at - s->counted);
        s->counted = p ? (size_t)(p - s->buf) + 1 : at;
        s->lines += p != NULL;
    }
    return s->lines + 1;
}

/* ---- binary files ------------------------------------------------------------------------------------------------
 */

/* In pieces a NUL is seen when it is read. */
static void look_for_nul(struct scan *s, size_t from)
{
    struct wk_rg_sink *k = s->s;
    char *nul = k->binary != WK_RG_BINARY_NONE && !s->slice ? memchr(s->buf + from, '\0', s->n - from) : NULL;
    if (!nul)
        return;
    if (k->binary_at < 0)
        k->binary_at = (int64_t)(s->base + (size_t)(nul - s->buf));
    if (k->binary == WK_RG_BINARY_QUIT) {
        s->stop = s->eof = true; /* nothing of what was read with it is searched */
        return;
    }
    for (; nul; nul = memchr(nul, '\0', (size_t)(s->buf + s->n - nul)))
        *nul++ = s->eol;
}

/* In one piece only its beginning and what is told are looked at; true when the search ends. */
static bool is_binary_slice(struct scan *s, size_t from, size_t to)
{
    struct wk_rg_sink *k = s->s;
    if (!s->slice || k->binary == WK_RG_BINARY_NONE)
        return false;
    if (k->binary_at < 0) {
        const char *nul = memchr(s->buf + from, '\0', to - from);
        if (!nul)
            return false;
        k->binary_at = (int64_t)(s->base + (size_t)(nul - s->buf));
    }
    return k->binary == WK_RG_BINARY_QUIT;
}

/* ---- telling -----------------------------------------------------------------------------------------------------
 */

static void tell(struct scan *s, size_t at, size_t end, char kind)
{
    if (is_binary_slice(s, at, end)) {
        s->stop = true;
        return;
    }
    bool gap = s->lost || s->visited < at;
    if (gap && s->sunk && (s->before || s->after) && !s->passthru)
        s->s->gap(s->s);
    s->lost = false;
    struct wk_rg_hit h = {
        .text = wk_str(s->buf + at, end - at), .offset = s->base + at, .number = number_at(s, at), .kind = kind};
    if (s->m->multi_line) {
        h.around = wk_str(s->buf, s->end);
        h.at = at;
    } else {
        bool ended = h.text.n && h.text.p[h.text.n - 1] == s->eol;
        size_t n = h.text.n - ended;
        n -= ended && s->g->o->crlf && n && h.text.p[n - 1] == '\r';
        h.around = wk_str(h.text.p, n);
    }
    s->sunk = true;
    s->visited = end;
    if (!s->s->hit(s->s, &h))
        s->stop = true;
}

static void tell_lines(struct scan *s, size_t to, char kind, int64_t most)
{
    while (s->visited < to && most-- > 0 && !s->stop) {
        if (kind == 'a')
            s->after_left--;
        tell(s, s->visited, next_line(s, s->visited, to), kind);
    }
}

/* Lines that are not selected, up to `to`: those behind a match, or all of them. */
static void pass_lines(struct scan *s, size_t to)
{
    if (s->passthru)
        tell_lines(s, to, 'o', INT64_MAX);
    else if (s->after_left > 0)
        tell_lines(s, to, 'a', s->after_left);
}

static void tell_before(struct scan *s, size_t at)
{
    size_t first = s->before ? back_lines(s, at, s->before, s->visited) : at;
    while (first < at && !s->stop) {
        size_t next = next_line(s, first, at);
        tell(s, first, next, 'b');
        first = next;
    }
}

static void tell_match(struct scan *s, size_t at, size_t end)
{
    pass_lines(s, at);
    if (!s->stop)
        tell_before(s, at);
    if (s->stop)
        return;
    s->after_left = s->after;
    tell(s, at, end, 'm');
}

/* ---- lines -------------------------------------------------------------------------------------------------------
 */

static void hold(struct scan *s)
{
    bool own = s->held && s->more >= s->held && s->more <= s->held + s->held_cap;
    if (own)
        return;
    if (s->more_n > s->held_cap) {
        wk_heap_free(s->g->c->heap, s->held);
        s->held = wk_heap_alloc(s->g->c->heap, s->more_n);
        s->held_cap = s->more_n;
    }
    memcpy(s->held, s->more, s->more_n);
    s->more = s->held;
}

/* The real tool first reads what may be the mark of an encoding, and standard input has a buffer before: what that
 * leaves is less than a piece. 0: all there is room for. */
static size_t short_read(const struct scan *s)
{
    return s->reads == 0 && s->sniffs ? 3 : s->reads == 1 && s->sniffs && !s->s->name ? 8189 : 0;
}

/* Takes at most PIECE bytes where it matters when a NUL is seen. */
static bool take_piece(struct scan *s)
{
    if (!s->more_n && !wk_rg_input_next(s->in, &s->more, &s->more_n)) {
        s->eof = true;
        return false;
    }
    bool pieces = s->s->binary != WK_RG_BINARY_NONE && !s->slice;
    while (pieces && s->room <= s->n)
        s->room *= 2;
    size_t got = pieces ? WK_MIN(s->more_n, s->room - s->n) : s->more_n;
    if (pieces && short_read(s))
        got = WK_MIN(got, short_read(s));
    s->reads++;
    if (got > s->cap - s->n) {
        grow(s, s->n + got + PIECE);
    }
    memcpy(s->buf + s->n, s->more, got);
    s->n += got;
    s->more += got;
    s->more_n -= got;
    if (s->more_n)
        hold(s);
    look_for_nul(s, s->n - got);
    return true;
}

/* Drops what no context can need any more and reads on. False at the end. */
static bool refill(struct scan *s)
{
    size_t keep = back_lines(s, s->pos, s->before, WK_MIN(s->visited, s->pos));
    s->lost = s->lost || keep > s->visited;
    (void)number_at(s, keep);
    memmove(s->buf, s->buf + keep, s->n - keep);
    s->n -= keep;
    s->pos -= keep;
    s->visited = s->visited > keep ? s->visited - keep : 0;
    s->counted = s->counted > keep ? s->counted - keep : 0;
    s->base += keep;
    if (s->eof) { /* what has no end is a line of its own */
        s->end = s->n;
        return s->n > s->pos;
    }
    bool first = s->base == 0 && s->n == 0;
    bool pieces = s->s->binary != WK_RG_BINARY_NONE && !s->slice, whole = pieces && wk_rg_input_regular(s->in);
    bool ended = false; /* there is a whole line */
    do {
        size_t from = s->n, little = short_read(s);
        if (!take_piece(s))
            break;
        const char *e = s->eof ? NULL : memrchr(s->buf + from, s->eol, s->n - from);
        s->end = e ? (size_t)(e - s->buf) + 1 : s->end;
        ended = ended || e;
        if (little && pieces && ended)
            break;
    } while (!s->eof && (!ended || (whole && s->n < s->room) || (first && s->slice && s->n < PIECE)));
    if (s->eof && !ended)
        s->end = s->n;
    if (first && is_binary_slice(s, 0, WK_MIN(s->n, (size_t)PIECE)))
        return false;
    return !s->stop && (!s->eof || s->n > s->pos);
}

/* The same where nothing but whole lines is ever asked for: they are left where they are, and only one that crosses
 * two pieces is put together in the window of its own. */
static bool refill_borrowed(struct scan *s)
{
    size_t n = 0;
    s->base += s->n;
    s->n = s->end = s->pos = s->visited = s->counted = 0;
    for (;;) {
        if (!s->more_n && !wk_rg_input_next(s->in, &s->more, &s->more_n)) {
            s->eof = true;
            s->buf = s->g->window;
            s->n = s->end = n;
            return n > 0;
        }
        const char *e = n ? memchr(s->more, s->eol, s->more_n) : memrchr(s->more, s->eol, s->more_n);
        size_t take = e ? (size_t)(e - s->more) + 1 : s->more_n;
        bool here = e && !n;
        s->buf = here ? (char *)(uintptr_t)s->more : s->g->window;
        if (!here) {
            if (take > s->cap - n)
                grow(s, (n + take) * 2);
            memcpy(s->buf + n, s->more, take);
        }
        n += take;
        s->more += take;
        s->more_n -= take;
        if (e) {
            s->n = s->end = n;
            return true;
        }
    }
}

static void select_each(struct scan *s, size_t to)
{
    while (s->pos < to && !s->stop) {
        size_t next = next_line(s, s->pos, to);
        tell_match(s, s->pos, next);
        s->pos = next;
    }
}

/* The whole lines at hand. */
static void judge(struct scan *s)
{
    while (s->pos < s->end && !s->stop) {
        struct wk_re_span line;
        int r = wk_rg_find_line(s->m, wk_str(s->buf, s->end), s->pos, &line);
        if (r < 0) {
            wk_rg_failed(s->s, r);
            s->stop = true;
            return;
        }
        size_t start = r ? (size_t)line.start : s->end, next = r ? WK_MIN((size_t)line.end + 1, s->end) : s->end;
        if (s->g->o->invert) {
            select_each(s, start);
            s->pos = s->stop ? s->pos : next;
        } else if (r) {
            s->pos = next;
            tell_match(s, start, next);
        } else {
            s->pos = s->end;
        }
    }
    if (!s->stop)
        pass_lines(s, s->pos);
}

static void scan_lines(struct scan *s)
{
    bool borrowed = s->g->summary && !s->g->o->stats && (s->slice || s->s->binary == WK_RG_BINARY_NONE);
    while (!s->stop && (borrowed ? refill_borrowed(s) : refill(s)))
        judge(s);
    struct wk_rg_sink *k = s->s;
    k->bytes = s->base + (s->slice || !s->stop ? s->pos : 0);
    if (s->slice && k->binary_at >= 0 && (uint64_t)k->binary_at < k->bytes)
        k->bytes = (uint64_t)k->binary_at;
}

/* ---- matches that span lines -------------------------------------------------------------------------------------
 */

static struct wk_re_span lines_around(const struct scan *s, const struct wk_re_span *m)
{
    size_t at = (size_t)m->start, end = (size_t)m->end;
    const char *p = at ? memrchr(s->buf, s->eol, at) : NULL;
    size_t start = p ? (size_t)(p - s->buf) + 1 : 0;
    if (!(end > start && s->buf[end - 1] == s->eol)) {
        const char *e = memchr(s->buf + end, s->eol, s->n - end);
        end = e ? (size_t)(e - s->buf) + 1 : s->n;
    }
    return (struct wk_re_span){(ptrdiff_t)start, (ptrdiff_t)end};
}

static int find_block(struct scan *s, struct wk_re_span *lines, struct wk_re_span *m)
{
    int r = s->pos <= s->n ? wk_rg_find(s->m, wk_str(s->buf, s->n), s->pos, m, 1) : 0;
    if (r < 0) {
        wk_rg_failed(s->s, r);
        s->stop = true;
        return 0;
    }
    if (r == 1)
        *lines = lines_around(s, m);
    return r;
}

static void select_blocks(struct scan *s)
{
    struct wk_re_span held = {-1, -1}, lines, m;
    while (s->pos < s->n && !s->stop && find_block(s, &lines, &m)) {
        s->pos = (size_t)m.end + (m.start == m.end);
        if (held.start >= 0 && held.end >= lines.start) {
            held.end = lines.end;
            continue;
        }
        if (held.start >= 0)
            tell_match(s, (size_t)held.start, (size_t)held.end);
        held = lines;
    }
    s->pos = s->stop ? s->pos : s->n;
    if (!s->stop && held.start >= 0 && held.end > held.start)
        tell_match(s, (size_t)held.start, (size_t)held.end);
}

static void select_between(struct scan *s)
{
    struct wk_re_span lines, m;
    while (s->pos < s->n && !s->stop) {
        int r = find_block(s, &lines, &m);
        size_t from = s->pos, to = r ? WK_MAX((size_t)lines.start, from) : s->n;
        s->pos = r ? WK_MAX((size_t)lines.end, from) + (lines.end == lines.start) : s->n;
        while (from < to && !s->stop) {
            size_t next = next_line(s, from, to);
            tell_match(s, from, next);
            from = next;
        }
    }
}

static void scan_whole(struct scan *s)
{
    while (!s->eof && take_piece(s))
        ;
    s->end = s->n;
    if (is_binary_slice(s, 0, WK_MIN(s->n, (size_t)PIECE)))
        return;
    wk_rg_matcher_subject(s->m, wk_str(s->buf, s->n));
    if (s->g->o->invert)
        select_between(s);
    else
        select_blocks(s);
    if (!s->stop)
        pass_lines(s, s->n);
    s->s->bytes = s->stop ? WK_MIN(s->pos, s->n) : s->n;
    if (s->s->binary_at >= 0 && (uint64_t)s->s->binary_at < s->s->bytes)
        s->s->bytes = (uint64_t)s->s->binary_at;
    wk_rg_matcher_subject(s->m, wk_str(NULL, 0));
}

void wk_rg_scan(struct wk_rg_sink *k, struct wk_rg_input *in)
{
    struct wk_rg *g = k->g;
    struct scan s = {.s = k, .g = g, .m = g->m, .in = in, .eol = g->eol};
    s.passthru = g->o->passthru;
    s.before = s.passthru || g->summary ? 0 : g->o->before;
    s.after = s.passthru || g->summary ? 0 : g->o->after;
    s.passthru = s.passthru && !g->summary;
    s.cap = s.room = PIECE;
    s.sniffs = !g->o->encoding || strcmp(g->o->encoding, "none") != 0;
    s.cap = WK_MAX(s.cap, g->window_cap);
    s.buf = g->window;
    if (!g->window)
        grow(&s, s.cap);
    s.stop = g->o->max_count == 0;
    if (!s.stop) { /* a mark of the encoding makes pieces of what would be searched as a whole */
        if (!wk_rg_input_next(in, &s.more, &s.more_n))
            s.eof = true;
        s.slice = (g->slices && k->name && !wk_rg_input_decoded(in)) || g->m->multi_line;
        if (g->m->multi_line)
            scan_whole(&s);
        else
            scan_lines(&s);
    }
    wk_heap_free(g->c->heap, s.held);
    k->finish(k);
}
