/* mirror_box.c - a box in memory */
#include "tests/unit/adapters/mirror_box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mbox_request {
    struct mbox_request *next;
    whelk_file_request r;
    char *path, *target;
    char **names;
    const whelk_file_events *events;
    void *ctx;
};

uint64_t mbox_random(struct mbox_box *b)
{
    b->seed ^= b->seed << 13;
    b->seed ^= b->seed >> 7;
    return b->seed ^= b->seed << 17;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static void node_free(struct mbox_node *x)
{
    free(x->path);
    free(x->data);
}

static struct mbox_node *find_in(struct mbox_node *v, size_t n, const char *path)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(v[i].path, path) == 0)
            return &v[i];
    return NULL;
}

struct mbox_node *mbox_find(struct mbox_box *b, const char *path)
{
    return find_in(b->v, b->n, path);
}

static bool is_below(const char *path, const char *dir)
{
    size_t n = strlen(dir);
    if (n == 0)
        return path[0] != '/';
    return strncmp(path, dir, n) == 0 && (path[n] == 0 || path[n] == '/');
}

/* WHELK_OK, or why nothing can be put at a path. */
static int parent_code(struct mbox_box *b, const char *path)
{
    char up[5000];
    snprintf(up, sizeof up, "%s", path);
    char *slash = strrchr(up, '/');
    if (!slash || slash == up)
        return WHELK_OK;
    *slash = 0;
    if (strcmp(up, "/tmp") == 0)
        return WHELK_OK;
    struct mbox_node *d = mbox_find(b, up);
    if (!d)
        return parent_code(b, up) ? parent_code(b, up) : WHELK_E_NOENT;
    return d->type == WHELK_TYPE_DIR ? WHELK_OK : d->type == WHELK_TYPE_LINK ? WHELK_E_LOOP : WHELK_E_NOTDIR;
}

static void touch_parent(struct mbox_box *b, const char *path)
{
    char up[5000];
    snprintf(up, sizeof up, "%s", path);
    char *slash = strrchr(up, '/');
    if (!slash)
        return;
    *slash = 0;
    struct mbox_node *d = mbox_find(b, up);
    if (d)
        d->mtime = ++b->clock;
}

static struct mbox_node *put(struct mbox_box *b, const char *path, int type, uint32_t mode, const void *p, size_t n)
{
    struct mbox_node *x = mbox_find(b, path);
    if (!x) {
        if (b->n == b->cap) {
            b->cap = b->cap ? 2 * b->cap : 64;
            b->v = realloc(b->v, b->cap * sizeof *b->v);
        }
        x = &b->v[b->n++];
        *x = (struct mbox_node){.path = strdup(path)};
    }
    free(x->data);
    x->data = malloc(n + 1);
    if (n)
        memcpy(x->data, p, n);
    x->data[n] = 0;
    x->n = n;
    x->type = type;
    x->mode = mode;
    x->mtime = ++b->clock;
    touch_parent(b, path);
    return x;
}

bool mbox_write(struct mbox_box *b, const char *path, const char *text)
{
    struct mbox_node *x = mbox_find(b, path);
    if (parent_code(b, path) || (x && x->type == WHELK_TYPE_DIR))
        return false;
    uint32_t mode = x && x->type == WHELK_TYPE_FILE ? x->mode : 0644;
    if (x && x->type == WHELK_TYPE_FILE) { /* in place: the directory does not change */
        free(x->data);
        x->data = strdup(text);
        x->n = strlen(text);
        x->mtime = ++b->clock;
        return true;
    }
    return put(b, path, WHELK_TYPE_FILE, mode, text, strlen(text));
}

bool mbox_mkdir(struct mbox_box *b, const char *path)
{
    return !parent_code(b, path) && !mbox_find(b, path) && put(b, path, WHELK_TYPE_DIR, 0755, "", 0);
}

bool mbox_symlink(struct mbox_box *b, const char *path, const char *target)
{
    return !parent_code(b, path) && !mbox_find(b, path) &&
           put(b, path, WHELK_TYPE_LINK, 0777, target, strlen(target));
}

bool mbox_special(struct mbox_box *b, const char *path)
{
    return !parent_code(b, path) && !mbox_find(b, path) && put(b, path, WHELK_TYPE_OTHER, 0644, "", 0);
}

static bool remove_from(struct mbox_node *v, size_t *n, const char *path)
{
    size_t k = 0, had = *n;
    for (size_t i = 0; i < *n; i++) {
        if (*path && is_below(v[i].path, path))
            node_free(&v[i]);
        else
            v[k++] = v[i];
    }
    *n = k;
    return k < had;
}

bool mbox_remove(struct mbox_box *b, const char *path)
{
    bool any = remove_from(b->v, &b->n, path);
    if (any)
        touch_parent(b, path);
    return any;
}

bool mbox_rename(struct mbox_box *b, const char *from, const char *to)
{
    if (!mbox_find(b, from) || mbox_find(b, to) || parent_code(b, to) || is_below(to, from))
        return false;
    for (size_t i = 0; i < b->n; i++)
        if (is_below(b->v[i].path, from)) {
            char path[5000];
            snprintf(path, sizeof path, "%s%s", to, b->v[i].path + strlen(from));
            free(b->v[i].path);
            b->v[i].path = strdup(path);
        }
    touch_parent(b, from);
    touch_parent(b, to);
    return true;
}

bool mbox_chmod(struct mbox_box *b, const char *path, uint32_t mode)
{
    struct mbox_node *x = mbox_find(b, path);
    if (x && x->type != WHELK_TYPE_LINK)
        x->mode = mode;
    return x != NULL;
}

/* ---- what has changed ------------------------------------------------------------------------ */

/* The look remembers a node as it is. */
static void see(struct mbox_box *b, const char *path)
{
    struct mbox_node *x = mbox_find(b, path), *s = find_in(b->seen, b->n_seen, path);
    if (!x) {
        remove_from(b->seen, &b->n_seen, path);
        return;
    }
    if (!s) {
        if (b->n_seen == b->cap_seen) {
            b->cap_seen = b->cap_seen ? 2 * b->cap_seen : 64;
            b->seen = realloc(b->seen, b->cap_seen * sizeof *b->seen);
        }
        s = &b->seen[b->n_seen++];
        s->path = strdup(path);
        s->data = NULL;
    }
    char *name = s->path;
    free(s->data);
    *s = *x;
    s->path = name;
    s->data = malloc(x->n + 1);
    memcpy(s->data, x->data, x->n + 1);
}

static bool same(const struct mbox_node *a, const struct mbox_node *b)
{
    return a->type == b->type && a->mode == b->mode && a->mtime == b->mtime && a->n == b->n &&
           memcmp(a->data, b->data, a->n) == 0;
}

static bool left_out(const struct mbox_request *q, const char *path)
{
    for (size_t i = 0; i < q->r.n_names; i++) {
        size_t n = strlen(q->names[i]);
        for (const char *p = path; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
            if (strncmp(p, q->names[i], n) == 0 && (p[n] == 0 || p[n] == '/'))
                return true;
    }
    return false;
}

static void tell(const struct mbox_request *q, const struct mbox_node *x, int change)
{
    whelk_file_entry e = {.size = sizeof e,
                          .path = x->path,
                          .target = x->type == WHELK_TYPE_LINK ? x->data : NULL,
                          .type = x->type,
                          .change = change,
                          .mode = x->mode,
                          .mtime_ns = x->mtime,
                          .bytes = x->n};
    q->events->entry(q->ctx, &e);
}

static void look_for_changes(struct mbox_box *b, const struct mbox_request *q)
{
    b->changes++;
    for (size_t i = 0; i < b->n; i++) {
        struct mbox_node *x = &b->v[i], *s = find_in(b->seen, b->n_seen, x->path);
        if (!is_below(x->path, q->path) || left_out(q, x->path) || strcmp(x->path, q->path) == 0)
            continue;
        if (!s || !same(s, x))
            tell(q, x, s ? WHELK_MODIFIED : WHELK_ADDED);
        see(b, x->path);
    }
    for (size_t i = 0; i < b->n_seen; i++)
        if (is_below(b->seen[i].path, q->path) && !mbox_find(b, b->seen[i].path) && !left_out(q, b->seen[i].path)) {
            tell(q, &b->seen[i], WHELK_REMOVED);
            node_free(&b->seen[i]);
            b->seen[i--] = b->seen[--b->n_seen];
        }
    for (size_t i = 0; i < b->n_lies; i++) {
        char name[5000];
        snprintf(name, sizeof name, "%s", b->lies[i]);
        tell(q, &(struct mbox_node){name, WHELK_TYPE_FILE, 0644, 1, NULL, 1}, WHELK_ADDED);
    }
}

/* ---- requests -------------------------------------------------------------------------------- */

static int do_put(struct mbox_box *b, const struct mbox_request *q)
{
    struct mbox_node *x = mbox_find(b, q->path);
    uint64_t used = q->r.length;
    for (size_t i = 0; i < b->n; i++)
        used += b->v[i].n;
    b->puts++;
    if (x && x->type == WHELK_TYPE_DIR)
        return WHELK_E_ISDIR;
    if (b->disk && used > b->disk)
        return WHELK_E_NOSPACE;
    put(b, q->path, WHELK_TYPE_FILE, q->r.mode, q->r.data, (size_t)q->r.length)->mtime = q->r.mtime_ns;
    return WHELK_OK;
}

static int do_get(struct mbox_box *b, const struct mbox_request *q, uint64_t *size)
{
    struct mbox_node *x = mbox_find(b, q->path);
    if (b->fail_get)
        return b->fail_get;
    if (!x)
        return WHELK_E_NOENT;
    if (x->type != WHELK_TYPE_FILE)
        return x->type == WHELK_TYPE_DIR ? WHELK_E_ISDIR : WHELK_E_LOOP;
    *size = x->n;
    size_t most = x->n < q->r.length ? x->n : (size_t)q->r.length;
    for (size_t at = 0; at < most;) {
        size_t n = 1 + (size_t)(mbox_random(b) % 5000);
        n = n < most - at ? n : most - at;
        q->events->data(q->ctx, x->data + at, n);
        at += n;
    }
    return WHELK_OK;
}

static int do_mkdir(struct mbox_box *b, const struct mbox_request *q)
{
    struct mbox_node *x = mbox_find(b, q->path);
    if (x && x->type != WHELK_TYPE_DIR)
        return WHELK_E_EXISTS;
    if (!x)
        x = put(b, q->path, WHELK_TYPE_DIR, 0, "", 0);
    x->mode = q->r.mode;
    x->mtime = q->r.mtime_ns;
    return WHELK_OK;
}

static int do_link(struct mbox_box *b, const struct mbox_request *q)
{
    struct mbox_node *x = mbox_find(b, q->path);
    if (x && x->type == WHELK_TYPE_DIR)
        return WHELK_E_ISDIR;
    put(b, q->path, WHELK_TYPE_LINK, 0777, q->target, strlen(q->target))->mtime = q->r.mtime_ns;
    return WHELK_OK;
}

static int set(struct mbox_box *b, const struct mbox_request *q)
{
    struct mbox_node *x = mbox_find(b, q->path);
    if (!x)
        return WHELK_E_NOENT;
    x->mode = q->r.mode;
    x->mtime = q->r.mtime_ns;
    return WHELK_OK;
}

static int perform(struct mbox_box *b, const struct mbox_request *q, uint64_t *size)
{
    int code = parent_code(b, q->path);
    struct mbox_node *was = mbox_find(b, q->path), *had = find_in(b->seen, b->n_seen, q->path);
    bool keeps = q->r.op == WHELK_FILE_ATTRIBUTES || q->r.op == WHELK_FILE_MAKE_DIR;
    bool unseen = keeps && was && (!had || !same(had, was)); /* what has changed before is still to be told */
    if (q->r.op == WHELK_FILE_CHANGES)
        look_for_changes(b, q);
    else if (q->r.op == WHELK_FILE_LIST)
        for (size_t i = 0; i < b->n; i++) {
            if (is_below(b->v[i].path, q->path) && strcmp(b->v[i].path, q->path) != 0)
                tell(q, &b->v[i], 0);
        }
    else if (code)
        return q->r.op == WHELK_FILE_REMOVE ? WHELK_OK : code;
    else
        switch (q->r.op) {
        case WHELK_FILE_PUT: code = do_put(b, q); break;
        case WHELK_FILE_GET: return do_get(b, q, size);
        case WHELK_FILE_MAKE_DIR: code = do_mkdir(b, q); break;
        case WHELK_FILE_SYMLINK: code = do_link(b, q); break;
        case WHELK_FILE_REMOVE: mbox_remove(b, q->path); break;
        case WHELK_FILE_ATTRIBUTES: code = set(b, q); break;
        default: return WHELK_E_UNSUPPORTED;
        }
    if (q->r.op != WHELK_FILE_CHANGES && q->r.op != WHELK_FILE_LIST && !code)
        see(b, q->path);
    had = find_in(b->seen, b->n_seen, q->path);
    if (unseen && had)
        had->type = 0; /* told next time, whatever it is by then */
    return code;
}

static void finish(struct mbox_box *b, struct mbox_request *q)
{
    uint64_t size = 0;
    int code = b->lost ? WHELK_E_CLOSED : perform(b, q, &size);
    q->events->done(q->ctx, code, size, "");
    for (size_t i = 0; i < q->r.n_names; i++)
        free(q->names[i]);
    free(q->names);
    free(q->path);
    free(q->target);
    free(q);
}

static int mbox_file(void *box, const whelk_file_request *r, const whelk_file_events *events, void *ctx)
{
    struct mbox_box *b = box;
    if (b->lost)
        return WHELK_E_CLOSED;
    if (b->waiting >= 100 || (b->busy && mbox_random(b) % 8 == 0))
        return WHELK_E_AGAIN;
    b->requests++;
    struct mbox_request *q = calloc(1, sizeof *q);
    q->r = *r;
    q->path = strdup(r->path);
    q->target = r->target ? strdup(r->target) : NULL;
    q->names = calloc(r->n_names + 1, sizeof *q->names);
    for (size_t i = 0; i < r->n_names; i++)
        q->names[i] = strdup(r->names[i]);
    q->events = events;
    q->ctx = ctx;
    if (b->at_once && !b->first) {
        finish(b, q);
        return WHELK_OK;
    }
    if (!b->first)
        b->last = &b->first;
    *b->last = q;
    b->last = &q->next;
    b->waiting++;
    return WHELK_OK;
}

static int mbox_pump(void *box)
{
    struct mbox_box *b = box;
    size_t n = b->lost ? b->waiting : mbox_random(b) % 40;
    while (n-- > 0 && b->first) {
        struct mbox_request *q = b->first;
        b->first = q->next;
        if (!b->first)
            b->last = &b->first;
        b->waiting--;
        finish(b, q);
    }
    return b->lost ? WHELK_E_CLOSED : WHELK_OK;
}

void mbox_release(struct mbox_box *b)
{
    b->lost = true;
    mbox_pump(b);
    for (size_t i = 0; i < b->n; i++)
        node_free(&b->v[i]);
    for (size_t i = 0; i < b->n_seen; i++)
        node_free(&b->seen[i]);
    free(b->v);
    free(b->seen);
    *b = (struct mbox_box){0};
}

const whelk_sandbox_kind mbox_kind = {.size = sizeof mbox_kind, .name = "fake", .pump = mbox_pump, .file = mbox_file};
