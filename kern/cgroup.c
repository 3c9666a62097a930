/* cgroup.c - control groups: accounts of processes, their limits, their end */
#include "kern/cgroup.h"

#include "kern/sched.h"

int wk_cgroup_new(struct wk_proc *leader, struct wk_cgroup **out)
{
    struct wk_kern *k = leader->k;
    struct wk_cgroup *g = WK_NEW(k->mem, struct wk_cgroup);
    *out = g;
    if (!g)
        return -WK_ENOMEM;
    g->refs = 2;
    g->k = k;
    g->leader = leader;
    g->deadline_host_ns = WK_FOREVER;
    wk_cgroup_unref(leader->cgroup);
    leader->cgroup = g;
    return 0;
}

struct wk_cgroup *wk_cgroup_ref(struct wk_cgroup *g)
{
    if (g)
        g->refs++;
    return g;
}

void wk_cgroup_unref(struct wk_cgroup *g)
{
    if (g && --g->refs == 0)
        wk_free(g->k->mem, g);
}

void wk_cgroup_leave(struct wk_proc *p)
{
    struct wk_cgroup *g = p->cgroup;
    p->cgroup = NULL;
    if (g->leader == p) {
        g->leader = NULL;
        g->leader_ended = true;
        g->k->slice_steps = 0; /* whoever waits for it is told now */
    }
    wk_cgroup_unref(g);
}

/* ---- ending ---------------------------------------------------------------------------------- */

void wk_cgroup_stop(struct wk_cgroup *g, enum wk_stop_kind kind)
{
    struct wk_kern *k = g->k;
    wk_cgroup_ref(g);
    for (struct wk_task *t = k->all_tasks; t;) {
        struct wk_task *next = t->all_next;
        if (t->cgroup == g && !t->stop) {
            wk_task_stop(t, kind);
            /* Dropping a task may end others with it: the list is read from its start. */
            next = t->state == WK_TASK_DONE ? k->all_tasks : next;
        }
        t = next;
    }
    wk_cgroup_unref(g);
}

int wk_cgroup_breach(struct wk_cgroup *g, struct wk_proc *p, enum wk_limit_kind kind)
{
    struct wk_kern *k = g->k;
    if (g->breach == WK_LIMIT_NONE) {
        bool open = k->mem->in_reserve;
        g->breach = kind;
        k->mem->in_reserve = true;
        wk_breach_report(k, p ? p : g->leader, kind);
        k->mem->in_reserve = open;
    }
    wk_cgroup_stop(g, WK_STOP_LIMIT);
    return -WK_ESTOP;
}

bool wk_cgroup_post(struct wk_cgroup *g, int sig)
{
    bool any = false;
    uint32_t at = 0;
    for (struct wk_proc *p; (p = wk_proc_next(g->k, at));) {
        at = p->pid;
        if (p->cgroup != g)
            continue;
        any = true;
        if (sig)
            wk_proc_post(p, sig);
    }
    return any;
}

/* ---- turns ----------------------------------------------------------------------------------- */

void wk_cgroup_turn_begins(struct wk_cgroup *g)
{
    struct wk_mem *m = g->k->mem;
    wk_cgroup_ref(g);
    g->turn_began_ns = wk_clock_host(&g->k->clock);
    g->turn_steps = g->k->steps_used;
    g->turn_used = m->used;
    g->turn_peak = m->peak;
    g->turn_limit = m->limit;
    m->peak = m->used;
    if (g->memory_max) {
        uint64_t left = g->memory < 0                         ? g->memory_max
                        : (uint64_t)g->memory < g->memory_max ? g->memory_max - (uint64_t)g->memory
                                                              : 0;
        if (left < SIZE_MAX - m->used && m->used + (size_t)left < m->limit)
            m->limit = m->used + (size_t)left;
    }
}

void wk_cgroup_turn_ends(struct wk_cgroup *g)
{
    struct wk_mem *m = g->k->mem;
    g->cpu_ns += wk_clock_host(&g->k->clock) - g->turn_began_ns;
    g->steps += g->k->steps_used - g->turn_steps;
    int64_t peak = g->memory + ((int64_t)m->peak - (int64_t)g->turn_used);
    g->memory_peak = WK_MAX(g->memory_peak, peak);
    g->memory += (int64_t)m->used - (int64_t)g->turn_used;
    m->peak = WK_MAX(m->peak, g->turn_peak);
    m->limit = g->turn_limit;
    wk_cgroup_unref(g);
}

void wk_cgroup_look(struct wk_cgroup *g, struct wk_proc *p)
{
    if (g->breach != WK_LIMIT_NONE)
        return;
    if (g->steps_max && g->steps + (g->k->steps_used - g->turn_steps) > g->steps_max)
        (void)wk_cgroup_breach(g, p, WK_LIMIT_STEPS);
    else if (g->deadline_host_ns != WK_FOREVER && wk_clock_host(&g->k->clock) >= g->deadline_host_ns)
        (void)wk_cgroup_breach(g, p, WK_LIMIT_TIME);
}
