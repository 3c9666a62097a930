/* fnum_format.c - printing floating numbers as printf does */
#include "base/fnum.h"

#include "base/err.h"
#include "base/fnum_digits.h"
#include "base/num.h"

/* What is printed, in order: pad, sign, zero padding, then the body by the caller. */
struct frame {
    char sign; /* 0 = none */
    bool upper;
    size_t pad_after;
};

static bool is_upper_conv(char c)
{
    return c < 'a';
}

static char sign_of(bool negative, unsigned flags)
{
    return negative ? '-' : flags & WK_FNUM_PLUS ? '+' : flags & WK_FNUM_SPACE ? ' ' : '\0';
}

/* Everything before a body of n bytes (with `prefix` between sign and zeros). */
static void open_frame(struct wk_buf *b, const struct wk_fnum *how, struct frame *fr,
                       const char *prefix, size_t n, bool zeros)
{
    size_t len = n + strlen(prefix) + (fr->sign != 0);
    size_t pad = how->width > len ? how->width - len : 0;
    bool minus = how->flags & WK_FNUM_MINUS;
    zeros = zeros && !minus && (how->flags & WK_FNUM_ZERO);
    fr->pad_after = minus ? pad : 0;
    if (!minus && !zeros)
        wk_buf_fill(b, ' ', pad);
    if (fr->sign)
        wk_buf_putc(b, fr->sign);
    wk_buf_put_c(b, prefix);
    if (zeros)
        wk_buf_fill(b, '0', pad);
}

static bool close_frame(struct wk_buf *b, const struct frame *fr)
{
    wk_buf_fill(b, ' ', fr->pad_after);
    return !b->failed;
}

static bool put_special(struct wk_buf *b, const struct wk_fnum *how, struct frame *fr, bool nan)
{
    const char *text = nan ? (fr->upper ? "NAN" : "nan") : fr->upper ? "INF" : "inf";
    open_frame(b, how, fr, "", 3, false);
    wk_buf_put(b, text, 3);
    return close_frame(b, fr);
}

/* Digits [from, from + n) of d, which are zeros outside of it. */
static void put_digits(struct wk_buf *b, const struct wk_digits *d, int64_t from, size_t n)
{
    if (from < 0) {
        size_t zeros = WK_MIN(n, (size_t)-from);
        wk_buf_fill(b, '0', zeros);
        n -= zeros;
        from = 0;
    }
    size_t have = (size_t)from < d->n ? WK_MIN(n, d->n - (size_t)from) : 0;
    if (have)
        wk_buf_put(b, d->d + from, have);
    wk_buf_fill(b, '0', n - have);
}

static bool put_fixed(struct wk_buf *b, const struct wk_fnum *how, struct frame *fr,
                      const struct wk_digits *d, size_t places)
{
    bool point = places || (how->flags & WK_FNUM_ALT);
    int64_t exp = d->n ? d->exp10 : 0;
    size_t whole = exp > 0 ? (size_t)exp : 1;
    open_frame(b, how, fr, "", whole + point + places, true);
    put_digits(b, d, exp - (int64_t)whole, whole);
    if (point)
        wk_buf_putc(b, '.');
    put_digits(b, d, exp, places);
    return close_frame(b, fr);
}

/* "e+05": at least two digits; "p-3": at least one. */
static size_t make_exponent(char out[WK_NUM_MAX + 2], char letter, int64_t exp, size_t least)
{
    size_t n = 2;
    out[0] = letter;
    out[1] = exp < 0 ? '-' : '+';
    uint64_t v = exp < 0 ? 0 - (uint64_t)exp : (uint64_t)exp;
    if (v < 10 && least == 2)
        out[n++] = '0';
    return n + wk_fmt_u64(out + n, v, 10);
}

static bool put_scientific(struct wk_buf *b, const struct wk_fnum *how, struct frame *fr,
                           const struct wk_digits *d, size_t places)
{
    char exponent[WK_NUM_MAX + 3];
    bool point = places || (how->flags & WK_FNUM_ALT);
    size_t n = make_exponent(exponent, fr->upper ? 'E' : 'e', d->n ? d->exp10 - 1 : 0, 2);
    open_frame(b, how, fr, "", 1 + point + places + n, true);
    put_digits(b, d, 0, 1);
    if (point)
        wk_buf_putc(b, '.');
    put_digits(b, d, 1, places);
    wk_buf_put(b, exponent, n);
    return close_frame(b, fr);
}

static bool put_general(struct wk_buf *b, const struct wk_fnum *how, struct frame *fr,
                        struct wk_digits *d, size_t significant)
{
    int64_t exp = d->n ? d->exp10 - 1 : 0;
    size_t shown = significant;
    if (!(how->flags & WK_FNUM_ALT)) {
        size_t last = d->n;
        while (last > 0 && d->d[last - 1] == '0')
            last--;
        shown = last ? last : 1;
    }
    if (exp < -4 || exp >= (int64_t)significant)
        return put_scientific(b, how, fr, d, shown - 1);
    int64_t places = (int64_t)shown - 1 - exp;
    return put_fixed(b, how, fr, d, places > 0 ? (size_t)places : 0);
}

static bool put_decimal(struct wk_buf *b, const struct wk_fnum *how, struct frame *fr,
                        const struct wk_float_parts *f, char conv)
{
    size_t precision = how->precision < 0 ? 6 : (size_t)how->precision;
    struct wk_digits d;
    bool ok;
    /* No number has more than 17,000 digits; what is asked for beyond is filled with zeros. */
    size_t looked_at = WK_MIN(precision, (size_t)20000);
    if (conv == 'g' && precision == 0)
        precision = looked_at = 1;
    if (conv == 'f')
        ok = wk_digits_make(&d, b->mem, f, 0, looked_at + 1);
    else
        ok = wk_digits_make(&d, b->mem, f, looked_at + 2, 0);
    if (!ok) {
        b->failed = true;
        return false;
    }
    if (conv == 'f') {
        wk_digits_round(&d, d.exp10 + (int64_t)precision);
        ok = put_fixed(b, how, fr, &d, precision);
    } else if (conv == 'e') {
        wk_digits_round(&d, (int64_t)precision + 1);
        ok = put_scientific(b, how, fr, &d, precision);
    } else {
        wk_digits_round(&d, (int64_t)precision);
        ok = put_general(b, how, fr, &d, precision);
    }
    wk_digits_release(&d);
    return ok;
}

/* %a. The digit before the point holds `lead` bits, as glibc has it: one for double, four for
 * x87's 64-bit mantissa, one for the quadruple format. */
static bool put_hex(struct wk_buf *b, const struct wk_fnum *how, struct frame *fr,
                    const struct wk_float_parts *f)
{
    int lead = f->mant_bits % 4 == 0 ? 4 : 1;
    int places = (f->mant_bits - lead) / 4;
    wk_u128 m = f->mant;
    int64_t exp = m ? f->exp + 4 * places : 0;
    size_t precision = how->precision < 0 ? (size_t)places : (size_t)how->precision;
    if (precision < (size_t)places) {
        int drop = (places - (int)precision) * 4;
        wk_u128 half = (wk_u128)1 << (drop - 1), rest = m & ((half << 1) - 1);
        m >>= drop;
        if (rest > half || (rest == half && (m & 1)))
            m++;
        m <<= drop;
    } else if (how->precision < 0) {
        while (precision > 0 && ((m >> (4 * (places - (int)precision))) & 15) == 0)
            precision--;
    }
    unsigned first = (unsigned)(m >> (4 * places));
    if (first > 15) { /* rounding carried out of the four bits */
        first >>= 4;
        exp += 4;
    }
    const char *hex = fr->upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char exponent[WK_NUM_MAX + 3];
    size_t n = make_exponent(exponent, fr->upper ? 'P' : 'p', exp, 1);
    bool point = precision || (how->flags & WK_FNUM_ALT);
    open_frame(b, how, fr, fr->upper ? "0X" : "0x", 1 + point + precision + n, true);
    wk_buf_putc(b, hex[first]);
    if (point)
        wk_buf_putc(b, '.');
    for (int i = places - 1; i >= 0 && (size_t)(places - 1 - i) < precision; i--)
        wk_buf_putc(b, hex[(unsigned)(m >> (4 * i)) & 15]);
    if (precision > (size_t)places)
        wk_buf_fill(b, '0', precision - (size_t)places);
    wk_buf_put(b, exponent, n);
    return close_frame(b, fr);
}

static bool put_float(struct wk_buf *b, const struct wk_float_parts *f, const struct wk_fnum *how)
{
    struct frame fr = {.sign = sign_of(f->negative, how->flags), .upper = is_upper_conv(how->conv)};
    char conv = (char)wk_to_lower(how->conv);
    if (b->failed)
        return false;
    if (f->class == WK_FLOAT_NAN || f->class == WK_FLOAT_INF)
        return put_special(b, how, &fr, f->class == WK_FLOAT_NAN);
    if (conv == 'a')
        return put_hex(b, how, &fr, f);
    return put_decimal(b, how, &fr, f, conv);
}

bool wk_buf_put_double(struct wk_buf *b, double v, const struct wk_fnum *how)
{
    struct wk_float_parts f = wk_float_split(v);
    return put_float(b, &f, how);
}

bool wk_buf_put_ldouble(struct wk_buf *b, long double v, const struct wk_fnum *how)
{
    struct wk_float_parts f = wk_float_splitl(v);
    return put_float(b, &f, how);
}

/* Digits of d as a number again. */
static bool reads_back(const char *digits, size_t n, int64_t exp10, double v)
{
    char text[20 + WK_NUM_MAX];
    double again;
    memcpy(text, digits, n);
    text[n] = 'e';
    size_t len = n + 1 + wk_fmt_i64(text + n + 1, exp10 - (int64_t)n);
    return wk_parse_double(wk_str(text, len), &again) != -WK_EINVAL && !(again < v) && !(again > v);
}

static bool try_digits(const struct wk_digits *all, size_t n, double v, bool power, char out[17],
                       int *exp10)
{
    struct wk_digits d = *all;
    d.d = d.small; /* 17 digits always fit there */
    wk_digits_round(&d, (int64_t)n);
    if (!reads_back(d.d, d.n, d.exp10, v)) {
        /* Above a power of two the numbers lie twice as far apart as below it. */
        if (!power || d.n < n || d.d[n - 1] == '9')
            return false;
        d.d[n - 1]++;
        if (!reads_back(d.d, d.n, d.exp10, v))
            return false;
    }
    memset(out, '0', 17);
    memcpy(out, d.d, d.n);
    *exp10 = (int)d.exp10;
    return true;
}

int wk_double_shortest(double v, char out[17], int *exp10)
{
    struct wk_float_parts f = wk_float_split(v);
    struct wk_digits d;
    bool power = (f.mant & (f.mant - 1)) == 0;
    wk_digits_make(&d, NULL, &f, 18, 0); /* at most 371 digits: `small` has room, nothing is allocated */
    /* All numbers of 15 digits survive, so a shorter form is 15 digits with zeros behind; except
     * among the subnormal numbers, where fewer may do. */
    size_t n = f.exp == f.min_exp ? 1 : 15;
    while (n < 17 && !try_digits(&d, n, v, power, out, exp10))
        n++;
    if (n == 17)
        try_digits(&d, 17, v, false, out, exp10);
    while (n > 1 && out[n - 1] == '0')
        n--;
    return (int)n;
}
