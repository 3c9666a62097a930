/* rlimit.h - what one process may use, as setrlimit(2) has it
 *
 * Every process starts with the session's limits (limits.h), soft and hard. One that changes a limit
 * gets a record of its own, which its children share until they change one. Kept are the number of
 * descriptors, the size of written files, the time of the processor and the number of processes;
 * what nothing here uses (locked memory, core files, queues, priorities, file locks, pending
 * signals) can be set and is never reached. Memory belongs to the session as a whole: it cannot be
 * lowered for a process.
 *
 * Threads: as the machine.
 */
#ifndef WK_KERN_RLIMIT_H
#define WK_KERN_RLIMIT_H

#include "base/compiler.h"

struct wk_kern;
struct wk_proc;
struct wk_task;

enum wk_rlimit {
    WK_RLIMIT_CORE,
    WK_RLIMIT_DATA,
    WK_RLIMIT_NICE,
    WK_RLIMIT_FSIZE, /* bytes: a write beyond is cut short, then EFBIG and SIGXFSZ */
    WK_RLIMIT_SIGPENDING,
    WK_RLIMIT_MEMLOCK,
    WK_RLIMIT_RSS,
    WK_RLIMIT_NOFILE, /* descriptors: EMFILE */
    WK_RLIMIT_MSGQUEUE,
    WK_RLIMIT_RTPRIO,
    WK_RLIMIT_STACK,
    WK_RLIMIT_CPU,   /* seconds: SIGXCPU at the soft one and each second after, SIGKILL at the hard one */
    WK_RLIMIT_NPROC, /* processes of the session: EAGAIN */
    WK_RLIMIT_AS,
    WK_RLIMIT_LOCKS,
    WK_RLIMIT_RTTIME,
    WK_RLIMIT_COUNT
};

#define WK_RLIM_INFINITY UINT64_MAX

struct wk_rlim {
    uint64_t soft, hard; /* WK_RLIM_INFINITY = none */
};

/* Limits of some processes; counted. */
struct wk_rlimits {
    uint32_t refs;
    struct wk_rlim v[WK_RLIMIT_COUNT];
};

struct wk_rlim wk_rlimit_get(const struct wk_proc *p, enum wk_rlimit which);
/* Errors: -WK_EINVAL (soft above hard), -WK_EPERM (hard above the present one and not user 0),
 * -WK_EOPNOTSUPP (less memory than the session has), -WK_ENOMEM. Nothing changes then. */
int wk_rlimit_set(struct wk_proc *p, enum wk_rlimit which, struct wk_rlim v);

/* How many of n bytes a process may write at `at`: n, fewer, or -WK_EFBIG (SIGXFSZ is posted). */
ptrdiff_t wk_rlimit_write(struct wk_task *t, uint64_t at, size_t n);
/* The processor: a turn of a task begins and ends; a look in its midst. For processes that have a
 * record; the others cost a test. */
void wk_rlimit_turn_begins(struct wk_task *t);
void wk_rlimit_turn_ends(struct wk_task *t);
void wk_rlimit_look(struct wk_task *t);

struct wk_rlimits *wk_rlimits_ref(struct wk_rlimits *r); /* NULL is fine */
void wk_rlimits_unref(struct wk_kern *k, struct wk_rlimits *r);

#endif
