/* test_mirror_random.c - random changes on both sides of a mirror, against the rule of three versions */
#include "tests/unit/adapters/mirror_session.h"

#include <stdio.h>

static struct pairing t;
static const struct wk_cred root = {0};
static uint64_t seed;
static unsigned serial; /* every contents are written once */

static uint64_t rnd(uint64_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % n;
}

static void open_it(void)
{
    t = (struct pairing){0};
    seed = 1234567891011u;
    serial = 0;
    pairing_open(&t, NULL);
}

static void close_it(void)
{
    pairing_close(&t);
}

TestSuite(mirror_random, .init = open_it, .fini = close_it);

/* ---- random changes ------------------------------------------------------------------------------- */

static void random_path(char out[64])
{
    size_t n = 0;
    int depth = 1 + (int)rnd(3);
    if (rnd(5) == 0)
        n += (size_t)snprintf(out, 64, "/tmp/");
    for (int i = 0; i < depth; i++)
        n += (size_t)snprintf(out + n, 64 - n, "%s%c", i ? "/" : "", "abcd"[rnd(4)]);
}

static void of_session(const char *path, char out[80])
{
    snprintf(out, 80, "%s%s", path[0] == '/' ? "" : "/ws/", path);
}

static void new_text(char out[64])
{
    snprintf(out, 64, "contents %u", ++serial);
}

static void change_session(void)
{
    char p[64], q[64], path[80], to[80], text[64];
    random_path(p);
    random_path(q);
    of_session(p, path);
    of_session(q, to);
    new_text(text);
    switch (rnd(8)) {
    case 0: pairing_remove(&t, path); break;
    case 1:
    case 2: (void)wk_vfs_mkdir(t.vfs, &root, NULL, wk_str_c(path), 0755); break;
    case 3: (void)wk_vfs_rename(t.vfs, &root, NULL, wk_str_c(path), NULL, wk_str_c(to), 0); break;
    case 4: (void)wk_vfs_chmod(t.vfs, &root, NULL, wk_str_c(path), WK_AT_NOFOLLOW, rnd(2) ? 0755 : 0700); break;
    case 5: (void)wk_vfs_symlink(t.vfs, &root, NULL, wk_str_c(text), wk_str_c(path)); break;
    default: (void)pairing_try_write(&t, path, text);
    }
}

static void change_box(void)
{
    char p[64], q[64], text[64];
    random_path(p);
    random_path(q);
    new_text(text);
    switch (rnd(8)) {
    case 0: mbox_remove(&t.box, p); break;
    case 1:
    case 2: mbox_mkdir(&t.box, p); break;
    case 3: mbox_rename(&t.box, p, q); break;
    case 4: mbox_chmod(&t.box, p, rnd(2) ? 0755 : 0700); break;
    case 5: mbox_symlink(&t.box, p, text); break;
    default: mbox_write(&t.box, p, text);
    }
}

/* ---- versions ------------------------------------------------------------------------------------- */

struct version {
    struct {
        char path[200];
        char text[64]; /* of files; "dir", or "link …" */
    } v[400];
    size_t n;
};
static struct version base, session, box, after;

static const char *text_of(const struct version *x, const char *path)
{
    for (size_t i = 0; i < x->n; i++)
        if (strcmp(x->v[i].path, path) == 0)
            return x->v[i].text;
    return NULL;
}

static void record(struct version *x, const char *path, const char *kind, const char *text)
{
    cr_assert_lt(x->n, 400);
    snprintf(x->v[x->n].path, 200, "%s", path);
    snprintf(x->v[x->n++].text, 64, "%s%s", kind, text);
}

static void record_session(struct version *x, const char *dir, const char *name)
{
    struct wk_vlist *l;
    struct wk_dirent e;
    if (wk_vfs_opendir(t.vfs, &root, NULL, wk_str_c(dir), &l))
        return;
    while (wk_vlist_next(l, &e) > 0) {
        char path[200], there[200], buf[4096];
        struct wk_stat st;
        snprintf(path, sizeof path, "%s/%.*s", dir, (int)e.name.n, e.name.p);
        snprintf(there, sizeof there, "%s%s%.*s", name, *name ? "/" : "", (int)e.name.n, e.name.p);
        cr_assert_eq(wk_vfs_stat(t.vfs, &root, NULL, wk_str_c(path), WK_AT_NOFOLLOW, &st), 0);
        if (WK_S_ISDIR(st.mode)) {
            record(x, there, "dir", "");
            record_session(x, path, there);
        } else {
            record(x, there, WK_S_ISLNK(st.mode) ? "link " : "", pairing_read(&t, path, buf));
        }
    }
    wk_vlist_close(l);
}

static void take(struct version *x)
{
    x->n = 0;
    record_session(x, "/ws", "");
    record_session(x, "/tmp", "/tmp");
}

static void take_box(struct version *x)
{
    x->n = 0;
    for (size_t i = 0; i < t.box.n; i++) {
        const struct mbox_node *b = &t.box.v[i];
        if (b->type == WHELK_TYPE_DIR)
            record(x, b->path, "dir", "");
        else
            record(x, b->path, b->type == WHELK_TYPE_LINK ? "link " : "", b->data);
    }
}

/* ---- the rule ------------------------------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool has_text(const struct version *x, const char *text)
{
    for (size_t i = 0; i < x->n; i++)
        if (strcmp(x->v[i].text, text) == 0)
            return true;
    return false;
}

/* Nothing but directories above it, and itself none, in any version. */
static bool is_plain(const char *path)
{
    const struct version *all[] = {&base, &session, &box};
    for (size_t i = 0; i < 3; i++) {
        char up[200];
        const char *text = text_of(all[i], path);
        if (text && strcmp(text, "dir") == 0)
            return false;
        snprintf(up, sizeof up, "%s", path);
        for (char *slash = strrchr(up, '/'); slash && slash != up; slash = strrchr(up, '/')) {
            *slash = 0;
            text = text_of(all[i], up);
            if (text && strcmp(text, "dir") != 0)
                return false;
        }
    }
    return true;
}

static void expect_rule(const char *path)
{
    const char *o = text_of(&base, path), *s = text_of(&session, path), *b = text_of(&box, path);
    const char *f = text_of(&after, path);
    if (!is_plain(path))
        return;
    if (same(s, o))
        cr_assert(same(f, b), "%s: the box has %s, after it %s", path, b ? b : "none", f ? f : "none");
    else if (same(b, o))
        cr_assert(same(f, s), "%s: the session had %s, after it %s", path, s ? s : "none", f ? f : "none");
    else if (b)
        cr_assert(same(f, b), "%s: both changed, box %s, after it %s", path, b, f ? f : "none");
    else
        cr_assert(same(f, s), "%s: a change against a removal, after it %s", path, f ? f : "none");
}

static void expect_rules(void)
{
    take(&after);
    for (size_t i = 0; i < base.n; i++)
        expect_rule(base.v[i].path);
    for (size_t i = 0; i < session.n; i++) {
        expect_rule(session.v[i].path);
        cr_assert(has_text(&base, session.v[i].text) || has_text(&after, session.v[i].text), "lost: %s %s",
                  session.v[i].path, session.v[i].text);
    }
    for (size_t i = 0; i < box.n; i++) {
        expect_rule(box.v[i].path);
        cr_assert(has_text(&base, box.v[i].text) || has_text(&after, box.v[i].text), "lost: %s %s",
                  box.v[i].path, box.v[i].text);
    }
}

static struct wk_mirror_result *sync_ok(enum wk_mirror_way way)
{
    struct wk_mirror_result *r = pairing_sync(&t, way);
    cr_assert(r);
    cr_assert_eq(r->code, WHELK_OK, "%d: %s", r->code, r->text);
    cr_assert_eq(r->skipped.total, 0);
    return r;
}

/* Names of conflicts would add up. */
static void begin_anew(void)
{
    pairing_remove(&t, "/ws");
    pairing_remove(&t, "/tmp");
    pairing_mkdir(&t, "/ws");
    pairing_mkdir(&t, "/tmp");
    sync_ok(WK_MIRROR_BOTH);
    cr_assert_eq(t.box.n, 0);
}

static void some_changes(void)
{
    int n = 1 + (int)rnd(12);
    while (n-- > 0)
        if (rnd(2))
            change_session();
        else
            change_box();
    t.box.busy = rnd(2);
    t.box.at_once = rnd(4) == 0;
}

Test(mirror_random, three_versions)
{
    for (int i = 0; i < 1000; i++) {
        take(&base);
        some_changes();
        take(&session);
        take_box(&box);
        if (rnd(3) == 0)
            sync_ok(WK_MIRROR_PULL); /* what is left then goes with the next one */
        sync_ok(WK_MIRROR_BOTH);
        expect_rules();
        pairing_expect_alike(&t);
        if (i % 20 == 19)
            begin_anew();
    }
}

/* ---- other tasks and processes go on meanwhile ---------------------------------------------------- */

static int pump_and_change(void *ctx)
{
    (void)ctx;
    if (rnd(3) == 0)
        change_session();
    if (rnd(3) == 0)
        change_box();
    return mbox_kind.pump(&t.box);
}

Test(mirror_random, both_go_on_meanwhile)
{
    sync_ok(WK_MIRROR_BOTH); /* what is there at first is told by a list, which must not be overtaken */
    for (int i = 0; i < 800; i++) {
        struct wk_mirror_result *r;
        some_changes();
        cr_assert_eq(wk_mirror_sync(t.mirror, (enum wk_mirror_way)(1 + rnd(3)), &t.cred, pump_and_change, NULL, &r), 0);
        wk_mirror_result_free(r);
        if (i % 4 == 3) {
            (void)pairing_sync(&t, WK_MIRROR_BOTH);
            sync_ok(WK_MIRROR_BOTH);
            pairing_expect_alike(&t);
        }
        if (i % 20 == 19)
            begin_anew();
    }
}

/* ---- all or nothing ------------------------------------------------------------------------------- */

static int count_changes(void *ctx, const struct wk_diff_entry *e)
{
    (void)e;
    ++*(int *)ctx;
    return 0;
}

static void expect_as_before(struct wk_snapshot *before)
{
    struct wk_snapshot *now;
    int changes = 0;
    cr_assert_eq(wk_vfs_snapshot(t.vfs, &now), 0);
    cr_assert_eq(wk_snapshot_diff(t.mem, before, now, count_changes, &changes), 0);
    cr_assert_eq(changes, 0, "half of it was applied");
    wk_snapshot_unref(now);
}

Test(mirror_random, memory_is_refused)
{
    int failed = 0;
    for (int i = 0; i < 1000; i++) {
        struct wk_snapshot *before;
        struct wk_mirror_result *r;
        some_changes();
        cr_assert_eq(wk_vfs_snapshot(t.vfs, &before), 0);
        t.mem->fail_at = t.mem->count + 1 + rnd(200);
        t.mem->fail_forever = rnd(4) == 0;
        r = pairing_sync(&t, WK_MIRROR_PULL);
        t.mem->fail_at = 0;
        if (!r || r->code != WHELK_OK) {
            expect_as_before(before);
            failed++;
        }
        wk_snapshot_unref(before);
        t.mem->fail_at = t.mem->count + 1 + rnd(200);
        (void)pairing_sync(&t, WK_MIRROR_PUSH);
        t.mem->fail_at = 0;
        t.mem->fail_forever = false;
        if (i % 4 == 3) {
            (void)pairing_sync(&t, WK_MIRROR_BOTH);
            sync_ok(WK_MIRROR_BOTH);
            pairing_expect_alike(&t);
        }
        if (i % 20 == 19)
            begin_anew();
    }
    cr_expect_gt(failed, 50);
}

Test(mirror_random, quotas_are_reached)
{
    int failed = 0;
    for (int i = 0; i < 800; i++) {
        struct wk_snapshot *before;
        struct wk_mirror_result *r;
        uint64_t bytes, inodes;
        some_changes();
        some_changes();
        cr_assert_eq(wk_vfs_snapshot(t.vfs, &before), 0);
        wk_vfs_usage(t.vfs, &bytes, &inodes);
        wk_vfs_limits(t.vfs)->inodes = inodes + rnd(6);
        wk_vfs_limits(t.vfs)->bytes = bytes + rnd(60);
        r = pairing_sync(&t, WK_MIRROR_PULL);
        if (r->code != WHELK_OK) {
            cr_assert_eq(r->code, WHELK_E_NOSPACE, "%s", r->text);
            expect_as_before(before);
            failed++;
        }
        wk_snapshot_unref(before);
        *wk_vfs_limits(t.vfs) = wk_vfs_limits_default();
        sync_ok(WK_MIRROR_BOTH);
        pairing_expect_alike(&t);
        if (i % 20 == 19)
            begin_anew();
    }
    cr_expect_gt(failed, 50);
}
