/* sandbox_exec.c - a command in a sandbox, to its end: whelk_sandbox_exec and its like
 *
 * A command ends when its process does, never when its streams do: those are drained for a while. One that may go on in
 * the background when its time is over is logged by the box from its start, and read from there; all others send what
 * they write, as far as it is welcome.
 */
#include "adapters/sandbox/box_file.h"
#include "adapters/sandbox/box_log.h"
#include "adapters/sandbox/box_process.h"
#include "adapters/sandbox/box_spill.h"
#include "adapters/sandbox/code.h"
#include "adapters/sandbox/keep.h"
#include "base/num.h"

#include <unistd.h>

enum {
    MAX_KEPT = 10 << 20,
    GRACE_MS = 2000,
    START_WAIT_MS = 30000,
    DRAIN_WAIT_MS = 5000, /* of silence, when a process has ended and its streams have not */
    LOG_PIECE = 1 << 20,
    LOG_MOST = 256 << 20 /* of a stream that one may go on to write, at its beginning and its end */
};
static const int64_t drain_most_ns = 60000000000;

/* One of its streams: what comes is redacted, spilled, kept and told. */
struct stream {
    struct exec *x;
    int number;
    struct wk_redact redact;
    struct wk_keep keep;
    /* of one that is logged */
    struct wk_box_log *ask;
    bool ask_is_last, done;
    bool drains; /* the process has ended, and its last bytes are on their way */
    uint64_t offset;
};

struct exec {
    struct whelk_sandbox *b;
    struct wk_box_request r;
    struct wk_box_process *p;
    struct stream s[2];
    struct wk_box_spill spill;
    struct wk_buf words; /* why it failed, or what else there is to say */
    int outcome;         /* enum whelk_outcome; -1: as the process says */
    bool retry_safe, cancelled, no_memory, idle, broken;
    int stage;           /* of the process, as the present wait knows it */
    int64_t grace_ns;
};

/* ---- output --------------------------------------------------------------------------------------- */

/* Not all can be kept: from now on it goes into a file, too. */
static void begin_spill(struct stream *s)
{
    struct wk_box_spill *spill = &s->x->spill;
    struct wk_str part[2];
    if (spill->fd >= 0 || spill->error)
        return;
    wk_keep_parts(&s->keep, part);
    for (int i = 0; i < 2; i++)
        wk_box_spill_put(spill, part[i].p, part[i].n);
}

static void tell_program(struct stream *s, const char *p, size_t n)
{
    struct whelk_sandbox *b = s->x->b;
    bool inside = b->in_callback;
    b->in_callback = true;
    s->x->r.q.on_output(s->x->r.q.ctx, s->number, p, n);
    b->in_callback = inside;
}

/* What may be seen. */
static void tell(void *ctx, const char *p, size_t n)
{
    struct stream *s = ctx;
    struct exec *x = s->x;
    const whelk_sandbox_request *q = &x->r.q;
    if (s->number == 1 && q->spill) {
        if (s->keep.total + n > (q->max_stdout ? q->max_stdout : MAX_KEPT))
            begin_spill(s);
        if (x->spill.fd >= 0)
            wk_box_spill_put(&x->spill, p, n);
    }
    wk_keep_put(&s->keep, p, n);
    if (q->on_output)
        tell_program(s, p, n);
}

static void take_output(void *ctx, int number, const char *p, size_t n)
{
    struct exec *x = ctx;
    bool one = x->r.q.merged || x->r.q.tty;
    struct stream *s = &x->s[number == 2 && !one];
    wk_redact_pass(&s->redact, p, n, false, tell, s);
    if (s->keep.failed || s->redact.failed)
        x->no_memory = true;
}

/* A gap in a log: what was written faster than it could be read. */
static void take_gap(struct stream *s, uint64_t lost)
{
    char note[WK_KEEP_NOTE];
    const whelk_sandbox_request *q = &s->x->r.q;
    size_t n = wk_keep_note(lost, note);
    wk_redact_pass(&s->redact, NULL, 0, true, tell, s);
    if (s->number == 1 && q->spill) {
        begin_spill(s);
        wk_box_spill_put(&s->x->spill, note, n);
    }
    wk_keep_skip(&s->keep, lost);
    if (q->on_output)
        tell_program(s, note, n);
}

/* Takes what has come of a log, and asks for more. */
static void read_log(struct stream *s)
{
    struct exec *x = s->x;
    struct wk_box_process *p = x->p;
    while (!s->done && (p->closed || !s->drains)) {
        int code;
        if (!s->ask) {
            s->ask_is_last = p->closed;
            s->ask = wk_box_log_ask(p, s->number, s->offset, LOG_PIECE, !p->closed, &code);
            if (!s->ask) {
                s->done = true;
                x->no_memory = x->no_memory || code == WHELK_E_NOMEM;
            }
        }
        if (!s->ask || s->ask->call.open)
            break;
        struct wk_box_log *l = s->ask;
        s->ask = NULL;
        if (l->call.code || (s->ask_is_last && !l->data.n))
            s->done = true;
        x->no_memory = x->no_memory || l->call.code == WHELK_E_NOMEM;
        if (l->lost)
            take_gap(s, l->lost);
        if (l->data.n) {
            p->heard_ns = wk_sandbox_now();
            take_output(x, s->number, l->data.p, l->data.n);
            s->offset = l->offset + l->data.n;
            p->bytes[s->number - 1] = s->offset;
        }
        s->drains = l->ended && !l->data.n;
        wk_box_log_leave(l);
    }
}

/* ---- waiting -------------------------------------------------------------------------------------- */

static bool is_over(const struct exec *x)
{
    const struct wk_box_process *p = x->p;
    if (p->fail_code || p->lost)
        return true;
    if (!p->ended || !p->closed)
        return false;
    return !p->logged || (x->s[0].done && x->s[1].done);
}

/* How far it has come: what is waited for, and until when, changes with it. */
static int stage_of(const struct wk_box_process *p)
{
    return p->started + p->ended + p->closed;
}

static bool has_news(void *ctx)
{
    struct exec *x = ctx;
    if (is_over(x) || stage_of(x->p) != x->stage || (!x->broken && (x->no_memory || x->p->input_failed)))
        return true;
    return x->p->logged && ((x->s[0].ask && !x->s[0].ask->call.open) || (x->s[1].ask && !x->s[1].ask->call.open));
}

/* When the loop has to look again: time-outs before it is told to end, streams that stay open behind it. */
static int64_t next_deadline(const struct exec *x, int64_t time_is_over)
{
    const struct wk_box_process *p = x->p;
    if (p->ended) {
        int64_t quiet = p->heard_ns + (int64_t)DRAIN_WAIT_MS * 1000000, most = p->over_ns + drain_most_ns;
        return quiet < most ? quiet : most;
    }
    if (p->rung != WK_RUNG_NONE)
        return p->deadline;
    int64_t idle = x->r.q.idle_timeout_ms ? p->heard_ns + x->r.q.idle_timeout_ms * 1000000 : INT64_MAX;
    return idle < time_is_over ? idle : time_is_over;
}

static void write_ms(struct wk_buf *out, int64_t ms)
{
    if (ms % 1000)
        wk_buf_fmt(out, "%lld ms", (long long)ms);
    else
        wk_buf_fmt(out, "%lld s", (long long)(ms / 1000));
}

/* It goes on as a background process, which keeps what it writes. */
static void detach(struct exec *x)
{
    x->outcome = WHELK_OUTCOME_DETACHED;
    x->p->background = true;
    x->p->output = NULL;
    for (int i = 0; i < 2; i++)
        wk_box_log_leave(x->s[i].ask);
    x->s[0].ask = x->s[1].ask = NULL;
    x->b->kind->stop_waiting(x->b->box, x->p->id);
}

/* Some deadline has passed: which? True: the wait is over. */
static bool time_passed(struct exec *x, int64_t time_is_over)
{
    struct wk_box_process *p = x->p;
    int64_t now = wk_sandbox_now();
    if (p->ended)
        return now >= next_deadline(x, time_is_over);
    if (p->rung != WK_RUNG_NONE) {
        (void)wk_sandbox_tick(x->b);
        return p->rung == WK_RUNG_LAST;
    }
    x->idle = now < time_is_over;
    if (x->idle && now < next_deadline(x, time_is_over))
        return false;
    if (!x->idle && x->r.q.detach_on_timeout && wk_process_running(x->b) < WK_BOX_RUNNING &&
        wk_process_own_input(p)) {
        detach(x);
        return true;
    }
    wk_buf_put_c(&x->words, x->idle ? "no output for " : "timed out after ");
    write_ms(&x->words, x->idle ? x->r.q.idle_timeout_ms : x->r.timeout_ms);
    if (!x->idle)
        wk_buf_fmt(&x->words, " (%s limit)", x->r.timeout_source);
    if (!x->idle && x->r.q.detach_on_timeout)
        wk_buf_fmt(&x->words, "; not detached: %d processes are running", WK_BOX_RUNNING);
    wk_process_end(p, WHELK_OUTCOME_TIMEOUT, x->grace_ns);
    return false;
}

/* A first cancel ends the command as politely as a time-out, a second one at once. */
static void cancel(struct exec *x)
{
    uint64_t n;
    atomic_store(&x->b->cancelled, false);
    (void)!read(x->b->wake_fd, &n, sizeof n);
    wk_process_end(x->p, WHELK_OUTCOME_CANCELLED, x->cancelled ? 0 : x->grace_ns);
    x->cancelled = x->b->winding_up = true;
}

static void wait_for_end(struct exec *x)
{
    struct wk_box_process *p = x->p;
    int64_t time_is_over = wk_sandbox_deadline(x->r.timeout_ms);
    for (;;) {
        for (int i = 0; i < 2 && p->logged && p->started; i++)
            read_log(&x->s[i]);
        if (is_over(x) || (p->rung == WK_RUNG_LAST && !p->ended))
            break;
        if ((x->no_memory || p->input_failed) && !x->broken) {
            x->broken = true;
            wk_process_end(p, WHELK_OUTCOME_CANCELLED, 0);
        }
        x->stage = stage_of(p);
        int code = wk_sandbox_wait_once(x->b, has_news, x, next_deadline(x, time_is_over));
        if (code == WHELK_E_BUSY)
            cancel(x);
        if (code == WHELK_E_CLOSED && !is_over(x))
            p->lost = true;
        if (code == WHELK_E_AGAIN && time_passed(x, time_is_over))
            break;
    }
}

/* ---- the result ----------------------------------------------------------------------------------- */

/* What the result is a part of. */
struct block {
    struct wk_mem *mem;
    whelk_sandbox_result result;
    char text[];
};

void whelk_sandbox_result_free(whelk_sandbox_result *r)
{
    if (!r)
        return;
    struct block *k = WK_CONTAINER_OF(r, struct block, result);
    struct wk_mem *m = k->mem;
    wk_free_shared(m, k);
    wk_mem_unref(m);
}

static struct block *new_block(struct exec *x)
{
    size_t n = wk_keep_room(&x->s[0].keep) + wk_keep_room(&x->s[1].keep) + x->words.n + 4;
    struct block *k = wk_alloc(x->b->mem, sizeof *k + n);
    if (!k)
        return NULL;
    k->mem = wk_mem_ref(x->b->mem);
    k->result = (whelk_sandbox_result){.size = sizeof k->result, .exit_code = -1};
    whelk_sandbox_result *r = &k->result;
    char *to = k->text;
    for (int i = 0; i < 2; i++) {
        size_t len = wk_keep_write(&x->s[i].keep, to);
        to[len] = '\0';
        *(i ? &r->err : &r->out) = to;
        *(i ? &r->err_len : &r->out_len) = len;
        *(i ? &r->err_total : &r->out_total) = x->s[i].keep.total;
        if (wk_keep_is_cut(&x->s[i].keep))
            r->truncated |= 1 << i;
        to += len + 1;
    }
    memcpy(to, wk_buf_c(&x->words), x->words.n + 1);
    r->error = to;
    return k;
}

static void say_failed(struct exec *x, int code)
{
    wk_process_say_failed(x->p, x->r.program, code, &x->words);
}

static void fill_from_process(struct exec *x, whelk_sandbox_result *r)
{
    const struct wk_box_process *p = x->p;
    r->wall_ns = (p->over_ns ? p->over_ns : wk_sandbox_now()) - p->began_ns;
    if (!p->ended)
        return;
    r->signal = p->exit.signal;
    r->cpu_ns = p->exit.user_ns + p->exit.system_ns;
    r->memory_peak = p->exit.memory_peak;
    r->survivors = p->exit.survivors;
    if (r->outcome == WHELK_OUTCOME_EXITED)
        r->exit_code = p->exit.code & 255;
}

/* Decides the outcome, and says in words what has to be said. */
static void decide(struct exec *x)
{
    struct wk_box_process *p = x->p;
    if (x->outcome < 0)
        x->outcome = !p->ended && p->rung == WK_RUNG_LAST ? p->outcome : wk_process_outcome(p);
    if (x->outcome == WHELK_OUTCOME_FAILED) {
        x->retry_safe = true;
        if (!x->words.n)
            say_failed(x, p->fail_code);
    } else if (x->outcome == WHELK_OUTCOME_LOST) {
        x->retry_safe = !p->started;
        wk_buf_put_c(&x->words, x->words.n ? "; the sandbox is gone" : "the sandbox is gone");
        if (p->words.n)
            wk_buf_fmt(&x->words, ": %s", wk_buf_c(&p->words));
    } else if (x->outcome == WHELK_OUTCOME_MEMORY) {
        wk_buf_put_c(&x->words, "memory ran out");
    } else if (x->outcome == WHELK_OUTCOME_EXITED || x->outcome == WHELK_OUTCOME_SIGNALED) {
        wk_buf_reset(&x->words); /* it ended just when it was to be ended */
    }
    if (p->begun && !p->ended && p->rung == WK_RUNG_LAST)
        wk_buf_put_c(&x->words, "; it does not end, not even by KILL");
    if (p->input_failed)
        wk_buf_put_c(&x->words, x->words.n ? "; read_input failed" : "read_input failed");
}

/* Names of programs and paths are part of the words, too. */
static void hide_words(struct exec *x)
{
    struct wk_buf seen;
    if (!x->b->secrets || !x->words.n)
        return;
    wk_buf_init(&seen, x->b->mem, 4 << 20);
    wk_redact_text(x->b, wk_buf_str(&x->words), SIZE_MAX, &seen);
    wk_buf_reset(&x->words);
    if (seen.failed || !wk_buf_puts(&x->words, wk_buf_str(&seen)))
        x->no_memory = true;
    wk_buf_release(&seen);
}

static int finish(struct exec *x, whelk_sandbox_result **result)
{
    /* What may be the beginning of a secret is none, unless the process goes on. */
    for (int i = 0; i < 2 && x->outcome != WHELK_OUTCOME_DETACHED; i++)
        wk_redact_pass(&x->s[i].redact, NULL, 0, true, tell, &x->s[i]);
    decide(x);
    if (x->spill.fd >= 0 || x->spill.error) {
        if (x->words.n)
            wk_buf_put_c(&x->words, "; ");
        if (x->b->lost || x->cancelled)
            wk_buf_fmt(&x->words, "spill %s: not written", x->r.q.spill);
        else
            wk_box_spill_finish(&x->spill, x->b, x->r.q.spill, &x->words);
        x->cancelled = x->cancelled || atomic_load(&x->b->cancelled);
    }
    hide_words(x);
    struct block *k = x->no_memory || x->words.failed ? NULL : new_block(x);
    if (!k)
        return wk_sandbox_fail(x->b, WHELK_E_NOMEM, "%s", whelk_strerror(WHELK_E_NOMEM));
    whelk_sandbox_result *r = &k->result;
    r->outcome = x->outcome;
    r->retry_safe = x->retry_safe;
    fill_from_process(x, r);
    if (x->outcome == WHELK_OUTCOME_DETACHED)
        r->process = x->p->id;
    *result = r;
    return WHELK_OK;
}

/* ---- one command ---------------------------------------------------------------------------------- */

static void set_up(struct exec *x)
{
    const whelk_sandbox_request *q = &x->r.q;
    uint64_t max[2] = {q->max_stdout ? q->max_stdout : MAX_KEPT, q->max_stderr ? q->max_stderr : MAX_KEPT};
    for (int i = 0; i < 2; i++) {
        struct stream *s = &x->s[i];
        s->x = x;
        s->number = i + 1;
        s->done = i && (q->merged || q->tty);
        wk_redact_init(&s->redact, x->b);
        wk_keep_init(&s->keep, x->b->mem, q->keep, max[i] < SIZE_MAX / 4 ? (size_t)max[i] : SIZE_MAX / 4);
        x->no_memory = x->no_memory || s->redact.failed;
    }
    if (x->r.spec.flags & WHELK_SPEC_LOGGED) /* what the result may keep has to be there to be read */
        for (int i = 0; i < 2; i++)
            if (max[i] > x->r.spec.log_bytes)
                x->r.spec.log_bytes = max[i] < LOG_MOST ? max[i] : LOG_MOST;
    x->grace_ns = (q->grace_ms ? q->grace_ms : GRACE_MS) * 1000000;
}

static void tear_down(struct exec *x)
{
    for (int i = 0; i < 2; i++) {
        wk_box_log_leave(x->s[i].ask);
        if (x->s[i].x) {
            wk_redact_release(&x->s[i].redact);
            wk_keep_release(&x->s[i].keep);
        }
    }
    if (x->r.script_path && !x->b->lost && x->outcome != WHELK_OUTCOME_DETACHED)
        wk_box_remove(x->b, x->r.script_path, wk_sandbox_deadline(1000));
    if (x->p && x->outcome != WHELK_OUTCOME_DETACHED)
        wk_process_leave(x->p);
    wk_box_spill_release(&x->spill);
    wk_buf_release(&x->words);
    wk_box_request_release(&x->r);
}

/* A start that came to nothing is an outcome, unless the request was at fault. */
static int start_failed(struct exec *x, int code)
{
    switch (code) {
    case WHELK_E_INVALID:
    case WHELK_E_UNSUPPORTED:
    case WHELK_E_NOMEM:
        return wk_sandbox_fail(x->b, code, "%s: %s", x->r.program,
                               x->p->words.n ? wk_buf_c(&x->p->words) : whelk_strerror(code));
    case WHELK_E_BUSY:
        x->outcome = WHELK_OUTCOME_CANCELLED;
        x->cancelled = true;
        return WHELK_OK;
    case WHELK_E_CLOSED:
        x->p->lost = x->b->lost = true;
        x->outcome = WHELK_OUTCOME_LOST;
        return WHELK_OK;
    case WHELK_E_AGAIN:
        wk_buf_put_c(&x->words, "the sandbox was not ready to start it in time");
        break;
    default:
        say_failed(x, code);
    }
    x->outcome = WHELK_OUTCOME_FAILED;
    return WHELK_OK;
}

static int start(struct exec *x)
{
    const whelk_sandbox_request *q = &x->r.q;
    struct wk_box_process *p = x->p = wk_process_new(x->b, q);
    if (!p || x->no_memory)
        return wk_sandbox_fail(x->b, WHELK_E_NOMEM, "%s", whelk_strerror(WHELK_E_NOMEM));
    p->output = take_output;
    p->output_ctx = x;
    p->read_input = q->read_input;
    p->read_ctx = q->ctx;
    p->input_fd = q->input_fd ? *q->input_fd : -1;
    p->input_over = !q->read_input && p->input_fd < 0;
    if (q->input) { /* it stays the caller's: this call ends before it goes */
        p->input_borrowed = true;
        p->input = (char *)(uintptr_t)q->input;
        p->input_n = q->input_len;
    }
    int64_t wait = x->r.timeout_ms >= 0 && x->r.timeout_ms < START_WAIT_MS ? x->r.timeout_ms : START_WAIT_MS;
    int code = wk_process_begin(p, &x->r.spec, wk_sandbox_deadline(wait));
    return code ? start_failed(x, code) : WHELK_OK;
}

static int run(struct whelk_sandbox *b, const whelk_sandbox_request *request, whelk_sandbox_result **result,
               bool *stop)
{
    struct exec x = {.b = b, .outcome = -1};
    wk_box_spill_init(&x.spill);
    wk_buf_init(&x.words, b->mem, 1 << 20);
    int code = wk_box_request_take(&x.r, b, request, false);
    if (!code) {
        set_up(&x);
        code = start(&x);
    }
    if (!code && x.outcome < 0)
        wait_for_end(&x);
    if (!code)
        code = finish(&x, result);
    *stop = x.cancelled || b->lost;
    tear_down(&x);
    b->winding_up = false;
    return code;
}

int whelk_sandbox_exec_with(whelk_sandbox *b, const whelk_sandbox_request *request, whelk_sandbox_result **result)
{
    bool stop;
    if (!result)
        return WHELK_E_INVALID;
    *result = NULL;
    int code = wk_sandbox_begin(b);
    return code ? code : run(b, request, result, &stop);
}

int whelk_sandbox_exec(whelk_sandbox *b, const char *script, whelk_sandbox_result **result)
{
    whelk_sandbox_request q;
    whelk_sandbox_request_init(&q);
    q.script = script;
    return whelk_sandbox_exec_with(b, &q, result);
}

/* ---- several -------------------------------------------------------------------------------------- */

/* The result of a command that was not run: why, or as the sandbox is. */
static int not_run(struct whelk_sandbox *b, const char *why, whelk_sandbox_result **result)
{
    struct exec x = {.b = b};
    wk_buf_init(&x.words, b->mem, 1 << 20);
    wk_keep_init(&x.s[0].keep, b->mem, 0, 0);
    wk_keep_init(&x.s[1].keep, b->mem, 0, 0);
    wk_buf_put_c(&x.words, why ? why : b->lost ? "the sandbox is gone" : "cancelled before it began");
    struct block *k = x.words.failed ? NULL : new_block(&x);
    wk_buf_release(&x.words);
    if (!k)
        return WHELK_E_NOMEM;
    k->result.outcome = why ? WHELK_OUTCOME_FAILED : b->lost ? WHELK_OUTCOME_LOST : WHELK_OUTCOME_CANCELLED;
    k->result.retry_safe = why || b->lost;
    *result = &k->result;
    return WHELK_OK;
}

int whelk_sandbox_exec_all(whelk_sandbox *b, const whelk_sandbox_request *requests, size_t n,
                           whelk_sandbox_result **results)
{
    if (n && (!requests || !results))
        return WHELK_E_INVALID;
    for (size_t i = 0; i < n; i++)
        results[i] = NULL;
    int code = wk_sandbox_begin(b);
    bool stop = false;
    for (size_t i = 0; i < n && !code; i++) {
        code = stop ? not_run(b, NULL, &results[i]) : run(b, &requests[i], &results[i], &stop);
        if (code == WHELK_E_INVALID || code == WHELK_E_UNSUPPORTED) /* what the others did is not lost */
            code = not_run(b, wk_buf_c(&b->error), &results[i]);
    }
    for (size_t i = 0; i < n && code; i++) {
        whelk_sandbox_result_free(results[i]);
        results[i] = NULL;
    }
    return code;
}
