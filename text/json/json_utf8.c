/* json_utf8.c - UTF-8 in JSON texts: bytes that are none become U+FFFD */
#include "text/json/json_utf8.h"

#include "base/utf8.h"

/* Bytes of the character that b begins; 0: it begins none. */
static size_t length_of(unsigned char b)
{
    return b < 0x80 ? 1 : b < 0xc2 ? 0 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : b < 0xf5 ? 4 : 0;
}

size_t wk_json_utf8_next(const char *p, size_t n, bool *good)
{
    unsigned char b = (unsigned char)p[0];
    size_t want = length_of(b), i = 1;
    *good = false;
    if (want == 0)
        return 1;
    while (i < want && i < n && wk_utf8_continues((unsigned char)p[i]))
        i++;
    if (i < want)
        return i;
    unsigned char second = want > 1 ? (unsigned char)p[1] : 0;
    *good = !((b == 0xe0 && second < 0xa0) || (b == 0xed && second >= 0xa0) ||
              (b == 0xf0 && second < 0x90) || (b == 0xf4 && second >= 0x90));
    return want;
}

bool wk_json_utf8_valid(struct wk_str s)
{
    for (size_t i = 0;;) {
        i += wk_utf8_ascii(wk_str_from(s, i));
        if (i >= s.n)
            return true;
        bool good;
        i += wk_json_utf8_next(s.p + i, s.n - i, &good);
        if (!good)
            return false;
    }
}

size_t wk_json_utf8_mended(struct wk_str s, char *dst)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n;) {
        size_t len = wk_utf8_ascii(wk_str_from(s, i));
        bool good = true;
        if (len == 0)
            len = wk_json_utf8_next(s.p + i, s.n - i, &good);
        size_t put = good ? len : 3;
        if (dst)
            memcpy(dst + n, good ? s.p + i : "\xef\xbf\xbd", put);
        n += put;
        i += len;
    }
    return n;
}
