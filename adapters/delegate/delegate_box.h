/* delegate_box.h - what the files of delegation share
 *
 * delegate.c is the command from its start to its status, delegate_box.c the box that the commands of a session share,
 * delegate_streams.c input and output, delegate_paths.c what a command line means in the box.
 */
#ifndef WK_ADAPTERS_DELEGATE_BOX_H
#define WK_ADAPTERS_DELEGATE_BOX_H

#include "adapters/delegate/delegate.h"
#include "adapters/mirror/mirror.h"
#include "adapters/sandbox/sandbox.h"
#include "base/map.h"

enum {
    WK_DELEGATE_FDS = WK_WAIT_ANY_FDS,
    WK_DELEGATE_SIGNALS = 32, /* that wait to be sent; further ones of the kind that waits already are one with it */
    WK_DELEGATE_AHEAD = 1 << 17, /* bytes of input that the box has and no process yet */
    WK_DELEGATE_SENT = 1 << 18 /* bytes of input that are remembered, to be given back */
};
#define WK_DELEGATE_KILL_NS  INT64_C(10000000000) /* a killed process has ended by then, or the box does not answer */
#define WK_DELEGATE_QUIET_NS INT64_C(60000000000) /* files are under way and nothing comes: the box does not answer */
#define WK_DELEGATE_LOOK_NS  INT64_C(1000000000)  /* between two looks at what a background job has changed */

/* A directory of the session that stands for one of the box. */
struct wk_delegate_dir {
    char *here, *there; /* absolute, without a final slash */
};

/* One way out of a process. */
struct wk_delegate_stream {
    struct wk_file *file; /* of the process's table; NULL: closed, or the command is gone */
    struct wk_redact redact;
    struct wk_buf held;   /* told, not written yet: held.p[held_at, held.n) */
    size_t held_at;
    size_t credit;        /* welcome, not told yet */
    bool broken;          /* nobody reads it any more */
    bool shut;            /* ... and the box was told */
    bool failed;          /* no memory for what came */
    bool writing;         /* the command is in a write: SIGPIPE is of that */
    bool unwritten;       /* a file did not take all: said, and no success */
};

enum wk_delegated_state {
    WK_DELEGATED_NEW,      /* the box has not heard of it */
    WK_DELEGATED_ASKED,    /* to start */
    WK_DELEGATED_RUNNING,
    WK_DELEGATED_ENDED,    /* the process; its output may still come */
    WK_DELEGATED_OVER      /* nothing more comes: it closed, did not start, or was lost */
};

enum wk_delegate_sync { WK_SYNC_IDLE, WK_SYNC_WANTED, WK_SYNC_BEGUN, WK_SYNC_DONE };

/* A process of the box, and the command that it is. */
struct wk_delegated {
    struct wk_delegate *d;
    struct wk_delegated *next, **at;
    struct wk_task *task; /* NULL: the command is gone */
    struct wk_proc *proc;
    uint32_t id;
    enum wk_delegated_state state;
    void *start;          /* what it is to be started with (delegate.c) */
    bool known;           /* the box has the id */
    bool lost;
    int fail_code;        /* it did not start */
    char *words;          /* of that, or of the loss; NULL */
    whelk_exit exit;
    bool parked, news;    /* waits in wk_delegate_wait; something came for it */
    /* signals on their way */
    struct {
        uint8_t signal, scope;
    } signals[WK_DELEGATE_SIGNALS];
    size_t n_signals;
    uint8_t killed_by;    /* before it had started, or by KILL */
    int64_t kill_due;     /* host time by which a killed one must have ended; WK_FOREVER */
    /* input */
    struct wk_file *in;   /* NULL: none, or no more is read */
    size_t room;
    bool has_input, had_room, in_over, end_told, unread;
    bool remembers;       /* the file cannot go back by itself */
    struct wk_buf staged, sent;
    struct wk_delegate_stream out[2];
    bool merged;
    /* files */
    enum wk_delegate_sync sync;
    enum wk_mirror_way way;
    uint64_t ticket;
    struct wk_mirror_result *result; /* NULL when the sync is done: no memory */
};

struct wk_delegate {
    struct wk_kern *k;
    struct wk_mem *mem;
    whelk_sandbox *box;   /* NULL: not open */
    bool own;             /* opened here */
    const whelk_sandbox_kind *kind; /* to be opened */
    whelk_sandbox_options *options;
    int sync;
    char *directory;
    char **left_out;
    size_t n_left_out;
    uint64_t max_file, max_bytes, max_files;
    struct wk_delegate_dir dirs[2];
    size_t n_dirs;
    struct wk_mirror *mirror;
    struct wk_map told;   /* what was said of names that stay behind */
    bool may_have_changed; /* by a command that was dropped: nothing was brought back for it */
    bool survivors;       /* processes that a command left behind run in the box, as far as is known */
    int64_t looked_ns;    /* host time of the last pull */
    int64_t heard_ns;     /* host time at which the box had last something to say */
    struct wk_delegated *processes, *pumper;
    struct wk_wait_fd fds[WK_DELEGATE_FDS];
    size_t n_fds;
    int64_t due_ns;       /* host time at which the box wants to be pumped; WK_FOREVER */
    struct wk_hostreq service; /* what no task waits for */
    bool posted, freeing, pumping;
};

/* ---- delegate_box.c ---- */

/* A record for the running command, which goes with it and with its process, whichever ends later. NULL: no memory. */
struct wk_delegated *wk_delegated_new(struct wk_delegate *d, struct wk_task *t);
/* Something came for it. */
void wk_delegated_news(struct wk_delegated *x);
/* Runs perform(x) on the host's stack, then pumps the box. */
void wk_delegate_call(struct wk_delegated *x, void (*perform)(struct wk_delegated *x));
/* Has the host's loop pump the box soon, and send what waits. From anywhere. */
void wk_delegate_post(struct wk_delegate *d);
/* Parks until something came for x, one of the files is ready (they may be none) or the host's time is over; pumps
 * the box meanwhile, or has another do it. */
void wk_delegate_wait(struct wk_delegated *x, struct wk_wait_any *files, int64_t until_host_ns);
/* Opens the box when it is not open. WHELK_OK; else the words for it are in *why. Parks. */
int wk_delegate_open(struct wk_delegated *x, struct wk_buf *why);
/* Keeps session and box in step. True: x->result is set, or NULL for want of memory; false: x was killed meanwhile or
 * the box does not answer. Parks. */
bool wk_delegate_sync(struct wk_delegated *x, enum wk_mirror_way way);
/* Pumps the box once and settles what follows. On the host's stack. */
void wk_delegate_pump(struct wk_delegate *d);
bool wk_delegate_is_lost(const struct wk_delegate *d);
/* Ends all that the box has of d, and the box when it was opened here. On the host's stack, without tasks. */
void wk_delegate_leave_box(struct wk_delegate *d);
const char *wk_delegate_kind(const struct wk_delegate *d);

/* ---- delegate_streams.c ---- */

extern const whelk_process_events wk_delegated_events;
/* Looks at descriptors 0, 1 and 2 of the command. */
void wk_delegated_take_streams(struct wk_delegated *x);
/* Writes what is held; parks where a file makes it wait that is no pipe. The first error is said. */
void wk_delegated_flush(struct wk_cmd *c, struct wk_delegated *x);
/* Takes input that the box has room for. */
void wk_delegated_read(struct wk_cmd *c, struct wk_delegated *x);
/* Gives back what the process did not read. */
void wk_delegated_give_back(struct wk_delegated *x);
/* Files that x waits for, and whether the box is to be told something at once. */
void wk_delegated_wants(struct wk_delegated *x, struct wk_wait_any *w);
bool wk_delegated_has_work(const struct wk_delegated *x);
/* Output that is not written yet. */
bool wk_delegated_holds(const struct wk_delegated *x);
/* Tells the box about input, and output that is welcome. On the host's stack. */
void wk_delegated_tell(struct wk_delegated *x);
/* No output comes any more; afterwards nothing of x is the box's. */
void wk_delegated_end_output(struct wk_delegated *x);
void wk_delegated_release_streams(struct wk_delegated *x);

/* ---- delegate_paths.c ---- */

/* The directories of d that are kept in step, for an open box. 0 or -WK_ENOMEM. */
int wk_delegate_set_dirs(struct wk_delegate *d);
void wk_delegate_drop_dirs(struct wk_delegate *d);
/* The working directory as the box has it, in the heap; NULL when it has not: *here is its name in the session. */
const char *wk_delegate_cwd(struct wk_cmd *c, const struct wk_delegate *d, const char **here);
/* The command line for the box, ended by NULL. */
const char *const *wk_delegate_argv(struct wk_cmd *c, const struct wk_delegate *d);
/* What the session's variables are in the box; *n of them. */
const char *const *wk_delegate_env(struct wk_cmd *c, const struct wk_delegate *d, const char *cwd, size_t *n);

#endif
