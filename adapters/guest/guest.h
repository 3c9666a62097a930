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

enum { GUEST_WATCHED = 4 /* descriptors of a process */ };

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
    pid_t pid;             /* the leader; 0 before it has begun */
    int minder;            /* the connection to its minder (minder.h); -1: that has gone */
    pid_t minder_pid;
    int in;                /* the end of its standard input; -1 */
    int unread;            /* once that is closed: shows what nobody has read; -1 */
    int out[2];            /* the ends of its outputs; -1: at their end, or none */
    uint32_t credit[2];    /* how much more may be sent */
    bool dropped[2];       /* nobody takes it any more */
    struct queue input;
    uint64_t input_total;  /* bytes that were written to its standard input */
    bool input_ends;       /* close it when the queue is empty */
    struct log log[2];
    bool started, ended, closed; /* the leader has begun, was waited for; its output was passed on */
    bool forgotten;        /* kept for its minder alone */
    int64_t deadline;      /* of draining, in ms; once ended */
    uint32_t owed[2];      /* bytes that stood in its pipes when it ended */
    struct waiter *waiters;
    struct asked *asked;
    uint64_t oom_kills;    /* in the container, when it began */
};

/* A GUEST_SIGNAL that the minder has not answered yet. */
struct asked {
    struct asked *next;
    uint32_t id, scope;
    int sig;
};

/* A GUEST_READ_LOG that waits for bytes. */
struct waiter {
    struct waiter *next;
    uint32_t id, stream, most;
    uint64_t offset;
};

/* A GUEST_WAIT_PORT. */
struct port {
    struct port *next;
    uint32_t id;
    uint16_t number;
};

/* A hash of contents, which begins as zeros. */
struct guest_hash {
    uint64_t h, n;
    unsigned char rest[32]; /* bytes that do not fill a block yet: n % 32 of them */
};

/* A file that is being received, or sent. */
struct transfer {
    struct transfer *next;
    uint32_t id;
    bool sends, appends;   /* to the host; to a file that is there */
    int fd, dir;           /* dir: where it is put */
    uint32_t mode;
    int64_t mtime;
    uint32_t uid, gid;     /* of the file that is put */
    bool replaces, counts; /* a file is replaced; size is what was sent */
    uint64_t left;
    uint64_t size;         /* when sending: of the file at its start */
    struct guest_hash hash;
    char *path, *name, *beside; /* of the workspace; its last name; that under which it is written, in dir */
    int error;             /* what went wrong; the rest of its data is passed over */
};

struct seen; /* the entries of the last scan of a directory (scan.c) */

/* What is told of a file. */
struct guest_entry {
    uint32_t mode, links, uid, gid; /* mode: with its type */
    int64_t mtime;
    uint64_t size, inode, device;
    const char *path, *target; /* target may be NULL */
};

struct guest {
    struct queue out;            /* frames for the host */
    unsigned char *in;           /* a frame that is being read */
    size_t in_n;
    struct process *processes;
    size_t n_processes, n_running; /* records; processes that have not ended */
    struct port *ports;
    struct transfer *transfers;
    struct seen *seen;
    uint32_t uid, gid;           /* of files that are put; UINT32_MAX: as they come */
    int root;                    /* the workspace; -1 before GUEST_HELLO */
    char *root_path, *writable;  /* writable: another one for confined processes; "" */
    int parent;                  /* to be watched; -1 */
    bool is_init, over;          /* over: the connection has ended */
    uint64_t random;             /* for temporary names */
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

/* ---- memory.c ---- */
/* How many processes of this container were ended because its memory ran out; 0 when that cannot be known. */
uint64_t guest_oom_kills(const struct guest *g);

/* ---- spawn.c ---- */
void guest_spawn(struct guest *g, uint32_t id, struct guest_reader *r);

/* ---- process.c ---- */
struct process *guest_process(struct guest *g, uint32_t id);
/* What the loop has to watch for p; returns how many descriptors it put down (at most GUEST_WATCHED). */
size_t guest_process_poll(struct guest *g, struct process *p, struct pollfd *fds);
/* Hears what its minder has to say; it may be freed. */
void guest_process_hear(struct guest *g, struct process *p);
/* Moves what can be moved; it may be freed. */
void guest_process_pump(struct guest *g, struct process *p);
/* Waits for all that ended: minders, and what lost its own. */
void guest_reap(struct guest *g);
/* Tells that it could not be started; it is freed. */
void guest_process_refuse(struct guest *g, struct process *p, int err, enum guest_stage stage);
void guest_process_request(struct guest *g, uint32_t type, uint32_t id, struct guest_reader *r);
void guest_process_free(struct guest *g, struct process *p);

/* ---- log.c ---- */
int guest_log_open(struct log *l, uint64_t room);
void guest_log_put(struct log *l, const void *p, size_t n);
/* Bytes from *offset on (which moves behind what is lost) into dst; their number. */
size_t guest_log_get(const struct log *l, uint64_t *offset, uint64_t *lost, void *dst, size_t n);
void guest_log_close(struct log *l);

/* ---- tree.c ---- */
struct tree_entry {
    pid_t pid, parent, group;
    bool dead; /* a zombie */
};

struct tree {
    struct tree_entry *v;
    size_t n, cap;
};

/* Finds all processes below top; false when that cannot be known. */
bool guest_tree_look(struct tree *t, pid_t top);
/* How many of them there are. */
unsigned guest_tree_count(struct tree *t, pid_t top);
/* Halts them until no new one appears, then kills them, until none is left or so long; how many there were. */
unsigned guest_tree_end(struct tree *t, pid_t top, int64_t most_ms);
/* Ends everything below this program and waits for it, some seconds at most; how many there were. */
unsigned guest_kill_all(struct guest *g);

/* ---- files.c ---- */
/* The directory that holds path's last name; *name points into path, or is "." when path is a directory by its form (""
 * is the workspace). -1 and errno. */
int guest_parent(struct guest *g, char *path, const char **name);
/* The same of what has a name: EINVAL otherwise. */
int guest_parent_of_name(struct guest *g, char *path, const char **name);
/* An absolute path that is a link becomes what it leads to: the text is replaced. NULL without memory. */
char *guest_follow(char *path);
void guest_set_mtime(int dir, const char *name, int64_t mtime);
void guest_file_request(struct guest *g, uint32_t type, uint32_t id, struct guest_reader *r);

/* ---- transfer.c ---- */
/* The name under which a file is written before it takes its place; and whether a name is one. */
void guest_beside(const struct guest *g, uint32_t id, char *out, size_t n);
bool guest_is_beside(const struct guest *g, const char *name);
void guest_transfer_request(struct guest *g, uint32_t type, uint32_t id, struct guest_reader *r);
/* Whether files are being sent; sends more of them. */
bool guest_transfers_waiting(const struct guest *g);
void guest_transfers_pump(struct guest *g);

/* ---- list.c ---- */
/* Tells of a file; false without memory. */
bool guest_tell(struct guest *g, uint32_t id, enum guest_change change, const struct guest_entry *e);
/* Where a link leads; NULL. To be freed. */
char *guest_read_target(int dir, const char *name);
/* A directory below dir, through a link at its end only when `follow`: ELOOP. -1 and errno. */
int guest_open_dir(int dir, const char *name, bool follow);
void guest_stat(struct guest *g, uint32_t id, struct guest_reader *r);
void guest_list(struct guest *g, uint32_t id, struct guest_reader *r);

/* ---- hash.c, scan.c ---- */
void guest_hash_add(struct guest_hash *h, const void *p, size_t n);
uint64_t guest_hash_end(const struct guest_hash *h);
void guest_scan(struct guest *g, uint32_t id, struct guest_reader *r);
/* A path was made, changed (contents NULL: they are not known) or removed by the host: the next scan does not tell it
 * back. */
void guest_scan_note(struct guest *g, const char *path, const struct guest_hash *contents);
/* Whether `name` in dir, which is that path, is as it was at the last look. */
bool guest_scan_knows(struct guest *g, const char *path, int dir, const char *name);
/* The path, which is known, is told at the next look whatever it is by then. */
void guest_scan_doubt(struct guest *g, const char *path);
/* The same of one that was renamed, with all below it. */
void guest_scan_note_move(struct guest *g, const char *from, const char *to);

#endif
