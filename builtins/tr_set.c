/* tr_set.c - the character arrays of tr: parsing and walking */
#include "builtins/tr_set.h"

#include "base/num.h"

/* A string with its escapes undone. */
struct raw {
    unsigned char *p;
    bool *escaped;
    size_t n;
};

bool wk_tr_in_class(unsigned ch, enum wk_class class)
{
    return ch < 128 && wk_utf8_is(ch, class);
}

static struct raw unescape(struct wk_cmd *c, const char *s)
{
    static const char from[] = "\\abfnrtv", to[] = "\\\a\b\f\n\r\t\v";
    size_t len = strlen(s);
    struct raw r = {(unsigned char *)wk_heap_alloc(c->heap, len + 1), wk_new_n(c, bool, len + 1),
                    0};
    for (size_t i = 0; i < len; i++) {
        unsigned char ch = (unsigned char)s[i];
        const char *known;
        if (ch == '\\') {
            r.escaped[r.n] = true;
            unsigned char e = (unsigned char)s[i + 1];
            if (!e) {
                wk_out_fmt(c->err,
                           "%s: warning: an unescaped backslash at end of string is not portable\n",
                           c->name);
                r.escaped[r.n] = false;
            } else if (e >= '0' && e <= '7') {
                unsigned v = 0, k = 0;
                for (; k < 3 && s[i + 1] >= '0' && s[i + 1] <= '7'; k++, i++) {
                    if (v * 8 + (unsigned)(s[i + 1] - '0') > 255) {
                        wk_out_fmt(c->err,
                                   "%s: warning: the ambiguous octal escape \\%c%c%c is being\n"
                                   "\tinterpreted as the 2-byte sequence \\0%c%c, %c\n",
                                   c->name, s[i - 1], s[i], s[i + 1], s[i - 1], s[i], s[i + 1]);
                        break;
                    }
                    v = v * 8 + (unsigned)(s[i + 1] - '0');
                }
                ch = (unsigned char)v;
            } else {
                known = strchr(from, e);
                ch = known ? (unsigned char)to[known - from] : e;
                i++;
            }
        }
        r.p[r.n++] = ch;
    }
    return r;
}

static bool is_at(const struct raw *r, size_t i, char ch)
{
    return i < r->n && r->p[i] == (unsigned char)ch && !r->escaped[i];
}

static void add(struct wk_tr_set *s, struct wk_tr_item item)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 16;
        s->v = (struct wk_tr_item *)wk_heap_realloc(s->c->heap, s->v, s->cap * sizeof *s->v);
    }
    s->v[s->n++] = item;
    if (__builtin_add_overflow(s->length, item.count, &s->length))
        wk_fail(s->c, 1, "too many characters in set");
}

void wk_tr_extend(struct wk_tr_set *s, unsigned char ch, uint64_t count)
{
    add(s, (struct wk_tr_item){.kind = WK_TR_REPEAT, .first = ch, .count = count});
}

/* *DIGITS] : what looks like a class may be a repeat of ':' or '='. */
static bool star_digits_bracket(const struct raw *r, size_t i)
{
    if (!is_at(r, i, '*'))
        return false;
    for (i++; i < r->n && wk_is_digit(r->p[i]); i++)
        continue;
    return is_at(r, i, ']');
}

static const char *text_of(struct wk_cmd *c, const struct raw *r, size_t from, size_t n)
{
    return wk_dupn(c, (const char *)r->p + from, n);
}

static bool add_class(struct wk_tr_set *s, const struct raw *r, size_t from, size_t n)
{
    enum wk_class class = wk_class_named(wk_str((const char *)r->p + from, n));
    if (class == WK_CLASS_COUNT)
        return false;
    uint64_t count = 0;
    for (unsigned ch = 0; ch < 256; ch++)
        count += wk_tr_in_class(ch, class);
    s->has_class = true;
    if (class != WK_CLASS_UPPER && class != WK_CLASS_LOWER)
        s->has_other_class = true;
    add(s, (struct wk_tr_item){.kind = WK_TR_CLASS, .class = class, .count = count});
    return true;
}

/* [:class:] or [=c=] at i; the bytes used, 0 when it is something else. */
static size_t parse_class(struct wk_tr_set *s, const struct raw *r, size_t i)
{
    const char mark = (char)r->p[i + 1];
    size_t end = i + 2;
    while (end + 1 < r->n && !(is_at(r, end, mark) && is_at(r, end + 1, ']')))
        end++;
    if (end + 1 >= r->n)
        return 0;
    size_t n = end - (i + 2);
    if (n == 0)
        wk_fail(s->c, 1,
                mark == ':' ? "missing character class name '[::]'"
                            : "missing equivalence class character '[==]'");
    if (mark == ':' ? add_class(s, r, i + 2, n) : n == 1) {
        if (mark == '=') {
            s->has_equiv = true;
            add(s, (struct wk_tr_item){.kind = WK_TR_EQUIV, .first = r->p[i + 2], .count = 1});
        }
        return end + 2 - i;
    }
    if (star_digits_bracket(r, i + 2))
        return 0;
    const char *text = text_of(s->c, r, i + 2, n);
    if (mark == ':')
        wk_fail(s->c, 1, "invalid character class %s", wk_quote_arg(s->c, text));
    wk_fail(s->c, 1, "%s: equivalence class operand must be a single character", text);
}

/* [c*], [c*N] at i; the bytes used or 0. */
static size_t parse_repeat(struct wk_tr_set *s, const struct raw *r, size_t i)
{
    if (!is_at(r, i + 2, '*'))
        return 0;
    size_t end = i + 3;
    while (end < r->n && !r->escaped[end] && r->p[end] != ']')
        end++;
    if (!is_at(r, end, ']'))
        return 0;
    size_t n = end - (i + 3);
    uint64_t count = 0;
    const char *digits = (const char *)r->p + i + 3;
    if (n && wk_parse_u64(wk_str(digits, n), digits[0] == '0' ? 8 : 10, &count))
        wk_fail(s->c, 1, "invalid repeat count %s in [c*n] construct",
                wk_quote_arg(s->c, text_of(s->c, r, i + 3, n)));
    s->indefinite += count == 0;
    add(s,
        (struct wk_tr_item){
            .kind = WK_TR_REPEAT, .first = r->p[i + 1], .count = count, .indefinite = count == 0});
    return end + 1 - i;
}

static const char *printable(struct wk_cmd *c, unsigned char ch)
{
    return ch >= 32 && ch < 127 ? wk_strf(c, "%c", ch) : wk_strf(c, "\\%03o", ch);
}

static void add_range(struct wk_tr_set *s, unsigned char first, unsigned char last)
{
    if (first > last)
        wk_fail(s->c, 1, "range-endpoints of '%s-%s' are in reverse collating sequence order",
                printable(s->c, first), printable(s->c, last));
    add(s, (struct wk_tr_item){.kind = WK_TR_RANGE,
                               .first = first,
                               .last = last,
                               .count = (uint64_t)(last - first) + 1});
}

void wk_tr_parse(struct wk_cmd *c, const char *text, struct wk_tr_set *s)
{
    *s = (struct wk_tr_set){.c = c};
    struct raw r = unescape(c, text);
    size_t i = 0;
    while (i < r.n) {
        size_t used = 0;
        if (i + 2 < r.n && is_at(&r, i, '[')) {
            if (is_at(&r, i + 1, ':') || is_at(&r, i + 1, '='))
                used = parse_class(s, &r, i);
            if (!used)
                used = parse_repeat(s, &r, i);
        }
        if (!used && i + 2 < r.n && is_at(&r, i + 1, '-')) {
            add_range(s, r.p[i], r.p[i + 2]);
            used = 3;
        } else if (!used) {
            add(s, (struct wk_tr_item){.kind = WK_TR_CHAR, .first = r.p[i], .count = 1});
            used = 1;
        }
        i += used;
        wk_tick(c, 1);
    }
}

int wk_tr_next(struct wk_tr_set *s, enum wk_tr_case *class, bool *fresh)
{
    *class = WK_TR_NO_CASE;
    *fresh = false;
    while (s->item < s->n && s->at >= s->v[s->item].count)
        wk_tr_skip_item(s);
    if (s->item >= s->n)
        return -1;
    const struct wk_tr_item *v = &s->v[s->item];
    *fresh = s->at == 0;
    uint64_t at = s->at++;
    if (v->kind == WK_TR_RANGE)
        return v->first + (int)at;
    if (v->kind != WK_TR_CLASS)
        return v->first;
    if (v->class == WK_CLASS_LOWER || v->class == WK_CLASS_UPPER)
        *class = v->class == WK_CLASS_LOWER ? WK_TR_LOWER : WK_TR_UPPER;
    while (!wk_tr_in_class((unsigned)s->code, v->class))
        s->code++;
    return s->code++;
}

void wk_tr_skip_item(struct wk_tr_set *s)
{
    s->item++;
    s->at = 0;
    s->code = 0;
}

void wk_tr_mark(struct wk_tr_set *s, bool table[256])
{
    for (size_t i = 0; i < s->n; i++) {
        const struct wk_tr_item *v = &s->v[i];
        unsigned last = v->kind == WK_TR_RANGE ? v->last : v->first;
        for (unsigned ch = 0; ch < 256; ch++)
            if (v->kind == WK_TR_CLASS ? wk_tr_in_class(ch, v->class)
                                       : v->count && ch >= v->first && ch <= last)
                table[ch] = true;
        wk_tick(s->c, 4);
    }
}
