/* mirror_left.c - what the box has still to be told after its changes were applied
 *
 * All that the session had changed since both were in step, but for the paths where it now has what the box has. A
 * removal of a directory in which the box has changed something becomes the removal of the rest of it.
 */
#include "adapters/mirror/mirror_parts.h"

struct rest {
    struct wk_mirror *m;
    struct wk_mirror_ops *left;
    struct wk_mirror_ops stack; /* directories whose entries are to be removed one by one */
};

/* Is anything of the box's there below a path? */
static bool has_below(const struct wk_mirror *m, size_t pair, struct wk_str path)
{
    const struct wk_mirror_entries *e = &m->incoming;
    bool found;
    for (size_t i = wk_mirror_entry_at(e, pair, path, &found) + (found ? 1 : 0); i < e->n; i++) {
        if (e->v[i].pair != pair || !wk_mirror_is_below(e->v[i].path, path))
            return false;
        if (e->v[i].type != WK_MIRROR_NONE && !e->v[i].gone)
            return true;
    }
    return false;
}

static const struct wk_mirror_entry *find(const struct wk_mirror *m, size_t pair, struct wk_str path)
{
    bool found;
    size_t at = wk_mirror_entry_at(&m->incoming, pair, path, &found);
    return found && !m->incoming.v[at].gone ? &m->incoming.v[at] : NULL;
}

/* A directory that stands again, for what the box has changed in it: the rest of it goes. */
static int go_through(struct rest *r, const struct wk_mirror_entry *e, size_t pair, struct wk_str path)
{
    int err = wk_mirror_ops_add(&r->stack, r->m->mem, pair, path, 0, 0, WK_MIRROR_NONE);
    if (err || (e && e->settled))
        return err;
    return wk_mirror_ops_add(r->left, r->m->mem, pair, path, WK_MIRROR_ATTRIBUTES, 0, WK_MIRROR_DIR);
}

/* One operation as far as it is still to be done. known: the box has what `base` says; else what is below the path is
 * to be found out by a list, and comes back. */
static int carry(struct rest *r, const struct wk_mirror_op *op, bool known)
{
    struct wk_mirror *m = r->m;
    const struct wk_mirror_entry *e = find(m, op->pair, op->path);
    unsigned kind = op->kind, flags = op->flags & (WK_MIRROR_CLEAR | WK_MIRROR_DEEP);
    bool removes = kind == WK_MIRROR_REMOVE || (flags & WK_MIRROR_CLEAR);
    if (removes && ((e && e->type == WK_MIRROR_DIR) || has_below(m, op->pair, op->path))) {
        m->lost_track = m->lost_track || !known;
        return go_through(r, e, op->pair, op->path);
    }
    if (e && e->settled)
        return 0;
    if (e && e->type != WK_MIRROR_NONE && kind == WK_MIRROR_REMOVE)
        kind = WK_MIRROR_SEND;
    return wk_mirror_ops_add(r->left, m->mem, op->pair, op->path, kind, flags,
                             e ? (enum wk_mirror_type)e->type : (enum wk_mirror_type)op->had);
}

/* The entries of a directory that the box has as both had them, and the session has not. */
static int remove_rest(struct rest *r, struct wk_mirror_view *base, size_t pair, struct wk_str dir)
{
    struct wk_mirror *m = r->m;
    struct wk_vlist *l;
    struct wk_dirent d;
    struct wk_buf path;
    int more = 0, err = wk_mirror_list(base, dir, &l);
    wk_buf_init(&path, m->mem, SIZE_MAX / 2);
    while (!err && l && (more = wk_vlist_next(l, &d)) > 0) {
        wk_buf_reset(&path);
        wk_buf_puts(&path, dir);
        wk_buf_putc(&path, '/');
        wk_buf_puts(&path, d.name);
        struct wk_mirror_file f;
        struct wk_str p = wk_buf_str(&path);
        err = path.failed ? -WK_ENOMEM : wk_mirror_look(base, p, &f);
        if (err || !wk_mirror_visible(&f))
            continue;
        const struct wk_mirror_entry *e = find(m, pair, p);
        bool stands = e ? e->type == WK_MIRROR_DIR : has_below(m, pair, p);
        if (stands && f.type == WK_MIRROR_DIR)
            err = go_through(r, e, pair, p);
        else if (!e)
            err = wk_mirror_ops_add(r->left, m->mem, pair, p, WK_MIRROR_REMOVE, 0, f.type);
    }
    wk_vlist_close(l);
    wk_buf_release(&path);
    return err ? err : more < 0 ? more : 0;
}

static int empty_stack(struct rest *r)
{
    struct wk_mirror *m = r->m;
    int err = 0;
    for (size_t pair = 0; pair < m->n_places && r->stack.n && !err; pair++) {
        struct wk_mirror_view base;
        const struct wk_mirror_place *p = &m->places[pair];
        err = wk_mirror_view_open(&base, m->vfs, p->base_real.p ? m->base : NULL, false, p->base_real, &m->cred);
        for (size_t i = 0; i < r->stack.n && !err; i++)
            if (r->stack.v[i].pair == pair)
                err = remove_rest(r, &base, pair, r->stack.v[i].path);
        wk_mirror_view_close(&base);
    }
    return err;
}

int wk_mirror_left(struct wk_mirror *m, struct wk_snapshot *before, const struct wk_mirror_ops *kept,
                   struct wk_mirror_ops *left)
{
    struct rest r = {.m = m, .left = left};
    struct wk_mirror_ops changed;
    wk_mirror_ops_init(&changed, m->mem);
    wk_mirror_ops_init(&r.stack, m->mem);
    int err = wk_mirror_plan(m, before, NULL, false, &changed);
    for (size_t i = 0; i < changed.n && !err; i++)
        err = carry(&r, &changed.v[i], true);
    for (size_t i = 0; i < m->pending.n && !err; i++)
        err = carry(&r, &m->pending.v[i], false);
    if (!err)
        err = empty_stack(&r);
    for (size_t i = 0; i < m->incoming.n && !err; i++)
        if (m->incoming.v[i].resend)
            err = wk_mirror_ops_add(left, m->mem, m->incoming.v[i].pair, m->incoming.v[i].path, WK_MIRROR_SEND, 0,
                                    (enum wk_mirror_type)m->incoming.v[i].type);
    for (size_t i = 0; i < kept->n && !err; i++)
        err = wk_mirror_ops_add(left, m->mem, kept->v[i].pair, kept->v[i].path, kept->v[i].kind, kept->v[i].flags,
                                WK_MIRROR_NONE);
    if (!err)
        err = wk_mirror_ops_sort(left, m->mem);
    wk_mirror_ops_release(&changed, m->mem);
    wk_mirror_ops_release(&r.stack, m->mem);
    return err;
}
