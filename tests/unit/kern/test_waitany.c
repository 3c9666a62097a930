/* test_waitany.c - several things waited for at once; bytes given back to what they were read from */
#include "machine.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <unistd.h>

/* What the command `any` waits for, and what it was answered. */
struct request {
    struct wk_wait_fd fds[2];
    size_t n_fds;
    bool input, output, error; /* descriptors 0, 1, 2 */
    int64_t until_ns, until_host_ns;
    int result, times;
};
static struct request request;

static int any_main(struct wk_cmd *c)
{
    struct wk_wait_any w = {.fds = request.fds,
                            .n_fds = request.n_fds,
                            .until_ns = request.until_ns,
                            .until_host_ns = request.until_host_ns};
    const bool wanted[] = {request.input, request.output, request.error};
    for (int fd = 0; fd < 3; fd++) {
        if (!wanted[fd])
            continue;
        w.files[w.n_files].file = wk_fd_get(c->proc->fds, fd);
        w.files[w.n_files++].events = fd ? POLLOUT : POLLIN;
    }
    request.result = wk_wait_any(c->task, &w);
    request.times++;
    return 0;
}
WK_COMMAND(any, .summary = "wait", .usage = "any");

/* Puts back what it read, but for the first bytes. */
static int taste_main(struct wk_cmd *c)
{
    struct wk_file *f = wk_fd_get(c->proc->fds, 0);
    char got[64];
    ptrdiff_t n = wk_file_read(c->task, f, got, sizeof got);
    return n < 2 ? 9 : -wk_file_unread(f, got + 2, (size_t)n - 2);
}
WK_COMMAND(taste, .summary = "read two bytes", .usage = "taste");

static int cat_main(struct wk_cmd *c)
{
    const char *p;
    size_t n;
    while (wk_in_chunk(c->in, &p, &n))
        wk_out_put(c->out, p, n);
    return 0;
}
WK_COMMAND(cat, .summary = "copy", .usage = "cat");

static int nap_main(struct wk_cmd *c)
{
    wk_cmd_sleep(c, 1000000000);
    return 0;
}
WK_COMMAND(nap, .summary = "sleep a second", .usage = "nap");

static const struct wk_command *const commands[] = {&wk_command_any, &wk_command_taste, &wk_command_cat,
                                                    &wk_command_nap, NULL};

static struct machine m;
static int host[2]; /* a pipe of the host's */

static void open_all(void)
{
    machine_open(&m, commands, 64 << 20);
    cr_assert_eq(pipe(host), 0);
    request = (struct request){.fds = {{host[0], POLLIN}}, .n_fds = 1, .until_ns = WK_FOREVER};
    request.until_host_ns = WK_FOREVER;
}

static void close_all(void)
{
    cr_expect_null(m.k.fd_waits);
    machine_close(&m);
    close(host[0]);
    close(host[1]);
}

TestSuite(waitany, .init = open_all, .fini = close_all);

static struct wk_proc *start_with(const char *line, int fd, struct wk_file *f)
{
    struct wk_proc *p;
    struct wk_spawn s = {.argc = 1, .argv = &line};
    cr_assert_eq(wk_proc_fork(m.shell, &p), 0);
    cr_assert_eq(wk_fd_set(&p->fds, fd, f, false), 0);
    cr_assert_eq(wk_exec_on(p, &s), 0);
    return p;
}

static void reap(struct wk_proc *p)
{
    cr_assert_eq(p->state, WK_PROC_ZOMBIE);
    wk_proc_reap(p);
}

Test(waitany, descriptor)
{
    struct wk_wait_fd fds[8];
    int64_t deadline;
    struct wk_proc *p = machine_start(&m, "any");
    machine_run(&m);
    cr_assert_eq(request.times, 0);
    size_t n = wk_sched_wait_info(&m.k, fds, 8, &deadline);
    bool named = false;
    for (size_t i = 0; i < n; i++)
        named = named || (fds[i].fd == host[0] && fds[i].events == POLLIN);
    cr_expect(named, "a host with an event loop must hear of the descriptor");
    cr_assert_eq(write(host[1], "x", 1), 1);
    machine_run(&m);
    cr_expect_eq(request.times, 1);
    cr_expect_eq(request.result, 0);
    reap(p);
}

Test(waitany, pipe_to_read)
{
    struct wk_file *r, *w;
    cr_assert_eq(wk_pipe_new(&m.k, &r, &w), 0);
    request.input = true;
    struct wk_proc *p = start_with("any", 0, r);
    machine_run(&m);
    cr_assert_eq(request.times, 0);
    cr_assert_eq(wk_file_write(NULL, w, "x", 1), 1);
    machine_run(&m);
    cr_expect_eq(request.times, 1);
    cr_expect_eq(request.result, 0);
    reap(p);
    wk_file_unref(w);
}

/* The end of the last writer is something to read, too. */
Test(waitany, pipe_at_its_end)
{
    struct wk_file *r, *w;
    cr_assert_eq(wk_pipe_new(&m.k, &r, &w), 0);
    request.input = true;
    struct wk_proc *p = start_with("any", 0, r);
    machine_run(&m);
    wk_file_unref(w);
    machine_run(&m);
    cr_expect_eq(request.times, 1);
    reap(p);
}

/* Three queues at once: the one that moves wakes the task, and it stands in none of them any more. */
Test(waitany, full_pipe_beside_an_empty_one)
{
    struct wk_file *r, *w, *out_r, *out_w, *err_r, *err_w;
    char block[4096] = {0};
    cr_assert_eq(wk_pipe_new(&m.k, &r, &w), 0);
    cr_assert_eq(wk_pipe_new(&m.k, &out_r, &out_w), 0);
    cr_assert_eq(wk_pipe_new(&m.k, &err_r, &err_w), 0);
    while (wk_file_write(NULL, out_w, block, sizeof block) > 0)
        continue;
    while (wk_file_write(NULL, err_w, block, sizeof block) > 0)
        continue;
    struct wk_file *ends[] = {r, out_w, err_w};
    const char *name = "any";
    struct wk_spawn s = {.argc = 1, .argv = &name};
    struct wk_proc *p;
    request.input = request.output = request.error = true;
    cr_assert_eq(wk_proc_fork(m.shell, &p), 0);
    for (int fd = 0; fd < 3; fd++)
        cr_assert_eq(wk_fd_set(&p->fds, fd, ends[fd], false), 0);
    cr_assert_eq(wk_exec_on(p, &s), 0);
    machine_run(&m);
    cr_assert_eq(request.times, 0);
    for (int i = 0; i < 12; i++)
        cr_assert_eq(wk_file_read(NULL, err_r, block, sizeof block), (ptrdiff_t)sizeof block);
    machine_run(&m);
    cr_expect_eq(request.times, 1);
    cr_expect_eq(request.result, 0);
    reap(p);
    /* Both queues still work for others. */
    for (int i = 0; i < 16; i++)
        cr_assert_eq(wk_file_read(NULL, out_r, block, sizeof block), (ptrdiff_t)sizeof block);
    wk_file_unref(w);
    wk_file_unref(out_r);
    wk_file_unref(err_r);
}

Test(waitany, dropped_while_it_stands_in_queues)
{
    struct wk_file *r, *w;
    cr_assert_eq(wk_pipe_new(&m.k, &r, &w), 0);
    request.input = true;
    request.until_ns = 5000000000;
    request.until_host_ns = wk_clock_host(&m.k.clock) + 3600 * INT64_C(1000000000);
    struct wk_proc *p = start_with("any", 0, wk_file_ref(r));
    machine_run(&m);
    cr_assert_eq(wk_kill(&m.k, NULL, p->pid, WK_SIGKILL), 0);
    machine_run(&m);
    cr_expect_eq(request.times, 0);
    cr_expect_null(m.k.fd_waits);
    cr_assert_eq(wk_file_write(NULL, w, "x", 1), 1); /* nobody is woken who is gone */
    reap(p);
    wk_file_unref(r);
    wk_file_unref(w);
}

static void run_until_ended(struct wk_proc *p)
{
    while (p->state != WK_PROC_ZOMBIE) {
        machine_run(&m);
        if (p->state != WK_PROC_ZOMBIE)
            cr_assert_eq(wk_sched_wait(&m.k, INT64_C(30000000000)), 0);
    }
}

/* Far more tasks wait than one poll(2) is asked about; the first of them still hears. */
static void wait_among(size_t n_fds)
{
    enum { MANY = 300 };
    machine_close(&m);
    machine_open(&m, commands, 512 << 20);
    struct wk_proc *first = machine_start(&m, "any"), *others[MANY];
    struct wk_wait_fd fds[8];
    int64_t deadline;
    int quiet[2];
    machine_run(&m);
    cr_assert_eq(pipe(quiet), 0);
    request.fds[0].fd = quiet[0];
    request.n_fds = n_fds;
    request.until_host_ns = wk_clock_host(&m.k.clock) + 3600 * INT64_C(1000000000);
    for (int i = 0; i < MANY; i++)
        others[i] = machine_start(&m, "any");
    machine_run(&m);
    cr_assert_eq(request.times, 0);
    size_t n = wk_sched_wait_info(&m.k, fds, 8, &deadline);
    if (n_fds)
        cr_expect_leq(deadline, wk_clock_host(&m.k.clock) + 1000000000, "not all descriptors are named");
    else
        cr_expect_eq(fds[n - 1].fd, host[0]);
    cr_assert_eq(write(host[1], "x", 1), 1);
    machine_run(&m);
    cr_expect_eq(request.times, 1);
    reap(first);
    for (int i = 0; i < MANY; i++)
        cr_assert_eq(wk_kill(&m.k, NULL, others[i]->pid, WK_SIGKILL), 0);
    machine_run(&m);
    for (int i = 0; i < MANY; i++)
        reap(others[i]);
    close(quiet[0]);
    close(quiet[1]);
}

Test(waitany, one_descriptor_among_many_times)
{
    wait_among(0);
}

Test(waitany, one_descriptor_among_many)
{
    wait_among(1);
}

/* The session's clock stands still while a descriptor is waited for; the host's goes on. */
Test(waitany, time_of_the_host)
{
    int64_t before = wk_clock_host(&m.k.clock);
    request.until_host_ns = before + 20000000;
    struct wk_proc *p = machine_start(&m, "any");
    run_until_ended(p);
    cr_expect_eq(request.result, -WK_ETIMEDOUT);
    cr_expect_geq(wk_clock_host(&m.k.clock) - before, 20000000);
    reap(p);
}

Test(waitany, time_of_the_session)
{
    request.n_fds = 0;
    request.until_ns = wk_clock_monotonic(&m.k.clock) + 3600 * INT64_C(1000000000);
    struct wk_proc *p = machine_start(&m, "any");
    machine_run(&m);
    cr_expect_eq(request.result, -WK_ETIMEDOUT);
    reap(p);
}

Test(waitany, ready_at_once)
{
    request.output = true; /* the buffer of the test takes all */
    struct wk_proc *p = machine_start(&m, "any");
    machine_run(&m);
    cr_expect_eq(request.times, 1);
    cr_expect_eq(request.result, 0);
    reap(p);
}

/* A host's callback: not now, then some bytes, which stay for who reads them. */
static int asked, given;
static ptrdiff_t read_later(void *ctx, void *dst, size_t cap)
{
    (void)ctx;
    asked++;
    if (!given)
        return WK_IO_AGAIN;
    if (given++ > 1)
        return 0;
    memcpy(dst, "late", WK_MIN(cap, (size_t)4));
    return 4;
}

Test(waitany, host_callback)
{
    struct wk_source s = {.kind = WK_SOURCE_CALLBACK, .read = read_later};
    struct wk_file *f;
    cr_assert_eq(wk_source_file_new(&m.k, &s, &f), 0);
    asked = given = 0;
    request.input = true;
    struct wk_proc *p = start_with("any", 0, wk_file_ref(f));
    machine_run(&m);
    cr_expect_eq(asked, 1);
    cr_assert_eq(request.times, 0);
    given = 1;
    wk_kern_wake(&m.k);
    machine_run(&m);
    cr_expect_eq(request.times, 1);
    reap(p);
    char got[8];
    cr_assert_eq(wk_file_read(NULL, f, got, sizeof got), 4);
    cr_expect_arr_eq(got, "late", 4);
    wk_file_unref(f);
}

/* Something else came first: the host is not asked again for one who went on. */
Test(waitany, host_callback_given_up)
{
    struct wk_source s = {.kind = WK_SOURCE_CALLBACK, .read = read_later};
    struct wk_file *f;
    cr_assert_eq(wk_source_file_new(&m.k, &s, &f), 0);
    asked = given = 0;
    request.input = true;
    struct wk_proc *p = start_with("any", 0, f);
    machine_run(&m);
    cr_assert_eq(write(host[1], "x", 1), 1);
    machine_run(&m);
    cr_expect_eq(request.times, 1);
    cr_expect_eq(asked, 1);
    wk_kern_wake(&m.k);
    machine_run(&m);
    cr_expect_eq(asked, 1);
    cr_expect_eq(m.k.req_pending, 0);
    reap(p);
}

static int last_signal;
static bool last_group;
static void take_signal(struct wk_proc *p, int sig, bool group)
{
    last_signal = sig;
    last_group = group;
    if (sig == WK_SIGSTOP || sig == WK_SIGCONT)
        wk_proc_foreign_stopped(p, sig == WK_SIGSTOP);
}

Test(waitany, signals_of_a_foreign_process)
{
    struct wk_proc *p = machine_start(&m, "any"), *seen;
    machine_run(&m);
    p->foreign = true;
    p->foreign_signal = take_signal;
    p->pgid = p->pid;
    cr_expect_eq(wk_kill(&m.k, NULL, p->pid, WK_SIGTERM), 0);
    cr_expect_eq(last_signal, WK_SIGTERM);
    cr_expect_not(last_group);
    cr_expect_eq(wk_kill(&m.k, NULL, -(int64_t)p->pid, WK_SIGKILL), 0);
    cr_expect_eq(last_signal, WK_SIGKILL);
    cr_expect(last_group);
    cr_expect_eq(wk_kill(&m.k, NULL, p->pid, WK_SIGSTOP), 0);
    cr_expect_eq(p->state, WK_PROC_STOPPED);
    cr_expect_eq(wk_proc_wait(NULL, m.shell, -1, WK_WAIT_NOHANG | WK_WAIT_UNTRACED, &seen), 0);
    cr_expect_eq(seen, p);
    cr_expect_eq(wk_kill(&m.k, NULL, p->pid, WK_SIGCONT), 0);
    cr_expect_eq(p->state, WK_PROC_RUNNING);
    cr_expect_eq(request.times, 0, "the task of a foreign process is not the process");
    cr_assert_eq(write(host[1], "x", 1), 1);
    machine_run(&m);
    reap(p);
}

/* ---- bytes given back ------------------------------------------------------------------------------ */

static void taste_then_cat(struct wk_file *f, const char *rest)
{
    struct wk_proc *p = start_with("taste", 0, wk_file_ref(f));
    machine_run(&m);
    cr_expect_eq(wk_exit_status(p->exit), 0);
    reap(p);
    p = start_with("cat", 0, f);
    machine_run(&m);
    reap(p);
    cr_expect_str_eq(wk_buf_c(&m.text), rest);
}

Test(waitany, unread_of_a_pipe)
{
    struct wk_file *r, *w;
    cr_assert_eq(wk_pipe_new(&m.k, &r, &w), 0);
    cr_assert_eq(wk_file_write(NULL, w, "abcdef", 6), 6);
    struct wk_proc *p = start_with("taste", 0, wk_file_ref(r));
    machine_run(&m);
    reap(p);
    cr_assert_eq(wk_file_write(NULL, w, "ghi", 3), 3);
    wk_file_unref(w);
    taste_then_cat(r, "efghi");
}

Test(waitany, unread_of_bytes)
{
    struct wk_file *f;
    cr_assert_eq(wk_bytes_file_new(&m.k, "abcdef", 6, false, &f), 0);
    taste_then_cat(f, "cdef");
}

Test(waitany, unread_of_the_hosts_input)
{
    struct wk_source s = {.kind = WK_SOURCE_BYTES, .bytes = "abcdef", .n = 6};
    struct wk_file *f;
    cr_assert_eq(wk_source_file_new(&m.k, &s, &f), 0);
    taste_then_cat(f, "cdef");
}

/* In parts, the last bytes first; then read one by one. */
Test(waitany, unread_again_and_again)
{
    struct wk_file *r, *w;
    char got[8];
    const char *p;
    cr_assert_eq(wk_pipe_new(&m.k, &r, &w), 0);
    cr_assert_eq(wk_file_write(NULL, w, "xyz", 3), 3);
    cr_assert_eq(wk_file_unread(r, "def", 3), 0);
    cr_assert_eq(wk_file_unread(r, "abc", 3), 0);
    cr_assert_eq(wk_file_read(NULL, r, got, 2), 2);
    cr_expect_arr_eq(got, "ab", 2);
    cr_assert_eq(wk_file_unread(r, "ab", 2), 0);
    cr_assert_eq(wk_file_peek(NULL, r, 1, &p), 6);
    cr_expect_arr_eq(p, "abcdef", 6);
    wk_file_skip(r, 5);
    cr_assert_eq(wk_file_peek(NULL, r, 1, &p), 1);
    wk_file_skip(r, 1);
    cr_assert_eq(wk_file_read(NULL, r, got, sizeof got), 3);
    cr_expect_arr_eq(got, "xyz", 3);
    wk_file_unref(r);
    wk_file_unref(w);
}
