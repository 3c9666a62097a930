/* copytree.c - copying and moving trees */
#include "builtins/copy.h"

#include "base/hash.h"

struct wk_copy_level {
    struct wk_vdir *dir; /* target directory */
    size_t path_n, name_at;
    struct wk_stat st;   /* of the source */
    uint64_t dst_dev, dst_ino;
    bool made;
};

/* How to go on after looking at one file. */
enum step { STEP_DONE, STEP_ENTER };

struct identity {
    uint64_t dev, ino, birth;
    uint64_t name; /* hash of the last component: two links of one file are two operands */
};

/* `path` NULL: by the file alone. */
static struct wk_str identity_of(struct identity *id, const struct wk_stat *st, const char *path)
{
    size_t n;
    const char *base = path ? wk_last_component(path, &n) : NULL;
    *id = (struct identity){st->dev, st->ino, st->birth, base ? wk_hash64(1, wk_str(base, n)) : 0};
    return wk_str((const char *)id, sizeof *id);
}

static void release_copy(void *obj)
{
    struct wk_copy *s = (struct wk_copy *)obj;
    for (size_t i = 0; i < s->depth; i++)
        wk_vdir_unref(s->levels[i].dir);
    wk_vfile_unref(s->in);
    wk_vfile_unref(s->out);
    wk_map_release(&s->linked);
    wk_map_release(&s->created);
    wk_map_release(&s->operands);
}

struct wk_copy *wk_copy_new(struct wk_cmd *c, const struct wk_copy_opts *o, bool many)
{
    struct wk_copy *s = wk_new(c, struct wk_copy);
    s->c = c;
    s->o = o;
    s->many = many;
    s->t = wk_ftw_new(c);
    struct wk_mem *m = wk_heap_mem(c->heap);
    uint64_t seed = wk_kern_random(c->k);
    wk_map_init(&s->linked, m, seed, false);
    wk_map_init(&s->created, m, seed, false);
    wk_map_init(&s->operands, m, seed, false);
    wk_heap_own(c->heap, s, release_copy);
    return s;
}

struct wk_vdir *wk_copy_dst_dir(const struct wk_copy *s)
{
    return s->depth ? s->levels[s->depth - 1].dir : NULL;
}

const char *wk_copy_dst_name(const struct wk_copy *s)
{
    return s->dst + s->dst_name;
}

static void remember(struct wk_copy *s, struct wk_map *m, const struct wk_stat *st, const char *path,
                     void *value)
{
    struct identity id;
    if (wk_map_set(m, identity_of(&id, st, path), value))
        wk_heap_exhausted(s->c->heap);
}

static void *recall(const struct wk_map *m, const struct wk_stat *st, const char *path)
{
    struct identity id;
    return wk_map_get(m, identity_of(&id, st, path));
}

static void set_dst(struct wk_copy *s, size_t at, const char *name, bool slash)
{
    size_t n = strlen(name);
    if (at + n + 2 > s->dst_cap) {
        s->dst_cap = (at + n + 2) * 2;
        s->dst = (char *)wk_heap_realloc(s->c->heap, s->dst, s->dst_cap);
    }
    if (slash && at && s->dst[at - 1] != '/')
        s->dst[at++] = '/';
    memcpy(s->dst + at, name, n + 1);
    s->dst_name = at;
    s->dst_n = at + n;
}

static const char *q(struct wk_copy *s, const char *path)
{
    return wk_quote(s->c, path);
}

static void fail_both(struct wk_copy *s, const char *what, int err)
{
    wk_msg(s->c, "%s %s to %s: %s", what, q(s, s->t->path), q(s, s->dst), wk_err_text(err));
}

/* Whether both names are one entry of one directory. */
static bool same_entry(struct wk_copy *s)
{
    size_t an, bn;
    const char *a = wk_last_component(s->t->path, &an), *b = wk_last_component(s->dst, &bn);
    struct wk_stat x, y;
    if (an != bn || memcmp(a, b, an) != 0)
        return false;
    if (s->t->depth || s->depth)
        return false; /* below the operands the targets are other directories */
    char *ad = a > s->t->path ? wk_dupn(s->c, s->t->path, (size_t)(a - s->t->path)) : wk_dup(s->c, ".");
    char *bd = b > s->dst ? wk_dupn(s->c, s->dst, (size_t)(b - s->dst)) : wk_dup(s->c, ".");
    return !wk_at_stat(s->c, NULL, ad, true, &x) && !wk_at_stat(s->c, NULL, bd, true, &y) &&
           wk_stat_same(&x, &y);
}

/* Source and target are one file: whether going on is sensible all the same. */
static bool same_is_fine(struct wk_copy *s, bool *done)
{
    const struct wk_copy_opts *o = s->o;
    struct wk_stat a, b;
    *done = false;
    if (wk_at_stat(s->c, wk_ftw_dir(s->t), wk_ftw_name(s->t), false, &a) ||
        wk_at_stat(s->c, wk_copy_dst_dir(s), wk_copy_dst_name(s), false, &b))
        return false;
    bool one = wk_stat_same(&a, &b), entry = one && same_entry(s);
    if (o->hard_link && one) {
        *done = true;
        return true;
    }
    if (o->backup)
        return !entry || (o->force && !o->move && WK_S_ISREG(a.mode));
    if (!one && WK_S_ISLNK(b.mode))
        return o->move || o->remove_dest || o->sym_link || (o->hard_link && o->force);
    return one && !entry && o->remove_dest;
}

/* -i, and mv's question about protected targets. */
static bool may_overwrite(struct wk_copy *s, const struct wk_stat *dst)
{
    struct wk_cmd *c = s->c;
    int ask = s->o->ask;
    bool tty = c->in && c->in->file && c->in->file->is_tty;
    bool protected = s->o->move && !WK_S_ISLNK(dst->mode) &&
                     wk_at_access(c, wk_copy_dst_dir(s), wk_copy_dst_name(s), WK_W_OK) != 0;
    if (ask != WK_COPY_ASK && !(ask == WK_COPY_PLAIN && tty && protected))
        return true;
    (void)wk_out_flush(c->out);
    if (protected) {
        char text[11];
        wk_mode_text(dst->mode, text);
        wk_out_fmt(c->err, "%s: replace %s, overriding mode %04o (%s)? ", c->name, q(s, s->dst),
                   dst->mode & 07777u, text + 1);
    } else {
        wk_out_fmt(c->err, "%s: overwrite %s? ", c->name, q(s, s->dst));
    }
    return wk_ask(c);
}

/* Looks at a target that is there. False: leave this file (reported where that is due). *exists
 * becomes false when the target was moved or taken away; *backup is its new name. */
static bool clear_target(struct wk_copy *s, const struct wk_stat *st, const struct wk_stat *dst,
                         bool *exists, const char **backup)
{
    struct wk_cmd *c = s->c;
    const struct wk_copy_opts *o = s->o;
    struct wk_vdir *dir = wk_copy_dst_dir(s);
    const char *name = wk_copy_dst_name(s);
    struct wk_stat src_real, dst_real;
    bool src_dir = WK_S_ISDIR(st->mode), dst_dir = WK_S_ISDIR(dst->mode), done;
    if (o->ask == WK_COPY_NO_CLOBBER && (!src_dir || o->move))
        return false;
    bool plain_link = WK_S_ISLNK(st->mode) && !o->backup && !o->remove_dest && !o->hard_link && !o->sym_link;
    if (wk_stat_same(st, dst) && ((o->move && (src_dir || st->nlink == 1)) || (!o->move && plain_link))) {
        wk_msg(c, "%s and %s are the same file", q(s, s->t->path), q(s, s->dst));
        return false;
    }
    if (!wk_at_stat(c, wk_ftw_dir(s->t), wk_ftw_name(s->t), true, &src_real) &&
        !wk_at_stat(c, dir, name, true, &dst_real) && wk_stat_same(&src_real, &dst_real) &&
        !(src_dir && dst_dir)) {
        if (!same_is_fine(s, &done)) {
            wk_msg(c, "%s and %s are the same file", q(s, s->t->path), q(s, s->dst));
            return false;
        }
        if (done)
            return false;
    }
    if (o->update && !src_dir && dst->mtim >= st->mtim)
        return false;
    if (!src_dir || o->move) {
        if (!(src_dir && !o->move) && !(dst_dir && !src_dir) && !may_overwrite(s, dst))
            return false;
    }
    if (src_dir && !dst_dir && !(o->move && o->backup)) {
        wk_msg(c, "cannot overwrite non-directory %s with directory %s", q(s, s->dst),
               q(s, s->t->path));
        return false;
    }
    if (!src_dir && dst_dir && !(o->move && o->backup)) {
        wk_msg(c, "cannot overwrite directory %s with non-directory", q(s, s->dst));
        return false;
    }
    if (!src_dir && s->many && recall(&s->created, dst, s->dst)) {
        wk_msg(c, "will not overwrite just-created %s with %s", q(s, s->dst), q(s, s->t->path));
        return false;
    }
    if (o->backup && (o->move || !dst_dir)) {
        char *to = wk_backup_name(c, dir, s->dst + (s->depth ? s->dst_name : 0), o->backup, o->suffix);
        int err = wk_at_rename(c, dir, name, dir, to, 0);
        if (err && err != WK_ENOENT) {
            wk_msg(c, "cannot backup %s: %s", q(s, s->dst), wk_err_text(err));
            return false;
        }
        char *shown = s->depth ? wk_strf(c, "%.*s%s", (int)s->dst_name, s->dst, to) : to;
        *backup = shown;
        *exists = false;
        return true;
    }
    if (src_dir || o->move)
        return true;
    bool replace = o->remove_dest || !WK_S_ISREG(st->mode) ||
                   ((o->hard_link || o->sym_link) && o->force) ||
                   (o->keep_links && dst->nlink > 1 && o->recursive);
    if (!WK_S_ISREG(st->mode) && !o->recursive && !WK_S_ISLNK(st->mode))
        replace = o->remove_dest;
    if (!replace)
        return true;
    int err = wk_at_unlink(c, dir, name);
    if (err && err != WK_ENOENT) {
        wk_msg(c, "cannot remove %s: %s", q(s, s->dst), wk_err_text(err));
        return false;
    }
    if (o->verbose && o->remove_dest)
        wk_out_fmt(c->out, "removed %s\n", q(s, s->dst));
    *exists = false;
    return true;
}

static void say(struct wk_copy *s, const char *backup)
{
    if (!s->o->verbose)
        return;
    wk_out_fmt(s->c->out, "%s%s -> %s", s->o->move ? "renamed " : "", q(s, s->t->path),
               q(s, s->dst));
    if (backup)
        wk_out_fmt(s->c->out, " (backup: %s)", q(s, backup));
    wk_out_char(s->c->out, '\n');
}

static bool make_link(struct wk_copy *s, const char *from, struct wk_vdir *from_dir, const char *shown)
{
    int err = wk_at_link(s->c, from_dir, from, wk_copy_dst_dir(s), wk_copy_dst_name(s),
                         s->o->links == WK_COPY_ALWAYS ? WK_AT_FOLLOW : 0);
    if (err)
        wk_msg(s->c, "cannot create hard link %s to %s: %s", q(s, s->dst), q(s, shown),
               wk_err_text(err));
    return !err;
}

static bool make_symlink(struct wk_copy *s)
{
    struct wk_stat here, there;
    if (s->t->path[0] != '/') {
        size_t n;
        const char *base = wk_last_component(s->dst, &n);
        char *dir = base > s->dst ? wk_dupn(s->c, s->dst, (size_t)(base - s->dst)) : wk_dup(s->c, ".");
        if (strchr(s->dst, '/') &&
            (wk_at_stat(s->c, NULL, ".", true, &here) || wk_at_stat(s->c, NULL, dir, true, &there) ||
             !wk_stat_same(&here, &there))) {
            wk_msg(s->c, "%s: can make relative symbolic links only in current directory",
                   wk_quote_maybe(s->c, s->dst));
            return false;
        }
    }
    int err = wk_at_symlink(s->c, wk_copy_dst_dir(s), s->t->path, wk_copy_dst_name(s));
    if (err)
        wk_msg(s->c, "cannot create symbolic link %s to %s: %s", q(s, s->dst), q(s, s->t->path),
               wk_err_text(err));
    return !err;
}

static bool copy_symlink(struct wk_copy *s)
{
    char *text;
    int err = wk_at_readlink(s->c, wk_ftw_dir(s->t), wk_ftw_name(s->t), &text);
    if (err) {
        wk_msg(s->c, "cannot read symbolic link %s: %s", q(s, s->t->path), wk_err_text(err));
        return false;
    }
    err = wk_at_symlink(s->c, wk_copy_dst_dir(s), text, wk_copy_dst_name(s));
    if (err)
        wk_msg(s->c, "cannot create symbolic link %s: %s", q(s, s->dst), wk_err_text(err));
    return !err;
}

/* The target of anything but a directory. */
static bool copy_leaf(struct wk_copy *s, const struct wk_stat *st, bool exists,
                      const struct wk_stat *dst)
{
    const struct wk_copy_opts *o = s->o;
    if (o->sym_link)
        return make_symlink(s);
    if (o->hard_link)
        return make_link(s, wk_ftw_name(s->t), wk_ftw_dir(s->t), s->t->path);
    if (o->keep_links && st->nlink > 1) {
        const char *earlier = (const char *)recall(&s->linked, st, NULL);
        if (earlier) {
            if (exists)
                (void)wk_at_unlink(s->c, wk_copy_dst_dir(s), wk_copy_dst_name(s));
            return make_link(s, earlier, NULL, earlier);
        }
        remember(s, &s->linked, st, NULL, wk_dup(s->c, s->dst));
    }
    if (WK_S_ISLNK(st->mode))
        return copy_symlink(s) && wk_copy_attrs(s, st, true);
    if (WK_S_ISREG(st->mode) || !o->recursive || o->contents)
        return wk_copy_contents(s, st, exists, dst) && wk_copy_attrs(s, st, !exists);
    int err = wk_at_mknod(s->c, wk_copy_dst_dir(s), wk_copy_dst_name(s), st->mode, st->rdev);
    if (err) {
        wk_msg(s->c, "cannot create %s %s: %s", WK_S_ISFIFO(st->mode) ? "fifo" : "special file",
               q(s, s->dst), wk_err_text(err));
        return false;
    }
    return wk_copy_attrs(s, st, true);
}

static bool follows(const struct wk_copy *s, bool operand)
{
    switch (s->o->links) {
    case WK_COPY_ALWAYS:
        return true;
    case WK_COPY_OPERANDS:
        return operand;
    case WK_COPY_NEVER:
        return false;
    default:
        return !s->o->recursive;
    }
}

/* A directory: makes the target and goes into both. */
static enum step enter_dir(struct wk_copy *s, const struct wk_stat *st, bool exists,
                           const char *backup)
{
    struct wk_cmd *c = s->c;
    struct wk_stat made;
    for (size_t i = 0; i < s->t->depth; i++) {
        if (s->t->levels[i].dev == st->dev && s->t->levels[i].ino == st->ino) {
            wk_msg(c, "cannot copy cyclic symbolic link %s", q(s, s->t->path));
            return STEP_DONE;
        }
    }
    for (size_t i = 0; i < s->depth; i++) { /* a directory that is being filled is not copied */
        if (s->levels[i].dst_dev == st->dev && s->levels[i].dst_ino == st->ino) {
            wk_msg(c, "cannot copy a directory, %s, into itself, %s", q(s, s->top_src),
                   q(s, s->top_dst));
            return STEP_DONE;
        }
    }
    struct wk_vdir *dir = wk_copy_dst_dir(s), *opened;
    const char *name = wk_copy_dst_name(s);
    int err;
    if (!exists) {
        err = wk_at_mkdir(c, dir, name, (st->mode & 01777) | 0700);
        if (err) {
            wk_msg(c, "cannot create directory %s: %s", q(s, s->dst), wk_err_text(err));
            return STEP_DONE;
        }
        if (!s->o->move)
            say(s, backup);
        if (c->proc->cred.umask & 0700)
            (void)wk_at_chmod(c, dir, name, true, (st->mode & 01777) | 0700);
    }
    if (s->depth == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 16;
        struct wk_copy_level *bigger =
            (struct wk_copy_level *)wk_heap_calloc(c->heap, cap, sizeof *bigger);
        if (s->depth)
            memcpy(bigger, s->levels, s->depth * sizeof *bigger);
        s->levels = bigger;
        s->cap = cap;
    }
    err = wk_ftw_enter(s->t, st);
    if (err) {
        wk_msg(c, "cannot access %s: %s", q(s, s->t->path), wk_err_text(err));
        return STEP_DONE;
    }
    while ((err = wk_vfs_dir(c->k->vfs, &c->proc->cred, dir ? dir : c->proc->cwd, wk_str_c(name),
                             &opened)) == -WK_EAGAIN)
        wk_cmd_sleep(c, 1000000);
    if (err) {
        wk_ftw_leave(s->t);
        wk_msg(c, "cannot access %s: %s", q(s, s->dst), wk_err_text(-err));
        return STEP_DONE;
    }
    if (wk_vdir_stat(opened, &c->proc->cred, &made) < 0)
        made = (struct wk_stat){0};
    s->levels[s->depth++] = (struct wk_copy_level){opened, s->dst_n, s->dst_name, *st,
                                                   made.dev, made.ino, !exists};
    return STEP_ENTER;
}

static void leave_dir(struct wk_copy *s)
{
    wk_ftw_leave(s->t);
    struct wk_copy_level *l = &s->levels[s->depth - 1];
    struct wk_stat st = l->st;
    bool made = l->made;
    s->dst_n = l->path_n;
    s->dst[s->dst_n] = '\0';
    s->dst_name = l->name_at;
    struct wk_vdir *dir = l->dir;
    s->depth--;
    wk_vdir_unref(dir);
    if (made || s->o->keep_mode || s->o->keep_times || s->o->keep_owner)
        (void)wk_copy_attrs(s, &st, made);
}

/* 0: renamed, -1: not possible by rename, else reported. */
static int try_rename(struct wk_copy *s, const struct wk_stat *st, const char *backup, bool exists)
{
    struct wk_cmd *c = s->c;
    struct wk_str last;
    last.p = wk_last_component(s->t->path, &last.n);
    /* A directory by its place is never moved, and not by copying and removing it either. */
    int err = wk_str_is(last, ".") || wk_str_is(last, "..")
                  ? WK_EBUSY
                  : wk_at_rename(c, NULL, s->t->path, NULL, s->dst, 0);
    if (!err) {
        say(s, backup);
        return 0;
    }
    if (err == WK_EINVAL && WK_S_ISDIR(st->mode)) {
        wk_msg(c, "cannot move %s to a subdirectory of itself, %s", q(s, s->t->path), q(s, s->dst));
        return 1;
    }
    if (err != WK_EXDEV) {
        fail_both(s, "cannot move", err);
        return 1;
    }
    if (exists) {
        err = WK_S_ISDIR(st->mode) ? wk_at_rmdir(c, NULL, s->dst) : wk_at_unlink(c, NULL, s->dst);
        if (err) {
            wk_msg(c, "inter-device move failed: %s to %s; unable to remove target: %s",
                   q(s, s->t->path), q(s, s->dst), wk_err_text(err));
            return 1;
        }
    }
    return -1;
}

static enum step copy_one(struct wk_copy *s, bool operand, struct wk_stat *st)
{
    struct wk_cmd *c = s->c;
    const struct wk_copy_opts *o = s->o;
    struct wk_stat dst = {0};
    const char *backup = NULL;
    int err = wk_at_stat(c, wk_ftw_dir(s->t), wk_ftw_name(s->t), follows(s, operand), st);
    if (err) {
        wk_msg(c, "cannot stat %s: %s", q(s, s->t->path), wk_err_text(err));
        return STEP_DONE;
    }
    bool is_dir = WK_S_ISDIR(st->mode);
    if (is_dir && !o->recursive) {
        wk_msg(c, "-r not specified; omitting directory %s", q(s, s->t->path));
        return STEP_DONE;
    }
    if (operand) {
        s->root_dev = st->dev;
        if (s->many && recall(&s->operands, st, s->t->path) && !o->move) {
            wk_out_fmt(c->err, "%s: warning: source %s %s specified more than once\n", c->name,
                       is_dir ? "directory" : "file", q(s, s->t->path));
            return STEP_DONE;
        }
        if (s->many && !o->backup)
            remember(s, &s->operands, st, s->t->path, s);
    } else if (o->one_fs && is_dir && st->dev != s->root_dev) {
        return STEP_DONE;
    }
    struct wk_vdir *dir = wk_copy_dst_dir(s);
    const char *name = wk_copy_dst_name(s);
    bool look_at_link = o->move || o->sym_link || o->hard_link || o->remove_dest || o->backup ||
                        !(WK_S_ISREG(st->mode) || is_dir || (!o->recursive && !WK_S_ISLNK(st->mode)));
    err = wk_at_stat(c, dir, name, !look_at_link, &dst);
    bool exists = !err;
    if (err && err != WK_ENOENT && err != WK_ELOOP) {
        wk_msg(c, "cannot stat %s: %s", q(s, s->dst), wk_err_text(err));
        return STEP_DONE;
    }
    if (!exists && !look_at_link && !wk_at_stat(c, dir, name, false, &dst) &&
        WK_S_ISLNK(dst.mode)) {
        if (is_dir)
            wk_msg(c, "cannot overwrite non-directory %s with directory %s", q(s, s->dst),
                   q(s, s->t->path));
        else
            wk_msg(c, "not writing through dangling symlink %s", q(s, s->dst));
        return STEP_DONE;
    }
    bool was_there = exists;
    if (exists && !clear_target(s, st, &dst, &exists, &backup))
        return STEP_DONE;
    if (o->move && operand) {
        int r = try_rename(s, st, backup, exists);
        if (r >= 0) {
            if (r == 0 && s->many && !wk_at_stat(c, NULL, s->dst, false, &dst))
                remember(s, &s->created, &dst, s->dst, s);
            return STEP_DONE;
        }
        exists = false;
    }
    if (is_dir)
        return enter_dir(s, st, exists, backup);
    if (!o->move || operand)
        say(s, backup);
    if (copy_leaf(s, st, exists, &dst)) {
        if (s->many && !was_there && !wk_at_stat(c, dir, name, false, &dst))
            remember(s, &s->created, &dst, s->dst, s);
        if (o->move && (err = wk_at_unlink(c, wk_ftw_dir(s->t), wk_ftw_name(s->t))) != 0)
            wk_msg(c, "cannot remove %s: %s", q(s, s->t->path), wk_err_text(err));
    }
    return STEP_DONE;
}

void wk_copy_operand(struct wk_copy *s, const char *src, const char *dst)
{
    struct wk_stat st;
    struct wk_dirent e;
    int err;
    wk_ftw_start(s->t, src);
    set_dst(s, 0, dst, false);
    s->dst_name = 0;
    s->top_src = src;
    s->top_dst = dst;
    if (copy_one(s, true, &st) != STEP_ENTER)
        return;
    while (s->depth) {
        if (wk_ftw_next(s->t, &e, &err)) {
            size_t at = s->levels[s->depth - 1].path_n;
            set_dst(s, at, wk_ftw_name(s->t), true);
            (void)copy_one(s, false, &st);
            continue;
        }
        if (err)
            wk_msg(s->c, "error reading %s: %s", q(s, s->t->path), wk_err_text(err));
        leave_dir(s);
        if (s->o->move && (err = wk_at_rmdir(s->c, wk_ftw_dir(s->t), wk_ftw_name(s->t))) != 0)
            wk_msg(s->c, "cannot remove %s: %s", q(s, s->t->path), wk_err_text(err));
    }
}
