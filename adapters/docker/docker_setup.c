/* docker_setup.c - the kind "docker": waiting, and the set-up script */
#define _GNU_SOURCE
#include "adapters/docker/docker.h"

#include <poll.h>
#include <time.h>

enum {
    SETUP_MS = 600000,
    SLICE_MS = 100,
    TAIL = 4096,       /* bytes of its output that are told when it fails */
    LINE_BYTES = 1024, /* of a line of progress */
    WINDOW = 1 << 20,
    FDS = 8
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t wk_docker_deadline(int64_t ms)
{
    return ms < 0 ? INT64_MAX : now_ns() + ms * 1000000;
}

int wk_docker_until(struct wk_docker_box *b, const bool *done, int64_t deadline)
{
    const whelk_opening *with = b->engine.with;
    for (;;) {
        if (wk_guest_box_pump(&b->guest) != WHELK_OK)
            return *done ? WHELK_OK : WHELK_E_IO;
        if (*done)
            return WHELK_OK;
        int64_t left = deadline - now_ns(), due = -1;
        if (left <= 0)
            return WHELK_E_AGAIN;
        if (with && with->interrupted && with->interrupted(with->ctx))
            return WHELK_E_CLOSED;
        int fds[FDS];
        short events[FDS];
        struct pollfd p[FDS];
        size_t n = wk_guest_box_poll(&b->guest, fds, events, FDS, &due);
        for (size_t i = 0; i < n; i++)
            p[i] = (struct pollfd){.fd = fds[i], .events = events[i]};
        int64_t ms = left / 1000000 + 1;
        ms = ms < SLICE_MS ? ms : SLICE_MS;
        ms = due >= 0 && due < ms ? due : ms;
        (void)poll(p, (nfds_t)n, (int)ms);
    }
}

/* ---- the script ----------------------------------------------------------------------------------------- */

struct setup {
    struct wk_docker_box *b;
    const whelk_opening *with;
    uint32_t id;
    char tail[TAIL];
    size_t tail_n;
    char line[LINE_BYTES + 1];
    size_t line_n;
    whelk_exit exit;
    char failure[256];
    bool failed, lost, done;
};

static void tell_line(struct setup *s)
{
    s->line[s->line_n] = '\0';
    if (s->line_n && s->with && s->with->notice)
        s->with->notice(s->with->ctx, WHELK_NOTICE_PROGRESS, s->line);
    s->line_n = 0;
}

static void take_tail(struct setup *s, const char *p, size_t n)
{
    if (n > TAIL) {
        p += n - TAIL;
        n = TAIL;
    }
    if (s->tail_n + n > TAIL) {
        size_t drop = s->tail_n + n - TAIL;
        memmove(s->tail, s->tail + drop, s->tail_n - drop);
        s->tail_n -= drop;
    }
    memcpy(s->tail + s->tail_n, p, n);
    s->tail_n += n;
}

static void on_output(void *ctx, int stream, const void *bytes, size_t n)
{
    struct setup *s = ctx;
    const char *p = bytes;
    take_tail(s, p, n);
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '\n' || p[i] == '\r' || s->line_n == LINE_BYTES)
            tell_line(s);
        if (p[i] != '\n' && p[i] != '\r' && p[i] != '\0')
            s->line[s->line_n++] = p[i];
    }
    wk_guest_box_welcome(&s->b->guest, s->id, stream, n);
}

static void on_failed(void *ctx, int code, const char *text)
{
    struct setup *s = ctx;
    (void)code;
    s->failed = s->done = true;
    size_t n = strlen(text) < sizeof s->failure - 1 ? strlen(text) : sizeof s->failure - 1;
    memcpy(s->failure, text, n);
}

static void on_exited(void *ctx, const whelk_exit *e)
{
    struct setup *s = ctx;
    s->exit = *e;
}

static void on_closed(void *ctx)
{
    struct setup *s = ctx;
    tell_line(s);
    s->done = true;
}

static void on_lost(void *ctx, const char *text)
{
    struct setup *s = ctx;
    on_failed(s, 0, text);
    s->lost = true;
}

static const whelk_process_events events = {
    .size = sizeof events,
    .failed = on_failed,
    .output = on_output,
    .exited = on_exited,
    .closed = on_closed,
    .lost = on_lost,
};

/* The environment of the script: as root, with what the image and the options say. NULL without memory. */
static const char **environment(const struct wk_docker_plan *p, struct wk_docker_box *b, struct wk_buf *path)
{
    static const char *const usual[] = {"HOME=/root", "DEBIAN_FRONTEND=noninteractive", "LANG=C.UTF-8", "TERM=dumb"};
    size_t n = 0, most = sizeof usual / sizeof *usual + 2 + b->n_env + p->o->n_env;
    const char **list = wk_calloc(b->mem, most, sizeof *list);
    wk_buf_fmt(path, "PATH=%s", wk_buf_c(&b->path));
    if (!list || path->failed) {
        wk_free(b->mem, list);
        return NULL;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        list[n++] = usual[i];
    list[n++] = wk_buf_c(path);
    for (size_t i = 0; i < b->n_env; i++)
        list[n++] = b->env_list[i];
    for (size_t i = 0; i < p->o->n_env; i++)
        list[n++] = p->o->env[i];
    return list;
}

static int report(struct setup *s, int waited)
{
    struct wk_engine *e = &s->b->engine;
    struct wk_str tail = wk_str_trim(wk_str(s->tail, s->tail_n));
    const char *between = tail.n ? ". Its last output:\n" : " without output";
    if (waited == WHELK_E_CLOSED)
        return wk_engine_fail(e, WHELK_E_CLOSED, "cancelled");
    if (waited == WHELK_E_AGAIN)
        return wk_engine_fail(e, WHELK_E_STATE, "setup_script: did not end in time%s%.*s", between, (int)tail.n,
                              tail.p);
    if (s->failed || waited)
        return wk_engine_fail(e, s->lost || waited ? WHELK_E_IO : WHELK_E_STATE, "setup_script: sh did not start: %s",
                              s->failure);
    if (s->exit.out_of_memory)
        return wk_engine_fail(e, WHELK_E_STATE, "setup_script: ran out of memory%s%.*s", between, (int)tail.n,
                              tail.p);
    if (s->exit.signal)
        return wk_engine_fail(e, WHELK_E_STATE, "setup_script: was ended by signal %d%s%.*s", s->exit.signal, between,
                              (int)tail.n, tail.p);
    if (s->exit.code != 0)
        return wk_engine_fail(e, WHELK_E_STATE, "setup_script: failed with exit code %d%s%.*s", s->exit.code, between,
                              (int)tail.n, tail.p);
    return WHELK_OK;
}

int wk_docker_setup(const struct wk_docker_plan *p, struct wk_docker_box *b)
{
    const char *argv[] = {"sh", "-c", p->o->setup_script, NULL};
    struct setup *s;
    struct wk_buf path;
    if (!p->o->setup_script)
        return WHELK_OK;
    wk_buf_init(&path, b->mem, 65536);
    s = WK_NEW(b->mem, struct setup);
    const char **env = environment(p, b, &path);
    int code = s && env ? WHELK_OK : wk_engine_fail(&b->engine, WHELK_E_NOMEM, "no memory");
    if (!code) {
        *s = (struct setup){.b = b, .with = b->engine.with, .id = 1};
        whelk_spec spec = {
            .size = sizeof spec, .argv = argv, .env = env, .cwd = p->inside, .uid = 0, .gid = 0, .umask = 022};
        int64_t ms = p->o->setup_timeout_ms;
        code = wk_guest_box_start(&b->guest, s->id, &spec, &events, s);
        if (!code) {
            wk_guest_box_welcome(&b->guest, s->id, 1, WINDOW);
            wk_guest_box_welcome(&b->guest, s->id, 2, WINDOW);
            code = report(s, wk_docker_until(b, &s->done, wk_docker_deadline(ms ? ms : SETUP_MS)));
            wk_guest_box_forget(&b->guest, s->id);
        } else {
            code = wk_engine_fail(&b->engine, code, "setup_script: could not be started");
        }
    }
    wk_free(b->mem, (void *)env);
    wk_free(b->mem, s);
    wk_buf_release(&path);
    return code;
}
