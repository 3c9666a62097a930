/* env.c - run a program in a changed environment
 *
 * Standard: GNU coreutils 9.1. Oracle: env.
 * Differs:  docs/divergences/env.md
 */
#include "builtins/fsops.h"
#include "builtins/launch.h"

struct env_opts {
    bool empty, nul, debug, list_signals;
    const char *dir, *split;
    struct wk_opt_list unset;
    /* Sets of signals: each is in one of the first two at most, and in one of the last two; of `all`: a failure does
     * not matter. */
    uint64_t defaults, ignores, all, blocks, unblocks;
};

/* What can be done with a signal. */
enum { SIGNAL_DEFAULT, SIGNAL_IGNORE, SIGNAL_BLOCK };

/* "INT,TERM"; NULL or "": all. */
static uint64_t read_signals(struct wk_cmd *c, const char *list)
{
    uint64_t set = 0;
    if (!list || !*list)
        return ~(uint64_t)0;
    while (*list) {
        size_t n = strcspn(list, ",");
        int sig = wk_sig_parse(wk_str(list, n));
        if (sig <= 0 || wk_sig_is_nameless(sig))
            wk_usage(c, "%s: invalid signal", wk_quote_arg(c, wk_dupn(c, list, n)));
        set |= WK_SIGBIT(sig);
        list += n + (list[n] == ',');
    }
    return set;
}

/* --default-signal, --ignore-signal, --block-signal: the last that names a signal holds; a default one is not
 * blocked, either. */
static int take_signals(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct env_opts *o = (struct env_opts *)c->opts;
    uint64_t set = read_signals(c, arg);
    if (opt->value == SIGNAL_BLOCK) {
        o->blocks |= set;
        o->unblocks &= ~set;
        return 0;
    }
    bool ignore = opt->value == SIGNAL_IGNORE;
    o->ignores = ignore ? o->ignores | set : o->ignores & ~set;
    o->defaults = ignore ? o->defaults & ~set : o->defaults | set;
    o->all = arg && *arg ? o->all & ~set : ~(uint64_t)0;
    if (!ignore) {
        o->unblocks |= set;
        o->blocks &= ~set;
    }
    return 0;
}

static const struct wk_opt env_options[] = {
    WK_FLAG(struct env_opts, empty, 'i', "ignore-environment", "start with an empty environment"),
    WK_FLAG(struct env_opts, nul, '0', "null", "end each output line with NUL, not newline"),
    WK_LIST_OPT(struct env_opts, unset, 'u', "unset", "NAME", "remove variable from the environment"),
    WK_STR_OPT(struct env_opts, dir, 'C', "chdir", "DIR", "change working directory to DIR"),
    WK_STR_OPT(struct env_opts, split, 'S', "split-string", "S",
               "process and split S into separate arguments"),
    WK_FUNC_OPT(take_signals, SIGNAL_BLOCK, 0, "block-signal", "[SIG]",
                "block delivery of SIG signal(s) to COMMAND"),
    WK_FUNC_OPT(take_signals, SIGNAL_DEFAULT, 0, "default-signal", "[SIG]",
                "reset handling of SIG signal(s) to the default"),
    WK_FUNC_OPT(take_signals, SIGNAL_IGNORE, 0, "ignore-signal", "[SIG]",
                "set handling of SIG signals(s) to do nothing"),
    WK_FLAG(struct env_opts, list_signals, 0, "list-signal-handling",
            "list non default signal handling to stderr"),
    WK_FLAG(struct env_opts, debug, 'v', "debug", "print verbose information for each processing step"),
    WK_OPTS_END,
};

struct words {
    char **v;
    size_t n, cap;
};

static void add_word(struct wk_cmd *c, struct words *w, char *text)
{
    if (w->n + 1 >= w->cap) {
        w->cap = w->cap ? w->cap * 2 : 16;
        w->v = (char **)wk_heap_realloc(c->heap, w->v, w->cap * sizeof *w->v);
    }
    w->v[w->n++] = text;
    w->v[w->n] = NULL;
}

/* One backslash sequence of -S at p (after the backslash). 0: separator, -1: end of the string. */
static int split_escape(struct wk_cmd *c, const char **p, char quote)
{
    char ch = **p;
    if (quote == '\'') {
        if (ch == '\\' || ch == '\'') {
            (*p)++;
            return ch;
        }
        return '\\';
    }
    static const char from[] = "fnrtv\"#$'\\", to[] = "\f\n\r\t\v\"#$'\\";
    const char *at = ch ? strchr(from, ch) : NULL;
    if (!ch)
        wk_fail(c, 125, "invalid backslash at end of string in -S");
    (*p)++;
    if (at)
        return to[at - from];
    if (ch == '_')
        return quote == '"' ? ' ' : 0;
    if (ch == 'c') {
        if (quote == '"')
            wk_fail(c, 125, "'\\c' must not appear in double-quoted -S string");
        return -1;
    }
    wk_fail(c, 125, "invalid sequence '\\%c' in -S", ch);
}

/* ${NAME} at p. */
static const char *split_var(struct wk_cmd *c, const char **p, size_t *n)
{
    const char *end = **p == '{' ? strchr(*p, '}') : NULL;
    if (!end || !wk_str_is_name(wk_str(*p + 1, (size_t)(end - *p - 1))))
        wk_fail(c, 125, "only ${VARNAME} expansion is supported, error at: $%s", *p);
    const char *value = wk_cmd_env(c, wk_dupn(c, *p + 1, (size_t)(end - *p - 1)));
    if (((const struct env_opts *)c->opts)->debug && value)
        wk_out_fmt(c->err, "expanding ${%.*s} into %s\n", (int)(end - *p - 1), *p + 1, wk_quote_arg(c, value));
    else if (((const struct env_opts *)c->opts)->debug)
        wk_out_fmt(c->err, "replacing ${%.*s} with null string\n", (int)(end - *p - 1), *p + 1);
    *p = end + 1;
    *n = value ? strlen(value) : 0;
    return value;
}

static void split(struct wk_cmd *c, const char *text, struct words *w)
{
    struct wk_fifo_buf b = {0};
    bool in_word = false;
    char quote = 0;
    const char *p = text;
    for (;;) {
        char ch = *p++;
        int e = ch;
        if (!ch || (!quote && wk_is_space(ch)))
            e = ch ? 0 : -1;
        else if (!quote && ch == '#' && !in_word)
            e = -1;
        else if ((ch == '\'' || ch == '"') && (!quote || quote == ch)) {
            quote = quote ? 0 : ch;
            in_word = true;
            continue;
        } else if (ch == '\\') {
            e = split_escape(c, &p, quote);
        } else if (ch == '$' && quote != '\'') {
            size_t n;
            const char *value = split_var(c, &p, &n);
            in_word = true;
            wk_fifo_put(c, &b, value, n);
            continue;
        }
        if (e > 0 || e < -1) {
            wk_fifo_put(c, &b, &(char){(char)e}, 1);
            in_word = true;
            continue;
        }
        if (quote && !ch)
            wk_fail(c, 125, "no terminating quote in -S string");
        if (in_word)
            add_word(c, w, wk_dupn(c, b.p ? b.p + b.head : "", b.n));
        wk_fifo_take(&b, b.n);
        in_word = false;
        if (e == -1)
            return;
    }
}

/* The value of -S at argv[at], alone, in a cluster or by its long name; NULL: no such option. *used counts
 * the arguments it takes. */
static const char *split_value(struct wk_cmd *c, struct env_opts *o, int at, int *used)
{
    const char *a = c->argv[at] + 1, *value = NULL;
    if (*a == '-') {
        size_t n = strcspn(++a, "=");
        if (!n || strncmp(a, "split-string", n) != 0)
            return NULL;
        value = a[n] ? a + n + 1 : NULL;
    } else {
        size_t n = strspn(a, "i0v");
        if (a[n] != 'S')
            return NULL;
        value = a[n + 1] ? a + n + 1 : NULL;
        o->empty = o->empty || memchr(a, 'i', n);
        o->nul = o->nul || memchr(a, '0', n);
        o->debug = o->debug || memchr(a, 'v', n);
    }
    *used = value ? 1 : 2;
    return value ? value : at + 1 < c->argc ? c->argv[at + 1] : NULL;
}

/* The words of -S stand in the place of the option and may be options, too. */
static int take_split(struct wk_cmd *c, int at)
{
    struct env_opts *o = (struct env_opts *)c->opts;
    struct words w = {0};
    int used;
    const char *text = c->argv[at][0] == '-' ? split_value(c, o, at, &used) : NULL;
    if (!text)
        return 0;
    split(c, text, &w);
    for (size_t i = 0; o->debug && i < w.n; i++) {
        if (i == 0)
            wk_out_fmt(c->err, "split -S:  %s\n", wk_quote_arg(c, text));
        wk_out_fmt(c->err, "%s    %s\n", i ? "     &" : " into:", wk_quote_arg(c, w.v[i]));
    }
    struct words all = {0};
    for (int i = 0; i <= at; i++) /* the option's own place is passed over */
        add_word(c, &all, c->argv[i]);
    for (size_t i = 0; i < w.n; i++)
        add_word(c, &all, w.v[i]);
    for (int i = at + used; i < c->argc; i++)
        add_word(c, &all, c->argv[i]);
    char **args = wk_new_n(c, char *, all.n + 1);
    memcpy(args, c->args, (size_t)c->nargs * sizeof *args);
    c->args = args;
    c->argv = all.v;
    c->argc = (int)all.n;
    return 1;
}

/* "KILL (9)"; the one of two names that env prefers. */
static const char *name_signal(struct wk_cmd *c, int sig)
{
    return wk_strf(c, "%s (%d)", sig == WK_SIGIO ? "POLL" : wk_sig_name(sig), sig);
}

static void set_handling(struct wk_cmd *c, const struct env_opts *o)
{
    for (int s = 1; s < WK_NSIG; s++) {
        uint64_t bit = WK_SIGBIT(s);
        if (!((o->defaults | o->ignores) & bit) || !wk_sig_name(s))
            continue;
        bool fixed = s == WK_SIGKILL || s == WK_SIGSTOP;
        if (fixed && !(o->all & bit))
            wk_fail(c, 125, "failed to set signal action for signal %d: Invalid argument", s);
        if (o->debug)
            wk_out_fmt(c->err, "Reset signal %s to %s%s\n", name_signal(c, s),
                       o->ignores & bit ? "IGNORE" : "DEFAULT", fixed ? " (failure ignored)" : "");
        if (!fixed)
            c->proc->sig_ignored = o->ignores & bit ? c->proc->sig_ignored | bit : c->proc->sig_ignored & ~bit;
    }
}

/* No process has a mask: a blocked signal is ignored. */
static void set_mask(struct wk_cmd *c, const struct env_opts *o, uint64_t *blocked)
{
    uint64_t fixed = WK_SIGBIT(WK_SIGKILL) | WK_SIGBIT(WK_SIGSTOP);
    *blocked = o->blocks & ~fixed;
    for (int s = 1; o->debug && s < WK_NSIG; s++)
        if ((o->blocks | o->unblocks) & WK_SIGBIT(s) && wk_sig_name(s))
            wk_out_fmt(c->err, "signal %s mask set to %s\n", name_signal(c, s),
                       o->blocks & WK_SIGBIT(s) ? "BLOCK" : "UNBLOCK");
}

static void list_handling(struct wk_cmd *c, uint64_t blocked)
{
    for (int s = 1; s < WK_NSIG; s++) {
        bool ignored = c->proc->sig_ignored & WK_SIGBIT(s), held = blocked & WK_SIGBIT(s);
        if ((ignored || held) && wk_sig_name(s))
            wk_out_fmt(c->err, "%-10s (%2d): %s%s%s\n", s == WK_SIGIO ? "POLL" : wk_sig_name(s), s,
                       held ? "BLOCK" : "", held && ignored ? "," : "", ignored ? "IGNORE" : "");
    }
}

static void set_signals(struct wk_cmd *c, const struct env_opts *o)
{
    uint64_t blocked;
    set_handling(c, o);
    set_mask(c, o, &blocked);
    if (o->list_signals)
        list_handling(c, blocked);
    c->proc->sig_ignored |= blocked;
}

static int env_main(struct wk_cmd *c)
{
    struct env_opts *o = (struct env_opts *)c->opts;
    struct words w = {0};
    struct wk_env_list env;
    size_t at = 0;
    for (int i = 0; i < c->nargs; i++)
        add_word(c, &w, c->args[i]);
    if (at < w.n && strcmp(w.v[at], "-") == 0) {
        o->empty = true;
        at++;
    }
    if (o->debug && o->empty)
        wk_out_c(c->err, "cleaning environ\n");
    wk_env_list_init(c, &env, o->empty);
    for (size_t i = 0; i < o->unset.n && !o->empty; i++) {
        if (o->debug)
            wk_out_fmt(c->err, "unset:    %s\n", o->unset.v[i]);
        if (!*o->unset.v[i] || strchr(o->unset.v[i], '='))
            wk_fail(c, 125, "cannot unset %s: Invalid argument", wk_quote_arg(c, o->unset.v[i]));
        wk_env_list_unset(&env, o->unset.v[i]);
    }
    for (; at < w.n && strchr(w.v[at], '='); at++) {
        if (o->debug)
            wk_out_fmt(c->err, "setenv:   %s\n", w.v[at]);
        wk_env_list_set(c, &env, w.v[at]);
    }
    if (at >= w.n) {
        if (o->dir)
            wk_usage(c, "must specify command with --chdir (-C)");
        for (size_t i = 0; i < env.n; i++) {
            wk_out_str(c->out, env.v[i]);
            wk_out_char(c->out, o->nul ? '\0' : '\n');
        }
        return 0;
    }
    if (o->nul)
        wk_usage(c, "cannot specify --null (-0) with command");
    set_signals(c, o);
    if (o->dir) {
        if (o->debug)
            wk_out_fmt(c->err, "chdir:    %s\n", wk_quote_arg(c, o->dir));
        int err = wk_cmd_chdir(c, o->dir);
        if (err)
            wk_fail(c, 125, "cannot change directory to %s: %s", wk_quote(c, o->dir),
                    wk_err_text(err));
    }
    if (o->debug) {
        wk_out_fmt(c->err, "executing: %s\n", w.v[at]);
        for (size_t i = at; i < w.n; i++)
            wk_out_fmt(c->err, "   arg[%zu]= %s\n", i - at, wk_quote_arg(c, w.v[i]));
    }
    int err = wk_launch_err(wk_cmd_exec(c, (int)(w.n - at), w.v + at, wk_env_list_block(c, &env)));
    wk_msg(c, "%s: %s", wk_quote_arg(c, w.v[at]), wk_err_text(err));
    if (err == WK_ENOENT && strpbrk(w.v[at], " \t\n\v\f\r"))
        wk_msg(c, "use -[v]S to pass options in shebang lines");
    wk_exit(c, wk_launch_status(err));
}

WK_COMMAND(env, .summary = "run a program in a modified environment",
           .usage = "env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]", .std = "coreutils 9.1",
           .opts = env_options, .opts_size = sizeof(struct env_opts), .flags = WK_CMD_NO_PERMUTE,
           .old_style = take_split,
           .usage_status = 125,
           .help = "A mere - implies -i.  If no COMMAND, print the resulting environment.\n");
