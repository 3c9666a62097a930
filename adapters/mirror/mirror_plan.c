/* mirror_plan.c - what a push has to do
 *
 * The difference of two snapshots names what may differ; each such path is looked at in both versions, by the user's
 * rights, and what makes the one into the other is noted. Below a directory that is another one than before (or has
 * come from elsewhere) everything is compared.
 */
#include "adapters/mirror/mirror_parts.h"
#include "base/sort.h"

enum { PENDING = 64 }; /* flag of a path that may differ: what the box has there is not what `base` says */

/* ---- lists of operations --------------------------------------------------------------------- */

void wk_mirror_ops_init(struct wk_mirror_ops *o, struct wk_mem *mem)
{
    *o = (struct wk_mirror_ops){0};
    wk_arena_init(&o->names, mem);
}

void wk_mirror_ops_release(struct wk_mirror_ops *o, struct wk_mem *mem)
{
    wk_arena_release(&o->names);
    wk_free(mem, o->v);
    wk_mirror_ops_init(o, mem);
}

int wk_mirror_ops_add(struct wk_mirror_ops *o, struct wk_mem *mem, size_t pair, struct wk_str path, unsigned kind,
                      unsigned flags, enum wk_mirror_type had)
{
    if (!wk_vec_grow(mem, &o->v, &o->cap, o->n + 1, sizeof *o->v))
        return -WK_ENOMEM;
    char *copy = wk_arena_strndup(&o->names, path.p, path.n);
    if (!copy)
        return -WK_ENOMEM;
    o->v[o->n++] = (struct wk_mirror_op){.path = wk_str(copy, path.n),
                                         .pair = (uint16_t)pair,
                                         .kind = (uint8_t)kind,
                                         .flags = (uint8_t)flags,
                                         .had = (uint8_t)had};
    return 0;
}

static int compare_ops(void *ctx, const void *a, const void *b)
{
    const struct wk_mirror_op *x = a, *y = b;
    (void)ctx;
    return x->pair != y->pair ? (x->pair < y->pair ? -1 : 1) : wk_mirror_path_cmp(x->path, y->path);
}

/* Of two operations on one path the one that does more stays. */
static void merge(struct wk_mirror_op *into, const struct wk_mirror_op *op)
{
    into->kind = WK_MIN(into->kind, op->kind);
    if (op->flags & PENDING)
        into->had = op->had;
    into->flags |= op->flags & (WK_MIRROR_CLEAR | WK_MIRROR_DEEP | WK_MIRROR_UNLOCK | PENDING);
}

const struct wk_mirror_op *wk_mirror_op_find(const struct wk_mirror_ops *o, size_t pair, struct wk_str path)
{
    struct wk_mirror_op key = {.path = path, .pair = (uint16_t)pair};
    size_t lo = 0, hi = o->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int order = compare_ops(NULL, &o->v[mid], &key);
        if (order == 0)
            return &o->v[mid];
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

bool wk_mirror_is_pending(const struct wk_mirror_ops *o, size_t pair, struct wk_str path)
{
    const struct wk_mirror_op *op = o->n ? wk_mirror_op_find(o, pair, path) : NULL;
    if (o->n == 0)
        return false;
    for (size_t n = path.n; !op && n > 0; n--) {
        if (path.p[n - 1] != '/')
            continue;
        op = wk_mirror_op_find(o, pair, wk_str_take(path, n - 1));
        if (op && op->kind != WK_MIRROR_REMOVE && !(op->flags & (WK_MIRROR_DEEP | WK_MIRROR_CLEAR)))
            op = NULL;
    }
    return op != NULL;
}

int wk_mirror_ops_sort(struct wk_mirror_ops *o, struct wk_mem *mem)
{
    struct wk_sort how = {.cmp = compare_ops};
    int err = wk_sort(mem, o->v, o->n, sizeof *o->v, &how);
    size_t n = 0;
    if (err)
        return err;
    for (size_t i = 0; i < o->n; i++) {
        if (n > 0 && compare_ops(NULL, &o->v[n - 1], &o->v[i]) == 0)
            merge(&o->v[n - 1], &o->v[i]);
        else
            o->v[n++] = o->v[i];
    }
    o->n = n;
    return 0;
}

/* ---- paths that may differ ------------------------------------------------------------------- */

struct plan {
    struct wk_mirror *m;
    struct wk_snapshot *now;
    struct wk_mirror_ops paths; /* candidates */
    struct wk_mirror_ops stack; /* directories whose entries are still to be compared; CLEAR: the old are unknown */
    struct wk_mirror_ops *out;
    struct wk_mirror_view old, new;
    size_t pair;
    uint64_t root;      /* of the pair, in the diff */
    struct wk_str dir;  /* its path from there */
    bool notes;
};

static int candidate(struct plan *p, struct wk_str path, unsigned flags, enum wk_mirror_type had)
{
    return wk_mirror_ops_add(&p->paths, p->m->mem, p->pair, path, 0, flags, had);
}

/* One entry of the diff: is it about this pair? */
static int collect(void *ctx, const struct wk_diff_entry *e)
{
    struct plan *p = ctx;
    if (e->root != p->root)
        return 0;
    if (wk_mirror_is_below(e->path, p->dir) && e->path.n > p->dir.n)
        return candidate(p, wk_str_from(e->path, p->dir.n + 1), 0, WK_MIRROR_NONE);
    /* The directory itself, or one above it, is another one. */
    if (e->kind != WK_DIFF_CHANGED && wk_mirror_is_below(p->dir, e->path))
        return candidate(p, WK_STR(""), WK_MIRROR_DEEP, WK_MIRROR_NONE);
    return 0;
}

static int collect_all(struct plan *p, const struct wk_mirror_ops *pending)
{
    struct wk_mirror *m = p->m;
    const struct wk_mirror_place *place = &m->places[p->pair];
    size_t skip;
    int err = wk_vfs_root_of(m->vfs, place->real, &p->root, &skip);
    p->dir = wk_str_from(place->real, skip);
    if (wk_str_is(p->dir, "/"))
        p->dir.n = 0;
    if (!err && (!m->base || !place->base_real.p || !wk_str_eq(place->base_real, place->real)))
        err = candidate(p, WK_STR(""), WK_MIRROR_DEEP, WK_MIRROR_NONE);
    else if (!err && m->base != p->now)
        err = wk_snapshot_diff(m->mem, m->base, p->now, collect, p);
    for (size_t i = 0; pending && i < pending->n && !err; i++) {
        const struct wk_mirror_op *op = &pending->v[i];
        unsigned flags = op->flags & (WK_MIRROR_DEEP | WK_MIRROR_CLEAR);
        if (op->kind == WK_MIRROR_REMOVE) /* what the box has there goes, whatever has come since */
            flags |= WK_MIRROR_CLEAR;
        if (op->pair == p->pair)
            err = candidate(p, op->path, PENDING | flags, (enum wk_mirror_type)op->had);
    }
    return err;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static int add(struct plan *p, struct wk_str path, unsigned kind, unsigned flags, const struct wk_mirror_file *had)
{
    enum wk_mirror_type type = wk_mirror_visible(had) ? had->type : WK_MIRROR_NONE;
    return path.n ? wk_mirror_ops_add(p->out, p->m->mem, p->pair, path, kind, flags, type) : 0;
}

static void note(struct plan *p, struct wk_str path, const char *why)
{
    if (p->notes)
        wk_mirror_note(p->m, &p->m->result->skipped, p->pair, path, why);
}

static bool same_attributes(const struct wk_mirror_file *a, const struct wk_mirror_file *b)
{
    return wk_mirror_mode(a) == wk_mirror_mode(b) && a->st.mtim == b->st.mtim;
}

/* What is not carried is not there for the box. */
static int plan_hidden(struct plan *p, struct wk_str path, const struct wk_mirror_file *o,
                       const struct wk_mirror_file *n, const struct wk_mirror_file *had, bool unknown)
{
    if (n->type == WK_MIRROR_SPECIAL && o->type != WK_MIRROR_SPECIAL)
        note(p, path, "special file");
    if (n->type == WK_MIRROR_HIDDEN && o->type != WK_MIRROR_HIDDEN)
        note(p, path, wk_err_text(WK_EACCES));
    if (!unknown && !wk_mirror_visible(o))
        return 0;
    if (path.n == 0)
        return wk_mirror_ops_add(&p->stack, p->m->mem, p->pair, path, 0, 0, WK_MIRROR_NONE);
    return add(p, path, WK_MIRROR_REMOVE, 0, had);
}

/* What is known of a path besides the two versions. */
struct known {
    bool deep;    /* all below it is looked at */
    bool unknown; /* of contents and attributes in the box nothing is known; deep: nor of what is below */
    unsigned flags;
    enum wk_mirror_type had; /* unknown: this is there */
};

/* Something in the box must go before n can take its place. */
static unsigned clearing(enum wk_mirror_type had, const struct wk_mirror_file *n)
{
    bool differs = had != WK_MIRROR_NONE && (had == WK_MIRROR_DIR) != (n->type == WK_MIRROR_DIR);
    return differs ? WK_MIRROR_CLEAR : 0;
}

static int plan_directory(struct plan *p, struct wk_str path, const struct wk_mirror_file *o,
                          const struct wk_mirror_file *n, const struct known *k, const struct wk_mirror_file *had)
{
    int err = 0;
    bool same = o->type == WK_MIRROR_DIR && o->st.ino == n->st.ino && o->st.birth == n->st.birth;
    if (k->unknown)
        err = add(p, path, WK_MIRROR_SEND, k->flags | clearing(k->had, n), had);
    else if (o->type != WK_MIRROR_DIR)
        err = add(p, path, WK_MIRROR_SEND, wk_mirror_visible(o) ? WK_MIRROR_CLEAR : WK_MIRROR_NEW, had);
    else if (!same_attributes(o, n))
        err = add(p, path, WK_MIRROR_ATTRIBUTES, 0, had);
    if (!err && (k->deep || !same))
        err = wk_mirror_ops_add(&p->stack, p->m->mem, p->pair, path, 0, k->unknown && k->deep ? WK_MIRROR_CLEAR : 0,
                                WK_MIRROR_NONE);
    return err;
}

static int plan_path(struct plan *p, struct wk_str path, const struct known *k)
{
    struct wk_mirror_file o, n;
    if (wk_mirror_is_mount(p->m, p->pair, path)) {
        note(p, path, "mounted");
        return 0;
    }
    int err = wk_mirror_look(&p->old, path, &o);
    if (!err)
        err = wk_mirror_look(&p->new, path, &n);
    if (err)
        return err;
    struct wk_mirror_file box = o;
    if (k->unknown)
        box.type = k->had;
    if (!wk_mirror_visible(&n))
        return plan_hidden(p, path, &o, &n, &box, k->unknown);
    if (n.type == WK_MIRROR_DIR)
        return plan_directory(p, path, &o, &n, k, &box);
    if (k->unknown)
        return add(p, path, WK_MIRROR_SEND, k->flags | clearing(k->had, &n), &box);
    int same = wk_mirror_same(&p->old, path, &o, &p->new, path, &n);
    if (same < 0)
        return same;
    if (same && (n.type == WK_MIRROR_LINK || same_attributes(&o, &n)))
        return 0;
    if (same)
        return add(p, path, WK_MIRROR_ATTRIBUTES, 0, &box);
    return add(p, path, WK_MIRROR_SEND, clearing(o.type, &n) | (wk_mirror_visible(&o) ? 0u : WK_MIRROR_NEW), &box);
}

/* The entries of a directory in either version. */
static int plan_entries(struct plan *p, struct wk_str dir, bool unknown)
{
    struct known k = {.deep = true, .unknown = unknown};
    struct wk_vlist *a = NULL, *b = NULL;
    struct wk_dirent x, y;
    struct wk_buf path;
    wk_buf_init(&path, p->m->mem, SIZE_MAX / 2);
    int err = unknown ? 0 : wk_mirror_list(&p->old, dir, &a);
    if (!err)
        err = wk_mirror_list(&p->new, dir, &b);
    int more_a = err || !a ? 0 : wk_vlist_next(a, &x), more_b = err || !b ? 0 : wk_vlist_next(b, &y);
    while (!err && (more_a > 0 || more_b > 0)) {
        int order = more_a <= 0 ? 1 : more_b <= 0 ? -1 : wk_str_cmp(x.name, y.name);
        wk_buf_reset(&path);
        wk_buf_puts(&path, dir);
        if (dir.n)
            wk_buf_putc(&path, '/');
        wk_buf_puts(&path, order <= 0 ? x.name : y.name);
        err = path.failed ? -WK_ENOMEM : plan_path(p, wk_buf_str(&path), &k);
        if (order <= 0)
            more_a = wk_vlist_next(a, &x);
        if (order >= 0)
            more_b = wk_vlist_next(b, &y);
    }
    wk_vlist_close(a);
    wk_vlist_close(b);
    wk_buf_release(&path);
    return err ? err : more_a < 0 ? more_a : more_b < 0 ? more_b : 0;
}

static int plan_stack(struct plan *p)
{
    int err = 0;
    while (!err && p->stack.n > 0) {
        struct wk_mirror_op dir = p->stack.v[--p->stack.n];
        err = plan_entries(p, dir.path, dir.flags & WK_MIRROR_CLEAR);
    }
    return err;
}

static int plan_pair(struct plan *p)
{
    const struct wk_mirror_op *over = NULL; /* all below it was looked at */
    struct wk_mirror *m = p->m;
    int err = wk_mirror_ops_sort(&p->paths, m->mem);
    for (size_t i = 0; i < p->paths.n && !err; i++) {
        const struct wk_mirror_op *c = &p->paths.v[i];
        struct known k = {.deep = c->flags & WK_MIRROR_DEEP,
                          .unknown = c->flags & PENDING,
                          .flags = c->flags & WK_MIRROR_CLEAR,
                          .had = (enum wk_mirror_type)c->had};
        size_t before = p->out->n;
        if (over && !k.unknown && wk_mirror_is_below(c->path, over->path))
            continue;
        err = plan_path(p, c->path, &k);
        bool gone = p->out->n > before && (p->out->v[p->out->n - 1].kind == WK_MIRROR_REMOVE ||
                                           (p->out->v[p->out->n - 1].flags & WK_MIRROR_CLEAR));
        if (!k.unknown && (gone || p->stack.n > 0))
            over = c;
        if (!err)
            err = plan_stack(p);
    }
    return err;
}

int wk_mirror_plan(struct wk_mirror *m, struct wk_snapshot *now, const struct wk_mirror_ops *pending, bool notes,
                   struct wk_mirror_ops *out)
{
    struct plan p = {.m = m, .now = now, .out = out, .notes = notes};
    int err = 0;
    for (p.pair = 0; p.pair < m->n_places && !err; p.pair++) {
        const struct wk_mirror_place *place = &m->places[p.pair];
        wk_mirror_ops_init(&p.paths, m->mem);
        wk_mirror_ops_init(&p.stack, m->mem);
        err = collect_all(&p, pending);
        if (!err && p.paths.n) {
            err = wk_mirror_view_open(&p.old, m->vfs, place->base_real.p ? m->base : NULL, false, place->base_real,
                                      &m->cred);
            if (!err)
                err = wk_mirror_view_open(&p.new, m->vfs, now, false, place->real, &m->cred);
            if (!err)
                err = plan_pair(&p);
            wk_mirror_view_close(&p.old);
            wk_mirror_view_close(&p.new);
        }
        wk_mirror_ops_release(&p.paths, m->mem);
        wk_mirror_ops_release(&p.stack, m->mem);
    }
    return err ? err : wk_mirror_ops_sort(out, m->mem);
}
