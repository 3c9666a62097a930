/* mirror_names.c - names of the session that a pull makes, removes and moves, as far as the user may */
#include "adapters/mirror/mirror_parts.h"

static const struct wk_cred root = {0};

enum { CONFLICTS_MOST = 10000 };

/* ---- what the user may do -------------------------------------------------------------------- */

bool wk_mirror_owns(const struct wk_mirror_apply *a, const struct wk_stat *st)
{
    return a->m->cred.uid == 0 || a->m->cred.uid == st->uid;
}

bool wk_mirror_may_change(struct wk_mirror_apply *a, struct wk_vdir *dir, const struct wk_stat *victim)
{
    struct wk_stat st;
    if (wk_vdir_stat(dir, &root, &st))
        return false;
    if (wk_mirror_owns(a, &st))
        return true;
    bool sticky = victim && (st.mode & WK_S_ISVTX) && !wk_mirror_owns(a, victim);
    return !sticky && wk_stat_allows(&st, &a->m->cred, WK_W_OK | WK_X_OK);
}

bool wk_mirror_may_write(const struct wk_mirror_apply *a, const struct wk_stat *st)
{
    return wk_mirror_owns(a, st) || wk_stat_allows(st, &a->m->cred, WK_W_OK);
}

void wk_mirror_skip(struct wk_mirror_apply *a, struct wk_mirror_entry *e, const char *why)
{
    wk_mirror_note(a->m, &a->m->result->skipped, a->pair, e->path, why);
}

int wk_mirror_refuse(struct wk_mirror_apply *a, struct wk_mirror_entry *e)
{
    wk_mirror_skip(a, e, wk_err_text(WK_EACCES));
    e->resend = true;
    return 0;
}

/* ---- names ----------------------------------------------------------------------------------- */

int wk_mirror_give(struct wk_mirror_apply *a, struct wk_vdir *dir, struct wk_str name)
{
    const struct wk_cred *c = &a->m->cred;
    if (c->uid == 0 && c->gid == 0)
        return 0;
    return wk_vfs_chown(a->m->vfs, &root, dir, name, WK_AT_NOFOLLOW, c->uid, c->gid);
}

int wk_mirror_make_at(struct wk_mirror_apply *a, struct wk_str path, uint32_t mode)
{
    struct wk_vdir *dir;
    struct wk_str name;
    int err = wk_mirror_parent(&a->live, path, &dir, &name);
    if (!err)
        err = dir ? wk_vfs_mkdir(a->m->vfs, &root, dir, name, mode) : -WK_ENOTDIR;
    if (!err)
        err = wk_mirror_give(a, dir, name);
    if (a->live.at_known && !a->live.at) /* it was entered when it was not there */
        wk_mirror_view_forget(&a->live);
    return err;
}

int wk_mirror_unlink_at(struct wk_mirror_apply *a, struct wk_str path)
{
    struct wk_vdir *dir;
    struct wk_str name;
    int err = wk_mirror_parent(&a->live, path, &dir, &name);
    return err || !dir ? err : wk_vfs_unlink(a->m->vfs, &root, dir, name);
}

int wk_mirror_put_aside(struct wk_mirror_apply *a, struct wk_str path)
{
    struct wk_vdir *dir;
    struct wk_str name;
    struct wk_buf to;
    int err = wk_mirror_parent(&a->live, path, &dir, &name);
    if (err || !dir)
        return err ? err : -WK_ENOTDIR;
    wk_buf_init(&to, a->m->mem, SIZE_MAX / 2);
    err = -WK_EEXIST;
    for (int n = 1; n <= CONFLICTS_MOST && err == -WK_EEXIST; n++) {
        wk_buf_reset(&to);
        wk_buf_puts(&to, wk_str_take(name, 255 - 32));
        wk_buf_fmt(&to, ".whelk-conflict-%d", n);
        err = to.failed ? -WK_ENOMEM
                        : wk_vfs_rename(a->m->vfs, &root, dir, name, dir, wk_buf_str(&to), WK_AT_NOREPLACE);
    }
    if (!err) {
        struct wk_buf whole;
        wk_mirror_note(a->m, &a->m->result->conflicts, a->pair, path, wk_buf_c(&to));
        wk_buf_init(&whole, a->m->mem, SIZE_MAX / 2);
        wk_buf_puts(&whole, wk_str_take(path, path.n - name.n));
        wk_buf_puts(&whole, wk_buf_str(&to));
        err = whole.failed ? -WK_ENOMEM
                           : wk_mirror_ops_add(&a->kept, a->m->mem, a->pair, wk_buf_str(&whole), WK_MIRROR_SEND,
                                               WK_MIRROR_DEEP, WK_MIRROR_NONE);
        wk_buf_release(&whole);
    }
    wk_buf_release(&to);
    wk_mirror_view_forget(&a->live);
    return err;
}

/* ---- removals -------------------------------------------------------------------------------- */

int wk_mirror_common(struct wk_mirror_apply *a, struct wk_str path, struct wk_mirror_file *out)
{
    *out = (struct wk_mirror_file){.type = WK_MIRROR_NONE};
    bool unknown = wk_mirror_is_pending(&a->m->pending, a->pair, path);
    return unknown ? 0 : wk_mirror_look(&a->base, path, out);
}

int wk_mirror_unchanged(struct wk_mirror_apply *a, struct wk_str path, const struct wk_mirror_file *s)
{
    struct wk_mirror_file b;
    int err = wk_mirror_common(a, path, &b);
    return err ? err : wk_mirror_same(&a->live, path, s, &a->base, path, &b);
}

int wk_mirror_remove_one(struct wk_mirror_apply *a, struct wk_str path)
{
    struct wk_mirror_file f;
    struct wk_vdir *dir;
    struct wk_str name;
    int err = wk_mirror_look(&a->live, path, &f);
    if (err || !wk_mirror_visible(&f))
        return err;
    int same = wk_mirror_unchanged(a, path, &f);
    if (same <= 0)
        return same;
    err = wk_mirror_parent(&a->live, path, &dir, &name);
    if (err || !dir || !wk_mirror_may_change(a, dir, &f.st))
        return err;
    if (f.type != WK_MIRROR_DIR)
        return wk_vfs_unlink(a->m->vfs, &root, dir, name);
    err = wk_vfs_rmdir(a->m->vfs, &root, dir, name);
    wk_mirror_view_forget(&a->live);
    return err == -WK_ENOTEMPTY || err == -WK_EBUSY ? 0 : err;
}

/* Appends the names of a directory. */
static int list_into(struct wk_mirror_apply *a, struct wk_str dir, struct wk_mirror_ops *tree)
{
    struct wk_vlist *l;
    struct wk_dirent e;
    struct wk_buf path;
    int more = 0, err = wk_mirror_list(&a->live, dir, &l);
    wk_buf_init(&path, a->m->mem, SIZE_MAX / 2);
    while (!err && l && (more = wk_vlist_next(l, &e)) > 0) {
        wk_buf_reset(&path);
        wk_buf_puts(&path, dir);
        wk_buf_putc(&path, '/');
        wk_buf_puts(&path, e.name);
        err = path.failed ? -WK_ENOMEM
                          : wk_mirror_ops_add(tree, a->m->mem, a->pair, wk_buf_str(&path), 0, 0, WK_MIRROR_NONE);
    }
    wk_vlist_close(l);
    wk_buf_release(&path);
    return err ? err : more < 0 ? more : 0;
}

int wk_mirror_remove_tree(struct wk_mirror_apply *a, struct wk_str path)
{
    struct wk_mirror_ops tree;
    wk_mirror_ops_init(&tree, a->m->mem);
    int err = wk_mirror_ops_add(&tree, a->m->mem, a->pair, path, 0, 0, WK_MIRROR_NONE);
    for (size_t i = 0; i < tree.n && !err; i++) {
        struct wk_mirror_file f;
        err = wk_mirror_look(&a->live, tree.v[i].path, &f);
        if (!err && f.type == WK_MIRROR_DIR)
            err = list_into(a, tree.v[i].path, &tree);
    }
    for (size_t i = tree.n; i > 0 && !err; i--)
        err = wk_mirror_remove_one(a, tree.v[i - 1].path);
    wk_mirror_ops_release(&tree, a->m->mem);
    return err;
}
