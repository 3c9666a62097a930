/* arith.h - arithmetic evaluation in 64 bits (bash 6.5) */
#ifndef WK_INTERP_ARITH_H
#define WK_INTERP_ARITH_H

#include "interp/shell.h"

/* Value of a parsed expression. After an error (message printed: "division by 0 (error token is …)"…)
 * returns WK_ABORT, which wk_sh_arith_flow looks at; (( )) and let turn it into status 1. */
enum wk_flow wk_arith_eval(struct wk_shell *sh, const struct wk_arith *e, int64_t *out);
/* The flow of $(( )) whose evaluation gave `flow`. */
enum wk_flow wk_arith_discard(struct wk_shell *sh, enum wk_flow flow);
/* Parse and evaluate run-time text (let, ${x:off}, integer variables). `what` names the text's origin in
 * messages (NULL = the text itself). */
enum wk_flow wk_arith_text(struct wk_shell *sh, struct wk_str text, int64_t *out);

#endif
