/* mirror_pull.c - what has changed in the box: asked, checked and fetched
 *
 * Nothing of it touches the session yet. What was told once stays in `incoming` until it is applied, since the box will
 * not tell it again.
 */
#include "adapters/mirror/mirror_parts.h"
#include "base/sort.h"

enum { LIST_MOST = 1000000, LIST_DEPTH = 1000 };

/* ---- the entries ----------------------------------------------------------------------------- */

void wk_mirror_entries_release(struct wk_mirror *m)
{
    wk_arena_release(&m->incoming.names);
    wk_free(m->mem, m->incoming.v);
    m->incoming = (struct wk_mirror_entries){0};
    wk_arena_init(&m->incoming.names, m->mem);
}

size_t wk_mirror_entry_at(const struct wk_mirror_entries *e, size_t pair, struct wk_str path, bool *found)
{
    size_t lo = 0, hi = e->n;
    *found = false;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const struct wk_mirror_entry *x = &e->v[mid];
        int order = x->pair != pair ? (x->pair < pair ? -1 : 1) : wk_mirror_path_cmp(x->path, path);
        if (order == 0)
            *found = true;
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static int compare_entries(void *ctx, const void *a, const void *b)
{
    const struct wk_mirror_entry *x = a, *y = b;
    (void)ctx;
    return x->pair != y->pair ? (x->pair < y->pair ? -1 : 1) : wk_mirror_path_cmp(x->path, y->path);
}

/* In order of their paths; of several about one path the last counts. */
int wk_mirror_sort_entries(struct wk_mirror *m)
{
    struct wk_mirror_entries *e = &m->incoming;
    struct wk_sort how = {.cmp = compare_entries};
    size_t n = 0;
    int err = wk_sort(m->mem, e->v, e->n, sizeof *e->v, &how);
    for (size_t i = 0; i < e->n && !err; i++) {
        if (n > 0 && compare_entries(NULL, &e->v[n - 1], &e->v[i]) == 0)
            n--;
        e->v[n++] = e->v[i];
    }
    if (!err)
        e->n = n;
    return err;
}

/* ---- what the box tells ---------------------------------------------------------------------- */

/* Names of a path, each a name that a directory can have. */
static bool is_path(struct wk_str path)
{
    if (path.n == 0)
        return false;
    while (path.n || path.p) {
        ptrdiff_t slash = wk_str_chr(path, '/');
        struct wk_str name = wk_str_take(path, slash < 0 ? path.n : (size_t)slash);
        if (name.n == 0 || name.n > 255 || wk_str_is(name, ".") || wk_str_is(name, ".."))
            return false;
        if (slash < 0)
            return true;
        path = wk_str_from(path, name.n + 1);
    }
    return false;
}

static bool is_left_out(const struct wk_mirror *m, struct wk_str path)
{
    for (;;) {
        ptrdiff_t slash = wk_str_chr(path, '/');
        struct wk_str name = wk_str_take(path, slash < 0 ? path.n : (size_t)slash);
        for (size_t i = 0; i < m->n_left_out; i++)
            if (wk_str_is(name, m->left_out[i]))
                return true;
        if (slash < 0)
            return false;
        path = wk_str_from(path, name.n + 1);
    }
}

static enum wk_mirror_type type_of(const whelk_file_entry *e)
{
    switch (e->change == WHELK_REMOVED ? 0 : e->type) {
    case 0: return WK_MIRROR_NONE;
    case WHELK_TYPE_FILE: return WK_MIRROR_FILE;
    case WHELK_TYPE_DIR: return WK_MIRROR_DIR;
    case WHELK_TYPE_LINK: return WK_MIRROR_LINK;
    default: return WK_MIRROR_SPECIAL;
    }
}

static int add_entry(struct wk_mirror *m, struct wk_mirror_entry entry, struct wk_str path, struct wk_str target)
{
    struct wk_mirror_entries *e = &m->incoming;
    if (!wk_vec_grow(m->mem, &e->v, &e->cap, e->n + 1, sizeof *e->v))
        return -WK_ENOMEM;
    entry.path = wk_str(wk_arena_strndup(&e->names, path.p, path.n), path.n);
    entry.target = target.n ? wk_str(wk_arena_strndup(&e->names, target.p, target.n), target.n) : target;
    entry.number = (uint32_t)e->n;
    if (!entry.path.p || (target.n && !entry.target.p))
        return -WK_ENOMEM;
    e->v[e->n++] = entry;
    return 0;
}

/* What it tells is not kept any more: a list of all will say the same. */
static void lose_track(struct wk_mirror *m)
{
    m->lost_track = m->deaf = true;
    wk_mirror_entries_release(m);
}

static void lose_track_by(struct wk_mirror *m, int err)
{
    lose_track(m);
    wk_mirror_fail_err(m, err, 0, (struct wk_str){0});
}

enum { LOOKING, TELLING, LISTING };

void wk_mirror_entry_told(struct wk_mirror_flight *f, const whelk_file_entry *e)
{
    struct wk_mirror *m = f->m;
    struct wk_str asked = wk_str_c(f->path), path = wk_str_c(e->path), target = wk_str_c(e->target);
    struct wk_mirror_entry entry = {.pair = (uint16_t)f->index,
                                    .type = (uint8_t)type_of(e),
                                    .mode = e->mode & (e->type == WHELK_TYPE_DIR ? 01777 : 0777),
                                    .mtime = e->mtime_ns,
                                    .bytes = e->bytes};
    if (f->what == LOOKING || m->deaf)
        return;
    if (wk_mirror_is_below(path, asked))
        path = wk_str_from(path, asked.n);
    if (path.n && path.p[0] == '/')
        path = wk_str_from(path, 1);
    bool bad_link = entry.type == WK_MIRROR_LINK && (target.n == 0 || target.n > 4095);
    if (!is_path(path) || bad_link) {
        wk_mirror_note(m, &m->result->skipped, f->index, path, "not a name that a file can have");
        return;
    }
    if (is_left_out(m, path))
        return;
    if (entry.mtime >= WK_TIME_OMIT) /* these have a meaning of their own */
        entry.mtime = WK_TIME_OMIT - 1;
    if (f->what == TELLING && m->incoming.n >= m->max_files)
        lose_track(m); /* … which may be longer */
    else if (m->incoming.n >= LIST_MOST)
        lose_track_by(m, -WK_ENOSPC);
    else if (add_entry(m, entry, path, entry.type == WK_MIRROR_LINK ? target : (struct wk_str){0}))
        lose_track_by(m, -WK_ENOMEM);
}

static void told_all(struct wk_mirror_flight *f, int code)
{
    struct wk_mirror *m = f->m;
    if (code == WHELK_OK || code == WHELK_E_NOENT) /* … there is no such directory */
        return;
    m->lost_track = m->lost_track || f->what == TELLING;
    wk_mirror_fail(m, code, f->index, WK_STR(""), wk_mirror_words(code));
}

static bool ask_pair(struct wk_mirror *m, int what, whelk_file_request *r)
{
    struct wk_mirror_flight *f = wk_mirror_flight_new(m, m->cursor, WK_STR(""));
    if (!f) {
        wk_mirror_fail_err(m, -WK_ENOMEM, 0, (struct wk_str){0});
        return false;
    }
    f->index = m->cursor;
    f->what = what;
    f->done = told_all;
    return wk_mirror_ask(f, r);
}

static bool must_list(const struct wk_mirror *m)
{
    return !m->opened || m->lost_track;
}

bool wk_mirror_ask_changes(struct wk_mirror *m)
{
    union { /* the table of the interface is read-only, ours is not */
        char **own;
        const char *const *names;
    } left_out = {.own = m->left_out};
    if (m->cursor == 0 && must_list(m))
        wk_mirror_entries_release(m);
    for (; m->cursor < m->n_places && m->result->code == WHELK_OK; m->cursor++) {
        whelk_file_request r = {.op = WHELK_FILE_CHANGES, .names = left_out.names, .n_names = m->n_left_out};
        if (ask_pair(m, must_list(m) ? LOOKING : TELLING, &r))
            return true;
    }
    return false;
}

bool wk_mirror_ask_lists(struct wk_mirror *m)
{
    if (m->cursor == 0)
        m->deaf = false;
    for (; must_list(m) && m->cursor < m->n_places && m->result->code == WHELK_OK; m->cursor++) {
        whelk_file_request r = {.op = WHELK_FILE_LIST, .depth = LIST_DEPTH};
        if (ask_pair(m, LISTING, &r))
            return true;
    }
    return false;
}

/* ---- a list in place of changes -------------------------------------------------------------- */

/* Is the listed file the one that both had? By its size and times. */
static int is_as_before(struct wk_mirror_view *base, const struct wk_mirror_entry *e, bool *same)
{
    struct wk_mirror_file f;
    int err = wk_mirror_look(base, e->path, &f);
    *same = !err && f.type == e->type;
    if (*same && e->type == WK_MIRROR_LINK) {
        struct wk_buf text;
        wk_buf_init(&text, wk_vfs_account(base->vfs), SIZE_MAX / 2);
        err = wk_mirror_target(base, e->path, &text);
        *same = !err && wk_str_eq(wk_buf_str(&text), e->target);
        wk_buf_release(&text);
    } else if (*same) {
        *same = f.st.mtim == e->mtime && wk_mirror_mode(&f) == e->mode &&
                (e->type == WK_MIRROR_DIR || f.st.size == e->bytes);
    }
    return err;
}

/* Adds what `base` has in a directory and the list has not; directories, but for what the list has something else for,
 * go on the stack. */
static int add_missing(struct wk_mirror *m, struct wk_mirror_view *base, size_t pair, struct wk_str dir, size_t listed,
                       struct wk_mirror_ops *stack)
{
    struct wk_mirror_entries had = m->incoming;
    struct wk_vlist *l;
    struct wk_dirent e;
    struct wk_buf path;
    int more = 0, err = wk_mirror_list(base, dir, &l);
    had.n = listed;
    wk_buf_init(&path, m->mem, SIZE_MAX / 2);
    while (!err && l && (more = wk_vlist_next(l, &e)) > 0) {
        struct wk_mirror_file f;
        bool found;
        wk_buf_reset(&path);
        wk_buf_puts(&path, dir);
        if (dir.n)
            wk_buf_putc(&path, '/');
        wk_buf_puts(&path, e.name);
        struct wk_str p = wk_buf_str(&path);
        err = path.failed ? -WK_ENOMEM : wk_mirror_look(base, p, &f);
        if (err || !wk_mirror_visible(&f) || is_left_out(m, e.name))
            continue;
        had.v = m->incoming.v;
        size_t at = wk_mirror_entry_at(&had, pair, p, &found);
        /* What the box has not been told of says nothing, but of what lies below it. */
        if (!found && !wk_mirror_is_pending(&m->pending, pair, p))
            err = add_entry(m, (struct wk_mirror_entry){.pair = (uint16_t)pair}, p, (struct wk_str){0});
        if (!err && f.type == WK_MIRROR_DIR && (!found || m->incoming.v[at].type == WK_MIRROR_DIR))
            err = wk_mirror_ops_add(stack, m->mem, pair, p, 0, 0, WK_MIRROR_NONE);
    }
    wk_vlist_close(l);
    wk_buf_release(&path);
    return err ? err : more < 0 ? more : 0;
}

static int complete_pair(struct wk_mirror *m, size_t pair, struct wk_mirror_view *base)
{
    struct wk_mirror_entries *e = &m->incoming;
    struct wk_mirror_ops stack;
    size_t listed = e->n, n = 0;
    wk_mirror_ops_init(&stack, m->mem);
    int err = add_missing(m, base, pair, WK_STR(""), listed, &stack);
    while (!err && stack.n)
        err = add_missing(m, base, pair, stack.v[--stack.n].path, listed, &stack);
    wk_mirror_ops_release(&stack, m->mem);
    for (size_t i = 0; i < e->n && !err; i++) {
        bool same = false;
        if (e->v[i].pair == pair && e->v[i].type != WK_MIRROR_NONE)
            err = is_as_before(base, &e->v[i], &same);
        if (!same)
            e->v[n++] = e->v[i];
    }
    if (!err)
        e->n = n;
    return err ? err : wk_mirror_sort_entries(m);
}

static int complete_list(struct wk_mirror *m)
{
    int err = 0;
    for (size_t i = 0; i < m->n_places && m->base && !err; i++) {
        struct wk_mirror_view base;
        const struct wk_mirror_place *p = &m->places[i];
        err = wk_mirror_view_open(&base, m->vfs, p->base_real.p ? m->base : NULL, false, p->base_real, &m->cred);
        if (!err && base.top)
            err = complete_pair(m, i, &base);
        wk_mirror_view_close(&base);
    }
    return err;
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void check_limits(struct wk_mirror *m)
{
    struct wk_mirror_entries *e = &m->incoming;
    uint64_t sum = 0, path_max = wk_vfs_limits(m->vfs)->path_max;
    uint64_t there = 0;
    for (size_t i = 0; i < e->n; i++)
        there += e->v[i].type != WK_MIRROR_NONE;
    if (there > m->max_files)
        wk_mirror_fail(m, WHELK_E_NOSPACE, 0, (struct wk_str){0}, "more files have changed than may come back at once");
    for (size_t i = 0; i < e->n && m->result->code == WHELK_OK; i++) {
        struct wk_mirror_entry *x = &e->v[i];
        bool file = x->type == WK_MIRROR_FILE;
        x->fetched = x->gone = x->again = x->settled = x->resend = false;
        x->number = (uint32_t)i;
        if (x->type != WK_MIRROR_NONE && m->places[x->pair].real.n + 1 + x->path.n >= path_max)
            wk_mirror_fail(m, WHELK_E_NAMETOOLONG, x->pair, x->path, wk_err_text(WK_ENAMETOOLONG));
        if (file && x->bytes > m->max_file)
            wk_mirror_fail(m, WHELK_E_NOSPACE, x->pair, x->path, "larger than a file that may come back");
        sum += file ? WK_MIN(x->bytes, m->max_bytes + 1) : 0;
        if (sum > m->max_bytes)
            wk_mirror_fail(m, WHELK_E_NOSPACE, x->pair, x->path, "with it more bytes have changed than may come back");
    }
}

bool wk_mirror_told(struct wk_mirror *m)
{
    if (m->result->code != WHELK_OK)
        return false;
    int err = wk_mirror_sort_entries(m);
    if (!err && m->lost_track)
        err = complete_list(m);
    if (err) {
        lose_track_by(m, err);
        return false;
    }
    m->opened = true;
    m->lost_track = false;
    check_limits(m);
    return m->result->code == WHELK_OK;
}

/* ---- contents -------------------------------------------------------------------------------- */

void wk_mirror_entry_data(struct wk_mirror_flight *f, const void *p, size_t n)
{
    uint64_t room = f->bytes - f->got;
    n = (size_t)WK_MIN((uint64_t)n, room);
    const char *at = p;
    while (n > 0 && f->file && !f->err) {
        int64_t k = wk_vfile_pwrite(f->file, at, n, (int64_t)f->got);
        if (k <= 0) {
            f->err = k < 0 ? (int)k : -WK_ENOSPC;
            break;
        }
        at += k;
        n -= (size_t)k;
        f->got += (uint64_t)k;
    }
}

static void fetched(struct wk_mirror_flight *f, int code)
{
    struct wk_mirror *m = f->m;
    struct wk_mirror_entry *e = &m->incoming.v[f->index];
    switch (code) {
    case WHELK_OK:
        e->fetched = true;
        m->result->bytes_in += f->got;
        if (f->err)
            wk_mirror_fail_err(m, f->err, e->pair, e->path);
        break;
    case WHELK_E_NOENT: /* it has changed since */
    case WHELK_E_NOTDIR:
    case WHELK_E_ISDIR:
    case WHELK_E_LOOP:
    case WHELK_E_INVALID: e->gone = e->again = true; break;
    case WHELK_E_ACCESS:
        e->gone = true;
        wk_mirror_note(m, &m->result->skipped, e->pair, e->path, wk_mirror_words(code));
        break;
    default: wk_mirror_fail(m, code, e->pair, e->path, wk_mirror_words(code));
    }
}

/* The name of a staged file. */
struct wk_str wk_mirror_stage_name(uint32_t number, char buf[16])
{
    size_t at = 16;
    do
        buf[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return wk_str(buf + at, 16 - at);
}

static int stage_file(struct wk_mirror *m, const struct wk_mirror_entry *e, struct wk_vfile **out)
{
    static const struct wk_cred root = {0};
    char buf[16];
    int err = m->stage ? 0 : wk_vfs_view(m->vfs, NULL, WK_STR("/"), &m->stage);
    if (err)
        return err;
    return wk_vfs_open(m->stage, &root, NULL, wk_mirror_stage_name(e->number, buf), WK_O_RDWR | WK_O_CREAT, 0600, out);
}

bool wk_mirror_fetch_some(struct wk_mirror *m)
{
    for (; m->cursor < m->incoming.n && m->result->code == WHELK_OK; m->cursor++) {
        struct wk_mirror_entry *e = &m->incoming.v[m->cursor];
        if (e->type != WK_MIRROR_FILE || e->bytes == 0) {
            e->fetched = true;
            continue;
        }
        if (wk_mirror_is_full(m, e->bytes))
            return true;
        struct wk_mirror_flight *f = wk_mirror_flight_new(m, e->pair, e->path);
        int err = f ? stage_file(m, e, &f->file) : -WK_ENOMEM;
        if (err) {
            if (f)
                wk_mirror_flight_free(f);
            wk_mirror_fail_err(m, err, e->pair, e->path);
            return false;
        }
        f->index = m->cursor;
        f->bytes = e->bytes;
        f->done = fetched;
        whelk_file_request r = {.op = WHELK_FILE_GET, .length = e->bytes};
        if (wk_mirror_ask(f, &r))
            return true;
    }
    return false;
}
