/* jobctl.c - jobs, wait, fg, bg, disown, suspend
 *
 * Standard: POSIX XCU jobs, wait; bash 7.2. Oracle: bash 5.2.
 */
#include "interp/coproc.h"
#include "interp/eval.h"
#include "interp/job_report.h"
#include "interp/run.h"
#include "interp/trap.h"
#include "interp/vars.h"

#include "base/num.h"

extern const struct wk_builtin wk_builtin_jobs, wk_builtin_wait, wk_builtin_fg, wk_builtin_bg,
    wk_builtin_disown, wk_builtin_suspend;

/* The jobs of a shell around this one can only be listed. Twice: an ambiguous name is told of once more. */
static struct wk_job *find(struct wk_shell *sh, const char *who, struct wk_str spec, bool twice)
{
    bool ambiguous = false, listed = wk_str_is(wk_str_c(who), "jobs");
    struct wk_job *j = listed || !wk_jobs_are_inherited(sh) ? wk_job_find(sh, who, spec, &ambiguous) : NULL;
    if (!j && (!ambiguous || twice || listed))
        wk_sh_builtin_error(sh, who, "%s: no such job", spec.p);
    return j;
}

static struct wk_job *find_job(struct wk_shell *sh, const char *who, struct wk_str spec)
{
    return find(sh, who, spec, false);
}

/* The same for what names processes by their numbers, too. */
static struct wk_job *find_process(struct wk_shell *sh, const char *who, struct wk_str spec)
{
    int64_t n;
    if (!spec.n || wk_parse_blanked(spec, &n) != 0)
        return find(sh, who, spec, true);
    struct wk_job *j = n > 0 && n < UINT32_MAX && !wk_jobs_are_inherited(sh) ? wk_job_of_pid(sh, (uint32_t)n) : NULL;
    if (!j)
        wk_sh_builtin_error(sh, who, "%s: no such job", spec.p);
    return j;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

enum { LIST_LONG = 1, LIST_PIDS = 2, LIST_NEW = 4, LIST_RUNNING = 8, LIST_STOPPED = 16 };
/* Of each the last option counts. */
enum { LIST_FORM = LIST_LONG | LIST_PIDS | LIST_NEW, LIST_STATE = LIST_RUNNING | LIST_STOPPED };

static void put_job(struct wk_shell *sh, struct wk_buf *b, struct wk_job *j, int flags)
{
    if (flags & LIST_PIDS) {
        wk_buf_fmt(b, "%u\n", j->procs[0].pid);
        return;
    }
    wk_job_put(sh, b, j, (flags & LIST_LONG) != 0);
    if (!wk_jobs_are_inherited(sh))
        j->notified = true;
}

static bool selected(const struct wk_job *j, int flags)
{
    if (flags & LIST_RUNNING)
        return j->state == WK_JOB_RUNNING;
    if (flags & LIST_STOPPED)
        return j->state == WK_JOB_STOPPED;
    return !((flags & LIST_NEW) && j->notified);
}

/* jobs -x: %specs of the command become process numbers. */
static enum wk_flow run_with_pids(struct wk_shell *sh, const struct wk_args *a, size_t at)
{
    for (size_t i = at; i < a->n; i++) {
        bool ambiguous;
        struct wk_job *j =
            a->v[i].n && a->v[i].p[0] == '%' && !wk_jobs_are_inherited(sh)
                ? wk_job_find(sh, "jobs", a->v[i], &ambiguous)
                : NULL;
        if (!j)
            continue;
        char digits[WK_NUM_MAX];
        size_t n = wk_fmt_u64(digits, j->procs[0].pid, 10);
        char *p = wk_arena_strndup(&sh->arena, digits, n);
        if (!p)
            return wk_sh_nomem(sh);
        a->v[i] = wk_str(p, n);
    }
    return at < a->n ? wk_run_words(sh, a->v + at, a->n - at, 0) : wk_status(sh, 0);
}

static enum wk_flow list_jobs(struct wk_shell *sh, const struct wk_args *a, size_t at, int flags)
{
    struct wk_bout o;
    bool named = at < a->n;
    wk_jobs_look(sh);
    if (wk_jobs_view(sh) != 0)
        return wk_sh_nomem(sh);
    if (!named)
        wk_jobs_clean(sh);
    wk_bout_init(&o, sh, NULL);
    sh->status = 0;
    for (struct wk_job *j = wk_jobs_first(sh); !named && j; j = j->next) {
        if (selected(j, flags))
            put_job(sh, &o.buf, j, flags);
    }
    for (; at < a->n; at++) {
        struct wk_job *j = find_job(sh, "jobs", a->v[at]);
        if (j)
            put_job(sh, &o.buf, j, flags);
        else
            sh->status = 1;
        wk_jobs_clean(sh);
    }
    enum wk_flow flow = wk_bout_finish(&o);
    if (sh->interactive)
        wk_jobs_clean(sh);
    return flow;
}

static enum wk_flow jobs_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_jobs, .a = a, .spec = "lpnxrs"};
    int flags = 0;
    bool execute = false;
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        switch (c) {
        case 'l':
            flags = (flags & ~LIST_FORM) | LIST_LONG;
            break;
        case 'p':
            flags = (flags & ~LIST_FORM) | LIST_PIDS;
            break;
        case 'n':
            flags = (flags & ~LIST_FORM) | LIST_NEW;
            break;
        case 'r':
            flags = (flags & ~LIST_STATE) | LIST_RUNNING;
            break;
        case 's':
            flags = (flags & ~LIST_STATE) | LIST_STOPPED;
            break;
        case 'x':
            if (flags & LIST_FORM) {
                wk_sh_builtin_error(sh, "jobs", "no other options allowed with `-x'");
                return wk_status(sh, 1);
            }
            execute = true;
            break;
        default:
            return wk_status(sh, 2);
        }
    }
    size_t at = g.at ? g.at : 1;
    return execute ? run_with_pids(sh, a, at) : list_jobs(sh, a, at, flags);
}

/* ---- wait ------------------------------------------------------------------------------------ */

/* A wait was interrupted: the trap runs, and the status is that of the signal. */
static enum wk_flow interrupted(struct wk_shell *sh)
{
    int sig = 0;
    for (int s = 1; s < WK_NSIG && !sig; s++) {
        if (sh->proc->sig_pending & sh->proc->sig_caught & WK_SIGBIT(s))
            sig = s;
    }
    sh->status = 128 + sig; /* also for a `return' in the trap */
    enum wk_flow flow = wk_traps_pending(sh);
    if (flow == WK_NEXT)
        sh->status = 128 + sig;
    return flow;
}

/* What an error of waiting means; *handled false: ECHILD is the caller's. */
static enum wk_flow wait_failed(struct wk_shell *sh, int e, bool *handled)
{
    *handled = true;
    if (e == -WK_EINTR)
        return interrupted(sh);
    if (e == -WK_ECHILD) {
        *handled = false;
        return WK_NEXT;
    }
    return wk_sh_fail(sh, e);
}

/* The first job that has not ended. */
static struct wk_job *first_alive(struct wk_shell *sh)
{
    struct wk_job *j = sh->now.jobs && !wk_jobs_are_inherited(sh) ? wk_jobs_first(sh) : NULL;
    while (j && j->state == WK_JOB_DONE)
        j = j->next;
    return j;
}

/* Of jobs that had ended before, the one that was started last stays. */
static enum wk_flow wait_all(struct wk_shell *sh)
{
    struct wk_job *j;
    uint32_t last = sh->now.last_bg_pid;
    bool waited = false, handled;
    int status;
    wk_jobs_look(sh);
    while ((j = first_alive(sh)) != NULL) {
        waited = j->procs[j->nprocs - 1].pid == last;
        int e = wk_job_wait(sh, j, &status);
        if (e && e != -WK_ECHILD)
            return wait_failed(sh, e, &handled);
        wk_jobs_poll(sh); /* others have ended meanwhile */
        wk_jobs_notify(sh);
    }
    for (j = wk_jobs_first(sh); j; j = j->next)
        j->notified |= waited || j->procs[j->nprocs - 1].pid != last;
    wk_jobs_clean(sh);
    if (last && sh->now.jobs && !wk_jobs_are_inherited(sh) && !wk_job_of_pid(sh, last)) {
        int e = wk_jobs_wait_pid(sh, last, &status);
        if (e && e != -WK_ECHILD)
            return wait_failed(sh, e, &handled);
    }
    wk_jobs_forget(sh);
    return wk_coproc_waited(sh, 0) == -WK_ENOMEM ? wk_sh_nomem(sh) : wk_status(sh, 0);
}

/* In POSIX mode what was waited for by its number is forgotten. */
static void forget_waited(struct wk_shell *sh, uint32_t number, uint32_t pid)
{
    struct wk_job *j = wk_jobs_are_inherited(sh) ? NULL : wk_job_of_pid(sh, pid);
    wk_job_waited(sh, number);
    if (!j || !wk_opt(sh, POSIX))
        return;
    wk_jobs_clean(sh);
    wk_jobs_forget_pid(sh, pid);
}

/* *more false: a trap has interrupted it, or it is a number that can be no process; nothing behind it is waited for. */
static enum wk_flow wait_one(struct wk_shell *sh, struct wk_str id, uint32_t *pid, bool *more)
{
    int64_t n;
    int status = 127, e;
    bool handled;
    *pid = 0;
    if (id.n && id.p[0] == '%') {
        struct wk_job *j = find_job(sh, "wait", id);
        if (!j)
            return wk_status(sh, 127);
        *pid = j->procs[j->nprocs - 1].pid;
        e = wk_job_wait(sh, j, &status);
        if (!e)
            wk_job_waited(sh, j->number);
    } else if (id.n && wk_is_digit((unsigned char)id.p[0]) && wk_parse_blanked(id, &n) == 0 && n <= INT32_MAX) {
        e = n > 0 ? wk_jobs_wait_pid(sh, (uint32_t)n, &status) : -WK_ECHILD;
        *pid = (uint32_t)n;
        struct wk_job *j = e || wk_jobs_are_inherited(sh) ? NULL : wk_job_of_pid(sh, (uint32_t)n);
        if (j)
            forget_waited(sh, j->number, (uint32_t)n);
        if (e == -WK_ECHILD)
            wk_sh_builtin_error(sh, "wait", "pid %lld is not a child of this shell", (long long)n);
    } else {
        wk_sh_builtin_error(sh, "wait", "`%s': not a pid or valid job spec", id.p);
        *more = !id.n || !wk_is_digit((unsigned char)id.p[0]);
        return wk_status(sh, 1);
    }
    if (e) {
        enum wk_flow flow = wait_failed(sh, e, &handled);
        *pid = 0;
        *more = !handled;
        return handled ? flow : wk_status(sh, 127);
    }
    return wk_coproc_waited(sh, *pid) == -WK_ENOMEM ? wk_sh_nomem(sh) : wk_status(sh, status);
}

static enum wk_flow wait_any(struct wk_shell *sh, const struct wk_args *a, size_t at, uint32_t *pid)
{
    size_t n = 0;
    int status = 127;
    uint32_t *pids = wk_arena_alloc(&sh->arena, (a->n + 1) * sizeof *pids);
    bool named = at < a->n, handled;
    if (!pids)
        return wk_sh_nomem(sh);
    for (; at < a->n; at++) {
        struct wk_job *j = find_process(sh, "wait", a->v[at]);
        if (j)
            pids[n++] = j->procs[j->nprocs - 1].pid;
    }
    int e = named && !n ? -WK_ECHILD : wk_jobs_wait_any(sh, pids, n, pid, &status);
    if (e) {
        enum wk_flow flow = wait_failed(sh, e, &handled);
        if (handled)
            return flow;
        *pid = 0;
        return wk_status(sh, 127);
    }
    return wk_coproc_waited(sh, *pid) == -WK_ENOMEM ? wk_sh_nomem(sh) : wk_status(sh, status);
}

/* The variable that -p names is unset at first; an element stays. *fits false: it cannot be. */
static enum wk_flow clear_target(struct wk_shell *sh, struct wk_str var, bool *fits)
{
    struct wk_str name, sub;
    if (!wk_var_split_target(var, &name, &sub)) {
        wk_sh_builtin_error(sh, "wait", "`%s': not a valid identifier", var.p);
        *fits = false;
        return WK_NEXT;
    }
    if (sub.p)
        return WK_NEXT;
    uint32_t id = wk_names_find(sh->names, var);
    const struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_peek(sh, id);
    bool itself = v && v->flags & WK_VAR_NAMEREF;
    if (itself && wk_var_resolve(sh, &id, &sub) == 0 && !sub.p) { /* or the variable that it refers to */
        v = wk_var_peek(sh, id);
        itself = !v || !(v->flags & (WK_VAR_SET | WK_VAR_DECLARED | WK_VAR_DYNAMIC));
    }
    int e = wk_var_unset_named(sh, var, itself);
    *fits = !e;
    return e && e != -WK_EPERM ? wk_sh_fail(sh, e) : WK_NEXT;
}

static enum wk_flow wait_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_wait, .a = a, .spec = "fnp:"};
    bool any = false;
    struct wk_str var = {NULL, 0};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c == 'n')
            any = true;
        else if (c == 'p')
            var = g.arg;
        else if (c != 'f')
            return wk_status(sh, 2);
    }
    size_t at = g.at ? g.at : 1;
    uint32_t pid = 0;
    bool fits = true;
    enum wk_flow flow = WK_NEXT;
    if (var.p && (flow = clear_target(sh, var, &fits)) != WK_NEXT)
        return flow;
    if (!fits)
        return wk_status(sh, 1);
    if (any) {
        flow = wait_any(sh, a, at, &pid);
    } else if (at >= a->n) {
        return wait_all(sh);
    } else {
        wk_jobs_look(sh);
        for (bool more = true; at < a->n && more && flow == WK_NEXT; at++)
            flow = wait_one(sh, a->v[at], &pid, &more);
    }
    if (flow == WK_NEXT && var.p && pid) {
        char digits[WK_NUM_MAX];
        int e = wk_var_set_named(sh, "wait", var, wk_str(digits, wk_fmt_u64(digits, pid, 10)));
        if (e && e != -WK_EPERM)
            return wk_sh_fail(sh, e);
    }
    return flow;
}

/* ---- fg, bg, disown, suspend ----------------------------------------------------------------- */

static bool controls_jobs(const struct wk_shell *sh)
{
    return wk_opt(sh, MONITOR) && sh->st->monitor_depth == sh->st->subshell_depth && !wk_jobs_are_inherited(sh);
}

static enum wk_flow no_job_control(struct wk_shell *sh, const char *who)
{
    wk_sh_builtin_error(sh, who, "no job control");
    return wk_status(sh, 1);
}

static void go_on(struct wk_shell *sh, const struct wk_job *j)
{
    for (uint32_t i = 0; i < j->nprocs; i++) {
        if (!j->procs[i].done)
            (void)wk_kill(sh->k, sh->proc, j->procs[i].pid, WK_SIGCONT);
    }
}

static struct wk_job *job_argument(struct wk_shell *sh, const char *who, const struct wk_args *a,
                                   size_t at)
{
    wk_jobs_look(sh);
    if (at < a->n)
        return *who == 'd' ? find_process(sh, who, a->v[at]) : find_job(sh, who, a->v[at]);
    struct wk_job *j = wk_jobs_are_inherited(sh) ? NULL : wk_jobs_current(sh);
    if (!j)
        wk_sh_builtin_error(sh, who, "current: no such job");
    return j;
}

static bool has_ended(struct wk_shell *sh, const char *who, const struct wk_job *j)
{
    if (j->state == WK_JOB_DONE)
        wk_sh_builtin_error(sh, who, "job has terminated");
    return j->state == WK_JOB_DONE;
}

static enum wk_flow fg_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_fg, .a = a, .spec = ""};
    bool help = a->n > 1 && wk_str_is(a->v[1], "--help");
    if (!controls_jobs(sh) && !help) /* whatever else is wrong */
        return no_job_control(sh, "fg");
    if (wk_getopt_next(sh, &g) != 0)
        return wk_status(sh, 2);
    struct wk_job *j = job_argument(sh, "fg", a, g.at ? g.at : 1);
    if (!j || has_ended(sh, "fg", j))
        return wk_status(sh, 1);
    struct wk_bout o;
    wk_bout_init(&o, sh, "fg");
    wk_buf_puts(&o.buf, j->text ? wk_val_str(j->text) : WK_STR(""));
    wk_buf_putc(&o.buf, '\n');
    enum wk_flow flow = wk_bout_finish(&o);
    if (flow != WK_NEXT)
        return flow;
    int status;
    bool handled;
    go_on(sh, j);
    int e = wk_job_wait(sh, j, &status);
    while (e == -WK_EINTR && !wk_traps_caught(sh) && !wk_traps_fatal(sh))
        e = wk_job_wait(sh, j, &status);
    if (e) {
        flow = wait_failed(sh, e, &handled);
        return handled ? flow : wk_status(sh, 127);
    }
    struct wk_exit x = wk_job_exit(j);
    struct wk_ended one = {j->procs[0].pid, x, j->text ? wk_val_str(j->text) : WK_STR("")};
    wk_report_ended(sh, &one, 1, x);
    wk_job_remove(sh, j);
    return wk_status(sh, status);
}

static enum wk_flow bg_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_bg, .a = a, .spec = ""};
    bool help = a->n > 1 && wk_str_is(a->v[1], "--help");
    if (!controls_jobs(sh) && !help) /* whatever else is wrong */
        return no_job_control(sh, "bg");
    if (wk_getopt_next(sh, &g) != 0)
        return wk_status(sh, 2);
    size_t at = g.at ? g.at : 1;
    struct wk_bout o;
    wk_bout_init(&o, sh, "bg");
    sh->status = 0;
    do {
        struct wk_job *j = job_argument(sh, "bg", a, at);
        if (!j || has_ended(sh, "bg", j)) {
            sh->status = 1;
        } else if (j->state == WK_JOB_RUNNING) {
            wk_sh_builtin_error(sh, "bg", "job %u already in background", j->number);
        } else {
            wk_buf_fmt(&o.buf, "[%u]+ %s &\n", j->number, j->text ? j->text->p : "");
            go_on(sh, j);
            wk_job_resumed(sh, j);
        }
    } while (++at < a->n);
    return wk_bout_finish(&o);
}

static enum wk_flow disown_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_disown, .a = a, .spec = "ahr"};
    bool all = false, keep = false, running = false;
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c == 'a')
            all = true;
        else if (c == 'h')
            keep = true;
        else if (c == 'r')
            running = true;
        else
            return wk_status(sh, 2);
    }
    size_t at = g.at ? g.at : 1;
    sh->status = 0;
    if (wk_jobs_are_inherited(sh) && at >= a->n && (all || running))
        return WK_NEXT;
    if (at >= a->n && (all || running)) {
        for (struct wk_job *j = wk_jobs_first(sh), *next; j; j = next) {
            next = j->next;
            if (running && j->state != WK_JOB_RUNNING)
                continue;
            j->nohup = true;
            uint32_t last_pid = j->procs[j->nprocs - 1].pid;
            if (keep)
                continue;
            wk_job_remove(sh, j);
            wk_jobs_forget_pid(sh, last_pid); /* those that were not named are not known any more */
        }
        return WK_NEXT;
    }
    do {
        struct wk_job *j = job_argument(sh, "disown", a, at);
        if (!j) {
            sh->status = 1;
            continue;
        }
        j->nohup = true;
        if (!keep)
            wk_job_remove(sh, j);
    } while (++at < a->n);
    return WK_NEXT;
}

static enum wk_flow suspend_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_suspend, .a = a, .spec = "f"};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c != 'f')
            return wk_status(sh, 2);
    }
    if ((g.at ? g.at : 1) < a->n)
        return wk_sh_too_many(sh, "suspend");
    wk_sh_builtin_error(sh, "suspend", "cannot suspend: no job control");
    return wk_status(sh, 1);
}

WK_BUILTIN(jobs, .usage = "jobs [-lnprs] [jobspec ...] or jobs -x command [args]",
           .summary = "Display status of jobs.",
           .help =
               "  -l   process numbers as well\n  -n   only jobs whose state changed since it was "
               "last told\n"
               "  -p   only process numbers\n  -r   only running jobs\n  -s   only stopped jobs\n"
               "  -x   run COMMAND with job specifications replaced by process numbers",
           .run = jobs_run);

WK_BUILTIN(wait, .usage = "wait [-fn] [-p var] [id ...]",
           .summary = "Wait for job completion and return exit status.",
           .help = "Waits for the processes or jobs named, or for all.\n\n"
                   "  -n       wait for the next one that ends, and return its status\n"
                   "  -p var   put the process number of the one whose status is returned in VAR\n"
                   "  -f       wait until it has ended and not only changed state\n\n"
                   "Status of the last ID; 127 when it is none of this shell's.",
           .flags = WK_BUILTIN_POSIX, .run = wait_run);

WK_BUILTIN(fg, .usage = "fg [job_spec]", .summary = "Move job to the foreground.",
           .help = "Continues a job and waits for it.", .flags = WK_BUILTIN_POSIX, .run = fg_run);

WK_BUILTIN(bg, .usage = "bg [job_spec ...]", .summary = "Move jobs to the background.",
           .help = "Continues stopped jobs.", .flags = WK_BUILTIN_POSIX, .run = bg_run);

WK_BUILTIN(disown, .usage = "disown [-h] [-ar] [jobspec ... | pid ...]",
           .summary = "Remove jobs from current shell.",
           .help = "  -a   all jobs\n  -h   keep them in the list, but send them no HUP\n  -r   "
                   "running jobs only",
           .run = disown_run);

WK_BUILTIN(suspend, .usage = "suspend [-f]", .summary = "Suspend shell execution.",
           .help = "There is no terminal to give control back to, so this always fails.",
           .run = suspend_run);
