/* test_snapshot.c - snapshots on several threads, restore with mounts, diff of moves and forks */
#include "vfs_fixture.h"

#include <pthread.h>
#include <stdio.h>

static void fill(struct wk_vfs *v, int dirs, int files)
{
    char path[64];
    for (int d = 0; d < dirs; d++) {
        snprintf(path, sizeof path, "/d%d", d);
        cr_assert_eq(wk_vfs_mkdir(v, &root, NULL, P(path), 0755), 0);
        for (int i = 0; i < files; i++) {
            snprintf(path, sizeof path, "/d%d/f%d", d, i);
            cr_assert_eq(put_file(v, &root, path, "some contents"), 0);
        }
    }
}

/* One thread's work: fork the shared snapshot, change the fork, snapshot it, drop everything, while
 * the others do the same. */
struct job {
    struct wk_snapshot *base;
    struct wk_vfs_hub *hub;
    int number;
};

static int64_t fixed_clock(void *ctx)
{
    (void)ctx;
    return 1;
}

static void *work(void *arg)
{
    struct job *j = arg;
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    for (int round = 0; round < 30; round++) {
        struct wk_vfs_config c = {
            .hub = j->hub, .base = j->base, .limits = wk_vfs_limits_default(), .now = fixed_clock};
        struct wk_vfs *v;
        struct wk_snapshot *s, *t;
        char path[64], b[32];
        cr_assert_eq(wk_vfs_new(m, &c, &v), 0);
        for (int i = 0; i < 50; i++) {
            snprintf(path, sizeof path, "/d%d/f%d", (i * 7 + j->number) % 10, i);
            cr_assert_eq(put_file(v, &root, path, "changed"), 0);
        }
        wk_vfs_snapshot(v, &s);
        for (int i = 0; i < 50; i++) {
            snprintf(path, sizeof path, "/d%d/f%d", i % 10, i);
            wk_vfs_unlink(v, &root, NULL, P(path));
        }
        wk_vfs_snapshot(v, &t);
        cr_assert_eq(wk_vfs_restore(v, s, false), 0);
        wk_snapshot_unref(s);
        cr_assert_eq(get_file(v, &root, "/d9/f49", b, sizeof b) > 0, true);
        wk_vfs_free(v);
        wk_snapshot_unref(t);
    }
    cr_assert_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
    wk_snapshot_unref(j->base);
    return NULL;
}

Test(snapshot, forks_on_four_threads, .timeout = 100)
{
    struct fixture f;
    pthread_t t[4];
    struct job j[4];
    struct wk_snapshot *s;
    fixture_up(&f);
    fill(f.v, 10, 50);
    wk_vfs_snapshot(f.v, &s);
    for (int i = 0; i < 4; i++) {
        j[i] = (struct job){wk_snapshot_ref(s), f.hub, i};
        pthread_create(&t[i], NULL, work, &j[i]);
    }
    wk_snapshot_unref(s);
    for (int i = 0; i < 40; i++) { /* the owner goes on meanwhile */
        char path[64];
        snprintf(path, sizeof path, "/d%d/f%d", i % 10, i);
        wk_vfs_unlink(f.v, &root, NULL, P(path));
    }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    fixture_down(&f);
}

/* Two threads drop the last references of one tree against each other. */
static void *drop(void *arg)
{
    wk_snapshot_unref(arg);
    return NULL;
}

Test(snapshot, dropped_by_two_threads_at_once)
{
    struct fixture f;
    struct wk_snapshot *a, *b;
    pthread_t t[2];
    fixture_up(&f);
    for (int round = 0; round < 50; round++) {
        fill(f.v, 2, 20);
        wk_vfs_snapshot(f.v, &a);
        put_file(f.v, &root, "/d1/f3", "other");
        wk_vfs_snapshot(f.v, &b);
        wk_vfs_free(f.v);
        pthread_create(&t[0], NULL, drop, a);
        pthread_create(&t[1], NULL, drop, b);
        pthread_join(t[0], NULL);
        pthread_join(t[1], NULL);
        cr_assert_eq(wk_mem_used(f.mem), 0);
        struct wk_vfs_config c = fixture_config(&f);
        cr_assert_eq(wk_vfs_new(f.mem, &c, &f.v), 0);
    }
    fixture_down(&f);
}

/* ---- diff ------------------------------------------------------------------------------------ */

static int note(void *ctx, const struct wk_diff_entry *e)
{
    wk_buf_fmt(ctx, "%c%.*s%s ", "+-="[e->kind], (int)e -> path.n, e->path.p,
               e->what &WK_DIFF_DATA ? "*" : "");
    return 0;
}

static void expect_diff(struct fixture *f, struct wk_snapshot *a, const char *want)
{
    struct wk_buf b;
    struct wk_snapshot *now;
    wk_buf_init(&b, f->mem, 100000);
    wk_vfs_snapshot(f->v, &now);
    cr_expect_eq(wk_snapshot_diff(f->mem, a, now, note, &b), 0);
    cr_expect_str_eq(wk_buf_c(&b), want);
    wk_snapshot_unref(now);
    wk_buf_release(&b);
}

Test(snapshot, diff_names_what_changed)
{
    struct fixture f;
    struct wk_snapshot *s;
    fixture_up(&f);
    fill(f.v, 2, 2);
    wk_vfs_snapshot(f.v, &s);
    expect_diff(&f, s, "");
    put_file(f.v, &root, "/d0/f0", "new text");
    expect_diff(&f, s, "=/d0/f0* ");
    wk_vfs_rename(f.v, &root, NULL, P("/d1"), NULL, P("/d0/x"), 0);
    expect_diff(&f, s, "=/d0 =/d0/f0* -/d1 +/d0/x ");
    wk_vfs_link(f.v, &root, NULL, P("/d0/x/f0"), NULL, P("/l"), 0);
    expect_diff(&f, s, "=/d0 =/d0/f0* -/d1 +/d0/x +/l =/d0/x/f0 ");
    cr_expect_eq(wk_vfs_restore(f.v, s, false), 0);
    expect_diff(&f, s, "");
    wk_vfs_unlink(f.v, &root, NULL, P("/d0/f0"));
    put_file(f.v, &root, "/d0/f0", "some contents");
    expect_diff(&f, s, "=/d0 -/d0/f0 +/d0/f0 ");
    wk_snapshot_unref(s);
    fixture_down(&f);
}

/* ---- restore and mounts ---------------------------------------------------------------------- */

Test(snapshot, mounts_survive_a_restore)
{
    struct fixture f;
    struct wk_snapshot *s;
    char b[16];
    fixture_up(&f);
    put_file(f.v, &root, "/plain", "p");
    wk_vfs_snapshot(f.v, &s);
    cr_assert_eq(wk_vfs_mount_memory(f.v, P("/deep/m"), 01777, 0, 0, 0), 0);
    cr_assert_eq(wk_vfs_mount_dev(f.v, P("/dev")), 0);
    put_file(f.v, &user, "/deep/m/x", "x");
    cr_expect_eq(stat_of(f.v, "/deep/m").mode, WK_S_IFDIR | 01777);
    struct wk_snapshot *later;
    wk_vfs_snapshot(f.v, &later);
    cr_expect_eq(wk_vfs_restore(f.v, s, false), 0);
    cr_expect_eq(get_file(f.v, &root, "/deep/m/x", b, sizeof b), -WK_ENOENT);
    cr_expect_eq(put_file(f.v, &user, "/deep/m/y", "y"), 0);
    cr_expect_eq(stat_of(f.v, "/dev/null").rdev, wk_rdev(1, 3));
    cr_expect_eq(wk_vfs_restore(f.v, later, false), 0);
    cr_expect_eq(get_file(f.v, &root, "/deep/m/x", b, sizeof b), 1);
    cr_expect_eq(get_file(f.v, &root, "/deep/m/y", b, sizeof b), -WK_ENOENT);
    cr_expect_eq(wk_vfs_umount(f.v, P("/deep/m")), 0);
    cr_expect_eq(wk_vfs_umount(f.v, P("/deep/m")), -WK_EINVAL);
    wk_snapshot_unref(s);
    wk_snapshot_unref(later);
    fixture_down(&f);
}

Test(snapshot, restore_under_failing_memory_changes_nothing)
{
    struct fixture f;
    struct wk_snapshot *s, *now;
    struct wk_vfile *h;
    struct wk_vdir *d;
    char b[16];
    fixture_up(&f);
    wk_vfs_snapshot(f.v, &s);
    cr_assert_eq(wk_vfs_mount_memory(f.v, P("/a/b/c/m"), 0755, 0, 0, 0), 0);
    fill(f.v, 2, 2);
    cr_assert_eq(wk_vfs_open(f.v, &root, NULL, P("/d0/f0"), WK_O_RDWR, 0, &h), 0);
    cr_assert_eq(wk_vfs_dir(f.v, &root, NULL, P("/d1"), &d), 0);
    int failures = 0;
    for (uint64_t n = 1;; n++) {
        wk_vfs_snapshot(f.v, &now);
        f.mem->fail_at = f.mem->count + n;
        int err = wk_vfs_restore(f.v, s, false);
        f.mem->fail_at = 0;
        if (!err) {
            wk_snapshot_unref(now);
            break;
        }
        cr_assert_eq(err, -WK_ENOMEM);
        failures++;
        expect_diff(&f, now, "");
        wk_snapshot_unref(now);
        cr_assert_eq(put_file(f.v, &root, "/a/b/c/m/t", "t"), 0);
        cr_assert_eq(get_file(f.v, &root, "/d0/f0", b, sizeof b), 13);
    }
    cr_expect_geq(failures, 5);
    cr_expect_eq(wk_vfile_pread(h, b, sizeof b, 0), 13); /* nameless now */
    cr_expect_eq(wk_vfs_mkdir(f.v, &root, d, P("x"), 0755), -WK_ENOENT);
    wk_vfile_unref(h);
    wk_vdir_unref(d);
    wk_snapshot_unref(s);
    fixture_down(&f);
}
