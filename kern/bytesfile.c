/* bytesfile.c - a read-only file over bytes in memory: here-documents and here-strings */
#include "kern/file.h"
#include "vfs/vfs.h"

enum { PIPE_MOST = 65536 };

struct bytes {
    const char *p;
    size_t n;
    char *owned;
};

static size_t left(const struct wk_file *f)
{
    const struct bytes *b = f->obj;
    return (uint64_t)f->pos < b->n ? b->n - (size_t)f->pos : 0;
}

static ptrdiff_t bytes_read(struct wk_task *t, struct wk_file *f, void *dst, size_t cap)
{
    const struct bytes *b = f->obj;
    size_t n = WK_MIN(cap, left(f));
    (void)t;
    if (n)
        memcpy(dst, b->p + f->pos, n);
    f->pos += (int64_t)n;
    return (ptrdiff_t)n;
}

static ptrdiff_t bytes_peek(struct wk_task *t, struct wk_file *f, size_t want, const char **p)
{
    const struct bytes *b = f->obj;
    (void)t;
    (void)want;
    *p = left(f) ? b->p + f->pos : "";
    return (ptrdiff_t)left(f);
}

static void bytes_skip(struct wk_file *f, size_t n)
{
    f->pos += (int64_t)n;
}

static int64_t bytes_seek(struct wk_file *f, int64_t off, int whence)
{
    const struct bytes *b = f->obj;
    int64_t base = whence == 0 ? 0 : whence == 1 ? f->pos : (int64_t)b->n;
    int64_t to;
    if (whence < 0 || whence > 2 || __builtin_add_overflow(base, off, &to) || to < 0)
        return -WK_EINVAL;
    f->pos = to;
    return to;
}

static int bytes_stat(struct wk_file *f, struct wk_stat *st)
{
    const struct bytes *b = f->obj;
    bool pipe = b->n <= PIPE_MOST; /* what bash makes of a here-document: a pipe where it fits, else a file */
    *st = (struct wk_stat){.dev = 13,
                           .ino = (uintptr_t)b >> 4,
                           .mode = (pipe ? WK_S_IFIFO : WK_S_IFREG) | 0600,
                           .nlink = 0,
                           .size = pipe ? 0 : b->n,
                           .blksize = 4096};
    return 0;
}

static void bytes_close(struct wk_kern *k, struct wk_file *f)
{
    struct bytes *b = f->obj;
    wk_free(k->mem, b->owned);
    wk_free(k->mem, b);
}

static const struct wk_file_ops bytes_ops = {.read = bytes_read,
                                             .peek = bytes_peek,
                                             .skip = bytes_skip,
                                             .seek = bytes_seek,
                                             .stat = bytes_stat,
                                             .close = bytes_close};

int wk_bytes_file_new(struct wk_kern *k, const char *bytes, size_t n, bool owned,
                      struct wk_file **out)
{
    struct bytes *b = WK_NEW(k->mem, struct bytes);
    if (!b)
        return -WK_ENOMEM;
    union {
        const char *in;
        char *out;
    } u = {.in = bytes};
    *b = (struct bytes){bytes, n, owned ? u.out : NULL};
    *out = wk_file_new(k, WK_FILE_BYTES, WK_FILE_READ, &bytes_ops, b);
    if (*out)
        return 0;
    wk_free(k->mem, b);
    return -WK_ENOMEM;
}
