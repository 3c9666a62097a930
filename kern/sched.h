/* sched.h - what the files of the scheduler share; not for other folders
 *
 * Owner: the machine.
 */
#ifndef WK_KERN_SCHED_H
#define WK_KERN_SCHED_H

#include "kern/cgroup.h"
#include "kern/proc.h"

enum {
    WK_GRANT_STEPS = 1000,   /* steps between two looks at limits and the clock */
    WK_FLUSH_NS = 20000000,  /* longest that output waits in a sink while tasks are busy */
    WK_TURNS_LOOK = 128,     /* turns of tasks between two such looks */
    WK_QUANTUM_STEPS = 10000 /* steps until other ready tasks run */
};

/* ---- free lists of fixed-size records (pool.c) */
enum wk_pool_kind {
    WK_POOL_TASK,
    WK_POOL_PROC,
    WK_POOL_FILE,
    WK_POOL_PIPE,
    WK_POOL_RING,
    WK_POOL_FDTAB,
    WK_POOL_COUNT
};
/* Uninitialised; NULL when refused. */
void *wk_pool_take(struct wk_kern *k, enum wk_pool_kind kind, size_t size);
void wk_pool_give(struct wk_kern *k, enum wk_pool_kind kind, void *p);
int wk_pools_init(struct wk_kern *k);
/* Give the records kept for reuse back to the account. */
void wk_pools_trim(struct wk_kern *k);
void wk_pools_release(struct wk_kern *k);

/* A task that was never run: taken back. */
void wk_task_cancel(struct wk_task *t);

/* ---- run queue, dead tasks (task.c) */
/* A task was refused to the running process: its error, or the limit's end for a fork bomb. */
void wk_kern_refused(struct wk_kern *k);
void wk_runq_push(struct wk_task *t);
void wk_runq_remove(struct wk_task *t);
void wk_task_reap_dead(struct wk_kern *k);
/* A signal waits for a process on this task. */
bool wk_task_signalled(const struct wk_task *t);

/* ---- wait queues (task.c) */
/* A place at the end of a queue; and out of all queues that the task stands in. */
void wk_waitq_join(struct wk_waitq *q, struct wk_waiter *w, struct wk_task *t);
void wk_waitq_leave(struct wk_task *t);

/* ---- timers (timers.c): a heap ordered by time, then by age */
int wk_timers_reserve(struct wk_kern *k); /* room for one more task's timer */
void wk_timer_add(struct wk_task *t, int64_t at_ns);
void wk_timer_remove(struct wk_task *t);
/* Wakes what is due. Returns the time of the next, WK_FOREVER when none. */
int64_t wk_timers_fire(struct wk_kern *k, int64_t now_ns);

/* ---- budget (sched.c) */
static inline void wk_budget_settle(struct wk_kern *k)
{
    int64_t used = k->budget_granted - k->budget;
    k->steps_used += (uint64_t)used;
    k->quantum -= used;
    if (k->slice_steps != INT64_MAX)
        k->slice_steps -= used;
    k->budget_granted = k->budget = 0;
}
static inline void wk_budget_grant(struct wk_kern *k)
{
    k->budget_granted = k->budget = WK_GRANT_STEPS;
}
bool wk_slice_over(struct wk_kern *k);
/* Look at host descriptors although tasks are ready. */
void wk_sched_poll_soon(struct wk_kern *k);
/* The line that a breach says on descriptor 2 of p (NULL: nowhere). */
void wk_breach_report(struct wk_kern *k, struct wk_proc *p, enum wk_limit_kind kind);
/* The cancel flag was seen: stop the run. */
void wk_kern_take_cancel(struct wk_kern *k);

/* ---- host requests (hostreq.c) */
/* Hand a request over without parking; what it was given for is done, or wk_hostreq_give_up takes it back. */
void wk_hostreq_begin(struct wk_task *t, struct wk_hostreq *r);
/* The caller does not wait any longer: the host may still hold the request (`abandoned`). */
void wk_hostreq_give_up(struct wk_hostreq *r);

/* ---- host descriptors (hostreq.c) */
struct wk_fd_wait {
    struct wk_fd_wait *next, *prev;
    struct wk_task *task;
    int fd; /* -1: only the time is waited for */
    short events;
    int64_t until_host_ns; /* WK_FOREVER: no time of the host's */
};
void wk_fd_wait_begin(struct wk_fd_wait *w);
void wk_fd_wait_end(struct wk_fd_wait *w);
int wk_kern_wake_fd(struct wk_kern *k); /* makes it; -1 when the host refuses */
enum { WK_FD_WAITS_TURN_MS = 10 };
/* poll(2) what tasks and sinks wait for; timeout in ms, -1 = none. Wakes the tasks. Of more descriptors than one call
 * takes each is looked at in turn, and the wait is then WK_FD_WAITS_TURN_MS at most. */
void wk_fd_waits_poll(struct wk_kern *k, int timeout_ms);
/* Wakes tasks whose host time is over. Returns the next such time, WK_FOREVER when none. */
int64_t wk_fd_waits_due(struct wk_kern *k);

/* ---- sinks (hostio.c) */
/* Deliver what host outputs hold without waiting. True when one of them could not take all. */
bool wk_sinks_flush(struct wk_kern *k);
/* Descriptor sinks with undelivered bytes: fills fds, returns their number. */
size_t wk_sinks_wait_fds(struct wk_kern *k, struct wk_wait_fd *fds, size_t cap);

/* ---- processes (proc.c) */
int wk_procs_init(struct wk_kern *k); /* pid 1 */
void wk_procs_release(struct wk_kern *k);
/* ---- starting commands (exec.c): drops p->exec */
void wk_exec_release(struct wk_proc *p);
/* Arguments of the command that p was started with; NULL when it was forked and runs its parent's.
 */
char *const *wk_exec_argv(const struct wk_proc *p);
/* Run a leaf command's main with its view of the world, and end the process (cmd.c). */
void wk_cmd_run_main(struct wk_task *t, const struct wk_command *command, int argc, char **argv);

#endif
