/* process.c - a running process's streams and its end */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "adapters/guest/minder.h"

enum {
    INPUT_MAX = 2 * GUEST_INPUT, /* of standard input that waits here */
    MINDER_END_MS = 1000,
    DRAIN_MS = 100       /* how long output is waited for when its process has ended */
};

struct process *guest_process(struct guest *g, uint32_t id)
{
    for (struct process *p = g->processes; p; p = p->next)
        if (p->id == id && !p->forgotten)
            return p;
    return NULL;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void answer_asked(struct guest *g, struct process *p, uint32_t id, unsigned count, int err);

/* Frees all of it but the record and its minder. */
static void let_go(struct guest *g, struct process *p)
{
    close_fd(&p->in);
    close_fd(&p->unread);
    for (int k = 0; k < 2; k++) {
        close_fd(&p->out[k]);
        guest_log_close(&p->log[k]);
    }
    while (p->waiters) {
        struct waiter *w = p->waiters;
        p->waiters = w->next;
        free(w);
    }
    while (p->asked)
        answer_asked(g, p, p->asked->id, 0, ESRCH);
    free(p->input.p);
    p->input = (struct queue){0};
}

void guest_process_free(struct guest *g, struct process *p)
{
    struct process **at = &g->processes;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    g->n_processes--;
    g->n_running -= !p->ended;
    let_go(g, p);
    close_fd(&p->minder);
    free(p);
}

void guest_process_refuse(struct guest *g, struct process *p, int err, enum guest_stage stage)
{
    if (guest_frame(g, GUEST_FAILED, p->id, 8)) {
        guest_add_u32(g, (uint32_t)err);
        guest_add_u32(g, stage);
    }
    guest_process_free(g, p);
}

/* ---- output ------------------------------------------------------------------------------------- */

static bool wants(const struct guest *g, const struct process *p, int k)
{
    return p->out[k] >= 0 && p->started &&
           (p->flags & GUEST_LOGGED || p->dropped[k] || (p->credit[k] && guest_may_send(g)));
}

size_t guest_process_poll(struct guest *g, struct process *p, struct pollfd *fds)
{
    size_t n = 0;
    for (int k = 0; k < 2; k++)
        if (wants(g, p, k))
            fds[n++] = (struct pollfd){.fd = p->out[k], .events = POLLIN};
    if (p->in >= 0) /* also to learn that nobody reads it */
        fds[n++] = (struct pollfd){.fd = p->in, .events = p->input.n > p->input.at ? POLLOUT : 0};
    if (p->minder >= 0)
        fds[n++] = (struct pollfd){.fd = p->minder, .events = POLLIN};
    return n;
}

/* Answers a wait for bytes of a log that can be answered, or all of them. */
static void answer_waiters(struct guest *g, struct process *p, bool all)
{
    static unsigned char bytes[GUEST_CHUNK];
    struct waiter **at = &p->waiters;
    while (*at) {
        struct waiter *w = *at;
        const struct log *l = &p->log[w->stream - 1];
        bool over = p->ended && p->out[w->stream - 1] < 0;
        if (!all && !over && l->total <= w->offset) {
            at = &w->next;
            continue;
        }
        uint64_t offset = w->offset, lost;
        size_t n = guest_log_get(l, &offset, &lost, bytes, w->most < sizeof bytes ? w->most : sizeof bytes);
        if (guest_frame(g, GUEST_LOG, w->id, 20 + n)) {
            guest_add_u64(g, offset);
            guest_add_u64(g, lost);
            guest_add_u32(g, p->ended);
            guest_add(g, bytes, n);
        }
        *at = w->next;
        free(w);
    }
}

/* Passes on what stream k has; false when it has nothing more at present. */
static bool pass_output(struct guest *g, struct process *p, int k)
{
    static unsigned char bytes[GUEST_CHUNK];
    size_t most = sizeof bytes;
    if (!wants(g, p, k))
        return false;
    bool sent = !(p->flags & GUEST_LOGGED) && !p->dropped[k];
    if (sent && p->credit[k] < most)
        most = p->credit[k];
    ssize_t n = read(p->out[k], bytes, most);
    if (n <= 0) {
        if (n == 0 || (errno != EAGAIN && errno != EINTR)) /* EIO: a terminal that was left */
            close_fd(&p->out[k]);
        return false;
    }
    p->owed[k] -= (uint32_t)n < p->owed[k] ? (uint32_t)n : p->owed[k];
    if (p->flags & GUEST_LOGGED) {
        guest_log_put(&p->log[k], bytes, (size_t)n);
    } else if (sent && guest_frame(g, GUEST_OUTPUT, p->id, 4 + (size_t)n)) {
        guest_add_u32(g, (uint32_t)k + 1);
        guest_add(g, bytes, (size_t)n);
        p->credit[k] -= (uint32_t)n;
    }
    return true;
}

/* The other end of a pipe, to know later what was left in it; -1. */
static int reader_of(int fd)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/* Closes its standard input; what stands there was not read. */
static void close_input(struct process *p)
{
    int left = 0;
    if (p->in >= 0 && !(p->flags & GUEST_WITH_TTY) && ioctl(p->in, FIONREAD, &left) == 0 && left > 0)
        p->input_total -= (uint64_t)left < p->input_total ? (uint64_t)left : p->input_total;
    close_fd(&p->in);
}

static void pass_input(struct guest *g, struct process *p)
{
    struct queue *q = &p->input;
    if (!p->started)
        return;
    while (p->in >= 0 && q->n > q->at) {
        ssize_t n = write(p->in, q->p + q->at, q->n - q->at);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (n < 0) {
            close_input(p);
            n = (ssize_t)(q->n - q->at);
        }
        q->at += (size_t)n;
        p->input_total += p->in < 0 ? 0 : (uint64_t)n;
        if (guest_frame(g, GUEST_INPUT_ROOM, p->id, 4))
            guest_add_u32(g, p->in < 0 ? UINT32_MAX : (uint32_t)n);
    }
    if (q->at == q->n)
        q->at = q->n = 0;
    if (p->in >= 0 && p->input_ends && !q->n) {
        if (p->flags & GUEST_WITH_TTY)
            (void)!write(p->in, "\004", 1);
        else
            p->unread = reader_of(p->in);
        close_fd(&p->in);
    }
}

/* Nobody reads a pipe any more: said once, so that what feeds it can end. */
static void notice_unread(struct guest *g, struct process *p)
{
    struct pollfd fd = {.fd = p->in};
    if (p->in < 0 || !p->started || p->flags & GUEST_WITH_TTY || poll(&fd, 1, 0) <= 0 || !(fd.revents & POLLERR))
        return;
    close_input(p);
    p->input.at = p->input.n = 0;
    if (guest_frame(g, GUEST_INPUT_ROOM, p->id, 4))
        guest_add_u32(g, UINT32_MAX);
}

void guest_process_pump(struct guest *g, struct process *p)
{
    if (p->forgotten || !p->started)
        return;
    for (int k = 0; k < 2; k++)
        while (pass_output(g, p, k))
            ;
    pass_input(g, p);
    notice_unread(g, p);
    /* What was written before the end is passed on however long the host takes; what others write there later only
     * for a while. */
    if (p->ended && !p->closed) {
        bool late = guest_now() >= p->deadline;
        for (int k = 0; k < 2; k++)
            if (late && !p->owed[k])
                close_fd(&p->out[k]);
        if (p->out[0] < 0 && p->out[1] < 0) {
            p->closed = true;
            close_fd(&p->in);
            (void)guest_frame(g, GUEST_CLOSED, p->id, 0);
        }
    }
    answer_waiters(g, p, false);
    if (p->closed && p->minder < 0 && !(p->flags & GUEST_LOGGED))
        guest_process_free(g, p);
}

/* ---- the end ------------------------------------------------------------------------------------ */

static uint64_t micros(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

/* Bytes of its standard input that were read. */
static uint64_t input_taken(const struct process *p)
{
    int left = 0, fd = p->in >= 0 ? p->in : p->unread;
    if (fd >= 0 && !(p->flags & GUEST_WITH_TTY) && ioctl(fd, FIONREAD, &left) == 0 && left > 0)
        return (uint64_t)left < p->input_total ? p->input_total - (uint64_t)left : 0;
    return p->input_total;
}

static void tell_exit(struct guest *g, struct process *p, int status, const struct rusage *use, unsigned survivors,
                      bool timed_out)
{
    p->ended = true;
    g->n_running--;
    p->deadline = guest_now() + DRAIN_MS;
    for (int k = 0; k < 2; k++) {
        int n = 0;
        if (p->out[k] >= 0 && ioctl(p->out[k], FIONREAD, &n) == 0 && n > 0)
            p->owed[k] = (uint32_t)n;
    }
    bool killed = WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 128 + SIGKILL;
    if (!guest_frame(g, GUEST_EXIT, p->id, 48))
        return;
    guest_add_u32(g, WIFEXITED(status) ? (uint32_t)WEXITSTATUS(status) : 0);
    guest_add_u32(g, WIFSIGNALED(status) ? (uint32_t)WTERMSIG(status) : 0);
    guest_add_u64(g, micros(use->ru_utime));
    guest_add_u64(g, micros(use->ru_stime));
    guest_add_u64(g, (uint64_t)use->ru_maxrss);
    guest_add_u32(g, survivors);
    guest_add_u32(g, (killed && guest_oom_kills(g) > p->oom_kills ? GUEST_NO_MEMORY : 0u) |
                         (timed_out ? GUEST_TIMED_OUT : 0u));
    guest_add_u64(g, input_taken(p));
    close_fd(&p->unread);
}

static void answer_asked(struct guest *g, struct process *p, uint32_t id, unsigned count, int err)
{
    struct asked **at = &p->asked, *a;
    while (*at && (*at)->id != id)
        at = &(*at)->next;
    if (!(a = *at))
        return;
    *at = a->next;
    free(a);
    if (!count)
        guest_error(g, id, err ? err : ESRCH, "signal");
    else if (guest_frame(g, GUEST_OK, id, 4))
        guest_add_u32(g, count);
}

/* Without a minder only the leader can be told apart, and its group. */
static unsigned signal_alone(const struct process *p, uint32_t scope, int sig)
{
    return p->started && !p->ended && kill(scope == GUEST_LEADER ? p->pid : -p->pid, sig) == 0;
}

static void begin(struct guest *g, struct process *p)
{
    p->started = true;
    if (guest_frame(g, GUEST_STARTED, p->id, 4))
        guest_add_u32(g, (uint32_t)p->pid);
}

/* Its minder was killed: the leader, if it lives, is now a child of this program. */
static void lose_minder(struct guest *g, struct process *p)
{
    siginfo_t info;
    close_fd(&p->minder);
    /* It closes its connection before its children become this program's. */
    for (int i = 0; i < MINDER_END_MS && p->minder_pid && waitpid(p->minder_pid, NULL, WNOHANG) == 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = i ? 1000000 : 50000}, NULL);
    p->minder_pid = 0;
    while (p->asked)
        answer_asked(g, p, p->asked->id, signal_alone(p, p->asked->scope, p->asked->sig), ESRCH);
    if (!p->started && p->pid) /* before it could say so */
        begin(g, p);
    if (!p->started)
        guest_process_refuse(g, p, EAGAIN, GUEST_AT_FORK);
    else if (!p->ended && waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        tell_exit(g, p, SIGKILL, &(struct rusage){0}, 0, false);
    else if (p->forgotten)
        guest_process_free(g, p);
}

void guest_process_hear(struct guest *g, struct process *p)
{
    struct minder_says s;
    while (p->minder >= 0) {
        ssize_t n = recv(p->minder, &s, sizeof s, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (n != (ssize_t)sizeof s) {
            lose_minder(g, p);
            return;
        }
        if (s.word == MINDER_FAILED) {
            guest_process_refuse(g, p, s.failure.err, s.failure.stage);
            return;
        }
        if (s.word == MINDER_FORKED) {
            p->pid = s.pid;
        } else if (s.word == MINDER_STARTED && !p->started) {
            p->pid = s.pid;
            begin(g, p);
        } else if (s.word == MINDER_EXITED && p->started && !p->ended) {
            tell_exit(g, p, s.status, &s.use, s.survivors, s.timed_out);
        } else if (s.word == MINDER_SIGNALLED) {
            answer_asked(g, p, s.id, s.count, s.err);
        }
    }
}

void guest_reap(struct guest *g)
{
    struct rusage use;
    int status;
    pid_t pid;
    while ((pid = wait4(-1, &status, WNOHANG, &use)) > 0)
        for (struct process *p = g->processes; p; p = p->next)
            if (p->minder_pid == pid) {
                p->minder_pid = 0;
            } else if (p->pid == pid && !p->ended) { /* its minder was killed before */
                if (!p->started)
                    begin(g, p);
                tell_exit(g, p, status, &use, 0, false);
            }
}

/* ---- requests ------------------------------------------------------------------------------------ */

static void take_input(struct guest *g, struct process *p, struct guest_reader *r)
{
    struct queue *q = &p->input;
    size_t n = r->n;
    if (p->in < 0 || p->input_ends) {
        if (guest_frame(g, GUEST_INPUT_ROOM, p->id, 4))
            guest_add_u32(g, UINT32_MAX);
        return;
    }
    /* More than was welcome: the stream cannot go on whole. */
    if (q->n - q->at + n > INPUT_MAX || !guest_queue_put(q, guest_take(r, n), n))
        p->input_ends = true;
}

/* By the minder; without one only a leader can be left. */
static void send_signal(struct guest *g, uint32_t id, struct process *p, struct guest_reader *r)
{
    int sig = (int)guest_u32(r);
    uint32_t scope = guest_u32(r);
    struct asked *a = NULL;
    if (r->bad || sig < 0 || sig >= NSIG || scope > GUEST_TREE) {
        guest_error(g, id, EINVAL, "signal");
        return;
    }
    struct minder_asked q = {.id = id, .sig = sig, .scope = scope};
    a = p->minder < 0 ? NULL : calloc(1, sizeof *a);
    if (a && send(p->minder, &q, sizeof q, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof q) {
        *a = (struct asked){p->asked, id, scope, sig};
        p->asked = a;
        if (p->minder_pid) /* it may have been halted with the others */
            (void)kill(p->minder_pid, SIGCONT);
        return;
    }
    free(a);
    unsigned n = signal_alone(p, scope, sig);
    if (!n)
        guest_error(g, id, ESRCH, "signal");
    else if (guest_frame(g, GUEST_OK, id, 4))
        guest_add_u32(g, n);
}

static void read_log(struct guest *g, uint32_t id, struct process *p, struct guest_reader *r)
{
    uint32_t stream = guest_u32(r);
    uint64_t offset = guest_u64(r);
    uint32_t most = guest_u32(r), wait = guest_u32(r);
    struct waiter *w = NULL;
    if (!r->bad && p->flags & GUEST_LOGGED && (stream == 1 || stream == 2))
        w = calloc(1, sizeof *w);
    if (!w) {
        guest_error(g, id, EINVAL, "log");
        return;
    }
    *w = (struct waiter){p->waiters, id, stream, most, offset};
    p->waiters = w;
    if (!wait)
        answer_waiters(g, p, true);
}

static void resize(struct process *p, struct guest_reader *r)
{
    struct winsize size = {.ws_row = (unsigned short)guest_u32(r), .ws_col = (unsigned short)guest_u32(r)};
    if (!r->bad && p->flags & GUEST_WITH_TTY && p->out[0] >= 0)
        (void)ioctl(p->out[0], TIOCSWINSZ, &size);
}

static void add_credit(struct process *p, struct guest_reader *r)
{
    uint32_t stream = guest_u32(r), n = guest_u32(r);
    if (r->bad || (stream != 1 && stream != 2))
        return;
    int k = (int)stream - 1;
    if (n != UINT32_MAX) {
        p->credit[k] = n > UINT32_MAX - p->credit[k] ? UINT32_MAX : p->credit[k] + n;
        return;
    }
    /* Whoever writes there finds a broken pipe; a terminal is read on, or it would hang up. */
    p->dropped[k] = true;
    p->owed[k] = 0;
    if (!(p->flags & GUEST_WITH_TTY))
        close_fd(&p->out[k]);
}

static void forget(struct guest *g, uint32_t id, struct process *p)
{
    if (!p->ended) {
        guest_error(g, id, EBUSY, "running");
        return;
    }
    p->forgotten = true;
    let_go(g, p);
    if (p->minder < 0)
        guest_process_free(g, p);
    guest_ok(g, id);
}

/* A request about a process, which has an id of its own. */
static void ask(struct guest *g, uint32_t type, uint32_t id, struct guest_reader *r)
{
    struct process *p = guest_process(g, guest_u32(r));
    if (r->bad || !p)
        guest_error(g, id, r->bad ? EINVAL : ESRCH, "process");
    else if (type == GUEST_SIGNAL)
        send_signal(g, id, p, r);
    else if (type == GUEST_READ_LOG)
        read_log(g, id, p, r);
    else
        forget(g, id, p);
}

void guest_process_request(struct guest *g, uint32_t type, uint32_t id, struct guest_reader *r)
{
    if (type == GUEST_SIGNAL || type == GUEST_READ_LOG || type == GUEST_FORGET) {
        ask(g, type, id, r);
        return;
    }
    struct process *p = guest_process(g, id);
    if (!p)
        return; /* it has ended meanwhile */
    switch (type) {
    case GUEST_STDIN: take_input(g, p, r); break;
    case GUEST_STDIN_END: p->input_ends = true; break;
    case GUEST_CREDIT: add_credit(p, r); break;
    case GUEST_RESIZE: resize(p, r); break;
    case GUEST_STOP_WAITING: answer_waiters(g, p, true); break;
    }
}
