/* internal.h - what the files of api/ share
 *
 * Owner: one owner per session; the runtime's mutex guards only its list of sessions.
 */
#ifndef WK_API_INTERNAL_H
#define WK_API_INTERNAL_H

#include "adapters/sandbox/code.h"
#include "base/map.h"
#include "interp/builtin.h"
#include "interp/jobs.h"
#include "kern/hostio.h"
#include "kern/procfs.h"
#include "vfs/mount.h"
#include "vfs/snapshot.h"

#include <pthread.h>
#include <whelk.h>

struct whelk_runtime {
    pthread_mutex_t lock;
    size_t sessions;
    struct wk_mem *mem; /* runtime's own account, without limit */
    struct wk_stacks *stacks;
    struct wk_vfs_hub *hub;
    struct wk_snapshot *base; /* the tree every session starts from */
    struct wk_world world;
    whelk_world host_world;
};

/* Output that jobs write after the run that started them has ended. */
struct wk_job_ring {
    struct wk_job_ring *next;
    struct wk_file *out, *err; /* sinks that point here; counted */
    struct wk_buf buf;
    uint64_t dropped;
};

struct whelk_session {
    whelk_runtime *rt;
    struct wk_mem *mem;
    struct wk_vfs *vfs;
    struct wk_kern kern;
    bool kern_ready;
    struct wk_registry registry;
    struct wk_shell_hooks hooks;
    struct wk_names *names;
    struct wk_shared *shared;
    struct wk_proc *proc;   /* the shell's process, lasting from run to run */
    struct wk_shell *shell; /* NULL until the first run */
    struct wk_map commands; /* host commands by name: struct wk_host_command * */
    struct wk_map delegated; /* by name: struct wk_delegate_command * */
    struct wk_delegation *delegations;
    struct wk_job_ring *rings;
    whelk_run *run;         /* active one */
    struct wk_buf out, err; /* RESULT streams of the last run */
    whelk_result result;
    struct wk_buf error; /* text of whelk_session_error */
    int callback_depth;
    bool close_wanted, closing;
    bool lent; /* a sandbox's, which closes it itself */
    void *user_data;
    int (*debug)(void *ctx, const whelk_location *where);
    void *debug_ctx;
    struct wk_hostreq *paused;           /* a debug hook that answered PAUSE */
    struct wk_kern_options kern_options; /* for forks */
    struct wk_limits limits;
    char *home;
    whelk_mount *mounts; /* as given, with strings of our own: for forks */
    size_t n_mounts;
};

struct whelk_run {
    whelk_session *s;
    struct wk_task *task;
    struct wk_file *in, *out, *err;
    struct wk_shell *fresh; /* WHELK_RUN_FRESH: its own shell */
    struct wk_proc *fresh_proc;
    char *script, *arg0;
    size_t script_len;
    struct wk_str *args;
    size_t n_args;
    const char **set;
    size_t n_set;
    bool keep_args;
    uint32_t flags;
    bool task_done, shell_ended;
    int start_error;
    struct wk_exit exit;
    struct wk_limits saved_limits;
    int64_t started_ns;
    uint64_t out_total_base;
    bool cancelled;
};

/* The limits that a host named, over `l`. */
int wk_api_take_limits(struct wk_limits *l, const whelk_limits *from);

/* -WK_Exxx of the inner layers as a public code. */
static inline int wk_api_error(int err)
{
    return wk_code(err);
}
/* Record "WHAT: text of err" for whelk_session_error and return the public code. */
int wk_api_fail(whelk_session *s, const char *what, int err);
/* Copy the caller's options over a zeroed struct of ours. */
static inline int wk_api_take_options(void *dst, size_t known, const void *src)
{
    return wk_struct_take(dst, known, src);
}

/* The end of what a raised callback_depth began: a close that a callback asked for happens now,
 * unless a run is active, whose finish does it. True: the session is gone. */
bool wk_api_leave(whelk_session *s);

/* The tree of a new machine (root_tree.c). */
int wk_root_tree_new(struct wk_mem *m, struct wk_vfs_hub *hub, const struct wk_world *world,
                     struct wk_snapshot **out);

/* Commands and builtins of the library (commands.c). */
extern const struct wk_command *const wk_command_list[];
extern const size_t wk_command_list_n;
extern const struct wk_builtin *const wk_builtin_list[];
extern const size_t wk_builtin_list_n;
const struct wk_command *wk_command_find_static(struct wk_str name);

/* Host commands (host_command.c). */
struct wk_host_command;
void wk_host_commands_release(whelk_session *s);
const struct wk_command *wk_host_command_find(whelk_session *s, struct wk_str name);
/* The file of a command under /usr/bin, anew: what shells remember of the name is looked up again. 0 or -WK_ENOMEM. */
int wk_command_add_entry(whelk_session *s, const char *name);

/* A kind of sandbox that the library has; NULL. (sandbox_open.c) */
const struct whelk_sandbox_kind *wk_sandbox_kind_named(const char *name);

/* Delegated commands (delegate.c). */
struct wk_delegation;
const struct wk_command *wk_delegated_find(whelk_session *s, struct wk_str name);
/* What runs a program that is a file of the session and none of its commands; NULL. */
const struct wk_command *wk_delegated_program(void *ctx, const struct wk_proc *p, const char *path);
/* False: the name was not delegated. */
bool wk_delegated_remove(whelk_session *s, const char *name);
/* No task is left. */
void wk_delegations_release(whelk_session *s);
int wk_delegations_copy(whelk_session *s, whelk_session *twin);
/* What is to be said of a command that was not found and is known. */
bool wk_api_missing(void *ctx, struct wk_str name, struct wk_buf *out);

/* Debugging (debug.c): the hook of the shell. */
enum wk_flow wk_api_before_command(struct wk_shell *sh, const struct wk_node *n);

/* Hand over what sinks hold: 0, or WHELK_STEP_HOST_CALL / WAIT when the host takes no more now. */
int wk_run_flush(whelk_run *run);
/* At the end of a run: sinks that a job still holds write to a bounded ring from now on. */
void wk_job_ring_adopt(whelk_session *s, struct wk_file *out, struct wk_file *err);
void wk_job_rings_release(whelk_session *s);
/* /proc/PID/output: what is in the ring of a job, left there. */
void wk_job_output(struct wk_kern *k, const struct wk_proc *p, struct wk_buf *out);
/* Removes the directory at `path` (relative to dir) and all below it, links not followed; the buffer is scratch. 0 or
 * -WK_Exxx. */
int wk_api_remove_tree(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *dir, struct wk_buf *path);
/* Free what is const by type only. */
void wk_free_const(struct wk_mem *m, const void *p);

#endif
