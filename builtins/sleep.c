/* sleep.c - wait for some time
 *
 * Standard: GNU coreutils 9.1. Oracle: sleep.
 */
#include "base/fnum.h"
#include "kern/cmd.h"

/* Nanoseconds of NUMBER[smhd]; false when the text is none. */
static bool read_interval(const char *text, int64_t *ns)
{
    long double v;
    int err;
    while (wk_is_space(*text))
        text++;
    size_t used = wk_scan_ldouble(wk_str_c(text), &v, &err);
    const char *unit = text + used;
    if (used == 0 || !(v >= 0) || (*unit && (unit[1] || !strchr("smhd", *unit))))
        return false;
    v *= *unit == 'm' ? 60e9L : *unit == 'h' ? 3600e9L : *unit == 'd' ? 86400e9L : 1e9L;
    if (v >= (long double)INT64_MAX) {
        *ns = INT64_MAX;
        return true;
    }
    *ns = (int64_t)v;
    *ns += (long double)*ns < v; /* never less than asked for */
    return true;
}

static int sleep_main(struct wk_cmd *c)
{
    int64_t total = 0;
    bool ok = true;
    if (c->nargs == 0)
        wk_usage(c, "missing operand");
    for (int i = 0; i < c->nargs; i++) {
        int64_t ns;
        if (!read_interval(c->args[i], &ns)) {
            wk_msg(c, "invalid time interval %s", wk_quote_arg(c, c->args[i]));
            ok = false;
        } else if (__builtin_add_overflow(total, ns, &total)) {
            total = INT64_MAX;
        }
    }
    if (!ok) {
        wk_out_fmt(c->err, "Try '%s --help' for more information.\n", c->name);
        return 1;
    }
    do
        wk_cmd_sleep(c, total); /* a sleep without end is made of the longest that there are */
    while (total == INT64_MAX);
    return 0;
}

WK_COMMAND(sleep, .summary = "delay for a specified amount of time",
           .usage = "sleep NUMBER[SUFFIX]...\nsleep OPTION", .std = "coreutils 9.1",
           .help = "SUFFIX may be 's' for seconds (the default), 'm' for minutes, 'h' for hours or\n"
                   "'d' for days. NUMBER need not be an integer. Given two or more arguments, pause\n"
                   "for the amount of time specified by the sum of their values.\n");
