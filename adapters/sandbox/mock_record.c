/* mock_record.c - the kind that passes everything on to another one and writes it down
 *
 * Logged processes are read by the recorder itself, too, from their start: what they wrote is recorded in its order,
 * whatever the program reads of it.
 */
#include "adapters/sandbox/mock.h"

#include "adapters/sandbox/code.h"

#include <poll.h>

enum {
    LOG_PIECE = 65536,
    CLOSE_TURNS = 100 /* of 2 ms, to read what ended processes wrote */
};

struct log_reader {
    struct process *p;
    int stream;
    uint64_t offset;
    bool asks, done;
};

struct process {
    struct process *next;
    struct box *box;
    uint32_t id;
    whelk_process_events events;
    void *ctx;
    struct wk_mock_block *block;
    struct wk_redact redact[3]; /* of its output, and of its input */
    struct log_reader logs[2];
    bool logged, closed, forgotten;
};

/* A file or a port that was asked for. */
struct call {
    struct call *next;
    struct box *box;
    struct wk_mock_block *block;
    whelk_file_events events;
    void (*done)(void *ctx, int code);
    void *ctx;
    struct wk_redact redact;
};

struct box {
    struct whelk_mock *m;
    const whelk_sandbox_kind *inner;
    void *box;
    struct process *processes;
    struct call *calls;
    bool closing;
};

/* ---- what is written down ------------------------------------------------------------------------- */

struct target {
    struct whelk_mock *m;
    struct wk_mock_block *block;
    enum wk_mock_word word;
};

static void append(void *ctx, const char *p, size_t n)
{
    struct target *t = ctx;
    wk_mock_append(t->m, t->block, t->word, p, n);
}

static void write_stream(struct process *p, enum wk_mock_word word, const char *bytes, size_t n, bool last)
{
    struct target t = {p->box->m, p->block, word};
    wk_redact_pass(&p->redact[word - WK_MOCK_OUT], bytes, n, last, append, &t);
}

/* All that was kept back is no secret. */
static void flush(struct process *p)
{
    for (int word = WK_MOCK_OUT; word <= WK_MOCK_IN; word++)
        write_stream(p, (enum wk_mock_word)word, NULL, 0, true);
}

static struct wk_mock_item *write_words(struct whelk_mock *m, struct wk_mock_block *k, enum wk_mock_word word,
                                        const char *text)
{
    struct wk_buf seen;
    wk_buf_init(&seen, m->mem, SIZE_MAX / 2);
    if (text)
        wk_redact_text(&m->hides, wk_str_c(text), 65536, &seen);
    struct wk_mock_item *i = wk_mock_add(m, k, word, text ? wk_buf_c(&seen) : NULL, seen.n);
    wk_buf_release(&seen);
    return i;
}

static void write_numbers(struct whelk_mock *m, struct wk_mock_block *k, enum wk_mock_word word, int64_t a, int64_t b)
{
    struct wk_mock_item *i = wk_mock_add(m, k, word, NULL, 0);
    if (i) {
        i->n[0] = a;
        i->n[1] = b;
    }
}

/* The last request was not one after all. */
static void drop_block(struct whelk_mock *m, struct wk_mock_block *k)
{
    if (!k || !m->n || m->blocks[m->n - 1] != k)
        return;
    for (size_t i = 0; i < k->n; i++)
        wk_free(m->mem, k->items[i].text);
    wk_free(m->mem, k->items);
    wk_free(m->mem, k->head);
    wk_free(m->mem, k);
    m->n--;
}

/* ---- opening -------------------------------------------------------------------------------------- */

struct opening {
    struct whelk_mock *m;
    const whelk_opening *with;
};

static void on_error(void *ctx, const char *text)
{
    struct opening *o = ctx;
    struct wk_buf seen;
    wk_buf_init(&seen, o->m->mem, SIZE_MAX / 2);
    wk_redact_text(&o->m->hides, wk_str_c(text), 65536, &seen);
    wk_free(o->m->mem, o->m->refusal);
    o->m->refusal = wk_mock_copy(o->m, wk_buf_c(&seen));
    wk_buf_release(&seen);
    o->with->error(o->with->ctx, text);
}

static void on_notice(void *ctx, int notice, const char *text)
{
    const struct opening *o = ctx;
    o->with->notice(o->with->ctx, notice, text);
}

static int is_interrupted(void *ctx)
{
    const struct opening *o = ctx;
    return o->with->interrupted(o->with->ctx);
}

static void keep(struct whelk_mock *m, char **to, const char *text)
{
    wk_free(m->mem, *to);
    *to = wk_mock_copy(m, text);
}

static void keep_facts(struct whelk_mock *m, const whelk_box_facts *f)
{
    m->capabilities = f->capabilities;
    keep(m, &m->workspace, f->workspace);
    keep(m, &m->home, f->home);
    keep(m, &m->shell, f->shell);
    keep(m, &m->path, f->path);
    keep(m, &m->description, f->description);
    while (m->n_env)
        wk_free(m->mem, m->env[--m->n_env]);
    for (size_t i = 0; i < f->n_env && !m->failed; i++) {
        struct wk_buf seen;
        wk_buf_init(&seen, m->mem, SIZE_MAX / 2);
        wk_redact_text(&m->hides, wk_str_c(f->env[i]), SIZE_MAX, &seen);
        char *copy = wk_mock_copy(m, wk_buf_c(&seen));
        wk_buf_release(&seen);
        if (!copy || !wk_vec_grow(m->mem, &m->env, &m->env_cap, m->n_env + 1, sizeof *m->env))
            m->failed = true;
        else
            m->env[m->n_env++] = copy;
        if (m->failed)
            wk_free(m->mem, copy);
    }
}

static int record_open(void *ctx, const whelk_sandbox_options *o, const whelk_opening *with, void **box,
                       whelk_box_facts *facts)
{
    struct whelk_mock *m = ctx;
    struct opening mine = {m, with};
    const whelk_opening passed = {sizeof passed, &mine, on_error, on_notice, is_interrupted};
    struct box *b = wk_mock_hide(m, o) ? NULL : WK_NEW(m->mem, struct box);
    if (!b)
        return WHELK_E_NOMEM;
    b->m = m;
    b->inner = m->inner;
    m->refused = m->inner->open(m->inner->ctx, o, &passed, &b->box, facts);
    if (m->refused) {
        wk_free(m->mem, b);
        return m->refused;
    }
    facts->capabilities &= ~(uint64_t)WHELK_BOX_SNAPSHOT;
    keep_facts(m, facts);
    *box = b;
    return WHELK_OK;
}

static int record_pump(void *box);

static bool has_forgotten(const struct box *b)
{
    const struct process *p = b->processes;
    while (p && !p->forgotten)
        p = p->next;
    return p;
}

static void free_process(struct process *p)
{
    for (int i = 0; i < 3; i++)
        wk_redact_release(&p->redact[i]);
    wk_free(p->box->m->mem, p);
}

static void record_close(void *box, int what)
{
    struct box *b = box;
    for (int turn = 0; turn < CLOSE_TURNS && has_forgotten(b) && record_pump(b) == WHELK_OK; turn++)
        (void)poll(NULL, 0, 2);
    b->closing = true;
    b->inner->close(b->box, what);
    while (b->processes) {
        struct process *p = b->processes;
        b->processes = p->next;
        flush(p);
        free_process(p);
    }
    while (b->calls) {
        struct call *c = b->calls;
        b->calls = c->next;
        wk_redact_release(&c->redact);
        wk_free(b->m->mem, c);
    }
    wk_free(b->m->mem, b);
}

/* ---- processes ------------------------------------------------------------------------------------ */

static void on_started(void *ctx)
{
    struct process *p = ctx;
    p->events.started(p->ctx);
}

static void on_failed(void *ctx, int code, const char *text)
{
    struct process *p = ctx;
    struct wk_mock_item *i = write_words(p->box->m, p->block, WK_MOCK_FAILED, text ? text : "");
    if (i)
        i->n[0] = code;
    p->closed = true;
    p->events.failed(p->ctx, code, text);
}

static void on_output(void *ctx, int stream, const void *bytes, size_t n)
{
    struct process *p = ctx;
    write_stream(p, stream == 2 ? WK_MOCK_ERR : WK_MOCK_OUT, bytes, n, false);
    p->events.output(p->ctx, stream, bytes, n);
}

static void on_room(void *ctx, size_t n)
{
    struct process *p = ctx;
    if (n == SIZE_MAX)
        (void)wk_mock_add(p->box->m, p->block, WK_MOCK_UNREAD, NULL, 0);
    p->events.room(p->ctx, n);
}

static void on_exited(void *ctx, const whelk_exit *e)
{
    struct process *p = ctx;
    struct whelk_mock *m = p->box->m;
    struct wk_mock_item *i = wk_mock_add(m, p->block, WK_MOCK_USED, NULL, 0);
    if (i) {
        i->n[0] = e->user_ns;
        i->n[1] = e->system_ns;
        i->n[2] = (int64_t)e->memory_peak;
        i->n[3] = e->survivors;
    }
    write_numbers(m, p->block,
                  e->out_of_memory ? WK_MOCK_MEMORY : e->signal || e->code < 0 ? WK_MOCK_KILLED : WK_MOCK_EXIT,
                  e->out_of_memory || e->signal || e->code < 0 ? e->signal : e->code, 0);
    p->events.exited(p->ctx, e);
}

static void on_closed(void *ctx)
{
    struct process *p = ctx;
    p->closed = true;
    if (!p->logged)
        flush(p);
    p->events.closed(p->ctx);
}

static void on_lost(void *ctx, const char *text)
{
    struct process *p = ctx;
    flush(p);
    if (p->forgotten)
        return;
    if (!p->box->closing)
        (void)write_words(p->box->m, p->block, WK_MOCK_LOST, text ? text : "");
    p->events.lost(p->ctx, text);
}

static const whelk_process_events events = {sizeof events, on_started, on_failed, on_output,
                                            on_room,       on_exited,  on_closed, on_lost};

static void on_log(void *ctx, int code, uint64_t offset, uint64_t lost, int ended, const void *bytes, size_t n)
{
    struct log_reader *l = ctx;
    struct process *p = l->p;
    (void)lost;
    l->asks = false;
    if (code || (ended && !n && p->closed))
        l->done = true;
    if (!code && n) {
        write_stream(p, l->stream == 2 ? WK_MOCK_ERR : WK_MOCK_OUT, bytes, n, false);
        l->offset = offset + n;
    }
    if (l->done)
        write_stream(p, l->stream == 2 ? WK_MOCK_ERR : WK_MOCK_OUT, NULL, 0, true);
}

/* Asks for what comes next of a logged process. */
static void follow(struct process *p)
{
    struct box *b = p->box;
    for (int i = 0; i < 2; i++) {
        struct log_reader *l = &p->logs[i];
        if (l->done || l->asks)
            continue;
        l->asks = true;
        if (b->inner->log(b->box, p->id, l->stream, l->offset, LOG_PIECE, !p->closed, on_log, l) != WHELK_OK) {
            l->asks = false;
            l->done = true;
        }
    }
}

/* Frees those that nobody knows any more and that were read to their end. */
static void drop_forgotten(struct box *b)
{
    for (struct process **at = &b->processes; *at;) {
        struct process *p = *at;
        if (!p->forgotten || !p->logs[0].done || !p->logs[1].done) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        b->inner->forget(b->box, p->id);
        flush(p);
        free_process(p);
    }
}

static struct process *find(struct box *b, uint32_t id)
{
    struct process *p = b->processes;
    while (p && (p->id != id || p->forgotten))
        p = p->next;
    return p;
}

static struct wk_mock_block *add_run(struct whelk_mock *m, const whelk_spec *spec)
{
    struct wk_buf head;
    wk_buf_init(&head, m->mem, SIZE_MAX / 2);
    wk_mock_put_run(m, spec, &head);
    m->failed = m->failed || head.failed;
    struct wk_mock_block *k = wk_mock_add_block(m, wk_buf_c(&head));
    wk_buf_release(&head);
    return k;
}

static int record_start(void *box, uint32_t id, const whelk_spec *spec, const whelk_process_events *e, void *ctx)
{
    struct box *b = box;
    struct process *p = WK_NEW(b->m->mem, struct process);
    if (!p)
        return WHELK_E_NOMEM;
    *p = (struct process){.next = b->processes, .box = b, .id = id, .events = *e, .ctx = ctx};
    p->logged = spec->flags & WHELK_SPEC_LOGGED;
    p->block = add_run(b->m, spec);
    for (int i = 0; i < 3; i++)
        wk_redact_init(&p->redact[i], &b->m->hides);
    for (int i = 0; i < 2; i++)
        p->logs[i] = (struct log_reader){.p = p, .stream = i + 1, .done = !p->logged};
    b->processes = p;
    int code = b->inner->start(b->box, id, spec, &events, p);
    if (code == WHELK_OK)
        return WHELK_OK;
    b->processes = p->next;
    if (code == WHELK_E_AGAIN)
        drop_block(b->m, p->block);
    else
        write_numbers(b->m, p->block, WK_MOCK_REFUSED, code, 0);
    free_process(p);
    return code;
}

static void record_welcome(void *box, uint32_t id, int stream, size_t n)
{
    struct box *b = box;
    b->inner->welcome(b->box, id, stream, n);
}

static int record_write(void *box, uint32_t id, const void *bytes, size_t n)
{
    struct box *b = box;
    struct process *p = find(b, id);
    if (p && n)
        write_stream(p, WK_MOCK_IN, bytes, n, false);
    if (p && !n) {
        write_stream(p, WK_MOCK_IN, NULL, 0, true);
        (void)wk_mock_add(b->m, p->block, WK_MOCK_END, NULL, 0);
    }
    return b->inner->write(b->box, id, bytes, n);
}

static int record_signal(void *box, uint32_t id, int signal, int scope, void (*done)(void *ctx, int code), void *ctx)
{
    struct box *b = box;
    struct process *p = find(b, id);
    if (p)
        write_numbers(b->m, p->block, WK_MOCK_SIGNAL, signal, scope);
    return b->inner->signal(b->box, id, signal, scope, done, ctx);
}

static int record_resize(void *box, uint32_t id, uint16_t rows, uint16_t columns)
{
    struct box *b = box;
    struct process *p = find(b, id);
    if (p)
        write_numbers(b->m, p->block, WK_MOCK_RESIZE, rows, columns);
    return b->inner->resize(b->box, id, rows, columns);
}

static int record_log(void *box, uint32_t id, int stream, uint64_t offset, size_t most, int wait, whelk_log_fn *fn,
                      void *ctx)
{
    struct box *b = box;
    return b->inner->log(b->box, id, stream, offset, most, wait, fn, ctx);
}

static void record_stop_waiting(void *box, uint32_t id)
{
    struct box *b = box;
    b->inner->stop_waiting(b->box, id);
}

static void record_forget(void *box, uint32_t id)
{
    struct box *b = box;
    struct process *p = find(b, id);
    if (!p)
        return;
    p->forgotten = true;
    drop_forgotten(b);
}

/* ---- files and ports ------------------------------------------------------------------------------ */

static struct call *new_call(struct box *b, const struct wk_buf *head, void *ctx)
{
    struct whelk_mock *m = b->m;
    struct call *c = WK_NEW(m->mem, struct call);
    if (!c)
        return NULL;
    m->failed = m->failed || head->failed;
    *c = (struct call){.next = b->calls, .box = b, .block = wk_mock_add_block(m, wk_buf_c(head)), .ctx = ctx};
    wk_redact_init(&c->redact, &m->hides);
    b->calls = c;
    return c;
}

static void free_call(struct call *c)
{
    struct call **at = &c->box->calls;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    wk_redact_release(&c->redact);
    wk_free(c->box->m->mem, c);
}

/* What the call itself answered, when it came to nothing. */
static int refused(struct call *c, int code)
{
    if (code == WHELK_E_AGAIN)
        drop_block(c->box->m, c->block);
    else
        write_numbers(c->box->m, c->block, WK_MOCK_REFUSED, code, 0);
    free_call(c);
    return code;
}

static void on_entry(void *ctx, const whelk_file_entry *e)
{
    struct call *c = ctx;
    struct wk_mock_item *i = write_words(c->box->m, c->block, WK_MOCK_ENTRY, e->path ? e->path : "");
    if (i) {
        const int64_t n[] = {e->type,     e->change,         e->mode,           e->uid,
                             e->gid,      e->links,          e->mtime_ns,       (int64_t)e->bytes,
                             (int64_t)e->inode, (int64_t)e->device};
        memcpy(i->n, n, sizeof n);
        i->text2 = wk_mock_copy(c->box->m, e->target);
    }
    c->events.entry(c->ctx, e);
}

static void on_data(void *ctx, const void *p, size_t n)
{
    struct call *c = ctx;
    struct target t = {c->box->m, c->block, WK_MOCK_DATA};
    wk_redact_pass(&c->redact, p, n, false, append, &t);
    c->events.data(c->ctx, p, n);
}

static void on_done(void *ctx, int code, uint64_t size, const char *text)
{
    struct call *c = ctx, one = *c;
    struct target t = {c->box->m, c->block, WK_MOCK_DATA};
    wk_redact_pass(&c->redact, NULL, 0, true, append, &t);
    if (!c->box->closing) {
        struct wk_mock_item *i = write_words(c->box->m, c->block, WK_MOCK_DONE, text);
        if (i) {
            i->n[0] = code;
            i->n[1] = (int64_t)size;
        }
    }
    free_call(c);
    one.events.done(one.ctx, code, size, text);
}

static int record_file(void *box, const whelk_file_request *r, const whelk_file_events *e, void *ctx)
{
    static const whelk_file_events mine = {sizeof mine, on_entry, on_data, on_done};
    struct box *b = box;
    struct wk_buf head;
    wk_buf_init(&head, b->m->mem, SIZE_MAX / 2);
    wk_mock_put_file(b->m, r, &head);
    struct call *c = new_call(b, &head, ctx);
    wk_buf_release(&head);
    if (!c)
        return WHELK_E_NOMEM;
    c->events = *e;
    if ((r->op == WHELK_FILE_PUT || r->op == WHELK_FILE_APPEND) && r->data) {
        struct target t = {b->m, c->block, WK_MOCK_WITH};
        struct wk_redact redact;
        wk_redact_init(&redact, &b->m->hides);
        wk_redact_pass(&redact, r->data, (size_t)r->length, true, append, &t);
        wk_redact_release(&redact);
    }
    int code = b->inner->file(b->box, r, &mine, c);
    return code ? refused(c, code) : WHELK_OK;
}

static void on_port(void *ctx, int code)
{
    struct call *c = ctx, one = *c;
    if (!c->box->closing)
        write_numbers(c->box->m, c->block, WK_MOCK_DONE, code, 0);
    free_call(c);
    one.done(one.ctx, code);
}

static int record_wait_port(void *box, uint32_t id, uint16_t port, void (*done)(void *ctx, int code), void *ctx)
{
    struct box *b = box;
    struct wk_buf head;
    wk_buf_init(&head, b->m->mem, 256);
    wk_mock_put_port(port, &head);
    struct call *c = new_call(b, &head, ctx);
    wk_buf_release(&head);
    if (!c)
        return WHELK_E_NOMEM;
    c->done = done;
    int code = b->inner->wait_port(b->box, id, port, on_port, c);
    return code ? refused(c, code) : WHELK_OK;
}

static uint16_t record_port(void *box, uint16_t inside)
{
    struct box *b = box;
    struct whelk_mock *m = b->m;
    uint16_t outside = b->inner->port ? b->inner->port(b->box, inside) : 0;
    for (size_t i = 0; i + 1 < m->n_ports; i += 2)
        if (m->ports[i] == inside)
            return outside;
    if (outside && wk_vec_grow(m->mem, &m->ports, &m->ports_cap, m->n_ports + 2, sizeof *m->ports)) {
        m->ports[m->n_ports++] = inside;
        m->ports[m->n_ports++] = outside;
    }
    return outside;
}

/* ---- waiting -------------------------------------------------------------------------------------- */

static size_t record_poll(void *box, int *fds, short *what, size_t cap, int64_t *timeout_ms)
{
    struct box *b = box;
    return b->inner->poll(b->box, fds, what, cap, timeout_ms);
}

static int record_pump(void *box)
{
    struct box *b = box;
    int code = b->inner->pump(b->box);
    for (struct process *p = b->processes; p && !code; p = p->next)
        follow(p);
    if (!code)
        drop_forgotten(b);
    return code;
}

const whelk_sandbox_kind wk_mock_record_kind = {.size = sizeof wk_mock_record_kind,
                                                .name = "recorder",
                                                .open = record_open,
                                                .close = record_close,
                                                .poll = record_poll,
                                                .pump = record_pump,
                                                .start = record_start,
                                                .welcome = record_welcome,
                                                .write = record_write,
                                                .signal = record_signal,
                                                .resize = record_resize,
                                                .log = record_log,
                                                .stop_waiting = record_stop_waiting,
                                                .forget = record_forget,
                                                .wait_port = record_wait_port,
                                                .file = record_file,
                                                .port = record_port};
