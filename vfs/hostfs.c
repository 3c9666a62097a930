/* hostfs.c - mounts of host directories: the back end's table over hostdir.h */
#include "vfs/hostdir.h"
#include "vfs/namespace.h"

struct hostfs {
    struct wk_fs fs;
    struct wk_vfs *vfs;
    struct wk_hostdir dir;
};

struct host_file {
    int fd;
};

static struct hostfs *self(struct wk_fs *fs)
{
    return (struct hostfs *)fs;
}

/* The node's path, and (with a name) that of an entry of it. Release the buffer in every case. */
static int path_of(struct wk_fs *fs, const struct wk_fs_node *n, struct wk_str name,
                   struct wk_buf *b)
{
    wk_buf_init(b, self(fs)->vfs->ctx.mem, SIZE_MAX / 2);
    wk_fs_node_path(n, b);
    if (name.n > 0) {
        if (b->n > 0)
            wk_buf_putc(b, '/');
        wk_buf_puts(b, name);
    }
    return b->failed ? -WK_ENOMEM : 0;
}

static const struct wk_str no_name = WK_STR_INIT("");

static int host_lookup_stat(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                            struct wk_str name, struct wk_stat *st)
{
    struct wk_buf b;
    (void)cred;
    int err = path_of(fs, dir, name, &b);
    if (!err)
        err = wk_hostdir_stat(&self(fs)->dir, wk_buf_c(&b), st);
    wk_buf_release(&b);
    return err;
}

static int host_getattr(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                        struct wk_stat *st)
{
    struct wk_buf b;
    (void)cred;
    int err = path_of(fs, n, no_name, &b);
    if (!err)
        err = wk_hostdir_stat(&self(fs)->dir, wk_buf_c(&b), st);
    wk_buf_release(&b);
    return err;
}

static int host_setattr(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                        const struct wk_fs_setattr *a)
{
    struct wk_buf b;
    (void)cred;
    int err = n->parent ? path_of(fs, n->parent, no_name, &b) : path_of(fs, n, no_name, &b);
    if (!err)
        err = wk_hostdir_setattr(&self(fs)->dir, wk_buf_c(&b), n->name, a);
    wk_buf_release(&b);
    return err;
}

static int host_readlink(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                         struct wk_buf *out)
{
    struct wk_buf b;
    (void)cred;
    int err = path_of(fs, n, no_name, &b);
    if (!err)
        err = wk_hostdir_readlink(&self(fs)->dir, wk_buf_c(&b), out);
    wk_buf_release(&b);
    return err;
}

static int host_readdir(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                        int (*put)(void *ctx, struct wk_str name, uint64_t ino, uint32_t type),
                        void *ctx)
{
    struct wk_buf b;
    (void)cred;
    int err = path_of(fs, dir, no_name, &b);
    if (!err)
        err = wk_hostdir_list(&self(fs)->dir, self(fs)->vfs->ctx.mem, wk_buf_c(&b), put, ctx);
    wk_buf_release(&b);
    return err;
}

/* ---- open files ------------------------------------------------------------------------------ */

static int host_open(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                     uint32_t flags, void **file)
{
    struct wk_mem *m = self(fs)->vfs->ctx.mem;
    struct wk_buf b;
    (void)cred;
    struct host_file *f = WK_NEW(m, struct host_file);
    if (!f)
        return -WK_ENOMEM;
    int err = path_of(fs, n, no_name, &b);
    if (!err) {
        f->fd = wk_hostdir_open(&self(fs)->dir, wk_buf_c(&b), flags);
        err = f->fd < 0 ? f->fd : 0;
    }
    wk_buf_release(&b);
    if (err)
        wk_free(m, f);
    else
        *file = f;
    return err;
}

/* What a device or FIFO of the host leads to is not the session's. */
static int host_open_special(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n)
{
    (void)fs;
    (void)cred;
    (void)n;
    return -WK_ENXIO;
}

static void host_close(struct wk_fs *fs, void *file)
{
    struct host_file *f = file;
    wk_hostdir_close(f->fd);
    wk_free(self(fs)->vfs->ctx.mem, f);
}

static int64_t host_pread(struct wk_fs *fs, void *file, void *dst, size_t n, int64_t off)
{
    (void)fs;
    return wk_hostdir_pread(((struct host_file *)file)->fd, dst, n, off);
}

static int64_t host_pwrite(struct wk_fs *fs, void *file, const void *src, size_t n, int64_t off,
                           int64_t *end)
{
    struct host_file *f = file;
    uint64_t max = self(fs)->vfs->limits.file_bytes;
    uint64_t at = (uint64_t)off;
    if (off < 0) {
        struct wk_stat st;
        int err = wk_hostdir_fstat(&self(fs)->dir, f->fd, &st);
        if (err)
            return err;
        at = st.size;
    }
    if (n > 0 && at >= max)
        return -WK_EFBIG;
    return wk_hostdir_pwrite(f->fd, src, (size_t)WK_MIN((uint64_t)n, max - WK_MIN(at, max)), off,
                             end);
}

static int host_fgetattr(struct wk_fs *fs, void *file, struct wk_stat *st)
{
    return wk_hostdir_fstat(&self(fs)->dir, ((struct host_file *)file)->fd, st);
}

static int host_fsetattr(struct wk_fs *fs, void *file, const struct wk_fs_setattr *a)
{
    if ((a->what & WK_SET_SIZE) && (uint64_t)a->size > self(fs)->vfs->limits.file_bytes)
        return -WK_EFBIG;
    return wk_hostdir_fsetattr(&self(fs)->dir, ((struct host_file *)file)->fd, a);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Names reach a back end as slices; the host wants them ended by NUL. */
struct cname {
    char s[256];
};

static int to_cname(struct cname *c, struct wk_str name)
{
    if (name.n >= sizeof c->s)
        return -WK_ENAMETOOLONG;
    memcpy(c->s, name.p, name.n);
    c->s[name.n] = '\0';
    return 0;
}

static int host_create(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                       struct wk_str name, uint32_t mode, uint64_t rdev, struct wk_str data)
{
    struct wk_mem *m = self(fs)->vfs->ctx.mem;
    struct wk_buf b;
    struct cname c;
    (void)cred;
    (void)rdev;
    char *text = wk_strndup(m, data.p, data.n);
    int err = path_of(fs, dir, no_name, &b);
    if (!err)
        err = text ? to_cname(&c, name) : -WK_ENOMEM;
    if (!err)
        err = wk_hostdir_create(&self(fs)->dir, wk_buf_c(&b), c.s, mode, text);
    wk_buf_release(&b);
    wk_free(m, text);
    return err;
}

static int host_remove(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                       struct wk_str name, bool dir_wanted)
{
    struct wk_buf b;
    struct cname c;
    (void)cred;
    int err = path_of(fs, dir, no_name, &b);
    if (!err)
        err = to_cname(&c, name);
    if (!err)
        err = wk_hostdir_remove(&self(fs)->dir, wk_buf_c(&b), c.s, dir_wanted);
    wk_buf_release(&b);
    return err;
}

static int host_rename(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *from_dir,
                       struct wk_str from, struct wk_fs_node *to_dir, struct wk_str to,
                       int at_flags)
{
    struct wk_buf a, b;
    struct cname ca, cb;
    (void)cred;
    int err = path_of(fs, from_dir, no_name, &a);
    int err_b = path_of(fs, to_dir, no_name, &b);
    if (!err)
        err = err_b;
    if (!err)
        err = to_cname(&ca, from);
    if (!err)
        err = to_cname(&cb, to);
    if (!err)
        err = wk_hostdir_rename(&self(fs)->dir, wk_buf_c(&a), ca.s, wk_buf_c(&b), cb.s,
                                at_flags & WK_AT_NOREPLACE);
    wk_buf_release(&a);
    wk_buf_release(&b);
    return err;
}

static int host_link(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                     struct wk_fs_node *to_dir, struct wk_str to)
{
    struct wk_buf a, b;
    struct cname c;
    (void)cred;
    if (!n->parent)
        return -WK_EPERM;
    int err = path_of(fs, n->parent, no_name, &a);
    int err_b = path_of(fs, to_dir, no_name, &b);
    if (!err)
        err = err_b;
    if (!err)
        err = to_cname(&c, to);
    if (!err)
        err = wk_hostdir_link(&self(fs)->dir, wk_buf_c(&a), n->name, wk_buf_c(&b), c.s);
    wk_buf_release(&a);
    wk_buf_release(&b);
    return err;
}

static int host_statfs(struct wk_fs *fs, struct wk_statfs *out)
{
    return wk_hostdir_statfs(&self(fs)->dir, out);
}

static void host_free(struct wk_fs *fs)
{
    wk_hostdir_release(&self(fs)->dir);
    wk_free(self(fs)->vfs->ctx.mem, fs);
}

static const struct wk_fs_ops host_ops = {
    .type = "host",
    .free = host_free,
    .lookup_stat = host_lookup_stat,
    .getattr = host_getattr,
    .setattr = host_setattr,
    .readlink = host_readlink,
    .readdir = host_readdir,
    .open = host_open,
    .open_special = host_open_special,
    .close = host_close,
    .pread = host_pread,
    .pwrite = host_pwrite,
    .fgetattr = host_fgetattr,
    .fsetattr = host_fsetattr,
    .create = host_create,
    .remove = host_remove,
    .rename = host_rename,
    .link = host_link,
    .statfs = host_statfs,
};

int wk_vfs_mount_host(struct wk_vfs *vfs, struct wk_str path, const char *host_dir,
                      const struct wk_host_options *options, uint32_t flags)
{
    struct hostfs *h = WK_NEW(vfs->ctx.mem, struct hostfs);
    if (!h)
        return -WK_ENOMEM;
    h->fs.ops = &host_ops;
    h->vfs = vfs;
    int err = wk_hostdir_init(&h->dir, host_dir, options);
    if (!err)
        err = wk_mount_foreign(vfs, path, &h->fs, host_dir, flags, NULL);
    if (err) {
        wk_hostdir_release(&h->dir);
        wk_free(vfs->ctx.mem, h);
    }
    return err;
}
