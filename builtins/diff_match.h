/* diff_match.h - which lines of two sequences change: shortest edit script
 *
 * Purpose: the lines are numbers (equal numbers, equal lines); the result is a mark at every line
 * that only one side has. Method:  Myers, "An O(ND) Difference Algorithm and Its Variations"
 * (1986), in linear space; groups of changes then slide as far down as they can, and back to where
 * the other side changes, too. Limits:  memory grows with the number of lines; a search that would
 * cost too much is cut short and its result is not the shortest. Parks:   at its ticks; the process
 * may be dropped there.
 */
#ifndef WK_BUILTINS_DIFF_MATCH_H
#define WK_BUILTINS_DIFF_MATCH_H

#include "kern/cmd.h"

struct wk_diff_side {
    const uint32_t *line; /* n classes, all below `classes` */
    bool *changed;        /* from -1 to n, both ends false: set by wk_diff_match */
    int64_t n;
};

/* minimal: never cut the search short. The marks are in the process heap. */
void wk_diff_match(struct wk_cmd *c, struct wk_diff_side side[2], uint32_t classes, bool minimal);

#endif
