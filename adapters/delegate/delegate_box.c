/* delegate_box.c - the box that the delegated commands of a session share: opened, pumped, waited for */
#include "adapters/delegate/delegate_box.h"

enum { LEAVE_MS = 5000 }; /* for the processes of a session that is closed to end */

const char *wk_delegate_kind(const struct wk_delegate *d)
{
    return d->box ? whelk_sandbox_kind_name(d->box) : d->kind->name;
}

bool wk_delegate_is_lost(const struct wk_delegate *d)
{
    return !d->box || !d->box->box || d->box->lost;
}

static int64_t host_now(const struct wk_delegate *d)
{
    return wk_clock_host(&d->k->clock);
}

/* ---- records --------------------------------------------------------------------------------------------- */

static void record_free(struct wk_delegated *x)
{
    struct wk_mem *m = x->d->mem;
    *x->at = x->next;
    if (x->next)
        x->next->at = x->at;
    wk_delegated_release_streams(x);
    wk_mirror_result_free(x->result);
    wk_free(m, x->words);
    wk_free(m, x);
}

/* One of those that wait watches the box from now on. Who has news goes on with them instead, perhaps to its end. */
static void hand_over(struct wk_delegate *d)
{
    if (d->pumper)
        return;
    for (struct wk_delegated *x = d->processes; x; x = x->next)
        if (x->parked && !x->news) {
            wk_task_wake(x->task, -WK_EINTR);
            return;
        }
}

/* The command has ended, or was dropped: then its process must end, too. */
static void command_gone(void *obj)
{
    struct wk_delegated *x = obj;
    struct wk_delegate *d = x->d;
    x->proc->user = NULL;
    x->task = NULL;
    x->proc = NULL;
    x->parked = false;
    x->in = x->out[0].file = x->out[1].file = NULL;
    if (d->pumper == x)
        d->pumper = NULL;
    hand_over(d); /* it may have been the one that was to watch */
    if (!x->known) {
        record_free(x);
        return;
    }
    if (x->state < WK_DELEGATED_ENDED) {
        x->n_signals = 0;
        x->signals[x->n_signals].signal = WK_SIGKILL;
        x->signals[x->n_signals++].scope = WHELK_SCOPE_TREE;
        d->may_have_changed = true;
    }
    wk_delegate_post(d);
}

struct wk_delegated *wk_delegated_new(struct wk_delegate *d, struct wk_task *t)
{
    struct wk_delegated *x = WK_NEW(d->mem, struct wk_delegated);
    if (!x)
        return NULL;
    x->d = d;
    x->task = t;
    x->proc = t->proc;
    x->proc->user = x;
    x->kill_due = WK_FOREVER;
    wk_buf_init(&x->staged, d->mem, WK_DELEGATE_INPUT);
    wk_buf_init(&x->sent, d->mem, 2 * WK_DELEGATE_SENT + WK_DELEGATE_INPUT);
    for (int i = 0; i < 2; i++)
        wk_buf_init(&x->out[i].held, d->mem, 4 * WK_DELEGATE_WINDOW);
    x->next = d->processes;
    x->at = &d->processes;
    if (x->next)
        x->next->at = &x->next;
    d->processes = x;
    wk_heap_own(t->proc->heap, x, command_gone);
    return x;
}

void wk_delegated_news(struct wk_delegated *x)
{
    x->news = true;
    if (x->parked)
        wk_task_wake(x->task, -WK_EINTR);
    if (!x->d->pumping) /* the program has pumped the box */
        wk_kern_wake(x->d->k);
}

/* ---- the box, on the host's stack -------------------------------------------------------------------------- */

/* What it waits for now; who watches it has to know. */
static void look_at_poll(struct wk_delegate *d)
{
    int fds[WK_DELEGATE_FDS];
    short events[WK_DELEGATE_FDS];
    int64_t ms = -1;
    d->n_fds = 0;
    d->due_ns = WK_FOREVER;
    if (!wk_delegate_is_lost(d)) {
        size_t n = d->box->kind->poll(d->box->box, fds, events, WK_DELEGATE_FDS, &ms);
        d->n_fds = WK_MIN(n, (size_t)WK_DELEGATE_FDS);
        for (size_t i = 0; i < d->n_fds; i++)
            d->fds[i] = (struct wk_wait_fd){fds[i], events[i]};
        if (ms >= 0 && ms < INT64_MAX / 2000000)
            d->due_ns = host_now(d) + ms * 1000000;
    }
    if (d->pumper && d->pumper->parked)
        wk_task_wake(d->pumper->task, -WK_EINTR);
}

/* The box is gone: what was under way is over. */
static void lose(struct wk_delegate *d)
{
    d->box->lost = true;
    for (struct wk_delegated *x = d->processes; x; x = x->next) {
        if (x->known && x->state < WK_DELEGATED_OVER) {
            x->lost = x->state < WK_DELEGATED_ENDED;
            x->state = WK_DELEGATED_OVER;
        }
        if (x->known)
            d->box->kind->forget(d->box->box, x->id);
        wk_delegated_end_output(x);
        x->known = false;
        wk_delegated_news(x);
    }
}

static void signal_sent(void *ctx, int code)
{
    (void)ctx;
    (void)code;
}

static void send_signals(struct wk_delegated *x)
{
    struct whelk_sandbox *b = x->d->box;
    size_t sent = 0;
    for (; sent < x->n_signals; sent++)
        if (b->kind->signal(b->box, x->id, x->signals[sent].signal, x->signals[sent].scope, signal_sent, NULL) ==
            WHELK_E_AGAIN)
            break;
    x->n_signals -= sent;
    memmove(x->signals, x->signals + sent, x->n_signals * sizeof x->signals[0]);
}

/* A wish for a sync is begun, and a done one handed out; true: something was begun. */
static bool look_at_sync(struct wk_delegated *x)
{
    struct wk_delegate *d = x->d;
    if (x->sync == WK_SYNC_BEGUN && (x->result = wk_mirror_take(d->mirror, x->ticket)) != NULL) {
        x->sync = WK_SYNC_DONE;
        wk_delegated_news(x);
    }
    if (x->sync != WK_SYNC_WANTED || !x->proc)
        return false;
    int r = wk_mirror_begin(d->mirror, x->way, &x->proc->cred, &x->ticket);
    if (r == -WK_EBUSY)
        return false;
    x->sync = r ? WK_SYNC_DONE : WK_SYNC_BEGUN;
    if (r)
        wk_delegated_news(x);
    return !r;
}

static void settle_files(struct wk_delegate *d)
{
    bool begun = true;
    while (d->mirror && begun) {
        (void)wk_mirror_step(d->mirror);
        begun = false;
        for (struct wk_delegated *x = d->processes; x && !begun; x = x->next)
            begun = look_at_sync(x);
    }
}

/* Every process is told what waits for it; those that nobody wants any more go. */
static void settle(struct wk_delegate *d)
{
    for (struct wk_delegated *x = d->processes, *next; x; x = next) {
        next = x->next;
        if (x->known && !wk_delegate_is_lost(d)) {
            if (x->n_signals)
                send_signals(x);
            wk_delegated_tell(x);
        }
        if (x->task || (x->known && x->state != WK_DELEGATED_OVER))
            continue;
        if (x->known && !wk_delegate_is_lost(d))
            d->box->kind->forget(d->box->box, x->id);
        record_free(x);
    }
    settle_files(d);
}

void wk_delegate_pump(struct wk_delegate *d)
{
    enum { ROUNDS = 2 }; /* what was settled goes out at once */
    struct whelk_sandbox *b = d->box;
    if (!b || !b->box)
        return;
    d->pumping = true;
    int64_t tick = wk_sandbox_tick(b); /* processes that the program itself has there */
    for (int i = 0; i < ROUNDS && !b->lost; i++) {
        if (b->kind->pump(b->box) != WHELK_OK)
            b->lost = true;
        if (!b->lost)
            settle(d);
    }
    if (b->lost) {
        lose(d);
        settle(d);
    }
    d->pumping = false;
    look_at_poll(d);
    if (tick != INT64_MAX)
        d->due_ns = WK_MIN(d->due_ns, host_now(d) + WK_MAX(tick - wk_sandbox_now(), INT64_C(0)));
}

/* ---- requests of tasks --------------------------------------------------------------------------------------- */

struct call {
    struct wk_delegated *x;
    void (*perform)(struct wk_delegated *x);
};

static void perform_call(struct wk_hostreq *r)
{
    struct call *call = r->ctx;
    struct wk_delegate *d = call->x->d;
    r->done = true;
    d->pumping = true;
    if (call->perform)
        call->perform(call->x);
    d->pumping = false;
    wk_delegate_pump(d);
}

void wk_delegate_call(struct wk_delegated *x, void (*perform)(struct wk_delegated *x))
{
    struct call call = {x, perform};
    struct wk_hostreq r = {.perform = perform_call, .ctx = &call};
    (void)wk_hostreq_call(x->task, &r, false);
}

static void perform_service(struct wk_hostreq *r)
{
    struct wk_delegate *d = r->ctx;
    r->done = true;
    d->posted = false;
    if (d->box && d->box->box)
        wk_delegate_pump(d);
}

void wk_delegate_post(struct wk_delegate *d)
{
    if (d->posted || d->freeing)
        return;
    d->posted = true;
    d->service = (struct wk_hostreq){.perform = perform_service, .ctx = d};
    wk_hostreq_post(d->k, &d->service);
}

void wk_delegate_wait(struct wk_delegated *x, struct wk_wait_any *files, int64_t until_host_ns)
{
    struct wk_delegate *d = x->d;
    struct wk_wait_any w = {.until_ns = WK_FOREVER};
    if (x->news) {
        x->news = false;
        hand_over(d);
        return;
    }
    if (files)
        w = *files;
    w.until_host_ns = until_host_ns;
    bool pumps = !d->pumper && !wk_delegate_is_lost(d);
    if (pumps) {
        d->pumper = x;
        w.fds = d->fds;
        w.n_fds = d->n_fds;
        w.until_host_ns = WK_MIN(until_host_ns, d->due_ns);
    }
    x->parked = true;
    int r = wk_wait_any(x->task, &w);
    bool news = x->news;
    x->parked = x->news = false;
    if (!pumps) {
        if (news)
            hand_over(d);
        return;
    }
    d->pumper = NULL;
    if (r == 0)
        d->heard_ns = host_now(d);
    if (r != -WK_EINTR)
        wk_delegate_call(x, NULL);
    hand_over(d);
}

/* ---- opening ------------------------------------------------------------------------------------------------- */

struct opening {
    struct wk_delegate *d;
    struct wk_task *task;
    struct wk_buf *why;
    int code;
};

/* The run was cancelled, or its time is over. */
static int give_up_opening(void *ctx)
{
    const struct opening *o = ctx;
    struct wk_kern *k = o->d->k;
    return atomic_load_explicit(&k->cancel, memory_order_relaxed) ||
           (!o->task->background && k->deadline_host_ns != WK_FOREVER && host_now(o->d) >= k->deadline_host_ns);
}

/* The box that was lost goes, with what is known of its files. */
static void close_lost(struct wk_delegate *d)
{
    whelk_sandbox_close(d->box);
    d->box = NULL;
    wk_mirror_free(d->mirror);
    d->mirror = NULL;
    d->n_fds = 0;
}

static int make_mirror(struct wk_delegate *d)
{
    struct wk_mirror_pair pairs[WK_COUNTOF(d->dirs)];
    for (size_t i = 0; i < d->n_dirs; i++)
        pairs[i] = (struct wk_mirror_pair){d->dirs[i].here, i ? d->dirs[i].there : ""};
    struct wk_mirror_config config = {.mem = d->mem,
                                      .vfs = d->k->vfs,
                                      .kind = d->box->kind,
                                      .box = d->box->box,
                                      .pairs = pairs,
                                      .n_pairs = d->n_dirs,
                                      .left_out = (const char *const *)d->left_out,
                                      .n_left_out = d->n_left_out,
                                      .one_way = d->sync == WHELK_SYNC_IN,
                                      .max_file = d->max_file,
                                      .max_bytes = d->max_bytes,
                                      .max_files = d->max_files};
    return wk_mirror_new(&config, &d->mirror);
}

static void perform_open(struct wk_hostreq *r)
{
    struct opening *o = r->ctx;
    struct wk_delegate *d = o->d;
    r->done = true;
    if (d->box && d->own && wk_delegate_is_lost(d))
        close_lost(d);
    if (!d->box) {
        o->code = wk_sandbox_open_kind(d->kind, d->options, give_up_opening, o, &d->box);
        d->own = true;
        if (o->code) {
            wk_buf_put_c(o->why, d->box ? whelk_sandbox_error(d->box) : whelk_strerror(o->code));
            whelk_sandbox_close(d->box);
            d->box = NULL;
            return;
        }
    }
    if (wk_delegate_is_lost(d)) {
        o->code = WHELK_E_CLOSED;
        wk_buf_put_c(o->why, "it is gone");
        return;
    }
    int e = d->n_dirs ? 0 : wk_delegate_set_dirs(d);
    if (!e && !d->mirror && d->sync != WHELK_SYNC_NONE)
        e = make_mirror(d);
    if (e) {
        o->code = e == -WK_ENOMEM ? WHELK_E_NOMEM : WHELK_E_INVALID;
        wk_buf_put_c(o->why, whelk_strerror(o->code));
    }
}

int wk_delegate_open(struct wk_delegated *x, struct wk_buf *why)
{
    struct wk_delegate *d = x->d;
    struct opening o = {d, x->task, why, WHELK_OK};
    struct wk_hostreq r = {.perform = perform_open, .ctx = &o};
    bool ready = !wk_delegate_is_lost(d) && d->n_dirs && (d->mirror || d->sync == WHELK_SYNC_NONE);
    if (!ready)
        (void)wk_hostreq_call(x->task, &r, false);
    if (o.code && give_up_opening(&o)) { /* the run is to end: it does so here */
        d->k->budget = -1;
        (void)wk_step_slow(d->k);
    }
    return o.code;
}

/* ---- files --------------------------------------------------------------------------------------------------- */

bool wk_delegate_sync(struct wk_delegated *x, enum wk_mirror_way way)
{
    struct wk_delegate *d = x->d;
    int64_t quiet = host_now(d) + WK_DELEGATE_QUIET_NS, now = 0;
    wk_mirror_result_free(x->result);
    x->result = NULL;
    x->way = way;
    x->sync = WK_SYNC_WANTED;
    wk_delegate_call(x, NULL);
    while (x->sync != WK_SYNC_DONE && !x->killed_by && !wk_delegate_is_lost(d) && now < quiet) {
        wk_delegate_wait(x, NULL, quiet);
        quiet = WK_MAX(quiet, d->heard_ns + WK_DELEGATE_QUIET_NS);
        now = host_now(d);
    }
    bool done = x->sync == WK_SYNC_DONE;
    x->sync = WK_SYNC_IDLE;
    return done;
}

/* ---- leaving ------------------------------------------------------------------------------------------------- */

static bool all_is_over(void *ctx)
{
    const struct wk_delegate *d = ctx;
    for (const struct wk_delegated *x = d->processes; x; x = x->next)
        if (x->known && x->state != WK_DELEGATED_OVER)
            return false;
    return !d->mirror || wk_mirror_is_idle(d->mirror);
}

/* The program's box goes on without us: nothing of ours may be told to it any more. */
static void leave_open_box(struct wk_delegate *d)
{
    struct whelk_sandbox *b = d->box;
    int64_t deadline = wk_sandbox_deadline(LEAVE_MS);
    if (d->mirror)
        wk_mirror_give_up(d->mirror);
    while (!wk_delegate_is_lost(d) && !all_is_over(d) && wk_sandbox_now() < deadline) {
        wk_delegate_pump(d);
        if (!wk_delegate_is_lost(d))
            (void)wk_sandbox_wait_once(b, all_is_over, d, deadline);
    }
    for (struct wk_delegated *x = d->processes; x && b->box; x = x->next)
        if (x->known)
            b->kind->forget(b->box, x->id);
    if (d->mirror && !wk_mirror_is_idle(d->mirror) && b->box) { /* it does not answer: no box is better than that one */
        b->lost = true;
        b->kind->close(b->box, WHELK_DEFAULT);
        b->box = NULL;
    }
}

void wk_delegate_leave_box(struct wk_delegate *d)
{
    for (struct wk_delegated *x = d->processes; x; x = x->next)
        wk_delegated_end_output(x);
    if (d->own)
        whelk_sandbox_close(d->box);
    else
        leave_open_box(d);
    d->box = NULL;
    wk_mirror_free(d->mirror);
    d->mirror = NULL;
    while (d->processes)
        record_free(d->processes);
}
