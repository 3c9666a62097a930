/* subprogram.h - programs that a command starts as children of its own and whose end it checks
 *
 * Owner: the process; what still runs when it ends goes on by itself and meets a closed pipe.
 * Parks: while a child runs.
 */
#ifndef WK_BUILTINS_SUBPROGRAM_H
#define WK_BUILTINS_SUBPROGRAM_H

#include "kern/cmd.h"

struct wk_subprogram {
    const char *name; /* argv[0], for messages */
    struct wk_in *in; /* what it writes; NULL: it writes to the command's own output */
    uint32_t pid;
    int fd; /* the reading end */
    int err;    /* why it could not be started, positive */
    int status; /* once it has ended */
};

/* Starts argv, found by $PATH, with the command's own standard input; `piped`: its output is s->in. What the command
 * has written so far is passed on before. Returns without a word also when it cannot be started. P A */
void wk_subprogram_start(struct wk_cmd *c, struct wk_subprogram *s, char *const *argv, int argc, bool piped);
/* Stops reading and waits for its end: the status, 126 or 127 for a start that failed. P */
int wk_subprogram_end(struct wk_cmd *c, struct wk_subprogram *s);
/* Says what was wrong with it, in the words of diffutils, and ends the command with status 2. */
WK_NORETURN void wk_subprogram_blame(struct wk_cmd *c, const struct wk_subprogram *s);

#endif
