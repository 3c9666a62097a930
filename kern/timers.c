/* timers.c - the heap of parked tasks' wake-up times */
#include "kern/sched.h"

int wk_timers_reserve(struct wk_kern *k)
{
    return wk_vec_grow(k->mem, &k->timers, &k->timer_cap, k->task_count + 1, sizeof *k->timers)
               ? 0
               : -WK_ENOMEM;
}

static void place(struct wk_kern *k, size_t i, struct wk_task *t)
{
    k->timers[i] = t;
    t->timer_slot = i;
}

static void sift_up(struct wk_kern *k, size_t i)
{
    struct wk_task *t = k->timers[i];
    while (i && k->timers[(i - 1) / 2]->timer_at > t->timer_at) {
        place(k, i, k->timers[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    place(k, i, t);
}

static void sift_down(struct wk_kern *k, size_t i)
{
    struct wk_task *t = k->timers[i];
    for (;;) {
        size_t c = 2 * i + 1;
        if (c >= k->timer_count)
            break;
        if (c + 1 < k->timer_count && k->timers[c + 1]->timer_at < k->timers[c]->timer_at)
            c++;
        if (k->timers[c]->timer_at >= t->timer_at)
            break;
        place(k, i, k->timers[c]);
        i = c;
    }
    place(k, i, t);
}

void wk_timer_add(struct wk_task *t, int64_t at_ns)
{
    struct wk_kern *k = t->k;
    WK_ASSERT(t->timer_slot == SIZE_MAX && k->timer_count < k->timer_cap);
    t->timer_at = at_ns;
    place(k, k->timer_count++, t);
    sift_up(k, t->timer_slot);
}

void wk_timer_remove(struct wk_task *t)
{
    struct wk_kern *k = t->k;
    size_t i = t->timer_slot;
    if (i == SIZE_MAX)
        return;
    t->timer_slot = SIZE_MAX;
    struct wk_task *last = k->timers[--k->timer_count];
    if (last == t)
        return;
    place(k, i, last);
    sift_up(k, i);
    sift_down(k, last->timer_slot);
}

int64_t wk_timers_fire(struct wk_kern *k, int64_t now_ns)
{
    while (k->timer_count && k->timers[0]->timer_at <= now_ns)
        wk_task_wake(k->timers[0], -WK_ETIMEDOUT);
    return k->timer_count ? k->timers[0]->timer_at : WK_FOREVER;
}
