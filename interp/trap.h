/* trap.h - traps: signals, EXIT, ERR, DEBUG, RETURN (bash 4.1 trap) */
#ifndef WK_INTERP_TRAP_H
#define WK_INTERP_TRAP_H

#include "interp/shell.h"
#include "kern/signal.h"

enum { WK_TRAP_EXIT = 0, WK_TRAP_DEBUG = WK_NSIG, WK_TRAP_ERR, WK_TRAP_RETURN, WK_TRAP_COUNT };

/* The text that acts now: NULL: default (or hidden in this function); "" ignored. */
const struct wk_val *wk_trap_get(const struct wk_shell *sh, int which);
/* Whether an event would run its trap now: there is one, and it does not run already. */
bool wk_trap_would_run(const struct wk_shell *sh, int which);
/* The text as `trap -p` shows it: a new subshell still shows its parent's. */
const struct wk_val *wk_trap_shown(const struct wk_shell *sh, int which);
/* Set, ignore (empty text) or reset (text.p == NULL). 0 or -WK_ENOMEM. Updates proc->sig_*. */
int wk_trap_set(struct wk_shell *sh, int which, struct wk_str text);
/* In a new subshell: caught signals go back to default, ignored stay; ERR/DEBUG/RETURN kept only
 * with errtrace/functrace. The old texts stay visible to `trap -p` until the child changes one. */
int wk_traps_subshell(struct wk_shell *sh);
/* The child has failed before it was one: the EXIT trap of the shell around it is its own. */
void wk_traps_regain_exit(struct wk_shell *sh);
/* … except in process substitutions: of DEBUG, ERR, RETURN and signals that are ignored alone. */
void wk_traps_hide_shown(struct wk_shell *sh);
void wk_traps_reset(struct wk_shell *sh);
/* At a command boundary when task->signal_check is set: run traps of pending signals, or end the
 * shell by a fatal one. WK_STOP in an inline subshell when a fatal one came to a shell around it:
 * nothing runs on without the stack below. */
enum wk_flow wk_traps_pending(struct wk_shell *sh);
/* A child in the foreground has ended: when it was not by INT, an INT that came meanwhile was the child's affair and
 * does not end a script's shell. */
void wk_traps_child_ended(struct wk_shell *sh, struct wk_exit e);
/* Whether a signal is pending that ends this shell; whether one is pending that has a trap. */
bool wk_traps_fatal(const struct wk_shell *sh);
bool wk_traps_caught(const struct wk_shell *sh);
/* Run one trap's text ($? kept), with BASH_COMMAND and LINENO rules; a no-op when not set. */
enum wk_flow wk_trap_run(struct wk_shell *sh, int which);
/* DEBUG: *skip when extdebug is on and the trap failed. */
enum wk_flow wk_trap_run_debug(struct wk_shell *sh, bool *skip);
/* RETURN, at the end of a function or sourced file. After `return' its $? is that of the command before. */
enum wk_flow wk_trap_run_return(struct wk_shell *sh, bool returned);
/* EXIT, once; sh->status is the shell's status afterwards. WK_STOP when stopped. */
enum wk_flow wk_trap_run_exit(struct wk_shell *sh);
/* A scope (function, file, redirections) is about to end because the shell does: bash runs the EXIT trap inside
 * of it. Called with WK_EXIT only; WK_EXIT or WK_STOP. */
enum wk_flow wk_trap_exit_here(struct wk_shell *sh);
static inline enum wk_flow wk_trap_leave(struct wk_shell *sh, enum wk_flow flow)
{
    return WK_UNLIKELY(flow == WK_EXIT) ? wk_trap_exit_here(sh) : flow;
}
/* The same for the outermost scope of a process that is for nothing else, however it ends. */
enum wk_flow wk_trap_leave_last(struct wk_shell *sh, enum wk_flow flow);
/* A scope has ended: when it was the last one that bash leaves before the trap, the next one has it. */
enum wk_flow wk_exit_past(struct wk_shell *sh, enum wk_flow flow, enum wk_leave scope);

/* DEBUG, RETURN and ERR are not inherited by functions without functrace or errtrace: hidden while
 * one runs, unless it sets its own. */
struct wk_hidden_traps {
    uint8_t old;
};
void wk_traps_hide(struct wk_shell *sh, bool traced, struct wk_hidden_traps *h);
/* The same for a sourced file: only DEBUG. */
void wk_traps_hide_debug(struct wk_shell *sh, struct wk_hidden_traps *h);
void wk_traps_unhide(struct wk_shell *sh, const struct wk_hidden_traps *h);

/* "EXIT", "ERR", "SIGINT"…: display name (scratch: at least 24 bytes); parse as kill's; -1 = none.
 */
const char *wk_trap_name(int which, char *scratch);
int wk_trap_parse(struct wk_str name);

#endif
