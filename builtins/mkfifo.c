/* mkfifo.c - make FIFOs
 *
 * Standard: POSIX XCU mkfifo. Oracle: coreutils 9.1.
 */
#include "builtins/fsops.h"
#include "builtins/modes.h"

struct mkfifo_opts {
    const char *mode, *context;
    bool ignored;
};

static const struct wk_opt mkfifo_options[] = {
    WK_STR_OPT(struct mkfifo_opts, mode, 'm', "mode", "MODE",
               "set file permission bits to MODE, not a=rw - umask"),
    WK_FLAG(struct mkfifo_opts, ignored, 'Z', NULL, "(ignored: there are no security contexts)"),
    WK_STR_OPTIONAL(struct mkfifo_opts, context, 0, "context", "CTX", "(ignored)"),
    WK_OPTS_END,
};

static int mkfifo_main(struct wk_cmd *c)
{
    const struct mkfifo_opts *o = c->opts;
    uint32_t mode = 0666;
    if (o->context && *o->context)
        wk_out_fmt(c->err, "%s: warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel\n", c->name);
    if (o->mode) {
        struct wk_mode_change *m = wk_mode_parse(c, o->mode);
        if (!m)
            wk_fail(c, 1, "invalid mode");
        mode = wk_mode_apply(m, 0666, false, c->proc->cred.umask, NULL);
        if (mode & ~0777u)
            wk_fail(c, 1, "mode must specify only file permission bits");
    }
    for (int i = 0; i < c->nargs; i++) {
        int err = wk_at_mknod(c, NULL, c->args[i], WK_S_IFIFO | mode, 0);
        if (err)
            wk_msg(c, "cannot create fifo %s: %s", wk_quote(c, c->args[i]), wk_err_text(err));
        else if (o->mode && (err = wk_at_chmod(c, NULL, c->args[i], true, mode)) != 0)
            wk_msg(c, "cannot set permissions of %s: %s", wk_quote(c, c->args[i]), wk_err_text(err));
    }
    return c->status;
}

WK_COMMAND(mkfifo, .summary = "create named pipes (FIFOs) with the given NAMEs",
           .usage = "mkfifo [OPTION]... NAME...", .std = "coreutils 9.1", .opts = mkfifo_options,
           .opts_size = sizeof(struct mkfifo_opts), .min_args = 1);
