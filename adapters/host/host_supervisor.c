/* host_supervisor.c - the helper's process beside the program
 *
 * It is run from memory, by posix_spawn: the program may have threads, and keeps its signals, descriptors and children
 * for itself. It ends, with all below it, when the connection does or the program.
 */
#define _GNU_SOURCE
#include "adapters/host/host.h"

#include "adapters/link/guest_program.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    START_MS = 10000,   /* for the helper's greeting */
    END_MS = 10000,     /* for its end, then KILL */
    BUFFER = 1 << 20,   /* of the connection */
    HIGH = 16,          /* descriptors above those that the child has */
    PROGRAM_FD = 3,
    TRIES = 20,
    MEMORY_EXEC = 0x10  /* MFD_EXEC */
};

/* What the child gets. */
struct ends {
    int link, program, messages; /* its 0 and 1; its 3, or -1; its 2 */
};

static bool write_all(int fd, const unsigned char *p, size_t n)
{
    while (n) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno != EINTR)
            return false;
        p += k > 0 ? k : 0;
        n -= k > 0 ? (size_t)k : 0;
    }
    return true;
}

/* A descriptor out of the way of those that the child has. */
static int move_up(int fd)
{
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HIGH), err = errno;
    if (fd >= 0)
        close(fd);
    errno = err;
    return high;
}

/* The helper in memory; -1. */
static int program_in_memory(void)
{
    size_t n;
    const unsigned char *p = wk_guest_program(&n);
    int fd = memfd_create("whelk-guest", MFD_CLOEXEC | MEMORY_EXEC);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create("whelk-guest", MFD_CLOEXEC);
    if (fd >= 0 && !write_all(fd, p, n)) {
        close(fd);
        return -1;
    }
    return move_up(fd);
}

/* The helper as a file of the sandbox's folder; false and errno. */
static bool program_in_folder(const struct wk_host_box *b, char *path, size_t cap)
{
    size_t n;
    const unsigned char *p = wk_guest_program(&n);
    if (strlen(b->place.dir) + sizeof "/whelk-guest" > cap) {
        errno = ENAMETOOLONG;
        return false;
    }
    (void)wk_fmt_into(path, cap, "%s/whelk-guest", b->place.dir);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
    if (fd < 0)
        return false;
    bool ok = write_all(fd, p, n);
    close(fd);
    return ok;
}

static int spawn(int *pid, const char *path, char *const *argv, const struct ends *e)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    char *const env[] = {NULL};
    if (posix_spawn_file_actions_init(&files) != 0)
        return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    sigemptyset(&none);
    sigfillset(&all);
    int r = posix_spawnattr_setsigmask(&attributes, &none);
    r = r ? r : posix_spawnattr_setsigdefault(&attributes, &all);
    r = r ? r : posix_spawnattr_setflags(&attributes,
                                         POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    r = r ? r : posix_spawn_file_actions_adddup2(&files, e->link, 0);
    r = r ? r : posix_spawn_file_actions_adddup2(&files, e->link, 1);
    r = r ? r : posix_spawn_file_actions_adddup2(&files, e->messages, 2);
    if (e->program >= 0)
        r = r ? r : posix_spawn_file_actions_adddup2(&files, e->program, PROGRAM_FD);
    r = r ? r : posix_spawn_file_actions_addclosefrom_np(&files, e->program >= 0 ? PROGRAM_FD + 1 : PROGRAM_FD);
    r = r ? r : posix_spawn_file_actions_addchdir_np(&files, "/");
    pid_t child = -1;
    r = r ? r : posix_spawn(&child, path, &files, &attributes, argv, env);
    *pid = (int)child;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return r;
}

/* Spawns the helper at `path`, or bubblewrap with it. */
static int spawn_helper(struct wk_host_box *b, const char *bwrap, const char *path, const struct ends *e)
{
    char name[] = "whelk-guest";
    char *plain[] = {name, NULL};
    char **words = bwrap ? wk_host_bwrap_words(b, bwrap, path) : NULL;
    if (bwrap && !words)
        return ENOMEM;
    int r = ETXTBSY;
    /* A file that was just written may be open in a child that another thread is about to start. */
    for (int i = 0; i < TRIES && r == ETXTBSY; i++) {
        if (i)
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        r = spawn(&b->pid, bwrap ? bwrap : path, bwrap ? words : plain, e);
    }
    wk_host_bwrap_free(b->mem, words);
    return r;
}

static int start_helper(struct wk_host_box *b, const char *bwrap, struct ends *e, bool in_folder)
{
    char path[4096] = "/proc/self/fd/3";
    e->program = in_folder ? -1 : program_in_memory();
    if (e->program < 0) {
        if (!in_folder)
            return EACCES;
        if (!program_in_folder(b, path, sizeof path))
            return errno;
    }
    int r = spawn_helper(b, bwrap, path, e);
    if (e->program >= 0)
        close(e->program);
    if (!r)
        b->pid_fd = (int)syscall(SYS_pidfd_open, b->pid, 0);
    return r;
}

static int64_t deadline_in(int64_t ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + ms * 1000000;
}

/* Waits for the supervisor's end, so long. True when it has ended. */
static bool wait_end(struct wk_host_box *b, int ms)
{
    siginfo_t info;
    int64_t end = deadline_in(ms);
    struct pollfd p = {.fd = b->pid_fd, .events = POLLIN};
    for (;;) {
        info.si_pid = 0;
        int r = waitid(P_PID, (id_t)b->pid, &info, WEXITED | WNOHANG);
        if (r != 0 && errno != EINTR) /* the program waits for all its children itself */
            return b->pid_fd < 0 || poll(&p, 1, ms) == 1;
        if (r == 0 && info.si_pid == b->pid)
            return true;
        int64_t left = (end - deadline_in(0)) / 1000000;
        if (left <= 0)
            return false;
        (void)poll(&p, b->pid_fd >= 0, b->pid_fd >= 0 ? (int)left : 1);
    }
}

static void kill_it(struct wk_host_box *b)
{
    if (b->pid_fd < 0 || (syscall(SYS_pidfd_send_signal, b->pid_fd, SIGKILL, NULL, 0) != 0 && errno == ENOSYS))
        (void)kill(b->pid, SIGKILL);
}

static void end_supervisor(struct wk_host_box *b, int ms)
{
    if (b->pid > 0 && !wait_end(b, ms)) {
        kill_it(b);
        (void)wait_end(b, ms);
    }
    if (b->pid_fd >= 0)
        close(b->pid_fd);
    b->pid_fd = -1;
    b->pid = 0;
}

/* What the child said on its standard error, in one line. */
static void read_messages(int fd, char *out, size_t cap)
{
    ssize_t n = pread(fd, out, cap - 1, 0);
    out[n > 0 ? n : 0] = 0;
    for (char *p = out; *p; p++)
        if ((unsigned char)*p < 32)
            *p = p[1] ? ' ' : 0;
}

/* One try: WHELK_OK; a positive error number when it is worth another way; else a code. */
static int try_start(struct wk_host_box *b, const struct wk_host_opening *w, const char *bwrap, bool in_folder)
{
    int fd[2];
    char said[300];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) != 0)
        return wk_host_refuse(w, WHELK_E_SYSTEM, "socketpair: %s", wk_err_text(errno));
    for (int i = 0; i < 2; i++)
        (void)setsockopt(fd[i], SOL_SOCKET, SO_SNDBUF, &(int){BUFFER}, sizeof(int));
    struct ends e = {.link = move_up(fd[1]), .program = -1, .messages = move_up(memfd_create("messages", MFD_CLOEXEC))};
    int r = e.link < 0 || e.messages < 0 ? EMFILE : start_helper(b, bwrap, &e, in_folder);
    if (e.link >= 0)
        close(e.link);
    struct wk_link *link = NULL;
    if (r)
        close(fd[0]);
    else if (wk_link_new(b->mem, fd[0], fd[0], false, &link) != 0)
        r = ENOMEM;
    int begun = r;
    if (!r) {
        b->g.hello_flags = bwrap ? 0 : GUEST_WATCH_PARENT;
        b->g.writable = b->place.home;
        begun = wk_guest_box_begin(&b->g, b->mem, link, b->place.workspace, b->uid, b->gid, true, w->with,
                                   deadline_in(START_MS));
    }
    said[0] = 0;
    if (begun) {
        wk_guest_box_end(&b->g, NULL);
        end_supervisor(b, 1000);
        if (e.messages >= 0)
            read_messages(e.messages, said, sizeof said);
    }
    if (e.messages >= 0)
        close(e.messages);
    if (begun == -WK_EINTR)
        return wk_host_refuse(w, WHELK_E_CLOSED, "the opening was cancelled");
    if (begun && (in_folder || begun == -WK_ENOMEM || begun == ENOMEM))
        return wk_host_refuse(w, begun == -WK_ENOMEM || begun == ENOMEM ? WHELK_E_NOMEM : WHELK_E_SYSTEM,
                              "%s could not be run: %s", bwrap ? bwrap : "the sandbox's helper",
                              *said ? said : b->g.why[0] ? b->g.why : wk_err_text(begun < 0 ? -begun : begun));
    return begun ? 1 : WHELK_OK;
}

int wk_host_supervisor_open(struct wk_host_box *b, const struct wk_host_opening *w)
{
    bool inside = b->isolation == WK_HOST_BWRAP || b->isolation == WK_HOST_STRICT;
    char *bwrap = inside ? wk_host_find(b->mem, b->path, "bwrap") : NULL;
    if (inside && !bwrap)
        return wk_host_refuse(w, WHELK_E_NOENT, "isolation %s: bwrap was not found in %s: install bubblewrap",
                              w->o->isolation, b->path);
    int code = try_start(b, w, bwrap, false);
    if (code > 0)
        code = try_start(b, w, bwrap, true);
    wk_free(b->mem, bwrap);
    return code;
}

void wk_host_supervisor_close(struct wk_host_box *b)
{
    wk_guest_box_end(&b->g, "the sandbox was closed");
    end_supervisor(b, END_MS);
}
