/* lineedit.c - bind, logout: what a shell without line editing and without login makes of them
 *
 * Standard: bash 4.2, 4.1. Oracle: bash 5.2.
 */
#include "interp/builtin.h"
#include "interp/eval.h"

extern const struct wk_builtin wk_builtin_bind, wk_builtin_logout;

static enum wk_flow bind_run(struct wk_shell *sh, const struct wk_args *a)
{
    if (!sh->interactive)
        wk_sh_builtin_error(sh, "bind", "warning: line editing not enabled");
    bool query = false;
    struct wk_getopt g = {.b = &wk_builtin_bind, .a = a, .spec = "lvpVPsSXf:q:u:m:r:x:"};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c == '?')
            return wk_status(sh, 2);
        query = query || c == 'q';
    }
    /* There are no keys and no functions: lists are empty, and nothing is bound to anything. */
    return wk_status(sh, query ? 1 : 0);
}

static enum wk_flow logout_run(struct wk_shell *sh, const struct wk_args *a)
{
    if (!sh->login) {
        wk_sh_builtin_error(sh, "logout", "not login shell: use `exit'");
        return wk_status(sh, 1);
    }
    const struct wk_builtin *leave = wk_builtin_find(sh, WK_STR("exit"));
    return leave ? leave->run(sh, a) : wk_status(sh, 1);
}

WK_BUILTIN(bind,
           .usage = "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] "
                    "[-x keyseq:shell-command] [keyseq:readline-function or readline-command]",
           .summary = "Set keys of the line editor.",
           .help = "Scripts have no line editor: bindings are accepted and have no effect.",
           .run = bind_run);

WK_BUILTIN(logout, .usage = "logout [n]", .summary = "Leave a login shell with status N.",
           .help = "Fails when the shell is not a login shell.", .run = logout_run);
