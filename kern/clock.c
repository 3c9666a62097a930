/* clock.c - the host's clocks and randomness, and the session's view of them */
#define _GNU_SOURCE
#include "kern/clock.h"

#include "base/err.h"

#include <sys/random.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t real_time(void *ctx)
{
    (void)ctx;
    return read_clock(CLOCK_REALTIME);
}

static int64_t real_monotonic(void *ctx)
{
    (void)ctx;
    return read_clock(CLOCK_MONOTONIC);
}

static WK_NOINLINE int real_entropy(void *ctx, void *dst, size_t n)
{
    char *p = dst;
    (void)ctx;
    while (n) {
        ssize_t got = getrandom(p, n, 0);
        if (got <= 0)
            return -WK_EIO;
        p += got;
        n -= (size_t)got;
    }
    return 0;
}

void wk_world_default(struct wk_world *w)
{
    *w = (struct wk_world){NULL, real_time, real_monotonic, real_entropy};
}

void wk_clock_init(struct wk_clock *c, enum wk_clock_kind kind, int64_t start_ns,
                   const struct wk_world *world)
{
    *c = (struct wk_clock){.kind = kind, .world = world};
    c->epoch_ns = start_ns || kind == WK_CLOCK_REAL ? start_ns : world->realtime_ns(world->ctx);
}

static int64_t within_reach(int64_t ns)
{
    return ns < -WK_CLOCK_REACH ? -WK_CLOCK_REACH : WK_MIN(ns, WK_CLOCK_REACH);
}

int64_t wk_clock_realtime(const struct wk_clock *c)
{
    int64_t sum;
    switch (c->kind) {
    case WK_CLOCK_FIXED:
        return within_reach(c->epoch_ns);
    case WK_CLOCK_VIRTUAL:
        if (__builtin_add_overflow(c->epoch_ns, c->virtual_ns, &sum))
            return WK_CLOCK_REACH;
        return within_reach(sum);
    case WK_CLOCK_REAL:
        break;
    }
    return within_reach(c->world->realtime_ns(c->world->ctx));
}

int64_t wk_clock_monotonic(const struct wk_clock *c)
{
    return c->kind == WK_CLOCK_VIRTUAL ? c->virtual_ns : wk_clock_host(c);
}

int64_t wk_clock_host(const struct wk_clock *c)
{
    return c->world->monotonic_ns(c->world->ctx);
}

void wk_clock_advance(struct wk_clock *c, int64_t monotonic_ns)
{
    if (c->kind == WK_CLOCK_VIRTUAL && monotonic_ns > c->virtual_ns)
        c->virtual_ns = monotonic_ns;
}
