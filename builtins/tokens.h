/* tokens.h - words between blanks, tabs and newlines of a stream of any length (tsort, factor) */
#ifndef WK_BUILTINS_TOKENS_H
#define WK_BUILTINS_TOKENS_H

#include "kern/cmd.h"

struct wk_tokens {
    struct wk_cmd *c;
    struct wk_in *in; /* of wk_raw_open */
    char *p;          /* the word at hand, NUL behind it */
    size_t n, cap;
    const char *left; /* bytes read and not yet looked at */
    size_t left_n, taken;
};

/* The next word, ended early by a NUL in it; valid until the next call. False at the end, which is also where
 * reading fails: nothing is said about that. P A */
bool wk_token_next(struct wk_tokens *t, struct wk_str *word);

#endif
