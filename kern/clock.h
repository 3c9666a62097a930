/* clock.h - the session's view of time, and its randomness
 *
 * All nondeterminism enters through struct wk_world. Deadlines of runs use host_monotonic_ns
 * whatever the session's clock is.
 */
#ifndef WK_KERN_CLOCK_H
#define WK_KERN_CLOCK_H

#include "base/compiler.h"

/* Supplied by the host (defaults read the real clocks and getrandom). May not be NULL inside. */
struct wk_world {
    void *ctx;
    int64_t (*realtime_ns)(void *ctx);
    int64_t (*monotonic_ns)(void *ctx);
    int (*entropy)(void *ctx, void *dst, size_t n); /* 0 or -WK_EIO */
};

/* Wall time lies within so many nanoseconds of 1970 on either side (291 years), whatever the world
 * says: a year or a day more or less still is a number. */
#define WK_CLOCK_REACH INT64_C(9200000000000000000)

enum wk_clock_kind { WK_CLOCK_REAL, WK_CLOCK_FIXED, WK_CLOCK_VIRTUAL };

struct wk_clock {
    enum wk_clock_kind kind;
    const struct wk_world *world;
    int64_t epoch_ns;   /* fixed and virtual: wall time at monotonic 0 */
    int64_t virtual_ns; /* virtual: how far it was advanced */
};

void wk_world_default(struct wk_world *w);
void wk_clock_init(struct wk_clock *c, enum wk_clock_kind kind, int64_t start_ns,
                   const struct wk_world *world);
/* Wall time, and time for timers (sleep, read -t). A fixed clock's timers follow the host's
 * monotonic clock; a virtual clock's timers are reached by jumping when nothing else can run. */
int64_t wk_clock_realtime(const struct wk_clock *c);
int64_t wk_clock_monotonic(const struct wk_clock *c);
/* The host's own monotonic clock, for deadlines. */
int64_t wk_clock_host(const struct wk_clock *c);
/* Virtual clocks only: jump to a later monotonic time. */
void wk_clock_advance(struct wk_clock *c, int64_t monotonic_ns);

#endif
