/* factor.h - prime factors of numbers of one word, and of any length */
#ifndef WK_BUILTINS_FACTOR_H
#define WK_BUILTINS_FACTOR_H

#include "kern/cmd.h"

__extension__ typedef unsigned __int128 wk_u128;

enum { FACTOR_WORD_MOST = 64 }; /* factors of a word */

/* -1/m modulo 2^64; m is odd. */
uint64_t wk_factor_inverse(uint64_t m);
/* Prime factors of v > 1, in no order; their number. */
size_t wk_factor_word(struct wk_cmd *c, uint64_t v, uint64_t out[FACTOR_WORD_MOST]);
/* Appends a blank and each prime factor in order of size; the number is digits without leading zeros, greater
 * than what a word holds. */
void wk_factor_long(struct wk_cmd *c, struct wk_str digits, struct wk_buf *to);

#endif
