/* test_sandbox_inprocess.c - the kind "inprocess" through the public interface */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <whelk/sandbox.h>

static whelk_sandbox *open_with(const whelk_sandbox_options *o)
{
    whelk_sandbox *box;
    int r = whelk_sandbox_open("inprocess", o, &box);
    cr_assert_eq(r, WHELK_OK, "%d: %s", r, whelk_sandbox_error(box));
    return box;
}

static whelk_sandbox *open_box(void)
{
    return open_with(NULL);
}

static whelk_sandbox_result *run_request(whelk_sandbox *box, const whelk_sandbox_request *q)
{
    whelk_sandbox_result *r;
    int code = whelk_sandbox_exec_with(box, q, &r);
    cr_assert_eq(code, WHELK_OK, "%d: %s", code, whelk_sandbox_error(box));
    return r;
}

static whelk_sandbox_result *run(whelk_sandbox *box, const char *script)
{
    whelk_sandbox_request q;
    whelk_sandbox_request_init(&q);
    q.script = script;
    q.timeout_ms = 30000;
    return run_request(box, &q);
}

/* What a script writes, and that it succeeds. */
static void says(whelk_sandbox *box, const char *script, const char *out)
{
    whelk_sandbox_result *r = run(box, script);
    cr_assert_eq(r->outcome, WHELK_OUTCOME_EXITED, "%s: outcome %d", script, r->outcome);
    cr_assert_eq(r->exit_code, 0, "%s: %d: %s", script, r->exit_code, r->err);
    cr_assert_str_eq(r->out, out, "%s", script);
    whelk_sandbox_result_free(r);
}

static uint32_t start(whelk_sandbox *box, const char *script, int with_input)
{
    whelk_sandbox_request q;
    uint32_t id = 0;
    whelk_sandbox_request_init(&q);
    q.script = script;
    q.tag = script;
    if (with_input)
        q.read_input = whelk_sandbox_input_later;
    int code = whelk_sandbox_start(box, &q, &id);
    cr_assert_eq(code, WHELK_OK, "%d: %s", code, whelk_sandbox_error(box));
    cr_assert_neq(id, 0);
    return id;
}

/* Output from an offset on, when a line matches. */
static uint64_t read_until(whelk_sandbox *box, uint32_t id, uint64_t offset, const char *pattern, const char *out)
{
    whelk_sandbox_read what = {.size = sizeof what,
                               .id = id,
                               .stream = 1,
                               .offset = offset,
                               .wait_ms = 30000,
                               .until = pattern ? WHELK_UNTIL_MATCH : WHELK_UNTIL_EXIT,
                               .pattern = pattern};
    whelk_sandbox_output o = {.size = sizeof o};
    int code = whelk_sandbox_read_output(box, &what, &o);
    cr_assert_eq(code, WHELK_OK, "%d: %s", code, whelk_sandbox_error(box));
    cr_assert(o.met, "%s was not seen", pattern ? pattern : "the end");
    if (out)
        cr_assert_str_eq(o.data, out);
    uint64_t next = o.next;
    whelk_free(o.data);
    return next;
}

/* ---- commands ------------------------------------------------------------------------------------------ */

Test(sandbox_inprocess, a_script_has_its_streams_its_status_and_its_directory)
{
    whelk_sandbox *box = open_box();
    const char *env[] = {"PATH=/nowhere"};
    whelk_sandbox_request q;
    whelk_sandbox_request_init(&q);
    q.script = "echo $0 $PATH"; /* the shell is found whatever PATH says */
    q.env = env;
    q.n_env = 1;
    whelk_sandbox_result *r = run_request(box, &q);
    cr_assert_str_eq(r->out, "bash /nowhere\n");
    whelk_sandbox_result_free(r);
    r = run(box, "pwd; echo bad >&2; exit 7");
    cr_assert_eq(r->outcome, WHELK_OUTCOME_EXITED);
    cr_assert_eq(r->exit_code, 7);
    cr_assert_str_eq(r->out, "/workspace\n");
    cr_assert_str_eq(r->err, "bad\n");
    cr_assert_eq(r->survivors, 0u);
    cr_assert_gt(r->memory_peak, 0u);
    whelk_sandbox_result_free(r);
    cr_assert_str_eq(whelk_sandbox_kind_name(box), "inprocess");
    cr_assert_str_eq(whelk_sandbox_workspace(box), "/workspace");
    cr_assert(strstr(whelk_sandbox_description(box), "network none"));
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, files_persist_and_the_shell_does_not)
{
    whelk_sandbox *box = open_box();
    says(box, "X=1; f() { :; }; umask 0; cd /tmp; echo kept > /workspace/file", "");
    says(box, "cat file; echo \"[$X]$(type -t f)$(umask)\"; pwd", "kept\n[]0022\n/workspace\n");
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, the_environment_is_what_was_given)
{
    const char *env[] = {"OF_BOX=1", "BOTH=box"}, *of_session[] = {"OF_SESSION=3", "HOME=/home/agent"};
    const char *more[] = {"OF_REQUEST=2", "BOTH=request"};
    whelk_session_options so;
    whelk_sandbox_options o;
    whelk_session_options_init(&so);
    so.env = of_session;
    so.n_env = 2;
    so.user = "agent";
    whelk_sandbox_options_init(&o);
    o.session = &so;
    o.env = env;
    o.n_env = 2;
    whelk_sandbox *box = open_with(&o);
    whelk_sandbox_request q;
    whelk_sandbox_request_init(&q);
    q.script = "echo $OF_BOX$OF_REQUEST$OF_SESSION $BOTH $HOME $USER $(id -un)";
    q.env = more;
    q.n_env = 2;
    whelk_sandbox_result *r = run_request(box, &q);
    cr_assert_str_eq(r->out, "123 request /home/agent agent agent\n");
    whelk_sandbox_result_free(r);
    cr_assert_null(getenv("OF_BOX"));
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, argv_is_run_without_a_shell)
{
    whelk_sandbox *box = open_box();
    const char *argv[] = {"printf", "%s|", "$HOME", "a b"};
    whelk_sandbox_request q;
    whelk_sandbox_request_init(&q);
    q.argv = argv;
    q.n_argv = 4;
    whelk_sandbox_result *r = run_request(box, &q);
    cr_assert_str_eq(r->out, "$HOME|a b|");
    whelk_sandbox_result_free(r);
    argv[0] = "nosuch-program";
    r = run_request(box, &q);
    cr_assert_eq(r->outcome, WHELK_OUTCOME_FAILED);
    cr_assert(strstr(r->error, "nosuch-program"), "%s", r->error);
    cr_assert(r->retry_safe);
    cr_assert_eq(r->exit_code, -1);
    whelk_sandbox_result_free(r);
    q.cwd = "/no/such/place";
    argv[0] = "printf";
    r = run_request(box, &q);
    cr_assert_eq(r->outcome, WHELK_OUTCOME_FAILED);
    cr_assert(strstr(r->error, "/no/such/place"), "%s", r->error);
    whelk_sandbox_result_free(r);
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, a_login_shell_and_another_shell)
{
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    o.shell = "sh";
    whelk_sandbox *box = open_with(&o);
    whelk_sandbox_request q;
    whelk_sandbox_request_init(&q);
    q.script = "echo $FROM_PROFILE; set -o | grep -c '^posix.*on'";
    says(box, "echo 'FROM_PROFILE=yes' > ~/.profile", "");
    q.login = 1;
    whelk_sandbox_result *r = run_request(box, &q);
    cr_assert_str_eq(r->out, "yes\n1\n");
    whelk_sandbox_result_free(r);
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, a_signal_is_no_status)
{
    whelk_sandbox *box = open_box();
    whelk_sandbox_result *r = run(box, "echo before; kill -TERM $$; echo after");
    cr_assert_eq(r->outcome, WHELK_OUTCOME_SIGNALED);
    cr_assert_eq(r->signal, 15);
    cr_assert_eq(r->exit_code, -1);
    cr_assert_str_eq(r->out, "before\n");
    whelk_sandbox_result_free(r);
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, a_command_ends_when_its_process_does)
{
    whelk_sandbox *box = open_box();
    whelk_sandbox_result *r = run(box, "(sleep 1000; echo late) & echo now");
    cr_assert_eq(r->outcome, WHELK_OUTCOME_EXITED);
    cr_assert_str_eq(r->out, "now\n");
    cr_assert_geq(r->survivors, 1u);
    whelk_sandbox_result_free(r);
    r = run(box, "echo last &"); /* what is ready to be written is seen */
    cr_assert_str_eq(r->out, "last\n");
    whelk_sandbox_result_free(r);
    says(box, "pkill sleep; echo gone", "gone\n");
    whelk_sandbox_close(box);
}

/* ---- streams ------------------------------------------------------------------------------------------- */

struct counting {
    whelk_sandbox *box;
    size_t n[3];
    char last;
};

static void count(void *ctx, int stream, const char *data, size_t n)
{
    struct counting *c = ctx;
    c->n[stream] += n;
    c->last = data[n - 1];
}

Test(sandbox_inprocess, much_output_streams_and_is_cut_in_the_result)
{
    whelk_sandbox *box = open_box();
    struct counting c = {box, {0, 0, 0}, 0};
    whelk_sandbox_request q;
    whelk_sandbox_request_init(&q);
    q.script = "echo first; yes | head -c 30000000; echo error >&2; echo last";
    q.on_output = count;
    q.ctx = &c;
    q.max_stdout = 1000;
    whelk_sandbox_result *r = run_request(box, &q);
    cr_assert_eq(c.n[1], 30000011u);
    cr_assert_eq(c.n[2], 6u);
    cr_assert_eq(r->out_total, 30000011u);
    cr_assert_eq(r->truncated, 1);
    cr_assert_lt(r->out_len, 1200u);
    cr_assert_eq(strncmp(r->out, "first\n", 6), 0);
    cr_assert_str_eq(r->out + r->out_len - 5, "last\n");
    whelk_sandbox_result_free(r);
    q.merged = 1;
    q.script = "echo a; echo b >&2; echo c";
    r = run_request(box, &q);
    cr_assert_str_eq(r->out, "a\nb\nc\n");
    whelk_sandbox_result_free(r);
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, input_of_bytes_of_a_descriptor_and_none)
{
    whelk_sandbox *box = open_box();
    whelk_sandbox_request q;
    size_t n = 5000000;
    char *bytes = malloc(n);
    memset(bytes, 'x', n);
    whelk_sandbox_request_init(&q);
    q.script = "wc -c";
    whelk_sandbox_result *r = run_request(box, &q);
    cr_assert_str_eq(r->out, "0\n");
    whelk_sandbox_result_free(r);
    q.input = bytes;
    q.input_len = n;
    r = run_request(box, &q);
    cr_assert_str_eq(r->out, "5000000\n");
    whelk_sandbox_result_free(r);
    q.script = "head -c 3"; /* leaves the rest */
    r = run_request(box, &q);
    cr_assert_str_eq(r->out, "xxx");
    whelk_sandbox_result_free(r);
    free(bytes);
    int fd[2];
    cr_assert_eq(pipe(fd), 0);
    cr_assert_eq(write(fd[1], "one\ntwo\n", 8), 8);
    whelk_sandbox_request_init(&q);
    q.script = "read a; echo $a; read b; echo $b"; /* the pipe has no end */
    q.input_fd = &fd[0];
    r = run_request(box, &q);
    cr_assert_str_eq(r->out, "one\ntwo\n");
    whelk_sandbox_result_free(r);
    q.script = "read -t 0.05 a; echo $?"; /* a time-out of its own */
    r = run_request(box, &q);
    cr_assert_str_eq(r->out, "142\n");
    whelk_sandbox_result_free(r);
    close(fd[1]);
    q.script = "cat; echo end";
    r = run_request(box, &q);
    cr_assert_str_eq(r->out, "end\n");
    whelk_sandbox_result_free(r);
    close(fd[0]);
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, a_terminal_echoes_and_makes_signals_of_keys)
{
    whelk_sandbox *box = open_box();
    whelk_sandbox_request q;
    uint32_t id;
    whelk_sandbox_request_init(&q);
    q.script = "trap 'echo interrupted' INT; tty; echo $COLUMNS; read x; echo \"[$x]\"; sleep 1000; echo end";
    q.tty = 1;
    q.columns = 99;
    q.read_input = whelk_sandbox_input_later;
    cr_assert_eq(whelk_sandbox_start(box, &q, &id), WHELK_OK, "%s", whelk_sandbox_error(box));
    uint64_t at = read_until(box, id, 0, "99\r?", "/dev/tty\r\n99\r\n");
    cr_assert_eq(whelk_sandbox_write_input(box, id, "keyz\177\r", 6), WHELK_OK);
    at = read_until(box, id, at, "\\[key\\]\r?", "keyz\b \b\r\n[key]\r\n");
    cr_assert_eq(whelk_sandbox_resize(box, id, 10, 20), WHELK_OK);
    cr_assert_eq(whelk_sandbox_write_input(box, id, "\003", 1), WHELK_OK);
    read_until(box, id, at, "end\r?", "^Cinterrupted\r\nend\r\n");
    whelk_process p = {.size = sizeof p};
    cr_assert_eq(whelk_sandbox_wait(box, id, 30000, &p), WHELK_OK);
    cr_assert_eq(p.exit_code, 0);
    whelk_sandbox_close(box);
}

/* ---- ends ------------------------------------------------------------------------------------------------ */

Test(sandbox_inprocess, a_time_out_is_an_outcome_and_leaves_nothing)
{
    whelk_sandbox *box = open_box();
    const char *scripts[] = {"echo started; sleep 1000", "echo started; while :; do :; done",
                             "trap '' TERM; echo started; (trap '' TERM; sleep 1000; :) | cat; sleep 1000",
                             "echo started; sleep 1000 & wait"};
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        whelk_sandbox_request q;
        whelk_sandbox_request_init(&q);
        q.script = scripts[i];
        q.timeout_ms = 100;
        q.grace_ms = 50;
        whelk_sandbox_result *r = run_request(box, &q);
        cr_assert_eq(r->outcome, WHELK_OUTCOME_TIMEOUT, "%s: %d", scripts[i], r->outcome);
        cr_assert_eq(r->exit_code, -1);
        cr_assert_str_eq(r->out, "started\n");
        cr_assert(strstr(r->error, "100 ms"), "%s", r->error);
        whelk_sandbox_result_free(r);
        says(box, "ps -e -o comm= | grep -c -e sleep -e cat; true", "0\n");
    }
    whelk_sandbox_close(box);
}

static void *cancel_soon(void *arg)
{
    usleep(100000);
    whelk_sandbox_cancel(arg);
    return NULL;
}

Test(sandbox_inprocess, a_cancel_from_another_thread_is_an_outcome)
{
    whelk_sandbox *box = open_box();
    const char *scripts[] = {"sleep 1000", "while :; do :; done", "yes > /dev/null"};
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        pthread_t t;
        cr_assert_eq(pthread_create(&t, NULL, cancel_soon, box), 0);
        whelk_sandbox_result *r = run(box, scripts[i]);
        pthread_join(t, NULL);
        cr_assert_eq(r->outcome, WHELK_OUTCOME_CANCELLED, "%s: %d", scripts[i], r->outcome);
        whelk_sandbox_result_free(r);
        says(box, "echo on", "on\n");
    }
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, memory_that_runs_out_ends_the_command_only)
{
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    o.memory_bytes = 24 << 20;
    whelk_sandbox *box = open_with(&o);
    uint32_t beside = start(box, "read x; echo still $x", 1);
    whelk_sandbox_result *r = run(box, "echo a; x=$(yes | tr -d '\\n'); echo b");
    cr_assert_eq(r->outcome, WHELK_OUTCOME_MEMORY, "%d %d", r->outcome, r->signal);
    cr_assert_str_eq(r->out, "a\n");
    cr_assert(strstr(r->err, "memory limit reached"), "%s", r->err);
    whelk_sandbox_result_free(r);
    says(box, "echo works", "works\n");
    cr_assert_eq(whelk_sandbox_write_input(box, beside, "here\n", 5), WHELK_OK);
    read_until(box, beside, 0, NULL, "still here\n");
    whelk_sandbox_request q;
    whelk_sandbox_request_init(&q);
    q.script = "x=$(head -c 4000000 /dev/zero | tr '\\0' a); echo ${#x}";
    r = run_request(box, &q);
    cr_assert_str_eq(r->out, "4000000\n");
    whelk_sandbox_result_free(r);
    q.memory_bytes = 2 << 20; /* of this command alone */
    r = run_request(box, &q);
    cr_assert_eq(r->outcome, WHELK_OUTCOME_MEMORY, "%d", r->outcome);
    whelk_sandbox_result_free(r);
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, limits_of_a_session_hold_for_each_command)
{
    whelk_limits l = {.size = sizeof l, .steps = 100000, .output_bytes = 100000};
    whelk_session_options so;
    whelk_sandbox_options o;
    whelk_session_options_init(&so);
    so.limits = &l;
    whelk_sandbox_options_init(&o);
    o.session = &so;
    whelk_sandbox *box = open_with(&o);
    for (int i = 0; i < 3; i++) {
        whelk_sandbox_result *r = run(box, "while :; do :; done");
        cr_assert_eq(r->outcome, WHELK_OUTCOME_SIGNALED, "%d", r->outcome);
        cr_assert_eq(r->signal, 9);
        cr_assert(strstr(r->err, "step limit reached"), "%s", r->err);
        whelk_sandbox_result_free(r);
    }
    whelk_sandbox_result *r = run(box, "yes | head -c 1000000");
    cr_assert_eq(r->outcome, WHELK_OUTCOME_SIGNALED, "%d", r->outcome);
    cr_assert_eq(r->out_total, 100000u);
    whelk_sandbox_result_free(r);
    whelk_sandbox_close(box);
    l = (whelk_limits){.size = sizeof l, .time_ns = 100000000};
    box = open_with(&o);
    r = run(box, "sleep 1000 | cat");
    cr_assert_eq(r->outcome, WHELK_OUTCOME_SIGNALED, "%d", r->outcome);
    cr_assert(strstr(r->err, "time limit reached"), "%s", r->err);
    whelk_sandbox_result_free(r);
    says(box, "echo on", "on\n");
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, limits_of_a_request)
{
    whelk_sandbox *box = open_box();
    whelk_sandbox_request q;
    whelk_sandbox_request_init(&q);
    q.script = "head -c 100000 /dev/zero > big; echo $?; wc -c < big";
    q.file_bytes = 5000;
    whelk_sandbox_result *r = run_request(box, &q);
    cr_assert_str_eq(r->out, "153\n5000\n", "%s", r->out);
    whelk_sandbox_result_free(r);
    whelk_sandbox_request_init(&q);
    q.script = "ulimit -n; exec 50<&0 || echo refused";
    q.descriptors = 20;
    r = run_request(box, &q);
    cr_assert_eq(strncmp(r->out, "20\n", 3), 0, "%s", r->out);
    cr_assert(strstr(r->err, "Bad file descriptor"), "%s", r->err);
    whelk_sandbox_result_free(r);
    whelk_sandbox_request_init(&q);
    q.script = "for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & done; jobs | wc -l; kill $(jobs -p)";
    q.processes = 4;
    r = run_request(box, &q);
    cr_assert(strstr(r->err, "Resource temporarily unavailable"), "%s", r->err);
    whelk_sandbox_result_free(r);
    whelk_sandbox_request_init(&q);
    q.script = "while :; do :; done";
    q.cpu_seconds = 1;
    q.timeout_ms = 60000;
    r = run_request(box, &q);
    cr_assert_eq(r->outcome, WHELK_OUTCOME_SIGNALED);
    cr_assert_geq(r->cpu_ns, 900000000);
    whelk_sandbox_result_free(r);
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, a_fork_bomb_ends_itself_and_nobody_else)
{
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    o.pids = 40;
    whelk_sandbox *box = open_with(&o);
    uint32_t beside = start(box, "read x; echo still", 1);
    whelk_sandbox_result *r = run(box, "f() { f | f & wait; }; f");
    cr_assert_eq(r->outcome, WHELK_OUTCOME_SIGNALED, "%d %d", r->outcome, r->exit_code);
    whelk_sandbox_result_free(r);
    says(box, "ps -e -o comm= | grep -c '^bash$'", "2\n"); /* itself, and the one beside */
    cr_assert_eq(whelk_sandbox_write_input(box, beside, "\n", 1), WHELK_OK);
    read_until(box, beside, 0, NULL, "still\n");
    whelk_sandbox_close(box);
}

/* ---- background ------------------------------------------------------------------------------------------ */

struct list {
    unsigned n, running;
    uint32_t ids[8];
};

static int list_one(void *ctx, const whelk_process *p)
{
    struct list *l = ctx;
    l->ids[l->n++] = p->id;
    l->running += p->state == 0;
    cr_assert_str_eq(p->tag, p->command);
    return 0;
}

Test(sandbox_inprocess, several_processes_run_beside_one_another)
{
    whelk_sandbox *box = open_box();
    struct list l = {0};
    uint32_t a = start(box, "echo $$ > a.pid; while read x; do echo a $x; done; echo a end", 1);
    uint32_t b = start(box, "echo $$ > b.pid; echo ready; sleep 1000", 0);
    uint32_t c = start(box, "echo c; exit 3", 0);
    read_until(box, b, 0, "ready", "ready\n");
    whelk_process p = {.size = sizeof p};
    cr_assert_eq(whelk_sandbox_wait(box, c, 30000, &p), WHELK_OK);
    cr_assert_eq(p.exit_code, 3);
    cr_assert_eq(whelk_sandbox_processes(box, list_one, &l), 0);
    cr_assert_eq(l.n, 3u);
    cr_assert_eq(l.running, 2u);
    cr_assert_eq(l.ids[0], a);
    cr_assert_eq(whelk_sandbox_write_input(box, a, "one\n", 4), WHELK_OK);
    uint64_t at = read_until(box, a, 0, "a one", "a one\n");
    says(box, "kill -0 $(cat a.pid) && ps -p $(cat b.pid) -o comm= && kill $(cat b.pid)", "bash\n");
    cr_assert_eq(whelk_sandbox_wait(box, b, 30000, &p), WHELK_OK);
    cr_assert_eq(p.outcome, WHELK_OUTCOME_SIGNALED);
    cr_assert_eq(p.signal, 15);
    cr_assert_eq(whelk_sandbox_end_input(box, a), WHELK_OK);
    read_until(box, a, at, NULL, "a end\n");
    cr_assert_eq(whelk_sandbox_forget(box, a), WHELK_OK);
    cr_assert_eq(whelk_sandbox_signal(box, a, 15, WHELK_SCOPE_TREE), WHELK_E_NOENT);
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, signals_by_scope)
{
    whelk_sandbox *box = open_box();
    const char *script = "trap 'echo usr1' USR1; (trap 'echo inner' USR1; echo ready; while :; do sleep 1000; done) &\n"
                         "while :; do wait; done";
    uint32_t id = start(box, script, 0);
    read_until(box, id, 0, "ready", NULL);
    cr_assert_eq(whelk_sandbox_signal(box, id, 10, WHELK_SCOPE_LEADER), WHELK_OK);
    uint64_t at = read_until(box, id, 0, "usr1", "ready\nusr1\n");
    cr_assert_eq(whelk_sandbox_signal(box, id, 0, WHELK_SCOPE_GROUP), WHELK_OK);
    cr_assert_eq(whelk_sandbox_signal(box, id, 9, WHELK_SCOPE_TREE), WHELK_OK);
    whelk_process p = {.size = sizeof p};
    cr_assert_eq(whelk_sandbox_wait(box, id, 30000, &p), WHELK_OK);
    cr_assert_eq(p.outcome, WHELK_OUTCOME_SIGNALED);
    cr_assert_eq(p.signal, 9);
    read_until(box, id, at, NULL, "");
    says(box, "ps -e -o comm= | grep -c sleep; true", "0\n");
    cr_assert_eq(whelk_sandbox_signal(box, id, 9, WHELK_SCOPE_TREE), WHELK_E_NOENT);
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, a_log_keeps_its_beginning_and_its_end)
{
    whelk_sandbox *box = open_box();
    uint32_t id = start(box, "echo begin; yes 0123456789abcde | head -c 40000000; echo end", 0);
    whelk_process p = {.size = sizeof p};
    cr_assert_eq(whelk_sandbox_wait(box, id, 60000, &p), WHELK_OK);
    whelk_sandbox_read what = {.size = sizeof what, .id = id, .stream = 1, .max = 6};
    whelk_sandbox_output o = {.size = sizeof o};
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &o), WHELK_OK);
    cr_assert_str_eq(o.data, "begin\n");
    whelk_free(o.data);
    what.offset = 20000000; /* in what was left out */
    what.max = 0;
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &o), WHELK_OK);
    cr_assert_gt(o.lost, 0u);
    cr_assert_eq(o.offset, 20000000 + o.lost);
    whelk_free(o.data);
    what.offset = 40000006;
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &o), WHELK_OK);
    cr_assert_str_eq(o.data, "end\n");
    cr_assert_eq(o.next, 40000010u);
    cr_assert_eq(o.state, 1);
    whelk_free(o.data);
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, a_command_whose_time_is_over_can_go_on_in_the_background)
{
    whelk_sandbox *box = open_box();
    whelk_sandbox_request q;
    whelk_sandbox_request_init(&q);
    q.script = "echo first; while [ ! -e go ]; do sleep 0.01; done; echo second";
    q.timeout_ms = 100;
    q.detach_on_timeout = 1;
    whelk_sandbox_result *r = run_request(box, &q);
    cr_assert_eq(r->outcome, WHELK_OUTCOME_DETACHED);
    cr_assert_str_eq(r->out, "first\n");
    uint32_t id = r->process;
    whelk_sandbox_result_free(r);
    says(box, "touch go", "");
    read_until(box, id, 0, NULL, "first\nsecond\n");
    whelk_sandbox_close(box);
}

/* ---- the session behind it --------------------------------------------------------------------------------- */

struct inner {
    whelk_session *s;
    int exec_code, stat_code;
};

static void use_session(void *ctx, int stream, const char *data, size_t n)
{
    struct inner *in = ctx;
    const whelk_result *r;
    whelk_stat st = {.size = sizeof st};
    (void)stream, (void)data, (void)n;
    in->exec_code = whelk_exec(in->s, "echo nested", &r);
    in->stat_code = whelk_stat_file(in->s, "/workspace", 1, &st);
}

Test(sandbox_inprocess, the_session_can_be_used_between_commands)
{
    whelk_sandbox *box = open_box();
    whelk_session *s = whelk_sandbox_session(box);
    const whelk_result *r;
    cr_assert_not_null(s);
    uint32_t id = start(box, "while read x; do echo $x; done", 1);
    cr_assert_eq(whelk_exec(s, "pwd; X=5; echo from session > f", &r), WHELK_OK);
    cr_assert_str_eq(r->out, "/workspace\n");
    says(box, "cat f; echo \"[$X]\"", "from session\n[]\n");
    cr_assert_eq(whelk_exec(s, "echo $X", &r), WHELK_OK);
    cr_assert_str_eq(r->out, "5\n");
    struct inner in = {s, 1, 1};
    whelk_sandbox_request q;
    whelk_sandbox_request_init(&q);
    q.script = "echo x";
    q.on_output = use_session;
    q.ctx = &in;
    whelk_sandbox_result_free(run_request(box, &q));
    cr_assert_eq(in.exec_code, WHELK_E_BUSY);
    cr_assert_eq(in.stat_code, WHELK_OK);
    cr_assert_eq(whelk_sandbox_write_input(box, id, "alive\n", 6), WHELK_OK);
    read_until(box, id, 0, "alive", "alive\n");
    /* While a run of the program's own is under way there is no starting. */
    whelk_run_options o;
    whelk_run *run_of_mine;
    whelk_sandbox_result *none;
    whelk_run_options_init(&o);
    o.script = "true";
    o.script_len = SIZE_MAX;
    cr_assert_eq(whelk_run_start(s, &o, &run_of_mine), WHELK_OK);
    (void)whelk_sandbox_exec(box, "true", &none);
    cr_assert(none == NULL || none->outcome == WHELK_OUTCOME_FAILED);
    whelk_sandbox_result_free(none);
    cr_assert_eq(whelk_run_finish(run_of_mine, &r), WHELK_OK);
    says(box, "echo on", "on\n");
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, snapshots_and_what_forbids_to_restore_them)
{
    whelk_sandbox *box = open_box();
    whelk_snapshot *snap, *now;
    says(box, "echo one > f; mkdir d", "");
    cr_assert_eq(whelk_sandbox_snapshot(box, &snap), WHELK_OK);
    says(box, "echo two > f; rmdir d; echo new > g", "");
    uint32_t id = start(box, "sleep 1000", 0);
    cr_assert_eq(whelk_sandbox_restore(box, snap), WHELK_E_STATE);
    cr_assert_eq(whelk_sandbox_signal(box, id, 9, WHELK_SCOPE_TREE), WHELK_OK);
    cr_assert_eq(whelk_sandbox_wait(box, id, 30000, NULL), WHELK_OK);
    cr_assert_eq(whelk_sandbox_restore(box, snap), WHELK_OK, "%s", whelk_sandbox_error(box));
    says(box, "cat f; ls", "one\nd\nf\n");
    cr_assert_eq(whelk_sandbox_snapshot(box, &now), WHELK_OK);
    whelk_snapshot_free(now);
    whelk_sandbox_close(box);
    whelk_session_options so;
    whelk_sandbox_options o;
    whelk_session_options_init(&so);
    so.from = snap; /* outlives its sandbox */
    whelk_sandbox_options_init(&o);
    o.session = &so;
    box = open_with(&o);
    says(box, "cat f", "one\n");
    whelk_sandbox_close(box);
    whelk_snapshot_free(snap);
}

Test(sandbox_inprocess, another_user)
{
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    o.user = "1234:77";
    o.workspace = "/srv/work";
    whelk_sandbox *box = open_with(&o);
    says(box, "id -u; id -g; pwd; touch mine; stat -c %u:%g mine .", "1234\n77\n/srv/work\n1234:77\n1234:77\n");
    whelk_sandbox_request q;
    whelk_sandbox_request_init(&q);
    q.user = "0";
    q.script = "id -u; echo x > /etc/by-root; stat -c %u /etc/by-root";
    whelk_sandbox_result *r = run_request(box, &q);
    cr_assert_str_eq(r->out, "0\n0\n");
    whelk_sandbox_result_free(r);
    whelk_sandbox_close(box);
}

/* ---- opening and closing ------------------------------------------------------------------------------------ */

static void refused(const whelk_sandbox_options *o, int code, const char *name)
{
    whelk_sandbox *box;
    cr_assert_eq(whelk_sandbox_open("inprocess", o, &box), code, "%s", name);
    cr_assert(strstr(whelk_sandbox_error(box), name), "\"%s\" does not name %s", whelk_sandbox_error(box), name);
    cr_assert_eq(whelk_sandbox_capabilities(box), 0u);
    whelk_sandbox_close(box);
}

#define REFUSED(field, value, code, name) \
    do {                                  \
        whelk_sandbox_options o_;         \
        whelk_sandbox_options_init(&o_);  \
        o_.field = value;                 \
        refused(&o_, code, name);         \
    } while (0)

Test(sandbox_inprocess, what_a_session_has_not_is_refused_by_name)
{
    static const char *const extra[] = {"A=b"};
    static const whelk_port port = {.size = sizeof port, .inside = 80};
    whelk_sandbox_options o;
    REFUSED(image, "debian", WHELK_E_UNSUPPORTED, "image");
    REFUSED(pull, "never", WHELK_E_UNSUPPORTED, "pull");
    REFUSED(platform, "linux/arm64", WHELK_E_UNSUPPORTED, "platform");
    REFUSED(endpoint, "unix:///x", WHELK_E_UNSUPPORTED, "endpoint");
    REFUSED(setup_script, "true", WHELK_E_UNSUPPORTED, "setup_script");
    REFUSED(workspace_in_container, 1, WHELK_E_UNSUPPORTED, "workspace_in_container");
    REFUSED(workspace_path, "/w", WHELK_E_UNSUPPORTED, "workspace_path");
    REFUSED(runtime, "runsc", WHELK_E_UNSUPPORTED, "runtime");
    REFUSED(read_only_root, 1, WHELK_E_UNSUPPORTED, "read_only_root");
    REFUSED(isolation, "auto", WHELK_E_UNSUPPORTED, "isolation");
    REFUSED(inherit_env, 1, WHELK_E_UNSUPPORTED, "inherit_env");
    REFUSED(cpu_milli, 500, WHELK_E_UNSUPPORTED, "cpu_milli");
    REFUSED(network, "all", WHELK_E_UNSUPPORTED, "network");
    REFUSED(delete_on_cleanup, WHELK_NO, WHELK_E_UNSUPPORTED, "delete_on_cleanup");
    REFUSED(shell, "python3", WHELK_E_UNSUPPORTED, "shell");
    REFUSED(workspace, "relative", WHELK_E_INVALID, "workspace");
    REFUSED(user, "nobody", WHELK_E_INVALID, "user");
    whelk_sandbox_options_init(&o);
    o.extra = extra;
    o.n_extra = 1;
    refused(&o, WHELK_E_UNSUPPORTED, "extra");
    whelk_sandbox_options_init(&o);
    o.ports = &port;
    o.n_ports = 1;
    refused(&o, WHELK_E_UNSUPPORTED, "ports");
    whelk_sandbox *box;
    cr_assert_eq(whelk_sandbox_open("cloud", NULL, &box), WHELK_E_UNSUPPORTED);
    cr_assert(strstr(whelk_sandbox_error(box), "cloud"), "%s", whelk_sandbox_error(box));
    whelk_sandbox_close(box);
    cr_assert_eq(whelk_sandbox_reap("inprocess", NULL), 0);
    box = open_box();
    cr_assert_eq(whelk_sandbox_wait_port(box, 80, 100), WHELK_E_UNSUPPORTED);
    cr_assert_gt(strlen(whelk_sandbox_error(box)), 0u);
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, without_background_processes_when_that_is_wanted)
{
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    o.background = WHELK_NO;
    whelk_sandbox *box = open_with(&o);
    whelk_sandbox_request q;
    uint32_t id;
    whelk_sandbox_request_init(&q);
    q.script = "true";
    cr_assert_eq(whelk_sandbox_start(box, &q, &id), WHELK_E_UNSUPPORTED);
    says(box, "echo on", "on\n");
    whelk_sandbox_close(box);
}

Test(sandbox_inprocess, a_thousand_are_opened_and_closed)
{
    whelk_runtime *rt;
    whelk_sandbox_options o;
    cr_assert_eq(whelk_runtime_new(NULL, &rt), WHELK_OK);
    whelk_sandbox_options_init(&o);
    o.runtime_of_session = rt;
    for (int i = 0; i < 1000; i++) {
        whelk_sandbox *box = open_with(&o);
        if (i % 4 == 0)
            start(box, "sleep 1000 & read x; yes | cat", 1);
        if (i % 4 != 1)
            says(box, "echo $((1 + 1))", "2\n");
        whelk_sandbox_close(box);
    }
    cr_assert_eq(whelk_runtime_free(rt), WHELK_OK); /* every session was closed */
}

Test(sandbox_inprocess, little_memory_is_an_error_and_no_crash)
{
    int opened = 0, failed = 0;
    for (uint64_t bytes = 16 << 10; bytes < 3 << 20; bytes += bytes / 16) {
        whelk_sandbox_options o;
        whelk_sandbox *box;
        whelk_sandbox_options_init(&o);
        o.memory_bytes = bytes;
        int code = whelk_sandbox_open("inprocess", &o, &box);
        if (code) {
            failed++;
            cr_assert_eq(code, WHELK_E_NOMEM, "%d: %s", code, whelk_sandbox_error(box));
            cr_assert_gt(strlen(whelk_sandbox_error(box)), 0u);
        } else {
            whelk_sandbox_result *r;
            opened++;
            code = whelk_sandbox_exec(box, "echo a | cat > f; x=$(seq 1000); echo ${#x}; cat f f f | sort", &r);
            if (code == WHELK_OK && r->outcome == WHELK_OUTCOME_FAILED)
                cr_assert_gt(strlen(r->error), 0u);
            whelk_sandbox_result_free(r);
        }
        whelk_sandbox_close(box);
    }
    cr_assert_gt(opened, 0);
    cr_assert_gt(failed, 0);
}
