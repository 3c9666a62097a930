/* procsig.c - posting signals to processes, stopping and continuing them */
#include "kern/sched.h"

static bool is_leaf(const struct wk_proc *p)
{
    return p->task && p->task->leaf;
}

/* Tell whoever runs the process. */
static void notify(struct wk_proc *p)
{
    struct wk_task *t = p->task;
    if (!t)
        return;
    t->signal_check = true;
    if (t->state == WK_TASK_PARKED && t->interruptible)
        wk_task_wake(t, -WK_EINTR);
}

static void mark_stopped(struct wk_proc *p)
{
    p->state = WK_PROC_STOPPED;
    p->stop_seen = false;
    if (p->parent) {
        wk_waitq_wake_all(&p->parent->child_changed);
        wk_proc_post(p->parent, WK_SIGCHLD);
    }
}

static void suspend(struct wk_proc *p)
{
    struct wk_task *t = p->task;
    if (p->state != WK_PROC_RUNNING || !t)
        return;
    if (t->state == WK_TASK_READY)
        wk_runq_remove(t);
    t->suspended = true;
    if (t->state == WK_TASK_RUNNING)
        t->k->quantum = 0, t->k->budget = -1;
    mark_stopped(p);
}

void wk_proc_foreign_stopped(struct wk_proc *p, bool stopped)
{
    if (stopped && p->state == WK_PROC_RUNNING)
        mark_stopped(p);
    else if (!stopped && p->state == WK_PROC_STOPPED)
        p->state = WK_PROC_RUNNING;
}

static void resume(struct wk_proc *p)
{
    struct wk_task *t = p->task;
    if (p->state != WK_PROC_STOPPED || !t)
        return;
    p->state = WK_PROC_RUNNING;
    if (t->suspended) {
        t->suspended = false;
        if (t->state == WK_TASK_READY)
            wk_runq_push(t);
    }
}

static void post_foreign(struct wk_proc *p, int sig, bool group)
{
    if (p->state != WK_PROC_ZOMBIE && p->foreign_signal)
        p->foreign_signal(p, sig, group);
}

void wk_proc_post(struct wk_proc *p, int sig)
{
    if (p->state == WK_PROC_ZOMBIE || sig <= 0 || sig >= WK_NSIG)
        return;
    if (WK_UNLIKELY(p->foreign)) {
        post_foreign(p, sig, false);
        return;
    }
    bool certain = sig == WK_SIGKILL || sig == WK_SIGSTOP;
    if (sig == WK_SIGCONT || sig == WK_SIGKILL)
        resume(p);
    if (!certain && p->sig_ignored & WK_SIGBIT(sig))
        return;
    if (!certain && p->sig_caught & WK_SIGBIT(sig)) {
        p->sig_pending |= WK_SIGBIT(sig);
        notify(p);
        return;
    }
    switch (wk_sig_default_action(sig)) {
    case WK_SIG_IGNORE:
    case WK_SIG_CONT:
        return;
    case WK_SIG_STOP:
        suspend(p);
        return;
    case WK_SIG_TERM:
        break;
    }
    if (is_leaf(p)) {
        p->exit.signal = (uint8_t)sig;
        wk_task_stop(p->task, WK_STOP_KILL);
        return;
    }
    if (sig == WK_SIGQUIT && p->quit_ignored)
        return;
    p->sig_pending |= WK_SIGBIT(sig);
    notify(p);
}

ptrdiff_t wk_broken_pipe(struct wk_task *t)
{
    if (t)
        wk_proc_post(t->proc, WK_SIGPIPE);
    if (t && t->stop && t->leaf)
        (void)wk_park(t, NULL, WK_FOREVER, false);
    return -WK_EPIPE;
}

static bool may_signal(const struct wk_proc *from, const struct wk_proc *p)
{
    return !from || from->cred.uid == 0 || from->cred.uid == p->cred.uid;
}

/* kill(2) of pid 1 by anyone inside is refused: it stands for the session itself. */
static int kill_one(struct wk_proc *from, struct wk_proc *p, int sig, bool group)
{
    if (!may_signal(from, p) || (from && p == p->k->init))
        return -WK_EPERM;
    if (sig) {
        p->sig_late &= ~WK_SIGBIT(sig);
        if (WK_UNLIKELY(p->foreign))
            post_foreign(p, sig, group);
        else
            wk_proc_post(p, sig);
        if (from && from != p && from->task && from->task == p->task)
            p->sig_late |= WK_SIGBIT(sig);
    }
    return 0;
}

int wk_kill(struct wk_kern *k, struct wk_proc *from, int64_t pid, int sig)
{
    if (sig < 0 || sig >= WK_NSIG)
        return -WK_EINVAL;
    if (pid > 0) {
        struct wk_proc *p = pid <= UINT32_MAX ? wk_proc_find(k, (uint32_t)pid) : NULL;
        return p ? kill_one(from, p, sig, false) : -WK_ESRCH;
    }
    if (pid == 0 && !from)
        return -WK_EINVAL;
    uint32_t group = pid == 0                      ? from->pgid
                     : pid == -1                   ? 0
                     : pid >= -(int64_t)UINT32_MAX ? (uint32_t)-pid
                                                   : 0;
    bool any = false, done = false;
    uint32_t at = 0;
    for (struct wk_proc *p; (p = wk_proc_next(k, at));) {
        at = p->pid;
        if (pid == -1 ? p == k->init || p == from : p->pgid != group || p == k->init)
            continue;
        any = true;
        done = kill_one(from, p, sig, true) == 0 || done;
    }
    return done ? 0 : any ? -WK_EPERM : -WK_ESRCH;
}
