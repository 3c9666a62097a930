/* sha2.c - SHA-2 family after FIPS 180-4 */
#include "base/sha2.h"

#include <string.h>

/* The first 64 bits of the fractions of the cube roots of the first 80 primes; SHA-256 uses the
 * upper halves of the first 64. */
static const uint64_t round_constants[80] = {
    0x428a2f98d728ae22u, 0x7137449123ef65cdu, 0xb5c0fbcfec4d3b2fu, 0xe9b5dba58189dbbcu,
    0x3956c25bf348b538u, 0x59f111f1b605d019u, 0x923f82a4af194f9bu, 0xab1c5ed5da6d8118u,
    0xd807aa98a3030242u, 0x12835b0145706fbeu, 0x243185be4ee4b28cu, 0x550c7dc3d5ffb4e2u,
    0x72be5d74f27b896fu, 0x80deb1fe3b1696b1u, 0x9bdc06a725c71235u, 0xc19bf174cf692694u,
    0xe49b69c19ef14ad2u, 0xefbe4786384f25e3u, 0x0fc19dc68b8cd5b5u, 0x240ca1cc77ac9c65u,
    0x2de92c6f592b0275u, 0x4a7484aa6ea6e483u, 0x5cb0a9dcbd41fbd4u, 0x76f988da831153b5u,
    0x983e5152ee66dfabu, 0xa831c66d2db43210u, 0xb00327c898fb213fu, 0xbf597fc7beef0ee4u,
    0xc6e00bf33da88fc2u, 0xd5a79147930aa725u, 0x06ca6351e003826fu, 0x142929670a0e6e70u,
    0x27b70a8546d22ffcu, 0x2e1b21385c26c926u, 0x4d2c6dfc5ac42aedu, 0x53380d139d95b3dfu,
    0x650a73548baf63deu, 0x766a0abb3c77b2a8u, 0x81c2c92e47edaee6u, 0x92722c851482353bu,
    0xa2bfe8a14cf10364u, 0xa81a664bbc423001u, 0xc24b8b70d0f89791u, 0xc76c51a30654be30u,
    0xd192e819d6ef5218u, 0xd69906245565a910u, 0xf40e35855771202au, 0x106aa07032bbd1b8u,
    0x19a4c116b8d2d0c8u, 0x1e376c085141ab53u, 0x2748774cdf8eeb99u, 0x34b0bcb5e19b48a8u,
    0x391c0cb3c5c95a63u, 0x4ed8aa4ae3418acbu, 0x5b9cca4f7763e373u, 0x682e6ff3d6b2b8a3u,
    0x748f82ee5defb2fcu, 0x78a5636f43172f60u, 0x84c87814a1f0ab72u, 0x8cc702081a6439ecu,
    0x90befffa23631e28u, 0xa4506cebde82bde9u, 0xbef9a3f7b2c67915u, 0xc67178f2e372532bu,
    0xca273eceea26619cu, 0xd186b8c721c0c207u, 0xeada7dd6cde0eb1eu, 0xf57d4f7fee6ed178u,
    0x06f067aa72176fbau, 0x0a637dc5a2c898a6u, 0x113f9804bef90daeu, 0x1b710b35131c471bu,
    0x28db77f523047d84u, 0x32caab7b40c72493u, 0x3c9ebe0a15c9bebcu, 0x431d67c49c100d4cu,
    0x4cc5d4becb3e42b6u, 0x597f299cfc657e2au, 0x5fcb6fab3ad6faecu, 0x6c44198c4a475817u,
};

/* Fractions of the square roots of primes. */
static const uint64_t initial_512[8] = {
    0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u,
    0x510e527fade682d1u, 0x9b05688c2b3e6c1fu, 0x1f83d9abfb41bd6bu, 0x5be0cd19137e2179u,
};
static const uint64_t initial_384[8] = {
    0xcbbb9d5dc1059ed8u, 0x629a292a367cd507u, 0x9159015a3070dd17u, 0x152fecd8f70e5939u,
    0x67332667ffc00b31u, 0x8eb44a8768581511u, 0xdb0c2e0d64f98fa7u, 0x47b5481dbefa4fa4u,
};

static inline uint32_t rotr32(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}
static inline uint64_t rotr64(uint64_t x, unsigned n)
{
    return x >> n | x << (64 - n);
}

/* One round. The roles of the eight words turn by one from round to round, so the caller names them
 * in turn and nothing is moved; the new words are left in d and h. */
#define ROUND_256(a, b, c, d, e, f, g, h, n)                                                    \
    do {                                                                                        \
        uint32_t t = h + (rotr32(e, 6) ^ rotr32(e, 11) ^ rotr32(e, 25)) + (g ^ (e & (f ^ g))) + \
                     (uint32_t)(round_constants[n] >> 32) + w[n];                               \
        d += t;                                                                                 \
        h = t + (rotr32(a, 2) ^ rotr32(a, 13) ^ rotr32(a, 22)) + ((a & b) | (c & (a | b)));     \
    } while (0)

#define ROUND_512(a, b, c, d, e, f, g, h, n)                                                     \
    do {                                                                                         \
        uint64_t t = h + (rotr64(e, 14) ^ rotr64(e, 18) ^ rotr64(e, 41)) + (g ^ (e & (f ^ g))) + \
                     round_constants[n] + w[n];                                                  \
        d += t;                                                                                  \
        h = t + (rotr64(a, 28) ^ rotr64(a, 34) ^ rotr64(a, 39)) + ((a & b) | (c & (a | b)));     \
    } while (0)

#define EIGHT_ROUNDS(ROUND, n)                  \
    do {                                        \
        ROUND(a, b, c, d, e, f, g, k, (n));     \
        ROUND(k, a, b, c, d, e, f, g, (n) + 1); \
        ROUND(g, k, a, b, c, d, e, f, (n) + 2); \
        ROUND(f, g, k, a, b, c, d, e, (n) + 3); \
        ROUND(e, f, g, k, a, b, c, d, (n) + 4); \
        ROUND(d, e, f, g, k, a, b, c, (n) + 5); \
        ROUND(c, d, e, f, g, k, a, b, (n) + 6); \
        ROUND(b, c, d, e, f, g, k, a, (n) + 7); \
    } while (0)

static void block_256(uint32_t s[8], const unsigned char *p)
{
    uint32_t w[64];
    for (size_t i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (size_t i = 16; i < 64; i++) {
        uint32_t x = rotr32(w[i - 15], 7) ^ rotr32(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t y = rotr32(w[i - 2], 17) ^ rotr32(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + x + w[i - 7] + y;
    }
    uint32_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], k = s[7];
    for (size_t i = 0; i < 64; i += 8)
        EIGHT_ROUNDS(ROUND_256, i);
    s[0] += a;
    s[1] += b;
    s[2] += c;
    s[3] += d;
    s[4] += e;
    s[5] += f;
    s[6] += g;
    s[7] += k;
}

static void block_512(uint64_t s[8], const unsigned char *p)
{
    uint64_t w[80];
    for (size_t i = 0; i < 16; i++) {
        w[i] = 0;
        for (size_t n = 0; n < 8; n++)
            w[i] = w[i] << 8 | *p++;
    }
    for (size_t i = 16; i < 80; i++) {
        uint64_t x = rotr64(w[i - 15], 1) ^ rotr64(w[i - 15], 8) ^ w[i - 15] >> 7;
        uint64_t y = rotr64(w[i - 2], 19) ^ rotr64(w[i - 2], 61) ^ w[i - 2] >> 6;
        w[i] = w[i - 16] + x + w[i - 7] + y;
    }
    uint64_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], k = s[7];
    for (size_t i = 0; i < 80; i += 8)
        EIGHT_ROUNDS(ROUND_512, i);
    s[0] += a;
    s[1] += b;
    s[2] += c;
    s[3] += d;
    s[4] += e;
    s[5] += f;
    s[6] += g;
    s[7] += k;
}

static bool is_wide(const struct wk_sha2 *s)
{
    return s->kind == WK_SHA384 || s->kind == WK_SHA512;
}

void wk_sha2_init(struct wk_sha2 *s, enum wk_sha2_kind kind)
{
    memset(s, 0, sizeof *s);
    s->kind = kind;
    /* SHA-256 starts from the upper halves of SHA-512's numbers, SHA-224 from the lower halves of
     * SHA-384's. */
    for (size_t i = 0; i < 8; i++) {
        switch (kind) {
        case WK_SHA224:
            s->h.w32[i] = (uint32_t)initial_384[i];
            break;
        case WK_SHA256:
            s->h.w32[i] = (uint32_t)(initial_512[i] >> 32);
            break;
        case WK_SHA384:
            s->h.w64[i] = initial_384[i];
            break;
        case WK_SHA512:
            s->h.w64[i] = initial_512[i];
            break;
        }
    }
}

static void one_block(struct wk_sha2 *s, const unsigned char *p)
{
    if (is_wide(s))
        block_512(s->h.w64, p);
    else
        block_256(s->h.w32, p);
}

void wk_sha2_add(struct wk_sha2 *s, const void *data, size_t n)
{
    const unsigned char *p = data;
    const size_t block = is_wide(s) ? 128 : 64;
    s->total += n;
    if (s->part_n) {
        size_t take = WK_MIN(n, block - s->part_n);
        memcpy(s->part + s->part_n, p, take);
        s->part_n += take;
        p += take;
        n -= take;
        if (s->part_n < block)
            return;
        one_block(s, s->part);
        s->part_n = 0;
    }
    for (; n >= block; p += block, n -= block)
        one_block(s, p);
    if (n)
        memcpy(s->part, p, n);
    s->part_n = n;
}

size_t wk_sha2_finish(struct wk_sha2 *s, unsigned char out[WK_SHA2_MAX])
{
    static const unsigned char lengths[] = {
        [WK_SHA224] = 28, [WK_SHA256] = 32, [WK_SHA384] = 48, [WK_SHA512] = 64};
    const size_t block = is_wide(s) ? 128 : 64;
    const size_t tail = is_wide(s) ? 16 : 8;
    uint64_t bits = s->total * 8;
    s->part[s->part_n++] = 0x80;
    if (s->part_n > block - tail) {
        memset(s->part + s->part_n, 0, block - s->part_n);
        one_block(s, s->part);
        s->part_n = 0;
    }
    memset(s->part + s->part_n, 0, block - s->part_n);
    for (size_t i = 0; i < 8; i++)
        s->part[block - 1 - i] = (unsigned char)(bits >> 8 * i);
    one_block(s, s->part);
    size_t n = lengths[s->kind];
    for (size_t i = 0; i < n; i++)
        out[i] = is_wide(s) ? (unsigned char)(s->h.w64[i / 8] >> (56 - i % 8 * 8))
                            : (unsigned char)(s->h.w32[i / 4] >> (24 - i % 4 * 8));
    return n;
}
