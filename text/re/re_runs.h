/* re_runs.h - expressions whose matches are runs of one kind of byte: [0-9]+, xx*, [a-f]{2,4}
 *
 * Owner:  the expression's arena.
 */
#ifndef WK_TEXT_RE_RUNS_H
#define WK_TEXT_RE_RUNS_H

#include "text/re/re_priv.h"

struct wk_re_runs {
    bool is[256];       /* the bytes */
    size_t least, most; /* of them in a match; least > 0 */
};

/* Sets re->runs where the tree is such an expression. 0 or -WK_ENOMEM. */
int wk_re_find_runs(struct wk_re *re, const struct wk_re_tree *t);
/* The first match at or after `from`: 1 and *span, 0, or what the run's step answers. */
int wk_re_runs_search(const struct wk_re_runs *r, struct wk_re_run *run, struct wk_str s, size_t from,
                      struct wk_re_span *span);

#endif
