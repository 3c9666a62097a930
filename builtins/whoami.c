/* whoami.c - print the name of the user
 *
 * Standard: GNU coreutils 9.1. Oracle: whoami.
 */
#include "builtins/idnames.h"

static int whoami_main(struct wk_cmd *c)
{
    if (c->nargs)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[0]));
    const char *name = wk_user_name(wk_idnames_new(c), c->proc->cred.uid);
    if (!name)
        wk_fail(c, 1, "cannot find name for user ID %u", c->proc->cred.uid);
    wk_out_fmt(c->out, "%s\n", name);
    return 0;
}

WK_COMMAND(whoami, .summary = "print the user name associated with the current effective user ID",
           .usage = "whoami [OPTION]...", .std = "coreutils 9.1");
