/* test_cgroup.c - control groups: what is counted, and who is ended with whom */
#include "kern/cgroup.h"
#include "machine.h"

#include <criterion/criterion.h>

static int spin_main(struct wk_cmd *c)
{
    for (;;)
        (void)wk_step(c->k);
    return 0;
}
WK_COMMAND(spin, .summary = "use steps", .usage = "spin");

static int eat_main(struct wk_cmd *c)
{
    for (int i = 0; i < 1000; i++)
        memset(wk_heap_alloc(c->heap, 65536), 1, 65536);
    return 0;
}
WK_COMMAND(eat, .summary = "use memory", .usage = "eat");

static int nap_main(struct wk_cmd *c)
{
    wk_cmd_sleep(c, 1000000000000);
    return 0;
}
WK_COMMAND(nap, .summary = "sleep", .usage = "nap");

static struct machine m;
static struct wk_cgroup *group;

static void open_all(void)
{
    static const struct wk_command *const commands[] = {&wk_command_spin, &wk_command_eat, &wk_command_nap, NULL};
    machine_open(&m, commands, 256 << 20);
    group = NULL;
}

static void close_all(void)
{
    wk_cgroup_unref(group);
    machine_close(&m);
}

TestSuite(cgroup, .init = open_all, .fini = close_all, .timeout = 60);

static struct wk_proc *prepare(void)
{
    struct wk_proc *p;
    cr_assert_eq(wk_proc_fork(m.shell, &p), 0);
    p->background = true;
    cr_assert_eq(wk_cgroup_new(p, &group), 0);
    return p;
}

static void begin(struct wk_proc *p, const char *command)
{
    const struct wk_spawn s = {.argc = 1, .argv = &command, .background = true};
    cr_assert_eq(wk_exec_on(p, &s), 0);
}

static struct wk_proc *child_of(struct wk_proc *parent, const char *command)
{
    const struct wk_spawn s = {.argc = 1, .argv = &command};
    struct wk_proc *p;
    cr_assert_eq(wk_spawn(parent, &s, &p), 0);
    return p;
}

Test(cgroup, a_breach_ends_all_of_the_group_and_nobody_else)
{
    struct wk_proc *beside = machine_start(&m, "nap"), *p = prepare();
    group->steps_max = 100000;
    begin(p, "spin");
    child_of(p, "nap");
    cr_assert_eq(group->tasks, 2u);
    machine_run(&m);
    cr_assert_eq(group->breach, WK_LIMIT_STEPS);
    cr_assert_eq(group->tasks, 0u);
    cr_assert(group->leader_ended);
    cr_assert_geq(group->steps, 100000u);
    cr_assert_gt(group->cpu_ns, 0);
    cr_assert_eq(p->state, WK_PROC_ZOMBIE);
    cr_assert_eq(p->exit.signal, WK_SIGKILL);
    cr_assert_eq(beside->exit.signal, 0); /* it slept to its end, by a clock that jumps */
    cr_assert_eq(beside->exit.code, 0);
    cr_assert_eq(m.k.breach, WK_LIMIT_NONE);
    cr_assert_str_eq(wk_buf_c(&m.messages), "spin: step limit reached\n");
    wk_proc_reap(p);
}

Test(cgroup, a_deadline)
{
    struct wk_proc *p = prepare();
    group->deadline_host_ns = wk_clock_host(&m.k.clock) + 20000000;
    begin(p, "spin");
    machine_run(&m);
    cr_assert_eq(group->breach, WK_LIMIT_TIME);
    wk_proc_reap(p);
}

Test(cgroup, memory_of_its_turns)
{
    size_t limit = m.mem->limit;
    struct wk_proc *p = prepare();
    group->memory_max = 2 << 20;
    begin(p, "eat");
    machine_run(&m);
    cr_assert_eq(group->breach, WK_LIMIT_MEMORY);
    cr_assert_eq(p->exit.signal, WK_SIGKILL);
    cr_assert_eq(m.mem->limit, limit);
    cr_assert_gt(group->memory_peak, 1 << 20);
    cr_assert_leq(group->memory_peak, 2 << 20);
    cr_assert_lt(group->memory, 1 << 20); /* given back */
    wk_proc_reap(p);
    wk_cgroup_unref(group);
    p = prepare();
    begin(p, "eat"); /* within the session's limit it may */
    machine_run(&m);
    cr_assert_eq(group->breach, WK_LIMIT_NONE);
    cr_assert_eq(p->exit.signal, 0);
    wk_proc_reap(p);
}

Test(cgroup, tasks_and_signals)
{
    const char *command = "nap";
    const struct wk_spawn s = {.argc = 1, .argv = &command};
    struct wk_proc *p = prepare(), *none;
    group->tasks_max = 3;
    begin(p, "nap");
    child_of(child_of(p, "nap"), "nap"); /* whoever their parents are */
    cr_assert_eq(wk_spawn(p, &s, &none), -WK_EAGAIN);
    cr_assert_null(none);
    cr_assert_eq(group->tasks, 3u);
    cr_assert(wk_cgroup_post(group, 0));
    cr_assert(wk_cgroup_post(group, WK_SIGTERM));
    machine_run(&m);
    cr_assert_eq(group->tasks, 0u);
    cr_assert_eq(p->exit.signal, WK_SIGTERM);
    cr_assert_not(wk_cgroup_post(group, WK_SIGTERM));
    wk_proc_reap(p);
}
