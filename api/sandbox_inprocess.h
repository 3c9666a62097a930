/* sandbox_inprocess.h - what the files of the kind "inprocess" share: a session behind a sandbox's table
 *
 * sandbox_inprocess.c opens and pumps; sandbox_process.c has its processes, sandbox_log.c what they wrote,
 * sandbox_tty.c their terminals, sandbox_vfs.c files, sandbox_changes.c what became of them.
 *
 * Each process of the sandbox is one of the session's machine, in a control group of its own: a child of pid 1 with
 * streams that lead here. They advance in pump, and whenever else the session runs.
 *
 * Owner:   the sandbox. The box has an account of its own; what the session holds is the session's.
 * Threads: as the session.
 */
#ifndef WK_API_SANDBOX_INPROCESS_H
#define WK_API_SANDBOX_INPROCESS_H

#include "api/internal.h"
#include "kern/cgroup.h"
#include "whelk/sandbox_kind.h"

struct wk_inproc_process;

/* ---- what was written: the first `each` bytes and the last (sandbox_log.c) ---------------------- */

struct wk_inproc_log {
    struct wk_mem *mem;
    uint64_t each;
    struct wk_buf head;
    bool head_full;
    uint64_t tail_base; /* offset at which the tail began */
    char *tail;         /* a ring: offset o lies at (o - tail_base) % tail_cap */
    size_t tail_cap, tail_max;
    uint64_t total;
};
void wk_inproc_log_init(struct wk_inproc_log *l, struct wk_mem *m, uint64_t each);
void wk_inproc_log_put(struct wk_inproc_log *l, const char *p, size_t n);
/* Bytes from `offset` on that lie together, at most `most`; *at: of the first, *lost: bytes left out before it. */
struct wk_str wk_inproc_log_get(const struct wk_inproc_log *l, uint64_t offset, size_t most, uint64_t *at,
                                uint64_t *lost);
void wk_inproc_log_release(struct wk_inproc_log *l);

/* ---- processes ---------------------------------------------------------------------------------- */

struct wk_inproc_stream {
    struct wk_inproc_process *p;
    int number;           /* 1 or 2 */
    struct wk_file *sink; /* NULL: merged, or given up */
    uint64_t credit;      /* bytes that are welcome */
    struct wk_buf rest;   /* of an ended process, not yet told */
    size_t rest_at;
    bool unwanted;  /* nobody takes what comes */
    bool takes_all; /* it has ended: what its sink holds goes to `rest` */
    bool after_cr;  /* tty: half of a line end was told */
    struct wk_inproc_log log;
};

struct wk_inproc_wait {
    struct wk_inproc_wait *next;
    int stream;
    uint64_t offset;
    size_t most;
    whelk_log_fn *fn;
    void *ctx;
};

enum wk_inproc_state { WK_INPROC_RUNNING, WK_INPROC_DRAINING, WK_INPROC_CLOSING, WK_INPROC_CLOSED };

struct wk_inproc_process {
    struct wk_inproc_process *next;
    struct wk_inproc_box *box;
    uint32_t id, flags, pid;
    enum wk_inproc_state state;
    bool forgotten, over; /* over: wrote more than the session's limit allows */
    int killed;           /* signal that ended its whole group */
    struct wk_proc *proc; /* until it was reaped */
    struct wk_cgroup *group;
    int64_t drain_until;
    whelk_process_events events;
    void *ctx;
    struct wk_inproc_stream out[2];
    uint64_t written;
    struct wk_file *in;
    struct wk_buf input; /* from input_at on not yet read */
    size_t input_at;
    bool input_end, input_gone, input_asked;
    bool tty_end;                /* the end of input was typed behind input[tty_end_at) */
    size_t tty_end_at, tty_line; /* tty_line: bytes typed since the last end of a line */
    size_t room;                 /* to be told */
    uint16_t rows, columns;
    struct wk_inproc_wait *waits;
};

struct wk_inproc_box {
    struct wk_mem *mem;
    whelk_runtime *rt; /* of its own; NULL */
    whelk_session *s;
    struct wk_inproc_process *processes;
    struct wk_inproc_track *tracks; /* paths whose changes are asked for */
    struct wk_buf words;            /* of an error */
    int depth;                      /* inside pump, or start */
    bool again;                     /* there is something to do at once */
    uint64_t output_max;            /* of a process; UINT64_MAX: none */
    uint32_t uid, gid;
    char *workspace, *description, *home, *path;
    char *shell, *shell_path; /* as it is called, and where it is */
    char **env;               /* n_env of them and a NULL */
    size_t n_env;
};

int wk_inproc_start(void *box, uint32_t id, const whelk_spec *spec, const whelk_process_events *events, void *ctx);
void wk_inproc_welcome(void *box, uint32_t id, int stream, size_t n);
int wk_inproc_write(void *box, uint32_t id, const void *p, size_t n);
int wk_inproc_signal(void *box, uint32_t id, int signal, int scope, void (*done)(void *ctx, int code), void *ctx);
int wk_inproc_resize(void *box, uint32_t id, uint16_t rows, uint16_t columns);
int wk_inproc_read_log(void *box, uint32_t id, int stream, uint64_t offset, size_t most, int wait, whelk_log_fn *fn,
                       void *ctx);
void wk_inproc_stop_waiting(void *box, uint32_t id);
void wk_inproc_forget(void *box, uint32_t id);
/* In pump: tells what has become of a process. */
void wk_inproc_advance(struct wk_inproc_process *p);
/* When pump wants to be called for it at the latest: host time, WK_FOREVER. */
int64_t wk_inproc_deadline(const struct wk_inproc_process *p);
/* Frees the records of forgotten ones. */
void wk_inproc_sweep(struct wk_inproc_box *b);
/* Ends and frees all, telling nobody. */
void wk_inproc_drop_all(struct wk_inproc_box *b);

/* ---- terminals (sandbox_tty.c) -------------------------------------------------------------------- */

/* What the terminal makes of keys: puts what a program reads into p->input, echoes, sends signals. 0, -WK_ENOMEM. */
int wk_inproc_tty_keys(struct wk_inproc_process *p, const char *keys, size_t n);
/* Tells output with line ends as a terminal has them, within the credit; how much of it. */
size_t wk_inproc_tty_tell(struct wk_inproc_stream *st, const char *p, size_t n);
/* The same into its log: all of it. */
void wk_inproc_tty_log(struct wk_inproc_stream *st, const char *p, size_t n);

/* ---- files ---------------------------------------------------------------------------------------- */

int wk_inproc_file(void *box, const whelk_file_request *r, const whelk_file_events *events, void *ctx);

/* Where a request's path leads: a directory (counted; NULL: the root) and a path from there, of one name when it was
 * relative. */
struct wk_inproc_place {
    struct wk_vdir *dir;
    struct wk_str name;
    bool relative;
};
struct wk_cred wk_inproc_cred(const struct wk_inproc_box *b);
/* 0 or -WK_Exxx: ELOOP for a link in the way of a relative one, EINVAL for .. in it. */
int wk_inproc_place_find(struct wk_inproc_box *b, const char *path, struct wk_inproc_place *out);
void wk_inproc_place_release(struct wk_inproc_place *at);
/* Tells what is there. `path`: as the answer has it. 0 or -WK_Exxx. */
int wk_inproc_tell_entry(struct wk_inproc_box *b, struct wk_vdir *dir, struct wk_str name, bool follow,
                         const char *path, int change, const whelk_file_events *events, void *ctx);
/* Tells all below a directory, `depth` levels, except `names`. */
int wk_inproc_tell_below(struct wk_inproc_box *b, const whelk_file_request *r, struct wk_vdir *dir, struct wk_str name,
                         const char *path, unsigned depth, int change, const whelk_file_events *events, void *ctx);

/* ---- changes (sandbox_changes.c) ------------------------------------------------------------------- */

/* Answers WHELK_FILE_CHANGES, all but `done`. 0 or -WK_Exxx. */
int wk_inproc_changes(struct wk_inproc_box *b, const whelk_file_request *r, const whelk_file_events *events, void *ctx);
/* The program itself has changed what is at this path now: CHANGES does not tell of it. */
void wk_inproc_changes_own(struct wk_inproc_box *b, const char *path);
void wk_inproc_changes_release(struct wk_inproc_box *b);

extern const whelk_sandbox_kind wk_inprocess_kind;

#endif
