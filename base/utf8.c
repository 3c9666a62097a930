/* utf8.c - decoding, encoding, counting */
#include "base/utf8.h"

size_t wk_utf8_next_multi(const char *p, size_t n, uint32_t *c)
{
    const unsigned char *u = (const unsigned char *)p;
    unsigned b = u[0];
    if (b >= 0xc2 && b < 0xe0) {
        if (n >= 2 && (u[1] & 0xc0) == 0x80) {
            *c = (b & 0x1f) << 6 | (u[1] & 0x3fu);
            return 2;
        }
    } else if (b >= 0xe0 && b < 0xf0) {
        if (n >= 3 && (u[1] & 0xc0) == 0x80 && (u[2] & 0xc0) == 0x80) {
            uint32_t v = (b & 0x0f) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
            if (v >= 0x800 && (v < 0xd800 || v > 0xdfff)) {
                *c = v;
                return 3;
            }
        }
    } else if (b >= 0xf0 && b < 0xf5) {
        if (n >= 4 && (u[1] & 0xc0) == 0x80 && (u[2] & 0xc0) == 0x80 && (u[3] & 0xc0) == 0x80) {
            uint32_t v =
                (b & 0x07) << 18 | (u[1] & 0x3fu) << 12 | (u[2] & 0x3fu) << 6 | (u[3] & 0x3fu);
            if (v >= 0x10000 && v <= WK_UTF8_MAX) {
                *c = v;
                return 4;
            }
        }
    } else if (b < 0x80) {
        *c = b;
        return 1;
    }
    *c = WK_UTF8_BAD + b;
    return 1;
}

size_t wk_utf8_prev(const char *p, size_t n)
{
    uint32_t c;
    for (size_t back = 2; back <= 4 && back <= n; back++) {
        if (((unsigned char)p[n - back + 1] & 0xc0) != 0x80)
            break; /* the byte after the candidate starts a character of its own */
        if (wk_utf8_next(p + n - back, back, &c) == back)
            return back;
    }
    return 1;
}

size_t wk_utf8_put(char out[6], uint32_t c)
{
    if (c >= WK_UTF8_BAD) {
        out[0] = (char)(unsigned char)c;
        return 1;
    }
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : c < 0x200000 ? 4 : c < 0x4000000 ? 5 : 6;
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(unsigned char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    out[0] = (char)(unsigned char)((0xff00u >> n & 0xff) | c);
    return n;
}

size_t wk_char_put(bool bytes, char out[10], uint32_t c)
{
    if (!bytes || c < 0x80)
        return wk_utf8_put(out, c);
    size_t digits = c > 0xffff ? 8 : 4;
    out[0] = '\\';
    out[1] = digits == 8 ? 'U' : 'u';
    for (size_t i = digits; i; i--, c >>= 4)
        out[1 + i] = "0123456789ABCDEF"[c & 15];
    return digits + 2;
}

size_t wk_utf8_ascii(struct wk_str s)
{
    size_t i = 0;
    for (; i + 8 <= s.n; i += 8) {
        uint64_t w;
        memcpy(&w, s.p + i, 8);
        if (w & 0x8080808080808080u)
            break;
    }
    while (i < s.n && (unsigned char)s.p[i] < 0x80)
        i++;
    return i;
}

bool wk_utf8_valid(struct wk_str s)
{
    size_t i = 0;
    for (;;) {
        i += wk_utf8_ascii(wk_str_from(s, i));
        if (i >= s.n)
            return true;
        uint32_t c;
        i += wk_utf8_next_multi(s.p + i, s.n - i, &c);
        if (wk_utf8_is_bad(c))
            return false;
    }
}

size_t wk_utf8_count(struct wk_str s)
{
    size_t i = 0, count = 0;
    while (i < s.n) {
        size_t ascii = (unsigned char)s.p[i] < 0x80 ? wk_utf8_ascii(wk_str_from(s, i)) : 0;
        i += ascii;
        count += ascii;
        uint32_t c;
        for (; i < s.n && (unsigned char)s.p[i] >= 0x80; count++)
            i += wk_utf8_next_multi(s.p + i, s.n - i, &c);
    }
    return count;
}

size_t wk_utf8_offset(struct wk_str s, size_t chars, size_t *left)
{
    size_t i = 0;
    while (chars && i < s.n) {
        if ((unsigned char)s.p[i] < 0x80) {
            size_t ascii = wk_utf8_ascii(wk_str_take(wk_str_from(s, i), chars));
            i += ascii;
            chars -= ascii;
        } else {
            uint32_t c;
            i += wk_utf8_next_multi(s.p + i, s.n - i, &c);
            chars--;
        }
    }
    if (left)
        *left = chars;
    return i;
}

size_t wk_utf8_columns(struct wk_str s)
{
    size_t columns = 0;
    for (size_t i = 0; i < s.n;) {
        uint32_t c;
        i += wk_utf8_next(s.p + i, s.n - i, &c);
        int w = wk_utf8_is_bad(c) ? 1 : wk_utf8_width(c);
        if (w > 0)
            columns += (size_t)w;
    }
    return columns;
}
