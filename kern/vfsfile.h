/* vfsfile.h - open files of the vfs behind file descriptions */
#ifndef WK_KERN_VFSFILE_H
#define WK_KERN_VFSFILE_H

#include "kern/file.h"
#include "vfs/vfs.h"

/* A description over v; takes v's reference on success. `flags` are WK_FILE_…. -WK_ENOMEM. */
int wk_vfs_file_new(struct wk_kern *k, struct wk_vfile *v, uint8_t flags, struct wk_file **out);
/* The vfs file behind a regular file or directory; NULL for other kinds. Borrowed. */
struct wk_vfile *wk_file_vfile(const struct wk_file *f);

#endif
