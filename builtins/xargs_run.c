/* xargs_run.c - commands of xargs */
#include "builtins/xargs.h"

#include "base/num.h"

static void ended(struct wk_xargs *x, struct wk_proc *p)
{
    struct wk_cmd *c = x->c;
    struct wk_exit e = p->exit;
    for (size_t i = 0; i < x->slots_n; i++)
        if (x->slots[i] == p->pid)
            x->slots[i] = 0;
    x->running--;
    wk_proc_reap(p);
    const char *name = x->argv[0];
    if (e.signal)
        wk_fail(c, 125, "%s: terminated by signal %d", name, e.signal);
    if (e.code == 255)
        wk_fail(c, 124, "%s: exited with status 255; aborting", name);
    if (e.code)
        x->status = 123;
}

static void wait_one(struct wk_xargs *x, bool block)
{
    struct wk_proc *p = NULL;
    int flags = WK_WAIT_NOINTR | (block ? 0 : WK_WAIT_NOHANG);
    int r = wk_proc_wait(x->c->task, x->c->proc, -1, flags, &p);
    if (r < 0) {
        x->running = 0;
        return;
    }
    if (p)
        ended(x, p);
}

void wk_xargs_wait_all(struct wk_xargs *x)
{
    while (x->running)
        wait_one(x, true);
}

/* A place among the running ones. */
static size_t free_slot(struct wk_xargs *x)
{
    for (size_t i = 0; i < x->slots_n; i++)
        if (!x->slots[i])
            return i;
    size_t n = x->slots_n ? x->slots_n * 2 : 8;
    uint32_t *bigger = wk_new_n(x->c, uint32_t, n);
    if (x->slots_n)
        memcpy(bigger, x->slots, x->slots_n * sizeof *bigger);
    size_t slot = x->slots_n;
    x->slots = bigger;
    x->slots_n = n;
    return slot;
}

static void show(struct wk_xargs *x, char **argv, size_t argc)
{
    for (size_t i = 0; i < argc; i++) {
        wk_out_c(x->c->err, i ? " " : "");
        wk_out_c(x->c->err, wk_quote_maybe(x->c, argv[i]));
    }
}

/* -p: asks the terminal. */
static bool wanted(struct wk_xargs *x, char **argv, size_t argc)
{
    struct wk_cmd *c = x->c;
    struct wk_file *f;
    struct wk_str line;
    if (!x->o->ask) {
        if (x->o->verbose) {
            show(x, argv, argc);
            wk_out_char(c->err, '\n');
        }
        return true;
    }
    show(x, argv, argc);
    (void)wk_out_flush(c->err);
    int err = wk_cmd_open(c, "/dev/tty", WK_O_RDONLY, 0, &f);
    if (err)
        wk_fail(c, 1, "failed to open /dev/tty for reading: %s", wk_err_text(err));
    wk_out_c(c->err, "?...");
    (void)wk_out_flush(c->err);
    struct wk_in *in = wk_in_of(c, f, NULL);
    in->owned = true;
    bool yes = wk_line_next(in, '\n', &line) && line.n && (line.p[0] | 32) == 'y';
    wk_in_close(in);
    return yes;
}

static void set_input(struct wk_xargs *x, struct wk_proc *child)
{
    struct wk_cmd *c = x->c;
    struct wk_file *f = NULL;
    if (x->o->file && !x->o->open_tty)
        return; /* the items come from elsewhere: standard input is the command's */
    if (x->o->open_tty) {
        int err = wk_cmd_open(c, "/dev/tty", WK_O_RDONLY, 0, &f);
        if (err)
            wk_fail(c, 1, "%s: %s", wk_quote(c, "/dev/tty"), wk_err_text(err));
    } else {
        if (!x->null_in && wk_cmd_open(c, "/dev/null", WK_O_RDONLY, 0, &x->null_in))
            x->null_in = NULL;
        f = x->null_in;
    }
    if (f)
        (void)wk_fd_set(&child->fds, 0, wk_file_ref(f), false);
    else
        (void)wk_fd_close(&child->fds, 0);
}

static int start(struct wk_xargs *x, char **argv, size_t argc, struct wk_env *env, uint32_t *pid)
{
    struct wk_cmd *c = x->c;
    struct wk_proc *child;
    int r = wk_proc_fork(c->proc, &child);
    if (r < 0)
        return r;
    set_input(x, child);
    struct wk_spawn how = {.argc = argc, .argv = (const char *const *)argv, .env = env};
    r = wk_exec_on(child, &how);
    if (r < 0) {
        wk_proc_finish(child, (struct wk_exit){127, 0});
        wk_proc_reap(child);
        return r;
    }
    *pid = child->pid;
    return 0;
}

void wk_xargs_run(struct wk_xargs *x, char **argv, size_t argc)
{
    struct wk_cmd *c = x->c;
    struct wk_env *env = NULL;
    if (!wanted(x, argv, argc))
        return;
    (void)wk_out_flush(c->out);
    (void)wk_out_flush(c->err);
    while (x->running && x->o->max_procs && x->running >= (uint64_t)x->o->max_procs)
        wait_one(x, true);
    size_t slot = free_slot(x);
    if (x->o->slot_var) {
        struct wk_env_list list;
        wk_env_list_init(c, &list, false);
        wk_env_list_set(c, &list, wk_strf(c, "%s=%zu", x->o->slot_var, slot));
        env = wk_env_list_block(c, &list);
    }
    int r;
    uint32_t pid = 0;
    /* With no place for a further process, one of ours must end first. */
    while ((r = start(x, argv, argc, env, &pid)) == -WK_EAGAIN && x->running)
        wait_one(x, true);
    if (r < 0) {
        wk_xargs_wait_all(x);
        wk_fail(c, wk_launch_status(-r), "%s: %s", argv[0], wk_err_text(wk_launch_err(-r)));
    }
    x->slots[slot] = pid;
    x->running++;
    if (x->o->max_procs == 1 && !x->last)
        wait_one(x, true);
}

void wk_xargs_flush(struct wk_xargs *x)
{
    if (x->argc == x->fixed)
        return;
    x->argv[x->argc] = NULL;
    wk_xargs_run(x, x->argv, x->argc);
    while (x->argc > x->fixed)
        wk_heap_free(x->c->heap, x->argv[--x->argc]);
    x->bytes = x->fixed_bytes;
}
