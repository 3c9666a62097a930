/* wc.c - count lines, words, characters and bytes
 *
 * Standard: GNU coreutils 9.1, in UTF-8. Oracle: wc.
 */
#include "base/utf8.h"
#include "builtins/fsops.h"

struct wc_opts {
    bool lines, words, chars, bytes, width;
    const char *files_from;
};

static const struct wk_opt wc_options[] = {
    WK_FLAG(struct wc_opts, bytes, 'c', "bytes", "print the byte counts"),
    WK_FLAG(struct wc_opts, chars, 'm', "chars", "print the character counts"),
    WK_FLAG(struct wc_opts, lines, 'l', "lines", "print the newline counts"),
    WK_STR_OPT(struct wc_opts, files_from, 0, "files0-from", "F",
               "read input from the files specified by\nNUL-terminated names in file F;\n"
               "If F is - then read names from standard input"),
    WK_FLAG(struct wc_opts, width, 'L', "max-line-length", "print the maximum display width"),
    WK_FLAG(struct wc_opts, words, 'w', "words", "print the word counts"),
    WK_OPTS_END,
};

struct wc_counts {
    uint64_t lines, words, chars, bytes, width;
};

struct wc_state {
    struct wk_cmd *c;
    const struct wc_opts *o;
    int columns; /* of each number */
    struct wc_counts total;
    struct wc_counts now;
    uint64_t column; /* of the present line, for -L */
    bool in_word;
    bool used_input; /* standard input was counted */
    bool bytes;   /* each is a character */
    char part[4]; /* the start of a character that the next piece continues */
    size_t part_n;
};

/* What an ASCII byte does to words: 0 nothing, 1 part of a word, 2 ends one. */
static int word_class(unsigned char b)
{
    return b == ' ' || (b >= '\t' && b <= '\r') ? 2 : b >= 33 && b < 127;
}

static void end_line_width(struct wc_state *s)
{
    if (s->column > s->now.width)
        s->now.width = s->column;
    s->column = 0;
}

static void count_char(struct wc_state *s, uint32_t ch)
{
    if (wk_utf8_is_bad(ch))
        return;
    s->now.chars++;
    if (ch == '\n' || ch == '\r' || ch == '\f') {
        end_line_width(s);
    } else if (ch == '\t') {
        s->column += 8 - s->column % 8;
    } else {
        int w = wk_utf8_width(ch);
        s->column += w > 0 ? (uint64_t)w : 0;
    }
    bool nbsp = ch == 0xa0 || ch == 0x2007 || ch == 0x202f || ch == 0x2060;
    if (ch < 128 ? word_class((unsigned char)ch) == 2 : nbsp || wk_utf8_is(ch, WK_CLASS_SPACE)) {
        s->now.words += s->in_word;
        s->in_word = false;
    } else if (ch < 128 ? word_class((unsigned char)ch) == 1 : wk_utf8_is(ch, WK_CLASS_PRINT)) {
        s->in_word = true;
    }
}

/* Whether p could become a longer well-formed character with more bytes. */
static bool is_unfinished(const char *p, size_t n)
{
    unsigned char b = (unsigned char)*p;
    size_t need = b >= 0xf0 && b < 0xf5   ? 4
                  : b >= 0xe0 && b < 0xf0 ? 3
                  : b >= 0xc2 && b < 0xe0 ? 2
                                          : 1;
    if (n >= need)
        return false;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)p[i] & 0xc0) != 0x80)
            return false;
    return true;
}

static void count_text(struct wc_state *s, const char *p, size_t n)
{
    size_t i = 0;
    while (s->part_n && i < n) {
        uint32_t ch;
        s->part[s->part_n++] = p[i++];
        if (s->part_n < 4 && is_unfinished(s->part, s->part_n))
            continue;
        size_t used = wk_utf8_next(s->part, s->part_n, &ch);
        count_char(s, ch);
        memmove(s->part, s->part + used, s->part_n - used);
        s->part_n -= used;
        while (s->part_n && !is_unfinished(s->part, s->part_n)) {
            used = wk_utf8_next(s->part, s->part_n, &ch);
            count_char(s, ch);
            memmove(s->part, s->part + used, s->part_n - used);
            s->part_n -= used;
        }
    }
    bool simple = !s->o->width;
    while (i < n) {
        unsigned char b = (unsigned char)p[i];
        if (simple && b < 128) {
            int k = word_class(b);
            s->now.chars++;
            s->now.words += (k == 2) & s->in_word;
            s->in_word = k == 1 || (k == 0 && s->in_word);
            i++;
            continue;
        }
        if (b >= 0xc2 && n - i < 4 && is_unfinished(p + i, n - i)) {
            s->part_n = n - i;
            memcpy(s->part, p + i, s->part_n);
            break;
        }
        uint32_t ch;
        i += wk_utf8_next(p + i, n - i, &ch);
        count_char(s, ch);
    }
}

/* Bytes are characters: those past ASCII are neither printed nor blank. */
static void count_bytes(struct wc_state *s, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char b = (unsigned char)p[i];
        int k = b < 128 ? word_class(b) : 0;
        s->now.words += (k == 2) & s->in_word;
        s->in_word = k == 1 || (k == 0 && s->in_word);
        if (b == '\n' || b == '\r' || b == '\f')
            end_line_width(s);
        else if (b == '\t')
            s->column += 8 - s->column % 8;
        else
            s->column += b >= 32 && b < 127;
    }
}

static int count_file(struct wc_state *s, struct wk_in *in)
{
    struct wk_cmd *c = s->c;
    const struct wc_opts *o = s->o;
    struct wk_stat st;
    bool text = o->words || o->width || (o->chars && !s->bytes);
    memset(&s->now, 0, sizeof s->now);
    s->column = 0;
    s->in_word = false;
    s->part_n = 0;
    if (!in->file)
        return WK_EBADF;
    if ((o->bytes || o->chars) && !text && !o->lines && in->file->kind == WK_FILE_VFS &&
        wk_file_stat(in->file, &st) >= 0 && WK_S_ISREG(st.mode) && st.size > 0) {
        int64_t at = wk_file_seek(in->file, 0, 1), end = at < 0 ? at : wk_file_seek(in->file, 0, 2);
        if (end >= 0) {
            s->now.bytes = s->now.chars = end > at ? (uint64_t)(end - at) : 0;
            return 0;
        }
    }
    const char *p;
    size_t n;
    int err;
    while ((n = wk_raw_next(c, in, &p, &err)) > 0) {
        s->now.bytes += n;
        if (o->lines)
            s->now.lines += wk_str_count(wk_str(p, n), '\n');
        if (text && s->bytes)
            count_bytes(s, p, n);
        else if (text)
            count_text(s, p, n);
        wk_file_skip(in->file, n);
        wk_tick(c, (uint32_t)(n / (text ? 8 : 64)));
    }
    if (s->bytes)
        s->now.chars = s->now.bytes;
    end_line_width(s);
    s->now.words += s->in_word;
    return err;
}

static void put_counts(struct wc_state *s, const struct wc_counts *k, const char *name)
{
    const struct wc_opts *o = s->o;
    const bool want[] = {o->lines, o->words, o->chars, o->bytes, o->width};
    const uint64_t value[] = {k->lines, k->words, k->chars, k->bytes, k->width};
    bool first = true;
    for (size_t i = 0; i < WK_COUNTOF(want); i++) {
        if (!want[i])
            continue;
        wk_out_fmt(s->c->out, "%s%*llu", first ? "" : " ", s->columns,
                   (unsigned long long)value[i]);
        first = false;
    }
    if (name)
        wk_out_fmt(s->c->out, " %s", strchr(name, '\n') ? wk_quote_maybe(s->c, name) : name);
    wk_out_char(s->c->out, '\n');
}

/* name NULL: standard input without an operand. */
static void wc_file(struct wc_state *s, const char *name)
{
    struct wk_cmd *c = s->c;
    struct wk_in *in = c->in;
    int err = name && strcmp(name, "-") != 0 ? wk_raw_open(c, name, false, &in) : 0;
    if (err) {
        wk_warn(c, name, err);
        return;
    }
    s->used_input = s->used_input || in == c->in;
    err = count_file(s, in);
    if (err)
        wk_warn(c, name ? name : "standard input", err);
    put_counts(s, &s->now, name);
    s->total.lines += s->now.lines;
    s->total.words += s->now.words;
    s->total.chars += s->now.chars;
    s->total.bytes += s->now.bytes;
    if (s->now.width > s->total.width)
        s->total.width = s->now.width;
    if (in != c->in)
        wk_in_close(in);
}

/* Numbers are as wide as the sum of the sizes of regular files; anything else asks for seven. */
static int number_columns(struct wk_cmd *c, const struct wc_opts *o, char **names, size_t n)
{
    int kinds = o->lines + o->words + o->chars + o->bytes + o->width;
    if (n <= 1 && kinds == 1)
        return 1;
    uint64_t sum = 0;
    int columns = 1, least = 1;
    for (size_t i = 0; i < n; i++) {
        struct wk_stat st;
        if (!names[i] || strcmp(names[i], "-") == 0) {
            if (o->files_from && strcmp(o->files_from, "-") == 0)
                continue; /* it held the list and is closed */
            if (!c->in || !c->in->file || wk_file_stat(c->in->file, &st) < 0)
                continue;
        } else if (wk_at_stat(c, NULL, names[i], true, &st)) {
            continue;
        }
        if (!WK_S_ISREG(st.mode))
            least = 7;
        else if (__builtin_add_overflow(sum, st.size, &sum))
            sum = UINT64_MAX;
    }
    for (; sum >= 10; sum /= 10)
        columns++;
    return columns < least ? least : columns;
}

/* The names are read as a list first when the list is a regular file, one by one otherwise. */
static void wc_files_from(struct wc_state *s)
{
    struct wk_cmd *c = s->c;
    const char *from = s->o->files_from;
    struct wk_in *in;
    struct wk_str name;
    struct wk_stat st;
    size_t n = 0, cap = 0, line = 0;
    char **names = NULL;
    if (c->nargs)
        wk_usage(c, "extra operand %s\nfile operands cannot be combined with --files0-from",
                 wk_quote(c, c->args[0]));
    int err = wk_raw_open(c, from, true, &in);
    if (err)
        wk_fail(c, 1, "cannot open %s for reading: %s", wk_quote(c, from), wk_err_text(err));
    bool known = wk_file_stat(in->file, &st) >= 0;
    if (known && WK_S_ISDIR(st.mode))
        wk_fail(c, 1, "%s: read error: %s", wk_quote_maybe(c, from), wk_err_text(WK_EISDIR));
    bool list = known && WK_S_ISREG(st.mode) && st.size < 10 << 20;
    s->columns = 1;
    while (wk_line_next(in, '\0', &name)) {
        char *text = wk_dupn(c, name.p, name.n);
        if (n == cap) {
            cap = cap ? cap * 2 : 64;
            names = (char **)wk_heap_realloc(c->heap, names, cap * sizeof *names);
        }
        names[n++] = text;
        if (!list)
            n = 0;
        else
            continue;
        line++;
        if (!*text)
            wk_msg(c, "%s:%zu: invalid zero-length file name", wk_quote_maybe(c, from), line);
        else if (strcmp(from, "-") == 0 && strcmp(text, "-") == 0)
            wk_msg(c, "when reading file names from stdin, no file name of '-' allowed");
        else
            wc_file(s, text);
        wk_heap_free(c->heap, text);
    }
    if (list)
        s->columns = number_columns(c, s->o, names, n);
    for (size_t i = 0; list && i < n; i++, line++) {
        if (!*names[i])
            wk_msg(c, "%s:%zu: invalid zero-length file name", wk_quote_maybe(c, from), i + 1);
        else if (strcmp(from, "-") == 0 && strcmp(names[i], "-") == 0)
            wk_msg(c, "when reading file names from stdin, no file name of '-' allowed");
        else
            wc_file(s, names[i]);
    }
    if (line > 1)
        put_counts(s, &s->total, "total");
}

/* Lines are written one by one in the real tool: which error it was is no longer known at the end. */
static int end(struct wc_state *s)
{
    struct wk_cmd *c = s->c;
    int err = wk_out_flush(c->out);
    if (s->used_input && !c->in->file)
        wk_msg(c, "-: %s", wk_err_text(WK_EBADF));
    if (err && err != WK_EPIPE && err != WK_EBADF) {
        c->out->err = 0;
        wk_msg(c, "write error");
    }
    return c->status;
}

static int wc_main(struct wk_cmd *c)
{
    struct wc_opts *o = (struct wc_opts *)c->opts;
    struct wc_state s = {.c = c, .o = o, .bytes = !wk_cmd_utf8(c)};
    if (!o->lines && !o->words && !o->chars && !o->bytes && !o->width)
        o->lines = o->words = o->bytes = true;
    if (o->files_from) {
        wc_files_from(&s);
        return end(&s);
    }
    char *none[] = {NULL};
    s.columns = number_columns(c, o, c->nargs ? c->args : none, c->nargs ? (size_t)c->nargs : 1);
    if (c->nargs == 0)
        wc_file(&s, NULL);
    for (int i = 0; i < c->nargs; i++) {
        if (!*c->args[i])
            wk_msg(c, "invalid zero-length file name");
        else
            wc_file(&s, c->args[i]);
    }
    if (c->nargs > 1)
        put_counts(&s, &s.total, "total");
    return end(&s);
}

WK_COMMAND(wc, .summary = "print newline, word, and byte counts for each file",
           .usage = "wc [OPTION]... [FILE]...\nwc [OPTION]... --files0-from=F",
           .std = "coreutils 9.1", .opts = wc_options, .opts_size = sizeof(struct wc_opts));
