/* re_literal.c - texts one of which every match has: the whole match, its beginning, or a part
 *
 * A sequence is followed with the set of texts that its last elements stand for; what is no short
 * list of texts ends the set, which may then serve as the beginning (if it began there) or as the
 * part, if it is the rarest so far. Alternatives give the union of what their branches give.
 */
#include "text/re/re_priv.h"

enum {
    TEXT_BYTES = 16, /* kept of a text; a longer one ends the set */
    CLASS_CHARS = 8, /* a set of more characters is no list of texts */
    MAX_NEST = 6,    /* alternatives inside one another */
    WORTH = 9        /* bits of information: a part less rare is not worth looking for */
};

struct text {
    uint8_t n;
    uint8_t byte[TEXT_BYTES], mask[TEXT_BYTES];
};

struct texts {
    size_t n; /* 0: none known */
    struct text v[WK_RE_FIND_TEXTS];
};

/* What is known of a sequence. */
struct seq {
    struct texts now;   /* what the elements since the last end stand for */
    struct texts begin; /* every match begins with one */
    struct texts part;  /* every match has one; the rarest found */
    bool first;         /* `now` began with the match */
    bool exact;         /* `now` is all that matches */
};

/* Scratch of one level of alternatives. */
struct level {
    struct seq seq;
    struct texts all, begin, part;
};

struct finder {
    const struct wk_re_tree *t;
    struct level *levels[MAX_NEST];
    bool failed;
};

/* ---- characters as texts ---- */

static void put_char(const struct wk_re_tree *t, uint32_t c, struct text *out)
{
    out->n = 1;
    out->byte[0] = (uint8_t)c;
    if (t->utf8)
        out->n = (uint8_t)wk_utf8_put((char *)out->byte, c);
    memset(out->mask, 0, out->n);
}

/* Makes one text of two that differ in one bit. */
static bool join(struct text *a, const struct text *b)
{
    uint8_t at = 0, differ = 0;
    if (a->n != b->n)
        return false;
    for (uint8_t i = 0; i < a->n; i++)
        if (a->byte[i] != b->byte[i]) {
            at = i;
            differ++;
        }
    if (differ != 1 || a->mask[at])
        return false;
    uint8_t bit = a->byte[at] ^ b->byte[at];
    if (bit & (bit - 1))
        return false;
    a->byte[at] |= bit;
    a->mask[at] = bit;
    return true;
}

/* The characters of a set node as texts; 0 when it is none or they are many. Stray bytes do not
 * count: as text they could be found inside a character. */
static size_t chars_of(const struct wk_re_tree *t, const struct wk_re_node *n, struct text *out)
{
    size_t k = 0, chars = 0;
    if (n->kind != WK_RE_SET)
        return 0;
    const struct wk_re_set *s = &t->sets[n->arg];
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t c = s->r[i].lo; c <= s->r[i].hi; c++) {
            struct text one;
            if (++chars > CLASS_CHARS || wk_utf8_is_bad(c))
                return 0;
            put_char(t, c, &one);
            size_t j = 0;
            while (j < k && !join(&out[j], &one))
                j++;
            if (j == k)
                out[k++] = one;
        }
    return k;
}

/* ---- sets of texts ---- */

/* Bits of information of the commonest of them, less for many. */
static unsigned rarity(const struct texts *s)
{
    unsigned least = UINT32_MAX, many = 0;
    if (!s->n)
        return 0;
    for (size_t i = 0; i < s->n; i++)
        least = WK_MIN(least, wk_re_text_rarity(s->v[i].byte, s->v[i].mask, s->v[i].n));
    while (s->n >> (many + 1))
        many++;
    return least > many ? least - many : 0;
}

static void copy_texts(struct texts *to, const struct texts *from)
{
    to->n = from->n;
    memcpy(to->v, from->v, from->n * sizeof *to->v);
}

static bool add_texts(struct texts *to, const struct texts *more)
{
    if (!more->n || to->n + more->n > WK_RE_FIND_TEXTS)
        return false;
    memcpy(to->v + to->n, more->v, more->n * sizeof *to->v);
    to->n += more->n;
    return true;
}

static void offer_part(struct seq *q, const struct texts *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (!s->v[i].n)
            return;
    if (rarity(s) > rarity(&q->part))
        copy_texts(&q->part, s);
}

static void restart(struct seq *q)
{
    q->now.n = 1;
    q->now.v[0].n = 0;
}

static void start(struct seq *q)
{
    restart(q);
    q->begin.n = q->part.n = 0;
    q->first = q->exact = true;
}

/* What follows is unknown. */
static void end_run(struct seq *q)
{
    offer_part(q, &q->now);
    if (q->first)
        copy_texts(&q->begin, &q->now);
    q->first = q->exact = false;
    restart(q);
}

/* Each text so far, followed by each of v[0..n). */
static void append(struct seq *q, const struct text *v, size_t n)
{
    size_t most = 0, more = 0;
    for (size_t i = 0; i < q->now.n; i++)
        most = WK_MAX(most, (size_t)q->now.v[i].n);
    for (size_t i = 0; i < n; i++)
        more = WK_MAX(more, (size_t)v[i].n);
    if (q->now.n * n > WK_RE_FIND_TEXTS || most + more > TEXT_BYTES)
        end_run(q);
    size_t had = q->now.n;
    for (size_t k = n; k-- > 0;) /* the first of v last: it is put in place */
        for (size_t i = 0; i < had; i++) {
            struct text *to = &q->now.v[k * had + i];
            if (k)
                *to = q->now.v[i];
            memcpy(to->byte + to->n, v[k].byte, v[k].n);
            memcpy(to->mask + to->n, v[k].mask, v[k].n);
            to->n += v[k].n;
        }
    q->now.n = had * n;
}

/* ---- the tree ---- */

static void look(struct finder *f, struct seq *q, const struct wk_re_node *n, size_t nest);

/* Branches of which one is taken; the children from `c` on, or `c` alone. */
static void look_into(struct finder *f, struct seq *q, const struct wk_re_node *c, bool alone,
                      size_t nest)
{
    size_t count = 0;
    for (const struct wk_re_node *k = c; k && count <= WK_RE_FIND_TEXTS; k = alone ? NULL : k->next)
        count++;
    if (nest < MAX_NEST && !f->levels[nest])
        f->levels[nest] = wk_arena_alloc(f->t->a, sizeof *f->levels[nest]);
    if (nest == MAX_NEST || !f->levels[nest] || count > WK_RE_FIND_TEXTS) {
        end_run(q);
        return;
    }
    struct level *l = f->levels[nest];
    bool exact = true, begin = true, part = true;
    l->all.n = l->begin.n = l->part.n = 0;
    for (; c; c = alone ? NULL : c->next) {
        struct seq *s = &l->seq;
        start(s);
        look(f, s, c, nest + 1);
        exact = exact && s->exact && add_texts(&l->all, &s->now);
        end_run(s);
        begin = begin && add_texts(&l->begin, &s->begin);
        part = part && add_texts(&l->part, &s->part);
    }
    if (exact) {
        append(q, l->all.v, l->all.n);
        return;
    }
    bool first = q->first && q->now.n == 1 && !q->now.v[0].n;
    end_run(q);
    if (part)
        offer_part(q, &l->part);
    if (first && begin)
        copy_texts(&q->begin, &l->begin);
}

static void look_at_repeat(struct finder *f, struct seq *q, const struct wk_re_node *n, size_t nest)
{
    struct text v[CLASS_CHARS];
    if (n->min == 0) {
        end_run(q);
        return;
    }
    size_t k = chars_of(f->t, n->first, v);
    if (!k) {
        look_into(f, q, n->first, true, nest);
    } else {
        for (uint32_t i = 0; i < n->min && i < TEXT_BYTES; i++)
            append(q, v, k);
    }
    if (n->max > 1 && (!k || n->min != n->max || n->min > TEXT_BYTES))
        end_run(q);
}

static void look(struct finder *f, struct seq *q, const struct wk_re_node *n, size_t nest)
{
    struct text v[CLASS_CHARS];
    size_t k;
    switch ((enum wk_re_kind)n->kind) {
    case WK_RE_SET:
        k = chars_of(f->t, n, v);
        if (k)
            append(q, v, k);
        else
            end_run(q);
        return;
    case WK_RE_CAT:
        for (const struct wk_re_node *c = n->first; c; c = c->next)
            look(f, q, c, nest);
        return;
    case WK_RE_GROUP:
        look(f, q, n->first, nest);
        return;
    case WK_RE_EMPTY:
        return;
    case WK_RE_ASSERT:
        /* takes no character, so text on both sides still adjoins */
        q->exact = false;
        return;
    case WK_RE_REPEAT:
        look_at_repeat(f, q, n, nest);
        return;
    case WK_RE_ALT:
        look_into(f, q, n->first, false, nest);
        return;
    case WK_RE_BACKREF:
        break;
    }
    end_run(q);
}

/* ---- finders ---- */

static struct wk_re_finder *make_finder(struct wk_re *re, const struct texts *s)
{
    struct wk_re_text list[WK_RE_FIND_TEXTS];
    for (size_t i = 0; i < s->n; i++)
        list[i] = (struct wk_re_text){.byte = s->v[i].byte, .mask = s->v[i].mask, .n = s->v[i].n};
    return wk_re_finder_new(&re->arena, list, s->n);
}

static bool is_usable(const struct texts *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (!s->v[i].n)
            return false;
    return s->n > 0;
}

/* A pattern that is one text of any length. 1 when it is. */
static int take_plain(struct wk_re *re, const struct wk_re_tree *t)
{
    const struct wk_re_node *n = t->root;
    while (n->kind == WK_RE_CAT && n->first && n->first == n->last)
        n = n->first;
    const struct wk_re_node *first = n->kind == WK_RE_CAT ? n->first : n;
    struct wk_buf b;
    struct text v[CLASS_CHARS];
    wk_buf_init(&b, re->mem, SIZE_MAX / 2);
    for (int masks = 0; masks < 2; masks++)
        for (const struct wk_re_node *c = first; c; c = c == n ? NULL : c->next) {
            if (chars_of(t, c, v) != 1) {
                wk_buf_release(&b);
                return 0;
            }
            wk_buf_put(&b, masks ? v[0].mask : v[0].byte, v[0].n);
        }
    int r = 0;
    if (b.n && !b.failed) {
        const uint8_t *p = (const uint8_t *)wk_buf_c(&b);
        struct wk_re_text one = {.byte = p, .mask = p + b.n / 2, .n = (uint32_t)(b.n / 2)};
        re->whole = wk_re_finder_new(&re->arena, &one, 1);
        re->part = re->begin = re->whole;
        r = re->whole ? 1 : -WK_ENOMEM;
    } else if (b.failed) {
        r = -WK_ENOMEM;
    }
    wk_buf_release(&b);
    return r;
}

int wk_re_find_literals(struct wk_re *re, const struct wk_re_tree *t)
{
    int r = take_plain(re, t);
    if (r)
        return r < 0 ? r : 0;
    struct finder f = {.t = t};
    struct seq *q = wk_arena_alloc(t->a, sizeof *q);
    if (!q)
        return -WK_ENOMEM;
    start(q);
    look(&f, q, t->root, 0);
    bool exact = q->exact && is_usable(&q->now);
    end_run(q);
    if (is_usable(&q->begin) && !(re->begin = make_finder(re, &q->begin)))
        return -WK_ENOMEM;
    if (exact)
        re->whole = re->begin;
    if (exact || (re->begin && rarity(&q->begin) >= WK_MAX(rarity(&q->part), (unsigned)WORTH)))
        re->part = re->begin; /* a search for lines can start there */
    else if (rarity(&q->part) >= WORTH && !(re->part = make_finder(re, &q->part)))
        return -WK_ENOMEM;
    return 0;
}
