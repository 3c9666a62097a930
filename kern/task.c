/* task.c - tasks: creation, parking, waking, stopping, dropping; wait queues and the run queue */
#include "kern/sched.h"

/* ---- queues
 * --------------------------------------------------------------------------------------- */

void wk_runq_push(struct wk_task *t)
{
    struct wk_kern *k = t->k;
    t->state = WK_TASK_READY;
    if (t->suspended)
        return;
    t->run_next = NULL;
    t->run_prev = k->run_last;
    if (k->run_last)
        k->run_last->run_next = t;
    else
        k->run_first = t;
    k->run_last = t;
}

void wk_runq_remove(struct wk_task *t)
{
    struct wk_kern *k = t->k;
    if (!t->run_prev && k->run_first != t)
        return; /* suspended: not in the queue */
    if (t->run_prev)
        t->run_prev->run_next = t->run_next;
    else
        k->run_first = t->run_next;
    if (t->run_next)
        t->run_next->run_prev = t->run_prev;
    else
        k->run_last = t->run_prev;
    t->run_next = t->run_prev = NULL;
}

void wk_waitq_join(struct wk_waitq *q, struct wk_waiter *w, struct wk_task *t)
{
    w->task = t;
    w->next = NULL;
    w->prev = q->last;
    if (q->last)
        q->last->next = w;
    else
        q->first = w;
    q->last = w;
    w->queue = q;
}

static void leave_queue(struct wk_waiter *w)
{
    struct wk_waitq *q = w->queue;
    if (!q)
        return;
    if (w->prev)
        w->prev->next = w->next;
    else
        q->first = w->next;
    if (w->next)
        w->next->prev = w->prev;
    else
        q->last = w->prev;
    w->queue = NULL;
}

void wk_waitq_leave(struct wk_task *t)
{
    for (struct wk_waiter *w = &t->waiter; w; w = w->also)
        leave_queue(w);
}

void wk_waitq_wake_one(struct wk_waitq *q)
{
    if (q->first)
        wk_task_wake(q->first->task, 0);
}

void wk_waitq_wake_all(struct wk_waitq *q)
{
    while (q->first)
        wk_task_wake(q->first->task, 0);
}

/* ---- life
 * -------------------------------------------------------------------------------------------- */

static void task_entry(void *arg)
{
    struct wk_task *t = arg;
    t->main(t);
    wk_task_exit(t);
}

int wk_task_new(struct wk_kern *k, struct wk_proc *proc, bool leaf, void (*main)(struct wk_task *),
                void *arg, struct wk_task **out)
{
    if (k->task_count >= k->limits.tasks) {
        wk_kern_refused(k);
        return -WK_EAGAIN;
    }
    struct wk_cgroup *g = proc->cgroup;
    if (WK_UNLIKELY(g != NULL) && g->tasks_max && g->tasks >= g->tasks_max) {
        wk_kern_refused(k);
        return -WK_EAGAIN;
    }
    if (WK_UNLIKELY(proc->rlimits != NULL) && proc->cred.uid != 0 &&
        k->task_count >= proc->rlimits->v[WK_RLIMIT_NPROC].soft)
        return -WK_EAGAIN;
    struct wk_task *t = wk_pool_take(k, WK_POOL_TASK, sizeof *t);
    if (!t)
        return -WK_ENOMEM;
    if (wk_timers_reserve(k) != 0) {
        wk_pool_give(k, WK_POOL_TASK, t);
        return -WK_ENOMEM;
    }
    *t = (struct wk_task){
        .k = k, .proc = proc, .leaf = leaf, .main = main, .arg = arg, .timer_slot = SIZE_MAX};
    int r = wk_fiber_new(k->stacks, k->mem, task_entry, t, &t->fiber);
    if (r) {
        wk_pool_give(k, WK_POOL_TASK, t);
        return r;
    }
    t->stack_floor = wk_fiber_floor(t->fiber);
    t->all_next = k->all_tasks;
    if (k->all_tasks)
        k->all_tasks->all_prev = t;
    k->all_tasks = t;
    k->task_count++;
    if (WK_UNLIKELY(g != NULL)) {
        t->cgroup = wk_cgroup_ref(g);
        g->tasks++;
    }
    if (!proc->began_ns)
        proc->began_ns = wk_clock_realtime(&k->clock);
    wk_runq_push(t);
    *out = t;
    return 0;
}

/* Out of every list but `dead`, where the scheduler finds it. */
static void bury(struct wk_task *t)
{
    struct wk_kern *k = t->k;
    wk_waitq_leave(t);
    wk_timer_remove(t);
    if (t->state == WK_TASK_READY)
        wk_runq_remove(t);
    if (t->all_prev)
        t->all_prev->all_next = t->all_next;
    else
        k->all_tasks = t->all_next;
    if (t->all_next)
        t->all_next->all_prev = t->all_prev;
    t->all_next = t->all_prev = NULL;
    t->state = WK_TASK_DONE;
    k->task_count--;
    if (WK_UNLIKELY(t->cgroup != NULL)) {
        t->cgroup->tasks--;
        wk_cgroup_unref(t->cgroup);
        t->cgroup = NULL;
    }
    t->run_next = k->dead;
    k->dead = t;
}

void wk_task_exit(struct wk_task *t)
{
    struct wk_fiber *f = t->fiber;
    WK_ASSERT(t->k->current == t && !t->no_park);
    bury(t);
    wk_fiber_finish(f);
}

void wk_task_cancel(struct wk_task *t)
{
    bury(t);
}

void wk_task_reap_dead(struct wk_kern *k)
{
    while (k->dead) {
        struct wk_task *t = k->dead;
        k->dead = t->run_next;
        wk_fiber_free(t->fiber);
        wk_pool_give(k, WK_POOL_TASK, t);
    }
}

/* A leaf that will never be resumed: its process ends as a killed one does. */
static void drop(struct wk_task *t)
{
    struct wk_proc *p = t->proc;
    while (t->unwind) {
        struct wk_unwind *u = t->unwind;
        t->unwind = u->next;
        u->undo(u->arg);
    }
    bury(t);
    struct wk_exit e = {0, p->exit.signal ? p->exit.signal : WK_SIGKILL};
    p->task = NULL;
    wk_proc_finish(p, e);
}

/* The running leaf was stopped: it leaves the stage here and is dropped by the scheduler. */
static WK_NORETURN void drop_self(struct wk_task *t)
{
    struct wk_fiber *f = t->fiber;
    drop(t);
    wk_fiber_yield(f);
    __builtin_unreachable();
}

void wk_task_stop(struct wk_task *t, enum wk_stop_kind kind)
{
    if (t->state == WK_TASK_DONE)
        return;
    if (!t->stop)
        t->stop = kind;
    if (t->suspended) {
        t->suspended = false;
        if (t->state == WK_TASK_READY && !t->leaf)
            wk_runq_push(t);
    }
    if (t->state == WK_TASK_RUNNING)
        t->k->budget = -1;
    else if (t->leaf)
        drop(t);
    else if (t->state == WK_TASK_PARKED)
        wk_task_wake(t, -WK_ESTOP);
}

/* ---- parking
 * ------------------------------------------------------------------------------------------ */

void wk_task_wake(struct wk_task *t, int code)
{
    if (t->state != WK_TASK_PARKED)
        return;
    wk_waitq_leave(t);
    wk_timer_remove(t);
    t->wake_code = code;
    wk_runq_push(t);
}

static void switch_out(struct wk_task *t)
{
    WK_ASSERT(t->k->current == t && !t->no_park);
    if (WK_UNLIKELY(t->proc && t->proc->rlimits))
        wk_rlimit_turn_ends(t);
    wk_fiber_yield(t->fiber);
}

/* What a stopped task sees; leaves do not come back. */
static int stopped(struct wk_task *t)
{
    if (t->leaf)
        drop_self(t);
    t->k->budget = 0; /* every step looks again */
    return -WK_ESTOP;
}

bool wk_task_signalled(const struct wk_task *t)
{
    if (!t->signal_check)
        return false;
    for (const struct wk_proc *p = t->proc; p; p = p->outer)
        if (p->sig_pending)
            return true;
    return false;
}

int wk_park(struct wk_task *t, struct wk_waitq *q, int64_t until_ns, bool interruptible)
{
    if (t->stop)
        return stopped(t);
    if (interruptible && wk_task_signalled(t))
        return -WK_EINTR;
    t->state = WK_TASK_PARKED;
    t->interruptible = interruptible;
    if (q)
        wk_waitq_join(q, &t->waiter, t);
    if (until_ns != WK_FOREVER)
        wk_timer_add(t, until_ns);
    switch_out(t);
    return t->stop ? stopped(t) : t->wake_code;
}

int wk_yield(struct wk_task *t)
{
    if (t->stop)
        return stopped(t);
    wk_runq_push(t);
    switch_out(t);
    return t->stop ? stopped(t) : 0;
}

/* ---- steps
 * -----------------------------------------------------------------------------------------------
 */

static int look_at_limits(struct wk_kern *k, struct wk_task *t)
{
    if (atomic_load_explicit(&k->cancel, memory_order_relaxed))
        wk_kern_take_cancel(k);
    if (WK_UNLIKELY(t->proc->rlimits != NULL))
        wk_rlimit_look(t);
    if (WK_UNLIKELY(t->cgroup != NULL))
        wk_cgroup_look(t->cgroup, t->proc);
    if (t->background)
        return 0;
    if (k->limits.steps && k->steps_used > k->limits.steps && k->breach == WK_LIMIT_NONE)
        return wk_kern_breach(k, WK_LIMIT_STEPS);
    if (k->deadline_host_ns != WK_FOREVER && k->breach == WK_LIMIT_NONE &&
        wk_clock_host(&k->clock) >= k->deadline_host_ns)
        return wk_kern_breach(k, WK_LIMIT_TIME);
    return 0;
}

int wk_step_slow(struct wk_kern *k)
{
    struct wk_task *t = k->current;
    wk_budget_settle(k);
    if (!t) {
        wk_budget_grant(k);
        return 0;
    }
    if (!t->stop)
        (void)look_at_limits(k, t);
    if (!t->stop && k->quantum <= 0) {
        wk_sched_poll_soon(k);
        k->quantum = WK_QUANTUM_STEPS;
        if (k->run_first || k->sinks || t->suspended || wk_slice_over(k))
            (void)wk_yield(t);
    }
    wk_budget_grant(k);
    return t->stop ? stopped(t) : 0;
}

/* ---- stack
 * -------------------------------------------------------------------------------------------------
 */

struct deep_call {
    struct wk_task *t;
    int (*fn)(void *);
    void *arg;
};

static int enter_segment(void *arg)
{
    struct deep_call *d = arg;
    d->t->stack_floor = wk_fiber_floor(d->t->fiber);
    return d->fn(d->arg);
}

int wk_stack_call(struct wk_task *t, int (*fn)(void *), void *arg, int *result)
{
    struct deep_call d = {t, fn, arg};
    uintptr_t floor = t->stack_floor;
    int r = wk_fiber_extend(t->fiber, enter_segment, &d, result);
    t->stack_floor = floor;
    return r;
}

int wk_lib_call(struct wk_task *t, int (*fn)(void *), void *arg, int *result)
{
    t->no_park++;
    int r = wk_fiber_lib_call(t->fiber, fn, arg, result);
    t->no_park--;
    return r;
}
