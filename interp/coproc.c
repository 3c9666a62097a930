/* coproc.c - coprocesses (bash 3.2.6) */
#include "interp/coproc.h"
#include "interp/expand.h"
#include "interp/jobs.h"
#include "interp/parser.h"
#include "interp/run.h"
#include "interp/vars.h"

#include "base/num.h"

enum { HIGH_FD = 63 };

struct ends {
    struct wk_file *in, *out;
};

static int setup(struct wk_shell *sh, struct wk_proc *child, void *ctx)
{
    struct ends *x = ctx;
    (void)sh;
    int e = wk_fd_set(&child->fds, 0, wk_file_ref(x->in), false);
    return e ? e : wk_fd_set(&child->fds, 1, wk_file_ref(x->out), false);
}

/* Takes the reference; the descriptor or an error. */
static int place_high(struct wk_shell *sh, struct wk_file *f)
{
    for (int fd = HIGH_FD; fd > 9; fd--) {
        if (!wk_fd_get(sh->proc->fds, fd)) {
            int e = wk_fd_set(&sh->proc->fds, fd, f, true);
            return e ? e : fd;
        }
    }
    return wk_fd_add(&sh->proc->fds, HIGH_FD + 1, f, true);
}

/* The same, or the reference goes at once: what came before has failed. */
static int place_between(struct wk_shell *sh, int before, struct wk_file *f)
{
    int fd = before < 0 || !f ? -WK_EBADF : place_high(sh, f);
    if (before < 0 && f)
        wk_file_unref(f);
    return fd;
}

static uint32_t pid_name(struct wk_shell *sh, struct wk_str coproc)
{
    struct wk_buf name;
    wk_buf_init(&name, sh->mem, 1 << 20);
    wk_buf_puts(&name, coproc);
    wk_buf_put_c(&name, "_PID");
    uint32_t id = name.failed ? WK_NAME_NONE : wk_names_intern(sh->names, wk_buf_str(&name));
    wk_buf_release(&name);
    return id;
}

/* NAME=(read write) and NAME_PID. Without NAME there is no NAME_PID; both refusals are only told. */
static int set_variables(struct wk_shell *sh, struct wk_str name, int r, int w, uint32_t pid)
{
    char a[WK_NUM_MAX], b[WK_NUM_MAX];
    struct wk_str v[2] = {wk_str(a, wk_fmt_i64(a, r)), wk_str(b, wk_fmt_i64(b, w))};
    uint32_t id = wk_names_intern(sh->names, name), id_of_pid = pid_name(sh, name);
    if (id == WK_NAME_NONE || id_of_pid == WK_NAME_NONE)
        return -WK_ENOMEM;
    sh->now.coproc = (struct wk_coproc){.pid = pid,
                                    .name = id,
                                    .pid_name = id_of_pid,
                                    .subshell_depth = sh->st->subshell_depth,
                                    .fds = {r, w}};
    int e = wk_var_set_list(sh, id, v, 2);
    if (!e)
        e = wk_var_set_int(sh, id_of_pid, pid);
    return e == -WK_EPERM ? 0 : e;
}

/* Whether the descriptor is still the pipe's, as NAME says. */
static bool still_ours(struct wk_shell *sh, const struct wk_coproc *c, int i)
{
    char scratch[24];
    struct wk_str s;
    bool set;
    int64_t n;
    return wk_var_elem_get(sh, c->name, i, scratch, &s, &set) == 0 && set &&
           wk_parse_i64(s, 10, &n) == 0 && n == c->fds[i];
}

int wk_coproc_waited(struct wk_shell *sh, uint32_t pid)
{
    struct wk_coproc c = sh->now.coproc;
    struct wk_str sub;
    if (WK_LIKELY(!c.pid || (pid && pid != c.pid) || c.subshell_depth != sh->st->subshell_depth))
        return 0;
    sh->now.coproc.pid = 0;
    for (int i = 0; i < 2; i++)
        if (c.fds[i] >= 0 && still_ours(sh, &c, i))
            (void)wk_fd_close(&sh->proc->fds, c.fds[i]);
    uint32_t name = c.name;
    const struct wk_var *v = wk_var_resolve(sh, &name, &sub) == 0 ? wk_var_peek(sh, name) : NULL;
    int r = 0;
    if (v && v->flags & WK_VAR_READONLY)
        wk_sh_error(sh, "%s: cannot unset: readonly variable", wk_names_str(sh->names, name).p);
    else if (v && !sub.p)
        r = wk_var_unset(sh, name);
    struct wk_var *p = wk_var_own(sh, c.pid_name);
    if (!p)
        return -WK_ENOMEM;
    p->flags &= ~(uint32_t)WK_VAR_READONLY;
    return r == -WK_ENOMEM ? r : wk_var_unset(sh, c.pid_name);
}

int wk_coproc_closed(struct wk_shell *sh, int fd)
{
    struct wk_coproc *c = &sh->now.coproc;
    int e = 0;
    for (int i = 0; WK_UNLIKELY(c->pid) && i < 2; i++) {
        if (c->fds[i] != fd || c->subshell_depth != sh->st->subshell_depth)
            continue;
        c->fds[i] = -1;
        e = wk_var_elem_set_int(sh, c->name, i, -1);
    }
    return e == -WK_ENOMEM ? e : 0;
}

void wk_coproc_leave(struct wk_shell *sh, struct wk_proc *child)
{
    for (int i = 0; i < 2; i++) {
        if (sh->now.coproc.fds[i] >= 0 && wk_fd_get(child->fds, sh->now.coproc.fds[i]))
            (void)wk_fd_close(&child->fds, sh->now.coproc.fds[i]);
    }
}

/* Another one goes on beside it. */
static void warn_of_another(struct wk_shell *sh)
{
    uint32_t line = sh->line;
    if (!sh->now.coproc.pid)
        return;
    sh->line = sh->around_line;
    wk_sh_error(sh, "warning: execute_coproc: coproc [%u:%s] still exists", sh->now.coproc.pid,
                wk_names_str(sh->names, sh->now.coproc.name).p);
    sh->line = line;
}

static enum wk_flow begin(struct wk_shell *sh, const struct wk_node *n, struct wk_str name)
{
    const struct wk_node_coproc *c = wk_as_coproc(n);
    struct wk_file *child_in = NULL, *my_out = NULL, *my_in = NULL, *child_out = NULL;
    struct wk_proc *child = NULL;
    int e = wk_pipe_new(sh->k, &child_in, &my_out);
    if (e)
        child_in = my_out = NULL;
    else if ((e = wk_pipe_new(sh->k, &my_in, &child_out)) != 0)
        my_in = child_out = NULL;
    struct ends x = {child_in, child_out};
    struct wk_async a = {
        .body = c->body, .tree = sh->now.tree, .setup = setup, .ctx = &x, .stdin_given = true,
        .coproc = true, .background = true};
    if (!e)
        e = wk_subshell_async(sh, &a, &child);
    /* The child's ends take numbers between ours for a moment, as both pipes are made before it starts. */
    int r = e ? e : place_high(sh, my_in);
    int between = place_between(sh, r, child_out), next = place_between(sh, between, child_in);
    int w = r < 0 ? r : place_high(sh, my_out);
    if (between >= 0)
        (void)wk_fd_close(&sh->proc->fds, between);
    if (next >= 0)
        (void)wk_fd_close(&sh->proc->fds, next);
    if (e || r < 0 || w < 0) {
        if (e && my_in)
            wk_file_unref(my_in);
        if ((e || r < 0) && my_out)
            wk_file_unref(my_out);
        sh->status = 1;
        return wk_sh_fail(sh, e ? e : r < 0 ? r : w);
    }
    uint32_t pid = child->pid;
    struct wk_buf text;
    wk_buf_init(&text, sh->mem, 1 << 20);
    (void)wk_print_node(&text, n, WK_PRINT_LINE);
    e = wk_job_add(sh, &pid, 1, wk_buf_str(&text), NULL);
    wk_buf_release(&text);
    uint32_t line = sh->line;
    sh->line = sh->around_line;
    if (!e)
        e = set_variables(sh, name, r, w, pid);
    sh->line = line;
    sh->status = e ? 1 : 0;
    return e == -WK_ENOMEM ? wk_sh_nomem(sh) : WK_NEXT;
}

enum wk_flow wk_eval_coproc(struct wk_shell *sh, const struct wk_node *n)
{
    const struct wk_node_coproc *c = wk_as_coproc(n);
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    struct wk_str name = c->name;
    enum wk_flow flow = WK_NEXT;
    sh->line = n->line;
    warn_of_another(sh);
    if (c->word)
        flow = wk_expand_string(sh, c->word, WK_EXPAND_STRING, &name);
    if (flow == WK_NEXT && !wk_str_is_name(name)) {
        sh->line = sh->around_line;
        wk_sh_error(sh, "`%s': not a valid identifier", name.n ? name.p : "(null)");
        sh->status = 1;
        flow = wk_eval_check(sh, n);
    } else if (flow == WK_NEXT) {
        flow = begin(sh, n, name);
    }
    wk_arena_rewind(&sh->arena, mark);
    return flow;
}
