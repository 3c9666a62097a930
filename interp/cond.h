/* cond.h - [[ … ]] and the primaries shared with test (bash 6.4) */
#ifndef WK_INTERP_COND_H
#define WK_INTERP_COND_H

#include "interp/shell.h"

/* [[ … ]] as an exit status: 0 true, 1 false, 2 when a regular expression was refused. $? is what it was
 * before until the whole is known. Flows are those of expansions; errors of integers are false. */
enum wk_flow wk_cond_status(struct wk_shell *sh, const struct wk_cond *c, int *status);
/* One unary file/string/variable primary (-e -f -z -v -o -R -t …). 1 true, 0 false. */
int wk_cond_unary(struct wk_shell *sh, char op, struct wk_str arg);
/* Binary -nt -ot -ef; numeric -eq … on already evaluated integers are the caller's. 1 / 0. */
int wk_cond_files(struct wk_shell *sh, const char *op, struct wk_str a, struct wk_str b);
/* test(1)'s whole grammar over argv[0..argc): 0 true, 1 false, 2 error after a message naming `name`. */
int wk_cond_test(struct wk_shell *sh, const char *name, const struct wk_str *argv, size_t argc);

#endif
