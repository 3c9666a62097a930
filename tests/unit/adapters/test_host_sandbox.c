/* test_host_sandbox.c - the kind "host" behind the calls that programs make */
#include "adapters/host.h"
#include "adapters/sandbox.h"
#include "box_rig.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char cache[] = "/tmp/whelk-host-box.XXXXXX";
static whelk_sandbox_options options;
static whelk_sandbox *box;

static void set_up(void)
{
    cr_assert(mkdtemp(cache));
    setenv("XDG_CACHE_HOME", cache, 1);
    setenv("ALLOW_DANGEROUS_LOCAL_HOST", "1", 1);
    whelk_sandbox_options_init(&options);
    cr_assert_eq(whelk_sandbox_open_kind(&wk_host_kind, &options, &box), WHELK_OK, "%s", whelk_sandbox_error(box));
}

static void tear_down(void)
{
    whelk_sandbox_close(box);
    cr_expect_eq(rig_children(), 0);
    int tmp = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_expect_eq(wk_host_remove(tmp, strrchr(cache, '/') + 1), 0);
    close(tmp);
}

TestSuite(host_sandbox, .init = set_up, .fini = tear_down, .timeout = 110);

Test(host_sandbox, runs_scripts)
{
    whelk_sandbox_result *r;
    cr_assert_eq(whelk_sandbox_exec(box, "echo out; echo err >&2; exit 3", &r), WHELK_OK);
    cr_expect_eq(r->outcome, WHELK_OUTCOME_EXITED);
    cr_expect_eq(r->exit_code, 3);
    cr_expect_str_eq(r->out, "out\n");
    cr_expect_str_eq(r->err, "err\n");
    cr_expect_eq(r->survivors, 0);
    cr_expect_gt(r->memory_peak, 0);
    whelk_sandbox_result_free(r);
    cr_assert_eq(whelk_sandbox_exec(box, "case $0 in */bash|bash) [[ -n $BASH_VERSION ]];; esac; pwd", &r), WHELK_OK);
    cr_expect_eq(strncmp(r->out, whelk_sandbox_workspace(box), strlen(whelk_sandbox_workspace(box))), 0);
    whelk_sandbox_result_free(r);
}

Test(host_sandbox, time_out_ends_what_hides)
{
    whelk_sandbox_request q;
    whelk_sandbox_result *r;
    whelk_sandbox_request_init(&q);
    q.script = "(setsid env -i sh -c 'trap \"\" TERM; echo $$ >a; exec sleep 60' &); sleep 60";
    q.timeout_ms = 1000;
    q.grace_ms = 100;
    cr_assert_eq(whelk_sandbox_exec_with(box, &q, &r), WHELK_OK);
    cr_expect_eq(r->outcome, WHELK_OUTCOME_TIMEOUT);
    whelk_sandbox_result_free(r);
    int a = rig_number(whelk_sandbox_workspace(box), "a");
    cr_expect(a > 0 && rig_gone(a, 2000));
}

Test(host_sandbox, the_end_does_not_wait_for_background_processes)
{
    whelk_sandbox_result *r;
    cr_assert_eq(whelk_sandbox_exec(box, "sleep 60 & setsid sleep 60 & echo hi", &r), WHELK_OK);
    cr_expect_str_eq(r->out, "hi\n");
    cr_expect_eq(r->survivors, 2);
    cr_expect_lt(r->wall_ns, 30000000000);
    whelk_sandbox_result_free(r);
}

Test(host_sandbox, input_goes_through_whole)
{
    enum { SIZE = 8 << 20 };
    char *bytes = malloc(SIZE);
    whelk_sandbox_request q;
    whelk_sandbox_result *r;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (char)('a' + i % 23);
    whelk_sandbox_request_init(&q);
    q.script = "cat";
    q.input = bytes;
    q.input_len = SIZE;
    cr_assert_eq(whelk_sandbox_exec_with(box, &q, &r), WHELK_OK);
    cr_expect(r->out_len == SIZE && memcmp(r->out, bytes, SIZE) == 0, "%zu", r->out_len);
    whelk_sandbox_result_free(r);
    q.script = "head -c 5";
    cr_assert_eq(whelk_sandbox_exec_with(box, &q, &r), WHELK_OK);
    cr_expect_str_eq(r->out, "abcde");
    cr_expect_eq(r->exit_code, 0);
    whelk_sandbox_result_free(r);
    free(bytes);
}

Test(host_sandbox, background_processes)
{
    whelk_sandbox_request q;
    whelk_sandbox_output out;
    whelk_sandbox_read what;
    whelk_process p;
    uint32_t id;
    whelk_sandbox_request_init(&q);
    q.script = "echo ready; read -r x; echo got $x; exec sleep 60";
    q.read_input = whelk_sandbox_input_later;
    cr_assert_eq(whelk_sandbox_start(box, &q, &id), WHELK_OK, "%s", whelk_sandbox_error(box));
    memset(&what, 0, sizeof what);
    memset(&out, 0, sizeof out);
    what.size = sizeof what;
    out.size = sizeof out;
    what.id = id;
    what.stream = 1;
    what.wait_ms = 30000;
    what.until = WHELK_UNTIL_MATCH;
    what.pattern = "^ready$";
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &out), WHELK_OK, "%s", whelk_sandbox_error(box));
    cr_expect_str_eq(out.data, "ready\n");
    what.offset = out.next;
    free(out.data);
    cr_expect_eq(whelk_sandbox_write_input(box, id, "it\n", 3), WHELK_OK);
    what.pattern = "got";
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &out), WHELK_OK);
    cr_expect_str_eq(out.data, "got it\n");
    free(out.data);
    cr_expect_eq(whelk_sandbox_signal(box, id, 15, WHELK_SCOPE_TREE), WHELK_OK);
    memset(&p, 0, sizeof p);
    p.size = sizeof p;
    cr_assert_eq(whelk_sandbox_wait(box, id, 30000, &p), WHELK_OK);
    cr_expect_eq(p.outcome, WHELK_OUTCOME_SIGNALED);
    cr_expect_eq(p.signal, 15);
    cr_expect_eq(whelk_sandbox_forget(box, id), WHELK_OK);
}

Test(host_sandbox, long_scripts)
{
    char *script = malloc(400000);
    whelk_sandbox_result *r;
    size_t n = (size_t)sprintf(script, "cat <<'END' | wc -c; exit 5\n");
    memset(script + n, 'x', 300000);
    strcpy(script + n + 300000, "\nEND\n");
    cr_assert_eq(whelk_sandbox_exec(box, script, &r), WHELK_OK);
    cr_expect_str_eq(r->out, "300001\n");
    cr_expect_eq(r->exit_code, 5);
    whelk_sandbox_result_free(r);
    free(script);
}
