/* capture.c - the write side of a command substitution: bytes gathered in the caller's buffer */
#include "kern/file.h"
#include "kern/sched.h"
#include "vfs/vfs.h"

struct capture {
    struct wk_buf *buf; /* NULL: the owner gave up */
    struct wk_waitq closed;
    bool open, owned; /* owned: someone will call finish */
};

static ptrdiff_t capture_write(struct wk_task *t, struct wk_file *f, const void *src, size_t n)
{
    struct capture *c = f->obj;
    if (!c->buf)
        return (ptrdiff_t)n;
    if (t && wk_steps(f->k, (uint32_t)(n / 64 & 0xffffff)) != 0)
        return -WK_ESTOP;
    if (wk_buf_put(c->buf, src, n))
        return (ptrdiff_t)n;
    bool too_long = n > c->buf->max - c->buf->n;
    return too_long ? (t ? wk_kern_breach(f->k, WK_LIMIT_EXPANSION) : -WK_EFBIG) : -WK_ENOMEM;
}

static int capture_stat(struct wk_file *f, struct wk_stat *st)
{
    *st = (struct wk_stat){.dev = 12,
                           .ino = (uintptr_t)f->obj >> 4,
                           .mode = WK_S_IFIFO | 0600,
                           .nlink = 1,
                           .blksize = 4096};
    return 0;
}

static void capture_close(struct wk_kern *k, struct wk_file *f)
{
    struct capture *c = f->obj;
    c->open = false;
    if (c->owned)
        wk_waitq_wake_all(&c->closed);
    else
        wk_free(k->mem, c);
}

static const struct wk_file_ops capture_ops = {
    .write = capture_write, .stat = capture_stat, .close = capture_close};

int wk_capture_new(struct wk_kern *k, struct wk_buf *buf, struct wk_file **w)
{
    struct capture *c = WK_NEW(k->mem, struct capture);
    if (!c)
        return -WK_ENOMEM;
    *c = (struct capture){.buf = buf, .open = true, .owned = true};
    *w = wk_file_new(k, WK_FILE_CAPTURE, WK_FILE_WRITE, &capture_ops, c);
    if (*w)
        return 0;
    wk_free(k->mem, c);
    return -WK_ENOMEM;
}

static bool is_ended(const struct wk_proc *p)
{
    uint64_t due = 0;
    for (; p; p = p->outer)
        due |= p->sig_pending & ~p->sig_caught & ~p->sig_ignored;
    return due != 0;
}

int wk_capture_finish(struct wk_task *t, struct wk_file *w, bool wait)
{
    struct wk_kern *k = w->k;
    struct capture *c = w->obj;
    int r = 0;
    bool interruptible = true;
    wk_file_unref(w);
    while (wait && c->open && r != -WK_ESTOP) {
        r = wk_park(t, &c->closed, WK_FOREVER, interruptible);
        if (r == -WK_EINTR) { /* traps run when the command has ended */
            wait = !is_ended(t->proc);
            interruptible = false;
        }
    }
    if (c->open) { /* others still write: into nothing from now on */
        c->buf = NULL;
        c->owned = false;
    } else {
        wk_free(k->mem, c);
    }
    return r;
}
