/* mirror_apply.c - what the box has changed becomes the session's, in one step
 *
 * Nothing here parks. The session's tree as it was before is held until all is done; where anything is refused (a
 * quota, memory) it is put back, which needs nothing that could be refused.
 *
 * Each path is judged by three versions: the last common one (base), the session's (live), and the box's (the entry).
 * The work is done by root's right, after what the user may do was asked here: a user may change what is his.
 */
#include "adapters/mirror/mirror_parts.h"

static const struct wk_cred root = {0};

/* ---- removals -------------------------------------------------------------------------------- */

static int apply_removal(struct wk_mirror_apply *a, struct wk_mirror_entry *e)
{
    struct wk_mirror_file f;
    int err = wk_mirror_look(&a->live, e->path, &f);
    if (err || !wk_mirror_visible(&f)) {
        e->settled = !err;
        return err;
    }
    err = f.type == WK_MIRROR_DIR ? wk_mirror_remove_tree(a, e->path) : wk_mirror_remove_one(a, e->path);
    if (!err)
        err = wk_mirror_look(&a->live, e->path, &f);
    if (err)
        return err;
    e->settled = f.type == WK_MIRROR_NONE;
    e->resend = !e->settled;
    a->m->result->removed += e->settled;
    return 0;
}

/* ---- what is there --------------------------------------------------------------------------- */

/* Makes the directories above a path. *ok: they are there; else it was said why not. */
static int ensure_parent(struct wk_mirror_apply *a, struct wk_mirror_entry *e, bool *ok)
{
    ptrdiff_t last = wk_str_rchr(e->path, '/');
    struct wk_vdir *dir;
    struct wk_str name;
    int err = wk_mirror_parent(&a->live, e->path, &dir, &name);
    *ok = !err && dir;
    if (err || *ok)
        return err;
    for (size_t n = 1; n <= (size_t)last && !err; n++) {
        struct wk_str up = wk_str_take(e->path, n);
        struct wk_mirror_file s, b;
        if (e->path.p[n] != '/')
            continue;
        err = wk_mirror_look(&a->live, up, &s);
        if (err || s.type == WK_MIRROR_DIR)
            continue;
        if (!err)
            err = wk_mirror_common(a, up, &b);
        if (!err && s.type != WK_MIRROR_NONE && (s.type == WK_MIRROR_MOUNT || b.type != WK_MIRROR_DIR)) {
            wk_mirror_skip(a, e, s.type == WK_MIRROR_MOUNT ? "mounted" : wk_err_text(WK_ENOTDIR));
            return 0;
        }
        if (!err)
            err = wk_mirror_parent(&a->live, up, &dir, &name);
        if (!err && (!dir || !wk_mirror_may_change(a, dir, s.type ? &s.st : NULL)))
            return wk_mirror_refuse(a, e);
        if (!err && s.type != WK_MIRROR_NONE)
            err = wk_mirror_put_aside(a, up);
        if (!err)
            err = wk_mirror_make_at(a, up, b.type == WK_MIRROR_DIR ? wk_mirror_mode(&b) : 0755);
    }
    *ok = !err;
    return err;
}

static int copy_bytes(struct wk_vfile *to, struct wk_vfile *from)
{
    struct wk_vpin pin = {0};
    const void *p;
    int64_t at = 0, n;
    int err = wk_vfile_truncate(to, 0);
    while (!err && (n = wk_vfile_borrow(from, at, SIZE_MAX, &pin, &p)) != 0) {
        int64_t k = n < 0 ? n : wk_vfile_pwrite(to, p, (size_t)n, at);
        err = k < 0 ? (int)k : k < n ? -WK_ENOSPC : 0;
        at += k > 0 ? k : 0;
    }
    wk_vpin_drop(&pin);
    return err;
}

/* The fetched contents; *out NULL: none. */
static int open_staged(struct wk_mirror_apply *a, const struct wk_mirror_entry *e, struct wk_vfile **out)
{
    char buf[16];
    *out = NULL;
    if (e->bytes == 0)
        return 0;
    return wk_vfs_open(a->m->stage, &root, NULL, wk_mirror_stage_name(e->number, buf), WK_O_RDONLY, 0, out);
}

static int fill(struct wk_mirror_apply *a, const struct wk_mirror_entry *e, struct wk_vfile *to)
{
    struct wk_vfile *from;
    int err = open_staged(a, e, &from);
    if (!err && !from)
        err = wk_vfile_truncate(to, 0);
    else if (!err) {
        err = wk_vfile_clone(to, from);
        if (err == -WK_EOPNOTSUPP)
            err = copy_bytes(to, from);
    }
    wk_vfile_unref(from);
    return err;
}

/* Whether a file of a view holds what was fetched, or a link what the entry says: 1, 0, or an error. */
static int is_as_told(struct wk_mirror_apply *a, struct wk_mirror_view *v, const struct wk_mirror_file *f,
                      const struct wk_mirror_entry *e)
{
    struct wk_vfile *staged = NULL, *file = NULL;
    struct wk_buf text;
    if (f->type != e->type)
        return 0;
    if (e->type == WK_MIRROR_LINK) {
        wk_buf_init(&text, a->m->mem, SIZE_MAX / 2);
        int err = wk_mirror_target(v, e->path, &text);
        int same = err ? err : wk_str_eq(wk_buf_str(&text), e->target);
        wk_buf_release(&text);
        return same;
    }
    int same = open_staged(a, e, &staged);
    if (!same && f->st.size == (staged ? wk_vfile_size(staged) : 0)) {
        same = staged ? wk_mirror_open(v, e->path, WK_O_RDONLY, &file) : 0;
        if (!same)
            same = staged ? wk_mirror_same_bytes(file, staged, f->st.size) : 1;
    }
    wk_vfile_unref(file);
    wk_vfile_unref(staged);
    return same;
}

static int create(struct wk_mirror_apply *a, const struct wk_mirror_entry *e)
{
    struct wk_vdir *dir;
    struct wk_str name;
    struct wk_vfile *f;
    int err = wk_mirror_parent(&a->live, e->path, &dir, &name);
    if (err || !dir)
        return err ? err : -WK_ENOTDIR;
    if (e->type == WK_MIRROR_LINK) {
        err = wk_vfs_symlink(a->m->vfs, &root, dir, e->target, name);
    } else {
        err = wk_vfs_open(a->m->vfs, &root, dir, name, WK_O_WRONLY | WK_O_CREAT | WK_O_EXCL, e->mode, &f);
        if (err)
            return err;
        err = fill(a, e, f);
        wk_vfile_unref(f);
    }
    return err ? err : wk_mirror_give(a, dir, name);
}

/* The same file gets other contents, so that who has it open sees them; not one that has other names: to the box they
 * are files of their own. */
static int overwrite(struct wk_mirror_apply *a, const struct wk_mirror_entry *e, const struct wk_mirror_file *s)
{
    struct wk_vfile *f;
    if (e->type != WK_MIRROR_FILE || s->type != WK_MIRROR_FILE || s->st.nlink > 1) {
        int err = wk_mirror_unlink_at(a, e->path);
        return err ? err : create(a, e);
    }
    int err = wk_mirror_open(&a->live, e->path, WK_O_WRONLY, &f);
    if (err)
        return err;
    err = fill(a, e, f);
    wk_vfile_unref(f);
    return err;
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Modes and times as the box has them, as far as it is the box that changed them. `took`: its contents are there. */
static int set_attributes(struct wk_mirror_apply *a, struct wk_mirror_entry *e, bool took)
{
    struct wk_mirror_file s, b;
    struct wk_vdir *dir;
    struct wk_str name;
    int err = wk_mirror_look(&a->live, e->path, &s);
    if (!err)
        err = wk_mirror_common(a, e->path, &b);
    if (!err)
        err = wk_mirror_parent(&a->live, e->path, &dir, &name);
    if (err || !dir || s.type != e->type)
        return err;
    uint32_t had = s.st.mode & (e->type == WK_MIRROR_DIR ? 01777 : 0777);
    bool its_mode = b.type != e->type || wk_mirror_mode(&b) != e->mode;
    bool mode = e->type != WK_MIRROR_LINK && had != e->mode && its_mode;
    bool time = s.st.mtim != e->mtime && (b.type != e->type || b.st.mtim != e->mtime || took);
    if (mode && wk_mirror_owns(a, &s.st))
        err = wk_vfs_chmod(a->m->vfs, &root, dir, name, WK_AT_NOFOLLOW, e->mode);
    if (!err && time && took)
        err = wk_vfs_utimens(a->m->vfs, &root, dir, name, WK_AT_NOFOLLOW, WK_TIME_OMIT, e->mtime);
    e->resend = e->resend || (mode && !wk_mirror_owns(a, &s.st));
    e->settled = !err && took && (e->type == WK_MIRROR_LINK || had == e->mode || (mode && wk_mirror_owns(a, &s.st))) &&
                 (s.st.mtim == e->mtime || time);
    return err;
}

/* ---- files, links, directories --------------------------------------------------------------- */

/* What is in the way goes: 1 when it did, 0 when the user may not (it was said), or an error. */
static int make_way(struct wk_mirror_apply *a, struct wk_mirror_entry *e, struct wk_mirror_file *s)
{
    struct wk_vdir *dir;
    struct wk_str name;
    int err = wk_mirror_parent(&a->live, e->path, &dir, &name);
    if (err)
        return err;
    if (!wk_mirror_may_change(a, dir, s->type ? &s->st : NULL)) {
        wk_mirror_refuse(a, e);
        return 0;
    }
    int same = wk_mirror_visible(s) ? wk_mirror_unchanged(a, e->path, s) : 0;
    if (same > 0 && s->type == WK_MIRROR_DIR)
        err = wk_mirror_remove_tree(a, e->path);
    else if (same > 0)
        err = wk_mirror_remove_one(a, e->path);
    if (!err && same >= 0)
        err = wk_mirror_look(&a->live, e->path, s);
    if (!err && same >= 0 && s->type != WK_MIRROR_NONE) {
        err = wk_mirror_put_aside(a, e->path);
        s->type = WK_MIRROR_NONE;
    }
    return same < 0 ? same : err ? err : 1;
}

static int apply_directory(struct wk_mirror_apply *a, struct wk_mirror_entry *e, struct wk_mirror_file *s)
{
    if (s->type == WK_MIRROR_DIR) {
        a->m->result->changed++;
        return 0;
    }
    int way = make_way(a, e, s);
    if (way <= 0)
        return way;
    a->m->result->added++;
    return wk_mirror_make_at(a, e->path, e->mode);
}

/* A file of the session, and one (or a link) of the box: whose contents does it get? *took: the box's. */
static int merge(struct wk_mirror_apply *a, struct wk_mirror_entry *e, struct wk_mirror_file *s, bool *took)
{
    struct wk_mirror_file b;
    int same = is_as_told(a, &a->live, s, e);
    *took = same == 1;
    if (same)
        return same < 0 ? same : 0;
    int unchanged = wk_mirror_unchanged(a, e->path, s);
    int err = unchanged < 0 ? unchanged : wk_mirror_common(a, e->path, &b);
    if (err)
        return err;
    if (!unchanged) {
        same = is_as_told(a, &a->base, &b, e);
        if (same)
            return same < 0 ? same : 0; /* only the session has changed the contents */
    }
    struct wk_vdir *dir;
    struct wk_str name;
    err = wk_mirror_parent(&a->live, e->path, &dir, &name);
    bool in_place = unchanged && s->type == WK_MIRROR_FILE && e->type == WK_MIRROR_FILE;
    if (err)
        return err;
    if (in_place ? !wk_mirror_may_write(a, &s->st) : !wk_mirror_may_change(a, dir, &s->st))
        return wk_mirror_refuse(a, e);
    *took = true;
    if (unchanged)
        return overwrite(a, e, s);
    err = wk_mirror_put_aside(a, e->path);
    return err ? err : create(a, e);
}

static int apply_file(struct wk_mirror_apply *a, struct wk_mirror_entry *e, struct wk_mirror_file *s)
{
    bool took = true, there = s->type == WK_MIRROR_FILE || s->type == WK_MIRROR_LINK;
    int err = 0;
    if (there) {
        err = merge(a, e, s, &took);
    } else {
        int way = make_way(a, e, s);
        if (way <= 0)
            return way;
        err = create(a, e);
    }
    if (err || e->resend)
        return err;
    if (there)
        a->m->result->changed++;
    else
        a->m->result->added++;
    return set_attributes(a, e, took);
}

static int apply_entry(struct wk_mirror_apply *a, struct wk_mirror_entry *e)
{
    struct wk_mirror_file s;
    bool ok;
    if (e->type == WK_MIRROR_NONE || e->gone)
        return 0;
    if (e->type == WK_MIRROR_SPECIAL || wk_mirror_is_mount(a->m, a->pair, e->path)) {
        wk_mirror_skip(a, e, e->type == WK_MIRROR_SPECIAL ? "special file" : "mounted");
        e->gone = true;
        return 0;
    }
    int err = ensure_parent(a, e, &ok);
    if (err || !ok)
        return err;
    err = wk_mirror_look(&a->live, e->path, &s);
    if (err)
        return err;
    if (s.type == WK_MIRROR_MOUNT) {
        wk_mirror_skip(a, e, "mounted");
        return 0;
    }
    return e->type == WK_MIRROR_DIR ? apply_directory(a, e, &s) : apply_file(a, e, &s);
}

/* Where the session has removed what the box has only given another mode or time, the removal stands. *next: the first
 * entry behind this one that is there. */
static int stays_removed(struct wk_mirror_apply *a, struct wk_mirror_entry *e, const struct wk_mirror_entry *next)
{
    struct wk_mirror_file s, b;
    if (e->type == WK_MIRROR_DIR && next && wk_mirror_is_below(next->path, e->path))
        return 0;
    int err = wk_mirror_look(&a->live, e->path, &s);
    if (!err)
        err = wk_mirror_common(a, e->path, &b);
    if (err || s.type != WK_MIRROR_NONE || b.type != e->type)
        return err;
    return e->type == WK_MIRROR_DIR ? 1 : is_as_told(a, &a->base, &b, e);
}

static int leave_removed(struct wk_mirror_apply *a, size_t from, size_t to)
{
    struct wk_mirror_entry *v = a->m->incoming.v, *next = NULL;
    for (size_t i = to; i > from; i--) {
        struct wk_mirror_entry *e = &v[i - 1];
        if (e->type == WK_MIRROR_NONE || e->type == WK_MIRROR_SPECIAL || e->gone)
            continue;
        a->at = e->path;
        int stays = stays_removed(a, e, next);
        if (stays < 0)
            return stays;
        e->gone = stays;
        next = stays ? next : e;
    }
    return 0;
}

/* Directories that the box has not told of keep their times: in the box nothing has changed them. */
static int keep_times(struct wk_mirror_apply *a, size_t from, size_t to)
{
    const struct wk_mirror_entries *e = &a->m->incoming;
    struct wk_str last = {0};
    int err = 0;
    for (size_t i = from; i < to && !err; i++) {
        struct wk_mirror_file now, was;
        struct wk_vdir *dir;
        struct wk_str name, path = e->v[i].path;
        ptrdiff_t slash = wk_str_rchr(path, '/');
        struct wk_str up = wk_str_take(path, slash < 0 ? 0 : (size_t)slash);
        bool found;
        if (up.n == 0 || wk_str_eq(up, last))
            continue;
        last = up;
        size_t at = wk_mirror_entry_at(e, a->pair, up, &found);
        if (found && e->v[at].type == WK_MIRROR_DIR && !e->v[at].gone)
            continue;
        err = wk_mirror_look(&a->live, up, &now);
        if (!err)
            err = wk_mirror_look(&a->was, up, &was);
        if (err || now.type != WK_MIRROR_DIR || was.type != WK_MIRROR_DIR || now.st.mtim == was.st.mtim)
            continue;
        err = wk_mirror_parent(&a->live, up, &dir, &name);
        if (!err && dir)
            err = wk_vfs_utimens(a->m->vfs, &root, dir, name, WK_AT_NOFOLLOW, WK_TIME_OMIT, was.st.mtim);
    }
    return err;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The pair's own directory, made when something comes into it. */
static int make_place(struct wk_mirror_apply *a, struct wk_str dir)
{
    struct wk_mirror *m = a->m;
    for (size_t n = 1; n <= dir.n; n++) {
        if (n < dir.n && dir.p[n] != '/')
            continue;
        int err = wk_vfs_mkdir(m->vfs, &root, NULL, wk_str_take(dir, n), 0755);
        if (!err)
            err = wk_mirror_give(a, NULL, wk_str_take(dir, n));
        if (err && err != -WK_EEXIST)
            return err;
    }
    wk_mirror_view_close(&a->live);
    return wk_mirror_view_open(&a->live, m->vfs, NULL, true, dir, &m->cred);
}

static int apply_pair(struct wk_mirror_apply *a, size_t from, size_t to)
{
    struct wk_mirror_entry *v = a->m->incoming.v;
    bool some = false;
    int err = leave_removed(a, from, to);
    for (size_t i = from; i < to; i++)
        some = some || (v[i].type != WK_MIRROR_NONE && !v[i].gone);
    if (!err && some && !a->live.top) {
        a->at = WK_STR("");
        err = make_place(a, a->m->places[a->pair].real);
    }
    for (size_t i = to; i > from && !err; i--) {
        a->at = v[i - 1].path;
        err = v[i - 1].type == WK_MIRROR_NONE ? apply_removal(a, &v[i - 1]) : 0;
    }
    for (size_t i = from; i < to && !err; i++) {
        a->at = v[i].path;
        err = apply_entry(a, &v[i]);
    }
    for (size_t i = to; i > from && !err; i--) {
        a->at = v[i - 1].path;
        if (v[i - 1].type == WK_MIRROR_DIR && !v[i - 1].gone)
            err = set_attributes(a, &v[i - 1], true);
    }
    return err ? err : keep_times(a, from, to);
}

static int apply_all(struct wk_mirror_apply *a, struct wk_snapshot *before)
{
    struct wk_mirror *m = a->m;
    struct wk_mirror_entries *e = &m->incoming;
    int err = 0;
    for (size_t i = 0, k; i < e->n && !err; i = k) {
        const struct wk_mirror_place *p;
        for (k = i; k < e->n && e->v[k].pair == e->v[i].pair;)
            k++;
        a->pair = e->v[i].pair;
        p = &m->places[a->pair];
        err = wk_mirror_view_open(&a->base, m->vfs, p->base_real.p ? m->base : NULL, false, p->base_real, &m->cred);
        if (!err)
            err = wk_mirror_view_open(&a->live, m->vfs, NULL, true, p->real, &m->cred);
        if (!err)
            err = wk_mirror_view_open(&a->was, m->vfs, before, false, p->real, &m->cred);
        if (!err)
            err = apply_pair(a, i, k);
        if (err)
            wk_mirror_fail_err(m, err, a->pair, a->at);
        wk_mirror_view_close(&a->base);
        wk_mirror_view_close(&a->was);
        wk_mirror_view_close(&a->live);
    }
    return err;
}

/* What was applied is forgotten. */
static void forget_applied(struct wk_mirror *m)
{
    struct wk_mirror_entries *e = &m->incoming;
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++)
        if (e->v[i].again)
            e->v[n++] = e->v[i];
    e->n = n;
    if (n == 0)
        wk_mirror_entries_release(m);
}

/* As if nothing had been applied. */
static void roll_back(struct wk_mirror *m, struct wk_snapshot *before, const struct wk_mirror_result *was)
{
    struct wk_mirror_result *r = m->result;
    int err = wk_vfs_restore(m->vfs, before, false);
    WK_ASSERT(err == 0);
    (void)err;
    r->added = was->added;
    r->changed = was->changed;
    r->removed = was->removed;
    wk_mirror_names_cut(m->mem, &r->conflicts, was->conflicts.n, was->conflicts.total);
    wk_mirror_names_cut(m->mem, &r->skipped, was->skipped.n, was->skipped.total);
}

void wk_mirror_apply(struct wk_mirror *m)
{
    struct wk_mirror_apply a = {.m = m};
    struct wk_mirror_ops left;
    struct wk_snapshot *before, *after;
    if (m->incoming.n == 0)
        return;
    struct wk_mirror_result was = *m->result;
    int err = wk_vfs_snapshot(m->vfs, &before);
    if (err) {
        wk_mirror_fail_err(m, err, 0, (struct wk_str){0});
        return;
    }
    wk_mirror_ops_init(&a.kept, m->mem);
    wk_mirror_ops_init(&left, m->mem);
    err = apply_all(&a, before);
    if (!err)
        err = wk_mirror_left(m, before, &a.kept, &left);
    if (!err)
        err = wk_vfs_snapshot(m->vfs, &after);
    if (err) {
        wk_mirror_fail_err(m, err, 0, (struct wk_str){0}); /* unless apply_all has said it */
        roll_back(m, before, &was);
        wk_mirror_ops_release(&left, m->mem);
    } else {
        wk_mirror_ops_release(&m->pending, m->mem);
        m->pending = left;
        forget_applied(m);
        wk_mirror_set_base(m, after);
        wk_snapshot_unref(after);
    }
    wk_mirror_ops_release(&a.kept, m->mem);
    wk_snapshot_unref(before);
}
