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

struct inproc_process;

/* ---- what was written: the first `each` bytes and the last (sandbox_log.c) ---------------------- */

struct inproc_log {
    struct wk_mem *mem;
    uint64_t each;
    struct wk_buf head;
    bool head_full;
    uint64_t tail_base; /* offset at which the tail began */
    char *tail;         /* a ring: offset o lies at (o - tail_base) % tail_cap */
    size_t tail_cap, tail_max;
    uint64_t total;
};
void inproc_log_init(struct inproc_log *l, struct wk_mem *m, uint64_t each);
void inproc_log_put(struct inproc_log *l, const char *p, size_t n);
/* Bytes from `offset` on that lie together, at most `most`; *at: of the first, *lost: bytes left out before it. */
struct wk_str inproc_log_get(const struct inproc_log *l, uint64_t offset, size_t most, uint64_t *at, uint64_t *lost);
void inproc_log_release(struct inproc_log *l);

/* ---- processes ---------------------------------------------------------------------------------- */

struct inproc_stream {
    struct inproc_process *p;
    int number;           /* 1 or 2 */
    struct wk_file *sink; /* NULL: merged, or given up */
    uint64_t credit;      /* bytes that are welcome */
    struct wk_buf rest;   /* of an ended process, not yet told */
    size_t rest_at;
    bool unwanted;  /* nobody takes what comes */
    bool takes_all; /* it has ended: what its sink holds goes to `rest` */
    bool after_cr;  /* tty: half of a line end was told */
    struct inproc_log log;
};

struct inproc_wait {
    struct inproc_wait *next;
    int stream;
    uint64_t offset;
    size_t most;
    whelk_log_fn *fn;
    void *ctx;
};

enum inproc_state { INPROC_RUNNING, INPROC_DRAINING, INPROC_CLOSING, INPROC_CLOSED };

struct inproc_process {
    struct inproc_process *next;
    struct inproc_box *box;
    uint32_t id, flags, pid;
    enum inproc_state state;
    bool forgotten, over; /* over: wrote more than the session's limit allows */
    int killed;           /* signal that ended its whole group */
    struct wk_proc *proc; /* until it was reaped */
    struct wk_cgroup *group;
    int64_t drain_until;
    whelk_process_events events;
    void *ctx;
    struct inproc_stream out[2];
    uint64_t written;
    struct wk_file *in;
    struct wk_buf input; /* from input_at on not yet read */
    size_t input_at;
    bool input_end, input_gone;
    size_t room; /* to be told */
    uint16_t rows, columns;
    struct inproc_wait *waits;
};

struct inproc_box {
    struct wk_mem *mem;
    whelk_runtime *rt; /* of its own; NULL */
    whelk_session *s;
    struct inproc_process *processes;
    struct inproc_track *tracks; /* paths whose changes are asked for */
    struct wk_buf words;         /* of an error */
    int depth;                   /* inside pump, or start */
    bool again;                  /* there is something to do at once */
    uint64_t output_max;         /* of a process; UINT64_MAX: none */
    uint32_t uid, gid;
    char *workspace, *description, *shell, *home, *path;
    char **env; /* n_env of them and a NULL */
    size_t n_env;
};

int inproc_start(void *box, uint32_t id, const whelk_spec *spec, const whelk_process_events *events, void *ctx);
void inproc_welcome(void *box, uint32_t id, int stream, size_t n);
int inproc_write(void *box, uint32_t id, const void *p, size_t n);
int inproc_signal(void *box, uint32_t id, int signal, int scope, void (*done)(void *ctx, int code), void *ctx);
int inproc_resize(void *box, uint32_t id, uint16_t rows, uint16_t columns);
int inproc_log(void *box, uint32_t id, int stream, uint64_t offset, size_t most, int wait, whelk_log_fn *fn,
               void *ctx);
void inproc_stop_waiting(void *box, uint32_t id);
void inproc_forget(void *box, uint32_t id);
/* In pump: tells what has become of a process. */
void inproc_advance(struct inproc_process *p);
/* When pump wants to be called for it at the latest: host time, WK_FOREVER. */
int64_t inproc_deadline(const struct inproc_process *p);
/* Frees the records of forgotten ones. */
void inproc_sweep(struct inproc_box *b);
/* Ends and frees all, telling nobody. */
void inproc_drop_all(struct inproc_box *b);

/* ---- terminals (sandbox_tty.c) -------------------------------------------------------------------- */

/* What the terminal makes of keys: puts what a program reads into p->input, echoes, sends signals. 0, -WK_ENOMEM. */
int inproc_tty_keys(struct inproc_process *p, const char *keys, size_t n);
/* Tells output with line ends as a terminal has them, within the credit; how much of it. */
size_t inproc_tty_tell(struct inproc_stream *st, const char *p, size_t n);
/* The same into its log: all of it. */
void inproc_tty_log(struct inproc_stream *st, const char *p, size_t n);

/* ---- files ---------------------------------------------------------------------------------------- */

int inproc_file(void *box, const whelk_file_request *r, const whelk_file_events *events, void *ctx);

/* Where a request's path leads: a directory (counted; NULL: the root) and a path from there, of one name when it was
 * relative. */
struct inproc_place {
    struct wk_vdir *dir;
    struct wk_str name;
    bool relative;
};
struct wk_cred inproc_cred(const struct inproc_box *b);
/* 0 or -WK_Exxx: ELOOP for a link in the way of a relative one, EINVAL for .. in it. */
int inproc_place_find(struct inproc_box *b, const char *path, struct inproc_place *out);
void inproc_place_release(struct inproc_place *at);
/* Tells what is there. `path`: as the answer has it. 0 or -WK_Exxx. */
int inproc_tell_entry(struct inproc_box *b, struct wk_vdir *dir, struct wk_str name, bool follow, const char *path,
                      int change, const whelk_file_events *events, void *ctx);
/* Tells all below a directory, `depth` levels, except `names`. */
int inproc_tell_below(struct inproc_box *b, const whelk_file_request *r, struct wk_vdir *dir, struct wk_str name,
                      const char *path, unsigned depth, int change, const whelk_file_events *events, void *ctx);

/* ---- changes (sandbox_changes.c) ------------------------------------------------------------------- */

/* Answers WHELK_FILE_CHANGES, all but `done`. 0 or -WK_Exxx. */
int inproc_changes(struct inproc_box *b, const whelk_file_request *r, const whelk_file_events *events, void *ctx);
/* The program itself has changed what is at this path now: CHANGES does not tell of it. */
void inproc_changes_own(struct inproc_box *b, const char *path);
void inproc_changes_release(struct inproc_box *b);

extern const whelk_sandbox_kind wk_inprocess_kind;

#endif
