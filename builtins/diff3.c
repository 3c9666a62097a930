/* diff3.c - compare three files line by line, and merge the changes of two of them
 *
 * Two of the files are compared with the third by diff; what it tells of both is put together.
 *
 * Standard: GNU diffutils 3.8. Oracle: diff3.
 */
#include "builtins/diff3.h"
#include "builtins/subprogram.h"

static struct diff3_opts *opts_of(struct wk_cmd *c)
{
    return (struct diff3_opts *)c->opts;
}

static int set_script(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)arg;
    struct diff3_opts *o = opts_of(c);
    o->script_twice = o->script_twice || (o->script != DIFF3_NONE && o->script != opt->value);
    o->script = opt->value;
    return 0;
}

static int add_label(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct diff3_opts *o = opts_of(c);
    if (o->labels_n == DIFF3_FILES)
        wk_usage(c, "too many file label options");
    o->labels[o->labels_n++] = arg;
    return 0;
}

#define OPTS struct diff3_opts

static const struct wk_opt diff3_options[] = {
    WK_FUNC_OPT(set_script, DIFF3_ALL_BRACKETS, 'A', "show-all", NULL, "all changes, conflicts in brackets"),
    WK_FUNC_OPT(set_script, DIFF3_ED, 'e', "ed", NULL,
                "an ed script that brings the changes from OLDFILE to\nYOURFILE into MYFILE"),
    WK_FUNC_OPT(set_script, DIFF3_ED_BRACKETS, 'E', "show-overlap", NULL, "as -e, with brackets around conflicts"),
    WK_FUNC_OPT(set_script, DIFF3_EASY, '3', "easy-only", NULL, "as -e, without changes that overlap"),
    WK_FUNC_OPT(set_script, DIFF3_OVERLAP, 'x', "overlap-only", NULL, "as -e, only changes that overlap"),
    WK_FUNC_OPT(set_script, DIFF3_OVERLAP_X, 'X', NULL, NULL, "as -x"),
    WK_FLAG(OPTS, write, 'i', NULL, "end ed scripts with 'w' and 'q'"),
    WK_FLAG(OPTS, merge, 'm', "merge", "the merged file itself, as by -A or another option"),
    WK_FLAG(OPTS, text, 'a', "text", "take all files for text"),
    WK_FLAG(OPTS, strip_cr, 0, "strip-trailing-cr", "remove carriage returns at the end of lines"),
    WK_FLAG(OPTS, initial_tab, 'T', "initial-tab", "a tab before lines, so that tabs line up"),
    WK_STR_OPT(OPTS, program, 0, "diff-program", "PROGRAM", "compare files by PROGRAM"),
    WK_FUNC_OPT(add_label, 0, 'L', "label", "LABEL", "use LABEL for the name of a file (up to three times)"),
    WK_FUNC_OPT(wk_opt_about, 1, 'v', NULL, NULL, "as --version"),
    WK_OPTS_END,
};

/* ---- the comparisons ----------------------------------------------------------------------------
 */

static struct wk_str compare(struct diff3 *d, int first, int second)
{
    struct wk_cmd *c = d->c;
    struct wk_subprogram diff;
    char *argv[8];
    int n = 0;
    argv[n++] = wk_dup(c, d->o->program ? d->o->program : "diff");
    if (d->o->text)
        argv[n++] = wk_dup(c, "-a");
    if (d->o->strip_cr)
        argv[n++] = wk_dup(c, "--strip-trailing-cr");
    argv[n++] = wk_dup(c, "--horizon-lines=100");
    argv[n++] = wk_dup(c, "--");
    argv[n++] = wk_dup(c, d->file[first]);
    argv[n++] = wk_dup(c, d->file[second]);
    argv[n] = NULL;
    wk_subprogram_start(c, &diff, argv, n, true);
    if (diff.err)
        wk_subprogram_blame(c, &diff);
    struct wk_str text = wk_in_all(diff.in);
    if (text.n && text.p[text.n - 1] != '\n')
        wk_fail(c, 2, "invalid diff format; incomplete last line");
    if (wk_subprogram_end(c, &diff) > 1)
        wk_subprogram_blame(c, &diff);
    return text;
}

/* The file that the others are compared with is read twice: not standard input. */
static int common_file(const struct diff3 *d)
{
    int common = d->o->script != DIFF3_NONE ? DIFF3_OLD : DIFF3_YOURS;
    if (strcmp(d->file[common], "-") != 0)
        return common;
    common = DIFF3_OLD + DIFF3_YOURS - common;
    if (strcmp(d->file[common], "-") == 0)
        wk_fail(d->c, 2, "'-' specified for more than one input file");
    return common;
}

static void check_options(struct wk_cmd *c)
{
    struct diff3_opts *o = opts_of(c);
    if (o->merge && o->script == DIFF3_NONE)
        o->script = DIFF3_ALL_BRACKETS;
    bool brackets = o->script == DIFF3_ALL_BRACKETS || o->script == DIFF3_ED_BRACKETS;
    if (o->script_twice || (o->merge && o->write) || (o->labels_n && !brackets)) {
        wk_msg(c, "incompatible options");
        wk_try_help(c);
    }
}

static void check_files(struct diff3 *d)
{
    struct wk_cmd *c = d->c;
    for (int i = 0; i < DIFF3_FILES; i++) {
        struct wk_stat st = {0};
        int err = strcmp(d->file[i], "-") == 0 ? 0 : wk_at_stat(c, NULL, d->file[i], true, &st);
        if (!err && (st.mode & WK_S_IFMT) == WK_S_IFDIR)
            err = WK_EISDIR;
        if (err)
            wk_fail(c, 2, "%s: %s", d->file[i], wk_err_text(err));
    }
}

static int put_merged(struct diff3 *d)
{
    struct wk_in *in;
    int err = wk_raw_open(d->c, d->file[DIFF3_MINE], false, &in);
    if (err)
        wk_fail(d->c, 2, "failed to reopen '%s' with mode 'r': %s", d->file[DIFF3_MINE], wk_err_text(err));
    in->name = d->file[DIFF3_MINE];
    return wk_diff3_put_merged(d, in);
}

static int diff3_main(struct wk_cmd *c)
{
    struct diff3_opts *o = opts_of(c);
    struct diff3 *d = wk_new(c, struct diff3);
    check_options(c);
    if (c->nargs < DIFF3_FILES)
        wk_usage(c, "missing operand after '%s'", c->nargs ? c->args[c->nargs - 1] : c->argv[c->argc - 1]);
    if (c->nargs > DIFF3_FILES)
        wk_usage(c, "extra operand '%s'", c->args[DIFF3_FILES]);
    *d = (struct diff3){.c = c, .o = o};
    for (int i = 0; i < DIFF3_FILES; i++) {
        d->file[i] = c->args[i];
        d->label[i] = o->labels[i] ? o->labels[i] : c->args[i];
    }
    int common = common_file(d);
    check_files(d);
    struct wk_str other = compare(d, DIFF3_OLD + DIFF3_YOURS - common, common);
    struct wk_str mine = compare(d, DIFF3_MINE, common);
    wk_diff3_parts(d, common, mine, other);
    int status = o->merge                     ? put_merged(d)
                 : o->script != DIFF3_NONE ? wk_diff3_put_script(d)
                                              : wk_diff3_put_parts(d);
    int err = wk_out_flush(c->out);
    if (err) {
        c->out->err = 0;
        wk_fail(c, 2, "standard output: %s", wk_err_text(err));
    }
    return status;
}

WK_COMMAND(diff3, .summary = "compare three files line by line", .usage = "diff3 [OPTION]... MYFILE OLDFILE YOURFILE",
           .help = "If a FILE is '-', standard input is read.\n"
                   "The status is 0 if all went well, 1 with conflicts, 2 in trouble.",
           .std = "diffutils 3.8", .opts = diff3_options, .opts_size = sizeof(struct diff3_opts),
           .flags = WK_CMD_SAY_NAME, .usage_status = 2);
