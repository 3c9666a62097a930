/* fmt.c - wk_buf_fmt: locale-free formatting into a buffer */
#include "base/buf.h"
#include "base/num.h"

#include <stdarg.h>

_Static_assert(sizeof(long) == 8 && sizeof(long long) == 8 && sizeof(size_t) == 8,
               "l, ll, z, j and t are taken for 64 bits");

struct directive {
    bool minus, plus, space, alt, zero;
    size_t width;
    size_t precision;
    bool has_precision;
    int size; /* -2 hh, -1 h, 0 none, 1 any of l ll z t j */
    char conv;
};

/* Reads digits; stays at a bound that no buffer passes. */
static size_t read_count(const char **f)
{
    size_t n = 0;
    for (; wk_is_digit(**f); (*f)++)
        if (n < SIZE_MAX / 100)
            n = n * 10 + (size_t)(**f - '0');
    return n;
}

static void put_padded(struct wk_buf *b, const struct directive *d, const char *p, size_t n)
{
    size_t pad = d->width > n ? d->width - n : 0;
    if (!d->minus)
        wk_buf_fill(b, ' ', pad);
    wk_buf_put(b, p, n);
    if (d->minus)
        wk_buf_fill(b, ' ', pad);
}

static void put_number(struct wk_buf *b, const struct directive *d, uint64_t v, bool negative)
{
    char prefix[2], digits[WK_NUM_MAX];
    size_t np = 0;
    unsigned base = d->conv == 'o'                                       ? 8
                    : d->conv == 'x' || d->conv == 'X' || d->conv == 'p' ? 16
                                                                         : 10;
    if (negative)
        prefix[np++] = '-';
    else if (d->plus || d->space)
        prefix[np++] = d->plus ? '+' : ' ';
    size_t n = d->has_precision && d->precision == 0 && v == 0 ? 0 : wk_fmt_u64(digits, v, base);
    if (base == 16 && (d->conv == 'p' || (d->alt && v != 0))) {
        np = 2;
        prefix[0] = '0';
        prefix[1] = d->conv == 'X' ? 'X' : 'x';
    }
    if (d->conv == 'X')
        for (size_t i = 0; i < n; i++)
            digits[i] = (char)wk_to_upper(digits[i]);
    size_t zeros = d->has_precision && d->precision > n ? d->precision - n : 0;
    if (d->conv == 'o' && d->alt && zeros == 0 && (n == 0 || digits[0] != '0'))
        zeros = 1;
    if (d->zero && !d->minus && !d->has_precision && d->width > n + np)
        zeros = d->width - n - np;
    size_t len = n + np + zeros;
    size_t pad = d->width > len ? d->width - len : 0;
    if (!d->minus)
        wk_buf_fill(b, ' ', pad);
    wk_buf_put(b, prefix, np);
    wk_buf_fill(b, '0', zeros);
    wk_buf_put(b, digits, n);
    if (d->minus)
        wk_buf_fill(b, ' ', pad);
}

static void put_string(struct wk_buf *b, const struct directive *d, const char *s)
{
    if (!s)
        s = "(null)";
    size_t n;
    if (d->has_precision) {
        const char *end = memchr(s, '\0', d->precision);
        n = end ? (size_t)(end - s) : d->precision;
    } else {
        n = strlen(s);
    }
    put_padded(b, d, s, n);
}

static const char *read_flags(const char *f, struct directive *d)
{
    for (;; f++) {
        if (*f == '-')
            d->minus = true;
        else if (*f == '+')
            d->plus = true;
        else if (*f == ' ')
            d->space = true;
        else if (*f == '#')
            d->alt = true;
        else if (*f == '0')
            d->zero = true;
        else
            return f;
    }
}

static const char *read_size(const char *f, struct directive *d)
{
    if (*f == 'h') {
        d->size = -1;
        if (*++f == 'h') {
            d->size = -2;
            f++;
        }
    } else if (*f == 'l') {
        d->size = 1;
        if (*++f == 'l')
            f++;
    } else if (*f == 'z' || *f == 'j' || *f == 't') {
        d->size = 1;
        f++;
    }
    return f;
}

/* Width and precision, which may be arguments. */
static const char *read_counts(const char *f, struct directive *d, va_list *ap)
{
    if (*f == '*') {
        int w = va_arg(*ap, int);
        d->minus = d->minus || w < 0;
        d->width = w < 0 ? 0 - (size_t)w : (size_t)w;
        f++;
    } else {
        d->width = read_count(&f);
    }
    if (*f != '.')
        return f;
    d->has_precision = true;
    if (*++f != '*') {
        d->precision = read_count(&f);
        return f;
    }
    int p = va_arg(*ap, int);
    d->has_precision = p >= 0;
    d->precision = p >= 0 ? (size_t)p : 0;
    return f + 1;
}

/* False when the conversion is unknown. */
static bool put_directive(struct wk_buf *b, struct directive *d, va_list *ap)
{
    char c;
    int64_t i;
    uint64_t u;
    switch (d->conv) {
    case 'd':
    case 'i':
        i = d->size > 0 ? va_arg(*ap, int64_t) : va_arg(*ap, int);
        i = d->size == -1 ? (short)i : d->size == -2 ? (signed char)i : i;
        put_number(b, d, i < 0 ? 0 - (uint64_t)i : (uint64_t)i, i < 0);
        return true;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        d->plus = d->space = false;
        u = d->size > 0 ? va_arg(*ap, uint64_t) : va_arg(*ap, unsigned);
        u = d->size == -1 ? (unsigned short)u : d->size == -2 ? (unsigned char)u : u;
        put_number(b, d, u, false);
        return true;
    case 'p':
        put_number(b, d, (uint64_t)(uintptr_t)va_arg(*ap, void *), false);
        return true;
    case 'c':
        c = (char)va_arg(*ap, int);
        put_padded(b, d, &c, 1);
        return true;
    case 's':
        put_string(b, d, va_arg(*ap, const char *));
        return true;
    case '%':
        wk_buf_putc(b, '%');
        return true;
    default:
        return false;
    }
}

bool wk_buf_vfmt(struct wk_buf *b, const char *f, va_list args)
{
    va_list ap;
    va_copy(ap, args);
    for (;;) {
        const char *plain = f;
        while (*f && *f != '%')
            f++;
        wk_buf_put(b, plain, (size_t)(f - plain));
        if (!*f)
            break;
        struct directive d = {0};
        f = read_flags(f + 1, &d);
        f = read_counts(f, &d, &ap);
        f = read_size(f, &d);
        d.conv = *f ? *f++ : '\0';
        if (!put_directive(b, &d, &ap)) { /* the format attribute refuses it at compile time */
            WK_ASSERT(false);
            b->failed = true;
        }
    }
    va_end(ap);
    return !b->failed;
}

bool wk_buf_fmt(struct wk_buf *b, const char *f, ...)
{
    va_list ap;
    va_start(ap, f);
    bool ok = wk_buf_vfmt(b, f, ap);
    va_end(ap);
    return ok;
}

size_t wk_fmt_into(char *out, size_t cap, const char *f, ...)
{
    struct wk_buf b = {.p = out, .cap = cap, .max = cap - 1}; /* never grows: it has all that it may have */
    va_list args;
    out[0] = 0;
    va_start(args, f);
    wk_buf_vfmt(&b, f, args);
    va_end(args);
    return b.n;
}
