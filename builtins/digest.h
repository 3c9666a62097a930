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
/* Refuses what is more than the longest. */
void wk_digest_length_check(struct wk_cmd *c, size_t size, const char *arg);
/* Reads an input to its end; its digest as hexadecimal text. `size` is for BLAKE2b, in bytes. False
 * after a message about the input. P */
bool wk_digest_input(struct wk_cmd *c, enum wk_digest_kind kind, size_t size, struct wk_in *in,
                     char hex[WK_DIGEST_HEX]);
/* "TAG (NAME) = HEX", or "HEX  NAME" with `mark` (' ' or '*') in front of the name; ended by a
 * newline, or by NUL and then without escapes. */
void wk_digest_put(struct wk_cmd *c, enum wk_digest_kind kind, const char *hex, const char *name,
                   char mark, bool zero);

/* A name with its newlines, carriage returns and backslashes escaped. */
void wk_digest_put_name(struct wk_out *o, const char *name);
/* The digest of a file as hexadecimal text; false after a message. P */
bool wk_digest_file(struct wk_cmd *c, enum wk_digest_kind a, size_t size, const char *path,
                    char hex[WK_DIGEST_HEX]);

enum { WK_CHECK_WARN = 1, WK_CHECK_QUIET, WK_CHECK_STATUS };

/* How lists are checked. */
struct wk_digest_check {
    int say; /* the last of --warn, --quiet, --status */
    bool ignore_missing, strict;
    bool lax;         /* two blanks may stand behind a tag */
    const char *said; /* the digest of messages, by the last tag */
    bool any;         /* whatever digest a line's tag names; lines without a tag are none */
    enum wk_digest_kind kind;
    size_t size; /* in bytes; 0: the digest's own */
    /* Between sum and name, by the first line of all lists that shows it: 1, or 2 (or a blank and *); 0: none yet. */
    int blanks;
};
/* Refuses these options where nothing is checked. */
void wk_digest_check_unused(struct wk_cmd *c, const struct wk_digest_check *o);
/* Checks the files that a list names. P */
void wk_digest_check_list(struct wk_cmd *c, struct wk_digest_check *o, const char *list);

#endif
