/* proc.h - virtual processes
 *
 * A process has a pid, a parent, a process group, credentials, a working directory, a descriptor
 * table, an environment and signal state. It runs on a task. An inline subshell is a process on its
 * parent's task: `outer` is the process that was running there before.
 *
 * Owner:   the machine's pid table until reaped; the parent waits for it, or pid 1 does.
 */
#ifndef WK_KERN_PROC_H
#define WK_KERN_PROC_H

#include "kern/fdtab.h"
#include "kern/kern.h"
#include "kern/rlimit.h"
#include "kern/signal.h"
#include "vfs/vfs.h"

struct wk_command;
struct wk_heap;

/* An environment block, counted and immutable: "NAME=VALUE" strings. */
/* So many entries of an environment stand in a table of so many buckets in bash, the newest first in each: which is the
 * order that it passes them on in. */
struct wk_env_part {
    uint32_t from, n, buckets;
};
enum { WK_ENV_PARTS = 6 };

struct wk_env {
    uint32_t refs;
    uint32_t n;
    struct wk_env_part parts[WK_ENV_PARTS]; /* in their order; other entries stand behind them */
    struct wk_kern *k;
    struct wk_env *base; /* wk_env_with: where the other strings are; NULL: behind v */
    const char *v[]; /* n strings and a NULL, stored behind */
};

struct wk_exit {
    uint8_t code;   /* exit status */
    uint8_t signal; /* not 0: ended by this signal */
};
/* What $? shows: code, or 128 + signal. */
static inline int wk_exit_status(struct wk_exit e)
{
    return e.signal ? 128 + e.signal : e.code;
}

enum wk_proc_state { WK_PROC_RUNNING, WK_PROC_STOPPED, WK_PROC_ZOMBIE };

struct wk_proc {
    struct wk_kern *k;
    struct wk_task *task;  /* NULL for pid 1 and zombies */
    struct wk_proc *outer; /* inline subshell: the process whose task it borrows */
    struct wk_proc *parent;
    struct wk_proc *first_child, *next_sibling, *prev_sibling;
    struct wk_proc *hash_next;
    uint32_t pid, pgid, sid;
    uint32_t generation; /* forks between it and pid 1 */
    enum wk_proc_state state;
    struct wk_exit exit;
    bool foreign;   /* stands for a process outside (adapters/delegate.h): signals go to the hook */
    bool orphan;    /* adopted by pid 1, or disowned: reaped when it ends */
    bool stop_seen; /* a wait has reported that it is stopped */
    void (*foreign_signal)(struct wk_proc *p, int sig, bool group); /* group: it was sent to more than this one */
    bool refused;        /* it could not have a child: the task limit was reached */
    bool background;     /* started with & (jobs survive a run) */
    struct wk_cred cred; /* uid, gid, umask */
    struct wk_vdir *cwd;
    struct wk_fdtab *fds;
    struct wk_env *env;
    struct wk_waitq child_changed; /* parked in wait */
    uint64_t sig_pending, sig_ignored, sig_caught;
    uint32_t children_ended; /* since its trap on CHLD ran last; counted while there is one */
    bool quit_ignored; /* a shell of its own; a subshell of it is ended by QUIT */
    uint64_t sig_late; /* pending ones sent from an inline subshell inside, which goes on to its end */
    struct wk_heap *heap; /* leaf commands */
    const char *name;     /* argv[0] for ps and messages; owned by the process */
    const char *cmdline;  /* for ps; may be NULL */
    int64_t started_ns;   /* when its shell was started */
    int64_t began_ns;     /* when it got a task of its own; 0: it runs on its parent's */
    struct wk_cgroup *cgroup;            /* counted; NULL: none (cgroup.h) */
    struct wk_rlimits *rlimits;          /* counted; NULL: the session's (rlimit.h) */
    int64_t cpu_ns, turn_began_ns;       /* counted only while it has a record of limits */
    uint64_t cpu_told;                   /* seconds of cpu_ns before which no SIGXCPU is due */
    const struct wk_command *command;
    void *exec; /* image that replaces the present one (spawn.c) */
    void *user; /* interp: its shell; foreign: the record of the process outside */
};

/* ---- life ----------------------------------------------------------------------------------- */

/* A child of `parent` with everything inherited (fds shared copy-on-write, cwd, cred, env, signal
 * dispositions; pending signals cleared). It has a pid but no task yet.
 * Errors: -WK_ENOMEM. (The task limit is met when it gets a task: an inline subshell has none.) */
int wk_proc_fork(struct wk_proc *parent, struct wk_proc **out);
/* Run `child` on the current task in place of its parent, and come back. enter cannot fail. leave
 * makes the child a zombie with the status (reaped by the parent, or at once when `reap`). */
void wk_proc_enter(struct wk_task *t, struct wk_proc *child);
void wk_proc_leave(struct wk_task *t, struct wk_proc *child, struct wk_exit e, bool reap);
/* End a process: closes descriptors, drops its heap, wakes the parent, gives children to pid 1,
 * posts SIGCHLD. Its task, if leaf, is the caller's business. */
void wk_proc_finish(struct wk_proc *p, struct wk_exit e);
/* Name (argv[0]) and command line as ps shows them; copied. 0 or -WK_ENOMEM. */
int wk_proc_set_name(struct wk_proc *p, const char *name);
int wk_proc_set_cmdline(struct wk_proc *p, const char *cmdline);
/* Remove a zombie from the table and free it. */
void wk_proc_reap(struct wk_proc *p);
/* Process with this pid, or NULL. */
struct wk_proc *wk_proc_find(struct wk_kern *k, uint32_t pid);
/* Visit all processes in order of pid, first to last, safe against ending the visited one. */
struct wk_proc *wk_proc_next(struct wk_kern *k, uint32_t after_pid);

/* Wait until a child matching `pid` (> 0 that one; -1 any; 0 own group) ends; it is not reaped: the
 * caller reads ->exit and calls wk_proc_reap. flags: WK_WAIT_NOHANG, WK_WAIT_NOINTR.
 * Returns 0 with *out (NULL when NOHANG and none ended), -WK_ECHILD, -WK_EINTR, -WK_ESTOP. */
enum { WK_WAIT_NOHANG = 1, WK_WAIT_NOINTR = 2, WK_WAIT_UNTRACED = 4 };
int wk_proc_wait(struct wk_task *t, struct wk_proc *parent, int64_t pid, int flags,
                 struct wk_proc **out);

/* ---- signals -------------------------------------------------------------------------------- */

/* kill(2) by the process `from` (permissions by uid; NULL = the host, always allowed). pid > 0:
 * that process; 0: from's group; -1: all but 1 and from; < -1: group -pid. sig 0 only checks. 0,
 * -WK_ESRCH, -WK_EPERM, -WK_EINVAL. */
int wk_kill(struct wk_kern *k, struct wk_proc *from, int64_t pid, int sig);
/* Post to one process: ignored ones vanish; for a leaf a fatal default ends it (a parked leaf at
 * once, the running one at its next park or step); interpreters find sig_pending at their next
 * boundary and task->signal_check set. STOP and CONT stop and continue the task. */
void wk_proc_post(struct wk_proc *p, int sig);
/* The process outside that p stands for was stopped, or goes on: its parent is told. The task is as it was. */
void wk_proc_foreign_stopped(struct wk_proc *p, bool stopped);

/* The task wrote where nobody reads: SIGPIPE to its process (a leaf that does not ignore it ends in
 * here). `t` may be NULL: nobody is told. Returns -WK_EPIPE. */
ptrdiff_t wk_broken_pipe(struct wk_task *t);

/* ---- environment ----------------------------------------------------------------------------- */

struct wk_env *wk_env_new(struct wk_kern *k, const struct wk_str *entries, size_t n);
/* base with one entry more, or another value in its place; of that one too, but no further. NULL: no memory. */
struct wk_env *wk_env_with(struct wk_env *base, struct wk_str name, struct wk_str value);
/* The n strings as a program sees them. 0 or -WK_ENOMEM; scratch memory comes from m. */
int wk_env_listed(const struct wk_env *e, struct wk_mem *m, const char **out);
struct wk_env *wk_env_ref(struct wk_env *e);
void wk_env_unref(struct wk_env *e);
/* Value of NAME, or NULL. */
const char *wk_env_get(const struct wk_env *e, const char *name);

#endif
