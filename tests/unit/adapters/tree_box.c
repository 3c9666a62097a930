/* tree_box.c - a kind whose box is a tree of files in memory */
#include "tree_box.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tree_node {
    struct tree_node *parent, *first, *next;
    char *name, *data; /* data: of a file; the target of a link */
    size_t n;
    int type;
    uint32_t mode;
    int64_t mtime;
    uint64_t inode;
    char shown[16];
};

struct tree_job {
    struct tree_job *next;
    unsigned number;
    whelk_file_request r;
    char *path, *target;
    const whelk_file_events *events;
    void *ctx;
};

/* ---- the tree ------------------------------------------------------------------------------------ */

static struct tree_node *new_node(struct tree_box *f, struct tree_node *parent, const char *name, size_t n, int type)
{
    struct tree_node *x = calloc(1, sizeof *x);
    x->name = strndup(name, n);
    x->type = type;
    x->mode = type == WHELK_TYPE_DIR ? 0755 : 0644;
    x->inode = ++f->next_inode;
    x->mtime = ++f->time;
    x->parent = parent;
    if (parent) {
        x->next = parent->first;
        parent->first = x;
    }
    return x;
}

static void free_node(struct tree_node *x)
{
    while (x->first) {
        struct tree_node *child = x->first;
        x->first = child->next;
        free_node(child);
    }
    free(x->name);
    free(x->data);
    free(x);
}

static void unlink_node(struct tree_node *x)
{
    struct tree_node **at = &x->parent->first;
    while (*at != x)
        at = &(*at)->next;
    *at = x->next;
}

static struct tree_node *child(struct tree_node *dir, const char *name, size_t n)
{
    for (struct tree_node *x = dir->first; x; x = x->next)
        if (strlen(x->name) == n && memcmp(x->name, name, n) == 0)
            return x;
    return NULL;
}

struct place {
    struct tree_node *dir, *node; /* node NULL: the name is free */
    char name[4096];
};

static int resolve(struct tree_box *f, const char *path, bool follow, struct place *p, int links)
{
    struct tree_node *at = f->root;
    *p = (struct place){.dir = at, .node = at};
    while (*path) {
        size_t n = strcspn(path, "/");
        if (!n) {
            path++;
            continue;
        }
        bool last = !path[n + strspn(path + n, "/")];
        if (!p->node)
            return WHELK_E_NOENT;
        at = p->node;
        if (at->type != WHELK_TYPE_DIR)
            return WHELK_E_NOTDIR;
        snprintf(p->name, sizeof p->name, "%.*s", (int)n, path);
        p->dir = at;
        p->node = n == 1 && *path == '.'         ? at
                  : n == 2 && !memcmp(path, "..", 2) ? at->parent ? at->parent : at
                                                 : child(at, path, n);
        path += n;
        if (p->node && p->node->type == WHELK_TYPE_LINK && (!last || follow)) {
            if (links > 40)
                return WHELK_E_LOOP;
            char whole[8192] = "";
            char up[4096];
            for (struct tree_node *d = p->node->data[0] == '/' ? NULL : at; d && d->parent; d = d->parent) {
                snprintf(up, sizeof up, "/%s%.3000s", d->name, whole);
                strcpy(whole, up);
            }
            char to[16384];
            snprintf(to, sizeof to, "%s/%s%s", whole, p->node->data, path);
            return resolve(f, to, follow, p, links + 1);
        }
    }
    return 0;
}

static int find(struct tree_box *f, const char *path, bool follow, struct tree_node **out)
{
    struct place *p = malloc(sizeof *p);
    int r = resolve(f, path, follow, p, 0);
    *out = r ? NULL : p->node;
    free(p);
    return r ? r : *out ? 0 : WHELK_E_NOENT;
}

void tree_add(struct tree_box *f, const char *path, const char *data, const char *target, uint32_t mode)
{
    struct tree_node *at = f->root;
    for (const char *s = path; *s;) {
        s += strspn(s, "/");
        size_t n = strcspn(s, "/");
        bool last = !s[n];
        int type = !last ? WHELK_TYPE_DIR : target ? WHELK_TYPE_LINK : data ? WHELK_TYPE_FILE : WHELK_TYPE_DIR;
        struct tree_node *x = child(at, s, n);
        at = x ? x : new_node(f, at, s, n, type);
        s += n;
    }
    if (data || target) {
        free(at->data);
        at->data = strdup(target ? target : data);
        at->n = strlen(at->data);
    }
    if (mode)
        at->mode = mode;
}

const char *tree_text(struct tree_box *f, const char *path, size_t *n)
{
    struct tree_node *x;
    if (find(f, path, true, &x) || x->type != WHELK_TYPE_FILE)
        return NULL;
    if (n)
        *n = x->n;
    return x->data ? x->data : "";
}

const char *tree_kind_of(struct tree_box *f, const char *path)
{
    struct tree_node *x;
    if (find(f, path, false, &x))
        return "";
    if (x->type == WHELK_TYPE_LINK || x->type == WHELK_TYPE_OTHER)
        return x->type == WHELK_TYPE_LINK ? "l" : "o";
    snprintf(x->shown, sizeof x->shown, "%c%o", x->type == WHELK_TYPE_DIR ? 'd' : 'f', x->mode);
    return x->shown;
}

void tree_make_other(struct tree_box *f, const char *path)
{
    struct tree_node *x;
    cr_assert_eq(find(f, path, false, &x), 0);
    x->type = WHELK_TYPE_OTHER;
}

/* ---- requests ------------------------------------------------------------------------------------ */

static void tell_entry(const struct tree_job *j, const struct tree_node *x, const char *path)
{
    if (!j->events)
        return;
    whelk_file_entry e = {.size = sizeof e,
                          .path = path,
                          .target = x->type == WHELK_TYPE_LINK ? x->data : NULL,
                          .type = x->type,
                          .mode = x->mode,
                          .uid = 7,
                          .gid = 8,
                          .links = 1,
                          .mtime_ns = x->mtime,
                          .bytes = x->n,
                          .inode = x->inode,
                          .device = 1};
    j->events->entry(j->ctx, &e);
}

static void list(const struct tree_job *j, const struct tree_node *dir, const char *path, unsigned depth)
{
    for (const struct tree_node *x = dir->first; x; x = x->next) {
        char *below = malloc(strlen(path) + strlen(x->name) + 2);
        sprintf(below, "%s/%s", path[1] ? path : "", x->name);
        tell_entry(j, x, below);
        if (x->type == WHELK_TYPE_DIR && depth > 1)
            list(j, x, below, depth - 1);
        free(below);
    }
}

static void send(struct tree_box *f, const struct tree_job *j, const char *p, size_t n)
{
    size_t piece = f->how.piece ? f->how.piece : n;
    for (size_t at = 0; at < n; at += piece)
        j->events->data(j->ctx, p + at, n - at < piece ? n - at : piece);
}

static int get(struct tree_box *f, const struct tree_job *j, const struct tree_node *x)
{
    if (x->type != WHELK_TYPE_FILE)
        return x->type == WHELK_TYPE_DIR ? WHELK_E_ISDIR : WHELK_E_INVALID;
    uint64_t at = j->r.offset < x->n ? j->r.offset : x->n, left = x->n - at;
    send(f, j, x->data + at, left < j->r.length ? left : j->r.length);
    if (f->how.lies)
        for (int i = 0; i < 100; i++)
            send(f, j, "more than was asked for", 23);
    return 0;
}

static int put(struct tree_box *f, const struct tree_job *j, struct place *p)
{
    struct tree_node *x = p->node;
    if (x && x->type == WHELK_TYPE_DIR)
        return WHELK_E_ISDIR;
    if (!x || j->r.op == WHELK_FILE_PUT) {
        if (x) {
            unlink_node(x);
            free_node(x);
        }
        x = new_node(f, p->dir, p->name, strlen(p->name), WHELK_TYPE_FILE);
        x->mode = j->r.mode == UINT32_MAX ? 0644 : j->r.mode;
    }
    x->data = realloc(x->data, x->n + j->r.length + 1);
    memcpy(x->data + x->n, j->r.data, j->r.length);
    x->n += j->r.length;
    x->data[x->n] = 0;
    x->mtime = ++f->time;
    return 0;
}

static int rename_node(struct tree_box *f, const struct tree_job *j, struct tree_node *x)
{
    struct place *to = malloc(sizeof *to);
    int r = resolve(f, j->target, false, to, 0);
    if (!r && to->node && to->node->first)
        r = WHELK_E_NOTEMPTY;
    if (!r) {
        if (to->node) {
            unlink_node(to->node);
            free_node(to->node);
        }
        unlink_node(x);
        free(x->name);
        x->name = strdup(to->name);
        x->parent = to->dir;
        x->next = to->dir->first;
        to->dir->first = x;
    }
    free(to);
    return r;
}

static int perform(struct tree_box *f, const struct tree_job *j, struct place *p)
{
    bool follow = (j->r.flags & WHELK_FILE_FOLLOW) || j->r.op == WHELK_FILE_GET || j->r.op == WHELK_FILE_LIST ||
                  j->r.op == WHELK_FILE_APPEND;
    int r = resolve(f, j->path, follow, p, 0);
    if (r)
        return r;
    bool makes = j->r.op == WHELK_FILE_PUT || j->r.op == WHELK_FILE_MAKE_DIR || j->r.op == WHELK_FILE_SYMLINK;
    if (!p->node && !makes)
        return WHELK_E_NOENT;
    switch (j->r.op) {
    case WHELK_FILE_STAT:
        tell_entry(j, p->node, j->path);
        return 0;
    case WHELK_FILE_LIST:
        if (p->node->type != WHELK_TYPE_DIR)
            return WHELK_E_NOTDIR;
        list(j, p->node, j->path, j->r.depth);
        if (f->how.lies)
            tell_entry(j, p->node, "/work/../etc");
        return 0;
    case WHELK_FILE_GET:
        return get(f, j, p->node);
    case WHELK_FILE_APPEND:
        if (!f->how.appends)
            return WHELK_E_UNSUPPORTED;
        return put(f, j, p);
    case WHELK_FILE_PUT:
        return put(f, j, p);
    case WHELK_FILE_MAKE_DIR:
        if (p->node)
            return p->node->type == WHELK_TYPE_DIR ? 0 : WHELK_E_EXISTS;
        new_node(f, p->dir, p->name, strlen(p->name), WHELK_TYPE_DIR)->mode = j->r.mode;
        return 0;
    case WHELK_FILE_SYMLINK:
        p->node = new_node(f, p->dir, p->name, strlen(p->name), WHELK_TYPE_LINK);
        p->node->data = strdup(j->target);
        p->node->n = strlen(j->target);
        return 0;
    case WHELK_FILE_REMOVE:
        unlink_node(p->node);
        free_node(p->node);
        return 0;
    case WHELK_FILE_RENAME:
        return rename_node(f, j, p->node);
    case WHELK_FILE_ATTRIBUTES:
        p->node->mode = j->r.mode;
        return 0;
    default:
        return WHELK_E_UNSUPPORTED;
    }
}

static void free_job(struct tree_job *j)
{
    free(j->path);
    free(j->target);
    free(j);
}

static void answer(struct tree_box *f, struct tree_job *j)
{
    struct place *p = malloc(sizeof *p);
    if (f->how.before)
        f->how.before(f, j->number, &j->r);
    int code = j->number == f->how.fail_at ? f->how.code : perform(f, j, p);
    struct tree_node *x = NULL;
    uint64_t size = j->r.op == WHELK_FILE_GET && !find(f, j->path, true, &x) ? x->n : 0;
    free(p);
    f->answers++;
    j->events->done(j->ctx, code, size, j->path);
    free_job(j);
}

static int file(void *box, const whelk_file_request *r, const whelk_file_events *events, void *ctx)
{
    struct tree_box *f = box;
    static const char nothing[1] = "";
    f->requests++;
    if (f->how.again && f->requests % 2)
        return WHELK_E_AGAIN;
    if (f->requests == f->how.lost_at) {
        f->lost = true;
        return WHELK_E_CLOSED;
    }
    if (f->how.refuse && f->requests == f->how.fail_at)
        return f->how.code;
    struct tree_job *j = calloc(1, sizeof *j);
    j->number = f->requests;
    j->r = *r;
    j->path = strdup(r->path);
    j->target = r->target ? strdup(r->target) : NULL;
    j->r.data = r->length ? r->data : nothing;
    j->events = events;
    j->ctx = ctx;
    if (!f->how.later && !f->how.silent) {
        answer(f, j);
        return WHELK_OK;
    }
    j->next = f->jobs;
    f->jobs = j;
    size_t n = 0;
    uint64_t bytes = 0;
    for (const struct tree_job *k = f->jobs; k; k = k->next, n++)
        bytes += k->r.op == WHELK_FILE_PUT ? k->r.length : 0;
    f->most_under_way = n > f->most_under_way ? n : f->most_under_way;
    f->most_bytes = bytes > f->most_bytes ? bytes : f->most_bytes;
    return WHELK_OK;
}

static int pump(void *box)
{
    struct tree_box *f = box;
    for (int i = 0; i < 7 && f->jobs && !f->how.silent && !f->lost; i++) {
        struct tree_job *j = f->jobs;
        f->jobs = j->next;
        answer(f, j);
    }
    return f->lost ? WHELK_E_CLOSED : WHELK_OK;
}

/* ---- the rest of the table ----------------------------------------------------------------------- */

static size_t no_poll(void *box, int *fds, short *events, size_t cap, int64_t *timeout_ms)
{
    struct tree_box *f = box;
    (void)fds;
    (void)events;
    (void)cap;
    *timeout_ms = f->how.silent ? -1 : 0;
    return 0;
}

static int open_it(void *ctx, const whelk_sandbox_options *o, const whelk_opening *with, void **box,
                   whelk_box_facts *facts)
{
    (void)ctx;
    (void)o;
    (void)with;
    struct tree_box *f = calloc(1, sizeof *f);
    f->root = new_node(f, NULL, "", 0, WHELK_TYPE_DIR);
    f->how.appends = true;
    tree_add(f, "/work", NULL, NULL, 0);
    facts->workspace = "/work";
    facts->shell = "sh";
    facts->description = "a tree in memory";
    facts->capabilities = WHELK_BOX_NETWORK_NONE;
    *box = f;
    return WHELK_OK;
}

static void close_it(void *box, int keep)
{
    struct tree_box *f = box;
    (void)keep;
    for (struct tree_job *j = f->jobs, *next; j; j = next) { /* they are never answered */
        next = j->next;
        free_job(j);
    }
    free_node(f->root);
    free(f);
}

static int start(void *box, uint32_t id, const whelk_spec *spec, const whelk_process_events *events, void *ctx)
{
    (void)box, (void)id, (void)spec, (void)events, (void)ctx;
    return WHELK_E_UNSUPPORTED;
}
static void welcome(void *box, uint32_t id, int stream, size_t n)
{
    (void)box, (void)id, (void)stream, (void)n;
}
static int write_(void *box, uint32_t id, const void *p, size_t n)
{
    (void)box, (void)id, (void)p, (void)n;
    return WHELK_E_UNSUPPORTED;
}
static int signal_(void *box, uint32_t id, int sig, int scope, void (*done)(void *ctx, int code), void *ctx)
{
    (void)box, (void)id, (void)sig, (void)scope, (void)done, (void)ctx;
    return WHELK_E_UNSUPPORTED;
}
static int resize(void *box, uint32_t id, uint16_t rows, uint16_t columns)
{
    (void)box, (void)id, (void)rows, (void)columns;
    return WHELK_E_UNSUPPORTED;
}
static int log_(void *box, uint32_t id, int stream, uint64_t offset, size_t most, int wait, whelk_log_fn *fn, void *ctx)
{
    (void)box, (void)id, (void)stream, (void)offset, (void)most, (void)wait, (void)fn, (void)ctx;
    return WHELK_E_UNSUPPORTED;
}
static void forget(void *box, uint32_t id)
{
    (void)box, (void)id;
}
static int wait_port(void *box, uint32_t id, uint16_t port, void (*done)(void *ctx, int code), void *ctx)
{
    (void)box, (void)id, (void)port, (void)done, (void)ctx;
    return WHELK_E_UNSUPPORTED;
}

const whelk_sandbox_kind tree_kind = {.size = sizeof tree_kind,
                                      .name = "tree",
                                      .open = open_it,
                                      .close = close_it,
                                      .poll = no_poll,
                                      .pump = pump,
                                      .start = start,
                                      .welcome = welcome,
                                      .write = write_,
                                      .signal = signal_,
                                      .resize = resize,
                                      .log = log_,
                                      .stop_waiting = forget,
                                      .forget = forget,
                                      .wait_port = wait_port,
                                      .file = file};
