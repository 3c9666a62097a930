/* install.c - copy files and set attributes
 *
 * Standard: GNU coreutils 9.1. Oracle: install.
 * Differs:  docs/divergences/install.md
 */
#include "builtins/copy.h"
#include "builtins/idnames.h"
#include "builtins/modes.h"
#include "builtins/targets.h"
#include "kern/vfsfile.h"

struct install_opts {
    bool backup_flag, ignored, compare, directories, leading, times, strip, no_target_dir, verbose;
    const char *backup, *suffix, *target_dir, *mode, *owner, *group, *strip_program;
};

#define OPTS struct install_opts

static int set_context(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    if (arg)
        wk_out_fmt(c->err, "%s: warning: ignoring --context; it requires an SELinux-enabled kernel\n", c->name);
    return 0;
}

static int keep_context(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    (void)arg;
    wk_out_fmt(c->err, "%s: WARNING: ignoring --preserve-context; this kernel is not SELinux-enabled\n", c->name);
    return 0;
}

static const struct wk_opt install_options[] = {
    WK_STR_OPTIONAL(OPTS, backup, 0, "backup", "CONTROL", "make a backup of each existing destination file"),
    WK_FLAG(OPTS, backup_flag, 'b', NULL, "like --backup but does not accept an argument"),
    WK_FLAG(OPTS, ignored, 'c', NULL, "(ignored)"),
    WK_FLAG(OPTS, compare, 'C', "compare", "leave a destination alone that is the same already"),
    WK_FLAG(OPTS, directories, 'd', "directory", "treat all arguments as directory names; make them all"),
    WK_FLAG(OPTS, leading, 'D', NULL, "create all leading components of DEST, or all of -t DIR"),
    WK_STR_OPT(OPTS, group, 'g', "group", "GROUP", "set group ownership"),
    WK_STR_OPT(OPTS, mode, 'm', "mode", "MODE", "set permission mode (as in chmod), instead of rwxr-xr-x"),
    WK_STR_OPT(OPTS, owner, 'o', "owner", "OWNER", "set ownership"),
    WK_FLAG(OPTS, times, 'p', "preserve-timestamps", "give destinations the times of their sources"),
    WK_FLAG(OPTS, strip, 's', "strip", "strip symbol tables"),
    WK_STR_OPT(OPTS, strip_program, 0, "strip-program", "PROGRAM", "program used to strip binaries"),
    WK_STR_OPT(OPTS, suffix, 'S', "suffix", "SUFFIX", "override the usual backup suffix"),
    WK_STR_OPT(OPTS, target_dir, 't', "target-directory", "DIRECTORY", "copy all SOURCE arguments into DIRECTORY"),
    WK_FLAG(OPTS, no_target_dir, 'T', "no-target-directory", "treat DEST as a normal file"),
    WK_FLAG(OPTS, verbose, 'v', "verbose", "print the name of each directory as it is created"),
    WK_FUNC_OPT(keep_context, 0, 0, "preserve-context", NULL, "(ignored with a warning)"),
    WK_FLAG(OPTS, ignored, 'Z', NULL, "(ignored)"),
    WK_FUNC_OPT(set_context, 0, 0, "context", "[CTX]", "(ignored with a warning)"),
    WK_OPTS_END,
};

struct install {
    struct wk_cmd *c;
    const OPTS *o;
    struct wk_copy *copy;
    uint32_t mode, dir_mode, dir_bits; /* dir_bits: those that the mode names */
    uint32_t uid, gid;                 /* UINT32_MAX: as they are */
    struct wk_map made;                /* targets of this process */
};

static bool fail(struct wk_cmd *c, const char *what, const char *name, int err)
{
    bool of_dir = strstr(what, "create directory") || strstr(what, "permissions of");
    wk_msg(c, "%s %s: %s", what, of_dir ? wk_quote_arg(c, name) : wk_quote(c, name), wk_err_text(err));
    return false;
}

/* ---- directories ------------------------------------------------------------------------------- */

/* mkdir as if the umask were 0. */
static int make_dir(struct install *s, const char *path, uint32_t mode)
{
    struct wk_cmd *c = s->c;
    int err = wk_at_mkdir(c, NULL, path, mode);
    if (!err && c->proc->cred.umask & mode)
        err = wk_at_chmod(c, NULL, path, true, mode);
    if (!err && s->o->verbose)
        wk_out_fmt(c->out, "%s: creating directory %s\n", c->name, wk_quote(c, path));
    return err;
}

/* The directories in front of the last component of `path`. */
static bool make_leading(struct install *s, const char *path)
{
    struct wk_cmd *c = s->c;
    char *part = wk_dup(c, path);
    size_t n, at = 0, end = (size_t)(wk_last_component(path, &n) - path);
    for (;;) {
        struct wk_stat st;
        while (at < end && part[at] == '/')
            at++;
        while (at < end && part[at] != '/')
            at++;
        if (at >= end)
            return true;
        part[at] = '\0';
        int err = wk_at_stat(c, NULL, part, true, &st);
        if (!err && !WK_S_ISDIR(st.mode))
            err = WK_ENOTDIR;
        else if (err == WK_ENOENT)
            err = make_dir(s, part, 0755);
        if (err)
            return fail(c, "cannot create directory", part, err);
        part[at] = path[at];
    }
}

static void install_dir(struct install *s, const char *path)
{
    struct wk_cmd *c = s->c;
    bool owned = s->uid != UINT32_MAX || s->gid != UINT32_MAX;
    const char *what = owned ? "cannot change owner and permissions of" : "cannot change permissions of";
    struct wk_stat st;
    if (!make_leading(s, path))
        return;
    int err = make_dir(s, path, owned ? s->dir_mode & 0700 : s->dir_mode & 0777);
    int there = wk_at_stat(c, NULL, path, true, &st);
    if (there || !WK_S_ISDIR(st.mode)) {
        bool taken = there && (err == WK_EACCES || err == WK_EEXIST);
        (void)(taken ? fail(c, what, path, there) : fail(c, "cannot create directory", path, err));
        return;
    }
    if (owned && (err = wk_at_chown(c, NULL, path, true, s->uid, s->gid)) != 0) {
        (void)fail(c, what, path, err);
        return;
    }
    err = wk_at_chmod(c, NULL, path, true, (st.mode & 07777 & ~s->dir_bits) | s->dir_mode);
    if (err)
        (void)fail(c, what, path, err);
}

/* ---- files ------------------------------------------------------------------------------------- */

/* Whether the contents of two regular files are the same. */
static bool same_contents(struct wk_cmd *c, const char *a, const char *b)
{
    struct wk_file *f[2] = {NULL, NULL};
    char block[2][2048];
    bool same = wk_cmd_open(c, a, WK_O_RDONLY, 0, &f[0]) == 0 && wk_cmd_open(c, b, WK_O_RDONLY, 0, &f[1]) == 0;
    for (ptrdiff_t n = 1, m; same && n > 0;) {
        n = wk_file_read(c->task, f[0], block[0], sizeof block[0]);
        m = wk_file_read(c->task, f[1], block[1], sizeof block[1]);
        same = n >= 0 && n == m && memcmp(block[0], block[1], (size_t)n) == 0;
        wk_tick(c, 32);
    }
    for (int i = 0; i < 2; i++)
        if (f[i])
            wk_cmd_close(c, f[i]);
    return same;
}

/* -C: whether the destination is as it shall be. */
static bool is_installed(struct install *s, const char *from, const char *to)
{
    struct wk_cmd *c = s->c;
    struct wk_stat a, b;
    uint32_t uid = s->uid == UINT32_MAX ? c->proc->cred.uid : s->uid;
    uint32_t gid = s->gid == UINT32_MAX ? c->proc->cred.gid : s->gid;
    if (s->mode & ~0777u || wk_at_stat(c, NULL, from, false, &a) || wk_at_stat(c, NULL, to, false, &b))
        return false;
    if (!WK_S_ISREG(a.mode) || !WK_S_ISREG(b.mode) || a.mode & 07000 || (b.mode & 07777) != s->mode || a.size != b.size)
        return false;
    return b.uid == uid && b.gid == gid && same_contents(c, from, to);
}

/* Runs the program that strips; without success the file goes. */
static bool strip_file(struct install *s, const char *to)
{
    struct wk_cmd *c = s->c;
    const char *program = s->o->strip_program ? s->o->strip_program : "strip";
    char *argv[] = {wk_dup(c, program), to[0] == '-' ? wk_strf(c, "./%s", to) : wk_dup(c, to), NULL};
    struct wk_exit e = {0};
    (void)wk_out_flush(c->out);
    (void)wk_out_flush(c->err);
    int err = wk_cmd_run(c, 2, argv, NULL, &e);
    if (err)
        (void)fail(c, "cannot run", program, err);
    if (!err && wk_exit_status(e) == 0)
        return true;
    wk_msg(c, "strip process terminated abnormally");
    (void)wk_at_unlink(c, NULL, to);
    return false;
}

static void set_attributes(struct install *s, const struct wk_stat *st, const char *to)
{
    struct wk_cmd *c = s->c;
    int err;
    if (s->o->times && (err = wk_at_utimens(c, NULL, to, true, st->atim, st->mtim)) != 0) {
        (void)fail(c, "cannot set timestamps for", to, err);
        return;
    }
    if (s->uid != UINT32_MAX || s->gid != UINT32_MAX) {
        err = wk_at_chown(c, NULL, to, false, s->uid, s->gid);
        if (err) {
            (void)fail(c, "cannot change ownership of", to, err);
            return;
        }
    }
    err = wk_at_chmod(c, NULL, to, true, s->mode);
    if (err)
        (void)fail(c, "cannot change permissions of", to, err);
}

static void install_file(struct install *s, const char *from, const char *to)
{
    struct wk_cmd *c = s->c;
    struct wk_stat st, dst;
    if (s->o->compare && is_installed(s, from, to))
        return;
    int err = wk_at_stat(c, NULL, from, true, &st), status = c->status;
    if (!err && WK_S_ISDIR(st.mode)) {
        wk_msg(c, "omitting directory %s", wk_quote(c, from));
        return;
    }
    if (err) {
        (void)fail(c, "cannot stat", from, err);
        return;
    }
    err = wk_at_stat(c, NULL, to, false, &dst);
    if (err && err != WK_ENOENT && to[0] && to[strlen(to) - 1] != '/') {
        (void)fail(c, "cannot stat", to, err);
        return;
    }
    if (wk_map_at(&s->made, wk_str_c(to))) {
        wk_msg(c, "will not overwrite just-created %s with %s", wk_quote(c, to), wk_quote(c, from));
        return;
    }
    c->status = 0;
    wk_copy_operand(s->copy, from, to);
    bool copied = c->status == 0;
    c->status = c->status ? c->status : status;
    if (!copied)
        return;
    if (!wk_map_put(&s->made, wk_str_c(to), NULL))
        wk_heap_exhausted(c->heap);
    (void)wk_at_chmod(c, NULL, to, true, 0600);
    if (!s->o->strip || strip_file(s, to))
        set_attributes(s, &st, to);
}

/* ---- arguments --------------------------------------------------------------------------------- */

static void read_mode(struct install *s)
{
    struct wk_cmd *c = s->c;
    struct wk_mode_change *m = wk_mode_parse(c, s->o->mode ? s->o->mode : "755");
    if (!m)
        wk_fail(c, 1, "invalid mode %s", wk_quote_arg(c, s->o->mode));
    s->mode = wk_mode_apply(m, 0, false, 0, NULL);
    s->dir_mode = wk_mode_apply(m, 0, true, 0, &s->dir_bits);
}

static void read_owner(struct install *s)
{
    const OPTS *o = s->o;
    struct wk_idnames *names = wk_idnames_new(s->c);
    s->uid = s->gid = UINT32_MAX;
    if (o->owner && !wk_user_id(names, o->owner, true, &s->uid))
        wk_fail(s->c, 1, "invalid user %s", wk_quote_arg(s->c, o->owner));
    if (o->group && !wk_group_id(names, o->group, true, &s->gid))
        wk_fail(s->c, 1, "invalid group %s", wk_quote_arg(s->c, o->group));
}

static void check_options(struct wk_cmd *c, const OPTS *o, const struct install *s)
{
    if (o->compare && o->times)
        wk_usage(c, "options --compare (-C) and --preserve-timestamps are mutually exclusive");
    if (o->compare && o->strip)
        wk_usage(c, "options --compare (-C) and --strip are mutually exclusive");
    if (o->compare && s->mode & ~0777u)
        wk_out_fmt(c->err,
                   "%s: the --compare (-C) option is ignored when you specify a mode with non-permission bits\n",
                   c->name);
}

static void find_targets(struct install *s, struct wk_targets *t)
{
    struct wk_cmd *c = s->c;
    const OPTS *o = s->o;
    struct wk_stat st;
    if (o->target_dir && !o->no_target_dir && c->nargs) {
        int err = wk_at_stat(c, NULL, o->target_dir, true, &st);
        if (err == WK_ENOENT && o->leading && !make_leading(s, wk_strf(c, "%s/x", o->target_dir)))
            wk_exit(c, 1);
        err = err == WK_ENOENT ? wk_at_stat(c, NULL, o->target_dir, true, &st) : err;
        if (err || !WK_S_ISDIR(st.mode))
            wk_fail(c, 1, "failed to access %s: %s", wk_quote(c, o->target_dir),
                    wk_err_text(err ? err : WK_ENOTDIR));
    }
    wk_targets_read(c, o->target_dir, o->no_target_dir, false, t);
}

static void release_map(void *m)
{
    wk_map_release((struct wk_map *)m);
}

static void install_files(struct install *s, const struct wk_targets *t)
{
    struct wk_cmd *c = s->c;
    const OPTS *o = s->o;
    struct wk_copy_opts *how = wk_new(c, struct wk_copy_opts);
    how->remove_dest = true;
    how->verbose = o->verbose;
    how->links = WK_COPY_ALWAYS;
    how->backup = wk_backup_kind(c, o->backup_flag, o->backup, o->suffix);
    how->suffix = wk_backup_suffix(c, o->suffix);
    wk_map_init(&s->made, wk_heap_mem(c->heap), wk_kern_random(c->k), true);
    wk_heap_own(c->heap, &s->made, release_map);
    s->copy = wk_copy_new(c, how, t->n > 1);
    for (size_t i = 0; i < t->n; i++) {
        if (!t->dir && o->leading && !make_leading(s, t->target))
            return;
        install_file(s, t->sources[i], t->dir ? wk_target_in(c, t->dir, t->sources[i]) : t->target);
    }
}

static int install_main(struct wk_cmd *c)
{
    const OPTS *o = (const OPTS *)c->opts;
    struct install *s = wk_new(c, struct install); /* the heap releases what it holds */
    s->c = c;
    s->o = o;
    struct wk_targets t = {0};
    if (o->directories && o->strip)
        wk_fail(c, 1, "the strip option may not be used when installing a directory");
    if (o->directories && o->target_dir)
        wk_fail(c, 1, "target directory not allowed when installing a directory");
    (void)wk_backup_kind(c, o->backup_flag, o->backup, o->suffix);
    if (!c->nargs)
        wk_usage(c, "missing file operand");
    if (!o->directories)
        find_targets(s, &t);
    else if (o->no_target_dir && c->nargs > 2)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[2]));
    read_mode(s);
    check_options(c, o, s);
    read_owner(s);
    for (int i = 0; o->directories && i < c->nargs; i++)
        install_dir(s, c->args[i]);
    if (!o->directories)
        install_files(s, &t);
    return c->status;
}

WK_COMMAND(install, .summary = "copy files and set their attributes, or make directories",
           .usage = "install [OPTION]... [-T] SOURCE DEST\ninstall [OPTION]... SOURCE... DIRECTORY\n"
                    "install [OPTION]... -t DIRECTORY SOURCE...\ninstall [OPTION]... -d DIRECTORY...",
           .std = "coreutils 9.1", .opts = install_options, .opts_size = sizeof(OPTS),
           .help = "The backup suffix is '~', unless set with --suffix or SIMPLE_BACKUP_SUFFIX. The kind of backup\n"
                   "is none or off, numbered or t, existing or nil, simple or never; VERSION_CONTROL may name it.\n");
