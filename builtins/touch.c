/* touch.c - change file times
 *
 * Standard: GNU coreutils 9.1. Oracle: touch.
 */
#include "builtins/choice.h"
#include "builtins/fsops.h"
#include "builtins/zone.h"

struct touch_opts {
    bool access, no_create, ignored, no_follow, modify;
    const char *date, *reference, *stamp, *time;
};

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
    WK_STR_OPT(struct touch_opts, stamp, 't', NULL, "STAMP",
               "use [[CC]YY]MMDDhhmm[.ss] instead of current time"),
    WK_STR_OPT(struct touch_opts, time, 0, "time", "WORD",
               "change the specified time:\nWORD is access, atime, or use: equivalent to -a\n"
               "WORD is modify or mtime: equivalent to -m"),
    WK_OPTS_END,
};

static void touch_one(struct wk_cmd *c, const struct touch_opts *o, const char *path, int64_t atim,
                      int64_t mtim)
{
    int err = 0, open_err = 0;
    if (strcmp(path, "-") == 0) {
        return; /* standard output: its times are its writer's */
    }
    if (!o->no_create && !o->no_follow) {
        struct wk_stat st;
        struct wk_file *f;
        open_err = wk_at_stat(c, NULL, path, true, &st);
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

static int touch_main(struct wk_cmd *c)
{
    static const struct wk_choice times[] = {{"atime", 1},  {"access", 1}, {"use", 1},
                                             {"mtime", 2},  {"modify", 2}, {NULL, 0}};
    const struct touch_opts *o = (const struct touch_opts *)c->opts;
    int which = (o->access ? 1 : 0) | (o->modify ? 2 : 0);
    int64_t atim = WK_TIME_NOW, mtim = WK_TIME_NOW;
    if (o->time)
        which |= wk_choice_read(c, "--time", o->time, times);
    const struct wk_tz *tz = o->stamp || o->date ? wk_zone_of(c) : NULL;
    struct wk_instant stamp = {0};
    if (o->stamp && wk_date_posix(wk_str_c(o->stamp), false, wk_instant_of(wk_cmd_now(c)), tz, &stamp))
        wk_fail(c, 1, "invalid date format %s", wk_quote_arg(c, o->stamp));
    if (o->stamp && (o->date || o->reference))
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
    if (o->date) {
        int64_t now = wk_cmd_now(c);
        if (!wk_zone_parse(c, tz, o->date, o->reference ? atim : now, &atim) ||
            !wk_zone_parse(c, tz, o->date, o->reference ? mtim : now, &mtim))
            wk_fail(c, 1, "invalid date format %s", wk_quote(c, o->date));
    }
    if (o->stamp)
        atim = mtim = wk_instant_ns(stamp);
    if (which == 1)
        mtim = WK_TIME_OMIT;
    if (which == 2)
        atim = WK_TIME_OMIT;
    if (c->nargs == 0)
        wk_usage(c, "missing file operand");
    for (int i = 0; i < c->nargs; i++)
        touch_one(c, o, c->args[i], atim, mtim);
    return c->status;
}

WK_COMMAND(touch, .summary = "update the access and modification times of each FILE",
           .usage = "touch [OPTION]... FILE...", .std = "coreutils 9.1", .opts = touch_options,
           .opts_size = sizeof(struct touch_opts));
