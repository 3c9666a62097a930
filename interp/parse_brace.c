/* parse_brace.c - brace expressions: found in a word's segments, and walked
 *
 * A word's text is cut into units: runs of ordinary text, other segments, and unquoted { , }. As in
 * bash an open brace reaches to the first close brace of its own level that has a comma or .. of that
 * level before it; what has no such partner is text.
 */
#include "interp/lexer.h"

enum {
    DEEPEST = 24,
    STEPS = 4 << 20 /* units looked at in one word; past that braces are text */
};

enum unit_kind { U_RUN, U_SEG, U_OPEN, U_COMMA, U_CLOSE };

struct unit {
    uint8_t kind;
    bool dots; /* RUN: holds .. that is not right before a } */
    uint32_t seg;
    uint32_t text, text_end; /* RUN */
    uint32_t pat, pat_end;
};

struct units {
    struct unit *v;
    uint32_t n;
    uint32_t steps;
    bool any; /* a brace expression was found */
    const struct wk_word *w;
};

/* ---- units ---------------------------------------------------------------------------------- */

static bool push_unit(struct wk_parser *ps, const struct unit *u)
{
    return u->kind == U_RUN && u->text == u->text_end ? true : wk_ps_push(ps, u, sizeof *u);
}

/* Cuts one literal. Text and pattern run side by side; a backslash in the pattern quotes. */
static bool cut_literal(struct wk_parser *ps, const struct wk_seg *s, uint32_t seg)
{
    struct unit run = {.kind = U_RUN, .seg = seg};
    uint32_t t = 0, p = 0;
    if ((s->flags & WK_SEG_MIXED) && !wk_ps_push(ps, &run, sizeof run)) /* marks quoting */
        return false;
    while (t < s->text_len) {
        char c = s->u.pat[p];
        if (c == '\\' && s->u.pat != s->text) {
            p += 2;
            t++;
            continue;
        }
        if (c != '{' && c != ',' && c != '}') {
            p++;
            t++;
            continue;
        }
        run.text_end = t;
        run.pat_end = p;
        struct unit u = {.kind = c == '{' ? U_OPEN : c == ',' ? U_COMMA : U_CLOSE,
                         .seg = seg,
                         .text = t,
                         .text_end = t + 1,
                         .pat = p,
                         .pat_end = p + 1};
        if (!push_unit(ps, &run) || !wk_ps_push(ps, &u, sizeof u))
            return false;
        t++;
        p++;
        run.text = t;
        run.pat = p;
    }
    run.text_end = s->text_len;
    run.pat_end = s->pat_len;
    return push_unit(ps, &run);
}

static bool cut_word(struct wk_parser *ps, struct units *us)
{
    size_t stk = ps->stk.n;
    for (uint32_t i = 0; i < us->w->n_segs; i++) {
        const struct wk_seg *s = &us->w->segs[i];
        struct unit u = {.kind = U_SEG, .seg = i};
        bool whole = s->kind != WK_SEG_LIT || (s->flags & WK_SEG_QUOTED);
        if (whole ? !wk_ps_push(ps, &u, sizeof u) : !cut_literal(ps, s, i))
            return false;
    }
    us->v = wk_ps_pop(ps, stk, sizeof(struct unit), &us->n);
    return us->v != NULL;
}

/* ---- sequences ------------------------------------------------------------------------------ */

static bool read_int(struct wk_str s, int64_t *v, uint32_t *width)
{
    bool neg = s.n && s.p[0] == '-';
    size_t i = neg || (s.n && s.p[0] == '+');
    uint64_t u = 0;
    if (i == s.n)
        return false;
    if (s.p[i] == '0' && s.n > i + 1 && s.n > *width)
        *width = (uint32_t)s.n;
    for (; i < s.n; i++) {
        if (!wk_is_digit((unsigned char)s.p[i]) || u > (UINT64_MAX >> 1) / 10)
            return false;
        u = u * 10 + (uint64_t)(s.p[i] - '0');
    }
    if (u > (uint64_t)INT64_MAX)
        return false;
    *v = neg ? -(int64_t)u : (int64_t)u;
    return true;
}

/* Parts of "x..y" or "x..y..z". Returns how many. */
static unsigned split_dots(struct wk_str s, struct wk_str part[3])
{
    unsigned n = 0;
    for (;;) {
        ptrdiff_t k = wk_str_find(s, WK_STR(".."));
        if (n == 3)
            return 4;
        part[n++] = k < 0 ? s : wk_str_take(s, (size_t)k);
        if (k < 0)
            return n;
        s = wk_str_from(s, (size_t)k + 2);
    }
}

static bool read_sequence(struct wk_str s, struct wk_brace *b)
{
    struct wk_str part[3];
    uint32_t width = 0, none = 0;
    unsigned n = split_dots(s, part);
    b->step = 1;
    if (n < 2 || n > 3 || (n == 3 && !read_int(part[2], &b->step, &none)))
        return false;
    if (b->step < 0)
        b->step = -b->step;
    if (b->step == 0)
        b->step = 1;
    if (part[0].n == 1 && part[1].n == 1 && wk_is_alpha((unsigned char)part[0].p[0]) &&
        wk_is_alpha((unsigned char)part[1].p[0])) {
        b->kind = WK_BRACE_CHARS;
        b->from = (unsigned char)part[0].p[0];
        b->to = (unsigned char)part[1].p[0];
    } else {
        b->kind = WK_BRACE_INTS;
        if (!read_int(part[0], &b->from, &width) || !read_int(part[1], &b->to, &width))
            return false;
        if (width) {
            b->width = (uint32_t)WK_MAX(part[0].n, part[1].n);
            b->width = WK_MAX(b->width, width);
        }
    }
    uint64_t d = b->from < b->to ? (uint64_t)b->to - (uint64_t)b->from
                                 : (uint64_t)b->from - (uint64_t)b->to;
    b->count = d / (uint64_t)b->step + 1;
    return true;
}

/* Part of the text between braces was quoted: the word was not written so. */
static bool quoted_inside(const struct wk_word *w, struct wk_str text)
{
    struct wk_str rest = wk_word_source(w);
    ptrdiff_t at;
    while (rest.n && (at = wk_str_find(rest, text)) >= 0) {
        size_t end = (size_t)at + text.n;
        if (at > 0 && rest.p[at - 1] == '{' && end < rest.n && rest.p[end] == '}')
            return false;
        rest = wk_str_from(rest, (size_t)at + 1);
    }
    return w->source_len != 0;
}

/* Units from…to-1 are one plain run that is a sequence. */
static bool is_sequence(const struct units *us, uint32_t from, uint32_t to, struct wk_brace *b)
{
    const struct unit *r = &us->v[from];
    if (to != from + 1 || r->kind != U_RUN || r->text_end - r->text != r->pat_end - r->pat)
        return false;
    const struct wk_seg *s = &us->w->segs[r->seg];
    struct wk_str text = wk_str(s->text + r->text, r->text_end - r->text);
    return !(s->flags & WK_SEG_MIXED && quoted_inside(us->w, text)) && read_sequence(text, b);
}

/* ---- matching ------------------------------------------------------------------------------- */

static void find_dots(struct units *us)
{
    for (uint32_t i = 0; i < us->n; i++) {
        struct unit *u = &us->v[i];
        if (u->kind != U_RUN)
            continue;
        struct wk_str t = wk_str(us->w->segs[u->seg].text + u->text, u->text_end - u->text);
        ptrdiff_t k = wk_str_find(t, WK_STR(".."));
        bool close = i + 1 < us->n && us->v[i + 1].kind == U_CLOSE;
        u->dots = k >= 0 && !((size_t)k + 2 == t.n && close);
    }
}

/* The partner of the open brace before `from`, or 0. *comma: a comma of any level is inside. */
static uint32_t find_close(struct units *us, uint32_t from, uint32_t to, bool *comma)
{
    uint32_t level = 0, separators = 0;
    *comma = false;
    for (uint32_t i = from; i < to && us->steps < STEPS; i++, us->steps++) {
        const struct unit *u = &us->v[i];
        if (u->kind == U_OPEN) {
            level++;
        } else if (u->kind == U_CLOSE) {
            if (level)
                level--;
            else if (separators)
                return i;
        } else if (u->kind == U_COMMA) {
            *comma = true;
            separators += level == 0;
        } else if (u->dots && level == 0) {
            separators++;
        }
    }
    return 0;
}

/* The first open brace with a partner; `start` is where the text begins ({} there is text). */
static bool find_open(struct units *us, uint32_t start, uint32_t to, uint32_t *open,
                      uint32_t *close, bool *comma)
{
    for (uint32_t i = start; i < to; i++) {
        if (us->v[i].kind != U_OPEN)
            continue;
        if (us->v[start].kind == U_RUN && us->v[start].text == us->v[start].text_end)
            start++; /* only a mark of quoting */
        if (i == start && i + 1 < to && us->v[i + 1].kind == U_CLOSE)
            continue;
        *close = find_close(us, i + 1, to, comma);
        if (*close) {
            *open = i;
            return true;
        }
    }
    return false;
}

/* ---- building ------------------------------------------------------------------------------- */

static uint64_t sat_mul(uint64_t a, uint64_t b)
{
    uint64_t r;
    return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}

static bool emit_run(struct wk_parser *ps, const struct units *us, const struct unit *u)
{
    const struct wk_seg *s = &us->w->segs[u->seg];
    struct wk_seg out = *s;
    out.text_len = u->text_end - u->text;
    out.pat_len = u->pat_end - u->pat;
    out.text = wk_ps_strndup(ps, s->text + u->text, out.text_len);
    out.u.pat = s->u.pat == s->text ? out.text : wk_ps_strndup(ps, s->u.pat + u->pat, out.pat_len);
    return out.text && out.u.pat && wk_ps_push(ps, &out, sizeof out);
}

static bool build(struct wk_parser *ps, struct units *us, uint32_t from, uint32_t to,
                  unsigned depth, struct wk_brace_alt *out, uint64_t *count);

/* The alternatives between an open brace and its partner. */
static bool build_list(struct wk_parser *ps, struct units *us, uint32_t open, uint32_t close,
                       unsigned depth, struct wk_brace *b)
{
    size_t stk = ps->stk.n;
    uint32_t from = open + 1, level = 0;
    b->kind = WK_BRACE_LIST;
    for (uint32_t i = from; i <= close; i++) {
        const struct unit *u = &us->v[i];
        if (i != close) {
            if (u->kind == U_OPEN)
                level++;
            else if (u->kind == U_CLOSE && level)
                level--;
            if (u->kind != U_COMMA || level)
                continue;
        }
        struct wk_brace_alt alt = {0};
        uint64_t n;
        if (!build(ps, us, from, i, depth + 1, &alt, &n))
            return false;
        alt.upto = b->count + n < n ? UINT64_MAX : b->count + n;
        b->count = alt.upto;
        if (!wk_ps_push(ps, &alt, sizeof alt))
            return false;
        from = i + 1;
    }
    b->alts = wk_ps_pop(ps, stk, sizeof(struct wk_brace_alt), &b->n_alts);
    return b->alts != NULL;
}

/* Units from…to-1 as segments, braces as they are written. */
static bool push_plain(struct wk_parser *ps, const struct units *us, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const struct unit *u = &us->v[i];
        const struct wk_seg *s = &us->w->segs[u->seg];
        if (u->kind == U_SEG ? !wk_ps_push(ps, s, sizeof *s) : !emit_run(ps, us, u))
            return false;
    }
    return true;
}

static bool build_plain(struct wk_parser *ps, const struct units *us, uint32_t from, uint32_t to,
                        struct wk_brace_alt *out)
{
    size_t stk = ps->stk.n;
    if (!push_plain(ps, us, from, to))
        return false;
    out->segs = wk_ps_pop(ps, stk, sizeof(struct wk_seg), &out->n_segs);
    return out->segs != NULL;
}

/* One brace expression; as text when it is neither list nor sequence. */
static bool build_brace(struct wk_parser *ps, struct units *us, uint32_t open, uint32_t close,
                        bool comma, unsigned depth, uint64_t *count)
{
    struct wk_brace *b = WK_PS_NEW(ps, struct wk_brace);
    if (!b)
        return false;
    if (!comma && !is_sequence(us, open + 1, close, b))
        return push_plain(ps, us, open, close + 1);
    if (comma && !build_list(ps, us, open, close, depth, b))
        return false;
    if (depth == 0 && !build_plain(ps, us, open, close + 1, &b->plain))
        return false;
    us->any = true;
    *count = sat_mul(*count, b->count);
    struct wk_seg s = {.kind = WK_SEG_BRACE, .u.brace = b};
    return wk_ps_push(ps, &s, sizeof s);
}

static bool build(struct wk_parser *ps, struct units *us, uint32_t from, uint32_t to,
                  unsigned depth, struct wk_brace_alt *out, uint64_t *count)
{
    size_t stk = ps->stk.n;
    uint32_t open, close;
    bool comma;
    *count = 1;
    while (depth <= DEEPEST && find_open(us, from, to, &open, &close, &comma)) {
        if (!push_plain(ps, us, from, open) ||
            !build_brace(ps, us, open, close, comma, depth, count))
            return false;
        from = close + 1;
    }
    if (!push_plain(ps, us, from, to))
        return false;
    out->segs = wk_ps_pop(ps, stk, sizeof(struct wk_seg), &out->n_segs);
    return out->segs != NULL;
}

bool wk_brace_find(struct wk_parser *ps, struct wk_word *w)
{
    struct units us = {.w = w};
    struct wk_brace_alt all = {0};
    uint64_t count;
    if (!cut_word(ps, &us))
        return false;
    find_dots(&us);
    if (!build(ps, &us, 0, us.n, 0, &all, &count))
        return false;
    if (!us.any)
        return true;
    w->segs = all.segs;
    w->n_segs = all.n_segs;
    w->flags &= ~(uint32_t)(WK_WORD_LITERAL | WK_WORD_SINGLE_FIELD);
    w->flags |= WK_WORD_BRACE;
    w->text = NULL;
    w->text_len = 0;
    return true;
}

/* ---- walking -------------------------------------------------------------------------------- */

static uint64_t count_of(const struct wk_seg *v, uint32_t n)
{
    uint64_t c = 1;
    for (uint32_t i = 0; i < n; i++)
        if (v[i].kind == WK_SEG_BRACE)
            c = sat_mul(c, v[i].u.brace->count);
    return c;
}

void wk_brace_begin(struct wk_brace_iter *it, const struct wk_word *w, struct wk_arena *a,
                    struct wk_names *names, bool expand)
{
    *it = (struct wk_brace_iter){.word = w, .arena = a, .names = names, .expand = expand, .total = 1};
    if (expand)
        it->total = count_of(w->segs, w->n_segs);
}

struct out {
    struct wk_arena *a;
    struct wk_seg *v;
    size_t n, cap;
    size_t ticks, tick; /* backquotes that sequences have put in, and where the first one is */
};

static bool put(struct out *o, const struct wk_seg *s)
{
    if (o->n == o->cap) {
        size_t cap = o->cap ? o->cap * 2 : 8;
        struct wk_seg *v = wk_arena_alloc(o->a, cap * sizeof *v);
        if (!v)
            return false;
        if (o->n)
            memcpy(v, o->v, o->n * sizeof *v);
        o->v = v;
        o->cap = cap;
    }
    o->v[o->n++] = *s;
    return true;
}

/* The k-th element of a sequence as a literal. */
static bool put_element(struct out *o, const struct wk_brace *b, uint64_t k)
{
    char tmp[24];
    size_t i = sizeof tmp;
    uint64_t off = k * (uint64_t)b->step;
    int64_t v = (int64_t)(b->from <= b->to ? (uint64_t)b->from + off : (uint64_t)b->from - off);
    struct wk_seg s = {.kind = WK_SEG_LIT};
    size_t width = b->kind == WK_BRACE_INTS ? b->width : 0;
    char *p;
    if (b->kind == WK_BRACE_CHARS) {
        if (v != '\\') /* which quotes what follows, and goes */
            tmp[--i] = (char)v;
        s.flags = wk_is_alpha((int)v) ? 0 : WK_SEG_QUOTED;
    } else {
        uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
        do
            tmp[--i] = (char)('0' + u % 10);
        while (u /= 10);
    }
    size_t len = sizeof tmp - i, sign = b->kind == WK_BRACE_INTS && v < 0;
    size_t pad = width > len + sign ? width - len - sign : 0;
    p = wk_arena_alloc(o->a, sign + pad + len + 1);
    if (!p)
        return false;
    if (sign)
        p[0] = '-';
    memset(p + sign, '0', pad);
    memcpy(p + sign + pad, tmp + i, len);
    p[sign + pad + len] = '\0';
    s.text = s.u.pat = p;
    s.text_len = s.pat_len = (uint32_t)(sign + pad + len);
    if (b->kind == WK_BRACE_CHARS && v == '`' && o->ticks++ == 0)
        o->tick = o->n;
    return put(o, &s);
}

static bool put_segs(struct out *o, const struct wk_seg *v, uint32_t n, uint64_t k, uint64_t total);

static bool put_brace(struct out *o, const struct wk_brace *b, uint64_t k)
{
    if (b->kind != WK_BRACE_LIST)
        return put_element(o, b, k);
    uint32_t lo = 0, hi = b->n_alts - 1;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (b->alts[mid].upto > k)
            hi = mid;
        else
            lo = mid + 1;
    }
    uint64_t before = lo ? b->alts[lo - 1].upto : 0;
    const struct wk_brace_alt *alt = &b->alts[lo];
    return put_segs(o, alt->segs, alt->n_segs, k - before, alt->upto - before);
}

/* The k-th of the `total` words that segments give: the leftmost brace turns slowest. */
static bool put_segs(struct out *o, const struct wk_seg *v, uint32_t n, uint64_t k, uint64_t total)
{
    for (uint32_t i = 0; i < n; i++) {
        if (v[i].kind != WK_SEG_BRACE) {
            if (!put(o, &v[i]))
                return false;
            continue;
        }
        uint64_t c = v[i].u.brace->count;
        if (total == UINT64_MAX) /* too many to count: only the last ones will ever turn */
            total = count_of(v + i, n - i);
        uint64_t rest = total == UINT64_MAX ? count_of(v + i + 1, n - i - 1) : total / c;
        if (!put_brace(o, v[i].u.brace, k / rest))
            return false;
        k %= rest;
        total = rest;
    }
    return true;
}

static bool put_plain(struct out *o, const struct wk_word *w)
{
    for (uint32_t i = 0; i < w->n_segs; i++) {
        const struct wk_seg *s = &w->segs[i];
        if (s->kind != WK_SEG_BRACE) {
            if (!put(o, s))
                return false;
            continue;
        }
        for (uint32_t j = 0; j < s->u.brace->plain.n_segs; j++)
            if (!put(o, &s->u.brace->plain.segs[j]))
                return false;
    }
    return true;
}

/* The first k segments, all literal, become one. */
static bool concat(struct out *o, size_t k, uint8_t flags)
{
    size_t text = 0, pat = 0;
    for (size_t i = 0; i < k; i++) {
        text += o->v[i].text_len;
        pat += o->v[i].pat_len;
    }
    char *t = wk_arena_alloc(o->a, text + 1), *p = wk_arena_alloc(o->a, pat + 1);
    if (!t || !p || text > UINT32_MAX || pat > UINT32_MAX)
        return false;
    struct wk_seg s = {.kind = WK_SEG_LIT, .text = t, .u.pat = p, .text_len = (uint32_t)text,
                       .pat_len = (uint32_t)pat, .flags = flags};
    for (size_t i = 0; i < k; i++) {
        memcpy(t, o->v[i].text, o->v[i].text_len);
        memcpy(p, o->v[i].u.pat, o->v[i].pat_len);
        t += o->v[i].text_len;
        p += o->v[i].pat_len;
    }
    *t = *p = '\0';
    o->v[0] = s;
    memmove(&o->v[1], &o->v[k], (o->n - k) * sizeof s);
    o->n -= k - 1;
    return true;
}

/* All literal: one text, one pattern. */
static bool join(struct out *o, struct wk_word *w)
{
    unsigned flags = 0, quoted = WK_SEG_QUOTED;
    size_t length = 0;
    for (size_t i = 0; i < o->n; i++) {
        if (o->v[i].kind != WK_SEG_LIT)
            return true;
        length += o->v[i].text_len;
        flags |= o->v[i].flags & (WK_SEG_GLOB | WK_SEG_MIXED);
        if (o->v[i].flags & WK_SEG_QUOTED)
            flags |= WK_SEG_MIXED;
        else
            quoted = 0;
    }
    if (!length && !(flags & WK_SEG_MIXED)) { /* parts of nothing */
        o->n = 0;
        return true;
    }
    if (!concat(o, o->n, (uint8_t)(quoted ? quoted : flags)))
        return false;
    if (!(flags & WK_SEG_GLOB)) {
        w->text = o->v[0].text;
        w->text_len = o->v[0].text_len;
        w->flags |= WK_WORD_LITERAL;
    }
    return true;
}

/* The text at the front in one piece: a name may come from several. */
static bool join_front(struct out *o)
{
    const uint8_t mixed = WK_SEG_QUOTED | WK_SEG_MIXED;
    uint8_t flags = o->v[0].flags;
    size_t k = 1;
    for (; k < o->n && o->v[k].kind == WK_SEG_LIT && !(o->v[k].flags & mixed); k++)
        flags |= o->v[k].flags;
    return k == 1 || flags & mixed || concat(o, k, flags);
}

/* ~ that came to the front. */
static bool open_tilde(struct out *o)
{
    if (!o->n || o->v[0].kind != WK_SEG_LIT || (o->v[0].flags & WK_SEG_QUOTED) ||
        !o->v[0].pat_len || o->v[0].u.pat[0] != '~')
        return true;
    if (!join_front(o))
        return false;
    struct wk_seg *first = &o->v[0];
    uint32_t k = 1;
    while (k < first->text_len && k < first->pat_len && first->text[k] == first->u.pat[k] &&
           (wk_is_name_char((unsigned char)first->text[k]) || first->text[k] == '-' ||
            first->text[k] == '+' || first->text[k] == '.'))
        k++;
    if (k < first->text_len ? first->text[k] != '/' && first->text[k] != ':' : o->n > 1)
        return true;
    struct wk_seg t = {.kind = WK_SEG_TILDE, .text_len = k - 1};
    t.text = wk_arena_strndup(o->a, first->text + 1, k - 1);
    if (!t.text || !put(o, &t))
        return false;
    memmove(&o->v[1], &o->v[0], (o->n - 1) * sizeof t);
    o->v[0] = t;
    o->v[1].text += k;
    o->v[1].text_len -= k;
    o->v[1].u.pat += k;
    o->v[1].pat_len -= k;
    return true;
}

/* How much of the text behind a $name belongs to the name now: what is unquoted and of a name's characters. */
static uint32_t more_name(const struct wk_seg *s)
{
    uint32_t k = 0;
    while (s->kind == WK_SEG_LIT && !(s->flags & WK_SEG_QUOTED) && k < s->text_len && k < s->pat_len &&
           s->text[k] == s->u.pat[k] && wk_is_name_char((unsigned char)s->text[k]))
        k++;
    return k;
}

/* $x{a,b} is $xa $xb: the name at seg i takes what has come to stand behind it. */
static bool extend_name(struct out *o, struct wk_names *names, size_t i)
{
    const struct wk_param *old = o->v[i].u.param;
    struct wk_str name = wk_names_str(names, old->id);
    size_t n = name.n, end = i + 1;
    for (uint32_t k; end < o->n && (k = more_name(&o->v[end])) > 0; end++) {
        n += k;
        if (k < o->v[end].text_len)
            break;
    }
    if (n == name.n)
        return true;
    struct wk_param *p = wk_arena_alloc(o->a, sizeof *p);
    char *text = wk_arena_alloc(o->a, n + 1);
    if (!p || !text)
        return false;
    memcpy(text, name.p, name.n);
    size_t at = name.n, kept = i + 1;
    for (size_t j = i + 1; j < o->n; j++) {
        struct wk_seg s = o->v[j];
        uint32_t k = at < n ? more_name(&s) : 0;
        if (k)
            memcpy(text + at, s.text, k);
        at += k;
        s.text += k;
        s.text_len -= k;
        s.u.pat += k;
        s.pat_len -= k;
        if (!k || s.text_len)
            o->v[kept++] = s;
    }
    o->n = kept;
    text[n] = '\0';
    *p = *old;
    p->id = wk_names_intern(names, wk_str(text, n));
    p->prefix = wk_str(text, n);
    o->v[i].u.param = p;
    return p->id != WK_NAME_NONE;
}

/* How a segment is written, as far as it tells. */
static struct wk_str as_written(const struct wk_seg *s, bool *dollar)
{
    *dollar = s->kind == WK_SEG_PARAM && !s->u.param->source.n;
    if (s->kind == WK_SEG_PARAM)
        return *dollar ? s->u.param->prefix : s->u.param->source;
    return s->kind == WK_SEG_LIT ? wk_str(s->text, s->text_len) : WK_STR("");
}

/* A backquote that has come out of a sequence opens a command, which what stands behind it does not close. */
static bool open_tick(struct out *o)
{
    size_t n = 1, at = o->tick;
    bool dollar;
    if (o->ticks != 1 || at + 1 == o->n)
        return true;
    for (size_t i = at + 1; i < o->n; i++)
        n += as_written(&o->v[i], &dollar).n + 2;
    struct wk_param *p = wk_arena_zalloc(o->a, sizeof *p);
    char *text = wk_arena_alloc(o->a, n + 1), *q = text;
    if (!p || !text)
        return false;
    *q++ = '`';
    for (size_t i = at + 1; i < o->n; i++) {
        struct wk_str s = as_written(&o->v[i], &dollar);
        bool quoted = o->v[i].kind == WK_SEG_LIT && o->v[i].flags & WK_SEG_QUOTED;
        if (quoted || dollar)
            *q++ = quoted ? '"' : '$';
        if (s.n)
            memcpy(q, s.p, s.n);
        q += s.n;
        if (quoted)
            *q++ = '"';
    }
    *p = (struct wk_param){.kind = WK_PARAM_BAD, .transform = '`', .source = wk_str(text, (size_t)(q - text))};
    *q = '\0';
    o->v[at] = (struct wk_seg){.kind = WK_SEG_PARAM, .u.param = p};
    o->n = at + 1;
    return true;
}

int wk_brace_next(struct wk_brace_iter *it, struct wk_word **out)
{
    struct out o = {.a = it->arena};
    if (it->next >= it->total)
        return 0;
    bool ok = it->expand ? put_segs(&o, it->word->segs, it->word->n_segs, it->next, it->total)
                         : put_plain(&o, it->word);
    struct wk_word *w = WK_ARENA_NEW(it->arena, struct wk_word);
    if (!ok || !w || (o.ticks && !open_tick(&o)))
        return -WK_ENOMEM;
    it->next++;
    *w = *it->word;
    w->flags &= ~(uint32_t)WK_WORD_BRACE;
    w->text = NULL;
    for (size_t i = 0; i < o.n; i++)
        if (o.v[i].kind == WK_SEG_PARAM && o.v[i].flags & WK_SEG_BARE && !(o.v[i].flags & WK_SEG_QUOTED) &&
            o.v[i].u.param->kind == WK_PARAM_NAME && !extend_name(&o, it->names, i))
            return -WK_ENOMEM;
    if (!open_tilde(&o))
        return -WK_ENOMEM;
    if (!(w->flags & (WK_WORD_SPLIT | WK_WORD_AT)) && o.n && !join(&o, w))
        return -WK_ENOMEM;
    if (!o.n) { /* {,}: an empty word, which is no field */
        w->text = "";
        w->text_len = 0;
    }
    w->segs = o.v;
    w->n_segs = (uint32_t)o.n;
    *out = w;
    return 1;
}
