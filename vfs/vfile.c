/* vfile.c - open files */
#include "vfs/namespace.h"

static uint32_t type_of(const struct wk_loc *loc)
{
    return loc->ip ? loc->ip->mode & WK_S_IFMT : loc->fn->type;
}

static int wanted_access(uint32_t flags)
{
    uint32_t acc = flags & WK_O_ACCMODE;
    int want = acc == WK_O_RDONLY ? WK_R_OK : acc == WK_O_WRONLY ? WK_W_OK : WK_R_OK | WK_W_OK;
    return flags & WK_O_TRUNC ? want | WK_W_OK : want;
}

/* The rules for opening what exists. */
static int may_open(const struct wk_loc *at, const struct wk_cred *cred, uint32_t flags,
                    struct wk_stat *st)
{
    uint32_t type = type_of(at);
    int want = wanted_access(flags);
    if (type == WK_S_IFLNK)
        return -WK_ELOOP;
    if ((flags & WK_O_DIRECTORY) && type != WK_S_IFDIR)
        return -WK_ENOTDIR;
    if (type == WK_S_IFDIR && ((want & WK_W_OK) || (flags & WK_O_CREAT)))
        return -WK_EISDIR;
    if (type == WK_S_IFSOCK)
        return -WK_ENXIO;
    int err = wk_loc_stat(at, cred, st);
    if (err)
        return err;
    if (!wk_stat_allows(st, cred, want))
        return -WK_EACCES;
    if ((want & WK_W_OK) && type == WK_S_IFREG && (at->mnt->flags & WK_MOUNT_RDONLY))
        return -WK_EROFS;
    return 0;
}

static int open_found(struct wk_vfs *vfs, const struct wk_loc *at, const struct wk_cred *cred,
                      uint32_t flags, struct wk_vfile *f)
{
    f->mnt = at->mnt;
    f->kind = type_of(at);
    if (at->ip) {
        f->oi = wk_oinode_get(vfs, at->ip);
        if (!f->oi)
            return -WK_ENOMEM;
        if (WK_S_ISCHR(at->ip->mode) || WK_S_ISBLK(at->ip->mode))
            f->rdev = at->ip->rdev;
        return (flags & WK_O_TRUNC) && f->kind == WK_S_IFREG ? wk_mfs_truncate(vfs, at->ip, 0) : 0;
    }
    f->fn = wk_node_ref(at->fn);
    struct wk_fs *fs = at->mnt->fs;
    if (f->kind == WK_S_IFDIR)
        return 0;
    if (f->kind != WK_S_IFREG)
        return fs->ops->open_special ? fs->ops->open_special(fs, cred, f->fn) : 0;
    uint32_t keep = WK_O_ACCMODE | WK_O_TRUNC | WK_O_APPEND;
    return fs->ops->open ? fs->ops->open(fs, cred, f->fn, flags & keep, &f->file) : -WK_EINVAL;
}

static struct wk_vfile *file_new(struct wk_vfs *vfs, uint32_t flags)
{
    struct wk_vfile *f = WK_NEW(vfs->ctx.mem, struct wk_vfile);
    if (!f)
        return NULL;
    f->vfs = vfs;
    f->refs = 1;
    f->flags = flags;
    return f;
}

static void file_free(struct wk_vfile *f)
{
    struct wk_vfs *vfs = f->vfs;
    if (f->file && f->mnt->fs->ops->close)
        f->mnt->fs->ops->close(f->mnt->fs, f->file);
    wk_node_put(f->fn);
    wk_oinode_put(vfs, f->oi);
    wk_free(vfs->ctx.mem, f);
}

static int open_walked(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_walk *w,
                       uint32_t flags, uint32_t mode, struct wk_vfile *f)
{
    bool made = false;
    struct wk_stat st = {0};
    int err = 0;
    if (!w->at.mnt) {
        if (flags & WK_O_DIRECTORY)
            return -WK_EINVAL;
        err = wk_create_at(vfs, cred, w, WK_S_IFREG | (mode & 07777), 0);
        made = err == 0;
    } else if ((flags & WK_O_CREAT) && (flags & WK_O_EXCL)) {
        return -WK_EEXIST;
    } else {
        err = may_open(&w->at, cred, flags, &st);
        f->rdev = st.rdev;
    }
    if (err)
        return err;
    err = open_found(vfs, &w->at, cred, made ? flags & ~(uint32_t)WK_O_TRUNC : flags, f);
    if (err && made && w->dir.ip) {
        /* All that removal touches is the session's own already: it cannot fail. */
        int undone = wk_mfs_remove(vfs, w->dir.ip, w->last);
        WK_ASSERT(undone == 0);
        (void)undone;
    }
    return err;
}

int wk_vfs_open(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                struct wk_str path, uint32_t flags, uint32_t mode, struct wk_vfile **out)
{
    struct wk_walk w;
    unsigned walk = 0;
    bool exclusive = (flags & WK_O_CREAT) && (flags & WK_O_EXCL);
    if ((flags & WK_O_ACCMODE) == WK_O_ACCMODE)
        return -WK_EINVAL;
    if (!(flags & WK_O_NOFOLLOW) && !exclusive)
        walk |= WK_WALK_FOLLOW;
    if (flags & WK_O_CREAT)
        walk |= WK_WALK_MISSING_OK | WK_WALK_CREATE;
    struct wk_vfile *f = file_new(vfs, flags);
    if (!f)
        return -WK_ENOMEM;
    int err = wk_walk(vfs, cred, cwd, path, walk, &w);
    if (!err)
        err = open_walked(vfs, cred, &w, flags, mode, f);
    wk_walk_end(vfs, &w);
    if (err) {
        file_free(f);
        return err;
    }
    f->mnt->handles++;
    vfs->handles++;
    *out = f;
    return 0;
}

void wk_vfile_unref(struct wk_vfile *f)
{
    if (!f || --f->refs > 0)
        return;
    f->mnt->handles--;
    f->vfs->handles--;
    file_free(f);
}

uint32_t wk_vfile_kind(const struct wk_vfile *f)
{
    return f->kind;
}

uint64_t wk_vfile_rdev(const struct wk_vfile *f)
{
    return f->rdev;
}

void wk_vfile_identity(const struct wk_vfile *f, uint64_t *dev, uint64_t *ino, uint64_t *birth)
{
    *dev = f->mnt->dev;
    if (f->oi) {
        *ino = f->oi->ino;
        *birth = f->oi->birth;
    } else {
        *ino = (uint64_t)(uintptr_t)f->fn; /* one node per file in use */
        *birth = 0;
    }
}

static struct wk_loc loc_of(const struct wk_vfile *f)
{
    return (struct wk_loc){
        .mnt = f->mnt, .ip = f->oi ? wk_oinode_inode(f->vfs, f->oi) : NULL, .fn = f->fn};
}

int wk_vfile_stat(struct wk_vfile *f, struct wk_stat *st)
{
    struct wk_loc loc = loc_of(f);
    if (loc.ip) {
        wk_mfs_stat(loc.ip, f->mnt->dev, st);
        return 0;
    }
    struct wk_fs *fs = f->mnt->fs;
    struct wk_cred nobody = {0};
    if (!f->file || !fs->ops->fgetattr)
        return wk_loc_stat(&loc, &nobody, st);
    *st = (struct wk_stat){0};
    int err = fs->ops->fgetattr(fs, f->file, st);
    st->dev = f->mnt->dev;
    return err;
}

uint64_t wk_vfile_size(struct wk_vfile *f)
{
    struct wk_stat st;
    if (f->oi) {
        struct wk_inode *ip = wk_oinode_inode(f->vfs, f->oi);
        return WK_S_ISREG(ip->mode) ? ip->size : 0;
    }
    return wk_vfile_stat(f, &st) == 0 ? st.size : 0;
}

/* ---- reading and writing --------------------------------------------------------------------- */

static int may_transfer(const struct wk_vfile *f, bool writing)
{
    uint32_t acc = f->flags & WK_O_ACCMODE;
    if (writing ? acc == WK_O_RDONLY : acc == WK_O_WRONLY)
        return -WK_EBADF;
    if (f->kind == WK_S_IFREG)
        return 0;
    return f->kind == WK_S_IFDIR ? -WK_EISDIR : -WK_EINVAL;
}

int64_t wk_vfile_pread(struct wk_vfile *f, void *dst, size_t n, int64_t off)
{
    int err = may_transfer(f, false);
    if (err || off < 0)
        return err ? err : -WK_EINVAL;
    if (f->oi)
        return wk_mfs_read(wk_oinode_inode(f->vfs, f->oi), dst, n, (uint64_t)off);
    struct wk_fs *fs = f->mnt->fs;
    return fs->ops->pread ? fs->ops->pread(fs, f->file, dst, n, off) : -WK_EINVAL;
}

static int64_t write_at(struct wk_vfile *f, const void *src, size_t n, int64_t off, int64_t *end)
{
    struct wk_vfs *vfs = f->vfs;
    int err = may_transfer(f, true);
    if (err)
        return err;
    if (f->oi) {
        uint64_t e = 0;
        int64_t done = wk_mfs_write(vfs, wk_oinode_inode(vfs, f->oi), src, n,
                                    off < 0 ? UINT64_MAX : (uint64_t)off, &e);
        if (vfs->ctx.dead)
            wk_block_reap(&vfs->ctx, WK_REAP_STEP);
        *end = (int64_t)e;
        return done;
    }
    struct wk_fs *fs = f->mnt->fs;
    return fs->ops->pwrite ? fs->ops->pwrite(fs, f->file, src, n, off, end) : -WK_EROFS;
}

int64_t wk_vfile_pwrite(struct wk_vfile *f, const void *src, size_t n, int64_t off)
{
    int64_t end;
    return off < 0 ? -WK_EINVAL : write_at(f, src, n, off, &end);
}

int64_t wk_vfile_append(struct wk_vfile *f, const void *src, size_t n, int64_t *end)
{
    return write_at(f, src, n, -1, end);
}

int64_t wk_vfile_borrow(struct wk_vfile *f, int64_t off, size_t max, struct wk_vpin *pin,
                        const void **p)
{
    wk_vpin_drop(pin);
    int err = may_transfer(f, false);
    if (err || off < 0)
        return err ? err : -WK_EINVAL;
    if (!f->oi)
        return -WK_EOPNOTSUPP;
    struct wk_inode *ip = wk_oinode_inode(f->vfs, f->oi);
    if ((uint64_t)off >= ip->size || max == 0)
        return 0;
    max = (size_t)WK_MIN((uint64_t)max, ip->size - (uint64_t)off);
    struct wk_block *held;
    size_t n = wk_content_borrow(ip->data, (uint64_t)off, max, p, &held);
    pin->block = wk_block_ref(held);
    pin->vfs = f->vfs;
    return (int64_t)n;
}

void wk_vpin_drop(struct wk_vpin *pin)
{
    if (pin->block) {
        wk_block_drop(&pin->vfs->ctx, pin->block);
        pin->block = NULL;
    }
}

int wk_vfile_truncate(struct wk_vfile *f, int64_t size)
{
    int err = may_transfer(f, true);
    if (err)
        return err == -WK_EBADF ? -WK_EINVAL : err;
    if (size < 0)
        return -WK_EINVAL;
    if (f->oi)
        return wk_mfs_truncate(f->vfs, wk_oinode_inode(f->vfs, f->oi), (uint64_t)size);
    struct wk_fs *fs = f->mnt->fs;
    struct wk_fs_setattr a = {.what = WK_SET_SIZE, .size = size};
    return fs->ops->fsetattr ? fs->ops->fsetattr(fs, f->file, &a) : -WK_EROFS;
}

static int set(struct wk_vfile *f, const struct wk_cred *cred, const struct wk_fs_setattr *a)
{
    struct wk_loc loc = loc_of(f);
    struct wk_fs *fs = f->mnt->fs;
    if (a->what == 0)
        return 0;
    if (!loc.ip && f->file && fs->ops->fsetattr)
        return f->mnt->flags & WK_MOUNT_RDONLY ? -WK_EROFS : fs->ops->fsetattr(fs, f->file, a);
    return wk_loc_setattr(f->vfs, &loc, cred, a);
}

int wk_vfile_chmod(struct wk_vfile *f, const struct wk_cred *cred, uint32_t mode)
{
    struct wk_stat st;
    struct wk_fs_setattr a;
    int err = wk_vfile_stat(f, &st);
    if (!err)
        err = wk_plan_chmod(&st, cred, mode, &a);
    return err ? err : set(f, cred, &a);
}

int wk_vfile_utimens(struct wk_vfile *f, const struct wk_cred *cred, int64_t atim, int64_t mtim)
{
    struct wk_stat st;
    struct wk_fs_setattr a;
    int err = wk_vfile_stat(f, &st);
    if (!err)
        err = wk_plan_utimens(f->vfs, &st, cred, atim, mtim, &a);
    return err ? err : set(f, cred, &a);
}

int wk_vfile_clone(struct wk_vfile *dst, struct wk_vfile *src)
{
    int err = may_transfer(dst, true);
    if (!err)
        err = may_transfer(src, false);
    if (err)
        return err;
    if (!dst->oi || !src->oi)
        return -WK_EOPNOTSUPP;
    return wk_mfs_clone(dst->vfs, wk_oinode_inode(dst->vfs, dst->oi),
                        wk_oinode_inode(src->vfs, src->oi));
}

int64_t wk_vfile_seek_data(struct wk_vfile *f, int64_t off, bool hole)
{
    uint64_t size = wk_vfile_size(f);
    if (f->kind != WK_S_IFREG)
        return -WK_EINVAL;
    if (off < 0 || (uint64_t)off >= size)
        return -WK_ENXIO;
    if (!f->oi)
        return hole ? (int64_t)size : off;
    uint64_t at = wk_content_seek(wk_oinode_inode(f->vfs, f->oi)->data, (uint64_t)off, hole);
    if (at >= size)
        return hole ? (int64_t)size : -WK_ENXIO;
    return (int64_t)at;
}
