/* charset_map.h - character sets of several bytes a character
 *
 * Owner:   the process heap (half a megabyte a set).
 */
#ifndef WK_BUILTINS_CHARSET_MAP_H
#define WK_BUILTINS_CHARSET_MAP_H

#include "builtins/charset.h"
#include "kern/cmd.h"

/* Above the first 65,536 characters. */
struct wk_charset_far {
    uint32_t c, code;
};

/* Characters in a row that have codes of four bytes in a row. */
struct wk_charset_range {
    uint32_t linear, c, n;
};

struct wk_charset_map {
    struct wk_cmd *c;
    uint32_t one[256];                  /* characters by code; -1: none */
    uint32_t *two;                      /* by code - 0x8000 */
    uint32_t *three;                    /* behind 8F: rows of 94 */
    uint32_t *code;                     /* by character */
    const struct wk_charset_rule *rule; /* NULL: one byte a character */
    struct wk_charset_far *far;
    size_t nfar, far_cap;
    struct wk_charset_range range[256];
    size_t nranges;
    struct wk_charset_far *joined; /* of sets of one byte: a letter's and a mark's, and what they are together */
    size_t njoined, joined_cap;
    uint32_t pair[8][2]; /* of codes that stand for two characters */
    size_t npairs;
    unsigned char *gone; /* while it is read: codes of its base that are taken away */
    bool any_gone;
};

/* How a character is written in ASCII where a set does not have it: in every locale (0), only where text is UTF-8 (1),
 * only where it is not (2). */
struct wk_spelling {
    uint32_t c;
    char where;
    struct wk_str text;
};
/* All of them, sorted. A */
struct wk_spelling *wk_spellings_read(struct wk_cmd *c, size_t *n);
/* Reads the set that a section of the maps describes; NULL: there is none. A */
struct wk_charset_map *wk_charset_map_read(struct wk_cmd *c, const char *name);
/* What two characters in a row are together; 0: two. */
uint32_t wk_charset_map_join(const struct wk_charset_map *m, uint32_t letter, uint32_t mark);
/* Whether some mark joins a letter. */
bool wk_charset_map_joins(const struct wk_charset_map *m, uint32_t letter);
/* As wk_charset_get and wk_charset_put. A character with WK_CHARSET_PAIR stands for two: m->pair[c
 * - WK_CHARSET_PAIR]. */
int wk_charset_map_get(const struct wk_charset_map *m, const unsigned char *p, size_t n,
                       uint32_t *c);
size_t wk_charset_map_put(const struct wk_charset_map *m, uint32_t c, unsigned char out[4]);

#endif
