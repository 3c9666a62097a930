/* transfer.c - files that are received and sent
 *
 * A file is written beside its place and then renamed, so that nobody sees half of it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapters/guest/guest.h"

void guest_beside(const struct guest *g, uint32_t id, char *out, size_t n)
{
    snprintf(out, n, ".whelk-%08x%08x-%u", (unsigned)(g->random >> 32), (unsigned)g->random, (unsigned)id);
}

bool guest_is_beside(const struct guest *g, const char *name)
{
    char beside[64];
    if (strncmp(name, ".whelk-", 7) != 0)
        return false;
    guest_beside(g, 0, beside, sizeof beside);
    return strncmp(name, beside, strlen(beside) - 1) == 0;
}

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
    bool owned = t->uid != GUEST_SAME || t->gid != GUEST_SAME;
    if (!t->error && owned && fchown(t->fd, t->uid, t->gid) != 0 && !t->replaces)
        t->error = errno;
    if (!t->error && fchmod(t->fd, t->mode & 07777) != 0)
        t->error = errno;
    if (!t->error) {
        guest_set_mtime(t->dir, t->beside, t->mtime);
        if (renameat(t->dir, t->beside, t->dir, t->name) != 0)
            t->error = errno;
    }
    if (t->error) {
        guest_error(g, t->id, t->error, t->path);
    } else {
        free(t->beside);
        t->beside = NULL;
        guest_scan_note(g, t->path, &t->hash);
        guest_ok(g, t->id);
    }
    drop(g, t);
}

/* What is replaced passes on its owner and, when none is given, its mode. */
static void look_at_place(const struct guest *g, struct transfer *t)
{
    struct stat st;
    t->uid = g->uid;
    t->gid = g->gid;
    if (fstatat(t->dir, t->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        if (S_ISDIR(st.st_mode))
            t->error = EISDIR;
        if (S_ISREG(st.st_mode)) {
            bool ours = st.st_uid == geteuid() && st.st_gid == getegid();
            t->replaces = true;
            t->uid = ours ? GUEST_SAME : st.st_uid;
            t->gid = ours ? GUEST_SAME : st.st_gid;
            if (t->mode == GUEST_SAME)
                t->mode = st.st_mode;
        }
    }
    if (t->mode == GUEST_SAME)
        t->mode = 0644;
}

static int open_put(struct guest *g, struct transfer *t)
{
    char beside[64];
    const char *name;
    t->dir = guest_parent_of_name(g, t->path, &name);
    if (t->dir < 0)
        return errno;
    t->name = strdup(name);
    if (!t->name)
        return ENOMEM;
    look_at_place(g, t);
    if (t->error)
        return t->error;
    guest_beside(g, t->id, beside, sizeof beside);
    t->fd = openat(t->dir, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (t->fd < 0)
        return errno;
    t->beside = strdup(beside);
    if (!t->beside)
        (void)unlinkat(t->dir, beside, 0);
    return t->beside ? 0 : ENOMEM;
}

static void begin_put(struct guest *g, uint32_t id, struct guest_reader *r)
{
    uint32_t mode = guest_u32(r);
    int64_t mtime = (int64_t)guest_u64(r);
    uint64_t size = guest_u64(r);
    size_t n;
    const char *text = guest_text(r, &n);
    struct transfer *t = r->bad ? NULL : add(g, id);
    if (!t) {
        guest_error(g, id, r->bad ? EINVAL : ENOMEM, "put");
        return;
    }
    t->mode = mode;
    t->mtime = mtime;
    t->left = size;
    t->path = guest_copy(text, n);
    if (t->path)
        t->path = guest_follow(t->path);
    t->error = t->path ? open_put(g, t) : EINVAL;
    /* What cannot be is said at once: the rest of its data is then of an unknown file. */
    if (t->error) {
        guest_error(g, id, t->error, t->path ? t->path : "put");
        drop(g, t);
    } else if (!t->left) {
        finish_put(g, t);
    }
}

static int open_append(struct guest *g, struct transfer *t)
{
    const char *name;
    struct stat st;
    int dir = guest_parent(g, t->path, &name), err = errno;
    if (dir < 0)
        return err;
    int follow = *t->path == '/' ? 0 : O_NOFOLLOW;
    t->fd = openat(dir, name, O_WRONLY | O_APPEND | follow | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    err = errno;
    close(dir);
    if (t->fd < 0)
        return err;
    if (fstat(t->fd, &st) != 0)
        return errno;
    return S_ISREG(st.st_mode) ? 0 : EINVAL;
}

static void finish_append(struct guest *g, struct transfer *t)
{
    if (t->error) {
        guest_error(g, t->id, t->error, t->path ? t->path : "append");
    } else {
        guest_scan_note(g, t->path, NULL);
        guest_ok(g, t->id);
    }
    drop(g, t);
}

static void begin_append(struct guest *g, uint32_t id, struct guest_reader *r)
{
    uint64_t size = guest_u64(r);
    size_t n;
    const char *text = guest_text(r, &n);
    struct transfer *t = r->bad ? NULL : add(g, id);
    if (!t) {
        guest_error(g, id, r->bad ? EINVAL : ENOMEM, "append");
        return;
    }
    t->appends = true;
    t->left = size;
    t->path = guest_copy(text, n);
    t->error = t->path ? open_append(g, t) : EINVAL;
    if (t->error || !t->left)
        finish_append(g, t);
}

static void finish(struct guest *g, struct transfer *t)
{
    if (t->appends)
        finish_append(g, t);
    else
        finish_put(g, t);
}

static void take_data(struct guest *g, uint32_t id, struct guest_reader *r)
{
    struct transfer *t = find(g, id);
    size_t n = r->n;
    if (!t)
        return; /* answered already */
    if (n > t->left || t->sends) {
        guest_error(g, id, EPROTO, "data");
        drop(g, t);
        return;
    }
    const unsigned char *p = guest_take(r, n);
    t->left -= n;
    guest_hash_add(&t->hash, p, n);
    for (size_t at = 0; !t->error && at < n;) {
        ssize_t k = write(t->fd, p + at, n - at);
        if (k < 0 && errno != EINTR)
            t->error = errno;
        at += k > 0 ? (size_t)k : 0;
    }
    if (!t->left || t->error)
        finish(g, t);
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
        fd = openat(dir, name, O_RDONLY | (*path == '/' ? 0 : O_NOFOLLOW) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
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
        /* Files of /proc say that they have no size. */
        t->left = most < rest || !size ? most : rest;
        t->counts = !size;
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
        t->size += t->counts ? (uint64_t)n : 0;
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


void guest_transfer_request(struct guest *g, uint32_t type, uint32_t id, struct guest_reader *r)
{
    switch (type) {
    case GUEST_PUT: begin_put(g, id, r); break;
    case GUEST_PUT_DATA: take_data(g, id, r); break;
    case GUEST_APPEND: begin_append(g, id, r); break;
    default: begin_get(g, id, r); break;
    }
}
