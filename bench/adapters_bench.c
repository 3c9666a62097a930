/* adapters_bench.c - what a host sandbox costs: commands, output, files, opening
 *
 * usage: ALLOW_DANGEROUS_LOCAL_HOST=1 adapters-bench [none | auto | bwrap | strict]
 */
#define _GNU_SOURCE
#include "adapters/sandbox/sandbox.h"

#include <poll.h>
#include <stdio.h>
#include <time.h>

static const whelk_sandbox_kind *kind = &wk_host_kind;
static void *box;
static whelk_box_facts facts;
static uint32_t last_id;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void until(const bool *flag)
{
    while (!*flag && kind->pump(box) == WHELK_OK && !*flag) {
        int fds[4];
        short events[4];
        struct pollfd p[4];
        int64_t timeout;
        size_t n = kind->poll(box, fds, events, 4, &timeout);
        for (size_t i = 0; i < n; i++)
            p[i] = (struct pollfd){.fd = fds[i], .events = events[i]};
        (void)poll(p, n, 10000);
    }
}

static void on_text(void *ctx, const char *text)
{
    (void)ctx;
    fprintf(stderr, "%s\n", text);
}

static void on_notice(void *ctx, int notice, const char *text)
{
    (void)ctx;
    (void)notice;
    (void)text;
}

static int never(void *ctx)
{
    (void)ctx;
    return 0;
}

static bool open_box(const char *isolation)
{
    whelk_sandbox_options o = {.size = sizeof o, .isolation = isolation};
    whelk_opening with = {sizeof with, NULL, on_text, on_notice, never};
    facts = (whelk_box_facts){.size = sizeof facts};
    return kind->open(NULL, &o, &with, &box, &facts) == WHELK_OK;
}

struct run {
    uint32_t id;
    bool closed;
    uint64_t bytes;
};

static void on_output(void *ctx, int stream, const void *p, size_t n)
{
    struct run *r = ctx;
    (void)p;
    r->bytes += n;
    kind->welcome(box, r->id, stream, n);
}

static void on_closed(void *ctx)
{
    ((struct run *)ctx)->closed = true;
}

static void on_failed(void *ctx, int code, const char *text)
{
    fprintf(stderr, "%d %s\n", code, text);
    on_closed(ctx);
}

static uint64_t run(const char *const *argv)
{
    static const whelk_process_events events = {
        .size = sizeof events, .output = on_output, .closed = on_closed, .failed = on_failed};
    const char *env[] = {"PATH=/usr/bin:/bin", NULL};
    struct run r = {.id = ++last_id};
    whelk_spec spec = {.size = sizeof spec, .argv = argv, .env = env, .cwd = facts.workspace, .uid = UINT32_MAX,
                       .gid = UINT32_MAX, .umask = 022};
    if (kind->start(box, r.id, &spec, &events, &r) != WHELK_OK)
        return 0;
    kind->welcome(box, r.id, 1, 1 << 20);
    kind->welcome(box, r.id, 2, 1 << 20);
    until(&r.closed);
    kind->forget(box, r.id);
    return r.bytes;
}

static uint64_t sh(const char *script)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    return run(argv);
}

/* ---- files ----------------------------------------------------------------------------------------- */

struct request {
    bool done;
    size_t entries, bytes, waiting;
};

static void on_entry(void *ctx, const whelk_file_entry *e)
{
    (void)e;
    ((struct request *)ctx)->entries++;
}

static void on_data(void *ctx, const void *p, size_t n)
{
    (void)p;
    ((struct request *)ctx)->bytes += n;
}

static void on_done(void *ctx, int code, uint64_t size, const char *text)
{
    struct request *r = ctx;
    (void)size;
    if (code)
        fprintf(stderr, "%d %s\n", code, text);
    r->done = --r->waiting == 0;
}

static const whelk_file_events file_events = {sizeof file_events, on_entry, on_data, on_done};

static void ask(struct request *r, const whelk_file_request *q)
{
    r->waiting++;
    r->done = false;
    while (kind->file(box, q, &file_events, r) == WHELK_E_AGAIN)
        (void)kind->pump(box);
}

static double median(double *v, size_t n, double *p95)
{
    for (size_t i = 1; i < n; i++) /* few of them */
        for (size_t k = i; k && v[k] < v[k - 1]; k--) {
            double t = v[k];
            v[k] = v[k - 1];
            v[k - 1] = t;
        }
    *p95 = v[n * 95 / 100];
    return v[n / 2];
}

static void measure_commands(void)
{
    enum { N = 400 };
    static double v[N];
    const char *argv[] = {"true", NULL};
    double p95;
    for (int i = 0; i < N; i++) {
        double t = now_ms();
        (void)run(argv);
        v[i] = now_ms() - t;
    }
    double m = median(v, N, &p95);
    printf("true                     %8.2f ms  (95 of 100: %.2f)\n", m, p95);
    for (int i = 0; i < 50; i++) {
        double t = now_ms();
        (void)sh("true");
        v[i] = now_ms() - t;
    }
    m = median(v, 50, &p95);
    printf("sh -c true               %8.2f ms  (95 of 100: %.2f)\n", m, p95);
    double t = now_ms();
    uint64_t n = sh("head -c 104857600 /dev/zero");
    t = now_ms() - t;
    printf("100 MiB of output        %8.1f ms  (%.0f MB/s)\n", t, (double)n / 1e3 / t);
}

static void measure_scan(int n)
{
    char script[256];
    snprintf(script, sizeof script,
             "rm -rf t; mkdir t; cd t; seq 1 %d | while read i; do echo $i >f$i; done; sleep 0.1", n);
    (void)sh(script);
    whelk_file_request q = {.size = sizeof q, .op = WHELK_FILE_CHANGES, .path = ""};
    for (int i = 0; i < 4; i++) {
        struct request r = {0};
        if (i == 3)
            (void)sh("cd t; echo x >f7; rm f8; echo y >new");
        double t = now_ms();
        ask(&r, &q);
        until(&r.done);
        printf("changes of %5d%-9s %8.2f ms  (%zu told)\n", n, i == 0 ? ", first" : i == 3 ? ", 3 made" : "",
               now_ms() - t, r.entries);
    }
}

static void measure_files(void)
{
    enum { N = 1000, SIZE = 10240 };
    static char bytes[SIZE];
    char path[64];
    struct request r = {0};
    whelk_file_request q = {
        .size = sizeof q, .op = WHELK_FILE_MAKE_DIR, .path = "put", .mode = 0755, .mtime_ns = INT64_MIN};
    ask(&r, &q);
    until(&r.done);
    double t = now_ms();
    for (int i = 0; i < N; i++) {
        snprintf(path, sizeof path, "put/f%d", i);
        q = (whelk_file_request){.size = sizeof q, .op = WHELK_FILE_PUT, .path = path, .mode = 0644, .data = bytes,
                                 .length = SIZE, .mtime_ns = 1700000000000000000};
        ask(&r, &q);
    }
    until(&r.done);
    printf("put 1,000 of 10 KB       %8.1f ms\n", now_ms() - t);
    struct request scan = {0};
    q = (whelk_file_request){.size = sizeof q, .op = WHELK_FILE_CHANGES, .path = "put"};
    t = now_ms();
    ask(&scan, &q);
    until(&scan.done);
    printf("changes after that       %8.2f ms\n", now_ms() - t);
    t = now_ms();
    for (int i = 0; i < N; i++) {
        snprintf(path, sizeof path, "put/f%d", i);
        q = (whelk_file_request){.size = sizeof q, .op = WHELK_FILE_GET, .path = path, .length = UINT64_MAX};
        ask(&r, &q);
    }
    until(&r.done);
    printf("get 1,000 of 10 KB       %8.1f ms  (%zu bytes)\n", now_ms() - t, r.bytes);
    q = (whelk_file_request){.size = sizeof q, .op = WHELK_FILE_LIST, .path = "", .depth = 9};
    t = now_ms();
    r = (struct request){0};
    ask(&r, &q);
    until(&r.done);
    printf("list of %zu            %8.2f ms\n", r.entries, now_ms() - t);
}

int main(int argc, char **argv)
{
    const char *isolation = argc > 1 ? argv[1] : NULL;
    enum { N = 40 };
    static double up[N], down[N];
    double p95;
    for (int i = 0; i < N; i++) {
        double t = now_ms();
        if (!open_box(isolation))
            return 1;
        up[i] = now_ms() - t;
        t = now_ms();
        kind->close(box, WHELK_DEFAULT);
        down[i] = now_ms() - t;
    }
    double m = median(up, N, &p95);
    printf("open                     %8.2f ms  (95 of 100: %.2f)\n", m, p95);
    m = median(down, N, &p95);
    printf("close                    %8.2f ms  (95 of 100: %.2f)\n", m, p95);
    if (!open_box(isolation))
        return 1;
    measure_commands();
    measure_scan(1000);
    measure_scan(10000);
    measure_files();
    kind->close(box, WHELK_DEFAULT);
    return 0;
}
