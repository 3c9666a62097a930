/* awk_value.c - awk's strings, numbers and their conversions */
#include "builtins/awk_cells.h"

#include "base/fnum.h"
#include "base/utf8.h"

#include <math.h>

/* Strings of a few steps of room are kept when they are freed; the room of others is said to be
 * odd. */
enum { ROOM_STEP = 32, SHORT_PART = 16 };

/* ---- strings ---- */

struct awk_str *wk_awk_str_new(struct awk *a, size_t n)
{
    size_t step = n / ROOM_STEP;
    struct awk_str *s;
    if (step < WK_COUNTOF(a->spare)) {
        s = a->spare[step];
        if (s)
            a->spare[step] = s->of;
        else
            s = (struct awk_str *)wk_heap_alloc(a->c->heap, sizeof *s + (step + 1) * ROOM_STEP);
        s->cap = (step + 1) * ROOM_STEP;
    } else {
        if (n > SIZE_MAX / 2)
            wk_heap_exhausted(a->c->heap);
        s = (struct awk_str *)wk_heap_alloc(a->c->heap, sizeof *s + n + 1);
        s->cap = n | 1;
    }
    s->refs = 1;
    s->chars = 0;
    s->n = n;
    s->p = awk_str_bytes(s);
    s->of = NULL;
    return s;
}

struct awk_str *wk_awk_str_of(struct awk *a, const char *p, size_t n)
{
    if (n == 0)
        return awk_str_ref(a->empty);
    if (n == 1)
        return awk_str_ref(a->small[(unsigned char)*p]);
    struct awk_str *s = wk_awk_str_new(a, n);
    memcpy(awk_str_bytes(s), p, n);
    return s;
}

struct awk_str *wk_awk_str_part(struct awk *a, struct awk_str *s, size_t at, size_t n)
{
    if (n <= SHORT_PART)
        return wk_awk_str_of(a, s->p + at, n);
    if (n == s->n)
        return awk_str_ref(s);
    struct awk_str *part = a->spare[0];
    if (part)
        a->spare[0] = part->of;
    else
        part = (struct awk_str *)wk_heap_alloc(a->c->heap, sizeof *part + ROOM_STEP);
    *part =
        (struct awk_str){.refs = 1, .n = n, .p = s->p + at, .of = awk_str_ref(s->of ? s->of : s)};
    return part;
}

struct awk_str *wk_awk_str_take(struct awk *a, struct wk_buf *b)
{
    struct awk_str *s = NULL;
    struct wk_str made = wk_buf_str(b);
    if (!b->failed) {
        if (made.n > 1)
            s = (struct awk_str *)wk_heap_try(a->c->heap, sizeof *s + made.n + 1);
        else
            s = wk_awk_str_of(a, made.p, made.n);
    }
    if (s && made.n > 1) {
        *s = (struct awk_str){.refs = 1, .n = made.n, .cap = made.n | 1, .p = awk_str_bytes(s)};
        memcpy(awk_str_bytes(s), made.p, made.n);
    }
    wk_buf_release(b);
    if (!s)
        wk_heap_exhausted(a->c->heap);
    return s;
}

void wk_awk_str_free(struct awk *a, struct awk_str *s)
{
    size_t step = s->cap ? s->cap / ROOM_STEP - 1 : 0;
    if (!s->cap)
        awk_str_unref(a, s->of);
    else if (s->cap % ROOM_STEP || step >= WK_COUNTOF(a->spare)) {
        wk_heap_free(a->c->heap, s);
        return;
    }
    s->of = a->spare[step];
    a->spare[step] = s;
}

/* ---- numbers in texts ---- */

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r' || ch == '\f' || ch == '\v';
}

/* "+inf", "-nan": with a sign only. */
static size_t scan_special(struct wk_str s, double *v)
{
    static const char *const words[] = {"inf", "nan"};
    if (s.n < 4 || (s.p[0] != '+' && s.p[0] != '-'))
        return 0;
    for (size_t i = 0; i < WK_COUNTOF(words); i++) {
        size_t k = 0;
        while (k < 3 && wk_to_lower(s.p[k + 1]) == words[i][k])
            k++;
        if (k == 3 && (s.n == 4 || is_blank(s.p[4]))) {
            *v = copysign(i ? (double)NAN : (double)INFINITY, s.p[0] == '-' ? -1.0 : 1.0);
            return 4;
        }
    }
    return 0;
}

/* At most 15 digits and a small exponent of ten: exact in a double; 0: leave it to the general
 * reader. */
static size_t scan_short(struct wk_str s, double *v)
{
    static const double tens[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+'), digits = 0, fraction = 0;
    uint64_t m = 0;
    for (; i < s.n && wk_is_digit(s.p[i]); i++, digits++)
        m = m * 10 + (uint64_t)(s.p[i] - '0');
    if (i < s.n && s.p[i] == '.') {
        for (i++; i < s.n && wk_is_digit(s.p[i]); i++, digits++, fraction++)
            m = m * 10 + (uint64_t)(s.p[i] - '0');
    }
    if (!digits || digits > 15 || (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')))
        return 0;
    double d = (double)m;
    if (fraction)
        d /= tens[fraction];
    *v = s.p[0] == '-' ? -d : d;
    return i;
}

/* As strtod reads it. */
double wk_awk_scan_posix(struct wk_str s, bool *whole)
{
    double v = 0;
    int err;
    while (s.n && is_blank(s.p[0]))
        s = wk_str_from(s, 1);
    size_t used = wk_scan_double(s, &v, &err), end = used;
    while (end < s.n && is_blank(s.p[end]))
        end++;
    if (whole)
        *whole = used && end == s.n;
    return v;
}

double wk_awk_scan(struct wk_str s, bool *whole)
{
    double v = 0;
    int err;
    while (s.n && is_blank(s.p[0]))
        s = wk_str_from(s, 1);
    size_t used = scan_short(s, &v);
    if (!used && s.n) {
        size_t sign = s.p[0] == '-' || s.p[0] == '+';
        bool digit = s.n > sign && (wk_is_digit(s.p[sign]) || s.p[sign] == '.');
        bool hex = s.n > sign + 1 && s.p[sign] == '0' && (s.p[sign + 1] | 32) == 'x';
        if (hex)
            used = sign + 1;
        else
            used = digit ? wk_scan_double(s, &v, &err) : scan_special(s, &v);
    }
    if (whole) {
        size_t end = used;
        while (end < s.n && is_blank(s.p[end]))
            end++;
        *whole = used && end == s.n;
    }
    return v;
}

double wk_awk_scan_any(struct wk_str s, bool *whole)
{
    struct wk_str t = s;
    double value = 0;
    while (t.n && is_blank(t.p[0]))
        t = wk_str_from(t, 1);
    bool minus = t.n && t.p[0] == '-';
    if (minus || (t.n && t.p[0] == '+'))
        t = wk_str_from(t, 1);
    if (t.n < 2 || t.p[0] != '0')
        return wk_awk_scan(s, whole);
    bool hex = (t.p[1] | 32) == 'x';
    size_t i = hex ? 2 : 1, from = i;
    for (; i < t.n && (hex ? wk_is_xdigit(t.p[i]) : t.p[i] >= '0' && t.p[i] <= '7'); i++)
        value = value * (hex ? 16 : 8) +
                (wk_is_digit(t.p[i]) ? t.p[i] - '0' : (t.p[i] | 32) - 'a' + 10);
    if (!hex && i < t.n && (wk_is_digit(t.p[i]) || t.p[i] == '.' || (t.p[i] | 32) == 'e'))
        return wk_awk_scan(s, whole);
    bool any = i > from || !hex;
    while (i < t.n && is_blank(t.p[i]))
        i++;
    if (whole)
        *whole = any && i == t.n;
    return minus ? -value : value;
}

/* ---- conversions ---- */

void wk_awk_settle(struct awk *a, struct awk_val *v)
{
    bool whole;
    double d = awk_scan_as(a, awk_slice(v->str), &whole);
    v->type = whole ? AWK_NUM : AWK_STR;
    v->strnum = whole;
    v->num = d;
}

double wk_awk_to_num_slow(struct awk *a, struct awk_val *v)
{
    switch (v->type) {
    case AWK_INPUT:
        wk_awk_settle(a, v);
        return v->num;
    case AWK_STR:
        return awk_scan_as(a, wk_str(v->str->p, v->str->n), NULL);
    case AWK_ARRAY:
        wk_awk_array_as_scalar(a, v);
    case AWK_REF:
        (void)wk_awk_unset_value(a, v);
        return 0;
    case AWK_UNSET:
        v->scalar = true;
        return 0;
    default:
        return v->num;
    }
}

struct awk_str *wk_awk_num_str(struct awk *a, double v, struct wk_str format)
{
    char t[32];
    if (v == 0)
        return awk_str_ref(a->small['0']);
    if (v > -1e15 && v < 1e15 && v == (double)(int64_t)v) {
        int64_t i = (int64_t)v;
        uint64_t u = i < 0 ? -(uint64_t)i : (uint64_t)i;
        size_t at = sizeof t;
        for (; u; u /= 10)
            t[--at] = (char)('0' + u % 10);
        if (i < 0)
            t[--at] = '-';
        return wk_awk_str_of(a, t + at, sizeof t - at);
    }
    if (isnan(v))
        return wk_awk_str_of(a, signbit(v) ? "-nan" : "+nan", 4);
    if (isinf(v))
        return wk_awk_str_of(a, v < 0 ? "-inf" : "+inf", 4);
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(a->c->heap), SIZE_MAX / 2);
    if (v == trunc(v)) {
        wk_buf_put_double(&b, v, &(struct wk_fnum){.conv = 'f'});
    } else if (wk_str_is(format, "%.6g")) {
        wk_buf_put_double(&b, v, &(struct wk_fnum){.conv = 'g', .precision = 6});
    } else {
        struct awk_val args[2] = {awk_string(wk_awk_str_of(a, format.p, format.n)), awk_num(v)};
        struct awk_str *s = wk_awk_format(a, args, 2);
        awk_drop(a, &args[0]);
        return s;
    }
    return wk_awk_str_take(a, &b);
}

struct awk_str *wk_awk_key_str(struct awk *a, int64_t number)
{
    struct awk_str *s = wk_awk_num_str(a, (double)number, wk_str("", 0));
    if (s->refs > 1) { /* one of those that all share */
        struct awk_str *own = wk_awk_str_new(a, s->n);
        memcpy(awk_str_bytes(own), s->p, s->n);
        awk_str_unref(a, s);
        s = own;
    }
    s->chars = AWK_FRESH_KEY;
    return s;
}

struct awk_str *wk_awk_to_str_slow(struct awk *a, struct awk_val *v, struct wk_str format)
{
    if (v->has_str)
        return v->str;
    if (v->type == AWK_ARRAY)
        wk_awk_array_as_scalar(a, v);
    if (v->type == AWK_NUM) {
        v->str = wk_awk_num_str(a, v->num, format);
        v->has_str = true;
        return v->str;
    }
    *v = (struct awk_val){.type = AWK_UNSET, .has_str = true, .str = awk_str_ref(a->empty)};
    return v->str;
}

bool wk_awk_is_true(struct awk *a, struct awk_val *v)
{
    if (v->type == AWK_INPUT)
        wk_awk_settle(a, v);
    if (v->type == AWK_STR)
        return awk_slice(v->str).n > 0;
    if (v->type == AWK_ARRAY)
        wk_awk_array_as_scalar(a, v);
    v->scalar = v->scalar || v->type == AWK_UNSET;
    return v->type == AWK_NUM && v->num != 0;
}

static int compare_texts(struct awk *a, struct wk_str x, struct wk_str y)
{
    wk_tick(a->c, (uint32_t)(WK_MIN(x.n, y.n) / 64));
    if (!a->icase) {
        int r = wk_str_cmp(x, y);
        return (r > 0) - (r < 0);
    }
    while (x.n && y.n) {
        uint32_t p = (unsigned char)x.p[0], q = (unsigned char)y.p[0];
        size_t i = a->utf8 ? wk_utf8_next(x.p, x.n, &p) : 1, k = a->utf8 ? wk_utf8_next(y.p, y.n, &q) : 1;
        p = awk_fold(a, p);
        q = awk_fold(a, q);
        if (p != q && !a->utf8)
            return (signed char)p < (signed char)q ? -1 : 1; /* as gawk's table has them */
        if (p != q)
            return p < q ? -1 : 1;
        x = wk_str_from(x, i);
        y = wk_str_from(y, k);
    }
    return (x.n > 0) - (y.n > 0);
}

static bool is_fresh(const struct awk_val *v)
{
    return v->type == AWK_STR && v->str->chars == AWK_FRESH_KEY;
}

static int compare_numbers(double x, double y)
{
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
}

/* Numbers that are infinite, or none, have an empty one: so it is in gawk. */
static struct wk_str compared_text(struct awk *a, struct awk_val *v)
{
    if (v->type == AWK_NUM && !v->strnum && !isfinite(v->num))
        return wk_str("", 0);
    return awk_slice(awk_to_str(a, v));
}

int wk_awk_compare(struct awk *a, struct awk_val *x, struct awk_val *y)
{
    if (WK_UNLIKELY(is_fresh(x) || is_fresh(y))) {
        bool numbers = (x->type == AWK_NUM || is_fresh(x)) && (y->type == AWK_NUM || is_fresh(y));
        (void)awk_slice(is_fresh(x) ? x->str : y->str);
        if (is_fresh(y))
            (void)awk_slice(y->str);
        if (numbers)
            return compare_numbers(awk_to_num(a, x), awk_to_num(a, y));
    }
    if (x->type == AWK_INPUT)
        wk_awk_settle(a, x);
    if (y->type == AWK_INPUT)
        wk_awk_settle(a, y);
    if (x->type != AWK_STR && y->type != AWK_STR) {
        if (x->type == AWK_ARRAY || y->type == AWK_ARRAY)
            wk_awk_array_as_scalar(a, x->type == AWK_ARRAY ? x : y);
        return compare_numbers(x->num, y->num);
    }
    return compare_texts(a, compared_text(a, x), compared_text(a, y));
}

void wk_awk_drop_slow(struct awk *a, struct awk_val *v)
{
    if (v->type == AWK_ARRAY) {
        wk_awk_array_unref(a, v->array);
    } else if (v->type == AWK_ITER) {
        for (size_t i = v->iter->at; i < v->iter->n; i++)
            if (v->iter->keys[i].text)
                awk_str_unref(a, v->iter->keys[i].text);
        wk_heap_free(a->c->heap, v->iter->keys);
        wk_heap_free(a->c->heap, v->iter);
    }
}
