/* split.c - split a file into pieces
 *
 * Standard: GNU coreutils 9.1. Oracle: split.
 * Differs:  docs/divergences/split.md
 */
#include "base/num.h"
#include "builtins/fsops.h"
#include "builtins/split.h"

enum how { BY_LINES, BY_BYTES, BY_LINE_BYTES, CHUNK_BYTES, CHUNK_LINES, CHUNK_ROUND };

struct split_opts {
    int how;
    bool how_given, elide, verbose, unbuffered, suffix_given;
    uint64_t size;      /* lines, bytes, or number of chunks */
    uint64_t only;      /* K of K/N; 0: all */
    uint64_t suffix_n;  /* -a */
    const char *digits; /* of suffixes */
    const char *first;  /* of -d FROM; NULL */
    const char *more;   /* --additional-suffix */
    const char *filter; /* NULL: pieces are files */
    int separator;      /* -1: newline */
    bool separator_given;
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
static const char decimal[] = "0123456789";
static const char hexadecimal[] = "0123456789abcdef";

static void set_how(struct wk_cmd *c, struct split_opts *o, int how)
{
    if (o->how_given)
        wk_usage(c, "cannot split in more than one way");
    o->how_given = true;
    o->how = how;
}

static uint64_t positive(struct wk_cmd *c, const char *arg, const char *what)
{
    uint64_t v;
    bool lines = strcmp(what, "lines") == 0, bytes = strcmp(what, "bytes") == 0;
    int r = bytes ? wk_parse_size(wk_str_c(arg), true, &v) : wk_parse_u64(wk_str_c(arg), 10, &v);
    if (r == -WK_ERANGE || (!r && !lines && v > INT64_MAX))
        wk_fail(c, 1, "invalid number of %s: %s: Value too large for defined data type", what,
                wk_quote_arg(c, arg));
    if (r || v == 0)
        wk_fail(c, 1, "invalid number of %s: %s%s", what, wk_quote_arg(c, arg),
                r ? "" : ": Numerical result out of range");
    return v;
}

/* N, K/N, l/N, l/K/N, r/N, r/K/N */
static void set_chunks(struct wk_cmd *c, struct split_opts *o, const char *arg)
{
    int how = CHUNK_BYTES;
    const char *p = arg;
    if ((*p == 'l' || *p == 'r') && p[1] == '/') {
        how = *p == 'l' ? CHUNK_LINES : CHUNK_ROUND;
        p += 2;
    }
    set_how(c, o, how);
    const char *slash = strchr(p, '/');
    if (slash) {
        if (wk_parse_u64(wk_str(p, (size_t)(slash - p)), 10, &o->only) || o->only == 0)
            wk_fail(c, 1, "invalid chunk number: %s%s",
                    wk_quote_arg(c, wk_dupn(c, p, (size_t)(slash - p))),
                    wk_is_digit(*p) ? ": Numerical result out of range" : "");
        p = slash + 1;
    }
    o->size = positive(c, p, "chunks");
    if (o->only > o->size)
        wk_fail(c, 1, "invalid chunk number: %s: Numerical result out of range",
                wk_quote_arg(c, wk_strf(c, "%llu", (unsigned long long)o->only)));
}

static void set_separator(struct wk_cmd *c, struct split_opts *o, const char *arg)
{
    if (!*arg)
        wk_fail(c, 1, "empty record separator");
    int sep = (unsigned char)*arg;
    if (strcmp(arg, "\\0") == 0)
        sep = '\0';
    else if (arg[1])
        wk_fail(c, 1, "multi-character separator %s", wk_quote_arg(c, arg));
    if (o->separator_given && o->separator != sep)
        wk_fail(c, 1, "multiple separator characters specified");
    o->separator_given = true;
    o->separator = sep;
}

static void check_first(struct wk_cmd *c, const struct split_opts *o)
{
    if (o->first && o->first[strspn(o->first, o->digits)])
        wk_usage(c, "%s: invalid start value for %s suffix", wk_quote_arg(c, o->first),
                 o->digits == decimal ? "numerical" : "hexadecimal");
}

static void set_digits(struct wk_cmd *c, struct split_opts *o, const char *digits, const char *from)
{
    o->digits = digits;
    while (from && from[0] == '0' && from[1])
        from++;
    if (from)
        o->first = from;
    check_first(c, o); /* the start may come from an option before */
}

static int set_option(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct split_opts *o = (struct split_opts *)c->opts;
    switch (opt->value) {
    case 'a':
        if (wk_parse_u64(wk_str_c(arg), 10, &o->suffix_n))
            wk_fail(c, 1, "invalid suffix length: %s", wk_quote_arg(c, arg));
        if (o->suffix_n > 4096)
            wk_fail(c, 1, "invalid suffix length: %s: Value too large for defined data type",
                    wk_quote_arg(c, arg));
        break;
    case 's':
        if (strchr(arg, '/'))
            wk_usage(c, "invalid suffix %s, contains directory separator", wk_quote_arg(c, arg));
        o->more = arg;
        break;
    case 'b':
        set_how(c, o, BY_BYTES);
        o->size = positive(c, arg, "bytes");
        break;
    case 'C':
        set_how(c, o, BY_LINE_BYTES);
        o->size = positive(c, arg, "bytes");
        break;
    case 'l':
        set_how(c, o, BY_LINES);
        o->size = positive(c, arg, "lines");
        break;
    case 'n':
        set_chunks(c, o, arg);
        break;
    case 'd':
        set_digits(c, o, decimal, arg);
        break;
    case 'x':
        set_digits(c, o, hexadecimal, arg);
        break;
    case 't':
        set_separator(c, o, arg);
        break;
    }
    return 0;
}

static const struct wk_opt split_options[] = {
    WK_FUNC_OPT(set_option, 'a', 'a', "suffix-length", "N",
                "generate suffixes of length N (default 2)"),
    WK_FUNC_OPT(set_option, 's', 0, "additional-suffix", "SUFFIX",
                "append an additional SUFFIX to file names"),
    WK_FUNC_OPT(set_option, 'b', 'b', "bytes", "SIZE", "put SIZE bytes per output file"),
    WK_FUNC_OPT(set_option, 'C', 'C', "line-bytes", "SIZE",
                "put at most SIZE bytes of records per output file"),
    WK_FUNC_OPT(set_option, 'd', 'd', NULL, NULL,
                "use numeric suffixes starting at 0, not alphabetic"),
    WK_FUNC_OPT(set_option, 'd', 0, "numeric-suffixes", "[FROM",
                "same as -d, but allow setting the start value"),
    WK_FUNC_OPT(set_option, 'x', 'x', NULL, NULL, "use hex suffixes starting at 0, not alphabetic"),
    WK_FUNC_OPT(set_option, 'x', 0, "hex-suffixes", "[FROM",
                "same as -x, but allow setting the start value"),
    WK_STR_OPT(struct split_opts, filter, 0, "filter", "COMMAND",
               "write to shell COMMAND; file name is $FILE"),
    WK_FLAG(struct split_opts, elide, 'e', "elide-empty-files",
            "do not generate empty output files with '-n'"),
    WK_FUNC_OPT(set_option, 'l', 'l', "lines", "NUMBER",
                "put NUMBER lines/records per output file"),
    WK_FUNC_OPT(set_option, 'n', 'n', "number", "CHUNKS",
                "generate CHUNKS output files: N, K/N, l/N, l/K/N,\nr/N, r/K/N"),
    WK_FUNC_OPT(
        set_option, 't', 't', "separator", "SEP",
        "use SEP instead of newline as the record separator;\n'\\0' (zero) specifies the NUL "
        "character"),
    WK_FLAG(struct split_opts, unbuffered, 'u', "unbuffered",
            "immediately copy input to output with '-n r/...'"),
    WK_FLAG(struct split_opts, verbose, 0, "verbose",
            "print a diagnostic just before each\noutput file is opened"),
    WK_OPTS_END,
};

static int split_old_style(struct wk_cmd *c, int at)
{
    struct split_opts *o = (struct split_opts *)c->opts;
    const char *arg = c->argv[at];
    if (arg[0] != '-' || !wk_is_digit(arg[1]) || arg[1 + strspn(arg + 1, decimal)])
        return 0;
    set_how(c, o, BY_LINES);
    if (!arg[1 + strspn(arg + 1, "0")])
        wk_usage(c, "invalid number of lines: %s", wk_quote_arg(c, arg + 1));
    o->size = positive(c, arg + 1, "lines");
    return 1;
}

/* ---- output files ---- */

struct splitter {
    struct wk_cmd *c;
    const struct split_opts *o;
    const char *prefix;
    struct wk_in *in;
    struct wk_out *out; /* the present file; NULL */
    struct wk_split_filters filters;
    struct wk_split_filter *filter; /* that reads it; NULL: a file */
    char *suffix;       /* digits of the next file's name */
    size_t suffix_n;
    size_t lead; /* last digits that it begins with since it grew */
    bool grows, exhausted;
    char eol;
};

static void first_suffix(struct splitter *s)
{
    const struct split_opts *o = s->o;
    size_t need = 2, base = strlen(o->digits);
    bool chunks = o->how >= CHUNK_BYTES;
    s->grows = !o->suffix_n && !o->first && !chunks;
    if (chunks) { /* wide enough for all */
        uint64_t last = o->size - 1;
        size_t n = 1;
        uint64_t from = 0;
        if (o->first && !wk_parse_u64(wk_str_c(o->first), (int)base, &from) && last + from >= last)
            last += from < o->size ? from : 0;
        while (last >= base) {
            last /= base;
            n++;
        }
        need = n > need ? n : need;
        if (o->suffix_n && o->suffix_n < n)
            wk_fail(s->c, 1, "the suffix length needs to be at least %zu", n);
    }
    if (o->suffix_n)
        need = (size_t)o->suffix_n;
    size_t first_n = o->first ? strlen(o->first) : 0;
    if (first_n > need) {
        if (o->suffix_n)
            wk_usage(s->c, "numerical suffix start value is too large for the suffix length");
        need = first_n;
    }
    s->suffix_n = need;
    s->suffix = (char *)wk_heap_alloc(s->c->heap, 4096 + need + 8);
    memset(s->suffix, o->digits[0], need);
    if (first_n)
        memcpy(s->suffix + need - first_n, o->first, first_n);
}

/* Names get longer while their order stays: behind xyz comes xzaaa, behind xzyzz xzzaaaa. */
static void next_suffix(struct splitter *s)
{
    const char *digits = s->o->digits;
    const char last = digits[strlen(digits) - 1];
    size_t i = s->suffix_n;
    for (; i > 0 && s->suffix[i - 1] == last; i--)
        s->suffix[i - 1] = digits[0];
    if (i == 0) {
        s->exhausted = true;
        return;
    }
    s->suffix[i - 1] = strchr(digits, s->suffix[i - 1])[1];
    if (!s->grows || s->suffix[s->lead] != last || s->suffix_n > 4096)
        return;
    s->lead++;
    s->suffix_n += 2;
    memset(s->suffix + s->lead, digits[0], s->suffix_n - s->lead);
}

static void close_file(struct splitter *s)
{
    if (!s->out || s->out == s->c->out) {
        s->out = NULL;
        return;
    }
    int err = wk_out_close(s->out);
    s->out = NULL;
    if (err && !(s->filter && err == WK_EPIPE))
        wk_fail(s->c, 1, "write error: %s", wk_err_text(err));
    if (s->filter)
        wk_split_filter_end(s->c, &s->filters, s->filter);
    s->filter = NULL;
}

static void open_file(struct splitter *s)
{
    struct wk_cmd *c = s->c;
    struct wk_stat a, b;
    struct wk_file *f;
    if (s->exhausted)
        wk_fail(c, 1, "output file suffixes exhausted");
    char *name = wk_strf(c, "%s%.*s%s", s->prefix, (int)s->suffix_n, s->suffix,
                         s->o->more ? s->o->more : "");
    next_suffix(s);
    if (s->o->filter) {
        if (s->o->verbose)
            wk_out_fmt(c->out, "executing with FILE=%s\n", wk_quote_maybe(c, name));
        s->filter = wk_split_filter_start(c, &s->filters, name, &s->out);
        return;
    }
    if (s->o->verbose)
        wk_out_fmt(c->out, "creating file %s\n", wk_quote(c, name));
    int err = wk_at_stat(c, NULL, name, true, &a);
    if (!err && s->in->file && wk_file_stat(s->in->file, &b) >= 0 && wk_stat_same(&a, &b))
        wk_fail(c, 1, "%s would overwrite input; aborting", wk_quote(c, name));
    err = wk_cmd_open(c, name, WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0666, &f);
    if (err)
        wk_fail(c, 1, "%s: %s", wk_quote_maybe(c, name), wk_err_text(err));
    s->out = wk_out_of(c, f);
    wk_heap_free(c->heap, name);
}

static void put(struct splitter *s, const char *p, size_t n)
{
    if (!s->out)
        open_file(s);
    wk_out_put(s->out, p, n);
}

/* ---- ways to split a stream ---- */

static void by_bytes(struct splitter *s)
{
    const char *p;
    size_t n;
    uint64_t left = s->o->size;
    while (wk_in_chunk(s->in, &p, &n)) {
        while (n) {
            size_t use = left < n ? (size_t)left : n;
            put(s, p, use);
            p += use;
            n -= use;
            left -= use;
            if (left)
                continue;
            close_file(s);
            left = s->o->size;
        }
    }
    close_file(s);
}

static void by_lines(struct splitter *s)
{
    const char *p;
    size_t n;
    uint64_t left = s->o->size;
    while (wk_in_chunk(s->in, &p, &n)) {
        while (n) {
            enum { FEW = 64 };
            uint64_t lines = left > FEW ? wk_str_count(wk_str(p, n), s->eol) : left;
            size_t use = n;
            if (lines < left) {
                left -= lines;
            } else { /* the file may end in here */
                const char *e = p, *nl;
                while (left && (nl = (const char *)memchr(e, s->eol, n - (size_t)(e - p)))) {
                    e = nl + 1;
                    left--;
                }
                use = left ? n : (size_t)(e - p);
            }
            put(s, p, use);
            p += use;
            n -= use;
            if (!left) {
                close_file(s);
                left = s->o->size;
            }
        }
        wk_tick(s->c, 64);
    }
    close_file(s);
}

/* Whole lines up to `size` bytes in a file; longer ones are cut. */
static void by_line_bytes(struct splitter *s)
{
    struct wk_str line;
    uint64_t size = s->o->size, left = size;
    while (wk_line_next(s->in, s->eol, &line)) {
        bool end = !s->in->no_newline;
        uint64_t whole = (uint64_t)line.n + end;
        if (whole > left && left < size) {
            close_file(s);
            left = size;
        }
        while ((uint64_t)line.n + end > left) { /* a line longer than a file */
            size_t use = left < line.n ? (size_t)left : line.n;
            put(s, line.p, use);
            line = wk_str_from(line, use);
            left -= use;
            if (left && end) {
                wk_out_char(s->out, s->eol);
                end = false;
                left--;
            }
            if (!left) {
                close_file(s);
                left = size;
            }
        }
        if (line.n || end) {
            put(s, line.p, line.n);
            if (end)
                wk_out_char(s->out, s->eol);
            left -= line.n + end;
            if (!left) {
                close_file(s);
                left = size;
            }
        }
    }
    close_file(s);
}

/* ---- a number of chunks ---- */

/* How much there is to read. A file that says it is empty may be one of /proc: it is read to see.
 */
static uint64_t input_size(struct splitter *s)
{
    struct wk_cmd *c = s->c;
    const char *name = wk_quote_maybe(c, c->nargs ? c->args[0] : "-");
    struct wk_stat st;
    if (!s->in->file)
        wk_fail(c, 1, "%s: %s", name, wk_err_text(WK_EBADF));
    int64_t at = wk_file_seek(s->in->file, 0, 1);
    if (at < 0 || wk_file_stat(s->in->file, &st) < 0)
        wk_fail(c, 1, "%s: cannot determine file size", name);
    if (WK_S_ISREG(st.mode) && st.size > (uint64_t)at)
        return st.size - (uint64_t)at;
    enum { MOST = 1 << 20 };
    const char *p;
    size_t n;
    uint64_t size = 0;
    while (size < MOST && wk_in_chunk(s->in, &p, &n))
        size += n;
    if (size >= MOST)
        wk_fail(c, 1, "%s: cannot determine file size: %s", name, wk_err_text(WK_EOVERFLOW));
    wk_in_sync(s->in);
    (void)wk_file_seek(s->in->file, at, 0);
    s->in->eof = false;
    return size;
}

/* Copies from `at` up to `end`, and with `lines` on to the end of a line; the new offset. */
static uint64_t copy_chunk(struct splitter *s, struct wk_out *out, uint64_t at, uint64_t end,
                           bool lines)
{
    const char *p;
    size_t n;
    char last = s->eol;
    while ((at < end || (lines && last != s->eol)) && wk_in_chunk(s->in, &p, &n)) {
        size_t use = at < end && end - at < n ? (size_t)(end - at) : n;
        if (at >= end) {
            const char *e = (const char *)memchr(p, s->eol, n);
            use = e ? (size_t)(e - p) + 1 : n;
        }
        last = p[use - 1];
        if (out)
            wk_out_put(out, p, use); /* copies before it parks */
        wk_in_used(s->in, use);
        at += use;
    }
    return at;
}

/* Where a chunk begins whose nominal place is `at`: behind the line that lies across. */
static uint64_t seek_chunk(struct splitter *s, uint64_t at, bool lines)
{
    uint64_t from = lines && at ? at - 1 : at;
    (void)wk_file_seek(s->in->file, (int64_t)from, 1);
    return from < at ? copy_chunk(s, NULL, from, at, true) : from;
}

static void by_chunks(struct splitter *s)
{
    uint64_t total = input_size(s), n = s->o->size, size = total / n ? total / n : 1;
    uint64_t at = 0, first = 1, count = n;
    bool lines = s->o->how == CHUNK_LINES;
    if (s->o->only) {
        uint64_t before = s->o->only - 1;
        first = count = s->o->only;
        if (before > total / size)
            return;
        at = seek_chunk(s, before * size, lines);
    }
    for (uint64_t k = first; k <= count; k++) {
        uint64_t end =
            k == n || k > total / size ? total : k * size; /* the last has what is left over */
        wk_tick(s->c, 16);
        if (at >= end && s->o->elide && at >= total)
            return; /* the rest is empty, however many chunks there are */
        if (at >= end && (s->o->elide || s->o->only))
            continue;
        if (!s->o->only)
            open_file(s);
        at = copy_chunk(s, s->o->only ? s->c->out : s->out, at, end, lines && end < total);
        close_file(s);
    }
}

static void by_rounds(struct splitter *s)
{
    uint64_t n = s->o->size, k = 0;
    struct wk_str line;
    if (!s->o->only && n > 1 << 20)
        wk_fail(s->c, 1, "memory exhausted");
    struct wk_out **out = wk_new_n(s->c, struct wk_out *, s->o->only ? 1 : (size_t)n);
    struct wk_split_filter **filter = wk_new_n(s->c, struct wk_split_filter *, s->o->only ? 1 : (size_t)n);
    for (uint64_t i = 0; !s->o->only && !s->o->elide && i < n; i++) {
        open_file(s);
        out[i] = s->out;
        filter[i] = s->filter;
    }
    while (wk_line_next(s->in, s->eol, &line)) {
        bool end = !s->in->no_newline;
        struct wk_out *to = s->c->out;
        k = k % n + 1;
        if (s->o->only && k != s->o->only)
            continue;
        if (!s->o->only && !out[k - 1]) {
            open_file(s);
            out[k - 1] = s->out;
            filter[k - 1] = s->filter;
        }
        if (!s->o->only)
            to = out[k - 1];
        wk_out_str(to, line);
        if (end)
            wk_out_char(to, s->eol);
        if (s->o->unbuffered)
            (void)wk_out_flush(to);
    }
    for (uint64_t i = 0; !s->o->only && i < n; i++) {
        s->out = out[i];
        s->filter = filter[i];
        close_file(s);
    }
}

static int split_main(struct wk_cmd *c)
{
    struct split_opts *o = (struct split_opts *)c->opts;
    struct splitter s = {.c = c, .o = o, .prefix = "x"};
    struct wk_stat st;
    if (!o->digits)
        o->digits = letters;
    if (!o->how_given)
        o->size = 1000;
    if (c->nargs > 2)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[2]));
    if (c->nargs > 1)
        s.prefix = c->args[1];
    if (o->filter && o->only)
        wk_usage(c, "--filter does not process a chunk extracted to stdout");
    if (o->filter)
        wk_split_filters_init(c, &s.filters, o->filter);
    s.eol = o->separator_given ? (char)o->separator : '\n';
    s.in = c->in;
    int err = c->nargs && strcmp(c->args[0], "-") != 0 ? wk_raw_open(c, c->args[0], false, &s.in) : 0;
    if (err)
        wk_fail(c, 1, "cannot open %s for reading: %s", wk_quote(c, c->args[0]), wk_err_text(err));
    first_suffix(&s);
    bool dir = s.in->file && wk_file_stat(s.in->file, &st) >= 0 && WK_S_ISDIR(st.mode);
    if (dir || !s.in->file)
        wk_fail(c, 1, "%s: %s%s", wk_quote_maybe(c, c->nargs ? c->args[0] : "-"),
                dir && (o->how == CHUNK_BYTES || o->how == CHUNK_LINES) ? "cannot determine file size: "
                                                                        : "",
                wk_err_text(dir ? WK_EISDIR : WK_EBADF));
    switch (o->how) {
    case BY_LINES:
        by_lines(&s);
        break;
    case BY_BYTES:
        by_bytes(&s);
        break;
    case BY_LINE_BYTES:
        by_line_bytes(&s);
        break;
    case CHUNK_ROUND:
        by_rounds(&s);
        break;
    default:
        by_chunks(&s);
    }
    return c->status;
}

WK_COMMAND(split, .summary = "output pieces of FILE to PREFIXaa, PREFIXab, ...",
           .usage = "split [OPTION]... [FILE [PREFIX]]", .std = "coreutils 9.1",
           .opts = split_options, .opts_size = sizeof(struct split_opts),
           .flags = WK_CMD_NEG_NUMBERS, .old_style = split_old_style,
           .help = "The SIZE argument is an integer and optional unit (example: 10K is 10*1024).\n"
                   "Units are K,M,G,T,P,E,Z,Y (powers of 1024) or KB,MB,... (powers of 1000).\n");
