/* sandbox_changes.c - what has changed below a directory since it was last asked: the difference of two retained trees
 *
 * Each directory that is asked for keeps the tree as it was then. Of the differences those are passed over that the
 * program's own requests made, as long as nobody has changed the file since.
 */
#include "api/sandbox_inprocess.h"

#include "base/sort.h"

#include <limits.h>

struct wk_inproc_track {
    struct wk_inproc_track *next;
    char *path; /* as it was asked for */
    struct wk_snapshot *base;
    struct wk_map own; /* absolute path -> struct wk_stat as the program left it; mode 0: removed */
};

static void forget_own(struct wk_inproc_box *b, struct wk_inproc_track *t)
{
    size_t pos = 0;
    void *v;
    while (wk_map_next(&t->own, &pos, NULL, &v))
        wk_free(b->mem, v);
    wk_map_release(&t->own);
}

void wk_inproc_changes_release(struct wk_inproc_box *b)
{
    while (b->tracks) {
        struct wk_inproc_track *t = b->tracks;
        b->tracks = t->next;
        forget_own(b, t);
        wk_snapshot_unref(t->base);
        wk_free(b->mem, t->path);
        wk_free(b->mem, t);
    }
}

/* ---- the program's own --------------------------------------------------------------------------------- */

/* The absolute name of a request's path, of which all but the last part is there. */
static int absolute(struct wk_inproc_box *b, const char *path, struct wk_buf *out)
{
    struct wk_cred cred = wk_inproc_cred(b);
    struct wk_inproc_place at;
    int r = wk_inproc_place_find(b, path, &at);
    if (r)
        return r;
    struct wk_str name = at.name;
    if (at.relative) {
        r = wk_vdir_path(at.dir, out);
    } else {
        while (name.n > 1 && name.p[name.n - 1] == '/')
            name.n--;
        size_t slash = (size_t)wk_str_rchr(name, '/');
        r = wk_vfs_realpath(b->s->vfs, &cred, NULL, slash ? wk_str_take(name, slash) : WK_STR("/"), WK_REALPATH_ALL,
                            out);
        name = wk_str_from(name, slash + 1);
    }
    if (!r && name.n && !wk_str_is(name, ".")) {
        if (out->n != 1)
            wk_buf_putc(out, '/');
        wk_buf_puts(out, name);
    }
    wk_inproc_place_release(&at);
    return r ? r : out->failed ? -WK_ENOMEM : 0;
}

/* Without memory, or by a clock that stands still, the change is told like anybody's. */
void wk_inproc_changes_own(struct wk_inproc_box *b, const char *path)
{
    struct wk_cred root = {0, 0, 022, NULL};
    struct wk_buf full;
    struct wk_stat st;
    if (!b->tracks || b->s->kern.clock.kind != WK_CLOCK_REAL)
        return;
    wk_buf_init(&full, b->mem, 1 << 20);
    if (absolute(b, path, &full) == 0) {
        if (wk_vfs_stat(b->s->vfs, &root, NULL, wk_buf_str(&full), WK_AT_NOFOLLOW, &st) != 0)
            st = (struct wk_stat){.mode = 0};
        for (struct wk_inproc_track *t = b->tracks; t; t = t->next) {
            struct wk_stat *copy = WK_NEW(b->mem, struct wk_stat);
            void **at = copy ? wk_map_put(&t->own, wk_buf_str(&full), NULL) : NULL;
            if (!at) {
                wk_free(b->mem, copy);
                continue;
            }
            wk_free(b->mem, *at);
            *copy = st;
            *at = copy;
        }
    }
    wk_buf_release(&full);
}

static bool is_same(const struct wk_stat *a, const struct wk_stat *b)
{
    if (a->ino != b->ino || a->birth != b->birth || a->mode != b->mode || a->uid != b->uid || a->gid != b->gid)
        return false;
    return WK_S_ISDIR(a->mode) || (a->size == b->size && a->mtim == b->mtim && a->ctim == b->ctim);
}

/* Is a path (now: NULL when it is gone) as the program's own requests left it, or in what they removed? */
static bool is_own(const struct wk_inproc_track *t, struct wk_str path, const struct wk_stat *now)
{
    const struct wk_stat *st = t->own.count ? wk_map_get(&t->own, path) : NULL;
    if (now)
        return st && st->mode && is_same(st, now);
    for (struct wk_str up = path; t->own.count && up.n > 1;) {
        st = wk_map_get(&t->own, up);
        if (st && !st->mode)
            return true;
        ptrdiff_t slash = wk_str_rchr(up, '/');
        up = wk_str_take(up, slash > 0 ? (size_t)slash : 0);
    }
    return false;
}

/* ---- the difference ------------------------------------------------------------------------------------- */

enum { WAS_REMOVED = 1, WAS_ADDED = 2, WAS_CHANGED = 4, WAS_MOVED = 8 };

struct change {
    char *path; /* absolute */
    size_t n;
    unsigned what;
};

struct gathering {
    struct wk_inproc_box *b;
    const whelk_file_request *r;
    struct wk_str top; /* the directory, absolute */
    struct change *v;
    size_t n, cap;
    struct wk_map index; /* path -> number + 1 */
    uint64_t removed_ino, removed_birth;
};

static bool is_below(const struct gathering *g, struct wk_str path)
{
    if (g->top.n == 1)
        return path.n > 1;
    return path.n > g->top.n + 1 && wk_str_starts(path, g->top) && path.p[g->top.n] == '/';
}

static bool has_left_out(const struct gathering *g, struct wk_str path)
{
    struct wk_str rest = wk_str_from(path, g->top.n == 1 ? 1 : g->top.n + 1);
    while (rest.n) {
        ptrdiff_t slash = wk_str_chr(rest, '/');
        struct wk_str name = slash < 0 ? rest : wk_str_take(rest, (size_t)slash);
        for (size_t i = 0; i < g->r->n_names; i++)
            if (wk_str_is(name, g->r->names[i]))
                return true;
        rest = slash < 0 ? wk_str("", 0) : wk_str_from(rest, (size_t)slash + 1);
    }
    return false;
}

static int gather(struct gathering *g, struct wk_str path, unsigned what)
{
    struct wk_mem *m = g->b->mem;
    void **at = wk_map_put(&g->index, path, NULL);
    if (!at || !wk_vec_grow(m, &g->v, &g->cap, g->n + 1, sizeof *g->v))
        return -WK_ENOMEM;
    if (*at) {
        g->v[(uintptr_t)*at - 1].what |= what;
        return 0;
    }
    char *copy = wk_strndup(m, path.p, path.n);
    if (!copy)
        return -WK_ENOMEM;
    g->v[g->n++] = (struct change){copy, path.n, what};
    *at = (void *)(uintptr_t)g->n;
    return 0;
}

static int take_difference(void *ctx, const struct wk_diff_entry *e)
{
    struct gathering *g = ctx;
    unsigned what = WAS_CHANGED;
    if (e->kind == WK_DIFF_REMOVED) {
        g->removed_ino = e->ino;
        g->removed_birth = e->birth;
        what = WAS_REMOVED;
    } else if (e->kind == WK_DIFF_ADDED) {
        bool moved = e->ino == g->removed_ino && e->birth == g->removed_birth && WK_S_ISDIR(e->mode);
        what = WAS_ADDED | (moved ? (unsigned)WAS_MOVED : 0u);
    } else if (!(e->what & (WK_DIFF_DATA | WK_DIFF_MODE | WK_DIFF_OWNER)) &&
               (WK_S_ISDIR(e->mode) || !(e->what & WK_DIFF_TIMES))) {
        return 0; /* names in a directory are told themselves */
    }
    if (e->root != WK_ROOT_INO || !is_below(g, e->path) || has_left_out(g, e->path))
        return 0;
    return gather(g, e->path, what);
}

static int by_path(void *ctx, const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    (void)ctx;
    return wk_str_cmp(wk_str(x->path, x->n), wk_str(y->path, y->n));
}

/* ---- telling ---------------------------------------------------------------------------------------------- */

static void tell_removed(const char *path, const whelk_file_events *events, void *ctx)
{
    whelk_file_entry e = {.size = sizeof e, .path = path, .change = WHELK_REMOVED, .type = WHELK_TYPE_OTHER};
    if (events->entry)
        events->entry(ctx, &e);
}

static int tell(struct gathering *g, const struct wk_inproc_track *t, const struct change *c, bool removals,
                const whelk_file_events *events, void *ctx)
{
    struct wk_cred cred = wk_inproc_cred(g->b);
    struct wk_str full = wk_str(c->path, c->n);
    struct wk_stat st;
    bool there = wk_vfs_stat(g->b->s->vfs, &cred, NULL, full, WK_AT_NOFOLLOW, &st) == 0;
    if (there == removals || is_own(t, full, there ? &st : NULL))
        return 0;
    struct wk_buf path;
    wk_buf_init(&path, g->b->mem, 1 << 20);
    wk_buf_put_c(&path, g->r->path);
    if (path.n && path.p[path.n - 1] != '/')
        wk_buf_putc(&path, '/');
    wk_buf_puts(&path, wk_str_from(full, g->top.n == 1 ? 1 : g->top.n + 1));
    int change = (c->what & (WAS_REMOVED | WAS_ADDED)) == WAS_ADDED ? WHELK_ADDED : WHELK_MODIFIED;
    int r = path.failed ? -WK_ENOMEM : 0;
    if (!r && !there)
        tell_removed(path.p, events, ctx);
    else if (!r)
        r = wk_inproc_tell_entry(g->b, NULL, full, false, path.p, change, events, ctx);
    if (!r && there && c->what & WAS_MOVED)
        r = wk_inproc_tell_below(g->b, g->r, NULL, full, path.p, UINT_MAX, WHELK_ADDED, events, ctx);
    wk_buf_release(&path);
    return r;
}

/* What is gone first, then what is there, directories before what is in them. */
static int tell_all(struct gathering *g, const struct wk_inproc_track *t, const whelk_file_events *events, void *ctx)
{
    const struct wk_sort how = {.cmp = by_path};
    int r = g->n ? wk_sort(g->b->mem, g->v, g->n, sizeof *g->v, &how) : 0;
    for (size_t i = g->n; i > 0 && !r; i--)
        r = tell(g, t, &g->v[i - 1], true, events, ctx);
    for (size_t i = 0; i < g->n && !r; i++)
        r = tell(g, t, &g->v[i], false, events, ctx);
    return r;
}

static void gathering_release(struct gathering *g)
{
    for (size_t i = 0; i < g->n; i++)
        wk_free(g->b->mem, g->v[i].path);
    wk_free(g->b->mem, g->v);
    wk_map_release(&g->index);
}

static struct wk_inproc_track *track_new(struct wk_inproc_box *b, const char *path)
{
    struct wk_inproc_track *t = WK_NEW(b->mem, struct wk_inproc_track);
    if (!t)
        return NULL;
    t->path = wk_strndup(b->mem, path, strlen(path));
    if (!t->path) {
        wk_free(b->mem, t);
        return NULL;
    }
    wk_map_init(&t->own, b->mem, 0x5bd1e995u, false);
    t->next = b->tracks;
    b->tracks = t;
    return t;
}

/* The directory must lie in the session's own tree: what is mounted there is in no snapshot. */
static int check_place(struct wk_inproc_box *b, struct wk_str top)
{
    struct wk_cred cred = wk_inproc_cred(b);
    struct wk_stat at, root;
    int r = wk_vfs_stat(b->s->vfs, &cred, NULL, top, 0, &at);
    if (!r)
        r = wk_vfs_stat(b->s->vfs, &cred, NULL, WK_STR("/"), 0, &root);
    if (!r && !WK_S_ISDIR(at.mode))
        r = -WK_ENOTDIR;
    return r ? r : at.dev != root.dev ? -WK_EOPNOTSUPP : 0;
}

int wk_inproc_changes(struct wk_inproc_box *b, const whelk_file_request *r, const whelk_file_events *events, void *ctx)
{
    struct wk_snapshot *now;
    struct wk_buf top;
    wk_buf_init(&top, b->mem, 1 << 20);
    int e = absolute(b, r->path, &top);
    if (!e)
        e = check_place(b, wk_buf_str(&top));
    if (!e)
        e = wk_vfs_snapshot(b->s->vfs, &now);
    if (e) {
        wk_buf_release(&top);
        return e;
    }
    struct wk_inproc_track *t = b->tracks;
    while (t && strcmp(t->path, r->path) != 0)
        t = t->next;
    if (!t && !(t = track_new(b, r->path))) {
        e = -WK_ENOMEM;
    } else if (t->base) {
        struct gathering g = {.b = b, .r = r, .top = wk_buf_str(&top)};
        wk_map_init(&g.index, b->mem, 0x9e3779b9u, false);
        e = wk_snapshot_diff(b->mem, t->base, now, take_difference, &g);
        if (!e)
            e = tell_all(&g, t, events, ctx);
        gathering_release(&g);
    }
    if (!e) { /* told: from here on */
        if (t->base)
            wk_snapshot_unref(t->base);
        t->base = now;
        now = NULL;
        forget_own(b, t);
        wk_map_init(&t->own, b->mem, 0x5bd1e995u, false);
    }
    if (now)
        wk_snapshot_unref(now);
    wk_buf_release(&top);
    return e;
}
