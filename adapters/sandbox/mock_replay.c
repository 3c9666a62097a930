/* mock_replay.c - the kind that answers from a recording */
#include "adapters/sandbox/mock.h"

#include "adapters/sandbox/code.h"

enum { PIECE = 65536, INPUT_ROOM = 1 << 20, SIGNALS = 64 };

struct process {
    struct process *next;
    struct box *box;
    uint32_t id, flags;
    whelk_process_events events;
    void *ctx;
    char *head;                  /* of a request that the recording does not have */
    struct wk_mock_block *block; /* NULL: there is none */
    size_t at, told;             /* the item that is next; bytes of it that were told */
    bool started, exited, closed, input_over;
    size_t welcome[2];
    struct wk_redact redact;     /* of its input */
    struct wk_buf input, logs[2];
    size_t input_at;
    struct {
        int signal, scope;
    } signals[SIGNALS];
    size_t n_signals;
    uint16_t rows, columns;
    bool resized;
    whelk_exit exit;
};

enum wait_kind { FILE_ANSWER, PORT_ANSWER, SIGNAL_ANSWER, LOG_WAIT };
/* What has to be answered. */
struct wait {
    struct wait *next;
    enum wait_kind kind;
    uint32_t id;
    struct wk_mock_block *block;
    char *head;
    whelk_file_events events;
    void (*done)(void *ctx, int code);
    whelk_log_fn *log;
    void *ctx;
    int code, stream;
    uint64_t offset;
    size_t most;
    bool now;                    /* as things are */
};

struct box {
    struct whelk_mock *m;
    struct process *processes;
    struct wait *waits, **last;
    bool moved, gone;            /* something may be moved by the next pump */
};

/* ---- requests ------------------------------------------------------------------------------------- */

/* Whether the bytes are what was put. */
static bool same_data(struct whelk_mock *m, const struct wk_mock_block *k, const whelk_file_request *r)
{
    struct wk_buf seen;
    size_t at = 0;
    bool same = true;
    wk_buf_init(&seen, m->mem, SIZE_MAX / 2);
    wk_redact_text(&m->hides, wk_str(r->data, r->data ? (size_t)r->length : 0), SIZE_MAX, &seen);
    for (size_t i = 0; i < k->n && same; i++) {
        const struct wk_mock_item *t = &k->items[i];
        if (t->word != WK_MOCK_WITH)
            continue;
        same = t->text_n <= seen.n - at && memcmp(t->text, wk_buf_c(&seen) + at, t->text_n) == 0;
        at += t->text_n;
    }
    same = same && at == seen.n && !seen.failed;
    wk_buf_release(&seen);
    return same;
}

/* The request of that line that is to be used; NULL: the recording has none. */
static struct wk_mock_block *find_block(struct whelk_mock *m, const char *head, const whelk_file_request *r)
{
    for (size_t i = 0; i < m->n; i++) {
        struct wk_mock_block *k = m->blocks[i];
        if ((k->used && !k->always) || strcmp(k->head, head) ||
            (r && (r->op == WHELK_FILE_PUT || r->op == WHELK_FILE_APPEND) && !same_data(m, k, r)))
            continue;
        k->used = true;
        return k;
    }
    return NULL;
}

/* What the recorded call answered by itself. */
static int refusal(const struct wk_mock_block *k)
{
    return k && k->n && k->items[0].word == WK_MOCK_REFUSED ? (int)k->items[0].n[0] : WHELK_OK;
}

/* "the recording has no: HEAD", in the box's mock. */
static const char *missing(struct whelk_mock *m, const char *head)
{
    wk_buf_reset(&m->error);
    wk_buf_fmt(&m->error, "the recording has no: %.2000s", head);
    return wk_buf_c(&m->error);
}

/* ---- opening -------------------------------------------------------------------------------------- */

static int replay_open(void *ctx, const whelk_sandbox_options *o, const whelk_opening *with, void **box,
                       whelk_box_facts *facts)
{
    struct whelk_mock *m = ctx;
    if (m->refused) {
        with->error(with->ctx, m->refusal);
        return m->refused;
    }
    struct box *b = wk_mock_hide(m, o) ? NULL : WK_NEW(m->mem, struct box);
    if (!b)
        return WHELK_E_NOMEM;
    b->m = m;
    b->last = &b->waits;
    for (size_t i = 0; i < m->n; i++)
        m->blocks[i]->used = false;
    *facts = (whelk_box_facts){.size = sizeof *facts,
                               .capabilities = m->capabilities & ~(uint64_t)WHELK_BOX_SNAPSHOT,
                               .workspace = m->workspace,
                               .home = m->home,
                               .shell = m->shell,
                               .path = m->path,
                               .env = (const char *const *)(void *)m->env,
                               .n_env = m->n_env,
                               .description = m->description};
    *box = b;
    return WHELK_OK;
}

static void free_process(struct process *p)
{
    struct wk_mem *mem = p->box->m->mem;
    wk_redact_release(&p->redact);
    wk_buf_release(&p->input);
    wk_buf_release(&p->logs[0]);
    wk_buf_release(&p->logs[1]);
    wk_free(mem, p->head);
    wk_free(mem, p);
}

static void free_wait(struct box *b, struct wait *w)
{
    wk_free(b->m->mem, w->head);
    wk_free(b->m->mem, w);
}

static void replay_close(void *box, int keep)
{
    struct box *b = box;
    (void)keep;
    while (b->processes) {
        struct process *p = b->processes;
        b->processes = p->next;
        free_process(p);
    }
    while (b->waits) {
        struct wait *w = b->waits;
        b->waits = w->next;
        free_wait(b, w);
    }
    wk_free(b->m->mem, b);
}

/* ---- a process: item by item ---------------------------------------------------------------------- */

static struct process *find(struct box *b, uint32_t id)
{
    struct process *p = b->processes;
    while (p && p->id != id)
        p = p->next;
    return p;
}

static void end(struct process *p, int code, int signal, bool memory)
{
    p->exit.size = sizeof p->exit;
    p->exit.code = code;
    p->exit.signal = signal;
    p->exit.out_of_memory = memory;
    p->exited = true;
    p->events.exited(p->ctx, &p->exit);
}

/* Output: into its log, or as far as it is welcome. True: all of the item has gone. */
static bool tell_output(struct process *p, const struct wk_mock_item *i)
{
    int k = i->word == WK_MOCK_ERR;
    size_t n = i->text_n - p->told;
    if (p->flags & WHELK_SPEC_LOGGED) {
        wk_buf_put(&p->logs[k], i->text, i->text_n);
        return true;
    }
    n = n < p->welcome[k] ? n : p->welcome[k];
    n = n < PIECE ? n : PIECE;
    if (n) {
        p->welcome[k] -= n;
        p->told += n;
        p->box->moved = true;
        p->events.output(p->ctx, k + 1, i->text + (p->told - n), n);
    }
    return p->told == i->text_n;
}

/* The program does something else than it did: no use to go on. */
static void differ(struct process *p, const char *what)
{
    struct wk_buf words;
    wk_buf_init(&words, p->box->m->mem, 4096);
    wk_buf_fmt(&words, "whelk recording: %s\n", what);
    if (p->flags & WHELK_SPEC_LOGGED)
        wk_buf_puts(&p->logs[1], wk_buf_str(&words));
    else
        p->events.output(p->ctx, p->flags & (WHELK_SPEC_MERGED | WHELK_SPEC_TTY) ? 1 : 2, wk_buf_c(&words), words.n);
    wk_buf_release(&words);
    p->at = p->block->n;
    end(p, 125, 0, false);
}

/* Input that has to come: 1 it has, 0 not yet, -1 another one. */
static int match_input(struct process *p, const struct wk_mock_item *i)
{
    size_t have = p->input.n - p->input_at, n = have < i->text_n ? have : i->text_n;
    if (memcmp(wk_buf_c(&p->input) + p->input_at, i->text, n) || (p->input_over && have < i->text_n))
        return -1;
    if (have < i->text_n)
        return 0;
    p->input_at += n;
    return 1;
}

static bool take_signal(struct process *p, int signal, int scope)
{
    for (size_t i = 0; i < p->n_signals; i++)
        if (p->signals[i].signal == signal && (scope < 0 || p->signals[i].scope == scope)) {
            memmove(p->signals + i, p->signals + i + 1, (--p->n_signals - i) * sizeof p->signals[0]);
            return true;
        }
    return false;
}

static void lose(struct box *b, const char *text)
{
    b->gone = true;
    for (struct process *p = b->processes; p; p = p->next)
        if (!p->closed) {
            p->closed = true;
            p->events.lost(p->ctx, text);
        }
}

/* What the program has to do before it goes on: 1 done, 0 not yet, -1 something else. */
static int match(struct process *p, const struct wk_mock_item *i)
{
    switch (i->word) {
    case WK_MOCK_IN:
        return match_input(p, i);
    case WK_MOCK_END:
        return p->input.n > p->input_at ? -1 : p->input_over;
    case WK_MOCK_SIGNAL:
        return take_signal(p, (int)i->n[0], (int)i->n[1]);
    default: /* RESIZE */
        if (!p->resized)
            return 0;
        p->resized = false;
        return p->rows == i->n[0] && p->columns == i->n[1] ? 1 : -1;
    }
}

/* One item; true: the next one can follow. */
static bool play(struct process *p, const struct wk_mock_item *i)
{
    int matched;
    switch (i->word) {
    case WK_MOCK_OUT:
    case WK_MOCK_ERR:
        if (!tell_output(p, i))
            return false;
        p->told = 0;
        return true;
    case WK_MOCK_IN:
    case WK_MOCK_END:
    case WK_MOCK_SIGNAL:
    case WK_MOCK_RESIZE:
        matched = match(p, i);
        if (matched < 0)
            differ(p, i->word == WK_MOCK_RESIZE ? "another size was recorded" : "other input was recorded");
        return matched > 0;
    case WK_MOCK_UNREAD:
        p->events.room(p->ctx, SIZE_MAX);
        return true;
    case WK_MOCK_USED:
        p->exit = (whelk_exit){.user_ns = i->n[0], .system_ns = i->n[1], .memory_peak = (uint64_t)i->n[2],
                               .survivors = (uint32_t)i->n[3]};
        return true;
    case WK_MOCK_EXIT:
    case WK_MOCK_KILLED:
    case WK_MOCK_MEMORY:
        if (!p->exited)
            end(p, i->word == WK_MOCK_EXIT ? (int)i->n[0] : -1, i->word == WK_MOCK_EXIT ? 0 : (int)i->n[0],
                i->word == WK_MOCK_MEMORY);
        return true;
    case WK_MOCK_LOST:
        lose(p->box, i->text);
        return false;
    default: /* of other requests */
        return true;
    }
}

static void begin(struct process *p)
{
    const struct wk_mock_item *first = p->block && p->block->n ? &p->block->items[0] : NULL;
    p->box->moved = true;
    p->started = true;
    if (!p->block) {
        p->closed = true;
        p->events.failed(p->ctx, WHELK_E_UNSUPPORTED, missing(p->box->m, p->head));
    } else if (first && first->word == WK_MOCK_FAILED) {
        p->closed = true;
        p->events.failed(p->ctx, (int)first->n[0], first->text);
    } else {
        p->events.started(p->ctx);
        if (p->flags & WHELK_SPEC_INPUT)
            p->events.room(p->ctx, INPUT_ROOM);
    }
}

static void advance(struct process *p)
{
    struct box *b = p->box;
    if (!p->started) {
        begin(p);
        return;
    }
    size_t before = p->at;
    while (p->at < p->block->n && play(p, &p->block->items[p->at]))
        p->at++;
    if (p->at != before)
        b->moved = true;
    if (b->gone)
        return;
    if (p->exited && p->at >= p->block->n) {
        p->closed = b->moved = true;
        p->events.closed(p->ctx);
    } else if (!p->exited && (take_signal(p, 9, -1) || (p->at >= p->block->n && p->n_signals))) {
        /* The recording does not know this end, but it is one. */
        p->at = p->block->n;
        b->moved = true;
        end(p, -1, p->n_signals ? p->signals[0].signal : 9, false);
    }
}

/* ---- answers -------------------------------------------------------------------------------------- */

static struct wait *add_wait(struct box *b, struct wait w)
{
    struct wait *mine = WK_NEW(b->m->mem, struct wait);
    if (!mine)
        return NULL;
    *mine = w;
    *b->last = mine;
    b->last = &mine->next;
    b->moved = true;
    return mine;
}

static void answer_file(struct box *b, const struct wait *w)
{
    if (!w->block) {
        w->events.done(w->ctx, WHELK_E_UNSUPPORTED, 0, missing(b->m, w->head));
        return;
    }
    for (size_t k = 0; k < w->block->n; k++) {
        const struct wk_mock_item *i = &w->block->items[k];
        const int64_t *n = i->n;
        if (i->word == WK_MOCK_ENTRY) {
            whelk_file_entry e = {sizeof e,         i->text ? i->text : "", i->text2,       (int)n[0],
                                  (int)n[1],        (uint32_t)n[2],         (uint32_t)n[3], (uint32_t)n[4],
                                  (uint32_t)n[5],   n[6],                   (uint64_t)n[7], (uint64_t)n[8],
                                  (uint64_t)n[9]};
            w->events.entry(w->ctx, &e);
        } else if (i->word == WK_MOCK_DATA) {
            w->events.data(w->ctx, i->text, i->text_n);
        } else if (i->word == WK_MOCK_DONE) {
            w->events.done(w->ctx, (int)n[0], (uint64_t)n[1], i->text);
            return;
        }
    }
    w->events.done(w->ctx, WHELK_OK, 0, NULL);
}

static bool answer_port(struct box *b, const struct wait *w)
{
    const struct wk_mock_item *i = w->block && w->block->n ? &w->block->items[w->block->n - 1] : NULL;
    if (!w->block)
        (void)missing(b->m, w->head);
    if (w->block && !w->now && (!i || i->word != WK_MOCK_DONE || i->n[0] == WHELK_E_AGAIN))
        return false; /* until it is given up */
    w->done(w->ctx, !w->block ? WHELK_E_UNSUPPORTED : i && i->word == WK_MOCK_DONE ? (int)i->n[0] : WHELK_E_AGAIN);
    return true;
}

static bool answer_log(struct box *b, const struct wait *w)
{
    struct process *p = find(b, w->id);
    const struct wk_buf *log = p ? &p->logs[w->stream - 1] : NULL;
    size_t total = log ? log->n : 0, at = w->offset < total ? (size_t)w->offset : total;
    if (p && at == total && !p->exited && !w->now)
        return false;
    size_t n = total - at < w->most ? total - at : w->most;
    w->log(w->ctx, WHELK_OK, at, 0, !p || p->exited, n ? log->p + at : "", n);
    return true;
}

/* Whether it was answered. It is on the list meanwhile: answers may ask for more. */
static bool answer(struct box *b, const struct wait *w)
{
    switch (w->kind) {
    case FILE_ANSWER:
        answer_file(b, w);
        return true;
    case PORT_ANSWER:
        return answer_port(b, w);
    case SIGNAL_ANSWER:
        w->done(w->ctx, w->code);
        return true;
    default:
        return answer_log(b, w);
    }
}

static void answer_all(struct box *b)
{
    struct wait **at = &b->waits;
    while (*at) {
        struct wait *w = *at;
        if (!answer(b, w)) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        if (b->last == &w->next)
            b->last = at;
        free_wait(b, w);
        b->moved = true;
    }
}

static int replay_pump(void *box)
{
    struct box *b = box;
    b->moved = false;
    for (struct process *p = b->processes; p && !b->gone; p = p->next)
        if (!p->closed)
            advance(p);
    if (!b->gone)
        answer_all(b);
    return b->gone ? WHELK_E_CLOSED : WHELK_OK;
}

static size_t replay_poll(void *box, int *fds, short *events, size_t cap, int64_t *timeout_ms)
{
    const struct box *b = box;
    (void)fds;
    (void)events;
    (void)cap;
    *timeout_ms = b->moved ? 0 : -1;
    return 0;
}

/* ---- the rest of the table ------------------------------------------------------------------------ */

static int replay_start(void *box, uint32_t id, const whelk_spec *s, const whelk_process_events *e, void *ctx)
{
    struct box *b = box;
    struct whelk_mock *m = b->m;
    struct wk_buf head;
    struct process *p = WK_NEW(m->mem, struct process);
    if (!p)
        return WHELK_E_NOMEM;
    *p = (struct process){.next = b->processes, .box = b, .id = id, .flags = s->flags, .events = *e, .ctx = ctx};
    wk_buf_init(&head, m->mem, SIZE_MAX / 2);
    wk_mock_put_run(m, s, &head);
    p->head = wk_buf_take(&head, NULL);
    wk_buf_release(&head);
    wk_redact_init(&p->redact, &m->hides);
    wk_buf_init(&p->input, m->mem, SIZE_MAX / 2);
    wk_buf_init(&p->logs[0], m->mem, SIZE_MAX / 2);
    wk_buf_init(&p->logs[1], m->mem, SIZE_MAX / 2);
    p->block = p->head ? find_block(m, p->head, NULL) : NULL;
    int code = !p->head || p->redact.failed ? WHELK_E_NOMEM : refusal(p->block);
    if (code) {
        free_process(p);
        return code;
    }
    b->processes = p;
    b->moved = true;
    return WHELK_OK;
}

static void replay_welcome(void *box, uint32_t id, int stream, size_t n)
{
    struct box *b = box;
    struct process *p = find(b, id);
    if (!p || stream < 1 || stream > 2)
        return;
    p->welcome[stream - 1] += n < SIZE_MAX - p->welcome[stream - 1] ? n : SIZE_MAX - p->welcome[stream - 1];
    b->moved = true;
}

static void add_input(void *ctx, const char *p, size_t n)
{
    wk_buf_put(ctx, p, n);
}

static int replay_write(void *box, uint32_t id, const void *bytes, size_t n)
{
    struct box *b = box;
    struct process *p = find(b, id);
    if (!p)
        return WHELK_E_NOENT;
    wk_redact_pass(&p->redact, bytes, n, !n, add_input, &p->input);
    p->input_over = p->input_over || !n;
    b->moved = true;
    if (n)
        p->events.room(p->ctx, n);
    return p->input.failed ? WHELK_E_NOMEM : WHELK_OK;
}

static int replay_signal(void *box, uint32_t id, int signal, int scope, void (*done)(void *ctx, int code), void *ctx)
{
    struct box *b = box;
    struct process *p = find(b, id);
    if (!p)
        return WHELK_E_NOENT;
    if (!p->exited && p->n_signals < SIGNALS) {
        p->signals[p->n_signals].signal = signal;
        p->signals[p->n_signals++].scope = scope;
    }
    int code = p->exited && scope == WHELK_SCOPE_LEADER ? WHELK_E_NOENT : WHELK_OK;
    struct wait w = {.kind = SIGNAL_ANSWER, .done = done, .ctx = ctx, .code = code};
    return add_wait(b, w) ? WHELK_OK : WHELK_E_NOMEM;
}

static int replay_resize(void *box, uint32_t id, uint16_t rows, uint16_t columns)
{
    struct box *b = box;
    struct process *p = find(b, id);
    if (!p)
        return WHELK_E_NOENT;
    p->rows = rows;
    p->columns = columns;
    p->resized = b->moved = true;
    return WHELK_OK;
}

static int replay_log(void *box, uint32_t id, int stream, uint64_t offset, size_t most, int wait, whelk_log_fn *fn,
                      void *ctx)
{
    struct box *b = box;
    const struct process *p = find(b, id);
    if (!p || !(p->flags & WHELK_SPEC_LOGGED) || stream < 1 || stream > 2)
        return p ? WHELK_E_INVALID : WHELK_E_NOENT;
    struct wait w = {.kind = LOG_WAIT, .id = id, .stream = stream, .offset = offset, .most = most, .log = fn,
                     .ctx = ctx, .now = !wait};
    return add_wait(b, w) ? WHELK_OK : WHELK_E_NOMEM;
}

static void replay_stop_waiting(void *box, uint32_t id)
{
    struct box *b = box;
    for (struct wait *w = b->waits; w; w = w->next)
        if (w->id == id && (w->kind == LOG_WAIT || w->kind == PORT_ANSWER))
            w->now = b->moved = true;
}

static void replay_forget(void *box, uint32_t id)
{
    struct box *b = box;
    struct process **at = &b->processes;
    while (*at && (*at)->id != id)
        at = &(*at)->next;
    struct process *p = *at;
    if (p) {
        *at = p->next;
        free_process(p);
    }
}

static int replay_wait_port(void *box, uint32_t id, uint16_t port, void (*done)(void *ctx, int code), void *ctx)
{
    struct box *b = box;
    struct wk_buf head;
    wk_buf_init(&head, b->m->mem, 256);
    wk_mock_put_port(port, &head);
    struct wait w = {.kind = PORT_ANSWER, .id = id, .done = done, .ctx = ctx, .head = wk_buf_take(&head, NULL)};
    wk_buf_release(&head);
    w.block = w.head ? find_block(b->m, w.head, NULL) : NULL;
    int code = !w.head ? WHELK_E_NOMEM : refusal(w.block);
    if (!code && !add_wait(b, w))
        code = WHELK_E_NOMEM;
    if (code)
        wk_free(b->m->mem, w.head);
    return code;
}

static int replay_file(void *box, const whelk_file_request *r, const whelk_file_events *e, void *ctx)
{
    struct box *b = box;
    struct wk_buf head;
    wk_buf_init(&head, b->m->mem, SIZE_MAX / 2);
    wk_mock_put_file(b->m, r, &head);
    struct wait w = {.kind = FILE_ANSWER, .events = *e, .ctx = ctx, .head = wk_buf_take(&head, NULL)};
    wk_buf_release(&head);
    w.block = w.head ? find_block(b->m, w.head, r) : NULL;
    int code = !w.head ? WHELK_E_NOMEM : refusal(w.block);
    if (!code && !add_wait(b, w))
        code = WHELK_E_NOMEM;
    if (code)
        wk_free(b->m->mem, w.head);
    return code;
}

static uint16_t replay_port(void *box, uint16_t inside)
{
    const struct whelk_mock *m = ((const struct box *)box)->m;
    for (size_t i = 0; i + 1 < m->n_ports; i += 2)
        if (m->ports[i] == inside)
            return m->ports[i + 1];
    return 0;
}

const whelk_sandbox_kind wk_mock_replay_kind = {.size = sizeof wk_mock_replay_kind,
                                                .name = "replay",
                                                .open = replay_open,
                                                .close = replay_close,
                                                .poll = replay_poll,
                                                .pump = replay_pump,
                                                .start = replay_start,
                                                .welcome = replay_welcome,
                                                .write = replay_write,
                                                .signal = replay_signal,
                                                .resize = replay_resize,
                                                .log = replay_log,
                                                .stop_waiting = replay_stop_waiting,
                                                .forget = replay_forget,
                                                .wait_port = replay_wait_port,
                                                .file = replay_file,
                                                .port = replay_port};
