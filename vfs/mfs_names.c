/* mfs_names.c - the memory file system: entries of directories and the back-links of inodes
 *
 * Each operation first makes everything that it will touch the session's own and reserves room
 * (prepare_…, may fail, changes nothing), then commits without failing. Insertions come before
 * removals, which may drop the very node that was reserved.
 */
#include "vfs/mfs.h"

static bool inline_link_is(const struct wk_inode *ip, uint64_t dir, struct wk_str name)
{
    return ip->dir == dir && ip->name && wk_str_eq(wk_str(ip->name->s, ip->name->b.n), name);
}

static bool has_more_links(const struct wk_inode *ip)
{
    return !wk_inode_is_dir(ip) && ip->links;
}

/* ---- back-links ------------------------------------------------------------------------------ */

static int prepare_unlink(struct wk_vfs *vfs, struct wk_inode *ip, uint64_t dir, struct wk_str name)
{
    if (!inline_link_is(ip, dir, name))
        return wk_dtree_own(&vfs->ctx, &ip->links, dir, name);
    if (!has_more_links(ip))
        return 0;
    struct wk_dent *e = wk_dtree_first(ip->links);
    struct wk_str first = wk_str(e->name->s, e->name->b.n);
    return wk_dtree_own(&vfs->ctx, &ip->links, e->key, first);
}

static void commit_unlink(struct wk_vfs *vfs, struct wk_inode *ip, uint64_t dir, struct wk_str name)
{
    if (!inline_link_is(ip, dir, name)) {
        wk_dtree_remove(&vfs->ctx, &ip->links, dir, name);
        return;
    }
    struct wk_name *old = ip->name;
    ip->name = NULL; /* ip->dir stays: `..` of a removed directory */
    if (has_more_links(ip)) {
        struct wk_dent *e = wk_dtree_first(ip->links);
        uint64_t key = e->key;
        struct wk_name *first = wk_block_ref(e->name);
        wk_dtree_remove(&vfs->ctx, &ip->links, key, wk_str(first->s, first->b.n));
        ip->dir = key;
        ip->name = first;
    }
    wk_block_drop(&vfs->ctx, old);
}

static int prepare_relink(struct wk_vfs *vfs, struct wk_inode *ip, uint64_t from,
                          struct wk_str from_name, uint64_t to, struct wk_str to_name)
{
    if (inline_link_is(ip, from, from_name))
        return 0;
    int err = wk_dtree_reserve(&vfs->ctx, &ip->links, to, to_name);
    return err ? err : wk_dtree_own(&vfs->ctx, &ip->links, from, from_name);
}

static void commit_relink(struct wk_vfs *vfs, struct wk_inode *ip, uint64_t from,
                          struct wk_str from_name, uint64_t to, struct wk_name *to_name)
{
    if (inline_link_is(ip, from, from_name)) {
        struct wk_name *old = ip->name;
        ip->dir = to;
        ip->name = wk_block_ref(to_name);
        wk_block_drop(&vfs->ctx, old);
        return;
    }
    wk_dtree_insert(ip->links, to, to_name, 0);
    wk_dtree_remove(&vfs->ctx, &ip->links, from, from_name);
}

/* ---- entries --------------------------------------------------------------------------------- */

static int prepare_insert(struct wk_vfs *vfs, struct wk_inode *dir, struct wk_str name)
{
    if (dir->size >= vfs->limits.dir_entries)
        return -WK_ENOSPC;
    return wk_dtree_reserve(&vfs->ctx, &dir->data, wk_dent_key(name), name);
}

static void touch(struct wk_vfs *vfs, struct wk_inode *dir)
{
    dir->mtim = dir->ctim = wk_vfs_time(vfs);
}

static void commit_insert(struct wk_inode *dir, struct wk_name *name, const struct wk_inode *ip)
{
    wk_dtree_insert(dir->data, wk_dent_key(wk_str(name->s, name->b.n)), name,
                    wk_dent_val(ip->ino, ip->mode));
    dir->size++;
}

static void commit_remove(struct wk_vfs *vfs, struct wk_inode *dir, struct wk_str name)
{
    wk_dtree_remove(&vfs->ctx, &dir->data, wk_dent_key(name), name);
    dir->size--;
}

int wk_mfs_create(struct wk_vfs *vfs, struct wk_inode *dir, struct wk_str name,
                  const struct wk_mfs_new *a, struct wk_inode **out)
{
    uint64_t dir_ino = dir->ino;
    struct wk_inode *ip = wk_mfs_inode_new(vfs, a);
    if (!ip)
        return wk_mfs_new_error(vfs);
    int err = -WK_ENOMEM;
    ip->name = wk_name_new(&vfs->ctx, name.p, name.n);
    if (!ip->name)
        goto fail;
    ip->dir = dir_ino;
    err = wk_mfs_make_room(vfs, ip);
    if (err)
        goto fail;
    dir = wk_mfs_own_ino(vfs, dir_ino);
    err = dir ? prepare_insert(vfs, dir, name) : -WK_ENOMEM;
    if (err)
        goto fail;
    wk_mfs_adopt(vfs, ip);
    commit_insert(dir, ip->name, ip);
    if (wk_inode_is_dir(ip))
        dir->nlink++;
    touch(vfs, dir);
    vfs->gen++;
    *out = ip;
    return 0;
fail:
    wk_block_drop(&vfs->ctx, ip);
    return err;
}

int wk_mfs_link(struct wk_vfs *vfs, struct wk_inode *dir, struct wk_str name, struct wk_inode *ip)
{
    if (ip->nlink >= WK_LINK_COUNT_MAX)
        return -WK_EMLINK;
    uint64_t ino = ip->ino;
    struct wk_name *n = wk_name_new(&vfs->ctx, name.p, name.n);
    if (!n)
        return -WK_ENOMEM;
    int err = -WK_ENOMEM;
    dir = wk_mfs_own_ino(vfs, dir->ino);
    ip = dir ? wk_mfs_own_ino(vfs, ino) : NULL;
    if (ip)
        err = prepare_insert(vfs, dir, name);
    if (!err)
        err = wk_dtree_reserve(&vfs->ctx, &ip->links, dir->ino, name);
    if (!err) {
        commit_insert(dir, n, ip);
        wk_dtree_insert(ip->links, dir->ino, n, 0);
        ip->nlink++;
        touch(vfs, dir);
        ip->ctim = dir->ctim;
        vfs->gen++;
    }
    wk_block_drop(&vfs->ctx, n);
    return err;
}

/* After a name of `ip` went: one link fewer, or the end. Both are the session's own. */
static void lose_link(struct wk_vfs *vfs, struct wk_inode *dir, struct wk_inode *ip)
{
    if (wk_inode_is_dir(ip)) {
        dir->nlink--;
        wk_mfs_detach(vfs, ip);
        return;
    }
    ip->ctim = dir->ctim;
    if (ip->nlink == 1)
        wk_mfs_detach(vfs, ip);
    else
        ip->nlink--;
}

int wk_mfs_remove(struct wk_vfs *vfs, struct wk_inode *dir, struct wk_str name)
{
    struct wk_inode *ip = wk_mfs_lookup(vfs, dir, name);
    if (!ip)
        return -WK_ENOENT;
    uint64_t ino = ip->ino;
    dir = wk_mfs_own_ino(vfs, dir->ino);
    ip = dir ? wk_mfs_own_ino(vfs, ino) : NULL;
    if (!ip)
        return -WK_ENOMEM;
    int err = wk_dtree_own(&vfs->ctx, &dir->data, wk_dent_key(name), name);
    if (!err)
        err = prepare_unlink(vfs, ip, dir->ino, name);
    if (err)
        return err;
    commit_remove(vfs, dir, name);
    commit_unlink(vfs, ip, dir->ino, name);
    touch(vfs, dir);
    lose_link(vfs, dir, ip);
    vfs->gen++;
    return 0;
}

/* The inodes of a move, all the session's own. */
struct move {
    struct wk_inode *from_dir, *to_dir, *ip, *old;
    struct wk_inode *leave; /* takes the old name; NULL: nothing does */
};

static int own_move(struct wk_vfs *vfs, struct move *m)
{
    uint64_t ino = m->ip->ino, old = m->old ? m->old->ino : 0;
    uint64_t from = m->from_dir->ino, to = m->to_dir->ino;
    m->from_dir = wk_mfs_own_ino(vfs, from);
    m->to_dir = m->from_dir ? wk_mfs_own_ino(vfs, to) : NULL;
    m->ip = m->to_dir ? wk_mfs_own_ino(vfs, ino) : NULL;
    if (!m->ip)
        return -WK_ENOMEM;
    if (old) {
        m->old = wk_mfs_own_ino(vfs, old);
        if (!m->old)
            return -WK_ENOMEM;
    }
    return 0;
}

static int prepare_move(struct wk_vfs *vfs, struct move *m, struct wk_str from, struct wk_str to)
{
    int err = own_move(vfs, m);
    if (err)
        return err;
    if (m->old) {
        err = wk_dtree_own(&vfs->ctx, &m->to_dir->data, wk_dent_key(to), to);
        if (!err)
            err = prepare_unlink(vfs, m->old, m->to_dir->ino, to);
    } else if (m->from_dir == m->to_dir && !m->leave) {
        err = wk_dtree_reserve(&vfs->ctx, &m->to_dir->data, wk_dent_key(to), to);
    } else {
        err = prepare_insert(vfs, m->to_dir, to);
    }
    if (!err)
        err = wk_dtree_own(&vfs->ctx, &m->from_dir->data, wk_dent_key(from), from);
    if (!err)
        err = prepare_relink(vfs, m->ip, m->from_dir->ino, from, m->to_dir->ino, to);
    if (!err && m->leave)
        err = wk_mfs_make_room(vfs, m->leave);
    return err;
}

/* The old name goes, or means the inode that is left in its place. */
static void vacate(struct wk_vfs *vfs, struct move *m, struct wk_str from)
{
    struct wk_dent *e = m->leave ? wk_dtree_find(m->from_dir->data, wk_dent_key(from), from) : NULL;
    if (!e) {
        commit_remove(vfs, m->from_dir, from);
        return;
    }
    m->leave->dir = m->from_dir->ino;
    m->leave->name = wk_block_ref(e->name);
    wk_mfs_adopt(vfs, m->leave);
    e->val = wk_dent_val(m->leave->ino, m->leave->mode);
    if (wk_inode_is_dir(m->leave))
        m->from_dir->nlink++;
}

static void commit_move(struct wk_vfs *vfs, struct move *m, struct wk_str from,
                        struct wk_name *name)
{
    struct wk_str to = wk_str(name->s, name->b.n);
    if (m->old) {
        struct wk_dent *e = wk_dtree_find(m->to_dir->data, wk_dent_key(to), to);
        if (e)
            e->val = wk_dent_val(m->ip->ino, m->ip->mode);
    } else {
        commit_insert(m->to_dir, name, m->ip);
    }
    vacate(vfs, m, from);
    commit_relink(vfs, m->ip, m->from_dir->ino, from, m->to_dir->ino, name);
    if (wk_inode_is_dir(m->ip) && m->from_dir != m->to_dir) {
        m->from_dir->nlink--;
        m->to_dir->nlink++;
    }
    touch(vfs, m->from_dir);
    touch(vfs, m->to_dir);
    m->ip->ctim = m->to_dir->ctim;
    if (m->old) {
        commit_unlink(vfs, m->old, m->to_dir->ino, to);
        lose_link(vfs, m->to_dir, m->old);
    }
    vfs->gen++;
}

int wk_mfs_rename_leaving(struct wk_vfs *vfs, struct wk_inode *from_dir, struct wk_str from,
                          struct wk_inode *to_dir, struct wk_str to, const struct wk_mfs_new *leave)
{
    struct move m = {.from_dir = from_dir, .to_dir = to_dir};
    m.ip = wk_mfs_lookup(vfs, from_dir, from);
    m.old = wk_mfs_lookup(vfs, to_dir, to);
    if (!m.ip)
        return -WK_ENOENT;
    if (m.ip == m.old)
        return 0; /* two names of one file: both stay, as POSIX says */
    if (leave) {
        m.leave = wk_mfs_inode_new(vfs, leave);
        if (!m.leave)
            return wk_mfs_new_error(vfs);
    }
    struct wk_name *name = wk_name_new(&vfs->ctx, to.p, to.n);
    int err = name ? prepare_move(vfs, &m, from, to) : -WK_ENOMEM;
    if (!err)
        commit_move(vfs, &m, from, name);
    else
        wk_block_drop(&vfs->ctx, m.leave);
    wk_block_drop(&vfs->ctx, name);
    return err;
}

int wk_mfs_rename(struct wk_vfs *vfs, struct wk_inode *from_dir, struct wk_str from,
                  struct wk_inode *to_dir, struct wk_str to)
{
    return wk_mfs_rename_leaving(vfs, from_dir, from, to_dir, to, NULL);
}

static void set_entry(struct wk_inode *dir, struct wk_str name, const struct wk_inode *ip)
{
    struct wk_dent *e = wk_dtree_find(dir->data, wk_dent_key(name), name);
    if (e)
        e->val = wk_dent_val(ip->ino, ip->mode);
}

int wk_mfs_exchange(struct wk_vfs *vfs, struct wk_inode *from_dir, struct wk_str from,
                    struct wk_inode *to_dir, struct wk_str to)
{
    struct move m = {.from_dir = from_dir, .to_dir = to_dir};
    m.ip = wk_mfs_lookup(vfs, from_dir, from);
    m.old = wk_mfs_lookup(vfs, to_dir, to);
    if (!m.ip || !m.old)
        return -WK_ENOENT;
    if (m.ip == m.old)
        return 0;
    struct wk_name *from_name = wk_name_new(&vfs->ctx, from.p, from.n);
    struct wk_name *to_name = wk_name_new(&vfs->ctx, to.p, to.n);
    int err = from_name && to_name ? own_move(vfs, &m) : -WK_ENOMEM;
    if (!err)
        err = wk_dtree_own(&vfs->ctx, &m.from_dir->data, wk_dent_key(from), from);
    if (!err)
        err = wk_dtree_own(&vfs->ctx, &m.to_dir->data, wk_dent_key(to), to);
    if (!err)
        err = prepare_relink(vfs, m.ip, m.from_dir->ino, from, m.to_dir->ino, to);
    if (!err)
        err = prepare_relink(vfs, m.old, m.to_dir->ino, to, m.from_dir->ino, from);
    if (!err) {
        set_entry(m.from_dir, from, m.old);
        set_entry(m.to_dir, to, m.ip);
        commit_relink(vfs, m.ip, m.from_dir->ino, from, m.to_dir->ino, to_name);
        commit_relink(vfs, m.old, m.to_dir->ino, to, m.from_dir->ino, from_name);
        int from_dirs = wk_inode_is_dir(m.old) - wk_inode_is_dir(m.ip);
        m.from_dir->nlink = (uint32_t)((int)m.from_dir->nlink + from_dirs);
        m.to_dir->nlink = (uint32_t)((int)m.to_dir->nlink - from_dirs);
        touch(vfs, m.from_dir);
        touch(vfs, m.to_dir);
        m.ip->ctim = m.old->ctim = m.to_dir->ctim;
        vfs->gen++;
    }
    wk_block_drop(&vfs->ctx, from_name);
    wk_block_drop(&vfs->ctx, to_name);
    return err;
}
