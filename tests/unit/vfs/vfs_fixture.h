/* vfs_fixture.h - a namespace with a clock that ticks, for the tests of this folder */
#ifndef WK_TESTS_VFS_FIXTURE_H
#define WK_TESTS_VFS_FIXTURE_H

#include "vfs/mount.h"
#include "vfs/snapshot.h"
#include "vfs/vfs.h"

#include <criterion/criterion.h>

static const struct wk_cred root = {.umask = 022};
static const struct wk_cred user = {.uid = 1000, .gid = 1000, .umask = 022};

struct fixture {
    struct wk_mem *mem;
    struct wk_vfs_hub *hub;
    struct wk_vfs *v;
    int64_t clock;
};

static inline int64_t fixture_now(void *ctx)
{
    return ++((struct fixture *)ctx)->clock;
}

static inline struct wk_vfs_config fixture_config(struct fixture *f)
{
    return (struct wk_vfs_config){
        .hub = f->hub, .limits = wk_vfs_limits_default(), .now = fixture_now, .now_ctx = f};
}

static inline void fixture_up(struct fixture *f)
{
    *f = (struct fixture){.mem = wk_mem_new(SIZE_MAX), .hub = wk_vfs_hub_new(), .clock = 1000};
    struct wk_vfs_config c = fixture_config(f);
    cr_assert_eq(wk_vfs_new(f->mem, &c, &f->v), 0);
}

/* Everything must have been given back. */
static inline void fixture_down(struct fixture *f)
{
    cr_expect_eq(wk_vfs_open_count(f->v), 0);
    wk_vfs_free(f->v);
    wk_vfs_hub_unref(f->hub);
    cr_expect_eq(wk_mem_used(f->mem), 0, "%zu bytes left", wk_mem_used(f->mem));
    wk_mem_unref(f->mem);
}

#define P(s) wk_str_c(s)

static inline int put_file(struct wk_vfs *v, const struct wk_cred *c, const char *path,
                           const char *data)
{
    struct wk_vfile *h;
    int err = wk_vfs_open(v, c, NULL, P(path), WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0666, &h);
    if (err)
        return err;
    int64_t n = wk_vfile_pwrite(h, data, strlen(data), 0);
    wk_vfile_unref(h);
    return n == (int64_t)strlen(data) ? 0 : (int)n;
}

/* Contents as a string in `out`; the length or an error. */
static inline int64_t get_file(struct wk_vfs *v, const struct wk_cred *c, const char *path,
                               char *out, size_t cap)
{
    struct wk_vfile *h;
    int err = wk_vfs_open(v, c, NULL, P(path), WK_O_RDONLY, 0, &h);
    if (err)
        return err;
    int64_t n = wk_vfile_pread(h, out, cap - 1, 0);
    out[n < 0 ? 0 : n] = '\0';
    wk_vfile_unref(h);
    return n;
}

static inline struct wk_stat stat_of(struct wk_vfs *v, const char *path)
{
    struct wk_stat st = {0};
    cr_expect_eq(wk_vfs_stat(v, &root, NULL, P(path), WK_AT_NOFOLLOW, &st), 0, "stat %s", path);
    return st;
}

#endif
