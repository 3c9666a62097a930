/* sm3.h - SM3, streaming */
#ifndef WK_BASE_SM3_H
#define WK_BASE_SM3_H

#include "base/compiler.h"

#define WK_SM3_SIZE 32

struct wk_sm3 {
    uint32_t h[8];
    uint64_t total; /* bytes so far */
    unsigned char part[64];
};

void wk_sm3_init(struct wk_sm3 *s);
void wk_sm3_add(struct wk_sm3 *s, const void *p, size_t n);
/* Writes the digest and returns its length; the state is used up. */
size_t wk_sm3_finish(struct wk_sm3 *s, unsigned char out[WK_SM3_SIZE]);

#endif
