/* runtime.c - what sessions share: stacks, the root tree, the host's world */
#include "api/internal.h"

#include <stdlib.h>

static int64_t host_realtime(void *ctx)
{
    const whelk_world *w = ctx;
    return w->realtime_ns(w->ctx);
}

static int64_t host_monotonic(void *ctx)
{
    const whelk_world *w = ctx;
    return w->monotonic_ns(w->ctx);
}

static int host_entropy(void *ctx, void *dst, size_t n)
{
    const whelk_world *w = ctx;
    return w->entropy(w->ctx, dst, n) == WHELK_OK ? 0 : -WK_EIO;
}

/* The members that the host left out stay the real ones. */
static int take_world(whelk_runtime *rt, const whelk_world *w)
{
    wk_world_default(&rt->world);
    if (!w)
        return WHELK_OK;
    int r = wk_api_take_options(&rt->host_world, sizeof rt->host_world, w);
    if (r)
        return r;
    rt->world.ctx = &rt->host_world; /* the real functions do not look at it */
    if (rt->host_world.realtime_ns)
        rt->world.realtime_ns = host_realtime;
    if (rt->host_world.monotonic_ns)
        rt->world.monotonic_ns = host_monotonic;
    if (rt->host_world.entropy)
        rt->world.entropy = host_entropy;
    return WHELK_OK;
}

static void runtime_drop(whelk_runtime *rt)
{
    if (rt->base)
        wk_snapshot_unref(rt->base);
    if (rt->hub)
        wk_vfs_hub_unref(rt->hub);
    if (rt->stacks)
        wk_stacks_free(rt->stacks);
    wk_mem_unref(rt->mem);
    pthread_mutex_destroy(&rt->lock);
    free(rt);
}

int whelk_runtime_new(const whelk_runtime_options *options, whelk_runtime **out)
{
    if (!out)
        return WHELK_E_INVALID;
    *out = NULL;
    whelk_runtime_options o;
    int r = wk_api_take_options(&o, sizeof o, options);
    if (r)
        return r;
    whelk_runtime *rt = calloc(1, sizeof *rt);
    if (!rt)
        return WHELK_E_NOMEM;
    if (pthread_mutex_init(&rt->lock, NULL) != 0) {
        free(rt);
        return WHELK_E_SYSTEM;
    }
    r = take_world(rt, o.world);
    if (r) {
        pthread_mutex_destroy(&rt->lock);
        free(rt);
        return r;
    }
    rt->mem = wk_mem_new(SIZE_MAX);
    rt->stacks = wk_stacks_new(o.idle_stacks ? o.idle_stacks : 256);
    rt->hub = wk_vfs_hub_new();
    if (!rt->mem || !rt->stacks || !rt->hub ||
        wk_root_tree_new(rt->mem, rt->hub, &rt->world, &rt->base) != 0) {
        runtime_drop(rt);
        return WHELK_E_NOMEM;
    }
    *out = rt;
    return WHELK_OK;
}

int whelk_runtime_free(whelk_runtime *rt)
{
    if (!rt)
        return WHELK_OK;
    pthread_mutex_lock(&rt->lock);
    size_t sessions = rt->sessions;
    pthread_mutex_unlock(&rt->lock);
    if (sessions)
        return WHELK_E_BUSY;
    runtime_drop(rt);
    return WHELK_OK;
}
