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
