/* awk_format.c - awk's printf, and times as text */
#include "builtins/awk.h"

#include "base/fnum.h"
#include "base/num.h"
#include "base/utf8.h"
#include "builtins/zone.h"
#include "text/date/date.h"
#include "text/printfmt/printfmt.h"

#include <math.h>

enum { WIDEST = 1 << 30 }; /* what is more than memory allows ends the process */

struct wk_buf *wk_awk_buffer(struct awk *a)
{
    if (!a->buffer)
        a->buffer = wk_cmd_buf(a->c, SIZE_MAX / 2);
    return a->buffer;
}

const char *wk_awk_show_number(struct awk *a, double v)
{
    struct awk_str *s = wk_awk_num_str(a, v, wk_str_c("%.6g"));
    const char *text = wk_dupn(a->c, s->p, s->n);
    awk_str_unref(a, s);
    return text;
}

/* ---- directives ---- */

struct format {
    struct awk *a;
    struct wk_str text;
    size_t at;
    struct awk_val *args;
    size_t n, next; /* arguments behind the format, and the one to come */
    bool numbered, plain; /* there was %1$s, or %s */
    struct wk_buf *out;
};

static WK_NORETURN void ran_out(struct format *f, size_t at)
{
    struct wk_cmd *c = f->a->c;
    wk_out_flush(c->out);
    wk_awk_put_place(f->a);
    wk_out_fmt(c->err, "fatal: not enough arguments to satisfy format string\n\t`%.*s'\n\t",
               (int)WK_MIN(f->text.n, (size_t)4000), f->text.p);
    for (size_t i = 0; i < at; i++)
        wk_out_char(c->err, ' ');
    wk_out_c(c->err, "^ ran out for this one\n");
    wk_exit(c, 2);
}

/* The next argument; at: where the directive asks for it. */
static struct awk_val *take_plain(struct format *f, size_t at)
{
    if (f->next >= f->n)
        ran_out(f, at);
    return &f->args[f->next++];
}

static size_t read_digits(struct format *f)
{
    size_t v = 0;
    while (f->at < f->text.n && wk_is_digit(f->text.p[f->at])) {
        v = v * 10 + (size_t)(f->text.p[f->at++] - '0');
        v = WK_MIN(v, (size_t)WIDEST * WIDEST);
    }
    return v;
}

/* What was read of a directive, whose parts may stand in any order and come again. */
struct reading {
    struct wk_printf_spec *s;
    size_t argument; /* of %2$s */
    enum { WIDTH, PRECISION, NO_PRECISION /* %.-3d */, ALL_READ } part;
    unsigned sizes; /* bit i: the letter i of those that C has for sizes */
};

/* A star: the argument may be numbered, too, which counts for nothing else then. False: there can be none. */
static bool read_star(struct format *f, struct reading *r)
{
    size_t star = f->at++, number = 0;
    struct awk_val none = awk_num(0), *v = &none;
    if (r->part == ALL_READ)
        return false;
    if (!f->a->old && f->at < f->text.n && wk_is_digit(f->text.p[f->at])) {
        number = read_digits(f);
        if (f->at >= f->text.n || f->text.p[f->at] != '$')
            wk_awk_fatal(f->a, "no `$' supplied for positional field width or precision");
        if (number > f->n)
            ran_out(f, f->at);
        if (number)
            v = &f->args[number - 1];
        f->at++;
    } else {
        if (f->numbered)
            wk_awk_fatal(f->a, "fatal: must use `count$' on all formats or none");
        f->plain = true;
        v = take_plain(f, star);
    }
    double d = awk_to_num(f->a, v);
    bool fits = d > -2147483648.0 && d < 2147483648.0;
    int64_t value = fits ? (int64_t)WK_MAX(WK_MIN(d, WIDEST), -WIDEST) : -1; /* as if there were none */
    if (r->part == WIDTH) {
        wk_printf_set_width(r->s, value);
    } else {
        wk_printf_set_precision(r->s, value);
        r->part = ALL_READ;
    }
    return true;
}

/* Behind a number: it is that of the argument. */
static void read_dollar(struct format *f, struct reading *r)
{
    f->at++;
    if (f->a->old)
        wk_awk_fatal(f->a, "`$' is not permitted in awk formats");
    if (r->part != WIDTH)
        wk_awk_fatal(f->a, "`$' not permitted after period in format");
    if (!r->s->width)
        wk_awk_fatal(f->a, "argument index with `$' must be > 0");
    if (r->s->width > f->n)
        wk_awk_fatal(f->a, "argument index %zu greater than total number of supplied arguments", r->s->width);
    r->argument = r->s->width;
    f->numbered = true;
    r->s->width = 0;
    r->s->has_width = false;
}

static bool read_number(struct format *f, struct reading *r)
{
    size_t v = read_digits(f);
    if (r->part == ALL_READ)
        return false;
    if (r->part == WIDTH) {
        r->s->has_width = true;
        r->s->width = v;
        return true;
    }
    if (r->part == PRECISION)
        r->s->precision = (int)WK_MIN(v, (size_t)WIDEST);
    r->part = ALL_READ;
    return true;
}

static bool read_flag(struct reading *r, unsigned flag)
{
    if (r->part == WIDTH) {
        r->s->flags |= flag;
        return true;
    }
    if (flag != WK_FMT_MINUS || r->part != PRECISION)
        return false;
    r->s->precision = -1;
    r->part = NO_PRECISION;
    return true;
}

/* False: it is none of a directive's parts; f->at stays in front of what ends one. */
static bool read_part(struct format *f, struct reading *r)
{
    static const char flags[] = "-+ #", sizes[] = "hlLjzt";
    char ch = f->text.p[f->at];
    const char *k = ch ? strchr(flags, ch) : NULL;
    if (k || ch == '\'') {
        f->at++;
        return read_flag(r, k ? 1u << (k - flags) : WK_FMT_GROUP);
    }
    if (ch == '0' && r->s->flags & WK_FMT_MINUS) {
        f->at++;
        return true;
    }
    if (wk_is_digit(ch)) {
        r->s->flags |= ch == '0' && r->part == WIDTH ? WK_FMT_ZERO : 0;
        return read_number(f, r);
    }
    switch (ch) {
    case '$':
        read_dollar(f, r);
        return true;
    case '*':
        return read_star(f, r);
    case '.':
        f->at++;
        if (r->part != WIDTH)
            return false;
        r->s->precision = 0;
        r->part = PRECISION;
        return true;
    default:
        break;
    }
    k = ch ? strchr(sizes, ch) : NULL;
    if (!k)
        return false;
    f->at++;
    if (f->a->posix)
        wk_awk_fatal(f->a, "`%c' is not permitted in POSIX awk formats", ch);
    unsigned bit = 1u << (k - sizes);
    bool again = r->sizes & bit;
    r->sizes |= bit;
    return !again;
}

/* The conversion letter, or 0 when there is none. *number: of the argument, as in %2$s. */
static char read_spec(struct format *f, struct wk_printf_spec *s, size_t *number)
{
    struct reading r = {.s = s};
    *s = (struct wk_printf_spec){.precision = -1};
    while (f->at < f->text.n) {
        size_t before = f->at;
        if (read_part(f, &r))
            continue;
        if (f->at > before)
            return 0;
        *number = r.argument;
        s->width = WK_MIN(s->width, (size_t)WIDEST);
        s->conv = f->text.p[f->at++];
        return s->conv;
    }
    return 0;
}

/* As UTF-8 once was: up to 31 bits in six bytes; 0: it needs but one, or has no such form. */
static size_t put_code(char t[6], uint32_t code)
{
    size_t n = 2;
    if (code < 0x80 || code > 0x7fffffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    while (n < 6 && code >> (5 * n + 1))
        n++;
    for (size_t i = n - 1; i > 0; i--, code >>= 6)
        t[i] = (char)(0x80 | (code & 0x3f));
    t[0] = (char)(code | (0xff00u >> n & 0xff));
    return n;
}

static void put_char(struct format *f, struct wk_printf_spec *s, struct awk_val *v)
{
    char t[6];
    struct awk *a = f->a;
    if (v->type == AWK_INPUT)
        wk_awk_settle(a, v);
    if (v->type != AWK_NUM) {
        struct awk_str *text = awk_to_str(a, v);
        if (text->n == 0)
            text = a->small[0];
        wk_printf_char(f->out, s, awk_slice(text), a->utf8);
        return;
    }
    double d = v->num;
    uint32_t code = 0;
    if (d >= -9223372036854775808.0 && d < 0)
        code = (uint32_t)(int64_t)d;
    else if (d >= 0 && d < 18446744073709551616.0)
        code = (uint32_t)(uint64_t)d;
    size_t n = a->utf8 ? put_code(t, code) : 0;
    if (!n) {
        t[0] = (char)(unsigned char)code;
        n = 1;
    }
    s->precision = -1;
    s->conv = 's';
    if (n == 1) {
        s->conv = 'c';
        wk_printf_char(f->out, s, wk_str(t, 1), false);
    } else {
        wk_printf_str(f->out, s, wk_str(t, n), false);
    }
}

/* A number between 0 and 1 by a conversion without a sign: # looks at it before it is cut. */
static void put_small(struct format *f, struct wk_printf_spec *s)
{
    struct wk_buf b;
    bool alt = s->flags & WK_FMT_ALT;
    const char *prefix = !alt ? "" : s->conv == 'x' ? "0x" : s->conv == 'X' ? "0X" : s->conv == 'o' ? "0" : "";
    size_t zeros = s->precision > 0 ? (size_t)s->precision : 1;
    if (s->precision < 0 && s->flags & WK_FMT_ZERO && !(s->flags & WK_FMT_MINUS) && s->width > strlen(prefix))
        zeros = WK_MAX(zeros, s->width - strlen(prefix));
    wk_buf_init(&b, wk_heap_mem(f->a->c->heap), SIZE_MAX / 2);
    wk_buf_put_c(&b, prefix);
    while (zeros--)
        wk_buf_putc(&b, '0');
    struct awk_str *text = wk_awk_str_take(f->a, &b);
    s->conv = 's';
    s->precision = -1;
    wk_printf_str(f->out, s, awk_slice(text), false);
    awk_str_unref(f->a, text);
}

/* A whole number that no integer holds: as many digits as the precision says at least. */
static void put_large(struct format *f, struct wk_printf_spec *s, double d)
{
    struct wk_buf digits;
    size_t least = s->precision > 0 ? (size_t)s->precision : 0;
    s->conv = 'f';
    s->flags &= ~(unsigned)WK_FMT_ALT;
    s->precision = 0;
    wk_buf_init(&digits, wk_heap_mem(f->a->c->heap), SIZE_MAX / 2);
    wk_buf_put_double(&digits, fabs(d), &(struct wk_fnum){.conv = 'f'});
    if (digits.n >= least) {
        wk_buf_release(&digits);
        wk_printf_double(f->out, s, d);
        return;
    }
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(f->a->c->heap), SIZE_MAX / 2);
    if (d < 0 || s->flags & (WK_FMT_PLUS | WK_FMT_SPACE))
        wk_buf_putc(&b, d < 0 ? '-' : s->flags & WK_FMT_PLUS ? '+' : ' ');
    for (size_t i = digits.n; i < least; i++)
        wk_buf_putc(&b, '0');
    wk_buf_puts(&b, wk_buf_str(&digits));
    wk_buf_release(&digits);
    struct awk_str *text = wk_awk_str_take(f->a, &b);
    s->conv = 's';
    s->precision = -1;
    wk_printf_str(f->out, s, awk_slice(text), false);
    awk_str_unref(f->a, text);
}

static void put_integer(struct format *f, struct wk_printf_spec *s, double d)
{
    bool sign = s->conv == 'd' || s->conv == 'i';
    if (isnan(d) || isinf(d)) {
        static const char *const words[] = {"+nan", "-nan", "+inf", "-inf"};
        const char *word = words[(isinf(d) ? 2 : 0) + (signbit(d) != 0)];
        bool upper = strchr("EFGAX", s->conv) != NULL;
        for (; *word; word++)
            wk_buf_putc(f->out, upper ? (char)wk_to_upper((unsigned char)*word) : *word);
        return;
    }
    bool fraction = d != trunc(d);
    d = trunc(d);
    if (d == 0 && s->precision == 0) { /* seen only with #, of a number without a sign */
        s->flags &= ~(unsigned)(WK_FMT_PLUS | WK_FMT_SPACE);
        if (s->flags & WK_FMT_ALT && !sign)
            s->precision = 1;
    }
    if (d == 0 && fraction && !sign && (s->precision == 0 || s->flags & WK_FMT_ALT)) {
        put_small(f, s);
        return;
    }
    if (s->conv == 'o' && s->flags & WK_FMT_ALT && s->precision > 0 && d > 0 && d < 9e18) {
        size_t digits = 0; /* its 0 comes in front of those of the precision */
        for (uint64_t u = (uint64_t)d; u; u >>= 3)
            digits++;
        if (digits <= (size_t)s->precision)
            s->precision++;
    }
    if (sign ? d >= -9223372036854775808.0 && d < 9223372036854775808.0
             : d >= 0 && d < 18446744073709551616.0) {
        if (sign)
            wk_printf_i64(f->out, s, (int64_t)d);
        else
            wk_printf_u64(f->out, s, (uint64_t)d);
    } else if (!sign && d < 0 && d >= -9223372036854775808.0) {
        wk_printf_u64(f->out, s, (uint64_t)(int64_t)d);
    } else {
        if (sign) {
            put_large(f, s, d);
            return;
        }
        s->conv = 'g';
        wk_printf_double(f->out, s, d);
    }
}

static void put_real(struct format *f, struct wk_printf_spec *s, double d)
{
    if (isnan(d) || isinf(d))
        put_integer(f, s, d);
    else
        wk_printf_double(f->out, s, d);
}

static void directive(struct format *f)
{
    struct wk_printf_spec s;
    size_t from = f->at - 1, number = 0;
    char conv = read_spec(f, &s, &number);
    if (conv == '%') {
        wk_buf_putc(f->out, '%');
        return;
    }
    if (!conv || !strchr("cdiouxXeEfFgGaAs", conv)) {
        wk_buf_put(f->out, f->text.p + from, f->at - from);
        return;
    }
    if (number ? f->plain : f->numbered)
        wk_awk_fatal(f->a, "must use `count$' on all formats or none");
    f->plain = f->plain || !number;
    struct awk_val *v = number ? &f->args[number - 1] : take_plain(f, f->at - 1);
    if (conv == 'c')
        put_char(f, &s, v);
    else if (conv == 's')
        wk_printf_str(f->out, &s, awk_slice(awk_to_str(f->a, v)), f->a->utf8);
    else if (strchr("diouxX", conv))
        put_integer(f, &s, awk_to_num(f->a, v));
    else
        put_real(f, &s, awk_to_num(f->a, v));
}

struct awk_str *wk_awk_format(struct awk *a, struct awk_val *args, size_t n)
{
    struct awk_str *text = awk_to_str(a, &args[0]), *made;
    struct wk_buf *b = a->format_busy ? wk_cmd_buf(a->c, SIZE_MAX / 2) : wk_awk_buffer(a);
    bool outer = !a->format_busy;
    struct format f = {.a = a, .text = awk_slice(text), .args = args + 1, .n = n - 1, .out = b};
    a->format_busy = true;
    wk_buf_reset(b);
    while (f.at < f.text.n) {
        const char *p = f.text.p + f.at;
        const char *percent = (const char *)memchr(p, '%', f.text.n - f.at);
        size_t plain = percent ? (size_t)(percent - p) : f.text.n - f.at;
        wk_buf_put(b, p, plain);
        f.at += plain;
        if (!percent)
            break;
        f.at++;
        directive(&f);
    }
    if (b->failed)
        wk_heap_exhausted(a->c->heap);
    if (outer)
        a->format_busy = false;
    made = wk_awk_str_of(a, b->n ? b->p : "", b->n);
    wk_tick(a->c, (uint32_t)(b->n / 32) + 2);
    return made;
}

/* ---- times ---- */

void wk_awk_put_time(struct awk *a, struct wk_buf *b, struct wk_str format, int64_t when, bool utc)
{
    struct wk_tm tm;
    const struct wk_tz *tz = utc ? wk_tz_utc() : wk_zone_of(a->c);
    if (!wk_tz_local(tz, (struct wk_instant){.sec = when}, &tm))
        return;
    if (utc)
        memcpy(tm.zone, "GMT", 4);
    wk_strftime_libc(b, format, &tm);
}

/* "YYYY MM DD HH MM SS [DST]"; -1 for what is none. */
double wk_awk_make_time(struct awk *a, struct wk_str s, bool utc)
{
    int64_t part[7] = {0, 0, 0, 0, 0, 0, -1}, guess = 0;
    size_t n = 0;
    for (size_t i = 0; n < 7;) {
        while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t'))
            i++;
        size_t from = i;
        i += i < s.n && (s.p[i] == '-' || s.p[i] == '+');
        while (i < s.n && wk_is_digit(s.p[i]))
            i++;
        if (i == from || wk_parse_i64(wk_str(s.p + from, i - from), 10, &part[n]) != 0)
            break;
        n++;
    }
    if (n < 6)
        return -1;
    for (size_t i = 0; i < 6; i++)
        if (part[i] > INT32_MAX / 2 || part[i] < -INT32_MAX / 2)
            return -1;
    struct wk_instant t;
    struct wk_tm tm = {.year = part[0],
                       .mon = (int)part[1],
                       .mday = (int)part[2],
                       .hour = (int)part[3],
                       .min = (int)part[4],
                       .sec = (int)part[5]};
    int summer = utc ? 0 : part[6] > 0 ? 1 : (int)part[6];
    if (!wk_tz_mktime(utc ? wk_tz_utc() : wk_zone_of(a->c), &tm, summer, &guess, &t))
        return -1;
    return (double)t.sec;
}
