/* printenv.c - print the environment or single variables of it
 *
 * Standard: GNU coreutils 9.1. Oracle: printenv.
 */
#include "kern/cmd.h"

struct printenv_opts {
    bool nul;
};

static const struct wk_opt printenv_options[] = {
    WK_FLAG(struct printenv_opts, nul, '0', "null", "end each output line with NUL, not newline"),
    WK_OPTS_END,
};

static int printenv_main(struct wk_cmd *c)
{
    const struct printenv_opts *o = (const struct printenv_opts *)c->opts;
    const char end = o->nul ? '\0' : '\n';
    const struct wk_env *e = c->proc->env;
    if (c->nargs == 0) {
        const char **v = wk_env_strings(c);
        for (uint32_t i = 0; e && i < e->n; i++) {
            wk_out_c(c->out, v[i]);
            wk_out_char(c->out, end);
        }
        return 0;
    }
    for (int i = 0; i < c->nargs; i++) {
        const char *value = strchr(c->args[i], '=') ? NULL : wk_cmd_env(c, c->args[i]);
        if (!value) {
            c->status = 1;
            continue;
        }
        wk_out_c(c->out, value);
        wk_out_char(c->out, end);
    }
    return c->status;
}

WK_COMMAND(printenv, .summary = "print all or part of environment",
           .usage = "printenv [OPTION]... [VARIABLE]...", .std = "coreutils 9.1",
           .opts = printenv_options, .opts_size = sizeof(struct printenv_opts), .usage_status = 2,
           .flags = WK_CMD_NO_PERMUTE);
