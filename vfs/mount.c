/* mount.c - the mount table */
#include "vfs/mount.h"
#include "vfs/mfs.h"

static const struct wk_cred root_cred = {0};

static struct wk_str mount_path(const struct wk_mount *m)
{
    return wk_str_c(m->path ? m->path : "/");
}

/* ---- making and ending ----------------------------------------------------------------------- */

static void mount_free(struct wk_vfs *vfs, struct wk_mount *m)
{
    struct wk_mem *mem = vfs->ctx.mem;
    wk_node_put(m->root);
    wk_node_put(m->on_fn);
    if (m->fs && m->fs->ops->free)
        m->fs->ops->free(m->fs);
    wk_free(mem, m->table);
    wk_free(mem, m->path);
    wk_free(mem, m->source);
    wk_free(mem, m);
}

static void refresh_bloom(struct wk_vfs *vfs)
{
    vfs->mount_bloom = 0;
    for (size_t i = 0; i < vfs->mount_n; i++)
        vfs->mount_bloom |= UINT64_C(1) << (vfs->mounts[i]->on_ino & 63);
}

/* The directory to be covered, made when it is missing in memory. The caller ends the walk. */
static int find_place(struct wk_vfs *vfs, struct wk_str path, struct wk_walk *w)
{
    int err = wk_walk(vfs, &root_cred, NULL, path, WK_WALK_FOLLOW, w);
    if (err == -WK_ENOENT) {
        uint64_t ino;
        wk_walk_end(vfs, w);
        err = wk_vfs_add_dirs(vfs, path, &ino);
        if (err) {
            *w = (struct wk_walk){0};
            return err;
        }
        err = wk_walk(vfs, &root_cred, NULL, path, WK_WALK_FOLLOW, w);
    }
    if (err)
        return err;
    if (!(w->at.ip ? wk_inode_is_dir(w->at.ip) : w->at.fn->type == WK_S_IFDIR))
        return -WK_ENOTDIR;
    struct wk_loc top = wk_mount_root(w->at.mnt);
    bool taken = wk_loc_same(&top, &w->at);
    wk_loc_drop(&top);
    return taken ? -WK_EBUSY : 0;
}

static int set_place(struct wk_vfs *vfs, struct wk_mount *m, const struct wk_loc *at)
{
    struct wk_buf path;
    wk_buf_init(&path, vfs->ctx.mem, SIZE_MAX / 2);
    int err = wk_loc_path(vfs, at, &path);
    if (!err) {
        size_t n;
        m->path = wk_buf_take(&path, &n);
        if (!m->path)
            err = -WK_ENOMEM;
    }
    wk_buf_release(&path);
    if (err)
        return err;
    m->on = at->mnt;
    if (at->ip) {
        m->on_ino = at->ip->ino;
        m->on_birth = at->ip->birth;
    } else {
        m->on_fn = wk_node_ref(at->fn);
    }
    return 0;
}

/* A mount at a path, not yet in the table. */
static int mount_new(struct wk_vfs *vfs, struct wk_str path, const char *source, uint32_t flags,
                     struct wk_mount **out)
{
    struct wk_walk w;
    struct wk_mount *m = NULL;
    int err = find_place(vfs, path, &w);
    if (!err && !wk_vec_grow(vfs->ctx.mem, &vfs->mounts, &vfs->mount_cap, vfs->mount_n + 1,
                             sizeof *vfs->mounts))
        err = -WK_ENOMEM;
    if (!err) {
        m = WK_NEW(vfs->ctx.mem, struct wk_mount);
        err = m ? 0 : -WK_ENOMEM;
    }
    if (!err) {
        m->vfs = vfs;
        m->flags = flags;
        m->dev = ++vfs->last_dev;
        m->source = wk_strndup(vfs->ctx.mem, source, strlen(source));
        err = m->source ? set_place(vfs, m, &w.at) : -WK_ENOMEM;
        if (err)
            mount_free(vfs, m);
    }
    wk_walk_end(vfs, &w);
    if (!err)
        *out = m;
    return err;
}

static void mount_enter(struct wk_vfs *vfs, struct wk_mount *m)
{
    vfs->mounts[vfs->mount_n++] = m;
    refresh_bloom(vfs);
    vfs->gen++;
}

int wk_mount_foreign(struct wk_vfs *vfs, struct wk_str path, struct wk_fs *fs, const char *source,
                     uint32_t flags, struct wk_mount **out)
{
    struct wk_mount *m;
    int err = mount_new(vfs, path, source, flags, &m);
    if (err)
        return err;
    m->fs = fs;
    m->root = wk_node_get(m, NULL, wk_str("", 0), WK_FS_ROOT, WK_S_IFDIR);
    if (!m->root) {
        m->fs = NULL; /* still the caller's */
        mount_free(vfs, m);
        return -WK_ENOMEM;
    }
    mount_enter(vfs, m);
    if (out)
        *out = m;
    return 0;
}

int wk_vfs_mount(struct wk_vfs *vfs, struct wk_str path, struct wk_fs *fs, uint32_t flags)
{
    return wk_mount_foreign(vfs, path, fs, fs->ops->type, flags, NULL);
}

static uint64_t birth_of(const struct wk_vfs *vfs, uint64_t ino)
{
    const struct wk_inode *ip = wk_tree_get(wk_vfs_tree(vfs), ino);
    return ip ? ip->birth : 0;
}

int wk_mount_make_root(struct wk_mount *m, uint32_t mode, uint32_t uid, uint32_t gid)
{
    struct wk_vfs *vfs = m->vfs;
    struct wk_str path = mount_path(m);
    uint64_t key = wk_dent_key(path);
    m->root_mode = mode;
    m->root_uid = uid;
    m->root_gid = gid;
    struct wk_dent *e = wk_dtree_find(wk_vfs_tree(vfs)->roots, key, path);
    if (e) {
        m->root_ino = e->val;
        return 0;
    }
    struct wk_mfs_new a = {.mode = WK_S_IFDIR | (mode & 07777), .uid = uid, .gid = gid};
    struct wk_name *name = path.n <= UINT16_MAX ? wk_name_new(&vfs->ctx, path.p, path.n) : NULL;
    int err = name && wk_block_own(&vfs->ctx, &vfs->tree) ? 0 : -WK_ENOMEM;
    if (!err)
        err = wk_dtree_reserve(&vfs->ctx, &wk_vfs_tree(vfs)->roots, key, path);
    if (!err)
        err = wk_mfs_create_root(vfs, &a, &m->root_ino);
    if (!err)
        wk_dtree_insert(wk_vfs_tree(vfs)->roots, key, name, m->root_ino);
    wk_block_drop(&vfs->ctx, name);
    return err;
}

/* Removes it with all that is in it. */
static int drop_root(struct wk_vfs *vfs, struct wk_mount *m)
{
    struct wk_str path = mount_path(m);
    uint64_t key = wk_dent_key(path);
    if (!m->root_ino)
        return 0;
    if (!wk_block_own(&vfs->ctx, &vfs->tree))
        return -WK_ENOMEM;
    int err = wk_dtree_own(&vfs->ctx, &wk_vfs_tree(vfs)->roots, key, path);
    if (!err)
        err = wk_mfs_remove_root(vfs, m->root_ino);
    if (!err)
        wk_dtree_remove(&vfs->ctx, &wk_vfs_tree(vfs)->roots, key, path);
    return err;
}

int wk_vfs_mount_memory(struct wk_vfs *vfs, struct wk_str path, uint32_t mode, uint32_t uid,
                        uint32_t gid, uint32_t flags)
{
    struct wk_mount *m;
    int err = mount_new(vfs, path, "tmpfs", flags, &m);
    if (err)
        return err;
    err = wk_mount_make_root(m, mode, uid, gid);
    if (err) {
        mount_free(vfs, m);
        return err;
    }
    mount_enter(vfs, m);
    return 0;
}

static bool has_mounts_on(const struct wk_vfs *vfs, const struct wk_mount *m)
{
    for (size_t i = 0; i < vfs->mount_n; i++)
        if (vfs->mounts[i]->on == m)
            return true;
    return false;
}

struct wk_mount *wk_mount_find(struct wk_vfs *vfs, struct wk_str path)
{
    struct wk_walk w;
    struct wk_mount *m = NULL;
    if (wk_walk(vfs, &root_cred, NULL, path, WK_WALK_FOLLOW, &w) == 0) {
        struct wk_loc top = wk_mount_root(w.at.mnt);
        if (wk_loc_same(&top, &w.at))
            m = w.at.mnt;
        wk_loc_drop(&top);
    }
    wk_walk_end(vfs, &w);
    return m;
}

int wk_vfs_umount(struct wk_vfs *vfs, struct wk_str path)
{
    struct wk_mount *m = wk_mount_find(vfs, path);
    if (!m)
        return -WK_EINVAL;
    if (m == &vfs->root || m->handles > 0 || has_mounts_on(vfs, m))
        return -WK_EBUSY;
    int err = drop_root(vfs, m);
    if (err)
        return err;
    size_t i = 0;
    while (vfs->mounts[i] != m)
        i++;
    vfs->mount_n--;
    memmove(&vfs->mounts[i], &vfs->mounts[i + 1], (vfs->mount_n - i) * sizeof(struct wk_mount *));
    refresh_bloom(vfs);
    mount_free(vfs, m);
    vfs->gen++;
    return 0;
}

void wk_mounts_release(struct wk_vfs *vfs)
{
    /* The last mounted first: it may stand on a node of an earlier one. */
    while (vfs->mount_n > 0)
        mount_free(vfs, vfs->mounts[--vfs->mount_n]);
    wk_free(vfs->ctx.mem, vfs->mounts);
    vfs->mounts = NULL;
    vfs->mount_cap = 0;
}

bool wk_vfs_mount_at(struct wk_vfs *vfs, size_t i, struct wk_mount_info *out)
{
    if (i > vfs->mount_n)
        return false;
    struct wk_mount *m = i == 0 ? &vfs->root : vfs->mounts[i - 1];
    const char *type = m->fs ? m->fs->ops->type : "tmpfs";
    *out = (struct wk_mount_info){
        .type = type,
        .path = m->path ? m->path : "/",
        .source = m->source ? m->source : type,
        .dev = m->dev,
        .flags = m->flags,
    };
    return true;
}

/* ---- after a restore ------------------------------------------------------------------------- */

static bool lives(const struct wk_vfs *vfs, uint64_t ino, uint64_t birth)
{
    const struct wk_inode *ip = wk_tree_get(wk_vfs_tree(vfs), ino);
    return ip && ip->birth == birth && wk_inode_is_dir(ip);
}

/* Finds (or makes) the root of a mount's memory and the directory that it covers. */
static int rebind(struct wk_vfs *vfs, struct wk_mount *m)
{
    int err = 0;
    if (m->root_ino)
        err = wk_mount_make_root(m, m->root_mode, m->root_uid, m->root_gid);
    if (err || m->on_fn || lives(vfs, m->on_ino, m->on_birth))
        return err;
    size_t above = mount_path(m->on).n;
    err = wk_mfs_add_dirs(vfs, m->on->root_ino, wk_str_from(mount_path(m), above), &m->on_ino);
    if (!err)
        m->on_birth = birth_of(vfs, m->on_ino);
    return err;
}

int wk_mounts_rebind(struct wk_vfs *vfs)
{
    size_t done = 0;
    int err = 0;
    for (; done < vfs->mount_n && !err; done++) {
        struct wk_mount *m = vfs->mounts[done];
        m->saved = (struct wk_mount_place){m->on_ino, m->on_birth, m->root_ino};
        err = rebind(vfs, m);
    }
    while (err && done > 0) {
        struct wk_mount *m = vfs->mounts[--done];
        m->on_ino = m->saved.on_ino;
        m->on_birth = m->saved.on_birth;
        m->root_ino = m->saved.root_ino;
    }
    refresh_bloom(vfs);
    return err;
}
