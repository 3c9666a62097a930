/* snapshot.c - versions of the tree as values: take, drop, restore */
#include "vfs/snapshot.h"
#include "vfs/namespace.h"

int wk_vfs_snapshot(struct wk_vfs *vfs, struct wk_snapshot **out)
{
    *out = wk_block_ref(wk_vfs_tree(vfs));
    return 0;
}

struct wk_snapshot *wk_snapshot_ref(struct wk_snapshot *s)
{
    return wk_block_ref(s);
}

void wk_snapshot_unref(struct wk_snapshot *s)
{
    struct wk_bctx nobody = {0};
    wk_block_drop(&nobody, s);
    wk_block_reap(&nobody, SIZE_MAX);
}

/* ---- restore --------------------------------------------------------------------------------- */

static struct wk_oinode *next_open(const struct wk_vfs *vfs, size_t *at, struct wk_oinode *oi)
{
    if (oi && oi->next)
        return oi->next;
    while (*at < vfs->open_cap) {
        oi = vfs->open[(*at)++];
        if (oi)
            return oi;
    }
    return NULL;
}

static bool is_in(const struct wk_snapshot *t, const struct wk_oinode *oi)
{
    const struct wk_inode *ip = wk_tree_get(t, oi->ino);
    return ip && ip->birth == oi->birth;
}

/* What an open inode becomes when the new tree lacks it: nameless, with its contents (an emptied
 * directory). */
static struct wk_block *nameless_copy(struct wk_vfs *vfs, struct wk_oinode *oi)
{
    struct wk_block *b = wk_block_ref(wk_tree_get(wk_vfs_tree(vfs), oi->ino));
    struct wk_inode *ip = (struct wk_inode *)(void *)wk_block_own_slow(&vfs->ctx, &b);
    if (!ip) {
        wk_block_drop(&vfs->ctx, b);
        return NULL;
    }
    if (wk_inode_is_dir(ip)) {
        wk_block_drop(&vfs->ctx, ip->data);
        ip->data = NULL;
        ip->size = 0;
    }
    wk_block_drop(&vfs->ctx, ip->name);
    wk_block_drop(&vfs->ctx, ip->links);
    ip->name = NULL;
    ip->links = NULL;
    ip->nlink = 0;
    return &ip->b;
}

static void drop_pending(struct wk_vfs *vfs)
{
    size_t at = 0;
    for (struct wk_oinode *oi = NULL; (oi = next_open(vfs, &at, oi)) != NULL;) {
        wk_block_drop(&vfs->ctx, oi->pending);
        oi->pending = NULL;
    }
}

static int prepare_handles(struct wk_vfs *vfs, const struct wk_snapshot *t)
{
    size_t at = 0;
    for (struct wk_oinode *oi = NULL; (oi = next_open(vfs, &at, oi)) != NULL;) {
        if (oi->orphan || is_in(t, oi))
            continue;
        oi->pending = nameless_copy(vfs, oi);
        if (!oi->pending) {
            drop_pending(vfs);
            return -WK_ENOMEM;
        }
    }
    return 0;
}

static void commit_handles(struct wk_vfs *vfs, const struct wk_snapshot *t)
{
    size_t at = 0;
    for (struct wk_oinode *oi = NULL; (oi = next_open(vfs, &at, oi)) != NULL;) {
        if (oi->orphan && is_in(t, oi)) {
            wk_oinode_count_orphan(vfs, oi, false);
            wk_block_drop(&vfs->ctx, oi->orphan);
            oi->orphan = NULL;
        } else if (oi->pending) {
            oi->orphan = oi->pending;
            oi->pending = NULL;
            wk_oinode_count_orphan(vfs, oi, true);
        }
    }
}

int wk_vfs_restore(struct wk_vfs *vfs, struct wk_snapshot *s, bool busy)
{
    if (busy)
        return -WK_EBUSY;
    if (vfs->tree == &s->b)
        return 0;
    int err = prepare_handles(vfs, s);
    if (err)
        return err;
    struct wk_block *old = vfs->tree;
    uint64_t old_floor = vfs->ino_floor;
    vfs->tree = &wk_snapshot_ref(s)->b;
    vfs->ino_floor = WK_MAX(vfs->ino_floor, s->next_ino);
    err = wk_mounts_rebind(vfs);
    if (err) {
        wk_block_drop(&vfs->ctx, vfs->tree);
        vfs->tree = old;
        vfs->ino_floor = old_floor;
        drop_pending(vfs);
        return err;
    }
    commit_handles(vfs, wk_vfs_tree(vfs));
    wk_block_drop(&vfs->ctx, old);
    vfs->gen++;
    return 0;
}
