/* subprogram.c - programs that a command starts as children of its own and whose end it checks */
#include "builtins/subprogram.h"

#include "builtins/launch.h"

static int run_on(struct wk_subprogram *s, struct wk_proc *child, struct wk_file *to, char *const *argv, int argc)
{
    int r = 0;
    if (to) {
        r = wk_fd_set(&child->fds, 1, wk_file_ref(to), false);
        (void)wk_fd_close(&child->fds, s->fd);
    }
    if (r >= 0) {
        struct wk_spawn how = {.argc = (size_t)argc, .argv = (const char *const *)argv};
        r = wk_exec_on(child, &how);
    }
    if (r >= 0) {
        s->pid = child->pid;
        return 0;
    }
    wk_proc_finish(child, (struct wk_exit){127, 0});
    wk_proc_reap(child);
    return r;
}

static int start(struct wk_cmd *c, struct wk_subprogram *s, char *const *argv, int argc, bool piped)
{
    struct wk_file *from = NULL, *to = NULL;
    struct wk_proc *child;
    if (piped) {
        int r = wk_pipe_new(c->k, &from, &to);
        if (r < 0)
            return r;
        s->fd = wk_fd_add(&c->proc->fds, 3, from, true);
        if (s->fd < 0) {
            wk_file_unref(to);
            return s->fd;
        }
    }
    int r = wk_proc_fork(c->proc, &child);
    if (r >= 0)
        r = run_on(s, child, to, argv, argc);
    if (to)
        wk_file_unref(to);
    if (piped)
        s->in = wk_in_of(c, from, NULL);
    return r;
}

void wk_subprogram_start(struct wk_cmd *c, struct wk_subprogram *s, char *const *argv, int argc, bool piped)
{
    *s = (struct wk_subprogram){.name = argv[0]};
    (void)wk_out_flush(c->out);
    (void)wk_out_flush(c->err);
    int r = start(c, s, argv, argc, piped);
    if (r == -WK_ENOMEM)
        wk_heap_exhausted(c->heap);
    s->err = r < 0 ? -r : 0;
}

static int wait_for(struct wk_cmd *c, struct wk_subprogram *s)
{
    struct wk_proc *child;
    int r;
    if (s->err)
        return wk_launch_status(s->err);
    do
        r = wk_proc_wait(c->task, c->proc, s->pid, 0, &child);
    while (r == -WK_EINTR);
    if (r)
        return 0;
    int status = wk_exit_status(child->exit);
    wk_proc_reap(child);
    return status;
}

int wk_subprogram_end(struct wk_cmd *c, struct wk_subprogram *s)
{
    if (s->in)
        wk_in_close(s->in);
    if (s->fd)
        (void)wk_fd_close(&c->proc->fds, s->fd);
    s->fd = 0;
    s->in = NULL;
    s->status = wait_for(c, s);
    return s->status;
}

void wk_subprogram_blame(struct wk_cmd *c, const struct wk_subprogram *s)
{
    int status = s->err ? wk_launch_status(s->err) : s->status;
    if (status == 127 || status == 126)
        wk_fail(c, 2, "subsidiary program '%s' %s", s->name, status == 127 ? "not found" : "could not be invoked");
    wk_fail(c, 2, "subsidiary program '%s' failed (exit status %d)", s->name, status);
}
