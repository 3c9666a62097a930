/* more.c - shows files page by page; without a terminal, all of them at once
 *
 * There never is a terminal here: what stands on standard input is copied, then the files under
 * their names, as more does when its output is no terminal. Options are checked and change nothing
 * then.
 *
 * Standard: POSIX; util-linux 2.38. Oracle: more.
 */
#include "base/num.h"
#include "builtins/fsops.h"

struct more_opts {
    bool ignored;
};

static WK_NORETURN void out_of_range(struct wk_cmd *c, const char *what, const char *text)
{
    wk_fail(c, 1, "%s: '%s': Numerical result out of range", what, text);
}

static bool all_digits(const char *p)
{
    return *p && !p[strspn(p, "0123456789")];
}

static int64_t read_digits(const char *p)
{
    int64_t v = 0;
    for (; *p; p++)
        v = v > INT32_MAX ? v : v * 10 + (*p - '0');
    return v;
}

static void check_lines(struct wk_cmd *c, const char *text)
{
    const char *p = text;
    while (*p == ' ' || (*p >= '\t' && *p <= '\r'))
        p++;
    p += *p == '+';
    if (!all_digits(p))
        wk_fail(c, 1, "argument error: '%s'", text);
    if (read_digits(p) > UINT16_MAX)
        out_of_range(c, "argument error", text);
}

static int set_lines(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    check_lines(c, arg);
    return 0;
}

#define OPTS struct more_opts

static const struct wk_opt more_options[] = {
    WK_FLAG(OPTS, ignored, 'd', "silent", "say how to go on instead of ringing the bell"),
    WK_FLAG(OPTS, ignored, 'f', "logical", "count lines of the file, not of the screen"),
    WK_FLAG(OPTS, ignored, 'l', "no-pause", "do not stop at form feeds"),
    WK_FLAG(OPTS, ignored, 'c', "print-over", "write over the page before"),
    WK_FLAG(OPTS, ignored, 'p', "clean-print", "clear the screen before a page"),
    WK_FLAG(OPTS, ignored, 'e', "exit-on-eof", "end at the end of the file"),
    WK_FLAG(OPTS, ignored, 's', "squeeze", "show several empty lines as one"),
    WK_FLAG(OPTS, ignored, 'u', "plain", "do not show underlines and bold"),
    WK_FUNC_OPT(set_lines, 0, 'n', "lines", "N", "lines of a page; also -N"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "as --help"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "as --version"),
    WK_OPTS_END,
};

/* -N, +N and +/PATTERN: whether an argument is one of these. */
static bool is_position(struct wk_cmd *c, const char *word)
{
    if (word[0] == '+' && word[1] == '/')
        return true;
    if ((word[0] != '-' && word[0] != '+') || !all_digits(word + 1))
        return false;
    if (read_digits(word + 1) > (word[0] == '-' ? UINT16_MAX : INT32_MAX))
        out_of_range(c, "failed to parse number", word);
    return true;
}

/* ---- options ------------------------------------------------------------------------------------
 */

/* Words of options, of the command line or of $MORE. */
struct words {
    struct wk_cmd *c;
    const char *of; /* what messages begin with */
    char **v;
    int n, at;
};

static WK_NORETURN void refuse(const struct words *w, const char *text)
{
    wk_out_fmt(w->c->err, "%s: %s\n", w->of, text);
    wk_out_fmt(w->c->err, "Try '%s --help' for more information.\n", w->c->name);
    wk_exit(w->c, 1);
}

static void apply(struct words *w, const struct wk_opt *o, const char *arg)
{
    if (o->kind == WK_OPT_FUNC)
        (void)o->func(w->c, o, arg);
}

static void take_letters(struct words *w, const char *p)
{
    for (; *p; p++) {
        const struct wk_opt *o = more_options;
        while (o->kind != WK_OPT_END && o->short_name != *p)
            o++;
        if (o->kind == WK_OPT_END)
            refuse(w, wk_strf(w->c, "invalid option -- '%c'", *p));
        if (!o->arg) {
            apply(w, o, NULL);
            continue;
        }
        if (!p[1] && w->at == w->n)
            refuse(w, wk_strf(w->c, "option requires an argument -- '%c'", *p));
        apply(w, o, p[1] ? p + 1 : w->v[w->at++]);
        return;
    }
}

/* All options, and at last the two that are no part of the table; NULL behind them. */
static const struct wk_opt *option_at(size_t i)
{
    static const struct wk_opt about[] = {WK_FUNC_OPT(wk_opt_about, 0, 'h', "help", NULL, NULL),
                                          WK_FUNC_OPT(wk_opt_about, 1, 'V', "version", NULL, NULL)};
    size_t n = WK_COUNTOF(more_options) - 1;
    return i < n ? &more_options[i] : i < n + 2 ? &about[i - n] : NULL;
}

static void take_name(struct words *w, const char *name)
{
    size_t n = strcspn(name, "=");
    const struct wk_opt *found = NULL;
    const char *candidates = "";
    int count = 0;
    const struct wk_opt *o;
    for (size_t i = 0; (o = option_at(i)) != NULL; i++) {
        if (!o->long_name || strncmp(o->long_name, name, n) != 0)
            continue;
        count = o->long_name[n] ? count + 1 : 1;
        found = o;
        candidates = wk_strf(w->c, "%s '--%s'", candidates, o->long_name);
        if (!o->long_name[n])
            break;
    }
    if (!found)
        refuse(w, wk_strf(w->c, "unrecognized option '--%s'", name));
    if (count > 1)
        refuse(w, wk_strf(w->c, "option '--%s' is ambiguous; possibilities:%s", name, candidates));
    if (!found->arg && name[n])
        refuse(w, wk_strf(w->c, "option '--%s' doesn't allow an argument", found->long_name));
    if (found->arg && !name[n] && w->at == w->n)
        refuse(w, wk_strf(w->c, "option '--%s' requires an argument", found->long_name));
    apply(w, found, !found->arg ? NULL : name[n] ? name + n + 1 : w->v[w->at++]);
}

/* Takes all options; what is none goes to the front: their number. */
static int take_words(struct words *w)
{
    int files = 0, n = 0;
    for (int i = 0; i < w->n; i++)
        if (!is_position(w->c, w->v[i]))
            w->v[n++] = w->v[i];
    w->n = n;
    bool options = true;
    while (w->at < w->n) {
        char *word = w->v[w->at++];
        if (!options || word[0] != '-' || !word[1])
            w->v[files++] = word;
        else if (strcmp(word, "--") == 0)
            options = false;
        else if (word[1] == '-')
            take_name(w, word + 2);
        else
            take_letters(w, word + 1);
    }
    return files;
}

static void read_variable(struct wk_cmd *c)
{
    const char *value = wk_cmd_env(c, "MORE");
    if (!value)
        return;
    struct words w = {.c = c, .of = "MORE environment variable"};
    w.v = wk_new_n(c, char *, strlen(value) / 2 + 1);
    for (char *p = wk_dup(c, value); *(p += strspn(p, " \t\n"));) {
        size_t n = strcspn(p, " \t\n");
        w.v[w.n++] = p;
        p += n;
        if (*p)
            *p++ = '\0';
    }
    (void)take_words(&w);
}

/* ---- files --------------------------------------------------------------------------------------
 */

static void copy(struct wk_cmd *c, struct wk_in *in, const char *name)
{
    const char *p;
    int err;
    for (size_t n; (n = wk_raw_next(c, in, &p, &err)) > 0;)
        wk_raw_pass(c, in, p, n);
    if (err)
        wk_warn(c, name, err);
}

/* Programs by how they begin. */
static bool is_program(struct wk_cmd *c, struct wk_in *in)
{
    const char *p;
    int err;
    size_t n = wk_raw_next(c, in, &p, &err);
    if (n < 2)
        return false;
    unsigned first = (unsigned char)p[0], second = (unsigned char)p[1];
    if (second == 1)
        return first == 5 || first == 7 || first == 8 || first == 9 || first == 11;
    return first == 0x7f && second == 'E';
}

static void show_file(struct wk_cmd *c, const char *name, bool banner)
{
    struct wk_stat st;
    struct wk_in *in;
    int err = wk_at_stat(c, NULL, name, true, &st);
    if (!err && (st.mode & WK_S_IFMT) == WK_S_IFDIR) {
        wk_out_fmt(c->out, "\n*** %s: directory ***\n\n", name);
        return;
    }
    if (!err)
        err = wk_raw_open(c, name, false, &in);
    if (err) {
        (void)wk_out_flush(c->out);
        wk_out_fmt(c->err, "%s: cannot open %s: %s\n", c->name, name, wk_err_text(err));
        return;
    }
    if (is_program(c, in)) {
        wk_out_fmt(c->out, "\n******** %s: Not a text file ********\n\n", name);
    } else {
        if (banner)
            wk_out_fmt(c->out, "::::::::::::::\n%s\n::::::::::::::\n", name);
        copy(c, in, name);
    }
    wk_cmd_close(c, in->file);
}

static int more_main(struct wk_cmd *c)
{
    read_variable(c);
    bool piped = c->in->file && !c->in->file->is_tty;
    struct words w = {.c = c, .of = c->name, .v = c->args, .n = c->nargs};
    int files = take_words(&w);
    if (piped)
        copy(c, c->in, "-");
    else if (!files)
        wk_usage(c, "bad usage");
    for (int i = 0; i < files; i++)
        show_file(c, c->args[i], piped || files > 1);
    return c->status;
}

WK_COMMAND(more, .summary = "show files page by page", .usage = "more [OPTION]... [FILE]...",
           .help = "+N and +/PATTERN say where to begin. Without a terminal all is shown at once.",
           .std = "util-linux 2.38.1", .opts = more_options, .opts_size = sizeof(struct more_opts),
           .flags = WK_CMD_RAW_ARGS);
