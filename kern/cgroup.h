/* cgroup.h - control groups: processes that are accounted for and ended together
 *
 * A group begins with one process; what that starts belongs to it, whoever its parent is by then. Limits that a run
 * has for its tasks hold for each group by itself: what breaches one ends every process of the group, and no other.
 * Memory is that of the session which was taken in the group's turns, less what was given back in them.
 *
 * Owner:   counted: its processes, its tasks, and who made it. Memory comes from the machine's account.
 * Threads: as the machine.
 */
#ifndef WK_KERN_CGROUP_H
#define WK_KERN_CGROUP_H

#include "kern/kern.h"

struct wk_cgroup {
    uint32_t refs;
    struct wk_kern *k;
    struct wk_proc *leader; /* the process that it was made for; NULL once that has ended */
    bool leader_ended;
    /* Limits; 0, and for the deadline WK_FOREVER, is none. */
    uint64_t steps_max, memory_max, tasks_max;
    int64_t deadline_host_ns;
    /* What was used. */
    uint64_t steps;
    int64_t memory, memory_peak;
    int64_t cpu_ns;
    size_t tasks; /* alive now */
    enum wk_limit_kind breach;
    uint64_t forks_refused, refused_deep;
    /* Of the present turn. */
    int64_t turn_began_ns;
    uint64_t turn_steps;
    size_t turn_used, turn_limit, turn_peak;
};

/* A group for a process that has no task yet. -WK_ENOMEM. */
int wk_cgroup_new(struct wk_proc *leader, struct wk_cgroup **out);
struct wk_cgroup *wk_cgroup_ref(struct wk_cgroup *g); /* NULL is fine */
void wk_cgroup_unref(struct wk_cgroup *g);

/* Records a breach (the first one wins), says so on descriptor 2 of `p` (NULL: of the leader) and stops every task.
 * Returns -WK_ESTOP. */
int wk_cgroup_breach(struct wk_cgroup *g, struct wk_proc *p, enum wk_limit_kind kind);
/* Stops every task, shells included: what is left returns at its next turn. */
void wk_cgroup_stop(struct wk_cgroup *g, enum wk_stop_kind kind);
/* A signal for every process of the group; false: there is none. */
bool wk_cgroup_post(struct wk_cgroup *g, int sig);

/* ---- for the scheduler ---- */

/* A process of the group ends. */
void wk_cgroup_leave(struct wk_proc *p);
void wk_cgroup_turn_begins(struct wk_cgroup *g);
void wk_cgroup_turn_ends(struct wk_cgroup *g);
/* A look at the limits in the midst of a turn of `p`. */
void wk_cgroup_look(struct wk_cgroup *g, struct wk_proc *p);

#endif
