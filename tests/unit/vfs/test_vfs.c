/* test_vfs.c - files, names, links and permissions of the memory file system */
#include "vfs_fixture.h"

#include <stdio.h>

static struct fixture *up(void)
{
    static struct fixture f; /* each test is a process of its own */
    fixture_up(&f);
    return &f;
}

Test(vfs, write_and_read_back)
{
    struct fixture *f = up();
    char b[64];
    cr_expect_eq(put_file(f->v, &root, "/a", "hello"), 0);
    cr_expect_eq(get_file(f->v, &root, "/a", b, sizeof b), 5);
    cr_expect_str_eq(b, "hello");
    struct wk_stat st = stat_of(f->v, "/a");
    cr_expect_eq(st.size, 5);
    cr_expect_eq(st.mode, WK_S_IFREG | 0644);
    cr_expect_eq(st.nlink, 1);
    fixture_down(f);
}

Test(vfs, errors_of_paths)
{
    struct fixture *f = up();
    struct wk_vfs *v = f->v;
    struct wk_stat st;
    put_file(v, &root, "/f", "x");
    wk_vfs_mkdir(v, &root, NULL, P("/d"), 0777);
    wk_vfs_symlink(v, &root, NULL, P("loop"), P("/loop"));
    wk_vfs_symlink(v, &root, NULL, P("d/"), P("/ld"));
    wk_vfs_symlink(v, &root, NULL, P("nowhere"), P("/dangling"));
    char longname[300], longpath[5000];
    memset(longname, 'n', sizeof longname);
    memset(longpath, '/', sizeof longpath);
    static const struct {
        const char *path;
        int want;
    } cases[] = {
        {"", -WK_ENOENT},
        {"/none", -WK_ENOENT},
        {"/f/", -WK_ENOTDIR},
        {"/f/x", -WK_ENOTDIR},
        {"/loop", -WK_ELOOP},
        {"/loop/x", -WK_ELOOP},
        {"/ld", 0},
        {"/ld/", 0},
        {"/d/../f", 0},
        {"/../../f", 0},
        {"//f", 0},
        {"/d/.", 0},
        {"/f/.", -WK_ENOTDIR},
        {"/f/..", -WK_ENOTDIR},
        {"/ld/../f", 0},
        {"/dangling", -WK_ENOENT},
        {"/none/..", -WK_ENOENT},
        {"d", 0},
        {".", 0},
        {"..", 0},
    };
    for (size_t i = 0; i < WK_COUNTOF(cases); i++)
        cr_expect_eq(wk_vfs_stat(v, &root, NULL, P(cases[i].path), 0, &st), cases[i].want, "%s",
                     cases[i].path);
    cr_expect_eq(wk_vfs_stat(v, &root, NULL, wk_str(longname, 256), 0, &st), -WK_ENAMETOOLONG);
    cr_expect_eq(wk_vfs_stat(v, &root, NULL, wk_str(longname, 255), 0, &st), -WK_ENOENT);
    cr_expect_eq(wk_vfs_stat(v, &root, NULL, wk_str(longpath, 4096), 0, &st), -WK_ENAMETOOLONG);
    cr_expect_eq(wk_vfs_stat(v, &root, NULL, wk_str(longpath, 4095), 0, &st), 0);
    cr_expect_eq(wk_vfs_unlink(v, &root, NULL, P("/d")), -WK_EISDIR);
    cr_expect_eq(wk_vfs_rmdir(v, &root, NULL, P("/f")), -WK_ENOTDIR);
    cr_expect_eq(wk_vfs_rmdir(v, &root, NULL, P("/d/.")), -WK_EINVAL);
    cr_expect_eq(wk_vfs_rmdir(v, &root, NULL, P("/d/..")), -WK_ENOTEMPTY);
    cr_expect_eq(wk_vfs_rmdir(v, &root, NULL, P("/")), -WK_EBUSY);
    cr_expect_eq(wk_vfs_mkdir(v, &root, NULL, P("/d/"), 0777), -WK_EEXIST);
    cr_expect_eq(wk_vfs_mkdir(v, &root, NULL, P("/e/"), 0777), 0);
    cr_expect_eq(wk_vfs_mkdir(v, &root, NULL, P("/dangling"), 0777), -WK_EEXIST);
    cr_expect_eq(put_file(v, &root, "/new/", "x"), -WK_EISDIR);
    cr_expect_eq(put_file(v, &root, "/dangling", "x"), 0);
    cr_expect_eq(stat_of(v, "/nowhere").size, 1);
    fixture_down(f);
}

Test(vfs, forty_links_and_no_more)
{
    struct fixture *f = up();
    char name[16], target[16];
    struct wk_stat st;
    put_file(f->v, &root, "/l0", "end");
    for (int i = 1; i <= 41; i++) {
        snprintf(name, sizeof name, "/l%d", i);
        snprintf(target, sizeof target, "l%d", i - 1);
        cr_expect_eq(wk_vfs_symlink(f->v, &root, NULL, P(target), P(name)), 0);
    }
    cr_expect_eq(wk_vfs_stat(f->v, &root, NULL, P("/l40"), 0, &st), 0);
    cr_expect_eq(wk_vfs_stat(f->v, &root, NULL, P("/l41"), 0, &st), -WK_ELOOP);
    fixture_down(f);
}

Test(vfs, permissions_of_a_user)
{
    struct fixture *f = up();
    struct wk_vfs *v = f->v;
    char b[8];
    wk_vfs_mkdir(v, &root, NULL, P("/tmp"), 01777);
    wk_vfs_chmod(v, &root, NULL, P("/tmp"), 0, 01777);
    put_file(v, &root, "/secret", "s");
    wk_vfs_chmod(v, &root, NULL, P("/secret"), 0, 0600);
    cr_expect_eq(get_file(v, &user, "/secret", b, sizeof b), -WK_EACCES);
    cr_expect_eq(put_file(v, &user, "/x", "x"), -WK_EACCES);
    cr_expect_eq(put_file(v, &user, "/tmp/x", "x"), 0);
    put_file(v, &root, "/tmp/theirs", "x");
    cr_expect_eq(wk_vfs_unlink(v, &user, NULL, P("/tmp/theirs")), -WK_EPERM);
    cr_expect_eq(wk_vfs_rename(v, &user, NULL, P("/tmp/theirs"), NULL, P("/tmp/y"), 0), -WK_EPERM);
    cr_expect_eq(wk_vfs_unlink(v, &user, NULL, P("/tmp/x")), 0);
    wk_vfs_mkdir(v, &root, NULL, P("/shut"), 0700);
    cr_expect_eq(get_file(v, &user, "/shut/f", b, sizeof b), -WK_EACCES);
    cr_expect_eq(wk_vfs_chmod(v, &user, NULL, P("/secret"), 0, 0777), -WK_EPERM);
    cr_expect_eq(wk_vfs_access(v, &root, NULL, P("/secret"), 0, WK_X_OK), -WK_EACCES);
    cr_expect_eq(wk_vfs_access(v, &root, NULL, P("/secret"), 0, WK_W_OK), 0);
    fixture_down(f);
}

Test(vfs, rename_rules)
{
    struct fixture *f = up();
    struct wk_vfs *v = f->v;
    char b[8];
    wk_vfs_mkdir(v, &root, NULL, P("/a"), 0777);
    wk_vfs_mkdir(v, &root, NULL, P("/a/b"), 0777);
    wk_vfs_mkdir(v, &root, NULL, P("/e"), 0777);
    put_file(v, &root, "/f", "f");
    put_file(v, &root, "/g", "g");
#define RENAME(x, y) wk_vfs_rename(v, &root, NULL, P(x), NULL, P(y), 0)
    cr_expect_eq(RENAME("/a", "/a/b/c"), -WK_EINVAL);
    cr_expect_eq(RENAME("/a", "/a"), 0);
    cr_expect_eq(RENAME("/a/b", "/a"), -WK_ENOTEMPTY);
    cr_expect_eq(RENAME("/f", "/a"), -WK_EISDIR);
    cr_expect_eq(RENAME("/a", "/f"), -WK_ENOTDIR);
    cr_expect_eq(RENAME("/e", "/a"), -WK_ENOTEMPTY);
    cr_expect_eq(RENAME("/a", "/e"), 0);
    cr_expect_eq(stat_of(v, "/e").nlink, 3);
    cr_expect_eq(stat_of(v, "/").nlink, 3);
    cr_expect_eq(RENAME("/f", "/g"), 0);
    cr_expect_eq(get_file(v, &root, "/g", b, sizeof b), 1);
    cr_expect_str_eq(b, "f");
    cr_expect_eq(RENAME("/g", "/h/"), -WK_ENOTDIR);
    cr_expect_eq(RENAME("/e", "/h/"), 0);
    cr_expect_eq(RENAME("/h/.", "/i"), -WK_EBUSY);
    put_file(v, &root, "/k", "k");
    cr_expect_eq(wk_vfs_rename(v, &root, NULL, P("/k"), NULL, P("/g"), WK_AT_NOREPLACE),
                 -WK_EEXIST);
    cr_expect_eq(wk_vfs_rename(v, &root, NULL, P("/k"), NULL, P("/h"), WK_AT_EXCHANGE), 0);
    cr_expect(WK_S_ISDIR(stat_of(v, "/k").mode));
    cr_expect(WK_S_ISREG(stat_of(v, "/h").mode));
    cr_expect_eq(stat_of(v, "/k/b").nlink, 2);
    fixture_down(f);
}

Test(vfs, hard_links)
{
    struct fixture *f = up();
    struct wk_vfs *v = f->v;
    char name[16], b[8];
    wk_vfs_mkdir(v, &root, NULL, P("/d"), 0777);
    put_file(v, &root, "/f", "1");
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "/d/l%d", i);
        cr_expect_eq(wk_vfs_link(v, &root, NULL, P("/f"), NULL, P(name), 0), 0);
    }
    cr_expect_eq(stat_of(v, "/f").nlink, 101);
    cr_expect_eq(wk_vfs_link(v, &root, NULL, P("/d"), NULL, P("/dd"), 0), -WK_EPERM);
    cr_expect_eq(wk_vfs_rename(v, &root, NULL, P("/d/l3"), NULL, P("/f"), 0), 0);
    cr_expect_eq(stat_of(v, "/d/l3").nlink, 101); /* two names of one file: nothing happens */
    cr_expect_eq(wk_vfs_unlink(v, &root, NULL, P("/f")), 0);
    for (int i = 0; i < 99; i++) {
        snprintf(name, sizeof name, "/d/l%d", i);
        cr_expect_eq(wk_vfs_unlink(v, &root, NULL, P(name)), 0);
    }
    cr_expect_eq(stat_of(v, "/d/l99").nlink, 1);
    cr_expect_eq(get_file(v, &root, "/d/l99", b, sizeof b), 1);
    fixture_down(f);
}

Test(vfs, deep_directories_end_at_the_limit)
{
    struct fixture *f = up();
    struct wk_vdir *d = NULL, *e;
    struct wk_buf b;
    int n = 0, err;
    while ((err = wk_vfs_mkdir(f->v, &root, d, P("some-directory"), 0755)) == 0) {
        cr_assert_eq(wk_vfs_dir(f->v, &root, d, P("some-directory"), &e), 0);
        wk_vdir_unref(d);
        d = e;
        n++;
    }
    cr_expect_eq(err, -WK_ENAMETOOLONG);
    cr_expect_eq(n, 2000);
    wk_buf_init(&b, f->mem, 1 << 20);
    cr_expect_eq(wk_vdir_path(d, &b), 0);
    cr_expect_eq(b.n, 2000 * 15);
    wk_buf_release(&b);
    wk_vdir_unref(d);
    fixture_down(f);
}

Test(vfs, link_count_has_an_end)
{
    struct fixture *f = up();
    char name[16];
    int n = 1, err = 0;
    put_file(f->v, &root, "/f", "x");
    for (; !err; n += !err) {
        snprintf(name, sizeof name, "/l%d", n);
        err = wk_vfs_link(f->v, &root, NULL, P("/f"), NULL, P(name), 0);
    }
    cr_expect_eq(err, -WK_EMLINK);
    cr_expect_eq(n, 65000);
    for (int i = 1; i < n; i++) {
        snprintf(name, sizeof name, "/l%d", i);
        cr_assert_eq(wk_vfs_unlink(f->v, &root, NULL, P(name)), 0);
    }
    cr_expect_eq(stat_of(f->v, "/f").nlink, 1);
    fixture_down(f);
}

Test(vfs, unlinked_file_lives_while_open)
{
    struct fixture *f = up();
    struct wk_vfs *v = f->v;
    struct wk_vfile *h;
    struct wk_stat st;
    char b[8] = "";
    uint64_t bytes, inodes;
    cr_assert_eq(wk_vfs_open(v, &root, NULL, P("/f"), WK_O_RDWR | WK_O_CREAT, 0600, &h), 0);
    wk_vfile_pwrite(h, "abc", 3, 0);
    cr_expect_eq(wk_vfs_unlink(v, &root, NULL, P("/f")), 0);
    cr_expect_eq(wk_vfile_stat(h, &st), 0);
    cr_expect_eq(st.nlink, 0);
    cr_expect_eq(wk_vfile_pwrite(h, "def", 3, 3), 3);
    cr_expect_eq(wk_vfile_pread(h, b, 8, 0), 6);
    cr_expect_str_eq(b, "abcdef");
    wk_vfs_usage(v, &bytes, &inodes);
    cr_expect_eq(bytes, 6);
    wk_vfile_unref(h);
    wk_vfs_usage(v, &bytes, &inodes);
    cr_expect_eq(bytes, 0);
    cr_expect_eq(inodes, 1);
    fixture_down(f);
}

Test(vfs, cwd_survives_rename_and_removal)
{
    struct fixture *f = up();
    struct wk_vfs *v = f->v;
    struct wk_vdir *d;
    struct wk_stat st;
    struct wk_buf b;
    wk_buf_init(&b, f->mem, 4096);
    wk_vfs_mkdir(v, &root, NULL, P("/a"), 0777);
    wk_vfs_mkdir(v, &root, NULL, P("/a/b"), 0777);
    cr_assert_eq(wk_vfs_dir(v, &root, NULL, P("/a/b"), &d), 0);
    wk_vfs_rename(v, &root, NULL, P("/a"), NULL, P("/z"), 0);
    cr_expect_eq(wk_vdir_path(d, &b), 0);
    cr_expect_str_eq(wk_buf_c(&b), "/z/b");
    wk_buf_reset(&b);
    cr_expect_eq(wk_vfs_rmdir(v, &root, NULL, P("/z/b")), 0);
    cr_expect_eq(wk_vdir_path(d, &b), -WK_ENOENT);
    cr_expect_eq(wk_vfs_stat(v, &root, d, P("."), 0, &st), 0);
    cr_expect_eq(wk_vfs_stat(v, &root, d, P("x"), 0, &st), -WK_ENOENT);
    cr_expect_eq(wk_vfs_stat(v, &root, d, P("../../z"), 0, &st), 0);
    cr_expect_eq(wk_vfs_mkdir(v, &root, d, P("x"), 0777), -WK_ENOENT);
    wk_vdir_unref(d);
    wk_buf_release(&b);
    fixture_down(f);
}

Test(vfs, sparse_files_and_limits)
{
    struct fixture *f = up();
    struct wk_vfs *v = f->v;
    struct wk_vfile *h;
    char b[4] = "xxx";
    wk_vfs_limits(v)->file_bytes = UINT64_C(1) << 50;
    put_file(v, &root, "/s", "abc");
    cr_expect_eq(wk_vfs_truncate(v, &root, NULL, P("/s"), INT64_C(1) << 49), 0);
    cr_expect_eq(wk_vfs_truncate(v, &root, NULL, P("/s"), INT64_MAX), -WK_EFBIG);
    cr_assert_eq(wk_vfs_open(v, &root, NULL, P("/s"), WK_O_RDWR, 0, &h), 0);
    cr_expect_eq(wk_vfile_pwrite(h, "z", 1, INT64_C(1) << 40), 1);
    cr_expect_eq(wk_vfile_pread(h, b, 3, (INT64_C(1) << 40) - 1), 3);
    cr_expect_eq(memcmp(b, "\0z\0", 3), 0);
    cr_expect_eq(wk_vfile_seek_data(h, 3, true), 3);
    cr_expect_eq(wk_vfile_seek_data(h, 3, false), INT64_C(1) << 40);
    cr_expect_eq(wk_vfile_seek_data(h, (INT64_C(1) << 40) + 1, false), -WK_ENXIO);
    cr_expect_lt(wk_mem_used(f->mem), 64 * 1024);
    uint64_t bytes, inodes;
    wk_vfs_usage(v, &bytes, &inodes);
    wk_vfs_limits(v)->bytes = bytes + 6;
    cr_expect_eq(wk_vfile_pwrite(h, "0123456789", 10, 3), 6);
    cr_expect_eq(wk_vfile_pwrite(h, "0123456789", 10, 200000), -WK_ENOSPC);
    wk_vfile_unref(h);
    wk_vfs_limits(v)->inodes = 2;
    cr_expect_eq(put_file(v, &root, "/t", ""), -WK_ENOSPC);
    fixture_down(f);
}

Test(vfs, borrowed_bytes_do_not_change)
{
    struct fixture *f = up();
    struct wk_vfs *v = f->v;
    struct wk_vfile *h;
    struct wk_vpin pin = {0};
    const void *p;
    cr_assert_eq(wk_vfs_open(v, &root, NULL, P("/f"), WK_O_RDWR | WK_O_CREAT, 0600, &h), 0);
    wk_vfile_pwrite(h, "old", 3, 0);
    cr_expect_eq(wk_vfile_borrow(h, 1, 100, &pin, &p), 2);
    wk_vfile_pwrite(h, "new!", 4, 0);
    cr_expect_eq(memcmp(p, "ld", 2), 0);
    cr_expect_eq(wk_vfile_borrow(h, 0, 100, &pin, &p), 4);
    cr_expect_eq(memcmp(p, "new!", 4), 0);
    wk_vfile_truncate(h, 0);
    cr_expect_eq(memcmp(p, "new!", 4), 0);
    wk_vpin_drop(&pin);
    wk_vfile_unref(h);
    fixture_down(f);
}

Test(vfs, listing_is_pinned_and_ordered)
{
    struct fixture *f = up();
    struct wk_vfs *v = f->v;
    struct wk_vlist *l;
    struct wk_dirent e;
    char name[16], prev[16] = "";
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "/n%d", (i * 7919) % 1000);
        put_file(v, &root, name, "");
    }
    cr_assert_eq(wk_vfs_opendir(v, &root, NULL, P("/"), &l), 0);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "/n%d", i);
        cr_expect_eq(wk_vfs_unlink(v, &root, NULL, P(name)), 0);
    }
    int n = 0;
    while (wk_vlist_next(l, &e) == 1) {
        cr_expect_lt(strcmp(prev, e.name.p), 0);
        snprintf(prev, sizeof prev, "%s", e.name.p);
        n++;
    }
    cr_expect_eq(n, 1000);
    wk_vlist_seek(l, 998);
    cr_expect_eq(wk_vlist_next(l, &e), 1);
    cr_expect_str_eq(e.name.p, "n998");
    wk_vlist_seek(l, 5000);
    cr_expect_eq(wk_vlist_next(l, &e), 0);
    wk_vlist_close(l);
    cr_assert_eq(wk_vfs_opendir(v, &root, NULL, P("/"), &l), 0);
    cr_expect_eq(wk_vlist_next(l, &e), 0);
    wk_vlist_close(l);
    fixture_down(f);
}

Test(vfs, realpath_forms)
{
    struct fixture *f = up();
    struct wk_vfs *v = f->v;
    struct wk_buf b;
    wk_buf_init(&b, f->mem, 65536);
    wk_vfs_mkdir(v, &root, NULL, P("/d"), 0777);
    wk_vfs_mkdir(v, &root, NULL, P("/d/e"), 0777);
    put_file(v, &root, "/d/f", "");
    wk_vfs_symlink(v, &root, NULL, P("d/e"), P("/l"));
    wk_vfs_symlink(v, &root, NULL, P("/d/none"), P("/m"));
    static const struct {
        const char *path;
        enum wk_realpath how;
        int err;
        const char *want;
    } cases[] = {
        {"/", WK_REALPATH_ALL, 0, "/"},
        {"/l/../f", WK_REALPATH_ALL, 0, "/d/f"},
        {"/m", WK_REALPATH_ALL, -WK_ENOENT, ""},
        {"/m", WK_REALPATH_PARENT, 0, "/d/none"},
        {"/x", WK_REALPATH_PARENT, 0, "/x"},
        {"/x/y", WK_REALPATH_PARENT, -WK_ENOENT, ""},
        {"/x/y", WK_REALPATH_NONE, 0, "/x/y"},
        {"/x/../l/./z//y", WK_REALPATH_NONE, 0, "/d/e/z/y"},
        {"/d/f/x", WK_REALPATH_NONE, 0, "/d/f/x"},
        {"/m/y/..", WK_REALPATH_NONE, 0, "/d/none"},
        {"/x/../..", WK_REALPATH_NONE, 0, "/"},
    };
    for (size_t i = 0; i < WK_COUNTOF(cases); i++) {
        wk_buf_reset(&b);
        cr_expect_eq(wk_vfs_realpath(v, &root, NULL, P(cases[i].path), cases[i].how, &b),
                     cases[i].err, "%s", cases[i].path);
        cr_expect_str_eq(wk_buf_c(&b), cases[i].want);
    }
    wk_buf_release(&b);
    fixture_down(f);
}

Test(vfs, bulk_entries_and_borrowed_contents)
{
    struct fixture *f = up();
    struct wk_vfs *v = f->v;
    static const char big[40000] = "static";
    uint64_t dir, ino;
    char b[16];
    size_t before = wk_mem_used(f->mem);
    cr_expect_eq(wk_vfs_add_dirs(v, P("/usr/bin"), &dir), 0);
    struct wk_vfs_entry e = {.name = P("ls"),
                             .mode = WK_S_IFREG | 0755,
                             .data = wk_str(big, sizeof big),
                             .borrowed = true};
    cr_expect_eq(wk_vfs_add(v, dir, &e, &ino), 0);
    cr_expect_eq(wk_vfs_add(v, dir, &e, &ino), -WK_EEXIST);
    cr_expect_lt(wk_mem_used(f->mem) - before, 4096);
    cr_expect_eq(get_file(v, &root, "/usr/bin/ls", b, sizeof b), 15);
    cr_expect_str_eq(b, "static");
    struct wk_vfile *h;
    cr_assert_eq(wk_vfs_open(v, &root, NULL, P("/usr/bin/ls"), WK_O_RDWR, 0, &h), 0);
    cr_expect_eq(wk_vfile_pwrite(h, "S", 1, 0), 1);
    cr_expect_eq(big[0], 's');
    wk_vfile_unref(h);
    fixture_down(f);
}

Test(vfs, append_and_clone)
{
    struct fixture *f = up();
    struct wk_vfs *v = f->v;
    struct wk_vfile *a, *b;
    int64_t end;
    char chunk[1000], out[16];
    memset(chunk, 'q', sizeof chunk);
    cr_assert_eq(
        wk_vfs_open(v, &root, NULL, P("/a"), WK_O_RDWR | WK_O_CREAT | WK_O_APPEND, 0600, &a), 0);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(wk_vfile_append(a, chunk, sizeof chunk, &end), 1000);
    cr_expect_eq(end, 1000000);
    cr_assert_eq(wk_vfs_open(v, &root, NULL, P("/b"), WK_O_RDWR | WK_O_CREAT, 0600, &b), 0);
    size_t before = wk_mem_used(f->mem);
    cr_expect_eq(wk_vfile_clone(b, a), 0);
    cr_expect_lt(wk_mem_used(f->mem) - before, 1024);
    wk_vfile_pwrite(a, "x", 1, 500000);
    cr_expect_eq(wk_vfile_pread(b, out, 1, 500000), 1);
    cr_expect_eq(out[0], 'q');
    cr_expect_eq(wk_vfile_truncate(a, 70000), 0);
    cr_expect_eq(wk_vfile_size(b), 1000000);
    uint64_t bytes, inodes;
    wk_vfs_usage(v, &bytes, &inodes);
    cr_expect_eq(bytes, 1070000);
    wk_vfile_unref(a);
    wk_vfile_unref(b);
    fixture_down(f);
}

Test(vfs, devices)
{
    struct fixture *f = up();
    struct wk_vfile *h;
    struct wk_stat st;
    cr_assert_eq(wk_vfs_mount_dev(f->v, P("/dev")), 0);
    cr_assert_eq(wk_vfs_open(f->v, &user, NULL, P("/dev/null"), WK_O_RDWR, 0, &h), 0);
    cr_expect_eq(wk_vfile_kind(h), WK_S_IFCHR);
    cr_expect_eq(wk_vfile_rdev(h), wk_rdev(1, 3));
    wk_vfile_unref(h);
    cr_assert_eq(wk_vfs_open(f->v, &user, NULL, P("/dev/stdin"), WK_O_RDONLY, 0, &h), 0);
    cr_expect_eq(wk_vfile_rdev(h), wk_rdev(240, 0));
    wk_vfile_unref(h);
    cr_expect_eq(wk_vfs_stat(f->v, &user, NULL, P("/dev/fd/../null"), 0, &st), 0);
    cr_expect_eq(wk_vfs_rmdir(f->v, &root, NULL, P("/dev")), -WK_EBUSY);
    cr_expect_eq(wk_vfs_unlink(f->v, &root, NULL, P("/dev/null")), -WK_EROFS);
    cr_expect_eq(put_file(f->v, &root, "/dev/x", ""), -WK_EROFS);
    fixture_down(f);
}
