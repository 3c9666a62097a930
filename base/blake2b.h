/* blake2b.h - BLAKE2b without a key, streaming */
#ifndef WK_BASE_BLAKE2B_H
#define WK_BASE_BLAKE2B_H

#include "base/compiler.h"

#define WK_BLAKE2B_MAX 64 /* bytes of the longest digest */

struct wk_blake2b {
    uint64_t h[8];
    uint64_t total; /* bytes in full blocks so far (more than 2^64 are not counted) */
    unsigned char part[128];
    size_t part_n, size;
};

/* For digests of `size` bytes, 1 to 64. */
void wk_blake2b_init(struct wk_blake2b *s, size_t size);
void wk_blake2b_add(struct wk_blake2b *s, const void *p, size_t n);
/* Writes the digest and returns its length; the state is used up. */
size_t wk_blake2b_finish(struct wk_blake2b *s, unsigned char out[WK_BLAKE2B_MAX]);

#endif
