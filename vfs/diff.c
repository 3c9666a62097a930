/* diff.c - what differs between two versions of the tree
 *
 * The two radix trees are walked side by side and equal subtrees skipped, so the cost is that of
 * the changed inodes; names come from the inodes' back-links.
 */
#include "vfs/namespace.h"

struct diff {
    struct wk_snapshot *a, *b;
    int (*fn)(void *ctx, const struct wk_diff_entry *e);
    void *ctx;
    struct wk_buf path;
};

/* One name of an inode. */
struct link {
    uint64_t dir;
    struct wk_name *name;
};

/* Walks all names of an inode: the inline one first, then the tree's. */
struct link_walk {
    const struct wk_inode *ip;
    bool first;
    struct wk_dcursor cursor;
};

static struct link_walk links_of(const struct wk_inode *ip)
{
    struct link_walk w = {.ip = ip, .first = true};
    wk_dcursor_start(&w.cursor, wk_inode_is_dir(ip) ? NULL : ip->links);
    return w;
}

static bool next_link(struct link_walk *w, struct link *out)
{
    if (w->first) {
        w->first = false;
        if (w->ip->name) {
            *out = (struct link){w->ip->dir, w->ip->name};
            return true;
        }
    }
    struct wk_dent *e = wk_dcursor_next(&w->cursor);
    if (e)
        *out = (struct link){e->key, e->name};
    return e != NULL;
}

static bool has_link(const struct wk_inode *ip, const struct link *l)
{
    struct wk_str name = wk_str(l->name->s, l->name->b.n);
    if (ip->dir == l->dir && ip->name && wk_str_eq(wk_str(ip->name->s, ip->name->b.n), name))
        return true;
    return !wk_inode_is_dir(ip) && wk_dtree_find(ip->links, l->dir, name);
}

/* The directory of that number is the same one in both trees. */
static bool same_dir(const struct diff *d, uint64_t ino)
{
    const struct wk_inode *a = wk_tree_get(d->a, ino), *b = wk_tree_get(d->b, ino);
    return a && b && a->birth == b->birth;
}

static void turn_round(char *p, size_t n)
{
    for (size_t i = 0, j = n; i + 1 < j; i++) {
        char c = p[i];
        p[i] = p[--j];
        p[j] = c;
    }
}

static void put_backwards(struct wk_buf *b, const struct wk_name *name)
{
    for (size_t n = name->b.n; n > 0; n--)
        wk_buf_putc(b, name->s[n - 1]);
    wk_buf_putc(b, '/');
}

/* The path of a name in tree t, into d->path; the number of the root it hangs from. */
static int path_of(struct diff *d, const struct wk_snapshot *t, const struct link *l,
                   uint64_t *root)
{
    wk_buf_reset(&d->path);
    put_backwards(&d->path, l->name);
    uint64_t dir = l->dir;
    for (;;) {
        const struct wk_inode *ip = wk_tree_get(t, dir);
        if (!ip)
            return -WK_EBUG;
        if (!ip->dir)
            break;
        put_backwards(&d->path, ip->name);
        dir = ip->dir;
    }
    *root = dir;
    if (d->path.failed)
        return -WK_ENOMEM;
    turn_round(d->path.p, d->path.n);
    return 0;
}

static int report(struct diff *d, const struct wk_snapshot *t, const struct wk_inode *ip,
                  const struct link *l, enum wk_diff_kind kind, uint32_t what)
{
    struct wk_diff_entry e = {
        .kind = kind,
        .what = what,
        .ino = ip->ino,
        .birth = ip->birth,
        .mode = ip->mode,
        .size = wk_inode_is_dir(ip) ? 0 : ip->size,
    };
    if (l->name->s[0] == '/')
        return 0; /* what an overlay has put aside */
    int err = path_of(d, t, l, &e.root);
    if (err)
        return err;
    e.path = wk_buf_str(&d->path);
    return d->fn(d->ctx, &e);
}

static int report_all(struct diff *d, const struct wk_snapshot *t, const struct wk_inode *ip,
                      enum wk_diff_kind kind)
{
    struct link_walk w = links_of(ip);
    struct link l;
    int err = 0;
    while (err == 0 && next_link(&w, &l))
        err = report(d, t, ip, &l, kind, 0);
    return err;
}

static uint32_t what_changed(const struct wk_inode *a, const struct wk_inode *b)
{
    uint32_t what = 0;
    bool dir = wk_inode_is_dir(a);
    if (a->data != b->data || (!dir && a->size != b->size))
        what |= dir ? WK_DIFF_LINKS : WK_DIFF_DATA;
    if (a->mode != b->mode)
        what |= WK_DIFF_MODE;
    if (a->uid != b->uid || a->gid != b->gid)
        what |= WK_DIFF_OWNER;
    if (a->mtim != b->mtim || a->atim != b->atim)
        what |= WK_DIFF_TIMES;
    if (a->nlink != b->nlink)
        what |= WK_DIFF_LINKS;
    return what;
}

/* Names of `from` (in tree t) that `to` lacks. */
static int report_missing(struct diff *d, const struct wk_snapshot *t, const struct wk_inode *from,
                          const struct wk_inode *to, enum wk_diff_kind kind)
{
    struct link_walk w = links_of(from);
    struct link l;
    int err = 0;
    while (err == 0 && next_link(&w, &l))
        if (!has_link(to, &l) || !same_dir(d, l.dir))
            err = report(d, t, from, &l, kind, 0);
    return err;
}

static int compare_inodes(struct diff *d, const struct wk_inode *a, const struct wk_inode *b)
{
    if (a && b && a->birth == b->birth) {
        int err = report_missing(d, d->a, a, b, WK_DIFF_REMOVED);
        if (!err)
            err = report_missing(d, d->b, b, a, WK_DIFF_ADDED);
        uint32_t what = what_changed(a, b);
        struct link_walk w = links_of(b);
        struct link l;
        while (err == 0 && what && next_link(&w, &l))
            if (has_link(a, &l) && same_dir(d, l.dir))
                err = report(d, d->b, b, &l, WK_DIFF_CHANGED, what);
        return err;
    }
    int err = a ? report_all(d, d->a, a, WK_DIFF_REMOVED) : 0;
    return err || !b ? err : report_all(d, d->b, b, WK_DIFF_ADDED);
}

static struct wk_block *child_of(struct wk_block *b, unsigned level, unsigned i)
{
    if (!b)
        return NULL;
    if (b->level < level) /* the lower tree is the first child of a taller one */
        return i == 0 ? b : NULL;
    return ((struct wk_radix *)(void *)b)->slot[i];
}

struct frame {
    struct wk_block *a, *b;
    unsigned level, i;
};

static int walk(struct diff *d)
{
    struct frame f[WK_RADIX_MAX_LEVEL + 1];
    unsigned depth = 1;
    struct wk_block *a = d->a->root, *b = d->b->root;
    unsigned la = a ? a->level : 0, lb = b ? b->level : 0;
    f[0] = (struct frame){a, b, WK_MAX(la, lb), 0};
    while (depth > 0) {
        struct frame *t = &f[depth - 1];
        if (t->a == t->b || t->i == WK_RADIX_FAN) {
            depth--;
            continue;
        }
        struct wk_block *ca = child_of(t->a, t->level, t->i);
        struct wk_block *cb = child_of(t->b, t->level, t->i);
        t->i++;
        if (ca == cb)
            continue;
        if (t->level > 0) {
            f[depth++] = (struct frame){ca, cb, t->level - 1, 0};
            continue;
        }
        int err = compare_inodes(d, (struct wk_inode *)(void *)ca, (struct wk_inode *)(void *)cb);
        if (err)
            return err;
    }
    return 0;
}

int wk_snapshot_diff(struct wk_mem *m, struct wk_snapshot *a, struct wk_snapshot *b,
                     int (*fn)(void *ctx, const struct wk_diff_entry *e), void *ctx)
{
    struct diff d = {.a = a, .b = b, .fn = fn, .ctx = ctx};
    wk_buf_init(&d.path, m, SIZE_MAX / 2);
    int err = walk(&d);
    wk_buf_release(&d.path);
    return err;
}
