/* tree.c - all processes of a command, and of the sandbox
 *
 * Whatever a process does (setsid, fork twice), it stays below this program, which is process 1 or a subreaper.
 * Those of one command are found by descent from its leader and by the cookie in their environment, when the leader
 * has ended.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "adapters/guest/guest.h"

struct entry {
    pid_t pid, parent;
    bool taken;
};

struct table {
    struct entry *v;
    size_t n, cap;
};

static bool read_file(const char *dir, const char *name, char *buf, size_t cap, size_t *n)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/%.20s", dir, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t r = read(fd, buf, cap - 1);
    close(fd);
    *n = r < 0 ? 0 : (size_t)r;
    buf[*n] = 0;
    return r >= 0;
}

/* The parent of a process that is no zombie; -1. */
static pid_t parent_of(const char *pid)
{
    char buf[512];
    size_t n;
    if (!read_file(pid, "stat", buf, sizeof buf, &n))
        return -1;
    const char *p = strrchr(buf, ')'); /* the name may hold anything */
    if (!p || !p[1] || !p[2] || p[2] == 'Z' || p[2] == 'X')
        return -1;
    return (pid_t)strtol(p + 3, NULL, 10);
}

static bool list_all(struct table *t)
{
    DIR *d = opendir("/proc");
    struct dirent *e;
    t->n = 0;
    if (!d)
        return false;
    while ((e = readdir(d))) {
        if (e->d_name[0] < '1' || e->d_name[0] > '9')
            continue;
        pid_t parent = parent_of(e->d_name);
        if (parent < 0)
            continue;
        if (t->n == t->cap) {
            size_t cap = t->cap ? 2 * t->cap : 256;
            struct entry *v = realloc(t->v, cap * sizeof *v);
            if (!v)
                break;
            t->v = v;
            t->cap = cap;
        }
        t->v[t->n++] = (struct entry){(pid_t)strtol(e->d_name, NULL, 10), parent, false};
    }
    closedir(d);
    return true;
}

/* Takes the descendants of those that are taken, and of `top`. */
static void take_descendants(struct table *t, pid_t top)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < t->n; i++) {
            bool below = t->v[i].parent == top;
            for (size_t k = 0; !t->v[i].taken && !below && k < t->n; k++)
                below = t->v[k].taken && t->v[k].pid == t->v[i].parent;
            if (!t->v[i].taken && below && t->v[i].pid != getpid())
                more = t->v[i].taken = true;
        }
    }
}

static bool has_cookie(pid_t pid, const char *cookie)
{
    static char buf[1 << 17];
    char name[16];
    size_t n, k = strlen(cookie);
    snprintf(name, sizeof name, "%d", (int)pid);
    if (!read_file(name, "environ", buf, sizeof buf, &n))
        return false;
    for (const char *p = buf; p < buf + n; p += strlen(p) + 1)
        if (strncmp(p, cookie, k + 1) == 0)
            return true;
    return false;
}

static void take_command(struct table *t, const struct process *p)
{
    for (size_t i = 0; i < t->n; i++)
        t->v[i].taken = t->v[i].pid == p->pid ? !p->ended
                                              : t->v[i].pid != getpid() && has_cookie(t->v[i].pid, p->cookie);
    take_descendants(t, p->ended ? -1 : p->pid);
}

static unsigned signal_taken(const struct table *t, int sig)
{
    unsigned n = 0;
    for (size_t i = 0; i < t->n; i++)
        n += t->v[i].taken && kill(t->v[i].pid, sig) == 0;
    return n;
}

static unsigned count_taken(const struct table *t)
{
    unsigned n = 0;
    for (size_t i = 0; i < t->n; i++)
        n += t->v[i].taken;
    return n;
}

unsigned guest_tree_signal(struct guest *g, const struct process *p, int sig)
{
    struct table t = {0};
    unsigned n = 0, before = 0;
    (void)g;
    /* A tree that must end is halted first, until nothing new appears in it. */
    for (int round = 0; round < 20 && sig == SIGKILL && list_all(&t); round++) {
        take_command(&t, p);
        n = signal_taken(&t, SIGSTOP);
        if (n == before)
            break;
        before = n;
    }
    if (list_all(&t)) {
        take_command(&t, p);
        n = signal_taken(&t, sig);
    }
    free(t.v);
    return n;
}

unsigned guest_tree_count(struct guest *g, const struct process *p)
{
    struct table t = {0};
    unsigned n = 0;
    (void)g;
    if (list_all(&t)) {
        take_command(&t, p);
        n = count_taken(&t);
    }
    free(t.v);
    return n - (n && !p->ended);
}

unsigned guest_kill_all(struct guest *g)
{
    struct table t = {0};
    unsigned most = 0;
    int64_t end = guest_now() + 5000;
    for (int round = 0; guest_now() < end; round++) {
        unsigned n = 0;
        if (list_all(&t)) {
            for (size_t i = 0; i < t.n; i++)
                t.v[i].taken = false;
            if (g->is_init)
                for (size_t i = 0; i < t.n; i++)
                    t.v[i].taken = t.v[i].pid != getpid();
            else
                take_descendants(&t, getpid());
            n = count_taken(&t);
            most = n > most ? n : most;
            (void)signal_taken(&t, round % 4 < 2 ? SIGSTOP : SIGKILL);
        }
        guest_reap(g);
        if (!n)
            break;
        if (round % 4 == 3)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    free(t.v);
    return most;
}
