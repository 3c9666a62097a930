/* re_capture.c - where the groups are, inside a match already known
 *
 * First, from the end of the match backward, which places of the program can still reach the end
 * from each character; then one walk forward that takes the preferred way among those. No
 * backtracking: time and memory are (characters * places), the memory a bit each.
 *
 * Ways that end without an assertion behind the last character go before those that have one there: in glibc
 * what follows an assertion is a copy of its own, with an end of its own that comes second.
 *
 * A group repeated keeps its last turn, but an empty turn after one that was not does not count
 * (as in glibc: "(a*)*" on "aa" gives 0,2).
 */
#include "text/re/re_priv.h"

struct walker {
    struct wk_re *re;
    const struct wk_re_prog *p;
    const struct wk_re_scan *scan;
    struct wk_re_run *run;
    size_t words;     /* of one row */
    uint64_t *rows;   /* [character * words] */
    size_t nchars;
    uint32_t *stack;
    uint32_t *visit;  /* place -> character + 1 at which it was last passed */
    uint32_t *from;   /* see way_out */
    size_t ngroups;   /* of interest, with the whole */
    struct wk_re_span *now, *kept;
};

static bool bit(const uint64_t *row, uint32_t i) { return row[i >> 6] >> (i & 63) & 1; }

/* Enters a place that can reach the end, and all that lead to it without a character (`bare`: nor an
 * assertion). */
static void enter(struct walker *w, uint64_t *row, uint32_t at, unsigned left, unsigned right, bool bare)
{
    const struct wk_re_prog *p = w->p;
    size_t top = 0;
    if (bit(row, at))
        return;
    row[at >> 6] |= 1ull << (at & 63);
    w->stack[top++] = at;
    while (top) {
        uint32_t i = w->stack[--top];
        for (uint32_t k = p->pred_at[i]; k < p->pred_at[i + 1]; k++) {
            uint32_t from = p->preds[k];
            const struct wk_re_inst *in = &p->inst[from];
            if (in->op == WK_RE_OP_SET || bit(row, from) ||
                (in->op == WK_RE_OP_ASSERT && (bare || !wk_re_assert_holds(p, in->arg, left, right))))
                continue;
            row[from >> 6] |= 1ull << (from & 63);
            w->stack[top++] = from;
        }
    }
}

/* The sides of the place `at` in the subject. */
static unsigned side_before(const struct walker *w, size_t at)
{
    uint32_t cls;
    if (at == 0)
        return w->scan->left;
    wk_re_class_before(w->p, w->scan->s.p, at, &cls);
    return w->p->side[cls];
}

static unsigned side_after(const struct walker *w, size_t at)
{
    uint32_t cls;
    if (at >= w->scan->s.n)
        return w->scan->right;
    wk_re_class_at_byte(w->p, w->scan->s.p + at, w->scan->s.n - at, &cls);
    return w->p->side[cls];
}

static int fill_rows(struct walker *w, size_t start, size_t end, bool bare)
{
    const struct wk_re_prog *p = w->p;
    size_t at = end, k = w->nchars;
    uint64_t *row = w->rows + k * w->words;
    memset(row, 0, w->words * sizeof *row);
    enter(w, row, p->match, side_before(w, at), side_after(w, at), bare);
    while (at > start) {
        uint32_t cls;
        const uint64_t *after = row;
        at -= wk_re_class_before(p, w->scan->s.p, at, &cls);
        row = w->rows + --k * w->words;
        memset(row, 0, w->words * sizeof *row);
        unsigned left = p->has_assert ? side_before(w, at) : 0, right = p->side[cls];
        for (size_t word = 0; word < w->words; word++)
            for (uint64_t bits = after[word]; bits; bits &= bits - 1) {
                uint32_t to = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits);
                for (uint32_t e = p->pred_at[to]; e < p->pred_at[to + 1]; e++) {
                    const struct wk_re_inst *in = &p->inst[p->preds[e]];
                    if (in->op == WK_RE_OP_SET &&
                        (p->member[(size_t)in->arg * p->words + (cls >> 6)] >> (cls & 63) & 1))
                        enter(w, row, p->preds[e], left, right, false);
                }
            }
        int err = wk_re_work(w->run, 1 + w->words * 8);
        if (err)
            return err;
    }
    return 0;
}

static void save(struct walker *w, const struct wk_re_inst *in, ptrdiff_t at)
{
    size_t g = in->arg / 2;
    if (g >= w->ngroups)
        return;
    struct wk_re_span *span = &w->now[g];
    if (in->arg % 2 == 0) {
        *span = (struct wk_re_span){at, -1};
    } else if (span->start < at) {
        span->end = at;
        memcpy(w->kept, w->now, w->ngroups * sizeof *w->kept);
    } else if (in->optional && w->kept[g].start >= 0) {
        memcpy(w->now, w->kept, w->ngroups * sizeof *w->now);
    } else {
        span->end = at;
    }
}

/* The preferred way can go round in circles that take no character. Then any way out does: *i is
 * left at a place that takes one, or at the end, with the groups on the way recorded. */
static bool way_out(struct walker *w, const uint64_t *row, uint32_t *i, size_t at)
{
    const struct wk_re_prog *p = w->p;
    uint32_t *queue = w->stack, head = 0, tail = 0, goal = UINT32_MAX;
    memset(w->from, 0xff, p->n * sizeof *w->from);
    queue[tail++] = *i;
    w->from[*i] = *i;
    while (head < tail && goal == UINT32_MAX) {
        uint32_t k = queue[head++];
        const struct wk_re_inst *in = &p->inst[k];
        if (in->op == WK_RE_OP_SET || in->op == WK_RE_OP_MATCH) {
            goal = k;
            break;
        }
        for (int other = 0; other < (in->op == WK_RE_OP_SPLIT ? 2 : 1); other++) {
            uint32_t to = other ? in->y : in->x;
            if (!bit(row, to) || w->from[to] != UINT32_MAX)
                continue;
            w->from[to] = k;
            queue[tail++] = to;
        }
    }
    if (goal == UINT32_MAX)
        return false;
    uint32_t n = 0; /* the way, backward, over the queue */
    for (uint32_t k = goal; k != *i; k = w->from[k])
        queue[n++] = k;
    queue[n++] = *i;
    while (n > 1) {
        const struct wk_re_inst *in = &p->inst[queue[--n]];
        if (in->op == WK_RE_OP_SAVE)
            save(w, in, (ptrdiff_t)at);
    }
    *i = goal;
    return true;
}

static int walk(struct walker *w, size_t start, size_t end)
{
    const struct wk_re_prog *p = w->p;
    size_t at = start, k = 0, turns = 0;
    uint32_t i = p->start;
    const uint64_t *row = w->rows;
    while (p->inst[i].op != WK_RE_OP_MATCH) {
        const struct wk_re_inst *in = &p->inst[i];
        if (in->op == WK_RE_OP_SET) {
            uint32_t cls;
            if (at >= end)
                return -WK_EBUG;
            at += wk_re_class_at_byte(p, w->scan->s.p + at, w->scan->s.n - at, &cls);
            row = w->rows + ++k * w->words;
            i = in->x;
            int err = wk_re_work(w->run, 1 + turns);
            if (err)
                return err;
            turns = 0;
            continue;
        }
        w->visit[i] = (uint32_t)k + 1;
        if (in->op == WK_RE_OP_SAVE)
            save(w, in, (ptrdiff_t)at);
        uint32_t to = in->x;
        if (in->op == WK_RE_OP_SPLIT) {
            bool x = bit(row, in->x), y = bit(row, in->y);
            bool been = w->visit[in->x] == (uint32_t)k + 1;
            if (!x || (y && been))
                to = in->y;
        }
        i = to;
        if (++turns > 2 * (size_t)p->n) {
            if (!way_out(w, row, &i, at))
                return -WK_EBUG;
            turns = p->n; /* what that cost, short of another way out */
        }
    }
    return 0;
}

static size_t count_chars(const struct wk_re_prog *p, struct wk_str s)
{
    return p->utf8 ? wk_utf8_count(s) : s.n;
}

int wk_re_captures(struct wk_re *re, struct wk_re_cache *cache, struct wk_re_run *run,
                   const struct wk_re_scan *scan, struct wk_re_span *spans, size_t n)
{
    const struct wk_re_prog *p = re->prog;
    size_t start = (size_t)spans[0].start, end = (size_t)spans[0].end;
    struct walker w = {.re = re, .p = p, .scan = scan, .run = run};
    w.ngroups = WK_MIN(n, (size_t)re->groups + 1);
    w.words = (p->n + 63) / 64;
    w.nchars = count_chars(p, wk_str(scan->s.p + start, end - start));
    size_t rows, extra = ((size_t)p->n * 3 + 3) * sizeof(uint32_t);
    extra = (extra + 7) & ~(size_t)7;
    size_t spans_size = w.ngroups * 2 * sizeof *spans, total;
    if (w.nchars >= UINT32_MAX ||
        __builtin_mul_overflow(w.nchars + 1, w.words * sizeof(uint64_t), &rows) ||
        __builtin_add_overflow(rows, extra + spans_size, &total))
        return -WK_ENOMEM;
    if (cache->rows_size < total) {
        uint64_t *block = wk_realloc(re->mem, cache->rows, total);
        if (!block)
            return -WK_ENOMEM;
        cache->rows = block;
        cache->rows_size = total;
    }
    w.rows = cache->rows;
    w.now = (struct wk_re_span *)(void *)((char *)cache->rows + rows);
    w.kept = w.now + w.ngroups;
    w.stack = (uint32_t *)(void *)(w.kept + w.ngroups);
    w.visit = w.stack + p->n + 1;
    w.from = w.visit + p->n + 1;
    memset(w.visit, 0, (p->n + 1) * sizeof *w.visit);
    for (size_t g = 0; g < 2 * w.ngroups; g++)
        w.now[g] = (struct wk_re_span){-1, -1};
    int err = fill_rows(&w, start, end, p->has_assert);
    if (!err && p->has_assert && !bit(w.rows, p->start))
        err = fill_rows(&w, start, end, false);
    if (!err)
        err = walk(&w, start, end);
    for (size_t g = 1; g < w.ngroups && !err; g++)
        spans[g] = w.now[g].end < 0 ? (struct wk_re_span){-1, -1} : w.now[g];
    return err;
}
