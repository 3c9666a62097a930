/* sandboxes_bench.c - what the calls of a sandbox cost, of any kind: commands, output with and without secrets
 *
 * ALLOW_DANGEROUS_LOCAL_HOST=1 bench-sandboxes [KIND [IMAGE]]   (host if left out)
 */
#define _GNU_SOURCE
#include "whelk/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TIMES = 300 };

static whelk_sandbox *box;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void run(const whelk_sandbox_request *q, double *ms, unsigned long long *bytes)
{
    whelk_sandbox_result *r;
    double begun = now_ms();
    if (whelk_sandbox_exec_with(box, q, &r) != WHELK_OK || r->outcome != WHELK_OUTCOME_EXITED) {
        fprintf(stderr, "%s\n", whelk_sandbox_error(box));
        exit(1);
    }
    *ms = now_ms() - begun;
    *bytes = (unsigned long long)r->out_total;
    whelk_sandbox_result_free(r);
}

static void measure_command(const char *name, const char *script, const char *program)
{
    double t[TIMES];
    unsigned long long bytes;
    whelk_sandbox_request q;
    whelk_sandbox_request_init(&q);
    q.script = script;
    q.argv = program ? &program : NULL;
    q.n_argv = program ? 1 : 0;
    for (int i = 0; i < TIMES; i++)
        run(&q, &t[i], &bytes);
    qsort(t, TIMES, sizeof t[0], by_size);
    printf("%-28s %8.2f ms  (95 of 100: %.2f)\n", name, t[TIMES / 2], t[TIMES * 95 / 100]);
}

static size_t heard;

static void hear(void *ctx, int stream, const char *p, size_t n)
{
    (void)ctx, (void)stream, (void)p;
    heard += n;
}

static void measure_output(const char *name, const char *script, int told, int detachable)
{
    whelk_sandbox_request q;
    double ms;
    unsigned long long bytes;
    whelk_sandbox_request_init(&q);
    q.script = script;
    q.on_output = told ? hear : NULL;
    q.detach_on_timeout = detachable;
    run(&q, &ms, &bytes);
    printf("%-28s %8.0f MB/s\n", name, (double)bytes / 1e3 / ms);
}

static void measure(const char *kind, const char *image, const whelk_secret *secret)
{
    static const char text[] = "yes abcdefghijklmnopqrstuvwxyz0123456789 | head -c 100000000";
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    o.image = image;
    o.pull = image ? "never" : NULL;
    o.background = image ? WHELK_YES : WHELK_DEFAULT;
    o.secrets = secret;
    o.n_secrets = secret ? 1 : 0;
    double begun = now_ms();
    if (whelk_sandbox_open(kind, &o, &box) != WHELK_OK) {
        fprintf(stderr, "%s\n", whelk_sandbox_error(box));
        exit(1);
    }
    printf("%s\n%-28s %8.1f ms\n", secret ? "with a secret" : kind, "open", now_ms() - begun);
    measure_command("true", NULL, "true");
    measure_command("script true", "true", NULL);
    measure_output("100 MB", text, 0, 0);
    measure_output("100 MB, told", text, 1, 0);
    measure_output("100 MB, that may go on", text, 0, 1);
    begun = now_ms();
    whelk_sandbox_close(box);
    printf("%-28s %8.1f ms\n", "close", now_ms() - begun);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "host", *image = argc > 2 ? argv[2] : NULL;
    const whelk_secret secret = {.size = sizeof secret, .name = "TOKEN", .value = "abcdefghijklmnop-secret"};
    measure(kind, image, NULL);
    measure(kind, image, &secret);
    return 0;
}
