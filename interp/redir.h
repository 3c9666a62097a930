/* redir.h - redirections done in a child (the rest is in eval.h) */
#ifndef WK_INTERP_REDIR_H
#define WK_INTERP_REDIR_H

#include "interp/eval.h"

/* Apply redirections to the descriptors of `child`, a forked process that is not running yet. They
 * are not undone. After a failure the message was printed, *ok is false and the status 1. */
enum wk_flow wk_redir_child(struct wk_shell *sh, struct wk_proc *child,
                            const struct wk_redir *const *r, size_t n, bool *ok);

#endif
