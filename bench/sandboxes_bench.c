/* sandboxes_bench.c - what a sandbox and commands delegated to it cost
 *
 * usage: bench-sandboxes KIND [IMAGE [ENDPOINT [MEGABYTES]]]
 * Prints one row a figure: its name, its value, its unit, and the goal where there is one.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "whelk/delegate.h"

enum { TURNS = 200, OPENINGS = 10, FILES = 1000, FILE_BYTES = 10240 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void row(const char *name, double value, const char *unit, const char *goal)
{
    printf("%-44s %10.2f %-5s %s\n", name, value, unit, goal);
    fflush(stdout);
}

static void rows(const char *name, double *v, size_t n, const char *goal)
{
    char label[80];
    qsort(v, n, sizeof *v, by_size);
    snprintf(label, sizeof label, "%s, median", name);
    row(label, v[n / 2], "ms", goal);
    snprintf(label, sizeof label, "%s, 95th of a hundred", name);
    row(label, v[n * 95 / 100], "ms", "");
}

static _Noreturn void give_up(const char *what, const char *why)
{
    fprintf(stderr, "bench-sandboxes: %s: %s\n", what, why);
    exit(1);
}

static whelk_sandbox *open_box(const char *kind, const whelk_sandbox_options *o)
{
    whelk_sandbox *box = NULL;
    if (whelk_sandbox_open(kind, o, &box) != WHELK_OK)
        give_up("open", box ? whelk_sandbox_error(box) : "no memory");
    return box;
}

/* ---- a sandbox by itself ------------------------------------------------------------------------ */

static void bench_open(const char *kind, const whelk_sandbox_options *o)
{
    double open[OPENINGS], close[OPENINGS];
    for (int i = 0; i < OPENINGS; i++) {
        double start = now_ms();
        whelk_sandbox *box = open_box(kind, o);
        double opened = now_ms();
        whelk_sandbox_close(box);
        open[i] = opened - start;
        close[i] = now_ms() - opened;
    }
    rows("open", open, OPENINGS, "100 + the engine's create and start");
    rows("close", close, OPENINGS, "");
}

static void bench_true(whelk_sandbox *box)
{
    const char *argv[] = {"true"};
    whelk_sandbox_request r;
    double took[TURNS];
    whelk_sandbox_request_init(&r);
    r.argv = argv;
    r.n_argv = 1;
    for (int i = 0; i < TURNS; i++) {
        whelk_sandbox_result *result;
        double start = now_ms();
        if (whelk_sandbox_exec_with(box, &r, &result) != WHELK_OK || result->exit_code != 0)
            give_up("true", whelk_sandbox_error(box));
        took[i] = now_ms() - start;
        whelk_sandbox_result_free(result);
    }
    rows("exec of true", took, TURNS, "");
}

static void count_bytes(void *ctx, int stream, const char *data, size_t n)
{
    (void)stream;
    (void)data;
    *(uint64_t *)ctx += n;
}

static void bench_output(whelk_sandbox *box, unsigned megabytes)
{
    char size[32], label[64];
    const char *argv[] = {"head", "-c", size, "/dev/zero"};
    uint64_t seen = 0;
    whelk_sandbox_request r;
    whelk_sandbox_result *result;
    snprintf(size, sizeof size, "%llu", (unsigned long long)megabytes * 1000000);
    whelk_sandbox_request_init(&r);
    r.argv = argv;
    r.n_argv = 4;
    r.on_output = count_bytes;
    r.ctx = &seen;
    r.timeout_ms = -1;
    double start = now_ms();
    if (whelk_sandbox_exec_with(box, &r, &result) != WHELK_OK || seen != (uint64_t)megabytes * 1000000)
        give_up("output", whelk_sandbox_error(box));
    snprintf(label, sizeof label, "output of %u MB", megabytes);
    row(label, (double)megabytes / ((now_ms() - start) / 1e3), "MB/s", "100");
    whelk_sandbox_result_free(result);
}

/* ---- commands of a session ----------------------------------------------------------------------- */

static void run(whelk_session *s, const char *script)
{
    const whelk_result *r;
    if (whelk_exec(s, script, &r) != WHELK_OK || r->status != 0)
        give_up(script, r ? r->err : "refused");
}

static void bench_script(whelk_session *s, const char *name, const char *script, const char *goal)
{
    double took[TURNS];
    for (int i = 0; i < TURNS; i++) {
        double start = now_ms();
        run(s, script);
        took[i] = now_ms() - start;
    }
    rows(name, took, TURNS, goal);
}

static void make_files(whelk_session *s)
{
    static char bytes[FILE_BYTES];
    char name[32];
    memset(bytes, 'x', sizeof bytes);
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "f%d", i);
        if (whelk_write_file(s, name, bytes, sizeof bytes, 0644) != WHELK_OK)
            give_up("write", whelk_session_error(s));
    }
}

static void bench_delegation(whelk_sandbox *box, unsigned megabytes)
{
    static const char *const names[] = {"uname", "cp", "head"};
    char script[128], label[64];
    whelk_runtime *rt;
    whelk_session *s;
    whelk_delegate d;
    whelk_delegate_init(&d);
    d.box = box;
    d.commands = names;
    d.n_commands = 3;
    if (whelk_runtime_new(NULL, &rt) || whelk_session_open(rt, NULL, &s) || whelk_session_delegate(s, &d))
        give_up("session", "refused");
    run(s, "uname >/dev/null");
    bench_script(s, "delegated command", "uname >/dev/null", "5 host, 10 docker");
    make_files(s);
    double start = now_ms();
    run(s, "uname >/dev/null");
    row("first with 1,000 new files of 10 KiB", now_ms() - start, "ms", "");
    bench_script(s, "with 1,000 files", "uname >/dev/null", "");
    bench_script(s, "one of 1,000 changed each way", "echo $RANDOM >f1; cp f1 out", "10 host, 20 docker above");
    snprintf(script, sizeof script, "head -c %u000000 /dev/zero | wc -c >/dev/null", megabytes);
    start = now_ms();
    run(s, script);
    snprintf(label, sizeof label, "delegated output of %u MB", megabytes);
    row(label, (double)megabytes / ((now_ms() - start) / 1e3), "MB/s", "100");
    whelk_session_close(s);
    whelk_runtime_free(rt);
}

int main(int argc, char **argv)
{
    whelk_sandbox_options o;
    unsigned megabytes = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 100;
    if (argc < 2) {
        fputs("usage: bench-sandboxes KIND [IMAGE [ENDPOINT [MEGABYTES]]]\n", stderr);
        return 2;
    }
    whelk_sandbox_options_init(&o);
    if (argc > 2 && *argv[2])
        o.image = argv[2];
    if (argc > 3 && *argv[3])
        o.endpoint = argv[3];
    bench_open(argv[1], &o);
    whelk_sandbox *box = open_box(argv[1], &o);
    bench_true(box);
    bench_output(box, megabytes);
    if (strcmp(argv[1], "inprocess") != 0)
        bench_delegation(box, megabytes);
    whelk_sandbox_close(box);
    return 0;
}
