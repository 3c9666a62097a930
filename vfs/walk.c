/* walk.c - resolution of paths: components, links, mount points, search permission
 *
 * Iterative: the text still to be walked after a link is kept on a stack of frames. A frame is
 * pushed only when names follow the link, so a name is the last one exactly when its text is used
 * up and no frame is pending. Link texts are held to the end of the walk, since `last` may point
 * into one.
 */
#include "vfs/namespace.h"

/* ---- places ---------------------------------------------------------------------------------- */

void wk_loc_drop(struct wk_loc *loc)
{
    wk_node_put(loc->fn);
    *loc = (struct wk_loc){0};
}

static struct wk_loc loc_copy(const struct wk_loc *loc)
{
    wk_node_ref(loc->fn);
    return *loc;
}

bool wk_loc_same(const struct wk_loc *a, const struct wk_loc *b)
{
    return a->mnt == b->mnt && a->ip == b->ip && a->fn == b->fn;
}

static struct wk_loc mem_loc(struct wk_mount *m, uint64_t ino)
{
    return (struct wk_loc){.mnt = m, .ip = wk_tree_get(wk_vfs_tree(m->vfs), ino)};
}

struct wk_loc wk_mount_root(struct wk_mount *m)
{
    if (!m->fs)
        return mem_loc(m, m->root_ino);
    return (struct wk_loc){.mnt = m, .fn = wk_node_ref(m->root)};
}

struct wk_loc wk_loc_of(struct wk_vfs *vfs, const struct wk_vdir *d)
{
    if (!d)
        return wk_mount_root(&vfs->root);
    if (d->oi)
        return (struct wk_loc){.mnt = d->mnt, .ip = wk_oinode_inode(vfs, d->oi)};
    return (struct wk_loc){.mnt = d->mnt, .fn = wk_node_ref(d->fn)};
}

static uint32_t loc_type(const struct wk_loc *loc)
{
    return loc->ip ? loc->ip->mode & WK_S_IFMT : loc->fn->type;
}

int wk_loc_stat(const struct wk_loc *loc, const struct wk_cred *cred, struct wk_stat *st)
{
    if (loc->ip) {
        wk_mfs_stat(loc->ip, loc->mnt->dev, st);
        return 0;
    }
    struct wk_fs *fs = loc->mnt->fs;
    if (loc->fn->gone && loc->fn->parent)
        return -WK_ENOENT;
    if (loc->fn->st_walk && loc->fn->st_walk == loc->mnt->vfs->walk) {
        *st = loc->fn->st;
        st->dev = loc->mnt->dev;
        return 0;
    }
    *st = (struct wk_stat){0};
    int err = fs->ops->getattr ? fs->ops->getattr(fs, cred, loc->fn, st) : -WK_EINVAL;
    st->dev = loc->mnt->dev;
    return err;
}

bool wk_stat_allows(const struct wk_stat *st, const struct wk_cred *cred, int want)
{
    if (cred->uid == 0)
        return !(want & WK_X_OK) || WK_S_ISDIR(st->mode) || (st->mode & 0111);
    unsigned shift = st->uid == cred->uid ? 6 : st->gid == cred->gid ? 3 : 0;
    return ((st->mode >> shift) & (unsigned)want) == (unsigned)want;
}

int wk_loc_allows(const struct wk_loc *loc, const struct wk_cred *cred, int want)
{
    struct wk_stat st;
    if (loc->ip) {
        st.mode = loc->ip->mode;
        st.uid = loc->ip->uid;
        st.gid = loc->ip->gid;
    } else if (cred->uid == 0 && loc->fn->type == WK_S_IFDIR) {
        return 0;
    } else {
        int err = wk_loc_stat(loc, cred, &st);
        if (err)
            return err;
    }
    return wk_stat_allows(&st, cred, want) ? 0 : -WK_EACCES;
}

struct wk_mount *wk_mount_on(struct wk_vfs *vfs, const struct wk_loc *loc)
{
    if (WK_LIKELY(vfs->mount_n == 0))
        return NULL;
    if (loc->ip && !(vfs->mount_bloom >> (loc->ip->ino & 63) & 1))
        return NULL;
    for (size_t i = 0; i < vfs->mount_n; i++) {
        struct wk_mount *m = vfs->mounts[i];
        if (m->on == loc->mnt &&
            (loc->ip ? loc->ip->nlink && m->on_ino == loc->ip->ino : m->on_fn == loc->fn))
            return m;
    }
    return NULL;
}

static bool at_mount_root(const struct wk_loc *loc)
{
    if (loc->ip)
        return loc->ip->ino == loc->mnt->root_ino && loc->ip->nlink;
    return loc->fn == loc->mnt->root;
}

int wk_loc_up(struct wk_vfs *vfs, struct wk_loc *loc)
{
    while (at_mount_root(loc)) {
        struct wk_mount *m = loc->mnt;
        if (!m->on)
            return 0;
        struct wk_fs_node *old = loc->fn;
        if (m->on_fn)
            *loc = (struct wk_loc){.mnt = m->on, .fn = wk_node_ref(m->on_fn)};
        else
            *loc = mem_loc(m->on, m->on_ino);
        wk_node_put(old);
        if (!loc->ip && !loc->fn)
            return -WK_ENOENT;
    }
    if (loc->ip) {
        struct wk_inode *up = loc->ip->dir ? wk_tree_get(wk_vfs_tree(vfs), loc->ip->dir) : NULL;
        if (!up || !wk_inode_is_dir(up))
            return -WK_ENOENT;
        loc->ip = up;
        return 0;
    }
    struct wk_fs_node *up = wk_node_ref(loc->fn->parent);
    wk_node_put(loc->fn);
    loc->fn = up;
    return 0;
}

int wk_loc_child(struct wk_vfs *vfs, const struct wk_cred *cred, const struct wk_loc *dir,
                 struct wk_str name, struct wk_loc *out)
{
    *out = (struct wk_loc){.mnt = dir->mnt};
    if (dir->ip) {
        out->ip = wk_mfs_lookup(vfs, dir->ip, name);
        return out->ip ? 0 : -WK_ENOENT;
    }
    struct wk_fs *fs = dir->mnt->fs;
    uint64_t id = 0;
    uint32_t type = 0;
    struct wk_stat st = {0};
    int err = -WK_ENOENT;
    if (dir->fn->gone && dir->fn->parent)
        return err;
    if (fs->ops->lookup_stat) {
        err = fs->ops->lookup_stat(fs, cred, dir->fn, name, &st);
        id = st.ino;
        type = st.mode & WK_S_IFMT;
    } else if (fs->ops->lookup) {
        err = fs->ops->lookup(fs, cred, dir->fn, name, &id, &type);
    }
    if (err)
        return err;
    out->fn = wk_node_get(dir->mnt, dir->fn, name, id, type);
    if (!out->fn)
        return -WK_ENOMEM;
    if (fs->ops->lookup_stat) {
        out->fn->st = st;
        out->fn->st_walk = vfs->walk;
    }
    return 0;
}

/* Appends name and slash backwards; the caller turns the whole round. */
static void put_backwards(struct wk_buf *out, const char *p, size_t n)
{
    while (n > 0)
        wk_buf_putc(out, p[--n]);
    wk_buf_putc(out, '/');
}

static int put_ancestors(struct wk_vfs *vfs, struct wk_loc *at, struct wk_buf *out)
{
    for (;;) {
        struct wk_loc top = wk_mount_root(&vfs->root);
        bool done = wk_loc_same(at, &top);
        wk_loc_drop(&top);
        if (done)
            return 0;
        if (at_mount_root(at)) {
            /* The name of a mounted directory is that of the one it covers. */
            struct wk_mount *m = at->mnt;
            struct wk_fs_node *old = at->fn;
            *at = m->on_fn ? (struct wk_loc){.mnt = m->on, .fn = wk_node_ref(m->on_fn)}
                           : mem_loc(m->on, m->on_ino);
            wk_node_put(old);
            if (!at->ip && !at->fn)
                return -WK_ENOENT;
            continue;
        }
        if (at->ip ? !at->ip->nlink || !at->ip->name : at->fn->gone)
            return -WK_ENOENT;
        if (at->ip)
            put_backwards(out, at->ip->name->s, at->ip->name->b.n);
        else
            put_backwards(out, at->fn->name, at->fn->name_len);
        int err = wk_loc_up(vfs, at);
        if (err)
            return err;
    }
}

int wk_loc_path(struct wk_vfs *vfs, const struct wk_loc *loc, struct wk_buf *out)
{
    size_t start = out->n;
    struct wk_loc at = loc_copy(loc);
    int err = put_ancestors(vfs, &at, out);
    wk_loc_drop(&at);
    if (!err && out->n == start)
        wk_buf_putc(out, '/');
    if (out->failed)
        return -WK_ENOMEM;
    if (err) {
        out->n = start;
        return err;
    }
    for (size_t i = start, j = out->n; i + 1 < j; i++) {
        char c = out->p[i];
        out->p[i] = out->p[--j];
        out->p[j] = c;
    }
    return 0;
}

/* ---- walking --------------------------------------------------------------------------------- */

/* Where the walk stands. */
struct walker {
    struct wk_vfs *vfs;
    const struct wk_cred *cred;
    struct wk_walk *w;
    struct wk_loc cur;
    struct wk_str rest;
    unsigned pending[WK_WALK_FRAMES]; /* frames whose rest is still to come */
    unsigned pending_n;
};

static struct wk_str skip_slashes(struct wk_str s)
{
    size_t i = 0;
    while (i < s.n && s.p[i] == '/')
        i++;
    return wk_str_from(s, i);
}

/* Cuts the next name off; false at the end of everything. *last: nothing but slashes follows. */
static bool next_name(struct walker *k, struct wk_str *name, bool *last)
{
    for (;;) {
        k->rest = skip_slashes(k->rest);
        if (k->rest.n > 0)
            break;
        if (k->pending_n == 0)
            return false;
        k->rest = k->w->frame[k->pending[--k->pending_n]].rest;
    }
    ptrdiff_t slash = wk_str_chr(k->rest, '/');
    size_t n = slash < 0 ? k->rest.n : (size_t)slash;
    *name = wk_str_take(k->rest, n);
    k->rest = wk_str_from(k->rest, n);
    *last = false;
    if (k->pending_n == 0) {
        if (k->rest.n > 0 && skip_slashes(k->rest).n == 0) {
            k->w->must_be_dir = true;
            k->rest.n = 0;
        }
        *last = k->rest.n == 0;
    }
    return true;
}

static int link_text(struct walker *k, const struct wk_loc *link, struct wk_walk_frame *f,
                     struct wk_str *text)
{
    if (link->ip) {
        struct wk_chunk *c = (struct wk_chunk *)(void *)link->ip->data;
        f->held = wk_block_ref(c);
        *text = c ? wk_str((const char *)c->data, c->len) : wk_str(NULL, 0);
        return 0;
    }
    struct wk_fs *fs = link->mnt->fs;
    struct wk_buf b;
    wk_buf_init(&b, k->vfs->ctx.mem, k->vfs->limits.path_max);
    int err = fs->ops->readlink ? fs->ops->readlink(fs, k->cred, link->fn, &b) : -WK_EINVAL;
    if (!err && b.failed)
        err = -WK_ENOMEM;
    if (!err && b.n > 0) {
        size_t n;
        f->text = wk_buf_take(&b, &n);
        *text = wk_str(f->text, n);
    }
    wk_buf_release(&b);
    return err;
}

/* Goes on with a link's text, and with what follows it after that. */
static int follow(struct walker *k, const struct wk_loc *link)
{
    if (k->w->links >= k->vfs->limits.links_max || k->w->top >= WK_WALK_FRAMES)
        return -WK_ELOOP;
    k->w->links++;
    struct wk_walk_frame *f = &k->w->frame[k->w->top];
    *f = (struct wk_walk_frame){.rest = k->rest};
    struct wk_str text = {0};
    int err = link_text(k, link, f, &text);
    if (err)
        return err;
    k->w->top++;
    if (text.n == 0)
        return -WK_ENOENT;
    if (k->rest.n > 0)
        k->pending[k->pending_n++] = k->w->top - 1;
    k->rest = text;
    if (text.p[0] == '/') {
        wk_loc_drop(&k->cur);
        k->cur = wk_mount_root(&k->vfs->root);
    }
    return 0;
}

static int enter_dir_check(const struct walker *k)
{
    if (loc_type(&k->cur) != WK_S_IFDIR)
        return -WK_ENOTDIR;
    return wk_loc_allows(&k->cur, k->cred, WK_X_OK);
}

static void cross_mounts(struct wk_vfs *vfs, struct wk_loc *loc)
{
    struct wk_mount *m;
    while ((m = wk_mount_on(vfs, loc)) != NULL) {
        wk_loc_drop(loc);
        *loc = wk_mount_root(m);
    }
}

/* "." and ".." : 1 = handled, 0 = an ordinary name. */
static int step_dots(struct walker *k, struct wk_str name, enum wk_last *kind)
{
    *kind = WK_LAST_NAME;
    if (name.p[0] != '.' || name.n > 2)
        return 0;
    if (name.n == 1) {
        *kind = WK_LAST_DOT;
        return 1;
    }
    if (name.p[1] != '.')
        return 0;
    *kind = WK_LAST_DOTDOT;
    int err = wk_loc_up(k->vfs, &k->cur);
    return err ? err : 1;
}

static void finish_at_dir(struct walker *k, enum wk_last kind)
{
    k->w->last_kind = kind;
    k->w->last = wk_str("", 0);
    k->w->dir = loc_copy(&k->cur);
    k->w->at = k->cur;
    k->cur = (struct wk_loc){0};
}

/* One name: 0 = go on, 1 = the walk is at its end. */
static int step(struct walker *k, struct wk_str name, bool last, unsigned flags)
{
    enum wk_last kind;
    int err = enter_dir_check(k);
    if (err)
        return err;
    err = step_dots(k, name, &kind);
    if (err < 0)
        return err;
    if (kind != WK_LAST_NAME) {
        if (last)
            finish_at_dir(k, kind);
        return last;
    }
    if (name.n > k->vfs->limits.name_max)
        return -WK_ENAMETOOLONG;
    bool slash = last && k->w->must_be_dir && !(flags & WK_WALK_ENTRY);
    if (slash && (flags & WK_WALK_CREATE))
        return -WK_EISDIR;
    struct wk_loc child;
    err = wk_loc_child(k->vfs, k->cred, &k->cur, name, &child);
    if (err == -WK_ENOENT && last && (flags & WK_WALK_MISSING_OK)) {
        child = (struct wk_loc){0};
    } else if (err) {
        return err;
    } else if (loc_type(&child) == WK_S_IFLNK && (!last || (flags & WK_WALK_FOLLOW) || slash)) {
        err = follow(k, &child);
        wk_loc_drop(&child);
        return err;
    } else {
        cross_mounts(k->vfs, &child);
    }
    if (!last) {
        wk_loc_drop(&k->cur);
        k->cur = child;
        return 0;
    }
    if (child.mnt && slash && loc_type(&child) != WK_S_IFDIR) {
        wk_loc_drop(&child);
        return -WK_ENOTDIR;
    }
    k->w->dir = k->cur;
    k->cur = (struct wk_loc){0};
    k->w->at = child;
    k->w->last = name;
    k->w->last_kind = WK_LAST_NAME;
    return 1;
}

static void walk_init(struct wk_walk *w)
{
    w->dir = w->at = (struct wk_loc){0};
    w->last = wk_str("", 0);
    w->last_kind = WK_LAST_ROOT;
    w->must_be_dir = false;
    w->links = 0;
    w->top = 0;
}

static int walker_start(struct walker *k, struct wk_vfs *vfs, const struct wk_cred *cred,
                        struct wk_vdir *cwd, struct wk_str path, struct wk_walk *w)
{
    walk_init(w);
    vfs->walk++;
    k->vfs = vfs;
    k->cred = cred;
    k->w = w;
    k->rest = path;
    k->pending_n = 0;
    k->cur = (struct wk_loc){0};
    if (path.n == 0)
        return -WK_ENOENT;
    if (path.n >= vfs->limits.path_max)
        return -WK_ENAMETOOLONG;
    if (memchr(path.p, '\0', path.n))
        return -WK_EINVAL;
    k->cur = wk_loc_of(vfs, path.p[0] == '/' ? NULL : cwd);
    return k->cur.ip || k->cur.fn ? 0 : -WK_ENOENT;
}

int wk_walk(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd, struct wk_str path,
            unsigned flags, struct wk_walk *w)
{
    struct walker k;
    struct wk_str name;
    bool last;
    int err = walker_start(&k, vfs, cred, cwd, path, w);
    while (err == 0 && next_name(&k, &name, &last))
        err = step(&k, name, last, flags);
    if (err == 0)
        finish_at_dir(&k, WK_LAST_ROOT);
    wk_loc_drop(&k.cur);
    return err > 0 ? 0 : err;
}

void wk_walk_end(struct wk_vfs *vfs, struct wk_walk *w)
{
    vfs->walk++;
    wk_loc_drop(&w->dir);
    wk_loc_drop(&w->at);
    for (unsigned i = 0; i < w->top; i++) {
        wk_block_drop(&vfs->ctx, w->frame[i].held);
        wk_free(vfs->ctx.mem, w->frame[i].text);
    }
    w->top = 0;
    if (vfs->ctx.dead)
        wk_block_reap(&vfs->ctx, WK_REAP_STEP);
}

/* ---- canonical names ------------------------------------------------------------------------- */

static int put_child_name(struct wk_buf *out, size_t start, struct wk_str name)
{
    if (out->n == start || out->p[out->n - 1] != '/')
        wk_buf_putc(out, '/');
    wk_buf_puts(out, name);
    return out->failed ? -WK_ENOMEM : 0;
}

static void pop_name(struct wk_buf *b)
{
    while (b->n > 0 && b->p[b->n - 1] != '/')
        b->n--;
    if (b->n > 0)
        b->n--;
    b->p[b->n] = '\0';
}

/* One name of a path of which nothing need exist: what is missing (or below a plain file) collects
 * in `tail`. */
static int step_missing(struct walker *k, struct wk_str name, struct wk_buf *tail)
{
    enum wk_last kind;
    if (tail->n > 0) {
        if (wk_str_is(name, ".."))
            pop_name(tail);
        else if (!wk_str_is(name, "."))
            put_child_name(tail, 0, name);
        return tail->failed ? -WK_ENOMEM : 0;
    }
    int err = step_dots(k, name, &kind);
    if (kind != WK_LAST_NAME)
        return err < 0 ? err : 0;
    struct wk_loc child;
    err = name.n > k->vfs->limits.name_max  ? -WK_ENAMETOOLONG
          : loc_type(&k->cur) != WK_S_IFDIR ? -WK_ENOTDIR
                                            : wk_loc_allows(&k->cur, k->cred, WK_X_OK);
    if (!err)
        err = wk_loc_child(k->vfs, k->cred, &k->cur, name, &child);
    if (err == -WK_ENOMEM || err == -WK_EAGAIN)
        return err;
    if (err)
        return put_child_name(tail, 0, name);
    if (loc_type(&child) == WK_S_IFLNK) {
        err = follow(k, &child);
        wk_loc_drop(&child);
        return err == -WK_ENOENT ? put_child_name(tail, 0, name) : err;
    }
    cross_mounts(k->vfs, &child);
    if (loc_type(&child) != WK_S_IFDIR) {
        wk_loc_drop(&child);
        return put_child_name(tail, 0, name);
    }
    wk_loc_drop(&k->cur);
    k->cur = child;
    return 0;
}

static int realpath_missing(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                            struct wk_str path, struct wk_buf *out)
{
    struct walker k;
    struct wk_walk w;
    struct wk_buf tail;
    struct wk_str name;
    bool last;
    size_t start = out->n;
    wk_buf_init(&tail, vfs->ctx.mem, SIZE_MAX / 2);
    int err = walker_start(&k, vfs, cred, cwd, path, &w);
    while (err == 0 && next_name(&k, &name, &last))
        err = step_missing(&k, name, &tail);
    if (!err)
        err = wk_loc_path(vfs, &k.cur, out);
    if (!err && tail.n > 0) {
        if (out->n == start + 1)
            out->n = start; /* "/" and "/x" make "/x" */
        wk_buf_puts(out, wk_buf_str(&tail));
        err = out->failed ? -WK_ENOMEM : 0;
    }
    wk_loc_drop(&k.cur);
    wk_buf_release(&tail);
    wk_walk_end(vfs, &w);
    return err;
}

int wk_vfs_realpath(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                    struct wk_str path, enum wk_realpath how, struct wk_buf *out)
{
    if (how == WK_REALPATH_NONE)
        return realpath_missing(vfs, cred, cwd, path, out);
    struct wk_walk w;
    unsigned missing = how == WK_REALPATH_PARENT ? WK_WALK_MISSING_OK : 0;
    size_t start = out->n;
    int err = wk_walk(vfs, cred, cwd, path, WK_WALK_FOLLOW | missing, &w);
    if (!err && w.at.mnt && loc_type(&w.at) == WK_S_IFDIR) {
        err = wk_loc_path(vfs, &w.at, out);
    } else if (!err) {
        err = wk_loc_path(vfs, &w.dir, out);
        if (!err)
            err = put_child_name(out, start, w.last);
    }
    wk_walk_end(vfs, &w);
    return err;
}

bool wk_vfs_path_is_stable(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                           struct wk_str path)
{
    struct walker k;
    struct wk_walk w;
    struct wk_str name;
    bool last;
    int err = walker_start(&k, vfs, cred, cwd, path, &w);
    bool stable = err == 0 && !k.cur.fn;
    while (err == 0 && stable && next_name(&k, &name, &last)) {
        err = step(&k, name, last, WK_WALK_FOLLOW);
        stable = !k.cur.fn && !w.at.fn;
    }
    if (err == -WK_ENOENT || err == -WK_ENOTDIR || err == -WK_EACCES)
        err = 0; /* a failure that only the memory tree decided is as stable */
    wk_loc_drop(&k.cur);
    wk_walk_end(vfs, &w);
    return stable && err >= 0;
}
