/* hexdump.c - show files as numbers and characters
 *
 * Standard: none. Oracle: util-linux 2.38 hexdump.
 * Differs:  docs/divergences/hexdump.md
 */
#include "builtins/hexdump.h"

#include "base/num.h"

struct hexdump_opts {
    struct hexdump_formats formats;
    int64_t length; /* 1 more than given; 0: all */
    int64_t skip;
    bool all; /* -v */
};

static void add_preset(struct wk_cmd *c, int option)
{
    static const struct {
        char option;
        const char *format;
    } presets[] = {{'b', "\"%07.7_ax \" 16/1 \"%03o \" \"\\n\""},
                   {'c', "\"%07.7_ax \" 16/1 \"%3_c \" \"\\n\""},
                   {'d', "\"%07.7_ax \" 8/2 \"  %05u \" \"\\n\""},
                   {'o', "\"%07.7_ax \" 8/2 \" %06o \" \"\\n\""},
                   {'x', "\"%07.7_ax \" 8/2 \"   %04x \" \"\\n\""},
                   {'n', "\"%07.7_ax \" 8/2 \"%04x \" \"\\n\""},
                   {'C', "\"%08.8_ax  \" 8/1 \"%02x \" \"  \" 8/1 \"%02x \" "},
                   {'C', "\"  |\" 16/1 \"%_p\" \"|\\n\""}};
    struct hexdump_opts *o = c->opts;
    wk_hexdump_add(c, &o->formats, option == 'C' ? "\"%08.8_Ax\n\"" : "\"%07.7_Ax\n\"");
    for (size_t i = 0; i < WK_COUNTOF(presets); i++)
        if (presets[i].option == option)
            wk_hexdump_add(c, &o->formats, presets[i].format);
}

/* Called as hd: -C stands before all other formats. */
static void begin_formats(struct wk_cmd *c)
{
    struct hexdump_opts *o = c->opts;
    if (!o->formats.n && !strcmp(c->name, "hd"))
        add_preset(c, 'C');
}

static int take_preset(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)arg;
    begin_formats(c);
    add_preset(c, opt->value);
    return 0;
}

static int take_format(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct hexdump_opts *o = c->opts;
    (void)opt;
    begin_formats(c);
    wk_hexdump_add(c, &o->formats, arg);
    return 0;
}

/* Every line of a file that is neither empty nor a comment is a format. */
static int take_file(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct hexdump_opts *o = c->opts;
    struct wk_file *f;
    struct wk_str line;
    (void)opt;
    int err = wk_cmd_open(c, arg, WK_O_RDONLY, 0, &f);
    if (err)
        wk_fail(c, 1, "can't read %s: %s", arg, wk_err_text(err));
    struct wk_in *in = wk_in_of(c, f, arg);
    in->owned = true;
    struct wk_stat st;
    if (wk_file_stat(f, &st) >= 0 && WK_S_ISDIR(st.mode)) { /* holds none */
        wk_in_close(in);
        return 0;
    }
    while (wk_line_next(in, '\n', &line)) {
        char *text = wk_strf(c, in->no_newline ? "%s" : "%s\n", wk_dupn(c, line.p, line.n));
        const char *p = text;
        while (wk_is_space((unsigned char)*p))
            p++;
        begin_formats(c);
        if (*p && *p != '#')
            wk_hexdump_add(c, &o->formats, p);
    }
    wk_in_close(in);
    return 0;
}

/* How much a suffix multiplies: K and KiB by 1024, KB by 1000; 0: none of them. */
static uint64_t multiplier(const char *suffix, bool *over)
{
    static const char letters[] = "KMGTPEZY";
    char letter = (char)wk_to_upper((unsigned char)*suffix);
    const char *at = letter ? strchr(letters, letter) : NULL;
    uint64_t base = 1024, v = 1;
    if (!*suffix)
        return 1;
    if (!at)
        return 0;
    if (suffix[1] && strcmp(suffix + 1, "iB") != 0 && strcmp(suffix + 1, "B") != 0)
        return 0;
    if (suffix[1] == 'B')
        base = 1000;
    for (const char *p = letters; p <= at; p++) {
        *over = *over || v > UINT64_MAX / base;
        v *= base;
    }
    return v;
}

/* A size as C writes numbers, with a suffix. */
static int64_t size_argument(struct wk_cmd *c, const char *arg, const char *what)
{
    const char *p = arg;
    uint64_t v, times;
    int err = 0;
    bool over = false;
    while (wk_is_space((unsigned char)*p))
        p++;
    p += *p == '+';
    size_t n = wk_is_digit(*p) ? wk_scan_u64(wk_str_c(p), 0, &v, &err) : 0;
    times = n ? multiplier(p + n, &over) : 0;
    if (!times && !over)
        wk_fail(c, 1, "failed to parse %s: '%s': Invalid argument", what, arg);
    if (err || over || v > (uint64_t)INT64_MAX / times)
        wk_fail(c, 1, "failed to parse %s: '%s': %s", what, arg, wk_err_text(WK_ERANGE));
    return (int64_t)(v * times);
}

static int take_length(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct hexdump_opts *o = c->opts;
    (void)opt;
    o->length = size_argument(c, arg, "length");
    o->length += o->length < INT64_MAX;
    return 0;
}

static int take_skip(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct hexdump_opts *o = c->opts;
    (void)opt;
    o->skip = size_argument(c, arg, "offset");
    return 0;
}

static int take_color(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    if (arg && strcmp(arg, "auto") != 0 && strcmp(arg, "always") != 0 && strcmp(arg, "never") != 0)
        wk_fail(c, 1, "unsupported color mode: '%s'", arg);
    return 0;
}

#define PRESET(letter, l, help) WK_FUNC_OPT(take_preset, letter, letter, l, NULL, help)

static const struct wk_opt hexdump_options[] = {
    PRESET('b', "one-byte-octal", "bytes as octal numbers"),
    PRESET('c', "one-byte-char", "bytes as characters"),
    PRESET('C', "canonical", "bytes as hexadecimal numbers and as characters"),
    PRESET('d', "two-bytes-decimal", "pairs of bytes as decimal numbers"),
    PRESET('o', "two-bytes-octal", "pairs of bytes as octal numbers"),
    PRESET('x', "two-bytes-hex", "pairs of bytes as hexadecimal numbers"),
    WK_FUNC_OPT(take_color, 0, 'L', "color", "[WHEN", "ignored: formats with colors are refused"),
    WK_FUNC_OPT(take_format, 0, 'e', "format", "FORMAT", "print by FORMAT"),
    WK_FUNC_OPT(take_file, 0, 'f', "format-file", "FILE", "print by the formats in FILE"),
    WK_FUNC_OPT(take_length, 0, 'n', "length", "LENGTH", "show at most LENGTH bytes"),
    WK_FUNC_OPT(take_skip, 0, 's', "skip", "OFFSET", "pass over OFFSET bytes at the beginning"),
    WK_FLAG(struct hexdump_opts, all, 'v', "no-squeezing", "show blocks that repeat, too"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "the same as --help"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "the same as --version"),
    WK_OPTS_END,
};

/* ---- input ----------------------------------------------------------------------------------- */

struct source {
    struct wk_cmd *c;
    const struct hexdump_opts *o;
    struct wk_in *in; /* NULL: none open */
    const char *name;
    int next;
    bool any; /* some file could be opened */
    uint64_t left, skip, address;
};

static void close_file(struct source *s)
{
    if (s->in && s->in != s->c->in)
        wk_in_close(s->in);
    s->in = NULL;
}

/* Passes over what is to be skipped; files that lie before it altogether count with their sizes. */
static void skip(struct source *s)
{
    struct wk_stat st;
    if (!s->skip)
        return;
    bool regular = s->in != s->c->in && wk_file_stat(s->in->file, &st) >= 0 && WK_S_ISREG(st.mode);
    if (regular && st.size <= s->skip) {
        s->skip -= st.size;
        s->address += st.size;
        close_file(s);
        return;
    }
    bool directory = wk_file_stat(s->in->file, &st) >= 0 && WK_S_ISDIR(st.mode); /* reading will fail */
    int64_t r = directory ? 0 : wk_file_seek(s->in->file, (int64_t)s->skip, 0);
    if (r < 0)
        wk_fail(s->c, 1, "%s: %s", s->name, wk_err_text((int)-r));
    s->address += s->skip;
    s->skip = 0;
}

static bool open_next(struct source *s)
{
    struct wk_cmd *c = s->c;
    while (!s->in) {
        if (s->next >= (c->nargs ? c->nargs : 1)) {
            if (!s->any)
                wk_fail(c, 1, "%s", s->skip ? "stdin: Bad file descriptor" : "all input file arguments failed");
            return false;
        }
        s->name = c->nargs ? c->args[s->next] : "stdin";
        s->next++;
        wk_tick(c, 1);
        int err = c->nargs ? wk_raw_open(c, s->name, false, &s->in)
                           : wk_raw_open(c, "-", true, &s->in);
        if (err) {
            s->in = NULL;
            wk_msg(c, "%s: %s", s->name, wk_err_text(err));
            continue;
        }
        s->any = true;
        skip(s);
    }
    return true;
}

/* Up to n bytes; fewer only at the end of all files. */
static size_t fill(struct source *s, unsigned char *dst, size_t n)
{
    size_t done = 0;
    n = (size_t)WK_MIN((uint64_t)n, s->left);
    while (done < n && open_next(s)) {
        const char *p;
        int err;
        size_t got = wk_raw_next(s->c, s->in, &p, &err);
        if (err) {
            int status = s->c->status;
            wk_msg(s->c, "%s: %s", s->name, wk_err_text(err));
            s->c->status = status;
        }
        if (!got) {
            close_file(s);
            continue;
        }
        got = WK_MIN(got, n - done);
        memcpy(dst + done, p, got);
        wk_file_skip(s->in->file, got);
        done += got;
        wk_tick(s->c, (uint32_t)(got / 1024) + 1);
    }
    s->left -= done;
    return done;
}

static void dump(struct source *s)
{
    const struct hexdump_formats *f = &s->o->formats;
    unsigned char *block = wk_heap_zalloc(s->c->heap, f->block + 8);
    unsigned char *before = wk_heap_zalloc(s->c->heap, f->block + 8);
    bool first = true, same = false;
    for (;;) {
        size_t n = fill(s, block, f->block);
        if (!n)
            break;
        memset(block + n, 0, f->block - n);
        bool repeats = !first && !s->o->all && n == f->block && memcmp(block, before, n) == 0;
        if (repeats && !same)
            wk_out_c(s->c->out, "*\n");
        else if (!repeats)
            wk_hexdump_block(s->c, f, block, n < f->block ? n : SIZE_MAX, s->address);
        if (s->c->out->err)
            return;
        same = repeats;
        first = false;
        s->address += n;
        unsigned char *t = before;
        before = block;
        block = t;
        if (n < f->block)
            break;
    }
}

static int hexdump_main(struct wk_cmd *c)
{
    struct hexdump_opts *o = c->opts;
    begin_formats(c);
    if (!o->formats.n)
        add_preset(c, 'n');
    wk_hexdump_settle(c, &o->formats);
    struct source s = {.c = c, .o = o, .skip = (uint64_t)o->skip};
    s.left = o->length ? (uint64_t)o->length - 1 : UINT64_MAX;
    if (o->formats.block)
        dump(&s);
    else
        while (open_next(&s))
            close_file(&s);
    if (s.address)
        wk_hexdump_end(c, &o->formats, s.address);
    if (s.in)
        wk_in_sync(c->in);
    wk_out_may_be_closed(c);
    return c->status;
}

WK_COMMAND(hexdump, .aliases = "hd", .summary = "show files as numbers and characters",
           .usage = "hexdump [OPTION]... [FILE]...",
           .help = "LENGTH and OFFSET may have the suffixes K, M, G, T, P, E (KiB, …: the same;\n"
                   "KB, …: powers of 1000).",
           .std = "util-linux 2.38", .opts = hexdump_options,
           .opts_size = sizeof(struct hexdump_opts),
           .flags = WK_CMD_FILTER);
