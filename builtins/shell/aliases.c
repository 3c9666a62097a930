/* aliases.c - alias, unalias
 *
 * Standard: POSIX XCU alias; bash 6.6. Oracle: bash 5.2.
 */
#include "interp/alias.h"
#include "interp/builtin.h"
#include "interp/expand.h"

extern const struct wk_builtin wk_builtin_alias, wk_builtin_unalias;

/* As a command, in posix mode only when `print` asks for it (-p). */
static void put_alias(struct wk_shell *sh, struct wk_buf *b, bool print, struct wk_str name,
                      struct wk_str value)
{
    if (print || !wk_opt(sh, POSIX))
        wk_buf_put_c(b, name.n && name.p[0] == '-' ? "alias -- " : "alias ");
    wk_buf_puts(b, name);
    wk_buf_putc(b, '=');
    wk_quote_plain(b, value);
    wk_buf_putc(b, '\n');
}

static enum wk_flow alias_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_alias, .a = a, .spec = "p"};
    bool print = false;
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c != 'p')
            return wk_status(sh, 2);
        print = true;
    }
    size_t at = g.at ? g.at : 1, n;
    struct wk_bout o;
    wk_bout_init(&o, sh, "alias");
    sh->status = 0;
    if (print || at >= a->n) {
        struct wk_alias *list;
        if (wk_alias_list(sh, &list, &n) != 0)
            o.buf.failed = true;
        for (size_t i = 0; i < n; i++)
            put_alias(sh, &o.buf, print, list[i].name, list[i].value);
        if (!n) /* nothing to list, nothing to look for */
            at = a->n;
    }
    for (; at < a->n; at++) {
        struct wk_str w = a->v[at], value;
        ptrdiff_t eq = wk_str_chr(w, '=');
        if (eq > 0) {
            struct wk_str name = wk_str_take(w, (size_t)eq);
            a->v[at] = name; /* what $_ is afterwards */
            if (!wk_alias_name_ok(name)) {
                wk_sh_builtin_error(sh, "alias", "`%.*s': invalid alias name", (int)name.n, name.p);
                sh->status = 1;
            } else if (wk_alias_set(sh, name, wk_str_from(w, (size_t)eq + 1)) != 0) {
                wk_bout_drop(&o);
                return wk_sh_nomem(sh);
            }
        } else if (wk_alias_get(sh, w, &value)) {
            put_alias(sh, &o.buf, print, w, value);
        } else {
            wk_sh_builtin_error(sh, "alias", "%s: not found", w.p);
            sh->status = 1;
        }
    }
    return wk_bout_finish(&o);
}

static enum wk_flow unalias_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_unalias, .a = a, .spec = "a"};
    bool all = false;
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c != 'a')
            return wk_status(sh, 2);
        all = true;
    }
    if (all) {
        wk_alias_clear(sh);
        return wk_status(sh, 0);
    }
    size_t at = g.at ? g.at : 1;
    if (at >= a->n)
        return wk_builtin_usage(sh, &wk_builtin_unalias);
    sh->status = 0;
    for (; at < a->n; at++) {
        int e = wk_alias_unset(sh, a->v[at]);
        if (e == -WK_ENOMEM)
            return wk_sh_nomem(sh);
        if (e) {
            wk_sh_builtin_error(sh, "unalias", "%s: not found", a->v[at].p);
            sh->status = 1;
        }
    }
    return WK_NEXT;
}

WK_BUILTIN(
    alias, .usage = "alias [-p] [name[=value] ... ]", .summary = "Define or display aliases.",
    .help =
        "Without arguments, or with -p, prints all aliases as commands that define them. "
        "NAME=VALUE defines\n"
        "one, NAME prints one. A blank at the end of VALUE lets the next word be an alias too.\n\n"
        "Fails when a NAME has no alias.",
    .flags = WK_BUILTIN_ASSIGNMENT | WK_BUILTIN_POSIX, .run = alias_run);

WK_BUILTIN(unalias, .usage = "unalias [-a] name [name ...]",
           .summary = "Remove each NAME from the list of defined aliases.",
           .help = "  -a   remove all aliases\n\nFails when a NAME has no alias.",
           .flags = WK_BUILTIN_POSIX, .run = unalias_run);
