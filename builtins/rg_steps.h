/* rg_steps.h - rg: matches of plain expressions, found step by step
 *
 * An expression whose characters each say which way to go needs no automaton: greedy steps from the right place find
 * the longest match, which is the first one, too. Only for texts of ASCII, or expressions that match nothing else.
 */
#ifndef WK_BUILTINS_RG_STEPS_H
#define WK_BUILTINS_RG_STEPS_H

#include "builtins/rg_syntax.h"
#include "text/re/re.h"

struct wk_rg_steps;

/* NULL when the expression is not of this kind. */
struct wk_rg_steps *wk_rg_steps_new(struct wk_cmd *c, const struct wk_rg_facts *f);
/* 1 and the span, 0, or -1: it takes too long this way. */
int wk_rg_steps_find(const struct wk_rg_steps *s, struct wk_str subject, size_t from, struct wk_re_span *span);
/* Whether it may match characters past ASCII. */
bool wk_rg_steps_high(const struct wk_rg_steps *s);

#endif
