/* base_bench.c - times of base/, in nanoseconds an operation (megabytes a second where bytes count)
 *
 * cmake --build build/release --target bench-base && build/release/bench-base
 */
#define _POSIX_C_SOURCE 200809L
#include "base/fnum.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/num.h"
#include "base/rng.h"
#include "base/sha2.h"
#include "base/sort.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void report(const char *what, double start, double count)
{
    printf("%-28s %10.1f ns\n", what, (now() - start) / count);
}

static void report_mb(const char *what, double start, double bytes)
{
    printf("%-28s %10.0f MB/s\n", what, bytes / (now() - start) * 1e3);
}

static void floats(struct wk_mem *m)
{
    enum { N = 200000 };
    struct wk_rng r;
    struct wk_buf b;
    struct wk_fnum g = {.conv = 'g', .precision = 6}, f = {.conv = 'f', .precision = 2};
    static double v[N];
    static char text[N][32];
    double t, d;
    char digits[17], host[64];
    int e;
    wk_rng_seed(&r, 1);
    wk_buf_init(&b, m, 1 << 20);
    for (size_t i = 0; i < N; i++) {
        v[i] = (double)(int64_t)wk_rng_next(&r) / (double)(1 + wk_rng_below(&r, 1000000)) / 1e9;
        snprintf(text[i], sizeof text[i], "%.*g", i % 2 ? 6 : 17, v[i]);
    }
    t = now();
    for (size_t i = 0; i < N; i++) {
        wk_buf_reset(&b);
        wk_buf_put_double(&b, v[i], &g);
    }
    report("double to %g", t, N);
    t = now();
    for (size_t i = 0; i < N; i++)
        snprintf(host, sizeof host, "%.6g", v[i]);
    report("  C library", t, N);
    t = now();
    for (size_t i = 0; i < N; i++) {
        wk_buf_reset(&b);
        wk_buf_put_ldouble(&b, (long double)v[i], &f);
    }
    report("long double to %.2f", t, N);
    t = now();
    for (size_t i = 0; i < N; i++)
        wk_double_shortest(v[i], digits, &e);
    report("double to shortest", t, N);
    t = now();
    for (size_t i = 1; i < N; i += 2)
        (void)!wk_parse_double(wk_str_c(text[i]), &d);
    report("parse double, 6 digits", t, N / 2);
    t = now();
    for (size_t i = 0; i < N; i += 2)
        (void)!wk_parse_double(wk_str_c(text[i]), &d);
    report("parse double, 17 digits", t, N / 2);
    t = now();
    for (size_t i = 0; i < N; i += 2)
        d += strtod(text[i], NULL);
    report("  C library", t, N / 2);
    wk_buf_release(&b);
}

static int by_value(void *ctx, const void *a, const void *b)
{
    const uint64_t *x = *(const uint64_t *const *)a, *y = *(const uint64_t *const *)b;
    (void)ctx;
    return *x < *y ? -1 : *x > *y;
}

static void tables(struct wk_mem *m)
{
    enum { N = 500000 };
    static char keys[N][16];
    static size_t len[N];
    static uint64_t values[N];
    static uint64_t *order[N];
    struct wk_map map;
    struct wk_rng r;
    double t;
    size_t sum = 0;
    wk_rng_seed(&r, 1);
    for (size_t i = 0; i < N; i++) {
        len[i] = (size_t)snprintf(keys[i], sizeof keys[i], "key%zu", i);
        values[i] = wk_rng_next(&r);
        order[i] = &values[i];
    }
    wk_map_init(&map, m, 7, false);
    t = now();
    for (size_t i = 0; i < N; i++)
        (void)!wk_map_set(&map, wk_str(keys[i], len[i]), &keys[i]);
    report("map put, 500k keys", t, N);
    t = now();
    for (size_t i = 0; i < N; i++)
        sum += wk_map_get(&map, wk_str(keys[i], len[i])) != NULL;
    report("map get, 500k keys", t, N);
    wk_map_release(&map);
    t = now();
    for (size_t k = 0; k < 1000; k++)
        for (size_t i = 0; i < 500; i++)
            sum += wk_hash64(k, wk_str(keys[i], len[i]));
    report("hash of 5 bytes", t, 500000);
    struct wk_sort how = {.cmp = by_value};
    t = now();
    (void)!wk_sort(m, order, N, sizeof order[0], &how);
    report("sort 500k pointers", t, N);
    if (sum == 0)
        puts("");
}

static void bytes(void)
{
    enum { N = 1 << 24 };
    char *p = malloc(N);
    struct wk_sha2 s;
    unsigned char out[WK_SHA2_MAX];
    size_t sum = 0;
    double t;
    if (!p)
        return;
    memset(p, 'a', N);
    t = now();
    sum += wk_utf8_count(wk_str(p, N));
    report_mb("count ASCII", t, N);
    for (size_t i = 0; i + 8 < N; i += 8)
        memcpy(p + i, "a\xc3\xa9\xe4\xb8\xad\x62\x63", 8);
    t = now();
    sum += wk_utf8_count(wk_str(p, N));
    report_mb("count mixed UTF-8", t, N);
    t = now();
    sum += wk_hash64(1, wk_str(p, N));
    report_mb("hash64", t, N);
    for (int k = 0; k < 4; k += 1) {
        wk_sha2_init(&s, (enum wk_sha2_kind)k);
        t = now();
        wk_sha2_add(&s, p, N);
        sum += wk_sha2_finish(&s, out);
        if (k % 2)
            report_mb(k == 1 ? "SHA-256" : "SHA-512", t, N);
    }
    free(p);
    if (sum == 0)
        puts("");
}

int main(void)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    if (!m)
        return 1;
    floats(m);
    tables(m);
    bytes();
    wk_mem_unref(m);
    return 0;
}
