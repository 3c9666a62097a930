/* shell.c - a shell's life, its messages, and the flows that failures become */
#include "interp/history.h"
#include "interp/builtin.h"
#include "interp/eval.h"
#include "interp/jobs.h"
#include "interp/run.h"
#include "interp/start.h"
#include "interp/trap.h"
#include "interp/vars.h"

#include "kern/signal.h"

/* ---- messages -------------------------------------------------------------------------------- */

int wk_sh_write(struct wk_shell *sh, int fd, struct wk_str s)
{
    struct wk_file *f = wk_fd_get(sh->proc->fds, fd);
    if (!f)
        return -WK_EBADF;
    ptrdiff_t n = s.n ? wk_file_write(sh->task, f, s.p, s.n) : 0;
    return n < 0 ? (int)n : 0;
}

/* The file whose code runs, for messages; NULL: $0. */
static const struct wk_val *running_source(const struct wk_shell *sh)
{
    const struct wk_frame *f = sh->now.frame;
    while (f && (f->kind == WK_FRAME_TRAP || f->kind == WK_FRAME_EVAL))
        f = f->prev;
    return f && f->source && f->source->n ? f->source : NULL;
}

void wk_sh_error_prefix(struct wk_shell *sh, struct wk_buf *b)
{
    const struct wk_val *source = sh->interactive ? NULL : running_source(sh);
    if (source)
        wk_buf_puts(b, wk_val_str(source));
    else
        wk_buf_put_c(b, sh->name);
    if (!sh->interactive && sh->line)
        wk_buf_fmt(b, wk_shopt(sh, GNU_ERRFMT) ? ":%u" : ": line %u", sh->line);
    wk_buf_put_c(b, ": ");
}

/* Written even when memory is short: then without the arguments. */
static void write_error(struct wk_shell *sh, const char *builtin, const char *fmt, va_list ap)
    WK_PRINTF(3, 0);
static void write_error(struct wk_shell *sh, const char *builtin, const char *fmt, va_list ap)
{
    struct wk_buf b;
    if (sh->bout)
        wk_bout_flush(sh->bout);
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    wk_sh_error_prefix(sh, &b);
    if (builtin && *builtin)
        wk_buf_fmt(&b, "%s: ", builtin);
    wk_buf_vfmt(&b, fmt, ap);
    wk_buf_putc(&b, '\n');
    (void)wk_sh_write(sh, 2, wk_buf_str(&b));
    wk_buf_release(&b);
}

void wk_sh_error(struct wk_shell *sh, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    write_error(sh, NULL, fmt, ap);
    va_end(ap);
}

void wk_sh_builtin_error(struct wk_shell *sh, const char *builtin, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    write_error(sh, builtin, fmt, ap);
    va_end(ap);
}

/* ---- failures -------------------------------------------------------------------------------- */

WK_COLD enum wk_flow wk_sh_nomem(struct wk_shell *sh)
{
    (void)wk_kern_breach(sh->k, WK_LIMIT_MEMORY);
    sh->status = 1;
    return WK_STOP;
}

WK_COLD enum wk_flow wk_sh_fail(struct wk_shell *sh, int err)
{
    if (err == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    if (err == -WK_ESTOP || err == -WK_ELIMIT)
        return WK_STOP;
    return WK_NEXT;
}

WK_COLD enum wk_flow wk_sh_leave(struct wk_shell *sh, enum wk_leave upto)
{
    sh->leaving = (uint8_t)upto;
    sh->by_errexit = sh->exit_by_error = false;
    return WK_EXIT;
}

WK_COLD enum wk_flow wk_sh_leave_failed(struct wk_shell *sh)
{
    bool here = sh->now.is_subshell && sh->texts == sh->now.texts_base && (sh->texts || sh->command_string);
    wk_sh_leave(sh, here || wk_opt(sh, ERREXIT) ? WK_LEAVE_HERE : WK_LEAVE_TEXT);
    sh->exit_by_error = true;
    return WK_EXIT;
}

WK_COLD int wk_sh_end_status(const struct wk_shell *sh)
{
    bool outer = !sh->now.is_subshell || (sh->now.ends_as_outer && sh->texts == sh->now.texts_base);
    return sh->command_string && outer ? 127 : 1;
}

WK_COLD enum wk_flow wk_sh_expansion_failed(struct wk_shell *sh)
{
    sh->status = wk_opt(sh, ERREXIT) && !sh->text_noerrexit ? 1 : wk_sh_end_status(sh);
    sh->abort_all = false;
    return sh->interactive ? WK_ABORT : wk_sh_leave_failed(sh);
}

WK_COLD enum wk_flow wk_sh_discard_as(struct wk_shell *sh, int ends)
{
    bool posix = (ends & WK_DISCARD_ENDS_POSIX) && wk_opt(sh, POSIX);
    bool errexit = (ends & WK_DISCARD_ENDS_ERREXIT) && wk_opt(sh, ERREXIT) && !sh->text_noerrexit;
    sh->abort_all = sh->operand_failed = false;
    sh->exit_by_error = true;
    bool at_once = wk_opt(sh, ERREXIT) && !sh->text_noerrexit;
    sh->status = posix && !sh->interactive && !at_once ? wk_sh_end_status(sh) : 1;
    return (posix || errexit) && !sh->interactive ? wk_sh_leave_failed(sh) : WK_ABORT;
}

WK_COLD enum wk_flow wk_sh_give_up(struct wk_shell *sh)
{
    sh->abort_all = sh->exit_by_error = true;
    sh->status = 1;
    return sh->command_string && !sh->now.is_subshell && !sh->interactive ? wk_sh_leave_failed(sh) : WK_ABORT;
}

WK_COLD enum wk_flow wk_sh_too_many(struct wk_shell *sh, const char *builtin)
{
    wk_sh_builtin_error(sh, builtin, "too many arguments");
    enum wk_flow flow = wk_sh_give_up(sh);
    if (sh->previous_status && !sh->command_string && !sh->now.in_substitution)
        sh->status = sh->previous_status;
    return flow;
}

WK_COLD enum wk_flow wk_sh_arith_failed(struct wk_shell *sh)
{
    sh->now.arith_failed = false;
    bool exits = sh->arith_exits;
    sh->arith_exits = false;
    if (exits)
        return wk_sh_expansion_failed(sh);
    int status = sh->value_failed && !sh->command_string && !sh->now.in_substitution ? sh->status : 0;
    sh->value_failed = false;
    enum wk_flow flow = wk_sh_give_up(sh);
    sh->status = status ? status : sh->status;
    return flow;
}

enum wk_flow wk_sh_subscript_flow(struct wk_shell *sh, enum wk_flow flow)
{
    bool inside = sh->operand_failed && !sh->abort_all;
    return flow == WK_ABORT && !inside ? wk_sh_arith_failed(sh) : flow;
}

enum wk_flow wk_sh_arith_flow(struct wk_shell *sh, enum wk_flow flow, bool *wrong)
{
    *wrong = flow == WK_ABORT && !sh->abort_all && !sh->operand_failed;
    return flow == WK_ABORT && sh->abort_all ? wk_sh_arith_failed(sh) : flow;
}

bool wk_sh_enter(struct wk_shell *sh)
{
    if (WK_LIKELY(++sh->depth <= sh->k->limits.depth || !sh->k->limits.depth))
        return true;
    sh->depth--;
    (void)wk_kern_breach(sh->k, WK_LIMIT_DEPTH);
    return false;
}

/* ---- parameters ------------------------------------------------------------------------------ */

struct wk_param_block *wk_param_block_new(struct wk_mem *m, const struct wk_str *v, size_t n)
{
    size_t bytes = sizeof(struct wk_param_block);
    if (n > UINT32_MAX / 2)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (v[i].n > WK_VAL_MAX || __builtin_add_overflow(bytes, sizeof *v + v[i].n + 1, &bytes))
            return NULL;
    }
    struct wk_param_block *b = wk_alloc(m, bytes);
    if (!b)
        return NULL;
    b->refs = 1;
    b->n = (uint32_t)n;
    char *p = (char *)&b->v[n];
    for (size_t i = 0; i < n; i++) {
        b->v[i] = wk_str(p, v[i].n);
        if (v[i].n)
            memcpy(p, v[i].p, v[i].n);
        p[v[i].n] = '\0';
        p += v[i].n + 1;
    }
    return b;
}

void wk_param_block_unref(struct wk_mem *m, struct wk_param_block *b)
{
    if (b && --b->refs == 0)
        wk_free(m, b);
}

int wk_sh_set_params(struct wk_shell *sh, const struct wk_str *v, size_t n)
{
    struct wk_param_block *b = NULL;
    if (n) {
        b = wk_param_block_new(sh->mem, v, n);
        if (!b)
            return -WK_ENOMEM;
    }
    struct wk_params *p = &sh->st->params;
    struct wk_param_block *old = p->block;
    *p = (struct wk_params){.v = b ? b->v : NULL, .n = (uint32_t)n, .block = b};
    wk_param_block_unref(sh->mem, old);
    return 0;
}

int wk_sh_set_parameters(struct wk_shell *sh, const char *arg0, const struct wk_str *args, size_t n)
{
    struct wk_val *v = wk_val_new(sh->mem, wk_str_c(arg0 ? arg0 : "bash"));
    if (!v)
        return -WK_ENOMEM;
    int e = wk_sh_set_params(sh, args, n);
    if (e) {
        wk_val_unref(sh->mem, v);
        return e;
    }
    wk_val_unref(sh->mem, sh->st->arg0);
    sh->st->arg0 = v;
    sh->name = v->p;
    return 0;
}

/* ---- life ------------------------------------------------------------------------------------ */

static uint64_t default_options(const struct wk_shell_options *o)
{
    uint64_t bits = 0, sh_bits = o->set_options;
    for (int i = 0; i < WK_SETNO_COUNT; i++) {
        if (wk_set_option_table[i].on_by_default)
            bits |= UINT64_C(1) << i;
    }
    if (o->interactive)
        bits |= WK_OPT_BIT(EMACS);
    return (bits | sh_bits | (o->posix ? WK_OPT_BIT(POSIX) : 0)) & ~o->clear_options;
}

static uint64_t default_shopts(const struct wk_shell_options *o)
{
    uint64_t bits = 0;
    for (int i = 0; i < WK_SHOPTNO_COUNT; i++) {
        if (wk_shopt_table[i].on_by_default)
            bits |= UINT64_C(1) << i;
    }
    if (o->interactive)
        bits |= WK_SHOPT_BIT(EXPAND_ALIASES);
    if (default_options(o) & WK_OPT_BIT(POSIX))
        bits |= WK_SHOPT_POSIX;
    return (bits | o->shopts_on) & ~o->shopts_off;
}

/* The parts that no state holds. */
static struct wk_shell *shell_alloc(struct wk_task *t, struct wk_mem *m)
{
    struct wk_shell *sh = WK_NEW(m, struct wk_shell);
    if (!sh)
        return NULL;
    sh->k = t->k;
    sh->task = t;
    sh->mem = m;
    sh->proc = t->proc;
    sh->st = &sh->own_state;
    sh->last_subst_status = -1;
    sh->main_frame.kind = WK_FRAME_MAIN;
    sh->now.frame = &sh->main_frame;
    sh->pipestatus = sh->pipestatus_few;
    sh->pipestatus_cap = WK_COUNTOF(sh->pipestatus_few);
    sh->pipestatus_n = 0; /* until a command has run */
    wk_arena_init(&sh->arena, m);
    return sh;
}

struct wk_shell *wk_shell_new(struct wk_task *t, struct wk_names *names, struct wk_shared *shared,
                              const struct wk_shell_options *o, int *err)
{
    struct wk_shell *sh = shell_alloc(t, t->k->mem);
    *err = -WK_ENOMEM;
    if (!sh)
        return NULL;
    sh->names = names;
    sh->shared = shared;
    sh->interactive = o->interactive;
    sh->posix_at_start = o->posix;
    sh->from_stdin = o->read_stdin;
    sh->name = "bash";
    sh->self = o->self;
    sh->shell_pid = sh->proc->pid;
    sh->command_number = 1;
    sh->st->options = default_options(o);
    sh->st->shopts = default_shopts(o);
    int e = wk_sh_set_parameters(sh, o->arg0, o->args, o->nargs);
    if (!e)
        e = wk_vars_init(sh);
    if (!e && sh->proc->env)
        e = wk_vars_import(sh, sh->proc->env, o->import_functions && !wk_opt(sh, PRIVILEGED));
    if (!e)
        e = wk_vars_start(sh);
    if (e) {
        *err = e;
        wk_shell_free(sh);
        return NULL;
    }
    sh->proc->user = sh;
    sh->proc->quit_ignored = true;
    if (!sh->k->init->user)
        sh->k->init->user = sh;
    *err = 0;
    return sh;
}

void wk_shell_free(struct wk_shell *sh)
{
    if (!sh)
        return;
    struct wk_mem *m = sh->mem;
    if (sh->k->init->user == sh)
        sh->k->init->user = NULL;
    if (sh->proc->user == sh)
        sh->proc->user = NULL;
    wk_val_unref(m, sh->main_frame.source);
    wk_state_release(&sh->own_state, m);
    wk_jobs_free(sh->now.jobs, m);
    if (sh->pipestatus != sh->pipestatus_few)
        wk_free(m, sh->pipestatus);
    wk_val_unref(m, sh->now.last_arg);
    wk_tree_unref(sh->now.command_tree);
    wk_arena_release(&sh->arena);
    wk_free(m, sh);
}

/* ---- a shell for a process beside its parent ------------------------------------------------- */

/* The arguments that BASH_ARGV shows, too. */
static bool copy_args(struct wk_shell *child, struct wk_frame *c)
{
    struct wk_str *v = wk_arena_alloc(&child->arena, ((size_t)c->n_args + 1) * sizeof *v);
    for (uint32_t i = 0; v && i < c->n_args; i++) {
        char *p = wk_arena_strndup(&child->arena, c->args[i].p, c->args[i].n);
        if (!p)
            return false;
        v[i] = wk_str(p, c->args[i].n);
    }
    c->args = v;
    return v != NULL;
}

/* Copies of the frames in progress, outermost last; in the child's arena. */
static int copy_frames(struct wk_shell *child, const struct wk_shell *parent)
{
    struct wk_frame **tail = &child->now.frame;
    for (const struct wk_frame *f = parent->now.frame; f; f = f->prev) {
        struct wk_frame *c =
            f->prev ? wk_arena_alloc(&child->arena, sizeof *c) : &child->main_frame;
        if (!c)
            return -WK_ENOMEM;
        wk_charge(parent->k, sizeof *c);
        *c = *f;
        c->params = (struct wk_params){0};
        c->has_params = false;
        if (c->counted && !copy_args(child, c))
            return -WK_ENOMEM;
        if (c->source)
            wk_val_ref(c->source);
        if (c->func)
            c->func->refs++;
        c->prev = NULL;
        *tail = c;
        tail = &c->prev;
    }
    return 0;
}

static void drop_frames(struct wk_shell *sh)
{
    for (struct wk_frame *f = sh->now.frame; f; f = f->prev) {
        if (f != &sh->main_frame)
            wk_val_unref(sh->mem, f->source);
        if (f->func)
            wk_func_unref(sh->mem, f->func);
    }
}

struct wk_shell *wk_shell_clone(struct wk_shell *parent, bool jobs)
{
    struct wk_shell *sh = shell_alloc(parent->task, parent->mem);
    if (!sh)
        return NULL;
    struct wk_mem *m = sh->mem;
    if (wk_state_fork(&sh->own_state, parent->st, m) != 0) {
        wk_free(m, sh);
        return NULL;
    }
    /* The parent's arena and frames may be gone before the child ends. */
    struct wk_params *p = &sh->own_state.params;
    bool failed = copy_frames(sh, parent) != 0;
    if (!failed && p->n && !p->block) {
        struct wk_param_block *b = wk_param_block_new(m, p->v, p->n);
        failed = !b;
        if (b)
            *p = (struct wk_params){.v = b->v, .n = p->n, .block = b};
    }
    if (!failed)
        failed = wk_set_pipestatus(sh, parent->pipestatus, parent->pipestatus_n) != 0;
    if (!failed && jobs)
        failed = wk_jobs_inherit(sh, parent) != 0;
    sh->names = parent->names;
    sh->shared = parent->shared;
    sh->hooks = parent->hooks;
    sh->hooks_ctx = parent->hooks_ctx;
    sh->name = sh->own_state.arg0 ? sh->own_state.arg0->p : "bash";
    sh->status = parent->status;
    sh->line = parent->line;
    sh->failed_line = parent->failed_line;
    sh->depth = sh->now.base_depth = parent->depth;
    sh->now.loop_depth = parent->now.loop_depth;
    sh->around_line = parent->around_line;
    sh->now.noerrexit = parent->now.noerrexit;
    sh->text_noerrexit = parent->text_noerrexit;
    sh->now.negations = parent->now.negations;
    sh->posix_at_start = parent->posix_at_start;
    sh->command_string = parent->command_string;
    sh->restricted = parent->restricted;
    sh->from_stdin = parent->from_stdin;
    sh->now.stdin_given = parent->now.stdin_given;
    sh->now.last_bg_pid = parent->now.last_bg_pid;
    sh->shell_pid = parent->shell_pid;
    sh->command_number = parent->command_number;
    sh->now.last_arg = parent->now.last_arg ? wk_val_ref(parent->now.last_arg) : NULL;
    sh->xtrace_depth = parent->xtrace_depth;
    sh->func_depth = parent->func_depth;
    sh->source_depth = parent->source_depth;
    sh->texts = sh->now.texts_base = parent->texts;
    sh->now.traps_running = parent->now.traps_running;
    sh->sig_at_start = parent->sig_at_start;
    sh->async_ignores = parent->async_ignores;
    sh->now.traps_hidden = parent->now.traps_hidden;
    sh->trap_status = parent->trap_status;
    sh->now.is_subshell = true;
    sh->now.in_substitution = parent->now.in_substitution;
    sh->own_state.subshell_depth++;
    if (failed) {
        wk_shell_clone_free(sh);
        return NULL;
    }
    return sh;
}

void wk_shell_clone_free(struct wk_shell *sh)
{
    drop_frames(sh);
    wk_shell_free(sh);
}

/* ---- the end of a shell -----------------------------------------------------------------------
 */

struct wk_exit wk_sh_finish(struct wk_shell *sh, enum wk_flow flow)
{
    if (flow == WK_STOP)
        return (struct wk_exit){(uint8_t)sh->status, 0};
    int sig = sh->now.exit_signal;
    if (flow == WK_EXIT && sh->now.exiting && !sig)
        goto out; /* exec: the trap does not run */
    if (WK_UNLIKELY(sh->now.early) && flow != WK_NEXT && !sig)
        wk_traps_regain_exit(sh);
    if (!sh->now.exit_trap_ran && (!sh->now.no_exit_trap || sig)) {
        int status = sh->status;
        if (wk_trap_run_exit(sh) == WK_STOP)
            return (struct wk_exit){(uint8_t)status, 0};
        sig = sh->now.exit_signal;
    }
    sh->now.exit_trap_ran = false;
    if (!sh->now.is_subshell && !sh->no_history)
        wk_history_save(sh);
out:
    return (struct wk_exit){(uint8_t)sh->status, (uint8_t)(sig ? sig : 0)};
}

void wk_sh_reset_after_exit(struct wk_shell *sh)
{
    wk_traps_reset(sh);
    sh->st->options = default_options(&(struct wk_shell_options){.posix = sh->posix_at_start});
    sh->now.exit_signal = 0;
    sh->now.exiting = sh->errexit_pending = sh->now.in_trap = sh->now.exit_trap_ran = sh->exec_ended = false;
    sh->now.traps_running = 0;
    sh->now.signals_running = 0;
    sh->now.traps_hidden = 0;
    sh->now.noerrexit = sh->text_noerrexit = sh->now.negations = sh->now.loop_depth = 0;
    sh->depth = 0;
    sh->now.replace = false;
    sh->task->signal_check = false;
    sh->proc->sig_pending = 0;
    for (uint32_t fd = 3; fd < sh->proc->fds->n; fd++) {
        if (wk_fd_get(sh->proc->fds, (int)fd))
            (void)wk_fd_close(&sh->proc->fds, (int)fd);
    }
}
