/* ln.c - make links between files
 *
 * Standard: GNU coreutils 9.1. Oracle: ln.
 */
#include "builtins/backup.h"
#include "builtins/relpath.h"
#include "builtins/targets.h"

struct ln_opts {
    bool backup_flag, directory, force, ask, logical, no_deref, physical, relative, symbolic;
    bool no_target_dir, verbose;
    const char *backup_word, *suffix, *target_dir;
    enum wk_backup backup;
};

static int set_way(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct ln_opts *o = (struct ln_opts *)c->opts;
    (void)arg;
    if (opt->value == 'f' || opt->value == 'i') {
        o->force = opt->value == 'f';
        o->ask = opt->value == 'i';
    } else {
        o->logical = opt->value == 'L';
    }
    return 0;
}

static const struct wk_opt ln_options[] = {
    WK_STR_OPTIONAL(struct ln_opts, backup_word, 0, "backup", "CONTROL",
                    "make a backup of each existing destination file"),
    WK_FLAG(struct ln_opts, backup_flag, 'b', NULL, "like --backup but does not accept an argument"),
    WK_FLAG(struct ln_opts, directory, 'd', "directory",
            "allow the superuser to attempt to hard link\ndirectories (this fails)"),
    WK_FLAG(struct ln_opts, directory, 'F', NULL, "the same as -d"),
    WK_FUNC_OPT(set_way, 'f', 'f', "force", NULL, "remove existing destination files"),
    WK_FUNC_OPT(set_way, 'i', 'i', "interactive", NULL, "prompt whether to remove destinations"),
    WK_FUNC_OPT(set_way, 'L', 'L', "logical", NULL, "dereference TARGETs that are symbolic links"),
    WK_FLAG(struct ln_opts, no_deref, 'n', "no-dereference",
            "treat LINK_NAME as a normal file if\nit is a symbolic link to a directory"),
    WK_FUNC_OPT(set_way, 'P', 'P', "physical", NULL, "make hard links directly to symbolic links"),
    WK_FLAG(struct ln_opts, relative, 'r', "relative",
            "with -s, create links relative to link location"),
    WK_STR_OPT(struct ln_opts, suffix, 'S', "suffix", "SUFFIX", "override the usual backup suffix"),
    WK_FLAG(struct ln_opts, symbolic, 's', "symbolic", "make symbolic links instead of hard links"),
    WK_STR_OPT(struct ln_opts, target_dir, 't', "target-directory", "DIRECTORY",
               "specify the DIRECTORY in which to create\nthe links"),
    WK_FLAG(struct ln_opts, no_target_dir, 'T', "no-target-directory",
            "treat LINK_NAME as a normal file always"),
    WK_FLAG(struct ln_opts, verbose, 'v', "verbose", "print name of each linked file"),
    WK_OPTS_END,
};

static int create(struct wk_cmd *c, const struct ln_opts *o, const char *target, const char *name)
{
    if (o->symbolic)
        return wk_at_symlink(c, NULL, target, name);
    return wk_at_link(c, NULL, target, NULL, name, o->logical ? WK_AT_FOLLOW : 0);
}

static bool same_name(struct wk_cmd *c, const char *a, const char *b)
{
    size_t an, bn;
    const char *ab = wk_last_component(a, &an), *bb = wk_last_component(b, &bn);
    struct wk_stat x, y;
    char *ad = ab > a ? wk_dupn(c, a, (size_t)(ab - a)) : wk_dup(c, ".");
    char *bd = bb > b ? wk_dupn(c, b, (size_t)(bb - b)) : wk_dup(c, ".");
    return an == bn && memcmp(ab, bb, an) == 0 && !wk_at_stat(c, NULL, ad, true, &x) &&
           !wk_at_stat(c, NULL, bd, true, &y) && wk_stat_same(&x, &y);
}

/* Something stands where the link goes: false when it stays (reported if that is an error). */
static bool clear_name(struct wk_cmd *c, const struct ln_opts *o, const char *target,
                       const char *name, const struct wk_stat *src, bool have_src, char **backup)
{
    struct wk_stat dst;
    if (wk_at_stat(c, NULL, name, false, &dst))
        return true;
    if (WK_S_ISDIR(dst.mode)) {
        wk_msg(c, "%s: cannot overwrite directory", wk_quote_maybe(c, name));
        return false;
    }
    if ((!o->backup || !o->symbolic) && have_src && wk_stat_same(src, &dst) &&
        (src->nlink == 1 || same_name(c, target, name))) {
        wk_msg(c, "%s and %s are the same file", wk_quote(c, target), wk_quote(c, name));
        return false;
    }
    if (o->ask) {
        wk_out_fmt(c->err, "%s: replace %s? ", c->name, wk_quote(c, name));
        if (!wk_ask(c))
            return false;
    }
    int err;
    if (o->backup) {
        *backup = wk_backup_name(c, NULL, name, o->backup, wk_backup_suffix(c, o->suffix));
        err = wk_at_rename(c, NULL, name, NULL, *backup, 0);
        if (err && err != WK_ENOENT) {
            wk_msg(c, "cannot backup %s: %s", wk_quote(c, name), wk_err_text(err));
            return false;
        }
    }
    return true;
}

static void make_link(struct wk_cmd *c, const struct ln_opts *o, const char *target, const char *name)
{
    struct wk_stat src;
    char *backup = NULL;
    bool have_src = !wk_at_stat(c, NULL, target, o->symbolic || o->logical, &src);
    if (!o->symbolic) {
        int err = have_src ? 0 : wk_at_stat(c, NULL, target, o->logical, &src);
        if (err) {
            wk_msg(c, "failed to access %s: %s", wk_quote(c, target), wk_err_text(err));
            return;
        }
        if (WK_S_ISDIR(src.mode) && !o->directory) {
            wk_msg(c, "%s: hard link not allowed for directory", wk_quote_maybe(c, target));
            return;
        }
    }
    bool replace = o->force || o->ask || o->backup;
    if (replace && !clear_name(c, o, target, name, &src, have_src, &backup))
        return;
    if (o->relative) {
        size_t n;
        const char *base = wk_last_component(name, &n);
        char *dir = base > name ? wk_dupn(c, name, (size_t)(base - name)) : wk_dup(c, ".");
        char *from, *to;
        if (!wk_at_realpath(c, dir, WK_REALPATH_NONE, &from) &&
            !wk_at_realpath(c, target, WK_REALPATH_NONE, &to))
            target = wk_relative_path(c, from, to);
    }
    int err = create(c, o, target, name);
    if (err == WK_EEXIST && replace) {
        err = wk_at_unlink(c, NULL, name);
        if (!err || err == WK_ENOENT)
            err = create(c, o, target, name);
    }
    if (err) {
        bool brief = o->symbolic ? err != WK_ENAMETOOLONG && *target
                                 : err == WK_EEXIST || err == WK_EDQUOT || err == WK_ENOSPC ||
                                       err == WK_EROFS;
        if (brief)
            wk_msg(c, "failed to create %s link %s: %s", o->symbolic ? "symbolic" : "hard",
                   wk_quote(c, name), wk_err_text(err));
        else
            wk_msg(c, "failed to create %s link %s %s %s: %s", o->symbolic ? "symbolic" : "hard",
                   wk_quote(c, name), o->symbolic ? "->" : "=>", wk_quote(c, target),
                   wk_err_text(err));
        if (backup)
            (void)wk_at_rename(c, NULL, backup, NULL, name, 0);
        return;
    }
    if (!o->verbose)
        return;
    if (backup)
        wk_out_fmt(c->out, "%s ~ ", wk_quote(c, backup));
    wk_out_fmt(c->out, "%s %s %s\n", wk_quote(c, name), o->symbolic ? "->" : "=>",
               wk_quote(c, target));
}

static void check_dir(struct wk_cmd *c, const struct ln_opts *o)
{
    struct wk_stat st;
    int err = o->target_dir ? wk_at_stat(c, NULL, o->target_dir, true, &st) : 0;
    if (err)
        wk_fail(c, 1, "failed to access %s: %s", wk_quote(c, o->target_dir), wk_err_text(err));
    if (o->target_dir && !WK_S_ISDIR(st.mode))
        wk_fail(c, 1, "target %s is not a directory", wk_quote(c, o->target_dir));
    if (o->target_dir && o->no_target_dir)
        wk_fail(c, 1, "cannot combine --target-directory and --no-target-directory");
}

static int ln_main(struct wk_cmd *c)
{
    struct ln_opts *o = (struct ln_opts *)c->opts;
    struct wk_targets t;
    check_dir(c, o);
    if (o->relative && !o->symbolic)
        wk_fail(c, 1, "cannot do --relative without --symbolic");
    if (c->nargs == 1 && !o->no_target_dir && !o->target_dir) {
        t = (struct wk_targets){.dir = ".", .sources = c->args, .n = 1};
    } else {
        wk_targets_read(c, o->target_dir, o->no_target_dir, o->no_deref, &t);
    }
    o->backup = wk_backup_kind(c, o->backup_flag, o->backup_word, o->suffix);
    for (size_t i = 0; i < t.n; i++) {
        const char *name = t.dir ? wk_target_in(c, t.dir, t.sources[i]) : t.target;
        make_link(c, o, t.sources[i], name);
    }
    return c->status;
}

WK_COMMAND(ln, .summary = "make links between files",
           .usage = "ln [OPTION]... [-T] TARGET LINK_NAME\nln [OPTION]... TARGET\n"
                    "ln [OPTION]... TARGET... DIRECTORY\nln [OPTION]... -t DIRECTORY TARGET...",
           .std = "coreutils 9.1", .opts = ln_options, .opts_size = sizeof(struct ln_opts),
           .help = "Using -s ignores -L and -P.  Otherwise, the last option specified controls\n"
                   "behavior when a TARGET is a symbolic link, defaulting to -P.\n");
