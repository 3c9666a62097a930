/* mirror.c - a mirror's life, its synchronisations and their results */
#include "adapters/mirror/mirror_parts.h"

enum {
    FILE_MOST = 64 << 20,
    BYTES_MOST = 256 << 20,
    FILES_MOST = 50000,
    TEXT_MOST = 16384 /* bytes of a message: a path and its words */
};

/* ---- results --------------------------------------------------------------------------------- */

int wk_mirror_code(int err)
{
    switch (err < 0 ? -err : err) {
    case 0: return WHELK_OK;
    case WK_ENOMEM: return WHELK_E_NOMEM;
    case WK_ENOSPC:
    case WK_EFBIG:
    case WK_EMLINK:
    case WK_EDQUOT: return WHELK_E_NOSPACE;
    case WK_EACCES:
    case WK_EPERM: return WHELK_E_ACCESS;
    case WK_ENAMETOOLONG: return WHELK_E_NAMETOOLONG;
    case WK_EROFS: return WHELK_E_ROFS;
    case WK_ENOENT: return WHELK_E_NOENT;
    case WK_ENOTDIR: return WHELK_E_NOTDIR;
    case WK_EISDIR: return WHELK_E_ISDIR;
    case WK_ELOOP: return WHELK_E_LOOP;
    case WK_EEXIST: return WHELK_E_EXISTS;
    case WK_ENOTEMPTY: return WHELK_E_NOTEMPTY;
    case WK_EOPNOTSUPP: return WHELK_E_UNSUPPORTED;
    case WK_EINVAL: return WHELK_E_INVALID;
    case WK_EMFILE:
    case WK_ENFILE: return WHELK_E_SYSTEM;
    default: return WHELK_E_IO;
    }
}

const char *wk_mirror_words(int code)
{
    static const int err[] = {
        0,          WK_ENOMEM,  WK_EINVAL,    WK_EOPNOTSUPP, WK_EBUSY,        WK_EPIPE, WK_EBUSY,
        WK_ENOENT,  WK_EACCES,  WK_EEXIST,    WK_ENOTDIR,    WK_EISDIR,       WK_ENOTEMPTY, WK_ENOSPC,
        WK_EROFS,   WK_ELOOP,   WK_ENAMETOOLONG, WK_EIO,     WK_EAGAIN,       WK_EMFILE, WK_EBUG,
    };
    if (code == WHELK_E_CLOSED)
        return "the sandbox is gone";
    bool known = code < 0 && (size_t)-code < WK_COUNTOF(err);
    return wk_err_text(known ? err[-code] : WK_EIO);
}

/* The session's name of a path. NULL without memory. */
static char *name_of(const struct wk_mirror *m, size_t pair, struct wk_str path)
{
    struct wk_buf b;
    size_t n;
    struct wk_str dir = m->places[pair].real.p ? m->places[pair].real : m->places[pair].directory;
    wk_buf_init(&b, m->mem, TEXT_MOST);
    wk_buf_puts(&b, dir);
    if (path.n && !wk_str_is(dir, "/"))
        wk_buf_putc(&b, '/');
    wk_buf_puts(&b, path);
    char *s = wk_buf_take(&b, &n);
    wk_buf_release(&b);
    return s;
}

static void append(char *to, size_t cap, struct wk_str s)
{
    size_t had = strlen(to), n = WK_MIN(s.n, cap - 1 - had);
    if (n)
        memcpy(to + had, s.p, n);
    to[had + n] = 0;
}

void wk_mirror_fail(struct wk_mirror *m, int code, size_t pair, struct wk_str path, const char *text)
{
    struct wk_mirror_result *r = m->result;
    size_t cap = sizeof r->text;
    if (r->code != WHELK_OK)
        return;
    r->code = code;
    if (path.p) {
        append(r->text, cap, wk_str_take(m->places[pair].real, 128));
        append(r->text, cap, path.n ? WK_STR("/") : WK_STR(""));
        append(r->text, cap, wk_str_from(path, path.n > 256 ? path.n - 256 : 0)); /* its end tells more */
        append(r->text, cap, WK_STR(": "));
    }
    append(r->text, cap, wk_str_c(text));
}

void wk_mirror_fail_err(struct wk_mirror *m, int err, size_t pair, struct wk_str path)
{
    wk_mirror_fail(m, wk_mirror_code(err), pair, path, wk_err_text(err));
}

void wk_mirror_note(struct wk_mirror *m, struct wk_mirror_names *names, size_t pair, struct wk_str path,
                    const char *text)
{
    names->total++;
    if (names->n == WK_MIRROR_NAMES)
        return;
    struct wk_mirror_name *at = &names->v[names->n];
    at->path = name_of(m, pair, path);
    at->text = wk_strndup(m->mem, text, strlen(text));
    if (at->path && at->text) {
        names->n++;
        return;
    }
    wk_free(m->mem, at->path);
    wk_free(m->mem, at->text);
}

void wk_mirror_names_cut(struct wk_mem *mem, struct wk_mirror_names *names, size_t n, size_t total)
{
    while (names->n > n) {
        names->n--;
        wk_free(mem, names->v[names->n].path);
        wk_free(mem, names->v[names->n].text);
    }
    names->total = total;
}

void wk_mirror_result_free(struct wk_mirror_result *r)
{
    if (!r)
        return;
    struct wk_mem *mem = r->mem;
    wk_mirror_names_cut(mem, &r->conflicts, 0, 0);
    wk_mirror_names_cut(mem, &r->skipped, 0, 0);
    wk_free(mem, r);
}

struct wk_mirror_result *wk_mirror_take(struct wk_mirror *m, uint64_t ticket)
{
    for (size_t i = 0; i < WK_MIRROR_KEPT_RESULTS; i++)
        if (m->kept[i].result && m->kept[i].ticket == ticket) {
            struct wk_mirror_result *r = m->kept[i].result;
            m->kept[i].result = NULL;
            return r;
        }
    return NULL;
}

/* ---- life ------------------------------------------------------------------------------------ */

static int copy_text(struct wk_mem *mem, const char *s, struct wk_str *out)
{
    out->n = strlen(s);
    char *p = wk_strndup(mem, s, out->n);
    out->p = p;
    return p ? 0 : -WK_ENOMEM;
}

static void free_text(struct wk_mem *mem, struct wk_str *s)
{
    union {
        const char *c;
        char *p;
    } u = {.c = s->p};
    wk_free(mem, u.p);
    *s = (struct wk_str){0};
}

static int copy_config(struct wk_mirror *m, const struct wk_mirror_config *c)
{
    m->places = wk_calloc(m->mem, c->n_pairs, sizeof *m->places);
    m->views = wk_calloc(m->mem, c->n_pairs, sizeof *m->views);
    m->left_out = wk_calloc(m->mem, c->n_left_out + 1, sizeof *m->left_out);
    int err = m->places && m->views && m->left_out ? 0 : -WK_ENOMEM;
    for (; m->n_places < c->n_pairs && !err; m->n_places++) {
        const struct wk_mirror_pair *p = &c->pairs[m->n_places];
        if (p->directory[0] != '/' || (p->path[0] && p->path[0] != '/'))
            return -WK_EINVAL;
        err = copy_text(m->mem, p->directory, &m->places[m->n_places].directory);
        if (!err)
            err = copy_text(m->mem, p->path, &m->places[m->n_places].path);
    }
    for (; m->n_left_out < c->n_left_out && !err; m->n_left_out++) {
        const char *name = c->left_out[m->n_left_out];
        m->left_out[m->n_left_out] = wk_strndup(m->mem, name, strlen(name));
        err = m->left_out[m->n_left_out] ? 0 : -WK_ENOMEM;
    }
    return err;
}

int wk_mirror_new(const struct wk_mirror_config *c, struct wk_mirror **out)
{
    if (c->n_pairs == 0 || c->n_pairs > 64)
        return -WK_EINVAL;
    struct wk_mirror *m = WK_NEW(c->mem, struct wk_mirror);
    if (!m)
        return -WK_ENOMEM;
    m->mem = c->mem;
    m->vfs = c->vfs;
    m->kind = c->kind;
    m->box = c->box;
    m->one_way = c->one_way;
    m->max_file = c->max_file ? c->max_file : FILE_MOST;
    m->max_bytes = c->max_bytes ? c->max_bytes : BYTES_MOST;
    m->max_files = c->max_files ? c->max_files : FILES_MOST;
    wk_mirror_ops_init(&m->pending, m->mem);
    wk_mirror_ops_init(&m->ops, m->mem);
    wk_arena_init(&m->incoming.names, m->mem);
    int err = copy_config(m, c);
    if (err) {
        wk_mirror_free(m);
        return err;
    }
    *out = m;
    return 0;
}

static void close_views(struct wk_mirror *m)
{
    for (size_t i = 0; m->views && i < m->n_places; i++)
        wk_mirror_view_close(&m->views[i]);
}

static void drop_snapshot(struct wk_snapshot **s)
{
    if (*s)
        wk_snapshot_unref(*s);
    *s = NULL;
}

void wk_mirror_free(struct wk_mirror *m)
{
    if (!m)
        return;
    wk_mirror_drop_flights(m);
    close_views(m);
    wk_vfs_free(m->stage);
    drop_snapshot(&m->base);
    drop_snapshot(&m->now);
    wk_mirror_ops_release(&m->pending, m->mem);
    wk_mirror_ops_release(&m->ops, m->mem);
    wk_mirror_entries_release(m);
    wk_mirror_result_free(m->result);
    for (size_t i = 0; i < WK_MIRROR_KEPT_RESULTS; i++)
        wk_mirror_result_free(m->kept[i].result);
    for (size_t i = 0; i < m->n_places; i++) {
        free_text(m->mem, &m->places[i].directory);
        free_text(m->mem, &m->places[i].path);
        free_text(m->mem, &m->places[i].real);
        free_text(m->mem, &m->places[i].base_real);
        free_text(m->mem, &m->places[i].spare);
    }
    for (size_t i = 0; i < m->n_left_out; i++)
        wk_free(m->mem, m->left_out[i]);
    wk_free(m->mem, m->places);
    wk_free(m->mem, m->views);
    wk_free(m->mem, m->left_out);
    wk_free(m->mem, m);
}

bool wk_mirror_is_idle(const struct wk_mirror *m)
{
    return m->flights == NULL;
}

char *wk_mirror_box_path(const struct wk_mirror *m, size_t pair, struct wk_str path)
{
    struct wk_buf b;
    size_t n;
    wk_buf_init(&b, m->mem, SIZE_MAX / 2);
    wk_buf_puts(&b, m->places[pair].path);
    if (b.n && path.n && b.p[b.n - 1] != '/')
        wk_buf_putc(&b, '/');
    wk_buf_puts(&b, path);
    char *s = wk_buf_take(&b, &n);
    wk_buf_release(&b);
    return s;
}

bool wk_mirror_is_mount(const struct wk_mirror *m, size_t pair, struct wk_str path)
{
    struct wk_mount_info info;
    struct wk_str dir = m->places[pair].real;
    for (size_t i = 1; wk_vfs_mount_at(m->vfs, i, &info); i++) {
        struct wk_str at = wk_str_c(info.path);
        if (!wk_mirror_is_below(at, wk_str_is(dir, "/") ? WK_STR("") : dir) || at.n <= dir.n)
            continue;
        at = wk_str_from(at, wk_str_is(dir, "/") ? 1 : dir.n + 1);
        if (wk_mirror_is_below(path, at))
            return true;
    }
    return false;
}

/* ---- synchronisations ------------------------------------------------------------------------ */

static int set_real(struct wk_mirror *m, struct wk_mirror_place *p, struct wk_buf *b)
{
    free_text(m->mem, &p->real);
    free_text(m->mem, &p->spare);
    p->spare = wk_str(wk_strndup(m->mem, wk_buf_c(b), b->n), b->n);
    p->real.p = wk_buf_take(b, &p->real.n);
    if (p->real.p && p->spare.p)
        return 0;
    free_text(m->mem, &p->real);
    return -WK_ENOMEM;
}

/* Finds the pairs' directories as links lead to them now. */
static int find_places(struct wk_mirror *m)
{
    static const struct wk_cred root = {0};
    int err = 0;
    for (size_t i = 0; i < m->n_places && !err; i++) {
        struct wk_mirror_place *p = &m->places[i];
        struct wk_buf b;
        uint64_t ino;
        size_t n;
        wk_buf_init(&b, m->mem, SIZE_MAX / 2);
        err = wk_vfs_realpath(m->vfs, &root, NULL, p->directory, WK_REALPATH_NONE, &b);
        if (err)
            wk_mirror_fail_err(m, err, i, WK_STR(""));
        else if (p->real.p && wk_str_eq(p->real, wk_buf_str(&b)))
            err = 0;
        else
            err = set_real(m, p, &b);
        wk_buf_release(&b);
        if (!err && (err = wk_vfs_root_of(m->vfs, p->real, &ino, &n)))
            wk_mirror_fail(m, WHELK_E_UNSUPPORTED, i, WK_STR(""),
                           "a directory of the host: give it to the sandbox as its workspace instead");
    }
    if (err == -WK_ENOMEM)
        wk_mirror_fail_err(m, err, 0, (struct wk_str){0});
    return err;
}

void wk_mirror_set_base(struct wk_mirror *m, struct wk_snapshot *s)
{
    for (size_t i = 0; i < m->n_places; i++) {
        struct wk_mirror_place *p = &m->places[i];
        if (!p->spare.p)
            continue;
        free_text(m->mem, &p->base_real);
        p->base_real = p->spare;
        p->spare = (struct wk_str){0};
    }
    struct wk_snapshot *old = m->base;
    m->base = wk_snapshot_ref(s);
    drop_snapshot(&old);
}

int wk_mirror_begin(struct wk_mirror *m, enum wk_mirror_way way, const struct wk_cred *cred, uint64_t *ticket)
{
    if (m->phase != WK_MIRROR_IDLE)
        return -WK_EBUSY;
    m->result = WK_NEW(m->mem, struct wk_mirror_result);
    if (!m->result)
        return -WK_ENOMEM;
    m->result->mem = m->mem;
    m->way = m->one_way ? (enum wk_mirror_way)(way & WK_MIRROR_PUSH) : way;
    m->cred = *cred;
    m->given_up = m->retry = m->pushing = m->deaf = m->relisted = m->replan = m->replanned = false;
    m->cursor = 0;
    m->phase = WK_MIRROR_START;
    *ticket = ++m->ticket;
    return 0;
}

void wk_mirror_give_up(struct wk_mirror *m)
{
    if (m->phase != WK_MIRROR_IDLE)
        m->given_up = true;
}

bool wk_mirror_lost_track(const struct wk_mirror *m)
{
    return m->lost_track;
}

static void forget_push(struct wk_mirror *m)
{
    close_views(m);
    drop_snapshot(&m->now);
    wk_mirror_ops_release(&m->ops, m->mem);
}

/* The present synchronisation is over: its result is kept in place of the oldest. */
static void end(struct wk_mirror *m)
{
    size_t oldest = 0;
    forget_push(m);
    wk_vfs_free(m->stage);
    m->stage = NULL;
    for (size_t i = 0; i < WK_MIRROR_KEPT_RESULTS; i++) {
        if (!m->kept[i].result) {
            oldest = i;
            break;
        }
        if (m->kept[i].ticket < m->kept[oldest].ticket)
            oldest = i;
    }
    wk_mirror_result_free(m->kept[oldest].result);
    m->kept[oldest].result = m->result;
    m->kept[oldest].ticket = m->ticket;
    m->result = NULL;
    m->phase = WK_MIRROR_IDLE;
}

static void start(struct wk_mirror *m)
{
    bool pull = (m->way & WK_MIRROR_PULL) || (!m->one_way && (!m->opened || m->lost_track));
    if (find_places(m))
        m->phase = WK_MIRROR_END;
    else
        m->phase = pull ? WK_MIRROR_CHANGES : WK_MIRROR_PLAN;
}

/* What was to be asked in this phase has been answered: the next one. */
static void advance(struct wk_mirror *m)
{
    bool bad = m->result->code != WHELK_OK;
    /* A pull that cannot be taken keeps nothing from being sent, but where both have changed (wk_mirror_push_begin). */
    enum wk_mirror_phase after_pull =
        (m->way & WK_MIRROR_PUSH) && m->opened && !m->lost_track ? WK_MIRROR_PLAN : WK_MIRROR_END;
    m->cursor = 0;
    switch (m->phase) {
    case WK_MIRROR_START: start(m); break;
    case WK_MIRROR_CHANGES: m->phase = bad ? WK_MIRROR_PULLED : WK_MIRROR_LISTS; break;
    case WK_MIRROR_LISTS: m->phase = wk_mirror_told(m) ? WK_MIRROR_FETCH : WK_MIRROR_PULLED; break;
    case WK_MIRROR_FETCH: m->phase = bad ? WK_MIRROR_PULLED : WK_MIRROR_APPLY; break;
    case WK_MIRROR_APPLY:
        wk_mirror_apply(m);
        m->phase = WK_MIRROR_PULLED;
        break;
    case WK_MIRROR_PULLED:
        m->phase = after_pull;
        /* Applying it showed that more must be known. */
        if (m->lost_track && !bad && !m->relisted && (m->way & WK_MIRROR_PUSH)) {
            m->relisted = true;
            m->phase = WK_MIRROR_CHANGES;
        }
        break;
    case WK_MIRROR_PLAN: m->phase = wk_mirror_push_begin(m) ? WK_MIRROR_REMOVING : WK_MIRROR_END; break;
    case WK_MIRROR_REMOVING: m->phase = WK_MIRROR_MAKING; break;
    case WK_MIRROR_MAKING: m->phase = WK_MIRROR_SENDING; break;
    case WK_MIRROR_SENDING: m->phase = WK_MIRROR_FINISHING; break;
    case WK_MIRROR_FINISHING:
        m->phase = wk_mirror_push_again(m) ? WK_MIRROR_REMOVING : WK_MIRROR_END;
        if (m->phase == WK_MIRROR_END && m->replan && !m->replanned) {
            wk_mirror_push_end(m);
            forget_push(m);
            m->replanned = true;
            m->phase = WK_MIRROR_PLAN;
        }
        break;
    case WK_MIRROR_IDLE:
    case WK_MIRROR_END: break;
    }
}

/* Begins what the phase can begin now. True when there is more that has to wait. */
static bool begin_some(struct wk_mirror *m)
{
    switch (m->phase) {
    case WK_MIRROR_CHANGES: return wk_mirror_ask_changes(m);
    case WK_MIRROR_LISTS: return wk_mirror_ask_lists(m);
    case WK_MIRROR_FETCH: return wk_mirror_fetch_some(m);
    case WK_MIRROR_REMOVING:
    case WK_MIRROR_MAKING:
    case WK_MIRROR_SENDING:
    case WK_MIRROR_FINISHING: return wk_mirror_push_some(m);
    default: return false;
    }
}

bool wk_mirror_step(struct wk_mirror *m)
{
    while (m->phase != WK_MIRROR_IDLE) {
        if (m->given_up)
            wk_mirror_fail(m, WHELK_E_BUSY, 0, (struct wk_str){0}, "given up");
        bool stop = m->given_up || (m->result->code == WHELK_E_CLOSED);
        bool more = stop ? false : begin_some(m);
        if (m->flights || (more && !m->given_up))
            return true;
        if (m->phase == WK_MIRROR_END || stop) {
            if (m->pushing)
                wk_mirror_push_end(m);
            end(m);
        } else {
            advance(m);
        }
    }
    return false;
}

int wk_mirror_sync(struct wk_mirror *m, enum wk_mirror_way way, const struct wk_cred *cred, int (*wait)(void *ctx),
                   void *ctx, struct wk_mirror_result **result)
{
    uint64_t ticket = 0;
    int err = 0;
    *result = NULL;
    while (m->phase != WK_MIRROR_IDLE && !err) /* another task's turn, or one that has ended meanwhile */
        if (wk_mirror_step(m))
            err = wait(ctx);
    if (!err)
        err = wk_mirror_begin(m, way, cred, &ticket);
    while (!err && m->phase != WK_MIRROR_IDLE && m->ticket == ticket && wk_mirror_step(m)) {
        err = wait(ctx);
        if (err)
            wk_mirror_give_up(m);
    }
    if (err)
        return err;
    *result = wk_mirror_take(m, ticket);
    return *result ? 0 : -WK_ENOMEM;
}
