/* cmd_msg.c - messages and exits of leaf commands, quoted as GNU programs quote */
#include "kern/cmd.h"

void wk_warn(struct wk_cmd *c, const char *operand, int err)
{
    wk_out_c(c->err, c->name);
    wk_out_c(c->err, ": ");
    if (operand) {
        wk_out_c(c->err, wk_quote_maybe(c, operand));
        wk_out_c(c->err, ": ");
    }
    wk_out_c(c->err, wk_err_text(err));
    wk_out_char(c->err, '\n');
    if (!c->status)
        c->status = 1;
}

void wk_warn_q(struct wk_cmd *c, const char *what, const char *operand, int err)
{
    wk_out_fmt(c->err, "%s: cannot %s %s%s%s\n", c->name, what, wk_quote(c, operand), err ? ": " : "",
               err ? wk_err_text(err) : "");
    if (!c->status)
        c->status = 1;
}

static void put_message(struct wk_cmd *c, const char *fmt, va_list ap)
{
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(c->heap), SIZE_MAX / 2);
    wk_buf_fmt(&b, "%s: ", c->name);
    wk_buf_vfmt(&b, fmt, ap);
    wk_buf_putc(&b, '\n');
    char *copy = b.failed ? NULL : wk_heap_strndup(c->heap, b.p, b.n);
    size_t n = b.n;
    wk_buf_release(&b);
    if (!copy)
        wk_heap_exhausted(c->heap);
    wk_out_put(c->err, copy, n);
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

void wk_fail(struct wk_cmd *c, int status, const char *fmt, ...)
{
    va_list ap;
    wk_out_flush(c->out);
    va_start(ap, fmt);
    put_message(c, fmt, ap);
    va_end(ap);
    wk_exit(c, status);
}

void wk_usage(struct wk_cmd *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_message(c, fmt, ap);
    va_end(ap);
    wk_out_fmt(c->err, "Try '%s --help' for more information.\n", c->name);
    wk_exit(c, c->command->usage_status ? c->command->usage_status : 1);
}

/* ---- quoting --------------------------------------------------------------------------------------------- */

static bool is_plain(unsigned char ch)
{
    return wk_is_alnum(ch) || ch >= 0x80 || (ch && strchr("%+,-./:=@_", ch));
}

static bool is_control(unsigned char ch)
{
    return ch < 0x20 || ch == 0x7f;
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

/* shell-escape style: 'a b', "it's", 'a'$'\n''b'. */
static void put_quoted(struct wk_buf *b, const char *s)
{
    bool single = strchr(s, '\'') != NULL, other = false, open = true;
    for (const char *p = s; *p; p++)
        other = other || is_control((unsigned char)*p) || strchr("\"$`\\!", *p);
    if (single && !other) {
        wk_buf_fmt(b, "\"%s\"", s);
        return;
    }
    wk_buf_putc(b, '\'');
    for (const char *p = s; *p; p++) {
        unsigned char ch = (unsigned char)*p;
        if (is_control(ch)) {
            wk_buf_put_c(b, open ? "'$'" : "");
            open = false;
            put_control(b, ch);
            continue;
        }
        if (!open) {
            wk_buf_put_c(b, "''");
            open = true;
        }
        if (ch == '\'')
            wk_buf_put_c(b, "'\\''");
        else
            wk_buf_putc(b, *p);
    }
    wk_buf_putc(b, '\'');
}

static const char *quoted(struct wk_cmd *c, const char *s)
{
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(c->heap), SIZE_MAX / 2);
    put_quoted(&b, s);
    char *copy = b.failed ? NULL : wk_heap_strndup(c->heap, b.p, b.n);
    wk_buf_release(&b);
    if (!copy)
        wk_heap_exhausted(c->heap);
    return copy;
}

const char *wk_quote(struct wk_cmd *c, const char *name)
{
    return quoted(c, name);
}

const char *wk_quote_maybe(struct wk_cmd *c, const char *name)
{
    bool plain = *name != '\0';
    for (const char *p = name; *p && plain; p++)
        plain = is_plain((unsigned char)*p);
    return plain ? name : quoted(c, name);
}
