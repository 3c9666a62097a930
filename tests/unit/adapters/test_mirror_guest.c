/* test_mirror_guest.c - a mirror over the real helper: processes change files, and a session does */
#include "adapters/sandbox/sandbox.h"
#include "tests/unit/adapters/box_rig.h"
#include "tests/unit/adapters/mirror_session.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pairing t;
static struct rig rig;
static char folder[64], buf[4096];
static const struct wk_cred root = {0};

static void open_it(void)
{
    snprintf(folder, sizeof folder, "/tmp/mirror-guest-XXXXXX");
    cr_assert(mkdtemp(folder));
    setenv("ALLOW_DANGEROUS_LOCAL_HOST", "1", 1);
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    o.workspace = folder;
    rig_open(&rig, &wk_host_kind, &o);
    cr_assert_eq(rig.code, WHELK_OK, "%s", rig.error);
    t = (struct pairing){0};
    pairing_open_over(&t, &wk_host_kind, rig.box);
}

static void close_it(void)
{
    char command[192];
    rig_close(&rig);
    pairing_close(&t);
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", folder, folder);
    cr_expect_eq(system(command), 0);
}

TestSuite(mirror_guest, .init = open_it, .fini = close_it, .timeout = 120);

static int pump(void *ctx)
{
    int fds[8];
    short events[8];
    struct pollfd p[8];
    int64_t timeout;
    (void)ctx;
    if (rig.kind->pump(rig.box) != WHELK_OK)
        return -WK_EPIPE;
    size_t n = rig.kind->poll(rig.box, fds, events, 8, &timeout);
    for (size_t i = 0; i < n; i++)
        p[i] = (struct pollfd){.fd = fds[i], .events = events[i]};
    (void)poll(p, n, 1); /* what came may be all there is to come */
    return rig.kind->pump(rig.box) == WHELK_OK ? 0 : -WK_EPIPE;
}

static void sync_ok(enum wk_mirror_way way)
{
    struct wk_mirror_result *r;
    cr_assert_eq(wk_mirror_sync(t.mirror, way, &t.cred, pump, NULL, &r), 0);
    cr_assert_eq(r->code, WHELK_OK, "%d: %s", r->code, r->text);
    cr_assert_eq(r->skipped.total, 0, "%s: %s", r->skipped.v[0].path, r->skipped.v[0].text);
    wk_mirror_result_free(r);
}

/* A script of the box; what it printed must be `out`. */
static void expect_sh(const char *script, const char *out)
{
    struct rig_run run;
    cr_assert(rig_sh(&rig, &run, script), "%s", script);
    cr_expect_str_eq(run.out[0], out, "%s: %s", script, run.out[1]);
    cr_expect_eq(run.exit.code, 0, "%s: %s", script, run.out[1]);
    rig_free(&run);
}

Test(mirror_guest, there_and_back)
{
    pairing_mkdir(&t, "/ws/src");
    pairing_write(&t, "/ws/src/a b", "text\n");
    pairing_write(&t, "/ws/run", "#!/bin/sh\necho ran\n");
    pairing_write(&t, "/ws/empty", "");
    cr_assert_eq(wk_vfs_chmod(t.vfs, &root, NULL, WK_STR("/ws/run"), 0, 0755), 0);
    cr_assert_eq(wk_vfs_symlink(t.vfs, &root, NULL, WK_STR("src/a b"), WK_STR("/ws/link")), 0);
    cr_assert_eq(wk_vfs_utimens(t.vfs, &root, NULL, WK_STR("/ws/src"), 0, WK_TIME_OMIT, 1000000000000000001), 0);
    sync_ok(WK_MIRROR_PUSH);
    expect_sh("./run; cat link; stat -c '%a %.9Y' src; wc -c < empty", "ran\ntext\n755 1000000000.000000001\n0\n");
    expect_sh("mkdir -p out/deep; echo result > out/deep/r; chmod 640 out/deep/r; ln -s ../nowhere out/l; rm empty;"
              "echo more >> 'src/a b'", "");
    sync_ok(WK_MIRROR_PULL);
    cr_expect_str_eq(pairing_read(&t, "/ws/out/deep/r", buf), "result\n");
    cr_expect_str_eq(pairing_read(&t, "/ws/out/l", buf), "../nowhere");
    cr_expect_str_eq(pairing_read(&t, "/ws/src/a b", buf), "text\nmore\n");
    cr_expect(!pairing_has(&t, "/ws/empty"));
    struct wk_stat st;
    struct stat real;
    char path[256];
    cr_assert_eq(wk_vfs_stat(t.vfs, &root, NULL, WK_STR("/ws/out/deep/r"), 0, &st), 0);
    snprintf(path, sizeof path, "%s/out/deep/r", folder);
    cr_assert_eq(stat(path, &real), 0);
    cr_expect_eq(st.mode, 0100640);
    cr_expect_eq(st.mtim, real.st_mtim.tv_sec * 1000000000 + real.st_mtim.tv_nsec);
}

Test(mirror_guest, nothing_comes_back_of_what_was_sent)
{
    pairing_mkdir(&t, "/ws/d");
    pairing_write(&t, "/ws/d/x", "1");
    for (int i = 0; i < 5; i++) {
        struct wk_mirror_result *r;
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        pairing_write(&t, "/ws/d/x", text);
        sync_ok(WK_MIRROR_PUSH);
        cr_assert_eq(wk_mirror_sync(t.mirror, WK_MIRROR_PULL, &t.cred, pump, NULL, &r), 0);
        cr_expect_eq(r->added + r->changed + r->removed, 0, "%zu %zu %zu", r->added, r->changed, r->removed);
        cr_expect_eq(r->bytes_in, 0);
        wk_mirror_result_free(r);
    }
}

Test(mirror_guest, a_change_that_was_not_told_survives_a_chmod)
{
    pairing_write(&t, "/ws/f", "0");
    sync_ok(WK_MIRROR_PUSH);
    sync_ok(WK_MIRROR_PULL);
    expect_sh("printf 1 > f", "");
    cr_assert_eq(wk_vfs_chmod(t.vfs, &root, NULL, WK_STR("/ws/f"), 0, 0600), 0);
    sync_ok(WK_MIRROR_PUSH);
    sync_ok(WK_MIRROR_PULL);
    cr_expect_str_eq(pairing_read(&t, "/ws/f", buf), "1");
}

Test(mirror_guest, both_change)
{
    pairing_write(&t, "/ws/f", "0");
    sync_ok(WK_MIRROR_PUSH);
    expect_sh("echo box > f", "");
    pairing_write(&t, "/ws/f", "session\n");
    sync_ok(WK_MIRROR_BOTH);
    cr_expect_str_eq(pairing_read(&t, "/ws/f", buf), "box\n");
    expect_sh("cat f f.whelk-conflict-1", "box\nsession\n");
}

Test(mirror_guest, directories_that_may_not_be_written)
{
    pairing_mkdir(&t, "/ws/d");
    pairing_write(&t, "/ws/d/a", "a");
    cr_assert_eq(wk_vfs_chmod(t.vfs, &root, NULL, WK_STR("/ws/d"), 0, 0555), 0);
    sync_ok(WK_MIRROR_PUSH);
    expect_sh("stat -c %a d; cat d/a", "555\na");
    pairing_write(&t, "/ws/d/b", "b");
    pairing_remove(&t, "/ws/d/a");
    sync_ok(WK_MIRROR_PUSH);
    expect_sh("stat -c %a d; ls d", "555\nb\n");
}

Test(mirror_guest, big_files)
{
    size_t n = 6 << 20;
    char *text = malloc(n + 1);
    memset(text, 'x', n);
    text[n] = 0;
    pairing_write(&t, "/ws/big", text);
    free(text);
    sync_ok(WK_MIRROR_PUSH);
    expect_sh("wc -c < big; tr -d x < big | wc -c; head -c 3000000 big | tr x y > half", "6291456\n0\n");
    sync_ok(WK_MIRROR_PULL);
    struct wk_stat st;
    cr_assert_eq(wk_vfs_stat(t.vfs, &root, NULL, WK_STR("/ws/half"), 0, &st), 0);
    cr_expect_eq(st.size, 3000000);
    cr_expect_eq(pairing_read(&t, "/ws/half", buf)[4000], 'y');
}

Test(mirror_guest, many_small_files_come)
{
    sync_ok(WK_MIRROR_PUSH);
    expect_sh("for d in 0 1 2 3 4 5 6 7; do mkdir -p o/$d; for f in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do "
              "echo $d$f > o/$d/$f; chmod 444 o/$d/$f; done; done", "");
    sync_ok(WK_MIRROR_PULL);
    cr_expect_str_eq(pairing_read(&t, "/ws/o/7/f", buf), "7f\n");
    expect_sh("rm -rf o/3", "");
    sync_ok(WK_MIRROR_PULL);
    cr_expect(!pairing_has(&t, "/ws/o/3"));
    cr_expect(pairing_has(&t, "/ws/o/4/0"));
}
