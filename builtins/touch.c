/* touch.c - change file times
 *
 * Standard: GNU coreutils 9.1. Oracle: touch.
 */
#include "base/num.h"
#include "builtins/choice.h"
#include "builtins/fsops.h"
#include "builtins/zone.h"

struct touch_opts {
    bool access, no_create, ignored, no_follow, modify;
    const char *date, *reference;
    bool stamped;
    int64_t stamp; /* of -t */
};

static int take_stamp(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct touch_opts *o = (struct touch_opts *)c->opts;
    struct wk_instant t;
    (void)opt;
    if (wk_date_posix(wk_str_c(arg), false, wk_instant_of(wk_cmd_now(c)), wk_zone_of(c), &t))
        wk_fail(c, 1, "invalid date format %s", wk_quote_arg(c, arg));
    o->stamped = true;
    o->stamp = wk_instant_ns(t);
    return 0;
}

/* --time adds to -a and -m. */
static int take_time(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice times[] = {{"atime", 1},  {"access", 1}, {"use", 1},
                                             {"mtime", 2},  {"modify", 2}, {NULL, 0}};
    struct touch_opts *o = (struct touch_opts *)c->opts;
    (void)opt;
    if (wk_choice_read(c, "--time", arg, times) == 1)
        o->access = true;
    else
        o->modify = true;
    return 0;
}

static const struct wk_opt touch_options[] = {
    WK_FLAG(struct touch_opts, access, 'a', NULL, "change only the access time"),
    WK_FLAG(struct touch_opts, no_create, 'c', "no-create", "do not create any files"),
    WK_STR_OPT(struct touch_opts, date, 'd', "date", "STRING",
               "parse STRING and use it instead of current time"),
    WK_FLAG(struct touch_opts, ignored, 'f', NULL, "(ignored)"),
    WK_FLAG(struct touch_opts, no_follow, 'h', "no-dereference",
            "affect each symbolic link instead of any referenced\nfile"),
    WK_FLAG(struct touch_opts, modify, 'm', NULL, "change only the modification time"),
    WK_STR_OPT(struct touch_opts, reference, 'r', "reference", "FILE",
               "use this file's times instead of current time"),
    WK_FUNC_OPT(take_stamp, 0, 't', NULL, "STAMP",
                "use [[CC]YY]MMDDhhmm[.ss] instead of current time"),
    WK_FUNC_OPT(take_time, 0, 0, "time", "WORD",
                "change the specified time:\nWORD is access, atime, or use: equivalent to -a\n"
                "WORD is modify or mtime: equivalent to -m"),
    WK_OPTS_END,
};

static void touch_output(struct wk_cmd *c, const struct touch_opts *o, int64_t atim, int64_t mtim)
{
    struct wk_file *f = c->out->file;
    int err = f ? wk_file_utimens(c, f, atim, mtim) : WK_EBADF;
    if (err && !(err == WK_EBADF && o->no_create))
        wk_msg(c, "setting times of %s: %s", wk_quote(c, "-"), wk_err_text(err));
}

static void touch_one(struct wk_cmd *c, const struct touch_opts *o, const char *path, int64_t atim,
                      int64_t mtim)
{
    int err = 0, open_err = 0;
    if (strcmp(path, "-") == 0) {
        touch_output(c, o, atim, mtim);
        return;
    }
    if (!o->no_create && !o->no_follow) {
        struct wk_stat st;
        struct wk_file *f;
        open_err = wk_at_stat(c, NULL, path, true, &st);
        if (!open_err && !WK_S_ISDIR(st.mode))
            open_err = wk_at_access(c, NULL, path, WK_W_OK);
        if (open_err == WK_ENOENT) {
            open_err = wk_cmd_open(c, path, WK_O_WRONLY | WK_O_CREAT, 0666, &f);
            if (!open_err) {
                (void)wk_out_close(wk_out_of(c, f));
                if (atim == WK_TIME_NOW && mtim == WK_TIME_NOW)
                    return;
            }
        }
    }
    size_t n = strlen(path);
    if (open_err == WK_ENOTDIR && n && path[n - 1] == '/')
        open_err = WK_EISDIR; /* as open(2) says it */
    err = wk_at_utimens(c, NULL, path, !o->no_follow, atim, mtim);
    if (!err || (err == WK_ENOENT && o->no_create))
        return;
    if (open_err && open_err != WK_EISDIR)
        wk_msg(c, "cannot touch %s: %s", wk_quote(c, path), wk_err_text(open_err));
    else
        wk_msg(c, "setting times of %s: %s", wk_quote(c, path), wk_err_text(err));
}

/* By the standard of 1992 the first of several operands may be MMDDhhmm[YY], of the years 1969 to 1999. */
static bool old_stamp(struct wk_cmd *c, int64_t *when)
{
    const char *version = wk_cmd_env(c, "_POSIX2_VERSION"), *text = c->nargs > 1 ? c->args[0] : "";
    size_t n = strlen(text);
    struct wk_instant t;
    struct wk_tm tm;
    int64_t v;
    int err;
    const struct wk_tz *tz = wk_zone_of(c);
    if (!version || wk_scan_i64(wk_str_c(version), 10, &v, &err) != strlen(version) || !*version || v >= 200112 ||
        (n != 8 && n != 10) || (n == 10 && (text[8] < '6' || (text[8] == '6' && text[9] != '9'))) ||
        wk_date_posix(wk_str_c(text), true, wk_instant_of(wk_cmd_now(c)), tz, &t) || !wk_tz_local(tz, t, &tm))
        return false;
    if (!wk_cmd_env(c, "POSIXLY_CORRECT"))
        wk_out_fmt(c->err, "%s: warning: 'touch %s' is obsolete; use 'touch -t %04lld%02d%02d%02d%02d.%02d'\n",
                   c->name, text, (long long)tm.year, (int)tm.mon, tm.mday, tm.hour, tm.min, tm.sec);
    *when = wk_instant_ns(t);
    return true;
}

static int touch_main(struct wk_cmd *c)
{
    const struct touch_opts *o = (const struct touch_opts *)c->opts;
    int which = (o->access ? 1 : 0) | (o->modify ? 2 : 0), first = 0;
    int64_t atim = WK_TIME_NOW, mtim = WK_TIME_NOW;
    if (o->stamped && (o->date || o->reference))
        wk_usage(c, "cannot specify times from more than one source");
    if (o->reference) {
        struct wk_stat st;
        int err = wk_at_stat(c, NULL, o->reference, !o->no_follow, &st);
        if (err)
            wk_fail(c, 1, "failed to get attributes of %s: %s", wk_quote(c, o->reference),
                    wk_err_text(err));
        atim = st.atim;
        mtim = st.mtim;
    }
    if (o->date) { /* one reader: the first reading leaves a guess to the second */
        struct wk_date_reader r = wk_zone_reader(c, wk_zone_of(c));
        int64_t when[2] = {0, 0};
        for (int i = 0; i < (o->reference ? 2 : 1); i++) {
            struct wk_instant t;
            if (o->reference)
                r.now = wk_instant_of(i == 0 ? atim : mtim);
            if (wk_date_read(&r, wk_str_c(o->date), &t))
                wk_fail(c, 1, "invalid date format %s", wk_quote_arg(c, o->date));
            when[i] = wk_instant_ns(t);
        }
        atim = when[0];
        mtim = o->reference ? when[1] : when[0];
    }
    if (o->stamped)
        atim = mtim = o->stamp;
    if (!o->stamped && !o->date && !o->reference && old_stamp(c, &atim)) {
        mtim = atim;
        first = 1;
    }
    if (which == 1)
        mtim = WK_TIME_OMIT;
    if (which == 2)
        atim = WK_TIME_OMIT;
    if (c->nargs == 0)
        wk_usage(c, "missing file operand");
    for (int i = first; i < c->nargs; i++)
        touch_one(c, o, c->args[i], atim, mtim);
    return c->status;
}

WK_COMMAND(touch, .summary = "update the access and modification times of each FILE",
           .usage = "touch [OPTION]... FILE...", .std = "coreutils 9.1", .opts = touch_options,
           .opts_size = sizeof(struct touch_opts));
