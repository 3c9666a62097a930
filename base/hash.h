/* hash.h - small hash functions for tables (not for secrets) */
#ifndef WK_BASE_HASH_H
#define WK_BASE_HASH_H

#include "base/str.h"

/* FNV-1 with 32 bits (multiply, then xor) over signed bytes: the order of bash's associative arrays rests on it. */
static inline uint32_t wk_fnv1(struct wk_str s)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < s.n; i++) {
        uint32_t c = (unsigned char)s.p[i];
        h = (h * 16777619u) ^ (c < 128 ? c : c | 0xffffff00u);
    }
    return h;
}

/* 64 bits that depend on every bit of seed and bytes. With a secret seed, keys that collide cannot
 * be chosen beforehand. */
uint64_t wk_hash64(uint64_t seed, struct wk_str s);

#endif
