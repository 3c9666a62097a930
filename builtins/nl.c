/* nl.c - number lines
 *
 * Standard: POSIX XCU nl. Oracle: coreutils 9.1.
 */
#include "base/num.h"
#include "builtins/regex.h"

enum section { BODY, HEADER, FOOTER };

struct style {
    char kind; /* a t n p */
    struct wk_re *re;
};

struct nl_opts {
    struct style styles[3];
    const char *delimiter, *separator;
    int64_t increment, join, start, width;
    bool no_renumber, increment_given, start_given, wrong;
    char format; /* l r z; 0: not given */
};

static int set_option(struct wk_cmd *c, const struct wk_opt *opt, const char *arg);

#define OPTION(ch, name, arg, help) WK_FUNC_OPT(set_option, ch, ch, name, arg, help)

static const struct wk_opt nl_options[] = {
    OPTION('h', "header-numbering", "STYLE", "use STYLE for numbering header lines"),
    OPTION('b', "body-numbering", "STYLE", "use STYLE for numbering body lines"),
    OPTION('f', "footer-numbering", "STYLE", "use STYLE for numbering footer lines"),
    OPTION('v', "starting-line-number", "NUMBER", "first line number for each section"),
    OPTION('i', "line-increment", "NUMBER", "line number increment at each line"),
    WK_FLAG(struct nl_opts, no_renumber, 'p', "no-renumber",
            "do not reset line numbers for each section"),
    OPTION('l', "join-blank-lines", "NUMBER", "group of NUMBER empty lines counted as one"),
    OPTION('s', "number-separator", "STRING", "add STRING after (possible) line number"),
    OPTION('w', "number-width", "NUMBER", "use NUMBER columns for line numbers"),
    OPTION('n', "number-format", "FORMAT", "insert line numbers according to FORMAT"),
    OPTION('d', "section-delimiter", "CC", "use CC for logical page delimiters"),
    WK_OPTS_END,
};

struct nl {
    struct wk_cmd *c;
    struct style styles[3];
    enum section section;
    struct wk_str marks[3]; /* delimiter lines of body, header, footer */
    const char *separator;
    int64_t increment, join, start, width, number, blanks;
    char format; /* l r z */
    bool no_renumber, overflow;
};

static struct style take_style(struct wk_cmd *c, const char *text, const char *what)
{
    struct wk_re_error err;
    struct style s = {.kind = text[0]};
    if (s.kind == 'p') {
        s.re = wk_cmd_re(c, wk_str_c(text + 1), WK_RE_NOSUB, &err);
        if (!s.re)
            wk_fail(c, 1, "%s", err.text);
    } else if (!s.kind || !strchr("atn", s.kind)) {
        wk_msg(c, "invalid %s numbering style: %s", what, wk_quote_arg(c, text));
        ((struct nl_opts *)c->opts)->wrong = true;
    }
    return s;
}

static int64_t take_number(struct wk_cmd *c, const char *text, int64_t least, int64_t most,
                           const char *what)
{
    int64_t v;
    int r = wk_parse_i64(wk_str_c(text + strspn(text, " \t\n\v\f\r")), 10, &v);
    if (r == 0 && v >= least && v <= most)
        return v;
    wk_fail(c, 1, "invalid %s: %s%s", what, wk_quote_arg(c, text),
            r == -WK_EINVAL       ? ""
            : r == 0 && v < least ? ": Numerical result out of range"
                                  : ": Value too large for defined data type");
}

/* All wrong styles and formats are told before the end. */
static int set_option(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct nl_opts *o = (struct nl_opts *)c->opts;
    switch (opt->value) {
    case 'b':
        o->styles[BODY] = take_style(c, arg, "body");
        break;
    case 'h':
        o->styles[HEADER] = take_style(c, arg, "header");
        break;
    case 'f':
        o->styles[FOOTER] = take_style(c, arg, "footer");
        break;
    case 'i':
        o->increment = take_number(c, arg, INT64_MIN, INT64_MAX, "line number increment");
        o->increment_given = true;
        break;
    case 'v':
        o->start = take_number(c, arg, INT64_MIN, INT64_MAX, "starting line number");
        o->start_given = true;
        break;
    case 'l':
        o->join = take_number(c, arg, 1, INT64_MAX, "line number of blank lines");
        break;
    case 'w':
        o->width = take_number(c, arg, 1, INT32_MAX, "line number field width");
        break;
    case 's':
        o->separator = arg;
        break;
    case 'd':
        o->delimiter = arg;
        break;
    case 'n':
        o->format = strcmp(arg, "ln") == 0 ? 'l' : strcmp(arg, "rz") == 0 ? 'z' : 'r';
        if (o->format == 'r' && strcmp(arg, "rn") != 0) {
            wk_msg(c, "invalid line numbering format: %s", wk_quote_arg(c, arg));
            o->wrong = true;
        }
        break;
    }
    return 0;
}

static struct wk_str repeat(struct wk_cmd *c, struct wk_str s, size_t times)
{
    char *p = wk_heap_bump(c->heap, s.n * times + 1);
    for (size_t i = 0; i < times; i++)
        memcpy(p + i * s.n, s.p, s.n);
    return wk_str(p, s.n * times);
}

static void setup(struct nl *n, const struct nl_opts *o)
{
    struct wk_cmd *c = n->c;
    if (o->wrong)
        wk_try_help(c);
    for (int k = 0; k < 3; k++) {
        n->styles[k] = o->styles[k];
        if (!n->styles[k].kind)
            n->styles[k].kind = k == BODY ? 't' : 'n';
    }
    n->increment = o->increment_given ? o->increment : 1;
    n->start = o->start_given ? o->start : 1;
    n->join = o->join ? o->join : 1;
    n->width = o->width ? o->width : 6;
    n->separator = o->separator ? o->separator : "\t";
    n->no_renumber = o->no_renumber;
    n->format = o->format ? o->format : 'r';
    struct wk_str d = o->delimiter ? wk_str_c(o->delimiter) : WK_STR("\\:");
    if (d.n == 1)
        d = wk_str_c(wk_strf(c, "%s:", o->delimiter));
    n->marks[FOOTER] = d;
    n->marks[BODY] = repeat(c, d, 2);
    n->marks[HEADER] = repeat(c, d, 3);
    n->number = n->start;
}

static void put_number(struct nl *n)
{
    char digits[WK_NUM_MAX];
    bool minus = n->number < 0;
    if (n->overflow)
        wk_fail(n->c, 1, "line number overflow");
    size_t len = wk_fmt_u64(digits, minus ? 0 - (uint64_t)n->number : (uint64_t)n->number, 10);
    size_t total = len + minus;
    size_t pad = (uint64_t)n->width > total ? (size_t)n->width - total : 0;
    struct wk_out *out = n->c->out;
    for (size_t i = 0; n->format == 'r' && i < pad; i++)
        wk_out_char(out, ' ');
    if (minus)
        wk_out_char(out, '-');
    for (size_t i = 0; n->format == 'z' && i < pad; i++)
        wk_out_char(out, '0');
    wk_out_put(out, digits, len);
    for (size_t i = 0; n->format == 'l' && i < pad; i++)
        wk_out_char(out, ' ');
    wk_out_c(out, n->separator);
    n->overflow = __builtin_add_overflow(n->number, n->increment, &n->number);
}

static void put_blank(struct nl *n)
{
    size_t pad = (size_t)n->width + strlen(n->separator);
    for (size_t i = 0; i < pad; i++)
        wk_out_char(n->c->out, ' ');
}

static bool is_numbered(struct nl *n, struct wk_str line)
{
    const struct style *s = &n->styles[n->section];
    struct wk_re_run run;
    switch (s->kind) {
    case 'a':
        if (n->join > 1) {
            if (line.n == 0 && ++n->blanks < n->join)
                return false;
            n->blanks = 0;
        }
        return true;
    case 't':
        return line.n > 0;
    case 'p':
        run = wk_cmd_re_run(n->c);
        return wk_cmd_re_search(n->c, s->re, &run, line, 0, NULL, 0, 1);
    default:
        return false;
    }
}

static bool is_delimiter(struct nl *n, struct wk_str line)
{
    for (int k = 0; n->marks[FOOTER].n && k < 3; k++) {
        if (!wk_str_eq(line, n->marks[k]))
            continue;
        n->section = (enum section)k;
        if (!n->no_renumber) {
            n->number = n->start;
            n->overflow = false;
        }
        wk_out_char(n->c->out, '\n');
        return true;
    }
    return false;
}

static int nl_main(struct wk_cmd *c)
{
    struct nl n = {.c = c};
    struct wk_in *in = NULL;
    struct wk_str line;
    setup(&n, c->opts);
    while (wk_input_next(c, &in))
        while (wk_line_next(in, '\n', &line)) {
            if (is_delimiter(&n, line))
                continue;
            if (is_numbered(&n, line))
                put_number(&n);
            else
                put_blank(&n);
            wk_out_str(c->out, line);
            wk_out_char(c->out, '\n');
        }
    return c->status;
}

WK_COMMAND(
    nl, .summary = "write each FILE to standard output, with line numbers added",
    .usage = "nl [OPTION]... [FILE]...", .std = "coreutils 9.1", .opts = nl_options,
    .opts_size = sizeof(struct nl_opts),
    .help = "Default options are: -bt -d'\\:' -fn -hn -i1 -l1 -n'rn' -s<TAB> -v1 -w6\n\n"
            "STYLE is one of: a (all lines), t (nonempty lines), n (no lines), pBRE (lines that\n"
            "contain a match for BRE). FORMAT is one of: ln, rn, rz.",
    .flags = WK_CMD_FILTER);
