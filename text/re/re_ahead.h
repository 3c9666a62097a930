/* re_ahead.h - what a search learnt of the text behind its match, for the next one in the same subject
 *
 * Only for text/re. Lives in the expression, released with it.
 */
#ifndef WK_TEXT_RE_AHEAD_H
#define WK_TEXT_RE_AHEAD_H

#include "text/re/re.h"

struct wk_re_dfa;

enum { WK_RE_AHEAD_STEP = 64 };
struct wk_re_ahead {
    uint64_t series;            /* of the run that learns */
    const struct wk_re_dfa *d;
    size_t flushes;             /* its: states of before are none */
    uint64_t *table, *pending;
    size_t cap, n, npending, pending_cap;
    bool busy;                  /* a search that uses it is parked */
};

/* Whether a scan by `d` may use and add to what is known. */
bool wk_re_ahead_learns(const struct wk_re_ahead *a, const struct wk_re_run *run,
                        const struct wk_re_dfa *d);
/* Forgets all; the searches of `run` learn from now on. */
void wk_re_ahead_begin(struct wk_re_ahead *a, struct wk_re_run *run, const struct wk_re_dfa *d);
/* Whether nothing comes of being in `state` at a byte (a multiple of WK_RE_AHEAD_STEP). */
bool wk_re_ahead_knows(const struct wk_re_ahead *a, uint32_t state, size_t at);
/* That may be so: it is known once the scan ends without a match behind it (keep); npending = 0
 * otherwise. */
void wk_re_ahead_note(struct wk_re_ahead *a, struct wk_mem *m, uint32_t state, size_t at);
void wk_re_ahead_keep(struct wk_re_ahead *a, struct wk_mem *m);
void wk_re_ahead_release(struct wk_re_ahead *a, struct wk_mem *m);

#endif
