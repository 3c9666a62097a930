/* patch_output.c - patch: files are written, backed up and removed */
#include "builtins/patch.h"

/* A file that was written in this run: its backup is made once, rejects are added to those before. */
struct patch_seen {
    struct patch_seen *next;
    const char *name;
};

/* Notes a name; whether it was there. */
static bool seen_before(struct patch *p, const char *name)
{
    for (const struct patch_seen *s = p->seen; s; s = s->next) {
        wk_tick(p->c, 1);
        if (strcmp(s->name, name) == 0)
            return true;
    }
    struct patch_seen *s = wk_new(p->c, struct patch_seen);
    *s = (struct patch_seen){p->seen, name};
    p->seen = s;
    return false;
}

/* Makes the directories that a name needs. */
static void make_parents(struct patch *p, const char *name)
{
    char *path = wk_dup(p->c, name);
    for (char *s = path; *s; s++)
        if (*s == '/' && s > path) {
            *s = '\0';
            (void)wk_at_mkdir(p->c, NULL, path, 0777);
            *s = '/';
        }
}

static WK_NORETURN void cannot(struct patch *p, const char *what, const char *name, int err)
{
    PATCH_FATAL(p, "Can't %s %s : %s", what, name, wk_err_text(err));
}

static const char *backup_name(struct patch *p, const char *name)
{
    const struct patch_opts *o = p->o;
    if (!o->simple_names)
        return wk_backup_name(p->c, NULL, name, o->version, o->suffix ? o->suffix : ".orig");
    size_t n;
    const char *base = wk_last_component(name, &n);
    const char *suffix = o->suffix ? o->suffix : o->prefix || o->basename_prefix ? "" : ".orig";
    return wk_strf(p->c, "%s%.*s%s%s%s", o->prefix ? o->prefix : "", (int)(base - name), name,
                   o->basename_prefix ? o->basename_prefix : "", base, suffix);
}

void wk_patch_back_up(struct patch *p, const char *name, bool exists)
{
    const char *to = backup_name(p, name);
    struct wk_file *f;
    make_parents(p, to);
    if (exists) {
        int err = wk_at_rename(p->c, NULL, name, NULL, to, 0);
        if (err)
            PATCH_FATAL(p, "Can't rename file %s to %s : %s", wk_patch_quote(p, name), wk_patch_quote(p, to),
                        wk_err_text(err));
        return;
    }
    int err = wk_cmd_open(p->c, to, WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0666, &f);
    if (err)
        cannot(p, "create file", wk_patch_quote(p, to), err);
    wk_cmd_close(p->c, f);
}

static void remove_file(struct patch *p, const char *name)
{
    if (p->o->volume == PATCH_VERBOSE)
        PATCH_SAY(p, "Removing file %s\n", wk_patch_quote(p, name));
    struct wk_stat st;
    int err = wk_at_stat(p->c, NULL, name, false, &st) ? 0 : wk_at_unlink(p->c, NULL, name);
    if (err)
        cannot(p, "remove file", wk_patch_quote(p, name), err);
    char *path = wk_dup(p->c, name);
    for (char *slash = strrchr(path, '/'); slash && slash > path; slash = strrchr(path, '/')) {
        *slash = '\0';
        if (wk_at_rmdir(p->c, NULL, path))
            break;
    }
}

static void write_file(struct patch *p, const struct patch_result *r)
{
    struct wk_file *f;
    if (r->link) {
        int err = wk_at_symlink(p->c, NULL, wk_dupn(p->c, r->text.p, r->text.n), r->name);
        if (err)
            cannot(p, "create symbolic link", wk_patch_quote(p, r->name), err);
        return;
    }
    int err = wk_cmd_open(p->c, r->name, WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0666, &f);
    if (err)
        cannot(p, "create file", wk_patch_quote(p, r->name), err);
    struct wk_out *out = wk_out_of(p->c, f);
    wk_out_put(out, r->text.p, r->text.n);
    err = wk_out_close(out);
    if (err)
        PATCH_FATAL(p, "write error : %s", wk_err_text(err));
    if (r->mode)
        (void)wk_at_chmod(p->c, NULL, r->name, true, r->mode & 07777);
    if (r->time >= 0)
        (void)wk_at_utimens(p->c, NULL, r->name, true, r->time, r->time);
}

void wk_patch_copy_backup(struct patch *p, const char *name)
{
    struct wk_file *f;
    const char *to = backup_name(p, name);
    make_parents(p, to);
    int err = wk_cmd_open(p->c, to, WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0666, &f);
    if (err)
        cannot(p, "create file", wk_patch_quote(p, to), err);
    struct wk_out *out = wk_out_of(p->c, f);
    wk_out_put(out, p->contents.p, p->contents.n);
    err = wk_out_close(out);
    if (err)
        PATCH_FATAL(p, "write error : %s", wk_err_text(err));
    if (!p->in_err)
        (void)wk_at_chmod(p->c, NULL, to, true, p->in_st.mode & 07777);
}

static void finish(struct patch *p, const struct patch_result *r)
{
    struct wk_stat st;
    bool exists = wk_at_stat(p->c, NULL, r->name, false, &st) == 0, first = !seen_before(p, r->name);
    for (struct patch_result *x = p->doomed; x && !r->remove; x = x->next) {
        wk_tick(p->c, 1);
        x->done = x->done || strcmp(x->name, r->name) == 0; /* it is made anew */
    }
    if (!r->remove)
        make_parents(p, r->name);
    if (r->backup && first)
        wk_patch_back_up(p, r->name, exists);
    if (r->remove) {
        remove_file(p, r->name);
        return;
    }
    if (exists && !(r->backup && first))
        (void)wk_at_unlink(p->c, NULL, r->name);
    write_file(p, r);
}

void wk_patch_flush(struct patch *p)
{
    struct patch_result *list = p->queue;
    p->queue = NULL;
    p->queue_end = &p->queue;
    for (const struct patch_result *r = list; r; r = r->next)
        finish(p, r);
}

bool wk_patch_is_doomed(const struct patch *p, const char *name)
{
    for (const struct patch_result *x = p->doomed; x; x = x->next) {
        wk_tick(p->c, 1);
        if (!x->done && strcmp(x->name, name) == 0)
            return true;
    }
    return false;
}

void wk_patch_remove_doomed(struct patch *p)
{
    struct patch_result *ordered = NULL; /* the list has the last first */
    for (struct patch_result *x = p->doomed, *next; x; x = next) {
        next = x->next;
        x->next = ordered;
        ordered = x;
    }
    p->doomed = NULL;
    for (const struct patch_result *x = ordered; x; x = x->next)
        if (!x->done)
            finish(p, x);
}

bool wk_patch_waits(const struct patch *p, const char *name)
{
    for (const struct patch_result *r = p->queue; r; r = r->next) {
        wk_tick(p->c, 1);
        if (strcmp(r->from, name) == 0)
            return true;
    }
    return false;
}

void wk_patch_put(struct patch *p, struct patch_result r)
{
    if (!p->h.git && !r.remove) {
        finish(p, &r);
        return;
    }
    struct patch_result *copy = wk_new(p->c, struct patch_result);
    *copy = r;
    copy->next = NULL;
    if (r.remove) {
        copy->next = p->doomed;
        p->doomed = copy;
        return;
    }
    *p->queue_end = copy;
    p->queue_end = &copy->next;
}

void wk_patch_save_rejects(struct patch *p, const char *name)
{
    struct wk_file *f;
    bool again = seen_before(p, wk_strf(p->c, "%s/", name));
    if (!p->o->reject)
        make_parents(p, name);
    struct wk_stat st;
    if (!again && wk_at_stat(p->c, NULL, name, false, &st) == 0)
        (void)wk_at_unlink(p->c, NULL, name);
    int err = wk_cmd_open(p->c, name, WK_O_WRONLY | WK_O_CREAT | (again ? WK_O_APPEND : WK_O_TRUNC), 0666, &f);
    if (err)
        cannot(p, "create file", wk_patch_quote(p, name), err);
    struct wk_out *out = wk_out_of(p->c, f);
    wk_out_put(out, p->rejects->p, p->rejects->n);
    err = wk_out_close(out);
    if (err)
        PATCH_FATAL(p, "write error : %s", wk_err_text(err));
}
