/* sync.c - nothing is cached here: checks its operands
 *
 * Standard: GNU coreutils 9.1. Oracle: sync.
 */
#include "builtins/fsops.h"

struct sync_opts {
    bool data, file_system;
};

static const struct wk_opt sync_options[] = {
    WK_FLAG(struct sync_opts, data, 'd', "data", "sync only file data, no unneeded metadata"),
    WK_FLAG(struct sync_opts, file_system, 'f', "file-system",
            "sync the file systems that contain the files"),
    WK_OPTS_END,
};

static int sync_main(struct wk_cmd *c)
{
    const struct sync_opts *o = (const struct sync_opts *)c->opts;
    if (o->data && o->file_system)
        wk_fail(c, 1, "cannot specify both --data and --file-system");
    if (o->data && c->nargs == 0)
        wk_fail(c, 1, "--data needs at least one argument");
    for (int i = 0; i < c->nargs; i++) {
        struct wk_file *f;
        int err = wk_cmd_open(c, c->args[i], WK_O_RDONLY | WK_O_NONBLOCK, 0, &f);
        if (err)
            wk_msg(c, "error opening %s: %s", wk_quote(c, c->args[i]), wk_err_text(err));
        else
            wk_cmd_close(c, f);
    }
    return c->status;
}

WK_COMMAND(sync, .summary = "synchronize cached writes to persistent storage",
           .usage = "sync [OPTION] [FILE]...", .std = "coreutils 9.1", .opts = sync_options,
           .opts_size = sizeof(struct sync_opts));
