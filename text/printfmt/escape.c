/* escape.c - backslash escapes of echo, printf and $'…' */
#include "text/printfmt/printfmt.h"

#include "base/utf8.h"

static int digit_of(char c)
{
    if (wk_is_digit(c))
        return c - '0';
    return wk_is_xdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10 : 99;
}

/* Reads up to `most` digits of a base at s.p[*i]. */
static uint64_t read_digits(struct wk_str s, size_t *i, int base, size_t most)
{
    uint64_t v = 0;
    for (size_t k = 0; k < most && *i < s.n && digit_of(s.p[*i]) < base; k++)
        v = (v * (uint64_t)base + (uint64_t)digit_of(s.p[(*i)++])) & 0xffffffffffffull;
    return v;
}

static void set_stop(bool *stop)
{
    if (stop)
        *stop = true;
}

static size_t put_byte(struct wk_buf *b, uint64_t v, size_t used, enum wk_escape how, bool *stop)
{
    char c = (char)(unsigned char)(v & 0xff);
    if (c == '\0' && how == WK_ESCAPE_ANSI)
        set_stop(stop);
    else
        wk_buf_putc(b, c);
    return used;
}

static size_t hex_escape(struct wk_buf *b, struct wk_str s, enum wk_escape how, bool *stop)
{
    size_t i = 1;
    if (how == WK_ESCAPE_ANSI && s.n > 1 && s.p[1] == '{') {
        i = 2;
        uint64_t v = read_digits(s, &i, 16, SIZE_MAX);
        if (i < s.n && s.p[i] == '}')
            i++;
        return put_byte(b, v, i, how, stop);
    }
    uint64_t v = read_digits(s, &i, 16, 2);
    return i == 1 ? 0 : put_byte(b, v, i, how, stop);
}

static size_t unicode_escape(struct wk_buf *b, struct wk_str s, size_t most, enum wk_escape how,
                             bool bytes, bool *stop)
{
    size_t i = 1;
    uint64_t v = read_digits(s, &i, 16, most);
    if (i == 1)
        return 0;
    if (v == 0)
        return put_byte(b, 0, i, how, stop);
    if (v <= 0x7fffffff || bytes) {
        char out[10];
        wk_buf_put(b, out, wk_char_put(bytes, out, (uint32_t)v));
    }
    return i;
}

/* \cX of $'…'; "\c\\" takes both backslashes. */
static size_t control_escape(struct wk_buf *b, struct wk_str s, bool *stop)
{
    if (s.n < 2)
        return 0;
    unsigned char c = (unsigned char)s.p[1];
    size_t used = c == '\\' && s.n > 2 && s.p[2] == '\\' ? 3 : 2;
    return put_byte(b, c == '?' ? 127u : (unsigned)wk_to_upper(c) & 0x1f, used, WK_ESCAPE_ANSI,
                    stop);
}

size_t wk_unescape_one(struct wk_buf *b, struct wk_str s, unsigned kind, bool *stop)
{
    enum wk_escape how = kind & ~(unsigned)WK_ESCAPE_BYTES;
    static const char from[] = "abeEfnrtv\\", to[] = "\a\b\033\033\f\n\r\t\v\\";
    char c = s.n ? s.p[0] : '\0';
    const char *at = c ? strchr(from, c) : NULL;
    if (at) {
        wk_buf_putc(b, to[at - from]);
        return 1;
    }
    if (c >= '0' && c <= '7') {
        size_t i = 0;
        if (how == WK_ESCAPE_ECHO && c != '0')
            return 0;
        if (c == '0' && (how == WK_ESCAPE_ECHO || how == WK_ESCAPE_B))
            i = 1;
        uint64_t v = read_digits(s, &i, 8, 3);
        return put_byte(b, v, i, how, stop);
    }
    switch (c) {
    case 'x':
        return hex_escape(b, s, how, stop);
    case 'u':
    case 'U':
        return unicode_escape(b, s, c == 'u' ? 4 : 8, how, kind & WK_ESCAPE_BYTES, stop);
    case 'c':
        if (how == WK_ESCAPE_ANSI)
            return control_escape(b, s, stop);
        if (how == WK_ESCAPE_PRINTF)
            return 0;
        set_stop(stop);
        return 1;
    case '\'':
    case '"':
    case '?':
        if (how != WK_ESCAPE_PRINTF && how != WK_ESCAPE_ANSI)
            return 0;
        wk_buf_putc(b, c);
        return 1;
    default:
        return 0;
    }
}

bool wk_unescape(struct wk_buf *b, struct wk_str s, unsigned how, bool *stop)
{
    bool ended = false;
    size_t i = 0;
    while (i < s.n && !ended) {
        const char *slash = memchr(s.p + i, '\\', s.n - i);
        size_t plain = slash ? (size_t)(slash - s.p) - i : s.n - i;
        wk_buf_put(b, s.p + i, plain);
        i += plain;
        if (i >= s.n)
            break;
        size_t used = wk_unescape_one(b, wk_str_from(s, i + 1), how, &ended);
        if (used == 0)
            wk_buf_putc(b, '\\');
        i += used + 1;
    }
    if (ended)
        set_stop(stop);
    return !b->failed;
}
