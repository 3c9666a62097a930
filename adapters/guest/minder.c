/* minder.c - the process between the guest helper and a command */
#define _GNU_SOURCE
#include "adapters/guest/minder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HELPER = 0, REPORT = 1, DESCRIPTORS = 2, CLOSED_MOST = 65536 };

struct minder {
    pid_t leader;
    bool ended;            /* the leader, and that was said */
    int64_t timeout, grace; /* monotonic ms of TERM, ms until KILL; -1: never */
    bool timed_out;
    struct tree tree;
};

static void say(const struct minder_says *s)
{
    while (send(HELPER, s, sizeof *s, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

/* Keeps two descriptors and closes all others: the command's streams end when its processes leave them. */
static void keep_descriptors(int helper, int report)
{
    int fd[2] = {fcntl(helper, F_DUPFD, DESCRIPTORS), fcntl(report, F_DUPFD, DESCRIPTORS)};
    if (fd[0] < 0 || fd[1] < 0 || dup2(fd[0], HELPER) < 0 || dup2(fd[1], REPORT) < 0)
        _exit(1);
    if (syscall(SYS_close_range, DESCRIPTORS, ~0u, 0) != 0)
        for (int i = DESCRIPTORS; i < CLOSED_MOST; i++)
            close(i);
}

/* ---- signals -------------------------------------------------------------------------------------- */

/* Ends the tree: what is below is halted until nothing new appears, then killed, until nothing is left. */
static unsigned end_all(struct minder *m)
{
    unsigned most = guest_tree_end(&m->tree, getpid(), 1000);
    return most;
}

static unsigned send_to(struct minder *m, const struct minder_asked *a, int *err)
{
    unsigned n = 0;
    *err = ESRCH;
    if (a->scope == GUEST_TREE && a->sig == SIGKILL)
        return end_all(m);
    if (a->scope == GUEST_LEADER || (a->scope == GUEST_GROUP && !m->ended)) {
        n = !m->ended && kill(a->scope == GUEST_GROUP ? -m->leader : m->leader, a->sig) == 0;
        *err = m->ended ? ESRCH : errno;
        return n;
    }
    if (!guest_tree_look(&m->tree, getpid()))
        return 0;
    for (size_t i = 0; i < m->tree.n; i++) {
        const struct tree_entry *e = &m->tree.v[i];
        if (!e->dead && (a->scope == GUEST_TREE || e->group == m->leader))
            n += kill(e->pid, a->sig) == 0;
    }
    return n;
}

static void obey(struct minder *m)
{
    struct minder_asked a;
    ssize_t n = recv(HELPER, &a, sizeof a, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n != (ssize_t)sizeof a) { /* the helper has gone */
        while (end_all(m) > 0)
            ;
        _exit(0);
    }
    struct minder_says s = {.word = MINDER_SIGNALLED, .id = a.id};
    s.count = send_to(m, &a, &s.err);
    say(&s);
}

/* ---- ends ----------------------------------------------------------------------------------------- */

/* Waits for all that have ended; ends itself with the last. */
static void reap(struct minder *m)
{
    struct minder_says s = {.word = MINDER_EXITED};
    struct rusage use;
    bool leader = false;
    int status;
    pid_t pid;
    while ((pid = wait4(-1, &status, WNOHANG, &use)) > 0)
        if (pid == m->leader && !m->ended) {
            leader = m->ended = true;
            s.status = status;
            s.use = use;
        }
    bool last = pid < 0 && errno == ECHILD;
    if (leader) {
        s.timed_out = m->timed_out;
        s.survivors = last ? 0 : guest_tree_count(&m->tree, getpid());
        say(&s);
    }
    if (last && m->ended)
        _exit(0);
}

/* Milliseconds until the time is over; -1: it is not limited. */
static int look_at_time(struct minder *m)
{
    int64_t now = guest_now();
    if (m->timeout < 0)
        return -1;
    if (now >= m->timeout) {
        struct minder_asked a = {.scope = GUEST_TREE, .sig = m->grace < 0 ? SIGKILL : SIGTERM};
        int err;
        (void)send_to(m, &a, &err);
        m->timed_out = true;
        m->timeout = m->grace < 0 ? -1 : now + m->grace;
        m->grace = -1;
        return look_at_time(m);
    }
    int64_t left = m->timeout - now;
    return left > 1000000 ? 1000000 : (int)left;
}

/* Whether the leader has begun; else the helper knows why, and there is nothing to mind. */
static void begin(const struct minder *m)
{
    struct minder_says s = {.word = MINDER_STARTED, .pid = m->leader};
    ssize_t n = read(REPORT, &s.failure, sizeof s.failure);
    close(REPORT);
    if (m->leader < 0 || n > 0) {
        s.word = MINDER_FAILED;
        if (m->leader > 0)
            (void)waitpid(m->leader, NULL, 0);
        say(&s);
        _exit(0);
    }
    say(&s);
}

void guest_mind(int helper, int report, pid_t leader, int64_t timeout_ms, int64_t grace_ms)
{
    struct minder m = {.leader = leader, .timeout = -1, .grace = grace_ms > 0 ? grace_ms : 0};
    sigset_t child;
    keep_descriptors(helper, report);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    begin(&m);
    if (timeout_ms > 0 && timeout_ms < INT64_MAX / 2)
        m.timeout = guest_now() + timeout_ms;
    for (;;) {
        struct pollfd fds[] = {{.fd = HELPER, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
        struct signalfd_siginfo info[8];
        reap(&m);
        (void)poll(fds, 2, look_at_time(&m));
        if (fds[1].revents)
            (void)!read(signals, info, sizeof info);
        if (fds[0].revents)
            obey(&m);
    }
}
