/* re_priv.h - the inner forms of a regular expression: tree, program, caches
 *
 * Only for text/re. pattern -> tree (re_parse.c) -> program (re_prog.c) -> states on demand (re_dfa.c); groups by
 * re_capture.c; back-references by re_backref.c; PCRE2 behind re_pcre.c. Tree and program live in the arena.
 */
#ifndef WK_TEXT_RE_PRIV_H
#define WK_TEXT_RE_PRIV_H

#include "base/err.h"
#include "text/re/re.h"
#include "text/re/re_ahead.h"
#include "text/re/re_find.h"
#include "text/re/re_set.h"

enum {
    WK_RE_MAX_DEPTH = 200,    /* groups and repetitions inside one another */
    WK_RE_PLAIN_DEPTH = 20,   /* deeper ones are compiled on the deep stack */
    WK_RE_MAX_REPEAT = 32767, /* RE_DUP_MAX */
    WK_RE_MAX_STATES = 100000,
    WK_RE_WARNINGS = 8        /* told; further ones are not */
};
#define WK_RE_NO_MAX UINT32_MAX

/* regcomp's error numbers. */
enum wk_re_code {
    WK_RE_OK,
    WK_RE_NOMATCH,
    WK_RE_BADPAT,
    WK_RE_ECOLLATE,
    WK_RE_ECTYPE,
    WK_RE_EESCAPE,
    WK_RE_ESUBREG,
    WK_RE_EBRACK,
    WK_RE_EPAREN,
    WK_RE_EBRACE,
    WK_RE_BADBR,
    WK_RE_ERANGE,
    WK_RE_ESPACE,
    WK_RE_BADRPT,
    WK_RE_EEND,
    WK_RE_ESIZE,
    WK_RE_ERPAREN,
    WK_RE_ECLASSNAME /* not regcomp's: grep's and sed's complaint about [:space:] */
};

enum wk_re_assert {
    WK_RE_BOL,    /* line start; buffer start unless newlines count */
    WK_RE_EOL,
    WK_RE_BOS,    /* \` */
    WK_RE_EOS,    /* \' */
    WK_RE_WORDB,  /* \b */
    WK_RE_NWORDB, /* \B */
    WK_RE_WBEG,   /* \< */
    WK_RE_WEND,   /* \> */
    WK_RE_NOT_AFTER_WORD, /* what -w asks at each side */
    WK_RE_NOT_BEFORE_WORD
};

enum wk_re_kind {
    WK_RE_EMPTY,
    WK_RE_SET,    /* one character; arg = number of the set */
    WK_RE_ASSERT, /* arg = which */
    WK_RE_CAT,    /* children in order */
    WK_RE_ALT,
    WK_RE_REPEAT, /* child, min, max */
    WK_RE_GROUP,  /* child, arg = number */
    WK_RE_BACKREF /* arg = number */
};

struct wk_re_node {
    uint8_t kind;
    uint32_t arg;
    uint32_t min, max;
    uint32_t height; /* groups and repetitions inside one another, with itself */
    struct wk_re_node *first, *last; /* children */
    struct wk_re_node *prev, *next;  /* siblings */
};

struct wk_re_tree {
    struct wk_arena *a;
    unsigned flags;
    bool utf8;
    struct wk_re_node *root;
    struct wk_re_set *sets;
    size_t nsets, sets_cap;
    uint32_t single[128]; /* number + 1 of the set of one ASCII character (folded: of a small letter) */
    uint32_t letters[4];  /* the same of \w \W \s \S */
    uint32_t groups;
    uint32_t max_backref;
    uint32_t depth; /* greatest height of a node */
    char warned[WK_RE_WARNINGS]; /* operators dropped at the start of an expression, as met */
    unsigned nwarned;
    enum wk_re_code error;
    size_t error_at;
};

/* ---- program ---- */

enum wk_re_op {
    WK_RE_OP_SET,
    WK_RE_OP_SPLIT,
    WK_RE_OP_ASSERT,
    WK_RE_OP_SAVE,
    WK_RE_OP_MATCH,
    WK_RE_OP_BACKREF /* for re_backref.c alone */
};

struct wk_re_inst {
    uint8_t op;
    bool optional;  /* SAVE of a group that may be left out: see re_capture.c */
    uint32_t arg;   /* set, assertion, slot, or group */
    uint32_t x, y;  /* next; SPLIT: preferred, other */
};

/* What stands at one side of a place. */
enum wk_re_side {
    WK_RE_SIDE_OTHER,
    WK_RE_SIDE_WORD,
    WK_RE_SIDE_NEWLINE,
    WK_RE_SIDE_EDGE,     /* the subject's start or end */
    WK_RE_SIDE_EDGE_OFF, /* ... that is no line's (not_bol, not_eol) */
    WK_RE_SIDE_COUNT
};

struct wk_re_words;

/* Characters fall in classes: those that every set of the program treats alike. */
struct wk_re_prog {
    struct wk_re_inst *inst;
    uint32_t n, start, match;
    bool has_assert;
    bool multiline, anchored; /* ^ $ at newlines; matches start at the subject's start only */
    bool utf8;
    uint32_t classes;      /* with the two edges, which are the last: off, on */
    uint32_t words;        /* of 64 classes */
    uint64_t *member;      /* [set * words]: classes in the set */
    uint8_t *side;         /* of each class */
    uint16_t byte_class[256]; /* WK_RE_DECODE where more bytes must be looked at */
    uint16_t column[256];     /* the same with `classes` for WK_RE_DECODE */
    uint32_t nbounds;      /* characters past ASCII: class cls[i] from lo[i] on */
    uint32_t *lo;
    uint16_t *cls;
    uint16_t *two;         /* the class of each character of two bytes, from 0x80 on; or NULL */
    uint32_t *pred_at, *preds; /* what leads to each instruction */
    uint8_t canon[WK_RE_SIDE_COUNT]; /* sides that the assertions tell apart */
};
#define WK_RE_DECODE UINT16_MAX

/* ---- caches ---- */
enum wk_re_mode {
    WK_RE_ANY_MATCH,  /* does any match end here? starts everywhere */
    WK_RE_LINES,      /* the same for lines of a buffer */
    WK_RE_LEFTMOST,   /* the end of the leftmost-longest match */
    WK_RE_FIXED,      /* the end of the longest match from one start */
    WK_RE_BACKWARD,   /* the leftmost start of a match with this end */
    WK_RE_MODES
};
struct wk_re_dfa;
struct wk_re_pcre; /* what is no automaton: PCRE2's side, and back-references; re_pcre.c */

/* Scratch of one running search. */
struct wk_re_cache {
    struct wk_re_cache *next;
    bool busy;
    struct wk_re_dfa *dfa[WK_RE_MODES];
    uint32_t *rows;   /* re_capture.c */
    size_t rows_size;
    struct wk_re_rows *places; /* re_rows.c */
};

struct wk_re {
    struct wk_mem *mem;
    struct wk_arena arena;
    size_t refs;
    unsigned flags;
    size_t cache_bytes;
    struct wk_re_env env;
    uint32_t groups;
    struct wk_re_prog *prog;  /* NULL when `pcre` does it all */
    struct wk_re_pcre *pcre;
    const struct wk_re_finder *whole; /* or NULL: just these texts match; prog is NULL but for groups */
    const struct wk_re_words *words;  /* or NULL: so many texts that they have an automaton; prog is NULL */
    const struct wk_re_finder *begin; /* every match begins with one of these */
    const struct wk_re_finder *part;  /* every match has one of these somewhere */
    const struct wk_re_runs *runs;    /* or NULL: what matches is a run of one kind of byte */
    uint8_t rest_part, rest_lanes;    /* blocks for which `part`, or several lanes, are not used */
    char warned[WK_RE_WARNINGS];
    unsigned nwarned;
    struct wk_re_cache *caches;
    struct wk_re_ahead ahead;
};

/* re_parse.c: fills the tree; false with error / error_at set (WK_RE_ESPACE = no memory). */
bool wk_re_parse(struct wk_re_tree *t, struct wk_str pattern);
/* A new node; NULL when the arena refuses. */
struct wk_re_node *wk_re_node_new(struct wk_re_tree *t, enum wk_re_kind kind, uint32_t arg);
void wk_re_node_append(struct wk_re_node *parent, struct wk_re_node *child);
/* A node for a set, which is normalised; for one character (folded when ICASE). NULL = no memory. */
struct wk_re_node *wk_re_node_set(struct wk_re_tree *t, struct wk_re_set *s);
struct wk_re_node *wk_re_node_char(struct wk_re_tree *t, uint32_t c);
/* re_bracket.c: the bracket expression after s.p[*i] == '['; *i moves past its ']'. NULL with
 * t->error set. */
struct wk_re_node *wk_re_bracket(struct wk_re_tree *t, struct wk_str s, size_t *i);

/* re_parens.c: whether grep finds the parentheses of an extended expression matched. */
bool wk_re_parens_match(struct wk_str s);

/* re_prog.c: 0, -WK_ENOMEM, -WK_ELIMIT. */
int wk_re_prog_make(struct wk_re *re, const struct wk_re_tree *t, size_t max_states);
/* For a search of some length: makes `two`, if there is memory. */
void wk_re_prog_prepare(struct wk_re *re);
/* The class of the character at p (n bytes there), and its length. */
size_t wk_re_class_at_byte(const struct wk_re_prog *p, const char *s, size_t n, uint32_t *cls);
/* The class of the character before byte n of s. */
size_t wk_re_class_before(const struct wk_re_prog *p, const char *s, size_t n, uint32_t *cls);
/* Whether the assertion holds between two sides. */
bool wk_re_assert_holds(const struct wk_re_prog *p, uint32_t which, unsigned left, unsigned right);
/* re_literal.c: finds whole, begin and part. */
int wk_re_find_literals(struct wk_re *re, const struct wk_re_tree *t);

struct wk_re_dfa *wk_re_dfa_new(struct wk_re *re, enum wk_re_mode mode);
void wk_re_dfa_free(struct wk_re *re, struct wk_re_dfa *d);

/* One scan over s. */
struct wk_re_scan {
    struct wk_str s;
    size_t from;           /* where it starts (BACKWARD: where it ends, going down to `floor`) */
    size_t floor;
    unsigned left, right;  /* sides at the subject's two ends (EDGE or EDGE_OFF) */
    size_t found;          /* out */
    size_t start;          /* out, LEFTMOST: where the match begins, or SIZE_MAX: not noted */
};
/* 1 and scan->found, 0, or a code. ANY_MATCH: some place inside or at the end of a match; LEFTMOST,
 * FIXED: the end; BACKWARD: the start. Not for LINES: re_lanes.c. */
int wk_re_dfa_scan(struct wk_re_dfa *d, struct wk_re_run *run, struct wk_re_scan *scan);
/* Counts bytes looked at; the run's answer. */
int wk_re_work(struct wk_re_run *run, size_t bytes);

/* re_capture.c: fills spans[1..n) of the match spans[0]. 0 or a code. */
int wk_re_captures(struct wk_re *re, struct wk_re_cache *cache, struct wk_re_run *run,
                   const struct wk_re_scan *scan, struct wk_re_span *spans, size_t n);

/* re_pcre.c: from a tree (back-references) or Perl's text. 0, -WK_EINVAL with *err, -WK_ENOMEM. */
int wk_re_pcre_tree(struct wk_re *re, const struct wk_re_tree *t, struct wk_re_error *err);
int wk_re_pcre_text(struct wk_re *re, struct wk_str pattern, struct wk_re_error *err);
int wk_re_pcre_search(struct wk_re *re, struct wk_re_run *run, struct wk_str s, size_t from,
                      struct wk_re_span *spans, size_t n);
void wk_re_pcre_free(struct wk_re *re);

#endif
