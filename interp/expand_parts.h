/* expand_parts.h - what the files expand*.c share
 *
 * An expansion in progress collects a word's pieces either into fields (split, perhaps file names) or
 * into one string. Pieces are appended as quoted text, as text of the script, or as the bare result of
 * an expansion; what that means depends on where the word goes.
 */
#ifndef WK_INTERP_EXPAND_PARTS_H
#define WK_INTERP_EXPAND_PARTS_H

#include "interp/expand.h"
#include "interp/shared.h"

enum wk_into {
    WK_INTO_FIELDS,
    WK_INTO_STRING,
    WK_INTO_PATTERN, /* quoted characters get a backslash */
    WK_INTO_TRACED,  /* the same, the ordinary ones too */
    WK_INTO_REGEX,   /* the same for an extended regular expression */
    WK_INTO_REPLACE  /* the same for & in a replacement */
};

/* What a list that becomes one string has between its elements: "$*" the first character of IFS and
 * "$@" a blank, but that depends on where the string goes. */
enum wk_join {
    WK_JOIN_PLAIN,
    WK_JOIN_ASSIGN,  /* the value of an assignment: with an operator as in "$*" */
    WK_JOIN_DECLARE, /* the same of an argument of declare: a null IFS joins $* by blanks */
    WK_JOIN_HEREDOC, /* always a blank */
    WK_JOIN_ELEMENT, /* [subscript]=… of a list: as in "$*" */
    WK_JOIN_KEYED    /* the same of an associative one: as PLAIN, and no tilde is expanded */
};

/* A piece of the present field, for building its pattern when it is to be globbed. */
enum wk_piece_kind { WK_PIECE_QUOTED, WK_PIECE_BARE, WK_PIECE_PATTERN };
struct wk_piece {
    size_t end;      /* of the piece in the field's text */
    uint8_t kind;
    struct wk_str pat; /* PATTERN: the text with its backslashes */
};

enum { WK_XP_SMALL = 256, WK_XP_PIECES = 6 };

struct wk_xp {
    struct wk_shell *sh;
    struct wk_fields *out;     /* FIELDS */
    const struct wk_ifs *ifs;  /* when splitting */
    enum wk_into into;
    uint8_t join;              /* enum wk_join */
    bool join_at;              /* one string: "$@" is joined */
    bool first_only;           /* … and ends at its first element: a NUL stands there */
    bool made;                 /* the present field exists though it may be empty */
    bool after_ws;             /* the last field was ended by white space: one delimiter is swallowed */
    bool magic;                /* a bare * ? [ or group has been seen in the field */
    bool at_empty;             /* a quoted $@ without elements has been seen */
    bool glob;                 /* fields may become file names */
    bool at_whole;             /* elements of an unquoted $@ are not split */
    bool ended;                /* a field of this word has */
    bool in_operand;           /* an operand of ${x-…} is put in */
    bool skims;                /* white space at the start of the word swallows a delimiter, too */
    uint8_t bracket;           /* REGEX: inside a bracket expression (1: at its start) */
    char *p;                   /* text of the field */
    size_t n, cap;
    struct wk_piece *pieces;
    size_t npieces, pieces_cap;
    char small[WK_XP_SMALL];
    struct wk_piece small_pieces[WK_XP_PIECES];
};

void wk_xp_init(struct wk_xp *x, struct wk_shell *sh, enum wk_into into);
/* Append to the present field. False when memory or the expansion limit is reached: *flow… use
 * wk_xp_failed. */
bool wk_xp_quoted(struct wk_xp *x, struct wk_str s);
bool wk_xp_bare(struct wk_xp *x, struct wk_str s);    /* no splitting */
bool wk_xp_literal(struct wk_xp *x, const struct wk_seg *s);
/* The result of an expansion: split as IFS says when bare fields are made. */
enum wk_flow wk_xp_result(struct wk_xp *x, struct wk_str s, bool quoted);
enum wk_flow wk_xp_split(struct wk_xp *x, struct wk_str s); /* fields are made */
/* Ends the present field if there is one; a boundary between two list elements. */
enum wk_flow wk_xp_end_field(struct wk_xp *x);
/* The string that was collected, in the arena. */
enum wk_flow wk_xp_string(struct wk_xp *x, struct wk_str *out);
enum wk_flow wk_xp_failed(struct wk_xp *x);

/* Segments into x; `quoted`: they stand between double quotes. */
enum wk_flow wk_xp_segs(struct wk_xp *x, const struct wk_seg *s, uint32_t n, bool quoted, bool operand);
/* Tells what is wrong in the body of a here-document, from there on to its end. */
enum wk_flow wk_tell_bad_doc(struct wk_shell *sh, struct wk_str whole, struct wk_str wrong);
enum wk_flow wk_xp_param(struct wk_xp *x, const struct wk_param *p, bool quoted);

/* Adds a field (text in the arena or the tree). False when refused. */
bool wk_fields_add(struct wk_shell *sh, struct wk_fields *f, struct wk_str s);
bool wk_fields_reserve(struct wk_shell *sh, struct wk_fields *f, size_t more);

/* ---- values of parameters (expand_param.c) ----------------------------------------------------------- */

/* What made a list: how it is joined depends on it. */
enum wk_made_by {
    WK_MADE_PLAIN,
    WK_MADE_TEXT, /* trimming, ${x@X} */
    WK_MADE_EACH, /* replacing, changing case; also ${x[*]} alone */
    WK_MADE_PART  /* a slice, ${!x[@]}, ${!x@} */
};

struct wk_pval {
    bool set, list, star;  /* star: joined by IFS when quoted */
    uint8_t made_by;       /* enum wk_made_by */
    bool own_front;        /* of a list: what stands at the start of a word is split as that of one value */
    bool lead;             /* of a list: s stands in front of the first element, and is split also in quotes */
    struct wk_str s;       /* not a list */
    struct wk_str *v;      /* a list, in the arena */
    size_t n;
    char scratch[24];
};

/* The elements of a list with `sep` between them, in the arena. */
enum wk_flow wk_list_text(struct wk_shell *sh, const struct wk_pval *v, struct wk_str sep,
                          struct wk_str *out);

/* ---- operations on one value (expand_ops.c) ------------------------------------------------------------ */

/* What an operator does to each value; made once for a list. */
struct wk_pop {
    uint8_t op;
    char transform;
    const struct wk_pattern *pattern; /* NULL: every character / no pattern */
    bool pattern_held;
    bool none;                        /* the pattern is empty and matches nothing */
    bool star_first;                  /* it begins with a * or is empty */
    bool ampersand;                   /* & in the replacement is the match */
    struct wk_str replacement;
    const struct wk_param *param;
};
enum wk_flow wk_pop_begin(struct wk_shell *sh, const struct wk_param *p, struct wk_pop *o);
void wk_pop_end(struct wk_shell *sh, struct wk_pop *o);
/* in -> out, which may be a slice of in or lie in the arena. */
enum wk_flow wk_pop_apply(struct wk_shell *sh, struct wk_pop *o, struct wk_str in, struct wk_str *out);
/* ${x@X} of one value (not @a @A @K @k, which look at the variable). */
enum wk_flow wk_transform_value(struct wk_shell *sh, char letter, struct wk_str in, struct wk_str *out);

/* Flags of patterns under the present shopt settings. */
unsigned wk_pattern_flags(const struct wk_shell *sh, bool nocase);
/* Steps of matching, counted. */
void wk_pattern_run_init(struct wk_shell *sh, struct wk_pattern_run *run);
enum wk_flow wk_pattern_failed(struct wk_shell *sh, int err);

/* The home directory that ~text means; false: none, the text stays. */
bool wk_tilde(struct wk_shell *sh, struct wk_str text, struct wk_str *out);

#endif
