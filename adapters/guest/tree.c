/* tree.c - all processes below one
 *
 * From the kernel's lists of children, where it has them; else from all of /proc. A process that ends while it is
 * looked for may hide one beside it: who wants all of them looks again until nothing new appears.
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

enum { LOOKS_MOST = 50, BUCKETS = 1024 };

static ssize_t read_text(const char *path, char *buf, size_t cap)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, buf, cap - 1);
    if (fd >= 0)
        close(fd);
    buf[n > 0 ? n : 0] = 0;
    return n;
}

/* The rest of an entry, of which the pid is known; false when there is no such process. */
static bool read_stat(struct tree_entry *e)
{
    char path[40], buf[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)e->pid);
    if (read_text(path, buf, sizeof buf) <= 0)
        return false;
    const char *p = strrchr(buf, ')'); /* the name may hold anything */
    if (!p || !p[1] || !p[2])
        return false;
    char state = p[2], *at = buf + (p + 3 - buf);
    e->parent = (pid_t)strtol(at, &at, 10);
    e->group = (pid_t)strtol(at, &at, 10);
    for (int field = 6; field < 20; field++)
        (void)strtol(at, &at, 10);
    long threads = strtol(at, &at, 10);
    /* The first thread of a process may have ended before the others. */
    e->dead = state == 'X' || (state == 'Z' && threads <= 1);
    return true;
}

static bool add(struct tree *t, pid_t pid)
{
    if (t->n == t->cap) {
        size_t cap = t->cap ? 2 * t->cap : 64;
        struct tree_entry *v = realloc(t->v, cap * sizeof *v);
        if (!v)
            return false;
        t->v = v;
        t->cap = cap;
    }
    t->v[t->n++] = (struct tree_entry){.pid = pid};
    return true;
}

/* ---- by the kernel's lists ------------------------------------------------------------------------- */

/* Adds the children of one thread; false when the kernel does not tell. */
static bool add_children_of_thread(struct tree *t, const char *path)
{
    char buf[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    long pid = 0;
    ssize_t n;
    if (fd < 0)
        return errno != ENOENT && errno != ENOTDIR;
    while ((n = read(fd, buf, sizeof buf)) > 0)
        for (ssize_t i = 0; i < n; i++)
            if (buf[i] >= '0' && buf[i] <= '9') {
                pid = 10 * pid + (buf[i] - '0');
            } else if (pid) {
                (void)add(t, (pid_t)pid);
                pid = 0;
            }
    close(fd);
    return true;
}

static void add_children(struct tree *t, pid_t pid)
{
    char path[80];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *d = opendir(path);
    struct dirent *e;
    while (d && (e = readdir(d)))
        if (e->d_name[0] != '.') {
            snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", (int)pid, e->d_name);
            (void)add_children_of_thread(t, path);
        }
    if (d)
        closedir(d);
}

static bool kernel_lists_children(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    return access(path, R_OK) == 0;
}

/* ---- by all of /proc -------------------------------------------------------------------------------- */

static bool list_all(struct tree *all)
{
    DIR *d = opendir("/proc");
    struct dirent *e;
    if (!d)
        return false;
    while ((e = readdir(d)))
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && add(all, (pid_t)strtol(e->d_name, NULL, 10)) &&
            !read_stat(&all->v[all->n - 1]))
            all->n--;
    closedir(d);
    return true;
}

static bool look_at_all(struct tree *t, pid_t top)
{
    struct tree all = {0};
    int bucket[BUCKETS];
    bool ok = list_all(&all);
    int *next = ok ? malloc((all.n + 1) * sizeof *next) : NULL;
    for (int i = 0; i < BUCKETS; i++)
        bucket[i] = -1;
    for (size_t i = 0; next && i < all.n; i++) {
        int *b = &bucket[(unsigned)all.v[i].parent % BUCKETS];
        next[i] = *b;
        *b = (int)i;
    }
    for (size_t done = 0; next && done <= t->n; done++) {
        pid_t parent = done ? t->v[done - 1].pid : top;
        for (int i = bucket[(unsigned)parent % BUCKETS]; i >= 0; i = next[i])
            if (all.v[i].parent == parent && add(t, all.v[i].pid))
                t->v[t->n - 1] = all.v[i];
    }
    free(next);
    free(all.v);
    return ok;
}

/* ---- what is there ---------------------------------------------------------------------------------- */

bool guest_tree_look(struct tree *t, pid_t top)
{
    t->n = 0;
    if (!kernel_lists_children())
        return look_at_all(t, top);
    add_children(t, top);
    for (size_t i = 0; i < t->n;) {
        if (!read_stat(&t->v[i])) {
            t->v[i] = t->v[--t->n];
            continue;
        }
        pid_t pid = t->v[i++].pid;
        add_children(t, pid);
    }
    return true;
}

unsigned guest_tree_count(struct tree *t, pid_t top)
{
    unsigned n = 0;
    if (guest_tree_look(t, top))
        for (size_t i = 0; i < t->n; i++)
            n += !t->v[i].dead;
    return n;
}

static unsigned signal_all(const struct tree *t, int sig)
{
    unsigned n = 0;
    for (size_t i = 0; i < t->n; i++)
        n += !t->v[i].dead && kill(t->v[i].pid, sig) == 0;
    return n;
}

unsigned guest_tree_end(struct tree *t, pid_t top, int64_t most_ms)
{
    int64_t end = guest_now() + most_ms;
    unsigned most = 0, before = UINT32_MAX;
    for (int i = 0; i < LOOKS_MOST && guest_tree_look(t, top); i++) {
        unsigned n = signal_all(t, SIGSTOP);
        most = n > most ? n : most;
        if (n == before || n == 0)
            break;
        before = n;
    }
    while (guest_tree_look(t, top) && signal_all(t, SIGKILL) && guest_now() < end)
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    return most;
}

unsigned guest_kill_all(struct guest *g)
{
    struct tree t = {0};
    unsigned most = g->is_init ? guest_tree_count(&t, getpid()) : 0;
    int64_t end = guest_now() + 5000;
    for (bool over = false; !over && guest_now() < end;) {
        unsigned n = 1;
        if (g->is_init) { /* all but itself, at one stroke */
            n = kill(-1, SIGKILL) == 0;
        } else {
            n = guest_tree_end(&t, getpid(), 100);
            most = n > most ? n : most;
        }
        guest_reap(g);
        siginfo_t info;
        over = n == 0 || (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD);
        if (!over && g->is_init)
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    guest_reap(g);
    free(t.v);
    return most;
}
