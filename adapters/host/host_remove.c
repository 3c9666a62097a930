/* host_remove.c - removing a tree that others have filled
 *
 * Through no link and into no mount: each directory is opened beneath its parent by its own name, and where the kernel
 * can, mounts are refused by it. A tree may be deeper than descriptors reach: what lies too deep is moved to the top
 * first.
 */
#define _GNU_SOURCE
#include "adapters/host/host.h"

#include "base/err.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEEPEST = 32, PASSES = 10000 };

struct removal {
    int top;         /* the directory that is emptied: what is too deep goes there */
    dev_t device;
    unsigned moved;  /* directories that went to the top */
    int err;         /* the first thing that went wrong */
};

static int open_beneath(int dir, const char *name, int flags, dev_t device)
{
    struct open_how how = {.flags = (uint64_t)(unsigned)(flags | O_NOFOLLOW | O_CLOEXEC),
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV};
    int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof how);
    struct stat st;
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
        return fd;
    fd = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_dev != device)) {
        close(fd);
        errno = EXDEV;
        return -1;
    }
    return fd;
}

/* Opens a directory that may lack permissions. */
static int open_directory(int dir, const char *name, dev_t device)
{
    int fd = open_beneath(dir, name, O_PATH | O_DIRECTORY, device);
    char path[40];
    struct stat st;
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700) {
        wk_fmt_into(path, sizeof path, "/proc/self/fd/%d", fd);
        (void)chmod(path, 0700);
    }
    int real = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = errno;
    close(fd);
    errno = err;
    return real;
}

static void note_error(struct removal *r, int err)
{
    if (!r->err && err != ENOENT)
        r->err = err;
}

static void empty(struct removal *r, int fd, int depth);

static void remove_entry(struct removal *r, int dir, const char *name, int depth)
{
    if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
        return;
    if (errno != EISDIR && errno != EPERM) {
        note_error(r, errno);
        return;
    }
    if (unlinkat(dir, name, AT_REMOVEDIR) == 0)
        return;
    if (depth >= DEEPEST) {
        char to[32];
        wk_fmt_into(to, sizeof to, ".deep-%u", r->moved++);
        if (renameat(dir, name, r->top, to) != 0)
            note_error(r, errno);
        return;
    }
    int fd = open_directory(dir, name, r->device);
    if (fd < 0) {
        note_error(r, errno);
        return;
    }
    empty(r, fd, depth + 1);
    if (unlinkat(dir, name, AT_REMOVEDIR) != 0)
        note_error(r, errno);
}

/* Empties a directory and closes it. */
static void empty(struct removal *r, int fd, int depth)
{
    DIR *d = fdopendir(fd);
    struct dirent *e;
    if (!d) {
        note_error(r, errno);
        close(fd);
        return;
    }
    while ((e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            remove_entry(r, dirfd(d), e->d_name, depth);
    closedir(d);
}

int wk_host_remove(int dir, const char *name)
{
    struct removal r = {.top = -1};
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? 0 : -errno;
    if (!S_ISDIR(st.st_mode))
        return unlinkat(dir, name, 0) == 0 || errno == ENOENT ? 0 : -errno;
    r.device = st.st_dev;
    r.top = open_directory(dir, name, r.device);
    if (r.top < 0)
        return errno == ENOENT ? 0 : -errno;
    /* Until nothing new came to the top, or nothing changes any more. */
    for (unsigned pass = 0, before = 0; pass < PASSES; pass++, before = r.moved) {
        r.err = 0;
        int fd = openat(r.top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0) {
            note_error(&r, errno);
            break;
        }
        empty(&r, fd, 0);
        if (r.moved == before && (!r.err || (r.err != ENOTEMPTY && r.err != EEXIST) || pass >= 3))
            break;
    }
    close(r.top);
    if (!r.err && unlinkat(dir, name, AT_REMOVEDIR) != 0)
        note_error(&r, errno);
    return -r.err;
}
