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
#include "text/re/re_rows.h"

struct walker {
    struct wk_re *re;
    const struct wk_re_prog *p;
    const struct wk_re_scan *scan;
    struct wk_re_run *run;
    const struct wk_re_rows *places;
    const uint32_t *rows; /* of each place in the match where a character begins */
    uint32_t *stack;
    uint32_t *visit;  /* place -> offset in the match + 1 at which it was last passed */
    uint32_t *from;   /* see way_out */
    size_t ngroups;   /* of interest, with the whole */
    struct wk_re_span *now, *kept;
};

static bool bit(const uint64_t *row, uint32_t i) { return row[i >> 6] >> (i & 63) & 1; }

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
    size_t at = start, turns = 0;
    uint32_t i = p->start, here = 1; /* here: the offset in the match, + 1 */
    const uint64_t *row = wk_re_row(w->places, w->rows[0]);
    while (p->inst[i].op != WK_RE_OP_MATCH) {
        const struct wk_re_inst *in = &p->inst[i];
        if (in->op == WK_RE_OP_SET) {
            uint32_t cls;
            if (at >= end)
                return -WK_EBUG;
            at += wk_re_class_at_byte(p, w->scan->s.p + at, w->scan->s.n - at, &cls);
            here = (uint32_t)(at - start) + 1;
            row = wk_re_row(w->places, w->rows[here - 1]);
            i = in->x;
            int err = wk_re_work(w->run, 1 + turns);
            if (err)
                return err;
            turns = 0;
            continue;
        }
        w->visit[i] = here;
        if (in->op == WK_RE_OP_SAVE)
            save(w, in, (ptrdiff_t)at);
        uint32_t to = in->x;
        if (in->op == WK_RE_OP_SPLIT) {
            bool x = bit(row, in->x), y = bit(row, in->y);
            bool been = w->visit[in->x] == here;
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

int wk_re_captures(struct wk_re *re, struct wk_re_cache *cache, struct wk_re_run *run,
                   const struct wk_re_scan *scan, struct wk_re_span *spans, size_t n)
{
    const struct wk_re_prog *p = re->prog;
    size_t start = (size_t)spans[0].start, end = (size_t)spans[0].end;
    struct walker w = {.re = re, .p = p, .scan = scan, .run = run};
    w.ngroups = WK_MIN(n, (size_t)re->groups + 1);
    size_t rows, extra = ((size_t)p->n * 3 + 3) * sizeof(uint32_t), total;
    if (end - start >= UINT32_MAX - 2 || __builtin_mul_overflow(end - start + 2, sizeof *w.rows, &rows))
        return -WK_ENOMEM;
    rows = (rows + 7) & ~(size_t)7;
    if (__builtin_add_overflow(rows, extra + w.ngroups * 2 * sizeof *spans, &total))
        return -WK_ENOMEM;
    if (cache->rows_size < total) {
        uint32_t *block = wk_realloc(re->mem, cache->rows, total);
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
    int err = wk_re_rows_fill(re, cache, run, scan, spans, p->has_assert, cache->rows);
    w.places = cache->places;
    if (!err && p->has_assert && !bit(wk_re_row(w.places, w.rows[0]), p->start))
        err = wk_re_rows_fill(re, cache, run, scan, spans, false, cache->rows);
    if (!err)
        err = walk(&w, start, end);
    for (size_t g = 1; g < w.ngroups && !err; g++)
        spans[g] = w.now[g].end < 0 ? (struct wk_re_span){-1, -1} : w.now[g];
    return err;
}
