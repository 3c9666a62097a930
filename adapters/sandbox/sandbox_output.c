/* sandbox_output.c - what background processes have written: whelk_sandbox_read_output
 *
 * The log is read from the offset on, and what was read passes through the redactor, which begins so far in front of
 * the offset that a secret is known by a part of it, too. What may be the beginning of one is left for the next call.
 */
#include "adapters/sandbox/box_log.h"
#include "adapters/sandbox/code.h"
#include "base/err.h"
#include "text/re/re.h"

#include <stdlib.h>

enum {
    DEFAULT_MOST = 1 << 20,
    MOST = 32 << 20,
    PIECE = 1 << 18,
    WAIT_MOST_MS = 30000,
    ANSWER_WAIT_MS = 30000
};

struct reader {
    struct whelk_sandbox *b;
    struct wk_box_process *p;
    whelk_sandbox_read q;
    int64_t deadline;
    struct wk_redact redact;
    struct wk_buf seen;       /* what may be seen, from q.offset or later on */
    uint64_t start, end;      /* of what was read */
    uint64_t begin;           /* the first byte that is shown */
    size_t most;
    bool full, at_end;        /* enough; the process has ended and all is read */
    bool met;
    struct wk_re *re;
    size_t judged;            /* seen[0, judged) are lines that do not match */
    struct wk_box_call *port; /* the answer that it is listened to */
    uint32_t port_id;
};

/* ---- pieces --------------------------------------------------------------------------------------- */

static void see(void *ctx, const char *p, size_t n)
{
    wk_buf_put(ctx, p, n);
}

/* Takes an answer of the log. */
static int take(struct reader *r, struct wk_box_log *l, bool last)
{
    if (l->call.code)
        return wk_sandbox_fail(r->b, l->call.code, "process %u: output: %s", r->q.id, whelk_strerror(l->call.code));
    if (l->offset != r->end) { /* a gap: what lies in front of it is told first, or it is the beginning */
        if (r->seen.n || r->end > r->q.offset) {
            r->full = true;
            return WHELK_OK;
        }
        r->start = r->end = r->redact.at = l->offset;
        r->redact.held_n = r->redact.skip = r->redact.n_spans = 0;
        r->redact.state = 0;
        if (l->offset > r->begin || l->offset < r->q.offset)
            r->begin = r->redact.from = l->offset;
    }
    r->end += l->data.n;
    wk_redact_pass(&r->redact, l->data.p, l->data.n, false, see, &r->seen);
    if (r->redact.idle)
        r->redact.at = r->end;
    if (r->end >= r->begin && r->end - r->begin >= r->most)
        r->full = true;
    if (last && !l->data.n) {
        r->at_end = true;
        wk_redact_pass(&r->redact, NULL, 0, true, see, &r->seen);
    }
    if (r->end > r->p->bytes[r->q.stream - 1])
        r->p->bytes[r->q.stream - 1] = r->end;
    if (r->seen.failed || r->redact.failed)
        return wk_sandbox_fail(r->b, WHELK_E_NOMEM, "%s", whelk_strerror(WHELK_E_NOMEM));
    return WHELK_OK;
}

static size_t next_piece(const struct reader *r)
{
    uint64_t room = r->begin + r->most - r->end;
    return room < PIECE ? (size_t)room : PIECE;
}

/* Reads what is there. */
static int read_all(struct reader *r)
{
    int code = WHELK_OK;
    size_t n = 1;
    while (!code && n && !r->full && !r->at_end) {
        bool last = wk_process_is_over(r->p);
        struct wk_box_log *l = wk_box_log_ask(r->p, r->q.stream, r->end, next_piece(r), false, &code);
        if (!l)
            return wk_sandbox_fail(r->b, code, "process %u: output: %s", r->q.id, whelk_strerror(code));
        code = wk_sandbox_wait_until(r->b, wk_sandbox_call_is_done, &l->call, wk_sandbox_deadline(ANSWER_WAIT_MS));
        if (code) {
            r->b->kind->stop_waiting(r->b->box, r->p->id);
            code = wk_sandbox_wait_failed(r->b, code);
        } else {
            n = l->data.n;
            code = take(r, l, last);
        }
        wk_box_log_leave(l);
    }
    return code;
}

/* ---- what is waited for --------------------------------------------------------------------------- */

/* Between pieces of a long line: its search ends with the wait. */
static int step(void *ctx, size_t bytes)
{
    const struct reader *r = ctx;
    (void)bytes;
    return atomic_load(&r->b->cancelled) ? -WK_ECANCELED : wk_sandbox_now() > r->deadline ? -WK_ETIMEDOUT : 0;
}

/* Whether a line that is whole matches. A terminal's lines end with CR LF. */
static int judge_lines(struct reader *r)
{
    struct wk_re_run run = {.step = step, .ctx = r};
    const char *text = wk_buf_c(&r->seen);
    while (r->judged < r->seen.n && !r->met) {
        const char *from = text + r->judged;
        size_t left = r->seen.n - r->judged;
        const char *end = memchr(from, '\n', left);
        if (!end && !r->at_end)
            break;
        size_t n = end ? (size_t)(end - from) : left, next = end ? n + 1 : n;
        if (r->p->tty && n && from[n - 1] == '\r')
            n--;
        int found = wk_re_search(r->re, &run, wk_str(from, n), 0, NULL, 0);
        if (found == -WK_ECANCELED || found == -WK_ETIMEDOUT)
            break; /* the wait says so itself */
        if (found < 0)
            return wk_sandbox_fail(r->b, wk_code(found), "pattern: %s", wk_err_text(found));
        r->met = found > 0;
        r->judged += next;
    }
    return WHELK_OK;
}

static int look(struct reader *r)
{
    switch (r->q.until) {
    case WHELK_UNTIL_EXIT:
        r->met = wk_process_is_over(r->p) && (r->at_end || r->full); /* what it wrote last is read first */
        return WHELK_OK;
    case WHELK_UNTIL_MATCH:
        return judge_lines(r);
    case WHELK_UNTIL_PORT:
        r->met = r->port && !r->port->open && r->port->code == WHELK_OK;
        return WHELK_OK;
    default:
        r->met = r->seen.n || r->at_end;
        return WHELK_OK;
    }
}

/* Nothing that is to come can change the answer. */
static bool is_settled(const struct reader *r)
{
    if (r->met || (r->at_end && wk_process_is_over(r->p)))
        return true;
    return r->full && (r->q.until == WHELK_UNTIL_ANY || r->q.until == WHELK_UNTIL_MATCH);
}

struct waiting {
    struct reader *r;
    struct wk_box_log *l;
};

static bool has_news(void *ctx)
{
    const struct waiting *w = ctx;
    const struct reader *r = w->r;
    return (w->l && !w->l->call.open) || wk_process_is_over(r->p) || (r->port && !r->port->open);
}

/* Waits for more output, the end, or the port: 0, or as wait_once. */
static int wait_for_more(struct reader *r)
{
    struct waiting w = {r, NULL};
    int code = WHELK_OK;
    bool wants = !r->full && (r->q.until == WHELK_UNTIL_ANY || r->q.until == WHELK_UNTIL_MATCH);
    bool over = wk_process_is_over(r->p);
    if (over)
        return WHELK_OK;
    if (wants && !r->p->ended) {
        w.l = wk_box_log_ask(r->p, r->q.stream, r->end, next_piece(r), true, &code);
        if (!w.l)
            return wk_sandbox_fail(r->b, code, "process %u: output: %s", r->q.id, whelk_strerror(code));
    }
    code = wk_sandbox_wait_until(r->b, has_news, &w, r->deadline);
    if (w.l && w.l->call.open) { /* the kind answers as things are; that it does not in time is no matter */
        r->b->kind->stop_waiting(r->b->box, r->p->id);
        if (code == WHELK_E_AGAIN)
            (void)wk_sandbox_wait_until(r->b, wk_sandbox_call_is_done, &w.l->call, wk_sandbox_deadline(1000));
    }
    if (w.l && !w.l->call.open && (!code || code == WHELK_E_AGAIN)) {
        int taken = take(r, w.l, false);
        code = taken ? taken : code;
    }
    wk_box_log_leave(w.l);
    return code;
}

/* ---- the call ------------------------------------------------------------------------------------- */

static int check(struct reader *r, const whelk_sandbox_read *what)
{
    int code = what ? wk_struct_take(&r->q, sizeof r->q, what) : WHELK_E_INVALID;
    const whelk_sandbox_read *q = &r->q;
    if (code)
        return wk_sandbox_fail(r->b, code, "what is to be read: NULL, or of another version");
    if (q->stream != 1 && q->stream != 2)
        return wk_sandbox_fail(r->b, WHELK_E_INVALID, "stream: it is neither 1 nor 2");
    if (q->wait_ms < 0)
        return wk_sandbox_fail(r->b, WHELK_E_INVALID, "wait_ms: it is negative");
    if (q->until < WHELK_UNTIL_ANY || q->until > WHELK_UNTIL_PORT)
        return wk_sandbox_fail(r->b, WHELK_E_INVALID, "until: it is no enum whelk_until");
    if (q->until == WHELK_UNTIL_MATCH && !q->pattern)
        return wk_sandbox_fail(r->b, WHELK_E_INVALID, "pattern: it is NULL");
    if (q->until == WHELK_UNTIL_PORT && !q->port)
        return wk_sandbox_fail(r->b, WHELK_E_INVALID, "port: it is 0");
    r->p = wk_process_find(r->b, q->id);
    if (!r->p)
        return wk_sandbox_fail(r->b, WHELK_E_NOENT, "process %u: there is none", q->id);
    r->deadline = wk_sandbox_deadline(q->wait_ms < WAIT_MOST_MS ? q->wait_ms : WAIT_MOST_MS);
    r->most = !q->max ? DEFAULT_MOST : q->max < MOST ? q->max : MOST;
    return WHELK_OK;
}

static int prepare(struct reader *r)
{
    struct wk_mem *m = r->b->mem;
    struct wk_re_error error;
    size_t back = wk_secrets_longest(r->b->secrets);
    wk_redact_init(&r->redact, r->b);
    wk_buf_init(&r->seen, m, SIZE_MAX / 2);
    r->begin = r->q.offset;
    back = back ? back - 1 : 0;
    r->start = r->end = r->q.offset > back ? r->q.offset - back : 0;
    r->redact.at = r->start;
    r->redact.from = r->begin;
    if (r->q.until == WHELK_UNTIL_MATCH) {
        int err = wk_re_compile(m, wk_str_c(r->q.pattern), WK_RE_EXTENDED | WK_RE_NOSUB, NULL, &r->re, &error);
        if (err == -WK_EINVAL)
            return wk_sandbox_fail(r->b, WHELK_E_INVALID, "pattern \"%s\": %s", r->q.pattern, error.text);
        if (err)
            return wk_sandbox_fail(r->b, wk_code(err), "pattern \"%s\": %s", r->q.pattern, wk_err_text(err));
    }
    if (r->q.until == WHELK_UNTIL_PORT) {
        r->port_id = wk_sandbox_id(r->b);
        r->port = wk_sandbox_call_new(r->b, sizeof *r->port);
        if (!r->port)
            return wk_sandbox_fail(r->b, WHELK_E_NOMEM, "%s", whelk_strerror(WHELK_E_NOMEM));
        r->port->open = 1;
        int code = r->b->kind->wait_port(r->b->box, r->port_id, r->q.port, wk_sandbox_call_done, r->port);
        if (code) {
            r->port->open = 0;
            return wk_sandbox_fail(r->b, code, "port %u: %s", r->q.port, whelk_strerror(code));
        }
    }
    return WHELK_OK;
}

static int run(struct reader *r)
{
    int code = WHELK_OK;
    for (;;) {
        bool over = wk_process_is_over(r->p);
        code = read_all(r);
        if (!code && !over && wk_process_is_over(r->p))
            continue; /* it ended while that was read: its last bytes may be missing */
        if (!code)
            code = look(r);
        if (code || is_settled(r))
            return code;
        code = wait_for_more(r);
        if (code == WHELK_E_AGAIN) {
            code = look(r);
            if (!code && wk_process_is_over(r->p) && !r->at_end)
                continue;
            return code;
        }
        if (code)
            return code == WHELK_E_BUSY || code == WHELK_E_CLOSED ? wk_sandbox_wait_failed(r->b, code) : code;
        if (r->q.until == WHELK_UNTIL_PORT && !r->port->open && r->port->code)
            return wk_sandbox_fail(r->b, r->port->code, "port %u: %s", r->q.port, whelk_strerror(r->port->code));
    }
}

/* Where the next call goes on: at what is kept back, behind what was hidden; or, when there was too much before a
 * match, behind the last whole line. */
static int give(struct reader *r, whelk_sandbox_output *out)
{
    size_t n = r->seen.n;
    uint64_t next = r->at_end || r->redact.idle ? r->end : r->redact.at + r->redact.skip;
    if (next < r->begin)
        next = r->begin;
    if (r->q.until == WHELK_UNTIL_MATCH && !r->met && r->full && r->judged && next - r->begin == n) {
        next -= n - r->judged;
        n = r->judged;
    }
    whelk_sandbox_output o = {.size = sizeof o,
                              .len = n,
                              .offset = r->begin,
                              .next = next,
                              .lost = r->begin > r->q.offset ? r->begin - r->q.offset : 0,
                              .state = wk_process_is_over(r->p),
                              .met = r->met};
    o.data = malloc(n + 1);
    if (!o.data)
        return wk_sandbox_fail(r->b, WHELK_E_NOMEM, "%s", whelk_strerror(WHELK_E_NOMEM));
    memcpy(o.data, wk_buf_c(&r->seen), n);
    o.data[n] = '\0';
    return wk_struct_give(out, &o, sizeof o);
}

int whelk_sandbox_read_output(whelk_sandbox *b, const whelk_sandbox_read *what, whelk_sandbox_output *out)
{
    whelk_sandbox_output none = {.size = sizeof none};
    if (!out || out->size < offsetof(whelk_sandbox_output, len) + sizeof out->len)
        return WHELK_E_INVALID;
    (void)wk_struct_give(out, &none, sizeof none);
    int code = wk_sandbox_begin(b);
    if (code)
        return code;
    struct reader r = {.b = b};
    code = check(&r, what);
    if (code)
        return code;
    code = prepare(&r);
    if (!code)
        code = run(&r);
    if (!code)
        code = give(&r, out);
    if (r.port && r.port->open && !b->lost)
        b->kind->stop_waiting(b->box, r.port_id);
    wk_sandbox_call_leave(r.port);
    wk_re_unref(r.re);
    wk_redact_release(&r.redact);
    wk_buf_release(&r.seen);
    return code;
}
