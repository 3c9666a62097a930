/* cmd_msg.c - messages and exits of leaf commands, quoted as GNU programs quote */
#include "kern/cmd.h"

#include "base/utf8.h"

/* The message is made before anything is written: writing may park, and what the arguments point to
 * may be borrowed from a stream. As GNU programs do, what was printed before it stands before it. */
static WK_PRINTF(2, 0) void put_message(struct wk_cmd *c, const char *fmt, va_list ap)
{
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(c->heap), SIZE_MAX / 2);
    wk_buf_fmt(&b, "%s: ", c->name);
    wk_buf_vfmt(&b, fmt, ap);
    wk_buf_putc(&b, '\n');
    size_t n = b.n;
    char *text = wk_keep(c, &b);
    (void)wk_out_flush(c->out);
    wk_out_put(c->err, text, n);
    wk_heap_free(c->heap, text);
}

void wk_msg(struct wk_cmd *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_message(c, fmt, ap);
    va_end(ap);
    if (!c->status)
        c->status = 1;
}

void wk_warn(struct wk_cmd *c, const char *operand, int err)
{
    if (operand)
        wk_msg(c, "%s: %s", wk_quote_maybe(c, operand), wk_err_text(err));
    else
        wk_msg(c, "%s", wk_err_text(err));
}

void wk_warn_q(struct wk_cmd *c, const char *what, const char *operand, int err)
{
    wk_msg(c, "cannot %s %s%s%s", what, wk_quote(c, operand), err ? ": " : "",
           err ? wk_err_text(err) : "");
}

void wk_fail(struct wk_cmd *c, int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_message(c, fmt, ap);
    va_end(ap);
    wk_exit(c, status);
}

void wk_try_help(struct wk_cmd *c)
{
    if (c->command->flags & WK_CMD_SAY_NAME)
        wk_out_fmt(c->err, "%s: ", c->name);
    wk_out_fmt(c->err, "Try '%s --help' for more information.\n", c->name);
    wk_exit(c, c->command->usage_status ? c->command->usage_status : 1);
}

void wk_usage(struct wk_cmd *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_message(c, fmt, ap);
    va_end(ap);
    if (c->command->flags & WK_CMD_SAY_USAGE)
        wk_out_fmt(c->err, "Usage: %s\n", c->command->usage);
    wk_try_help(c);
}

/* ---- quoting
 * --------------------------------------------------------------------------------------------- */

/* Printed as it is: bytes of a printable character. Returns how many there are, 0 when it must be
 * escaped. */
static size_t printable(struct wk_str s, bool utf8)
{
    if ((unsigned char)s.p[0] < 0x80)
        return s.p[0] >= 0x20 && s.p[0] != 0x7f;
    if (!utf8)
        return 0;
    uint32_t c;
    size_t n = wk_utf8_next(s.p, s.n, &c);
    return wk_utf8_is(c, WK_CLASS_PRINT) ? n : 0;
}

/* Characters that mean something to a shell wherever they stand. */
static bool is_special(char ch)
{
    return strchr("!\"$&()*;<=>?[\\^`|", ch) != NULL;
}

static bool is_plain(struct wk_str s, bool utf8)
{
    if (!s.n || s.p[0] == '~' || s.p[0] == '#' || wk_str_is(s, "{") || wk_str_is(s, "}"))
        return false;
    while (s.n) {
        size_t n = printable(s, utf8);
        if (!n || strchr(" ':", s.p[0]) || is_special(s.p[0]))
            return false;
        s = wk_str_from(s, n);
    }
    return true;
}

static void put_control(struct wk_buf *b, unsigned char ch)
{
    static const char from[] = "\a\b\t\n\v\f\r", to[] = "abtnvfr";
    const char *at = ch ? strchr(from, ch) : NULL;
    if (at)
        wk_buf_fmt(b, "\\%c", to[at - from]);
    else
        wk_buf_fmt(b, "\\%03o", ch);
}

/* Whether "it's" will do; as GNU has it, # and ~ do no harm in front, and braces do everywhere. */
static bool fits_double(struct wk_str s, bool utf8)
{
    bool single = false;
    for (bool first = true; s.n; first = false) {
        size_t n = printable(s, utf8);
        if (!n || is_special(s.p[0]) || strchr(first ? "{}" : "{}#~", s.p[0]))
            return false;
        single = single || s.p[0] == '\'';
        s = wk_str_from(s, n);
    }
    return single;
}

static bool ends_escaped(struct wk_str s, bool utf8)
{
    size_t n = 1;
    while (s.n) {
        n = printable(s, utf8);
        s = wk_str_from(s, n ? n : 1);
    }
    return n == 0;
}

/* shell-escape style: 'a b', "it's", 'a'$'\n''b'. */
static void put_quoted(struct wk_buf *b, struct wk_str s, bool utf8)
{
    if (fits_double(s, utf8)) {
        wk_buf_putc(b, '"');
        wk_buf_puts(b, s);
        wk_buf_putc(b, '"');
        return;
    }
    /* GNU tries double quotes first when there is a single quote, and takes over into its second
     * attempt how the first one ended: seen in its output, and kept. */
    bool open = !(s.n && memchr(s.p, '\'', s.n) && ends_escaped(s, utf8));
    wk_buf_putc(b, '\'');
    while (s.n) {
        size_t n = printable(s, utf8);
        bool single = s.p[0] == '\'';
        if (n && !open && !single)
            wk_buf_put_c(b, "''");
        else if (!n && open)
            wk_buf_put_c(b, "'$'");
        open = n > 0;
        if (!n)
            put_control(b, (unsigned char)s.p[0]);
        else if (single)
            wk_buf_put_c(b, "'\\''");
        else
            wk_buf_put(b, s.p, n);
        s = wk_str_from(s, n ? n : 1);
    }
    wk_buf_putc(b, '\'');
}

/* As in a C string: 'a b', 'it\'s', 'a\nb'; where characters are UTF-8, with quotation marks: ‘it's’. */
static void put_escaped(struct wk_buf *b, struct wk_str s, bool utf8)
{
    wk_buf_put_c(b, utf8 ? "‘" : "'");
    while (s.n) {
        size_t n = printable(s, utf8);
        if (!n) {
            put_control(b, (unsigned char)s.p[0]);
        } else {
            if (wk_str_starts(s, wk_str_c(utf8 ? "’" : "'")) || s.p[0] == '\\')
                wk_buf_putc(b, '\\');
            wk_buf_put(b, s.p, n);
        }
        s = wk_str_from(s, n ? n : 1);
    }
    wk_buf_put_c(b, utf8 ? "’" : "'");
}

static const char *quoted(struct wk_cmd *c, const char *s,
                          void (*put)(struct wk_buf *b, struct wk_str s, bool utf8))
{
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(c->heap), SIZE_MAX / 2);
    put(&b, wk_str_c(s), wk_cmd_utf8(c));
    return wk_keep(c, &b);
}

const char *wk_quote(struct wk_cmd *c, const char *name)
{
    return quoted(c, name, put_quoted);
}

const char *wk_quote_maybe(struct wk_cmd *c, const char *name)
{
    return is_plain(wk_str_c(name), wk_cmd_utf8(c)) ? name : quoted(c, name, put_quoted);
}

const char *wk_quote_arg(struct wk_cmd *c, const char *text)
{
    return quoted(c, text, put_escaped);
}
