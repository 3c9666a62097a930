/* head.c - the first part of files
 *
 * Standard: GNU coreutils 9.1. Oracle: head.
 * Differs:  never takes more from a pipe than it prints, so what follows can be read by others.
 */
#include "base/num.h"
#include "builtins/fsops.h"

struct head_opts {
    uint64_t count;
    uint64_t written; /* so far */
    bool given, bytes, but_last, zero;
    int headers; /* 'v', 'q'; 0: of several files */
};

static int set_count(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct head_opts *o = (struct head_opts *)c->opts;
    o->bytes = opt->value == 'c';
    o->given = true;
    o->but_last = *arg == '-';
    const char *text = arg + (*arg == '-');
    while (wk_is_space(*text))
        text++;
    int r = wk_parse_size(wk_str_c(text), true, &o->count);
    if (r)
        wk_fail(c, 1, "invalid number of %s: %s%s", o->bytes ? "bytes" : "lines",
                wk_quote_arg(c, text),
                r == -WK_ERANGE ? ": Value too large for defined data type" : "");
    return 0;
}

static const struct wk_opt head_options[] = {
    WK_FUNC_OPT(set_count, 'c', 'c', "bytes", "NUM",
                "print the first NUM bytes of each file;\nwith the leading '-', print all but the "
                "last\nNUM bytes of each file"),
    WK_FUNC_OPT(
        set_count, 'n', 'n', "lines", "NUM",
        "print the first NUM lines instead of the first 10;\nwith the leading '-', print all "
        "but the last\nNUM lines of each file"),
    WK_SET(struct head_opts, headers, 'q', 'q', "quiet", "never print headers giving file names"),
    WK_SET(struct head_opts, headers, 'q', 0, "silent", "the same as --quiet"),
    WK_SET(struct head_opts, headers, 'v', 'v', "verbose",
           "always print headers giving file names"),
    WK_FLAG(struct head_opts, zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
    WK_OPTS_END,
};

/* -NUM[bkm][clqvz]…, as the first argument only. */
static int head_old_style(struct wk_cmd *c, int at)
{
    const char *arg = c->argv[at];
    if (arg[0] != '-' || !wk_is_digit(arg[1]))
        return 0;
    struct head_opts *o = (struct head_opts *)c->opts;
    if (at != 1)
        wk_usage(c, "invalid trailing option -- %c", arg[1]);
    int err;
    size_t used = wk_scan_u64(wk_str_c(arg + 1), 10, &o->count, &err);
    if (err)
        wk_fail(c, 1, "invalid number of lines: %s: Value too large for defined data type",
                wk_quote_arg(c, wk_dupn(c, arg + 1, used)));
    o->given = true;
    uint64_t unit = 1;
    for (const char *p = arg + 1 + used; *p; p++) {
        switch (*p) {
        case 'c':
            o->bytes = true;
            break;
        case 'b':
        case 'k':
        case 'm':
            unit = *p == 'b' ? 512 : *p == 'k' ? 1024 : 1048576;
            o->bytes = true;
            break;
        case 'l':
            o->bytes = false;
            break;
        case 'q':
        case 'v':
            o->headers = *p;
            break;
        case 'z':
            o->zero = true;
            break;
        default:
            wk_usage(c, "invalid trailing option -- %c", *p);
        }
    }
    if (__builtin_mul_overflow(o->count, unit, &o->count))
        o->count = UINT64_MAX;
    return 1;
}

/* The end of the n-th line from p, or NULL and *left lines are missing. */
static const char *skip_lines(const char *p, const char *end, char eol, uint64_t n, uint64_t *left)
{
    while (n > 0) {
        const char *nl = (const char *)memchr(p, eol, (size_t)(end - p));
        if (!nl) {
            *left = n;
            return NULL;
        }
        p = nl + 1;
        n--;
    }
    *left = 0;
    return p;
}

static int first_part(struct wk_cmd *c, struct head_opts *o, struct wk_in *in)
{
    uint64_t left = o->count;
    const char *p;
    int err = 0;
    while (left > 0) {
        size_t n = wk_raw_next(c, in, &p, &err);
        if (n == 0)
            break;
        size_t use = n;
        if (o->bytes) {
            use = left < n ? (size_t)left : n;
            left -= use;
        } else {
            const char *stop = skip_lines(p, p + n, o->zero ? '\0' : '\n', left, &left);
            use = stop ? (size_t)(stop - p) : n;
        }
        wk_raw_pass(c, in, p, use);
        wk_pass_flush(c, o->written += use);
        wk_tick(c, (uint32_t)(n / 64));
    }
    return err;
}

/* Everything but the last `count` bytes or lines: what may still be among them is held back. It is
 * looked at when as much again has come, so each byte is looked at about twice. */
static int all_but_last(struct wk_cmd *c, struct head_opts *o, struct wk_in *in)
{
    struct wk_fifo_buf held = {0};
    const char eol = o->zero ? '\0' : '\n', *p;
    size_t n, full = 0;
    int err;
    do {
        n = wk_raw_next(c, in, &p, &err);
        if (n) {
            wk_fifo_put(c, &held, p, n);
            wk_file_skip(in->file, n);
            wk_tick(c, (uint32_t)(n / 64));
        }
        if (n && held.n < full)
            continue;
        size_t out = held.n > o->count ? held.n - (size_t)o->count : 0;
        if (!o->bytes && held.n)
            out = wk_last_lines(c, held.p + held.head, held.n, o->count, eol);
        if (out) {
            wk_out_put(c->out, held.p + held.head, out);
            wk_fifo_take(&held, out);
            wk_pass_flush(c, o->written += out);
        }
        full = 2 * held.n;
    } while (n);
    if (held.n && in->file->kind == WK_FILE_VFS) /* who reads on finds what was not printed */
        (void)wk_file_seek(in->file, -(int64_t)held.n, 1);
    wk_heap_free(c->heap, held.p);
    return err;
}

static void head_file(struct wk_cmd *c, struct head_opts *o, const char *name, bool header,
                      bool *first)
{
    struct wk_in *in = c->in;
    bool dash = strcmp(name, "-") == 0;
    int err = dash ? 0 : wk_raw_open(c, name, false, &in);
    if (err) {
        wk_msg(c, "cannot open %s for reading: %s", wk_quote(c, name), wk_err_text(err));
        return;
    }
    const char *shown = dash ? "standard input" : name;
    if (header) {
        wk_out_fmt(c->out, "%s==> %s <==\n", *first ? "" : "\n", shown);
        *first = false;
    }
    err = !in->file ? WK_EBADF : o->but_last ? all_but_last(c, o, in) : first_part(c, o, in);
    if (err == WK_EBADF && o->but_last)
        wk_msg(c, "cannot fstat %s: %s", wk_quote(c, shown), wk_err_text(err));
    else if (err)
        wk_msg(c, "error reading %s: %s", wk_quote(c, shown), wk_err_text(err));
    if (in != c->in)
        wk_in_close(in);
}

static int head_main(struct wk_cmd *c)
{
    struct head_opts *o = (struct head_opts *)c->opts;
    if (!o->given)
        o->count = 10;
    if (o->but_last && o->bytes && o->count > INT64_MAX)
        wk_fail(c, 1, "invalid number of bytes: '%llu': %s", (unsigned long long)o->count,
                wk_err_text(WK_EOVERFLOW));
    bool header = o->headers == 'v' || (!o->headers && c->nargs > 1), first = true;
    if (c->nargs == 0)
        head_file(c, o, "-", header, &first);
    for (int i = 0; i < c->nargs; i++)
        head_file(c, o, c->args[i], header, &first);
    bool used = c->nargs == 0;
    for (int i = 0; i < c->nargs; i++)
        used = used || strcmp(c->args[i], "-") == 0;
    if (used && !c->in->file)
        wk_msg(c, "-: %s", wk_err_text(WK_EBADF));
    return c->status;
}

WK_COMMAND(head, .summary = "output the first part of files", .usage = "head [OPTION]... [FILE]...",
           .std = "coreutils 9.1", .opts = head_options, .opts_size = sizeof(struct head_opts),
           .flags = WK_CMD_NEG_NUMBERS | WK_CMD_FILTER, .old_style = head_old_style,
           .help = "NUM may have a multiplier suffix:\n"
                   "b 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024,\n"
                   "GB 1000*1000*1000, G 1024*1024*1024, and so on for T, P, E, Z, Y.\n"
                   "Binary prefixes can be used, too: KiB=K, MiB=M, and so on.\n");
