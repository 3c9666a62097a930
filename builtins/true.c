/* true.c - the program true: succeed
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: /bin/true.
 */
#include "kern/cmd.h"

static int true_main(struct wk_cmd *c)
{
    (void)c;
    return 0;
}

WK_COMMAND(true, .summary = "succeed", .usage = "true [WORD]...", .std = "coreutils 9.1", .flags = WK_CMD_RAW_ARGS);
