/* setsid.c - run a program in a new session
 *
 * Standard: util-linux 2.38. Oracle: setsid.
 * Differs:  docs/divergences/setsid.md
 */
#include "builtins/launch.h"

struct setsid_opts {
    bool terminal, fork, wait;
};

static const struct wk_opt setsid_options[] = {
    WK_FLAG(struct setsid_opts, terminal, 'c', "ctty",
            "the terminal of standard input becomes that of the session"),
    WK_FLAG(struct setsid_opts, fork, 'f', "fork", "always run it as a process of its own"),
    WK_FLAG(struct setsid_opts, wait, 'w', "wait", "wait for it, and end with its status"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "what --help prints"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "what --version prints"),
    WK_OPTS_END,
};

static void new_session(struct wk_proc *p)
{
    p->sid = p->pgid = p->pid;
}

static int cannot_run(struct wk_cmd *c, int err)
{
    wk_msg(c, "failed to execute %s: %s", c->args[0], wk_err_text(wk_launch_err(err)));
    return wk_launch_status(err);
}

/* The program as a child; its status if that is waited for. */
static int run_child(struct wk_cmd *c, bool wait)
{
    struct wk_spawn how = {.argc = (size_t)c->nargs,
                           .argv = (const char *const *)c->args,
                           .background = !wait}; /* it outlives the run, as a job does */
    struct wk_proc *child;
    (void)wk_out_flush(c->err);
    wk_in_unshare(c->in);
    int r = wk_proc_fork(c->proc, &child);
    if (r)
        wk_fail(c, 1, "fork: %s", wk_err_text(-r));
    new_session(child);
    r = wk_exec_on(child, &how);
    if (r) { /* the child says so, and ends */
        int status = cannot_run(c, -r);
        wk_proc_finish(child, (struct wk_exit){(uint8_t)status, 0});
        wk_proc_reap(child);
        c->status = 0;
        return wait ? status : 0;
    }
    if (!wait)
        return 0;
    uint32_t pid = child->pid;
    do
        r = wk_proc_wait(c->task, c->proc, pid, 0, &child);
    while (r == -WK_EINTR);
    if (r)
        wk_fail(c, 1, "wait: %s", wk_err_text(-r));
    struct wk_exit e = child->exit;
    wk_proc_reap(child);
    if (!e.signal)
        return e.code;
    wk_msg(c, "child %u did not exit normally", pid);
    return e.signal;
}

static int setsid_main(struct wk_cmd *c)
{
    const struct setsid_opts *o = (const struct setsid_opts *)c->opts;
    if (!c->nargs)
        wk_usage(c, "no command specified");
    bool leader = c->proc->pgid == c->proc->pid;
    bool terminal = c->in->file && c->in->file->is_tty;
    if (o->terminal && !terminal) {
        wk_msg(c, "failed to set the controlling terminal: Inappropriate ioctl for device");
        return (leader || o->fork) && !o->wait ? 0 : 1;
    }
    if (leader || o->fork)
        return run_child(c, o->wait);
    new_session(c->proc);
    int err = wk_cmd_exec(c, c->nargs, c->args, NULL);
    return cannot_run(c, err);
}

WK_COMMAND(setsid, .summary = "run a program in a new session",
           .usage = "setsid [options] <program> [arguments ...]", .std = "util-linux 2.38.1",
           .opts = setsid_options, .opts_size = sizeof(struct setsid_opts),
           .flags = WK_CMD_NO_PERMUTE);
