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

enum { WK_RE_SLICE = 65536, WK_RE_LONG = 4096 };

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

/* As wk_re_class_at_byte, the short way for characters of two bytes. */
static inline size_t wk_re_class_quick(const struct wk_re_prog *p, const uint8_t *s, size_t n,
                                       uint32_t *cls)
{
    if (p->two && n > 1 && (uint8_t)(s[0] - 0xc2) < 0xe0 - 0xc2 && (s[1] & 0xc0) == 0x80) {
        *cls = p->two[((s[0] & 31u) << 6 | (s[1] & 63u)) - 0x80];
        return 2;
    }
    return wk_re_class_at_byte(p, (const char *)s, n, cls);
}

/* The state a scan begins in, with `side` just passed; SIZE_MAX when memory is refused. */
size_t wk_re_dfa_start(struct wk_re_dfa *d, unsigned side);
/* Computes trans[state][cls]. 0 and *out, or -WK_ENOMEM. `*state` changes when the cache is
 * emptied. */
int wk_re_dfa_compute(struct wk_re_dfa *d, size_t *state, uint32_t cls, uint32_t *out);
/* Empties the cache. */
void wk_re_dfa_forget(struct wk_re_dfa *d);

/* re_lanes.c: judges the lines of s from `from` on, which begins one. With `marks` each that has a match
 * gets a mark: bit k is byte from + k of it, or the first when there is more than a block, as one line is.
 * Without, the first one ends the judging: 1 and *found, a byte of it. 0, or a code. d is NULL when there is
 * no program. */
int wk_re_judge(struct wk_re *re, struct wk_re_dfa *d, struct wk_re_run *run, struct wk_str s,
                size_t from, char eol, uint64_t *marks, size_t *found);

#endif
