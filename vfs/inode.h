/* inode.h - the persistent tree: inodes by number, directories as B+ trees, contents as chunks
 *
 * All of it consists of blocks (block.h). Functions that may fail only make things the caller's own
 * or reserve room, which changes no contents; functions that change contents cannot fail once the
 * ground is prepared. So an operation gathers, then commits.
 */
#ifndef WK_VFS_INODE_H
#define WK_VFS_INODE_H

#include "vfs/block.h"
#include "vfs/vfs.h"

/* ---- tree ------------------------------------------------------------------------------------ */

/* A version of all files. struct wk_snapshot is the same thing under its public name. */
struct wk_snapshot {
    struct wk_block b;
    struct wk_vfs_hub *hub;
    struct wk_block *root;  /* radix by inode number */
    struct wk_block *roots; /* dnodes: path of a mount -> number of its root directory */
    uint64_t next_ino;
    uint64_t bytes; /* of contents, holes not counted */
    uint64_t inodes;
};

struct wk_inode {
    struct wk_block b;
    uint64_t ino, birth;
    uint32_t mode;  /* type bits 0: a whiteout of an overlay */
    uint32_t nlink; /* 0: without a name, only open */
    uint32_t uid, gid;
    uint64_t size; /* directories: entries */
    union {
        uint64_t held; /* regular files and links: bytes in chunks */
        uint64_t rdev;
    };
    int64_t atim, mtim, ctim, btim;
    struct wk_block *data; /* chunk or radix of chunks; chunk (link text); dnode (directory) */
    uint64_t dir;          /* first back-link: the directory's number (0: a root) */
    struct wk_name *name;
    union {
        struct wk_block *links; /* files: further back-links, dnodes with key = directory */
        struct wk_name *lower;  /* directories of an overlay's memory layer: the path they extend
                                   on the host; NULL: nothing below */
    };
};

static inline struct wk_inode *wk_tree_get(const struct wk_snapshot *t, uint64_t ino)
{
    return (struct wk_inode *)(void *)wk_radix_get(t->root, ino);
}
static inline bool wk_inode_is_dir(const struct wk_inode *ip)
{
    return WK_S_ISDIR(ip->mode);
}

/* ---- directory trees ------------------------------------------------------------------------- */

/* Entries are ordered by (key, bytes of the name). In a directory the key is the name's first eight
 * bytes, which is the order of names; in a set of back-links it is the directory's number. */
struct wk_dent {
    uint64_t key;
    struct wk_name *name;
    union {
        uint64_t val; /* leaf of a directory: ino << 4 | type */
        struct wk_block *child;
    };
};

enum { WK_DNODE_FAN = 32, WK_DNODE_MAX_LEVEL = 12 };

struct wk_dnode {
    struct wk_block b; /* n = entries used */
    uint64_t cap;
    struct wk_dent e[];
};

static inline uint64_t wk_dent_val(uint64_t ino, uint32_t mode)
{
    return ino << 4 | (mode & WK_S_IFMT) >> 12;
}
static inline uint64_t wk_dent_ino(uint64_t val)
{
    return val >> 4;
}
static inline uint32_t wk_dent_type(uint64_t val)
{
    return (uint32_t)(val & 15) << 12;
}

uint64_t wk_dent_key(struct wk_str name);
/* The entry, or NULL. */
struct wk_dent *wk_dtree_find(struct wk_block *root, uint64_t key, struct wk_str name);
struct wk_dent *wk_dtree_first(struct wk_block *root);
/* Makes room for an entry that is not there; *root may be NULL (empty). -WK_ENOMEM. */
int wk_dtree_reserve(struct wk_bctx *c, struct wk_block **root, uint64_t key, struct wk_str name);
/* Inserts into reserved room, taking a reference to the name. */
void wk_dtree_insert(struct wk_block *root, uint64_t key, struct wk_name *name, uint64_t val);
/* Makes the way to an entry the caller's own. -WK_ENOMEM. */
int wk_dtree_own(struct wk_bctx *c, struct wk_block **root, uint64_t key, struct wk_str name);
/* Removes an entry whose way is the caller's own; *root becomes NULL with the last one. */
void wk_dtree_remove(struct wk_bctx *c, struct wk_block **root, uint64_t key, struct wk_str name);
/* Allocates an empty node of the given height. */
struct wk_dnode *wk_dnode_new(struct wk_bctx *c, unsigned level, size_t cap);

/* Walks entries in order. The root must stay referenced. */
struct wk_dcursor {
    struct wk_dnode *node[WK_DNODE_MAX_LEVEL + 1];
    uint16_t at[WK_DNODE_MAX_LEVEL + 1];
    int top; /* -1: at the end */
};
void wk_dcursor_start(struct wk_dcursor *c, struct wk_block *root);
struct wk_dent *wk_dcursor_next(struct wk_dcursor *c); /* NULL at the end */
/* Skips n entries, whole nodes at a time. */
void wk_dcursor_skip(struct wk_dcursor *c, uint64_t n);

/* ---- contents -------------------------------------------------------------------------------- */

enum { WK_CHUNK_BITS = 14, WK_CHUNK_SIZE = 1 << WK_CHUNK_BITS };

/* Up to WK_CHUNK_SIZE bytes of a file; what is past `len` reads as zero. */
struct wk_chunk {
    struct wk_block b;
    uint8_t *data; /* into store, or borrowed constant memory (cap = 0) */
    uint32_t len, cap;
    uint8_t store[];
};

/* A chunk with these bytes; `borrowed` keeps the pointer instead. NULL when memory is refused. */
struct wk_chunk *wk_chunk_new(struct wk_bctx *c, const void *p, uint32_t n, bool borrowed);
/* The chunk with index i, or NULL (a hole). */
static inline struct wk_chunk *wk_content_chunk(struct wk_block *data, uint64_t i)
{
    if (data && data->kind == WK_BLOCK_CHUNK)
        return i == 0 ? (struct wk_chunk *)data : NULL;
    return (struct wk_chunk *)wk_radix_get(data, i);
}
/* Copies out bytes; off + n must lie within the size. */
void wk_content_read(struct wk_block *data, void *dst, size_t n, uint64_t off);
/* Points at bytes from off (within size; max > 0); *held is the chunk behind them or NULL (zeros).
 */
size_t wk_content_borrow(struct wk_block *data, uint64_t off, size_t max, const void **p,
                         struct wk_block **held);
/* Writes into one chunk: n bytes at off must not cross a chunk's border. *grown: the bytes by which
 * the chunks grew; the growth must be at most `room`. -WK_ENOMEM, -WK_ENOSPC with nothing changed.
 */
int wk_content_write(struct wk_bctx *c, struct wk_block **data, const void *src, size_t n,
                     uint64_t off, uint64_t room, uint64_t *grown);
/* Cuts to `size`; *freed: bytes of chunks dropped. -WK_ENOMEM with nothing changed. */
int wk_content_cut(struct wk_bctx *c, struct wk_block **data, uint64_t size, uint64_t *freed);
/* First data (or hole) offset at or after off; UINT64_MAX when there is no more data. */
uint64_t wk_content_seek(struct wk_block *data, uint64_t off, bool hole);

#endif
