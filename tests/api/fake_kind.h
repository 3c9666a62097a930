/* fake_kind.h - a kind of sandbox whose processes are played
 *
 * A process does what its arguments say, in order: `say TEXT`, `err TEXT`, `fill BYTES` (of output), `read BYTES` (of
 * input; the rest is left), `copy` (input to output, to its end), `count` (how much input there was), `args`, `cwd`,
 * `env NAME`, `umask`, `hold` (until a signal), `late BYTES` (of output that is told only after its end),
 * `code N`, `die SIGNAL`. At its end it exits with 0.
 * Its name counts, too: one called `missing` cannot be started, `denied` may not be, and `lose` loses the box.
 */
#ifndef WK_TESTS_API_FAKE_KIND_H
#define WK_TESTS_API_FAKE_KIND_H

#include <stdbool.h>
#include <whelk/sandbox_kind.h>

struct fake {
    int opened, closed, open_code; /* open_code: what open answers; 0: it opens */
    bool slow_open;                /* open waits until it is interrupted */
    int alive;                     /* processes that run */
    int killed;                    /* processes that KILL ended */
    int signals;                   /* sent to processes */
    int last_signal, last_scope;
    int shut;                      /* output streams that nobody takes */
    bool ignores_signals;          /* but KILL */
    unsigned survivors;            /* told of every process */
};

/* The table; ctx is `f`. */
whelk_sandbox_kind fake_kind(struct fake *f);

#endif
