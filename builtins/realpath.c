/* realpath.c - print canonical names
 *
 * Standard: GNU coreutils 9.1. Oracle: realpath.
 */
#include "builtins/fsops.h"
#include "builtins/relpath.h"

struct realpath_opts {
    bool quiet, zero;
    int must; /* the last of -e, -m */
    int links; /* the last of -P, -L, -s */
    const char *base, *to;
};

static const struct wk_opt realpath_options[] = {
    WK_SET(struct realpath_opts, must, 'e', 'e', "canonicalize-existing",
            "all components of the path must exist"),
    WK_SET(struct realpath_opts, must, 'm', 'm', "canonicalize-missing",
            "no path components need exist or be a directory"),
    WK_SET(struct realpath_opts, links, 'L', 'L', "logical",
           "resolve '..' components before symlinks"),
    WK_SET(struct realpath_opts, links, 'P', 'P', "physical",
           "resolve symlinks as encountered (default)"),
    WK_FLAG(struct realpath_opts, quiet, 'q', "quiet", "suppress most error messages"),
    WK_STR_OPT(struct realpath_opts, to, 0, "relative-to", "DIR",
               "print the resolved path relative to DIR"),
    WK_STR_OPT(struct realpath_opts, base, 0, "relative-base", "DIR",
               "print absolute paths unless paths below DIR"),
    WK_SET(struct realpath_opts, links, 's', 's', "strip", "don't expand symlinks"),
    WK_SET(struct realpath_opts, links, 's', 0, "no-symlinks", "the same as --strip"),
    WK_FLAG(struct realpath_opts, zero, 'z', "zero", "end each output line with NUL, not newline"),
    WK_OPTS_END,
};

/* Dots and double slashes taken out of an absolute name. What stands in front of .. must be a directory with
 * `look`: 0 or a positive code. */
static int tidy(struct wk_cmd *c, const char *path, bool look, char **result)
{
    char *cwd = NULL;
    if (*path != '/' && wk_at_cwd(c, &cwd))
        cwd = wk_dup(c, "/");
    char *all = *path == '/' ? wk_dup(c, path) : wk_join_path(c, cwd, path);
    char *out = (char *)wk_heap_alloc(c->heap, strlen(all) + 2), *end = out;
    for (const char *p = all; *p;) {
        while (*p == '/')
            p++;
        size_t n = strcspn(p, "/");
        bool up = n == 2 && p[0] == '.' && p[1] == '.', here = n == 1 && p[0] == '.';
        if (look && end > out && (up || here)) {
            struct wk_stat st;
            *end = '\0';
            int err = wk_at_stat(c, NULL, out, true, &st);
            if (err || !WK_S_ISDIR(st.mode))
                return err ? err : WK_ENOTDIR;
        }
        if (up) {
            while (end > out && *--end != '/')
                ;
        } else if (n > 0 && !here) {
            *end++ = '/';
            memcpy(end, p, n);
            end += n;
        }
        p += n;
    }
    if (end == out)
        *end++ = '/';
    *end = '\0';
    *result = out;
    return 0;
}

static int resolve(struct wk_cmd *c, const struct realpath_opts *o, const char *path, char **out)
{
    enum wk_realpath how = (o->must == 'm') ? WK_REALPATH_NONE : (o->must == 'e') ? WK_REALPATH_ALL
                                                                   : WK_REALPATH_PARENT;
    struct wk_stat st;
    if (!*path)
        return WK_ENOENT;
    if (o->links == 's' || o->links == 'L') {
        char *plain;
        size_t n = strlen(path);
        int err = tidy(c, path, o->must != 'm', &plain);
        if (err)
            return err;
        bool slash = path[n - 1] == '/';
        if (o->must != 'm' && (slash || (o->must == 'e' && o->links == 's'))) {
            err = wk_at_stat(c, NULL, plain, true, &st);
            if (!err && slash && !WK_S_ISDIR(st.mode))
                err = WK_ENOTDIR;
            if (err && (err != WK_ENOENT || o->must == 'e'))
                return err;
        }
        *out = plain;
        if (o->links == 's')
            return 0;
        path = plain;
    }
    return wk_at_realpath(c, path, how, out);
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
    if (o->to && ((err = resolve(c, o, o->to, &to)) != 0))
        wk_fail(c, 1, "%s: %s", wk_quote_maybe(c, o->to), wk_err_text(err));
    if (o->base && ((err = resolve(c, o, o->base, &base)) != 0))
        wk_fail(c, 1, "%s: %s", wk_quote_maybe(c, o->base), wk_err_text(err));
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
