/* sandbox.c - a sandbox's beginning and end, its errors, and waiting for its box */
#define _GNU_SOURCE
#include "adapters/sandbox/sandbox.h"

#include "adapters/sandbox/box_process.h"
#include "adapters/sandbox/code.h"
#include "adapters/sandbox/sandbox_call.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
    ERROR_MAX = 65536, /* bytes of an error's words */
    FDS = 64,          /* watched at once, with our own */
    LOOK_MS = 100      /* between two questions whether to give up */
};

static int64_t clock_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t wk_sandbox_now(void)
{
    return clock_of(CLOCK_MONOTONIC);
}

int64_t wk_sandbox_wall(void)
{
    return clock_of(CLOCK_REALTIME);
}

int64_t wk_sandbox_deadline(int64_t ms)
{
    int64_t now = wk_sandbox_now();
    if (ms < 0 || ms > (INT64_MAX - now) / 1000000)
        return INT64_MAX;
    return now + ms * 1000000;
}

/* ---- errors --------------------------------------------------------------------------------------- */

/* The words, with secrets hidden. */
static void set_error(struct whelk_sandbox *b, struct wk_str words)
{
    wk_buf_reset(&b->error);
    wk_redact_text(b, words, ERROR_MAX, &b->error);
}

int wk_sandbox_fail(struct whelk_sandbox *b, int code, const char *format, ...)
{
    struct wk_buf words;
    va_list args;
    wk_buf_init(&words, b->mem, 1 << 20);
    va_start(args, format);
    wk_buf_vfmt(&words, format, args);
    va_end(args);
    set_error(b, words.failed ? wk_str_c(whelk_strerror(code)) : wk_buf_str(&words));
    wk_buf_release(&words);
    return code;
}

const char *whelk_sandbox_error(const whelk_sandbox *b)
{
    if (!b || b->error.failed)
        return whelk_strerror(WHELK_E_NOMEM);
    return wk_buf_c(&b->error);
}

uint32_t wk_sandbox_id(struct whelk_sandbox *b)
{
    if (++b->next_id == 1 << 30) /* kinds may have numbers of their own above; the first ones are long gone */
        b->next_id = 1;
    return b->next_id;
}

/* ---- calls ---------------------------------------------------------------------------------------- */

static void drain(int fd)
{
    uint64_t n;
    (void)!read(fd, &n, sizeof n);
}

int wk_sandbox_begin(struct whelk_sandbox *b)
{
    if (!b)
        return WHELK_E_INVALID;
    if (b->in_callback)
        return WHELK_E_BUSY;
    wk_buf_reset(&b->error);
    (void)wk_mem_used(b->mem); /* results that were freed meanwhile, perhaps by others, count no more */
    if (!b->box)
        return wk_sandbox_fail(b, WHELK_E_CLOSED, "the sandbox is not open");
    if (atomic_exchange(&b->cancelled, false))
        drain(b->wake_fd);
    if (b->lost)
        return wk_sandbox_fail(b, WHELK_E_CLOSED, "the sandbox is gone");
    return WHELK_OK;
}

void whelk_sandbox_cancel(whelk_sandbox *b)
{
    static const uint64_t one = 1;
    if (!b)
        return;
    int saved = errno; /* also from a signal handler */
    atomic_store(&b->cancelled, true);
    (void)!write(b->wake_fd, &one, sizeof one);
    errno = saved;
}

static bool is_cancelled(const struct whelk_sandbox *b)
{
    if (atomic_load(&b->cancelled))
        return true;
    return b->interrupted && !b->winding_up && b->interrupted(b->interrupted_ctx);
}

static int pump(struct whelk_sandbox *b)
{
    if (!b->lost && b->kind->pump(b->box) != WHELK_OK)
        b->lost = true;
    return b->lost ? WHELK_E_CLOSED : WHELK_OK;
}

/* Sleeps until something can be moved, for so many ms at most (-1: for ever). */
static void sleep_for(struct whelk_sandbox *b, int64_t until)
{
    int fds[FDS];
    short events[FDS];
    struct pollfd watched[FDS];
    int64_t ms = -1;
    size_t n = b->kind->poll(b->box, fds, events, FDS - 2, &ms);
    if (n > FDS - 2)
        n = FDS - 2;
    for (size_t i = 0; i < n; i++)
        watched[i] = (struct pollfd){.fd = fds[i], .events = events[i]};
    watched[n++] = (struct pollfd){.fd = b->wake_fd, .events = POLLIN};
    for (const struct wk_box_process *p = b->processes; p; p = p->next)
        if (p->input_waits) { /* of the one in the foreground */
            watched[n++] = (struct pollfd){.fd = p->input_fd, .events = POLLIN};
            break;
        }
    if (until != INT64_MAX) {
        int64_t left = until - wk_sandbox_now();
        left = left <= 0 ? 0 : (left - 1) / 1000000 + 1;
        if (ms < 0 || left < ms)
            ms = left;
    }
    if (b->interrupted && (ms < 0 || ms > LOOK_MS))
        ms = LOOK_MS;
    if (ms > INT32_MAX)
        ms = INT32_MAX;
    (void)poll(watched, n, (int)ms); /* interrupted or not, the caller looks again */
}

int wk_sandbox_wait_once(struct whelk_sandbox *b, bool (*ready)(void *ctx), void *ctx, int64_t deadline)
{
    if (is_cancelled(b))
        return WHELK_E_BUSY;
    if (b->lost)
        return WHELK_E_CLOSED;
    int code = pump(b);
    if (ready && ready(ctx))
        return WHELK_OK;
    if (code)
        return code;
    int64_t until = wk_sandbox_tick(b); /* what came may have made room for input */
    if (wk_sandbox_now() >= deadline)
        return WHELK_E_AGAIN;
    sleep_for(b, until < deadline ? until : deadline);
    if (is_cancelled(b))
        return WHELK_E_BUSY;
    code = pump(b);
    return ready && ready(ctx) ? WHELK_OK : code;
}

int wk_sandbox_wait_until(struct whelk_sandbox *b, bool (*ready)(void *ctx), void *ctx, int64_t deadline)
{
    int code = WHELK_OK;
    while (!code && !ready(ctx))
        code = wk_sandbox_wait_once(b, ready, ctx, deadline);
    return code;
}

int wk_sandbox_wait_failed(struct whelk_sandbox *b, int code)
{
    switch (code) {
    case WHELK_E_BUSY:
        return wk_sandbox_fail(b, WHELK_E_CLOSED, "cancelled");
    case WHELK_E_CLOSED:
        return wk_sandbox_fail(b, WHELK_E_CLOSED, "the sandbox is gone");
    case WHELK_E_AGAIN:
        return wk_sandbox_fail(b, WHELK_E_AGAIN, "the time is over");
    default:
        return wk_sandbox_fail(b, code, "%s", whelk_strerror(code));
    }
}

/* ---- opening -------------------------------------------------------------------------------------- */

static void opening_error(void *ctx, const char *text)
{
    set_error(ctx, wk_str_c(text));
}

static void opening_notice(void *ctx, int notice, const char *text)
{
    struct whelk_sandbox *b = ctx;
    struct wk_buf words;
    if (!b->options.notice)
        return;
    wk_buf_init(&words, b->mem, ERROR_MAX);
    wk_redact_text(b, wk_str_c(text), ERROR_MAX, &words);
    bool inside = b->in_callback;
    b->in_callback = true;
    b->options.notice(b->options.ctx, notice, wk_buf_c(&words));
    b->in_callback = inside;
    wk_buf_release(&words);
}

static int opening_interrupted(void *ctx)
{
    return is_cancelled(ctx);
}

/* A copy of the kind's table; UNSUPPORTED and words when it lacks what every kind has. */
static int take_kind(struct whelk_sandbox *b, const whelk_sandbox_kind *kind)
{
    int code = wk_struct_take(&b->kind_table, sizeof b->kind_table, kind);
    const whelk_sandbox_kind *k = &b->kind_table;
    if (code)
        return wk_sandbox_fail(b, code, "the kind's table is of another version");
    if (!k->name || !k->open || !k->close || !k->poll || !k->pump || !k->start || !k->welcome || !k->write ||
        !k->signal || !k->resize || !k->log || !k->stop_waiting || !k->forget || !k->wait_port || !k->file) {
        b->kind = NULL;
        return wk_sandbox_fail(b, WHELK_E_INVALID, "the kind's table has gaps");
    }
    b->kind = k;
    return WHELK_OK;
}

/* A box without memory knows not even its error. */
static struct whelk_sandbox *new_sandbox(void)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct whelk_sandbox *b = m ? WK_NEW(m, struct whelk_sandbox) : NULL;
    if (!b) {
        wk_mem_unref(m);
        return NULL;
    }
    b->mem = m;
    wk_buf_init(&b->error, m, 4 * ERROR_MAX);
    atomic_init(&b->cancelled, false);
    b->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return b;
}

static int take_options(struct whelk_sandbox *b, const whelk_sandbox_options *options)
{
    whelk_sandbox_options *o = NULL;
    int code = wk_sandbox_options_copy(b->mem, options, &o);
    if (code == WHELK_E_UNSUPPORTED)
        return wk_sandbox_fail(b, code, "an option that this version does not have");
    if (code)
        return wk_sandbox_fail(b, code, "options: %s", whelk_strerror(code));
    b->options_block = o;
    b->options = *o;
    struct wk_buf why;
    wk_buf_init(&why, b->mem, ERROR_MAX);
    code = wk_sandbox_options_check(o, &why);
    if (!code && wk_secrets_new(b->mem, o->secrets, o->n_secrets, &b->secrets))
        code = wk_sandbox_fail(b, WHELK_E_NOMEM, "%s", whelk_strerror(WHELK_E_NOMEM));
    else if (code)
        set_error(b, wk_buf_str(&why));
    wk_buf_release(&why);
    return code;
}

static void close_box(struct whelk_sandbox *b)
{
    static const int keep[] = {WHELK_DEFAULT, WHELK_NO, WHELK_YES}; /* of WHELK_DEFAULT, _YES, _NO */
    if (!b->box)
        return;
    b->kind->close(b->box, keep[b->options.delete_on_cleanup]);
    b->box = NULL;
    wk_sandbox_drop_processes(b);
    wk_sandbox_drop_calls(b);
}

/* What the kind says of its box. */
static int take_facts(struct whelk_sandbox *b, const whelk_box_facts *facts)
{
    const whelk_sandbox_options *o = &b->options;
    const char *bad;
    int code = wk_struct_take(&b->facts, sizeof b->facts, facts);
    if (code || !b->facts.workspace || b->facts.workspace[0] != '/')
        return wk_sandbox_fail(b, WHELK_E_INVALID, "%s: the kind does not say what its workspace is", b->kind->name);
    if (!wk_sandbox_env_ok(b->facts.env, b->facts.n_env, &bad))
        return wk_sandbox_fail(b, WHELK_E_INVALID, "%s: the kind's \"%s\" is no NAME=VALUE", b->kind->name, bad);
    if (o->background == WHELK_NO)
        b->facts.capabilities &= ~(uint64_t)WHELK_BOX_BACKGROUND;
    if (o->background == WHELK_YES && !(b->facts.capabilities & WHELK_BOX_BACKGROUND))
        return wk_sandbox_fail(b, WHELK_E_UNSUPPORTED, "%s: background: it has no background processes", b->kind->name);
    if (o->network && !strcmp(o->network, "none") && !(b->facts.capabilities & WHELK_BOX_NETWORK_NONE))
        return wk_sandbox_fail(b, WHELK_E_UNSUPPORTED, "%s: network \"none\": it cannot enforce it", b->kind->name);
    if (o->network && !strcmp(o->network, "all") && !(b->facts.capabilities & WHELK_BOX_NETWORK_ALL))
        return wk_sandbox_fail(b, WHELK_E_UNSUPPORTED, "%s: network \"all\": it has none", b->kind->name);
    if (o->n_ports && !(b->facts.capabilities & WHELK_BOX_PORTS))
        return wk_sandbox_fail(b, WHELK_E_UNSUPPORTED, "%s: ports: it exposes none", b->kind->name);
    return WHELK_OK;
}

static int open_box(struct whelk_sandbox *b)
{
    const whelk_opening with = {sizeof with, b, opening_error, opening_notice, opening_interrupted};
    whelk_box_facts facts = {.size = sizeof facts};
    void *box = NULL;
    int code = b->kind->open(b->kind->ctx, &b->options, &with, &box, &facts);
    if (code || !box) {
        code = code < 0 ? code : WHELK_E_BUG;
        if (!b->error.n)
            wk_sandbox_fail(b, code, "%s: %s", b->kind->name, whelk_strerror(code));
        return code;
    }
    b->box = box;
    wk_buf_reset(&b->error);
    return take_facts(b, &facts);
}

static int ask_on_create(struct whelk_sandbox *b)
{
    if (b->options.on_create) {
        int code = b->options.on_create(b->options.ctx, b);
        if (code != WHELK_OK) {
            struct wk_buf why;
            wk_buf_init(&why, b->mem, 2 * ERROR_MAX);
            wk_buf_puts(&why, wk_buf_str(&b->error));
            wk_sandbox_fail(b, code, "on_create refused the sandbox%s%s", why.n ? ": " : "", wk_buf_c(&why));
            wk_buf_release(&why);
            return WHELK_E_STATE;
        }
        wk_buf_reset(&b->error);
    }
    b->created = true;
    return WHELK_OK;
}

int wk_sandbox_open_kind(const whelk_sandbox_kind *kind, const whelk_sandbox_options *options,
                         int (*interrupted)(void *ctx), void *ctx, whelk_sandbox **out)
{
    if (!out)
        return WHELK_E_INVALID;
    __atomic_store_n(out, (whelk_sandbox *)NULL, __ATOMIC_RELAXED);
    if (!kind)
        return WHELK_E_INVALID;
    struct whelk_sandbox *b = new_sandbox();
    if (!b)
        return WHELK_E_NOMEM;
    b->interrupted = interrupted;
    b->interrupted_ctx = ctx;
    __atomic_store_n(out, b, __ATOMIC_RELEASE); /* from now on it may be cancelled */
    int code = WHELK_OK;
    if (b->wake_fd < 0)
        code = wk_sandbox_fail(b, WHELK_E_SYSTEM, "the host has no descriptor left");
    if (!code)
        code = take_kind(b, kind);
    if (!code)
        code = take_options(b, options);
    if (!code)
        code = open_box(b);
    if (!code)
        code = ask_on_create(b);
    if (code)
        close_box(b);
    b->interrupted = NULL;
    return code;
}

int whelk_sandbox_open_kind(const whelk_sandbox_kind *kind, const whelk_sandbox_options *options, whelk_sandbox **out)
{
    return wk_sandbox_open_kind(kind, options, NULL, NULL, out);
}

void whelk_sandbox_close(whelk_sandbox *b)
{
    if (!b)
        return;
    if (b->box && b->created && b->options.on_destroy)
        b->options.on_destroy(b->options.ctx, b);
    close_box(b);
    if (b->wake_fd >= 0)
        close(b->wake_fd);
    wk_secrets_free(b->mem, b->secrets);
    wk_free(b->mem, b->options_block);
    wk_buf_release(&b->error);
    struct wk_mem *m = b->mem;
    wk_free(m, b);
    wk_mem_unref(m);
}

/* ---- what it is ----------------------------------------------------------------------------------- */

const char *whelk_sandbox_kind_name(const whelk_sandbox *b)
{
    return b && b->kind ? b->kind->name : "";
}

uint64_t whelk_sandbox_capabilities(const whelk_sandbox *b)
{
    return b && b->box ? b->facts.capabilities : 0;
}

const char *whelk_sandbox_workspace(const whelk_sandbox *b)
{
    return b && b->box ? b->facts.workspace : "";
}

const char *whelk_sandbox_description(const whelk_sandbox *b)
{
    return b && b->box && b->facts.description ? b->facts.description : "";
}

uint16_t whelk_sandbox_port(const whelk_sandbox *b, uint16_t inside)
{
    return b && b->box && !b->lost && b->kind->port ? b->kind->port(b->box, inside) : 0;
}

whelk_session *whelk_sandbox_session(whelk_sandbox *b)
{
    return b && b->box && b->kind->session ? b->kind->session(b->box) : NULL;
}

/* ---- snapshots ------------------------------------------------------------------------------------ */

static int begin_snapshot(struct whelk_sandbox *b, bool there)
{
    int code = wk_sandbox_begin(b);
    if (code)
        return code;
    if (!there || !(b->facts.capabilities & WHELK_BOX_SNAPSHOT))
        return wk_sandbox_fail(b, WHELK_E_UNSUPPORTED, "%s: it has no snapshots", b->kind->name);
    return WHELK_OK;
}

int whelk_sandbox_snapshot(whelk_sandbox *b, whelk_snapshot **out)
{
    if (!b || !out)
        return WHELK_E_INVALID;
    *out = NULL;
    int code = begin_snapshot(b, b->kind && b->kind->snapshot);
    if (!code && (code = b->kind->snapshot(b->box, out)) != WHELK_OK)
        wk_sandbox_fail(b, code, "snapshot: %s", whelk_strerror(code));
    return code;
}

int whelk_sandbox_restore(whelk_sandbox *b, const whelk_snapshot *snapshot)
{
    if (!b || !snapshot)
        return WHELK_E_INVALID;
    int code = begin_snapshot(b, b->kind && b->kind->restore);
    if (!code && (code = b->kind->restore(b->box, snapshot)) != WHELK_OK)
        wk_sandbox_fail(b, code, "restore: %s", whelk_strerror(code));
    return code;
}
