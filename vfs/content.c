/* content.c - bytes of files as shared chunks */
#include "vfs/inode.h"

#include <string.h>

static const uint8_t zeros[4096];

enum { CHUNK_MASK = WK_CHUNK_SIZE - 1, FIRST_CAP = 64 };

static struct wk_chunk *chunk_with_room(struct wk_bctx *c, uint32_t cap)
{
    struct wk_chunk *k = wk_block_new(c, WK_BLOCK_CHUNK, sizeof *k + cap);
    if (!k)
        return NULL;
    k->data = k->store;
    k->len = 0;
    k->cap = cap;
    return k;
}

struct wk_chunk *wk_chunk_new(struct wk_bctx *c, const void *p, uint32_t n, bool borrowed)
{
    struct wk_chunk *k = chunk_with_room(c, borrowed ? 0 : n);
    if (!k)
        return NULL;
    k->len = n;
    if (!borrowed) {
        if (n)
            memcpy(k->store, p, n);
    } else {
        /* Never written through: cap = 0 makes every writer copy. */
        memcpy(&k->data, &p, sizeof p);
    }
    return k;
}

void wk_content_read(struct wk_block *data, void *dst, size_t n, uint64_t off)
{
    char *to = dst;
    while (n > 0) {
        struct wk_chunk *k = wk_content_chunk(data, off >> WK_CHUNK_BITS);
        size_t at = (size_t)(off & CHUNK_MASK);
        size_t part = WK_MIN(n, (size_t)WK_CHUNK_SIZE - at);
        size_t have = k && at < k->len ? WK_MIN(part, k->len - at) : 0;
        if (have)
            memcpy(to, k->data + at, have);
        if (part > have)
            memset(to + have, 0, part - have);
        to += part;
        off += part;
        n -= part;
    }
}

size_t wk_content_borrow(struct wk_block *data, uint64_t off, size_t max, const void **p,
                         struct wk_block **held)
{
    struct wk_chunk *k = wk_content_chunk(data, off >> WK_CHUNK_BITS);
    size_t at = (size_t)(off & CHUNK_MASK);
    if (k && at < k->len) {
        *p = k->data + at;
        *held = &k->b;
        return WK_MIN(max, k->len - at);
    }
    *p = zeros;
    *held = NULL;
    return WK_MIN(max, WK_MIN((size_t)WK_CHUNK_SIZE - at, sizeof zeros));
}

/* ---- writing --------------------------------------------------------------------------------- */

static uint32_t cap_for(uint32_t end, uint32_t old_cap)
{
    uint32_t cap = old_cap ? old_cap : FIRST_CAP;
    while (cap < end)
        cap *= 2;
    return WK_MIN(cap, (uint32_t)WK_CHUNK_SIZE);
}

/* The slot of chunk i on a way that is the caller's own; a lone chunk moves below a radix node when
 * a second one comes. */
static struct wk_block **slot_own(struct wk_bctx *c, struct wk_block **data, uint64_t i)
{
    struct wk_block *d = *data;
    if (i == 0 && (!d || d->kind == WK_BLOCK_CHUNK))
        return data;
    if (d && d->kind == WK_BLOCK_CHUNK) {
        struct wk_block *top = NULL;
        struct wk_block **first = wk_radix_reserve(c, &top, 0);
        if (!first)
            return NULL;
        wk_radix_put(top, 0, d);
        *data = top;
    }
    return wk_radix_reserve(c, data, i);
}

/* Makes *slot a chunk of the caller's own with room for `end` bytes; its bytes are unchanged. */
static struct wk_chunk *chunk_own(struct wk_bctx *c, struct wk_block **slot, uint32_t end)
{
    struct wk_chunk *old = (struct wk_chunk *)*slot;
    if (old && old->cap >= end && old->cap && wk_block_mine(c, &old->b))
        return old;
    uint32_t len = old ? old->len : 0;
    uint32_t cap = cap_for(WK_MAX(len, end), old ? old->cap : 0);
    struct wk_chunk *k = chunk_with_room(c, cap);
    if (!k)
        return NULL;
    k->len = len;
    if (len)
        memcpy(k->store, old->data, len);
    *slot = &k->b;
    wk_block_drop(c, old);
    return k;
}

int wk_content_write(struct wk_bctx *c, struct wk_block **data, const void *src, size_t n,
                     uint64_t off, uint64_t room, uint64_t *grown)
{
    uint64_t i = off >> WK_CHUNK_BITS;
    uint32_t at = (uint32_t)(off & CHUNK_MASK);
    uint32_t end = at + (uint32_t)n;
    struct wk_chunk *have = wk_content_chunk(*data, i);
    uint32_t len = have ? have->len : 0;
    *grown = 0;
    if (end > len && end - len > room)
        return -WK_ENOSPC;
    struct wk_block **slot = slot_own(c, data, i);
    if (!slot)
        return -WK_ENOMEM;
    bool fresh = !*slot && slot != data;
    struct wk_chunk *k = chunk_own(c, slot, end);
    if (!k)
        return -WK_ENOMEM;
    if (fresh) { /* the node above must count its new child */
        *slot = NULL;
        wk_radix_put(*data, i, &k->b);
    }
    if (at > k->len)
        memset(k->store + k->len, 0, at - k->len);
    memcpy(k->store + at, src, n);
    if (end > k->len) {
        *grown = end - k->len;
        k->len = end;
    }
    return 0;
}

/* ---- cutting --------------------------------------------------------------------------------- */

/* Bytes in the chunks of a subtree; iterative, the height is bounded. */
static uint64_t bytes_in(const struct wk_block *top)
{
    const struct wk_block *node[WK_RADIX_MAX_LEVEL + 2];
    unsigned at[WK_RADIX_MAX_LEVEL + 2];
    unsigned depth = 0;
    uint64_t sum = 0;
    if (!top)
        return 0;
    if (top->kind == WK_BLOCK_CHUNK)
        return ((const struct wk_chunk *)top)->len;
    node[0] = top;
    at[0] = 0;
    for (;;) {
        if (at[depth] == WK_RADIX_FAN) {
            if (depth == 0)
                return sum;
            depth--;
            continue;
        }
        const struct wk_block *b = ((const struct wk_radix *)node[depth])->slot[at[depth]++];
        if (!b)
            continue;
        if (b->kind == WK_BLOCK_CHUNK) {
            sum += ((const struct wk_chunk *)b)->len;
        } else {
            node[++depth] = b;
            at[depth] = 0;
        }
    }
}

static void drop_all(struct wk_bctx *c, struct wk_block **data, uint64_t *freed)
{
    *freed += bytes_in(*data);
    wk_block_drop(c, *data);
    *data = NULL;
}

/* A chunk cut to len bytes: *slot's own, or a shorter copy of a shared one. */
static int cut_chunk(struct wk_bctx *c, struct wk_block **slot, uint32_t len, uint64_t *freed)
{
    struct wk_chunk *k = (struct wk_chunk *)*slot;
    if (!k || k->len <= len)
        return 0;
    uint32_t cut = k->len - len;
    if (!wk_block_mine(c, &k->b)) {
        struct wk_chunk *n = wk_chunk_new(c, k->data, len, false);
        if (!n)
            return -WK_ENOMEM;
        *slot = &n->b;
        wk_block_drop(c, k);
    } else {
        k->len = len;
    }
    *freed += cut;
    return 0;
}

/* Drops the children right of the way to chunk i (and the one at i itself unless `keep`). The way
 * is the caller's own. */
static void prune(struct wk_bctx *c, struct wk_block *root, uint64_t i, uint64_t *freed)
{
    for (struct wk_radix *r = (struct wk_radix *)root;;) {
        unsigned level = r->b.level;
        unsigned at = (unsigned)(i >> (WK_RADIX_BITS * level)) & (WK_RADIX_FAN - 1);
        for (unsigned k = at + 1; k < WK_RADIX_FAN; k++) {
            if (r->slot[k]) {
                drop_all(c, &r->slot[k], freed);
                r->b.n--;
            }
        }
        if (level == 0)
            return;
        r = (struct wk_radix *)r->slot[at];
    }
}

int wk_content_cut(struct wk_bctx *c, struct wk_block **data, uint64_t size, uint64_t *freed)
{
    *freed = 0;
    if (!*data)
        return 0;
    if (size == 0) {
        drop_all(c, data, freed);
        return 0;
    }
    if ((*data)->kind == WK_BLOCK_CHUNK)
        return size < WK_CHUNK_SIZE ? cut_chunk(c, data, (uint32_t)size, freed) : 0;
    uint64_t last = (size - 1) >> WK_CHUNK_BITS;
    uint64_t reach = (uint64_t)(*data)->level + 1;
    if (reach * WK_RADIX_BITS < 64 && last >> (WK_RADIX_BITS * reach))
        return 0; /* beyond all chunks */
    struct wk_block **slot = wk_radix_reserve(c, data, last);
    if (!slot)
        return -WK_ENOMEM;
    int err = cut_chunk(c, slot, (uint32_t)(size - (last << WK_CHUNK_BITS)), freed);
    if (err)
        return err;
    prune(c, *data, last, freed);
    if (last == 0) { /* one chunk needs no tree */
        struct wk_block *top = *data;
        *data = wk_block_ref(wk_radix_get(top, 0));
        wk_block_drop(c, top);
    }
    return 0;
}

/* ---- holes ----------------------------------------------------------------------------------- */

/* Length of the run of absent chunks from i on (a multiple of what the tree leaves out), or 0 when
 * chunk i is there; UINT64_MAX when nothing follows. */
static uint64_t absent_from(struct wk_block *data, uint64_t i)
{
    if (!data)
        return UINT64_MAX;
    if (data->kind == WK_BLOCK_CHUNK)
        return i == 0 ? 0 : UINT64_MAX;
    unsigned shift = WK_RADIX_BITS * (data->level + 1U);
    if (shift < 64 && i >> shift)
        return UINT64_MAX;
    struct wk_block *b = data;
    for (unsigned level = data->level;; level--) {
        shift = WK_RADIX_BITS * level;
        b = ((struct wk_radix *)b)->slot[(i >> shift) & (WK_RADIX_FAN - 1)];
        if (!b)
            return (((i >> shift) + 1) << shift) - i;
        if (level == 0)
            return 0;
    }
}

uint64_t wk_content_seek(struct wk_block *data, uint64_t off, bool hole)
{
    uint64_t i = off >> WK_CHUNK_BITS;
    for (;;) {
        uint64_t gap = absent_from(data, i);
        uint64_t start = WK_MAX(off, i << WK_CHUNK_BITS);
        if (gap) {
            if (hole)
                return start;
            if (gap == UINT64_MAX || i + gap > (UINT64_MAX >> WK_CHUNK_BITS))
                return UINT64_MAX;
            i += gap;
            continue;
        }
        struct wk_chunk *k = wk_content_chunk(data, i);
        uint64_t end = (i << WK_CHUNK_BITS) + (k ? k->len : 0);
        if (!hole && start < end)
            return start;
        /* Slack inside a chunk that is followed by more counts as data, as blocks do. */
        if (hole && end < (i + 1) << WK_CHUNK_BITS)
            return WK_MAX(start, end);
        i++;
    }
}
