/* sandbox_write.c - contents of files into a sandbox: one, appended to one, many at once
 *
 * A file goes through four steps, each for all files at once: what its path names, links followed, as a program would
 * open it; whether its directory is there; the directories that are missing; and it is put, beside and renamed.
 */
#include "adapters/sandbox/code.h"
#include "adapters/sandbox/sandbox_request.h"
#include "base/map.h"

enum { APPENDED = 256 << 20 /* bytes that a file may have to be appended to without the kind's help */ };

struct put {
    char *path;       /* NULL: what was named is none */
    const void *data; /* the caller's */
    size_t len;
    uint32_t mode;    /* 0: its old one, or 0644 */
    bool is_new, append;
    bool look;        /* not looked at yet, or a link was found */
    bool there, done;
    uint32_t old_mode;
    size_t parent;    /* of `parents`; SIZE_MAX: is known to be there */
    unsigned links;
    int code;
};

struct parent {
    struct wk_str path; /* in that of a put */
    int code;
};

struct puts {
    struct whelk_sandbox *box;
    struct put *v;
    size_t n, next;
    struct parent *parents;
    size_t n_parents, cap_parents;
    char *scratch;     /* a parent's path, for a request */
};

/* ---- what is there ------------------------------------------------------------------------------- */

static bool ask_look(void *ctx, struct wk_request *q)
{
    struct puts *w = ctx;
    while (w->next < w->n && !w->v[w->next].look)
        w->next++;
    if (w->next == w->n)
        return false;
    *q = wk_request(WHELK_FILE_STAT, w->v[w->next].path);
    q->tag = w->next++;
    w->v[q->tag].look = false;
    return true;
}

static int seen(void *ctx, size_t tag, const char *rest, const whelk_file_entry *e)
{
    struct puts *w = ctx;
    struct put *p = &w->v[tag];
    (void)rest;
    p->there = true;
    p->old_mode = e->mode & 01777; /* what else runs as its owner is not to be what is written now */
    if (p->is_new)
        p->code = WHELK_E_EXISTS;
    else if (e->type == WHELK_TYPE_DIR)
        p->code = WHELK_E_ISDIR;
    else if (e->type == WHELK_TYPE_LINK && p->links++ == WK_REQUEST_LINKS)
        p->code = WHELK_E_LOOP;
    else if (e->type == WHELK_TYPE_LINK)
        p->code = wk_box_link(w->box, &p->path, e->target);
    else if (e->type != WHELK_TYPE_FILE)
        p->code = WHELK_E_INVALID; /* a device or the like: it would be replaced */
    p->look = e->type == WHELK_TYPE_LINK && !p->code;
    p->there = !p->look;
    return p->code == WHELK_E_NOMEM ? p->code : 0;
}

static int looked(void *ctx, size_t tag, int code, uint64_t size)
{
    struct put *p = &((struct puts *)ctx)->v[tag];
    (void)size;
    if (code && code != WHELK_E_NOENT)
        p->code = code;
    if (p->code)
        p->look = false;
    return 0;
}

/* Looks at every file, and at what the links among them lead to, and so on. */
static int look_all(struct puts *w)
{
    struct wk_requests how = {.ask = ask_look, .entry = seen, .done = looked, .ctx = w};
    bool again = true;
    int r = 0;
    while (again && !r) {
        w->next = 0;
        r = wk_requests_run(w->box, &how);
        again = false;
        for (size_t i = 0; i < w->n; i++)
            again |= w->v[i].look;
    }
    return r;
}

/* ---- directories --------------------------------------------------------------------------------- */

/* Notes the directories of the files that are not there, each once. */
static int note_parents(struct puts *w)
{
    struct wk_map known;
    wk_map_init(&known, w->box->mem, (uint64_t)wk_sandbox_now(), true);
    int r = 0;
    for (size_t i = 0; i < w->n && !r; i++) {
        struct put *p = &w->v[i];
        p->parent = SIZE_MAX;
        size_t n = p->path && !p->code && !p->there ? (size_t)(strrchr(p->path, '/') - p->path) : 0;
        if (!n)
            continue;
        bool made;
        void **at = wk_map_put(&known, wk_str(p->path, n), &made);
        if (!at || !wk_vec_grow(w->box->mem, &w->parents, &w->cap_parents, w->n_parents + 1, sizeof *w->parents)) {
            r = wk_box_no_memory(w->box);
        } else {
            if (made) {
                w->parents[w->n_parents++] = (struct parent){.path = wk_str(p->path, n)};
                *at = (void *)(uintptr_t)w->n_parents;
            }
            p->parent = (size_t)(uintptr_t)*at - 1;
        }
    }
    wk_map_release(&known);
    return r;
}

/* The path of a parent, until the next one is asked for. NULL without memory. */
static char *parent_path(struct puts *w, const struct parent *p)
{
    wk_free(w->box->mem, w->scratch);
    return w->scratch = wk_strndup(w->box->mem, p->path.p, p->path.n);
}

static bool ask_parent(void *ctx, struct wk_request *q)
{
    struct puts *w = ctx;
    char *path = w->next < w->n_parents ? parent_path(w, &w->parents[w->next]) : NULL;
    if (!path)
        return false;
    *q = wk_request(WHELK_FILE_STAT, path);
    q->r.flags = WHELK_FILE_FOLLOW;
    q->tag = w->next++;
    return true;
}

static int seen_parent(void *ctx, size_t tag, const char *rest, const whelk_file_entry *e)
{
    struct puts *w = ctx;
    (void)rest;
    if (e->type != WHELK_TYPE_DIR)
        w->parents[tag].code = WHELK_E_NOTDIR;
    return 0;
}

static int looked_at_parent(void *ctx, size_t tag, int code, uint64_t size)
{
    struct parent *p = &((struct puts *)ctx)->parents[tag];
    (void)size;
    if (!p->code)
        p->code = code;
    return 0;
}

/* Makes the directories that are missing; files whose directory cannot be have its code. */
static int make_parents(struct puts *w)
{
    struct wk_requests how = {.ask = ask_parent, .entry = seen_parent, .done = looked_at_parent, .ctx = w};
    int r = note_parents(w);
    w->next = 0;
    if (!r && w->n_parents)
        r = wk_requests_run(w->box, &how);
    if (!r && w->next < w->n_parents)
        r = wk_box_no_memory(w->box);
    for (size_t i = 0; i < w->n_parents && !r; i++) {
        if (w->parents[i].code != WHELK_E_NOENT)
            continue;
        char *path = parent_path(w, &w->parents[i]);
        w->parents[i].code = path ? wk_box_make_dirs(w->box, path) : wk_box_no_memory(w->box);
        if (w->parents[i].code == WHELK_E_CLOSED || w->parents[i].code == WHELK_E_NOMEM)
            r = w->parents[i].code;
    }
    for (size_t i = 0; i < w->n && !r; i++)
        if (w->v[i].parent != SIZE_MAX)
            w->v[i].code = w->parents[w->v[i].parent].code;
    return r;
}

/* ---- contents ------------------------------------------------------------------------------------ */

static bool ask_put(void *ctx, struct wk_request *q)
{
    struct puts *w = ctx;
    while (w->next < w->n && w->v[w->next].code)
        w->next++;
    if (w->next == w->n)
        return false;
    const struct put *p = &w->v[w->next];
    *q = wk_request(p->append && p->there ? WHELK_FILE_APPEND : WHELK_FILE_PUT, p->path);
    q->tag = w->next++;
    q->r.mode = p->mode ? p->mode : p->there ? p->old_mode : 0644;
    q->r.data = p->len ? p->data : "";
    q->r.length = p->len;
    return true;
}

static int was_put(void *ctx, size_t tag, int code, uint64_t size)
{
    struct put *p = &((struct puts *)ctx)->v[tag];
    (void)size;
    p->code = code;
    p->done = true;
    return 0;
}

/* Appends where the kind does not: all of the file is read, and put with more behind it. */
static int append_by_reading(struct whelk_sandbox *b, const struct put *p)
{
    struct wk_request q = wk_request(WHELK_FILE_GET, p->path);
    struct wk_answer a;
    q.r.length = APPENDED;
    int r = wk_request_one(b, &q, &a);
    if (!r && (a.size > APPENDED || p->len > APPENDED))
        r = wk_sandbox_fail(b, WHELK_E_NOSPACE, "%s: a file of more than %d MiB cannot be appended to here", p->path,
                            APPENDED >> 20);
    if (!r && !wk_buf_put(&a.data, p->data, p->len))
        r = wk_box_no_memory(b);
    if (!r) {
        size_t n;
        struct wk_request put = wk_request(WHELK_FILE_PUT, p->path);
        put.r.mode = p->mode ? p->mode : p->old_mode;
        put.r.data = put.give = wk_buf_take(&a.data, &n);
        put.r.length = n;
        r = put.give ? wk_request_one(b, &put, NULL) : wk_box_no_memory(b);
    }
    wk_answer_release(&a);
    return r;
}

static int put_all(struct puts *w)
{
    int r = look_all(w);
    if (!r)
        r = make_parents(w);
    struct wk_requests how = {.ask = ask_put, .done = was_put, .ctx = w};
    w->next = 0;
    if (!r)
        r = wk_requests_run(w->box, &how);
    wk_free(w->box->mem, w->scratch);
    wk_free(w->box->mem, w->parents);
    return r;
}

/* ---- the calls ----------------------------------------------------------------------------------- */

int whelk_sandbox_write_file(whelk_sandbox *b, const char *path, const void *data, size_t n, uint32_t mode, int flags)
{
    struct put p = {.data = data, .len = n, .mode = mode, .look = true};
    struct puts w = {.box = b, .v = &p, .n = 1};
    bool dir;
    int r = wk_sandbox_begin(b);
    if (!r && ((!data && n) || mode & ~07777u))
        r = wk_sandbox_fail(b, WHELK_E_INVALID, data || !n ? "the mode is none" : "there is no data");
    if (!r && flags & ~(WHELK_WRITE_APPEND | WHELK_WRITE_NEW))
        r = wk_sandbox_fail(b, WHELK_E_UNSUPPORTED, "flag %d of the writing", flags);
    if (!r)
        r = wk_box_path(b, path, &p.path, &dir);
    if (r)
        return r;
    p.is_new = flags & WHELK_WRITE_NEW;
    p.append = flags & WHELK_WRITE_APPEND;
    r = dir ? WHELK_E_ISDIR : put_all(&w);
    if (!r)
        r = p.code;
    if ((r == WHELK_E_UNSUPPORTED || r == WHELK_E_INVALID) && p.append && p.done)
        r = append_by_reading(b, &p);
    if (!r && p.append && p.done && p.there && mode && mode != p.old_mode) {
        struct wk_request q = wk_request(WHELK_FILE_ATTRIBUTES, p.path);
        q.r.mode = mode;
        r = wk_request_one(b, &q, NULL);
    }
    if (r)
        r = wk_box_fail(b, r, path);
    wk_free(b->mem, p.path);
    return r;
}

int whelk_sandbox_upload(whelk_sandbox *b, whelk_transfer *files, size_t n)
{
    struct wk_transfers t;
    struct puts w = {.box = b, .n = n};
    int r = wk_sandbox_begin(b);
    if (!r)
        r = wk_transfers_init(b, files, n, &t);
    if (r || !n)
        return r;
    w.v = wk_calloc(b->mem, n, sizeof *w.v);
    if (!w.v)
        return wk_box_no_memory(b);
    for (size_t i = 0; i < n; i++) {
        const whelk_transfer *f = wk_transfer(&t, i);
        bool dir = false;
        struct put *p = &w.v[i];
        *p = (struct put){.data = f->data, .len = f->len, .mode = f->mode ? f->mode : 0644};
        p->code = (!f->data && f->len) || f->mode & ~07777u ? WHELK_E_INVALID : wk_box_path(b, f->path, &p->path, &dir);
        if (dir)
            p->code = WHELK_E_ISDIR;
        p->look = !p->code;
    }
    wk_sandbox_fail(b, WHELK_OK, "%s", ""); /* what is wrong with one of them is told by its code */
    r = put_all(&w);
    for (size_t i = 0; i < n; i++) {
        struct put *p = &w.v[i];
        wk_transfer(&t, i)->code = p->done || p->code ? p->code : r ? r : WHELK_E_IO;
        wk_free(b->mem, p->path);
    }
    wk_free(b->mem, w.v);
    return r;
}
