/* test_posix.c - the memory file system against the host's: the same random calls on both, in a
 * process of its own that is shut into a scratch directory (needs root; passes without it) */
#define _GNU_SOURCE
#include "host_fixture.h"
#include "vfs_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

static uint32_t next_random(uint64_t *s)
{
    *s = *s * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*s >> 33);
}

static void random_path(uint64_t *s, char *out, size_t cap)
{
    static const char *const parts[] = {"a", "b", "c", "d", "a", "b", ".", "..", "", "e", "l"};
    size_t n = 0;
    unsigned count = 1 + next_random(s) % 4;
    if (next_random(s) % 64 == 0)
        count = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < count; i++)
        n += (size_t)snprintf(out + n, cap - n, "%s%s", i || next_random(s) % 2 ? "/" : "",
                              parts[next_random(s) % WK_COUNTOF(parts)]);
    if (next_random(s) % 6 == 0)
        snprintf(out + n, cap - n, "/");
}

struct pair {
    struct wk_vfs *v;
    struct wk_vdir *cwd;
    struct wk_cred cred;
};

static int answer(int result)
{
    return result < 0 ? -errno : 0;
}

static int host_write(const char *path, int flags, const char *data, size_t n, off_t off)
{
    int fd = open(path, flags, 0666);
    if (fd < 0)
        return -errno;
    int r = data ? answer((int)pwrite(fd, data, n, off)) : 0;
    close(fd);
    return r;
}

static int vfs_write(struct pair *p, const char *path, uint32_t flags, const char *data, size_t n,
                     int64_t off)
{
    struct wk_vfile *f;
    int r = wk_vfs_open(p->v, &p->cred, p->cwd, P(path), flags, 0666, &f);
    if (r)
        return r;
    int64_t w = data ? wk_vfile_pwrite(f, data, n, off) : 0;
    wk_vfile_unref(f);
    return w < 0 ? (int)w : 0;
}

static int vfs_chdir(struct pair *p, const char *path)
{
    struct wk_vdir *d;
    int r = wk_vfs_dir(p->v, &p->cred, p->cwd, P(path), &d);
    if (r)
        return r;
    wk_vdir_unref(p->cwd);
    p->cwd = d;
    return 0;
}

static int vfs_list(struct pair *p, const char *path)
{
    struct wk_vlist *l;
    int r = wk_vfs_opendir(p->v, &p->cred, p->cwd, P(path), &l);
    if (!r)
        wk_vlist_close(l);
    return r;
}

static int host_list(const char *path)
{
    DIR *d = opendir(path);
    if (!d)
        return -errno;
    closedir(d);
    return 0;
}

static int vfs_realpath(struct pair *p, const char *path, char *out, size_t cap)
{
    struct wk_buf b;
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    wk_buf_init(&b, m, 65536);
    int r = wk_vfs_realpath(p->v, &p->cred, p->cwd, P(path), WK_REALPATH_ALL, &b);
    snprintf(out, cap, "%s", r ? "" : wk_buf_c(&b));
    wk_buf_release(&b);
    wk_mem_unref(m);
    return r;
}

static int vfs_stat(struct pair *p, const char *path, int flags, struct wk_stat *st)
{
    return wk_vfs_stat(p->v, &p->cred, p->cwd, P(path), flags, st);
}

/* The two answers to one call. */
struct answers {
    int host, whelk;
};

static struct answers change_names(struct pair *p, unsigned op, const char *a, const char *b,
                                   uint32_t r)
{
    struct wk_vfs *v = p->v;
    struct wk_vdir *cwd = p->cwd;
    const struct wk_cred *c = &p->cred;
    switch (op) {
    case 0:
        return (struct answers){answer(mkdir(a, r & 0777)),
                                wk_vfs_mkdir(v, c, cwd, P(a), r & 0777)};
    case 1:
        return (struct answers){answer(rmdir(a)), wk_vfs_rmdir(v, c, cwd, P(a))};
    case 2:
        return (struct answers){answer(unlink(a)), wk_vfs_unlink(v, c, cwd, P(a))};
    case 3:
    case 4:
        return (struct answers){answer(rename(a, b)), wk_vfs_rename(v, c, cwd, P(a), cwd, P(b), 0)};
    case 5:
        return (struct answers){answer(link(a, b)), wk_vfs_link(v, c, cwd, P(a), cwd, P(b), 0)};
    case 6:
        return (struct answers){answer(symlink(a, b)), wk_vfs_symlink(v, c, cwd, P(a), P(b))};
    default:
        return (struct answers){answer(chmod(a, r & 0777)),
                                wk_vfs_chmod(v, c, cwd, P(a), 0, r & 0777)};
    }
}

static struct answers change_contents(struct pair *p, unsigned op, const char *a, uint32_t r)
{
    static const char data[] = "0123456789";
    int host, whelk;
    switch (op) {
    case 8:
        host = host_write(a, O_WRONLY | O_CREAT, data, r % 10, r % 30000);
        whelk = vfs_write(p, a, WK_O_WRONLY | WK_O_CREAT, data, r % 10, r % 30000);
        break;
    case 9:
        host = host_write(a, O_WRONLY | O_CREAT | O_EXCL | O_TRUNC, NULL, 0, 0);
        whelk = vfs_write(p, a, WK_O_WRONLY | WK_O_CREAT | WK_O_EXCL | WK_O_TRUNC, NULL, 0, 0);
        break;
    case 10:
        host = host_write(a, O_RDWR | O_NOFOLLOW, NULL, 0, 0);
        whelk = vfs_write(p, a, WK_O_RDWR | WK_O_NOFOLLOW, NULL, 0, 0);
        break;
    default:
        host = answer(truncate(a, r % 50000));
        whelk = wk_vfs_truncate(p->v, &p->cred, p->cwd, P(a), r % 50000);
        break;
    }
    return (struct answers){host, whelk};
}

static bool same_stat(struct pair *p, const char *a, uint32_t r, struct answers *out)
{
    struct stat hs = {0};
    struct wk_stat vs = {0};
    out->host = answer(r & 8 ? stat(a, &hs) : lstat(a, &hs));
    out->whelk = vfs_stat(p, a, r & 8 ? 0 : WK_AT_NOFOLLOW, &vs);
    return hs.st_mode == vs.mode && (S_ISDIR(hs.st_mode) || (uint64_t)hs.st_size == vs.size);
}

static bool same_realpath(struct pair *p, const char *a, struct answers *out)
{
    char host[4200] = "", whelk[4200] = "";
    if (a[0] != '/') /* glibc asks for the name of the working directory, which may be gone */
        return true;
    out->host = realpath(a, host) ? 0 : -errno;
    out->whelk = vfs_realpath(p, a, whelk, sizeof whelk);
    if (out->whelk ==
        -WK_EACCES) /* glibc takes "x/.." away without asking whether x may be searched */
        out->host = out->whelk;
    return out->host != 0 || strcmp(host, whelk) == 0;
}

/* One call on both; false when they differ. */
static bool same(struct pair *p, uint64_t *rng, int step)
{
    char a[64], b[64];
    unsigned op = next_random(rng) % 17;
    uint32_t r = next_random(rng);
    struct answers got = {0, 0};
    bool equal = true;
    random_path(rng, a, sizeof a);
    random_path(rng, b, sizeof b);
    if (op < 8)
        got = change_names(p, op, a, b, r);
    else if (op < 12)
        got = change_contents(p, op, a, r);
    else if (op == 12)
        got = (struct answers){answer(chdir(a)), vfs_chdir(p, a)};
    else if (op == 13)
        equal = same_stat(p, a, r, &got);
    else if (op == 14)
        got = (struct answers){answer(faccessat(AT_FDCWD, a, (int)(r & 7), AT_EACCESS)),
                               wk_vfs_access(p->v, &p->cred, p->cwd, P(a), 0, (int)(r & 7))};
    else if (op == 15)
        got = (struct answers){host_list(a), vfs_list(p, a)};
    else
        equal = same_realpath(p, a, &got);
    if (equal && got.host == got.whelk)
        return true;
    fprintf(stderr, "step %d op %u '%s' '%s': host %d, whelk %d\n", step, op, a, b, got.host,
            got.whelk);
    return false;
}

static int run_seed(uint64_t seed, uint32_t uid)
{
    struct fixture f;
    uint64_t rng = seed * 77 + uid;
    fixture_up(&f);
    struct pair p = {.v = f.v, .cred = {.uid = uid, .gid = uid, .umask = 022}};
    wk_vfs_chmod(f.v, &root, NULL, P("/"), 0, 0777);
    int bad = 0;
    for (int i = 0; i < 3000 && !bad; i++)
        bad = !same(&p, &rng, i);
    if (bad)
        fprintf(stderr, "seed %llu uid %u\n", (unsigned long long)seed, uid);
    wk_vdir_unref(p.cwd);
    fixture_down(&f);
    return bad;
}

static void compare(uint64_t seed, uint32_t uid)
{
    struct scratch s;
    int status;
    scratch_up(&s, "chmod 777 .");
    pid_t pid = fork();
    if (pid == 0) {
        umask(022);
        if (chroot(s.path) || chdir("/") || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
            _exit(9);
        _exit(run_seed(seed, uid));
    }
    waitpid(pid, &status, 0);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "seed %llu uid %u: status %d",
              (unsigned long long)seed, uid, status);
    scratch_down(&s);
}

Test(posix, random_calls, .timeout = 100)
{
    const char *n = getenv("WHELK_SEEDS");
    uint64_t seeds = n ? (uint64_t)atoll(n) : 12;
    if (geteuid() != 0)
        cr_skip("needs root");
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        compare(seed, 0);
        compare(seed, 1000);
    }
}
