/* test_hostfs.c - mounts of host directories, and attacks on them by another process */
#define _GNU_SOURCE
#include "host_fixture.h"
#include "vfs_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static const struct wk_host_options as_user = {.uid = 1000, .gid = 1000};
static const struct wk_host_options walk = {.uid = 1000, .gid = 1000, .no_openat2 = true};

static void read_write(const struct wk_host_options *o)
{
    struct fixture f;
    struct scratch s;
    char b[64];
    struct wk_stat st;
    fixture_up(&f);
    scratch_up(&s, "mkdir -p d/e && echo hi >d/f && ln -s d l && ln -s /etc/passwd evil && ln -s "
                   "../../etc up && mkfifo p && touch -d @15000000000 d/e");
    cr_assert_eq(wk_vfs_mount_host(f.v, P("/mnt/host"), s.path, o, 0), 0);
    /* A time past what 64 bits of nanoseconds hold (a host may not keep it either). */
    cr_expect_geq(stat_of(f.v, "/mnt/host/d/e").mtim, INT64_C(2147483647) * 1000000000);
    cr_expect_eq(get_file(f.v, &user, "/mnt/host/d/f", b, sizeof b), 3);
    cr_expect_str_eq(b, "hi\n");
    cr_expect_eq(get_file(f.v, &user, "/mnt/host/l/f", b, sizeof b), 3);
    /* Links mean what they say in the session's own namespace, where there is no /etc. */
    cr_expect_eq(get_file(f.v, &user, "/mnt/host/evil", b, sizeof b), -WK_ENOENT);
    cr_expect_eq(get_file(f.v, &user, "/mnt/host/up/passwd", b, sizeof b), -WK_ENOENT);
    wk_vfs_mkdir(f.v, &root, NULL, P("/etc"), 0755);
    put_file(f.v, &root, "/etc/passwd", "mine");
    cr_expect_eq(get_file(f.v, &user, "/mnt/host/evil", b, sizeof b), 4);
    cr_expect_eq(wk_vfs_stat(f.v, &user, NULL, P("/mnt/host/d/../../.."), 0, &st), 0);
    cr_expect_eq(st.ino, WK_ROOT_INO);
    cr_expect_eq(wk_vfs_stat(f.v, &user, NULL, P("/mnt/host/d/f"), 0, &st), 0);
    cr_expect_eq(st.uid, 1000);
    cr_expect_eq(put_file(f.v, &user, "/mnt/host/new", "fresh"), 0);
    cr_expect_eq(wk_vfs_mkdir(f.v, &user, NULL, P("/mnt/host/nd"), 0777), 0);
    cr_expect_eq(wk_vfs_rename(f.v, &user, NULL, P("/mnt/host/new"), NULL, P("/mnt/host/nd/n"), 0),
                 0);
    cr_expect_eq(get_file(f.v, &user, "/mnt/host/nd/n", b, sizeof b), 5);
    cr_expect_eq(wk_vfs_chmod(f.v, &user, NULL, P("/mnt/host/nd/n"), 0, 04700), 0);
    cr_expect_eq(stat_of(f.v, "/mnt/host/nd/n").mode & 07777, 0700);
    cr_expect_eq(wk_vfs_utimens(f.v, &user, NULL, P("/mnt/host/nd/n"), 0, 5, 1000000007), 0);
    cr_expect_eq(stat_of(f.v, "/mnt/host/nd/n").mtim, 1000000007);
    cr_expect_eq(wk_vfs_link(f.v, &user, NULL, P("/mnt/host/nd/n"), NULL, P("/mnt/host/nd/m"), 0),
                 0);
    cr_expect_eq(stat_of(f.v, "/mnt/host/nd/m").nlink, 2);
    cr_expect_eq(wk_vfs_rename(f.v, &user, NULL, P("/mnt/host/nd/n"), NULL, P("/n"), 0), -WK_EXDEV);
    cr_expect_eq(wk_vfs_rmdir(f.v, &user, NULL, P("/mnt/host/nd")), -WK_ENOTEMPTY);
    cr_expect_eq(wk_vfs_unlink(f.v, &user, NULL, P("/mnt/host/nd/n")), 0);
    cr_expect_eq(wk_vfs_unlink(f.v, &user, NULL, P("/mnt/host/nd/m")), 0);
    cr_expect_eq(wk_vfs_rmdir(f.v, &user, NULL, P("/mnt/host/nd")), 0);
    cr_expect_eq(wk_vfs_symlink(f.v, &user, NULL, P("x y"), P("/mnt/host/sl")), 0);
    struct wk_buf out;
    wk_buf_init(&out, f.mem, 100);
    cr_expect_eq(wk_vfs_readlink(f.v, &user, NULL, P("/mnt/host/sl"), &out), 0);
    cr_expect_str_eq(wk_buf_c(&out), "x y");
    wk_buf_release(&out);
    struct wk_vfile *h;
    cr_expect(WK_S_ISFIFO(stat_of(f.v, "/mnt/host/p").mode)); /* looked at, never opened */
    cr_expect_eq(wk_vfs_open(f.v, &user, NULL, P("/mnt/host/p"), WK_O_RDONLY, 0, &h), -WK_ENXIO);
    cr_assert_eq(wk_vfs_open(f.v, &user, NULL, P("/mnt/host/log"),
                             WK_O_WRONLY | WK_O_CREAT | WK_O_APPEND, 0644, &h),
                 0);
    int64_t end = 0;
    cr_expect_eq(wk_vfile_append(h, "ab", 2, &end), 2);
    cr_expect_eq(wk_vfile_append(h, "cd", 2, &end), 2);
    cr_expect_eq(end, 4);
    wk_vfile_unref(h);
    struct wk_vlist *l;
    struct wk_dirent e;
    cr_assert_eq(wk_vfs_opendir(f.v, &user, NULL, P("/mnt/host"), &l), 0);
    int n = 0;
    while (wk_vlist_next(l, &e) == 1)
        n++;
    cr_expect_eq(n, 7);
    wk_vlist_close(l);
    scratch_down(&s);
    fixture_down(&f);
}

Test(hostfs, read_and_write_with_openat2)
{
    read_write(&as_user);
}

Test(hostfs, read_and_write_name_by_name)
{
    read_write(&walk);
}

Test(hostfs, read_only_and_cwd_renamed)
{
    struct fixture f;
    struct scratch s;
    struct wk_vdir *d;
    struct wk_buf b;
    fixture_up(&f);
    scratch_up(&s, "mkdir -p a/b && echo x >a/b/f");
    cr_assert_eq(wk_vfs_mount_host(f.v, P("/ro"), s.path, &as_user, WK_MOUNT_RDONLY), 0);
    cr_expect_eq(put_file(f.v, &user, "/ro/x", "x"), -WK_EROFS);
    cr_expect_eq(put_file(f.v, &user, "/ro/a/b/f", "x"), -WK_EROFS);
    cr_expect_eq(wk_vfs_unlink(f.v, &user, NULL, P("/ro/a/b/f")), -WK_EROFS);
    cr_expect_eq(wk_vfs_chmod(f.v, &user, NULL, P("/ro/a/b/f"), 0, 0), -WK_EROFS);
    cr_assert_eq(wk_vfs_mount_host(f.v, P("/rw"), s.path, &as_user, 0), 0);
    cr_assert_eq(wk_vfs_dir(f.v, &user, NULL, P("/rw/a/b"), &d), 0);
    cr_expect_eq(wk_vfs_rename(f.v, &user, NULL, P("/rw/a"), NULL, P("/rw/z"), 0), 0);
    wk_buf_init(&b, f.mem, 4096);
    cr_expect_eq(wk_vdir_path(d, &b), 0);
    cr_expect_str_eq(wk_buf_c(&b), "/rw/z/b");
    struct wk_stat st;
    cr_expect_eq(wk_vfs_stat(f.v, &user, d, P("f"), 0, &st), 0);
    cr_expect_eq(wk_vfs_umount(f.v, P("/rw")), -WK_EBUSY);
    wk_vdir_unref(d);
    cr_expect_eq(wk_vfs_umount(f.v, P("/rw")), 0);
    wk_buf_release(&b);
    scratch_down(&s);
    fixture_down(&f);
}

/* Another process swaps a directory with a link that leads out, and a file with a link, as fast as
 * it can. Nothing outside may ever be read or written. */
static pid_t start_swapper(const struct scratch *s)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    if (chdir(s->path) != 0)
        _exit(1);
    for (;;) {
        renameat2(AT_FDCWD, "in/dir", AT_FDCWD, "in/out", RENAME_EXCHANGE);
        renameat2(AT_FDCWD, "in/file", AT_FDCWD, "in/link", RENAME_EXCHANGE);
    }
}

static void race(const struct wk_host_options *o)
{
    struct fixture f;
    struct scratch s;
    char b[64];
    fixture_up(&f);
    scratch_up(&s, "mkdir -p in/dir outside && echo inside >in/dir/f && echo secret >outside/f && "
                   "ln -s ../outside in/out && echo inside >in/file && ln -s ../outside/f in/link");
    char dir[80];
    snprintf(dir, sizeof dir, "%s/in", s.path);
    cr_assert_eq(wk_vfs_mount_host(f.v, P("/m"), dir, o, 0), 0);
    pid_t pid = start_swapper(&s);
    int good = 0;
    static const char *const names[] = {"/m/dir/f", "/m/out/f", "/m/file", "/m/link"};
    for (time_t end = time(NULL) + 3; time(NULL) < end;) {
        for (size_t i = 0; i < 4; i++) {
            int64_t n = get_file(f.v, &user, names[i], b, sizeof b);
            if (n > 0) {
                cr_assert_eq(strncmp(b, "inside", 6), 0, "read %s through %s", b, names[i]);
                good++;
            }
            struct wk_vfile *h;
            if (wk_vfs_open(f.v, &user, NULL, P(names[i]), WK_O_WRONLY, 0, &h) == 0) {
                wk_vfile_pwrite(h, "inside", 6, 0);
                wk_vfile_unref(h);
            }
            wk_vfs_chmod(f.v, &user, NULL, P(names[i]), 0, 0600);
            wk_vfs_utimens(f.v, &user, NULL, P(names[i]), 0, 1, 1);
        }
        wk_vfs_rename(f.v, &user, NULL, P("/m/dir/f"), NULL, P("/m/dir/g"), 0);
        wk_vfs_rename(f.v, &user, NULL, P("/m/dir/g"), NULL, P("/m/dir/f"), 0);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    cr_expect_gt(good, 100);
    scratch_run(&s,
                "test \"$(cat outside/f)\" = secret && test \"$(stat -c %a outside/f)\" = 644 && "
                "test \"$(stat -c %Y outside/f)\" -gt 1000");
    scratch_down(&s);
    fixture_down(&f);
}

Test(hostfs, race_with_openat2, .timeout = 30)
{
    race(&as_user);
}

Test(hostfs, race_name_by_name, .timeout = 30)
{
    race(&walk);
}
