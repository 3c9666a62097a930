/* timeout.c - run a command with a time limit
 *
 * Standard: GNU coreutils 9.1. Oracle: timeout.
 */
#include "base/fnum.h"
#include "builtins/launch.h"

struct timeout_opts {
    bool preserve, foreground, verbose;
    const char *kill_after, *signal;
};

static const struct wk_opt timeout_options[] = {
    WK_FLAG(struct timeout_opts, preserve, 0, "preserve-status",
            "exit with the same status as COMMAND, even when the\ncommand times out"),
    WK_FLAG(struct timeout_opts, foreground, 0, "foreground",
            "when not running timeout directly from a shell prompt,\nallow COMMAND to read from the "
            "TTY and get TTY signals"),
    WK_STR_OPT(struct timeout_opts, kill_after, 'k', "kill-after", "DURATION",
               "also send a KILL signal if COMMAND is still running\nthis long after the initial "
               "signal was sent"),
    WK_STR_OPT(struct timeout_opts, signal, 's', "signal", "SIGNAL",
               "specify the signal to be sent on timeout;\nSIGNAL may be a name like 'HUP' or a "
               "number"),
    WK_FLAG(struct timeout_opts, verbose, 'v', "verbose",
            "diagnose to stderr any signal sent upon timeout"),
    WK_OPTS_END,
};

/* What must not outlive us when we are killed. */
struct child {
    struct wk_kern *k;
    uint32_t pid;
    int64_t target; /* pid, or -group */
};

static void release_child(void *obj)
{
    struct child *ch = (struct child *)obj;
    struct wk_proc *p = ch->pid ? wk_proc_find(ch->k, ch->pid) : NULL;
    if (p && p->state != WK_PROC_ZOMBIE)
        (void)wk_kill(ch->k, NULL, ch->target, WK_SIGTERM);
}

static int64_t read_duration(struct wk_cmd *c, const char *text)
{
    long double v;
    int err;
    size_t used = wk_scan_ldouble(wk_str_c(text), &v, &err);
    const char *unit = text + used;
    if (used == 0 || !(v >= 0) || (*unit && (unit[1] || !strchr("smhd", *unit))))
        wk_usage(c, "invalid time interval %s", wk_quote_arg(c, text));
    v *= *unit == 'm' ? 60e9L : *unit == 'h' ? 3600e9L : *unit == 'd' ? 86400e9L : 1e9L;
    if (v >= (long double)(INT64_MAX / 2))
        return 0; /* so long that there is no limit */
    int64_t ns = (int64_t)v;
    return ns + ((long double)ns < v);
}

/* Waits for the child until a time (0: for ever). False when the time came first. */
static bool wait_until(struct wk_cmd *c, uint32_t pid, int64_t until, struct wk_exit *e)
{
    for (;;) {
        struct wk_proc *p = NULL;
        int r = wk_proc_wait(c->task, c->proc, (int64_t)pid, WK_WAIT_NOHANG | WK_WAIT_NOINTR, &p);
        if (r < 0)
            wk_fail(c, 125, "error waiting for command: %s", wk_err_text(r));
        if (p) {
            *e = p->exit;
            wk_proc_reap(p);
            return true;
        }
        r = wk_park(c->task, &c->proc->child_changed, until ? until : WK_FOREVER, true);
        if (r == -WK_ETIMEDOUT)
            return false;
    }
}

static void send(struct wk_cmd *c, const struct timeout_opts *o, const struct child *ch, int sig,
                 const char *command)
{
    if (o->verbose) {
        const char *name = wk_sig_name(sig);
        wk_out_fmt(c->err, "%s: sending signal %s to command %s\n", c->name,
                   name ? name : "?", wk_quote_arg(c, command));
        (void)wk_out_flush(c->err);
    }
    (void)wk_kill(c->k, c->proc, ch->target, sig);
    if (sig != WK_SIGKILL && sig != WK_SIGCONT)
        (void)wk_kill(c->k, c->proc, ch->target, WK_SIGCONT);
}

/* Ends by the signal, as the command did; KILL to the command's group meets the group's leader too. */
static int end_by(struct wk_cmd *c, int sig)
{
    (void)wk_out_flush(c->out);
    (void)wk_out_flush(c->err);
    c->proc->sig_ignored &= ~WK_SIGBIT(sig);
    wk_proc_post(c->proc, sig);
    wk_tick(c, 1);
    return 128 + sig;
}

static int timeout_main(struct wk_cmd *c)
{
    const struct timeout_opts *o = (const struct timeout_opts *)c->opts;
    int sig = WK_SIGTERM;
    int64_t kill_after = o->kill_after ? read_duration(c, o->kill_after) : 0;
    if (o->signal) {
        sig = wk_sig_parse(wk_str_c(o->signal));
        if (sig < 0)
            wk_usage(c, "%s: invalid signal", wk_quote_arg(c, o->signal));
    }
    if (c->nargs < 2) { /* GNU says no more than this */
        wk_out_fmt(c->err, "Try '%s --help' for more information.\n", c->name);
        return 125;
    }
    int64_t limit = read_duration(c, c->args[0]);
    struct wk_spawn how = {.argc = (size_t)c->nargs - 1,
                           .argv = (const char *const *)(c->args + 1),
                           .pgid = o->foreground ? 0 : 1};
    struct child *ch = wk_new(c, struct child);
    struct wk_proc *p;
    ch->k = c->k;
    wk_heap_own(c->heap, ch, release_child);
    wk_in_unshare(c->in);
    int r = wk_spawn(c->proc, &how, &p);
    if (r < 0) {
        wk_msg(c, "failed to run command %s: %s", wk_quote_arg(c, c->args[1]), wk_err_text(wk_launch_err(-r)));
        return wk_launch_status(-r);
    }
    ch->pid = p->pid;
    ch->target = o->foreground ? (int64_t)p->pid : -(int64_t)p->pgid;
    int64_t start = wk_cmd_monotonic(c);
    struct wk_exit e;
    bool timed_out = false, killed = false;
    if (!wait_until(c, ch->pid, limit ? start + limit : 0, &e)) {
        timed_out = true;
        send(c, o, ch, sig, c->args[1]);
        int64_t now = wk_cmd_monotonic(c);
        if (!wait_until(c, ch->pid, kill_after ? now + kill_after : 0, &e)) {
            killed = true;
            send(c, o, ch, WK_SIGKILL, c->args[1]);
            (void)wait_until(c, ch->pid, 0, &e);
        }
    }
    ch->pid = 0;
    if (timed_out && (killed || sig == WK_SIGKILL))
        return o->foreground ? 128 + WK_SIGKILL : end_by(c, WK_SIGKILL);
    if (timed_out)
        return o->preserve ? wk_exit_status(e) : 124;
    return e.signal ? end_by(c, e.signal) : wk_exit_status(e);
}

WK_COMMAND(timeout, .summary = "run a command with a time limit",
           .usage = "timeout [OPTION] DURATION COMMAND [ARG]...\ntimeout [OPTION]",
           .std = "coreutils 9.1", .opts = timeout_options, .opts_size = sizeof(struct timeout_opts),
           .flags = WK_CMD_NO_PERMUTE, .usage_status = 125,
           .help = "DURATION is a floating point number with an optional suffix:\n"
                   "'s' for seconds (the default), 'm' for minutes, 'h' for hours or 'd' for days.\n"
                   "A duration of 0 disables the associated timeout.\n\n"
                   "If the command times out, and --preserve-status is not set, then exit with\n"
                   "status 124. Otherwise, exit with the status of COMMAND. If no signal is\n"
                   "specified, send the TERM signal upon timeout.\n");
