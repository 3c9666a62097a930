/* fs_ops.h - what a back end of the file system implements
 *
 * The file system resolves paths, links, permissions, mounts and `..` itself and hands a back end
 * one name at a time. A back end names its files by 64-bit handles of its own (`id`); the root is
 * WK_FS_ROOT. The file system keeps a node per file in use and the chain of its parents.
 *
 * Every call may answer -WK_EAGAIN (the whole path call is then made again later) and carries the
 * caller's credentials with the opaque process in cred->caller. A NULL entry in the table means the
 * operation is not there: -WK_EROFS for changes, -WK_EINVAL for the others.
 */
#ifndef WK_VFS_FS_OPS_H
#define WK_VFS_FS_OPS_H

#include "vfs/vfs.h"

struct wk_fs;

enum { WK_FS_ROOT = 0 };

/* A file of a foreign mount that is in use. The back end may read these fields and keep what it
 * likes in `priv`; the file system owns the node. */
struct wk_fs_node {
    uint64_t id;               /* the back end's handle */
    struct wk_fs_node *parent; /* NULL for the root (or a file opened and since removed) */
    void *priv;                /* the back end's; given back at `forget` */
    uint32_t type;             /* WK_S_IFMT bits as lookup said */
    uint32_t refs;             /* the file system's */
    struct wk_mount *mount;    /* the file system's */
    struct wk_stat st;         /* the file system's: what lookup_stat said */
    uint64_t st_walk;          /* … in this walk */
    struct wk_fs_node *next;   /* the file system's: bucket chain */
    bool gone;                 /* removed: its name means nothing any more */
    uint16_t name_len;
    char *name; /* NUL-terminated; "" for the root */
};

/* Appends the node's path below the mount, without leading slash ("" for the root). False when
 * memory is refused. */
bool wk_fs_node_path(const struct wk_fs_node *n, struct wk_buf *out);

struct wk_fs_setattr {
    enum {
        WK_SET_MODE = 1,
        WK_SET_UID = 2,
        WK_SET_GID = 4,
        WK_SET_ATIM = 8,
        WK_SET_MTIM = 16,
        WK_SET_SIZE = 32
    } what;
    uint32_t mode, uid, gid;
    int64_t atim, mtim; /* real values, "now" already filled in */
    int64_t size;
};

struct wk_fs_ops {
    const char *type; /* for df and /proc/mounts */
    void (*free)(struct wk_fs *fs);
    /* Finds one name: its handle and type (WK_S_IFMT bits). -WK_ENOENT. */
    int (*lookup)(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                  struct wk_str name, uint64_t *id, uint32_t *type);
    /* The same with all attributes in one go (type and id from st->mode and st->ino); then used in
     * place of lookup, and of getattr within the same path call. Optional. */
    int (*lookup_stat)(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                       struct wk_str name, struct wk_stat *st);
    /* The node is no longer in use. Optional. */
    void (*forget)(struct wk_fs *fs, struct wk_fs_node *n);
    /* Fills st (dev is set by the caller). */
    int (*getattr)(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                   struct wk_stat *st);
    int (*setattr)(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                   const struct wk_fs_setattr *a);
    int (*readlink)(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                    struct wk_buf *out);
    /* Lists: calls put for each entry but "." and ".."; put returns 0, or an error to return. */
    int (*readdir)(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                   int (*put)(void *ctx, struct wk_str name, uint64_t ino, uint32_t type),
                   void *ctx);
    /* Opens a regular file; *file is passed to the four calls below. Permission was checked by
     * getattr's answer. flags: access mode, WK_O_TRUNC, WK_O_APPEND. */
    int (*open)(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n, uint32_t flags,
                void **file);
    /* May a FIFO or device be opened, for the kernel to attach what is behind it? Optional: yes. */
    int (*open_special)(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n);
    void (*close)(struct wk_fs *fs, void *file);
    int64_t (*pread)(struct wk_fs *fs, void *file, void *dst, size_t n, int64_t off);
    /* off < 0: at the end; *end gets the offset after the last byte. */
    int64_t (*pwrite)(struct wk_fs *fs, void *file, const void *src, size_t n, int64_t off,
                      int64_t *end);
    /* For an open file: attributes and truncation by handle (a file may have lost its name). */
    int (*fgetattr)(struct wk_fs *fs, void *file, struct wk_stat *st);
    int (*fsetattr)(struct wk_fs *fs, void *file, const struct wk_fs_setattr *a);
    /* May names be made in this directory, before its mode is asked? Optional: yes. */
    int (*may_create)(struct wk_fs *fs, const struct wk_fs_node *dir);
    /* Names. mode holds the type; the answer is found by lookup afterwards. `data` is the text of a
     * symbolic link. -WK_EEXIST. */
    int (*create)(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                  struct wk_str name, uint32_t mode, uint64_t rdev, struct wk_str data);
    /* dir_wanted: rmdir, else unlink. */
    int (*remove)(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                  struct wk_str name, bool dir_wanted);
    int (*rename)(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *from_dir,
                  struct wk_str from, struct wk_fs_node *to_dir, struct wk_str to, int at_flags);
    int (*link)(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                struct wk_fs_node *to_dir, struct wk_str to);
    int (*statfs)(struct wk_fs *fs, struct wk_statfs *out);
};

/* A back end: put it first in a structure of your own. */
struct wk_fs {
    const struct wk_fs_ops *ops;
};

#endif
