/* sandbox_request.c - asks a box for its files, with many requests under way */
#include "adapters/sandbox/sandbox_request.h"

#include "adapters/sandbox/sandbox_call.h"

#include <malloc.h>

struct run {
    struct whelk_sandbox *box;
    const struct wk_requests *how;
    struct file_call *calls;   /* that have no answer */
    struct file_call *waiting; /* of them: the kind said AGAIN to it */
    size_t under_way;
    uint64_t bytes; /* that are put by what is under way */
    bool moved;     /* something has come, or was asked */
    int code;       /* why it ends */
};

/* A request that the kind has, or will have. It outlives its run when that is given up. */
struct file_call {
    struct wk_box_call call;
    struct file_call *next, **at; /* of the run's */
    struct run *run;              /* NULL: given up */
    whelk_file_request r;
    size_t tag;
    void *give;
    uint64_t welcome; /* GET: so many bytes may come yet */
    char text[];      /* path, target */
};

/* ---- one call ------------------------------------------------------------------------------------ */

static void release_call(struct wk_box_call *call)
{
    struct file_call *c = (struct file_call *)call;
    wk_free(call->b->mem, c->give);
}

/* It is no longer the run's, which ends or has its answer. */
static void leave_run(struct file_call *c)
{
    *c->at = c->next;
    if (c->next)
        c->next->at = c->at;
    c->run = NULL;
}

static char *put_text(char **end, const char *text)
{
    if (!text)
        return NULL;
    size_t n = strlen(text) + 1;
    char *p = memcpy(*end, text, n);
    *end += n;
    return p;
}

/* A call for q, whose `give` is taken over. NULL without memory. */
static struct file_call *new_call(struct run *s, const struct wk_request *q)
{
    struct wk_mem *m = s->box->mem;
    const whelk_file_request *r = &q->r;
    bool copy = !q->give && r->data && r->length;
    void *give = !copy ? q->give : r->length < SIZE_MAX ? wk_alloc(m, (size_t)r->length) : NULL;
    size_t texts = strlen(r->path) + 1 + (r->target ? strlen(r->target) + 1 : 0);
    struct file_call *c = copy && !give ? NULL : wk_sandbox_call_new(s->box, sizeof *c + texts);
    if (!c) {
        if (copy)
            wk_free(m, give);
        return NULL;
    }
    c->call.release = release_call;
    c->run = s;
    c->r = *r;
    c->tag = q->tag;
    c->give = give;
    char *end = c->text;
    c->r.path = put_text(&end, r->path);
    c->r.target = put_text(&end, r->target);
    if (copy)
        c->r.data = memcpy(give, r->data, (size_t)r->length);
    c->welcome = r->op == WHELK_FILE_GET ? r->length : 0;
    c->at = &s->calls;
    c->next = s->calls;
    if (c->next)
        c->next->at = &c->next;
    s->calls = c;
    return c;
}

static uint64_t put_bytes(const struct file_call *c)
{
    return c->r.data ? c->r.length : 0;
}

static void end_run(struct run *s, int code)
{
    if (code && !s->code)
        s->code = code;
}

/* ---- what the kind tells ------------------------------------------------------------------------- */

/* The part of an entry's path below the one that was asked for; NULL: it does not lie there. */
static const char *rest_of(const whelk_file_request *r, const char *path)
{
    size_t n = strlen(r->path);
    if (!path || strncmp(path, r->path, n) != 0)
        return NULL;
    const char *rest = path + n;
    if (n && r->path[n - 1] != '/' && *rest != '/')
        return NULL;
    while (*rest == '/')
        rest++;
    unsigned levels = 0;
    for (const char *p = rest, *end; p; p = end ? end + 1 : NULL, levels++) {
        end = strchr(p, '/');
        size_t k = end ? (size_t)(end - p) : strlen(p);
        if (!k || (p[0] == '.' && (k == 1 || (k == 2 && p[1] == '.'))))
            return NULL;
    }
    return levels <= r->depth && strlen(path) <= 2 * WK_REQUEST_PATH ? rest : NULL;
}

static void on_entry(void *ctx, const whelk_file_entry *e)
{
    struct file_call *c = ctx;
    struct run *s = c->run;
    if (!s || s->code)
        return;
    s->moved = true;
    const char *rest = c->r.op == WHELK_FILE_LIST ? rest_of(&c->r, e->path) : "";
    if (!rest)
        end_run(s, wk_sandbox_fail(s->box, WHELK_E_IO, "%s: the sandbox lists what is not below it", c->r.path));
    else if (s->how->entry)
        end_run(s, s->how->entry(s->how->ctx, c->tag, rest, e));
}

static void on_data(void *ctx, const void *p, size_t n)
{
    struct file_call *c = ctx;
    struct run *s = c->run;
    if (!s || s->code)
        return;
    s->moved = true;
    if (n > c->welcome) {
        end_run(s, wk_sandbox_fail(s->box, WHELK_E_IO, "%s: the sandbox sends more than was asked for", c->r.path));
        return;
    }
    c->welcome -= n;
    if (n && s->how->data)
        end_run(s, s->how->data(s->how->ctx, c->tag, p, n));
}

/* Codes that a file request may end with; others say nothing. */
static int known_code(int code)
{
    return code > 0 || code < WHELK_E_BUG || code == WHELK_E_AGAIN ? WHELK_E_IO : code;
}

static void on_done(void *ctx, int code, uint64_t size, const char *text)
{
    struct file_call *c = ctx;
    struct run *s = c->run;
    size_t tag = c->tag;
    (void)text;
    if (s) {
        s->under_way--;
        s->bytes -= put_bytes(c);
        s->moved = true;
        leave_run(c);
        c->call.left = true;
    }
    wk_sandbox_call_answered(&c->call, code);
    if (s && code == WHELK_E_CLOSED) /* not of a file: the box is gone */
        end_run(s, wk_sandbox_wait_failed(s->box, code));
    if (s && !s->code && s->how->done)
        end_run(s, s->how->done(s->how->ctx, tag, known_code(code), size));
}

static const whelk_file_events heard = {.size = sizeof heard, .entry = on_entry, .data = on_data, .done = on_done};

/* ---- the run ------------------------------------------------------------------------------------- */

/* The next call to make: the one that was put off, or a new one. NULL: none now. */
static struct file_call *next_call(struct run *s)
{
    struct file_call *c = s->waiting;
    s->waiting = NULL;
    if (c)
        return c;
    struct wk_request q = {.r = {.size = sizeof q.r}};
    if (!s->how->ask(s->how->ctx, &q))
        return NULL;
    if (!(c = new_call(s, &q))) {
        wk_free(s->box->mem, q.give);
        end_run(s, wk_box_no_memory(s->box));
    }
    return c;
}

/* Why nothing more can be asked, with words; 0. */
static int gone(struct whelk_sandbox *b)
{
    int code = atomic_load(&b->cancelled) ? WHELK_E_BUSY : b->lost || !b->box ? WHELK_E_CLOSED : WHELK_OK;
    return code ? wk_sandbox_wait_failed(b, code) : code;
}

/* Asks what can be asked now. */
static void ask_more(struct run *s)
{
    struct whelk_sandbox *b = s->box;
    while (!s->code && s->under_way < WK_REQUESTS && s->bytes < WK_REQUEST_BYTES) {
        end_run(s, gone(b));
        struct file_call *c = s->code ? NULL : next_call(s);
        if (!c)
            return;
        /* It may be answered, and be gone, before `file` returns. */
        uint64_t bytes = put_bytes(c);
        s->under_way++;
        s->bytes += bytes;
        c->call.open = 1;
        int code = b->kind->file(b->box, &c->r, &heard, c);
        if (code == WHELK_E_AGAIN) {
            s->under_way--;
            s->bytes -= bytes;
            s->waiting = c;
            c->call.open = 0;
            return;
        }
        s->moved = true;
        if (code != WHELK_OK)
            on_done(c, code, 0, "");
    }
}

/* For the wait: whether there is something to do. */
static bool something_came(void *ctx)
{
    struct run *s = ctx;
    if (!s->moved)
        ask_more(s);
    return s->moved || s->code;
}

static int64_t patience_ms(const struct run *s)
{
    return s->how->patience_ms ? s->how->patience_ms : WK_REQUEST_PATIENCE_MS;
}

static int64_t deadline_of(const struct run *s)
{
    return wk_sandbox_deadline(patience_ms(s) + (int64_t)(s->bytes >> 10)); /* a KiB in a ms */
}

static int wait_for_some(struct run *s, int64_t deadline)
{
    struct whelk_sandbox *b = s->box;
    int r = wk_sandbox_wait_once(b, something_came, s, deadline);
    if (r == WHELK_OK)
        return r;
    if (r != WHELK_E_AGAIN)
        return wk_sandbox_wait_failed(b, r);
    if (s->moved || wk_sandbox_now() < deadline)
        return WHELK_OK;
    return wk_sandbox_fail(b, WHELK_E_IO, "the sandbox does not answer: nothing came of its files for %lld s",
                           (long long)(patience_ms(s) / 1000));
}

int wk_requests_run(struct whelk_sandbox *b, const struct wk_requests *how)
{
    struct run s = {.box = b, .how = how};
    int64_t deadline = deadline_of(&s);
    while (!s.code) {
        s.moved = false;
        ask_more(&s);
        if (!s.code && how->tend)
            end_run(&s, how->tend(how->ctx));
        if (s.code)
            break;
        if (!s.moved) {
            if (!s.under_way && !s.waiting)
                ask_more(&s); /* tend may have made room */
            if (!s.moved && !s.under_way && !s.waiting)
                break;
            if (!s.moved && !s.code)
                end_run(&s, wait_for_some(&s, deadline));
        }
        if (s.moved)
            deadline = deadline_of(&s);
    }
    while (s.calls) {
        struct file_call *c = s.calls;
        leave_run(c);
        wk_sandbox_call_leave(&c->call);
    }
    return s.code;
}

/* ---- one request --------------------------------------------------------------------------------- */

struct one {
    struct whelk_sandbox *box;
    struct wk_request q;
    struct wk_answer *a;
    bool asked;
    int code;
};

static bool ask_one(void *ctx, struct wk_request *q)
{
    struct one *o = ctx;
    if (o->asked)
        return false;
    *q = o->q;
    return o->asked = true;
}

static int one_entry(void *ctx, size_t tag, const char *rest, const whelk_file_entry *e)
{
    struct one *o = ctx;
    (void)tag;
    (void)rest;
    if (!o->a)
        return 0;
    wk_free(o->box->mem, o->a->target);
    o->a->e = *e;
    o->a->e.mode &= 07777;
    o->a->e.path = o->a->e.target = o->a->target = NULL;
    if (!e->target)
        return 0;
    o->a->target = wk_strndup(o->box->mem, e->target, strlen(e->target));
    o->a->e.target = o->a->target;
    return o->a->target ? 0 : wk_box_no_memory(o->box);
}

static int one_data(void *ctx, size_t tag, const void *p, size_t n)
{
    struct one *o = ctx;
    (void)tag;
    return !o->a || wk_buf_put(&o->a->data, p, n) ? 0 : wk_box_no_memory(o->box);
}

static int one_done(void *ctx, size_t tag, int code, uint64_t size)
{
    struct one *o = ctx;
    (void)tag;
    if (o->a)
        o->a->size = size;
    o->code = code;
    return 0;
}

int wk_request_one(struct whelk_sandbox *b, const struct wk_request *q, struct wk_answer *a)
{
    struct one o = {.box = b, .q = *q, .a = a};
    if (a) {
        *a = (struct wk_answer){.e = {.size = 0}};
        wk_buf_init(&a->data, b->mem, SIZE_MAX / 2);
    }
    struct wk_requests how = {.ask = ask_one, .entry = one_entry, .data = one_data, .done = one_done, .ctx = &o};
    if (q->r.op == WHELK_FILE_REMOVE)
        how.patience_ms = WK_REQUEST_LONG_MS;
    int r = wk_requests_run(b, &how);
    if (!o.asked)
        wk_free(b->mem, q->give);
    if (!r && !o.code && q->r.op == WHELK_FILE_STAT && a && !a->e.size)
        return wk_sandbox_fail(b, WHELK_E_IO, "%s: the sandbox tells nothing of it", q->r.path);
    return r ? r : o.code;
}

void wk_answer_release(struct wk_answer *a)
{
    wk_free(a->data.mem, a->target);
    a->target = NULL;
    wk_buf_release(&a->data);
}

/* ---- paths --------------------------------------------------------------------------------------- */

/* Adds the names of a path, each with a slash before it. */
static void put_names(struct wk_buf *p, const char *path)
{
    while (*path) {
        size_t n = strcspn(path, "/");
        if (n && !(n == 1 && *path == '.')) {
            wk_buf_putc(p, '/');
            wk_buf_put(p, path, n);
        }
        path += n + (path[n] == '/');
    }
}

int wk_box_path(struct whelk_sandbox *b, const char *path, char **out, bool *dir)
{
    *out = NULL;
    size_t n = path ? strlen(path) : 0;
    if (!n)
        return wk_sandbox_fail(b, WHELK_E_INVALID, "a path is missing");
    if (dir)
        *dir = path[n - 1] == '/' || (path[n - 1] == '.' && (n == 1 || path[n - 2] == '/'));
    struct wk_buf p;
    wk_buf_init(&p, b->mem, SIZE_MAX / 2);
    if (n <= WK_REQUEST_PATH) {
        if (*path != '/')
            put_names(&p, b->facts.workspace);
        put_names(&p, path);
        if (!p.n)
            wk_buf_putc(&p, '/');
    }
    if (n > WK_REQUEST_PATH || p.n > WK_REQUEST_PATH) {
        wk_buf_release(&p);
        return wk_sandbox_fail(b, WHELK_E_NAMETOOLONG, "a path is longer than %d bytes", WK_REQUEST_PATH);
    }
    *out = wk_buf_take(&p, &n);
    return *out ? WHELK_OK : wk_box_no_memory(b);
}

int wk_box_shown(struct whelk_sandbox *b, const char *path, char **out)
{
    struct wk_buf p;
    wk_buf_init(&p, b->mem, SIZE_MAX / 2);
    put_names(&p, path);
    wk_buf_putc(&p, '/');
    size_t n, from = *path != '/' && !p.failed;
    char *all = wk_buf_take(&p, &n);
    if (all)
        memmove(all, all + from, n + 1 - from);
    *out = all;
    return all ? WHELK_OK : wk_box_no_memory(b);
}

int wk_box_link(struct whelk_sandbox *b, char **path, const char *target)
{
    size_t n = target ? strlen(target) : 0;
    if (!target || !n)
        return wk_sandbox_fail(b, WHELK_E_IO, "%s: the sandbox does not tell where this link leads", *path);
    const char *slash = strrchr(*path, '/');
    size_t keep = *target == '/' || !slash ? 0 : (size_t)(slash - *path) + 1;
    if (keep + n > WK_REQUEST_PATH)
        return wk_box_fail(b, WHELK_E_NAMETOOLONG, *path);
    char *to = wk_alloc(b->mem, keep + n + 1);
    if (!to)
        return wk_box_no_memory(b);
    memcpy(to, *path, keep);
    memcpy(to + keep, target, n + 1);
    while (n > 1 && to[keep + n - 1] == '/')
        to[keep + --n] = 0;
    wk_free(b->mem, *path);
    *path = to;
    return WHELK_OK;
}

int wk_box_resolve(struct whelk_sandbox *b, char **path, whelk_file_entry *e)
{
    for (int links = 0; links <= WK_REQUEST_LINKS; links++) {
        struct wk_request q = wk_request(WHELK_FILE_STAT, *path);
        struct wk_answer a;
        int r = wk_request_one(b, &q, &a);
        *e = a.e;
        e->target = NULL;
        bool link = !r && a.e.type == WHELK_TYPE_LINK;
        if (link)
            r = wk_box_link(b, path, a.target);
        else if (r && r != WHELK_E_NOENT)
            r = wk_box_fail(b, r, *path);
        wk_answer_release(&a);
        if (r || !link)
            return r;
    }
    return wk_box_fail(b, WHELK_E_LOOP, *path);
}

/* ---- transfers ----------------------------------------------------------------------------------- */

int wk_transfers_init(struct whelk_sandbox *b, whelk_transfer *files, size_t n, struct wk_transfers *out)
{
    *out = (struct wk_transfers){(char *)files, n, files ? files->size : 0};
    bool ok = files || !n;
    for (size_t i = 0; ok && i < n; i++)
        ok = out->stride >= sizeof *files && wk_transfer(out, i)->size == out->stride;
    return ok ? WHELK_OK : wk_sandbox_fail(b, WHELK_E_INVALID, "the files' structs do not say how large they are");
}

/* ---- errors -------------------------------------------------------------------------------------- */

int wk_box_fail(struct whelk_sandbox *b, int code, const char *path)
{
    /* What was said when it happened says more. */
    return b->error.n ? code : wk_sandbox_fail(b, code, "%s: %s", path, whelk_strerror(code));
}

int wk_box_no_memory(struct whelk_sandbox *b)
{
    return wk_sandbox_fail(b, WHELK_E_NOMEM, "out of memory");
}

int wk_box_hand_out(struct whelk_sandbox *b, struct wk_buf *from, char **data, size_t *len)
{
    *len = 0;
    *data = wk_buf_take(from, len);
    if (!*data)
        return wk_box_no_memory(b);
    char *tight = *len < 4096 ? NULL : wk_realloc(b->mem, *data, *len + 1);
    if (tight)
        *data = tight;
    wk_mem_credit(b->mem, malloc_usable_size(*data));
    return WHELK_OK;
}
