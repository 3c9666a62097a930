/* uptime.c - tell how long the session has been there
 *
 * Standard: procps 4.0.2. Oracle: uptime.
 */
#include "builtins/proctable.h"
#include "builtins/zone.h"

struct uptime_opts {
    bool pretty, since;
};

static const struct wk_opt uptime_options[] = {
    WK_FLAG(struct uptime_opts, pretty, 'p', "pretty", "only how long, in words"),
    WK_FLAG(struct uptime_opts, since, 's', "since", "only since when"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "what --help prints"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "what --version prints"),
    WK_OPTS_END,
};

static uint64_t read_seconds(struct wk_cmd *c)
{
    size_t n;
    char *text = wk_proc_text(c, "/proc/uptime", &n);
    if (!n)
        wk_fail(c, 1, "/proc is not mounted");
    uint64_t v = wk_proc_number(text, "", 10);
    wk_heap_free(c->heap, text);
    return v;
}

/* "up 2 weeks, 1 day, 3 hours, 5 minutes": parts that are 0 are left out, but not all of them. */
static void put_pretty(struct wk_cmd *c, uint64_t up)
{
    static const struct {
        const char *one, *many;
        uint64_t seconds, below;
    } units[] = {{"decade", "decades", 315360000, UINT64_MAX}, {"year", "years", 31536000, 10},
                 {"week", "weeks", 604800, 52},               {"day", "days", 86400, 7},
                 {"hour", "hours", 3600, 24},                 {"minute", "minutes", 60, 60}};
    bool any = false;
    wk_out_c(c->out, "up ");
    for (size_t i = 0; i < WK_COUNTOF(units); i++) {
        uint64_t v = up / units[i].seconds;
        up -= v * units[i].seconds;
        bool last = i + 1 == WK_COUNTOF(units);
        if (!v && !(last && !any))
            continue;
        wk_out_fmt(c->out, "%s%llu %s", any ? ", " : "", (unsigned long long)v, v == 1 ? units[i].one : units[i].many);
        any = true;
    }
    wk_out_char(c->out, '\n');
}

static void put_line(struct wk_cmd *c, uint64_t up, struct wk_buf *b)
{
    size_t n;
    uint64_t days = up / 86400, hours = up / 3600 % 24, minutes = up / 60 % 60;
    wk_zone_text(c, b, wk_zone_of(c), WK_STR(" %H:%M:%S up "), wk_cmd_now(c));
    wk_out_str(c->out, wk_buf_str(b));
    if (days)
        wk_out_fmt(c->out, "%llu %s, ", (unsigned long long)days, days == 1 ? "day" : "days");
    if (hours)
        wk_out_fmt(c->out, "%2u:%02u, ", (unsigned)hours, (unsigned)minutes);
    else
        wk_out_fmt(c->out, "%u min, ", (unsigned)minutes);
    char *load = wk_proc_text(c, "/proc/loadavg", &n);
    size_t at[3], len = 0;
    for (size_t i = 0; i < 3; i++) {
        at[i] = strcspn(load + len, " \n");
        len += at[i] + (load[len + at[i]] == ' ');
    }
    wk_out_fmt(c->out, " 0 user,  load average: %.*s, %.*s, %.*s\n", (int)at[0], load, (int)at[1], load + at[0] + 1,
               (int)at[2], load + at[0] + at[1] + 2);
}

static int uptime_main(struct wk_cmd *c)
{
    const struct uptime_opts *o = (const struct uptime_opts *)c->opts;
    if (c->nargs) {
        wk_out_fmt(c->err, "\nUsage:\n %s\n", c->command->usage);
        return 1;
    }
    uint64_t up = read_seconds(c);
    struct wk_buf *b = wk_cmd_buf(c, 4096);
    if (o->since) {
        int64_t start = wk_cmd_now(c) / 1000000000 - (int64_t)up;
        wk_zone_text(c, b, wk_zone_of(c), WK_STR("%Y-%m-%d %H:%M:%S"), start * 1000000000);
        wk_out_fmt(c->out, "%s\n", wk_buf_c(b));
    } else if (o->pretty) {
        put_pretty(c, up);
    } else {
        put_line(c, up, b);
    }
    return 0;
}

WK_COMMAND(uptime, .summary = "tell how long the session has been there", .usage = "uptime [options]",
           .std = "procps 4.0.2", .opts = uptime_options, .opts_size = sizeof(struct uptime_opts));
