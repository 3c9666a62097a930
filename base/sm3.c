/* sm3.c - SM3 after GB/T 32905-2016 */
#include "base/sm3.h"

#include <string.h>

static inline uint32_t rotl(uint32_t x, unsigned n)
{
    n %= 32;
    return n ? x << n | x >> (32 - n) : x;
}

static inline uint32_t mix9(uint32_t x)
{
    return x ^ rotl(x, 9) ^ rotl(x, 17);
}

static inline uint32_t mix15(uint32_t x)
{
    return x ^ rotl(x, 15) ^ rotl(x, 23);
}

static void block(uint32_t h[8], const unsigned char *p)
{
    uint32_t w[68], v[8];
    for (size_t i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (size_t i = 16; i < 68; i++)
        w[i] = mix15(w[i - 16] ^ w[i - 9] ^ rotl(w[i - 3], 15)) ^ rotl(w[i - 13], 7) ^ w[i - 6];
    memcpy(v, h, sizeof v);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t a = v[0], b = v[1], c = v[2], e = v[4], f = v[5], g = v[6];
        uint32_t one = rotl(rotl(a, 12) + e + rotl(i < 16 ? 0x79cc4519u : 0x7a879d8au, i), 7);
        uint32_t two = one ^ rotl(a, 12);
        uint32_t ff = i < 16 ? a ^ b ^ c : (a & b) | (a & c) | (b & c);
        uint32_t gg = i < 16 ? e ^ f ^ g : (e & f) | (~e & g);
        uint32_t x = ff + v[3] + two + (w[i] ^ w[i + 4]), y = gg + v[7] + one + w[i];
        v[3] = c;
        v[2] = rotl(b, 9);
        v[1] = a;
        v[0] = x;
        v[7] = g;
        v[6] = rotl(f, 19);
        v[5] = e;
        v[4] = mix9(y);
    }
    for (size_t i = 0; i < 8; i++)
        h[i] ^= v[i];
}

void wk_sm3_init(struct wk_sm3 *s)
{
    static const uint32_t start[8] = {0x7380166fu, 0x4914b2b9u, 0x172442d7u, 0xda8a0600u,
                                      0xa96f30bcu, 0x163138aau, 0xe38dee4du, 0xb0fb0e4eu};
    memset(s, 0, sizeof *s);
    memcpy(s->h, start, sizeof start);
}

void wk_sm3_add(struct wk_sm3 *s, const void *data, size_t n)
{
    const unsigned char *p = (const unsigned char *)data;
    while (n) {
        size_t at = (size_t)(s->total % sizeof s->part), use = sizeof s->part - at;
        use = n < use ? n : use;
        memcpy(s->part + at, p, use);
        s->total += use;
        p += use;
        n -= use;
        if (at + use == sizeof s->part)
            block(s->h, s->part);
    }
}

size_t wk_sm3_finish(struct wk_sm3 *s, unsigned char out[WK_SM3_SIZE])
{
    uint64_t bits = s->total * 8;
    unsigned char end[72] = {0x80};
    size_t at = (size_t)(s->total % sizeof s->part), pad = (at < 56 ? 56 : 120) - at;
    for (size_t i = 0; i < 8; i++)
        end[pad + i] = (unsigned char)(bits >> 8 * (7 - i) & 255);
    wk_sm3_add(s, end, pad + 8);
    for (size_t i = 0; i < WK_SM3_SIZE; i++)
        out[i] = (unsigned char)(s->h[i / 4] >> 8 * (3 - i % 4) & 255);
    return WK_SM3_SIZE;
}
