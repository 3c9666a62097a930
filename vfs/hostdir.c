/* hostdir.c - a directory of the host and what lies below it */
#define _GNU_SOURCE /* O_PATH, AT_EMPTY_PATH, renameat2, pwritev2, syscall */
#include "vfs/hostdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* RENAME_NOREPLACE */
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The kernel's struct open_how; the headers of older systems lack it. */
struct how {
    uint64_t flags, mode, resolve;
};

enum { NO_MAGICLINKS = 0x02, NO_SYMLINKS = 0x04, BENEATH = 0x08, AGAIN_TRIES = 64 };

/* WK_Exxx are Linux's numbers. */
static WK_NOINLINE int failed(void)
{
    return errno > 0 && errno < 134 ? -errno : -WK_EIO;
}

/* openat2 says EAGAIN when a rename somewhere raced with it: tried again. */
static WK_NOINLINE int open_beneath(int dir, const char *path, int flags)
{
#ifdef SYS_openat2
    struct how how = {.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
                      .resolve = BENEATH | NO_SYMLINKS | NO_MAGICLINKS};
    for (int i = 0; i < AGAIN_TRIES; i++) {
        long fd = syscall(SYS_openat2, dir, *path ? path : ".", &how, sizeof how);
        if (fd >= 0)
            return (int)fd;
        if (errno != EAGAIN && errno != EINTR)
            return failed();
    }
    return -WK_EIO;
#else
    (void)dir, (void)path, (void)flags;
    return -WK_ENOSYS;
#endif
}

/* Name by name; no name is a link, so nothing can lead out. */
static WK_NOINLINE int open_walk(int dir, const char *path, int flags)
{
    char name[256];
    int at = dir;
    for (;;) {
        const char *slash = strchr(path, '/');
        size_t n = slash ? (size_t)(slash - path) : strlen(path);
        int want =
            slash ? O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC : flags | O_NOFOLLOW | O_CLOEXEC;
        int fd = -WK_ENAMETOOLONG;
        if (n < sizeof name) {
            memcpy(name, path, n);
            name[n] = '\0';
            fd = openat(at, n ? name : ".", want);
            if (fd < 0)
                fd = failed();
        }
        if (at != dir)
            close(at);
        if (fd < 0 || !slash)
            return fd;
        at = fd;
        path = slash + 1;
    }
}

static int open_path(const struct wk_hostdir *h, const char *path, int flags)
{
    return h->openat2 ? open_beneath(h->fd, path, flags) : open_walk(h->fd, path, flags);
}

static int open_dir(const struct wk_hostdir *h, const char *path)
{
    return open_path(h, path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
}

int wk_hostdir_init(struct wk_hostdir *h, const char *path, const struct wk_host_options *options)
{
    *h = (struct wk_hostdir){.fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)};
    if (h->fd < 0)
        return failed();
    if (options)
        h->options = *options;
    int probe = h->options.no_openat2 ? -WK_ENOSYS : open_beneath(h->fd, "", O_PATH | O_DIRECTORY);
    h->openat2 = probe >= 0;
    if (probe >= 0)
        close(probe);
    return 0;
}

int wk_hostdir_dup(struct wk_hostdir *h, const struct wk_hostdir *of)
{
    *h = *of;
    h->fd = fcntl(of->fd, F_DUPFD_CLOEXEC, 3);
    return h->fd < 0 ? failed() : 0;
}

void wk_hostdir_release(struct wk_hostdir *h)
{
    if (h->fd >= 0)
        close(h->fd);
    h->fd = -1;
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* A time that does not fit becomes the nearest one that is no WK_TIME_… . */
static int64_t nanoseconds(struct timespec t)
{
    int64_t ns;
    if (__builtin_mul_overflow((int64_t)t.tv_sec, INT64_C(1000000000), &ns) ||
        __builtin_add_overflow(ns, (int64_t)t.tv_nsec, &ns) || ns >= WK_TIME_OMIT)
        return t.tv_sec < 0 ? INT64_MIN : WK_TIME_OMIT - 1;
    return ns;
}

static struct timespec timespec_of(int64_t ns)
{
    int64_t s = ns / 1000000000, rest = ns % 1000000000;
    if (rest < 0) {
        s--;
        rest += 1000000000;
    }
    return (struct timespec){.tv_sec = (time_t)s, .tv_nsec = (long)rest};
}

int wk_hostdir_fstat(const struct wk_hostdir *h, int fd, struct wk_stat *st)
{
    struct stat s;
    if (fstat(fd, &s) != 0)
        return failed();
    const struct wk_host_options *o = &h->options;
    *st = (struct wk_stat){
        .ino = s.st_ino,
        .mode = s.st_mode,
        .nlink = (uint32_t)s.st_nlink,
        .uid = o->show_owner ? s.st_uid : o->uid,
        .gid = o->show_owner ? s.st_gid : o->gid,
        .size = (uint64_t)s.st_size,
        .blocks = (uint64_t)s.st_blocks,
        .blksize = (uint32_t)s.st_blksize,
        .atim = nanoseconds(s.st_atim),
        .mtim = nanoseconds(s.st_mtim),
        .ctim = nanoseconds(s.st_ctim),
        .btim = nanoseconds(s.st_ctim),
    };
    return 0;
}

int wk_hostdir_stat(const struct wk_hostdir *h, const char *path, struct wk_stat *st)
{
    int fd = open_path(h, path, O_PATH | O_NOFOLLOW);
    if (fd < 0)
        return fd;
    int err = wk_hostdir_fstat(h, fd, st);
    close(fd);
    return err;
}

int wk_hostdir_readlink(const struct wk_hostdir *h, const char *path, struct wk_buf *out)
{
    int fd = open_path(h, path, O_PATH | O_NOFOLLOW);
    if (fd < 0)
        return fd;
    struct stat s;
    int err = fstat(fd, &s) ? failed() : S_ISLNK(s.st_mode) ? 0 : -WK_EINVAL;
    size_t want = err ? 0 : (size_t)s.st_size;
    if (!err && !wk_buf_room(out, want + 1))
        err = -WK_ENOMEM;
    if (!err) {
        ssize_t n = readlinkat(fd, "", out->p + out->n, want + 1);
        err = n < 0 ? failed() : (size_t)n > want ? -WK_EIO : 0;
        if (!err)
            out->n += (size_t)n;
        out->p[out->n] = '\0';
    }
    close(fd);
    return err;
}

static uint32_t allowed_mode(const struct wk_hostdir *h, uint32_t mode)
{
    return mode & 0777 & ~h->options.umask_create;
}

static int set_owner(const struct wk_hostdir *h, int fd, const struct wk_fs_setattr *a)
{
    bool uid = a->what & WK_SET_UID, gid = a->what & WK_SET_GID;
    if (!uid && !gid)
        return 0;
    if (!h->options.show_owner)
        return (uid && a->uid != h->options.uid) || (gid && a->gid != h->options.gid) ? -WK_EPERM
                                                                                      : 0;
    int r = fchownat(fd, "", uid ? a->uid : (uid_t)-1, gid ? a->gid : (gid_t)-1, AT_EMPTY_PATH);
    return r ? failed() : 0;
}

/* fd is open for reading or writing, or (by_path) a mere O_PATH one. */
static int set_mode(const struct wk_hostdir *h, int fd, bool by_path, const struct wk_fs_setattr *a)
{
    if (!(a->what & WK_SET_MODE))
        return 0;
    uint32_t mode = allowed_mode(h, a->mode);
    if (!by_path)
        return fchmod(fd, mode) ? failed() : 0;
    /* The link under /proc leads to this very file, whatever its name means by now. */
    char link[40] = "/proc/self/fd/", digits[12];
    size_t n = sizeof digits - 1, at = strlen(link);
    digits[n] = '\0';
    do
        digits[--n] = (char)('0' + fd % 10);
    while ((fd /= 10) > 0);
    memcpy(link + at, digits + n, sizeof digits - n);
    return chmod(link, mode) ? failed() : 0;
}

static void fill_times(const struct wk_fs_setattr *a, struct timespec t[2])
{
    t[0] = a->what & WK_SET_ATIM ? timespec_of(a->atim) : (struct timespec){.tv_nsec = UTIME_OMIT};
    t[1] = a->what & WK_SET_MTIM ? timespec_of(a->mtim) : (struct timespec){.tv_nsec = UTIME_OMIT};
}

/* Beyond the host's own limit on the size of files the kernel would end the host by SIGXFSZ. */
static uint64_t size_limit(void)
{
    struct rlimit r;
    return getrlimit(RLIMIT_FSIZE, &r) || r.rlim_cur == RLIM_INFINITY ? UINT64_MAX : r.rlim_cur;
}

static int resize(int fd, int64_t size)
{
    if (size > 0 && (uint64_t)size > size_limit())
        return -WK_EFBIG;
    return ftruncate(fd, size) ? failed() : 0;
}

int wk_hostdir_fsetattr(const struct wk_hostdir *h, int fd, const struct wk_fs_setattr *a)
{
    int err = a->what & WK_SET_SIZE ? resize(fd, a->size) : 0;
    if (!err)
        err = set_owner(h, fd, a);
    if (!err)
        err = set_mode(h, fd, false, a);
    if (!err && (a->what & (WK_SET_ATIM | WK_SET_MTIM))) {
        struct timespec t[2];
        fill_times(a, t);
        err = futimens(fd, t) ? failed() : 0;
    }
    return err;
}

int wk_hostdir_setattr(const struct wk_hostdir *h, const char *dir, const char *name,
                       const struct wk_fs_setattr *a)
{
    struct stat s;
    int at = open_dir(h, dir);
    if (at < 0)
        return at;
    int fd = openat(at, *name ? name : ".", O_PATH | O_NOFOLLOW | O_CLOEXEC);
    int err = fd < 0 || fstat(fd, &s) ? failed() : 0;
    if (!err && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode) && !S_ISLNK(s.st_mode))
        err = -WK_EPERM;
    if (!err && (a->what & WK_SET_SIZE)) {
        int w = openat(at, name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
        err = w < 0 || fstat(w, &s) || !S_ISREG(s.st_mode) ? failed() : resize(w, a->size);
        if (w >= 0)
            close(w);
    }
    if (!err)
        err = set_owner(h, fd, a);
    if (!err)
        err = set_mode(h, fd, true, a);
    if (!err && (a->what & (WK_SET_ATIM | WK_SET_MTIM))) {
        struct timespec t[2];
        fill_times(a, t);
        err = utimensat(at, *name ? name : ".", t, AT_SYMLINK_NOFOLLOW) ? failed() : 0;
    }
    if (fd >= 0)
        close(fd);
    close(at);
    return err;
}

int wk_hostdir_statfs(const struct wk_hostdir *h, struct wk_statfs *out)
{
    struct statvfs s;
    if (fstatvfs(h->fd, &s) != 0)
        return failed();
    out->block_size = s.f_frsize;
    out->blocks = s.f_blocks;
    out->blocks_free = s.f_bavail;
    out->inodes = s.f_files;
    out->inodes_free = s.f_favail;
    return 0;
}

/* ---- contents -------------------------------------------------------------------------------- */

int wk_hostdir_open(const struct wk_hostdir *h, const char *path, uint32_t flags)
{
    struct stat s;
    uint32_t acc = flags & WK_O_ACCMODE;
    int mode = acc == WK_O_RDONLY ? O_RDONLY : acc == WK_O_WRONLY ? O_WRONLY : O_RDWR;
    int fd = open_path(h, path, mode | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    if (fd < 0)
        return fd;
    int err = fstat(fd, &s) ? failed() : S_ISREG(s.st_mode) ? 0 : -WK_ENXIO;
    bool cuts = (flags & WK_O_TRUNC) && (s.st_size > 0 || acc != WK_O_RDONLY); /* an empty file gets a new time */
    if (!err && cuts && ftruncate(fd, 0) != 0)
        err = failed();
    if (err) {
        close(fd);
        return err;
    }
    return fd;
}

void wk_hostdir_close(int fd)
{
    close(fd);
}

int64_t wk_hostdir_pread(int fd, void *dst, size_t n, int64_t off)
{
    ssize_t got;
    do
        got = pread(fd, dst, WK_MIN(n, (size_t)1 << 30), off);
    while (got < 0 && errno == EINTR);
    return got < 0 ? failed() : got;
}

static ssize_t append_once(int fd, const void *src, size_t n)
{
    struct stat s;
#ifdef RWF_APPEND
    union {
        const void *c;
        void *p;
    } u = {.c = src};
    struct iovec v = {.iov_base = u.p, .iov_len = n};
    ssize_t done = pwritev2(fd, &v, 1, 0, RWF_APPEND);
    if (done >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS))
        return done;
#endif
    return fstat(fd, &s) ? -1 : pwrite(fd, src, n, s.st_size);
}

int64_t wk_hostdir_pwrite(int fd, const void *src, size_t n, int64_t off, int64_t *end)
{
    ssize_t done;
    struct stat s;
    uint64_t limit = size_limit();
    n = WK_MIN(n, (size_t)1 << 30);
    if (limit != UINT64_MAX && n) {
        if (off < 0 && fstat(fd, &s))
            return failed();
        uint64_t at = (uint64_t)(off < 0 ? s.st_size : off);
        if (at >= limit)
            return -WK_EFBIG;
        n = WK_MIN(n, limit - at);
    }
    do
        done = off < 0 ? append_once(fd, src, n) : pwrite(fd, src, n, off);
    while (done < 0 && errno == EINTR);
    if (done < 0)
        return failed();
    *end = off >= 0 ? off + done : fstat(fd, &s) == 0 ? s.st_size : 0;
    return done;
}

/* ---- names ----------------------------------------------------------------------------------- */

struct entry64 { /* the kernel's struct linux_dirent64 */
    uint64_t ino;
    int64_t off;
    uint16_t len;
    uint8_t type;
    char name[];
};

enum { LIST_BUFFER = 32 * 1024 };

static int put_entries(const char *buf, size_t n,
                       int (*put)(void *ctx, struct wk_str name, uint64_t ino, uint32_t type),
                       void *ctx)
{
    int err = 0;
    for (size_t at = 0; at < n && !err;) {
        struct entry64 e;
        memcpy(&e, buf + at, offsetof(struct entry64, name));
        struct wk_str name = wk_str_c(buf + at + offsetof(struct entry64, name));
        at += e.len;
        if (wk_str_is(name, ".") || wk_str_is(name, ".."))
            continue;
        err = put(ctx, name, e.ino, (uint32_t)DTTOIF(e.type));
    }
    return err;
}

int wk_hostdir_list(const struct wk_hostdir *h, struct wk_mem *m, const char *path,
                    int (*put)(void *ctx, struct wk_str name, uint64_t ino, uint32_t type),
                    void *ctx)
{
    char *buf = wk_alloc(m, LIST_BUFFER);
    if (!buf)
        return -WK_ENOMEM;
    int fd = open_path(h, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
    int err = fd < 0 ? fd : 0;
    while (!err) {
        long n = syscall(SYS_getdents64, fd, buf, (unsigned)LIST_BUFFER);
        if (n < 0)
            err = failed();
        if (n <= 0)
            break;
        err = put_entries(buf, (size_t)n, put, ctx);
    }
    if (fd >= 0)
        close(fd);
    wk_free(m, buf);
    return err;
}

/* The exact mode, whatever the host's umask; set-id bits never reach the host. */
static int settle_mode(const struct wk_hostdir *h, int fd, uint32_t mode)
{
    int err = fd < 0 || fchmod(fd, allowed_mode(h, mode)) ? failed() : 0;
    if (fd >= 0)
        close(fd);
    return err;
}

int wk_hostdir_create(const struct wk_hostdir *h, const char *dir, const char *name, uint32_t mode,
                      const char *link_text)
{
    int err;
    int at = open_dir(h, dir);
    if (at < 0)
        return at;
    switch (mode & WK_S_IFMT) {
    case WK_S_IFREG:
        err = settle_mode(
            h, openat(at, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600), mode);
        break;
    case WK_S_IFDIR:
        err = mkdirat(at, name, 0700) ? failed() : 0;
        if (!err)
            err = settle_mode(h, openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                              mode);
        break;
    case WK_S_IFLNK:
        err = symlinkat(link_text, at, name) ? failed() : 0;
        break;
    default:
        err = -WK_EPERM;
        break;
    }
    close(at);
    return err;
}

int wk_hostdir_remove(const struct wk_hostdir *h, const char *dir, const char *name,
                      bool dir_wanted)
{
    int at = open_dir(h, dir);
    if (at < 0)
        return at;
    int err = unlinkat(at, name, dir_wanted ? AT_REMOVEDIR : 0) ? failed() : 0;
    close(at);
    return err;
}

/* Two directories; none is left open on failure. */
static int open_two(const struct wk_hostdir *h, const char *a, const char *b, int fd[2])
{
    fd[0] = open_dir(h, a);
    if (fd[0] < 0)
        return fd[0];
    fd[1] = open_dir(h, b);
    if (fd[1] >= 0)
        return 0;
    close(fd[0]);
    return fd[1];
}

static int close_two(const int fd[2], int r)
{
    int err = r ? failed() : 0;
    close(fd[0]);
    close(fd[1]);
    return err;
}

int wk_hostdir_rename(const struct wk_hostdir *h, const char *from_dir, const char *from,
                      const char *to_dir, const char *to, bool no_replace)
{
    int fd[2], err = open_two(h, from_dir, to_dir, fd);
    if (err)
        return err;
    return close_two(fd, no_replace ? renameat2(fd[0], from, fd[1], to, RENAME_NOREPLACE)
                                    : renameat(fd[0], from, fd[1], to));
}

int wk_hostdir_link(const struct wk_hostdir *h, const char *from_dir, const char *from,
                    const char *to_dir, const char *to)
{
    int fd[2], err = open_two(h, from_dir, to_dir, fd);
    return err ? err : close_two(fd, linkat(fd[0], from, fd[1], to, 0));
}
