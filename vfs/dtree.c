/* dtree.c - persistent B+ trees of names: directories and sets of back-links
 *
 * Insertion splits full nodes on the way down, so that the last step never fails; a node is dropped
 * when its last entry goes (no merging: an emptied directory is small again, a thinned one is not).
 * Keys of inner nodes are lower bounds; the first child's counts as minus infinity.
 */
#include "vfs/inode.h"

#include <string.h>

uint64_t wk_dent_key(struct wk_str name)
{
    uint64_t key = 0;
    size_t n = name.n < 8 ? name.n : 8;
    for (size_t i = 0; i < n; i++)
        key |= (uint64_t)(uint8_t)name.p[i] << (56 - 8 * i);
    return key;
}

static int compare(const struct wk_dent *e, uint64_t key, struct wk_str name)
{
    if (e->key != key)
        return e->key < key ? -1 : 1;
    return wk_str_cmp(wk_str(e->name->s, e->name->b.n), name);
}

/* The first index whose entry is > the name (inner nodes), or >= it (leaves, with *equal). */
static unsigned search(const struct wk_dnode *d, uint64_t key, struct wk_str name, bool *equal)
{
    unsigned lo = 0, hi = d->b.n;
    *equal = false;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        int c = compare(&d->e[mid], key, name);
        if (c == 0) {
            *equal = true;
            return d->b.level ? mid + 1 : mid;
        }
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static unsigned child_index(const struct wk_dnode *d, uint64_t key, struct wk_str name)
{
    bool equal;
    unsigned i = search(d, key, name, &equal);
    return i ? i - 1 : 0;
}

struct wk_dent *wk_dtree_find(struct wk_block *root, uint64_t key, struct wk_str name)
{
    if (!root)
        return NULL;
    struct wk_dnode *d = (struct wk_dnode *)root;
    while (d->b.level)
        d = (struct wk_dnode *)d->e[child_index(d, key, name)].child;
    bool equal;
    unsigned i = search(d, key, name, &equal);
    return equal ? &d->e[i] : NULL;
}

struct wk_dent *wk_dtree_first(struct wk_block *root)
{
    if (!root)
        return NULL;
    struct wk_dnode *d = (struct wk_dnode *)root;
    while (d->b.level)
        d = (struct wk_dnode *)d->e[0].child;
    return &d->e[0];
}

struct wk_dnode *wk_dnode_new(struct wk_bctx *c, unsigned level, size_t cap)
{
    struct wk_dnode *d = wk_block_new(c, WK_BLOCK_DNODE, sizeof *d + cap * sizeof(struct wk_dent));
    if (!d)
        return NULL;
    d->b.level = (uint8_t)level;
    d->cap = cap;
    return d;
}

/* Replaces a leaf that is the caller's own by a wider one. */
static int widen(struct wk_bctx *c, struct wk_block **slot)
{
    struct wk_dnode *d = (struct wk_dnode *)*slot;
    struct wk_dnode *n = wk_dnode_new(c, 0, d->cap * 2);
    if (!n)
        return -WK_ENOMEM;
    n->b.n = d->b.n;
    memcpy(n->e, d->e, d->b.n * sizeof d->e[0]);
    d->b.n = 0; /* its references went over */
    *slot = &n->b;
    wk_block_drop(c, &d->b);
    return 0;
}

/* Splits the full node at index i of `parent`, both the caller's own; parent has room. */
static int split_child(struct wk_bctx *c, struct wk_dnode *parent, unsigned i)
{
    struct wk_dnode *left = (struct wk_dnode *)parent->e[i].child;
    struct wk_dnode *right = wk_dnode_new(c, left->b.level, WK_DNODE_FAN);
    if (!right)
        return -WK_ENOMEM;
    unsigned half = left->b.n / 2U;
    right->b.n = (uint16_t)(left->b.n - half);
    memcpy(right->e, left->e + half, right->b.n * sizeof left->e[0]);
    left->b.n = (uint16_t)half;
    memmove(&parent->e[i + 2], &parent->e[i + 1], (parent->b.n - i - 1U) * sizeof parent->e[0]);
    parent->e[i + 1].key = right->e[0].key;
    parent->e[i + 1].name = wk_block_ref(right->e[0].name);
    parent->e[i + 1].child = &right->b;
    parent->b.n++;
    return 0;
}

/* A full root gets a parent with one child, to be split like any other. */
static int raise_root(struct wk_bctx *c, struct wk_block **root)
{
    struct wk_dnode *old = (struct wk_dnode *)*root;
    if (old->b.level >= WK_DNODE_MAX_LEVEL - 1)
        return -WK_ENOSPC;
    struct wk_dnode *top = wk_dnode_new(c, old->b.level + 1U, WK_DNODE_FAN);
    if (!top)
        return -WK_ENOMEM;
    top->b.n = 1;
    top->e[0].key = old->e[0].key;
    top->e[0].name = wk_block_ref(old->e[0].name);
    top->e[0].child = &old->b;
    *root = &top->b;
    return 0;
}

int wk_dtree_reserve(struct wk_bctx *c, struct wk_block **root, uint64_t key, struct wk_str name)
{
    if (!*root) {
        struct wk_dnode *d = wk_dnode_new(c, 0, 4);
        if (!d)
            return -WK_ENOMEM;
        *root = &d->b;
        return 0;
    }
    if (!wk_block_own(c, root))
        return -WK_ENOMEM;
    if ((*root)->n == WK_DNODE_FAN) {
        int err = raise_root(c, root);
        if (err)
            return err;
    }
    struct wk_block **at = root;
    while ((*at)->level) {
        struct wk_dnode *d = (struct wk_dnode *)*at;
        unsigned i = child_index(d, key, name);
        if (!wk_block_own(c, &d->e[i].child))
            return -WK_ENOMEM;
        if (d->e[i].child->n == WK_DNODE_FAN) {
            int err = split_child(c, d, i);
            if (err)
                return err;
            if (compare(&d->e[i + 1], key, name) <= 0)
                i++;
        }
        at = &d->e[i].child;
    }
    struct wk_dnode *leaf = (struct wk_dnode *)*at;
    return leaf->b.n == leaf->cap ? widen(c, at) : 0;
}

void wk_dtree_insert(struct wk_block *root, uint64_t key, struct wk_name *name, uint64_t val)
{
    struct wk_str s = wk_str(name->s, name->b.n);
    struct wk_dnode *d = (struct wk_dnode *)root;
    while (d->b.level)
        d = (struct wk_dnode *)d->e[child_index(d, key, s)].child;
    bool equal;
    unsigned i = search(d, key, s, &equal);
    WK_ASSERT(!equal && d->b.n < d->cap);
    memmove(&d->e[i + 1], &d->e[i], (d->b.n - i) * sizeof d->e[0]);
    d->e[i].key = key;
    d->e[i].name = wk_block_ref(name);
    d->e[i].val = val;
    d->b.n++;
}

int wk_dtree_own(struct wk_bctx *c, struct wk_block **root, uint64_t key, struct wk_str name)
{
    struct wk_block **at = root;
    for (;;) {
        if (!wk_block_own(c, at))
            return -WK_ENOMEM;
        struct wk_dnode *d = (struct wk_dnode *)*at;
        if (!d->b.level)
            return 0;
        at = &d->e[child_index(d, key, name)].child;
    }
}

static void remove_at(struct wk_bctx *c, struct wk_dnode *d, unsigned i)
{
    struct wk_name *name = d->e[i].name;
    d->b.n--;
    memmove(&d->e[i], &d->e[i + 1], (d->b.n - i) * sizeof d->e[0]);
    wk_block_drop(c, name);
}

void wk_dtree_remove(struct wk_bctx *c, struct wk_block **root, uint64_t key, struct wk_str name)
{
    struct wk_dnode *way[WK_DNODE_MAX_LEVEL + 1];
    unsigned idx[WK_DNODE_MAX_LEVEL + 1];
    unsigned depth = 0;
    struct wk_dnode *d = (struct wk_dnode *)*root;
    while (d->b.level) {
        way[depth] = d;
        idx[depth] = child_index(d, key, name);
        d = (struct wk_dnode *)d->e[idx[depth]].child;
        depth++;
    }
    bool equal;
    unsigned i = search(d, key, name, &equal);
    WK_ASSERT(equal);
    remove_at(c, d, i);
    while (d->b.n == 0) {
        if (depth == 0) {
            *root = NULL;
            wk_block_drop(c, &d->b);
            return;
        }
        depth--;
        remove_at(c, way[depth], idx[depth]);
        wk_block_drop(c, &d->b);
        d = way[depth];
    }
    /* A root with one child gives way to it (which may be shared: the count carries over). */
    while ((*root)->level && (*root)->n == 1 && wk_block_mine(c, *root)) {
        struct wk_dnode *top = (struct wk_dnode *)*root;
        *root = top->e[0].child;
        top->b.n = 0;
        wk_block_drop(c, top->e[0].name);
        wk_block_drop(c, &top->b);
    }
}

/* ---- walking --------------------------------------------------------------------------------- */

static void descend(struct wk_dcursor *c, struct wk_dnode *d)
{
    for (;;) {
        c->top++;
        c->node[c->top] = d;
        c->at[c->top] = 0;
        if (!d->b.level)
            return;
        d = (struct wk_dnode *)d->e[0].child;
    }
}

void wk_dcursor_start(struct wk_dcursor *c, struct wk_block *root)
{
    c->top = -1;
    if (root)
        descend(c, (struct wk_dnode *)root);
}

/* Leaves the used-up leaf for the next one. */
static void next_leaf(struct wk_dcursor *c)
{
    for (c->top--; c->top >= 0; c->top--) {
        struct wk_dnode *d = c->node[c->top];
        if (++c->at[c->top] < d->b.n) {
            descend(c, (struct wk_dnode *)d->e[c->at[c->top]].child);
            return;
        }
    }
}

struct wk_dent *wk_dcursor_next(struct wk_dcursor *c)
{
    while (c->top >= 0) {
        struct wk_dnode *leaf = c->node[c->top];
        if (c->at[c->top] < leaf->b.n)
            return &leaf->e[c->at[c->top]++];
        next_leaf(c);
    }
    return NULL;
}

void wk_dcursor_skip(struct wk_dcursor *c, uint64_t n)
{
    while (n > 0 && c->top >= 0) {
        struct wk_dnode *leaf = c->node[c->top];
        uint64_t left = leaf->b.n - (uint64_t)c->at[c->top];
        if (n < left) {
            c->at[c->top] = (uint16_t)(c->at[c->top] + n);
            return;
        }
        n -= left;
        c->at[c->top] = leaf->b.n;
        next_leaf(c);
    }
}
