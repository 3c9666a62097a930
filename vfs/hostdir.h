/* hostdir.h - a directory of the host and what lies below it, by relative paths
 *
 * Nothing outside the directory is reached: paths are opened with openat2 (BENEATH, NO_SYMLINKS,
 * NO_MAGICLINKS), or name by name with O_NOFOLLOW where that is missing. Symbolic links are data.
 * Only regular files and directories are ever opened for their contents; opening does not block.
 * Paths are NUL-terminated, without leading slash, dots or "..": "" is the directory itself.
 * Errors are the system call's, as -WK_Exxx. This is the only place of the folder that calls the
 * host.
 */
#ifndef WK_VFS_HOSTDIR_H
#define WK_VFS_HOSTDIR_H

#include "vfs/fs_ops.h"
#include "vfs/mount.h"

struct wk_hostdir {
    int fd;
    bool openat2;
    struct wk_host_options options;
};

int wk_hostdir_init(struct wk_hostdir *h, const char *path, const struct wk_host_options *options);
/* The same directory once more. */
int wk_hostdir_dup(struct wk_hostdir *h, const struct wk_hostdir *of);
void wk_hostdir_release(struct wk_hostdir *h);
/* What a name is, without following it. dev is left 0, birth 0. */
int wk_hostdir_stat(const struct wk_hostdir *h, const char *path, struct wk_stat *st);
int wk_hostdir_readlink(const struct wk_hostdir *h, const char *path, struct wk_buf *out);
int wk_hostdir_list(const struct wk_hostdir *h, struct wk_mem *m, const char *path,
                    int (*put)(void *ctx, struct wk_str name, uint64_t ino, uint32_t type),
                    void *ctx);
/* Opens a regular file (access mode, WK_O_TRUNC): a descriptor. -WK_ENXIO for anything else. */
int wk_hostdir_open(const struct wk_hostdir *h, const char *path, uint32_t flags);
void wk_hostdir_close(int fd);
int64_t wk_hostdir_pread(int fd, void *dst, size_t n, int64_t off);
/* off < 0: at the end, atomically where the host can; *end: after the last byte. */
int64_t wk_hostdir_pwrite(int fd, const void *src, size_t n, int64_t off, int64_t *end);
int wk_hostdir_fstat(const struct wk_hostdir *h, int fd, struct wk_stat *st);
int wk_hostdir_fsetattr(const struct wk_hostdir *h, int fd, const struct wk_fs_setattr *a);
/* `dir` and the name in it. */
int wk_hostdir_setattr(const struct wk_hostdir *h, const char *dir, const char *name,
                       const struct wk_fs_setattr *a);
int wk_hostdir_create(const struct wk_hostdir *h, const char *dir, const char *name, uint32_t mode,
                      const char *link_text);
int wk_hostdir_remove(const struct wk_hostdir *h, const char *dir, const char *name,
                      bool dir_wanted);
int wk_hostdir_rename(const struct wk_hostdir *h, const char *from_dir, const char *from,
                      const char *to_dir, const char *to, bool no_replace);
int wk_hostdir_link(const struct wk_hostdir *h, const char *from_dir, const char *from,
                    const char *to_dir, const char *to);
/* Blocks and inodes of the file system that holds it. */
int wk_hostdir_statfs(const struct wk_hostdir *h, struct wk_statfs *out);

#endif
