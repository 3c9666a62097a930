/* sandbox_process.c - background processes: started, shown, fed, signalled, awaited, forgotten
 *
 * Nothing runs behind the program's back: time-outs and input of these processes are looked after whenever the library
 * is called. What they write is logged by the box, so that none of them waits for a reader.
 */
#include "adapters/sandbox/box_log.h"
#include "adapters/sandbox/code.h"

enum {
    START_WAIT_MS = 30000,
    ANSWER_WAIT_MS = 30000,
    GRACE_MS = 2000
};

struct wk_box_process *wk_process_find(struct whelk_sandbox *b, uint32_t id)
{
    struct wk_box_process *p = b->processes;
    while (p && (p->id != id || !p->background))
        p = p->next;
    return p;
}

/* Begins a call about one process. */
static int begin(struct whelk_sandbox *b, uint32_t id, struct wk_box_process **p)
{
    int code = wk_sandbox_begin(b);
    if (code)
        return code;
    *p = wk_process_find(b, id);
    return *p ? WHELK_OK : wk_sandbox_fail(b, WHELK_E_NOENT, "process %u: there is none", id);
}

/* ---- start ---------------------------------------------------------------------------------------- */

/* The oldest of those that have ended, when there are too many. */
static void drop_old(struct whelk_sandbox *b)
{
    unsigned ended = 0;
    for (const struct wk_box_process *p = b->processes; p; p = p->next)
        ended += p->background && wk_process_is_over(p);
    for (struct wk_box_process *p = b->processes, *next; p && ended > WK_BOX_RECORDS; p = next) {
        next = p->next;
        if (p->background && wk_process_is_over(p)) {
            wk_process_free(p);
            ended--;
        }
    }
}

static bool is_settled(void *ctx)
{
    const struct wk_box_process *p = ctx;
    return p->started || p->fail_code || p->lost || p->ended;
}

/* What it gets as input at once; more may come. */
static int give_input(struct wk_box_process *p, const whelk_sandbox_request *q)
{
    if (!q->input_len)
        return WHELK_OK;
    p->input = wk_strndup(p->b->mem, q->input, q->input_len);
    if (!p->input)
        return wk_sandbox_fail(p->b, WHELK_E_NOMEM, "%s", whelk_strerror(WHELK_E_NOMEM));
    p->input_n = p->input_cap = q->input_len;
    return WHELK_OK;
}

static int start_failed(struct wk_box_process *p, const char *program, int code)
{
    struct whelk_sandbox *b = p->b;
    if (p->fail_code)
        code = p->fail_code;
    if (p->lost || code == WHELK_E_CLOSED || code == WHELK_E_BUSY)
        return wk_sandbox_wait_failed(b, p->lost ? WHELK_E_CLOSED : code);
    if (code == WHELK_E_AGAIN)
        return wk_sandbox_fail(b, WHELK_E_IO, "%s: the sandbox did not start it in time", program);
    struct wk_buf words;
    wk_buf_init(&words, b->mem, 1 << 20);
    wk_process_say_failed(p, program, code, &words);
    wk_sandbox_fail(b, code, "%s", wk_buf_c(&words));
    wk_buf_release(&words);
    return code;
}

static int start(struct whelk_sandbox *b, struct wk_box_request *r, uint32_t *id)
{
    const whelk_sandbox_request *q = &r->q;
    struct wk_box_process *p = wk_process_new(b, q);
    if (!p)
        return wk_sandbox_fail(b, WHELK_E_NOMEM, "%s", whelk_strerror(WHELK_E_NOMEM));
    int64_t deadline = wk_sandbox_deadline(START_WAIT_MS);
    int code = give_input(p, q);
    p->grace_ns = (q->grace_ms ? q->grace_ms : GRACE_MS) * 1000000;
    if (r->timeout_ms > 0) {
        r->spec.timeout_ms = r->timeout_ms;
        r->spec.grace_ms = p->grace_ns / 1000000;
    }
    if (!code) {
        code = wk_process_begin(p, &r->spec, deadline);
        if (!code)
            code = wk_sandbox_wait_until(b, is_settled, p, deadline);
        if (code || p->fail_code || (p->lost && !p->ended))
            code = start_failed(p, r->program, code);
    }
    if (code) {
        wk_process_end(p, WHELK_OUTCOME_CANCELLED, 0);
        wk_process_leave(p);
        return code;
    }
    p->background = true;
    if (!p->ended)
        p->deadline = wk_sandbox_deadline(r->timeout_ms);
    *id = p->id;
    drop_old(b);
    return WHELK_OK;
}

int whelk_sandbox_start(whelk_sandbox *b, const whelk_sandbox_request *request, uint32_t *id)
{
    if (!id)
        return WHELK_E_INVALID;
    *id = 0;
    int code = wk_sandbox_begin(b);
    if (code)
        return code;
    struct wk_box_request r;
    code = wk_box_request_take(&r, b, request, true);
    if (!code) {
        (void)wk_sandbox_wait_once(b, NULL, NULL, 0); /* some may have ended meanwhile */
        if (wk_process_running(b) >= WK_BOX_RUNNING)
            code = wk_sandbox_fail(b, WHELK_E_NOSPACE, "%d background processes are running", WK_BOX_RUNNING);
    }
    if (!code)
        code = start(b, &r, id);
    wk_box_request_release(&r);
    return code;
}

/* ---- show ----------------------------------------------------------------------------------------- */

/* How much it has written by now; an answer that does not come leaves things as they are. */
static void count_output(struct wk_box_process *p)
{
    bool over = wk_process_is_over(p);
    for (int stream = 1; stream <= 2 && p->logged && !p->counted; stream++) {
        int code;
        struct wk_box_log *l = wk_box_log_ask(p, stream, UINT64_MAX, 0, false, &code);
        if (!l)
            return;
        code = wk_sandbox_wait_until(p->b, wk_sandbox_call_is_done, &l->call, wk_sandbox_deadline(ANSWER_WAIT_MS));
        if (!code && !l->call.code && l->offset > p->bytes[stream - 1])
            p->bytes[stream - 1] = l->offset;
        wk_box_log_leave(l);
        if (code)
            return;
    }
    p->counted = over;
}

static void show(const struct wk_box_process *p, whelk_process *out)
{
    bool over = wk_process_is_over(p);
    *out = (whelk_process){.size = sizeof *out,
                           .id = p->id,
                           .tag = p->tag,
                           .command = p->command,
                           .state = over,
                           .exit_code = -1,
                           .started_ns = p->started_wall,
                           .out_bytes = p->bytes[0],
                           .err_bytes = p->bytes[1]};
    if (!over)
        return;
    out->outcome = wk_process_outcome(p);
    out->ended_ns = p->ended_wall;
    if (!p->ended)
        return;
    out->signal = p->exit.signal;
    out->cpu_ns = p->exit.user_ns + p->exit.system_ns;
    if (out->outcome == WHELK_OUTCOME_EXITED)
        out->exit_code = p->exit.code & 255;
}

int whelk_sandbox_processes(whelk_sandbox *b, int (*visit)(void *ctx, const whelk_process *p), void *ctx)
{
    if (!visit)
        return WHELK_E_INVALID;
    int code = wk_sandbox_begin(b);
    if (code)
        return code;
    (void)wk_sandbox_wait_once(b, NULL, NULL, 0);
    for (struct wk_box_process *p = b->processes; p && !b->lost; p = p->next)
        if (p->background)
            count_output(p);
    int stop = 0;
    b->in_callback = true;
    for (const struct wk_box_process *p = b->processes; p && !stop; p = p->next) {
        whelk_process shown;
        if (!p->background)
            continue;
        show(p, &shown);
        stop = visit(ctx, &shown);
    }
    b->in_callback = false;
    return stop;
}

static bool process_is_over(void *ctx)
{
    return wk_process_is_over(ctx);
}

int whelk_sandbox_wait(whelk_sandbox *b, uint32_t id, int64_t timeout_ms, whelk_process *out)
{
    struct wk_box_process *p;
    whelk_process shown;
    if (out && out->size < sizeof out->size)
        return WHELK_E_INVALID;
    int code = begin(b, id, &p);
    if (!code)
        code = wk_sandbox_wait_until(b, process_is_over, p, wk_sandbox_deadline(timeout_ms));
    else
        return code;
    if (code && !wk_process_is_over(p))
        return wk_sandbox_wait_failed(b, code);
    if (!b->lost)
        count_output(p);
    show(p, &shown);
    return out ? wk_struct_give(out, &shown, sizeof shown) : WHELK_OK;
}

int whelk_sandbox_forget(whelk_sandbox *b, uint32_t id)
{
    struct wk_box_process *p;
    int code = begin(b, id, &p);
    if (code)
        return code;
    (void)wk_sandbox_wait_once(b, NULL, NULL, 0);
    if (!wk_process_is_over(p))
        return wk_sandbox_fail(b, WHELK_E_BUSY, "process %u: it is running", id);
    wk_process_free(p);
    return WHELK_OK;
}

/* ---- input ---------------------------------------------------------------------------------------- */

ptrdiff_t whelk_sandbox_input_later(void *ctx, void *dst, size_t cap)
{
    (void)ctx;
    (void)dst;
    (void)cap;
    return 0;
}

static bool input_is_gone(void *ctx)
{
    const struct wk_box_process *p = ctx;
    return p->input_at == p->input_n || p->unread || p->ended || p->lost;
}

static int begin_input(struct whelk_sandbox *b, uint32_t id, struct wk_box_process **p)
{
    int code = begin(b, id, p);
    if (code)
        return code;
    if (!(*p)->has_input)
        return wk_sandbox_fail(b, WHELK_E_INVALID, "process %u: it was started without input", id);
    (void)wk_sandbox_wait_once(b, NULL, NULL, 0);
    if ((*p)->unread || (*p)->input_over || (*p)->ended || (*p)->lost)
        return wk_sandbox_fail(b, WHELK_E_CLOSED, "process %u: its input is closed", id);
    return WHELK_OK;
}

/* The bytes are lent to the process until they have gone. */
int whelk_sandbox_write_input(whelk_sandbox *b, uint32_t id, const void *data, size_t n)
{
    struct wk_box_process *p;
    if (!data && n)
        return WHELK_E_INVALID;
    int code = begin_input(b, id, &p);
    if (code)
        return code;
    int64_t deadline = wk_sandbox_deadline(ANSWER_WAIT_MS);
    code = wk_sandbox_wait_until(b, input_is_gone, p, deadline); /* what was given before */
    size_t left = n;
    if (!code && !p->unread && !p->ended && !p->lost) {
        if (!p->input_borrowed)
            wk_free(b->mem, p->input);
        p->input_borrowed = true;
        p->input = (char *)(uintptr_t)data;
        p->input_at = p->input_cap = 0;
        p->input_n = n;
        wk_process_feed(p);
        code = wk_sandbox_wait_until(b, input_is_gone, p, deadline);
        left = n - p->input_at;
        p->input = NULL;
        p->input_at = p->input_n = 0;
        p->input_borrowed = false;
        (void)wk_sandbox_wait_once(b, NULL, NULL, 0);
    }
    if (!left)
        return WHELK_OK;
    if (!code)
        return wk_sandbox_fail(b, WHELK_E_CLOSED, "process %u: its input is closed; it took %zu bytes", id, n - left);
    if (code == WHELK_E_AGAIN)
        return wk_sandbox_fail(b, code, "process %u: it took %zu of %zu bytes in time", id, n - left, n);
    return wk_sandbox_wait_failed(b, code);
}

int whelk_sandbox_end_input(whelk_sandbox *b, uint32_t id)
{
    struct wk_box_process *p;
    int code = begin_input(b, id, &p);
    if (code)
        return code;
    p->input_over = true;
    wk_process_feed(p);
    (void)wk_sandbox_wait_once(b, NULL, NULL, 0);
    return WHELK_OK;
}

int whelk_sandbox_resize(whelk_sandbox *b, uint32_t id, uint16_t rows, uint16_t columns)
{
    struct wk_box_process *p = NULL;
    if (!rows || !columns)
        return WHELK_E_INVALID;
    int code = begin(b, id, &p);
    if (code || !p)
        return code;
    if (!p->tty)
        return wk_sandbox_fail(b, WHELK_E_INVALID, "process %u: it has no terminal", id);
    if (p->ended || p->lost)
        return wk_sandbox_fail(b, WHELK_E_NOENT, "process %u: it has ended", id);
    code = b->kind->resize(b->box, id, rows, columns);
    (void)wk_sandbox_wait_once(b, NULL, NULL, 0);
    return code ? wk_sandbox_fail(b, code, "process %u: resize: %s", id, whelk_strerror(code)) : WHELK_OK;
}

/* ---- signals and ports ---------------------------------------------------------------------------- */

/* Waits for the one answer of a call, and lets it go. */
static int await(struct whelk_sandbox *b, struct wk_box_call *c, int64_t deadline)
{
    int code = wk_sandbox_wait_until(b, wk_sandbox_call_is_done, c, deadline);
    if (!code)
        code = c->code;
    else if (code == WHELK_E_CLOSED || code == WHELK_E_BUSY)
        code = wk_sandbox_wait_failed(b, code);
    wk_sandbox_call_leave(c);
    return code;
}

int whelk_sandbox_signal(whelk_sandbox *b, uint32_t id, int signal, int scope)
{
    struct wk_box_process *p;
    if (signal < 0 || signal > 64 || scope < WHELK_SCOPE_LEADER || scope > WHELK_SCOPE_TREE)
        return WHELK_E_INVALID;
    int code = begin(b, id, &p);
    if (code)
        return code;
    if (!(b->facts.capabilities & WHELK_BOX_SIGNAL))
        return wk_sandbox_fail(b, WHELK_E_UNSUPPORTED, "signal: the sandbox (%s) cannot do this", b->kind->name);
    (void)wk_sandbox_wait_once(b, NULL, NULL, 0);
    if (p->lost || (p->ended && scope == WHELK_SCOPE_LEADER))
        return wk_sandbox_fail(b, WHELK_E_NOENT, "process %u: it has ended", id);
    struct wk_box_call *c = wk_sandbox_call_new(b, sizeof *c);
    if (!c)
        return wk_sandbox_fail(b, WHELK_E_NOMEM, "%s", whelk_strerror(WHELK_E_NOMEM));
    c->open = 1;
    code = b->kind->signal(b->box, id, signal, scope, wk_sandbox_call_done, c);
    if (code) {
        c->open = 0;
        wk_sandbox_call_leave(c);
    } else {
        code = await(b, c, wk_sandbox_deadline(ANSWER_WAIT_MS));
    }
    if (code && code != WHELK_E_CLOSED)
        wk_sandbox_fail(b, code, "process %u: %s", id, code == WHELK_E_NOENT ? "it has ended" : whelk_strerror(code));
    return code;
}

int whelk_sandbox_wait_port(whelk_sandbox *b, uint16_t port, int64_t timeout_ms)
{
    if (!port)
        return WHELK_E_INVALID;
    int code = wk_sandbox_begin(b);
    if (code)
        return code;
    uint32_t id = wk_sandbox_id(b);
    struct wk_box_call *c = wk_sandbox_call_new(b, sizeof *c);
    if (!c)
        return wk_sandbox_fail(b, WHELK_E_NOMEM, "%s", whelk_strerror(WHELK_E_NOMEM));
    c->open = 1;
    code = b->kind->wait_port(b->box, id, port, wk_sandbox_call_done, c);
    if (code) {
        c->open = 0;
        wk_sandbox_call_leave(c);
    } else {
        int64_t deadline = wk_sandbox_deadline(timeout_ms);
        code = wk_sandbox_wait_until(b, wk_sandbox_call_is_done, c, deadline);
        if (code && !b->lost)
            b->kind->stop_waiting(b->box, id);
        if (code == WHELK_E_CLOSED || code == WHELK_E_BUSY)
            code = wk_sandbox_wait_failed(b, code);
        else if (!code)
            code = c->code;
        wk_sandbox_call_leave(c);
    }
    if (code && code != WHELK_E_CLOSED)
        wk_sandbox_fail(b, code, "port %u: %s", port,
                        code == WHELK_E_AGAIN ? "nothing listens there" : whelk_strerror(code));
    return code;
}
