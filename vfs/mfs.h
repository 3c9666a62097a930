/* mfs.h - what the two halves of the memory file system share (mfs.c, mfs_names.c) */
#ifndef WK_VFS_MFS_H
#define WK_VFS_MFS_H

#include "vfs/namespace.h"

/* wk_mfs_own by number, for inodes with names. */
struct wk_inode *wk_mfs_own_ino(struct wk_vfs *vfs, uint64_t ino);
/* An inode with the next number, not yet in the tree; NULL: see wk_mfs_new_error. */
struct wk_inode *wk_mfs_inode_new(struct wk_vfs *vfs, const struct wk_mfs_new *a);
int wk_mfs_new_error(const struct wk_vfs *vfs);
/* Makes room for a new inode in the tree; then adopt cannot fail. */
int wk_mfs_make_room(struct wk_vfs *vfs, const struct wk_inode *ip);
void wk_mfs_adopt(struct wk_vfs *vfs, struct wk_inode *ip);
/* Takes an inode (the caller's own) that lost its last name out of the tree: to its open handles,
 * or away. */
void wk_mfs_detach(struct wk_vfs *vfs, struct wk_inode *ip);

#endif
