/* printf.c - print by a format: the program (the shell has a builtin of its own)
 *
 * Standard: GNU coreutils 9.1. Oracle: env printf.
 */
#include "base/fnum.h"
#include "base/num.h"
#include "base/utf8.h"
#include "builtins/quoting.h"
#include "builtins/zone.h"
#include "kern/cmd.h"
#include "text/printfmt/printfmt.h"

struct printer {
    struct wk_cmd *c;
    struct wk_buf *text;
    char **v; /* the arguments that are left */
    int n;
    bool utf8, strict;
};

static void put_text(struct printer *p)
{
    if (p->text->failed)
        wk_heap_exhausted(p->c->heap);
    wk_out_str(p->c->out, wk_buf_str(p->text));
    wk_buf_reset(p->text);
}

/* ---- escapes --------------------------------------------------------------------------------- */

static int digit_of(char ch)
{
    if (wk_is_digit(ch))
        return ch - '0';
    char lower = (char)wk_to_lower((unsigned char)ch);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

/* The digits at *p, at most so many; how many there were. */
static int read_digits(const char **p, int base, int most, uint32_t *out)
{
    int n = 0;
    for (*out = 0; n < most && digit_of(**p) < base; n++)
        *out = *out * (uint32_t)base + (uint32_t)digit_of(*(*p)++);
    return n;
}

/* \uHHHH and \UHHHHHHHH; what the locale has no character for stays an escape. */
static const char *put_unicode(struct printer *s, const char *p)
{
    char letter = *p++, bytes[6];
    uint32_t ch;
    int digits = letter == 'u' ? 4 : 8;
    if (read_digits(&p, 16, digits, &ch) < digits)
        wk_fail(s->c, 1, "missing hexadecimal number in escape");
    if ((ch <= 0x9f && ch != 0x24 && ch != 0x40 && ch != 0x60) || (ch >= 0xd800 && ch <= 0xdfff))
        wk_fail(s->c, 1, "invalid universal character name \\%c%0*x", letter, digits, ch);
    if (ch < 0x80)
        wk_out_char(s->c->out, (char)ch);
    else if (s->utf8 && ch <= 0x10ffff)
        wk_out_put(s->c->out, bytes, wk_utf8_put(bytes, ch));
    else
        wk_out_fmt(s->c->out, ch < 0x10000 ? "\\u%04X" : "\\U%08X", ch);
    return p;
}

/* The escape at p, which is behind the backslash; the place behind it. In %b octal numbers may have a zero more. */
static const char *put_escape(struct printer *s, const char *p, bool in_argument)
{
    static const char letters[] = "abefnrtv\\\"", bytes[] = "\a\b\033\f\n\r\t\v\\\"";
    uint32_t v;
    const char *at = *p ? strchr(letters, *p) : NULL;
    if (at) {
        wk_out_char(s->c->out, bytes[at - letters]);
        return p + 1;
    }
    if (*p == 'c')
        wk_exit(s->c, 0);
    if (*p == 'x') {
        p++;
        if (!read_digits(&p, 16, 2, &v))
            wk_fail(s->c, 1, "missing hexadecimal number in escape");
        wk_out_char(s->c->out, (char)v);
        return p;
    }
    if (digit_of(*p) < 8) {
        p += in_argument && *p == '0';
        (void)read_digits(&p, 8, 3, &v);
        wk_out_char(s->c->out, (char)(v & 255));
        return p;
    }
    if (*p == 'u' || *p == 'U')
        return put_unicode(s, p);
    wk_out_char(s->c->out, '\\');
    if (*p)
        wk_out_char(s->c->out, *p++);
    return p;
}

static void put_escaped(struct printer *s, const char *p)
{
    while (*p) {
        size_t plain = strcspn(p, "\\");
        wk_out_put(s->c->out, p, plain);
        p += plain;
        if (*p)
            p = put_escape(s, p + 1, true);
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* 'x or "x: the code of a character. */
static bool read_character(struct printer *s, const char *word, uint32_t *out)
{
    if ((*word != '\'' && *word != '"') || !word[1])
        return false;
    struct wk_str text = wk_str_c(word + 1);
    size_t used = 1;
    *out = (unsigned char)text.p[0];
    if (s->utf8 && text.n > 1) {
        uint32_t ch;
        used = wk_utf8_next(text.p, text.n, &ch);
        if (used > 1)
            *out = ch;
    }
    if (text.p[used] && !s->strict) {
        wk_out_flush(s->c->out);
        wk_out_fmt(s->c->err, "%s: warning: %s: character(s) following character constant have been ignored\n",
                   s->c->name, text.p + used);
    }
    return true;
}

/* Says what is wrong with a number that ends at `used` bytes. */
static void judge(struct printer *s, const char *word, size_t used, int err)
{
    if (err)
        wk_msg(s->c, "%s: %s", wk_quote_arg(s->c, word), wk_err_text(WK_ERANGE));
    else if (*word && used == 0)
        wk_msg(s->c, "%s: expected a numeric value", wk_quote_arg(s->c, word));
    else if (word[used])
        wk_msg(s->c, "%s: value not completely converted", wk_quote_arg(s->c, word));
}

static int64_t read_signed(struct printer *s, const char *word)
{
    uint32_t ch;
    int64_t v = 0;
    int err = 0;
    if (read_character(s, word, &ch))
        return ch;
    size_t blanks = strspn(word, " \t\n\v\f\r");
    size_t used = wk_scan_i64(wk_str_c(word + blanks), 0, &v, &err);
    judge(s, word, used ? blanks + used : 0, err);
    return v;
}

static uint64_t read_unsigned(struct printer *s, const char *word)
{
    uint32_t ch;
    uint64_t v = 0;
    int err = 0;
    if (read_character(s, word, &ch))
        return ch;
    size_t before = strspn(word, " \t\n\v\f\r");
    bool minus = word[before] == '-';
    before += minus || word[before] == '+';
    size_t used = word[before] == '+' ? 0 : wk_scan_u64(wk_str_c(word + before), 0, &v, &err);
    judge(s, word, used ? before + used : 0, err);
    return minus && !err ? 0 - v : v;
}

static long double read_float(struct printer *s, const char *word)
{
    uint32_t ch;
    long double v = 0;
    int err = 0;
    if (read_character(s, word, &ch))
        return ch;
    size_t blanks = strspn(word, " \t\n\v\f\r");
    size_t used = wk_scan_ldouble(wk_str_c(word + blanks), &v, &err);
    judge(s, word, used ? blanks + used : 0, err);
    return v;
}

/* ---- directives ------------------------------------------------------------------------------ */

static const char *next_word(struct printer *s)
{
    if (!s->n)
        return "";
    s->n--;
    return *s->v++;
}

/* Digits of a width or precision; past what printf(3) takes nothing can be written. */
static int read_size(struct printer *s, const char **p)
{
    uint64_t v = 0;
    int err = 0;
    if (wk_is_digit(**p))
        *p += wk_scan_u64(wk_str_c(*p), 10, &v, &err);
    if (err || v >= INT32_MAX)
        wk_fail(s->c, 1, "write error");
    return (int)v;
}

static const char *read_width(struct printer *s, const char *p, struct wk_printf_spec *f)
{
    if (*p != '*') {
        f->has_width = wk_is_digit(*p);
        f->width = (size_t)read_size(s, &p);
        return p;
    }
    if (s->n) {
        const char *word = next_word(s);
        int64_t v = read_signed(s, word);
        if (v < INT32_MIN || v > INT32_MAX)
            wk_fail(s->c, 1, "invalid field width: %s", wk_quote_arg(s->c, word));
        f->has_width = true;
        f->width = (size_t)(v < 0 ? -v : v);
        f->flags |= v < 0 ? WK_FMT_MINUS : 0;
    }
    return p + 1;
}

static const char *read_precision(struct printer *s, const char *p, struct wk_printf_spec *f)
{
    if (*p != '*') {
        f->precision = read_size(s, &p);
        return p;
    }
    f->precision = 0;
    if (s->n) {
        const char *word = next_word(s);
        int64_t v = read_signed(s, word);
        if (v > INT32_MAX)
            wk_fail(s->c, 1, "invalid precision: %s", wk_quote_arg(s->c, word));
        f->precision = v < 0 ? -1 : (int)v;
    }
    return p + 1;
}

static void put_value(struct printer *s, struct wk_printf_spec *f)
{
    const char *word = next_word(s);
    switch (f->conv) {
    case 'd':
    case 'i':
        wk_printf_i64(s->text, f, read_signed(s, word));
        break;
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        wk_printf_u64(s->text, f, read_unsigned(s, word));
        break;
    case 'c': /* of no text the NUL behind it */
        wk_printf_char(s->text, f, wk_str(word, 1), false);
        break;
    case 's':
        wk_printf_str(s->text, f, wk_str_c(word), false);
        break;
    default:
        wk_printf_ldouble(s->text, f, read_float(s, word));
        break;
    }
    put_text(s);
}

static void put_quoted(struct printer *s)
{
    if (!s->n)
        return;
    struct wk_str word = wk_str_c(next_word(s));
    if (!s->utf8 && wk_utf8_ascii(word) < word.n)
        wk_buf_put_c(s->text, wk_quote(s->c, word.p)); /* bytes past ASCII are escaped */
    else
        (void)wk_quoting_put(s->text, word, WK_QUOTING_SHELL_ESCAPE, false, "");
    put_text(s);
}

/* The directive at start, which is its %; the place behind it. */
static const char *directive(struct printer *s, const char *start)
{
    static const char flags[] = "-+ #0'I";
    static const char *const refuses[] = {"", "", "", "cdisu", "cs", "aAceEosxX", "aAceEosxX"};
    struct wk_printf_spec f = {.precision = -1};
    const char *p = start + 1, *at;
    bool refused[256] = {false};
    if (*p == '%') {
        wk_out_char(s->c->out, '%');
        return p + 1;
    }
    if (*p == 'b') {
        put_escaped(s, next_word(s));
        return p + 1;
    }
    if (*p == 'q') {
        put_quoted(s);
        return p + 1;
    }
    for (; *p && (at = strchr(flags, *p)); p++) {
        if (*p != 'I')
            f.flags |= 1u << (at - flags);
        for (const char *r = refuses[at - flags]; *r; r++)
            refused[(unsigned char)*r] = true;
    }
    p = read_width(s, p, &f);
    if (*p == '.') {
        refused['c'] = true;
        p = read_precision(s, p + 1, &f);
    }
    p += strspn(p, "lLhjtz");
    f.conv = *p;
    if (!*p || !strchr("aAcdeEfFgGiosuxX", *p) || refused[(unsigned char)*p])
        wk_fail(s->c, 1, "%.*s: invalid conversion specification", (int)WK_MIN(p - start + 1, INT32_MAX), start);
    put_value(s, &f);
    return p + 1;
}

static void print_once(struct printer *s, const char *p)
{
    while (*p) {
        size_t plain = strcspn(p, "%\\");
        wk_out_put(s->c->out, p, plain);
        p += plain;
        if (*p == '%')
            p = directive(s, p);
        else if (*p)
            p = put_escape(s, p + 1, false);
    }
    wk_tick(s->c, 4);
}

static int printf_main(struct wk_cmd *c)
{
    int at = c->nargs && strcmp(c->args[0], "--") == 0;
    if (c->nargs <= at)
        wk_usage(c, "missing operand");
    struct printer s = {.c = c, .text = wk_cmd_buf(c, SIZE_MAX / 2), .v = c->args + at + 1, .n = c->nargs - at - 1,
                        .utf8 = wk_cmd_utf8(c), .strict = wk_cmd_env(c, "POSIXLY_CORRECT") != NULL};
    int before;
    do {
        before = s.n;
        print_once(&s, c->args[at]);
    } while (s.n && s.n < before);
    if (s.n) {
        wk_out_flush(c->out);
        wk_out_fmt(c->err, "%s: warning: ignoring excess arguments, starting with %s\n", c->name,
                   wk_quote_arg(c, s.v[0]));
    }
    return c->status;
}

WK_COMMAND(printf, .summary = "format and print data", .usage = "printf FORMAT [ARGUMENT]...\nprintf OPTION",
           .std = "coreutils 9.1",
           .flags = WK_CMD_RAW_ARGS,
           .help = "FORMAT is used again until the arguments are used up. Directives are those of printf(3), %b\n"
                   "(escapes are interpreted) and %q (quoted for a shell). Escapes: \\\" \\\\ \\a \\b \\c (stop) \\e\n"
                   "\\f \\n \\r \\t \\v \\NNN \\xHH \\uHHHH \\UHHHHHHHH.");
