/* printf.c - the program printf: print words by a format
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: /usr/bin/printf. The shell has a printf of its own.
 */
#include "base/fnum.h"
#include "base/num.h"
#include "base/utf8.h"
#include "builtins/quoting.h"
#include "builtins/zone.h"
#include "text/printfmt/printfmt.h"

struct print {
    struct wk_cmd *c;
    bool utf8;
    char **args;
    int n, at;          /* of arguments */
    struct wk_buf *buf; /* one directive's text at a time */
};

static void put_buf(struct print *p)
{
    if (p->buf->failed)
        wk_fail(p->c, 1, "write error");
    wk_out_put(p->c->out, p->buf->p, p->buf->n);
    wk_buf_reset(p->buf);
}

/* ---- escapes ------------------------------------------------------------------------------------ */

static int hex_value(char ch)
{
    int low = wk_to_lower((unsigned char)ch);
    return wk_is_digit(ch) ? ch - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

static void put_unicode(struct print *p, const char **s)
{
    char letter = *(*s)++, text[6];
    uint32_t v = 0;
    int digits = letter == 'u' ? 4 : 8;
    for (int i = 0; i < digits; i++) {
        int d = hex_value(**s);
        if (d < 0)
            wk_fail(p->c, 1, "missing hexadecimal number in escape");
        v = v << 4 | (uint32_t)d;
        ++*s;
    }
    if ((v < 0xa0 && v != '$' && v != '@' && v != '`') || (v >= 0xd800 && v <= 0xdfff))
        wk_fail(p->c, 1, letter == 'u' ? "invalid universal character name \\u%04x"
                                       : "invalid universal character name \\U%08x", v);
    if (v < 0x80 || (p->utf8 && v <= 0x10ffff))
        wk_out_put(p->c->out, text, wk_utf8_put(text, v));
    else
        wk_out_fmt(p->c->out, v < 0x10000 ? "\\u%04X" : "\\U%08X", v);
}

/* What stands behind a backslash at *s; with octal0 a zero may stand in front of three octal digits. */
static void put_escape(struct print *p, const char **s, bool octal0)
{
    static const char letters[] = "\"\"\\\\a\ab\be\033f\fn\nr\rt\tv\v";
    struct wk_out *out = p->c->out;
    char ch = **s;
    int v = 0;
    if (ch == 'x') {
        const char *from = ++*s;
        for (; *s < from + 2 && hex_value(**s) >= 0; ++*s)
            v = v * 16 + hex_value(**s);
        if (*s == from)
            wk_fail(p->c, 1, "missing hexadecimal number in escape");
        wk_out_char(out, (char)v);
        return;
    }
    if (ch >= '0' && ch <= '7') {
        *s += octal0 && ch == '0';
        for (int i = 0; i < 3 && **s >= '0' && **s <= '7'; i++)
            v = v * 8 + (*(*s)++ - '0');
        wk_out_char(out, (char)v);
        return;
    }
    if (ch == 'c')
        wk_exit(p->c, 0);
    if (ch == 'u' || ch == 'U') {
        put_unicode(p, s);
        return;
    }
    for (const char *l = letters; ch && *l; l += 2)
        if (*l == ch) {
            wk_out_char(out, l[1]);
            ++*s;
            return;
        }
    wk_out_char(out, '\\');
    if (ch) {
        wk_out_char(out, ch);
        ++*s;
    }
}

static void put_escaped(struct print *p, const char *s)
{
    while (*s) {
        size_t n = strcspn(s, "\\");
        wk_out_put(p->c->out, s, n);
        s += n;
        if (*s) {
            s++;
            put_escape(p, &s, true);
        }
    }
}

/* ---- arguments ---------------------------------------------------------------------------------- */

static const char *next_arg(struct print *p)
{
    return p->at < p->n ? p->args[p->at++] : NULL;
}

/* A number written as 'x: the code of the character. */
static bool is_char(const char *s)
{
    return (*s == '\'' || *s == '"') && s[1];
}

static uint32_t read_char(struct print *p, const char *s)
{
    uint32_t ch = (unsigned char)s[1];
    size_t n = 1;
    if (p->utf8) {
        n = wk_utf8_next(s + 1, strlen(s + 1), &ch);
        if (n == 1)
            ch = (unsigned char)s[1];
    }
    if (s[1 + n] && !wk_cmd_env(p->c, "POSIXLY_CORRECT")) {
        (void)wk_out_flush(p->c->out);
        wk_out_fmt(p->c->err, "%s: warning: %s: character(s) following character constant have been ignored\n",
                   p->c->name, s + 1 + n);
    }
    return ch;
}

/* s: the argument; used: how much of it was a number. */
static void judge(struct print *p, const char *s, size_t used, int err)
{
    (void)wk_out_flush(p->c->out);
    if (err)
        wk_msg(p->c, "%s: %s", wk_quote_arg(p->c, s), wk_err_text(WK_ERANGE));
    else if (s[used])
        wk_msg(p->c, used ? "%s: value not completely converted" : "%s: expected a numeric value",
               wk_quote_arg(p->c, s));
}

static size_t skip_blanks(const char *s)
{
    return strspn(s, " \t\n\v\f\r");
}

/* As strtoumax: *minus tells of a sign, which is not applied yet. */
static uint64_t read_integer(struct print *p, const char *s, bool *minus, bool wide)
{
    uint64_t v;
    int err = 0;
    *minus = false;
    if (is_char(s))
        return read_char(p, s);
    size_t at = skip_blanks(s);
    *minus = s[at] == '-';
    at += s[at] == '-' || s[at] == '+';
    size_t n = wk_is_digit(s[at]) ? wk_scan_u64(wk_str_c(s + at), 0, &v, &err) : 0;
    if (!n)
        v = 0;
    uint64_t most = wide ? UINT64_MAX : (uint64_t)INT64_MAX + *minus;
    if (err || v > most) {
        err = -WK_ERANGE;
        v = most;
        *minus = *minus && !wide;
    }
    judge(p, s, n ? at + n : 0, err);
    return v;
}

static int64_t signed_arg(struct print *p)
{
    const char *s = next_arg(p);
    bool minus;
    uint64_t v = s ? read_integer(p, s, &minus, false) : 0;
    return (int64_t)(s && minus ? 0 - v : v);
}

static uint64_t unsigned_arg(struct print *p)
{
    const char *s = next_arg(p);
    bool minus;
    uint64_t v = s ? read_integer(p, s, &minus, true) : 0;
    return s && minus ? 0 - v : v;
}

static long double float_arg(struct print *p)
{
    const char *s = next_arg(p);
    long double v = 0;
    int err = 0;
    if (!s)
        return 0;
    if (is_char(s))
        return read_char(p, s);
    size_t at = skip_blanks(s), n = wk_scan_ldouble(wk_str_c(s + at), &v, &err);
    judge(p, s, n ? at + n : 0, err);
    return v;
}

/* ---- directives --------------------------------------------------------------------------------- */

struct directive {
    struct wk_printf_spec spec;
    const char *start; /* its % */
    char ok[32];       /* conversions that its flags leave */
};

static void forbid(struct directive *d, const char *letters)
{
    for (; *letters; letters++) {
        char *at = strchr(d->ok, *letters);
        if (at)
            *at = '-';
    }
}

static const char *read_flags(struct directive *d, const char *s)
{
    for (;; s++) {
        switch (*s) {
        case '-': d->spec.flags |= WK_FMT_MINUS; break;
        case '+': d->spec.flags |= WK_FMT_PLUS; break;
        case ' ': d->spec.flags |= WK_FMT_SPACE; break;
        case '\'': forbid(d, "aAceEosxX"); break;
        case 'I': forbid(d, "aAceEosxX"); break;
        case '#':
            d->spec.flags |= WK_FMT_ALT;
            forbid(d, "cdisu");
            break;
        case '0':
            d->spec.flags |= WK_FMT_ZERO;
            forbid(d, "cs");
            break;
        default: return s;
        }
    }
}

static int64_t read_digits(struct print *p, const char **s)
{
    int64_t v = 0;
    for (; wk_is_digit(**s); ++*s) {
        v = v * 10 + (**s - '0');
        if (v > INT32_MAX)
            wk_fail(p->c, 1, "write error");
    }
    return v;
}

static const char *read_sizes(struct print *p, struct directive *d, const char *s)
{
    if (*s == '*') {
        int64_t v = signed_arg(p);
        if (v < INT32_MIN || v > INT32_MAX)
            wk_fail(p->c, 1, "invalid field width: %s", wk_quote_arg(p->c, p->args[p->at - 1]));
        wk_printf_set_width(&d->spec, v);
        s++;
    } else if (wk_is_digit(*s)) {
        wk_printf_set_width(&d->spec, read_digits(p, &s));
    }
    if (*s != '.')
        return s;
    forbid(d, "c");
    if (*++s == '*') {
        int64_t v = signed_arg(p);
        if (v > INT32_MAX)
            wk_fail(p->c, 1, "invalid precision: %s", wk_quote_arg(p->c, p->args[p->at - 1]));
        wk_printf_set_precision(&d->spec, v < 0 ? -1 : v);
        return s + 1;
    }
    wk_printf_set_precision(&d->spec, read_digits(p, &s));
    return s;
}

static void put_value(struct print *p, struct directive *d)
{
    const struct wk_printf_spec *f = &d->spec;
    const char *s;
    switch (f->conv) {
    case 'c':
        s = next_arg(p);
        wk_printf_char(p->buf, f, wk_str(s ? s : "", 1), false); /* of an empty word: NUL */
        break;
    case 's':
        s = next_arg(p);
        wk_printf_str(p->buf, f, wk_str_c(s ? s : ""), false);
        break;
    case 'd':
    case 'i': wk_printf_i64(p->buf, f, signed_arg(p)); break;
    case 'o':
    case 'u':
    case 'x':
    case 'X': wk_printf_u64(p->buf, f, unsigned_arg(p)); break;
    default: wk_printf_ldouble(p->buf, f, float_arg(p)); break;
    }
    put_buf(p);
}

/* A directive behind its %; returns what follows it. */
static const char *put_directive(struct print *p, const char *s)
{
    struct directive d = {.spec = {.precision = -1}, .start = s - 1, .ok = "aAcdeEfFgGiosuxX"};
    if (*s == '%') {
        wk_out_char(p->c->out, '%');
        return s + 1;
    }
    if (*s == 'b' || *s == 'q') {
        const char *arg = next_arg(p);
        if (*s == 'b' && arg)
            put_escaped(p, arg);
        else if (arg) {
            wk_quoting_put(p->buf, wk_str_c(arg), WK_QUOTING_SHELL_ESCAPE, false, "");
            put_buf(p);
        }
        return s + 1;
    }
    s = read_sizes(p, &d, read_flags(&d, s));
    s += strspn(s, "lLhjtz");
    d.spec.conv = *s;
    if (!*s || *s == '-' || !strchr(d.ok, *s)) {
        (void)wk_out_flush(p->c->out);
        wk_fail(p->c, 1, "%.*s: invalid conversion specification", (int)(s - d.start + (*s != '\0')), d.start);
    }
    put_value(p, &d);
    return s + 1;
}

static void put_format(struct print *p, const char *s)
{
    while (*s) {
        size_t n = strcspn(s, "%\\");
        wk_out_put(p->c->out, s, n);
        s += n;
        if (*s == '%') {
            s = put_directive(p, s + 1);
        } else if (*s) {
            s++;
            put_escape(p, &s, false);
        }
    }
}

static int printf_main(struct wk_cmd *c)
{
    struct print p = {.c = c, .utf8 = wk_cmd_utf8(c), .args = c->args, .n = c->nargs, .buf = wk_cmd_buf(c, INT32_MAX)};
    p.at = p.n && strcmp(p.args[0], "--") == 0;
    const char *format = next_arg(&p);
    if (!format)
        wk_usage(c, "missing operand");
    for (int before = -1; before != p.at && (before < 0 || p.at < p.n);) {
        before = p.at;
        put_format(&p, format);
    }
    if (p.at < p.n) {
        (void)wk_out_flush(c->out);
        wk_out_fmt(c->err, "%s: warning: ignoring excess arguments, starting with %s\n", c->name,
                   wk_quote_arg(c, p.args[p.at]));
    }
    return c->status;
}

WK_COMMAND(printf, .summary = "print words by a format", .usage = "printf FORMAT [WORD]...\nprintf OPTION",
           .std = "coreutils 9.1", .flags = WK_CMD_RAW_ARGS,
           .help = "FORMAT is used again until all words are. Besides printf(3)'s conversions:\n"
                   "  %b  the word with its escapes replaced; an octal number may begin with \\0\n"
                   "  %q  the word quoted for a shell\n"
                   "Escapes: \\\" \\\\ \\a \\b \\c (ends the output) \\e \\f \\n \\r \\t \\v \\NNN \\xHH \\uHHHH \\UHHHHHHHH\n");
