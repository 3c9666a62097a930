/* whelk/sandbox_kind.h - for authors of kinds of sandboxes: Kubernetes, ssh, a hosted service, a mock
 *
 * A kind is a table of functions over a *box* of its own. All of them return at once: what takes time is begun, and
 * its events come from pump (or from within the function that begins it). The library waits, on the descriptors that
 * `poll` names, for itself or together with a session's other work; it keeps time-outs, cuts output, and builds the
 * rest of whelk/sandbox.h on these few calls.
 *
 * Threads:  a box is used by one thread at a time. `interrupted` of the opening may be asked from inside open.
 * Events:   they may call the table's functions, but open, close, pump and snapshot's.
 * Numbers:  the library chooses the ids of processes: not 0, each once while known.
 * Trust:    a kind is the program's own code; what it passes on from its sandbox is checked by the library.
 */
#ifndef WHELK_SANDBOX_KIND_H
#define WHELK_SANDBOX_KIND_H

#include "whelk/sandbox.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the library offers a kind while it opens. */
typedef struct whelk_opening {
    size_t size;
    void *ctx;
    /* Words for the user when open fails; may be called several times: the last one counts. */
    void (*error)(void *ctx, const char *text);
    void (*notice)(void *ctx, int notice, const char *text); /* enum whelk_notice */
    /* Whether the opening is to be given up (whelk_sandbox_cancel); between waits of at most 100 ms. */
    int (*interrupted)(void *ctx);
} whelk_opening;

/* What a box is, once open. Strings are the box's, until it is closed. */
typedef struct whelk_box_facts {
    size_t size;
    uint64_t capabilities;        /* WHELK_BOX_… */
    const char *workspace;        /* its absolute path inside */
    const char *home;             /* HOME of commands; NULL: the workspace */
    const char *shell;            /* that runs scripts: an absolute path, or a name to be found */
    const char *path;             /* PATH of commands; NULL: the usual one */
    const char *const *env;       /* NAME=VALUE that commands need besides; n_env of them */
    size_t n_env;
    const char *description;
} whelk_box_facts;

enum whelk_spec_flag {
    WHELK_SPEC_INPUT = 1,   /* standard input comes by write; else it is /dev/null */
    WHELK_SPEC_TTY = 2,
    WHELK_SPEC_MERGED = 4,
    WHELK_SPEC_LOGGED = 8   /* output is kept for `log`, not told */
};
/* A process to start: everything is decided. Borrowed during `start`. */
typedef struct whelk_spec {
    size_t size;
    uint32_t flags;               /* WHELK_SPEC_… */
    const char *const *argv;      /* ended by NULL. A script is argv of the shell: SHELL -c TEXT */
    const char *const *env;       /* NAME=VALUE, ended by NULL: all of it */
    const char *script;           /* the text, when it is one: a box that is a shell itself runs this; NULL */
    const char *cwd;              /* absolute */
    uint32_t uid, gid;            /* UINT32_MAX: the box's own */
    uint32_t umask;
    uint16_t rows, columns;
    uint64_t log_bytes;           /* LOGGED: to be kept of each stream's beginning, and of its end */
    uint64_t memory_bytes, file_bytes, cpu_seconds, descriptors, processes; /* limits; 0: none */
    /* LOGGED: its tree is to be ended when so long is over, KILL grace_ms after TERM; 0: it may run on. The library
     * does it whenever it is called; a box that can does it by itself. */
    int64_t timeout_ms, grace_ms;
} whelk_spec;

typedef struct whelk_exit {
    size_t size;
    int code;                     /* -1 when ended by a signal */
    int signal;
    int out_of_memory;            /* it was ended because memory ran out */
    int64_t user_ns, system_ns;
    uint64_t memory_peak;         /* bytes */
    uint32_t survivors;           /* processes of its tree that go on */
    uint64_t input_left;          /* bytes that `write` took and nobody had read when it ended; 0 also where the kind
                                     does not know: they are lost to what comes after it */
    int timed_out;                /* the box ended it, since its timeout_ms was over */
} whelk_exit;

/* What becomes of a process. Called from pump, or from within start; ctx is that of start. */
typedef struct whelk_process_events {
    size_t size;
    void (*started)(void *ctx);
    void (*failed)(void *ctx, int code, const char *text); /* could not be started: WHELK_E_…; nothing else comes */
    /* At most as much as was welcomed. */
    void (*output)(void *ctx, int stream, const void *p, size_t n);
    void (*room)(void *ctx, size_t n); /* so much more input may be written; SIZE_MAX: nobody reads it */
    void (*exited)(void *ctx, const whelk_exit *e);
    /* After exited: all of its output was told, or is in its log. The last one. */
    void (*closed)(void *ctx);
    void (*lost)(void *ctx, const char *text); /* the box is gone; nothing else comes */
} whelk_process_events;

enum whelk_file_op {
    WHELK_FILE_STAT = 1,   /* -> stat, target of a link (not followed unless FOLLOW) */
    WHELK_FILE_LIST = 2,   /* -> entry for each name below, `depth` levels; then done */
    WHELK_FILE_GET = 3,    /* from offset, at most length bytes -> data…; then done with the whole size */
    WHELK_FILE_PUT = 4,    /* data[0, length): beside and renamed; mode, mtime (INT64_MIN: now) */
    WHELK_FILE_MAKE_DIR = 5, /* EXISTS when there is something else; parents are not made */
    WHELK_FILE_SYMLINK = 6, /* replaces a link or file */
    WHELK_FILE_REMOVE = 7, /* and all below */
    WHELK_FILE_RENAME = 8, /* to target */
    WHELK_FILE_ATTRIBUTES = 9, /* mode (UINT32_MAX: as it is), mtime (INT64_MIN: as it is) */
    /* What has changed below path since the last CHANGES of that path or by this program's own requests -> entry
     * with `change`; then done. names[]: names that are passed over. The first one tells nothing: it only looks. */
    WHELK_FILE_CHANGES = 10,
    /* data[0, length) behind what the file holds, which is there. A kind may answer UNSUPPORTED: the library then reads
     * the file and puts it. */
    WHELK_FILE_APPEND = 11
};
enum { WHELK_FILE_FOLLOW = 1 };
enum whelk_file_type { WHELK_TYPE_FILE = 1, WHELK_TYPE_DIR = 2, WHELK_TYPE_LINK = 3, WHELK_TYPE_OTHER = 4 };

/* Borrowed during `file`; data[0, length) must stay until done. A relative path lies below the workspace and goes
 * through no link: one in its way is LOOP. An absolute one is resolved as any program of the box would. */
typedef struct whelk_file_request {
    size_t size;
    int op;                       /* enum whelk_file_op */
    uint32_t flags;
    const char *path, *target;
    uint32_t mode;
    int64_t mtime_ns;
    uint64_t offset, length;
    const void *data;
    unsigned depth;
    const char *const *names;
    size_t n_names;
} whelk_file_request;

typedef struct whelk_file_entry {
    size_t size;
    const char *path;             /* as asked, "/" and the rest: relative to the workspace for relative requests */
    const char *target;           /* of a link; NULL */
    int type;                     /* enum whelk_file_type */
    int change;                   /* WHELK_ADDED, WHELK_MODIFIED, WHELK_REMOVED; 0 outside of CHANGES */
    uint32_t mode;                /* permission bits */
    uint32_t uid, gid, links;
    int64_t mtime_ns;
    uint64_t bytes, inode, device;
} whelk_file_entry;

/* Answers to a file request; ctx is that of `file`. done is the last one: WHELK_OK, or a code and what it was about. */
typedef struct whelk_file_events {
    size_t size;
    void (*entry)(void *ctx, const whelk_file_entry *e);
    void (*data)(void *ctx, const void *p, size_t n);
    void (*done)(void *ctx, int code, uint64_t size, const char *text);
} whelk_file_events;

/* Bytes of a log. */
typedef void whelk_log_fn(void *ctx, int code, uint64_t offset, uint64_t lost, int ended, const void *p, size_t n);

struct whelk_sandbox_kind {
    size_t size;
    const char *name;
    void *ctx;
    /* Opens a box; blocking. It must refuse, by name, every option that it cannot honour. 0 or WHELK_E_…. */
    int (*open)(void *ctx, const whelk_sandbox_options *o, const whelk_opening *with, void **box,
                whelk_box_facts *facts);
    /* Ends all and removes what open made, unless `keep` (WHELK_YES, WHELK_NO, WHELK_DEFAULT). */
    void (*close)(void *box, int keep);
    /* Descriptors to wait for, with poll(2) events: at most cap; their number. *timeout_ms: pump wants to be called by
     * then (-1: no). */
    size_t (*poll)(void *box, int *fds, short *events, size_t cap, int64_t *timeout_ms);
    /* Moves what can be moved without waiting; events are told from in here. WHELK_OK, CLOSED when the box is gone. */
    int (*pump)(void *box);
    /* Begins to start a process. Not WHELK_OK: nothing will come. AGAIN: not now, after the next pump. */
    int (*start)(void *box, uint32_t id, const whelk_spec *spec, const whelk_process_events *events, void *ctx);
    /* Output of so many bytes more is welcome. SIZE_MAX: nobody takes it any more; what still comes is dropped, and who
     * writes it should find a broken pipe. */
    void (*welcome)(void *box, uint32_t id, int stream, size_t n);
    /* Input, no more than there was room for; all n are taken. n = 0 ends it. */
    int (*write)(void *box, uint32_t id, const void *p, size_t n);
    /* scope: enum whelk_scope. done may come later: WHELK_OK, NOENT. */
    int (*signal)(void *box, uint32_t id, int signal, int scope, void (*done)(void *ctx, int code), void *ctx);
    int (*resize)(void *box, uint32_t id, uint16_t rows, uint16_t columns);
    /* Output of a LOGGED process from offset on; an offset past what there is counts as its end, and the answer says
     * where that is. wait: when there is some, or it has ended; else as things are. */
    int (*log)(void *box, uint32_t id, int stream, uint64_t offset, size_t most, int wait, whelk_log_fn *fn, void *ctx);
    /* Pending waits of `log` for this process are answered as things are. */
    void (*stop_waiting)(void *box, uint32_t id);
    /* Drops an ended process; its events are no longer called from now on. */
    void (*forget)(void *box, uint32_t id);
    /* done(WHELK_OK) when something listens on the port; `id` is a number like that of a process, for stop_waiting
     * (done with AGAIN). */
    int (*wait_port)(void *box, uint32_t id, uint16_t port, void (*done)(void *ctx, int code), void *ctx);
    /* AGAIN: not now, after the next pump. */
    int (*file)(void *box, const whelk_file_request *r, const whelk_file_events *events, void *ctx);
    uint16_t (*port)(void *box, uint16_t inside); /* NULL: exposes none */
    /* With SNAPSHOT: NULL else. */
    int (*snapshot)(void *box, whelk_snapshot **out);
    int (*restore)(void *box, const whelk_snapshot *snapshot);
    whelk_session *(*session)(void *box); /* NULL: none */
};

/* A kind that the library has ("inprocess", "docker", "host"), to be wrapped or recorded; NULL: it has none of this
 * name. Static; any thread. */
WHELK_API const whelk_sandbox_kind *whelk_sandbox_kind_named(const char *name);

#ifdef __cplusplus
}
#endif
#endif
