/* devfs.h - numbers of the devices under /dev; what reading and writing them does is the kernel's
 *
 * Nodes: null zero full random urandom tty stdin stdout stderr fd (a directory). An entry N of fd
 * is a character device with major WK_DEV_FD and minor N; opening it duplicates the caller's
 * descriptor N. stdin, stdout and stderr are links to fd/0, fd/1, fd/2.
 */
#ifndef WK_VFS_DEVFS_H
#define WK_VFS_DEVFS_H

#include "vfs/vfs.h"

enum {
    WK_DEV_MEM = 1, /* major */
    WK_DEV_NULL = 3,
    WK_DEV_ZERO = 5,
    WK_DEV_FULL = 7,
    WK_DEV_RANDOM = 8,
    WK_DEV_URANDOM = 9,
    WK_DEV_TTY = 5,  /* major and its minor 0 */
    WK_DEV_FD = 240, /* major; the minor is the descriptor */
};

/* Tells devfs which descriptors a caller has: `next` gives the lowest open one >= from, or -1.
 * Without it every number exists and the listing of /dev/fd is empty. `caller` is that of the
 * credentials. */
struct wk_dev_fds {
    int64_t (*next)(void *ctx, void *caller, uint32_t from);
    void *ctx;
};
void wk_vfs_set_dev_fds(struct wk_vfs *vfs, const struct wk_dev_fds *fds);

#endif
