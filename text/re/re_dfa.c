/* re_dfa.c - the lazy automaton: states made when a scan first needs them, in a bounded cache
 *
 * A state is a list of program places; for LEFTMOST in groups by where their match began, earliest
 * first (the last one, until a match was seen, begins here and may be empty), one unordered group
 * otherwise. Assertions wait in the list until the next character is known, so that a match is seen
 * one character late: a transition's MATCH flag speaks of the place before the character (behind it,
 * when scanning backward).
 */
#include "text/re/re_dfa.h"

#define FLAG_MATCH WK_RE_FLAG_MATCH
#define FLAG_HALT  WK_RE_FLAG_HALT
#define MARK UINT32_MAX /* between groups */

enum { FIRST_STATES = 16 };

struct wk_re_dfa *wk_re_dfa_new(struct wk_re *re, enum wk_re_mode mode)
{
    struct wk_re_dfa *d = WK_NEW(re->mem, struct wk_re_dfa);
    if (!d)
        return NULL;
    const struct wk_re_prog *p = re->prog;
    d->re = re;
    d->p = p;
    d->mode = mode;
    d->stride = p->classes + 1;
    d->eol_class = UINT32_MAX;
    size_t n = (size_t)p->n + 2;
    size_t row = ((size_t)d->stride + n) * sizeof(uint32_t);
    d->limit = WK_MAX(re->cache_bytes, 24 * row);
    d->block = wk_calloc(re->mem, n * 9, sizeof(uint32_t));
    if (!d->block) {
        wk_free(re->mem, d);
        return NULL;
    }
    d->here.dense = d->block;
    d->here.at = d->here.dense + n;
    d->next.dense = d->here.at + n;
    d->next.at = d->next.dense + n;
    d->out = d->next.at + n; /* places and marks: 2n */
    d->stack = d->out + 2 * n;
    return d;
}

void wk_re_dfa_free(struct wk_re *re, struct wk_re_dfa *d)
{
    if (!d)
        return;
    wk_free(re->mem, d->block);
    wk_free(re->mem, d->trans);
    wk_free(re->mem, d->st);
    wk_free(re->mem, d->pool);
    wk_free(re->mem, d->table);
    wk_free(re->mem, d);
}

static bool sparse_add(struct wk_re_sparse *s, uint32_t v)
{
    if (s->at[v] < s->n && s->dense[s->at[v]] == v)
        return false;
    s->at[v] = s->n;
    s->dense[s->n++] = v;
    return true;
}

/* ---- states ---- */

static size_t cache_size(const struct wk_re_dfa *d)
{
    return d->nst * (d->stride * sizeof *d->trans + sizeof *d->st + 2 * sizeof *d->table) +
           d->npool * sizeof *d->pool;
}

void wk_re_dfa_forget(struct wk_re_dfa *d)
{
    d->flushes++;
    d->nst = d->npool = 0;
    if (d->table)
        memset(d->table, 0, d->table_cap * sizeof *d->table);
    memset(d->start, 0, sizeof d->start);
}

static bool grow_table(struct wk_re_dfa *d)
{
    size_t cap = d->table_cap ? d->table_cap * 2 : 64;
    uint32_t *table = wk_calloc(d->re->mem, cap, sizeof *table);
    if (!table)
        return false;
    for (size_t k = 0; k < d->nst; k++) {
        size_t i = d->st[k].hash & (cap - 1);
        while (table[i])
            i = (i + 1) & (cap - 1);
        table[i] = (uint32_t)k + 1;
    }
    wk_free(d->re->mem, d->table);
    d->table = table;
    d->table_cap = cap;
    return true;
}

static uint32_t hash_list(const uint32_t *v, uint32_t n, uint32_t salt)
{
    uint64_t h = salt + 0x9e3779b97f4a7c15ull;
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ v[i]) * 0xff51afd7ed558ccdull, h ^= h >> 32;
    return (uint32_t)(h ^ h >> 29);
}

/* The state of the list in d->out; SIZE_MAX when the account refuses. */
static size_t intern(struct wk_re_dfa *d, uint8_t side, bool found)
{
    uint32_t hash = hash_list(d->out, d->nout, (uint32_t)side * 2 + found);
    if (d->table_cap < (d->nst + 1) * 2 && !grow_table(d))
        return SIZE_MAX;
    size_t i = hash & (d->table_cap - 1);
    for (; d->table[i]; i = (i + 1) & (d->table_cap - 1)) {
        const struct wk_re_state *s = &d->st[d->table[i] - 1];
        if (s->hash == hash && s->n == d->nout && s->side == side && s->found == found &&
            (s->n == 0 || memcmp(d->pool + s->off, d->out, s->n * sizeof *d->out) == 0))
            return d->table[i] - 1;
    }
    if (d->nst == d->trans_cap) {
        size_t cap = d->trans_cap ? d->trans_cap * 2 : FIRST_STATES, cells;
        if (__builtin_mul_overflow(cap, (size_t)d->stride * sizeof *d->trans, &cells) ||
            cap * d->stride >= WK_RE_FLAG_LOST)
            return SIZE_MAX;
        uint32_t *trans = wk_realloc(d->re->mem, d->trans, cells);
        if (!trans)
            return SIZE_MAX;
        d->trans = trans;
        d->trans_cap = cap;
    }
    if (!wk_vec_grow(d->re->mem, &d->st, &d->st_cap, d->nst + 1, sizeof *d->st) ||
        !wk_vec_grow(d->re->mem, &d->pool, &d->pool_cap, d->npool + d->nout + 1,
                     sizeof *d->pool))
        return SIZE_MAX;
    if (d->nout)
        memcpy(d->pool + d->npool, d->out, d->nout * sizeof *d->out);
    d->st[d->nst] =
        (struct wk_re_state){(uint32_t)d->npool, d->nout, hash, side, found};
    d->npool += d->nout;
    memset(d->trans + d->nst * d->stride, 0xff, d->stride * sizeof *d->trans);
    d->table[i] = (uint32_t)d->nst + 1;
    return d->nst++;
}

/* ---- walking the program without taking a character ---- */

/* Arrives at a place going forward: all it leads to without an assertion goes to `set`. */
static void arrive_forward(struct wk_re_dfa *d, uint32_t at, struct wk_re_sparse *set)
{
    size_t top = 0;
    d->stack[top++] = at;
    while (top) {
        uint32_t i = d->stack[--top];
        const struct wk_re_inst *in = &d->p->inst[i];
        if (!sparse_add(set, i))
            continue;
        if (in->op == WK_RE_OP_SPLIT) {
            d->stack[top++] = in->y;
            d->stack[top++] = in->x;
        } else if (in->op == WK_RE_OP_SAVE) {
            d->stack[top++] = in->x;
        }
    }
}

/* The same backward. What can be stepped over by a character, or waits for an assertion, is entered
 * in `set` too, as itself; places merely passed are entered as well and do no harm. The start shows
 * as p->n. */
static void arrive_backward(struct wk_re_dfa *d, uint32_t at, struct wk_re_sparse *set,
                            struct wk_re_sparse *passed)
{
    const struct wk_re_prog *p = d->p;
    size_t top = 0;
    d->stack[top++] = at;
    while (top) {
        uint32_t i = d->stack[--top];
        if (!sparse_add(passed, i))
            continue;
        if (i == p->start)
            sparse_add(set, p->n);
        for (uint32_t k = p->pred_at[i]; k < p->pred_at[i + 1]; k++) {
            uint32_t from = p->preds[k];
            if (p->inst[from].op == WK_RE_OP_SET || p->inst[from].op == WK_RE_OP_ASSERT)
                sparse_add(set, from);
            else
                d->stack[top++] = from;
        }
    }
}

static bool worth_keeping(const struct wk_re_dfa *d, uint32_t i)
{
    if (i == d->p->n)
        return true;
    uint8_t op = d->p->inst[i].op;
    return op == WK_RE_OP_SET || op == WK_RE_OP_ASSERT || op == WK_RE_OP_MATCH;
}

/* Puts out[from..nout) in order. */
static void sort_tail(struct wk_re_dfa *d, uint32_t from)
{
    uint32_t *v = d->out + from, n = d->nout - from;
    for (uint32_t gap = n / 2; gap; gap = gap == 2 ? 1 : (uint32_t)((uint64_t)gap * 5 / 11))
        for (uint32_t i = gap; i < n; i++) {
            uint32_t x = v[i], k = i;
            for (; k >= gap && v[k - gap] > x; k -= gap)
                v[k] = v[k - gap];
            v[k] = x;
        }
}

/* ---- one transition ---- */

struct step {
    unsigned left, right; /* sides of the place before the character (behind it, backward) */
    uint32_t cls;
    bool matched;
};

static bool takes(const struct wk_re_dfa *d, uint32_t i, uint32_t cls)
{
    const struct wk_re_inst *in = &d->p->inst[i];
    return in->op == WK_RE_OP_SET &&
           (d->p->member[(size_t)in->arg * d->p->words + (cls >> 6)] >> (cls & 63) & 1);
}

/* Resolves the waiting assertions of list[0..n) and takes the character: what is reached is added
 * to d->next, its keepers to d->out as one group. */
static void step_group(struct wk_re_dfa *d, const uint32_t *list, uint32_t n, struct step *s,
                       struct wk_re_sparse *passed)
{
    bool back = d->mode == WK_RE_BACKWARD;
    uint32_t first = d->here.n;
    for (uint32_t k = 0; k < n; k++)
        sparse_add(&d->here, list[k]);
    for (uint32_t k = first; k < d->here.n; k++) {
        uint32_t i = d->here.dense[k];
        if (i == d->p->n) {
            s->matched = true;
            continue;
        }
        const struct wk_re_inst *in = &d->p->inst[i];
        if (in->op == WK_RE_OP_MATCH && !back) {
            s->matched = true;
        } else if (in->op == WK_RE_OP_ASSERT &&
                   wk_re_assert_holds(d->p, in->arg, s->left, s->right)) {
            if (back)
                arrive_backward(d, i, &d->here, passed);
            else
                arrive_forward(d, in->x, &d->here);
        }
    }
    uint32_t begin = d->next.n;
    for (uint32_t k = first; k < d->here.n; k++) {
        uint32_t i = d->here.dense[k];
        if (i == d->p->n || !takes(d, i, s->cls))
            continue;
        if (back)
            sparse_add(&d->next, i); /* widened by the caller, with a `passed` of its own */
        else
            arrive_forward(d, d->p->inst[i].x, &d->next);
    }
    if (back)
        return;
    uint32_t from = d->nout;
    for (uint32_t k = begin; k < d->next.n; k++)
        if (worth_keeping(d, d->next.dense[k]))
            d->out[d->nout++] = d->next.dense[k];
    sort_tail(d, from);
    if (d->mode == WK_RE_LEFTMOST && d->nout > from)
        d->out[d->nout++] = MARK;
}

/* Adds the program's start as the last group of d->out. */
static void add_start(struct wk_re_dfa *d)
{
    uint32_t begin = d->next.n, from = d->nout;
    arrive_forward(d, d->p->start, &d->next);
    for (uint32_t k = begin; k < d->next.n; k++)
        if (worth_keeping(d, d->next.dense[k]))
            d->out[d->nout++] = d->next.dense[k];
    if (d->mode == WK_RE_LEFTMOST) {
        sort_tail(d, from);
        d->out[d->nout++] = MARK;
    } else {
        sort_tail(d, 0);
    }
}

/* Backward: turns the places stepped over (d->next) into the next list. */
static void widen_backward(struct wk_re_dfa *d)
{
    struct wk_re_sparse swap = d->here;
    d->here = d->next; /* the roots */
    d->next = swap;
    d->next.n = 0;
    uint32_t roots = d->here.n;
    /* `passed` lives behind the stack: out is free as long as nothing was written to it. */
    struct wk_re_sparse passed = {.dense = d->out, .at = d->out + d->p->n + 1, .n = 0};
    for (uint32_t k = 0; k < roots; k++)
        arrive_backward(d, d->here.dense[k], &d->next, &passed);
    d->nout = 0;
    for (uint32_t k = 0; k < d->next.n; k++)
        d->out[d->nout++] = d->next.dense[k];
    sort_tail(d, 0);
}

size_t wk_re_dfa_start(struct wk_re_dfa *d, unsigned side)
{
    uint8_t canon = d->p->canon[side];
    if (d->start[canon])
        return d->start[canon] - 1;
    d->here.n = d->next.n = 0;
    d->nout = 0;
    if (d->mode == WK_RE_BACKWARD) {
        struct wk_re_sparse passed = {.dense = d->out, .at = d->out + d->p->n + 1, .n = 0};
        arrive_backward(d, d->p->match, &d->next, &passed);
        for (uint32_t k = 0; k < d->next.n; k++)
            d->out[d->nout++] = d->next.dense[k];
        sort_tail(d, 0);
    } else {
        add_start(d);
    }
    size_t s = intern(d, canon, false);
    if (s != SIZE_MAX)
        d->start[canon] = (uint32_t)s + 1;
    return s;
}

/* All groups of a state. The transition's flags. */
static uint32_t step_groups(struct wk_re_dfa *d, const struct wk_re_state *st, struct step *s,
                            struct wk_re_sparse *passed)
{
    uint32_t note = WK_RE_NOTES; /* no group goes on */
    for (uint32_t k = 0, group = 0; k < st->n; group++) {
        uint32_t end = k;
        while (end < st->n && d->pool[st->off + end] != MARK)
            end++;
        bool starts = !st->found && end + 1 == st->n;
        step_group(d, d->pool + st->off + k, end - k, s, passed);
        if (note == WK_RE_NOTES && d->nout)
            note = group == 0 ? 0 : starts ? WK_RE_FLAG_FRESH : WK_RE_FLAG_LOST;
        k = end + 1;
        if (s->matched && d->mode == WK_RE_LEFTMOST) { /* later starts lose */
            note = group ? WK_RE_FLAG_LOST : 0;
            break;
        }
    }
    return (s->matched ? FLAG_MATCH : 0) | (d->mode == WK_RE_LEFTMOST ? note : 0);
}

int wk_re_dfa_compute(struct wk_re_dfa *d, size_t *state, uint32_t cls, uint32_t *out)
{
    if (cache_size(d) > d->limit) {
        struct wk_re_state keep = d->st[*state];
        memcpy(d->out, d->pool + keep.off, keep.n * sizeof *d->out);
        d->nout = keep.n;
        wk_re_dfa_forget(d);
        *state = intern(d, keep.side, keep.found);
        if (*state == SIZE_MAX)
            return -WK_ENOMEM;
    }
    struct wk_re_state st = d->st[*state];
    bool back = d->mode == WK_RE_BACKWARD;
    bool line_end = d->mode == WK_RE_LINES && cls == d->eol_class;
    unsigned side = line_end ? WK_RE_SIDE_EDGE : d->p->canon[d->p->side[cls]];
    struct step s = {.left = back ? side : st.side, .right = back ? st.side : side, .cls = cls};
    bool edge = cls >= d->p->classes - 2 || line_end;
    struct wk_re_sparse passed = {.dense = d->out, .at = d->out + d->p->n + 1, .n = 0};
    d->here.n = d->next.n = 0;
    d->nout = 0;
    uint32_t flags = step_groups(d, &st, &s, &passed);
    if (line_end && !s.matched) {
        size_t to = wk_re_dfa_start(d, WK_RE_SIDE_EDGE);
        if (to == SIZE_MAX)
            return -WK_ENOMEM;
        *out = (uint32_t)(to * d->stride);
        d->trans[*state * d->stride + cls] = *out;
        return 0;
    }
    if (edge || (s.matched && d->mode <= WK_RE_LINES)) {
        *out = flags | FLAG_HALT;
        d->trans[*state * d->stride + cls] = *out;
        return 0;
    }
    bool found = d->mode == WK_RE_LEFTMOST && (st.found || s.matched);
    if (back)
        widen_backward(d);
    else if (d->mode == WK_RE_LINES ? !d->p->anchored
                                    : d->mode == WK_RE_ANY_MATCH || (d->mode == WK_RE_LEFTMOST && !found))
        add_start(d);
    if (d->nout == 0) {
        *out = flags | FLAG_HALT;
    } else {
        size_t to = intern(d, (uint8_t)side, found);
        if (to == SIZE_MAX)
            return -WK_ENOMEM;
        *out = flags | (uint32_t)(to * d->stride);
    }
    d->trans[*state * d->stride + cls] = *out;
    return 0;
}
