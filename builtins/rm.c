/* rm.c - remove files and trees
 *
 * Standard: GNU coreutils 9.1. Oracle: rm.
 */
#include "builtins/choice.h"
#include "builtins/ftw.h"

enum rm_ask { RM_WHEN_PROTECTED, RM_NEVER, RM_ONCE, RM_ALWAYS };

struct rm_opts {
    int ask; /* enum rm_ask */
    bool force, recursive, dir, verbose, one_fs, any_root, keep_root;
};

static int set_ask(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct rm_opts *o = (struct rm_opts *)c->opts;
    (void)arg;
    o->ask = opt->value;
    o->force = opt->value == RM_NEVER;
    return 0;
}

static int set_interactive(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct rm_opts *o = (struct rm_opts *)c->opts;

    static const struct wk_choice whens[] = {{"never", RM_NEVER},   {"no", RM_NEVER},
                                             {"none", RM_NEVER},    {"once", RM_ONCE},
                                             {"always", RM_ALWAYS}, {"yes", RM_ALWAYS},
                                             {NULL, 0}};
    (void)opt;
    o->ask = arg ? wk_choice_read(c, "--interactive", arg, whens) : RM_ALWAYS;
    o->force = o->force && o->ask == RM_NEVER;
    return 0;
}

static int set_preserve(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    if (arg && strcmp(arg, "all") != 0)
        wk_fail(c, 1, "unrecognized --preserve-root argument: %s", wk_quote_arg(c, arg));
    ((struct rm_opts *)c->opts)->any_root = false;
    return 0;
}

static int set_any_root(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    bool whole = false;
    (void)opt, (void)arg;
    for (int i = 1; i < c->argc; i++)
        whole = whole || strcmp(c->argv[i], "--no-preserve-root") == 0;
    if (!whole)
        wk_fail(c, 1, "you may not abbreviate the --no-preserve-root option");
    ((struct rm_opts *)c->opts)->any_root = true;
    return 0;
}

static const struct wk_opt rm_options[] = {
    WK_FUNC_OPT(set_ask, RM_NEVER, 'f', "force", NULL,
                "ignore nonexistent files and arguments, never prompt"),
    WK_FUNC_OPT(set_ask, RM_ALWAYS, 'i', NULL, NULL, "prompt before every removal"),
    WK_FUNC_OPT(set_ask, RM_ONCE, 'I', NULL, NULL,
                "prompt once before removing more than three files, or\nwhen removing recursively"),
    WK_FUNC_OPT(set_interactive, 0, 0, "interactive", "[WHEN",
                    "prompt according to WHEN: never, once (-I), or\nalways (-i); without WHEN, "
                    "prompt always"),
    WK_FLAG(struct rm_opts, one_fs, 0, "one-file-system",
            "when removing a hierarchy recursively, skip any\ndirectory that is on a different file "
            "system"),
    WK_FUNC_OPT(set_any_root, 0, 0, "no-preserve-root", NULL, "do not treat '/' specially"),
    WK_FUNC_OPT(set_preserve, 0, 0, "preserve-root", "[all",
                    "do not remove '/' (default)"),
    WK_FLAG(struct rm_opts, recursive, 'r', "recursive",
            "remove directories and their contents recursively"),
    WK_FLAG(struct rm_opts, recursive, 'R', NULL, "the same as -r"),
    WK_FLAG(struct rm_opts, dir, 'd', "dir", "remove empty directories"),
    WK_FLAG(struct rm_opts, verbose, 'v', "verbose", "explain what is being done"),
    WK_OPTS_END,
};

struct rm_state {
    struct wk_cmd *c;
    const struct rm_opts *o;
    struct wk_ftw *t;
    char failed; /* its address marks a level below which something stayed */
};

/* The present entry stays, and so do the directories above it: outside of a marked one all are. */
static void stays(struct rm_state *s)
{
    for (size_t i = s->t->depth; i > 0 && !s->t->levels[i - 1].data; i--)
        s->t->levels[i - 1].data = &s->failed;
}

static void fail(struct rm_state *s, int err)
{
    wk_msg(s->c, "cannot remove %s: %s", wk_quote(s->c, s->t->path), wk_err_text(err));
    stays(s);
}

/* Whether the present entry may go. `what` is the question's verb. */
static bool may(struct rm_state *s, const struct wk_stat *st, const char *verb)
{
    struct wk_cmd *c = s->c;
    if (s->o->ask == RM_NEVER)
        return true;
    bool tty = c->in && c->in->file && c->in->file->is_tty;
    if (s->o->ask != RM_ALWAYS && !tty)
        return true;
    bool protected = !WK_S_ISLNK(st->mode) &&
                     wk_at_access(c, wk_ftw_dir(s->t), wk_ftw_name(s->t), WK_W_OK) == WK_EACCES;
    if (s->o->ask != RM_ALWAYS && !protected)
        return true;
    (void)wk_out_flush(c->out);
    wk_out_fmt(c->err, "%s: %s %s%s %s? ", c->name, verb, protected ? "write-protected " : "",
               wk_file_type_words(st), wk_quote(c, s->t->path));
    if (wk_ask(c))
        return true;
    if (*verb == 'd') /* not even looked into: what is above stays, too */
        stays(s);
    return false;
}

static void removed(struct rm_state *s, bool dir)
{
    if (s->o->verbose)
        wk_out_fmt(s->c->out, "removed %s%s\n", dir ? "directory " : "",
                   wk_quote(s->c, s->t->path));
}

static bool is_empty(struct rm_state *s)
{
    struct wk_vlist *list;
    struct wk_dirent e;
    if (wk_at_list(s->c, wk_ftw_dir(s->t), wk_ftw_name(s->t), &list))
        return false;
    bool any = wk_vlist_next(list, &e) > 0;
    wk_vlist_close(list);
    return !any;
}

static void remove_dir(struct rm_state *s)
{
    int err = wk_at_rmdir(s->c, wk_ftw_dir(s->t), wk_ftw_name(s->t));
    if (err)
        fail(s, err);
    else
        removed(s, true);
}

/* Removes the present entry, or goes into it: true when it went in. */
static bool visit(struct rm_state *s, const struct wk_stat *st, uint64_t root_dev)
{
    struct wk_cmd *c = s->c;
    if (!WK_S_ISDIR(st->mode)) {
        if (!may(s, st, "remove"))
            return false;
        int err = wk_at_unlink(c, wk_ftw_dir(s->t), wk_ftw_name(s->t));
        if (err && !(err == WK_ENOENT && s->o->force))
            fail(s, err);
        else if (!err)
            removed(s, false);
        return false;
    }
    if (s->o->one_fs && st->dev != root_dev) {
        wk_msg(c, "skipping %s, since it's on a different device", wk_quote(c, s->t->path));
        stays(s);
        return false;
    }
    if (s->o->ask == RM_ALWAYS || !s->o->recursive) { /* an empty one is asked about once */
        bool empty = is_empty(s);
        if (!s->o->recursive || empty) {
            if (!empty)
                fail(s, WK_ENOTEMPTY);
            else if (may(s, st, "remove"))
                remove_dir(s);
            else
                stays(s);
            return false;
        }
    }
    if (!may(s, st, "descend into"))
        return false;
    int err = wk_ftw_enter(s->t, st);
    if (!err)
        return true;
    if (wk_at_rmdir(c, wk_ftw_dir(s->t), wk_ftw_name(s->t)) == 0)
        removed(s, true);
    else
        fail(s, err);
    return false;
}

static void remove_tree(struct rm_state *s, const struct wk_stat *st)
{
    struct wk_ftw *t = s->t;
    struct wk_dirent e;
    struct wk_stat here;
    int err;
    if (!visit(s, st, st->dev))
        return;
    while (t->depth) {
        if (wk_ftw_next(t, &e, &err)) {
            if (e.type != WK_S_IFDIR && e.type != 0 && s->o->ask == RM_NEVER) {
                here.mode = e.type; /* nothing else of it is looked at */
            } else if ((err = wk_at_stat(s->c, wk_ftw_dir(t), wk_ftw_name(t), false, &here)) != 0) {
                if (err != WK_ENOENT)
                    fail(s, err);
                continue;
            }
            (void)visit(s, &here, st->dev);
            continue;
        }
        bool kept = wk_ftw_top(t)->data != NULL;
        if (err)
            fail(s, err);
        wk_ftw_leave(t);
        if (kept || err)
            continue;
        here.mode = WK_S_IFDIR;
        if (s->o->ask == RM_NEVER || may(s, &here, "remove"))
            remove_dir(s);
    }
}

static bool is_dots(const char *path)
{
    size_t n;
    const char *base = wk_last_component(path, &n);
    return (n == 1 && base[0] == '.') || (n == 2 && base[0] == '.' && base[1] == '.');
}

static void rm_operand(struct rm_state *s, const char *path)
{
    struct wk_cmd *c = s->c;
    struct wk_stat st, root;
    wk_ftw_start(s->t, path);
    int err = wk_at_stat(c, NULL, path, false, &st);
    if (err) {
        if (!(s->o->force && (err == WK_ENOENT || err == WK_ENOTDIR)))
            fail(s, err);
        return;
    }
    if (WK_S_ISDIR(st.mode) && !s->o->recursive && !(s->o->dir && is_empty(s))) {
        fail(s, s->o->dir ? WK_ENOTEMPTY : WK_EISDIR);
        return;
    }
    if (WK_S_ISDIR(st.mode) && is_dots(path)) {
        wk_msg(c, "refusing to remove '.' or '..' directory: skipping %s", wk_quote(c, path));
        return;
    }
    if (s->o->recursive && !s->o->any_root && wk_at_stat(c, NULL, "/", true, &root) == 0 &&
        wk_stat_same(&st, &root)) {
        if (strcmp(path, "/") == 0)
            wk_msg(c, "it is dangerous to operate recursively on '/'");
        else
            wk_msg(c, "it is dangerous to operate recursively on %s (same as '/')",
                   wk_quote(c, path));
        wk_msg(c, "use --no-preserve-root to override this failsafe");
        return;
    }
    remove_tree(s, &st);
}

static int rm_main(struct wk_cmd *c)
{
    struct rm_opts *o = (struct rm_opts *)c->opts;
    if (c->nargs == 0) {
        if (o->force)
            return 0;
        wk_usage(c, "missing operand");
    }
    if (o->ask == RM_ONCE && (o->recursive || c->nargs > 3)) {
        wk_out_fmt(c->err, "%s: remove %d argument%s%s? ", c->name, c->nargs, c->nargs > 1 ? "s" : "",
                   o->recursive ? " recursively" : "");
        if (!wk_ask(c))
            return 0;
    }
    struct rm_state s = {.c = c, .o = o, .t = wk_ftw_new(c)};
    for (int i = 0; i < c->nargs; i++)
        rm_operand(&s, c->args[i]);
    return c->status;
}

WK_COMMAND(rm, .summary = "remove (unlink) the FILEs", .usage = "rm [OPTION]... [FILE]...",
           .std = "coreutils 9.1", .opts = rm_options, .opts_size = sizeof(struct rm_opts));
