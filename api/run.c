/* run.c - one execution of a script in a session: start, step, wait, finish */
#include "api/internal.h"
#include "interp/start.h"

/* What $? of the run is when it did not end by itself: timeout(1)'s, and 128 + SIGINT. */
enum { STATUS_TIME = 124, STATUS_LIMIT = 125, STATUS_CANCEL = 130 };

void whelk_run_options_init(whelk_run_options *o)
{
    memset(o, 0, sizeof *o);
    o->size = sizeof *o;
    o->in.size = sizeof o->in;
    o->out.size = sizeof o->out;
    o->err.size = sizeof o->err;
}

/* ---- the run's task -----------------------------------------------------------------------------
 */

struct set_bits {
    uint64_t on, off;
};

static void set_bit(struct set_bits *b, int option, bool on)
{
    uint64_t bit = option < 0 ? 0 : UINT64_C(1) << option;
    b->on = on ? b->on | bit : b->on & ~bit;
    b->off = on ? b->off & ~bit : b->off | bit;
}

/* Options that these words turn on and off; of two about one option the last counts. */
static struct set_bits set_bits(const char *const *words, size_t n)
{
    struct set_bits b = {0, 0};
    for (size_t i = 0; i < n; i++) {
        const char *w = words[i];
        bool on = w[0] == '-';
        if (!on && w[0] != '+')
            continue;
        if (w[1] == 'o' && !w[2] && i + 1 < n) {
            set_bit(&b, wk_set_option_find(wk_str_c(words[++i])), on);
            continue;
        }
        for (const char *p = w + 1; *p; p++)
            set_bit(&b, wk_set_option_letter(*p), on);
    }
    return b;
}

static struct wk_shell *make_shell(whelk_run *run, struct wk_task *t)
{
    whelk_session *s = run->s;
    struct set_bits set = set_bits(run->set, run->n_set);
    struct wk_shell_options o = {.arg0 = run->arg0,
                                 .args = run->args,
                                 .nargs = run->n_args,
                                 .set_options = set.on,
                                 .clear_options = set.off,
                                 .interactive = (run->flags & WHELK_RUN_INTERACTIVE) != 0,
                                 .read_stdin = (run->flags & WHELK_RUN_STDIN) != 0,
                                 .import_functions = true};
    int err = 0;
    struct wk_shell *sh = wk_shell_new(t, s->names, s->shared, &o, &err);
    if (!sh) {
        run->start_error = err ? err : -WK_ENOMEM;
        return NULL;
    }
    sh->hooks = &s->hooks;
    sh->hooks_ctx = s;
    sh->is_main = true;
    sh->no_history = (run->flags & WHELK_RUN_NO_HISTORY) != 0;
    return sh;
}

/* A later run in the same shell: the streams and parameters are new, the state stays. */
static int reuse_shell(whelk_run *run, struct wk_shell *sh, struct wk_task *t)
{
    sh->task = t;
    struct set_bits b = set_bits(run->set, run->n_set);
    sh->st->options = (sh->st->options | b.on) & ~b.off;
    sh->interactive = (run->flags & WHELK_RUN_INTERACTIVE) != 0;
    sh->no_history = (run->flags & WHELK_RUN_NO_HISTORY) != 0;
    return run->keep_args ? 0 : wk_sh_set_parameters(sh, run->arg0, run->args, run->n_args);
}

static enum wk_flow run_script(whelk_run *run, struct wk_shell *sh)
{
    if (run->flags & WHELK_RUN_FILE)
        return wk_sh_run_script_file(sh, run->script);
    if (run->flags & WHELK_RUN_STDIN) {
        struct wk_file *f = wk_fd_get(sh->proc->fds, 0);
        return f ? wk_sh_run_file(sh, f, NULL) : WK_NEXT;
    }
    const char *source = run->flags & WHELK_RUN_SCRIPT ? run->arg0 : NULL;
    return wk_sh_run_text(sh, wk_str(run->script, run->script_len), source);
}

static void run_main(struct wk_task *t)
{
    whelk_run *run = t->arg;
    whelk_session *s = run->s;
    bool fresh = (run->flags & WHELK_RUN_FRESH) != 0;
    struct wk_shell *sh = fresh ? NULL : s->shell;
    if (!sh) {
        sh = make_shell(run, t);
        if (!sh) {
            run->exit = (struct wk_exit){1, 0};
            run->task_done = true;
            return;
        }
        *(fresh ? &run->fresh : &s->shell) = sh;
    } else if (reuse_shell(run, sh, t) != 0) {
        run->start_error = -WK_ENOMEM;
        run->task_done = true;
        return;
    }
    enum wk_flow flow = run_script(run, sh);
    run->shell_ended = flow == WK_EXIT;
    if (flow == WK_EXIT || flow == WK_STOP || (run->flags & (WHELK_RUN_LAST | WHELK_RUN_FRESH))) {
        run->exit = wk_sh_finish(sh, flow);
        wk_sh_reset_after_exit(sh);
    } else {
        run->exit = (struct wk_exit){(uint8_t)sh->status, 0};
    }
    if (!fresh)
        s->proc->task = NULL;
    run->task_done = true;
}

/* ---- streams
 * ------------------------------------------------------------------------------------- */

static int make_input(whelk_run *run, const whelk_input *given)
{
    whelk_input in;
    int r = wk_api_take_options(&in, sizeof in, given->size ? given : NULL);
    if (r)
        return r;
    struct wk_source src = {.tty = in.tty != 0,
                            .fd = in.fd,
                            .read = in.read,
                            .ctx = in.ctx,
                            .bytes = in.data,
                            .n = in.data_len};
    switch (in.kind) {
    case WHELK_INPUT_EMPTY:
        src.kind = WK_SOURCE_EMPTY;
        break;
    case WHELK_INPUT_BYTES:
        src.kind = WK_SOURCE_BYTES;
        if (in.data_len && !in.data)
            return WHELK_E_INVALID;
        break;
    case WHELK_INPUT_FD:
        src.kind = WK_SOURCE_FD;
        if (in.fd < 0) /* poll(2) would wait for it for ever */
            return WHELK_E_INVALID;
        break;
    case WHELK_INPUT_CALLBACK:
        src.kind = WK_SOURCE_CALLBACK;
        if (!in.read)
            return WHELK_E_INVALID;
        break;
    default:
        return WHELK_E_UNSUPPORTED;
    }
    return wk_api_error(wk_source_file_new(&run->s->kern, &src, &run->in));
}

static int make_output(whelk_run *run, const whelk_output *given, bool is_err, struct wk_file **out)
{
    whelk_output o;
    int r = wk_api_take_options(&o, sizeof o, given->size ? given : NULL);
    if (r)
        return r;
    struct wk_sink sink = {
        .tty = o.tty != 0, .fd = o.fd, .write = o.write, .ctx = o.ctx, .count = true};
    struct wk_buf *buf = is_err ? &run->s->err : &run->s->out;
    switch (o.kind) {
    case WHELK_OUTPUT_RESULT:
        sink.kind = WK_SINK_BUFFER;
        sink.buf = buf;
        sink.keep = o.keep_bytes;
        break;
    case WHELK_OUTPUT_DISCARD:
        sink.kind = WK_SINK_NULL;
        break;
    case WHELK_OUTPUT_FD:
        sink.kind = WK_SINK_FD;
        if (o.fd < 0)
            return WHELK_E_INVALID;
        break;
    case WHELK_OUTPUT_CALLBACK:
        sink.kind = WK_SINK_CALLBACK;
        if (!o.write)
            return WHELK_E_INVALID;
        break;
    case WHELK_OUTPUT_MERGED:
        if (!is_err)
            return WHELK_E_INVALID;
        *out = wk_file_ref(run->out);
        return WHELK_OK;
    default:
        return WHELK_E_UNSUPPORTED;
    }
    return wk_api_error(wk_sink_file_new(&run->s->kern, &sink, out));
}

static int attach(struct wk_proc *p, whelk_run *run)
{
    int r = wk_fd_set(&p->fds, 0, wk_file_ref(run->in), false);
    if (!r)
        r = wk_fd_set(&p->fds, 1, wk_file_ref(run->out), false);
    return r ? r : wk_fd_set(&p->fds, 2, wk_file_ref(run->err), false);
}

static void detach(struct wk_proc *p)
{
    for (int fd = 0; fd < 3; fd++)
        (void)wk_fd_close(&p->fds, fd);
}

/* ---- start
 * --------------------------------------------------------------------------------------- */

static bool words_given(const char *const *v, size_t n)
{
    if (n >= SIZE_MAX / sizeof *v || (n && !v))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!v[i])
            return false;
    return true;
}

static int copy_words(whelk_run *run, const whelk_run_options *o)
{
    struct wk_mem *m = run->s->mem;
    const char *arg0 = o->arg0 ? o->arg0 : (o->flags & WHELK_RUN_FILE) ? o->script : "bash";
    run->script_len = o->script_len;
    if (!o->script)
        run->script_len = 0;
    else if (o->script_len == SIZE_MAX)
        run->script_len = strlen(o->script);
    run->script = wk_strndup(m, o->script ? o->script : "", run->script_len);
    run->arg0 = wk_strndup(m, arg0, strlen(arg0));
    run->args = wk_calloc(m, o->n_args + 1, sizeof *run->args);
    run->set = wk_calloc(m, o->n_set + 1, sizeof *run->set);
    if (!run->script || !run->arg0 || !run->args || !run->set)
        return WHELK_E_NOMEM;
    for (; run->n_args < o->n_args; run->n_args++) {
        struct wk_str a = wk_str_c(o->args[run->n_args]);
        char *p = wk_strndup(m, a.p, a.n);
        if (!p)
            return WHELK_E_NOMEM;
        run->args[run->n_args] = wk_str(p, a.n);
    }
    for (; run->n_set < o->n_set; run->n_set++) {
        run->set[run->n_set] = wk_strndup(m, o->set[run->n_set], strlen(o->set[run->n_set]));
        if (!run->set[run->n_set])
            return WHELK_E_NOMEM;
    }
    return WHELK_OK;
}

static void run_drop(whelk_run *run)
{
    struct wk_mem *m = run->s->mem;
    if (run->in)
        wk_file_unref(run->in);
    if (run->out)
        wk_file_unref(run->out);
    if (run->err)
        wk_file_unref(run->err);
    for (size_t i = 0; i < run->n_args; i++)
        wk_free_const(m, run->args[i].p);
    for (size_t i = 0; i < run->n_set; i++)
        wk_free_const(m, run->set[i]);
    wk_free(m, run->args);
    wk_free(m, run->set);
    wk_free(m, run->script);
    wk_free(m, run->arg0);
    wk_free(m, run);
}

static int start_task(whelk_run *run, const whelk_run_options *o)
{
    whelk_session *s = run->s;
    struct wk_proc *p = s->proc;
    if (run->flags & WHELK_RUN_FRESH) {
        int r = wk_proc_fork(s->proc, &run->fresh_proc);
        if (r)
            return wk_api_error(r);
        p = run->fresh_proc;
    }
    struct wk_limits limits = s->kern.limits;
    int r = wk_api_take_limits(&limits, o->limits);
    if (r)
        return r;
    r = attach(p, run);
    run->saved_limits = s->kern.limits;
    s->kern.limits = limits;
    if (!r) {
        wk_kern_begin_run(&s->kern);
        r = wk_task_new(&s->kern, p, false, run_main, run, &run->task);
    }
    if (!r) {
        p->task = run->task;
        return WHELK_OK;
    }
    s->kern.limits = run->saved_limits;
    if (p == s->proc)
        detach(p);
    return wk_api_error(r);
}

int whelk_run_start(whelk_session *s, const whelk_run_options *options, whelk_run **out)
{
    if (!s || !out)
        return WHELK_E_INVALID;
    *out = NULL;
    if (s->callback_depth || s->run)
        return WHELK_E_BUSY;
    if (s->closing)
        return WHELK_E_CLOSED;
    whelk_run_options o;
    int r = wk_api_take_options(&o, sizeof o, options);
    if (r)
        return r;
    if (o.flags & ~(uint32_t)(WHELK_RUN_FRESH | WHELK_RUN_FILE | WHELK_RUN_STDIN |
                              WHELK_RUN_INTERACTIVE | WHELK_RUN_LAST | WHELK_RUN_SCRIPT |
                              WHELK_RUN_NO_HISTORY))
        return WHELK_E_UNSUPPORTED;
    if (!words_given(o.args, o.n_args) || !words_given(o.set, o.n_set))
        return WHELK_E_INVALID;
    whelk_run *run = WK_NEW(s->mem, whelk_run);
    if (!run)
        return WHELK_E_NOMEM;
    run->s = s;
    run->flags = o.flags;
    run->keep_args = o.keep_args && !o.n_args;
    run->started_ns = wk_clock_host(&s->kern.clock);
    wk_buf_reset(&s->out);
    wk_buf_reset(&s->err);
    r = copy_words(run, &o);
    if (!r)
        r = make_input(run, &o.in);
    if (!r)
        r = make_output(run, &o.out, false, &run->out);
    if (!r)
        r = make_output(run, &o.err, true, &run->err);
    if (!r)
        r = start_task(run, &o);
    if (r) {
        if (run->fresh_proc) {
            wk_proc_finish(run->fresh_proc, (struct wk_exit){1, 0});
            wk_proc_reap(run->fresh_proc);
        }
        run_drop(run);
        return r;
    }
    s->run = run;
    *out = run;
    return WHELK_OK;
}

/* ---- step and wait
 * -------------------------------------------------------------------------------- */

int wk_run_flush(whelk_run *run)
{
    run->s->callback_depth++; /* the host's write callbacks */
    int a = wk_sink_flush(run->out);
    int b = run->err == run->out ? 0 : wk_sink_flush(run->err);
    run->s->callback_depth--;
    return a == -WK_EAGAIN || b == -WK_EAGAIN ? WHELK_STEP_WAIT : WHELK_STEP_DONE;
}

/* The main shell has ended. Processes beside it that are ready have a short turn while their output
 * still goes where the run's goes: `echo x &` as the last line is seen. */
static void settle(whelk_session *s, uint64_t budget_steps, int64_t budget_ns)
{
    enum { STEPS = 100000, NS = 10000000 };
    if (s->kern.run_first && s->kern.breach == WK_LIMIT_NONE)
        wk_sched_settle(&s->kern, budget_steps ? WK_MIN(budget_steps, (uint64_t)STEPS) : STEPS,
                        budget_ns > 0 ? WK_MIN(budget_ns, (int64_t)NS) : NS);
}

int whelk_run_step(whelk_run *run, uint64_t budget_steps, int64_t budget_ns)
{
    if (!run)
        return WHELK_E_INVALID;
    whelk_session *s = run->s;
    if (s->callback_depth)
        return WHELK_E_BUSY;
    if (run->task_done)
        return wk_run_flush(run);
    s->callback_depth++;
    enum wk_sched_result r = wk_sched_run(&s->kern, run->task, budget_steps, budget_ns);
    if (r == WK_SCHED_DONE)
        settle(s, budget_steps, budget_ns);
    s->callback_depth--;
    switch (r) {
    case WK_SCHED_DONE:
        return wk_run_flush(run);
    case WK_SCHED_READY:
        return WHELK_STEP_READY;
    case WK_SCHED_WAIT:
        return WHELK_STEP_WAIT;
    case WK_SCHED_HOST_CALL:
        return WHELK_STEP_HOST_CALL;
    case WK_SCHED_DEADLOCK:
        /* Nothing outside can wake a task: only cancel or the deadline can end this. */
        return WHELK_STEP_HOST_CALL;
    }
    return WHELK_E_BUG;
}

int whelk_run_wait_info(whelk_run *run, whelk_wait *out)
{
    if (!run || !out || out->size < offsetof(whelk_wait, fds))
        return WHELK_E_INVALID;
    struct wk_wait_fd fds[64];
    int64_t deadline;
    size_t n = wk_sched_wait_info(&run->s->kern, fds, WK_COUNTOF(fds), &deadline);
    whelk_wait w = {.size = out->size, .n_fds = n, .timeout_ns = -1};
    for (size_t i = 0; i < n; i++) {
        w.fds[i] = fds[i].fd;
        w.events[i] = fds[i].events;
    }
    if (deadline != WK_FOREVER) {
        int64_t now = wk_clock_host(&run->s->kern.clock);
        w.timeout_ns = deadline > now ? deadline - now : 0;
    }
    memcpy(out, &w, WK_MIN(out->size, sizeof w));
    return WHELK_OK;
}

int whelk_run_wait(whelk_run *run, int64_t timeout_ns)
{
    if (!run)
        return WHELK_E_INVALID;
    int r = wk_sched_wait(&run->s->kern, timeout_ns < 0 ? WK_FOREVER : timeout_ns);
    return r < 0 ? wk_api_error(r) : WHELK_OK;
}

/* ---- finish
 * ---------------------------------------------------------------------------------------- */

/* Stop what still runs in the foreground and let it return. */
static void end_task(whelk_run *run)
{
    whelk_session *s = run->s;
    if (run->task_done)
        return;
    wk_kern_stop(&s->kern, s->closing ? WK_STOP_CLOSE : WK_STOP_CANCEL, false);
    run->cancelled = true;
    s->callback_depth++;
    while (!run->task_done) {
        enum wk_sched_result r = wk_sched_run(&s->kern, run->task, 0, 0);
        if (r == WK_SCHED_DEADLOCK)
            break;
        if (r == WK_SCHED_WAIT || r == WK_SCHED_HOST_CALL)
            wk_sched_wait(&s->kern, 1000000);
    }
    s->callback_depth--;
}

static void fill_result(whelk_run *run)
{
    whelk_session *s = run->s;
    struct wk_kern *k = &s->kern;
    whelk_result *r = &s->result;
    *r = (whelk_result){.size = sizeof *r};
    r->status = wk_exit_status(run->exit);
    r->signal = run->exit.signal;
    r->stop = run->exit.signal ? WHELK_STOP_SIGNAL : WHELK_STOP_EXIT;
    if (k->breach != WK_LIMIT_NONE) {
        r->stop = WHELK_STOP_LIMIT;
        r->limit = (int)k->breach;
        r->signal = 0;
        r->status = k->breach == WK_LIMIT_TIME ? STATUS_TIME : STATUS_LIMIT;
    } else if (run->cancelled || wk_kern_was_cancelled(k)) {
        r->stop = s->closing ? WHELK_STOP_CLOSED : WHELK_STOP_CANCEL;
        r->signal = 0;
        r->status = STATUS_CANCEL;
    }
    r->shell_ended = run->shell_ended;
    r->out = wk_buf_c(&s->out);
    r->out_len = s->out.n;
    r->err = wk_buf_c(&s->err);
    r->err_len = s->err.n;
    r->out_total = wk_sink_total(run->out);
    r->err_total = run->err == run->out ? 0 : wk_sink_total(run->err);
    r->steps = wk_kern_steps(k);
    r->wall_ns = wk_clock_host(&k->clock) - run->started_ns;
    r->memory_peak = s->mem->peak;
    if (s->shell && s->shell->now.jobs) {
        for (struct wk_job *j = wk_jobs_first(s->shell); j; j = j->next)
            r->jobs += j->state != WK_JOB_DONE;
    }
}

int whelk_run_finish(whelk_run *run, const whelk_result **result)
{
    if (!run)
        return WHELK_E_INVALID;
    whelk_session *s = run->s;
    if (s->callback_depth)
        return WHELK_E_BUSY;
    end_task(run);
    s->callback_depth++;
    wk_hostreqs_perform(&s->kern); /* calls whose process is gone are told */
    s->callback_depth--;
    (void)wk_run_flush(run);
    int err = run->start_error;
    fill_result(run);
    if (run->fresh)
        wk_shell_free(run->fresh);
    if (run->fresh_proc) {
        wk_proc_finish(run->fresh_proc, run->exit);
        wk_proc_reap(run->fresh_proc);
    } else {
        /* The shell lets go of the streams; a job that still writes keeps the ring. */
        detach(s->proc);
    }
    wk_source_end(run->in);
    wk_job_ring_adopt(s, run->out, run->err);
    s->kern.limits = run->saved_limits;
    s->run = NULL;
    run_drop(run);
    if (s->close_wanted && !s->closing) {
        if (result)
            *result = NULL;
        whelk_session_close(s);
        return WHELK_E_CLOSED;
    }
    if (result)
        *result = &s->result;
    return err ? wk_api_error(err) : WHELK_OK;
}

int whelk_exec_with(whelk_session *s, const whelk_run_options *options, const whelk_result **result)
{
    whelk_run *run;
    if (result)
        *result = NULL;
    int r = whelk_run_start(s, options, &run);
    if (r)
        return r;
    for (;;) {
        r = whelk_run_step(run, 0, 0);
        if (r == WHELK_STEP_DONE || r < 0)
            break;
        if (r != WHELK_STEP_READY)
            whelk_run_wait(run, -1);
    }
    int f = whelk_run_finish(run, result);
    return r < 0 ? r : f;
}

int whelk_exec(whelk_session *s, const char *script, const whelk_result **result)
{
    if (!script)
        return WHELK_E_INVALID;
    whelk_run_options o;
    whelk_run_options_init(&o);
    o.script = script;
    o.script_len = SIZE_MAX;
    return whelk_exec_with(s, &o, result);
}
