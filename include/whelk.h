/* whelk.h - an embeddable, bash-compatible shell over a virtual file system
 *
 * A *runtime* owns what sessions may share. A *session* is a small machine: files, processes, users,
 * a clock, limits, and one shell whose state lasts from run to run. A *run* executes a script in it.
 * Nothing of the host is visible inside unless it was granted.
 *
 *     whelk_runtime *rt;  whelk_session *s;  const whelk_result *r;
 *     whelk_runtime_new(NULL, &rt);
 *     whelk_session_open(rt, NULL, &s);
 *     whelk_exec(s, "echo hello | tr a-z A-Z", &r);
 *     fwrite(r->out, 1, r->out_len, stdout);
 *     whelk_session_close(s);
 *     whelk_runtime_free(rt);
 *
 * Conventions
 *   Status:   functions return WHELK_OK (0) or a negative WHELK_E… code.
 *   Structs:  option structs begin with `size`: set it to sizeof the struct (the …_init functions do).
 *             A non-zero tail that this library does not know is WHELK_E_UNSUPPORTED. Structs that
 *             the library fills begin with `size` too; they may grow at the end. Enumerations may
 *             grow: treat unknown values as "other".
 *   Strings:  NUL-terminated unless a length stands beside them; copied unless said otherwise.
 *   Threads:  a session, its runs and calls belong to one thread at a time; sessions on different
 *             threads need no coordination. Only whelk_cancel and whelk_wake may be called from any
 *             thread at any time (and from signal handlers).
 *   Callbacks run on the stack of the thread that called into the library, never on another. They
 *             may call functions of the same session marked [in callbacks]; others answer
 *             WHELK_E_BUSY. whelk_session_close inside one is deferred until the library returns.
 */
#ifndef WHELK_H
#define WHELK_H

#include <stddef.h>
#include <stdint.h>

#if defined(WHELK_STATIC) || !defined(__GNUC__)
#define WHELK_API
#else
#define WHELK_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define WHELK_VERSION_MAJOR 0
#define WHELK_VERSION_MINOR 1
#define WHELK_VERSION_PATCH 0

typedef struct whelk_runtime whelk_runtime;
typedef struct whelk_session whelk_session;
typedef struct whelk_run whelk_run;
typedef struct whelk_snapshot whelk_snapshot;
typedef struct whelk_call whelk_call;

/* ---- errors and version ---------------------------------------------------------------------- */

enum {
    WHELK_OK = 0,
    WHELK_E_NOMEM = -1,       /* the host or the session's memory limit refused memory */
    WHELK_E_INVALID = -2,     /* a NULL or malformed argument */
    WHELK_E_UNSUPPORTED = -3, /* an option that this library or build does not have */
    WHELK_E_BUSY = -4,        /* a run is active, or the call came from inside a callback */
    WHELK_E_CLOSED = -5,      /* the session is being closed */
    WHELK_E_STATE = -6,       /* not in a state for this (snapshot restored while jobs run…) */
    WHELK_E_NOENT = -7,       /* no such file, command, job */
    WHELK_E_ACCESS = -8,
    WHELK_E_EXISTS = -9,
    WHELK_E_NOTDIR = -10,
    WHELK_E_ISDIR = -11,
    WHELK_E_NOTEMPTY = -12,
    WHELK_E_NOSPACE = -13,    /* a file quota */
    WHELK_E_ROFS = -14,
    WHELK_E_LOOP = -15,
    WHELK_E_NAMETOOLONG = -16,
    WHELK_E_IO = -17,         /* a host file or callback failed */
    WHELK_E_AGAIN = -18,      /* nothing now; see the function */
    WHELK_E_SYSTEM = -19,     /* the host refused threads, mappings or descriptors */
    WHELK_E_BUG = -20         /* an internal fault was contained: close the session */
};

/* Text of a code. Static; any thread. */
WHELK_API const char *whelk_strerror(int code);
/* "0.1.0". Static; any thread. */
WHELK_API const char *whelk_version(void);

/* What this build can do. */
enum {
    WHELK_CAP_HOST_MOUNT = 1 << 0,    /* read-only and read-write host directories */
    WHELK_CAP_OVERLAY_MOUNT = 1 << 1, /* host directory below, memory above */
    WHELK_CAP_OPENAT2 = 1 << 2,       /* host paths are resolved beneath the mount by the kernel, where it
                                         has openat2; elsewhere name by name */
    WHELK_CAP_DEBUG_HOOK = 1 << 3
};
WHELK_API uint64_t whelk_capabilities(void);

/* ---- limits ---------------------------------------------------------------------------------- */

/* 0 in any field means the default; UINT64_MAX means no limit (memory, files and tasks then end at
 * what the host gives). */
typedef struct whelk_limits {
    size_t size;
    uint64_t memory_bytes;    /* everything a session allocates; 512 MiB */
    uint64_t time_ns;         /* wall time of one run; none */
    uint64_t steps;           /* commands, loop turns, work units of one run; none */
    uint64_t output_bytes;    /* stdout + stderr of one run; 1 GiB */
    uint64_t tasks;           /* processes alive at once; 512 */
    uint64_t descriptors;     /* of one process; 1,024 */
    uint64_t depth;           /* nested calls; 10,000 */
    uint64_t nesting;         /* nesting accepted by the parser; 1,000 */
    uint64_t expansion_bytes; /* made by one expansion; 256 MiB */
    uint64_t regex_steps;     /* of one match; 100,000,000 */
    uint64_t file_bytes;      /* bytes of all files; 1 GiB */
    uint64_t files;           /* number of files; 1,000,000 */
    uint64_t file_size;       /* of one file; 1 GiB */
} whelk_limits;

enum whelk_limit {
    WHELK_LIMIT_NONE = 0,
    WHELK_LIMIT_MEMORY = 1,
    WHELK_LIMIT_TIME = 2,
    WHELK_LIMIT_STEPS = 3,
    WHELK_LIMIT_OUTPUT = 4,
    WHELK_LIMIT_TASKS = 5,
    WHELK_LIMIT_DESCRIPTORS = 6,
    WHELK_LIMIT_DEPTH = 7,
    WHELK_LIMIT_NESTING = 8,
    WHELK_LIMIT_EXPANSION = 9,
    WHELK_LIMIT_REGEX = 10
};
/* "memory", "time", …; "none"; "unknown". Static. */
WHELK_API const char *whelk_limit_name(int limit);

/* ---- runtime --------------------------------------------------------------------------------- */

/* The world outside: supply it to replay or to control time and randomness. NULL members: the
 * host's own. */
typedef struct whelk_world {
    size_t size;
    void *ctx;
    int64_t (*realtime_ns)(void *ctx);
    int64_t (*monotonic_ns)(void *ctx);
    int (*entropy)(void *ctx, void *dst, size_t n); /* WHELK_OK or an error */
} whelk_world;

typedef struct whelk_runtime_options {
    size_t size;
    size_t idle_stacks;       /* free task stacks kept mapped (64 KiB each, touched pages only); 0 = 256 */
    const whelk_world *world; /* must outlive the runtime; may be NULL */
} whelk_runtime_options;

/* `options` may be NULL. Errors: NOMEM, UNSUPPORTED, SYSTEM. */
WHELK_API int whelk_runtime_new(const whelk_runtime_options *options, whelk_runtime **out);
/* Every session must have been closed (WHELK_E_BUSY otherwise, and nothing is freed); snapshots may
 * outlive it. NULL is allowed. */
WHELK_API int whelk_runtime_free(whelk_runtime *rt);

/* ---- sessions -------------------------------------------------------------------------------- */

enum whelk_mount_kind {
    WHELK_MOUNT_HOST_RO = 1,
    WHELK_MOUNT_HOST_RW = 2,
    WHELK_MOUNT_OVERLAY = 3, /* host below, changes in memory: whelk_session_changes lists them */
    WHELK_MOUNT_MEMORY = 4   /* an empty memory file system of its own */
};

typedef struct whelk_mount {
    size_t size;
    int kind;                 /* enum whelk_mount_kind */
    const char *path;         /* where, absolute; made if missing */
    const char *host_path;    /* HOST_*, OVERLAY: an existing directory */
    uint32_t flags;           /* WHELK_MOUNT_OWNED */
} whelk_mount;
/* Files of a host mount appear owned by the session's user (default: their real owner's ids). */
#define WHELK_MOUNT_OWNED 1u

typedef struct whelk_file {
    size_t size;
    const char *path;         /* absolute or relative to cwd; parent directories are made */
    const void *data;
    size_t data_len;
    uint32_t mode;            /* permission bits; 0 = 0644 */
} whelk_file;

enum whelk_clock { WHELK_CLOCK_REAL = 0, WHELK_CLOCK_FIXED = 1, WHELK_CLOCK_VIRTUAL = 2 };

typedef struct whelk_session_options {
    size_t size;
    const char *const *env;   /* "NAME=VALUE", n_env of them; PATH, HOME, USER, … are set when missing */
    size_t n_env;
    const char *cwd;          /* NULL = the user's home; made if missing */
    const char *user;         /* NULL = "user" */
    uint32_t uid, gid;        /* 0 with user NULL or not "root" = 1000 */
    const char *hostname;     /* NULL = "whelk" */
    int clock;                /* enum whelk_clock */
    int64_t clock_start_ns;   /* FIXED, VIRTUAL: wall time at open (0 = the real one); at most
                                 9.2e18 either side of 1970, INVALID beyond */
    uint64_t seed;            /* RANDOM, mktemp, /dev/urandom…; 0 = from the world's entropy */
    const whelk_limits *limits;
    const whelk_mount *mounts;
    size_t n_mounts;
    const whelk_file *files;
    size_t n_files;
    const whelk_snapshot *from; /* start from these files instead of the default tree */
    uint32_t umask;           /* 0 = 022 */
} whelk_session_options;

/* Zero the struct and set its size. */
WHELK_API void whelk_session_options_init(whelk_session_options *o);

/* `options` may be NULL. Errors: NOMEM, INVALID, UNSUPPORTED, and those of the files and mounts named
 * (nothing is left behind). */
WHELK_API int whelk_session_open(whelk_runtime *rt, const whelk_session_options *options,
                                 whelk_session **out);
/* Ends runs, jobs and calls, and frees everything. NULL is allowed. [in callbacks: deferred until the
 * call that runs them returns; a run ends first, and its finish or exec answers CLOSED, without a
 * result] */
WHELK_API void whelk_session_close(whelk_session *s);
/* Description of the last error of this session's file and open calls: "PATH: text". Valid until the
 * next call. Never NULL. [in callbacks] */
WHELK_API const char *whelk_session_error(const whelk_session *s);
/* A host's own pointer, kept for it. [in callbacks] */
WHELK_API void whelk_session_set_user_data(whelk_session *s, void *p);
WHELK_API void *whelk_session_user_data(const whelk_session *s);

typedef struct whelk_usage {
    size_t size;
    uint64_t memory_bytes, memory_peak;
    uint64_t file_bytes, files;
    uint64_t tasks;
} whelk_usage;
/* [in callbacks] */
WHELK_API int whelk_session_usage(whelk_session *s, whelk_usage *out);

/* ---- runs ------------------------------------------------------------------------------------ */

/* Results of input and output callbacks besides counts. */
#define WHELK_IO_AGAIN (-2)  /* nothing now: whelk_wake(s) when there is */
#define WHELK_IO_CLOSED (-3) /* output only: nobody reads any more (the writer gets SIGPIPE) */

enum whelk_input_kind {
    WHELK_INPUT_EMPTY = 0,
    WHELK_INPUT_BYTES = 1,
    WHELK_INPUT_FD = 2,      /* a host descriptor; never closed, read only when something asks */
    WHELK_INPUT_CALLBACK = 3
};
typedef struct whelk_input {
    size_t size;
    int kind;                /* what still holds the input after the run (a job, `exec 3<&0`) finds
                                its end */
    const void *data;        /* BYTES: must stay until the run is finished */
    size_t data_len;
    int fd;
    /* CALLBACK: bytes stored (> 0), 0 = end, WHELK_IO_AGAIN, another negative number = read error. */
    ptrdiff_t (*read)(void *ctx, void *dst, size_t cap);
    void *ctx;
    int tty;                 /* non-zero: `test -t 0` is true */
} whelk_input;

enum whelk_output_kind {
    WHELK_OUTPUT_RESULT = 0, /* collected in the result */
    WHELK_OUTPUT_DISCARD = 1,
    WHELK_OUTPUT_FD = 2,
    WHELK_OUTPUT_CALLBACK = 3,
    WHELK_OUTPUT_MERGED = 4  /* stderr only: the same stream as stdout */
};
typedef struct whelk_output {
    size_t size;
    int kind;
    int fd;
    /* CALLBACK: bytes taken (1…n), WHELK_IO_AGAIN (0 counts as it), WHELK_IO_CLOSED. */
    ptrdiff_t (*write)(void *ctx, const void *src, size_t n);
    void *ctx;
    int tty;
    uint64_t keep_bytes;     /* RESULT: keep at most so many bytes; the rest is counted; 0 = all */
} whelk_output;

enum {
    WHELK_RUN_FRESH = 1,      /* a new shell over the same files; the session's own is untouched */
    WHELK_RUN_FILE = 2,       /* `script` is the path of a file in the session */
    WHELK_RUN_STDIN = 4,      /* read commands from standard input, as `bash -s` */
    WHELK_RUN_INTERACTIVE = 8, /* expand aliases, errors do not end the shell: a REPL's line */
    WHELK_RUN_SCRIPT = 32,    /* `script` is the text of a script file called arg0 (BASH_SOURCE) */
    WHELK_RUN_NO_HISTORY = 64, /* the script is not what a user typed: nothing of it is kept or expanded
                                  with ! before it says `set -o history` */
    WHELK_RUN_LAST = 16       /* the shell ends with this run, as `bash -c` does: its EXIT trap runs */
};

typedef struct whelk_run_options {
    size_t size;
    const char *script;
    size_t script_len;        /* SIZE_MAX = NUL-terminated */
    const char *arg0;         /* $0; NULL = "bash" (FILE: the path) */
    const char *const *args;  /* $1…; leaves the session's own parameters alone when n_args is 0 and keep_args */
    size_t n_args;
    int keep_args;
    const char *const *set;   /* words of `set` applied first: "-e", "-o", "pipefail", "+x"… */
    size_t n_set;
    whelk_input in;
    whelk_output out, err;
    uint32_t flags;
    const whelk_limits *limits; /* time, steps and output of this run; NULL = the session's */
} whelk_run_options;
WHELK_API void whelk_run_options_init(whelk_run_options *o);

enum whelk_stop {
    WHELK_STOP_EXIT = 0,   /* the script ended: status */
    WHELK_STOP_SIGNAL = 1, /* ended by a virtual signal: signal; status is 128 + signal */
    WHELK_STOP_LIMIT = 2,  /* limit */
    WHELK_STOP_CANCEL = 3,
    WHELK_STOP_CLOSED = 4,
    WHELK_STOP_FAULT = 5   /* an internal fault was contained */
};

typedef struct whelk_result {
    size_t size;
    int stop;              /* enum whelk_stop */
    int status;            /* exit status 0…255; LIMIT: 125 (124 for time); CANCEL: 130 */
    int signal;
    int limit;             /* enum whelk_limit */
    int shell_ended;       /* exit, errexit, exec or a signal ended the shell (the session goes on) */
    const char *out;       /* RESULT streams; always NUL behind; never NULL */
    size_t out_len;
    const char *err;
    size_t err_len;
    uint64_t out_total, err_total; /* bytes written, kept or not */
    uint64_t steps;
    int64_t wall_ns;
    uint64_t memory_peak;
    uint32_t jobs;         /* background jobs still alive */
} whelk_result;


/* Run a script to its end. *result is owned by the session and valid until its next run or close.
 * A script that fails is WHELK_OK with a status. When it has ended, jobs that are ready have a short turn (10 ms,
 * 100,000 steps) while their output is still the run's. Errors: BUSY, CLOSED, INVALID, NOMEM, UNSUPPORTED. */
WHELK_API int whelk_exec(whelk_session *s, const char *script, const whelk_result **result);
WHELK_API int whelk_exec_with(whelk_session *s, const whelk_run_options *options,
                              const whelk_result **result);

/* The same in slices, for hosts with an event loop. */
enum whelk_step {
    WHELK_STEP_DONE = 0,     /* call whelk_run_finish */
    WHELK_STEP_READY = 1,    /* budget used up */
    WHELK_STEP_WAIT = 2,     /* whelk_run_wait_info tells for what */
    WHELK_STEP_HOST_CALL = 3 /* waits only for the host's own answers (calls, AGAIN) */
};
WHELK_API int whelk_run_start(whelk_session *s, const whelk_run_options *options, whelk_run **out);
/* Go on for at most so many steps and nanoseconds (0 = no bound). Returns enum whelk_step or an error. */
WHELK_API int whelk_run_step(whelk_run *run, uint64_t budget_steps, int64_t budget_ns);
typedef struct whelk_wait {
    size_t size;
    int64_t timeout_ns;      /* until a timer is due; -1 = none, 0 = now */
    int fds[64];             /* host descriptors to poll, with poll(2) events */
    short events[64];
    size_t n_fds;
} whelk_wait;
WHELK_API int whelk_run_wait_info(whelk_run *run, whelk_wait *out);
/* Block until something can go on or timeout_ns (-1 = for ever) has passed. */
WHELK_API int whelk_run_wait(whelk_run *run, int64_t timeout_ns);
/* End the run (cancelling it if it is not DONE) and give its result; `run` is gone. */
WHELK_API int whelk_run_finish(whelk_run *run, const whelk_result **result);

/* Stop the present run: it ends with WHELK_STOP_CANCEL within milliseconds. Remembered for the next
 * step when none is running it; forgotten when a run starts. Any thread. */
WHELK_API void whelk_cancel(whelk_session *s);
/* Make a blocked or waiting run look again at its callbacks. Any thread. */
WHELK_API void whelk_wake(whelk_session *s);

/* Let background jobs advance between runs: at most so many steps / nanoseconds. Returns enum whelk_step
 * (DONE: no job is alive). */
WHELK_API int whelk_pump(whelk_session *s, uint64_t budget_steps, int64_t budget_ns);

/* ---- background jobs ------------------------------------------------------------------------- */

typedef struct whelk_job {
    size_t size;
    uint32_t number;         /* %N */
    uint32_t pid;            /* of its last process: $! */
    int state;               /* 0 running, 1 stopped, 2 done */
    int status;              /* when done */
    const char *command;     /* valid during the callback */
} whelk_job;
/* BUSY in callbacks; a non-zero answer of visit ends it and is returned. */
WHELK_API int whelk_jobs(whelk_session *s, int (*visit)(void *ctx, const whelk_job *job), void *ctx);
/* Output that a job wrote after its run had ended (a bounded ring; the oldest is dropped; a script sees
 * it as /proc/PID/output). Moves up to cap bytes to dst; returns their number. */
WHELK_API ptrdiff_t whelk_job_read(whelk_session *s, uint32_t pid, void *dst, size_t cap);
/* Virtual kill(2). NOENT when there is no such process. [in callbacks] */
WHELK_API int whelk_kill(whelk_session *s, int64_t pid, int signal);

/* ---- files: by the session's user, relative paths at its shell's cwd [in callbacks] -------------- */

typedef struct whelk_stat {
    size_t size;
    uint64_t ino;
    uint32_t mode;           /* type and permissions, Linux's bits */
    uint32_t nlink, uid, gid;
    uint64_t bytes;
    int64_t atime_ns, mtime_ns, ctime_ns;
} whelk_stat;

/* *data is freed with whelk_free; NUL behind. */
WHELK_API int whelk_read_file(whelk_session *s, const char *path, char **data, size_t *len);
/* Creates parent directories; replaces contents; mode 0 keeps or gives 0644. */
WHELK_API int whelk_write_file(whelk_session *s, const char *path, const void *data, size_t len,
                               uint32_t mode);
WHELK_API int whelk_append_file(whelk_session *s, const char *path, const void *data, size_t len);
WHELK_API int whelk_stat_file(whelk_session *s, const char *path, int follow, whelk_stat *out);
/* Entries in order of name, without . and ..; a non-zero answer of visit ends it and is returned. */
WHELK_API int whelk_list_dir(whelk_session *s, const char *path,
                             int (*visit)(void *ctx, const char *name, const whelk_stat *st), void *ctx);
WHELK_API int whelk_make_dir(whelk_session *s, const char *path, int parents, uint32_t mode);
WHELK_API int whelk_remove(whelk_session *s, const char *path, int recursive);
WHELK_API int whelk_rename(whelk_session *s, const char *from, const char *to);
WHELK_API int whelk_symlink(whelk_session *s, const char *target, const char *path);
/* Frees what the library said is freed with it. */
WHELK_API void whelk_free(void *p);

/* ---- snapshots: files as values ---------------------------------------------------------------- */

/* Microseconds whatever the size. A snapshot outlives its session and may be used by any thread. */
WHELK_API int whelk_snapshot_take(whelk_session *s, whelk_snapshot **out);
WHELK_API void whelk_snapshot_free(whelk_snapshot *snap);
/* Put the session's files back. STATE while a run is active or jobs are alive. */
WHELK_API int whelk_snapshot_restore(whelk_session *s, const whelk_snapshot *snap);
/* A new session with the same files, shell state, user and limits; no jobs. Mounts are shared. */
WHELK_API int whelk_session_fork(whelk_session *s, whelk_session **out);

enum whelk_change { WHELK_ADDED = 1, WHELK_REMOVED = 2, WHELK_MODIFIED = 3, WHELK_METADATA = 4, WHELK_RENAMED = 5 };
/* What differs from a to b, in time proportional to it. old_path only for RENAMED. A non-zero answer
 * of visit ends it and is returned. */
WHELK_API int whelk_snapshot_diff(const whelk_snapshot *a, const whelk_snapshot *b,
                                  int (*visit)(void *ctx, int change, const char *path, const char *old_path),
                                  void *ctx);

/* ---- commands written by the host ---------------------------------------------------------------- */

/* A command of the host's. begin starts it and may complete the call at once or later. */
typedef struct whelk_command_ops {
    size_t size;
    void (*begin)(void *ctx, whelk_call *call);
    /* The calling process is gone (killed, limit, close): the host must still whelk_call_complete or
     * whelk_call_unref; NULL: not told. */
    void (*cancelled)(void *ctx, whelk_call *call);
    void (*destroy)(void *ctx); /* when the command is unregistered or the session closed; NULL allowed */
} whelk_command_ops;

/* Make `name` a command of this session (an entry under /usr/bin, `type`, help). Replaces an earlier
 * one; a shell builtin of the name is found first. */
WHELK_API int whelk_command_add(whelk_session *s, const char *name, const char *summary,
                                const whelk_command_ops *ops, void *ctx);
WHELK_API int whelk_command_remove(whelk_session *s, const char *name);

/* [in callbacks, and at any time by the session's thread while a reference is held] References do not
 * outlive the session: the last moment to drop them is `cancelled` during whelk_session_close. */
WHELK_API whelk_call *whelk_call_ref(whelk_call *c);
WHELK_API void whelk_call_unref(whelk_call *c);
WHELK_API whelk_session *whelk_call_session(whelk_call *c);
WHELK_API size_t whelk_call_argc(const whelk_call *c);
WHELK_API const char *whelk_call_arg(const whelk_call *c, size_t i); /* 0 = the name; NULL past the end */
WHELK_API const char *whelk_call_env(const whelk_call *c, const char *name);
WHELK_API const char *whelk_call_env_at(const whelk_call *c, size_t i); /* "NAME=VALUE" or NULL */
WHELK_API const char *whelk_call_cwd(const whelk_call *c);
WHELK_API uint32_t whelk_call_pid(const whelk_call *c);
/* Read standard input: > 0 bytes, 0 at the end, WHELK_E_AGAIN (nothing yet: whelk_call_on_ready
 * tells when), other errors. */
WHELK_API ptrdiff_t whelk_call_read(whelk_call *c, void *dst, size_t cap);
/* Write to descriptor 1 or 2: bytes taken, which may be fewer than n, WHELK_E_AGAIN, WHELK_IO_CLOSED. */
WHELK_API ptrdiff_t whelk_call_write(whelk_call *c, int fd, const void *src, size_t n);
/* Ask to be told once when input is readable / output writable. */
WHELK_API int whelk_call_on_ready(whelk_call *c, int fd, void (*ready)(void *ctx, whelk_call *c), void *ctx);
/* Ends the process with this status and drops the reference that begin was given. */
WHELK_API void whelk_call_complete(whelk_call *c, int status);
WHELK_API int whelk_call_is_cancelled(const whelk_call *c);

/* ---- debugging ------------------------------------------------------------------------------------ */

typedef struct whelk_location {
    size_t size;
    uint32_t source;         /* stable id of the source text in this session */
    const char *source_name;
    uint32_t line, column;   /* column 0 = not known (always, in this version) */
    const char *command;     /* the command about to run, as text */
    uint32_t depth, pid;
} whelk_location;
enum { WHELK_DEBUG_GO = 0, WHELK_DEBUG_PAUSE = 1, WHELK_DEBUG_CANCEL = 2 };
/* Called before each command. PAUSE: the run answers HOST_CALL until whelk_debug_resume. NULL removes it. */
WHELK_API int whelk_debug_hook(whelk_session *s, int (*hook)(void *ctx, const whelk_location *where), void *ctx);
WHELK_API int whelk_debug_resume(whelk_session *s);

/* ---- lists for tools -------------------------------------------------------------------------------- */

/* Names of all commands, builtins first: visit(ctx, name, summary, is_builtin). [in callbacks] */
WHELK_API int whelk_commands(whelk_session *s,
                             int (*visit)(void *ctx, const char *name, const char *summary, int builtin),
                             void *ctx);
/* Completions of the word that ends at byte `at` of `line`: commands, variables, files. */
WHELK_API int whelk_complete(whelk_session *s, const char *line, size_t at,
                             int (*visit)(void *ctx, const char *replacement), void *ctx, size_t *word_start);
/* The lines that the session's shell has kept (set -o history), the oldest first. 0, what visit stopped with, or
 * WHELK_E_… [in callbacks] */
WHELK_API int whelk_history(whelk_session *s, int (*visit)(void *ctx, const char *line, size_t len), void *ctx);
/* Is `text` a whole command: 1 yes, 0 more lines are needed, WHELK_E_… */
WHELK_API int whelk_is_complete(whelk_session *s, const char *text);

#ifdef __cplusplus
}
#endif
#endif
