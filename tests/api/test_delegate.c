/* test_delegate.c - delegated commands over a kind whose processes are played: what the shell sees of them */
#include "api_session.h"
#include "fake_kind.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <whelk/delegate.h>

static struct api_session a;
static struct fake f;
static whelk_sandbox_kind kind;

static int delegate_to(const char *const *names, size_t n)
{
    whelk_delegate d;
    whelk_delegate_init(&d);
    d.supplied = &kind;
    d.commands = names;
    d.n_commands = n;
    d.sync = WHELK_SYNC_NONE;
    d.directory = "/home/user";
    return whelk_session_delegate(a.s, &d);
}

static void open_all(void)
{
    static const char *const names[] = {"play", "missing", "denied", "lose", "python3"};
    memset(&f, 0, sizeof f);
    kind = fake_kind(&f);
    a = api_open(NULL);
    cr_assert_eq(delegate_to(names, 5), WHELK_OK);
}

static void close_all(void)
{
    api_close(&a);
    cr_expect_eq(f.alive, 0, "%d processes are left", f.alive);
    cr_expect_eq(f.opened, f.closed);
}

TestSuite(delegate, .init = open_all, .fini = close_all, .timeout = 60);

/* ---- finding it, statuses ------------------------------------------------------------------------- */

Test(delegate, opened_by_the_first_command)
{
    api_expect(&a, "echo no", "no\n", 0);
    cr_expect_eq(f.opened, 0);
    api_expect(&a, "play say hello; play say again", "hello\nagain\n", 0);
    cr_expect_eq(f.opened, 1);
}

Test(delegate, is_a_command_like_any_other)
{
    api_expect(&a, "command -v play; type play; type -t play; test -x /usr/bin/play && echo x",
               "/usr/bin/play\nplay is /usr/bin/play\nfile\nx\n", 0);
    api_expect(&a, "echo a b | xargs -n 1 play args", "[play][args][a]\n[play][args][b]\n", 0);
    api_expect(&a, "touch f; find . -name f -exec play args {} \\;", "[play][args][./f]\n", 0);
    api_expect(&a, "env V=1 play env V; nohup play say n; timeout 9 play code 3; echo $?", "1\nn\n3\n", 0);
    api_expect(&a, "/usr/bin/play args; ln -s /usr/bin/play q; ./q args", "[play][args]\n[q][args]\n", 0);
    api_expect(&a, "printf '#!/usr/bin/env -S play args\\n' > s; chmod +x s; ./s x", "[play][args][./s][x]\n", 0);
    api_expect(&a, "play() { echo function; }; play; command play say c; unset -f play", "function\nc\n", 0);
}

/* --help and --version are the program's own. */
Test(delegate, options_are_its_own)
{
    api_expect(&a, "play --version; play --help args", "[play][--help][args]\n", 0);
    api_expect(&a, "play args --help", "[play][args][--help]\n", 0);
}

Test(delegate, statuses)
{
    api_expect(&a, "play code 7; echo $?; play code 0; echo $?; ! play code 1; echo $?", "7\n0\n0\n", 0);
    api_expect(&a, "play die 11; echo $?; play die 15; echo $?", "139\n143\n", 0);
    cr_expect(strstr(a.r->err, "Segmentation fault"), "%s", a.r->err);
    api_expect(&a, "set -e; play code 5; echo not here", "", 5);
}

Test(delegate, that_cannot_be_started)
{
    api_expect(&a, "missing x; echo $?", "127\n", 0);
    cr_expect_str_eq(a.r->err, "missing: cannot be started in the played sandbox: no such program\n");
    api_expect(&a, "denied; echo $?", "126\n", 0);
    cr_expect_str_eq(a.r->err, "denied: cannot be started in the played sandbox: it may not be run\n");
}

Test(delegate, box_that_cannot_be_opened)
{
    f.open_code = WHELK_E_NOENT;
    api_expect(&a, "play say x; echo $?", "126\n", 0);
    cr_expect_str_eq(a.r->err, "play: cannot open the played sandbox: no engine\n");
    f.open_code = 0;
    api_expect(&a, "play say x; echo $?", "x\n0\n", 0);
}

/* As after the daemon's end: 125 for who was there; the next one gets another box. */
Test(delegate, box_that_is_lost)
{
    api_expect(&a, "play hold & sleep 0.3; lose; echo $?; wait $!; echo $?; play say new", "125\n125\nnew\n", 0);
    cr_expect(strstr(a.r->err, "lose: the played sandbox was lost"), "%s", a.r->err);
    cr_expect_eq(f.opened, 2);
    cr_expect_eq(f.closed, 1);
    f.alive = 0; /* those of the box that was lost */
}

/* ---- command line --------------------------------------------------------------------------------------- */

Test(delegate, directories_are_those_of_the_box)
{
    api_expect(&a, "play cwd; mkdir -p d/e; cd d/e; play cwd; play env PWD", "/box\n/box/d/e\n/box/d/e\n", 0);
    api_expect(&a, "cd /tmp; play cwd; echo $?; cd /usr; play cwd; cd", "126\n", 0);
    cr_expect(strstr(a.r->err, "play: the working directory /tmp is not in the played sandbox: only /home/user is\n"),
              "%s", a.r->err);
}

Test(delegate, paths_of_the_session_in_arguments)
{
    api_expect(&a, "play args /home/user/x --out=/home/user -I/home/user/i V=/home/user/v /etc/x /home/users",
               "[play][args][/box/x][--out=/box][-I/box/i][V=/box/v][/etc/x][/home/users]\n", 0);
    api_expect(&a, "play args 'print(\"/home/user\")' a/home/user",
               "[play][args][print(\"/home/user\")][a/home/user]\n", 0);
}

Test(delegate, variables)
{
    api_expect(&a, "export V='a b'; X=1; Y=2 play env V env X env Y", "a b\n(none)\n2\n", 0);
    api_expect(&a, "play env HOME env USER env SHELL", "/box\n(none)\n(none)\n", 0);
    api_expect(&a, "PATH=/home/user/bin:$PATH play env PATH",
               "/box/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n", 0);
    api_expect(&a, "PYTHONPATH=/home/user/lib:/opt/x play env PYTHONPATH", "/box/lib:/opt/x\n", 0);
    api_expect(&a, "umask 027; play umask", "0027\n", 0);
}

Test(delegate, process_substitution_is_refused)
{
    api_expect(&a, "play args <(echo x); echo $?", "126\n", 0);
    cr_expect(strstr(a.r->err, "use standard input"), "%s", a.r->err);
    api_expect(&a, "play copy < <(echo x)", "x\n", 0);
}

/* ---- streams ------------------------------------------------------------------------------------------------ */

Test(delegate, input_and_output)
{
    api_expect(&a, "echo in | play copy", "in\n", 0);
    api_expect(&a, "play copy <<E\nhere $((1+1))\nE\nplay copy <<<string", "here 2\nstring\n", 0);
    api_expect(&a, "play say x > o; cat o; play say y >> o; play copy < o", "x\nx\ny\n", 0);
    api_expect(&a, "v=$(play say captured code 4); echo $v $?", "captured 4\n", 0);
    api_expect(&a, "play err wrong say right 2>e; cat e; play err a say b 2>&1 | sed s/^/:/", "right\nwrong:ab\n", 0);
    api_expect(&a, "play say x | play copy | play copy | tr x y", "y\n", 0);
    api_expect(&a, "play count < /dev/null; play count <&-; play say x >&-; echo $?", "0\n0\n0\n", 0);
}

Test(delegate, much)
{
    api_expect(&a, "play fill 100000000 | wc -c", "100000000\n", 0);
    api_expect(&a, "play fill 30000000 | play count; play fill 3000000 > big; play count < big",
               "30000000\n3000000\n", 0);
    api_expect(&a, "head -c 20000000 /dev/zero | play count; v=$(play fill 5000000 | tr '\\0' x); echo ${#v}",
               "20000000\n5000000\n", 0);
}

/* What it wrote last waits in the box until it is asked for, however long the process has ended. */
Test(delegate, output_that_comes_late)
{
    api_expect(&a, "play late 2000000 | wc -c; play fill 262144 late 300000 code 4 > f; echo $?; wc -c < f",
               "2000000\n4\n562144\n", 0);
    api_expect(&a, "play late 2000000 | head -c 1 | wc -c", "1\n", 0);
}

/* The process has written; the file has not taken it. */
Test(delegate, output_that_a_file_does_not_take)
{
    api_expect(&a, "play say x > /dev/full; echo $?; play say x code 5 > /dev/full; echo $?", "1\n5\n", 0);
    cr_expect(strstr(a.r->err, "play: write error: No space left on device\n"), "%s", a.r->err);
}

/* The process hears that nobody reads: it may go on, end, or be ended. */
Test(delegate, reader_that_leaves)
{
    api_expect(&a, "play fill 900000000 say x code 3 | head -c 3 | wc -c; echo ${PIPESTATUS[0]}", "3\n3\n", 0);
    cr_expect_eq(f.shut, 1);
    api_expect(&a, "yes | play read 4; echo ${PIPESTATUS[@]}", "141 0\n", 0);
}

/* Input that a process did not read is there for who comes after it. */
Test(delegate, input_is_not_swallowed)
{
    api_expect(&a, "printf '1\\n2\\n3\\n' > f; while read l; do play say $l; done < f", "1\n2\n3\n", 0);
    api_expect(&a, "printf '1\\n2\\n3\\n' | while read l; do play say $l; done", "1\n2\n3\n", 0);
    api_expect(&a, "{ play read 2; cat; } < f; { play read 4; cat; } <<E\na\nb\nc\nE", "2\n3\nc\n", 0);
    api_expect(&a, "printf 123456 | { play read 2; play read 1; play copy; }", "456", 0);
    api_expect(&a, "seq 100000 > big; { play read 6; sed -n '$p' ; } < big; seq 100000 | { play read 6; wc -l; }",
               "100000\n99997\n", 0);
}

Test(delegate, input_from_the_host)
{
    whelk_run_options o;
    whelk_run_options_init(&o);
    o.script = "play read 2; read x; echo $x; play copy";
    o.script_len = SIZE_MAX;
    o.in.kind = WHELK_INPUT_BYTES;
    o.in.data = "1\n2\n3\n";
    o.in.data_len = 6;
    cr_assert_eq(whelk_exec_with(a.s, &o, &a.r), WHELK_OK);
    cr_expect_str_eq(a.r->out, "2\n3\n");
}

static ptrdiff_t nothing_yet(void *ctx, void *dst, size_t cap)
{
    (void)ctx, (void)dst, (void)cap;
    return WHELK_IO_AGAIN;
}

/* A host that has no input at hand holds up nobody who does not read it. */
Test(delegate, input_that_does_not_come)
{
    whelk_run_options o;
    whelk_run_options_init(&o);
    o.script = "play say x";
    o.script_len = SIZE_MAX;
    o.in.kind = WHELK_INPUT_CALLBACK;
    o.in.read = nothing_yet;
    cr_assert_eq(whelk_exec_with(a.s, &o, &a.r), WHELK_OK);
    cr_expect_str_eq(a.r->out, "x\n");
}

/* ---- signals, jobs ----------------------------------------------------------------------------------------------- */

Test(delegate, signals_reach_the_process)
{
    api_expect(&a, "play hold & sleep 0.3; kill -USR1 $!; wait $!; echo $?", "138\n", 0);
    cr_expect_eq(f.last_signal, 10);
    cr_expect_eq(f.last_scope, WHELK_SCOPE_LEADER);
    api_expect(&a, "timeout 0.3 play hold; echo $?", "124\n", 0);
    api_expect(&a, "play hold & sleep 0.3; kill -9 $!; wait $!; echo $?", "137\n", 0);
    cr_expect_eq(f.last_scope, WHELK_SCOPE_TREE);
    f.ignores_signals = true;
    api_expect(&a, "timeout -k 0.3 0.3 play hold; echo $?", "137\n", 0);
    int before = f.signals;
    api_expect(&a, "nohup play hold & sleep 0.3; kill -HUP $!; sleep 0.3; kill -9 $!; wait", "", 0);
    cr_expect_eq(f.signals, before + 1, "what a process ignores from its start does not reach it");
}

Test(delegate, stopped_and_continued)
{
    api_expect(&a, "play hold & sleep 0.3; kill -STOP $!; jobs > j; grep -c Stopped j; kill -CONT $!; jobs > j; "
                   "grep -c Running j; kill $!; wait $!; echo $?",
               "1\n1\n143\n", 0);
}

Test(delegate, jobs_live_on_between_runs)
{
    api_expect(&a, "play read 1 say later hold & echo $! > pid; sleep 0.05; jobs | wc -l", "1\n", 0);
    cr_expect_eq(a.r->jobs, 1);
    api_expect(&a, "sleep 0.05; jobs | grep -c Running", "1\n", 0);
    api_expect(&a, "kill %1; wait %1; echo $?; jobs", "143\n", 0);
}

/* A job's output after its run is kept for the host. */
Test(delegate, output_of_a_job_after_its_run)
{
    char got[64] = "";
    api_expect(&a, "mkfifo go; { play copy; echo end; } < go & exec 7> go; echo $! > pid", "", 0);
    api_expect(&a, "echo text >&7; exec 7>&-; wait; sleep 0.02; echo over", "over\n", 0);
    cr_expect_gt(whelk_job_read(a.s, 0, got, sizeof got), 0);
    cr_expect_str_eq(got, "text\nend\n");
}

Test(delegate, several_at_once)
{
    api_expect(&a, "for i in 1 2 3 4 5 6 7 8; do play hold & done; sleep 0.3; jobs -p | wc -l; kill $(jobs -p); wait",
               "8\n", 0);
    cr_expect_eq(f.alive, 0);
}

Test(delegate, session_is_closed_with_jobs)
{
    api_expect(&a, "play hold & play hold & :", "", 0);
    for (int i = 0; i < 100 && f.alive < 2; i++)
        whelk_pump(a.s, 0, 1000000);
    cr_expect_eq(f.alive, 2);
}

static void *cancel_soon(void *s)
{
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    whelk_cancel(s);
    return NULL;
}

Test(delegate, cancelled)
{
    pthread_t t;
    pthread_create(&t, NULL, cancel_soon, a.s);
    api_run(&a, "play say x hold; echo not here");
    pthread_join(t, NULL);
    cr_expect_eq(a.r->stop, WHELK_STOP_CANCEL);
    cr_expect_str_eq(a.r->out, "x\n");
    api_expect(&a, "play say next", "next\n", 0);
    cr_expect_eq(f.alive, 0);
    cr_expect_eq(f.killed, 1);
}

Test(delegate, cancelled_while_it_opens)
{
    pthread_t t;
    f.slow_open = true;
    pthread_create(&t, NULL, cancel_soon, a.s);
    api_run(&a, "play say x; echo not here");
    pthread_join(t, NULL);
    cr_expect_eq(a.r->stop, WHELK_STOP_CANCEL);
    f.slow_open = false;
    api_expect(&a, "play say x", "x\n", 0);
}

Test(delegate, out_of_time)
{
    whelk_limits l = {.size = sizeof l, .time_ns = 2000000000};
    whelk_run_options o;
    whelk_run_options_init(&o);
    o.script = "play hold";
    o.script_len = SIZE_MAX;
    o.limits = &l;
    cr_assert_eq(whelk_exec_with(a.s, &o, &a.r), WHELK_OK);
    cr_expect_eq(a.r->stop, WHELK_STOP_LIMIT);
    cr_expect_eq(a.r->limit, WHELK_LIMIT_TIME);
    api_expect(&a, "play say next", "next\n", 0);
    cr_expect_eq(f.killed, 1);
}

/* A host with an event loop hears of the box's descriptor. */
Test(delegate, driven_by_the_host)
{
    whelk_run_options o;
    whelk_run *run;
    whelk_run_options_init(&o);
    o.script = "play say x; sleep 0.01; echo y | play copy";
    o.script_len = SIZE_MAX;
    cr_assert_eq(whelk_run_start(a.s, &o, &run), WHELK_OK);
    int r;
    while ((r = whelk_run_step(run, 0, 0)) != WHELK_STEP_DONE) {
        struct pollfd p[64];
        whelk_wait w = {.size = sizeof w};
        cr_assert_geq(r, 0);
        cr_assert_eq(whelk_run_wait_info(run, &w), WHELK_OK);
        for (size_t i = 0; i < w.n_fds; i++)
            p[i] = (struct pollfd){.fd = w.fds[i], .events = w.events[i]};
        int ms = w.timeout_ns < 0 ? 30000 : (int)((w.timeout_ns + 999999) / 1000000);
        cr_assert(poll(p, w.n_fds, ms) > 0 || w.timeout_ns >= 0, "nothing that was named came");
    }
    cr_assert_eq(whelk_run_finish(run, &a.r), WHELK_OK);
    cr_expect_str_eq(a.r->out, "x\ny\n");
}

/* ---- registering -------------------------------------------------------------------------------------- */

Test(delegate, what_is_refused)
{
    static const char *const names[] = {"x", "a/b"};
    whelk_delegate d;
    whelk_delegate_init(&d);
    d.commands = names;
    d.n_commands = 1;
    cr_expect_eq(whelk_session_delegate(a.s, &d), WHELK_E_INVALID);
    d.kind = "nowhere";
    cr_expect_eq(whelk_session_delegate(a.s, &d), WHELK_E_UNSUPPORTED);
    cr_expect(strstr(whelk_session_error(a.s), "kind"), "%s", whelk_session_error(a.s));
    d.supplied = &kind;
    cr_expect_eq(whelk_session_delegate(a.s, &d), WHELK_E_INVALID);
    d.kind = NULL;
    d.n_commands = 2;
    cr_expect_eq(whelk_session_delegate(a.s, &d), WHELK_E_INVALID);
    d.n_commands = 1;
    d.directory = "relative";
    cr_expect_eq(whelk_session_delegate(a.s, &d), WHELK_E_INVALID);
    d.directory = "/";
    cr_expect_eq(whelk_session_delegate(a.s, &d), WHELK_E_INVALID);
    d.directory = "/home/user";
    d.sync = 9;
    cr_expect_eq(whelk_session_delegate(a.s, &d), WHELK_E_UNSUPPORTED);
    api_expect(&a, "x; echo $?", "127\n", 0);
}

/* A command of the library, also one that the shell has found already. */
Test(delegate, instead_of_a_command_of_the_library)
{
    static const char *const names[] = {"tac"};
    api_expect(&a, "printf '1\\n2\\n' | tac", "2\n1\n", 0);
    cr_assert_eq(delegate_to(names, 1), WHELK_OK);
    api_expect(&a, "tac args", "[tac][args]\n", 0);
    cr_assert_eq(whelk_command_remove(a.s, "tac"), WHELK_OK);
    api_expect(&a, "printf '1\\n2\\n' | tac", "2\n1\n", 0);
    cr_assert_eq(whelk_command_remove(a.s, "play"), WHELK_OK);
    api_expect(&a, "play say x; echo $?", "127\n", 0);
}

static int visit_name(void *ctx, const char *name, const char *summary, int builtin)
{
    (void)summary, (void)builtin;
    *(int *)ctx += strcmp(name, "play") == 0;
    return 0;
}

Test(delegate, is_listed)
{
    int seen = 0;
    cr_assert_eq(whelk_commands(a.s, visit_name, &seen), WHELK_OK);
    cr_expect_eq(seen, 1);
}

/* A fork has a box of its own. */
Test(delegate, fork)
{
    struct api_session twin = {.rt = a.rt};
    api_expect(&a, "play say x", "x\n", 0);
    cr_assert_eq(whelk_session_fork(a.s, &twin.s), WHELK_OK);
    api_expect(&twin, "play say y", "y\n", 0);
    cr_expect_eq(f.opened, 2);
    whelk_session_close(twin.s);
    api_expect(&a, "play say z", "z\n", 0);
    cr_expect_eq(f.closed, 1);
}

/* The program's own box stays open, and a fork does not share it. */
Test(delegate, box_of_the_program)
{
    static const char *const names[] = {"mine"};
    whelk_sandbox *box;
    struct api_session twin = {.rt = a.rt};
    whelk_delegate d;
    cr_assert_eq(whelk_sandbox_open_kind(&kind, NULL, &box), WHELK_OK);
    whelk_delegate_init(&d);
    d.box = box;
    d.commands = names;
    d.n_commands = 1;
    d.sync = WHELK_SYNC_NONE;
    cr_assert_eq(whelk_session_delegate(a.s, &d), WHELK_OK);
    api_expect(&a, "mine cwd; mine hold & mine say x", "/box\nx\n", 0);
    cr_assert_eq(whelk_session_fork(a.s, &twin.s), WHELK_OK);
    api_expect(&twin, "mine say x; echo $?", "127\n", 0);
    whelk_session_close(twin.s);
    whelk_session_close(a.s);
    cr_expect_eq(f.alive, 0, "the session's processes end with it");
    cr_expect_eq(f.closed, 0);
    whelk_sandbox_close(box);
    cr_expect_eq(f.closed, 1);
    cr_assert_eq(whelk_session_open(a.rt, NULL, &a.s), WHELK_OK);
}

Test(delegate, programs_that_nobody_delegates)
{
    api_expect(&a, "node x; echo $?; command -v node; type node; hash node; echo $?", "127\n1\n", 0);
    cr_expect(strstr(a.r->err, "node: command not found: it needs a sandbox"), "%s", a.r->err);
    cr_expect(strstr(a.r->err, "--delegate docker:node:22-bookworm=node\n"), "%s", a.r->err);
    api_expect(&a, "nosuchthing; echo $?", "127\n", 0);
    cr_expect(strstr(a.r->err, "nosuchthing: command not found\n"), "%s", a.r->err);
    api_expect(&a, "command_not_found_handle() { echo handled $1; }; node", "handled node\n", 0);
}
