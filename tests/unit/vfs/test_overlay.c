/* test_overlay.c - a memory layer over a host directory, against the memory file system */
#define _GNU_SOURCE
#include "host_fixture.h"
#include "tree_compare.h"

static const struct wk_host_options opts = {.uid = 0, .gid = 0};

static const char *const setup =
    "mkdir -p a/b/c d e && echo one >a/f && echo two >a/b/g && echo three >d/h && ln -s a/f l && "
    "head -c 40000 /dev/zero | tr '\\0' x >big && : >e/empty && chmod 640 a/f";

struct change_list {
    struct wk_buf b;
};

static int note(void *ctx, enum wk_overlay_change kind, struct wk_str path,
                const struct wk_stat *st)
{
    struct change_list *c = ctx;
    (void)st;
    wk_buf_fmt(&c->b, "%c %.*s\n", "ACR"[kind], (int)path.n, path.p);
    return 0;
}

Test(overlay, whiteouts_copy_up_and_changes)
{
    struct fixture f;
    struct scratch s;
    static char before[100000], after[100000];
    char b[64];
    struct wk_stat st;
    fixture_up(&f);
    scratch_up(&s, setup);
    scratch_run(&s, "mkfifo e/host-fifo");
    scratch_list(&s, before, sizeof before);
    cr_assert_eq(wk_vfs_mount_overlay(f.v, P("/w"), s.path, &opts, 0), 0);
    cr_expect_eq(get_file(f.v, &root, "/w/l", b, sizeof b), 4);
    struct wk_vfile *r, *w;
    cr_assert_eq(wk_vfs_open(f.v, &root, NULL, P("/w/a/f"), WK_O_RDONLY, 0, &r), 0);
    cr_assert_eq(wk_vfs_open(f.v, &root, NULL, P("/w/a/f"), WK_O_WRONLY | WK_O_APPEND, 0, &w), 0);
    int64_t end;
    cr_expect_eq(wk_vfile_append(w, "more\n", 5, &end), 5);
    cr_expect_eq(wk_vfile_pread(r, b, sizeof b, 0), 9); /* the reader sees it too */
    wk_vfile_unref(r);
    wk_vfile_unref(w);
    cr_expect_eq(stat_of(f.v, "/w/a/f").mode & 0777, 0640);
    cr_expect_eq(wk_vfs_unlink(f.v, &root, NULL, P("/w/d/h")), 0);
    cr_expect_eq(wk_vfs_stat(f.v, &root, NULL, P("/w/d/h"), 0, &st), -WK_ENOENT);
    cr_expect_eq(wk_vfs_rmdir(f.v, &root, NULL, P("/w/d")), 0);
    cr_expect_eq(wk_vfs_mkdir(f.v, &root, NULL, P("/w/d"), 0755), 0);
    cr_expect_eq(wk_vfs_stat(f.v, &root, NULL, P("/w/d/h"), 0, &st), -WK_ENOENT);
    cr_expect_eq(wk_vfs_rename(f.v, &root, NULL, P("/w/a"), NULL, P("/w/moved"), 0), 0);
    cr_expect_eq(get_file(f.v, &root, "/w/moved/b/g", b, sizeof b), 4);
    cr_expect_eq(put_file(f.v, &root, "/w/new", "n"), 0);
    cr_expect_eq(wk_vfs_open(f.v, &root, NULL, P("/w/e/host-fifo"), WK_O_RDONLY, 0, &r), -WK_ENXIO);
    cr_expect_eq(wk_vfs_mknod(f.v, &root, NULL, P("/w/fifo"), WK_S_IFIFO | 0644, 0), 0);
    cr_expect_eq(wk_vfs_open(f.v, &root, NULL, P("/w/fifo"), WK_O_RDONLY, 0, &r), 0);
    cr_expect_eq(wk_vfile_kind(r), WK_S_IFIFO);
    wk_vfile_unref(r);
    wk_vfs_unlink(f.v, &root, NULL, P("/w/fifo"));
    struct change_list c;
    wk_buf_init(&c.b, f.mem, 100000);
    cr_expect_eq(wk_vfs_overlay_changes(f.v, P("/w"), note, &c), 0);
    cr_expect_str_eq(wk_buf_c(&c.b),
                     "R a\nA moved\nA new\nA moved/f\nA moved/b\nA moved/b/c\nA moved/b/g\nR d/h\n",
                     "%s", wk_buf_c(&c.b));
    wk_buf_release(&c.b);
    /* The layer is part of snapshots. */
    struct wk_snapshot *snap;
    wk_vfs_snapshot(f.v, &snap);
    put_file(f.v, &root, "/w/moved/f", "changed");
    wk_vfs_unlink(f.v, &root, NULL, P("/w/new"));
    cr_expect_eq(wk_vfs_restore(f.v, snap, false), 0);
    cr_expect_eq(get_file(f.v, &root, "/w/moved/f", b, sizeof b), 9);
    cr_expect_eq(get_file(f.v, &root, "/w/new", b, sizeof b), 1);
    wk_snapshot_unref(snap);
    scratch_list(&s, after, sizeof after);
    cr_expect_str_eq(before, after);
    cr_expect_eq(wk_vfs_umount(f.v, P("/w")), 0);
    scratch_down(&s);
    fixture_down(&f);
}

/* ---- random operations on both --------------------------------------------------------------- */

static uint32_t next_random(uint64_t *s)
{
    *s = *s * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*s >> 33);
}

static const char *pick(uint64_t *s)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "l", "big", "n"};
    return names[next_random(s) % WK_COUNTOF(names)];
}

static void random_path(uint64_t *s, char *out, size_t cap)
{
    size_t n = 0;
    unsigned parts = 1 + next_random(s) % 3;
    for (unsigned i = 0; i < parts; i++)
        n += (size_t)snprintf(out + n, cap - n, "/%s", pick(s));
}

static int one_op(struct wk_vfs *v, const char *top, unsigned op, const char *p, const char *q,
                  uint32_t r)
{
    char a[256], b[256], data[64];
    struct wk_vfile *f;
    snprintf(a, sizeof a, "%s%s", top, p);
    snprintf(b, sizeof b, "%s%s", top, q);
    int err;
    switch (op) {
    case 0:
        snprintf(data, sizeof data, "data %u", r);
        return put_file(v, &root, a, data);
    case 1:
        return wk_vfs_mkdir(v, &root, NULL, P(a), 0755);
    case 2:
        return wk_vfs_unlink(v, &root, NULL, P(a));
    case 3:
        return wk_vfs_rmdir(v, &root, NULL, P(a));
    case 4:
    case 5:
        return wk_vfs_rename(v, &root, NULL, P(a), NULL, P(b), 0);
    case 6:
        return wk_vfs_symlink(v, &root, NULL, P(q + 1), P(a));
    case 7:
        return wk_vfs_link(v, &root, NULL, P(a), NULL, P(b), 0);
    case 8:
        return wk_vfs_chmod(v, &root, NULL, P(a), 0, r & 0777);
    case 9:
        return wk_vfs_truncate(v, &root, NULL, P(a), r % 50000);
    default:
        err = wk_vfs_open(v, &root, NULL, P(a), WK_O_WRONLY | (r & 1 ? WK_O_CREAT : 0), 0644, &f);
        if (!err) {
            wk_vfile_pwrite(f, "patch", 5, r % 20000);
            wk_vfile_unref(f);
        }
        return err;
    }
}

static void load_model(struct wk_vfs *v)
{
    static char big[40001];
    memset(big, 'x', 40000);
    static const char *const dirs[] = {"/m", "/m/a", "/m/a/b", "/m/a/b/c", "/m/d", "/m/e"};
    for (size_t i = 0; i < WK_COUNTOF(dirs); i++)
        cr_assert_eq(wk_vfs_mkdir(v, &root, NULL, P(dirs[i]), 0755), 0);
    put_file(v, &root, "/m/a/f", "one\n");
    put_file(v, &root, "/m/a/b/g", "two\n");
    put_file(v, &root, "/m/d/h", "three\n");
    put_file(v, &root, "/m/big", big);
    put_file(v, &root, "/m/e/empty", "");
    wk_vfs_symlink(v, &root, NULL, P("a/f"), P("/m/l"));
    wk_vfs_chmod(v, &root, NULL, P("/m/a/f"), 0, 0640);
}

static void compare(struct wk_vfs *v, struct wk_mem *m, uint64_t seed, int step)
{
    struct wk_buf a, b;
    wk_buf_init(&a, m, SIZE_MAX / 2);
    wk_buf_init(&b, m, SIZE_MAX / 2);
    describe_tree(v, "/m", "", &a, 0);
    describe_tree(v, "/w", "", &b, 0);
    if (!wk_str_eq(wk_buf_str(&a), wk_buf_str(&b)))
        cr_assert(false, "seed %llu step %d\n--- memory\n%s--- overlay\n%s",
                  (unsigned long long)seed, step, wk_buf_c(&a), wk_buf_c(&b));
    wk_buf_release(&a);
    wk_buf_release(&b);
}

/* Relative links, so that both trees resolve alike. */
static void run_seed(uint64_t seed, int steps)
{
    struct fixture f;
    struct scratch s;
    static char before[200000], after[200000];
    uint64_t rng = seed;
    fixture_up(&f);
    scratch_up(&s, setup);
    scratch_list(&s, before, sizeof before);
    load_model(f.v);
    cr_assert_eq(wk_vfs_mount_overlay(f.v, P("/w"), s.path, &opts, 0), 0);
    compare(f.v, f.mem, seed, -1);
    for (int i = 0; i < steps; i++) {
        char p[64], q[64];
        random_path(&rng, p, sizeof p);
        random_path(&rng, q, sizeof q);
        unsigned op = next_random(&rng) % 12;
        uint32_t r = next_random(&rng);
        int want = one_op(f.v, "/m", op, p, q, r);
        int got = one_op(f.v, "/w", op, p, q, r);
        cr_assert_eq(got, want, "seed %llu step %d op %u %s %s: memory %d overlay %d",
                     (unsigned long long)seed, i, op, p, q, want, got);
        if (i % 20 == 0)
            compare(f.v, f.mem, seed, i);
    }
    compare(f.v, f.mem, seed, steps);
    scratch_list(&s, after, sizeof after);
    cr_assert_str_eq(before, after);
    scratch_down(&s);
    fixture_down(&f);
}

Test(overlay, behaves_like_memory, .timeout = 100)
{
    const char *n = getenv("WHELK_SEEDS");
    uint64_t seeds = n ? (uint64_t)atoll(n) : 20;
    for (uint64_t seed = 1; seed <= seeds; seed++)
        run_seed(seed, 400);
}
