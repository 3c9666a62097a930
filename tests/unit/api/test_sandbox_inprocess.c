/* test_sandbox_inprocess.c - the kind "inprocess" from within: file requests, changes, logs, processes */
#include "api/sandbox_inprocess.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* ---- requests, as the library makes them -------------------------------------------------------------- */

static const whelk_sandbox_kind *kind = &wk_inprocess_kind;
static void *raw;

static void no_words(void *ctx, const char *text)
{
    (void)ctx, (void)text;
}

static void no_notice(void *ctx, int notice, const char *text)
{
    (void)ctx, (void)notice, (void)text;
}

static int never(void *ctx)
{
    (void)ctx;
    return 0;
}

static void open_raw(void)
{
    const whelk_opening with = {sizeof with, NULL, no_words, no_notice, never};
    whelk_sandbox_options o;
    whelk_box_facts f = {.size = sizeof f};
    whelk_sandbox_options_init(&o);
    cr_assert_eq(kind->open(NULL, &o, &with, &raw, &f), WHELK_OK);
}

static void close_raw(void)
{
    kind->close(raw, WHELK_DEFAULT);
}

TestSuite(sandbox_changes, .init = open_raw, .fini = close_raw, .timeout = 120);

/* What was told: a line each, and the code. */
struct told {
    char text[4096];
    int code;
    uint64_t size;
};

static void tell_entry(void *ctx, const whelk_file_entry *e)
{
    struct told *t = ctx;
    const char *what = e->change == WHELK_ADDED      ? "+"
                       : e->change == WHELK_REMOVED  ? "-"
                       : e->change == WHELK_MODIFIED ? "~"
                                                     : "";
    size_t n = strlen(t->text);
    snprintf(t->text + n, sizeof t->text - n, "%s%s%s%s\n", what, e->path, e->target ? " -> " : "",
             e->target ? e->target : "");
}

static void tell_data(void *ctx, const void *p, size_t n)
{
    struct told *t = ctx;
    strncat(t->text, p, n);
}

static void tell_done(void *ctx, int code, uint64_t size, const char *text)
{
    struct told *t = ctx;
    t->code = code;
    t->size = size;
    cr_assert_eq(code == WHELK_OK, !*text, "%d: %s", code, text);
}

static const whelk_file_events events = {sizeof events, tell_entry, tell_data, tell_done};

static int request(int op, const char *path, const char *target, const char *data, struct told *t)
{
    static const char *const left_out[] = {"cache", "node_modules"};
    whelk_file_request r = {.size = sizeof r,
                            .op = op,
                            .path = path,
                            .target = target,
                            .mode = UINT32_MAX,
                            .mtime_ns = INT64_MIN,
                            .data = data,
                            .length = data                   ? strlen(data)
                                      : op == WHELK_FILE_GET ? 1000
                                                             : 0,
                            .depth = 9};
    if (op == WHELK_FILE_CHANGES) {
        r.names = left_out;
        r.n_names = 2;
    }
    struct told none;
    t = t ? t : &none;
    *t = (struct told){.code = 1};
    cr_assert_eq(kind->file(raw, &r, &events, t), WHELK_OK);
    return t->code;
}

static void sh(const char *script)
{
    const whelk_result *r;
    cr_assert_eq(whelk_exec(kind->session(raw), script, &r), WHELK_OK);
    cr_assert_eq(r->status, 0, "%s: %s", script, r->err);
}

static void expect_changes(const char *path, const char *text)
{
    struct told t;
    cr_assert_eq(request(WHELK_FILE_CHANGES, path, NULL, NULL, &t), WHELK_OK, "%d", t.code);
    cr_assert_str_eq(t.text, text);
}

Test(sandbox_changes, what_programs_have_done_is_told_once)
{
    sh("mkdir -p d/e; echo 1 > d/a; echo 2 > d/b; echo 3 > c");
    expect_changes("", "");
    expect_changes("", "");
    sh("echo 11 > d/a; rm d/b; ln -s a d/l; mkdir n; echo x > n/x; chmod 600 c; mkdir cache; echo no > cache/x");
    expect_changes("", "-d/b\n~c\n~d/a\n+d/l -> a\n+n\n+n/x\n");
    expect_changes("", "");
    sh("rm -r n d/e; mv c cc; echo again > c; cat d/a > /dev/null; echo elsewhere > /tmp/f");
    expect_changes("", "-n/x\n-n\n-d/e\n~c\n+cc\n");
}

Test(sandbox_changes, names_that_change_hands_are_told_as_they_are_now)
{
    sh("echo a > a; echo b > b; mkdir d; echo in > d/in; mkdir gone");
    expect_changes(".", "");
    sh("mv a b; mv d moved; rmdir gone; echo file > gone");
    struct told t;
    cr_assert_eq(request(WHELK_FILE_CHANGES, ".", NULL, NULL, &t), WHELK_OK);
    cr_assert(strstr(t.text, "-a\n"), "%s", t.text);
    cr_assert(strstr(t.text, "-d\n"), "%s", t.text);
    cr_assert(strstr(t.text, "~b\n"), "%s", t.text);
    cr_assert(strstr(t.text, "~gone\n"), "%s", t.text);
    cr_assert(strstr(t.text, "+moved\n+moved/in\n"), "%s", t.text);
    cr_assert_null(strstr(t.text, "-b\n"), "%s", t.text);
}

Test(sandbox_changes, the_programs_own_requests_are_not_told)
{
    sh("mkdir -p d/e; echo x > d/e/x; echo y > y");
    expect_changes("", "");
    expect_changes("d", "");
    cr_assert_eq(request(WHELK_FILE_PUT, "put", NULL, "text", NULL), WHELK_OK);
    cr_assert_eq(request(WHELK_FILE_PUT, "touched", NULL, "text", NULL), WHELK_OK);
    cr_assert_eq(request(WHELK_FILE_APPEND, "y", NULL, "more", NULL), WHELK_OK);
    cr_assert_eq(request(WHELK_FILE_MAKE_DIR, "made", NULL, NULL, NULL), WHELK_OK);
    cr_assert_eq(request(WHELK_FILE_SYMLINK, "/workspace/link", "y", NULL, NULL), WHELK_OK);
    cr_assert_eq(request(WHELK_FILE_REMOVE, "d/e", NULL, NULL, NULL), WHELK_OK);
    cr_assert_eq(request(WHELK_FILE_RENAME, "put", "put2", NULL, NULL), WHELK_OK);
    sh("echo by program >> touched; echo f > made/f; echo n > d/n");
    expect_changes("", "+d/n\n+made/f\n+touched\n");
    expect_changes("d", "+d/n\n");
    expect_changes("", "");
    sh("mkdir -p d/e; rm y");
    expect_changes("", "-y\n+d/e\n");
    expect_changes("d", "+d/e\n");
}

Test(sandbox_changes, relative_paths_go_through_no_link)
{
    struct told t;
    sh("mkdir d; echo text > d/f; ln -s d l; ln -s f d/lf; ln -s /etc abs");
    cr_assert_eq(request(WHELK_FILE_GET, "./d//f", NULL, NULL, &t), WHELK_OK);
    cr_assert_str_eq(t.text, "text\n");
    cr_assert_eq(t.size, 5u);
    cr_assert_eq(request(WHELK_FILE_GET, "l/f", NULL, NULL, &t), WHELK_E_LOOP);
    cr_assert_eq(request(WHELK_FILE_GET, "d/lf", NULL, NULL, &t), WHELK_E_LOOP);
    cr_assert_eq(request(WHELK_FILE_LIST, "l", NULL, NULL, &t), WHELK_E_LOOP);
    cr_assert_eq(request(WHELK_FILE_PUT, "abs/x", NULL, "x", &t), WHELK_E_LOOP);
    cr_assert_eq(request(WHELK_FILE_RENAME, "d/f", "l/g", NULL, &t), WHELK_E_LOOP);
    cr_assert_eq(request(WHELK_FILE_GET, "../etc/passwd", NULL, NULL, &t), WHELK_E_INVALID);
    cr_assert_eq(request(WHELK_FILE_REMOVE, ".", NULL, NULL, &t), WHELK_E_STATE);
    cr_assert_eq(request(WHELK_FILE_GET, "/workspace/l/lf", NULL, NULL, &t), WHELK_OK);
    cr_assert_str_eq(t.text, "text\n");
    cr_assert_eq(request(WHELK_FILE_PUT, "d/lf", NULL, "own", &t), WHELK_OK); /* takes the link's place */
    cr_assert_eq(request(WHELK_FILE_STAT, "d/lf", NULL, NULL, &t), WHELK_OK);
    cr_assert_str_eq(t.text, "d/lf\n");
    cr_assert_eq(request(WHELK_FILE_REMOVE, "l", NULL, NULL, &t), WHELK_OK);
    cr_assert_eq(request(WHELK_FILE_LIST, ".", NULL, NULL, &t), WHELK_OK);
    cr_assert_str_eq(t.text, "abs -> /etc\nd\nd/f\nd/lf\n");
    cr_assert_eq(request(WHELK_FILE_CHANGES, "/proc", NULL, NULL, &t), WHELK_E_UNSUPPORTED);
    cr_assert_eq(request(WHELK_FILE_CHANGES, "d/f", NULL, NULL, &t), WHELK_E_NOTDIR);
}

Test(sandbox_log, keeps_both_ends)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    for (size_t piece = 1; piece < 300; piece += 37) {
        struct wk_inproc_log l;
        wk_inproc_log_init(&l, m, 100);
        for (size_t i = 0; i < 1000; i += piece) {
            char text[300];
            size_t n = WK_MIN(piece, 1000 - i);
            for (size_t k = 0; k < n; k++)
                text[k] = (char)('a' + (i + k) % 26);
            wk_inproc_log_put(&l, text, n);
        }
        cr_assert_eq(l.total, 1000u);
        uint64_t offset = 0, lost_all = 0, seen = 0;
        for (;;) {
            uint64_t at, lost;
            struct wk_str s = wk_inproc_log_get(&l, offset, 7, &at, &lost);
            for (size_t k = 0; k < s.n; k++)
                cr_assert_eq(s.p[k], (char)('a' + (at + k) % 26));
            cr_assert_eq(at, offset + lost);
            lost_all += lost;
            seen += s.n;
            offset = at + s.n;
            if (!s.n)
                break;
        }
        cr_assert_eq(offset, 1000u);
        cr_assert_eq(seen, 200u);
        cr_assert_eq(lost_all, 800u);
        uint64_t at, lost;
        cr_assert_eq(wk_inproc_log_get(&l, 5000, 10, &at, &lost).n, 0u);
        cr_assert_eq(at, 1000u);
        wk_inproc_log_release(&l);
    }
    cr_assert_eq(wk_mem_used(m), 0u);
    wk_mem_unref(m);
}

/* ---- processes, as the library drives them ------------------------------------------------------------- */

struct seen {
    int started, failed, ended, closed;
    size_t room;
    whelk_exit e;
    char out[512];
};

static void see_started(void *ctx)
{
    ((struct seen *)ctx)->started++;
}

static void see_failed(void *ctx, int code, const char *text)
{
    ((struct seen *)ctx)->failed = code;
    cr_assert_gt(strlen(text), 0u);
}

static void see_output(void *ctx, int stream, const void *p, size_t n)
{
    (void)stream;
    strncat(((struct seen *)ctx)->out, p, n);
}

static void see_room(void *ctx, size_t n)
{
    ((struct seen *)ctx)->room += n;
}

static void see_exited(void *ctx, const whelk_exit *e)
{
    struct seen *s = ctx;
    cr_assert_eq(s->closed, 0);
    s->ended++;
    s->e = *e;
}

static void see_closed(void *ctx)
{
    struct seen *s = ctx;
    cr_assert_eq(s->ended, 1);
    s->closed++;
}

static void see_lost(void *ctx, const char *text)
{
    (void)ctx;
    (void)text;
    cr_assert_fail("lost: %s", text);
}

static const whelk_process_events process_events = {
    sizeof process_events, see_started, see_failed, see_output, see_room, see_exited, see_closed, see_lost};

/* WHELK_OK, or why not even a failure is told. */
static int begin(struct seen *s, uint32_t id, uint32_t flags, const char *script)
{
    const char *argv[] = {"bash", "-c", script, NULL}, *env[] = {"A=b", NULL};
    whelk_spec spec = {.size = sizeof spec,
                       .flags = flags,
                       .argv = argv,
                       .env = env,
                       .script = script,
                       .cwd = "/workspace",
                       .uid = UINT32_MAX,
                       .gid = UINT32_MAX,
                       .umask = 022,
                       .log_bytes = 100};
    *s = (struct seen){.started = 0};
    int code = kind->start(raw, id, &spec, &process_events, s);
    if (!code && !s->failed && !(flags & WHELK_SPEC_LOGGED)) {
        kind->welcome(raw, id, 1, 400);
        kind->welcome(raw, id, 2, 400);
    }
    return code;
}

static void pump_to_end(const struct seen *s)
{
    for (int i = 0; i < 100000 && !s->failed && !s->closed; i++)
        kind->pump(raw);
    cr_assert(s->failed || s->closed);
}

TestSuite(sandbox_process, .init = open_raw, .fini = close_raw, .timeout = 120);

Test(sandbox_process, tells_what_it_left_of_its_input)
{
    struct seen s;
    cr_assert_eq(begin(&s, 1, WHELK_SPEC_INPUT, "read x; echo got $x"), WHELK_OK);
    kind->pump(raw);
    cr_assert_geq(s.room, 6u);
    cr_assert_eq(kind->write(raw, 1, "a\nbcd\n", 6), WHELK_OK);
    pump_to_end(&s);
    cr_assert_str_eq(s.out, "got a\n");
    cr_assert_eq(s.e.input_left, 4u);
    cr_assert_eq(kind->write(raw, 1, "x", 1), WHELK_E_CLOSED);
    kind->forget(raw, 1);
    cr_assert_eq(kind->write(raw, 1, "x", 1), WHELK_E_NOENT);
}

Test(sandbox_process, waits_for_credit_and_ends_when_nobody_reads)
{
    struct seen s;
    cr_assert_eq(begin(&s, 1, WHELK_SPEC_MERGED, "yes; echo $? >&2"), WHELK_OK);
    for (int i = 0; i < 20; i++)
        kind->pump(raw);
    cr_assert_eq(strlen(s.out), 400u);
    cr_assert_eq(s.ended, 0);
    kind->welcome(raw, 1, 1, SIZE_MAX);
    pump_to_end(&s);
    cr_assert_eq(strlen(s.out), 400u);
    cr_assert(s.e.code == 1 || s.e.signal == WK_SIGPIPE, "%d %d", s.e.code, s.e.signal);
    kind->forget(raw, 1);
}

Test(sandbox_process, forgotten_while_it_runs_it_is_ended)
{
    struct seen s, other;
    cr_assert_eq(begin(&s, 1, 0, "yes | cat > /dev/null & yes"), WHELK_OK);
    kind->pump(raw);
    kind->forget(raw, 1);
    cr_assert_eq(begin(&other, 2, 0, "ps -e -o comm= | grep -c yes"), WHELK_OK);
    pump_to_end(&other);
    cr_assert_str_eq(other.out, "0\n");
    kind->forget(raw, 2);
}

/* Every allocation of the session's, then of the box's, fails once: what cannot be is told, and all is well after. */
static void torture(struct wk_mem *m, uint32_t flags)
{
    static const char script[] = "x=$(echo in); echo $x | cat > f; sleep 0 & wait; cat f g 2>&1";
    struct seen s;
    bool failed = true;
    uint32_t id = 1;
    for (uint64_t at = 1; failed && at < 5000; at++) {
        m->fail_at = m->count + at;
        int code = begin(&s, ++id, flags, script);
        if (!code && flags & WHELK_SPEC_INPUT && !s.failed)
            (void)kind->write(raw, id, "input", 5);
        if (!code)
            pump_to_end(&s);
        failed = m->count >= m->fail_at;
        m->fail_at = 0;
        kind->forget(raw, id);
    }
    cr_assert_not(failed, "it never came to its end");
    cr_assert_eq(begin(&s, ++id, 0, "echo works"), WHELK_OK);
    pump_to_end(&s);
    cr_assert_str_eq(s.out, "works\n");
    kind->forget(raw, id);
}

Test(sandbox_process, memory_fails_at_every_place)
{
    struct wk_inproc_box *b = raw;
    torture(b->s->kern.mem, 0);
    torture(b->mem, WHELK_SPEC_INPUT | WHELK_SPEC_MERGED);
    torture(b->mem, WHELK_SPEC_LOGGED);
}

Test(sandbox_changes, memory_fails_at_every_place)
{
    struct wk_inproc_box *b = raw;
    bool failed = true;
    sh("mkdir -p d/e; echo a > d/a");
    expect_changes("", "");
    for (uint64_t at = 1; failed && at < 1000; at++) {
        struct told t;
        sh("echo b > d/e/b; mv d/a d/c; mv d/c d/a; mv d/e d/f; mv d/f d/e; rm d/e/b; mkdir d/n");
        b->mem->fail_at = b->mem->count + at;
        (void)request(WHELK_FILE_PUT, "d/put", NULL, "text", &t);
        (void)request(WHELK_FILE_CHANGES, "", NULL, NULL, &t);
        cr_assert(t.code == WHELK_OK || t.code == WHELK_E_NOMEM, "%d", t.code);
        failed = b->mem->count >= b->mem->fail_at;
        b->mem->fail_at = 0;
        if (t.code)
            expect_changes("", "+d/n\n");
        sh("rmdir d/n");
        (void)request(WHELK_FILE_CHANGES, "", NULL, NULL, &t);
    }
    cr_assert_not(failed);
}
