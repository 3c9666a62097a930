/* ranges.h - lists of number ranges such as 1,3-5,7- (cut, numfmt) */
#ifndef WK_BUILTINS_RANGES_H
#define WK_BUILTINS_RANGES_H

#include "kern/cmd.h"

struct wk_range {
    uint64_t lo, hi; /* 1-based, both included; hi UINT64_MAX = open */
};

/* Sorted, without overlap, closed by a range {UINT64_MAX, UINT64_MAX} that is not counted. */
struct wk_ranges {
    struct wk_range *v;
    size_t n;
};

enum {
    WK_RANGES_FIELDS = 1,     /* messages speak of fields, else of byte/character positions */
    WK_RANGES_COMPLEMENT = 2, /* what the list does not name */
    WK_RANGES_DASH_ALL = 4    /* "-" alone is everything (numfmt) */
};

/* Reads a list into the process heap; a wrong one ends the process with GNU's usage error. */
void wk_ranges_parse(struct wk_cmd *c, const char *text, int flags, struct wk_ranges *out);

#endif
