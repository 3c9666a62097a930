/* flock.c - run a command, or go on, with a file locked
 *
 * Standard: util-linux 2.38. Oracle: flock.
 * Differs:  docs/divergences/flock.md
 */
#include "base/fnum.h"
#include "base/num.h"
#include "builtins/launch.h"
#include "kern/filelock.h"

enum { USAGE = 64, DATA = 65, NO_INPUT = 66, UNAVAILABLE = 69, OS_ERROR = 71 };

struct flock_opts {
    int lock;
    bool now, close, no_fork, verbose;
    bool limited; /* -w */
    double timeout;
    int status; /* and 1; 0: none given */
};

struct flock {
    struct wk_cmd *c;
    const struct flock_opts *o;
    int fd;
    char **argv;
    int argc;
    const char *took, *what; /* told by --verbose when the command has ended */
};

static int take_timeout(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct flock_opts *o = (struct flock_opts *)c->opts;
    (void)opt;
    o->limited = true;
    if (wk_parse_double(wk_str_c(arg), &o->timeout) != 0)
        wk_fail(c, USAGE, "invalid timeout value: '%s'", arg);
    return 0;
}

static int take_status(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct flock_opts *o = (struct flock_opts *)c->opts;
    int64_t v;
    int r = wk_parse_i64(wk_str_c(arg), 10, &v);
    (void)opt;
    if (r && r != -WK_ERANGE)
        wk_fail(c, USAGE, "invalid exit code: '%s'", arg);
    if (r || v < 0 || v > 255)
        wk_fail(c, USAGE, "exit code out of range (expected 0 to 255)");
    o->status = (int)v + 1;
    return 0;
}

static const struct wk_opt flock_options[] = {
    WK_SET(struct flock_opts, lock, WK_LOCK_SHARED, 's', "shared",
           "a lock that others may have, too"),
    WK_SET(struct flock_opts, lock, WK_LOCK_EXCLUSIVE, 'x', "exclusive",
           "a lock for one alone (the default)"),
    WK_SET(struct flock_opts, lock, WK_LOCK_EXCLUSIVE, 'e', NULL, "the same"),
    WK_SET(struct flock_opts, lock, -1, 'u', "unlock", "give the lock up"),
    WK_FLAG(struct flock_opts, now, 'n', "nonblock", "fail where it would have to wait"),
    WK_FLAG(struct flock_opts, now, 0, "nb", "the same"),
    WK_FUNC_OPT(take_timeout, 0, 'w', "timeout", "SECS", "wait no longer than this"),
    WK_FUNC_OPT(take_timeout, 0, 0, "wait", "SECS", "the same"),
    WK_FUNC_OPT(take_status, 0, 'E', "conflict-exit-code", "NUMBER",
                "status when the lock was not got (default 1)"),
    WK_FLAG(struct flock_opts, close, 'o', "close", "the command does not inherit the file"),
    WK_FLAG(struct flock_opts, no_fork, 'F', "no-fork", "become the command"),
    WK_FLAG(struct flock_opts, verbose, 0, "verbose", "tell how long it took, and what is run"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "what --help prints"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "what --version prints"),
    WK_OPTS_END,
};

/* The descriptor that a number names. */
static struct wk_file *from_number(struct flock *f)
{
    struct wk_cmd *c = f->c;
    const char *text = c->args[0];
    int64_t v;
    int r = wk_parse_i64(wk_str_c(text), 10, &v);
    if (r == -WK_ERANGE || (!r && (v > INT32_MAX || v < INT32_MIN)))
        wk_fail(c, USAGE, "bad file descriptor: '%s': Numerical result out of range", text);
    if (r)
        wk_fail(c, USAGE, "bad file descriptor: '%s'", text);
    f->fd = (int)v;
    struct wk_file *file = wk_fd_get(c->proc->fds, f->fd);
    if (!file)
        wk_fail(c, DATA, "%d: Bad file descriptor", f->fd);
    return file;
}

/* The command behind the file: words, or -c and a line for the shell. */
static void read_command(struct flock *f)
{
    struct wk_cmd *c = f->c;
    f->argv = c->args + 1;
    f->argc = c->nargs - 1;
    if (strcmp(f->argv[0], "-c") != 0 && strcmp(f->argv[0], "--command") != 0)
        return;
    if (f->argc != 2)
        wk_fail(c, USAGE, "%s requires exactly one command argument", f->argv[0]);
    const char *shell = wk_cmd_env(c, "SHELL");
    char *line = f->argv[1];
    f->argv = wk_new_n(c, char *, 4);
    f->argv[0] = wk_dup(c, shell && *shell ? shell : "/bin/sh");
    f->argv[1] = wk_dup(c, "-c");
    f->argv[2] = line;
    f->argc = 3;
}

/* Opens, and makes when it is not there, the file (or directory), at a descriptor that children
 * inherit. */
static struct wk_file *from_name(struct flock *f)
{
    struct wk_cmd *c = f->c;
    struct wk_file *file;
    const char *name = c->args[0];
    read_command(f);
    int err = wk_cmd_open(c, name, WK_O_RDONLY | WK_O_CREAT, 0666, &file);
    if (err == WK_EISDIR)
        err = wk_cmd_open(c, name, WK_O_RDONLY, 0, &file);
    if (err)
        wk_fail(c, NO_INPUT, "cannot open lock file %s: %s", name, wk_err_text(err));
    f->fd = wk_fd_add(&c->proc->fds, 3, wk_file_ref(file), false);
    wk_cmd_close(c, file);
    if (f->fd < 0)
        wk_fail(c, OS_ERROR, "cannot open lock file %s: %s", name, wk_err_text(-f->fd));
    return wk_fd_get(c->proc->fds, f->fd);
}

static int lock(struct flock *f, struct wk_file *file)
{
    struct wk_cmd *c = f->c;
    enum wk_lock how = f->o->lock < 0 ? WK_LOCK_NONE
                       : f->o->lock   ? (enum wk_lock)f->o->lock
                                      : WK_LOCK_EXCLUSIVE;
    int64_t start = wk_cmd_monotonic(c);
    int64_t until = WK_FOREVER;
    if (f->o->limited && !f->o->now && !(f->o->timeout >= 0))
        wk_fail(c, OS_ERROR, "cannot set up timer: Invalid argument");
    if (f->o->now)
        until = 0;
    else if (f->o->limited)
        until = start + (f->o->timeout >= 1e9 ? INT64_C(1000000000000000000)
                                              : (int64_t)(f->o->timeout * 1e9));
    int r;
    do
        r = wk_filelock(c->task, file, how, until);
    while (r == -WK_EINTR);
    if (r == -WK_EAGAIN || r == -WK_ETIMEDOUT) {
        if (f->o->verbose)
            wk_msg(c, r == -WK_EAGAIN ? "failed to get lock" : "timeout while waiting to get lock");
        return f->o->status ? f->o->status - 1 : 1;
    }
    if (r)
        wk_fail(c, DATA, "%s: %s", c->args[0], wk_err_text(-r));
    if (f->o->verbose) {
        int64_t took = (wk_cmd_monotonic(c) - start) / 1000;
        f->took = wk_strf(c, "%s: getting lock took %lld.%06lld seconds\n", c->name,
                          (long long)(took / 1000000), (long long)(took % 1000000));
    }
    return 0;
}

static void tell(struct flock *f)
{
    wk_out_c(f->c->out, f->took);
    wk_out_c(f->c->out, f->what);
    f->took = f->what = "";
}

static void drop_file(void *file)
{
    wk_file_unref((struct wk_file *)file);
}

static int run(struct flock *f)
{
    struct wk_cmd *c = f->c;
    struct wk_exit e;
    f->what = f->o->verbose ? wk_strf(c, "%s: executing %s\n", c->name, f->argv[0]) : "";
    if (f->o->no_fork || (c->out->file && c->out->file->is_tty))
        tell(f);
    if (f->o->close && !f->o->no_fork) { /* its own reference outlives the descriptor */
        wk_heap_own(c->heap, wk_file_ref(wk_fd_get(c->proc->fds, f->fd)), drop_file);
        (void)wk_fd_close(&c->proc->fds, f->fd);
    }
    int err = f->o->no_fork ? wk_cmd_exec(c, f->argc, f->argv, NULL)
                            : wk_cmd_run(c, f->argc, f->argv, NULL, &e);
    if (err)
        wk_fail(c, err == WK_ENOMEM ? OS_ERROR : UNAVAILABLE, "failed to execute %s: %s",
                f->argv[0], wk_err_text(wk_launch_err(err)));
    return wk_exit_status(e);
}

static int flock_main(struct wk_cmd *c)
{
    struct flock f = {.c = c, .o = (const struct flock_opts *)c->opts, .took = "", .what = ""};
    if (!c->nargs)
        wk_usage(c, "not enough arguments");
    struct wk_file *file = c->nargs > 1 ? from_name(&f) : from_number(&f);
    int status = lock(&f, file);
    if (!status && f.argv)
        status = run(&f);
    tell(&f);
    return status;
}

WK_COMMAND(
    flock, .summary = "run a command with a file locked",
    .usage =
        "flock [options] <file>|<directory> <command> [<argument>...]\n"
        "flock [options] <file>|<directory> -c <command>\nflock [options] <file descriptor number>",
    .std = "util-linux 2.38.1", .opts = flock_options, .opts_size = sizeof(struct flock_opts),
    .flags = WK_CMD_NO_PERMUTE, .usage_status = USAGE,
    .help = "-c, --command behind the file: the next word is a line for the shell ($SHELL).\n");
