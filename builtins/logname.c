/* logname.c - print the login name: there is no login here
 *
 * Standard: GNU coreutils 9.1. Oracle: logname without a terminal.
 */
#include "kern/cmd.h"

static int logname_main(struct wk_cmd *c)
{
    if (c->nargs)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[0]));
    wk_fail(c, 1, "no login name");
}

WK_COMMAND(logname, .summary = "print the user's login name", .usage = "logname [OPTION]",
           .std = "coreutils 9.1");
