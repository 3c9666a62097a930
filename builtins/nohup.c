/* nohup.c - run a program that hangups do not end
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: nohup.
 */
#include "builtins/launch.h"

/* Puts an open file at a descriptor. */
static void put_at(struct wk_cmd *c, int fd, struct wk_file *f)
{
    int r = wk_fd_set(&c->proc->fds, fd, wk_file_ref(f), false);
    if (r < 0)
        wk_fail(c, 125, "failed to redirect: %s", wk_err_text(-r));
}

/* nohup.out here, or else in the home directory; its name, or the end of the process. */
static const char *open_output(struct wk_cmd *c, struct wk_file **f)
{
    const char *name = "nohup.out", *home = wk_cmd_env(c, "HOME");
    int how = WK_O_WRONLY | WK_O_CREAT | WK_O_APPEND;
    int first = wk_cmd_open(c, name, how, 0600, f);
    if (!first)
        return name;
    int status = wk_cmd_env(c, "POSIXLY_CORRECT") ? 127 : 125;
    if (!home)
        wk_fail(c, status, "failed to open %s: %s", wk_quote(c, name), wk_err_text(first));
    const char *other = wk_join_path(c, home, name);
    int err = wk_cmd_open(c, other, how, 0600, f);
    if (!err)
        return other;
    wk_msg(c, "failed to open %s: %s", wk_quote(c, name), wk_err_text(first));
    wk_fail(c, status, "failed to open %s: %s", wk_quote(c, other), wk_err_text(err));
}

/* What is a terminal is taken away from the program. */
static void redirect(struct wk_cmd *c)
{
    struct wk_fdtab *fds = c->proc->fds;
    struct wk_file *std[3], *f;
    for (int i = 0; i < 3; i++)
        std[i] = wk_fd_get(fds, i);
    bool in = std[0] && std[0]->is_tty, out = std[1] && std[1]->is_tty, err = std[2] && std[2]->is_tty;
    const char *prefix = in ? "ignoring input and " : "";
    if (in && wk_cmd_open(c, "/dev/null", WK_O_WRONLY, 0, &f) == 0)
        put_at(c, 0, f);
    if (in && !out && !err)
        wk_out_fmt(c->err, "%s: ignoring input\n", c->name);
    if (out || (err && !std[1])) {
        const char *name = open_output(c, &f);
        wk_out_fmt(c->err, "%s: %sappending output to %s\n", c->name, prefix, wk_quote(c, name));
        (void)wk_out_flush(c->err);
        if (out)
            put_at(c, 1, f);
        if (err)
            put_at(c, 2, f);
    } else if (err) {
        wk_out_fmt(c->err, "%s: %sredirecting stderr to stdout\n", c->name, prefix);
        (void)wk_out_flush(c->err);
        put_at(c, 2, std[1]);
    }
}

static int nohup_main(struct wk_cmd *c)
{
    redirect(c);
    (void)wk_out_flush(c->err);
    c->proc->sig_ignored |= WK_SIGBIT(WK_SIGHUP);
    wk_launch(c, c->args, c->nargs, NULL, "failed to run command ", wk_quote);
}

WK_COMMAND(nohup, .summary = "run COMMAND, ignoring hangup signals", .usage = "nohup COMMAND [ARG]...\nnohup OPTION",
           .std = "coreutils 9.1", .flags = WK_CMD_NO_PERMUTE, .min_args = 1, .usage_status = 125,
           .help = "If standard input is a terminal, it is read from an unreadable file. If standard output is a\n"
                   "terminal, it is appended to 'nohup.out', or '$HOME/nohup.out'. If standard error is a\n"
                   "terminal, it goes to standard output.\n");
