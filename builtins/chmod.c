/* chmod.c - change the modes of files
 *
 * Standard: GNU coreutils 9.1. Oracle: chmod.
 */
#include "builtins/modes.h"
#include "builtins/ftw.h"

struct chmod_opts {
    int tell; /* the last of -c, -v */
    bool quiet, keep_root, any_root, recursive;
    const char *reference;
    char *mode;      /* collected from -w, -x … which look like options */
    bool dash_mode;
};

static const struct wk_opt chmod_options[] = {
    WK_SET(struct chmod_opts, tell, 'c', 'c', "changes",
            "like verbose but report only when a change is made"),
    WK_FLAG(struct chmod_opts, quiet, 'f', "silent", "suppress most error messages"),
    WK_FLAG(struct chmod_opts, quiet, 0, "quiet", "the same as --silent"),
    WK_SET(struct chmod_opts, tell, 'v', 'v', "verbose", "output a diagnostic for every file processed"),
    WK_FLAG(struct chmod_opts, any_root, 0, "no-preserve-root",
            "do not treat '/' specially (the default)"),
    WK_FLAG(struct chmod_opts, keep_root, 0, "preserve-root", "fail to operate recursively on '/'"),
    WK_FLAG(struct chmod_opts, recursive, 'R', "recursive",
            "change files and directories recursively"),
    WK_STR_OPT(struct chmod_opts, reference, 0, "reference", "RFILE",
               "use RFILE's mode instead of MODE values"),
    WK_OPTS_END,
};

/* "-w", "-rwx", "-x,+r" and "-0644" are modes. */
static int chmod_old_style(struct wk_cmd *c, int at)
{
    struct chmod_opts *o = (struct chmod_opts *)c->opts;
    const char *arg = c->argv[at];
    if (arg[0] != '-' || !arg[1] || !strchr("rwxXstugoa01234567", arg[1]))
        return 0;
    o->mode = o->mode ? wk_strf(c, "%s,%s", o->mode, arg) : wk_dup(c, arg);
    o->dash_mode = true;
    return 1;
}

struct chmod_state {
    struct wk_cmd *c;
    const struct chmod_opts *o;
    const struct wk_mode_change *change;
    struct wk_ftw *t;
    const struct wk_stat *root;
};

static void put_mode(struct wk_out *out, uint32_t mode)
{
    char text[11];
    wk_mode_text(mode, text);
    wk_out_fmt(out, "%04o (%s)", mode & 07777u, text + 1);
}

static void report(struct chmod_state *s, uint32_t old, uint32_t new, bool failed)
{
    struct wk_cmd *c = s->c;
    bool changed = ((old ^ new) & 07777) != 0;
    if (s->o->tell != 'v' && !(s->o->tell == 'c' && changed && !failed))
        return;
    wk_out_fmt(c->out, "%s of %s %s ", failed ? "failed to change mode" : "mode",
               wk_quote(c, s->t->path), failed ? "from" : changed ? "changed from" : "retained as");
    if (failed || changed) {
        put_mode(c->out, old);
        wk_out_c(c->out, " to ");
    }
    put_mode(c->out, new);
    wk_out_char(c->out, '\n');
}

/* The present entry. False when it is not there. */
static bool change_one(struct chmod_state *s, const struct wk_stat *st)
{
    struct wk_cmd *c = s->c;
    uint32_t umask = c->proc->cred.umask;
    bool dir = WK_S_ISDIR(st->mode);
    uint32_t mode = wk_mode_apply(s->change, st->mode, dir, umask, NULL);
    int err = wk_at_chmod(c, wk_ftw_dir(s->t), wk_ftw_name(s->t), true, mode);
    report(s, st->mode, (st->mode & WK_S_IFMT) | mode, err != 0);
    if (err) {
        if (!s->o->quiet)
            wk_msg(c, "changing permissions of %s: %s", wk_quote(c, s->t->path), wk_err_text(err));
        c->status = 1;
        return true;
    }
    if (s->o->dash_mode) { /* "chmod -rwx": what the umask kept may surprise */
        uint32_t naive = wk_mode_apply(s->change, st->mode, dir, 0, NULL);
        if (mode & ~naive & 07777u) {
            char now[11], want[11];
            wk_mode_text((st->mode & WK_S_IFMT) | mode, now);
            wk_mode_text((st->mode & WK_S_IFMT) | naive, want);
            wk_msg(c, "%s: new permissions are %s, not %s", wk_quote_maybe(c, s->t->path), now + 1,
                   want + 1);
        }
    }
    return true;
}

/* What is not to be reached is told, unless -f, and with -v counted among the files, too. */
static void report_lost(struct chmod_state *s, const char *what, int err)
{
    struct wk_cmd *c = s->c;
    if (!s->o->quiet)
        wk_msg(c, "%s %s%s%s", what, wk_quote(c, s->t->path), err ? ": " : "", err ? wk_err_text(err) : "");
    if (s->o->tell == 'v')
        wk_out_fmt(c->out, "%s could not be accessed\n", wk_quote(c, s->t->path));
    c->status = 1;
}

static void change_tree(struct chmod_state *s, const char *path)
{
    struct wk_cmd *c = s->c;
    struct wk_ftw *t = s->t;
    struct wk_stat st;
    struct wk_dirent e;
    int err = wk_at_stat(c, NULL, path, true, &st);
    wk_ftw_start(t, path);
    if (err) {
        bool link = wk_at_stat(c, NULL, path, false, &st) == 0 && WK_S_ISLNK(st.mode);
        if (link && err == WK_ENOENT)
            report_lost(s, "cannot operate on dangling symlink", 0);
        else
            report_lost(s, "cannot access", err);
        return;
    }
    if (s->o->recursive && s->root && wk_stat_same(&st, s->root)) {
        wk_msg(c, "it is dangerous to operate recursively on '/'");
        wk_msg(c, "use --no-preserve-root to override this failsafe");
        return;
    }
    change_one(s, &st);
    if (!s->o->recursive || !WK_S_ISDIR(st.mode))
        return;
    for (bool enter = true; enter || t->depth; enter = false) {
        if (enter && (err = wk_ftw_enter(t, &st)) != 0) {
            report_lost(s, "cannot read directory", err);
            return;
        }
        if (!wk_ftw_next(t, &e, &err)) {
            wk_ftw_leave(t);
            continue;
        }
        err = wk_at_stat(c, wk_ftw_dir(t), wk_ftw_name(t), false, &st);
        if (err || WK_S_ISLNK(st.mode)) {
            if (err)
                report_lost(s, "cannot access", err);
            else if (s->o->tell == 'v')
                wk_out_fmt(c->out, "neither symbolic link %s nor referent has been changed\n",
                           wk_quote(c, t->path));
            continue;
        }
        change_one(s, &st);
        if (WK_S_ISDIR(st.mode) && (err = wk_ftw_enter(t, &st)) != 0)
            report_lost(s, "cannot read directory", err);
    }
}

static int chmod_main(struct wk_cmd *c)
{
    struct chmod_opts *o = (struct chmod_opts *)c->opts;
    struct chmod_state s = {.c = c, .o = o};
    struct wk_stat st, root;
    int at = 0;
    const char *mode = o->mode;
    if (mode && o->reference)
        wk_usage(c, "cannot combine mode and --reference options");
    if (!mode && !o->reference)
        mode = at < c->nargs ? c->args[at++] : NULL;
    if (at >= c->nargs) {
        if (at == 0)
            wk_usage(c, "missing operand");
        wk_usage(c, "missing operand after %s", wk_quote_arg(c, c->args[c->nargs - 1]));
    }
    if (o->reference) {
        int err = wk_at_stat(c, NULL, o->reference, true, &st);
        if (err)
            wk_fail(c, 1, "failed to get attributes of %s: %s", wk_quote(c, o->reference),
                    wk_err_text(err));
        s.change = wk_mode_exactly(c, st.mode & 07777u);
    } else {
        s.change = wk_mode_parse(c, mode);
        if (!s.change)
            wk_usage(c, "invalid mode: %s", wk_quote_arg(c, mode));
    }
    if (o->recursive && o->keep_root && !wk_at_stat(c, NULL, "/", true, &root))
        s.root = &root;
    s.t = wk_ftw_new(c);
    for (; at < c->nargs; at++)
        change_tree(&s, c->args[at]);
    return c->status;
}

WK_COMMAND(chmod, .summary = "change the mode of each FILE",
           .usage = "chmod [OPTION]... MODE[,MODE]... FILE...\nchmod [OPTION]... OCTAL-MODE FILE...\n"
                    "chmod [OPTION]... --reference=RFILE FILE...",
           .std = "coreutils 9.1", .opts = chmod_options, .opts_size = sizeof(struct chmod_opts),
           .old_style = chmod_old_style, .flags = WK_CMD_NEG_NUMBERS,
           .help = "Each MODE is of the form '[ugoa]*([-+=]([rwxXst]*|[ugo]))+|[-+=][0-7]+'.\n");
