/* limits.h - what a session may use, what it used, and which limit was reached
 *
 * A breach is recorded once, printed on the breaching process's stderr, and stops the run (or the
 * one background job). No script can catch it.
 */
#ifndef WK_KERN_LIMITS_H
#define WK_KERN_LIMITS_H

#include "base/compiler.h"

enum wk_limit_kind {
    WK_LIMIT_NONE,
    WK_LIMIT_MEMORY,    /* bytes charged to the session's account */
    WK_LIMIT_TIME,      /* wall nanoseconds of a run, real monotonic clock */
    WK_LIMIT_STEPS,     /* commands, loop turns and work units of a run */
    WK_LIMIT_OUTPUT,    /* bytes written to the run's stdout and stderr together */
    WK_LIMIT_TASKS,     /* processes alive at once */
    WK_LIMIT_FDS,       /* open descriptors of one process */
    WK_LIMIT_DEPTH,     /* calls: functions, source, eval, traps, substitutions */
    WK_LIMIT_NESTING,   /* nesting the parser accepts */
    WK_LIMIT_EXPANSION, /* bytes or fields one expansion may make */
    WK_LIMIT_REGEX,     /* steps of one match */
    WK_LIMIT_COUNT
};

struct wk_limits {
    uint64_t memory;     /* default 512 MiB */
    uint64_t time_ns;    /* default 0 = none */
    uint64_t steps;      /* default 0 = none */
    uint64_t output;     /* default 1 GiB */
    uint64_t tasks;      /* default 512 */
    uint64_t fds;        /* default 1024 */
    uint64_t depth;      /* default 10,000 */
    uint64_t nesting;    /* default 1,000 */
    uint64_t expansion;  /* default 256 MiB */
    uint64_t regex;      /* default 100,000,000 */
    uint64_t file_bytes; /* logical bytes of all files; default 1 GiB */
    uint64_t files;      /* inodes; default 1,000,000 */
    uint64_t file_size;  /* one file; default 1 GiB */
};

/* Fill in the defaults. */
void wk_limits_default(struct wk_limits *l);
/* "memory limit reached" and so on: the line that a breach prints after "name: ". Static. */
const char *wk_limit_text(enum wk_limit_kind kind);
/* "memory", "time"…: the name used by --limit and results. Static. */
const char *wk_limit_name(enum wk_limit_kind kind);

#endif
