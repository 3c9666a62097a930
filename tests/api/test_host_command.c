/* test_host_command.c - commands written by the host, and background jobs between runs */
#include "api_session.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void begin_add(void *ctx, whelk_call *c)
{
    char line[128];
    (void)ctx;
    size_t n = 0;
    for (size_t i = 1; i < whelk_call_argc(c); i++)
        n += strlen(whelk_call_arg(c, i));
    int len = snprintf(line, sizeof line, "%zu %s\n", n, whelk_call_cwd(c));
    whelk_call_write(c, 1, line, (size_t)len);
    whelk_call_complete(c, 7);
}

Test(host_command, completes_at_once)
{
    struct api_session a = api_open(NULL);
    whelk_command_ops ops = {.size = sizeof ops, .begin = begin_add};
    cr_assert_eq(whelk_command_add(a.s, "addlen", "adds lengths", &ops, NULL), WHELK_OK);
    api_expect(&a, "cd /tmp; type addlen; addlen ab cde; echo $?; x=$(addlen q); echo $x",
               "addlen is /usr/bin/addlen\n5 /tmp\n7\n1 /tmp\n", 0);
    api_expect(&a, "addlen a | cat; echo ${PIPESTATUS[@]}", "1 /tmp\n7 0\n", 0);
    cr_expect_eq(whelk_command_remove(a.s, "addlen"), WHELK_OK);
    api_run(&a, "addlen");
    cr_expect_eq(a.r->status, 127);
    api_close(&a);
}

static void on_input(void *ctx, whelk_call *c)
{
    char piece[64];
    ptrdiff_t n;
    while ((n = whelk_call_read(c, piece, sizeof piece)) > 0) {
        for (ptrdiff_t i = 0; i < n; i++)
            if (piece[i] >= 'a' && piece[i] <= 'z')
                piece[i] = (char)(piece[i] - 32);
        whelk_call_write(c, 1, piece, (size_t)n);
    }
    if (n == WHELK_E_AGAIN)
        whelk_call_on_ready(c, 0, on_input, ctx);
    else
        whelk_call_complete(c, 0);
}

static void begin_upper(void *ctx, whelk_call *c)
{
    on_input(ctx, c);
}

Test(host_command, streams_input)
{
    struct api_session a = api_open(NULL);
    whelk_command_ops ops = {.size = sizeof ops, .begin = begin_upper};
    cr_assert_eq(whelk_command_add(a.s, "upper", NULL, &ops, NULL), WHELK_OK);
    api_expect(&a, "printf 'one\\ntwo\\n' | upper | tail -n 1", "TWO\n", 0);
    api_expect(&a, "upper < /dev/null; echo $?", "0\n", 0);
    api_close(&a);
}

struct later {
    whelk_call *call;
    int cancelled;
};

static void begin_later(void *ctx, whelk_call *c)
{
    struct later *l = ctx;
    l->call = c;
}

static void cancelled(void *ctx, whelk_call *c)
{
    struct later *l = ctx;
    l->cancelled++;
    l->call = NULL;
    whelk_call_unref(c);
}

Test(host_command, completes_later)
{
    struct api_session a = api_open(NULL);
    struct later l = {0};
    whelk_command_ops ops = {.size = sizeof ops, .begin = begin_later, .cancelled = cancelled};
    cr_assert_eq(whelk_command_add(a.s, "later", NULL, &ops, &l), WHELK_OK);
    whelk_run_options o;
    whelk_run *run;
    whelk_run_options_init(&o);
    o.script = "later; echo got $?";
    o.script_len = SIZE_MAX;
    cr_assert_eq(whelk_run_start(a.s, &o, &run), WHELK_OK);
    int step;
    while ((step = whelk_run_step(run, 0, 0)) == WHELK_STEP_READY)
        continue;
    cr_expect_eq(step, WHELK_STEP_HOST_CALL, "step %d", step);
    cr_assert_not_null(l.call);
    whelk_call_complete(l.call, 5);
    while ((step = whelk_run_step(run, 0, 0)) != WHELK_STEP_DONE)
        cr_assert_geq(step, 0);
    cr_assert_eq(whelk_run_finish(run, &a.r), WHELK_OK);
    cr_expect_str_eq(a.r->out, "got 5\n");
    api_close(&a);
}

Test(host_command, told_when_its_process_is_killed)
{
    struct api_session a = api_open(NULL);
    struct later l = {0};
    whelk_command_ops ops = {.size = sizeof ops, .begin = begin_later, .cancelled = cancelled};
    cr_assert_eq(whelk_command_add(a.s, "later", NULL, &ops, &l), WHELK_OK);
    api_expect(&a, "later & sleep 0.01; kill $!; wait $!; echo $?", "143\n", 0);
    cr_expect_eq(l.cancelled, 1);
    api_close(&a);
}

static int find_job(void *ctx, const whelk_job *job)
{
    whelk_job *out = ctx;
    *out = *job;
    return 0;
}

Test(host_command, background_job_lives_between_runs)
{
    struct api_session a = api_open(NULL);
    api_expect(&a, "sleep 1000 & echo started", "started\n", 0);
    cr_expect_eq(a.r->jobs, 1);
    whelk_job job = {0};
    cr_assert_eq(whelk_jobs(a.s, find_job, &job), WHELK_OK);
    cr_expect_eq(job.state, 0);
    api_expect(&a, "jobs | grep -c sleep; kill %1; wait %1; echo $?", "1\n143\n", 0);
    api_close(&a);
}

Test(host_command, output_of_a_job_after_its_run)
{
    whelk_session_options o;
    whelk_session_options_init(&o);
    o.clock = WHELK_CLOCK_VIRTUAL;
    struct api_session a = api_open(&o);
    api_run(&a, "{ sleep 1; echo late; sleep 1000; } & echo $!");
    cr_expect_eq(a.r->jobs, 1);
    uint32_t pid = (uint32_t)atoi(a.r->out);
    char text[64] = "";
    api_run(&a, "sleep 5; cat /proc/$!/output");
    cr_expect_str_eq(a.r->out, "late\n");
    ptrdiff_t n = whelk_job_read(a.s, pid, text, sizeof text - 1);
    cr_expect_eq(n, 5, "%td", n);
    cr_expect_str_eq(text, "late\n");
    cr_expect_eq(whelk_kill(a.s, pid, 9), WHELK_OK);
    api_close(&a);
}

static void begin_number(void *ctx, whelk_call *c)
{
    whelk_call_write(c, 1, ctx, strlen(ctx));
    whelk_call_complete(c, 0);
}

Test(host_command, replaced_and_removed_while_the_shell_knows_it)
{
    struct api_session a = api_open(NULL);
    char one[] = "one\n", two[] = "two\n";
    whelk_command_ops ops = {.size = sizeof ops, .begin = begin_number};
    cr_assert_eq(whelk_command_add(a.s, "number", "first", &ops, one), WHELK_OK);
    api_expect(&a, "number", "one\n", 0);
    cr_assert_eq(whelk_command_add(a.s, "number", "second", &ops, two), WHELK_OK);
    api_expect(&a, "number; number | cat", "two\ntwo\n", 0);
    cr_assert_eq(whelk_command_remove(a.s, "number"), WHELK_OK);
    cr_expect_eq(whelk_command_remove(a.s, "number"), WHELK_E_NOENT);
    api_expect(&a, "number; echo $?", "127\n", 0);
    cr_assert_eq(whelk_command_add(a.s, "number", NULL, &ops, one), WHELK_OK);
    api_expect(&a, "number", "one\n", 0);
    api_close(&a);
}

/* Between two slices, after the process was made and before it has begun. */
Test(host_command, removed_before_its_process_begins)
{
    struct api_session a = api_open(NULL);
    char one[] = "one\n";
    whelk_command_ops ops = {.size = sizeof ops, .begin = begin_number};
    for (int slices = 1; slices < 60; slices++) {
        cr_assert_eq(whelk_command_add(a.s, "number", NULL, &ops, one), WHELK_OK);
        whelk_run_options o;
        whelk_run *run;
        whelk_run_options_init(&o);
        o.script = ": & : & : & number | cat; echo end";
        o.script_len = SIZE_MAX;
        cr_assert_eq(whelk_run_start(a.s, &o, &run), WHELK_OK);
        int step = WHELK_STEP_READY;
        for (int i = 0; i < slices && step == WHELK_STEP_READY; i++)
            step = whelk_run_step(run, 1, 0);
        cr_assert_eq(whelk_command_remove(a.s, "number"), WHELK_OK);
        while (step != WHELK_STEP_DONE)
            step = whelk_run_step(run, 0, 0);
        cr_assert_eq(whelk_run_finish(run, &a.r), WHELK_OK);
        cr_expect(strstr(a.r->out, "end\n") != NULL, "%s", a.r->out);
    }
    api_close(&a);
}

struct flood {
    whelk_call *call;
    size_t left;
};

static void begin_flood(void *ctx, whelk_call *c)
{
    struct flood *f = ctx;
    f->call = c;
}

Test(host_command, writes_while_its_reader_is_slow)
{
    struct api_session a = api_open(NULL);
    struct flood f = {.left = 400000};
    whelk_command_ops ops = {.size = sizeof ops, .begin = begin_flood};
    cr_assert_eq(whelk_command_add(a.s, "flood", NULL, &ops, &f), WHELK_OK);
    whelk_run_options o;
    whelk_run *run;
    whelk_run_options_init(&o);
    o.script = "flood | { for i in {1..20}; do sleep 0.002; done; wc -c; }; echo ${PIPESTATUS[0]}";
    o.script_len = SIZE_MAX;
    cr_assert_eq(whelk_run_start(a.s, &o, &run), WHELK_OK);
    int step;
    while ((step = whelk_run_step(run, 0, 0)) != WHELK_STEP_DONE) {
        cr_assert_geq(step, 0);
        char piece[1000];
        memset(piece, 'x', sizeof piece);
        ptrdiff_t n = 1;
        for (int i = 0; i < 50 && f.call && f.left && n > 0; i++) {
            n = whelk_call_write(f.call, 1, piece, f.left < sizeof piece ? f.left : sizeof piece);
            cr_assert(n > 0 || n == WHELK_E_AGAIN, "%td", n);
            f.left -= n > 0 ? (size_t)n : 0;
        }
        if (f.call && !f.left) {
            whelk_call_complete(f.call, 3);
            f.call = NULL;
        }
        if (step != WHELK_STEP_READY)
            whelk_run_wait(run, 1000000);
    }
    cr_assert_eq(whelk_run_finish(run, &a.r), WHELK_OK);
    cr_expect_str_eq(a.r->out, "400000\n3\n");
    api_close(&a);
}

static void begin_suicide(void *ctx, whelk_call *c)
{
    (void)ctx;
    cr_expect_eq(whelk_kill(whelk_call_session(c), whelk_call_pid(c), 15), WHELK_OK);
    whelk_call_complete(c, 0);
}

Test(host_command, kills_its_own_process)
{
    struct api_session a = api_open(NULL);
    whelk_command_ops ops = {.size = sizeof ops, .begin = begin_suicide};
    cr_assert_eq(whelk_command_add(a.s, "suicide", NULL, &ops, NULL), WHELK_OK);
    api_expect(&a, "suicide; echo $?; suicide | cat; echo ${PIPESTATUS[0]}", "143\n143\n", 0);
    api_close(&a);
}

static void begin_close(void *ctx, whelk_call *c)
{
    (void)ctx;
    whelk_session_close(whelk_call_session(c));
    whelk_call_complete(c, 0);
}

static int close_in_visit(void *ctx, const whelk_job *job)
{
    const whelk_result *r;
    (void)job;
    cr_expect_eq(whelk_exec(ctx, "wait", &r), WHELK_E_BUSY);
    whelk_session_close(ctx);
    return 0;
}

static ptrdiff_t close_in_read(void *ctx, void *dst, size_t cap)
{
    (void)dst;
    (void)cap;
    whelk_session_close(*(whelk_session **)ctx);
    return 0;
}

static ptrdiff_t close_in_write(void *ctx, const void *src, size_t n)
{
    (void)src;
    whelk_session_close(*(whelk_session **)ctx);
    return (ptrdiff_t)n;
}

static int close_in_hook(void *ctx, const whelk_location *where)
{
    (void)where;
    whelk_session_close(*(whelk_session **)ctx);
    return WHELK_DEBUG_GO;
}

static void close_in_destroy(void *ctx)
{
    whelk_session_close(*(whelk_session **)ctx);
}

Test(host_command, close_in_any_callback)
{
    for (int i = 0; i < 6; i++) {
        struct api_session a = api_open(NULL);
        whelk_command_ops ops = {
            .size = sizeof ops, .begin = begin_add, .destroy = close_in_destroy};
        cr_assert_eq(whelk_command_add(a.s, "host", NULL, &ops, &a.s), WHELK_OK);
        whelk_run_options o;
        whelk_run_options_init(&o);
        o.in.ctx = o.out.ctx = o.err.ctx = &a.s;
        o.in.read = close_in_read;
        o.out.write = o.err.write = close_in_write;
        o.in.kind = i == 0 ? WHELK_INPUT_CALLBACK : WHELK_INPUT_EMPTY;
        o.out.kind = i == 1 || i == 4 ? WHELK_OUTPUT_CALLBACK : WHELK_OUTPUT_RESULT;
        o.err.kind = i == 2 ? WHELK_OUTPUT_CALLBACK : WHELK_OUTPUT_RESULT;
        /* the fifth writes when the task has ended, the last asks nothing before the end */
        o.script = i == 4 ? "echo a" : i == 5 ? ":" : "read x; echo a; echo b >&2; cat /dev/zero";
        o.script_len = SIZE_MAX;
        if (i == 3)
            cr_expect_eq(whelk_debug_hook(a.s, close_in_hook, &a.s), WHELK_OK);
        const whelk_result *r;
        cr_expect_eq(whelk_exec_with(a.s, &o, &r), i == 5 ? WHELK_OK : WHELK_E_CLOSED, "%d", i);
        if (i == 5)
            whelk_session_close(a.s);
        cr_expect_eq(whelk_runtime_free(a.rt), WHELK_OK);
    }
}

Test(host_command, close_in_a_callback_waits_for_the_library_to_return)
{
    struct api_session a = api_open(NULL);
    whelk_command_ops ops = {.size = sizeof ops, .begin = begin_close};
    cr_assert_eq(whelk_command_add(a.s, "leave", NULL, &ops, NULL), WHELK_OK);
    cr_expect_eq(whelk_exec(a.s, "leave; echo not", &a.r), WHELK_E_CLOSED);
    cr_expect_null(a.r);
    cr_assert_eq(whelk_session_open(a.rt, NULL, &a.s), WHELK_OK);
    cr_assert_eq(whelk_command_add(a.s, "leave", NULL, &ops, NULL), WHELK_OK);
    api_run(&a, "{ sleep 0.001; leave; } & true");
    int step;
    while ((step = whelk_pump(a.s, 0, 0)) == WHELK_STEP_READY || step == WHELK_STEP_WAIT)
        continue;
    cr_expect_eq(step, WHELK_E_CLOSED);
    cr_assert_eq(whelk_session_open(a.rt, NULL, &a.s), WHELK_OK);
    api_run(&a, "sleep 1000 &");
    cr_expect_eq(whelk_jobs(a.s, close_in_visit, a.s), 0);
    cr_expect_eq(whelk_runtime_free(a.rt), WHELK_OK);
}
