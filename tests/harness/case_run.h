/* case_run.h - running one case in a session of its own, and comparing */
#ifndef WK_TESTS_CASE_RUN_H
#define WK_TESTS_CASE_RUN_H

#include "tests/harness/case_file.h"

#include <whelk.h>

/* Where a case runs, in the session as on the recording machine. */
#define WK_CASE_DIR "/tmp/whelk-case"

struct wk_case_result {
    bool passed;
    struct wk_buf why; /* what differed, as text for people */
};

/* Runs c; `r->why` must be initialised. Errors of the library count as failures. */
void wk_case_run(whelk_runtime *rt, const struct wk_case *c, struct wk_case_result *r);

#endif
