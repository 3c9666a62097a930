/* link.c - call link(2)
 *
 * Standard: GNU coreutils 9.1. Oracle: link.
 */
#include "builtins/fsops.h"

static int link_main(struct wk_cmd *c)
{
    int err = wk_at_link(c, NULL, c->args[0], NULL, c->args[1], 0);
    if (err)
        wk_msg(c, "cannot create link %s to %s: %s", wk_quote(c, c->args[1]), wk_quote(c, c->args[0]),
               wk_err_text(err));
    return c->status;
}

WK_COMMAND(link, .summary = "call the link function to create a link named FILE2 to an existing FILE1",
           .usage = "link FILE1 FILE2", .std = "coreutils 9.1", .min_args = 2, .max_args = 2);
