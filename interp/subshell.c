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
    if (WK_LIKELY(!sh->coproc.pid))
        return;
    wk_coproc_leave(sh, child);
}

void wk_inline_is_subshell(struct wk_shell *sh, struct wk_inline *in)
{
    in->in_foreground = true;
    sh->in_exit_trap = false;
    leave_coproc(sh, in->proc);
    sh->coproc.pid = 0;
}

int wk_inline_begin(struct wk_shell *sh, struct wk_inline *in)
{
    if (WK_UNLIKELY(sh->is_substitution && sh->outer_jobs) && wk_jobs_view(sh) != 0)
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
    in->old_early = sh->early;
    in->old_ends_as_outer = sh->ends_as_outer;
    in->old_in_exit_trap = sh->in_exit_trap;
    sh->early = sh->ends_as_outer = false;
    in->old_coproc = sh->coproc;
    in->old_exit_command = sh->exit_command;
    sh->exit_command = NULL;
    in->pid = in->proc->pid;
    in->old_st = sh->st;
    in->old_proc = sh->proc;
    in->old_jobs = sh->jobs;
    in->old_outer_jobs = sh->outer_jobs;
    in->old_frame = sh->frame;
    in->old_tree = sh->tree;
    in->old_last_arg = sh->last_arg ? wk_val_ref(sh->last_arg) : NULL;
    in->old_command_tree = sh->command_tree ? wk_tree_ref(sh->command_tree) : NULL;
    in->old_command = sh->command;
    in->old_command_held = sh->command_held;
    in->old_procsubs = sh->procsubs;
    in->old_loop_depth = sh->loop_depth;
    in->old_noerrexit = sh->noerrexit;
    in->old_negations = sh->negations;
    in->old_arith_failed = sh->arith_failed;
    in->old_text_command = sh->text_command;
    in->old_read_line = sh->read_line;
    in->old_assign_error = sh->assign_error;
    in->old_exit_signal = sh->exit_signal;
    in->old_exit_trap_ran = sh->exit_trap_ran;
    in->old_no_exit_trap = sh->no_exit_trap;
    in->old_redirected = sh->redirected;
    in->old_texts_base = sh->texts_base;
    in->old_bg_pid = sh->last_bg_pid;
    in->old_traps_running = sh->traps_running;
    in->old_base_depth = sh->base_depth;
    in->old_traps_hidden = sh->traps_hidden;
    in->old_signals_running = sh->signals_running;
    sh->signals_running = 0;
    in->old_exiting = sh->exiting;
    in->old_in_trap = sh->in_trap;
    in->old_is_subshell = sh->is_subshell;
    in->old_is_paren = sh->is_paren;
    in->old_is_substitution = sh->is_substitution;
    in->old_in_substitution = sh->in_substitution;
    in->old_alone = sh->alone;
    sh->alone = NULL;
    in->old_stdin_given = sh->stdin_given;
    in->no_status = !sh->pipestatus_n;
    in->old_replace = sh->replace;
    in->old_frame_options = sh->frame->has_local_options;
    sh->st = &in->st;
    sh->proc = in->proc;
    in->proc->user = sh;
    if (sh->jobs)
        sh->outer_jobs = sh->jobs;
    sh->jobs = NULL;
    sh->procsubs = NULL;
    sh->exit_signal = 0;
    sh->exiting = sh->exit_trap_ran = sh->no_exit_trap = false;
    sh->redirected = 0;
    sh->texts_base = sh->texts;
    sh->is_subshell = true;
    sh->is_substitution = false;
    sh->replace = false;
    sh->base_depth = sh->depth;
    sh->subshell_inline++;
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
    wk_jobs_free(sh->jobs, sh->mem);
    wk_state_release(&in->st, sh->mem);
    sh->st = in->old_st;
    sh->proc = in->old_proc;
    sh->jobs = in->old_jobs;
    sh->outer_jobs = in->old_outer_jobs;
    sh->frame = in->old_frame;
    sh->tree = in->old_tree;
    wk_val_unref(sh->mem, sh->last_arg);
    sh->last_arg = in->old_last_arg;
    wk_tree_unref(sh->command_tree);
    sh->command_tree = in->old_command_tree;
    sh->command = in->old_command;
    sh->command_held = in->old_command_held;
    sh->procsubs = in->old_procsubs;
    sh->loop_depth = in->old_loop_depth;
    sh->noerrexit = in->old_noerrexit;
    sh->negations = in->old_negations;
    sh->arith_failed = in->old_arith_failed;
    sh->text_command = in->old_text_command;
    sh->read_line = in->old_read_line;
    sh->assign_error = in->old_assign_error;
    sh->exit_signal = in->old_exit_signal;
    sh->exit_trap_ran = in->old_exit_trap_ran;
    sh->no_exit_trap = in->old_no_exit_trap;
    sh->redirected = in->old_redirected;
    sh->texts_base = in->old_texts_base;
    sh->leaving = WK_LEAVE_HERE;
    sh->exec_ended = false;
    sh->last_bg_pid = in->old_bg_pid;
    sh->traps_running = in->old_traps_running;
    sh->base_depth = in->old_base_depth;
    sh->traps_hidden = in->old_traps_hidden;
    sh->signals_running = in->old_signals_running;
    sh->exiting = in->old_exiting;
    sh->in_trap = in->old_in_trap;
    sh->is_subshell = in->old_is_subshell;
    sh->is_paren = in->old_is_paren;
    sh->is_substitution = in->old_is_substitution;
    sh->in_substitution = in->old_in_substitution;
    sh->alone = in->old_alone;
    sh->coproc = in->old_coproc;
    sh->early = in->old_early;
    sh->ends_as_outer = in->old_ends_as_outer;
    sh->in_exit_trap = in->old_in_exit_trap;
    sh->exit_command = in->old_exit_command;
    sh->stdin_given = in->old_stdin_given;
    if (in->no_status)
        sh->pipestatus_n = 0;
    sh->replace = in->old_replace;
    sh->frame->has_local_options = in->old_frame_options;
    sh->subshell_inline--;
    sh->depth--;
}

void wk_inline_detach(struct wk_shell *sh, struct wk_inline *in)
{
    struct wk_task *t = in->proc->task;
    sh->procsubs = NULL; /* the child has the descriptors now */
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
    if (t == WK_EXIT && fatal && sh->exit_signal)
        sh->exit_trap_ran = true;
    return t == WK_NEXT ? flow : t;
}

enum wk_flow wk_inline_end(struct wk_shell *sh, struct wk_inline *in, enum wk_flow flow,
                           struct wk_exit *e)
{
    if (flow != WK_STOP && WK_UNLIKELY(sh->task->signal_check))
        flow = signals_at_end(sh, flow, in->in_foreground);
    if (WK_UNLIKELY(flow == WK_STOP || in->st.traps || sh->exit_signal))
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
        sh->alone = body;
    else if (body->kind != WK_NODE_PIPELINE && body->kind != WK_NODE_SUBSHELL)
        sh->no_exit_trap = true;
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
        sh->loop_depth = 0;
        wk_jobs_hide_outer(sh);
    }
    if (body->kind == WK_NODE_SUBSHELL)
        return wk_eval_subshell_here(sh, body);
    const struct wk_node *outer = sh->unchecked;
    sh->alone = NULL;
    if (own)
        set_alone(sh, body);
    if (body->kind == WK_NODE_SIMPLE && !substitution) {
        sh->unchecked = body;
        sh->debugged = sh->st->traps ? body : NULL;
    }
    bool builtin = WK_UNLIKELY(wk_opt(sh, ERREXIT)) && own && is_builtin(sh, body);
    if (builtin) /* what is around the pipeline does not reach its text */
        sh->noerrexit = 0;
    enum wk_flow flow = wk_eval(sh, body);
    if (WK_UNLIKELY(flow == WK_ABORT) && body->kind == WK_NODE_SIMPLE)
        sh->status = 1;
    if (builtin && flow == WK_EXIT && sh->by_errexit && !sh->exit_trap_ran)
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
    sh->is_paren = false;
    enum wk_flow flow = WK_NEXT;
    int r = setup ? setup(sh, ctx) : 0;
    if (r < 0) {
        flow = wk_sh_fail(sh, r);
    } else if (r > 0) {
        sh->status = r;
    } else if (body) {
        sh->early = sh->ends_as_outer = body->kind == WK_NODE_SIMPLE && !in.old_is_subshell;
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
    sh->tree = s->tree;
    sh->replace = WK_REPLACE_SUBST;
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
    c->stdin_given |= a->stdin_given;
    if (a->stage)
        wk_stage_level(c, a->body);
    if (!a->sub)
        leave_coproc(sh, child);
    c->is_substitution = a->sub != NULL;
    c->in_substitution |= a->sub && !sh->texts;
    c->early = !a->sub && a->body && a->body->kind == WK_NODE_SIMPLE && !sh->is_subshell;
    c->ends_as_outer = c->early && !a->coproc;
    c->in_exit_trap = a->sub && sh->in_exit_trap;
    c->exit_command = a->sub && !sh->in_trap ? sh->command : NULL; /* the tree that the child holds has it */
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
