/* test_guest_box.c - a box behind the guest helper: a helper that lies is cut off, a true one is told apart */
#include "adapters/link/guest_box.h"
#include "box_rig.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* The kind's table without an opening: the test plays the helper, at the other end of `peer`. */
static const whelk_sandbox_kind kind = {.size = sizeof kind,
                                        .name = "guest",
                                        .poll = wk_guest_box_poll,
                                        .pump = wk_guest_box_pump,
                                        .start = wk_guest_box_start,
                                        .welcome = wk_guest_box_welcome,
                                        .write = wk_guest_box_write,
                                        .signal = wk_guest_box_signal,
                                        .resize = wk_guest_box_resize,
                                        .log = wk_guest_box_log,
                                        .stop_waiting = wk_guest_box_stop_waiting,
                                        .forget = wk_guest_box_forget,
                                        .wait_port = wk_guest_box_wait_port,
                                        .file = wk_guest_box_file};

static struct wk_mem *mem;
static struct wk_guest_box box;
static struct rig rig;
static int peer;
static struct rig_run run;

/* What the helper says: a frame with a body made of the letters of `form`: u32 (u), u64 (q), text (t), bytes (b). */
static void say(uint32_t type, uint32_t id, const char *form, ...)
{
    struct wk_buf b;
    va_list v;
    unsigned char head[GUEST_HEADER];
    wk_buf_init(&b, mem, 1 << 21);
    va_start(v, form);
    for (; *form; form++)
        if (*form == 'u') {
            wk_link_put_u32(&b, va_arg(v, uint32_t));
        } else if (*form == 'q') {
            wk_link_put_u64(&b, va_arg(v, uint64_t));
        } else if (*form == 't') {
            wk_link_put_text(&b, wk_str_c(va_arg(v, const char *)));
        } else {
            size_t n = va_arg(v, size_t);
            wk_buf_fill(&b, 'x', n);
        }
    va_end(v);
    guest_put_u32(head, (uint32_t)b.n);
    guest_put_u32(head + 4, type);
    guest_put_u32(head + 8, id);
    cr_assert_eq(write(peer, head, sizeof head), (ssize_t)sizeof head);
    if (b.n)
        cr_assert_eq(write(peer, b.p, b.n), (ssize_t)b.n);
    wk_buf_release(&b);
}

static void read_all(int fd, void *p, size_t n)
{
    for (size_t at = 0; at < n;) {
        ssize_t k = read(fd, (char *)p + at, n - at);
        cr_assert(k > 0, "nothing was asked");
        at += (size_t)k;
    }
}

/* What the box asked next: its type; the id in *id. */
static uint32_t hear(uint32_t *id)
{
    unsigned char head[GUEST_HEADER];
    static unsigned char body[GUEST_BODY_MAX];
    (void)kind.pump(&box);
    read_all(peer, head, sizeof head);
    read_all(peer, body, guest_get_u32(head));
    *id = guest_get_u32(head + 8);
    return guest_get_u32(head + 4);
}

static void set_up(void)
{
    int fd[2];
    struct wk_link *link;
    uint32_t id;
    mem = wk_mem_new(SIZE_MAX);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
    peer = fd[1];
    cr_assert_eq(wk_link_new(mem, fd[0], fd[0], false, &link), 0);
    box = (struct wk_guest_box){0};
    say(GUEST_READY, 0, "uuut", GUEST_PROTOCOL, 77u, 6u, "x86_64");
    cr_assert_eq(wk_guest_box_begin(&box, mem, link, "/work", UINT32_MAX, UINT32_MAX, true, NULL, INT64_MAX), 0);
    cr_assert_eq(box.pid, 77);
    cr_assert_eq(hear(&id), GUEST_HELLO);
    rig = (struct rig){.kind = &kind, .box = &box, .facts = {.workspace = "/work"}};
    run = (struct rig_run){0};
}

static void tear_down(void)
{
    wk_guest_box_end(&box, NULL);
    rig.box = NULL;
    if (run.r)
        rig_free(&run);
    close(peer);
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

TestSuite(guest_box, .init = set_up, .fini = tear_down, .timeout = 60);

static void start(uint32_t flags)
{
    const char *argv[] = {"prog", NULL};
    uint32_t id;
    cr_assert_eq(rig_start(&rig, &run, argv, flags), WHELK_OK);
    cr_assert_eq(hear(&id), GUEST_SPAWN);
    cr_assert_eq(id, run.id);
    cr_assert_eq(hear(&id), GUEST_CREDIT);
    cr_assert_eq(hear(&id), GUEST_CREDIT);
}

static void pump(void)
{
    (void)kind.pump(&box);
}

static void expect_cut(const char *why)
{
    cr_expect_eq(kind.pump(&box), WHELK_E_CLOSED);
    cr_expect(strstr(box.why, why), "'%s' has no '%s'", box.why, why);
}

static void say_exit(uint32_t code, uint32_t sig)
{
    say(GUEST_EXIT, run.id, "uuqqquuq", code, sig, (uint64_t)1500, (uint64_t)2, (uint64_t)3, 4u, 0u, (uint64_t)0);
}

Test(guest_box, a_life_in_order)
{
    start(0);
    say(GUEST_STARTED, run.id, "u", 5u);
    say(GUEST_OUTPUT, run.id, "ub", 1u, (size_t)3);
    say_exit(7, 0);
    say(GUEST_OUTPUT, run.id, "ub", 2u, (size_t)2);
    say(GUEST_CLOSED, run.id, "");
    pump();
    cr_expect_str_eq(run.order, "soec");
    cr_expect_str_eq(run.out[0], "xxx");
    cr_expect_str_eq(run.out[1], "xx");
    cr_expect_eq(run.exit.code, 7);
    cr_expect_eq(run.exit.user_ns, 1500000);
    cr_expect_eq(run.exit.memory_peak, 3072);
    cr_expect_eq(run.exit.survivors, 4);
}

Test(guest_box, what_is_under_way_is_lost_with_the_connection)
{
    struct rig_file f = {0};
    whelk_file_request q = {.size = sizeof q, .op = WHELK_FILE_STAT, .path = "x"};
    start(0);
    close(peer);
    peer = -1;
    cr_expect_eq(rig_file(&rig, &f, &q), WHELK_E_CLOSED);
    cr_expect_str_eq(run.order, "l");
    cr_expect_str_eq(run.text, "the connection to the sandbox's helper has ended");
    cr_expect_eq(kind.start(&box, 9, &(whelk_spec){.argv = (const char *[]){"x", NULL}},
                            &(whelk_process_events){.size = sizeof(whelk_process_events)}, NULL),
                 WHELK_E_CLOSED);
    rig_file_free(&f);
}

/* ---- lies about processes ---------------------------------------------------------------------------- */

Test(guest_box, more_output_than_was_welcome)
{
    start(0);
    say(GUEST_STARTED, run.id, "u", 5u);
    pump();
    run.no_welcome = true;
    for (int i = 0; i < 17; i++) {
        say(GUEST_OUTPUT, run.id, "ub", 2u, (size_t)65536);
        pump();
    }
    expect_cut("more output than was welcome");
    cr_expect_str_eq(run.order, "sol");
}

Test(guest_box, an_exit_before_the_start)
{
    start(0);
    say_exit(0, 0);
    expect_cut("not its turn");
    cr_expect_str_eq(run.order, "l");
}

Test(guest_box, a_close_before_the_exit)
{
    start(0);
    say(GUEST_STARTED, run.id, "u", 5u);
    say(GUEST_CLOSED, run.id, "");
    expect_cut("not its turn");
}

Test(guest_box, two_exits)
{
    start(0);
    say(GUEST_STARTED, run.id, "u", 5u);
    say_exit(0, 0);
    say_exit(0, 0);
    expect_cut("not its turn");
    cr_expect_str_eq(run.order, "sel");
}

Test(guest_box, an_exit_that_makes_no_sense)
{
    start(0);
    say(GUEST_STARTED, run.id, "u", 5u);
    say_exit(256, 0);
    expect_cut("makes no sense");
}

Test(guest_box, too_much_room_for_input)
{
    start(WHELK_SPEC_INPUT);
    say(GUEST_STARTED, run.id, "u", 5u);
    pump();
    cr_expect_eq(run.room, GUEST_INPUT);
    say(GUEST_INPUT_ROOM, run.id, "u", 1u);
    expect_cut("more room for input");
}

Test(guest_box, output_of_no_stream)
{
    start(0);
    say(GUEST_STARTED, run.id, "u", 5u);
    say(GUEST_OUTPUT, run.id, "ub", 3u, (size_t)1);
    expect_cut("unknown stream");
}

Test(guest_box, unknown_ids_are_passed_over)
{
    start(0);
    say(GUEST_OUTPUT, 4711, "ub", 1u, (size_t)10);
    say(GUEST_OK, 0x80001234u, "");
    say(GUEST_STARTED, run.id, "u", 5u);
    pump();
    cr_expect_str_eq(run.order, "s");
    cr_expect_eq(kind.pump(&box), WHELK_OK);
}

Test(guest_box, a_frame_that_is_too_long)
{
    unsigned char head[GUEST_HEADER] = {0xff, 0xff, 0xff, 0x7f};
    start(0);
    cr_assert_eq(write(peer, head, sizeof head), (ssize_t)sizeof head);
    cr_expect_eq(kind.pump(&box), WHELK_E_CLOSED);
    cr_expect_str_eq(run.order, "l");
}

Test(guest_box, input_is_no_more_than_was_welcome)
{
    static char bytes[GUEST_INPUT + 1];
    uint32_t id;
    start(WHELK_SPEC_INPUT);
    say(GUEST_STARTED, run.id, "u", 5u);
    pump();
    cr_expect_eq(kind.write(&box, run.id, bytes, sizeof bytes), WHELK_E_INVALID);
    cr_expect_eq(kind.write(&box, run.id, bytes, 100), WHELK_OK);
    cr_expect_eq(hear(&id), GUEST_STDIN);
    say(GUEST_INPUT_ROOM, run.id, "u", UINT32_MAX);
    pump();
    cr_expect(run.unread);
    cr_expect_eq(kind.write(&box, run.id, bytes, 1), WHELK_E_CLOSED);
}

/* ---- lies about files ---------------------------------------------------------------------------------- */

struct lie {
    int op;
    const char *asked, *path;
    uint32_t kind, change;
    const char *target;
    const char *why; /* NULL: it is none */
};

static const struct lie lies[] = {
    {WHELK_FILE_LIST, "d", "a", GUEST_FILE, GUEST_THERE, "", NULL},
    {WHELK_FILE_LIST, "d", "a", GUEST_LINK, GUEST_THERE, "/x", NULL},
    {WHELK_FILE_LIST, "d", "../a", GUEST_FILE, GUEST_THERE, "", "not where it was looked for"},
    {WHELK_FILE_LIST, "d", "a/../../b", GUEST_FILE, GUEST_THERE, "", "not where it was looked for"},
    {WHELK_FILE_LIST, "d", "/etc/passwd", GUEST_FILE, GUEST_THERE, "", "not where it was looked for"},
    {WHELK_FILE_LIST, "d", "", GUEST_FILE, GUEST_THERE, "", "not where it was looked for"},
    {WHELK_FILE_LIST, "d", "a//b", GUEST_FILE, GUEST_THERE, "", "not where it was looked for"},
    {WHELK_FILE_LIST, "d", "a/", GUEST_FILE, GUEST_THERE, "", "not where it was looked for"},
    {WHELK_FILE_LIST, "d", ".", GUEST_DIR, GUEST_THERE, "", "not where it was looked for"},
    {WHELK_FILE_LIST, "d", "a/b/c", GUEST_FILE, GUEST_THERE, "", "not where it was looked for"},
    {WHELK_FILE_LIST, "d", "a", 9, GUEST_THERE, "", "makes no sense"},
    {WHELK_FILE_LIST, "d", "a", GUEST_FILE, GUEST_ADDED, "", "makes no sense"},
    {WHELK_FILE_LIST, "d", "a", GUEST_FILE, GUEST_THERE, "target", "target"},
    {WHELK_FILE_CHANGES, "d", "a", GUEST_FILE, GUEST_THERE, "", "makes no sense"},
    {WHELK_FILE_CHANGES, "d", "a/b/c/d", GUEST_FILE, GUEST_REMOVED, "", NULL},
    {WHELK_FILE_STAT, "d", "a", GUEST_FILE, GUEST_THERE, "", "not where it was looked for"},
    {WHELK_FILE_GET, "d", "", GUEST_FILE, GUEST_THERE, "", "an answer to something else"},
};

static void say_entry(uint32_t id, const struct lie *l)
{
    say(GUEST_ENTRY, id, "uuuqqququutt", l->change, l->kind, 0644u, (uint64_t)1, (uint64_t)2, (uint64_t)3, 1u,
        (uint64_t)4, 5u, 6u, l->path, l->target);
}

static void nothing(void *ctx, int code, uint64_t size, const char *text)
{
    (void)size;
    (void)text;
    *(int *)ctx = code;
}

Test(guest_box, entries_are_looked_at)
{
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        const struct lie *l = &lies[i];
        whelk_file_events events = {.size = sizeof events, .done = nothing};
        whelk_file_request q = {.size = sizeof q, .op = l->op, .path = l->asked, .depth = 2, .length = 5};
        int code = 99;
        uint32_t id;
        cr_assert_eq(kind.file(&box, &q, &events, &code), WHELK_OK);
        (void)hear(&id);
        say_entry(id, l);
        say(GUEST_OK, id, "q", (uint64_t)0);
        pump();
        cr_expect_eq(code, l->why ? WHELK_E_CLOSED : WHELK_OK, "%zu: %d", i, code);
        cr_expect(!l->why || strstr(box.why, l->why), "%zu: %s", i, box.why);
        if (l->why) {
            tear_down();
            set_up();
        }
    }
}

Test(guest_box, a_path_comes_once)
{
    static const struct lie twice = {WHELK_FILE_LIST, "", "a", GUEST_FILE, GUEST_THERE, "", NULL};
    whelk_file_events events = {.size = sizeof events, .done = nothing};
    whelk_file_request q = {.size = sizeof q, .op = WHELK_FILE_LIST, .path = "", .depth = 1};
    int code = 99;
    uint32_t id;
    cr_assert_eq(kind.file(&box, &q, &events, &code), WHELK_OK);
    (void)hear(&id);
    say_entry(id, &twice);
    say_entry(id, &twice);
    expect_cut("a path that came twice");
    cr_expect_eq(code, WHELK_E_CLOSED);
}

Test(guest_box, a_name_with_nul)
{
    whelk_file_events events = {.size = sizeof events, .done = nothing};
    whelk_file_request q = {.size = sizeof q, .op = WHELK_FILE_LIST, .path = "", .depth = 1};
    unsigned char body[56 + 4 + 3 + 4] = {GUEST_THERE};
    unsigned char head[GUEST_HEADER] = {0};
    int code = 99;
    uint32_t id;
    cr_assert_eq(kind.file(&box, &q, &events, &code), WHELK_OK);
    (void)hear(&id);
    body[56] = 3;
    memcpy(body + 60, "a\0b", 3);
    guest_put_u32(head, sizeof body);
    guest_put_u32(head + 4, GUEST_ENTRY);
    guest_put_u32(head + 8, id);
    cr_assert(write(peer, head, sizeof head) > 0 && write(peer, body, sizeof body) > 0);
    expect_cut("not where it was looked for");
}

Test(guest_box, more_data_than_was_asked_for)
{
    whelk_file_events events = {.size = sizeof events, .done = nothing};
    whelk_file_request q = {.size = sizeof q, .op = WHELK_FILE_GET, .path = "f", .length = 10};
    int code = 99;
    uint32_t id;
    cr_assert_eq(kind.file(&box, &q, &events, &code), WHELK_OK);
    (void)hear(&id);
    say(GUEST_DATA, id, "b", (size_t)6);
    say(GUEST_DATA, id, "b", (size_t)6);
    expect_cut("more of a file than was asked for");
}

Test(guest_box, paths_that_must_not_be)
{
    const char *bad[] = {"..", "../x", "a/../b", "a/.."};
    whelk_file_events events = {.size = sizeof events, .done = nothing};
    int code = 99;
    uint32_t id;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        whelk_file_request q = {.size = sizeof q, .op = WHELK_FILE_STAT, .path = bad[i]};
        cr_expect_eq(kind.file(&box, &q, &events, &code), WHELK_E_INVALID, "%s", bad[i]);
    }
    whelk_file_request q = {.size = sizeof q, .op = WHELK_FILE_STAT, .path = "/a/../b"};
    cr_expect_eq(kind.file(&box, &q, &events, &code), WHELK_OK);
    cr_expect_eq(hear(&id), GUEST_STAT);
    cr_expect_eq(kind.file(&box, &(whelk_file_request){.size = sizeof q, .op = 77, .path = "a"}, &events, &code),
                 WHELK_E_INVALID);
    say(GUEST_ERROR, id, "ut", 2u, "whatever");
    pump();
    cr_expect_eq(code, WHELK_E_NOENT);
}

/* ---- logs and signals ------------------------------------------------------------------------------------ */

struct logged {
    int calls, code;
    uint64_t offset;
};

static void on_log(void *ctx, int code, uint64_t offset, uint64_t lost, int ended, const void *p, size_t n)
{
    struct logged *l = ctx;
    (void)lost;
    (void)ended;
    (void)p;
    l->calls++;
    l->code = code;
    l->offset = offset + n;
}

Test(guest_box, reads_of_a_log_are_told_apart)
{
    struct logged a = {0}, b = {0};
    uint32_t first, second;
    start(WHELK_SPEC_LOGGED);
    say(GUEST_STARTED, run.id, "u", 5u);
    pump();
    cr_expect_eq(kind.log(&box, run.id, 1, 0, 100, 1, on_log, &a), WHELK_OK);
    cr_expect_eq(kind.log(&box, run.id, 2, 50, 100, 1, on_log, &b), WHELK_OK);
    cr_expect_eq(hear(&first), GUEST_READ_LOG);
    cr_expect_eq(hear(&second), GUEST_READ_LOG);
    say(GUEST_LOG, second, "qqub", (uint64_t)50, (uint64_t)0, 0u, (size_t)4);
    pump();
    cr_expect(a.calls == 0 && b.calls == 1 && b.offset == 54);
    say(GUEST_LOG, first, "qqub", (uint64_t)0, (uint64_t)0, 0u, (size_t)101);
    expect_cut("a log that makes no sense");
    cr_expect(a.calls == 1 && a.code == WHELK_E_CLOSED);
}

Test(guest_box, another_version_is_refused)
{
    int fd[2];
    struct wk_link *link;
    struct wk_guest_box other = {0};
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
    int kept = peer;
    peer = fd[1];
    cr_assert_eq(wk_link_new(mem, fd[0], fd[0], false, &link), 0);
    say(GUEST_READY, 0, "uuut", GUEST_PROTOCOL + 1, 77u, 6u, "x86_64");
    cr_expect_lt(wk_guest_box_begin(&other, mem, link, "/", 0, 0, true, NULL, INT64_MAX), 0);
    cr_expect_str_eq(other.why, "the sandbox's helper is of another version");
    wk_guest_box_end(&other, NULL);
    close(peer);
    peer = kept;
}

static void on_code(void *ctx, int code)
{
    *(int *)ctx = code;
}

/* Every allocation fails in turn: what was begun ends, and nothing is left. */
Test(guest_box, without_memory)
{
    static char bytes[100000];
    whelk_file_events events = {.size = sizeof events, .done = nothing};
    for (uint64_t n = 1; n < 40; n++) {
        const char *argv[] = {"prog", NULL};
        whelk_file_request list = {.size = sizeof list, .op = WHELK_FILE_LIST, .path = "", .depth = 1};
        whelk_file_request put = {.size = sizeof put, .op = WHELK_FILE_PUT, .path = "f", .data = bytes,
                                  .length = sizeof bytes};
        static const struct lie entry = {WHELK_FILE_LIST, "", "a", GUEST_FILE, GUEST_THERE, "", NULL};
        int codes[3] = {99, 99, 99};
        mem->fail_at = mem->count + n;
        bool started = rig_start(&rig, &run, argv, 0) == WHELK_OK;
        int began[] = {kind.file(&box, &list, &events, &codes[0]), kind.file(&box, &put, &events, &codes[1]),
                       started ? kind.signal(&box, run.id, 9, WHELK_SCOPE_TREE, on_code, &codes[2]) : WHELK_E_NOENT};
        mem->fail_at = 0;
        if (box.link->error == 0) {
            say_entry(0x80000001u, &entry);
            mem->fail_at = mem->count + n / 3;
            pump();
            mem->fail_at = 0;
        }
        tear_down(); /* the account is empty */
        for (int i = 0; i < 3; i++)
            cr_expect(began[i] == WHELK_OK ? codes[i] == WHELK_E_CLOSED : codes[i] == 99, "%d %d", began[i], codes[i]);
        set_up();
    }
}
