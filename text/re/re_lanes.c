/* re_lanes.c - which lines have a match: several at a time
 *
 * A transition waits for the one before it, some five cycles of memory, in which the processor
 * could do four times as much: so four lanes go over different parts of the buffer in turn. A lane
 * has a segment of whole lines; at its end it gets the next one. With a finder only the lines that
 * have one of its texts are segments. A line that matches gets a mark and its rest is passed over.
 *
 * When the cache of states is emptied, the states of the other lanes are gone: they begin their
 * lines again, one after the other, so that each does so once in a block.
 */
#define _GNU_SOURCE /* memrchr */
#include "text/re/re_dfa.h"

enum { LANES = 4, SEGMENT = 2048, REST = 16, MOST_SEVERAL = WK_RE_BLOCK / 100 };
#define NO_STATE UINT32_MAX

struct lane {
    const uint8_t *p, *begin, *end;
    uint32_t state;
    bool on;
};

struct judge {
    struct wk_re *re;
    struct wk_re_dfa *d;
    struct wk_re_run *run;
    struct wk_str s;
    size_t from, cursor; /* segments were given out up to here */
    const struct wk_re_finder *finder;
    char eol;
    bool one_line, first, halted; /* first: the first line with a match ends it */
    bool single;                  /* the lanes go one after the other */
    uint64_t *marks;
    size_t found, given, work;
    size_t several;      /* characters of more bytes than one: one lane is better for many of them */
    uint32_t start; /* NO_STATE: to be made */
    size_t flushes; /* of d, when `start` was made */
};

static const uint8_t *after_line(const struct judge *j, const uint8_t *p)
{
    const uint8_t *end = (const uint8_t *)j->s.p + j->s.n;
    const uint8_t *e = p < end ? memchr(p, j->eol, (size_t)(end - p)) : NULL;
    return e ? e + 1 : end;
}

static const uint8_t *line_start(const uint8_t *p, const uint8_t *floor, char eol)
{
    const uint8_t *e = memrchr(floor, eol, (size_t)(p - floor));
    return e ? e + 1 : floor;
}

static void mark(struct judge *j, const uint8_t *p)
{
    size_t at = (size_t)(p - (const uint8_t *)j->s.p);
    if (j->first) {
        j->found = at;
        j->halted = true;
        return;
    }
    at = j->one_line ? 0 : at - j->from;
    j->marks[at >> 6] |= 1ull << (at & 63);
}

static int start_line(struct judge *j, struct lane *l)
{
    if (j->start == NO_STATE || j->flushes != j->d->flushes) {
        size_t s = wk_re_dfa_start(j->d, WK_RE_SIDE_EDGE);
        if (s == SIZE_MAX)
            return -WK_ENOMEM;
        j->start = (uint32_t)(s * j->d->stride);
        j->flushes = j->d->flushes;
    }
    l->state = j->start;
    return 0;
}

/* In the midst of a line, where the first match may begin. */
static int start_inside(struct judge *j, struct lane *l, size_t at)
{
    uint32_t cls;
    l->p = (const uint8_t *)j->s.p + at;
    wk_re_class_before(j->d->p, j->s.p, at, &cls);
    size_t s = wk_re_dfa_start(j->d, j->d->p->side[cls]);
    l->state = (uint32_t)(s * j->d->stride);
    return s == SIZE_MAX ? -WK_ENOMEM : 0;
}

/* The next lines for a lane; it is off when there are none. */
static int next_segment(struct judge *j, struct lane *l)
{
    const uint8_t *base = (const uint8_t *)j->s.p;
    l->on = false;
    if (j->cursor >= j->s.n || j->halted)
        return 0;
    l->p = base + j->cursor;
    size_t at = 0;
    if (j->finder) {
        at = wk_re_finder_next(j->finder, j->s, j->cursor, NULL);
        j->work += (at == SIZE_MAX ? j->s.n : at) - j->cursor;
        if (at == SIZE_MAX) {
            j->cursor = j->s.n;
            return 0;
        }
        l->p = line_start(base + at, l->p, j->eol);
        l->end = after_line(j, base + at);
    } else {
        size_t want = j->cursor + SEGMENT - 1;
        l->end = want < j->s.n ? after_line(j, base + want) : base + j->s.n;
    }
    j->cursor = (size_t)(l->end - base);
    l->begin = l->p;
    l->on = true;
    if (j->finder == j->re->begin && base + at > l->p) {
        j->given += (size_t)(l->end - base) - at;
        return start_inside(j, l, at);
    }
    j->given += (size_t)(l->end - l->p);
    return start_line(j, l);
}

/* The transition for cls; the lane's state may be another one afterwards. */
static int transition(struct judge *j, struct lane *l, uint32_t cls, uint32_t *t)
{
    struct wk_re_dfa *d = j->d;
    *t = d->trans[l->state + cls];
    if (*t != WK_RE_UNKNOWN)
        return 0;
    size_t s = l->state / d->stride, before = d->flushes;
    j->work += 4 + 4 * (size_t)d->st[s].n;
    int err = wk_re_dfa_compute(d, &s, cls, t);
    l->state = (uint32_t)(s * d->stride);
    if (d->flushes != before)
        j->single = true;
    return err;
}

/* One character, however its transition is; a lane at the end of its segment gets the next one. */
static int step(struct judge *j, struct lane *l)
{
    const struct wk_re_prog *p = j->d->p;
    uint32_t cls, t;
    if (l->p == l->end) {
        if (l->end[-1] == (uint8_t)j->eol)
            return next_segment(j, l);
        int err = transition(j, l, p->classes - 1, &t); /* the last line has no end */
        if (!err && t & WK_RE_FLAG_MATCH)
            mark(j, l->p - 1);
        return err ? err : next_segment(j, l);
    }
    size_t len = wk_re_class_quick(p, l->p, (size_t)(l->end - l->p), &cls);
    j->several += len > 1;
    int err = transition(j, l, cls, &t);
    if (err)
        return err;
    if (!(t & WK_RE_FLAG_HALT)) {
        l->state = t;
        l->p += len;
        return 0;
    }
    if (t & WK_RE_FLAG_MATCH)
        mark(j, l->p);
    const uint8_t *e = memchr(l->p, j->eol, (size_t)(l->end - l->p));
    l->p = e ? e + 1 : l->end;
    if (l->p == l->end)
        return next_segment(j, l); /* a last line without an end was judged, too */
    return start_line(j, l);
}

static int count(struct judge *j, size_t more)
{
    j->work += more;
    if (j->work < WK_RE_SLICE / 4)
        return 0;
    size_t work = j->work;
    j->work = 0;
    return wk_re_work(j->run, work);
}

static int run_one(struct judge *j, struct lane *l)
{
    const uint16_t *column = j->d->p->column;
    const uint32_t decode = j->d->p->classes;
    while (l->on && !j->halted) {
        const uint32_t *trans = j->d->trans;
        const uint8_t *p = l->p;
        const uint8_t *end = WK_MIN((size_t)(l->end - p), (size_t)WK_RE_SLICE) + p;
        uint32_t state = l->state;
        while (p < end) {
            size_t len = 1;
            uint32_t cls = column[*p], t = (trans + cls)[state];
            if (WK_UNLIKELY(t >= WK_RE_FLAG_HALT)) {
                if (cls != decode)
                    break;
                len = wk_re_class_quick(j->d->p, p, (size_t)(l->end - p), &cls);
                t = trans[state + cls];
                if (t >= WK_RE_FLAG_HALT)
                    break;
            }
            state = t;
            p += len;
        }
        int err = count(j, (size_t)(p - l->p));
        l->p = p;
        l->state = state;
        if (!err && (p < end || p >= l->end))
            err = step(j, l);
        if (err)
            return err;
    }
    return 0;
}

static bool is_stuck(const struct judge *j, const struct lane *l)
{
    return l->p == l->end || (j->d->trans + j->d->p->column[*l->p])[l->state] >= WK_RE_FLAG_HALT;
}

/* All lanes, until one has nothing left to do, the states are gone, or the text is not for them. */
static int run_all(struct judge *j, struct lane *l)
{
    const uint16_t *column = j->d->p->column;
    while (!j->single) {
        size_t n = WK_RE_SLICE, i = 0;
        for (int k = 0; k < LANES; k++) {
            if (!l[k].on)
                return 0;
            n = WK_MIN(n, (size_t)(l[k].end - l[k].p));
        }
        const uint32_t *trans = j->d->trans;
        const uint8_t *p0 = l[0].p, *p1 = l[1].p, *p2 = l[2].p, *p3 = l[3].p;
        uint32_t s0 = l[0].state, s1 = l[1].state, s2 = l[2].state, s3 = l[3].state;
        for (; i < n; i++) {
            uint32_t t0 = (trans + column[p0[i]])[s0];
            uint32_t t1 = (trans + column[p1[i]])[s1];
            uint32_t t2 = (trans + column[p2[i]])[s2];
            uint32_t t3 = (trans + column[p3[i]])[s3];
            if (WK_UNLIKELY((t0 | t1 | t2 | t3) >= WK_RE_FLAG_HALT))
                break;
            s0 = t0;
            s1 = t1;
            s2 = t2;
            s3 = t3;
        }
        l[0].state = s0;
        l[1].state = s1;
        l[2].state = s2;
        l[3].state = s3;
        for (int k = 0; k < LANES; k++)
            l[k].p += i;
        if (j->several > MOST_SEVERAL)
            return 0;
        int err = count(j, i * LANES);
        for (int k = 0; k < LANES && !err && !j->single; k++)
            if (is_stuck(j, &l[k])) {
                err = step(j, &l[k]);
                for (int other = 0; other < LANES && j->single; other++)
                    if (other != k)
                        l[other].state = NO_STATE;
            }
        if (err)
            return err;
    }
    return 0;
}

/* The lanes that are left go on alone: first those that still have a state. */
static struct lane *next_alone(struct lane *l)
{
    struct lane *any = NULL;
    for (int k = 0; k < LANES; k++)
        if (l[k].on && (!any || any->state == NO_STATE))
            any = &l[k];
    return any;
}

static int run_lanes(struct judge *j)
{
    struct lane l[LANES];
    int err = 0, n = j->single ? 1 : LANES;
    memset(l, 0, sizeof l);
    for (int k = 0; k < n && !err; k++)
        err = next_segment(j, &l[k]);
    if (!err && n == LANES)
        err = run_all(j, l);
    for (struct lane *k; !err && (k = next_alone(l)) != NULL;) {
        if (k->state == NO_STATE) {
            k->p = line_start(k->p, k->begin, j->eol);
            err = start_line(j, k);
        }
        size_t before = j->d->flushes;
        if (!err)
            err = run_one(j, k);
        k->on = false;
        for (int other = 0; other < LANES && before != j->d->flushes; other++)
            l[other].state = NO_STATE;
    }
    return err;
}

/* Finds lines by texts that are all there is to the pattern. */
static void judge_texts(struct judge *j)
{
    const uint8_t *base = (const uint8_t *)j->s.p;
    while (j->cursor < j->s.n && !j->halted) {
        size_t len, at = wk_re_finder_next(j->re->whole, j->s, j->cursor, &len);
        j->work += (at == SIZE_MAX ? j->s.n : at) - j->cursor;
        if (at == SIZE_MAX)
            return;
        const uint8_t *end = after_line(j, base + at);
        size_t to = (size_t)(end - base), text_end = to - (end[-1] == (uint8_t)j->eol);
        /* A text with an end of line in it is in no line; another one may begin in this. */
        if (at + len <= text_end ||
            wk_re_finder_next(j->re->whole, wk_str_take(j->s, text_end), at, NULL) != SIZE_MAX)
            mark(j, base + at);
        j->cursor = to;
    }
}

/* What was of no use in this block rests for some. */
static void count_down(uint8_t *rest, bool useless)
{
    if (useless)
        *rest = REST;
    else if (*rest)
        --*rest;
}

int wk_re_judge(struct wk_re *re, struct wk_re_dfa *d, struct wk_re_run *run, struct wk_str s,
                size_t from, char eol, uint64_t *marks, size_t *found)
{
    struct judge j = {
        .re = re, .d = d, .run = run, .s = s, .from = from, .cursor = from, .eol = eol};
    j.marks = marks;
    j.first = !marks;
    j.one_line = s.n - from > WK_RE_BLOCK;
    j.start = NO_STATE;
    int err = 0;
    if (!d) {
        judge_texts(&j);
    } else {
        uint32_t cls = d->p->byte_class[(unsigned char)eol];
        if (cls != d->eol_class) {
            wk_re_dfa_forget(d);
            d->eol_class = cls;
        }
        if (s.n - from >= WK_RE_LONG)
            wk_re_prog_prepare(re);
        size_t before = d->flushes;
        j.single = j.first || re->rest_lanes;
        if (!re->rest_part)
            j.finder = re->part;
        err = run_lanes(&j);
        if (!j.first) {
            count_down(&re->rest_lanes, d->flushes != before);
            count_down(&re->rest_part, j.finder && j.given > (s.n - from) / 2);
        }
    }
    if (!err)
        err = wk_re_work(run, j.work);
    *found = j.found;
    return err ? err : j.halted;
}
