/* file_match.c - compares data with lines of magic
 *
 * Standard: magic(5). The lines of an entry are walked once; a line is looked at when those above
 * it matched.
 */
#include "base/fnum.h"
#include "base/num.h"
#include "builtins/file.h"
#include "builtins/regex.h"

struct level {
    uint64_t off; /* behind the last match: what `&` counts from */
    bool matched; /* for `default` */
};

/* One walk over the lines of an entry: at the top, of `use`, or of `indirect`. */
struct walk {
    struct wk_probe *p;
    struct wk_str data;
    uint64_t base; /* of offsets that are not relative */
    bool flip;     /* byte order turned round */
    uint64_t
        end;    /* where a line that counts from the end looked: those behind it count from there */
    bool found; /* a message was due */
    struct level level[WK_MAGIC_LEVELS + 1];
};

/* What a line found. */
struct value {
    struct wk_str view; /* the data, or its end */
    uint64_t at;
    uint64_t v;
    double f;
    struct wk_str s;
    uint64_t after;
};

static bool walk_entry(struct walk *w, const struct wk_magic_entry *e);

/* ---- numbers -----------------------------------------------------------------------------------
 */

static bool have(struct wk_str data, uint64_t at, uint64_t n)
{
    return at <= data.n && data.n - at >= n;
}

static uint64_t load(const unsigned char *p, size_t size, bool big, bool middle)
{
    uint64_t v = 0;
    if (middle)
        return (uint64_t)p[1] << 24 | (uint64_t)p[0] << 16 | (uint64_t)p[3] << 8 | p[2];
    for (size_t i = 0; i < size; i++)
        v = v << 8 | p[big ? i : size - 1 - i];
    return v;
}

static uint64_t extend(uint64_t v, size_t size, bool is_unsigned)
{
    if (size >= 8 || !size)
        return v;
    unsigned bits = 64 - 8 * (unsigned)size;
    return is_unsigned ? v << bits >> bits : (uint64_t)((int64_t)(v << bits) >> bits);
}

static double as_double(uint64_t v, size_t size)
{
    double d;
    float f;
    if (size == 8) {
        memcpy(&d, &v, sizeof d);
        return d;
    }
    uint32_t w = (uint32_t)v;
    memcpy(&f, &w, sizeof f);
    return (double)f;
}

static uint64_t octal(struct wk_str data, uint64_t at)
{
    uint64_t v = 0;
    while (at < data.n && data.p[at] == ' ')
        at++;
    for (int i = 0; i < 21 && at < data.n && data.p[at] >= '0' && data.p[at] <= '7'; i++)
        v = v << 3 | (uint64_t)(data.p[at++] - '0');
    return v;
}

bool wk_magic_number(struct wk_str data, uint64_t at, const struct wk_magic_number *n, bool flip,
                     uint64_t *v)
{
    if (n->type == WK_MAGIC_OCTAL) {
        *v = octal(data, at);
        return at < data.n;
    }
    if (!have(data, at, n->size))
        return false;
    *v = load((const unsigned char *)data.p + at, n->size, n->big != flip, n->middle);
    if (n->type == WK_MAGIC_ID3)
        *v = (*v >> 24 & 127) << 21 | (*v >> 16 & 127) << 14 | (*v >> 8 & 127) << 7 | (*v & 127);
    else if (n->type == WK_MAGIC_FLOAT)
        *v = (uint64_t)(int64_t)WK_MAX(-1e18, WK_MIN(1e18, as_double(*v, n->size)));
    else
        *v = extend(*v, n->size, n->is_unsigned);
    return true;
}

static uint64_t operate(char op, uint64_t a, uint64_t b)
{
    switch (op) {
    case '&':
        return a & b;
    case '|':
        return a | b;
    case '^':
        return a ^ b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return b ? a / b : 0;
    case '%':
        return b ? a % b : 0;
    default:
        return a;
    }
}

static bool compare(char reln, uint64_t v, uint64_t want, bool is_unsigned)
{
    switch (reln) {
    case 'x':
        return true;
    case '!':
        return v != want;
    case '>':
        return is_unsigned ? v > want : (int64_t)v > (int64_t)want;
    case '<':
        return is_unsigned ? v < want : (int64_t)v < (int64_t)want;
    case '&':
        return (v & want) == want;
    case '^':
        return (v & want) != want;
    default:
        return v == want;
    }
}

static bool compare_double(char reln, double v, double want)
{
    return reln == 'x' || (reln == '!'   ? v != want
                           : reln == '>' ? v > want
                           : reln == '<' ? v < want
                                         : v == want);
}

/* ---- text --------------------------------------------------------------------------------------
 */

/* Where the flags ask for it: letters of either case, blanks of any number. <0, 0, >0 as the data
 * is less than, equal to, or more than the pattern; *used gets the bytes of the data that were
 * taken. */
static int compare_text(const struct wk_magic *m, struct wk_str s, size_t *used)
{
    const char *a = m->text.p, *end = m->text.p + m->text.n;
    const unsigned char *b = (const unsigned char *)s.p, *stop = b + s.n;
    int diff = 0;
    for (; a < end && !diff; a++) {
        unsigned char x = (unsigned char)*a;
        if (b >= stop && !((m->flags & WK_MAGIC_OPTIONAL) && wk_is_space(x))) {
            diff = -1;
        } else if ((m->flags & WK_MAGIC_LOWER) && wk_is_lower(x)) {
            diff = wk_to_lower(*b++) - x;
        } else if ((m->flags & WK_MAGIC_UPPER) && wk_is_upper(x)) {
            diff = wk_to_upper(*b++) - x;
        } else if ((m->flags & WK_MAGIC_COMPACT) && wk_is_space(x)) {
            if (!wk_is_space(*b++))
                diff = 1;
            else if (a + 1 == end || !wk_is_space(a[1]))
                while (b < stop && wk_is_space(*b))
                    b++;
        } else if ((m->flags & WK_MAGIC_OPTIONAL) && wk_is_space(x)) {
            while (b < stop && wk_is_space(*b))
                b++;
        } else {
            diff = *b++ - x;
        }
    }
    if (!diff && (m->flags & WK_MAGIC_WORD) && b < stop && (wk_is_alnum(*b) || *b == '_'))
        diff = 1;
    *used = (size_t)(b - (const unsigned char *)s.p);
    return diff;
}

static bool check_string(const struct wk_magic *m, struct value *x)
{
    size_t used;
    int diff =
        compare_text(m, m->type == WK_MAGIC_STRING_ ? wk_str_from(x->view, x->at) : x->s, &used);
    switch (m->reln) {
    case 'x':
        return true;
    case '!':
        return diff != 0;
    case '>':
        return diff > 0;
    case '<':
        return diff < 0;
    default:
        return diff == 0;
    }
}

static bool search(struct wk_probe *p, const struct wk_magic *m, struct value *x)
{
    struct wk_str s = wk_str_from(x->view, x->at);
    size_t last = m->range ? (size_t)WK_MIN(m->range - 1, s.n) : s.n, n = m->text.n, used = n;
    ptrdiff_t found = -1;
    if (!(m->flags & ~(unsigned)(WK_MAGIC_TEXT | WK_MAGIC_BINARY | WK_MAGIC_START))) {
        found = wk_str_find(wk_str_take(s, last + n), m->text);
        wk_tick(p->c, (uint32_t)(WK_MIN(last + n, s.n) / 64) + 1);
    } else {
        for (size_t i = 0; found < 0 && i <= last && (n <= s.n - i); i++) {
            if (compare_text(m, wk_str_from(s, i), &used) == 0)
                found = (ptrdiff_t)i;
            if (i % 16 == 0)
                wk_tick(p->c, 1);
        }
    }
    if (found >= 0) {
        x->at += (uint64_t)found;
        x->s = wk_str_from(s, (size_t)found);
        x->after = x->at + (m->flags & WK_MAGIC_START ? 0 : n);
    }
    return m->reln == '!' ? found < 0 : m->reln == 'x' || found >= 0;
}

/* The part that a regular expression looks at. */
static struct wk_str regex_part(const struct wk_magic *m, struct wk_str s)
{
    uint64_t bytes = m->flags & WK_MAGIC_LINES ? m->range * 80 : m->range, lines = m->range;
    if (!bytes || bytes > 8192)
        bytes = 8192;
    s = wk_str_take(s, (size_t)bytes);
    const char *nul = s.n ? (const char *)memchr(s.p, '\0', s.n) : NULL;
    if (!(m->flags & WK_MAGIC_LINES) || !lines)
        return nul ? wk_str_take(s, (size_t)(nul - s.p)) : s;
    size_t at = 0;
    for (; lines && at < s.n; lines--) {
        ptrdiff_t end = wk_str_chr(wk_str_from(s, at), '\n');
        if (end < 0)
            end = wk_str_chr(wk_str_from(s, at), '\r');
        if (end < 0)
            break;
        at += (size_t)end + 1;
    }
    s = lines ? s : wk_str_take(s, at);
    return nul && nul < s.p + s.n ? wk_str_take(s, (size_t)(nul - s.p)) : s;
}

static bool match_regex(struct wk_probe *p, const struct wk_magic *m, struct value *x)
{
    if (!m->re && !m->bad_re) {
        struct wk_magic *w = &p->set->v[m - p->set->v];
        struct wk_re_error err;
        w->re = wk_cmd_re(p->c, m->text,
                          WK_RE_EXTENDED | WK_RE_NEWLINE | WK_RE_BYTES |
                              (m->flags & WK_MAGIC_LOWER ? (unsigned)WK_RE_ICASE : 0),
                          &err);
        w->bad_re = !w->re;
    }
    if (!m->re)
        return false;
    struct wk_re_run run = wk_cmd_re_run(p->c);
    struct wk_re_span span;
    struct wk_str s = regex_part(m, wk_str_from(x->view, x->at));
    if (!s.p)
        s = WK_STR("");
    bool found = wk_cmd_re_search(p->c, m->re, &run, s, 0, &span, 1, 1);
    if (found) {
        x->s = wk_str(s.p + span.start, (size_t)(span.end - span.start));
        x->after = x->at + (uint64_t)(m->flags & WK_MAGIC_START ? span.start : span.end);
    }
    return m->reln == '!' ? !found : found;
}

/* ---- one line ----------------------------------------------------------------------------------
 */

static bool find_offset(struct walk *w, const struct wk_magic *m, struct value *x)
{
    const struct level *above = m->level ? &w->level[m->level - 1] : NULL;
    x->view = w->data;
    if (m->from_end) {
        x->view = w->p->tail;
        if ((uint64_t)m->offset > x->view.n || w->base)
            return false;
        x->at = x->view.n - (uint64_t)m->offset;
        w->end = w->p->size - (uint64_t)m->offset;
        return true;
    }
    x->at = (uint64_t)m->offset + (m->relative && above ? above->off : w->base) + w->end;
    if (!m->indirect)
        return x->at <= w->data.n;
    uint64_t v, by = (uint64_t)m->in_offset;
    if (!wk_magic_number(w->data, x->at, &m->in, w->flip, &v))
        return false;
    if (m->in_op_indirect && !wk_magic_number(w->data, x->at + by, &m->in, w->flip, &by))
        return false;
    v = m->in_op ? operate(m->in_op, v, by) : v;
    x->at = m->in_inverse ? ~v : v;
    if (m->indirect_relative && above)
        x->at += above->off;
    if (m->type == WK_MAGIC_USE)
        x->at += w->base;
    return x->at <= w->data.n;
}

static bool pascal_string(const struct walk *w, const struct wk_magic *m, struct value *x)
{
    struct wk_magic_number n = {.type = WK_MAGIC_INT, .is_unsigned = true};
    n.size = m->pascal == 'B' ? 1 : (m->pascal | 0x20) == 'h' ? 2 : 4;
    n.big = wk_is_upper(m->pascal);
    uint64_t length;
    if (!wk_magic_number(w->data, x->at, &n, false, &length))
        return false;
    if (m->pascal_self)
        length = length >= n.size ? length - n.size : 0;
    uint64_t from = x->at + n.size;
    x->s = wk_str_take(wk_str_from(x->view, from), (size_t)WK_MIN(length, WK_MAGIC_STRING - 1));
    x->after = from + x->s.n;
    return true;
}

static void string16(struct walk *w, const struct wk_magic *m, struct value *x)
{
    bool big = m->big != w->flip;
    char *to = (char *)wk_heap_alloc(w->p->c->heap, WK_MAGIC_STRING);
    size_t n = 0;
    for (uint64_t at = x->at; have(x->view, at, 2) && n + 1 < WK_MAGIC_STRING; at += 2) {
        char high = x->view.p[at + !big], low = x->view.p[at + big];
        if (!low && !high)
            break;
        to[n++] = low ? low : high ? ' ' : '\0';
    }
    x->s = wk_str(to, n);
    x->after = x->at + 2 * n;
}

/* Reads what the line is about; false where the data ends before. */
static bool read_value(struct walk *w, const struct wk_magic *m, struct value *x)
{
    struct wk_magic_number n = {.type = m->type == WK_MAGIC_ID3 ? WK_MAGIC_ID3 : WK_MAGIC_INT,
                                .size = m->size,
                                .big = m->big,
                                .middle = m->middle};
    x->after = x->at;
    switch (m->type) {
    case WK_MAGIC_STRING_:
        x->s = wk_str_take(wk_str_from(x->view, x->at),
                           m->range ? (size_t)WK_MIN(m->range, WK_MAGIC_STRING) : WK_MAGIC_STRING);
        return have(x->view, x->at, m->text.n);
    case WK_MAGIC_OCTAL:
        x->s = wk_str_take(wk_str_from(x->view, x->at), WK_MAGIC_STRING);
        return have(x->view, x->at, 1);
    case WK_MAGIC_PSTRING:
        return pascal_string(w, m, x);
    case WK_MAGIC_STRING16:
        string16(w, m, x);
        return have(x->view, x->at, 2 * m->text.n);
    case WK_MAGIC_OFFSET:
        x->v = m->from_end ? w->p->size - WK_MIN(w->p->size, (uint64_t)m->offset) : x->at;
        return true;
    case WK_MAGIC_GUID:
        x->s = wk_str_take(wk_str_from(x->view, x->at), 16);
        x->after = x->at + 16;
        return x->s.n == 16;
    case WK_MAGIC_FLOAT:
        n.is_unsigned = true;
        if (!wk_magic_number(x->view, x->at, &n, w->flip, &x->v))
            return false;
        x->f = as_double(x->v, m->size);
        break;
    case WK_MAGIC_INT:
    case WK_MAGIC_ID3:
    case WK_MAGIC_DATE:
    case WK_MAGIC_WDATE:
    case WK_MAGIC_DOSDATE:
    case WK_MAGIC_DOSTIME:
        n.is_unsigned = true;
        if (!wk_magic_number(x->view, x->at, &n, w->flip, &x->v))
            return false;
        x->v = m->mask_op ? operate(m->mask_op, x->v, m->mask) : x->v;
        x->v = m->mask_inverse ? ~x->v : x->v;
        x->v = extend(x->v, m->size, m->is_unsigned);
        break;
    default:
        return m->type != WK_MAGIC_DER;
    }
    x->after = x->at + m->size;
    return true;
}

/* How far a string reaches for those behind it. */
static uint64_t after_string(const struct wk_magic *m, const struct value *x)
{
    if (m->reln == '=' || m->reln == '!')
        return x->at + m->text.n;
    size_t n = 0;
    bool line = !m->text.n || !m->text.p[0];
    while (n < x->s.n && x->s.p[n] && !(line && (x->s.p[n] == '\n' || x->s.p[n] == '\r')))
        n++;
    return x->at + n;
}

static bool use_named(struct walk *w, const struct wk_magic *m, const struct value *x)
{
    const struct wk_magic_set *set = w->p->set;
    bool turn = m->text.n && m->text.p[0] == '^';
    struct wk_str name = wk_str_from(m->text, turn);
    for (size_t i = 0; i < set->nnamed; i++) {
        if (!wk_str_eq(set->v[set->named[i].first].text, name))
            continue;
        if (w->p->depth >= WK_MAGIC_DEPTH || !w->p->budget)
            return false;
        w->p->budget--;
        w->p->depth++;
        struct walk *inner = wk_new(w->p->c, struct walk);
        *inner = (struct walk){.p = w->p, .data = w->data, .base = x->at, .flip = w->flip != turn};
        (void)walk_entry(inner, &set->named[i]);
        bool found = inner->found;
        w->found = w->found || found;
        wk_heap_free(w->p->c->heap, inner);
        w->p->depth--;
        w->p->again = w->p->again || found;
        return found;
    }
    return false;
}

static bool look_inside(struct walk *w, const struct wk_magic *m, const struct value *x)
{
    struct wk_probe *p = w->p;
    if (p->depth >= WK_MAGIC_DEPTH / 2 || !p->budget || (!x->at && !m->level))
        return false;
    p->budget--;
    size_t from = p->out->n;
    bool separator = p->separator;
    if (p->say == WK_FILE_TEXT && m->desc[0])
        wk_magic_say(p, m, x->at, 0, WK_STR(""));
    p->depth++;
    bool found = wk_magic_match(p, wk_str_from(w->data, x->at), false);
    p->depth--;
    if (!found) {
        p->out->n = from;
        p->separator = separator;
    }
    return found;
}

static bool check(struct walk *w, const struct wk_magic *m, struct value *x)
{
    bool ok;
    switch (m->type) {
    case WK_MAGIC_STRING_:
        ok = check_string(m, x);
        x->after = after_string(m, x);
        return ok;
    case WK_MAGIC_PSTRING:
    case WK_MAGIC_STRING16:
        return check_string(m, x);
    case WK_MAGIC_SEARCH:
        return search(w->p, m, x);
    case WK_MAGIC_REGEX:
        return match_regex(w->p, m, x);
    case WK_MAGIC_GUID:
        return m->reln == 'x' || (memcmp(x->s.p, m->text.p, 16) == 0) == (m->reln == '=');
    case WK_MAGIC_FLOAT:
        return compare_double(m->reln, x->f, m->fvalue);
    case WK_MAGIC_OCTAL:
        x->v = octal(x->view, x->at);
        return check_string(m, x);
    case WK_MAGIC_USE:
        return use_named(w, m, x);
    case WK_MAGIC_INDIRECT:
        return look_inside(w, m, x);
    case WK_MAGIC_DEFAULT:
    case WK_MAGIC_CLEAR:
    case WK_MAGIC_NAME:
        return true;
    default:
        return compare(m->reln, x->v, extend(m->value, m->size, m->is_unsigned), m->is_unsigned);
    }
}

/* What is found inside stands behind what was told at once, or, where it is not that certain, on a
 * line of its own. */
static void begin_nested(struct wk_probe *p, const struct wk_magic *m)
{
    if (m->strength < 115)
        wk_buf_put_c(p->out, "\n- ");
    p->separator = false;
}

/* Says what a line says. True: that is all there is to say (a media type). */
static bool tell(struct walk *w, const struct wk_magic *m, const struct value *x)
{
    struct wk_probe *p = w->p;
    if (p->say != WK_FILE_TEXT) {
        const char *s = p->say == WK_FILE_EXT     ? m->ext
                        : p->say == WK_FILE_APPLE ? m->apple
                                                  : m->mime;
        w->found = w->found || m->desc[0];
        s = s ? wk_magic_annotation(p, s) : "";
        if (!*s || (p->printed && !p->keep_going) || (p->say == WK_FILE_MIME && !p->mime_type))
            return false;
        if (p->printed)
            wk_buf_put_c(p->out, "\n- ");
        wk_buf_put_c(p->out, s);
        p->printed = w->found = true;
        return true;
    }
    if (m->desc[0] && m->type != WK_MAGIC_INDIRECT) {
        if (!m->level && p->depth && m->type != WK_MAGIC_NAME)
            begin_nested(p, m);
        if (p->again && p->keep_going)
            wk_buf_put_c(p->out, "\n- ");
        p->again = false;
        if (!m->level)
            p->separator = false;
        wk_magic_say(p, m, x->v, x->f, x->s);
        w->found = p->printed = true;
    }
    return false;
}

/* The line itself: 1 it matches, 0 not, 2 stop. */
static int look_at(struct walk *w, const struct wk_magic *m)
{
    struct value x = {.s = WK_STR("")};
    wk_tick(w->p->c, 1);
    struct level *l = &w->level[m->level];
    if (!find_offset(w, m, &x))
        return 0;
    bool there = read_value(w, m, &x);
    if (!there && m->reln != '!')
        return 0;
    if (m->type == WK_MAGIC_DEFAULT && l->matched)
        return 0;
    if (there && !check(w, m, &x))
        return 0;
    l->matched = m->type != WK_MAGIC_CLEAR;
    l->off = x.after;
    w->level[m->level + 1].matched = false;
    if (m->type == WK_MAGIC_INDIRECT) {
        w->found = true;
        return 1;
    }
    return tell(w, m, &x) ? 2 : 1;
}

/* False when it does not begin like the data. */
static bool walk_entry(struct walk *w, const struct wk_magic_entry *e)
{
    const struct wk_magic *m = &w->p->set->v[e->first], *end = m + e->n;
    if (look_at(w, m) != 1)
        return w->found;
    size_t depth = 1; /* lines of this level are looked at */
    for (m++; m < end; m++) {
        if (m->level > depth)
            continue;
        depth = m->level;
        int r = look_at(w, m);
        if (r == 2)
            return true;
        depth += r == 1;
    }
    return w->found;
}

bool wk_magic_match(struct wk_probe *p, struct wk_str data, bool text_entries)
{
    const struct wk_magic_set *set = p->set;
    bool any = false;
    struct walk *w = wk_new(p->c, struct walk);
    p->again = p->again && p->depth;
    for (size_t i = 0; i < set->nentries; i++) {
        const struct wk_magic_entry *e = (const struct wk_magic_entry *)set->order[i];
        const struct wk_magic *m = &set->v[e->first];
        if (e->text != text_entries)
            continue;
        unsigned force = m->flags & (WK_MAGIC_TEXT | WK_MAGIC_BINARY);
        if (wk_magic_is_text(m->type) &&
            (p->text ? force == WK_MAGIC_BINARY : force == WK_MAGIC_TEXT))
            continue;
        /* Most entries are strings that stand at the beginning. */
        if (m->type == WK_MAGIC_STRING_ && m->reln == '=' && !m->indirect && !m->from_end &&
            m->text.n && !(m->flags & ~(unsigned)(WK_MAGIC_TEXT | WK_MAGIC_BINARY)) &&
            (!have(data, (uint64_t)m->offset, m->text.n) || data.p[m->offset] != m->text.p[0]))
            continue;
        *w = (struct walk){.p = p, .data = data};
        if (walk_entry(w, e)) {
            any = p->again = true;
            if (!p->keep_going)
                break;
        }
    }
    wk_heap_free(p->c->heap, w);
    return any;
}
