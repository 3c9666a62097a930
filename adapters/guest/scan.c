/* scan.c - what has changed in the workspace since the last look
 *
 * An entry is taken for unchanged when its inode, size, mtime and ctime are: ctime cannot be set back. Where it was
 * changed so shortly before a look that a later change could bear the same ctime, the contents are hashed, as git does.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "adapters/guest/guest.h"

enum { ENTRIES_MAX = 1000000, DEEPEST = 400, PATH_MOST = 8192, TICK_NS = 20000000 };

struct seen_entry {
    struct seen_entry *next; /* of its bucket */
    uint64_t inode, device, size, hash;
    int64_t mtime, ctime;
    uint32_t mode, links, round;
    bool racy; /* hash tells what the times cannot */
    char *target;
    char path[];
};

struct seen {
    struct seen_entry **bucket;
    size_t size, n;
    uint32_t round;
};

struct walk {
    struct guest *g;
    struct seen *s;
    uint32_t id;
    int64_t now;
    char **left_out;
    uint32_t n_left_out;
    int err;
    bool quiet; /* the first look: what is there is not told */
    size_t path_n;
    char path[PATH_MOST];
};

uint64_t guest_hash(uint64_t hash, const void *p, size_t n)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ b[i]) * 0x100000001b3u + (hash >> 47);
    return hash;
}

/* ---- the table ----------------------------------------------------------------------------------- */

static size_t slot(const struct seen *s, const char *path)
{
    return (size_t)guest_hash(1469598103934665603u, path, strlen(path)) & (s->size - 1);
}

static struct seen_entry **find(struct seen *s, const char *path)
{
    struct seen_entry **at = &s->bucket[slot(s, path)];
    while (*at && strcmp((*at)->path, path) != 0)
        at = &(*at)->next;
    return at;
}

static bool grow(struct seen *s)
{
    size_t size = s->size ? 2 * s->size : 1024;
    struct seen_entry **v = calloc(size, sizeof *v);
    if (!v)
        return s->size > 0; /* longer chains will do */
    struct seen old = *s;
    s->bucket = v;
    s->size = size;
    for (size_t i = 0; i < old.size; i++)
        for (struct seen_entry *e = old.bucket[i], *next; e; e = next) {
            next = e->next;
            struct seen_entry **at = &s->bucket[slot(s, e->path)];
            e->next = *at;
            *at = e;
        }
    free(old.bucket);
    return true;
}

static void forget(struct seen *s, struct seen_entry **at)
{
    struct seen_entry *e = *at;
    *at = e->next;
    free(e->target);
    free(e);
    s->n--;
}

static struct seen_entry *add(struct seen *s, const char *path)
{
    if (s->n >= s->size && !grow(s))
        return NULL;
    size_t n = strlen(path) + 1;
    struct seen_entry *e = calloc(1, sizeof *e + n);
    if (!e)
        return NULL;
    memcpy(e->path, path, n);
    struct seen_entry **at = &s->bucket[slot(s, path)];
    e->next = *at;
    *at = e;
    s->n++;
    return e;
}

static struct seen *table_of(struct guest *g)
{
    if (!g->seen)
        g->seen = calloc(1, sizeof *g->seen);
    if (g->seen && !g->seen->size && !grow(g->seen))
        return NULL;
    return g->seen;
}

/* ---- one entry ------------------------------------------------------------------------------------ */

static int64_t ns(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return ns(t);
}

static uint64_t hash_file(int dir, const char *name)
{
    static unsigned char bytes[GUEST_CHUNK];
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    uint64_t hash = 0;
    ssize_t n;
    while (fd >= 0 && (n = read(fd, bytes, sizeof bytes)) > 0)
        hash = guest_hash(hash, bytes, (size_t)n);
    if (fd >= 0)
        close(fd);
    return hash;
}

static bool is_racy(const struct stat *st, int64_t now)
{
    return S_ISREG(st->st_mode) && ns(st->st_ctim) > now - TICK_NS;
}

static char *read_target(int dir, const char *name)
{
    char buf[PATH_MOST];
    ssize_t n = readlinkat(dir, name, buf, sizeof buf);
    return n > 0 ? guest_copy(buf, (size_t)n) : NULL;
}

static void remember(struct seen_entry *e, const struct stat *st, int64_t now)
{
    e->inode = st->st_ino;
    e->device = st->st_dev;
    e->size = (uint64_t)st->st_size;
    e->mtime = ns(st->st_mtim);
    e->ctime = ns(st->st_ctim);
    e->mode = st->st_mode;
    e->links = (uint32_t)st->st_nlink;
    e->racy = is_racy(st, now);
}

static bool looks_same(const struct seen_entry *e, const struct stat *st)
{
    bool dir = S_ISDIR(st->st_mode);
    return e->inode == st->st_ino && e->device == st->st_dev && e->mode == st->st_mode && e->mtime == ns(st->st_mtim) &&
           (dir || (e->ctime == ns(st->st_ctim) && e->size == (uint64_t)st->st_size));
}

static enum guest_kind kind_of(uint32_t mode)
{
    return S_ISREG(mode) ? GUEST_FILE : S_ISDIR(mode) ? GUEST_DIR : S_ISLNK(mode) ? GUEST_LINK : GUEST_OTHER;
}

static void tell(struct walk *w, const struct seen_entry *e, enum guest_change change)
{
    size_t n = strlen(e->path), k = e->target ? strlen(e->target) : 0;
    if (w->quiet || !guest_frame(w->g, GUEST_ENTRY, w->id, 48 + 4 + n + 4 + k))
        return;
    guest_add_u32(w->g, change);
    guest_add_u32(w->g, kind_of(e->mode));
    guest_add_u32(w->g, e->mode & 07777);
    guest_add_u64(w->g, (uint64_t)e->mtime);
    guest_add_u64(w->g, e->size);
    guest_add_u64(w->g, e->inode);
    guest_add_u32(w->g, e->links);
    guest_add_u64(w->g, e->device);
    guest_add_text(w->g, e->path, n);
    guest_add_text(w->g, e->target ? e->target : "", k);
}

static void look(struct walk *w, int dir, const char *name, const struct stat *st)
{
    struct seen_entry *e = *find(w->s, w->path);
    bool known = e != NULL, same = known && looks_same(e, st);
    if (!known && (w->s->n >= ENTRIES_MAX || !(e = add(w->s, w->path)))) {
        w->err = w->s->n >= ENTRIES_MAX ? E2BIG : ENOMEM;
        return;
    }
    e->round = w->s->round;
    bool check = same && e->racy;
    uint64_t before = e->hash;
    remember(e, st, w->now);
    if (S_ISREG(st->st_mode) && (e->racy || check))
        e->hash = hash_file(dir, name);
    if (check && e->hash != before)
        same = false;
    if (S_ISLNK(st->st_mode) && !same) {
        free(e->target);
        e->target = read_target(dir, name);
    }
    if (!same)
        tell(w, e, known ? GUEST_CHANGED : GUEST_ADDED);
}

/* ---- the walk -------------------------------------------------------------------------------------- */

static bool is_left_out(const struct walk *w, const char *name)
{
    for (uint32_t i = 0; i < w->n_left_out; i++)
        if (strcmp(w->left_out[i], name) == 0)
            return true;
    return strncmp(name, ".whelk-", 7) == 0;
}

static void walk_directory(struct walk *w, int fd, int depth);

static void walk_entry(struct walk *w, int dir, const char *name, int depth)
{
    size_t at = w->path_n, n = strlen(name);
    struct stat st;
    if (is_left_out(w, name) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (at + n + 2 > sizeof w->path) {
        w->err = ENAMETOOLONG;
        return;
    }
    if (at)
        w->path[w->path_n++] = '/';
    memcpy(w->path + w->path_n, name, n + 1);
    w->path_n += n;
    look(w, dir, name, &st);
    if (S_ISDIR(st.st_mode) && !w->err) {
        int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0)
            walk_directory(w, fd, depth + 1);
    }
    w->path_n = at;
    w->path[at] = 0;
}

static void walk_directory(struct walk *w, int fd, int depth)
{
    DIR *d = depth > DEEPEST ? NULL : fdopendir(fd);
    struct dirent *e;
    if (!d) {
        w->err = depth > DEEPEST ? ELOOP : ENOMEM;
        close(fd);
        return;
    }
    while (!w->err && (e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            walk_entry(w, dirfd(d), e->d_name, depth);
    closedir(d);
}

static void tell_removed(struct walk *w)
{
    for (size_t i = 0; i < w->s->size; i++)
        for (struct seen_entry **at = &w->s->bucket[i]; *at;) {
            struct seen_entry *e = *at;
            if (e->round == w->s->round) {
                at = &e->next;
                continue;
            }
            tell(w, e, GUEST_REMOVED);
            forget(w->s, at);
        }
}

void guest_scan(struct guest *g, uint32_t id, struct guest_reader *r)
{
    static struct walk w;
    uint32_t n = guest_u32(r);
    w = (struct walk){.g = g, .s = table_of(g), .id = id, .now = wall()};
    if (r->bad || n > 1024 || !w.s || !(w.left_out = calloc((size_t)n + 1, sizeof *w.left_out))) {
        guest_error(g, id, r->bad || n > 1024 ? EINVAL : ENOMEM, "scan");
        return;
    }
    for (w.n_left_out = 0; w.n_left_out < n && !w.err; w.n_left_out++) {
        size_t k;
        const char *name = guest_text(r, &k);
        if (r->bad || !(w.left_out[w.n_left_out] = guest_copy(name, k))) {
            w.err = EINVAL;
            break;
        }
    }
    w.s->round++;
    int fd = w.err ? -1 : openat(g->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        walk_directory(&w, fd, 0);
    else if (!w.err)
        w.err = errno;
    if (!w.err)
        tell_removed(&w);
    for (uint32_t i = 0; i < w.n_left_out; i++)
        free(w.left_out[i]);
    free(w.left_out);
    if (w.err)
        guest_error(g, id, w.err, w.path);
    else
        guest_ok(g, id);
}

/* ---- what the host did itself ------------------------------------------------------------------------ */

static void forget_below(struct seen *s, const char *path)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < s->size; i++)
        for (struct seen_entry **at = &s->bucket[i]; *at;) {
            const char *p = (*at)->path;
            if (strncmp(p, path, n) == 0 && (p[n] == 0 || p[n] == '/'))
                forget(s, at);
            else
                at = &(*at)->next;
        }
}

void guest_scan_note(struct guest *g, const char *path, uint64_t hash)
{
    struct seen *s = table_of(g);
    char *copy = strdup(path);
    const char *name;
    struct stat st;
    int dir = s && copy ? guest_parent(g, copy, &name) : -1;
    if (dir < 0) {
        free(copy);
        return;
    }
    struct seen_entry *e = *find(s, path);
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        if (e)
            forget_below(s, path);
    } else if (e || (e = add(s, path))) {
        remember(e, &st, wall());
        e->hash = hash ? hash : e->racy ? hash_file(dir, name) : 0;
        e->round = s->round;
        if (S_ISLNK(st.st_mode)) {
            free(e->target);
            e->target = read_target(dir, name);
        }
    }
    close(dir);
    free(copy);
}
