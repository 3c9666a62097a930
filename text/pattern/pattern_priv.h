/* pattern_priv.h - the compiled form of a shell pattern, shared by its compiler and its matchers
 *
 * Only for text/pattern. Everything here lives in the arena the pattern was compiled into.
 */
#ifndef WK_TEXT_PATTERN_PRIV_H
#define WK_TEXT_PATTERN_PRIV_H

#include "base/err.h"
#include "base/utf8.h"
#include "text/pattern/pattern.h"

enum { WK_PATTERN_DEPTH = 24 }; /* groups inside groups; matching recurses that deep */

enum wk_pat_kind { WK_PAT_LIT, WK_PAT_ANY, WK_PAT_SET, WK_PAT_STAR, WK_PAT_GROUP };

struct wk_pat_range {
    uint32_t lo, hi;
    struct wk_pat_range *next;
};

/* A bracket expression, read twice: as characters and as bytes. */
struct wk_pat_set {
    bool negated;
    bool nocase;
    bool never;            /* malformed: matches nothing, negated or not */
    uint16_t classes;      /* bit per wk_class, for characters past ASCII */
    uint64_t ascii[2];     /* members below 128, when the subject is characters (not negated) */
    uint64_t bytes[4];     /* members when the subject is bytes (not negated) */
    struct wk_pat_range *ranges; /* members past ASCII */
};

struct wk_pat_atom {
    uint8_t kind;
    char op;               /* group: ? * + @ !; of a star: that of the @ + ! behind it, which makes it strict */
    bool has_letters;      /* literal under NOCASE: compare folded */
    uint32_t n;            /* literal: bytes */
    uint32_t memo;         /* negated group inside a negated group: its number, from 1; else 0 */
    union {
        const char *lit;
        const struct wk_pat_set *set;
        const struct wk_pat_seq *alts;
    } u;
    struct wk_pat_atom *next, *prev;
};

struct wk_pat_seq {
    struct wk_pat_atom *first, *last;
    bool strict; /* has a strict star */
    const struct wk_pat_seq *next; /* the next alternative */
};

/* A run of atoms between stars. */
struct wk_pat_seg {
    const struct wk_pat_atom *first, *last;
};

struct wk_pattern {
    unsigned flags;
    bool bytes;       /* single bytes always: asked for, or the text is not UTF-8 */
    bool by_char;     /* has ?, […] or folded letters: characters matter */
    bool has_group;
    bool star_first, star_last; /* without groups */
    bool mismeasured; /* wk_pattern_mismeasured */
    unsigned depth;   /* of groups */
    unsigned memos;
    size_t nsegs;
    const struct wk_pat_seg *segs;
    struct wk_pat_seq top;
};

/* Whether the character c (or byte, when `bytes`) is in the set. */
bool wk_pat_set_has(const struct wk_pat_set *set, uint32_t c, bool bytes);

/* Length of the atom (LIT, ANY, SET) matched at / just before pos, or -1. */
ptrdiff_t wk_pat_atom_at(const struct wk_pat_atom *a, struct wk_str s, size_t pos, bool bytes);
ptrdiff_t wk_pat_atom_before(const struct wk_pat_atom *a, struct wk_str s, size_t pos, bool bytes);

/* Counts k steps, which the run is asked about at the next wk_pat_steps. */
static inline void wk_pat_count(struct wk_pattern_run *run, size_t k)
{
    run->pending += k;
    run->total += k;
}
/* Counts k steps; the run's answer. */
int wk_pat_steps(struct wk_pattern_run *run, size_t k);

/* The group engine: which ends can a match from `start` have, which starts one that ends at `end`.
 * 1 and *out = the greatest or least, 0, or a code. */
int wk_pat_group_ends(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s,
                      size_t start, bool greatest, bool bytes, size_t *out);
int wk_pat_group_starts(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s,
                        size_t end, bool greatest, bool bytes, size_t *out);
/* Whether a match covers all of s. */
int wk_pat_group_whole(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s,
                       bool bytes);
/* The least position at or after `from` where some match starts. */
int wk_pat_group_first(const struct wk_pattern *p, struct wk_pattern_run *run, struct wk_str s,
                       size_t from, bool bytes, size_t *out);

/* Where the bracket expression that begins at text[i] == '[' ends (after its ']'), or 0. */
size_t wk_pat_bracket_end(struct wk_str text, size_t i);
/* The same for what looks for the ) of a group: there a ] behind [: [. or [= ends only that when the
 * same character stands before it. */
size_t wk_pat_group_bracket_end(struct wk_str s, size_t i);

#endif
