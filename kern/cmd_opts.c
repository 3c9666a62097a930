/* cmd_opts.c - options of leaf commands by their tables, with getopt_long's rules and messages;
 * --help */
#include "kern/cmd.h"

#include "base/num.h"

static const char help_text[] = "display this help and exit";
static const char version_text[] = "output version information and exit";

/* ---- storing
 * ---------------------------------------------------------------------------------------------- */

static void *field(struct wk_cmd *c, const struct wk_opt *o)
{
    return (char *)c->opts + o->offset;
}

static void store_list(struct wk_cmd *c, struct wk_opt_list *l, const char *arg)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 4;
        l->v = wk_heap_realloc(c->heap, (void *)l->v, l->cap * sizeof *l->v);
    }
    l->v[l->n++] = arg;
}

static void store(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    void *at = field(c, o);
    uint64_t size;
    switch (o->kind) {
    case WK_OPT_FLAG:
        *(bool *)at = true;
        break;
    case WK_OPT_SET:
        *(int *)at = o->value;
        break;
    case WK_OPT_COUNT:
        ++*(int *)at;
        break;
    case WK_OPT_STR:
    case WK_OPT_STR_OPTIONAL:
        *(const char **)at = arg ? arg : "";
        break;
    case WK_OPT_INT:
        if (wk_parse_i64(wk_str_c(arg), 10, (int64_t *)at) != 0)
            wk_fail(c, c->command->usage_status ? c->command->usage_status : 1,
                    "invalid number: %s", wk_quote_arg(c, arg));
        break;
    case WK_OPT_SIZE:
        if (wk_parse_size(wk_str_c(arg), true, &size) != 0 || size > INT64_MAX)
            wk_fail(c, c->command->usage_status ? c->command->usage_status : 1,
                    "invalid number: %s", wk_quote_arg(c, arg));
        *(int64_t *)at = (int64_t)size;
        break;
    case WK_OPT_LIST:
        store_list(c, at, arg);
        break;
    case WK_OPT_FUNC:
        (void)o->func(c, o, arg);
        break;
    case WK_OPT_END:
        break;
    }
    c->last_opt = o;
}

static bool wants_argument(const struct wk_opt *o)
{
    return o->arg && o->kind != WK_OPT_STR_OPTIONAL &&
           !(o->kind == WK_OPT_FUNC && o->arg[0] == '[');
}

static bool may_have_argument(const struct wk_opt *o)
{
    return o->arg != NULL;
}

/* ---- --help and --version
 * ------------------------------------------------------------------------------------ */

static void put_row(struct wk_cmd *c, char s, const char *l, const char *arg, bool optional,
                    const char *help)
{
    enum { COLUMN = 29 };
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(c->heap), 8192);
    if (s)
        wk_buf_fmt(&b, "  -%c", s);
    else
        wk_buf_put_c(&b, "    ");
    if (l) {
        wk_buf_put_c(&b, s ? ", --" : "  --");
        wk_buf_put_c(&b, l);
    }
    if (arg && optional)
        wk_buf_fmt(&b, l ? "[=%s]" : "[%s]", arg[0] == '[' ? arg + 1 : arg);
    else if (arg)
        wk_buf_fmt(&b, l ? "=%s" : " %s", arg);
    if (b.n + 2 > COLUMN) {
        wk_buf_putc(&b, '\n');
        wk_buf_fill(&b, ' ', COLUMN);
    } else {
        wk_buf_fill(&b, ' ', COLUMN - b.n);
    }
    wk_buf_put_c(&b, help ? help : "");
    wk_buf_putc(&b, '\n');
    size_t n = b.n;
    wk_out_put(c->out, wk_keep(c, &b), n);
}

static WK_NORETURN void print_help(struct wk_cmd *c)
{
    const struct wk_command *cmd = c->command;
    const char *line = cmd->usage ? cmd->usage : cmd->name;
    const char *head = "Usage: ";
    while (*line) {
        size_t n = strcspn(line, "\n");
        wk_out_c(c->out, head);
        wk_out_put(c->out, line, n);
        wk_out_char(c->out, '\n');
        line += n + (line[n] == '\n');
        head = "  or:  ";
    }
    if (cmd->summary)
        wk_out_fmt(c->out, "%c%s.\n", wk_to_upper((unsigned char)cmd->summary[0]),
                   cmd->summary + 1);
    wk_out_char(c->out, '\n');
    for (const struct wk_opt *o = cmd->opts; o && o->kind != WK_OPT_END; o++)
        put_row(c, o->short_name, o->long_name, o->arg, o->arg && !wants_argument(o), o->help);
    put_row(c, 0, "help", NULL, false, help_text);
    put_row(c, 0, "version", NULL, false, version_text);
    if (cmd->help)
        wk_out_fmt(c->out, "\n%s%s", cmd->help,
                   cmd->help[strlen(cmd->help) - 1] == '\n' ? "" : "\n");
    wk_exit(c, 0);
}

static WK_NORETURN void print_version(struct wk_cmd *c)
{
    wk_out_fmt(c->out, "%s (whelk) 0.1.0\n", c->command->name);
    if (c->command->std)
        wk_out_fmt(c->out, "behaves as %s\n", c->command->std);
    wk_exit(c, 0);
}

void wk_cmd_about(struct wk_cmd *c, bool version)
{
    if (version)
        print_version(c);
    print_help(c);
}

int wk_opt_about(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    (void)arg;
    wk_cmd_about(c, o->value != 0);
}

/* ---- long options
 * ------------------------------------------------------------------------------------------------
 */

struct match {
    const struct wk_opt *o;
    const char *builtin; /* "help", "version" */
    bool exact, ambiguous;
};

static void consider(struct match *m, const char *l, struct wk_str name, const struct wk_opt *o)
{
    if (!l || strncmp(l, name.p, name.n) != 0 || m->exact)
        return;
    bool exact = strlen(l) == name.n;
    if (!exact && (m->o || m->builtin)) {
        /* Two long names of one option are no ambiguity. */
        bool same = o && m->o && m->o->kind == o->kind && m->o->offset == o->offset &&
                    m->o->value == o->value && m->o->func == o->func &&
                    m->o->short_name == o->short_name;
        m->ambiguous = m->ambiguous || !same;
        return;
    }
    m->o = o;
    m->builtin = o ? NULL : l;
    m->exact = exact;
}

static struct match find_long(struct wk_cmd *c, struct wk_str name)
{
    struct match m = {0};
    for (const struct wk_opt *o = c->command->opts; o && o->kind != WK_OPT_END; o++)
        consider(&m, o->long_name, name, o);
    consider(&m, "help", name, NULL);
    consider(&m, "version", name, NULL);
    if (m.exact)
        m.ambiguous = false;
    return m;
}

static WK_NORETURN void ambiguous(struct wk_cmd *c, const char *arg, struct wk_str name)
{
    wk_out_fmt(c->err, "%s: option '%s' is ambiguous; possibilities:", c->name, arg);
    for (const struct wk_opt *o = c->command->opts; o && o->kind != WK_OPT_END; o++)
        if (o->long_name && strncmp(o->long_name, name.p, name.n) == 0)
            wk_out_fmt(c->err, " '--%s'", o->long_name);
    if (strncmp("help", name.p, name.n) == 0)
        wk_out_c(c->err, " '--help'");
    if (strncmp("version", name.p, name.n) == 0)
        wk_out_c(c->err, " '--version'");
    wk_out_char(c->err, '\n');
    wk_try_help(c);
}

/* Returns how many further arguments were used. */
static int take_long(struct wk_cmd *c, int i)
{
    const char *arg = c->argv[i] + 2;
    struct wk_str name = wk_str(arg, strcspn(arg, "="));
    const char *value = arg[name.n] == '=' ? arg + name.n + 1 : NULL;
    struct match m = find_long(c, name);
    if (m.ambiguous)
        ambiguous(c, c->argv[i], name);
    const char *full = m.o ? m.o->long_name : m.builtin;
    if (!full)
        wk_usage(c, "unrecognized option '%s'", c->argv[i]);
    if (value && !(m.o && may_have_argument(m.o)))
        wk_usage(c, "option '--%s' doesn't allow an argument", full);
    if (!m.o && full[0] == 'h')
        print_help(c);
    if (!m.o)
        print_version(c);
    if (wants_argument(m.o) && !value) {
        if (i + 1 >= c->argc)
            wk_usage(c, "option '--%s' requires an argument", full);
        store(c, m.o, c->argv[i + 1]);
        return 1;
    }
    store(c, m.o, value);
    return 0;
}

/* ---- short options
 * -------------------------------------------------------------------------------------------------
 */

static const struct wk_opt *find_short(struct wk_cmd *c, char s)
{
    for (const struct wk_opt *o = c->command->opts; o && o->kind != WK_OPT_END; o++)
        if (o->short_name == s)
            return o;
    return NULL;
}

static int take_cluster(struct wk_cmd *c, int i)
{
    for (const char *p = c->argv[i] + 1; *p; p++) {
        const struct wk_opt *o = find_short(c, *p);
        if (!o)
            wk_usage(c, "invalid option -- '%c'", *p);
        if (!may_have_argument(o)) {
            store(c, o, NULL);
            continue;
        }
        if (!wants_argument(o)) { /* optional: only what follows in the same word */
            store(c, o, p[1] ? p + 1 : NULL);
            return 0;
        }
        if (p[1]) {
            store(c, o, p + 1);
            return 0;
        }
        if (i + 1 >= c->argc)
            wk_usage(c, "option requires an argument -- '%c'", *p);
        store(c, o, c->argv[i + 1]);
        return 1;
    }
    return 0;
}

/* ---- all of them
 * ------------------------------------------------------------------------------------------------------
 */

static void check_operands(struct wk_cmd *c)
{
    const struct wk_command *cmd = c->command;
    if (c->nargs < cmd->min_args) {
        if (c->nargs == 0)
            wk_usage(c, "missing operand");
        wk_usage(c, "missing operand after %s", wk_quote_arg(c, c->args[c->nargs - 1]));
    }
    int max = cmd->max_args < 0 ? 0 : cmd->max_args;
    if (cmd->max_args && c->nargs > max)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[max]));
}

static void parse_raw(struct wk_cmd *c)
{
    c->args = c->argv + 1;
    c->nargs = c->argc - 1;
    if (c->argc != 2 || c->command->flags & WK_CMD_HOST)
        return;
    if (strcmp(c->argv[1], "--help") == 0)
        print_help(c);
    if (strcmp(c->argv[1], "--version") == 0)
        print_version(c);
}

void wk_cmd_parse(struct wk_cmd *c)
{
    const struct wk_command *cmd = c->command;
    if (cmd->opts_size)
        c->opts = wk_heap_zalloc(c->heap, cmd->opts_size);
    if (cmd->flags & WK_CMD_RAW_ARGS) {
        parse_raw(c);
        return;
    }
    c->args = wk_heap_bump(c->heap, ((size_t)c->argc + 1) * sizeof *c->args);
    bool options = true,
         permute = !(cmd->flags & WK_CMD_NO_PERMUTE) && !wk_cmd_env(c, "POSIXLY_CORRECT");
    for (int i = 1; i < c->argc; i++) {
        char *a = c->argv[i];
        if (options && (a[0] == '-' || a[0] == '+') && a[1] && cmd->old_style) {
            int used = cmd->old_style(c, i);
            if (used > 0) {
                i += used - 1;
                continue;
            }
        }
        if (!options || a[0] != '-' || !a[1]) {
            c->args[c->nargs++] = a;
            options = options && permute;
        } else if (a[1] == '-' && !a[2]) {
            options = false;
        } else {
            i += a[1] == '-' ? take_long(c, i) : take_cluster(c, i);
            options = !c->opts_done;
        }
    }
    c->args[c->nargs] = NULL;
    c->opts_done = true;
    check_operands(c);
}
