/* rng.h - fast seedable random numbers (not for secrets)
 *
 * xoshiro256** seeded by splitmix64: the state is the caller's, the same seed gives the same row.
 */
#ifndef WK_BASE_RNG_H
#define WK_BASE_RNG_H

#include "base/compiler.h"

struct wk_rng {
    uint64_t s[4];
};

/* One step of splitmix64; also a good mixer of a counter. */
static inline uint64_t wk_splitmix(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline void wk_rng_seed(struct wk_rng *r, uint64_t seed)
{
    for (size_t i = 0; i < 4; i++)
        r->s[i] = wk_splitmix(&seed);
}

static inline uint64_t wk_rng_rotl(uint64_t x, unsigned k)
{
    return (x << k) | (x >> (64 - k));
}

/* 64 random bits. */
static inline uint64_t wk_rng_next(struct wk_rng *r)
{
    uint64_t *s = r->s;
    uint64_t out = wk_rng_rotl(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = wk_rng_rotl(s[3], 45);
    return out;
}

/* A number below `limit` (> 0), every one as likely. */
static inline uint64_t wk_rng_below(struct wk_rng *r, uint64_t limit)
{
    uint64_t skip = (0 - limit) % limit; /* 2^64 mod limit values would be favoured */
    uint64_t v;
    do
        v = wk_rng_next(r);
    while (v < skip);
    return v % limit;
}

#endif
