/* overlay.c - a memory layer over a directory of the host */
#include "vfs/mount.h"

int wk_vfs_mount_overlay(struct wk_vfs *vfs, struct wk_str path, const char *host_dir,
                         const struct wk_host_options *options, uint32_t flags)
{
    (void)vfs, (void)path, (void)host_dir, (void)options, (void)flags;
    return -WK_EOPNOTSUPP;
}

int wk_vfs_overlay_changes(struct wk_vfs *vfs, struct wk_str mount_path,
                           int (*fn)(void *ctx, enum wk_overlay_change kind, struct wk_str path,
                                     const struct wk_stat *st),
                           void *ctx)
{
    (void)vfs, (void)mount_path, (void)fn, (void)ctx;
    return -WK_EINVAL;
}
