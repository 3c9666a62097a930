/* diff_match.c - which lines of two sequences change
 *
 * Standard: Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986).
 * Oracle: diff.
 */
#include "builtins/diff_match.h"

/* What is still to be compared: a part of each side, of the lines that are in both. */
struct range {
    int64_t a, a_end, b, b_end;
    bool minimal;
};

struct match {
    struct wk_cmd *c;
    struct wk_diff_side *side;
    uint32_t *line[2]; /* the lines that occur on the other side, too … */
    int64_t *at[2];    /* … and where they are */
    int64_t n[2];
    int64_t *ahead, *back; /* by diagonal: how far each search has come */
    struct range *todo;
    size_t todo_n, todo_cap;
    int64_t cost_limit;
};

/* Lines without partner are changed and take no further part, unless `all` do: of several shortest
 * scripts another one is found then. */
static void take_common(struct match *m, int which, const uint32_t *times_other, bool all)
{
    struct wk_diff_side *s = &m->side[which];
    m->line[which] = wk_new_n(m->c, uint32_t, (size_t)s->n + 1);
    m->at[which] = wk_new_n(m->c, int64_t, (size_t)s->n + 1);
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (!all && !times_other[s->line[i]]) {
            s->changed[i] = true;
            continue;
        }
        m->line[which][n] = s->line[i];
        m->at[which][n++] = i;
    }
    m->n[which] = n;
    wk_tick(m->c, (uint32_t)(s->n / 16 + 1));
}

static uint32_t *count_lines(struct wk_cmd *c, const struct wk_diff_side *s, uint32_t classes)
{
    uint32_t *times = wk_new_n(c, uint32_t, (size_t)classes + 1);
    for (int64_t i = 0; i < s->n; i++)
        times[s->line[i]]++;
    return times;
}

/* ---- the middle of a shortest path ------------------------------------------------------------
 */

struct middle {
    int64_t a, b;
    bool low_minimal, high_minimal;
};

/* The two searches, from the start and from the end, of one range: their outermost diagonals. */
struct reach {
    int64_t low, high, least, most;
};

/* One diagonal further out on each side, or, at the edge of the range, further in. */
static void widen(struct reach *r, int64_t *v, int64_t beyond)
{
    if (r->low > r->least)
        v[--r->low - 1] = beyond;
    else
        ++r->low;
    if (r->high < r->most)
        v[++r->high + 1] = beyond;
    else
        --r->high;
}

static bool step_ahead(struct match *m, const struct range *r, struct reach *f,
                       const struct reach *b, bool odd, struct middle *out)
{
    const uint32_t *x = m->line[0], *y = m->line[1];
    int64_t *v = m->ahead;
    widen(f, v, -1);
    for (int64_t d = f->high; d >= f->low; d -= 2) {
        int64_t a = v[d - 1] < v[d + 1] ? v[d + 1] : v[d - 1] + 1;
        int64_t from = a;
        while (a < r->a_end && a - d < r->b_end && x[a] == y[a - d])
            a++;
        wk_tick(m->c, (uint32_t)((a - from) / 4 + 1));
        v[d] = a;
        if (odd && b->low <= d && d <= b->high && m->back[d] <= a) {
            *out = (struct middle){a, a - d, true, true};
            return true;
        }
    }
    return false;
}

static bool step_back(struct match *m, const struct range *r, struct reach *b,
                      const struct reach *f, bool odd, struct middle *out)
{
    const uint32_t *x = m->line[0], *y = m->line[1];
    int64_t *v = m->back;
    widen(b, v, INT64_MAX);
    for (int64_t d = b->high; d >= b->low; d -= 2) {
        int64_t a = v[d - 1] < v[d + 1] ? v[d - 1] : v[d + 1] - 1;
        int64_t from = a;
        while (a > r->a && a - d > r->b && x[a - 1] == y[a - d - 1])
            a--;
        wk_tick(m->c, (uint32_t)((from - a) / 4 + 1));
        v[d] = a;
        if (!odd && f->low <= d && d <= f->high && a <= m->ahead[d]) {
            *out = (struct middle){a, a - d, true, true};
            return true;
        }
    }
    return false;
}

/* The search costs too much: from where one of the two has come furthest. */
static void give_up(struct match *m, const struct range *r, const struct reach *f,
                    const struct reach *b, struct middle *out)
{
    int64_t best_f = -1, fa = 0, best_b = INT64_MAX, ba = 0;
    for (int64_t d = f->high; d >= f->low; d -= 2) {
        int64_t a = m->ahead[d] < r->a_end ? m->ahead[d] : r->a_end, y = a - d;
        if (y > r->b_end) {
            a = r->b_end + d;
            y = r->b_end;
        }
        if (a + y > best_f) {
            best_f = a + y;
            fa = a;
        }
    }
    for (int64_t d = b->high; d >= b->low; d -= 2) {
        int64_t a = m->back[d] > r->a ? m->back[d] : r->a, y = a - d;
        if (y < r->b) {
            a = r->b + d;
            y = r->b;
        }
        if (a + y < best_b) {
            best_b = a + y;
            ba = a;
        }
    }
    if (r->a_end + r->b_end - best_b < best_f - (r->a + r->b))
        *out = (struct middle){fa, best_f - fa, true, false};
    else
        *out = (struct middle){ba, best_b - ba, false, true};
}

static struct middle find_middle(struct match *m, const struct range *r)
{
    int64_t start = r->a - r->b, end = r->a_end - r->b_end;
    struct reach f = {start, start, r->a - r->b_end, r->a_end - r->b},
                 b = {end, end, f.least, f.most};
    bool odd = (start - end) & 1;
    struct middle out;
    m->ahead[start] = r->a;
    m->back[end] = r->a_end;
    for (int64_t cost = 1;; cost++) {
        if (step_ahead(m, r, &f, &b, odd, &out) || step_back(m, r, &b, &f, odd, &out))
            return out;
        if (!r->minimal && cost >= m->cost_limit) {
            give_up(m, r, &f, &b, &out);
            return out;
        }
    }
}

/* ---- divide and conquer ------------------------------------------------------------------------
 */

static void push(struct match *m, struct range r)
{
    if (m->todo_n == m->todo_cap) {
        m->todo_cap = m->todo_cap * 2 + 64;
        m->todo =
            (struct range *)wk_heap_realloc(m->c->heap, m->todo, m->todo_cap * sizeof *m->todo);
    }
    m->todo[m->todo_n++] = r;
}

static void mark(struct match *m, int which, int64_t from, int64_t to)
{
    for (; from < to; from++)
        m->side[which].changed[m->at[which][from]] = true;
}

static void compare(struct match *m, struct range r)
{
    const uint32_t *x = m->line[0], *y = m->line[1];
    int64_t a = r.a, a_end = r.a_end;
    while (r.a < r.a_end && r.b < r.b_end && x[r.a] == y[r.b])
        r.a++, r.b++;
    while (r.a < r.a_end && r.b < r.b_end && x[r.a_end - 1] == y[r.b_end - 1])
        r.a_end--, r.b_end--;
    wk_tick(m->c, (uint32_t)((r.a - a + a_end - r.a_end) / 4 + 1));
    if (r.a == r.a_end) {
        mark(m, 1, r.b, r.b_end);
    } else if (r.b == r.b_end) {
        mark(m, 0, r.a, r.a_end);
    } else {
        struct middle p = find_middle(m, &r);
        push(m, (struct range){p.a, r.a_end, p.b, r.b_end, p.high_minimal && r.minimal});
        push(m, (struct range){r.a, p.a, r.b, p.b, p.low_minimal && r.minimal});
    }
}

/* ---- groups of changes -------------------------------------------------------------------------
 */

/* A group of changed lines of one side, and where in the other side its end is. */
struct group {
    int64_t start, end, other;
};

static void slide_up(struct group *g, const struct wk_diff_side *s, const struct wk_diff_side *o)
{
    while (g->start > 0 && s->line[g->start - 1] == s->line[g->end - 1]) {
        s->changed[--g->start] = true;
        s->changed[--g->end] = false;
        while (s->changed[g->start - 1])
            g->start--;
        while (o->changed[--g->other])
            ;
    }
}

/* Gives the last end at which the other side changes, too; or the group's own. */
static int64_t slide_down(struct group *g, const struct wk_diff_side *s,
                          const struct wk_diff_side *o)
{
    int64_t beside = g->other > 0 && o->changed[g->other - 1] ? g->end : s->n;
    while (g->end < s->n && s->line[g->start] == s->line[g->end]) {
        s->changed[g->start++] = false;
        s->changed[g->end++] = true;
        while (s->changed[g->end])
            g->end++;
        while (o->changed[++g->other])
            beside = g->end;
    }
    return beside;
}

static void slide_groups(struct wk_cmd *c, const struct wk_diff_side *s,
                         const struct wk_diff_side *o)
{
    struct group g = {0, 0, 0};
    for (;;) {
        while (g.end < s->n && !s->changed[g.end]) {
            while (o->changed[g.other++])
                ;
            g.end++;
        }
        if (g.end == s->n)
            return;
        g.start = g.end;
        while (s->changed[++g.end])
            ;
        while (o->changed[g.other])
            g.other++;
        int64_t length, beside;
        do {
            length = g.end - g.start;
            slide_up(&g, s, o);
            beside = slide_down(&g, s, o);
            wk_tick(c, (uint32_t)(g.end - g.start) + 1);
        } while (length != g.end - g.start);
        while (beside < g.end) {
            s->changed[--g.start] = true;
            s->changed[--g.end] = false;
            while (o->changed[--g.other])
                ;
        }
    }
}

static int64_t square_root(int64_t n)
{
    int64_t r = 1;
    while (r * r < n)
        r *= 2;
    return r;
}

void wk_diff_match(struct wk_cmd *c, struct wk_diff_side side[2], uint32_t classes, bool minimal)
{
    struct match m = {.c = c, .side = side};
    uint32_t *times[2];
    for (int i = 0; i < 2; i++) {
        side[i].changed = wk_new_n(c, bool, (size_t)side[i].n + 2) + 1;
        times[i] = count_lines(c, &side[i], classes);
    }
    for (int i = 0; i < 2; i++)
        take_common(&m, i, times[!i], minimal);
    size_t diagonals = (size_t)(m.n[0] + m.n[1]) + 3;
    int64_t *v = wk_new_n(c, int64_t, 2 * diagonals);
    m.ahead = v + m.n[1] + 1;
    m.back = m.ahead + diagonals;
    m.cost_limit = square_root((int64_t)diagonals);
    if (m.cost_limit < 4096)
        m.cost_limit = 4096;
    push(&m, (struct range){0, m.n[0], 0, m.n[1], minimal});
    while (m.todo_n) {
        struct range r = m.todo[--m.todo_n];
        compare(&m, r);
    }
    wk_heap_free(c->heap, v);
    for (int i = 0; i < 2; i++) {
        wk_heap_free(c->heap, times[i]);
        wk_heap_free(c->heap, m.line[i]);
        wk_heap_free(c->heap, m.at[i]);
    }
    slide_groups(c, &side[0], &side[1]);
    slide_groups(c, &side[1], &side[0]);
}
