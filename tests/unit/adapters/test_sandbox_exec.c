/* test_sandbox_exec.c - commands to their end: outcomes, output, input, time-outs, cancel, loss, memory */
#include "plan_box.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static whelk_sandbox *box;
static whelk_sandbox_request q;
static whelk_sandbox_result *r;

static void set_up(void)
{
    box = plan_open(NULL);
    r = NULL;
    whelk_sandbox_request_init(&q);
}

static void tear_down(void)
{
    whelk_sandbox_result_free(r);
    struct wk_mem *m = wk_mem_ref(box->mem);
    whelk_sandbox_close(box);
    cr_expect_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
    cr_expect_eq(planned.opened, planned.closed);
    plan_reset();
}

TestSuite(sandbox_exec, .init = set_up, .fini = tear_down);

static const whelk_sandbox_result *run(const char *script)
{
    whelk_sandbox_result_free(r);
    q.script = script;
    int code = whelk_sandbox_exec_with(box, &q, &r);
    cr_assert_eq(code, WHELK_OK, "%s: %d %s", script, code, whelk_sandbox_error(box));
    return r;
}

static void reopen(const whelk_sandbox_options *o)
{
    whelk_sandbox_close(box);
    box = plan_open(o);
}

/* ---- outcomes ------------------------------------------------------------------------------------- */

Test(sandbox_exec, output_and_exit_code)
{
    run("out:hello;err:oops;exit:3");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_EXITED);
    cr_expect_eq(r->exit_code, 3);
    cr_expect_eq(r->signal, 0);
    cr_expect_str_eq(r->out, "hello");
    cr_expect_str_eq(r->err, "oops");
    cr_expect_eq(r->out_total, 5);
    cr_expect_eq(r->err_len, 4);
    cr_expect_eq(r->truncated, 0);
    cr_expect_eq(r->cpu_ns, 3000000);
    cr_expect_eq(r->memory_peak, 4096);
    cr_expect_gt(r->wall_ns, 0);
    cr_expect_str_eq(r->error, "");
    cr_expect_str_eq(planned.last_argv, "[sh][-c][out:hello;err:oops;exit:3]");
    cr_expect_str_eq(planned.cwd, "/w");
    cr_expect_eq(planned.last.flags, 0);
    cr_expect_eq(planned.last.umask, 022);
    cr_expect_eq(planned.last.uid, UINT32_MAX);
}

Test(sandbox_exec, the_short_form)
{
    cr_assert_eq(whelk_sandbox_exec(box, "out:x;exit:256", &r), WHELK_OK);
    cr_expect_eq(r->exit_code, 0);
    cr_expect_eq(whelk_sandbox_exec(box, "x", NULL), WHELK_E_INVALID);
    whelk_sandbox_result *none = r;
    cr_expect_eq(whelk_sandbox_exec(NULL, "x", &none), WHELK_E_INVALID);
    cr_expect_null(none);
    cr_expect_eq(whelk_sandbox_exec(box, NULL, &none), WHELK_E_INVALID);
}

Test(sandbox_exec, shells_and_arguments)
{
    static const char *const argv[] = {"/bin/tool", "exit:0", "", "a b"};
    planned.shell = "/bin/bash";
    reopen(NULL);
    q.login = 1;
    run("exit:0");
    cr_expect_str_eq(planned.last_argv, "[/bin/bash][-l][-c][exit:0]");
    q.login = 0;
    q.argv = argv;
    q.n_argv = 4;
    q.cwd = "sub/dir";
    q.user = "1000:50";
    q.memory_bytes = 1;
    q.descriptors = 2;
    run(NULL);
    cr_expect_str_eq(planned.last_argv, "[/bin/tool][exit:0][][a b]");
    cr_expect_str_eq(planned.cwd, "/w/sub/dir");
    cr_expect_eq(planned.last.uid, 1000);
    cr_expect_eq(planned.last.gid, 50);
    cr_expect_eq(planned.last.memory_bytes, 1);
    cr_expect_eq(planned.last.descriptors, 2);
    q.user = "7";
    q.cwd = "/abs";
    run(NULL);
    cr_expect_eq(planned.last.gid, 7);
    cr_expect_str_eq(planned.cwd, "/abs");
}

Test(sandbox_exec, signals_and_memory)
{
    run("out:x;sig:11");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_SIGNALED);
    cr_expect_eq(r->signal, 11);
    cr_expect_eq(r->exit_code, -1);
    run("oom");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_MEMORY);
    cr_expect_eq(r->signal, 9);
    cr_expect_eq(r->exit_code, -1);
    cr_expect_str_eq(r->error, "memory ran out");
}

Test(sandbox_exec, what_cannot_be_started)
{
    static const char *const argv[] = {"pyhton", "fail:-7:pyhton: No such file or directory"};
    run("fail:-7");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_FAILED);
    cr_expect_eq(r->exit_code, -1);
    cr_expect_eq(r->retry_safe, 1);
    cr_expect_str_eq(r->error, "sh: command not found");
    run("fail:-7:cannot enter the directory /x");
    cr_expect_str_eq(r->error, "cannot enter the directory /x");
    run("refuse:-8");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_FAILED);
    cr_expect_str_eq(r->error, "sh: Permission denied");
    q.argv = argv;
    q.n_argv = 2;
    run(NULL);
    cr_expect_str_eq(r->error, "pyhton: command not found");
    cr_expect_eq(box->processes, NULL);
}

Test(sandbox_exec, what_the_kind_refuses_of_a_request)
{
    q.script = "refuse:-3";
    cr_expect_eq(whelk_sandbox_exec_with(box, &q, &r), WHELK_E_UNSUPPORTED);
    cr_expect_null(r);
    cr_expect_null(box->processes);
}

Test(sandbox_exec, a_box_that_is_not_ready_yet)
{
    run("late:5;out:now;exit:0");
    cr_expect_str_eq(r->out, "now");
}

Test(sandbox_exec, requests_that_make_no_sense)
{
    static const char *const argv[] = {"a", NULL}, *const env[] = {"A"};
#define BAD(code, part, ...)                                                                         \
    do {                                                                                             \
        whelk_sandbox_request_init(&q);                                                              \
        q.script = "exit:0";                                                                         \
        __VA_ARGS__;                                                                                 \
        r = (void *)1;                                                                               \
        cr_expect_eq(whelk_sandbox_exec_with(box, &q, &r), code, part);                              \
        cr_expect_null(r);                                                                           \
        cr_expect(strstr(whelk_sandbox_error(box), part), "%s", whelk_sandbox_error(box));           \
    } while (0)
    BAD(WHELK_E_INVALID, "neither", q.script = NULL);
    BAD(WHELK_E_INVALID, "only one", q.argv = argv, q.n_argv = 1);
    BAD(WHELK_E_INVALID, "NULL", q.script = NULL, q.argv = argv, q.n_argv = 2);
    BAD(WHELK_E_INVALID, "login", q.script = NULL, q.argv = argv, q.n_argv = 1, q.login = 1);
    BAD(WHELK_E_INVALID, "NAME=VALUE", q.env = env, q.n_env = 1);
    BAD(WHELK_E_INVALID, "user", q.user = "me");
    BAD(WHELK_E_INVALID, "timeout_ms", q.timeout_ms = -5);
    BAD(WHELK_E_INVALID, "idle_timeout_ms", q.idle_timeout_ms = -1);
    BAD(WHELK_E_INVALID, "grace_ms", q.grace_ms = -1);
    BAD(WHELK_E_INVALID, "keep", q.keep = 3);
    BAD(WHELK_E_INVALID, "input", q.input_len = 3);
    BAD(WHELK_E_INVALID, "input_later", q.read_input = whelk_sandbox_input_later);
    BAD(WHELK_E_INVALID, "cwd", q.cwd = "");
    planned.lacks = WHELK_BOX_TTY | WHELK_BOX_STDIN | WHELK_BOX_USER | WHELK_BOX_BACKGROUND;
    reopen(NULL);
    BAD(WHELK_E_UNSUPPORTED, "tty", q.tty = 1);
    BAD(WHELK_E_UNSUPPORTED, "input", q.input = "x");
    BAD(WHELK_E_UNSUPPORTED, "user", q.user = "1");
    BAD(WHELK_E_UNSUPPORTED, "detach_on_timeout", q.detach_on_timeout = 1);
    r = NULL;
}

/* ---- output --------------------------------------------------------------------------------------- */

struct heard {
    char text[4096];
    size_t n, total;
    int busy;
};

static void hear(void *ctx, int stream, const char *p, size_t n)
{
    struct heard *h = ctx;
    h->total += n;
    if (h->n + n + 16 < sizeof h->text)
        h->n += (size_t)snprintf(h->text + h->n, sizeof h->text - h->n, "%d%.*s|", stream, (int)n, p);
    whelk_sandbox_result *other;
    h->busy += whelk_sandbox_exec(box, "exit:0", &other) == WHELK_E_BUSY;
}

Test(sandbox_exec, output_as_it_comes)
{
    struct heard h = {.n = 0};
    q.on_output = hear;
    q.ctx = &h;
    run("out:ab;err:c;out:d;exit:0");
    cr_expect_str_eq(h.text, "1ab|2c|1d|");
    cr_expect_eq(h.busy, 3);
    cr_expect_str_eq(r->out, "abd");
    q.merged = 1;
    h.n = 0;
    run("bytes;out:xy;exit:0");
    cr_expect_str_eq(h.text, "1x|1y|");
    cr_expect_eq(planned.last.flags, WHELK_SPEC_MERGED);
}

Test(sandbox_exec, only_so_much_is_kept)
{
    q.max_stdout = 20;
    run("out:0123456789abcdefghijklmnopqrst;exit:0");
    cr_expect_str_eq(r->out, "0123456789\n[… 10 bytes left out …]\nklmnopqrst");
    cr_expect_eq(r->out_total, 30);
    cr_expect_eq(r->out_len, strlen(r->out));
    cr_expect_eq(r->truncated, 1);
    q.keep = WHELK_KEEP_HEAD;
    q.max_stderr = 2;
    run("out:01234567890123456789;err:abc;exit:0");
    cr_expect_str_eq(r->err, "ab\n[… 1 bytes left out …]\n");
    cr_expect_eq(r->truncated, 2);
    q.keep = WHELK_KEEP_TAIL;
    run("out:0123456789abcdefghijklmnopqrst;err:abc;exit:0");
    cr_expect_str_eq(r->out, "[… 10 bytes left out …]\nabcdefghijklmnopqrst");
    cr_expect_eq(r->truncated, 3);
}

Test(sandbox_exec, much_output_in_little_memory)
{
    struct heard h = {.n = sizeof h.text};
    q.on_output = hear;
    q.ctx = &h;
    q.max_stdout = 1000000;
    run("big:30000000;exit:0");
    cr_expect_eq(r->out_total, 30000000);
    cr_expect_eq(h.total, 30000000);
    cr_expect_lt(r->out_len, 1000100);
    cr_expect_lt(box->mem->peak, 5000000, "%zu", box->mem->peak);
    q.on_output = NULL;
    q.max_stdout = 0;
    run("big:10485760;exit:0");
    cr_expect_eq(r->out_len, 10485760);
    cr_expect_eq(r->truncated, 0);
    cr_expect_eq(r->out[10485760], '\0');
}

Test(sandbox_exec, streams_that_stay_open)
{
    run("out:done;mute;survivors:2;exit:0");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_EXITED);
    cr_expect_str_eq(r->out, "done");
    cr_expect_eq(r->survivors, 2);
}

Test(sandbox_exec, all_of_a_long_output_in_a_file)
{
    q.max_stdout = 1000;
    q.spill = "logs/deep/all.txt";
    run("big:5000;exit:0");
    const struct plan_file *f = plan_file("logs/deep/all.txt");
    cr_expect_str_eq(r->error, "");
    cr_expect_eq(r->truncated, 1);
    cr_assert_not_null(f);
    cr_expect_eq(f->n, 5000);
    for (size_t i = 0; i < f->n; i++)
        cr_assert_eq(f->data[i], i % 64 == 63 ? '\n' : 'a' + (int)(i % 26), "byte %zu", i);
    q.spill = "/w/short";
    run("big:1000;exit:0");
    cr_expect_null(plan_file("/w/short"));
    planned.file_code = WHELK_E_NOSPACE;
    run("big:1001;exit:7");
    cr_expect_eq(r->exit_code, 7);
    cr_expect_str_eq(r->error, "spill /w/short: the disk is full of s3cret");
}

/* ---- input ---------------------------------------------------------------------------------------- */

static ptrdiff_t read_some(void *ctx, void *dst, size_t cap)
{
    int *left = ctx;
    if (*left < 0)
        return -1;
    if (!*left)
        return 0;
    size_t n = cap < 3000 ? cap : 3000;
    n = n < (size_t)*left ? n : (size_t)*left;
    memset(dst, 'i', n);
    *left -= (int)n;
    return (ptrdiff_t)n;
}

Test(sandbox_exec, input)
{
    char *much = malloc(100001);
    q.input = "some input";
    q.input_len = 10;
    run("cat;exit:0");
    cr_expect_str_eq(r->out, "some input");
    q.input_len = 0;
    run("cat;exit:0");
    cr_expect_str_eq(r->out, "");
    cr_expect_eq(planned.last.flags, WHELK_SPEC_INPUT);
    memset(much, 'm', 100000);
    q.input = much;
    q.input_len = 100000;
    run("cat;exit:0");
    cr_expect_eq(r->out_len, 100000);
    run("unread;out:x;exit:0");
    cr_expect_str_eq(r->out, "x");
    run("out:y;exit:0");
    cr_expect_eq(r->exit_code, 0);
    free(much);
}

Test(sandbox_exec, input_from_the_program)
{
    int left = 60000;
    q.read_input = read_some;
    q.ctx = &left;
    run("cat;exit:0");
    cr_expect_eq(r->out_len, 60000);
    left = -1;
    run("cat;hang");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_CANCELLED);
    cr_expect_str_eq(r->error, "read_input failed");
}

Test(sandbox_exec, a_terminal)
{
    q.tty = 1;
    q.columns = 100;
    run("env:TERM;cat;exit:0"); /* nobody types: its input ends at once */
    cr_expect_str_eq(r->out, "xterm-256color");
    cr_expect_eq(planned.last.flags, WHELK_SPEC_TTY | WHELK_SPEC_INPUT);
    cr_expect_eq(planned.last.rows, 24);
    cr_expect_eq(planned.last.columns, 100);
}

/* ---- time-outs ------------------------------------------------------------------------------------ */

Test(sandbox_exec, time_is_over)
{
    q.timeout_ms = 30;
    run("out:begun;hang");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_TIMEOUT);
    cr_expect_eq(r->signal, 15);
    cr_expect_eq(r->exit_code, -1);
    cr_expect_str_eq(r->out, "begun");
    cr_expect_str_eq(r->error, "timed out after 30 ms (the request's limit)");
    cr_expect_str_eq(planned.signals, "15/2 ");
}

Test(sandbox_exec, time_of_the_sandbox)
{
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    o.timeout_ms = 20;
    reopen(&o);
    run("hang");
    cr_expect_str_eq(r->error, "timed out after 20 ms (the sandbox's limit)");
    q.timeout_ms = -1;
    run("nap:60;exit:0");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_EXITED);
}

Test(sandbox_exec, kill_comes_after_term)
{
    q.timeout_ms = 20;
    q.grace_ms = 50;
    run("deaf;hang");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_TIMEOUT);
    cr_expect_eq(r->signal, 9);
    cr_expect_str_eq(planned.signals, "15/2 9/2 ");
    cr_expect_geq(r->wall_ns, 70000000);
}

Test(sandbox_exec, what_is_left_of_the_tree_is_killed)
{
    q.timeout_ms = 20;
    run("survivors:3;hang");
    cr_expect_eq(r->signal, 15);
    cr_expect_eq(r->survivors, 0);
    cr_expect_str_eq(planned.signals, "15/2 9/2 ");
}

Test(sandbox_exec, without_output_for_too_long)
{
    q.idle_timeout_ms = 60;
    run("out:a;nap:10;out:b;nap:10;out:c;exit:0");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_EXITED);
    run("out:a;nap:10;out:b;hang");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_TIMEOUT);
    cr_expect_str_eq(r->error, "no output for 60 ms");
    cr_expect_str_eq(r->out, "ab");
}

Test(sandbox_exec, times_beyond_all_clocks)
{
    q.timeout_ms = q.idle_timeout_ms = q.grace_ms = INT64_MAX;
    run("nap:10;exit:0");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_EXITED);
    q.timeout_ms = 10;
    run("hang");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_TIMEOUT);
}

Test(sandbox_exec, goes_on_in_the_background)
{
    whelk_process p = {.size = sizeof p};
    whelk_sandbox_read what = {.size = sizeof what, .stream = 1};
    whelk_sandbox_output out = {.size = sizeof out};
    q.timeout_ms = 40;
    q.detach_on_timeout = 1;
    q.input = "given";
    q.input_len = 5;
    run("out:early;nap:80;out: late;cat;exit:6");
    cr_expect_eq(planned.last.flags, WHELK_SPEC_LOGGED | WHELK_SPEC_INPUT);
    cr_expect_eq(r->outcome, WHELK_OUTCOME_DETACHED);
    cr_expect_str_eq(r->out, "early");
    cr_expect_str_eq(planned.signals, "");
    cr_assert_neq(r->process, 0);
    cr_expect_eq(whelk_sandbox_wait(box, r->process, 30000, &p), WHELK_OK);
    cr_expect_eq(p.exit_code, 6);
    what.id = r->process;
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &out), WHELK_OK);
    cr_expect_str_eq(out.data, "early lategiven");
    free(out.data);
}

Test(sandbox_exec, one_that_might_have_gone_on)
{
    struct heard h = {.n = 0};
    q.detach_on_timeout = 1;
    q.on_output = hear;
    q.ctx = &h;
    run("out:one;err:two;nap:10;out:three;exit:2");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_EXITED);
    cr_expect_eq(r->exit_code, 2);
    cr_expect_str_eq(r->out, "onethree");
    cr_expect_str_eq(r->err, "two");
    cr_expect_str_eq(h.text, "1one|2two|1three|");
    cr_expect_null(box->processes);
    run("big:3000000;exit:0");
    cr_expect_eq(r->out_len, 3000000);
    h.n = h.total = 0;
    q.max_stdout = 10;
    q.spill = "all";
    run("drop:6;out:0123456789;exit:0"); /* faster than it could be read */
    cr_expect_str_eq(r->out, "[… 6 bytes left out …]\n6789");
    cr_expect_eq(r->out_total, 10);
    cr_expect_str_eq(plan_file("all")->data, "[… 6 bytes left out …]\n6789");
}

Test(sandbox_exec, one_that_nothing_ends)
{
    box->kind_table.close = plan_kind.close;
    q.timeout_ms = 10;
    q.grace_ms = 10;
    run("out:x;undead;hang");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_TIMEOUT);
    cr_expect_eq(r->signal, 0);
    cr_expect(strstr(r->error, "does not end"), "%s", r->error);
    cr_expect_not_null(box->processes);
}

/* ---- cancel, loss --------------------------------------------------------------------------------- */

static void *cancel_soon(void *arg)
{
    (void)arg;
    while (!__atomic_load_n(&planned.started, __ATOMIC_ACQUIRE))
        usleep(1000);
    usleep(20000);
    whelk_sandbox_cancel(box);
    return NULL;
}

Test(sandbox_exec, cancelled)
{
    pthread_t thread;
    pthread_create(&thread, NULL, cancel_soon, NULL);
    run("out:x;hang");
    pthread_join(thread, NULL);
    cr_expect_eq(r->outcome, WHELK_OUTCOME_CANCELLED);
    cr_expect_eq(r->signal, 15);
    cr_expect_str_eq(r->out, "x");
    run("exit:0");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_EXITED);
    whelk_sandbox_cancel(box); /* forgotten when the next one starts */
    run("exit:1");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_EXITED);
}

static void cancel_twice(void *ctx, int stream, const char *p, size_t n)
{
    (void)ctx;
    (void)stream;
    (void)p;
    (void)n;
    whelk_sandbox_cancel(box);
}

Test(sandbox_exec, a_second_cancel_is_at_once)
{
    q.on_output = cancel_twice;
    q.grace_ms = 600000;
    run("deaf;out:1;nap:20;out:2;hang");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_CANCELLED);
    cr_expect_eq(r->signal, 9);
}

Test(sandbox_exec, lost)
{
    run("out:x;lost");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_LOST);
    cr_expect_eq(r->exit_code, -1);
    cr_expect_eq(r->retry_safe, 0);
    cr_expect_str_eq(r->out, "x");
    cr_expect_str_eq(r->error, "the sandbox is gone: the plug was pulled");
    whelk_sandbox_result *other = NULL;
    cr_expect_eq(whelk_sandbox_exec(box, "exit:0", &other), WHELK_E_CLOSED);
    cr_expect_str_eq(whelk_sandbox_error(box), "the sandbox is gone");
}

Test(sandbox_exec, lost_before_it_began)
{
    run("refuse:-5");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_LOST);
    cr_expect_eq(r->retry_safe, 1);
}

Test(sandbox_exec, several)
{
    whelk_sandbox_request all[4];
    whelk_sandbox_result *results[4];
    static const char *const scripts[] = {"exit:1", "exit:2", "fail:-7", "exit:4"};
    for (int i = 0; i < 4; i++) {
        whelk_sandbox_request_init(&all[i]);
        all[i].script = scripts[i];
    }
    all[1].keep = 9;
    cr_assert_eq(whelk_sandbox_exec_all(box, all, 4, results), WHELK_OK);
    cr_expect_eq(results[0]->exit_code, 1);
    cr_expect_eq(results[1]->outcome, WHELK_OUTCOME_FAILED);
    cr_expect(strstr(results[1]->error, "keep"));
    cr_expect_eq(results[2]->outcome, WHELK_OUTCOME_FAILED);
    cr_expect_eq(results[3]->exit_code, 4);
    for (int i = 0; i < 4; i++)
        whelk_sandbox_result_free(results[i]);
    all[1].keep = 0;
    all[1].script = "out:a;hang";
    all[1].on_output = cancel_twice;
    cr_assert_eq(whelk_sandbox_exec_all(box, all, 4, results), WHELK_OK);
    cr_expect_eq(results[1]->outcome, WHELK_OUTCOME_CANCELLED);
    cr_expect_eq(results[2]->outcome, WHELK_OUTCOME_CANCELLED);
    cr_expect_str_eq(results[3]->error, "cancelled before it began");
    for (int i = 0; i < 4; i++)
        whelk_sandbox_result_free(results[i]);
    all[0].script = "lost";
    cr_assert_eq(whelk_sandbox_exec_all(box, all, 2, results), WHELK_OK);
    cr_expect_eq(results[1]->outcome, WHELK_OUTCOME_LOST);
    cr_expect_eq(results[1]->retry_safe, 1);
    for (int i = 0; i < 2; i++)
        whelk_sandbox_result_free(results[i]);
}

/* ---- secrets, long scripts, memory ---------------------------------------------------------------- */

Test(sandbox_exec, secrets_do_not_come_out)
{
    static const char *const asked[] = {"KEY"};
    struct heard h = {.n = 0};
    whelk_secret s = {.size = sizeof s, .name = "KEY", .value = "s3cret"};
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    o.secrets = &s;
    o.n_secrets = 1;
    reopen(&o);
    q.secrets = asked;
    q.n_secrets = 1;
    q.on_output = hear;
    q.ctx = &h;
    run("bytes;out:[;env:KEY;out:];exit:0");
    cr_expect_str_eq(r->out, "[***]");
    cr_expect_null(strstr(h.text, "s3"));
    cr_expect_eq(r->out_total, 5);
    run("fail:-17:the s3cret failed");
    cr_expect_str_eq(r->error, "the *** failed");
    q.timeout_ms = 20;
    q.detach_on_timeout = 1;
    run("out:x s3c;nap:40;out:ret;exit:0"); /* goes on: what may be one is not told */
    cr_expect_str_eq(r->out, "x ");
    q.timeout_ms = q.detach_on_timeout = 0;
    static const char *const argv[] = {"tool-s3cret", "fail:-7"};
    q.argv = argv;
    q.n_argv = 2;
    run(NULL);
    cr_expect_str_eq(r->error, "tool-***: command not found");
    q.n_argv = 0;
    q.spill = "file";
    q.max_stdout = 3;
    run("env:KEY;out:-;env:KEY;exit:0");
    cr_expect_str_eq(plan_file("file")->data, "***-***");
    planned.file_code = WHELK_E_IO;
    run("env:KEY;out:-;env:KEY;exit:0");
    cr_expect_str_eq(r->error, "spill file: the disk is full of ***");
}

Test(sandbox_exec, scripts_too_long_for_an_argument)
{
    enum { LONG = 300000 };
    char *script = malloc(LONG + 1);
    memset(script, ' ', LONG);
    memcpy(script, "out:long;exit:0;", 16);
    script[LONG] = '\0';
    run(script);
    cr_expect_str_eq(r->out, "long");
    cr_expect_eq(strncmp(planned.last_argv, "[sh][-c][eval \"$(cat /tmp/.whelk-script-", 40), 0, "%s",
                 planned.last_argv);
    cr_expect_null(planned.files); /* removed, whoever read it */
    planned.file_code = WHELK_E_NOSPACE;
    q.script = script;
    whelk_sandbox_result *none = NULL;
    cr_expect_eq(whelk_sandbox_exec_with(box, &q, &none), WHELK_E_IO);
    cr_expect(strstr(whelk_sandbox_error(box), "the disk is full"));
    free(script);
}

Test(sandbox_exec, memory_may_fail)
{
    static const char *const env[] = {"A=1"};
    int failed = 0, ran = 0;
    char input[] = "input";
    for (int kind = 0; kind < 2; kind++)
        for (uint64_t at = 1; at < 80; at++) {
            whelk_sandbox_result *one = NULL;
            whelk_sandbox_request_init(&q);
            q.script = "cat;big:20000;err:x;exit:0";
            q.env = env;
            q.n_env = 1;
            q.input = input;
            q.input_len = 5;
            q.max_stdout = 9000;
            q.tag = "tag";
            q.cwd = "here";
            q.detach_on_timeout = kind;
            box->mem->fail_at = box->mem->count + at;
            int code = whelk_sandbox_exec_with(box, &q, &one);
            box->mem->fail_at = 0;
            cr_assert(code == WHELK_OK || code == WHELK_E_NOMEM, "allocation %llu: %d", (unsigned long long)at, code);
            cr_assert_eq(code == WHELK_OK, one != NULL);
            failed += code != WHELK_OK;
            ran += code == WHELK_OK;
            whelk_sandbox_result_free(one);
            (void)wk_sandbox_tick(box);
        }
    cr_expect_gt(failed, 20);
    cr_expect_gt(ran, 20);
}
