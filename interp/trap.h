/* trap.h - traps: signals, EXIT, ERR, DEBUG, RETURN (bash 4.1 trap) */
#ifndef WK_INTERP_TRAP_H
#define WK_INTERP_TRAP_H

#include "interp/shell.h"

enum { WK_TRAP_EXIT = 0, WK_TRAP_DEBUG = WK_NSIG, WK_TRAP_ERR, WK_TRAP_RETURN, WK_TRAP_COUNT };

/* NULL: default; "" ignored. */
const struct wk_val *wk_trap_get(const struct wk_shell *sh, int which);
/* Set, ignore (empty text) or reset (text.p == NULL). 0 or -WK_ENOMEM. Updates proc->sig_*. */
int wk_trap_set(struct wk_shell *sh, int which, struct wk_str text);
/* In a new subshell: caught signals go back to default, ignored stay; ERR/DEBUG/RETURN kept only with errtrace/functrace. The old texts stay visible to
 * `trap -p` until the child changes one. */
int wk_traps_subshell(struct wk_shell *sh);
void wk_traps_reset(struct wk_shell *sh);
/* At a command boundary when task->signal_check is set: run traps of pending signals, or end the
 * shell by a fatal one. */
enum wk_flow wk_traps_pending(struct wk_shell *sh);
/* Run one trap's text ($? kept), with BASH_COMMAND and LINENO rules; a no-op when not set. */
enum wk_flow wk_trap_run(struct wk_shell *sh, int which);
/* "EXIT", "ERR", "SIGINT"…: display name; parse as kill's. */
const char *wk_trap_name(int which, char *scratch);
int wk_trap_parse(struct wk_str name);

#endif
