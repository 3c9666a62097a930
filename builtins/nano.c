/* nano.c - editors that need a terminal: there is none, and they say so
 *
 * Differs: docs/divergences/nano.md
 */
#include "kern/cmd.h"

static int nano_main(struct wk_cmd *c)
{
    wk_fail(c, 1, "no terminal to edit on; files are changed by sed, patch or redirections");
}

WK_COMMAND(nano, .aliases = "vi", .summary = "edit files on a terminal (there is none)",
           .usage = "nano [FILE]...\nvi [FILE]...",
           .help = "Nothing is edited: there is no terminal.", .std = "nano 7.2, vi of POSIX",
           .flags = WK_CMD_RAW_ARGS);
