/* files.c - files of the workspace, for the host
 *
 * A path is relative to the workspace; none of its names is empty, . or .., and no link is followed on the way. A file
 * is written beside its place and then renamed, so that nobody sees half of it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapters/guest/guest.h"

enum { DEEPEST = 400 };

int guest_parent(struct guest *g, char *path, const char **name)
{
    int dir = fcntl(g->root, F_DUPFD_CLOEXEC, 3);
    for (char *p = path; dir >= 0;) {
        char *slash = strchr(p, '/');
        if (slash)
            *slash = 0;
        if (!*p || strcmp(p, ".") == 0 || strcmp(p, "..") == 0) {
            close(dir);
            errno = EINVAL;
            return -1;
        }
        if (!slash) {
            *name = p;
            return dir;
        }
        int next = openat(dir, p, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err = errno;
        close(dir);
        errno = err;
        dir = next;
        *slash = '/';
        p = slash + 1;
    }
    return -1;
}

static void set_times(int dir, const char *name, int64_t mtime)
{
    struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = mtime / 1000000000, .tv_nsec = mtime % 1000000000}};
    if (t[1].tv_nsec < 0) {
        t[1].tv_nsec += 1000000000;
        t[1].tv_sec--;
    }
    (void)utimensat(dir, name, t, AT_SYMLINK_NOFOLLOW);
}

/* ---- removing ----------------------------------------------------------------------------------- */

static int remove_below(int dir, const char *name, int depth);

static int empty_directory(int fd, int depth)
{
    DIR *d = fdopendir(fd);
    struct dirent *e;
    int r = 0;
    if (!d) {
        close(fd);
        return errno;
    }
    while (!r && (e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            r = remove_below(dirfd(d), e->d_name, depth + 1);
    closedir(d);
    return r;
}

static int remove_below(int dir, const char *name, int depth)
{
    if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return errno;
    if (depth > DEEPEST)
        return ELOOP;
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno;
    (void)fchmod(fd, 0700);
    int r = empty_directory(fd, depth);
    if (!r && unlinkat(dir, name, AT_REMOVEDIR) != 0)
        r = errno;
    return r;
}

/* ---- transfers ---------------------------------------------------------------------------------- */

static struct transfer *find(struct guest *g, uint32_t id)
{
    struct transfer *t = g->transfers;
    while (t && t->id != id)
        t = t->next;
    return t;
}

static void drop(struct guest *g, struct transfer *t)
{
    struct transfer **at = &g->transfers;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    if (t->fd >= 0)
        close(t->fd);
    if (t->beside && t->dir >= 0)
        (void)unlinkat(t->dir, t->beside, 0);
    if (t->dir >= 0)
        close(t->dir);
    free(t->path);
    free(t->name);
    free(t->beside);
    free(t);
}

static struct transfer *add(struct guest *g, uint32_t id)
{
    struct transfer *t = find(g, id) ? NULL : calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->id = id;
    t->fd = t->dir = -1;
    t->next = g->transfers;
    g->transfers = t;
    return t;
}

/* All bytes are there: the file takes its place. */
static void finish_put(struct guest *g, struct transfer *t)
{
    if (!t->error && (g->uid != UINT32_MAX || g->gid != UINT32_MAX) && fchown(t->fd, g->uid, g->gid) != 0)
        t->error = errno;
    if (!t->error && fchmod(t->fd, t->mode & 07777) != 0)
        t->error = errno;
    if (!t->error) {
        set_times(t->dir, t->beside, t->mtime);
        if (renameat(t->dir, t->beside, t->dir, t->name) != 0)
            t->error = errno;
    }
    if (t->error) {
        guest_error(g, t->id, t->error, t->path);
    } else {
        free(t->beside);
        t->beside = NULL;
        guest_scan_note(g, t->path, t->hash);
        guest_ok(g, t->id);
    }
    drop(g, t);
}

static void begin_put(struct guest *g, uint32_t id, struct guest_reader *r)
{
    uint32_t mode = guest_u32(r);
    int64_t mtime = (int64_t)guest_u64(r);
    uint64_t size = guest_u64(r);
    size_t n;
    const char *text = guest_text(r, &n), *name;
    struct transfer *t = r->bad ? NULL : add(g, id);
    if (!t) {
        guest_error(g, id, r->bad ? EINVAL : ENOMEM, "put");
        return;
    }
    t->mode = mode;
    t->mtime = mtime;
    t->left = size;
    char beside[64];
    snprintf(beside, sizeof beside, ".whelk-%08x%08x-%u", (unsigned)(g->random >> 32), (unsigned)g->random,
             (unsigned)id);
    t->path = guest_copy(text, n);
    t->beside = strdup(beside);
    if (!t->path || !t->beside)
        t->error = t->path ? ENOMEM : EINVAL;
    else if ((t->dir = guest_parent(g, t->path, &name)) < 0)
        t->error = errno;
    else if (!(t->name = strdup(name)))
        t->error = ENOMEM;
    else if ((t->fd = openat(t->dir, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)) < 0)
        t->error = errno;
    if (t->fd < 0) {
        free(t->beside);
        t->beside = NULL;
    }
    if (!t->left)
        finish_put(g, t);
}

static void take_data(struct guest *g, uint32_t id, struct guest_reader *r)
{
    struct transfer *t = find(g, id);
    size_t n = r->n;
    if (!t || n > t->left) {
        if (t)
            drop(g, t);
        guest_error(g, id, EPROTO, "data");
        return;
    }
    const unsigned char *p = guest_take(r, n);
    t->left -= n;
    t->hash = guest_hash(t->hash, p, n);
    for (size_t at = 0; !t->error && at < n;) {
        ssize_t k = write(t->fd, p + at, n - at);
        if (k < 0 && errno != EINTR)
            t->error = errno;
        at += k > 0 ? (size_t)k : 0;
    }
    if (!t->left)
        finish_put(g, t);
}

static void begin_get(struct guest *g, uint32_t id, struct guest_reader *r)
{
    uint64_t offset = guest_u64(r), most = guest_u64(r);
    size_t n;
    const char *text = guest_text(r, &n), *name;
    char *path = r->bad ? NULL : guest_copy(text, n);
    struct stat st;
    int err = path ? 0 : EINVAL, fd = -1, dir = path ? guest_parent(g, path, &name) : -1;
    if (!err && dir >= 0)
        fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (!err && (fd < 0 || fstat(fd, &st) != 0))
        err = errno;
    if (dir >= 0)
        close(dir);
    if (!err && !S_ISREG(st.st_mode))
        err = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
    struct transfer *t = err ? NULL : add(g, id);
    if (t) {
        uint64_t size = (uint64_t)st.st_size, rest = size > offset ? size - offset : 0;
        t->fd = fd;
        t->sends = true;
        t->size = size;
        t->left = most < rest ? most : rest;
        (void)lseek(fd, (off_t)offset, SEEK_SET);
    } else {
        guest_error(g, id, err ? err : ENOMEM, path ? path : "get");
        if (fd >= 0)
            close(fd);
    }
    free(path);
}

/* One piece; false when the file is sent. */
static bool send_piece(struct guest *g, struct transfer *t)
{
    static unsigned char bytes[GUEST_CHUNK];
    size_t most = t->left < sizeof bytes ? (size_t)t->left : sizeof bytes;
    ssize_t n = most ? read(t->fd, bytes, most) : 0;
    if (n > 0) {
        if (guest_frame(g, GUEST_DATA, t->id, (size_t)n))
            guest_add(g, bytes, (size_t)n);
        t->left -= (uint64_t)n;
        return true;
    }
    if (n < 0)
        guest_error(g, t->id, errno, "read");
    else if (guest_frame(g, GUEST_OK, t->id, 8))
        guest_add_u64(g, t->size);
    return false;
}

bool guest_transfers_waiting(const struct guest *g)
{
    const struct transfer *t = g->transfers;
    while (t && !t->sends)
        t = t->next;
    return t != NULL;
}

void guest_transfers_pump(struct guest *g)
{
    for (struct transfer *t = g->transfers, *next; t; t = next) {
        next = t->next;
        while (t->sends && guest_may_send(g))
            if (!send_piece(g, t)) {
                drop(g, t);
                break;
            }
    }
}

/* ---- single requests ---------------------------------------------------------------------------- */

static int make(struct guest *g, int dir, const char *name, uint32_t kind, uint32_t mode, const char *target)
{
    struct stat st;
    if (kind == GUEST_LINK) {
        if (unlinkat(dir, name, 0) != 0 && errno != ENOENT)
            return errno;
        if (symlinkat(target, dir, name) != 0)
            return errno;
    } else if (kind == GUEST_DIR) {
        if (mkdirat(dir, name, 0700) != 0 &&
            (errno != EEXIST || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode)))
            return errno;
        if (fchmodat(dir, name, mode & 07777, 0) != 0)
            return errno;
    } else {
        return EINVAL;
    }
    if ((g->uid != UINT32_MAX || g->gid != UINT32_MAX) && fchownat(dir, name, g->uid, g->gid, AT_SYMLINK_NOFOLLOW) != 0)
        return errno;
    return 0;
}

/* chmod through no link: by the descriptor, where fchmodat has no such flag. */
static int change_mode(int dir, const char *name, uint32_t mode)
{
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == EACCES) { /* unreadable, and ours */
        struct stat st;
        if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || S_ISLNK(st.st_mode))
            return EACCES;
        return fchmodat(dir, name, mode & 07777, 0) == 0 ? 0 : errno;
    }
    if (fd < 0)
        return errno;
    int r = fchmod(fd, mode & 07777) == 0 ? 0 : errno;
    close(fd);
    return r;
}

static void do_single(struct guest *g, uint32_t type, uint32_t id, struct guest_reader *r)
{
    uint32_t kind = type == GUEST_MAKE ? guest_u32(r) : 0, mode = type == GUEST_REMOVE ? 0 : guest_u32(r);
    int64_t mtime = type == GUEST_REMOVE ? 0 : (int64_t)guest_u64(r);
    size_t n, k = 0;
    const char *text = guest_text(r, &n), *to = type == GUEST_MAKE ? guest_text(r, &k) : "", *name;
    char *path = r->bad ? NULL : guest_copy(text, n), *target = r->bad ? NULL : guest_copy(to, k);
    int dir = path && target ? guest_parent(g, path, &name) : -1, err = path && target ? 0 : EINVAL;
    if (!err && dir < 0)
        err = errno;
    if (!err && type == GUEST_REMOVE)
        err = remove_below(dir, name, 0);
    else if (!err && type == GUEST_MAKE)
        err = make(g, dir, name, kind, mode, target);
    else if (!err)
        err = change_mode(dir, name, mode);
    if (!err && type != GUEST_REMOVE)
        set_times(dir, name, mtime);
    if (err) {
        guest_error(g, id, err, path ? path : "path");
    } else {
        guest_scan_note(g, path, 0);
        guest_ok(g, id);
    }
    if (dir >= 0)
        close(dir);
    free(path);
    free(target);
}

void guest_file_request(struct guest *g, uint32_t type, uint32_t id, struct guest_reader *r)
{
    switch (type) {
    case GUEST_PUT: begin_put(g, id, r); break;
    case GUEST_PUT_DATA: take_data(g, id, r); break;
    case GUEST_GET: begin_get(g, id, r); break;
    case GUEST_MAKE:
    case GUEST_REMOVE:
    case GUEST_ATTRIBUTES: do_single(g, type, id, r); break;
    default: guest_error(g, id, ENOSYS, "request");
    }
}
