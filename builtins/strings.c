/* strings.c - the printable strings in files
 *
 * Oracle: strings of binutils 2.40.
 */
#include "base/num.h"
#include "builtins/fsops.h"
#include "builtins/zone.h"

enum strings_unicode { STRINGS_BYTES, STRINGS_INVALID, STRINGS_LOCALE, STRINGS_ESCAPE, STRINGS_HEX };

struct strings_opts {
    bool all, data, file_names, white;
    uint64_t least;
    bool least_given;
    const char *digits; /* the first -NUMBER */
    char radix, encoding;
    enum strings_unicode unicode;
    const char *separator, *target;
};
#define SO struct strings_opts

static int set_least(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    SO *o = (SO *)c->opts;
    const char *p = arg + strspn(arg, " \t\n\v\f\r");
    bool minus = *p == '-';
    p += minus || *p == '+';
    int err;
    size_t n = wk_scan_u64(wk_str_c(p), 0, &o->least, &err);
    if (*arg && (!n || p[n]))
        wk_fail(c, 1, "invalid integer argument %s", arg);
    o->least = !n ? 0 : err ? UINT64_MAX : minus ? 0 - o->least : o->least;
    o->least &= UINT32_MAX; /* as an unsigned int holds it */
    o->least_given = true;
    return 0;
}

static int set_radix(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    if (strcmp(arg, "o") != 0 && strcmp(arg, "d") != 0 && strcmp(arg, "x") != 0)
        wk_try_help(c);
    ((SO *)c->opts)->radix = arg[0];
    return 0;
}

static int set_octal(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    (void)arg;
    ((SO *)c->opts)->radix = 'o';
    return 0;
}

static int set_encoding(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    if (!arg[0] || arg[1])
        wk_try_help(c);
    ((SO *)c->opts)->encoding = arg[0];
    return 0;
}

static int set_unicode(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct {
        const char *word;
        enum strings_unicode how;
    } words[] = {{"default", STRINGS_BYTES},    {"d", STRINGS_BYTES},     {"invalid", STRINGS_INVALID},
                 {"i", STRINGS_INVALID},        {"locale", STRINGS_LOCALE}, {"l", STRINGS_LOCALE},
                 {"escape", STRINGS_ESCAPE},    {"e", STRINGS_ESCAPE},    {"highlight", STRINGS_ESCAPE},
                 {"h", STRINGS_ESCAPE},         {"hex", STRINGS_HEX},     {"x", STRINGS_HEX}};
    (void)opt;
    for (size_t i = 0; i < WK_COUNTOF(words); i++)
        if (!strcmp(words[i].word, arg)) {
            ((SO *)c->opts)->unicode = words[i].how;
            return 0;
        }
    wk_fail(c, 1, "invalid argument to -U/--unicode: %s", arg);
}

static const struct wk_opt strings_options[] = {
    WK_FLAG(SO, all, 'a', "all", "the whole of each file (the default)"),
    WK_FLAG(SO, data, 'd', "data", "only the data sections of object files"),
    WK_FLAG(SO, file_names, 'f', "print-file-name", "the file's name before each string"),
    WK_FUNC_OPT(set_least, 0, 'n', "bytes", "NUMBER", "strings of at least NUMBER characters (4)"),
    WK_FUNC_OPT(set_radix, 0, 't', "radix", "RADIX", "where each string is: o octal, d decimal, x hexadecimal"),
    WK_FLAG(SO, white, 'w', "include-all-whitespace", "every white space is part of strings"),
    WK_FUNC_OPT(set_octal, 0, 'o', NULL, NULL, "the same as --radix=o"),
    WK_STR_OPT(SO, target, 'T', "target", "NAME", "format of object files"),
    WK_FUNC_OPT(set_encoding, 0, 'e', "encoding", "ENCODING",
                "s 7 bits, S 8 bits, b and l 16 bits, B and L 32 bits; big or little end first"),
    WK_FUNC_OPT(set_unicode, 0, 'U', "unicode", "HOW", "UTF-8: default, invalid, locale, escape, hex, highlight"),
    WK_STR_OPT(SO, separator, 's', "output-separator", "STRING", "behind each string instead of a newline"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "the same as --help"),
    WK_FUNC_OPT(wk_opt_about, 1, 'v', NULL, NULL, "the same as --version"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "the same as --version"),
    WK_OPTS_END,
};

/* -NUMBER */
static int digits_option(struct wk_cmd *c, int at)
{
    SO *o = (SO *)c->opts;
    const char *a = c->argv[at];
    if (a[0] != '-' || !wk_is_digit(a[1]) || a[1 + strspn(a + 1, "0123456789abcdefABCDEFxX")])
        return 0;
    if (!o->digits)
        o->digits = a + 1;
    return 1;
}

/* ---- characters -------------------------------------------------------------------------------- */

struct scan {
    struct wk_cmd *c;
    const SO *o;
    struct wk_in *in;
    const char *name;
    uint64_t least, at; /* at: address of p[0] */
    size_t from, n;     /* what is left of the buffer */
    bool eof;
    unsigned char p[32768];
};

static void fill(struct scan *s)
{
    if (s->eof || s->n >= 4)
        return;
    memmove(s->p, s->p + s->from, s->n);
    s->from = 0;
    size_t got = wk_in_read(s->in, s->p + s->n, sizeof s->p - s->n);
    s->eof = got == 0;
    s->n += got;
    if (!s->eof && s->n < 4)
        fill(s);
}

static bool is_printable(const SO *o, uint32_t ch)
{
    return (ch >= ' ' && ch < 127) || ch == '\t' || (o->white && ch < 128 && wk_is_space((int)ch)) ||
           (o->encoding == 'S' && ch > 127 && ch < 256);
}

static size_t utf8_length(const unsigned char *p, size_t n)
{
    size_t len = *p < 0xc0 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
    if (len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return len;
}

/* Length of the printable character at hand, 0 when there is none; *ch is it, or 0: as it stands. */
static size_t next_char(struct scan *s, uint32_t *ch)
{
    fill(s);
    const unsigned char *p = s->p + s->from;
    if (!s->n)
        return 0;
    if (s->o->unicode != STRINGS_BYTES) {
        *ch = *p;
        if (*p < 128)
            return is_printable(s->o, *p);
        *ch = 0;
        if (s->o->unicode == STRINGS_INVALID)
            return 0;
        return utf8_length(p, s->n);
    }
    switch (s->o->encoding) {
    case 'b':
    case 'l':
        if (s->n < 2)
            return 0;
        *ch = s->o->encoding == 'b' ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
        return is_printable(s->o, *ch) ? 2 : 0;
    case 'B':
    case 'L':
        if (s->n < 4)
            return 0;
        *ch = s->o->encoding == 'B' ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
                                    : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
        return is_printable(s->o, *ch) ? 4 : 0;
    default:
        *ch = *p;
        return is_printable(s->o, *p);
    }
}

/* A character as it is shown. The numbers of those of four bytes are the real tool's. */
static void put_char(struct scan *s, struct wk_buf *b, uint32_t ch, size_t n)
{
    const unsigned char *p = s->p + s->from;
    if (ch) {
        wk_buf_putc(b, (char)ch);
    } else if (s->o->unicode == STRINGS_LOCALE) {
        wk_buf_put(b, p, n);
    } else if (s->o->unicode == STRINGS_HEX) {
        wk_buf_put_c(b, "<0x");
        for (size_t i = 0; i < n; i++)
            wk_buf_fmt(b, "%02x", p[i]);
        wk_buf_putc(b, '>');
    } else if (n == 2) {
        wk_buf_fmt(b, "\\u%02x%02x", (p[0] & 0x1cu) >> 2, (p[0] & 3u) << 6 | (p[1] & 0x3fu));
    } else if (n == 3) {
        wk_buf_fmt(b, "\\u%02x%02x", (p[0] & 0xfu) << 4 | (p[1] & 0x3cu) >> 2, (p[1] & 3u) << 6 | (p[2] & 0x3fu));
    } else {
        wk_buf_fmt(b, "\\u%02x%02x%02x", (p[0] & 7u) << 6 | (p[1] & 0x3cu) >> 2, (p[1] & 3u) << 6 | (p[2] & 0x3cu) >> 2,
                   (p[2] & 3u) << 6 | (p[3] & 0x3fu));
    }
}

static void take(struct scan *s, size_t n)
{
    s->from += n;
    s->n -= n;
    s->at += n;
}

/* ---- strings ----------------------------------------------------------------------------------- */

static void put_head(struct scan *s, uint64_t at)
{
    struct wk_out *out = s->c->out;
    if (s->o->file_names)
        wk_out_fmt(out, "%s: ", s->name);
    if (s->o->radix == 'o')
        wk_out_fmt(out, "%7llo ", (unsigned long long)at);
    else if (s->o->radix == 'd')
        wk_out_fmt(out, "%7llu ", (unsigned long long)at);
    else if (s->o->radix == 'x')
        wk_out_fmt(out, "%7llx ", (unsigned long long)at);
}

/* Where characters are bytes: in runs. */
static void scan_bytes(struct scan *s)
{
    struct wk_buf *b = wk_cmd_buf(s->c, SIZE_MAX / 2); /* what is too short to be told yet */
    bool printable[256];
    uint64_t count = 0, start = s->at;
    for (uint32_t ch = 0; ch < 256; ch++)
        printable[ch] = is_printable(s->o, ch);
    for (;;) {
        if (!s->n)
            fill(s);
        const unsigned char *p = s->p + s->from;
        size_t n = 0;
        while (n < s->n && printable[p[n]])
            n++;
        if (count + n < s->least) {
            wk_buf_put(b, p, n);
            if (b->failed)
                wk_fail(s->c, 1, "%s", wk_err_text(WK_ENOMEM));
        } else {
            if (count < s->least) {
                put_head(s, start);
                wk_out_put(s->c->out, b->p, b->n);
            }
            wk_out_put(s->c->out, p, n);
        }
        count += n;
        take(s, n);
        if (!s->n && !s->eof)
            continue;
        if (count >= s->least)
            wk_out_c(s->c->out, s->o->separator ? s->o->separator : "\n");
        if (!s->n)
            return;
        for (n = 0; n < s->n && !printable[s->p[s->from + n]]; n++) {
        }
        take(s, n);
        wk_buf_reset(b);
        count = 0;
        start = s->at;
    }
}

static void scan_strings(struct scan *s)
{
    struct wk_buf *b = wk_cmd_buf(s->c, SIZE_MAX / 2);
    for (;;) {
        uint64_t count = 0, start = s->at;
        uint32_t ch;
        size_t n;
        wk_buf_reset(b);
        while ((n = next_char(s, &ch)) > 0) {
            put_char(s, b, ch, n);
            if (b->failed)
                wk_fail(s->c, 1, "%s", wk_err_text(WK_ENOMEM));
            take(s, n);
            if (++count == s->least)
                put_head(s, start);
            if (count >= s->least) {
                wk_out_put(s->c->out, b->p, b->n);
                wk_buf_reset(b);
            }
        }
        if (count >= s->least)
            wk_out_c(s->c->out, s->o->separator ? s->o->separator : "\n");
        if (!s->n)
            return;
        take(s, 1);
    }
}

static void scan_file(struct wk_cmd *c, const SO *o, const char *name)
{
    struct scan *s = wk_new(c, struct scan);
    struct wk_stat st;
    s->c = c;
    s->o = o;
    s->name = name ? name : "{standard input}";
    s->least = o->least;
    s->in = c->in;
    if (name) {
        int err = wk_cmd_stat(c, name, true, &st);
        if (err == WK_ENOENT) {
            wk_msg(c, "'%s': No such file", name);
            return;
        }
        if (err) {
            wk_msg(c, "Warning: could not locate '%s'.  reason: %s", name, wk_err_text(err));
            return;
        }
        if ((st.mode & WK_S_IFMT) == WK_S_IFDIR) {
            wk_msg(c, "Warning: '%s' is a directory", name);
            return;
        }
        s->in = wk_in_open(c, name, false);
        if (!s->in)
            return;
    } else if (!c->in->file || (wk_file_stat(c->in->file, &st) >= 0 && WK_S_ISDIR(st.mode))) {
        return; /* nothing can be read, which strings does not look at */
    }
    fill(s);
    if (o->data && !o->all && s->n >= 4 && !memcmp(s->p, "\177ELF", 4))
        wk_msg(c, "%s: the sections of object files are not known here (-d)", s->name);
    else if (o->unicode == STRINGS_BYTES && (!o->encoding || strchr("sS", o->encoding)))
        scan_bytes(s);
    else
        scan_strings(s);
    if (name)
        wk_in_close(s->in);
    wk_heap_free(c->heap, s);
}

/* What can be told only when all options are read. */
static void settle(struct wk_cmd *c, SO *o)
{
    if (o->digits)
        (void)set_least(c, NULL, o->digits);
    if (!o->least_given)
        o->least = 4;
    if (!o->least)
        wk_fail(c, 1, "invalid minimum string length 0");
    if (o->unicode != STRINGS_BYTES)
        o->encoding = 'S';
    if (o->encoding && !strchr("sSblBL", o->encoding))
        wk_try_help(c);
}

static int strings_main(struct wk_cmd *c)
{
    SO *o = (SO *)c->opts;
    bool any = false, dash = false;
    settle(c, o);
    for (int i = 0; i < c->nargs; i++) {
        if (!strcmp(c->args[i], "-")) {
            dash = true;
            continue;
        }
        struct wk_stat st;
        if (c->args[i][0] == '@' && !wk_cmd_stat(c, c->args[i] + 1, true, &st))
            wk_fail(c, 1, "%s: options are not read from files here", c->args[i]);
        any = true;
        scan_file(c, o, c->args[i]);
    }
    if (!any && dash)
        wk_try_help(c);
    if (!any)
        scan_file(c, o, NULL);
    (void)wk_out_flush(c->out);
    if (c->out->err != WK_EPIPE)
        c->out->err = 0; /* not looked at */
    return c->status;
}

WK_COMMAND(strings, .summary = "print the printable strings in files", .usage = "strings [OPTION]... [FILE]...",
           .std = "binutils 2.40", .opts = strings_options, .opts_size = sizeof(struct strings_opts),
           .old_style = digits_option);
