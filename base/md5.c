/* md5.c - MD5 after RFC 1321 and SHA-1 after FIPS 180-4 */
#include "base/md5.h"

#include <string.h>

/* floor(2^32 * |sin(i + 1)|) */
static const uint32_t sines[64] = {
    0xd76aa478u, 0xe8c7b756u, 0x242070dbu, 0xc1bdceeeu, 0xf57c0fafu, 0x4787c62au, 0xa8304613u,
    0xfd469501u, 0x698098d8u, 0x8b44f7afu, 0xffff5bb1u, 0x895cd7beu, 0x6b901122u, 0xfd987193u,
    0xa679438eu, 0x49b40821u, 0xf61e2562u, 0xc040b340u, 0x265e5a51u, 0xe9b6c7aau, 0xd62f105du,
    0x02441453u, 0xd8a1e681u, 0xe7d3fbc8u, 0x21e1cde6u, 0xc33707d6u, 0xf4d50d87u, 0x455a14edu,
    0xa9e3e905u, 0xfcefa3f8u, 0x676f02d9u, 0x8d2a4c8au, 0xfffa3942u, 0x8771f681u, 0x6d9d6122u,
    0xfde5380cu, 0xa4beea44u, 0x4bdecfa9u, 0xf6bb4b60u, 0xbebfbc70u, 0x289b7ec6u, 0xeaa127fau,
    0xd4ef3085u, 0x04881d05u, 0xd9d4d039u, 0xe6db99e5u, 0x1fa27cf8u, 0xc4ac5665u, 0xf4292244u,
    0x432aff97u, 0xab9423a7u, 0xfc93a039u, 0x655b59c3u, 0x8f0ccc92u, 0xffeff47du, 0x85845dd1u,
    0x6fa87e4fu, 0xfe2ce6e0u, 0xa3014314u, 0x4e0811a1u, 0xf7537e82u, 0xbd3af235u, 0x2ad7d2bbu,
    0xeb86d391u,
};

static inline uint32_t rotl(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

/* Four steps, after which the words have their places again. */
#define MD5_STEP(f, a, b, c, d, at, i, turn) a = b + rotl(a + f(b, c, d) + w[at] + sines[i], turn)
#define MD5_FOUR(f, i, first, by, t0, t1, t2, t3)                    \
    MD5_STEP(f, a, b, c, d, (first) % 16, (i), t0);                  \
    MD5_STEP(f, d, a, b, c, ((first) + (by)) % 16, (i) + 1, t1);     \
    MD5_STEP(f, c, d, a, b, ((first) + 2 * (by)) % 16, (i) + 2, t2); \
    MD5_STEP(f, b, c, d, a, ((first) + 3 * (by)) % 16, (i) + 3, t3)
#define MD5_SIXTEEN(f, i, first, by, t0, t1, t2, t3)              \
    MD5_FOUR(f, i, first, by, t0, t1, t2, t3);                    \
    MD5_FOUR(f, (i) + 4, (first) + 4 * (by), by, t0, t1, t2, t3); \
    MD5_FOUR(f, (i) + 8, (first) + 8 * (by), by, t0, t1, t2, t3); \
    MD5_FOUR(f, (i) + 12, (first) + 12 * (by), by, t0, t1, t2, t3)
#define MD5_F(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define MD5_G(x, y, z) ((y) ^ ((z) & ((x) ^ (y))))
#define MD5_H(x, y, z) ((x) ^ (y) ^ (z))
#define MD5_I(x, y, z) ((y) ^ ((x) | ~(z)))

static void md5_block(uint32_t h[4], const unsigned char *p)
{
    uint32_t w[16], a = h[0], b = h[1], c = h[2], d = h[3];
    for (size_t i = 0; i < 16; i++, p += 4)
        w[i] = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    MD5_SIXTEEN(MD5_F, 0, 0, 1, 7, 12, 17, 22);
    MD5_SIXTEEN(MD5_G, 16, 1, 5, 5, 9, 14, 20);
    MD5_SIXTEEN(MD5_H, 32, 5, 3, 4, 11, 16, 23);
    MD5_SIXTEEN(MD5_I, 48, 0, 7, 6, 10, 15, 21);
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
}

/* The words of the message go round in a ring of sixteen. */
#define SHA1_FIRST(i) w[(i) % 16]
#define SHA1_NEXT(i) \
    (w[(i) % 16] =   \
         rotl(w[((i) + 13) % 16] ^ w[((i) + 8) % 16] ^ w[((i) + 2) % 16] ^ w[(i) % 16], 1))
#define SHA1_STEP(f, k, word, a, b, c, d, e)     \
    e += rotl(a, 5) + f(b, c, d) + (k) + (word); \
    b = rotl(b, 30)
/* Five steps, after which the numbers have their places again. */
#define SHA1_FIVE(f, k, W, i)                   \
    SHA1_STEP(f, k, W(i), a, b, c, d, e);       \
    SHA1_STEP(f, k, W((i) + 1), e, a, b, c, d); \
    SHA1_STEP(f, k, W((i) + 2), d, e, a, b, c); \
    SHA1_STEP(f, k, W((i) + 3), c, d, e, a, b); \
    SHA1_STEP(f, k, W((i) + 4), b, c, d, e, a)
#define SHA1_TWENTY(f, k, i)              \
    SHA1_FIVE(f, k, SHA1_NEXT, i);        \
    SHA1_FIVE(f, k, SHA1_NEXT, (i) + 5);  \
    SHA1_FIVE(f, k, SHA1_NEXT, (i) + 10); \
    SHA1_FIVE(f, k, SHA1_NEXT, (i) + 15)
#define SHA1_MAJORITY(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))

static void sha1_block(uint32_t h[5], const unsigned char *p)
{
    uint32_t w[16], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (size_t i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    SHA1_FIVE(MD5_F, 0x5a827999u, SHA1_FIRST, 0);
    SHA1_FIVE(MD5_F, 0x5a827999u, SHA1_FIRST, 5);
    SHA1_FIVE(MD5_F, 0x5a827999u, SHA1_FIRST, 10);
    SHA1_STEP(MD5_F, 0x5a827999u, SHA1_FIRST(15), a, b, c, d, e);
    SHA1_STEP(MD5_F, 0x5a827999u, SHA1_NEXT(16), e, a, b, c, d);
    SHA1_STEP(MD5_F, 0x5a827999u, SHA1_NEXT(17), d, e, a, b, c);
    SHA1_STEP(MD5_F, 0x5a827999u, SHA1_NEXT(18), c, d, e, a, b);
    SHA1_STEP(MD5_F, 0x5a827999u, SHA1_NEXT(19), b, c, d, e, a);
    SHA1_TWENTY(MD5_H, 0x6ed9eba1u, 20);
    SHA1_TWENTY(SHA1_MAJORITY, 0x8f1bbcdcu, 40);
    SHA1_TWENTY(MD5_H, 0xca62c1d6u, 60);
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

static void start(struct wk_md *s, bool sha1)
{
    *s = (struct wk_md){.h = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u},
                        .sha1 = sha1};
}

void wk_md5_init(struct wk_md *s)
{
    start(s, false);
}

void wk_sha1_init(struct wk_md *s)
{
    start(s, true);
}

static void one_block(struct wk_md *s, const unsigned char *p)
{
    if (s->sha1)
        sha1_block(s->h, p);
    else
        md5_block(s->h, p);
}

void wk_md_add(struct wk_md *s, const void *data, size_t n)
{
    const unsigned char *p = data;
    size_t have = s->total % 64;
    s->total += n;
    if (have) {
        size_t take = WK_MIN(n, 64 - have);
        memcpy(s->part + have, p, take);
        if (have + take < 64)
            return;
        one_block(s, s->part);
        p += take;
        n -= take;
    }
    for (; n >= 64; p += 64, n -= 64)
        one_block(s, p);
    if (n)
        memcpy(s->part, p, n);
}

size_t wk_md_finish(struct wk_md *s, unsigned char out[WK_SHA1_SIZE])
{
    uint64_t bits = s->total * 8;
    size_t have = s->total % 64;
    s->part[have++] = 0x80;
    memset(s->part + have, 0, 64 - have);
    if (have > 56) {
        one_block(s, s->part);
        memset(s->part, 0, 64);
    }
    for (size_t i = 0; i < 8; i++) /* MD5 is little-endian, SHA-1 big-endian */
        s->part[56 + i] = (unsigned char)(bits >> (s->sha1 ? 56 - 8 * i : 8 * i));
    one_block(s, s->part);
    size_t n = s->sha1 ? WK_SHA1_SIZE : WK_MD5_SIZE;
    for (size_t i = 0; i < n; i++)
        out[i] = (unsigned char)(s->h[i / 4] >> (s->sha1 ? 24 - i % 4 * 8 : i % 4 * 8));
    return n;
}
