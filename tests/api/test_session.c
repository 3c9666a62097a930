/* test_session.c - sessions and runs through the public interface */
#include "api_session.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(session, runs_a_script)
{
    struct api_session a = api_open(NULL);
    api_expect(&a, "echo hello | tr a-z A-Z", "HELLO\n", 0);
    api_expect(&a, "echo oops >&2; exit 3", "", 3);
    cr_expect_str_eq(a.r->err, "oops\n");
    cr_expect_eq(a.r->stop, WHELK_STOP_EXIT);
    cr_expect_eq(a.r->shell_ended, 1);
    api_close(&a);
}

Test(session, state_lasts_from_run_to_run)
{
    struct api_session a = api_open(NULL);
    api_run(&a, "x=5; f() { echo f$1; }; cd /tmp; umask 077; shopt -s extglob");
    api_expect(&a, "echo $x; f 2; pwd; umask", "5\nf2\n/tmp\n0077\n", 0);
    api_run(&a, "exit 4");
    api_expect(&a, "echo $x; pwd", "5\n/tmp\n", 0);
    api_close(&a);
}

Test(session, options_of_set_are_reset_after_the_shell_has_ended)
{
    struct api_session a = api_open(NULL);
    api_expect(&a, "set -e; trap 'echo bye' EXIT; false; echo no", "bye\n", 1);
    cr_expect_eq(a.r->shell_ended, 1);
    api_expect(&a, "false; echo yes", "yes\n", 0);
    api_close(&a);
}

Test(session, words_of_set_act_both_ways)
{
    struct api_session a = api_open(NULL);
    const char *on[] = {"-u", "-o", "pipefail"}, *off[] = {"+u", "+o", "pipefail"};
    whelk_run_options o;
    whelk_run_options_init(&o);
    o.script = "echo $-; false | true; echo $?";
    o.script_len = SIZE_MAX;
    o.set = on;
    o.n_set = 3;
    cr_assert_eq(whelk_exec_with(a.s, &o, &a.r), WHELK_OK);
    cr_expect(strchr(a.r->out, 'u') != NULL && strstr(a.r->out, "\n1\n"), "%s", a.r->out);
    o.set = off;
    cr_assert_eq(whelk_exec_with(a.s, &o, &a.r), WHELK_OK);
    cr_expect(strchr(a.r->out, 'u') == NULL && strstr(a.r->out, "\n0\n"), "%s", a.r->out);
    api_close(&a);
}

Test(session, fresh_shell_sees_the_files_only)
{
    struct api_session a = api_open(NULL);
    api_run(&a, "x=5; echo data > /tmp/f");
    whelk_run_options o;
    whelk_run_options_init(&o);
    o.script = "echo [$x]; cat /tmp/f; y=1";
    o.script_len = SIZE_MAX;
    o.flags = WHELK_RUN_FRESH;
    cr_assert_eq(whelk_exec_with(a.s, &o, &a.r), WHELK_OK);
    cr_expect_str_eq(a.r->out, "[]\ndata\n");
    api_expect(&a, "echo [$x] [$y]", "[5] []\n", 0);
    api_close(&a);
}

Test(session, arguments_and_input)
{
    struct api_session a = api_open(NULL);
    const char *args[] = {"one", "two words"};
    whelk_run_options o;
    whelk_run_options_init(&o);
    o.script = "echo $0 $# \"$2\"; read -r l; echo $l; cat";
    o.script_len = SIZE_MAX;
    o.arg0 = "me";
    o.args = args;
    o.n_args = 2;
    o.in.kind = WHELK_INPUT_BYTES;
    o.in.data = "first\nrest\n";
    o.in.data_len = 11;
    cr_assert_eq(whelk_exec_with(a.s, &o, &a.r), WHELK_OK);
    cr_expect_str_eq(a.r->out, "me 2 two words\nfirst\nrest\n");
    api_close(&a);
}

struct sink {
    char text[256];
    size_t n;
    int again;
};

static ptrdiff_t slow_sink(void *ctx, const void *src, size_t n)
{
    struct sink *s = ctx;
    if (s->again++ % 2 == 0)
        return WHELK_IO_AGAIN;
    if (n > 3)
        n = 3;
    if (s->n + n < sizeof s->text) {
        memcpy(s->text + s->n, src, n);
        s->n += n;
    }
    return (ptrdiff_t)n;
}

Test(session, output_callback_may_answer_again)
{
    struct api_session a = api_open(NULL);
    struct sink sink = {.n = 0};
    whelk_run_options o;
    whelk_run *run;
    whelk_run_options_init(&o);
    o.script = "echo one; echo two; echo three";
    o.script_len = SIZE_MAX;
    o.out.kind = WHELK_OUTPUT_CALLBACK;
    o.out.write = slow_sink;
    o.out.ctx = &sink;
    cr_assert_eq(whelk_run_start(a.s, &o, &run), WHELK_OK);
    int step;
    for (int i = 0; i < 100 && (step = whelk_run_step(run, 0, 0)) != WHELK_STEP_DONE; i++)
        cr_assert_geq(step, 0);
    cr_assert_eq(whelk_run_finish(run, &a.r), WHELK_OK);
    cr_expect_str_eq(sink.text, "one\ntwo\nthree\n");
    api_close(&a);
}

static ptrdiff_t closed_sink(void *ctx, const void *src, size_t n)
{
    (void)ctx;
    (void)src;
    (void)n;
    return WHELK_IO_CLOSED;
}

Test(session, closed_output_gives_sigpipe)
{
    struct api_session a = api_open(NULL);
    whelk_run_options o;
    whelk_run_options_init(&o);
    o.script = "while :; do echo line; done";
    o.script_len = SIZE_MAX;
    o.out.kind = WHELK_OUTPUT_CALLBACK;
    o.out.write = closed_sink;
    cr_assert_eq(whelk_exec_with(a.s, &o, &a.r), WHELK_OK);
    cr_expect_eq(a.r->status, 141, "status %d", a.r->status);
    api_close(&a);
}

Test(session, steps_are_bounded_slices)
{
    struct api_session a = api_open(NULL);
    whelk_run_options o;
    whelk_run *run;
    whelk_run_options_init(&o);
    o.script = "for ((i=0;i<200000;i++)); do :; done; echo $i";
    o.script_len = SIZE_MAX;
    cr_assert_eq(whelk_run_start(a.s, &o, &run), WHELK_OK);
    whelk_run *second;
    cr_expect_eq(whelk_run_start(a.s, &o, &second), WHELK_E_BUSY);
    int ready = 0, step;
    while ((step = whelk_run_step(run, 10000, 0)) == WHELK_STEP_READY)
        ready++;
    cr_expect_eq(step, WHELK_STEP_DONE);
    cr_expect_gt(ready, 5);
    cr_assert_eq(whelk_run_finish(run, &a.r), WHELK_OK);
    cr_expect_str_eq(a.r->out, "200000\n");
    api_close(&a);
}

Test(session, user_host_and_environment)
{
    whelk_session_options o;
    whelk_session_options_init(&o);
    const char *env[] = {"GREETING=hi", "PATH=/usr/bin"};
    o.env = env;
    o.n_env = 2;
    o.user = "ann";
    o.uid = 1234;
    o.hostname = "box";
    o.cwd = "/work/dir";
    struct api_session a = api_open(&o);
    api_expect(&a, "whoami; id -u; hostname; pwd; echo $GREETING $HOME $PATH; touch x && ls",
               "ann\n1234\nbox\n/work/dir\nhi /home/ann /usr/bin\nx\n", 0);
    api_close(&a);
}

Test(session, fixed_and_virtual_clocks)
{
    whelk_session_options o;
    whelk_session_options_init(&o);
    o.clock = WHELK_CLOCK_FIXED;
    o.clock_start_ns = INT64_C(1700000000) * 1000000000;
    struct api_session a = api_open(&o);
    api_expect(&a, "date -u +%s; echo $EPOCHSECONDS", "1700000000\n1700000000\n", 0);
    api_close(&a);
    o.clock = WHELK_CLOCK_VIRTUAL;
    a = api_open(&o);
    api_expect(&a, "sleep 3600; date -u +%s", "1700003600\n", 0);
    cr_expect_lt(a.r->wall_ns, INT64_C(5000000000));
    api_close(&a);
}

Test(session, unknown_options_are_refused)
{
    struct {
        whelk_session_options o;
        long tail;
    } big;
    memset(&big, 0, sizeof big);
    big.o.size = sizeof big;
    whelk_runtime *rt;
    whelk_session *s;
    cr_assert_eq(whelk_runtime_new(NULL, &rt), WHELK_OK);
    cr_expect_eq(whelk_session_open(rt, &big.o, &s), WHELK_OK);
    whelk_session_close(s);
    big.tail = 1;
    cr_expect_eq(whelk_session_open(rt, &big.o, &s), WHELK_E_UNSUPPORTED);
    big.o.size = 3;
    cr_expect_eq(whelk_session_open(rt, &big.o, &s), WHELK_E_INVALID);
    cr_expect_eq(whelk_runtime_free(rt), WHELK_OK);
}

Test(session, lists_that_are_missing_are_invalid)
{
    const char *const hole[] = {"a", NULL};
    whelk_runtime *rt;
    whelk_session *s;
    const whelk_result *r;
    cr_assert_eq(whelk_runtime_new(NULL, &rt), WHELK_OK);
    for (int i = 0; i < 3; i++) {
        whelk_session_options o;
        whelk_session_options_init(&o);
        *(i == 0 ? &o.n_env : i == 1 ? &o.n_mounts : &o.n_files) = 1;
        cr_expect_eq(whelk_session_open(rt, &o, &s), WHELK_E_INVALID);
    }
    cr_assert_eq(whelk_session_open(rt, NULL, &s), WHELK_OK);
    for (int i = 0; i < 4; i++) {
        whelk_run_options o;
        whelk_run_options_init(&o);
        *(i < 2 ? &o.n_args : &o.n_set) = 2;
        *(i < 2 ? &o.args : &o.set) = i % 2 ? hole : NULL;
        cr_expect_eq(whelk_exec_with(s, &o, &r), WHELK_E_INVALID);
    }
    for (int i = 0; i < 4; i++) {
        whelk_run_options o;
        whelk_run_options_init(&o);
        o.script = "cat";
        o.script_len = SIZE_MAX;
        o.in.fd = o.out.fd = o.err.fd = -1;
        o.in.kind = i == 0 ? WHELK_INPUT_FD : i == 1 ? WHELK_INPUT_BYTES : WHELK_INPUT_EMPTY;
        o.in.data_len = 1;
        o.out.kind = i == 2 ? WHELK_OUTPUT_FD : WHELK_OUTPUT_RESULT;
        o.err.kind = i == 3 ? WHELK_OUTPUT_FD : WHELK_OUTPUT_RESULT;
        cr_expect_eq(whelk_exec_with(s, &o, &r), WHELK_E_INVALID);
    }
    whelk_session_close(s);
    cr_expect_eq(whelk_runtime_free(rt), WHELK_OK);
}

Test(session, clocks_at_the_ends_of_time)
{
    const int64_t ends[] = {INT64_C(9200000000000000000), INT64_C(-9200000000000000000)};
    whelk_session_options o;
    whelk_runtime *rt;
    whelk_session *s;
    const whelk_result *r;
    cr_assert_eq(whelk_runtime_new(NULL, &rt), WHELK_OK);
    whelk_session_options_init(&o);
    for (int i = 0; i < 4; i++) {
        o.clock = i % 2 ? WHELK_CLOCK_VIRTUAL : WHELK_CLOCK_FIXED;
        o.clock_start_ns = ends[i / 2];
        cr_assert_eq(whelk_session_open(rt, &o, &s), WHELK_OK);
        cr_expect_eq(whelk_exec(s, ": > f; ls -l f; find f -ls -mtime -1; date; [[ f -nt g ]]", &r),
                     WHELK_OK);
        cr_expect_eq(r->status, 0, "%s%s", r->out, r->err);
        if (i % 2)
            cr_expect_eq(whelk_exec(s, "sleep 9000000000; ls -l f; date", &r), WHELK_OK);
        whelk_session_close(s);
    }
    o.clock_start_ns = INT64_MIN;
    cr_expect_eq(whelk_session_open(rt, &o, &s), WHELK_E_INVALID);
    o.clock_start_ns = INT64_MAX;
    cr_expect_eq(whelk_session_open(rt, &o, &s), WHELK_E_INVALID);
    cr_expect_eq(whelk_runtime_free(rt), WHELK_OK);
}

Test(session, many_in_sequence_leak_nothing)
{
    whelk_runtime *rt;
    cr_assert_eq(whelk_runtime_new(NULL, &rt), WHELK_OK);
    for (int i = 0; i < 2000; i++) {
        whelk_session *s;
        const whelk_result *r;
        cr_assert_eq(whelk_session_open(rt, NULL, &s), WHELK_OK);
        cr_assert_eq(whelk_exec(s, "echo hi", &r), WHELK_OK);
        cr_assert_str_eq(r->out, "hi\n");
        whelk_session_close(s);
    }
    cr_expect_eq(whelk_runtime_free(rt), WHELK_OK);
}

/* user and system time: the machine's, by the host's clock; a virtual one has none. */
Test(session, processor_time)
{
    const char *script = "TIMEFORMAT='%U %S'; "
                         "{ time { for ((i = 0; i < 200000; i++)); do :; done; sleep 0.01; }; } 2>&1; times";
    struct api_session a = api_open(NULL);
    const char *out = api_run(&a, script)->out;
    cr_expect(strncmp(out, "0.000 ", 6) != 0, "%s", out);
    const char *shell = strchr(out, '\n');
    cr_assert_not_null(shell);
    cr_expect(strncmp(shell, "\n0m0.000s", 9) != 0, "%s", out);
    cr_expect_not_null(strstr(shell, "\n0m0.000s 0m0.000s\n"));
    api_close(&a);
    whelk_session_options o = {.size = sizeof o, .clock = WHELK_CLOCK_VIRTUAL};
    a = api_open(&o);
    api_expect(&a, script, "0.000 0.000\n0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n", 0);
    api_close(&a);
}

static int gather_line(void *ctx, const char *line, size_t len)
{
    char *all = ctx;
    size_t n = strlen(all);
    if (n + len + 2 < 256)
        snprintf(all + n, 256 - n, "%.*s|", (int)len, line);
    return strncmp(line, "stop", 4) == 0 ? 7 : 0;
}

Test(session, history_is_what_the_lines_of_runs_were)
{
    struct api_session a = api_open(NULL);
    whelk_run_options o;
    char all[256] = "";
    cr_expect_eq(whelk_history(a.s, gather_line, all), 0);
    api_run(&a, "echo before");
    api_run(&a, "set -o history -o histexpand");
    api_run(&a, "echo one");
    whelk_run_options_init(&o);
    o.script = "echo quiet !!";
    o.script_len = SIZE_MAX;
    o.flags = WHELK_RUN_NO_HISTORY;
    cr_assert_eq(whelk_exec_with(a.s, &o, &a.r), WHELK_OK);
    cr_expect_str_eq(a.r->out, "quiet !!\n");
    api_expect(&a, "!!; echo two", "one\ntwo\n", 0);
    cr_expect_eq(whelk_history(a.s, gather_line, all), 0);
    cr_expect_str_eq(all, "echo one|echo one; echo two|");
    api_run(&a, "history -c; history -s stop here; history -s more");
    all[0] = '\0';
    cr_expect_eq(whelk_history(a.s, gather_line, all), 7);
    cr_expect_str_eq(all, "stop here|");
    cr_expect_eq(whelk_history(NULL, gather_line, all), WHELK_E_INVALID);
    cr_expect_eq(whelk_history(a.s, NULL, all), WHELK_E_INVALID);
    api_close(&a);
}

Test(session, a_history_larger_than_memory_is_refused)
{
    struct api_session a = api_open(NULL);
    api_run(&a, "set -o history; HISTSIZE=1000000000000");
    api_run(&a, "x=$(printf '%01000000d' 7); while :; do history -s \"$x\"; history -p '!!' >/dev/null; done");
    cr_expect_eq(a.r->stop, WHELK_STOP_LIMIT);
    api_run(&a, "history -c");
    api_expect(&a, "echo still", "still\n", 0);
    api_close(&a);
}
