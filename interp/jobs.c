/* jobs.c - jobs: their list, taking in the ends of children, waiting */
#include "interp/coproc.h"
#include "interp/job_report.h"
#include "interp/run.h"
#include "interp/trap.h"

#include "base/num.h"
#include "kern/signal.h"

enum { REMEMBERED = 1024 };

struct ended {
    uint32_t pid;
    int status;
};

struct wk_jobs {
    struct wk_job *first;       /* by number */
    uint32_t current, previous; /* numbers; 0 = none */
    bool inherited;
    bool substituted; /* in a substitution: of the ended ones only the last stays */
    uint32_t *others; /* children that are no jobs */
    size_t n_others, cap_others;
    struct ended *ended; /* ring of statuses; allocated with the first */
    size_t ended_at;
};

struct wk_jobs *wk_jobs_new(struct wk_mem *m)
{
    return WK_NEW(m, struct wk_jobs);
}

static void job_free(struct wk_mem *m, struct wk_job *j)
{
    wk_val_unref(m, j->text);
    wk_val_unref(m, j->wd);
    for (uint32_t i = 0; i < j->nprocs; i++)
        wk_val_unref(m, j->procs[i].text);
    wk_free(m, j);
}

void wk_jobs_free(struct wk_jobs *js, struct wk_mem *m)
{
    if (!js)
        return;
    while (js->first) {
        struct wk_job *j = js->first;
        js->first = j->next;
        job_free(m, j);
    }
    wk_free(m, js->others);
    wk_free(m, js->ended);
    wk_free(m, js);
}

/* The list to look at. */
static struct wk_jobs *seen(const struct wk_shell *sh)
{
    return sh->now.jobs ? sh->now.jobs : sh->now.outer_jobs;
}

bool wk_jobs_are_inherited(const struct wk_shell *sh)
{
    return sh->now.jobs ? sh->now.jobs->inherited : sh->now.outer_jobs != NULL;
}

int wk_jobs_inherit(struct wk_shell *sh, const struct wk_shell *parent)
{
    const struct wk_jobs *from = seen(parent);
    if (!from || !from->first)
        return 0;
    struct wk_jobs *js = wk_jobs_new(sh->mem);
    if (!js)
        return -WK_ENOMEM;
    js->inherited = true;
    js->substituted = parent->now.is_substitution || from->substituted;
    js->current = from->current;
    js->previous = from->previous;
    struct wk_job **tail = &js->first;
    for (const struct wk_job *j = from->first; j; j = j->next) {
        size_t bytes = sizeof *j + j->nprocs * sizeof j->procs[0];
        struct wk_job *c = wk_alloc(sh->mem, bytes);
        if (!c) {
            wk_jobs_free(js, sh->mem);
            return -WK_ENOMEM;
        }
        wk_charge(sh->k, bytes);
        memcpy(c, j, bytes);
        c->next = NULL;
        if (c->text)
            wk_val_ref(c->text);
        if (c->wd)
            wk_val_ref(c->wd);
        for (uint32_t i = 0; i < c->nprocs; i++) {
            if (c->procs[i].text)
                wk_val_ref(c->procs[i].text);
        }
        *tail = c;
        tail = &c->next;
    }
    sh->now.jobs = js;
    return 0;
}

void wk_jobs_hide_outer(struct wk_shell *sh)
{
    if (sh->now.jobs && sh->now.jobs->inherited) {
        wk_jobs_free(sh->now.jobs, sh->mem);
        sh->now.jobs = NULL;
    }
    sh->now.outer_jobs = NULL;
}

/* A list of this process's own. */
static struct wk_jobs *own(struct wk_shell *sh)
{
    wk_jobs_hide_outer(sh);
    if (!sh->now.jobs)
        sh->now.jobs = wk_jobs_new(sh->mem);
    return sh->now.jobs;
}

/* ---- making and dropping --------------------------------------------------------------------- */

static struct wk_job *by_number(struct wk_jobs *js, uint32_t number)
{
    for (struct wk_job *j = js ? js->first : NULL; j; j = j->next) {
        if (j->number == number)
            return j;
    }
    return NULL;
}

/* The last job in a state before the one with that number. 0: none. */
static uint32_t last_in(const struct wk_jobs *js, enum wk_job_state state, uint32_t before)
{
    uint32_t last = 0;
    for (const struct wk_job *j = js->first; j && j->number < before; j = j->next) {
        if (j->state == state)
            last = j->number;
    }
    return last;
}

static bool is_in(struct wk_jobs *js, uint32_t number, enum wk_job_state state)
{
    const struct wk_job *j = by_number(js, number);
    return j && j->state == state;
}

/* The job becomes %+. %- is the one before it, if that is stopped; else the last one that is stopped, when this is,
 * or runs. */
static void make_current(struct wk_jobs *js, uint32_t number)
{
    if (js->current != number) {
        js->previous = js->current;
        js->current = number;
    }
    if (js->previous != number && is_in(js, js->previous, WK_JOB_STOPPED))
        return;
    uint32_t other = 0;
    if (is_in(js, number, WK_JOB_STOPPED))
        other = last_in(js, WK_JOB_STOPPED, number);
    if (!other)
        other = last_in(js, WK_JOB_RUNNING, is_in(js, number, WK_JOB_RUNNING) ? number : UINT32_MAX);
    js->previous = other ? other : number;
}

/* A job has come or gone: %+ stays when it is stopped, else a stopped one takes its place, or the last that runs. */
static void choose_current(struct wk_jobs *js)
{
    uint32_t n = is_in(js, js->current, WK_JOB_STOPPED)    ? js->current
                 : is_in(js, js->previous, WK_JOB_STOPPED) ? js->previous
                                                           : last_in(js, WK_JOB_STOPPED, UINT32_MAX);
    if (!n)
        n = last_in(js, WK_JOB_RUNNING, UINT32_MAX);
    if (n)
        make_current(js, n);
    else
        js->current = js->previous = 0;
}

/* Texts and directory of a new job. false: no memory. */
static bool describe(struct wk_shell *sh, struct wk_job *j, struct wk_str text, const struct wk_str *texts)
{
    j->text = wk_val_new(sh->mem, text);
    j->wd = sh->st->cwd ? wk_val_ref(sh->st->cwd) : NULL;
    bool ok = j->text != NULL;
    for (uint32_t i = 0; ok && texts && j->nprocs > 1 && i < j->nprocs; i++)
        ok = (j->procs[i].text = wk_val_new(sh->mem, texts[i])) != NULL;
    return ok;
}

int wk_job_add(struct wk_shell *sh, const uint32_t *pids, uint32_t n, struct wk_str text, const struct wk_str *texts)
{
    struct wk_jobs *js = own(sh);
    struct wk_job *j = js ? wk_alloc(sh->mem, sizeof *j + n * sizeof j->procs[0]) : NULL;
    if (!j)
        return -WK_ENOMEM;
    *j = (struct wk_job){.nprocs = n, .pipefail = wk_opt(sh, PIPEFAIL)};
    for (uint32_t i = 0; i < n; i++)
        j->procs[i] = (struct wk_job_proc){.pid = pids[i]};
    if (!describe(sh, j, text, texts)) {
        job_free(sh->mem, j);
        return -WK_ENOMEM;
    }
    struct wk_job **tail = &js->first;
    j->number = 1;
    for (; *tail; tail = &(*tail)->next)
        j->number = (*tail)->number + 1;
    *tail = j;
    choose_current(js);
    if (n)
        sh->now.last_bg_pid = pids[n - 1];
    return 0;
}

int wk_jobs_add_other(struct wk_shell *sh, uint32_t pid)
{
    struct wk_jobs *js = own(sh);
    if (!js ||
        !wk_vec_grow(sh->mem, &js->others, &js->cap_others, js->n_others + 1, sizeof *js->others))
        return -WK_ENOMEM;
    js->others[js->n_others++] = pid;
    sh->now.last_bg_pid = pid;
    return 0;
}

void wk_jobs_forget_pid(struct wk_shell *sh, uint32_t pid)
{
    struct ended *v = sh->now.jobs && !sh->now.jobs->inherited ? sh->now.jobs->ended : NULL;
    for (size_t i = 0; v && i < REMEMBERED && i < sh->now.jobs->ended_at; i++) {
        if (v[i].pid == pid)
            v[i].pid = 0;
    }
}

static void remember(struct wk_shell *sh, uint32_t pid, int status)
{
    struct wk_jobs *js = sh->now.jobs;
    if (!js->ended)
        js->ended = wk_calloc(sh->mem, REMEMBERED, sizeof *js->ended);
    if (!js->ended)
        return; /* forgotten then: `wait` says it is no child */
    js->ended[js->ended_at++ % REMEMBERED] = (struct ended){pid, status};
}

void wk_jobs_forget(struct wk_shell *sh)
{
    if (!sh->now.jobs || sh->now.jobs->inherited)
        return;
    wk_free(sh->mem, sh->now.jobs->ended);
    sh->now.jobs->ended = NULL;
    sh->now.jobs->ended_at = 0;
}

/* A process whose job is dropped: what it has ended with, or that it went well, and nobody waits for it. */
static void let_go(struct wk_shell *sh, const struct wk_job *job, uint32_t i)
{
    const struct wk_job_proc *jp = &job->procs[i];
    bool last = i + 1 == job->nprocs;
    if (jp->done || last)
        remember(sh, jp->pid, !jp->done ? 0 : last ? wk_job_status(job) : wk_exit_status(jp->exit));
    struct wk_proc *p = jp->done ? NULL : wk_proc_find(sh->k, jp->pid);
    if (!p || p->parent != sh->proc)
        return;
    if (p->state == WK_PROC_ZOMBIE)
        wk_proc_reap(p);
    else
        p->orphan = true;
}

void wk_job_remove(struct wk_shell *sh, struct wk_job *job)
{
    struct wk_jobs *js = sh->now.jobs;
    if (!js) /* a subshell's: the list is its parent's */
        return;
    for (struct wk_job **at = &js->first; *at; at = &(*at)->next) {
        if (*at != job)
            continue;
        *at = job->next;
        for (uint32_t i = 0; i < job->nprocs; i++)
            let_go(sh, job, i);
        bool marked = job->number == js->current || job->number == js->previous;
        job_free(sh->mem, job);
        if (marked)
            choose_current(js);
        return;
    }
}

/* ---- ends of children ------------------------------------------------------------------------ */

struct wk_exit wk_job_exit(const struct wk_job *job)
{
    struct wk_exit e = {0, 0};
    uint32_t i = job->nprocs;
    if (i)
        e = job->procs[i - 1].exit;
    while (job->pipefail && i-- > 0 && wk_exit_status(e) == 0)
        e = job->procs[i].exit;
    return e;
}

int wk_job_status(const struct wk_job *job)
{
    return wk_exit_status(wk_job_exit(job));
}

static struct wk_job *job_with(struct wk_jobs *js, uint32_t pid, struct wk_job_proc **proc)
{
    for (struct wk_job *j = js ? js->first : NULL; j; j = j->next) {
        for (uint32_t i = 0; i < j->nprocs; i++) {
            if (j->procs[i].pid == pid) {
                *proc = &j->procs[i];
                return j;
            }
        }
    }
    return NULL;
}

/* A child of ours is a zombie: note its end. false: it is nobody's here. */
static bool take_in(struct wk_shell *sh, struct wk_proc *p)
{
    if (WK_UNLIKELY(p->pid == sh->now.coproc.pid) && wk_coproc_waited(sh, p->pid) == -WK_ENOMEM)
        (void)wk_sh_nomem(sh);
    struct wk_job_proc *jp;
    struct wk_jobs *js = sh->now.jobs;
    struct wk_job *j = job_with(js, p->pid, &jp);
    if (j) {
        if (jp->done)
            return false;
        jp->done = true;
        jp->exit = p->exit;
        bool all = true;
        for (uint32_t i = 0; i < j->nprocs; i++)
            all = all && j->procs[i].done;
        if (all) {
            j->state = WK_JOB_DONE;
            j->notified = false;
        }
        wk_proc_reap(p);
        return true;
    }
    for (size_t i = 0; i < js->n_others; i++) {
        if (js->others[i] == p->pid) {
            js->others[i] = js->others[--js->n_others];
            remember(sh, p->pid, wk_exit_status(p->exit));
            wk_proc_reap(p);
            return true;
        }
    }
    return false;
}

static void note_stopped(struct wk_shell *sh, struct wk_jobs *js)
{
    for (struct wk_job *j = js->first; j; j = j->next) {
        if (j->state == WK_JOB_DONE)
            continue;
        bool stopped = false;
        for (uint32_t i = 0; i < j->nprocs; i++) {
            const struct wk_proc *p =
                j->procs[i].done ? NULL : wk_proc_find(sh->k, j->procs[i].pid);
            stopped = stopped || (p && p->state == WK_PROC_STOPPED);
        }
        bool stops = stopped && j->state != WK_JOB_STOPPED;
        j->state = stopped ? WK_JOB_STOPPED : WK_JOB_RUNNING;
        if (stops)
            make_current(js, j->number);
    }
}

static void poll_children(struct wk_shell *sh, bool late)
{
    struct wk_jobs *js = sh->now.jobs;
    if (!js || js->inherited || !sh->proc)
        return;
    for (struct wk_proc *p = sh->proc->first_child, *next; p; p = next) {
        struct wk_job_proc *jp;
        next = p->next_sibling;
        if (p->state != WK_PROC_ZOMBIE)
            continue;
        if (late && job_with(js, p->pid, &jp) && !jp->seen)
            jp->seen = true;
        else
            (void)take_in(sh, p);
    }
    note_stopped(sh, js);
}

void wk_jobs_poll(struct wk_shell *sh)
{
    poll_children(sh, false);
}

void wk_jobs_look(struct wk_shell *sh)
{
    if (sh->interactive)
        wk_jobs_poll(sh);
    else if (sh->now.jobs && !sh->now.jobs->inherited)
        note_stopped(sh, sh->now.jobs);
}

void wk_jobs_poll_late(struct wk_shell *sh)
{
    poll_children(sh, true);
}

/* What has ended is kept until `jobs' or `wait' was told; not without bound. */
enum { KEEP_ENDED = 1024 };

void wk_jobs_clean(struct wk_shell *sh)
{
    struct wk_jobs *js = sh->now.jobs;
    uint32_t ended = 0;
    if (!js)
        return;
    for (const struct wk_job *j = js->first; j; j = j->next)
        ended += j->state == WK_JOB_DONE;
    for (struct wk_job *j = js->first, *next; j; j = next) {
        next = j->next;
        if (j->state != WK_JOB_DONE || (!j->notified && ended <= KEEP_ENDED))
            continue;
        wk_job_remove(sh, j);
        ended--;
    }
}

int wk_jobs_view(struct wk_shell *sh)
{
    if (!sh->now.jobs && wk_jobs_inherit(sh, sh) != 0)
        return -WK_ENOMEM;
    if (!sh->now.jobs || !sh->now.jobs->inherited || !(sh->now.is_substitution || sh->now.jobs->substituted))
        return 0;
    for (struct wk_job *j = sh->now.jobs->first; j; j = j->next)
        j->notified |= j->procs[j->nprocs - 1].pid != sh->now.last_bg_pid;
    wk_jobs_clean(sh);
    return 0;
}

void wk_jobs_notify(struct wk_shell *sh)
{
    struct wk_jobs *js = sh->now.jobs;
    if (!js || js->inherited || sh->interactive)
        return;
    for (struct wk_job *j = js->first; j; j = j->next) {
        if (j->state != WK_JOB_DONE || j->notified || sh->now.is_substitution)
            continue;
        bool killed = wk_job_exit(j).signal != 0;
        if (killed || (sh->command_string && wk_opt(sh, MONITOR)))
            wk_report_job(sh, j);
        j->notified = killed || sh->command_string;
    }
    wk_jobs_clean(sh);
}

void wk_job_resumed(struct wk_shell *sh, struct wk_job *job)
{
    job->state = WK_JOB_RUNNING;
    choose_current(sh->now.jobs);
}

void wk_job_waited(struct wk_shell *sh, uint32_t number)
{
    wk_jobs_notify(sh);
    struct wk_job *j = sh->now.jobs && !sh->now.jobs->inherited ? by_number(sh->now.jobs, number) : NULL;
    if (j && j->state == WK_JOB_DONE)
        j->notified = true;
}

/* ---- finding --------------------------------------------------------------------------------- */

struct wk_job *wk_jobs_first(struct wk_shell *sh)
{
    struct wk_jobs *js = seen(sh);
    return js ? js->first : NULL;
}

struct wk_job *wk_jobs_current(struct wk_shell *sh)
{
    struct wk_jobs *js = seen(sh);
    return js ? by_number(js, js->current) : NULL;
}

struct wk_job *wk_jobs_previous(struct wk_shell *sh)
{
    struct wk_jobs *js = seen(sh);
    struct wk_job *j = js ? by_number(js, js->previous) : NULL;
    return j ? j : wk_jobs_current(sh);
}

struct wk_job *wk_job_of_pid(struct wk_shell *sh, uint32_t pid)
{
    struct wk_job_proc *jp;
    return job_with(seen(sh), pid, &jp);
}

static struct wk_job *by_text(struct wk_shell *sh, const char *who, struct wk_str text, bool anywhere,
                              bool *ambiguous)
{
    struct wk_job *found = NULL;
    for (struct wk_job *j = wk_jobs_first(sh); j; j = j->next) {
        struct wk_str t = j->text ? wk_val_str(j->text) : WK_STR("");
        if (anywhere ? wk_str_find(t, text) < 0 : !wk_str_starts(t, text))
            continue;
        if (found) {
            wk_sh_builtin_error(sh, who, "%s: ambiguous job spec", text.p);
            *ambiguous = true;
            return NULL;
        }
        found = j;
    }
    return found;
}

struct wk_job *wk_job_find(struct wk_shell *sh, const char *who, struct wk_str spec, bool *ambiguous)
{
    int64_t n;
    *ambiguous = false;
    if (spec.n == 0)
        return NULL;
    struct wk_str s = spec.p[0] == '%' ? wk_str_from(spec, 1) : spec;
    if (s.n == 0 || s.p[0] == '%' || s.p[0] == '+') /* whatever stands behind it */
        return wk_jobs_current(sh);
    if (s.p[0] == '-')
        return wk_jobs_previous(sh);
    if (wk_is_digit((unsigned char)s.p[0]) && wk_parse_i64(s, 10, &n) == 0)
        return n > 0 && n < UINT32_MAX && seen(sh) ? by_number(seen(sh), (uint32_t)n) : NULL;
    if (s.p[0] == '?')
        return by_text(sh, who, wk_str_from(s, 1), true, ambiguous);
    return by_text(sh, who, s, false, ambiguous);
}

int wk_jobs_status_of(struct wk_shell *sh, uint32_t pid)
{
    struct wk_jobs *js = sh->now.jobs;
    if (!js || js->inherited || !js->ended)
        return -1;
    for (size_t i = 0; i < REMEMBERED && i < js->ended_at; i++) {
        const struct ended *e = &js->ended[(js->ended_at - 1 - i) % REMEMBERED];
        if (e->pid == pid)
            return e->status;
    }
    return -1;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Park until some child changes. 0, -WK_ECHILD, -WK_EINTR (only when a trap or an end is due; in POSIX mode that of
 * CHLD counts, whichever child it is), -WK_ESTOP. */
static int await(struct wk_shell *sh, int64_t pid)
{
    bool told = wk_opt(sh, POSIX) && wk_trap_get(sh, WK_SIGCHLD) && sh->proc->sig_caught & WK_SIGBIT(WK_SIGCHLD);
    for (;;) {
        struct wk_proc *p = NULL;
        int r = wk_proc_wait(sh->task, sh->proc, told ? -1 : pid, 0, &p);
        if (r == 0 && p) {
            if (!take_in(sh, p))
                wk_proc_reap(p);
            sh->task->signal_check |= sh->proc->sig_pending != 0;
            return told ? -WK_EINTR : 0;
        }
        if (r != -WK_EINTR)
            return r;
        if (wk_traps_fatal(sh) || wk_traps_caught(sh))
            return -WK_EINTR;
        sh->task->signal_check = false;
    }
}

int wk_job_wait(struct wk_shell *sh, struct wk_job *job, int *status)
{
    int r = 0;
    for (uint32_t i = 0; i < job->nprocs && !r; i++) {
        while (!job->procs[i].done && !r)
            r = await(sh, job->procs[i].pid);
        if (r == -WK_ECHILD) {
            job->procs[i].done = true;
            r = 0;
        }
    }
    if (!r) {
        job->state = WK_JOB_DONE;
        *status = wk_job_status(job);
    }
    return r;
}

int wk_jobs_wait_pid(struct wk_shell *sh, uint32_t pid, int *status)
{
    if (!sh->now.jobs || sh->now.jobs->inherited)
        return -WK_ECHILD;
    struct wk_job_proc *jp;
    struct wk_job *j = job_with(sh->now.jobs, pid, &jp);
    if (j) {
        while (!jp->done) {
            int r = await(sh, pid);
            if (r)
                return r;
        }
        bool last = jp == &j->procs[j->nprocs - 1];
        if (last && j->state != WK_JOB_DONE) {
            int r = wk_job_wait(sh, j, status);
            if (r)
                return r;
        }
        *status = last ? wk_job_status(j) : wk_exit_status(jp->exit);
        return 0;
    }
    for (size_t i = 0; i < sh->now.jobs->n_others; i++) {
        if (sh->now.jobs->others[i] == pid) {
            int r = await(sh, pid);
            if (r)
                return r;
            break;
        }
    }
    *status = wk_jobs_status_of(sh, pid);
    return *status < 0 ? -WK_ECHILD : 0;
}

static bool wanted(const struct wk_job *j, const uint32_t *pids, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < j->nprocs; k++) {
            if (j->procs[k].pid == pids[i])
                return true;
        }
    }
    return n == 0;
}

int wk_jobs_wait_any(struct wk_shell *sh, const uint32_t *pids, size_t n, uint32_t *pid,
                     int *status)
{
    for (;;) {
        bool running = false;
        if (!sh->now.jobs || sh->now.jobs->inherited)
            return -WK_ECHILD;
        wk_jobs_poll(sh);
        for (struct wk_job *j = sh->now.jobs->first; j; j = j->next) {
            if (!wanted(j, pids, n) || (j->state == WK_JOB_DONE && j->notified))
                continue;
            if (j->state == WK_JOB_DONE) {
                uint32_t number = j->number;
                *pid = j->procs[j->nprocs - 1].pid;
                *status = wk_job_status(j);
                wk_jobs_notify(sh);
                if ((j = by_number(sh->now.jobs, number)) != NULL)
                    wk_job_remove(sh, j);
                return 0;
            }
            running = true;
        }
        if (!running)
            return -WK_ECHILD;
        int r = await(sh, -1);
        if (r)
            return r;
    }
}
