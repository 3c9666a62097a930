/* fmt.c - fill and join the lines of paragraphs
 *
 * Standard: GNU coreutils 9.1. Oracle: fmt.
 */
#include "builtins/fmt.h"

#include "base/num.h"
#include "builtins/fsops.h"

struct fmt_opts {
    bool crown, tagged, split, uniform;
    const char *prefix, *width, *goal;
};

static const struct wk_opt fmt_options[] = {
    WK_FLAG(struct fmt_opts, crown, 'c', "crown-margin", "keep the indentation of the first two lines"),
    WK_STR_OPT(struct fmt_opts, prefix, 'p', "prefix", "STRING",
               "only lines that begin with STRING, which is put\nback in front of every line"),
    WK_FLAG(struct fmt_opts, split, 's', "split-only", "split long lines, join none"),
    WK_FLAG(struct fmt_opts, tagged, 't', "tagged-paragraph",
            "the first line is indented otherwise than the second"),
    WK_FLAG(struct fmt_opts, uniform, 'u', "uniform-spacing", "one space between words, two after sentences"),
    WK_STR_OPT(struct fmt_opts, width, 'w', "width", "WIDTH", "maximum line width (default 75)"),
    WK_STR_OPT(struct fmt_opts, goal, 'g', "goal", "WIDTH", "width aimed at (default 93% of the maximum)"),
    WK_OPTS_END,
};

/* -WIDTH is the first argument or an error, also among other letters. */
static int fmt_old_style(struct wk_cmd *c, int at)
{
    const char *arg = c->argv[at];
    if (arg[0] != '-')
        return 0;
    if (at == 1 && wk_is_digit(arg[1])) {
        ((struct fmt_opts *)c->opts)->width = arg + 1;
        return 1;
    }
    const char *p = arg + 1 + strspn(arg + 1, "cstu");
    if (wk_is_digit(*p))
        wk_usage(c, "invalid option -- %c; -WIDTH is recognized only when it is the first\noption; use -w N instead",
                 *p);
    return 0;
}

/* ---- input ------------------------------------------------------------------------------------- */

static int next_byte_slow(struct fmt *f)
{
    int err = 0;
    if (f->taken)
        wk_file_skip(f->in->file, f->taken);
    f->n = f->taken = f->failed ? 0 : wk_raw_next(f->c, f->in, &f->p, &err);
    f->failed = f->failed || err;
    if (!f->n)
        return -1;
    f->n--;
    return (unsigned char)*f->p++;
}

/* -1 at the end. */
static int next_byte(struct fmt *f)
{
    if (WK_UNLIKELY(!f->n))
        return next_byte_slow(f);
    f->n--;
    return (unsigned char)*f->p++;
}

static bool is_end(int ch)
{
    return ch == '\n' || ch < 0;
}

/* Passes blanks from ch on, counting columns; what is behind them. */
static int skip_blanks(struct fmt *f, int ch)
{
    enum { MOST = INT32_MAX / 4 }; /* a line of blanks only can be of any length */
    for (;; ch = next_byte(f)) {
        if (ch == ' ') {
            f->in_column += f->in_column < MOST;
        } else if (ch == '\t') {
            f->tabs = true;
            if (f->in_column < MOST)
                f->in_column = (f->in_column / 8 + 1) * 8;
        } else {
            return ch;
        }
    }
}

/* Passes the blanks and the prefix that a line begins with; what is behind them, or where it differs. */
static int start_line(struct fmt *f)
{
    f->in_column = 0;
    int ch = skip_blanks(f, next_byte(f));
    if (!f->prefix_n) {
        f->line_indent = WK_MIN(f->prefix_lead, f->in_column);
        return ch;
    }
    f->line_indent = f->in_column;
    for (int32_t i = 0; i < f->prefix_n; i++) {
        if (ch != (unsigned char)f->prefix[i])
            return ch;
        f->in_column++;
        ch = next_byte(f);
    }
    return skip_blanks(f, ch);
}

/* Copies a line that belongs to no paragraph; its end. */
static int copy_line(struct fmt *f, int ch)
{
    struct wk_out *out = f->c->out;
    f->out_column = 0;
    if (f->in_column > f->line_indent || !is_end(ch)) {
        wk_fmt_put_space(f, f->line_indent);
        for (int32_t i = 0; f->out_column != f->in_column && i < f->prefix_n; i++, f->out_column++)
            wk_out_char(out, f->prefix[i]);
        if (!is_end(ch))
            wk_fmt_put_space(f, f->in_column - f->out_column);
        if (ch < 0 && f->in_column >= f->line_indent + f->prefix_n)
            wk_out_char(out, '\n');
    }
    for (; !is_end(ch); ch = next_byte(f))
        wk_out_char(out, (char)ch);
    return ch;
}

/* ---- paragraphs ---------------------------------------------------------------------------------- */

/* Does the line that was just begun belong to the paragraph? */
static bool goes_on(const struct fmt *f, int ch)
{
    return f->line_indent == f->prefix_indent && f->in_column >= f->line_indent + f->prefix_full && !is_end(ch);
}

/* The indentation of all lines but the first; `more`: there is a second one, which was begun. */
static void take_other_indent(struct fmt *f, bool more)
{
    enum { TAG_INDENT = 3 };
    if (f->split || !(f->crown || f->tagged))
        f->other_indent = f->first_indent;
    else if (f->crown)
        f->other_indent = more ? f->in_column : f->first_indent;
    else if (more && f->in_column != f->first_indent)
        f->other_indent = f->in_column;
    else if (f->other_indent == f->first_indent)
        f->other_indent = f->first_indent ? 0 : TAG_INDENT;
}

/* What the word's ends say; a NUL counts as all of them. */
static void look_at_ends(const struct fmt *f, struct fmt_word *w)
{
    const char *text = f->chars + w->text;
    int32_t last = w->length - 1;
    unsigned char end = (unsigned char)text[last];
    w->paren = strchr("(['`\"", text[0]) != NULL;
    w->punct = end > ' ' && end < 127 && !wk_is_alnum(end);
    while (last > 0 && strchr(")]'\"", text[last]))
        last--;
    w->period = strchr(".?!", text[last]) != NULL;
}

static int read_word(struct fmt *f, int ch)
{
    f->words[f->words_n].text = f->chars_n;
    do {
        if (f->chars_n == FMT_CHARS) {
            take_other_indent(f, true);
            wk_fmt_make_room(f);
        }
        f->chars[f->chars_n++] = (char)ch;
        ch = next_byte(f);
    } while (ch >= 0 && !wk_is_space(ch));
    struct fmt_word *w = &f->words[f->words_n];
    w->length = f->chars_n - w->text;
    f->in_column += w->length;
    look_at_ends(f, w);
    int32_t start = f->in_column;
    ch = skip_blanks(f, ch);
    w->space = f->in_column - start;
    w->final = ch < 0 || (w->period && (ch == '\n' || w->space > 1));
    if (is_end(ch) || f->uniform)
        w->space = w->final ? 2 : 1;
    return ch;
}

/* Takes the rest of a line; the start of the next one. */
static int read_line(struct fmt *f, int ch)
{
    do {
        ch = read_word(f, ch);
        if (f->words_n == FMT_WORDS - 2) {
            take_other_indent(f, true);
            wk_fmt_make_room(f);
        }
        f->words_n++;
    } while (!is_end(ch));
    return start_line(f);
}

static int read_paragraph(struct fmt *f, int ch)
{
    f->prefix_indent = f->line_indent;
    f->first_indent = f->in_column;
    f->chars_n = f->words_n = 0;
    f->last_length = 0;
    ch = read_line(f, ch);
    take_other_indent(f, goes_on(f, ch));
    if (f->split)
        return ch;
    if (f->crown || f->tagged) {
        if (!goes_on(f, ch) || (!f->crown && f->in_column == f->first_indent))
            return ch;
        ch = read_line(f, ch);
    }
    while (goes_on(f, ch) && f->in_column == f->other_indent)
        ch = read_line(f, ch);
    return ch;
}

static void format(struct fmt *f)
{
    f->tabs = false;
    f->other_indent = 0;
    int ch = start_line(f);
    for (;;) {
        while (is_end(ch) || f->line_indent < f->prefix_lead || f->in_column < f->line_indent + f->prefix_full) {
            if (copy_line(f, ch) < 0)
                return;
            wk_out_char(f->c->out, '\n');
            ch = start_line(f);
        }
        ch = read_paragraph(f, ch);
        f->words[f->words_n - 1].period = f->words[f->words_n - 1].final = true;
        wk_fmt_break(f);
        wk_fmt_put(f, f->words_n);
    }
}

/* ---- the command --------------------------------------------------------------------------------- */

static int32_t take_width(struct wk_cmd *c, const char *text, int32_t most)
{
    uint64_t v;
    const char *p = text + strspn(text, " \t\n\v\f\r");
    int r = wk_parse_u64(wk_str_c(p + (*p == '+')), 10, &v);
    if (r == 0 && v <= (uint64_t)most)
        return (int32_t)v;
    wk_fail(c, 1, "invalid width: %s%s", wk_quote_arg(c, text),
            r == -WK_EINVAL ? ""
            : r             ? ": Value too large for defined data type"
                            : ": Numerical result out of range");
}

static void take_options(struct fmt *f, const struct fmt_opts *o)
{
    enum { WIDTH = 75, WIDTH_MOST = FMT_CHARS / 2, PERMILLE_GOAL = 187, OF = 200, BEYOND = 10 };
    f->crown = o->crown;
    f->tagged = o->tagged;
    f->split = o->split;
    f->uniform = o->uniform;
    f->width = o->width ? take_width(f->c, o->width, WIDTH_MOST) : WIDTH;
    if (!o->goal) {
        f->goal = f->width * PERMILLE_GOAL / OF;
    } else {
        f->goal = take_width(f->c, o->goal, f->width);
        if (!o->width)
            f->width = f->goal + BEYOND;
    }
    const char *p = o->prefix ? o->prefix : "";
    size_t lead = strspn(p, " "), n = strlen(p + lead), full = n;
    f->prefix = p += lead;
    while (n && p[n - 1] == ' ')
        n--;
    f->prefix_lead = (int32_t)WK_MIN(lead, (size_t)INT32_MAX / 8);
    f->prefix_n = (int32_t)WK_MIN(n, (size_t)INT32_MAX / 8);
    f->prefix_full = (int32_t)WK_MIN(full, (size_t)INT32_MAX / 8);
}

static void format_file(struct fmt *f, const char *name)
{
    struct wk_cmd *c = f->c;
    bool dash = strcmp(name, "-") == 0;
    int err = wk_raw_open(c, name, true, &f->in);
    if (err && !dash) {
        wk_msg(c, "cannot open %s for reading: %s", wk_quote(c, name), wk_err_text(err));
        return;
    }
    f->n = f->taken = 0;
    f->failed = err;
    format(f);
    if (f->failed)
        wk_msg(c, "read error");
    if (err)
        wk_fail(c, 1, "closing standard input: %s", wk_err_text(err));
    if (!dash)
        wk_in_close(f->in);
}

static int fmt_main(struct wk_cmd *c)
{
    struct fmt *f = wk_new(c, struct fmt);
    f->c = c;
    take_options(f, (const struct fmt_opts *)c->opts);
    for (int i = 0; i < c->nargs; i++)
        format_file(f, c->args[i]);
    if (!c->nargs)
        format_file(f, "-");
    return c->status;
}

WK_COMMAND(fmt, .summary = "reformat each paragraph in the FILE(s), writing to standard output",
           .usage = "fmt [-WIDTH] [OPTION]... [FILE]...", .std = "coreutils 9.1", .opts = fmt_options,
           .opts_size = sizeof(struct fmt_opts), .old_style = fmt_old_style,
           .flags = WK_CMD_NEG_NUMBERS | WK_CMD_FILTER,
           .help = "-WIDTH, as the first argument, is --width=WIDTH.");
