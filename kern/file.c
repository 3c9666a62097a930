/* file.c - open file descriptions: counting, reading, writing, reading ahead */
#include "kern/file.h"

#include "kern/filelock.h"
#include "kern/sched.h"

#include <poll.h>

enum { AHEAD_BYTES = 16384 };

struct wk_file *wk_file_new(struct wk_kern *k, enum wk_file_kind kind, uint8_t flags,
                            const struct wk_file_ops *ops, void *obj)
{
    struct wk_file *f = wk_pool_take(k, WK_POOL_FILE, sizeof *f);
    if (f)
        *f = (struct wk_file){
            .refs = 1, .kind = (uint8_t)kind, .flags = flags, .ops = ops, .k = k, .obj = obj};
    return f;
}

struct wk_file *wk_file_ref(struct wk_file *f)
{
    f->refs++;
    return f;
}

void wk_file_unref(struct wk_file *f)
{
    if (!f || --f->refs)
        return;
    struct wk_kern *k = f->k;
    if (WK_UNLIKELY(k->filelocks != NULL))
        wk_filelock_drop(f);
    if (f->ops->close)
        f->ops->close(k, f);
    wk_free(k->mem, f->ahead);
    union {
        const char *in;
        char *out;
    } name = {.in = f->name};
    wk_free(k->mem, name.out);
    wk_pool_give(k, WK_POOL_FILE, f);
}

/* ---- reading
 * ------------------------------------------------------------------------------------------ */

static bool has_ahead(const struct wk_file *f)
{
    return f->ahead_at < f->ahead_n;
}

ptrdiff_t wk_file_read(struct wk_task *t, struct wk_file *f, void *dst, size_t cap)
{
    if (!(f->flags & WK_FILE_READ) || !f->ops->read)
        return f->kind == WK_FILE_DIR ? -WK_EISDIR : -WK_EBADF;
    if (cap > PTRDIFF_MAX)
        cap = PTRDIFF_MAX;
    if (has_ahead(f)) {
        size_t n = WK_MIN(cap, f->ahead_n - f->ahead_at);
        memcpy(dst, f->ahead + f->ahead_at, n);
        f->ahead_at += n;
        return (ptrdiff_t)n;
    }
    return cap ? f->ops->read(t, f, dst, cap) : 0;
}

ptrdiff_t wk_file_peek(struct wk_task *t, struct wk_file *f, size_t want, const char **p)
{
    if (!(f->flags & WK_FILE_READ) || !f->ops->read)
        return f->kind == WK_FILE_DIR ? -WK_EISDIR : -WK_EBADF;
    if (f->ops->peek && WK_LIKELY(!has_ahead(f)))
        return f->ops->peek(t, f, want, p);
    if (!has_ahead(f)) {
        if (!f->ahead) {
            if (!(f->ahead = wk_alloc(f->k->mem, AHEAD_BYTES)))
                return -WK_ENOMEM;
            f->ahead_cap = AHEAD_BYTES;
        }
        ptrdiff_t n = f->ops->read(t, f, f->ahead, f->ahead_cap);
        if (n <= 0)
            return n;
        f->ahead_at = 0;
        f->ahead_n = (size_t)n;
    }
    *p = f->ahead + f->ahead_at;
    return (ptrdiff_t)(f->ahead_n - f->ahead_at);
}

void wk_file_skip(struct wk_file *f, size_t n)
{
    if (f->ops->skip && WK_LIKELY(!has_ahead(f))) {
        f->ops->skip(f, n);
        return;
    }
    f->ahead_at += WK_MIN(n, f->ahead_n - f->ahead_at);
}

int wk_file_unread(struct wk_file *f, const char *p, size_t n)
{
    if (!n || (!has_ahead(f) && wk_file_seek(f, -(int64_t)n, 1) >= 0))
        return 0;
    size_t rest = f->ahead_n - f->ahead_at;
    if (n <= f->ahead_at) {
        f->ahead_at -= n;
        memcpy(f->ahead + f->ahead_at, p, n);
        return 0;
    }
    size_t cap = WK_MAX(n + rest, (size_t)AHEAD_BYTES);
    char *fresh = wk_alloc(f->k->mem, cap);
    if (!fresh)
        return -WK_ENOMEM;
    memcpy(fresh, p, n);
    if (rest)
        memcpy(fresh + n, f->ahead + f->ahead_at, rest);
    wk_free(f->k->mem, f->ahead);
    f->ahead = fresh;
    f->ahead_at = 0;
    f->ahead_n = n + rest;
    f->ahead_cap = cap;
    return 0;
}

/* ---- writing, position, state
 * --------------------------------------------------------------------------- */

ptrdiff_t wk_file_write(struct wk_task *t, struct wk_file *f, const void *src, size_t n)
{
    if (!(f->flags & WK_FILE_WRITE) || !f->ops->write)
        return -WK_EBADF;
    if (n > PTRDIFF_MAX)
        return -WK_EINVAL;
    return n ? f->ops->write(t, f, src, n) : 0;
}

int64_t wk_file_seek(struct wk_file *f, int64_t off, int whence)
{
    return f->ops->seek ? f->ops->seek(f, off, whence) : -WK_ESPIPE;
}

int wk_file_stat(struct wk_file *f, struct wk_stat *out)
{
    return f->ops->stat ? f->ops->stat(f, out) : -WK_EBADF;
}

bool wk_file_is_ready(struct wk_file *f, short events)
{
    struct wk_hostreq asked;
    if (events & POLLIN && has_ahead(f))
        return true;
    if (f->ops->ask && f->ops->ask(f, &asked))
        return false;
    return !f->ops->poll || f->ops->poll(f, events) || (!f->ops->waitq && (!f->ops->host_fd || f->ops->host_fd(f) < 0));
}

int wk_file_wait(struct wk_task *t, struct wk_file *f, short events, int64_t until_ns)
{
    for (;;) {
        if (has_ahead(f) || !f->ops->poll)
            return 0;
        struct wk_hostreq asked;
        int r;
        if (events & POLLIN && f->ops->ask && f->ops->ask(f, &asked)) { /* what the host has not been asked for */
            struct wk_wait_any one = {.files = {{f, POLLIN}}, .n_files = 1, .until_ns = until_ns};
            one.until_host_ns = WK_FOREVER;
            r = wk_wait_any(t, &one);
            if (r)
                return r;
            continue;
        }
        if (f->ops->poll(f, events))
            return 0;
        int fd = f->ops->host_fd ? f->ops->host_fd(f) : -1;
        if (fd >= 0)
            r = wk_host_fd_wait(t, fd, events, until_ns);
        else if (f->ops->waitq)
            r = wk_park(t, f->ops->waitq(f, events), until_ns, true);
        else
            return 0;
        if (fd >= 0 && r == 0)
            return 0;
        if (r)
            return r;
    }
}
