/* vfs_bench.c - times of the memory file system's operations; prints one line each */
#define _GNU_SOURCE /* clock_gettime */
#include "vfs/mount.h"
#include "vfs/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct wk_cred root = {.umask = 022};

static int64_t now_ns(void *ctx)
{
    struct timespec t;
    (void)ctx;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void report(const char *what, int64_t from, double count, const char *unit)
{
    printf("%-52s %10.1f %s\n", what, (double)(now_ns(NULL) - from) / count, unit);
}

struct bench {
    struct wk_mem *mem;
    struct wk_vfs_hub *hub;
    struct wk_vfs *v;
};

static void need(int err, const char *what)
{
    if (err < 0) {
        fprintf(stderr, "%s: %s\n", what, wk_err_text(err));
        exit(1);
    }
}

static struct wk_vfs *start(struct bench *b, struct wk_mem *m, struct wk_snapshot *base)
{
    struct wk_vfs_config c = {
        .hub = b->hub, .base = base, .limits = wk_vfs_limits_default(), .now = now_ns};
    struct wk_vfs *v;
    need(wk_vfs_new(m, &c, &v), "new");
    return v;
}

static struct wk_vfile *open_file(struct wk_vfs *v, const char *path, uint32_t flags)
{
    struct wk_vfile *f;
    need(wk_vfs_open(v, &root, NULL, wk_str_c(path), flags, 0644, &f), path);
    return f;
}

/* 100,000 files in 100 directories, and 1 GiB in 16 more. */
static void fill(struct bench *b)
{
    static char block[1 << 20];
    char path[64];
    int64_t t = now_ns(NULL);
    for (int d = 0; d < 100; d++) {
        snprintf(path, sizeof path, "/d%d", d);
        need(wk_vfs_mkdir(b->v, &root, NULL, wk_str_c(path), 0755), "mkdir");
        for (int i = 0; i < 1000; i++) {
            snprintf(path, sizeof path, "/d%d/file%d", d, i);
            struct wk_vfile *f = open_file(b->v, path, WK_O_WRONLY | WK_O_CREAT);
            wk_vfile_pwrite(f, "contents of a small file\n", 25, 0);
            wk_vfile_unref(f);
        }
    }
    report("create, write 25 bytes, close (100,000 files)", t, 100000, "ns");
    printf("%-52s %10.1f bytes\n", "  memory a file", (double)wk_mem_used(b->mem) / 100000);
    memset(block, 'x', sizeof block);
    t = now_ns(NULL);
    for (int i = 0; i < 16; i++) {
        snprintf(path, sizeof path, "/big%d", i);
        struct wk_vfile *f = open_file(b->v, path, WK_O_WRONLY | WK_O_CREAT);
        for (int k = 0; k < 64; k++)
            wk_vfile_pwrite(f, block, sizeof block, (int64_t)k << 20);
        wk_vfile_unref(f);
    }
    report("write 1 GiB, per MiB", t, 1024, "ns");
}

static void paths(struct bench *b)
{
    struct wk_stat st;
    char path[64];
    int64_t t = now_ns(NULL);
    for (int i = 0; i < 1000000; i++)
        wk_vfs_stat(b->v, &root, NULL, WK_STR("/d50/file500"), 0, &st);
    report("stat of one path with two names", t, 1000000, "ns");
    t = now_ns(NULL);
    for (int i = 0; i < 100000; i++) {
        snprintf(path, sizeof path, "/d%d/file%d", i % 100, i / 100);
        wk_vfs_stat(b->v, &root, NULL, wk_str_c(path), 0, &st);
    }
    report("stat of 100,000 paths in turn (with snprintf)", t, 100000, "ns");
    t = now_ns(NULL);
    for (int i = 0; i < 1000000; i++)
        wk_vfile_unref(open_file(b->v, "/d50/file500", WK_O_RDONLY));
    report("open, close", t, 1000000, "ns");
    t = now_ns(NULL);
    for (int i = 0; i < 300000; i++) {
        wk_vfile_unref(open_file(b->v, "/d50/new", WK_O_WRONLY | WK_O_CREAT));
        wk_vfs_unlink(b->v, &root, NULL, WK_STR("/d50/new"));
    }
    report("create, close, unlink", t, 300000, "ns");
    struct wk_vlist *l;
    struct wk_dirent e;
    t = now_ns(NULL);
    for (int i = 0; i < 1000; i++) {
        need(wk_vfs_opendir(b->v, &root, NULL, WK_STR("/d7"), &l), "opendir");
        while (wk_vlist_next(l, &e) == 1)
            ;
        wk_vlist_close(l);
    }
    report("list a directory, per entry", t, 1000000, "ns");
}

static void contents(struct bench *b)
{
    static char block[65536];
    struct wk_vpin pin = {0};
    const void *p;
    struct wk_vfile *f = open_file(b->v, "/big3", WK_O_RDWR);
    int64_t t = now_ns(NULL), off = 0, n;
    for (int i = 0; i < 16; i++)
        for (off = 0; (n = wk_vfile_pread(f, block, sizeof block, off)) > 0; off += n)
            ;
    report("pread 64 KiB at a time, per MiB", t, 16 * 64, "ns");
    t = now_ns(NULL);
    for (int i = 0; i < 16; i++)
        for (off = 0; (n = wk_vfile_borrow(f, off, SIZE_MAX, &pin, &p)) > 0; off += n)
            ;
    wk_vpin_drop(&pin);
    report("borrow, per 16 KiB chunk", t, 16 * 4096, "ns");
    t = now_ns(NULL);
    for (int i = 0; i < 1000000; i++)
        wk_vfile_pwrite(f, "12345678", 8, (int64_t)(i & 4095) * 16000);
    report("pwrite 8 bytes, owned", t, 1000000, "ns");
    wk_vfile_unref(f);
    f = open_file(b->v, "/log", WK_O_WRONLY | WK_O_CREAT | WK_O_APPEND);
    t = now_ns(NULL);
    for (int i = 0; i < 1000000; i++)
        wk_vfile_append(f, "a line of the log\n", 18, &off);
    report("append 18 bytes", t, 1000000, "ns");
    wk_vfile_unref(f);
    struct wk_vfile *g = open_file(b->v, "/copy", WK_O_RDWR | WK_O_CREAT);
    f = open_file(b->v, "/big3", WK_O_RDONLY);
    t = now_ns(NULL);
    for (int i = 0; i < 100000; i++)
        wk_vfile_clone(g, f);
    report("clone a file of 64 MiB", t, 100000, "ns");
    wk_vfile_unref(f);
    wk_vfile_unref(g);
}

static int count(void *ctx, const struct wk_diff_entry *e)
{
    (void)e;
    ++*(int *)ctx;
    return 0;
}

static void versions(struct bench *b)
{
    struct wk_snapshot *s, *old;
    enum { N = 100000 };
    int64_t t = now_ns(NULL);
    for (int i = 0; i < N; i++) {
        wk_vfs_snapshot(b->v, &s);
        wk_snapshot_unref(s);
    }
    report("snapshot, drop", t, N, "ns");
    struct wk_vfile *f = open_file(b->v, "/d50/file500", WK_O_RDWR);
    t = now_ns(NULL);
    for (int i = 0; i < N; i++) {
        wk_vfs_snapshot(b->v, &s);
        wk_vfile_pwrite(f, "x", 1, 0);
        wk_snapshot_unref(s);
    }
    report("snapshot, write one byte, drop", t, N, "ns");
    t = now_ns(NULL);
    for (int i = 0; i < N; i++) {
        wk_vfs_snapshot(b->v, &s);
        wk_vfile_pwrite(f, "y", 1, 0);
        wk_vfs_restore(b->v, s, false);
        wk_snapshot_unref(s);
    }
    report("snapshot, write one byte, restore, drop", t, N, "ns");
    wk_vfile_unref(f);
    t = now_ns(NULL);
    for (int i = 0; i < N; i++) {
        wk_vfs_snapshot(b->v, &s);
        struct wk_vfs *fork = start(b, b->mem, s);
        wk_vfs_free(fork);
        wk_snapshot_unref(s);
    }
    report("snapshot, fork, end both", t, N, "ns");
    t = now_ns(NULL);
    for (int i = 0; i < N; i++) {
        wk_vfs_snapshot(b->v, &s);
        struct wk_vfs *fork = start(b, b->mem, s);
        f = open_file(fork, "/d7/new", WK_O_WRONLY | WK_O_CREAT);
        wk_vfile_pwrite(f, "hello", 5, 0);
        wk_vfile_unref(f);
        wk_vfs_free(fork);
        wk_snapshot_unref(s);
    }
    report("snapshot, fork, create and write a file, end both", t, N, "ns");
    wk_vfs_snapshot(b->v, &old);
    for (int i = 0; i < 10; i++) {
        char path[64];
        snprintf(path, sizeof path, "/d%d/file%d", i * 9, i * 77);
        f = open_file(b->v, path, WK_O_WRONLY);
        wk_vfile_pwrite(f, "z", 1, 3);
        wk_vfile_unref(f);
    }
    wk_vfs_snapshot(b->v, &s);
    int seen = 0;
    t = now_ns(NULL);
    for (int i = 0; i < 10000; i++)
        wk_snapshot_diff(b->mem, old, s, count, &seen);
    report("diff with 10 files changed", t, 10000, "ns");
    wk_snapshot_unref(s);
    wk_snapshot_unref(old);
}

static void sessions(struct bench *b)
{
    enum { N = 10000 };
    struct wk_snapshot *s;
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    static struct wk_vfs *v[N];
    wk_vfs_snapshot(b->v, &s);
    int64_t t = now_ns(NULL);
    for (int i = 0; i < N; i++)
        v[i] = start(b, m, s);
    report("10,000 sessions: start", t, N, "ns");
    printf("%-52s %10.1f bytes\n", "  memory each", (double)wk_mem_used(m) / N);
    for (int i = 0; i < N; i++)
        need(wk_vfs_mount_dev(v[i], WK_STR("/dev")), "dev");
    printf("%-52s %10.1f bytes\n", "  with /dev mounted", (double)wk_mem_used(m) / N);
    for (int i = 0; i < N; i++)
        wk_vfile_unref(open_file(v[i], "/d1/mine", WK_O_WRONLY | WK_O_CREAT));
    printf("%-52s %10.1f bytes\n", "  and one file created", (double)wk_mem_used(m) / N);
    for (int i = 0; i < N; i++)
        wk_vfs_free(v[i]);
    wk_snapshot_unref(s);
    wk_mem_unref(m);
}

static void big_directory(struct bench *b)
{
    enum { N = 1000000 };
    char path[64];
    wk_vfs_limits(b->v)->inodes = 2 * N;
    need(wk_vfs_mkdir(b->v, &root, NULL, WK_STR("/million"), 0755), "mkdir");
    int64_t t = now_ns(NULL);
    for (int i = 0; i < N; i++) {
        snprintf(path, sizeof path, "/million/%d", (int)((int64_t)i * 7919 % N));
        need(wk_vfs_mknod(b->v, &root, NULL, wk_str_c(path), WK_S_IFREG | 0644, 0), path);
    }
    report("create in a directory of a million", t, N, "ns");
    t = now_ns(NULL);
    for (int i = 0; i < N; i++) {
        snprintf(path, sizeof path, "/million/%d", (int)((int64_t)i * 104729 % N));
        need(wk_vfs_unlink(b->v, &root, NULL, wk_str_c(path)), path);
    }
    report("unlink from it", t, N, "ns");
}

int main(void)
{
    struct bench b = {.mem = wk_mem_new(SIZE_MAX), .hub = wk_vfs_hub_new()};
    b.v = start(&b, b.mem, NULL);
    fill(&b);
    paths(&b);
    contents(&b);
    versions(&b);
    sessions(&b);
    big_directory(&b);
    int64_t t = now_ns(NULL);
    wk_vfs_free(b.v);
    report("end a session with 100,000 files and 1 GiB", t, 1e6, "ms");
    wk_vfs_hub_unref(b.hub);
    wk_mem_unref(b.mem);
    return 0;
}
