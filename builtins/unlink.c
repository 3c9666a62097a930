/* unlink.c - call unlink(2)
 *
 * Standard: GNU coreutils 9.1. Oracle: unlink.
 */
#include "builtins/fsops.h"

static int unlink_main(struct wk_cmd *c)
{
    int err = wk_at_unlink(c, NULL, c->args[0]);
    if (err)
        wk_warn_q(c, "unlink", c->args[0], err);
    return c->status;
}

WK_COMMAND(unlink, .summary = "call the unlink function to remove the specified FILE",
           .usage = "unlink FILE", .std = "coreutils 9.1", .min_args = 1, .max_args = 1);
