/* quoted.c - strings written so that the shell reads them back, as bash writes them */
#include "text/printfmt/printfmt.h"

#include "base/utf8.h"

/* Length of the character at s.p[i]; *plain tells whether it can be shown as it is. */
static size_t char_at(struct wk_str s, size_t i, bool bytes, bool *plain)
{
    uint32_t c;
    size_t n = wk_char_next(bytes, s.p + i, s.n - i, &c);
    *plain = !wk_utf8_is_bad(c) && wk_utf8_is(c, WK_CLASS_PRINT);
    return n;
}

static bool needs_ansi(struct wk_str s, bool bytes)
{
    for (size_t i = 0; i < s.n;) {
        bool plain;
        i += char_at(s, i, bytes, &plain);
        if (!plain)
            return true;
    }
    return false;
}

/* Whether a shell would not take s.p[i] for itself outside quotes. */
static bool is_meta(struct wk_str s, size_t i)
{
    switch (s.p[i]) {
    case ' ':
    case '\t':
    case '\n':
    case '\'':
    case '"':
    case '\\':
    case '|':
    case '&':
    case ';':
    case '(':
    case ')':
    case '<':
    case '>':
    case '!':
    case '{':
    case '}':
    case '*':
    case '[':
    case ']':
    case '?':
    case '^':
    case '$':
    case '`':
        return true;
    case '#':
        return i == 0;
    case '~':
        return i == 0 || s.p[i - 1] == ':' || s.p[i - 1] == '=';
    default:
        return false;
    }
}

static void put_ansi(struct wk_buf *b, struct wk_str s, bool bytes)
{
    static const char from[] = "\a\b\033\f\n\r\t\v\\'", to[] = "abEfnrtv\\'";
    wk_buf_put_c(b, "$'");
    for (size_t i = 0; i < s.n;) {
        bool plain;
        size_t n = char_at(s, i, bytes, &plain);
        const char *at = s.p[i] ? strchr(from, s.p[i]) : NULL;
        if (at) {
            wk_buf_putc(b, '\\');
            wk_buf_putc(b, to[at - from]);
        } else if (plain) {
            wk_buf_put(b, s.p + i, n);
        } else {
            for (size_t k = 0; k < n; k++)
                wk_buf_fmt(b, "\\%03o", (unsigned)(unsigned char)s.p[i + k]);
        }
        i += n;
    }
    wk_buf_putc(b, '\'');
}

static void put_single(struct wk_buf *b, struct wk_str s)
{
    if (s.n == 1 && s.p[0] == '\'') {
        wk_buf_put_c(b, "\\'");
        return;
    }
    wk_buf_putc(b, '\'');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\'')
            wk_buf_put_c(b, "'\\''");
        else
            wk_buf_putc(b, s.p[i]);
    }
    wk_buf_putc(b, '\'');
}

static void put_double(struct wk_buf *b, struct wk_str s)
{
    wk_buf_putc(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '$' || s.p[i] == '`' || s.p[i] == '"' || s.p[i] == '\\')
            wk_buf_putc(b, '\\');
        wk_buf_putc(b, s.p[i]);
    }
    wk_buf_putc(b, '"');
}

static void put_backslash(struct wk_buf *b, struct wk_str s)
{
    if (s.n == 0)
        wk_buf_put_c(b, "''");
    for (size_t i = 0; i < s.n; i++) {
        if (is_meta(s, i) || s.p[i] == ',')
            wk_buf_putc(b, '\\');
        wk_buf_putc(b, s.p[i]);
    }
}

bool wk_quote_text(struct wk_buf *b, struct wk_str s, unsigned style)
{
    bool bytes = style & WK_QUOTE_BYTES;
    enum wk_quote_style how = style & ~(unsigned)WK_QUOTE_BYTES;
    bool meta = s.n == 0;
    if (how == WK_QUOTE_TRACE || how == WK_QUOTE_AS_NEEDED)
        for (size_t i = 0; i < s.n && !meta; i++)
            meta = is_meta(s, i);
    if (how == WK_QUOTE_ANSI || (needs_ansi(s, bytes) && !(how == WK_QUOTE_TRACE && meta))) {
        put_ansi(b, s, bytes);
        return !b->failed;
    }
    switch (how) {
    case WK_QUOTE_BACKSLASH:
        put_backslash(b, s);
        break;
    case WK_QUOTE_AS_NEEDED:
    case WK_QUOTE_TRACE:
        if (meta)
            put_single(b, s);
        else
            wk_buf_puts(b, s);
        break;
    case WK_QUOTE_DOUBLE:
        put_double(b, s);
        break;
    case WK_QUOTE_SINGLE:
    case WK_QUOTE_ANSI:
        put_single(b, s);
        break;
    }
    return !b->failed;
}
