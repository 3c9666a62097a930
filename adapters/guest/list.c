/* list.c - what is known of files, told on request */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapters/guest/guest.h"

enum { ENTRIES_MAX = 1000000, DEEPEST = 400, PATH_MOST = 8192 };

struct lister {
    struct guest *g;
    uint32_t id, depth, n;
    int err;
    size_t path_n;
    char path[PATH_MOST];
};

char *guest_read_target(int dir, const char *name)
{
    char buf[PATH_MOST];
    ssize_t n = readlinkat(dir, name, buf, sizeof buf);
    return n > 0 ? guest_copy(buf, (size_t)n) : NULL;
}

static enum guest_kind kind_of(uint32_t mode)
{
    return S_ISREG(mode) ? GUEST_FILE : S_ISDIR(mode) ? GUEST_DIR : S_ISLNK(mode) ? GUEST_LINK : GUEST_OTHER;
}

bool guest_tell(struct guest *g, uint32_t id, enum guest_change change, const struct guest_entry *e)
{
    size_t n = strlen(e->path), k = e->target ? strlen(e->target) : 0;
    if (!guest_frame(g, GUEST_ENTRY, id, 56 + 4 + n + 4 + k))
        return false;
    guest_add_u32(g, change);
    guest_add_u32(g, kind_of(e->mode));
    guest_add_u32(g, e->mode & 07777);
    guest_add_u64(g, (uint64_t)e->mtime);
    guest_add_u64(g, e->size);
    guest_add_u64(g, e->inode);
    guest_add_u32(g, e->links);
    guest_add_u64(g, e->device);
    guest_add_u32(g, e->uid);
    guest_add_u32(g, e->gid);
    guest_add_text(g, e->path, n);
    guest_add_text(g, e->target ? e->target : "", k);
    return true;
}

static bool tell_stat(struct guest *g, uint32_t id, const struct stat *st, const char *path, int dir, const char *name)
{
    char *target = S_ISLNK(st->st_mode) ? guest_read_target(dir, name) : NULL;
    struct guest_entry e = {.mode = st->st_mode,
                            .links = (uint32_t)st->st_nlink,
                            .uid = st->st_uid,
                            .gid = st->st_gid,
                            .mtime = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
                            .size = (uint64_t)st->st_size,
                            .inode = st->st_ino,
                            .device = st->st_dev,
                            .path = path,
                            .target = target};
    bool ok = guest_tell(g, id, GUEST_THERE, &e);
    free(target);
    return ok;
}

void guest_stat(struct guest *g, uint32_t id, struct guest_reader *r)
{
    uint32_t follow = guest_u32(r);
    size_t n;
    const char *text = guest_text(r, &n), *name;
    char *path = r->bad ? NULL : guest_copy(text, n);
    struct stat st;
    int dir = path ? guest_parent(g, path, &name) : -1, err = path ? 0 : EINVAL;
    if (!err && (dir < 0 || fstatat(dir, name, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0))
        err = errno;
    if (!err && !tell_stat(g, id, &st, "", dir, name))
        err = ENOMEM;
    if (err)
        guest_error(g, id, err, path ? path : "stat");
    else
        guest_ok(g, id);
    if (dir >= 0)
        close(dir);
    free(path);
}

int guest_open_dir(int dir, const char *name, bool follow)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | (follow ? 0 : O_NOFOLLOW) | O_CLOEXEC), err = errno;
    struct stat st;
    if (fd < 0 && !follow && err == ENOTDIR && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
        errno = ELOOP;
    else
        errno = err;
    return fd;
}

/* ---- lists ---------------------------------------------------------------------------------------- */

static void list_directory(struct lister *l, int fd, uint32_t depth);

static void list_entry(struct lister *l, int dir, const char *name, uint32_t depth)
{
    size_t at = l->path_n, n = strlen(name);
    struct stat st;
    if (guest_is_beside(l->g, name) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (at + n + 2 > sizeof l->path || l->n++ == ENTRIES_MAX) {
        l->err = at + n + 2 > sizeof l->path ? ENAMETOOLONG : E2BIG;
        return;
    }
    if (at)
        l->path[l->path_n++] = '/';
    memcpy(l->path + l->path_n, name, n + 1);
    l->path_n += n;
    if (!tell_stat(l->g, l->id, &st, l->path, dir, name))
        l->err = ENOMEM;
    if (S_ISDIR(st.st_mode) && !l->err && depth < l->depth) {
        int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0)
            list_directory(l, fd, depth + 1);
    }
    l->path_n = at;
    l->path[at] = 0;
}

static void list_directory(struct lister *l, int fd, uint32_t depth)
{
    DIR *d = depth > DEEPEST ? NULL : fdopendir(fd);
    struct dirent *e;
    if (!d) {
        l->err = depth > DEEPEST ? ELOOP : ENOMEM;
        close(fd);
        return;
    }
    while (!l->err && (e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            list_entry(l, dirfd(d), e->d_name, depth);
    closedir(d);
}

void guest_list(struct guest *g, uint32_t id, struct guest_reader *r)
{
    static struct lister l;
    uint32_t depth = guest_u32(r);
    size_t n;
    const char *text = guest_text(r, &n), *name;
    char *path = r->bad ? NULL : guest_copy(text, n);
    l = (struct lister){.g = g, .id = id, .depth = depth ? depth : 1, .err = path ? 0 : EINVAL};
    int dir = path ? guest_parent(g, path, &name) : -1, fd = -1;
    if (!l.err && dir < 0)
        l.err = errno;
    if (!l.err && (fd = guest_open_dir(dir, name, *path == '/')) < 0)
        l.err = errno;
    if (dir >= 0)
        close(dir);
    if (!l.err)
        list_directory(&l, fd, 1);
    if (l.err)
        guest_error(g, id, l.err, path ? path : "list");
    else
        guest_ok(g, id);
    free(path);
}
