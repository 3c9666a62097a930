/* kill.c - kill: send a signal to processes and jobs
 *
 * Standard: POSIX XCU kill; bash 7.2. Oracle: bash 5.2.
 */
#include "builtins/shell/signals.h"
#include "interp/builtin.h"
#include "interp/jobs.h"
#include "interp/trap.h"

#include "base/num.h"

extern const struct wk_builtin wk_builtin_kill;

enum wk_flow wk_list_signals(struct wk_shell *sh, const char *builtin)
{
    struct wk_bout o;
    unsigned column = 0;
    bool names = !builtin && wk_opt(sh, POSIX); /* of kill: nothing else, in one line */
    wk_bout_init(&o, sh, builtin);
    for (int sig = 1; sig < WK_NSIG; sig++) {
        const char *name = wk_sig_name(sig);
        if (!name)
            continue;
        if (names) {
            wk_buf_fmt(&o.buf, "%s%s", o.buf.n ? " " : "", name);
            continue;
        }
        wk_buf_fmt(&o.buf, "%2d) SIG%s", sig, name);
        wk_buf_putc(&o.buf, ++column % 5 ? '\t' : '\n');
    }
    if ((names || column % 5) && o.buf.n)
        wk_buf_putc(&o.buf, '\n');
    sh->status = 0;
    return wk_bout_finish(&o);
}

/* A name as trap has it; in POSIX mode without SIG. -1: none. */
static int signal_named(const struct wk_shell *sh, struct wk_str s)
{
    int sig = wk_trap_parse(s);
    bool prefixed = sig > 0 && sig < WK_NSIG && s.n > 3 && wk_to_upper((unsigned char)s.p[0]) == 'S' &&
                    wk_to_upper((unsigned char)s.p[1]) == 'I' && wk_to_upper((unsigned char)s.p[2]) == 'G';
    return prefixed && wk_opt(sh, POSIX) ? -1 : sig;
}

/* kill -l NAME-OR-NUMBER… */
static enum wk_flow list_some(struct wk_shell *sh, const struct wk_args *a, size_t at)
{
    struct wk_bout o;
    wk_bout_init(&o, sh, NULL);
    sh->status = 0;
    for (; at < a->n; at++) {
        int64_t n;
        struct wk_str s = a->v[at];
        if (s.n && wk_parse_blanked(s, &n) == 0) {
            int64_t sig = n > 128 ? n - 128 : n;
            const char *name = sig > 0 && sig < WK_NSIG ? wk_sig_name((int)sig)
                               : n == 0                 ? "EXIT"
                                                        : NULL;
            if (name)
                wk_buf_fmt(&o.buf, "%s\n", name);
            if (name || (sig > 0 && sig < WK_NSIG)) /* those without a name show nothing */
                continue;
        } else {
            int sig = signal_named(sh, s);
            if (sig >= 0) {
                wk_buf_fmt(&o.buf, "%d\n", sig);
                continue;
            }
        }
        wk_sh_builtin_error(sh, "kill", "%s: invalid signal specification", s.p);
        sh->status = 1;
    }
    return wk_bout_finish(&o);
}

static bool take_signal(struct wk_shell *sh, struct wk_str s, int *sig)
{
    *sig = signal_named(sh, s);
    if (*sig >= 0) /* DEBUG and its kin are found out where they are sent */
        return true;
    wk_sh_builtin_error(sh, "kill", "%s: invalid signal specification", s.p);
    sh->status = 1;
    return false;
}

/* What a signal that was refused is told with. spec: how it was named. */
static bool refused(struct wk_shell *sh, int64_t pid, struct wk_str spec, int e)
{
    if (e == -WK_EINVAL)
        wk_sh_builtin_error(sh, "kill", "%s: invalid signal specification", spec.p);
    else
        wk_sh_builtin_error(sh, "kill", "(%lld) - %s", (long long)pid, wk_err_text(e));
    return false;
}

/* Under job control a job is a process group, which may be gone. */
static bool send_to_job(struct wk_shell *sh, struct wk_str target, int sig, struct wk_str spec)
{
    bool ambiguous = false;
    wk_jobs_look(sh);
    struct wk_job *j = wk_jobs_are_inherited(sh) ? NULL : wk_job_find(sh, "kill", target, &ambiguous);
    if (!j) {
        if (!ambiguous)
            wk_sh_builtin_error(sh, "kill", "%s: no such job", target.p);
        return false;
    }
    int e = -WK_ESRCH;
    j->notified = false; /* what becomes of it is news */
    for (uint32_t i = 0; i < j->nprocs; i++) {
        if (!j->procs[i].done)
            e = wk_kill(sh->k, sh->proc, j->procs[i].pid, sig);
    }
    return e == 0 || !wk_opt(sh, MONITOR) || refused(sh, j->procs[0].pid, spec, e);
}

static bool send(struct wk_shell *sh, struct wk_str target, int sig, struct wk_str spec)
{
    int64_t pid;
    if (target.n && target.p[0] == '%')
        return send_to_job(sh, target, sig, spec);
    if (wk_parse_blanked(target, &pid) != 0) {
        wk_sh_builtin_error(sh, "kill", target.n ? "%s: arguments must be process or job IDs"
                                                 : "`%s': not a pid or valid job spec", target.p);
        return false;
    }
    int e = wk_kill(sh->k, sh->proc, pid, sig);
    if (e == -WK_EINVAL && pid > 0 && (pid > UINT32_MAX || !wk_proc_find(sh->k, (uint32_t)pid)))
        e = -WK_ESRCH;
    return e == 0 || refused(sh, pid, spec, e);
}

struct kill_options {
    size_t at; /* the first operand */
    bool list, has_spec;
    struct wk_str spec;
};

/* Options as kill has them; one signal is taken with its dash, behind it a word with a dash is an operand. Without an
 * argument that -s and -n need: false, status set. */
static bool parse_options(struct wk_shell *sh, const struct wk_args *a, struct kill_options *o)
{
    for (o->at = 1; o->at < a->n; o->at++) {
        struct wk_str s = a->v[o->at];
        if (wk_str_is(s, "-l") || wk_str_is(s, "-L")) {
            o->list = true;
        } else if (wk_str_is(s, "-s") || wk_str_is(s, "-n")) {
            if (o->at + 1 >= a->n) {
                wk_sh_builtin_error(sh, "kill", "%s: option requires an argument", s.p);
                sh->status = 1;
                return false;
            }
            o->spec = a->v[++o->at];
            o->has_spec = true;
        } else if (wk_str_is(s, "--")) {
            o->at++;
            break;
        } else if (s.n && s.p[0] == '-' && !o->has_spec) {
            bool letter = s.n > 1 && (s.p[1] == 's' || s.p[1] == 'n');
            o->spec = wk_str_from(s, letter ? 2 : 1);
            o->has_spec = true;
        } else {
            break;
        }
    }
    return true;
}

static enum wk_flow kill_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct kill_options o = {0};
    int sig = WK_SIGTERM;
    if (a->n == 1)
        return wk_builtin_usage(sh, &wk_builtin_kill);
    if (wk_str_is(a->v[1], "--help")) {
        struct wk_getopt g = {.b = &wk_builtin_kill, .a = a, .spec = ""};
        (void)wk_getopt_next(sh, &g);
        return WK_NEXT;
    }
    if (!parse_options(sh, a, &o))
        return WK_NEXT;
    size_t at = o.at;
    if (o.list)
        return at < a->n ? list_some(sh, a, at) : wk_list_signals(sh, NULL);
    if (o.has_spec && !take_signal(sh, o.spec, &sig))
        return WK_NEXT;
    if (at >= a->n) {
        (void)wk_builtin_usage(sh, &wk_builtin_kill);
        return wk_status(sh, 2);
    }
    bool ok = false;
    for (; at < a->n; at++) {
        ok = send(sh, a->v[at], sig, o.spec) || ok;
        if (sh->task->stop != WK_STOP_NONE)
            return WK_STOP;
    }
    return wk_status(sh, ok ? 0 : 1);
}

WK_BUILTIN(
    kill,
    .usage = "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]",
    .summary = "Send a signal to a job.",
    .help = "Sends SIGSPEC, by default TERM, to the processes or jobs named.\n\n"
            "  -s sig   the signal by name\n"
            "  -n sig   the signal by number\n"
            "  -l       list signals; a number after it gives the name, a name the number\n"
            "  -L       the same as -l",
    .flags = WK_BUILTIN_LEAF, .run = kill_run);
