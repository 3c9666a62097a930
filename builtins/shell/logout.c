/* logout.c - logout: exit, for a login shell
 *
 * Standard: bash 4.1. Oracle: bash 5.2.
 */
#include "interp/builtin.h"
#include "interp/eval.h"

extern const struct wk_builtin wk_builtin_logout;

static enum wk_flow logout_run(struct wk_shell *sh, const struct wk_args *a)
{
    if (!sh->login) {
        wk_sh_builtin_error(sh, "logout", "not login shell: use `exit'");
        return wk_status(sh, 1);
    }
    const struct wk_builtin *leave = wk_builtin_find(sh, WK_STR("exit"));
    return leave ? leave->run(sh, a) : wk_status(sh, 1);
}

WK_BUILTIN(logout, .usage = "logout [n]", .summary = "Leave a login shell with status N.",
           .help = "Fails when the shell is not a login shell.", .run = logout_run);
