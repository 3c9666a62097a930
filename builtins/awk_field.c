/* awk_field.c - awk's records: fields, found as far as they are asked for, and splitting
 *
 * Standard: POSIX awk; FPAT, FIELDWIDTHS and single characters as gawk has them.
 */
#include "builtins/awk.h"

#include "base/num.h"
#include "base/utf8.h"

enum { MOST_FIELDS = 1 << 24 };

/* ---- how records are split ---- */

static void use_regex(struct awk *a, struct awk_re **slot, struct wk_str text)
{
    if (*slot)
        (*slot)->busy = false;
    *slot = wk_awk_regex(a, text);
    (*slot)->busy = true;
}

static enum awk_split way_of(const struct awk *a, struct wk_str sep, char *ch)
{
    *ch = '\n';
    if (sep.n == 0)
        return a->old ? AWK_SPLIT_CHAR : AWK_SPLIT_EACH;
    if (sep.n > 1)
        return AWK_SPLIT_RE;
    *ch = sep.p[0];
    if (*ch == ' ')
        return AWK_SPLIT_BLANKS;
    return AWK_SPLIT_CHAR; /* a single character is itself, whatever it means elsewhere, and
                              whatever IGNORECASE says */
}

void wk_awk_fs_changed(struct awk *a)
{
    if (a->csv) { /* nothing else splits then */
        a->split = AWK_SPLIT_CSV;
        return;
    }
    a->split = way_of(a, a->fs, &a->split_char);
    if (a->split == AWK_SPLIT_RE)
        use_regex(a, &a->split_re, a->fs);
}

/* FIELDWIDTHS: "3 2:4 *". */
static void widths_changed(struct awk *a, struct wk_str s)
{
    size_t n = 0;
    wk_heap_free(a->c->heap, a->widths);
    a->widths = wk_new_n(a->c, size_t, s.n + 2);
    for (size_t i = 0; i < s.n;) {
        uint64_t skip = 0, width = 0;
        while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t'))
            i++;
        if (i >= s.n)
            break;
        size_t from = i;
        while (i < s.n && wk_is_digit(s.p[i]))
            i++;
        if (i < s.n && s.p[i] == ':') {
            (void)wk_parse_u64(wk_str(s.p + from, i - from), 10, &skip);
            from = ++i;
            while (i < s.n && wk_is_digit(s.p[i]))
                i++;
        }
        if (i < s.n && s.p[i] == '*' && i == from) {
            width = SIZE_MAX / 2;
            i++;
        } else if (i == from || wk_parse_u64(wk_str(s.p + from, i - from), 10, &width) != 0 || !width) {
            wk_awk_fatal(a, "invalid FIELDWIDTHS value, for field %zu, near `%.*s'", n / 2 + 1,
                         (int)WK_MIN(s.n - from, (size_t)100), s.p + from);
        }
        a->widths[n++] = (size_t)WK_MIN(skip, (uint64_t)SIZE_MAX / 2);
        a->widths[n++] = (size_t)WK_MIN(width, (uint64_t)SIZE_MAX / 2);
    }
    a->nwidths = n / 2;
    a->split = AWK_SPLIT_WIDTHS;
}

void wk_awk_case_changed(struct awk *a)
{
    if (a->split != AWK_SPLIT_PATTERN && a->split != AWK_SPLIT_WIDTHS)
        wk_awk_fs_changed(a);
    wk_awk_rs_changed(a);
}

void wk_awk_split_changed(struct awk *a, uint32_t slot)
{
    struct wk_str s = awk_slice(awk_to_str(a, &a->globals[slot]));
    if (a->csv)
        return;
    if (slot == AWK_FPAT) {
        use_regex(a, &a->split_re, s);
        a->split = AWK_SPLIT_PATTERN;
    } else {
        widths_changed(a, s);
    }
}

/* ---- one step: the next field at *at; false when there is none ---- */

struct splitter {
    struct awk *a;
    enum awk_split how;
    char ch;
    struct awk_re *re;
    struct wk_str s;
    size_t at, done; /* where the search goes on; fields so far */
    bool paragraph;  /* newlines separate, too */
    bool ended;
    bool doubled;      /* a CSV field with quotes in it, which are written twice */
    size_t sep, sep_n; /* what stood behind the field */
};

static bool is_separator(char ch)
{
    return (unsigned char)ch <= ' ' && (ch == ' ' || ch == '\t' || ch == '\n');
}

static bool next_word(struct splitter *x, size_t *from, size_t *n)
{
    const char *p = x->s.p;
    size_t i = x->at, end = x->s.n;
    while (i < end && is_separator(p[i]))
        i++;
    if (i == end)
        return false;
    *from = i;
    while (i < end && !is_separator(p[i]))
        i++;
    *n = i - *from;
    x->sep = i;
    while (i < end && is_separator(p[i]))
        i++;
    x->sep_n = i - x->sep;
    x->at = i;
    return true;
}

/* As memchr, quick when it is near. */
static inline const char *find_near(const char *p, char ch, size_t n)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    const uint64_t wanted = ones * (unsigned char)ch;
    size_t i = 0;
    for (; i + 8 <= n && i < 32; i += 8) {
        uint64_t x;
        memcpy(&x, p + i, 8);
        x ^= wanted;
        uint64_t hit = (x - ones) & ~x & tops; /* the lowest bit is right, those above may be too many */
        if (!hit)
            continue;
        if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
            return p + i + (__builtin_ctzll(hit) >> 3);
        break;
    }
    for (size_t end = WK_MIN(i + 8, n); i < end; i++)
        if (p[i] == ch)
            return p + i;
    return i < n ? (const char *)memchr(p + i, ch, n - i) : NULL;
}

static bool next_between(struct splitter *x, size_t *from, size_t *n)
{
    if (x->ended || (x->s.n == 0 && !x->done))
        return false;
    const char *p = x->s.p + x->at, *e = find_near(p, x->ch, x->s.n - x->at);
    if (x->paragraph && x->ch != '\n') {
        const char *line = (const char *)memchr(p, '\n', e ? (size_t)(e - p) : x->s.n - x->at);
        e = line ? line : e;
    }
    *from = x->at;
    *n = e ? (size_t)(e - p) : x->s.n - x->at;
    x->sep = *from + *n;
    x->sep_n = e != NULL;
    x->ended = !e;
    x->at = x->sep + x->sep_n;
    return true;
}

/* Behind the character at `at`. */
static size_t behind(const struct splitter *x, size_t at)
{
    uint32_t ch;
    return at + (x->a->utf8 && at < x->s.n ? wk_utf8_next(x->s.p + at, x->s.n - at, &ch) : 1);
}

static bool next_by_regex(struct splitter *x, size_t *from, size_t *n)
{
    struct wk_re_span m;
    if (x->ended || (x->s.n == 0 && !x->done))
        return false;
    size_t look = x->at;
    bool found = false;
    while (look <= x->s.n && (found = wk_awk_find(x->a, x->re, x->s, look, false, &m, 1))) {
        if (m.end > m.start)
            break;
        found = false; /* an empty match separates nothing */
        look = behind(x, (size_t)m.start);
    }
    if (x->paragraph) {
        size_t end = found ? (size_t)m.start : x->s.n;
        const char *line =
            end > x->at ? (const char *)memchr(x->s.p + x->at, '\n', end - x->at) : NULL;
        if (line) {
            found = true;
            m.start = line - x->s.p;
            m.end = m.start + 1;
        }
    }
    *from = x->at;
    *n = found ? (size_t)m.start - x->at : x->s.n - x->at;
    x->sep = *from + *n;
    x->sep_n = found ? (size_t)(m.end - m.start) : 0;
    x->ended = !found;
    x->at = x->sep + x->sep_n;
    return true;
}

static bool next_char(struct splitter *x, size_t *from, size_t *n)
{
    uint32_t ch;
    if (x->at >= x->s.n)
        return false;
    *from = x->at;
    *n = x->a->utf8 ? wk_utf8_next(x->s.p + x->at, x->s.n - x->at, &ch) : 1;
    x->at += *n;
    x->sep = x->at;
    x->sep_n = 0;
    return true;
}

static size_t skip_chars(struct splitter *x, size_t at, size_t chars)
{
    uint32_t ch;
    for (; chars && at < x->s.n; chars--)
        at += x->a->utf8 ? wk_utf8_next(x->s.p + at, x->s.n - at, &ch) : 1;
    return at;
}

static bool next_wide(struct splitter *x, size_t *from, size_t *n)
{
    if (x->done >= x->a->nwidths || x->at >= x->s.n)
        return false;
    *from = skip_chars(x, x->at, x->a->widths[2 * x->done]);
    x->at = skip_chars(x, *from, x->a->widths[2 * x->done + 1]);
    *n = x->at - *from;
    x->sep = x->at;
    x->sep_n = 0;
    return true;
}

/* FPAT: what matches is a field; an empty match only where no field ended. */
static bool next_match(struct splitter *x, size_t *from, size_t *n)
{
    struct wk_re_span m;
    if (x->ended || (x->s.n == 0 && !x->done))
        return false;
    size_t look = x->at;
    while (look <= x->s.n && wk_awk_find(x->a, x->re, x->s, look, false, &m, 1)) {
        if (m.end == m.start && x->done && (size_t)m.start == x->at && look == x->at) {
            look = behind(x, look);
            continue;
        }
        *from = (size_t)m.start;
        *n = (size_t)(m.end - m.start);
        x->sep = x->at = (size_t)m.end;
        x->sep_n = 0;
        x->ended = x->at >= x->s.n;
        return true;
    }
    x->ended = true;
    return false;
}

/* A field of comma-separated values: in quotes, which are no part of it, it may hold all. */
static bool next_csv(struct splitter *x, size_t *from, size_t *n)
{
    const char *p = x->s.p;
    size_t i = x->at, end = x->s.n;
    x->doubled = false;
    if (x->ended || (end == 0 && !x->done))
        return false;
    bool quoted = i < end && p[i] == '"';
    *from = i + quoted;
    if (quoted) {
        for (i++; i < end && (p[i] != '"' || (i + 1 < end && p[i + 1] == '"')); i++)
            if (p[i] == '"') {
                x->doubled = true;
                i++;
            }
        *n = i - *from;
    }
    const char *comma = i < end ? find_near(p + i, ',', end - i) : NULL;
    size_t stop = comma ? (size_t)(comma - p) : end;
    if (!quoted)
        *n = stop - *from;
    x->sep = stop;
    x->sep_n = comma != NULL;
    x->ended = !comma;
    x->at = stop + x->sep_n;
    return true;
}

/* What stands in such a field. */
static struct awk_str *csv_text(struct awk *a, struct wk_str s)
{
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(a->c->heap), SIZE_MAX / 2);
    for (size_t i = 0; i < s.n; i++) {
        wk_buf_putc(&b, s.p[i]);
        i += s.p[i] == '"' && i + 1 < s.n && s.p[i + 1] == '"';
    }
    return wk_awk_str_take(a, &b);
}

static bool next_field(struct splitter *x, size_t *from, size_t *n)
{
    bool any;
    switch (x->how) {
    case AWK_SPLIT_BLANKS:
        any = next_word(x, from, n);
        break;
    case AWK_SPLIT_CHAR:
        any = next_between(x, from, n);
        break;
    case AWK_SPLIT_RE:
        any = next_by_regex(x, from, n);
        break;
    case AWK_SPLIT_EACH:
        any = next_char(x, from, n);
        break;
    case AWK_SPLIT_WIDTHS:
        any = next_wide(x, from, n);
        break;
    case AWK_SPLIT_CSV:
        any = next_csv(x, from, n);
        break;
    default:
        any = next_match(x, from, n);
    }
    x->done += any;
    return any;
}

/* ---- the record ---- */

static void drop_fields(struct awk *a)
{
    struct awk_record *r = &a->rec;
    for (size_t i = 1; i <= r->made; i++) {
        if (r->field[i].made)
            awk_drop(a, &r->field[i].v);
        r->field[i].made = false;
    }
    r->nf = r->made = 0;
}

void wk_awk_set_record(struct awk *a, struct awk_str *text)
{
    struct awk_record *r = &a->rec;
    drop_fields(a);
    awk_drop(a, &r->value);
    r->text = text;
    r->value = awk_input(text);
    r->stale = r->counted = r->ended = false;
    r->at = 0;
}

static void room_for(struct awk *a, size_t n)
{
    struct awk_record *r = &a->rec;
    if (n < r->cap)
        return;
    if (n > MOST_FIELDS)
        wk_awk_fatal(a, "NF set to more than %d fields", MOST_FIELDS);
    size_t cap = WK_MAX(n + 1, r->cap * 2 + 16);
    r->field = (struct awk_field *)wk_heap_realloc(a->c->heap, r->field, cap * sizeof *r->field);
    memset(r->field + r->cap, 0, (cap - r->cap) * sizeof *r->field);
    r->cap = cap;
}

/* Finds fields until there are n, or no more. */
static void find_fields(struct awk *a, size_t n)
{
    struct awk_record *r = &a->rec;
    struct splitter x = {.a = a,
                         .how = a->split,
                         .ch = a->split_char,
                         .re = a->split_re,
                         .s = awk_slice(r->text),
                         .at = r->at,
                         .done = r->nf,
                         .ended = r->ended,
                         .paragraph = a->rs == AWK_RS_PARAGRAPH && a->split == AWK_SPLIT_CHAR};
    size_t from = 0, len = 0;
    while (r->nf < n) {
        if (!next_field(&x, &from, &len)) {
            r->counted = true;
            break;
        }
        if (r->nf + 2 > r->cap)
            room_for(a, r->nf + 2);
        r->nf++;
        r->field[r->nf].at = from;
        r->field[r->nf].n = len;
        if (WK_UNLIKELY(x.doubled)) {
            r->field[r->nf].v = awk_input(csv_text(a, wk_str(x.s.p + from, len)));
            r->field[r->nf].made = true;
            r->made = r->nf;
        }
    }
    r->at = x.at;
    r->ended = x.ended;
    wk_tick(a->c, (uint32_t)(r->nf / 8) + 1);
}

size_t wk_awk_count_fields(struct awk *a)
{
    if (!a->rec.counted)
        find_fields(a, SIZE_MAX);
    return a->rec.nf;
}

static struct wk_str field_text(struct awk *a, struct awk_field *f)
{
    return f->made ? awk_slice(awk_to_str(a, &f->v)) : wk_str(a->rec.text->p + f->at, f->n);
}

/* $0 from the fields. Those that are no values yet lie in the new text from now on. */
static void join_fields(struct awk *a)
{
    struct awk_record *r = &a->rec;
    size_t n = 0;
    for (size_t i = 1; i <= r->nf; i++) {
        size_t more = field_text(a, &r->field[i]).n + a->ofs.n;
        if (more > SIZE_MAX / 4 - n)
            wk_heap_exhausted(a->c->heap);
        n += more;
    }
    if (r->nf)
        n -= a->ofs.n;
    struct awk_str *s = wk_awk_str_new(a, n);
    char *start = awk_str_bytes(s), *p = start;
    for (size_t i = 1; i <= r->nf; i++) {
        struct wk_str part = field_text(a, &r->field[i]);
        if (i > 1) {
            memcpy(p, a->ofs.p, a->ofs.n);
            p += a->ofs.n;
        }
        memcpy(p, part.p, part.n);
        if (!r->field[i].made)
            r->field[i].at = (size_t)(p - start);
        p += part.n;
    }
    awk_drop(a, &r->value);
    r->text = s;
    r->value = awk_string(s); /* also where it looks like a number */
    r->stale = false;
    wk_tick(a->c, (uint32_t)(n / 64) + 1);
}

/* The value of a field that there is not, or was not until one behind it was set. */
static struct awk_val no_field(struct awk *a)
{
    return (struct awk_val){.type = AWK_STR, .has_str = true, .scalar = true, .str = awk_str_ref(a->empty)};
}

struct awk_val *wk_awk_field_at(struct awk *a, size_t i)
{
    struct awk_record *r = &a->rec;
    if (i == 0) {
        if (r->stale)
            join_fields(a);
        return &r->value;
    }
    if (i > r->nf && !r->counted)
        find_fields(a, i);
    if (i > r->nf)
        return NULL;
    struct awk_field *f = &r->field[i];
    if (!f->made) {
        f->v = awk_input(wk_awk_str_part(a, r->text, f->at, f->n));
        f->made = true;
        r->made = WK_MAX(r->made, i);
    }
    return &f->v;
}

struct awk_val wk_awk_field_value(struct awk *a, size_t i)
{
    struct awk_val *v = wk_awk_field_at(a, i);
    if (v)
        return awk_copy(v);
    return no_field(a);
}

/* A field that is no value yet: where it lies. */
static struct awk_field *raw_field(struct awk *a, size_t i)
{
    struct awk_record *r = &a->rec;
    if (i == 0)
        return NULL;
    if (i > r->nf && !r->counted)
        find_fields(a, i);
    return i <= r->nf && !r->field[i].made ? &r->field[i] : NULL;
}

struct wk_str wk_awk_field_text(struct awk *a, size_t i)
{
    if (i == 0 && !a->rec.stale)
        return awk_slice(a->rec.text);
    struct awk_field *f = raw_field(a, i);
    if (f)
        return wk_str(a->rec.text->p + f->at, f->n);
    struct awk_val *v = wk_awk_field_at(a, i);
    return v ? awk_slice(awk_to_str(a, v)) : awk_slice(a->empty);
}

double wk_awk_field_number(struct awk *a, size_t i)
{
    struct awk_field *f = raw_field(a, i);
    if (f)
        return awk_scan_as(a, wk_str(a->rec.text->p + f->at, f->n), NULL);
    struct awk_val *v = wk_awk_field_at(a, i);
    return v ? awk_to_num(a, v) : 0;
}

bool wk_awk_field_is_number(struct awk *a, size_t i, double *d)
{
    struct awk_field *f = raw_field(a, i);
    bool whole;
    if (f) {
        *d = awk_scan_as(a, wk_str(a->rec.text->p + f->at, f->n), &whole);
        return whole;
    }
    struct awk_val *v = wk_awk_field_at(a, i);
    if (!v)
        return false;
    *d = awk_to_num(a, v);
    return v->type != AWK_STR;
}

struct awk_val *wk_awk_field_element(struct awk *a, struct awk_array *t, size_t i, bool create)
{
    struct awk_field *f = raw_field(a, i);
    if (f)
        return wk_awk_array_at_text(a, t, wk_str(a->rec.text->p + f->at, f->n), create);
    struct awk_val v = wk_awk_field_value(a, i), *e = wk_awk_array_at(a, t, &v, create);
    awk_drop(a, &v);
    return e;
}

void wk_awk_set_nf(struct awk *a, double nf)
{
    struct awk_record *r = &a->rec;
    if (!(nf >= 0))
        wk_awk_fatal(a, "NF set to negative value");
    size_t n = nf > MOST_FIELDS ? MOST_FIELDS + 1 : (size_t)nf;
    (void)wk_awk_count_fields(a);
    room_for(a, n + 1);
    for (size_t i = n + 1; i <= r->nf; i++) {
        if (r->field[i].made)
            awk_drop(a, &r->field[i].v);
        r->field[i].made = false;
    }
    for (size_t i = r->nf + 1; i <= n; i++)
        r->field[i] = (struct awk_field){.made = true, .v = no_field(a)};
    r->nf = n;
    r->made = n;
    r->stale = true;
    wk_tick(a->c, (uint32_t)(n / 8) + 1);
}

void wk_awk_touch_field(struct awk *a, size_t i)
{
    struct awk_record *r = &a->rec;
    if (i <= wk_awk_count_fields(a))
        return;
    room_for(a, i + 1);
    for (size_t k = r->nf + 1; k <= i; k++)
        r->field[k] = (struct awk_field){.made = true, .v = no_field(a)};
    r->nf = r->made = i;
}

void wk_awk_set_field(struct awk *a, size_t i, struct awk_val v)
{
    struct awk_record *r = &a->rec;
    if (v.has_str)
        (void)awk_slice(v.str);
    if (i == 0) {
        wk_awk_set_record(a, awk_str_ref(awk_to_str(a, &v)));
        awk_drop(a, &r->value); /* it is what was assigned; only its fields are input */
        r->value = v;
        r->value.scalar = r->value.scalar || v.type == AWK_UNSET;
        return;
    }
    (void)wk_awk_count_fields(a);
    if (i > r->nf)
        wk_awk_set_nf(a, (double)i);
    if (r->field[i].made)
        awk_drop(a, &r->field[i].v);
    r->field[i].v = v;
    r->field[i].made = true;
    r->made = WK_MAX(r->made, i);
    r->stale = true;
}

/* ---- split() ---- */

static size_t split_by(struct splitter *x, struct awk_str *s, struct awk_array *t,
                       struct awk_array *seps)
{
    size_t from = 0, n = 0;
    struct awk *a = x->a;
    if (seps && x->how == AWK_SPLIT_BLANKS) {
        size_t blanks = 0;
        while (blanks < s->n && is_separator(s->p[blanks]))
            blanks++;
        if (blanks)
            wk_awk_array_set_at(a, seps, 0, awk_string(wk_awk_str_of(a, s->p, blanks)));
    }
    if (seps && x->how == AWK_SPLIT_PATTERN)
        x->sep = 0;
    t->texts_only = false;
    while (next_field(x, &from, &n)) {
        struct awk_val part = awk_input(x->doubled ? csv_text(a, wk_str(s->p + from, n))
                                                   : wk_awk_str_of(a, s->p + from, n));
        if (x->done < t->dense_cap && t->dense[x->done].type == AWK_ABSENT) {
            t->dense[x->done] = part;
            t->dense_n++;
            t->n++;
        } else {
            wk_awk_array_set_at(a, t, (int64_t)x->done, part);
        }
        if (seps && x->sep_n && (x->how != AWK_SPLIT_BLANKS || x->sep + x->sep_n <= s->n))
            wk_awk_array_set_at(a, seps, (int64_t)x->done,
                                awk_string(wk_awk_str_of(a, s->p + x->sep, x->sep_n)));
        wk_tick(a->c, 4);
    }
    return x->done;
}

size_t wk_awk_split(struct awk *a, struct awk_str *s, struct awk_array *t, struct awk_val *sep,
                    struct awk_re *re, struct awk_array *seps)
{
    struct splitter x = {.a = a, .how = a->split, .ch = a->split_char, .re = a->split_re};
    struct awk_str *held = awk_str_ref(s); /* it may be an element of t */
    if (re) {
        x.how = re->text->n ? AWK_SPLIT_RE : AWK_SPLIT_EACH;
        x.re = re;
    } else if (sep) {
        struct wk_str text = awk_slice(awk_to_str(a, sep));
        x.how = way_of(a, text, &x.ch);
        if (x.how == AWK_SPLIT_RE)
            x.re = wk_awk_regex(a, text);
    }
    x.s = awk_slice(s);
    wk_awk_check_cleared(a, t, "split");
    wk_awk_array_clear(a, t);
    if (seps)
        wk_awk_array_clear(a, seps);
    size_t n = split_by(&x, s, t, seps);
    awk_str_unref(a, held);
    return n;
}

size_t wk_awk_patsplit(struct awk *a, struct awk_str *s, struct awk_array *t, struct awk_re *re,
                       struct awk_array *seps)
{
    struct splitter x = {.a = a, .how = AWK_SPLIT_PATTERN, .re = re, .s = awk_slice(s)};
    struct awk_str *held = awk_str_ref(s);
    size_t from = 0, n = 0, before = 0;
    wk_awk_check_cleared(a, t, "patsplit");
    wk_awk_array_clear(a, t);
    if (seps)
        wk_awk_array_clear(a, seps);
    while (next_field(&x, &from, &n)) {
        wk_awk_array_set_at(a, t, (int64_t)x.done, awk_input(wk_awk_str_of(a, s->p + from, n)));
        if (seps)
            wk_awk_array_set_at(a, seps, (int64_t)x.done - 1,
                                awk_string(wk_awk_str_of(a, s->p + before, from - before)));
        before = from + n;
        wk_tick(a->c, 4);
    }
    if (seps && (x.done || s->n))
        wk_awk_array_set_at(a, seps, (int64_t)x.done,
                            awk_string(wk_awk_str_of(a, s->p + before, s->n - before)));
    awk_str_unref(a, held);
    return x.done;
}

/* ---- RS ---- */

void wk_awk_rs_changed(struct awk *a)
{
    struct wk_str rs = awk_slice(awk_to_str(a, &a->globals[AWK_RS]));
    if (a->csv) {
        a->rs = AWK_RS_CSV;
    } else if (rs.n == 0) {
        a->rs = AWK_RS_PARAGRAPH;
    } else if (a->old || rs.n == 1) {
        a->rs = rs.p[0] == '\n' ? AWK_RS_LINE : AWK_RS_CHAR;
        a->rs_char = rs.p[0];
    } else {
        a->rs = AWK_RS_RE;
        use_regex(a, &a->rs_re, rs);
    }
}
