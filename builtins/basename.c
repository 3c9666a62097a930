/* basename.c - strip directory and suffix from file names
 *
 * Standard: GNU coreutils 9.1. Oracle: basename.
 */
#include "builtins/fsops.h"

struct basename_opts {
    bool multiple, zero;
    const char *suffix;
};

static const struct wk_opt basename_options[] = {
    WK_FLAG(struct basename_opts, multiple, 'a', "multiple",
            "support multiple arguments and treat each as a NAME"),
    WK_STR_OPT(struct basename_opts, suffix, 's', "suffix", "SUFFIX",
               "remove a trailing SUFFIX; implies -a"),
    WK_FLAG(struct basename_opts, zero, 'z', "zero", "end each output line with NUL, not newline"),
    WK_OPTS_END,
};

static void put_base(struct wk_cmd *c, const char *name, const char *suffix, char end)
{
    size_t n, suffix_n = suffix ? strlen(suffix) : 0;
    const char *base = wk_last_component(name, &n);
    if (n == 0 && *name) {
        base = "/";
        n = 1;
    } else if (suffix_n < n && suffix_n && memcmp(base + n - suffix_n, suffix, suffix_n) == 0) {
        n -= suffix_n;
    }
    wk_out_put(c->out, base, n);
    wk_out_char(c->out, end);
}

static int basename_main(struct wk_cmd *c)
{
    const struct basename_opts *o = (const struct basename_opts *)c->opts;
    const char end = o->zero ? '\0' : '\n';
    bool multiple = o->multiple || o->suffix;
    if (c->nargs < 1)
        wk_usage(c, "missing operand");
    if (!multiple && c->nargs > 2)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[2]));
    if (!multiple) {
        put_base(c, c->args[0], c->nargs > 1 ? c->args[1] : NULL, end);
        return 0;
    }
    for (int i = 0; i < c->nargs; i++)
        put_base(c, c->args[i], o->suffix, end);
    return c->status;
}

WK_COMMAND(basename, .summary = "strip directory and suffix from filenames",
           .usage = "basename NAME [SUFFIX]\nbasename OPTION... NAME...", .std = "coreutils 9.1",
           .opts = basename_options, .opts_size = sizeof(struct basename_opts),
           .flags = WK_CMD_NO_PERMUTE);
