/* xtrace.h - set -x (bash 4.3.1): what is shown of commands before they run */
#ifndef WK_INTERP_XTRACE_H
#define WK_INTERP_XTRACE_H

#include "interp/eval.h"

/* "+ words" and its kin on BASH_XTRACEFD or descriptor 2. Failure to write is ignored; the flow is
 * that of expanding PS4. */
enum wk_flow wk_xtrace_words(struct wk_shell *sh, const struct wk_str *v, size_t n);
enum wk_flow wk_xtrace_head(struct wk_shell *sh, const struct wk_node *n);
/* "+ [[ ! LEFT == RIGHT ]]": one term with its operands as they were expanded. */
enum wk_flow wk_xtrace_cond(struct wk_shell *sh, const struct wk_cond *c, bool negated,
                            struct wk_str left, struct wk_str right);
/* "+ name=value"; value is the value expanded, or "(…)" as written. */
enum wk_flow wk_xtrace_assign(struct wk_shell *sh, const struct wk_assign *as, struct wk_str value);
/* "+ ((  EXPR  ))" */
enum wk_flow wk_xtrace_arith(struct wk_shell *sh, struct wk_str text);

#endif
