/* mirror_push.c - carrying out a plan: removals, directories, contents, then modes and times of directories
 *
 * The phases wait for one another; within one the requests are under way together, in order of their paths. Contents
 * are read from the version that was planned for, whatever the session does meanwhile.
 */
#include "adapters/mirror/mirror_parts.h"

enum { CLEARING, MAIN, SETTING }; /* what a flight does for its operation */

/* ---- beginning and end ----------------------------------------------------------------------- */

/* Is a directory of the box one that its owner cannot write to? */
static int is_locked(struct wk_mirror_view *base, struct wk_str path, bool *locked)
{
    struct wk_mirror_file f;
    int err = wk_mirror_look(base, path, &f);
    *locked = !err && f.type == WK_MIRROR_DIR && (f.st.mode & 0300) != 0300;
    return err;
}

/* The directories of what is changed get their modes and times again. */
static int plan_touches(struct wk_mirror *m, size_t pair, struct wk_mirror_view *base)
{
    struct wk_str last = {0};
    size_t n = m->ops.n;
    int err = 0;
    for (size_t i = 0; i < n && !err; i++) {
        struct wk_str path = m->ops.v[i].path;
        ptrdiff_t slash = wk_str_rchr(path, '/');
        struct wk_str dir = wk_str_take(path, slash < 0 ? 0 : (size_t)slash);
        bool locked;
        if (m->ops.v[i].pair != pair || dir.n == 0 || wk_str_eq(dir, last))
            continue;
        last = dir;
        err = is_locked(base, dir, &locked);
        if (!err)
            err = wk_mirror_ops_add(&m->ops, m->mem, pair, dir, WK_MIRROR_TOUCH, locked ? WK_MIRROR_UNLOCK : 0,
                                    WK_MIRROR_DIR);
    }
    return err;
}

static int open_views(struct wk_mirror *m)
{
    int err = 0;
    for (size_t i = 0; i < m->n_places && !err; i++) {
        struct wk_mirror_view base;
        const struct wk_mirror_place *p = &m->places[i];
        err = wk_mirror_view_open(&base, m->vfs, p->base_real.p ? m->base : NULL, false, p->base_real, &m->cred);
        if (!err)
            err = plan_touches(m, i, &base);
        wk_mirror_view_close(&base);
        if (!err)
            err = wk_mirror_view_open(&m->views[i], m->vfs, m->now, false, p->real, &m->cred);
    }
    return err ? err : wk_mirror_ops_sort(&m->ops, m->mem);
}

/* What the box has changed too, and could not be taken yet, is not written over: the next pull decides. */
static int spare_incoming(struct wk_mirror *m)
{
    const struct wk_mirror_entries *e = &m->incoming;
    int err = e->n ? wk_mirror_sort_entries(m) : 0;
    if (err)
        return err;
    for (size_t i = 0; i < m->ops.n && e->n; i++) {
        struct wk_mirror_op *op = &m->ops.v[i];
        bool found, clears = op->kind == WK_MIRROR_REMOVE || (op->flags & WK_MIRROR_CLEAR);
        size_t at = wk_mirror_entry_at(e, op->pair, op->path, &found);
        bool below = clears && at < e->n && e->v[at].pair == op->pair && wk_mirror_is_below(e->v[at].path, op->path);
        if (found || below) {
            op->state = WK_MIRROR_DONE;
            op->flags |= WK_MIRROR_LATER;
        }
    }
    return 0;
}

bool wk_mirror_push_begin(struct wk_mirror *m)
{
    int err = wk_vfs_snapshot(m->vfs, &m->now);
    if (!err)
        err = wk_mirror_plan(m, m->now, &m->pending, true, &m->ops);
    if (!err && m->ops.n == 0) {
        wk_mirror_ops_release(&m->pending, m->mem);
        wk_mirror_set_base(m, m->now);
        return false;
    }
    if (!err)
        err = open_views(m);
    if (!err)
        err = spare_incoming(m);
    if (err)
        wk_mirror_fail_err(m, err, 0, (struct wk_str){0});
    m->pushing = !err;
    return !err;
}

bool wk_mirror_push_again(struct wk_mirror *m)
{
    if (!m->retry)
        return false;
    m->retry = false;
    for (size_t i = 0; i < m->ops.n; i++)
        if (m->ops.v[i].flags & WK_MIRROR_AGAIN) {
            m->ops.v[i].flags &= (uint8_t)~WK_MIRROR_AGAIN;
            m->ops.v[i].state = WK_MIRROR_TODO;
        }
    return true;
}

void wk_mirror_push_end(struct wk_mirror *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->ops.n; i++) {
        struct wk_mirror_op *op = &m->ops.v[i];
        if (op->kind == WK_MIRROR_TOUCH || (op->state == WK_MIRROR_DONE && !(op->flags & WK_MIRROR_LATER)))
            continue;
        m->ops.v[n] = *op;
        m->ops.v[n].state = WK_MIRROR_TODO;
        m->ops.v[n++].flags = op->flags & (WK_MIRROR_CLEAR | WK_MIRROR_DEEP);
    }
    m->ops.n = n;
    wk_mirror_ops_release(&m->pending, m->mem);
    if (n) {
        m->pending = m->ops;
        wk_mirror_ops_init(&m->ops, m->mem);
    }
    wk_mirror_set_base(m, m->now);
    m->pushing = false;
}

/* ---- answers --------------------------------------------------------------------------------- */

static bool in_the_way(int code)
{
    return code == WHELK_E_EXISTS || code == WHELK_E_ISDIR || code == WHELK_E_NOTEMPTY || code == WHELK_E_NOTDIR ||
           code == WHELK_E_LOOP;
}

/* What the box has in the way is a change of its own, which the next pull brings and decides; one way, it goes, and
 * all is sent once more. */
static void yield(struct wk_mirror *m, struct wk_mirror_op *op)
{
    op->flags |= WK_MIRROR_LATER;
    if (m->one_way && !m->replanned) {
        op->flags |= WK_MIRROR_CLEAR | WK_MIRROR_DEEP;
        m->replan = true;
        return;
    }
    wk_mirror_note(m, &m->result->skipped, op->pair, op->path, "changed in the sandbox meanwhile");
}

static void failed(struct wk_mirror *m, struct wk_mirror_op *op, int code)
{
    if (code == WHELK_E_CLOSED) {
        wk_mirror_fail(m, code, op->pair, (struct wk_str){0}, wk_mirror_words(code));
        op->flags |= WK_MIRROR_LATER;
        return;
    }
    if (op->kind == WK_MIRROR_TOUCH)
        return;
    if (op->kind == WK_MIRROR_ATTRIBUTES && code == WHELK_E_NOENT) { /* a change wins over a removal */
        op->kind = WK_MIRROR_SEND;
        op->had = WK_MIRROR_NONE;
        op->flags |= WK_MIRROR_AGAIN;
        m->retry = true;
        return;
    }
    if (op->kind == WK_MIRROR_SEND && in_the_way(code)) {
        yield(m, op);
        return;
    }
    if (code != WHELK_E_NAMETOOLONG && code != WHELK_E_INVALID && code != WHELK_E_UNSUPPORTED)
        op->flags |= WK_MIRROR_LATER;
    wk_mirror_note(m, &m->result->skipped, op->pair, op->path, wk_mirror_words(code));
}

static void succeeded(struct wk_mirror *m, const struct wk_mirror_op *op, uint64_t bytes)
{
    struct wk_mirror_result *r = m->result;
    r->bytes_out += bytes;
    if (op->kind == WK_MIRROR_REMOVE)
        r->removed++;
    else if (op->kind == WK_MIRROR_SEND && (op->flags & WK_MIRROR_NEW))
        r->added++;
    else if (op->kind != WK_MIRROR_TOUCH)
        r->changed++;
}

static void answered(struct wk_mirror_flight *f, int code)
{
    struct wk_mirror *m = f->m;
    struct wk_mirror_op *op = &m->ops.v[f->index];
    if (f->what == MAIN)
        op->state = WK_MIRROR_DONE;
    if (code == WHELK_E_CLOSED || (code != WHELK_OK && f->what == MAIN &&
                                   !(code == WHELK_E_NOENT && op->kind == WK_MIRROR_REMOVE)))
        failed(m, op, code);
    else if (f->what == MAIN) {
        op->flags &= (uint8_t) ~(WK_MIRROR_CLEAR | WK_MIRROR_DEEP); /* that is done */
        if (op->kind == WK_MIRROR_SEND) /* should it be sent once more, it is a directory */
            op->had = WK_MIRROR_DIR;
        succeeded(m, op, f->bytes);
    }
    else if (code != WHELK_OK && f->what == SETTING)
        op->flags |= op->kind == WK_MIRROR_SEND ? WK_MIRROR_LATER : 0;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Nothing can be asked for an operation: it is left for the next push. True: wait. */
static bool cannot(struct wk_mirror *m, struct wk_mirror_op *op, int err)
{
    op->state = WK_MIRROR_DONE;
    op->flags |= WK_MIRROR_LATER;
    wk_mirror_note(m, &m->result->skipped, op->pair, op->path, wk_err_text(err));
    return false;
}

static bool ask(struct wk_mirror *m, struct wk_mirror_flight *f, size_t i, int what, whelk_file_request *r)
{
    f->index = i;
    f->what = what;
    f->done = answered;
    struct wk_mirror_op *op = &m->ops.v[i];
    uint8_t before = op->state;
    if (what == MAIN)
        op->state = WK_MIRROR_FLYING;
    bool wait = wk_mirror_ask(f, r);
    if (wait)
        op->state = before;
    return wait;
}

static bool ask_simple(struct wk_mirror *m, size_t i, int what, whelk_file_request *r)
{
    struct wk_mirror_op *op = &m->ops.v[i];
    if (wk_mirror_is_full(m, 0))
        return true;
    struct wk_mirror_flight *f = wk_mirror_flight_new(m, op->pair, op->path);
    if (!f && what == MAIN)
        return cannot(m, op, WK_ENOMEM);
    if (!f)
        op->flags |= what == SETTING ? WK_MIRROR_LATER : 0; /* without CLEARING the box will refuse it */
    return f ? ask(m, f, i, what, r) : false;
}

static int read_all(struct wk_mirror_view *v, const struct wk_mirror_op *op, uint64_t size, char *to)
{
    struct wk_vfile *file;
    uint64_t at = 0;
    int err = wk_mirror_open(v, op->path, WK_O_RDONLY, &file);
    if (err)
        return err;
    while (!err && at < size) {
        int64_t n = wk_vfile_pread(file, to + at, (size_t)(size - at), (int64_t)at);
        err = n < 0 ? (int)n : n == 0 ? -WK_EIO : 0;
        at += n > 0 ? (uint64_t)n : 0;
    }
    wk_vfile_unref(file);
    return err;
}

static bool send_file(struct wk_mirror *m, size_t i, const struct wk_mirror_file *file)
{
    struct wk_mirror_op *op = &m->ops.v[i];
    uint64_t size = file->st.size;
    if (wk_mirror_is_full(m, size))
        return true;
    struct wk_mirror_flight *f = wk_mirror_flight_new(m, op->pair, op->path);
    if (!f)
        return cannot(m, op, WK_ENOMEM);
    f->data = size < SIZE_MAX ? wk_alloc(m->mem, (size_t)size) : NULL;
    int err = f->data ? read_all(&m->views[op->pair], op, size, f->data) : -WK_ENOMEM;
    if (err) {
        wk_mirror_flight_free(f);
        return cannot(m, op, err);
    }
    f->bytes = size;
    whelk_file_request r = {.op = WHELK_FILE_PUT,
                            .mode = wk_mirror_mode(file),
                            .mtime_ns = file->st.mtim,
                            .length = size,
                            .data = f->data};
    return ask(m, f, i, MAIN, &r);
}

static bool send_link(struct wk_mirror *m, size_t i, const struct wk_mirror_file *file)
{
    struct wk_mirror_op *op = &m->ops.v[i];
    if (wk_mirror_is_full(m, 0))
        return true;
    struct wk_mirror_flight *f = wk_mirror_flight_new(m, op->pair, op->path);
    struct wk_buf text;
    size_t n;
    wk_buf_init(&text, m->mem, SIZE_MAX / 2);
    int err = f ? wk_mirror_target(&m->views[op->pair], op->path, &text) : -WK_ENOMEM;
    if (!err) {
        f->data = wk_buf_take(&text, &n);
        err = f->data ? 0 : -WK_ENOMEM;
    }
    wk_buf_release(&text);
    if (err) {
        if (f)
            wk_mirror_flight_free(f);
        return cannot(m, op, err);
    }
    whelk_file_request r = {.op = WHELK_FILE_SYMLINK, .target = f->data, .mode = 0777, .mtime_ns = file->st.mtim};
    return ask(m, f, i, MAIN, &r);
}

/* ---- phases ---------------------------------------------------------------------------------- */

static bool set_attributes(struct wk_mirror *m, size_t i, const struct wk_mirror_file *file, uint32_t more, int what)
{
    whelk_file_request r = {
        .op = WHELK_FILE_ATTRIBUTES, .mode = wk_mirror_mode(file) | more, .mtime_ns = file->st.mtim};
    return ask_simple(m, i, what, &r);
}

static bool remove_one(struct wk_mirror *m, size_t i, const struct wk_mirror_file *file)
{
    struct wk_mirror_op *op = &m->ops.v[i];
    whelk_file_request r = {.op = WHELK_FILE_REMOVE};
    if ((op->flags & WK_MIRROR_UNLOCK) && file->type == WK_MIRROR_DIR && !(op->flags & WK_MIRROR_CLEAR))
        return set_attributes(m, i, file, 0700, CLEARING);
    if (op->kind == WK_MIRROR_REMOVE && op->state == WK_MIRROR_TODO)
        return ask_simple(m, i, MAIN, &r);
    if (op->kind == WK_MIRROR_SEND && (op->flags & WK_MIRROR_CLEAR) && op->state == WK_MIRROR_TODO)
        return ask_simple(m, i, CLEARING, &r);
    return false;
}

static bool finish_one(struct wk_mirror *m, size_t i, const struct wk_mirror_file *file)
{
    const struct wk_mirror_op *op = &m->ops.v[i];
    if (op->kind == WK_MIRROR_ATTRIBUTES && op->state == WK_MIRROR_TODO)
        return set_attributes(m, i, file, 0, MAIN);
    bool made = op->kind == WK_MIRROR_SEND && op->state == WK_MIRROR_DONE;
    bool dir = (made || op->kind == WK_MIRROR_TOUCH) && !(op->flags & WK_MIRROR_LATER) && file->type == WK_MIRROR_DIR;
    return dir ? set_attributes(m, i, file, 0, op->kind == WK_MIRROR_TOUCH ? MAIN : SETTING) : false;
}

static bool do_one(struct wk_mirror *m, size_t i)
{
    struct wk_mirror_op *op = &m->ops.v[i];
    struct wk_mirror_file file;
    bool sends = op->kind == WK_MIRROR_SEND && op->state == WK_MIRROR_TODO;
    if (m->phase == WK_MIRROR_REMOVING && op->kind != WK_MIRROR_REMOVE &&
        !(op->flags & (WK_MIRROR_CLEAR | WK_MIRROR_UNLOCK)))
        return false;
    if ((m->phase == WK_MIRROR_MAKING || m->phase == WK_MIRROR_SENDING) && !sends)
        return false;
    int err = wk_mirror_look(&m->views[op->pair], op->path, &file);
    if (err)
        return cannot(m, op, err);
    if (m->phase == WK_MIRROR_REMOVING)
        return remove_one(m, i, &file);
    if (m->phase == WK_MIRROR_FINISHING)
        return finish_one(m, i, &file);
    if (m->phase == WK_MIRROR_MAKING) {
        whelk_file_request r = {
            .op = WHELK_FILE_MAKE_DIR, .mode = wk_mirror_mode(&file) | 0700, .mtime_ns = file.st.mtim};
        return file.type == WK_MIRROR_DIR ? ask_simple(m, i, MAIN, &r) : false;
    }
    if (file.type == WK_MIRROR_FILE)
        return send_file(m, i, &file);
    return file.type == WK_MIRROR_LINK ? send_link(m, i, &file) : false;
}

bool wk_mirror_push_some(struct wk_mirror *m)
{
    /* Directories get their modes from below, so that one that may not be entered is none's parent any more. */
    bool down = m->phase == WK_MIRROR_FINISHING;
    for (; m->cursor < m->ops.n && m->result->code != WHELK_E_CLOSED; m->cursor++)
        if (do_one(m, down ? m->ops.n - 1 - m->cursor : m->cursor))
            return true;
    return false;
}
