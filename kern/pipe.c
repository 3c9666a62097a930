/* pipe.c - pipes: bounded rings between processes; FIFOs are pipes found by their inode */

#include "kern/proc.h"
#include "kern/sched.h"
#include "vfs/vfs.h"

#include <poll.h>

enum { RING_BYTES = 64 * 1024, ATOMIC_BYTES = 4096 };

struct wk_pipe {
    struct wk_kern *k;
    uint32_t refs;             /* open ends, and opens in progress */
    uint32_t readers, writers; /* open ends of each kind */
    char *ring;                /* made at the first write */
    size_t at, n;              /* first byte, bytes held */
    struct wk_waitq readable, writable;
    /* FIFOs */
    struct wk_pipe *next_fifo;
    uint64_t dev, ino, birth;
    uint64_t opened_readers, opened_writers; /* ever: an open waits for a change of the other */
    struct wk_waitq opening;
    bool fifo;
};

static struct wk_pipe *pipe_new(struct wk_kern *k)
{
    struct wk_pipe *p = wk_pool_take(k, WK_POOL_PIPE, sizeof *p);
    if (p)
        *p = (struct wk_pipe){.k = k, .refs = 1};
    return p;
}

static void drop_ring(struct wk_pipe *p)
{
    if (p->ring)
        wk_pool_give(p->k, WK_POOL_RING, p->ring);
    p->ring = NULL;
    p->at = p->n = 0;
}

static void pipe_unref(struct wk_pipe *p)
{
    if (--p->refs)
        return;
    if (p->fifo) {
        struct wk_pipe **at = &p->k->fifos;
        while (*at != p)
            at = &(*at)->next_fifo;
        *at = p->next_fifo;
    }
    drop_ring(p);
    wk_pool_give(p->k, WK_POOL_PIPE, p);
}

/* ---- reading
 * ------------------------------------------------------------------------------------------------
 */

/* Bytes in one piece from the ring's start. */
static size_t piece(const struct wk_pipe *p)
{
    return WK_MIN(p->n, (size_t)RING_BYTES - p->at);
}

static void consume(struct wk_pipe *p, size_t n)
{
    p->at += n;
    p->n -= n;
    if (p->at == RING_BYTES)
        p->at = 0;
    if (!p->n)
        p->at = 0;
    /* Writers go on when half of it is free: fewer switches than byte by byte. */
    if (p->writable.first && p->n <= RING_BYTES / 2)
        wk_waitq_wake_all(&p->writable);
}

static ptrdiff_t wait_readable(struct wk_task *t, struct wk_file *f, struct wk_pipe *p)
{
    while (!p->n) {
        if (!p->writers)
            return 0;
        if (f->flags & WK_FILE_NONBLOCK || !t)
            return -WK_EAGAIN;
        int r = wk_park(t, &p->readable, WK_FOREVER, true);
        if (r)
            return r;
    }
    return 1;
}

static ptrdiff_t pipe_read(struct wk_task *t, struct wk_file *f, void *dst, size_t cap)
{
    struct wk_pipe *p = f->obj;
    ptrdiff_t r = wait_readable(t, f, p);
    if (r <= 0)
        return r;
    size_t done = 0;
    while (done < cap && p->n) {
        size_t n = WK_MIN(piece(p), cap - done);
        memcpy((char *)dst + done, p->ring + p->at, n);
        done += n;
        p->at = (p->at + n) % RING_BYTES;
        p->n -= n;
    }
    consume(p, 0);
    return (ptrdiff_t)done;
}

static ptrdiff_t pipe_peek(struct wk_task *t, struct wk_file *f, size_t want, const char **out)
{
    struct wk_pipe *p = f->obj;
    (void)want;
    ptrdiff_t r = wait_readable(t, f, p);
    if (r <= 0)
        return r;
    *out = p->ring + p->at;
    return (ptrdiff_t)piece(p);
}

static void pipe_skip(struct wk_file *f, size_t n)
{
    struct wk_pipe *p = f->obj;
    consume(p,
            WK_MIN(n, piece(p))); /* less when another reader of the description came in between */
}

/* ---- writing
 * --------------------------------------------------------------------------------------------------
 */

static void put(struct wk_pipe *p, const char *src, size_t n)
{
    size_t end = (p->at + p->n) % RING_BYTES;
    size_t first = WK_MIN(n, (size_t)RING_BYTES - end);
    memcpy(p->ring + end, src, first);
    memcpy(p->ring, src + first, n - first);
    p->n += n;
    if (p->readable.first)
        wk_waitq_wake_all(&p->readable);
}

static ptrdiff_t pipe_write(struct wk_task *t, struct wk_file *f, const void *src, size_t n)
{
    struct wk_pipe *p = f->obj;
    const char *from = src;
    size_t done = 0;
    while (done < n) {
        if (!p->readers)
            return wk_broken_pipe(t);
        if (!p->ring && !(p->ring = wk_pool_take(p->k, WK_POOL_RING, RING_BYTES)))
            return -WK_ENOMEM;
        size_t free = RING_BYTES - p->n;
        size_t need = n <= ATOMIC_BYTES ? n : 1;
        if (free >= need) {
            size_t take = WK_MIN(free, n - done);
            put(p, from + done, take);
            done += take;
            continue;
        }
        if (f->flags & WK_FILE_NONBLOCK || !t)
            return done ? (ptrdiff_t)done : -WK_EAGAIN;
        int r = wk_park(t, &p->writable, WK_FOREVER, true);
        if (r)
            return r;
    }
    return (ptrdiff_t)n;
}

/* ---- the rest
 * ------------------------------------------------------------------------------------------------------
 */

static short pipe_poll(struct wk_file *f, short events)
{
    struct wk_pipe *p = f->obj;
    short r = 0;
    if (events & POLLIN && (p->n || !p->writers))
        r |= POLLIN;
    if (events & POLLOUT && (RING_BYTES - p->n >= ATOMIC_BYTES || !p->readers))
        r |= POLLOUT;
    if (f->flags & WK_FILE_WRITE && !p->readers)
        r |= POLLERR;
    return r;
}

static struct wk_waitq *pipe_waitq(struct wk_file *f, short events)
{
    struct wk_pipe *p = f->obj;
    return events & POLLIN ? &p->readable : &p->writable;
}

static int pipe_stat(struct wk_file *f, struct wk_stat *st)
{
    struct wk_pipe *p = f->obj;
    *st = (struct wk_stat){.dev = 12,
                           .ino = (uintptr_t)p >> 6,
                           .mode = WK_S_IFIFO | 0600,
                           .nlink = 1,
                           .blksize = 4096};
    if (p->fifo) {
        st->dev = p->dev;
        st->ino = p->ino;
        st->birth = p->birth;
    }
    return 0;
}

static void close_end(struct wk_kern *k, struct wk_file *f)
{
    struct wk_pipe *p = f->obj;
    (void)k;
    if (f->flags & WK_FILE_READ && --p->readers == 0) {
        wk_waitq_wake_all(&p->writable);
        if (!p->fifo || !p->writers)
            drop_ring(p);
    }
    if (f->flags & WK_FILE_WRITE && --p->writers == 0)
        wk_waitq_wake_all(&p->readable);
    pipe_unref(p);
}

static const struct wk_file_ops pipe_ops = {.read = pipe_read,
                                            .write = pipe_write,
                                            .peek = pipe_peek,
                                            .skip = pipe_skip,
                                            .stat = pipe_stat,
                                            .poll = pipe_poll,
                                            .waitq = pipe_waitq,
                                            .close = close_end};

int wk_pipe_new(struct wk_kern *k, struct wk_file **r, struct wk_file **w)
{
    struct wk_pipe *p = pipe_new(k);
    if (!p)
        return -WK_ENOMEM;
    *r = wk_file_new(k, WK_FILE_PIPE_R, WK_FILE_READ, &pipe_ops, p);
    if (!*r) {
        pipe_unref(p);
        return -WK_ENOMEM;
    }
    p->readers = 1;
    *w = wk_file_new(k, WK_FILE_PIPE_W, WK_FILE_WRITE, &pipe_ops, p);
    if (!*w) {
        wk_file_unref(*r);
        return -WK_ENOMEM;
    }
    p->refs++;
    p->writers = 1;
    return 0;
}

/* ---- FIFOs
 * ----------------------------------------------------------------------------------------------------------
 */

static struct wk_pipe *fifo_find(struct wk_kern *k, struct wk_vfile *v)
{
    uint64_t dev, ino, birth;
    wk_vfile_identity(v, &dev, &ino, &birth);
    for (struct wk_pipe *p = k->fifos; p; p = p->next_fifo)
        if (p->dev == dev && p->ino == ino && p->birth == birth) {
            p->refs++;
            return p;
        }
    struct wk_pipe *p = pipe_new(k);
    if (!p)
        return NULL;
    p->fifo = true;
    p->dev = dev;
    p->ino = ino;
    p->birth = birth;
    p->next_fifo = k->fifos;
    k->fifos = p;
    return p;
}

/* An open that waits holds its end already; dropped, it gives it back. */
static void abandon_open(void *arg)
{
    wk_file_unref(arg);
}

int wk_fifo_open(struct wk_task *t, struct wk_vfile *fifo, uint8_t flags, struct wk_file **out)
{
    struct wk_kern *k = t->k;
    bool reads = flags & WK_FILE_READ, writes = flags & WK_FILE_WRITE;
    struct wk_pipe *p = fifo_find(k, fifo);
    if (!p)
        return -WK_ENOMEM;
    if (flags & WK_FILE_NONBLOCK && writes && !reads && !p->readers) {
        pipe_unref(p);
        return -WK_ENXIO;
    }
    struct wk_file *f =
        wk_file_new(k, reads ? WK_FILE_PIPE_R : WK_FILE_PIPE_W, flags, &pipe_ops, p);
    if (!f) {
        pipe_unref(p);
        return -WK_ENOMEM;
    }
    p->readers += reads;
    p->writers += writes;
    p->opened_readers += reads;
    p->opened_writers += writes;
    wk_waitq_wake_all(&p->opening);
    uint64_t seen_r = p->opened_readers, seen_w = p->opened_writers;
    struct wk_unwind u;
    int r = 0;
    wk_unwind_push(t, &u, abandon_open, f);
    while (!r && !(flags & WK_FILE_NONBLOCK) && reads != writes &&
           (reads ? !p->writers && p->opened_writers == seen_w
                  : !p->readers && p->opened_readers == seen_r))
        r = wk_park(t, &p->opening, WK_FOREVER, true);
    wk_unwind_pop(t, &u);
    if (r) {
        wk_file_unref(f);
        return r;
    }
    *out = f;
    return 0;
}
