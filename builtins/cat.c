/* cat.c - concatenate files
 *
 * Standard: GNU coreutils 9.1. Oracle: cat.
 */
#include "builtins/fsops.h"

struct cat_opts {
    bool show_all, number, number_nonblank, ends, tabs, nonprinting, squeeze, v_and_e, v_and_t;
    bool ignored;
};

static const struct wk_opt cat_options[] = {
    WK_FLAG(struct cat_opts, number_nonblank, 'b', "number-nonblank",
            "number nonempty output lines, overrides -n"),
    WK_FLAG(struct cat_opts, number, 'n', "number", "number all output lines"),
    WK_FLAG(struct cat_opts, squeeze, 's', "squeeze-blank", "suppress repeated empty output lines"),
    WK_FLAG(struct cat_opts, nonprinting, 'v', "show-nonprinting",
            "use ^ and M- notation, except for LFD and TAB"),
    WK_FLAG(struct cat_opts, ends, 'E', "show-ends", "display $ at end of each line"),
    WK_FLAG(struct cat_opts, tabs, 'T', "show-tabs", "display TAB characters as ^I"),
    WK_FLAG(struct cat_opts, show_all, 'A', "show-all", "equivalent to -vET"),
    WK_FLAG(struct cat_opts, v_and_e, 'e', NULL, "equivalent to -vE"),
    WK_FLAG(struct cat_opts, v_and_t, 't', NULL, "equivalent to -vT"),
    WK_FLAG(struct cat_opts, ignored, 'u', NULL, "(ignored)"),
    WK_OPTS_END,
};

struct cat_state {
    struct wk_cmd *c;
    struct cat_opts o;
    uint64_t line;       /* number of the last numbered line */
    bool mid_line;       /* the last byte written was not a newline */
    bool blank;          /* the last line written was empty */
    bool cr;             /* a CR is held back: with -E it shows as ^M before a newline only */
    char num[24];        /* text of `line`, right-aligned in six columns */
    size_t num_n;
};

/* Counting up in decimal text is much cheaper than formatting each number. */
static void put_number(struct cat_state *s)
{
    s->line++;
    size_t i = s->num_n - 1;
    while (s->num[i] == '9')
        s->num[i--] = '0';
    if (s->num[i] == ' ')
        s->num[i] = '1';
    else
        s->num[i]++;
    size_t width = s->num_n - 12, start = 12; /* six columns at the end of the row */
    while (start > 0 && s->num[start - 1] != ' ') {
        start--;
        width++;
    }
    wk_out_put(s->c->out, s->num + start, width);
    wk_out_char(s->c->out, '\t');
}

static bool is_plain(const struct cat_state *s, unsigned char b)
{
    if (b == '\t')
        return !s->o.tabs;
    return !s->o.nonprinting || (b >= 32 && b < 127);
}

static void put_visible(struct cat_state *s, unsigned char b)
{
    struct wk_out *out = s->c->out;
    if (b >= 128 && b != '\t') {
        wk_out_c(out, "M-");
        b &= 127;
        if (b >= 32 && b < 127) {
            wk_out_char(out, (char)b);
            return;
        }
    }
    wk_out_char(out, '^');
    wk_out_char(out, (char)(b ^ 64));
}

/* The bytes of a line (or a part of one) without its newline. */
static void put_text(struct cat_state *s, const char *p, size_t n)
{
    if (!s->o.nonprinting && !s->o.tabs) {
        wk_out_put(s->c->out, p, n);
        return;
    }
    size_t from = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char b = (unsigned char)p[i];
        if (is_plain(s, b))
            continue;
        wk_out_put(s->c->out, p + from, i - from);
        put_visible(s, b);
        from = i + 1;
    }
    wk_out_put(s->c->out, p + from, n - from);
}

static void release_cr(struct cat_state *s, bool at_end)
{
    if (s->cr)
        wk_out_c(s->c->out, at_end ? "^M" : "\r");
    s->cr = false;
}

static void put_part(struct cat_state *s, const char *p, size_t n, bool newline)
{
    bool empty = n == 0 && !s->mid_line;
    if (empty && newline) {
        if (s->o.squeeze && s->blank)
            return;
        s->blank = true;
        if (s->o.number && !s->o.number_nonblank)
            put_number(s);
    } else if (!s->mid_line) {
        s->blank = false;
        if (s->o.number)
            put_number(s);
    }
    if (n)
        release_cr(s, false);
    if (s->o.ends && !s->o.nonprinting && n && p[n - 1] == '\r') {
        n--;
        s->cr = true;
    }
    put_text(s, p, n);
    if (newline) {
        release_cr(s, true);
        if (s->o.ends)
            wk_out_char(s->c->out, '$');
        wk_out_char(s->c->out, '\n');
    }
    s->mid_line = !newline;
}

static void format_chunk(struct cat_state *s, const char *p, size_t n)
{
    const char *end = p + n;
    while (p < end) {
        const char *nl = (const char *)memchr(p, '\n', (size_t)(end - p));
        const char *stop = nl ? nl : end;
        put_part(s, p, (size_t)(stop - p), nl != NULL);
        p = nl ? nl + 1 : end;
    }
    wk_tick(s->c, (uint32_t)(n / 16));
}

/* A regular output file that is also the input would grow for ever. */
static bool is_output(struct wk_cmd *c, struct wk_in *in)
{
    struct wk_stat a, b;
    if (!c->out->file || !in->file || c->out->file->kind != WK_FILE_VFS ||
        in->file->kind != WK_FILE_VFS)
        return false;
    if (wk_file_stat(c->out->file, &a) < 0 || wk_file_stat(in->file, &b) < 0)
        return false;
    if (!WK_S_ISREG(a.mode) || !wk_stat_same(&a, &b))
        return false;
    int64_t at = wk_file_seek(in->file, 0, 1);
    return at >= 0 && (uint64_t)at < b.size;
}

static bool reads_input(const struct wk_cmd *c)
{
    for (int i = 0; i < c->nargs; i++)
        if (strcmp(c->args[i], "-") == 0)
            return true;
    return c->nargs == 0;
}

static int cat_main(struct wk_cmd *c)
{
    struct cat_state s = {.c = c, .o = *(const struct cat_opts *)c->opts};
    struct cat_opts *o = &s.o;
    o->nonprinting = o->nonprinting || o->show_all || o->v_and_e || o->v_and_t;
    o->ends = o->ends || o->show_all || o->v_and_e;
    o->tabs = o->tabs || o->show_all || o->v_and_t;
    o->number = o->number || o->number_nonblank;
    bool format = o->number || o->squeeze || o->ends || o->tabs || o->nonprinting;
    memset(s.num, ' ', sizeof s.num);
    s.num_n = 18;
    s.num[17] = '0';

    if (!c->out->file) {
        wk_msg(c, "standard output: %s", wk_err_text(-WK_EBADF));
        return 1;
    }
    struct wk_in *in = NULL;
    const char *p;
    size_t n;
    while (wk_input_next(c, &in)) {
        if (is_output(c, in)) {
            wk_msg(c, "%s: input file is output file", in->name ? in->name : "-");
            continue;
        }
        while (wk_in_chunk(in, &p, &n)) {
            if (format)
                format_chunk(&s, p, n);
            else
                wk_out_put(c->out, p, n);
            if (wk_out_flush(c->out)) /* whoever reads us must not wait for a full buffer */
                return 1;
        }
    }
    release_cr(&s, false);
    if (!c->in->file && reads_input(c)) {
        (void)wk_out_flush(c->out);
        wk_fail(c, 1, "closing standard input: %s", wk_err_text(WK_EBADF));
    }
    return c->status;
}

WK_COMMAND(cat, .summary = "concatenate files and print on the standard output",
           .usage = "cat [OPTION]... [FILE]...", .std = "coreutils 9.1", .opts = cat_options,
           .opts_size = sizeof(struct cat_opts),
           .flags = WK_CMD_FILTER);
