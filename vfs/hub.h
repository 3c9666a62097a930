/* hub.h - what the namespaces of a runtime share: the source of births */
#ifndef WK_VFS_HUB_H
#define WK_VFS_HUB_H

#include "vfs/vfs.h"

struct wk_vfs_hub {
    atomic_size_t refs;
    atomic_uint_least64_t births;
    struct wk_mem *mem; /* that the hub itself lives in */
};

#endif
