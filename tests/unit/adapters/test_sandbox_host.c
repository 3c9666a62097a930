/* test_sandbox_host.c - the calls of whelk/sandbox.h over real processes: the kind "host" */
#include "adapters/link/guest_box.h"
#include "adapters/host/host.h"
#include "adapters/sandbox/sandbox.h"
#include "whelk/sandbox_mock.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char cache[64];
static whelk_sandbox *box;
static whelk_sandbox_request q;
static whelk_sandbox_result *r;

static void set_up(void)
{
    static const char *const git[] = {"env"};
    static const whelk_secret secret = {.size = sizeof secret, .name = "TOKEN", .value = "t0psecret", .commands = git,
                                        .n_commands = 1};
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    o.secrets = &secret;
    o.n_secrets = 1;
    snprintf(cache, sizeof cache, "%s", "/tmp/whelk-sandbox-test.XXXXXX");
    cr_assert(mkdtemp(cache));
    r = NULL;
    setenv("XDG_CACHE_HOME", cache, 1);
    setenv("ALLOW_DANGEROUS_LOCAL_HOST", "1", 1);
    int code = whelk_sandbox_open_kind(&wk_host_kind, &o, &box);
    cr_assert_eq(code, WHELK_OK, "%d %s", code, whelk_sandbox_error(box));
    whelk_sandbox_request_init(&q);
}

static void tear_down(void)
{
    whelk_sandbox_result_free(r);
    struct wk_mem *m = wk_mem_ref(box->mem);
    whelk_sandbox_close(box);
    cr_expect_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
    int tmp = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_expect_eq(wk_host_remove(tmp, strrchr(cache, '/') + 1), 0);
    close(tmp);
}

TestSuite(sandbox_host, .init = set_up, .fini = tear_down, .timeout = 120);

static const whelk_sandbox_result *run(const char *script)
{
    whelk_sandbox_result_free(r);
    r = NULL;
    q.script = script;
    int code = whelk_sandbox_exec_with(box, &q, &r);
    cr_assert_eq(code, WHELK_OK, "%s: %d %s", script, code, whelk_sandbox_error(box));
    return r;
}

static uint32_t start(const char *script)
{
    uint32_t id = 0;
    q.script = script;
    int code = whelk_sandbox_start(box, &q, &id);
    cr_assert_eq(code, WHELK_OK, "%s: %d %s", script, code, whelk_sandbox_error(box));
    return id;
}

Test(sandbox_host, a_command)
{
    run("echo hello; echo oops >&2; pwd; exit 3");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_EXITED);
    cr_expect_eq(r->exit_code, 3);
    cr_expect_eq(strncmp(r->out, "hello\n/", 7), 0);
    cr_expect(strstr(r->out, whelk_sandbox_workspace(box)));
    cr_expect_str_eq(r->err, "oops\n");
    run("kill -SEGV $$");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_SIGNALED);
    cr_expect_eq(r->signal, SIGSEGV);
    run("read x; echo \"[$x]\"; cat");
    cr_expect_str_eq(r->out, "[]\n");
}

Test(sandbox_host, what_cannot_be_started)
{
    static const char *const none[] = {"no-such-program-here"}, *const path[] = {"/etc/passwd"};
    q.argv = none;
    q.n_argv = 1;
    run(NULL);
    cr_expect_eq(r->outcome, WHELK_OUTCOME_FAILED);
    cr_expect_str_eq(r->error, "no-such-program-here: command not found");
    q.argv = path;
    run(NULL);
    cr_expect_eq(r->outcome, WHELK_OUTCOME_FAILED);
    cr_expect(strstr(r->error, "Permission denied"), "%s", r->error);
    q.n_argv = 0;
    q.cwd = "no/such/dir";
    run("true");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_FAILED);
    cr_expect(strstr(r->error, "no/such/dir"), "%s", r->error);
    cr_expect_eq(r->retry_safe, 1);
}

Test(sandbox_host, input_of_any_size)
{
    enum { MUCH = 5000000 };
    char *much = malloc(MUCH);
    for (size_t i = 0; i < MUCH; i++)
        much[i] = (char)('a' + i % 26);
    q.input = much;
    q.input_len = MUCH;
    run("cat");
    cr_expect_eq(r->out_len, MUCH);
    cr_expect_eq(memcmp(r->out, much, MUCH), 0);
    run("head -c 3");
    cr_expect_str_eq(r->out, "abc");
    run("wc -c");
    cr_expect_str_eq(r->out, "5000000\n");
    run("exec <&-; sleep 0.05; echo done");
    cr_expect_str_eq(r->out, "done\n");
    free(much);
}

Test(sandbox_host, time_ends_the_whole_tree)
{
    char name[64], look[400];
    q.timeout_ms = 300;
    q.grace_ms = 300;
    snprintf(name, sizeof name, "1000.%d", (int)getpid()); /* no other test's */
    snprintf(look, sizeof look,
             "echo begun; (trap '' TERM; sleep %s & sleep %s) & setsid sleep %s & sleep %s", name, name, name, name);
    run(look);
    cr_expect_eq(r->outcome, WHELK_OUTCOME_TIMEOUT);
    cr_expect_str_eq(r->out, "begun\n");
    cr_expect_eq(r->survivors, 0);
    q.timeout_ms = 0;
    snprintf(look, sizeof look,
             "for i in $(seq 100); do n=$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c '[s]leep %s'); "
             "[ \"$n\" = 0 ] && break; sleep 0.1; done; echo $n", name);
    run(look);
    cr_expect_str_eq(r->out, "0\n");
}

Test(sandbox_host, a_child_that_holds_the_output)
{
    run("sleep 5 & echo hi");
    cr_expect_eq(r->exit_code, 0);
    cr_expect_str_eq(r->out, "hi\n");
    cr_expect_eq(r->survivors, 1);
    cr_expect_lt(r->wall_ns, 4000000000);
}

static void *cancel_soon(void *arg)
{
    (void)arg;
    usleep(200000);
    whelk_sandbox_cancel(box);
    return NULL;
}

Test(sandbox_host, cancelled)
{
    pthread_t thread;
    pthread_create(&thread, NULL, cancel_soon, NULL);
    run("echo x; sleep 1000");
    pthread_join(thread, NULL);
    cr_expect_eq(r->outcome, WHELK_OUTCOME_CANCELLED);
    cr_expect_str_eq(r->out, "x\n");
}

Test(sandbox_host, much_output)
{
    q.spill = "all.txt";
    q.max_stdout = 100000;
    run("seq 1 2000000");
    cr_expect_str_eq(r->error, "");
    cr_expect_eq(r->out_total, 14888896);
    cr_expect_eq(r->truncated, 1);
    cr_expect_eq(strncmp(r->out, "1\n2\n3\n", 6), 0);
    cr_expect(strstr(r->out, " bytes left out …]\n"));
    cr_expect_str_eq(r->out + r->out_len - 8, "2000000\n");
    q.spill = NULL;
    run("wc -c <all.txt; seq 1 2000000 | cmp - all.txt && echo same");
    cr_expect_str_eq(r->out, "14888896\nsame\n");
}

Test(sandbox_host, secrets)
{
    static const char *const argv[] = {"env"};
    q.argv = argv;
    q.n_argv = 1;
    run(NULL);
    cr_expect(strstr(r->out, "TOKEN=***\n"), "%s", r->out);
    q.n_argv = 0;
    run("echo \"[$TOKEN]\"; printf t0p; sleep 0.1; printf secret");
    cr_expect_str_eq(r->out, "[]\n***");
}

Test(sandbox_host, long_scripts)
{
    char *script = malloc(400000);
    size_t n = 0;
    while (n < 300000)
        n += (size_t)sprintf(script + n, "x=%zu\n", n);
    sprintf(script + n, "echo $x $0 $#; ls /tmp/.whelk-script-* 2>/dev/null | wc -l");
    run(script);
    cr_expect(strstr(r->out, "sh 0\n"), "%s %s", r->out, r->err);
    free(script);
}

Test(sandbox_host, a_terminal)
{
    q.tty = 1;
    q.columns = 99;
    run("test -t 0 && test -t 1 && echo tty; stty size; echo $TERM; cat");
    cr_expect_str_eq(r->out, "tty\r\n24 99\r\nxterm-256color\r\n");
}

Test(sandbox_host, goes_on_in_the_background)
{
    whelk_process p = {.size = sizeof p};
    whelk_sandbox_output out = {.size = sizeof out};
    q.timeout_ms = 200;
    q.detach_on_timeout = 1;
    run("echo early; sleep 0.6; seq 1 300000; exit 5");
    cr_expect_eq(r->outcome, WHELK_OUTCOME_DETACHED);
    cr_expect_str_eq(r->out, "early\n");
    usleep(300000); /* nobody reads meanwhile: it does not wait for that */
    cr_assert_eq(whelk_sandbox_wait(box, r->process, 30000, &p), WHELK_OK);
    cr_expect_eq(p.exit_code, 5);
    cr_expect_eq(p.out_bytes, 1988901);
    whelk_sandbox_read what = {.size = sizeof what, .id = r->process, .stream = 1, .offset = 1988894};
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &out), WHELK_OK);
    cr_expect_str_eq(out.data, "300000\n");
    free(out.data);
    run("seq 1 300000; exit 4");
    cr_expect_eq(r->exit_code, 4);
    cr_expect_eq(r->out_len, 1988895);
}

Test(sandbox_host, its_time_is_over_though_nobody_calls)
{
    char path[500];
    whelk_process p = {.size = sizeof p};
    q.timeout_ms = 200;
    uint32_t id = start("trap 'echo >ended; exit 3' TERM; while :; do sleep 0.02; done");
    snprintf(path, sizeof path, "%s/ended", whelk_sandbox_workspace(box));
    for (int i = 0; i < 3000 && access(path, F_OK) != 0; i++)
        usleep(10000);
    cr_assert_eq(access(path, F_OK), 0);
    cr_assert_eq(whelk_sandbox_wait(box, id, 30000, &p), WHELK_OK);
    cr_expect_eq(p.outcome, WHELK_OUTCOME_TIMEOUT, "%d %d", p.outcome, p.exit_code);
}

Test(sandbox_host, the_first_and_the_last_of_a_long_log)
{
    enum { KEPT = 8 << 20 };
    whelk_process p = {.size = sizeof p};
    whelk_sandbox_output out = {.size = sizeof out};
    uint32_t id = start("seq -f %07.0f 1 3000000");
    cr_assert_eq(whelk_sandbox_wait(box, id, 30000, &p), WHELK_OK);
    cr_expect_eq(p.out_bytes, 24000000);
    whelk_sandbox_read what = {.size = sizeof what, .id = id, .stream = 1, .offset = KEPT - 16};
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &out), WHELK_OK);
    cr_expect_str_eq(out.data, "1048575\n1048576\n");
    cr_expect_eq(out.next, KEPT);
    cr_expect_eq(out.lost, 0);
    free(out.data);
    what.offset = out.next;
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &out), WHELK_OK);
    cr_expect_eq(out.lost, 24000000 - 2 * KEPT);
    cr_expect_eq(strncmp(out.data, "1951425\n", 8), 0, "%.30s", out.data);
    free(out.data);
}

Test(sandbox_host, a_server)
{
    char script[400];
    whelk_process p = {.size = sizeof p};
    whelk_sandbox_output out = {.size = sizeof out};
    q.tag = "server";
    snprintf(script, sizeof script,
             "python3 -c 'import socket\ns = socket.socket()\ns.bind((\"127.0.0.1\", 0))\ns.listen()\n"
             "print(\"listening on\", s.getsockname()[1])\ns.accept()'");
    uint32_t id = start(script);
    whelk_sandbox_read what = {.size = sizeof what, .id = id, .stream = 1, .wait_ms = 30000,
                               .until = WHELK_UNTIL_MATCH, .pattern = "^listening on [0-9]+$"};
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &out), WHELK_OK);
    cr_assert_eq(out.met, 1, "%s", out.data);
    int port = 0;
    sscanf(out.data, "listening on %d", &port);
    free(out.data);
    cr_expect_eq(whelk_sandbox_wait_port(box, (uint16_t)port, 30000), WHELK_OK, "%s", whelk_sandbox_error(box));
    cr_expect_eq(whelk_sandbox_signal(box, id, SIGTERM, WHELK_SCOPE_TREE), WHELK_OK);
    cr_assert_eq(whelk_sandbox_wait(box, id, 30000, &p), WHELK_OK);
    cr_expect_eq(p.outcome, WHELK_OUTCOME_SIGNALED);
    cr_expect_eq(p.signal, SIGTERM);
    cr_expect_str_eq(p.tag, "server");
    cr_expect_eq(whelk_sandbox_forget(box, id), WHELK_OK);
}

Test(sandbox_host, a_conversation)
{
    whelk_sandbox_output out = {.size = sizeof out};
    q.read_input = whelk_sandbox_input_later;
    uint32_t id = start("while read -r x; do echo \"got $x\"; done; echo end");
    whelk_sandbox_read what = {.size = sizeof what, .id = id, .stream = 1, .wait_ms = 30000};
    cr_assert_eq(whelk_sandbox_write_input(box, id, "one\n", 4), WHELK_OK);
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &out), WHELK_OK);
    cr_expect_str_eq(out.data, "got one\n");
    what.offset = out.next;
    free(out.data);
    cr_assert_eq(whelk_sandbox_write_input(box, id, "two\n", 4), WHELK_OK);
    cr_assert_eq(whelk_sandbox_end_input(box, id), WHELK_OK);
    what.until = WHELK_UNTIL_EXIT;
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &out), WHELK_OK);
    cr_expect_str_eq(out.data, "got two\nend\n");
    free(out.data);
}

/* What came of some commands, in one line. */
static void some_commands(whelk_sandbox *b, char *out, size_t cap)
{
    static const char *const scripts[] = {"echo one; echo two >&2; exit 3", "read x; echo \"got $x\"",
                                          "env | grep TOKEN; echo t0psecret", "no-such-command-here",
                                          "echo detachable; sleep 0.05; seq 1 20000 | tail -n 1"};
    for (size_t i = 0; i < WK_COUNTOF(scripts); i++) {
        whelk_sandbox_request one;
        whelk_sandbox_result *res = NULL;
        whelk_sandbox_request_init(&one);
        one.script = scripts[i];
        one.input = i == 1 ? "line\n" : NULL;
        one.input_len = i == 1 ? 5 : 0;
        one.detach_on_timeout = i == 4;
        cr_assert_eq(whelk_sandbox_exec_with(b, &one, &res), WHELK_OK, "%s", whelk_sandbox_error(b));
        size_t n = strlen(out);
        snprintf(out + n, cap - n, "%d %d [%s] [%s] [%s];", res->outcome, res->exit_code, res->out, res->err,
                 res->error);
        whelk_sandbox_result_free(res);
    }
}

Test(sandbox_host, recorded_and_replayed)
{
    char first[4000] = "", second[4000] = "";
    whelk_secret secret = {.size = sizeof secret, .name = "TOKEN", .value = "t0psecret"};
    whelk_sandbox_options o;
    whelk_sandbox *b;
    whelk_mock *m;
    size_t n;
    whelk_sandbox_options_init(&o);
    o.secrets = &secret;
    o.n_secrets = 1;
    cr_assert_eq(whelk_mock_record(&wk_host_kind, &m), WHELK_OK);
    cr_assert_eq(whelk_sandbox_open_kind(whelk_mock_kind(m), &o, &b), WHELK_OK, "%s", whelk_sandbox_error(b));
    some_commands(b, first, sizeof first);
    whelk_sandbox_close(b);
    char *text = strdup(whelk_mock_text(m, &n));
    whelk_mock_free(m);
    cr_expect(strstr(first, "got line"), "%s", first);
    cr_expect_null(strstr(text, "t0psecret"));
    cr_assert_eq(whelk_mock_replay(text, n, &m), WHELK_OK, "%s", whelk_mock_error(m));
    cr_assert_eq(whelk_sandbox_open_kind(whelk_mock_kind(m), &o, &b), WHELK_OK, "%s", whelk_sandbox_error(b));
    some_commands(b, second, sizeof second);
    cr_expect_str_eq(second, first);
    whelk_sandbox_close(b);
    whelk_mock_free(m);
    free(text);
}

static void *kill_helper(void *arg)
{
    const struct wk_guest_box *g = arg;
    usleep(200000);
    kill((pid_t)g->pid, SIGKILL);
    return NULL;
}

Test(sandbox_host, lost_with_its_helper)
{
    pthread_t thread;
    pthread_create(&thread, NULL, kill_helper, box->box);
    run("echo x; sleep 1000");
    pthread_join(thread, NULL);
    cr_expect_eq(r->outcome, WHELK_OUTCOME_LOST, "%d %s %s", r->outcome, r->out, r->err);
    cr_expect_str_eq(r->out, "x\n");
    cr_expect_eq(r->retry_safe, 0);
    whelk_sandbox_result *none = NULL;
    cr_expect_eq(whelk_sandbox_exec(box, "true", &none), WHELK_E_CLOSED);
}
