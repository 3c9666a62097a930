/* mirror_bench.c - what keeping a session's files and a host sandbox's in step costs
 *
 * usage: ALLOW_DANGEROUS_LOCAL_HOST=1 bench-mirror
 */
#define _GNU_SOURCE
#include "adapters/mirror/mirror.h"
#include "adapters/sandbox/sandbox.h"

#include <poll.h>
#include <stdio.h>
#include <time.h>

enum { FILES = 1000, SIZE = 10240, ROUNDS = 300 };

static const whelk_sandbox_kind *kind = &wk_host_kind;
static void *box;
static whelk_box_facts facts;
static uint32_t last_id;
static struct wk_vfs *vfs;
static struct wk_mirror *mirror;
static double own_ms; /* of the mirror, without the box's pump and the wait for it */

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int64_t wall(void *ctx)
{
    struct timespec t;
    (void)ctx;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- the box -------------------------------------------------------------------------------------- */

/* Sleeps until the box has something, and moves it. */
static void pump(void)
{
    int fds[8];
    short events[8];
    struct pollfd p[8];
    int64_t timeout;
    size_t n = kind->poll(box, fds, events, 8, &timeout);
    for (size_t i = 0; i < n; i++)
        p[i] = (struct pollfd){.fd = fds[i], .events = events[i]};
    (void)poll(p, n, 1000);
    (void)kind->pump(box);
}

static void on_text(void *ctx, const char *text)
{
    (void)ctx;
    fprintf(stderr, "%s\n", text);
}

static void on_notice(void *ctx, int notice, const char *text)
{
    (void)ctx, (void)notice, (void)text;
}

static int never(void *ctx)
{
    (void)ctx;
    return 0;
}

static bool open_box(void)
{
    whelk_sandbox_options o = {.size = sizeof o};
    whelk_opening with = {sizeof with, NULL, on_text, on_notice, never};
    facts = (whelk_box_facts){.size = sizeof facts};
    return kind->open(NULL, &o, &with, &box, &facts) == WHELK_OK;
}

static void on_closed(void *ctx)
{
    *(bool *)ctx = true;
}

static void on_failed(void *ctx, int code, const char *text)
{
    fprintf(stderr, "%d %s\n", code, text);
    on_closed(ctx);
}

static void sh(const char *script)
{
    static const whelk_process_events events = {.size = sizeof events, .closed = on_closed, .failed = on_failed};
    const char *argv[] = {"sh", "-c", script, NULL}, *env[] = {"PATH=/usr/bin:/bin", NULL};
    bool done = false;
    whelk_spec spec = {.size = sizeof spec, .argv = argv, .env = env, .cwd = facts.workspace, .uid = UINT32_MAX,
                       .gid = UINT32_MAX, .umask = 022};
    uint32_t id = ++last_id;
    if (kind->start(box, id, &spec, &events, &done) != WHELK_OK)
        return;
    (void)kind->pump(box);
    while (!done)
        pump();
    kind->forget(box, id);
}

/* ---- the session ---------------------------------------------------------------------------------- */

static const struct wk_cred root = {0};

static void write_file(const char *path, const char *bytes, size_t n)
{
    struct wk_vfile *f;
    if (wk_vfs_open(vfs, &root, NULL, wk_str_c(path), WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0644, &f) == 0) {
        (void)wk_vfile_pwrite(f, bytes, n, 0);
        wk_vfile_unref(f);
    }
}

static bool open_session(struct wk_mem *mem)
{
    struct wk_vfs_config c = {.hub = wk_vfs_hub_new(), .limits = wk_vfs_limits_default(), .now = wall};
    static const struct wk_mirror_pair pair = {"/ws", ""};
    struct wk_mirror_config mc = {.mem = mem, .kind = kind, .box = box, .pairs = &pair, .n_pairs = 1};
    if (!c.hub || wk_vfs_new(mem, &c, &vfs) || wk_vfs_mkdir(vfs, &root, NULL, WK_STR("/ws"), 0755))
        return false;
    wk_vfs_hub_unref(c.hub);
    mc.vfs = vfs;
    return wk_mirror_new(&mc, &mirror) == 0;
}

/* Milliseconds of a synchronisation. */
static double synchronise(enum wk_mirror_way way)
{
    uint64_t ticket;
    double begin = now_ms(), waited = 0;
    if (wk_mirror_begin(mirror, way, &root, &ticket))
        return 0;
    while (wk_mirror_step(mirror)) {
        double t = now_ms();
        (void)kind->pump(box);
        waited += now_ms() - t;
        if (!wk_mirror_step(mirror))
            break;
        t = now_ms();
        pump();
        waited += now_ms() - t;
    }
    double end = now_ms();
    struct wk_mirror_result *r = wk_mirror_take(mirror, ticket);
    if (!r || r->code || r->skipped.total)
        fprintf(stderr, "failed: %s\n", r ? r->text : "no result");
    wk_mirror_result_free(r);
    own_ms = end - begin - waited;
    return end - begin;
}

/* ---- figures -------------------------------------------------------------------------------------- */

static double median(double *v, size_t n)
{
    for (size_t i = 1; i < n; i++) /* few of them */
        for (size_t k = i; k && v[k] < v[k - 1]; k--) {
            double t = v[k];
            v[k] = v[k - 1];
            v[k - 1] = t;
        }
    return v[n / 2];
}

struct series {
    double all[ROUNDS], own[ROUNDS];
    size_t n;
};

static void note(struct series *s, double ms)
{
    s->all[s->n] = ms;
    s->own[s->n++] = own_ms;
}

static void show(const char *what, struct series *s)
{
    double all = median(s->all, s->n), own = median(s->own, s->n);
    printf("%-36s %8.3f ms, of them the mirror's own %.3f; 95 of 100 below %.3f\n", what, all, own,
           s->all[s->n * 95 / 100]);
}

static void one_each_way(void)
{
    static struct series push, pull, idle_push, idle_pull;
    for (int i = 0; i < ROUNDS; i++) {
        char path[64], script[64];
        snprintf(path, sizeof path, "/ws/f%d", i);
        snprintf(script, sizeof script, "echo %d > f%d", i, FILES - 1 - i);
        write_file(path, script, 10);
        note(&push, synchronise(WK_MIRROR_PUSH));
        sh(script);
        note(&pull, synchronise(WK_MIRROR_PULL));
        note(&idle_push, synchronise(WK_MIRROR_PUSH));
        note(&idle_pull, synchronise(WK_MIRROR_PULL));
    }
    show("one file changed: push", &push);
    show("one file changed: pull", &pull);
    show("nothing changed: push", &idle_push);
    show("nothing changed: pull", &idle_pull);
}

int main(void)
{
    static char bytes[SIZE];
    struct wk_mem *mem = wk_mem_new(SIZE_MAX);
    if (!mem || !open_box() || !open_session(mem))
        return 1;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (char)('a' + i % 26);
    for (int i = 0; i < FILES; i++) {
        char path[64];
        snprintf(path, sizeof path, "/ws/f%d", i);
        write_file(path, bytes, SIZE);
    }
    double ms = synchronise(WK_MIRROR_PUSH);
    printf("first push of %d of %d bytes     %8.1f ms, of them the mirror's own %.1f\n", FILES, SIZE, ms, own_ms);
    sh("sleep 0.1");
    one_each_way();
    sh("mkdir git; head -c 11484000 /dev/urandom | split -b 11000 -a 4 -d - git/");
    ms = synchronise(WK_MIRROR_PULL);
    printf("1,044 new files of 11 KB come back   %8.1f ms, of them the mirror's own %.1f\n", ms, own_ms);
    sh("rm -r git");
    ms = synchronise(WK_MIRROR_PULL);
    printf("… and are gone                       %8.1f ms, of them the mirror's own %.1f\n", ms, own_ms);
    kind->close(box, WHELK_DEFAULT);
    wk_mirror_free(mirror);
    wk_vfs_free(vfs);
    wk_mem_unref(mem);
    return 0;
}
