/* spawn.c - starting a process */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "adapters/guest/confine.h"
#include "adapters/guest/minder.h"

enum { RECORDS_MAX = 8 * GUEST_PROCESSES, LIMITS_MAX = 16, SEARCH_MAX = 4096, SCRIPT = 9 };
enum { WORDS_MAX = GUEST_BODY_MAX / 4 }; /* each has its length */

struct plan {
    uint32_t flags, uid, gid, umask;
    uint64_t log_bytes, timeout_ms, grace_ms;
    uint32_t rows, columns;
    uint32_t n_limits, resource[LIMITS_MAX];
    uint64_t limit[LIMITS_MAX];
    char *directory, **argv, **env;
    const char *path;      /* of env; NULL */
    int in, out, err;      /* the child's ends */
    int script;            /* a text for its descriptor 9; -1 */
    int report;            /* tells what failed before the program began */
    int helper;            /* the minder's connection */
    const struct guest *g;
};

static void free_words(char **v)
{
    for (char **w = v; v && *w; w++)
        free(*w);
    free(v);
}

/* A NULL-ended list of texts. */
static char **read_words(struct guest_reader *r)
{
    uint32_t n = guest_u32(r);
    if (r->bad || n > WORDS_MAX)
        return NULL;
    char **v = calloc((size_t)n + 1, sizeof *v);
    for (uint32_t i = 0; v && i < n; i++) {
        size_t k;
        const char *p = guest_text(r, &k);
        v[i] = r->bad ? NULL : guest_copy(p, k);
        if (!v[i]) {
            free_words(v);
            return NULL;
        }
    }
    return v;
}

/* A script in memory. It closes its own descriptor, so that what it runs does not have it. */
static int keep_script(const char *text, size_t n)
{
    static const char first[] = "exec 9<&-;";
    const size_t k = sizeof first - 1;
    int fd = memfd_create("script", MFD_CLOEXEC);
    errno = fd < 0 ? errno : ENOMEM;
    if (fd < 0 || write(fd, first, k) != (ssize_t)k || write(fd, text, n) != (ssize_t)n) {
        int err = errno;
        if (fd >= 0)
            close(fd);
        errno = err;
        return -1;
    }
    return fd;
}

static int read_plan(struct plan *p, struct guest_reader *r)
{
    p->flags = guest_u32(r);
    p->uid = guest_u32(r);
    p->gid = guest_u32(r);
    p->umask = guest_u32(r);
    p->log_bytes = guest_u64(r);
    p->timeout_ms = guest_u64(r);
    p->grace_ms = guest_u64(r);
    p->rows = guest_u32(r);
    p->columns = guest_u32(r);
    p->n_limits = guest_u32(r);
    if (r->bad || p->n_limits > LIMITS_MAX)
        return EINVAL;
    for (uint32_t i = 0; i < p->n_limits; i++) {
        p->resource[i] = guest_u32(r);
        p->limit[i] = guest_u64(r);
    }
    size_t n;
    const char *directory = guest_text(r, &n);
    p->directory = guest_copy(directory, n);
    p->argv = read_words(r);
    p->env = read_words(r);
    const char *script = guest_text(r, &n);
    if (r->bad || (p->argv && !p->argv[0]))
        return EINVAL;
    if (n && (p->script = keep_script(script, n)) < 0)
        return errno;
    return p->directory && p->argv && p->env ? 0 : ENOMEM;
}

/* ---- in the child ------------------------------------------------------------------------------- */

static void give_up(const struct plan *p, enum guest_stage stage)
{
    struct failure f = {errno, stage};
    (void)!write(p->report, &f, sizeof f);
    _exit(127);
}

/* As execvp: a name with a slash is a path, another is looked for; a text without #! is a shell's. */
static void try_exec(const struct plan *p, const char *path)
{
    execve(path, p->argv, p->env);
    if (errno != ENOEXEC)
        return;
    size_t n = 0;
    while (p->argv[n])
        n++;
    char **v = calloc(n + 2, sizeof *v);
    if (v) {
        v[0] = (char *)(uintptr_t) "/bin/sh";
        v[1] = (char *)(uintptr_t)path;
        memcpy(v + 2, p->argv + 1, (n - 1) * sizeof *v);
        execve(v[0], v, p->env);
    }
}

static void exec_program(const struct plan *p)
{
    const char *name = p->argv[0], *at = p->path ? p->path : "/usr/local/bin:/usr/bin:/bin";
    bool denied = false;
    char path[SEARCH_MAX];
    if (strchr(name, '/') || !*name) {
        if (!*name)
            errno = ENOENT;
        else
            try_exec(p, name);
        return;
    }
    for (;; at++) {
        size_t n = strcspn(at, ":");
        int k = snprintf(path, sizeof path, "%.*s%s%s", (int)n, at, n ? "/" : "./", name);
        if (k > 0 && (size_t)k < sizeof path) {
            try_exec(p, path);
            if (errno == EACCES) /* of the file: a directory that may not be searched has none, as for a shell */
                denied = denied || access(path, F_OK) == 0;
            else if (errno != ENOENT && errno != ENOTDIR)
                return;
        }
        at += n;
        if (!*at)
            break;
    }
    errno = denied ? EACCES : ENOENT;
}

static void use_descriptors(const struct plan *p)
{
    if (p->flags & GUEST_WITH_TTY)
        (void)ioctl(p->in, TIOCSCTTY, 0);
    if (dup2(p->in, 0) < 0 || dup2(p->out, 1) < 0 || dup2(p->err, 2) < 0)
        give_up(p, GUEST_AT_FORK);
    if (p->script >= 0 && dup2(p->script, SCRIPT) < 0)
        give_up(p, GUEST_AT_FORK);
}

static void use_signals(void)
{
    sigset_t none;
    for (int sig = 1; sig < NSIG; sig++)
        (void)signal(sig, SIG_DFL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void use_limits(const struct plan *p)
{
    for (uint32_t i = 0; i < p->n_limits; i++) {
        const uint64_t both[2] = {p->limit[i], p->limit[i]};
        if (syscall(SYS_prlimit64, 0, p->resource[i], both, NULL) != 0)
            give_up(p, GUEST_AT_LIMITS);
    }
}

static void use_identity(const struct plan *p)
{
    const uint32_t same = UINT32_MAX;
    if (p->gid != same && (setgroups(1, &(gid_t){p->gid}) != 0 || setresgid(p->gid, p->gid, p->gid) != 0))
        give_up(p, GUEST_AT_USER);
    if (p->uid != same && setresuid(p->uid, p->uid, p->uid) != 0)
        give_up(p, GUEST_AT_USER);
}

static void be_child(const struct plan *p)
{
    (void)setsid();
    use_signals();
    use_descriptors(p);
    use_limits(p);
    use_identity(p);
    (void)umask(p->umask & 0777);
    if (*p->directory && chdir(p->directory) != 0)
        give_up(p, GUEST_AT_DIRECTORY);
    if (p->flags & (GUEST_NO_PRIVILEGES | GUEST_CONFINE_FILES | GUEST_CONFINE_CALLS) &&
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        give_up(p, GUEST_AT_CONFINE);
    if (p->flags & GUEST_CONFINE_FILES && !guest_confine_files(p->g->root_path, p->g->writable))
        give_up(p, GUEST_AT_CONFINE);
    if (p->flags & GUEST_CONFINE_CALLS && !guest_confine_calls(p->flags & GUEST_NETWORK))
        give_up(p, GUEST_AT_CONFINE);
    struct minder_says s = {.word = MINDER_FORKED, .pid = getpid()};
    (void)send(p->helper, &s, sizeof s, MSG_NOSIGNAL);
    exec_program(p);
    give_up(p, GUEST_AT_EXEC);
}

/* ---- in the guest ------------------------------------------------------------------------------- */

static bool open_terminal(struct plan *p, struct process *s)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    char name[64];
    if (master < 0)
        return false;
    if (grantpt(master) == 0 && unlockpt(master) == 0 && ptsname_r(master, name, sizeof name) == 0) {
        struct winsize size = {.ws_row = (unsigned short)p->rows, .ws_col = (unsigned short)p->columns};
        (void)ioctl(master, TIOCSWINSZ, &size);
        p->in = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    }
    s->out[0] = master;
    s->in = fcntl(master, F_DUPFD_CLOEXEC, 3);
    p->out = p->err = p->in;
    return p->in >= 0 && s->in >= 0;
}

static bool open_pipe(int *ours, int *theirs, bool reading)
{
    int fd[2];
    if (pipe2(fd, O_CLOEXEC) != 0)
        return false;
    *ours = fd[!reading];
    *theirs = fd[reading];
    return fcntl(*ours, F_SETFL, O_NONBLOCK) == 0;
}

static bool open_streams(struct plan *p, struct process *s)
{
    if (p->flags & GUEST_WITH_TTY)
        return open_terminal(p, s) && fcntl(s->in, F_SETFL, O_NONBLOCK) == 0;
    if (p->flags & GUEST_WITH_STDIN) {
        if (!open_pipe(&s->in, &p->in, false))
            return false;
    } else if ((p->in = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0) {
        return false;
    }
    if (!open_pipe(&s->out[0], &p->out, true))
        return false;
    if (!(p->flags & GUEST_MERGED))
        return open_pipe(&s->out[1], &p->err, true);
    p->err = p->out;
    return true;
}

static void close_theirs(struct plan *p)
{
    int fd[] = {p->in, p->out, p->err, p->report, p->script};
    for (size_t i = 0; i < sizeof fd / sizeof *fd; i++) {
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again = again || fd[k] == fd[i];
        if (fd[i] >= 0 && !again)
            close(fd[i]);
    }
}

/* Says that there is no leader: the container's processes are as many as they may be. */
static void give_up_without(const struct plan *p)
{
    struct failure f = {errno, GUEST_AT_FORK};
    (void)!write(p->report, &f, sizeof f);
}

/* In the minder, which is about to be: the leader is forked first, since it needs what the minder closes. */
static void be_minder(struct plan *p, int helper)
{
    int report[2];
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (pipe2(report, O_CLOEXEC) != 0)
        _exit(1);
    p->report = report[1];
    p->helper = helper;
    pid_t leader = fork();
    if (leader == 0)
        be_child(p);
    if (leader < 0)
        give_up_without(p);
    close(report[1]);
    guest_mind(helper, report[0], leader, (int64_t)p->timeout_ms, (int64_t)p->grace_ms);
}

/* What has become of it is heard from its minder. */
static int start(struct plan *p, struct process *s)
{
    int fd[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) != 0)
        return errno;
    pid_t minder = fork();
    if (minder == 0)
        be_minder(p, fd[1]);
    int err = minder < 0 ? errno : 0;
    close(fd[1]);
    if (err)
        close(fd[0]);
    s->minder = err ? -1 : fd[0];
    s->minder_pid = minder;
    return err;
}

static struct process *new_process(struct guest *g, uint32_t id, const struct plan *p, int *err)
{
    *err = guest_process(g, id) ? EEXIST
           : g->n_running >= GUEST_PROCESSES || g->n_processes >= RECORDS_MAX ? EAGAIN : 0;
    struct process *s = *err ? NULL : calloc(1, sizeof *s);
    if (!s) {
        *err = *err ? *err : ENOMEM;
        return NULL;
    }
    s->id = id;
    s->flags = p->flags;
    s->oom_kills = guest_oom_kills(g);
    s->in = s->out[0] = s->out[1] = s->log[0].fd = s->log[1].fd = s->minder = s->unread = -1;
    for (int k = 0; k < 2 && p->flags & GUEST_LOGGED && !*err; k++)
        *err = guest_log_open(&s->log[k], p->log_bytes);
    s->next = g->processes;
    g->processes = s;
    g->n_processes++;
    g->n_running++;
    return s;
}

void guest_spawn(struct guest *g, uint32_t id, struct guest_reader *r)
{
    struct plan p = {.in = -1, .out = -1, .err = -1, .report = -1, .script = -1, .g = g};
    int err = read_plan(&p, r);
    struct process *s = err ? NULL : new_process(g, id, &p, &err);
    for (char **e = p.env; e && *e; e++)
        if (strncmp(*e, "PATH=", 5) == 0)
            p.path = *e + 5;
    if (s && !err)
        err = open_streams(&p, s) ? start(&p, s) : errno;
    close_theirs(&p);
    if (s && err) {
        guest_process_refuse(g, s, err, GUEST_AT_FORK);
    } else if (err && guest_frame(g, GUEST_FAILED, id, 8)) {
        guest_add_u32(g, (uint32_t)err);
        guest_add_u32(g, GUEST_AT_FORK);
    }
    free(p.directory);
    free_words(p.argv);
    free_words(p.env);
}
