/* sed.c - edit lines by a program: options and the run
 *
 * Standard: POSIX XCU sed. Oracle: GNU sed 4.9.
 * Differs:  docs/divergences/sed.md
 */
#include "builtins/sed_debug.h"
#include "builtins/sed_out.h"

static int take_source(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct sed_opts *o = c->opts;
    o->sources = wk_heap_realloc(c->heap, o->sources, (o->nsources + 1) * sizeof *o->sources);
    o->sources[o->nsources++] = (struct sed_source){arg, opt->value == 'f'};
    return 0;
}

static int take_in_place(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct sed_opts *o = c->opts;
    (void)opt;
    o->in_place = o->separate = true;
    o->suffix = arg;
    return 0;
}

/* As C's atoi takes it; what is below 0 does not matter. */
static int64_t leading_number(const char *text)
{
    int64_t v = 0;
    while (wk_is_space((unsigned char)*text))
        text++;
    for (text += *text == '+'; wk_is_digit(*text) && v < INT32_MAX; text++)
        v = v * 10 + (*text - '0');
    return v;
}

static int take_width(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct sed_opts *o = c->opts;
    (void)opt;
    o->width = leading_number(arg);
    o->width_given = true;
    return 0;
}

/* Where l breaks lines without -l: before the last of $COLS columns. */
static int64_t default_width(struct wk_cmd *c)
{
    const char *columns = wk_cmd_env(c, "COLS");
    int64_t v = columns ? leading_number(columns) : 0;
    return v > 1 ? v - 1 : 70;
}

#define FLAG(field, s, l, help) WK_FLAG(struct sed_opts, field, s, l, help)

static const struct wk_opt sed_options[] = {
    FLAG(quiet, 'n', "quiet", "print the pattern space only where the script says so"),
    FLAG(debug, 0, "debug", "show the program, and what it does"),
    WK_FUNC_OPT(take_source, 'e', 'e', "expression", "SCRIPT", "add SCRIPT to the commands"),
    WK_FUNC_OPT(take_source, 'f', 'f', "file", "FILE", "add the commands in FILE"),
    FLAG(follow, 0, "follow-symlinks", "with -i, edit the files that symbolic links point to"),
    WK_FUNC_OPT(take_in_place, 0, 'i', "in-place", "[SUFFIX",
                "edit files in place; with SUFFIX, keep backups"),
    WK_FUNC_OPT(take_width, 0, 'l', "line-length", "N", "break the lines of l after N columns"),
    FLAG(null_data, 'z', "null-data", "lines end in NUL, not newline"),
    FLAG(null_data, 'z', "zero-terminated", "the same"),
    FLAG(posix, 0, "posix", "without GNU's additions to the language"),
    FLAG(extended, 'E', "regexp-extended", "use extended regular expressions"),
    FLAG(extended, 'r', NULL, "the same"),
    FLAG(quiet, 'n', "silent", "the same as --quiet"),
    FLAG(sandbox, 0, "sandbox", "refuse the commands e, r and w"),
    FLAG(separate, 's', "separate", "files are not one stream: each has its own lines and ranges"),
    FLAG(unbuffered, 'u', "unbuffered", "read no more than needed, write every line at once"),
    FLAG(binary, 'b', "binary", "ignored"),
    WK_OPTS_END,
};

static WK_NORETURN void no_script(struct wk_cmd *c)
{
    wk_out_fmt(c->err, "Usage: %s\nTry '%s --help' for more information.\n", c->command->usage,
               c->name);
    wk_exit(c, 1);
}

/* Without -e and -f the first operand is the script. */
static void take_script(struct wk_cmd *c, struct sed_opts *o)
{
    static const struct wk_opt expression = {.value = 'e'};
    if (o->nsources)
        return;
    if (!c->nargs)
        no_script(c);
    (void)take_source(c, &expression, c->args[0]);
    c->args++;
    c->nargs--;
}

static int sed_main(struct wk_cmd *c)
{
    struct sed_opts *o = c->opts;
    if (!o->width_given)
        o->width = default_width(c);
    take_script(c, o);
    struct sed *s = wk_new(c, struct sed);
    s->c = c;
    s->o = o;
    s->posix = o->posix;
    s->strict = o->posix || wk_cmd_env(c, "POSIXLY_CORRECT");
    s->utf8 = wk_cmd_utf8(c);
    s->run = wk_cmd_re_run(c);
    s->run.same = true;
    s->eol = o->null_data ? '\0' : '\n';
    s->hold.newline = true;
    s->stdout_ = (struct sed_out){.name = "stdout", .o = c->out};
    s->stdout_w = (struct sed_out){.name = "/dev/stdout", .o = c->out};
    s->stderr_w = (struct sed_out){.name = "/dev/stderr", .o = c->err};
    s->out = &s->stdout_;
    wk_sed_parse(s);
    if (o->debug)
        wk_sed_show_program(s);
    if (o->in_place && !c->nargs)
        wk_fail(c, 4, "no input files");
    wk_sed_run(s);
    wk_sed_close_all(s);
    return s->missing ? 2 : s->status;
}

WK_COMMAND(sed, .summary = "edit lines of text by a program",
           .usage = "sed [OPTION]... {SCRIPT-ONLY-IF-NO-OTHER} [FILE]...",
           .help =
               "Without -e and -f the first operand is the script. Without FILE, or when FILE is\n"
               "-, standard input is read. The command e and the option e of s, which run\n"
               "programs, are not supported.",
           .std = "sed 4.9", .opts = sed_options, .opts_size = sizeof(struct sed_opts),
           .usage_status = 1);
