/* printf_run.c - the whole of printf: a format run over arguments until they are used up */
#include "text/printfmt/printfmt.h"

#include "base/err.h"
#include "base/utf8.h"

enum { FLUSH_AT = 8192, LONGEST_QUOTED = 4096 };

struct state {
    struct wk_printf *p;
    const struct wk_str *args;
    size_t nargs, i;     /* next argument */
    int64_t flushed;     /* bytes handed over before this round's output */
    int64_t round_start; /* bytes at the start of the round (%n) */
    int status;
    bool stop;           /* \c or a fatal format error */
    int err;
};

static void complain(struct state *s, const char *before, struct wk_str a, const char *after)
{
    struct wk_buf text;
    if (!s->p->warn)
        return;
    wk_buf_init(&text, s->p->out->mem, SIZE_MAX / 4);
    wk_buf_put_c(&text, before);
    wk_buf_puts(&text, wk_str_take(a, LONGEST_QUOTED));
    if (wk_buf_put_c(&text, after))
        s->p->warn(s->p->ctx, wk_buf_c(&text));
    wk_buf_release(&text);
}

/* The next argument; "" when they are used up. */
static struct wk_str next_arg(struct state *s)
{
    return s->i < s->nargs ? s->args[s->i++] : wk_str("", 0);
}

static void judge_number(struct state *s, struct wk_str arg, enum wk_printf_arg r)
{
    if (arg.n == 0 || r == WK_FMT_ARG_OK)
        return;
    if (r == WK_FMT_ARG_RANGE) {
        complain(s, "warning: ", arg, ": Numerical result out of range");
        return;
    }
    s->status = 1;
    bool zero = arg.p[0] == '0' && arg.n > 1;
    const char *what = zero && wk_is_digit(arg.p[1])        ? ": invalid octal number"
                       : zero && (arg.p[1] | 0x20) == 'x' ? ": invalid hex number"
                                                            : ": invalid number";
    complain(s, "", arg, what);
}

/* Of 'x the character behind the quote counts: where that is a byte, the first one. */
static struct wk_str number_arg(struct state *s)
{
    struct wk_str arg = next_arg(s);
    return s->p->bytes && arg.n > 2 && (arg.p[0] == '\'' || arg.p[0] == '"') ? wk_str_take(arg, 2) : arg;
}

static int64_t int_arg(struct state *s)
{
    struct wk_str arg = number_arg(s);
    int64_t v;
    judge_number(s, arg, wk_printf_arg_i64(arg, &v));
    return v;
}

static void put_float(struct state *s, const struct wk_printf_spec *f)
{
    struct wk_str arg = number_arg(s);
    if (s->p->posix && f->length[0] != 'L') {
        double d;
        judge_number(s, arg, wk_printf_arg_double(arg, &d));
        wk_printf_double(s->p->out, f, d);
        return;
    }
    long double v;
    judge_number(s, arg, wk_printf_arg_ldouble(arg, &v));
    wk_printf_ldouble(s->p->out, f, v);
}

static void put_unsigned(struct state *s, const struct wk_printf_spec *f)
{
    struct wk_str arg = number_arg(s);
    uint64_t v;
    judge_number(s, arg, wk_printf_arg_u64(arg, &v));
    wk_printf_u64(s->p->out, f, v);
}

/* An escape without its digits is told, and stays. */
static void check_escape(struct state *s, char letter, size_t used)
{
    if (used)
        return;
    if (letter == 'x')
        complain(s, "missing hex digit for \\x", wk_str("", 0), "");
    else if (letter == 'u' || letter == 'U')
        complain(s, "missing unicode digit for \\", wk_str(&letter, 1), "");
}

/* The escape after a backslash: the bytes it takes, 0 = it is none. \c ends all of it, and then
 * nothing that was wrong before counts. */
static size_t put_escape(struct state *s, struct wk_buf *b, struct wk_str rest, enum wk_escape how)
{
    size_t used = wk_unescape_one(b, rest, how | (s->p->bytes ? WK_ESCAPE_BYTES : 0u), &s->stop);
    if (s->stop)
        s->status = 0;
    check_escape(s, rest.n ? rest.p[0] : '\0', used);
    if (used == 0)
        wk_buf_putc(b, '\\');
    return used;
}

static void put_expanded(struct state *s, const struct wk_printf_spec *f)
{
    struct wk_str arg = next_arg(s);
    struct wk_buf b;
    size_t i = 0;
    wk_buf_init(&b, s->p->out->mem, s->p->out->max);
    while (i < arg.n && !s->stop) {
        if (arg.p[i] != '\\') {
            const char *slash = memchr(arg.p + i, '\\', arg.n - i);
            size_t n = slash ? (size_t)(slash - arg.p) - i : arg.n - i;
            wk_buf_put(&b, arg.p + i, n);
            i += n;
            continue;
        }
        i += 1 + put_escape(s, &b, wk_str_from(arg, i + 1), WK_ESCAPE_B);
    }
    if (b.failed)
        s->p->out->failed = true;
    else
        wk_printf_str(s->p->out, f, wk_buf_str(&b), false);
    wk_buf_release(&b);
}

static void put_quoted(struct state *s, struct wk_printf_spec f)
{
    struct wk_str arg = next_arg(s);
    struct wk_buf b;
    wk_buf_init(&b, s->p->out->mem, s->p->out->max);
    /* %Q cuts the argument, by a number in the format; a point alone cuts what is quoted. */
    if (f.conv == 'Q' && f.precision >= 0 && !f.bare_precision) {
        if (!f.star_precision)
            arg = wk_str_take(arg, (size_t)f.precision);
        f.precision = -1;
    }
    wk_quote_text(&b, arg, WK_QUOTE_BACKSLASH | (s->p->bytes ? WK_QUOTE_BYTES : 0u));
    if (b.failed)
        s->p->out->failed = true;
    else
        wk_printf_str(s->p->out, &f, wk_buf_str(&b), false);
    wk_buf_release(&b);
}

static void put_time(struct state *s, const struct wk_printf_spec *f)
{
    struct wk_buf b;
    int64_t secs = s->i < s->nargs ? int_arg(s) : -1;
    wk_buf_init(&b, s->p->out->mem, s->p->out->max);
    if (s->p->put_time && s->p->put_time(s->p->ctx, &b, f->datefmt, secs))
        wk_printf_str(s->p->out, f, wk_buf_str(&b), false);
    if (b.failed)
        s->p->out->failed = true;
    wk_buf_release(&b);
}

static void put_count(struct state *s)
{
    struct wk_str name = next_arg(s);
    int64_t count = s->flushed + (int64_t)s->p->out->n - s->round_start;
    if (s->p->set_count && name.n && s->p->set_count(s->p->ctx, name, count)) {
        s->status = 1;
        s->stop = true;
    }
}

static void fatal(struct state *s, const char *before, struct wk_str what, const char *after)
{
    complain(s, before, what, after);
    s->status = 1;
    s->stop = true;
}

/* "%(" without its ")T", as in bash: the start is taken literally and the rest as format. */
static void bad_time_format(struct state *s, const struct wk_printf_spec *f, struct wk_str format)
{
    const char *end = format.p + format.n, *after = f->datefmt.p + f->datefmt.n;
    after += after < end; /* its parenthesis */
    complain(s, "warning: `", wk_str(after, after < end), "': invalid time format specification");
    wk_buf_puts(s->p->out, f->text);
}

/* One directive; *pos is past its '%'. */
static void directive(struct state *s, struct wk_str format, size_t *pos)
{
    struct wk_printf_spec f;
    struct wk_printf *p = s->p;
    wk_printf_parse(format, pos, &f);
    if (f.star_width)
        wk_printf_set_width(&f, int_arg(s));
    if (f.star_precision)
        wk_printf_set_precision(&f, int_arg(s));
    switch (f.conv) {
    case '\0':
        fatal(s, "`", f.text, "': missing format character");
        return;
    case 's':
        wk_printf_str(p->out, &f, next_arg(s), false);
        return;
    case 'c': {
        struct wk_str arg = next_arg(s);
        wk_printf_char(p->out, &f, arg.n ? arg : wk_str("", 1), false);
        return;
    }
    case 'b':
        put_expanded(s, &f);
        return;
    case 'd':
    case 'i':
        wk_printf_i64(p->out, &f, int_arg(s));
        return;
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        put_unsigned(s, &f);
        return;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        put_float(s, &f);
        return;
    case 'T':
        if (!f.datefmt.p)
            break;
        put_time(s, &f);
        return;
    case 'n':
        put_count(s);
        return;
    case 'q':
    case 'Q':
        put_quoted(s, f);
        return;
    case '(':
        bad_time_format(s, &f, format);
        return;
    default:
        break;
    }
    fatal(s, "`", wk_str(&f.conv, 1), "': invalid format character");
}

static void hand_over(struct state *s, bool all)
{
    struct wk_buf *out = s->p->out;
    if (!s->p->flush || out->failed || s->err || out->n < (all ? 1u : (size_t)FLUSH_AT))
        return;
    s->flushed += (int64_t)out->n;
    s->err = s->p->flush(s->p->ctx, out);
    if (s->err > 0)
        s->err = 0;
}

static void one_round(struct state *s, struct wk_str format)
{
    struct wk_buf *out = s->p->out;
    s->round_start = s->flushed + (int64_t)out->n;
    for (size_t i = 0; i < format.n && !s->stop && !out->failed && !s->err;) {
        char c = format.p[i];
        if (c == '\\') {
            struct wk_str rest = wk_str_from(format, i + 1);
            i += 1 + put_escape(s, out, rest, WK_ESCAPE_PRINTF);
        } else if (c == '%' && i + 1 < format.n && format.p[i + 1] == '%') {
            wk_buf_putc(out, '%');
            i += 2;
        } else if (c == '%') {
            i++;
            directive(s, format, &i);
            hand_over(s, false);
        } else {
            size_t from = i;
            while (i < format.n && format.p[i] != '%' && format.p[i] != '\\')
                i++;
            wk_buf_put(out, format.p + from, i - from);
        }
    }
}

int wk_printf_run(struct wk_printf *p, struct wk_str format, const struct wk_str *args,
                  size_t nargs)
{
    struct state s = {.p = p, .args = args, .nargs = nargs};
    size_t before;
    do {
        before = s.i;
        one_round(&s, format);
        hand_over(&s, false);
    } while (s.i < nargs && s.i > before && !s.stop && !s.err && !p->out->failed);
    hand_over(&s, true);
    if (s.err)
        return s.err;
    return p->out->failed ? -WK_ENOMEM : s.status;
}
