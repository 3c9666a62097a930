/* mkdir.c - make directories
 *
 * Standard: GNU coreutils 9.1. Oracle: mkdir.
 */
#include "builtins/fsops.h"
#include "builtins/modes.h"

struct mkdir_opts {
    const char *mode;
    bool parents, verbose, ignored;
};

static int set_context(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    if (arg)
        wk_out_fmt(c->err, "%s: warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel\n", c->name);
    return 0;
}

static const struct wk_opt mkdir_options[] = {
    WK_STR_OPT(struct mkdir_opts, mode, 'm', "mode", "MODE",
               "set file mode (as in chmod), not a=rwx - umask"),
    WK_FLAG(struct mkdir_opts, parents, 'p', "parents",
            "no error if existing, make parent directories as needed,\nwith their file modes "
            "unaffected by any -m option."),
    WK_FLAG(struct mkdir_opts, verbose, 'v', "verbose", "print a message for each created directory"),
    WK_FLAG(struct mkdir_opts, ignored, 'Z', NULL, "(ignored)"),
    WK_FUNC_OPT(set_context, 0, 0, "context", "[CTX]", "(ignored with a warning)"),
    WK_OPTS_END,
};

static void say_created(struct wk_cmd *c, const struct mkdir_opts *o, const char *path)
{
    if (o->verbose)
        wk_out_fmt(c->out, "%s: created directory %s\n", c->name, wk_quote(c, path));
}

/* The directories above the last component. False after reporting. */
static bool make_parents(struct wk_cmd *c, const struct mkdir_opts *o, const char *path)
{
    char *part = wk_dup(c, path);
    size_t n = strlen(part), at = 0;
    while (n > 1 && part[n - 1] == '/')
        n--;
    for (;;) {
        while (at < n && part[at] == '/')
            at++;
        while (at < n && part[at] != '/')
            at++;
        if (at >= n)
            return true;
        part[at] = '\0';
        struct wk_stat st;
        int err = wk_at_mkdir(c, NULL, part, 0777);
        if (!err) {
            say_created(c, o, part);
            if (c->proc->cred.umask & 0300) /* the way on must stay open to its maker */
                (void)wk_at_chmod(c, NULL, part, true, (0777 & ~c->proc->cred.umask) | 0300);
        } else {
            int why = wk_at_stat(c, NULL, part, true, &st);
            if (!why)
                err = WK_S_ISDIR(st.mode) ? 0 : WK_ENOTDIR;
            else if (why == WK_ELOOP)
                err = why;
        }
        if (err) {
            wk_msg(c, "cannot create directory %s: %s", wk_quote_arg(c, part), wk_err_text(err));
            return false;
        }
        part[at] = path[at];
    }
}

static int mkdir_main(struct wk_cmd *c)
{
    const struct mkdir_opts *o = (const struct mkdir_opts *)c->opts;
    uint32_t mode = 0777, bits = 0;
    if (c->nargs == 0)
        wk_usage(c, "missing operand");
    if (o->mode) {
        struct wk_mode_change *m = wk_mode_parse(c, o->mode);
        if (!m)
            wk_fail(c, 1, "invalid mode %s", wk_quote_arg(c, o->mode));
        mode = wk_mode_apply(m, 0777, true, c->proc->cred.umask, &bits);
    }
    for (int i = 0; i < c->nargs; i++) {
        const char *path = c->args[i];
        struct wk_stat st;
        if (o->parents && !make_parents(c, o, path))
            continue;
        /* With -m the umask stays out of it; what is to be sticky is nobody else's to write to at first. */
        uint32_t umask = c->proc->cred.umask;
        c->proc->cred.umask = o->mode ? 0 : umask;
        int err = wk_at_mkdir(c, NULL, path, mode & (mode & 01000 ? 01755 : 0777));
        c->proc->cred.umask = umask;
        int why = err == WK_EEXIST && o->parents ? wk_at_stat(c, NULL, path, true, &st) : WK_ENOENT;
        if (!why && WK_S_ISDIR(st.mode))
            continue;
        if (why == WK_ELOOP) {
            wk_msg(c, "cannot stat %s: %s", wk_quote_arg(c, path), wk_err_text(why));
            continue;
        }
        if (err) {
            wk_msg(c, "cannot create directory %s: %s", wk_quote_arg(c, path), wk_err_text(err));
            continue;
        }
        say_created(c, o, path);
        if (o->mode && wk_at_stat(c, NULL, path, true, &st) == 0 && ((st.mode ^ mode) & bits) &&
            (err = wk_at_chmod(c, NULL, path, true, (mode & bits) | (st.mode & 07777 & ~bits))) != 0)
            wk_msg(c, "cannot set permissions of %s: %s", wk_quote(c, path), wk_err_text(err));
    }
    return c->status;
}

WK_COMMAND(mkdir, .summary = "make directories", .usage = "mkdir [OPTION]... DIRECTORY...",
           .std = "coreutils 9.1", .opts = mkdir_options, .opts_size = sizeof(struct mkdir_opts));
