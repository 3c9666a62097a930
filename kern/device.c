/* device.c - /dev/null, zero, full, random, urandom as file descriptions */
#include "kern/device.h"

#include "kern/sched.h"
#include "vfs/devfs.h"

static struct wk_vfile *node_of(const struct wk_file *f)
{
    return f->obj;
}

static uint32_t minor_of(const struct wk_file *f)
{
    return wk_rdev_minor(wk_vfile_rdev(node_of(f)));
}

static void fill_random(struct wk_kern *k, char *p, size_t n)
{
    while (n) {
        uint64_t r = wk_kern_random(k);
        size_t take = WK_MIN(n, sizeof r);
        memcpy(p, &r, take);
        p += take;
        n -= take;
    }
}

static ptrdiff_t device_read(struct wk_task *t, struct wk_file *f, void *dst, size_t cap)
{
    cap = WK_MIN(cap, (size_t)1 << 20);
    if (t && wk_steps(f->k, (uint32_t)(cap / 1024)) != 0)
        return -WK_ESTOP;
    switch (minor_of(f)) {
    case WK_DEV_NULL:
        return 0;
    case WK_DEV_RANDOM:
    case WK_DEV_URANDOM:
        fill_random(f->k, dst, cap);
        return (ptrdiff_t)cap;
    default:
        memset(dst, 0, cap);
        return (ptrdiff_t)cap;
    }
}

static ptrdiff_t device_write(struct wk_task *t, struct wk_file *f, const void *src, size_t n)
{
    (void)src;
    if (t && wk_steps(f->k, (uint32_t)(n / 1024 & 0xffff)) != 0)
        return -WK_ESTOP;
    return minor_of(f) == WK_DEV_FULL ? -WK_ENOSPC : (ptrdiff_t)n;
}

static int64_t device_seek(struct wk_file *f, int64_t off, int whence)
{
    (void)f;
    (void)off;
    return whence < 0 || whence > 2 ? -WK_EINVAL : 0;
}

static int device_stat(struct wk_file *f, struct wk_stat *st)
{
    return wk_vfile_stat(node_of(f), st);
}

static void device_close(struct wk_kern *k, struct wk_file *f)
{
    (void)k;
    wk_vfile_unref(node_of(f));
}

static const struct wk_file_ops device_ops = {.read = device_read,
                                              .write = device_write,
                                              .seek = device_seek,
                                              .stat = device_stat,
                                              .close = device_close};

int wk_device_open(struct wk_kern *k, struct wk_vfile *node, uint8_t flags, struct wk_file **out)
{
    uint64_t rdev = wk_vfile_rdev(node);
    uint32_t minor = wk_rdev_minor(rdev);
    if (wk_rdev_major(rdev) != WK_DEV_MEM ||
        (minor != WK_DEV_NULL && minor != WK_DEV_ZERO && minor != WK_DEV_FULL &&
         minor != WK_DEV_RANDOM && minor != WK_DEV_URANDOM))
        return -WK_ENXIO;
    *out = wk_file_new(k, WK_FILE_DEVICE, flags, &device_ops, node);
    return *out ? 0 : -WK_ENOMEM;
}
