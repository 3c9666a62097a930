/* files.c - a session's files for the host: read, write, list, stat, remove */
#include "api/internal.h"

#include <stdlib.h>

/* Relative paths start at the shell's working directory. */
static struct wk_vdir *base_dir(whelk_session *s)
{
    return s->proc ? s->proc->cwd : NULL;
}

static const struct wk_cred *who(whelk_session *s)
{
    return s->proc ? &s->proc->cred : &s->kern.init->cred;
}

/* Make the missing directories of everything before the last slash. */
static int make_parents(whelk_session *s, const char *path, bool whole)
{
    struct wk_str p = wk_str_c(path);
    for (size_t i = 1; i <= p.n; i++) {
        if (i < p.n ? p.p[i] != '/' : !whole)
            continue;
        int r = wk_vfs_mkdir(s->vfs, who(s), base_dir(s), wk_str_take(p, i), 0777);
        if (r && r != -WK_EEXIST && r != -WK_EISDIR && r != -WK_EACCES && r != -WK_EROFS &&
            r != -WK_EPERM)
            return r;
    }
    return 0;
}

int whelk_read_file(whelk_session *s, const char *path, char **data, size_t *len)
{
    if (!s || !path || !data || !len)
        return WHELK_E_INVALID;
    *data = NULL;
    *len = 0;
    struct wk_vfile *f;
    int r = wk_vfs_open(s->vfs, who(s), base_dir(s), wk_str_c(path), WK_O_RDONLY, 0, &f);
    if (r)
        return wk_api_fail(s, path, r);
    if (wk_vfile_kind(f) != WK_S_IFREG) {
        r = wk_vfile_kind(f) == WK_S_IFDIR ? -WK_EISDIR : -WK_EINVAL;
        wk_vfile_unref(f);
        return wk_api_fail(s, path, r);
    }
    /* The size is a hint: files of /proc say 0, those of a host may grow. */
    uint64_t size = wk_vfile_size(f);
    size_t n = 0, cap = size < SIZE_MAX / 4 ? (size_t)size + 2 : 0;
    char *p = cap ? malloc(cap) : NULL;
    while (p) {
        if (n + 1 == cap) {
            char *more = cap < SIZE_MAX / 4 ? realloc(p, cap = cap * 2 + 4096) : NULL;
            if (!more)
                free(p);
            p = more;
            continue;
        }
        int64_t got = wk_vfile_pread(f, p + n, cap - 1 - n, (int64_t)n);
        if (got < 0)
            r = (int)got;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    wk_vfile_unref(f);
    if (!p)
        return WHELK_E_NOMEM;
    if (r) {
        free(p);
        return wk_api_fail(s, path, r);
    }
    p[n] = '\0';
    *data = p;
    *len = n;
    return WHELK_OK;
}

static int put_file(whelk_session *s, const char *path, const void *data, size_t len,
                    uint32_t flags, uint32_t mode)
{
    if (!s || !path || (!data && len))
        return WHELK_E_INVALID;
    struct wk_vfile *f;
    uint32_t create = mode ? mode & 07777 : 0644;
    int r = wk_vfs_open(s->vfs, who(s), base_dir(s), wk_str_c(path), flags, create, &f);
    if (r == -WK_ENOENT) {
        r = make_parents(s, path, false);
        if (!r)
            r = wk_vfs_open(s->vfs, who(s), base_dir(s), wk_str_c(path), flags, create, &f);
    }
    if (r)
        return wk_api_fail(s, path, r);
    int64_t end = 0;
    int64_t n = len == 0              ? 0
                : flags & WK_O_APPEND ? wk_vfile_append(f, data, len, &end)
                                      : wk_vfile_pwrite(f, data, len, 0);
    if (n < 0)
        r = (int)n;
    else if ((size_t)n < len)
        r = -WK_ENOSPC;
    if (!r && mode)
        r = wk_vfile_chmod(f, who(s), mode & 07777);
    wk_vfile_unref(f);
    return r ? wk_api_fail(s, path, r) : WHELK_OK;
}

int whelk_write_file(whelk_session *s, const char *path, const void *data, size_t len,
                     uint32_t mode)
{
    return put_file(s, path, data, len, WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, mode);
}

int whelk_append_file(whelk_session *s, const char *path, const void *data, size_t len)
{
    return put_file(s, path, data, len, WK_O_WRONLY | WK_O_CREAT | WK_O_APPEND, 0);
}

static void fill_stat(whelk_stat *out, const struct wk_stat *st)
{
    size_t size = out->size;
    whelk_stat w = {.size = size,
                    .ino = st->ino,
                    .mode = st->mode,
                    .nlink = st->nlink,
                    .uid = st->uid,
                    .gid = st->gid,
                    .bytes = st->size,
                    .atime_ns = st->atim,
                    .mtime_ns = st->mtim,
                    .ctime_ns = st->ctim};
    memcpy(out, &w, WK_MIN(size, sizeof w));
}

int whelk_stat_file(whelk_session *s, const char *path, int follow, whelk_stat *out)
{
    if (!s || !path || !out || out->size < sizeof(size_t))
        return WHELK_E_INVALID;
    struct wk_stat st;
    int r =
        wk_vfs_stat(s->vfs, who(s), base_dir(s), wk_str_c(path), follow ? 0 : WK_AT_NOFOLLOW, &st);
    if (r)
        return wk_api_fail(s, path, r);
    fill_stat(out, &st);
    return WHELK_OK;
}

int whelk_list_dir(whelk_session *s, const char *path,
                   int (*visit)(void *ctx, const char *name, const whelk_stat *st), void *ctx)
{
    if (!s || !path || !visit)
        return WHELK_E_INVALID;
    struct wk_vlist *l;
    int r = wk_vfs_opendir(s->vfs, who(s), base_dir(s), wk_str_c(path), &l);
    if (r)
        return wk_api_fail(s, path, r);
    struct wk_dirent e;
    int answer = 0;
    s->callback_depth++;
    while (!answer && (r = wk_vlist_next(l, &e)) == 1) {
        struct wk_stat st;
        whelk_stat out = {.size = sizeof out};
        if (wk_vfs_stat(s->vfs, who(s), wk_vlist_dir(l), e.name, WK_AT_NOFOLLOW, &st) == 0)
            fill_stat(&out, &st);
        answer = visit(ctx, e.name.p, &out);
    }
    wk_vlist_close(l);
    if (r < 0)
        answer = wk_api_fail(s, path, r);
    wk_api_leave(s);
    return answer;
}

int whelk_make_dir(whelk_session *s, const char *path, int parents, uint32_t mode)
{
    if (!s || !path)
        return WHELK_E_INVALID;
    int r = parents ? make_parents(s, path, false) : 0;
    if (!r)
        r = wk_vfs_mkdir(s->vfs, who(s), base_dir(s), wk_str_c(path), mode ? mode & 07777 : 0777);
    if (r == -WK_EEXIST && parents) {
        struct wk_stat st;
        r = wk_vfs_stat(s->vfs, who(s), base_dir(s), wk_str_c(path), 0, &st);
        if (!r && !WK_S_ISDIR(st.mode))
            r = -WK_EEXIST;
    }
    return r ? wk_api_fail(s, path, r) : WHELK_OK;
}

/* Depth-first without recursion: one path buffer; a directory is listed again after each of its
 * sub-directories is gone, so no list stays open below another. */
int wk_api_remove_tree(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *dir, struct wk_buf *path)
{
    size_t top = path->n;
    for (;;) {
        struct wk_vlist *l;
        int r = wk_vfs_opendir(vfs, cred, dir, wk_buf_str(path), &l);
        if (r)
            return r;
        struct wk_dirent e;
        bool descended = false;
        while (!descended && (r = wk_vlist_next(l, &e)) == 1) {
            size_t mark = path->n;
            wk_buf_putc(path, '/');
            if (!wk_buf_puts(path, e.name)) {
                r = -WK_ENOMEM;
                break;
            }
            r = wk_vfs_unlink(vfs, cred, dir, wk_buf_str(path));
            if (r == -WK_EISDIR || (r && e.type == WK_S_IFDIR)) {
                r = wk_vfs_rmdir(vfs, cred, dir, wk_buf_str(path));
                if (r == -WK_ENOTEMPTY) {
                    descended = true;
                    r = 0;
                    break;
                }
            }
            if (r)
                break;
            path->n = mark;
            path->p[mark] = '\0';
        }
        wk_vlist_close(l);
        if (r < 0)
            return r;
        if (descended)
            continue;
        r = wk_vfs_rmdir(vfs, cred, dir, wk_buf_str(path));
        if (r || path->n == top)
            return r;
        ptrdiff_t slash = wk_str_rchr(wk_buf_str(path), '/');
        path->n = slash < (ptrdiff_t)top ? top : (size_t)slash;
        path->p[path->n] = '\0';
    }
}

int whelk_remove(whelk_session *s, const char *path, int recursive)
{
    if (!s || !path)
        return WHELK_E_INVALID;
    int r = wk_vfs_unlink(s->vfs, who(s), base_dir(s), wk_str_c(path));
    if (r == -WK_EISDIR || r == -WK_EPERM)
        r = wk_vfs_rmdir(s->vfs, who(s), base_dir(s), wk_str_c(path));
    if (r == -WK_ENOTEMPTY && recursive) {
        struct wk_buf b;
        wk_buf_init(&b, s->mem, 1 << 20);
        wk_buf_put_c(&b, path);
        r = b.failed ? -WK_ENOMEM : wk_api_remove_tree(s->vfs, who(s), base_dir(s), &b);
        wk_buf_release(&b);
    }
    return r ? wk_api_fail(s, path, r) : WHELK_OK;
}

int whelk_rename(whelk_session *s, const char *from, const char *to)
{
    if (!s || !from || !to)
        return WHELK_E_INVALID;
    int r =
        wk_vfs_rename(s->vfs, who(s), base_dir(s), wk_str_c(from), base_dir(s), wk_str_c(to), 0);
    return r ? wk_api_fail(s, from, r) : WHELK_OK;
}

int whelk_symlink(whelk_session *s, const char *target, const char *path)
{
    if (!s || !target || !path)
        return WHELK_E_INVALID;
    int r = wk_vfs_symlink(s->vfs, who(s), base_dir(s), wk_str_c(target), wk_str_c(path));
    return r ? wk_api_fail(s, path, r) : WHELK_OK;
}
