/* re_bracket.c - bracket expressions of regular expressions */
#include "text/re/re_priv.h"

struct reader {
    struct wk_re_tree *t;
    struct wk_str s;
    size_t i;
    struct wk_re_set set;
    bool high; /* reading the end of a range */
};

static bool fail(struct reader *r, enum wk_re_code code)
{
    r->t->error = code;
    r->t->error_at = r->i;
    return false;
}

static uint32_t next_char(struct reader *r)
{
    uint32_t c;
    if (r->t->utf8)
        r->i += wk_utf8_next(r->s.p + r->i, r->s.n - r->i, &c);
    else
        c = (unsigned char)r->s.p[r->i++];
    return c;
}

/* "[x…x]" at r->i: the text between. Reading goes past it. */
static bool delimited(struct reader *r, struct wk_str *inner)
{
    char kind = r->s.p[r->i + 1];
    size_t from = r->i + 2;
    /* A class name is short; the other two hold one character, which may be ']' or the kind's own.
     * */
    for (size_t k = from; k + 1 < r->s.n && k < from + 32; k++)
        if (r->s.p[k] == kind && r->s.p[k + 1] == ']') {
            *inner = wk_str(r->s.p + from, k - from);
            r->i = k + 2;
            return true;
        }
    return fail(r, WK_RE_EBRACK);
}

enum element { ELEMENT_BAD, ELEMENT_CHAR, ELEMENT_CLASS };

/* One element: a character (also [.x.] and, when `point`, not [=x=]) or a class already added. */
static enum element read_element(struct reader *r, uint32_t *c)
{
    struct wk_str inner;
    char kind = r->i + 1 < r->s.n ? r->s.p[r->i + 1] : '\0';
    if (r->s.p[r->i] != '[' || (kind != ':' && kind != '.' && kind != '=')) {
        *c = next_char(r);
        return ELEMENT_CHAR;
    }
    if (!delimited(r, &inner))
        return ELEMENT_BAD;
    if (kind == ':') {
        enum wk_class class = wk_class_named(inner);
        if (class == WK_CLASS_COUNT) {
            fail(r, WK_RE_ECTYPE);
            return ELEMENT_BAD;
        }
        if ((r->t->flags & WK_RE_ICASE) && (class == WK_CLASS_LOWER || class == WK_CLASS_UPPER))
            class = WK_CLASS_ALPHA;
        wk_re_set_class(r->t->a, &r->set, class, r->t->utf8);
        return ELEMENT_CLASS;
    }
    size_t n = 1;
    *c = inner.n ? (unsigned char)inner.p[0] : 0;
    if (inner.n && r->t->utf8)
        n = wk_utf8_next(inner.p, inner.n, c);
    if (inner.n == 0 || n != inner.n) {
        bool last = kind == '.' && !r->high && wk_str_is(wk_str_from(r->s, r->i), r->i < r->s.n ? "-" : "");
        fail(r, last ? WK_RE_EBRACK : WK_RE_ECOLLATE);
        return ELEMENT_BAD;
    }
    if (kind == '.')
        return ELEMENT_CHAR;
    wk_re_set_add(r->t->a, &r->set, *c, *c);
    return ELEMENT_CLASS;
}

/* "-x" after an element, unless the '-' is the last: a range. */
static bool is_range(const struct reader *r)
{
    return r->i + 1 < r->s.n && r->s.p[r->i] == '-' && r->s.p[r->i + 1] != ']';
}

static uint32_t upper(const struct reader *r, uint32_t c)
{
    return c < 128 || r->t->utf8 ? wk_utf8_upper(c) : c;
}

/* Where case does not count a range is that of the capitals of its ends; the DFA of grep and awk takes the ends as
 * they stand where characters are bytes. */
static bool add_range(struct reader *r, uint32_t lo, uint32_t hi)
{
    unsigned flags = r->t->flags;
    if (flags & WK_RE_ICASE) {
        uint32_t first = upper(r, lo), last = upper(r, hi);
        if (first > last)
            return false;
        if (!(flags & WK_RE_GREP) || !(flags & WK_RE_BYTES)) {
            lo = first;
            hi = last;
        }
    }
    wk_re_set_add(r->t->a, &r->set, lo, hi);
    return lo <= hi;
}

static bool read_members(struct reader *r)
{
    size_t first = r->i;
    for (;;) {
        uint32_t lo, hi;
        if (r->i >= r->s.n)
            return fail(r, WK_RE_EBRACK);
        if (r->s.p[r->i] == ']' && r->i > first) {
            r->i++;
            return true;
        }
        /* A hyphen stands for itself only first, last, or as the end of a range. */
        if (r->i > first && is_range(r))
            return fail(r, WK_RE_ERANGE);
        enum element e = read_element(r, &lo);
        if (e == ELEMENT_BAD)
            return false;
        if (!is_range(r)) {
            if (e == ELEMENT_CLASS && r->i + 1 == r->s.n && r->s.p[r->i] == '-')
                return fail(r, WK_RE_ERANGE);
            if (e == ELEMENT_CHAR)
                wk_re_set_add(r->t->a, &r->set, lo, lo);
            continue;
        }
        if (e == ELEMENT_CLASS)
            return fail(r, WK_RE_ERANGE);
        r->i++;
        r->high = true;
        e = read_element(r, &hi);
        r->high = false;
        if (e == ELEMENT_BAD)
            return r->t->error == WK_RE_ECTYPE ? fail(r, WK_RE_ERANGE) : false;
        if (e == ELEMENT_CLASS || !add_range(r, lo, hi))
            return fail(r, WK_RE_ERANGE);
    }
}

/* grep and sed refuse "[:space:]", which is nearly always a mistake: single characters between two
 * colons. */
static bool is_bare_class(const struct reader *r, size_t begin)
{
    struct wk_str s = wk_str(r->s.p + begin, r->i - 1 - begin);
    bool other = false;
    if (!(r->t->flags & (WK_RE_GREP | WK_RE_STRICT_PAREN)) || s.n < 3 || s.p[0] != ':' ||
        s.p[s.n - 1] != ':')
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '-' || s.p[i] == '[')
            return false;
        other = other || s.p[i] != ':';
    }
    return other;
}

/* In brackets a byte that is no character stands for nothing. */
static void drop_stray_bytes(struct wk_re_set *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (!wk_utf8_is_bad(s->r[i].lo))
            s->r[kept++] = s->r[i];
    s->n = kept;
}

struct wk_re_node *wk_re_bracket(struct wk_re_tree *t, struct wk_str s, size_t *i)
{
    struct reader r = {.t = t, .s = s, .i = *i};
    bool negated = r.i < s.n && s.p[r.i] == '^';
    if (negated)
        r.i++;
    if (r.i >= s.n) {
        fail(&r, WK_RE_BADPAT);
        return NULL;
    }
    if (!read_members(&r))
        return NULL;
    if (is_bare_class(&r, *i + negated)) {
        fail(&r, WK_RE_ECLASSNAME);
        return NULL;
    }
    *i = r.i;
    drop_stray_bytes(&r.set);
    if (t->flags & WK_RE_ICASE)
        wk_re_set_fold(t->a, &r.set, t->utf8);
    if (!wk_re_set_normalise(t->a, &r.set)) {
        t->error = WK_RE_ESPACE;
        return NULL;
    }
    if (negated) {
        wk_re_set_invert(t->a, &r.set, t->utf8);
        if ((t->flags & WK_RE_NEWLINE) && !(t->flags & WK_RE_EMACS))
            wk_re_set_remove(t->a, &r.set, '\n');
        if (t->flags & WK_RE_NUL_DOT)
            wk_re_set_remove(t->a, &r.set, 0);
    }
    if (r.set.failed) {
        t->error = WK_RE_ESPACE;
        return NULL;
    }
    return wk_re_node_set(t, &r.set);
}
