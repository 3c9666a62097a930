/* test_limits.c - every limit ends a run with its kind, its message and what was printed so far,
 * and leaves the session usable */
#include "api_session.h"

#include <stdio.h>
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static struct api_session with(const whelk_limits *l)
{
    whelk_session_options o;
    whelk_session_options_init(&o);
    o.limits = l;
    return api_open(&o);
}

static void stops(struct api_session *a, const char *script, int limit)
{
    const whelk_result *r = api_run(a, script);
    cr_expect_eq(r->stop, WHELK_STOP_LIMIT, "%s: stop %d status %d stderr %.200s", script, r->stop,
                 r->status, r->err);
    cr_expect_eq(r->limit, limit, "%s: limit %s", script, whelk_limit_name(r->limit));
    cr_expect(strstr(r->err, "limit") != NULL, "%s: stderr %.200s", script, r->err);
    api_expect(a, "echo usable", "usable\n", 0);
}

Test(limits, steps)
{
    whelk_limits l = {.size = sizeof l, .steps = 100000};
    struct api_session a = with(&l);
    stops(&a, "while :; do :; done", WHELK_LIMIT_STEPS);
    stops(&a, "echo kept; while true; do x=1; done", WHELK_LIMIT_STEPS);
    api_close(&a);
}

Test(limits, partial_output_survives)
{
    whelk_limits l = {.size = sizeof l, .steps = 100000};
    struct api_session a = with(&l);
    const whelk_result *r = api_run(&a, "echo kept; while :; do :; done");
    cr_expect_str_eq(r->out, "kept\n");
    api_close(&a);
}

Test(limits, time)
{
    whelk_limits l = {.size = sizeof l, .time_ns = 100000000};
    struct api_session a = with(&l);
    stops(&a, "while :; do :; done", WHELK_LIMIT_TIME);
    stops(&a, "sleep 1000", WHELK_LIMIT_TIME);
    stops(&a, "yes > /dev/null", WHELK_LIMIT_TIME);
    stops(&a, "seq 1 1000000000000 | wc -l", WHELK_LIMIT_TIME);
    stops(&a, "mkfifo p; cat p", WHELK_LIMIT_TIME);
    api_close(&a);
}

Test(limits, memory)
{
    whelk_limits l = {.size = sizeof l, .memory_bytes = 64 << 20, .time_ns = INT64_C(60000000000)};
    struct api_session a = with(&l);
    stops(&a, "x=aaaaaaaa; while :; do x=$x$x; done", WHELK_LIMIT_MEMORY);
    stops(&a, "a=(); while :; do a+=(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx); done",
          WHELK_LIMIT_MEMORY);
    api_close(&a);
}

/* Small values fill the memory to the last bytes: a command can still be run, and give it back. */
Test(limits, memory_filled_by_small_values)
{
    whelk_limits l = {.size = sizeof l, .memory_bytes = 8 << 20, .time_ns = INT64_C(60000000000)};
    for (int i = 0; i < 8; i++) {
        struct api_session a = with(&l);
        char script[128];
        snprintf(script, sizeof script, "declare -A h; x=%.*s; while :; do h[k$((n++))]=$x; done", i * 3 + 1,
                 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
        stops(&a, script, WHELK_LIMIT_MEMORY);
        const whelk_result *r = api_run(&a, "unset h; y=$(printf %100000s x); echo ${#y}");
        cr_expect_str_eq(r->out, "100000\n");
        api_close(&a);
    }
}

Test(limits, output)
{
    whelk_limits l = {.size = sizeof l, .output_bytes = 10000};
    struct api_session a = with(&l);
    stops(&a, "yes", WHELK_LIMIT_OUTPUT);
    const whelk_result *r = api_run(&a, "while :; do echo 0123456789; done");
    cr_expect_gt(r->out_len, 8000);
    api_close(&a);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DEPTH_DISABLED .disabled = 1 /* its table of calls holds 65,536 */
#endif
#endif
#ifndef DEPTH_DISABLED
#define DEPTH_DISABLED .disabled = 0
#endif

Test(limits, depth, DEPTH_DISABLED)
{
    struct api_session a = with(NULL);
    stops(&a, "f() { f; }; f", WHELK_LIMIT_DEPTH);
    stops(&a, "f() { eval f; }; f", WHELK_LIMIT_DEPTH);
    stops(&a, "echo '. /tmp/s' > /tmp/s; . /tmp/s", WHELK_LIMIT_DEPTH);
    stops(&a, "f() { x=$(f); }; f", WHELK_LIMIT_DEPTH);
    api_expect(&a, "f() { (($1)) && f $(($1 - 1)) || echo end; }; f 60", "end\n", 0);
    api_close(&a);
}

Test(limits, fork_bomb)
{
    whelk_limits l = {.size = sizeof l, .tasks = 64, .time_ns = INT64_C(2000000000)};
    struct api_session a = with(&l);
    const whelk_result *r = api_run(&a, "b() { b | b; }; b");
    cr_expect(strstr(r->err, "Resource temporarily unavailable") || r->stop == WHELK_STOP_LIMIT,
              "%.200s", r->err);
    api_expect(&a, "echo usable", "usable\n", 0);
    r = api_run(&a, "b() { b & b & wait; }; b; echo end");
    cr_expect_eq(r->stop, WHELK_STOP_LIMIT);
    cr_expect_eq(r->limit, WHELK_LIMIT_TASKS);
    cr_expect_eq(r->status, 125);
    cr_expect_str_eq(r->out, "");
    api_expect(&a, "echo usable", "usable\n", 0);
    r = api_run(&a, ":(){ :|:& };: ; wait"); /* goes off in the turn that ready jobs have at the end */
    if (r->stop != WHELK_STOP_LIMIT) /* or behind it, where ten milliseconds are too short for that */
        r = api_run(&a, "sleep 5; echo over");
    cr_expect_eq(r->limit, WHELK_LIMIT_TASKS);
    api_expect(&a, "echo usable; jobs", "usable\n", 0);
    api_run(&a, ":(){ :|:& }; { sleep 0.05; : ; } &");
    r = api_run(&a, "sleep 5; echo over"); /* the bomb that the run before left behind */
    cr_expect_eq(r->stop, WHELK_STOP_LIMIT);
    cr_expect_eq(r->limit, WHELK_LIMIT_TASKS);
    api_expect(&a, "echo usable; jobs", "usable\n", 0);
    api_close(&a);
}

Test(limits, braces)
{
    whelk_limits l = {.size = sizeof l, .memory_bytes = 64 << 20};
    struct api_session a = with(&l);
    const whelk_result *r = api_run(&a, "echo {1..999999999}");
    cr_expect_neq(r->status, 0);
    cr_expect_eq(r->out_len, 0);
    api_expect(&a, "echo usable", "usable\n", 0);
    api_close(&a);
}

struct canceller {
    whelk_session *s;
    useconds_t after;
};

static void *cancel_later(void *arg)
{
    struct canceller *c = arg;
    usleep(c->after);
    whelk_cancel(c->s);
    return NULL;
}

Test(limits, cancel_from_another_thread)
{
    struct api_session a = with(NULL);
    const char *scripts[] = {"while :; do :; done", "sleep 1000", "yes | cat > /dev/null",
                             "read x < <(sleep 1000)"};
    for (size_t i = 0; i < 4; i++) {
        struct canceller c = {a.s, 30000};
        pthread_t t;
        cr_assert_eq(pthread_create(&t, NULL, cancel_later, &c), 0);
        const whelk_result *r = api_run(&a, scripts[i]);
        pthread_join(t, NULL);
        cr_expect_eq(r->stop, WHELK_STOP_CANCEL, "%s: stop %d", scripts[i], r->stop);
        cr_expect_lt(r->wall_ns, INT64_C(5000000000));
        api_expect(&a, "echo usable", "usable\n", 0);
    }
    api_close(&a);
}

static void *small_stack(void *arg)
{
    struct api_session *a = arg;
    whelk_exec(a->s, "f() { f; }; f; echo $(echo $(echo deep))", &a->r);
    whelk_exec(a->s, "f() { (($1)) && f $(($1 - 1)) || echo end; }; f 3000", &a->r);
    return NULL;
}

Test(limits, host_thread_with_64_kib, DEPTH_DISABLED)
{
    struct api_session a = with(NULL);
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
#if defined(__SANITIZE_ADDRESS__)
    pthread_attr_setstacksize(&attr, 512 * 1024);
#else
    pthread_attr_setstacksize(&attr, 64 * 1024);
#endif
    cr_assert_eq(pthread_create(&t, &attr, small_stack, &a), 0);
    pthread_join(t, NULL);
    cr_expect_str_eq(a.r->out, "end\n");
    pthread_attr_destroy(&attr);
    api_close(&a);
}

struct worker {
    whelk_runtime *rt;
    int failures;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    for (int i = 0; i < 20; i++) {
        whelk_session *s;
        const whelk_result *r;
        if (whelk_session_open(w->rt, NULL, &s) != WHELK_OK ||
            whelk_exec(s,
                       "for i in {1..50}; do echo $i | cat; done | wc -l; x=$(echo a); echo $x > f",
                       &r) != WHELK_OK ||
            strcmp(r->out, "50\n") != 0)
            w->failures++;
        whelk_session_close(s);
    }
    return NULL;
}

Test(limits, two_sessions_on_two_threads)
{
    struct worker w[2] = {{0}};
    pthread_t t[2];
    whelk_runtime *rt;
    cr_assert_eq(whelk_runtime_new(NULL, &rt), WHELK_OK);
    for (int i = 0; i < 2; i++) {
        w[i].rt = rt;
        cr_assert_eq(pthread_create(&t[i], NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], NULL);
        cr_expect_eq(w[i].failures, 0);
    }
    cr_expect_eq(whelk_runtime_free(rt), WHELK_OK);
}
