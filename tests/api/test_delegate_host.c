/* test_delegate_host.c - delegated commands that are real: processes of this machine, with a session's files */
#include "api_session.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <whelk/delegate.h>

static struct api_session a;
static char cache[64];
static whelk_delegate d;
static whelk_sandbox_options box;
static const char *const names[] = {"sh"};

static void prepare(void)
{
    snprintf(cache, sizeof cache, "/tmp/whelk-delegate-XXXXXX");
    cr_assert(mkdtemp(cache));
    setenv("XDG_CACHE_HOME", cache, 1);
    setenv("ALLOW_DANGEROUS_LOCAL_HOST", "1", 1);
    a = api_open(NULL);
    whelk_sandbox_options_init(&box);
    whelk_delegate_init(&d);
    d.kind = "host";
    d.options = &box;
    d.commands = names;
    d.n_commands = 1;
}

static void open_all(void)
{
    prepare();
    cr_assert_eq(whelk_session_delegate(a.s, &d), WHELK_OK, "%s", whelk_session_error(a.s));
}

static void close_all(void)
{
    char command[256];
    api_close(&a);
    snprintf(command, sizeof command, "rmdir %s/whelk/sandboxes %s/whelk && rmdir %s", cache, cache, cache);
    cr_expect_eq(system(command), 0, "closing leaves nothing behind");
}

TestSuite(delegate_host, .init = open_all, .fini = close_all, .timeout = 120);
TestSuite(delegate_host_as, .init = prepare, .fini = close_all, .timeout = 120); /* delegates by itself */

/* ---- files ------------------------------------------------------------------------------------------ */

Test(delegate_host, files_both_ways)
{
    api_expect(&a, "mkdir d; echo one > d/f; chmod 640 d/f; ln -s f d/l; sh -c 'cat d/l; stat -c %a d/f; readlink d/l'",
               "one\n640\nf\n", 0);
    api_expect(&a, "sh -c 'echo two > d/f; mkdir -p e/g; echo x > e/g/h; chmod 755 e/g/h; ln -s ../d/f e/k; rm d/l'; "
                   "cat d/f e/k; stat -c %a e/g/h; ls d",
               "two\ntwo\n755\nf\n", 0);
    api_expect(&a, "rm -r e; mv d q; sh -c 'ls; cat q/f'", "q\ntwo\n", 0);
    api_expect(&a, "sh -c 'rm -r q'; ls", "", 0);
}

Test(delegate_host, working_directory)
{
    api_expect(&a, "mkdir -p d/e; cd d/e; sh -c 'pwd | sed s,.*workspace,W,; echo x > here'; ls; cd ..; sh -c 'ls e'",
               "W/d/e\nhere\nhere\n", 0);
    api_expect(&a, "cd /; sh -c :; echo $?; cd", "126\n", 0);
    cr_expect(strstr(a.r->err, "sh: the working directory / is not in the host sandbox"), "%s", a.r->err);
    api_expect(&a, "mkdir g; cd g; rmdir ../g; sh -c :; echo $?; cd", "126\n", 0);
}

Test(delegate_host, what_a_script_makes_can_be_run)
{
    api_expect(&a, "sh -c 'printf \"#!/usr/bin/env sh\\necho ran \\$1\\n\" > s; chmod +x s'; ./s x", "ran x\n", 0);
    api_expect(&a, "for i in 1 2 3 4 5; do echo $i > in; sh -c 'cat in >> out'; done; tr -d '\\n' < out", "12345", 0);
}

/* A program that was built in there is run by its path, and by PATH; where nobody can run it, it is as before. */
Test(delegate_host, programs_of_the_machine)
{
    api_expect(&a, "sh -c 'cp \"$(command -v env)\" prog'; ./prog V=1 sh -c 'echo $V $0' x; mkdir b; mv prog b; cd b; "
                   "/home/user/b/prog true; echo $?; cd; PATH=$HOME/b:$PATH; prog false; echo $?",
               "1 x\n0\n1\n", 0);
    api_expect(&a, "cp b/prog /tmp/p; /tmp/p true; echo $?", "126\n", 0);
    cr_expect(strstr(a.r->err, "/tmp/p: cannot execute binary file"), "%s", a.r->err);
    api_expect(&a, "sh -c 'cp \"$(command -v sh)\" shell; pwd > where'; printf '#!%s/shell\\necho it ran $1\\n' "
                   "$(cat where) > s; chmod +x s; ./s x",
               "it ran x\n", 0);
}

Test(delegate_host, changed_on_both_sides)
{
    api_expect(&a, "echo base > f; sh -c 'cat f; sleep 0.3; echo theirs > f' > seen & "
                   "for i in $(seq 300); do [ -s seen ] && break; sleep 0.02; done; echo ours > f; wait; "
                   "cat seen f f.whelk-conflict-1",
               "base\ntheirs\nours\n", 0);
    cr_expect(strstr(a.r->err, "sh: /home/user/f: changed on both sides: the session's is kept as "
                               "f.whelk-conflict-1\n"), "%s", a.r->err);
}

/* What a job does is seen while it goes on, and when it has ended. */
Test(delegate_host, files_of_a_job)
{
    api_expect(&a, "sh -c 'echo x > made; exec sleep 1000' & for i in $(seq 300); do [ -e made ] && break; sleep 0.1; "
                   "done; cat made; kill %1; wait %1; echo $?",
               "x\n143\n", 0);
    api_expect(&a, "sh -c 'sleep 0.2; echo y > later' & wait; cat later", "y\n", 0);
    api_expect(&a, "sh -c 'sleep 0.1; echo z > last' & :", "", 0);
    api_expect(&a, "wait; cat last", "z\n", 0);
}

Test(delegate_host_as, names_that_stay)
{
    static const char *const left[] = {"junk"};
    d.left_out = left;
    d.n_left_out = 1;
    d.max_file = 1000;
    cr_assert_eq(whelk_session_delegate(a.s, &d), WHELK_OK);
    api_expect(&a, "sh -c 'mkdir junk; echo x > junk/y; echo z > w'; ls", "w\n", 0);
    api_expect(&a, "sh -c 'head -c 2000 /dev/zero > big; exit 3'; echo $?; ls", "3\nw\n", 0);
    cr_expect(strstr(a.r->err, "sh: files did not come back: "), "%s", a.r->err);
    api_expect(&a, "sh -c 'rm big; echo v > w'; ls; cat w", "w\nv\n", 0);
}

Test(delegate_host_as, only_there)
{
    d.sync = WHELK_SYNC_IN;
    cr_assert_eq(whelk_session_delegate(a.s, &d), WHELK_OK);
    api_expect(&a, "echo x > f; sh -c 'cat f; echo y > g'; ls", "x\nf\n", 0);
}

Test(delegate_host, special_files_are_named_once)
{
    api_expect(&a, "mkfifo p; sh -c :", "", 0);
    cr_expect(strstr(a.r->err, "sh: /home/user/p: not kept in step: "), "%s", a.r->err);
    api_expect(&a, "sh -c :", "", 0);
    cr_expect_str_eq(a.r->err, "");
}

/* ---- streams ------------------------------------------------------------------------------------------ */

Test(delegate_host, pipelines)
{
    api_expect(&a, "seq 3 | sh -c 'cat; echo 4' | sh -c 'cat; echo 5' | tac | tr -d '\\n'", "54321", 0);
    api_expect(&a, "x=$(sh -c 'echo a; echo b >&2' 2>&1); echo \"$x\"; sh -c 'echo o; echo e >&2' 2>/dev/null",
               "a\nb\no\n", 0);
    api_expect(&a, "sh -c 'head -c 5000000 /dev/zero' | sh -c 'cat' | wc -c", "5000000\n", 0);
    api_expect(&a, "sh -c 'head -c 10000000 /dev/zero' > big; wc -c < big; sh -c 'wc -c' < big",
               "10000000\n10000000\n", 0);
}

/* Many end while one of them watches for all: there is always a next one. */
Test(delegate_host, many_at_once)
{
    for (int i = 0; i < 4; i++)
        api_expect(&a, "for i in $(seq 250); do sh -c 'exec sleep 0.1' & done; wait; echo all", "all\n", 0);
}

Test(delegate_host, reader_that_leaves)
{
    api_expect(&a, "sh -c 'while :; do echo y; done' | head -n 1; echo ${PIPESTATUS[@]}", "y\n141 0\n", 0);
    api_expect(&a, "yes | sh -c 'head -n 1'; echo ${PIPESTATUS[@]}", "y\n141 0\n", 0);
    api_expect(&a, "sh -c 'trap \"\" PIPE; while echo y; do :; done 2>/dev/null; exit 5' | sed q; "
                   "echo ${PIPESTATUS[0]}",
               "y\n5\n", 0);
}

Test(delegate_host, input_is_not_swallowed)
{
    api_expect(&a, "printf '1\\n2\\n3\\n' > f; while read l; do sh -c \"echo $l\"; done < f", "1\n2\n3\n", 0);
    api_expect(&a, "seq 50000 | while read l; do [ $l -lt 4 ] || break; sh -c \"echo $l\"; done", "1\n2\n3\n", 0);
    api_expect(&a, "{ sh -c 'read x; echo got $x'; cat; } < f; seq 40000 | { sh -c 'read x; echo $x'; tail -n 1; }",
               "got 1\n2\n3\n1\n40000\n", 0);
}

/* ---- ends ------------------------------------------------------------------------------------------------- */

static bool is_alive(const char *file)
{
    char *text = NULL;
    size_t n;
    cr_assert_eq(whelk_read_file(a.s, file, &text, &n), WHELK_OK, "%s", file);
    pid_t pid = (pid_t)atoi(text);
    whelk_free(text);
    cr_assert_gt(pid, 1);
    for (int i = 0; i < 300; i++) {
        if (kill(pid, 0) != 0 && errno == ESRCH)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return true;
}

Test(delegate_host, statuses)
{
    api_expect(&a, "sh -c 'exit 9'; echo $?; sh -c 'kill -SEGV $$'; echo $?; sh -c 'kill -TERM $$'; echo $?",
               "9\n139\n143\n",
               0);
    api_expect(&a, "umask 037; sh -c umask; V='a b' sh -c 'echo \"$V\"'; sh -c 'cd \"$HOME\" && ls -A'",
               "0037\na b\n", 0);
    api_expect(&a, "(ulimit -f 1; sh -c 'head -c 9000 /dev/zero > x; echo $?' 2>/dev/null | grep -c '^0$'); rm -f x",
               "0\n", 0);
}

Test(delegate_host, timeout_ends_all_of_it)
{
    api_expect(&a, "timeout 3 sh -c 'sleep 1000 & echo $! > pid; wait'; echo $?", "124\n", 0);
    cr_expect_not(is_alive("pid"));
    api_expect(&a, "sh -c 'setsid sleep 1000 & echo $! > pid; echo up; wait' > up & for i in $(seq 300); do "
                   "[ -s up ] && break; sleep 0.1; done; kill -9 $!; wait $!; echo $?",
               "137\n", 0);
    cr_expect_not(is_alive("pid"), "KILL reaches the tree");
}

Test(delegate_host, signals_are_its_own)
{
    api_expect(&a, "sh -c 'trap \"echo one; exit 4\" USR1; echo ready > r; while :; do sleep 0.05; done' & "
                   "for i in $(seq 300); do [ -e r ] && break; sleep 0.1; done; kill -USR1 $!; wait $!; echo $?",
               "one\n4\n", 0);
    api_expect(&a, "sh -c 'echo $$ > pid; exec sleep 1000' & for i in $(seq 300); do [ -e pid ] && break; "
                   "sleep 0.1; done; kill -STOP $!; jobs > j; grep -c Stopped j; kill -CONT $!; kill $!; "
                   "wait $!; echo $?",
               "1\n143\n", 0);
}

static void *cancel_soon(void *s)
{
    nanosleep(&(struct timespec){.tv_sec = 3}, NULL);
    whelk_cancel(s);
    return NULL;
}

/* What it had done by then comes with the next command. */
Test(delegate_host, cancelled)
{
    pthread_t t;
    api_expect(&a, "sh -c :", "", 0); /* the box is open */
    pthread_create(&t, NULL, cancel_soon, a.s);
    api_run(&a, "sh -c 'echo $$ > pid; sleep 1000'");
    pthread_join(t, NULL);
    cr_expect_eq(a.r->stop, WHELK_STOP_CANCEL);
    api_expect(&a, "sh -c :; test -s pid", "", 0);
    cr_expect_not(is_alive("pid"));
}

/* The box is closed with the session, and nothing of it runs on. */
Test(delegate_host_as, session_is_closed)
{
    cr_assert_eq(whelk_session_delegate(a.s, &d), WHELK_OK);
    api_expect(&a, "sh -c 'echo $$ > pid; exec sleep 1000' & for i in $(seq 300); do [ -e pid ] && break; "
                   "sleep 0.1; done",
               "", 0);
    char *text;
    size_t n;
    cr_assert_eq(whelk_read_file(a.s, "pid", &text, &n), WHELK_OK);
    pid_t pid = (pid_t)atoi(text);
    whelk_free(text);
    cr_assert_eq(kill(pid, 0), 0);
    whelk_session_close(a.s);
    for (int i = 0; i < 300 && kill(pid, 0) == 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    cr_expect_neq(kill(pid, 0), 0);
    cr_assert_eq(whelk_session_open(a.rt, NULL, &a.s), WHELK_OK);
}

/* ---- what else ------------------------------------------------------------------------------------------------ */

/* A secret is there for the command that may have it, and nobody reads it in what that says. */
Test(delegate_host_as, secrets)
{
    static const char *const two[] = {"sh", "dash"};
    whelk_secret secret = {.size = sizeof secret, .name = "TOKEN", .value = "hush-hush-1234"};
    secret.commands = names;
    secret.n_commands = 1;
    box.secrets = &secret;
    box.n_secrets = 1;
    d.commands = two;
    d.n_commands = 1;
    cr_assert_eq(whelk_session_delegate(a.s, &d), WHELK_OK);
    api_expect(&a, "sh -c 'echo ${#TOKEN}; echo \"<$TOKEN>\"'; echo \"$TOKEN\"", "14\n<***>\n\n", 0);
}

Test(delegate_host_as, without_leave)
{
    unsetenv("ALLOW_DANGEROUS_LOCAL_HOST");
    cr_assert_eq(whelk_session_delegate(a.s, &d), WHELK_OK);
    api_expect(&a, "sh -c :; echo $?", "126\n", 0);
    cr_expect(strstr(a.r->err, "sh: cannot open the host sandbox: ") && strstr(a.r->err, "ALLOW_DANGEROUS_LOCAL_HOST"),
              "%s", a.r->err);
    char command[256];
    snprintf(command, sizeof command, "mkdir -p %s/whelk/sandboxes", cache);
    cr_expect_eq(system(command), 0);
}

/* The program's own box goes on when the session is closed in the midst of something. */
Test(delegate_host_as, box_of_the_program)
{
    whelk_sandbox *mine;
    whelk_sandbox_result *r;
    cr_assert_eq(whelk_sandbox_open("host", &box, &mine), WHELK_OK, "%s", whelk_sandbox_error(mine));
    cr_assert_eq(whelk_sandbox_write_file(mine, "there", "before\n", 7, 0, 0), WHELK_OK);
    d.kind = NULL;
    d.options = NULL;
    d.box = mine;
    cr_assert_eq(whelk_session_delegate(a.s, &d), WHELK_OK, "%s", whelk_session_error(a.s));
    api_expect(&a, "echo x > f; sh -c 'cat f there'; cat there", "x\nbefore\nbefore\n", 0);
    cr_assert_eq(whelk_sandbox_exec(mine, "echo by the program >> f", &r), WHELK_OK);
    whelk_sandbox_result_free(r);
    api_expect(&a,
               "sh -c :; cat f; sh -c 'echo $$ > pid; exec sleep 1000' & for i in $(seq 300); do [ -e pid ] && break; "
               "sleep 0.1; done",
               "x\nby the program\n", 0);
    char *text;
    size_t n;
    cr_assert_eq(whelk_read_file(a.s, "pid", &text, &n), WHELK_OK);
    pid_t pid = (pid_t)atoi(text);
    whelk_free(text);
    whelk_session_close(a.s);
    cr_expect_neq(kill(pid, 0), 0, "the session's process ends with it");
    cr_assert_eq(whelk_sandbox_exec(mine, "cat f", &r), WHELK_OK, "%s", whelk_sandbox_error(mine));
    cr_expect_str_eq(r->out, "x\nby the program\n");
    whelk_sandbox_result_free(r);
    whelk_sandbox_close(mine);
    cr_assert_eq(whelk_session_open(a.rt, NULL, &a.s), WHELK_OK);
}

/* What cannot come back keeps no command from running: one may remove it. */
Test(delegate_host_as, too_deep_to_come_back)
{
    cr_assert_eq(whelk_session_delegate(a.s, &d), WHELK_OK, "%s", whelk_session_error(a.s));
    api_run(&a, "sh -c 'i=0; while [ $i -lt 450 ]; do mkdir d && cd d || exit; i=$((i + 1)); done; sleep 1000 &'");
    api_expect(&a, "sh -c 'rm -rf d; echo more > f'; cat f", "more\n", 0);
}

/* ---- in a container: what is different there --------------------------------------------------------------- */

Test(delegate_host_as, of_a_container)
{
    box.image = getenv("WHELK_TEST_IMAGE");
    box.pull = "never";
    d.kind = "docker";
    if (box.image) {
        cr_assert_eq(whelk_session_delegate(a.s, &d), WHELK_OK, "%s", whelk_session_error(a.s));
        api_expect(&a, "echo one > f; sh -c 'pwd; cat f; id -u; echo two > g; exit 3'; echo $?; cat g",
                   "/home/user\none\n0\n3\ntwo\n", 0);
        api_expect(&a, "cd /tmp; echo t > t1; sh -c 'pwd; cat t1; mkdir d; echo u > d/t2'; cat d/t2; cd; sh -c pwd",
                   "/tmp\nt\nu\n/home/user\n", 0);
        api_expect(&a, "seq 3 | while read l; do sh -c \"echo $l\"; done; sh -c 'head -c 20000000 /dev/zero' | wc -c",
                   "1\n2\n3\n20000000\n", 0);
        api_expect(&a, "timeout 3 sh -c 'sleep 1000 & wait'; echo $?; sh -c 'while :; do echo y; done' | head -n 1; "
                       "echo ${PIPESTATUS[0]}; sh -c 'kill -9 $$'; echo $?; nosuch; echo $?",
                   "124\ny\n141\n137\n127\n", 0);
        api_expect(&a, "sh -c 'sleep 1000' & sh -c 'sleep 0.2; echo job > made' & wait $!; cat made", "job\n", 0);
        cr_expect_eq(a.r->jobs, 1, "the session is closed with it");
    } else {
        char command[256];
        snprintf(command, sizeof command, "mkdir -p %s/whelk/sandboxes", cache);
        cr_expect_eq(system(command), 0);
        cr_log_info("no engine was started for it");
    }
}
