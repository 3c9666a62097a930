/* jobs.c - background jobs between runs: their output rings, listing, signals, pumping */
#include "api/internal.h"

enum { RING_BYTES = 1 << 20 };

void wk_free_const(struct wk_mem *m, const void *p)
{
    union {
        const void *in;
        void *out;
    } u = {.in = p};
    wk_free(m, u.out);
}

/* The oldest half goes when the ring is full, so that a flood costs amortised O(1) a byte. */
static ptrdiff_t ring_write(void *ctx, const void *src, size_t n)
{
    struct wk_job_ring *r = ctx;
    const char *p = src;
    size_t given = n;
    if (n > RING_BYTES / 2) {
        r->dropped += n - RING_BYTES / 2;
        p += n - RING_BYTES / 2;
        n = RING_BYTES / 2;
    }
    if (r->buf.n + n > RING_BYTES) {
        size_t drop = WK_MIN(r->buf.n, (size_t)RING_BYTES / 2);
        memmove(r->buf.p, r->buf.p + drop, r->buf.n - drop);
        r->buf.n -= drop;
        r->dropped += drop;
    }
    if (!wk_buf_put(&r->buf, p, n)) {
        r->buf.failed = false;
        r->dropped += n;
    }
    return (ptrdiff_t)given;
}

static void point_at_ring(struct wk_file *f, struct wk_job_ring *r)
{
    struct wk_sink sink = {.kind = WK_SINK_CALLBACK, .write = ring_write, .ctx = r};
    wk_sink_redirect(f, &sink);
}

void wk_job_ring_adopt(whelk_session *s, struct wk_file *out, struct wk_file *err)
{
    /* The caller's own reference is one; a stream merged into the other has two. */
    bool merged = out == err;
    bool held = out->refs > (merged ? 2u : 1u) || (!merged && err->refs > 1);
    struct wk_job_ring *r = held ? WK_NEW(s->mem, struct wk_job_ring) : NULL;
    if (!r) {
        struct wk_sink none = {.kind = WK_SINK_NULL};
        wk_sink_redirect(out, &none);
        if (!merged)
            wk_sink_redirect(err, &none);
        return;
    }
    wk_buf_init(&r->buf, s->mem, RING_BYTES);
    r->out = wk_file_ref(out);
    point_at_ring(out, r);
    r->err = merged ? NULL : wk_file_ref(err);
    if (!merged)
        point_at_ring(err, r);
    r->next = s->rings;
    s->rings = r;
}

static void ring_free(whelk_session *s, struct wk_job_ring *r)
{
    struct wk_sink none = {.kind = WK_SINK_NULL};
    wk_sink_redirect(r->out, &none);
    wk_file_unref(r->out);
    if (r->err) {
        wk_sink_redirect(r->err, &none);
        wk_file_unref(r->err);
    }
    wk_buf_release(&r->buf);
    wk_free(s->mem, r);
}

void wk_job_rings_release(whelk_session *s)
{
    while (s->rings) {
        struct wk_job_ring *r = s->rings;
        s->rings = r->next;
        ring_free(s, r);
    }
}

/* A ring that no process writes any more and that was read to its end. */
static void tidy_rings(whelk_session *s)
{
    for (struct wk_job_ring **at = &s->rings; *at;) {
        struct wk_job_ring *r = *at;
        if (r->out->refs > 1 || (r->err && r->err->refs > 1) || r->buf.n) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        ring_free(s, r);
    }
}

static bool proc_holds(const struct wk_proc *p, const struct wk_file *f)
{
    for (uint32_t fd = 0; p->fds && fd < p->fds->n; fd++)
        if (p->fds->ents[fd].file == f)
            return true;
    return false;
}

void wk_job_output(struct wk_kern *k, const struct wk_proc *p, struct wk_buf *out)
{
    whelk_session *s = k->owner;
    for (struct wk_job_ring *r = s->rings; r; r = r->next) {
        if (!proc_holds(p, r->out) && !(r->err && proc_holds(p, r->err)))
            continue;
        wk_buf_puts(out, wk_buf_str(&r->buf));
        return;
    }
}

ptrdiff_t whelk_job_read(whelk_session *s, uint32_t pid, void *dst, size_t cap)
{
    if (!s || !dst)
        return WHELK_E_INVALID;
    struct wk_proc *p = wk_proc_find(&s->kern, pid);
    for (struct wk_job_ring *r = s->rings; r; r = r->next) {
        bool its = p && (proc_holds(p, r->out) || (r->err && proc_holds(p, r->err)));
        if (p ? !its : !r->buf.n)
            continue;
        wk_sink_flush(r->out);
        if (r->err)
            wk_sink_flush(r->err);
        size_t n = WK_MIN(cap, r->buf.n);
        if (n)
            memcpy(dst, r->buf.p, n);
        if (n < r->buf.n)
            memmove(r->buf.p, r->buf.p + n, r->buf.n - n);
        r->buf.n -= n;
        tidy_rings(s);
        return (ptrdiff_t)n;
    }
    return p ? 0 : WHELK_E_NOENT;
}

int whelk_jobs(whelk_session *s, int (*visit)(void *ctx, const whelk_job *job), void *ctx)
{
    if (!s || !visit)
        return WHELK_E_INVALID;
    if (s->callback_depth)
        return WHELK_E_BUSY;
    if (!s->shell)
        return WHELK_OK;
    wk_jobs_poll(s->shell);
    int r = WHELK_OK;
    s->callback_depth++;
    for (struct wk_job *j = wk_jobs_first(s->shell); j && !r; j = j->next) {
        whelk_job out = {.size = sizeof out,
                         .number = j->number,
                         .state = (int)j->state,
                         .command = j->text ? j->text->p : ""};
        if (j->nprocs) {
            out.pid = j->procs[j->nprocs - 1].pid;
            out.status = j->state == WK_JOB_DONE ? wk_exit_status(j->procs[j->nprocs - 1].exit) : 0;
        }
        r = visit(ctx, &out);
    }
    wk_api_leave(s);
    return r;
}

int whelk_kill(whelk_session *s, int64_t pid, int signal)
{
    if (!s)
        return WHELK_E_INVALID;
    int r = wk_kill(&s->kern, NULL, pid, signal);
    return r == -WK_EINVAL ? WHELK_E_INVALID : wk_api_error(r);
}

int whelk_pump(whelk_session *s, uint64_t budget_steps, int64_t budget_ns)
{
    if (!s)
        return WHELK_E_INVALID;
    if (s->callback_depth || s->run)
        return WHELK_E_BUSY;
    if (!s->kern.task_count)
        return WHELK_STEP_DONE;
    s->callback_depth++;
    enum wk_sched_result r = wk_sched_run(&s->kern, NULL, budget_steps, budget_ns);
    for (struct wk_job_ring *g = s->rings; g; g = g->next) {
        wk_sink_flush(g->out);
        if (g->err)
            wk_sink_flush(g->err);
    }
    if (s->shell)
        wk_jobs_poll(s->shell);
    bool alive = s->kern.task_count > 0;
    if (wk_api_leave(s))
        return WHELK_E_CLOSED;
    return !alive                ? WHELK_STEP_DONE
           : r == WK_SCHED_READY ? WHELK_STEP_READY
           : r == WK_SCHED_WAIT  ? WHELK_STEP_WAIT
                                 : WHELK_STEP_HOST_CALL;
}
