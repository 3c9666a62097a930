/* overlay.c - a memory layer over a directory of the host
 *
 * The memory layer is a directory tree of the session's own tree (so snapshots and diffs cover it).
 * A directory in it names the host directory that it extends (inode field `lower`; none: it hides
 * what the host has), so moving a merged directory is one rename. An entry of type 0 is a whiteout.
 * A file that is changed is copied up first, with the directories above it.
 *
 * Every change is one commit of the memory file system. What must go but cannot go in the same step
 * (an emptied directory full of whiteouts) is moved to the name "/w", which no path can name, and
 * purged after.
 *
 * Where a node stands in the two layers is kept with it and found again when names have changed.
 */
#include "vfs/overlay.h"

static const struct wk_str aside = WK_STR_INIT("/w");

/* ---- where things are ------------------------------------------------------------------------ */

bool wk_overlay_is_whiteout(const struct wk_inode *ip)
{
    return (ip->mode & WK_S_IFMT) == 0;
}

struct wk_inode *wk_overlay_upper(const struct wk_overlay *o, const struct wk_ov *p)
{
    return p->upper ? wk_tree_get(wk_vfs_tree(o->vfs), p->upper) : NULL;
}

static void place_release(const struct wk_overlay *o, struct wk_ov *p)
{
    wk_free(o->vfs->ctx.mem, p->lower);
    *p = (struct wk_ov){0};
}

static char *join(struct wk_mem *m, const char *dir, struct wk_str name)
{
    struct wk_buf b;
    size_t n;
    wk_buf_init(&b, m, UINT16_MAX);
    wk_buf_put_c(&b, dir);
    if (b.n > 0)
        wk_buf_putc(&b, '/');
    wk_buf_puts(&b, name);
    char *s = wk_buf_take(&b, &n);
    wk_buf_release(&b);
    return s;
}

/* Where `name` below `dir` is, without asking the host: -WK_ENOENT only when memory decides it. */
int wk_overlay_below(const struct wk_overlay *o, const struct wk_ov *dir, struct wk_str name,
                     struct wk_ov *out)
{
    struct wk_mem *m = o->vfs->ctx.mem;
    struct wk_inode *up = wk_overlay_upper(o, dir);
    struct wk_inode *ip = up ? wk_mfs_lookup(o->vfs, up, name) : NULL;
    *out = (struct wk_ov){.gen = o->vfs->gen};
    if (ip) {
        if (wk_overlay_is_whiteout(ip))
            return -WK_ENOENT;
        out->upper = ip->ino;
        if (wk_inode_is_dir(ip) && ip->lower) {
            out->lower = wk_strndup(m, ip->lower->s, ip->lower->b.n);
            return out->lower ? 0 : -WK_ENOMEM;
        }
        return 0;
    }
    if (!dir->lower)
        return -WK_ENOENT;
    out->lower = join(m, dir->lower, name);
    return out->lower ? 0 : -WK_ENOMEM;
}

static int place_root(struct wk_overlay *o, struct wk_ov *out)
{
    *out = (struct wk_ov){.gen = o->vfs->gen, .upper = o->mount->root_ino};
    out->lower = wk_strndup(o->vfs->ctx.mem, "", 0);
    return out->lower ? 0 : -WK_ENOMEM;
}

static bool is_fresh(const struct wk_overlay *o, const struct wk_fs_node *n)
{
    return n->priv && ((struct wk_ov *)n->priv)->gen == o->vfs->gen;
}

/* Finds one node's place; its parent's is known. */
static int place_node(struct wk_overlay *o, struct wk_fs_node *n)
{
    struct wk_mem *m = o->vfs->ctx.mem;
    struct wk_ov found;
    int err = n->parent ? wk_overlay_below(o, n->parent->priv, wk_str(n->name, n->name_len), &found)
                        : place_root(o, &found);
    if (!err && !n->priv) {
        n->priv = WK_NEW(m, struct wk_ov);
        if (!n->priv)
            err = -WK_ENOMEM;
    }
    if (err) {
        place_release(o, &found);
        return err;
    }
    place_release(o, n->priv);
    *(struct wk_ov *)n->priv = found;
    return 0;
}

/* The place of a node, found anew from the nearest ancestor that is still known. */
static int place_of(struct wk_overlay *o, struct wk_fs_node *n, struct wk_ov **out)
{
    while (!is_fresh(o, n)) {
        struct wk_fs_node *top = n;
        while (top->parent && !is_fresh(o, top->parent))
            top = top->parent;
        int err = place_node(o, top);
        if (err)
            return err;
    }
    *out = n->priv;
    return 0;
}

/* Whether the host has something under this name of a directory (which a whiteout must then hide).
 */
static int lower_has(struct wk_overlay *o, const struct wk_ov *dir, struct wk_str name, bool *has)
{
    struct wk_stat st;
    *has = false;
    if (!dir->lower)
        return 0;
    char *path = join(o->vfs->ctx.mem, dir->lower, name);
    if (!path)
        return -WK_ENOMEM;
    *has = wk_hostdir_stat(&o->dir, path, &st) == 0;
    wk_free(o->vfs->ctx.mem, path);
    return 0;
}

/* ---- copying up ------------------------------------------------------------------------------ */

enum { MARK_UPPER = 62 }; /* numbers of the memory layer are told from the host's by this bit */

static bool all_zero(const char *p, size_t n)
{
    return p[0] == 0 && memcmp(p, p + 1, n - 1) == 0;
}

static int read_chunk(int fd, char *buf, int64_t off, size_t *got)
{
    *got = 0;
    while (*got < WK_CHUNK_SIZE) {
        int64_t n = wk_hostdir_pread(fd, buf + *got, WK_CHUNK_SIZE - *got, off + (int64_t)*got);
        if (n < 0)
            return (int)n;
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    return 0;
}

/* Reads a host file into chunks that belong to no inode yet. */
static int read_content(struct wk_overlay *o, const char *path, struct wk_mfs_new *a)
{
    struct wk_vfs *vfs = o->vfs;
    uint64_t used = wk_vfs_tree(vfs)->bytes + vfs->orphan_bytes;
    uint64_t room = used < vfs->limits.bytes ? vfs->limits.bytes - used : 0;
    int fd = wk_hostdir_open(&o->dir, path, WK_O_RDONLY);
    if (fd < 0)
        return fd;
    char *buf = wk_alloc(vfs->ctx.mem, WK_CHUNK_SIZE);
    int err = buf ? 0 : -WK_ENOMEM;
    for (size_t n = WK_CHUNK_SIZE; !err && n == WK_CHUNK_SIZE;) {
        uint64_t grown = 0;
        err = read_chunk(fd, buf, (int64_t)a->size, &n);
        if (!err && n > vfs->limits.file_bytes - WK_MIN(a->size, vfs->limits.file_bytes))
            err = -WK_EFBIG;
        if (!err && n > 0 && !all_zero(buf, n))
            err = wk_content_write(&vfs->ctx, &a->data, buf, n, a->size, room - a->held, &grown);
        if (!err) {
            a->size += n;
            a->held += grown;
        }
    }
    wk_free(vfs->ctx.mem, buf);
    wk_hostdir_close(fd);
    return err;
}

static int read_link(struct wk_overlay *o, const char *path, struct wk_mfs_new *a)
{
    struct wk_buf b;
    wk_buf_init(&b, o->vfs->ctx.mem, o->vfs->limits.path_max);
    int err = wk_hostdir_readlink(&o->dir, path, &b);
    if (!err) {
        struct wk_chunk *c = wk_chunk_new(&o->vfs->ctx, wk_buf_c(&b), (uint32_t)b.n, false);
        a->data = c ? &c->b : NULL;
        a->size = a->held = b.n;
        err = c ? 0 : -WK_ENOMEM;
    }
    wk_buf_release(&b);
    return err;
}

/* The memory layer's inode for what the host has at `path`. `contents`: of a regular file too. */
static int describe(struct wk_overlay *o, const char *path, bool contents, struct wk_mfs_new *a)
{
    struct wk_stat st;
    int err = wk_hostdir_stat(&o->dir, path, &st);
    if (err)
        return err;
    *a = (struct wk_mfs_new){.mode = st.mode, .uid = st.uid, .gid = st.gid, .mtim = st.mtim};
    if (WK_S_ISDIR(st.mode)) {
        size_t n = strlen(path);
        a->lower = n <= UINT16_MAX ? wk_name_new(&o->vfs->ctx, path, n) : NULL;
        return a->lower ? 0 : -WK_ENOMEM;
    }
    if (WK_S_ISLNK(st.mode))
        return read_link(o, path, a);
    if (!WK_S_ISREG(st.mode))
        return -WK_EPERM;
    return contents ? read_content(o, path, a) : 0;
}

static int copy_up_one(struct wk_overlay *o, struct wk_fs_node *n, bool contents)
{
    struct wk_ov *p, *dir;
    struct wk_mfs_new a = {0};
    struct wk_inode *ip;
    int err = place_of(o, n, &p);
    if (err || p->upper)
        return err;
    err = place_of(o, n->parent, &dir);
    if (!err)
        err = describe(o, p->lower, contents, &a);
    struct wk_inode *up = err ? NULL : wk_overlay_upper(o, dir);
    if (!err && !up)
        err = -WK_ENOENT;
    if (!err)
        err = wk_mfs_create(o->vfs, up, wk_str(n->name, n->name_len), &a, &ip);
    wk_block_drop(&o->vfs->ctx, a.data);
    wk_block_drop(&o->vfs->ctx, a.lower);
    return err ? err : place_of(o, n, &p);
}

/* Gives a node and all directories above it inodes in memory; *ip is the node's. */
static int copy_up(struct wk_overlay *o, struct wk_fs_node *n, bool contents, struct wk_inode **ip)
{
    struct wk_ov *p;
    int err = place_of(o, n, &p);
    while (!err && !p->upper) {
        struct wk_fs_node *top = n;
        struct wk_ov *above;
        while (!(err = place_of(o, top->parent, &above)) && !above->upper)
            top = top->parent;
        if (!err)
            err = copy_up_one(o, top, top != n || contents);
        if (!err)
            err = place_of(o, n, &p);
    }
    *ip = err ? NULL : wk_overlay_upper(o, p);
    return err ? err : *ip ? 0 : -WK_ENOENT;
}

/* ---- reading --------------------------------------------------------------------------------- */

int wk_overlay_stat(struct wk_overlay *o, const struct wk_ov *p, struct wk_stat *st)
{
    struct wk_inode *ip = wk_overlay_upper(o, p);
    if (!ip)
        return p->lower ? wk_hostdir_stat(&o->dir, p->lower, st) : -WK_ENOENT;
    wk_mfs_stat(ip, 0, st);
    st->ino |= UINT64_C(1) << MARK_UPPER;
    return 0;
}

static int ov_lookup_stat(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                          struct wk_str name, struct wk_stat *st)
{
    struct wk_overlay *o = wk_overlay_of(fs);
    struct wk_ov *d, p;
    (void)cred;
    int err = place_of(o, dir, &d);
    if (err)
        return err;
    err = wk_overlay_below(o, d, name, &p);
    if (!err)
        err = wk_overlay_stat(o, &p, st);
    place_release(o, &p);
    return err;
}

static void ov_forget(struct wk_fs *fs, struct wk_fs_node *n)
{
    struct wk_overlay *o = wk_overlay_of(fs);
    if (n->priv)
        place_release(o, n->priv);
    wk_free(o->vfs->ctx.mem, n->priv);
}

static int ov_getattr(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                      struct wk_stat *st)
{
    struct wk_ov *p;
    (void)cred;
    int err = place_of(wk_overlay_of(fs), n, &p);
    return err ? err : wk_overlay_stat(wk_overlay_of(fs), p, st);
}

static int ov_readlink(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                       struct wk_buf *out)
{
    struct wk_overlay *o = wk_overlay_of(fs);
    struct wk_ov *p;
    (void)cred;
    int err = place_of(o, n, &p);
    if (err)
        return err;
    struct wk_inode *ip = wk_overlay_upper(o, p);
    if (!ip)
        return wk_hostdir_readlink(&o->dir, p->lower, out);
    struct wk_chunk *c = (struct wk_chunk *)(void *)ip->data;
    if (!WK_S_ISLNK(ip->mode))
        return -WK_EINVAL;
    return !c || wk_buf_put(out, c->data, c->len) ? 0 : -WK_ENOMEM;
}

struct merge {
    struct wk_overlay *o;
    struct wk_inode *up;
    int (*put)(void *ctx, struct wk_str name, uint64_t ino, uint32_t type);
    void *ctx;
};

static int put_lower(void *ctx, struct wk_str name, uint64_t ino, uint32_t type)
{
    struct merge *m = ctx;
    if (m->up && wk_mfs_lookup(m->o->vfs, m->up, name))
        return 0;
    return m->put(m->ctx, name, ino, type);
}

int wk_overlay_list(struct wk_overlay *o, const struct wk_ov *p,
                    int (*put)(void *ctx, struct wk_str name, uint64_t ino, uint32_t type),
                    void *ctx)
{
    struct merge m = {o, wk_overlay_upper(o, p), put, ctx};
    struct wk_dcursor cur;
    struct wk_dent *e;
    int err = 0;
    wk_dcursor_start(&cur, m.up ? m.up->data : NULL);
    while (!err && (e = wk_dcursor_next(&cur)) != NULL)
        if (wk_dent_type(e->val) != 0 && e->name->s[0] != '/')
            err = put(ctx, wk_str(e->name->s, e->name->b.n),
                      wk_dent_ino(e->val) | UINT64_C(1) << MARK_UPPER, wk_dent_type(e->val));
    if (err || !p->lower)
        return err;
    err = wk_hostdir_list(&o->dir, o->vfs->ctx.mem, p->lower, put_lower, &m);
    /* The host may have lost a directory that the layer extends. */
    return m.up && (err == -WK_ENOENT || err == -WK_ENOTDIR || err == -WK_ELOOP) ? 0 : err;
}

static int ov_readdir(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                      int (*put)(void *ctx, struct wk_str name, uint64_t ino, uint32_t type),
                      void *ctx)
{
    struct wk_ov *p;
    (void)cred;
    int err = place_of(wk_overlay_of(fs), dir, &p);
    return err ? err : wk_overlay_list(wk_overlay_of(fs), p, put, ctx);
}

/* ---- open files ------------------------------------------------------------------------------ */

/* A file opened for reading stays on the host until someone copies it up; then it moves over. */
struct ov_file {
    struct wk_fs_node *node; /* held by the open file */
    struct wk_oinode *oi;
    int fd; /* -1: in memory */
    uint64_t gen;
};

static int to_memory(struct wk_overlay *o, struct ov_file *f, const struct wk_inode *ip)
{
    f->oi = wk_oinode_get(o->vfs, ip);
    if (!f->oi)
        return -WK_ENOMEM;
    if (f->fd >= 0)
        wk_hostdir_close(f->fd);
    f->fd = -1;
    return 0;
}

/* Makes a host descriptor that was overtaken by a copy in memory give way to it. */
static int refresh(struct wk_overlay *o, struct ov_file *f)
{
    struct wk_ov *p;
    if (f->oi || f->node->gone || f->gen == o->vfs->gen)
        return 0;
    if (place_of(o, f->node, &p) != 0)
        return 0; /* its name is gone: the descriptor has the contents */
    f->gen = o->vfs->gen;
    struct wk_inode *ip = wk_overlay_upper(o, p);
    return ip ? to_memory(o, f, ip) : 0;
}

static int open_file(struct wk_overlay *o, struct wk_fs_node *n, uint32_t flags, struct ov_file *f)
{
    struct wk_ov *p;
    struct wk_inode *ip = NULL;
    bool writes = (flags & WK_O_ACCMODE) != WK_O_RDONLY || (flags & WK_O_TRUNC);
    int err = place_of(o, n, &p);
    if (!err && writes && !p->upper)
        err = copy_up(o, n, !(flags & WK_O_TRUNC), &ip);
    else if (!err)
        ip = wk_overlay_upper(o, p);
    if (err)
        return err;
    if (!ip) {
        f->fd = wk_hostdir_open(&o->dir, p->lower, WK_O_RDONLY);
        return f->fd < 0 ? f->fd : 0;
    }
    err = to_memory(o, f, ip);
    if (!err && (flags & WK_O_TRUNC))
        err = wk_mfs_truncate(o->vfs, ip, 0);
    return err;
}

static void ov_close(struct wk_fs *fs, void *file)
{
    struct wk_overlay *o = wk_overlay_of(fs);
    struct ov_file *f = file;
    wk_oinode_put(o->vfs, f->oi);
    if (f->fd >= 0)
        wk_hostdir_close(f->fd);
    wk_free(o->vfs->ctx.mem, f);
}

static int ov_open(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                   uint32_t flags, void **file)
{
    struct wk_overlay *o = wk_overlay_of(fs);
    (void)cred;
    struct ov_file *f = WK_NEW(o->vfs->ctx.mem, struct ov_file);
    if (!f)
        return -WK_ENOMEM;
    f->node = n;
    f->fd = -1;
    int err = open_file(o, n, flags, f);
    f->gen = o->vfs->gen;
    if (err)
        ov_close(fs, f);
    else
        *file = f;
    return err;
}

/* A FIFO made in the layer is the session's; one of the host is not. */
static int ov_open_special(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n)
{
    struct wk_ov *p;
    (void)cred;
    int err = place_of(wk_overlay_of(fs), n, &p);
    return err ? err : p->upper ? 0 : -WK_ENXIO;
}

static int64_t ov_pread(struct wk_fs *fs, void *file, void *dst, size_t n, int64_t off)
{
    struct wk_overlay *o = wk_overlay_of(fs);
    struct ov_file *f = file;
    int err = refresh(o, f);
    if (err)
        return err;
    if (f->oi)
        return wk_mfs_read(wk_oinode_inode(o->vfs, f->oi), dst, n, (uint64_t)off);
    return wk_hostdir_pread(f->fd, dst, n, off);
}

static int64_t ov_pwrite(struct wk_fs *fs, void *file, const void *src, size_t n, int64_t off,
                         int64_t *end)
{
    struct wk_overlay *o = wk_overlay_of(fs);
    struct ov_file *f = file;
    if (!f->oi)
        return -WK_EBADF;
    uint64_t e = 0;
    int64_t done = wk_mfs_write(o->vfs, wk_oinode_inode(o->vfs, f->oi), src, n,
                                off < 0 ? UINT64_MAX : (uint64_t)off, &e);
    *end = (int64_t)e;
    return done;
}

static int ov_fgetattr(struct wk_fs *fs, void *file, struct wk_stat *st)
{
    struct wk_overlay *o = wk_overlay_of(fs);
    struct ov_file *f = file;
    int err = refresh(o, f);
    if (err)
        return err;
    if (!f->oi)
        return wk_hostdir_fstat(&o->dir, f->fd, st);
    wk_mfs_stat(wk_oinode_inode(o->vfs, f->oi), 0, st);
    st->ino |= UINT64_C(1) << MARK_UPPER;
    return 0;
}

static int ov_fsetattr(struct wk_fs *fs, void *file, const struct wk_fs_setattr *a)
{
    struct wk_overlay *o = wk_overlay_of(fs);
    struct ov_file *f = file;
    struct wk_inode *ip;
    int err = refresh(o, f);
    if (!err && !f->oi) { /* opened for reading, and now chmod by handle */
        err = f->node->gone ? -WK_ENOENT : copy_up(o, f->node, true, &ip);
        if (!err)
            err = to_memory(o, f, ip);
    }
    return err ? err : wk_mfs_setattr(o->vfs, wk_oinode_inode(o->vfs, f->oi), a);
}

/* ---- changes --------------------------------------------------------------------------------- */

static int ov_setattr(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                      const struct wk_fs_setattr *a)
{
    struct wk_inode *ip;
    bool contents = !((a->what & WK_SET_SIZE) && a->size == 0);
    (void)cred;
    int err = copy_up(wk_overlay_of(fs), n, contents, &ip);
    return err ? err : wk_mfs_setattr(wk_overlay_of(fs)->vfs, ip, a);
}

/* Empties and removes what was moved aside earlier. */
static int purge(struct wk_overlay *o, struct wk_inode *dir)
{
    struct wk_vfs *vfs = o->vfs;
    uint64_t dir_ino = dir->ino;
    struct wk_inode *old = wk_mfs_lookup(vfs, dir, aside);
    if (!old)
        return 0;
    uint64_t old_ino = old->ino;
    while (old && wk_inode_is_dir(old) && old->data) {
        struct wk_dent *e = wk_dtree_first(old->data);
        struct wk_name *name = wk_block_ref(e->name);
        int err = wk_mfs_remove(vfs, old, wk_str(name->s, name->b.n));
        wk_block_drop(&vfs->ctx, name);
        if (err)
            return err;
        old = wk_tree_get(wk_vfs_tree(vfs), old_ino);
    }
    return wk_mfs_remove(vfs, wk_tree_get(wk_vfs_tree(vfs), dir_ino), aside);
}

/* A directory's inode in memory with nothing left aside in it. */
static int copy_up_clean(struct wk_overlay *o, struct wk_fs_node *dir, struct wk_inode **up)
{
    int err = copy_up(o, dir, true, up);
    if (err)
        return err;
    uint64_t ino = (*up)->ino;
    err = purge(o, *up);
    *up = err ? NULL : wk_tree_get(wk_vfs_tree(o->vfs), ino);
    return err ? err : *up ? 0 : -WK_ENOENT;
}

/* The memory directory to add a name to, with nothing left aside in it; *white: a whiteout is
 * there. */
static int open_parent(struct wk_overlay *o, struct wk_fs_node *dir, struct wk_str name,
                       struct wk_inode **up, bool *white)
{
    int err = copy_up_clean(o, dir, up);
    if (err)
        return err;
    struct wk_inode *ip = wk_mfs_lookup(o->vfs, *up, name);
    *white = ip && wk_overlay_is_whiteout(ip);
    return ip && !*white ? -WK_EEXIST : 0;
}

/* The last step of creating under a whiteout: what stands aside takes its place. */
static int replace_whiteout(struct wk_overlay *o, uint64_t dir_ino, struct wk_str name)
{
    struct wk_vfs *vfs = o->vfs;
    struct wk_inode *dir = wk_tree_get(wk_vfs_tree(vfs), dir_ino);
    int err = wk_mfs_rename(vfs, dir, aside, dir, name);
    if (err)
        wk_mfs_remove(vfs, wk_tree_get(wk_vfs_tree(vfs), dir_ino), aside); /* or the next purge */
    return err;
}

static int ov_create(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                     struct wk_str name, uint32_t mode, uint64_t rdev, struct wk_str data)
{
    struct wk_overlay *o = wk_overlay_of(fs);
    struct wk_inode *up;
    bool white;
    int err = open_parent(o, dir, name, &up, &white);
    if (err)
        return err;
    uint64_t dir_ino = up->ino;
    err = wk_mfs_make(o->vfs, cred, up, white ? aside : name, mode, rdev, data);
    return !err && white ? replace_whiteout(o, dir_ino, name) : err;
}

static int ov_link(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                   struct wk_fs_node *to_dir, struct wk_str to)
{
    struct wk_overlay *o = wk_overlay_of(fs);
    struct wk_inode *ip, *up;
    struct wk_ov *p;
    bool white;
    (void)cred;
    int err = copy_up(o, n, true, &ip);
    if (!err)
        err = open_parent(o, to_dir, to, &up, &white);
    if (!err)
        err = place_of(o, n, &p);
    ip = err ? NULL : wk_overlay_upper(o, p);
    if (!ip)
        return err ? err : -WK_ENOENT;
    uint64_t dir_ino = up->ino;
    err = wk_mfs_link(o->vfs, up, white ? aside : to, ip);
    return !err && white ? replace_whiteout(o, dir_ino, to) : err;
}

static int stop_at_first(void *ctx, struct wk_str name, uint64_t ino, uint32_t type)
{
    (void)ctx, (void)name, (void)ino, (void)type;
    return -WK_ENOTEMPTY;
}

static const struct wk_mfs_new whiteout = {.mode = 0};

/* Takes a name away: with a whiteout when the host has it. */
static int ov_remove(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                     struct wk_str name, bool dir_wanted)
{
    struct wk_overlay *o = wk_overlay_of(fs);
    struct wk_vfs *vfs = o->vfs;
    struct wk_ov *d, p;
    struct wk_inode *up, *ip;
    bool hide;
    (void)cred;
    int err = place_of(o, dir, &d);
    if (err)
        return err;
    err = wk_overlay_below(o, d, name, &p);
    if (!err && dir_wanted)
        err = wk_overlay_list(o, &p, stop_at_first, NULL);
    place_release(o, &p);
    if (!err)
        err = lower_has(o, d, name, &hide);
    if (!err)
        err = copy_up_clean(o, dir, &up);
    if (err)
        return err;
    ip = wk_mfs_lookup(vfs, up, name);
    uint64_t up_ino = up->ino;
    if (!ip)
        return wk_mfs_create(vfs, up, name, &whiteout, &ip);
    if (!hide && !(wk_inode_is_dir(ip) && ip->size > 0))
        return wk_mfs_remove(vfs, up, name);
    err = wk_mfs_rename_leaving(vfs, up, name, up, aside, &whiteout);
    if (!err)
        purge(o, wk_tree_get(wk_vfs_tree(vfs), up_ino)); /* a failure is made good later */
    return err;
}

/* An existing target directory that is empty but for whiteouts: an empty one takes its place. */
static int clear_target(struct wk_overlay *o, struct wk_fs_node *to_dir, struct wk_str name)
{
    struct wk_vfs *vfs = o->vfs;
    struct wk_inode *dir;
    int err = copy_up_clean(o, to_dir, &dir);
    struct wk_inode *ip = err ? NULL : wk_mfs_lookup(vfs, dir, name);
    if (!ip || !wk_inode_is_dir(ip) || ip->size == 0)
        return err;
    uint64_t dir_ino = dir->ino;
    struct wk_mfs_new empty = {.mode = ip->mode, .uid = ip->uid, .gid = ip->gid, .mtim = ip->mtim};
    err = wk_mfs_rename_leaving(vfs, dir, name, dir, aside, &empty);
    if (!err)
        purge(o, wk_tree_get(wk_vfs_tree(vfs), dir_ino));
    return err;
}

/* A target directory must show nothing. */
static int check_target(struct wk_overlay *o, struct wk_fs_node *dir, struct wk_str name)
{
    struct wk_ov *d, p;
    struct wk_stat st;
    int err = place_of(o, dir, &d);
    if (err)
        return err;
    err = wk_overlay_below(o, d, name, &p);
    if (!err)
        err = wk_overlay_stat(o, &p, &st);
    if (err == -WK_ENOENT)
        err = 0;
    else if (!err && WK_S_ISDIR(st.mode))
        err = wk_overlay_list(o, &p, stop_at_first, NULL);
    place_release(o, &p);
    return err;
}

/* Brings all that a rename touches into memory. */
static int gather_rename(struct wk_overlay *o, struct wk_fs_node *from_dir, struct wk_str from,
                         struct wk_fs_node *to_dir, struct wk_str to)
{
    struct wk_inode *ip;
    struct wk_fs_node *n = wk_node_find(o->mount, from_dir, from); /* held by the caller's walk */
    int err = n ? check_target(o, to_dir, to) : -WK_ENOENT;
    if (!err)
        err = copy_up(o, n, true, &ip);             /* from_dir with it */
    return err ? err : clear_target(o, to_dir, to); /* to_dir with it */
}

static int ov_rename(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *from_dir,
                     struct wk_str from, struct wk_fs_node *to_dir, struct wk_str to, int at_flags)
{
    struct wk_overlay *o = wk_overlay_of(fs);
    struct wk_ov *a, *b;
    bool hide;
    (void)cred;
    (void)at_flags; /* the caller has seen to NOREPLACE: nothing else changes this layer */
    int err = gather_rename(o, from_dir, from, to_dir, to);
    if (!err)
        err = place_of(o, from_dir, &a);
    if (!err)
        err = place_of(o, to_dir, &b);
    if (!err)
        err = lower_has(o, a, from, &hide);
    if (err)
        return err;
    struct wk_inode *from_up = wk_overlay_upper(o, a), *to_up = wk_overlay_upper(o, b);
    if (!from_up || !to_up)
        return -WK_ENOENT;
    return wk_mfs_rename_leaving(o->vfs, from_up, from, to_up, to, hide ? &whiteout : NULL);
}

void wk_overlay_free(struct wk_fs *fs)
{
    struct wk_overlay *o = wk_overlay_of(fs);
    wk_hostdir_release(&o->dir);
    wk_free(o->vfs->ctx.mem, o);
}

static const struct wk_fs_ops overlay_ops = {
    .type = "overlay",
    .free = wk_overlay_free,
    .lookup_stat = ov_lookup_stat,
    .forget = ov_forget,
    .getattr = ov_getattr,
    .setattr = ov_setattr,
    .readlink = ov_readlink,
    .readdir = ov_readdir,
    .open = ov_open,
    .open_special = ov_open_special,
    .close = ov_close,
    .pread = ov_pread,
    .pwrite = ov_pwrite,
    .fgetattr = ov_fgetattr,
    .fsetattr = ov_fsetattr,
    .create = ov_create,
    .remove = ov_remove,
    .rename = ov_rename,
    .link = ov_link,
};

/* Mounts an overlay whose host directory is open; it is freed on failure. */
static int mount_layer(struct wk_overlay *o, struct wk_str path, const char *source, uint32_t flags)
{
    struct wk_stat st;
    struct wk_vfs *vfs = o->vfs;
    int err = wk_hostdir_stat(&o->dir, "", &st);
    if (!err)
        err = wk_mount_foreign(vfs, path, &o->fs, source, flags, &o->mount);
    if (err) {
        wk_overlay_free(&o->fs);
        return err;
    }
    err = wk_mount_make_root(o->mount, st.mode, st.uid, st.gid);
    if (err)
        wk_vfs_umount(vfs, path);
    return err;
}

static struct wk_overlay *overlay_new(struct wk_vfs *vfs)
{
    struct wk_overlay *o = WK_NEW(vfs->ctx.mem, struct wk_overlay);
    if (o) {
        o->fs.ops = &overlay_ops;
        o->vfs = vfs;
        o->dir.fd = -1;
    }
    return o;
}

int wk_vfs_mount_overlay(struct wk_vfs *vfs, struct wk_str path, const char *host_dir,
                         const struct wk_host_options *options, uint32_t flags)
{
    struct wk_overlay *o = overlay_new(vfs);
    if (!o)
        return -WK_ENOMEM;
    int err = wk_hostdir_init(&o->dir, host_dir, options);
    if (err) {
        wk_overlay_free(&o->fs);
        return err;
    }
    return mount_layer(o, path, host_dir, flags);
}

int wk_overlay_view(const struct wk_mount *m, struct wk_vfs *view)
{
    struct wk_overlay *o = overlay_new(view);
    if (!o)
        return -WK_ENOMEM;
    int err = wk_hostdir_dup(&o->dir, &wk_overlay_of(m->fs)->dir);
    if (err) {
        wk_overlay_free(&o->fs);
        return err;
    }
    return mount_layer(o, wk_str_c(m->path), m->source, m->flags | WK_MOUNT_RDONLY);
}
