/* mirror_view.c - files of a pair in one version: a snapshot's, or the session's as they are */
#include "adapters/mirror/mirror_parts.h"

static const struct wk_cred root = {0};

enum { COMPARE_MOST = 4 << 20 }; /* bytes of chunks that are not shared; beyond, files count as different */

int wk_mirror_path_cmp(struct wk_str a, struct wk_str b)
{
    size_t n = WK_MIN(a.n, b.n), i = 0;
    while (i < n && a.p[i] == b.p[i])
        i++;
    if (i == n)
        return a.n < b.n ? -1 : a.n > b.n;
    if (a.p[i] == '/' || b.p[i] == '/')
        return a.p[i] == '/' ? -1 : 1;
    return (unsigned char)a.p[i] < (unsigned char)b.p[i] ? -1 : 1;
}

bool wk_mirror_is_below(struct wk_str path, struct wk_str dir)
{
    return dir.n == 0 || (wk_str_starts(path, dir) && (path.n == dir.n || path.p[dir.n] == '/'));
}

/* ---- entering -------------------------------------------------------------------------------- */

static bool may_read(const struct wk_mirror_view *v, const struct wk_stat *st)
{
    int want = WK_S_ISDIR(st->mode) ? WK_R_OK | WK_X_OK : WK_R_OK;
    return v->cred->uid == 0 || v->cred->uid == st->uid || wk_stat_allows(st, v->cred, want);
}

int wk_mirror_view_open(struct wk_mirror_view *v, struct wk_vfs *vfs, struct wk_snapshot *s, bool live,
                        struct wk_str dir, const struct wk_cred *cred)
{
    struct wk_stat st;
    *v = (struct wk_mirror_view){.cred = cred, .own = !live};
    if (!live && !s)
        return 0;
    int err = live ? 0 : wk_vfs_view(vfs, s, dir, &v->vfs);
    if (err)
        return err;
    if (live)
        v->vfs = vfs;
    err = wk_vfs_dir(v->vfs, &root, NULL, dir, &v->top);
    if (!err)
        err = wk_vdir_stat(v->top, &root, &st);
    v->dev = err ? 0 : st.dev;
    if (err == -WK_ENOMEM || err == -WK_EMFILE)
        return err;
    if (!err && !may_read(v, &st)) {
        wk_vdir_unref(v->top);
        v->top = NULL;
    }
    return 0;
}

void wk_mirror_view_forget(struct wk_mirror_view *v)
{
    wk_vdir_unref(v->at);
    v->at = NULL;
    v->at_known = false;
}

void wk_mirror_view_close(struct wk_mirror_view *v)
{
    wk_mirror_view_forget(v);
    wk_vdir_unref(v->top);
    if (v->at_path.mem)
        wk_buf_release(&v->at_path);
    if (v->own)
        wk_vfs_free(v->vfs);
    *v = (struct wk_mirror_view){0};
}

static enum wk_mirror_type type_of(const struct wk_mirror_view *v, const struct wk_stat *st)
{
    if (st->dev != v->dev)
        return WK_MIRROR_MOUNT;
    if (WK_S_ISLNK(st->mode))
        return WK_MIRROR_LINK;
    if (!WK_S_ISDIR(st->mode) && !WK_S_ISREG(st->mode))
        return WK_MIRROR_SPECIAL;
    if (!may_read(v, st))
        return WK_MIRROR_HIDDEN;
    return WK_S_ISDIR(st->mode) ? WK_MIRROR_DIR : WK_MIRROR_FILE;
}

static int look_in(struct wk_mirror_view *v, struct wk_vdir *dir, struct wk_str name, struct wk_mirror_file *out)
{
    int err = wk_vfs_stat(v->vfs, &root, dir, name, WK_AT_NOFOLLOW, &out->st);
    out->type = err ? WK_MIRROR_NONE : type_of(v, &out->st);
    return err == -WK_ENOENT || err == -WK_ENOTDIR || err == -WK_ENAMETOOLONG ? 0 : err;
}

/* Goes one name down from v->at. */
static int descend(struct wk_mirror_view *v, struct wk_str name)
{
    struct wk_mirror_file f;
    struct wk_vdir *next = NULL;
    int err = look_in(v, v->at, name, &f);
    if (!err && f.type == WK_MIRROR_DIR)
        err = wk_vfs_dir(v->vfs, &root, v->at, name, &next);
    wk_vdir_unref(v->at);
    v->at = next;
    v->why = f.type == WK_MIRROR_HIDDEN || f.type == WK_MIRROR_MOUNT ? f.type : WK_MIRROR_NONE;
    return err;
}

/* Makes v->at the directory `path`. */
static int enter(struct wk_mirror_view *v, struct wk_str path)
{
    struct wk_str had = wk_buf_str(&v->at_path);
    if (v->at_known && wk_str_eq(had, path))
        return 0;
    bool below = v->at_known && v->at && had.n && wk_mirror_is_below(path, had);
    struct wk_str rest = below ? wk_str_from(path, had.n + 1) : path;
    if (!below) {
        wk_mirror_view_forget(v);
        v->at = wk_vdir_ref(v->top);
        v->why = WK_MIRROR_NONE;
    }
    int err = 0;
    while (!err && v->at && rest.n) {
        ptrdiff_t slash = wk_str_chr(rest, '/');
        struct wk_str name = wk_str_take(rest, slash < 0 ? rest.n : (size_t)slash);
        err = descend(v, name);
        rest = wk_str_from(rest, name.n + 1);
    }
    if (!v->at_path.mem && v->vfs)
        wk_buf_init(&v->at_path, wk_vfs_account(v->vfs), SIZE_MAX / 2);
    wk_buf_reset(&v->at_path);
    wk_buf_puts(&v->at_path, path);
    v->at_known = !err && !v->at_path.failed;
    return err ? err : v->at_path.failed ? -WK_ENOMEM : 0;
}

static struct wk_str last_name(struct wk_str path, struct wk_str *dir)
{
    ptrdiff_t slash = wk_str_rchr(path, '/');
    *dir = wk_str_take(path, slash < 0 ? 0 : (size_t)slash);
    return wk_str_from(path, slash < 0 ? 0 : (size_t)slash + 1);
}

int wk_mirror_parent(struct wk_mirror_view *v, struct wk_str path, struct wk_vdir **dir, struct wk_str *name)
{
    struct wk_str up;
    *name = last_name(path, &up);
    *dir = NULL;
    int err = v->top ? enter(v, up) : 0;
    if (!err && v->top)
        *dir = v->at;
    return err;
}

int wk_mirror_look(struct wk_mirror_view *v, struct wk_str path, struct wk_mirror_file *out)
{
    struct wk_vdir *dir;
    struct wk_str name;
    *out = (struct wk_mirror_file){WK_MIRROR_NONE, {0}};
    if (!v->top)
        return 0;
    if (path.n == 0) {
        out->type = WK_MIRROR_DIR;
        return wk_vdir_stat(v->top, &root, &out->st);
    }
    int err = wk_mirror_parent(v, path, &dir, &name);
    if (err)
        return err;
    if (!dir) {
        out->type = v->why;
        return 0;
    }
    return look_in(v, dir, name, out);
}

int wk_mirror_open(struct wk_mirror_view *v, struct wk_str path, uint32_t flags, struct wk_vfile **out)
{
    struct wk_vdir *dir;
    struct wk_str name;
    int err = wk_mirror_parent(v, path, &dir, &name);
    if (err || !dir)
        return err ? err : -WK_ENOENT;
    return wk_vfs_open(v->vfs, &root, dir, name, flags | WK_O_NOFOLLOW, 0, out);
}

int wk_mirror_list(struct wk_mirror_view *v, struct wk_str path, struct wk_vlist **out)
{
    *out = NULL;
    int err = v->top ? enter(v, path) : 0;
    if (err || !v->top || !v->at)
        return err;
    return wk_vfs_opendir(v->vfs, &root, v->at, WK_STR("."), out);
}

int wk_mirror_target(struct wk_mirror_view *v, struct wk_str path, struct wk_buf *out)
{
    struct wk_vdir *dir;
    struct wk_str name;
    int err = wk_mirror_parent(v, path, &dir, &name);
    if (err || !dir)
        return err ? err : -WK_ENOENT;
    return wk_vfs_readlink(v->vfs, &root, dir, name, out);
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* The next bytes of a file: borrowed where they are in memory, else read into `copy`. */
static int64_t piece(struct wk_vfile *f, uint64_t at, size_t most, struct wk_vpin *pin, const void **p, char *copy)
{
    int64_t n = wk_vfile_borrow(f, (int64_t)at, most, pin, p);
    if (n != -WK_EOPNOTSUPP)
        return n;
    *p = copy;
    return wk_vfile_pread(f, copy, WK_MIN(most, (size_t)4096), (int64_t)at);
}

int wk_mirror_same_bytes(struct wk_vfile *a, struct wk_vfile *b, uint64_t size)
{
    struct wk_vpin pa = {0}, pb = {0};
    char ca[4096], cb[4096];
    uint64_t at = 0, read = 0;
    int same = 1;
    while (same == 1 && at < size) {
        const void *x, *y;
        int64_t n = piece(a, at, SIZE_MAX, &pa, &x, ca);
        int64_t k = n > 0 ? piece(b, at, (size_t)n, &pb, &y, cb) : n;
        if (n < 0 || k < 0)
            same = (int)(n < 0 ? n : k);
        else if (n == 0 || k == 0 || read > COMPARE_MOST)
            same = 0;
        else if (x != y) {
            same = memcmp(x, y, (size_t)k) == 0;
            read += (uint64_t)k;
        }
        at += same == 1 ? (uint64_t)k : 0;
    }
    wk_vpin_drop(&pa);
    wk_vpin_drop(&pb);
    return same;
}

static int same_links(struct wk_mirror_view *a, struct wk_str pa, struct wk_mirror_view *b, struct wk_str pb)
{
    struct wk_buf x, y;
    wk_buf_init(&x, wk_vfs_account(a->vfs), SIZE_MAX / 2);
    wk_buf_init(&y, wk_vfs_account(a->vfs), SIZE_MAX / 2);
    int err = wk_mirror_target(a, pa, &x);
    if (!err)
        err = wk_mirror_target(b, pb, &y);
    int same = err ? err : wk_str_eq(wk_buf_str(&x), wk_buf_str(&y));
    wk_buf_release(&x);
    wk_buf_release(&y);
    return same;
}

int wk_mirror_same(struct wk_mirror_view *a, struct wk_str pa, const struct wk_mirror_file *fa,
                   struct wk_mirror_view *b, struct wk_str pb, const struct wk_mirror_file *fb)
{
    struct wk_vfile *x = NULL, *y = NULL;
    if (fa->type != fb->type)
        return 0;
    if (fa->type == WK_MIRROR_LINK)
        return same_links(a, pa, b, pb);
    if (fa->type != WK_MIRROR_FILE)
        return 1;
    if (fa->st.size != fb->st.size)
        return 0;
    /* Of the host below an overlay. */
    if (!fa->st.birth && !fb->st.birth && fa->st.ino == fb->st.ino && fa->st.mtim == fb->st.mtim &&
        fa->st.ctim == fb->st.ctim)
        return 1;
    int same = wk_mirror_open(a, pa, WK_O_RDONLY, &x);
    if (!same)
        same = wk_mirror_open(b, pb, WK_O_RDONLY, &y);
    if (!same)
        same = wk_mirror_same_bytes(x, y, fa->st.size);
    wk_vfile_unref(x);
    wk_vfile_unref(y);
    return same;
}
