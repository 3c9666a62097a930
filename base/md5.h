/* md5.h - MD5 and SHA-1, streaming: checksums for scripts, not for secrets */
#ifndef WK_BASE_MD5_H
#define WK_BASE_MD5_H

#include "base/compiler.h"

#define WK_MD5_SIZE  16
#define WK_SHA1_SIZE 20

struct wk_md {
    uint32_t h[5];
    uint64_t total; /* bytes so far */
    unsigned char part[64];
    bool sha1;
};

void wk_md5_init(struct wk_md *s);
void wk_sha1_init(struct wk_md *s);
void wk_md_add(struct wk_md *s, const void *p, size_t n);
/* Writes the digest and returns its length (16 or 20); the state is used up. */
size_t wk_md_finish(struct wk_md *s, unsigned char out[WK_SHA1_SIZE]);

#endif
