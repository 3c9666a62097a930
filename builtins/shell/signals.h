/* signals.h - the list of signals that kill -l and trap -l print */
#ifndef WK_BUILTINS_SHELL_SIGNALS_H
#define WK_BUILTINS_SHELL_SIGNALS_H

#include "interp/builtin.h"

/* The table of numbers and names, five in a line. */
enum wk_flow wk_list_signals(struct wk_shell *sh, const char *builtin);

#endif
