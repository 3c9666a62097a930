/* re_scan.c - the lazy automaton over one subject, forward and backward
 *
 * A match is seen one character late (re_dfa.c): at a transition that says so, it ended before the
 * character.
 */
#include "text/re/re_dfa.h"

#define FLAG_MATCH WK_RE_FLAG_MATCH
#define FLAG_HALT  WK_RE_FLAG_HALT
#define UNKNOWN    WK_RE_UNKNOWN

enum { SLICE = WK_RE_SLICE, FAR = 1024 /* looking so far ahead in vain is learnt from */ };

int wk_re_work(struct wk_re_run *run, size_t bytes)
{
    if (!run)
        return 0;
    run->pending += bytes;
    if (run->pending < SLICE || !run->step)
        return 0;
    size_t n = run->pending;
    run->pending = 0;
    return run->step(run->ctx, n);
}

/* What one transition did: 1 stop with scan->found, 0 stop without, 2 go on; or a code. */
enum { GO_ON = 2 };

/* The side just before the place `from` of the scan (after it, backward). */
static unsigned first_side(const struct wk_re_dfa *d, const struct wk_re_scan *scan)
{
    uint32_t cls;
    if (d->mode == WK_RE_BACKWARD) {
        if (scan->from >= scan->s.n)
            return scan->right;
        wk_re_class_at_byte(d->p, scan->s.p + scan->from, scan->s.n - scan->from, &cls);
        return d->p->side[cls];
    }
    if (scan->from == 0)
        return scan->left;
    wk_re_class_before(d->p, scan->s.p, scan->from, &cls);
    return d->p->side[cls];
}

/* Takes the transition that the fast loop could not: *t is what the table held. */
static int slow_step(struct wk_re_dfa *d, struct wk_re_run *run, struct wk_re_scan *scan,
                     uint32_t *state, uint32_t cls, size_t at, uint32_t *t, bool *found)
{
    if (*t == UNKNOWN) {
        size_t s = *state / d->stride;
        size_t weight = 1 + d->st[s].n;
        int err = wk_re_dfa_compute(d, &s, cls, t);
        if (!err)
            err = wk_re_work(run, weight * 4);
        if (err)
            return err;
    }
    if (*t & FLAG_MATCH) {
        scan->found = at;
        *found = true;
    }
    if (*t & FLAG_HALT)
        return *found;
    *state = WK_RE_STATE(*t);
    return GO_ON;
}

static int scan_forward(struct wk_re_dfa *d, struct wk_re_run *run, struct wk_re_scan *scan,
                        uint32_t state)
{
    const char *base = scan->s.p;
    size_t i = scan->from, n = scan->s.n;
    bool found = false;
    const uint16_t *column = d->p->column;
    while (i < n) {
        size_t begin = i, end = n - i > SLICE ? i + SLICE : n;
        while (i < end) {
            /* The fast loop: bytes that are characters, states that are known. */
            const uint32_t *trans = d->trans;
            for (; i < end; i++) {
                uint32_t t = (trans + column[(unsigned char)base[i]])[state];
                if (WK_UNLIKELY(t >= FLAG_HALT)) {
                    if (t & FLAG_HALT)
                        break;
                    scan->found = i;
                    found = true;
                }
                state = WK_RE_STATE(t);
            }
            if (i >= end)
                break;
            uint32_t cls;
            size_t len = wk_re_class_at_byte(d->p, base + i, n - i, &cls);
            uint32_t t = trans[state + cls];
            if (t >= FLAG_HALT) {
                int r = slow_step(d, run, scan, &state, cls, i, &t, &found);
                if (r != GO_ON) {
                    int err = wk_re_work(run, i - begin);
                    return err && r >= 0 ? err : r;
                }
            } else {
                state = t;
            }
            i += len;
        }
        int err = wk_re_work(run, i - begin);
        if (err)
            return err;
    }
    uint32_t cls = d->p->classes - (scan->right == WK_RE_SIDE_EDGE ? 1 : 2);
    uint32_t t = d->trans[state + cls];
    int r = t >= FLAG_HALT ? slow_step(d, run, scan, &state, cls, i, &t, &found) : GO_ON;
    return r < 0 ? r : found;
}

/* LEFTMOST: as scan_forward, with notes of where the match begins. */
struct hunt {
    size_t start; /* of the first group; if known */
    bool known;
    bool idle; /* no match has begun: its start will be the next character */
    bool found;
    struct wk_re_ahead *ahead; /* NULL: nothing is learnt */
    size_t noted;              /* the match behind which the pending notes are */
};

/* What the transition t before byte `at` tells. */
static void take_notes(struct hunt *h, struct wk_re_scan *scan, uint32_t t, size_t at)
{
    uint32_t note = t & WK_RE_NOTES;
    if (t & FLAG_MATCH) {
        h->known = h->known && !note;
        scan->found = at;
        scan->start = h->known ? h->start : SIZE_MAX;
        h->found = true;
    } else if (note == WK_RE_FLAG_FRESH) {
        h->start = at;
        h->known = true;
    } else if (note == WK_RE_FLAG_LOST) {
        h->known = false;
    }
    h->idle = note == WK_RE_NOTES;
}

/* Any transition from *state. 1 it ends the scan, 0 it does not, or a code. */
static int hunt_step(struct wk_re_dfa *d, struct wk_re_run *run, struct wk_re_scan *scan,
                     struct hunt *h, uint32_t *state, uint32_t cls, size_t at)
{
    uint32_t t = d->trans[*state + cls];
    if (t == UNKNOWN) {
        size_t s = *state / d->stride;
        size_t weight = 1 + d->st[s].n;
        int err = wk_re_dfa_compute(d, &s, cls, &t);
        if (!err)
            err = wk_re_work(run, weight * 4);
        if (err)
            return err;
    }
    if (h->idle) {
        h->start = at;
        h->known = true;
    }
    take_notes(h, scan, t, at);
    *state = WK_RE_STATE(t);
    return (t & FLAG_HALT) != 0;
}

/* Where no match has begun: up to `end` or the first character that leads elsewhere; its transition in *t and its
 * length in *len. */
static size_t hunt_idle(const struct wk_re_dfa *d, const struct wk_re_scan *scan, uint32_t state, size_t i,
                        size_t end, uint32_t *t, size_t *len)
{
    const uint32_t *row = d->trans + state;
    const uint16_t *column = d->p->column;
    const char *base = scan->s.p;
    uint32_t cls;
    for (; i < end; i += *len) {
        *len = 1;
        *t = row[column[(unsigned char)base[i]]];
        if (WK_LIKELY(*t == (state | WK_RE_NOTES)))
            continue;
        if (column[(unsigned char)base[i]] != d->p->classes)
            break;
        *len = wk_re_class_quick(d->p, (const uint8_t *)base + i, scan->s.n - i, &cls);
        *t = row[cls];
        if (*t != (state | WK_RE_NOTES))
            break;
    }
    return i;
}

/* Known transitions from byte i on, up to `end` or one that is not known or ends the scan. */
static size_t hunt_fast(const struct wk_re_dfa *d, struct wk_re_scan *scan, struct hunt *h,
                        uint32_t *at_state, size_t i, size_t end)
{
    const uint32_t *trans = d->trans;
    const uint16_t *column = d->p->column;
    const char *base = scan->s.p;
    uint32_t state = *at_state, t = 0, cls;
    while (i < end) {
        size_t len = 1;
        if (h->idle) {
            i = hunt_idle(d, scan, state, i, end, &t, &len);
            if (i >= end || t & FLAG_HALT)
                break;
            h->start = i;
            h->known = true;
            take_notes(h, scan, t, i);
        } else {
            t = (trans + column[(unsigned char)base[i]])[state];
            if (WK_UNLIKELY(t >= WK_RE_FLAG_LOST)) {
                if (column[(unsigned char)base[i]] == d->p->classes) {
                    len = wk_re_class_quick(d->p, (const uint8_t *)base + i, scan->s.n - i, &cls);
                    t = trans[state + cls];
                }
                if (t & FLAG_HALT)
                    break;
                if (t >= WK_RE_FLAG_LOST)
                    take_notes(h, scan, t, i);
            }
        }
        state = WK_RE_STATE(t);
        i += len;
    }
    *at_state = state;
    return i;
}

/* What lies behind the match found so far: whether that is known to be nothing. */
static bool is_over(struct wk_re_dfa *d, struct hunt *h, const struct wk_re_scan *scan,
                    uint32_t state, size_t at)
{
    struct wk_re_ahead *a = h->ahead;
    if (a->flushes != d->flushes) {
        h->ahead = NULL;
        a->busy = false;
        return false;
    }
    if (h->noted != scan->found)
        a->npending = 0; /* a longer match came */
    h->noted = scan->found;
    if (wk_re_ahead_knows(a, state, at))
        return true;
    wk_re_ahead_note(a, d->re->mem, state, at);
    return false;
}

/* The end of a scan that went up to byte `at`. */
static void learn(struct wk_re_dfa *d, struct wk_re_run *run, const struct hunt *h,
                  const struct wk_re_scan *scan, size_t at)
{
    struct wk_re_ahead *a = &d->re->ahead;
    if (h->ahead) {
        a->busy = false;
        if (a->flushes == d->flushes && h->noted == scan->found)
            wk_re_ahead_keep(a, d->re->mem);
    } else if (run && run->same && h->found && !a->busy && at - scan->found > FAR) {
        wk_re_ahead_begin(a, run, d);
    }
}

/* The bytes of a slice. 1 the scan is over, 0 it is not, or a code; *at is where it stands. */
static int hunt_slice(struct wk_re_dfa *d, struct wk_re_run *run, struct wk_re_scan *scan,
                      struct hunt *h, uint32_t *state, size_t *at, size_t end)
{
    const struct wk_str s = scan->s;
    uint32_t cls;
    while (*at < end) {
        size_t to = end;
        if (h->ahead) {
            if (h->found && *at % WK_RE_AHEAD_STEP == 0 && is_over(d, h, scan, *state, *at))
                return 1;
            to = WK_MIN(end, (*at | (WK_RE_AHEAD_STEP - 1)) + 1);
        }
        *at = hunt_fast(d, scan, h, state, *at, to);
        if (*at >= to)
            continue;
        size_t len = wk_re_class_at_byte(d->p, s.p + *at, s.n - *at, &cls);
        int r = hunt_step(d, run, scan, h, state, cls, *at);
        if (r)
            return r;
        *at += len;
    }
    return 0;
}

static int scan_leftmost(struct wk_re_dfa *d, struct wk_re_run *run, struct wk_re_scan *scan,
                         uint32_t state)
{
    size_t i = scan->from, n = scan->s.n;
    struct hunt h = {.idle = true, .noted = SIZE_MAX};
    struct wk_re_ahead *a = &d->re->ahead;
    int r = 0;
    if (n - i >= WK_RE_LONG)
        wk_re_prog_prepare(d->re);
    if (!a->busy && wk_re_ahead_learns(a, run, d)) {
        h.ahead = a;
        a->busy = true;
        a->npending = 0;
    }
    while (i < n && !r) {
        size_t begin = i;
        r = hunt_slice(d, run, scan, &h, &state, &i, n - i > SLICE ? i + SLICE : n);
        int err = r < 0 ? r : wk_re_work(run, i - begin);
        r = err ? err : r;
    }
    if (!r) {
        uint32_t cls = d->p->classes - (scan->right == WK_RE_SIDE_EDGE ? 1 : 2);
        r = hunt_step(d, run, scan, &h, &state, cls, i);
    }
    learn(d, run, &h, scan, i);
    return r < 0 ? r : h.found;
}

static int scan_backward(struct wk_re_dfa *d, struct wk_re_run *run, struct wk_re_scan *scan,
                         uint32_t state)
{
    const char *base = scan->s.p;
    size_t i = scan->from, slice = 0;
    bool found = false;
    uint32_t cls;
    while (i > scan->floor) {
        size_t len = wk_re_class_before(d->p, base, i, &cls);
        uint32_t t = d->trans[state + cls];
        if (WK_UNLIKELY(t >= FLAG_HALT)) {
            int r = slow_step(d, run, scan, &state, cls, i, &t, &found);
            if (r != GO_ON)
                return r;
        } else {
            state = t;
        }
        i -= len;
        slice += len;
        if (slice >= SLICE) {
            int err = wk_re_work(run, slice);
            if (err)
                return err;
            slice = 0;
        }
    }
    if (i == 0)
        cls = d->p->classes - (scan->left == WK_RE_SIDE_EDGE ? 1 : 2);
    else
        wk_re_class_before(d->p, base, i, &cls);
    uint32_t t = d->trans[state + cls];
    if (t >= FLAG_HALT) {
        int r = slow_step(d, run, scan, &state, cls, i, &t, &found);
        if (r < 0)
            return r;
    }
    int err = wk_re_work(run, slice);
    return err ? err : found;
}

int wk_re_dfa_scan(struct wk_re_dfa *d, struct wk_re_run *run, struct wk_re_scan *scan)
{
    size_t s = wk_re_dfa_start(d, first_side(d, scan));
    if (s == SIZE_MAX)
        return -WK_ENOMEM;
    uint32_t state = (uint32_t)(s * d->stride);
    if (d->mode == WK_RE_LEFTMOST)
        return scan_leftmost(d, run, scan, state);
    return d->mode == WK_RE_BACKWARD ? scan_backward(d, run, scan, state)
                                     : scan_forward(d, run, scan, state);
}
