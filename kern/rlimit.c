/* rlimit.c - what one process may use */
#include "kern/rlimit.h"

#include "kern/proc.h"
#include "kern/sched.h"

enum { STACK_BYTES = 8 << 20 };

#define SECOND_NS UINT64_C(1000000000)

/* What the session grants. */
static struct wk_rlim granted(const struct wk_limits *l, enum wk_rlimit which)
{
    uint64_t v = WK_RLIM_INFINITY;
    switch (which) {
    case WK_RLIMIT_CORE:
        return (struct wk_rlim){0, WK_RLIM_INFINITY};
    case WK_RLIMIT_STACK:
        return (struct wk_rlim){STACK_BYTES, WK_RLIM_INFINITY};
    case WK_RLIMIT_NICE:
    case WK_RLIMIT_RTPRIO:
    case WK_RLIMIT_MSGQUEUE:
        v = 0;
        break;
    case WK_RLIMIT_FSIZE:
        v = l->file_size;
        break;
    case WK_RLIMIT_DATA:
    case WK_RLIMIT_RSS:
    case WK_RLIMIT_AS:
        v = l->memory;
        break;
    case WK_RLIMIT_NOFILE:
        v = l->fds;
        break;
    case WK_RLIMIT_NPROC:
        v = l->tasks;
        break;
    case WK_RLIMIT_CPU:
        v = l->time_ns ? l->time_ns / SECOND_NS : WK_RLIM_INFINITY;
        break;
    default:
        break;
    }
    return (struct wk_rlim){v, v};
}

struct wk_rlim wk_rlimit_get(const struct wk_proc *p, enum wk_rlimit which)
{
    return p->rlimits ? p->rlimits->v[which] : granted(&p->k->limits, which);
}

struct wk_rlimits *wk_rlimits_ref(struct wk_rlimits *r)
{
    if (r)
        r->refs++;
    return r;
}

void wk_rlimits_unref(struct wk_kern *k, struct wk_rlimits *r)
{
    if (r && --r->refs == 0)
        wk_free(k->mem, r);
}

/* A record that only `p` refers to. */
static struct wk_rlimits *own(struct wk_proc *p)
{
    struct wk_rlimits *old = p->rlimits;
    if (old && old->refs == 1)
        return old;
    struct wk_rlimits *r = WK_NEW(p->k->mem, struct wk_rlimits);
    if (!r)
        return NULL;
    for (enum wk_rlimit i = 0; i < WK_RLIMIT_COUNT; i++)
        r->v[i] = wk_rlimit_get(p, i);
    r->refs = 1;
    wk_rlimits_unref(p->k, old);
    p->rlimits = r;
    return r;
}

static bool is_memory(enum wk_rlimit which)
{
    return which == WK_RLIMIT_DATA || which == WK_RLIMIT_RSS || which == WK_RLIMIT_AS;
}

int wk_rlimit_set(struct wk_proc *p, enum wk_rlimit which, struct wk_rlim v)
{
    struct wk_rlim now = wk_rlimit_get(p, which);
    if (v.soft > v.hard)
        return -WK_EINVAL;
    if (v.hard > now.hard && (p->cred.uid != 0 || v.hard > granted(&p->k->limits, which).hard))
        return -WK_EPERM;
    if (is_memory(which) && v.soft < granted(&p->k->limits, which).soft)
        return -WK_EOPNOTSUPP;
    if (which == WK_RLIMIT_NOFILE) {
        int r = wk_fd_limit(&p->fds, v.soft);
        if (r)
            return r;
    }
    bool first = !p->rlimits;
    struct wk_rlimits *r = own(p);
    if (!r)
        return -WK_ENOMEM;
    r->v[which] = v;
    if (first && p->task)
        wk_rlimit_turn_begins(p->task);
    return 0;
}

ptrdiff_t wk_rlimit_write(struct wk_task *t, uint64_t at, size_t n)
{
    uint64_t most = t->proc->rlimits->v[WK_RLIMIT_FSIZE].soft;
    if (most == WK_RLIM_INFINITY || n == 0)
        return (ptrdiff_t)n;
    if (at < most)
        return (ptrdiff_t)WK_MIN((uint64_t)n, most - at);
    wk_proc_post(t->proc, WK_SIGXFSZ);
    if (t->stop && t->leaf)
        (void)wk_park(t, NULL, WK_FOREVER, false);
    return -WK_EFBIG;
}

/* ---- the processor
 * ------------------------------------------------------------------------------------------ */

void wk_rlimit_turn_begins(struct wk_task *t)
{
    t->proc->turn_began_ns = wk_clock_host(&t->k->clock);
}

static void settle(struct wk_task *t)
{
    struct wk_proc *p = t->proc;
    int64_t now = wk_clock_host(&t->k->clock);
    if (p->turn_began_ns)
        p->cpu_ns += now - p->turn_began_ns;
    p->turn_began_ns = now;
}

void wk_rlimit_turn_ends(struct wk_task *t)
{
    settle(t);
    t->proc->turn_began_ns = 0;
}

void wk_rlimit_look(struct wk_task *t)
{
    struct wk_proc *p = t->proc;
    struct wk_rlim most = p->rlimits->v[WK_RLIMIT_CPU];
    if (most.soft == WK_RLIM_INFINITY)
        return;
    settle(t);
    uint64_t used = (uint64_t)p->cpu_ns / SECOND_NS;
    if (used >= most.hard)
        wk_proc_post(p, WK_SIGKILL);
    else if (used >= most.soft && used >= p->cpu_told) {
        p->cpu_told = used + 1;
        wk_proc_post(p, WK_SIGXCPU);
    }
}
