/* sandbox_kind.c - a kind of sandbox of the program's own: commands are answered from a table, for tests of agents */
#include <stdio.h>
#include <string.h>
#include <whelk/sandbox_kind.h>

static const struct {
    const char *script, *out;
    int code;
} answers[] = {{"git status --short", " M main.c\n", 0}, {"make", "cc main.c\n", 2}};

enum { JOBS = 4 };

struct mock {
    struct job {
        uint32_t id; /* 0: free */
        const char *out;
        size_t left, welcome;
        int code;
        const whelk_process_events *events;
        void *ctx;
    } jobs[JOBS];
};

static struct mock the_mock; /* one is enough here */

static int open_mock(void *ctx, const whelk_sandbox_options *o, const whelk_opening *with, void **box,
                     whelk_box_facts *facts)
{
    (void)ctx;
    if (o->image) { /* what cannot be honoured is refused by name */
        with->error(with->ctx, "mock: image: it has none");
        return WHELK_E_UNSUPPORTED;
    }
    facts->capabilities = WHELK_BOX_EXEC | WHELK_BOX_NETWORK_NONE | WHELK_BOX_ISOLATED;
    facts->workspace = "/workspace";
    facts->shell = "sh";
    facts->description = "recorded answers";
    *box = &the_mock;
    return WHELK_OK;
}

static void close_mock(void *box, int keep)
{
    (void)keep;
    memset(box, 0, sizeof(struct mock));
}

/* Nothing to wait for: pump is called at once while there is something to tell. */
static size_t poll_mock(void *box, int *fds, short *events, size_t cap, int64_t *timeout_ms)
{
    struct mock *m = box;
    (void)fds, (void)events, (void)cap;
    *timeout_ms = -1;
    for (int i = 0; i < JOBS; i++)
        if (m->jobs[i].id && (m->jobs[i].welcome || !m->jobs[i].left))
            *timeout_ms = 0;
    return 0;
}

static int start(void *box, uint32_t id, const whelk_spec *spec, const whelk_process_events *events, void *ctx)
{
    struct mock *m = box;
    if (!spec->script || spec->flags & WHELK_SPEC_LOGGED)
        return WHELK_E_UNSUPPORTED;
    for (int i = 0; i < JOBS; i++) {
        if (m->jobs[i].id)
            continue;
        struct job *j = &m->jobs[i];
        *j = (struct job){.id = id, .out = "sh: not found\n", .code = 127, .events = events, .ctx = ctx};
        for (size_t k = 0; k < sizeof answers / sizeof *answers; k++)
            if (strcmp(spec->script, answers[k].script) == 0) {
                j->out = answers[k].out;
                j->code = answers[k].code;
            }
        j->left = strlen(j->out);
        events->started(ctx);
        return WHELK_OK;
    }
    return WHELK_E_NOSPACE;
}

static struct job *find(struct mock *m, uint32_t id)
{
    for (int i = 0; i < JOBS; i++)
        if (m->jobs[i].id == id)
            return &m->jobs[i];
    return NULL;
}

static void welcome(void *box, uint32_t id, int stream, size_t n)
{
    struct job *j = find(box, id);
    if (j && stream == 1)
        j->welcome += n;
}

/* Tells what may be told: output as far as it is welcome, then the end. */
static int pump(void *box)
{
    struct mock *m = box;
    for (int i = 0; i < JOBS; i++) {
        struct job *j = &m->jobs[i];
        size_t n = j->left < j->welcome ? j->left : j->welcome;
        if (!j->id)
            continue;
        if (n) {
            const char *p = j->out;
            j->out += n;
            j->left -= n;
            j->welcome -= n;
            j->events->output(j->ctx, 1, p, n);
        }
        if (j->id && !j->left) {
            struct job over = *j;
            whelk_exit e = {.size = sizeof e, .code = over.code};
            j->id = 0;
            over.events->exited(over.ctx, &e);
            over.events->closed(over.ctx);
        }
    }
    return WHELK_OK;
}

static void forget(void *box, uint32_t id)
{
    struct job *j = find(box, id);
    if (j)
        j->id = 0;
}

static void nothing(void *box, uint32_t id)
{
    (void)box, (void)id;
}

/* What it cannot do says so. */
static int write_(void *box, uint32_t id, const void *p, size_t n)
{
    (void)box, (void)id, (void)p, (void)n;
    return WHELK_E_UNSUPPORTED;
}

static int signal_(void *box, uint32_t id, int number, int scope, void (*done)(void *ctx, int code), void *ctx)
{
    (void)box, (void)id, (void)number, (void)scope, (void)done, (void)ctx;
    return WHELK_E_UNSUPPORTED;
}

static int resize(void *box, uint32_t id, uint16_t rows, uint16_t columns)
{
    (void)box, (void)id, (void)rows, (void)columns;
    return WHELK_E_UNSUPPORTED;
}

static int log_(void *box, uint32_t id, int stream, uint64_t offset, size_t most, int wait, whelk_log_fn *fn, void *ctx)
{
    (void)box, (void)id, (void)stream, (void)offset, (void)most, (void)wait, (void)fn, (void)ctx;
    return WHELK_E_UNSUPPORTED;
}

static int wait_port(void *box, uint32_t id, uint16_t port, void (*done)(void *ctx, int code), void *ctx)
{
    (void)box, (void)id, (void)port, (void)done, (void)ctx;
    return WHELK_E_UNSUPPORTED;
}

static int file(void *box, const whelk_file_request *r, const whelk_file_events *events, void *ctx)
{
    (void)box, (void)r, (void)events, (void)ctx;
    return WHELK_E_UNSUPPORTED;
}

static const whelk_sandbox_kind mock = {.size = sizeof mock,
                                        .name = "mock",
                                        .open = open_mock,
                                        .close = close_mock,
                                        .poll = poll_mock,
                                        .pump = pump,
                                        .start = start,
                                        .welcome = welcome,
                                        .write = write_,
                                        .signal = signal_,
                                        .resize = resize,
                                        .log = log_,
                                        .stop_waiting = nothing,
                                        .forget = forget,
                                        .wait_port = wait_port,
                                        .file = file};

int main(void)
{
    static const char *const scripts[] = {"git status --short", "make", "rm -rf /"};
    whelk_sandbox *box;
    int failed = whelk_sandbox_open_kind(&mock, NULL, &box);
    for (int i = 0; i < 3 && !failed; i++) {
        whelk_sandbox_result *r;
        failed = whelk_sandbox_exec(box, scripts[i], &r);
        if (!failed)
            printf("%s-> %d\n", r->out, r->exit_code);
        whelk_sandbox_result_free(r);
    }
    if (failed)
        printf("%s\n", whelk_sandbox_error(box));
    whelk_sandbox_close(box);
    return failed != 0;
}
