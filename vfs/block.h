/* block.h - the counted blocks that every persistent structure of the file system is made of
 *
 * A block is immutable while two owners share it. Who holds the only reference to it, on a path of
 * only references, may change it in place if it is charged to his own account; else he copies it
 * ("owns" it) first. Copying counts the children once more, so that sharing spreads downwards by
 * itself and no stamps are needed.
 *
 * Every block keeps the account that it was charged to at birth, with a reference, and is credited
 * to it when freed, by whichever thread drops the last reference.
 *
 * Threads: counts are atomic; the rest belongs to whoever owns the block.
 */
#ifndef WK_VFS_BLOCK_H
#define WK_VFS_BLOCK_H

#include "base/mem.h"

enum wk_block_kind {
    WK_BLOCK_CHUNK, /* file contents */
    WK_BLOCK_RADIX, /* 16 children by number */
    WK_BLOCK_INODE,
    WK_BLOCK_DNODE, /* node of a directory's tree */
    WK_BLOCK_NAME,
    WK_BLOCK_TREE, /* the whole: a snapshot */
};

struct wk_block {
    atomic_uint refs;
    uint8_t kind;
    uint8_t level; /* radix and dnode: height above the leaves */
    uint16_t n;    /* radix and dnode: children; name: length */
    struct wk_mem *mem;
    struct wk_block *next; /* in a list of the dead */
};

/* Where blocks are charged and where the dead wait. One per session, or one for the duration of a
 * call on a thread that owns no account (mem = NULL). */
struct wk_bctx {
    struct wk_mem *mem;
    struct wk_block *dead;
};

enum { WK_RADIX_BITS = 4, WK_RADIX_FAN = 16, WK_RADIX_MAX_LEVEL = 15 };

struct wk_radix {
    struct wk_block b;
    struct wk_block *slot[WK_RADIX_FAN];
};

/* A name of a directory entry, shared by the entry and the inode's back-link. */
struct wk_name {
    struct wk_block b; /* n = length */
    char s[];          /* NUL-terminated */
};

/* A block of `size` bytes in all with one reference; only the head is filled in. When memory is
 * refused the dead are freed first. NULL on failure. */
void *wk_block_new(struct wk_bctx *c, enum wk_block_kind kind, size_t size);
/* The same, zeroed. */
void *wk_block_zalloc(struct wk_bctx *c, enum wk_block_kind kind, size_t size);
struct wk_name *wk_name_new(struct wk_bctx *c, const char *p, size_t n);
/* Puts a block whose last reference is gone on the list of the dead. */
void wk_block_bury(struct wk_bctx *c, struct wk_block *b);
/* Frees at most `budget` dead blocks (their children may die by it); true when more wait. */
bool wk_block_reap(struct wk_bctx *c, size_t budget);
/* Copies *slot when it is shared or charged elsewhere, so that the caller may change it; the old
 * one loses a reference. NULL, with nothing changed, when memory is refused. *slot is not NULL. */
struct wk_block *wk_block_own_slow(struct wk_bctx *c, struct wk_block **slot);

static inline void *wk_block_ref(void *p)
{
    struct wk_block *b = p;
    if (b)
        atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return p;
}

/* Drops a reference; p may be NULL. */
static inline void wk_block_drop(struct wk_bctx *c, void *p)
{
    struct wk_block *b = p;
    if (b && atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) == 1)
        wk_block_bury(c, b);
}

static inline bool wk_block_mine(const struct wk_bctx *c, const struct wk_block *b)
{
    return atomic_load_explicit(&b->refs, memory_order_acquire) == 1 && b->mem == c->mem;
}

static inline struct wk_block *wk_block_own(struct wk_bctx *c, struct wk_block **slot)
{
    return WK_LIKELY(wk_block_mine(c, *slot)) ? *slot : wk_block_own_slow(c, slot);
}

/* Whether a radix tree under `root` reaches index i, and the child at i (NULL = none). */
static inline struct wk_block *wk_radix_get(struct wk_block *root, uint64_t i)
{
    if (!root || (root->level < WK_RADIX_MAX_LEVEL && i >> (WK_RADIX_BITS * (root->level + 1))))
        return NULL;
    struct wk_block *b = root;
    for (unsigned level = root->level;; level--) {
        b = ((struct wk_radix *)b)->slot[(i >> (WK_RADIX_BITS * level)) & (WK_RADIX_FAN - 1)];
        if (!b || level == 0)
            return b;
    }
}
/* Makes the way to index i the caller's own, growing the tree as needed, and gives the slot (which
 * may hold NULL). Contents are unchanged even on failure (NULL). */
struct wk_block **wk_radix_reserve(struct wk_bctx *c, struct wk_block **root, uint64_t i);
/* Puts a block (its reference goes over) into a reserved empty slot. Cannot fail. */
void wk_radix_put(struct wk_block *root, uint64_t i, struct wk_block *b);
/* Takes the child at i out of a way that is the caller's own (wk_radix_reserve); the reference goes
 * to the caller. Nodes left empty are dropped; *root may become NULL. Cannot fail. */
struct wk_block *wk_radix_take(struct wk_bctx *c, struct wk_block **root, uint64_t i);

#endif
