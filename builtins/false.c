/* false.c - the program false: fail
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: /bin/false.
 */
#include "kern/cmd.h"

static int false_main(struct wk_cmd *c)
{
    (void)c;
    return 1;
}

WK_COMMAND(false, .summary = "fail", .usage = "false [WORD]...", .std = "coreutils 9.1", .flags = WK_CMD_RAW_ARGS);
