/* diff.c - compare files line by line
 *
 * Standard: POSIX; GNU diffutils 3.8. Oracle: diff.
 * Differs:  docs/divergences/diff.md
 */
#include "builtins/diff.h"
#include "base/num.h"
#include "builtins/quoting.h"
#include "builtins/regex.h"
#include "builtins/zone.h"
#include "text/pattern/pattern.h"

/* ---- options -----------------------------------------------------------------------------------
 */

static struct diff_opts *opts_of(struct wk_cmd *c)
{
    return (struct diff_opts *)c->opts;
}

static void take_style(struct wk_cmd *c, enum diff_style style)
{
    struct diff_opts *o = opts_of(c);
    if (o->style != DIFF_NONE && o->style != (int)style)
        wk_usage(c, "conflicting output style options");
    o->style = (int)style;
}

static int set_style(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)arg;
    take_style(c, (enum diff_style)opt->value);
    return 0;
}

/* A number of lines or columns, at most the largest one; false when it is none. */
static bool read_number(const char *text, int64_t *v)
{
    const char *p = text + (*text == '+');
    if (p[strspn(p, "0123456789")])
        return false;
    for (*v = 0; *p; p++)
        *v = *v > (INT64_MAX / 4 - 9) / 10 ? INT64_MAX / 4 : *v * 10 + (*p - '0');
    return true;
}

static int set_context(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct diff_opts *o = opts_of(c);
    int64_t v = 3;
    take_style(c, (enum diff_style)opt->value);
    if (opt->arg && arg && !read_number(arg, &v))
        wk_usage(c, "invalid context length '%s'", arg);
    if (v > o->context)
        o->context = v;
    o->explicit_context = o->explicit_context || opt->arg;
    return 0;
}

/* -1 … -9: digits that follow each other are one number. */
static int set_digit(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)arg;
    struct diff_opts *o = opts_of(c);
    bool follows =
        c->last_opt && c->last_opt->kind == WK_OPT_FUNC && c->last_opt->func == set_digit;
    int64_t v = follows ? o->digits : 0;
    o->digits = v > (INT64_MAX / 4 - 9) / 10 ? INT64_MAX / 4 : v * 10 + opt->value;
    o->has_digits = true;
    return 0;
}

static int set_positive(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct diff_opts *o = opts_of(c);
    static const char *const what[] = {"width", "tabsize", "horizon length"};
    int64_t v, *to = opt->value == 0 ? &o->width : opt->value == 1 ? &o->tab_size : &o->horizon;
    if (!read_number(arg, &v) || (!v && opt->value < 2))
        wk_usage(c, "invalid %s '%s'", what[opt->value], arg);
    if (*to && *to != v && opt->value < 2)
        wk_fail(c, 2, "conflicting %s options", what[opt->value]);
    *to = v > *to ? v : *to;
    return 0;
}

static int set_space(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)arg;
    struct diff_opts *o = opts_of(c);
    int v = opt->value, now = (int)o->space;
    if ((v == DIFF_SPACE_TABS && now == DIFF_SPACE_END) ||
        (v == DIFF_SPACE_END && now == DIFF_SPACE_TABS))
        v = DIFF_SPACE_TABS_AND_END;
    if (v > now)
        o->space = (enum diff_space)v;
    return 0;
}

static int add_label(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct diff_opts *o = opts_of(c);
    if (o->labels[1])
        wk_fail(c, 2, "too many file label options");
    o->labels[o->labels[0] != NULL] = arg;
    return 0;
}

static struct wk_re *compile(struct wk_cmd *c, const char *text)
{
    struct wk_re_error err;
    struct wk_re *re = wk_cmd_re(c, wk_str_c(text), WK_RE_GREP, &err);
    if (!re)
        wk_fail(c, 2, "%s: %s", text, err.text);
    return re;
}

static void add_re(struct wk_cmd *c, struct diff_res *list, const char *text)
{
    list->v = (struct wk_re **)wk_heap_realloc(c->heap, list->v, (list->n + 1) * sizeof *list->v);
    list->v[list->n++] = compile(c, text);
}

static int add_ignored(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    add_re(c, &opts_of(c)->ignore_lines, arg);
    return 0;
}

static int set_function(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct diff_opts *o = opts_of(c);
    o->c_functions = o->c_functions || !opt->arg;
    add_re(c, &o->function_lines, opt->arg ? arg : "^[[:alpha:]$_]");
    return 0;
}

static void release_arena(void *a)
{
    wk_arena_release((struct wk_arena *)a);
}

static void add_exclude(struct wk_cmd *c, struct wk_str text)
{
    struct diff_opts *o = opts_of(c);
    if (o->exclude_n == o->exclude_cap) {
        o->exclude_cap = o->exclude_cap * 2 + 8;
        o->exclude = (const struct wk_pattern **)wk_heap_realloc(
            c->heap, o->exclude, o->exclude_cap * sizeof *o->exclude);
    }
    if (wk_pattern_compile(o->arena, text, o->fold_names ? WK_PATTERN_NOCASE : 0,
                           &o->exclude[o->exclude_n]))
        wk_heap_exhausted(c->heap);
    o->exclude_n++;
}

static void read_excludes(struct wk_cmd *c, const char *path)
{
    struct wk_in *in = wk_in_open(c, path, true);
    if (!in)
        wk_exit(c, 2);
    struct wk_str line;
    while (wk_line_next(in, '\n', &line)) {
        while (line.n && (line.p[line.n - 1] == ' ' ||
                          (line.p[line.n - 1] >= '\t' && line.p[line.n - 1] <= '\r')))
            line.n--;
        if (line.n)
            add_exclude(c, wk_str(wk_dupn(c, line.p, line.n), line.n));
    }
    if (in != c->in)
        wk_in_close(in);
}

static void compile_excludes(struct wk_cmd *c)
{
    struct diff_opts *o = opts_of(c);
    if (!o->exclude_names.n && !o->exclude_files.n)
        return;
    o->arena = wk_new(c, struct wk_arena);
    wk_arena_init(o->arena, wk_heap_mem(c->heap));
    wk_heap_own(c->heap, o->arena, release_arena);
    for (size_t i = 0; i < o->exclude_names.n; i++)
        add_exclude(c, wk_str_c(o->exclude_names.v[i]));
    for (size_t i = 0; i < o->exclude_files.n; i++)
        read_excludes(c, o->exclude_files.v[i]);
}

static int count_steps(void *ctx, size_t steps)
{
    wk_tick((struct wk_cmd *)ctx, (uint32_t)(steps & 0xffffff));
    return 0;
}

bool wk_diff_excluded(struct wk_cmd *c, const char *name)
{
    const struct diff_opts *o = opts_of(c);
    struct wk_pattern_run run = {.mem = wk_heap_mem(c->heap), .step = count_steps, .ctx = c};
    for (size_t i = 0; i < o->exclude_n; i++)
        if (wk_pattern_match(o->exclude[i], &run, wk_str_c(name)) == 1)
            return true;
    return false;
}

/* One of the formats: each may be given twice only alike. */
static void set_format(struct wk_cmd *c, const char **to, const char *option, const char *value)
{
    take_style(c, DIFF_IFDEF);
    if (*to && strcmp(*to, value) != 0)
        wk_usage(c, "conflicting %s option value '%s'", option, value);
    *to = value;
}

static int set_ifdef(struct wk_cmd *c, const struct wk_opt *opt, const char *name)
{
    (void)opt;
    struct diff_opts *o = opts_of(c);
    struct wk_buf *b = wk_cmd_buf(c, SIZE_MAX);
    for (const char *p = name; *p; p++) { /* a percent sign of the name is none of a format */
        wk_buf_putc(b, *p);
        if (*p == '%')
            wk_buf_putc(b, '%');
    }
    const char *n = wk_keep(c, b);
    set_format(c, &o->group_format[DIFF_OLD], "-D",
               wk_strf(c, "#ifndef %s\n%%<#endif /* ! %s */\n", n, n));
    set_format(c, &o->group_format[DIFF_NEW], "-D",
               wk_strf(c, "#ifdef %s\n%%>#endif /* %s */\n", n, n));
    set_format(c, &o->group_format[DIFF_UNCHANGED], "-D", "%=");
    set_format(c, &o->group_format[DIFF_CHANGED], "-D",
               wk_strf(c, "#ifndef %s\n%%<#else /* %s */\n%%>#endif /* %s */\n", n, n, n));
    return 0;
}

static int set_group_format(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    set_format(c, &opts_of(c)->group_format[opt->value], wk_strf(c, "--%s", opt->long_name), arg);
    return 0;
}

static int set_line_format(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct diff_opts *o = opts_of(c);
    for (int i = 0; i < 3; i++)
        if (opt->value == 3 || opt->value == i)
            set_format(c, &o->line_format[i], wk_strf(c, "--%s", opt->long_name), arg);
    return 0;
}

static int set_color(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    if (arg && strcmp(arg, "always") != 0 && strcmp(arg, "never") != 0 && strcmp(arg, "auto") != 0)
        wk_usage(c, "invalid color '%s'", arg);
    opts_of(c)->color = arg && *arg == 'a' && arg[1] == 'l';
    return 0;
}

/* "rs=0:hd=1:ad=32:de=31:ln=36"; nothing is taken from one that is wrong. */
static void read_palette(struct wk_cmd *c)
{
    struct diff_opts *o = opts_of(c);
    static const char keys[][3] = {"rs", "hd", "ad", "de", "ln"};
    static const char *const standard[] = {"0", "1", "32", "31", "36"};
    for (int i = 0; i < DIFF_COLORS; i++)
        o->palette[i] = standard[i];
    for (const char *p = o->palette_text; p && *p;) {
        size_t n = strcspn(p, ":");
        int key = 0;
        while (key < DIFF_COLORS && (strncmp(p, keys[key], 2) != 0 || p[2] != '='))
            key++;
        if (key == DIFF_COLORS) {
            int status = c->status;
            o->color = false;
            wk_msg(c, "unparsable value for --palette");
            c->status = status;
            return;
        }
        o->palette[key] = wk_dupn(c, p + 3, n - 3);
        p += n + (p[n] == ':');
    }
}

#define OPTS struct diff_opts

static const struct wk_opt diff_options[] = {
    WK_FUNC_OPT(set_style, DIFF_NORMAL, 0, "normal", NULL, "output a normal diff (the default)"),
    WK_FLAG(OPTS, brief, 'q', "brief", "report only when files differ"),
    WK_FLAG(OPTS, report_same, 's', "report-identical-files", "report when two files are the same"),
    WK_FUNC_OPT(set_context, DIFF_CONTEXT, 'c', NULL, NULL, "output 3 lines of copied context"),
    WK_FUNC_OPT(set_context, DIFF_CONTEXT, 'C', NULL, "NUM", "output NUM lines of copied context"),
    WK_FUNC_OPT(set_context, DIFF_CONTEXT, 0, "context", "[NUM",
                "output NUM (default 3) lines of copied context"),
    WK_FUNC_OPT(set_context, DIFF_UNIFIED, 'u', NULL, NULL, "output 3 lines of unified context"),
    WK_FUNC_OPT(set_context, DIFF_UNIFIED, 'U', NULL, "NUM", "output NUM lines of unified context"),
    WK_FUNC_OPT(set_context, DIFF_UNIFIED, 0, "unified", "[NUM",
                "output NUM (default 3) lines of unified context"),
    WK_FUNC_OPT(set_digit, 0, '0', NULL, NULL,
                "(obsolete) with the other digits: lines of context"),
    WK_FUNC_OPT(set_digit, 1, '1', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 2, '2', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 3, '3', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 4, '4', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 5, '5', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 6, '6', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 7, '7', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 8, '8', NULL, NULL, NULL),
    WK_FUNC_OPT(set_digit, 9, '9', NULL, NULL, NULL),
    WK_FUNC_OPT(set_style, DIFF_ED, 'e', "ed", NULL, "output an ed script"),
    WK_FUNC_OPT(set_style, DIFF_FORWARD_ED, 'f', "forward-ed", NULL,
                "output something like an ed script, forwards"),
    WK_FUNC_OPT(set_style, DIFF_RCS, 'n', "rcs", NULL, "output an RCS format diff"),
    WK_FUNC_OPT(set_style, DIFF_SIDE, 'y', "side-by-side", NULL, "output in two columns"),
    WK_FUNC_OPT(set_positive, 0, 'W', "width", "NUM",
                "output at most NUM (default 130) print columns"),
    WK_FLAG(OPTS, left_column, 0, "left-column", "output only the left column of common lines"),
    WK_FLAG(OPTS, suppress_common, 0, "suppress-common-lines", "do not output common lines"),
    WK_FUNC_OPT(set_function, 0, 'p', "show-c-function", NULL,
                "show which C function each change is in"),
    WK_FUNC_OPT(set_function, 0, 'F', "show-function-line", "RE",
                "show the most recent line matching RE"),
    WK_FUNC_OPT(add_label, 0, 'L', "label", "LABEL",
                "use LABEL instead of file name and timestamp\n(can be repeated)"),
    WK_FLAG(OPTS, expand_tabs, 't', "expand-tabs", "expand tabs to spaces in output"),
    WK_FLAG(OPTS, initial_tab, 'T', "initial-tab", "make tabs line up by prepending a tab"),
    WK_FUNC_OPT(set_positive, 1, 0, "tabsize", "NUM",
                "tab stops every NUM (default 8) print columns"),
    WK_FLAG(OPTS, suppress_blank_empty, 0, "suppress-blank-empty",
            "suppress space or tab before empty output lines"),
    WK_FLAG(OPTS, paginate, 'l', "paginate", "pass output through 'pr' to paginate it"),
    WK_FLAG(OPTS, recursive, 'r', "recursive", "recursively compare any subdirectories found"),
    WK_FLAG(OPTS, no_dereference, 0, "no-dereference", "don't follow symbolic links"),
    WK_FLAG(OPTS, new_file, 'N', "new-file", "treat absent files as empty"),
    WK_FLAG(OPTS, new_first_file, 'P', "unidirectional-new-file",
            "treat absent first files as empty"),
    WK_SET(OPTS, fold_names, 0, 0, "no-ignore-file-name-case",
           "consider case when comparing file names"),
    WK_LIST_OPT(OPTS, exclude_names, 'x', "exclude", "PAT", "exclude files that match PAT"),
    WK_LIST_OPT(OPTS, exclude_files, 'X', "exclude-from", "FILE",
                "exclude files that match any pattern in FILE"),
    WK_STR_OPT(OPTS, start, 'S', "starting-file", "FILE",
               "start with FILE when comparing directories"),
    WK_STR_OPT(OPTS, from, 0, "from-file", "FILE1",
               "compare FILE1 to all operands;\nFILE1 can be a directory"),
    WK_STR_OPT(OPTS, to, 0, "to-file", "FILE2",
               "compare all operands to FILE2;\nFILE2 can be a directory"),
    WK_FUNC_OPT(set_space, DIFF_SPACE_NONE, 'w', "ignore-all-space", NULL,
                "ignore all white space"),
    WK_FLAG(OPTS, ignore_blank, 'B', "ignore-blank-lines",
            "ignore changes where lines are all blank"),
    WK_FLAG(OPTS, ignore_case, 'i', "ignore-case", "ignore case differences in file contents"),
    WK_SET(OPTS, fold_names, 1, 0, "ignore-file-name-case",
           "ignore case when comparing file names"),
    WK_FUNC_OPT(add_ignored, 0, 'I', "ignore-matching-lines", "RE",
                "ignore changes where all lines match RE"),
    WK_FUNC_OPT(set_space, DIFF_SPACE_AMOUNT, 'b', "ignore-space-change", NULL,
                "ignore changes in the amount of white space"),
    WK_FUNC_OPT(set_space, DIFF_SPACE_TABS, 'E', "ignore-tab-expansion", NULL,
                "ignore changes due to tab expansion"),
    WK_FUNC_OPT(set_space, DIFF_SPACE_END, 'Z', "ignore-trailing-space", NULL,
                "ignore white space at line end"),
    WK_FLAG(OPTS, text, 'a', "text", "treat all files as text"),
    WK_FLAG(OPTS, strip_cr, 0, "strip-trailing-cr", "strip trailing carriage return on input"),
    WK_FUNC_OPT(set_ifdef, 0, 'D', "ifdef", "NAME", "output merged file with '#ifdef NAME' diffs"),
    WK_FUNC_OPT(set_group_format, DIFF_OLD, 0, "old-group-format", "GFMT",
                "format old input groups with GFMT"),
    WK_FUNC_OPT(set_group_format, DIFF_NEW, 0, "new-group-format", "GFMT",
                "format new input groups with GFMT"),
    WK_FUNC_OPT(set_group_format, DIFF_UNCHANGED, 0, "unchanged-group-format", "GFMT",
                "format unchanged input groups with GFMT"),
    WK_FUNC_OPT(set_group_format, DIFF_CHANGED, 0, "changed-group-format", "GFMT",
                "format changed input groups with GFMT"),
    WK_FUNC_OPT(set_line_format, 3, 0, "line-format", "LFMT", "format all input lines with LFMT"),
    WK_FUNC_OPT(set_line_format, DIFF_OLD, 0, "old-line-format", "LFMT",
                "format old input lines with LFMT"),
    WK_FUNC_OPT(set_line_format, DIFF_NEW, 0, "new-line-format", "LFMT",
                "format new input lines with LFMT"),
    WK_FUNC_OPT(set_line_format, DIFF_UNCHANGED, 0, "unchanged-line-format", "LFMT",
                "format unchanged input lines with LFMT"),
    WK_FLAG(OPTS, minimal, 'd', "minimal", "try hard to find a smaller set of changes"),
    WK_FUNC_OPT(set_positive, 2, 0, "horizon-lines", "NUM",
                "keep NUM lines of the common prefix and suffix"),
    WK_FLAG(OPTS, speed_large, 'H', "speed-large-files",
            "assume large files and many scattered small changes"),
    WK_FLAG(OPTS, half_hearted, 'h', NULL, "(obsolete, ignored)"),
    WK_FUNC_OPT(
        set_color, 0, 0, "color", "[WHEN",
        "color output; WHEN is 'never', 'always', or 'auto';\nplain --color means --color='auto'"),
    WK_STR_OPT(OPTS, palette_text, 0, "palette", "PALETTE",
               "the colors to use when --color is active"),
    WK_OPTS_END,
};

/* ---- two files ---------------------------------------------------------------------------------
 */

/* The options as given, for the line before each pair below directories. */
static const char *options_text(struct wk_cmd *c)
{
    struct wk_buf *b = wk_cmd_buf(c, SIZE_MAX);
    int next = 0;
    for (int i = 1; i < c->argc; i++) {
        if (next < c->nargs && c->argv[i] == c->args[next]) {
            next++;
            continue;
        }
        wk_buf_putc(b, ' ');
        wk_quoting_put(b, wk_str_c(c->argv[i]), WK_QUOTING_SHELL, false, "");
    }
    return wk_keep(c, b);
}

/* What messages call a file. */
static const char *shown_name(const struct diff_opts *o, const char *name, int which)
{
    return o->labels[which] ? o->labels[which] : name;
}

static void put_style(struct diff *d)
{
    switch (d->o->style) {
    case DIFF_CONTEXT:
    case DIFF_UNIFIED:
        wk_diff_put_context(d);
        break;
    case DIFF_ED:
    case DIFF_FORWARD_ED:
        wk_diff_put_ed(d);
        break;
    case DIFF_RCS:
        wk_diff_put_rcs(d);
        break;
    case DIFF_SIDE:
        wk_diff_put_side(d);
        break;
    case DIFF_IFDEF:
        wk_diff_put_ifdef(d);
        break;
    default:
        wk_diff_put_normal(d);
    }
}

/* An ed script cannot say that the last line has no newline. */
static int check_newlines(struct diff *d)
{
    int status = 0;
    for (int i = 0; i < 2; i++)
        if (d->file[i].no_newline) {
            wk_msg(d->c, "%s: No newline at end of file\n", shown_name(d->o, d->file[i].name, i));
            status = 2;
        }
    return status;
}

static int show(struct diff *d, bool below)
{
    struct wk_cmd *c = d->c;
    const struct diff_opts *o = d->o;
    bool any = wk_diff_compare(d), counts = any && wk_diff_counts(d);
    bool always = o->style == DIFF_SIDE || o->style == DIFF_IFDEF;
    if (counts && o->brief) {
        wk_out_fmt(c->out, "Files %s and %s differ\n", shown_name(o, d->file[0].name, 0),
                   shown_name(o, d->file[1].name, 1));
        return 1;
    }
    if (!o->brief && (counts || always)) {
        if (o->paginate) {
            wk_diff_paginate(d,
                          wk_strf(c, "diff%s %s %s", o->options,
                                  wk_diff_name(c, shown_name(o, d->file[0].name, 0)),
                                  wk_diff_name(c, shown_name(o, d->file[1].name, 1))),
                          put_style);
        } else if (below) {
            wk_out_fmt(c->out, "diff%s %s %s\n", o->options, wk_diff_name(c, d->file[0].name),
                       wk_diff_name(c, d->file[1].name));
        }
        if (!o->paginate)
            put_style(d);
    }
    int status = counts;
    int s = check_newlines(d);
    return s ? s : status;
}

static int compare_texts(struct wk_cmd *c, struct diff_sides *s)
{
    const struct diff_opts *o = opts_of(c);
    struct diff *d = wk_new(c, struct diff);
    struct wk_re_run run = wk_cmd_re_run(c);
    *d = (struct diff){.c = c, .o = o, .run = &run};
    for (int i = 0; i < 2; i++)
        d->file[i] = (struct diff_file){.name = s->name[i],
                                        .st = s->st[i],
                                        .absent = s->absent[i],
                                        .is_stdin = strcmp(s->name[i], "-") == 0};
    if (!wk_diff_read(d))
        return 2;
    bool binary = !o->text && (wk_diff_is_binary(d->file[0].text) || wk_diff_is_binary(d->file[1].text));
    if (!binary)
        return show(d, s->below);
    if (wk_str_eq(d->file[0].text, d->file[1].text))
        return 0;
    wk_out_fmt(c->out, o->brief ? "Files %s and %s differ\n" : "Binary files %s and %s differ\n",
               shown_name(o, s->name[0], 0), shown_name(o, s->name[1], 1));
    return 1;
}

/* ---- whatever the two names are ----------------------------------------------------------------
 */

static bool look_up(struct wk_cmd *c, struct diff_sides *s, int which)
{
    if (s->absent[which])
        return true;
    bool dash = !s->below && strcmp(s->name[which], "-") == 0;
    int err = dash
                  ? -wk_file_stat(c->in->file, &s->st[which])
                  : wk_at_stat(c, NULL, s->name[which], !opts_of(c)->no_dereference, &s->st[which]);
    if (!err)
        return true;
    s->error[which] = err;
    return false;
}

static int compare_links(struct wk_cmd *c, const struct diff_sides *s)
{
    char *text[2];
    for (int i = 0; i < 2; i++) {
        int err = wk_at_readlink(c, NULL, s->name[i], &text[i]);
        if (err) {
            wk_warn(c, s->name[i], err);
            return 2;
        }
    }
    if (strcmp(text[0], text[1]) == 0)
        return 0;
    wk_out_fmt(c->out, "Symbolic links %s and %s differ\n", s->name[0], s->name[1]);
    return 1;
}

static int compare_kinds(struct wk_cmd *c, struct diff_sides *s, bool *descend)
{
    const struct diff_opts *o = opts_of(c);
    uint32_t kind[2] = {s->st[0].mode & WK_S_IFMT, s->st[1].mode & WK_S_IFMT};
    if (s->absent[0])
        kind[0] = kind[1];
    if (s->absent[1])
        kind[1] = kind[0];
    if (kind[0] == WK_S_IFDIR && kind[1] == WK_S_IFDIR) {
        *descend = !s->below || o->recursive;
        if (!*descend)
            wk_out_fmt(c->out, "Common subdirectories: %s and %s\n", s->name[0], s->name[1]);
        return 0;
    }
    if (kind[0] == WK_S_IFLNK && kind[1] == WK_S_IFLNK)
        return compare_links(c, s);
    bool odd = kind[0] == WK_S_IFDIR || kind[1] == WK_S_IFDIR || kind[0] == WK_S_IFLNK ||
               kind[1] == WK_S_IFLNK;
    odd = odd || (s->below && (kind[0] != WK_S_IFREG || kind[1] != WK_S_IFREG));
    if (odd) {
        wk_out_fmt(c->out, "File %s is a %s while file %s is a %s\n", s->name[0],
                   wk_file_type_words(&s->st[0]), s->name[1], wk_file_type_words(&s->st[1]));
        return 1;
    }
    bool always = o->style == DIFF_SIDE || o->style == DIFF_IFDEF;
    if (!always && !s->absent[0] && !s->absent[1] && wk_stat_same(&s->st[0], &s->st[1]))
        return 0;
    return compare_texts(c, s);
}

int wk_diff_pair(struct wk_cmd *c, struct diff_sides *s, bool *descend)
{
    const struct diff_opts *o = opts_of(c);
    bool found[2] = {look_up(c, s, 0), look_up(c, s, 1)};
    for (int i = 0; i < 2; i++)
        if (!found[i] && found[!i] && s->error[i] == WK_ENOENT &&
            (o->new_file || (i == 0 && o->new_first_file))) {
            found[i] = s->absent[i] = true;
            s->st[i] = (struct wk_stat){.mode = s->st[!i].mode};
        }
    for (int i = 0; i < 2; i++)
        if (!found[i])
            wk_warn(c, s->name[i], s->error[i]);
    if (!found[0] || !found[1])
        return 2;
    int status = compare_kinds(c, s, descend);
    if (!status && !*descend && o->report_same && (s->st[0].mode & WK_S_IFMT) != WK_S_IFDIR)
        wk_out_fmt(c->out, "Files %s and %s are identical\n", shown_name(o, s->name[0], 0),
                   shown_name(o, s->name[1], 1));
    return status;
}

/* A file and a directory: the file of that name in it. */
static int into_directory(struct wk_cmd *c, struct diff_sides *s)
{
    struct wk_stat st[2];
    bool dir[2];
    for (int i = 0; i < 2; i++) {
        bool dash = strcmp(s->name[i], "-") == 0;
        dir[i] = !dash && wk_at_stat(c, NULL, s->name[i], true, &st[i]) == 0 &&
                 (st[i].mode & WK_S_IFMT) == WK_S_IFDIR;
    }
    if (dir[0] == dir[1])
        return 0;
    int file = dir[0];
    if (strcmp(s->name[file], "-") == 0) {
        wk_msg(c, "cannot compare '-' to a directory");
        return 2;
    }
    struct wk_stat other;
    if (wk_at_stat(c, NULL, s->name[file], true, &other) == WK_ENOENT)
        return 0;
    size_t n;
    const char *last = wk_last_component(s->name[file], &n);
    s->name[!file] = wk_diff_join(c, s->name[!file], wk_dupn(c, last, n));
    return 0;
}

static int compare_operands(struct wk_cmd *c, const char *a, const char *b)
{
    struct diff_sides s = {.name = {a, b}};
    bool descend = false;
    int status = into_directory(c, &s);
    if (status)
        return status;
    status = wk_diff_pair(c, &s, &descend);
    if (descend && !(s.absent[0] || s.absent[1]) && wk_stat_same(&s.st[0], &s.st[1]))
        return status;
    return descend ? wk_diff_directories(c, opts_of(c), &s) : status;
}

static void settle_options(struct wk_cmd *c)
{
    struct diff_opts *o = opts_of(c);
    if (o->style == DIFF_NONE) {
        o->style = o->c_functions ? DIFF_CONTEXT : DIFF_NORMAL;
        if (o->c_functions && o->context < 3)
            o->context = 3;
    }
    if (o->has_digits && (o->digits > o->context || !o->explicit_context))
        o->context = o->digits;
    if (o->horizon < o->context)
        o->horizon = o->context;
    if (!o->width)
        o->width = 130;
    if (!o->tab_size)
        o->tab_size = 8;
    for (int i = 0; i < 3; i++)
        if (!o->line_format[i])
            o->line_format[i] = "%l\n";
    static const char *const groups[] = {"%<", "%>", "%="};
    for (int i = 0; i < 3; i++)
        if (!o->group_format[i])
            o->group_format[i] = groups[i];
    if (!o->group_format[DIFF_CHANGED])
        o->group_format[DIFF_CHANGED] =
            wk_strf(c, "%s%s", o->group_format[DIFF_OLD], o->group_format[DIFF_NEW]);
    read_palette(c);
    compile_excludes(c);
    o->options = options_text(c);
}

static int diff_main(struct wk_cmd *c)
{
    struct diff_opts *o = opts_of(c);
    settle_options(c);
    if (o->from && o->to)
        wk_fail(c, 2, "--from-file and --to-file both specified");
    int worst = 0;
    if (!o->from && !o->to) {
        if (c->nargs < 2)
            wk_usage(c, "missing operand after '%s'", c->argv[c->argc - 1]);
        if (c->nargs > 2)
            wk_usage(c, "extra operand '%s'", c->args[2]);
        return compare_operands(c, c->args[0], c->args[1]);
    }
    for (int i = 0; i < c->nargs; i++) {
        int status =
            compare_operands(c, o->from ? o->from : c->args[i], o->from ? c->args[i] : o->to);
        worst = status > worst ? status : worst;
    }
    return worst;
}

WK_COMMAND(diff, .summary = "compare FILES line by line", .usage = "diff [OPTION]... FILES",
           .std = "diffutils 3.8", .opts = diff_options, .opts_size = sizeof(struct diff_opts),
           .flags = WK_CMD_SAY_NAME, .usage_status = 2);
