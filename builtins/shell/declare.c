/* declare.c - declare, typeset, local: variables and their attributes
 *
 * Standard: bash 4.2. Oracle: bash 5.2.
 */
#include "builtins/shell/declaration.h"

#include "interp/eval.h"
#include "interp/expand.h"
#include "interp/vars_special.h"

extern const struct wk_builtin wk_builtin_declare, wk_builtin_typeset, wk_builtin_local;

struct declare_options {
    struct wk_declaration d;
    bool print, names_only, any;
    bool no_functions; /* +f, +F */
};

static uint32_t attribute_of(int c)
{
    switch (c) {
    case 'a':
        return WK_VAR_ARRAY;
    case 'A':
        return WK_VAR_ASSOC;
    case 'i':
        return WK_VAR_INTEGER;
    case 'l':
        return WK_VAR_LOWER;
    case 'n':
        return WK_VAR_NAMEREF;
    case 'r':
        return WK_VAR_READONLY;
    case 't':
        return WK_VAR_TRACE;
    case 'u':
        return WK_VAR_UPPER;
    case 'c':
        return WK_VAR_CAPITAL;
    case 'x':
        return WK_VAR_EXPORT;
    default:
        return 0;
    }
}

static int parse_options(struct wk_shell *sh, const struct wk_builtin *row, const struct wk_args *a,
                         struct declare_options *o, size_t *at)
{
    struct wk_getopt g = {.b = row, .a = a, .spec = "+acfgilnprtuxAFGI"};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        uint32_t bit = attribute_of(c);
        o->any = o->any || (bit && !g.plus) || c == 'p';
        if (bit & (WK_VAR_LOWER | WK_VAR_UPPER | WK_VAR_CAPITAL)) {
            wk_declare_case(&o->d, bit, g.plus);
        } else if (bit) {
            *(g.plus ? &o->d.remove : &o->d.add) |= bit;
        } else if (c == 'p') {
            o->print = true;
        } else if ((c == 'f' || c == 'F') && g.plus) {
            o->no_functions = true;
        } else if (c == 'f' || c == 'F') {
            o->d.functions = true;
            o->names_only = o->names_only || c == 'F';
        } else if (c == 'g') {
            o->d.global = true;
        } else if (c == 'I') {
            o->d.inherit = true;
        } else if (c == 'G') {
            o->d.prefers_local = true;
        } else {
            return 2;
        }
    }
    *at = g.at;
    return 0;
}

/* Attributes that no function has. */
static int refuse_for_functions(struct wk_shell *sh, const struct wk_declaration *d)
{
    uint32_t bad =
        d->functions ? d->add & (WK_VAR_ARRAY | WK_VAR_ASSOC | WK_VAR_INTEGER | WK_VAR_NAMEREF) : 0;
    if (!bad)
        return 0;
    char c = bad & WK_VAR_INTEGER ? 'i' : bad & WK_VAR_ASSOC ? 'A' : bad & WK_VAR_ARRAY ? 'a' : 'n';
    wk_sh_builtin_error(sh, d->who, "-%c: invalid option", c);
    return 1;
}

/* `local` alone: the variables of the innermost function, "local -" first. */
static int list_locals(struct wk_shell *sh, struct wk_buf *b)
{
    uint32_t level = wk_function_level(sh);
    for (const struct wk_frame *f = sh->now.frame; f; f = f->prev) {
        if (f->kind != WK_FRAME_FUNCTION)
            continue;
        if (f->has_local_options)
            wk_buf_put_c(b, "local -\n");
        break;
    }
    uint32_t *names;
    size_t n;
    int r = wk_vars_names(sh, wk_str(NULL, 0), true, &names, &n);
    for (size_t i = 0; !r && i < n; i++) {
        const struct wk_var *v = wk_var_peek(sh, names[i]);
        if (!v || !(v->flags & WK_VAR_LOCAL) || v->level != level)
            continue;
        r = wk_var_print_declare(sh, names[i], b);
        wk_buf_putc(b, '\n');
    }
    return r;
}

static int list_all(struct wk_shell *sh, const struct declare_options *o, bool local, struct wk_buf *b)
{
    if (local)
        return list_locals(sh, b);
    if (o->d.functions)
        return wk_list_functions(sh, o->names_only ? WK_LIST_NAMES : WK_LIST_DECLARATIONS, NULL, o->d.add, b);
    if (o->any)
        return wk_list_declarations(sh, NULL, o->d.add, b);
    int r = wk_list_assignments(sh, b);
    return r || wk_opt(sh, POSIX) ? r : wk_list_functions(sh, WK_LIST_BODIES, NULL, 0, b);
}

static int print_function(struct wk_shell *sh, const struct declare_options *o, struct wk_str name,
                          struct wk_buf *b, int *status)
{
    uint32_t id = wk_names_find(sh->names, name);
    const struct wk_func *f = id == WK_NAME_NONE ? NULL : wk_func_find(sh, id);
    if (!f && !o->print && wk_str_chr(name, '=') > 0)
        return wk_refuse_function_value(sh, &o->d, status);
    if (!f) {
        if (o->print)
            wk_sh_builtin_error(sh, o->d.who, "%s: not found", name.p);
        else if (wk_opt(sh, POSIX) && !wk_str_is_name(name))
            wk_sh_builtin_error(sh, o->d.who, "`%s': not a valid identifier", name.p);
        *status = 1;
        return 0;
    }
    const struct wk_var marks = {.flags = f->flags};
    char letters[16];
    int n = (int)wk_var_attribute_letters(&marks, letters);
    if (!o->names_only) {
        int r = wk_print_function_def(sh, f, b);
        if (o->print && n)
            wk_buf_fmt(b, "declare -f%.*s %s\n", n, letters, name.p);
        return r;
    }
    if (o->print)
        wk_buf_fmt(b, "declare -f%.*s ", n, letters);
    wk_buf_puts(b, name);
    if (wk_shopt(sh, EXTDEBUG) && !o->print)
        wk_buf_fmt(b, " %u %s", wk_as_function(f->def)->said_line, f->source ? f->source->p : "main");
    wk_buf_putc(b, '\n');
    return 0;
}

/* `declare -f name=value' is refused. */
static bool gives_function(struct wk_shell *sh, const struct declare_options *o, const struct wk_args *a,
                           size_t i)
{
    if (wk_str_chr(a->v[i], '=') <= 0)
        return false;
    wk_sh_builtin_error(sh, o->d.who, "cannot use `-f' to make functions");
    return true;
}

/* `local -' makes a variable of that name. */
static bool options_are_local(const struct wk_shell *sh)
{
    const struct wk_frame *f = sh->now.frame;
    while (f && !f->has_local_options)
        f = f->prev;
    return f != NULL;
}

static int print_names(struct wk_shell *sh, const struct declare_options *o, const struct wk_args *a,
                       size_t at, struct wk_buf *b, int *status)
{
    int r = 0;
    for (size_t i = at; !r && i < a->n; i++) {
        if (o->d.functions && !o->print && gives_function(sh, o, a, i)) {
            *status = 1;
            return r;
        }
        if (o->d.functions) {
            r = print_function(sh, o, a->v[i], b, status);
            continue;
        }
        if (wk_str_is(a->v[i], "-") && options_are_local(sh)) {
            wk_buf_put_c(b, "declare -- -\n");
            continue;
        }
        uint32_t id = wk_names_find(sh->names, a->v[i]);
        const struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_peek(sh, id);
        bool early = v && v->flags & WK_VAR_DYNAMIC && wk_var_kind(v) == WK_SPECIAL_PIPESTATUS && !sh->pipestatus_n;
        if (!v || early || !(v->flags & (WK_VAR_SET | WK_VAR_DECLARED | WK_VAR_DYNAMIC))) {
            wk_sh_builtin_error(sh, o->d.who, "%s: not found", a->v[i].p);
            *status = 1;
            continue;
        }
        r = wk_var_print_declare(sh, id, b);
        wk_buf_putc(b, '\n');
    }
    return r;
}

static enum wk_flow print(struct wk_shell *sh, const struct declare_options *o, const struct wk_args *a,
                          size_t at, bool local)
{
    struct wk_bout out;
    wk_bout_init(&out, sh, o->d.who);
    int status = 0;
    int r = at < a->n ? print_names(sh, o, a, at, &out.buf, &status)
                      : list_all(sh, o, local, &out.buf);
    sh->status = status;
    enum wk_flow flow = wk_bout_finish(&out);
    return r == -WK_ENOMEM ? wk_sh_nomem(sh) : flow;
}

/* `local -`: the function's set options come back when it returns. */
static void keep_options(struct wk_shell *sh)
{
    for (struct wk_frame *f = sh->now.frame; f; f = f->prev) {
        if (f->kind != WK_FRAME_FUNCTION)
            continue;
        if (!f->has_local_options)
            f->local_shopts = sh->st->shopts;
        f->local_options = sh->st->options;
        f->has_local_options = true;
        return;
    }
}

static enum wk_flow declare_run_as(struct wk_shell *sh, const struct wk_args *a,
                                   const struct wk_builtin *row, bool local)
{
    struct declare_options o = {.d = {.who = row->name}};
    size_t at;
    o.d.level = wk_function_level(sh);
    if (local && !o.d.level) {
        wk_sh_builtin_error(sh, "local", "can only be used in a function");
        return wk_status(sh, 1);
    }
    int bad = parse_options(sh, row, a, &o, &at);
    if (!bad && at < a->n)
        bad = refuse_for_functions(sh, &o.d);
    if (bad)
        return wk_status(sh, bad);
    if (at >= a->n || o.print ||
        (o.d.functions && !o.no_functions && (o.names_only || !(o.d.add | o.d.remove))))
        return print(sh, &o, a, at, local && at >= a->n);
    o.d.local = o.d.level && !o.d.global && !o.d.prefers_local && !o.d.functions;
    int status = 0;
    for (size_t i = at; i < a->n; i++) {
        if (local && wk_str_is(a->v[i], "-")) {
            keep_options(sh);
            continue;
        }
        if (o.d.functions && gives_function(sh, &o, a, i))
            return wk_status(sh, 1);
        enum wk_flow flow = wk_declare_operand(sh, &o.d, a->v[i], &status);
        if (flow != WK_NEXT || sh->now.arith_failed)
            return flow;
    }
    return wk_status(sh, status);
}

static enum wk_flow declare_run(struct wk_shell *sh, const struct wk_args *a)
{
    return declare_run_as(sh, a, &wk_builtin_declare, false);
}

static enum wk_flow typeset_run(struct wk_shell *sh, const struct wk_args *a)
{
    return declare_run_as(sh, a, &wk_builtin_typeset, false);
}

static enum wk_flow local_run(struct wk_shell *sh, const struct wk_args *a)
{
    return declare_run_as(sh, a, &wk_builtin_local, true);
}

#define DECLARE_USAGE(name, operands)                                                              \
    name " [-aAfFgiIlnrtux] " operands " or " name " -p [-aAfFilnrtux] [name ...]"
#define DECLARE_HELP                                                                               \
    "Inside a function the variables are local to it. Without names: lists variables.\n\n"         \
    "  -a  indexed array          -A  associative array    -i  integer: values are evaluated\n"    \
    "  -l  to lower case          -u  to upper case        -n  reference to another variable\n"    \
    "  -r  readonly               -t  trace                -x  exported\n"                         \
    "  -f  functions only         -F  names of functions   -g  global even inside a function\n"    \
    "  -I  a new local inherits the outer variable         -p  print as declarations\n\n"          \
    "+ in place of - takes an attribute away."

WK_BUILTIN(declare, .usage = DECLARE_USAGE("declare", "[name[=value] ...]"),
           .summary = "Set variables and their attributes.",
           .help = DECLARE_HELP, .flags = WK_BUILTIN_ASSIGNMENT, .assign_list = wk_declare_list, .run = declare_run);

WK_BUILTIN(typeset, .usage = DECLARE_USAGE("typeset", "name[=value] ..."),
           .summary = "Set variables and their attributes.",
           .help = DECLARE_HELP, .flags = WK_BUILTIN_ASSIGNMENT, .assign_list = wk_declare_list, .run = typeset_run);

WK_BUILTIN(local, .usage = "local [option] name[=value] ...",
           .summary = "Make variables local to a function.",
           .help = "Options are those of declare. `local -' makes the options of `set' local.",
           .flags = WK_BUILTIN_ASSIGNMENT, .assign_list = wk_declare_list, .run = local_run);
