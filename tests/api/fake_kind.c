/* fake_kind.c - a kind of sandbox whose processes are played */
#include "fake_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 4096, COUNT_MAX = 64 };

struct process {
    struct process *next;
    uint32_t id;
    whelk_process_events events;
    void *ctx;
    char **argv, **env, *cwd;
    uint32_t umask;
    size_t at;             /* the argument that is played */
    bool started, ended, closed, has_input, input_ends, merged;
    size_t welcome[2];
    bool shut[2];
    unsigned char input[ROOM * 4];
    size_t input_n;
    size_t done;           /* bytes of the present act */
    size_t late;           /* bytes of output that are told after its end */
    int signal;            /* that came */
};

struct box {
    struct fake *f;
    struct process *processes;
    int fd; /* something is to be pumped */
    bool lost;
};

static void ring(struct box *b)
{
    static const uint64_t one = 1;
    (void)!write(b->fd, &one, sizeof one);
}

static char **copy_words(const char *const *v)
{
    size_t n = 0;
    while (v[n])
        n++;
    char **c = calloc(n + 1, sizeof *c);
    for (size_t i = 0; i < n; i++)
        c[i] = strdup(v[i]);
    return c;
}

static void free_words(char **v)
{
    for (size_t i = 0; v[i]; i++)
        free(v[i]);
    free(v);
}

static void free_process(struct process *p)
{
    free_words(p->argv);
    free_words(p->env);
    free(p->cwd);
    free(p);
}

static struct process *find(struct box *b, uint32_t id)
{
    struct process *p = b->processes;
    while (p && p->id != id)
        p = p->next;
    return p;
}

static int fake_open(void *ctx, const whelk_sandbox_options *o, const whelk_opening *with, void **box,
                     whelk_box_facts *facts)
{
    struct fake *f = ctx;
    (void)o;
    while (f->slow_open && !with->interrupted(with->ctx))
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    if (f->slow_open || f->open_code) {
        with->error(with->ctx, f->slow_open ? "given up" : "no engine");
        return f->slow_open ? WHELK_E_CLOSED : f->open_code;
    }
    struct box *b = calloc(1, sizeof *b);
    b->f = f;
    b->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    f->opened++;
    *box = b;
    facts->capabilities = WHELK_BOX_EXEC | WHELK_BOX_STDIN | WHELK_BOX_SIGNAL;
    facts->workspace = "/box";
    facts->shell = "sh";
    facts->description = "played";
    return WHELK_OK;
}

static void fake_close(void *box, int keep)
{
    struct box *b = box;
    (void)keep;
    while (b->processes) {
        struct process *p = b->processes;
        b->processes = p->next;
        b->f->alive -= !p->ended;
        if (!p->closed && p->events.lost)
            p->events.lost(p->ctx, "closed");
        free_process(p);
    }
    b->f->closed++;
    close(b->fd);
    free(b);
}

static size_t fake_poll(void *box, int *fds, short *events, size_t cap, int64_t *timeout_ms)
{
    struct box *b = box;
    *timeout_ms = -1;
    if (!cap)
        return 0;
    fds[0] = b->fd;
    events[0] = 1; /* POLLIN */
    return 1;
}

static void end(struct box *b, struct process *p, int code, int sig)
{
    p->ended = true;
    b->f->alive--;
    b->f->killed += sig == 9;
    whelk_exit e = {.size = sizeof e,
                    .code = sig ? -1 : code,
                    .signal = sig,
                    .survivors = b->f->survivors,
                    .input_left = p->input_n};
    p->events.exited(p->ctx, &e);
}

/* Writes a text as far as it is welcome; true when all of it was. */
static bool put(struct process *p, int stream, const char *text, size_t n)
{
    size_t take = n - p->done;
    stream = p->merged ? 1 : stream;
    if (p->shut[stream - 1])
        return true;
    if (take > p->welcome[stream - 1])
        take = p->welcome[stream - 1];
    if (take) {
        p->welcome[stream - 1] -= take;
        p->events.output(p->ctx, stream, text + p->done, take);
        p->done += take;
    }
    return p->done == n;
}

static void consume(struct process *p, size_t n)
{
    memmove(p->input, p->input + n, p->input_n - n);
    p->input_n -= n;
    if (n)
        p->events.room(p->ctx, n);
}

static bool put_line(struct process *p, const char *text)
{
    char line[4096];
    int n = snprintf(line, sizeof line, "%s\n", text);
    return put(p, 1, line, (size_t)n);
}

static bool play_fill(struct process *p, const char *arg)
{
    static const char block[65536];
    size_t total = strtoul(arg, NULL, 10);
    while (p->done < total && p->welcome[0] && !p->shut[0]) {
        size_t n = total - p->done < sizeof block ? total - p->done : sizeof block;
        n = n < p->welcome[0] ? n : p->welcome[0];
        p->welcome[0] -= n;
        p->done += n;
        p->events.output(p->ctx, 1, block, n);
    }
    return p->done >= total || p->shut[0];
}

static bool play_read(struct process *p, const char *arg)
{
    size_t total = strtoul(arg, NULL, 10), n = total - p->done < p->input_n ? total - p->done : p->input_n;
    p->done += n;
    consume(p, n);
    return p->done >= total || p->input_ends;
}

static bool play_copy(struct process *p)
{
    size_t n = p->input_n < p->welcome[0] ? p->input_n : p->welcome[0];
    if (n) {
        p->welcome[0] -= n;
        p->events.output(p->ctx, 1, p->input, n);
        consume(p, n);
    }
    return (p->input_ends && !p->input_n) || !p->has_input || p->shut[0];
}

static bool play_count(struct process *p)
{
    char line[COUNT_MAX];
    p->done += p->input_n;
    consume(p, p->input_n);
    if (!p->input_ends && p->has_input)
        return false;
    size_t total = p->done;
    int n = snprintf(line, sizeof line, "%zu\n", total);
    p->done = 0;
    if (p->welcome[0] < (size_t)n) {
        p->done = total;
        return false;
    }
    return put(p, 1, line, (size_t)n);
}

static const char *variable(struct process *p, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; p->env[i]; i++)
        if (strncmp(p->env[i], name, n) == 0 && p->env[i][n] == '=')
            return p->env[i] + n + 1;
    return "(none)";
}

static bool play_args(struct process *p)
{
    char line[2048] = "";
    for (size_t i = 0; p->argv[i]; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "[%s]", p->argv[i]);
    return put_line(p, line);
}

static bool play_umask(struct process *p)
{
    char line[16];
    snprintf(line, sizeof line, "%04o", p->umask);
    return put_line(p, line);
}

/* Plays the present act; true when it is over. *words: how many arguments it has. */
static bool play_act(struct process *p, size_t *words)
{
    const char *act = p->argv[p->at], *arg = p->argv[p->at + 1] ? p->argv[p->at + 1] : "";
    *words = 2;
    if (!strcmp(act, "say"))
        return put_line(p, arg);
    if (!strcmp(act, "err"))
        return put(p, 2, arg, strlen(arg));
    if (!strcmp(act, "fill"))
        return play_fill(p, arg);
    if (!strcmp(act, "read"))
        return play_read(p, arg);
    if (!strcmp(act, "env"))
        return put_line(p, variable(p, arg));
    if (!strcmp(act, "late")) {
        p->late = strtoul(arg, NULL, 10);
        return true;
    }
    *words = 1;
    if (!strcmp(act, "copy"))
        return play_copy(p);
    if (!strcmp(act, "count"))
        return play_count(p);
    if (!strcmp(act, "args"))
        return play_args(p);
    if (!strcmp(act, "cwd"))
        return put_line(p, p->cwd);
    if (!strcmp(act, "umask"))
        return play_umask(p);
    return strcmp(act, "hold") != 0; /* words that mean nothing are passed over */
}

static void play(struct box *b, struct process *p)
{
    size_t words;
    while (!p->ended && p->argv[p->at]) {
        const char *arg = p->argv[p->at + 1];
        if (!strcmp(p->argv[p->at], "code") || !strcmp(p->argv[p->at], "die")) {
            bool dies = p->argv[p->at][0] == 'd';
            end(b, p, dies || !arg ? 0 : atoi(arg), dies && arg ? atoi(arg) : 0);
        } else if (play_act(p, &words)) {
            p->done = 0;
            p->at += p->argv[p->at + 1] ? words : 1;
        } else {
            break;
        }
    }
    if (!p->ended && p->signal && (p->signal == 9 || !b->f->ignores_signals))
        end(b, p, 0, p->signal);
    if (!p->ended && !p->argv[p->at])
        end(b, p, 0, 0);
}

/* Output of a process that has ended. */
static void play_late(struct box *b, struct process *p)
{
    static const char bytes[4096];
    size_t n = p->late < sizeof bytes ? p->late : sizeof bytes;
    n = n < p->welcome[0] ? n : p->welcome[0];
    p->late -= p->shut[0] ? p->late : n;
    p->welcome[0] -= n;
    if (!n)
        return;
    p->events.output(p->ctx, 1, bytes, n);
    ring(b);
}

static int fake_pump(void *box)
{
    struct box *b = box;
    uint64_t n;
    (void)!read(b->fd, &n, sizeof n);
    for (struct process *p = b->processes; p && !b->lost; p = p->next) {
        if (!p->started) {
            p->started = true;
            p->events.started(p->ctx);
            if (p->has_input)
                p->events.room(p->ctx, ROOM);
            ring(b);
            continue;
        }
        if (!p->ended)
            play(b, p);
        if (p->ended && p->late)
            play_late(b, p);
        if (p->ended && !p->closed && !p->late) {
            p->closed = true;
            p->events.closed(p->ctx);
        }
    }
    return b->lost ? WHELK_E_CLOSED : WHELK_OK;
}

static int fake_start(void *box, uint32_t id, const whelk_spec *s, const whelk_process_events *e, void *ctx)
{
    struct box *b = box;
    if (!strcmp(s->argv[0], "missing") || !strcmp(s->argv[0], "denied")) {
        bool missing = s->argv[0][0] == 'm';
        e->failed(ctx, missing ? WHELK_E_NOENT : WHELK_E_ACCESS, missing ? "no such program" : "it may not be run");
        return WHELK_OK;
    }
    if (!strcmp(s->argv[0], "lose"))
        b->lost = true;
    struct process *p = calloc(1, sizeof *p);
    p->id = id;
    p->events = *e;
    p->ctx = ctx;
    p->argv = copy_words(s->argv);
    p->env = copy_words(s->env);
    p->cwd = strdup(s->cwd);
    p->umask = s->umask;
    p->at = 1;
    p->has_input = s->flags & WHELK_SPEC_INPUT;
    p->merged = s->flags & WHELK_SPEC_MERGED;
    struct process **at = &b->processes;
    while (*at)
        at = &(*at)->next;
    *at = p;
    b->f->alive++;
    ring(b);
    return WHELK_OK;
}

static void fake_welcome(void *box, uint32_t id, int stream, size_t n)
{
    struct box *b = box;
    struct process *p = find(b, id);
    if (!p)
        return;
    if (n == SIZE_MAX) {
        p->shut[stream - 1] = true;
        b->f->shut++;
    } else {
        p->welcome[stream - 1] += n;
    }
    ring(b);
}

static int fake_write(void *box, uint32_t id, const void *src, size_t n)
{
    struct box *b = box;
    struct process *p = find(b, id);
    if (!p || p->input_n + n > sizeof p->input)
        return WHELK_E_INVALID;
    if (n)
        memcpy(p->input + p->input_n, src, n);
    p->input_n += n;
    p->input_ends = n == 0;
    ring(b);
    return WHELK_OK;
}

static int fake_signal(void *box, uint32_t id, int sig, int scope, void (*done)(void *ctx, int code), void *ctx)
{
    struct box *b = box;
    struct process *p = find(b, id);
    b->f->signals++;
    b->f->last_signal = sig;
    b->f->last_scope = scope;
    if (p && sig != 18 && sig != 19)
        p->signal = sig;
    ring(b);
    done(ctx, p ? WHELK_OK : WHELK_E_NOENT);
    return WHELK_OK;
}

static int fake_resize(void *box, uint32_t id, uint16_t rows, uint16_t columns)
{
    (void)box, (void)id, (void)rows, (void)columns;
    return WHELK_E_UNSUPPORTED;
}

static int fake_log(void *box, uint32_t id, int stream, uint64_t offset, size_t most, int wait, whelk_log_fn *fn,
                    void *ctx)
{
    (void)box, (void)id, (void)stream, (void)offset, (void)most, (void)wait, (void)fn, (void)ctx;
    return WHELK_E_UNSUPPORTED;
}

static void fake_stop_waiting(void *box, uint32_t id)
{
    (void)box, (void)id;
}

static void fake_forget(void *box, uint32_t id)
{
    struct box *b = box;
    for (struct process **at = &b->processes; *at; at = &(*at)->next)
        if ((*at)->id == id) {
            struct process *p = *at;
            *at = p->next;
            b->f->alive -= !p->ended;
            free_process(p);
            return;
        }
}

static int fake_wait_port(void *box, uint32_t id, uint16_t port, void (*done)(void *ctx, int code), void *ctx)
{
    (void)box, (void)id, (void)port, (void)done, (void)ctx;
    return WHELK_E_UNSUPPORTED;
}

static int fake_file(void *box, const whelk_file_request *r, const whelk_file_events *events, void *ctx)
{
    (void)box, (void)r, (void)events, (void)ctx;
    return WHELK_E_UNSUPPORTED;
}

whelk_sandbox_kind fake_kind(struct fake *f)
{
    return (whelk_sandbox_kind){.size = sizeof(whelk_sandbox_kind),
                                .name = "played",
                                .ctx = f,
                                .open = fake_open,
                                .close = fake_close,
                                .poll = fake_poll,
                                .pump = fake_pump,
                                .start = fake_start,
                                .welcome = fake_welcome,
                                .write = fake_write,
                                .signal = fake_signal,
                                .resize = fake_resize,
                                .log = fake_log,
                                .stop_waiting = fake_stop_waiting,
                                .forget = fake_forget,
                                .wait_port = fake_wait_port,
                                .file = fake_file};
}
