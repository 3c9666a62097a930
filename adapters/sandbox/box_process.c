/* box_process.c - a process in a box: its events, its input, its end */
#define _GNU_SOURCE
#include "adapters/sandbox/box_process.h"

#include "adapters/sandbox/code.h"
#include "adapters/sandbox/sandbox_call.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

enum {
    COMMAND_MAX = 4096, /* bytes of a command's text that are kept for people */
    WORDS_MAX = 16384,
    INPUT_PIECE = 65536
};
/* How long a process may outlive its KILL before it is given up, and its streams their process. */
static const int64_t last_wait_ns = 10000000000;

/* ---- the record ----------------------------------------------------------------------------------- */

/* What was asked, as a person would write it: the script, or the arguments with blanks between. */
static void write_command(struct whelk_sandbox *b, const whelk_sandbox_request *q, struct wk_buf *out)
{
    struct wk_buf raw;
    wk_buf_init(&raw, b->mem, 2 * COMMAND_MAX + WK_SECRET_MAX);
    if (q->script)
        wk_buf_puts(&raw, wk_str_take(wk_str_c(q->script), COMMAND_MAX + WK_SECRET_MAX));
    for (size_t i = 0; !q->script && i < q->n_argv && raw.n < COMMAND_MAX; i++) {
        if (i)
            wk_buf_putc(&raw, ' ');
        wk_buf_puts(&raw, wk_str_take(wk_str_c(q->argv[i]), COMMAND_MAX));
    }
    wk_redact_text(b, wk_buf_str(&raw), COMMAND_MAX, out);
    if (raw.failed)
        out->failed = true;
    wk_buf_release(&raw);
}

bool wk_process_own_input(struct wk_box_process *p)
{
    size_t n = p->input_n - p->input_at;
    p->read_input = NULL;
    p->input_fd = -1;
    p->input_waits = false;
    if (!p->input_borrowed)
        return true;
    char *copy = n ? wk_strndup(p->b->mem, p->input + p->input_at, n) : NULL;
    if (n && !copy)
        return false;
    p->input_borrowed = false;
    p->input = copy;
    p->input_at = 0;
    p->input_n = n;
    p->input_over = true;
    return true;
}

unsigned wk_process_running(const struct whelk_sandbox *b)
{
    unsigned n = 0;
    for (const struct wk_box_process *p = b->processes; p; p = p->next)
        n += p->background && !wk_process_is_over(p);
    return n;
}

struct wk_box_process *wk_process_new(struct whelk_sandbox *b, const whelk_sandbox_request *q)
{
    struct wk_box_process *p = WK_NEW(b->mem, struct wk_box_process);
    struct wk_buf command;
    if (!p)
        return NULL;
    wk_buf_init(&command, b->mem, SIZE_MAX / 2);
    write_command(b, q, &command);
    p->command = wk_buf_take(&command, NULL);
    wk_buf_release(&command);
    p->tag = q->tag ? wk_strndup(b->mem, q->tag, strlen(q->tag)) : NULL;
    if (!p->command || (q->tag && !p->tag)) {
        wk_free(b->mem, p->command);
        wk_free(b->mem, p->tag);
        wk_free(b->mem, p);
        return NULL;
    }
    p->b = b;
    p->id = wk_sandbox_id(b);
    p->deadline = INT64_MAX;
    p->input_fd = -1;
    wk_buf_init(&p->words, b->mem, WORDS_MAX);
    struct wk_box_process **at = &b->processes;
    while (*at)
        at = &(*at)->next;
    *at = p;
    return p;
}

static void release(struct wk_box_process *p)
{
    struct wk_mem *m = p->b->mem;
    wk_free(m, p->tag);
    wk_free(m, p->command);
    if (!p->input_borrowed)
        wk_free(m, p->input);
    wk_buf_release(&p->words);
    wk_free(m, p);
}

void wk_process_free(struct wk_box_process *p)
{
    struct whelk_sandbox *b = p->b;
    struct wk_box_process **at = &b->processes;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    if (p->begun && b->box && !b->lost)
        b->kind->forget(b->box, p->id);
    release(p);
}

void wk_sandbox_drop_processes(struct whelk_sandbox *b)
{
    while (b->processes) {
        struct wk_box_process *p = b->processes;
        b->processes = p->next;
        release(p);
    }
}

bool wk_process_is_over(const struct wk_box_process *p)
{
    return p->fail_code || p->lost || (p->ended && p->closed);
}

void wk_process_leave(struct wk_box_process *p)
{
    p->left = true;
    p->output = NULL;
    p->has_input = false; /* what was to come is the caller's */
    p->read_input = NULL;
    p->input_fd = -1;
    p->input_waits = false;
    if (p->input_borrowed)
        p->input = NULL;
    if (!p->begun || wk_process_is_over(p))
        wk_process_free(p);
}

int wk_process_outcome(const struct wk_box_process *p)
{
    if (p->fail_code)
        return WHELK_OUTCOME_FAILED;
    if (!p->ended && p->lost)
        return WHELK_OUTCOME_LOST;
    if (p->outcome)
        return p->outcome;
    if (p->exit.out_of_memory)
        return WHELK_OUTCOME_MEMORY;
    return p->exit.signal || p->exit.code < 0 ? WHELK_OUTCOME_SIGNALED : WHELK_OUTCOME_EXITED;
}

void wk_process_say_failed(const struct wk_box_process *p, const char *program, int code, struct wk_buf *out)
{
    const char *text = p->words.n ? wk_buf_c(&p->words) : NULL;
    size_t n = strlen(program);
    bool about_program = !text || (strncmp(text, program, n) == 0 && text[n] == ':');
    if (code == WHELK_E_NOENT && about_program && !strchr(program, '/'))
        wk_buf_fmt(out, "%s: command not found", program);
    else if (!text && code == WHELK_E_NOENT)
        wk_buf_fmt(out, "%s: No such file or directory", program);
    else if (text)
        wk_buf_put_c(out, text);
    else
        wk_buf_fmt(out, "%s: %s", program, whelk_strerror(code));
}

/* ---- ending it ------------------------------------------------------------------------------------ */

static void send_signal(struct wk_box_process *p, int signal)
{
    struct whelk_sandbox *b = p->b;
    struct wk_box_call *c = wk_sandbox_call_new(b, sizeof *c);
    if (!c) /* the next rung, or the end of the sandbox, will do */
        return;
    c->open = 1;
    if (b->kind->signal(b->box, p->id, signal, WHELK_SCOPE_TREE, wk_sandbox_call_done, c) != WHELK_OK)
        wk_sandbox_call_answered(c, WHELK_E_IO);
    wk_sandbox_call_leave(c);
}

static void climb(struct wk_box_process *p)
{
    if (p->rung == WK_RUNG_LAST)
        return;
    p->rung++;
    p->deadline = wk_sandbox_now() + (p->rung == WK_RUNG_TERM ? p->grace_ns : last_wait_ns);
    if (p->rung == WK_RUNG_LAST)
        p->deadline = INT64_MAX;
    else
        send_signal(p, p->rung == WK_RUNG_TERM ? SIGTERM : SIGKILL);
}

void wk_process_end(struct wk_box_process *p, int outcome, int64_t grace_ns)
{
    if (!p->begun || wk_process_is_over(p))
        return;
    if (!p->outcome && !p->ended)
        p->outcome = outcome;
    p->grace_ns = grace_ns;
    if (grace_ns <= 0 && p->rung < WK_RUNG_TERM)
        p->rung = WK_RUNG_TERM; /* straight to KILL */
    if (p->rung < WK_RUNG_KILL && (grace_ns <= 0 || p->rung == WK_RUNG_NONE))
        climb(p);
}

int64_t wk_sandbox_tick(struct whelk_sandbox *b)
{
    int64_t next = INT64_MAX, now = wk_sandbox_now();
    struct wk_box_process *p = b->processes;
    while (p) {
        struct wk_box_process *after = p->next;
        if (p->begun && !wk_process_is_over(p)) {
            if (p->has_input)
                wk_process_feed(p);
            if (p->deadline <= now && p->ended) {
                p->closed = true; /* the kind owes it */
                p->deadline = INT64_MAX;
            } else if (p->deadline <= now) {
                if (p->rung == WK_RUNG_NONE && !p->ended)
                    p->outcome = WHELK_OUTCOME_TIMEOUT;
                climb(p);
            }
            if (p->deadline < next)
                next = p->deadline;
        } else if (p->left) {
            wk_process_free(p);
        }
        p = after;
    }
    return next;
}

/* ---- input ---------------------------------------------------------------------------------------- */

/* From a descriptor of the program's, without waiting: WHELK_IO_AGAIN when there is nothing. */
static ptrdiff_t read_descriptor(int fd, void *dst, size_t cap)
{
    struct pollfd ready = {fd, POLLIN, 0};
    if (poll(&ready, 1, 0) <= 0)
        return WHELK_IO_AGAIN;
    ssize_t n = read(fd, dst, cap);
    return n < 0 && (errno == EAGAIN || errno == EINTR) ? WHELK_IO_AGAIN : n;
}

/* Asks the program for more, when all of what it gave has gone. */
static void ask_input(struct wk_box_process *p)
{
    struct whelk_sandbox *b = p->b;
    if (!p->input_cap) {
        p->input = wk_alloc(b->mem, INPUT_PIECE);
        if (!p->input) {
            p->input_failed = p->input_over = true;
            return;
        }
        p->input_cap = INPUT_PIECE;
    }
    bool inside = b->in_callback;
    b->in_callback = true;
    size_t cap = p->input_cap < p->room ? p->input_cap : p->room;
    ptrdiff_t n = p->input_fd >= 0 ? read_descriptor(p->input_fd, p->input, cap)
                                   : p->read_input(p->read_ctx, p->input, cap);
    b->in_callback = inside;
    p->input_at = p->input_n = 0;
    p->input_waits = p->input_fd >= 0 && n == WHELK_IO_AGAIN;
    if (p->input_waits)
        return;
    if (n > 0 && (size_t)n <= p->input_cap)
        p->input_n = (size_t)n;
    else
        p->input_over = true;
    if (n < 0 || (n > 0 && !p->input_n))
        p->input_failed = true;
}

void wk_process_feed(struct wk_box_process *p)
{
    const whelk_sandbox_kind *k = p->b->kind;
    p->input_waits = false;
    if (!p->started || p->ended || p->lost || p->input_told)
        return;
    while (p->room && !p->unread) {
        if (p->input_at == p->input_n && (p->read_input || p->input_fd >= 0) && !p->input_over)
            ask_input(p);
        size_t n = p->input_n - p->input_at;
        if (n > p->room)
            n = p->room;
        if (n > INPUT_PIECE)
            n = INPUT_PIECE;
        if (!n)
            break;
        p->room -= n;
        p->input_at += n;
        if (k->write(p->b->box, p->id, p->input + (p->input_at - n), n) != WHELK_OK)
            p->unread = true;
    }
    if (p->input_over && (p->unread || p->input_at == p->input_n)) {
        p->input_told = true;
        (void)k->write(p->b->box, p->id, NULL, 0);
    }
}

/* ---- events --------------------------------------------------------------------------------------- */

static void on_started(void *ctx)
{
    struct wk_box_process *p = ctx;
    p->started = true;
    p->heard_ns = wk_sandbox_now();
    p->started_wall = wk_sandbox_wall();
}

static void on_failed(void *ctx, int code, const char *text)
{
    struct wk_box_process *p = ctx;
    p->fail_code = code < 0 ? code : WHELK_E_IO;
    if (text)
        wk_redact_text(p->b, wk_str_c(text), WORDS_MAX / 4, &p->words);
}

/* What arrives is welcome again at once: it has been kept or dropped. */
static void on_output(void *ctx, int stream, const void *bytes, size_t n)
{
    struct wk_box_process *p = ctx;
    if (stream != 2)
        stream = 1;
    p->heard_ns = wk_sandbox_now();
    p->bytes[stream - 1] += n;
    if (p->output)
        p->output(p->output_ctx, stream, bytes, n);
    p->b->kind->welcome(p->b->box, p->id, stream, n);
}

static void on_room(void *ctx, size_t n)
{
    struct wk_box_process *p = ctx;
    if (n == SIZE_MAX)
        p->unread = true;
    else
        p->room += n < SIZE_MAX - p->room ? n : 0;
}

static void on_exited(void *ctx, const whelk_exit *e)
{
    struct wk_box_process *p = ctx;
    if (wk_struct_take(&p->exit, sizeof p->exit, e) != WHELK_OK)
        p->exit = (whelk_exit){.code = -1};
    p->ended = true;
    p->over_ns = p->heard_ns = wk_sandbox_now();
    p->ended_wall = wk_sandbox_wall();
    if (p->exit.timed_out && !p->outcome)
        p->outcome = WHELK_OUTCOME_TIMEOUT; /* the box has kept the time by itself */
    /* What it leaves behind when it was to end has had the same signal: there is no one left to be polite to. */
    if (p->rung == WK_RUNG_TERM && p->exit.survivors) {
        climb(p);
        p->exit.survivors = 0;
    }
    p->deadline = p->background ? p->over_ns + last_wait_ns : INT64_MAX;
}

static void on_closed(void *ctx)
{
    struct wk_box_process *p = ctx;
    p->closed = true;
    p->heard_ns = wk_sandbox_now();
}

static void on_lost(void *ctx, const char *text)
{
    struct wk_box_process *p = ctx;
    p->lost = p->b->lost = true;
    if (!p->ended) {
        p->over_ns = wk_sandbox_now();
        p->ended_wall = wk_sandbox_wall();
    }
    if (text)
        wk_redact_text(p->b, wk_str_c(text), WORDS_MAX / 4, &p->words);
}

static const whelk_process_events events = {sizeof events, on_started, on_failed, on_output,
                                            on_room,       on_exited,  on_closed, on_lost};

int wk_process_begin(struct wk_box_process *p, const whelk_spec *spec, int64_t deadline)
{
    struct whelk_sandbox *b = p->b;
    p->logged = spec->flags & WHELK_SPEC_LOGGED;
    p->has_input = spec->flags & WHELK_SPEC_INPUT;
    p->tty = spec->flags & WHELK_SPEC_TTY;
    p->began_ns = p->heard_ns = wk_sandbox_now();
    p->started_wall = wk_sandbox_wall();
    for (;;) {
        p->begun = true; /* events may come from within */
        int code = b->kind->start(b->box, p->id, spec, &events, p);
        if (code == WHELK_OK) {
            for (int stream = 1; stream <= 2 && !p->logged && !wk_process_is_over(p); stream++)
                b->kind->welcome(b->box, p->id, stream, WK_BOX_WINDOW);
            return WHELK_OK;
        }
        p->begun = false;
        if (code == WHELK_E_CLOSED)
            b->lost = p->lost = true;
        if (code != WHELK_E_AGAIN)
            return code;
        code = wk_sandbox_wait_once(b, NULL, NULL, deadline);
        if (code)
            return code;
    }
}
