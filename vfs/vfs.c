/* vfs.c - namespaces: birth and end, quotas, attributes of paths */
#include "vfs/vfs.h"
#include "vfs/namespace.h"

/* ---- the hub --------------------------------------------------------------------------------- */

struct wk_vfs_hub *wk_vfs_hub_new(void)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    if (!m)
        return NULL;
    struct wk_vfs_hub *hub = WK_NEW(m, struct wk_vfs_hub);
    if (!hub) {
        wk_mem_unref(m);
        return NULL;
    }
    hub->mem = m;
    atomic_init(&hub->refs, 1);
    atomic_init(&hub->births, 1);
    return hub;
}

struct wk_vfs_hub *wk_vfs_hub_ref(struct wk_vfs_hub *hub)
{
    atomic_fetch_add_explicit(&hub->refs, 1, memory_order_relaxed);
    return hub;
}

void wk_vfs_hub_unref(struct wk_vfs_hub *hub)
{
    if (hub && atomic_fetch_sub_explicit(&hub->refs, 1, memory_order_acq_rel) == 1) {
        struct wk_mem *m = hub->mem;
        wk_free(m, hub);
        wk_mem_unref(m);
    }
}

/* ---- namespaces ------------------------------------------------------------------------------ */

struct wk_vfs_limits wk_vfs_limits_default(void)
{
    return (struct wk_vfs_limits){
        .bytes = UINT64_C(4) << 30,
        .inodes = 1 << 20,
        .file_bytes = UINT64_C(4) << 30,
        .dir_entries = 1 << 20,
        .path_max = 4096,
        .name_max = 255,
        .depth_max = 2000,
        .links_max = 40,
    };
}

static int64_t no_clock(void *ctx)
{
    (void)ctx;
    return 0;
}

/* A tree with nothing in it but "/". */
static int plant(struct wk_vfs *vfs)
{
    struct wk_snapshot *t = wk_block_zalloc(&vfs->ctx, WK_BLOCK_TREE, sizeof *t);
    if (!t)
        return -WK_ENOMEM;
    t->hub = wk_vfs_hub_ref(vfs->hub);
    t->next_ino = WK_ROOT_INO;
    vfs->tree = &t->b;
    struct wk_mfs_new root = {.mode = WK_S_IFDIR | 0755};
    uint64_t ino;
    return wk_mfs_create_root(vfs, &root, &ino);
}

int wk_vfs_new(struct wk_mem *m, const struct wk_vfs_config *config, struct wk_vfs **out)
{
    struct wk_vfs *vfs = WK_NEW(m, struct wk_vfs);
    if (!vfs)
        return -WK_ENOMEM;
    vfs->ctx.mem = wk_mem_ref(m);
    vfs->hub = wk_vfs_hub_ref(config->hub);
    vfs->limits = config->limits;
    vfs->now = config->now ? config->now : no_clock;
    vfs->now_ctx = config->now_ctx;
    vfs->gen = 1;
    vfs->last_dev = 1;
    vfs->root = (struct wk_mount){.vfs = vfs, .root_ino = WK_ROOT_INO, .dev = 1};
    int err = 0;
    if (config->base) {
        vfs->tree = &wk_snapshot_ref(wk_snapshot_unconst(config->base))->b;
        vfs->ino_floor = wk_vfs_tree(vfs)->next_ino;
    } else {
        err = plant(vfs);
    }
    if (err) {
        wk_vfs_free(vfs);
        return err;
    }
    *out = vfs;
    return 0;
}

void wk_vfs_free(struct wk_vfs *vfs)
{
    if (!vfs)
        return;
    struct wk_mem *m = vfs->ctx.mem;
    wk_mounts_release(vfs);
    WK_ASSERT(vfs->open_n == 0 && vfs->handles == 0);
    wk_block_drop(&vfs->ctx, vfs->tree);
    wk_block_reap(&vfs->ctx, SIZE_MAX);
    wk_vfs_hub_unref(vfs->hub);
    wk_free(m, vfs->open);
    wk_free(m, vfs);
    wk_mem_unref(m);
}

struct wk_vfs_limits *wk_vfs_limits(struct wk_vfs *vfs)
{
    return &vfs->limits;
}

struct wk_mem *wk_vfs_account(struct wk_vfs *vfs)
{
    return vfs->ctx.mem;
}

uint64_t wk_vfs_namespace_gen(const struct wk_vfs *vfs)
{
    return vfs->gen;
}

bool wk_vfs_tidy(struct wk_vfs *vfs, size_t budget)
{
    return wk_block_reap(&vfs->ctx, budget);
}

void wk_vfs_usage(const struct wk_vfs *vfs, uint64_t *bytes, uint64_t *inodes)
{
    *bytes = wk_vfs_tree(vfs)->bytes + vfs->orphan_bytes;
    *inodes = wk_vfs_tree(vfs)->inodes + vfs->orphan_inodes;
}

size_t wk_vfs_open_count(const struct wk_vfs *vfs)
{
    return vfs->handles;
}

/* ---- reading attributes ---------------------------------------------------------------------- */

static unsigned follow_flag(int at_flags)
{
    return at_flags & WK_AT_NOFOLLOW ? 0 : WK_WALK_FOLLOW;
}

int wk_vfs_stat(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                struct wk_str path, int at_flags, struct wk_stat *st)
{
    struct wk_walk w;
    int err = wk_walk(vfs, cred, cwd, path, follow_flag(at_flags), &w);
    if (!err)
        err = wk_loc_stat(&w.at, cred, st);
    wk_walk_end(vfs, &w);
    return err;
}

int wk_vfs_access(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                  struct wk_str path, int at_flags, int want)
{
    struct wk_walk w;
    struct wk_stat st;
    int err = wk_walk(vfs, cred, cwd, path, follow_flag(at_flags), &w);
    if (!err)
        err = wk_loc_stat(&w.at, cred, &st);
    if (!err && want != WK_F_OK) {
        bool special = !WK_S_ISREG(st.mode) && !WK_S_ISDIR(st.mode) && !WK_S_ISLNK(st.mode);
        if ((want & WK_W_OK) && (w.at.mnt->flags & WK_MOUNT_RDONLY) && !special)
            err = -WK_EROFS;
        else if (!wk_stat_allows(&st, cred, want))
            err = -WK_EACCES;
        else if ((want & WK_X_OK) && (w.at.mnt->flags & WK_MOUNT_NOEXEC) && WK_S_ISREG(st.mode))
            err = -WK_EACCES;
    }
    wk_walk_end(vfs, &w);
    return err;
}

int wk_vfs_readlink(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                    struct wk_str path, struct wk_buf *out)
{
    struct wk_walk w;
    int err = wk_walk(vfs, cred, cwd, path, 0, &w);
    if (!err && w.at.ip) {
        struct wk_chunk *c = (struct wk_chunk *)(void *)w.at.ip->data;
        if (!WK_S_ISLNK(w.at.ip->mode))
            err = -WK_EINVAL;
        else if (c && !wk_buf_put(out, c->data, c->len))
            err = -WK_ENOMEM;
    } else if (!err) {
        struct wk_fs *fs = w.at.mnt->fs;
        bool link = w.at.fn->type == WK_S_IFLNK && fs->ops->readlink;
        err = link ? fs->ops->readlink(fs, cred, w.at.fn, out) : -WK_EINVAL;
    }
    wk_walk_end(vfs, &w);
    return err;
}

int wk_vfs_statfs(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                  struct wk_str path, struct wk_statfs *out)
{
    struct wk_walk w;
    int err = wk_walk(vfs, cred, cwd, path, WK_WALK_FOLLOW, &w);
    if (!err) {
        uint64_t bytes, inodes;
        struct wk_mount *m = w.at.mnt;
        wk_vfs_usage(vfs, &bytes, &inodes);
        uint64_t free_bytes = bytes < vfs->limits.bytes ? vfs->limits.bytes - bytes : 0;
        *out = (struct wk_statfs){
            .dev = m->dev,
            .block_size = 4096,
            .blocks = vfs->limits.bytes / 4096,
            .blocks_free = free_bytes / 4096,
            .inodes = vfs->limits.inodes,
            .inodes_free = inodes < vfs->limits.inodes ? vfs->limits.inodes - inodes : 0,
            .name_max = vfs->limits.name_max,
            .read_only = m->flags & WK_MOUNT_RDONLY,
            .type = m->fs ? m->fs->ops->type : "tmpfs",
        };
        if (m->fs && m->fs->ops->statfs)
            err = m->fs->ops->statfs(m->fs, out);
    }
    wk_walk_end(vfs, &w);
    return err;
}

/* ---- changing attributes --------------------------------------------------------------------- */

int wk_loc_setattr(struct wk_vfs *vfs, const struct wk_loc *loc, const struct wk_cred *cred,
                   const struct wk_fs_setattr *a)
{
    if (loc->mnt->flags & WK_MOUNT_RDONLY)
        return -WK_EROFS;
    if (loc->ip)
        return wk_mfs_setattr(vfs, loc->ip, a);
    struct wk_fs *fs = loc->mnt->fs;
    if (loc->fn->gone && loc->fn->parent)
        return -WK_ENOENT;
    vfs->gen++;
    return fs->ops->setattr ? fs->ops->setattr(fs, cred, loc->fn, a) : -WK_EROFS;
}

/* chmod's rules: fills in `a`. */
int wk_plan_chmod(const struct wk_stat *st, const struct wk_cred *cred, uint32_t mode,
                  struct wk_fs_setattr *a)
{
    if (cred->uid != 0 && cred->uid != st->uid)
        return -WK_EPERM;
    if (WK_S_ISLNK(st->mode))
        return -WK_EOPNOTSUPP;
    mode &= 07777;
    if (cred->uid != 0 && cred->gid != st->gid && !WK_S_ISDIR(st->mode))
        mode &= ~(uint32_t)WK_S_ISGID;
    *a = (struct wk_fs_setattr){.what = WK_SET_MODE, .mode = mode};
    return 0;
}

int wk_plan_chown(const struct wk_stat *st, const struct wk_cred *cred, uint32_t uid, uint32_t gid,
                  struct wk_fs_setattr *a)
{
    unsigned what = 0;
    *a = (struct wk_fs_setattr){.uid = uid, .gid = gid};
    if (cred->uid != 0) {
        bool keeps_uid = uid == UINT32_MAX || uid == st->uid;
        bool may_gid = gid == UINT32_MAX || gid == st->gid || gid == cred->gid;
        if (cred->uid != st->uid || !keeps_uid || !may_gid)
            return -WK_EPERM;
    }
    if (uid != UINT32_MAX)
        what |= WK_SET_UID;
    if (gid != UINT32_MAX)
        what |= WK_SET_GID;
    uint32_t set_id = WK_S_ISUID | (st->mode & 010 ? WK_S_ISGID : 0);
    if (WK_S_ISREG(st->mode) && (st->mode & set_id)) { /* for root, too, and when nothing else changes */
        what |= WK_SET_MODE;
        a->mode = st->mode & 07777 & ~set_id;
    }
    a->what = what;
    return 0;
}

int wk_plan_utimens(const struct wk_vfs *vfs, const struct wk_stat *st, const struct wk_cred *cred,
                    int64_t atim, int64_t mtim, struct wk_fs_setattr *a)
{
    int64_t now = wk_vfs_time(vfs);
    unsigned what = 0;
    bool both_now = atim == WK_TIME_NOW && mtim == WK_TIME_NOW;
    *a = (struct wk_fs_setattr){0};
    if (atim != WK_TIME_OMIT)
        what |= WK_SET_ATIM;
    if (mtim != WK_TIME_OMIT)
        what |= WK_SET_MTIM;
    a->what = what;
    a->atim = atim == WK_TIME_NOW ? now : atim;
    a->mtim = mtim == WK_TIME_NOW ? now : mtim;
    if (what == 0 || cred->uid == 0 || cred->uid == st->uid)
        return 0;
    if (both_now)
        return wk_stat_allows(st, cred, WK_W_OK) ? 0 : -WK_EACCES;
    return -WK_EPERM;
}

int wk_vfs_chmod(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                 struct wk_str path, int at_flags, uint32_t mode)
{
    struct wk_walk w;
    struct wk_stat st;
    struct wk_fs_setattr a;
    int err = wk_walk(vfs, cred, cwd, path, follow_flag(at_flags), &w);
    if (!err)
        err = wk_loc_stat(&w.at, cred, &st);
    if (!err)
        err = wk_plan_chmod(&st, cred, mode, &a);
    if (!err)
        err = wk_loc_setattr(vfs, &w.at, cred, &a);
    wk_walk_end(vfs, &w);
    return err;
}

int wk_vfs_chown(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                 struct wk_str path, int at_flags, uint32_t uid, uint32_t gid)
{
    struct wk_walk w;
    struct wk_stat st;
    struct wk_fs_setattr a;
    int err = wk_walk(vfs, cred, cwd, path, follow_flag(at_flags), &w);
    if (!err)
        err = wk_loc_stat(&w.at, cred, &st);
    if (!err)
        err = wk_plan_chown(&st, cred, uid, gid, &a);
    if (!err)
        err = wk_loc_setattr(vfs, &w.at, cred, &a);
    wk_walk_end(vfs, &w);
    return err;
}

int wk_vfs_utimens(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                   struct wk_str path, int at_flags, int64_t atim, int64_t mtim)
{
    struct wk_walk w;
    struct wk_stat st;
    struct wk_fs_setattr a;
    int err = wk_walk(vfs, cred, cwd, path, follow_flag(at_flags), &w);
    if (!err)
        err = wk_loc_stat(&w.at, cred, &st);
    if (!err)
        err = wk_plan_utimens(vfs, &st, cred, atim, mtim, &a);
    if (!err && a.what)
        err = wk_loc_setattr(vfs, &w.at, cred, &a);
    wk_walk_end(vfs, &w);
    return err;
}

int wk_vfs_truncate(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                    struct wk_str path, int64_t size)
{
    struct wk_walk w;
    struct wk_stat st;
    if (size < 0)
        return -WK_EINVAL;
    int err = wk_walk(vfs, cred, cwd, path, WK_WALK_FOLLOW, &w);
    if (!err)
        err = wk_loc_stat(&w.at, cred, &st);
    if (!err && !WK_S_ISREG(st.mode))
        err = WK_S_ISDIR(st.mode) ? -WK_EISDIR : -WK_EINVAL;
    if (!err && (w.at.mnt->flags & WK_MOUNT_RDONLY))
        err = -WK_EROFS;
    if (!err && !wk_stat_allows(&st, cred, WK_W_OK))
        err = -WK_EACCES;
    if (!err) {
        struct wk_fs_setattr a = {.what = WK_SET_SIZE, .size = size};
        err = wk_loc_setattr(vfs, &w.at, cred, &a);
    }
    wk_walk_end(vfs, &w);
    return err;
}
