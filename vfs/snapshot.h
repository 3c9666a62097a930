/* snapshot.h - the files of a session as a value
 *
 * A snapshot holds the whole memory tree (with the memory layers of overlays) in O(1) and outlives
 * its session. Foreign files (host mounts, devices) are not in it, nor are open files without a
 * name, nor what stands in FIFOs.
 * Threads: immutable; references may be taken and dropped on any thread.
 */
#ifndef WK_VFS_SNAPSHOT_H
#define WK_VFS_SNAPSHOT_H

#include "vfs/vfs.h"

/* The tree as it is now. Errors: -WK_ENOMEM. */
int wk_vfs_snapshot(struct wk_vfs *vfs, struct wk_snapshot **out);
struct wk_snapshot *wk_snapshot_ref(struct wk_snapshot *s);
/* The last reference frees what no other tree shares: in time proportional to that. */
void wk_snapshot_unref(struct wk_snapshot *s);
/* Makes the session's tree that of the snapshot. Open files and directories are bound again by
 * identity, or become nameless files with their present contents. Mount points are kept (made again
 * where the tree lacks them). `busy` is the caller's word that something is running: then
 * -WK_EBUSY. Errors: -WK_EBUSY, -WK_ENOMEM; the tree is as it was. */
int wk_vfs_restore(struct wk_vfs *vfs, struct wk_snapshot *s, bool busy);
/* Fork = wk_vfs_new with config.base = snapshot. */

/* A namespace of its own that shows `path` (absolute, without links) as it was in a snapshot of
 * `of`'s: with the mounts in memory and overlays that lead to it, and no others. s NULL: an empty
 * one with the limits of `of`. Freed with wk_vfs_free, before or after `of`. Errors: -WK_ENOMEM,
 * -WK_EMFILE. */
int wk_vfs_view(struct wk_vfs *of, struct wk_snapshot *s, struct wk_str path, struct wk_vfs **out);
/* Where an absolute path without links hangs from in a diff: the root's number, and how many bytes
 * of it lead to that root. -WK_EOPNOTSUPP when it lies on a mount whose files no snapshot holds. */
int wk_vfs_root_of(struct wk_vfs *vfs, struct wk_str path, uint64_t *root, size_t *skip);

enum wk_diff_kind {
    WK_DIFF_ADDED,   /* a name in b only */
    WK_DIFF_REMOVED, /* a name in a only */
    WK_DIFF_CHANGED, /* the same name and file: contents or attributes differ */
};
enum {
    WK_DIFF_DATA = 1, /* contents (regular file), text (link) may differ */
    WK_DIFF_MODE = 2,
    WK_DIFF_OWNER = 4,
    WK_DIFF_TIMES = 8,
    WK_DIFF_LINKS = 16, /* nlink, or the entries of a directory */
};
struct wk_diff_entry {
    enum wk_diff_kind kind;
    uint32_t what;       /* for CHANGED: WK_DIFF_ bits */
    uint64_t root;       /* inode number of the root that the path hangs from: WK_ROOT_INO, or an
                            overlay's memory layer */
    struct wk_str path;  /* absolute from that root; valid during the callback */
    uint64_t ino, birth; /* a moved or linked file shows the same pair at ADDED and REMOVED */
    uint32_t mode;       /* in b, or in a when REMOVED */
    uint64_t size;
};
/* Calls fn for every name that differs between two trees of one hub, in time proportional to the
 * change (times the depth). A directory that was moved with all below it comes as one REMOVED and
 * one ADDED with the same identity; entries below a directory that is itself new or gone are all
 * listed. Order: by inode number; REMOVED and ADDED of one file adjacent. fn returns 0 to go on;
 * anything else ends the walk and is returned. Works with memory of `m`. Errors: -WK_ENOMEM. */
int wk_snapshot_diff(struct wk_mem *m, struct wk_snapshot *a, struct wk_snapshot *b,
                     int (*fn)(void *ctx, const struct wk_diff_entry *e), void *ctx);

#endif
