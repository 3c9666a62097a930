/* snapshot.c - snapshots, restore, diff and forks of sessions */
#include "api/internal.h"

#include <stdlib.h>

static struct wk_snapshot *inner(const whelk_snapshot *s)
{
    union {
        const whelk_snapshot *in;
        struct wk_snapshot *out;
    } u = {.in = s};
    return u.out;
}

static whelk_snapshot *outer(struct wk_snapshot *s)
{
    union {
        struct wk_snapshot *in;
        whelk_snapshot *out;
    } u = {.in = s};
    return u.out;
}

int whelk_snapshot_take(whelk_session *s, whelk_snapshot **out)
{
    if (!s || !out)
        return WHELK_E_INVALID;
    struct wk_snapshot *snap;
    int r = wk_vfs_snapshot(s->vfs, &snap);
    *out = r ? NULL : outer(snap);
    return wk_api_error(r);
}

void whelk_snapshot_free(whelk_snapshot *snap)
{
    if (snap)
        wk_snapshot_unref(inner(snap));
}

int whelk_snapshot_restore(whelk_session *s, const whelk_snapshot *snap)
{
    if (!s || !snap)
        return WHELK_E_INVALID;
    bool busy = s->run || s->kern.task_count;
    return wk_api_error(wk_vfs_restore(s->vfs, inner(snap), busy));
}

struct diff_call {
    int (*visit)(void *ctx, int change, const char *path, const char *old_path);
    void *ctx;
    struct wk_buf removed; /* path of a REMOVED entry whose ADDED half may follow */
    uint64_t ino, birth;
    bool held;
};

static int flush_removed(struct diff_call *d)
{
    if (!d->held)
        return 0;
    d->held = false;
    return d->visit(d->ctx, WHELK_REMOVED, wk_buf_c(&d->removed), NULL);
}

static int visit_diff(void *ctx, const struct wk_diff_entry *e)
{
    struct diff_call *d = ctx;
    if (e->kind == WK_DIFF_ADDED && d->held && d->ino == e->ino && d->birth == e->birth) {
        d->held = false;
        return d->visit(d->ctx, WHELK_RENAMED, e->path.p, wk_buf_c(&d->removed));
    }
    int r = flush_removed(d);
    if (r)
        return r;
    switch (e->kind) {
    case WK_DIFF_ADDED:
        return d->visit(d->ctx, WHELK_ADDED, e->path.p, NULL);
    case WK_DIFF_REMOVED:
        wk_buf_reset(&d->removed);
        if (!wk_buf_puts(&d->removed, e->path))
            return -WK_ENOMEM;
        d->ino = e->ino;
        d->birth = e->birth;
        d->held = true;
        return 0;
    case WK_DIFF_CHANGED:
        if (WK_S_ISDIR(e->mode) && !(e->what & (WK_DIFF_MODE | WK_DIFF_OWNER)))
            return 0; /* its entries are reported themselves */
        return d->visit(d->ctx, e->what & WK_DIFF_DATA ? WHELK_MODIFIED : WHELK_METADATA, e->path.p,
                        NULL);
    }
    return 0;
}

int whelk_snapshot_diff(const whelk_snapshot *a, const whelk_snapshot *b,
                        int (*visit)(void *ctx, int change, const char *path, const char *old_path),
                        void *ctx)
{
    if (!a || !b || !visit)
        return WHELK_E_INVALID;
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    if (!m)
        return WHELK_E_NOMEM;
    struct diff_call d = {.visit = visit, .ctx = ctx};
    wk_buf_init(&d.removed, m, SIZE_MAX / 2);
    int r = wk_snapshot_diff(m, inner(a), inner(b), visit_diff, &d);
    if (!r)
        r = flush_removed(&d);
    wk_buf_release(&d.removed);
    wk_mem_unref(m);
    return r == -WK_ENOMEM ? WHELK_E_NOMEM : r;
}
