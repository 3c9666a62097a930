/* kern.h - the machine of one session: scheduler, tasks, processes, limits
 *
 * Owner:   a session. One host thread at a time is inside it.
 * Idea:    a task is a fiber; a process (proc.h) runs on a task. Leaf commands have a task of their
 *          own and may be dropped at any park. Interpreter tasks are never dropped: a stop makes
 *          every park and step of theirs return -WK_ESTOP until their evaluator has returned.
 */
#ifndef WK_KERN_KERN_H
#define WK_KERN_KERN_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "kern/clock.h"
#include "kern/fiber.h"
#include "kern/limits.h"

#include <stdatomic.h>

struct wk_proc;
struct wk_vfs;
struct wk_registry;
struct wk_hostreq;
struct wk_buf;
struct wk_pipe;
struct wk_fd_wait;
struct wk_file;
struct wk_filelock;
struct wk_cgroup;

/* ---- wait queues and timers ---------------------------------------------------------------- */

struct wk_waiter {
    struct wk_waiter *next, *prev;
    struct wk_task *task;
    struct wk_waitq *queue; /* NULL: in none */
    struct wk_waiter *also; /* of the same task, in another queue (waitany.c) */
};

/* Tasks parked until something happens; zero-initialised is empty. */
struct wk_waitq {
    struct wk_waiter *first, *last;
};

#define WK_FOREVER INT64_MAX

/* ---- tasks ---------------------------------------------------------------------------------- */

enum wk_task_state { WK_TASK_READY, WK_TASK_RUNNING, WK_TASK_PARKED, WK_TASK_DONE };

enum wk_stop_kind {
    WK_STOP_NONE,
    WK_STOP_LIMIT,
    WK_STOP_CANCEL,
    WK_STOP_KILL, /* SIGKILL, or a fatal signal to a leaf */
    WK_STOP_CLOSE
};

struct wk_task {
    struct wk_kern *k;
    struct wk_proc *proc; /* the process running on it now (innermost, for inline subshells) */
    struct wk_fiber *fiber;
    uintptr_t stack_floor; /* lowest usable address of the present segment */
    enum wk_task_state state;
    enum wk_stop_kind stop;  /* set: parks and steps return -WK_ESTOP (a leaf is dropped) */
    struct wk_cgroup *cgroup; /* counted; NULL: none */
    bool leaf;               /* may be dropped at a park */
    bool signal_check;       /* a signal was posted to a process on this task */
    bool background;         /* a job: not part of the run that ends */
    bool interruptible;      /* the present park ends with -WK_EINTR on a signal */
    int wake_code;           /* result of the present park */
    unsigned no_park;        /* > 0: inside a mutation that must not park (checked) */
    struct wk_waiter waiter; /* its place in a wait queue */
    size_t timer_slot; /* place in the timer heap, SIZE_MAX = none */
    int64_t timer_at;
    struct wk_task *run_next, *run_prev; /* run queue */
    struct wk_task *all_next, *all_prev; /* all tasks of the session */
    bool suspended;                      /* stopped by SIGSTOP: not run until SIGCONT */
    struct wk_unwind *unwind; /* what a parked call holds; released when the task is dropped */
    void (*main)(struct wk_task *);
    void *arg;
};

/* Something on a task's stack that must be undone when the task is dropped while parked. */
struct wk_unwind {
    struct wk_unwind *next;
    void (*undo)(void *arg);
    void *arg;
};
static inline void wk_unwind_push(struct wk_task *t, struct wk_unwind *u, void (*undo)(void *),
                                  void *arg)
{
    *u = (struct wk_unwind){t->unwind, undo, arg};
    t->unwind = u;
}
static inline void wk_unwind_pop(struct wk_task *t, struct wk_unwind *u)
{
    t->unwind = u->next;
}

/* ---- the machine ---------------------------------------------------------------------------- */

struct wk_kern {
    int64_t budget;          /* steps until the slow path looks at limits, time and fairness */
    struct wk_task *current; /* NULL while the scheduler itself runs */
    struct wk_mem *mem;
    struct wk_vfs *vfs;
    struct wk_stacks *stacks;
    const struct wk_registry *registry; /* commands (command.h) */
    struct wk_world world;
    struct wk_clock clock;
    struct wk_limits limits;

    uint64_t steps_used; /* of the present run, up to the last slow path */
    int64_t budget_granted;
    uint64_t output_used;
    int64_t slice_began_ns;    /* host time at which the present slice began; 0 between slices */
    int64_t busy_ns, calls_ns; /* host time in slices so far, and that of host requests in them */
    int64_t foreign_user_ns, foreign_system_ns; /* processor time of foreign processes that have ended */
    int64_t deadline_host_ns;  /* of the present run; WK_FOREVER = none */
    enum wk_limit_kind breach; /* first limit reached in this run */
    uint32_t background_told; /* background breaches this run has printed a line for */
    uint32_t breach_pid;
    uint64_t forks_refused, refused_deep; /* in this run: all, and processes deep in the tree */
    atomic_bool cancel; /* set by any thread */
    bool was_cancelled; /* the present run was stopped by it */
    atomic_bool woken;  /* wk_kern_wake since the last look */
    atomic_int wake_fd; /* eventfd, made at the first wait; -1 = none yet */

    struct wk_task *run_first, *run_last, *all_tasks;
    size_t task_count;
    struct wk_task **timers; /* heap by timer_at */
    size_t timer_count, timer_cap;
    struct wk_hostreq *req_first, *req_last;
    struct wk_hostreq *again;          /* answered "not now": performed again after a wake */
    size_t req_pending;                /* asynchronous requests handed to the host, not completed */
    struct wk_fd_wait *fd_waits;       /* tasks parked for a host descriptor */
    struct wk_file *sinks;             /* host outputs with undelivered bytes (hostio.c) */
    struct wk_pipe *fifos;             /* FIFOs that are open (pipe.c) */
    struct wk_filelock *filelocks;     /* locks on files (filelock.c) */
    struct wk_task *dead;              /* ended tasks whose stacks the scheduler gives back */
    int64_t quantum;                   /* steps until the running task lets others run */
    int64_t slice_steps, slice_end_ns; /* budget of the present wk_sched_run; INT64_MAX = none */
    struct wk_proc *init;              /* pid 1: adopts orphans and reaps them */
    struct wk_proc **pid_table;        /* hash by pid */
    size_t pid_cap, proc_count;
    uint32_t next_pid;
    void *pools;     /* free lists of pipes, procs, tasks (kern.c) */
    uint64_t rng[4]; /* session randomness, seeded */
    uint32_t uid, gid;
    char user[33], hostname[65];
    /* Appends what a process wrote after the run that started it (api/); NULL = nothing is kept. */
    void (*job_output)(struct wk_kern *k, const struct wk_proc *p, struct wk_buf *out);
    void *owner; /* the session, for api/ */
};

struct wk_kern_options {
    struct wk_mem *mem;
    struct wk_vfs *vfs;
    struct wk_stacks *stacks;
    const struct wk_registry *registry;
    const struct wk_world *world; /* NULL = the real one */
    enum wk_clock_kind clock;
    int64_t clock_start_ns;
    const struct wk_limits *limits; /* NULL = defaults */
    uint64_t seed;                  /* 0 = from entropy */
    uint32_t uid, gid;
    const char *user, *hostname;
};

/* Set up a machine with only pid 1 in it. Errors: -WK_ENOMEM. */
int wk_kern_init(struct wk_kern *k, const struct wk_kern_options *o);
/* Stop and free everything; every task must be a leaf, done, or able to return (it is resumed until
 * it has). Afterwards the account holds nothing of the machine. */
void wk_kern_release(struct wk_kern *k);

/* ---- scheduler ------------------------------------------------------------------------------ */

/* A new task, ready to run main(task). main returns when the task ends.
 * Errors: -WK_EAGAIN (task limit or stack mapping refused), -WK_ENOMEM. */
int wk_task_new(struct wk_kern *k, struct wk_proc *proc, bool leaf, void (*main)(struct wk_task *),
                void *arg, struct wk_task **out);
/* Put a parked task in the run queue; `code` is what its park returns. */
void wk_task_wake(struct wk_task *t, int code);
/* Ask a task to stop. A parked leaf is dropped at once; others see -WK_ESTOP. */
void wk_task_stop(struct wk_task *t, enum wk_stop_kind kind);

/* Park the current task until woken, or the monotonic session time `until_ns`, or, if
 * interruptible, a signal. `q` may be NULL (pure sleep).
 * Returns 0 when woken, -WK_ETIMEDOUT, -WK_EINTR, or -WK_ESTOP. A stopped leaf never returns. */
int wk_park(struct wk_task *t, struct wk_waitq *q, int64_t until_ns, bool interruptible);
/* Wake one / all tasks of a queue with code 0. */
void wk_waitq_wake_one(struct wk_waitq *q);
void wk_waitq_wake_all(struct wk_waitq *q);
/* End the current task from anywhere in it; its stack is given back. For leaves. */
WK_NORETURN void wk_task_exit(struct wk_task *t);
/* Let other ready tasks run. Returns 0 or -WK_ESTOP. */
int wk_yield(struct wk_task *t);

/* Count one step of work. Returns 0, or -WK_ESTOP when the task must return (a stopped leaf never
 * comes back). May let other tasks run when the quantum is used up. */
int wk_step_slow(struct wk_kern *k);
static inline int wk_step(struct wk_kern *k)
{
    return WK_LIKELY(--k->budget >= 0) ? 0 : wk_step_slow(k);
}
/* Count n steps at once (bytes moved / 64, elements compared…). */
static inline int wk_steps(struct wk_kern *k, uint32_t n)
{
    k->budget -= n;
    return WK_LIKELY(k->budget >= 0) ? 0 : wk_step_slow(k);
}
/* Count n bytes gone through, without a look at the limits: the next step does that. */
static inline void wk_charge(struct wk_kern *k, size_t n)
{
    k->budget -= (int64_t)(n / 64);
}

enum wk_sched_result {
    WK_SCHED_DONE,      /* the task waited for has ended */
    WK_SCHED_READY,     /* budget used up; call again */
    WK_SCHED_WAIT,      /* every task is parked: wait for descriptors, timers or wk_kern_wake */
    WK_SCHED_HOST_CALL, /* asynchronous host requests are open and nothing else can run */
    WK_SCHED_DEADLOCK   /* every task is parked and nothing outside can wake one */
};

/* Run tasks until `until` is done, the budget (steps; 0 = none; nanoseconds; 0 = none) is used up,
 * or nothing can run. Called on the host thread's own stack, never from a fiber. */
enum wk_sched_result wk_sched_run(struct wk_kern *k, struct wk_task *until, uint64_t budget_steps,
                                  int64_t budget_ns);

/* Run what is ready, and nothing that waits for time or the host, until the budget is used up. As
 * wk_sched_run otherwise. */
void wk_sched_settle(struct wk_kern *k, uint64_t budget_steps, int64_t budget_ns);

/* After WAIT: block in poll(2) until something can run or `max_ns` (WK_FOREVER) have passed. */
int wk_sched_wait(struct wk_kern *k, int64_t max_ns);
/* After WAIT: what to wait for. Fills up to `cap` descriptors and poll(2) events; returns their
 * number; *deadline_ns is host monotonic time or WK_FOREVER. */
struct wk_wait_fd {
    int fd;
    short events;
};
size_t wk_sched_wait_info(struct wk_kern *k, struct wk_wait_fd *fds, size_t cap,
                          int64_t *deadline_ns);
/* Any thread, also a signal handler: end a wait. */
void wk_kern_wake(struct wk_kern *k);

/* Begin a run: resets steps, output, breach, cancel and deadline. */
void wk_kern_begin_run(struct wk_kern *k);
/* Memory as a run finds it at its start: the reserve closed, and a little of it added when nearly all is used. */
void wk_kern_ready_memory(struct wk_kern *k);
/* Steps the present run has used; whether it was cancelled (by wk_kern.cancel). */
uint64_t wk_kern_steps(const struct wk_kern *k);
/* Processor time of all that has run in the machine, and what of it the host's callbacks took: by the
 * host's clock while tasks run, none by a virtual one. */
struct wk_cpu_time {
    int64_t user_ns, system_ns;
};
struct wk_cpu_time wk_kern_cpu(const struct wk_kern *k);
bool wk_kern_was_cancelled(const struct wk_kern *k);
/* After wk_kern_stop(…, true): resume every task that is no leaf until its main has returned, drop
 * the rest. No task is left. */
void wk_kern_drain(struct wk_kern *k);
/* Record a breach (the first one wins), print "name: … limit reached" on the process's fd 2 and
 * stop the current run's tasks (or the one background job's). Returns -WK_ESTOP. */
int wk_kern_breach(struct wk_kern *k, enum wk_limit_kind kind);
/* Stop every task of the run (not background jobs unless `all`). */
void wk_kern_stop(struct wk_kern *k, enum wk_stop_kind kind, bool all);

/* ---- host requests -------------------------------------------------------------------------- */

/* Something the host must do on its own stack. The scheduler's loop calls perform(req); when that
 * leaves `done` false the request stays open until wk_hostreq_complete, or, when it set `again`, is
 * performed once more after the next wk_kern_wake. */
struct wk_hostreq {
    struct wk_hostreq *next;
    struct wk_task *task;
    void (*perform)(struct wk_hostreq *r);
    void *ctx;
    int result;
    bool done, abandoned, again;
};
/* From a task: hand the request over and park until done. Returns its result, -WK_EINTR when
 * interruptible, or -WK_ESTOP (then `abandoned` is set if the host still holds it). */
int wk_hostreq_call(struct wk_task *t, struct wk_hostreq *r, bool interruptible);
void wk_hostreq_complete(struct wk_hostreq *r, int result);
/* Queue a request that no task waits for: the loop calls perform once (`task` is NULL). From
 * anywhere inside the session's thread; `r` must live until then. Requests left at wk_kern_release
 * are performed by wk_kern_drain. */
void wk_hostreq_post(struct wk_kern *k, struct wk_hostreq *r);
/* Perform what is queued now. From the scheduler's caller's stack only. */
void wk_hostreqs_perform(struct wk_kern *k);

/* From a task: park until the host descriptor is ready for `events` (poll(2) bits), until_ns or a
 * signal. Returns 0, -WK_ETIMEDOUT, -WK_EINTR or -WK_ESTOP. */
int wk_host_fd_wait(struct wk_task *t, int fd, short events, int64_t until_ns);

enum { WK_WAIT_ANY_FDS = 16, WK_WAIT_ANY_FILES = 3 };
/* What wk_wait_any waits for, all at once. */
struct wk_wait_any {
    const struct wk_wait_fd *fds; /* host descriptors; n_fds of them, at most WK_WAIT_ANY_FDS */
    size_t n_fds;
    struct {
        struct wk_file *file;
        short events; /* POLLIN or POLLOUT */
    } files[WK_WAIT_ANY_FILES]; /* of the session: pipe ends and the host's input */
    size_t n_files;
    int64_t until_ns;      /* of the session's monotonic clock; WK_FOREVER: none */
    int64_t until_host_ns; /* of the host's, which goes on whatever the session's does; WK_FOREVER: none */
};
/* From a task: park until one of them is there, a time is over, or a signal comes. A file that the host's callback
 * fills is asked for, and what it gives stays in the file; one that never makes a reader or writer wait is there at
 * once. Returns 0 (look at all of them again), -WK_ETIMEDOUT, -WK_EINTR (also when another task woke this one with it)
 * or -WK_ESTOP. */
int wk_wait_any(struct wk_task *t, const struct wk_wait_any *w);

/* ---- stack ---------------------------------------------------------------------------------- */

/* True when less than WK_STACK_RESERVE is left on the task's present segment. */
static inline bool wk_stack_low(const struct wk_task *t)
{
    return (uintptr_t)__builtin_frame_address(0) - t->stack_floor < WK_STACK_RESERVE;
}
/* Continue on a further segment: runs fn(arg) there, its result in *result.
 * Errors (fn did not run): -WK_ENOMEM, -WK_EAGAIN. */
int wk_stack_call(struct wk_task *t, int (*fn)(void *), void *arg, int *result);
/* Run a library call that needs much stack and never parks. */
int wk_lib_call(struct wk_task *t, int (*fn)(void *), void *arg, int *result);

/* Uniform random bits of the session (mktemp, /dev/urandom, SRANDOM). */
uint64_t wk_kern_random(struct wk_kern *k);

#endif
