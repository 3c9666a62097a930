/* pattern_match.c - matching shell patterns
 *
 * Without groups a pattern is fixed-length segments between stars, and the greedy choice (leftmost
 * or rightmost place of each segment) is always right. Patterns with groups go to pattern_group.c.
 */
#include "text/pattern/pattern_priv.h"

#define NONE SIZE_MAX
enum { STEP_SLICE = 65536 };

int wk_pat_steps(struct wk_pattern_run *run, size_t k)
{
    wk_pat_count(run, k);
    if (WK_LIKELY(run->pending < STEP_SLICE) || !run->step)
        return 0;
    size_t n = run->pending;
    run->pending = 0;
    return run->step(run->ctx, n);
}

void wk_pattern_run_release(struct wk_pattern_run *run)
{
    wk_free(run->mem, run->scratch);
    run->scratch = NULL;
    run->scratch_size = 0;
    wk_free(run->mem, run->starts);
    run->starts = NULL;
    run->seen = NULL;
}

static uint32_t fold(uint32_t c, bool bytes)
{
    if (c < 128)
        return (uint32_t)wk_to_lower((int)c);
    return bytes ? c : wk_utf8_lower(c);
}

static size_t next_char(struct wk_str s, size_t pos, bool bytes, uint32_t *c)
{
    if (bytes) {
        *c = (unsigned char)s.p[pos];
        return 1;
    }
    return wk_utf8_next(s.p + pos, s.n - pos, c);
}

static ptrdiff_t letters_at(const struct wk_pat_atom *a, struct wk_str s, size_t pos, bool bytes)
{
    struct wk_str lit = wk_str(a->u.lit, a->n);
    size_t i = 0, k = pos;
    while (i < lit.n) {
        uint32_t want, have;
        if (k >= s.n)
            return -1;
        i += next_char(lit, i, bytes, &want);
        k += next_char(s, k, bytes, &have);
        if (fold(want, bytes) != fold(have, bytes))
            return -1;
    }
    return (ptrdiff_t)(k - pos);
}

ptrdiff_t wk_pat_atom_at(const struct wk_pat_atom *a, struct wk_str s, size_t pos, bool bytes)
{
    uint32_t c;
    if (a->kind == WK_PAT_LIT) {
        if (a->has_letters)
            return letters_at(a, s, pos, bytes);
        if (s.n - pos < a->n || memcmp(s.p + pos, a->u.lit, a->n) != 0)
            return -1;
        return (ptrdiff_t)a->n;
    }
    if (pos >= s.n)
        return -1;
    size_t n = next_char(s, pos, bytes, &c);
    if (a->kind == WK_PAT_SET && !wk_pat_set_has(a->u.set, c, bytes))
        return -1;
    return (ptrdiff_t)n;
}

ptrdiff_t wk_pat_atom_before(const struct wk_pat_atom *a, struct wk_str s, size_t pos, bool bytes)
{
    uint32_t c;
    if (a->kind == WK_PAT_LIT) {
        struct wk_str lit = wk_str(a->u.lit, a->n);
        if (!a->has_letters) {
            if (pos < lit.n || memcmp(s.p + pos - lit.n, lit.p, lit.n) != 0)
                return -1;
            return (ptrdiff_t)lit.n;
        }
        size_t i = lit.n, k = pos;
        while (i > 0) {
            uint32_t want, have;
            if (k == 0)
                return -1;
            i -= bytes ? 1 : wk_utf8_prev(lit.p, i);
            k -= bytes ? 1 : wk_utf8_prev(s.p, k);
            next_char(lit, i, bytes, &want);
            next_char(s, k, bytes, &have);
            if (fold(want, bytes) != fold(have, bytes))
                return -1;
        }
        return (ptrdiff_t)(pos - k);
    }
    if (pos == 0)
        return -1;
    size_t n = bytes ? 1 : wk_utf8_prev(s.p, pos);
    next_char(s, pos - n, bytes, &c);
    if (a->kind == WK_PAT_SET && !wk_pat_set_has(a->u.set, c, bytes))
        return -1;
    return (ptrdiff_t)n;
}

/* One match in progress. */
struct match {
    const struct wk_pattern *p;
    struct wk_pattern_run *run;
    struct wk_str s;
    bool bytes;
    size_t tried; /* atoms compared since steps were counted last */
    int err;
};

/* The end of the segment that begins at pos and ends at or before `limit`, or NONE. */
static size_t seg_at(struct match *m, const struct wk_pat_seg *g, size_t pos, size_t limit)
{
    struct wk_str s = wk_str_take(m->s, limit);
    for (const struct wk_pat_atom *a = g->first;; a = a->next) {
        ptrdiff_t n = wk_pat_atom_at(a, s, pos, m->bytes);
        m->tried++;
        if (n < 0)
            return NONE;
        pos += (size_t)n;
        if (a == g->last)
            return pos;
    }
}

/* The start of the segment that ends at pos, or NONE. */
static size_t seg_before(struct match *m, const struct wk_pat_seg *g, size_t pos)
{
    for (const struct wk_pat_atom *a = g->last;; a = a->prev) {
        ptrdiff_t n = wk_pat_atom_before(a, m->s, pos, m->bytes);
        m->tried++;
        if (n < 0)
            return NONE;
        pos -= (size_t)n;
        if (a == g->first)
            return pos;
    }
}

/* Counts `more` steps and the atoms compared. */
static int count_steps(struct match *m, size_t more)
{
    more += m->tried;
    m->tried = 0;
    return wk_pat_steps(m->run, more);
}

/* The leftmost place of a segment inside [lo, hi): its start, and *end. */
static size_t seg_find(struct match *m, const struct wk_pat_seg *g, size_t lo, size_t hi,
                       size_t *end)
{
    const struct wk_pat_atom *a = g->first;
    bool plain = a->kind == WK_PAT_LIT && !a->has_letters;
    size_t pos = lo;
    while (pos <= hi) {
        if (plain) {
            struct wk_str rest = wk_str(m->s.p + pos, hi - pos);
            ptrdiff_t at = wk_str_find(rest, wk_str(a->u.lit, a->n));
            m->err = count_steps(m, at < 0 ? rest.n : (size_t)at);
            if (at < 0 || m->err)
                return NONE;
            pos += (size_t)at;
        }
        size_t e = seg_at(m, g, pos, hi);
        if (e != NONE) {
            *end = e;
            return pos;
        }
        m->err = count_steps(m, 1 + (plain ? a->n : 0));
        if (m->err || pos == hi)
            return NONE;
        uint32_t c;
        pos += next_char(m->s, pos, m->bytes, &c);
    }
    return NONE;
}

/* The rightmost place of a segment inside [lo, hi): its start, and *end. */
static size_t seg_rfind(struct match *m, const struct wk_pat_seg *g, size_t lo, size_t hi,
                        size_t *end)
{
    for (size_t pos = hi;;) {
        size_t start = seg_before(m, g, pos);
        if (start != NONE && start >= lo) {
            *end = pos;
            return start;
        }
        m->err = count_steps(m, 1);
        if (m->err || pos <= lo)
            return NONE;
        pos -= m->bytes ? 1 : wk_utf8_prev(m->s.p, pos);
    }
}

/* Everything about a group-less pattern from the left: places segments [i, nsegs) in [pos, hi). All
 * but the last go leftmost; the last rightmost when `longest`. False when they do not fit. */
static bool place_left(struct match *m, size_t i, size_t pos, size_t hi, bool longest, size_t *end)
{
    const struct wk_pattern *p = m->p;
    for (; i < p->nsegs; i++) {
        size_t e = 0;
        bool last = longest && !p->star_last && i + 1 == p->nsegs;
        size_t at = last ? seg_rfind(m, &p->segs[i], pos, hi, &e)
                         : seg_find(m, &p->segs[i], pos, hi, &e);
        if (at == NONE)
            return false;
        pos = e;
    }
    *end = longest && p->star_last ? hi : pos;
    return true;
}

static int answer(const struct match *m, bool yes)
{
    return m->err ? m->err : yes;
}

static int plain_prefix(struct match *m, size_t from, bool longest, size_t *end)
{
    const struct wk_pattern *p = m->p;
    if (p->star_first)
        return answer(m, place_left(m, 0, from, m->s.n, longest, end));
    if (p->nsegs == 0) {
        *end = from;
        return 1;
    }
    size_t e = seg_at(m, &p->segs[0], from, m->s.n);
    if (e == NONE)
        return 0;
    if (p->nsegs == 1 && !p->star_last) {
        *end = e;
        return 1;
    }
    return answer(m, place_left(m, 1, e, m->s.n, longest, end));
}

static int plain_suffix(struct match *m, bool longest, size_t *start)
{
    const struct wk_pattern *p = m->p;
    size_t hi = m->s.n, i = p->nsegs, e;
    if (!p->star_last) {
        if (i == 0) {
            *start = hi;
            return 1;
        }
        hi = seg_before(m, &p->segs[--i], hi);
        if (hi == NONE)
            return 0;
        if (i == 0 && !p->star_first) {
            *start = hi;
            return 1;
        }
    }
    while (i-- > 0) {
        bool first = longest && !p->star_first && i == 0;
        hi = first ? seg_find(m, &p->segs[i], 0, hi, &e) : seg_rfind(m, &p->segs[i], 0, hi, &e);
        if (hi == NONE)
            return answer(m, false);
    }
    *start = longest && p->star_first ? 0 : hi;
    return 1;
}

static int plain_whole(struct match *m)
{
    const struct wk_pattern *p = m->p;
    size_t pos = 0, end = m->s.n, i = 0, n = p->nsegs, e;
    if (!p->star_first) {
        if (n == 0)
            return end == 0;
        pos = seg_at(m, &p->segs[0], 0, end);
        if (pos == NONE)
            return 0;
        i = 1;
        if (n == 1 && !p->star_last)
            return pos == end;
    }
    if (!p->star_last) {
        end = seg_before(m, &p->segs[--n], end);
        if (end == NONE || end < pos)
            return 0;
    }
    for (; i < n; i++) {
        if (seg_find(m, &p->segs[i], pos, end, &e) == NONE)
            return answer(m, false);
        pos = e;
    }
    return 1;
}

/* In ASCII text bytes are characters; in text that is not UTF-8 bash takes them for such. */
static bool as_bytes(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s)
{
    if (p->bytes || (!p->by_char && !p->has_group))
        return true;
    if (run->keep && run->seen == s.p && run->seen_n == s.n)
        return run->seen_bytes;
    size_t ascii = wk_utf8_ascii(s);
    bool bytes = ascii == s.n || !wk_utf8_valid(wk_str_from(s, ascii));
    if (run->keep && run->seen) /* another subject */
        wk_pattern_run_release(run);
    run->seen = s.p;
    run->seen_n = s.n;
    run->seen_bytes = bytes;
    return bytes;
}

static bool is_special(const struct wk_pattern *p)
{
    return p->has_group || (p->flags & WK_PATTERN_PATHNAME);
}

static struct match start(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s)
{
    if (!s.p)
        s.p = "";
    return (struct match){.p = p, .run = run, .s = s, .bytes = as_bytes(p, run, s)};
}

/* A leading period that the pattern does not spell out (patterns without groups or slashes). */
static bool hides_period(const struct wk_pattern *p, struct wk_str s)
{
    const struct wk_pat_atom *a = p->top.first;
    return (p->flags & WK_PATTERN_PERIOD) && s.n && s.p[0] == '.' && a && a->kind != WK_PAT_LIT;
}

int wk_pattern_match(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s)
{
    struct match m = start(p, run, s);
    if (is_special(p))
        return wk_pat_group_whole(p, run, m.s, m.bytes);
    return hides_period(p, s) ? 0 : plain_whole(&m);
}

int wk_pattern_prefix(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s,
                      bool longest, size_t *end)
{
    struct match m = start(p, run, s);
    if (is_special(p))
        return wk_pat_group_ends(p, run, m.s, 0, longest, m.bytes, end);
    return plain_prefix(&m, 0, longest, end);
}

int wk_pattern_suffix(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s,
                      bool longest, size_t *begin)
{
    struct match m = start(p, run, s);
    if (is_special(p))
        return wk_pat_group_starts(p, run, m.s, s.n, !longest, m.bytes, begin);
    return plain_suffix(&m, longest, begin);
}

int wk_pattern_find(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s,
                    size_t from, size_t *begin, size_t *end)
{
    struct match m = start(p, run, s);
    if (from > s.n)
        return 0;
    if (is_special(p)) {
        int r = wk_pat_group_first(p, run, m.s, from, m.bytes, begin);
        return r == 1 ? wk_pat_group_ends(p, run, m.s, *begin, true, m.bytes, end) : r;
    }
    size_t pos = from;
    if (!p->star_first && p->nsegs) {
        pos = seg_find(&m, &p->segs[0], from, s.n, end);
        if (pos == NONE)
            return answer(&m, false);
        if (p->nsegs == 1 && !p->star_last) {
            *begin = pos;
            return 1;
        }
    }
    *begin = pos;
    return plain_prefix(&m, pos, true, end);
}
