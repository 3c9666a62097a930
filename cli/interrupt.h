/* interrupt.h - Ctrl-C: what it cancels */
#ifndef WK_CLI_INTERRUPT_H
#define WK_CLI_INTERRUPT_H

#include <whelk/sandbox.h>

/* The session that Ctrl-C cancels; NULL = none. */
void wk_cli_watch(whelk_session *s);
/* The same of a sandbox, which may still be NULL when it is being opened. */
void wk_cli_watch_box(whelk_sandbox *const *box);

#endif
