/* timing.h - the reserved word `time` (bash 3.2.3) */
#ifndef WK_INTERP_TIMING_H
#define WK_INTERP_TIMING_H

#include "interp/shell.h"

struct wk_timing {
    int64_t real_ns; /* when it began, by the session's clock */
    struct wk_cpu_time cpu;
};

void wk_timing_start(struct wk_shell *sh, struct wk_timing *t);
/* Print on descriptor 2 by $TIMEFORMAT, or as POSIX asks. */
void wk_timing_print(struct wk_shell *sh, const struct wk_timing *t, bool posix);
/* `time' without a command in POSIX mode: what the shell and its children have used so far. */
void wk_timing_print_total(struct wk_shell *sh);
/* Appends "0m0.000s". */
void wk_timing_put(struct wk_buf *b, int64_t ns);

#endif
