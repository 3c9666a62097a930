/* test_mirror_mounts.c - pairs whose directory is a mount: memory, an overlay of a host directory, the host itself */
#include "tests/unit/adapters/mirror_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pairing t;
static char folder[64], buf[4096];
static const struct wk_cred root = {0};

static void put_on_host(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    cr_assert(f);
    fputs(text, f);
    fclose(f);
}

static void open_it(void)
{
    snprintf(folder, sizeof folder, "/tmp/mirror-mount-XXXXXX");
    cr_assert(mkdtemp(folder));
    char path[128];
    snprintf(path, sizeof path, "%s/src", folder);
    cr_assert_eq(mkdir(path, 0755), 0);
    put_on_host("src/a", "a");
    put_on_host("src/b", "b");
    put_on_host("top", "top");
    t = (struct pairing){0};
    pairing_open(&t, NULL);
}

static void close_it(void)
{
    char command[128];
    pairing_close(&t);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

TestSuite(mirror_mounts, .init = open_it, .fini = close_it);

static struct wk_mirror_result *sync_ok(enum wk_mirror_way way)
{
    struct wk_mirror_result *r = pairing_sync(&t, way);
    cr_assert(r);
    cr_assert_eq(r->code, WHELK_OK, "%d: %s", r->code, r->text);
    return r;
}

Test(mirror_mounts, an_overlay)
{
    cr_assert_eq(wk_vfs_mount_overlay(t.vfs, WK_STR("/ws"), folder, NULL, 0), 0);
    sync_ok(WK_MIRROR_PUSH);
    pairing_expect_alike(&t);
    size_t puts = t.box.puts;
    pairing_write(&t, "/ws/src/a", "changed");
    pairing_write(&t, "/ws/src/new", "n");
    pairing_remove(&t, "/ws/top");
    sync_ok(WK_MIRROR_PUSH);
    cr_expect_eq(t.box.puts, puts + 2, "what lies on the host is not sent again");
    pairing_expect_alike(&t);
    mbox_write(&t.box, "src/b", "of the box");
    mbox_mkdir(&t.box, "out");
    mbox_write(&t.box, "out/x", "x");
    mbox_remove(&t.box, "src/a");
    sync_ok(WK_MIRROR_PULL);
    cr_expect_str_eq(pairing_read(&t, "/ws/src/b", buf), "of the box");
    cr_expect(!pairing_has(&t, "/ws/src/a"));
    puts = t.box.puts;
    sync_ok(WK_MIRROR_PUSH);
    cr_expect_eq(t.box.puts, puts);
    pairing_expect_alike(&t);
    char path[128];
    snprintf(path, sizeof path, "%s/src/a", folder);
    cr_expect_eq(access(path, F_OK), 0, "the host's stays as it was");
    cr_assert_eq(wk_vfs_rename(t.vfs, &root, NULL, WK_STR("/ws/src"), NULL, WK_STR("/ws/moved"), 0), 0);
    sync_ok(WK_MIRROR_BOTH);
    pairing_expect_alike(&t);
}

Test(mirror_mounts, nothing_half_in_an_overlay)
{
    cr_assert_eq(wk_vfs_mount_overlay(t.vfs, WK_STR("/ws"), folder, NULL, 0), 0);
    sync_ok(WK_MIRROR_PUSH);
    for (int i = 0; i < 60; i++) {
        char text[32];
        snprintf(text, sizeof text, "%d", i);
        mbox_write(&t.box, "src/b", text);
        mbox_write(&t.box, "new", text);
        mbox_remove(&t.box, "top");
        t.mem->fail_at = t.mem->count + 1 + (uint64_t)i;
        struct wk_mirror_result *r = pairing_sync(&t, WK_MIRROR_PULL);
        t.mem->fail_at = 0;
        if (!r || r->code) {
            cr_expect(!pairing_has(&t, "/ws/new"));
            cr_expect(pairing_has(&t, "/ws/top"));
            cr_expect_str_eq(pairing_read(&t, "/ws/src/b", buf), "b");
        }
        pairing_sync(&t, WK_MIRROR_PULL);
        sync_ok(WK_MIRROR_BOTH);
        cr_expect_str_eq(pairing_read(&t, "/ws/src/b", buf), text);
        mbox_write(&t.box, "src/b", "b");
        mbox_write(&t.box, "top", "top");
        mbox_remove(&t.box, "new");
        sync_ok(WK_MIRROR_BOTH);
        pairing_expect_alike(&t);
    }
}

Test(mirror_mounts, a_mount_in_memory)
{
    cr_assert_eq(wk_vfs_mount_memory(t.vfs, WK_STR("/ws"), 0755, 0, 0, 0), 0);
    pairing_write(&t, "/ws/f", "1");
    sync_ok(WK_MIRROR_PUSH);
    pairing_expect_alike(&t);
    pairing_write(&t, "/ws/f", "2");
    mbox_write(&t.box, "g", "g");
    size_t puts = t.box.puts;
    sync_ok(WK_MIRROR_BOTH);
    cr_expect_eq(t.box.puts, puts + 1);
    pairing_expect_alike(&t);
}

Test(mirror_mounts, the_host_itself_is_refused)
{
    cr_assert_eq(wk_vfs_mount_host(t.vfs, WK_STR("/ws"), folder, NULL, 0), 0);
    struct wk_mirror_result *r = pairing_sync(&t, WK_MIRROR_PUSH);
    cr_assert(r);
    cr_expect_eq(r->code, WHELK_E_UNSUPPORTED);
    cr_expect_str_eq(r->text, "/ws: a directory of the host: give it to the sandbox as its workspace instead");
}
