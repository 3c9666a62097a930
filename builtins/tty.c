/* tty.c - name the terminal that standard input is
 *
 * Standard: GNU coreutils 9.1. Oracle: tty.
 */
#include "kern/cmd.h"

struct tty_opts {
    bool silent;
};

static const struct wk_opt tty_options[] = {
    WK_FLAG(struct tty_opts, silent, 's', "silent", "print nothing, only return an exit status"),
    WK_FLAG(struct tty_opts, silent, 0, "quiet", "the same as --silent"),
    WK_OPTS_END,
};

static int tty_main(struct wk_cmd *c)
{
    const struct tty_opts *o = (const struct tty_opts *)c->opts;
    if (c->nargs)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[0]));
    bool tty = c->in->file && c->in->file->is_tty;
    if (!o->silent)
        wk_out_c(c->out, tty ? "/dev/tty\n" : "not a tty\n");
    return tty ? 0 : 1;
}

WK_COMMAND(tty, .summary = "print the file name of the terminal connected to standard input",
           .usage = "tty [OPTION]...", .std = "coreutils 9.1", .opts = tty_options,
           .opts_size = sizeof(struct tty_opts), .usage_status = 2);
