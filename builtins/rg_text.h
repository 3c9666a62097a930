/* rg_text.h - rg: the matches in what is printed, and what replaces them */
#ifndef WK_BUILTINS_RG_TEXT_H
#define WK_BUILTINS_RG_TEXT_H

#include "builtins/rg.h"

/* The matches of a hit, relative to its text, or to that of a replacement: valid until the next are looked for. */
struct wk_rg_found {
    struct wk_re_span *v;
    size_t n, cap, originals;
    struct wk_buf *replaced;
    struct wk_str text; /* p NULL: the hit's own */
};

/* NULL when the search failed, which was told. */
const struct wk_rg_found *wk_rg_find_all(struct wk_rg_sink *s, const struct wk_rg_hit *h);
/* Lines in a hit. */
uint64_t wk_rg_line_count(const struct wk_rg *g, struct wk_str text);

#endif
