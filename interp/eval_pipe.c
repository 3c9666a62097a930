/* eval_pipe.c - pipelines, their statuses, and commands in the background */
#include "interp/job_report.h"
#include "interp/lookup.h"
#include "interp/parser.h"
#include "interp/redir.h"
#include "interp/run.h"
#include "interp/timing.h"
#include "interp/trap.h"

#include "interp/expand.h"
#include "interp/vars_special.h"
#include "kern/signal.h"
#include "vfs/vfs.h"

void wk_pipestatus_begins(struct wk_shell *sh)
{
    uint32_t name = wk_names_find(sh->names, WK_STR("PIPESTATUS"));
    struct wk_var *v = name == WK_NAME_NONE ? NULL : wk_var_own(sh, name);
    if (!v || wk_var_kind(v) != WK_SPECIAL_PIPESTATUS)
        return;
    const uint32_t there = WK_VAR_SET | WK_VAR_DECLARED | WK_VAR_EXPORT | WK_VAR_NAMEREF | WK_VAR_ASSOC |
                           WK_VAR_TEMPENV;
    if ((v->flags & WK_VAR_ARRAY && v->flags & WK_VAR_SET) || !(v->flags & (there | WK_VAR_ARRAY)))
        v->flags |= WK_VAR_DYNAMIC | WK_VAR_ARRAY | WK_VAR_DECLARED;
}

int wk_set_pipestatus(struct wk_shell *sh, const int *v, uint32_t n)
{
    if (n > sh->pipestatus_cap) {
        int *old = sh->pipestatus == sh->pipestatus_few ? NULL : sh->pipestatus;
        int *p = wk_realloc(sh->mem, old, n * sizeof *p);
        if (!p)
            return -WK_ENOMEM;
        sh->pipestatus = p;
        sh->pipestatus_cap = n;
    }
    memcpy(sh->pipestatus, v, n * sizeof *v);
    sh->pipestatus_n = n;
    return 0;
}

/* ---- stages ---------------------------------------------------------------------------------- */

struct stage {
    const struct wk_node *node;
    struct wk_file *in, *out; /* held; NULL: the shell's own */
    uint32_t pid;
    struct wk_exit exit;
    bool running;
    bool skipped; /* extdebug: DEBUG has said that it is not to be run */
};

/* Connect a forked child. */
static int connect_child(struct wk_proc *child, const struct stage *s)
{
    int e = 0;
    if (s->in)
        e = wk_fd_set(&child->fds, 0, wk_file_ref(s->in), false);
    if (!e && s->out)
        e = wk_fd_set(&child->fds, 1, wk_file_ref(s->out), false);
    return e;
}

static int setup_stage(struct wk_shell *sh, struct wk_proc *child, void *ctx)
{
    (void)sh;
    return connect_child(child, ctx);
}

static void close_stage(struct stage *s)
{
    if (s->in)
        wk_file_unref(s->in);
    if (s->out)
        wk_file_unref(s->out);
    s->in = s->out = NULL;
}

/* A simple command that is plainly a program: it needs no shell of its own. Under set -x every stage has one, so that
 * they are shown in their order. */
static bool is_leaf(struct wk_shell *sh, const struct wk_node *n)
{
    if (n->kind != WK_NODE_SIMPLE || sh->st->traps || wk_opt(sh, NOEXEC) || wk_opt(sh, XTRACE) ||
        wk_opt(sh, KEYWORD))
        return false;
    const struct wk_node_simple *s = wk_as_simple(n);
    if (!s->n_words || !(s->words[0]->flags & WK_WORD_LITERAL) || s->words[0]->name == WK_NAME_NONE)
        return false;
    if (wk_func_find(sh, s->words[0]->name))
        return false;
    const struct wk_builtin *b = wk_node_builtin(sh, s);
    return !b || !wk_builtin_enabled(sh, b);
}

/* May opening a redirection's file wait, as a FIFO does for its other end? Then it is not the shell that waits. */
static bool may_wait(struct wk_shell *sh, const struct wk_node *n)
{
    for (uint32_t i = 0; i < n->n_redirs; i++) {
        const struct wk_redir *r = n->redirs[i];
        struct wk_stat st;
        if (r->op >= WK_REDIR_HEREDOC || r->flags & WK_REDIR_PIPE_ERR || !r->word)
            continue;
        if (!(r->word->flags & WK_WORD_LITERAL))
            return true;
        struct wk_str path = wk_word_text(r->word);
        if (wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, path, 0, &st) == 0 && WK_S_ISFIFO(st.mode))
            return true;
    }
    return false;
}

/* Whether the program can be found: in the background the shell goes on before it is told that it cannot. */
static bool is_there(struct wk_shell *sh, const struct wk_node *n)
{
    struct wk_leaf leaf = {0};
    struct wk_str name = wk_word_text(wk_as_simple(n)->words[0]);
    return name.n && (memchr(name.p, '/', name.n) || wk_leaf_find(sh, name, WK_FIND_LAST, &leaf) == 0);
}

/* Start a program on a child whose words and redirections are evaluated in the child's own state,
 * without a task for a shell. The child then runs, or has ended with a status. */
static enum wk_flow start_leaf(struct wk_shell *sh, struct stage *s, bool background)
{
    struct wk_inline in;
    int e = wk_inline_begin(sh, &in);
    if (e) {
        s->exit.code = 254;
        return e == -WK_EAGAIN ? WK_NEXT : wk_sh_fail(sh, e);
    }
    wk_inline_is_subshell(sh, &in);
    in.proc->background = background || in.old_proc->background;
    if (background && !wk_opt(sh, MONITOR))
        in.proc->sig_ignored |= WK_SIGBIT(WK_SIGINT) | WK_SIGBIT(WK_SIGQUIT);
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    struct wk_proc *child = NULL;
    sh->now.early = sh->now.ends_as_outer = !in.old.is_subshell;
    if (!background)
        wk_stage_level(sh, s->node);
    sh->level_due = false; /* there is nothing behind its words */
    e = connect_child(in.proc, s);
    enum wk_flow flow = e ? wk_sh_fail(sh, e) : wk_leaf_prepare(sh, wk_as_simple(s->node), &child);
    uint32_t pid = in.proc->pid;
    if (child) {
        wk_inline_detach(sh, &in);
        s->pid = pid;
        s->running = true;
        wk_arena_rewind(&sh->arena, mark);
        return WK_NEXT;
    }
    s->pid = pid;
    s->running = in.kept = background;
    flow = wk_inline_end(sh, &in, flow, &s->exit);
    wk_arena_rewind(&sh->arena, mark);
    return flow;
}

static enum wk_flow start_shell(struct wk_shell *sh, struct stage *s, bool background)
{
    struct wk_async a = {.body = s->node,
                         .tree = sh->now.tree,
                         .setup = setup_stage,
                         .ctx = s,
                         .stdin_given = s->in != NULL,
                         .stage = !background,
                         .background = background};
    struct wk_proc *child;
    int e = wk_subshell_async(sh, &a, &child);
    if (e == -WK_EAGAIN) {
        s->exit.code = 254;
        return WK_NEXT;
    }
    if (e)
        return wk_sh_fail(sh, e);
    s->pid = child->pid;
    s->running = true;
    return WK_NEXT;
}

static int setup_inline(struct wk_shell *sh, void *ctx)
{
    struct stage *s = ctx;
    int e = connect_child(sh->proc, s);
    wk_stage_level(sh, s->node);
    s->pid = sh->proc->pid;
    sh->now.stdin_given |= s->in != NULL;
    close_stage(s); /* the child's table holds the ends now */
    return e;
}

/* The last stage in this very shell (lastpipe). */
static enum wk_flow run_here(struct wk_shell *sh, struct stage *s)
{
    struct wk_file *old = wk_fd_get(sh->proc->fds, 0);
    if (old)
        wk_file_ref(old);
    int e = s->in ? wk_fd_set(&sh->proc->fds, 0, wk_file_ref(s->in), false) : 0;
    bool given = sh->now.stdin_given;
    sh->now.stdin_given |= s->in != NULL;
    close_stage(s);
    if (s->node->kind == WK_NODE_SIMPLE && sh->st->traps)
        sh->debugged = s->node;
    enum wk_flow flow = e ? wk_sh_fail(sh, e) : wk_eval(sh, s->node);
    sh->now.stdin_given = given;
    if (old)
        (void)wk_fd_set(&sh->proc->fds, 0, old, false);
    else
        (void)wk_fd_close(&sh->proc->fds, 0);
    s->exit.code = (uint8_t)sh->status;
    return flow;
}

static int make_pipes(struct wk_shell *sh, struct stage *v, uint32_t n)
{
    for (uint32_t i = 0; i + 1 < n; i++) {
        struct wk_file *r, *w;
        int e = wk_pipe_new(sh->k, &r, &w);
        if (e)
            return e;
        v[i + 1].in = r;
        v[i].out = w;
    }
    return 0;
}

/* Start every stage but `skip`. */
/* A `break' of DEBUG comes after the pipeline: it is the flow when all are started. */
static enum wk_flow start_stages(struct wk_shell *sh, struct stage *v, uint32_t n, uint32_t skip,
                                 bool background)
{
    enum wk_flow flow = WK_NEXT, after = WK_NEXT;
    for (uint32_t i = 0; i < n && flow == WK_NEXT; i++) {
        if (v[i].node->kind == WK_NODE_SUBSHELL && i + 1 < n && !background)
            sh->now.read_line = v[i].node->end_line;
        if (WK_UNLIKELY(sh->st->traps != NULL) && v[i].node->kind == WK_NODE_SUBSHELL) {
            wk_set_command(sh, v[i].node);
            sh->failed_line = v[i].node->end_line;
        }
        if (WK_UNLIKELY(sh->st->traps != NULL) && v[i].node->kind == WK_NODE_SIMPLE) {
            sh->failed_line = v[i].node->line;
            sh->line = v[i].node->line;
            wk_set_command(sh, v[i].node);
            flow = wk_eval_before(sh, v[i].node, &v[i].skipped);
            if (flow == WK_BREAK || flow == WK_CONTINUE) {
                after = flow;
                flow = WK_NEXT;
            }
            if (flow != WK_NEXT)
                break;
        }
        if (v[i].skipped)
            close_stage(&v[i]);
        if (i == skip || v[i].skipped)
            continue;
        bool leaf = is_leaf(sh, v[i].node) && !may_wait(sh, v[i].node) && (!background || is_there(sh, v[i].node));
        flow = leaf ? start_leaf(sh, &v[i], background) : start_shell(sh, &v[i], background);
        close_stage(&v[i]);
    }
    return flow == WK_NEXT ? after : flow;
}

/* Leaves those out that were skipped, but for v[here]. The number left; *mine is the place of that one then. */
static uint32_t drop_skipped(struct stage *v, uint32_t n, bool here, uint32_t *mine)
{
    uint32_t to = 0, at = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if (v[i].skipped && !(here && i == *mine))
            continue;
        if (i == *mine)
            at = to;
        v[to++] = v[i];
    }
    *mine = at;
    return to;
}

/* BASH_COMMAND of the ERR trap: the last stage that bash starts before it knows that it needs a shell. */
static void name_command(struct wk_shell *sh, const struct stage *v, uint32_t n)
{
    while (n-- > 0) {
        if (v[n].node->kind == WK_NODE_SIMPLE || v[n].node->kind == WK_NODE_SUBSHELL) {
            wk_set_command(sh, v[n].node);
            return;
        }
    }
}

/* Which stage this task evaluates itself: the last that needs a shell, so that nothing waits for
 * it. */
static uint32_t inline_stage(struct wk_shell *sh, const struct stage *v, uint32_t n)
{
    for (uint32_t i = wk_opt(sh, XTRACE) ? 0 : n; i-- > 0;) {
        if (!is_leaf(sh, v[i].node))
            return i;
    }
    return n;
}

static void leave_stages(struct stage *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        close_stage(&v[i]);
}

/* Kill what was started when the pipeline cannot be completed. */
static void abandon(struct wk_shell *sh, struct stage *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        close_stage(&v[i]);
        if (v[i].running)
            (void)wk_kill(sh->k, NULL, v[i].pid, WK_SIGKILL);
    }
}

static enum wk_flow wait_stages(struct wk_shell *sh, struct stage *v, uint32_t n, uint32_t skip)
{
    enum wk_flow flow = WK_NEXT;
    for (uint32_t i = 0; i < n; i++) {
        if (i == skip || !v[i].running)
            continue;
        struct wk_proc *p = wk_proc_find(sh->k, v[i].pid);
        struct wk_exit x = {127, 0};
        if (p && p->parent == sh->proc)
            flow = wk_wait_child(sh, p, false, &x);
        if (flow != WK_NEXT)
            return flow;
        v[i].running = false;
        v[i].exit = x;
    }
    return flow;
}

/* The stages as messages show them, their texts in *text. NULL: no memory. */
static struct wk_ended *ended_stages(struct wk_shell *sh, const struct stage *v, uint32_t n, struct wk_buf *text)
{
    struct wk_ended *out = wk_arena_alloc(&sh->arena, n * sizeof *out);
    for (uint32_t i = 0; out && i < n; i++) {
        size_t from = text->n;
        (void)wk_print_node(text, v[i].node, WK_PRINT_LINE);
        out[i] = (struct wk_ended){v[i].pid, v[i].exit, wk_str(NULL, text->n - from)};
    }
    size_t at = 0;
    for (uint32_t i = 0; out && i < n; at += out[i++].text.n)
        out[i].text = wk_str_take(wk_str_from(wk_buf_str(text), at), out[i].text.n);
    return out;
}

/* The pipeline has ended, with e as its status. */
static enum wk_flow report_stages(struct wk_shell *sh, const struct stage *v, uint32_t n, struct wk_exit e)
{
    wk_jobs_ended(sh);
    if (WK_LIKELY(!e.signal))
        return WK_NEXT;
    struct wk_buf text;
    wk_buf_init(&text, sh->mem, WK_VAL_MAX);
    struct wk_ended *ended = ended_stages(sh, v, n, &text);
    if (ended)
        wk_report_ended(sh, ended, n, e);
    wk_buf_release(&text);
    return ended ? WK_NEXT : wk_sh_nomem(sh);
}

static enum wk_flow pipe_status(struct wk_shell *sh, const struct stage *v, uint32_t n)
{
    int *st = wk_arena_alloc(&sh->arena, n * sizeof *st);
    if (!st)
        return wk_sh_nomem(sh);
    uint32_t decides = n - 1;
    for (uint32_t i = 0; i < n; i++)
        st[i] = wk_exit_status(v[i].exit);
    for (uint32_t i = n; wk_opt(sh, PIPEFAIL) && st[decides] == 0 && i-- > 0;)
        decides = i;
    sh->status = st[decides];
    enum wk_flow flow = report_stages(sh, v, n, v[decides].exit);
    if (WK_UNLIKELY(!sh->pipestatus_n))
        wk_pipestatus_begins(sh);
    return wk_set_pipestatus(sh, st, n) ? wk_sh_nomem(sh) : flow;
}

static struct stage *make_stages(struct wk_shell *sh, struct wk_node *const *cmds, uint32_t n)
{
    struct stage *v = wk_arena_zalloc(&sh->arena, n * sizeof *v);
    for (uint32_t i = 0; v && i < n; i++)
        v[i].node = cmds[i];
    return v;
}

/* What the shell itself has to do (v[mine]), and the end of all. */
static enum wk_flow finish_pipe(struct wk_shell *sh, struct stage *v, uint32_t n, uint32_t mine, bool here)
{
    enum wk_flow flow = WK_NEXT;
    bool watched = !here && sh->st->traps && wk_trap_get(sh, WK_TRAP_ERR);
    if (mine < n && !v[mine].skipped) {
        /* Those that write go first: one that does not read its input must not end before they have had their turn. */
        if (mine > 0)
            (void)wk_yield(sh->task);
        if (here) {
            flow = run_here(sh, &v[mine]);
        } else {
            flow = wk_subshell_inline(sh, v[mine].node, setup_inline, &v[mine], &v[mine].exit);
            close_stage(&v[mine]);
        }
    }
    if (flow == WK_STOP) {
        abandon(sh, v, n);
        return flow;
    }
    if (flow == WK_EXIT && sh->now.exit_signal) /* it has ended, the stages go on */
        return flow;
    enum wk_flow waited = wait_stages(sh, v, n, mine);
    if (waited != WK_NEXT) {
        if (waited == WK_STOP)
            abandon(sh, v, n);
        return waited;
    }
    enum wk_flow set = pipe_status(sh, v, n);
    if (sh->st->traps && !here)
        name_command(sh, v, n);
    if (flow == WK_NEXT && set == WK_NEXT && watched && v[n - 1].node->kind == WK_NODE_SUBSHELL)
        set = wk_eval_check(sh, v[n - 1].node); /* by itself, and then as the pipeline that it ends */
    return flow != WK_NEXT ? flow : set;
}

static enum wk_flow run_pipe(struct wk_shell *sh, const struct wk_node_pipeline *p)
{
    uint32_t n = p->n;
    struct stage *v = make_stages(sh, p->cmds, n);
    if (!v)
        return wk_sh_nomem(sh);
    int e = make_pipes(sh, v, n);
    bool here = wk_shopt(sh, LASTPIPE) && !wk_opt(sh, MONITOR);
    uint32_t mine = here ? n - 1 : inline_stage(sh, v, n);
    enum wk_flow flow = e ? wk_sh_fail(sh, e) : start_stages(sh, v, n, mine, false);
    if (e && flow == WK_NEXT) {
        wk_sh_error(sh, "pipe error: %s", wk_err_text(e));
        sh->status = 1;
        abandon(sh, v, n);
        return WK_NEXT;
    }
    if (flow == WK_STOP) {
        abandon(sh, v, n);
        return flow;
    }
    if (flow == WK_EXIT || flow == WK_RETURN || flow == WK_ABORT) { /* by DEBUG: the stages that were started go on */
        leave_stages(v, n);
        return flow;
    }
    if (WK_UNLIKELY(sh->st->traps != NULL) && !(n = drop_skipped(v, n, here, &mine)))
        return flow;
    int level = sh->flow_level;
    enum wk_flow own = finish_pipe(sh, v, n, mine, here);
    if (own != WK_NEXT)
        return own;
    sh->flow_level = level;
    return flow;
}

/* ---- pipelines ------------------------------------------------------------------------------- */

static enum wk_flow run_parts(struct wk_shell *sh, const struct wk_node_pipeline *p)
{
    if (p->n == 0) {
        sh->status = 0;
        wk_set_status_alone(sh);
        return WK_NEXT;
    }
    if (p->n == 1)
        return wk_eval(sh, p->cmds[0]);
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    enum wk_flow flow = run_pipe(sh, p);
    wk_arena_rewind(&sh->arena, mark);
    return flow;
}

/* Whether bash has left the pipeline, and all around it, without telling its time. */
static bool is_gone(const struct wk_shell *sh, enum wk_flow flow)
{
    bool in_text = sh->command_string || sh->now.in_substitution || sh->texts;
    if (flow == WK_ABORT || (flow == WK_EXIT && sh->exit_by_error))
        return sh->abort_all && in_text;
    return flow == WK_RETURN || (flow == WK_EXIT && wk_ends_at_once(sh));
}

enum wk_flow wk_eval_pipeline(struct wk_shell *sh, const struct wk_node *n)
{
    const struct wk_node_pipeline *p = wk_as_pipeline(n);
    bool invert = (n->flags & WK_PIPE_NOT) != 0;
    struct wk_timing timing;
    sh->now.replace = false;
    if (n->flags & WK_PIPE_TIME)
        wk_timing_start(sh, &timing);
    const struct wk_node *unchecked = sh->unchecked;
    bool negates = invert && !wk_opt(sh, ERREXIT); /* under set -e a ! is a condition as others are */
    sh->now.noerrexit += invert;
    sh->now.negations += negates;
    if (invert && p->n == 1) {
        sh->unchecked = p->cmds[0];
        sh->refused = NULL;
    }
    bool watched = WK_UNLIKELY(sh->st->traps != NULL) && wk_trap_get(sh, WK_TRAP_ERR);
    enum wk_flow flow = run_parts(sh, p);
    sh->now.noerrexit -= invert;
    sh->now.negations -= negates;
    sh->unchecked = unchecked;
    bool cut = flow != WK_NEXT && is_gone(sh, flow);
    cut = cut || (WK_UNLIKELY(sh->task->signal_check) && wk_traps_fatal(sh));
    if (n->flags & WK_PIPE_TIME && !p->n && wk_opt(sh, POSIX))
        wk_timing_print_total(sh);
    else if (n->flags & WK_PIPE_TIME && !cut)
        wk_timing_print(sh, &timing, (n->flags & WK_PIPE_TIME_POSIX) != 0);
    if (invert && (flow == WK_BREAK || flow == WK_CONTINUE))
        sh->status = !sh->status;
    if (flow != WK_NEXT)
        return flow;
    if (invert) {
        if (p->n == 1 && sh->refused == p->cmds[0]) /* as bash: redirections that fail are not turned round */
            return WK_NEXT;
        sh->status = !sh->status;
        if (p->n == 1 && (p->cmds[0]->kind == WK_NODE_ARITH || p->cmds[0]->kind == WK_NODE_COND))
            wk_set_status_alone(sh);
        return WK_NEXT;
    }
    return p->n > 1 ? wk_eval_check_as(sh, n, watched) : WK_NEXT;
}

/* ---- in the background ----------------------------------------------------------------------- */

/* Standard input of a background command without job control is /dev/null, unless a pipe or a
 * redirection of the command around it gave one. */
static int null_stdin(struct wk_shell *sh, struct wk_file **out)
{
    *out = NULL;
    if (wk_opt(sh, MONITOR) || sh->now.stdin_given)
        return 0;
    int e = wk_open(sh->task, "/dev/null", WK_O_RDONLY, 0, out);
    if (e == -WK_ENOENT || e == -WK_EACCES)
        e = wk_bytes_file_new(sh->k, "", 0, false, out);
    return e;
}

static enum wk_flow add_job(struct wk_shell *sh, const struct stage *v, uint32_t count)
{
    struct wk_buf text;
    uint32_t *pids = wk_arena_alloc(&sh->arena, count * sizeof *pids);
    struct wk_str *texts = wk_arena_alloc(&sh->arena, count * sizeof *texts);
    wk_buf_init(&text, sh->mem, 1 << 20);
    struct wk_ended *stages = pids && texts ? ended_stages(sh, v, count, &text) : NULL;
    if (!stages) {
        wk_buf_release(&text);
        return wk_sh_nomem(sh);
    }
    uint32_t n_pids = 0;
    struct wk_buf all; /* without a `!' before it */
    wk_buf_init(&all, sh->mem, 1 << 20);
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            wk_buf_put_c(&all, " | ");
        wk_buf_puts(&all, stages[i].text);
        if (!v[i].running)
            continue;
        texts[n_pids] = stages[i].text;
        pids[n_pids++] = v[i].pid;
    }
    int e = n_pids ? wk_job_add(sh, pids, n_pids, wk_buf_str(&all), texts) : 0;
    wk_buf_release(&all);
    wk_buf_release(&text);
    return e ? wk_sh_nomem(sh) : WK_NEXT;
}

static enum wk_flow async_stages(struct wk_shell *sh, const struct wk_node *n)
{
    const struct wk_node_pipeline *p = wk_as_pipeline(n);
    bool turned = n->kind == WK_NODE_PIPELINE && p->n && n->flags == WK_PIPE_NOT; /* `!' has no effect here */
    bool pipe = n->kind == WK_NODE_PIPELINE && p->n > 1 && (!n->flags || turned);
    struct wk_node *one = turned ? p->cmds[0] : wk_node_mutable(n);
    uint32_t count = pipe ? p->n : 1;
    struct stage *v = make_stages(sh, pipe ? p->cmds : &one, count);
    if (!v)
        return wk_sh_nomem(sh);
    int e = make_pipes(sh, v, count);
    if (!e)
        e = null_stdin(sh, &v[0].in);
    enum wk_flow flow = e ? wk_sh_fail(sh, e) : start_stages(sh, v, count, UINT32_MAX, true);
    if (flow == WK_EXIT || flow == WK_RETURN || flow == WK_ABORT) {
        leave_stages(v, count);
        return flow;
    }
    if (flow == WK_STOP || e) {
        abandon(sh, v, count);
        sh->status = 1;
        return flow;
    }
    uint32_t mine = UINT32_MAX;
    enum wk_flow added = add_job(sh, v, drop_skipped(v, count, false, &mine));
    return added == WK_NEXT ? flow : added;
}

enum wk_flow wk_eval_async(struct wk_shell *sh, const struct wk_node *n)
{
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    if (sh->now.jobs) {
        wk_jobs_poll_late(sh);
        wk_jobs_clean(sh);
    }
    enum wk_flow flow = async_stages(sh, n);
    wk_arena_rewind(&sh->arena, mark);
    if (flow == WK_NEXT || flow == WK_BREAK || flow == WK_CONTINUE) {
        sh->status = 0;
        wk_set_status_alone(sh);
    }
    return flow;
}
