/* fsops.c - file operations for commands, relative to a directory handle */
#define _GNU_SOURCE /* memrchr */
#include "builtins/fsops.h"

#include "kern/vfsfile.h"

/* A foreign mount was not ready: let its host work, then the call is made again in whole. */
static bool again(struct wk_cmd *c, int r)
{
    if (r != -WK_EAGAIN)
        return false;
    wk_cmd_sleep(c, 1000000);
    return true;
}

#define RETRIED(call)        \
    int r;                   \
    do                       \
        r = (call);          \
    while (again(c, r));     \
    return r < 0 ? -r : 0

#define VFS(c) (c)->k->vfs, &(c)->proc->cred

static struct wk_vdir *base_of(const struct wk_cmd *c, struct wk_vdir *dir)
{
    return dir ? dir : c->proc->cwd;
}

int wk_at_stat(struct wk_cmd *c, struct wk_vdir *dir, const char *path, bool follow,
               struct wk_stat *st)
{
    RETRIED(wk_vfs_stat(VFS(c), base_of(c, dir), wk_str_c(path), follow ? 0 : WK_AT_NOFOLLOW, st));
}

int wk_at_access(struct wk_cmd *c, struct wk_vdir *dir, const char *path, int want)
{
    RETRIED(wk_vfs_access(VFS(c), base_of(c, dir), wk_str_c(path), 0, want));
}

int wk_at_mkdir(struct wk_cmd *c, struct wk_vdir *dir, const char *path, uint32_t mode)
{
    RETRIED(wk_vfs_mkdir(VFS(c), base_of(c, dir), wk_str_c(path), mode));
}

int wk_at_rmdir(struct wk_cmd *c, struct wk_vdir *dir, const char *path)
{
    RETRIED(wk_vfs_rmdir(VFS(c), base_of(c, dir), wk_str_c(path)));
}

int wk_at_unlink(struct wk_cmd *c, struct wk_vdir *dir, const char *path)
{
    RETRIED(wk_vfs_unlink(VFS(c), base_of(c, dir), wk_str_c(path)));
}

int wk_at_rename(struct wk_cmd *c, struct wk_vdir *from_dir, const char *from,
                 struct wk_vdir *to_dir, const char *to, int at_flags)
{
    RETRIED(wk_vfs_rename(VFS(c), base_of(c, from_dir), wk_str_c(from), base_of(c, to_dir),
                          wk_str_c(to), at_flags));
}

int wk_at_link(struct wk_cmd *c, struct wk_vdir *from_dir, const char *from, struct wk_vdir *to_dir,
               const char *to, int at_flags)
{
    RETRIED(wk_vfs_link(VFS(c), base_of(c, from_dir), wk_str_c(from), base_of(c, to_dir),
                        wk_str_c(to), at_flags));
}

int wk_at_symlink(struct wk_cmd *c, struct wk_vdir *dir, const char *target, const char *path)
{
    RETRIED(wk_vfs_symlink(VFS(c), base_of(c, dir), wk_str_c(target), wk_str_c(path)));
}

int wk_at_mknod(struct wk_cmd *c, struct wk_vdir *dir, const char *path, uint32_t mode,
                uint64_t rdev)
{
    RETRIED(wk_vfs_mknod(VFS(c), base_of(c, dir), wk_str_c(path), mode, rdev));
}

int wk_at_chmod(struct wk_cmd *c, struct wk_vdir *dir, const char *path, bool follow, uint32_t mode)
{
    RETRIED(wk_vfs_chmod(VFS(c), base_of(c, dir), wk_str_c(path), follow ? 0 : WK_AT_NOFOLLOW, mode));
}

int wk_at_chown(struct wk_cmd *c, struct wk_vdir *dir, const char *path, bool follow, uint32_t uid,
                uint32_t gid)
{
    RETRIED(wk_vfs_chown(VFS(c), base_of(c, dir), wk_str_c(path), follow ? 0 : WK_AT_NOFOLLOW, uid,
                         gid));
}

int wk_at_utimens(struct wk_cmd *c, struct wk_vdir *dir, const char *path, bool follow, int64_t atim,
                  int64_t mtim)
{
    RETRIED(wk_vfs_utimens(VFS(c), base_of(c, dir), wk_str_c(path), follow ? 0 : WK_AT_NOFOLLOW,
                           atim, mtim));
}

int wk_file_utimens(struct wk_cmd *c, struct wk_file *f, int64_t atim, int64_t mtim)
{
    struct wk_vfile *v = wk_file_vfile(f);
    if (!v)
        return 0;
    RETRIED(wk_vfile_utimens(v, &c->proc->cred, atim, mtim));
}

int wk_at_open(struct wk_cmd *c, struct wk_vdir *dir, const char *path, uint32_t flags, uint32_t mode,
               struct wk_vfile **out)
{
    RETRIED(wk_vfs_open(VFS(c), base_of(c, dir), wk_str_c(path), flags, mode, out));
}

int wk_at_list(struct wk_cmd *c, struct wk_vdir *dir, const char *path, struct wk_vlist **out)
{
    RETRIED(wk_vfs_opendir(VFS(c), base_of(c, dir), wk_str_c(path), out));
}

/* Texts come in a buffer of the account, which must not be held where the process may be dropped: it
 * is copied to the heap and released before anything else. */
static int text_out(struct wk_cmd *c, struct wk_buf *b, int r, char **out)
{
    if (r >= 0 && b->failed)
        r = -WK_ENOMEM;
    if (r < 0) {
        wk_buf_release(b);
        return -r;
    }
    char *copy = (char *)wk_heap_try(c->heap, b->n + 1);
    if (!copy) {
        wk_buf_release(b);
        wk_heap_exhausted(c->heap);
    }
    memcpy(copy, wk_buf_c(b), b->n + 1);
    wk_buf_release(b);
    *out = copy;
    return 0;
}

int wk_at_readlink(struct wk_cmd *c, struct wk_vdir *dir, const char *path, char **out)
{
    struct wk_buf b;
    for (;;) {
        wk_buf_init(&b, c->k->mem, 1 << 20);
        int r = wk_vfs_readlink(VFS(c), base_of(c, dir), wk_str_c(path), &b);
        if (r != -WK_EAGAIN)
            return text_out(c, &b, r, out);
        wk_buf_release(&b);
        again(c, r);
    }
}

int wk_at_realpath(struct wk_cmd *c, const char *path, enum wk_realpath how, char **out)
{
    struct wk_buf b;
    for (;;) {
        wk_buf_init(&b, c->k->mem, 1 << 20);
        int r = wk_vfs_realpath(VFS(c), c->proc->cwd, wk_str_c(path), how, &b);
        if (r != -WK_EAGAIN)
            return text_out(c, &b, r, out);
        wk_buf_release(&b);
        again(c, r);
    }
}

int wk_at_cwd(struct wk_cmd *c, char **out)
{
    struct wk_buf b;
    wk_buf_init(&b, c->k->mem, 1 << 20);
    int r = 0;
    if (c->proc->cwd)
        r = wk_vdir_path(c->proc->cwd, &b);
    else
        wk_buf_putc(&b, '/');
    return text_out(c, &b, r, out);
}

const char *wk_last_component(const char *path, size_t *n)
{
    const char *base = path;
    while (*base == '/')
        base++;
    const char *end = base + strlen(base);
    while (end > base && end[-1] == '/')
        end--;
    const char *start = end;
    while (start > base && start[-1] != '/')
        start--;
    *n = (size_t)(end - start);
    return start;
}

void wk_strip_slashes(char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        path[--n] = '\0';
}

const char *wk_file_type_words(const struct wk_stat *st)
{
    switch (st->mode & WK_S_IFMT) {
    case WK_S_IFREG:
        return st->size == 0 ? "regular empty file" : "regular file";
    case WK_S_IFDIR:
        return "directory";
    case WK_S_IFLNK:
        return "symbolic link";
    case WK_S_IFIFO:
        return "fifo";
    case WK_S_IFCHR:
        return "character special file";
    case WK_S_IFBLK:
        return "block special file";
    case WK_S_IFSOCK:
        return "socket";
    default:
        return "weird file";
    }
}

static char type_letter(uint32_t mode)
{
    switch (mode & WK_S_IFMT) {
    case WK_S_IFREG:
        return '-';
    case WK_S_IFDIR:
        return 'd';
    case WK_S_IFLNK:
        return 'l';
    case WK_S_IFIFO:
        return 'p';
    case WK_S_IFCHR:
        return 'c';
    case WK_S_IFBLK:
        return 'b';
    case WK_S_IFSOCK:
        return 's';
    default:
        return '?';
    }
}

void wk_mode_text(uint32_t mode, char out[11])
{
    static const char letters[] = "rwxrwxrwx";
    out[0] = type_letter(mode);
    for (unsigned i = 0; i < 9; i++)
        out[i + 1] = mode & (0400u >> i) ? letters[i] : '-';
    if (mode & WK_S_ISUID)
        out[3] = mode & 0100 ? 's' : 'S';
    if (mode & WK_S_ISGID)
        out[6] = mode & 010 ? 's' : 'S';
    if (mode & WK_S_ISVTX)
        out[9] = mode & 01 ? 't' : 'T';
    out[10] = '\0';
}

bool wk_ask(struct wk_cmd *c)
{
    struct wk_str line;
    (void)wk_out_flush(c->err);
    if (!wk_line_next(c->in, '\n', &line))
        return false;
    return line.n > 0 && (line.p[0] | 0x20) == 'y';
}

int wk_raw_open(struct wk_cmd *c, const char *path, bool dash, struct wk_in **out)
{
    if (dash && strcmp(path, "-") == 0) {
        if (!c->in || !c->in->file)
            return WK_EBADF;
        *out = c->in;
        return 0;
    }
    struct wk_file *f;
    int err = wk_cmd_open(c, path, WK_O_RDONLY, 0, &f);
    if (err)
        return err;
    *out = wk_in_of(c, f, path);
    (*out)->owned = true;
    return 0;
}

size_t wk_raw_next(struct wk_cmd *c, struct wk_in *in, const char **p, int *err)
{
    ptrdiff_t r;
    do
        r = wk_file_peek(c->task, in->file, 65536, p);
    while (r == -WK_EINTR);
    *err = r < 0 ? (int)-r : 0;
    return r < 0 ? 0 : (size_t)r;
}

void wk_pass_flush(struct wk_cmd *c, uint64_t total)
{
    enum { STDIO_BLOCK = 4096 };
    int err = wk_out_flush(c->out);
    if (!err || (err != WK_EPIPE && total <= STDIO_BLOCK))
        return;
    if (err != WK_EPIPE) {
        c->out->err = 0; /* not said again */
        wk_fail(c, 1, "error writing 'standard output': %s", wk_err_text(err));
    }
    wk_exit(c, 1);
}

void wk_out_may_be_closed(struct wk_cmd *c)
{
    if (wk_out_flush(c->out) == WK_EBADF)
        c->out->err = 0;
}

void wk_raw_pass(struct wk_cmd *c, struct wk_in *in, const char *p, size_t n)
{
    if (in->file->refs == 1) {
        wk_out_put(c->out, p, n); /* copies before it parks */
        wk_file_skip(in->file, n);
        return;
    }
    if (in->buf_cap < n) {
        char *bigger = (char *)wk_heap_alloc(c->heap, n < 65536 ? 65536 : n);
        wk_heap_free(c->heap, in->buf);
        in->buf = bigger;
        in->buf_cap = n < 65536 ? 65536 : n;
    }
    memcpy(in->buf, p, n);
    wk_file_skip(in->file, n);
    wk_out_put(c->out, in->buf, n);
}

void wk_fifo_put(struct wk_cmd *c, struct wk_fifo_buf *b, const char *p, size_t n)
{
    if (b->head > b->n) { /* more than half is dead: moving costs less than what was taken */
        memmove(b->p, b->p + b->head, b->n);
        b->head = 0;
    }
    if (n > b->cap - b->head - b->n) {
        size_t cap = b->cap < 4096 ? 4096 : b->cap;
        if (n > SIZE_MAX / 4 - b->head - b->n)
            wk_heap_exhausted(c->heap);
        while (cap - b->head - b->n < n)
            cap *= 2;
        b->p = (char *)wk_heap_realloc(c->heap, b->p, cap);
        b->cap = cap;
    }
    if (n)
        memcpy(b->p + b->head + b->n, p, n);
    b->n += n;
}

size_t wk_last_lines(struct wk_cmd *c, const char *p, size_t n, uint64_t count, char eol)
{
    size_t at = n;
    if (!count)
        return n;
    if (at && p[at - 1] == eol)
        at--;
    for (; count; count--) {
        const char *nl = at ? (const char *)memrchr(p, eol, at) : NULL;
        if (!nl)
            return 0;
        at = (size_t)(nl - p);
        if (count % 256 == 0)
            wk_tick(c, 64);
    }
    return at + 1;
}

int wk_cmd_chdir(struct wk_cmd *c, const char *path)
{
    struct wk_vdir *dir;
    int r;
    do
        r = wk_vfs_dir(VFS(c), c->proc->cwd, wk_str_c(path), &dir);
    while (again(c, r));
    if (r < 0)
        return -r;
    struct wk_vdir *old = c->proc->cwd;
    c->proc->cwd = dir;
    wk_vdir_unref(old);
    return 0;
}
