/* awk.c - pattern scanning and processing
 *
 * Standard: POSIX awk, gawk 5.2. Oracle: gawk.
 * Differs:  docs/divergences/awk.md
 */
#include "builtins/awk_parse.h"

#include "base/num.h"
#include "builtins/idnames.h"

struct awk_opts {
    struct awk_setting {
        bool fs; /* -F, else -v */
        const char *text;
    } *setting;
    size_t nsetting;
    struct awk_source *source;
    size_t nsource;
    bool posix, sandbox, csv, traditional, bytes, nondecimal, inplace, exec, ignored;
};

#define AWK struct awk_opts

/* Program texts of -f and -e in their order; a file that is missing is told before anything else. */
static int add_source(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    AWK *o = (AWK *)c->opts;
    struct awk_source one = {.text = wk_str_c(arg)};
    if (!opt->value && !*arg) {
        wk_msg(c, "warning: empty argument to `-e/--source' ignored");
        c->status = 0;
        return 0;
    }
    if (opt->value) {
        int err;
        one = (struct awk_source){.name = arg, .program = opt->short_name != 'i'};
        one.text = wk_awk_read_source(c, arg, &one.found, &err);
        if (err) {
            wk_msg(c, "fatal: cannot open source file `%s' for reading: %s", arg, wk_err_text(err));
            wk_exit(c, 2);
        }
    }
    o->source = (struct awk_source *)wk_heap_realloc(c->heap, o->source, (o->nsource + 1) * sizeof *o->source);
    o->source[o->nsource++] = one;
    return 0;
}

/* -F and -v: done in their order, once all options are known. */
static int add_setting(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    AWK *o = (AWK *)c->opts;
    o->setting = (struct awk_setting *)wk_heap_realloc(c->heap, o->setting,
                                                       (o->nsetting + 1) * sizeof *o->setting);
    o->setting[o->nsetting++] = (struct awk_setting){.fs = opt->value, .text = arg};
    return 0;
}

/* -i: a file of the program, but for `inplace`, which is part of us. */
static int include(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    AWK *o = (AWK *)c->opts;
    if (strcmp(arg, "inplace") == 0 || strcmp(arg, "inplace.awk") == 0) {
        o->inplace = true;
        return 0;
    }
    for (size_t i = 0; i < o->nsource; i++)
        if (o->source[i].name && strcmp(o->source[i].name, arg) == 0)
            return 0; /* once is enough */
    return add_source(c, opt, arg);
}

/* -E: the program, and no options behind it. */
static int exec_file(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    c->opts_done = true;
    ((AWK *)c->opts)->exec = true;
    return add_source(c, opt, arg);
}

static int refuse(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)arg;
    wk_fail(c, 2, "fatal: option --%s is not available here", opt->long_name);
}

/* -l: there is none. */
static int refuse_library(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    wk_fail(c, 2, "fatal: cannot open shared library `%s' for reading: No such file or directory", arg);
}

static const struct wk_opt awk_options[] = {
    WK_FUNC_OPT(add_setting, 1, 'F', "field-separator", "FS", "fields are separated by FS"),
    WK_FUNC_OPT(add_setting, 0, 'v', "assign", "VAR=VALUE",
                "assign VALUE to VAR before the program begins"),
    WK_FUNC_OPT(add_source, 1, 'f', "file", "PROGFILE", "take the program from PROGFILE"),
    WK_FUNC_OPT(add_source, 0, 'e', "source", "TEXT", "take the program from TEXT"),
    WK_FUNC_OPT(exec_file, 1, 'E', "exec", "PROGFILE", "take the program from PROGFILE"),
    WK_FUNC_OPT(include, 1, 'i', "include", "FILE",
                "read FILE first; inplace: edit files in place"),
    WK_FLAG(AWK, nondecimal, 'n', "non-decimal-data", "hexadecimal and octal numbers in input"),
    WK_FLAG(AWK, bytes, 'b', "characters-as-bytes", "a character is a byte"),
    WK_FLAG(AWK, csv, 'k', "csv", "the input is comma-separated values"),
    WK_FLAG(AWK, posix, 'P', "posix", "POSIX awk only"),
    WK_FLAG(AWK, traditional, 'c', "traditional", "the language of Unix awk only"),
    WK_FLAG(AWK, sandbox, 'S', "sandbox", "no commands and no files but the operands"),
    WK_FLAG(AWK, ignored, 'r', "re-interval", "intervals in regular expressions (always so)"),
    WK_FLAG(AWK, ignored, 'O', "optimize", "(changes nothing)"),
    WK_FLAG(AWK, ignored, 's', "no-optimize", "(changes nothing)"),
    WK_FLAG(AWK, ignored, 't', "lint-old", "(changes nothing)"),
    WK_FUNC_OPT(refuse, 0, 'd', "dump-variables", "[FILE", "(not available)"),
    WK_FUNC_OPT(refuse, 0, 'D', "debug", "[FILE", "(not available)"),
    WK_FUNC_OPT(refuse, 0, 'g', "gen-pot", NULL, "(not available)"),
    WK_FUNC_OPT(refuse, 0, 'I', "trace", NULL, "(not available)"),
    WK_FUNC_OPT(refuse_library, 0, 'l', "load", "LIBRARY", "(not available)"),
    WK_FUNC_OPT(refuse, 0, 'L', "lint", "[fatal|invalid|no-ext", "(not available)"),
    WK_FUNC_OPT(refuse, 0, 'M', "bignum", NULL, "(not available)"),
    WK_FLAG(AWK, ignored, 'N', "use-lc-numeric", "the locale's decimal point (which is always a point)"),
    WK_FUNC_OPT(refuse, 0, 'o', "pretty-print", "[FILE", "(not available)"),
    WK_FUNC_OPT(refuse, 0, 'p', "profile", "[FILE", "(not available)"),
    WK_FUNC_OPT(wk_opt_about, 1, 'C', "copyright", NULL, "the same as --version"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "the same as --help"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "the same as --version"),
    WK_OPTS_END,
};

static void set_text(struct awk *a, uint32_t slot, const char *text)
{
    wk_awk_store_special(a, slot, awk_string(wk_awk_str_of(a, text, strlen(text))));
}

static void init_values(struct awk *a)
{
    static const char *const names[AWK_SPECIALS] = {
        "NF",     "NR",       "FNR",     "FS",         "OFS",       "RS",          "ORS",
        "SUBSEP", "CONVFMT",  "OFMT",    "IGNORECASE", "FPAT",      "FIELDWIDTHS", "FILENAME",
        "RSTART", "RLENGTH",  "RT",      "ENVIRON",    "ARGC",      "ARGV",        "ERRNO",
        "ARGIND", "PROCINFO", "BINMODE", "LINT",       "TEXTDOMAIN", "PREC",
        "ROUNDMODE"};
    a->empty = wk_awk_str_new(a, 0);
    for (int i = 0; i < 256; i++) {
        a->small[i] = wk_awk_str_new(a, 1);
        awk_str_bytes(a->small[i])[0] = (char)i;
    }
    a->sorted_in = wk_awk_str_of(a, "sorted_in", 9);
    for (size_t i = 0; i < AWK_SPECIALS; i++)
        (void)wk_awk_global(a, names[i], strlen(names[i]));
    a->rec.text = awk_str_ref(a->empty);
    a->rec.value = (struct awk_val){.type = AWK_STR, .has_str = true, .scalar = true, .str = a->rec.text};
    a->rec.counted = true;
    a->convfmt = a->ofmt = wk_str_c("%.6g");
    set_text(a, AWK_CONVFMT, "%.6g");
    set_text(a, AWK_OFMT, "%.6g");
    set_text(a, AWK_RS, "\n");
    set_text(a, AWK_FS, " ");
    set_text(a, AWK_OFS, " ");
    set_text(a, AWK_ORS, "\n");
    set_text(a, AWK_SUBSEP_VAR, "\034");
    wk_awk_set_global(a, AWK_FPAT, awk_string(wk_awk_str_of(a, "[^[:space:]]+", 13)));
    wk_awk_set_global(a, AWK_RLENGTH, awk_num(-1));
    wk_awk_set_global(a, AWK_RSTART, awk_num(0));
    wk_awk_set_global(a, AWK_BINMODE, awk_num(0));
    wk_awk_set_global(a, AWK_LINT, awk_num(0));
    set_text(a, AWK_TEXTDOMAIN, "messages");
    wk_awk_set_global(a, AWK_PREC, awk_num(53));
    set_text(a, AWK_ROUNDMODE, "N");
}

static struct awk_array *new_array(struct awk *a, uint32_t slot)
{
    return wk_awk_array_of(a, &a->globals[slot]);
}

static void set_entry(struct awk *a, struct awk_array *t, const char *key, struct awk_val v)
{
    struct awk_str *k = wk_awk_str_of(a, key, strlen(key));
    wk_awk_array_set(a, t, k, v);
    awk_str_unref(a, k);
}

static void init_arrays(struct awk *a)
{
    struct wk_cmd *c = a->c;
    struct awk_array *t = new_array(a, AWK_ENVIRON);
    const char **env = wk_env_strings(c);
    for (size_t i = 0; env[i]; i++) {
        const char *eq = strchr(env[i], '=');
        if (!eq)
            continue;
        struct awk_str *key = wk_awk_str_of(a, env[i], (size_t)(eq - env[i]));
        wk_awk_array_set(a, t, key, awk_input(wk_awk_str_of(a, eq + 1, strlen(eq + 1))));
        awk_str_unref(a, key);
    }
    t = new_array(a, AWK_ARGV);
    wk_awk_array_set_at(a, t, 0, awk_input(wk_awk_str_of(a, c->name, strlen(c->name))));
    for (int i = 0; i < c->nargs; i++)
        wk_awk_array_set_at(a, t, i + 1,
                            awk_input(wk_awk_str_of(a, c->args[i], strlen(c->args[i]))));
    wk_awk_set_global(a, AWK_ARGC, awk_num(c->nargs + 1));
    if (a->old)
        return;
    t = new_array(a, AWK_PROCINFO);
    set_entry(a, t, "version", awk_string(wk_awk_str_of(a, "5.2.1", 5)));
    set_entry(a, t, "strftime", awk_string(wk_awk_str_of(a, "%a %b %e %H:%M:%S %Z %Y", 23)));
    set_entry(a, t, "FS", awk_string(wk_awk_str_of(a, "FS", 2)));
    set_entry(a, t, "platform", awk_string(wk_awk_str_of(a, "posix", 5)));
    set_entry(a, t, "pid", awk_num(c->proc->pid));
    set_entry(a, t, "ppid", awk_num(c->proc->parent ? c->proc->parent->pid : 0));
    set_entry(a, t, "pgrpid", awk_num(c->proc->pgid));
    set_entry(a, t, "uid", awk_num(c->proc->cred.uid));
    set_entry(a, t, "gid", awk_num(c->proc->cred.gid));
    set_entry(a, t, "euid", awk_num(c->proc->cred.uid));
    set_entry(a, t, "egid", awk_num(c->proc->cred.gid));
}

static WK_NORETURN void usage(struct wk_cmd *c)
{
    wk_out_fmt(c->err,
               "Usage: %s [POSIX or GNU style options] -f progfile [--] file ...\n"
               "Usage: %s [POSIX or GNU style options] [--] 'program' file ...\n",
               c->name, c->name);
    wk_exit(c, 1);
}

/* -v NAME=VALUE */
static void assign_option(struct awk *a, const char *text)
{
    const char *eq = strchr(text, '=');
    size_t n = eq ? (size_t)(eq - text) : 0;
    bool good = n && !wk_is_digit(*text);
    for (size_t i = 0; i < n; i++)
        good = good && (wk_is_alnum(text[i]) || text[i] == '_' || text[i] == ':');
    if (!eq) {
        wk_msg(a->c, "`%s' argument to `-v' not in `var=value' form\n", text);
        usage(a->c);
    }
    if (!good)
        wk_awk_fatal(a, "`%.*s' is not a legal variable name", (int)n, text);
    wk_awk_assign(a, wk_str(text, n), wk_str_c(eq + 1));
}

static void assign_fs(struct awk *a, const char *fs)
{
    if (a->old && !a->posix && strcmp(fs, "t") == 0)
        fs = "\t";
    wk_awk_store_special(a, AWK_FS, awk_string(wk_awk_unescape(a, wk_str_c(fs))));
}

static void compile(struct awk *a, AWK *o)
{
    struct wk_cmd *c = a->c;
    bool program = false; /* -i alone is none */
    for (size_t i = 0; i < o->nsource; i++)
        program = program || !o->source[i].name || o->source[i].program;
    if (!program) {
        if (!c->nargs)
            usage(c);
        o->source = (struct awk_source *)wk_heap_realloc(c->heap, o->source, (o->nsource + 1) * sizeof *o->source);
        o->source[o->nsource++] = (struct awk_source){.text = wk_str_c(c->args[0])};
        c->args++;
        c->nargs--;
    }
    wk_awk_compile(a, o->source, o->nsource);
}

static void main_loop(struct awk *a)
{
    struct awk_str *text;
    while (!a->exiting && wk_awk_next_main(a, &text)) {
        wk_awk_set_record(a, text);
        if (!a->has_main)
            continue;
        enum awk_end end = wk_awk_run(a, a->at_main);
        if (end == AWK_NEXT_FILE)
            wk_awk_skip_file(a);
        else if (end == AWK_EXITED)
            break;
    }
}

static int awk_main(struct wk_cmd *c)
{
    AWK *o = (AWK *)c->opts;
    struct awk *a = wk_new(c, struct awk);
    a->c = c;
    a->utf8 = wk_cmd_utf8(c) && !o->bytes;
    a->posix = o->posix;
    a->old = o->posix || o->traditional;
    a->sandbox = o->sandbox;
    a->inplace = o->inplace;
    a->csv = o->csv;
    a->exec = o->exec;
    a->nondecimal = o->nondecimal;
    init_values(a);
    if (o->posix && o->traditional)
        wk_msg(c, "warning: `--posix' overrides `--traditional'");
    for (size_t i = 0; i < o->nsetting; i++) {
        if (o->setting[i].fs)
            assign_fs(a, o->setting[i].text);
        else
            assign_option(a, o->setting[i].text);
    }
    compile(a, o);
    init_arrays(a);
    a->rule = "BEGIN";
    if (a->has_begin)
        (void)wk_awk_run(a, a->at_begin);
    a->rule = NULL;
    if (!a->exiting && (a->has_main || a->has_end || a->has_begin_file || a->has_end_file))
        main_loop(a);
    bool left = a->exiting;
    a->exiting = false;
    if (a->has_end && !(left && a->in_end)) {
        a->in_end = true;
        a->rule = "END";
        (void)wk_awk_run(a, a->at_end);
    }
    wk_awk_finish(a);
    return a->status;
}

WK_COMMAND(
    awk, .aliases = "gawk", .summary = "scan and process text by patterns",
    .usage = "awk [OPTION]... [--] 'PROGRAM' [FILE]...\nawk [OPTION]... -f PROGFILE [--] [FILE]...",
    .std = "POSIX, gawk 5.2.1", .opts = awk_options, .opts_size = sizeof(struct awk_opts),
    .flags = WK_CMD_NO_PERMUTE | WK_CMD_RAW_NAMES, .usage_status = 1,
    .help = "A FILE may be VAR=VALUE: an assignment when it is reached.");
