/* regex.h - regular expressions in commands: compiled into the process heap, searched as
 * counted work
 */
#ifndef WK_BUILTINS_REGEX_H
#define WK_BUILTINS_REGEX_H

#include "kern/cmd.h"
#include "text/re/re.h"

/* Compiles; the expression lives as long as the process. NULL when the pattern is refused, with the
 * reason in *err. */
struct wk_re *wk_cmd_re(struct wk_cmd *c, struct wk_str pattern, unsigned flags,
                        struct wk_re_error *err);
/* As wk_re_search; what cannot be answered, for want of memory or as it takes too much work, ends the command with
 * this status and a message. */
bool wk_cmd_re_search(struct wk_cmd *c, struct wk_re *re, struct wk_re_run *run, struct wk_str subject, size_t from,
                      struct wk_re_span *spans, size_t n, int status);
/* For wk_re_search and its kin: the work is counted, so a search ends with the process. */
struct wk_re_run wk_cmd_re_run(struct wk_cmd *c);

#endif
