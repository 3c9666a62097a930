/* re_set.h - sets of characters as sorted ranges
 *
 * Only for text/re. A character is a code point, WK_UTF8_BAD + byte for a stray byte, or a byte
 * (0..255) in byte mode. Ranges live in the arena given.
 */
#ifndef WK_TEXT_RE_SET_H
#define WK_TEXT_RE_SET_H

#include "base/arena.h"
#include "base/utf8.h"

/* Once normalised: sorted, neither overlapping nor adjacent. */
struct wk_re_set {
    struct wk_range *r;
    uint32_t n, cap;
    bool failed; /* the arena refused */
};

/* Adds lo..hi. Nothing is in order until normalised. */
void wk_re_set_add(struct wk_arena *a, struct wk_re_set *s, uint32_t lo, uint32_t hi);
/* Adds a class; characters past ASCII only when `utf8`. */
void wk_re_set_class(struct wk_arena *a, struct wk_re_set *s, enum wk_class class, bool utf8);
/* Adds the other case of every letter in the set. */
void wk_re_set_fold(struct wk_arena *a, struct wk_re_set *s, bool utf8);
/* Sorts and joins. False when the account refuses. */
WK_NODISCARD bool wk_re_set_normalise(struct wk_arena *a, struct wk_re_set *s);
/* Turns a normalised set into its complement among all characters (stray bytes belong to no
 * complement). */
void wk_re_set_invert(struct wk_arena *a, struct wk_re_set *s, bool utf8);
/* Takes one character out of a normalised set. */
void wk_re_set_remove(struct wk_arena *a, struct wk_re_set *s, uint32_t c);
/* Whether a normalised set holds c. */
bool wk_re_set_has(const struct wk_re_set *s, uint32_t c);

#endif
