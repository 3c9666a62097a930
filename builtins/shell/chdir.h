/* chdir.h - changing the shell's working directory with its variables (cd.c) */
#ifndef WK_BUILTINS_SHELL_CHDIR_H
#define WK_BUILTINS_SHELL_CHDIR_H

#include "interp/shell.h"

/* Go to `dir` (logical unless physical), set PWD, OLDPWD. 0, -WK_ENOMEM, -WK_EPERM after a readonly
 * message, or the error of the path (no message). `dir` must not point into those variables. */
int wk_sh_chdir(struct wk_shell *sh, struct wk_str dir, bool physical);

#endif
