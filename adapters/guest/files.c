/* files.c - paths, and what is done to files at once
 *
 * A relative path lies below the workspace: none of its names is empty, . or .., and no link is followed on the way. An
 * absolute one is resolved as by any program.
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

enum { DEEPEST = 400, LINKS_MOST = 40, PATH_MOST = 4096 };

/* ---- paths -------------------------------------------------------------------------------------- */

static int parent_below(struct guest *g, char *path, const char **name)
{
    int dir = fcntl(g->root, F_DUPFD_CLOEXEC, 3);
    for (char *p = path; dir >= 0;) {
        char *slash = strchr(p, '/');
        if (slash)
            *slash = 0;
        if (!*p || strcmp(p, ".") == 0 || strcmp(p, "..") == 0) {
            close(dir);
            if (slash)
                *slash = '/';
            errno = EINVAL;
            return -1;
        }
        if (!slash) {
            *name = p;
            return dir;
        }
        int next = openat(dir, p, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err = errno;
        struct stat st;
        if (next < 0 && err == ENOTDIR && fstatat(dir, p, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
            err = ELOOP;
        close(dir);
        errno = err;
        dir = next;
        *slash = '/';
        p = slash + 1;
    }
    return -1;
}

static int parent_anywhere(char *path, const char **name)
{
    char *slash = strrchr(path, '/'), *last = slash + 1;
    if (!*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0) {
        *name = ".";
        return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    char kept = *last;
    *last = 0; /* "/dir/" */
    int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    *last = kept;
    *name = last;
    return dir;
}

int guest_parent(struct guest *g, char *path, const char **name)
{
    if (*path == '/')
        return parent_anywhere(path, name);
    if (*path)
        return parent_below(g, path, name);
    *name = ".";
    return fcntl(g->root, F_DUPFD_CLOEXEC, 3);
}

int guest_parent_of_name(struct guest *g, char *path, const char **name)
{
    int dir = guest_parent(g, path, name);
    if (dir >= 0 && strcmp(*name, ".") == 0) {
        close(dir);
        errno = EINVAL;
        return -1;
    }
    return dir;
}

char *guest_follow(char *path)
{
    for (int i = 0; *path == '/' && i < LINKS_MOST; i++) {
        char target[PATH_MOST];
        ssize_t n = readlink(path, target, sizeof target - 1);
        if (n <= 0)
            return path;
        target[n] = 0;
        size_t k = *target == '/' ? 0 : (size_t)(strrchr(path, '/') + 1 - path);
        char *to = malloc(k + (size_t)n + 1);
        if (to) {
            memcpy(to, path, k);
            memcpy(to + k, target, (size_t)n + 1);
        }
        free(path);
        path = to;
        if (!path)
            return NULL;
    }
    return path;
}

void guest_set_mtime(int dir, const char *name, int64_t mtime)
{
    struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = mtime / 1000000000, .tv_nsec = mtime % 1000000000}};
    if (mtime == GUEST_NOW)
        return;
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

/* ---- single requests ---------------------------------------------------------------------------- */

static int own(struct guest *g, int dir, const char *name)
{
    if (g->uid == GUEST_SAME && g->gid == GUEST_SAME)
        return 0;
    return fchownat(dir, name, g->uid, g->gid, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
}

/* A link is made beside its place and renamed, so that there is always something there. */
static int make_link(struct guest *g, int dir, const char *name, const char *target)
{
    char beside[64];
    guest_beside(g, 0, beside, sizeof beside);
    (void)unlinkat(dir, beside, 0);
    if (symlinkat(target, dir, beside) != 0)
        return errno;
    int err = own(g, dir, beside);
    if (!err && renameat(dir, beside, dir, name) != 0)
        err = errno;
    if (err)
        (void)unlinkat(dir, beside, 0);
    return err;
}

static int make_dir(struct guest *g, int dir, const char *name, uint32_t mode, int look, bool *was_there)
{
    struct stat st;
    if (mkdirat(dir, name, 0700) != 0) {
        int err = errno;
        *was_there = err == EEXIST && fstatat(dir, name, &st, look) == 0 && S_ISDIR(st.st_mode);
        return *was_there ? 0 : err;
    }
    if (fchmodat(dir, name, mode == GUEST_SAME ? 0755 : mode & 07777, 0) != 0)
        return errno;
    return own(g, dir, name);
}

/* chmod through no link, of what need not be readable. */
static int change_mode(int dir, const char *name, uint32_t mode)
{
    int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    if (fd < 0)
        return errno;
    int err = fstat(fd, &st) != 0 ? errno : S_ISLNK(st.st_mode) ? ELOOP : 0;
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (!err && chmod(path, mode & 07777) != 0)
        err = errno;
    close(fd);
    return err;
}

struct change {
    uint32_t type, kind, mode;
    int64_t mtime;
    char *path, *target; /* target: of a link, or where to */
    bool was_there;
    bool unseen; /* it had changed since the last look */
};

static int move(struct guest *g, struct change *c, int dir, const char *name)
{
    const char *to;
    int there = guest_parent_of_name(g, c->target, &to);
    if (there < 0)
        return errno;
    int err = renameat(dir, name, there, to) == 0 ? 0 : errno;
    close(there);
    return err;
}

static int carry_out(struct guest *g, struct change *c, int dir, const char *name)
{
    int err;
    switch (c->type) {
    case GUEST_REMOVE: return remove_below(dir, name, 0);
    case GUEST_RENAME: return move(g, c, dir, name);
    case GUEST_MAKE:
        if (c->kind != GUEST_LINK && c->kind != GUEST_DIR)
            return EINVAL;
        err = c->kind == GUEST_LINK
                  ? make_link(g, dir, name, c->target)
                  : make_dir(g, dir, name, c->mode, *c->path == '/' ? 0 : AT_SYMLINK_NOFOLLOW, &c->was_there);
        break;
    default: err = c->mode == GUEST_SAME ? 0 : change_mode(dir, name, c->mode); break;
    }
    if (!err && !c->was_there)
        guest_set_mtime(dir, name, c->mtime);
    return err;
}

static void note(struct guest *g, const struct change *c)
{
    if (c->type == GUEST_RENAME)
        guest_scan_note_move(g, c->path, c->target);
    else if (!c->was_there)
        guest_scan_note(g, c->path, NULL);
    if (c->unseen)
        guest_scan_doubt(g, c->path);
}

static void do_single(struct guest *g, uint32_t type, uint32_t id, struct guest_reader *r)
{
    struct change c = {.type = type, .mtime = GUEST_NOW};
    if (type == GUEST_MAKE)
        c.kind = guest_u32(r);
    if (type == GUEST_MAKE || type == GUEST_ATTRIBUTES) {
        c.mode = guest_u32(r);
        c.mtime = (int64_t)guest_u64(r);
    }
    size_t n, k = 0;
    const char *text = guest_text(r, &n);
    const char *to = type == GUEST_MAKE || type == GUEST_RENAME ? guest_text(r, &k) : "", *name;
    c.path = r->bad ? NULL : guest_copy(text, n);
    c.target = r->bad ? NULL : guest_copy(to, k);
    if (c.path && type == GUEST_ATTRIBUTES)
        c.path = guest_follow(c.path);
    int err = c.path && c.target ? 0 : EINVAL, dir = -1;
    if (!err && (dir = type == GUEST_ATTRIBUTES && *c.path == '/' ? guest_parent(g, c.path, &name)
                                                                  : guest_parent_of_name(g, c.path, &name)) < 0)
        err = errno;
    if (!err && type == GUEST_ATTRIBUTES)
        c.unseen = !guest_scan_knows(g, c.path, dir, name);
    if (!err)
        err = carry_out(g, &c, dir, name);
    if (err) {
        guest_error(g, id, err, c.path ? c.path : "path");
    } else {
        note(g, &c);
        if (guest_frame(g, GUEST_OK, id, 4))
            guest_add_u32(g, c.was_there);
    }
    if (dir >= 0)
        close(dir);
    free(c.path);
    free(c.target);
}

void guest_file_request(struct guest *g, uint32_t type, uint32_t id, struct guest_reader *r)
{
    switch (type) {
    case GUEST_PUT:
    case GUEST_PUT_DATA:
    case GUEST_APPEND:
    case GUEST_GET: guest_transfer_request(g, type, id, r); break;
    case GUEST_STAT: guest_stat(g, id, r); break;
    case GUEST_LIST: guest_list(g, id, r); break;
    case GUEST_MAKE:
    case GUEST_REMOVE:
    case GUEST_RENAME:
    case GUEST_ATTRIBUTES: do_single(g, type, id, r); break;
    default: guest_error(g, id, ENOSYS, "request");
    }
}
