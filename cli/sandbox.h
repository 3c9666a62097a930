/* sandbox.h - scripts in a sandbox: whelk --sandbox KIND */
#ifndef WK_CLI_SANDBOX_H
#define WK_CLI_SANDBOX_H

#include "cli/options.h"

/* Status of a sandbox that failed, as opposed to its script. */
enum { WK_CLI_BOX_FAILED = 125 };

/* Runs what the command line asks for; the exit status. */
int wk_cli_sandbox(const struct wk_cli_options *o);
/* Delegates the commands of --delegate. 0, or a status after a message. */
int wk_cli_delegate(const struct wk_cli_options *o, whelk_session *s);

#endif
