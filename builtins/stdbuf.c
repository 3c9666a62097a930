/* stdbuf.c - run a program with other buffering of its streams
 *
 * Standard: GNU coreutils 9.1. Oracle: stdbuf.
 * Differs:  docs/divergences/stdbuf.md
 */
#include "base/num.h"
#include "builtins/launch.h"

struct stdbuf_opts {
    bool any;
};

static int set_mode(struct wk_cmd *c, const struct wk_opt *opt, const char *text)
{
    uint64_t size;
    ((struct stdbuf_opts *)c->opts)->any = true;
    const char *p = text;
    while (wk_is_space(*p))
        p++;
    if (opt->value == 'i' && *p == 'L')
        wk_usage(c, "line buffering stdin is meaningless");
    if (strcmp(p, "L") == 0)
        return 0;
    p += *p == '+';
    bool bare = *p && !(*p >= '0' && *p <= '9') && *p != '-';
    int r = wk_parse_size(wk_str_c(bare ? wk_strf(c, "1%s", p) : p), false, &size);
    if (r == -WK_EINVAL || strchr(p, 'm') || strchr(p, 'g'))
        wk_fail(c, 125, "invalid mode %s", wk_quote_arg(c, text));
    if (r)
        wk_fail(c, 125, "invalid mode %s: Value too large for defined data type", wk_quote_arg(c, text));
    return 0;
}

static const struct wk_opt stdbuf_options[] = {
    WK_FUNC_OPT(set_mode, 'i', 'i', "input", "MODE", "adjust standard input stream buffering"),
    WK_FUNC_OPT(set_mode, 'o', 'o', "output", "MODE", "adjust standard output stream buffering"),
    WK_FUNC_OPT(set_mode, 'e', 'e', "error", "MODE", "adjust standard error stream buffering"),
    WK_OPTS_END,
};

static int stdbuf_main(struct wk_cmd *c)
{
    if (!c->nargs)
        wk_usage(c, "missing operand");
    if (!((const struct stdbuf_opts *)c->opts)->any)
        wk_usage(c, "you must specify a buffering mode option");
    wk_launch(c, c->args, c->nargs, NULL, "failed to run command ", wk_quote_arg);
}

WK_COMMAND(stdbuf, .summary = "run COMMAND, with modified buffering operations for its standard streams",
           .usage = "stdbuf OPTION... COMMAND", .std = "coreutils 9.1", .opts = stdbuf_options,
           .opts_size = sizeof(struct stdbuf_opts), .flags = WK_CMD_NO_PERMUTE, .usage_status = 125,
           .help = "MODE is L for line buffered (not for input), 0 for unbuffered, or a size in bytes, which may be\n"
                   "followed by KB 1000, K 1024, MB 1000*1000, M 1024*1024, and so on for G, T, P, E, Z, Y.\n"
                   "Commands here write by themselves and their buffering stays as it is.\n");
