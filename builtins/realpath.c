/* realpath.c - print canonical names
 *
 * Standard: GNU coreutils 9.1. Oracle: realpath.
 */
#include "builtins/canonical.h"
#include "builtins/relpath.h"

enum { PHYSICAL, LOGICAL, STRIP };

struct realpath_opts {
    bool quiet, zero;
    int must;  /* the last of -e, -m */
    int links; /* the last of -P, -L, -s */
    const char *base, *to;
};

static const struct wk_opt realpath_options[] = {
    WK_SET(struct realpath_opts, must, 'e', 'e', "canonicalize-existing",
            "all components of the path must exist"),
    WK_SET(struct realpath_opts, must, 'm', 'm', "canonicalize-missing",
            "no path components need exist or be a directory"),
    WK_SET(struct realpath_opts, links, LOGICAL, 'L', "logical",
           "resolve '..' components before symlinks"),
    WK_SET(struct realpath_opts, links, PHYSICAL, 'P', "physical",
           "resolve symlinks as encountered (default)"),
    WK_FLAG(struct realpath_opts, quiet, 'q', "quiet", "suppress most error messages"),
    WK_STR_OPT(struct realpath_opts, to, 0, "relative-to", "DIR",
               "print the resolved path relative to DIR"),
    WK_STR_OPT(struct realpath_opts, base, 0, "relative-base", "DIR",
               "print absolute paths unless paths below DIR"),
    WK_SET(struct realpath_opts, links, STRIP, 's', "strip", "don't expand symlinks"),
    WK_SET(struct realpath_opts, links, STRIP, 0, "no-symlinks", "the same as --strip"),
    WK_FLAG(struct realpath_opts, zero, 'z', "zero", "end each output line with NUL, not newline"),
    WK_OPTS_END,
};

static int resolve(struct wk_cmd *c, const struct realpath_opts *o, const char *path, char **out)
{
    enum wk_realpath how = o->must == 'm'   ? WK_REALPATH_NONE
                           : o->must == 'e' ? WK_REALPATH_ALL
                                            : WK_REALPATH_PARENT;
    int err = wk_canonical(c, path, how, o->links != PHYSICAL, out);
    return err || o->links != LOGICAL ? err : wk_canonical(c, *out, how, false, out);
}

/* A directory that others are told relative to. */
static char *resolve_dir(struct wk_cmd *c, const struct realpath_opts *o, const char *path)
{
    char *dir;
    struct wk_stat st;
    int err = resolve(c, o, path, &dir);
    if (!err && o->must == 'e' && !wk_at_stat(c, NULL, dir, true, &st) && !WK_S_ISDIR(st.mode))
        err = WK_ENOTDIR;
    if (err)
        wk_fail(c, 1, "%s: %s", wk_quote_maybe(c, path), wk_err_text(err));
    return dir;
}

static int realpath_main(struct wk_cmd *c)
{
    struct realpath_opts *o = (struct realpath_opts *)c->opts;
    char *to = NULL, *base = NULL, *text;
    int err;
    if (c->nargs == 0)
        wk_usage(c, "missing operand");
    if (o->base && !o->to)
        o->to = o->base;
    if (o->to)
        to = resolve_dir(c, o, o->to);
    if (o->base)
        base = resolve_dir(c, o, o->base);
    if (base && !wk_path_is_below(to, base)) /* then nothing is printed relative */
        to = base = NULL;
    for (int i = 0; i < c->nargs; i++) {
        err = resolve(c, o, c->args[i], &text);
        if (err) {
            if (!o->quiet)
                wk_warn(c, c->args[i], err);
            c->status = 1;
            continue;
        }
        if (to && (!base || wk_path_is_below(text, base)))
            text = wk_relative_path(c, to, text);
        wk_out_c(c->out, text);
        wk_out_char(c->out, o->zero ? '\0' : '\n');
    }
    return c->status;
}

WK_COMMAND(realpath, .summary = "print the resolved absolute file name",
           .usage = "realpath [OPTION]... FILE...", .std = "coreutils 9.1",
           .opts = realpath_options, .opts_size = sizeof(struct realpath_opts));
