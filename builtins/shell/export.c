/* export.c - export, readonly: attributes of variables and functions
 *
 * Standard: POSIX XCU export, readonly; bash 4.1. Oracle: bash 5.2.
 */
#include "builtins/shell/declaration.h"

extern const struct wk_builtin wk_builtin_export, wk_builtin_readonly;

static enum wk_flow list(struct wk_shell *sh, const struct wk_declaration *d)
{
    struct wk_bout o;
    wk_bout_init(&o, sh, d->who);
    const char *word = wk_opt(sh, POSIX) ? d->who : NULL;
    int r = d->functions ? wk_list_functions(sh, WK_LIST_DECLARATIONS, word, d->add, &o.buf)
                         : wk_list_declarations(sh, word, d->add, &o.buf);
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
    d.undo = undo;
    if (undo) {
        d.add &= ~attribute;
        d.remove = attribute;
    }
    int status = 0;
    for (size_t i = g.at; i < a->n; i++) {
        enum wk_flow flow = wk_declare_operand(sh, &d, a->v[i], &status);
        if (flow != WK_NEXT || sh->now.arith_failed)
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
    return mark_run(sh, a, &wk_builtin_readonly, WK_VAR_READONLY, "aAfnp");
}

WK_BUILTIN(export, .usage = "export [-fn] [name[=value] ...] or export -p",
           .summary = "Pass variables on to commands.",
           .help = "  -f   the names are functions\n  -n   take the attribute away\n"
                   "  -p   list what is exported",
           .flags = WK_BUILTIN_SPECIAL | WK_BUILTIN_ASSIGNMENT, .assign_list = wk_declare_list,
           .run = export_run);

WK_BUILTIN(readonly, .usage = "readonly [-aAf] [name[=value] ...] or readonly -p",
           .summary = "Make variables unchangeable.",
           .help = "  -a   indexed arrays      -A   associative arrays\n"
                   "  -f   the names are functions\n  -p   list what is readonly",
           .flags = WK_BUILTIN_SPECIAL | WK_BUILTIN_ASSIGNMENT, .assign_list = wk_declare_list,
           .run = readonly_run);
