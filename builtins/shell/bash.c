/* bash.c - bash and sh as commands: a further shell
 *
 * Standard: POSIX XCU sh; bash 6.1. Oracle: bash 5.2.
 */
#include "interp/shell.h"
#include "interp/start.h"
#include "kern/cmd.h"

/* Never called: a shell has a task that is no leaf (shell_main). */
static int bash_main(struct wk_cmd *c)
{
    (void)c;
    return 126;
}

WK_COMMAND(bash, .aliases = "sh", .summary = "run commands of a script, a string or standard input",
           .usage =
               "bash [OPTION]... [SCRIPT [ARG]...]\nbash [OPTION]... -c COMMAND [NAME [ARG]...]\n"
               "bash [OPTION]... -s [ARG]...",
           .std = "bash 5.2", .flags = WK_CMD_SHELL | WK_CMD_RAW_ARGS | WK_CMD_NO_PERMUTE,
           .shell_main = wk_shell_command_main);
