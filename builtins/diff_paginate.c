/* wk_diff_paginate.c - changes of two files as input of pr (-l)
 *
 * pr is a child that writes to diff's standard output; what diff itself says stays in its buffer meanwhile, so that
 * it comes last.
 */
#include "builtins/diff.h"

#include "builtins/launch.h"

static const char program[] = "/usr/bin/pr";

static WK_NORETURN void refuse(struct wk_cmd *c, int err)
{
    if (err == WK_ENOMEM)
        wk_heap_exhausted(c->heap);
    if (err == WK_ENOENT)
        wk_fail(c, 2, "subsidiary program '%s' not found", program);
    wk_fail(c, 2, "%s: %s", program, wk_err_text(wk_launch_err(err)));
}

/* Starts pr with `in` as its standard input; the descriptor `other` is not for it. */
static void start(struct wk_cmd *c, const char *title, struct wk_file *in, int other, uint32_t *pid)
{
    const char *argv[] = {program, "-h", title, NULL};
    struct wk_proc *child;
    int r = wk_proc_fork(c->proc, &child);
    if (r < 0) {
        wk_file_unref(in);
        refuse(c, -r);
    }
    r = wk_fd_set(&child->fds, 0, in, false);
    if (r >= 0) {
        (void)wk_fd_close(&child->fds, other);
        r = wk_exec_on(child, &(struct wk_spawn){.path = program, .argc = 3, .argv = argv});
    }
    if (r < 0) {
        wk_proc_finish(child, (struct wk_exit){127, 0});
        wk_proc_reap(child);
        refuse(c, -r);
    }
    *pid = child->pid;
}

static void finish(struct wk_cmd *c, uint32_t pid)
{
    struct wk_proc *child;
    int r;
    do
        r = wk_proc_wait(c->task, c->proc, pid, 0, &child);
    while (r == -WK_EINTR);
    if (r)
        return;
    int status = wk_exit_status(child->exit);
    wk_proc_reap(child);
    if (status)
        wk_fail(c, 2, "subsidiary program '%s' failed (exit status %d)", program, status);
}

void wk_diff_paginate(struct diff *d, const char *title, void (*put)(struct diff *d))
{
    struct wk_cmd *c = d->c;
    struct wk_file *from, *to;
    struct wk_out *own = c->out;
    uint32_t pid;
    int r = wk_pipe_new(c->k, &from, &to);
    if (r < 0)
        refuse(c, -r);
    int fd = wk_fd_add(&c->proc->fds, 3, to, true);
    if (fd < 0) {
        wk_file_unref(from);
        refuse(c, -fd);
    }
    start(c, title, from, fd, &pid);
    c->out = wk_out_of(c, to);
    put(d);
    (void)wk_out_flush(c->out);
    c->out = own;
    (void)wk_fd_close(&c->proc->fds, fd);
    finish(c, pid);
}
