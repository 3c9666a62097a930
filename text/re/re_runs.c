/* re_runs.c - runs of one kind of byte, found without an automaton */
#include "text/re/re_runs.h"

/* The set of a piece of the expression, and how often it may stand there; NULL when the piece is no such thing. */
static const struct wk_re_set *piece_of(const struct wk_re_tree *t, const struct wk_re_node *n, uint32_t *min,
                                        uint32_t *max)
{
    *min = *max = 1;
    if (n->kind == WK_RE_REPEAT) {
        *min = n->min;
        *max = n->max;
        n = n->first;
    }
    return n->kind == WK_RE_SET ? &t->sets[n->arg] : NULL;
}

static bool is_same(const struct wk_re_set *a, const struct wk_re_set *b)
{
    if (a == b)
        return true;
    if (a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->r[i].lo != b->r[i].lo || a->r[i].hi != b->r[i].hi)
            return false;
    return true;
}

/* All characters of the set are bytes that occur in no other character. */
static bool is_of_bytes(const struct wk_re_tree *t, const struct wk_re_set *s)
{
    return s->n > 0 && s->r[s->n - 1].hi < (t->utf8 ? 0x80u : 0x100u);
}

int wk_re_find_runs(struct wk_re *re, const struct wk_re_tree *t)
{
    const struct wk_re_node *n = t->root;
    const struct wk_re_set *set = NULL;
    size_t least = 0, most = 0;
    for (n = n->kind == WK_RE_CAT ? n->first : n; n; n = n == t->root ? NULL : n->next) {
        uint32_t min, max;
        const struct wk_re_set *s = piece_of(t, n, &min, &max);
        if (!s || (set && !is_same(s, set)) || min > max)
            return 0;
        set = s;
        least += min;
        most = max == WK_RE_NO_MAX || most == SIZE_MAX ? SIZE_MAX : most + max;
    }
    if (!least || !is_of_bytes(t, set))
        return 0;
    struct wk_re_runs *r = wk_arena_alloc(&re->arena, sizeof *r);
    if (!r)
        return -WK_ENOMEM;
    *r = (struct wk_re_runs){.least = least, .most = most};
    for (uint32_t i = 0; i < set->n; i++)
        for (uint32_t c = set->r[i].lo; c <= set->r[i].hi; c++)
            r->is[c] = true;
    re->runs = r;
    return 0;
}

/* Goes on from *at over bytes that are (not) in the set, to `end` at most, counted in slices. */
static int pass(const struct wk_re_runs *r, struct wk_re_run *run, struct wk_str s, bool in, size_t end, size_t *at)
{
    enum { SLICE = 65536 };
    for (;;) {
        size_t from = *at, i = from, stop = end - from > SLICE ? from + SLICE : end;
        while (i < stop && r->is[(unsigned char)s.p[i]] == in)
            i++;
        *at = i;
        int err = wk_re_work(run, i - from);
        if (err || i < stop || i == end)
            return err;
    }
}

int wk_re_runs_search(const struct wk_re_runs *r, struct wk_re_run *run, struct wk_str s, size_t from,
                      struct wk_re_span *span)
{
    size_t at = from;
    while (at < s.n) {
        int err = pass(r, run, s, false, s.n, &at);
        size_t start = at, end = r->most < s.n - at ? at + r->most : s.n;
        if (!err)
            err = pass(r, run, s, true, end, &at);
        if (err)
            return err;
        if (at - start >= r->least) {
            *span = (struct wk_re_span){(ptrdiff_t)start, (ptrdiff_t)at};
            return 1;
        }
    }
    return 0;
}
