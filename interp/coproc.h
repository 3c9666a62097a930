/* coproc.h - coprocesses (bash 3.2.6) */
#ifndef WK_INTERP_COPROC_H
#define WK_INTERP_COPROC_H

#include "interp/shell.h"

enum wk_flow wk_eval_coproc(struct wk_shell *sh, const struct wk_node *n);
/* `wait` has seen the end of process `pid` (0: of all): when it was the coprocess, its variables and descriptors go.
 * 0 or -WK_ENOMEM. */
int wk_coproc_waited(struct wk_shell *sh, uint32_t pid);
/* A redirection of this shell closes the descriptor: when it is one of the pipes, its variable is -1 from then on.
 * 0 or -WK_ENOMEM. */
int wk_coproc_closed(struct wk_shell *sh, int fd);
/* A child that is no substitution does not have the pipes of this shell's coprocess. */
void wk_coproc_leave(struct wk_shell *sh, struct wk_proc *child);

#endif
