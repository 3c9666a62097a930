/* pr.c - paginate and columnate files for printing
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: pr.
 */
#include "builtins/pr.h"

#include "base/num.h"

#define OPTS struct pr_opts

static OPTS *opts_of(struct wk_cmd *c)
{
    return (OPTS *)c->opts;
}

/* ---- numbers ------------------------------------------------------------------------------------- */

static int64_t number(struct wk_cmd *c, const char *text, int64_t least, const char *what)
{
    int64_t v;
    const char *p = text + strspn(text, " \t\n\v\f\r");
    int r = wk_parse_i64(wk_str_c(p), 10, &v);
    if (r == 0 && v >= least && v <= INT32_MAX)
        return v;
    bool large = r == -WK_ERANGE || v > INT32_MAX || least < 0;
    wk_fail(c, 1, "%s: %s%s", what, wk_quote_arg(c, text),
            r == -WK_EINVAL ? ""
            : large         ? ": Value too large for defined data type"
                            : ": Numerical result out of range");
}

enum { LENGTH, WIDTH, PAGE_WIDTH, MARGIN, START };

static int set_number(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    OPTS *o = opts_of(c);
    int64_t v;
    switch (opt->value) {
    case LENGTH:
        o->length = number(c, arg, 1, "'-l PAGE_LENGTH' invalid number of lines");
        break;
    case WIDTH:
        o->old = o->old_w = true;
        v = number(c, arg, 1, "'-w PAGE_WIDTH' invalid number of characters");
        o->width = o->truncate ? o->width : v;
        break;
    case PAGE_WIDTH:
        o->old_w = false;
        o->truncate = true;
        o->width = number(c, arg, 1, "'-W PAGE_WIDTH' invalid number of characters");
        break;
    case MARGIN:
        o->margin = number(c, arg, 0, "'-o MARGIN' invalid line offset");
        break;
    default:
        o->keep_numbers = true;
        o->number_start = number(c, arg, INT32_MIN, "'-N NUMBER' invalid starting line number");
    }
    return 0;
}

static void take_columns(struct wk_cmd *c, const char *text)
{
    OPTS *o = opts_of(c);
    o->columns = number(c, text, 1, "invalid number of columns");
    o->columns_given = true;
}

static int set_columns(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    opts_of(c)->column_text = NULL;
    take_columns(c, arg);
    return 0;
}

/* -1 … -9: digits that follow each other are one number. */
static int set_digit(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)arg;
    OPTS *o = opts_of(c);
    bool follows = c->last_opt && c->last_opt->kind == WK_OPT_FUNC && c->last_opt->func == set_digit;
    follows = follows && o->column_text && o->column_args == c->nargs;
    o->column_text = wk_strf(c, "%s%d", follows ? o->column_text : "", opt->value);
    o->column_args = c->nargs;
    return 0;
}

/* [CHAR][NUMBER]: -e, -i and -n. */
static int set_char(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    OPTS *o = opts_of(c);
    unsigned char *ch = opt->value == 'e' ? &o->tab_in_char : opt->value == 'i' ? &o->tab_out_char : &o->number_char;
    int64_t *n = opt->value == 'e' ? &o->tab_in : opt->value == 'i' ? &o->tab_out : &o->number_width, v;
    *(opt->value == 'e' ? &o->expand : opt->value == 'i' ? &o->tabs : &o->numbered) = true;
    if (!arg)
        return 0;
    if (!wk_is_digit(*arg) && *arg)
        *ch = (unsigned char)*arg++;
    if (!*arg)
        return 0;
    int r = wk_parse_i64(wk_str_c(arg + strspn(arg, " \t\n\v\f\r")), 10, &v);
    if (r || v <= 0 || v > INT32_MAX) {
        bool large = r == -WK_ERANGE || (!r && v > INT32_MAX);
        wk_usage(c, "'-%c' extra characters or invalid number in the argument: %s%s", opt->value, wk_quote_arg(c, arg),
                 large ? ": Value too large for defined data type" : "");
    }
    *n = v;
    return 0;
}

static int set_separator(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    OPTS *o = opts_of(c);
    if (opt->value == 's') {
        o->old = o->old_s = true;
        if (!o->separated && arg)
            o->separator = arg;
        return 0;
    }
    o->old_s = false;
    o->separated = true;
    o->separator = arg ? arg : "";
    return 0;
}

static int set_omit(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)arg;
    opts_of(c)->headless = true;
    opts_of(c)->keep_ff = opt->value == 't';
    return 0;
}

/* ---- pages --------------------------------------------------------------------------------------- */

static WK_NORETURN void bad_page(struct wk_cmd *c, const char *option, const char *text, int err, bool suffix)
{
    if (err == -WK_ERANGE)
        wk_fail(c, 1, "%s argument '%s' too large", option, text);
    wk_fail(c, 1, "%s%s argument '%s'", suffix ? "invalid suffix in " : "invalid ", option, text);
}

/* FIRST[:LAST]; false when the numbers are of no use. */
static bool take_pages(struct wk_cmd *c, const char *option, const char *text)
{
    OPTS *o = opts_of(c);
    uint64_t first, last = UINT64_MAX;
    int err;
    const char *p = text + strspn(text, " \t\n\v\f\r");
    p += *p == '+';
    size_t n = wk_scan_u64(wk_str_c(p), 10, &first, &err);
    if (!n || err)
        bad_page(c, option, text, err, false);
    p += n;
    if (!first)
        return false;
    if (*p == ':') {
        p++;
        p += strspn(p, " \t\n\v\f\r");
        p += *p == '+';
        n = wk_scan_u64(wk_str_c(p), 10, &last, &err);
        if (!n || err)
            bad_page(c, option, text, err, false);
        if (p[n])
            bad_page(c, option, text, 0, true);
        p += n;
        if (last < first)
            return false;
    }
    if (*p)
        return false;
    o->first_page = first;
    o->last_page = last;
    return true;
}

static int set_pages(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    if (!take_pages(c, "--pages", arg))
        wk_fail(c, 1, "invalid page range %s", wk_quote_arg(c, arg));
    return 0;
}

static void set_defaults(OPTS *o)
{
    if (o->number_width)
        return;
    o->length = 66;
    o->width = 72;
    o->columns = o->number_start = 1;
    o->number_width = 5;
    o->tab_in = o->tab_out = PR_TAB;
    o->tab_in_char = o->tab_out_char = o->number_char = '\t';
    o->last_page = UINT64_MAX;
}

/* +FIRST[:LAST], once; otherwise it is a file. This is where the first option is seen, too. */
static int pr_old_style(struct wk_cmd *c, int at)
{
    OPTS *o = opts_of(c);
    set_defaults(o);
    return c->argv[at][0] == '+' && !o->first_page && take_pages(c, "+", c->argv[at] + 1);
}

static const struct wk_opt pr_options[] = {
    WK_FUNC_OPT(set_pages, 0, 0, "pages", "FIRST[:LAST]",
        "begin [stop] printing with page FIRST [LAST];\nalso +FIRST[:LAST]"),
    WK_FUNC_OPT(set_columns, 0, 0, "columns", "COLUMN",
        "print COLUMN columns down (across with -a), balanced;\nalso -COLUMN"),
    WK_FUNC_OPT(set_digit, 0, '0', NULL, NULL, "with the other digits: -COLUMN"),
    WK_FUNC_OPT(set_digit, 1, '1', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 2, '2', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 3, '3', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 4, '4', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 5, '5', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 6, '6', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 7, '7', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 8, '8', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 9, '9', NULL, NULL, NULL),
    WK_FLAG(OPTS, across, 'a', "across", "print columns across rather than down"),
    WK_FLAG(OPTS, columns_balanced, 'b', NULL, "balance columns (always done)"),
    WK_FLAG(OPTS, controls, 'c', "show-control-chars", "show control characters as ^G and \\ooo"),
    WK_FLAG(OPTS, double_space, 'd', "double-space", "double space the output"),
    WK_STR_OPT(OPTS, date_format, 'D', "date-format", "FORMAT", "use FORMAT for the header date"),
    WK_FUNC_OPT(set_char, 'e', 'e', "expand-tabs", "[CHAR[WIDTH]", "expand input CHARs (TABs) to tab WIDTH (8)"),
    WK_FLAG(OPTS, form_feeds, 'F', "form-feed", "separate pages by form feeds"),
    WK_FLAG(OPTS, form_feeds, 'f', NULL, "the same"),
    WK_STR_OPT(OPTS, header, 'h', "header", "HEADER", "use a centered HEADER instead of the file name"),
    WK_FUNC_OPT(set_char, 'i', 'i', "output-tabs", "[CHAR[WIDTH]",
        "replace spaces with CHARs (TABs) to tab WIDTH (8)"),
    WK_FLAG(OPTS, join, 'J', "join-lines", "merge full lines, without truncation and alignment"),
    WK_FUNC_OPT(set_number, LENGTH, 'l', "length", "PAGE_LENGTH", "lines of a page (66); implies -t if 10 or less"),
    WK_FLAG(OPTS, merge, 'm', "merge", "print all files in parallel, one in each column"),
    WK_FUNC_OPT(set_char, 'n', 'n', "number-lines", "[SEP[DIGITS]",
        "number lines, with DIGITS (5) digits, then SEP (TAB)"),
    WK_FUNC_OPT(set_number, START, 'N', "first-line-number", "NUMBER",
        "number of the first line of the first page printed"),
    WK_FUNC_OPT(set_number, MARGIN, 'o', "indent", "MARGIN", "offset each line with MARGIN spaces"),
    WK_FLAG(OPTS, quiet, 'r', "no-file-warnings", "omit warnings when a file cannot be opened"),
    WK_FUNC_OPT(set_separator, 's', 's', "separator", "[CHAR", "separate columns by CHAR (TAB, or none with -w)"),
    WK_FUNC_OPT(set_separator, 'S', 'S', "sep-string", "[STRING", "separate columns by STRING"),
    WK_FUNC_OPT(set_omit, 't', 't', "omit-header", NULL, "omit page headers and trailers"),
    WK_FUNC_OPT(set_omit, 'T', 'T', "omit-pagination", NULL, "the same, and form feeds of the input"),
    WK_FLAG(OPTS, escapes, 'v', "show-nonprinting", "show bytes as \\ooo"),
    WK_FUNC_OPT(set_number, WIDTH, 'w', "width", "PAGE_WIDTH", "page width (72) of multiple columns only"),
    WK_FUNC_OPT(set_number, PAGE_WIDTH, 'W', "page-width", "PAGE_WIDTH", "page width (72) always; truncate lines"),
    WK_OPTS_END,
};

/* What the old -s and -w mean together with the others. */
static void settle_old(OPTS *o)
{
    bool many = o->merge || o->columns_given;
    if (!o->old)
        return;
    if (o->old_w) {
        if (!many) {
            o->join = true;
            return;
        }
        o->truncate = true;
        o->separated = o->separated || o->old_s;
    } else if (!o->separated && o->old_s && many) {
        if (!o->truncate) {
            o->join = true;
            o->separated = *o->separator != '\0';
        } else {
            o->separated = true;
        }
    }
}

static int pr_main(struct wk_cmd *c)
{
    OPTS *o = opts_of(c);
    set_defaults(o);
    if (!o->separator)
        o->separator = "";
    if (o->column_text)
        take_columns(c, o->column_text);
    if (!o->date_format)
        o->date_format = wk_cmd_env(c, "POSIXLY_CORRECT") ? "%b %e %H:%M %Y" : "%Y-%m-%d %H:%M";
    if (o->merge && o->columns_given)
        wk_fail(c, 1, "cannot specify number of columns when printing in parallel");
    if (o->merge && o->across)
        wk_fail(c, 1, "cannot specify both printing across and printing in parallel");
    settle_old(o);
    struct pr *s = wk_new(c, struct pr);
    *s = (struct pr){.c = c, .o = o, .standard = {.in = c->in}, .tabs = o->tabs, .expand = o->expand};
    s->truncate = o->truncate;
    s->separated = o->separated;
    s->separator = o->separator;
    s->separator_n = (int64_t)strlen(o->separator);
    s->headless = o->headless;
    s->keep_ff = o->keep_ff;
    s->line_count = 1;
    if (!c->nargs || o->merge) {
        wk_pr_files(s, c->nargs, c->args);
    } else {
        for (int i = 0; i < c->nargs; i++)
            wk_pr_files(s, 1, c->args + i);
    }
    return c->status;
}

WK_COMMAND(pr, .summary = "paginate or columnate FILE(s) for printing",
           .usage = "pr [OPTION]... [FILE]...", .std = "coreutils 9.1",
           .opts = pr_options, .opts_size = sizeof(OPTS), .old_style = pr_old_style,
           .help = "With no FILE, or when FILE is -, read standard input.",
           .flags = WK_CMD_FILTER);
