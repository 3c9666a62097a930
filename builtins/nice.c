/* nice.c - run a program with another niceness
 *
 * Standard: GNU coreutils 9.1. Oracle: nice.
 * Differs:  docs/divergences/nice.md
 */
#include "base/num.h"
#include "builtins/launch.h"

struct nice_opts {
    const char *adjustment;
};

static const struct wk_opt nice_options[] = {
    WK_STR_OPT(struct nice_opts, adjustment, 'n', "adjustment", "N", "add integer N to the niceness (default 10)"),
    WK_OPTS_END,
};

/* -5, --5 and -+5: the digits and what is in front of them are the adjustment. */
static int take_historic(struct wk_cmd *c, int at)
{
    const char *a = c->argv[at];
    const char *digits = a + 1 + (a[1] == '-' || a[1] == '+');
    if (a[0] != '-' || *digits < '0' || *digits > '9')
        return 0;
    ((struct nice_opts *)c->opts)->adjustment = a + 1;
    return 1;
}

static int64_t read_adjustment(struct wk_cmd *c, const char *text)
{
    int64_t v;
    const char *p = text;
    while (wk_is_space(*p))
        p++;
    int r = wk_parse_i64(wk_str_c(p), 10, &v);
    if (r == -WK_EINVAL)
        wk_fail(c, 125, "invalid adjustment %s", wk_quote_arg(c, text));
    return v;
}

static int nice_main(struct wk_cmd *c)
{
    const struct nice_opts *o = (const struct nice_opts *)c->opts;
    int64_t by = o->adjustment ? read_adjustment(c, o->adjustment) : 10;
    if (!c->nargs) {
        if (o->adjustment)
            wk_usage(c, "a command must be given with an adjustment");
        wk_out_c(c->out, "0\n");
        return c->status;
    }
    if (by < 0 && c->proc->cred.uid != 0)
        wk_msg(c, "cannot set niceness: Permission denied");
    (void)wk_out_flush(c->err);
    wk_launch(c, c->args, c->nargs, NULL, "", wk_quote_arg);
}

WK_COMMAND(nice, .summary = "run COMMAND with an adjusted niceness, or print the current niceness",
           .usage = "nice [OPTION] [COMMAND [ARG]...]", .std = "coreutils 9.1", .opts = nice_options,
           .opts_size = sizeof(struct nice_opts), .flags = WK_CMD_NO_PERMUTE, .usage_status = 125,
           .old_style = take_historic, .help = "Nicenesses go from -20 (most favourable) to 19 (least).\n");
