/* hostreq.c - requests to the host, and parking for host descriptors */
#define _GNU_SOURCE
#include "kern/sched.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* ---- requests
 * -------------------------------------------------------------------------------------- */

static void queue(struct wk_kern *k, struct wk_hostreq *r)
{
    r->next = NULL;
    if (k->req_last)
        k->req_last->next = r;
    else
        k->req_first = r;
    k->req_last = r;
}

static bool unqueue(struct wk_kern *k, struct wk_hostreq *r)
{
    struct wk_hostreq *before = NULL;
    for (struct wk_hostreq *q = k->req_first; q; before = q, q = q->next) {
        if (q != r)
            continue;
        if (before)
            before->next = q->next;
        else
            k->req_first = q->next;
        if (k->req_last == q)
            k->req_last = before;
        return true;
    }
    for (struct wk_hostreq **at = &k->again; *at; at = &(*at)->next) {
        if (*at != r)
            continue;
        *at = r->next;
        return true;
    }
    return false;
}

void wk_hostreq_post(struct wk_kern *k, struct wk_hostreq *r)
{
    r->task = NULL;
    queue(k, r);
}

void wk_hostreq_give_up(struct wk_hostreq *r)
{
    struct wk_kern *k = r->task->k;
    if (!unqueue(k, r) && !r->done) {
        r->abandoned = true;
        k->req_pending--;
    }
    r->task = NULL;
}

static void give_up(void *arg)
{
    wk_hostreq_give_up(arg);
}

void wk_hostreq_begin(struct wk_task *t, struct wk_hostreq *r)
{
    r->task = t;
    r->done = r->abandoned = r->again = false;
    queue(t->k, r);
}

int wk_hostreq_call(struct wk_task *t, struct wk_hostreq *r, bool interruptible)
{
    struct wk_unwind u;
    wk_hostreq_begin(t, r);
    wk_unwind_push(t, &u, give_up, r);
    int e = 0;
    while (!r->done && (e = wk_park(t, NULL, WK_FOREVER, interruptible)) == 0)
        continue;
    wk_unwind_pop(t, &u);
    if (r->done)
        return e == -WK_ESTOP ? e : r->result;
    wk_hostreq_give_up(r);
    return e;
}

void wk_hostreq_complete(struct wk_hostreq *r, int result)
{
    if (r->done || r->abandoned)
        return;
    r->result = result;
    r->done = true;
    if (r->task) {
        r->task->k->req_pending--;
        wk_task_wake(r->task, 0);
    }
}

/* Perform what is queued. From the scheduler's loop only. */
void wk_hostreqs_perform(struct wk_kern *k)
{
    if (atomic_exchange_explicit(&k->woken, false, memory_order_acquire)) {
        while (k->again) {
            struct wk_hostreq *r = k->again;
            k->again = r->next;
            queue(k, r);
        }
    }
    while (k->req_first) {
        struct wk_hostreq *r = k->req_first;
        k->req_first = r->next;
        if (!k->req_first)
            k->req_last = NULL;
        struct wk_task *t = r->task;
        r->again = false;
        k->req_pending += t != NULL;
        r->perform(r);
        if (!t)
            continue; /* posted: it may be gone now */
        if (r->done && r->task) {
            k->req_pending--;
            wk_task_wake(t, 0);
        } else if (r->again && r->task) {
            k->req_pending--;
            r->next = k->again;
            k->again = r;
        }
    }
}

/* ---- descriptors
 * -------------------------------------------------------------------------------------- */

void wk_fd_wait_begin(struct wk_fd_wait *w)
{
    struct wk_kern *k = w->task->k;
    w->prev = NULL;
    w->next = k->fd_waits;
    if (w->next)
        w->next->prev = w;
    k->fd_waits = w;
}

void wk_fd_wait_end(struct wk_fd_wait *w)
{
    if (w->prev)
        w->prev->next = w->next;
    else
        w->task->k->fd_waits = w->next;
    if (w->next)
        w->next->prev = w->prev;
}

static void end_wait(void *arg)
{
    wk_fd_wait_end(arg);
}

int wk_host_fd_wait(struct wk_task *t, int fd, short events, int64_t until_ns)
{
    struct wk_fd_wait w = {.task = t, .fd = fd, .events = events, .until_host_ns = WK_FOREVER};
    struct wk_unwind u;
    wk_fd_wait_begin(&w);
    wk_unwind_push(t, &u, end_wait, &w);
    int r = wk_park(t, NULL, until_ns, true);
    wk_unwind_pop(t, &u);
    wk_fd_wait_end(&w);
    return r;
}

int64_t wk_fd_waits_due(struct wk_kern *k)
{
    int64_t now = INT64_MIN, next = WK_FOREVER;
    for (struct wk_fd_wait *w = k->fd_waits, *after; w; w = after) {
        after = w->next;
        if (w->until_host_ns == WK_FOREVER)
            continue;
        if (now == INT64_MIN)
            now = wk_clock_host(&k->clock);
        if (w->until_host_ns <= now)
            wk_task_wake(w->task, -WK_ETIMEDOUT);
        else if (w->until_host_ns < next)
            next = w->until_host_ns;
    }
    return next;
}

enum { POLL_MAX = 256, SINKS_MAX = 8 };

static WK_NOINLINE int poll_now(struct pollfd *p, size_t n, int timeout_ms)
{
    int r;
    do
        r = poll(p, (nfds_t)n, timeout_ms);
    while (r < 0 && errno == EINTR && timeout_ms == 0);
    return r;
}

static WK_NOINLINE void drain_wake(int fd)
{
    uint64_t n;
    ssize_t got = read(fd, &n, sizeof n);
    (void)got;
}

/* Polls as many waits as one call takes, from *at on, and goes on behind them; without waiting when there are more.
 * Whether something was there. Waits for a time alone have no descriptor. */
static bool poll_some(struct wk_kern *k, struct wk_fd_wait **at, int timeout_ms)
{
    struct pollfd p[POLL_MAX];
    struct wk_wait_fd sinks[SINKS_MAX];
    size_t n = 0;
    struct wk_fd_wait *w = *at, *end = w;
    p[n++] = (struct pollfd){atomic_load(&k->wake_fd), POLLIN, 0};
    for (; end && (end->fd < 0 || n < POLL_MAX - SINKS_MAX); end = end->next)
        if (end->fd >= 0)
            p[n++] = (struct pollfd){end->fd, end->events, 0};
    size_t ns = wk_sinks_wait_fds(k, sinks, SINKS_MAX);
    for (size_t i = 0; i < ns; i++)
        p[n++] = (struct pollfd){sinks[i].fd, sinks[i].events, 0};
    *at = end;
    if (poll_now(p, n, end ? 0 : timeout_ms) <= 0)
        return false;
    if (p[0].revents)
        drain_wake(p[0].fd);
    for (size_t i = 1; w != end; w = w->next)
        if (w->fd >= 0 && p[i++].revents)
            wk_task_wake(w->task, 0);
    return true;
}

void wk_fd_waits_poll(struct wk_kern *k, int timeout_ms)
{
    struct wk_fd_wait *at = k->fd_waits;
    bool found = poll_some(k, &at, timeout_ms);
    int short_ms = timeout_ms >= 0 ? WK_MIN(timeout_ms, WK_FD_WAITS_TURN_MS) : WK_FD_WAITS_TURN_MS;
    while (at)
        found = poll_some(k, &at, found ? 0 : short_ms) || found;
}

static WK_NOINLINE int make_eventfd(void)
{
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

int wk_kern_wake_fd(struct wk_kern *k)
{
    int fd = atomic_load(&k->wake_fd);
    if (fd >= 0)
        return fd;
    fd = make_eventfd();
    if (fd >= 0)
        atomic_store(&k->wake_fd, fd);
    return fd;
}

void wk_kern_wake(struct wk_kern *k)
{
    atomic_store(&k->woken, true);
    int fd = atomic_load(&k->wake_fd);
    if (fd >= 0) {
        uint64_t one = 1;
        int saved = errno; /* also called by signal handlers */
        ssize_t n = write(fd, &one, sizeof one);
        (void)n;
        errno = saved;
    }
}
