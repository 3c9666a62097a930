/* oinode.c - the table of inodes that handles hold */
#include "vfs/namespace.h"

static size_t bucket(const struct wk_vfs *vfs, uint64_t ino)
{
    return (size_t)(ino * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (vfs->open_cap - 1);
}

struct wk_oinode *wk_oinode_find(const struct wk_vfs *vfs, uint64_t ino, uint64_t birth)
{
    if (!vfs->open_n)
        return NULL;
    struct wk_oinode *oi = vfs->open[bucket(vfs, ino)];
    while (oi && (oi->ino != ino || oi->birth != birth))
        oi = oi->next;
    return oi;
}

/* Doubles the table; a failure only makes chains longer once there is a table at all. */
static bool grow(struct wk_vfs *vfs)
{
    size_t cap = vfs->open_cap ? vfs->open_cap * 2 : 8;
    struct wk_oinode **old = vfs->open;
    size_t old_cap = vfs->open_cap;
    struct wk_oinode **t = wk_calloc(vfs->ctx.mem, cap, sizeof *t);
    if (!t)
        return old != NULL;
    vfs->open = t;
    vfs->open_cap = cap;
    for (size_t i = 0; i < old_cap; i++) {
        while (old[i]) {
            struct wk_oinode *oi = old[i];
            old[i] = oi->next;
            oi->next = t[bucket(vfs, oi->ino)];
            t[bucket(vfs, oi->ino)] = oi;
        }
    }
    wk_free(vfs->ctx.mem, old);
    return true;
}

struct wk_oinode *wk_oinode_ref(struct wk_oinode *oi)
{
    if (oi)
        oi->refs++;
    return oi;
}

struct wk_oinode *wk_oinode_get(struct wk_vfs *vfs, const struct wk_inode *ip)
{
    struct wk_oinode *oi = wk_oinode_find(vfs, ip->ino, ip->birth);
    if (oi)
        return wk_oinode_ref(oi);
    if (vfs->open_n >= vfs->open_cap && !grow(vfs))
        return NULL;
    oi = WK_NEW(vfs->ctx.mem, struct wk_oinode);
    if (!oi)
        return NULL;
    oi->ino = ip->ino;
    oi->birth = ip->birth;
    oi->refs = 1;
    size_t at = bucket(vfs, oi->ino);
    oi->next = vfs->open[at];
    vfs->open[at] = oi;
    vfs->open_n++;
    return oi;
}

void wk_oinode_put(struct wk_vfs *vfs, struct wk_oinode *oi)
{
    if (!oi || --oi->refs > 0)
        return;
    struct wk_oinode **at = &vfs->open[bucket(vfs, oi->ino)];
    while (*at != oi)
        at = &(*at)->next;
    *at = oi->next;
    vfs->open_n--;
    if (oi->orphan) {
        wk_oinode_count_orphan(vfs, oi, false);
        wk_block_drop(&vfs->ctx, oi->orphan);
        wk_block_reap(&vfs->ctx, WK_REAP_STEP);
    }
    wk_free(vfs->ctx.mem, oi);
}

void wk_oinode_count_orphan(struct wk_vfs *vfs, const struct wk_oinode *oi, bool add)
{
    const struct wk_inode *ip = (const struct wk_inode *)(const void *)oi->orphan;
    uint64_t held = WK_S_ISREG(ip->mode) ? ip->held : 0;
    if (add) {
        vfs->orphan_inodes++;
        vfs->orphan_bytes += held;
    } else {
        vfs->orphan_inodes--;
        vfs->orphan_bytes -= held;
    }
}

struct wk_inode *wk_oinode_inode(const struct wk_vfs *vfs, const struct wk_oinode *oi)
{
    if (oi->orphan)
        return (struct wk_inode *)(void *)oi->orphan;
    return wk_tree_get(wk_vfs_tree(vfs), oi->ino);
}
