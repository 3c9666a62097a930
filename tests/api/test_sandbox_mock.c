/* test_sandbox_mock.c - the calls of a sandbox recorded within a session, and replayed without one */
#include <whelk/sandbox_mock.h>

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct log {
    char text[8000];
    size_t n;
};

static void __attribute__((format(printf, 2, 3))) note(struct log *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(l->text + l->n, sizeof l->text - l->n, format, args);
    va_end(args);
    l->n += n > 0 && (size_t)n < sizeof l->text - l->n ? (size_t)n : 0;
}

static void run(whelk_sandbox *b, struct log *l, const char *script)
{
    whelk_sandbox_result *r = NULL;
    cr_assert_eq(whelk_sandbox_exec(b, script, &r), WHELK_OK, "%s: %s", script, whelk_sandbox_error(b));
    note(l, "%s: %d %d [%s] [%s] [%s]\n", script, r->outcome, r->exit_code, r->out, r->err, r->error);
    whelk_sandbox_result_free(r);
}

static int see_path(void *ctx, const char *path, const whelk_stat *st, const char *target)
{
    note(ctx, " %s %o %llu%s%s", path, st->mode & 0777, (unsigned long long)st->bytes, target ? " -> " : "",
         target ? target : "");
    return 0;
}

static int see_match(void *ctx, const whelk_match *m)
{
    note(ctx, " %s:%llu:%.*s", m->path, (unsigned long long)m->number, (int)m->line_len, m->line);
    return 0;
}

static void files(whelk_sandbox *b, struct log *l)
{
    whelk_sandbox_data d = {.size = sizeof d};
    whelk_sandbox_search s = {.size = sizeof s, .pattern = "tw[o]", .regex = 1};
    size_t count = 0;
    int more = 0;
    note(l, "write %d\n", whelk_sandbox_write_file(b, "sub/dir/a.txt", "one\ntwo\nthree\n", 14, 0, 0));
    note(l, "append %d\n", whelk_sandbox_write_file(b, "sub/dir/a.txt", "four\n", 5, 0, WHELK_WRITE_APPEND));
    note(l, "edit %d", whelk_sandbox_edit(b, "sub/dir/a.txt", "three", "drei", 0, &count));
    note(l, " %zu\n", count);
    int code = whelk_sandbox_read_file(b, "sub/dir/a.txt", NULL, &d);
    note(l, "read %d [%s]\n", code, d.data ? d.data : "");
    whelk_free(d.data);
    note(l, "list %d", whelk_sandbox_list(b, ".", 3, see_path, l));
    note(l, "\ngrep %d", whelk_sandbox_grep(b, &s, see_match, l, &more));
    note(l, " %d\n", more);
    note(l, "remove %d %d\n", whelk_sandbox_remove(b, "sub", 1), whelk_sandbox_remove(b, "sub", 1));
}

static void background(whelk_sandbox *b, struct log *l)
{
    whelk_sandbox_request q;
    whelk_process p = {.size = sizeof p};
    whelk_sandbox_output out = {.size = sizeof out};
    uint32_t id = 0;
    whelk_sandbox_request_init(&q);
    q.script = "read x; echo \"got $x\"; exit 7";
    q.read_input = whelk_sandbox_input_later;
    cr_assert_eq(whelk_sandbox_start(b, &q, &id), WHELK_OK, "%s", whelk_sandbox_error(b));
    cr_assert_eq(whelk_sandbox_write_input(b, id, "line\n", 5), WHELK_OK, "%s", whelk_sandbox_error(b));
    whelk_sandbox_read what = {.size = sizeof what, .id = id, .stream = 1, .wait_ms = 30000, .until = WHELK_UNTIL_EXIT};
    cr_assert_eq(whelk_sandbox_read_output(b, &what, &out), WHELK_OK, "%s", whelk_sandbox_error(b));
    note(l, "output [%s] %d\n", out.data, out.met);
    whelk_free(out.data);
    cr_assert_eq(whelk_sandbox_wait(b, id, 30000, &p), WHELK_OK);
    note(l, "ended %d %d\n", p.outcome, p.exit_code);
}

static void all_of_it(whelk_sandbox *b, struct log *l)
{
    run(b, l, "echo hello | tr a-z A-Z; echo oops >&2; exit 3");
    run(b, l, "echo x >made; cat made; pwd");
    files(b, l);
    background(b, l);
    run(b, l, "ls");
}

Test(sandbox_mock, recorded_within_a_session)
{
    struct log first = {.n = 0}, second = {.n = 0};
    whelk_sandbox *b = NULL;
    whelk_mock *m = NULL;
    size_t n = 0;
    cr_assert_null(whelk_sandbox_kind_named("none"));
    cr_assert_null(whelk_sandbox_kind_named(NULL));
    cr_assert_eq(whelk_mock_record(whelk_sandbox_kind_named("inprocess"), &m), WHELK_OK);
    cr_assert_eq(whelk_sandbox_open_kind(whelk_mock_kind(m), NULL, &b), WHELK_OK, "%s", whelk_sandbox_error(b));
    all_of_it(b, &first);
    whelk_sandbox_close(b);
    const char *text = whelk_mock_text(m, &n);
    cr_assert_not_null(text);
    char *copy = strdup(text);
    whelk_mock_free(m);
    cr_expect(strstr(first.text, "[HELLO\n] [oops\n]"), "%s", first.text);
    cr_expect(strstr(first.text, "output [got line\n] 1\nended 0 7\n"), "%s", first.text);
    cr_assert_eq(whelk_mock_replay(copy, n, &m), WHELK_OK, "%s", whelk_mock_error(m));
    cr_assert_eq(whelk_sandbox_open_kind(whelk_mock_kind(m), NULL, &b), WHELK_OK, "%s", whelk_sandbox_error(b));
    cr_expect_str_eq(whelk_sandbox_kind_name(b), "inprocess");
    all_of_it(b, &second);
    cr_expect_str_eq(second.text, first.text);
    cr_expect_null(whelk_mock_left(m), "%s", whelk_mock_left(m));
    run(b, &second, "echo something else");
    cr_expect(strstr(second.text, "the recording has no: run script \"echo something else\""), "%s", second.text);
    whelk_sandbox_close(b);
    whelk_mock_free(m);
    free(copy);
}
