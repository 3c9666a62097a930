/* naming.c - calls that make, remove, move and link names */
#include "vfs/namespace.h"

static bool is_dir(const struct wk_loc *loc)
{
    return loc->ip ? wk_inode_is_dir(loc->ip) : loc->fn->type == WK_S_IFDIR;
}

/* A directory that was removed and is only held. */
static bool is_gone(const struct wk_loc *dir)
{
    return dir->ip ? dir->ip->nlink == 0 : dir->fn->gone && dir->fn->parent;
}

static bool writable_mount(const struct wk_mount *m)
{
    return !(m->flags & WK_MOUNT_RDONLY);
}

/* May names be added to this directory? An orphan takes none. */
static int may_create_in(const struct wk_loc *dir, const struct wk_cred *cred)
{
    if (is_gone(dir))
        return -WK_ENOENT;
    if (!writable_mount(dir->mnt))
        return -WK_EROFS;
    struct wk_fs *fs = dir->ip ? NULL : dir->mnt->fs;
    int err = fs && fs->ops->may_create ? fs->ops->may_create(fs, dir->fn) : 0;
    return err ? err : wk_loc_allows(dir, cred, WK_W_OK | WK_X_OK);
}

/* May `victim` be taken out of it? */
static int may_delete_in(const struct wk_loc *dir, const struct wk_loc *victim,
                         const struct wk_cred *cred)
{
    if (!writable_mount(dir->mnt))
        return -WK_EROFS;
    int err = wk_loc_allows(dir, cred, WK_W_OK | WK_X_OK);
    if (err || cred->uid == 0)
        return err;
    struct wk_stat st;
    err = wk_loc_stat(dir, cred, &st);
    if (err || !(st.mode & WK_S_ISVTX) || st.uid == cred->uid)
        return err;
    err = wk_loc_stat(victim, cred, &st);
    if (err)
        return err;
    return st.uid == cred->uid ? 0 : -WK_EPERM;
}

int wk_mfs_make(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_inode *dir,
                struct wk_str name, uint32_t mode, uint64_t rdev, struct wk_str text)
{
    if (WK_S_ISDIR(mode) && wk_mfs_depth(vfs, dir) >= vfs->limits.depth_max)
        return -WK_ENAMETOOLONG;
    struct wk_mfs_new a = {.mode = mode, .uid = cred->uid, .gid = cred->gid, .rdev = rdev};
    if (dir->mode & WK_S_ISGID) {
        a.gid = dir->gid;
        if (WK_S_ISDIR(mode))
            a.mode |= WK_S_ISGID;
    }
    if (WK_S_ISLNK(mode)) {
        struct wk_chunk *c = wk_chunk_new(&vfs->ctx, text.p, (uint32_t)text.n, false);
        if (!c)
            return -WK_ENOMEM;
        a.data = &c->b;
        a.size = a.held = text.n;
    }
    struct wk_inode *ip;
    int err = wk_mfs_create(vfs, dir, name, &a, &ip);
    wk_block_drop(&vfs->ctx, a.data);
    return err;
}

static int make(struct wk_vfs *vfs, const struct wk_cred *cred, const struct wk_loc *dir,
                struct wk_str name, uint32_t mode, uint64_t rdev, struct wk_str text)
{
    if (dir->ip)
        return wk_mfs_make(vfs, cred, dir->ip, name, mode, rdev, text);
    struct wk_fs *fs = dir->mnt->fs;
    vfs->gen++;
    return fs->ops->create ? fs->ops->create(fs, cred, dir->fn, name, mode, rdev, text) : -WK_EROFS;
}

int wk_create_at(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_walk *w, uint32_t mode,
                 uint64_t rdev)
{
    int err = may_create_in(&w->dir, cred);
    if (err)
        return err;
    mode &= ~(cred->umask & 0777);
    uint64_t dir_ino = w->dir.ip ? w->dir.ip->ino : 0;
    err = make(vfs, cred, &w->dir, w->last, mode, rdev, wk_str(NULL, 0));
    if (err)
        return err;
    if (dir_ino)
        w->dir.ip = wk_tree_get(wk_vfs_tree(vfs), dir_ino);
    return wk_loc_child(vfs, cred, &w->dir, w->last, &w->at);
}

/* The common beginning of mkdir, mknod, symlink and link: the name must be free. */
static int walk_to_free(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                        struct wk_str path, bool dir_wanted, struct wk_walk *w)
{
    int err = wk_walk(vfs, cred, cwd, path, WK_WALK_MISSING_OK | WK_WALK_ENTRY, w);
    if (err)
        return err;
    if (w->at.mnt)
        return -WK_EEXIST;
    if (is_gone(&w->dir))
        return -WK_ENOENT;
    return w->must_be_dir && !dir_wanted ? -WK_ENOENT : 0;
}

int wk_vfs_mkdir(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                 struct wk_str path, uint32_t mode)
{
    struct wk_walk w;
    int err = walk_to_free(vfs, cred, cwd, path, true, &w);
    if (!err)
        err = may_create_in(&w.dir, cred);
    if (!err)
        err = make(vfs, cred, &w.dir, w.last, WK_S_IFDIR | (mode & 01777 & ~(cred->umask & 0777)),
                   0, wk_str(NULL, 0));
    wk_walk_end(vfs, &w);
    return err;
}

int wk_vfs_mknod(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                 struct wk_str path, uint32_t mode, uint64_t rdev)
{
    struct wk_walk w;
    uint32_t type = mode & WK_S_IFMT;
    if (type == 0)
        type = WK_S_IFREG;
    if (type == WK_S_IFDIR || type == WK_S_IFLNK)
        return -WK_EPERM;
    if ((type == WK_S_IFCHR || type == WK_S_IFBLK) && cred->uid != 0)
        return -WK_EPERM;
    int err = walk_to_free(vfs, cred, cwd, path, false, &w);
    if (!err)
        err = may_create_in(&w.dir, cred);
    if (!err)
        err = make(vfs, cred, &w.dir, w.last, type | (mode & 07777 & ~(cred->umask & 0777)), rdev,
                   wk_str(NULL, 0));
    wk_walk_end(vfs, &w);
    return err;
}

int wk_vfs_symlink(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                   struct wk_str target, struct wk_str path)
{
    struct wk_walk w;
    if (target.n == 0 || memchr(target.p, '\0', target.n))
        return -WK_ENOENT;
    if (target.n >= vfs->limits.path_max)
        return -WK_ENAMETOOLONG;
    int err = walk_to_free(vfs, cred, cwd, path, false, &w);
    if (!err)
        err = may_create_in(&w.dir, cred);
    if (!err)
        err = make(vfs, cred, &w.dir, w.last, WK_S_IFLNK | 0777, 0, target);
    wk_walk_end(vfs, &w);
    return err;
}

/* ---- removal --------------------------------------------------------------------------------- */

static bool covered(const struct wk_walk *w)
{
    return w->at.mnt != w->dir.mnt;
}

static int remove_found(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_walk *w,
                        bool dir_wanted)
{
    if (w->dir.ip)
        return wk_mfs_remove(vfs, w->dir.ip, w->last);
    struct wk_fs *fs = w->dir.mnt->fs;
    int err =
        fs->ops->remove ? fs->ops->remove(fs, cred, w->dir.fn, w->last, dir_wanted) : -WK_EROFS;
    vfs->gen++;
    if (!err)
        wk_node_forget_name(w->at.fn);
    return err;
}

int wk_vfs_rmdir(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                 struct wk_str path)
{
    struct wk_walk w;
    int err = wk_walk(vfs, cred, cwd, path, WK_WALK_ENTRY, &w);
    if (err)
        goto out;
    if (w.last_kind != WK_LAST_NAME)
        err = w.last_kind == WK_LAST_DOT      ? -WK_EINVAL
              : w.last_kind == WK_LAST_DOTDOT ? -WK_ENOTEMPTY
                                              : -WK_EBUSY;
    else if (covered(&w))
        err = -WK_EBUSY;
    else
        err = may_delete_in(&w.dir, &w.at, cred);
    if (!err && !is_dir(&w.at))
        err = -WK_ENOTDIR;
    if (!err && w.at.ip && w.at.ip->size > 0)
        err = -WK_ENOTEMPTY;
    if (!err)
        err = remove_found(vfs, cred, &w, true);
out:
    wk_walk_end(vfs, &w);
    return err;
}

int wk_vfs_unlink(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                  struct wk_str path)
{
    struct wk_walk w;
    int err = wk_walk(vfs, cred, cwd, path, WK_WALK_ENTRY, &w);
    if (!err && w.last_kind != WK_LAST_NAME)
        err = -WK_EISDIR;
    if (!err && w.must_be_dir)
        err = is_dir(&w.at) ? -WK_EISDIR : -WK_ENOTDIR;
    if (!err && covered(&w))
        err = is_dir(&w.at) ? -WK_EISDIR : -WK_EBUSY;
    if (!err)
        err = may_delete_in(&w.dir, &w.at, cred);
    if (!err && is_dir(&w.at))
        err = -WK_EISDIR;
    if (!err)
        err = remove_found(vfs, cred, &w, false);
    wk_walk_end(vfs, &w);
    return err;
}

/* ---- links ----------------------------------------------------------------------------------- */

/* Linux's fs.protected_hardlinks: who does not own a file links it only if he may read and write it
 * and it runs with nobody else's rights. */
static int may_link(const struct wk_loc *at, const struct wk_cred *cred)
{
    struct wk_stat st;
    int err = wk_loc_stat(at, cred, &st);
    if (err || cred->uid == 0 || cred->uid == st.uid)
        return err;
    bool set_id = (st.mode & WK_S_ISUID) || (st.mode & (WK_S_ISGID | 010)) == (WK_S_ISGID | 010);
    bool safe = WK_S_ISREG(st.mode) && !set_id && wk_stat_allows(&st, cred, WK_R_OK | WK_W_OK);
    return safe ? 0 : -WK_EPERM;
}

int wk_vfs_link(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *from_cwd,
                struct wk_str from, struct wk_vdir *to_cwd, struct wk_str to, int at_flags)
{
    struct wk_walk a, b;
    int err = wk_walk(vfs, cred, from_cwd, from, at_flags & WK_AT_FOLLOW ? WK_WALK_FOLLOW : 0, &a);
    if (err) {
        wk_walk_end(vfs, &a);
        return err;
    }
    err = walk_to_free(vfs, cred, to_cwd, to, false, &b);
    if (!err && a.at.mnt != b.dir.mnt)
        err = -WK_EXDEV;
    if (!err)
        err = may_link(&a.at, cred);
    if (!err)
        err = may_create_in(&b.dir, cred);
    if (!err && is_dir(&a.at))
        err = -WK_EPERM;
    if (!err && a.at.ip && a.at.ip->nlink == 0)
        err = -WK_ENOENT;
    if (!err && a.at.ip) {
        err = wk_mfs_link(vfs, b.dir.ip, b.last, a.at.ip);
    } else if (!err) {
        struct wk_fs *fs = a.at.mnt->fs;
        vfs->gen++;
        err = fs->ops->link ? fs->ops->link(fs, cred, a.at.fn, b.dir.fn, b.last) : -WK_EROFS;
    }
    wk_walk_end(vfs, &b);
    wk_walk_end(vfs, &a);
    return err;
}

/* ---- rename ---------------------------------------------------------------------------------- */

static bool node_is_below(const struct wk_fs_node *n, const struct wk_fs_node *dir)
{
    for (; n; n = n->parent)
        if (n == dir)
            return true;
    return false;
}

static bool is_below(const struct wk_vfs *vfs, const struct wk_loc *loc, const struct wk_loc *dir)
{
    if (loc->ip)
        return dir->ip && wk_mfs_is_below(vfs, loc->ip, dir->ip);
    return dir->fn && node_is_below(loc->fn, dir->fn);
}

/* The rules of POSIX for an existing target. */
static int may_replace(const struct wk_loc *src, const struct wk_loc *dst)
{
    if (is_dir(src) && !is_dir(dst))
        return -WK_ENOTDIR;
    if (!is_dir(src) && is_dir(dst))
        return -WK_EISDIR;
    return 0;
}

static int check_rename(const struct wk_vfs *vfs, const struct wk_cred *cred,
                        const struct wk_walk *a, const struct wk_walk *b, int at_flags)
{
    if (a->dir.mnt != b->dir.mnt)
        return -WK_EXDEV;
    if (a->last_kind != WK_LAST_NAME || b->last_kind != WK_LAST_NAME)
        return -WK_EBUSY;
    if (!a->at.mnt || is_gone(&b->dir))
        return -WK_ENOENT;
    if (covered(a) || (b->at.mnt && covered(b)))
        return -WK_EBUSY;
    bool swap = at_flags & WK_AT_EXCHANGE;
    if (swap && !b->at.mnt)
        return -WK_ENOENT;
    if (b->at.mnt && (at_flags & WK_AT_NOREPLACE))
        return -WK_EEXIST;
    if (swap && b->must_be_dir && !is_dir(&b->at))
        return -WK_ENOTDIR;
    if (!is_dir(&a->at) && (a->must_be_dir || (b->must_be_dir && !swap)))
        return -WK_ENOTDIR;
    if (is_dir(&a->at) && is_below(vfs, &b->dir, &a->at))
        return -WK_EINVAL;
    if (b->at.mnt && is_below(vfs, &a->dir, &b->at))
        return swap ? -WK_EINVAL : -WK_ENOTEMPTY;
    if (!writable_mount(a->dir.mnt))
        return -WK_EROFS;
    if (b->at.mnt && wk_loc_same(&a->at, &b->at))
        return 0; /* two names of one file: both stay */
    int err = may_delete_in(&a->dir, &a->at, cred);
    if (!err)
        err = may_create_in(&b->dir, cred);
    if (!err && b->at.mnt)
        err = may_delete_in(&b->dir, &b->at, cred);
    bool replaces = b->at.mnt && !swap;
    if (!err && replaces)
        err = may_replace(&a->at, &b->at);
    /* A directory that changes its parent must be writable: its ".." changes. */
    if (!err && is_dir(&a->at) && !wk_loc_same(&a->dir, &b->dir))
        err = wk_loc_allows(&a->at, cred, WK_W_OK);
    if (!err && replaces && is_dir(&b->at) && b->at.ip && b->at.ip->size > 0)
        err = -WK_ENOTEMPTY;
    if (!err && is_dir(&a->at) && b->dir.ip &&
        wk_mfs_depth(vfs, b->dir.ip) >= vfs->limits.depth_max)
        err = -WK_ENAMETOOLONG;
    return err;
}

static int rename_foreign(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_walk *a,
                          struct wk_walk *b, int at_flags)
{
    struct wk_fs *fs = a->dir.mnt->fs;
    if (!fs->ops->rename)
        return -WK_EROFS;
    if (at_flags & WK_AT_EXCHANGE)
        return -WK_EINVAL;
    if (a->dir.fn == b->dir.fn && wk_str_eq(a->last, b->last))
        return 0;
    char *spare = wk_strndup(vfs->ctx.mem, b->last.p, b->last.n);
    if (!spare)
        return -WK_ENOMEM;
    vfs->gen++;
    int err = fs->ops->rename(fs, cred, a->dir.fn, a->last, b->dir.fn, b->last, at_flags);
    if (err)
        wk_free(vfs->ctx.mem, spare);
    else
        wk_node_move(a->dir.mnt, a->dir.fn, a->last, b->dir.fn, spare, b->last);
    return err;
}

int wk_vfs_rename(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *from_cwd,
                  struct wk_str from, struct wk_vdir *to_cwd, struct wk_str to, int at_flags)
{
    struct wk_walk a, b;
    unsigned how = WK_WALK_MISSING_OK | WK_WALK_ENTRY;
    int err = wk_walk(vfs, cred, from_cwd, from, how, &a);
    if (err) {
        wk_walk_end(vfs, &a);
        return err;
    }
    err = wk_walk(vfs, cred, to_cwd, to, how, &b);
    if (!err)
        err = check_rename(vfs, cred, &a, &b, at_flags);
    if (!err && !a.dir.ip)
        err = rename_foreign(vfs, cred, &a, &b, at_flags);
    else if (!err && (at_flags & WK_AT_EXCHANGE))
        err = wk_mfs_exchange(vfs, a.dir.ip, a.last, b.dir.ip, b.last);
    else if (!err)
        err = wk_mfs_rename(vfs, a.dir.ip, a.last, b.dir.ip, b.last);
    wk_walk_end(vfs, &b);
    wk_walk_end(vfs, &a);
    return err;
}
