/* host_workspace.c - the folders of host sandboxes: made, marked, reaped */
#define _GNU_SOURCE
#include "adapters/host/host.h"

#include "adapters/sandbox/code.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MARKER_MOST = 4096, TRIES = 16, REAP_MOST = 10000 };

#define MARKER "owner"
#define MAGIC "whelk host sandbox 1\n"

/* ---- who owns a folder ------------------------------------------------------------------------------- */

/* A small file's text in buf; "" when it cannot be read. */
static void read_text(int dir, const char *path, char *buf, size_t cap)
{
    int fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, buf, cap - 1);
    buf[n > 0 ? n : 0] = 0;
    if (fd >= 0)
        close(fd);
}

static void cut_line(char *s)
{
    s[strcspn(s, "\n")] = 0;
}

/* When a process was started, in the kernel's ticks since the boot; "" when there is none. */
static void start_of(const char *pid, char *out, size_t cap)
{
    char path[64], stat[1024];
    wk_fmt_into(path, sizeof path, "/proc/%.20s/stat", pid);
    read_text(AT_FDCWD, path, stat, sizeof stat);
    const char *p = strrchr(stat, ')');
    for (int field = 2; p && field < 22; field++)
        p = strchr(p + 1, ' ');
    size_t n = p ? strcspn(p + 1, " \n") : 0;
    n = n < cap ? n : cap - 1;
    memcpy(out, p ? p + 1 : "", n);
    out[n] = 0;
}

struct owner {
    char machine[64], boot[64], space[64], pid[24], start[32];
};

static void owner_here(struct owner *o, const char *pid)
{
    ssize_t n = readlink("/proc/self/ns/pid", o->space, sizeof o->space - 1);
    o->space[n > 0 ? n : 0] = 0;
    read_text(AT_FDCWD, "/etc/machine-id", o->machine, sizeof o->machine);
    read_text(AT_FDCWD, "/proc/sys/kernel/random/boot_id", o->boot, sizeof o->boot);
    cut_line(o->machine);
    cut_line(o->boot);
    wk_fmt_into(o->pid, sizeof o->pid, "%.20s", pid);
    start_of(pid, o->start, sizeof o->start);
}

/* The next line of a marker into out; false when there is none. */
static bool next_line(const char **p, char *out, size_t cap)
{
    size_t n = strcspn(*p, "\n");
    if ((*p)[n] != '\n' || n >= cap)
        return false;
    memcpy(out, *p, n);
    out[n] = 0;
    *p += n + 1;
    return true;
}

static bool read_marker(int dir, struct owner *o)
{
    char text[MARKER_MOST];
    const char *p = text;
    read_text(dir, MARKER, text, sizeof text);
    if (strncmp(p, MAGIC, strlen(MAGIC)) != 0)
        return false;
    p += strlen(MAGIC);
    return next_line(&p, o->machine, sizeof o->machine) && next_line(&p, o->boot, sizeof o->boot) &&
           next_line(&p, o->space, sizeof o->space) && next_line(&p, o->pid, sizeof o->pid) &&
           next_line(&p, o->start, sizeof o->start);
}

/* Whether the program of a marker may still be there, as far as can be told from here. */
static bool may_live(const struct owner *o)
{
    struct owner here;
    if (strspn(o->pid, "0123456789") != strlen(o->pid))
        return true;
    owner_here(&here, o->pid);
    if (strcmp(here.machine, o->machine) != 0)
        return true;
    if (strcmp(here.boot, o->boot) != 0)
        return false;
    /* Numbers of another namespace mean nothing here; its lock was free. */
    return strcmp(here.space, o->space) == 0 && *here.start && strcmp(here.start, o->start) == 0;
}

/* ---- making -------------------------------------------------------------------------------------------- */

/* Makes a directory and those above it. */
static int make_parents(char *path, mode_t mode)
{
    for (char *p = path + 1;; p++) {
        if (*p && *p != '/')
            continue;
        char kept = *p;
        *p = 0;
        int r = mkdir(path, mode) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES ? 0 : -errno;
        *p = kept;
        if (r || !kept)
            return r;
    }
}

/* BASE: in the user's cache directory; for commands of another user, who may not get there, or where there is none, in
 * that of temporary files. *shared: how much of it, from its start, others made. */
static char *base_of(struct wk_mem *m, bool other_user, size_t *shared)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"), *tmp = getenv("TMPDIR");
    struct wk_buf b;
    wk_buf_init(&b, m, SIZE_MAX / 2);
    *shared = 0;
    if (!other_user && cache && *cache == '/') {
        wk_buf_fmt(&b, "%s", cache);
    } else if (!other_user && home && *home == '/') {
        wk_buf_fmt(&b, "%s/.cache", home);
    } else {
        wk_buf_fmt(&b, "%s", tmp && *tmp == '/' ? tmp : "/tmp");
        *shared = b.n;
        wk_buf_fmt(&b, "/whelk-%u", (unsigned)geteuid());
    }
    wk_buf_put_c(&b, "/whelk/sandboxes");
    char *p = b.failed ? NULL : wk_buf_take(&b, NULL);
    wk_buf_release(&b);
    return p;
}

static bool is_ours(const struct stat *st)
{
    return S_ISDIR(st->st_mode) && st->st_uid == geteuid() && !(st->st_mode & 022);
}

/* Whether the first directory below a shared one is ours: whoever owns it could change what lies below. */
static bool owns_first(const char *base, size_t shared)
{
    char path[4096];
    struct stat st;
    size_t n = shared ? shared + 1 + strcspn(base + shared + 1, "/") : 0;
    if (!shared)
        return true;
    if (n >= sizeof path)
        return false;
    memcpy(path, base, n);
    path[n] = 0;
    return lstat(path, &st) == 0 && is_ours(&st);
}

/* Opens BASE, which must be ours. -1 and errno. */
static int open_base(char *base, size_t shared, bool make)
{
    struct stat st;
    int r = make ? make_parents(base, shared ? 0711 : 0700) : 0;
    if (r) {
        errno = -r;
        return -1;
    }
    int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &st) != 0 || !is_ours(&st) || !owns_first(base, shared))) {
        close(fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

/* Writes the marker and locks it, before it bears its name: nobody sees one that is not locked. */
static int mark(int dir)
{
    struct owner o;
    char pid[24], text[MARKER_MOST];
    wk_fmt_into(pid, sizeof pid, "%d", (int)getpid());
    owner_here(&o, pid);
    size_t n = wk_fmt_into(text, sizeof text, MAGIC "%s\n%s\n%s\n%s\n%s\n", o.machine, o.boot, o.space, o.pid, o.start);
    int fd = openat(dir, MARKER ".new", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 || write(fd, text, n) != (ssize_t)n ||
        renameat(dir, MARKER ".new", dir, MARKER) != 0) {
        int err = errno;
        close(fd);
        errno = err;
        return -1;
    }
    return fd;
}

static char *join(struct wk_mem *m, const char *dir, const char *name)
{
    struct wk_buf b;
    wk_buf_init(&b, m, SIZE_MAX / 2);
    wk_buf_fmt(&b, "%s/%s", dir, name);
    char *p = b.failed ? NULL : wk_buf_take(&b, NULL);
    wk_buf_release(&b);
    return p;
}

/* A folder of its own below BASE; its descriptor, or -1 and errno. */
static int make_folder(struct wk_host_box *b, mode_t mode)
{
    struct wk_host_place *p = &b->place;
    for (int i = 0; i < TRIES; i++) {
        uint64_t r = 0;
        char name[32];
        (void)!getrandom(&r, sizeof r, GRND_NONBLOCK);
        wk_fmt_into(name, sizeof name, "host-%08x%04x", (unsigned)r, (unsigned)(r >> 48));
        if (mkdirat(p->base_fd, name, 0700) != 0) {
            if (errno == EEXIST)
                continue;
            return -1;
        }
        p->dir = join(b->mem, p->base, name);
        int fd = openat(p->base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 || !p->dir || (mode != 0700 && fchmod(fd, mode) != 0)) {
            int err = p->dir ? errno : ENOMEM;
            if (fd >= 0)
                close(fd);
            (void)unlinkat(p->base_fd, name, AT_REMOVEDIR);
            errno = err;
            return -1;
        }
        return fd;
    }
    errno = EEXIST;
    return -1;
}

static int make_inside(struct wk_host_box *b, int dir, const char *name)
{
    if (mkdirat(dir, name, 0700) != 0)
        return -1;
    return b->uid == UINT32_MAX && b->gid == UINT32_MAX ? 0 : fchownat(dir, name, b->uid, b->gid, AT_SYMLINK_NOFOLLOW);
}

/* Whether `path` is a directory that holds `what` somewhere below, or is it. */
static bool holds(const char *path, const char *what)
{
    char *real = what && *what ? realpath(what, NULL) : NULL;
    size_t n = strlen(path);
    bool r = real && strncmp(real, path, n) == 0 && (real[n] == 0 || real[n] == '/' || (n && path[n - 1] == '/'));
    free(real);
    return r;
}

/* The workspace that the user names: an absolute directory, by its real path. */
static int take_workspace(struct wk_host_box *b, const struct wk_host_opening *w)
{
    const char *given = w->o->workspace;
    struct stat st;
    if (given[0] != '/')
        return wk_host_refuse(w, WHELK_E_INVALID, "workspace: %s is no absolute path", given);
    char *real = realpath(given, NULL);
    if (!real || stat(real, &st) != 0) {
        int err = errno;
        free(real);
        return wk_host_refuse(w, wk_code(err), "workspace %s: %s", given, wk_err_text(err));
    }
    if (!S_ISDIR(st.st_mode)) {
        free(real);
        return wk_host_refuse(w, WHELK_E_NOTDIR, "workspace %s: %s", given, wk_err_text(WK_ENOTDIR));
    }
    if (b->isolation != WK_HOST_NONE && strcmp(real, "/") == 0) {
        free(real);
        return wk_host_refuse(w, WHELK_E_INVALID, "workspace: with / nothing would be isolated");
    }
    if (w->o->delete_on_cleanup == WHELK_YES &&
        (holds(real, "/") || holds(real, getenv("HOME")) || holds(real, b->place.base) || holds(real, "/tmp"))) {
        int code = wk_host_refuse(w, WHELK_E_INVALID, "delete_on_cleanup: %s is not to be deleted", real);
        free(real);
        return code;
    }
    b->place.workspace = wk_strndup(b->mem, real, strlen(real));
    b->place.device = st.st_dev;
    b->place.inode = st.st_ino;
    free(real);
    return b->place.workspace ? WHELK_OK : WHELK_E_NOMEM;
}

static int fill_folder(struct wk_host_box *b, const struct wk_host_opening *w, int dir)
{
    struct wk_host_place *p = &b->place;
    struct stat st;
    p->home = join(b->mem, p->dir, "home");
    p->gitconfig = join(b->mem, p->dir, "gitconfig");
    if (!p->home || !p->gitconfig)
        return WHELK_E_NOMEM;
    p->lock_fd = mark(dir);
    if (p->lock_fd < 0 || make_inside(b, dir, "home") != 0)
        return wk_host_refuse(w, wk_code(errno), "%s: %s", p->dir, wk_err_text(errno));
    if (w->o->workspace)
        return take_workspace(b, w);
    p->generated = true;
    if (make_inside(b, dir, "workspace") != 0 || fstatat(dir, "workspace", &st, AT_SYMLINK_NOFOLLOW) != 0)
        return wk_host_refuse(w, wk_code(errno), "%s/workspace: %s", p->dir, wk_err_text(errno));
    p->device = st.st_dev;
    p->inode = st.st_ino;
    char *made = join(b->mem, p->dir, "workspace"), *real = made ? realpath(made, NULL) : NULL;
    p->workspace = real ? wk_strndup(b->mem, real, strlen(real)) : NULL;
    wk_free(b->mem, made);
    free(real);
    return p->workspace ? WHELK_OK : WHELK_E_NOMEM;
}

static int reap_below(int base);

int wk_host_place_open(struct wk_host_box *b, const struct wk_host_opening *w)
{
    struct wk_host_place *p = &b->place;
    size_t shared;
    p->base = base_of(b->mem, b->uid != UINT32_MAX, &shared);
    if (!p->base)
        return WHELK_E_NOMEM;
    p->base_fd = open_base(p->base, shared, true);
    if (p->base_fd < 0)
        return wk_host_refuse(w, wk_code(errno), "%s: %s", p->base,
                              errno == EPERM ? "it is not the user's own, or others may write there"
                                             : wk_err_text(errno));
    (void)reap_below(p->base_fd);
    int dir = make_folder(b, b->uid == UINT32_MAX ? 0700 : 0711);
    if (dir < 0)
        return wk_host_refuse(w, wk_code(errno), "%s: %s", p->base, wk_err_text(errno));
    int code = fill_folder(b, w, dir);
    close(dir);
    return code;
}

/* ---- removing ------------------------------------------------------------------------------------------- */

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Removes a sandbox's folder but for its marker, then that: what is half removed is found again. */
static int remove_folder(int base, const char *name, int dir, bool workspace)
{
    struct owner o;
    if (!read_marker(dir, &o))
        return -WK_EPERM;
    int r = workspace ? wk_host_remove(dir, "workspace") : 0;
    int r2 = wk_host_remove(dir, "home"), r3 = wk_host_remove(dir, "gitconfig");
    (void)wk_host_remove(dir, "whelk-guest");
    r = r ? r : r2 ? r2 : r3;
    if (r)
        return r;
    (void)unlinkat(dir, MARKER, 0);
    /* With a workspace that is kept the folder stays. */
    return unlinkat(base, name, AT_REMOVEDIR) == 0 || errno == ENOENT || errno == ENOTEMPTY ? 0 : -errno;
}

/* Removes a workspace that the user named and wants removed, if it still is what it was. */
static int remove_given(const struct wk_host_place *p)
{
    struct stat st;
    char *copy = strdup(p->workspace), *slash = copy ? strrchr(copy, '/') : NULL;
    int r = -WK_ENOMEM;
    if (slash) {
        *slash = 0;
        int parent = open(*copy ? copy : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        r = parent < 0 ? -errno : 0;
        if (!r && (fstatat(parent, slash + 1, &st, AT_SYMLINK_NOFOLLOW) != 0 || st.st_dev != p->device ||
                   st.st_ino != p->inode))
            r = -WK_ESTALE;
        if (!r)
            r = wk_host_remove(parent, slash + 1);
        if (parent >= 0)
            close(parent);
    }
    free(copy);
    return r;
}

void wk_host_place_close(struct wk_host_box *b, bool remove_workspace)
{
    struct wk_host_place *p = &b->place;
    if (p->dir) {
        int dir = openat(p->base_fd, name_of(p->dir), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (dir >= 0) {
            struct owner o;
            if (remove_workspace && !p->generated && p->workspace && read_marker(dir, &o))
                (void)remove_given(p);
            (void)remove_folder(p->base_fd, name_of(p->dir), dir, remove_workspace && p->generated);
            close(dir);
        }
    }
    if (p->lock_fd >= 0)
        close(p->lock_fd);
    if (p->base_fd >= 0)
        close(p->base_fd);
    p->lock_fd = p->base_fd = -1;
    char *all[] = {p->base, p->dir, p->workspace, p->home, p->gitconfig};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        wk_free(b->mem, all[i]);
    p->base = p->dir = p->workspace = p->home = p->gitconfig = NULL;
}

/* Removes one folder if its program has gone. */
static bool reap_one(int base, const char *name)
{
    struct owner o;
    bool gone = false;
    int dir = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int lock = dir < 0 ? -1 : openat(dir, MARKER, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 && read_marker(dir, &o) && !may_live(&o))
        gone = remove_folder(base, name, dir, true) == 0;
    if (lock >= 0)
        close(lock);
    if (dir >= 0)
        close(dir);
    return gone;
}

static int reap_below(int base)
{
    int fd = openat(base, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), n = 0;
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;
    if (!d) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    for (int i = 0; i < REAP_MOST && (e = readdir(d)); i++)
        if (strncmp(e->d_name, "host-", 5) == 0)
            n += reap_one(base, e->d_name);
    closedir(d);
    return n;
}

int wk_host_reap(void)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    int n = m ? 0 : WHELK_E_NOMEM;
    for (int other = 0; other < 2 && n >= 0; other++) {
        size_t shared;
        char *base = base_of(m, other, &shared);
        int fd = base ? open_base(base, shared, false) : -1;
        n = base ? n + (fd >= 0 ? reap_below(fd) : 0) : WHELK_E_NOMEM;
        if (fd >= 0)
            close(fd);
        wk_free(m, base);
    }
    if (m)
        wk_mem_unref(m);
    return n;
}
