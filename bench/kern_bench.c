/* kern_bench.c - processor times of kern/: switches, processes, spawns, pipes
 *
 * cmake --build build/release --target bench-kern && build/release/bench-kern
 */
#define _POSIX_C_SOURCE 200809L
#include "kern/cmd.h"
#include "kern/hostio.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void report(const char *what, double start, double count)
{
    printf("%-36s %10.1f ns\n", what, (now() - start) / count);
}

static void check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "kern_bench: %s\n", what);
    exit(1);
}

/* ---- commands -----------------------------------------------------------------------------------
 */

static int yes_main(struct wk_cmd *c)
{
    while (!c->status)
        wk_out_put(c->out, "y\n", 2);
    return c->status;
}
WK_COMMAND(yes, .summary = "print y");

static int head_main(struct wk_cmd *c)
{
    uint64_t left = UINT64_C(1) << 30;
    const char *p;
    size_t n;
    while (left && wk_in_chunk(c->in, &p, &n)) {
        n = n < left ? n : (size_t)left;
        wk_out_put(c->out, p, n);
        left -= n;
    }
    return 0;
}
WK_COMMAND(head, .summary = "copy a gigabyte");

static int count_main(struct wk_cmd *c)
{
    const char *p;
    size_t n;
    uint64_t total = 0;
    while (wk_in_chunk(c->in, &p, &n))
        total += n;
    wk_out_u64(c->out, total);
    return 0;
}
WK_COMMAND(count, .summary = "count bytes");

static int nop_main(struct wk_cmd *c)
{
    return c->status;
}
WK_COMMAND(nop, .summary = "nothing");

static int echo_main(struct wk_cmd *c)
{
    wk_out_put(c->out, "a\n", 2);
    return 0;
}
WK_COMMAND(echo, .summary = "print a");

static int tr_main(struct wk_cmd *c)
{
    const char *p;
    size_t n;
    while (wk_in_chunk(c->in, &p, &n))
        for (size_t i = 0; i < n; i++)
            wk_out_char(c->out, p[i] == 'a' ? 'b' : p[i]);
    return 0;
}
WK_COMMAND(tr, .summary = "a to b");

/* ---- machine
 * -------------------------------------------------------------------------------------- */

struct bench {
    struct wk_kern k;
    struct wk_mem *mem;
    struct wk_stacks *stacks;
    struct wk_vfs_hub *hub;
    struct wk_vfs *vfs;
    struct wk_proc *shell;
    struct wk_buf out;
};

static int64_t vfs_now(void *ctx)
{
    (void)ctx;
    return 1;
}

static void set_up(struct bench *b)
{
    b->mem = wk_mem_new((size_t)256 << 20);
    b->stacks = wk_stacks_new(16);
    b->hub = wk_vfs_hub_new();
    struct wk_vfs_config vc = {.hub = b->hub, .limits = wk_vfs_limits_default(), .now = vfs_now};
    check(b->mem && b->stacks && b->hub && wk_vfs_new(b->mem, &vc, &b->vfs) == 0, "vfs");
    struct wk_kern_options o = {.mem = b->mem, .vfs = b->vfs, .stacks = b->stacks, .seed = 1};
    check(wk_kern_init(&b->k, &o) == 0, "machine");
    check(wk_proc_fork(b->k.init, &b->shell) == 0, "process");
    wk_buf_init(&b->out, b->mem, 1 << 20);
    struct wk_sink sink = {.kind = WK_SINK_BUFFER, .buf = &b->out, .keep = 4096};
    struct wk_source none = {.kind = WK_SOURCE_EMPTY};
    struct wk_file *in, *out;
    check(wk_source_file_new(&b->k, &none, &in) == 0 && wk_sink_file_new(&b->k, &sink, &out) == 0,
          "streams");
    check(wk_fd_set(&b->shell->fds, 0, in, false) == 0 &&
              wk_fd_set(&b->shell->fds, 2, wk_file_ref(out), false) == 0 &&
              wk_fd_set(&b->shell->fds, 1, out, false) == 0,
          "descriptors");
    wk_kern_begin_run(&b->k);
}

static void tear_down(struct bench *b)
{
    wk_proc_finish(b->shell, (struct wk_exit){0, 0});
    wk_proc_reap(b->shell);
    wk_buf_release(&b->out);
    wk_kern_release(&b->k);
    wk_vfs_free(b->vfs);
    wk_vfs_hub_unref(b->hub);
    check(wk_mem_used(b->mem) == 0, "memory left");
    wk_stacks_free(b->stacks);
    wk_mem_unref(b->mem);
}

static struct wk_proc *start(struct bench *b, const struct wk_command *c, struct wk_file *in,
                             struct wk_file *out)
{
    struct wk_proc *p;
    const char *argv[] = {c->name, NULL};
    struct wk_spawn s = {.command = c, .argc = 1, .argv = argv};
    check(wk_proc_fork(b->shell, &p) == 0, "fork");
    check(!in || wk_fd_set(&p->fds, 0, in, false) == 0, "standard input");
    check(!out || wk_fd_set(&p->fds, 1, out, false) == 0, "standard output");
    check(wk_exec_on(p, &s) == 0, "exec");
    return p;
}

static void pipeline(struct bench *b, const struct wk_command *const *c, size_t n)
{
    struct wk_proc *p[4];
    struct wk_file *from = NULL;
    for (size_t i = 0; i < n; i++) {
        struct wk_file *r = NULL, *w = NULL;
        check(i + 1 == n || wk_pipe_new(&b->k, &r, &w) == 0, "pipe");
        p[i] = start(b, c[i], from, w);
        from = r;
    }
    while (wk_sched_run(&b->k, NULL, 0, 0) == WK_SCHED_READY)
        continue;
    for (size_t i = 0; i < n; i++) {
        check(p[i]->state == WK_PROC_ZOMBIE, "a command did not end");
        wk_proc_reap(p[i]);
    }
}

/* ---- measurements
 * ---------------------------------------------------------------------------------- */

struct two {
    struct wk_fiber *f;
    bool end;
};

static void swing(void *arg)
{
    struct two *t = arg;
    while (!t->end)
        wk_fiber_yield(t->f);
    wk_fiber_finish(t->f);
}

static void bench_fibers(struct bench *b)
{
    enum { N = 10000000, M = 1000000 };
    struct two t = {NULL, false};
    check(wk_fiber_new(b->stacks, b->mem, swing, &t, &t.f) == 0, "fiber");
    double s = now();
    for (int i = 0; i < N; i++)
        wk_fiber_resume(t.f);
    report("fiber: resume and yield", s, N);
    wk_fiber_free(t.f);
    s = now();
    for (int i = 0; i < M; i++) {
        check(wk_fiber_new(b->stacks, b->mem, swing, &t, &t.f) == 0, "fiber");
        wk_fiber_resume(t.f);
        wk_fiber_free(t.f);
    }
    report("fiber: new, resume, drop", s, M);
}

static void inline_task(struct wk_task *t)
{
    enum { N = 5000000 };
    struct wk_proc *self = t->proc, *child;
    double s = now();
    for (int i = 0; i < N; i++) {
        check(wk_proc_fork(self, &child) == 0, "fork");
        wk_proc_enter(t, child);
        wk_proc_leave(t, child, (struct wk_exit){0, 0}, true);
    }
    report("process: fork, enter, leave", s, N);
    s = now();
    for (int i = 0; i < N; i++)
        (void)wk_yield(t);
    report("task: yield", s, N);
}

static void bench_spawn(struct bench *b)
{
    enum { N = 1000000 };
    const struct wk_command *nop[] = {&wk_command_nop};
    const struct wk_command *pair[] = {&wk_command_echo, &wk_command_tr};
    double s = now();
    for (int i = 0; i < N; i++)
        pipeline(b, nop, 1);
    report("spawn, run, reap a leaf", s, N);
    s = now();
    for (int i = 0; i < N; i++)
        pipeline(b, pair, 2);
    report("echo a | tr a b", s, N);
}

static void bench_pipe(struct bench *b)
{
    const struct wk_command *c[] = {&wk_command_yes, &wk_command_head, &wk_command_count};
    wk_buf_reset(&b->out);
    double s = now();
    pipeline(b, c, 3);
    double t = now() - s;
    check(strcmp(wk_buf_c(&b->out), "1073741824") == 0, "bytes were lost");
    printf("%-36s %10.2f GB/s\n", "yes | head -c 1G | wc -c", (double)(UINT64_C(1) << 30) / t);
}

int main(void)
{
    struct bench b;
    struct wk_task *t;
    set_up(&b);
    bench_fibers(&b);
    check(wk_task_new(&b.k, b.shell, false, inline_task, NULL, &t) == 0, "task");
    while (wk_sched_run(&b.k, t, 0, 0) == WK_SCHED_READY)
        continue;
    bench_spawn(&b);
    size_t before = b.mem->used;
    b.mem->peak = before;
    bench_pipe(&b);
    printf("%-36s %10.0f KiB\n", "its peak memory", (double)(b.mem->peak - before) / 1024);
    tear_down(&b);
    return 0;
}
