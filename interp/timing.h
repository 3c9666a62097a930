/* timing.h - the reserved word `time` (bash 3.2.3) */
#ifndef WK_INTERP_TIMING_H
#define WK_INTERP_TIMING_H

#include "interp/shell.h"

struct wk_timing {
    int64_t real_ns; /* when it began, by the session's clock */
    int64_t host_ns; /* by the host's, which stands for processor time */
};

void wk_timing_start(struct wk_shell *sh, struct wk_timing *t);
/* Print on descriptor 2 by $TIMEFORMAT, or as POSIX asks. */
void wk_timing_print(struct wk_shell *sh, const struct wk_timing *t, bool posix);

#endif
