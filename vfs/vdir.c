/* vdir.c - directory handles and listings */
#include "vfs/namespace.h"

#include "base/arena.h"
#include "base/sort.h"

/* ---- handles --------------------------------------------------------------------------------- */

int wk_vdir_new(struct wk_vfs *vfs, const struct wk_loc *loc, struct wk_vdir **out)
{
    struct wk_vdir *d = WK_NEW(vfs->ctx.mem, struct wk_vdir);
    if (!d)
        return -WK_ENOMEM;
    d->vfs = vfs;
    d->refs = 1;
    d->mnt = loc->mnt;
    if (loc->ip) {
        d->oi = wk_oinode_get(vfs, loc->ip);
        if (!d->oi) {
            wk_free(vfs->ctx.mem, d);
            return -WK_ENOMEM;
        }
    }
    d->fn = wk_node_ref(loc->fn);
    d->mnt->handles++;
    vfs->handles++;
    *out = d;
    return 0;
}

int wk_vfs_dir(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
               struct wk_str path, struct wk_vdir **out)
{
    struct wk_walk w;
    int err = wk_walk(vfs, cred, cwd, path, WK_WALK_FOLLOW, &w);
    if (!err && !(w.at.ip ? wk_inode_is_dir(w.at.ip) : w.at.fn->type == WK_S_IFDIR))
        err = -WK_ENOTDIR;
    if (!err)
        err = wk_loc_allows(&w.at, cred, WK_X_OK);
    if (!err)
        err = wk_vdir_new(vfs, &w.at, out);
    wk_walk_end(vfs, &w);
    return err;
}

struct wk_vdir *wk_vdir_ref(struct wk_vdir *d)
{
    if (d)
        d->refs++;
    return d;
}

void wk_vdir_unref(struct wk_vdir *d)
{
    if (!d || --d->refs > 0)
        return;
    struct wk_vfs *vfs = d->vfs;
    d->mnt->handles--;
    vfs->handles--;
    wk_oinode_put(vfs, d->oi);
    wk_node_put(d->fn);
    wk_free(vfs->ctx.mem, d);
}

int wk_vdir_stat(struct wk_vdir *d, const struct wk_cred *cred, struct wk_stat *st)
{
    struct wk_loc loc = wk_loc_of(d->vfs, d);
    int err = wk_loc_stat(&loc, cred, st);
    wk_loc_drop(&loc);
    return err;
}

int wk_vdir_path(struct wk_vdir *d, struct wk_buf *out)
{
    if (!d)
        return wk_buf_putc(out, '/') ? 0 : -WK_ENOMEM;
    struct wk_loc loc = wk_loc_of(d->vfs, d);
    int err = wk_loc_path(d->vfs, &loc, out);
    wk_loc_drop(&loc);
    return err;
}

/* ---- listings -------------------------------------------------------------------------------- */

struct item {
    struct wk_str name;
    uint64_t ino;
    uint32_t type;
};

struct wk_vlist {
    struct wk_vdir *dir;
    uint64_t pos;
    struct wk_block *root; /* memory: this version of the directory */
    struct wk_dcursor cursor;
    struct item *items; /* foreign: all of it, in order */
    size_t n, cap;
    struct wk_arena names;
};

static int collect(void *ctx, struct wk_str name, uint64_t ino, uint32_t type)
{
    struct wk_vlist *l = ctx;
    struct wk_mem *m = l->dir->vfs->ctx.mem;
    if (!wk_vec_grow(m, &l->items, &l->cap, l->n + 1, sizeof *l->items))
        return -WK_ENOMEM;
    char *copy = wk_arena_strndup(&l->names, name.p, name.n);
    if (!copy)
        return -WK_ENOMEM;
    l->items[l->n++] = (struct item){wk_str(copy, name.n), ino, type};
    return 0;
}

static int compare_names(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return wk_str_cmp(((const struct item *)a)->name, ((const struct item *)b)->name);
}

static int sort_items(struct wk_mem *m, struct item *items, size_t n)
{
    struct wk_sort how = {.cmp = compare_names};
    return wk_sort(m, items, n, sizeof *items, &how);
}

int wk_loc_list(struct wk_vfs *vfs, const struct wk_loc *loc, const struct wk_cred *cred,
                struct wk_vlist **out)
{
    struct wk_vlist *l = WK_NEW(vfs->ctx.mem, struct wk_vlist);
    if (!l)
        return -WK_ENOMEM;
    wk_arena_init(&l->names, vfs->ctx.mem);
    int err = wk_vdir_new(vfs, loc, &l->dir);
    if (!err && loc->ip) {
        l->root = wk_block_ref(loc->ip->data);
        wk_dcursor_start(&l->cursor, l->root);
    } else if (!err && !(loc->fn->gone && loc->fn->parent)) { /* a removed one has no entries */
        struct wk_fs *fs = loc->mnt->fs;
        err = fs->ops->readdir ? fs->ops->readdir(fs, cred, loc->fn, collect, l) : -WK_EINVAL;
        if (!err)
            err = sort_items(vfs->ctx.mem, l->items, l->n);
    }
    if (err) {
        if (l->dir)
            wk_vlist_close(l);
        else
            wk_free(vfs->ctx.mem, l);
        return err;
    }
    *out = l;
    return 0;
}

static int list_checked(struct wk_vfs *vfs, const struct wk_loc *loc, const struct wk_cred *cred,
                        struct wk_vlist **out)
{
    if (!(loc->ip ? wk_inode_is_dir(loc->ip) : loc->fn->type == WK_S_IFDIR))
        return -WK_ENOTDIR;
    int err = wk_loc_allows(loc, cred, WK_R_OK);
    return err ? err : wk_loc_list(vfs, loc, cred, out);
}

int wk_vfs_opendir(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                   struct wk_str path, struct wk_vlist **out)
{
    struct wk_walk w;
    int err = wk_walk(vfs, cred, cwd, path, WK_WALK_FOLLOW, &w);
    if (!err)
        err = list_checked(vfs, &w.at, cred, out);
    wk_walk_end(vfs, &w);
    return err;
}

int wk_vlist_next(struct wk_vlist *l, struct wk_dirent *out)
{
    if (!l->root) {
        if (l->pos >= l->n)
            return 0;
        const struct item *i = &l->items[l->pos++];
        *out = (struct wk_dirent){i->name, i->ino, i->type};
        return 1;
    }
    struct wk_dent *e = wk_dcursor_next(&l->cursor);
    if (!e)
        return 0;
    l->pos++;
    *out = (struct wk_dirent){wk_str(e->name->s, e->name->b.n), wk_dent_ino(e->val),
                              wk_dent_type(e->val)};
    return 1;
}

void wk_vlist_seek(struct wk_vlist *l, uint64_t cookie)
{
    l->pos = cookie;
    if (l->root) {
        wk_dcursor_start(&l->cursor, l->root);
        wk_dcursor_skip(&l->cursor, cookie);
    } else if (cookie > l->n) {
        l->pos = l->n;
    }
}

struct wk_vdir *wk_vlist_dir(struct wk_vlist *l)
{
    return l->dir;
}

void wk_vlist_close(struct wk_vlist *l)
{
    if (!l)
        return;
    struct wk_vfs *vfs = l->dir->vfs;
    wk_block_drop(&vfs->ctx, l->root);
    wk_free(vfs->ctx.mem, l->items);
    wk_arena_release(&l->names);
    wk_vdir_unref(l->dir);
    wk_free(vfs->ctx.mem, l);
}
