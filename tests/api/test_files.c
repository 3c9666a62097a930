/* test_files.c - a session's files, snapshots and forks through the public interface */
#include "api_session.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(files, read_and_write)
{
    struct api_session a = api_open(NULL);
    char *data;
    size_t n;
    cr_assert_eq(whelk_write_file(a.s, "/tmp/a/b/c.txt", "one\n", 4, 0), WHELK_OK);
    cr_assert_eq(whelk_append_file(a.s, "/tmp/a/b/c.txt", "two\n", 4), WHELK_OK);
    api_expect(&a, "cat /tmp/a/b/c.txt; echo three >> /tmp/a/b/c.txt", "one\ntwo\n", 0);
    cr_assert_eq(whelk_read_file(a.s, "/tmp/a/b/c.txt", &data, &n), WHELK_OK);
    cr_expect_str_eq(data, "one\ntwo\nthree\n");
    cr_expect_eq(n, 14);
    whelk_free(data);
    cr_expect_eq(whelk_read_file(a.s, "/tmp/none", &data, &n), WHELK_E_NOENT);
    cr_expect_str_eq(whelk_session_error(a.s), "/tmp/none: No such file or directory");
    cr_expect_eq(whelk_read_file(a.s, "/tmp", &data, &n), WHELK_E_ISDIR);
    api_close(&a);
}

static int join(void *ctx, const char *name, const whelk_stat *st)
{
    char *out = ctx;
    sprintf(out + strlen(out), "%s:%llu ", name, (unsigned long long)st->bytes);
    return 0;
}

Test(files, list_stat_remove)
{
    struct api_session a = api_open(NULL);
    char names[256] = "";
    api_run(&a, "mkdir -p /tmp/d/sub/deep; echo hi > /tmp/d/f; ln -s f /tmp/d/l; echo x > "
                "/tmp/d/sub/deep/y");
    cr_assert_eq(whelk_list_dir(a.s, "/tmp/d", join, names), WHELK_OK);
    cr_expect(strstr(names, "f:3 l:1 sub:") == names, "%s", names);
    whelk_stat st = {.size = sizeof st};
    cr_assert_eq(whelk_stat_file(a.s, "/tmp/d/l", 0, &st), WHELK_OK);
    cr_expect_eq(st.mode & 0170000, 0120000);
    cr_expect_eq(whelk_remove(a.s, "/tmp/d", 0), WHELK_E_NOTEMPTY);
    cr_expect_eq(whelk_remove(a.s, "/tmp/d", 1), WHELK_OK);
    cr_expect_eq(whelk_stat_file(a.s, "/tmp/d", 1, &st), WHELK_E_NOENT);
    api_close(&a);
}

static int note(void *ctx, int change, const char *path, const char *old_path)
{
    char *out = ctx;
    sprintf(out + strlen(out), "%c%s%s%s ", "?ARMCN"[change], path, old_path ? "<" : "",
            old_path ? old_path : "");
    return 0;
}

Test(files, snapshot_diff_restore)
{
    struct api_session a = api_open(NULL);
    whelk_snapshot *before, *after;
    char seen[512] = "";
    api_run(&a, "cd /tmp; echo 1 > keep; echo 2 > gone; echo 3 > change");
    cr_assert_eq(whelk_snapshot_take(a.s, &before), WHELK_OK);
    api_run(&a, "rm gone; echo more >> change; echo 4 > new; x=7");
    cr_assert_eq(whelk_snapshot_take(a.s, &after), WHELK_OK);
    cr_assert_eq(whelk_snapshot_diff(before, after, note, seen), WHELK_OK);
    cr_expect(strstr(seen, "R/tmp/gone"), "%s", seen);
    cr_expect(strstr(seen, "M/tmp/change"), "%s", seen);
    cr_expect(strstr(seen, "A/tmp/new"), "%s", seen);
    cr_expect(!strstr(seen, "keep"), "%s", seen);
    cr_assert_eq(whelk_snapshot_restore(a.s, before), WHELK_OK);
    api_expect(&a, "ls; cat change; echo $x", "change\ngone\nkeep\n3\n7\n", 0);
    whelk_snapshot_free(before);
    api_close(&a);
    whelk_snapshot_free(after); /* outlives its session and runtime */
}

Test(files, session_from_a_snapshot)
{
    struct api_session a = api_open(NULL);
    whelk_snapshot *snap;
    api_run(&a, "echo shared > /tmp/f");
    cr_assert_eq(whelk_snapshot_take(a.s, &snap), WHELK_OK);
    whelk_session_options o;
    whelk_session_options_init(&o);
    o.from = snap;
    whelk_session *b;
    const whelk_result *r;
    cr_assert_eq(whelk_session_open(a.rt, &o, &b), WHELK_OK);
    api_run(&a, "echo changed > /tmp/f");
    cr_assert_eq(whelk_exec(b, "cat /tmp/f", &r), WHELK_OK);
    cr_expect_str_eq(r->out, "shared\n");
    whelk_session_close(b);
    whelk_snapshot_free(snap);
    api_close(&a);
}

Test(files, fork_of_a_session)
{
    struct api_session a = api_open(NULL);
    whelk_session *b;
    const whelk_result *r;
    api_run(&a, "cd /tmp; x=1; f() { echo in f; }; echo one > file; shopt -s nullglob; ulimit -n 99");
    cr_assert_eq(whelk_session_fork(a.s, &b), WHELK_OK);
    cr_assert_eq(whelk_exec(b, "pwd; echo $x; f; cat file; ulimit -n; x=2; echo two > file", &r), WHELK_OK);
    cr_expect_str_eq(r->out, "/tmp\n1\nin f\none\n99\n");
    api_expect(&a, "echo $x; cat file", "1\none\n", 0);
    whelk_session_close(b);
    api_close(&a);
}

static int pause_always(void *ctx, const whelk_location *where)
{
    (void)ctx;
    (void)where;
    return WHELK_DEBUG_PAUSE;
}

Test(files, fork_is_not_seen_by_the_shell)
{
    struct api_session a = api_open(NULL);
    whelk_session *b;
    const whelk_result *r;
    api_run(&a, "cd /tmp; alias ll='echo al'; cd() { echo own cd >> /tmp/seen; }\n"
                "trap 'echo debug >> /tmp/seen' DEBUG; trap 'echo err >> /tmp/seen' ERR\n"
                "trap '' USR1; set -o pipefail; set -u; umask 027; false");
    api_run(&a, "trap - DEBUG; rm -f /tmp/seen; set -e; trap 'echo d' DEBUG");
    whelk_debug_hook(a.s, pause_always, NULL);
    cr_assert_eq(whelk_session_fork(a.s, &b), WHELK_OK);
    whelk_debug_hook(a.s, NULL, NULL);
    cr_assert_eq(whelk_exec(b, "trap - DEBUG; ls /tmp; umask; alias; trap; set -o | grep -E "
                               "'errexit|nounset|pipefail' | tr -d ' \\t'; type cd | head -n 1",
                            &r),
                 WHELK_OK);
    cr_expect_str_eq(r->out, "d\n0027\nalias ll='echo al'\ntrap -- '' SIGUSR1\n"
                             "trap -- 'echo err >> /tmp/seen' ERR\nerrexiton\nnounseton\n"
                             "pipefailon\ncd is a function\n",
                     "%s", r->out);
    whelk_session_close(b);
    api_close(&a);
}

Test(files, fork_keeps_the_status)
{
    struct api_session a = api_open(NULL);
    whelk_session *b;
    const whelk_result *r;
    api_run(&a, "trap 'echo bad' ERR; (exit 3)");
    cr_assert_eq(whelk_session_fork(a.s, &b), WHELK_OK);
    cr_assert_eq(whelk_exec(b, "echo $?", &r), WHELK_OK);
    cr_expect_str_eq(r->out, "3\n");
    api_expect(&a, "echo $?", "3\n", 0);
    whelk_session_close(b);
    api_close(&a);
}

Test(files, read_what_tells_no_size)
{
    struct api_session a = api_open(NULL);
    char *data;
    size_t len;
    cr_assert_eq(whelk_read_file(a.s, "/proc/sys/kernel/hostname", &data, &len), WHELK_OK);
    cr_expect_str_eq(data, "whelk\n");
    cr_expect_eq(len, 6);
    whelk_free(data);
    api_close(&a);
}

Test(files, host_mounts)
{
    char dir[] = "/tmp/whelk-mount-XXXXXX";
    cr_assert_not_null(mkdtemp(dir));
    char path[128];
    snprintf(path, sizeof path, "%s/f", dir);
    FILE *f = fopen(path, "w");
    fputs("host\n", f);
    fclose(f);
    whelk_mount m[3] = {
        {.size = sizeof m[0], .kind = WHELK_MOUNT_HOST_RO, .path = "/ro", .host_path = dir},
        {.size = sizeof m[0], .kind = WHELK_MOUNT_OVERLAY, .path = "/ov", .host_path = dir},
        {.size = sizeof m[0], .kind = WHELK_MOUNT_HOST_RW, .path = "/rw", .host_path = dir}};
    for (int i = 0; i < 3; i++)
        m[i].flags = WHELK_MOUNT_OWNED;
    whelk_session_options o;
    whelk_session_options_init(&o);
    o.mounts = m;
    o.n_mounts = 3;
    struct api_session a = api_open(&o);
    api_expect(&a, "cat /ro/f; echo x > /ro/f; echo $?", "host\n1\n", 0);
    cr_expect(strstr(a.r->err, "Read-only file system") != NULL, "%s", a.r->err);
    api_expect(&a, "echo over > /ov/f; cat /ov/f /ro/f", "over\nhost\n", 0);
    api_expect(&a, "echo new > /rw/g; cat /ro/g; cat /ro/../../../etc/hostname", "new\n", 1);
    api_close(&a);
    snprintf(path, sizeof path, "%s/g", dir);
    cr_expect_eq(access(path, R_OK), 0);
    unlink(path);
    snprintf(path, sizeof path, "%s/f", dir);
    unlink(path);
    rmdir(dir);
}
