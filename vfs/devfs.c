/* devfs.c - the names under /dev */
#include "vfs/devfs.h"
#include "vfs/namespace.h"

struct devfs {
    struct wk_fs fs;
    struct wk_vfs *vfs;
};

struct node {
    const char *name;
    uint32_t mode;
    uint32_t major, minor;
    const char *target;
};

/* Handle i + 1 is row i; handles from FD_BASE on are the entries of fd. In the order of names. */
static const struct node nodes[] = {
    {"fd", WK_S_IFDIR | 0555, 0, 0, NULL},
    {"full", WK_S_IFCHR | 0666, WK_DEV_MEM, WK_DEV_FULL, NULL},
    {"null", WK_S_IFCHR | 0666, WK_DEV_MEM, WK_DEV_NULL, NULL},
    {"random", WK_S_IFCHR | 0666, WK_DEV_MEM, WK_DEV_RANDOM, NULL},
    {"stderr", WK_S_IFLNK | 0777, 0, 0, "fd/2"},
    {"stdin", WK_S_IFLNK | 0777, 0, 0, "fd/0"},
    {"stdout", WK_S_IFLNK | 0777, 0, 0, "fd/1"},
    {"tty", WK_S_IFCHR | 0666, WK_DEV_TTY, 0, NULL},
    {"urandom", WK_S_IFCHR | 0666, WK_DEV_MEM, WK_DEV_URANDOM, NULL},
    {"zero", WK_S_IFCHR | 0666, WK_DEV_MEM, WK_DEV_ZERO, NULL},
};

enum { FD_DIR = 1, FD_BASE = 1000, FD_MAX = 1 << 20 };

static int lookup_fd(const struct devfs *d, const struct wk_cred *cred, struct wk_str name,
                     uint64_t *id, uint32_t *type)
{
    uint32_t fd = 0;
    if (name.n > 7 || (name.n > 1 && name.p[0] == '0'))
        return -WK_ENOENT;
    for (size_t i = 0; i < name.n; i++) {
        if (!wk_is_digit(name.p[i]))
            return -WK_ENOENT;
        fd = fd * 10 + (uint32_t)(name.p[i] - '0');
    }
    if (fd >= FD_MAX)
        return -WK_ENOENT;
    const struct wk_dev_fds *fds = &d->vfs->dev_fds;
    if (fds->next && fds->next(fds->ctx, cred->caller, fd) != (int64_t)fd)
        return -WK_ENOENT;
    *id = FD_BASE + fd;
    *type = WK_S_IFCHR;
    return 0;
}

static int dev_lookup(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                      struct wk_str name, uint64_t *id, uint32_t *type)
{
    if (dir->id == FD_DIR)
        return lookup_fd((struct devfs *)fs, cred, name, id, type);
    for (size_t i = 0; i < WK_COUNTOF(nodes); i++) {
        if (wk_str_is(name, nodes[i].name)) {
            *id = i + 1;
            *type = nodes[i].mode & WK_S_IFMT;
            return 0;
        }
    }
    return -WK_ENOENT;
}

static int dev_getattr(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                       struct wk_stat *st)
{
    (void)fs;
    st->ino = n->id + 1;
    st->nlink = 1;
    st->blksize = 4096;
    if (n->id == WK_FS_ROOT) {
        st->mode = WK_S_IFDIR | 0755;
        st->nlink = 3;
    } else if (n->id >= FD_BASE) {
        st->mode = WK_S_IFCHR | 0600;
        st->uid = cred->uid;
        st->gid = cred->gid;
        st->rdev = wk_rdev(WK_DEV_FD, (uint32_t)(n->id - FD_BASE));
    } else {
        const struct node *d = &nodes[n->id - 1];
        st->mode = d->mode;
        st->rdev = d->major ? wk_rdev(d->major, d->minor) : 0;
        st->size = d->target ? strlen(d->target) : 0;
        if (n->id == FD_DIR)
            st->nlink = 2;
    }
    return 0;
}

static int dev_readlink(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                        struct wk_buf *out)
{
    (void)fs;
    (void)cred;
    if (n->id == WK_FS_ROOT || n->id >= FD_BASE || !nodes[n->id - 1].target)
        return -WK_EINVAL;
    return wk_buf_put_c(out, nodes[n->id - 1].target) ? 0 : -WK_ENOMEM;
}

static int list_fds(const struct devfs *d, const struct wk_cred *cred,
                    int (*put)(void *ctx, struct wk_str name, uint64_t ino, uint32_t type),
                    void *ctx)
{
    const struct wk_dev_fds *fds = &d->vfs->dev_fds;
    char digits[12];
    int err = 0;
    if (!fds->next)
        return 0;
    for (int64_t fd = 0; err == 0 && fd < FD_MAX; fd++) {
        fd = fds->next(fds->ctx, cred->caller, (uint32_t)fd);
        if (fd < 0)
            break;
        size_t n = sizeof digits;
        int64_t v = fd;
        do
            digits[--n] = (char)('0' + v % 10);
        while ((v /= 10) > 0);
        err =
            put(ctx, wk_str(digits + n, sizeof digits - n), FD_BASE + (uint64_t)fd + 1, WK_S_IFCHR);
    }
    return err;
}

static int dev_readdir(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                       int (*put)(void *ctx, struct wk_str name, uint64_t ino, uint32_t type),
                       void *ctx)
{
    int err = 0;
    if (dir->id == FD_DIR)
        return list_fds((struct devfs *)fs, cred, put, ctx);
    for (size_t i = 0; i < WK_COUNTOF(nodes) && !err; i++)
        err = put(ctx, wk_str_c(nodes[i].name), i + 2, nodes[i].mode & WK_S_IFMT);
    return err;
}

/* Device nodes take a new mode or time without keeping it, as if another set it back. */
static int dev_setattr(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                       const struct wk_fs_setattr *a)
{
    (void)fs;
    (void)cred;
    (void)n;
    return a->what & (WK_SET_MODE | WK_SET_UID | WK_SET_GID) ? -WK_EPERM : 0;
}

/* Descriptors come and go by themselves: a name among them that is not there cannot be. */
static int dev_may_create(struct wk_fs *fs, const struct wk_fs_node *dir)
{
    (void)fs;
    return dir->id == FD_DIR ? -WK_ENOENT : 0;
}

static void dev_free(struct wk_fs *fs)
{
    struct devfs *d = (struct devfs *)fs;
    wk_free(d->vfs->ctx.mem, d);
}

static const struct wk_fs_ops dev_ops = {
    .type = "devtmpfs",
    .free = dev_free,
    .lookup = dev_lookup,
    .getattr = dev_getattr,
    .setattr = dev_setattr,
    .readlink = dev_readlink,
    .readdir = dev_readdir,
    .may_create = dev_may_create,
};

int wk_vfs_mount_dev(struct wk_vfs *vfs, struct wk_str path)
{
    struct devfs *d = WK_NEW(vfs->ctx.mem, struct devfs);
    if (!d)
        return -WK_ENOMEM;
    d->fs.ops = &dev_ops;
    d->vfs = vfs;
    int err = wk_vfs_mount(vfs, path, &d->fs, 0);
    if (err)
        wk_free(vfs->ctx.mem, d);
    return err;
}

void wk_vfs_set_dev_fds(struct wk_vfs *vfs, const struct wk_dev_fds *fds)
{
    vfs->dev_fds = *fds;
}
