/* mfs.c - the memory file system by inode: attributes, contents, single inodes */
#include "vfs/mfs.h"

#include <string.h>

struct wk_inode *wk_mfs_own(struct wk_vfs *vfs, const struct wk_inode *ip)
{
    if (ip->nlink == 0) {
        struct wk_oinode *oi = wk_oinode_find(vfs, ip->ino, ip->birth);
        return oi && oi->orphan ? (struct wk_inode *)(void *)wk_block_own(&vfs->ctx, &oi->orphan)
                                : NULL;
    }
    return wk_mfs_own_ino(vfs, ip->ino);
}

struct wk_inode *wk_mfs_own_ino(struct wk_vfs *vfs, uint64_t ino)
{
    if (!wk_block_own(&vfs->ctx, &vfs->tree))
        return NULL;
    struct wk_block **slot = wk_radix_reserve(&vfs->ctx, &wk_vfs_tree(vfs)->root, ino);
    if (!slot || !*slot || !wk_block_own(&vfs->ctx, slot))
        return NULL;
    return (struct wk_inode *)(void *)*slot;
}

struct wk_inode *wk_mfs_lookup(const struct wk_vfs *vfs, const struct wk_inode *dir,
                               struct wk_str name)
{
    struct wk_dent *e = wk_dtree_find(dir->data, wk_dent_key(name), name);
    return e ? wk_tree_get(wk_vfs_tree(vfs), wk_dent_ino(e->val)) : NULL;
}

bool wk_mfs_is_below(const struct wk_vfs *vfs, const struct wk_inode *ip,
                     const struct wk_inode *dir)
{
    while (ip) {
        if (ip == dir)
            return true;
        if (!ip->dir)
            return false;
        ip = wk_tree_get(wk_vfs_tree(vfs), ip->dir);
    }
    return false;
}

uint32_t wk_mfs_depth(const struct wk_vfs *vfs, const struct wk_inode *ip)
{
    uint32_t n = 0;
    while (ip && ip->dir) {
        ip = wk_tree_get(wk_vfs_tree(vfs), ip->dir);
        n++;
    }
    return n;
}

void wk_mfs_stat(const struct wk_inode *ip, uint64_t dev, struct wk_stat *st)
{
    bool device = WK_S_ISCHR(ip->mode) || WK_S_ISBLK(ip->mode);
    *st = (struct wk_stat){
        .dev = dev,
        .ino = ip->ino,
        .birth = ip->birth,
        .mode = ip->mode,
        .nlink = ip->nlink,
        .uid = ip->uid,
        .gid = ip->gid,
        .rdev = device ? ip->rdev : 0,
        .size = wk_inode_is_dir(ip) ? 4096 : ip->size,
        .blocks = wk_inode_is_dir(ip)     ? 8 /* one block, as its size says */
                  : WK_S_ISREG(ip->mode) ? (ip->held + 4095) / 4096 * 8
                                         : 0,
        .blksize = 4096,
        .atim = ip->atim,
        .mtim = ip->mtim,
        .ctim = ip->ctim,
        .btim = ip->btim,
    };
}

/* ---- making inodes --------------------------------------------------------------------------- */

static uint64_t next_birth(struct wk_vfs *vfs)
{
    if (vfs->birth_next == vfs->birth_end) {
        vfs->birth_next =
            atomic_fetch_add_explicit(&vfs->hub->births, WK_BIRTH_BATCH, memory_order_relaxed);
        vfs->birth_end = vfs->birth_next + WK_BIRTH_BATCH;
    }
    return vfs->birth_next++;
}

struct wk_inode *wk_mfs_inode_new(struct wk_vfs *vfs, const struct wk_mfs_new *a)
{
    struct wk_snapshot *t = wk_vfs_tree(vfs);
    if (t->inodes + vfs->orphan_inodes >= vfs->limits.inodes)
        return NULL;
    struct wk_inode *ip = wk_block_zalloc(&vfs->ctx, WK_BLOCK_INODE, sizeof *ip);
    if (!ip)
        return NULL;
    int64_t now = wk_vfs_time(vfs);
    ip->ino = WK_MAX(t->next_ino, vfs->ino_floor);
    ip->birth = next_birth(vfs);
    ip->mode = a->mode;
    ip->nlink = WK_S_ISDIR(a->mode) ? 2 : 1;
    ip->uid = a->uid;
    ip->gid = a->gid;
    ip->btim = ip->ctim = now;
    ip->atim = ip->mtim = a->mtim ? a->mtim : now;
    ip->size = a->size;
    ip->data = wk_block_ref(a->data);
    if (WK_S_ISCHR(a->mode) || WK_S_ISBLK(a->mode))
        ip->rdev = a->rdev;
    else
        ip->held = a->held;
    if (WK_S_ISDIR(a->mode))
        ip->lower = wk_block_ref(a->lower);
    return ip;
}

/* Why wk_mfs_inode_new said no. */
int wk_mfs_new_error(const struct wk_vfs *vfs)
{
    return wk_vfs_tree(vfs)->inodes + vfs->orphan_inodes >= vfs->limits.inodes ? -WK_ENOSPC
                                                                               : -WK_ENOMEM;
}

/* Room for the inode in the tree that is the caller's own; wk_mfs_adopt then puts it there. */
int wk_mfs_make_room(struct wk_vfs *vfs, const struct wk_inode *ip)
{
    if (!wk_block_own(&vfs->ctx, &vfs->tree))
        return -WK_ENOMEM;
    return wk_radix_reserve(&vfs->ctx, &wk_vfs_tree(vfs)->root, ip->ino) ? 0 : -WK_ENOMEM;
}

void wk_mfs_adopt(struct wk_vfs *vfs, struct wk_inode *ip)
{
    struct wk_snapshot *t = wk_vfs_tree(vfs);
    wk_radix_put(t->root, ip->ino, &ip->b);
    t->next_ino = vfs->ino_floor = ip->ino + 1;
    t->inodes++;
    if (WK_S_ISREG(ip->mode))
        t->bytes += ip->held;
}

int wk_mfs_create_root(struct wk_vfs *vfs, const struct wk_mfs_new *a, uint64_t *ino)
{
    struct wk_inode *ip = wk_mfs_inode_new(vfs, a);
    if (!ip)
        return wk_mfs_new_error(vfs);
    int err = wk_mfs_make_room(vfs, ip);
    if (err) {
        wk_block_drop(&vfs->ctx, ip);
        return err;
    }
    wk_mfs_adopt(vfs, ip);
    *ino = ip->ino;
    return 0;
}

void wk_mfs_detach(struct wk_vfs *vfs, struct wk_inode *ip)
{
    struct wk_snapshot *t = wk_vfs_tree(vfs);
    uint64_t held = WK_S_ISREG(ip->mode) ? ip->held : 0;
    struct wk_block *b = wk_radix_take(&vfs->ctx, &t->root, ip->ino);
    WK_ASSERT(b == &ip->b);
    t->inodes--;
    t->bytes -= held;
    ip->nlink = 0;
    struct wk_oinode *oi = wk_oinode_find(vfs, ip->ino, ip->birth);
    if (!oi) {
        wk_block_drop(&vfs->ctx, b);
        return;
    }
    oi->orphan = b;
    wk_oinode_count_orphan(vfs, oi, true);
}

int wk_mfs_remove_root(struct wk_vfs *vfs, uint64_t root)
{
    struct wk_inode *ip = wk_tree_get(wk_vfs_tree(vfs), root);
    while (ip) {
        struct wk_dent *e = wk_dtree_first(ip->data);
        struct wk_inode *child = e ? wk_tree_get(wk_vfs_tree(vfs), wk_dent_ino(e->val)) : NULL;
        if (child && wk_inode_is_dir(child) && child->size > 0) {
            ip = child; /* down to the first directory without children */
            continue;
        }
        if (e) {
            struct wk_name *name = wk_block_ref(e->name);
            uint64_t ino = ip->ino;
            int err = wk_mfs_remove(vfs, ip, wk_str(name->s, name->b.n));
            wk_block_drop(&vfs->ctx, name);
            wk_block_reap(&vfs->ctx, WK_REAP_STEP);
            if (err)
                return err;
            ip = wk_tree_get(wk_vfs_tree(vfs), ino);
            continue;
        }
        if (ip->ino == root)
            break;
        ip = wk_tree_get(wk_vfs_tree(vfs), ip->dir);
    }
    ip = ip ? wk_mfs_own_ino(vfs, root) : NULL;
    if (!ip)
        return -WK_ENOMEM;
    wk_mfs_detach(vfs, ip);
    return 0;
}

/* ---- attributes and contents ----------------------------------------------------------------- */

int wk_mfs_setattr(struct wk_vfs *vfs, struct wk_inode *ip, const struct wk_fs_setattr *a)
{
    ip = wk_mfs_own(vfs, ip); /* truncation then finds it owned and leaves it in place */
    if (!ip)
        return -WK_ENOMEM;
    if (a->what & WK_SET_SIZE) {
        int err = wk_mfs_truncate(vfs, ip, (uint64_t)a->size);
        if (err || a->what == WK_SET_SIZE)
            return err;
    }
    if (a->what & WK_SET_MODE)
        ip->mode = (ip->mode & WK_S_IFMT) | (a->mode & 07777);
    if (a->what & WK_SET_UID)
        ip->uid = a->uid;
    if (a->what & WK_SET_GID)
        ip->gid = a->gid;
    if (a->what & WK_SET_ATIM)
        ip->atim = a->atim;
    if (a->what & WK_SET_MTIM)
        ip->mtim = a->mtim;
    ip->ctim = wk_vfs_time(vfs);
    if (a->what & (WK_SET_MODE | WK_SET_UID | WK_SET_GID))
        vfs->gen++;
    return 0;
}

int64_t wk_mfs_read(const struct wk_inode *ip, void *dst, size_t n, uint64_t off)
{
    if (off >= ip->size)
        return 0;
    n = (size_t)WK_MIN((uint64_t)n, ip->size - off);
    n = WK_MIN(n, (size_t)INT64_MAX);
    wk_content_read(ip->data, dst, n, off);
    return (int64_t)n;
}

/* Where the bytes of an inode are counted. */
static uint64_t *bytes_of(struct wk_vfs *vfs, const struct wk_inode *ip)
{
    return ip->nlink ? &wk_vfs_tree(vfs)->bytes : &vfs->orphan_bytes;
}

/* How many of `part` bytes at off fit when chunks may grow by `room`. */
static size_t fitting(const struct wk_inode *ip, uint64_t off, size_t part, uint64_t room)
{
    const struct wk_chunk *k = wk_content_chunk(ip->data, off >> WK_CHUNK_BITS);
    uint64_t at = off & (WK_CHUNK_SIZE - 1);
    uint64_t end = (k ? k->len : 0) + room;
    return end > at ? (size_t)WK_MIN((uint64_t)part, end - at) : 0;
}

int64_t wk_mfs_write(struct wk_vfs *vfs, struct wk_inode *ip, const void *src, size_t n,
                     uint64_t off, uint64_t *end)
{
    const char *from = src;
    size_t done = 0;
    int err = 0;
    ip = wk_mfs_own(vfs, ip);
    if (!ip)
        return -WK_ENOMEM;
    if (off == UINT64_MAX)
        off = ip->size;
    uint64_t max = WK_MIN(vfs->limits.file_bytes, (uint64_t)INT64_MAX);
    if (n > 0 && off >= max)
        return -WK_EFBIG;
    n = (size_t)WK_MIN((uint64_t)n, max - WK_MIN(off, max));
    uint64_t *bytes = bytes_of(vfs, ip);
    while (done < n) {
        size_t part = WK_MIN(n - done, (size_t)(WK_CHUNK_SIZE - (off & (WK_CHUNK_SIZE - 1))));
        uint64_t used = wk_vfs_tree(vfs)->bytes + vfs->orphan_bytes;
        uint64_t room = used < vfs->limits.bytes ? vfs->limits.bytes - used : 0;
        uint64_t grown;
        err = wk_content_write(&vfs->ctx, &ip->data, from + done, part, off, room, &grown);
        if (err == -WK_ENOSPC && (part = fitting(ip, off, part, room)) > 0) {
            /* The quota ends inside this chunk: as much as fits is written. */
            err = wk_content_write(&vfs->ctx, &ip->data, from + done, part, off, room, &grown);
        }
        if (err)
            break;
        ip->held += grown;
        *bytes += grown;
        off += part;
        done += part;
        if (off > ip->size)
            ip->size = off;
    }
    if (n > 0 && done == 0)
        return err;
    if (n > 0)
        ip->mtim = ip->ctim = wk_vfs_time(vfs);
    if (end)
        *end = off;
    return (int64_t)done;
}

int wk_mfs_truncate(struct wk_vfs *vfs, struct wk_inode *ip, uint64_t size)
{
    if (size > vfs->limits.file_bytes || size > INT64_MAX)
        return -WK_EFBIG;
    ip = wk_mfs_own(vfs, ip);
    if (!ip)
        return -WK_ENOMEM;
    if (size < ip->size) {
        uint64_t freed;
        int err = wk_content_cut(&vfs->ctx, &ip->data, size, &freed);
        if (err)
            return err;
        ip->held -= freed;
        *bytes_of(vfs, ip) -= freed;
    }
    ip->size = size;
    ip->mtim = ip->ctim = wk_vfs_time(vfs);
    return 0;
}

int wk_mfs_clone(struct wk_vfs *vfs, struct wk_inode *dst, const struct wk_inode *src)
{
    if (src->ino == dst->ino && src->birth == dst->birth)
        return -WK_EINVAL;
    uint64_t used = wk_vfs_tree(vfs)->bytes + vfs->orphan_bytes - dst->held;
    if (src->size > vfs->limits.file_bytes)
        return -WK_EFBIG;
    if (src->held > vfs->limits.bytes || used > vfs->limits.bytes - src->held)
        return -WK_ENOSPC;
    struct wk_block *data = wk_block_ref(src->data);
    uint64_t size = src->size, held = src->held;
    dst = wk_mfs_own(vfs, dst);
    if (!dst) {
        wk_block_drop(&vfs->ctx, data);
        return -WK_ENOMEM;
    }
    wk_block_drop(&vfs->ctx, dst->data);
    *bytes_of(vfs, dst) += held - dst->held;
    dst->data = data;
    dst->size = size;
    dst->held = held;
    dst->mtim = dst->ctim = wk_vfs_time(vfs);
    return 0;
}
