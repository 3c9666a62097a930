/* box_file.c - a file that the library itself puts into a box, or takes away */
#include "adapters/sandbox/box_file.h"

#include "adapters/sandbox/code.h"
#include "adapters/sandbox/sandbox_call.h"

struct file_call {
    struct wk_box_call call;
    struct wk_buf words;
    void *data;
    size_t n;
    void (*release_data)(struct wk_mem *m, void *data, size_t n);
};

static void release(struct wk_box_call *call)
{
    struct file_call *c = (struct file_call *)(void *)call;
    if (c->release_data)
        c->release_data(call->b->mem, c->data, c->n);
    wk_buf_release(&c->words);
}

static void on_entry(void *ctx, const whelk_file_entry *e)
{
    (void)ctx;
    (void)e;
}

static void on_data(void *ctx, const void *p, size_t n)
{
    (void)ctx;
    (void)p;
    (void)n;
}

static void on_done(void *ctx, int code, uint64_t size, const char *text)
{
    struct file_call *c = ctx;
    (void)size;
    if (code && text && !c->call.left)
        wk_redact_text(c->call.b, wk_str_c(text), 4096, &c->words);
    wk_sandbox_call_answered(&c->call, code);
}

static const whelk_file_events events = {sizeof events, on_entry, on_data, on_done};

/* Asks and waits for the answer. */
static int ask(struct file_call *c, const whelk_file_request *r, int64_t deadline)
{
    struct whelk_sandbox *b = c->call.b;
    int code;
    wk_buf_reset(&c->words);
    for (;;) {
        c->call.open = 1;
        code = b->kind->file(b->box, r, &events, c);
        if (code == WHELK_OK)
            break;
        c->call.open = 0;
        if (code != WHELK_E_AGAIN)
            return code;
        code = wk_sandbox_wait_once(b, NULL, NULL, deadline);
        if (code)
            return code;
    }
    code = wk_sandbox_wait_until(b, wk_sandbox_call_is_done, &c->call, deadline);
    return code ? code : c->call.code;
}

static struct file_call *new_call(struct whelk_sandbox *b)
{
    struct file_call *c = wk_sandbox_call_new(b, sizeof *c);
    if (c) {
        wk_buf_init(&c->words, b->mem, 16384);
        c->call.release = release;
    }
    return c;
}

/* The directories in front of a file, the first one first. */
static int make_parents(struct file_call *c, const char *path, int64_t deadline)
{
    struct whelk_sandbox *b = c->call.b;
    int code = WHELK_OK;
    char *dir = wk_strndup(b->mem, path, strlen(path));
    if (!dir)
        return WHELK_E_NOMEM;
    for (char *slash = strchr(dir + 1, '/'); slash && !code; slash = strchr(slash + 1, '/')) {
        whelk_file_request r = {.size = sizeof r, .op = WHELK_FILE_MAKE_DIR, .path = dir, .mode = 0755,
                                .mtime_ns = INT64_MIN};
        *slash = '\0';
        code = slash[-1] == '/' || slash[-1] == '\0' ? WHELK_OK : ask(c, &r, deadline);
        *slash = '/';
        if (code == WHELK_E_EXISTS)
            code = WHELK_OK;
    }
    wk_free(b->mem, dir);
    return code;
}

static const char *reason(int code)
{
    switch (code) {
    case WHELK_E_BUSY:
        return "cancelled";
    case WHELK_E_CLOSED:
        return "the sandbox is gone";
    case WHELK_E_AGAIN:
        return "the time is over";
    default:
        return whelk_strerror(code);
    }
}

int wk_box_put(struct whelk_sandbox *b, const char *path, uint32_t mode, void *data, size_t n,
               void (*release_data)(struct wk_mem *m, void *data, size_t n), int64_t deadline, struct wk_buf *why)
{
    whelk_file_request r = {.size = sizeof r, .op = WHELK_FILE_PUT, .path = path, .mode = mode,
                            .mtime_ns = wk_sandbox_wall(), .data = data, .length = n};
    struct file_call *c = *path ? new_call(b) : NULL;
    if (!c) {
        release_data(b->mem, data, n);
        return *path ? WHELK_E_NOMEM : WHELK_E_INVALID;
    }
    c->data = data;
    c->n = n;
    c->release_data = release_data;
    int code = ask(c, &r, deadline);
    if (code == WHELK_E_NOENT && make_parents(c, path, deadline) == WHELK_OK)
        code = ask(c, &r, deadline);
    if (code)
        wk_buf_fmt(why, "%s: %s", path, c->words.n ? wk_buf_c(&c->words) : reason(code));
    wk_sandbox_call_leave(&c->call);
    return code;
}

void wk_box_remove(struct whelk_sandbox *b, const char *path, int64_t deadline)
{
    whelk_file_request r = {.size = sizeof r, .op = WHELK_FILE_REMOVE, .path = path};
    struct file_call *c = new_call(b);
    if (c)
        (void)ask(c, &r, deadline);
    wk_sandbox_call_leave(c ? &c->call : NULL);
}
