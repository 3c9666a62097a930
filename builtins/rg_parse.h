/* rg_parse.h - rg: the state of reading a pattern; only for rg_syntax.c and rg_class.c */
#ifndef WK_BUILTINS_RG_PARSE_H
#define WK_BUILTINS_RG_PARSE_H

#include "builtins/rg_syntax.h"

enum { WK_RG_MAX_DEPTH = 250, WK_RG_CLASS_DEPTH = 32, WK_RG_ERE_REPEAT = 32767, WK_RG_PERL_REPEAT = 65535 };
#define WK_RG_END        UINT32_MAX
#define WK_RG_NO_UNICODE "Unicode not allowed here"

struct wk_rg_flags {
    bool i, m, s, U, u, x;
};

struct wk_rg_frame {
    struct wk_rg_flags flags; /* of the group around it */
    size_t open, out_at;
};

struct wk_rg_parse {
    struct wk_cmd *c;
    struct wk_str s;
    size_t at;
    const struct wk_rg_syntax *syntax;
    enum wk_rg_form form;
    struct wk_buf *out;
    struct wk_rg_facts *facts;
    struct wk_opt_list *names;
    struct wk_rg_error *err;
    struct wk_rg_flags flags;
    size_t atom; /* where the text of what a repetition would repeat begins */
    bool has_atom;
    bool fragile;          /* ... and it must be put in a group first */
    bool hex_two;          /* the last escape was \xHH */
    unsigned repeats;      /* operators that stand behind one another */
    bool not_flat, behind; /* behind: an assertion, which may only end a flat pattern */
    struct wk_rg_flat flat[WK_RG_FLAT_MAX];
    size_t flat_n;
    size_t flat_at[WK_RG_FLAT_MAX]; /* where each alternative begins */
    size_t flat_alts;               /* but the first */
    struct wk_rg_frame stack[WK_RG_MAX_DEPTH];
    size_t depth;
};

/* Keeps the first error; false. */
bool wk_rg_wrong(struct wk_rg_parse *p, const char *text, size_t at, size_t end);
/* The character at `at` and where the next one begins; WK_RG_END. */
uint32_t wk_rg_peek(const struct wk_rg_parse *p, size_t at, size_t *next);
bool wk_rg_is_meta(uint32_t ch);
/* Reads the escape at p->at: a character, or the letter of a class or assertion. */
bool wk_rg_parse_escape(struct wk_rg_parse *p, uint32_t *ch, char *letter);
/* What stands behind \p or \P is added to s; `start` is where the escape begins, p->at is behind the letter. */
bool wk_rg_parse_property(struct wk_rg_parse *p, size_t start, bool negated, struct wk_rg_set *s);
/* Reads the bracket expression at p->at and writes it. */
bool wk_rg_parse_class(struct wk_rg_parse *p);
void wk_rg_put_set(struct wk_rg_parse *p, struct wk_rg_set *s);
void wk_rg_put_literal(struct wk_rg_parse *p, uint32_t ch);
void wk_rg_put_assert(struct wk_rg_parse *p, char which);

static inline int wk_rg_hex_digit(char ch)
{
    return wk_is_digit((unsigned char)ch) ? ch - '0' : (ch | 0x20) - 'a' + 10;
}

#endif
