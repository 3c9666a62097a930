/* utf8.h - UTF-8 in byte strings that may hold anything
 *
 * Every byte that is not part of a well-formed character counts as one character of its own and
 * passes unharmed: decoding gives it as WK_UTF8_BAD + byte. ASCII takes the fast path everywhere.
 * Classes, case and width follow Unicode as the C.UTF-8 locale of glibc does.
 */
#ifndef WK_BASE_UTF8_H
#define WK_BASE_UTF8_H

#include "base/str.h"

/* Decoded form of a stray byte: WK_UTF8_BAD + byte. */
#define WK_UTF8_BAD 0x80000000u
#define WK_UTF8_MAX 0x10ffffu

static inline bool wk_utf8_is_bad(uint32_t c)
{
    return c >= WK_UTF8_BAD;
}

/* Has a byte the form of those that follow a character's first one? */
static inline bool wk_utf8_continues(unsigned char b)
{
    return (b & 0xc0) == 0x80;
}

/* Slow half of wk_utf8_next. */
size_t wk_utf8_next_multi(const char *p, size_t n, uint32_t *c);

/* Decodes the character at p (n >= 1 bytes are there); returns its length, 1..4. */
static inline size_t wk_utf8_next(const char *p, size_t n, uint32_t *c)
{
    unsigned char b = (unsigned char)*p;
    if (WK_LIKELY(b < 0x80)) {
        *c = b;
        return 1;
    }
    return wk_utf8_next_multi(p, n, c);
}

/* The same, or where a character is a byte: those from 0x80 on are strays then. */
static inline size_t wk_char_next(bool bytes, const char *p, size_t n, uint32_t *c)
{
    if (!bytes)
        return wk_utf8_next(p, n, c);
    unsigned char b = (unsigned char)*p;
    *c = b < 0x80 ? b : WK_UTF8_BAD + b;
    return 1;
}

/* Length of the character that ends at byte n of p (n >= 1). */
size_t wk_utf8_prev(const char *p, size_t n);

/* Encodes c: up to 4 bytes for Unicode, 5 or 6 for values up to 0x7fffffff (as bash's \U does), one
 * for WK_UTF8_BAD + byte. Returns the length. */
size_t wk_utf8_put(char out[6], uint32_t c);

/* The same for what \u and \U stand for; where a character is a byte those from 0x80 on stay \uXXXX or \UXXXXXXXX. */
size_t wk_char_put(bool bytes, char out[10], uint32_t c);

/* Length of the ASCII-only part at the start. */
size_t wk_utf8_ascii(struct wk_str s);
/* True when all of s is well-formed UTF-8. */
bool wk_utf8_valid(struct wk_str s);
/* Number of characters. */
size_t wk_utf8_count(struct wk_str s);
/* Byte offset of character number `chars` (clamped to s.n); *left, unless NULL, gets how many
 * characters were missing. */
size_t wk_utf8_offset(struct wk_str s, size_t chars, size_t *left);
/* Terminal columns of the whole slice; control characters and stray bytes count 0 and 1. */
size_t wk_utf8_columns(struct wk_str s);

/* The POSIX character classes. */
enum wk_class {
    WK_CLASS_ALNUM,
    WK_CLASS_ALPHA,
    WK_CLASS_BLANK,
    WK_CLASS_CNTRL,
    WK_CLASS_DIGIT,
    WK_CLASS_GRAPH,
    WK_CLASS_LOWER,
    WK_CLASS_PRINT,
    WK_CLASS_PUNCT,
    WK_CLASS_SPACE,
    WK_CLASS_UPPER,
    WK_CLASS_XDIGIT,
    WK_CLASS_COUNT
};
/* The class of a name such as "alpha"; WK_CLASS_COUNT when there is none. */
enum wk_class wk_class_named(struct wk_str name);
struct wk_range {
    uint32_t lo, hi;
};
/* The characters past ASCII of a class, as rising ranges; returns how many. */
size_t wk_class_ranges(enum wk_class class, const struct wk_range **ranges);
/* Whether c belongs to the class; stray bytes belong to none. */
bool wk_utf8_is(uint32_t c, enum wk_class class);

/* Case mappings, one character to one; others come back unchanged. */
uint32_t wk_utf8_upper(uint32_t c);
uint32_t wk_utf8_lower(uint32_t c);
/* Columns on a terminal: 0, 1 or 2; -1 for control characters and stray bytes. */
int wk_utf8_width(uint32_t c);

#endif
