/* fmt_spec.c - one printf directive: reading it, and writing a value by it */
#include "text/printfmt/printfmt.h"

#include "base/fnum.h"
#include "base/num.h"
#include "base/utf8.h"

#include <limits.h>

/* Digits as a number that stays at INT_MAX + 1 when it is greater. */
static size_t read_count(struct wk_str fmt, size_t *i)
{
    size_t v = 0;
    for (; *i < fmt.n && wk_is_digit(fmt.p[*i]); ++*i)
        v = WK_MIN(v * 10 + (size_t)(fmt.p[*i] - '0'), (size_t)INT_MAX + 1);
    return v;
}

static char at(struct wk_str fmt, size_t i)
{
    return i < fmt.n ? fmt.p[i] : '\0';
}

static bool one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* "%(…)T": i is at the parenthesis. */
static bool read_date(struct wk_str fmt, size_t *i, struct wk_printf_spec *out)
{
    size_t depth = 0;
    for (size_t k = *i; k < fmt.n; k++) {
        if (fmt.p[k] == '(') {
            depth++;
        } else if (fmt.p[k] == ')' && --depth == 0) {
            out->datefmt = wk_str(fmt.p + *i + 1, k - *i - 1);
            *i = k + 1;
            return at(fmt, *i) == 'T';
        }
    }
    return false;
}

void wk_printf_parse(struct wk_str fmt, size_t *pos, struct wk_printf_spec *out)
{
    static const char flags[] = "-+ #0'";
    size_t i = *pos, begin = *pos - 1, v;
    *out = (struct wk_printf_spec){.precision = -1};
    while (one_of(at(fmt, i), flags))
        out->flags |= 1u << (strchr(flags, fmt.p[i++]) - flags);
    if (at(fmt, i) == '*') {
        out->star_width = true;
        i++;
    } else if (wk_is_digit(at(fmt, i))) {
        v = read_count(fmt, &i);
        out->has_width = true;
        out->bad_width = v > INT_MAX;
        out->width = v;
    }
    if (at(fmt, i) == '.') {
        i++;
        out->precision = 0;
        if (at(fmt, i) == '*') {
            out->star_precision = true;
            i++;
        } else {
            bool negative = at(fmt, i) == '-' && wk_is_digit(at(fmt, i + 1));
            i += negative;
            out->bare_precision = !wk_is_digit(at(fmt, i));
            v = read_count(fmt, &i);
            out->bad_precision = v > INT_MAX;
            out->precision = negative || v > INT_MAX ? -1 : (int)v;
        }
    }
    size_t length = 0;
    while (one_of(at(fmt, i), "hjlLtz")) {
        if (length < sizeof out->length - 1)
            out->length[length++] = fmt.p[i];
        i++;
    }
    if (at(fmt, i) == '(') {
        size_t k = i;
        if (read_date(fmt, &k, out)) {
            out->conv = 'T';
            i = k + 1;
        } else {
            out->conv = '(';
            if (!out->datefmt.p)
                out->datefmt = wk_str(fmt.p + fmt.n, 0);
            i++;
        }
    } else if (i < fmt.n) {
        out->conv = fmt.p[i++];
    }
    out->text = wk_str(fmt.p + begin, i - begin);
    *pos = i;
}

void wk_printf_set_width(struct wk_printf_spec *f, int64_t v)
{
    f->has_width = true;
    if (v < 0)
        f->flags |= WK_FMT_MINUS;
    f->bad_width = v > INT_MAX || v < -INT_MAX;
    f->width = f->bad_width ? 0 : (size_t)(v < 0 ? -v : v);
}

void wk_printf_set_precision(struct wk_printf_spec *f, int64_t v)
{
    f->bad_precision = v > INT_MAX;
    f->precision = v < 0 || v > INT_MAX ? -1 : (int)v;
}

/* What glibc refuses with EOVERFLOW prints nothing. */
static bool is_bad(const struct wk_printf_spec *f)
{
    return f->bad_width || f->bad_precision;
}

static bool put_digits(struct wk_buf *b, const struct wk_printf_spec *f, uint64_t v, char sign)
{
    char prefix[3], digits[WK_NUM_MAX];
    size_t np = 0;
    bool hex = f->conv == 'x' || f->conv == 'X';
    if (sign)
        prefix[np++] = sign;
    unsigned base = f->conv == 'o' ? 8 : hex ? 16 : 10;
    size_t n = v == 0 && f->precision == 0 ? 0 : wk_fmt_u64(digits, v, base);
    if (hex && (f->flags & WK_FMT_ALT) && v) {
        prefix[np++] = '0';
        prefix[np++] = f->conv;
    }
    for (size_t i = 0; i < n && f->conv == 'X'; i++)
        digits[i] = (char)wk_to_upper(digits[i]);
    size_t zeros = f->precision > 0 && (size_t)f->precision > n ? (size_t)f->precision - n : 0;
    if (f->conv == 'o' && (f->flags & WK_FMT_ALT) && zeros == 0 && (n == 0 || digits[0] != '0'))
        zeros = 1;
    bool left = f->flags & WK_FMT_MINUS;
    if ((f->flags & WK_FMT_ZERO) && !left && f->precision < 0 && f->width > n + np + zeros)
        zeros = f->width - n - np;
    size_t len = np + zeros + n, pad = f->width > len ? f->width - len : 0;
    if (!left)
        wk_buf_fill(b, ' ', pad);
    wk_buf_put(b, prefix, np);
    wk_buf_fill(b, '0', zeros);
    wk_buf_put(b, digits, n);
    if (left)
        wk_buf_fill(b, ' ', pad);
    return !b->failed;
}

bool wk_printf_i64(struct wk_buf *b, const struct wk_printf_spec *f, int64_t v)
{
    if (is_bad(f))
        return !b->failed;
    char sign = v < 0 ? '-' : f->flags & WK_FMT_PLUS ? '+' : f->flags & WK_FMT_SPACE ? ' ' : '\0';
    return put_digits(b, f, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, sign);
}

bool wk_printf_u64(struct wk_buf *b, const struct wk_printf_spec *f, uint64_t v)
{
    return is_bad(f) ? !b->failed : put_digits(b, f, v, '\0');
}

static struct wk_fnum fnum_of(const struct wk_printf_spec *f)
{
    return (struct wk_fnum){f->conv, f->flags, f->width, f->precision};
}

_Static_assert((int)WK_FMT_MINUS == (int)WK_FNUM_MINUS && (int)WK_FMT_PLUS == (int)WK_FNUM_PLUS &&
                   (int)WK_FMT_SPACE == (int)WK_FNUM_SPACE && (int)WK_FMT_ALT == (int)WK_FNUM_ALT &&
                   (int)WK_FMT_ZERO == (int)WK_FNUM_ZERO && (int)WK_FMT_GROUP == (int)WK_FNUM_GROUP,
               "flags are handed on as they are");

bool wk_printf_double(struct wk_buf *b, const struct wk_printf_spec *f, double v)
{
    struct wk_fnum how = fnum_of(f);
    return is_bad(f) ? !b->failed : wk_buf_put_double(b, v, &how);
}

bool wk_printf_ldouble(struct wk_buf *b, const struct wk_printf_spec *f, long double v)
{
    struct wk_fnum how = fnum_of(f);
    return is_bad(f) ? !b->failed : wk_buf_put_ldouble(b, v, &how);
}

bool wk_printf_str(struct wk_buf *b, const struct wk_printf_spec *f, struct wk_str s, bool chars)
{
    if (is_bad(f))
        return !b->failed;
    if (f->precision >= 0)
        s.n = chars ? wk_utf8_offset(s, (size_t)f->precision, NULL)
                    : WK_MIN(s.n, (size_t)f->precision);
    size_t len = chars ? wk_utf8_count(s) : s.n, pad = f->width > len ? f->width - len : 0;
    if (!(f->flags & WK_FMT_MINUS))
        wk_buf_fill(b, ' ', pad);
    wk_buf_puts(b, s);
    if (f->flags & WK_FMT_MINUS)
        wk_buf_fill(b, ' ', pad);
    return !b->failed;
}

bool wk_printf_char(struct wk_buf *b, const struct wk_printf_spec *f, struct wk_str s, bool chars)
{
    struct wk_printf_spec one = *f;
    one.precision = -1;
    s.n = chars ? wk_utf8_offset(s, 1, NULL) : WK_MIN(s.n, 1);
    return wk_printf_str(b, &one, s, chars);
}

/* ---- numeric arguments ---- */

/* The code of the character after a quote; false when s is no such argument. */
static bool quoted_char(struct wk_str s, uint32_t *c)
{
    if (s.n == 0 || (s.p[0] != '\'' && s.p[0] != '"'))
        return false;
    *c = 0;
    if (s.n > 1)
        wk_utf8_next(s.p + 1, s.n - 1, c);
    if (wk_utf8_is_bad(*c))
        *c -= WK_UTF8_BAD;
    return true;
}

static struct wk_str skip_blanks(struct wk_str s)
{
    while (s.n && wk_is_space((unsigned char)s.p[0]))
        s = wk_str_from(s, 1);
    return s;
}

enum wk_printf_arg wk_printf_arg_i64(struct wk_str s, int64_t *out)
{
    uint32_t c;
    int err = 0;
    *out = 0;
    if (quoted_char(s, &c)) {
        *out = c;
        return WK_FMT_ARG_OK;
    }
    bool blanks = s.n > 0;
    s = skip_blanks(s);
    size_t n = wk_scan_i64(s, 0, out, &err);
    if (n != s.n || (n == 0 && blanks))
        return WK_FMT_ARG_INVALID;
    return err ? WK_FMT_ARG_RANGE : WK_FMT_ARG_OK;
}

enum wk_printf_arg wk_printf_arg_u64(struct wk_str s, uint64_t *out)
{
    uint32_t c;
    int err = 0;
    *out = 0;
    if (quoted_char(s, &c)) {
        *out = c;
        return WK_FMT_ARG_OK;
    }
    bool blanks = s.n > 0;
    s = skip_blanks(s);
    bool minus = s.n && s.p[0] == '-';
    size_t n = wk_scan_u64(wk_str_from(s, minus), 0, out, &err);
    if (minus && n && wk_is_digit(s.p[1])) {
        n++;
        if (!err)
            *out = 0 - *out;
    } else if (minus) {
        n = 0;
        *out = 0;
    }
    if (n != s.n || (n == 0 && blanks))
        return WK_FMT_ARG_INVALID;
    return err ? WK_FMT_ARG_RANGE : WK_FMT_ARG_OK;
}

enum wk_printf_arg wk_printf_arg_double(struct wk_str s, double *out)
{
    uint32_t c;
    int err = 0;
    *out = 0;
    if (quoted_char(s, &c)) {
        *out = c;
        return WK_FMT_ARG_OK;
    }
    bool blanks = s.n > 0;
    s = skip_blanks(s);
    size_t n = wk_scan_double(s, out, &err);
    if (n != s.n || (n == 0 && blanks))
        return WK_FMT_ARG_INVALID;
    return err ? WK_FMT_ARG_RANGE : WK_FMT_ARG_OK;
}

enum wk_printf_arg wk_printf_arg_ldouble(struct wk_str s, long double *out)
{
    uint32_t c;
    int err = 0;
    *out = 0;
    if (quoted_char(s, &c)) {
        *out = c;
        return WK_FMT_ARG_OK;
    }
    bool blanks = s.n > 0;
    s = skip_blanks(s);
    size_t n = wk_scan_ldouble(s, out, &err);
    if (n != s.n || (n == 0 && blanks))
        return WK_FMT_ARG_INVALID;
    return err ? WK_FMT_ARG_RANGE : WK_FMT_ARG_OK;
}
