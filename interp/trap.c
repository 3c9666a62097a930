/* trap.c - traps: their table, inheritance, and running them */
#include "interp/trap.h"
#include "interp/run.h"
#include "interp/vars.h"

#include "base/num.h"

struct wk_traps {
    uint32_t refs;
    struct wk_traps *shown; /* what `trap -p` shows in a subshell that has not used trap yet */
    struct wk_val *text[WK_TRAP_COUNT];
};

enum { HIDE_DEBUG = 1, HIDE_ERR = 2, HIDE_RETURN = 4, RUNS_EXIT = 8 };

static unsigned pseudo_bit(int which)
{
    return which == WK_TRAP_DEBUG    ? HIDE_DEBUG
           : which == WK_TRAP_ERR    ? HIDE_ERR
           : which == WK_TRAP_RETURN ? HIDE_RETURN
                                     : 0u;
}

void wk_traps_unref(struct wk_mem *m, struct wk_traps *t)
{
    while (t && --t->refs == 0) {
        struct wk_traps *shown = t->shown;
        for (int i = 0; i < WK_TRAP_COUNT; i++)
            wk_val_unref(m, t->text[i]);
        wk_free(m, t);
        t = shown;
    }
}

const struct wk_val *wk_trap_get(const struct wk_shell *sh, int which)
{
    const struct wk_traps *t = sh->st->traps;
    if (!t || (sh->now.traps_hidden & pseudo_bit(which)))
        return NULL;
    return t->text[which];
}

bool wk_trap_would_run(const struct wk_shell *sh, int which)
{
    const struct wk_val *text = wk_trap_get(sh, which);
    return text && text->n && !(sh->now.traps_running & pseudo_bit(which));
}

const struct wk_val *wk_trap_shown(const struct wk_shell *sh, int which)
{
    const struct wk_traps *t = sh->st->traps;
    bool hidden = t && !t->shown && (sh->now.traps_hidden & pseudo_bit(which));
    if (!t || (hidden && t->text[which] && t->text[which]->n)) /* one that is ignored is so in functions, too */
        return NULL;
    if (which == WK_SIGINT && (sh->async_ignores & WK_SIGBIT(which)))
        return t->text[which];
    return t->shown ? t->shown->text[which] : t->text[which];
}

/* A table of our own; `shown` is given up. NULL: no memory. */
static struct wk_traps *table_own(struct wk_shell *sh)
{
    struct wk_traps *old = sh->st->traps;
    if (old && old->refs == 1 && !old->shown)
        return old;
    struct wk_traps *t = WK_NEW(sh->mem, struct wk_traps);
    if (!t)
        return NULL;
    t->refs = 1;
    for (int i = 0; old && i < WK_TRAP_COUNT; i++)
        t->text[i] = old->text[i] ? wk_val_ref(old->text[i]) : NULL;
    wk_traps_unref(sh->mem, old);
    sh->st->traps = t;
    return t;
}

/* Its trap is kept, and nothing more. */
static bool cannot_be_caught(int sig)
{
    return sig == WK_SIGKILL || sig == WK_SIGSTOP || wk_sig_is_nameless(sig);
}

/* Tell the kernel what this process does with a signal. */
static void dispose(struct wk_shell *sh, int sig, const struct wk_val *text)
{
    if (sig < 1 || sig >= WK_NSIG || cannot_be_caught(sig))
        return;
    uint64_t bit = WK_SIGBIT(sig);
    sh->proc->sig_caught &= ~bit;
    sh->proc->sig_ignored &= ~bit;
    sh->async_ignores &= ~bit;
    if (text && text->n)
        sh->proc->sig_caught |= bit;
    else if (text)
        sh->proc->sig_ignored |= bit;
}

int wk_trap_set(struct wk_shell *sh, int which, struct wk_str text)
{
    if (which > 0 && which < WK_NSIG && (sh->sig_at_start & WK_SIGBIT(which)) && !sh->interactive)
        return 0;
    if (!text.p && sh->now.traps_hidden & pseudo_bit(which)) /* it is not there, and comes back */
        return 0;
    if (!sh->st->traps && !text.p) {
        dispose(sh, which, NULL);
        return 0;
    }
    struct wk_val *v = NULL;
    if (text.p && !(v = wk_val_new(sh->mem, text)))
        return -WK_ENOMEM;
    struct wk_traps *t = table_own(sh);
    if (!t) {
        wk_val_unref(sh->mem, v);
        return -WK_ENOMEM;
    }
    wk_val_unref(sh->mem, t->text[which]);
    t->text[which] = v;
    sh->now.traps_hidden &= (uint8_t)~pseudo_bit(which);
    dispose(sh, which, v);
    if (!v) { /* no trap left: the fast paths are open again */
        for (int i = 0; i < WK_TRAP_COUNT; i++) {
            if (t->text[i])
                return 0;
        }
        wk_traps_unref(sh->mem, t);
        sh->st->traps = NULL;
    }
    return 0;
}

int wk_traps_subshell(struct wk_shell *sh)
{
    struct wk_traps *old = sh->st->traps;
    if (!old)
        return 0;
    struct wk_traps *t = WK_NEW(sh->mem, struct wk_traps);
    if (!t)
        return -WK_ENOMEM;
    t->refs = 1;
    bool err = wk_opt(sh, ERRTRACE) && !(sh->now.traps_hidden & HIDE_ERR);
    bool func = wk_opt(sh, FUNCTRACE);
    for (int i = 0; i < WK_TRAP_COUNT; i++) {
        struct wk_val *v = old->text[i];
        bool keep = i == WK_TRAP_ERR                        ? err
                    : i > WK_TRAP_ERR || i == WK_TRAP_DEBUG ? func
                                                            : v && v->n == 0;
        if (v && keep)
            t->text[i] = wk_val_ref(v);
    }
    t->shown = old->shown ? old->shown : old;
    t->shown->refs++;
    wk_traps_unref(sh->mem, old);
    sh->st->traps = t;
    sh->proc->sig_caught = 0;
    sh->now.traps_hidden = 0;
    sh->now.traps_running &= ~(unsigned)RUNS_EXIT;
    return 0;
}

void wk_traps_regain_exit(struct wk_shell *sh)
{
    struct wk_traps *t = sh->st->traps;
    sh->now.early = false;
    if (t && t->refs == 1 && t->shown && t->shown->text[WK_TRAP_EXIT] && !t->text[WK_TRAP_EXIT])
        t->text[WK_TRAP_EXIT] = wk_val_ref(t->shown->text[WK_TRAP_EXIT]);
}

void wk_traps_hide_shown(struct wk_shell *sh)
{
    struct wk_traps *t = sh->st->traps, *left = NULL;
    if (!t || t->refs != 1 || !t->shown)
        return;
    for (int i = 1; i < WK_TRAP_COUNT; i++) {
        const struct wk_val *v = t->shown->text[i];
        if (!v || (v->n && i < WK_TRAP_DEBUG) || (!left && !(left = WK_NEW(sh->mem, struct wk_traps))))
            continue;
        left->refs = 1;
        left->text[i] = wk_val_ref(t->shown->text[i]);
    }
    wk_traps_unref(sh->mem, t->shown);
    t->shown = left;
}

void wk_traps_reset(struct wk_shell *sh)
{
    wk_traps_unref(sh->mem, sh->st->traps);
    sh->st->traps = NULL;
    sh->proc->sig_caught = sh->proc->sig_ignored = 0;
    sh->now.traps_hidden = 0;
}

void wk_traps_hide(struct wk_shell *sh, bool traced, struct wk_hidden_traps *h)
{
    unsigned add = 0;
    if (!traced && !wk_opt(sh, FUNCTRACE))
        add |= HIDE_DEBUG | HIDE_RETURN;
    if (!wk_opt(sh, ERRTRACE))
        add |= HIDE_ERR;
    h->old = sh->now.traps_hidden;
    sh->now.traps_hidden = (uint8_t)(h->old | add);
}

void wk_traps_hide_debug(struct wk_shell *sh, struct wk_hidden_traps *h)
{
    h->old = sh->now.traps_hidden;
    sh->now.traps_hidden = (uint8_t)(h->old | (wk_opt(sh, FUNCTRACE) ? 0 : HIDE_DEBUG));
}

void wk_traps_unhide(struct wk_shell *sh, const struct wk_hidden_traps *h)
{
    sh->now.traps_hidden &= h->old; /* what was set meanwhile is there */
}

/* ---- running --------------------------------------------------------------------------------- */

/* What stands before syntax messages. */
static const char *origin(int which)
{
    switch (which) {
    case WK_TRAP_EXIT: return "exit trap";
    case WK_TRAP_ERR: return "error trap";
    case WK_TRAP_DEBUG: return "debug trap";
    case WK_TRAP_RETURN: return "return trap";
    default: return "trap";
    }
}

/* Text as a command with $? as it was before, and after unless it exits. */
static enum wk_flow run_text_here(struct wk_shell *sh, struct wk_val *text, uint32_t line, int which)
{
    int status = sh->status, old_trap_status = sh->trap_status;
    const struct wk_node *command = sh->now.command;
    uint32_t old_line = sh->line, n = sh->pipestatus_n;
    int *old_pipe = NULL;
    bool was_in_trap = sh->now.in_trap, was_in_exit = sh->now.in_exit_trap, bad;
    if (!wk_sh_enter(sh))
        return WK_STOP;
    if (n && !(old_pipe = wk_calloc(sh->mem, n, sizeof *old_pipe))) {
        sh->depth--;
        return wk_sh_nomem(sh);
    }
    if (n)
        memcpy(old_pipe, sh->pipestatus, n * sizeof *old_pipe);
    wk_val_ref(text);
    sh->now.in_trap = true;
    sh->now.in_exit_trap = which == WK_TRAP_EXIT;
    sh->trap_status = status;
    uint32_t old_depth = sh->trap_depth;
    sh->trap_depth = sh->func_depth;
    sh->texts++;
    enum wk_flow flow = wk_run_text(sh, wk_val_str(text), line, origin(which),
                                    which == WK_TRAP_RETURN ? WK_RUN_TRAP_RETURN : WK_RUN_TRAP, &bad);
    sh->texts--;
    flow = wk_exit_past(sh, flow, WK_LEAVE_TEXT);
    sh->now.in_trap = was_in_trap;
    sh->now.in_exit_trap = was_in_exit;
    sh->trap_status = old_trap_status;
    sh->trap_depth = old_depth;
    sh->depth--;
    wk_val_unref(sh->mem, text);
    sh->trap_result = sh->status;
    if (flow == WK_NEXT || flow == WK_BREAK || flow == WK_CONTINUE)
        sh->status = status;
    if (n && wk_set_pipestatus(sh, old_pipe, n) != 0)
        flow = wk_sh_nomem(sh);
    wk_free(sh->mem, old_pipe);
    sh->now.command = command;
    sh->line = old_line;
    return flow;
}

struct deep_trap {
    struct wk_shell *sh;
    struct wk_val *text;
    uint32_t line;
    int which;
    enum wk_flow flow;
};

static int trap_further(void *arg)
{
    struct deep_trap *d = arg;
    d->flow = run_text_here(d->sh, d->text, d->line, d->which);
    return 0;
}

/* A signal's action may be interrupted by the same signal, without end. */
static enum wk_flow run_text(struct wk_shell *sh, struct wk_val *text, uint32_t line, int which)
{
    if (WK_LIKELY(!wk_stack_low(sh->task)))
        return run_text_here(sh, text, line, which);
    struct deep_trap d = {sh, text, line, which, WK_NEXT};
    int result;
    return wk_stack_call(sh->task, trap_further, &d, &result) ? wk_sh_nomem(sh) : d.flow;
}

enum wk_flow wk_trap_run(struct wk_shell *sh, int which)
{
    unsigned bit = pseudo_bit(which);
    const struct wk_val *got = wk_trap_get(sh, which);
    if (!got || got->n == 0 || (sh->now.traps_running & bit))
        return WK_NEXT;
    sh->now.traps_running |= bit;
    uint32_t line = which == WK_TRAP_ERR ? sh->failed_line : bit ? sh->line : 1;
    enum wk_flow flow = run_text(sh, sh->st->traps->text[which], line, which);
    sh->now.traps_running &= ~bit;
    return flow;
}

enum wk_flow wk_trap_run_debug(struct wk_shell *sh, bool *skip)
{
    *skip = false;
    const struct wk_val *got = wk_trap_get(sh, WK_TRAP_DEBUG);
    if (!got || got->n == 0 || (sh->now.traps_running & HIDE_DEBUG))
        return WK_NEXT;
    if (!wk_shopt(sh, EXTDEBUG))
        return wk_trap_run(sh, WK_TRAP_DEBUG);
    /* The trap's own status decides. */
    int status = sh->status, result;
    sh->now.traps_running |= HIDE_DEBUG;
    sh->trap_result = 0;
    enum wk_flow flow = run_text(sh, sh->st->traps->text[WK_TRAP_DEBUG], sh->line, WK_TRAP_DEBUG);
    result = sh->trap_result;
    sh->now.traps_running &= ~(unsigned)HIDE_DEBUG;
    if (flow != WK_NEXT)
        return flow;
    sh->status = status;
    if (result == 2 && (sh->func_depth || sh->source_depth)) {
        sh->status = result;
        return WK_RETURN;
    }
    *skip = result != 0;
    if (*skip) /* what is not run has succeeded */
        sh->status = 0;
    return WK_NEXT;
}

enum wk_flow wk_trap_run_return(struct wk_shell *sh, bool returned)
{
    if (!sh->st->traps ||
        (sh->now.traps_running & HIDE_DEBUG)) /* not for functions that a DEBUG trap calls */
        return WK_NEXT;
    int status = sh->status;
    if (returned)
        sh->status = sh->previous_status;
    enum wk_flow flow = wk_trap_run(sh, WK_TRAP_RETURN);
    if (flow == WK_NEXT)
        sh->status = status;
    return flow;
}

static bool has_exit_trap(const struct wk_shell *sh)
{
    const struct wk_traps *t = sh->st->traps;
    return t && t->text[WK_TRAP_EXIT] && t->text[WK_TRAP_EXIT]->n && !(sh->now.traps_running & RUNS_EXIT);
}

/* Whether a shell that this signal ends runs its EXIT trap. */
static bool runs_exit_trap(int sig)
{
    return wk_sig_default_action(sig) == WK_SIG_TERM && sig != WK_SIGKILL && sig != WK_SIGIO &&
           sig != WK_SIGPWR && sig != WK_SIGSTKFLT && sig <= WK_SIGSYS;
}

/* One less than what set -x shows the EXIT trap's action with: as the main text's commands, or as those of the text
 * that was left at once. */
static uint32_t action_depth(const struct wk_shell *sh)
{
    uint32_t at = wk_ends_at_once(sh) ? sh->end_depth : sh->now.is_subshell ? sh->xtrace_depth : 0;
    return at - (!sh->now.is_subshell && !sh->exec_ended);
}

enum wk_flow wk_trap_run_exit(struct wk_shell *sh)
{
    int sig = sh->now.exit_signal, status = sh->status;
    if (!has_exit_trap(sh) || (sig && !runs_exit_trap(sig)))
        return WK_NEXT;
    struct wk_val *text = sh->st->traps->text[WK_TRAP_EXIT];
    if (sig)
        sh->status = sh->fatal_status;
    uint32_t shown_depth = sh->xtrace_depth;
    sh->xtrace_depth = action_depth(sh);
    if (sh->now.exit_command && !wk_ends_at_once(sh))
        wk_set_command(sh, sh->now.exit_command);
    sh->now.traps_running |= RUNS_EXIT; /* it stays in the list while it runs */
    sh->now.exit_signal = 0;
    sh->now.loop_depth = 0;
    sh->exit_by_error = sh->exec_ended = false;
    enum wk_flow flow = run_text(sh, text, 1, WK_TRAP_EXIT);
    sh->xtrace_depth = shown_depth;
    bool own = (flow == WK_EXIT && !sh->exit_by_error) || flow == WK_RETURN;
    bool otherwise = sh->now.exit_signal || sh->exec_ended; /* a further signal, or exec, has ended the shell now */
    if (!otherwise && (!own || sig))
        sh->status = status;
    if (!otherwise)
        sh->now.exit_signal = sig;
    sh->now.traps_running &= ~(unsigned)RUNS_EXIT;
    if (wk_trap_set(sh, WK_TRAP_EXIT, wk_str(NULL, 0)) != 0)
        return wk_sh_nomem(sh);
    return flow == WK_STOP ? WK_STOP : WK_NEXT;
}

enum wk_flow wk_trap_exit_here(struct wk_shell *sh)
{
    if (sh->leaving != WK_LEAVE_HERE || sh->now.exit_trap_ran || !has_exit_trap(sh) ||
        (sh->now.exiting && !sh->now.exit_signal))
        return WK_EXIT;
    if (sh->now.no_exit_trap && !sh->now.exit_signal)
        return WK_EXIT;
    sh->now.exit_trap_ran = true;
    if (sh->by_errexit && (!sh->now.is_subshell || sh->now.alone))
        wk_vars_pop(sh, 0); /* bash has no local variables then, though FUNCNAME tells of the functions */
    int noerrexit = sh->now.noerrexit;
    sh->now.noerrexit = 0;
    enum wk_flow flow = wk_trap_run_exit(sh);
    sh->now.noerrexit = noerrexit;
    return flow == WK_STOP ? WK_STOP : WK_EXIT;
}

enum wk_flow wk_trap_leave_last(struct wk_shell *sh, enum wk_flow flow)
{
    if (flow == WK_STOP || !has_exit_trap(sh))
        return flow;
    if (sh->task->signal_check && flow != WK_EXIT) {
        enum wk_flow t = wk_traps_fatal(sh) ? WK_STOP : wk_traps_pending(sh);
        if (t != WK_NEXT) /* it ends by the signal elsewhere, or by the trap's own exit */
            return t == WK_STOP ? flow : t;
    }
    if (flow != WK_EXIT)
        (void)wk_sh_leave(sh, WK_LEAVE_HERE);
    sh->leaving = WK_LEAVE_HERE;
    return wk_trap_exit_here(sh);
}

enum wk_flow wk_exit_past(struct wk_shell *sh, enum wk_flow flow, enum wk_leave scope)
{
    if (flow == WK_EXIT && sh->leaving == (uint8_t)scope)
        sh->leaving = WK_LEAVE_HERE;
    return flow;
}

/* ---- signals --------------------------------------------------------------------------------- */

/* Whether a process around this inline subshell is to end at once. Its traps wait until the subshell
 * has ended, as for any command in the foreground, and so does a death that the subshell itself
 * sent: (kill $$; echo on) still prints. */
static bool outer_ends(const struct wk_shell *sh)
{
    for (const struct wk_proc *p = sh->proc->outer; p; p = p->outer) {
        uint64_t due = p->sig_pending & ~p->sig_late & ~p->sig_caught & ~p->sig_ignored & ~WK_SIGBIT(WK_SIGINT);
        for (int sig = 1; due && sig < WK_NSIG; sig++) {
            if ((due & WK_SIGBIT(sig)) && wk_sig_default_action(sig) == WK_SIG_TERM)
                return true;
        }
    }
    return false;
}

/* The trap that a signal runs. */
static const struct wk_val *signal_trap(const struct wk_shell *sh, int sig)
{
    return cannot_be_caught(sig) ? NULL : wk_trap_get(sh, sig);
}

bool wk_traps_fatal(const struct wk_shell *sh)
{
    if (outer_ends(sh))
        return true;
    uint64_t p = sh->proc->sig_pending & ~sh->proc->sig_ignored;
    for (int sig = 1; p && sig < WK_NSIG; sig++) {
        if ((p & WK_SIGBIT(sig)) && !signal_trap(sh, sig) &&
            wk_sig_default_action(sig) == WK_SIG_TERM)
            return true;
    }
    return false;
}

void wk_traps_child_ended(struct wk_shell *sh, struct wk_exit e)
{
    if (e.signal != WK_SIGINT && !sh->interactive && !wk_trap_get(sh, WK_SIGINT))
        sh->proc->sig_pending &= ~WK_SIGBIT(WK_SIGINT);
}

bool wk_traps_caught(const struct wk_shell *sh)
{
    return (sh->proc->sig_pending & sh->proc->sig_caught & ~WK_SIGBIT(WK_SIGCHLD)) != 0;
}

static enum wk_flow fatal(struct wk_shell *sh, int sig)
{
    sh->fatal_status = sh->status;
    sh->status = 128 + sig;
    if (sh->interactive && sig == WK_SIGINT)
        return WK_ABORT;
    sh->now.exit_signal = sig;
    sh->end_depth = sh->xtrace_depth;
    return wk_sh_leave(sh, WK_LEAVE_HERE);
}

/* CHLD runs once for each child that has ended, whatever else has sent the signal. Those that end meanwhile count with
 * the next one. */
static enum wk_flow run_chld(struct wk_shell *sh)
{
    enum wk_flow flow = WK_NEXT;
    uint32_t n = sh->proc->children_ended;
    sh->proc->children_ended = 0;
    while (n-- > 0 && flow == WK_NEXT)
        flow = wk_trap_run(sh, WK_SIGCHLD);
    sh->proc->sig_pending &= ~WK_SIGBIT(WK_SIGCHLD);
    return flow;
}

/* One pending signal is taken. */
static enum wk_flow take_signal(struct wk_shell *sh, int sig)
{
    uint64_t bit = WK_SIGBIT(sig);
    sh->proc->sig_pending &= ~bit;
    if (sh->proc->sig_ignored & bit)
        return WK_NEXT;
    const struct wk_val *text = signal_trap(sh, sig);
    if (!text)
        return wk_sig_default_action(sig) == WK_SIG_TERM ? fatal(sh, sig) : WK_NEXT;
    if (!text->n)
        return WK_NEXT;
    sh->now.signals_running |= bit;
    enum wk_flow flow = sig == WK_SIGCHLD ? run_chld(sh) : wk_trap_run(sh, sig);
    sh->now.signals_running &= ~bit;
    return flow;
}

/* A signal whose trap is running waits until that has ended, so traps do not nest without bound. */
WK_NOINLINE enum wk_flow wk_traps_pending(struct wk_shell *sh)
{
    enum wk_flow flow = WK_NEXT;
    if (sh->task->stop != WK_STOP_NONE || outer_ends(sh))
        return WK_STOP;
    sh->task->signal_check = false;
    for (uint64_t due;
         flow == WK_NEXT && (due = sh->proc->sig_pending & ~sh->now.signals_running) != 0;) {
        if (wk_step(sh->k) != 0)
            return WK_STOP;
        flow = take_signal(sh, __builtin_ctzll(due) + 1);
    }
    sh->task->signal_check = (sh->proc->sig_pending & ~sh->now.signals_running) != 0;
    return flow;
}

/* ---- names ----------------------------------------------------------------------------------- */

const char *wk_trap_name(int which, char *scratch)
{
    switch (which) {
    case WK_TRAP_EXIT:
        return "EXIT";
    case WK_TRAP_DEBUG:
        return "DEBUG";
    case WK_TRAP_ERR:
        return "ERR";
    case WK_TRAP_RETURN:
        return "RETURN";
    default:
        break;
    }
    const char *name = wk_sig_name(which);
    if (!name) {
        scratch[wk_fmt_u64(scratch, (uint64_t)which, 10)] = '\0';
        return scratch;
    }
    memcpy(scratch, "SIG", 3);
    size_t n = WK_MIN(strlen(name), (size_t)20);
    memcpy(scratch + 3, name, n);
    scratch[3 + n] = '\0';
    return scratch;
}

static bool same_name(struct wk_str s, const char *upper)
{
    size_t i = 0;
    for (; i < s.n && upper[i]; i++) {
        if (wk_to_upper((unsigned char)s.p[i]) != upper[i])
            return false;
    }
    return i == s.n && !upper[i];
}

int wk_trap_parse(struct wk_str name)
{
    if (same_name(name, "DEBUG"))
        return WK_TRAP_DEBUG;
    if (same_name(name, "ERR"))
        return WK_TRAP_ERR;
    if (same_name(name, "RETURN"))
        return WK_TRAP_RETURN;
    struct wk_str rest = name.n > 3 && same_name(wk_str_take(name, 3), "SIG") ? wk_str_from(name, 3) : name;
    if (same_name(rest, "IOT") || same_name(rest, "CLD") || same_name(rest, "POLL")) /* only other commands know them */
        return -1;
    int64_t n;
    if (wk_parse_blanked(name, &n) == 0)
        return n >= 0 && n < WK_NSIG ? (int)n : -1;
    return wk_sig_parse(name);
}
