/* vfs.h - one session's files: paths, open files, directories
 *
 * Owner:   the session. All handles (wk_vdir, wk_vfile, wk_vlist) belong to the same owner and must
 *          be released before wk_vfs_free.
 * Threads: one owner at a time; nothing here parks. A call that needs a host which is not ready
 *          answers -WK_EAGAIN: it has changed nothing and is to be made again in whole.
 * Limits:  struct wk_vfs_limits; memory is charged to the account given to wk_vfs_new. A call that
 *          fails leaves the tree as it was.
 * Errors:  0 or a count on success, -WK_Exxx on failure, with the codes of the like-named Linux
 * call. Paths:   any bytes but NUL; relative ones start at `cwd` (NULL: "/"). Every call takes the
 *          credentials it is made with.
 * Times:   nanoseconds since the epoch.
 */
#ifndef WK_VFS_VFS_H
#define WK_VFS_VFS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

struct wk_vfs;      /* a namespace: tree, mounts, open inodes, quotas */
struct wk_vfs_hub;  /* what the sessions of a runtime share: the source of identities */
struct wk_vdir;     /* a directory held by inode (a cwd); counted, survives rename */
struct wk_vfile;    /* an open file; counted */
struct wk_vlist;    /* a directory being listed, at the version it was opened */
struct wk_snapshot; /* snapshot.h */

/* ---- modes and flags: Linux's numbers -------------------------------------------------------- */

enum {
    WK_S_IFMT = 0170000,
    WK_S_IFSOCK = 0140000,
    WK_S_IFLNK = 0120000,
    WK_S_IFREG = 0100000,
    WK_S_IFBLK = 0060000,
    WK_S_IFDIR = 0040000,
    WK_S_IFCHR = 0020000,
    WK_S_IFIFO = 0010000,
    WK_S_ISUID = 04000,
    WK_S_ISGID = 02000,
    WK_S_ISVTX = 01000,
};

#define WK_S_ISREG(m)  (((m)&WK_S_IFMT) == WK_S_IFREG)
#define WK_S_ISDIR(m)  (((m)&WK_S_IFMT) == WK_S_IFDIR)
#define WK_S_ISLNK(m)  (((m)&WK_S_IFMT) == WK_S_IFLNK)
#define WK_S_ISFIFO(m) (((m)&WK_S_IFMT) == WK_S_IFIFO)
#define WK_S_ISCHR(m)  (((m)&WK_S_IFMT) == WK_S_IFCHR)
#define WK_S_ISBLK(m)  (((m)&WK_S_IFMT) == WK_S_IFBLK)
#define WK_S_ISSOCK(m) (((m)&WK_S_IFMT) == WK_S_IFSOCK)

enum {
    WK_O_RDONLY = 0,
    WK_O_WRONLY = 1,
    WK_O_RDWR = 2,
    WK_O_ACCMODE = 3,
    WK_O_CREAT = 0100,
    WK_O_EXCL = 0200,
    WK_O_TRUNC = 01000,
    WK_O_APPEND = 02000,
    WK_O_NONBLOCK = 04000, /* kept in flags for kern; no meaning here */
    WK_O_DIRECTORY = 0200000,
    WK_O_NOFOLLOW = 0400000,
};

enum { WK_X_OK = 1, WK_W_OK = 2, WK_R_OK = 4, WK_F_OK = 0 };

/* Flags of path calls. */
enum {
    WK_AT_NOFOLLOW = 1,  /* act on a symbolic link itself */
    WK_AT_FOLLOW = 2,    /* wk_vfs_link: follow the source's last link */
    WK_AT_NOREPLACE = 4, /* wk_vfs_rename: -WK_EEXIST when the target is there */
    WK_AT_EXCHANGE = 8,  /* wk_vfs_rename: swap the two (memory only; else -WK_EINVAL) */
};

/* ---- who asks -------------------------------------------------------------------------------- */

struct wk_cred {
    uint32_t uid, gid;
    uint32_t umask;
    void *caller; /* opaque: the calling process, for back ends such as /proc/self and /dev/fd */
};

struct wk_stat {
    uint64_t dev; /* number of the mount; never 0 */
    uint64_t ino;
    uint64_t
        birth; /* (dev, ino, birth) is never used again for another file; 0 on foreign mounts */
    uint32_t mode;
    uint32_t nlink;
    uint32_t uid, gid;
    uint64_t rdev; /* wk_rdev(major, minor) */
    uint64_t size;
    uint64_t blocks; /* of 512 bytes */
    uint32_t blksize;
    int64_t atim, mtim, ctim, btim;
};

static inline uint64_t wk_rdev(uint32_t major, uint32_t minor)
{
    return (uint64_t)major << 32 | minor;
}
static inline uint32_t wk_rdev_major(uint64_t rdev)
{
    return (uint32_t)(rdev >> 32);
}
static inline uint32_t wk_rdev_minor(uint64_t rdev)
{
    return (uint32_t)rdev;
}

/* Whether `cred` has all of `want` (WK_R_OK…) on a file with this stat; root's rules included. */
bool wk_stat_allows(const struct wk_stat *st, const struct wk_cred *cred, int want);

/* ---- the namespace --------------------------------------------------------------------------- */

struct wk_vfs_limits {
    uint64_t bytes;       /* of file contents, holes not counted: -WK_ENOSPC */
    uint64_t inodes;      /* -WK_ENOSPC */
    uint64_t file_bytes;  /* greatest file size: -WK_EFBIG */
    uint64_t dir_entries; /* in one directory: -WK_ENOSPC */
    uint32_t path_max;    /* bytes in a path, 4096 with its NUL as in Linux: -WK_ENAMETOOLONG */
    uint32_t name_max;    /* bytes in a name, at most 255 */
    uint32_t depth_max;   /* directories below one another: -WK_ENAMETOOLONG on creation */
    uint32_t links_max;   /* symbolic links followed in one path: -WK_ELOOP */
};

/* bytes 4 GiB, inodes 1 M, file_bytes 4 GiB, dir_entries 1 M, 4096, 255, 2000, 40. */
struct wk_vfs_limits wk_vfs_limits_default(void);

struct wk_vfs_config {
    struct wk_vfs_hub *hub;
    const struct wk_snapshot *base; /* the tree to start from; NULL: an empty "/" (root, 0755) */
    struct wk_vfs_limits limits;
    int64_t (*now)(void *ctx); /* the session's clock, ns */
    void *now_ctx;
};

/* The shared source of identities. Counted, any thread. NULL when memory is refused. */
struct wk_vfs_hub *wk_vfs_hub_new(void);
struct wk_vfs_hub *wk_vfs_hub_ref(struct wk_vfs_hub *hub);
void wk_vfs_hub_unref(struct wk_vfs_hub *hub);

/* A namespace, O(1) whatever the base's size. `m` is referenced. Errors: -WK_ENOMEM. */
int wk_vfs_new(struct wk_mem *m, const struct wk_vfs_config *config, struct wk_vfs **out);
/* Ends it; every handle must have been released. NULL is allowed. */
void wk_vfs_free(struct wk_vfs *vfs);

struct wk_vfs_limits *wk_vfs_limits(struct wk_vfs *vfs); /* may be changed between calls */
struct wk_mem *wk_vfs_account(struct wk_vfs *vfs);       /* that it is charged to */
/* Changes at every change of names, modes, owners, mounts and at restore; not at writes. A path
 * resolved twice under one generation on memory mounts gives the same file. Foreign mounts (host,
 * callback) change behind it: see wk_vfs_path_is_stable. */
uint64_t wk_vfs_namespace_gen(const struct wk_vfs *vfs);
/* Whether the generation covers this path (no foreign mount lies on the way). */
bool wk_vfs_path_is_stable(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                           struct wk_str path);
/* Frees at most `budget` blocks of what was dropped lately; true when more is waiting. Other calls
 * do some of it too, and all of it before memory is refused. */
bool wk_vfs_tidy(struct wk_vfs *vfs, size_t budget);
/* File bytes and inodes in use (quota's measure). */
void wk_vfs_usage(const struct wk_vfs *vfs, uint64_t *bytes, uint64_t *inodes);
/* Open files, directories and lists that are still held (for restore, and for tests). */
size_t wk_vfs_open_count(const struct wk_vfs *vfs);

/* ---- paths ----------------------------------------------------------------------------------- */

int wk_vfs_stat(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                struct wk_str path, int at_flags, struct wk_stat *st);
/* Whether the file is there and `want` (WK_R_OK…, or WK_F_OK) is allowed. */
int wk_vfs_access(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                  struct wk_str path, int at_flags, int want);
/* umask of `cred` is applied to mode in the creating calls. */
int wk_vfs_mkdir(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                 struct wk_str path, uint32_t mode);
int wk_vfs_rmdir(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                 struct wk_str path);
int wk_vfs_unlink(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                  struct wk_str path);
/* The two paths may have different working directories. Flags: WK_AT_NOREPLACE, WK_AT_EXCHANGE. */
int wk_vfs_rename(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *from_cwd,
                  struct wk_str from, struct wk_vdir *to_cwd, struct wk_str to, int at_flags);
int wk_vfs_link(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *from_cwd,
                struct wk_str from, struct wk_vdir *to_cwd, struct wk_str to, int at_flags);
int wk_vfs_symlink(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                   struct wk_str target, struct wk_str path);
/* Appends the link's text to out. */
int wk_vfs_readlink(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                    struct wk_str path, struct wk_buf *out);
/* mode holds the type: regular, FIFO, socket, character or block device (those two: root only). */
int wk_vfs_mknod(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                 struct wk_str path, uint32_t mode, uint64_t rdev);
int wk_vfs_chmod(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                 struct wk_str path, int at_flags, uint32_t mode);
/* UINT32_MAX leaves an id as it is. Clears set-id bits of regular files for other users than root.
 */
int wk_vfs_chown(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                 struct wk_str path, int at_flags, uint32_t uid, uint32_t gid);
#define WK_TIME_NOW  INT64_MAX
#define WK_TIME_OMIT (INT64_MAX - 1)
int wk_vfs_utimens(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                   struct wk_str path, int at_flags, int64_t atim, int64_t mtim);
int wk_vfs_truncate(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                    struct wk_str path, int64_t size);

/* How much of a name must exist: `realpath -e`, plain `realpath` / `readlink -f` (all but the last
 * component), `realpath -m` / `readlink -m` (nothing). */
enum wk_realpath {
    WK_REALPATH_ALL,
    WK_REALPATH_PARENT,
    WK_REALPATH_NONE,
};
/* Appends the absolute name without links, dots or double slashes to out. */
int wk_vfs_realpath(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                    struct wk_str path, enum wk_realpath how, struct wk_buf *out);

struct wk_statfs {
    uint64_t dev;
    uint64_t block_size;
    uint64_t blocks, blocks_free;
    uint64_t inodes, inodes_free;
    uint32_t name_max;
    bool read_only;
    const char *type; /* "tmpfs", "overlay", "host", "devtmpfs", "proc"…; static */
};
/* Sizes come from the quotas. */
int wk_vfs_statfs(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                  struct wk_str path, struct wk_statfs *out);

/* ---- directories ----------------------------------------------------------------------------- */

/* A handle for chdir: the path must be a directory with search permission. */
int wk_vfs_dir(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
               struct wk_str path, struct wk_vdir **out);
struct wk_vdir *wk_vdir_ref(struct wk_vdir *d); /* NULL gives NULL */
void wk_vdir_unref(struct wk_vdir *d);
int wk_vdir_stat(struct wk_vdir *d, const struct wk_cred *cred, struct wk_stat *st);
/* Appends the directory's present absolute name; NULL is "/". -WK_ENOENT once it was removed. */
int wk_vdir_path(struct wk_vdir *d, struct wk_buf *out);

struct wk_dirent {
    struct wk_str name; /* NUL-terminated; valid until the list is closed */
    uint64_t ino;
    uint32_t type; /* WK_S_IFMT bits; 0 = unknown, stat it */
};
/* Lists a directory (read permission) as it is now, whatever happens to it later; without "." and
 * "..". Order: by bytes of the name. */
int wk_vfs_opendir(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                   struct wk_str path, struct wk_vlist **out);
/* 1 = an entry, 0 = end, -WK_Exxx. */
int wk_vlist_next(struct wk_vlist *l, struct wk_dirent *out);
/* The cookie is a number of entries to stand behind. Seek past the end is the end. */
void wk_vlist_seek(struct wk_vlist *l, uint64_t cookie);
/* The directory that is being listed, to open or stat its entries relative to it; not counted. */
struct wk_vdir *wk_vlist_dir(struct wk_vlist *l);
void wk_vlist_close(struct wk_vlist *l); /* NULL is allowed */

/* ---- open files ------------------------------------------------------------------------------ */

/* Opens; mode (umask applied) is for WK_O_CREAT. FIFOs, devices and sockets open as handles that
 * carry their identity only: the kernel attaches the pipe or device behind it. */
int wk_vfs_open(struct wk_vfs *vfs, const struct wk_cred *cred, struct wk_vdir *cwd,
                struct wk_str path, uint32_t flags, uint32_t mode, struct wk_vfile **out);
void wk_vfile_unref(struct wk_vfile *f); /* NULL is allowed */

uint32_t wk_vfile_kind(const struct wk_vfile *f); /* WK_S_IFREG, WK_S_IFDIR, WK_S_IFIFO… */
uint64_t wk_vfile_rdev(const struct wk_vfile *f);
/* Identity: equal for two handles of one inode. */
void wk_vfile_identity(const struct wk_vfile *f, uint64_t *dev, uint64_t *ino, uint64_t *birth);
int wk_vfile_stat(struct wk_vfile *f, struct wk_stat *st);
/* Size alone, 0 on failure. */
uint64_t wk_vfile_size(struct wk_vfile *f);

/* Bytes read (0 at the end). Errors: -WK_EBADF (not open for it), -WK_EISDIR, -WK_EINVAL (a FIFO or
 * device, or a negative offset), -WK_EAGAIN, -WK_EIO. */
int64_t wk_vfile_pread(struct wk_vfile *f, void *dst, size_t n, int64_t off);
/* Bytes written: all, or fewer when a quota or memory ends it after the first ones. A write past
 * the end leaves a hole. Errors besides: -WK_EFBIG, -WK_ENOSPC, -WK_ENOMEM. */
int64_t wk_vfile_pwrite(struct wk_vfile *f, const void *src, size_t n, int64_t off);
/* Writes at the end as it is at that moment; *end gets the offset after the last byte written. */
int64_t wk_vfile_append(struct wk_vfile *f, const void *src, size_t n, int64_t *end);
int wk_vfile_truncate(struct wk_vfile *f, int64_t size);
int wk_vfile_chmod(struct wk_vfile *f, const struct wk_cred *cred, uint32_t mode);
/* Times as for wk_vfs_utimens. */
int wk_vfile_utimens(struct wk_vfile *f, const struct wk_cred *cred, int64_t atim, int64_t mtim);
/* Makes `dst`'s whole contents those of `src` by sharing them (cp): O(1). They may be of two
 * namespaces. -WK_EOPNOTSUPP when one is not in memory: copy the bytes then. */
int wk_vfile_clone(struct wk_vfile *dst, struct wk_vfile *src);
/* SEEK_DATA / SEEK_HOLE: the first offset >= off that is data (or hole); -WK_ENXIO past the end. */
int64_t wk_vfile_seek_data(struct wk_vfile *f, int64_t off, bool hole);

/* Keeps bytes of a file as they are: a writer copies what is pinned. */
struct wk_vpin {
    void *block; /* private; NULL = nothing pinned */
    struct wk_vfs *vfs;
};
/* Points *p at up to `max` contiguous bytes from `off` without copying: the count, 0 at the end.
 * They stay valid and unchanged until wk_vpin_drop(pin) (drop before the file system is freed).
 * `pin` must be empty ({0}) or one used before (then it is dropped first). At most 16 KiB - off %
 * 16 KiB come at a time. -WK_EOPNOTSUPP on foreign mounts: use wk_vfile_pread. */
int64_t wk_vfile_borrow(struct wk_vfile *f, int64_t off, size_t max, struct wk_vpin *pin,
                        const void **p);
void wk_vpin_drop(struct wk_vpin *pin);

/* ---- filling from host code ------------------------------------------------------------------ */

enum { WK_ROOT_INO = 1 }; /* of the memory tree's "/" */

struct wk_vfs_entry {
    struct wk_str name;
    uint32_t mode; /* type and permissions; no umask */
    uint32_t uid, gid;
    int64_t mtim;
    uint64_t rdev;      /* devices */
    struct wk_str data; /* contents of a regular file, text of a link */
    bool borrowed; /* data is constant memory that outlives every tree: not copied, not charged */
};
/* Adds one entry to the memory directory number `parent` without resolving a path; *ino gets its
 * number (to add below a directory). No permission checks. A directory that exists already is not
 * an error: its number is given. -WK_EEXIST for another existing name. */
int wk_vfs_add(struct wk_vfs *vfs, uint64_t parent, const struct wk_vfs_entry *entry,
               uint64_t *ino);
/* Makes the directories of an absolute path that are missing (0755, root) and gives the last one's
 * number; follows no links. -WK_EINVAL when it leads through another mount. */
int wk_vfs_add_dirs(struct wk_vfs *vfs, struct wk_str path, uint64_t *ino);

#endif
