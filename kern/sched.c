/* sched.c - the scheduler's loop, waiting, stopping, breaches */
#include "kern/sched.h"

#include <unistd.h>

bool wk_slice_over(struct wk_kern *k)
{
    return k->slice_steps <= 0 ||
           (k->slice_end_ns != INT64_MAX && wk_clock_host(&k->clock) >= k->slice_end_ns);
}

void wk_sched_poll_soon(struct wk_kern *k)
{
    if (k->fd_waits) {
        wk_fd_waits_poll(k, 0);
        (void)wk_fd_waits_due(k);
    }
    if (k->timer_count && k->clock.kind != WK_CLOCK_VIRTUAL)
        (void)wk_timers_fire(k, wk_clock_monotonic(&k->clock));
}

/* ---- stopping
 * ------------------------------------------------------------------------------------------ */

void wk_kern_stop(struct wk_kern *k, enum wk_stop_kind kind, bool all)
{
    struct wk_task *t = k->all_tasks;
    while (t) {
        struct wk_task *next = t->all_next;
        if (all || !t->background) {
            wk_task_stop(t, kind);
            /* Dropping a task may end others with it; the list is then read from its start. */
            next = t->state == WK_TASK_DONE ? k->all_tasks : next;
            while (next && next->stop && next->state != WK_TASK_DONE)
                next = next->all_next;
        }
        t = next;
    }
}

void wk_kern_take_cancel(struct wk_kern *k)
{
    if (!atomic_exchange(&k->cancel, false))
        return;
    k->was_cancelled = true;
    wk_kern_stop(k, WK_STOP_CANCEL, false);
}

bool wk_kern_was_cancelled(const struct wk_kern *k)
{
    return k->was_cancelled;
}

uint64_t wk_kern_steps(const struct wk_kern *k)
{
    return k->steps_used + (uint64_t)(k->budget_granted - k->budget);
}

/* The process in whose name a breach is reported: the running one, or the run's first. */
static struct wk_proc *breaching(struct wk_kern *k)
{
    if (k->current)
        return k->current->proc;
    struct wk_proc *p = NULL;
    for (struct wk_task *t = k->all_tasks; t; t = t->all_next)
        if (!t->background && t->proc && t->proc->fds)
            p = t->proc;
    return p;
}

void wk_breach_report(struct wk_kern *k, struct wk_proc *p, enum wk_limit_kind kind)
{
    struct wk_file *f = p && p->fds ? wk_fd_get(p->fds, 2) : NULL;
    struct wk_buf b;
    if (!f)
        return;
    const char *name = p->name ? p->name : "whelk";
    const char *slash = strrchr(name, '/');
    wk_buf_init(&b, k->mem, 1024);
    wk_buf_fmt(&b, "%.200s: %s\n", slash && slash[1] ? slash + 1 : name, wk_limit_text(kind));
    if (!b.failed)
        (void)wk_file_write(NULL, f, b.p, b.n); /* without a task: never parks */
    wk_buf_release(&b);
}

static void breach_run(struct wk_kern *k, enum wk_limit_kind kind)
{
    struct wk_proc *p = breaching(k);
    k->breach = kind;
    k->breach_pid = p ? p->pid : 0;
    k->mem->in_reserve = true; /* until the next run: the message, and what ends things */
    wk_breach_report(k, p, kind);
}

/* Hundreds of jobs may breach at once: the first few say what the rest would. */
enum { BACKGROUND_TOLD_MAX = 16 };

int wk_kern_breach(struct wk_kern *k, enum wk_limit_kind kind)
{
    struct wk_task *t = k->current;
    if (t && t->cgroup)
        return wk_cgroup_breach(t->cgroup, t->proc, kind);
    if (t && t->background) {
        bool open = k->mem->in_reserve;
        if (t->stop)
            return -WK_ESTOP;
        k->mem->in_reserve = true;
        if (k->background_told < BACKGROUND_TOLD_MAX) {
            k->background_told++;
            wk_breach_report(k, t->proc, kind);
        }
        k->mem->in_reserve = open;
        wk_task_stop(t, WK_STOP_LIMIT);
        return -WK_ESTOP;
    }
    if (k->breach == WK_LIMIT_NONE)
        breach_run(k, kind);
    wk_kern_stop(k, WK_STOP_LIMIT, false);
    return -WK_ESTOP;
}

/* Whoever meets the limit goes on with an error. But a fork bomb, where child after child of
 * children is refused one of its own (or one process without end), is ended by the limit, the
 * background too: a breach of the one job would end one process of many. */
void wk_kern_refused(struct wk_kern *k)
{
    enum { DEEP = 5, REPEATED = 8 };
    struct wk_proc *p = k->current ? k->current->proc : NULL;
    struct wk_cgroup *g = p ? k->current->cgroup : NULL;
    if (!p || (g ? g->breach : k->breach) != WK_LIMIT_NONE)
        return;
    uint64_t *refused = g ? &g->forks_refused : &k->forks_refused, *deep = g ? &g->refused_deep : &k->refused_deep;
    ++*refused;
    *deep += !p->refused && p->generation >= DEEP;
    p->refused = true;
    uint64_t most = g && g->tasks_max ? WK_MIN(g->tasks_max, k->limits.tasks) : k->limits.tasks;
    if (*deep <= WK_MAX(most / 8, (uint64_t)4) && *refused / REPEATED <= most)
        return;
    if (g) {
        (void)wk_cgroup_breach(g, p, WK_LIMIT_TASKS);
        return;
    }
    breach_run(k, WK_LIMIT_TASKS);
    wk_kern_stop(k, WK_STOP_LIMIT, true);
}

/* The limit of a run: when the one before has used it up, half of the reserve is added, so that a command
 * that gives something back can run. */
static size_t memory_of_run(struct wk_kern *k)
{
    size_t limit = k->limits.memory > SIZE_MAX ? SIZE_MAX : (size_t)k->limits.memory, room = k->mem->reserve / 2;
    bool tight = limit > room && wk_mem_used(k->mem) > limit - room;
    return tight && limit < SIZE_MAX - room ? limit + room : limit;
}

void wk_kern_ready_memory(struct wk_kern *k)
{
    k->mem->breached = false;
    k->mem->in_reserve = false;
    k->mem->limit = memory_of_run(k);
}

void wk_kern_begin_run(struct wk_kern *k)
{
    k->forks_refused = k->refused_deep = 0;
    k->steps_used = 0;
    k->budget = k->budget_granted = 0;
    k->output_used = 0;
    k->breach = WK_LIMIT_NONE;
    k->breach_pid = 0;
    k->background_told = 0;
    k->was_cancelled = false;
    atomic_store(&k->cancel, false);
    wk_kern_ready_memory(k);
    k->deadline_host_ns = WK_FOREVER;
    if (k->limits.time_ns && k->limits.time_ns < INT64_MAX / 2)
        k->deadline_host_ns = wk_clock_host(&k->clock) + (int64_t)k->limits.time_ns;
}

/* ---- the loop
 * -----------------------------------------------------------------------------------------------
 */

static void run_task(struct wk_kern *k, struct wk_task *t)
{
    wk_runq_remove(t);
    t->state = WK_TASK_RUNNING;
    k->current = t;
    k->quantum = WK_QUANTUM_STEPS;
    wk_budget_grant(k);
    if (t->stop)
        k->budget = 0;
    if (WK_UNLIKELY(t->proc && t->proc->rlimits))
        wk_rlimit_turn_begins(t);
    struct wk_cgroup *g = t->cgroup;
    if (WK_UNLIKELY(g != NULL))
        wk_cgroup_turn_begins(g);
    wk_fiber_resume(t->fiber);
    k->current = NULL;
    wk_budget_settle(k);
    if (WK_UNLIKELY(g != NULL))
        wk_cgroup_turn_ends(g);
    if (k->dead)
        wk_task_reap_dead(k);
}

/* Nothing is ready. Answers what the host can do about it, or READY when a task became ready. */
static enum wk_sched_result idle(struct wk_kern *k)
{
    bool stuck = wk_sinks_flush(k);
    (void)wk_vfs_tidy(k->vfs, 4096); /* a bounded part of what was dropped lately */
    if (k->fd_waits) {
        wk_fd_waits_poll(k, 0);
        (void)wk_fd_waits_due(k);
    }
    if (k->run_first)
        return WK_SCHED_READY;
    bool virtual = k->clock.kind == WK_CLOCK_VIRTUAL;
    int64_t next = wk_timers_fire(k, wk_clock_monotonic(&k->clock));
    if (k->run_first)
        return WK_SCHED_READY;
    if (virtual && next != WK_FOREVER && !k->req_pending && !k->again && !k->fd_waits && !stuck) {
        wk_clock_advance(&k->clock, next);
        (void)wk_timers_fire(k, next);
        return WK_SCHED_READY;
    }
    if (next != WK_FOREVER || k->fd_waits || stuck)
        return WK_SCHED_WAIT;
    return k->req_pending || k->again ? WK_SCHED_HOST_CALL : WK_SCHED_DEADLOCK;
}

static bool foreground_alive(const struct wk_kern *k)
{
    for (const struct wk_task *t = k->all_tasks; t; t = t->all_next)
        if (!t->background && !t->stop)
            return true;
    return false;
}

static void look_at_clock(struct wk_kern *k)
{
    if (atomic_load_explicit(&k->cancel, memory_order_relaxed))
        wk_kern_take_cancel(k);
    if (k->deadline_host_ns != WK_FOREVER && k->breach == WK_LIMIT_NONE && foreground_alive(k) &&
        wk_clock_host(&k->clock) >= k->deadline_host_ns)
        (void)wk_kern_breach(k, WK_LIMIT_TIME);
}

/* Tasks that hand over before their steps are used up never come to wk_step_slow: the loop looks
 * for them. */
struct look {
    uint64_t steps;   /* the next look, in steps of the run */
    unsigned turns;   /* since the last one */
    int64_t flush_at; /* host time: output that lies in a sink so long is handed over */
};

static void look_between_turns(struct wk_kern *k, struct look *l)
{
    if (k->steps_used < l->steps && ++l->turns < WK_TURNS_LOOK)
        return;
    l->steps = k->steps_used + WK_GRANT_STEPS;
    l->turns = 0;
    look_at_clock(k);
    if (k->limits.steps && k->steps_used > k->limits.steps && k->breach == WK_LIMIT_NONE &&
        foreground_alive(k))
        (void)wk_kern_breach(k, WK_LIMIT_STEPS);
    wk_sched_poll_soon(k);
    if (k->sinks && wk_clock_host(&k->clock) >= l->flush_at) {
        (void)wk_sinks_flush(k);
        l->flush_at = wk_clock_host(&k->clock) + WK_FLUSH_NS;
    }
}

static bool is_alive(const struct wk_kern *k, const struct wk_task *until)
{
    for (const struct wk_task *t = k->all_tasks; t; t = t->all_next)
        if (t == until)
            return true;
    return false;
}

static void perform_requests(struct wk_kern *k)
{
    int64_t began = wk_clock_host(&k->clock);
    wk_hostreqs_perform(k);
    k->calls_ns += wk_clock_host(&k->clock) - began;
}

static enum wk_sched_result run_slice(struct wk_kern *k, struct wk_task *until)
{
    look_at_clock(k);
    struct look look = {k->steps_used + WK_GRANT_STEPS, 0, k->slice_began_ns + WK_FLUSH_NS};
    for (;;) {
        if (k->req_first || atomic_load_explicit(&k->woken, memory_order_relaxed))
            perform_requests(k);
        struct wk_task *t = k->run_first;
        if (!t) {
            if (!until && !k->task_count)
                return WK_SCHED_DONE;
            look_at_clock(k);
            if (k->run_first)
                continue;
            enum wk_sched_result r = idle(k);
            if (r != WK_SCHED_READY)
                return r;
            continue;
        }
        bool last = t == until;
        run_task(k, t);
        /* A freed record is never `until` again: it is looked at only in the turn in which it ran.
         */
        if (last && !is_alive(k, until))
            return WK_SCHED_DONE;
        if (wk_slice_over(k)) {
            (void)wk_sinks_flush(k);
            return WK_SCHED_READY;
        }
        look_between_turns(k, &look);
    }
}

static void slice_begin(struct wk_kern *k, uint64_t budget_steps, int64_t budget_ns)
{
    k->slice_began_ns = wk_clock_host(&k->clock);
    k->slice_steps = budget_steps && budget_steps < INT64_MAX ? (int64_t)budget_steps : INT64_MAX;
    k->slice_end_ns = budget_ns > 0 ? k->slice_began_ns + budget_ns : INT64_MAX;
}

static void slice_end(struct wk_kern *k)
{
    k->busy_ns += wk_clock_host(&k->clock) - k->slice_began_ns;
    k->slice_began_ns = 0;
}

enum wk_sched_result wk_sched_run(struct wk_kern *k, struct wk_task *until, uint64_t budget_steps,
                                  int64_t budget_ns)
{
    if (until && !is_alive(k, until))
        return WK_SCHED_DONE;
    slice_begin(k, budget_steps, budget_ns);
    enum wk_sched_result r = run_slice(k, until);
    slice_end(k);
    return r;
}

void wk_sched_settle(struct wk_kern *k, uint64_t budget_steps, int64_t budget_ns)
{
    slice_begin(k, budget_steps, budget_ns);
    struct look look = {k->steps_used + WK_GRANT_STEPS, 0, k->slice_began_ns + WK_FLUSH_NS};
    while (k->run_first && !wk_slice_over(k)) {
        run_task(k, k->run_first);
        look_between_turns(k, &look);
    }
    slice_end(k);
}

struct wk_cpu_time wk_kern_cpu(const struct wk_kern *k)
{
    if (k->clock.kind == WK_CLOCK_VIRTUAL)
        return (struct wk_cpu_time){0, 0};
    int64_t busy = k->busy_ns;
    if (k->slice_began_ns)
        busy += wk_clock_host(&k->clock) - k->slice_began_ns;
    return (struct wk_cpu_time){WK_MAX(busy - k->calls_ns, INT64_C(0)) + k->foreign_user_ns,
                                k->calls_ns + k->foreign_system_ns};
}

/* ---- waiting
 * --------------------------------------------------------------------------------------------------
 */

/* Host monotonic time of the next timer or deadline; WK_FOREVER when none. */
static int64_t next_event(struct wk_kern *k)
{
    int64_t at = k->deadline_host_ns;
    if (k->breach != WK_LIMIT_NONE)
        at = WK_FOREVER;
    if (k->timer_count) {
        int64_t ahead = k->timers[0]->timer_at - wk_clock_monotonic(&k->clock);
        int64_t timer = wk_clock_host(&k->clock) + (ahead > 0 ? ahead : 0);
        at = WK_MIN(at, timer);
    }
    for (const struct wk_fd_wait *w = k->fd_waits; w; w = w->next)
        at = WK_MIN(at, w->until_host_ns);
    return at;
}

int wk_sched_wait(struct wk_kern *k, int64_t max_ns)
{
    if (wk_kern_wake_fd(k) < 0)
        return -WK_EMFILE;
    if (k->run_first || atomic_load(&k->woken) || atomic_load(&k->cancel))
        return 0;
    int64_t at = next_event(k), ns = max_ns;
    if (at != WK_FOREVER) {
        int64_t left = at - wk_clock_host(&k->clock);
        ns = WK_MIN(ns, left > 0 ? left : 0);
    }
    int ms = -1;
    if (ns != WK_FOREVER)
        ms = ns > INT64_C(2000000000) * 1000000 ? 2000000000 : (int)((ns + 999999) / 1000000);
    wk_fd_waits_poll(k, ms);
    return 0;
}

size_t wk_sched_wait_info(struct wk_kern *k, struct wk_wait_fd *fds, size_t cap,
                          int64_t *deadline_ns)
{
    size_t n = 0;
    int wake = wk_kern_wake_fd(k);
    if (wake >= 0 && n < cap)
        fds[n++] = (struct wk_wait_fd){wake, 1 /* POLLIN */};
    struct wk_fd_wait *w = k->fd_waits;
    for (; w && (w->fd < 0 || n < cap); w = w->next)
        if (w->fd >= 0)
            fds[n++] = (struct wk_wait_fd){w->fd, w->events};
    n += wk_sinks_wait_fds(k, fds + n, cap - n);
    *deadline_ns = k->run_first ? wk_clock_host(&k->clock) : next_event(k);
    if (w) /* those that are not named are looked at by the next step */
        *deadline_ns = WK_MIN(*deadline_ns, wk_clock_host(&k->clock) + WK_FD_WAITS_TURN_MS * INT64_C(1000000));
    return n;
}

/* ---- the machine's life
 * ------------------------------------------------------------------------------------------ */

void wk_kern_drain(struct wk_kern *k)
{
    while (k->task_count || k->req_first) {
        wk_hostreqs_perform(k);
        wk_kern_stop(k, WK_STOP_CLOSE, true);
        if (k->run_first)
            run_task(k, k->run_first);
        else if (k->task_count && !k->req_first)
            break; /* cannot be: a stopped task is ready */
        wk_task_reap_dead(k);
    }
    wk_task_reap_dead(k);
}

static WK_NOINLINE void close_fd(int fd)
{
    close(fd);
}

void wk_kern_release(struct wk_kern *k)
{
    wk_kern_stop(k, WK_STOP_CLOSE, true);
    wk_kern_drain(k);
    wk_procs_release(k);
    int fd = atomic_load(&k->wake_fd);
    if (fd >= 0)
        close_fd(fd);
    wk_free(k->mem, k->timers);
    k->timers = NULL;
    wk_pools_release(k);
}
