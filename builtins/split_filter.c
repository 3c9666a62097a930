/* split_filter.c - pieces of split as the standard input of a command */
#include "builtins/launch.h"
#include "builtins/split.h"
#include "kern/signal.h"

static void release(void *obj)
{
    struct wk_split_filter *f = (struct wk_split_filter *)obj;
    if (f->pipe)
        wk_file_unref(f->pipe);
    f->pipe = NULL;
}

void wk_split_filters_init(struct wk_cmd *c, struct wk_split_filters *all, const char *command)
{
    *all = (struct wk_split_filters){.command = command};
    all->pipe_ignored = c->proc->sig_ignored & WK_SIGBIT(WK_SIGPIPE);
    c->proc->sig_ignored |= WK_SIGBIT(WK_SIGPIPE);
    wk_env_list_init(c, &all->env, false);
}

/* Gives the child its input and its program. One whose program is not there ends at once. */
static int run(struct wk_cmd *c, struct wk_split_filters *all, struct wk_env *env,
               struct wk_file *in, struct wk_proc **child)
{
    const char *shell = wk_cmd_env(c, "SHELL");
    if (!shell)
        shell = "/bin/sh";
    const char *slash = strrchr(shell, '/');
    const char *argv[] = {slash ? slash + 1 : shell, "-c", all->command};
    struct wk_spawn how = {.path = shell, .argc = 3, .argv = argv, .env = env};
    int r = wk_proc_fork(c->proc, child);
    if (r < 0)
        return r;
    r = wk_fd_set(&(*child)->fds, 0, wk_file_ref(in), false);
    if (!all->pipe_ignored)
        (*child)->sig_ignored &= ~WK_SIGBIT(WK_SIGPIPE);
    if (r >= 0)
        r = wk_exec_on(*child, &how);
    if (r == -WK_EAGAIN || r == -WK_ENOMEM) {
        wk_proc_finish(*child, (struct wk_exit){1, 0});
        wk_proc_reap(*child);
        return r;
    }
    if (r < 0) {
        wk_out_fmt(c->err, "%s: failed to run command: \"%s -c %s\": %s\n", c->name, shell,
                   all->command, wk_err_text(wk_launch_err(-r)));
        wk_proc_finish(*child, (struct wk_exit){1, 0});
    }
    return 0;
}

static void drop_env(void *e)
{
    wk_env_unref((struct wk_env *)e);
}

static void drop_file(void *f)
{
    wk_file_unref((struct wk_file *)f);
}

static int start(struct wk_cmd *c, struct wk_split_filters *all, const char *name,
                 struct wk_file *in, struct wk_proc **child)
{
    char *file = wk_strf(c, "FILE=%s", name);
    wk_env_list_set(c, &all->env, file);
    wk_heap_free(c->heap, all->file);
    all->file = file;
    struct wk_env *env = wk_env_new(c->k, all->env.v, all->env.n);
    if (!env)
        wk_heap_exhausted(c->heap);
    struct wk_unwind u;
    wk_unwind_push(c->task, &u, drop_env, env);
    int r = run(c, all, env, in, child);
    wk_unwind_pop(c->task, &u);
    wk_env_unref(env);
    return r;
}

struct wk_split_filter *wk_split_filter_start(struct wk_cmd *c, struct wk_split_filters *all,
                                              const char *name, struct wk_out **out)
{
    struct wk_split_filter *f = all->spare;
    if (f) {
        all->spare = f->next;
    } else {
        f = wk_new(c, struct wk_split_filter);
        wk_heap_own(c->heap, f, release);
    }
    (void)wk_out_flush(c->err);
    struct wk_file *in;
    struct wk_proc *child;
    f->name = wk_dup(c, name);
    int r = wk_pipe_new(c->k, &in, &f->pipe);
    if (r < 0) {
        f->pipe = NULL;
        wk_fail(c, 1, "failed to create pipe: %s", wk_err_text(-r));
    }
    struct wk_unwind u;
    wk_unwind_push(c->task, &u, drop_file, in);
    r = start(c, all, name, in, &child);
    wk_unwind_pop(c->task, &u);
    wk_file_unref(in);
    if (r < 0)
        wk_fail(c, 1, "fork system call failed: %s", wk_err_text(-r));
    f->pid = child->pid;
    *out = wk_out_of(c, f->pipe);
    return f;
}

void wk_split_filter_end(struct wk_cmd *c, struct wk_split_filters *all, struct wk_split_filter *f)
{
    struct wk_proc *done = NULL;
    release(f);
    int r = wk_proc_wait(c->task, c->proc, f->pid, WK_WAIT_NOINTR, &done);
    if (r < 0 || !done)
        wk_fail(c, 1, "waiting for child process: %s", wk_err_text(r < 0 ? -r : WK_ECHILD));
    struct wk_exit e = done->exit;
    wk_proc_reap(done);
    if (e.signal && e.signal != WK_SIGPIPE)
        wk_fail(c, 128 + e.signal, "with FILE=%s, signal %s from command: %s",
                wk_quote_maybe(c, f->name), wk_sig_name(e.signal), all->command);
    if (!e.signal && e.code)
        wk_fail(c, e.code, "with FILE=%s, exit %d from command: %s", wk_quote_maybe(c, f->name),
                e.code, all->command);
    wk_heap_free(c->heap, f->name);
    f->next = all->spare;
    all->spare = f;
}
