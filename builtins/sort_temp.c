/* sort_temp.c - sort's temporary files
 *
 * With --compress-program the lines go through a program on the way to the file, and
 * through PROG -d on the way back.
 */
#include "builtins/launch.h"
#include "builtins/sort.h"
#include "builtins/tempfile.h"

static struct wk_file *make_file(struct wk_sorter *s, const char **name)
{
    struct wk_cmd *c = s->c;
    struct wk_file *f;
    const char *dir = s->temp.n ? s->temp.v[s->next_temp++ % s->temp.n] : wk_temp_dir(c);
    int err = wk_temp_open(c, dir, "sort", &f, name);
    if (err)
        wk_fail(c, 2, "cannot create temporary file in %s: %s", wk_quote(c, dir), wk_err_text(err));
    return f;
}

static WK_NORETURN void cannot_start(struct wk_sorter *s, int err)
{
    wk_fail(s->c, 2, "couldn't execute compress program: %s", wk_err_text(wk_launch_err(err)));
}

/* Starts PROG, or PROG -d, between the file and a pipe; our end of the pipe is the result. */
static struct wk_file *start_program(struct wk_sorter *s, struct wk_sort_run *r, bool unpack)
{
    struct wk_cmd *c = s->c;
    struct wk_file *from, *to;
    const char *argv[] = {s->compress, unpack ? "-d" : NULL, NULL};
    struct wk_proc *child;
    int err = wk_pipe_new(c->k, &from, &to);
    if (err < 0)
        cannot_start(s, -err);
    struct wk_file *ours = unpack ? from : to, *theirs = unpack ? to : from;
    r->fd = wk_fd_add(&c->proc->fds, 3, ours, true); /* ours is released with the process */
    err = r->fd < 0 ? r->fd : wk_proc_fork(c->proc, &child);
    if (err < 0) {
        wk_file_unref(theirs);
        cannot_start(s, -err);
    }
    (void)wk_fd_close(&child->fds, r->fd);
    err = wk_fd_set(&child->fds, unpack ? 1 : 0, theirs, false);
    if (err >= 0)
        err = wk_fd_set(&child->fds, unpack ? 0 : 1, wk_file_ref(r->file), false);
    struct wk_spawn how = {.argc = unpack ? 2 : 1, .argv = argv};
    if (err >= 0)
        err = wk_exec_on(child, &how);
    if (err < 0) {
        wk_proc_finish(child, (struct wk_exit){127, 0});
        wk_proc_reap(child);
        cannot_start(s, -err);
    }
    r->pid = child->pid;
    return ours;
}

static void finish_program(struct wk_sorter *s, struct wk_sort_run *r)
{
    struct wk_proc *child;
    int err;
    if (r->fd >= 0)
        (void)wk_fd_close(&s->c->proc->fds, r->fd);
    r->fd = -1;
    if (!r->pid)
        return;
    do
        err = wk_proc_wait(s->c->task, s->c->proc, r->pid, 0, &child);
    while (err == -WK_EINTR);
    r->pid = 0;
    if (err)
        return;
    int status = wk_exit_status(child->exit);
    wk_proc_reap(child);
    if (status)
        wk_fail(s->c, 2, "%s [-d] terminated abnormally", wk_quote(s->c, s->compress));
}

struct wk_sort_run *wk_sort_run_new(struct wk_sorter *s, struct wk_out **out)
{
    struct wk_sort_run *r = wk_new(s->c, struct wk_sort_run);
    r->fd = -1;
    r->file = make_file(s, &r->name);
    *out = wk_out_of(s->c, s->compress ? start_program(s, r, false) : r->file);
    return r;
}

void wk_sort_run_done(struct wk_sorter *s, struct wk_sort_run *r, struct wk_out *out)
{
    int err = wk_out_flush(out);
    if (err)
        wk_fail(s->c, 2, "write failed: %s: %s", wk_quote_maybe(s->c, r->name), wk_err_text(err));
    wk_heap_free(s->c->heap, out->buf);
    out->buf = NULL;
    finish_program(s, r);
}

struct wk_file *wk_sort_run_open(struct wk_sorter *s, struct wk_sort_run *r)
{
    (void)wk_file_seek(r->file, 0, 0);
    return s->compress ? start_program(s, r, true) : r->file;
}

void wk_sort_run_free(struct wk_sorter *s, struct wk_sort_run *r)
{
    finish_program(s, r);
    wk_cmd_close(s->c, r->file);
    wk_heap_free(s->c->heap, (void *)(uintptr_t)r->name);
    wk_heap_free(s->c->heap, r);
}
