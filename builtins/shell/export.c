/* export.c - export, readonly: attributes of variables and functions
 *
 * Standard: POSIX XCU export, readonly; bash 4.1. Oracle: bash 5.2.
 */
#include "builtins/shell/declaration.h"

extern const struct wk_builtin wk_builtin_export, wk_builtin_readonly;

/* In posix mode: "export -a NAME=…", whatever the other attributes. */
static int list_posix(struct wk_shell *sh, const struct wk_declaration *d, struct wk_buf *b)
{
    uint32_t *names;
    size_t n;
    int r = wk_vars_names(sh, wk_str(NULL, 0), true, &names, &n);
    for (size_t i = 0; !r && i < n; i++) {
        const struct wk_var *v = wk_var_peek(sh, names[i]);
        if (!v || (v->flags & d->add) != d->add)
            continue;
        struct wk_buf line;
        wk_buf_init(&line, sh->mem, SIZE_MAX / 2);
        r = wk_var_print_declare(sh, names[i], &line);
        /* Behind "declare" and the letters. */
        ptrdiff_t name = r ? -1 : wk_str_find(wk_buf_str(&line), WK_STR(" -"));
        ptrdiff_t gap = name < 0 ? -1 : wk_str_chr(wk_str_from(wk_buf_str(&line), (size_t)name + 1), ' ');
        size_t from = gap < 0 ? line.n : (size_t)(name + gap) + 2;
        wk_buf_put_c(b, d->who);
        wk_buf_put_c(b, v->flags & WK_VAR_ARRAY ? " -a " : v->flags & WK_VAR_ASSOC ? " -A " : " ");
        wk_buf_puts(b, wk_str_from(wk_buf_str(&line), from));
        wk_buf_putc(b, '\n');
        wk_buf_release(&line);
    }
    return b->failed ? -WK_ENOMEM : r;
}

static int list_posix_functions(struct wk_shell *sh, const struct wk_declaration *d, struct wk_buf *b)
{
    struct wk_buf lines;
    wk_buf_init(&lines, sh->mem, SIZE_MAX / 2);
    int r = wk_list_functions(sh, WK_LIST_NAMES, d->add, &lines);
    struct wk_str rest = wk_buf_str(&lines);
    while (!r && rest.n) { /* the name is the last word of its line */
        ptrdiff_t end = wk_str_chr(rest, '\n');
        struct wk_str line = wk_str_take(rest, end < 0 ? rest.n : (size_t)end);
        rest = wk_str_from(rest, end < 0 ? rest.n : (size_t)end + 1);
        size_t name = line.n;
        while (name && line.p[name - 1] != ' ')
            name--;
        wk_buf_fmt(b, "%s -f ", d->who);
        wk_buf_puts(b, wk_str_from(line, name));
        wk_buf_putc(b, '\n');
    }
    wk_buf_release(&lines);
    return b->failed ? -WK_ENOMEM : r;
}

static enum wk_flow list(struct wk_shell *sh, const struct wk_declaration *d)
{
    struct wk_bout o;
    wk_bout_init(&o, sh, d->who);
    int r;
    if (wk_opt(sh, POSIX))
        r = d->functions ? list_posix_functions(sh, d, &o.buf) : list_posix(sh, d, &o.buf);
    else
        r = d->functions ? wk_list_functions(sh, WK_LIST_DECLARATIONS, d->add, &o.buf)
                         : wk_list_declarations(sh, d->add, &o.buf);
    sh->status = 0;
    enum wk_flow flow = wk_bout_finish(&o);
    return r == -WK_ENOMEM ? wk_sh_nomem(sh) : flow;
}

static enum wk_flow mark_run(struct wk_shell *sh, const struct wk_args *a, const struct wk_builtin *row,
                             uint32_t attribute, const char *spec)
{
    struct wk_declaration d = {.who = row->name,
                               .add = attribute,
                               .no_elements = true,
                               .traced = true,
                               .level = wk_function_level(sh)};
    bool undo = false;
    struct wk_getopt g = {.b = row, .a = a, .spec = spec};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        switch (c) {
        case 'f':
            d.functions = true;
            break;
        case 'n':
            undo = true;
            break;
        case 'a':
            d.add |= WK_VAR_ARRAY;
            break;
        case 'A':
            d.add |= WK_VAR_ASSOC;
            break;
        case 'p':
            break;
        default:
            return wk_status(sh, 2);
        }
    }
    if (g.at >= a->n)
        return list(sh, &d);
    if (undo) {
        d.add &= ~attribute;
        d.remove = attribute;
    }
    int status = 0;
    for (size_t i = g.at; i < a->n; i++) {
        enum wk_flow flow = wk_declare_operand(sh, &d, a, i, &status);
        if (flow != WK_NEXT)
            return flow;
    }
    return wk_status(sh, status);
}

static enum wk_flow export_run(struct wk_shell *sh, const struct wk_args *a)
{
    return mark_run(sh, a, &wk_builtin_export, WK_VAR_EXPORT, "aAfnp");
}

static enum wk_flow readonly_run(struct wk_shell *sh, const struct wk_args *a)
{
    return mark_run(sh, a, &wk_builtin_readonly, WK_VAR_READONLY, "aAfp");
}

WK_BUILTIN(export, .usage = "export [-fn] [name[=value] ...] or export -p",
           .summary = "Pass variables on to commands.",
           .help = "  -f   the names are functions\n  -n   take the attribute away\n"
                   "  -p   list what is exported",
           .flags = WK_BUILTIN_SPECIAL | WK_BUILTIN_ASSIGNMENT, .run = export_run);

WK_BUILTIN(readonly, .usage = "readonly [-aAf] [name[=value] ...] or readonly -p",
           .summary = "Make variables unchangeable.",
           .help = "  -a   indexed arrays      -A   associative arrays\n"
                   "  -f   the names are functions\n  -p   list what is readonly",
           .flags = WK_BUILTIN_SPECIAL | WK_BUILTIN_ASSIGNMENT, .run = readonly_run);
