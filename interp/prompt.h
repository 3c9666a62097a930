/* prompt.h - prompt strings: PS1, PS2, PS4, ${x@P} (bash 6.9) */
#ifndef WK_INTERP_PROMPT_H
#define WK_INTERP_PROMPT_H

#include "interp/shell.h"

/* Backslash escapes, then (with promptvars) parameter expansion, command substitution and arithmetic. The
 * result is in the arena. */
enum wk_flow wk_prompt_expand(struct wk_shell *sh, struct wk_str text, struct wk_str *out);

/* PROMPT_COMMAND, each of its elements; $? stays. WK_NEXT, or the flow that ends the shell. */
enum wk_flow wk_prompt_commands(struct wk_shell *sh);
/* PS0, PS1 or PS2 expanded, on descriptor 2; $? stays. */
enum wk_flow wk_prompt_show(struct wk_shell *sh, const char *which);

/* A time in seconds, by a format of strftime, in the zone of $TZ. */
void wk_sh_put_time(struct wk_shell *sh, struct wk_buf *b, struct wk_str format, int64_t sec);

#endif
