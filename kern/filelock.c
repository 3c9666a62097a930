/* filelock.c - locks on whole files: who holds which, and waiting for them */
#include "kern/filelock.h"

#include "vfs/vfs.h"

/* One description's lock. Records of one file share its identity; those who wait for the file are
 * parked on the queue of one of them, and look again when any is given up. */
struct wk_filelock {
    struct wk_filelock *next;
    struct wk_file *file;
    enum wk_lock lock;
    uint64_t dev, ino, birth;
    struct wk_waitq waiting;
};

static struct wk_filelock identity_of(struct wk_file *f)
{
    struct wk_filelock id = {.file = f};
    struct wk_stat st;
    if ((f->kind == WK_FILE_VFS || f->kind == WK_FILE_DIR) && wk_file_stat(f, &st) == 0) {
        id.dev = st.dev;
        id.ino = st.ino;
        id.birth = st.birth;
    } else { /* pipes and streams: what they are of */
        id.dev = UINT64_MAX;
        id.ino = (uint64_t)(uintptr_t)(f->obj ? f->obj : (void *)f);
    }
    return id;
}

static bool same_file(const struct wk_filelock *a, const struct wk_filelock *b)
{
    return a->dev == b->dev && a->ino == b->ino && a->birth == b->birth;
}

/* Somebody else's lock that stands against this one. */
static struct wk_filelock *conflict(struct wk_kern *k, const struct wk_filelock *id,
                                    enum wk_lock lock)
{
    for (struct wk_filelock *l = k->filelocks; l; l = l->next)
        if (l->file != id->file && same_file(l, id) &&
            (lock == WK_LOCK_EXCLUSIVE || l->lock == WK_LOCK_EXCLUSIVE))
            return l;
    return NULL;
}

static struct wk_filelock *own(struct wk_file *f)
{
    struct wk_filelock *l = f->k->filelocks;
    while (l && l->file != f)
        l = l->next;
    return l;
}

void wk_filelock_drop(struct wk_file *f)
{
    for (struct wk_filelock **at = &f->k->filelocks; *at; at = &(*at)->next) {
        struct wk_filelock *l = *at;
        if (l->file != f)
            continue;
        *at = l->next;
        wk_waitq_wake_all(&l->waiting);
        wk_free(f->k->mem, l);
        return;
    }
}

bool wk_filelock_held(struct wk_file *f)
{
    struct wk_filelock id = identity_of(f);
    return conflict(f->k, &id, WK_LOCK_EXCLUSIVE) != NULL;
}

int wk_filelock(struct wk_task *t, struct wk_file *f, enum wk_lock lock, int64_t until_ns)
{
    struct wk_kern *k = f->k;
    struct wk_filelock id = identity_of(f), *mine = own(f), *other;
    if (mine && mine->lock == lock)
        return 0;
    wk_filelock_drop(f);
    if (lock == WK_LOCK_NONE)
        return 0;
    while ((other = conflict(k, &id, lock)) != NULL) {
        if (!until_ns)
            return -WK_EAGAIN;
        int r = wk_park(t, &other->waiting, until_ns, true);
        if (r)
            return r;
    }
    mine = own(f); /* another task got it for the same description meanwhile */
    if (mine) {
        mine->lock = lock;
        return 0;
    }
    struct wk_filelock *l = WK_NEW(k->mem, struct wk_filelock);
    if (!l)
        return -WK_ENOMEM;
    *l = id;
    l->lock = lock;
    l->next = k->filelocks;
    k->filelocks = l;
    return 0;
}
