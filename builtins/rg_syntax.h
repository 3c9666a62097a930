/* rg_syntax.h - rg: from the syntax of Rust's regular expressions to those of text/re
 *
 * A pattern is read once for each form that is wanted. The form for the automaton (lines are found with it) may match
 * more than the pattern in lines with characters past ASCII: those are judged by the other forms.
 */
#ifndef WK_BUILTINS_RG_SYNTAX_H
#define WK_BUILTINS_RG_SYNTAX_H

#include "base/buf.h"
#include "kern/cmd.h"

enum wk_rg_form {
    WK_RG_FORM_SCAN,  /* nothing is written: facts about the pattern */
    WK_RG_FORM_ERE,   /* for the automaton */
    WK_RG_FORM_ASCII, /* Perl's syntax, for lines of ASCII only */
    WK_RG_FORM_UTF,   /* Perl's syntax, for all lines */
    WK_RG_FORM_BYTES  /* Perl's syntax, characters are bytes: (?-u) */
};

/* What the pattern is read with. */
struct wk_rg_syntax {
    bool icase, multi_line, dot_all, crlf, no_unicode, nul_lines;
    bool fold_later; /* whoever compiles the form ignores case: letters are written as they are */
};

#define WK_RG_TOO_BIG "Compiled regex exceeds size limit of 104857600 bytes."

enum { WK_RG_FLAT_MAX = 128 };
/* A character (one of a set) and how often. */
struct wk_rg_flat {
    uint64_t ascii[2];
    bool high; /* some characters past ASCII, too */
    bool optional, loop;
};

struct wk_rg_facts {
    bool newline;             /* can match an end of line */
    bool newline_literal;     /* ... which stands in the pattern itself */
    bool literal, upper;      /* has literal characters; one is a capital letter */
    bool cased_off, cased_on; /* has letters that are matched as they are; in either case */
    bool past_ascii;          /* what it matches past ASCII is not written in the form for the automaton */
    bool bytes;               /* (?-u) with more than ASCII */
    bool no_ere;
    bool greedy_is_longest; /* the first match of each start is the longest */
    bool whole;             /* with -U it is about the whole input */
    bool anchored;          /* may look at what stands around a match */
    size_t groups;
    /* What makes greedy_is_longest true, in the heap, and where the alternatives but the first begin. */
    struct wk_rg_flat *flat;
    size_t flat_n;
    size_t *flat_at;
    size_t flat_alts;
};

struct wk_rg_error {
    const char *text; /* static */
    size_t at, end;   /* what is marked */
    size_t at2, end2; /* a second mark; at2 == end2: none */
    bool needs_pcre;  /* look-around and the like: only the other engine has them */
};

/* Writes `pattern` in the form to out (not for SCAN) and fills facts; names[i], a string or NULL, of group i + 1 is
 * put to the list unless it is NULL. False with *err filled in. */
bool wk_rg_translate(struct wk_cmd *c, struct wk_str pattern, const struct wk_rg_syntax *syntax, enum wk_rg_form form,
                     struct wk_buf *out, struct wk_rg_facts *facts, struct wk_opt_list *names,
                     struct wk_rg_error *err);
/* The text with a backslash in front of what has a meaning in patterns, in the heap. */
struct wk_str wk_rg_escape(struct wk_cmd *c, struct wk_str text);
/* An empty buffer that is released with the process. */
struct wk_buf *wk_rg_buf(struct wk_cmd *c);

/* ---- sets of characters (rg_set.c) -------------------------------------------------------------------------------
 */

struct wk_rg_range {
    uint32_t lo, hi;
};

/* The ASCII part is exact in all forms; past it either ranges or, if `opaque`, what only Perl's text says. */
struct wk_rg_set {
    uint64_t ascii[2];
    bool opaque;
    bool bytes;             /* (?-u): characters are bytes */
    bool too_big;           /* its text would be */
    struct wk_rg_range *hi; /* past ASCII */
    size_t n, cap;
    char *also; /* further alternatives of Perl's text, "[…]|[…]"; NULL: none */
    size_t also_n, also_cap;
};

void wk_rg_set_add(struct wk_cmd *c, struct wk_rg_set *s, uint32_t lo, uint32_t hi);
/* A class named by a letter of \d \s \w (lower case), negated or not; ASCII only without `unicode`. */
void wk_rg_set_perl(struct wk_cmd *c, struct wk_rg_set *s, char name, bool negated, bool unicode);
/* A Unicode property, given as Perl's text; its part of ASCII is known by the caller. */
void wk_rg_set_property(struct wk_cmd *c, struct wk_rg_set *s, const char *perl, const uint64_t ascii[2]);
/* Both cases of what it holds. */
void wk_rg_set_fold(struct wk_cmd *c, struct wk_rg_set *s);
void wk_rg_set_negate(struct wk_cmd *c, struct wk_rg_set *s);
/* a becomes the union ('|'), intersection ('&'), difference ('-') or symmetric difference ('~'); b is used up. */
void wk_rg_set_combine(struct wk_cmd *c, struct wk_rg_set *a, struct wk_rg_set *b, char op);
/* Writes it. False when it is empty and the form has no text for that. */
bool wk_rg_set_put(struct wk_cmd *c, const struct wk_rg_set *s, enum wk_rg_form form, struct wk_buf *out);
static inline bool wk_rg_set_has(const struct wk_rg_set *s, unsigned ch)
{
    return ch < 128 && (s->ascii[ch / 64] >> ch % 64 & 1);
}

#endif
