/* nproc.c - print the number of processors
 *
 * Standard: GNU coreutils 9.1. Oracle: nproc.
 * Differs:  the virtual machine has one.
 */
#include "base/num.h"
#include "kern/cmd.h"

struct nproc_opts {
    bool all;
    uint64_t ignore;
};

static int set_ignored(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    int r = wk_parse_u64(wk_str_c(arg + strspn(arg, " \t\n\v\f\r")), 10, &((struct nproc_opts *)c->opts)->ignore);
    if (r)
        wk_fail(c, 1, "invalid number: %s%s", wk_quote_arg(c, arg),
                r == -WK_ERANGE ? ": Value too large for defined data type" : "");
    return 0;
}

static const struct wk_opt nproc_options[] = {
    WK_FLAG(struct nproc_opts, all, 0, "all", "print the number of installed processors"),
    WK_FUNC_OPT(set_ignored, 0, 0, "ignore", "N", "if possible, exclude N processing units"),
    WK_OPTS_END,
};

/* $OMP_NUM_THREADS and $OMP_THREAD_LIMIT; 0 when not usable. */
static uint64_t from_env(struct wk_cmd *c, const char *name)
{
    const char *text = wk_cmd_env(c, name);
    uint64_t v;
    if (!text)
        return 0;
    while (wk_is_space(*text))
        text++;
    size_t n = strcspn(text, ", ");
    return wk_parse_u64(wk_str(text, n), 10, &v) ? 0 : v;
}

static int nproc_main(struct wk_cmd *c)
{
    const struct nproc_opts *o = (const struct nproc_opts *)c->opts;
    uint64_t n = 1, ignore = o->ignore;
    if (c->nargs)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[0]));
    if (!o->all) {
        uint64_t threads = from_env(c, "OMP_NUM_THREADS"), limit = from_env(c, "OMP_THREAD_LIMIT");
        n = threads ? threads : n;
        if (limit && limit < n)
            n = limit;
    }
    wk_out_fmt(c->out, "%llu\n", (unsigned long long)(n > ignore ? n - ignore : 1));
    return 0;
}

WK_COMMAND(nproc, .summary = "print the number of processing units available",
           .usage = "nproc [OPTION]...", .std = "coreutils 9.1", .opts = nproc_options,
           .opts_size = sizeof(struct nproc_opts));
