/* uptime.c - tell how long the session has been there
 *
 * Standard: procps 4.0.2. Oracle: uptime.
 */
#include "builtins/proctable.h"
#include "builtins/zone.h"

struct uptime_opts {
    bool pretty;
};

/* "up 2 weeks, 1 day, 3 hours, 5 minutes": parts that are 0 are left out, but not all of them. */
static void put_pretty(struct wk_cmd *c, uint64_t up)
{
    static const struct {
        const char *one, *many;
        uint64_t seconds, below;
    } units[] = {{"decade", "decades", 315360000, UINT64_MAX},
                 {"year", "years", 31536000, 10},
                 {"week", "weeks", 604800, 52},
                 {"day", "days", 86400, 7},
                 {"hour", "hours", 3600, 24},
                 {"minute", "minutes", 60, 60}};
    bool any = false;
    wk_out_c(c->out, "up ");
    for (size_t i = 0; i < WK_COUNTOF(units); i++) {
        uint64_t v = up / units[i].seconds;
        up -= v * units[i].seconds;
        bool last = i + 1 == WK_COUNTOF(units);
        if (!v && !(last && !any))
            continue;
        wk_out_fmt(c->out, "%s%llu %s", any ? ", " : "", (unsigned long long)v,
                   v == 1 ? units[i].one : units[i].many);
        any = true;
    }
    wk_out_char(c->out, '\n');
}

/* At once: what comes behind it is not looked at. */
static int put_since(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    (void)o;
    (void)arg;
    struct wk_buf *b = wk_cmd_buf(c, 4096);
    int64_t start = wk_cmd_now(c) / 1000000000 - (int64_t)wk_proc_uptime(c);
    wk_zone_text(c, b, wk_zone_of(c), WK_STR("%Y-%m-%d %H:%M:%S"), start * 1000000000);
    wk_out_fmt(c->out, "%s\n", wk_buf_c(b));
    wk_exit(c, 0);
}

static int uptime_main(struct wk_cmd *c)
{
    const struct uptime_opts *o = (const struct uptime_opts *)c->opts;
    if (c->nargs) {
        wk_out_fmt(c->err, "\nUsage:\n %s\n", c->command->usage);
        return 1;
    }
    if (o->pretty)
        put_pretty(c, wk_proc_uptime(c));
    else
        wk_out_fmt(c->out, "%s\n", wk_proc_uptime_line(c));
    return 0;
}

static const struct wk_opt uptime_options[] = {
    WK_FLAG(struct uptime_opts, pretty, 'p', "pretty", "only how long, in words"),
    WK_FUNC_OPT(put_since, 0, 's', "since", NULL, "only since when"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "what --help prints"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "what --version prints"),
    WK_OPTS_END,
};

WK_COMMAND(uptime, .summary = "tell how long the session has been there",
           .usage = "uptime [options]", .std = "procps 4.0.2", .opts = uptime_options,
           .opts_size = sizeof(struct uptime_opts));
