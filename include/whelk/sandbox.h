/* whelk/sandbox.h - places where commands run: a whelk session, a container, the host
 *
 * A *sandbox* runs commands and keeps files. Its *kind* says where: "inprocess" (a whelk session), "docker" (a
 * container of its own), "host" (the machine itself, without isolation by default), or one that the program supplies
 * (whelk/sandbox_kind.h). What holds of one kind holds of all: the same calls, results and limits. An option
 * that a kind cannot honour is refused when the sandbox is opened, by name.
 *
 *     whelk_sandbox_options o;  whelk_sandbox *box;  whelk_sandbox_result *r;
 *     whelk_sandbox_options_init(&o);
 *     o.image = "python:3.12-bookworm";
 *     if (whelk_sandbox_open("docker", &o, &box) != WHELK_OK) puts(whelk_sandbox_error(box));
 *     whelk_sandbox_exec(box, "python3 -V", &r);
 *     fwrite(r->out, 1, r->out_len, stdout);
 *     whelk_sandbox_result_free(r);
 *     whelk_sandbox_close(box);
 *
 * Threads:  a sandbox belongs to one thread at a time; only whelk_sandbox_cancel may be called from any.
 * Waits:    every call ends: by what it waits for, by its time-out, or by whelk_sandbox_cancel.
 * Paths:    bytes; relative ones start at the workspace. Process ids are the sandbox's own numbers.
 * Errors:   WHELK_E_… codes; whelk_sandbox_error has the words.
 */
#ifndef WHELK_SANDBOX_H
#define WHELK_SANDBOX_H

#include "whelk.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct whelk_sandbox whelk_sandbox;
typedef struct whelk_sandbox_kind whelk_sandbox_kind; /* whelk/sandbox_kind.h */

/* What a sandbox can do: whelk_sandbox_capabilities. */
enum {
    WHELK_BOX_EXEC = 1 << 0,
    WHELK_BOX_BACKGROUND = 1 << 1,      /* whelk_sandbox_start */
    WHELK_BOX_STDIN = 1 << 2,           /* input of commands that comes piece by piece */
    WHELK_BOX_TTY = 1 << 3,
    WHELK_BOX_SIGNAL = 1 << 4,
    WHELK_BOX_USER = 1 << 5,            /* commands as another user */
    WHELK_BOX_SNAPSHOT = 1 << 6,
    WHELK_BOX_WORKSPACE_ON_HOST = 1 << 7, /* the workspace is a directory of the host */
    WHELK_BOX_NETWORK_NONE = 1 << 8,
    WHELK_BOX_NETWORK_ALL = 1 << 9,
    WHELK_BOX_PORTS = 1 << 10,          /* exposes ports on the host's loopback */
    WHELK_BOX_LIMIT_MEMORY = 1 << 11,
    WHELK_BOX_LIMIT_CPU = 1 << 12,
    WHELK_BOX_LIMIT_PIDS = 1 << 13,
    WHELK_BOX_ISOLATED = 1 << 14        /* what runs in it cannot reach the host's files */
};

/* ---- opening ------------------------------------------------------------------------------------ */

/* 0: as the kind does by default. */
enum whelk_choice { WHELK_DEFAULT = 0, WHELK_YES = 1, WHELK_NO = 2 };

enum whelk_notice {
    WHELK_NOTICE_WARNING = 1, /* what the user should know: the host kind's, a degraded isolation */
    WHELK_NOTICE_PROGRESS = 2 /* of a pull or of the set-up script, in lines */
};

/* A value that commands of the named programs find in their environment, and nothing else; wherever the sandbox's
 * calls report text, it stands as ***. */
typedef struct whelk_secret {
    size_t size;
    const char *name, *value;
    const char *const *commands; /* last parts of argv[0]; n_commands of them; 0: only requests that ask for it */
    size_t n_commands;
} whelk_secret;

typedef struct whelk_port {
    size_t size;
    uint16_t inside;  /* of the sandbox */
    uint16_t outside; /* of the host's loopback; 0: one that is free (whelk_sandbox_port tells) */
} whelk_port;

typedef struct whelk_sandbox_options {
    size_t size;
    /* --- all kinds */
    const char *const *env;       /* NAME=VALUE of every command */
    size_t n_env;
    const char *workspace;        /* host: an absolute directory, kept at close. docker: the user's own folder, mounted.
                                     NULL: one is made below the user's cache directory. inprocess: cwd */
    int delete_on_cleanup;        /* enum whelk_choice: whether the workspace goes at close. Default: one that was made
                                     goes, a given one stays */
    const char *shell;            /* that runs scripts; NULL: bash, where there is none sh */
    int background;               /* enum whelk_choice; docker: default on for the default image, off for another */
    const char *network;          /* "none", "all"; NULL: none (docker, inprocess). host: must be NULL */
    int64_t timeout_ms;           /* of a command that names none; 0: 120,000; -1: none */
    uint64_t memory_bytes;        /* 0: 2 GiB (docker), the session's default (inprocess) */
    uint32_t cpu_milli;           /* thousandths of a processor; 0: 2,000 (docker) */
    uint32_t pids;                /* 0: 512 (docker) */
    const char *git_name, *git_email; /* identity of commits; NULL: whelk <whelk@localhost> */
    const whelk_secret *secrets;
    size_t n_secrets;
    /* Once it is ready, before it is handed out: anything but WHELK_OK fails the opening and closes it. */
    int (*on_create)(void *ctx, whelk_sandbox *box);
    /* When it is about to be closed, or was lost; not after a failed on_create. */
    void (*on_destroy)(void *ctx, whelk_sandbox *box);
    void (*notice)(void *ctx, int notice, const char *text); /* enum whelk_notice; NULL: not told */
    void *ctx;
    /* --- docker */
    const char *image;            /* NULL: python:3.12-bookworm */
    const char *pull;             /* "missing" (NULL), "always", "never" */
    const char *platform;         /* such as "linux/arm64"; NULL: the engine's */
    const char *endpoint;         /* "unix:///…" or "tcp://ADDRESS:PORT"; NULL: DOCKER_HOST, the context, sockets */
    const char *setup_script;     /* run once by sh; failing, it fails the opening */
    int64_t setup_timeout_ms;     /* 0: 600,000 */
    int workspace_in_container;   /* the workspace is of the container's own layer, not of the host */
    const char *workspace_path;   /* where it is in the container; NULL: /workspace */
    const char *user;             /* "uid[:gid]" of commands; NULL: root; with a directory of the host its owner */
    const char *runtime;          /* of the engine's, such as "runsc" */
    int read_only_root;
    const whelk_port *ports;
    size_t n_ports;
    /* --- host */
    const char *isolation;        /* "none" (NULL), "auto", "bwrap", "strict" */
    int inherit_env;              /* start from the program's own environment, without what looks like a secret */
    /* --- inprocess */
    const whelk_session_options *session;
    whelk_runtime *runtime_of_session; /* NULL: one of its own */
    /* --- further ones of a supplied kind: NAME=VALUE. docker: network=host, network=NAME (with network "all"),
     * mount=/HOST:/PATH[:ro], cap_add=NAME, dns=ADDRESS, add_host=NAME:ADDRESS, shm_bytes=N */
    const char *const *extra;
    size_t n_extra;
} whelk_sandbox_options;
WHELK_API void whelk_sandbox_options_init(whelk_sandbox_options *o);

/* Opens a sandbox of a kind: "inprocess", "docker", "host". When it fails *out is a sandbox that only knows its error
 * and is to be closed all the same (NULL without memory). Errors: UNSUPPORTED (an option, a kind), INVALID, ACCESS
 * (host without ALLOW_DANGEROUS_LOCAL_HOST=1; an engine's socket that may not be used), NOENT (no engine, no image),
 * IO (the engine refused or broke), SYSTEM, NOMEM, STATE (on_create or the set-up script failed). */
WHELK_API int whelk_sandbox_open(const char *kind, const whelk_sandbox_options *options, whelk_sandbox **out);
/* The same of a kind that the program supplies; it must outlive the sandbox. */
WHELK_API int whelk_sandbox_open_kind(const whelk_sandbox_kind *kind, const whelk_sandbox_options *options,
                                      whelk_sandbox **out);
/* Ends every process and removes what opening made. NULL is allowed. Not from within a callback of its own. */
WHELK_API void whelk_sandbox_close(whelk_sandbox *box);
/* Words of the last error; never NULL; valid until the next call. */
WHELK_API const char *whelk_sandbox_error(const whelk_sandbox *box);
WHELK_API const char *whelk_sandbox_kind_name(const whelk_sandbox *box);
WHELK_API uint64_t whelk_sandbox_capabilities(const whelk_sandbox *box);
/* Absolute path of the workspace inside. */
WHELK_API const char *whelk_sandbox_workspace(const whelk_sandbox *box);
/* What isolates it, for people: "docker container, network none, …". */
WHELK_API const char *whelk_sandbox_description(const whelk_sandbox *box);
/* The host's port that reaches `inside`; 0: none. */
WHELK_API uint16_t whelk_sandbox_port(const whelk_sandbox *box, uint16_t inside);
/* The session behind the kind "inprocess"; NULL. It is the sandbox's: closing it does nothing. What runs in the sandbox
 * advances when the session does; none can be started while a run of the program's own is under way. */
WHELK_API whelk_session *whelk_sandbox_session(whelk_sandbox *box);
/* Ends the present call with WHELK_OUTCOME_CANCELLED or WHELK_E_CLOSED soon, whatever it waits for; forgotten when the
 * next one starts. Any thread. Opening sets *out, in release order, before it waits: that may be cancelled too. */
WHELK_API void whelk_sandbox_cancel(whelk_sandbox *box);
/* Removes containers and directories of the user's sandboxes whose program has died; how many, or an error. Opening
 * does it too. kind as of open. */
WHELK_API int whelk_sandbox_reap(const char *kind, const whelk_sandbox_options *options);

/* ---- commands ----------------------------------------------------------------------------------- */

enum whelk_keep { WHELK_KEEP_HEAD_TAIL = 0, WHELK_KEEP_HEAD = 1, WHELK_KEEP_TAIL = 2 };

typedef struct whelk_sandbox_request {
    size_t size;
    const char *script;           /* for the shell; or */
    const char *const *argv;      /* a program and its arguments, n_argv of them */
    size_t n_argv;
    int login;                    /* the shell is a login shell */
    const char *cwd;              /* NULL: the workspace */
    const char *const *env;       /* NAME=VALUE, over the sandbox's */
    size_t n_env;
    const char *user;             /* "uid[:gid]"; NULL: the sandbox's */
    const void *input;            /* standard input; NULL: none (/dev/null) */
    size_t input_len;
    ptrdiff_t (*read_input)(void *ctx, void *dst, size_t cap); /* or from here: bytes, 0 at the end; may block */
    const int *input_fd;          /* or from this descriptor of the host, read when poll(2) says so; never closed */
    int tty;                      /* a terminal of rows x columns; output is one stream */
    uint16_t rows, columns;       /* 0: 24 x 80 */
    int merged;                   /* standard error goes into standard output */
    int64_t timeout_ms;           /* 0: the sandbox's; -1: none */
    int64_t idle_timeout_ms;      /* without any output; 0: none */
    int64_t grace_ms;             /* between TERM and KILL when it must end; 0: 2,000 */
    int detach_on_timeout;        /* it goes on in the background instead; needs BACKGROUND */
    uint64_t max_stdout, max_stderr; /* bytes that the result keeps; 0: 10 MiB */
    int keep;                     /* enum whelk_keep: which, when there is more */
    const char *spill;            /* path in the sandbox: all of standard output is written there when it was cut */
    void (*on_output)(void *ctx, int stream, const char *data, size_t n); /* as it comes; stream 1 or 2 */
    void *ctx;
    uint64_t memory_bytes, file_bytes, cpu_seconds; /* limits of its processes; 0: none */
    uint32_t descriptors, processes;
    const char *const *secrets;   /* names of secrets that it may have besides those of its program */
    size_t n_secrets;
    const char *tag;              /* for whelk_sandbox_processes */
} whelk_sandbox_request;
WHELK_API void whelk_sandbox_request_init(whelk_sandbox_request *r);

enum whelk_outcome {
    WHELK_OUTCOME_EXITED = 0,
    WHELK_OUTCOME_SIGNALED = 1,
    WHELK_OUTCOME_TIMEOUT = 2,
    WHELK_OUTCOME_CANCELLED = 3,
    WHELK_OUTCOME_MEMORY = 4,  /* ended because memory ran out */
    WHELK_OUTCOME_FAILED = 5,  /* could not be started: error says why */
    WHELK_OUTCOME_LOST = 6,    /* the sandbox went away meanwhile */
    WHELK_OUTCOME_DETACHED = 7 /* goes on as process */
};

typedef struct whelk_sandbox_result {
    size_t size;
    int outcome;                  /* enum whelk_outcome */
    int exit_code;                /* EXITED: 0…255; otherwise -1 */
    int signal;                   /* SIGNALED; and with what TIMEOUT, CANCELLED, MEMORY ended it; 0: none */
    const char *out, *err;        /* NUL behind; where something was left out, one line says how much */
    size_t out_len, err_len;
    uint64_t out_total, err_total; /* bytes written */
    int truncated;                /* 1: of stdout, 2: of stderr, 3: both */
    int64_t wall_ns, cpu_ns;
    uint64_t memory_peak;         /* bytes; 0: not known */
    uint32_t process;             /* DETACHED: its id */
    uint32_t survivors;           /* processes of it that go on in the background */
    const char *error;            /* words for FAILED, LOST, TIMEOUT, MEMORY; "" */
    int retry_safe;               /* FAILED, LOST: it had not been started */
} whelk_sandbox_result;

/* Runs a script in the sandbox's shell to its end, without input. The result is freed with
 * whelk_sandbox_result_free. A command that fails, a time-out or the like is WHELK_OK with its outcome.
 * Errors: INVALID, UNSUPPORTED (in the request), CLOSED, NOMEM; then *result is NULL. */
WHELK_API int whelk_sandbox_exec(whelk_sandbox *box, const char *script, whelk_sandbox_result **result);
WHELK_API int whelk_sandbox_exec_with(whelk_sandbox *box, const whelk_sandbox_request *request,
                                      whelk_sandbox_result **result);
/* One after the other, whatever their outcomes, until the sandbox is lost or the call cancelled: what was not run is
 * CANCELLED or LOST; a request that exec_with refuses is FAILED. results holds n pointers. */
WHELK_API int whelk_sandbox_exec_all(whelk_sandbox *box, const whelk_sandbox_request *requests, size_t n,
                                     whelk_sandbox_result **results);
WHELK_API void whelk_sandbox_result_free(whelk_sandbox_result *r);

/* ---- background processes: of a sandbox with BACKGROUND --------------------------------------------- */

typedef struct whelk_process {
    size_t size;
    uint32_t id;
    const char *tag, *command;    /* valid during the call that shows it */
    int state;                    /* 0 running, 1 ended */
    int outcome, exit_code, signal;
    int64_t started_ns, ended_ns; /* wall clock */
    int64_t cpu_ns;
    uint64_t out_bytes, err_bytes;
} whelk_process;

/* Starts it and gives its id. timeout_ms: 0 is none here; it is looked at whenever the library is called. `input` is
 * what it gets at once, and stays open: whelk_sandbox_end_input. Refused are on_output, another read_input than
 * whelk_sandbox_input_later, idle_timeout_ms, detach_on_timeout, spill, keep, max_stdout and max_stderr. Of ended ones
 * the last 256 are known. Errors: UNSUPPORTED, NOENT and ACCESS (program), NOSPACE (64 are running), IO. */
WHELK_API int whelk_sandbox_start(whelk_sandbox *box, const whelk_sandbox_request *request, uint32_t *id);
/* All that were started and not forgotten, in order of id; a non-zero answer of visit ends it and is returned. */
WHELK_API int whelk_sandbox_processes(whelk_sandbox *box, int (*visit)(void *ctx, const whelk_process *p), void *ctx);

enum whelk_until {
    WHELK_UNTIL_ANY = 0,  /* any byte, or the end */
    WHELK_UNTIL_EXIT = 1,
    WHELK_UNTIL_MATCH = 2, /* a line, once it is whole, has a match of an extended regular expression */
    WHELK_UNTIL_PORT = 3  /* something listens on a port of the sandbox */
};
typedef struct whelk_sandbox_read {
    size_t size;
    uint32_t id;
    int stream;                   /* 1 or 2 */
    uint64_t offset;              /* from here */
    size_t max;                   /* 0: 1 MiB */
    int64_t wait_ms;              /* 0: do not wait; at most 30,000 */
    int until;                    /* enum whelk_until: what is waited for */
    const char *pattern;
    uint16_t port;
} whelk_sandbox_read;
typedef struct whelk_sandbox_output {
    size_t size;
    char *data;                   /* freed with whelk_free; NUL behind */
    size_t len;
    uint64_t offset;              /* of data; later than asked when what was before is no longer kept */
    uint64_t next, lost;          /* offset to go on from; bytes left out before data */
    int state;                    /* 0 running, 1 ended */
    int met;                      /* what was waited for has come */
} whelk_sandbox_output;
/* Output of a process from an offset on: of each stream the first and the last 8 MiB are kept. */
WHELK_API int whelk_sandbox_read_output(whelk_sandbox *box, const whelk_sandbox_read *what, whelk_sandbox_output *out);
/* To its standard input (the request said tty, input, or read_input = whelk_sandbox_input_later); waits until it is
 * taken, 30 s at most. CLOSED: nobody reads it. */
WHELK_API int whelk_sandbox_write_input(whelk_sandbox *box, uint32_t id, const void *data, size_t n);
WHELK_API int whelk_sandbox_end_input(whelk_sandbox *box, uint32_t id);
/* For read_input of a request to whelk_sandbox_start: input comes by whelk_sandbox_write_input. */
WHELK_API ptrdiff_t whelk_sandbox_input_later(void *ctx, void *dst, size_t cap);
WHELK_API int whelk_sandbox_resize(whelk_sandbox *box, uint32_t id, uint16_t rows, uint16_t columns);
enum whelk_scope { WHELK_SCOPE_LEADER = 0, WHELK_SCOPE_GROUP = 1, WHELK_SCOPE_TREE = 2 };
/* NOENT: it has ended, or never was. */
WHELK_API int whelk_sandbox_signal(whelk_sandbox *box, uint32_t id, int signal, int scope);
/* Waits for its end: WHELK_OK, and *p filled; AGAIN when timeout_ms (-1: none) is over. */
WHELK_API int whelk_sandbox_wait(whelk_sandbox *box, uint32_t id, int64_t timeout_ms, whelk_process *p);
/* Drops an ended process and its output. BUSY: it runs. */
WHELK_API int whelk_sandbox_forget(whelk_sandbox *box, uint32_t id);
/* Waits until something listens on a port of the sandbox's loopback: WHELK_OK; AGAIN when the time is over. */
WHELK_API int whelk_sandbox_wait_port(whelk_sandbox *box, uint16_t port, int64_t timeout_ms);

/* ---- files --------------------------------------------------------------------------------------- */

/* Paths lead where they lead for a program of the sandbox: through links, also at their end where contents or modes
 * are meant. "" and NULL are INVALID. Paths that are shown begin as the caller's did. Errors besides those named:
 * NOENT, ACCESS, NOTDIR, ISDIR, LOOP, NAMETOOLONG, ROFS, NOSPACE; INVALID for contents of what is no regular file; IO
 * also when nothing comes for 60 s; CLOSED (lost, cancelled). A visit may call the library. */

/* As whelk_stat, of files of the sandbox; atime and ctime are mtime. No type: neither file, directory nor link. */
WHELK_API int whelk_sandbox_stat(whelk_sandbox *box, const char *path, int follow, whelk_stat *out);
typedef struct whelk_sandbox_range {
    size_t size;
    int lines;                    /* offset and limit count lines, from 0; else bytes */
    uint64_t offset, limit;       /* limit 0: 2,000 lines, or all bytes (at most 256 MiB) */
} whelk_sandbox_range;
typedef struct whelk_sandbox_data {
    size_t size;
    char *data;                   /* freed with whelk_free; NUL behind */
    size_t len;
    uint64_t total;               /* bytes of the whole file; lines: at least of its first 256 MiB */
    uint64_t next;                /* where to go on; total at the end */
    int binary;                   /* holds NUL bytes, or is no UTF-8 */
} whelk_sandbox_data;
/* range NULL: all bytes. */
WHELK_API int whelk_sandbox_read_file(whelk_sandbox *box, const char *path, const whelk_sandbox_range *range,
                                      whelk_sandbox_data *out);
enum { WHELK_WRITE_APPEND = 1, WHELK_WRITE_NEW = 2 /* EXISTS when it is there */ };
/* Parent directories are made; a file that is replaced keeps its mode unless one is given. A reader never sees half
 * of it. */
WHELK_API int whelk_sandbox_write_file(whelk_sandbox *box, const char *path, const void *data, size_t n, uint32_t mode,
                                       int flags);
/* Replaces old_text by new_text. NOENT: it is not in the file; STATE: more than once, and all is 0. *count: how many
 * there were. Newlines of both are the file's where that has CRLF. BUSY: others change it all the time. */
WHELK_API int whelk_sandbox_edit(whelk_sandbox *box, const char *path, const char *old_text, const char *new_text,
                                 int all, size_t *count);
/* Puts text, as lines, before line `line` (from 0; the number of lines: at the end). */
WHELK_API int whelk_sandbox_insert(whelk_sandbox *box, const char *path, uint64_t line, const char *text);
/* Entries below a directory, `depth` levels (0: 1), in order of path; target NULL unless a link. Like the searches:
 * links are not followed, and a million entries are NOSPACE. */
WHELK_API int whelk_sandbox_list(whelk_sandbox *box, const char *path, unsigned depth,
                                 int (*visit)(void *ctx, const char *path, const whelk_stat *st, const char *target),
                                 void *ctx);
/* Paths below `path` that match a pattern of * ? […] {a,b}: without "/" at any depth by its last part, with ** across
 * directories; names that begin with a dot only when the pattern's part does; "/" at its end: directories. max 0:
 * 5,000. *more: there were more. */
WHELK_API int whelk_sandbox_glob(whelk_sandbox *box, const char *path, const char *pattern, size_t max,
                                 int (*visit)(void *ctx, const char *path), void *ctx, int *more);
typedef struct whelk_sandbox_search {
    size_t size;
    const char *path, *pattern;   /* path: a file or directory; NULL: the workspace */
    int regex;                    /* an extended regular expression; else plain text */
    int ignore_case;
    const char *include, *exclude; /* patterns of names, as of glob; NULL */
    unsigned context;             /* lines around */
    size_t max;                   /* matching lines; 0: 500 */
} whelk_sandbox_search;
typedef struct whelk_match {
    size_t size;
    const char *path, *line;      /* valid during the call */
    size_t line_len;
    uint64_t number;              /* of the line, from 1 */
    int is_context;
} whelk_match;
/* Lines that match, in order of path. Passed over: what has NUL bytes, .git, .hg and .svn below path, files above
 * 64 MiB and what cannot be read (whelk_sandbox_error tells of these two). exclude also leaves out directories. */
WHELK_API int whelk_sandbox_grep(whelk_sandbox *box, const whelk_sandbox_search *what,
                                 int (*visit)(void *ctx, const whelk_match *m), void *ctx, int *more);
WHELK_API int whelk_sandbox_make_dir(whelk_sandbox *box, const char *path, int parents, uint32_t mode);
WHELK_API int whelk_sandbox_remove(whelk_sandbox *box, const char *path, int recursive);
WHELK_API int whelk_sandbox_rename(whelk_sandbox *box, const char *from, const char *to);
WHELK_API int whelk_sandbox_symlink(whelk_sandbox *box, const char *target, const char *path);
WHELK_API int whelk_sandbox_chmod(whelk_sandbox *box, const char *path, uint32_t mode);

/* Several files at once; each has its own code. Upload: data in; mode 0 = 0644. Download: data out, freed with
 * whelk_free: 256 MiB a file, 1 GiB a call (NOSPACE). The call's own code is not WHELK_OK only when the sandbox is lost
 * or the call cancelled, or its arguments are none. */
typedef struct whelk_transfer {
    size_t size;
    const char *path;
    char *data;
    size_t len;
    uint32_t mode;
    int code;                     /* out: WHELK_OK, NOENT, ACCESS, ISDIR, INVALID, NOSPACE, … */
} whelk_transfer;
WHELK_API int whelk_sandbox_upload(whelk_sandbox *box, whelk_transfer *files, size_t n);
WHELK_API int whelk_sandbox_download(whelk_sandbox *box, whelk_transfer *files, size_t n);

/* Files as they are now, and back: of a sandbox with SNAPSHOT. Freed with whelk_snapshot_free. */
WHELK_API int whelk_sandbox_snapshot(whelk_sandbox *box, whelk_snapshot **out);
WHELK_API int whelk_sandbox_restore(whelk_sandbox *box, const whelk_snapshot *snapshot);

#ifdef __cplusplus
}
#endif
#endif
