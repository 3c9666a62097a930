/* jq_onig.h - jq's regular expressions (Oniguruma's, with Perl's syntax) rewritten for PCRE2 */
#ifndef WK_BUILTINS_JQ_ONIG_H
#define WK_BUILTINS_JQ_ONIG_H

#include "kern/cmd.h"

/* All of it in the process heap. */
struct jq_onig {
    char *text; /* for PCRE2, without options but those inside */
    size_t n;
    uint32_t groups;
    struct wk_str *names; /* of groups 1 … groups, in the pattern; p is NULL for those without one */
    bool ascii;           /* nothing in it is past ASCII */
    struct wk_str property; /* the last name given to \p that was passed on */
    char *error;          /* what is wrong with the pattern, in Oniguruma's words; NULL */
};

/* extended: blanks and comments are left out. unicode: \w and its kin are all characters that Oniguruma has in
 * them, of which PCRE2's leave out some. The pattern has to stay as long as the names are used. */
struct jq_onig wk_jq_onig(struct wk_cmd *c, struct wk_str pattern, bool extended, bool unicode);
void wk_jq_onig_free(struct wk_cmd *c, struct jq_onig *o);
/* An error of PCRE2's in Oniguruma's words. */
const char *wk_jq_onig_message(struct wk_cmd *c, const struct jq_onig *o, const char *text);

/* ---- between jq_onig.c and jq_onig_class.c ---- */

enum { JQ_ONIG_DEPTH = 190 }; /* groups inside one another: fewer than PCRE2 is allowed */

struct onig_level {
    size_t start; /* in the output */
    bool extended, looks; /* the option outside; the group is an assertion */
    bool behind_not;      /* inside a negative look-behind */
};

enum onig_atom {
    ONIG_NOTHING,   /* nothing to repeat */
    ONIG_ATOM,
    ONIG_REPEATED,
    ONIG_ASSERTION  /* cannot be repeated */
};

struct onig {
    struct wk_cmd *c;
    struct wk_str s;
    size_t i;
    struct jq_onig o; /* text, n: the output so far */
    size_t cap, names_cap;
    bool counting; /* the first time through, for the groups */
    uint32_t total;
    bool extended, unicode;
    struct onig_level levels[JQ_ONIG_DEPTH + 1];
    size_t depth;
    size_t atom; /* where the last atom begins in the output */
    enum onig_atom state;
    unsigned wraps; /* groups around it for repetitions of repetitions, which PCRE2 bounds */
};

void wk_onig_put(struct onig *w, const char *p, size_t n);
static inline void wk_onig_put_c(struct onig *w, const char *text)
{
    wk_onig_put(w, text, strlen(text));
}
/* Sets the error unless there is one; a "%s" in it is the name. */
void wk_onig_fail(struct onig *w, const char *message, struct wk_str name);
static inline void wk_onig_error(struct onig *w, const char *message)
{
    wk_onig_fail(w, message, wk_str(NULL, 0));
}
static inline bool wk_onig_more(const struct onig *w)
{
    return w->i < w->s.n;
}
/* The byte `ahead` of the current one, 0 past the end. */
static inline char wk_onig_peek(const struct onig *w, size_t ahead)
{
    return w->i + ahead < w->s.n ? w->s.p[w->i + ahead] : '\0';
}
/* A character for PCRE2: ASCII letters and digits as they are, others as \x{…}, impossible ones as something
 * that never matches. */
void wk_onig_put_char(struct onig *w, uint32_t c);
/* After a backslash at i: \xHH \x{…} \o{…} \ooo, several of them when they are the bytes of one
 * character. False when what is there is none of them. */
bool wk_onig_code(struct onig *w, uint32_t *c);
/* The same for \t \n \r \f \a \e \cX and escaped characters that stand for themselves. */
uint32_t wk_onig_char(struct onig *w);
/* \p{…} or \P{…} with i at the letter. False when no brace follows. */
bool wk_onig_property(struct onig *w, bool in_class);
/* The members of \w for a class. */
void wk_onig_put_word(struct onig *w);
/* A class with i behind its '['. */
void wk_onig_class(struct onig *w);

#endif
