/* load.c - filling the memory tree from host code, by inode */
#include "vfs/mfs.h"

/* Contents as chunks; *out may be NULL for no bytes. */
static int make_content(struct wk_bctx *c, struct wk_str data, bool borrowed, struct wk_block **out)
{
    *out = NULL;
    if (data.n == 0)
        return 0;
    if (data.n <= WK_CHUNK_SIZE) {
        struct wk_chunk *k = wk_chunk_new(c, data.p, (uint32_t)data.n, borrowed);
        *out = k ? &k->b : NULL;
        return k ? 0 : -WK_ENOMEM;
    }
    for (size_t off = 0; off < data.n; off += WK_CHUNK_SIZE) {
        uint32_t n = (uint32_t)WK_MIN(data.n - off, (size_t)WK_CHUNK_SIZE);
        struct wk_chunk *k = wk_chunk_new(c, data.p + off, n, borrowed);
        if (!k || !wk_radix_reserve(c, out, off >> WK_CHUNK_BITS)) {
            wk_block_drop(c, k);
            wk_block_drop(c, *out);
            *out = NULL;
            return -WK_ENOMEM;
        }
        wk_radix_put(*out, off >> WK_CHUNK_BITS, &k->b);
    }
    return 0;
}

static int check_entry(const struct wk_vfs *vfs, const struct wk_vfs_entry *e)
{
    uint64_t used = wk_vfs_tree(vfs)->bytes + vfs->orphan_bytes;
    if (e->name.n == 0 || memchr(e->name.p, '\0', e->name.n) || memchr(e->name.p, '/', e->name.n) ||
        wk_str_is(e->name, ".") || wk_str_is(e->name, ".."))
        return -WK_EINVAL;
    if (e->name.n > vfs->limits.name_max)
        return -WK_ENAMETOOLONG;
    if (WK_S_ISREG(e->mode)) {
        if (e->data.n > vfs->limits.file_bytes)
            return -WK_EFBIG;
        if (used > vfs->limits.bytes || e->data.n > vfs->limits.bytes - used)
            return -WK_ENOSPC;
    } else if (WK_S_ISLNK(e->mode)) {
        if (e->data.n == 0 || memchr(e->data.p, '\0', e->data.n))
            return -WK_ENOENT;
        if (e->data.n >= vfs->limits.path_max)
            return -WK_ENAMETOOLONG;
    }
    return 0;
}

int wk_vfs_add(struct wk_vfs *vfs, uint64_t parent, const struct wk_vfs_entry *entry, uint64_t *ino)
{
    struct wk_inode *dir = wk_tree_get(wk_vfs_tree(vfs), parent);
    if (!dir || !wk_inode_is_dir(dir))
        return -WK_ENOTDIR;
    int err = check_entry(vfs, entry);
    if (err)
        return err;
    struct wk_inode *ip = wk_mfs_lookup(vfs, dir, entry->name);
    if (ip) {
        *ino = ip->ino;
        return wk_inode_is_dir(ip) && WK_S_ISDIR(entry->mode) ? 0 : -WK_EEXIST;
    }
    struct wk_mfs_new a = {
        .mode = entry->mode,
        .uid = entry->uid,
        .gid = entry->gid,
        .mtim = entry->mtim,
        .rdev = entry->rdev,
    };
    if (WK_S_ISREG(entry->mode) || WK_S_ISLNK(entry->mode)) {
        err = make_content(&vfs->ctx, entry->data, entry->borrowed, &a.data);
        a.size = a.held = entry->data.n;
    }
    if (!err)
        err = wk_mfs_create(vfs, dir, entry->name, &a, &ip);
    wk_block_drop(&vfs->ctx, a.data);
    if (!err)
        *ino = ip->ino;
    return err;
}

int wk_mfs_add_dirs(struct wk_vfs *vfs, uint64_t root, struct wk_str path, uint64_t *ino)
{
    *ino = root;
    while (path.n > 0) {
        if (path.p[0] == '/') {
            path = wk_str_from(path, 1);
            continue;
        }
        ptrdiff_t slash = wk_str_chr(path, '/');
        struct wk_str name = wk_str_take(path, slash < 0 ? path.n : (size_t)slash);
        path = wk_str_from(path, name.n);
        struct wk_vfs_entry e = {.name = name, .mode = WK_S_IFDIR | 0755};
        int err = wk_vfs_add(vfs, *ino, &e, ino);
        if (err)
            return err == -WK_EEXIST ? -WK_ENOTDIR : err;
    }
    return 0;
}

int wk_vfs_add_dirs(struct wk_vfs *vfs, struct wk_str path, uint64_t *ino)
{
    if (path.n == 0 || path.p[0] != '/')
        return -WK_EINVAL;
    int err = wk_mfs_add_dirs(vfs, WK_ROOT_INO, path, ino);
    if (err)
        return err;
    /* What lies below a mount point would be hidden. */
    struct wk_loc at = {.mnt = &vfs->root, .ip = wk_tree_get(wk_vfs_tree(vfs), *ino)};
    for (;;) {
        if (wk_mount_on(vfs, &at))
            return -WK_EINVAL;
        if (!at.ip || !at.ip->dir)
            return 0;
        at.ip = wk_tree_get(wk_vfs_tree(vfs), at.ip->dir);
    }
}
