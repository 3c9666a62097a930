/* proc.c - process records: fork, enter and leave, end, reap; the table of pids */
#include "kern/proc.h"

#include "kern/heap.h"
#include "kern/sched.h"

enum { FIRST_BUCKETS = 16, PID_MAX = 4194304 };

/* ---- names: counted strings, shared by a process and its forks
 * ------------------------------------------ */

struct counted {
    uint32_t refs;
    char text[];
};

static const char *name_new(struct wk_kern *k, const char *s)
{
    size_t n = strlen(s);
    struct counted *c = wk_alloc(k->mem, sizeof *c + n + 1);
    if (!c)
        return NULL;
    c->refs = 1;
    memcpy(c->text, s, n + 1);
    return c->text;
}

static struct counted *counted_of(const char *text)
{
    union {
        const char *in;
        char *out;
    } u = {.in = text};
    return WK_CONTAINER_OF(u.out, struct counted, text);
}

static const char *name_ref(const char *text)
{
    if (text)
        counted_of(text)->refs++;
    return text;
}

static void name_unref(struct wk_kern *k, const char *text)
{
    if (text && --counted_of(text)->refs == 0)
        wk_free(k->mem, counted_of(text));
}

static int set_text(struct wk_kern *k, const char **dst, const char *s)
{
    const char *fresh = s ? name_new(k, s) : NULL;
    if (s && !fresh)
        return -WK_ENOMEM;
    name_unref(k, *dst);
    *dst = fresh;
    return 0;
}

int wk_proc_set_name(struct wk_proc *p, const char *name)
{
    return set_text(p->k, &p->name, name);
}

int wk_proc_set_cmdline(struct wk_proc *p, const char *cmdline)
{
    return set_text(p->k, &p->cmdline, cmdline);
}

/* ---- the table
 * --------------------------------------------------------------------------------------------- */

static struct wk_proc **bucket(struct wk_kern *k, uint32_t pid)
{
    return &k->pid_table[pid & (k->pid_cap - 1)];
}

static int table_grow(struct wk_kern *k)
{
    if (k->proc_count < k->pid_cap)
        return 0;
    size_t cap = k->pid_cap ? k->pid_cap * 2 : FIRST_BUCKETS;
    struct wk_proc **old = k->pid_table, **fresh = wk_calloc(k->mem, cap, sizeof *fresh);
    if (!fresh)
        return old ? 0 : -WK_ENOMEM; /* longer chains will do */
    size_t n = k->pid_cap;
    k->pid_table = fresh;
    k->pid_cap = cap;
    for (size_t i = 0; i < n; i++)
        for (struct wk_proc *p = old[i], *next; p; p = next) {
            next = p->hash_next;
            struct wk_proc **b = bucket(k, p->pid);
            p->hash_next = *b;
            *b = p;
        }
    wk_free(k->mem, old);
    return 0;
}

struct wk_proc *wk_proc_find(struct wk_kern *k, uint32_t pid)
{
    if (!k->pid_cap)
        return NULL;
    struct wk_proc *p = *bucket(k, pid);
    while (p && p->pid != pid)
        p = p->hash_next;
    return p;
}

struct wk_proc *wk_proc_next(struct wk_kern *k, uint32_t after_pid)
{
    struct wk_proc *best = NULL;
    for (size_t i = 0; i < k->pid_cap; i++)
        for (struct wk_proc *p = k->pid_table[i]; p; p = p->hash_next)
            if (p->pid > after_pid && (!best || p->pid < best->pid))
                best = p;
    return best;
}

static uint32_t new_pid(struct wk_kern *k)
{
    uint32_t pid;
    do {
        pid = k->next_pid++;
        if (k->next_pid >= PID_MAX)
            k->next_pid = 300;
    } while (wk_proc_find(k, pid));
    return pid;
}

static struct wk_proc *proc_new(struct wk_kern *k)
{
    if (table_grow(k) != 0)
        return NULL;
    struct wk_proc *p = wk_pool_take(k, WK_POOL_PROC, sizeof *p);
    if (!p)
        return NULL;
    *p = (struct wk_proc){.k = k};
    p->pid = new_pid(k);
    struct wk_proc **b = bucket(k, p->pid);
    p->hash_next = *b;
    *b = p;
    k->proc_count++;
    return p;
}

static void table_remove(struct wk_proc *p)
{
    struct wk_proc **at = bucket(p->k, p->pid);
    while (*at != p)
        at = &(*at)->hash_next;
    *at = p->hash_next;
    p->k->proc_count--;
}

/* ---- families
 * ------------------------------------------------------------------------------------------------
 */

static void adopt(struct wk_proc *parent, struct wk_proc *p)
{
    p->parent = parent;
    p->prev_sibling = NULL;
    p->next_sibling = parent->first_child;
    if (parent->first_child)
        parent->first_child->prev_sibling = p;
    parent->first_child = p;
}

static void disown(struct wk_proc *p)
{
    if (p->prev_sibling)
        p->prev_sibling->next_sibling = p->next_sibling;
    else if (p->parent)
        p->parent->first_child = p->next_sibling;
    if (p->next_sibling)
        p->next_sibling->prev_sibling = p->prev_sibling;
    p->parent = p->next_sibling = p->prev_sibling = NULL;
}

int wk_proc_fork(struct wk_proc *parent, struct wk_proc **out)
{
    struct wk_kern *k = parent->k;
    *out = NULL;
    struct wk_proc *p = proc_new(k);
    if (!p)
        return -WK_ENOMEM;
    p->generation = parent->generation + 1;
    p->pgid = parent->pgid;
    p->sid = parent->sid;
    p->cred = parent->cred;
    p->cred.caller = p;
    p->rlimits = wk_rlimits_ref(parent->rlimits);
    p->cgroup = wk_cgroup_ref(parent->cgroup);
    p->cwd = wk_vdir_ref(parent->cwd);
    p->fds = wk_fdtab_ref(parent->fds);
    p->env = wk_env_ref(parent->env);
    p->name = name_ref(parent->name);
    p->cmdline = name_ref(parent->cmdline);
    p->sig_ignored = parent->sig_ignored;
    p->sig_caught = parent->sig_caught;
    p->background = parent->background;
    p->started_ns = parent->started_ns;
    adopt(parent, p);
    *out = p;
    return 0;
}

void wk_proc_enter(struct wk_task *t, struct wk_proc *child)
{
    if (WK_UNLIKELY(child->rlimits != NULL))
        wk_rlimit_turn_ends(t);
    child->outer = t->proc;
    child->task = t;
    t->proc = child;
    if (WK_UNLIKELY(child->rlimits != NULL))
        wk_rlimit_turn_begins(t);
}

void wk_proc_leave(struct wk_task *t, struct wk_proc *child, struct wk_exit e, bool reap)
{
    t->proc = child->outer;
    child->outer = NULL;
    child->task = NULL;
    wk_proc_finish(child, e);
    if (reap)
        wk_proc_reap(child);
    if (WK_UNLIKELY(t->proc->rlimits != NULL))
        wk_rlimit_turn_begins(t);
}

static void release_contents(struct wk_proc *p)
{
    if (p->heap) {
        struct wk_heap *h = p->heap;
        p->heap = NULL;
        wk_heap_drop(h);
    }
    wk_exec_release(p);
    if (p->cgroup)
        wk_cgroup_leave(p);
    wk_rlimits_unref(p->k, p->rlimits);
    p->rlimits = NULL;
    if (p->fds)
        wk_fdtab_unref(p->fds);
    p->fds = NULL;
    wk_vdir_unref(p->cwd);
    p->cwd = NULL;
    wk_env_unref(p->env);
    p->env = NULL;
}

static void orphan_children(struct wk_proc *p)
{
    struct wk_proc *init = p->k->init;
    while (p->first_child) {
        struct wk_proc *c = p->first_child;
        disown(c);
        adopt(init, c);
        c->orphan = true;
        if (c->state == WK_PROC_ZOMBIE)
            wk_proc_reap(c);
    }
}

void wk_proc_finish(struct wk_proc *p, struct wk_exit e)
{
    if (p->state == WK_PROC_ZOMBIE)
        return;
    p->state = WK_PROC_ZOMBIE;
    p->exit = e;
    p->task = NULL;
    release_contents(p);
    orphan_children(p);
    struct wk_proc *parent = p->parent;
    if (!parent)
        return;
    wk_waitq_wake_all(&parent->child_changed);
    parent->children_ended += (parent->sig_caught & WK_SIGBIT(WK_SIGCHLD)) != 0;
    wk_proc_post(parent, WK_SIGCHLD);
    if (p->orphan)
        wk_proc_reap(p);
}

void wk_proc_reap(struct wk_proc *p)
{
    struct wk_kern *k = p->k;
    WK_ASSERT(p->state == WK_PROC_ZOMBIE);
    disown(p);
    table_remove(p);
    name_unref(k, p->name);
    name_unref(k, p->cmdline);
    wk_pool_give(k, WK_POOL_PROC, p);
}

/* ---- waiting
 * ---------------------------------------------------------------------------------------------------
 */

static bool is_wanted(const struct wk_proc *c, const struct wk_proc *parent, int64_t pid)
{
    if (pid > 0)
        return c->pid == (uint64_t)pid;
    if (pid == 0)
        return c->pgid == parent->pgid;
    return pid == -1 || c->pgid == (uint64_t)-pid;
}

int wk_proc_wait(struct wk_task *t, struct wk_proc *parent, int64_t pid, int flags,
                 struct wk_proc **out)
{
    *out = NULL;
    for (;;) {
        bool any = false;
        for (struct wk_proc *c = parent->first_child; c; c = c->next_sibling) {
            if (!is_wanted(c, parent, pid))
                continue;
            any = true;
            if (c->state == WK_PROC_ZOMBIE ||
                (c->state == WK_PROC_STOPPED && flags & WK_WAIT_UNTRACED && !c->stop_seen)) {
                c->stop_seen = true;
                *out = c;
                return 0;
            }
        }
        if (!any)
            return -WK_ECHILD;
        if (flags & WK_WAIT_NOHANG)
            return 0;
        int r = wk_park(t, &parent->child_changed, WK_FOREVER, !(flags & WK_WAIT_NOINTR));
        if (r)
            return r;
    }
}

/* ---- pid 1
 * -------------------------------------------------------------------------------------------------------
 */

int wk_procs_init(struct wk_kern *k)
{
    struct wk_proc *p = proc_new(k);
    if (!p)
        return -WK_ENOMEM;
    k->init = p;
    p->pgid = p->sid = p->pid;
    p->cred = (struct wk_cred){k->uid, k->gid, 022, p};
    p->started_ns = wk_clock_realtime(&k->clock);
    p->fds = wk_fdtab_new(k);
    p->env = wk_env_new(k, NULL, 0);
    p->name = name_new(k, "init");
    return p->fds && p->env && p->name ? 0 : -WK_ENOMEM;
}

void wk_procs_release(struct wk_kern *k)
{
    struct wk_proc *init = k->init;
    if (init) {
        while (init->first_child) {
            struct wk_proc *c = init->first_child;
            c->orphan = false;
            wk_proc_finish(c, (struct wk_exit){0, WK_SIGKILL});
            wk_proc_reap(c);
        }
        k->init = NULL;
        wk_proc_finish(init, (struct wk_exit){0, 0});
        wk_proc_reap(init);
    }
    wk_free(k->mem, k->pid_table);
    k->pid_table = NULL;
    k->pid_cap = 0;
}
