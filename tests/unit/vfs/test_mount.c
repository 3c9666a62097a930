/* test_mount.c - the mount table, a callback back end that is never ready at first, and memory that
 * fails at every point of calls on foreign mounts */
#define _GNU_SOURCE
#include "host_fixture.h"
#include "tree_compare.h"

/* A back end with /x (directory), /x/hello (a file) and /link -> x/hello. Each call says AGAIN the
 * first time it is made, as one does that must ask elsewhere and keeps the answer. */
struct lazy {
    struct wk_fs fs;
    uint32_t asked;
    bool ready; /* no AGAIN */
    int freed;
    char text[32];
    size_t n;
    void *caller;
};

static bool not_ready(struct wk_fs *fs, unsigned call)
{
    struct lazy *l = (struct lazy *)fs;
    uint32_t bit = 1U << call;
    bool first = !l->ready && !(l->asked & bit);
    l->asked |= bit;
    return first;
}

static int lazy_lookup(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                       struct wk_str name, uint64_t *id, uint32_t *type)
{
    ((struct lazy *)fs)->caller = cred->caller;
    if (not_ready(fs, (unsigned)dir->id))
        return -WK_EAGAIN;
    if (dir->id == WK_FS_ROOT && wk_str_is(name, "x")) {
        *id = 1;
        *type = WK_S_IFDIR;
    } else if (dir->id == 1 && wk_str_is(name, "hello")) {
        *id = 2;
        *type = WK_S_IFREG;
    } else if (dir->id == WK_FS_ROOT && wk_str_is(name, "link")) {
        *id = 3;
        *type = WK_S_IFLNK;
    } else {
        return -WK_ENOENT;
    }
    return 0;
}

static int lazy_getattr(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                        struct wk_stat *st)
{
    (void)cred;
    if (not_ready(fs, 4 + (unsigned)n->id))
        return -WK_EAGAIN;
    static const uint32_t modes[] = {WK_S_IFDIR | 0755, WK_S_IFDIR | 0755, WK_S_IFREG | 0666,
                                     WK_S_IFLNK | 0777};
    st->mode = modes[n->id];
    st->ino = n->id + 1;
    st->nlink = 1;
    st->size = n->id == 2 ? ((struct lazy *)fs)->n : 0;
    return 0;
}

static int lazy_readlink(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                         struct wk_buf *out)
{
    (void)cred;
    (void)n;
    return not_ready(fs, 10) ? -WK_EAGAIN : wk_buf_put_c(out, "x/hello") ? 0 : -WK_ENOMEM;
}

static int lazy_readdir(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                        int (*put)(void *ctx, struct wk_str name, uint64_t ino, uint32_t type),
                        void *ctx)
{
    (void)cred;
    if (dir->id == 1)
        return put(ctx, WK_STR("hello"), 3, WK_S_IFREG);
    int err = put(ctx, WK_STR("x"), 2, WK_S_IFDIR);
    if (!err && not_ready(fs, 11))
        err = -WK_EAGAIN; /* in the middle */
    return err ? err : put(ctx, WK_STR("link"), 4, WK_S_IFLNK);
}

static int lazy_open(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                     uint32_t flags, void **file)
{
    (void)cred;
    (void)n;
    if (not_ready(fs, 12))
        return -WK_EAGAIN;
    if (flags & WK_O_TRUNC)
        ((struct lazy *)fs)->n = 0;
    *file = fs;
    return 0;
}

static int64_t lazy_pread(struct wk_fs *fs, void *file, void *dst, size_t n, int64_t off)
{
    struct lazy *l = file;
    if (not_ready(fs, 13))
        return -WK_EAGAIN;
    size_t left = (size_t)off < l->n ? l->n - (size_t)off : 0;
    n = n < left ? n : left;
    memcpy(dst, l->text + off, n);
    return (int64_t)n;
}

static int64_t lazy_pwrite(struct wk_fs *fs, void *file, const void *src, size_t n, int64_t off,
                           int64_t *end)
{
    struct lazy *l = file;
    if (not_ready(fs, 14))
        return -WK_EAGAIN;
    size_t at = off < 0 ? l->n : (size_t)off;
    n = n < sizeof l->text - at ? n : sizeof l->text - at;
    memcpy(l->text + at, src, n);
    l->n = at + n > l->n ? at + n : l->n;
    *end = (int64_t)(at + n);
    return (int64_t)n;
}

static void lazy_free(struct wk_fs *fs)
{
    ((struct lazy *)fs)->freed++;
}

static const struct wk_fs_ops lazy_ops = {
    .type = "lazy",
    .free = lazy_free,
    .lookup = lazy_lookup,
    .getattr = lazy_getattr,
    .readlink = lazy_readlink,
    .readdir = lazy_readdir,
    .open = lazy_open,
    .pread = lazy_pread,
    .pwrite = lazy_pwrite,
};

/* Repeats a call until it is no longer put off, at most a hundred times. */
#define PATIENT(result, call)                           \
    do {                                                \
        int tries_ = 0;                                 \
        do                                              \
            result = (call);                            \
        while (result == -WK_EAGAIN && ++tries_ < 100); \
        again += tries_;                                \
    } while (0)

Test(mount, a_back_end_that_is_not_ready)
{
    struct fixture f;
    struct lazy l = {.fs.ops = &lazy_ops, .text = "hello", .n = 5};
    struct wk_cred who = {.uid = 7, .gid = 7, .caller = &f};
    struct wk_stat st;
    struct wk_vfile *h;
    struct wk_vlist *list;
    struct wk_dirent e;
    char b[32] = "";
    int again = 0, n = 0, r;
    int64_t got, end;
    fixture_up(&f);
    cr_assert_eq(wk_vfs_mount(f.v, P("/mnt/lazy"), &l.fs, 0), 0);
    PATIENT(r, wk_vfs_stat(f.v, &who, NULL, P("/mnt/lazy/link"), 0, &st));
    cr_expect_eq(r, 0);
    cr_expect_eq(st.size, 5);
    cr_expect_eq(l.caller, &f);
    PATIENT(r, wk_vfs_open(f.v, &who, NULL, P("/mnt/lazy/x/hello"), WK_O_RDWR, 0, &h));
    cr_assert_eq(r, 0);
    PATIENT(got, wk_vfile_append(h, "!", 1, &end));
    cr_expect_eq(got, 1);
    PATIENT(got, wk_vfile_pread(h, b, sizeof b, 0));
    cr_expect_eq(got, 6);
    cr_expect_str_eq(b, "hello!");
    wk_vfile_unref(h);
    PATIENT(r, wk_vfs_opendir(f.v, &who, NULL, P("/mnt/lazy"), &list));
    cr_assert_eq(r, 0);
    while (wk_vlist_next(list, &e) == 1)
        n++;
    cr_expect_eq(n, 2);
    cr_expect_eq(wk_vfs_umount(f.v, P("/mnt/lazy")), -WK_EBUSY);
    wk_vlist_close(list);
    cr_expect_gt(again, 5);
    l.ready = true;
    cr_expect_eq(wk_vfs_mkdir(f.v, &root, NULL, P("/mnt/lazy/d"), 0755), -WK_EROFS);
    cr_expect_eq(wk_vfs_unlink(f.v, &root, NULL, P("/mnt/lazy/link")), -WK_EROFS);
    cr_expect_eq(wk_vfs_path_is_stable(f.v, &root, NULL, P("/mnt/lazy/link")), false);
    cr_expect_eq(wk_vfs_path_is_stable(f.v, &root, NULL, P("/mnt")), true);
    cr_expect_eq(wk_vfs_path_is_stable(f.v, &root, NULL, P("/none/x")), true);
    cr_expect_eq(wk_vfs_umount(f.v, P("/mnt/lazy")), 0);
    cr_expect_eq(l.freed, 1);
    fixture_down(&f);
}

Test(mount, table_and_crossing)
{
    struct fixture f;
    struct wk_mount_info info;
    struct wk_statfs sf;
    struct wk_stat st;
    struct wk_buf b;
    struct wk_vdir *d;
    fixture_up(&f);
    struct wk_vfs *v = f.v;
    cr_assert_eq(wk_vfs_mount_memory(v, P("/a"), 0755, 0, 0, 0), 0);
    cr_assert_eq(wk_vfs_mkdir(v, &root, NULL, P("/a/sub"), 0755), 0);
    cr_assert_eq(wk_vfs_mount_memory(v, P("/a/sub"), 0755, 0, 0, WK_MOUNT_RDONLY), 0);
    cr_expect_eq(wk_vfs_mount_memory(v, P("/a/sub"), 0755, 0, 0, 0), -WK_EBUSY);
    cr_expect_eq(wk_vfs_mount_memory(v, P("/"), 0755, 0, 0, 0), -WK_EBUSY);
    put_file(v, &root, "/file", "");
    cr_expect_eq(wk_vfs_mount_memory(v, P("/file"), 0755, 0, 0, 0), -WK_ENOTDIR);
    cr_expect_eq(wk_vfs_mkdir(v, &root, NULL, P("/a/sub/x"), 0755), -WK_EROFS);
    cr_expect_eq(wk_vfs_stat(v, &root, NULL, P("/a/sub/../../file"), 0, &st), 0);
    cr_expect_eq(wk_vfs_rename(v, &root, NULL, P("/file"), NULL, P("/a/file"), 0), -WK_EXDEV);
    cr_expect_eq(wk_vfs_link(v, &root, NULL, P("/file"), NULL, P("/a/file"), 0), -WK_EXDEV);
    cr_expect_eq(wk_vfs_rename(v, &root, NULL, P("/a"), NULL, P("/b"), 0), -WK_EBUSY);
    cr_expect_eq(wk_vfs_rmdir(v, &root, NULL, P("/a")), -WK_EBUSY);
    cr_expect(wk_vfs_mount_at(v, 2, &info));
    cr_expect_str_eq(info.path, "/a/sub");
    cr_expect(!wk_vfs_mount_at(v, 3, &info));
    cr_expect_eq(wk_vfs_statfs(v, &root, NULL, P("/a/sub"), &sf), 0);
    cr_expect(sf.read_only);
    cr_expect_str_eq(sf.type, "tmpfs");
    wk_buf_init(&b, f.mem, 4096);
    cr_assert_eq(wk_vfs_dir(v, &root, NULL, P("/a/sub"), &d), 0);
    cr_expect_eq(wk_vdir_path(d, &b), 0);
    cr_expect_str_eq(wk_buf_c(&b), "/a/sub");
    cr_expect_eq(wk_vfs_umount(v, P("/a/sub")), -WK_EBUSY);
    wk_vdir_unref(d);
    cr_expect_eq(wk_vfs_umount(v, P("/a")), -WK_EBUSY);
    cr_expect_eq(wk_vfs_umount(v, P("/a/sub")), 0);
    cr_expect_eq(wk_vfs_umount(v, P("/a")), 0);
    wk_buf_release(&b);
    fixture_down(&f);
}

/* A fork that mounts at the same place finds the snapshot's files there. */
Test(mount, forks_find_the_layer_of_their_snapshot)
{
    struct fixture f;
    struct scratch s;
    struct wk_snapshot *snap;
    struct wk_vfs *v;
    char b[16];
    static const struct wk_host_options o = {0};
    fixture_up(&f);
    scratch_up(&s, "echo host >f");
    cr_assert_eq(wk_vfs_mount_overlay(f.v, P("/w"), s.path, &o, 0), 0);
    put_file(f.v, &root, "/w/f", "mine");
    wk_vfs_snapshot(f.v, &snap);
    put_file(f.v, &root, "/w/f", "later");
    struct wk_vfs_config c = fixture_config(&f);
    c.base = snap;
    cr_assert_eq(wk_vfs_new(f.mem, &c, &v), 0);
    cr_assert_eq(wk_vfs_mount_overlay(v, P("/w"), s.path, &o, 0), 0);
    cr_expect_eq(get_file(v, &root, "/w/f", b, sizeof b), 4);
    cr_expect_str_eq(b, "mine");
    wk_vfs_free(v);
    wk_snapshot_unref(snap);
    scratch_down(&s);
    fixture_down(&f);
}

/* ---- memory that fails ----------------------------------------------------------------------- */

static int script_step(struct wk_vfs *v, int i)
{
    struct wk_vfile *h;
    struct wk_vlist *l;
    struct wk_stat st;
    int64_t end;
    int r;
    switch (i) {
    case 0:
        return wk_vfs_mkdir(v, &root, NULL, P("/m/new"), 0755);
    case 1:
        return wk_vfs_rename(v, &root, NULL, P("/m/a/b"), NULL, P("/m/new/b"), 0);
    case 2:
        r = wk_vfs_open(v, &root, NULL, P("/m/new/b/g"), WK_O_WRONLY | WK_O_APPEND, 0, &h);
        if (r)
            return r;
        end = wk_vfile_append(h, "more", 4, &end);
        wk_vfile_unref(h);
        return end < 0 ? (int)end : 0;
    case 3:
        return wk_vfs_unlink(v, &root, NULL, P("/m/a/f"));
    case 4:
        return wk_vfs_symlink(v, &root, NULL, P("../d"), P("/m/a/f"));
    case 5:
        return wk_vfs_link(v, &root, NULL, P("/m/d/h"), NULL, P("/m/new/h"), 0);
    case 6:
        return wk_vfs_unlink(v, &root, NULL, P("/m/d/h"));
    case 7:
        return wk_vfs_rename(v, &root, NULL, P("/m/new"), NULL, P("/m/d"), 0);
    case 8:
        return wk_vfs_chmod(v, &root, NULL, P("/m/big"), 0, 0600);
    case 9:
        return wk_vfs_truncate(v, &root, NULL, P("/m/big"), 20000);
    case 10:
        return wk_vfs_stat(v, &root, NULL, P("/m/a/f/b/c"), 0, &st);
    case 11:
        r = wk_vfs_opendir(v, &root, NULL, P("/m/d"), &l);
        if (!r)
            wk_vlist_close(l);
        return r;
    case 12:
        return wk_vfs_rmdir(v, &root, NULL, P("/m/d/b/c"));
    default:
        return 1;
    }
}

static void expect_same(struct fixture *f, const struct wk_buf *want, int step, uint64_t n)
{
    struct wk_buf now;
    wk_buf_init(&now, f->mem, SIZE_MAX / 2);
    describe_tree(f->v, "/m", "", &now, 0);
    cr_assert(wk_str_eq(wk_buf_str(&now), wk_buf_str(want)), "step %d allocation %llu\n%s\n%s",
              step, (unsigned long long)n, wk_buf_c(want), wk_buf_c(&now));
    wk_buf_release(&now);
}

static void torture(bool overlay)
{
    struct fixture f;
    struct scratch s;
    struct wk_buf want;
    static const struct wk_host_options o = {0};
    int failures = 0;
    fixture_up(&f);
    scratch_up(&s, "mkdir -p a/b/c d e && echo one >a/f && echo two >a/b/g && echo three >d/h && "
                   "head -c 40000 /dev/zero | tr '\\0' x >big");
    cr_assert_eq(overlay ? wk_vfs_mount_overlay(f.v, P("/m"), s.path, &o, 0)
                         : wk_vfs_mount_host(f.v, P("/m"), s.path, &o, 0),
                 0);
    wk_buf_init(&want, f.mem, SIZE_MAX / 2);
    for (int step = 0; step < 13; step++) {
        wk_buf_reset(&want);
        describe_tree(f.v, "/m", "", &want, 0);
        int r = -WK_ENOMEM;
        for (uint64_t n = 1; r == -WK_ENOMEM; n++) {
            f.mem->fail_at = f.mem->count + n;
            f.mem->fail_forever = n % 2;
            r = script_step(f.v, step);
            f.mem->fail_at = 0;
            if (r == -WK_ENOMEM) {
                failures++;
                expect_same(&f, &want, step, n);
            }
        }
        cr_expect_eq(r, 0, "step %d: %d", step, r);
    }
    cr_expect_gt(failures, 30);
    wk_buf_release(&want);
    scratch_down(&s);
    fixture_down(&f);
}

Test(mount, failing_memory_on_a_host_mount, .timeout = 60)
{
    torture(false);
}

Test(mount, failing_memory_on_an_overlay, .timeout = 60)
{
    torture(true);
}
