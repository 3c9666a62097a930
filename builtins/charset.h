/* charset.h - character sets by name, one character at a time
 *
 * Limits: UTF-8/16/32 and UCS, ASCII, ISO 8859, Windows, DOS and KOI8 sets; those of East Asia, EBCDIC and others
 *         are maps (charset_map.h).
 */
#ifndef WK_BUILTINS_CHARSET_H
#define WK_BUILTINS_CHARSET_H

#include "base/str.h"

/* The upper half of a single-byte set; 0: no character. */
struct wk_charset_table {
    const char *name;
    uint16_t code[128];
};
extern const struct wk_charset_table wk_charset_tables[]; /* ended by a row without a name */

enum wk_charset_kind {
    WK_CHARSET_ASCII,
    WK_CHARSET_LATIN1,
    WK_CHARSET_TABLE,
    WK_CHARSET_UTF8,
    WK_CHARSET_WIDE,
    WK_CHARSET_MAP /* charset_map.h */
};

/* A code that stands for two characters. */
#define WK_CHARSET_PAIR 0x80000000u

struct wk_charset_map;

struct wk_charset {
    enum wk_charset_kind kind;
    const struct wk_charset_table *table;
    const struct wk_charset_map *map; /* of MAP */
    int unit;                           /* of WIDE: 2 or 4 bytes */
    bool big, mark_read, mark_written;  /* byte order; whether a byte order mark is read, written */
    bool pairs;                         /* surrogates stand for characters */
};

/* Finds a set by one of its names, in either case, with or without '-' and '_'. */
bool wk_charset_find(struct wk_str name, struct wk_charset *out);
/* The section of the maps that a name stands for; NULL: none. */
const char *wk_charset_section(struct wk_str name);
/* The i-th of them; NULL past the end. */
const char *wk_charset_section_at(size_t i);

enum { WK_CHARSET_BAD = -1, WK_CHARSET_SHORT = -2 };
/* Decodes the character at p (n >= 1): its length and *c; or BAD, with the bytes to skip in *c; or SHORT, when
 * more bytes are wanted. */
int wk_charset_get(const struct wk_charset *s, const unsigned char *p, size_t n, uint32_t *c);
/* Encodes: its length, or 0 when the set does not have the character. */
size_t wk_charset_put(const struct wk_charset *s, uint32_t c, unsigned char out[4]);

#endif
