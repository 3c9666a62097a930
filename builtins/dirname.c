/* dirname.c - strip the last component from file names
 *
 * Standard: GNU coreutils 9.1. Oracle: dirname.
 */
#include "builtins/fsops.h"

struct dirname_opts {
    bool zero;
};

static const struct wk_opt dirname_options[] = {
    WK_FLAG(struct dirname_opts, zero, 'z', "zero", "end each output line with NUL, not newline"),
    WK_OPTS_END,
};

static int dirname_main(struct wk_cmd *c)
{
    const struct dirname_opts *o = (const struct dirname_opts *)c->opts;
    if (c->nargs < 1)
        wk_usage(c, "missing operand");
    for (int i = 0; i < c->nargs; i++) {
        const char *name = c->args[i];
        size_t n, len = (size_t)(wk_last_component(name, &n) - name);
        if (n == 0 && len > 0)
            len = 1; /* only slashes */
        while (len > 1 && name[len - 1] == '/')
            len--;
        if (len == 0)
            wk_out_char(c->out, '.');
        else
            wk_out_put(c->out, name, len);
        wk_out_char(c->out, o->zero ? '\0' : '\n');
    }
    return c->status;
}

WK_COMMAND(dirname, .summary = "strip last component from file name",
           .usage = "dirname [OPTION] NAME...", .std = "coreutils 9.1", .opts = dirname_options,
           .opts_size = sizeof(struct dirname_opts));
