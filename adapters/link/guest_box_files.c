/* guest_box_files.c - a box behind the guest helper: its files
 *
 * One request, one call; the bytes of files that are put follow as the queue has room for them, one file after the
 * other. Every name that comes back is looked at: it must lie below what was asked for, and come once.
 */
#include "adapters/link/guest_call.h"

#include "adapters/sandbox/code.h"
#include "base/hash.h"


enum {
    QUEUE_FULL = 1 << 20, /* bytes that wait before more of a file is queued */
    PATH_MOST = 1 << 16,
    ENTRY_NAMES = 1024    /* most names to be passed over */
};

struct wk_guest_file {
    struct wk_link_listener l; /* the first */
    struct wk_guest_box *g;
    whelk_file_events events;
    void *ctx;
    int op;
    char *path;                /* as asked, without what means nothing; NUL behind */
    const unsigned char *data; /* PUT: what is still to be sent */
    uint64_t left;             /* of data; GET: what may still come */
    unsigned depth;            /* of names that may come; 0: one entry for the path itself */
    struct wk_guest_file *next, **at; /* in g->puts; at is NULL when it is not there */
    uint64_t *names;           /* hashes of the paths that came, 0: free */
    size_t n_names, cap_names;
    struct wk_buf text;        /* an entry's path and target */
};

/* ---- its end ------------------------------------------------------------------------------------------- */

static void leave_queue(struct wk_guest_file *f)
{
    if (!f->at)
        return;
    *f->at = f->next;
    if (f->next)
        f->next->at = f->at;
    else
        f->g->puts_end = f->at;
    f->at = NULL;
}

static void free_file(struct wk_guest_file *f)
{
    struct wk_mem *m = f->g->mem;
    leave_queue(f);
    f->g->n_files--;
    wk_buf_release(&f->text);
    wk_free(m, f->names);
    wk_free(m, f->path);
    wk_free(m, f);
}

static void lose_file(struct wk_link_listener *l)
{
    struct wk_guest_file *f = (struct wk_guest_file *)l;
    struct wk_guest_box *g = f->g;
    whelk_file_events e = f->events;
    void *ctx = f->ctx;
    free_file(f);
    if (e.done)
        e.done(ctx, WHELK_E_CLOSED, 0, wk_guest_why(g));
}

static void hear_end(struct wk_guest_file *f, uint32_t type, struct guest_reader *r)
{
    whelk_file_events e = f->events;
    void *ctx = f->ctx;
    char text[300] = "";
    uint64_t size = 0;
    int code = WHELK_OK;
    if (type == GUEST_ERROR) {
        int err = wk_guest_error_of(r);
        code = err == WK_E2BIG ? WHELK_E_NOSPACE : wk_code(err);
        wk_fmt_into(text, sizeof text, "%.200s: %s", f->path[0] ? f->path : ".", wk_err_text(err));
    } else if (f->op == WHELK_FILE_GET) {
        size = guest_u64(r);
    } else if (f->op == WHELK_FILE_MAKE_DIR) {
        size = guest_u32(r);
    }
    if (r->bad || (type == GUEST_OK && f->at) || (type == GUEST_OK && f->op == WHELK_FILE_STAT && !f->n_names)) {
        wk_guest_break(f->g, "an answer that lacks something");
        return;
    }
    wk_link_unlisten(f->g->link, &f->l);
    free_file(f);
    if (e.done)
        e.done(ctx, code, size, text);
}

/* ---- entries ------------------------------------------------------------------------------------------- */

/* Whether p is made of names: no empty one, no . or .., no NUL; and how many. */
static bool is_path(const char *p, size_t n, unsigned *names)
{
    *names = 0;
    for (size_t at = 0; at <= n; ++*names) {
        const char *slash = at < n ? memchr(p + at, '/', n - at) : NULL;
        size_t k = slash ? (size_t)(slash - p) - at : n - at;
        if (k == 0 || (p[at] == '.' && (k == 1 || (k == 2 && p[at + 1] == '.'))))
            return false;
        at += k + 1;
    }
    return !memchr(p, 0, n);
}

static bool grow_names(struct wk_guest_file *f)
{
    size_t cap = f->cap_names ? 2 * f->cap_names : 64;
    uint64_t *v = wk_calloc(f->g->mem, cap, sizeof *v);
    if (!v)
        return false;
    for (size_t i = 0; i < f->cap_names; i++)
        if (f->names[i]) {
            size_t at = (size_t)f->names[i] & (cap - 1);
            while (v[at])
                at = (at + 1) & (cap - 1);
            v[at] = f->names[i];
        }
    wk_free(f->g->mem, f->names);
    f->names = v;
    f->cap_names = cap;
    return true;
}

/* Notes that a path came; NULL, or what is wrong with it. */
static const char *note_name(struct wk_guest_file *f, struct wk_str path)
{
    uint64_t h = wk_hash64(f->g->seed, path);
    h += h == 0;
    if (f->n_names >= WK_GUEST_ENTRIES)
        return "more entries than there may be";
    if (2 * f->n_names >= f->cap_names && !grow_names(f))
        return "no memory for its entries";
    size_t at = (size_t)h & (f->cap_names - 1);
    for (; f->names[at]; at = (at + 1) & (f->cap_names - 1))
        if (f->names[at] == h)
            return "a path that came twice";
    f->names[at] = h;
    f->n_names++;
    return NULL;
}

/* The path of an entry as the caller named its directory, and its target behind it. */
static bool join(struct wk_guest_file *f, struct wk_str rest, struct wk_str target)
{
    struct wk_buf *b = &f->text;
    size_t n = strlen(f->path);
    wk_buf_reset(b);
    wk_buf_put(b, f->path, n);
    if (n && rest.n && f->path[n - 1] != '/')
        wk_buf_putc(b, '/');
    wk_buf_puts(b, rest);
    wk_buf_putc(b, 0);
    wk_buf_puts(b, target);
    return !b->failed;
}

static int change_of(uint32_t change)
{
    return change == GUEST_ADDED ? WHELK_ADDED : change == GUEST_REMOVED ? WHELK_REMOVED : WHELK_MODIFIED;
}

static void hear_entry(struct wk_guest_file *f, struct guest_reader *r)
{
    uint32_t change = guest_u32(r), kind = guest_u32(r), mode = guest_u32(r);
    whelk_file_entry e = {.size = sizeof e, .mode = mode & 07777, .mtime_ns = (int64_t)guest_u64(r)};
    e.bytes = guest_u64(r);
    e.inode = guest_u64(r);
    e.links = guest_u32(r);
    e.device = guest_u64(r);
    e.uid = guest_u32(r);
    e.gid = guest_u32(r);
    struct wk_str path, target;
    path.p = guest_text(r, &path.n);
    target.p = guest_text(r, &target.n);
    unsigned names = 0;
    const char *wrong = NULL;
    if (r->bad || kind > GUEST_OTHER || change > GUEST_THERE ||
        (change == GUEST_THERE) == (f->op == WHELK_FILE_CHANGES))
        wrong = "an entry that makes no sense";
    else if (f->depth ? !is_path(path.p, path.n, &names) || names > f->depth : path.n || f->n_names)
        wrong = "an entry that is not where it was looked for";
    else if (target.n > PATH_MOST || (target.n && (kind != GUEST_LINK || memchr(target.p, 0, target.n))))
        wrong = "a link's target that makes no sense";
    else
        wrong = note_name(f, path);
    if (!wrong && !join(f, path, target))
        wrong = "no memory for its entries";
    if (wrong) {
        wk_guest_break(f->g, wrong);
        return;
    }
    e.type = kind == GUEST_FILE ? WHELK_TYPE_FILE : kind == GUEST_DIR ? WHELK_TYPE_DIR
             : kind == GUEST_LINK ? WHELK_TYPE_LINK : WHELK_TYPE_OTHER;
    e.change = change == GUEST_THERE ? 0 : change_of(change);
    e.path = f->text.p;
    e.target = kind == GUEST_LINK ? f->text.p + strlen(f->text.p) + 1 : NULL;
    if (f->events.entry)
        f->events.entry(f->ctx, &e);
}

static void hear_file(struct wk_link_listener *l, uint32_t type, struct guest_reader *r)
{
    struct wk_guest_file *f = (struct wk_guest_file *)l;
    bool tells = f->op == WHELK_FILE_STAT || f->op == WHELK_FILE_LIST || f->op == WHELK_FILE_CHANGES;
    size_t n = r->n;
    if (type == GUEST_OK || type == GUEST_ERROR) {
        hear_end(f, type, r);
    } else if (type == GUEST_ENTRY && tells) {
        hear_entry(f, r);
    } else if (type == GUEST_DATA && f->op == WHELK_FILE_GET && n <= f->left) {
        f->left -= n;
        if (n && f->events.data)
            f->events.data(f->ctx, guest_take(r, n), n);
    } else {
        wk_guest_break(f->g, type == GUEST_DATA ? "more of a file than was asked for" : "an answer to something else");
    }
}

/* ---- requests ------------------------------------------------------------------------------------------ */

/* A path without what means nothing: "./a//b/" is "a/b", "." is "". False for one that must not be: a relative one with
 * "..", or a long one. */
static bool clean_path(struct wk_guest_box *g, const char *path, char **out)
{
    size_t n = path ? strlen(path) : 0, k = 0;
    bool absolute = n && path[0] == '/';
    *out = NULL;
    if (!path || n > PATH_MOST)
        return false;
    char *p = wk_alloc(g->mem, n + 2);
    if (!p)
        return true;
    for (size_t at = 0; at < n;) {
        const char *slash = memchr(path + at, '/', n - at);
        size_t part = slash ? (size_t)(slash - path) - at : n - at;
        if (part == 2 && !absolute && path[at] == '.' && path[at + 1] == '.') {
            wk_free(g->mem, p);
            return false;
        }
        if (part && !(part == 1 && path[at] == '.')) {
            if (k || absolute)
                p[k++] = '/';
            memcpy(p + k, path + at, part);
            k += part;
        }
        at += part + 1;
    }
    if (absolute && !k)
        p[k++] = '/';
    p[k] = 0;
    *out = p;
    return true;
}

static uint32_t type_of(int op)
{
    switch (op) {
    case WHELK_FILE_STAT: return GUEST_STAT;
    case WHELK_FILE_LIST: return GUEST_LIST;
    case WHELK_FILE_GET: return GUEST_GET;
    case WHELK_FILE_PUT: return GUEST_PUT;
    case WHELK_FILE_MAKE_DIR:
    case WHELK_FILE_SYMLINK: return GUEST_MAKE;
    case WHELK_FILE_REMOVE: return GUEST_REMOVE;
    case WHELK_FILE_RENAME: return GUEST_RENAME;
    case WHELK_FILE_ATTRIBUTES: return GUEST_ATTRIBUTES;
    case WHELK_FILE_CHANGES: return GUEST_SCAN;
    case WHELK_FILE_APPEND: return GUEST_APPEND;
    default: return 0;
    }
}

static void put_body(struct wk_buf *b, const struct wk_guest_file *f, const whelk_file_request *r, const char *target)
{
    switch (f->op) {
    case WHELK_FILE_STAT: wk_link_put_u32(b, r->flags & WHELK_FILE_FOLLOW ? 1 : 0); break;
    case WHELK_FILE_LIST: wk_link_put_u32(b, f->depth); break;
    case WHELK_FILE_GET:
        wk_link_put_u64(b, r->offset);
        wk_link_put_u64(b, r->length);
        break;
    case WHELK_FILE_MAKE_DIR:
    case WHELK_FILE_SYMLINK:
    case WHELK_FILE_PUT:
    case WHELK_FILE_ATTRIBUTES:
        if (type_of(f->op) == GUEST_MAKE)
            wk_link_put_u32(b, f->op == WHELK_FILE_SYMLINK ? GUEST_LINK : GUEST_DIR);
        wk_link_put_u32(b, r->mode);
        wk_link_put_u64(b, (uint64_t)r->mtime_ns);
        if (f->op == WHELK_FILE_PUT)
            wk_link_put_u64(b, r->length);
        break;
    case WHELK_FILE_APPEND: wk_link_put_u64(b, r->length); break;
    default: break;
    }
    wk_link_put_text(b, wk_str_c(f->path));
    if (f->op == WHELK_FILE_SYMLINK || f->op == WHELK_FILE_RENAME || f->op == WHELK_FILE_MAKE_DIR)
        wk_link_put_text(b, wk_str_c(target ? target : ""));
    if (f->op == WHELK_FILE_CHANGES) {
        wk_link_put_u32(b, (uint32_t)r->n_names);
        for (size_t i = 0; i < r->n_names; i++)
            wk_link_put_text(b, wk_str_c(r->names[i]));
    }
}

/* Whether bytes follow the request. */
static bool sends_data(const whelk_file_request *r)
{
    return (r->op == WHELK_FILE_PUT || r->op == WHELK_FILE_APPEND) && r->length;
}

static struct wk_guest_file *new_file(struct wk_guest_box *g, const whelk_file_request *r,
                                      const whelk_file_events *events, void *ctx)
{
    struct wk_guest_file *f = WK_NEW(g->mem, struct wk_guest_file);
    if (!f)
        return NULL;
    f->l = (struct wk_link_listener){.id = wk_guest_request_id(g), .frame = hear_file, .ended = lose_file};
    f->g = g;
    memcpy(&f->events, events, events->size && events->size < sizeof f->events ? events->size : sizeof f->events);
    f->ctx = ctx;
    f->op = r->op;
    f->data = r->data;
    f->left = r->op == WHELK_FILE_GET || sends_data(r) ? r->length : 0;
    f->depth = r->op == WHELK_FILE_LIST ? (r->depth ? r->depth : 1) : r->op == WHELK_FILE_CHANGES ? UINT32_MAX : 0;
    wk_buf_init(&f->text, g->mem, 4 * PATH_MOST);
    g->n_files++;
    return f;
}

static int send_request(struct wk_guest_file *f, const whelk_file_request *r, const char *target)
{
    struct wk_buf b;
    wk_buf_init(&b, f->g->mem, GUEST_BODY_MAX);
    put_body(&b, f, r, target);
    int code = b.over ? WHELK_E_INVALID : WHELK_E_NOMEM;
    if (!b.failed)
        code = wk_guest_send_code(wk_link_send(f->g->link, type_of(f->op), f->l.id, b.p, b.n));
    wk_buf_release(&b);
    return code;
}

int wk_guest_box_file(void *box, const whelk_file_request *r, const whelk_file_events *events, void *ctx)
{
    struct wk_guest_box *g = box;
    char *path = NULL, *to = NULL;
    if (!g->link || g->link->error)
        return WHELK_E_CLOSED;
    if (g->n_files >= WK_GUEST_FILES)
        return WHELK_E_AGAIN;
    if (!type_of(r->op) || r->n_names > ENTRY_NAMES || (sends_data(r) && !r->data) ||
        (r->op == WHELK_FILE_SYMLINK && (!r->target || !*r->target)))
        return WHELK_E_INVALID;
    if (!clean_path(g, r->path, &path))
        return WHELK_E_INVALID;
    if (r->op == WHELK_FILE_RENAME && !clean_path(g, r->target, &to)) {
        wk_free(g->mem, path);
        return WHELK_E_INVALID;
    }
    struct wk_guest_file *f = path && (r->op != WHELK_FILE_RENAME || to) ? new_file(g, r, events, ctx) : NULL;
    if (!f) {
        wk_free(g->mem, path);
        wk_free(g->mem, to);
        return WHELK_E_NOMEM;
    }
    f->path = path;
    int code = send_request(f, r, to ? to : r->target);
    wk_free(g->mem, to);
    if (code) {
        free_file(f);
        return code;
    }
    wk_link_listen(g->link, &f->l);
    if (sends_data(r)) {
        f->at = g->puts_end;
        *g->puts_end = f;
        g->puts_end = &f->next;
        (void)wk_guest_files_pump(g);
    }
    return WHELK_OK;
}

bool wk_guest_files_pump(struct wk_guest_box *g)
{
    bool queued = false;
    while (g->puts && !g->link->error && wk_link_waiting(g->link) < QUEUE_FULL) {
        struct wk_guest_file *f = g->puts;
        size_t n = f->left < GUEST_CHUNK ? (size_t)f->left : GUEST_CHUNK;
        int r = wk_link_send_now(g->link, GUEST_PUT_DATA, f->l.id, f->data, n);
        if (r == -WK_ENOMEM) {
            wk_fmt_into(g->why, sizeof g->why, "no memory for the connection to the sandbox's helper");
            wk_link_fail(g->link, WK_ENOMEM);
        }
        if (r)
            break;
        f->data += n;
        f->left -= n;
        if (!f->left)
            leave_queue(f);
        queued = true;
    }
    return queued;
}
