/* sessions_bench.c - what sessions cost: opened, used and closed one after the other; and held open
 * all at once after a run each
 *
 * bench-sessions [COUNT]   (10000 if left out)
 */
#define _GNU_SOURCE
#include "base/num.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <whelk.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Resident memory of the process in KiB, 0 if the system does not say. */
static long resident_kib(void)
{
    long all, kept = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f)
        return 0;
    if (fscanf(f, "%ld %ld", &all, &kept) != 2)
        kept = 0;
    (void)fclose(f);
    return kept * 4;
}

static whelk_session *used_session(whelk_runtime *rt, const char *script)
{
    whelk_session *s;
    const whelk_result *r;
    if (whelk_session_open(rt, NULL, &s) != WHELK_OK)
        return NULL;
    if (whelk_exec(s, script, &r) != WHELK_OK || r->status != 0 || strcmp(r->out, "hi\n") != 0) {
        whelk_session_close(s);
        return NULL;
    }
    return s;
}

static int one_by_one(whelk_runtime *rt, const char *script, int count)
{
    long early = 0;
    double start = now();
    for (int i = 0; i < count; i++) {
        whelk_session *s = used_session(rt, script);
        if (!s)
            return fprintf(stderr, "session %d failed\n", i), 1;
        whelk_session_close(s);
        if (i == count / 10)
            early = resident_kib();
    }
    double took = now() - start;
    printf("%-28s one by one: %7.1f us each, resident %ld KiB, growth after a tenth %ld KiB\n",
           script, took / count * 1e6, resident_kib(), resident_kib() - early);
    return 0;
}

static int all_at_once(whelk_runtime *rt, const char *script, int count)
{
    whelk_session **all = calloc((size_t)count, sizeof(whelk_session *));
    if (!all)
        return 1;
    (void)malloc_trim(0); /* what the turn before left in the allocator would hide the growth */
    int opened = 0;
    long before = resident_kib();
    double start = now();
    while (opened < count && (all[opened] = used_session(rt, script)))
        opened++;
    double took = now() - start;
    long grown = resident_kib() - before;
    printf("%-28s %d at once: %7.1f us each, resident %ld KiB = %.2f KiB each\n", script, opened,
           took / (opened ? opened : 1) * 1e6, grown, (double)grown / (opened ? opened : 1));
    for (int i = 0; i < opened; i++)
        whelk_session_close(all[i]);
    free(all);
    return opened != count;
}

int main(int argc, char **argv)
{
    int64_t count = 10000;
    if (argc > 1 && (wk_parse_i64(wk_str_c(argv[1]), 10, &count) != 0 || count < 10 || count > 1000000)) {
        fprintf(stderr, "usage: bench-sessions [COUNT]\n");
        return 2;
    }
    static const char *const scripts[] = {
        "echo hi",
        "x=$(echo hi); echo $x",
        "echo hi | cat",
        "f() { echo $1; }; f hi > a; cat a",
    };
    whelk_runtime *rt;
    int r = 0;
    if (whelk_runtime_new(NULL, &rt) != WHELK_OK)
        return 1;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        r |= one_by_one(rt, scripts[i], (int)count);
        r |= all_at_once(rt, scripts[i], (int)count);
    }
    if (whelk_runtime_free(rt) != WHELK_OK)
        r = 1;
    return r;
}
