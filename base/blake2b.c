/* blake2b.c - BLAKE2b after RFC 7693 */
#include "base/blake2b.h"

#include <string.h>

/* The same numbers that SHA-512 begins with. */
static const uint64_t start[8] = {
    0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u,
    0x510e527fade682d1u, 0x9b05688c2b3e6c1fu, 0x1f83d9abfb41bd6bu, 0x5be0cd19137e2179u,
};

/* Which word each step of a round takes. */
static const unsigned char order[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static inline uint64_t rotr(uint64_t x, unsigned n)
{
    return x >> n | x << (64 - n);
}

static inline void mix(uint64_t *v, size_t a, size_t b, size_t c, size_t d, uint64_t x, uint64_t y)
{
    v[a] += v[b] + x;
    v[d] = rotr(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = rotr(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = rotr(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotr(v[b] ^ v[c], 63);
}

static void block(struct wk_blake2b *s, const unsigned char *p, uint64_t total, bool last)
{
    uint64_t m[16], v[16];
    for (size_t i = 0; i < 16; i++, p += 8) {
        m[i] = 0;
        for (unsigned k = 0; k < 8; k++)
            m[i] |= (uint64_t)p[k] << 8 * k;
    }
    memcpy(v, s->h, sizeof s->h);
    memcpy(v + 8, start, sizeof start);
    v[12] ^= total;
    if (last)
        v[14] = ~v[14];
    for (size_t r = 0; r < 12; r++) {
        const unsigned char *o = order[r % 10];
        for (size_t i = 0; i < 4; i++)
            mix(v, i, i + 4, i + 8, i + 12, m[o[2 * i]], m[o[2 * i + 1]]);
        for (size_t i = 0; i < 4; i++)
            mix(v, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12, m[o[8 + 2 * i]],
                m[o[9 + 2 * i]]);
    }
    for (size_t i = 0; i < 8; i++)
        s->h[i] ^= v[i] ^ v[i + 8];
}

void wk_blake2b_init(struct wk_blake2b *s, size_t size)
{
    memset(s, 0, sizeof *s);
    memcpy(s->h, start, sizeof start);
    s->size = size;
    s->h[0] ^= 0x01010000u ^ (uint64_t)size;
}

void wk_blake2b_add(struct wk_blake2b *s, const void *data, size_t n)
{
    const unsigned char *p = (const unsigned char *)data;
    while (n) {
        if (s->part_n == sizeof s->part) { /* a full block waits: it may be the last */
            s->total += sizeof s->part;
            block(s, s->part, s->total, false);
            s->part_n = 0;
        }
        size_t use = sizeof s->part - s->part_n;
        use = n < use ? n : use;
        memcpy(s->part + s->part_n, p, use);
        s->part_n += use;
        p += use;
        n -= use;
    }
}

size_t wk_blake2b_finish(struct wk_blake2b *s, unsigned char out[WK_BLAKE2B_MAX])
{
    memset(s->part + s->part_n, 0, sizeof s->part - s->part_n);
    block(s, s->part, s->total + s->part_n, true);
    for (size_t i = 0; i < s->size; i++)
        out[i] = (unsigned char)(s->h[i / 8] >> 8 * (i % 8) & 255);
    return s->size;
}
