/* subshell.c - a shell's children: inline on the same task, or beside it on a task of their own */
#include "interp/coproc.h"
#include "interp/alias.h"
#include "interp/jobs.h"
#include "interp/lookup.h"
#include "interp/run.h"
#include "interp/start.h"
#include "interp/trap.h"

#include "kern/signal.h"

/* ---- inline -------------------------------------------------------------------------------------
 */

static WK_COLD int fork_failed(struct wk_shell *sh, int e)
{
    if (e == -WK_EAGAIN) {
        if (sh->task->stop == WK_STOP_NONE)
            wk_sh_error(sh, "fork: Resource temporarily unavailable");
        sh->status = 254;
    }
    return e;
}

static void leave_coproc(struct wk_shell *sh, struct wk_proc *child)
{
    if (WK_LIKELY(!sh->now.coproc.pid))
        return;
    wk_coproc_leave(sh, child);
}

void wk_inline_is_subshell(struct wk_shell *sh, struct wk_inline *in)
{
    in->in_foreground = true;
    sh->now.in_exit_trap = false;
    leave_coproc(sh, in->proc);
    sh->now.coproc.pid = 0;
}

/* What a new process does not have of its parent's. */
static void begin_process(struct wk_shell *sh)
{
    struct wk_now *now = &sh->now;
    if (now->jobs)
        now->outer_jobs = now->jobs;
    now->jobs = NULL;
    now->procsubs = NULL;
    now->exit_command = NULL;
    now->alone = NULL;
    now->signals_running = 0;
    now->exit_signal = 0;
    now->exiting = now->exit_trap_ran = now->no_exit_trap = false;
    now->early = now->ends_as_outer = false;
    now->redirected = 0;
    now->texts_base = sh->texts;
    now->is_subshell = true;
    now->is_substitution = false;
    now->replace = WK_REPLACE_NOT;
    now->base_depth = sh->depth;
    sh->subshell_inline++;
}

int wk_inline_begin(struct wk_shell *sh, struct wk_inline *in)
{
    if (WK_UNLIKELY(sh->now.is_substitution && sh->now.outer_jobs) && wk_jobs_view(sh) != 0)
        return -WK_ENOMEM;
    if (!wk_sh_enter(sh))
        return -WK_ESTOP;
    int e = wk_proc_fork(sh->proc, &in->proc);
    if (e) {
        sh->depth--;
        return fork_failed(sh, e);
    }
    e = wk_state_fork(&in->st, sh->st, sh->mem);
    if (e) {
        wk_proc_finish(in->proc, (struct wk_exit){1, 0});
        wk_proc_reap(in->proc);
        sh->depth--;
        return e;
    }
    wk_proc_enter(sh->task, in->proc);
    in->in_foreground = in->kept = false;
    in->pid = in->proc->pid;
    in->old_st = sh->st;
    in->old_proc = sh->proc;
    in->old = sh->now;
    if (sh->now.last_arg)
        wk_val_ref(sh->now.last_arg);
    if (sh->now.command_tree)
        wk_tree_ref(sh->now.command_tree);
    in->no_status = !sh->pipestatus_n;
    in->old_frame_options = sh->now.frame->has_local_options;
    sh->st = &in->st;
    sh->proc = in->proc;
    in->proc->user = sh;
    begin_process(sh);
    in->st.subshell_depth++;
    in->entered = true;
    if (WK_UNLIKELY(in->st.traps != NULL) && (e = wk_traps_subshell(sh)) != 0) {
        struct wk_exit x;
        (void)wk_inline_end(sh, in, WK_STOP, &x);
        return e;
    }
    return 0;
}

/* What the child found out is of use to the parent: its block of the environment, where commands
 * are. */
static void keep_caches(struct wk_state *parent, struct wk_state *child)
{
    if (child->env_cache && child->env_cache != parent->env_cache &&
        child->env_gen == parent->env_gen && child->exported_cache_gen == child->env_gen) {
        if (parent->env_cache)
            wk_env_unref(parent->env_cache);
        parent->env_cache = child->env_cache;
        parent->exported_cache_gen = child->exported_cache_gen;
        child->env_cache = NULL;
    }
    wk_hashed_keep(parent, child);
}

/* Back to the parent's state. */
static void inline_restore(struct wk_shell *sh, struct wk_inline *in)
{
    keep_caches(in->old_st, &in->st);
    wk_procsubs_close(sh, NULL);
    wk_jobs_free(sh->now.jobs, sh->mem);
    wk_state_release(&in->st, sh->mem);
    wk_val_unref(sh->mem, sh->now.last_arg);
    wk_tree_unref(sh->now.command_tree);
    sh->st = in->old_st;
    sh->proc = in->old_proc;
    sh->now = in->old;
    sh->leaving = WK_LEAVE_HERE;
    sh->exec_ended = false;
    if (in->no_status)
        sh->pipestatus_n = 0;
    sh->now.frame->has_local_options = in->old_frame_options;
    sh->subshell_inline--;
    sh->depth--;
}

void wk_inline_detach(struct wk_shell *sh, struct wk_inline *in)
{
    struct wk_task *t = in->proc->task;
    sh->now.procsubs = NULL; /* the child has the descriptors now */
    inline_restore(sh, in);
    in->proc->user = NULL;
    sh->task->proc = in->old_proc;
    in->proc->outer = NULL;
    in->proc->task = t;
}

/* A signal that its last command has sent ends a subshell without its EXIT trap. */
static enum wk_flow signals_at_end(struct wk_shell *sh, enum wk_flow flow, bool subshell)
{
    bool fatal = subshell && flow == WK_NEXT && wk_traps_fatal(sh);
    enum wk_flow t = wk_traps_pending(sh);
    if (t == WK_EXIT && fatal && sh->now.exit_signal)
        sh->now.exit_trap_ran = true;
    return t == WK_NEXT ? flow : t;
}

enum wk_flow wk_inline_end(struct wk_shell *sh, struct wk_inline *in, enum wk_flow flow,
                           struct wk_exit *e)
{
    if (flow != WK_STOP && WK_UNLIKELY(sh->task->signal_check))
        flow = signals_at_end(sh, flow, in->in_foreground);
    if (WK_UNLIKELY(flow == WK_STOP || in->st.traps || sh->now.exit_signal))
        *e = wk_sh_finish(sh, flow);
    else
        *e = (struct wk_exit){(uint8_t)sh->status, 0};
    inline_restore(sh, in);
    in->proc->user = NULL;
    wk_proc_leave(sh->task, in->proc, *e, !in->kept);
    if (sh->task->stop != WK_STOP_NONE)
        return WK_STOP;
    if (WK_UNLIKELY(sh->proc->sig_pending)) {
        if (in->in_foreground)
            wk_traps_child_ended(sh, *e);
        sh->task->signal_check = true;
    }
    return WK_UNLIKELY(sh->task->signal_check) && wk_traps_fatal(sh) ? wk_traps_pending(sh)
                                                                     : WK_NEXT;
}

/* A stage or background command leaves its redirections and variables to its EXIT trap; a compound one but { } and ( )
 * runs none. */
static void set_alone(struct wk_shell *sh, const struct wk_node *body)
{
    if (body->kind == WK_NODE_PIPELINE && wk_as_pipeline(body)->n == 1)
        body = wk_as_pipeline(body)->cmds[0];
    if (body->kind == WK_NODE_SIMPLE || body->kind == WK_NODE_GROUP)
        sh->now.alone = body;
    else if (body->kind != WK_NODE_PIPELINE && body->kind != WK_NODE_SUBSHELL)
        sh->now.no_exit_trap = true;
}

/* A builtin that has a process for itself. */
static bool is_builtin(struct wk_shell *sh, const struct wk_node *body)
{
    if (body->kind != WK_NODE_SIMPLE)
        return false;
    const struct wk_node_simple *s = wk_as_simple(body);
    bool named = s->n_words && s->words[0]->flags & WK_WORD_LITERAL && s->words[0]->name != WK_NAME_NONE;
    return named && !wk_func_find(sh, s->words[0]->name) && wk_node_builtin(sh, s);
}

/* What the new process is for: ( list ) needs no other one. A `break` ends a simple command's
 * process as it ends a substitution's; a compound command has no loop around it. */
static enum wk_flow eval_body(struct wk_shell *sh, const struct wk_node *body, bool substitution, bool own)
{
    if (body->kind != WK_NODE_SIMPLE && !substitution) {
        sh->now.loop_depth = 0;
        wk_jobs_hide_outer(sh);
    }
    if (body->kind == WK_NODE_SUBSHELL)
        return wk_eval_subshell_here(sh, body);
    const struct wk_node *outer = sh->unchecked;
    sh->now.alone = NULL;
    if (own)
        set_alone(sh, body);
    if (body->kind == WK_NODE_SIMPLE && !substitution) {
        sh->unchecked = body;
        sh->debugged = sh->st->traps ? body : NULL;
    }
    bool builtin = WK_UNLIKELY(wk_opt(sh, ERREXIT)) && own && is_builtin(sh, body);
    if (builtin) /* what is around the pipeline does not reach its text */
        sh->now.noerrexit = 0;
    enum wk_flow flow = wk_eval(sh, body);
    if (WK_UNLIKELY(flow == WK_ABORT) && body->kind == WK_NODE_SIMPLE)
        sh->status = 1;
    if (builtin && flow == WK_EXIT && sh->by_errexit && !sh->now.exit_trap_ran)
        sh->status = 1; /* whatever what failed in its text had */
    sh->unchecked = outer;
    return flow;
}

enum wk_flow wk_subshell_inline(struct wk_shell *sh, const struct wk_node *body,
                                int (*setup)(struct wk_shell *sh, void *ctx), void *ctx, struct wk_exit *x)
{
    struct wk_inline in;
    *x = (struct wk_exit){254, 0};
    int e = wk_inline_begin(sh, &in);
    if (e)
        return e == -WK_EAGAIN ? WK_NEXT : wk_sh_fail(sh, e);
    wk_inline_is_subshell(sh, &in);
    sh->now.is_paren = false;
    enum wk_flow flow = WK_NEXT;
    int r = setup ? setup(sh, ctx) : 0;
    if (r < 0) {
        flow = wk_sh_fail(sh, r);
    } else if (r > 0) {
        sh->status = r;
    } else if (body) {
        sh->now.early = sh->now.ends_as_outer = body->kind == WK_NODE_SIMPLE && !in.old.is_subshell;
        flow = eval_body(sh, body, false, true);
    } else {
        sh->status = 0;
    }
    flow = wk_inline_end(sh, &in, flow, x);
    sh->status = wk_exit_status(*x);
    return flow;
}

/* ---- beside ---------------------------------------------------------------------------------- */

struct async_start {
    struct wk_shell *sh;
    const struct wk_node *body;
    const struct wk_cmdsub *sub;
    struct wk_tree *tree;
    bool coproc;
};

static enum wk_flow async_body(struct wk_shell *sh, const struct async_start *s)
{
    if (!s->body)
        return WK_NEXT;
    if (s->sub && (s->sub->flags & WK_CMDSUB_AT_RUN || wk_aliases_apply(sh)))
        return wk_run_with_aliases(sh, s->sub, "process substitution");
    sh->xtrace_depth += s->sub != NULL;
    if (s->sub && s->sub->last_line)
        sh->around_line = s->sub->last_line;
    return eval_body(sh, s->body, s->sub != NULL, !s->sub && !s->coproc);
}

static void async_main(struct wk_task *t)
{
    struct async_start *s = t->arg;
    struct wk_shell *sh = s->sh;
    struct wk_mem *m = sh->mem;
    sh->now.tree = s->tree;
    sh->now.replace = WK_REPLACE_SUBST;
    enum wk_flow flow = async_body(sh, s);
    if (flow != WK_STOP && t->signal_check)
        flow = signals_at_end(sh, flow, !s->sub);
    struct wk_exit e = wk_sh_finish(sh, flow);
    struct wk_proc *p = sh->proc;
    p->user = NULL;
    wk_procsubs_close(sh, NULL);
    wk_shell_clone_free(sh);
    wk_tree_unref(s->tree);
    wk_free(m, s);
    wk_proc_finish(p, e);
}

void wk_stage_level(struct wk_shell *sh, const struct wk_node *stage)
{
    if (stage->kind != WK_NODE_SIMPLE)
        return;
    sh->st->subshell_depth--;
    sh->st->random_depth = 0; /* RANDOM is its own all the same */
    sh->level_due = true;
}

/* A simple command hands it on to the program that it runs; a list keeps it to itself. */
static void ignore_interrupts(struct wk_shell *c, struct wk_proc *child, const struct wk_node *body)
{
    uint64_t both = WK_SIGBIT(WK_SIGINT) | WK_SIGBIT(WK_SIGQUIT);
    if (body && body->kind != WK_NODE_SIMPLE)
        c->async_ignores = both & ~child->sig_ignored;
    child->sig_ignored |= both;
}

/* The child's state for a task of its own; background children ignore INT and QUIT as bash's do. */
static int async_prepare(struct wk_shell *sh, const struct wk_async *a, struct wk_proc *child,
                         struct wk_shell **out)
{
    struct wk_shell *c = wk_shell_clone(sh, !a->background);
    if (!c)
        return -WK_ENOMEM;
    c->proc = child;
    int e = c->st->traps ? wk_traps_subshell(c) : 0;
    if (!e && a->sub)
        wk_traps_hide_shown(c);
    if (e) {
        wk_shell_clone_free(c);
        return e;
    }
    c->now.stdin_given |= a->stdin_given;
    if (a->stage)
        wk_stage_level(c, a->body);
    if (!a->sub)
        leave_coproc(sh, child);
    c->now.is_substitution = a->sub != NULL;
    c->now.in_substitution |= a->sub && !sh->texts;
    c->now.early = !a->sub && a->body && a->body->kind == WK_NODE_SIMPLE && !sh->now.is_subshell;
    c->now.ends_as_outer = c->now.early && !a->coproc;
    c->now.in_exit_trap = a->sub && sh->now.in_exit_trap;
    /* The tree that the child holds has it. */
    c->now.exit_command = a->sub && !sh->now.in_trap ? sh->now.command : NULL;
    if (a->background)
        wk_jobs_hide_outer(c);
    if (a->background && !wk_opt(sh, MONITOR))
        ignore_interrupts(c, child, a->body);
    *out = c;
    return 0;
}

int wk_subshell_async(struct wk_shell *sh, const struct wk_async *a, struct wk_proc **out)
{
    struct wk_proc *child;
    struct wk_shell *c = NULL;
    struct wk_task *task;
    int e = wk_proc_fork(sh->proc, &child);
    if (e)
        return fork_failed(sh, e);
    if (a->pgid)
        child->pgid = a->pgid == 1 ? child->pid : a->pgid;
    child->background = a->background || sh->proc->background;
    if (a->setup)
        e = a->setup(sh, child, a->ctx);
    struct async_start *s = e ? NULL : WK_NEW(sh->mem, struct async_start);
    if (!e)
        e = s ? async_prepare(sh, a, child, &c) : -WK_ENOMEM;
    if (!e) {
        *s = (struct async_start){c, a->body, a->sub, wk_tree_ref(a->tree), a->coproc};
        e = wk_task_new(sh->k, child, false, async_main, s, &task);
        if (e)
            wk_tree_unref(a->tree);
    }
    if (e) {
        if (c) {
            c->proc = sh->proc;
            wk_shell_clone_free(c);
        }
        wk_free(sh->mem, s);
        wk_proc_finish(child, (struct wk_exit){1, 0});
        wk_proc_reap(child);
        return fork_failed(sh, e);
    }
    c->task = task;
    child->task = task;
    task->background = child->background;
    child->user = c;
    *out = child;
    return 0;
}
