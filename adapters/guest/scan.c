/* scan.c - what has changed below a directory since the last look
 *
 * An entry is taken for unchanged when its inode, size, mtime and ctime are: ctime cannot be set back. Where it was
 * changed so shortly before a look that a later change could bear the same ctime, the contents are hashed, as git does.
 * A local file system stamps by the coarse clock: what is older than its last tick is safe at once.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "adapters/guest/guest.h"

enum { ENTRIES_MAX = 1000000, TABLES_MAX = 64, DEEPEST = 400, PATH_MOST = 8192, NAMES_MOST = 1024 };
#define TICK_NS 20000000LL
#define FOREIGN_TICK_NS 2000000000LL /* of file systems of other machines, and of FAT */

struct seen_entry {
    struct seen_entry *next; /* of its bucket */
    uint64_t inode, device, size, hash;
    int64_t mtime, ctime;
    uint32_t mode, links, uid, gid, round;
    bool racy; /* hash, or target, tells what the times cannot */
    char *target;
    char path[];
};

struct seen {
    struct seen *next;
    char *start, *base; /* as it was asked for; as an absolute path, by its text */
    struct seen_entry **bucket;
    size_t size, n;
    uint32_t round;
    uint64_t device;
    int64_t tick; /* of its file system; 0: the coarse clock's */
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

/* ---- the table ----------------------------------------------------------------------------------- */

static uint64_t path_hash(const char *p)
{
    uint64_t h = 1469598103934665603u;
    for (; *p; p++)
        h = (h ^ (unsigned char)*p) * 0x100000001b3u;
    return h ^ h >> 29;
}

static size_t slot(const struct seen *s, const char *path)
{
    return (size_t)path_hash(path) & (s->size - 1);
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

static void free_table(struct seen *s)
{
    for (size_t i = 0; i < s->size; i++)
        while (s->bucket[i])
            forget(s, &s->bucket[i]);
    free(s->bucket);
    free(s->start);
    free(s->base);
    free(s);
}

static void drop_table(struct guest *g, struct seen *s)
{
    struct seen **at = &g->seen;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    free_table(s);
}

/* A path as an absolute one, by its text; NULL without memory. */
static char *absolute(const struct guest *g, const char *path)
{
    const char *root = *path == '/' ? "" : g->root_path;
    size_t n = strlen(root), k = strlen(path);
    char *p = malloc(n + k + 2);
    if (!p)
        return NULL;
    memcpy(p, root, n);
    if (n && k && p[n - 1] != '/')
        p[n++] = '/';
    memcpy(p + n, path, k + 1);
    for (n += k; n > 1 && p[n - 1] == '/'; n--)
        p[n - 1] = 0;
    return p;
}

/* What of an absolute path lies below the table's directory; NULL: it does not. */
static const char *below(const struct seen *s, const char *path)
{
    size_t n = strlen(s->base);
    if (strncmp(path, s->base, n) != 0)
        return NULL;
    if (n && s->base[n - 1] == '/')
        return path[n] ? path + n : NULL;
    return path[n] == '/' && path[n + 1] ? path + n + 1 : NULL;
}

/* The table of a start; a new one has *fresh. */
static struct seen *table_of(struct guest *g, const char *start, bool *fresh, int *err)
{
    size_t n = 0;
    *fresh = false;
    for (struct seen *s = g->seen; s; s = s->next, n++)
        if (strcmp(s->start, start) == 0)
            return s;
    *err = n >= TABLES_MAX ? ENOSPC : ENOMEM;
    struct seen *s = n >= TABLES_MAX ? NULL : calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->start = strdup(start);
    s->base = absolute(g, start);
    if (!s->start || !s->base || !grow(s)) {
        free_table(s);
        return NULL;
    }
    *err = 0;
    *fresh = true;
    s->next = g->seen;
    g->seen = s;
    return s;
}

/* ---- one entry ------------------------------------------------------------------------------------ */

static int64_t ns(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME_COARSE, &t);
    return ns(t);
}

/* How coarse a directory's file system may stamp; 0: by this kernel's coarse clock. */
static int64_t tick_of(int dir, uint64_t *device)
{
    static const uint32_t local[] = {0xef53 /* ext */, 0x58465342 /* XFS */, 0x9123683e /* Btrfs */,
                                     0x01021994 /* tmpfs */, 0x794c7630 /* overlay */, 0xf2f52010 /* F2FS */};
    struct statfs f;
    struct stat st;
    if (fstatfs(dir, &f) != 0 || fstat(dir, &st) != 0)
        return FOREIGN_TICK_NS;
    *device = st.st_dev;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if ((uint32_t)f.f_type == local[i])
            return 0;
    return (uint32_t)f.f_type == 0x2fc12fc1 /* ZFS */ ? TICK_NS : FOREIGN_TICK_NS;
}

static uint64_t hash_file(int dir, const char *name)
{
    static unsigned char bytes[GUEST_CHUNK];
    struct guest_hash hash = {0};
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    ssize_t n;
    while (fd >= 0 && (n = read(fd, bytes, sizeof bytes)) > 0)
        guest_hash_add(&hash, bytes, (size_t)n);
    if (fd >= 0)
        close(fd);
    return guest_hash_end(&hash);
}

/* Whether a change from now on could leave the times as they are. */
static bool is_racy(const struct seen *s, const struct stat *st, int64_t now)
{
    int64_t tick = st->st_dev == s->device ? s->tick : FOREIGN_TICK_NS;
    return (S_ISREG(st->st_mode) || S_ISLNK(st->st_mode)) && ns(st->st_ctim) >= now - tick;
}

static void remember(struct seen_entry *e, const struct stat *st, bool racy)
{
    e->inode = st->st_ino;
    e->device = st->st_dev;
    e->size = (uint64_t)st->st_size;
    e->mtime = ns(st->st_mtim);
    e->ctime = ns(st->st_ctim);
    e->mode = st->st_mode;
    e->links = (uint32_t)st->st_nlink;
    e->uid = st->st_uid;
    e->gid = st->st_gid;
    e->racy = racy;
}

static bool looks_same(const struct seen_entry *e, const struct stat *st)
{
    bool dir = S_ISDIR(st->st_mode);
    return e->inode == st->st_ino && e->device == st->st_dev && e->mode == st->st_mode && e->mtime == ns(st->st_mtim) &&
           (dir || (e->ctime == ns(st->st_ctim) && e->size == (uint64_t)st->st_size));
}

static void tell(struct walk *w, const struct seen_entry *e, enum guest_change change)
{
    struct guest_entry t = {.mode = e->mode,
                            .links = e->links,
                            .uid = e->uid,
                            .gid = e->gid,
                            .mtime = e->mtime,
                            .size = e->size,
                            .inode = e->inode,
                            .device = e->device,
                            .path = e->path,
                            .target = e->target};
    if (!w->quiet && !guest_tell(w->g, w->id, change, &t))
        w->err = ENOMEM;
}

static void look(struct walk *w, int dir, const char *name, const struct stat *st)
{
    struct seen_entry *e = *find(w->s, w->path);
    bool known = e != NULL, same = known && looks_same(e, st), racy = is_racy(w->s, st, w->now);
    if (!known && (w->s->n >= ENTRIES_MAX || !(e = add(w->s, w->path)))) {
        w->err = w->s->n >= ENTRIES_MAX ? E2BIG : ENOMEM;
        return;
    }
    e->round = w->s->round;
    bool check = same && e->racy;
    uint64_t before = e->hash;
    remember(e, st, racy);
    if (S_ISREG(st->st_mode) && (racy || check))
        e->hash = hash_file(dir, name);
    if (check && e->hash != before)
        same = false;
    if (!S_ISLNK(st->st_mode)) { /* it may have been one */
        free(e->target);
        e->target = NULL;
    } else if (!same || check) {
        char *target = guest_read_target(dir, name);
        if (check && (!target || !e->target || strcmp(target, e->target) != 0))
            same = false;
        free(e->target);
        e->target = target;
    }
    if (!same)
        tell(w, e, known ? GUEST_CHANGED : GUEST_ADDED);
}

/* ---- the walk -------------------------------------------------------------------------------------- */

static bool is_left_out(const struct walk *w, const char *name, size_t n)
{
    for (uint32_t i = 0; i < w->n_left_out; i++)
        if (strncmp(w->left_out[i], name, n) == 0 && !w->left_out[i][n])
            return true;
    return false;
}

/* Whether a name of the path is one that is left out: then it has not gone, it is not looked at. */
static bool lies_left_out(const struct walk *w, const char *path)
{
    for (const char *p = path;; p++) {
        size_t n = strcspn(p, "/");
        if (is_left_out(w, p, n))
            return true;
        p += n;
        if (!*p)
            return false;
    }
}

static void walk_directory(struct walk *w, int fd, int depth);

static void walk_entry(struct walk *w, int dir, const char *name, int depth)
{
    size_t at = w->path_n, n = strlen(name);
    struct stat st;
    if (is_left_out(w, name, n) || guest_is_beside(w->g, name) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
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
        w->err = depth > DEEPEST ? ENAMETOOLONG : ENOMEM;
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
            if (!lies_left_out(w, e->path))
                tell(w, e, GUEST_REMOVED);
            forget(w->s, at);
        }
}

static int read_names(struct walk *w, struct guest_reader *r)
{
    uint32_t n = guest_u32(r);
    if (r->bad || n > NAMES_MOST)
        return EINVAL;
    w->left_out = calloc((size_t)n + 1, sizeof *w->left_out);
    if (!w->left_out)
        return ENOMEM;
    for (; w->n_left_out < n; w->n_left_out++) {
        size_t k;
        const char *name = guest_text(r, &k);
        if (r->bad || !(w->left_out[w->n_left_out] = guest_copy(name, k)))
            return EINVAL;
    }
    return 0;
}

static int open_start(struct guest *g, char *start)
{
    const char *name;
    int dir = guest_parent(g, start, &name);
    if (dir < 0)
        return -1;
    int fd = guest_open_dir(dir, name, *start == '/'), err = errno;
    close(dir);
    errno = err;
    return fd;
}

void guest_scan(struct guest *g, uint32_t id, struct guest_reader *r)
{
    static struct walk w;
    size_t n;
    const char *text = guest_text(r, &n);
    char *start = r->bad ? NULL : guest_copy(text, n);
    w = (struct walk){.g = g, .id = id, .now = wall()};
    w.err = start ? read_names(&w, r) : EINVAL;
    int fd = w.err ? -1 : open_start(g, start);
    if (!w.err && fd < 0)
        w.err = errno;
    if (!w.err && !(w.s = table_of(g, start, &w.quiet, &w.err)))
        close(fd);
    if (w.s) {
        w.s->round++;
        w.s->tick = tick_of(fd, &w.s->device);
        walk_directory(&w, fd, 0);
        if (!w.err)
            tell_removed(&w);
        if (w.err)
            drop_table(g, w.s);
    }
    for (uint32_t i = 0; i < w.n_left_out; i++)
        free(w.left_out[i]);
    free(w.left_out);
    if (w.err)
        guest_error(g, id, w.err, *w.path ? w.path : start ? start : "scan");
    else
        guest_ok(g, id);
    free(start);
}

/* ---- what the host did itself ------------------------------------------------------------------------ */

static bool lies_below(const char *path, const char *dir, size_t n)
{
    return strncmp(path, dir, n) == 0 && (path[n] == 0 || path[n] == '/');
}

static void forget_below(struct seen *s, const char *path)
{
    size_t n = strlen(path);
    struct seen_entry **one = find(s, path);
    if (!*one)
        return;
    if (!S_ISDIR((*one)->mode)) {
        forget(s, one);
        return;
    }
    for (size_t i = 0; i < s->size; i++)
        for (struct seen_entry **at = &s->bucket[i]; *at;)
            if (lies_below((*at)->path, path, n))
                forget(s, at);
            else
                at = &(*at)->next;
}

/* The directory of a path that was changed has another mtime since. */
static void note_parent(struct seen *s, int dir, const char *path)
{
    const char *slash = strrchr(path, '/');
    struct stat st;
    char parent[PATH_MOST];
    size_t n = slash ? (size_t)(slash - path) : 0;
    if (!slash || n >= sizeof parent || fstat(dir, &st) != 0)
        return;
    memcpy(parent, path, n);
    parent[n] = 0;
    struct seen_entry *e = *find(s, parent);
    if (e && e->inode == st.st_ino && e->device == st.st_dev)
        e->mtime = ns(st.st_mtim);
}

static void note_in(struct seen *s, int dir, const char *name, const char *path, const struct guest_hash *contents)
{
    struct seen_entry *e = *find(s, path);
    struct stat st;
    int64_t now = wall();
    note_parent(s, dir, path);
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        forget_below(s, path);
        return;
    }
    if (!e && !(e = add(s, path)))
        return;
    /* Whoever writes to what the host has just dated back gives it another mtime. */
    bool racy = is_racy(s, &st, now) && (!contents || ns(st.st_mtim) >= now - TICK_NS - s->tick);
    remember(e, &st, racy);
    if (S_ISREG(st.st_mode))
        e->hash = !racy ? 0 : contents ? guest_hash_end(contents) : hash_file(dir, name);
    e->round = s->round;
    free(e->target);
    e->target = S_ISLNK(st.st_mode) ? guest_read_target(dir, name) : NULL;
}

void guest_scan_note(struct guest *g, const char *path, const struct guest_hash *contents)
{
    const char *name, *rest;
    char *copy = g->seen ? strdup(path) : NULL, *whole = copy ? absolute(g, path) : NULL;
    int dir = whole ? guest_parent(g, copy, &name) : -1;
    for (struct seen *s = dir >= 0 ? g->seen : NULL; s; s = s->next)
        if ((rest = below(s, whole)))
            note_in(s, dir, name, rest, contents);
    if (dir >= 0)
        close(dir);
    free(copy);
    free(whole);
}

static bool knows_in(struct seen *s, int dir, const char *name, const char *path)
{
    const struct seen_entry *e = *find(s, path);
    struct stat st;
    if (!e || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !looks_same(e, &st))
        return false;
    return !e->racy || !S_ISREG(st.st_mode) || hash_file(dir, name) == e->hash;
}

bool guest_scan_knows(struct guest *g, const char *path, int dir, const char *name)
{
    const char *rest;
    char *whole = g->seen ? absolute(g, path) : NULL;
    bool known = true;
    for (struct seen *s = whole ? g->seen : NULL; s && known; s = s->next)
        known = !(rest = below(s, whole)) || knows_in(s, dir, name, rest);
    free(whole);
    return known;
}

void guest_scan_doubt(struct guest *g, const char *path)
{
    const char *rest;
    char *whole = g->seen ? absolute(g, path) : NULL;
    for (struct seen *s = whole ? g->seen : NULL; s; s = s->next)
        if ((rest = below(s, whole)) && *find(s, rest))
            (*find(s, rest))->inode = 0;
    free(whole);
}

/* What lies below a directory that was renamed is known by its new path. */
static void move_entries(struct seen *s, const char *from, const char *to)
{
    size_t n = strlen(from), k = strlen(to);
    struct seen_entry *moved = NULL;
    for (size_t i = 0; i < s->size; i++)
        for (struct seen_entry **at = &s->bucket[i]; *at;) {
            struct seen_entry *e = *at;
            if (!lies_below(e->path, from, n)) {
                at = &e->next;
                continue;
            }
            *at = e->next;
            e->next = moved;
            moved = e;
            s->n--;
        }
    while (moved) {
        struct seen_entry *e = moved, *there;
        size_t rest = strlen(e->path + n) + 1;
        moved = e->next;
        char *path = malloc(k + rest);
        if (path) {
            memcpy(path, to, k);
            memcpy(path + k, e->path + n, rest);
            if ((there = add(s, path))) {
                char *target = e->target;
                struct seen_entry *next = there->next;
                memcpy(there, e, sizeof *there);
                there->next = next;
                there->target = target;
                e->target = NULL;
            }
        }
        free(path);
        free(e->target);
        free(e);
    }
}

void guest_scan_note_move(struct guest *g, const char *from, const char *to)
{
    char *old = g->seen ? absolute(g, from) : NULL, *new = old ? absolute(g, to) : NULL;
    for (struct seen *s = new ? g->seen : NULL; s; s = s->next) {
        const char *before = below(s, old), *after = below(s, new);
        if (after)
            forget_below(s, after);
        if (before && after && *find(s, before))
            move_entries(s, before, after);
    }
    guest_scan_note(g, from, NULL);
    guest_scan_note(g, to, NULL);
    free(old);
    free(new);
}
