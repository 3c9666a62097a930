/* test_sandbox_process.c - background processes: start, output, input, signals, time, records */
#include "adapters/sandbox/box_process.h"
#include "plan_box.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static whelk_sandbox *box;
static whelk_sandbox_request q;
static whelk_process last;

static void set_up(void)
{
    box = plan_open(NULL);
    whelk_sandbox_request_init(&q);
}

static void tear_down(void)
{
    struct wk_mem *m = wk_mem_ref(box->mem);
    whelk_sandbox_close(box);
    cr_expect_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
    plan_reset();
}

TestSuite(sandbox_process, .init = set_up, .fini = tear_down);

static uint32_t start(const char *script)
{
    uint32_t id = 0;
    q.script = script;
    int code = whelk_sandbox_start(box, &q, &id);
    cr_assert_eq(code, WHELK_OK, "%s: %d %s", script, code, whelk_sandbox_error(box));
    cr_assert_neq(id, 0);
    return id;
}

static const whelk_process *await(uint32_t id)
{
    last = (whelk_process){.size = sizeof last};
    int code = whelk_sandbox_wait(box, id, 30000, &last);
    cr_assert_eq(code, WHELK_OK, "%d %s", code, whelk_sandbox_error(box));
    cr_assert_eq(last.state, 1);
    return &last;
}

static whelk_sandbox_output out;

static void drop_output(void)
{
    free(out.data);
    out.data = NULL;
}

/* What is read of stdout from an offset on; valid until the next one. */
static const char *output(uint32_t id, uint64_t offset, int64_t wait_ms, int until, const char *pattern)
{
    whelk_sandbox_read what = {.size = sizeof what, .id = id, .stream = 1, .offset = offset, .wait_ms = wait_ms,
                               .until = until, .pattern = pattern};
    drop_output();
    out = (whelk_sandbox_output){.size = sizeof out};
    int code = whelk_sandbox_read_output(box, &what, &out);
    cr_assert_eq(code, WHELK_OK, "%d %s", code, whelk_sandbox_error(box));
    cr_assert_eq(out.len, strlen(out.data));
    return out.data;
}

static int count(void *ctx, const whelk_process *p)
{
    snprintf((char *)ctx + strlen(ctx), 400 - strlen(ctx), "%u:%s:%s:%d:%d:%d:%d:%llu;", p->id, p->tag ? p->tag : "-",
             p->command, p->state, p->outcome, p->exit_code, p->signal, (unsigned long long)p->out_bytes);
    return 0;
}

static const char *shown(void)
{
    static char text[400];
    text[0] = '\0';
    cr_assert_eq(whelk_sandbox_processes(box, count, text), 0);
    return text;
}

/* ---- start, show, wait, forget -------------------------------------------------------------------- */

Test(sandbox_process, from_start_to_end)
{
    char want[200];
    q.tag = "server";
    uint32_t id = start("out:ready;nap:30;exit:3");
    cr_expect_eq(planned.last.flags, WHELK_SPEC_LOGGED);
    cr_expect_eq(planned.last.log_bytes, 8 << 20);
    snprintf(want, sizeof want, "%u:server:out:ready;nap:30;exit:3:0:0:-1:0:", id);
    cr_expect_eq(strncmp(shown(), want, strlen(want)), 0, "%s", shown());
    cr_expect_eq(whelk_sandbox_forget(box, id), WHELK_E_BUSY);
    await(id);
    cr_expect_eq(last.exit_code, 3);
    cr_expect_eq(last.outcome, WHELK_OUTCOME_EXITED);
    cr_expect_eq(last.out_bytes, 5);
    cr_expect_eq(last.cpu_ns, 3000000);
    cr_expect_geq(last.ended_ns, last.started_ns);
    cr_expect_str_eq(last.tag, "server");
    await(id); /* again */
    cr_expect_eq(whelk_sandbox_forget(box, id), WHELK_OK);
    cr_expect_eq(whelk_sandbox_forget(box, id), WHELK_E_NOENT);
    cr_expect_eq(whelk_sandbox_wait(box, id, 0, NULL), WHELK_E_NOENT);
    cr_expect_str_eq(shown(), "");
    cr_expect_eq(planned.forgotten, 1);
}

static int stop_at_once(void *ctx, const whelk_process *p)
{
    (void)p;
    ++*(int *)ctx;
    whelk_sandbox_result *r;
    cr_expect_eq(whelk_sandbox_exec(box, "exit:0", &r), WHELK_E_BUSY);
    return 77;
}

Test(sandbox_process, visiting_can_be_ended)
{
    int n = 0;
    start("exit:0");
    start("exit:0");
    cr_expect_eq(whelk_sandbox_processes(box, stop_at_once, &n), 77);
    cr_expect_eq(n, 1);
}

Test(sandbox_process, waiting_ends_in_time)
{
    uint32_t id = start("hang");
    cr_expect_eq(whelk_sandbox_wait(box, id, 0, NULL), WHELK_E_AGAIN);
    cr_expect_eq(whelk_sandbox_wait(box, id, 20, NULL), WHELK_E_AGAIN);
    cr_expect_eq(whelk_sandbox_signal(box, id, SIGINT, WHELK_SCOPE_GROUP), WHELK_OK);
    cr_expect_str_eq(planned.signals, "2/1 ");
    cr_expect_eq(whelk_sandbox_signal(box, id, SIGKILL, WHELK_SCOPE_LEADER), WHELK_OK);
    await(id);
    cr_expect_eq(last.outcome, WHELK_OUTCOME_SIGNALED);
    cr_expect_eq(last.signal, SIGKILL);
    cr_expect_eq(whelk_sandbox_signal(box, id, SIGKILL, WHELK_SCOPE_LEADER), WHELK_E_NOENT);
    cr_expect_eq(whelk_sandbox_signal(box, 999, SIGKILL, WHELK_SCOPE_LEADER), WHELK_E_NOENT);
    cr_expect_eq(whelk_sandbox_signal(box, id, 99, WHELK_SCOPE_LEADER), WHELK_E_INVALID);
    cr_expect_eq(whelk_sandbox_signal(box, id, 1, 3), WHELK_E_INVALID);
}

static void *cancel_soon(void *arg)
{
    (void)arg;
    usleep(30000);
    whelk_sandbox_cancel(box);
    return NULL;
}

Test(sandbox_process, waiting_can_be_cancelled)
{
    pthread_t thread;
    uint32_t id = start("hang");
    pthread_create(&thread, NULL, cancel_soon, NULL);
    cr_expect_eq(whelk_sandbox_wait(box, id, -1, NULL), WHELK_E_CLOSED);
    pthread_join(thread, NULL);
    cr_expect_str_eq(whelk_sandbox_error(box), "cancelled");
    cr_expect_eq(whelk_sandbox_wait(box, id, 0, NULL), WHELK_E_AGAIN); /* it runs on */
}

Test(sandbox_process, what_cannot_be_started)
{
    uint32_t id = 1;
    q.script = "fail:-7:sh: No such file or directory";
    cr_expect_eq(whelk_sandbox_start(box, &q, &id), WHELK_E_NOENT);
    cr_expect_str_eq(whelk_sandbox_error(box), "sh: command not found");
    cr_expect_eq(id, 0);
    q.script = "refuse:-8";
    cr_expect_eq(whelk_sandbox_start(box, &q, &id), WHELK_E_ACCESS);
    cr_expect_str_eq(whelk_sandbox_error(box), "sh: Permission denied");
    cr_expect_null(box->processes);
    cr_expect_eq(whelk_sandbox_start(box, &q, NULL), WHELK_E_INVALID);
    start("late:3;exit:0");
}

static ptrdiff_t read_nothing(void *ctx, void *dst, size_t cap)
{
    (void)ctx;
    (void)dst;
    (void)cap;
    return 0;
}

static void hear_nothing(void *ctx, int stream, const char *p, size_t n)
{
    (void)ctx;
    (void)stream;
    (void)p;
    (void)n;
}

Test(sandbox_process, requests_that_make_no_sense)
{
    uint32_t id;
#define BAD(code, part, ...)                                                                         \
    do {                                                                                             \
        whelk_sandbox_request_init(&q);                                                              \
        q.script = "exit:0";                                                                         \
        __VA_ARGS__;                                                                                 \
        cr_expect_eq(whelk_sandbox_start(box, &q, &id), code, part);                                 \
        cr_expect(strstr(whelk_sandbox_error(box), part), "%s", whelk_sandbox_error(box));           \
    } while (0)
    BAD(WHELK_E_UNSUPPORTED, "read_input", q.read_input = read_nothing);
    BAD(WHELK_E_UNSUPPORTED, "on_output", q.on_output = hear_nothing);
    BAD(WHELK_E_UNSUPPORTED, "idle_timeout_ms", q.idle_timeout_ms = 1);
    BAD(WHELK_E_UNSUPPORTED, "detach_on_timeout", q.detach_on_timeout = 1);
    BAD(WHELK_E_UNSUPPORTED, "spill", q.spill = "x");
    BAD(WHELK_E_INVALID, "neither", q.script = NULL);
    whelk_sandbox_close(box);
    planned.lacks = WHELK_BOX_BACKGROUND | WHELK_BOX_SIGNAL;
    box = plan_open(NULL);
    BAD(WHELK_E_UNSUPPORTED, "background", (void)0);
}

Test(sandbox_process, time_is_over_whenever_somebody_looks)
{
    q.timeout_ms = 30;
    q.grace_ms = 20;
    uint32_t deaf = start("deaf;hang"), other = start("nap:5;exit:1");
    cr_expect_eq(planned.last.timeout_ms, 30);
    cr_expect_eq(planned.last.grace_ms, 20);
    await(deaf);
    cr_expect_eq(last.outcome, WHELK_OUTCOME_TIMEOUT);
    cr_expect_eq(last.signal, SIGKILL);
    await(other);
    cr_expect_eq(last.outcome, WHELK_OUTCOME_EXITED);
    uint32_t late = start("hang");
    usleep(40000);
    whelk_sandbox_result *r = NULL;
    cr_assert_eq(whelk_sandbox_exec(box, "nap:10;exit:0", &r), WHELK_OK); /* some other call */
    whelk_sandbox_result_free(r);
    cr_expect_eq(whelk_sandbox_wait(box, late, 0, &last), WHELK_OK);
    cr_expect_eq(last.outcome, WHELK_OUTCOME_TIMEOUT);
}

Test(sandbox_process, so_many_and_no_more)
{
    uint32_t id, ids[64];
    for (int i = 0; i < 64; i++)
        ids[i] = start("hang");
    cr_expect_eq(whelk_sandbox_start(box, &q, &id), WHELK_E_NOSPACE);
    cr_expect(strstr(whelk_sandbox_error(box), "64"));
    cr_assert_eq(whelk_sandbox_signal(box, ids[5], SIGKILL, WHELK_SCOPE_TREE), WHELK_OK);
    await(ids[5]);
    start("hang");
    /* A command that would go on in the background cannot: it is ended. */
    whelk_sandbox_result *r = NULL;
    q.script = "hang";
    q.timeout_ms = 10;
    q.detach_on_timeout = 1;
    cr_assert_eq(whelk_sandbox_exec_with(box, &q, &r), WHELK_OK);
    cr_expect_eq(r->outcome, WHELK_OUTCOME_TIMEOUT);
    cr_expect(strstr(r->error, "not detached"), "%s", r->error);
    whelk_sandbox_result_free(r);
}

Test(sandbox_process, old_ones_are_forgotten)
{
    uint32_t first = start("exit:1"), second = start("hang"), newest = 0;
    await(first);
    for (int i = 0; i < 257; i++) {
        newest = start("exit:0");
        await(newest);
    }
    start("exit:0");
    cr_expect_eq(whelk_sandbox_wait(box, first, 0, NULL), WHELK_E_NOENT);
    cr_expect_eq(whelk_sandbox_wait(box, second, 0, NULL), WHELK_E_AGAIN);
    cr_expect_eq(whelk_sandbox_wait(box, newest, 0, NULL), WHELK_OK);
    size_t n = 0;
    for (const struct wk_box_process *p = box->processes; p; p = p->next)
        n++;
    cr_expect_leq(n, 258);
}

/* ---- output --------------------------------------------------------------------------------------- */

Test(sandbox_process, output_from_an_offset_on)
{
    uint32_t id = start("out:0123456789;nap:20;out:abc;exit:0");
    cr_expect_str_eq(output(id, 0, 30000, WHELK_UNTIL_ANY, NULL), "0123456789");
    cr_expect_eq(out.next, 10);
    cr_expect_eq(out.met, 1);
    cr_expect_eq(out.state, 0);
    cr_expect_str_eq(output(id, 10, 0, WHELK_UNTIL_ANY, NULL), "");
    cr_expect_eq(out.met, 0);
    cr_expect_str_eq(output(id, 8, 0, WHELK_UNTIL_ANY, NULL), "89");
    cr_expect_str_eq(output(id, 10, 30000, WHELK_UNTIL_EXIT, NULL), "abc");
    cr_expect_eq(out.state, 1);
    cr_expect_eq(out.met, 1);
    cr_expect_eq(out.next, 13);
    cr_expect_str_eq(output(id, 13, 30000, WHELK_UNTIL_ANY, NULL), "");
    cr_expect_eq(out.met, 1);
    cr_expect_str_eq(output(id, 500, 0, WHELK_UNTIL_ANY, NULL), "");
    drop_output();
}

Test(sandbox_process, output_in_pieces_of_so_much)
{
    uint32_t id = start("big:300000;exit:0");
    await(id);
    uint64_t at = 0, total = 0;
    for (;;) {
        whelk_sandbox_read what = {.size = sizeof what, .id = id, .stream = 1, .offset = at, .max = 70000};
        whelk_sandbox_output o = {.size = sizeof o};
        cr_assert_eq(whelk_sandbox_read_output(box, &what, &o), WHELK_OK);
        cr_assert_leq(o.len, 70000);
        for (size_t i = 0; i < o.len; i++)
            cr_assert_eq(o.data[i], (at + i) % 64 == 63 ? '\n' : 'a' + (int)((at + i) % 26));
        free(o.data);
        cr_assert_eq(o.next, at + o.len);
        total += o.len;
        if (!o.len)
            break;
        at = o.next;
    }
    cr_expect_eq(total, 300000);
}

Test(sandbox_process, output_that_is_no_longer_there)
{
    uint32_t id = start("drop:4;out:0123456789;exit:0");
    await(id);
    cr_expect_str_eq(output(id, 0, 0, WHELK_UNTIL_ANY, NULL), "456789");
    cr_expect_eq(out.offset, 4);
    cr_expect_eq(out.lost, 4);
    cr_expect_eq(out.next, 10);
    cr_expect_str_eq(output(id, 6, 0, WHELK_UNTIL_ANY, NULL), "6789");
    cr_expect_eq(out.lost, 0);
    drop_output();
}

Test(sandbox_process, until_a_line_matches)
{
    uint32_t id = start("out:starting;nl;nap:10;out:listening on ;nap:10;out:80;nl;hang");
    cr_expect_str_eq(output(id, 0, 30000, WHELK_UNTIL_MATCH, "^listening on [0-9]+$"), "starting\nlistening on 80\n");
    cr_expect_eq(out.met, 1);
    cr_expect_eq(out.next, 25);
    cr_expect_str_eq(output(id, 0, 10, WHELK_UNTIL_MATCH, "never"), "starting\nlistening on 80\n");
    cr_expect_eq(out.met, 0);
    id = start("out:no;nl;out:the last line;exit:0"); /* whole, since nothing comes behind it */
    cr_expect_str_eq(output(id, 0, 30000, WHELK_UNTIL_MATCH, "last"), "no\nthe last line");
    cr_expect_eq(out.met, 1);
    output(id, 0, 30000, WHELK_UNTIL_MATCH, "absent");
    cr_expect_eq(out.met, 0);
    cr_expect_eq(out.state, 1);
    drop_output();
}

Test(sandbox_process, more_than_fits_before_a_match)
{
    uint32_t id = start("out:first line;nl;out:second line;nl;out:third line;nl;hang");
    whelk_sandbox_read what = {.size = sizeof what, .id = id, .stream = 1, .max = 15, .wait_ms = 30000,
                               .until = WHELK_UNTIL_MATCH, .pattern = "^second"};
    whelk_sandbox_output o = {.size = sizeof o};
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &o), WHELK_OK);
    cr_expect_str_eq(o.data, "first line\n"); /* the next one begins with a whole line */
    cr_expect_eq(o.met, 0);
    free(o.data);
    what.offset = o.next;
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &o), WHELK_OK);
    cr_expect_eq(o.met, 1);
    free(o.data);
}

Test(sandbox_process, ports)
{
    uint32_t id = start("out:up;nap:20;port:8080;out:!;hang");
    whelk_sandbox_read what = {.size = sizeof what, .id = id, .stream = 1, .wait_ms = 30000,
                               .until = WHELK_UNTIL_PORT, .port = 8080};
    whelk_sandbox_output o = {.size = sizeof o};
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &o), WHELK_OK);
    cr_expect_eq(o.met, 1);
    cr_expect_eq(strncmp(o.data, "up", 2), 0);
    free(o.data);
    what.port = 9;
    what.wait_ms = 10;
    cr_assert_eq(whelk_sandbox_read_output(box, &what, &o), WHELK_OK);
    cr_expect_eq(o.met, 0);
    free(o.data);
    cr_expect_eq(whelk_sandbox_wait_port(box, 8080, 30000), WHELK_OK);
    cr_expect_eq(whelk_sandbox_wait_port(box, 9, 10), WHELK_E_AGAIN);
    cr_expect_eq(whelk_sandbox_wait_port(box, 0, 10), WHELK_E_INVALID);
    cr_expect_null(box->calls);
}

Test(sandbox_process, reads_that_make_no_sense)
{
    uint32_t id = start("hang");
    whelk_sandbox_output o = {.size = sizeof o};
    whelk_sandbox_read what = {.size = sizeof what, .id = id, .stream = 3};
    cr_expect_eq(whelk_sandbox_read_output(box, &what, &o), WHELK_E_INVALID);
    what.stream = 2;
    what.until = WHELK_UNTIL_MATCH;
    cr_expect_eq(whelk_sandbox_read_output(box, &what, &o), WHELK_E_INVALID);
    what.pattern = "(";
    cr_expect_eq(whelk_sandbox_read_output(box, &what, &o), WHELK_E_INVALID);
    cr_expect(strstr(whelk_sandbox_error(box), "pattern"), "%s", whelk_sandbox_error(box));
    what.until = WHELK_UNTIL_PORT;
    cr_expect_eq(whelk_sandbox_read_output(box, &what, &o), WHELK_E_INVALID);
    what.until = 9;
    cr_expect_eq(whelk_sandbox_read_output(box, &what, &o), WHELK_E_INVALID);
    what.until = 0;
    what.id = 12345;
    cr_expect_eq(whelk_sandbox_read_output(box, &what, &o), WHELK_E_NOENT);
    cr_expect_null(o.data);
    cr_expect_eq(whelk_sandbox_read_output(box, &what, NULL), WHELK_E_INVALID);
}

static void open_with_secret(void)
{
    whelk_secret s = {.size = sizeof s, .name = "KEY", .value = "s3cret-value"};
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    o.secrets = &s;
    o.n_secrets = 1;
    whelk_sandbox_close(box);
    box = plan_open(&o);
}

/* However it is cut into reads, no part of the value comes out. */
Test(sandbox_process, secrets_in_output)
{
    open_with_secret();
    uint32_t id = start("out:a s3cret-value b s3cret-other;exit:0");
    await(id);
    cr_expect_null(strstr(last.command, "s3cret-value"), "%s", last.command);
    cr_expect_str_eq(output(id, 0, 0, WHELK_UNTIL_ANY, NULL), "a *** b s3cret-other");
    for (uint64_t at = 0; at < 14; at++) {
        output(id, at, 0, WHELK_UNTIL_ANY, NULL);
        cr_expect_str_eq(out.data, at == 0 ? "a *** b s3cret-other" : at == 1 ? " *** b s3cret-other"
                                                                               : "*** b s3cret-other");
    }
    cr_expect_str_eq(output(id, 14, 0, WHELK_UNTIL_ANY, NULL), " b s3cret-other");
    char all[200] = "";
    uint64_t at = 0;
    for (int i = 0; i < 100; i++) {
        whelk_sandbox_read what = {.size = sizeof what, .id = id, .stream = 1, .offset = at, .max = 13};
        whelk_sandbox_output o = {.size = sizeof o};
        cr_assert_eq(whelk_sandbox_read_output(box, &what, &o), WHELK_OK);
        strcat(all, o.data);
        free(o.data);
        if (o.next == at)
            break;
        at = o.next;
    }
    cr_expect_null(strstr(all, "s3cret-v"), "%s", all);
    cr_expect_eq(at, 29, "%llu %s", (unsigned long long)at, all);
    drop_output();
}

Test(sandbox_process, what_may_become_a_secret_waits)
{
    open_with_secret();
    uint32_t id = start("out:x s3cre;nap:30;out:t-value y;hang");
    cr_expect_str_eq(output(id, 0, 30000, WHELK_UNTIL_ANY, NULL), "x ");
    cr_expect_eq(out.next, 2);
    cr_expect_str_eq(output(id, 2, 30000, WHELK_UNTIL_ANY, NULL), "*** y");
    drop_output();
}

/* ---- input ---------------------------------------------------------------------------------------- */

Test(sandbox_process, input_piece_by_piece)
{
    char *much = malloc(50000);
    memset(much, 'm', 50000);
    q.read_input = whelk_sandbox_input_later;
    uint32_t id = start("cat;exit:0");
    cr_expect_eq(whelk_sandbox_write_input(box, id, "hello ", 6), WHELK_OK);
    cr_expect_eq(whelk_sandbox_write_input(box, id, much, 50000), WHELK_OK);
    memset(much, 'x', 50000);
    cr_expect_eq(whelk_sandbox_write_input(box, id, NULL, 0), WHELK_OK);
    cr_expect_eq(whelk_sandbox_end_input(box, id), WHELK_OK);
    cr_expect_eq(whelk_sandbox_write_input(box, id, "x", 1), WHELK_E_CLOSED);
    await(id);
    cr_expect_eq(last.out_bytes, 50006);
    output(id, 0, 0, WHELK_UNTIL_ANY, NULL);
    cr_expect_eq(strncmp(out.data, "hello mmm", 9), 0);
    cr_expect_null(strchr(out.data, 'x'));
    drop_output();
    free(much);
}

Test(sandbox_process, input_given_at_the_start_and_more)
{
    char first[] = "first ";
    q.input = first;
    q.input_len = 6;
    uint32_t id = start("cat;exit:0");
    memset(first, 'x', 6);
    cr_expect_eq(whelk_sandbox_write_input(box, id, "second", 6), WHELK_OK);
    cr_expect_eq(whelk_sandbox_end_input(box, id), WHELK_OK);
    cr_expect_str_eq(output(id, 0, 30000, WHELK_UNTIL_EXIT, NULL), "first second");
    drop_output();
}

Test(sandbox_process, input_that_nobody_takes)
{
    uint32_t id = start("hang");
    cr_expect_eq(whelk_sandbox_write_input(box, id, "x", 1), WHELK_E_INVALID);
    cr_expect_eq(whelk_sandbox_resize(box, id, 10, 10), WHELK_E_INVALID);
    q.read_input = whelk_sandbox_input_later;
    id = start("unread;out:x;hang");
    cr_expect_str_eq(output(id, 0, 30000, WHELK_UNTIL_ANY, NULL), "x");
    drop_output();
    cr_expect_eq(whelk_sandbox_write_input(box, id, "x", 1), WHELK_E_CLOSED);
    id = start("exit:0");
    await(id);
    cr_expect_eq(whelk_sandbox_write_input(box, id, "x", 1), WHELK_E_CLOSED);
    cr_expect_eq(whelk_sandbox_end_input(box, id), WHELK_E_CLOSED);
}

Test(sandbox_process, a_terminal)
{
    q.tty = 1;
    q.rows = 30;
    uint32_t id = start("cat;exit:0");
    cr_expect_eq(planned.last.flags, WHELK_SPEC_TTY | WHELK_SPEC_INPUT | WHELK_SPEC_LOGGED);
    cr_expect_eq(planned.last.rows, 30);
    cr_expect_eq(whelk_sandbox_write_input(box, id, "ls\n", 3), WHELK_OK);
    cr_expect_eq(whelk_sandbox_resize(box, id, 0, 1), WHELK_E_INVALID);
    cr_expect_eq(whelk_sandbox_resize(box, id, 40, 120), WHELK_OK);
    cr_expect_str_eq(output(id, 0, 30000, WHELK_UNTIL_ANY, NULL), "ls\n40x120");
    drop_output();
}

/* ---- loss, memory --------------------------------------------------------------------------------- */

Test(sandbox_process, lost)
{
    uint32_t id = start("nap:20;lost");
    last.size = sizeof last;
    cr_expect_eq(whelk_sandbox_wait(box, id, 30000, &last), WHELK_OK);
    cr_expect_eq(last.outcome, WHELK_OUTCOME_LOST);
    cr_expect_eq(whelk_sandbox_processes(box, count, NULL), WHELK_E_CLOSED);
    cr_expect_eq(whelk_sandbox_start(box, &q, &id), WHELK_E_CLOSED);
}

Test(sandbox_process, memory_may_fail)
{
    int failed = 0;
    for (uint64_t at = 1; at < 60; at++) {
        uint32_t id = 0;
        whelk_sandbox_read what = {.size = sizeof what, .stream = 1, .wait_ms = 50, .until = WHELK_UNTIL_MATCH,
                                   .pattern = "xy*"};
        whelk_sandbox_output o = {.size = sizeof o};
        q.script = "cat;out:xyz;nl;exit:0";
        q.input = "in";
        q.input_len = 2;
        box->mem->fail_at = box->mem->count + at;
        int code = whelk_sandbox_start(box, &q, &id);
        what.id = id;
        if (!code)
            code = whelk_sandbox_end_input(box, id);
        if (!code)
            code = whelk_sandbox_read_output(box, &what, &o);
        box->mem->fail_at = 0;
        cr_assert(code == WHELK_OK || code == WHELK_E_NOMEM, "allocation %llu: %d %s", (unsigned long long)at, code,
                  whelk_sandbox_error(box));
        failed += code != WHELK_OK;
        free(o.data);
        if (id) {
            await(id);
            cr_assert_eq(whelk_sandbox_forget(box, id), WHELK_OK);
        }
    }
    cr_expect_gt(failed, 10);
}
