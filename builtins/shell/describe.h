/* describe.h - what a name would run, in words (type, command -v) */
#ifndef WK_BUILTINS_SHELL_DESCRIBE_H
#define WK_BUILTINS_SHELL_DESCRIBE_H

#include "interp/eval.h"

/* command -v / -V for each name: prints, sets the status. */
enum wk_flow wk_describe_command(struct wk_shell *sh, const struct wk_str *names, size_t n,
                                 bool words, bool default_path);

/* The names that help knows, in their order, in the arena; NULL when refused. */
const struct wk_str *wk_help_topics(struct wk_shell *sh, size_t *n);

#endif
