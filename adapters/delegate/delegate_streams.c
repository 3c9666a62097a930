/* delegate_streams.c - input and output of a delegated command, between a session's files and its box */
#include "adapters/delegate/delegate_box.h"
#include "vfs/devfs.h"

#include <poll.h>

#define TIME_MAX INT64_C(1000000000000000) /* of one process: what is more was made up */

/* ---- what the box tells ------------------------------------------------------------------------------------ */

static void keep_words(struct wk_delegated *x, const char *text)
{
    struct wk_str words = wk_str_take(wk_str_c(text ? text : ""), 4096);
    if (!x->words)
        x->words = wk_strndup(x->d->mem, words.p, words.n);
}

static void told_started(void *ctx)
{
    struct wk_delegated *x = ctx;
    if (x->state == WK_DELEGATED_ASKED)
        x->state = WK_DELEGATED_RUNNING;
    wk_delegated_news(x);
}

static void told_failed(void *ctx, int code, const char *text)
{
    struct wk_delegated *x = ctx;
    x->fail_code = code ? code : WHELK_E_BUG;
    keep_words(x, text);
    x->state = WK_DELEGATED_OVER;
    wk_delegated_news(x);
}

/* A pipe of the session takes what it has room for at once: the reader goes on while more comes. */
static void take_output(void *ctx, const char *p, size_t n)
{
    struct wk_delegate_stream *s = ctx;
    if (s->broken || s->failed)
        return;
    if (s->held.n == s->held_at && s->file->kind == WK_FILE_PIPE_W) {
        ptrdiff_t done = wk_file_write(NULL, s->file, p, n);
        if (done == -WK_EPIPE) {
            s->broken = true;
            return;
        }
        if (done > 0) {
            p += done;
            n -= (size_t)done;
        }
    }
    if (n && s->held_at > s->held.n / 2) { /* what is written makes room */
        s->held.n -= s->held_at;
        memmove(s->held.p, s->held.p + s->held_at, s->held.n);
        s->held_at = 0;
    }
    if (n && !wk_buf_put(&s->held, p, n))
        s->failed = true;
}

static void told_output(void *ctx, int stream, const void *p, size_t n)
{
    struct wk_delegated *x = ctx;
    if (stream < 1 || stream > 2)
        return;
    struct wk_delegate_stream *s = &x->out[stream - 1];
    if (n > s->credit && !s->shut)
        s->failed = true; /* more than was welcome */
    s->credit -= WK_MIN(n, s->credit);
    if (!s->file || s->broken || !s->redact.b)
        return;
    wk_redact_pass(&s->redact, p, n, false, take_output, s);
    wk_delegated_news(x);
}

static void told_room(void *ctx, size_t n)
{
    struct wk_delegated *x = ctx;
    if (!x->had_room && n != SIZE_MAX)
        n = WK_MIN(n, (size_t)WK_DELEGATE_AHEAD); /* no more than that is ever on its way: it may have to come back */
    x->had_room = true;
    if (n == SIZE_MAX)
        x->unread = true;
    else
        x->room = n > SIZE_MAX / 2 - x->room ? SIZE_MAX / 2 : x->room + n;
    wk_delegated_news(x);
}

static void told_exited(void *ctx, const whelk_exit *e)
{
    struct wk_delegated *x = ctx;
    struct wk_kern *k = x->d->k;
    memcpy(&x->exit, e, WK_MIN(e->size, sizeof x->exit));
    x->state = WK_DELEGATED_ENDED;
    k->foreign_user_ns += WK_MIN(WK_MAX(x->exit.user_ns, INT64_C(0)), TIME_MAX);
    k->foreign_system_ns += WK_MIN(WK_MAX(x->exit.system_ns, INT64_C(0)), TIME_MAX);
    wk_delegated_news(x);
}

void wk_delegated_end_output(struct wk_delegated *x)
{
    for (int i = 0; i < 2; i++) {
        struct wk_delegate_stream *s = &x->out[i];
        if (!s->redact.b)
            continue;
        if (s->file && !s->broken)
            wk_redact_pass(&s->redact, NULL, 0, true, take_output, s);
        wk_redact_release(&s->redact);
        s->redact.b = NULL;
    }
}

static void told_closed(void *ctx)
{
    struct wk_delegated *x = ctx;
    wk_delegated_end_output(x);
    x->state = WK_DELEGATED_OVER;
    wk_delegated_news(x);
}

static void told_lost(void *ctx, const char *text)
{
    struct wk_delegated *x = ctx;
    keep_words(x, text);
    x->lost = x->state < WK_DELEGATED_ENDED;
    x->state = WK_DELEGATED_OVER;
    wk_delegated_news(x);
}

const whelk_process_events wk_delegated_events = {.size = sizeof wk_delegated_events,
                                                  .started = told_started,
                                                  .failed = told_failed,
                                                  .output = told_output,
                                                  .room = told_room,
                                                  .exited = told_exited,
                                                  .closed = told_closed,
                                                  .lost = told_lost};

/* ---- descriptors ------------------------------------------------------------------------------------------- */

/* What has no bytes to read, ever: /dev/null, an input that the host did not give. */
static bool is_nothing(struct wk_file *f)
{
    struct wk_stat st;
    if (f->kind == WK_FILE_DIR || !(f->flags & WK_FILE_READ))
        return true;
    bool device = wk_file_stat(f, &st) == 0 && WK_S_ISCHR(st.mode);
    if (f->kind == WK_FILE_DEVICE)
        return device && st.rdev == wk_rdev(WK_DEV_MEM, WK_DEV_NULL);
    return f->kind == WK_FILE_SOURCE && device && !f->is_tty;
}

void wk_delegated_take_streams(struct wk_delegated *x)
{
    struct wk_fdtab *fds = x->proc->fds;
    struct wk_file *in = wk_fd_get(fds, 0);
    x->has_input = in && !is_nothing(in);
    x->in = x->has_input ? in : NULL;
    x->remembers = x->in && wk_file_seek(x->in, 0, 1) < 0;
    for (int i = 0; i < 2; i++) {
        struct wk_delegate_stream *s = &x->out[i];
        s->file = wk_fd_get(fds, i + 1);
        s->broken = !s->file;
        wk_redact_init(&s->redact, x->d->box);
    }
    x->merged = x->out[0].file && x->out[0].file == x->out[1].file;
    if (x->merged)
        x->out[1].file = NULL; /* all of it comes as the first stream */
}

void wk_delegated_release_streams(struct wk_delegated *x)
{
    x->out[0].file = x->out[1].file = NULL;
    wk_delegated_end_output(x);
    for (int i = 0; i < 2; i++)
        wk_buf_release(&x->out[i].held);
    wk_buf_release(&x->staged);
    wk_buf_release(&x->sent);
}

/* ---- output ------------------------------------------------------------------------------------------------ */

static size_t held(const struct wk_delegate_stream *s)
{
    return s->held.n - s->held_at;
}

static void drop_held(struct wk_delegate_stream *s)
{
    wk_buf_reset(&s->held);
    s->held_at = 0;
}

static void write_failed(struct wk_cmd *c, struct wk_delegate_stream *s, int err)
{
    s->broken = true;
    drop_held(s);
    if (err == WK_ENOMEM)
        wk_heap_exhausted(c->heap);
    if (err == WK_EPIPE)
        return;
    s->unwritten = true;
    wk_msg(c, "write error: %s", wk_err_text(err));
}

/* To a pipe: as much as it takes now. */
static void flush_pipe(struct wk_cmd *c, struct wk_delegate_stream *s)
{
    ptrdiff_t n;
    while (held(s) && (n = wk_file_write(NULL, s->file, s->held.p + s->held_at, held(s))) != -WK_EAGAIN) {
        if (n < 0) {
            write_failed(c, s, (int)-n);
            return;
        }
        s->held_at += (size_t)n;
    }
    if (!held(s))
        drop_held(s);
}

static void release_buf(void *b)
{
    wk_buf_release(b);
}

/* To another file, which may make us wait for the host; the box may go on filling the buffer meanwhile. */
static void flush_file(struct wk_cmd *c, struct wk_delegate_stream *s)
{
    struct wk_unwind u;
    struct wk_buf b = s->held;
    size_t at = s->held_at;
    wk_buf_init(&s->held, b.mem, b.max);
    s->held_at = 0;
    wk_unwind_push(c->task, &u, release_buf, &b);
    s->writing = true;
    ptrdiff_t r = wk_file_write(c->task, s->file, b.p + at, b.n - at);
    s->writing = false;
    wk_unwind_pop(c->task, &u);
    wk_buf_release(&b);
    if (r < 0)
        write_failed(c, s, (int)-r);
}

void wk_delegated_flush(struct wk_cmd *c, struct wk_delegated *x)
{
    for (int i = 0; i < 2; i++) {
        struct wk_delegate_stream *s = &x->out[i];
        if (s->failed && !s->broken)
            write_failed(c, s, WK_ENOMEM);
        if (s->broken)
            drop_held(s);
        if (!held(s))
            continue;
        wk_tick(c, (uint32_t)(held(s) / 1024) + 1);
        if (s->file->kind == WK_FILE_PIPE_W)
            flush_pipe(c, s);
        else
            flush_file(c, s);
    }
}

/* ---- input ------------------------------------------------------------------------------------------------- */

static bool wants_input(const struct wk_delegated *x)
{
    return x->in && !x->in_over && !x->unread && x->room && !x->staged.n && x->state == WK_DELEGATED_RUNNING;
}

void wk_delegated_read(struct wk_cmd *c, struct wk_delegated *x)
{
    const char *p;
    if (!wants_input(x) || !wk_file_is_ready(x->in, POLLIN))
        return;
    ptrdiff_t n = wk_file_peek(c->task, x->in, 1, &p);
    if (n == -WK_EINTR || n == -WK_EAGAIN)
        return;
    if (n == -WK_ENOMEM)
        wk_heap_exhausted(c->heap);
    if (n <= 0 || !wants_input(x)) { /* its end, or what cannot be read; or the process has left meanwhile */
        x->in_over = x->in_over || n <= 0;
        return;
    }
    size_t take = WK_MIN(WK_MIN((size_t)n, x->room), (size_t)WK_DELEGATE_INPUT - 1);
    if (!wk_buf_put(&x->staged, p, take))
        wk_heap_exhausted(c->heap);
    wk_file_skip(x->in, take);
    wk_tick(c, (uint32_t)(take / 1024) + 1);
}

/* The last bytes of what was sent are remembered, as many as may come back. */
static void remember(struct wk_delegated *x)
{
    struct wk_buf *b = &x->sent;
    if (b->n >= 2 * WK_DELEGATE_SENT) {
        memmove(b->p, b->p + b->n - WK_DELEGATE_SENT, WK_DELEGATE_SENT);
        b->n = WK_DELEGATE_SENT;
    }
    (void)wk_buf_put(b, x->staged.p, x->staged.n);
}

void wk_delegated_give_back(struct wk_delegated *x)
{
    size_t left = x->exit.input_left > SIZE_MAX / 2 ? 0 : (size_t)x->exit.input_left;
    if (!x->in)
        return;
    if (!x->remembers) {
        int64_t back = (int64_t)(left + x->staged.n);
        if (back && wk_file_seek(x->in, -back, 1) < 0)
            (void)wk_file_seek(x->in, 0, 0);
        return;
    }
    if (x->staged.n)
        (void)wk_file_unread(x->in, x->staged.p, x->staged.n);
    left = WK_MIN(left, x->sent.n);
    if (left && !x->sent.failed)
        (void)wk_file_unread(x->in, x->sent.p + x->sent.n - left, left);
}

/* ---- both ---------------------------------------------------------------------------------------------------- */

/* How much more of a stream is welcome: nothing for a little. */
static size_t grant(const struct wk_delegate_stream *s)
{
    size_t taken = held(s) + s->credit;
    size_t n = taken < WK_DELEGATE_WINDOW ? WK_DELEGATE_WINDOW - taken : 0;
    return s->broken || n < WK_DELEGATE_WINDOW / 4 ? 0 : n;
}

static bool input_to_tell(const struct wk_delegated *x)
{
    if (x->unread || x->end_told || !x->has_input || x->state != WK_DELEGATED_RUNNING)
        return false;
    return x->staged.n || x->in_over;
}

bool wk_delegated_has_work(const struct wk_delegated *x)
{
    if (x->state != WK_DELEGATED_RUNNING && x->state != WK_DELEGATED_ENDED) /* what it wrote last may still wait */
        return false;
    for (int i = 0; i < 2 - x->merged; i++)
        if (grant(&x->out[i]) || (x->out[i].broken && !x->out[i].shut))
            return true;
    return input_to_tell(x);
}

bool wk_delegated_holds(const struct wk_delegated *x)
{
    return held(&x->out[0]) || held(&x->out[1]);
}

void wk_delegated_tell(struct wk_delegated *x)
{
    struct whelk_sandbox *b = x->d->box;
    if (x->state != WK_DELEGATED_RUNNING && x->state != WK_DELEGATED_ENDED)
        return;
    for (int i = 0; i < 2 - x->merged && x->task; i++) {
        struct wk_delegate_stream *s = &x->out[i];
        size_t n = grant(s);
        if (s->broken && !s->shut) {
            s->shut = true;
            b->kind->welcome(b->box, x->id, i + 1, SIZE_MAX);
        } else if (n) {
            s->credit += n;
            b->kind->welcome(b->box, x->id, i + 1, n);
        }
    }
    if (!input_to_tell(x))
        return;
    if (x->staged.n) {
        if (b->kind->write(b->box, x->id, x->staged.p, x->staged.n) != WHELK_OK) {
            x->unread = true;
            return;
        }
        if (x->remembers)
            remember(x);
        x->room -= WK_MIN(x->room, x->staged.n);
        wk_buf_reset(&x->staged);
    } else {
        x->end_told = true;
        (void)b->kind->write(b->box, x->id, NULL, 0);
    }
}

void wk_delegated_wants(struct wk_delegated *x, struct wk_wait_any *w)
{
    *w = (struct wk_wait_any){.until_ns = WK_FOREVER, .until_host_ns = WK_FOREVER};
    if (wants_input(x)) {
        w->files[w->n_files].file = x->in;
        w->files[w->n_files++].events = POLLIN;
    }
    for (int i = 0; i < 2; i++) {
        struct wk_delegate_stream *s = &x->out[i];
        if (!s->file || !held(s) || s->broken || s->file->kind != WK_FILE_PIPE_W)
            continue;
        w->files[w->n_files].file = s->file;
        w->files[w->n_files++].events = POLLOUT;
    }
}
