/* pattern_bracket.h - bracket expressions of shell patterns
 *
 * Only for text/pattern.
 */
#ifndef WK_TEXT_PATTERN_BRACKET_H
#define WK_TEXT_PATTERN_BRACKET_H

#include "text/pattern/pattern_priv.h"

/* The set of the bracket expression text[i..end) (as wk_pat_bracket_end found it); NULL when the
 * arena refuses. */
struct wk_pat_set *wk_pat_bracket(struct wk_arena *a, struct wk_str text, size_t i, size_t end,
                                  bool nocase);

#endif
