/* tabs.h - lists of tab stops (expand, unexpand) */
#ifndef WK_BUILTINS_TABS_H
#define WK_BUILTINS_TABS_H

#include "kern/cmd.h"

struct wk_tabs {
    uint64_t *v; /* ascending stops */
    size_t n, cap;
    uint64_t size; /* of tabs behind the last stop; 0: none */
    uint64_t step; /* of '+', until the list is settled */
    bool relative; /* they count from the last stop, not from column 0 */
};

/* Adds stops from a -t argument; a wrong one ends the process. */
void wk_tabs_add(struct wk_cmd *c, struct wk_tabs *t, const char *text);
/* Checks and settles the list when all options are read: one number is a size. */
void wk_tabs_done(struct wk_cmd *c, struct wk_tabs *t);
/* The first stop behind `column`; 0 when there is none. *at is a place in the list that only grows
 * within a line; start with 0. */
uint64_t wk_tabs_next(const struct wk_tabs *t, uint64_t column, size_t *at);

#endif
