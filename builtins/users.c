/* users.c - print the names of users who are logged in: nobody is
 *
 * Standard: GNU coreutils 9.1. Oracle: users without a record of logins.
 */
#include "kern/cmd.h"

static int users_main(struct wk_cmd *c)
{
    return c->status;
}

WK_COMMAND(users, .summary = "output who is currently logged in", .usage = "users [OPTION]... [FILE]",
           .std = "coreutils 9.1", .max_args = 1);
