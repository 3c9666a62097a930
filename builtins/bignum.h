/* bignum.h - arithmetic on integers of any length, as decimal text (expr) */
#ifndef WK_BUILTINS_BIGNUM_H
#define WK_BUILTINS_BIGNUM_H

#include "kern/cmd.h"

/* a OP b in the process heap, without leading zeros. OP is one of + - * / %; a and b are digits
 * with an optional minus in front; b is not zero for / and %, which cut towards zero. */
struct wk_str wk_big_op(struct wk_cmd *c, char op, struct wk_str a, struct wk_str b);

#endif
