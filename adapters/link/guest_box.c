/* guest_box.c - a box behind the guest helper: its opening, processes, ports */
#define _GNU_SOURCE
#include "adapters/link/guest_call.h"

#include "adapters/sandbox/code.h"

#include <poll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>

enum { PUMP_TURNS = 32, WAIT_MS = 100, CREDIT_MOST = 1 << 30, LIMITS = 5, ARGUMENT_MOST = 1 << 17 /* Linux's */ };

enum state { STARTING, RUNNING, EXITED, CLOSED };

/* A process. It is known by its id until it is forgotten, has failed to start, or is lost. */
struct process {
    struct wk_link_listener l; /* the first */
    struct wk_guest_box *g;
    whelk_process_events events;
    void *ctx;
    enum state state;
    uint32_t flags;            /* WHELK_SPEC_… */
    uint64_t welcome[2];       /* output that the helper may still send; UINT64_MAX: what comes is dropped */
    uint64_t written;          /* bytes of input */
    uint64_t room;             /* input that it still takes; UINT64_MAX: nobody reads it */
    bool input_ended;
    char *about;               /* its program and its directory, for words; NUL between them */
};

/* A signal, a read of a log, or a wait for a port. */
struct request {
    struct wk_link_listener l; /* the first */
    struct wk_guest_box *g;
    void (*done)(void *ctx, int code);
    whelk_log_fn *log;
    void *ctx;
    uint64_t offset;
    size_t most;
};

/* ---- words and codes -------------------------------------------------------------------------------- */

int wk_guest_send_code(int r)
{
    return r == -WK_EAGAIN ? WHELK_E_AGAIN : r == -WK_ENOMEM ? WHELK_E_NOMEM : r ? WHELK_E_CLOSED : WHELK_OK;
}

int wk_guest_error_of(struct guest_reader *r)
{
    uint32_t err = guest_u32(r);
    return r->bad || err == 0 || err > 4095 ? WK_EIO : (int)err;
}

uint32_t wk_guest_request_id(struct wk_guest_box *g)
{
    if (g->link->next_id < WK_GUEST_IDS || g->link->next_id == UINT32_MAX)
        g->link->next_id = WK_GUEST_IDS;
    return wk_link_id(g->link);
}

void wk_guest_break(struct wk_guest_box *g, const char *what)
{
    if (!g->why[0])
        wk_fmt_into(g->why, sizeof g->why, "the sandbox's helper broke the protocol: %s", what);
    wk_link_fail(g->link, WK_EPROTO);
}

const char *wk_guest_why(const struct wk_guest_box *g)
{
    if (g->why[0])
        return g->why;
    return "the connection to the sandbox's helper has ended";
}

/* ---- processes: what the helper says ------------------------------------------------------------------ */

static void free_process(struct process *p)
{
    struct wk_mem *m = p->g->mem;
    wk_free(m, p->about);
    wk_free(m, p);
}

static void hear_failed(struct process *p, struct guest_reader *r)
{
    static const char *const stage[] = {"cannot be started", "cannot enter the directory", "cannot become the user",
                                        "cannot set the limits", "cannot confine it", NULL};
    uint32_t err = guest_u32(r), at = guest_u32(r);
    if (r->bad || err == 0 || err > 4095 || at > GUEST_AT_EXEC) {
        wk_guest_break(p->g, "a failure to start that makes no sense");
        return;
    }
    const char *program = p->about, *directory = p->about + strlen(p->about) + 1;
    char text[512];
    if (at == GUEST_AT_EXEC)
        wk_fmt_into(text, sizeof text, "%.400s: %s", program, wk_err_text((int)err));
    else if (at == GUEST_AT_DIRECTORY)
        wk_fmt_into(text, sizeof text, "%s %.400s: %s", stage[at], directory, wk_err_text((int)err));
    else
        wk_fmt_into(text, sizeof text, "%.300s: %s: %s", program, stage[at], wk_err_text((int)err));
    whelk_process_events e = p->events;
    void *ctx = p->ctx;
    wk_link_unlisten(p->g->link, &p->l);
    free_process(p);
    if (e.failed)
        e.failed(ctx, at == GUEST_AT_FORK && err == WK_EAGAIN ? WHELK_E_NOSPACE : wk_code((int)err), text);
}

static void hear_output(struct process *p, struct guest_reader *r)
{
    uint32_t stream = guest_u32(r);
    size_t n = r->n;
    if (r->bad || stream < 1 || stream > 2 || n > p->welcome[stream - 1]) {
        wk_guest_break(p->g, r->bad || stream < 1 || stream > 2 ? "output of an unknown stream"
                                                                 : "more output than was welcome");
        return;
    }
    if (p->welcome[stream - 1] == UINT64_MAX)
        return;
    p->welcome[stream - 1] -= n;
    if (n && p->events.output)
        p->events.output(p->ctx, (int)stream, guest_take(r, n), n);
}

static void hear_room(struct process *p, struct guest_reader *r)
{
    uint32_t n = guest_u32(r);
    if (r->bad) {
        wk_guest_break(p->g, "room for input that makes no sense");
        return;
    }
    if (p->room == UINT64_MAX || !n)
        return;
    if (n != UINT32_MAX && (n > GUEST_INPUT || p->room + n > GUEST_INPUT)) {
        wk_guest_break(p->g, "more room for input than there can be");
        return;
    }
    p->room = n == UINT32_MAX ? UINT64_MAX : p->room + n;
    if (p->flags & (WHELK_SPEC_INPUT | WHELK_SPEC_TTY) && p->events.room && p->state < CLOSED)
        p->events.room(p->ctx, n == UINT32_MAX ? SIZE_MAX : n);
}

static void hear_exit(struct process *p, struct guest_reader *r)
{
    uint32_t code = guest_u32(r), sig = guest_u32(r);
    uint64_t user = guest_u64(r), system = guest_u64(r), kib = guest_u64(r);
    uint32_t survivors = guest_u32(r), flags = guest_u32(r);
    uint64_t was_read = guest_u64(r);
    if (r->bad || code > 255 || sig > 64 || (sig && code) || was_read > p->written) {
        wk_guest_break(p->g, "an end of a process that makes no sense");
        return;
    }
    p->state = EXITED;
    whelk_exit e = {.size = sizeof e,
                    .code = sig ? -1 : (int)code,
                    .signal = (int)sig,
                    .user_ns = user > INT64_MAX / 1000 ? INT64_MAX : (int64_t)user * 1000,
                    .system_ns = system > INT64_MAX / 1000 ? INT64_MAX : (int64_t)system * 1000,
                    .memory_peak = kib > UINT64_MAX / 1024 ? UINT64_MAX : kib * 1024,
                    .survivors = survivors,
                    .input_left = p->flags & WHELK_SPEC_TTY ? 0 : p->written - was_read};
    e.out_of_memory = (flags & GUEST_NO_MEMORY) != 0;
    e.timed_out = (flags & GUEST_TIMED_OUT) != 0;
    if (p->events.exited)
        p->events.exited(p->ctx, &e);
}

static void hear_process(struct wk_link_listener *l, uint32_t type, struct guest_reader *r)
{
    struct process *p = (struct process *)l;
    bool started = p->state == RUNNING || p->state == EXITED;
    if (type == GUEST_STARTED && p->state == STARTING) {
        p->state = RUNNING;
        p->room = GUEST_INPUT;
        struct wk_guest_box *g = p->g;
        uint32_t id = l->id;
        if (p->events.started)
            p->events.started(p->ctx);
        /* It may have been forgotten meanwhile. */
        if (!g->link->error && wk_link_find(g->link, id) == l && p->flags & (WHELK_SPEC_INPUT | WHELK_SPEC_TTY) &&
            p->events.room)
            p->events.room(p->ctx, GUEST_INPUT);
    } else if (type == GUEST_FAILED && p->state == STARTING) {
        hear_failed(p, r);
    } else if (type == GUEST_OUTPUT && started) {
        hear_output(p, r);
    } else if (type == GUEST_INPUT_ROOM && p->state != STARTING) {
        hear_room(p, r);
    } else if (type == GUEST_EXIT && p->state == RUNNING) {
        hear_exit(p, r);
    } else if (type == GUEST_CLOSED && p->state == EXITED) {
        p->state = CLOSED;
        if (p->events.closed)
            p->events.closed(p->ctx);
    } else {
        wk_guest_break(p->g, "something about a process that was not its turn");
    }
}

static void lose_process(struct wk_link_listener *l)
{
    struct process *p = (struct process *)l;
    whelk_process_events e = p->events;
    struct wk_guest_box *g = p->g;
    void *ctx = p->ctx;
    bool closed = p->state == CLOSED; /* that was the last */
    free_process(p);
    if (!closed && e.lost)
        e.lost(ctx, wk_guest_why(g));
}

static struct process *process_of(const struct wk_guest_box *g, uint32_t id)
{
    struct wk_link_listener *l = g->link && id < WK_GUEST_IDS ? wk_link_find(g->link, id) : NULL;
    return l && l->frame == hear_process ? (struct process *)l : NULL;
}

/* ---- processes: what is asked for ------------------------------------------------------------------------ */

/* Words; in the place of `script` (NULL: none) one that reads it. */
static void put_words(struct wk_buf *b, const char *const *words, const char *script)
{
    uint32_t n = 0;
    while (words && words[n])
        n++;
    wk_link_put_u32(b, n);
    for (uint32_t i = 0; i < n; i++)
        wk_link_put_text(b, script && strcmp(words[i], script) == 0 ? WK_STR(". " GUEST_SCRIPT) : wk_str_c(words[i]));
}

static void put_spec(struct wk_buf *b, const struct wk_guest_box *g, const whelk_spec *s)
{
    const struct {
        int resource;
        uint64_t value;
    } limit[LIMITS] = {{RLIMIT_AS, s->memory_bytes},
                       {RLIMIT_FSIZE, s->file_bytes},
                       {RLIMIT_CPU, s->cpu_seconds},
                       {RLIMIT_NOFILE, s->descriptors},
                       {RLIMIT_NPROC, s->processes}};
    uint32_t flags = g->spawn_flags, n = 0;
    flags |= s->flags & WHELK_SPEC_INPUT ? GUEST_WITH_STDIN : 0u;
    flags |= s->flags & WHELK_SPEC_TTY ? GUEST_WITH_TTY : 0u;
    flags |= s->flags & WHELK_SPEC_MERGED ? GUEST_MERGED : 0u;
    flags |= s->flags & WHELK_SPEC_LOGGED ? GUEST_LOGGED : 0u;
    for (int i = 0; i < LIMITS; i++)
        n += limit[i].value != 0;
    wk_link_put_u32(b, flags);
    wk_link_put_u32(b, s->uid);
    wk_link_put_u32(b, s->gid);
    wk_link_put_u32(b, s->umask);
    wk_link_put_u64(b, s->log_bytes > UINT64_MAX / 2 ? UINT64_MAX : 2 * s->log_bytes); /* beginning and end */
    wk_link_put_u64(b, s->flags & WHELK_SPEC_LOGGED && s->timeout_ms > 0 ? (uint64_t)s->timeout_ms : 0);
    wk_link_put_u64(b, s->grace_ms > 0 ? (uint64_t)s->grace_ms : 0);
    wk_link_put_u32(b, s->rows);
    wk_link_put_u32(b, s->columns);
    wk_link_put_u32(b, n);
    for (int i = 0; i < LIMITS; i++)
        if (limit[i].value) {
            wk_link_put_u32(b, (uint32_t)limit[i].resource);
            wk_link_put_u64(b, limit[i].value);
        }
    wk_link_put_text(b, wk_str_c(s->cwd ? s->cwd : ""));
    bool long_script = s->script && strlen(s->script) >= ARGUMENT_MOST;
    put_words(b, s->argv, long_script ? s->script : NULL);
    put_words(b, s->env, NULL);
    wk_link_put_text(b, wk_str_c(long_script ? s->script : ""));
}

static char *about(struct wk_mem *m, const whelk_spec *s)
{
    const char *cwd = s->cwd ? s->cwd : "";
    size_t n = strlen(s->argv[0]) + 1, k = strlen(cwd) + 1;
    char *p = wk_alloc(m, n + k);
    if (p) {
        memcpy(p, s->argv[0], n);
        memcpy(p + n, cwd, k);
    }
    return p;
}

int wk_guest_box_start(void *box, uint32_t id, const whelk_spec *spec, const whelk_process_events *events, void *ctx)
{
    struct wk_guest_box *g = box;
    if (!g->link || g->link->error)
        return WHELK_E_CLOSED;
    if (!id || id >= WK_GUEST_IDS || wk_link_find(g->link, id) || !spec->argv || !spec->argv[0])
        return WHELK_E_INVALID;
    struct process *p = WK_NEW(g->mem, struct process);
    if (!p || !(p->about = about(g->mem, spec))) {
        wk_free(g->mem, p);
        return WHELK_E_NOMEM;
    }
    p->l = (struct wk_link_listener){.id = id, .frame = hear_process, .ended = lose_process};
    p->g = g;
    memcpy(&p->events, events, events->size && events->size < sizeof p->events ? events->size : sizeof p->events);
    p->ctx = ctx;
    p->flags = spec->flags;
    struct wk_buf b;
    wk_buf_init(&b, g->mem, GUEST_BODY_MAX);
    put_spec(&b, g, spec);
    int code = WHELK_E_NOMEM;
    bool over = b.over;
    if (!b.failed)
        code = wk_guest_send_code(wk_link_send(g->link, GUEST_SPAWN, id, b.p, b.n));
    wk_buf_release(&b);
    if (code)
        free_process(p);
    else
        wk_link_listen(g->link, &p->l);
    if (!over)
        return code;
    events->failed(ctx, WHELK_E_INVALID, "Argument list too long");
    return WHELK_OK;
}

/* Sends what is small whatever the queue holds. Without memory the connection cannot go on. */
static int send_small(struct wk_guest_box *g, uint32_t type, uint32_t id, const void *p, size_t n)
{
    int r = wk_link_send_now(g->link, type, id, p, n);
    if (r == -WK_ENOMEM) {
        wk_fmt_into(g->why, sizeof g->why, "no memory for the connection to the sandbox's helper");
        wk_link_fail(g->link, WK_ENOMEM);
    }
    return wk_guest_send_code(r);
}

void wk_guest_box_welcome(void *box, uint32_t id, int stream, size_t n)
{
    struct wk_guest_box *g = box;
    struct process *p = process_of(g, id);
    unsigned char body[8];
    if (!p || stream < 1 || stream > 2 || p->state == CLOSED)
        return;
    uint64_t *have = &p->welcome[stream - 1];
    guest_put_u32(body, (uint32_t)stream);
    if (*have == UINT64_MAX)
        return;
    if (n == SIZE_MAX) { /* nobody takes it any more */
        *have = UINT64_MAX;
        guest_put_u32(body + 4, UINT32_MAX);
        (void)send_small(g, GUEST_CREDIT, id, body, sizeof body);
        return;
    }
    if (*have + n > CREDIT_MOST || n > CREDIT_MOST)
        n = (size_t)(CREDIT_MOST - *have);
    if (!n)
        return;
    *have += n;
    guest_put_u32(body + 4, (uint32_t)n);
    (void)send_small(g, GUEST_CREDIT, id, body, sizeof body);
}

int wk_guest_box_write(void *box, uint32_t id, const void *bytes, size_t n)
{
    struct wk_guest_box *g = box;
    struct process *p = process_of(g, id);
    const char *at = bytes;
    if (!p)
        return WHELK_E_NOENT;
    if (!(p->flags & (WHELK_SPEC_INPUT | WHELK_SPEC_TTY)) || p->input_ended)
        return WHELK_E_INVALID;
    if (p->room == UINT64_MAX || p->state >= EXITED)
        return WHELK_E_CLOSED;
    if (n > p->room)
        return WHELK_E_INVALID;
    if (n == 0) {
        p->input_ended = true;
        return send_small(g, GUEST_STDIN_END, id, NULL, 0);
    }
    p->room -= n;
    p->written += n;
    for (int r = WHELK_OK; n; n -= n < GUEST_CHUNK ? n : GUEST_CHUNK, at += GUEST_CHUNK)
        if ((r = send_small(g, GUEST_STDIN, id, at, n < GUEST_CHUNK ? n : GUEST_CHUNK)) != WHELK_OK)
            return r;
    return WHELK_OK;
}

int wk_guest_box_resize(void *box, uint32_t id, uint16_t rows, uint16_t columns)
{
    struct wk_guest_box *g = box;
    struct process *p = process_of(g, id);
    unsigned char body[8];
    if (!p || p->state >= EXITED)
        return WHELK_E_NOENT;
    if (!(p->flags & WHELK_SPEC_TTY))
        return WHELK_E_INVALID;
    guest_put_u32(body, rows);
    guest_put_u32(body + 4, columns);
    return send_small(g, GUEST_RESIZE, id, body, sizeof body);
}

void wk_guest_box_forget(void *box, uint32_t id)
{
    struct wk_guest_box *g = box;
    struct process *p = process_of(g, id);
    unsigned char body[4];
    if (!p)
        return;
    wk_link_unlisten(g->link, &p->l);
    free_process(p);
    guest_put_u32(body, id);
    (void)send_small(g, GUEST_FORGET, wk_guest_request_id(g), body, sizeof body);
}

/* ---- requests ------------------------------------------------------------------------------------------- */

static void answer(struct request *q, int code)
{
    struct request one = *q;
    wk_free(q->g->mem, q);
    if (one.done)
        one.done(one.ctx, code);
    if (one.log)
        one.log(one.ctx, code, one.offset, 0, 1, "", 0);
}

static void lose_request(struct wk_link_listener *l)
{
    answer((struct request *)l, WHELK_E_CLOSED);
}

static void hear_log(struct request *q, struct guest_reader *r)
{
    uint64_t offset = guest_u64(r), lost = guest_u64(r);
    uint32_t ended = guest_u32(r);
    size_t n = r->n;
    if (r->bad || ended > 1 || n > q->most || offset > UINT64_MAX - n || lost > offset) {
        wk_guest_break(q->g, "a log that makes no sense");
        return;
    }
    struct request one = *q;
    wk_link_unlisten(q->g->link, &q->l);
    wk_free(q->g->mem, q);
    one.log(one.ctx, WHELK_OK, offset, lost, (int)ended, guest_take(r, n), n);
}

static void hear_request(struct wk_link_listener *l, uint32_t type, struct guest_reader *r)
{
    struct request *q = (struct request *)l;
    if (type == GUEST_LOG && q->log) {
        hear_log(q, r);
    } else if (type == GUEST_ERROR || (type == GUEST_OK && !q->log)) {
        int code = type == GUEST_OK ? WHELK_OK : wk_code(wk_guest_error_of(r));
        wk_link_unlisten(q->g->link, l);
        answer(q, code);
    } else {
        wk_guest_break(q->g, "an answer to something else");
    }
}

/* Sends a request that waits for one answer. */
static int ask(struct wk_guest_box *g, struct request q, uint32_t type, uint32_t id, const void *body, size_t n)
{
    struct request *mine = WK_NEW(g->mem, struct request);
    if (!mine)
        return WHELK_E_NOMEM;
    *mine = q;
    mine->g = g;
    mine->l = (struct wk_link_listener){.id = id, .frame = hear_request, .ended = lose_request};
    int code = wk_guest_send_code(wk_link_send_now(g->link, type, id, body, n));
    if (code)
        wk_free(g->mem, mine);
    else
        wk_link_listen(g->link, &mine->l);
    return code;
}

int wk_guest_box_signal(void *box, uint32_t id, int signal, int scope, void (*done)(void *ctx, int code), void *ctx)
{
    struct wk_guest_box *g = box;
    unsigned char body[12];
    if (!process_of(g, id))
        return g->link && !g->link->error ? WHELK_E_NOENT : WHELK_E_CLOSED;
    if (signal < 0 || signal > 64 || scope < WHELK_SCOPE_LEADER || scope > WHELK_SCOPE_TREE)
        return WHELK_E_INVALID;
    guest_put_u32(body, id);
    guest_put_u32(body + 4, (uint32_t)signal);
    guest_put_u32(body + 8, scope == WHELK_SCOPE_TREE ? GUEST_TREE : scope ? GUEST_GROUP : GUEST_LEADER);
    return ask(g, (struct request){.done = done, .ctx = ctx}, GUEST_SIGNAL, wk_guest_request_id(g), body, sizeof body);
}

int wk_guest_box_log(void *box, uint32_t id, int stream, uint64_t offset, size_t most, int wait, whelk_log_fn *fn,
                     void *ctx)
{
    struct wk_guest_box *g = box;
    struct process *p = process_of(g, id);
    unsigned char body[24];
    if (!p)
        return g->link && !g->link->error ? WHELK_E_NOENT : WHELK_E_CLOSED;
    if (!(p->flags & WHELK_SPEC_LOGGED) || stream < 1 || stream > 2)
        return WHELK_E_INVALID;
    most = most < GUEST_CHUNK ? most : GUEST_CHUNK;
    guest_put_u32(body, id);
    guest_put_u32(body + 4, (uint32_t)stream);
    guest_put_u64(body + 8, offset);
    guest_put_u32(body + 16, (uint32_t)most);
    guest_put_u32(body + 20, wait != 0);
    return ask(g, (struct request){.log = fn, .ctx = ctx, .offset = offset, .most = most}, GUEST_READ_LOG,
               wk_guest_request_id(g), body, sizeof body);
}

void wk_guest_box_stop_waiting(void *box, uint32_t id)
{
    struct wk_guest_box *g = box;
    if (g->link && !g->link->error && id < WK_GUEST_IDS && wk_link_find(g->link, id))
        (void)send_small(g, GUEST_STOP_WAITING, id, NULL, 0);
}

int wk_guest_box_wait_port(void *box, uint32_t id, uint16_t port, void (*done)(void *ctx, int code), void *ctx)
{
    struct wk_guest_box *g = box;
    unsigned char body[4];
    if (!g->link || g->link->error)
        return WHELK_E_CLOSED;
    if (!id || id >= WK_GUEST_IDS || wk_link_find(g->link, id) || !port)
        return WHELK_E_INVALID;
    guest_put_u32(body, port);
    return ask(g, (struct request){.done = done, .ctx = ctx}, GUEST_WAIT_PORT, id, body, sizeof body);
}

/* ---- the connection ---------------------------------------------------------------------------------------- */

struct greeting {
    struct wk_link_listener l; /* the first */
    struct wk_guest_box *g;
    int result;                /* 1: not yet */
};

static void hear_greeting(struct wk_link_listener *l, uint32_t type, struct guest_reader *r)
{
    struct greeting *h = (struct greeting *)l;
    struct wk_guest_box *g = h->g;
    if (h->result != 1)
        return;
    if (type != GUEST_READY) {
        int err = type == GUEST_ERROR ? wk_guest_error_of(r) : WK_EPROTO;
        size_t n = 0;
        const char *text = type == GUEST_ERROR ? guest_text(r, &n) : "";
        wk_fmt_into(g->why, sizeof g->why, "the sandbox's helper refused: %.*s: %s", (int)(n < 80 ? n : 80), text,
                 wk_err_text(err));
        h->result = -err;
        return;
    }
    uint32_t version = guest_u32(r);
    g->pid = guest_u32(r);
    g->can = guest_u32(r);
    size_t n;
    const char *machine = guest_text(r, &n);
    h->result = r->bad || version != GUEST_PROTOCOL ? -WK_EPROTO : 0;
    if (h->result)
        wk_fmt_into(g->why, sizeof g->why, "the sandbox's helper is of another version");
    n = n < sizeof g->machine - 1 ? n : sizeof g->machine - 1;
    memcpy(g->machine, machine, n);
    g->machine[n] = 0;
}

static void lose_greeting(struct wk_link_listener *l)
{
    struct greeting *h = (struct greeting *)l;
    h->result = h->result == 1 ? -WK_EPIPE : h->result;
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Waits a while for the link. */
static void wait_for(struct wk_link *link, int64_t deadline)
{
    int fd[2];
    short events[2];
    struct pollfd p[2];
    size_t n = wk_link_fds(link, fd, events);
    for (size_t i = 0; i < n; i++)
        p[i] = (struct pollfd){.fd = fd[i], .events = events[i]};
    int64_t left = (deadline - now_ns()) / 1000000 + 1;
    (void)poll(p, n, (int)(left < 0 ? 0 : left < WAIT_MS ? left : WAIT_MS));
}

static int greet(struct wk_guest_box *g, const char *workspace, uint32_t uid, uint32_t gid, bool subreaper)
{
    struct wk_buf b;
    wk_buf_init(&b, g->mem, GUEST_BODY_MAX);
    wk_link_put_u32(&b, GUEST_PROTOCOL);
    wk_link_put_u32(&b, g->hello_flags | (subreaper ? GUEST_SUBREAPER : 0));
    wk_link_put_u32(&b, uid);
    wk_link_put_u32(&b, gid);
    wk_link_put_text(&b, wk_str_c(workspace));
    wk_link_put_text(&b, wk_str_c(g->writable ? g->writable : ""));
    int r = b.failed ? -WK_ENOMEM : wk_link_send_now(g->link, GUEST_HELLO, 0, b.p, b.n);
    wk_buf_release(&b);
    return r;
}

int wk_guest_box_begin(struct wk_guest_box *g, struct wk_mem *m, struct wk_link *link, const char *workspace,
                       uint32_t uid, uint32_t gid, bool subreaper, const whelk_opening *with, int64_t deadline)
{
    g->mem = m;
    g->link = link;
    g->puts = NULL;
    g->puts_end = &g->puts;
    if (getrandom(&g->seed, sizeof g->seed, GRND_NONBLOCK) != (ssize_t)sizeof g->seed)
        g->seed = (uint64_t)now_ns();
    struct greeting h = {.l = {.id = 0, .frame = hear_greeting, .ended = lose_greeting}, .g = g, .result = 1};
    int r = greet(g, workspace, uid, gid, subreaper);
    if (r)
        return r;
    wk_link_listen(link, &h.l);
    while (h.result == 1 && wk_link_pump(link, 1) && h.result == 1) {
        if (now_ns() >= deadline)
            h.result = -WK_ETIMEDOUT;
        else if (with && with->interrupted && with->interrupted(with->ctx))
            h.result = -WK_EINTR;
        else
            wait_for(link, deadline);
    }
    if (!link->error)
        wk_link_unlisten(link, &h.l);
    if (h.result == -WK_EPIPE && link->says_n && !g->why[0])
        wk_fmt_into(g->why, sizeof g->why, "the sandbox's helper did not start: %.*s",
                 (int)(link->says_n < 120 ? link->says_n : 120), link->says);
    return h.result;
}

void wk_guest_box_end(struct wk_guest_box *g, const char *why)
{
    struct wk_link *link = g->link;
    if (!link)
        return;
    if (why && !g->why[0])
        wk_fmt_into(g->why, sizeof g->why, "%s", why);
    wk_link_free(link);
    g->link = NULL;
}

size_t wk_guest_box_poll(void *box, int *fds, short *events, size_t cap, int64_t *timeout_ms)
{
    struct wk_guest_box *g = box;
    int fd[2];
    short what[2];
    size_t n = g->link ? wk_link_fds(g->link, fd, what) : 0;
    *timeout_ms = -1;
    n = n < cap ? n : cap;
    for (size_t i = 0; i < n; i++) {
        fds[i] = fd[i];
        events[i] = what[i];
    }
    return n;
}

int wk_guest_box_pump(void *box)
{
    struct wk_guest_box *g = box;
    if (!g->link)
        return WHELK_E_CLOSED;
    bool open = wk_link_pump(g->link, PUMP_TURNS);
    for (int i = 0; i < PUMP_TURNS && open && wk_guest_files_pump(g); i++)
        open = wk_link_pump(g->link, 1);
    return open ? WHELK_OK : WHELK_E_CLOSED;
}
