/* sha2.h - SHA-224, SHA-256, SHA-384 and SHA-512, streaming */
#ifndef WK_BASE_SHA2_H
#define WK_BASE_SHA2_H

#include "base/compiler.h"

enum wk_sha2_kind { WK_SHA224, WK_SHA256, WK_SHA384, WK_SHA512 };

#define WK_SHA2_MAX 64 /* bytes of the longest digest */

struct wk_sha2 {
    enum wk_sha2_kind kind;
    union {
        uint32_t w32[8];
        uint64_t w64[8];
    } h;
    uint64_t total; /* bytes so far (more than 2^61 are not counted) */
    unsigned char part[128];
    size_t part_n;
};

void wk_sha2_init(struct wk_sha2 *s, enum wk_sha2_kind kind);
void wk_sha2_add(struct wk_sha2 *s, const void *p, size_t n);
/* Writes the digest and returns its length; the state is used up. */
size_t wk_sha2_finish(struct wk_sha2 *s, unsigned char out[WK_SHA2_MAX]);

#endif
