/* sandbox_process.c - processes of a session as those of a sandbox: start, streams, signals, end */
#include "api/sandbox_inprocess.h"

#include "kern/cmd.h"

enum { INPUT_ROOM = 256 << 10, DRAIN_NS = 10000000 };

static struct wk_inproc_process *find(struct wk_inproc_box *b, uint32_t id)
{
    struct wk_inproc_process *p = b->processes;
    while (p && (p->id != id || p->forgotten))
        p = p->next;
    return p;
}

/* Requests of tasks that wait for the host are made again. */
static void look_again(struct wk_inproc_box *b)
{
    b->again = true;
    atomic_store(&b->s->kern.woken, true);
}

/* ---- streams ---------------------------------------------------------------------------------- */

/* What a sink hands over: told as far as it is welcome, and only inside of pump. */
static ptrdiff_t take_output(void *ctx, const void *src, size_t n)
{
    struct wk_inproc_stream *st = ctx;
    struct wk_inproc_process *p = st->p;
    uint64_t left = p->box->output_max - WK_MIN(p->written, p->box->output_max);
    if (n > left) {
        p->over = p->box->again = true;
        n = (size_t)left;
        if (!n)
            return WK_IO_AGAIN; /* it is ended at the next look */
    }
    if (p->flags & WHELK_SPEC_LOGGED) {
        if (p->flags & WHELK_SPEC_TTY)
            wk_inproc_tty_log(st, src, n);
        else
            wk_inproc_log_put(&st->log, src, n);
        p->box->again = p->box->again || p->waits;
    } else if (st->unwanted) {
        return WK_IO_CLOSED;
    } else if (st->takes_all) {
        if (!wk_buf_put(&st->rest, src, n))
            return WK_IO_CLOSED;
    } else {
        n = (size_t)WK_MIN((uint64_t)n, st->credit);
        if (!n || !p->box->depth || p->forgotten)
            return WK_IO_AGAIN;
        if (p->flags & WHELK_SPEC_TTY) {
            n = wk_inproc_tty_tell(st, src, n);
        } else {
            st->credit -= n;
            p->events.output(p->ctx, st->number, src, n);
        }
        if (!n)
            return WK_IO_AGAIN;
    }
    p->written += n;
    return (ptrdiff_t)n;
}

static ptrdiff_t give_input(void *ctx, void *dst, size_t cap)
{
    struct wk_inproc_process *p = ctx;
    size_t until = p->tty_end ? p->tty_end_at : p->input.n, n = WK_MIN(until - p->input_at, cap);
    if (!n && p->tty_end) {
        p->tty_end = false;
        return 0;
    }
    if (!n && !p->input_end && !p->input_asked) {
        p->input_asked = p->box->again = true;
        p->room += INPUT_ROOM;
    }
    if (!n)
        return p->input_end ? 0 : WK_IO_AGAIN;
    memcpy(dst, p->input.p + p->input_at, n);
    p->input_at += n;
    p->room += n;
    p->box->again = true;
    if (p->input_at == p->input.n) {
        wk_buf_reset(&p->input);
        p->input_at = p->tty_end_at = 0;
    }
    return (ptrdiff_t)n;
}

static int make_streams(struct wk_inproc_process *p, const whelk_spec *spec)
{
    struct wk_kern *k = &p->box->s->kern;
    bool tty = spec->flags & WHELK_SPEC_TTY, merged = tty || spec->flags & WHELK_SPEC_MERGED;
    struct wk_source from = {.kind = WK_SOURCE_EMPTY};
    if (tty || spec->flags & WHELK_SPEC_INPUT)
        from = (struct wk_source){.kind = WK_SOURCE_CALLBACK, .read = give_input, .ctx = p, .tty = tty, .goes_on = tty};
    int r = wk_source_file_new(k, &from, &p->in);
    for (int i = 0; i < (merged ? 1 : 2) && !r; i++) {
        struct wk_sink to = {.kind = WK_SINK_CALLBACK, .write = take_output, .ctx = &p->out[i], .tty = tty};
        r = wk_sink_file_new(k, &to, &p->out[i].sink);
    }
    for (int fd = 0; fd < 3 && !r; fd++) {
        struct wk_file *f = fd == 0 ? p->in : p->out[merged ? 0 : fd - 1].sink;
        r = wk_fd_set(&p->proc->fds, fd, wk_file_ref(f), false);
    }
    return r;
}

/* Whoever still writes there goes on into a ring that the session keeps (whelk_job_read). */
static void give_up_streams(struct wk_inproc_process *p)
{
    struct wk_file *out = p->out[0].sink, *err = p->out[1].sink;
    if (out) {
        wk_job_ring_adopt(p->box->s, out, err ? err : wk_file_ref(out));
        wk_file_unref(out);
        wk_file_unref(err ? err : out);
    }
    p->out[0].sink = p->out[1].sink = NULL;
    if (p->in) {
        wk_source_end(p->in);
        wk_file_unref(p->in);
        p->in = NULL;
    }
    wk_buf_release(&p->input);
}

/* ---- start ------------------------------------------------------------------------------------ */

static int limit(struct wk_proc *p, enum wk_rlimit which, uint64_t v)
{
    if (!v)
        return 0;
    v = WK_MIN(v, wk_rlimit_get(p, which).hard); /* more than the session has is nobody's to give */
    return wk_rlimit_set(p, which, (struct wk_rlim){v, v});
}

static int set_limits(struct wk_inproc_process *p, const whelk_spec *spec)
{
    struct wk_kern *k = &p->box->s->kern;
    int r = limit(p->proc, WK_RLIMIT_FSIZE, spec->file_bytes);
    if (!r)
        r = limit(p->proc, WK_RLIMIT_CPU, spec->cpu_seconds);
    if (!r)
        r = limit(p->proc, WK_RLIMIT_NOFILE, spec->descriptors);
    if (!r)
        r = limit(p->proc, WK_RLIMIT_NPROC, spec->processes);
    p->group->tasks_max = spec->processes;
    p->group->memory_max = spec->memory_bytes;
    p->group->steps_max = k->limits.steps;
    if (k->limits.time_ns && k->limits.time_ns < INT64_MAX / 2)
        p->group->deadline_host_ns = wk_clock_host(&k->clock) + (int64_t)k->limits.time_ns;
    return r;
}

static bool names_variable(const char *entry, const char *name)
{
    size_t n = strlen(name);
    return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

/* The variables of the request; a terminal's size besides, which there is no other way to ask for. */
static int set_env(struct wk_inproc_process *p, const whelk_spec *spec)
{
    struct wk_mem *m = p->box->mem;
    size_t n = 0;
    bool rows = !(spec->flags & WHELK_SPEC_TTY), columns = rows;
    while (spec->env && spec->env[n]) {
        rows = rows || names_variable(spec->env[n], "LINES");
        columns = columns || names_variable(spec->env[n], "COLUMNS");
        n++;
    }
    struct wk_str *v = wk_calloc(m, n + 2, sizeof *v);
    if (!v)
        return -WK_ENOMEM;
    for (size_t i = 0; i < n; i++)
        v[i] = wk_str_c(spec->env[i]);
    struct wk_buf a, b;
    wk_buf_init(&a, m, 64);
    wk_buf_init(&b, m, 64);
    if (!rows) {
        wk_buf_fmt(&a, "LINES=%u", (unsigned)p->rows);
        v[n++] = wk_buf_str(&a);
    }
    if (!columns) {
        wk_buf_fmt(&b, "COLUMNS=%u", (unsigned)p->columns);
        v[n++] = wk_buf_str(&b);
    }
    struct wk_env *e = a.failed || b.failed ? NULL : wk_env_new(&p->box->s->kern, v, n);
    wk_buf_release(&a);
    wk_buf_release(&b);
    wk_free(m, v);
    if (!e)
        return -WK_ENOMEM;
    wk_env_unref(p->proc->env);
    p->proc->env = e;
    return 0;
}

static int set_place(struct wk_inproc_process *p, const whelk_spec *spec)
{
    struct wk_proc *proc = p->proc;
    struct wk_inproc_box *b = p->box;
    proc->cred.uid = spec->uid == UINT32_MAX ? b->uid : spec->uid;
    proc->cred.gid = spec->gid == UINT32_MAX ? b->gid : spec->gid;
    proc->cred.umask = spec->umask & 0777;
    struct wk_vdir *d;
    int r = wk_vfs_dir(b->s->vfs, &proc->cred, NULL, wk_str_c(spec->cwd), &d);
    if (r)
        return r;
    wk_vdir_unref(proc->cwd);
    proc->cwd = d;
    return 0;
}

/* Makes the process; *what names what went wrong. */
static int make_process(struct wk_inproc_process *p, const whelk_spec *spec, const char **what)
{
    struct wk_kern *k = &p->box->s->kern;
    *what = spec->argv[0];
    int r = wk_proc_fork(k->init, &p->proc);
    if (r)
        return r;
    struct wk_proc *proc = p->proc;
    p->pid = proc->pgid = proc->sid = proc->pid;
    proc->background = true;
    proc->started_ns = wk_clock_realtime(&k->clock);
    r = wk_cgroup_new(proc, &p->group);
    if (!r)
        r = set_limits(p, spec);
    if (!r)
        r = set_env(p, spec);
    if (!r)
        r = make_streams(p, spec);
    if (r)
        return r;
    r = set_place(p, spec);
    if (r) {
        *what = spec->cwd;
        return r;
    }
    struct wk_spawn s = {.argv = spec->argv, .background = true};
    if (spec->script && strcmp(spec->argv[0], p->box->shell) == 0)
        s.path = p->box->shell_path; /* whatever PATH says */
    while (spec->argv[s.argc])
        s.argc++;
    return wk_exec_on(proc, &s);
}

/* The record and all it holds. A process that still runs is pid 1's from now on. */
static void drop(struct wk_inproc_process *p)
{
    struct wk_inproc_box *b = p->box;
    if (p->proc && p->proc->state == WK_PROC_ZOMBIE)
        wk_proc_reap(p->proc);
    else if (p->proc)
        p->proc->orphan = true;
    give_up_streams(p);
    wk_cgroup_unref(p->group);
    for (int i = 0; i < 2; i++) {
        wk_buf_release(&p->out[i].rest);
        wk_inproc_log_release(&p->out[i].log);
    }
    while (p->waits) {
        struct wk_inproc_wait *w = p->waits;
        p->waits = w->next;
        wk_free(b->mem, w);
    }
    wk_free(b->mem, p);
}

static struct wk_inproc_process *record_new(struct wk_inproc_box *b, uint32_t id, const whelk_spec *spec,
                                            const whelk_process_events *events, void *ctx)
{
    struct wk_inproc_process *p = WK_NEW(b->mem, struct wk_inproc_process);
    if (!p)
        return NULL;
    p->box = b;
    p->id = id;
    p->flags = spec->flags;
    p->rows = spec->rows ? spec->rows : 24;
    p->columns = spec->columns ? spec->columns : 80;
    memcpy(&p->events, events, WK_MIN(events->size, sizeof p->events));
    p->ctx = ctx;
    /* A command in the foreground gets input when it asks for some: what it does not read is left where it is. In the
     * background, and on a terminal, input can be there first. */
    p->input_asked = spec->flags & (WHELK_SPEC_LOGGED | WHELK_SPEC_TTY);
    p->room = p->input_asked ? INPUT_ROOM : 0;
    wk_buf_init(&p->input, b->mem, SIZE_MAX / 2);
    for (int i = 0; i < 2; i++) {
        p->out[i].p = p;
        p->out[i].number = i + 1;
        wk_buf_init(&p->out[i].rest, b->mem, SIZE_MAX / 2);
        wk_inproc_log_init(&p->out[i].log, b->mem, spec->log_bytes);
    }
    return p;
}

static void tell_failed(struct wk_inproc_process *p, int err, const char *what)
{
    struct wk_inproc_box *b = p->box;
    wk_buf_reset(&b->words);
    wk_buf_fmt(&b->words, "%s: %s", what, wk_err_text(err));
    if (p->proc)
        wk_proc_finish(p->proc, (struct wk_exit){127, 0});
    whelk_process_events e = p->events;
    void *ctx = p->ctx;
    drop(p);
    if (e.failed)
        e.failed(ctx, wk_api_error(err), wk_buf_c(&b->words));
}

int wk_inproc_start(void *box, uint32_t id, const whelk_spec *spec, const whelk_process_events *events, void *ctx)
{
    struct wk_inproc_box *b = box;
    whelk_session *s = b->s;
    if (!spec->argv || !spec->argv[0] || !spec->cwd)
        return WHELK_E_INVALID;
    if (s->run || s->callback_depth > b->depth) {
        if (events->failed)
            events->failed(ctx, WHELK_E_BUSY, "a run of the program's own is under way in the session");
        return WHELK_OK;
    }
    struct wk_inproc_process *p = record_new(b, id, spec, events, ctx);
    if (!p)
        return WHELK_E_NOMEM;
    const char *what;
    wk_kern_ready_memory(&s->kern);
    int r = make_process(p, spec, &what);
    b->depth++;
    s->callback_depth++;
    if (r) {
        tell_failed(p, r, what);
    } else {
        p->next = b->processes;
        b->processes = p;
        b->again = true;
        if (p->events.started)
            p->events.started(p->ctx);
    }
    s->callback_depth--;
    b->depth--;
    return WHELK_OK;
}

/* ---- what becomes of it ------------------------------------------------------------------------- */

static void tell_exited(struct wk_inproc_process *p)
{
    struct wk_exit e = p->proc->exit;
    const struct wk_cgroup *g = p->group;
    uint64_t left = p->in ? p->input.n - p->input_at + wk_source_left(p->in) : 0;
    whelk_exit x = {.size = sizeof x, .code = e.code, .signal = e.signal, .user_ns = g->cpu_ns};
    if (g->breach != WK_LIMIT_NONE) {
        x.signal = WK_SIGKILL;
        x.out_of_memory = g->breach == WK_LIMIT_MEMORY;
    } else if (p->killed && !x.signal) {
        x.signal = p->killed;
    }
    if (x.signal)
        x.code = -1;
    x.memory_peak = (uint64_t)(g->memory_peak > 0 ? g->memory_peak : 1);
    x.survivors = (uint32_t)g->tasks;
    x.input_left = left;
    wk_proc_reap(p->proc);
    p->proc = NULL;
    p->state = WK_INPROC_DRAINING;
    p->drain_until = wk_clock_host(&p->box->s->kern.clock) + DRAIN_NS;
    if (p->events.exited)
        p->events.exited(p->ctx, &x);
}

/* Others hold its output and are about to run. */
static bool is_written_still(const struct wk_inproc_process *p)
{
    const struct wk_kern *k = &p->box->s->kern;
    bool held = false;
    for (int i = 0; i < 2; i++)
        held = held || (p->out[i].sink && p->out[i].sink->refs > 1);
    return held && k->run_first && wk_clock_host(&k->clock) < p->drain_until;
}

static void flush(struct wk_inproc_process *p)
{
    for (int i = 0; i < 2; i++)
        if (p->out[i].sink)
            (void)wk_sink_flush(p->out[i].sink);
}

/* What has been written so far is all that is told. */
static void end_streams(struct wk_inproc_process *p)
{
    p->out[0].takes_all = p->out[1].takes_all = true;
    flush(p);
    if (!(p->flags & WHELK_SPEC_LOGGED))
        give_up_streams(p);
    look_again(p->box); /* of those who go on writing */
    p->state = WK_INPROC_CLOSING;
}

static void tell_rest(struct wk_inproc_stream *st)
{
    struct wk_inproc_process *p = st->p;
    while (st->rest_at < st->rest.n && st->credit && !p->forgotten) {
        size_t n = (size_t)WK_MIN((uint64_t)(st->rest.n - st->rest_at), st->credit);
        const char *at = st->rest.p + st->rest_at;
        if (p->flags & WHELK_SPEC_TTY) {
            n = wk_inproc_tty_tell(st, at, n);
            if (!n)
                return;
        } else {
            st->credit -= n;
            p->events.output(p->ctx, st->number, at, n);
        }
        st->rest_at += n;
    }
}

static void answer(struct wk_inproc_process *p, struct wk_inproc_wait *w)
{
    const struct wk_inproc_log *l = &p->out[w->stream - 1].log;
    uint64_t at, lost;
    struct wk_str s = wk_inproc_log_get(l, w->offset, w->most, &at, &lost);
    bool ended = p->state == WK_INPROC_CLOSED && at + s.n >= l->total;
    w->fn(w->ctx, WHELK_OK, at, lost, ended, s.p, s.n);
}

static bool is_due(const struct wk_inproc_process *p, const struct wk_inproc_wait *w)
{
    return p->state == WK_INPROC_CLOSED || p->out[w->stream - 1].log.total > w->offset;
}

static void answer_waits(struct wk_inproc_process *p, bool all)
{
    for (struct wk_inproc_wait **at = &p->waits; *at;) {
        struct wk_inproc_wait *w = *at;
        if (!all && !is_due(p, w)) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        answer(p, w);
        wk_free(p->box->mem, w);
    }
}

static void tell_room(struct wk_inproc_process *p)
{
    if (!p->in || p->input_gone || !p->events.room)
        return;
    size_t n = p->room;
    p->room = 0;
    if (p->in->refs == 1) { /* nobody has it open */
        p->input_gone = true;
        n = SIZE_MAX;
    }
    if (n)
        p->events.room(p->ctx, n);
}

void wk_inproc_advance(struct wk_inproc_process *p)
{
    struct wk_cgroup *g = p->group;
    if (p->over || (g->deadline_host_ns != WK_FOREVER && g->deadline_host_ns <= wk_clock_host(&g->k->clock))) {
        if (g->breach == WK_LIMIT_NONE && g->tasks) {
            (void)wk_cgroup_breach(g, NULL, p->over ? WK_LIMIT_OUTPUT : WK_LIMIT_TIME);
            p->box->again = true;
        }
    }
    flush(p);
    if (!p->forgotten && p->state == WK_INPROC_RUNNING) {
        tell_room(p);
        if (!p->forgotten && p->proc->state == WK_PROC_ZOMBIE)
            tell_exited(p);
    }
    if (!p->forgotten && p->state == WK_INPROC_DRAINING && !is_written_still(p))
        end_streams(p);
    for (int i = 0; i < 2; i++)
        tell_rest(&p->out[i]);
    bool told = p->out[0].rest_at == p->out[0].rest.n && p->out[1].rest_at == p->out[1].rest.n;
    if (!p->forgotten && p->state == WK_INPROC_CLOSING && told) {
        p->state = WK_INPROC_CLOSED;
        if (p->events.closed)
            p->events.closed(p->ctx);
    }
    answer_waits(p, false);
}

int64_t wk_inproc_deadline(const struct wk_inproc_process *p)
{
    int64_t at = p->group->breach == WK_LIMIT_NONE && p->group->tasks ? p->group->deadline_host_ns : WK_FOREVER;
    return p->state == WK_INPROC_DRAINING ? WK_MIN(at, p->drain_until) : at;
}

/* ---- what is asked of it ------------------------------------------------------------------------- */

void wk_inproc_welcome(void *box, uint32_t id, int stream, size_t n)
{
    struct wk_inproc_box *b = box;
    struct wk_inproc_process *p = find(b, id);
    if (!p || stream < 1 || stream > 2)
        return;
    struct wk_inproc_stream *st = &p->out[stream - 1];
    if (n == SIZE_MAX) {
        st->unwanted = true;
        st->rest_at = st->rest.n;
    }
    st->credit = n > UINT64_MAX - st->credit ? UINT64_MAX : st->credit + n;
    look_again(b);
}

int wk_inproc_write(void *box, uint32_t id, const void *data, size_t n)
{
    struct wk_inproc_box *b = box;
    struct wk_inproc_process *p = find(b, id);
    if (!p)
        return WHELK_E_NOENT;
    if (!(p->flags & (WHELK_SPEC_INPUT | WHELK_SPEC_TTY)) || (n && !data))
        return WHELK_E_INVALID;
    if (p->input_gone || p->input_end || p->state != WK_INPROC_RUNNING)
        return WHELK_E_CLOSED;
    if (n == 0)
        p->input_end = true;
    else if (p->flags & WHELK_SPEC_TTY ? wk_inproc_tty_keys(p, data, n) != 0 : !wk_buf_put(&p->input, data, n)) {
        p->input.failed = false;
        return WHELK_E_NOMEM;
    }
    look_again(b);
    return WHELK_OK;
}

/* KILL for a whole group leaves nobody time to start another. */
static bool signal_tree(struct wk_inproc_process *p, int signal)
{
    bool any = wk_cgroup_post(p->group, signal);
    if (any && signal == WK_SIGKILL) {
        p->killed = signal;
        wk_cgroup_stop(p->group, WK_STOP_KILL);
    }
    return any;
}

int wk_inproc_signal(void *box, uint32_t id, int signal, int scope, void (*done)(void *ctx, int code), void *ctx)
{
    struct wk_inproc_box *b = box;
    struct wk_inproc_process *p = find(b, id);
    if (signal < 0 || signal >= WK_NSIG || scope < WHELK_SCOPE_LEADER || scope > WHELK_SCOPE_TREE)
        return WHELK_E_INVALID;
    bool any = false;
    if (p && scope == WHELK_SCOPE_TREE)
        any = signal_tree(p, signal);
    else if (p && scope == WHELK_SCOPE_GROUP)
        any = wk_kill(&b->s->kern, NULL, -(int64_t)p->pid, signal) == 0;
    else if (p && p->proc && p->proc->state != WK_PROC_ZOMBIE)
        any = wk_kill(&b->s->kern, NULL, p->pid, signal) == 0;
    look_again(b);
    if (done)
        done(ctx, any ? WHELK_OK : WHELK_E_NOENT);
    return WHELK_OK;
}

int wk_inproc_resize(void *box, uint32_t id, uint16_t rows, uint16_t columns)
{
    struct wk_inproc_box *b = box;
    struct wk_inproc_process *p = find(b, id);
    if (!p)
        return WHELK_E_NOENT;
    if (!(p->flags & WHELK_SPEC_TTY))
        return WHELK_E_INVALID;
    p->rows = rows;
    p->columns = columns;
    (void)wk_kill(&b->s->kern, NULL, -(int64_t)p->pid, WK_SIGWINCH);
    look_again(b);
    return WHELK_OK;
}

int wk_inproc_read_log(void *box, uint32_t id, int stream, uint64_t offset, size_t most, int wait, whelk_log_fn *fn,
                       void *ctx)
{
    struct wk_inproc_box *b = box;
    struct wk_inproc_process *p = find(b, id);
    if (!p)
        return WHELK_E_NOENT;
    if (!(p->flags & WHELK_SPEC_LOGGED) || stream < 1 || stream > 2)
        return WHELK_E_INVALID;
    flush(p);
    struct wk_inproc_wait now = {NULL, stream, offset, most, fn, ctx};
    if (!wait || is_due(p, &now)) {
        answer(p, &now);
        return WHELK_OK;
    }
    struct wk_inproc_wait *w = WK_NEW(b->mem, struct wk_inproc_wait);
    if (!w)
        return WHELK_E_NOMEM;
    *w = now;
    w->next = p->waits;
    p->waits = w;
    return WHELK_OK;
}

void wk_inproc_stop_waiting(void *box, uint32_t id)
{
    struct wk_inproc_process *p = find(box, id);
    if (p)
        answer_waits(p, true);
}

void wk_inproc_forget(void *box, uint32_t id)
{
    struct wk_inproc_box *b = box;
    struct wk_inproc_process *p = find(b, id);
    if (!p)
        return;
    p->forgotten = true;
    if (p->proc && p->proc->state != WK_PROC_ZOMBIE)
        (void)signal_tree(p, WK_SIGKILL);
    if (!b->depth)
        wk_inproc_sweep(b);
}

void wk_inproc_sweep(struct wk_inproc_box *b)
{
    for (struct wk_inproc_process **at = &b->processes; *at;) {
        struct wk_inproc_process *p = *at;
        if (!p->forgotten) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        drop(p);
    }
}

void wk_inproc_drop_all(struct wk_inproc_box *b)
{
    for (struct wk_inproc_process *p = b->processes; p; p = p->next) {
        p->forgotten = true;
        if (p->proc && p->proc->state != WK_PROC_ZOMBIE)
            (void)wk_cgroup_post(p->group, WK_SIGKILL);
    }
    wk_inproc_sweep(b);
}
