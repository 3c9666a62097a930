/* test_mock.c - recordings: what is recorded is replayed alike; edited by hand; requests that they do not have */
#include "plan_box.h"

#include "whelk/sandbox_mock.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

TestSuite(mock, .fini = plan_reset);

static whelk_secret secret = {.size = sizeof secret, .name = "KEY", .value = "s3cret"};
static const char *const asked[] = {"KEY"};

static whelk_sandbox *open_mock(const whelk_mock *m)
{
    whelk_sandbox *b;
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    o.secrets = &secret;
    o.n_secrets = 1;
    int code = whelk_sandbox_open_kind(whelk_mock_kind(m), &o, &b);
    cr_assert_eq(code, WHELK_OK, "%d %s", code, whelk_sandbox_error(b));
    return b;
}

/* Text of what came of a command, appended. */
static void tell(struct wk_buf *out, const whelk_sandbox_result *r)
{
    wk_buf_fmt(out, "outcome %d exit %d signal %d out [%s] err [%s] error [%s] survivors %u\n", r->outcome,
               r->exit_code, r->signal, r->out, r->err, r->error, r->survivors);
}

static void run(whelk_sandbox *b, struct wk_buf *out, const char *script, const char *input, int64_t timeout_ms)
{
    whelk_sandbox_request q;
    whelk_sandbox_result *r;
    whelk_sandbox_request_init(&q);
    q.script = script;
    q.input = input;
    q.input_len = input ? strlen(input) : 0;
    q.timeout_ms = timeout_ms;
    q.grace_ms = 20;
    q.secrets = asked;
    q.n_secrets = 1;
    q.spill = "spilled";
    q.max_stdout = 50;
    int code = whelk_sandbox_exec_with(b, &q, &r);
    cr_assert_eq(code, WHELK_OK, "%s: %d %s", script, code, whelk_sandbox_error(b));
    tell(out, r);
    whelk_sandbox_result_free(r);
}

/* A background process that is talked with. */
static void talk(whelk_sandbox *b, struct wk_buf *out)
{
    uint32_t id;
    whelk_sandbox_request q;
    whelk_process p = {.size = sizeof p};
    whelk_sandbox_request_init(&q);
    q.script = "out:hello;nl;cat;port:80;exit:9";
    q.tty = 1;
    cr_assert_eq(whelk_sandbox_start(b, &q, &id), WHELK_OK);
    whelk_sandbox_read what = {.size = sizeof what, .id = id, .stream = 1, .wait_ms = 30000};
    whelk_sandbox_output o = {.size = sizeof o};
    for (int i = 0; i < 3; i++) {
        what.until = i < 2 ? WHELK_UNTIL_ANY : WHELK_UNTIL_EXIT;
        cr_assert_eq(whelk_sandbox_read_output(b, &what, &o), WHELK_OK);
        wk_buf_fmt(out, "read %d [%s]\n", o.met, o.data);
        what.offset = o.next;
        free(o.data);
        if (!i) {
            cr_assert_eq(whelk_sandbox_resize(b, id, 10, 20), WHELK_OK);
            cr_assert_eq(whelk_sandbox_write_input(b, id, "typed s3cret", 12), WHELK_OK);
        } else if (i == 1) {
            cr_assert_eq(whelk_sandbox_end_input(b, id), WHELK_OK);
        }
    }
    wk_buf_fmt(out, "port %d\n", whelk_sandbox_wait_port(b, 80, 30000));
    wk_buf_fmt(out, "port %d\n", whelk_sandbox_wait_port(b, 81, 5));
    cr_assert_eq(whelk_sandbox_wait(b, id, 30000, &p), WHELK_OK);
    wk_buf_fmt(out, "ended %d %d\n", p.outcome, p.exit_code);
    cr_assert_eq(whelk_sandbox_forget(b, id), WHELK_OK);
}

static void all_of_it(whelk_sandbox *b, struct wk_buf *out)
{
    wk_buf_fmt(out, "%s %s %u\n", whelk_sandbox_workspace(b), whelk_sandbox_description(b), whelk_sandbox_port(b, 80));
    run(b, out, "out:one;err:two;out:three;exit:3", NULL, 0);
    run(b, out, "out:one;err:two;out:three;exit:3", NULL, 0);
    run(b, out, "cat;exit:0", "in s3cret\n\"quoted\" \\ \x01\xff", 0);
    run(b, out, "survivors:2;sig:11", NULL, 0);
    run(b, out, "oom", NULL, 0);
    run(b, out, "fail:-7:sh: no s3cret here", NULL, 0);
    run(b, out, "refuse:-8", NULL, 0);
    run(b, out, "late:2;out:x;exit:0", NULL, 0);
    run(b, out, "bytes;env:KEY;exit:0", NULL, 0);
    run(b, out, "deaf;out:slow;hang", NULL, 20);
    run(b, out, "big:5000;exit:0", NULL, 0);
    talk(b, out);
    run(b, out, "out:last;lost", NULL, 0);
}

/* Records all of it: the recording, to be freed, and what came of it. */
static char *record(struct wk_buf *out, size_t *n)
{
    whelk_mock *m;
    cr_assert_eq(whelk_mock_record(&plan_kind, &m), WHELK_OK);
    whelk_sandbox *b = open_mock(m);
    cr_expect_str_eq(whelk_sandbox_kind_name(b), "fake");
    all_of_it(b, out);
    whelk_sandbox_close(b);
    const char *text = whelk_mock_text(m, n);
    cr_assert_not_null(text);
    char *copy = strdup(text);
    whelk_mock_free(m);
    cr_expect_eq(planned.opened, planned.closed);
    return copy;
}

Test(mock, what_was_recorded_is_replayed_alike)
{
    struct wk_mem *mem = wk_mem_new(SIZE_MAX);
    struct wk_buf first, second;
    wk_buf_init(&first, mem, 1 << 20);
    wk_buf_init(&second, mem, 1 << 20);
    size_t n, n2;
    char *text = record(&first, &n);
    cr_expect_eq(strlen(text), n);
    cr_expect_null(strstr(text, "s3cret"), "%s", text);
    plan_reset(); /* from now on nobody but the recording answers */
    whelk_mock *m;
    int code = whelk_mock_replay(text, n, &m);
    cr_assert_eq(code, WHELK_OK, "%s", whelk_mock_error(m));
    for (int turn = 0; turn < 2; turn++) {
        wk_buf_reset(&second);
        whelk_sandbox *b = open_mock(m);
        cr_expect_str_eq(whelk_sandbox_kind_name(b), "fake");
        all_of_it(b, &second);
        cr_expect_str_eq(wk_buf_c(&second), wk_buf_c(&first));
        cr_expect_null(whelk_mock_left(m), "%s", whelk_mock_left(m));
        whelk_sandbox_close(b);
    }
    cr_expect_eq(planned.opened, 0);
    /* Written again it is the same. */
    cr_expect_str_eq(whelk_mock_text(m, &n2), text);
    whelk_mock_free(m);
    wk_buf_release(&first);
    wk_buf_release(&second);
    wk_mem_unref(mem);
    free(text);
}

static whelk_mock *replay(const char *text)
{
    whelk_mock *m;
    int code = whelk_mock_replay(text, strlen(text), &m);
    cr_assert_eq(code, WHELK_OK, "%d %s", code, whelk_mock_error(m));
    return m;
}

static const whelk_sandbox_result *result;
static const whelk_sandbox_result *exec(whelk_sandbox *b, const char *script, const char *input)
{
    whelk_sandbox_request q;
    whelk_sandbox_request_init(&q);
    q.script = script;
    q.input = input;
    q.input_len = input ? strlen(input) : 0;
    whelk_sandbox_result *r;
    whelk_sandbox_result_free((whelk_sandbox_result *)(void *)(uintptr_t)result);
    cr_assert_eq(whelk_sandbox_exec_with(b, &q, &r), WHELK_OK, "%s", whelk_sandbox_error(b));
    result = r;
    return r;
}

static const char by_hand[] = "# written by a person\n"
                              "whelk recording 1\n"
                              "capabilities 65535\n"
                              "workspace \"/w\"\n"
                              "\n"
                              "run script \"date\" cwd \"/w\"\n"
                              "    always\n"
                              "\tout \"Mon\\x20\\n\"\n"
                              "  exit 0\n"
                              "run script \"cat\" cwd \"/w\" input\n"
                              "  in \"hello\"\n"
                              "  end\n"
                              "  out \"he\"\n"
                              "  out \"llo\"\n"
                              "  exit 4\n"
                              "run script \"once\" cwd \"/w\"\n"
                              "  killed 6\n"
                              "run script \"hangs\" cwd \"/w\"\n"
                              "  out \"x\"\n";

Test(mock, written_by_hand)
{
    whelk_mock *m = replay(by_hand);
    whelk_sandbox *b = open_mock(m);
    for (int i = 0; i < 3; i++) {
        exec(b, "date", NULL);
        cr_expect_str_eq(result->out, "Mon \n");
        cr_expect_eq(result->exit_code, 0);
    }
    exec(b, "once", NULL);
    cr_expect_eq(result->outcome, WHELK_OUTCOME_SIGNALED);
    cr_expect_eq(result->signal, 6);
    cr_expect_str_eq(whelk_mock_left(m), "run script \"cat\" cwd \"/w\" input");
    exec(b, "cat", "hello");
    cr_expect_eq(result->exit_code, 4);
    cr_expect_str_eq(result->out, "hello");
    exec(b, "once", NULL); /* used up */
    cr_expect_eq(result->outcome, WHELK_OUTCOME_FAILED);
    cr_expect_str_eq(result->error, "the recording has no: run script \"once\" cwd \"/w\"");
    exec(b, "other", NULL);
    cr_expect_str_eq(result->error, "the recording has no: run script \"other\" cwd \"/w\"");
    cr_expect_eq(whelk_sandbox_wait_port(b, 80, 10), WHELK_E_UNSUPPORTED);
    whelk_sandbox_close(b);
    whelk_mock_free(m);
}

Test(mock, other_input_than_was_recorded)
{
    static const char *const inputs[] = {"hellx", "hell", "hello!"};
    for (size_t i = 0; i < 3; i++) {
        whelk_mock *m = replay(by_hand);
        whelk_sandbox *b = open_mock(m);
        exec(b, "cat", inputs[i]);
        cr_expect_eq(result->exit_code, 125, "%s", inputs[i]);
        cr_expect_str_eq(result->err, "whelk recording: other input was recorded\n");
        whelk_sandbox_close(b);
        whelk_mock_free(m);
    }
}

Test(mock, what_hangs_can_be_ended)
{
    whelk_mock *m = replay(by_hand);
    whelk_sandbox *b = open_mock(m);
    whelk_sandbox_request q;
    whelk_sandbox_result *r;
    whelk_sandbox_request_init(&q);
    q.script = "hangs";
    q.timeout_ms = 20;
    cr_assert_eq(whelk_sandbox_exec_with(b, &q, &r), WHELK_OK);
    cr_expect_eq(r->outcome, WHELK_OUTCOME_TIMEOUT);
    cr_expect_eq(r->signal, 15);
    cr_expect_str_eq(r->out, "x");
    whelk_sandbox_result_free(r);
    whelk_sandbox_close(b);
    whelk_mock_free(m);
}

Test(mock, an_opening_that_failed)
{
    whelk_mock *m;
    whelk_sandbox *b;
    size_t n;
    planned.open_code = WHELK_E_NOENT;
    planned.open_text = "no engine";
    cr_assert_eq(whelk_mock_record(&plan_kind, &m), WHELK_OK);
    cr_expect_eq(whelk_sandbox_open_kind(whelk_mock_kind(m), NULL, &b), WHELK_E_NOENT);
    whelk_sandbox_close(b);
    char *text = strdup(whelk_mock_text(m, &n));
    whelk_mock_free(m);
    m = replay(text);
    cr_expect_eq(whelk_sandbox_open_kind(whelk_mock_kind(m), NULL, &b), WHELK_E_NOENT);
    cr_expect_str_eq(whelk_sandbox_error(b), "no engine");
    whelk_sandbox_close(b);
    whelk_mock_free(m);
    free(text);
}

Test(mock, recordings_that_make_no_sense)
{
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"", "version"},
        {"whelk recording 2\n", "line 1"},
        {"whelk recording 1\n", "workspace"},
        {"whelk recording 1\nworkspace \"/w\n", "line 2"},
        {"whelk recording 1\nworkspace \"/w\"\n  out \"x\"\n", "line 3"},
        {"whelk recording 1\nworkspace \"/w\"\nrun script \"x\"\n  outs \"x\"\n", "line 4: outs"},
        {"whelk recording 1\nworkspace \"/w\"\nrun script \"x\"\n  out x\n", "line 4"},
        {"whelk recording 1\nworkspace \"/w\"\nrun script \"x\"\n  out\n", "line 4"},
        {"whelk recording 1\nworkspace \"/w\"\nrun script \"x\"\n  out \"\\x4\"\n", "line 4"},
        {"whelk recording 1\nworkspace \"/w\"\nrun script \"x\"\n  exit 1x\n", "line 4"},
        {"whelk recording 1\nworkspace \"/w\"\nrun script \"x\"\n  exit 99999999999999999999\n", "line 4"},
        {"whelk recording 1\nworkspace \"/w\"\nwalk\n", "line 3: walk"},
        {"whelk recording 1\nworkspace \"/w\"\nexposed 80 70000\n", "line 3"},
        {"whelk recording 1\nworkspace \"/w\"\nenv \"NOVALUE\"\n", "line 3"},
        {"whelk recording 1\nworkspace \"/w\"\nrefused 3 \"x\"\n", "line 3"},
    };
    for (size_t i = 0; i < WK_COUNTOF(bad); i++) {
        whelk_mock *m = NULL;
        cr_expect_eq(whelk_mock_replay(bad[i].text, strlen(bad[i].text), &m), WHELK_E_INVALID, "%s", bad[i].text);
        cr_assert_not_null(m);
        cr_expect(strstr(whelk_mock_error(m), bad[i].error), "%s: %s", bad[i].text, whelk_mock_error(m));
        whelk_mock_free(m);
    }
    whelk_mock *m = NULL;
    cr_expect_eq(whelk_mock_record(NULL, &m), WHELK_E_INVALID);
    cr_expect_eq(whelk_mock_replay(NULL, 1, &m), WHELK_E_INVALID);
    cr_expect_eq(whelk_mock_replay("", 0, NULL), WHELK_E_INVALID);
    whelk_mock_free(NULL);
}

/* ---- files ---------------------------------------------------------------------------------------- */

struct file_answer {
    int code, entries;
    uint64_t size;
    char text[400];
};

static void on_entry(void *ctx, const whelk_file_entry *e)
{
    struct file_answer *a = ctx;
    a->entries++;
    snprintf(a->text + strlen(a->text), 100, "%d %s %o %llu %s;", e->type, e->path, e->mode,
             (unsigned long long)e->bytes, e->target ? e->target : "-");
}

static void on_data(void *ctx, const void *p, size_t n)
{
    struct file_answer *a = ctx;
    snprintf(a->text + strlen(a->text), 100, "%.*s", (int)n, (const char *)p);
}

static void on_done(void *ctx, int code, uint64_t size, const char *text)
{
    struct file_answer *a = ctx;
    a->code = code;
    a->size = size;
    if (text)
        snprintf(a->text + strlen(a->text), 200, "%s", text);
}

static const whelk_file_events file_events = {sizeof file_events, on_entry, on_data, on_done};

static struct file_answer ask(whelk_sandbox *b, const whelk_file_request *r)
{
    struct file_answer a = {.code = 1};
    int code = b->kind->file(b->box, r, &file_events, &a);
    if (code)
        a.code = code;
    for (int i = 0; i < 100 && a.code == 1; i++)
        (void)wk_sandbox_wait_once(b, NULL, NULL, 0);
    return a;
}

Test(mock, files)
{
    static const char text[] = "whelk recording 1\n"
                               "workspace \"/w\"\n"
                               "file list \"src\" depth 1\n"
                               "  entry 1 0 420 1000 1000 1 5 77 1 1 \"src/a.c\"\n"
                               "  entry 3 0 511 1000 1000 1 5 3 2 1 \"src/l\" \"a.c\"\n"
                               "  done 0\n"
                               "file get \"a\" from 0 length 100\n"
                               "  data \"some \"\n"
                               "  data \"bytes\"\n"
                               "  done 0 10\n"
                               "file put \"b\" mode 644\n"
                               "  with \"one\\n\"\n"
                               "  done 0\n"
                               "file put \"b\" mode 644\n"
                               "  with \"with ***\\n\"\n"
                               "  done -8 0 \"b: not allowed\"\n";
    whelk_mock *m = replay(text);
    whelk_sandbox *b = open_mock(m);
    whelk_file_request r = {.size = sizeof r, .op = WHELK_FILE_LIST, .path = "src", .depth = 1};
    struct file_answer a = ask(b, &r);
    cr_expect_str_eq(a.text, "1 src/a.c 644 77 -;3 src/l 777 3 a.c;");
    cr_expect_eq(a.code, WHELK_OK);
    a = ask(b, &r);
    cr_expect_eq(a.code, WHELK_E_UNSUPPORTED);
    cr_expect_str_eq(a.text, "the recording has no: file list \"src\" depth 1");
    r = (whelk_file_request){.size = sizeof r, .op = WHELK_FILE_GET, .path = "a", .length = 100};
    a = ask(b, &r);
    cr_expect_str_eq(a.text, "some bytes");
    cr_expect_eq(a.size, 10);
    r = (whelk_file_request){.size = sizeof r, .op = WHELK_FILE_PUT, .path = "b", .mode = 0644, .data = "with s3cret\n",
                             .length = 12};
    a = ask(b, &r);
    cr_expect_eq(a.code, WHELK_E_ACCESS);
    cr_expect_str_eq(a.text, "b: not allowed");
    r.data = "two\n";
    r.length = 4;
    cr_expect_eq(ask(b, &r).code, WHELK_E_UNSUPPORTED);
    r.data = "one\n";
    cr_expect_eq(ask(b, &r).code, WHELK_OK);
    whelk_sandbox_close(b);
    whelk_mock_free(m);
}

static void fail_at(whelk_mock *m, uint64_t at)
{
    struct wk_mem *mem = *(struct wk_mem **)(void *)m; /* its first member */
    mem->fail_at = at ? mem->count + at : 0;
}

/* Of the recorder: there may be no recording, but what is recorded goes on. */
Test(mock, memory_may_fail)
{
    int without = 0;
    for (uint64_t at = 1; at < 120; at++) {
        whelk_mock *m;
        whelk_sandbox *b = NULL;
        whelk_sandbox_result *r = NULL;
        size_t n;
        cr_assert_eq(whelk_mock_record(&plan_kind, &m), WHELK_OK);
        fail_at(m, at);
        int code = whelk_sandbox_open_kind(whelk_mock_kind(m), NULL, &b);
        cr_assert(code == WHELK_OK || code == WHELK_E_NOMEM, "allocation %llu: %d", (unsigned long long)at, code);
        if (!code) {
            code = whelk_sandbox_exec(b, "out:x;err:y;exit:1", &r);
            cr_assert(code == WHELK_OK || code == WHELK_E_NOMEM);
            cr_assert(code || r->exit_code == 1);
            whelk_sandbox_result_free(r);
        }
        whelk_sandbox_close(b);
        without += whelk_mock_text(m, &n) == NULL;
        fail_at(m, 0);
        whelk_mock_free(m);
    }
    cr_expect_gt(without, 5);
    cr_expect_eq(planned.opened, planned.closed);
}

/* Any text: it is refused or replayed, and nothing else. */
Test(mock, broken_recordings)
{
    struct wk_mem *mem = wk_mem_new(SIZE_MAX);
    struct wk_buf out;
    size_t n;
    wk_buf_init(&out, mem, 1 << 20);
    char *text = record(&out, &n);
    plan_reset();
    unsigned seed = 1;
    for (int turn = 0; turn < 300; turn++) {
        char *copy = strdup(text);
        size_t len = n;
        for (int k = 0; k < 3; k++) {
            seed = seed * 1103515245 + 12345;
            size_t at = (seed >> 8) % n;
            if (turn % 3 == 0)
                copy[at] = (char)(seed >> 24);
            else if (turn % 3 == 1)
                len = at;
            else
                memmove(copy + at, copy + at + 1, n - at);
        }
        whelk_mock *m = NULL;
        int code = whelk_mock_replay(copy, len, &m);
        cr_assert(code == WHELK_OK || code == WHELK_E_INVALID);
        if (code == WHELK_OK) {
            whelk_sandbox *b;
            if (whelk_sandbox_open_kind(whelk_mock_kind(m), NULL, &b) == WHELK_OK)
                exec(b, "out:one;err:two;out:three;exit:3", NULL);
            whelk_sandbox_close(b);
        }
        whelk_mock_free(m);
        free(copy);
    }
    free(text);
    wk_buf_release(&out);
    wk_mem_unref(mem);
}
