/* plan_box.c - a kind of sandbox for tests: its programs do what their text says */
#include "plan_box.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PIECE = 65536 };

struct process {
    struct process *next;
    uint32_t id, flags;
    whelk_process_events e;
    void *ctx;
    char *plan, *env;
    size_t at;               /* in the plan */
    bool started, ended, closed, bytes, deaf, undead, mute, input_over, roomed, unread;
    unsigned survivors;
    int64_t until;           /* of a nap */
    bool hangs;
    int signal;              /* that came */
    char *out[2];            /* to be told */
    size_t n[2], told[2];
    uint64_t welcome[2];
    uint64_t dropped;
    char *in;
    size_t in_n;
};

struct answer {
    struct answer *next;
    void (*done)(void *ctx, int code);
    void *ctx;
    int code;
};

struct log_wait {
    struct log_wait *next;
    uint32_t id;
    int stream;
    uint64_t offset;
    size_t most;
    whelk_log_fn *fn;
    void *ctx;
};

struct port_wait {
    struct port_wait *next;
    uint32_t id;
    uint16_t port;
    void (*done)(void *ctx, int code);
    void *ctx;
};

struct box {
    struct process *processes;
    struct answer *answers;
    struct log_wait *logs;
    struct port_wait *ports;
    uint16_t listening;
    bool gone;
    int late;
};

struct planned planned;

static void drop_files(void)
{
    while (planned.files) {
        struct plan_file *f = planned.files;
        planned.files = f->next;
        free(f->path);
        free(f->data);
        free(f);
    }
}

void plan_reset(void)
{
    drop_files();
    planned = (struct planned){0};
}

const struct plan_file *plan_file(const char *path)
{
    const struct plan_file *f = planned.files;
    while (f && strcmp(f->path, path))
        f = f->next;
    return f;
}

whelk_sandbox *plan_open(const whelk_sandbox_options *o)
{
    whelk_sandbox *b = NULL;
    int code = whelk_sandbox_open_kind(&plan_kind, o, &b);
    cr_assert_eq(code, WHELK_OK, "open: %d %s", code, whelk_sandbox_error(b));
    return b;
}

/* ---- the box -------------------------------------------------------------------------------------- */

static int plan_open_box(void *ctx, const whelk_sandbox_options *o, const whelk_opening *with, void **box,
                         whelk_box_facts *facts)
{
    static const char *const env[] = {"FROM=facts", "GIT_CONFIG_GLOBAL=/w/.gitconfig"};
    (void)ctx;
    if (o->image) {
        with->error(with->ctx, "image: this kind has none");
        return WHELK_E_UNSUPPORTED;
    }
    with->notice(with->ctx, WHELK_NOTICE_PROGRESS, "opening with s3cret");
    for (int i = 0; planned.wait_for_cancel && !with->interrupted(with->ctx); i++) {
        cr_assert_lt(i, 3000);
        usleep(10000);
    }
    if (planned.wait_for_cancel) {
        with->error(with->ctx, "given up");
        return WHELK_E_CLOSED;
    }
    if (planned.open_text)
        with->error(with->ctx, planned.open_text);
    if (planned.open_code)
        return planned.open_code;
    if (planned.fail_open_at) {
        struct whelk_sandbox *b = with->ctx;
        b->mem->fail_at = b->mem->count + planned.fail_open_at;
    }
    planned.opened++;
    *facts = (whelk_box_facts){.size = sizeof *facts,
                               .capabilities = 0xffff & ~planned.lacks,
                               .workspace = "/w",
                               .shell = planned.shell,
                               .env = env,
                               .n_env = 2,
                               .description = "nothing real"};
    *box = planned.box = calloc(1, sizeof(struct box));
    return WHELK_OK;
}

static void free_process(struct process *p)
{
    free(p->plan);
    free(p->env);
    free(p->out[0]);
    free(p->out[1]);
    free(p->in);
    free(p);
}

static void plan_close(void *box, int keep)
{
    struct box *b = box;
    planned.closed++;
    planned.keep = keep;
    while (b->processes) {
        struct process *p = b->processes;
        b->processes = p->next;
        if (!p->closed && !b->gone)
            p->e.lost(p->ctx, "closed");
        free_process(p);
    }
    while (b->answers) {
        struct answer *a = b->answers;
        b->answers = a->next;
        free(a);
    }
    while (b->logs) {
        struct log_wait *w = b->logs;
        b->logs = w->next;
        free(w);
    }
    while (b->ports) {
        struct port_wait *w = b->ports;
        b->ports = w->next;
        free(w);
    }
    free(b);
    planned.box = NULL;
}

static struct process *find(struct box *b, uint32_t id)
{
    struct process *p = b->processes;
    while (p && p->id != id)
        p = p->next;
    return p;
}

/* ---- programs ------------------------------------------------------------------------------------- */

static void put(struct process *p, int k, const char *s, size_t n)
{
    char *out = realloc(p->out[k], p->n[k] + n + 1);
    if (!out)
        return;
    p->out[k] = out;
    if (n)
        memcpy(out + p->n[k], s, n);
    p->n[k] += n;
}

static bool tell(struct process *p)
{
    bool some = false;
    for (int k = 0; k < 2 && !(p->flags & WHELK_SPEC_LOGGED); k++) {
        size_t n = p->n[k] - p->told[k];
        if (n > p->welcome[k])
            n = p->welcome[k];
        if (n > (p->bytes ? 1u : (unsigned)PIECE))
            n = p->bytes ? 1 : PIECE;
        if (!n)
            continue;
        p->welcome[k] -= n;
        p->told[k] += n;
        p->e.output(p->ctx, k + 1, p->out[k] + (p->told[k] - n), n);
        some = true;
    }
    return some;
}

static bool all_told(const struct process *p)
{
    return p->flags & WHELK_SPEC_LOGGED || (p->told[0] == p->n[0] && p->told[1] == p->n[1]);
}

static void end(struct process *p, int code, int signal, int oom)
{
    whelk_exit e = {.size = sizeof e, .code = code, .signal = signal, .out_of_memory = oom, .user_ns = 2000000,
                    .system_ns = 1000000, .memory_peak = 4096, .survivors = p->survivors};
    p->ended = true;
    p->e.exited(p->ctx, &e);
}

static void lose(struct box *b)
{
    b->gone = true;
    for (struct process *p = b->processes; p; p = p->next)
        if (!p->closed)
            p->e.lost(p->ctx, "the plug was pulled");
}

static void write_env(struct process *p, const char *name)
{
    size_t n = strlen(name);
    for (const char *line = p->env; *line; line = strchr(line, '\n') + 1)
        if (strncmp(line, name, n) == 0 && line[n] == '=') {
            put(p, 0, line + n + 1, (size_t)(strchr(line, '\n') - line) - n - 1);
            return;
        }
    put(p, 0, "-", 1);
}

static void write_big(struct process *p, size_t n)
{
    char *text = malloc(n + 1);
    for (size_t i = 0; i < n; i++)
        text[i] = (char)(i % 64 == 63 ? '\n' : 'a' + i % 26);
    put(p, 0, text, n);
    free(text);
}

/* One step of the plan. */
static void step(struct box *b, struct process *p)
{
    char *s = p->plan + p->at;
    size_t n = strcspn(s, ";");
    char text[512];
    snprintf(text, sizeof text, "%.*s", (int)n, s);
    char *value = strchr(text, ':');
    if (value)
        *value++ = '\0';
    long v = value ? strtol(value, NULL, 10) : 0;
    if (!strcmp(text, "cat")) { /* stays */
        put(p, 0, p->in, p->in_n);
        if (p->in_n)
            p->e.room(p->ctx, p->in_n);
        p->in_n = 0;
        if (!p->input_over)
            return;
    }
    p->at += n + (s[n] == ';');
    if (!strcmp(text, "out"))
        put(p, 0, value, strlen(value));
    else if (!strcmp(text, "err"))
        put(p, 1, value, strlen(value));
    else if (!strcmp(text, "nl"))
        put(p, 0, "\n", 1);
    else if (!strcmp(text, "big"))
        write_big(p, (size_t)v);
    else if (!strcmp(text, "bytes"))
        p->bytes = true;
    else if (!strcmp(text, "env"))
        write_env(p, value);
    else if (!strcmp(text, "unread"))
        p->unread = true, p->e.room(p->ctx, SIZE_MAX);
    else if (!strcmp(text, "nap"))
        p->until = wk_sandbox_now() + v * 1000000;
    else if (!strcmp(text, "hang"))
        p->hangs = true;
    else if (!strcmp(text, "deaf"))
        p->deaf = true;
    else if (!strcmp(text, "undead"))
        p->deaf = p->undead = true;
    else if (!strcmp(text, "survivors"))
        p->survivors = (unsigned)v;
    else if (!strcmp(text, "mute"))
        p->mute = true;
    else if (!strcmp(text, "port"))
        b->listening = (uint16_t)v;
    else if (!strcmp(text, "drop"))
        p->dropped = (uint64_t)v;
    else if (!strcmp(text, "lost"))
        lose(b);
    else if (!strcmp(text, "oom"))
        end(p, -1, 9, 1);
    else if (!strcmp(text, "sig"))
        end(p, -1, (int)v, 0);
    else if (!strcmp(text, "exit") || !*text)
        end(p, (int)v, 0, 0);
    else if (strcmp(text, "late") && strcmp(text, "cat"))
        cr_assert_fail("fake: what is \"%s\"?", text);
}

static void advance(struct box *b, struct process *p)
{
    if (!p->started) {
        char text[256] = "";
        int code;
        if (sscanf(p->plan, "fail:%d:%255[^;]", &code, text) >= 1) {
            p->closed = p->ended = p->started = true;
            p->e.failed(p->ctx, code, *text ? text : NULL);
            return;
        }
        p->started = true;
        p->e.started(p->ctx);
        return;
    }
    if (p->flags & WHELK_SPEC_INPUT && !p->roomed) {
        p->roomed = true;
        p->e.room(p->ctx, 4096);
        return;
    }
    (void)tell(p);
    if (p->ended) {
        if (!p->mute && all_told(p)) {
            p->closed = true;
            p->e.closed(p->ctx);
        }
        return;
    }
    if (p->signal) {
        end(p, -1, p->signal, 0);
        return;
    }
    if (p->until && wk_sandbox_now() < p->until)
        return;
    p->until = 0;
    if (!p->hangs && all_told(p))
        step(b, p);
}

static bool can_advance(const struct process *p)
{
    if (p->closed)
        return false;
    if (!p->started || (p->flags & WHELK_SPEC_INPUT && !p->roomed) || p->signal)
        return !(p->ended && p->mute && p->signal);
    if (!all_told(p))
        return (p->n[0] > p->told[0] && p->welcome[0]) || (p->n[1] > p->told[1] && p->welcome[1]);
    if (p->ended)
        return !p->mute;
    if (!strncmp(p->plan + p->at, "cat", 3))
        return p->in_n || p->input_over;
    return !p->hangs && !p->until;
}

/* ---- the table ------------------------------------------------------------------------------------ */

static size_t plan_poll(void *box, int *fds, short *events, size_t cap, int64_t *timeout_ms)
{
    struct box *b = box;
    (void)fds;
    (void)events;
    (void)cap;
    *timeout_ms = b->answers || b->late ? 0 : -1;
    for (struct process *p = b->processes; p; p = p->next) {
        int64_t ms = -1;
        if (can_advance(p))
            ms = 0;
        else if (p->until)
            ms = (p->until - wk_sandbox_now()) / 1000000 + 1;
        if (ms >= 0 && (*timeout_ms < 0 || ms < *timeout_ms))
            *timeout_ms = ms;
    }
    return 0;
}

static struct plan_file *add_file(const char *path, const void *data, size_t n, uint32_t mode)
{
    struct plan_file *f = calloc(1, sizeof *f);
    f->path = strdup(path);
    f->data = malloc(n + 1);
    if (n)
        memcpy(f->data, data, n);
    f->data[n] = '\0';
    f->n = n;
    f->mode = mode;
    f->next = planned.files;
    planned.files = f;
    return f;
}

static void answer_logs(struct box *b, uint32_t only)
{
    for (struct log_wait **at = &b->logs; *at;) {
        struct log_wait w = **at;
        struct process *p = find(b, w.id);
        uint64_t n = p ? p->n[w.stream - 1] : 0, lost = 0;
        if (p && w.offset >= n && !p->ended && only != w.id) {
            at = &(*at)->next;
            continue;
        }
        struct log_wait *gone = *at;
        *at = gone->next;
        free(gone);
        if (w.offset > n)
            w.offset = n;
        if (p && w.stream == 1 && w.offset < p->dropped && p->dropped <= n) {
            lost = p->dropped - w.offset;
            w.offset = p->dropped;
        }
        size_t most = (size_t)(n - w.offset) < w.most ? (size_t)(n - w.offset) : w.most;
        if (most > PIECE)
            most = PIECE;
        const char *bytes = p && p->out[w.stream - 1] ? p->out[w.stream - 1] + w.offset : "";
        w.fn(w.ctx, WHELK_OK, w.offset, lost, !p || p->ended, bytes, most);
        at = &b->logs;
    }
}

static int plan_pump(void *box)
{
    struct box *b = box;
    if (b->gone)
        return WHELK_E_CLOSED;
    while (b->answers) {
        struct answer *a = b->answers, one = *a;
        b->answers = a->next;
        free(a);
        one.done(one.ctx, one.code);
    }
    for (struct process *p = b->processes, *next; p && !b->gone; p = next) {
        next = p->next;
        if (!p->closed)
            advance(b, p);
    }
    if (b->gone)
        return WHELK_E_CLOSED;
    answer_logs(b, 0);
    for (struct port_wait **at = &b->ports; *at;) {
        struct port_wait *w = *at;
        if (w->port != b->listening) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        w->done(w->ctx, WHELK_OK);
        free(w);
    }
    return WHELK_OK;
}

static void note_start(const whelk_spec *s)
{
    size_t n = 0;
    planned.last = *s;
    for (size_t i = 0; s->argv[i]; i++)
        n += (size_t)snprintf(planned.last_argv + n, n < sizeof planned.last_argv ? sizeof planned.last_argv - n : 0,
                              "[%.999s]", s->argv[i]);
    n = 0;
    for (size_t i = 0; s->env[i] && n < sizeof planned.last_env; i++)
        n += (size_t)snprintf(planned.last_env + n, sizeof planned.last_env - n, "%s\n", s->env[i]);
    snprintf(planned.cwd, sizeof planned.cwd, "%s", s->cwd);
    __atomic_store_n(&planned.started, true, __ATOMIC_RELEASE);
}

static int plan_start(void *box, uint32_t id, const whelk_spec *s, const whelk_process_events *e, void *ctx)
{
    struct box *b = box;
    const char *plan = s->script ? s->script : s->argv[1] ? s->argv[1] : "";
    int n;
    note_start(s);
    cr_assert_not(find(b, id), "id %u is used twice", id);
    if (sscanf(plan, "refuse:%d", &n) == 1)
        return n;
    if (sscanf(plan, "late:%d", &n) == 1 && b->late < n) {
        b->late++;
        return WHELK_E_AGAIN;
    }
    b->late = 0;
    struct process *p = calloc(1, sizeof *p);
    p->id = id;
    p->flags = s->flags;
    p->e = *e;
    p->ctx = ctx;
    p->plan = strdup(plan);
    p->env = strdup(planned.last_env);
    p->next = b->processes;
    b->processes = p;
    return WHELK_OK;
}

static void plan_welcome(void *box, uint32_t id, int stream, size_t n)
{
    struct process *p = find(box, id);
    if (p)
        p->welcome[stream - 1] += n;
}

static int plan_write(void *box, uint32_t id, const void *data, size_t n)
{
    struct process *p = find(box, id);
    cr_assert(p && p->flags & WHELK_SPEC_INPUT);
    cr_assert_not(p->input_over, "input behind its end");
    if (!n) {
        p->input_over = true;
        return WHELK_OK;
    }
    cr_assert_leq(p->in_n + n, 4096, "more input than there was room for");
    p->in = realloc(p->in, p->in_n + n);
    memcpy(p->in + p->in_n, data, n);
    p->in_n += n;
    return WHELK_OK;
}

static void add_answer(struct box *b, void (*done)(void *ctx, int code), void *ctx, int code)
{
    struct answer *a = calloc(1, sizeof *a);
    *a = (struct answer){b->answers, done, ctx, code};
    b->answers = a;
}

static int plan_signal(void *box, uint32_t id, int signal, int scope, void (*done)(void *ctx, int code), void *ctx)
{
    struct process *p = find(box, id);
    size_t n = strlen(planned.signals);
    snprintf(planned.signals + n, sizeof planned.signals - n, "%d/%d ", signal, scope);
    if (!p)
        return WHELK_E_NOENT;
    if (!p->ended && ((signal == 9 && !p->undead) || (signal == 15 && !p->deaf)))
        p->signal = signal;
    if (!planned.no_answers)
        add_answer(box, done, ctx, p->ended && scope == WHELK_SCOPE_LEADER ? WHELK_E_NOENT : WHELK_OK);
    return WHELK_OK;
}

static int plan_resize(void *box, uint32_t id, uint16_t rows, uint16_t columns)
{
    struct process *p = find(box, id);
    char text[64];
    put(p, 0, text, (size_t)snprintf(text, sizeof text, "%ux%u", rows, columns));
    return WHELK_OK;
}

static int plan_log(void *box, uint32_t id, int stream, uint64_t offset, size_t most, int wait, whelk_log_fn *fn,
                    void *ctx)
{
    struct box *b = box;
    struct process *p = find(b, id);
    if (!p || !(p->flags & WHELK_SPEC_LOGGED))
        return WHELK_E_NOENT;
    struct log_wait *w = calloc(1, sizeof *w);
    *w = (struct log_wait){b->logs, id, stream, offset, most, fn, ctx};
    b->logs = w;
    if (!wait)
        answer_logs(b, id);
    return WHELK_OK;
}

static void plan_stop_waiting(void *box, uint32_t id)
{
    struct box *b = box;
    planned.stopped++;
    if (planned.no_answers)
        return;
    answer_logs(b, id);
    for (struct port_wait **at = &b->ports; *at;) {
        struct port_wait *w = *at;
        if (w->id != id) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        w->done(w->ctx, WHELK_E_AGAIN);
        free(w);
    }
}

static void plan_forget(void *box, uint32_t id)
{
    struct box *b = box;
    planned.forgotten++;
    for (struct process **at = &b->processes; *at; at = &(*at)->next)
        if ((*at)->id == id) {
            struct process *p = *at;
            *at = p->next;
            free_process(p);
            return;
        }
}

static int plan_wait_port(void *box, uint32_t id, uint16_t port, void (*done)(void *ctx, int code), void *ctx)
{
    struct box *b = box;
    struct port_wait *w = calloc(1, sizeof *w);
    *w = (struct port_wait){b->ports, id, port, done, ctx};
    b->ports = w;
    return WHELK_OK;
}

static bool has_parent(const char *path)
{
    char parent[512];
    snprintf(parent, sizeof parent, "%s", path);
    char *slash = strrchr(parent, '/');
    if (!slash || slash == parent)
        return true;
    *slash = '\0';
    return !strcmp(parent, "/tmp") || !strcmp(parent, "/w") || plan_file(parent);
}

static int plan_file_request(void *box, const whelk_file_request *r, const whelk_file_events *e, void *ctx)
{
    (void)box;
    if (planned.no_answers)
        return WHELK_OK;
    if ((r->op == WHELK_FILE_PUT || r->op == WHELK_FILE_MAKE_DIR) && !has_parent(r->path)) {
        e->done(ctx, WHELK_E_NOENT, 0, "no such directory");
    } else if (r->op == WHELK_FILE_PUT && planned.file_code) {
        e->done(ctx, planned.file_code, 0, "the disk is full of s3cret");
    } else if (r->op == WHELK_FILE_MAKE_DIR && plan_file(r->path)) {
        e->done(ctx, WHELK_E_EXISTS, 0, NULL);
    } else if (r->op == WHELK_FILE_PUT || r->op == WHELK_FILE_MAKE_DIR) {
        add_file(r->path, r->data, (size_t)r->length, r->mode);
        e->done(ctx, WHELK_OK, 0, NULL);
    } else {
        struct plan_file **at = &planned.files;
        while (*at && strcmp((*at)->path, r->path))
            at = &(*at)->next;
        struct plan_file *f = *at;
        if (f) {
            *at = f->next;
            free(f->path);
            free(f->data);
            free(f);
        }
        e->done(ctx, f ? WHELK_OK : WHELK_E_NOENT, 0, NULL);
    }
    return WHELK_OK;
}

static uint16_t plan_port(void *box, uint16_t inside)
{
    (void)box;
    return (uint16_t)(inside + 1000);
}

const whelk_sandbox_kind plan_kind = {.size = sizeof plan_kind,
                                      .name = "fake",
                                      .open = plan_open_box,
                                      .close = plan_close,
                                      .poll = plan_poll,
                                      .pump = plan_pump,
                                      .start = plan_start,
                                      .welcome = plan_welcome,
                                      .write = plan_write,
                                      .signal = plan_signal,
                                      .resize = plan_resize,
                                      .log = plan_log,
                                      .stop_waiting = plan_stop_waiting,
                                      .forget = plan_forget,
                                      .wait_port = plan_wait_port,
                                      .file = plan_file_request,
                                      .port = plan_port};
