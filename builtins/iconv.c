/* iconv.c - convert text from one character set to another
 *
 * Standard: POSIX. Oracle: glibc 2.36 iconv. Differs: docs/divergences/iconv.md.
 */
#include "builtins/charset_shift.h"
#include "builtins/fsops.h"

struct iconv_opts {
    const char *from, *to, *output;
    bool list, skip, silent, verbose;
};

static int show_usage(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt, (void)arg;
    wk_out_fmt(c->out, "Usage: %s\n", c->command->usage);
    wk_exit(c, 0);
}

static const struct wk_opt iconv_options[] = {
    WK_STR_OPT(struct iconv_opts, from, 'f', "from-code", "NAME", "character set of the input"),
    WK_STR_OPT(struct iconv_opts, to, 't', "to-code", "NAME", "of the output; //TRANSLIT //IGNORE may follow"),
    WK_FLAG(struct iconv_opts, list, 'l', "list", "list the character sets"),
    WK_FLAG(struct iconv_opts, skip, 'c', NULL, "leave out what cannot be converted"),
    WK_STR_OPT(struct iconv_opts, output, 'o', "output", "FILE", "write to FILE"),
    WK_FLAG(struct iconv_opts, silent, 's', "silent", "no warnings"),
    WK_FLAG(struct iconv_opts, verbose, 0, "verbose", "name the files on standard error"),
    WK_FUNC_OPT(show_usage, 0, 0, "usage", NULL, "print a short reminder of the options"),
    WK_FUNC_OPT(wk_opt_about, 0, '?', NULL, NULL, "the same as --help"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "the same as --version"),
    WK_OPTS_END,
};

struct iconv {
    struct wk_cmd *c;
    struct wk_charset from, to;
    struct wk_shift shift_from, shift_to; /* kind NONE: the sets above count */
    struct wk_out *out;
    bool translit, ignore, skip, from_big;
    bool skipped;          /* by //IGNORE alone: an error in the end */
    bool began, mark_done; /* reading: the first character; writing: the byte order mark */
    bool wrote;            /* something of this file */
    uint64_t position;     /* in this file */
    struct wk_fifo_buf held;
    uint32_t letter; /* read, kept back: a mark may join it; 0: none */
    struct wk_spelling *spellings;
    size_t nspellings;
};

/* ---- one character ------------------------------------------------------------------------------ */

static bool put_plain(struct iconv *v, uint32_t c)
{
    unsigned char out[WK_SHIFT_BYTES];
    size_t n = v->shift_to.kind ? wk_shift_put(&v->shift_to, c, out) : wk_charset_put(&v->to, c, out);
    if (!n)
        return false;
    if (v->to.mark_written && !v->mark_done) {
        unsigned char mark[4];
        size_t m = wk_charset_put(&v->to, 0xfeff, mark);
        wk_out_put(v->out, (const char *)mark, m);
    }
    v->mark_done = v->wrote = true;
    wk_out_put(v->out, (const char *)out, n);
    return true;
}

/* NULL: there is none here. */
static const struct wk_spelling *spelling_of(struct iconv *v, uint32_t c)
{
    if (!v->spellings)
        v->spellings = wk_spellings_read(v->c, &v->nspellings);
    size_t low = 0, high = v->nspellings;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (v->spellings[mid].c < c)
            low = mid + 1;
        else
            high = mid;
    }
    char other = wk_cmd_utf8(v->c) ? 2 : 1;
    for (; low < v->nspellings && v->spellings[low].c == c; low++)
        if (v->spellings[low].where != other)
            return &v->spellings[low];
    return NULL;
}

static bool put_character(struct iconv *v, uint32_t c)
{
    if (put_plain(v, c))
        return true;
    if (v->translit) {
        const struct wk_spelling *s = spelling_of(v, c);
        struct wk_str text = s ? s->text : WK_STR("?");
        for (size_t i = 0; i < text.n; i++)
            (void)put_plain(v, (unsigned char)text.p[i]);
        return true;
    }
    if (v->ignore || v->skip) {
        v->skipped = true;
        return true;
    }
    return false;
}

/* ---- a file ------------------------------------------------------------------------------------- */

static WK_NORETURN void illegal(struct iconv *v)
{
    (void)wk_out_flush(v->out);
    wk_fail(v->c, 1, "illegal input sequence at position %llu", (unsigned long long)v->position);
}

/* A byte order mark at the start says how to read on. Gives its length. */
static size_t read_mark(struct iconv *v, const unsigned char *p, size_t n)
{
    size_t unit = (size_t)v->from.unit;
    if (v->began || !v->from.mark_read || n < unit)
        return 0;
    v->began = true;
    static const unsigned char big[4] = {0, 0, 0xfe, 0xff}, little[4] = {0xff, 0xfe, 0, 0};
    bool is_big = memcmp(p, big + 4 - unit, unit) == 0, is_little = memcmp(p, little, unit) == 0;
    if (is_big)
        v->from.big = true;
    return is_big || is_little ? unit : 0;
}

/* The letter that was kept back. */
static bool put_letter(struct iconv *v)
{
    uint32_t letter = v->letter;
    v->letter = 0;
    return !letter || put_character(v, letter);
}

/* A character of the input: a letter waits for what comes behind it, where the set has marks of their own. */
static bool take_character(struct iconv *v, uint32_t c)
{
    if (!v->from.map || !v->from.map->njoined)
        return put_character(v, c);
    uint32_t together = v->letter ? wk_charset_map_join(v->from.map, v->letter, c) : 0;
    if (together) {
        v->letter = 0;
        return put_character(v, together);
    }
    if (!put_letter(v))
        return false;
    if (wk_charset_map_joins(v->from.map, c)) {
        v->letter = c;
        return true;
    }
    return put_character(v, c);
}

static void convert(struct iconv *v, const unsigned char *p, size_t n, size_t *used)
{
    size_t i = read_mark(v, p, n);
    v->position += i;
    while (i < n) {
        uint32_t c;
        int r = v->shift_from.kind ? wk_shift_get(&v->shift_from, p + i, n - i, &c)
                                   : wk_charset_get(&v->from, p + i, n - i, &c);
        if (r == WK_CHARSET_SHORT)
            break;
        size_t length = r > 0 ? (size_t)r : c;
        if (r == WK_CHARSET_BAD) {
            if (!v->skip && !v->ignore)
                illegal(v);
            v->skipped = true;
        } else if (c == WK_SHIFT_NOTHING) {
        } else if (c & WK_CHARSET_PAIR) {
            const uint32_t *pair = v->from.map->pair[c - WK_CHARSET_PAIR];
            if (!put_character(v, pair[0]) || !put_character(v, pair[1]))
                illegal(v);
        } else if (!take_character(v, c)) {
            illegal(v);
        }
        i += WK_MIN(length, n - i);
        v->position += length;
    }
    wk_tick(v->c, (uint32_t)(n / 16 & 0xffffff) + 1);
    *used = i;
}

static void convert_file(struct iconv *v, const char *name)
{
    struct wk_cmd *c = v->c;
    struct wk_in *in;
    const char *p;
    size_t n, used;
    int err = wk_raw_open(c, name, true, &in);
    if (err && err != WK_EISDIR) {
        (void)wk_out_flush(v->out);
        wk_msg(c, "cannot open input file `%s': %s", name, wk_err_text(err));
        return;
    }
    v->position = 0;
    v->skipped = v->wrote = v->began = v->mark_done = false;
    v->from.big = v->from_big;
    wk_shift_reset(&v->shift_from);
    wk_shift_reset(&v->shift_to);
    while (!err && (n = wk_raw_next(c, in, &p, &err)) > 0) {
        n = WK_MIN(n, 65536);
        wk_fifo_put(c, &v->held, p, n);
        wk_file_skip(in->file, n);
        convert(v, (const unsigned char *)v->held.p + v->held.head, v->held.n, &used);
        wk_fifo_take(&v->held, used);
    }
    if (!put_letter(v))
        illegal(v);
    unsigned char end[WK_SHIFT_BYTES];
    if (v->shift_to.kind)
        wk_out_put(v->out, (const char *)end, wk_shift_end(&v->shift_to, end));
    if (in && !err && in != c->in)
        wk_in_close(in);
    if (err) {
        (void)wk_out_flush(v->out);
        wk_fail(c, 1, "error while reading the input: %s", wk_err_text(err));
    }
    if (v->skipped && !v->skip)
        illegal(v);
    if (v->held.n) {
        (void)wk_out_flush(v->out);
        wk_fail(c, 1, "incomplete character or shift sequence at end of buffer");
    }
    if (v->skipped && !v->wrote) /* when all of a file was left out */
        c->status = 1;
}

/* ---- arguments ---------------------------------------------------------------------------------- */

static bool same_word(struct wk_str a, const char *b)
{
    if (a.n != strlen(b))
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (wk_to_upper((unsigned char)a.p[i]) != b[i])
            return false;
    return true;
}

/* NAME//WORD//WORD, or NAME/WORD,WORD: what follows the name counts for the output. */
static void read_set(struct iconv *v, const char *text, struct wk_charset *out, struct wk_shift *shift, bool is_output)
{
    struct wk_str s = wk_str_c(text);
    ptrdiff_t slash = wk_str_chr(s, '/');
    struct wk_str name = slash < 0 ? s : wk_str_take(s, (size_t)slash);
    s = wk_str_from(s, name.n);
    if (!name.n)
        name = wk_cmd_utf8(v->c) ? WK_STR("UTF-8") : WK_STR("ASCII");
    const char *section = wk_charset_section(name);
    if (section) {
        *out = (struct wk_charset){.kind = WK_CHARSET_MAP, .map = wk_charset_map_read(v->c, section)};
        if (!out->map)
            section = NULL;
    }
    if (!section && !wk_shift_find(v->c, name, shift) && !wk_charset_find(name, out))
        wk_fail(v->c, 1, "failed to start conversion processing");
    while (is_output && s.n) {
        size_t n = strcspn(s.p, "/,");
        v->translit = v->translit || same_word(wk_str_take(s, n), "TRANSLIT");
        v->ignore = v->ignore || same_word(wk_str_take(s, n), "IGNORE");
        s = wk_str_from(s, n + 1);
    }
}

static int list_sets(struct wk_cmd *c)
{
    static const char *const others[] = {"ASCII",    "ISO-8859-1", "UTF-8",   "UTF-16",  "UTF-16LE", "UTF-16BE",
                                         "UTF-32",   "UTF-32LE",   "UTF-32BE", "UNICODE", "UCS-2",    "UCS-2LE",
                                         "UCS-2BE",  "UCS-4",      "UCS-4LE",  "UCS-4BE"};
    for (size_t i = 0; i < WK_COUNTOF(others); i++)
        wk_out_fmt(c->out, "%s//\n", others[i]);
    for (const struct wk_charset_table *t = wk_charset_tables; t->name; t++) {
        bool iso = strncmp(t->name, "8859_", 5) == 0, koi = t->name[0] == 'k';
        if (iso)
            wk_out_fmt(c->out, "ISO-8859-%s//\n", t->name + 5);
        else if (koi)
            wk_out_fmt(c->out, "KOI8-%c//\n", wk_to_upper(t->name[5]));
        else
            wk_out_fmt(c->out, "CP%s//\n", t->name);
    }
    wk_out_c(c->out, "UTF-7//\nISO-2022-JP//\n");
    const char *section;
    for (size_t i = 0; (section = wk_charset_section_at(i)) != NULL; i++)
        wk_out_fmt(c->out, "%s//\n", section);
    return c->status;
}

static int iconv_main(struct wk_cmd *c)
{
    const struct iconv_opts *o = (const struct iconv_opts *)c->opts;
    struct iconv v = {.c = c, .skip = o->skip, .out = c->out};
    if (o->list)
        return list_sets(c);
    read_set(&v, o->from ? o->from : "", &v.from, &v.shift_from, false);
    v.from_big = v.from.big;
    read_set(&v, o->to ? o->to : "", &v.to, &v.shift_to, true);
    if (o->output) {
        struct wk_file *f;
        int err = wk_cmd_open(c, o->output, WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0666, &f);
        if (err)
            wk_fail(c, 1, "cannot open output file: %s", wk_err_text(err));
        v.out = wk_out_of(c, f);
    }
    for (int i = 0; i < c->nargs || i == 0; i++) {
        const char *name = c->nargs ? c->args[i] : "-";
        if (o->verbose && c->nargs) {
            (void)wk_out_flush(v.out);
            wk_out_fmt(c->err, "%s:\n", name);
        }
        convert_file(&v, name);
    }
    if (v.out != c->out) {
        int err = wk_out_close(v.out);
        if (err)
            wk_fail(c, 1, "error while closing output file: %s", wk_err_text(err));
    }
    return c->status;
}

WK_COMMAND(iconv, .summary = "convert text from one character set to another", .usage = "iconv [OPTION]... [FILE]...",
           .std = "glibc 2.36", .opts = iconv_options, .opts_size = sizeof(struct iconv_opts), .usage_status = 64,
           .flags = WK_CMD_FILTER);
