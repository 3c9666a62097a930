/* overlay.h - what overlay.c and overlay_changes.c share */
#ifndef WK_VFS_OVERLAY_H
#define WK_VFS_OVERLAY_H

#include "vfs/hostdir.h"
#include "vfs/namespace.h"

struct wk_overlay {
    struct wk_fs fs;
    struct wk_vfs *vfs;
    struct wk_mount *mount;
    struct wk_hostdir dir;
};

/* Where a file is: in memory (`upper`), on the host (`lower`), or a directory in both. */
struct wk_ov {
    uint64_t gen;   /* namespace generation this was found at */
    uint64_t upper; /* inode number, 0: none */
    char *lower;    /* path on the host, NULL: none */
};

static inline struct wk_overlay *wk_overlay_of(struct wk_fs *fs)
{
    return (struct wk_overlay *)(void *)fs;
}

/* The `free` of the back end's table, by which an overlay is known. */
void wk_overlay_free(struct wk_fs *fs);
/* The overlay of a mount, read-only, in another namespace: over what that one's tree has of its layer. */
int wk_overlay_view(const struct wk_mount *m, struct wk_vfs *view);
bool wk_overlay_is_whiteout(const struct wk_inode *ip);
/* The memory inode of a place, or NULL. */
struct wk_inode *wk_overlay_upper(const struct wk_overlay *o, const struct wk_ov *p);
/* The place of a name below another; out->lower is the caller's to free. The host is not asked. */
int wk_overlay_below(const struct wk_overlay *o, const struct wk_ov *dir, struct wk_str name,
                     struct wk_ov *out);
int wk_overlay_stat(struct wk_overlay *o, const struct wk_ov *p, struct wk_stat *st);
/* The merged entries of a directory, in no order. */
int wk_overlay_list(struct wk_overlay *o, const struct wk_ov *p,
                    int (*put)(void *ctx, struct wk_str name, uint64_t ino, uint32_t type),
                    void *ctx);

#endif
