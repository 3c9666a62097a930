/* tail.c - the last part of files
 *
 * Standard: GNU coreutils 9.1. Oracle: tail.
 * Differs:  files are looked at ten times a second unless -s says otherwise.
 */
#include "builtins/tail.h"
#include "base/fnum.h"
#include "base/num.h"
#include "builtins/choice.h"

static int set_count(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct wk_tail_opts *o = (struct wk_tail_opts *)c->opts;
    o->bytes = opt->value == 'c';
    o->given = true;
    o->from_start = o->from_start || *arg == '+'; /* as in GNU, for good */
    arg += *arg == '-';
    const char *text = arg + strspn(arg, " \t\n\v\f\r");
    int r = wk_parse_size(wk_str_c(text), true, &o->count);
    if (r)
        wk_fail(c, 1, "invalid number of %s: %s%s", o->bytes ? "bytes" : "lines",
                wk_quote_arg(c, arg),
                r == -WK_ERANGE ? ": Value too large for defined data type" : "");
    return 0;
}

/* -f, -F and --follow[=HOW]: the last one says how. */
static int set_follow(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice hows[] = {
        {"descriptor", WK_TAIL_DESCRIPTOR}, {"name", WK_TAIL_NAME}, {NULL, 0}};
    struct wk_tail_opts *o = (struct wk_tail_opts *)c->opts;
    o->follow = arg                ? wk_choice_read(c, "--follow", arg, hows)
                : opt->value == 'F' ? WK_TAIL_NAME
                                    : WK_TAIL_DESCRIPTOR;
    o->retry = o->retry || opt->value == 'F';
    return 0;
}

static int set_interval(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct wk_tail_opts *o = (struct wk_tail_opts *)c->opts;
    double v;
    int err;
    (void)opt;
    const char *p = arg + strspn(arg, " \t\n\v\f\r");
    size_t n = wk_scan_double(wk_str_c(p), &v, &err);
    if (n == 0 || p[n] || !(v >= 0))
        wk_fail(c, 1, "invalid number of seconds: %s", wk_quote_arg(c, arg));
    o->interval_ns = v < 9e9 ? (int64_t)(v * 1e9) : INT64_MAX;
    o->has_interval = true;
    return 0;
}

static int set_number(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct wk_tail_opts *o = (struct wk_tail_opts *)c->opts;
    uint64_t v;
    const char *p = arg + strspn(arg, " \t\n\v\f\r");
    int r = wk_parse_u64(wk_str_c(p), 10, &v);
    if (!r && opt->value == 'p' && v > INT32_MAX)
        r = -WK_ERANGE;
    if (r)
        wk_fail(c, 1, "invalid %s: %s%s",
                opt->value == 'p' ? "PID" : "maximum number of unchanged stats between opens",
                wk_quote_arg(c, arg),
                r == -WK_ERANGE ? ": Value too large for defined data type" : "");
    if (opt->value == 'p') {
        o->pid = (int64_t)v;
        o->has_pid = true;
    } else {
        o->max_unchanged = (int64_t)(v & INT64_MAX);
    }
    return 0;
}

static const struct wk_opt tail_options[] = {
    WK_FUNC_OPT(set_count, 'c', 'c', "bytes", "NUM",
                "output the last NUM bytes; or use -c +NUM to\noutput starting with byte NUM of "
                "each file"),
    WK_FUNC_OPT(set_follow, 0, 0, "follow", "[{name|descriptor}",
                "output appended data as the file grows;\nan absent option argument means "
                "'descriptor'"),
    WK_FUNC_OPT(set_follow, 'f', 'f', NULL, NULL, "the same as --follow=descriptor"),
    WK_FUNC_OPT(set_follow, 'F', 'F', NULL, NULL, "same as --follow=name --retry"),
    WK_FUNC_OPT(set_count, 'n', 'n', "lines", "NUM",
                "output the last NUM lines, instead of the last 10;\nor use -n +NUM to output "
                "starting with line NUM"),
    WK_FUNC_OPT(set_number, 'm', 0, "max-unchanged-stats", "N", "(accepted, not needed)"),
    WK_FUNC_OPT(set_number, 'p', 0, "pid", "PID", "with -f, terminate after process ID, PID dies"),
    WK_SET(struct wk_tail_opts, headers, 'q', 'q', "quiet",
           "never output headers giving file names"),
    WK_SET(struct wk_tail_opts, headers, 'q', 0, "silent", "the same as --quiet"),
    WK_FLAG(struct wk_tail_opts, retry, 0, "retry",
            "keep trying to open a file if it is inaccessible"),
    WK_FUNC_OPT(set_interval, 's', 's', "sleep-interval", "N",
                "with -f, sleep for approximately N seconds\nbetween iterations"),
    WK_SET(struct wk_tail_opts, headers, 'v', 'v', "verbose",
           "always output headers giving file names"),
    WK_FLAG(struct wk_tail_opts, zero, 'z', "zero-terminated",
            "line delimiter is NUL, not newline"),
    WK_OPTS_END,
};

/* [-+][NUM][bcl][f], as the only option before at most one file; without NUM ten. */
static int tail_old_style(struct wk_cmd *c, int at)
{
    struct wk_tail_opts *o = (struct wk_tail_opts *)c->opts;
    const char *arg = c->argv[at], *p = arg + 1;
    bool alone =
        at == 1 && (c->argc == 2 || (c->argc == 3 && !(c->argv[2][0] == '-' && c->argv[2][1])) ||
                    (c->argc <= 4 && c->argc >= 3 && strcmp(c->argv[2], "--") == 0));
    size_t digits = strspn(p, "0123456789");
    p += digits;
    char unit = *p == 'b' || *p == 'c' || *p == 'l' ? *p++ : 'l';
    bool follow = *p == 'f' && p++;
    if (!alone || *p || (arg[0] == '-' && !arg[1 + (arg[1] == 'c')])) {
        const char *digit = arg + 1 + strspn(arg + 1, "fFqvz");
        if (arg[0] == '-' && wk_is_digit(*digit))
            wk_fail(c, 1, "option used in invalid context -- %c", *digit);
        return 0;
    }
    int err = 0;
    o->count = 10;
    if (digits)
        (void)wk_scan_u64(wk_str(arg + 1, digits), 10, &o->count, &err);
    if (err || (unit == 'b' && __builtin_mul_overflow(o->count, (uint64_t)512, &o->count)))
        wk_fail(c, 1, "invalid number of %s: %s: Value too large for defined data type",
                unit == 'l' ? "lines" : "bytes", wk_quote_arg(c, arg));
    o->given = true;
    o->from_start = *arg == '+';
    o->bytes = unit != 'l';
    if (follow)
        o->follow = WK_TAIL_DESCRIPTOR;
    return 1;
}

#define DIRECTORY_BYTES 4096 /* as large as most are */

static void open_first(struct wk_tail *t, struct wk_tail_file *f)
{
    struct wk_cmd *c = t->c;
    int err = wk_raw_open(c, f->name, true, &f->in);
    if (err == WK_EBADF && strcmp(f->name, "-") == 0) {
        f->in = NULL;
        f->dropped = true;
        wk_tail_header(t, f);
        wk_msg(c, "cannot fstat 'standard input': %s", wk_err_text(err));
        return;
    }
    if (err) {
        f->in = NULL;
        f->err = err;
        f->dropped = !t->o->retry;
        wk_msg(c, "cannot open %s for reading: %s", wk_quote(c, f->shown), wk_err_text(err));
        return;
    }
    wk_tail_header(t, f);
    err = wk_tail_part(c, t->o, f->in);
    if (err)
        wk_msg(c, "error reading %s: %s", wk_quote(c, f->shown), wk_err_text(err));
    if (err == WK_EISDIR && (t->o->bytes ? t->o->from_start || t->o->count <= DIRECTORY_BYTES
                                         : t->o->from_start && t->o->count <= 1))
        wk_exit(c, 1); /* it could be sought in, and what cannot be read then is fatal */
    if (t->o->follow) {
        int r = f->in->file ? wk_file_stat(f->in->file, &f->st) : -WK_EBADF;
        bool pipe_in = f->in == c->in && r >= 0 && WK_S_ISFIFO(f->st.mode);
        if (err || r < 0 || WK_S_ISDIR(f->st.mode)) {
            f->dropped = !t->o->retry || t->o->follow != WK_TAIL_NAME || err != WK_EISDIR;
            if (err == WK_EISDIR)
                wk_msg(c, "%s: cannot follow end of this type of file%s", f->shown,
                       t->o->retry ? "" : "; giving up on this name");
        } else if (pipe_in) {
            f->dropped = true; /* at its end for good */
        } else {
            return;
        }
    }
    if (f->in != c->in)
        wk_in_close(f->in);
    f->in = NULL;
}

static void check_options(struct wk_cmd *c, struct wk_tail_opts *o)
{
    if (!o->given)
        o->count = 10;
    if (o->retry && !o->follow)
        wk_out_fmt(c->err, "%s: warning: --retry ignored; --retry is useful only when following\n",
                   c->name);
    else if (o->retry && o->follow == WK_TAIL_DESCRIPTOR)
        wk_out_fmt(c->err, "%s: warning: --retry only effective for the initial open\n", c->name);
    if (o->has_pid && !o->follow)
        wk_out_fmt(c->err, "%s: warning: PID ignored; --pid=PID is useful only when following\n",
                   c->name);
}

/* Standard input was asked for and cannot be closed. */
static void say_closed(const struct wk_tail *t)
{
    bool used = false;
    for (size_t i = 0; i < t->n; i++)
        used = used || strcmp(t->files[i].name, "-") == 0;
    if (used && !t->c->in->file)
        wk_msg(t->c, "-: %s", wk_err_text(WK_EBADF));
}

static int tail_main(struct wk_cmd *c)
{
    struct wk_tail_opts *o = (struct wk_tail_opts *)c->opts;
    if (c->nargs && c->argc > 1 && c->args[0] == c->argv[1] && strcmp(c->args[0], "+") == 0 && tail_old_style(c, 1)) {
        c->args++;
        c->nargs--;
    }
    check_options(c, o);
    struct wk_tail t = {.c = c, .o = o};
    t.n = c->nargs ? (size_t)c->nargs : 1;
    t.files = wk_new_n(c, struct wk_tail_file, t.n);
    t.headers = o->headers == 'v' || (!o->headers && t.n > 1);
    bool only_pipe = true;
    for (size_t i = 0; i < t.n; i++) {
        t.files[i].name = c->nargs ? c->args[i] : "-";
        bool dash = strcmp(t.files[i].name, "-") == 0;
        t.files[i].shown = dash ? "standard input" : t.files[i].name;
        if (dash && o->follow == WK_TAIL_NAME)
            wk_fail(c, 1, "cannot follow '-' by name");
    }
    if (o->count == 0 && !o->from_start && !o->follow)
        return c->status; /* nothing is even opened */
    for (size_t i = 0; i < t.n; i++) {
        open_first(&t, &t.files[i]);
        only_pipe = only_pipe && t.files[i].dropped && !t.files[i].err && t.files[i].st.mode &&
                    WK_S_ISFIFO(t.files[i].st.mode);
    }
    if (!o->follow)
        say_closed(&t);
    if (!o->follow || only_pipe)
        return c->status;
    if (!c->out->file)
        wk_fail(c, 1, "standard output: %s", wk_err_text(WK_EBADF));
    if (wk_out_flush(c->out))
        return 1;
    wk_tail_follow(&t);
    return c->status;
}

WK_COMMAND(tail, .summary = "output the last part of files", .usage = "tail [OPTION]... [FILE]...",
           .std = "coreutils 9.1", .opts = tail_options, .opts_size = sizeof(struct wk_tail_opts),
           .flags = WK_CMD_NEG_NUMBERS, .old_style = tail_old_style,
           .help = "NUM may have a multiplier suffix:\n"
                   "b 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024,\n"
                   "GB 1000*1000*1000, G 1024*1024*1024, and so on for T, P, E, Z, Y.\n"
                   "Binary prefixes can be used, too: KiB=K, MiB=M, and so on.\n");
