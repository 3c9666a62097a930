/* mknod.c - make special files: FIFOs; devices are refused as for an ordinary user
 *
 * Standard: GNU coreutils 9.1. Oracle: mknod.
 */
#include "base/num.h"
#include "builtins/fsops.h"
#include "builtins/modes.h"

struct mknod_opts {
    const char *mode;
    bool ignored;
};

static int set_context(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    if (arg)
        wk_out_fmt(c->err, "%s: warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel\n", c->name);
    return 0;
}

static const struct wk_opt mknod_options[] = {
    WK_STR_OPT(struct mknod_opts, mode, 'm', "mode", "MODE", "set file permission bits to MODE, not a=rw - umask"),
    WK_FLAG(struct mknod_opts, ignored, 'Z', NULL, "(ignored: there are no security contexts)"),
    WK_FUNC_OPT(set_context, 0, 0, "context", "[CTX]", "(ignored with a warning)"),
    WK_OPTS_END,
};

static uint32_t read_mode(struct wk_cmd *c, const char *text)
{
    struct wk_mode_change *m = wk_mode_parse(c, text);
    if (!m)
        wk_fail(c, 1, "invalid mode");
    uint32_t mode = wk_mode_apply(m, 0666, false, c->proc->cred.umask, NULL);
    if (mode & ~0777u)
        wk_fail(c, 1, "mode must specify only file permission bits");
    return mode;
}

/* A type of p takes no numbers, all others take two. */
static void check_count(struct wk_cmd *c)
{
    int expected = c->nargs == 0 || (c->nargs > 1 && c->args[1][0] == 'p') ? 2 : 4;
    if (c->nargs < expected) {
        if (c->nargs == 0)
            wk_usage(c, "missing operand");
        wk_msg(c, "missing operand after %s", wk_quote_arg(c, c->args[c->nargs - 1]));
        if (expected == 4 && c->nargs == 2)
            wk_out_c(c->err, "Special files require major and minor device numbers.\n");
        wk_try_help(c);
    }
    if (c->nargs > expected) {
        wk_msg(c, "extra operand %s", wk_quote_arg(c, c->args[expected]));
        if (expected == 2 && c->nargs == 4)
            wk_out_c(c->err, "Fifos do not have major and minor device numbers.\n");
        wk_try_help(c);
    }
}

static uint32_t read_number(struct wk_cmd *c, const char *which, const char *text)
{
    uint64_t v;
    if (wk_parse_u64(wk_str_c(text), 0, &v) != 0 || v > UINT32_MAX)
        wk_fail(c, 1, "invalid %s device number %s", which, wk_quote_arg(c, text));
    return (uint32_t)v;
}

static int mknod_main(struct wk_cmd *c)
{
    const struct mknod_opts *o = (const struct mknod_opts *)c->opts;
    uint32_t mode = o->mode ? read_mode(c, o->mode) : 0666, type = WK_S_IFIFO;
    uint64_t device = 0;
    check_count(c);
    const char *name = c->args[0], *kind = c->args[1];
    if (*kind == 'b' || *kind == 'c' || *kind == 'u') {
        uint32_t major = read_number(c, "major", c->args[2]);
        device = wk_rdev(major, read_number(c, "minor", c->args[3]));
        type = *kind == 'b' ? WK_S_IFBLK : WK_S_IFCHR;
    } else if (*kind != 'p') {
        wk_usage(c, "invalid device type %s", wk_quote_arg(c, kind));
    }
    int err = wk_at_mknod(c, NULL, name, type | mode, device);
    struct wk_stat st;
    if (err == WK_EPERM && wk_at_stat(c, NULL, name, false, &st) == 0)
        err = WK_EEXIST;
    if (err)
        wk_fail(c, 1, "%s: %s", wk_quote_maybe(c, name), wk_err_text(err));
    if (o->mode && (err = wk_at_chmod(c, NULL, name, false, mode)) != 0)
        wk_fail(c, 1, "cannot set permissions of %s: %s", wk_quote(c, name), wk_err_text(err));
    return c->status;
}

WK_COMMAND(mknod, .summary = "create the special file NAME of the given TYPE",
           .usage = "mknod [OPTION]... NAME TYPE [MAJOR MINOR]", .std = "coreutils 9.1", .opts = mknod_options,
           .opts_size = sizeof(struct mknod_opts),
           .help = "MAJOR and MINOR go with the types b, c and u, not with p. They may be hexadecimal (0x)\n"
                   "or octal (0). TYPE may be:\n\n  b      a block device\n  c, u   a character device\n"
                   "  p      a FIFO\n");
