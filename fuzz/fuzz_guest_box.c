/* fuzz_guest_box.c - whatever a guest helper says: events come in their order, names lie where they were asked for, no
 * more comes than was welcome, and everybody hears of the end once
 *
 * Input: frames, each a byte that picks an id, one for the type, one for the length of its body, and the body.
 */
#include "adapters/link/guest_box.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PROCESSES = 3, FILES = 10, REQUESTS = 3, WELCOME = 40, LENGTH = 20 };

struct watched {
    int stage; /* of a process: 0, 1 started, 2 exited, 3 closed; of a request: 0, 3 answered */
    uint64_t bytes;
    size_t entries;
    int op;
};

static void must(bool ok)
{
    if (!ok)
        abort();
}

static void on_started(void *ctx)
{
    struct watched *w = ctx;
    must(w->stage == 0);
    w->stage = 1;
}

static void on_failed(void *ctx, int code, const char *text)
{
    struct watched *w = ctx;
    must(w->stage == 0 && code != WHELK_OK && *text);
    w->stage = 4;
}

static void on_output(void *ctx, int stream, const void *p, size_t n)
{
    struct watched *w = ctx;
    must((w->stage == 1 || w->stage == 2) && (stream == 1 || stream == 2) && p && n);
    w->bytes += n;
    must(w->bytes <= 2 * WELCOME);
}

static void on_room(void *ctx, size_t n)
{
    struct watched *w = ctx;
    must(w->stage >= 1 && w->stage < 3 && n);
}

static void on_exited(void *ctx, const whelk_exit *e)
{
    struct watched *w = ctx;
    must(w->stage == 1 && (e->code == -1) == (e->signal != 0) && e->code < 256 && e->user_ns >= 0);
    w->stage = 2;
}

static void on_closed(void *ctx)
{
    struct watched *w = ctx;
    must(w->stage == 2);
    w->stage = 3;
}

static void on_lost(void *ctx, const char *text)
{
    struct watched *w = ctx;
    must(w->stage < 3 && *text);
    w->stage = 4;
}

static void on_entry(void *ctx, const whelk_file_entry *e)
{
    struct watched *w = ctx;
    must(w->stage == 0 && e->type >= WHELK_TYPE_FILE && e->type <= WHELK_TYPE_OTHER);
    must(w->op == WHELK_FILE_STAT || w->op == WHELK_FILE_LIST || w->op == WHELK_FILE_CHANGES);
    must(strncmp(e->path, "d", 1) == 0 && (e->path[1] == 0 || e->path[1] == '/'));
    must(!strstr(e->path, "/../") && !strstr(e->path, "//") && e->path[strlen(e->path) - 1] != '/');
    must(w->op == WHELK_FILE_STAT ? ++w->entries == 1 && !e->path[1] : e->path[1] != 0);
}

static void on_data(void *ctx, const void *p, size_t n)
{
    struct watched *w = ctx;
    must(w->stage == 0 && w->op == WHELK_FILE_GET && p && n);
    w->bytes += n;
    must(w->bytes <= LENGTH);
}

static void on_done(void *ctx, int code, uint64_t size, const char *text)
{
    struct watched *w = ctx;
    (void)size;
    must(w->stage == 0 && (code == WHELK_OK || *text));
    w->stage = 3;
}

static void on_answer(void *ctx, int code)
{
    (void)code;
    on_done(ctx, WHELK_OK, 0, "");
}

static void on_log(void *ctx, int code, uint64_t offset, uint64_t lost, int ended, const void *p, size_t n)
{
    (void)ended;
    must(p && n <= LENGTH && lost <= offset && (code == WHELK_OK || !n));
    on_done(ctx, WHELK_OK, 0, "");
}

static void start_all(struct wk_guest_box *g, struct watched *w)
{
    static const whelk_process_events events = {sizeof events, on_started, on_failed, on_output,
                                                on_room,       on_exited,  on_closed, on_lost};
    static const whelk_file_events files = {sizeof files, on_entry, on_data, on_done};
    static const char *const argv[] = {"x", NULL};
    for (uint32_t i = 0; i < PROCESSES; i++, w++) {
        const uint32_t flags[] = {WHELK_SPEC_INPUT, WHELK_SPEC_LOGGED, WHELK_SPEC_TTY};
        whelk_spec spec = {.size = sizeof spec, .flags = flags[i], .argv = argv};
        must(wk_guest_box_start(g, i + 1, &spec, &events, w) == WHELK_OK);
        wk_guest_box_welcome(g, i + 1, 1, WELCOME);
        wk_guest_box_welcome(g, i + 1, 2, WELCOME);
    }
    for (int op = 1; op <= FILES; op++, w++) {
        whelk_file_request q = {.size = sizeof q, .op = op, .path = "d", .target = "t", .depth = 2, .length = LENGTH,
                                .data = "01234567890123456789"};
        w->op = op;
        must(wk_guest_box_file(g, &q, &files, w) == WHELK_OK);
    }
    must(wk_guest_box_signal(g, 1, 9, WHELK_SCOPE_TREE, on_answer, w++) == WHELK_OK);
    must(wk_guest_box_log(g, 2, 1, 5, LENGTH, 1, on_log, w++) == WHELK_OK);
    must(wk_guest_box_wait_port(g, 99, 80, on_answer, w) == WHELK_OK);
}

static void say(struct wk_link *link, uint32_t id, uint32_t type, const uint8_t *body, size_t n)
{
    unsigned char head[GUEST_HEADER];
    guest_put_u32(head, (uint32_t)n);
    guest_put_u32(head + 4, type);
    guest_put_u32(head + 8, id);
    wk_link_take(link, head, sizeof head);
    wk_link_take(link, body, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_guest_box g = {0};
    struct watched w[PROCESSES + FILES + REQUESTS] = {0};
    struct wk_link *link = NULL;
    int fd[2];
    must(m && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0 &&
         wk_link_new(m, fd[0], fd[0], false, &link) == 0);
    unsigned char ready[18] = {GUEST_PROTOCOL};
    guest_put_u32(ready + 12, 2);
    g.mem = m;
    say(link, 0, GUEST_READY, ready, sizeof ready); /* nobody listens yet */
    g.link = link;
    g.puts_end = &g.puts;
    start_all(&g, w);
    while (size >= 3 && !link->error) {
        uint32_t id = data[0] % (PROCESSES + FILES + REQUESTS + 1);
        size_t n = data[2] < size - 3 ? data[2] : size - 3;
        id = id < PROCESSES ? id + 1 : id == PROCESSES ? 99 : WK_GUEST_IDS + id - PROCESSES;
        say(link, id, GUEST_READY + data[1] % 14, data + 3, n);
        data += 3 + n;
        size -= 3 + n;
    }
    wk_guest_box_end(&g, "over");
    for (size_t i = 0; i < sizeof w / sizeof *w; i++)
        must(w[i].stage >= 3);
    close(fd[1]);
    must(wk_mem_used(m) == 0);
    wk_mem_unref(m);
    return 0;
}
