/* func.c - functions: definition, calls, scopes (bash 3.3) */
#include "interp/run.h"
#include "interp/trap.h"
#include "interp/vars.h"

#include "base/num.h"

void wk_func_unref(struct wk_mem *m, struct wk_func *f)
{
    if (!f || --f->refs)
        return;
    wk_tree_unref(f->tree);
    wk_val_unref(m, f->source);
    wk_free(m, f);
}

struct wk_func *wk_func_find(struct wk_shell *sh, uint32_t name)
{
    const struct wk_state *st = sh->st;
    uint32_t page = name / WK_PAGE_SLOTS;
    return page < st->nfuncs && st->funcs[page] ? st->funcs[page]->slots[name % WK_PAGE_SLOTS]
                                                : NULL;
}

/* The file that code read now belongs to, as BASH_SOURCE shows it. */
static struct wk_val *current_source(struct wk_shell *sh)
{
    for (const struct wk_frame *f = sh->now.frame; f; f = f->prev) {
        if (f->source)
            return wk_val_ref(f->source);
    }
    return wk_val_new(sh->mem,
                      sh->from_stdin || sh->interactive ? WK_STR("main") : WK_STR("environment"));
}

int wk_func_define(struct wk_shell *sh, const struct wk_node *def)
{
    const struct wk_node_function *d = wk_as_function(def);
    struct wk_func *old = wk_func_find(sh, d->name);
    if (old && (old->flags & WK_VAR_READONLY))
        return -WK_EPERM;
    struct wk_func_page *page = wk_state_own_func_page(sh->st, sh->mem, d->name / WK_PAGE_SLOTS);
    struct wk_func *f = page ? WK_NEW(sh->mem, struct wk_func) : NULL;
    if (!f)
        return -WK_ENOMEM;
    f->refs = 1;
    f->name = d->name;
    f->def = def;
    f->source = current_source(sh);
    if (!f->source) {
        wk_free(sh->mem, f);
        return -WK_ENOMEM;
    }
    f->tree = wk_tree_ref(sh->now.tree);
    struct wk_func **slot = &page->slots[d->name % WK_PAGE_SLOTS];
    f->flags = *slot ? (*slot)->flags & (WK_VAR_EXPORT | WK_VAR_TRACE) : 0;
    if (wk_opt(sh, ALLEXPORT))
        f->flags |= WK_VAR_EXPORT;
    if (f->flags & WK_VAR_EXPORT)
        sh->st->env_gen++;
    wk_func_unref(sh->mem, *slot);
    *slot = f;
    return 0;
}

int wk_func_unset(struct wk_shell *sh, uint32_t name)
{
    struct wk_func *f = wk_func_find(sh, name);
    if (!f)
        return -WK_ENOENT;
    if (f->flags & WK_VAR_READONLY)
        return -WK_EPERM;
    struct wk_func_page *page = wk_state_own_func_page(sh->st, sh->mem, name / WK_PAGE_SLOTS);
    if (!page)
        return -WK_ENOMEM;
    if (f->flags & WK_VAR_EXPORT)
        sh->st->env_gen++;
    struct wk_func **slot = &page->slots[name % WK_PAGE_SLOTS];
    wk_func_unref(sh->mem, *slot);
    *slot = NULL;
    return 0;
}

int wk_func_attributes(struct wk_shell *sh, uint32_t name, uint32_t add, uint32_t remove)
{
    struct wk_func *old = wk_func_find(sh, name);
    if (!old)
        return -WK_ENOENT;
    struct wk_func_page *page = wk_state_own_func_page(sh->st, sh->mem, name / WK_PAGE_SLOTS);
    struct wk_func *f = page ? WK_NEW(sh->mem, struct wk_func) : NULL;
    if (!f)
        return -WK_ENOMEM;
    *f = *old;
    f->refs = 1;
    f->flags = (f->flags | add) & ~remove;
    wk_tree_ref(f->tree);
    if (f->source)
        wk_val_ref(f->source);
    struct wk_func **slot = &page->slots[name % WK_PAGE_SLOTS];
    wk_func_unref(sh->mem, *slot);
    *slot = f;
    sh->st->env_gen++;
    return 0;
}

/* ---- definition ------------------------------------------------------------------------------ */

static bool name_allowed(const struct wk_shell *sh, const struct wk_word *w, struct wk_str name)
{
    if (w && (w->flags & WK_WORD_QUOTED || (w->n_segs && w->segs[0].kind == WK_SEG_PROCSUB)))
        return false;
    if (wk_opt(sh, POSIX))
        return wk_str_is_name(name);
    return memchr(name.p, '$', name.n) == NULL;
}

enum wk_flow wk_eval_function_def(struct wk_shell *sh, const struct wk_node *n)
{
    const struct wk_node_function *d = wk_as_function(n);
    struct wk_str name = wk_names_str(sh->names, d->name);
    sh->line = sh->failed_line = sh->around_line; /* a definition has no line of its own */
    sh->status = 0;
    if (d->name == WK_NAME_NONE || !name_allowed(sh, d->name_word, name)) {
        wk_sh_error(sh, "`%s': not a valid identifier",
                    d->name_word ? d->name_word->source : name.p);
        bool ends = wk_opt(sh, POSIX) && !sh->interactive;
        sh->status = ends ? 2 : 1;
        return ends ? WK_EXIT : wk_eval_check(sh, n);
    }
    if (wk_opt(sh, POSIX)) {
        const struct wk_builtin *b = wk_builtin_find(sh, name);
        if (b && (b->flags & WK_BUILTIN_SPECIAL)) {
            wk_sh_error(sh, "`%s': is a special builtin", name.p);
            sh->status = 2;
            return sh->interactive ? WK_NEXT : WK_EXIT;
        }
    }
    int e = wk_func_define(sh, n);
    if (e == -WK_EPERM) {
        if (!sh->func_depth)
            sh->line = WK_MAX(d->body->end_line, sh->around_line);
        wk_sh_error(sh, "%s: readonly function", name.p);
        sh->status = 1;
        return wk_eval_check(sh, n);
    }
    return e ? wk_sh_nomem(sh) : WK_NEXT;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* FUNCNEST, the script's own limit. */
static bool nested_too_deep(struct wk_shell *sh, struct wk_str name)
{
    char scratch[24];
    struct wk_str v;
    int64_t most;
    uint32_t id = wk_names_find(sh->names, WK_STR("FUNCNEST"));
    if (id == WK_NAME_NONE || !wk_var_get(sh, id, scratch, &v) || wk_parse_i64(v, 10, &most) != 0 ||
        most <= 0 || sh->func_depth < most)
        return false;
    wk_sh_error(sh, "%s: maximum function nesting level exceeded (%lld)", name.p, (long long)most);
    sh->status = 1;
    return true;
}

/* RETURN after the body: at the line of the function, or of the `return' that was run. A signal that came with the
 * last command has its trap here still. */
static enum wk_flow leave_body(struct wk_shell *sh, const struct wk_func *f, enum wk_flow flow)
{
    if (WK_UNLIKELY(sh->task->signal_check) && (flow == WK_NEXT || flow == WK_RETURN) && !wk_traps_fatal(sh)) {
        enum wk_flow t = wk_traps_pending(sh);
        flow = t == WK_NEXT ? flow : t;
    }
    if (flow != WK_NEXT && flow != WK_RETURN)
        return wk_trap_leave(sh, flow);
    if (flow == WK_NEXT)
        sh->line = wk_as_function(f->def)->brace_line;
    enum wk_flow t = wk_trap_run_return(sh, flow == WK_RETURN);
    return t == WK_NEXT ? flow : t;
}

/* Traps around the body. */
static enum wk_flow run_body(struct wk_shell *sh, struct wk_func *f)
{
    const struct wk_node_function *d = wk_as_function(f->def);
    struct wk_hidden_traps hidden;
    enum wk_flow flow;
    bool skip = false;
    if (WK_LIKELY(!sh->st->traps)) {
        flow = wk_eval(sh, d->body);
        return WK_LIKELY(!sh->st->traps) ? flow : leave_body(sh, f, flow);
    }
    wk_traps_hide(sh, (f->flags & WK_VAR_TRACE) != 0, &hidden);
    flow = WK_NEXT;
    if (wk_trap_get(sh, WK_TRAP_DEBUG)) {
        sh->line = wk_as_function(f->def)->brace_line;
        flow = wk_trap_run_debug(sh, &skip);
    }
    if (flow == WK_NEXT && !skip)
        flow = wk_eval(sh, d->body);
    flow = leave_body(sh, f, flow);
    wk_traps_unhide(sh, &hidden);
    return flow;
}

/* After `local -`. */
static void restore_options(struct wk_shell *sh, const struct wk_frame *frame)
{
    struct wk_state *st = sh->st;
    if ((st->options ^ frame->local_options) & WK_OPT_BIT(POSIX)) {
        (void)wk_vars_posix_mode(sh, !wk_opt(sh, POSIX));
        st->shopts = (st->shopts & ~WK_SHOPT_POSIX) | (frame->local_shopts & WK_SHOPT_POSIX);
    }
    st->options = frame->local_options;
}

enum wk_flow wk_call_function(struct wk_shell *sh, struct wk_func *f, const struct wk_str *v,
                              size_t n, bool last)
{
    if (WK_UNLIKELY(sh->func_depth > 0 && nested_too_deep(sh, v[0])))
        return WK_ABORT;
    if (!wk_sh_enter(sh))
        return WK_STOP;
    struct wk_state *st = sh->st;
    struct wk_tree *old_tree = sh->now.tree;
    const struct wk_node *command = sh->now.command;
    struct wk_frame frame = {.prev = sh->now.frame,
                             .kind = WK_FRAME_FUNCTION,
                             .func = f,
                             .source = f->source,
                             .call_line = sh->line,
                             .level = ++sh->func_depth,
                             .saved_base = wk_vars_mark(sh),
                             .params = st->params,
                             .has_params = true,
                             .loop_depth = sh->now.loop_depth,
                             .def_line = f->def->line,
                             .counted = wk_shopt(sh, EXTDEBUG),
                             .n_args = (uint32_t)(n - 1),
                             .args = v + 1};
    f->refs++;
    st->params = (struct wk_params){.v = v + 1, .n = (uint32_t)(n - 1)};
    sh->now.frame = &frame;
    sh->now.loop_depth = 0;
    sh->now.tree = f->tree;
    uint32_t around = sh->around_line, read_line = sh->now.read_line;
    sh->around_line = wk_as_function(f->def)->brace_line;
    sh->running = v[0].p;
    enum wk_flow flow = run_body(sh, f);
    sh->around_line = around;
    sh->now.read_line = read_line;
    if (flow == WK_RETURN)
        flow = WK_NEXT;
    if (WK_UNLIKELY(last) && sh->st->traps && !(flow == WK_EXIT && sh->by_errexit)) {
        sh->now.frame = frame.prev; /* it has the variables still, but no place in FUNCNAME */
        flow = wk_trap_leave_last(sh, flow);
    }
    if (WK_UNLIKELY(frame.has_local_options))
        restore_options(sh, &frame);
    if (wk_vars_mark(sh) != frame.saved_base)
        wk_vars_pop(sh, frame.saved_base);
    if (WK_UNLIKELY(frame.has_getopts))
        st->getopts = frame.getopts; /* OPTIND coming back has reset it */
    wk_param_block_unref(sh->mem, st->params.block);
    st->params = frame.params;
    sh->now.tree = old_tree;
    wk_hold_command(sh, f->tree, command);
    sh->now.frame = frame.prev;
    sh->now.loop_depth = frame.loop_depth;
    sh->func_depth--;
    sh->depth--;
    sh->line = frame.call_line;
    wk_func_unref(sh->mem, f);
    return flow;
}
