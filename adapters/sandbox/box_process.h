/* box_process.h - a process that the library started in a box: its events, its input, its end
 *
 * A foreground command (sandbox_exec.c) and a background process (sandbox_process.c) are the same thing: a record on
 * the sandbox's list that the kind's events go to. Who waits looks at the record. Ending one is a ladder: TERM to its
 * tree, then after a while KILL; its next rung is a deadline that wk_sandbox_tick keeps.
 *
 * Owner:   the sandbox. A record goes when it has ended and nobody wants it, or with the sandbox.
 */
#ifndef WK_ADAPTERS_BOX_PROCESS_H
#define WK_ADAPTERS_BOX_PROCESS_H

#include "adapters/sandbox/sandbox.h"

enum {
    WK_BOX_WINDOW = 1 << 20,    /* of output that is welcome at once */
    WK_BOX_LOG_BYTES = 8 << 20, /* that are kept of each stream's beginning, and of its end */
    WK_BOX_RUNNING = 64,        /* background processes at once */
    WK_BOX_RECORDS = 256        /* ended ones that are remembered */
};

enum wk_box_rung { WK_RUNG_NONE, WK_RUNG_TERM, WK_RUNG_KILL, WK_RUNG_LAST };

/* What it writes, as it comes; in the foreground. */
typedef void wk_box_output_fn(void *ctx, int stream, const char *p, size_t n);

struct wk_box_process {
    struct wk_box_process *next;
    struct whelk_sandbox *b;
    uint32_t id;
    char *tag, *command;       /* for people; tag may be NULL */
    bool background;           /* shown by whelk_sandbox_processes */
    bool begun;                /* the kind has it */
    bool left;                 /* nobody waits or asks: it goes when it has ended */
    bool started, ended, closed, lost;
    bool logged, tty;
    int fail_code;             /* it could not be started */
    struct wk_buf words;       /* why: of fail_code, lost */
    whelk_exit exit;
    int outcome;               /* that ending it gives it: TIMEOUT, CANCELLED; 0: none */
    enum wk_box_rung rung;
    int64_t deadline;          /* of the next rung, or of its time; monotonic ns; INT64_MAX: none */
    int64_t grace_ns;
    int64_t began_ns, heard_ns, over_ns; /* monotonic: begun; last event; ended */
    int64_t started_wall, ended_wall;
    uint64_t bytes[2];         /* written, as far as known */
    bool counted;              /* ... and that is all */
    /* input: what waits, and what else there is */
    bool has_input, input_over, input_told, unread;
    size_t room;
    char *input;
    bool input_borrowed;       /* it is the caller's, for as long as this is a foreground command */
    size_t input_at, input_n, input_cap;
    ptrdiff_t (*read_input)(void *ctx, void *dst, size_t cap);
    void *read_ctx;
    int input_fd;              /* instead of read_input; -1: none */
    bool input_waits;          /* for the descriptor, which had nothing */
    bool input_failed;
    /* output, in the foreground */
    wk_box_output_fn *output;
    void *output_ctx;
};

/* Makes a record for what a request asks, on the list; nothing is started yet. NULL without memory. */
struct wk_box_process *wk_process_new(struct whelk_sandbox *b, const whelk_sandbox_request *q);
/* Starts it: asks the kind, waits until it takes it. WHELK_OK: events come; else the code, and words in the sandbox's
 * error or (what the kind answered: it cannot be started) in the record. */
int wk_process_begin(struct wk_box_process *p, const whelk_spec *spec, int64_t deadline);
/* Begins to end it: TERM to its tree, KILL when grace_ns are over; at once when they are 0. */
void wk_process_end(struct wk_box_process *p, int outcome, int64_t grace_ns);
/* Nothing more comes of it: it could not be started, is lost, or has ended and told all. */
bool wk_process_is_over(const struct wk_box_process *p);
/* enum whelk_outcome of one that is over. */
int wk_process_outcome(const struct wk_box_process *p);
/* Words for what could not be started, as a shell says them, appended: the kind's own, when it has some. */
void wk_process_say_failed(const struct wk_box_process *p, const char *program, int code, struct wk_buf *out);
/* Nobody wants it any more: freed now, or once it has ended. */
void wk_process_leave(struct wk_box_process *p);
/* Takes it off the list and frees it; the kind forgets it. */
void wk_process_free(struct wk_box_process *p);
/* How many run in the background. */
unsigned wk_process_running(const struct whelk_sandbox *b);
/* Copies what the caller gave as input and has not gone yet: it goes on without the caller. False without memory. */
bool wk_process_own_input(struct wk_box_process *p);
/* Passes on input as far as there is room. */
void wk_process_feed(struct wk_box_process *p);

/* The background process of that number; NULL (sandbox_process.c). */
struct wk_box_process *wk_process_find(struct whelk_sandbox *b, uint32_t id);

/* ---- box_request.c ---- */

/* A request that was looked at, made ready for the kind. */
struct wk_box_request {
    struct whelk_sandbox *b;
    whelk_sandbox_request q;   /* every member of ours, as given */
    whelk_spec spec;
    const char *program;       /* for people: argv[0], or the shell */
    const char **argv;
    char **env;
    char *cwd, *script_path;   /* script_path: of a script that is too long for an argument; in the box */
    char *script_command;
    int64_t timeout_ms;        /* -1: none */
    const char *timeout_source;
};
/* Checks a request and makes its spec. Errors: INVALID, UNSUPPORTED, NOMEM, IO, CLOSED, with words. Released in any
 * case. */
int wk_box_request_take(struct wk_box_request *r, struct whelk_sandbox *b, const whelk_sandbox_request *given,
                        bool background);
void wk_box_request_release(struct wk_box_request *r);

#endif
