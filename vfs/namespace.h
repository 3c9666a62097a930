/* namespace.h - the inside of struct wk_vfs, for the files of this folder only */
#ifndef WK_VFS_NAMESPACE_H
#define WK_VFS_NAMESPACE_H

#include "vfs/devfs.h"
#include "vfs/fs_ops.h"
#include "vfs/hub.h"
#include "vfs/inode.h"
#include "vfs/mount.h"
#include "vfs/snapshot.h"

enum {
    WK_LINK_COUNT_MAX = 65000,
    WK_REAP_STEP = 1024 /* blocks: some 0.1 ms */,
    WK_BIRTH_BATCH = 1024
};

/* An inode of the memory tree that a handle holds. `orphan` has it once its last name is gone. */
struct wk_oinode {
    uint64_t ino, birth;
    uint32_t refs;
    struct wk_block *orphan;
    struct wk_block *pending; /* what `orphan` becomes if a restore goes through */
    struct wk_oinode *next;
};

/* Where a mount stands in the memory tree. */
struct wk_mount_place {
    uint64_t on_ino, on_birth, root_ino;
};

struct wk_mount {
    struct wk_vfs *vfs;
    struct wk_mount *on;       /* the mount that it covers a directory of; NULL for "/" */
    uint64_t on_ino, on_birth; /* … which one, in memory */
    struct wk_fs_node *on_fn;  /* … or foreign (counted) */
    uint64_t root_ino;         /* memory mounts; and an overlay's memory layer */
    uint32_t root_mode, root_uid, root_gid;
    struct wk_mount_place saved; /* while a restore may still fail */
    struct wk_fs *fs;            /* NULL: memory */
    struct wk_fs_node *root;     /* foreign mounts */
    struct wk_fs_node **table;   /* nodes in use by (parent, name) */
    size_t table_cap, table_n;
    size_t handles; /* open files, directories, lists on it */
    uint64_t dev;
    uint32_t flags;
    char *path, *source;
};

struct wk_vfs {
    struct wk_bctx ctx;
    struct wk_block *tree; /* struct wk_snapshot */
    struct wk_vfs_hub *hub;
    struct wk_vfs_limits limits;
    int64_t (*now)(void *ctx);
    void *now_ctx;
    uint64_t gen;
    uint64_t birth_next, birth_end; /* a batch taken from the hub */
    uint64_t ino_floor;             /* numbers below were used in this session */
    uint64_t orphan_bytes, orphan_inodes;
    struct wk_oinode **open;
    size_t open_cap, open_n;
    size_t handles;
    struct wk_mount root;
    struct wk_mount **mounts; /* without "/" */
    size_t mount_n, mount_cap;
    uint64_t mount_bloom; /* bits of covered directories */
    uint64_t last_dev;
    uint64_t walk; /* number of the present path walk: attributes found in it may be used again */
    struct wk_dev_fds dev_fds;
};

/* A file found: in memory `ip` (valid until the next change), else `fn` (counted). */
struct wk_loc {
    struct wk_mount *mnt;
    struct wk_inode *ip;
    struct wk_fs_node *fn;
};

struct wk_vdir {
    struct wk_vfs *vfs;
    size_t refs;
    struct wk_mount *mnt;
    struct wk_oinode *oi;  /* memory */
    struct wk_fs_node *fn; /* foreign */
};

struct wk_vfile {
    struct wk_vfs *vfs;
    size_t refs;
    struct wk_mount *mnt;
    struct wk_oinode *oi;
    struct wk_fs_node *fn;
    void *file; /* the back end's, regular files */
    uint64_t rdev;
    uint32_t flags;
    uint32_t kind;
};

static inline struct wk_snapshot *wk_vfs_tree(const struct wk_vfs *vfs)
{
    return (struct wk_snapshot *)(void *)vfs->tree;
}
/* Counts are all that changes in a snapshot, and they are atomic. */
static inline struct wk_snapshot *wk_snapshot_unconst(const struct wk_snapshot *s)
{
    union {
        const struct wk_snapshot *c;
        struct wk_snapshot *p;
    } u = {.c = s};
    return u.p;
}
static inline int64_t wk_vfs_time(const struct wk_vfs *vfs)
{
    return vfs->now(vfs->now_ctx);
}

/* ---- oinode.c: the open-inode table ------------------------------------------------------------
 */

/* The entry for an inode, made when missing, with one more reference. NULL: no memory. */
struct wk_oinode *wk_oinode_get(struct wk_vfs *vfs, const struct wk_inode *ip);
/* The entry if there is one, uncounted. */
struct wk_oinode *wk_oinode_find(const struct wk_vfs *vfs, uint64_t ino, uint64_t birth);
struct wk_oinode *wk_oinode_ref(struct wk_oinode *oi);
void wk_oinode_put(struct wk_vfs *vfs, struct wk_oinode *oi);
/* Adds an entry's orphan to the quotas, or takes it out. */
void wk_oinode_count_orphan(struct wk_vfs *vfs, const struct wk_oinode *oi, bool add);
/* The inode as it is now, to read. Never NULL. */
struct wk_inode *wk_oinode_inode(const struct wk_vfs *vfs, const struct wk_oinode *oi);

/* ---- mfs*.c: the memory file system by inode --------------------------------------------------
 */

struct wk_mfs_new {
    uint32_t mode, uid, gid;
    uint64_t rdev;
    struct wk_block *data; /* contents (link text, file); a reference is taken on success */
    uint64_t size, held;   /* as in struct wk_inode */
    int64_t mtim;          /* 0: now */
    struct wk_name *lower; /* directories of an overlay; a reference is taken */
};

/* An inode to change: the caller's own copy. NULL when memory is refused. Earlier pointers to
 * inodes that were not owned are stale afterwards. */
struct wk_inode *wk_mfs_own(struct wk_vfs *vfs, const struct wk_inode *ip);
struct wk_inode *wk_mfs_lookup(const struct wk_vfs *vfs, const struct wk_inode *dir,
                               struct wk_str name);
/* Adds a new inode under a free name of directory `dir` (not an orphan). *out to read. */
int wk_mfs_create(struct wk_vfs *vfs, struct wk_inode *dir, struct wk_str name,
                  const struct wk_mfs_new *a, struct wk_inode **out);
/* A root without a name. */
int wk_mfs_create_root(struct wk_vfs *vfs, const struct wk_mfs_new *a, uint64_t *ino);
/* Removes a root and everything below it (no open handles below). -WK_ENOMEM: as much as went is
 * gone, the rest can be removed by another call. */
int wk_mfs_remove_root(struct wk_vfs *vfs, uint64_t ino);
/* Makes the directories of a path below the directory `root`; follows no links. */
int wk_mfs_add_dirs(struct wk_vfs *vfs, uint64_t root, struct wk_str path, uint64_t *ino);
/* Removes a name; a directory must be empty. */
int wk_mfs_remove(struct wk_vfs *vfs, struct wk_inode *dir, struct wk_str name);
int wk_mfs_link(struct wk_vfs *vfs, struct wk_inode *dir, struct wk_str name, struct wk_inode *ip);
/* Moves; an existing target (of fitting kind; an empty directory) goes. */
int wk_mfs_rename(struct wk_vfs *vfs, struct wk_inode *from_dir, struct wk_str from,
                  struct wk_inode *to_dir, struct wk_str to);
/* The same, and a new inode takes the old name in the same step (an overlay's whiteout). */
int wk_mfs_rename_leaving(struct wk_vfs *vfs, struct wk_inode *from_dir, struct wk_str from,
                          struct wk_inode *to_dir, struct wk_str to,
                          const struct wk_mfs_new *leave);
int wk_mfs_exchange(struct wk_vfs *vfs, struct wk_inode *from_dir, struct wk_str from,
                    struct wk_inode *to_dir, struct wk_str to);
int wk_mfs_setattr(struct wk_vfs *vfs, struct wk_inode *ip, const struct wk_fs_setattr *a);
int64_t wk_mfs_read(const struct wk_inode *ip, void *dst, size_t n, uint64_t off);
/* off = UINT64_MAX: at the end. *end: after the last byte. */
int64_t wk_mfs_write(struct wk_vfs *vfs, struct wk_inode *ip, const void *src, size_t n,
                     uint64_t off, uint64_t *end);
int wk_mfs_truncate(struct wk_vfs *vfs, struct wk_inode *ip, uint64_t size);
int wk_mfs_clone(struct wk_vfs *vfs, struct wk_inode *dst, const struct wk_inode *src);
void wk_mfs_stat(const struct wk_inode *ip, uint64_t dev, struct wk_stat *st);
/* Whether `ip` is `dir` or below it, by back-links of directories. */
bool wk_mfs_is_below(const struct wk_vfs *vfs, const struct wk_inode *ip,
                     const struct wk_inode *dir);
/* Directories above `ip`. */
uint32_t wk_mfs_depth(const struct wk_vfs *vfs, const struct wk_inode *ip);

/* ---- walk.c ---------------------------------------------------------------------------------- */

enum {
    WK_WALK_FOLLOW = 1,     /* follow a link at the end */
    WK_WALK_MISSING_OK = 2, /* the last name need not exist */
    WK_WALK_ENTRY = 4, /* it is about the entry itself: even with a slash after it, the last name is
                          not followed and may be of any kind */
    WK_WALK_CREATE = 8, /* of a regular file: a slash after the last name is -WK_EISDIR */
};

enum wk_last { WK_LAST_NAME, WK_LAST_DOT, WK_LAST_DOTDOT, WK_LAST_ROOT };

struct wk_walk_frame {
    struct wk_str rest;    /* what is to be walked after the text above it */
    struct wk_block *held; /* a link's text in memory */
    char *text;            /* or a copy of it */
};

enum { WK_WALK_FRAMES = 41 };

struct wk_walk {
    struct wk_loc dir;  /* directory that holds the last name */
    struct wk_loc at;   /* the file; mnt = NULL when missing */
    struct wk_str last; /* last name, valid until wk_walk_end; empty unless last_kind is NAME */
    enum wk_last last_kind;
    bool must_be_dir; /* a slash follows the last name */
    unsigned links;
    unsigned top; /* frames in use */
    struct wk_walk_frame frame[WK_WALK_FRAMES];
};

/* Resolves. On success (0) w->dir and, when the file exists, w->at are held until wk_walk_end,
 * which must be called in every case. */
int wk_walk(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd, struct wk_str path,
            unsigned flags, struct wk_walk *w);
void wk_walk_end(struct wk_vfs *vfs, struct wk_walk *w);
void wk_loc_drop(struct wk_loc *loc);
/* Where a handle (NULL: "/") stands; counted. */
struct wk_loc wk_loc_of(struct wk_vfs *vfs, const struct wk_vdir *d);
/* Attributes of a place. */
int wk_loc_stat(const struct wk_loc *loc, const struct wk_cred *cred, struct wk_stat *st);
/* 0 or -WK_EACCES. */
int wk_loc_allows(const struct wk_loc *loc, const struct wk_cred *cred, int want);
bool wk_loc_same(const struct wk_loc *a, const struct wk_loc *b);
/* Appends the absolute name of a directory. -WK_ENOENT for a removed one. */
int wk_loc_path(struct wk_vfs *vfs, const struct wk_loc *loc, struct wk_buf *out);
/* Goes one directory up, over mount points; at "/" stays. */
int wk_loc_up(struct wk_vfs *vfs, struct wk_loc *loc);
/* One name below a directory: fills `out` (mount points are not entered). -WK_ENOENT. */
int wk_loc_child(struct wk_vfs *vfs, const struct wk_cred *cred, const struct wk_loc *dir,
                 struct wk_str name, struct wk_loc *out);
/* The mount that covers a directory, or NULL. */
struct wk_mount *wk_mount_on(struct wk_vfs *vfs, const struct wk_loc *loc);
struct wk_loc wk_mount_root(struct wk_mount *m);

/* ---- vfs.c: rules of attribute changes, shared by paths and open files ------------------------
 */

int wk_loc_setattr(struct wk_vfs *vfs, const struct wk_loc *loc, const struct wk_cred *cred,
                   const struct wk_fs_setattr *a);
int wk_plan_chmod(const struct wk_stat *st, const struct wk_cred *cred, uint32_t mode,
                  struct wk_fs_setattr *a);
int wk_plan_chown(const struct wk_stat *st, const struct wk_cred *cred, uint32_t uid, uint32_t gid,
                  struct wk_fs_setattr *a);
int wk_plan_utimens(const struct wk_vfs *vfs, const struct wk_stat *st, const struct wk_cred *cred,
                    int64_t atim, int64_t mtim, struct wk_fs_setattr *a);

/* ---- naming.c ---------------------------------------------------------------------------------
 */

/* Makes the missing last name of a walk a regular file, FIFO, socket, device or directory; checks
 * permission, applies umask. */
int wk_create_at(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_walk *w, uint32_t mode,
                 uint64_t rdev);

/* Makes an inode of any type in memory as a call of `cred` does (depth limit, set-gid directories);
 * permission was checked, umask applied. `text`: of a link. */
int wk_mfs_make(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_inode *dir,
                struct wk_str name, uint32_t mode, uint64_t rdev, struct wk_str text);

/* ---- vdir.c ---------------------------------------------------------------------------------- */

int wk_vdir_new(struct wk_vfs *vfs, const struct wk_loc *loc, struct wk_vdir **out);
/* Lists a place that was checked to be a readable directory. */
int wk_loc_list(struct wk_vfs *vfs, const struct wk_loc *loc, const struct wk_cred *cred,
                struct wk_vlist **out);

/* ---- fsnode.c: nodes of foreign mounts ---------------------------------------------------------
 */

/* The node for a name, made when it is not in use, with one more reference. NULL: no memory. */
struct wk_fs_node *wk_node_get(struct wk_mount *m, struct wk_fs_node *parent, struct wk_str name,
                               uint64_t id, uint32_t type);
struct wk_fs_node *wk_node_find(struct wk_mount *m, struct wk_fs_node *parent, struct wk_str name);
struct wk_fs_node *wk_node_ref(struct wk_fs_node *n);
void wk_node_put(struct wk_fs_node *n);
/* After a removal: the node stays for its holders but has no name. */
void wk_node_forget_name(struct wk_fs_node *n);
/* After a rename: the node (if in use) gets its new place. `spare` is room for the name, taken. */
void wk_node_move(struct wk_mount *m, struct wk_fs_node *from, struct wk_str from_name,
                  struct wk_fs_node *to, char *spare, struct wk_str to_name);

/* ---- mount.c --------------------------------------------------------------------------------- */

/* Mounts a back end; on failure `fs` is still the caller's. `out` may be NULL. */
int wk_mount_foreign(struct wk_vfs *vfs, struct wk_str path, struct wk_fs *fs, const char *source,
                     uint32_t flags, struct wk_mount **out);
/* Gives a mount a directory of its own in the memory tree: the one that the tree has under the
 * mount's path (a snapshot's, after a fork or restore), else a new one. */
int wk_mount_make_root(struct wk_mount *m, uint32_t mode, uint32_t uid, uint32_t gid);
/* The mount whose root the path names, or NULL. */
struct wk_mount *wk_mount_find(struct wk_vfs *vfs, struct wk_str path);
/* Releases all mounts (at the end of a namespace). */
void wk_mounts_release(struct wk_vfs *vfs);
/* Binds mount points again after vfs->tree was replaced; makes missing ones. */
int wk_mounts_rebind(struct wk_vfs *vfs);

#endif
