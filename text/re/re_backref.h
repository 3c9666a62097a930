/* re_backref.h - the engine of patterns with back-references
 *
 * Owner:   the expression, one for each search that runs.
 * Limits:  steps and memory of a search; reaching one is -WK_ELIMIT.
 */
#ifndef WK_TEXT_RE_BACKREF_H
#define WK_TEXT_RE_BACKREF_H

#include "text/re/re_priv.h"

/* The work area of one search at a time, for a program with back-references. required: a set of
 * which every match has a character, or UINT32_MAX. NULL = no memory. Owns: b, until
 * wk_re_back_free. */
struct wk_re_back *wk_re_back_new(struct wk_re *re, const struct wk_re_prog *p, uint32_t required);
void wk_re_back_free(struct wk_re_back *b);

/* Such a set, for the above. Depth is bounded by the parser. */
uint32_t wk_re_back_required(const struct wk_re_node *n);

/* As wk_re_search. Parks: in run's step. */
int wk_re_back_search(struct wk_re_back *b, struct wk_re_run *run, struct wk_str s, size_t from,
                      struct wk_re_span *spans, size_t n);

#endif
