/* xargs.c - build command lines from standard input and run them
 *
 * Standard: GNU findutils 4.9. Oracle: xargs.
 */
#include "builtins/xargs.h"

#include "base/num.h"

/* As in GNU xargs where the system allows more. */
#define XARGS_BYTES 131072
#define XARGS_MOST 2097152

static void exclusive(struct wk_cmd *c, const char *now, const char *before, const char *ignored)
{
    wk_out_fmt(c->err,
               "%s: warning: options %s and %s are mutually exclusive, ignoring previous %s value\n",
               c->name, before, now, ignored);
}

static int64_t read_number(struct wk_cmd *c, const char *text, char option, int64_t least, int64_t most)
{
    int64_t v;
    int r = wk_parse_i64(wk_str_c(text + (*text == '+')), 10, &v);
    if (r == -WK_EINVAL)
        wk_usage(c, "invalid number \"%s\" for -%c option", text, option);
    if (v < least)
        wk_out_fmt(c->err, "%s: value %s for -%c option should be >= %lld\n", c->name, text, option,
                   (long long)least);
    if (v > most)
        wk_out_fmt(c->err, "%s: value %s for -%c option should be <= %lld\n", c->name, text, option,
                   (long long)most);
    if (v < least && option != 's') {
        wk_out_fmt(c->err, "Try '%s --help' for more information.\n", c->name);
        wk_exit(c, 1);
    }
    return v < least ? least : v > most ? most : v;
}

static char read_delim(struct wk_cmd *c, const char *text)
{
    static const char from[] = "abfnrtv\\", to[] = "\a\b\f\n\r\t\v\\";
    if (text[0] && !text[1])
        return text[0];
    if (text[0] == '\\') {
        const char *at = text[1] && !text[2] ? strchr(from, text[1]) : NULL;
        uint64_t v;
        if (at)
            return to[at - from];
        if (text[1] == 'x' && !wk_parse_u64(wk_str_c(text + 2), 16, &v) && v < 256)
            return (char)v;
        if (wk_is_digit(text[1]) && !wk_parse_u64(wk_str_c(text + 1), 8, &v) && v < 256)
            return (char)v;
        wk_fail(c, 1, "Invalid escape sequence %s in input delimiter specification.", text);
    }
    wk_fail(c, 1, "Invalid input delimiter specification %s: the delimiter must be either a single "
                  "character or an escape sequence starting with \\.", text);
}

static int set_value(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct wk_xargs_opts *o = (struct wk_xargs_opts *)c->opts;
    switch (opt->value) {
    case 'n':
        o->max_args = read_number(c, arg, 'n', 1, INT64_MAX);
        if (o->max_lines)
            exclusive(c, "--max-args/-n", "--max-lines", "--max-lines");
        o->max_lines = 0;
        if (o->max_args == 1 && o->replace) {
            o->max_args = 0; /* what -I does anyhow */
        } else if (o->replace) {
            exclusive(c, "--max-args/-n", "--replace", "--replace");
            o->replace = NULL;
        }
        break;
    case 'L':
    case 'l':
        o->max_lines = arg ? read_number(c, arg, (char)opt->value, 1, INT64_MAX) : 1;
        if (o->max_args)
            exclusive(c, opt->value == 'L' ? "-L" : "--max-lines/-l", "--max-args", "--max-args");
        if (o->replace)
            exclusive(c, opt->value == 'L' ? "-L" : "--max-lines/-l", "--replace", "--replace");
        o->max_args = 0;
        o->replace = NULL;
        break;
    case 'I':
    case 'i':
        if (o->max_args)
            exclusive(c, "--replace/-I/-i", "--max-args", "--max-args");
        if (o->max_lines)
            exclusive(c, "--replace/-I/-i", "--max-lines", "--max-lines");
        o->max_args = o->max_lines = 0;
        o->replace = arg && *arg ? arg : "{}";
        break;
    case 'd':
        o->has_delim = true;
        o->null = false;
        o->delim = read_delim(c, arg);
        break;
    case 'E':
        o->eof = arg && *arg ? arg : NULL;
        break;
    case 'P':
        o->max_procs = read_number(c, arg, 'P', 0, 2147483647);
        o->many = o->max_procs == 0;
        break;
    case 's':
        o->max_chars = read_number(c, arg, 's', 1, XARGS_MOST);
        break;
    default:
        break;
    }
    return 0;
}

#define XA struct wk_xargs_opts

static const struct wk_opt xargs_options[] = {
    WK_FLAG(XA, null, '0', "null", "items are separated by a null, not whitespace"),
    WK_STR_OPT(XA, file, 'a', "arg-file", "FILE", "read arguments from FILE, not standard input"),
    WK_FUNC_OPT(set_value, 'd', 'd', "delimiter", "CHARACTER",
                "items in input stream are separated by CHARACTER,\nnot by whitespace"),
    WK_FUNC_OPT(set_value, 'E', 'E', NULL, "END",
                "set logical EOF string; if END occurs as a line\nof input, the rest of the input is "
                "ignored"),
    WK_FUNC_OPT(set_value, 'E', 'e', "eof", "[END", "equivalent to -E END if END is specified"),
    WK_FUNC_OPT(set_value, 'I', 'I', NULL, "R", "same as --replace=R"),
    WK_FUNC_OPT(set_value, 'i', 'i', "replace", "[R",
                "replace R in INITIAL-ARGS with names read\nfrom standard input, split at newlines"),
    WK_FUNC_OPT(set_value, 'L', 'L', NULL, "MAX-LINES",
                "use at most MAX-LINES non-blank input lines per\ncommand line"),
    WK_FUNC_OPT(set_value, 'l', 'l', "max-lines", "[MAX-LINES",
                "similar to -L but defaults to at most one non-\nblank input line"),
    WK_FUNC_OPT(set_value, 'n', 'n', "max-args", "MAX-ARGS",
                "use at most MAX-ARGS arguments per command line"),
    WK_FLAG(XA, open_tty, 'o', "open-tty", "Reopen stdin as /dev/tty in the child process"),
    WK_FUNC_OPT(set_value, 's', 's', "max-chars", "MAX-CHARS",
                "limit length of command line to MAX-CHARS"),
    WK_FLAG(XA, ask, 'p', "interactive", "prompt before running commands"),
    WK_STR_OPT(XA, slot_var, 0, "process-slot-var", "VAR",
               "set environment variable VAR in child processes"),
    WK_FLAG(XA, no_run_empty, 'r', "no-run-if-empty",
            "if there are no arguments, then do not run COMMAND"),
    WK_FUNC_OPT(set_value, 'P', 'P', "max-procs", "MAX-PROCS",
                "run at most MAX-PROCS processes at a time"),
    WK_FLAG(XA, show_limits, 0, "show-limits", "show limits on command-line length"),
    WK_FLAG(XA, verbose, 't', "verbose", "print commands before executing them"),
    WK_FLAG(XA, exit_long, 'x', "exit", "exit if the size (see -s) is exceeded"),
    WK_OPTS_END,
};

static void show_limits(struct wk_xargs *x)
{
    struct wk_cmd *c = x->c;
    size_t env = 0;
    for (uint32_t i = 0; c->proc->env && i < c->proc->env->n; i++)
        env += strlen(c->proc->env->v[i]) + 1;
    wk_out_fmt(c->err,
               "Your environment variables take up %zu bytes\n"
               "POSIX upper limit on argument length (this system): %d\n"
               "POSIX smallest allowable upper limit on argument length (all systems): 4096\n"
               "Maximum length of command we could actually use: %zu\n"
               "Size of command buffer we are actually using: %zu\n"
               "Maximum parallelism (--max-procs must be no greater): 2147483647\n",
               env, XARGS_MOST, env < XARGS_MOST ? XARGS_MOST - env : 0, x->max_bytes);
}

static void fixed_arguments(struct wk_xargs *x)
{
    struct wk_cmd *c = x->c;
    static const char *const echo[] = {"echo"};
    size_t n = c->nargs ? (size_t)c->nargs : 1;
    x->cap = n + 64;
    x->argv = wk_new_n(c, char *, x->cap);
    for (size_t i = 0; i < n; i++) {
        x->argv[i] = c->nargs ? c->args[i] : wk_dup(c, echo[0]);
        x->fixed_bytes += strlen(x->argv[i]) + 1;
    }
    x->fixed = x->argc = n;
    x->bytes = x->fixed_bytes;
}

static void gather(struct wk_xargs *x)
{
    struct wk_cmd *c = x->c;
    const char *text = x->item.p + x->item.head;
    size_t len = strlen(text) + 1;
    if (x->bytes + len > x->max_bytes) {
        bool alone = x->fixed_bytes + len > x->max_bytes;
        bool counted = (x->o->exit_long && x->o->max_args) || x->o->max_lines; /* -L means -x, too */
        if (alone || counted) {
            wk_xargs_wait_all(x);
            wk_fail(c, 1, "argument %s too long", alone ? "line" : "list");
        }
        wk_xargs_flush(x);
    }
    if (x->argc + 2 > x->cap) {
        x->cap *= 2;
        x->argv = (char **)wk_heap_realloc(c->heap, x->argv, x->cap * sizeof *x->argv);
    }
    x->argv[x->argc++] = wk_dupn(c, text, len - 1);
    x->bytes += len;
}

static void run_plain(struct wk_xargs *x)
{
    enum wk_xargs_item k;
    int64_t lines = 0;
    bool ran = false;
    while ((k = wk_xargs_next(x)) != WK_XARGS_END) {
        ran = true;
        gather(x);
        lines += k == WK_XARGS_ITEM_EOL;
        if ((x->o->max_args && (int64_t)(x->argc - x->fixed) >= x->o->max_args) ||
            (x->o->max_lines && lines >= x->o->max_lines)) {
            wk_xargs_flush(x);
            lines = 0;
        }
    }
    if (x->argc > x->fixed)
        wk_xargs_flush(x);
    else if (!ran && !x->o->no_run_empty)
        wk_xargs_run(x, x->argv, x->argc);
}

static WK_NORETURN void too_long(struct wk_xargs *x, const char *message)
{
    wk_xargs_wait_all(x);
    wk_fail(x->c, 1, "%s", message);
}

/* Every occurrence of R replaced by the item. */
static char *put_in(struct wk_xargs *x, const char *arg, size_t *bytes)
{
    struct wk_fifo_buf b = {0};
    const char *item = x->item.p + x->item.head, *at;
    size_t n = strlen(item), r = strlen(x->o->replace);
    while ((at = strstr(arg, x->o->replace)) != NULL && b.n + *bytes <= x->max_bytes) {
        wk_fifo_put(x->c, &b, arg, (size_t)(at - arg));
        wk_fifo_put(x->c, &b, item, n);
        arg = at + r;
    }
    if (!at && strlen(arg) >= x->max_bytes)
        too_long(x, "command too long");
    wk_fifo_put(x->c, &b, arg, strlen(arg) + 1);
    *bytes += b.n;
    if (*bytes > x->max_bytes)
        too_long(x, "argument list too long");
    return b.p;
}

static void run_replacing(struct wk_xargs *x)
{
    struct wk_cmd *c = x->c;
    char **argv = wk_new_n(c, char *, x->fixed + 1);
    while (wk_xargs_next(x) != WK_XARGS_END) {
        size_t bytes = strlen(x->argv[0]) + 1;
        if (strlen(x->item.p + x->item.head) + 1 > x->max_bytes)
            too_long(x, "argument line too long");
        if (bytes > x->max_bytes)
            too_long(x, "cannot fit single argument within argument list size limit");
        for (size_t i = 0; i < x->fixed; i++)
            argv[i] = i ? put_in(x, x->argv[i], &bytes) : wk_dup(c, x->argv[0]);
        wk_xargs_run(x, argv, x->fixed);
        for (size_t i = 0; i < x->fixed; i++)
            wk_heap_free(c->heap, argv[i]);
    }
}

static void check_options(struct wk_cmd *c, const struct wk_xargs_opts *o)
{
    if (o->slot_var && strchr(o->slot_var, '='))
        wk_fail(c, 1, "option --process-slot-var may not be set to a value which includes `='");
    if (o->slot_var && !*o->slot_var)
        wk_fail(c, 1, "failed to unset environment variable %s: Invalid argument", o->slot_var);
    if (o->eof && (o->null || o->has_delim))
        wk_out_fmt(c->err, "%s: warning: the -E option has no effect if -0 or -d is used.\n\n", c->name);
}

static int xargs_main(struct wk_cmd *c)
{
    struct wk_xargs_opts *o = (struct wk_xargs_opts *)c->opts;
    struct wk_xargs *x = wk_new(c, struct wk_xargs);
    x->c = c;
    x->o = o;
    check_options(c, o);
    if (!o->max_procs && !o->many)
        o->max_procs = 1;
    x->max_bytes = o->max_chars ? (size_t)o->max_chars : XARGS_BYTES;
    x->file = c->in ? c->in->file : NULL;
    if (o->file && strcmp(o->file, "-") == 0)
        o->file = NULL;
    if (o->file) {
        int err = wk_cmd_open(c, o->file, WK_O_RDONLY, 0, &x->file);
        if (err)
            wk_fail(c, 1, "Cannot open input file %s: %s", wk_quote_arg(c, o->file), wk_err_text(err));
    }
    if (o->slot_var && strchr(o->slot_var, '='))
        wk_fail(c, 1, "option --process-slot-var may not be set to a value which includes `='");
    if (o->slot_var && !*o->slot_var)
        wk_fail(c, 1, "failed to unset environment variable : %s", wk_err_text(WK_EINVAL));
    fixed_arguments(x);
    if (o->show_limits)
        show_limits(x);
    if (!o->replace && x->fixed_bytes > x->max_bytes)
        wk_fail(c, 1, "cannot fit single argument within argument list size limit");
    if (o->replace)
        run_replacing(x);
    else
        run_plain(x);
    wk_xargs_wait_all(x);
    return x->status;
}

WK_COMMAND(xargs, .summary = "build and execute command lines from standard input",
           .usage = "xargs [OPTION]... COMMAND [INITIAL-ARGS]...", .std = "findutils 4.9",
           .opts = xargs_options, .opts_size = sizeof(XA), .flags = WK_CMD_NO_PERMUTE);
