/* leaf.c - leaf commands: starting one, waiting for it, and what is said when that fails */
#include "base/utf8.h"
#include "interp/builtin.h"
#include "interp/expand.h"
#include "interp/job_report.h"
#include "interp/lookup.h"
#include "interp/redir.h"
#include "interp/run.h"
#include "interp/trap.h"
#include "interp/vars.h"
#include "interp/xtrace.h"

#include "kern/signal.h"
#include "vfs/vfs.h"

int wk_leaf_start(struct wk_shell *sh, struct wk_proc *child, const struct wk_leaf *leaf)
{
    enum { FEW = 32 };
    const char *few[FEW];
    const char **argv = few;
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    if (leaf->n + 1 > FEW) {
        argv = wk_arena_alloc(&sh->arena, (leaf->n + 1) * sizeof *argv);
        if (!argv)
            return -WK_ENOMEM;
    }
    for (size_t i = 0; i < leaf->n; i++)
        argv[i] = leaf->v[i].p;
    argv[leaf->n] = NULL;
    struct wk_env *env = leaf->clear_env ? wk_env_new(sh->k, NULL, 0)
                         : leaf->exec    ? wk_vars_env(sh)
                                         : wk_vars_env_of(sh, wk_str_c(leaf->path), leaf->env);
    if (env && leaf->replaces && !leaf->clear_env)
        env = wk_vars_env_replacing(sh, env, leaf->env_less);
    if (!env)
        return -WK_ENOMEM;
    struct wk_spawn s = {.path = leaf->path,
                         .command = leaf->command,
                         .argc = leaf->n,
                         .argv = argv,
                         .env = env,
                         .shell = "bash",
                         .background = child->background};
    uint64_t ignored = child->sig_ignored;
    child->sig_ignored &= ~sh->async_ignores;
    int e = wk_exec_on(child, &s);
    if (e)
        child->sig_ignored = ignored;
    wk_env_unref(env);
    wk_arena_rewind(&sh->arena, mark);
    return e;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Signals that came to this shell, which a child stands in for, go on to the child. */
static void forward_signals(struct wk_shell *sh, uint32_t pid)
{
    uint64_t pending = sh->proc->sig_pending;
    sh->proc->sig_pending = 0;
    sh->task->signal_check = false;
    for (int sig = 1; sig < WK_NSIG; sig++) {
        if (pending & WK_SIGBIT(sig))
            (void)wk_kill(sh->k, NULL, pid, sig);
    }
}

enum wk_flow wk_wait_child(struct wk_shell *sh, struct wk_proc *child, bool replace,
                           struct wk_exit *e)
{
    uint32_t pid = child->pid;
    int flags = 0;
    *e = (struct wk_exit){127, 0};
    for (;;) {
        struct wk_proc *done = NULL;
        int r = wk_proc_wait(sh->task, sh->proc, pid, flags, &done);
        if (WK_LIKELY(r == 0 && done)) {
            *e = done->exit;
            wk_proc_reap(done);
            if (WK_UNLIKELY(sh->proc->sig_pending != 0) && !replace)
                wk_traps_child_ended(sh, *e);
            return WK_NEXT;
        }
        if (r == -WK_EINTR && replace) {
            forward_signals(sh, pid);
        } else if (r == -WK_EINTR) {
            bool interrupt = !replace && !sh->interactive && sh->proc->sig_pending == WK_SIGBIT(WK_SIGINT);
            if (!interrupt && wk_traps_fatal(sh))
                return wk_traps_pending(sh);
            flags = WK_WAIT_NOINTR; /* traps run when the command has ended */
        } else if (r == -WK_ESTOP) {
            if (replace)
                (void)wk_kill(sh->k, NULL, pid, WK_SIGKILL);
            return WK_STOP;
        } else {
            return WK_NEXT;
        }
    }
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* execve(2) failed on an existing path. */
static int exec_error(struct wk_shell *sh, struct wk_str name, const char *path, int err)
{
    struct wk_stat st;
    bool exists =
        wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, wk_str_c(path), 0, &st) == 0;
    if (exists && WK_S_ISDIR(st.mode)) {
        wk_sh_error(sh, "%s: Is a directory", name.p);
        return 126;
    }
    if (err == -WK_ENOENT && exists) {
        wk_sh_error(sh, "%s: cannot execute: required file not found", path);
        return 127;
    }
    if (err == -WK_ENOEXEC) {
        wk_sh_error(sh, "%s: cannot execute binary file: %s", path, wk_err_text(err));
        return 126;
    }
    struct wk_image im;
    if (exists && wk_image_probe(sh->proc, path, &im) == 0 && im.kind == WK_IMAGE_INTERP) {
        uint32_t line = sh->line;
        sh->line = 0; /* bash leaves it out here */
        wk_sh_error(sh, "%s: %s: bad interpreter: %s", path, im.interp, wk_err_text(err));
        sh->line = line;
        return 126;
    }
    wk_sh_error(sh, "%s: %s", path, wk_err_text(err));
    return err == -WK_ENOENT ? 127 : 126;
}

bool wk_has_no_path(struct wk_shell *sh)
{
    char scratch[24];
    struct wk_str dirs;
    uint32_t id = wk_names_find(sh->names, WK_STR("PATH"));
    const struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_peek(sh, id);
    if (v && v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC))
        return v->flags & WK_VAR_ARRAY && wk_var_max_index(sh, id) == 0;
    return id == WK_NAME_NONE || !wk_var_get(sh, id, scratch, &dirs) || dirs.n == 0;
}

static bool is_directory(struct wk_shell *sh, struct wk_str name)
{
    struct wk_stat st;
    return name.n && wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, name, 0, &st) == 0 &&
           WK_S_ISDIR(st.mode);
}

/* A program that could be there says what it takes. */
static bool say_missing(struct wk_shell *sh, struct wk_str name)
{
    struct wk_buf why;
    wk_buf_init(&why, sh->mem, 1024);
    bool known = sh->hooks && sh->hooks->missing && sh->hooks->missing(sh->hooks_ctx, name, &why) && !why.failed;
    if (known)
        wk_sh_error(sh, "%s: command not found: %s", wk_shown_name(sh, name), wk_buf_c(&why));
    wk_buf_release(&why);
    return known;
}

static int say_not_found(struct wk_shell *sh, struct wk_str name, bool no_path)
{
    if (no_path && is_directory(sh, name)) {
        wk_sh_error(sh, "%s: Is a directory", name.p);
        return 126;
    }
    if (!no_path && say_missing(sh, name))
        return 127;
    wk_sh_error(sh, no_path ? "%s: No such file or directory" : "%s: command not found", wk_shown_name(sh, name));
    return 127;
}

int wk_leaf_error(struct wk_shell *sh, struct wk_str name, const char *path, int err)
{
    if (err == -WK_EAGAIN) {
        if (sh->task->stop == WK_STOP_NONE)
            wk_sh_error(sh, "fork: Resource temporarily unavailable");
        return 254;
    }
    if (path)
        return exec_error(sh, name, path, err);
    return say_not_found(sh, name, wk_has_no_path(sh));
}

/* ---- in the foreground ----------------------------------------------------------------------- */

/* command_not_found_handle, in a process of its own, which BASH_SUBSHELL does not count. */
static enum wk_flow run_handle(struct wk_shell *sh, struct wk_func *f, const struct wk_str *v,
                               size_t n, int *status)
{
    struct wk_inline in;
    struct wk_exit e = {127, 0};
    struct wk_str *args = wk_arena_alloc(&sh->arena, (n + 1) * sizeof *args);
    if (!args)
        return wk_sh_nomem(sh);
    args[0] = WK_STR("command_not_found_handle");
    memcpy(args + 1, v, n * sizeof *v);
    int r = wk_inline_begin(sh, &in);
    if (r)
        return wk_sh_fail(sh, r);
    sh->st->subshell_depth--;
    enum wk_flow flow = wk_call_function(sh, f, args, n + 1, false);
    flow = wk_inline_end(sh, &in, flow, &e);
    *status = wk_exit_status(e);
    return flow;
}

static enum wk_flow not_found(struct wk_shell *sh, const struct wk_leaf *leaf, int err, int *status)
{
    bool no_path = !leaf->default_path && wk_has_no_path(sh);
    if (!leaf->path && !no_path) {
        uint32_t id = wk_names_find(sh->names, WK_STR("command_not_found_handle"));
        struct wk_func *f = id == WK_NAME_NONE ? NULL : wk_func_find(sh, id);
        if (f)
            return run_handle(sh, f, leaf->v, leaf->n, status);
    }
    const char *path = leaf->path && no_path ? leaf->v[0].p : leaf->path;
    *status = path || err == -WK_EAGAIN ? wk_leaf_error(sh, leaf->v[0], path, err)
                                        : say_not_found(sh, leaf->v[0], no_path);
    return WK_NEXT;
}

/* Whether the redirections of a command need expansions. */
static bool redirs_expand(const struct wk_node *n)
{
    for (uint32_t i = 0; i < n->n_redirs; i++) {
        const struct wk_word *w = n->redirs[i]->word;
        if (w && !(w->flags & WK_WORD_LITERAL))
            return true;
    }
    return false;
}

/* The redirections of the child: what their expansions set and how they fail is the child's own affair. */
static enum wk_flow redirect(struct wk_shell *sh, struct wk_proc *p, const struct wk_node *node, bool *ok)
{
    const struct wk_redir *const *redirs = (const struct wk_redir *const *)node->redirs;
    if (!redirs_expand(node))
        return wk_redir_child(sh, p, redirs, node->n_redirs, ok);
    struct wk_state st, *mine = sh->st;
    int e = wk_state_fork(&st, mine, sh->mem);
    if (e)
        return wk_sh_fail(sh, e);
    sh->st = &st;
    enum wk_flow flow = wk_redir_child(sh, p, redirs, node->n_redirs, ok);
    sh->st = mine;
    wk_state_release(&st, sh->mem);
    if ((flow == WK_EXIT || flow == WK_ABORT) && !sh->now.exit_signal) {
        *ok = false;
        flow = WK_NEXT;
    }
    return flow;
}

/* Find, redirect, start. *child is NULL when there is nothing to wait for; then the status is set.
 */
static enum wk_flow start(struct wk_shell *sh, struct wk_leaf *leaf, const struct wk_node *node,
                          int flags, struct wk_proc **child)
{
    enum wk_flow flow = WK_NEXT;
    bool ok = true;
    int status = 127;
    *child = NULL;
    int e = 0;
    struct wk_proc *p;
    int r = wk_proc_fork(sh->proc, &p);
    if (r) {
        sh->status = r == -WK_EAGAIN ? wk_leaf_error(sh, leaf->v[0], NULL, r) : 1;
        return r == -WK_EAGAIN ? WK_NEXT : wk_sh_fail(sh, r);
    }
    if (node && node->n_redirs)
        flow = redirect(sh, p, node, &ok);
    if (flow == WK_NEXT && ok && (flags & WK_RUN_ASSIGN))
        flow = wk_assign_for_leaf(sh, wk_as_simple(node));
    leaf->default_path = (flags & WK_RUN_DEFAULT_PATH) != 0;
    if (memchr(leaf->v[0].p, '/', leaf->v[0].n))
        leaf->path = leaf->v[0].p;
    else if (flow == WK_NEXT && ok)
        e = wk_leaf_find(sh, leaf->v[0],
                         (flags & WK_RUN_DEFAULT_PATH ? WK_FIND_DEFAULT_PATH : 0) |
                             (flags & WK_RUN_EXEC ? WK_FIND_LAST : 0),
                         leaf);
    leaf->replaces = (flags & WK_RUN_EXEC) != 0;
    if (flow == WK_NEXT && ok && !e)
        e = wk_leaf_start(sh, p, leaf);
    if (flow == WK_NEXT && ok && !e) {
        *child = p;
        return WK_NEXT;
    }
    if (flow == WK_NEXT && ok && (e == -WK_ENOMEM || e == -WK_ESTOP)) {
        flow = wk_sh_fail(sh, e);
    } else if (flow == WK_NEXT && ok) {
        /* The message goes where the command's own would have gone. */
        struct wk_fdtab *mine = sh->proc->fds;
        sh->proc->fds = p->fds;
        flow = not_found(sh, leaf, e, &status);
        p->fds = sh->proc->fds;
        sh->proc->fds = mine;
        sh->status = status;
    }
    wk_proc_finish(p, (struct wk_exit){1, 0});
    wk_proc_reap(p);
    return flow;
}

enum wk_flow wk_run_leaf(struct wk_shell *sh, const struct wk_str *v, size_t n,
                         const struct wk_node *node, int flags)
{
    struct wk_leaf leaf = {.v = v, .n = n};
    struct wk_proc *child;
    struct wk_exit e;
    enum wk_flow flow = start(sh, &leaf, node, flags, &child);
    bool replace = (flags & WK_RUN_EXEC) != 0;
    if (!child) {
        if (!replace)
            wk_jobs_ended(sh);
        return flow;
    }
    uint32_t pid = child->pid;
    flow = wk_wait_child(sh, child, replace, &e);
    if (flow != WK_NEXT)
        return flow;
    sh->status = wk_exit_status(e);
    if (replace) {
        sh->now.exit_signal = e.signal;
        return WK_NEXT;
    }
    wk_jobs_ended(sh);
    wk_report_signal(sh, pid, e, sh->now.command);
    return WK_NEXT;
}

/* ---- a stage of a pipeline ------------------------------------------------------------------- */

enum wk_flow wk_leaf_prepare(struct wk_shell *sh, const struct wk_node_simple *s,
                             struct wk_proc **child)
{
    struct wk_fields w = {0};
    struct wk_leaf leaf = {0};
    bool ok = true;
    int e = 0;
    *child = NULL;
    sh->line = s->base.line;
    wk_set_command(sh, &s->base);
    enum wk_flow flow =
        wk_expand_words(sh, (const struct wk_word *const *)s->words, s->n_words, &w);
    sh->now.early = sh->now.early && flow != WK_NEXT;
    if (flow == WK_NEXT && wk_opt(sh, XTRACE)) {
        if (s->n_assigns)
            flow = wk_assign_for_leaf(sh, s);
        if (flow == WK_NEXT)
            flow = wk_xtrace_words(sh, w.v, w.n);
    }
    if (flow == WK_NEXT && s->base.n_redirs)
        flow = wk_redir_child(sh, sh->proc, (const struct wk_redir *const *)s->base.redirs,
                              s->base.n_redirs, &ok);
    if (flow == WK_NEXT && ok && s->n_assigns && !wk_opt(sh, XTRACE))
        flow = wk_assign_for_leaf(sh, s);
    if (flow != WK_NEXT || !ok)
        return flow;
    leaf.v = w.v;
    leaf.n = w.n;
    if (memchr(w.v[0].p, '/', w.v[0].n))
        leaf.path = w.v[0].p;
    else
        e = wk_leaf_find(sh, w.v[0], WK_FIND_LAST, &leaf);
    if (!e) {
        struct wk_task *mine = sh->proc->task;
        sh->proc->task = NULL; /* it gets one of its own */
        e = wk_leaf_start(sh, sh->proc, &leaf);
        if (!e) {
            *child = sh->proc;
            return WK_NEXT;
        }
        sh->proc->task = mine;
    }
    if (e == -WK_ENOMEM || e == -WK_ESTOP)
        return wk_sh_fail(sh, e);
    int status = 127;
    flow = not_found(sh, &leaf, e, &status);
    sh->status = status;
    return flow;
}
