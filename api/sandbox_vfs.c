/* sandbox_vfs.c - file requests of a sandbox, answered by the session's file system */
#include "api/sandbox_inprocess.h"

enum { CHUNK = 64 * 1024 };

struct wk_cred wk_inproc_cred(const struct wk_inproc_box *b)
{
    /* Modes are given exactly: no umask. */
    return (struct wk_cred){b->uid, b->gid, 0, b->s->proc};
}

/* ---- places ----------------------------------------------------------------------------------------- */

static int step_into(struct wk_inproc_box *b, struct wk_vdir **dir, struct wk_str name)
{
    struct wk_cred cred = wk_inproc_cred(b);
    struct wk_stat st;
    struct wk_vdir *next;
    int r = wk_vfs_stat(b->s->vfs, &cred, *dir, name, WK_AT_NOFOLLOW, &st);
    if (!r && WK_S_ISLNK(st.mode))
        r = -WK_ELOOP;
    if (!r)
        r = wk_vfs_dir(b->s->vfs, &cred, *dir, name, &next);
    if (r)
        return r;
    wk_vdir_unref(*dir);
    *dir = next;
    return 0;
}

/* The next name of a relative path; "." and empty ones are passed over. */
static struct wk_str next_name(struct wk_str *rest)
{
    while (rest->n) {
        ptrdiff_t slash = wk_str_chr(*rest, '/');
        struct wk_str name = slash < 0 ? *rest : wk_str_take(*rest, (size_t)slash);
        *rest = slash < 0 ? wk_str("", 0) : wk_str_from(*rest, (size_t)slash + 1);
        if (name.n && !wk_str_is(name, "."))
            return name;
    }
    return wk_str("", 0);
}

int wk_inproc_place_find(struct wk_inproc_box *b, const char *path, struct wk_inproc_place *out)
{
    *out = (struct wk_inproc_place){NULL, wk_str_c(path), path[0] != '/'};
    if (!out->relative)
        return 0;
    struct wk_cred cred = wk_inproc_cred(b);
    struct wk_str rest = out->name, name = next_name(&rest);
    int r = wk_vfs_dir(b->s->vfs, &cred, NULL, wk_str_c(b->workspace), &out->dir);
    while (!r) {
        struct wk_str next = next_name(&rest);
        if (wk_str_is(name, ".."))
            r = -WK_EINVAL;
        if (r || !next.n)
            break;
        r = step_into(b, &out->dir, name);
        name = next;
    }
    out->name = name.n ? name : WK_STR(".");
    if (r)
        wk_inproc_place_release(out);
    return r;
}

void wk_inproc_place_release(struct wk_inproc_place *at)
{
    wk_vdir_unref(at->dir);
    at->dir = NULL;
}

/* Where a new file at this place comes to lie: of an absolute one the links are followed, the last too. `buf` holds its
 * name. */
static int settle_place(struct wk_inproc_box *b, struct wk_inproc_place *at, struct wk_buf *buf)
{
    if (at->relative)
        return wk_str_is(at->name, ".") ? -WK_EISDIR : 0;
    struct wk_cred cred = wk_inproc_cred(b);
    int r = wk_vfs_realpath(b->s->vfs, &cred, NULL, at->name, WK_REALPATH_PARENT, buf);
    if (r)
        return r;
    struct wk_str full = wk_buf_str(buf);
    size_t slash = (size_t)wk_str_rchr(full, '/');
    r = wk_vfs_dir(b->s->vfs, &cred, NULL, slash ? wk_str_take(full, slash) : WK_STR("/"), &at->dir);
    at->name = wk_str_from(full, slash + 1);
    return !r && !at->name.n ? -WK_EISDIR : r;
}

/* ---- what is there ------------------------------------------------------------------------------------ */

static int type_of(uint32_t mode)
{
    return WK_S_ISREG(mode)   ? WHELK_TYPE_FILE
           : WK_S_ISDIR(mode) ? WHELK_TYPE_DIR
           : WK_S_ISLNK(mode) ? WHELK_TYPE_LINK
                              : WHELK_TYPE_OTHER;
}

int wk_inproc_tell_entry(struct wk_inproc_box *b, struct wk_vdir *dir, struct wk_str name, bool follow,
                         const char *path, int change, const whelk_file_events *events, void *ctx)
{
    struct wk_cred cred = wk_inproc_cred(b);
    struct wk_stat st;
    struct wk_buf target;
    int r = wk_vfs_stat(b->s->vfs, &cred, dir, name, follow ? 0 : WK_AT_NOFOLLOW, &st);
    if (r)
        return r;
    wk_buf_init(&target, b->mem, 1 << 20);
    if (WK_S_ISLNK(st.mode))
        r = wk_vfs_readlink(b->s->vfs, &cred, dir, name, &target);
    whelk_file_entry e = {.size = sizeof e,
                          .path = path,
                          .target = WK_S_ISLNK(st.mode) ? wk_buf_c(&target) : NULL,
                          .type = type_of(st.mode),
                          .change = change,
                          .mode = st.mode & 07777,
                          .uid = st.uid,
                          .gid = st.gid,
                          .links = st.nlink,
                          .mtime_ns = st.mtim,
                          .bytes = st.size,
                          .inode = st.ino,
                          .device = st.dev};
    if (!r && !target.failed && events->entry)
        events->entry(ctx, &e);
    r = target.failed ? -WK_ENOMEM : r;
    wk_buf_release(&target);
    return r;
}

struct frame {
    struct wk_vlist *list;
    size_t path_n; /* of the directory, in the path so far */
};

struct descent {
    struct wk_inproc_box *b;
    struct wk_buf path;
    struct frame *v;
    size_t n, cap;
};

static int descend(struct descent *d, struct wk_vdir *dir, struct wk_str name)
{
    struct wk_cred cred = wk_inproc_cred(d->b);
    if (!wk_vec_grow(d->b->mem, &d->v, &d->cap, d->n + 1, sizeof *d->v))
        return -WK_ENOMEM;
    int r = wk_vfs_opendir(d->b->s->vfs, &cred, dir, name, &d->v[d->n].list);
    if (!r)
        d->v[d->n++].path_n = d->path.n;
    return r;
}

static bool is_left_out(const whelk_file_request *r, struct wk_str name)
{
    for (size_t i = 0; i < r->n_names; i++)
        if (wk_str_is(name, r->names[i]))
            return true;
    return false;
}

/* One entry of the innermost directory. 1, 0 at its end, -WK_Exxx. */
static int tell_next(struct descent *d, const whelk_file_request *req, unsigned depth, int change,
                     const whelk_file_events *events, void *ctx)
{
    struct frame *f = &d->v[d->n - 1];
    struct wk_vdir *dir = wk_vlist_dir(f->list);
    struct wk_dirent e;
    int r = wk_vlist_next(f->list, &e);
    if (r != 1)
        return r;
    if (is_left_out(req, e.name))
        return 1;
    d->path.n = f->path_n;
    if (d->path.n && d->path.p[d->path.n - 1] != '/')
        wk_buf_putc(&d->path, '/');
    if (!wk_buf_puts(&d->path, e.name))
        return -WK_ENOMEM;
    r = wk_inproc_tell_entry(d->b, dir, e.name, false, d->path.p, change, events, ctx);
    struct wk_cred cred = wk_inproc_cred(d->b);
    struct wk_stat st;
    if (!r && d->n < depth && wk_vfs_stat(d->b->s->vfs, &cred, dir, e.name, WK_AT_NOFOLLOW, &st) == 0 &&
        WK_S_ISDIR(st.mode)) {
        r = descend(d, dir, e.name);
        if (r == -WK_EACCES) /* it was named; what is in it is not to be seen */
            r = 0;
    }
    return r == -WK_ENOENT || r == 0 ? 1 : r; /* an entry of a changing /proc may be gone */
}

int wk_inproc_tell_below(struct wk_inproc_box *b, const whelk_file_request *req, struct wk_vdir *dir,
                         struct wk_str name, const char *path, unsigned depth, int change,
                         const whelk_file_events *events, void *ctx)
{
    struct descent d = {.b = b};
    wk_buf_init(&d.path, b->mem, 1 << 20);
    wk_buf_put_c(&d.path, path);
    int r = descend(&d, dir, name);
    while (!r && d.n) {
        r = tell_next(&d, req, depth, change, events, ctx);
        if (r == 1)
            r = 0;
        else if (r == 0)
            wk_vlist_close(d.v[--d.n].list);
    }
    while (d.n)
        wk_vlist_close(d.v[--d.n].list);
    wk_free(b->mem, d.v);
    wk_buf_release(&d.path);
    return r;
}

/* ---- contents ----------------------------------------------------------------------------------------- */

static int get(struct wk_inproc_box *b, const whelk_file_request *r, const struct wk_inproc_place *at,
               const whelk_file_events *events, void *ctx, uint64_t *size)
{
    struct wk_cred cred = wk_inproc_cred(b);
    struct wk_vfile *f;
    uint32_t flags = WK_O_RDONLY | (at->relative ? WK_O_NOFOLLOW : 0);
    int e = wk_vfs_open(b->s->vfs, &cred, at->dir, at->name, flags, 0, &f);
    if (e)
        return e;
    if (wk_vfile_kind(f) != WK_S_IFREG) {
        e = wk_vfile_kind(f) == WK_S_IFDIR ? -WK_EISDIR : -WK_EINVAL;
        wk_vfile_unref(f);
        return e;
    }
    char *chunk = wk_alloc(b->mem, CHUNK);
    uint64_t off = r->offset, left = r->length;
    if (!chunk)
        e = -WK_ENOMEM;
    while (!e && left && off <= INT64_MAX) {
        int64_t n = wk_vfile_pread(f, chunk, (size_t)WK_MIN(left, (uint64_t)CHUNK), (int64_t)off);
        if (n <= 0) {
            e = (int)n;
            break;
        }
        if (events->data)
            events->data(ctx, chunk, (size_t)n);
        off += (uint64_t)n;
        left -= (uint64_t)n;
    }
    *size = wk_vfile_size(f);
    if (off > r->offset && off > *size)
        *size = off; /* files of /proc say 0 */
    wk_free(b->mem, chunk);
    wk_vfile_unref(f);
    return e;
}

struct put {
    const whelk_file_request *r;
    uint32_t mode;
    struct wk_vfile *f;
};

/* Beside its place, under a name that nothing has. */
static int make_file(struct wk_inproc_box *b, const struct wk_inproc_place *at, struct wk_buf *name, struct put *p)
{
    enum { TRIES = 1000 };
    struct wk_cred cred = wk_inproc_cred(b);
    int e = -WK_EEXIST;
    for (unsigned i = 0; i < TRIES && e == -WK_EEXIST; i++) {
        wk_buf_reset(name);
        if (!wk_buf_fmt(name, ".whelk-new-%u", i))
            return -WK_ENOMEM;
        e = wk_vfs_open(b->s->vfs, &cred, at->dir, wk_buf_str(name), WK_O_WRONLY | WK_O_CREAT | WK_O_EXCL, p->mode,
                        &p->f);
    }
    return e;
}

static int fill_file(struct wk_inproc_box *b, struct put *p)
{
    struct wk_cred cred = wk_inproc_cred(b);
    const whelk_file_request *r = p->r;
    int64_t n = r->length ? wk_vfile_pwrite(p->f, r->data, (size_t)r->length, 0) : 0;
    int e = n < 0 ? (int)n : (uint64_t)n < r->length ? -WK_ENOSPC : 0;
    if (!e)
        e = wk_vfile_chmod(p->f, &cred, p->mode);
    if (!e && r->mtime_ns != INT64_MIN)
        e = wk_vfile_utimens(p->f, &cred, WK_TIME_OMIT, r->mtime_ns);
    return e;
}

static int put(struct wk_inproc_box *b, const whelk_file_request *r, struct wk_inproc_place *at)
{
    struct wk_cred cred = wk_inproc_cred(b);
    struct wk_buf full, name;
    struct wk_stat st;
    struct put p = {.r = r, .mode = r->mode};
    if ((r->length && !r->data) || r->length > SIZE_MAX / 2)
        return -WK_EINVAL;
    wk_buf_init(&full, b->mem, 1 << 20);
    wk_buf_init(&name, b->mem, 64);
    int e = settle_place(b, at, &full);
    bool there = !e && wk_vfs_stat(b->s->vfs, &cred, at->dir, at->name, WK_AT_NOFOLLOW, &st) == 0;
    if (there && WK_S_ISDIR(st.mode))
        e = -WK_EISDIR;
    else if (there && !WK_S_ISREG(st.mode) && !(at->relative && WK_S_ISLNK(st.mode)))
        e = -WK_EINVAL; /* a device or a FIFO is no place for a file */
    if (r->mode == UINT32_MAX)
        p.mode = there && WK_S_ISREG(st.mode) ? st.mode & 07777 : 0644;
    p.mode &= 07777;
    if (!e)
        e = make_file(b, at, &name, &p);
    if (p.f) {
        e = fill_file(b, &p);
        wk_vfile_unref(p.f);
        if (!e)
            e = wk_vfs_rename(b->s->vfs, &cred, at->dir, wk_buf_str(&name), at->dir, at->name, 0);
        if (e)
            (void)wk_vfs_unlink(b->s->vfs, &cred, at->dir, wk_buf_str(&name));
    }
    wk_buf_release(&name);
    wk_buf_release(&full);
    return e;
}

static int append(struct wk_inproc_box *b, const whelk_file_request *r, const struct wk_inproc_place *at)
{
    struct wk_cred cred = wk_inproc_cred(b);
    struct wk_vfile *f;
    int64_t end;
    if ((r->length && !r->data) || r->length > SIZE_MAX / 2)
        return -WK_EINVAL;
    uint32_t flags = WK_O_WRONLY | (at->relative ? WK_O_NOFOLLOW : 0);
    int e = wk_vfs_open(b->s->vfs, &cred, at->dir, at->name, flags, 0, &f);
    if (e)
        return e;
    int64_t size = (int64_t)wk_vfile_size(f), n = 0;
    if (wk_vfile_kind(f) != WK_S_IFREG)
        e = -WK_EINVAL;
    else if (r->length)
        n = wk_vfile_append(f, r->data, (size_t)r->length, &end);
    if (!e && (n < 0 || (uint64_t)n < r->length)) {
        e = n < 0 ? (int)n : -WK_ENOSPC;
        (void)wk_vfile_truncate(f, size); /* all or nothing */
    }
    wk_vfile_unref(f);
    return e;
}

/* ---- names -------------------------------------------------------------------------------------------- */

static int set_attributes(struct wk_inproc_box *b, const whelk_file_request *r, const struct wk_inproc_place *at)
{
    struct wk_cred cred = wk_inproc_cred(b);
    struct wk_stat st;
    int flags = at->relative ? WK_AT_NOFOLLOW : 0;
    int e = wk_vfs_stat(b->s->vfs, &cred, at->dir, at->name, flags, &st);
    if (!e && r->mode != UINT32_MAX && !WK_S_ISLNK(st.mode))
        e = wk_vfs_chmod(b->s->vfs, &cred, at->dir, at->name, flags, r->mode & 07777);
    if (!e && r->mtime_ns != INT64_MIN)
        e = wk_vfs_utimens(b->s->vfs, &cred, at->dir, at->name, flags, WK_TIME_OMIT, r->mtime_ns);
    return e;
}

static int make_dir(struct wk_inproc_box *b, const whelk_file_request *r, const struct wk_inproc_place *at)
{
    struct wk_cred cred = wk_inproc_cred(b);
    struct wk_stat st;
    uint32_t mode = r->mode == UINT32_MAX ? 0755 : r->mode & 07777;
    int e = wk_vfs_mkdir(b->s->vfs, &cred, at->dir, at->name, mode);
    if (e == -WK_EEXIST) {
        int flags = at->relative ? WK_AT_NOFOLLOW : 0;
        e = wk_vfs_stat(b->s->vfs, &cred, at->dir, at->name, flags, &st);
        return !e && !WK_S_ISDIR(st.mode) ? -WK_EEXIST : e;
    }
    if (!e && r->mtime_ns != INT64_MIN)
        e = wk_vfs_utimens(b->s->vfs, &cred, at->dir, at->name, WK_AT_NOFOLLOW, WK_TIME_OMIT, r->mtime_ns);
    return e;
}

static int make_link(struct wk_inproc_box *b, const struct wk_inproc_place *at, const char *target)
{
    struct wk_cred cred = wk_inproc_cred(b);
    return wk_vfs_symlink(b->s->vfs, &cred, at->dir, wk_str_c(target), at->name);
}

static int put_link(struct wk_inproc_box *b, const whelk_file_request *r, struct wk_inproc_place *at)
{
    struct wk_cred cred = wk_inproc_cred(b);
    struct wk_stat st;
    if (!r->target || !*r->target)
        return -WK_EINVAL;
    int e = make_link(b, at, r->target);
    if (e == -WK_EEXIST && wk_vfs_stat(b->s->vfs, &cred, at->dir, at->name, WK_AT_NOFOLLOW, &st) == 0) {
        if (WK_S_ISDIR(st.mode))
            return -WK_EEXIST;
        e = wk_vfs_unlink(b->s->vfs, &cred, at->dir, at->name);
        if (!e)
            e = make_link(b, at, r->target);
    }
    if (!e && r->mtime_ns != INT64_MIN)
        e = wk_vfs_utimens(b->s->vfs, &cred, at->dir, at->name, WK_AT_NOFOLLOW, WK_TIME_OMIT, r->mtime_ns);
    return e;
}

static int remove_all(struct wk_inproc_box *b, const struct wk_inproc_place *at)
{
    struct wk_cred cred = wk_inproc_cred(b);
    if (at->relative && wk_str_is(at->name, "."))
        return -WK_EBUSY; /* the workspace stays */
    int e = wk_vfs_unlink(b->s->vfs, &cred, at->dir, at->name);
    if (e == -WK_EISDIR || e == -WK_EPERM)
        e = wk_vfs_rmdir(b->s->vfs, &cred, at->dir, at->name);
    if (e != -WK_ENOTEMPTY)
        return e;
    struct wk_buf path;
    wk_buf_init(&path, b->mem, 1 << 20);
    e = wk_buf_puts(&path, at->name) ? wk_api_remove_tree(b->s->vfs, &cred, at->dir, &path) : -WK_ENOMEM;
    wk_buf_release(&path);
    return e;
}

static int move(struct wk_inproc_box *b, const whelk_file_request *r, const struct wk_inproc_place *from)
{
    struct wk_cred cred = wk_inproc_cred(b);
    struct wk_inproc_place to;
    if (!r->target)
        return -WK_EINVAL;
    int e = wk_inproc_place_find(b, r->target, &to);
    if (e)
        return e;
    e = wk_vfs_rename(b->s->vfs, &cred, from->dir, from->name, to.dir, to.name, 0);
    wk_inproc_place_release(&to);
    return e;
}

/* ---- requests ----------------------------------------------------------------------------------------- */

static int serve(struct wk_inproc_box *b, const whelk_file_request *r, struct wk_inproc_place *at,
                 const whelk_file_events *events, void *ctx, uint64_t *size)
{
    switch (r->op) {
    case WHELK_FILE_STAT:
        return wk_inproc_tell_entry(b, at->dir, at->name, r->flags & WHELK_FILE_FOLLOW, r->path, 0, events, ctx);
    case WHELK_FILE_LIST:
        if (at->relative && !wk_str_is(at->name, ".")) {
            int e = step_into(b, &at->dir, at->name);
            at->name = WK_STR(".");
            if (e)
                return e;
        }
        return wk_inproc_tell_below(b, r, at->dir, at->name, r->path, r->depth ? r->depth : 1, 0, events, ctx);
    case WHELK_FILE_GET:
        return get(b, r, at, events, ctx, size);
    case WHELK_FILE_PUT:
        return put(b, r, at);
    case WHELK_FILE_MAKE_DIR:
        return make_dir(b, r, at);
    case WHELK_FILE_SYMLINK:
        return put_link(b, r, at);
    case WHELK_FILE_REMOVE:
        return remove_all(b, at);
    case WHELK_FILE_RENAME:
        return move(b, r, at);
    case WHELK_FILE_ATTRIBUTES:
        return set_attributes(b, r, at);
    case WHELK_FILE_APPEND:
        return append(b, r, at);
    case WHELK_FILE_CHANGES:
        return wk_inproc_changes(b, r, events, ctx);
    default:
        return -WK_EOPNOTSUPP;
    }
}

static bool changes_files(int op)
{
    return (op >= WHELK_FILE_PUT && op <= WHELK_FILE_ATTRIBUTES) || op == WHELK_FILE_APPEND;
}

/* A path without what means nothing: "./a//b/" is "a/b", "." is "". */
static const char *clean_path(const char *path, struct wk_buf *out)
{
    struct wk_str rest = wk_str_c(path), name;
    wk_buf_put_c(out, path[0] == '/' ? "/" : "");
    while ((name = next_name(&rest)).n) {
        if (out->n > 1 || (out->n && path[0] != '/'))
            wk_buf_putc(out, '/');
        wk_buf_puts(out, name);
    }
    return wk_buf_c(out);
}

int wk_inproc_file(void *box, const whelk_file_request *request, const whelk_file_events *events, void *ctx)
{
    struct wk_inproc_box *b = box;
    struct wk_inproc_place at = {NULL, {NULL, 0}, false};
    whelk_file_request r = *request;
    struct wk_buf path;
    uint64_t size = 0;
    if (!r.path || r.op < WHELK_FILE_STAT || r.op > WHELK_FILE_APPEND)
        return r.path ? WHELK_E_UNSUPPORTED : WHELK_E_INVALID;
    wk_buf_init(&path, b->mem, 1 << 20);
    r.path = clean_path(request->path, &path);
    b->depth++;
    b->s->callback_depth++; /* what is told finds the session busy */
    int e = path.failed ? -WK_ENOMEM : wk_inproc_place_find(b, r.path, &at);
    if (!e)
        e = serve(b, &r, &at, events, ctx, &size);
    wk_inproc_place_release(&at);
    if (!e && changes_files(r.op)) {
        wk_inproc_changes_own(b, r.path);
        if (r.op == WHELK_FILE_RENAME)
            wk_inproc_changes_own(b, r.target);
    }
    wk_buf_reset(&b->words);
    if (e)
        wk_buf_fmt(&b->words, "%s: %s", request->path, wk_err_text(e));
    wk_buf_release(&path);
    if (events->done)
        events->done(ctx, e == -WK_EOPNOTSUPP ? WHELK_E_UNSUPPORTED : wk_api_error(e), size, wk_buf_c(&b->words));
    b->s->callback_depth--;
    b->depth--;
    if (!b->depth)
        wk_inproc_sweep(b);
    return WHELK_OK;
}
