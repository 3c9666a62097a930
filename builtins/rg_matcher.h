/* rg_matcher.h - rg: what is searched for
 *
 * Owner: the process. Which lines have a match is said by an automaton where the pattern can be written for one, and
 * where the matches lie by it or by PCRE2, whose limits are errors.
 */
#ifndef WK_BUILTINS_RG_MATCHER_H
#define WK_BUILTINS_RG_MATCHER_H

#include "builtins/rg_steps.h"
#include "text/re/re.h"

struct wk_rg_patterns {
    const char **v;
    size_t n;
    bool fixed, word, line, smart_case, pcre, auto_engine;
    struct wk_rg_syntax syntax;
};

enum { WK_RG_GROUPS_MAX = 1000 };

struct wk_rg_matcher {
    struct wk_cmd *c;
    struct wk_rg_syntax syntax;
    struct wk_rg_facts facts;
    struct wk_opt_list names; /* of the groups; NULL for those without */
    struct wk_str pattern;
    struct wk_re *dfa;                        /* NULL: there is none */
    struct wk_re *perl[WK_RG_FORM_BYTES + 1]; /* made when they are needed */
    bool word, pcre;
    bool dfa_spans;  /* the automaton's matches are the pattern's */
    bool multi_line; /* a match may span lines: the subject is the whole input */
    bool fold;
    int nullable; /* 0: not known yet; 1 no, 2 yes */
    char eol;
    size_t groups;
    struct wk_rg_steps *steps;  /* NULL: the expression is not that plain */
    struct wk_str last;         /* the last subject, */
    enum wk_rg_form last_form;  /* and what it is searched with */
    struct wk_str whole;        /* a long subject of many searches, */
    enum wk_rg_form whole_form; /* and what it is searched with */
};

/* Ends the process with what is wrong with a pattern. */
struct wk_rg_matcher *wk_rg_matcher_new(struct wk_cmd *c, const struct wk_rg_patterns *p);
/* Says that what is searched next, many times, is this (p NULL: no longer). */
void wk_rg_matcher_subject(struct wk_rg_matcher *m, struct wk_str subject);
/* The first match at or after `from`: 1, 0 or a negative code. spans[0..n), as wk_re_search. */
int wk_rg_find(struct wk_rg_matcher *m, struct wk_str subject, size_t from, struct wk_re_span *spans, size_t n);
/* The first line at or after `from`, where a line begins, that has a match. */
int wk_rg_find_line(struct wk_rg_matcher *m, struct wk_str buf, size_t from, struct wk_re_span *line);

/* The matches of a subject one after the other. */
struct wk_rg_iter {
    size_t at;
    ptrdiff_t last; /* where the one before ended */
};
#define WK_RG_ITER(from) ((struct wk_rg_iter){(from), -1})
int wk_rg_next(struct wk_rg_matcher *m, struct wk_str subject, struct wk_rg_iter *it, struct wk_re_span *spans,
               size_t n);

#endif
