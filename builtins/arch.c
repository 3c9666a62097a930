/* arch.c - print the machine's architecture
 *
 * Standard: GNU coreutils 9.1. Oracle: arch.
 */
#include "kern/cmd.h"

static int arch_main(struct wk_cmd *c)
{
    if (c->nargs)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[0]));
    wk_out_c(c->out, "x86_64\n"); /* as uname -m */
    return 0;
}

WK_COMMAND(arch, .summary = "print machine architecture", .usage = "arch [OPTION]...",
           .std = "coreutils 9.1");
