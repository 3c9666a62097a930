/* date.c - print the date and time
 *
 * Standard: POSIX XCU date. Oracle: coreutils 9.1.
 * Differs:  docs/divergences/date.md
 */
#include "builtins/choice.h"
#include "builtins/zone.h"
#include "kern/cmd.h"

struct date_opts {
    const char *date, *file, *reference, *set, *format;
    bool utc, resolution, debug;
};

static int set_format(struct wk_cmd *c, const char *format)
{
    struct date_opts *d = c->opts;
    if (d->format)
        wk_fail(c, 1, "multiple output formats specified");
    d->format = format;
    return 0;
}

static int take_iso(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    static const struct wk_choice words[] = {{"hours", 0},   {"minutes", 1}, {"date", 2},
                                             {"seconds", 3}, {"ns", 4},      {NULL, 0}};
    static const char *const formats[] = {"%Y-%m-%dT%H%:z", "%Y-%m-%dT%H:%M%:z", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%:z",
                                          "%Y-%m-%dT%H:%M:%S,%N%:z"};
    (void)o;
    return set_format(c, formats[arg ? wk_choice_read(c, "--iso-8601", arg, words) : 2]);
}

static int take_rfc3339(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    static const struct wk_choice words[] = {{"date", 0}, {"seconds", 1}, {"ns", 2}, {NULL, 0}};
    static const char *const formats[] = {"%Y-%m-%d", "%Y-%m-%d %H:%M:%S%:z", "%Y-%m-%d %H:%M:%S.%N%:z"};
    (void)o;
    return set_format(c, formats[wk_choice_read(c, "--rfc-3339", arg, words)]);
}

static int take_email(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    (void)o;
    (void)arg;
    return set_format(c, "%a, %d %b %Y %H:%M:%S %z");
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
    WK_FUNC_OPT(take_email, 0, 'R', "rfc-email", NULL, "output date and time in RFC 5322 format"),
    WK_FUNC_OPT(take_email, 0, 0, "rfc-822", NULL, "the same"),
    WK_FUNC_OPT(take_email, 0, 0, "rfc-2822", NULL, "the same"),
    WK_FUNC_OPT(take_rfc3339, 0, 0, "rfc-3339", "FMT",
                "output date/time in RFC 3339 format; FMT is date, seconds, or ns"),
    WK_STR_OPT(struct date_opts, reference, 'r', "reference", "FILE",
               "display the last modification time of FILE"),
    WK_STR_OPT(struct date_opts, set, 's', "set", "STRING", "set time described by STRING"),
    WK_FLAG(struct date_opts, utc, 'u', "utc", "print or set Coordinated Universal Time (UTC)"),
    WK_FLAG(struct date_opts, utc, 0, "universal", "the same"),
    WK_FLAG(struct date_opts, utc, 0, "uct", "the same"),
    WK_OPTS_END,
};

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

/* The format with %-N as the digits that the clock has, nine. */
static const char *with_resolution(struct wk_cmd *c, const char *format)
{
    char *copy = wk_dup(c, format);
    for (char *p = copy; *p; p++) {
        if (*p != '%')
            continue;
        if (p[1] == '-' && p[2] == 'N') {
            p[1] = '9';
            p += 2;
        } else {
            p += p[1] == '%';
        }
    }
    return copy;
}

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
        (void)wk_out_flush(p->c->out);
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

/* A newline at the end is read, too (--debug may tell of it), but not named. */
static void print_described(struct printer *p, char *text)
{
    struct wk_instant t;
    size_t n = strlen(text);
    wk_tick(p->c, (uint32_t)WK_MIN(n / 64 + 1, UINT32_MAX));
    if (wk_date_read(&p->reader, wk_str_c(text), &t) == 0) {
        print_time(p, t);
        return;
    }
    if (n && text[n - 1] == '\n')
        text[n - 1] = '\0';
    wk_msg(p->c, "invalid date %s", wk_quote_arg(p->c, text));
}

/* A directory has no lines, and nothing is said of it. */
static void print_file(struct printer *p, const char *path)
{
    struct wk_str line;
    struct wk_stat st;
    if (strcmp(path, "-") != 0 && wk_cmd_stat(p->c, path, true, &st) == 0 && WK_S_ISDIR(st.mode))
        return;
    struct wk_in *in = wk_in_open(p->c, path, true);
    while (in && wk_line_next(in, '\n', &line)) {
        char *text = (char *)wk_heap_alloc(p->c->heap, line.n + 2);
        memcpy(text, line.p, line.n);
        text[line.n] = in->no_newline ? '\0' : '\n';
        text[line.n + 1] = '\0';
        print_described(p, text);
        wk_heap_free(p->c->heap, text);
    }
    if (in && in != p->c->in)
        wk_in_close(in);
}

/* The operand: +FORMAT, or a time to set, which comes back. */
static const char *take_operand(struct wk_cmd *c, struct date_opts *o)
{
    bool other = o->set || o->date || o->file || o->reference || o->resolution;
    if (c->nargs > 1)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[1]));
    if (c->nargs == 0)
        return o->set;
    if (c->args[0][0] == '+') {
        (void)set_format(c, c->args[0] + 1);
        return o->set;
    }
    if (other)
        wk_usage(c,
                 "the argument %s lacks a leading '+';\nwhen using an option to specify "
                 "date(s), any non-option\n"
                 "argument must be a format string beginning with '+'",
                 wk_quote_arg(c, c->args[0]));
    return c->args[0];
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
    struct date_opts *o = c->opts;
    int sources = (o->date != NULL) + (o->file != NULL) + (o->reference != NULL) + o->resolution;
    if (sources > 1)
        wk_usage(c, "the options to specify dates for printing are mutually exclusive");
    if (o->set && sources)
        wk_usage(c, "the options to print and set the time may not be used together");
    const char *to_set = take_operand(c, o);
    struct printer p = {.c = c, .now = wk_cmd_now(c)};
    if (!o->format)
        o->format = o->resolution ? "%s.%N" : "%a %b %e %H:%M:%S %Z %Y";
    p.format = with_resolution(c, o->format);
    p.tz = o->utc ? wk_tz_utc() : wk_zone_of(c);
    p.b = wk_cmd_buf(c, 1 << 26);
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
        print_described(&p, wk_dup(c, o->date));
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
