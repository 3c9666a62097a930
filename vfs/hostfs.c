/* hostfs.c - directories of the host */
#include "vfs/mount.h"

int wk_vfs_mount_host(struct wk_vfs *vfs, struct wk_str path, const char *host_dir,
                      const struct wk_host_options *options, uint32_t flags)
{
    (void)vfs, (void)path, (void)host_dir, (void)options, (void)flags;
    return -WK_EOPNOTSUPP;
}
