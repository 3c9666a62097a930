/* digest.h - the digests that commands know by name */
#ifndef WK_BUILTINS_DIGEST_H
#define WK_BUILTINS_DIGEST_H

#include "base/blake2b.h"
#include "base/md5.h"
#include "base/sha2.h"
#include "base/sm3.h"
#include "kern/cmd.h"

enum wk_digest_kind {
    WK_DIGEST_MD5,
    WK_DIGEST_SHA1,
    WK_DIGEST_SHA224,
    WK_DIGEST_SHA256,
    WK_DIGEST_SHA384,
    WK_DIGEST_SHA512,
    WK_DIGEST_BLAKE2B,
    WK_DIGEST_SM3,
    WK_DIGEST_COUNT
};

enum { WK_DIGEST_MAX = 64, WK_DIGEST_HEX = 2 * WK_DIGEST_MAX + 1 };

/* "MD5", "BLAKE2b"…: the tag in front of a name. */
const char *wk_digest_tag(enum wk_digest_kind kind);
/* Bytes of it; BLAKE2b's longest. */
size_t wk_digest_size(enum wk_digest_kind kind);
/* The argument of -l, bits of a BLAKE2b digest, as bytes; 0 for the longest. A wrong one ends the
 * process. */
size_t wk_digest_length(struct wk_cmd *c, const char *arg);
/* Reads an input to its end; its digest as hexadecimal text. `size` is for BLAKE2b, in bytes. False
 * after a message about the input. P */
bool wk_digest_input(struct wk_cmd *c, enum wk_digest_kind kind, size_t size, struct wk_in *in,
                     char hex[WK_DIGEST_HEX]);
/* "TAG (NAME) = HEX", or "HEX  NAME" with `mark` (' ' or '*') in front of the name; ended by a
 * newline, or by NUL and then without escapes. */
void wk_digest_put(struct wk_cmd *c, enum wk_digest_kind kind, const char *hex, const char *name,
                   char mark, bool zero);

#endif
