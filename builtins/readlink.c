/* readlink.c - print the text of symbolic links, or canonical names
 *
 * Standard: GNU coreutils 9.1. Oracle: readlink.
 */
#include "builtins/canonical.h"

struct readlink_opts {
    bool no_newline, zero;
    int verbose;
    int how; /* 0: the link's text; else enum wk_realpath + 1 */
};

static const struct wk_opt readlink_options[] = {
    WK_SET(struct readlink_opts, how, WK_REALPATH_PARENT + 1, 'f', "canonicalize",
           "canonicalize by following every symlink in\nevery component of the given name "
           "recursively;\nall but the last component must exist"),
    WK_SET(struct readlink_opts, how, WK_REALPATH_ALL + 1, 'e', "canonicalize-existing",
           "canonicalize by following every symlink in\nevery component of the given name "
           "recursively,\nall components must exist"),
    WK_SET(struct readlink_opts, how, WK_REALPATH_NONE + 1, 'm', "canonicalize-missing",
           "canonicalize by following every symlink in\nevery component of the given name "
           "recursively,\nwithout requirements on components existence"),
    WK_FLAG(struct readlink_opts, no_newline, 'n', "no-newline", "do not output the trailing delimiter"),
    WK_SET(struct readlink_opts, verbose, 0, 'q', "quiet", "suppress most error messages"),
    WK_SET(struct readlink_opts, verbose, 0, 's', "silent", "suppress most error messages (on by default)"),
    WK_SET(struct readlink_opts, verbose, 1, 'v', "verbose", "report error messages"),
    WK_FLAG(struct readlink_opts, zero, 'z', "zero", "end each output line with NUL, not newline"),
    WK_OPTS_END,
};

static int readlink_main(struct wk_cmd *c)
{
    struct readlink_opts *o = (struct readlink_opts *)c->opts;
    if (c->nargs == 0)
        wk_usage(c, "missing operand");
    if (o->no_newline && c->nargs > 1) {
        wk_out_fmt(c->err, "%s: ignoring --no-newline with multiple arguments\n", c->name);
        o->no_newline = false;
    }
    for (int i = 0; i < c->nargs; i++) {
        char *text;
        int err = o->how ? wk_canonical(c, c->args[i], (enum wk_realpath)(o->how - 1), false, &text)
                         : wk_at_readlink(c, NULL, c->args[i], &text);
        if (err) {
            if (o->verbose)
                wk_warn(c, c->args[i], err);
            c->status = 1;
            continue;
        }
        wk_out_c(c->out, text);
        if (!o->no_newline)
            wk_out_char(c->out, o->zero ? '\0' : '\n');
        wk_heap_free(c->heap, text);
    }
    return c->status;
}

WK_COMMAND(readlink, .summary = "print value of a symbolic link or canonical file name",
           .usage = "readlink [OPTION]... FILE...", .std = "coreutils 9.1",
           .opts = readlink_options, .opts_size = sizeof(struct readlink_opts));
