/* hostio.c - the host's input and output as file descriptions */
#define _GNU_SOURCE
#include "kern/hostio.h"

#include "kern/proc.h"
#include "kern/sched.h"
#include "vfs/vfs.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 64 * 1024, PIPE_CHUNK = 4096 };

/* ---- system calls: errno stays inside
 * ------------------------------------------------------------------ */

static WK_NOINLINE ptrdiff_t sys_read(int fd, void *p, size_t n)
{
    ssize_t r;
    do
        r = read(fd, p, n);
    while (r < 0 && errno == EINTR);
    if (r >= 0)
        return r;
    return errno == EAGAIN ? -WK_EAGAIN : -errno;
}

static WK_NOINLINE ptrdiff_t sys_write(int fd, const void *p, size_t n)
{
    ssize_t r;
    do
        r = write(fd, p, n);
    while (r < 0 && errno == EINTR);
    if (r >= 0)
        return r;
    return errno == EAGAIN ? -WK_EAGAIN : -errno;
}

/* The poll(2) bits that hold now: 0 = neither ready nor broken. */
static WK_NOINLINE short ready_bits(int fd, short events)
{
    struct pollfd p = {fd, events, 0};
    return poll(&p, 1, 0) > 0 ? p.revents : 0;
}

static bool is_ready(int fd, short events)
{
    return ready_bits(fd, events) != 0;
}

static WK_NOINLINE bool is_regular(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode));
}

static WK_NOINLINE bool is_device(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode);
}

static int stat_stream(struct wk_file *f, struct wk_stat *st)
{
    *st = (struct wk_stat){.dev = 14,
                           .ino = f->kind,
                           .mode = (f->is_tty ? WK_S_IFCHR : WK_S_IFIFO) | 0620,
                           .nlink = 1,
                           .blksize = 4096};
    return 0;
}

/* ---- sources
 * ---------------------------------------------------------------------------------------------- */

struct source {
    struct wk_source from;
    char *buf;
    size_t n, at;
    bool end, regular, device;
    int err;
};

/* Nothing at hand, and nothing known about what comes. Several tasks may wait for the same source:
 * the first to be answered serves them all, so each looks again before it asks. */
static bool is_empty(const struct source *s)
{
    return s->at == s->n && !s->end && !s->err;
}

/* What a read answered: bytes, 0 = the end, or a negative error. */
static void take_answer(struct source *s, ptrdiff_t n)
{
    s->at = 0;
    s->n = n > 0 ? WK_MIN((size_t)n, (size_t)BUFFER_BYTES) : 0;
    s->end = n == 0;
}

static void ask_host(struct wk_hostreq *r)
{
    struct source *s = r->ctx;
    ptrdiff_t n = is_empty(s) ? s->from.read(s->from.ctx, s->buf, BUFFER_BYTES) : 0;
    if (n == WK_IO_AGAIN) {
        r->again = true;
        return;
    }
    r->done = true;
    if (!is_empty(s))
        return;
    take_answer(s, n);
    if (n < 0)
        s->err = -WK_EIO;
}

static int fill_from_callback(struct wk_task *t, struct source *s)
{
    if (!t)
        return -WK_EAGAIN;
    struct wk_hostreq req = {.perform = ask_host, .ctx = s};
    return wk_hostreq_call(t, &req, true);
}

static bool source_ask(struct wk_file *f, struct wk_hostreq *r)
{
    struct source *s = f->obj;
    if (s->from.kind != WK_SOURCE_CALLBACK || !is_empty(s))
        return false;
    if (!s->buf && !(s->buf = wk_alloc(f->k->mem, BUFFER_BYTES)))
        return false; /* the read will say so */
    *r = (struct wk_hostreq){.perform = ask_host, .ctx = s};
    return true;
}

static int fill_from_fd(struct wk_task *t, struct source *s)
{
    if (!s->regular && !is_ready(s->from.fd, POLLIN))
        return t ? wk_host_fd_wait(t, s->from.fd, POLLIN, WK_FOREVER) : -WK_EAGAIN;
    ptrdiff_t n = sys_read(s->from.fd, s->buf, BUFFER_BYTES);
    if (n < 0)
        return (int)n;
    take_answer(s, n);
    return 0;
}

/* At least one byte, or the end. */
static int fill(struct wk_task *t, struct wk_file *f, struct source *s)
{
    while (is_empty(s)) {
        if (s->from.kind == WK_SOURCE_EMPTY || s->from.kind == WK_SOURCE_BYTES) {
            s->end = true;
            break;
        }
        if (!s->buf && !(s->buf = wk_alloc(f->k->mem, BUFFER_BYTES)))
            return -WK_ENOMEM;
        int r = s->from.kind == WK_SOURCE_FD ? fill_from_fd(t, s) : fill_from_callback(t, s);
        if (r == -WK_EAGAIN && t)
            continue;
        if (r)
            return r;
    }
    return s->at < s->n ? 0 : s->err;
}

static const char *source_bytes(const struct source *s)
{
    return s->from.kind == WK_SOURCE_BYTES ? s->from.bytes : s->buf;
}

static ptrdiff_t source_peek(struct wk_task *t, struct wk_file *f, size_t want, const char **p)
{
    struct source *s = f->obj;
    (void)want;
    int r = fill(t, f, s);
    if (r)
        return r;
    *p = s->at < s->n ? source_bytes(s) + s->at : "";
    if (s->from.goes_on && s->at == s->n)
        s->end = false;
    return (ptrdiff_t)(s->n - s->at);
}

static void source_skip(struct wk_file *f, size_t n)
{
    struct source *s = f->obj;
    s->at += WK_MIN(n, s->n - s->at);
}

static ptrdiff_t source_read(struct wk_task *t, struct wk_file *f, void *dst, size_t cap)
{
    const char *p = NULL;
    ptrdiff_t n = source_peek(t, f, cap, &p);
    if (n <= 0)
        return n;
    size_t take = WK_MIN((size_t)n, cap);
    memcpy(dst, p, take);
    source_skip(f, take);
    return (ptrdiff_t)take;
}

static short source_poll(struct wk_file *f, short events)
{
    struct source *s = f->obj;
    bool ready = s->at < s->n || s->end || s->err || s->from.kind == WK_SOURCE_EMPTY ||
                 s->from.kind == WK_SOURCE_BYTES || s->from.kind == WK_SOURCE_CALLBACK ||
                 s->regular || is_ready(s->from.fd, POLLIN);
    return ready ? (short)(events & POLLIN) : 0;
}

static int source_fd(struct wk_file *f)
{
    struct source *s = f->obj;
    return s->from.kind == WK_SOURCE_FD ? s->from.fd : -1;
}

/* No input, or the host's /dev/null, is no pipe. */
static int source_stat(struct wk_file *f, struct wk_stat *st)
{
    const struct source *s = f->obj;
    (void)stat_stream(f, st);
    if (s->device)
        st->mode = WK_S_IFCHR | 0620;
    return 0;
}

static void source_close(struct wk_kern *k, struct wk_file *f)
{
    struct source *s = f->obj;
    wk_free(k->mem, s->buf);
    wk_free(k->mem, s);
}

static const struct wk_file_ops source_ops = {.read = source_read,
                                              .peek = source_peek,
                                              .skip = source_skip,
                                              .stat = source_stat,
                                              .poll = source_poll,
                                              .host_fd = source_fd,
                                              .ask = source_ask,
                                              .close = source_close};

int wk_source_file_new(struct wk_kern *k, const struct wk_source *from, struct wk_file **out)
{
    struct source *s = WK_NEW(k->mem, struct source);
    if (!s)
        return -WK_ENOMEM;
    s->from = *from;
    if (from->kind == WK_SOURCE_BYTES)
        s->n = from->n;
    s->regular = from->kind == WK_SOURCE_FD && is_regular(from->fd);
    s->device = from->kind == WK_SOURCE_EMPTY || (from->kind == WK_SOURCE_BYTES && !from->n) ||
                (from->kind == WK_SOURCE_FD && is_device(from->fd));
    *out = wk_file_new(k, WK_FILE_SOURCE, WK_FILE_READ, &source_ops, s);
    if (!*out) {
        wk_free(k->mem, s);
        return -WK_ENOMEM;
    }
    (*out)->is_tty = from->tty;
    return 0;
}

void wk_source_end(struct wk_file *f)
{
    struct source *s = f->obj;
    struct wk_kern *k = f->k;
    for (struct wk_fd_wait *w = k->fd_waits; w && s->from.kind == WK_SOURCE_FD; w = w->next)
        if (w->fd == s->from.fd)
            wk_task_wake(w->task, 0);
    s->from = (struct wk_source){.kind = WK_SOURCE_EMPTY};
    s->n = s->at = 0;
    s->end = true;
    atomic_store(&k->woken, true); /* requests that were put off find the end */
}

size_t wk_source_left(const struct wk_file *f)
{
    const struct source *s = f->obj;
    return s->n - s->at + f->ahead_n - f->ahead_at;
}

/* ---- sinks
 * -------------------------------------------------------------------------------------------------
 */

struct sink {
    struct wk_sink to;
    char *buf; /* FD, CALLBACK: not yet delivered */
    size_t n, at;
    uint64_t total;
    struct wk_file *file, *next, *prev; /* list of those that hold bytes */
    bool listed, closed, again, regular;
};

static void list_add(struct wk_file *f, struct sink *s)
{
    if (s->listed)
        return;
    s->listed = true;
    s->prev = NULL;
    s->next = f->k->sinks;
    if (s->next)
        ((struct sink *)s->next->obj)->prev = f;
    f->k->sinks = f;
}

static void list_remove(struct wk_file *f, struct sink *s)
{
    if (!s->listed)
        return;
    s->listed = false;
    if (s->prev)
        ((struct sink *)s->prev->obj)->next = s->next;
    else
        f->k->sinks = s->next;
    if (s->next)
        ((struct sink *)s->next->obj)->prev = s->prev;
}

/* Deliver without waiting: 0 when all is gone, -WK_EAGAIN. Callbacks only from the host's stack. */
static int deliver(struct wk_file *f, struct sink *s)
{
    while (s->at < s->n && !s->closed) {
        size_t left = s->n - s->at;
        ptrdiff_t n;
        if (s->to.kind == WK_SINK_FD) {
            short bits = s->regular ? POLLOUT : ready_bits(s->to.fd, POLLOUT);
            if (!bits)
                return -WK_EAGAIN;
            /* A pipe that is writable has room for PIPE_BUF: more could block the host. One that
             * nobody reads is not written to: that would send the host a signal. */
            n = bits & POLLERR ? -WK_EPIPE
                               : sys_write(s->to.fd, s->buf + s->at,
                                           s->regular ? left : WK_MIN(left, (size_t)PIPE_CHUNK));
            if (n == -WK_EAGAIN)
                return -WK_EAGAIN;
        } else {
            n = s->to.write(s->to.ctx, s->buf + s->at, left);
            if (n == WK_IO_AGAIN || n == 0) /* to ask again at once would never end */
                return -WK_EAGAIN;
        }
        if (n < 0)
            s->closed = true;
        else
            s->at += WK_MIN((size_t)n, left);
    }
    s->n = s->at = 0;
    list_remove(f, s);
    return 0;
}

static void deliver_for_task(struct wk_hostreq *r)
{
    struct wk_file *f = r->ctx;
    if (deliver(f, f->obj) == 0)
        r->done = true;
    else
        r->again = true;
}

/* Make room for the writer: parks until the host has taken what is there. */
static int make_room(struct wk_task *t, struct wk_file *f, struct sink *s)
{
    if (!t)
        return -WK_EAGAIN;
    if (s->to.kind == WK_SINK_FD) {
        int r;
        while ((r = deliver(f, s)) == -WK_EAGAIN)
            if ((r = wk_host_fd_wait(t, s->to.fd, POLLOUT, WK_FOREVER)) != 0)
                return r;
        return r;
    }
    struct wk_hostreq req = {.perform = deliver_for_task, .ctx = f};
    return wk_hostreq_call(t, &req, true);
}

static int store(struct wk_task *t, struct wk_file *f, struct sink *s, const char *p, size_t n)
{
    switch (s->to.kind) {
    case WK_SINK_NULL:
        return 0;
    case WK_SINK_BUFFER: {
        size_t room = s->to.keep ? (s->to.keep > s->to.buf->n ? s->to.keep - s->to.buf->n : 0) : n;
        return wk_buf_put(s->to.buf, p, WK_MIN(n, room)) ? 0 : -WK_ENOMEM;
    }
    case WK_SINK_FD:
    case WK_SINK_CALLBACK:
        break;
    }
    if (!s->buf && !(s->buf = wk_alloc(f->k->mem, BUFFER_BYTES)))
        return -WK_ENOMEM;
    while (n) {
        if (s->closed)
            return -WK_EPIPE;
        size_t take = WK_MIN(n, BUFFER_BYTES - s->n);
        memcpy(s->buf + s->n, p, take);
        s->n += take;
        p += take;
        n -= take;
        list_add(f, s);
        int r = s->n == BUFFER_BYTES ? make_room(t, f, s) : 0;
        if (r)
            return r;
    }
    return 0;
}

static ptrdiff_t sink_write(struct wk_task *t, struct wk_file *f, const void *src, size_t n)
{
    struct sink *s = f->obj;
    struct wk_kern *k = f->k;
    size_t take = n;
    if (s->closed)
        return wk_broken_pipe(t);
    if (s->to.count && t && !t->background) {
        uint64_t left = k->limits.output > k->output_used ? k->limits.output - k->output_used : 0;
        take = n < left ? n : (size_t)left;
        k->output_used += take;
    }
    int r = store(t, f, s, src, take);
    if (r == -WK_EPIPE)
        return wk_broken_pipe(t);
    if (r)
        return r;
    s->total += take;
    if (s->to.kind == WK_SINK_FD && f->is_tty)
        (void)deliver(f, s);
    if (take < n) {
        (void)wk_kern_breach(k, WK_LIMIT_OUTPUT);
        return t->leaf ? (ptrdiff_t)wk_park(t, NULL, WK_FOREVER, false) : -WK_ESTOP;
    }
    if (t && wk_steps(k, (uint32_t)(n / 1024 & 0xffff)) != 0)
        return -WK_ESTOP;
    return (ptrdiff_t)n;
}

static short sink_poll(struct wk_file *f, short events)
{
    const struct sink *s = f->obj;
    bool broken = s->closed || (s->to.kind == WK_SINK_FD && !s->regular &&
                                ready_bits(s->to.fd, POLLOUT) & POLLERR);
    return (short)((events & POLLOUT) | (broken ? POLLERR : 0));
}

static void sink_close(struct wk_kern *k, struct wk_file *f)
{
    struct sink *s = f->obj;
    /* The run flushes before it lets go: what is left here has no reader. */
    list_remove(f, s);
    wk_free(k->mem, s->buf);
    wk_free(k->mem, s);
}

static const struct wk_file_ops sink_ops = {
    .write = sink_write, .stat = stat_stream, .poll = sink_poll, .close = sink_close};

int wk_sink_file_new(struct wk_kern *k, const struct wk_sink *to, struct wk_file **out)
{
    struct sink *s = WK_NEW(k->mem, struct sink);
    if (!s)
        return -WK_ENOMEM;
    s->to = *to;
    s->regular = to->kind == WK_SINK_FD && is_regular(to->fd);
    *out = wk_file_new(k, WK_FILE_SINK, WK_FILE_WRITE, &sink_ops, s);
    if (!*out) {
        wk_free(k->mem, s);
        return -WK_ENOMEM;
    }
    (*out)->is_tty = to->tty;
    return 0;
}

int wk_sink_flush(struct wk_file *f)
{
    struct sink *s = f->obj;
    return s->n ? deliver(f, s) : 0;
}

void wk_sink_redirect(struct wk_file *f, const struct wk_sink *to)
{
    struct sink *s = f->obj;
    (void)wk_sink_flush(f);
    s->n = s->at = 0;
    list_remove(f, s);
    s->to = *to;
    s->closed = false;
    s->regular = to->kind == WK_SINK_FD && is_regular(to->fd);
    f->is_tty = to->tty;
}

uint64_t wk_sink_total(const struct wk_file *f)
{
    const struct sink *s = f->obj;
    return s->total;
}

bool wk_sinks_flush(struct wk_kern *k)
{
    bool stuck = false;
    struct wk_file *f = k->sinks, *next;
    while (f && (next = ((struct sink *)f->obj)->next)) /* what was written to first goes first */
        f = next;
    for (; f; f = next) {
        struct sink *s = f->obj;
        next = s->prev;
        stuck = deliver(f, s) != 0 || stuck;
    }
    return stuck;
}

size_t wk_sinks_wait_fds(struct wk_kern *k, struct wk_wait_fd *fds, size_t cap)
{
    size_t n = 0;
    for (struct wk_file *f = k->sinks; f && n < cap; f = ((struct sink *)f->obj)->next) {
        struct sink *s = f->obj;
        if (s->to.kind == WK_SINK_FD)
            fds[n++] = (struct wk_wait_fd){s->to.fd, POLLOUT};
    }
    return n;
}
