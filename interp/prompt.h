/* prompt.h - prompt strings: PS1, PS2, PS4, ${x@P} (bash 6.9) */
#ifndef WK_INTERP_PROMPT_H
#define WK_INTERP_PROMPT_H

#include "interp/shell.h"

/* Backslash escapes, then (with promptvars) parameter expansion, command substitution and arithmetic. The
 * result is in the arena. */
enum wk_flow wk_prompt_expand(struct wk_shell *sh, struct wk_str text, struct wk_str *out);

#endif
