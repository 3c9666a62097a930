/* kern.c - setting up the machine of a session; its randomness */
#include "kern/kern.h"

#include "kern/sched.h"

static uint64_t mix(uint64_t *x)
{
    uint64_t z = *x += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void seed(struct wk_kern *k, uint64_t from)
{
    uint64_t s = from;
    if (!s && k->world.entropy(k->world.ctx, &s, sizeof s) != 0)
        s = (uint64_t)k->world.monotonic_ns(k->world.ctx);
    for (size_t i = 0; i < 4; i++)
        k->rng[i] = mix(&s);
}

/* xoshiro256** */
uint64_t wk_kern_random(struct wk_kern *k)
{
    uint64_t *s = k->rng;
    uint64_t x = s[1] * 5, t = s[1] << 17;
    x = (x << 7 | x >> 57) * 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return x;
}

static void copy_name(char *dst, size_t cap, const char *src, const char *otherwise)
{
    if (!src)
        src = otherwise;
    size_t n = strlen(src);
    if (n > cap - 1)
        n = cap - 1;
    memcpy(dst, src, n);
    dst[n] = '\0';
}

int wk_kern_init(struct wk_kern *k, const struct wk_kern_options *o)
{
    memset(k, 0, sizeof *k);
    k->mem = o->mem;
    k->vfs = o->vfs;
    k->stacks = o->stacks;
    k->registry = o->registry;
    if (o->world)
        k->world = *o->world;
    else
        wk_world_default(&k->world);
    if (o->limits)
        k->limits = *o->limits;
    else
        wk_limits_default(&k->limits);
    atomic_init(&k->cancel, false);
    atomic_init(&k->woken, false);
    atomic_init(&k->wake_fd, -1);
    k->deadline_host_ns = WK_FOREVER;
    k->slice_steps = k->slice_end_ns = INT64_MAX;
    k->uid = o->uid;
    k->gid = o->gid;
    k->next_pid = 1;
    copy_name(k->user, sizeof k->user, o->user, "user");
    copy_name(k->hostname, sizeof k->hostname, o->hostname, "whelk");
    wk_clock_init(&k->clock, o->clock, o->clock_start_ns, &k->world);
    seed(k, o->seed);
    int r = wk_pools_init(k);
    if (!r)
        r = wk_procs_init(k);
    if (r)
        wk_kern_release(k);
    return r;
}
