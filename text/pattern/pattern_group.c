/* pattern_group.c - matching shell patterns with groups
 *
 * Works on sets of positions: a sequence maps the set of places where it may start to the set of
 * places where it may end (or, walking backward, ends to starts). A loop runs to its fixpoint, and
 * !(…) is the complement of what its alternatives reach from one place. So time is polynomial in
 * the subject for any pattern. Recursion is as deep as groups nest, which the compiler bounds.
 */
#include "text/pattern/pattern_priv.h"

/* Positions 0..n as bits. Only words lo..hi hold valid data; lo > hi means empty. */
struct set {
    uint64_t *w;
    size_t lo, hi;
};

enum {
    SETS_PER_LEVEL = 5, /* taken by one level of groups, see eval_group and eval_alts */
    SETS_STRICT = 6     /* … and by a sequence with a strict star */
};
enum { SMALL_WORDS = 128 };

struct engine {
    const struct wk_pattern *p;
    struct wk_pattern_run *run;
    struct wk_str s;
    bool bytes, back;
    bool have_bounds;
    size_t words;      /* of one set */
    uint64_t *bounds;  /* places between characters, made when first needed */
    uint64_t *stops;   /* characters a star may not take, at their first byte; NULL = none */
    uint64_t *pool;    /* sets, used as a stack */
    size_t pool_used;
    struct wk_arena memo_arena;
    uint64_t ***memo;  /* [group][place] = set of the other ends */
};

static void set_clear(struct set *t)
{
    t->lo = 1;
    t->hi = 0;
}

static bool set_empty(const struct set *t) { return t->lo > t->hi; }

/* Makes words lo..hi valid. */
static void set_extend(struct set *t, size_t lo, size_t hi)
{
    if (set_empty(t)) {
        memset(t->w + lo, 0, (hi - lo + 1) * sizeof *t->w);
        t->lo = lo;
        t->hi = hi;
        return;
    }
    for (; t->lo > lo; t->w[t->lo] = 0)
        t->lo--;
    for (; t->hi < hi; t->w[t->hi] = 0)
        t->hi++;
}

static void set_add(struct set *t, size_t i)
{
    set_extend(t, i >> 6, i >> 6);
    t->w[i >> 6] |= 1ull << (i & 63);
}

static bool bit(const uint64_t *w, size_t i) { return w[i >> 6] >> (i & 63) & 1; }

static bool set_has(const struct set *t, size_t i)
{
    return i >> 6 >= t->lo && i >> 6 <= t->hi && bit(t->w, i);
}

static void set_copy(struct set *to, const struct set *from)
{
    to->lo = from->lo;
    to->hi = from->hi;
    if (!set_empty(from))
        memcpy(to->w + to->lo, from->w + from->lo, (from->hi - from->lo + 1) * sizeof *to->w);
}

static void set_or(struct set *to, const struct set *from)
{
    if (set_empty(from))
        return;
    set_extend(to, from->lo, from->hi);
    for (size_t k = from->lo; k <= from->hi; k++)
        to->w[k] |= from->w[k];
}

/* Drops from `t` what is in `known`. */
static void set_minus(struct set *t, const struct set *known)
{
    for (size_t k = t->lo; k <= t->hi; k++)
        if (k >= known->lo && k <= known->hi)
            t->w[k] &= ~known->w[k];
    while (!set_empty(t) && t->w[t->hi] == 0) {
        if (t->hi == 0) {
            set_clear(t);
            return;
        }
        t->hi--;
    }
    while (!set_empty(t) && t->w[t->lo] == 0)
        t->lo++;
}

/* The next member at or after i, or SIZE_MAX. */
static size_t set_next(const struct set *t, size_t i)
{
    size_t k = i >> 6;
    if (set_empty(t) || k > t->hi)
        return SIZE_MAX;
    uint64_t w;
    if (k < t->lo) {
        k = t->lo;
        w = t->w[k];
    } else {
        w = t->w[k] & (~0ull << (i & 63));
    }
    for (;;) {
        if (w)
            return (k << 6) + (size_t)__builtin_ctzll(w);
        if (k == t->hi)
            return SIZE_MAX;
        w = t->w[++k];
    }
}

static size_t set_last(const struct set *t)
{
    for (size_t k = t->hi + 1; !set_empty(t) && k-- > t->lo;)
        if (t->w[k])
            return (k << 6) + 63 - (size_t)__builtin_clzll(t->w[k]);
    return SIZE_MAX;
}

static struct set take(struct engine *e)
{
    struct set t = {.w = e->pool + e->pool_used * e->words};
    e->pool_used++;
    set_clear(&t);
    return t;
}

static void mark_bounds(struct engine *e)
{
    e->have_bounds = true;
    wk_pat_count(e->run, e->s.n);
    memset(e->bounds, 0, e->words * sizeof *e->bounds);
    for (size_t i = 0;;) {
        uint32_t c;
        e->bounds[i >> 6] |= 1ull << (i & 63);
        if (i >= e->s.n)
            return;
        i += wk_utf8_next(e->s.p + i, e->s.n - i, &c);
    }
}

/* Adds all places lo..hi between characters; both ends are such. */
static void add_range(struct engine *e, struct set *t, size_t lo, size_t hi)
{
    bool sieve = !e->bytes && lo < hi;
    if (sieve && !e->have_bounds)
        mark_bounds(e);
    set_extend(t, lo >> 6, hi >> 6);
    for (size_t k = lo >> 6; k <= hi >> 6; k++) {
        uint64_t m = sieve ? e->bounds[k] : ~0ull;
        if (k == lo >> 6)
            m &= ~0ull << (lo & 63);
        if (k == hi >> 6)
            m &= ~0ull >> (63 - (hi & 63));
        t->w[k] |= m;
    }
}

static size_t char_before(const struct engine *e, size_t pos)
{
    return pos - (e->bytes ? 1 : wk_utf8_prev(e->s.p, pos));
}

/* How far a star that starts at i (ends at i, backward) can reach. */
static size_t reach(const struct engine *e, size_t i)
{
    if (!e->stops)
        return e->back ? 0 : e->s.n;
    if (!e->back) {
        while (i < e->s.n && !bit(e->stops, i))
            i++;
        return i;
    }
    while (i > 0 && !bit(e->stops, char_before(e, i)))
        i = char_before(e, i);
    return i;
}

static int step_star(struct engine *e, struct set *cur)
{
    size_t first = set_next(cur, 0), last = set_last(cur);
    if (first == SIZE_MAX)
        return 0;
    if (!e->stops) {
        add_range(e, cur, e->back ? 0 : first, e->back ? last : e->s.n);
        return wk_pat_steps(e->run, 1 + (e->s.n >> 6));
    }
    if (e->back) {
        /* From the right: each place reaches down to the first character a star may not take. */
        for (size_t i = last + 1; i-- > 0;) {
            if (!set_has(cur, i))
                continue;
            size_t to = reach(e, i);
            add_range(e, cur, to, i);
            i = to;
        }
    } else {
        for (size_t i = first; i != SIZE_MAX; i = set_next(cur, i)) {
            size_t to = reach(e, i);
            add_range(e, cur, i, to);
            i = to + 1;
        }
    }
    return wk_pat_steps(e->run, 1 + e->s.n);
}

static int step_atom(struct engine *e, const struct wk_pat_atom *a, const struct set *cur,
                     struct set *next)
{
    size_t count = 0;
    for (size_t i = set_next(cur, 0); i != SIZE_MAX; i = set_next(cur, i + 1)) {
        ptrdiff_t n = e->back ? wk_pat_atom_before(a, e->s, i, e->bytes)
                              : wk_pat_atom_at(a, e->s, i, e->bytes);
        count++;
        if (n < 0)
            continue;
        size_t to = e->back ? i - (size_t)n : i + (size_t)n;
        if (a->kind != WK_PAT_LIT && e->stops && bit(e->stops, e->back ? to : i))
            continue;
        set_add(next, to);
    }
    return wk_pat_steps(e->run, count + 1);
}

static int eval_group(struct engine *e, const struct wk_pat_atom *a, struct set *cur);

/* Replaces *cur by what the atoms from a on, up to `end`, reach from it; `tmp` is scratch. */
static int walk(struct engine *e, const struct wk_pat_atom *a, const struct wk_pat_atom *end, struct set *cur,
                struct set *tmp)
{
    int err = 0;
    for (; a != end && !err; a = e->back ? a->prev : a->next) {
        if (set_empty(cur))
            return 0;
        if (a->kind == WK_PAT_STAR) {
            err = step_star(e, cur);
        } else if (a->kind == WK_PAT_GROUP) {
            err = eval_group(e, a, cur);
        } else {
            set_clear(tmp);
            err = step_atom(e, a, cur, tmp);
            struct set swap = *cur;
            *cur = *tmp;
            *tmp = swap;
        }
    }
    return err;
}

/* Can the atoms from a on, up to `end`, match nothing? */
static bool may_be_empty(const struct engine *e, const struct wk_pat_atom *a, const struct wk_pat_atom *end)
{
    for (; a != end; a = e->back ? a->prev : a->next) {
        bool can = a->kind == WK_PAT_STAR || (a->kind == WK_PAT_GROUP && memchr("?*!", a->op, 3));
        if (a->kind == WK_PAT_GROUP)
            for (const struct wk_pat_seq *alt = a->u.alts; alt && !can; alt = alt->next)
                can = may_be_empty(e, e->back ? alt->last : alt->first, NULL);
        if (!can)
            return false;
    }
    return true;
}

/* Sets that a sequence with strict stars works with. */
struct strict {
    struct set all, from, one, out, cur, tmp;
};

/* out: what the atoms reach from t->from by matching something. */
static int walk_on(struct engine *e, const struct wk_pat_atom *a, const struct wk_pat_atom *end, struct strict *t)
{
    int err = 0;
    set_clear(&t->out);
    if (!may_be_empty(e, a, end)) {
        set_copy(&t->out, &t->from);
        return walk(e, a, end, &t->out, &t->tmp);
    }
    for (size_t i = set_next(&t->from, 0); i != SIZE_MAX && !err; i = set_next(&t->from, i + 1)) {
        set_clear(&t->one);
        set_add(&t->one, i);
        err = walk(e, a, end, &t->one, &t->tmp);
        if (set_has(&t->one, i))
            t->one.w[i >> 6] &= ~(1ull << (i & 63));
        set_or(&t->out, &t->one);
        if (!err)
            err = wk_pat_steps(e->run, 1 + (e->s.n >> 6));
    }
    return err;
}

static bool is_strict(const struct wk_pat_atom *a) { return a->kind == WK_PAT_STAR && a->op; }

/* Forward: what follows the last strict star must match something; one before !(…) may end all where it starts. */
static int strict_forward(struct engine *e, const struct wk_pat_seq *seq, struct strict *t)
{
    const struct wk_pat_atom *rest = NULL, *at = seq->first;
    int err = 0;
    for (const struct wk_pat_atom *a = seq->first; a && !err; a = a->next) {
        if (!is_strict(a))
            continue;
        if (a->op == '!' && rest)
            err = walk_on(e, rest, a, t);
        if (!err && a->op == '!' && rest)
            set_or(&t->all, &t->out);
        err = err ? err : walk(e, at, a, &t->cur, &t->tmp);
        if (a->op == '!' && !rest)
            set_or(&t->all, &t->cur);
        err = err ? err : step_star(e, &t->cur);
        set_copy(&t->from, &t->cur);
        rest = at = a->next;
    }
    err = err ? err : walk_on(e, rest, NULL, t);
    set_copy(&t->cur, &t->out);
    set_or(&t->cur, &t->all);
    return err;
}

/* Backward, the same: `from` has matched nothing behind the next strict star so far, `cur` something. */
static int strict_backward(struct engine *e, const struct wk_pat_seq *seq, struct strict *t)
{
    const struct wk_pat_atom *at = seq->last;
    int err = 0;
    set_copy(&t->all, &t->cur);
    set_copy(&t->from, &t->cur);
    set_clear(&t->cur);
    for (const struct wk_pat_atom *a = seq->last; a && !err; a = a->prev) {
        if (!is_strict(a))
            continue;
        err = walk(e, at, a, &t->cur, &t->tmp);
        err = err ? err : walk_on(e, at, a, t);
        set_or(&t->cur, &t->out);
        err = err ? err : step_star(e, &t->cur);
        set_clear(&t->from);
        if (a->op == '!')
            set_copy(&t->from, &t->all);
        at = a->prev;
    }
    err = err ? err : walk(e, at, NULL, &t->cur, &t->tmp);
    err = err ? err : walk(e, at, NULL, &t->from, &t->tmp);
    set_or(&t->cur, &t->from);
    return err;
}

/* Replaces *cur by what the sequence reaches from it; `tmp` is scratch.
 *
 * A star with a group @ + ! behind it is strict, as bash's is: what follows it is not tried at the end of the
 * subject, which comes to this: it must match something. Where such a star before !(…) begins at the end, all that
 * follows counts as matched. */
static int eval_seq(struct engine *e, const struct wk_pat_seq *seq, struct set *cur, struct set *tmp)
{
    if (WK_LIKELY(!seq->strict))
        return walk(e, e->back ? seq->last : seq->first, NULL, cur, tmp);
    size_t used = e->pool_used;
    struct strict t = {.all = take(e), .from = take(e), .one = take(e), .out = take(e), .cur = take(e), .tmp = take(e)};
    set_copy(&t.cur, cur);
    int err = e->back ? strict_backward(e, seq, &t) : strict_forward(e, seq, &t);
    set_copy(cur, &t.cur);
    e->pool_used = used;
    return err;
}

/* Adds to *out what any alternative reaches from `from`. Takes two sets. */
static int eval_alts(struct engine *e, const struct wk_pat_atom *a, const struct set *from,
                     struct set *out)
{
    int err = 0;
    struct set cur = take(e), tmp = take(e);
    for (const struct wk_pat_seq *alt = a->u.alts; alt && !err; alt = alt->next) {
        set_copy(&cur, from);
        err = eval_seq(e, alt, &cur, &tmp);
        if (!err)
            set_or(out, &cur);
    }
    e->pool_used -= 2;
    return err;
}

/* Adds the complement, between i and what a star could reach, of what the alternatives reach from
 * i. */
static int negate_one(struct engine *e, const struct wk_pat_atom *a, size_t i, struct set *out)
{
    size_t to = reach(e, i), lo = WK_MIN(i, to), hi = WK_MAX(i, to);
    uint64_t **memo = a->memo ? &e->memo[a->memo - 1][i] : NULL;
    struct set known = {.w = memo ? *memo : NULL, .lo = lo >> 6, .hi = hi >> 6};
    if (known.w) {
        set_or(out, &known);
        return wk_pat_steps(e->run, 1 + (hi >> 6) - (lo >> 6));
    }
    struct set one = take(e), hit = take(e);
    set_add(&one, i);
    int err = eval_alts(e, a, &one, &hit);
    if (!err) {
        set_clear(&one);
        add_range(e, &one, lo, hi);
        for (size_t k = WK_MAX(hit.lo, one.lo); k <= hit.hi && k <= one.hi; k++)
            one.w[k] &= ~hit.w[k];
        set_or(out, &one);
        if (memo) {
            uint64_t *keep = wk_arena_alloc(&e->memo_arena, e->words * sizeof *keep);
            if (keep) {
                memcpy(keep + one.lo, one.w + one.lo, (one.hi - one.lo + 1) * sizeof *keep);
                *memo = keep;
            } else {
                err = -WK_ENOMEM;
            }
        }
    }
    e->pool_used -= 2;
    return err ? err : wk_pat_steps(e->run, 1 + (hi >> 6) - (lo >> 6));
}

/* Replaces *cur by what the group reaches from it. */
static int eval_group(struct engine *e, const struct wk_pat_atom *a, struct set *cur)
{
    int err = 0;
    size_t used = e->pool_used;
    struct set out = take(e);
    if (a->op == '!') {
        for (size_t i = set_next(cur, 0); i != SIZE_MAX && !err; i = set_next(cur, i + 1))
            err = negate_one(e, a, i, &out);
    } else if (a->op == '@' || a->op == '?') {
        if (a->op == '?')
            set_copy(&out, cur);
        err = eval_alts(e, a, cur, &out);
    } else {
        struct set front = take(e), fresh = take(e);
        set_copy(&front, cur);
        if (a->op == '*')
            set_copy(&out, cur);
        while (!set_empty(&front) && !err) {
            set_clear(&fresh);
            err = eval_alts(e, a, &front, &fresh);
            set_minus(&fresh, &out);
            set_or(&out, &fresh);
            set_copy(&front, &fresh);
        }
    }
    set_copy(cur, &out);
    e->pool_used = used;
    return err;
}

static void mark_stops(struct engine *e)
{
    bool path = e->p->flags & WK_PATTERN_PATHNAME, period = e->p->flags & WK_PATTERN_PERIOD;
    wk_pat_count(e->run, e->s.n);
    memset(e->stops, 0, e->words * sizeof *e->stops);
    for (size_t i = 0; i < e->s.n; i++) {
        char c = e->s.p[i];
        bool lead = i == 0 || (path && e->s.p[i - 1] == '/');
        if ((path && c == '/') || (period && c == '.' && lead))
            e->stops[i >> 6] |= 1ull << (i & 63);
    }
}

static int make_memo(struct engine *e)
{
    wk_arena_init(&e->memo_arena, e->run->mem);
    if (!e->p->memos)
        return 0;
    if (e->s.n > SIZE_MAX / 16 - 1)
        return -WK_ENOMEM;
    e->memo = wk_arena_zalloc(&e->memo_arena, e->p->memos * sizeof *e->memo);
    for (unsigned k = 0; e->memo && k < e->p->memos; k++) {
        e->memo[k] = wk_arena_zalloc(&e->memo_arena, (e->s.n + 1) * sizeof **e->memo);
        if (!e->memo[k])
            return -WK_ENOMEM;
        wk_pat_count(e->run, e->s.n);
    }
    return e->memo ? 0 : -WK_ENOMEM;
}

/* Copies the set of starts into the run. */
static int keep_starts(struct engine *e, const struct set *from)
{
    wk_free(e->run->mem, e->run->starts);
    e->run->starts = wk_calloc(e->run->mem, e->words, sizeof(uint64_t));
    if (!e->run->starts)
        return -WK_ENOMEM;
    for (size_t k = from->lo; k <= from->hi; k++)
        e->run->starts[k] = from->w[k];
    return 0;
}

/* Runs the whole pattern from `from` (a set made by `seed`) and hands the result to the caller's
 * set through `pick`: 1 and *out, or 0. */
enum pick { PICK_FIRST, PICK_LAST, PICK_HAS, PICK_STARTS };

static int evaluate(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s,
                    bool bytes, bool back, size_t lo, size_t hi, enum pick pick, size_t *out)
{
    struct engine e = {.p = p, .run = run, .s = s, .bytes = bytes, .back = back};
    uint64_t small[SMALL_WORDS];
    e.words = (s.n >> 6) + 1;
    size_t sets = 2 + 2 + (size_t)p->depth * (SETS_PER_LEVEL + 2) + (p->depth + 1) * SETS_STRICT, total;
    bool limited = p->flags & (WK_PATTERN_PATHNAME | WK_PATTERN_PERIOD);
    if (__builtin_mul_overflow(sets, e.words * sizeof(uint64_t), &total))
        return -WK_ENOMEM;
    if (total <= sizeof small) {
        e.pool = small;
    } else {
        if (run->scratch_size < total) {
            wk_free(run->mem, run->scratch);
            run->scratch = wk_alloc(run->mem, total);
            run->scratch_size = run->scratch ? total : 0;
        }
        e.pool = run->scratch;
        if (!e.pool)
            return -WK_ENOMEM;
    }
    e.bounds = e.pool + e.words * (sets - 1);
    if (limited) {
        e.stops = e.pool + e.words * (sets - 2);
        mark_stops(&e);
    }
    int err = make_memo(&e);
    if (!err) {
        struct set cur = take(&e), tmp = take(&e);
        add_range(&e, &cur, lo, hi);
        err = eval_seq(&e, &p->top, &cur, &tmp);
        if (!err && pick == PICK_STARTS) {
            err = keep_starts(&e, &cur);
        } else if (!err && pick == PICK_HAS) {
            err = set_has(&cur, *out);
        } else if (!err) {
            size_t at = pick == PICK_FIRST ? set_next(&cur, 0) : set_last(&cur);
            err = at != SIZE_MAX;
            *out = at;
        }
    }
    wk_arena_release(&e.memo_arena);
    if (!run->keep && pick != PICK_STARTS)
        wk_pattern_run_release(run);
    return err;
}

int wk_pat_group_ends(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s,
                      size_t start, bool greatest, bool bytes, size_t *out)
{
    return evaluate(p, run, s, bytes, false, start, start, greatest ? PICK_LAST : PICK_FIRST, out);
}

int wk_pat_group_starts(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s,
                        size_t end, bool greatest, bool bytes, size_t *out)
{
    return evaluate(p, run, s, bytes, true, end, end, greatest ? PICK_LAST : PICK_FIRST, out);
}

int wk_pat_group_whole(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s,
                       bool bytes)
{
    size_t end = s.n;
    return evaluate(p, run, s, bytes, false, 0, 0, PICK_HAS, &end);
}

/* Reads the kept starts: the first at or after `at`. */
static int next_start(const struct wk_pattern_run *run, size_t n, size_t at, size_t *out)
{
    struct set all = {.w = run->starts, .lo = 0, .hi = n >> 6};
    *out = set_next(&all, at);
    return *out != SIZE_MAX;
}

int wk_pat_group_first(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s,
                       size_t from, bool bytes, size_t *out)
{
    if (run->keep && run->starts && run->starts_of == p && from >= run->starts_from)
        return next_start(run, s.n, from, out);
    /* Trying place after place is best while each try is cheap; else one walk backward from every
     * end tells all starts. */
    uint64_t before = run->total;
    for (size_t at = from;;) {
        size_t end;
        int r = evaluate(p, run, s, bytes, false, at, at, PICK_FIRST, &end);
        if (r) {
            *out = at;
            return r;
        }
        if (at >= s.n)
            return 0;
        uint32_t c;
        at += bytes ? 1 : wk_utf8_next(s.p + at, s.n - at, &c);
        if (run->total - before > 200 + 16 * (at - from)) {
            int err = evaluate(p, run, s, bytes, true, at, s.n, PICK_STARTS, out);
            if (err)
                return err;
            run->starts_of = p;
            run->starts_from = at;
            r = next_start(run, s.n, at, out);
            if (!run->keep)
                wk_pattern_run_release(run);
            return r;
        }
    }
}
