/* re_rows.h - from which places of a program the end of a known match can be reached
 *
 * Owner:  the search's cache, which keeps what was found for the next match.
 */
#ifndef WK_TEXT_RE_ROWS_H
#define WK_TEXT_RE_ROWS_H

#include "text/re/re_priv.h"

/* For each place of a match where a character begins, and its end, the number of its row goes to rows[its
 * offset in the match]: a bit for each place of the program from which the end can be reached. bare: the way behind
 * the last character holds no assertions. A row is valid until more are filled in. 0 or a code. */
int wk_re_rows_fill(struct wk_re *re, struct wk_re_cache *cache, struct wk_re_run *run,
                    const struct wk_re_scan *scan, const struct wk_re_span *span, bool bare, uint32_t *rows);
const uint64_t *wk_re_row(const struct wk_re_rows *r, uint32_t row);
void wk_re_rows_free(struct wk_re *re, struct wk_re_rows *r);

#endif
