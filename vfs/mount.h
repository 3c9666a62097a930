/* mount.h - other file systems in a session's namespace
 *
 * A mount covers a directory; the directory is made (0755, root) when it is missing. A mounted
 * directory cannot be removed or renamed (-WK_EBUSY). Mounts belong to the session, not to
 * snapshots. See fs_ops.h for writing a back end.
 */
#ifndef WK_VFS_MOUNT_H
#define WK_VFS_MOUNT_H

#include "vfs/fs_ops.h"
#include "vfs/vfs.h"

enum {
    WK_MOUNT_RDONLY = 1, /* -WK_EROFS for every change */
    WK_MOUNT_NOEXEC = 2, /* files are shown without x bits to access(…, WK_X_OK) */
};

/* Mounts a back end of the caller's. On success the mount owns `fs` (fs->ops->free is called at
 * unmount); on failure the caller still does. Errors: -WK_EBUSY when something is mounted there,
 * -WK_ENOTDIR, -WK_ENOMEM and those of path resolution. */
int wk_vfs_mount(struct wk_vfs *vfs, struct wk_str path, struct wk_fs *fs, uint32_t flags);
/* -WK_EINVAL when nothing is mounted there, -WK_EBUSY while handles or other mounts are below. */
int wk_vfs_umount(struct wk_vfs *vfs, struct wk_str path);

/* A further memory tree with this root mode, part of the session's snapshots and quotas. A session
 * that starts from (or restores) a snapshot in which something was mounted at the same path finds
 * that mount's files again. */
int wk_vfs_mount_memory(struct wk_vfs *vfs, struct wk_str path, uint32_t mode, uint32_t uid,
                        uint32_t gid, uint32_t flags);

struct wk_host_options {
    bool show_owner; /* show the host's uid and gid; else files appear as uid:gid below */
    uint32_t uid, gid;
    bool no_openat2;       /* use the component walk even where openat2 exists (tests) */
    uint32_t umask_create; /* bits taken from the modes of files made on the host */
};
/* A directory of the host. Only regular files and directories can be opened; symbolic links are
 * resolved in the session's namespace. Writes go to the host unless WK_MOUNT_RDONLY. */
int wk_vfs_mount_host(struct wk_vfs *vfs, struct wk_str path, const char *host_dir,
                      const struct wk_host_options *options, uint32_t flags);

/* The same directory under a memory layer: nothing is written to the host. The layer is part of
 * snapshots, as with wk_vfs_mount_memory. */
int wk_vfs_mount_overlay(struct wk_vfs *vfs, struct wk_str path, const char *host_dir,
                         const struct wk_host_options *options, uint32_t flags);
enum wk_overlay_change { WK_OVERLAY_ADDED, WK_OVERLAY_CHANGED, WK_OVERLAY_REMOVED };
/* Calls fn for every name of the memory layer that differs from the host, parents first; `path` is
 * relative to the mount. A replaced file counts as CHANGED; what was below a REMOVED directory (or
 * one that a file took the place of) is gone with it. Times alone are no change. Errors: -WK_EINVAL
 * when `path` is no overlay, or what fn returned. */
int wk_vfs_overlay_changes(struct wk_vfs *vfs, struct wk_str mount_path,
                           int (*fn)(void *ctx, enum wk_overlay_change kind, struct wk_str path,
                                     const struct wk_stat *st),
                           void *ctx);

/* The devices (devfs.h), usually at /dev. */
int wk_vfs_mount_dev(struct wk_vfs *vfs, struct wk_str path);

/* The i-th mount in mount order (0 is "/"); false past the end. Strings valid until the next mount
 * or unmount. */
struct wk_mount_info {
    const char *type;   /* "tmpfs", "host", "overlay", "devtmpfs", "proc"… */
    const char *path;   /* where, as mounted */
    const char *source; /* host directory, or the type */
    uint64_t dev;
    uint32_t flags;
};
bool wk_vfs_mount_at(struct wk_vfs *vfs, size_t i, struct wk_mount_info *out);

#endif
