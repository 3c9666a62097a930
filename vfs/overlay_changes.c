/* overlay_changes.c - what an overlay's memory layer changes about the host directory
 *
 * A directory of the layer is compared with the host's directory of the same path. Where it extends
 * that very directory, only its entries in memory matter; where it was moved there or is new, all
 * it shows is listed, and what the host has there besides is gone. Directories still to be looked
 * at wait on a stack.
 */
#include "vfs/overlay.h"

struct dir_todo {
    struct wk_ov place;
    char *path; /* in the mount */
};

struct changes {
    struct wk_overlay *o;
    int (*fn)(void *ctx, enum wk_overlay_change kind, struct wk_str path, const struct wk_stat *st);
    void *ctx;
    struct dir_todo *todo;
    size_t n, cap;
    struct dir_todo now;
    struct wk_buf path;
};

static void drop_todo(struct changes *c, struct dir_todo *d)
{
    wk_free(c->o->vfs->ctx.mem, d->place.lower);
    wk_free(c->o->vfs->ctx.mem, d->path);
    *d = (struct dir_todo){0};
}

/* The place goes over to the stack on success. */
static int push(struct changes *c, struct wk_ov *place, const char *path)
{
    struct wk_mem *m = c->o->vfs->ctx.mem;
    if (!wk_vec_grow(m, &c->todo, &c->cap, c->n + 1, sizeof *c->todo))
        return -WK_ENOMEM;
    char *copy = wk_strndup(m, path, strlen(path));
    if (!copy)
        return -WK_ENOMEM;
    c->todo[c->n++] = (struct dir_todo){*place, copy};
    *place = (struct wk_ov){0};
    return 0;
}

static int set_path(struct changes *c, struct wk_str name)
{
    wk_buf_reset(&c->path);
    if (c->now.path[0]) {
        wk_buf_put_c(&c->path, c->now.path);
        wk_buf_putc(&c->path, '/');
    }
    wk_buf_puts(&c->path, name);
    return c->path.failed ? -WK_ENOMEM : 0;
}

static int call(struct changes *c, enum wk_overlay_change kind, const struct wk_stat *st)
{
    return c->fn(c->ctx, kind, wk_buf_str(&c->path), st);
}

static bool extends_itself(const struct wk_ov *p, const char *path)
{
    return p->lower && strcmp(p->lower, path) == 0;
}

/* One entry that the layer has or shows. */
static int visit(struct changes *c, struct wk_str name)
{
    struct wk_ov p;
    struct wk_stat st, host;
    int err = set_path(c, name);
    if (err)
        return err;
    const char *path = wk_buf_c(&c->path);
    bool on_host = wk_hostdir_stat(&c->o->dir, path, &host) == 0;
    err = wk_overlay_below(c->o, &c->now.place, name, &p);
    if (!err)
        err = wk_overlay_stat(c->o, &p, &st);
    if (err == -WK_ENOENT) /* a whiteout */
        err = on_host ? call(c, WK_OVERLAY_REMOVED, &host) : 0;
    else if (!err && WK_S_ISDIR(st.mode)) {
        bool same = on_host && WK_S_ISDIR(host.mode);
        if (!same || (host.mode & 07777) != (st.mode & 07777))
            err = call(c, on_host ? WK_OVERLAY_CHANGED : WK_OVERLAY_ADDED, &st);
        if (!err)
            err = push(c, &p, path);
    } else if (!err) {
        err = call(c, on_host ? WK_OVERLAY_CHANGED : WK_OVERLAY_ADDED, &st);
    }
    wk_free(c->o->vfs->ctx.mem, p.lower);
    return err;
}

static int visit_shown(void *ctx, struct wk_str name, uint64_t ino, uint32_t type)
{
    (void)ino, (void)type;
    return visit(ctx, name);
}

/* A name of the host's directory under one that does not extend it. */
static int visit_host(void *ctx, struct wk_str name, uint64_t ino, uint32_t type)
{
    struct changes *c = ctx;
    struct wk_ov p;
    struct wk_stat st;
    (void)ino, (void)type;
    int err = wk_overlay_below(c->o, &c->now.place, name, &p);
    if (!err)
        err = wk_overlay_stat(c->o, &p, &st);
    wk_free(c->o->vfs->ctx.mem, p.lower);
    if (err != -WK_ENOENT)
        return err;
    err = set_path(c, name);
    if (!err)
        err = wk_hostdir_stat(&c->o->dir, wk_buf_c(&c->path), &st);
    return err ? err : call(c, WK_OVERLAY_REMOVED, &st);
}

static int visit_memory(struct changes *c, const struct wk_inode *up)
{
    struct wk_dcursor cur;
    struct wk_dent *e;
    int err = 0;
    wk_dcursor_start(&cur, up ? up->data : NULL);
    while (!err && (e = wk_dcursor_next(&cur)) != NULL)
        if (e->name->s[0] != '/')
            err = visit(c, wk_str(e->name->s, e->name->b.n));
    return err;
}

static int visit_dir(struct changes *c)
{
    const struct wk_ov *p = &c->now.place;
    if (extends_itself(p, c->now.path))
        return visit_memory(c, wk_overlay_upper(c->o, p));
    int err = wk_overlay_list(c->o, p, visit_shown, c);
    if (err)
        return err;
    err = wk_hostdir_list(&c->o->dir, c->o->vfs->ctx.mem, c->now.path, visit_host, c);
    return err == -WK_ENOENT || err == -WK_ENOTDIR || err == -WK_ELOOP ? 0 : err;
}

int wk_vfs_overlay_changes(struct wk_vfs *vfs, struct wk_str mount_path,
                           int (*fn)(void *ctx, enum wk_overlay_change kind, struct wk_str path,
                                     const struct wk_stat *st),
                           void *ctx)
{
    struct wk_mount *m = wk_mount_find(vfs, mount_path);
    if (!m || !m->fs || m->fs->ops->free != wk_overlay_free)
        return -WK_EINVAL;
    struct changes c = {.o = wk_overlay_of(m->fs), .fn = fn, .ctx = ctx};
    wk_buf_init(&c.path, vfs->ctx.mem, SIZE_MAX / 2);
    struct wk_ov root = {.upper = m->root_ino, .lower = wk_strndup(vfs->ctx.mem, "", 0)};
    int err = root.lower ? push(&c, &root, "") : -WK_ENOMEM;
    while (!err && c.n > 0) {
        c.now = c.todo[--c.n];
        err = visit_dir(&c);
        drop_todo(&c, &c.now);
    }
    while (c.n > 0)
        drop_todo(&c, &c.todo[--c.n]);
    wk_free(vfs->ctx.mem, root.lower);
    wk_free(vfs->ctx.mem, c.todo);
    wk_buf_release(&c.path);
    return err;
}
