/* mkfifo.c - make FIFOs
 *
 * Standard: POSIX XCU mkfifo. Oracle: coreutils 9.1.
 */
#include "builtins/modes.h"
#include "kern/cmd.h"

struct mkfifo_opts {
    const char *mode;
};

static const struct wk_opt mkfifo_options[] = {
    WK_STR_OPT(struct mkfifo_opts, mode, 'm', "mode", "MODE",
               "set file permission bits to MODE, not a=rw - umask"),
    WK_OPTS_END,
};

static int mkfifo_main(struct wk_cmd *c)
{
    const struct mkfifo_opts *o = c->opts;
    uint32_t mode = 0666;
    if (o->mode) {
        struct wk_mode_change *m = wk_mode_parse(c, o->mode);
        if (!m)
            wk_fail(c, 1, "invalid mode");
        mode = wk_mode_apply(m, 0666, false, c->proc->cred.umask, NULL);
        if (mode & ~0777u)
            wk_fail(c, 1, "mode must specify only file permission bits");
    }
    for (int i = 0; i < c->nargs; i++) {
        struct wk_str path = wk_str_c(c->args[i]);
        int r = wk_vfs_mknod(c->k->vfs, &c->proc->cred, c->proc->cwd, path, WK_S_IFIFO | mode, 0);
        if (r) {
            wk_msg(c, "cannot create fifo %s: %s", wk_quote(c, c->args[i]), wk_err_text(r));
            continue;
        }
        if (o->mode)
            (void)wk_vfs_chmod(c->k->vfs, &c->proc->cred, c->proc->cwd, path, 0, mode);
    }
    return c->status;
}

WK_COMMAND(mkfifo, .summary = "create named pipes (FIFOs) with the given NAMEs",
           .usage = "mkfifo [OPTION]... NAME...", .std = "coreutils 9.1", .opts = mkfifo_options,
           .opts_size = sizeof(struct mkfifo_opts), .min_args = 1);
