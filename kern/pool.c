/* pool.c - free lists of the machine's fixed-size records */
#include "kern/sched.h"

struct record {
    struct record *next;
};

struct pools {
    struct record *free[WK_POOL_COUNT];
    unsigned count[WK_POOL_COUNT];
};

/* Most records kept for reuse: enough for a busy pipeline, little for an idle session. */
static const unsigned keep[WK_POOL_COUNT] = {8, 8, 16, 4, 4, 8};

void *wk_pool_take(struct wk_kern *k, enum wk_pool_kind kind, size_t size)
{
    struct pools *p = k->pools;
    if (p && p->free[kind] && !k->mem->fail_at) {
        struct record *r = p->free[kind];
        p->free[kind] = r->next;
        p->count[kind]--;
        return r;
    }
    return wk_alloc(k->mem, size);
}

void wk_pool_give(struct wk_kern *k, enum wk_pool_kind kind, void *rec)
{
    struct pools *p = k->pools;
    if (!p || p->count[kind] >= keep[kind]) {
        wk_free(k->mem, rec);
        return;
    }
    struct record *r = rec;
    r->next = p->free[kind];
    p->free[kind] = r;
    p->count[kind]++;
}

int wk_pools_init(struct wk_kern *k)
{
    k->pools = WK_NEW(k->mem, struct pools);
    return k->pools ? 0 : -WK_ENOMEM;
}

void wk_pools_trim(struct wk_kern *k)
{
    struct pools *p = k->pools;
    for (size_t i = 0; p && i < WK_POOL_COUNT; i++) {
        while (p->free[i]) {
            struct record *r = p->free[i];
            p->free[i] = r->next;
            wk_free(k->mem, r);
        }
        p->count[i] = 0;
    }
}

void wk_pools_release(struct wk_kern *k)
{
    wk_pools_trim(k);
    wk_free(k->mem, k->pools);
    k->pools = NULL;
}
