/* ptx.c - permuted indexes: every word of texts in its context, in order
 *
 * Standard: GNU coreutils 9.1. Oracle: ptx.
 * Differs:  docs/divergences/ptx.md
 */
#include "builtins/ptx.h"

#include "builtins/choice.h"
#include "builtins/fsops.h"
#include "builtins/zone.h"

static struct ptx_opts *opts_of(struct wk_cmd *c)
{
    return (struct ptx_opts *)c->opts;
}

/* ---- options ------------------------------------------------------------------------------------
 */

static int digit_of(char ch)
{
    if (ch >= '0' && ch <= '9')
        return ch - '0';
    char low = (char)(ch | 32);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : 16;
}

/* A number above 0, decimal, octal or hexadecimal as in C. */
static bool read_number(const char *p, int64_t *v)
{
    p += strspn(p, " \t\n\v\f\r");
    p += *p == '+';
    int base = *p != '0' ? 10 : (p[1] | 32) == 'x' && digit_of(p[2]) < 16 ? 16 : 8;
    p += base == 16 ? 2 : 0;
    if (!*p)
        return false;
    for (*v = 0; *p; p++) {
        if (digit_of(*p) >= base || *v > (INT64_MAX - 16) / base)
            return false;
        *v = *v * base + digit_of(*p);
    }
    *v = *v > INT64_MAX / 8 ? INT64_MAX / 8 : *v; /* room for sums */
    return *v > 0;
}

static int set_number(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    if (!read_number(arg, opt->value ? &opts_of(c)->gap : &opts_of(c)->width))
        wk_fail(c, 1, "invalid %s width: %s", opt->value ? "gap" : "line", wk_quote_arg(c, arg));
    return 0;
}

static int set_format(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice formats[] = {{"roff", PTX_ROFF}, {"tex", PTX_TEX}, {NULL, 0}};
    opts_of(c)->format = opt->arg ? wk_choice_read(c, "--format", arg, formats) : opt->value;
    return 0;
}

/* \a \t \x41 \0101 and their kin; \c ends the text, what is no escape stays. */
static int set_text(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const char letters[] = "abfnrtv", bytes[] = "\a\b\f\n\r\t\v";
    struct wk_buf *b = wk_cmd_buf(c, SIZE_MAX / 2);
    for (const char *p = arg; *p; p++) {
        if (*p != '\\') {
            wk_buf_putc(b, *p);
            continue;
        }
        p++;
        if (!*p || *p == 'c')
            break;
        const char *at = strchr(letters, *p);
        int base = *p == 'x' ? 16 : *p == '0' ? 8 : 0, value = 0, n = 0;
        while (base && n < 3 && digit_of(p[n + 1]) < base)
            value = value * base + digit_of(p[++n]);
        if (at) {
            wk_buf_putc(b, bytes[at - letters]);
        } else if (base == 8 || n) {
            wk_buf_putc(b, (char)value);
        } else {
            wk_buf_putc(b, '\\');
            wk_buf_putc(b, *p);
        }
        p += n;
    }
    struct ptx_opts *o = opts_of(c);
    const char **to = opt->value == 'F'   ? &o->truncation
                      : opt->value == 'S' ? &o->sentence
                                          : &o->word;
    *to = wk_keep(c, b);
    return 0;
}

#define OPTS struct ptx_opts

static const struct wk_opt ptx_options[] = {
    WK_FLAG(OPTS, auto_reference, 'A', "auto-reference", "refer to lines as FILE:LINE"),
    WK_FLAG(OPTS, traditional, 'G', "traditional", "be more as the ptx of System V"),
    WK_FUNC_OPT(set_text, 'F', 'F', "flag-truncation", "STRING",
                "what shows that lines were cut ('/')"),
    WK_STR_OPT(OPTS, macro, 'M', "macro-name", "STRING", "name of the macro in output ('xx')"),
    WK_FUNC_OPT(set_format, PTX_ROFF, 'O', NULL, NULL, "write calls of roff's macros"),
    WK_FLAG(OPTS, input_reference, 'r', "references", "the first field of a line is its reference"),
    WK_FLAG(OPTS, right_reference, 'R', "right-side-refs", "references at the right, beyond -w"),
    WK_FUNC_OPT(set_text, 'S', 'S', "sentence-regexp", "REGEXP", "where lines or sentences end"),
    WK_FUNC_OPT(set_format, PTX_TEX, 'T', NULL, NULL, "write calls of TeX's macros"),
    WK_FUNC_OPT(set_format, 0, 0, "format", "FORMAT", "roff as by -O, or tex as by -T"),
    WK_FUNC_OPT(set_number, 0, 'w', "width", "NUMBER", "columns of a line, without references"),
    WK_FUNC_OPT(set_text, 'W', 'W', "word-regexp", "REGEXP", "what a word is"),
    WK_STR_OPT(OPTS, break_file, 'b', "break-file", "FILE", "all characters in FILE part words"),
    WK_FLAG(OPTS, fold, 'f', "ignore-case", "do not tell small letters from capitals"),
    WK_FUNC_OPT(set_number, 1, 'g', "gap-size", "NUMBER", "columns between fields"),
    WK_STR_OPT(OPTS, ignore_file, 'i', "ignore-file", "FILE", "words in FILE are not listed"),
    WK_STR_OPT(OPTS, only_file, 'o', "only-file", "FILE", "only words in FILE are listed"),
    WK_FLAG(OPTS, typeset, 't', "typeset-mode", "nothing, as it ever was"),
    WK_OPTS_END,
};

/* ---- what words and contexts are ----------------------------------------------------------------
 */

static struct wk_re *compile(struct ptx *p, const char *head, const char *text, const char *tail)
{
    struct wk_re_error err;
    unsigned flags = WK_RE_EMACS | WK_RE_ANCHORS | (p->o->fold ? WK_RE_ICASE : 0) |
                     (wk_cmd_utf8(p->c) ? 0 : WK_RE_BYTES);
    const char *pattern = wk_strf(p->c, "%s%s%s", head, text, tail);
    struct wk_re *re = wk_cmd_re(p->c, wk_str_c(pattern), flags, &err);
    if (!re)
        wk_fail(p->c, 1, "%s (for regexp %s)", err.text, wk_quote_arg(p->c, text));
    return re;
}

static void read_breaks(struct ptx *p, const char *path)
{
    struct wk_in *in = wk_in_open(p->c, path, true);
    const char *text;
    size_t n;
    if (!in)
        wk_exit(p->c, 1);
    memset(p->is_word, true, sizeof p->is_word);
    while (wk_in_chunk(in, &text, &n))
        for (size_t i = 0; i < n; i++)
            p->is_word[(unsigned char)text[i]] = false;
    if (in->err)
        wk_exit(p->c, 1);
    if (in != p->c->in)
        wk_in_close(in);
}

static void prepare(struct ptx *p)
{
    const struct ptx_opts *o = p->o;
    p->run = wk_cmd_re_run(p->c);
    if (o->word && *o->word) {
        p->word_re = compile(p, "", o->word, "");
        bool refers = strpbrk(o->word, "\\") && strpbrk(o->word, "123456789");
        p->word_at = refers ? p->word_re : compile(p, "\\`\\(", o->word, "\\)");
    }
    if (o->sentence && *o->sentence)
        p->sentence_re = compile(p, "", o->sentence, "");
    p->whole = o->sentence && !*o->sentence;
    p->by_lines = !o->sentence && (o->traditional || o->input_reference);
    for (int i = 0; i < 256; i++)
        p->is_word[i] = o->traditional || ((i | 32) >= 'a' && (i | 32) <= 'z');
    if (o->break_file)
        read_breaks(p, o->break_file);
    if (o->traditional)
        p->is_word[' '] = p->is_word['\t'] = p->is_word['\n'] = false;
    if (o->ignore_file)
        wk_ptx_read_words(p, o->ignore_file, &p->ignore);
    if (o->only_file)
        wk_ptx_read_words(p, o->only_file, &p->only);
}

static void read_text(struct ptx *p, size_t i, const char *path)
{
    bool dash = strcmp(path, "-") == 0;
    struct wk_in *in = wk_in_open(p->c, path, true);
    if (!in)
        wk_exit(p->c, 1);
    struct wk_str text = wk_in_all(in);
    if (in->err)
        wk_exit(p->c, 1);
    if (in != p->c->in)
        wk_in_close(in);
    p->text[i] =
        (struct ptx_text){.name = dash ? "" : path, .start = text.p, .end = text.p + text.n};
    wk_ptx_scan(p, i);
}

static int ptx_main(struct wk_cmd *c)
{
    struct ptx_opts *o = opts_of(c);
    struct ptx *p = wk_new(c, struct ptx);
    if (!o->gap)
        o->gap = 3;
    if (!o->width)
        o->width = 72;
    if (!o->truncation)
        o->truncation = "/";
    if (!o->macro)
        o->macro = "xx";
    if (o->format == PTX_UNKNOWN)
        o->format = o->traditional ? PTX_ROFF : PTX_PLAIN;
    *p = (struct ptx){.c = c, .o = o};
    if (o->traditional && c->nargs >= 2) {
        struct wk_file *f;
        int err = wk_cmd_open(c, c->args[1], WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0666, &f);
        if (err)
            wk_fail(c, 1, "%s: %s", wk_quote_maybe(c, c->args[1]), wk_err_text(err));
        if (c->nargs > 2) /* OUTPUT is made by then */
            wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[2]));
        c->out = wk_out_of(c, f);
        c->nargs = 1;
    }
    prepare(p);
    p->texts = c->nargs ? (size_t)c->nargs : 1;
    p->text = wk_new_n(c, struct ptx_text, p->texts);
    for (size_t i = 0; i < p->texts; i++)
        read_text(p, i, c->nargs ? c->args[i] : "-");
    wk_ptx_sort(p);
    wk_ptx_put(p);
    return c->status;
}

WK_COMMAND(ptx, .summary = "list the words of texts in their contexts",
           .usage = "ptx [OPTION]... [INPUT]...\nptx -G [OPTION]... [INPUT [OUTPUT]]",
           .help = "Without INPUT, or when it is -, standard input is read.",
           .std = "coreutils 9.1", .opts = ptx_options, .opts_size = sizeof(struct ptx_opts),
           .flags = WK_CMD_FILTER);
