/* repl.h - the interactive shell of the whelk program */
#ifndef WK_CLI_REPL_H
#define WK_CLI_REPL_H

#include <whelk.h>

/* Read commands with a prompt until the end of input or exit. Returns the exit status. */
int wk_cli_repl(whelk_session *s);

/* Make the program's own standard streams those of a run. */
void wk_cli_streams(whelk_run_options *o);

#endif
