/* mirror_session.c - a session's files, and a mirror between them and a fake box */
#include "tests/unit/adapters/mirror_session.h"

#include <stdio.h>

static const struct wk_cred root = {.umask = 022};
static struct wk_mirror_result *last;

static int64_t tick(void *ctx)
{
    return *(int64_t *)ctx += 1000;
}

void pairing_open(struct pairing *t, const struct wk_mirror_config *more)
{
    static const struct wk_mirror_pair pairs[] = {{"/ws", ""}, {"/tmp", "/tmp"}};
    static const char *const left_out[] = {"__pycache__", "node_modules"};
    struct wk_mirror_config c = more ? *more : (struct wk_mirror_config){0};
    last = NULL;
    t->mem = wk_mem_new(SIZE_MAX);
    t->hub = wk_vfs_hub_new();
    t->clock = INT64_C(1700000000000000000);
    t->box.seed = 88172645463325252u;
    t->box.clock = INT64_C(1600000000000000000);
    struct wk_vfs_config vc = {
        .hub = t->hub, .limits = wk_vfs_limits_default(), .now = tick, .now_ctx = &t->clock};
    cr_assert_eq(wk_vfs_new(t->mem, &vc, &t->vfs), 0);
    pairing_mkdir(t, "/ws");
    pairing_mkdir(t, "/tmp");
    c.mem = t->mem;
    c.vfs = t->vfs;
    if (!c.kind) {
        c.kind = &mbox_kind;
        c.box = &t->box;
    }
    c.pairs = pairs;
    c.n_pairs = c.n_pairs ? c.n_pairs : 2;
    c.left_out = left_out;
    c.n_left_out = 2;
    cr_assert_eq(wk_mirror_new(&c, &t->mirror), 0);
}

void pairing_open_over(struct pairing *t, const whelk_sandbox_kind *kind, void *box)
{
    pairing_open(t, &(struct wk_mirror_config){.kind = kind, .box = box, .n_pairs = 1});
}

void pairing_close(struct pairing *t)
{
    mbox_release(&t->box);
    wk_mirror_result_free(last);
    last = NULL;
    wk_mirror_free(t->mirror);
    cr_expect_eq(wk_vfs_open_count(t->vfs), 0);
    wk_vfs_free(t->vfs);
    wk_vfs_hub_unref(t->hub);
    cr_expect_eq(wk_mem_used(t->mem), 0);
    wk_mem_unref(t->mem);
}

static int pump(void *ctx)
{
    struct pairing *t = ctx;
    return mbox_kind.pump(&t->box);
}

struct wk_mirror_result *pairing_sync(struct pairing *t, enum wk_mirror_way way)
{
    wk_mirror_result_free(last);
    last = NULL;
    int err = wk_mirror_sync(t->mirror, way, &t->cred, pump, t, &last);
    cr_assert(err == 0 || t->mem->fail_at || t->box.lost, "sync: %d", err);
    return last;
}

bool pairing_try_write(struct pairing *t, const char *path, const char *text)
{
    struct wk_vfile *f;
    int err = wk_vfs_open(t->vfs, &root, NULL, wk_str_c(path), WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC | WK_O_NOFOLLOW,
                          0644, &f);
    if (err)
        return false;
    int64_t n = wk_vfile_pwrite(f, text, strlen(text), 0);
    wk_vfile_unref(f);
    return n == (int64_t)strlen(text);
}

void pairing_write(struct pairing *t, const char *path, const char *text)
{
    cr_assert(pairing_try_write(t, path, text), "%s", path);
}

void pairing_mkdir(struct pairing *t, const char *path)
{
    int err = wk_vfs_mkdir(t->vfs, &root, NULL, wk_str_c(path), 0755);
    cr_assert_eq(err, 0, "%s: %d", path, err);
}

bool pairing_has(struct pairing *t, const char *path)
{
    struct wk_stat st;
    return wk_vfs_stat(t->vfs, &root, NULL, wk_str_c(path), WK_AT_NOFOLLOW, &st) == 0;
}

const char *pairing_read(struct pairing *t, const char *path, char buf[4096])
{
    struct wk_vfile *f;
    struct wk_buf b;
    wk_buf_init(&b, t->mem, 4095);
    if (wk_vfs_readlink(t->vfs, &root, NULL, wk_str_c(path), &b) == 0) {
        memcpy(buf, wk_buf_c(&b), b.n + 1);
        wk_buf_release(&b);
        return buf;
    }
    if (wk_vfs_open(t->vfs, &root, NULL, wk_str_c(path), WK_O_RDONLY, 0, &f))
        return NULL;
    int64_t n = wk_vfile_pread(f, buf, 4095, 0);
    wk_vfile_unref(f);
    if (n < 0)
        return NULL;
    buf[n] = 0;
    return buf;
}

bool pairing_remove(struct pairing *t, const char *path)
{
    struct wk_vlist *l;
    struct wk_dirent e;
    struct wk_str p = wk_str_c(path);
    if (wk_vfs_unlink(t->vfs, &root, NULL, p) == 0)
        return true;
    if (wk_vfs_opendir(t->vfs, &root, NULL, p, &l))
        return false;
    while (wk_vlist_next(l, &e) > 0) {
        char below[4096];
        snprintf(below, sizeof below, "%s/%.*s", path, (int)e.name.n, e.name.p);
        pairing_remove(t, below);
    }
    wk_vlist_close(l);
    return wk_vfs_rmdir(t->vfs, &root, NULL, p) == 0;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void expect_node(struct pairing *t, const char *path, const char *in_box, const struct wk_stat *st)
{
    struct mbox_node *x = mbox_find(&t->box, in_box);
    char buf[4096];
    cr_assert(x, "the box lacks %s", in_box);
    bool dir = WK_S_ISDIR(st->mode), link = WK_S_ISLNK(st->mode);
    cr_assert_eq(x->type, dir ? WHELK_TYPE_DIR : link ? WHELK_TYPE_LINK : WHELK_TYPE_FILE, "%s", path);
    if (!dir) {
        cr_assert(pairing_read(t, path, buf), "%s", path);
        cr_assert_str_eq(buf, x->data, "%s", path);
    }
    if (!link) {
        cr_assert_eq(st->mode & 0777, x->mode & 0777, "%s: %o, in the box %o", path, st->mode, x->mode);
        cr_assert_eq(st->mtim, x->mtime, "%s: %lld, in the box %lld", path, (long long)st->mtim, (long long)x->mtime);
    }
}

static size_t expect_below(struct pairing *t, const char *dir, const char *in_box)
{
    struct wk_vlist *l;
    struct wk_dirent e;
    size_t n = 0;
    cr_assert_eq(wk_vfs_opendir(t->vfs, &root, NULL, wk_str_c(dir), &l), 0);
    while (wk_vlist_next(l, &e) > 0) {
        char path[2048], there[2048];
        struct wk_stat st;
        snprintf(path, sizeof path, "%s/%.*s", dir, (int)e.name.n, e.name.p);
        snprintf(there, sizeof there, "%s%s%.*s", in_box, *in_box ? "/" : "", (int)e.name.n, e.name.p);
        cr_assert_eq(wk_vfs_stat(t->vfs, &root, NULL, wk_str_c(path), WK_AT_NOFOLLOW, &st), 0);
        expect_node(t, path, there, &st);
        n++;
        if (WK_S_ISDIR(st.mode))
            n += expect_below(t, path, there);
    }
    wk_vlist_close(l);
    return n;
}

void pairing_expect_alike(struct pairing *t)
{
    size_t n = expect_below(t, "/ws", "") + expect_below(t, "/tmp", "/tmp");
    for (size_t i = 0; i < t->box.n && n != t->box.n; i++) {
        char path[4096];
        const char *p = t->box.v[i].path;
        snprintf(path, sizeof path, "%s%s", p[0] == '/' ? "" : "/ws/", p);
        cr_assert(pairing_has(t, path), "the session lacks %s", path);
    }
    cr_assert_eq(n, t->box.n);
}
