/* mktemp.c - create a temporary file or directory
 *
 * Standard: GNU coreutils 9.1. Oracle: mktemp.
 */
#include "builtins/fsops.h"

struct mktemp_opts {
    bool dir, dry, quiet, t;
    const char *suffix, *tmpdir;
};

static const struct wk_opt mktemp_options[] = {
    WK_FLAG(struct mktemp_opts, dir, 'd', "directory", "create a directory, not a file"),
    WK_FLAG(struct mktemp_opts, dry, 'u', "dry-run",
            "do not create anything; merely print a name (unsafe)"),
    WK_FLAG(struct mktemp_opts, quiet, 'q', "quiet",
            "suppress diagnostics about file/dir-creation failure"),
    WK_STR_OPT(struct mktemp_opts, suffix, 0, "suffix", "SUFF",
               "append SUFF to TEMPLATE; SUFF must not contain a slash"),
    WK_STR_OPT(struct mktemp_opts, tmpdir, 'p', NULL, "DIR", "interpret TEMPLATE relative to DIR"),
    WK_STR_OPTIONAL(struct mktemp_opts, tmpdir, 0, "tmpdir", "DIR",
                    "interpret TEMPLATE relative to DIR; if DIR is not\nspecified, use $TMPDIR if "
                    "set, else /tmp"),
    WK_FLAG(struct mktemp_opts, t, 't', NULL,
            "interpret TEMPLATE as a single file name component,\nrelative to a directory"),
    WK_OPTS_END,
};

/* Fills the X's in front of the suffix until a free name is made. 0 or a positive code. */
static int make(struct wk_cmd *c, const struct mktemp_opts *o, char *name, size_t at, size_t xs)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    for (int tries = 0; tries < 62 * 62 * 62; tries++) {
        uint64_t bits = 0;
        for (size_t i = 0; i < xs; i++) {
            if (i % 10 == 0)
                bits = wk_kern_random(c->k);
            name[at + i] = letters[bits % 62];
            bits /= 62;
        }
        struct wk_stat st;
        struct wk_file *f;
        int err;
        if (o->dry) {
            err = wk_at_stat(c, NULL, name, false, &st) == 0 ? WK_EEXIST : 0;
        } else if (o->dir) {
            err = wk_at_mkdir(c, NULL, name, 0700);
        } else {
            err = wk_cmd_open(c, name, WK_O_RDWR | WK_O_CREAT | WK_O_EXCL, 0600, &f);
            if (!err)
                (void)wk_out_close(wk_out_of(c, f));
        }
        if (err != WK_EEXIST)
            return err;
        wk_tick(c, 32);
    }
    return WK_EEXIST;
}

static int mktemp_main(struct wk_cmd *c)
{
    const struct mktemp_opts *o = (const struct mktemp_opts *)c->opts;
    const char *template = c->nargs ? c->args[0] : "tmp.XXXXXXXXXX", *dir = NULL;
    const char *given = o->tmpdir;
    if (c->nargs > 1)
        wk_usage(c, "too many templates");
    const char *suffix = o->suffix;
    size_t len = strlen(template), end = len;
    if (suffix) {
        if (!len || template[len - 1] != 'X')
            wk_fail(c, 1, "with --suffix, template %s must end in X", wk_quote_arg(c, template));
    } else {
        const char *last = strrchr(template, 'X');
        end = last ? (size_t)(last - template) + 1 : len;
        suffix = template + end;
    }
    if (strchr(suffix, '/'))
        wk_fail(c, 1, "invalid suffix %s, contains directory separator", wk_quote_arg(c, suffix));
    size_t xs = 0;
    while (xs < end && template[end - 1 - xs] == 'X')
        xs++;
    if (xs < 3)
        wk_fail(c, 1, "too few X's in template %s",
                wk_quote_arg(c, o->suffix ? wk_strf(c, "%s%s", template, suffix) : template));
    if (o->t || given || !c->nargs) {
        const char *env = wk_cmd_env(c, "TMPDIR");
        if (o->t)
            dir = env && *env ? env : given && *given ? given : "/tmp";
        else
            dir = given && *given ? given : env && *env ? env : "/tmp";
        if (o->t && strchr(template, '/'))
            wk_fail(c, 1, "invalid template, %s, contains directory separator", wk_quote_arg(c, template));
        if (!o->t && *template == '/')
            wk_fail(c, 1, "invalid template, %s; with --tmpdir, it may not be absolute",
                    wk_quote_arg(c, template));
    }
    const char *stem = wk_dupn(c, template, end);
    char *name = dir ? wk_join_path(c, dir, stem) : wk_dup(c, stem);
    size_t at = strlen(name) - xs;
    name = wk_strf(c, "%s%s", name, suffix);
    char *shown = wk_dup(c, name);
    int err = make(c, o, name, at, xs);
    if (err) {
        if (!o->quiet)
            wk_msg(c, "failed to create %s via template %s: %s", o->dir ? "directory" : "file",
                   wk_quote_arg(c, shown), wk_err_text(err));
        return 1;
    }
    wk_out_c(c->out, name);
    wk_out_char(c->out, '\n');
    return 0;
}

WK_COMMAND(mktemp, .summary = "create a temporary file or directory, safely, and print its name",
           .usage = "mktemp [OPTION]... [TEMPLATE]", .std = "coreutils 9.1",
           .opts = mktemp_options, .opts_size = sizeof(struct mktemp_opts),
           .help = "TEMPLATE must contain at least 3 consecutive 'X's in last component.\n"
                   "If TEMPLATE is not specified, use tmp.XXXXXXXXXX, and --tmpdir is implied.\n"
                   "Files are created u+rw, and directories u+rwx, minus umask restrictions.\n");
