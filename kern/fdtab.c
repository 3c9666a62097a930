/* fdtab.c - descriptor tables, copied on write */
#include "kern/fdtab.h"

#include "kern/sched.h"

enum { FIRST_ENTRIES = 8 };

struct wk_fdtab *wk_fdtab_new(struct wk_kern *k)
{
    struct wk_fdtab *t = wk_pool_take(k, WK_POOL_FDTAB, sizeof *t);
    if (t)
        *t = (struct wk_fdtab){
            .refs = 1, .k = k, .limit = (uint32_t)WK_MIN(k->limits.fds, (uint64_t)INT32_MAX)};
    return t;
}

struct wk_fdtab *wk_fdtab_ref(struct wk_fdtab *t)
{
    t->refs++;
    return t;
}

void wk_fdtab_unref(struct wk_fdtab *t)
{
    if (!t || --t->refs)
        return;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->ents[i].file)
            wk_file_unref(t->ents[i].file);
    wk_free(t->k->mem, t->ents);
    wk_pool_give(t->k, WK_POOL_FDTAB, t);
}

static int reserve(struct wk_fdtab *t, uint32_t n)
{
    size_t cap = t->cap;
    if (n <= t->cap)
        return 0;
    if (!wk_vec_grow(t->k->mem, &t->ents, &cap, n < FIRST_ENTRIES ? FIRST_ENTRIES : n,
                     sizeof *t->ents))
        return -WK_ENOMEM;
    memset(t->ents + t->cap, 0, (cap - t->cap) * sizeof *t->ents);
    t->cap = (uint32_t)cap;
    return 0;
}

/* A table that only this holder refers to. */
static int own(struct wk_fdtab **at)
{
    struct wk_fdtab *t = *at;
    if (t->refs == 1)
        return 0;
    struct wk_fdtab *c = wk_fdtab_new(t->k);
    if (!c)
        return -WK_ENOMEM;
    if (reserve(c, t->n) != 0) {
        wk_fdtab_unref(c);
        return -WK_ENOMEM;
    }
    for (uint32_t i = 0; i < t->n; i++) {
        c->ents[i] = t->ents[i];
        if (c->ents[i].file)
            wk_file_ref(c->ents[i].file);
    }
    c->n = t->n;
    c->limit = t->limit;
    t->refs--;
    *at = c;
    return 0;
}

static void shrink(struct wk_fdtab *t)
{
    while (t->n && !t->ents[t->n - 1].file)
        t->n--;
}

int wk_fd_set(struct wk_fdtab **at, int fd, struct wk_file *file, bool cloexec)
{
    int r = fd < 0 || (uint32_t)fd >= (*at)->limit ? -WK_EBADF : own(at);
    if (!r)
        r = reserve(*at, (uint32_t)fd + 1);
    if (r) {
        wk_file_unref(file);
        return r;
    }
    struct wk_fdtab *t = *at;
    struct wk_file *old = (uint32_t)fd < t->n ? t->ents[fd].file : NULL;
    t->ents[fd] = (struct wk_fdent){file, cloexec};
    if ((uint32_t)fd >= t->n)
        t->n = (uint32_t)fd + 1;
    if (old)
        wk_file_unref(old);
    return 0;
}

int wk_fd_add(struct wk_fdtab **at, int least, struct wk_file *file, bool cloexec)
{
    int fd = least < 0 ? 0 : least;
    while ((uint32_t)fd < (*at)->n && (*at)->ents[fd].file)
        fd++;
    if ((uint32_t)fd >= (*at)->limit) {
        wk_file_unref(file);
        return -WK_EMFILE;
    }
    int r = wk_fd_set(at, fd, file, cloexec);
    return r ? r : fd;
}

int wk_fd_dup2(struct wk_fdtab **at, int from, int to)
{
    struct wk_file *f = wk_fd_get(*at, from);
    if (!f)
        return -WK_EBADF;
    if (from == to)
        return 0;
    return wk_fd_set(at, to, wk_file_ref(f), false);
}

int wk_fd_close(struct wk_fdtab **at, int fd)
{
    struct wk_file *f = wk_fd_get(*at, fd);
    if (!f)
        return -WK_EBADF;
    int r = own(at);
    if (r)
        return r;
    (*at)->ents[fd] = (struct wk_fdent){NULL, false};
    shrink(*at);
    wk_file_unref(f);
    return 0;
}

int wk_fd_limit(struct wk_fdtab **at, uint64_t limit)
{
    int r = own(at);
    if (!r)
        (*at)->limit = (uint32_t)WK_MIN(limit, (uint64_t)INT32_MAX);
    return r;
}

int wk_fd_close_on_exec(struct wk_fdtab **at)
{
    bool any = false;
    for (uint32_t i = 0; i < (*at)->n && !any; i++)
        any = (*at)->ents[i].file && (*at)->ents[i].cloexec;
    int r = any ? own(at) : 0;
    if (!any || r)
        return r;
    struct wk_fdtab *t = *at;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->ents[i].file && t->ents[i].cloexec) {
            struct wk_file *f = t->ents[i].file;
            t->ents[i] = (struct wk_fdent){NULL, false};
            wk_file_unref(f);
        }
    shrink(t);
    return 0;
}
