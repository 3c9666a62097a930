/* test_mirror.c - files of a session and a box kept in step: what goes, what comes, and when both have changed */
#include "tests/unit/adapters/mirror_session.h"

#include <stdio.h>

static struct pairing t;
static const struct wk_cred root = {0};
static char buf[4096];

static void open_it(void)
{
    t = (struct pairing){0};
    pairing_open(&t, NULL);
}

static void close_it(void)
{
    pairing_close(&t);
}

TestSuite(mirror, .init = open_it, .fini = close_it);

/* A synchronisation that goes well. */
static struct wk_mirror_result *sync_ok(enum wk_mirror_way way)
{
    struct wk_mirror_result *r = pairing_sync(&t, way);
    cr_assert(r);
    cr_assert_eq(r->code, WHELK_OK, "%d: %s", r->code, r->text);
    return r;
}

static bool names_has(const struct wk_mirror_names *n, const char *path, const char *text)
{
    for (size_t i = 0; i < n->n; i++)
        if (strcmp(n->v[i].path, path) == 0 && strstr(n->v[i].text, text))
            return true;
    return false;
}

/* ---- pushing --------------------------------------------------------------------------------- */

Test(mirror, all_of_it_goes_the_first_time)
{
    pairing_mkdir(&t, "/ws/src");
    pairing_mkdir(&t, "/ws/src/deep");
    pairing_write(&t, "/ws/src/deep/a.c", "int a;\n");
    pairing_write(&t, "/ws/run.sh", "echo\n");
    pairing_write(&t, "/ws/empty", "");
    pairing_write(&t, "/tmp/t", "temporary");
    cr_assert_eq(wk_vfs_chmod(t.vfs, &root, NULL, WK_STR("/ws/run.sh"), 0, 04755), 0);
    cr_assert_eq(wk_vfs_chmod(t.vfs, &root, NULL, WK_STR("/ws/src/deep"), 0, 0555), 0);
    cr_assert_eq(wk_vfs_symlink(t.vfs, &root, NULL, WK_STR("../nowhere"), WK_STR("/ws/src/l")), 0);
    cr_assert_eq(wk_vfs_utimens(t.vfs, &root, NULL, WK_STR("/ws/src"), 0, WK_TIME_OMIT, 123456789), 0);
    struct wk_mirror_result *r = sync_ok(WK_MIRROR_PUSH);
    cr_expect_eq(r->added, 7);
    cr_expect_eq(r->bytes_out, 7 + 5 + 9);
    cr_expect_eq(mbox_find(&t.box, "run.sh")->mode, 0755);
    cr_expect_eq(mbox_find(&t.box, "src/deep")->mode, 0555);
    cr_expect_eq(mbox_find(&t.box, "src")->mtime, 123456789);
    cr_expect_str_eq(mbox_find(&t.box, "src/l")->data, "../nowhere");
    cr_expect_str_eq(mbox_find(&t.box, "/tmp/t")->data, "temporary");
    cr_assert_eq(wk_vfs_chmod(t.vfs, &root, NULL, WK_STR("/ws/run.sh"), 0, 0755), 0);
    pairing_expect_alike(&t);
}

Test(mirror, nothing_changed_asks_for_nothing)
{
    pairing_write(&t, "/ws/a", "1");
    sync_ok(WK_MIRROR_PUSH);
    size_t before = t.box.requests;
    sync_ok(WK_MIRROR_PUSH);
    cr_expect_eq(t.box.requests, before);
    sync_ok(WK_MIRROR_PULL);
    cr_expect_eq(t.box.requests, before + 2, "one look for each directory");
    sync_ok(WK_MIRROR_PUSH);
    cr_expect_eq(t.box.requests, before + 2);
}

Test(mirror, only_what_changed_goes)
{
    char name[32];
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "/ws/f%d", i);
        pairing_write(&t, name, name);
    }
    sync_ok(WK_MIRROR_PUSH);
    size_t puts = t.box.puts;
    pairing_write(&t, "/ws/f17", "other");
    pairing_remove(&t, "/ws/f18");
    struct wk_mirror_result *r = sync_ok(WK_MIRROR_PUSH);
    cr_expect_eq(t.box.puts, puts + 1);
    cr_expect_eq(r->changed, 1);
    cr_expect_eq(r->removed, 1);
    pairing_expect_alike(&t);
}

Test(mirror, kinds_that_change)
{
    pairing_mkdir(&t, "/ws/d");
    pairing_write(&t, "/ws/d/x", "x");
    pairing_write(&t, "/ws/f", "f");
    pairing_write(&t, "/ws/g", "g");
    sync_ok(WK_MIRROR_PUSH);
    pairing_remove(&t, "/ws/d");
    pairing_write(&t, "/ws/d", "now a file");
    pairing_remove(&t, "/ws/f");
    pairing_mkdir(&t, "/ws/f");
    pairing_write(&t, "/ws/f/y", "y");
    pairing_remove(&t, "/ws/g");
    cr_assert_eq(wk_vfs_symlink(t.vfs, &root, NULL, WK_STR("d"), WK_STR("/ws/g")), 0);
    sync_ok(WK_MIRROR_PUSH);
    pairing_expect_alike(&t);
}

Test(mirror, directories_that_move)
{
    pairing_mkdir(&t, "/ws/a");
    pairing_mkdir(&t, "/ws/a/b");
    pairing_write(&t, "/ws/a/b/x", "x");
    pairing_mkdir(&t, "/away");
    pairing_write(&t, "/away/y", "y");
    sync_ok(WK_MIRROR_PUSH);
    cr_assert_eq(wk_vfs_rename(t.vfs, &root, NULL, WK_STR("/ws/a"), NULL, WK_STR("/ws/c"), 0), 0);
    cr_assert_eq(wk_vfs_rename(t.vfs, &root, NULL, WK_STR("/away"), NULL, WK_STR("/ws/a"), 0), 0);
    pairing_write(&t, "/ws/c/b/x", "changed");
    sync_ok(WK_MIRROR_PUSH);
    pairing_expect_alike(&t);
    cr_assert_eq(wk_vfs_rename(t.vfs, &root, NULL, WK_STR("/ws"), NULL, WK_STR("/old"), 0), 0);
    pairing_mkdir(&t, "/ws");
    pairing_write(&t, "/ws/n", "n");
    sync_ok(WK_MIRROR_PUSH);
    pairing_expect_alike(&t);
    pairing_remove(&t, "/ws");
    cr_assert_eq(wk_vfs_symlink(t.vfs, &root, NULL, WK_STR("/old"), WK_STR("/ws")), 0);
    sync_ok(WK_MIRROR_PUSH);
    cr_expect(mbox_find(&t.box, "c/b/x"));
    cr_expect(!mbox_find(&t.box, "n"));
}

Test(mirror, what_is_not_carried_is_named)
{
    cr_assert_eq(wk_vfs_mknod(t.vfs, &root, NULL, WK_STR("/ws/fifo"), WK_S_IFIFO | 0644, 0), 0);
    cr_assert_eq(wk_vfs_mount_memory(t.vfs, WK_STR("/ws/mnt"), 0755, 0, 0, 0), 0);
    pairing_write(&t, "/ws/mnt/inside", "i");
    pairing_write(&t, "/ws/secret", "s");
    pairing_mkdir(&t, "/ws/closed");
    pairing_write(&t, "/ws/closed/x", "x");
    pairing_write(&t, "/ws/open", "o");
    cr_assert_eq(wk_vfs_chmod(t.vfs, &root, NULL, WK_STR("/ws/secret"), 0, 0600), 0);
    cr_assert_eq(wk_vfs_chmod(t.vfs, &root, NULL, WK_STR("/ws/closed"), 0, 0700), 0);
    t.cred.uid = t.cred.gid = 1000;
    struct wk_mirror_result *r = sync_ok(WK_MIRROR_PUSH);
    cr_expect(names_has(&r->skipped, "/ws/fifo", "special"));
    cr_expect(names_has(&r->skipped, "/ws/mnt", "mounted"));
    cr_expect(names_has(&r->skipped, "/ws/secret", "Permission denied"));
    cr_expect(names_has(&r->skipped, "/ws/closed", "Permission denied"));
    cr_expect_eq(r->skipped.total, 4);
    cr_expect_eq(t.box.n, 1);
    r = sync_ok(WK_MIRROR_PUSH);
    cr_expect_eq(r->skipped.total, 0, "named once");
    cr_assert_eq(wk_vfs_chmod(t.vfs, &root, NULL, WK_STR("/ws/secret"), 0, 0644), 0);
    cr_assert_eq(wk_vfs_chmod(t.vfs, &root, NULL, WK_STR("/ws/closed"), 0, 0755), 0);
    sync_ok(WK_MIRROR_PUSH);
    cr_expect(mbox_find(&t.box, "secret") && mbox_find(&t.box, "closed/x"));
    cr_assert_eq(wk_vfs_umount(t.vfs, WK_STR("/ws/mnt")), 0);
}

Test(mirror, hard_links_become_copies)
{
    pairing_write(&t, "/ws/a", "one");
    cr_assert_eq(wk_vfs_link(t.vfs, &root, NULL, WK_STR("/ws/a"), NULL, WK_STR("/ws/b"), 0), 0);
    sync_ok(WK_MIRROR_PUSH);
    pairing_expect_alike(&t);
    mbox_write(&t.box, "a", "two");
    sync_ok(WK_MIRROR_PULL);
    cr_expect_str_eq(pairing_read(&t, "/ws/a", buf), "two");
    cr_expect_str_eq(pairing_read(&t, "/ws/b", buf), "one", "to the box they were two files");
    pairing_expect_alike(&t);
}

Test(mirror, what_the_box_refuses_is_sent_later)
{
    pairing_write(&t, "/ws/a", "0123456789");
    t.box.disk = 5;
    struct wk_mirror_result *r = pairing_sync(&t, WK_MIRROR_PUSH);
    cr_expect_eq(r->code, WHELK_OK);
    cr_expect(names_has(&r->skipped, "/ws/a", "No space left"));
    t.box.disk = 0;
    sync_ok(WK_MIRROR_PUSH);
    pairing_expect_alike(&t);
}

Test(mirror, something_else_in_the_box)
{
    pairing_mkdir(&t, "/ws/d");
    pairing_write(&t, "/ws/f", "f");
    sync_ok(WK_MIRROR_PUSH);
    mbox_remove(&t.box, "d");
    mbox_write(&t.box, "d", "a file");
    mbox_remove(&t.box, "f");
    mbox_mkdir(&t.box, "f");
    pairing_write(&t, "/ws/f", "g");
    cr_assert_eq(wk_vfs_chmod(t.vfs, &root, NULL, WK_STR("/ws/d"), 0, 0700), 0);
    pairing_write(&t, "/ws/d/x", "x");
    struct wk_mirror_result *r = sync_ok(WK_MIRROR_PUSH);
    cr_expect(names_has(&r->skipped, "/ws/f", "meanwhile"));
    cr_expect_eq(mbox_find(&t.box, "f")->type, WHELK_TYPE_DIR, "what the box has changed is not lost");
    cr_expect_eq(sync_ok(WK_MIRROR_BOTH)->conflicts.total, 2);
    cr_expect_str_eq(pairing_read(&t, "/ws/d", buf), "a file");
    cr_expect_str_eq(pairing_read(&t, "/ws/f.whelk-conflict-1", buf), "g");
    cr_expect_str_eq(pairing_read(&t, "/ws/d.whelk-conflict-1/x", buf), "x");
    pairing_expect_alike(&t);
}

Test(mirror, one_way_writes_over)
{
    pairing_close(&t);
    t = (struct pairing){0};
    pairing_open(&t, &(struct wk_mirror_config){.one_way = true});
    pairing_mkdir(&t, "/ws/d");
    pairing_write(&t, "/ws/d/x", "x");
    pairing_write(&t, "/ws/d/y", "y");
    pairing_write(&t, "/ws/f", "f");
    mbox_write(&t.box, "d", "a file");
    mbox_mkdir(&t.box, "f");
    mbox_write(&t.box, "f/z", "z");
    struct wk_mirror_result *r = sync_ok(WK_MIRROR_PUSH);
    cr_expect_eq(r->skipped.total, 0);
    pairing_expect_alike(&t);
}

/* ---- pulling --------------------------------------------------------------------------------- */

Test(mirror, what_the_box_changes_comes_back)
{
    pairing_mkdir(&t, "/ws/d");
    pairing_write(&t, "/ws/d/x", "x");
    pairing_write(&t, "/ws/gone", "g");
    t.cred.uid = t.cred.gid = 1000;
    cr_assert_eq(wk_vfs_chown(t.vfs, &root, NULL, WK_STR("/ws"), 0, 1000, 1000), 0);
    cr_assert_eq(wk_vfs_chown(t.vfs, &root, NULL, WK_STR("/ws/d/x"), 0, 1000, 1000), 0);
    sync_ok(WK_MIRROR_PUSH);
    mbox_write(&t.box, "d/x", "changed");
    mbox_mkdir(&t.box, "new");
    mbox_write(&t.box, "new/y", "y");
    mbox_write(&t.box, "new/empty", "");
    mbox_symlink(&t.box, "new/l", "/etc/passwd");
    mbox_chmod(&t.box, "new/y", 06751);
    mbox_remove(&t.box, "gone");
    mbox_special(&t.box, "socket");
    mbox_write(&t.box, "/tmp/out", "o");
    cr_assert_eq(wk_vfs_chmod(t.vfs, &root, NULL, WK_STR("/tmp"), 0, 01777), 0);
    struct wk_mirror_result *r = sync_ok(WK_MIRROR_PULL);
    cr_expect_str_eq(pairing_read(&t, "/ws/d/x", buf), "changed");
    cr_expect_str_eq(pairing_read(&t, "/ws/new/l", buf), "/etc/passwd");
    cr_expect(!pairing_has(&t, "/ws/gone"));
    cr_expect(names_has(&r->skipped, "/ws/socket", "special"));
    cr_expect_eq(r->skipped.total, 1);
    struct wk_stat st;
    cr_assert_eq(wk_vfs_stat(t.vfs, &root, NULL, WK_STR("/ws/new/y"), 0, &st), 0);
    cr_expect_eq(st.mode, WK_S_IFREG | 0751, "%o", st.mode);
    cr_expect_eq(st.uid, 1000);
    mbox_remove(&t.box, "socket");
    size_t puts = t.box.puts;
    sync_ok(WK_MIRROR_PULL);
    sync_ok(WK_MIRROR_PUSH);
    cr_expect_eq(t.box.puts, puts, "what came is not sent back");
    pairing_expect_alike(&t);
}

Test(mirror, open_files_see_what_came)
{
    struct wk_vfile *f;
    pairing_write(&t, "/ws/log", "1");
    sync_ok(WK_MIRROR_PUSH);
    cr_assert_eq(wk_vfs_open(t.vfs, &root, NULL, WK_STR("/ws/log"), WK_O_RDONLY, 0, &f), 0);
    mbox_write(&t.box, "log", "12");
    sync_ok(WK_MIRROR_PULL);
    cr_expect_eq(wk_vfile_size(f), 2);
    wk_vfile_unref(f);
}

Test(mirror, big_files_both_ways)
{
    size_t n = 9 << 20;
    char *text = malloc(n + 1);
    for (size_t i = 0; i < n; i++)
        text[i] = (char)('a' + i * 7 % 26);
    text[n] = 0;
    pairing_write(&t, "/ws/big", text);
    sync_ok(WK_MIRROR_PUSH);
    cr_assert_eq(mbox_find(&t.box, "big")->n, n);
    cr_expect_str_eq(mbox_find(&t.box, "big")->data, text);
    memset(text, 'z', n / 2);
    mbox_write(&t.box, "big", text);
    sync_ok(WK_MIRROR_PULL);
    struct wk_vfile *f;
    char *back = malloc(n);
    cr_assert_eq(wk_vfs_open(t.vfs, &root, NULL, WK_STR("/ws/big"), WK_O_RDONLY, 0, &f), 0);
    cr_expect_eq(wk_vfile_pread(f, back, n, 0), (int64_t)n);
    cr_expect_eq(memcmp(back, text, n), 0);
    wk_vfile_unref(f);
    free(back);
    free(text);
}

Test(mirror, names_left_out_do_not_come)
{
    sync_ok(WK_MIRROR_PUSH);
    mbox_mkdir(&t.box, "p");
    mbox_mkdir(&t.box, "p/__pycache__");
    mbox_write(&t.box, "p/__pycache__/m", "m");
    mbox_write(&t.box, "p/m.py", "m");
    sync_ok(WK_MIRROR_PULL);
    cr_expect(pairing_has(&t, "/ws/p/m.py"));
    cr_expect(!pairing_has(&t, "/ws/p/__pycache__"));
    mbox_remove(&t.box, "p");
    sync_ok(WK_MIRROR_PULL);
    cr_expect(!pairing_has(&t, "/ws/p"));
}

Test(mirror, what_is_there_first_comes_in)
{
    mbox_mkdir(&t.box, "d");
    mbox_write(&t.box, "d/theirs", "t");
    mbox_write(&t.box, "both", "box");
    mbox_write(&t.box, "same", "same");
    pairing_mkdir(&t, "/ws/d");
    pairing_write(&t, "/ws/d/ours", "o");
    pairing_write(&t, "/ws/both", "session");
    pairing_write(&t, "/ws/same", "same");
    struct wk_mirror_result *r = sync_ok(WK_MIRROR_PUSH);
    cr_expect(names_has(&r->conflicts, "/ws/both", "both.whelk-conflict-1"));
    cr_expect_eq(r->conflicts.total, 1);
    cr_expect_str_eq(pairing_read(&t, "/ws/both", buf), "box");
    cr_expect_str_eq(pairing_read(&t, "/ws/both.whelk-conflict-1", buf), "session");
    cr_expect_str_eq(pairing_read(&t, "/ws/d/theirs", buf), "t");
    pairing_expect_alike(&t);
}

Test(mirror, one_way_takes_nothing)
{
    pairing_close(&t);
    t = (struct pairing){0};
    pairing_open(&t, &(struct wk_mirror_config){.one_way = true});
    mbox_write(&t.box, "theirs", "t");
    pairing_write(&t, "/ws/ours", "o");
    sync_ok(WK_MIRROR_BOTH);
    sync_ok(WK_MIRROR_PULL);
    cr_expect(!pairing_has(&t, "/ws/theirs"));
    cr_expect(mbox_find(&t.box, "ours"));
    cr_expect_eq(t.box.changes, 0);
}

/* ---- both have changed ----------------------------------------------------------------------- */

Test(mirror, the_box_takes_the_name)
{
    pairing_write(&t, "/ws/f", "0");
    sync_ok(WK_MIRROR_PUSH);
    mbox_write(&t.box, "f", "box");
    pairing_write(&t, "/ws/f", "session");
    pairing_write(&t, "/ws/f.whelk-conflict-1", "older");
    struct wk_mirror_result *r = sync_ok(WK_MIRROR_PULL);
    cr_expect(names_has(&r->conflicts, "/ws/f", "f.whelk-conflict-2"));
    cr_expect_str_eq(pairing_read(&t, "/ws/f", buf), "box");
    cr_expect_str_eq(pairing_read(&t, "/ws/f.whelk-conflict-2", buf), "session");
    sync_ok(WK_MIRROR_PUSH);
    pairing_expect_alike(&t);
}

Test(mirror, both_the_same)
{
    pairing_write(&t, "/ws/f", "0");
    sync_ok(WK_MIRROR_PUSH);
    mbox_write(&t.box, "f", "1");
    pairing_write(&t, "/ws/f", "1");
    cr_expect_eq(sync_ok(WK_MIRROR_PULL)->conflicts.total, 0);
    sync_ok(WK_MIRROR_PUSH);
    pairing_expect_alike(&t);
}

Test(mirror, a_change_wins_over_a_removal)
{
    pairing_mkdir(&t, "/ws/d");
    pairing_write(&t, "/ws/d/a", "a");
    pairing_write(&t, "/ws/d/b", "b");
    pairing_write(&t, "/ws/e", "e");
    sync_ok(WK_MIRROR_PUSH);
    mbox_remove(&t.box, "d");
    pairing_write(&t, "/ws/d/a", "changed");
    mbox_write(&t.box, "e", "changed");
    pairing_remove(&t, "/ws/e");
    sync_ok(WK_MIRROR_PULL);
    cr_expect_str_eq(pairing_read(&t, "/ws/d/a", buf), "changed");
    cr_expect(!pairing_has(&t, "/ws/d/b"));
    cr_expect_str_eq(pairing_read(&t, "/ws/e", buf), "changed");
    sync_ok(WK_MIRROR_PUSH);
    pairing_expect_alike(&t);
}

Test(mirror, a_directory_against_a_file)
{
    pairing_mkdir(&t, "/ws/d");
    pairing_write(&t, "/ws/d/a", "a");
    pairing_write(&t, "/ws/d/b", "b");
    pairing_write(&t, "/ws/f", "f");
    sync_ok(WK_MIRROR_PUSH);
    mbox_write(&t.box, "d/a", "box");
    pairing_remove(&t, "/ws/d");
    pairing_write(&t, "/ws/d", "a file now");
    mbox_remove(&t.box, "f");
    mbox_write(&t.box, "f", "box");
    pairing_remove(&t, "/ws/f");
    pairing_mkdir(&t, "/ws/f");
    pairing_write(&t, "/ws/f/x", "x");
    struct wk_mirror_result *r = sync_ok(WK_MIRROR_PULL);
    cr_expect_eq(r->conflicts.total, 2);
    cr_expect_str_eq(pairing_read(&t, "/ws/d/a", buf), "box");
    cr_expect_str_eq(pairing_read(&t, "/ws/d.whelk-conflict-1", buf), "a file now");
    cr_expect_str_eq(pairing_read(&t, "/ws/f", buf), "box");
    cr_expect_str_eq(pairing_read(&t, "/ws/f.whelk-conflict-1/x", buf), "x");
    sync_ok(WK_MIRROR_PUSH);
    cr_expect(!mbox_find(&t.box, "d/b"), "its removal was the session's");
    pairing_expect_alike(&t);
}

Test(mirror, modes_and_contents_are_merged)
{
    pairing_write(&t, "/ws/a", "a");
    pairing_write(&t, "/ws/b", "b");
    sync_ok(WK_MIRROR_PUSH);
    mbox_chmod(&t.box, "a", 0755);
    pairing_write(&t, "/ws/a", "session");
    mbox_write(&t.box, "b", "box");
    cr_assert_eq(wk_vfs_chmod(t.vfs, &root, NULL, WK_STR("/ws/b"), 0, 0600), 0);
    cr_expect_eq(sync_ok(WK_MIRROR_PULL)->conflicts.total, 0);
    sync_ok(WK_MIRROR_PUSH);
    pairing_expect_alike(&t);
    cr_expect_str_eq(mbox_find(&t.box, "a")->data, "session");
    cr_expect_eq(mbox_find(&t.box, "a")->mode, 0755);
    cr_expect_str_eq(mbox_find(&t.box, "b")->data, "box");
    cr_expect_eq(mbox_find(&t.box, "b")->mode, 0600);
}

Test(mirror, files_of_others_stay)
{
    pairing_write(&t, "/ws/theirs", "root's");
    sync_ok(WK_MIRROR_PUSH);
    t.cred.uid = t.cred.gid = 1000;
    mbox_write(&t.box, "theirs", "mine");
    mbox_write(&t.box, "new", "n");
    struct wk_mirror_result *r = sync_ok(WK_MIRROR_PULL);
    cr_expect(names_has(&r->skipped, "/ws/theirs", "Permission denied"));
    cr_expect(names_has(&r->skipped, "/ws/new", "Permission denied"));
    cr_expect_str_eq(pairing_read(&t, "/ws/theirs", buf), "root's");
    cr_expect(!pairing_has(&t, "/ws/new"));
    sync_ok(WK_MIRROR_PUSH);
    pairing_expect_alike(&t);
}

/* ---- limits and lies ------------------------------------------------------------------------- */

static void reopen(const struct wk_mirror_config *c)
{
    pairing_close(&t);
    t = (struct pairing){0};
    pairing_open(&t, c);
}

Test(mirror, too_much_is_not_taken_at_all)
{
    reopen(&(struct wk_mirror_config){.max_file = 100, .max_bytes = 150});
    pairing_write(&t, "/ws/f", "f");
    sync_ok(WK_MIRROR_PUSH);
    char text[121];
    memset(text, 'x', 120);
    text[120] = 0;
    mbox_write(&t.box, "big", text);
    mbox_write(&t.box, "f", "g");
    struct wk_mirror_result *r = pairing_sync(&t, WK_MIRROR_PULL);
    cr_expect_eq(r->code, WHELK_E_NOSPACE);
    cr_expect_str_eq(r->text, "/ws/big: larger than a file that may come back");
    cr_expect_str_eq(pairing_read(&t, "/ws/f", buf), "f");
    r = pairing_sync(&t, WK_MIRROR_PULL);
    cr_expect_eq(r->code, WHELK_E_NOSPACE, "it is not forgotten");
    pairing_write(&t, "/ws/other", "o");
    r = pairing_sync(&t, WK_MIRROR_BOTH);
    cr_expect_eq(r->code, WHELK_E_NOSPACE);
    cr_expect(mbox_find(&t.box, "other"), "the session's goes all the same");
    mbox_write(&t.box, "big", "small");
    sync_ok(WK_MIRROR_PULL);
    cr_expect_str_eq(pairing_read(&t, "/ws/f", buf), "g");
    sync_ok(WK_MIRROR_PUSH);
    pairing_expect_alike(&t);
}

Test(mirror, a_quota_of_the_session)
{
    pairing_write(&t, "/ws/f", "f");
    sync_ok(WK_MIRROR_PUSH);
    wk_vfs_limits(t.vfs)->bytes = 100;
    mbox_write(&t.box, "f", "changed");
    mbox_mkdir(&t.box, "d");
    char text[121];
    memset(text, 'x', 120);
    text[120] = 0;
    mbox_write(&t.box, "d/z", text);
    struct wk_mirror_result *r = pairing_sync(&t, WK_MIRROR_PULL);
    cr_expect_eq(r->code, WHELK_E_NOSPACE);
    cr_expect(strstr(r->text, "/ws/d/z"), "%s", r->text);
    cr_expect_str_eq(pairing_read(&t, "/ws/f", buf), "f");
    cr_expect(!pairing_has(&t, "/ws/d"));
    wk_vfs_limits(t.vfs)->bytes = 1000;
    sync_ok(WK_MIRROR_PULL);
    sync_ok(WK_MIRROR_PUSH);
    pairing_expect_alike(&t);
}

Test(mirror, inodes_run_out_half_way)
{
    char name[32];
    uint64_t bytes, inodes;
    pairing_write(&t, "/ws/f", "f");
    sync_ok(WK_MIRROR_PUSH);
    wk_vfs_usage(t.vfs, &bytes, &inodes);
    wk_vfs_limits(t.vfs)->inodes = inodes + 20;
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "n%02d", i);
        mbox_symlink(&t.box, name, "x");
    }
    mbox_remove(&t.box, "f");
    struct wk_mirror_result *r = pairing_sync(&t, WK_MIRROR_PULL);
    cr_expect_eq(r->code, WHELK_E_NOSPACE);
    cr_expect(pairing_has(&t, "/ws/f"));
    cr_expect(!pairing_has(&t, "/ws/n00"));
    wk_vfs_limits(t.vfs)->inodes = inodes + 100;
    sync_ok(WK_MIRROR_BOTH);
    pairing_expect_alike(&t);
}

Test(mirror, a_flood_is_found_out_later)
{
    reopen(&(struct wk_mirror_config){.max_files = 50});
    pairing_write(&t, "/ws/f", "f");
    pairing_write(&t, "/ws/gone", "g");
    sync_ok(WK_MIRROR_PUSH);
    mbox_write(&t.box, "f", "changed");
    mbox_remove(&t.box, "gone");
    char name[32];
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "n%d", i);
        mbox_write(&t.box, name, "n");
    }
    struct wk_mirror_result *r = pairing_sync(&t, WK_MIRROR_PULL);
    cr_expect_eq(r->code, WHELK_E_NOSPACE);
    cr_expect_str_eq(pairing_read(&t, "/ws/f", buf), "f");
    cr_expect_eq(pairing_sync(&t, WK_MIRROR_PUSH)->code, WHELK_OK, "it keeps nothing from being sent");
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "n%d", i);
        mbox_remove(&t.box, name);
    }
    sync_ok(WK_MIRROR_PULL);
    cr_expect_str_eq(pairing_read(&t, "/ws/f", buf), "changed");
    cr_expect(!pairing_has(&t, "/ws/gone"));
    pairing_expect_alike(&t);
}

Test(mirror, lies_change_nothing_outside)
{
    static const char *const lies[] = {"../up", "/etc/passwd", "a/../../b", "a//b", ".",  "",     "..",  "l/inside",
                                       "f/x",   "dup",         "dup",       "./c",  "d/", "l/../x"};
    pairing_mkdir(&t, "/etc");
    pairing_write(&t, "/ws/f", "f");
    pairing_write(&t, "/ws/dup", "d");
    cr_assert_eq(wk_vfs_symlink(t.vfs, &root, NULL, WK_STR("/etc"), WK_STR("/ws/l")), 0);
    sync_ok(WK_MIRROR_PUSH);
    t.box.lies = lies;
    t.box.n_lies = sizeof lies / sizeof *lies;
    struct wk_mirror_result *r = sync_ok(WK_MIRROR_PULL);
    cr_expect_gt(r->skipped.total, 6);
    cr_expect(!pairing_has(&t, "/etc/inside"));
    cr_expect(!pairing_has(&t, "/etc/passwd"));
    cr_expect(!pairing_has(&t, "/up"));
    cr_expect(!pairing_has(&t, "/b"));
    cr_expect_str_eq(pairing_read(&t, "/ws/f", buf), "f");
    cr_expect_str_eq(pairing_read(&t, "/ws/l", buf), "/etc");
}

Test(mirror, links_of_the_session_are_not_followed)
{
    pairing_mkdir(&t, "/etc");
    pairing_mkdir(&t, "/ws/d");
    pairing_write(&t, "/ws/d/x", "x");
    sync_ok(WK_MIRROR_PUSH);
    pairing_remove(&t, "/ws/d");
    cr_assert_eq(wk_vfs_symlink(t.vfs, &root, NULL, WK_STR("/etc"), WK_STR("/ws/d")), 0);
    mbox_write(&t.box, "d/x", "box");
    mbox_write(&t.box, "d/new", "n");
    sync_ok(WK_MIRROR_BOTH);
    cr_expect(!pairing_has(&t, "/etc/x"));
    cr_expect(!pairing_has(&t, "/etc/new"));
    cr_expect_str_eq(pairing_read(&t, "/ws/d.whelk-conflict-1", buf), "/etc");
    cr_expect_str_eq(pairing_read(&t, "/ws/d/x", buf), "box");
    pairing_expect_alike(&t);
}

/* ---- ends before the end --------------------------------------------------------------------- */

static int turns;

static int pump_a_while(void *ctx)
{
    struct pairing *p = ctx;
    return turns-- > 0 ? mbox_kind.pump(&p->box) : -WK_EINTR;
}

Test(mirror, given_up_at_any_turn)
{
    char name[32];
    struct wk_mirror_result *r;
    for (int n = 0; n < 40; n++) {
        for (int i = 0; i < 30; i++) {
            snprintf(name, sizeof name, "/ws/s%d-%d", n, i);
            pairing_write(&t, name, name);
            snprintf(name, sizeof name, "b%d-%d", n, i);
            mbox_write(&t.box, name, name);
        }
        turns = n / 2;
        if (wk_mirror_sync(t.mirror, WK_MIRROR_BOTH, &t.cred, pump_a_while, &t, &r) == 0)
            wk_mirror_result_free(r);
    }
    sync_ok(WK_MIRROR_BOTH);
    pairing_expect_alike(&t);
}

Test(mirror, who_waited_is_dropped)
{
    uint64_t ticket, other;
    pairing_write(&t, "/ws/f", "f");
    cr_assert_eq(wk_mirror_begin(t.mirror, WK_MIRROR_PUSH, &t.cred, &ticket), 0);
    cr_assert(wk_mirror_step(t.mirror), "it waits for the box");
    cr_assert_eq(wk_mirror_begin(t.mirror, WK_MIRROR_PUSH, &t.cred, &other), -WK_EBUSY);
    pairing_write(&t, "/ws/g", "g");
    sync_ok(WK_MIRROR_PUSH);
    pairing_expect_alike(&t);
    struct wk_mirror_result *r = wk_mirror_take(t.mirror, ticket);
    cr_expect(r, "the first one's result is kept");
    wk_mirror_result_free(r);
    cr_expect(!wk_mirror_take(t.mirror, ticket));
}

Test(mirror, the_box_goes_away)
{
    uint64_t ticket;
    pairing_write(&t, "/ws/f", "f");
    cr_assert_eq(wk_mirror_begin(t.mirror, WK_MIRROR_PUSH, &t.cred, &ticket), 0);
    cr_assert(wk_mirror_step(t.mirror));
    t.box.lost = true;
    mbox_kind.pump(&t.box);
    cr_expect(!wk_mirror_step(t.mirror));
    struct wk_mirror_result *r = wk_mirror_take(t.mirror, ticket);
    cr_assert(r);
    cr_expect_eq(r->code, WHELK_E_CLOSED);
    wk_mirror_result_free(r);
}

Test(mirror, freed_with_requests_under_way)
{
    uint64_t ticket;
    pairing_write(&t, "/ws/f", "f");
    sync_ok(WK_MIRROR_PUSH);
    pairing_write(&t, "/ws/f", "g");
    cr_assert_eq(wk_mirror_begin(t.mirror, WK_MIRROR_PUSH, &t.cred, &ticket), 0);
    cr_assert(wk_mirror_step(t.mirror));
    cr_expect(!wk_mirror_is_idle(t.mirror));
}

Test(mirror, a_missing_directory_is_made)
{
    pairing_write(&t, "/ws/f", "f");
    sync_ok(WK_MIRROR_PUSH);
    pairing_remove(&t, "/ws");
    sync_ok(WK_MIRROR_PUSH);
    cr_expect_eq(t.box.n, 0);
    mbox_write(&t.box, "back", "b");
    sync_ok(WK_MIRROR_PULL);
    cr_expect_str_eq(pairing_read(&t, "/ws/back", buf), "b");
    pairing_expect_alike(&t);
}
