/* vfsfile.c - open files and directories of the vfs as file descriptions */
#include "kern/vfsfile.h"

#include "kern/sched.h"

enum { FOREIGN_BYTES = 32768 };

struct open_file {
    struct wk_vfile *v;
    struct wk_vpin pin;
    char *foreign; /* bytes of a foreign mount read at foreign_pos */
    size_t foreign_n;
    int64_t foreign_pos;
    bool no_borrow;
};

static ptrdiff_t file_read(struct wk_task *t, struct wk_file *f, void *dst, size_t cap)
{
    struct open_file *o = f->obj;
    if (t && wk_steps(f->k, (uint32_t)(cap / 4096 & 0xffff)) != 0)
        return -WK_ESTOP;
    int64_t n = wk_vfile_pread(o->v, dst, cap, f->pos);
    if (n > 0)
        f->pos += n;
    return (ptrdiff_t)n;
}

/* Foreign mounts cannot lend bytes: they are read into a buffer of the description. */
static ptrdiff_t peek_foreign(struct wk_file *f, struct open_file *o, const char **p)
{
    int64_t at = f->pos - o->foreign_pos;
    if (o->foreign && at >= 0 && (uint64_t)at < o->foreign_n) {
        *p = o->foreign + at;
        return (ptrdiff_t)(o->foreign_n - (size_t)at);
    }
    if (!o->foreign && !(o->foreign = wk_alloc(f->k->mem, FOREIGN_BYTES)))
        return -WK_ENOMEM;
    int64_t n = wk_vfile_pread(o->v, o->foreign, FOREIGN_BYTES, f->pos);
    o->foreign_pos = f->pos;
    o->foreign_n = n > 0 ? (size_t)n : 0;
    *p = o->foreign;
    return (ptrdiff_t)n;
}

static ptrdiff_t file_peek(struct wk_task *t, struct wk_file *f, size_t want, const char **p)
{
    struct open_file *o = f->obj;
    const void *q;
    (void)want;
    if (t && wk_step(f->k) != 0)
        return -WK_ESTOP;
    if (!o->no_borrow) {
        int64_t n = wk_vfile_borrow(o->v, f->pos, FOREIGN_BYTES, &o->pin, &q);
        if (n != -WK_EOPNOTSUPP) {
            *p = q;
            return (ptrdiff_t)n;
        }
        o->no_borrow = true;
    }
    return peek_foreign(f, o, p);
}

static void file_skip(struct wk_file *f, size_t n)
{
    f->pos += (int64_t)n;
}

static ptrdiff_t file_write(struct wk_task *t, struct wk_file *f, const void *src, size_t n)
{
    struct open_file *o = f->obj;
    o->foreign_n = 0;
    if (t && wk_steps(f->k, (uint32_t)(n / 4096 & 0xffff)) != 0)
        return -WK_ESTOP;
    size_t done = 0;
    bool cut = false; /* a limit of the process lets only a part be written */
    if (t && WK_UNLIKELY(t->proc->rlimits != NULL)) {
        uint64_t at = f->flags & WK_FILE_APPEND ? wk_vfile_size(o->v) : (uint64_t)f->pos;
        ptrdiff_t may = wk_rlimit_write(t, at, n);
        if (may < 0)
            return may;
        cut = (size_t)may < n;
        n = (size_t)may;
    }
    while (done < n) {
        int64_t end = 0, r;
        if (f->flags & WK_FILE_APPEND) {
            r = wk_vfile_append(o->v, (const char *)src + done, n - done, &end);
            if (r > 0)
                f->pos = end;
        } else {
            r = wk_vfile_pwrite(o->v, (const char *)src + done, n - done, f->pos);
            if (r > 0)
                f->pos += r;
        }
        if (r <= 0)
            return r ? (ptrdiff_t)r : -WK_EIO;
        done += (size_t)r;
    }
    return cut ? wk_rlimit_write(t, UINT64_MAX, 1) : (ptrdiff_t)n;
}

static int64_t file_seek(struct wk_file *f, int64_t off, int whence)
{
    struct open_file *o = f->obj;
    int64_t base = whence == 0 ? 0 : whence == 1 ? f->pos : (int64_t)wk_vfile_size(o->v);
    int64_t to;
    if (whence < 0 || whence > 2 || __builtin_add_overflow(base, off, &to) || to < 0)
        return -WK_EINVAL;
    f->pos = to;
    return to;
}

static int file_stat(struct wk_file *f, struct wk_stat *st)
{
    struct open_file *o = f->obj;
    return wk_vfile_stat(o->v, st);
}

static void file_close(struct wk_kern *k, struct wk_file *f)
{
    struct open_file *o = f->obj;
    wk_vpin_drop(&o->pin);
    wk_vfile_unref(o->v);
    wk_free(k->mem, o->foreign);
    wk_free(k->mem, o);
}

static const struct wk_file_ops file_ops = {.read = file_read,
                                            .write = file_write,
                                            .peek = file_peek,
                                            .skip = file_skip,
                                            .seek = file_seek,
                                            .stat = file_stat,
                                            .close = file_close};
static const struct wk_file_ops dir_ops = {.stat = file_stat, .close = file_close};

int wk_vfs_file_new(struct wk_kern *k, struct wk_vfile *v, uint8_t flags, struct wk_file **out)
{
    struct open_file *o = WK_NEW(k->mem, struct open_file);
    bool dir = wk_vfile_kind(v) == WK_S_IFDIR;
    if (o) {
        o->v = v;
        *out =
            wk_file_new(k, dir ? WK_FILE_DIR : WK_FILE_VFS, flags, dir ? &dir_ops : &file_ops, o);
    }
    if (o && *out)
        return 0;
    wk_free(k->mem, o);
    return -WK_ENOMEM;
}

struct wk_vfile *wk_file_vfile(const struct wk_file *f)
{
    if (f->kind != WK_FILE_VFS && f->kind != WK_FILE_DIR)
        return NULL;
    const struct open_file *o = f->obj;
    return o->v;
}
