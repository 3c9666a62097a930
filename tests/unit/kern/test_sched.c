/* test_sched.c - limits, cancel, slices, stop and continue, several threads */
#include "machine.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <time.h>

static int yes_main(struct wk_cmd *c)
{
    while (!c->status)
        wk_out_put(c->out, "y\n", 2);
    return c->status;
}
WK_COMMAND(yes, .summary = "print y", .usage = "yes");

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
WK_COMMAND(count, .summary = "count bytes", .usage = "count");

static int spin_main(struct wk_cmd *c)
{
    while (!c->status)
        wk_tick(c, 1);
    return 0;
}
WK_COMMAND(spin, .summary = "work for ever", .usage = "spin");

static int nap_main(struct wk_cmd *c)
{
    wk_cmd_sleep(c, 3600 * INT64_C(1000000000));
    return 0;
}
WK_COMMAND(nap, .summary = "sleep an hour", .usage = "nap");

static int echo_main(struct wk_cmd *c)
{
    for (int i = 0; i < c->nargs; i++)
        wk_out_fmt(c->out, "%s\n", c->args[i]);
    return 0;
}
WK_COMMAND(echo, .summary = "print words", .usage = "echo WORD...");

static const struct wk_command *const commands[] = {
    &wk_command_yes, &wk_command_count, &wk_command_spin, &wk_command_nap, &wk_command_echo, NULL};

static int64_t host_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void start_pair(struct machine *m, struct wk_proc *p[2])
{
    struct wk_file *r, *w;
    static const char *const names[] = {"yes", "count"};
    cr_assert_eq(wk_pipe_new(&m->k, &r, &w), 0);
    for (int i = 0; i < 2; i++) {
        struct wk_spawn s = {.argc = 1, .argv = &names[i]};
        cr_assert_eq(wk_proc_fork(m->shell, &p[i]), 0);
        cr_assert_eq(wk_fd_set(&p[i]->fds, i ? 0 : 1, i ? r : w, false), 0);
        cr_assert_eq(wk_exec_on(p[i], &s), 0);
    }
}

static void reap_pair(struct wk_proc *p[2])
{
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(p[i]->state, WK_PROC_ZOMBIE);
        wk_proc_reap(p[i]);
    }
}

Test(sched, deadline_reaches_tasks_that_only_hand_over)
{
    struct machine m;
    struct wk_proc *p[2];
    machine_open(&m, commands, 16 << 20);
    m.k.limits.time_ns = 30000000;
    wk_kern_begin_run(&m.k);
    start_pair(&m, p);
    int64_t start = host_now();
    machine_run(&m);
    cr_expect_eq(m.k.breach, WK_LIMIT_TIME);
    cr_expect_lt(host_now() - start, INT64_C(2000000000)); /* a slow machine is still no hang */
    reap_pair(p);
    machine_close(&m);
}

Test(sched, step_limit_reaches_tasks_that_only_hand_over)
{
    struct machine m;
    struct wk_proc *p[2];
    machine_open(&m, commands, 16 << 20);
    m.k.limits.steps = 50000;
    start_pair(&m, p);
    machine_run(&m);
    cr_expect_eq(m.k.breach, WK_LIMIT_STEPS);
    reap_pair(p);
    machine_close(&m);
}

static void *cancel_soon(void *arg)
{
    struct machine *m = arg;
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    atomic_store(&m->k.cancel, true);
    wk_kern_wake(&m->k);
    return NULL;
}

Test(sched, cancel_from_another_thread)
{
    static const char *const lines[] = {"spin", "nap"};
    for (size_t i = 0; i < 2; i++) {
        struct machine m;
        pthread_t thread;
        machine_open(&m, commands, 16 << 20);
        m.k.clock.kind = WK_CLOCK_REAL;
        struct wk_proc *p = machine_start(&m, lines[i]);
        cr_assert_eq(pthread_create(&thread, NULL, cancel_soon, &m), 0);
        enum wk_sched_result r;
        while ((r = wk_sched_run(&m.k, NULL, 0, 0)) != WK_SCHED_DONE)
            if (r == WK_SCHED_WAIT)
                cr_assert_eq(wk_sched_wait(&m.k, WK_FOREVER), 0);
        pthread_join(thread, NULL);
        cr_expect(wk_kern_was_cancelled(&m.k));
        cr_expect_eq(p->state, WK_PROC_ZOMBIE);
        wk_proc_reap(p);
        machine_close(&m);
    }
}

Test(sched, slices_end_by_steps)
{
    struct machine m;
    machine_open(&m, commands, 16 << 20);
    struct wk_proc *p = machine_start(&m, "spin");
    for (int i = 0; i < 10; i++)
        cr_expect_eq(wk_sched_run(&m.k, NULL, 5000, 0), WK_SCHED_READY);
    cr_expect_lt(wk_kern_steps(&m.k), 200000);
    cr_expect_eq(wk_kill(&m.k, NULL, p->pid, WK_SIGKILL), 0);
    machine_run(&m);
    cr_expect_eq(wk_exit_status(p->exit), 137);
    wk_proc_reap(p);
    machine_close(&m);
}

Test(sched, stopped_and_continued)
{
    struct machine m;
    machine_open(&m, commands, 16 << 20);
    struct wk_proc *p = machine_start(&m, "spin");
    cr_expect_eq(wk_sched_run(&m.k, NULL, 5000, 0), WK_SCHED_READY);
    cr_expect_eq(wk_kill(&m.k, NULL, p->pid, WK_SIGSTOP), 0);
    cr_expect_eq(wk_sched_run(&m.k, NULL, 5000, 0), WK_SCHED_DEADLOCK);
    cr_expect_eq(p->state, WK_PROC_STOPPED);
    cr_expect_eq(wk_kill(&m.k, NULL, p->pid, WK_SIGCONT), 0);
    cr_expect_eq(wk_sched_run(&m.k, NULL, 5000, 0), WK_SCHED_READY);
    cr_expect_eq(wk_kill(&m.k, NULL, p->pid, WK_SIGSTOP), 0);
    cr_expect_eq(wk_kill(&m.k, NULL, p->pid, WK_SIGKILL), 0);
    machine_run(&m);
    cr_expect_eq(wk_exit_status(p->exit), 137);
    wk_proc_reap(p);
    machine_close(&m);
}

/* Each run is ended after a different number of steps, so that the kill meets every kind of park.
 */
Test(sched, killed_after_every_number_of_steps)
{
    for (uint64_t n = 1; n < 400; n += 7) {
        struct machine m;
        struct wk_proc *p[2];
        machine_open(&m, commands, 16 << 20);
        start_pair(&m, p);
        (void)wk_sched_run(&m.k, NULL, n, 0);
        struct wk_proc *victim = p[n & 1];
        cr_expect_eq(wk_kill(&m.k, NULL, victim->pid, WK_SIGTERM), 0);
        m.k.limits.steps = 20000;
        machine_run(&m);
        cr_expect_eq(wk_exit_status(victim->exit), 143);
        reap_pair(p);
        machine_close(&m);
    }
}

struct two {
    struct wk_stacks *stacks;
    int done;
};

static void *run_many(void *arg)
{
    struct two *t = arg;
    for (int i = 0; i < 40; i++) {
        struct machine m;
        machine_open(&m, commands, 16 << 20);
        struct wk_stacks *own = m.k.stacks;
        m.k.stacks = t->stacks; /* one pool for both threads */
        const char *lines[] = {"echo a b c", "count"};
        cr_assert_eq(machine_pipeline(&m, 2, lines, NULL), 0);
        cr_assert_str_eq(wk_buf_c(&m.text), "6");
        m.k.stacks = own;
        machine_close(&m);
        t->done++;
    }
    return NULL;
}

Test(sched, two_machines_on_two_threads)
{
    struct wk_stacks *stacks = wk_stacks_new(8);
    struct two t[2] = {{stacks, 0}, {stacks, 0}};
    pthread_t thread[2];
    pthread_attr_t attr;
    pthread_attr_init(&attr);
#if !WK_ASAN && !WK_TSAN
    pthread_attr_setstacksize(&attr, 64 * 1024);
#endif
    for (int i = 0; i < 2; i++)
        cr_assert_eq(pthread_create(&thread[i], &attr, run_many, &t[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    pthread_attr_destroy(&attr);
    cr_expect_eq(t[0].done + t[1].done, 80);
    wk_stacks_free(stacks);
}
