/* jq_number.c - jq's numbers: read from text, printed, compared
 *
 * A number that was written keeps its digits: where a double would be printed otherwise than the
 * number's canonical decimal form, it is a literal, which holds that form. Computing takes the double.
 * The canonical form has all digits that were given: without an exponent when the last digit is no
 * whole place to the left of the point and at most six zeros follow it (1E+2, 0.000001, 1E-7).
 */
#include "builtins/jq_priv.h"

#include "base/fnum.h"
#include "base/num.h"

#include <float.h>
#include <math.h>

/* ---- reading ---- */

enum {
    EXPONENT_MAX = 999999999,   /* of the first digit; more is infinite */
    EXPONENT_MIN = -1147483646, /* of the last digit; numbers below it are zero */
    DOUBLE_DIGITS = 17          /* what a double is made of */
};

/* The parts of [-]digits[.digits][e[+-]digits]. */
struct decimal {
    bool negative;
    const char *p, *end; /* digits from the first that is not 0 (or the last 0) on, with the point */
    size_t digits;       /* how many */
    int64_t exponent;    /* of the last one */
};

static int64_t read_exponent(struct wk_str s)
{
    bool negative = s.n && s.p[0] == '-';
    int64_t e = 0;
    for (size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+'); i < s.n; i++)
        if (e < (int64_t)1 << 40)
            e = e * 10 + (s.p[i] - '0');
    return negative ? -e : e;
}

static void read_decimal(struct wk_str s, struct decimal *d)
{
    size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+'), point = 0;
    bool in_fraction = false;
    *d = (struct decimal){.negative = s.n && s.p[0] == '-', .p = s.p + i};
    for (; i < s.n && (s.p[i] == '.' || wk_is_digit((unsigned char)s.p[i])); i++) {
        if (s.p[i] == '.') {
            in_fraction = true;
            continue;
        }
        point += in_fraction;
        if (d->digits == 1 && *d->p == '0') {
            d->digits = 0;
        }
        if (d->digits++ == 0)
            d->p = s.p + i;
    }
    d->end = s.p + i;
    d->exponent = -(int64_t)point;
    if (i < s.n)
        d->exponent += read_exponent(wk_str_from(s, i + 1));
}

/* The double of a long decimal: of its first 17 digits, the last one rounded (half up). */
static double to_double(const struct decimal *d)
{
    char text[DOUBLE_DIGITS + WK_NUM_MAX + 4];
    size_t n = 0, taken = 0;
    bool up = false;
    text[n++] = d->negative ? '-' : '0';
    for (const char *p = d->p; p < d->end; p++) {
        if (*p == '.')
            continue;
        if (taken == DOUBLE_DIGITS) {
            up = *p >= '5';
            break;
        }
        text[n++] = *p;
        taken++;
    }
    int64_t exponent = d->exponent + (int64_t)(d->digits - taken);
    size_t i = n;
    while (up && i > 1) {
        up = text[--i] == '9';
        text[i] = up ? '0' : (char)(text[i] + 1);
    }
    if (up) { /* all nines */
        text[1] = '1';
        exponent += (int64_t)taken;
        n = 2;
    }
    text[n++] = 'e';
    n += wk_fmt_i64(text + n, exponent);
    double v;
    int err;
    (void)wk_scan_double(wk_str(text, n), &v, &err);
    return v;
}

static size_t put_digits(const struct decimal *d, size_t before_point, char *out)
{
    size_t n = 0, k = 0;
    for (const char *p = d->p; p < d->end; p++) {
        if (*p == '.')
            continue;
        if (k++ == before_point)
            out[n++] = '.';
        out[n++] = *p;
    }
    return n;
}

/* The canonical form; its length. out has room for the digits and 40 bytes more. */
static size_t put_canonical(const struct decimal *d, char *out)
{
    size_t n = 0;
    int64_t first = d->exponent + (int64_t)d->digits - 1; /* place of the first digit */
    if (d->negative)
        out[n++] = '-';
    if (d->exponent == 0)
        return n + put_digits(d, SIZE_MAX, out + n);
    if (d->exponent < 0 && first >= -6) {
        if (first >= 0)
            return n + put_digits(d, (size_t)first + 1, out + n);
        memcpy(out + n, "0.000000", 8);
        n += (size_t)(1 - first);
        return n + put_digits(d, SIZE_MAX, out + n);
    }
    n += put_digits(d, 1, out + n);
    out[n++] = 'E';
    out[n++] = first < 0 ? '-' : '+';
    return n + wk_fmt_u64(out + n, (uint64_t)(first < 0 ? -first : first), 10);
}

static bool is_zero(const struct decimal *d)
{
    return d->digits == 0 || *d->p == '0';
}

static struct jq_val make_literal(struct jq *q, struct wk_str text)
{
    struct decimal d;
    read_decimal(text, &d);
    if (is_zero(&d))
        d.exponent = WK_MIN(d.exponent, (int64_t)EXPONENT_MAX);
    else if (d.exponent + (int64_t)d.digits - 1 > EXPONENT_MAX)
        return jq_number(d.negative ? -(double)INFINITY : (double)INFINITY);
    if (d.exponent < EXPONENT_MIN) {
        d.p = "0";
        d.end = d.p + 1;
        d.digits = 1;
        d.exponent = EXPONENT_MIN;
    }
    if (d.digits > UINT32_MAX / 2)
        wk_heap_exhausted(q->c->heap);
    char few[128];
    size_t room = d.digits + 40, n = 0;
    bool small = room <= sizeof few;
    if (small)
        room = n = put_canonical(&d, few);
    struct jq_literal *l = jq_pool_alloc(&q->pool, sizeof *l + room);
    if (small)
        memcpy(l->text, few, n);
    else
        n = put_canonical(&d, l->text);
    l->refs = 1;
    l->n = (uint32_t)n;
    l->room = (uint32_t)room;
    l->num = to_double(&d);
    wk_tick(q->c, (uint32_t)(n / 64));
    return (struct jq_val){.kind = JQ_NUMBER, .is_literal = true, .is_text = true, .literal = l};
}

/* Whole numbers to 15 digits, and those with a point that end in no 0: a double gives back what was
 * written. False: look closer. */
static bool quick_number(struct wk_str s, double *out)
{
    static const double tens[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool negative = s.n && s.p[0] == '-';
    size_t i = negative, first = i;
    uint64_t v = 0;
    if (s.n - i > 16 || s.n == i)
        return false;
    for (; i < s.n && wk_is_digit((unsigned char)s.p[i]); i++)
        v = v * 10 + (uint64_t)(s.p[i] - '0');
    size_t whole = i - first;
    if (whole == 0 || (s.p[first] == '0' && whole > 1))
        return false;
    double d;
    if (i == s.n) {
        if (whole > 15)
            return false;
        d = (double)v;
    } else {
        if (s.p[i++] != '.')
            return false;
        size_t point = i;
        for (; i < s.n && wk_is_digit((unsigned char)s.p[i]); i++)
            v = v * 10 + (uint64_t)(s.p[i] - '0');
        size_t places = s.n - point;
        if (i != s.n || places == 0 || s.p[s.n - 1] == '0')
            return false;
        d = (double)v / tens[places];
        if (FLT_EVAL_METHOD != 0 || (s.p[first] == '0' && (double)v * 1e4 < tens[places]))
            return false; /* a double is printed with an exponent */
    }
    *out = negative ? -d : d;
    return true;
}

struct jq_val wk_jq_number_text(struct jq *q, struct wk_str text)
{
    struct jq_val v = {.kind = JQ_NUMBER, .is_text = true};
    return quick_number(text, &v.num) ? v : make_literal(q, text);
}

/* ---- printing ---- */

/* A double of at most 15 digits, the last of them within 8 places of the point: its digits as a whole
 * number, and how many are behind the point. A decimal that short is the only one that reads back. */
static bool quick_digits(double v, uint64_t *digits, unsigned *places)
{
    static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
    for (unsigned k = 0; k < WK_COUNTOF(tens); k++) {
        double scaled = v * tens[k];
        if (!(scaled < 1e15))
            return false;
        uint64_t near = (uint64_t)(scaled + 0.5);
        double back = (double)near / tens[k];
        if (!(back < v) && !(back > v)) {
            *digits = near;
            *places = k;
            return true;
        }
    }
    return false;
}

static void put_places(struct wk_buf *b, uint64_t digits, unsigned places)
{
    char text[WK_NUM_MAX + 12];
    size_t n = wk_fmt_u64(text, digits, 10);
    if (places == 0) {
        wk_buf_put(b, text, n);
        return;
    }
    if (n <= places) { /* 0.0… */
        char all[WK_NUM_MAX + 12] = "0.0000000000";
        memcpy(all + 2 + places - n, text, n);
        wk_buf_put(b, all, 2 + places);
        return;
    }
    memmove(text + n - places + 1, text + n - places, places);
    text[n - places] = '.';
    wk_buf_put(b, text, n + 1);
}

/* The digits of a positive double with a point or an exponent. */
static void put_double(struct wk_buf *b, double v)
{
    char digits[17], text[32 + WK_NUM_MAX];
    int exp10;
    size_t n = (size_t)wk_double_shortest(v, digits, &exp10), len = 0;
    if (exp10 <= -4 || exp10 > (int)n + 15) {
        int e = exp10 - 1;
        text[len++] = digits[0];
        if (n > 1) {
            text[len++] = '.';
            memcpy(text + len, digits + 1, n - 1);
            len += n - 1;
        }
        text[len++] = 'e';
        text[len++] = e < 0 ? '-' : '+';
        e = e < 0 ? -e : e;
        if (e < 10)
            text[len++] = '0';
        len += wk_fmt_u64(text + len, (uint64_t)e, 10);
    } else if (exp10 <= 0) {
        memcpy(text, "0.000", 5);
        len = 2 + (size_t)-exp10;
        memcpy(text + len, digits, n);
        len += n;
    } else {
        for (size_t i = 0; i < WK_MAX(n, (size_t)exp10); i++) {
            if (i == (size_t)exp10)
                text[len++] = '.';
            text[len++] = i < n ? digits[i] : '0';
        }
    }
    wk_buf_put(b, text, len);
}

void wk_jq_print_number(struct jq *q, struct jq_val v, struct wk_buf *b)
{
    (void)q;
    if (v.is_literal) {
        wk_buf_put(b, v.literal->text, v.literal->n);
        return;
    }
    double d = v.num;
    if (isnan(d)) {
        wk_buf_put_c(b, "null");
        return;
    }
    if (signbit(d)) {
        wk_buf_putc(b, '-');
        d = -d;
    }
    if (isinf(d))
        d = DBL_MAX;
    uint64_t digits;
    unsigned places;
    if (quick_digits(d, &digits, &places) && (places < 4 || d >= 1e-4))
        put_places(b, digits, places);
    else
        put_double(b, d);
}

/* ---- comparing ---- */

/* A number's decimal digits: a literal's, or those that a double was written with. */
static void decimal_of(struct jq_val v, char text[64], struct decimal *d)
{
    if (v.is_literal) {
        read_decimal(wk_str(v.literal->text, v.literal->n), d);
        return;
    }
    int exp10 = 0;
    double m = v.num < 0 ? -v.num : v.num;
    size_t n = 1;
    text[0] = '0';
    if (m > 0 && !isinf(m))
        n = (size_t)wk_double_shortest(m, text, &exp10);
    *d = (struct decimal){v.num < 0, text, text + n, n, exp10 - (int64_t)n};
}

static int compare_digits(const struct decimal *a, const struct decimal *b)
{
    int64_t x = a->exponent + (int64_t)a->digits, y = b->exponent + (int64_t)b->digits;
    if (x != y)
        return x < y ? -1 : 1;
    const char *p = a->p, *r = b->p;
    for (;;) {
        p += p < a->end && *p == '.';
        r += r < b->end && *r == '.';
        if (p == a->end && r == b->end)
            return 0;
        char c = p < a->end ? *p++ : '0', d = r < b->end ? *r++ : '0';
        if (c != d)
            return c < d ? -1 : 1;
    }
}

static int compare_decimals(struct jq_val a, struct jq_val b)
{
    char first[64], second[64];
    struct decimal x, y;
    decimal_of(a, first, &x);
    decimal_of(b, second, &y);
    int sign_x = is_zero(&x) ? 0 : x.negative ? -1 : 1, sign_y = is_zero(&y) ? 0 : y.negative ? -1 : 1;
    if (sign_x != sign_y)
        return sign_x < sign_y ? -1 : 1;
    return sign_x == 0 ? 0 : sign_x * compare_digits(&x, &y);
}

int wk_jq_compare_numbers(struct jq_val a, struct jq_val b)
{
    double x = jq_num(a), y = jq_num(b);
    if ((a.is_literal || b.is_literal) && a.is_text && b.is_text && !isinf(x) == !isinf(y))
        return compare_decimals(a, b);
    if (isnan(x))
        return -1;
    return isnan(y) || x > y ? 1 : x < y ? -1 : 0;
}
