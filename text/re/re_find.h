/* re_find.h - where one of a few texts begins: what a search looks at before any automaton
 *
 * Only for text/re. A text is bytes with a mask each: a byte b of the subject fits when
 * (b | mask) == byte; a mask has one bit at most, by which a letter's cases differ. A finder lives
 * in the arena it was made in and never changes afterwards.
 *
 * Limits: WK_RE_FIND_TEXTS texts; none is empty.
 */
#ifndef WK_TEXT_RE_FIND_H
#define WK_TEXT_RE_FIND_H

#include "base/arena.h"
#include "base/str.h"

enum { WK_RE_FIND_TEXTS = 64, WK_RE_FIND_BUCKETS = 8, WK_RE_FIND_PRINT = 3 };

struct wk_re_text {
    const uint8_t *byte, *mask;
    uint32_t n;
    bool masked; /* some mask is not 0 */
    uint8_t bucket;
};

struct wk_re_finder {
    const struct wk_re_text *text; /* longest first */
    uint32_t n, shortest;
    uint32_t at[2]; /* one text: its two rarest bytes */
    uint8_t byte[2], mask[2];
    uint32_t print;                     /* several: leading bytes looked at */
    uint8_t hit[WK_RE_FIND_PRINT][256]; /* byte -> buckets whose texts have it there */
    uint8_t low[WK_RE_FIND_PRINT][16], high[WK_RE_FIND_PRINT][16]; /* the same by half bytes */
};

/* NULL when the arena refuses. The bytes of the texts are copied. */
struct wk_re_finder *wk_re_finder_new(struct wk_arena *a, const struct wk_re_text *texts, size_t n);
/* The first place at or after `from` where a text begins, and the longest that does there (*len,
 * may be NULL); SIZE_MAX when there is none. */
size_t wk_re_finder_next(const struct wk_re_finder *f, struct wk_str s, size_t from, size_t *len);
/* How rare a text is: bits of information, very roughly; a set of texts is as rare as the sum. */
unsigned wk_re_text_rarity(const uint8_t *byte, const uint8_t *mask, size_t n);

#endif
