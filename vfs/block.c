/* block.c - counted copy-on-write blocks and radix trees of them */
#include "vfs/block.h"
#include "vfs/hub.h"
#include "vfs/inode.h"

#include <string.h>

void *wk_block_new(struct wk_bctx *c, enum wk_block_kind kind, size_t size)
{
    struct wk_block *b = wk_alloc(c->mem, size);
    if (WK_UNLIKELY(!b)) {
        if (!c->dead)
            return NULL;
        wk_block_reap(c, SIZE_MAX);
        b = wk_alloc(c->mem, size);
        if (!b)
            return NULL;
    }
    atomic_init(&b->refs, 1);
    b->kind = (uint8_t)kind;
    b->level = 0;
    b->n = 0;
    b->mem = wk_mem_ref(c->mem);
    b->next = NULL;
    return b;
}

void *wk_block_zalloc(struct wk_bctx *c, enum wk_block_kind kind, size_t size)
{
    char *p = wk_block_new(c, kind, size);
    if (p)
        memset(p + sizeof(struct wk_block), 0, size - sizeof(struct wk_block));
    return p;
}

struct wk_name *wk_name_new(struct wk_bctx *c, const char *p, size_t n)
{
    WK_ASSERT(n <= UINT16_MAX);
    struct wk_name *name = wk_block_new(c, WK_BLOCK_NAME, sizeof *name + n + 1);
    if (!name)
        return NULL;
    name->b.n = (uint16_t)n;
    if (n)
        memcpy(name->s, p, n);
    name->s[n] = '\0';
    return name;
}

void wk_block_bury(struct wk_bctx *c, struct wk_block *b)
{
    b->next = c->dead;
    c->dead = b;
}

static void drop_children(struct wk_bctx *c, struct wk_block *b)
{
    switch ((enum wk_block_kind)b->kind) {
    case WK_BLOCK_RADIX: {
        struct wk_radix *r = (struct wk_radix *)b;
        for (unsigned i = 0; i < WK_RADIX_FAN; i++)
            wk_block_drop(c, r->slot[i]);
        break;
    }
    case WK_BLOCK_INODE: {
        struct wk_inode *ip = (struct wk_inode *)b;
        wk_block_drop(c, ip->data);
        wk_block_drop(c, ip->name);
        wk_block_drop(c, ip->links);
        break;
    }
    case WK_BLOCK_DNODE: {
        struct wk_dnode *d = (struct wk_dnode *)b;
        for (unsigned i = 0; i < b->n; i++) {
            wk_block_drop(c, d->e[i].name);
            if (b->level)
                wk_block_drop(c, d->e[i].child);
        }
        break;
    }
    case WK_BLOCK_TREE: {
        struct wk_snapshot *t = (struct wk_snapshot *)b;
        wk_block_drop(c, t->root);
        wk_block_drop(c, t->roots);
        wk_vfs_hub_unref(t->hub);
        break;
    }
    case WK_BLOCK_CHUNK:
    case WK_BLOCK_NAME:
        break;
    }
}

bool wk_block_reap(struct wk_bctx *c, size_t budget)
{
    while (c->dead && budget > 0) {
        struct wk_block *b = c->dead;
        struct wk_mem *m = b->mem;
        c->dead = b->next;
        drop_children(c, b);
        if (m == c->mem)
            wk_free(m, b);
        else
            wk_free_shared(m, b);
        wk_mem_unref(m);
        budget--;
    }
    return c->dead != NULL;
}

/* ---- copies: the children are counted once more ---------------------------------------------- */

static struct wk_block *copy_plain(struct wk_bctx *c, const struct wk_block *b, size_t size)
{
    struct wk_block *n = wk_block_new(c, (enum wk_block_kind)b->kind, size);
    if (!n)
        return NULL;
    n->level = b->level;
    n->n = b->n;
    memcpy((char *)n + sizeof *n, (const char *)b + sizeof *b, size - sizeof *b);
    return n;
}

static struct wk_block *copy_dnode(struct wk_bctx *c, const struct wk_dnode *d)
{
    struct wk_dnode *n = wk_dnode_new(c, d->b.level, d->cap);
    if (!n)
        return NULL;
    n->b.n = d->b.n;
    memcpy(n->e, d->e, d->b.n * sizeof d->e[0]);
    for (unsigned i = 0; i < d->b.n; i++) {
        wk_block_ref(n->e[i].name);
        if (d->b.level)
            wk_block_ref(n->e[i].child);
    }
    return &n->b;
}

static struct wk_block *copy_block(struct wk_bctx *c, struct wk_block *b)
{
    struct wk_block *n = NULL;
    switch ((enum wk_block_kind)b->kind) {
    case WK_BLOCK_RADIX:
        n = copy_plain(c, b, sizeof(struct wk_radix));
        for (unsigned i = 0; n && i < WK_RADIX_FAN; i++)
            wk_block_ref(((struct wk_radix *)n)->slot[i]);
        break;
    case WK_BLOCK_INODE:
        n = copy_plain(c, b, sizeof(struct wk_inode));
        if (n) {
            wk_block_ref(((struct wk_inode *)n)->data);
            wk_block_ref(((struct wk_inode *)n)->name);
            wk_block_ref(((struct wk_inode *)n)->links);
        }
        break;
    case WK_BLOCK_DNODE:
        n = copy_dnode(c, (struct wk_dnode *)b);
        break;
    case WK_BLOCK_TREE:
        n = copy_plain(c, b, sizeof(struct wk_snapshot));
        if (n) {
            wk_vfs_hub_ref(((struct wk_snapshot *)n)->hub);
            wk_block_ref(((struct wk_snapshot *)n)->root);
            wk_block_ref(((struct wk_snapshot *)n)->roots);
        }
        break;
    case WK_BLOCK_CHUNK: /* content.c copies chunks with the room it needs */
    case WK_BLOCK_NAME:
        WK_ASSERT(false);
        break;
    }
    return n;
}

struct wk_block *wk_block_own_slow(struct wk_bctx *c, struct wk_block **slot)
{
    struct wk_block *n = copy_block(c, *slot);
    if (!n)
        return NULL;
    wk_block_drop(c, *slot);
    *slot = n;
    return n;
}

/* ---- radix trees ----------------------------------------------------------------------------- */

static unsigned slot_of(uint64_t i, unsigned level)
{
    return (unsigned)(i >> (WK_RADIX_BITS * level)) & (WK_RADIX_FAN - 1);
}

static struct wk_radix *radix_new(struct wk_bctx *c, unsigned level)
{
    struct wk_radix *r = wk_block_zalloc(c, WK_BLOCK_RADIX, sizeof *r);
    if (r)
        r->b.level = (uint8_t)level;
    return r;
}

struct wk_block **wk_radix_reserve(struct wk_bctx *c, struct wk_block **root, uint64_t i)
{
    if (!*root) {
        struct wk_radix *r = radix_new(c, 0);
        if (!r)
            return NULL;
        *root = &r->b;
    }
    while ((*root)->level < WK_RADIX_MAX_LEVEL && i >> (WK_RADIX_BITS * ((*root)->level + 1))) {
        struct wk_radix *r = radix_new(c, (*root)->level + 1U);
        if (!r)
            return NULL;
        r->slot[0] = *root;
        r->b.n = 1;
        *root = &r->b;
    }
    struct wk_block **at = root;
    for (unsigned level = (*root)->level;; level--) {
        struct wk_radix *r = (struct wk_radix *)wk_block_own(c, at);
        if (!r)
            return NULL;
        at = &r->slot[slot_of(i, level)];
        if (level == 0)
            return at;
        if (!*at) {
            struct wk_radix *child = radix_new(c, level - 1);
            if (!child)
                return NULL;
            *at = &child->b;
            r->b.n++;
        }
    }
}

void wk_radix_put(struct wk_block *root, uint64_t i, struct wk_block *b)
{
    for (unsigned level = root->level; level > 0; level--)
        root = ((struct wk_radix *)root)->slot[slot_of(i, level)];
    struct wk_radix *r = (struct wk_radix *)root;
    WK_ASSERT(!r->slot[slot_of(i, 0)]);
    r->slot[slot_of(i, 0)] = b;
    r->b.n++;
}

struct wk_block *wk_radix_take(struct wk_bctx *c, struct wk_block **root, uint64_t i)
{
    struct wk_block **way[WK_RADIX_MAX_LEVEL + 1];
    struct wk_block **at = root;
    unsigned top = (*root)->level;
    for (unsigned level = top;; level--) {
        way[level] = at;
        at = &((struct wk_radix *)*at)->slot[slot_of(i, level)];
        if (level == 0)
            break;
    }
    struct wk_block *taken = *at;
    *at = NULL;
    for (unsigned level = 0; level <= top; level++) {
        struct wk_radix *r = (struct wk_radix *)*way[level];
        if (--r->b.n > 0)
            break;
        *way[level] = NULL;
        wk_block_drop(c, &r->b);
    }
    return taken;
}
