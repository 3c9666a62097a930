/* open.c - from a path to a file description: files, directories, FIFOs, devices, /dev/fd */
#include "kern/device.h"
#include "kern/proc.h"
#include "kern/vfsfile.h"
#include "vfs/devfs.h"

static uint8_t file_flags(int flags)
{
    uint8_t f = 0;
    switch (flags & WK_O_ACCMODE) {
    case WK_O_RDONLY:
        f = WK_FILE_READ;
        break;
    case WK_O_WRONLY:
        f = WK_FILE_WRITE;
        break;
    default:
        f = WK_FILE_READ | WK_FILE_WRITE;
        break;
    }
    if (flags & WK_O_APPEND)
        f |= WK_FILE_APPEND;
    if (flags & WK_O_NONBLOCK)
        f |= WK_FILE_NONBLOCK;
    return f;
}

/* /dev/fd/N and its kin: the same description again. */
static int dup_descriptor(struct wk_task *t, uint32_t fd, struct wk_file **out)
{
    struct wk_file *f = wk_fd_get(t->proc->fds, (int)fd);
    if (!f)
        return -WK_ENOENT;
    *out = wk_file_ref(f);
    return 0;
}

/* /dev/tty: a descriptor that is a terminal, when there is one. */
static int open_tty(struct wk_task *t, struct wk_file **out)
{
    for (int fd = 0; fd < 3; fd++) {
        struct wk_file *f = wk_fd_get(t->proc->fds, fd);
        if (f && f->is_tty) {
            *out = wk_file_ref(f);
            return 0;
        }
    }
    return -WK_ENXIO;
}

static int open_node(struct wk_task *t, struct wk_vfile *v, uint8_t flags, struct wk_file **out)
{
    uint64_t rdev = wk_vfile_rdev(v);
    switch (wk_vfile_kind(v)) {
    case WK_S_IFREG:
    case WK_S_IFDIR:
        return wk_vfs_file_new(t->k, v, flags, out);
    case WK_S_IFIFO: {
        int r = wk_fifo_open(t, v, flags, out);
        if (!r)
            wk_vfile_unref(v);
        return r;
    }
    case WK_S_IFCHR: {
        int r;
        if (wk_rdev_major(rdev) == WK_DEV_FD)
            r = dup_descriptor(t, wk_rdev_minor(rdev), out);
        else if (wk_rdev_major(rdev) == WK_DEV_TTY)
            r = open_tty(t, out);
        else
            return wk_device_open(t->k, v, flags, out);
        if (!r)
            wk_vfile_unref(v);
        return r;
    }
    default:
        return -WK_ENXIO;
    }
}

/* The vfile of a FIFO open that waits: given back when the task is dropped. */
static void drop_vfile(void *v)
{
    wk_vfile_unref(v);
}

int wk_open(struct wk_task *t, const char *path, int flags, uint32_t mode, struct wk_file **out)
{
    return wk_open_at(t, t->proc->cwd, path, flags, mode, out);
}

int wk_open_at(struct wk_task *t, struct wk_vdir *dir, const char *path, int flags, uint32_t mode,
               struct wk_file **out)
{
    struct wk_vfile *v;
    *out = NULL;
    int r = wk_vfs_open(t->k->vfs, &t->proc->cred, dir, wk_str_c(path), (uint32_t)flags, mode, &v);
    if (r)
        return r;
    struct wk_unwind u;
    wk_unwind_push(t, &u, drop_vfile, v);
    r = open_node(t, v, file_flags(flags), out);
    wk_unwind_pop(t, &u);
    if (r)
        wk_vfile_unref(v);
    return r;
}
