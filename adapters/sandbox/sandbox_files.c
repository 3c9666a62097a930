/* sandbox_files.c - names of files in a sandbox: looked at, listed, made, renamed, removed */
#include "adapters/sandbox/code.h"
#include "adapters/sandbox/sandbox_request.h"
#include "base/sort.h"

/* ---- stat ---------------------------------------------------------------------------------------- */

static uint32_t type_bits(int type)
{
    switch (type) {
    case WHELK_TYPE_FILE:
        return 0100000;
    case WHELK_TYPE_DIR:
        return 0040000;
    case WHELK_TYPE_LINK:
        return 0120000;
    default:
        return 0; /* a device, a pipe, a socket: the kind does not tell which */
    }
}

static whelk_stat stat_of(const whelk_file_entry *e)
{
    return (whelk_stat){.size = sizeof(whelk_stat),
                        .ino = e->inode,
                        .mode = type_bits(e->type) | (e->mode & 07777),
                        .nlink = e->links,
                        .uid = e->uid,
                        .gid = e->gid,
                        .bytes = e->bytes,
                        .atime_ns = e->mtime_ns,
                        .mtime_ns = e->mtime_ns,
                        .ctime_ns = e->mtime_ns};
}

/* Asks what is at an absolute path. A code, no words. */
static int look(struct whelk_sandbox *b, const char *path, bool follow, whelk_file_entry *e)
{
    struct wk_request q = wk_request(WHELK_FILE_STAT, path);
    struct wk_answer a;
    q.r.flags = follow ? WHELK_FILE_FOLLOW : 0;
    int r = wk_request_one(b, &q, &a);
    *e = a.e;
    e->target = NULL;
    wk_answer_release(&a);
    return r;
}

/* Begins a call that names a file. */
static int begin(struct whelk_sandbox *b, const char *path, char **full, bool *dir)
{
    int r = wk_sandbox_begin(b);
    return r ? r : wk_box_path(b, path, full, dir);
}

/* Ends it: frees the path and gives words to a code without. */
static int end(struct whelk_sandbox *b, int code, char *full)
{
    if (code)
        wk_box_fail(b, code, full);
    wk_free(b->mem, full);
    return code;
}

int whelk_sandbox_stat(whelk_sandbox *b, const char *path, int follow, whelk_stat *out)
{
    char *full;
    bool dir;
    whelk_file_entry e;
    int r = begin(b, path, &full, &dir);
    if (r)
        return r;
    if (!out)
        return end(b, WHELK_E_INVALID, full);
    r = look(b, full, follow || dir, &e);
    if (!r && dir && e.type != WHELK_TYPE_DIR)
        r = WHELK_E_NOTDIR;
    if (!r) {
        whelk_stat st = stat_of(&e);
        r = wk_struct_give(out, &st, sizeof st);
    }
    return end(b, r, full);
}

/* ---- list ---------------------------------------------------------------------------------------- */

enum { LIST_MAX = 1000000, LIST_TEXT = 256 << 20 }; /* entries of one call; bytes of their paths */

struct item {
    whelk_stat st;
    const char *path, *target; /* in the texts, once they are all there; NULL: no link */
};

struct list {
    struct whelk_sandbox *box;
    struct wk_request q;
    bool asked;
    int code;
    struct item *items;
    size_t n, cap;
    struct wk_buf texts; /* path NUL target NUL, one after the other */
};

static bool list_ask(void *ctx, struct wk_request *q)
{
    struct list *l = ctx;
    if (l->asked)
        return false;
    *q = l->q;
    return l->asked = true;
}

static int list_entry(void *ctx, size_t tag, const char *rest, const whelk_file_entry *e)
{
    struct list *l = ctx;
    (void)tag;
    if (!*rest)
        return 0; /* the directory itself */
    if (l->n == LIST_MAX || l->texts.n > LIST_TEXT)
        return wk_sandbox_fail(l->box, WHELK_E_NOSPACE, "%s: more than %d entries", l->q.r.path, LIST_MAX);
    if (!wk_vec_grow(l->box->mem, &l->items, &l->cap, l->n + 1, sizeof *l->items))
        return wk_box_no_memory(l->box);
    l->items[l->n++] = (struct item){.st = stat_of(e)};
    wk_buf_put(&l->texts, rest, strlen(rest) + 1);
    const char *target = e->type == WHELK_TYPE_LINK && e->target ? e->target : "";
    wk_buf_put(&l->texts, target, strlen(target) + 1);
    return l->texts.failed ? wk_box_no_memory(l->box) : 0;
}

static int list_done(void *ctx, size_t tag, int code, uint64_t size)
{
    (void)tag;
    (void)size;
    ((struct list *)ctx)->code = code;
    return 0;
}

static int by_path(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return strcmp(((const struct item *)a)->path, ((const struct item *)b)->path);
}

/* Shows what was listed, in order, each below `shown`. */
static int show(struct list *l, const char *shown,
                int (*visit)(void *ctx, const char *path, const whelk_stat *st, const char *target), void *ctx)
{
    const char *p = l->texts.p;
    for (size_t i = 0; i < l->n; i++) {
        l->items[i].path = p;
        p += strlen(p) + 1;
        l->items[i].target = *p ? p : NULL;
        p += strlen(p) + 1;
    }
    struct wk_sort how = {.cmp = by_path};
    if (wk_sort(l->box->mem, l->items, l->n, sizeof *l->items, &how))
        return wk_box_no_memory(l->box);
    struct wk_buf path;
    wk_buf_init(&path, l->box->mem, SIZE_MAX / 2);
    wk_buf_put_c(&path, shown);
    size_t base = path.n;
    int r = path.failed ? wk_box_no_memory(l->box) : 0;
    for (size_t i = 0; i < l->n && !r; i++) {
        path.n = base;
        if (!wk_buf_put_c(&path, l->items[i].path))
            r = wk_box_no_memory(l->box);
        else
            r = visit(ctx, path.p, &l->items[i].st, l->items[i].target);
    }
    wk_buf_release(&path);
    return r;
}

int whelk_sandbox_list(whelk_sandbox *b, const char *path, unsigned depth,
                       int (*visit)(void *ctx, const char *path, const whelk_stat *st, const char *target), void *ctx)
{
    char *full, *shown = NULL;
    int r = begin(b, path, &full, NULL);
    if (r)
        return r;
    if (!visit)
        return end(b, WHELK_E_INVALID, full);
    struct list l = {.box = b, .q = wk_request(WHELK_FILE_LIST, full)};
    l.q.r.flags = WHELK_FILE_FOLLOW;
    l.q.r.depth = depth ? depth : 1;
    wk_buf_init(&l.texts, b->mem, SIZE_MAX / 2);
    struct wk_requests how = {.ask = list_ask, .entry = list_entry, .done = list_done, .ctx = &l};
    r = wk_requests_run(b, &how);
    if (!r)
        r = l.code;
    if (!r)
        r = wk_box_shown(b, path, &shown);
    if (r)
        r = wk_box_fail(b, r, full);
    else
        r = show(&l, shown, visit, ctx);
    wk_free(b->mem, shown);
    wk_free(b->mem, full);
    wk_free(b->mem, l.items);
    wk_buf_release(&l.texts);
    return r;
}

/* ---- directories --------------------------------------------------------------------------------- */

static int make_one(struct whelk_sandbox *b, const char *path, uint32_t mode)
{
    struct wk_request q = wk_request(WHELK_FILE_MAKE_DIR, path);
    q.r.mode = mode;
    return wk_request_one(b, &q, NULL);
}

/* Looks at the first n bytes of a path (e set), or makes that directory. */
static int at_prefix(struct whelk_sandbox *b, char *path, size_t n, uint32_t mode, whelk_file_entry *e)
{
    char c = path[n];
    path[n] = 0;
    int r = e ? look(b, path, true, e) : make_one(b, path, mode);
    path[n] = c;
    return r;
}

/* Makes what is missing of a path, from the deepest directory on that is there. */
static int make_all(struct whelk_sandbox *b, char *path, uint32_t mode)
{
    size_t n = strlen(path), at = n;
    whelk_file_entry e = {.type = WHELK_TYPE_DIR};
    int r = 0;
    while (at && (r = at_prefix(b, path, at, 0, &e)) == WHELK_E_NOENT)
        do
            at--;
        while (path[at] != '/');
    if (at && !r && e.type != WHELK_TYPE_DIR)
        r = at == n ? WHELK_E_EXISTS : WHELK_E_NOTDIR;
    if (!at)
        r = 0;
    while (!r && at < n) {
        at += 1 + strcspn(path + at + 1, "/");
        r = at_prefix(b, path, at, at == n ? mode : 0755, NULL);
        /* Another process may have made it meanwhile. */
        if (r == WHELK_E_EXISTS && !at_prefix(b, path, at, 0, &e) && e.type == WHELK_TYPE_DIR)
            r = WHELK_OK;
    }
    return r ? wk_box_fail(b, r, path) : WHELK_OK;
}

int wk_box_make_dirs(struct whelk_sandbox *b, char *path)
{
    return make_all(b, path, 0755);
}

int whelk_sandbox_make_dir(whelk_sandbox *b, const char *path, int parents, uint32_t mode)
{
    char *full;
    whelk_file_entry e;
    int r = begin(b, path, &full, NULL);
    if (r)
        return r;
    if (mode & ~07777u)
        return end(b, WHELK_E_INVALID, full);
    if (!mode)
        mode = 0755;
    if (parents)
        return end(b, make_all(b, full, mode), full);
    r = look(b, full, false, &e);
    if (!r)
        r = WHELK_E_EXISTS;
    else if (r == WHELK_E_NOENT)
        r = make_one(b, full, mode);
    return end(b, r, full);
}

/* ---- removing, renaming, links, modes ------------------------------------------------------------ */

/* Whether the last part of a path is a name of its own. */
static bool has_name(const char *full)
{
    const char *last = strrchr(full, '/') + 1;
    return *last && strcmp(last, "..") != 0;
}

static int found_one(void *ctx, size_t tag, const char *rest, const whelk_file_entry *e)
{
    (void)ctx;
    (void)tag;
    (void)e;
    return *rest ? WHELK_E_NOTEMPTY : 0;
}

static int is_empty(struct whelk_sandbox *b, const char *full)
{
    struct list l = {.q = wk_request(WHELK_FILE_LIST, full)};
    l.q.r.depth = 1;
    struct wk_requests how = {.ask = list_ask, .entry = found_one, .done = list_done, .ctx = &l};
    int r = wk_requests_run(b, &how);
    return r ? r : l.code;
}

/* The workspace, and what it lies in, stay where they are. */
static int spare_workspace(struct whelk_sandbox *b, const char *full, const whelk_file_entry *dir)
{
    size_t n = strlen(b->facts.workspace);
    char *at = wk_strndup(b->mem, b->facts.workspace, n);
    whelk_file_entry e;
    int r = at ? look(b, at, true, &e) : WHELK_E_NOMEM;
    while (!r && (e.inode != dir->inode || e.device != dir->device)) {
        while (n && at[--n] != '/')
            continue;
        if (!n)
            break;
        r = at_prefix(b, at, n, 0, &e);
    }
    wk_free(b->mem, at);
    if (r == WHELK_E_NOENT) /* it is gone already */
        return WHELK_OK;
    return r || !n ? r : wk_sandbox_fail(b, WHELK_E_INVALID, "%s: the workspace stays", full);
}

int whelk_sandbox_remove(whelk_sandbox *b, const char *path, int recursive)
{
    char *full;
    bool dir;
    whelk_file_entry e;
    int r = begin(b, path, &full, &dir);
    if (r)
        return r;
    if (!has_name(full))
        return end(b, WHELK_E_INVALID, full);
    r = look(b, full, false, &e);
    if (!r && dir && e.type != WHELK_TYPE_DIR)
        r = WHELK_E_NOTDIR;
    if (!r && e.type == WHELK_TYPE_DIR) {
        r = spare_workspace(b, full, &e);
        if (!r && !recursive)
            r = is_empty(b, full);
    }
    if (!r) {
        struct wk_request q = wk_request(WHELK_FILE_REMOVE, full);
        r = wk_request_one(b, &q, NULL);
    }
    return end(b, r, full);
}

int whelk_sandbox_rename(whelk_sandbox *b, const char *from, const char *to)
{
    char *full, *target = NULL;
    bool dir, to_dir;
    whelk_file_entry e;
    int r = begin(b, from, &full, &dir);
    if (r)
        return r;
    r = wk_box_path(b, to, &target, &to_dir);
    if (!r && (!has_name(full) || !has_name(target)))
        r = WHELK_E_INVALID;
    if (!r)
        r = look(b, full, false, &e);
    if (!r && (dir || to_dir) && e.type != WHELK_TYPE_DIR)
        r = WHELK_E_NOTDIR;
    if (!r && e.type == WHELK_TYPE_DIR)
        r = spare_workspace(b, full, &e);
    if (!r) {
        struct wk_request q = wk_request(WHELK_FILE_RENAME, full);
        q.r.target = target;
        r = wk_request_one(b, &q, NULL);
    }
    wk_free(b->mem, target);
    return end(b, r, full);
}

int whelk_sandbox_symlink(whelk_sandbox *b, const char *target, const char *path)
{
    char *full;
    bool dir;
    whelk_file_entry e;
    int r = begin(b, path, &full, &dir);
    if (r)
        return r;
    size_t n = target ? strlen(target) : 0;
    if (!n)
        return end(b, WHELK_E_INVALID, full);
    if (n > WK_REQUEST_PATH)
        return end(b, WHELK_E_NAMETOOLONG, full);
    r = look(b, full, false, &e);
    if (!r)
        r = WHELK_E_EXISTS;
    else if (r == WHELK_E_NOENT && !dir) {
        struct wk_request q = wk_request(WHELK_FILE_SYMLINK, full);
        q.r.target = target;
        r = wk_request_one(b, &q, NULL);
    }
    return end(b, r, full);
}

int whelk_sandbox_chmod(whelk_sandbox *b, const char *path, uint32_t mode)
{
    char *full;
    bool dir;
    whelk_file_entry e;
    int r = begin(b, path, &full, &dir);
    if (r)
        return r;
    if (mode & ~07777u)
        return end(b, WHELK_E_INVALID, full);
    r = wk_box_resolve(b, &full, &e);
    if (!r && dir && e.type != WHELK_TYPE_DIR)
        r = WHELK_E_NOTDIR;
    if (!r) {
        struct wk_request q = wk_request(WHELK_FILE_ATTRIBUTES, full);
        q.r.mode = mode;
        r = wk_request_one(b, &q, NULL);
    }
    return end(b, r, full);
}
