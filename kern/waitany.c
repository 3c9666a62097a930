/* waitany.c - waiting for several things at once: host descriptors, files of the session, times */
#include "kern/file.h"
#include "kern/sched.h"

/* All that a parked call stands in; taken back when it goes on, and when its task is dropped. */
struct standing {
    struct wk_fd_wait fds[WK_WAIT_ANY_FDS + WK_WAIT_ANY_FILES + 1];
    size_t n_fds;
    struct wk_waiter also[WK_WAIT_ANY_FILES];
    size_t n_also;
    struct wk_hostreq asked[WK_WAIT_ANY_FILES];
    size_t n_asked;
    struct wk_task *task;
};

static void take_back(void *arg)
{
    struct standing *s = arg;
    for (size_t i = 0; i < s->n_fds; i++)
        wk_fd_wait_end(&s->fds[i]);
    for (size_t i = 0; i < s->n_asked; i++)
        wk_hostreq_give_up(&s->asked[i]);
    wk_waitq_leave(s->task);
    s->task->waiter.also = NULL;
}

static void add_fd(struct standing *s, int fd, short events, int64_t until_host_ns)
{
    struct wk_fd_wait *w = &s->fds[s->n_fds++];
    *w = (struct wk_fd_wait){.task = s->task, .fd = fd, .events = events, .until_host_ns = until_host_ns};
    wk_fd_wait_begin(w);
}

/* False: it is there already. */
static bool add_file(struct standing *s, struct wk_file *f, short events)
{
    struct wk_hostreq *ask = &s->asked[s->n_asked];
    if (wk_file_is_ready(f, events))
        return false;
    if (f->ops->ask && f->ops->ask(f, ask)) {
        s->n_asked++;
        wk_hostreq_begin(s->task, ask);
        return true;
    }
    int fd = f->ops->host_fd ? f->ops->host_fd(f) : -1;
    if (fd >= 0) {
        add_fd(s, fd, events, WK_FOREVER);
        return true;
    }
    struct wk_waiter *w = &s->also[s->n_also++];
    *w = (struct wk_waiter){.also = s->task->waiter.also};
    s->task->waiter.also = w;
    wk_waitq_join(f->ops->waitq(f, events), w, s->task);
    return true;
}

int wk_wait_any(struct wk_task *t, const struct wk_wait_any *w)
{
    struct standing s = {.task = t};
    struct wk_unwind u;
    int r = 0;
    bool waits = true;
    WK_ASSERT(w->n_fds <= WK_WAIT_ANY_FDS && w->n_files <= WK_WAIT_ANY_FILES);
    for (size_t i = 0; i < w->n_files && waits; i++)
        waits = add_file(&s, w->files[i].file, w->files[i].events);
    if (waits) {
        for (size_t i = 0; i < w->n_fds; i++)
            add_fd(&s, w->fds[i].fd, w->fds[i].events, WK_FOREVER);
        if (w->until_host_ns != WK_FOREVER)
            add_fd(&s, -1, 0, w->until_host_ns);
        wk_unwind_push(t, &u, take_back, &s);
        r = wk_park(t, NULL, w->until_ns, true);
        wk_unwind_pop(t, &u);
    }
    take_back(&s);
    return r;
}
