/* eval_capture.c - command substitution: $(…), `…`, $(<file) (bash 3.5.4) */
#include "interp/alias.h"
#include "interp/expand.h"
#include "interp/jobs.h"
#include "interp/run.h"
#include "interp/trap.h"

#include "vfs/vfs.h"

struct capture {
    const struct wk_cmdsub *sub;
    struct wk_file *out; /* write end, held by the child's table alone */
};

static int redirect_out(struct wk_shell *sh, struct capture *c)
{
    struct wk_file *f = c->out;
    c->out = NULL;
    return wk_fd_set(&sh->proc->fds, 1, f, false);
}

static enum wk_flow run_text(struct wk_shell *sh, struct wk_str text, uint32_t line, const char *what)
{
    bool bad;
    enum wk_flow flow = wk_run_text(sh, text, line, what, WK_RUN_EVAL, &bad);
    if (flow == WK_NEXT && bad) {
        sh->status = 2;
        flow = WK_EXIT;
    }
    return flow;
}

enum wk_flow wk_run_with_aliases(struct wk_shell *sh, const struct wk_cmdsub *sub, const char *what)
{
    struct wk_buf b;
    if (sub->text.p)
        return run_text(sh, sub->text, sh->line, what);
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    enum wk_flow flow = wk_print_node(&b, sub->body, WK_PRINT_COMSUB) == 0
                            ? run_text(sh, wk_buf_str(&b), sh->line, what)
                            : wk_sh_nomem(sh);
    wk_buf_release(&b);
    return flow;
}

static enum wk_flow run_sub(struct wk_shell *sh, const struct wk_cmdsub *sub)
{
    static const char what[] = "command substitution";
    if (!wk_shopt(sh, INHERIT_ERREXIT))
        sh->st->options &= ~WK_OPT_BIT(ERREXIT);
    if (sub->flags & WK_CMDSUB_AT_RUN)
        return run_text(sh, sub->text, sh->line, what);
    if (sub->body && wk_aliases_apply_in(sh, sub))
        return wk_run_with_aliases(sh, sub, what);
    sh->now.replace = WK_REPLACE_SUBST;
    sh->xtrace_depth++;
    if (sub->body)
        return wk_eval(sh, sub->body);
    sh->status = 0;
    return WK_NEXT;
}

/* $(<file): its bytes, without a process. */
static enum wk_flow read_file(struct wk_shell *sh, const struct wk_cmdsub *sub, struct wk_buf *out)
{
    const struct wk_redir *r = sub->body->redirs[0];
    struct wk_file *f = NULL;
    struct wk_str path;
    enum wk_flow flow = wk_expand_target(sh, r->word, false, &path);
    sh->status = 1;
    if (flow == WK_NEXT && !path.p)
        wk_sh_error(sh, "%.*s: ambiguous redirect", (int)r->word->source_len, r->word->source);
    if (flow != WK_NEXT || !path.p)
        return flow;
    int e = wk_open(sh->task, path.p, WK_O_RDONLY, 0, &f);
    while (!e) {
        const char *p;
        ptrdiff_t n = wk_file_peek(sh->task, f, 65536, &p);
        if (n == -WK_EINTR)
            continue;
        if (n <= 0) {
            e = (int)n;
            break;
        }
        if (!wk_buf_put(out, p, (size_t)n))
            e = -WK_ENOMEM;
        else
            wk_file_skip(f, (size_t)n);
        if (!e && wk_steps(sh->k, (uint32_t)((size_t)n / 64) + 1) != 0)
            e = -WK_ESTOP;
    }
    if (f)
        wk_file_unref(f);
    if (e == -WK_ENOMEM || e == -WK_ESTOP)
        return wk_sh_fail(sh, e);
    sh->status = f ? 0 : 1; /* a directory opens, and is empty */
    if (f)
        return WK_NEXT;
    wk_sh_error(sh, "%s: %s", path.p, wk_err_text(e));
    return wk_opt(sh, ERREXIT) ? WK_EXIT : WK_NEXT; /* also where a failure is asked for */
}

void wk_subst_jobs(struct wk_shell *sh, const struct wk_cmdsub *sub)
{
    uint32_t line = sh->line;
    if (WK_LIKELY(!sh->now.jobs) || (sub->flags & WK_CMDSUB_BACKQUOTE))
        return;
    sh->line = 1 + (sub->body ? WK_MAX(line, sub->body->end_line) : line);
    wk_jobs_poll_late(sh);
    wk_jobs_notify(sh);
    sh->line = line;
}

enum wk_flow wk_capture_command(struct wk_shell *sh, const struct wk_seg *seg, struct wk_buf *out)
{
    struct capture c = {seg->u.cmdsub, NULL};
    struct wk_inline in;
    struct wk_exit x;
    if ((c.sub->flags & WK_CMDSUB_FILE) && c.sub->body && c.sub->body->n_redirs == 1 &&
        c.sub->body->redirs[0]->op == WK_REDIR_IN && c.sub->body->redirs[0]->fd <= 0) {
        enum wk_flow flow = read_file(sh, c.sub, out);
        sh->last_subst_status = sh->status;
        return flow;
    }
    if (c.sub->body && sh->line && !wk_aliases_apply_in(sh, c.sub))
        wk_cmdsub_number(seg->u.cmdsub, sh->line);
    struct wk_file *w = NULL;
    int e = wk_capture_new(sh->k, out, &w);
    if (e)
        return wk_sh_fail(sh, e);
    wk_subst_jobs(sh, c.sub);
    uint32_t line = sh->line, depth = sh->xtrace_depth;
    e = wk_inline_begin(sh, &in);
    if (e) {
        (void)wk_capture_finish(sh->task, w, true);
        sh->last_subst_status = sh->status = 1;
        return e == -WK_EAGAIN ? WK_NEXT : wk_sh_fail(sh, e);
    }
    c.out = wk_file_ref(w);
    sh->now.is_substitution = true;
    sh->now.in_substitution |= !sh->texts;
    sh->now.exit_command = in.old.command;
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    e = redirect_out(sh, &c);
    uint32_t around = sh->around_line;
    sh->around_line = c.sub->last_line ? c.sub->last_line : line;
    enum wk_flow flow = e ? wk_sh_fail(sh, e) : run_sub(sh, c.sub);
    sh->around_line = around;
    sh->xtrace_depth = depth;
    flow = wk_inline_end(sh, &in, flow, &x);
    wk_arena_rewind(&sh->arena, mark);
    sh->line = line;
    /* A shell that a signal has ended waits for no one. */
    e = wk_capture_finish(sh->task, w, flow == WK_NEXT || (flow == WK_EXIT && !sh->now.exit_signal));
    if (flow == WK_NEXT && e == -WK_ESTOP)
        flow = WK_STOP;
    sh->status = sh->last_subst_status = wk_exit_status(x);
    if (x.signal == WK_SIGINT && flow == WK_NEXT) { /* the interrupt was meant for us, too */
        wk_proc_post(sh->proc, WK_SIGINT);
        if (wk_traps_fatal(sh))
            flow = wk_traps_pending(sh);
    }
    if (flow == WK_NEXT && out->failed)
        flow = wk_sh_nomem(sh);
    return flow;
}
