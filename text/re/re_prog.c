/* re_prog.c - tree to program, and the classes of characters it tells apart */
#include "text/re/re_priv.h"

#include "base/sort.h"

/* ---- instructions ---- */

struct maker {
    struct wk_re *re;
    struct wk_arena *tmp;
    const struct wk_re_tree *t;
    struct wk_re_prog *p;
    struct wk_re_inst *inst;
    size_t cap, max;
    size_t visits; /* of nodes: repetitions of nothing cost no instructions, but time */
    int err;
};

/* Room for so many further instructions. */
static bool reserve(struct maker *m, size_t extra)
{
    if (m->cap - m->p->n >= extra)
        return true;
    size_t cap = WK_MAX(m->cap ? m->cap * 2 : 32, m->p->n + extra);
    struct wk_re_inst *inst = wk_arena_alloc(m->tmp, cap * sizeof *inst);
    if (!inst) {
        m->err = -WK_ENOMEM;
        return false;
    }
    if (m->p->n)
        memcpy(inst, m->inst, m->p->n * sizeof *inst);
    m->inst = inst;
    m->cap = cap;
    return true;
}

static uint32_t emit(struct maker *m, enum wk_re_op op, uint32_t arg, uint32_t x, uint32_t y)
{
    if (m->err)
        return 0;
    if (m->p->n >= m->max) {
        m->err = -WK_ELIMIT;
        return 0;
    }
    if (!reserve(m, 1))
        return 0;
    m->inst[m->p->n] = (struct wk_re_inst){.op = (uint8_t)op, .arg = arg, .x = x, .y = y};
    return m->p->n++;
}

enum { VISITS_PER_STATE = 32 }; /* at most, over all of a program */

/* How a node is emitted. The two bits serve captures alone: which groups may fall back to an
 * earlier turn (see re_capture.c). glibc marks the operand of an optional repetition, and forgets
 * all marks in the further copies that an interval makes. */
enum { EMIT_PLAIN, EMIT_OPTIONAL = 1, EMIT_COPY = 2 };

static uint32_t emit_node(struct maker *m, const struct wk_re_node *n, uint32_t next, unsigned how);

/* e{0,count} where no group is asked for: (e(e(e)?)?)?, of which few places are alive at once. */
static uint32_t emit_chain(struct maker *m, const struct wk_re_node *e, uint32_t count, uint32_t next)
{
    uint32_t at = next;
    for (uint32_t k = count; k > 0 && !m->err; k--)
        at = emit(m, WK_RE_OP_SPLIT, 0, emit_node(m, e, at, EMIT_COPY), next);
    return at;
}

/* e{0,count}: (((e)?e)?e)? */
static uint32_t emit_maybe(struct maker *m, const struct wk_re_node *e, uint32_t count,
                           uint32_t next, unsigned how)
{
    uint32_t *entry = wk_arena_alloc(m->tmp, ((size_t)count + 2) * sizeof *entry);
    if (!entry) {
        m->err = -WK_ENOMEM;
        return 0;
    }
    entry[count + 1] = next;
    for (uint32_t k = count; k > 0 && !m->err; k--)
        entry[k] = emit_node(m, e, entry[k + 1], k > 1 ? EMIT_COPY : how);
    if (m->err)
        return 0;
    uint32_t at = entry[1];
    for (uint32_t k = 1; k <= count && !m->err; k++)
        at = emit(m, WK_RE_OP_SPLIT, 0, at, entry[k + 1]);
    return at;
}

static uint32_t emit_repeat(struct maker *m, const struct wk_re_node *n, uint32_t next,
                            unsigned how)
{
    uint32_t at = next;
    unsigned inner = how & EMIT_COPY;
    unsigned mark = inner ? EMIT_COPY : n->min ? EMIT_COPY | EMIT_OPTIONAL : EMIT_OPTIONAL;
    if (n->max == WK_RE_NO_MAX) {
        at = emit(m, WK_RE_OP_SPLIT, 0, 0, next);
        uint32_t body = emit_node(m, n->first, at, mark);
        if (!m->err)
            m->inst[at].x = body;
    } else if (n->max > n->min) {
        bool plain = n->first->kind == WK_RE_SET || (m->re->flags & WK_RE_NOSUB && !m->t->max_backref);
        at = plain ? emit_chain(m, n->first, n->max - n->min, next)
                   : emit_maybe(m, n->first, n->max - n->min, next, mark);
    }
    for (uint32_t k = n->min; k > 0 && !m->err; k--)
        at = emit_node(m, n->first, at, k > 1 ? EMIT_COPY : inner);
    return at;
}

/* What glibc leaves out of its tree. Depth is bounded by the parser. */
static bool is_nothing(const struct wk_re_node *n)
{
    if (n->kind == WK_RE_REPEAT)
        return n->max == 0 || is_nothing(n->first);
    const struct wk_re_node *c = n->kind == WK_RE_CAT ? n->first : n;
    while (c && n->kind == WK_RE_CAT && is_nothing(c))
        c = c->next;
    return !c;
}

/* ---- lists of words ----
 *
 * Branches that are rows of single characters, one beside the other, become a tree in which what they have in common at
 * their beginnings stands once: a list of many words then costs no more at a place than the few that may go on there.
 */

enum { FEWEST_WORDS = 16 };

static bool is_word(const struct wk_re_node *n)
{
    if (n->kind != WK_RE_CAT || !n->first)
        return false;
    for (const struct wk_re_node *c = n->first; c; c = c->next)
        if (c->kind != WK_RE_SET)
            return false;
    return true;
}

static int by_characters(void *ctx, const void *x, const void *y)
{
    const struct wk_re_node *a = (*(const struct wk_re_node *const *)x)->first;
    const struct wk_re_node *b = (*(const struct wk_re_node *const *)y)->first;
    (void)ctx;
    for (; a && b; a = a->next, b = b->next)
        if (a->arg != b->arg)
            return a->arg < b->arg ? -1 : 1;
    return a ? 1 : b ? -1 : 0;
}

/* A character behind others; those that begin with it have greater numbers. 0 is the start of all. */
struct word_place {
    uint32_t set;
    uint32_t child, sibling; /* 0 = none */
    bool end;                /* a word ends here */
};

/* The places of sorted words; *n gets their number. NULL = no memory. */
static struct word_place *word_tree(struct maker *m, const struct wk_re_node **word, size_t count, uint32_t *n)
{
    size_t chars = 1, longest = 1;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        for (const struct wk_re_node *c = word[i]->first; c; c = c->next)
            length++;
        chars += length;
        longest = WK_MAX(longest, length);
    }
    struct word_place *places = chars < UINT32_MAX ? wk_arena_zalloc(m->tmp, chars * sizeof *places) : NULL;
    /* The places of the last word; those of its last characters are the last children of those above. */
    uint32_t *path = wk_arena_zalloc(m->tmp, (longest + 1) * sizeof *path);
    if (!places || !path)
        return NULL;
    *n = 1;
    for (size_t i = 0; i < count; i++) {
        const struct wk_re_node *c = word[i]->first, *before = i ? word[i - 1]->first : NULL;
        size_t depth = 0;
        for (; c && before && c->arg == before->arg; c = c->next, before = before->next)
            depth++;
        for (; c; c = c->next) {
            struct word_place *above = &places[path[depth]];
            uint32_t at = (*n)++;
            places[at].set = c->arg;
            if (above->child)
                places[path[depth + 1]].sibling = at;
            else
                above->child = at;
            path[++depth] = at;
        }
        places[path[depth]].end = true;
    }
    return places;
}

/* Emits so many words from `first` on, which are siblings. */
static uint32_t emit_words(struct maker *m, const struct wk_re_node *first, size_t count, uint32_t next)
{
    const struct wk_re_node **word = wk_arena_alloc(m->tmp, count * sizeof *word);
    struct wk_sort how = {.cmp = by_characters};
    uint32_t n, at = next;
    if (!word) {
        m->err = -WK_ENOMEM;
        return 0;
    }
    size_t k = 0;
    for (const struct wk_re_node *c = first; k < count; c = c->next)
        word[k++] = c;
    struct word_place *places =
        wk_sort(m->tmp->mem, word, count, sizeof *word, &how) == 0 ? word_tree(m, word, count, &n) : NULL;
    uint32_t *entry = places ? wk_arena_alloc(m->tmp, n * sizeof *entry) : NULL; /* what goes on behind each place */
    if (!entry || !reserve(m, WK_MIN(n + count, m->max))) {
        m->err = -WK_ENOMEM;
        return 0;
    }
    for (uint32_t i = n; i-- > 0 && !m->err; entry[i] = at) {
        bool any = places[i].end;
        at = next;
        for (uint32_t c = places[i].child; c; c = places[c].sibling) {
            uint32_t set = emit(m, WK_RE_OP_SET, places[c].set, entry[c], 0);
            at = any ? emit(m, WK_RE_OP_SPLIT, 0, set, at) : set;
            any = true;
        }
    }
    return at;
}

/* How many words stand in a row from `first` on; 0 when they are too few. */
static size_t words_from(const struct wk_re_node *first)
{
    size_t count = 0;
    for (const struct wk_re_node *c = first; c && is_word(c); c = c->next)
        count++;
    return count < FEWEST_WORDS ? 0 : count;
}

/* ((a|b)|c)|d, as glibc has it: which of them was passed without taking a character counts for the groups. */
static uint32_t emit_branches(struct maker *m, const struct wk_re_node *n, uint32_t next,
                              unsigned how)
{
    /* An empty first branch is glibc's second choice. */
    const struct wk_re_node *c = n->first, *second = c->next;
    bool swap = second && is_nothing(c) && !is_nothing(second);
    uint32_t at = 0;
    if (swap) {
        uint32_t branch = emit_node(m, second, next, how);
        at = emit(m, WK_RE_OP_SPLIT, 0, branch, next);
        c = second->next;
    }
    for (bool any = swap; c && !m->err; any = true) {
        size_t count = words_from(c);
        uint32_t branch = count ? emit_words(m, c, count, next) : emit_node(m, c, next, how);
        at = any ? emit(m, WK_RE_OP_SPLIT, 0, at, branch) : branch;
        for (c = c->next; count > 1; count--)
            c = c->next;
    }
    return at;
}

/* Emits n so that it goes on at `next`; where it begins. Depth is bounded by the parser. */
static uint32_t emit_node(struct maker *m, const struct wk_re_node *n, uint32_t next, unsigned how)
{
    uint32_t at = next;
    unsigned inner = how & EMIT_COPY;
    if (!m->err && ++m->visits / VISITS_PER_STATE > m->max)
        m->err = -WK_ELIMIT;
    if (m->err)
        return 0;
    switch ((enum wk_re_kind)n->kind) {
    case WK_RE_EMPTY:
        return next;
    case WK_RE_BACKREF:
        return emit(m, WK_RE_OP_BACKREF, n->arg, next, 0);
    case WK_RE_SET:
        return emit(m, WK_RE_OP_SET, n->arg, next, 0);
    case WK_RE_ASSERT:
        return emit(m, WK_RE_OP_ASSERT, n->arg, next, 0);
    case WK_RE_CAT:
        for (const struct wk_re_node *c = n->last; c; c = c->prev)
            at = emit_node(m, c, at, inner);
        return at;
    case WK_RE_ALT:
        return emit_branches(m, n, next, inner);
    case WK_RE_REPEAT:
        return emit_repeat(m, n, next, inner);
    case WK_RE_GROUP:
        if ((m->re->flags & WK_RE_NOSUB) && !m->t->max_backref)
            return emit_node(m, n->first, next, inner);
        at = emit(m, WK_RE_OP_SAVE, n->arg * 2 + 1, next, 0);
        if (!m->err)
            m->inst[at].optional = how & EMIT_OPTIONAL;
        at = emit_node(m, n->first, at, inner);
        at = emit(m, WK_RE_OP_SAVE, n->arg * 2, at, 0);
        return at;
    }
    return next;
}

/* ---- classes ---- */

struct classes {
    struct maker *m;
    uint32_t *bound; /* interval k is bound[k] .. bound[k + 1] - 1 */
    size_t nbound, cap;
    uint32_t *cls;   /* of each interval */
    uint32_t *size, *touched, *fresh; /* of each class */
    uint32_t *list;                   /* classes that have to do with the present set */
    uint32_t n;
};

static bool add_bound(struct classes *c, uint32_t at)
{
    if (c->nbound == c->cap) {
        size_t cap = c->cap ? c->cap * 2 : 64;
        uint32_t *bound = wk_arena_alloc(c->m->tmp, cap * sizeof *bound);
        if (!bound)
            return false;
        if (c->nbound)
            memcpy(bound, c->bound, c->nbound * sizeof *bound);
        c->bound = bound;
        c->cap = cap;
    }
    c->bound[c->nbound++] = at;
    return true;
}

static bool add_bounds(struct classes *c, const struct wk_re_set *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (!add_bound(c, s->r[i].lo) || !add_bound(c, s->r[i].hi + 1))
            return false;
    return true;
}

/* Merges the ascending runs of from[0..n) two by two. How many there are then. */
static size_t merge_runs(const uint32_t *from, uint32_t *to, size_t n)
{
    size_t runs = 0;
    for (size_t i = 0, out = 0; i < n; runs++) {
        size_t mid = i + 1, end;
        while (mid < n && from[mid - 1] <= from[mid])
            mid++;
        for (end = mid + (mid < n); end < n && from[end - 1] <= from[end];)
            end++;
        for (size_t k = mid; i < mid || k < end;)
            to[out++] = k == end || (i < mid && from[i] <= from[k]) ? from[i++] : from[k++];
        i = end;
    }
    return runs;
}

/* Sets come sorted: what is to be done is to merge them. */
static bool sort_bounds(struct classes *c)
{
    uint32_t *other = wk_arena_alloc(c->m->tmp, c->nbound * sizeof *other);
    for (size_t runs = 2; other && runs > 1;) {
        runs = merge_runs(c->bound, other, c->nbound);
        uint32_t *was = c->bound;
        c->bound = other;
        other = was;
    }
    size_t k = 0;
    for (size_t i = 1; i < c->nbound; i++)
        if (c->bound[i] != c->bound[k])
            c->bound[++k] = c->bound[i];
    c->nbound = k + 1;
    return other != NULL;
}

static size_t interval_behind(const struct classes *c, size_t k, uint32_t at)
{
    size_t step = 1, hi;
    while (k + step < c->nbound && c->bound[k + step] <= at) {
        k += step;
        step *= 2;
    }
    hi = WK_MIN(k + step, c->nbound);
    while (hi - k > 1) {
        size_t mid = k + (hi - k) / 2;
        if (c->bound[mid] <= at)
            k = mid;
        else
            hi = mid;
    }
    return k;
}

/* The interval that holds `at`, not before the k-th. */
static inline size_t interval_from(const struct classes *c, size_t k, uint32_t at)
{
    bool here = k + 1 >= c->nbound || c->bound[k + 1] > at;
    return here ? k : interval_behind(c, k, at);
}

/* Counts the intervals of each class that are in the set. Whether a class is so in part. */
static bool touch(struct classes *c, const struct wk_re_set *s, uint32_t *ntouched)
{
    size_t k = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        k = interval_from(c, k, s->r[i].lo);
        for (; k < c->nbound && c->bound[k] <= s->r[i].hi; k++)
            if (!c->touched[c->cls[k]]++)
                c->list[n++] = c->cls[k];
    }
    *ntouched = n;
    for (uint32_t i = 0; i < n; i++)
        if (c->touched[c->list[i]] < c->size[c->list[i]])
            return true;
    return false;
}

/* Splits the classes so that the set is a union of classes. */
static void refine(struct classes *c, const struct wk_re_set *s)
{
    uint32_t before = c->n, ntouched;
    bool split = touch(c, s, &ntouched);
    size_t k = 0;
    for (uint32_t i = 0; split && i < s->n; i++) {
        k = interval_from(c, k, s->r[i].lo);
        for (; k < c->nbound && c->bound[k] <= s->r[i].hi; k++) {
            uint32_t old = c->cls[k];
            if (old >= before || c->touched[old] == c->size[old])
                continue;
            if (!c->fresh[old]) {
                c->fresh[old] = c->n;
                c->size[c->n] = c->touched[old];
                c->n++;
            }
            c->cls[k] = c->fresh[old];
        }
    }
    for (uint32_t i = 0; i < ntouched; i++) {
        uint32_t old = c->list[i];
        if (c->fresh[old])
            c->size[old] -= c->size[c->fresh[old]];
        c->touched[old] = c->fresh[old] = 0;
    }
}

static void mark_members(const struct classes *c, const struct wk_re_set *s, uint64_t *row)
{
    size_t k = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        k = interval_from(c, k, s->r[i].lo);
        for (; k < c->nbound && c->bound[k] <= s->r[i].hi; k++)
            row[c->cls[k] >> 6] |= 1ull << (c->cls[k] & 63);
    }
}

/* Writes down how a character finds its class. */
static int write_classes(struct classes *c, const struct wk_re_set *newline,
                         const struct wk_re_set *word)
{
    struct wk_re_prog *p = c->m->p;
    struct wk_arena *a = &c->m->re->arena;
    const struct wk_re_tree *t = c->m->t;
    p->classes = c->n + 2;
    p->words = (p->classes + 63) / 64;
    size_t total;
    if (__builtin_mul_overflow(t->nsets + 1, (size_t)p->words * sizeof *p->member, &total))
        return -WK_ENOMEM;
    p->member = wk_arena_zalloc(a, total);
    p->side = wk_arena_zalloc(a, p->classes);
    uint64_t *row = wk_arena_zalloc(c->m->tmp, 2 * (size_t)p->words * sizeof *row);
    p->lo = wk_arena_alloc(a, (c->nbound + 1) * sizeof *p->lo);
    p->cls = wk_arena_alloc(a, (c->nbound + 1) * sizeof *p->cls);
    if (!p->member || !p->side || !row || !p->lo || !p->cls)
        return -WK_ENOMEM;
    for (size_t k = 0; k < t->nsets; k++)
        mark_members(c, &t->sets[k], p->member + k * p->words);
    mark_members(c, newline, row);
    mark_members(c, word, row + p->words);
    for (uint32_t k = 0; k < c->n; k++) {
        if (row[k >> 6] >> (k & 63) & 1)
            p->side[k] = WK_RE_SIDE_NEWLINE;
        else if (row[p->words + (k >> 6)] >> (k & 63) & 1)
            p->side[k] = WK_RE_SIDE_WORD;
    }
    p->side[p->classes - 2] = WK_RE_SIDE_EDGE_OFF;
    p->side[p->classes - 1] = WK_RE_SIDE_EDGE;
    size_t at = 0;
    for (unsigned b = 0; b < 256; b++) {
        bool decode = t->utf8 && b >= 128;
        while (at + 1 < c->nbound && c->bound[at + 1] <= b)
            at++;
        p->byte_class[b] = decode ? WK_RE_DECODE : (uint16_t)c->cls[at];
        p->column[b] = decode ? (uint16_t)p->classes : p->byte_class[b];
    }
    for (size_t k = interval_from(c, 0, 128); t->utf8 && k < c->nbound; k++)
        if (p->nbounds == 0 || p->cls[p->nbounds - 1] != c->cls[k]) {
            p->lo[p->nbounds] = p->nbounds ? c->bound[k] : 128;
            p->cls[p->nbounds++] = (uint16_t)c->cls[k];
        }
    return 0;
}

/* What \\b and its kin call a part of a word. A byte that is no character is one when the character of its number
 * is a letter (but not to -w). */
static void add_word_chars(struct maker *m, struct wk_re_set *s)
{
    wk_re_set_class(m->tmp, s, WK_CLASS_ALNUM, m->t->utf8);
    wk_re_set_add(m->tmp, s, '_', '_');
    for (uint32_t b = 128; b < 256 && m->t->utf8 && !(m->t->flags & WK_RE_WORD); b++)
        if (wk_utf8_is(b, WK_CLASS_ALNUM))
            wk_re_set_add(m->tmp, s, WK_UTF8_BAD + b, WK_UTF8_BAD + b);
}

static int make_classes(struct maker *m, bool words)
{
    struct classes c = {.m = m};
    struct wk_re_set newline = {.r = NULL}, word = {.r = NULL};
    wk_re_set_add(m->tmp, &newline, '\n', '\n');
    if (words)
        add_word_chars(m, &word);
    /* NUL is a class of its own too: it can end lines. */
    bool ok = wk_re_set_normalise(m->tmp, &word) && !newline.failed && add_bound(&c, 0) &&
              add_bound(&c, 1) && add_bounds(&c, &newline) && add_bounds(&c, &word);
    for (size_t k = 0; k < m->t->nsets && ok; k++)
        ok = add_bounds(&c, &m->t->sets[k]);
    if (!ok || !sort_bounds(&c))
        return -WK_ENOMEM;
    c.cls = wk_arena_zalloc(m->tmp, c.nbound * sizeof *c.cls);
    c.size = wk_arena_zalloc(m->tmp, (c.nbound + 1) * sizeof *c.size);
    c.touched = wk_arena_zalloc(m->tmp, (c.nbound + 1) * sizeof *c.touched);
    c.fresh = wk_arena_zalloc(m->tmp, (c.nbound + 1) * sizeof *c.fresh);
    c.list = wk_arena_alloc(m->tmp, (c.nbound + 1) * sizeof *c.list);
    if (!c.cls || !c.size || !c.touched || !c.fresh || !c.list)
        return -WK_ENOMEM;
    c.n = 1;
    c.size[0] = (uint32_t)c.nbound;
    struct wk_range zero = {0, 0};
    refine(&c, &(struct wk_re_set){.r = &zero, .n = 1});
    refine(&c, &newline);
    refine(&c, &word);
    for (size_t k = 0; k < m->t->nsets; k++)
        refine(&c, &m->t->sets[k]);
    if (c.n > 60000)
        return -WK_ELIMIT;
    return write_classes(&c, &newline, &word);
}

/* ---- the rest ---- */

static int make_preds(struct wk_re *re, struct wk_re_prog *p)
{
    p->pred_at = wk_arena_zalloc(&re->arena, (p->n + 2) * sizeof *p->pred_at);
    p->preds = wk_arena_alloc(&re->arena, (2 * (size_t)p->n + 1) * sizeof *p->preds);
    if (!p->pred_at || !p->preds)
        return -WK_ENOMEM;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < p->n; i++) {
            const struct wk_re_inst *in = &p->inst[i];
            for (int k = 0; k < (in->op == WK_RE_OP_SPLIT ? 2 : in->op == WK_RE_OP_MATCH ? 0 : 1);
                 k++) {
                uint32_t to = k ? in->y : in->x;
                if (pass == 0)
                    p->pred_at[to + 2]++;
                else
                    p->preds[p->pred_at[to + 1]++] = i;
            }
        }
        for (uint32_t i = 0; i < p->n && pass == 0; i++)
            p->pred_at[i + 2] += p->pred_at[i + 1];
    }
    return 0;
}

/* Which sides the program's assertions can tell apart. */
static void note_asserts(struct wk_re_prog *p, bool *words)
{
    bool lines = false;
    *words = false;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->inst[i].op == WK_RE_OP_ASSERT) {
            p->has_assert = true;
            if (p->inst[i].arg >= WK_RE_WORDB)
                *words = true;
            else
                lines = true;
        }
    p->canon[WK_RE_SIDE_WORD] = *words ? WK_RE_SIDE_WORD : WK_RE_SIDE_OTHER;
    p->canon[WK_RE_SIDE_NEWLINE] = lines && p->multiline ? WK_RE_SIDE_NEWLINE : WK_RE_SIDE_OTHER;
    p->canon[WK_RE_SIDE_EDGE] = lines ? WK_RE_SIDE_EDGE : WK_RE_SIDE_OTHER;
    p->canon[WK_RE_SIDE_EDGE_OFF] = lines ? WK_RE_SIDE_EDGE_OFF : WK_RE_SIDE_OTHER;
}

/* Whether every match must begin at the start of the subject. */
static bool is_anchored(const struct wk_re_node *n, bool multiline)
{
    while (n && (n->kind == WK_RE_CAT || n->kind == WK_RE_GROUP))
        n = n->first;
    return n && n->kind == WK_RE_ASSERT &&
           (n->arg == WK_RE_BOS || (n->arg == WK_RE_BOL && !multiline));
}

int wk_re_prog_make(struct wk_re *re, const struct wk_re_tree *t, size_t max_states)
{
    struct wk_re_prog *p = WK_ARENA_NEW(&re->arena, struct wk_re_prog);
    if (!p)
        return -WK_ENOMEM;
    struct maker m = {.re = re, .tmp = t->a, .t = t, .p = p, .max = max_states};
    p->utf8 = t->utf8;
    p->multiline = t->flags & (WK_RE_NEWLINE | WK_RE_ANCHORS);
    p->anchored = is_anchored(t->root, p->multiline);
    p->match = emit(&m, WK_RE_OP_MATCH, 0, 0, 0);
    p->start = emit_node(&m, t->root, p->match, EMIT_PLAIN);
    if (m.err)
        return m.err;
    p->inst = wk_arena_alloc(&re->arena, p->n * sizeof *p->inst);
    if (!p->inst)
        return -WK_ENOMEM;
    memcpy(p->inst, m.inst, p->n * sizeof *p->inst);
    bool words;
    note_asserts(p, &words);
    int err = make_classes(&m, words);
    if (!err)
        err = make_preds(re, p);
    re->prog = p;
    return err;
}

static uint32_t class_of(const struct wk_re_prog *p, uint32_t c)
{
    if (c < 128)
        return p->byte_class[c];
    uint32_t lo = 0, hi = p->nbounds;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (p->lo[mid] <= c)
            lo = mid;
        else
            hi = mid;
    }
    return p->cls[lo];
}

enum { TWO_BYTES = 0x800 - 0x80 };

void wk_re_prog_prepare(struct wk_re *re)
{
    struct wk_re_prog *p = re->prog;
    uint16_t *two = p->utf8 && !p->two ? wk_arena_alloc(&re->arena, TWO_BYTES * sizeof *two) : NULL;
    uint32_t at = 0;
    for (uint32_t k = 0; two && k < TWO_BYTES; k++) {
        while (at + 1 < p->nbounds && p->lo[at + 1] <= k + 0x80)
            at++;
        two[k] = p->cls[at];
    }
    if (two)
        p->two = two;
}

size_t wk_re_class_at_byte(const struct wk_re_prog *p, const char *s, size_t n, uint32_t *cls)
{
    *cls = p->byte_class[(unsigned char)*s];
    if (*cls != WK_RE_DECODE)
        return 1;
    uint32_t c;
    size_t len = wk_utf8_next_multi(s, n, &c);
    *cls = class_of(p, c);
    return len;
}

size_t wk_re_class_before(const struct wk_re_prog *p, const char *s, size_t n, uint32_t *cls)
{
    *cls = p->byte_class[(unsigned char)s[n - 1]];
    if (*cls != WK_RE_DECODE)
        return 1;
    size_t len = wk_utf8_prev(s, n);
    uint32_t c;
    wk_utf8_next(s + n - len, len, &c);
    *cls = class_of(p, c);
    return len;
}

bool wk_re_assert_holds(const struct wk_re_prog *p, uint32_t which, unsigned left, unsigned right)
{
    bool lw = left == WK_RE_SIDE_WORD, rw = right == WK_RE_SIDE_WORD;
    switch ((enum wk_re_assert)which) {
    case WK_RE_BOL:
        return left == WK_RE_SIDE_EDGE || (p->multiline && left == WK_RE_SIDE_NEWLINE);
    case WK_RE_EOL:
        return right == WK_RE_SIDE_EDGE || (p->multiline && right == WK_RE_SIDE_NEWLINE);
    case WK_RE_BOS:
        return left == WK_RE_SIDE_EDGE || left == WK_RE_SIDE_EDGE_OFF;
    case WK_RE_EOS:
        return right == WK_RE_SIDE_EDGE || right == WK_RE_SIDE_EDGE_OFF;
    case WK_RE_WORDB:
        return lw != rw;
    case WK_RE_NWORDB:
        return lw == rw;
    case WK_RE_WBEG:
        return !lw && rw;
    case WK_RE_WEND:
        return lw && !rw;
    case WK_RE_NOT_AFTER_WORD:
        return !lw;
    case WK_RE_NOT_BEFORE_WORD:
        return !rw;
    }
    return false;
}
