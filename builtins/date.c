/* date.c - print the date and time
 *
 * Standard: POSIX XCU date. Oracle: coreutils 9.1.
 * Differs:  docs/divergences/date.md
 */
#include "builtins/zone.h"
#include "kern/cmd.h"

struct date_opts {
    const char *date, *file, *reference, *set, *iso, *rfc3339;
    bool has_iso, email, utc, resolution, debug;
};

static int take_iso(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    struct date_opts *d = c->opts;
    (void)o;
    d->has_iso = true;
    d->iso = arg;
    return 0;
}

static const struct wk_opt date_options[] = {
    WK_STR_OPT(struct date_opts, date, 'd', "date", "STRING",
               "display time described by STRING, not 'now'"),
    WK_FLAG(struct date_opts, debug, 0, "debug",
            "tell on standard error how dates are read, and of doubtful use"),
    WK_STR_OPT(struct date_opts, file, 'f', "file", "DATEFILE",
               "like --date; once for each line of DATEFILE"),
    WK_FUNC_OPT(take_iso, 0, 'I', "iso-8601", "[FMT",
                "output date/time in ISO 8601 format; FMT is date, hours, minutes, seconds, or ns"),
    WK_FLAG(struct date_opts, resolution, 0, "resolution",
            "output the available resolution of timestamps"),
    WK_FLAG(struct date_opts, email, 'R', "rfc-email", "output date and time in RFC 5322 format"),
    WK_FLAG(struct date_opts, email, 0, "rfc-822", "the same"),
    WK_FLAG(struct date_opts, email, 0, "rfc-2822", "the same"),
    WK_STR_OPT(struct date_opts, rfc3339, 0, "rfc-3339", "FMT",
               "output date/time in RFC 3339 format; FMT is date, seconds, or ns"),
    WK_STR_OPT(struct date_opts, reference, 'r', "reference", "FILE",
               "display the last modification time of FILE"),
    WK_STR_OPT(struct date_opts, set, 's', "set", "STRING", "set time described by STRING"),
    WK_FLAG(struct date_opts, utc, 'u', "utc", "print or set Coordinated Universal Time (UTC)"),
    WK_FLAG(struct date_opts, utc, 0, "universal", "the same"),
    WK_FLAG(struct date_opts, utc, 0, "uct", "the same"),
    WK_OPTS_END,
};

/* ---- formats
 * ---------------------------------------------------------------------------------------- */

/* FMT of -I or --rfc-3339, abbreviated or not. */
static const char *precision_format(struct wk_cmd *c, const char *option, const char *fmt, bool iso)
{
    static const struct {
        const char *name, *iso, *rfc;
    } rows[] = {{"date", "%Y-%m-%d", "%Y-%m-%d"},
                {"hours", "%Y-%m-%dT%H%:z", NULL},
                {"minutes", "%Y-%m-%dT%H:%M%:z", NULL},
                {"ns", "%Y-%m-%dT%H:%M:%S,%N%:z", "%Y-%m-%d %H:%M:%S.%N%:z"},
                {"seconds", "%Y-%m-%dT%H:%M:%S%:z", "%Y-%m-%d %H:%M:%S%:z"}};
    size_t n = fmt ? strlen(fmt) : 0;
    for (size_t i = 0; i < WK_COUNTOF(rows); i++)
        if (n && strncmp(rows[i].name, fmt, n) == 0 && (iso || rows[i].rfc))
            return iso ? rows[i].iso : rows[i].rfc;
    wk_msg(c,
           "invalid argument %s for '--%s'\nValid arguments are:", wk_quote_arg(c, fmt ? fmt : ""),
           option);
    static const char *const iso_names[] = {"hours", "minutes", "date", "seconds", "ns"};
    static const char *const rfc_names[] = {"date", "seconds", "ns"};
    size_t count = iso ? WK_COUNTOF(iso_names) : WK_COUNTOF(rfc_names);
    for (size_t i = 0; i < count; i++)
        wk_out_fmt(c->err, "  - '%s'\n", iso ? iso_names[i] : rfc_names[i]);
    wk_out_fmt(c->err, "Try '%s --help' for more information.\n", c->name);
    wk_exit(c, 1);
}

static const char *choose_format(struct wk_cmd *c, const struct date_opts *o, const char *given)
{
    int many = (given != NULL) + o->has_iso + o->email + (o->rfc3339 != NULL);
    if (many > 1)
        wk_fail(c, 1, "multiple output formats specified");
    if (given)
        return given;
    if (o->has_iso)
        return precision_format(c, "iso-8601", o->iso && *o->iso ? o->iso : "date", true);
    if (o->rfc3339)
        return precision_format(c, "rfc-3339", o->rfc3339, false);
    if (o->email)
        return "%a, %d %b %Y %H:%M:%S %z";
    return o->resolution ? "%s.%N" : "%a %b %e %H:%M:%S %Z %Y";
}

/* ---- printing
 * ----------------------------------------------------------------------------------------- */

struct printer {
    struct wk_cmd *c;
    const struct wk_tz *tz;
    const char *format;
    struct wk_buf *b;
    int64_t now;
    struct wk_date_reader reader;
    bool debug, has_epoch; /* has_epoch: the format has %s */
};

/* %s with any flags. */
static bool shows_epoch(const char *format)
{
    for (const char *p = strchr(format, '%'); p; p = strchr(p, '%')) {
        p++;
        p += strspn(p, "-_0+^#0123456789:");
        if (*p == 's')
            return true;
        p += *p == '%';
    }
    return false;
}

static void say(void *ctx, struct wk_str line)
{
    struct wk_cmd *c = ctx;
    wk_out_fmt(c->err, "%s: %.*s\n", c->name, (int)line.n, line.p);
}

static void print_time(struct printer *p, struct wk_instant t)
{
    struct wk_tm tm;
    if (p->debug)
        wk_out_fmt(p->c->err, "%s: output format: %s\n", p->c->name, wk_quote_arg(p->c, p->format));
    if (!wk_tz_local(p->tz, t, &tm) || !wk_tm_fits(&tm)) {
        wk_msg(p->c, "time '%lld' is out of range", (long long)t.sec);
        return;
    }
    wk_instant_text(p->c, p->b, p->tz, wk_str_c(p->format), t);
    wk_out_str(p->c->out, wk_buf_str(p->b));
    wk_out_char(p->c->out, '\n');
    if (p->has_epoch) /* the real one asks mktime for it, which remembers the offset */
        p->reader.guess = -tm.gmtoff;
}

static void print_described(struct printer *p, const char *text)
{
    struct wk_instant t;
    if (wk_date_read(&p->reader, wk_str_c(text), &t) == 0)
        print_time(p, t);
    else
        wk_msg(p->c, "invalid date %s", wk_quote_arg(p->c, text));
}

static void print_file(struct printer *p, const char *path)
{
    struct wk_str line;
    struct wk_in *in = wk_in_open(p->c, path, true);
    while (in && wk_line_next(in, '\n', &line))
        print_described(p, wk_dupn(p->c, line.p, line.n));
    if (in && in != p->c->in)
        wk_in_close(in);
}

/* The operand: +FORMAT, or a time to set. */
static const char *take_operand(struct wk_cmd *c, const struct date_opts *o, const char **to_set)
{
    const char *format = NULL;
    *to_set = o->set;
    for (int i = 0; i < c->nargs; i++) {
        if (c->args[i][0] == '+' && !format) {
            format = c->args[i] + 1;
            continue;
        }
        if (format || *to_set || o->date || o->file || o->reference) {
            if (format || c->args[i][0] == '+')
                wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[i]));
            wk_usage(c,
                     "the argument %s lacks a leading '+';\nwhen using an option to specify "
                     "date(s), any non-option\n"
                     "argument must be a format string beginning with '+'",
                     wk_quote_arg(c, c->args[i]));
        }
        *to_set = c->args[i];
    }
    return format;
}

static int refuse_to_set(struct printer *p, const struct date_opts *o, const char *to_set)
{
    struct wk_instant t;
    bool ok = o->set ? wk_date_read(&p->reader, wk_str_c(to_set), &t) == 0
                     : wk_date_posix(wk_str_c(to_set), true, wk_instant_of(p->now), p->tz, &t) == 0;
    if (!ok)
        wk_fail(p->c, 1, "invalid date %s", wk_quote_arg(p->c, to_set));
    wk_msg(p->c, "cannot set date: %s", wk_err_text(WK_EPERM));
    print_time(p, t);
    return 1;
}

static int date_main(struct wk_cmd *c)
{
    const struct date_opts *o = c->opts;
    const char *to_set;
    if ((o->date != NULL) + (o->file != NULL) + (o->reference != NULL) + o->resolution > 1)
        wk_usage(c, "the options to specify dates for printing are mutually exclusive");
    const char *given = take_operand(c, o, &to_set);
    struct printer p = {.c = c, .now = wk_cmd_now(c)};
    p.format = choose_format(c, o, given);
    p.tz = o->utc ? wk_tz_utc() : wk_zone_of(c);
    p.b = wk_cmd_buf(c, 1 << 20);
    p.debug = o->debug;
    p.has_epoch = shows_epoch(p.format);
    p.reader = wk_zone_reader(c, p.tz);
    p.reader.now = wk_instant_of(p.now);
    p.reader.tz_text = o->utc ? "UTC0" : wk_cmd_env(c, "TZ");
    p.reader.say = o->debug ? say : NULL;
    p.reader.line = o->debug ? wk_cmd_buf(c, 1 << 20) : NULL;
    if (to_set)
        return refuse_to_set(&p, o, to_set);
    if (o->file) {
        print_file(&p, o->file);
    } else if (o->date) {
        print_described(&p, o->date);
    } else if (o->reference) {
        struct wk_stat st;
        int err = wk_cmd_stat(c, o->reference, true, &st);
        if (err)
            wk_warn(c, o->reference, err);
        else
            print_time(&p, wk_instant_of(st.mtim));
    } else {
        print_time(&p, wk_instant_of(o->resolution ? 1 : p.now));
    }
    return c->status;
}

WK_COMMAND(
    date, .summary = "display date and time in the given FORMAT",
    .usage = "date [OPTION]... [+FORMAT]\ndate [-u|--utc|--universal] [MMDDhhmm[[CC]YY][.ss]]",
    .std = "coreutils 9.1", .opts = date_options, .opts_size = sizeof(struct date_opts));
