/* host_command.c - commands written by the host: registration, calls, their streams
 *
 * A call's process is a leaf task that moves bytes between the process's descriptors and the call's
 * buffers; the host fills and empties those buffers from its own stack, at any time.
 */
#include "api/internal.h"
#include "kern/cmd.h"

#include <poll.h>

enum { STREAM_BYTES = 64 * 1024, NAME_BYTES = 255 };

/* What stands behind a name now. Counted: the registration, and each call. */
struct implementation {
    uint32_t refs;
    struct wk_mem *mem;
    whelk_command_ops ops;
    void *ctx;
    char *summary;
};

/* A name, once registered, keeps its record until the session ends: processes and the shell's table
 * of found commands point at it. */
struct wk_host_command {
    struct wk_command command; /* data points back here */
    whelk_session *s;
    struct implementation *now; /* NULL: removed */
    char *name;
};

struct whelk_call {
    uint32_t refs;
    whelk_session *s;
    struct implementation *impl;
    struct wk_task *task; /* NULL once the process is gone */
    struct wk_proc *proc;
    uint32_t pid;
    size_t argc;
    char **argv;
    struct wk_env *env;
    char *cwd;
    struct wk_buf in, out, err; /* in: bytes read ahead for the host; out, err: not yet written */
    size_t in_at;
    bool in_end, want_input, closed_out, begun, done, cancelled;
    bool idle; /* parked for what the host does next */
    int status, read_error;
    void (*on_input)(void *ctx, whelk_call *c);
    void *on_input_ctx;
    void (*on_output)(void *ctx, whelk_call *c);
    void *on_output_ctx;
    struct wk_hostreq cancel_req;
};

/* ---- registration
 * ---------------------------------------------------------------------------------- */

static void implementation_unref(struct implementation *im)
{
    if (!im || --im->refs)
        return;
    if (im->ops.destroy)
        im->ops.destroy(im->ctx);
    wk_free(im->mem, im->summary);
    wk_free(im->mem, im);
}

const struct wk_command *wk_host_command_find(whelk_session *s, struct wk_str name)
{
    struct wk_host_command *h = s->commands.count ? wk_map_get(&s->commands, name) : NULL;
    return h && h->now ? &h->command : NULL;
}

static void command_free(struct wk_host_command *h)
{
    struct wk_mem *m = h->s->mem;
    implementation_unref(h->now);
    wk_free(m, h->name);
    wk_free(m, h);
}

void wk_host_commands_release(whelk_session *s)
{
    size_t pos = 0;
    void *v;
    while (wk_map_next(&s->commands, &pos, NULL, &v))
        command_free(v);
    wk_map_release(&s->commands);
}

int wk_command_add_entry(whelk_session *s, const char *name)
{
    struct wk_cred root = {0, 0, 022, NULL};
    struct wk_buf text, path;
    uint64_t bin, ino;
    wk_buf_init(&text, s->mem, 1024);
    wk_buf_init(&path, s->mem, 1024);
    wk_buf_put_c(&text, WK_COMMAND_MAGIC);
    wk_buf_put_c(&text, name);
    wk_buf_putc(&text, '\n');
    wk_buf_fmt(&path, "/usr/bin/%s", name);
    struct wk_vfs_entry e = {.name = wk_str_c(name),
                             .mode = WK_S_IFREG | 0755,
                             .mtim = wk_clock_realtime(&s->kern.clock),
                             .data = wk_buf_str(&text)};
    int r = text.failed || path.failed ? -WK_ENOMEM : wk_vfs_add_dirs(s->vfs, WK_STR("/usr/bin"), &bin);
    if (!r)
        (void)wk_vfs_unlink(s->vfs, &root, NULL, wk_buf_str(&path));
    if (!r)
        r = wk_vfs_add(s->vfs, bin, &e, &ino);
    wk_buf_release(&text);
    wk_buf_release(&path);
    return r == -WK_EEXIST ? 0 : r;
}

static int host_main(struct wk_cmd *c);

static struct wk_host_command *command_new(whelk_session *s, const char *name)
{
    struct wk_host_command *h = WK_NEW(s->mem, struct wk_host_command);
    if (!h)
        return NULL;
    h->s = s;
    h->name = wk_strndup(s->mem, name, strlen(name));
    h->command = (struct wk_command){.name = h->name,
                                     .summary = "",
                                     .usage = h->name,
                                     .flags = WK_CMD_RAW_ARGS | WK_CMD_HOST,
                                     .main = host_main,
                                     .data = h};
    if (h->name && wk_map_set(&s->commands, wk_str_c(name), h) == 0)
        return h;
    command_free(h);
    return NULL;
}

static struct implementation *implementation_new(whelk_session *s, const char *summary)
{
    struct implementation *im = WK_NEW(s->mem, struct implementation);
    if (!im)
        return NULL;
    im->refs = 1;
    im->mem = s->mem;
    im->summary = wk_strndup(s->mem, summary ? summary : "", summary ? strlen(summary) : 0);
    if (im->summary)
        return im;
    wk_free(s->mem, im);
    return NULL;
}

int whelk_command_add(whelk_session *s, const char *name, const char *summary,
                      const whelk_command_ops *ops, void *ctx)
{
    whelk_command_ops o;
    if (!s || !name || !ops)
        return WHELK_E_INVALID;
    int r = wk_api_take_options(&o, sizeof o, ops);
    if (r)
        return r;
    if (!o.begin || !*name || strlen(name) > NAME_BYTES || strchr(name, '/') ||
        strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return WHELK_E_INVALID;
    struct implementation *im = implementation_new(s, summary);
    struct wk_host_command *h = wk_map_get(&s->commands, wk_str_c(name));
    if (im && !h)
        h = command_new(s, name);
    if (!im || !h || wk_command_add_entry(s, name) != 0) {
        implementation_unref(im);
        return WHELK_E_NOMEM;
    }
    im->ops = o; /* only now: a refused registration must not call destroy */
    im->ctx = ctx;
    struct implementation *old = h->now;
    h->now = im;
    h->command.summary = im->summary;
    implementation_unref(old);
    return WHELK_OK;
}

int whelk_command_remove(whelk_session *s, const char *name)
{
    if (!s || !name)
        return WHELK_E_INVALID;
    struct wk_host_command *h = wk_map_get(&s->commands, wk_str_c(name));
    bool hosts = h && h->now;
    if (!wk_delegated_remove(s, name) && !hosts)
        return WHELK_E_NOENT;
    if (wk_command_find_static(wk_str_c(name))) {
        (void)wk_command_add_entry(s, name);
    } else {
        struct wk_cred root = {0, 0, 022, NULL};
        struct wk_buf b;
        wk_buf_init(&b, s->mem, 1024);
        wk_buf_fmt(&b, "/usr/bin/%s", name);
        if (!b.failed)
            (void)wk_vfs_unlink(s->vfs, &root, NULL, wk_buf_str(&b));
        wk_buf_release(&b);
    }
    struct implementation *old = hosts ? h->now : NULL;
    if (hosts) {
        h->now = NULL;
        h->command.summary = "";
    }
    implementation_unref(old);
    return WHELK_OK;
}

/* ---- a call's life
 * ----------------------------------------------------------------------------------- */

static void call_free(whelk_call *c)
{
    struct wk_mem *m = c->s->mem;
    for (size_t i = 0; c->argv && i < c->argc; i++)
        wk_free(m, c->argv[i]);
    wk_free(m, c->argv);
    if (c->env)
        wk_env_unref(c->env);
    wk_free(m, c->cwd);
    wk_buf_release(&c->in);
    wk_buf_release(&c->out);
    wk_buf_release(&c->err);
    implementation_unref(c->impl);
    wk_free(m, c);
}

whelk_call *whelk_call_ref(whelk_call *c)
{
    c->refs++;
    return c;
}

void whelk_call_unref(whelk_call *c)
{
    if (c && --c->refs == 0)
        call_free(c);
}

static void tell_cancelled(struct wk_hostreq *r)
{
    whelk_call *c = r->ctx;
    r->done = true;
    c->s->callback_depth++;
    if (c->impl->ops.cancelled && !c->done)
        c->impl->ops.cancelled(c->impl->ctx, c);
    c->s->callback_depth--;
    whelk_call_unref(c);
}

/* The process's heap is dropped: the process is gone, whatever the reason. */
static void process_gone(void *obj)
{
    whelk_call *c = obj;
    c->task = NULL;
    c->proc = NULL;
    if (c->done || !c->begun) {
        whelk_call_unref(c);
        return;
    }
    c->cancelled = true;
    c->cancel_req = (struct wk_hostreq){.perform = tell_cancelled, .ctx = c};
    wk_hostreq_post(&c->s->kern, &c->cancel_req); /* keeps this reference */
}

static whelk_call *call_new(struct wk_cmd *cmd, struct wk_host_command *h)
{
    whelk_session *s = h->s;
    whelk_call *c = WK_NEW(s->mem, whelk_call);
    if (!c)
        return NULL;
    c->refs = 1;
    c->s = s;
    c->impl = h->now;
    c->impl->refs++;
    c->task = cmd->task;
    c->proc = cmd->proc;
    c->pid = cmd->proc->pid;
    c->env = wk_env_ref(cmd->proc->env);
    wk_buf_init(&c->in, s->mem, STREAM_BYTES);
    wk_buf_init(&c->out, s->mem, STREAM_BYTES);
    wk_buf_init(&c->err, s->mem, STREAM_BYTES);
    struct wk_buf cwd;
    wk_buf_init(&cwd, s->mem, 1 << 20);
    if (wk_vdir_path(cmd->proc->cwd, &cwd) == 0)
        c->cwd = wk_buf_take(&cwd, NULL);
    wk_buf_release(&cwd);
    c->argv = wk_calloc(s->mem, (size_t)cmd->argc + 1, sizeof *c->argv);
    for (; c->argv && c->argc < (size_t)cmd->argc; c->argc++) {
        c->argv[c->argc] = wk_strndup(s->mem, cmd->argv[c->argc], strlen(cmd->argv[c->argc]));
        if (!c->argv[c->argc])
            break;
    }
    if (c->argv && c->argc == (size_t)cmd->argc)
        return c;
    whelk_call_unref(c);
    return NULL;
}

static void perform_begin(struct wk_hostreq *r)
{
    whelk_call *c = r->ctx;
    c->begun = true;
    whelk_call_ref(c); /* the host's: dropped by complete or unref */
    c->s->callback_depth++;
    c->impl->ops.begin(c->impl->ctx, c);
    c->s->callback_depth--;
    r->done = true;
}

static void perform_ready(struct wk_hostreq *r)
{
    whelk_call *c = r->ctx;
    r->done = true;
    void (*in)(void *, whelk_call *) = c->in.n > c->in_at || c->in_end ? c->on_input : NULL;
    void (*out)(void *, whelk_call *) = !c->out.n && !c->err.n ? c->on_output : NULL;
    c->s->callback_depth++;
    if (in) {
        c->on_input = NULL;
        in(c->on_input_ctx, c);
    }
    if (out) {
        c->on_output = NULL;
        out(c->on_output_ctx, c);
    }
    c->s->callback_depth--;
}

static void call_host(whelk_call *c, void (*perform)(struct wk_hostreq *))
{
    struct wk_hostreq r = {.perform = perform, .ctx = c};
    (void)wk_hostreq_call(c->task, &r, false);
}

/* Write out what the host left. A closed reader ends the process by SIGPIPE as for any command. */
static void write_out(struct wk_cmd *cmd, whelk_call *c, struct wk_buf *b, int fd)
{
    struct wk_file *f = wk_fd_get(cmd->proc->fds, fd);
    size_t n = b->n;
    char *copy = wk_heap_alloc(cmd->heap, n);
    memcpy(copy, b->p, n);
    wk_buf_reset(b); /* the host may go on filling it meanwhile */
    ptrdiff_t r = f ? wk_file_write(cmd->task, f, copy, n) : -WK_EBADF;
    wk_heap_free(cmd->heap, copy);
    if (r < 0)
        c->closed_out = true;
}

static void read_in(struct wk_cmd *cmd, whelk_call *c)
{
    struct wk_file *f = wk_fd_get(cmd->proc->fds, 0);
    const char *p;
    if (!f) {
        c->in_end = true;
        return;
    }
    c->idle = true;
    int r = wk_file_wait(cmd->task, f, POLLIN, WK_FOREVER);
    c->idle = false;
    if (r != 0)
        return; /* woken by the host: look at everything again */
    ptrdiff_t n = wk_file_peek(cmd->task, f, 1, &p);
    if (n == -WK_EINTR)
        return;
    if (n <= 0) {
        c->in_end = true;
        c->read_error = n < 0 ? (int)n : 0;
        return;
    }
    size_t take = WK_MIN((size_t)n, (size_t)STREAM_BYTES - 1);
    wk_buf_reset(&c->in);
    c->in_at = 0;
    if (wk_buf_put(&c->in, p, take))
        wk_file_skip(f, take);
    else
        wk_heap_exhausted(cmd->heap);
}

static int host_main(struct wk_cmd *cmd)
{
    struct wk_host_command *h = cmd->command->data;
    if (!h->now) { /* removed since it was started */
        wk_msg(cmd, "command not found");
        return 127;
    }
    whelk_call *c = call_new(cmd, h);
    if (!c)
        wk_heap_exhausted(cmd->heap);
    wk_heap_own(cmd->heap, c, process_gone);
    call_host(c, perform_begin);
    for (;;) {
        if (c->out.n) {
            write_out(cmd, c, &c->out, 1);
        } else if (c->err.n) {
            write_out(cmd, c, &c->err, 2);
        } else if (c->done) {
            return c->status;
        } else if (c->on_output || (c->on_input && (c->in.n > c->in_at || c->in_end))) {
            call_host(c, perform_ready);
        } else if (c->want_input && !c->in_end && c->in.n <= c->in_at) {
            read_in(cmd, c);
        } else {
            c->idle = true;
            (void)wk_park(c->task, NULL, WK_FOREVER, false);
            c->idle = false;
        }
    }
}

/* The host did something: let the process look, unless it is writing: that is not interrupted. */
static void nudge(whelk_call *c)
{
    if (c->task && c->idle)
        wk_task_wake(c->task, -WK_EINTR);
}

/* ---- what the host may ask
 * ------------------------------------------------------------------------------ */

whelk_session *whelk_call_session(whelk_call *c)
{
    return c->s;
}

size_t whelk_call_argc(const whelk_call *c)
{
    return c->argc;
}

const char *whelk_call_arg(const whelk_call *c, size_t i)
{
    return i < c->argc ? c->argv[i] : NULL;
}

const char *whelk_call_env(const whelk_call *c, const char *name)
{
    return wk_env_get(c->env, name);
}

const char *whelk_call_env_at(const whelk_call *c, size_t i)
{
    return c->env && i < c->env->n ? c->env->v[i] : NULL;
}

const char *whelk_call_cwd(const whelk_call *c)
{
    return c->cwd ? c->cwd : "/";
}

uint32_t whelk_call_pid(const whelk_call *c)
{
    return c->pid;
}

int whelk_call_is_cancelled(const whelk_call *c)
{
    return c->cancelled;
}

ptrdiff_t whelk_call_read(whelk_call *c, void *dst, size_t cap)
{
    if (!c || !dst || !cap)
        return WHELK_E_INVALID;
    size_t have = c->in.n - c->in_at;
    if (!have) {
        if (c->read_error)
            return wk_api_error(c->read_error);
        if (c->in_end || !c->task)
            return 0;
        c->want_input = true;
        nudge(c);
        return WHELK_E_AGAIN;
    }
    size_t n = WK_MIN(have, cap);
    memcpy(dst, c->in.p + c->in_at, n);
    c->in_at += n;
    return (ptrdiff_t)n;
}

ptrdiff_t whelk_call_write(whelk_call *c, int fd, const void *src, size_t n)
{
    if (!c || (!src && n) || (fd != 1 && fd != 2) || c->done)
        return WHELK_E_INVALID;
    if (!c->task || c->closed_out)
        return WHELK_IO_CLOSED;
    struct wk_buf *b = fd == 1 ? &c->out : &c->err;
    size_t room = STREAM_BYTES - b->n;
    if (!room)
        return WHELK_E_AGAIN;
    n = WK_MIN(n, room);
    if (!wk_buf_put(b, src, n)) {
        b->failed = false;
        return WHELK_E_NOMEM;
    }
    nudge(c);
    return (ptrdiff_t)n;
}

int whelk_call_on_ready(whelk_call *c, int fd, void (*ready)(void *ctx, whelk_call *c), void *ctx)
{
    if (!c || fd < 0 || fd > 2)
        return WHELK_E_INVALID;
    if (fd == 0) {
        c->on_input = ready;
        c->on_input_ctx = ctx;
        c->want_input = true;
    } else {
        c->on_output = ready;
        c->on_output_ctx = ctx;
    }
    nudge(c);
    return WHELK_OK;
}

void whelk_call_complete(whelk_call *c, int status)
{
    if (!c || c->done)
        return;
    c->done = true;
    c->status = status & 0xff;
    nudge(c);
    whelk_call_unref(c);
}
