/* re_dfa.h - the lazy automaton's inner form, for its scans
 *
 * Only for text/re: re_dfa.c makes states and scans a subject, re_lanes.c scans lines.
 */
#ifndef WK_TEXT_RE_DFA_H
#define WK_TEXT_RE_DFA_H

#include "text/re/re_priv.h"

#define WK_RE_FLAG_MATCH 0x80000000u
#define WK_RE_FLAG_HALT  0x40000000u
/* LEFTMOST: what happens to the first group, whose match would begin first. */
#define WK_RE_FLAG_FRESH 0x20000000u /* the first is now the one that began at this character */
#define WK_RE_FLAG_LOST  0x10000000u /* the first is now another one, or a match is not the first's */
#define WK_RE_NOTES      (WK_RE_FLAG_FRESH | WK_RE_FLAG_LOST) /* both: none began before the next */
#define WK_RE_UNKNOWN    UINT32_MAX
#define WK_RE_STATE(t)   ((t) & (WK_RE_FLAG_LOST - 1))

enum { WK_RE_SLICE = 65536 };

struct wk_re_state {
    uint32_t off, n; /* its list in the pool */
    uint32_t hash;
    uint8_t side;    /* of the character just passed */
    bool found;      /* a match was seen: no new starts */
};

/* A set of places that remembers the order of arrival. */
struct wk_re_sparse {
    uint32_t *dense, *at;
    uint32_t n;
};

struct wk_re_dfa {
    struct wk_re *re;
    const struct wk_re_prog *p;
    enum wk_re_mode mode;
    uint32_t stride;
    uint32_t *trans; /* [state * stride + class]; the last class stays unknown: col */
    struct wk_re_state *st;
    size_t nst, st_cap, trans_cap;
    uint32_t *pool;
    size_t npool, pool_cap;
    uint32_t *table; /* hash -> state + 1 */
    size_t table_cap;
    uint32_t start[WK_RE_SIDE_COUNT]; /* state + 1 */
    struct wk_re_sparse here, next;  /* arrived at before / after the character */
    uint32_t *out;             /* the list being made */
    uint32_t nout;
    uint32_t *stack;
    uint32_t *block;           /* all of the above */
    size_t limit;
    uint32_t eol_class;
    size_t flushes;            /* how often the cache was emptied: states of before are none */
};

/* The state a scan begins in, with `side` just passed; SIZE_MAX when memory is refused. */
size_t wk_re_dfa_start(struct wk_re_dfa *d, unsigned side);
/* Computes trans[state][cls]. 0 and *out, or -WK_ENOMEM. `*state` changes when the cache is
 * emptied. */
int wk_re_dfa_compute(struct wk_re_dfa *d, size_t *state, uint32_t cls, uint32_t *out);
/* Empties the cache. */
void wk_re_dfa_forget(struct wk_re_dfa *d);

#endif
