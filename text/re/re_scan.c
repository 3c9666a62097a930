/* re_scan.c - the lazy automaton over one subject, forward and backward
 *
 * A match is seen one character late (re_dfa.c): at a transition that says so, it ended before the
 * character.
 */
#include "text/re/re_dfa.h"

#define FLAG_MATCH WK_RE_FLAG_MATCH
#define FLAG_HALT  WK_RE_FLAG_HALT
#define UNKNOWN    WK_RE_UNKNOWN

enum { SLICE = WK_RE_SLICE };

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

/* Known states from byte i on, up to `end` or a transition that needs more than a look. */
static size_t hunt_fast(const struct wk_re_dfa *d, struct wk_re_scan *scan, struct hunt *h,
                        uint32_t *at_state, size_t i, size_t end)
{
    const uint32_t *trans = d->trans;
    const uint16_t *column = d->p->column;
    const char *base = scan->s.p;
    uint32_t state = *at_state;
    if (h->idle) {
        const uint32_t *row = trans + state;
        while (i < end && row[column[(unsigned char)base[i]]] == (state | WK_RE_NOTES))
            i++;
        return i;
    }
    for (; i < end; i++) {
        uint32_t t = (trans + column[(unsigned char)base[i]])[state];
        if (WK_UNLIKELY(t >= WK_RE_FLAG_LOST)) {
            if (t & (FLAG_HALT | WK_RE_NOTES))
                break;
            take_notes(h, scan, t, i);
        }
        state = WK_RE_STATE(t);
    }
    *at_state = state;
    return i;
}

static int scan_leftmost(struct wk_re_dfa *d, struct wk_re_run *run, struct wk_re_scan *scan,
                         uint32_t state)
{
    const char *base = scan->s.p;
    size_t i = scan->from, n = scan->s.n;
    struct hunt h = {.idle = true};
    uint32_t cls;
    while (i < n) {
        size_t begin = i, end = n - i > SLICE ? i + SLICE : n;
        while ((i = hunt_fast(d, scan, &h, &state, i, end)) < end) {
            size_t len = wk_re_class_at_byte(d->p, base + i, n - i, &cls);
            int r = hunt_step(d, run, scan, &h, &state, cls, i);
            if (r) {
                int err = wk_re_work(run, i - begin);
                return err || r < 0 ? WK_MIN(err, r) : h.found;
            }
            i += len;
            end = WK_MAX(end, i);
        }
        int err = wk_re_work(run, i - begin);
        if (err)
            return err;
    }
    cls = d->p->classes - (scan->right == WK_RE_SIDE_EDGE ? 1 : 2);
    int r = hunt_step(d, run, scan, &h, &state, cls, i);
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
