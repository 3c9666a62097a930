/* prompt.h - prompt strings: PS1, PS2, PS4, ${x@P} (bash 6.9) */
#ifndef WK_INTERP_PROMPT_H
#define WK_INTERP_PROMPT_H

#include "interp/shell.h"

/* Backslash escapes, then (with promptvars) parameter expansion, command substitution and arithmetic. The
 * result is in the arena. */
enum wk_flow wk_prompt_expand(struct wk_shell *sh, struct wk_str text, struct wk_str *out);

/* A time in seconds, by a format of strftime, in the zone of $TZ. */
void wk_sh_put_time(struct wk_shell *sh, struct wk_buf *b, struct wk_str format, int64_t sec);

#endif
