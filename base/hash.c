/* hash.c - seeded 64-bit hash by folded 128-bit products */
#include "base/hash.h"

static inline uint64_t fold(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 r = (unsigned __int128)a * b;
    return (uint64_t)r ^ (uint64_t)(r >> 64);
}

static inline uint64_t load64(const char *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

static inline uint64_t load32(const char *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

/* Odd numbers with as many one bits as zero bits, from the digits of pi and e. */
#define K0 0x243f6a8885a308d3u
#define K1 0xb7e151628aed2a6bu
#define K2 0x13198a2e03707345u

uint64_t wk_hash64(uint64_t seed, struct wk_str s)
{
    const char *p = s.p;
    size_t n = s.n;
    uint64_t h = fold(seed ^ K0, K1);
    for (; n > 16; p += 16, n -= 16)
        h = fold(load64(p) ^ K1, load64(p + 8) ^ h);
    uint64_t a = 0, b = 0;
    if (n >= 8) {
        a = load64(p);
        b = load64(p + n - 8);
    } else if (n >= 4) {
        a = load32(p);
        b = load32(p + n - 4);
    } else if (n) {
        a = (uint64_t)(unsigned char)p[0] << 16 | (uint64_t)(unsigned char)p[n / 2] << 8 |
            (unsigned char)p[n - 1];
    }
    return fold(fold(a ^ K1, b ^ h) ^ K2, s.n ^ K0);
}
