/* file.h - open file descriptions
 *
 * What descriptors refer to: a file of the vfs with an offset, a pipe end, a capture, a device, a
 * host stream. Counted; shared by every descriptor that was duplicated or inherited.
 *
 * Parks:   read, write and peek park while they cannot go on (unless WK_FILE_NONBLOCK).
 * Errors:  -WK_Exxx; -WK_EINTR when a signal came before any byte moved; -WK_ESTOP when the task
 *          must return (never seen by leaf commands: they are dropped).
 */
#ifndef WK_KERN_FILE_H
#define WK_KERN_FILE_H

#include "base/buf.h"
#include "kern/kern.h"

struct wk_file;
struct wk_stat;
struct wk_vfile;
struct wk_vdir;

enum wk_file_kind {
    WK_FILE_VFS, /* regular file of the vfs */
    WK_FILE_DIR, /* directory opened for reading */
    WK_FILE_PIPE_R,
    WK_FILE_PIPE_W,
    WK_FILE_CAPTURE, /* write side of a command substitution's buffer */
    WK_FILE_BYTES,   /* read side of constant or owned bytes (here-documents) */
    WK_FILE_DEVICE,  /* /dev/null and its kin */
    WK_FILE_SOURCE,  /* the host's input */
    WK_FILE_SINK     /* the host's output */
};

enum { WK_FILE_READ = 1, WK_FILE_WRITE = 2, WK_FILE_APPEND = 4, WK_FILE_NONBLOCK = 8 };

struct wk_file_ops {
    ptrdiff_t (*read)(struct wk_task *t, struct wk_file *f, void *dst, size_t cap);
    ptrdiff_t (*write)(struct wk_task *t, struct wk_file *f, const void *src, size_t n);
    /* Borrow readable bytes without consuming them: parks until at least one byte or the end.
     * Returns their number (0 = end); *p is valid until the next call on any file of the session or
     * the next park. At least min(want, what is available before the end or without parking) bytes
     * are contiguous when the file can. NULL: file.c serves it through a small buffer. */
    ptrdiff_t (*peek)(struct wk_task *t, struct wk_file *f, size_t want, const char **p);
    void (*skip)(struct wk_file *f, size_t n);
    int64_t (*seek)(struct wk_file *f, int64_t off, int whence);
    int (*stat)(struct wk_file *f, struct wk_stat *out);
    /* Readable / writable without parking (poll(2) bits wanted -> ready). POLLERR, wanted or not,
     * when a writer's readers are gone. */
    short (*poll)(struct wk_file *f, short events);
    /* The wait queue to park on for such an event, NULL when none. */
    struct wk_waitq *(*waitq)(struct wk_file *f, short events);
    /* The host descriptor to wait for; -1 when none. Optional. */
    int (*host_fd)(struct wk_file *f);
    /* Whether the host has to be asked for what is read next; then *r is the request that asks. Optional. */
    bool (*ask)(struct wk_file *f, struct wk_hostreq *r);
    void (*close)(struct wk_kern *k, struct wk_file *f);
};

struct wk_file {
    uint32_t refs;
    uint8_t kind;  /* enum wk_file_kind */
    uint8_t flags; /* WK_FILE_… */
    bool is_tty;
    const struct wk_file_ops *ops;
    struct wk_kern *k;
    int64_t pos;
    void *obj;        /* pipe, vfile, buffer…, by kind */
    const char *name; /* path it was opened by, for messages and /proc; may be NULL; owned */
    char *ahead;      /* bytes to be read first: read ahead for files without peek, or given back; owned */
    size_t ahead_n, ahead_at, ahead_cap;
};

/* A file with one reference over `obj`. NULL when memory is refused (obj stays the caller's). */
struct wk_file *wk_file_new(struct wk_kern *k, enum wk_file_kind kind, uint8_t flags,
                            const struct wk_file_ops *ops, void *obj);
struct wk_file *wk_file_ref(struct wk_file *f);
/* Drops a reference; the last closes. */
void wk_file_unref(struct wk_file *f);

ptrdiff_t wk_file_read(struct wk_task *t, struct wk_file *f, void *dst, size_t cap);
/* Writes all n bytes or returns an error (bytes before it may have been written). A pipe without
 * readers posts SIGPIPE to the task's process and returns -WK_EPIPE. Returns n. */
ptrdiff_t wk_file_write(struct wk_task *t, struct wk_file *f, const void *src, size_t n);
ptrdiff_t wk_file_peek(struct wk_task *t, struct wk_file *f, size_t want, const char **p);
void wk_file_skip(struct wk_file *f, size_t n);
/* Gives bytes back that were read from f last: they are read next. Where it can the offset moves back. 0 or
 * -WK_ENOMEM. */
int wk_file_unread(struct wk_file *f, const char *p, size_t n);
/* New offset, or -WK_ESPIPE / -WK_EINVAL. whence: 0 set, 1 current, 2 end. */
int64_t wk_file_seek(struct wk_file *f, int64_t off, int whence);
int wk_file_stat(struct wk_file *f, struct wk_stat *out);
/* Park until readable (read -t). 0, -WK_ETIMEDOUT, -WK_EINTR, -WK_ESTOP. */
int wk_file_wait(struct wk_task *t, struct wk_file *f, short events, int64_t until_ns);
/* Whether wk_wait_any would not wait for it: what follows parks at most for the host. */
bool wk_file_is_ready(struct wk_file *f, short events);

/* ---- makers --------------------------------------------------------------------------------- */

/* A pipe: two files. Capacity 64 KiB; writes up to 4,096 bytes are atomic. */
int wk_pipe_new(struct wk_kern *k, struct wk_file **r, struct wk_file **w);
/* The pipe of a FIFO inode (by identity): parks until the other side is open, as open(2) does. */
int wk_fifo_open(struct wk_task *t, struct wk_vfile *fifo, uint8_t flags, struct wk_file **out);

/* Command substitution: everything written is appended to `buf`, which the caller owns and which
 * must live until the file is closed. *writers counts open references: the capture is complete when
 * wk_capture_finish returns (parks until the last write end is closed). */
int wk_capture_new(struct wk_kern *k, struct wk_buf *buf, struct wk_file **w);
/* Drops the caller's reference. Without `wait`, and when a signal ends the process meanwhile, what others write
 * goes nowhere. */
int wk_capture_finish(struct wk_task *t, struct wk_file *w, bool wait);

/* A read-only file over bytes; takes ownership of `bytes` (from k->mem) when owned, otherwise they
 * must outlive it. */
int wk_bytes_file_new(struct wk_kern *k, const char *bytes, size_t n, bool owned,
                      struct wk_file **out);

/* The host's ends (hostio.h has the details). */

/* Path to file, relative to the process's cwd, its credentials and umask. `flags` are WK_O_* of
 * vfs.h. Opens FIFOs and devices too, /dev/fd/N and /dev/stdin by duplicating the descriptor. */
int wk_open(struct wk_task *t, const char *path, int flags, uint32_t mode, struct wk_file **out);
/* The same from another directory than the working one. */
int wk_open_at(struct wk_task *t, struct wk_vdir *dir, const char *path, int flags, uint32_t mode,
               struct wk_file **out);

#endif
