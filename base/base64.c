/* base64.c - base64 of whole buffers */
#include "base/base64.h"
#include "base/err.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool wk_base64_put(struct wk_buf *b, struct wk_str s)
{
    const unsigned char *p = (const unsigned char *)s.p;
    if (!wk_buf_room(b, s.n / 3 * 4 + 4))
        return false;
    for (size_t i = 0; i < s.n; i += 3) {
        size_t have = WK_MIN((size_t)3, s.n - i);
        uint32_t v = (uint32_t)p[i] << 16;
        if (have > 1)
            v |= (uint32_t)p[i + 1] << 8;
        if (have > 2)
            v |= p[i + 2];
        char four[4] = {alphabet[v >> 18], alphabet[v >> 12 & 63],
                        have > 1 ? alphabet[v >> 6 & 63] : '=', have > 2 ? alphabet[v & 63] : '='};
        wk_buf_put(b, four, 4);
    }
    return !b->failed;
}

static unsigned value_of(char c)
{
    const char *at = c ? memchr(alphabet, c, 64) : NULL;
    return at ? (unsigned)(at - alphabet) : 64;
}

int wk_base64_get(struct wk_buf *b, struct wk_str s)
{
    uint32_t v = 0;
    unsigned digits = 0, pads = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\n')
            continue;
        unsigned d = value_of(s.p[i]);
        if (s.p[i] == '=' && digits >= 2) {
            pads++;
            d = 0;
        } else if (d > 63 || pads) {
            return -WK_EINVAL;
        }
        v = v << 6 | d;
        if (++digits < 4)
            continue;
        char three[3] = {(char)(v >> 16), (char)(v >> 8), (char)v};
        wk_buf_put(b, three, 3 - pads);
        digits = 0;
        v = 0;
        if (pads) { /* nothing but newlines may follow */
            while (++i < s.n && s.p[i] == '\n')
                ;
            return b->failed ? -WK_ENOMEM : i < s.n ? -WK_EINVAL : 0;
        }
    }
    return b->failed ? -WK_ENOMEM : digits ? -WK_EINVAL : 0;
}
