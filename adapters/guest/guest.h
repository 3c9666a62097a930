/* guest.h - the guest helper: what its parts share
 *
 * A small static program that runs a sandbox's processes: as process 1 of a container, or as the supervisor of a
 * session's processes on the host. One thread, one loop (guest.c); everything it owns hangs on struct guest. It may
 * refuse, but it does not stop for want of memory: a request that cannot be met is answered with an error.
 */
#ifndef WK_ADAPTERS_GUEST_GUEST_H
#define WK_ADAPTERS_GUEST_GUEST_H

#include <sys/types.h>

#include "adapters/guest/protocol.h"

struct pollfd;

/* Bytes waiting to be written. */
struct queue {
    unsigned char *p;
    size_t at, n, cap; /* p[at, n) are waiting */
};

/* A stream that is kept: its first `room` bytes and its last ones, in an unlinked file. */
struct log {
    int fd; /* -1: none */
    uint64_t total, room;
};

struct process {
    struct process *next;
    uint32_t id, flags;
    pid_t pid;
    int in;                /* the end of its standard input; -1 */
    int out[2];            /* the ends of its outputs; -1: at their end, or none */
    uint32_t credit[2];    /* how much more may be sent */
    struct queue input;
    bool input_ends;       /* close it when the queue is empty */
    struct log log[2];
    bool ended, closed;    /* the leader was waited for; its output was passed on */
    int64_t deadline;      /* of draining, in ms; once ended */
    uint32_t owed[2];      /* bytes that stood in its pipes when it ended */
    struct waiter *waiters;
    char cookie[32];       /* NAME=VALUE in its environment, by which its descendants are known */
};

/* A GUEST_READ_LOG that waits for bytes. */
struct waiter {
    struct waiter *next;
    uint32_t stream, most;
    uint64_t offset;
};

/* A GUEST_WAIT_PORT. */
struct port {
    struct port *next;
    uint32_t id;
    uint16_t number;
};

/* A file that is being received, or sent. */
struct transfer {
    struct transfer *next;
    uint32_t id;
    bool sends;            /* to the host */
    int fd, dir;           /* dir: where it is put */
    uint32_t mode;
    int64_t mtime;
    uint64_t left, hash;
    uint64_t size;         /* when sending: of the file at its start */
    char *path, *name, *beside; /* of the workspace; its last name; that under which it is written, in dir */
    int error;             /* what went wrong; the rest of its data is passed over */
};

struct seen; /* the entries of the last scan (scan.c) */

struct guest {
    struct queue out;            /* frames for the host */
    unsigned char *in;           /* a frame that is being read */
    size_t in_n;
    struct process *processes;
    size_t n_processes;
    struct port *ports;
    struct transfer *transfers;
    struct seen *seen;
    uint32_t uid, gid;           /* of files that are put; UINT32_MAX: as they come */
    int root;                    /* the workspace; -1 before GUEST_HELLO */
    char *root_path;
    bool is_init, over;          /* over: the connection has ended */
    uint64_t random;             /* for cookies and temporary names */
};

/* ---- guest.c: frames ---- */

/* Begins a frame for the host; false when there is no memory for n bytes of body. */
bool guest_frame(struct guest *g, uint32_t type, uint32_t id, size_t n);
void guest_add(struct guest *g, const void *p, size_t n);
void guest_add_u32(struct guest *g, uint32_t v);
void guest_add_u64(struct guest *g, uint64_t v);
void guest_add_text(struct guest *g, const char *p, size_t n);
bool guest_queue_put(struct queue *q, const void *p, size_t n);
void guest_ok(struct guest *g, uint32_t id);
void guest_error(struct guest *g, uint32_t id, int err, const char *what);
/* Milliseconds of the monotonic clock. */
int64_t guest_now(void);
/* A NUL-ended copy; NULL without memory, or with a NUL in it. */
char *guest_copy(const char *p, size_t n);
/* Whether the host takes more at present: bulk waits while it does not. */
bool guest_may_send(const struct guest *g);

/* ---- spawn.c ---- */
void guest_spawn(struct guest *g, uint32_t id, struct guest_reader *r);

/* ---- process.c ---- */
struct process *guest_process(struct guest *g, uint32_t id);
/* What the loop has to watch for p; returns how many descriptors it put down (at most 3). */
size_t guest_process_poll(struct guest *g, struct process *p, struct pollfd *fds);
/* Moves what can be moved. */
void guest_process_pump(struct guest *g, struct process *p);
/* Waits for all that ended. */
void guest_reap(struct guest *g);
void guest_process_request(struct guest *g, uint32_t type, uint32_t id, struct guest_reader *r);
void guest_process_free(struct guest *g, struct process *p);

/* ---- log.c ---- */
int guest_log_open(struct log *l, uint64_t room);
void guest_log_put(struct log *l, const void *p, size_t n);
/* Bytes from *offset on (which moves behind what is lost) into dst; their number. */
size_t guest_log_get(const struct log *l, uint64_t *offset, uint64_t *lost, void *dst, size_t n);
void guest_log_close(struct log *l);

/* ---- tree.c ---- */
/* Sends a signal to the processes that descend from p's leader or carry its cookie; their number. */
unsigned guest_tree_signal(struct guest *g, const struct process *p, int sig);
/* How many of them there are, without the leader. */
unsigned guest_tree_count(struct guest *g, const struct process *p);
/* Ends everything below this program and waits for it, some seconds at most; how many there were. */
unsigned guest_kill_all(struct guest *g);

/* ---- files.c, scan.c ---- */
/* The directory that holds path's last name, below the workspace and through no link; *name points into path.
 * -1 and errno. */
int guest_parent(struct guest *g, char *path, const char **name);
void guest_file_request(struct guest *g, uint32_t type, uint32_t id, struct guest_reader *r);
/* Whether files are being sent; sends more of them. */
bool guest_transfers_waiting(const struct guest *g);
void guest_transfers_pump(struct guest *g);
void guest_scan(struct guest *g, uint32_t id, struct guest_reader *r);
/* A path was made, changed (its contents have that hash) or removed by the host: the next scan does not tell it
 * back. */
void guest_scan_note(struct guest *g, const char *path, uint64_t hash);
/* Adds bytes to a hash of contents, which begins as 0. */
uint64_t guest_hash(uint64_t hash, const void *p, size_t n);

#endif
