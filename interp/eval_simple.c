/* eval_simple.c - simple commands: words, assignments, and what the first word runs (bash 3.7) */
#include "interp/expand_parts.h"
#include "interp/lookup.h"
#include "interp/run.h"
#include "interp/trap.h"
#include "interp/vars.h"
#include "interp/vars_special.h"
#include "interp/xtrace.h"

#include "kern/signal.h"

/* What a command word stands for. */
struct target {
    struct wk_func *func;
    const struct wk_builtin *builtin;
};

/* wk_node.cache of a simple command whose literal word names no builtin. */
static const struct wk_builtin no_builtin;

const struct wk_builtin *wk_node_builtin(struct wk_shell *sh, const struct wk_node_simple *s)
{
    const struct wk_builtin *b = s->base.cache;
    if (WK_UNLIKELY(!b)) {
        b = wk_builtin_find(sh, wk_word_text(s->words[0]));
        if (!b)
            b = &no_builtin;
        wk_as_simple(&s->base)->base.cache = (void *)(uintptr_t)b;
    }
    return b == &no_builtin ? NULL : b;
}

/* s: the node when v0 is its literal first word, else NULL. */
static struct target find_target(struct wk_shell *sh, const struct wk_node_simple *s,
                                 struct wk_str v0)
{
    struct target t = {NULL, NULL};
    bool literal = s && s->n_words && (s->words[0]->flags & WK_WORD_LITERAL) &&
                   s->words[0]->name != WK_NAME_NONE;
    t.builtin = literal ? wk_node_builtin(sh, s) : wk_builtin_find(sh, v0);
    if (t.builtin && WK_UNLIKELY(!wk_builtin_enabled(sh, t.builtin)))
        t.builtin = NULL;
    if (t.builtin && (t.builtin->flags & WK_BUILTIN_SPECIAL) && wk_opt(sh, POSIX))
        return t;
    uint32_t id = literal ? s->words[0]->name : wk_names_find(sh->names, v0);
    t.func = id == WK_NAME_NONE ? NULL : wk_func_find(sh, id);
    if (t.func)
        t.builtin = NULL;
    return t;
}

/* ---- $_ -------------------------------------------------------------------------------------- */

static bool set_last_arg(struct wk_shell *sh, struct wk_str s)
{
    struct wk_val *v = sh->now.last_arg;
    if (WK_LIKELY(v && v->refs == 1 && s.n < v->cap)) {
        if (s.n)
            memcpy(v->p, s.p, s.n);
        v->p[s.n] = '\0';
        v->n = (uint32_t)s.n;
        return true;
    }
    v = wk_val_alloc(sh->mem, s.n < 56 ? 64 : s.n + 8);
    if (!v)
        return false;
    memcpy(v->p, s.p, s.n);
    v->p[s.n] = '\0';
    v->n = (uint32_t)s.n;
    wk_val_unref(sh->mem, sh->now.last_arg);
    sh->now.last_arg = v;
    return true;
}

/* It is a local variable, or has attributes: it is never exported, and may refuse. */
static WK_NOINLINE enum wk_flow bind_last_slow(struct wk_shell *sh, uint32_t name, struct wk_str s)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return wk_sh_nomem(sh);
    int r = 0;
    sh->told_fatal = false;
    if (v->flags & WK_VAR_READONLY)
        (void)wk_var_refuse_readonly(sh, name);
    else
        r = wk_var_set(sh, name, s);
    if (WK_UNLIKELY(sh->told_fatal)) {
        sh->told_fatal = false;
        return wk_sh_told(sh);
    }
    v = wk_var_own(sh, name);
    if (v && v->flags & WK_VAR_EXPORT) {
        v->flags &= ~(uint32_t)WK_VAR_EXPORT;
        sh->st->env_gen++;
    }
    if (WK_UNLIKELY(sh->now.arith_failed))
        return wk_sh_arith_failed(sh);
    return r == -WK_ENOMEM ? wk_sh_nomem(sh) : WK_NEXT;
}

/* The command is done: $_ is its last word. */
static enum wk_flow bind_last(struct wk_shell *sh, struct wk_str s)
{
    const uint32_t mask = WK_VAR_DYNAMIC | WK_VAR_EXPORT | WK_VAR_READONLY | WK_VAR_INTEGER |
                          WK_VAR_LOWER | WK_VAR_UPPER | WK_VAR_CAPITAL | WK_VAR_NAMEREF;
    uint32_t name = wk_known(sh, WK_KNOWN_UNDERSCORE);
    const struct wk_var *v = wk_var_peek(sh, name);
    if (WK_UNLIKELY(!v || (v->flags & mask) != WK_VAR_DYNAMIC))
        return bind_last_slow(sh, name, s);
    return set_last_arg(sh, s) ? WK_NEXT : wk_sh_nomem(sh);
}

/* The same after a command that ended as `flow' says: not when it was left half-way. */
static enum wk_flow bound_last(struct wk_shell *sh, enum wk_flow flow, struct wk_str s)
{
    if (WK_UNLIKELY(flow != WK_NEXT && flow != WK_BREAK && flow != WK_CONTINUE))
        return flow;
    enum wk_flow bound = bind_last(sh, s);
    return bound == WK_NEXT ? flow : bound;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* The text of an assignment argument (export a=$b): one field. Lists are assigned at once, and the name stays. */
static enum wk_flow expand_assign_word(struct wk_shell *sh, const struct wk_node_simple *s, uint32_t at,
                                       const struct wk_builtin *b, struct wk_str *field)
{
    const struct wk_word *w = s->words[at];
    if (!w->assign)
        return wk_expand_string(sh, w, WK_EXPAND_DECLARE, field);
    if (!w->assign->compound)
        return wk_assign_word_text(sh, w->assign, field);
    *field = wk_names_str(sh->names, w->assign->name);
    return b && b->assign_list ? b->assign_list(sh, b, s, at) : wk_assign_run(sh, w->assign);
}

/* Words of a command some of which are assignment arguments. */
static enum wk_flow expand_assign_words(struct wk_shell *sh, const struct wk_node_simple *s,
                                        const struct wk_builtin *b, struct wk_fields *out)
{
    for (uint32_t i = 0; i < s->n_words; i++) {
        struct wk_str field;
        bool assign = s->words[i]->flags & WK_WORD_ASSIGN;
        enum wk_flow flow = assign ? expand_assign_word(sh, s, i, b, &field) : wk_expand_word(sh, s->words[i], out);
        if (flow != WK_NEXT)
            return flow;
        if (assign && !wk_fields_add(sh, out, field))
            return wk_sh_nomem(sh);
    }
    return WK_NEXT;
}

/* Whether some word of the command is an assignment argument. */
static bool has_assign_words(const struct wk_node_simple *s)
{
    for (uint32_t i = 1; i < s->n_words; i++) {
        if (s->words[i]->flags & WK_WORD_ASSIGN)
            return true;
    }
    return false;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Redirections, then assignments, which the redirections must not see. With set -x the assignments
 * and words are shown first, where descriptor 2 was. */
static enum wk_flow prepare(struct wk_shell *sh, const struct wk_node_simple *s,
                            const struct wk_str *v, size_t n, bool tempenv,
                            struct wk_redir_undo **undo, bool *ok)
{
    enum wk_flow flow = WK_NEXT;
    bool traced = wk_opt(sh, XTRACE);
    *ok = true;
    if (WK_UNLIKELY(traced)) {
        if (s->n_assigns)
            flow = wk_assign_all(sh, s, tempenv);
        if (flow == WK_NEXT)
            flow = wk_xtrace_words(sh, v, n);
    }
    if (flow == WK_NEXT && s->base.n_redirs)
        flow = wk_redir_apply(sh, (const struct wk_redir *const *)s->base.redirs, s->base.n_redirs,
                              undo, ok);
    if (flow == WK_NEXT && *ok && !traced && s->n_assigns)
        flow = wk_assign_all(sh, s, tempenv);
    return flow;
}

/* A text as a condition does not know the ERR trap around it, which is there again afterwards. */
static enum wk_flow run_apart(struct wk_shell *sh, const struct wk_builtin *b, const struct wk_args *a)
{
    const struct wk_val *got = wk_trap_get(sh, WK_TRAP_ERR);
    char *text = got ? wk_arena_strndup(&sh->arena, got->p, got->n) : NULL;
    size_t n = got ? got->n : 0;
    if (got && (!text || wk_trap_set(sh, WK_TRAP_ERR, wk_str(NULL, 0)) != 0))
        return wk_sh_nomem(sh);
    enum wk_flow flow = b->run(sh, a);
    if (text && wk_trap_set(sh, WK_TRAP_ERR, wk_str(text, n)) != 0)
        return wk_sh_nomem(sh);
    return flow;
}

static enum wk_flow call_builtin(struct wk_shell *sh, const struct wk_builtin *b,
                                 const struct wk_args *a)
{
    const char *outer = sh->builtin_name;
    struct wk_bout *outer_out = sh->bout;
    sh->bout = NULL;
    sh->builtin_name = b->name;
    sh->previous_status = sh->status;
    sh->status = 0;
    sh->told_fatal = false;
    bool apart = WK_UNLIKELY(sh->st->traps != NULL) && b->flags & WK_BUILTIN_TEXT &&
                 sh->now.noerrexit > sh->now.negations && !wk_err_is_apart(sh);
    enum wk_flow flow = apart ? run_apart(sh, b, a) : b->run(sh, a);
    if (WK_UNLIKELY(sh->told_fatal) && flow == WK_NEXT)
        flow = wk_sh_told(sh);
    sh->told_fatal = false;
    sh->builtin_name = outer;
    sh->bout = outer_out;
    if (WK_LIKELY(!sh->now.arith_failed) || flow != WK_NEXT)
        return flow;
    sh->status = sh->previous_status;
    return wk_sh_arith_failed(sh);
}

/* Whether a name is among saved entries [from, to). */
static const struct wk_saved *saved_find(const struct wk_saved *v, uint32_t n, uint32_t name)
{
    for (uint32_t i = 0; i < n; i++) {
        if (v[i].name == name)
            return &v[i];
    }
    return NULL;
}

/* Temporary assignments (entries base … top - 1 of the saved stack) end, but what a builtin such as
 * eval or local has saved above them belongs to the function that runs. */
static enum wk_flow drop_tempenv(struct wk_shell *sh, uint32_t base, uint32_t top)
{
    uint32_t temps = top - base, above = wk_vars_mark(sh) - top;
    struct wk_saved *t = wk_arena_alloc(&sh->arena, (temps + above) * sizeof *t), *a = t + temps;
    if (!t)
        return wk_sh_nomem(sh);
    for (uint32_t i = 0; i < temps + above; i++) {
        t[i] = sh->st->saved->v[base + i];
        t[i].var = wk_var_share(&t[i].var);
    }
    sh->st->saved_n = base;
    int e = 0;
    for (uint32_t i = 0; i < above; i++) {
        if (a[i].name == WK_NAME_NONE) /* unset has brought it back already */
            continue;
        struct wk_saved *old = WK_UNLIKELY(saved_find(t, temps, a[i].name)) ? NULL : &a[i];
        struct wk_var *slot = e ? NULL : wk_var_own(sh, a[i].name);
        if (!slot) {
            wk_var_release(sh->mem, &a[i].var);
            e = -WK_ENOMEM;
            continue;
        }
        if (!old) { /* declared with the name of a temporary: below it lies what was before that */
            wk_var_release(sh->mem, &a[i].var);
            a[i].var = wk_var_share(&saved_find(t, temps, a[i].name)->var);
        }
        struct wk_var now = *slot;
        *slot = a[i].var;
        e = wk_state_save(sh->st, sh->mem, a[i].name, a[i].level, slot);
        if (e)
            wk_var_release(sh->mem, slot);
        *slot = now;
    }
    for (uint32_t i = temps; i-- > 0;) {
        if (t[i].name == WK_NAME_NONE || saved_find(a, above, t[i].name))
            wk_var_release(sh->mem, &t[i].var);
        else
            wk_vars_restore(sh, t[i].name, &t[i].var, true);
    }
    return e ? wk_sh_nomem(sh) : WK_NEXT;
}

static bool ends_posix_shell(const struct wk_shell *sh)
{
    int error = sh->special_error;
    if (error == WK_SPECIAL_USAGE && wk_trap_would_run(sh, WK_TRAP_ERR)) /* which runs instead */
        return false;
    return error == WK_SPECIAL_USAGE ? sh->now.noerrexit <= sh->text_noerrexit : error != WK_SPECIAL_OK;
}

/* What such a builtin sets is its own temporary variable; others set the shell's, too. */
static bool has_scope(const struct wk_builtin *b)
{
    return (b->flags & (WK_BUILTIN_ASSIGNMENT | WK_BUILTIN_TEXT | WK_BUILTIN_OWN)) != 0;
}

static enum wk_flow run_builtin(struct wk_shell *sh, const struct wk_builtin *b,
                                const struct wk_node_simple *s, const struct wk_args *a)
{
    struct wk_redir_undo *undo = NULL;
    bool ok = true;
    bool special = (b->flags & WK_BUILTIN_SPECIAL) && wk_opt(sh, POSIX);
    if (!s)
        return call_builtin(sh, b, a);
    uint32_t base = wk_vars_mark(sh);
    bool keep = false;
    enum wk_flow flow = prepare(sh, s, a->v, a->n, true, &undo, &ok);
    if (WK_UNLIKELY(flow == WK_ABORT) && special && !sh->abort_all)
        flow = wk_sh_discard(sh);
    uint32_t top = wk_vars_mark(sh);
    if (top != base && !(b->flags & WK_BUILTIN_ASSIGNMENT) && !(b->flags & WK_BUILTIN_WORDS))
        wk_vars_set_level(sh, base, sh->func_depth);
    sh->keep_redirections = false;
    sh->special_error = WK_SPECIAL_OK;
    if (flow == WK_NEXT && ok) {
        sh->now.redirected += s->base.n_redirs != 0;
        flow = call_builtin(sh, b, a);
        keep = sh->keep_redirections;
        flow = &s->base == sh->now.alone ? wk_trap_leave_last(sh, flow) : wk_trap_leave(sh, flow);
        sh->now.redirected -= s->base.n_redirs != 0;
        sh->keep_redirections = false; /* not for what this one runs in, such as eval */
    }
    bool temps = top != base && wk_vars_mark(sh) >= top; /* an EXIT trap may have dropped them */
    bool stay = b->flags & WK_BUILTIN_SPECIAL && wk_opt(sh, POSIX) && (special || b->flags & WK_BUILTIN_TEXT);
    if (stay && temps && ok)
        wk_vars_hand_on(sh, base, top);
    if (temps && !has_scope(b) && wk_vars_pass_on(sh, base, top) != 0)
        flow = wk_sh_nomem(sh);
    const char *outer = sh->builtin_name;
    sh->builtin_name = b->flags & WK_BUILTIN_TEXT ? NULL : b->name; /* as the one whose values they are */
    bool ends = WK_UNLIKELY(special) && (!ok || ends_posix_shell(sh));
    if (WK_UNLIKELY(sh->special_error == WK_SPECIAL_TEXT) && sh->in_command) /* also of what the text is run by */
        ends = false;
    else if (WK_UNLIKELY(sh->special_error == WK_SPECIAL_TEXT))
        ends = ends || (wk_opt(sh, POSIX) && b->flags & WK_BUILTIN_WORDS);
    sh->special_error = WK_SPECIAL_OK;
    if (temps && wk_vars_mark(sh) == top) {
        wk_vars_pop(sh, base);
    } else if (temps) {
        enum wk_flow dropped = drop_tempenv(sh, base, top);
        flow = dropped == WK_NEXT ? flow : dropped;
    }
    sh->builtin_name = outer;
    if (WK_UNLIKELY(sh->arith_exits) && flow == WK_NEXT) /* what was handed on has no value */
        flow = wk_sh_arith_failed(sh);
    if (undo && keep && flow == WK_NEXT)
        wk_redir_keep(sh, undo);
    else if (undo)
        wk_redir_undo(sh, undo);
    if (WK_UNLIKELY(flow == WK_EXIT) && s->base.n_redirs)
        return wk_exit_past(sh, flow, WK_LEAVE_REDIRECTED);
    return ends && flow == WK_NEXT && !sh->interactive ? wk_sh_leave(sh, WK_LEAVE_HERE) : flow;
}

static enum wk_flow run_function(struct wk_shell *sh, struct wk_func *f,
                                 const struct wk_node_simple *s, const struct wk_fields *w)
{
    struct wk_redir_undo *undo = NULL;
    enum wk_flow flow = WK_NEXT;
    bool ok = true;
    uint32_t base = wk_vars_mark(sh);
    f->refs++;
    if (s)
        flow = prepare(sh, s, w->v, w->n, true, &undo, &ok);
    if (wk_vars_mark(sh) != base)
        wk_vars_set_level(sh, base, sh->func_depth + 1);
    bool redirected = s && s->base.n_redirs, alone = s && &s->base == sh->now.alone;
    sh->now.redirected += redirected;
    if (ok && flow == WK_NEXT)
        flow = wk_call_function(sh, f, w->v, w->n, alone);
    sh->now.redirected -= redirected;
    if (wk_vars_mark(sh) != base)
        wk_vars_pop(sh, base);
    if (WK_UNLIKELY(alone) && ok)
        flow = wk_trap_leave_last(sh, flow);
    if (undo)
        wk_redir_undo(sh, undo);
    wk_func_unref(sh->mem, f);
    return redirected ? wk_exit_past(sh, flow, WK_LEAVE_REDIRECTED) : flow;
}

static enum wk_flow run_leaf(struct wk_shell *sh, const struct wk_node_simple *s,
                             const struct wk_fields *w, bool replace)
{
    uint32_t base = wk_vars_mark(sh);
    enum wk_flow flow = WK_NEXT;
    int flags = replace ? WK_RUN_EXEC : 0;
    if (WK_UNLIKELY(wk_opt(sh, XTRACE))) {
        if (s->n_assigns)
            flow = wk_assign_for_leaf(sh, s);
        if (flow == WK_NEXT)
            flow = wk_xtrace_words(sh, w->v, w->n);
    } else if (s->n_assigns) {
        flags |= WK_RUN_ASSIGN;
    }
    if (flow == WK_NEXT)
        flow = wk_run_leaf(sh, w->v, w->n, &s->base, flags);
    if (wk_vars_mark(sh) != base) {
        sh->for_others = true;
        wk_vars_pop(sh, base);
        sh->for_others = false;
    }
    return flow;
}

/* A command that is only assignments and redirections. */
static enum wk_flow run_assignments(struct wk_shell *sh, const struct wk_node_simple *s)
{
    enum wk_flow flow = WK_NEXT;
    bool ok = true;
    if (s->n_assigns) {
        flow = wk_assign_all(sh, s, false);
        if (flow != WK_NEXT)
            return flow;
    }
    sh->now.early = false;
    if (s->base.n_redirs) {
        struct wk_redir_undo *undo = NULL;
        flow = wk_redir_apply(sh, (const struct wk_redir *const *)s->base.redirs, s->base.n_redirs,
                              &undo, &ok);
        if (ok)
            wk_redir_undo(sh, undo);
        if (flow != WK_NEXT)
            return flow;
    }
    if (ok)
        sh->status = sh->last_subst_status >= 0 ? sh->last_subst_status : 0;
    return bind_last(sh, WK_STR(""));
}

static enum wk_flow run_fields(struct wk_shell *sh, const struct wk_node_simple *s,
                               const struct wk_fields *w, const struct target *t, bool replace)
{
    sh->now.text_command = false;
    if (t->func)
        return bound_last(sh, run_function(sh, t->func, s, w), w->v[w->n - 1]);
    if (t->builtin) {
        const struct wk_args a = {
            w->v, w->n, w->n == s->n_words ? (const struct wk_word *const *)s->words : NULL};
        enum wk_flow flow = run_builtin(sh, t->builtin, s, &a);
        return bound_last(sh, flow, w->v[w->n - 1]);
    }
    enum wk_flow flow = run_leaf(sh, s, w, replace);
    return replace ? flow : bound_last(sh, flow, w->v[w->n - 1]);
}

/* %job stands for "fg %job", and redirections come too late. */
static enum wk_flow run_job_name(struct wk_shell *sh, const struct wk_fields *w)
{
    struct wk_fields all = {0};
    const struct wk_builtin *fg = wk_builtin_find(sh, WK_STR("fg"));
    if (!wk_fields_reserve(sh, &all, w->n + 1))
        return wk_sh_nomem(sh);
    all.v[0] = WK_STR("fg");
    memcpy(all.v + 1, w->v, w->n * sizeof *w->v);
    all.n = w->n + 1;
    const struct wk_args a = {all.v, all.n, NULL};
    return bound_last(sh, run_builtin(sh, fg, NULL, &a), all.v[w->n]);
}

/* Assignments behind `builtin' are words; behind `command', too, but in a POSIX shell without options. */
static bool only_words(const struct wk_shell *sh, const struct wk_node_simple *s, const struct wk_builtin *b)
{
    if (!b || strcmp(b->name, "command") != 0)
        return b && strcmp(b->name, "builtin") == 0;
    return !wk_opt(sh, POSIX) || wk_str_starts(wk_word_source(s->words[1]), WK_STR("-"));
}

/* set -k: the assignments among the arguments go before the command. */
static const struct wk_node_simple *keywords_first(struct wk_shell *sh, const struct wk_node_simple *s)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < s->n_words; i++)
        n += s->words[i]->assign != NULL;
    if (!n)
        return s;
    struct wk_node_simple *out = wk_arena_alloc(&sh->arena, sizeof *out);
    struct wk_assign *assigns = wk_arena_alloc(&sh->arena, (s->n_assigns + n) * sizeof *assigns);
    struct wk_word **words = wk_arena_alloc(&sh->arena, s->n_words * sizeof(struct wk_word *));
    if (!out || !assigns || !words)
        return NULL;
    *out = *s;
    out->assigns = assigns;
    out->words = words;
    out->n_words = 0;
    if (s->n_assigns)
        memcpy(assigns, s->assigns, s->n_assigns * sizeof *assigns);
    for (uint32_t i = 0; i < s->n_words; i++) {
        if (i && s->words[i]->assign)
            assigns[out->n_assigns++] = *s->words[i]->assign;
        else
            words[out->n_words++] = s->words[i];
    }
    return out;
}

/* The words of the command, and for a stage of a pipeline the level after them. */
static enum wk_flow expand_command(struct wk_shell *sh, const struct wk_node_simple *s, const struct target *t,
                                   struct wk_fields *w)
{
    bool due = sh->level_due;
    sh->level_due = false;
    enum wk_flow flow;
    if (WK_UNLIKELY(s->n_words > 1 && has_assign_words(s) && !only_words(sh, s, t->builtin)))
        flow = expand_assign_words(sh, s, t->builtin, w);
    else
        flow = wk_expand_words(sh, (const struct wk_word *const *)s->words, s->n_words, w);
    sh->st->subshell_depth += due;
    if (WK_LIKELY(flow == WK_NEXT))
        sh->now.early = false;
    return flow;
}

static enum wk_flow simple(struct wk_shell *sh, const struct wk_node_simple *s, uint8_t replace)
{
    struct wk_fields w = {0};
    enum wk_flow flow;
    struct target t = {0};
    sh->last_subst_status = -1;
    if (s->n_words == 0) {
        sh->level_due = false;
        return run_assignments(sh, s);
    }
    if (WK_UNLIKELY(wk_opt(sh, KEYWORD)) && !(s = keywords_first(sh, s)))
        return wk_sh_nomem(sh);
    bool literal = (s->words[0]->flags & WK_WORD_LITERAL) && s->words[0]->name != WK_NAME_NONE;
    if (literal)
        t = find_target(sh, s, wk_word_text(s->words[0]));
    flow = expand_command(sh, s, &t, &w);
    if (WK_UNLIKELY(flow != WK_NEXT))
        return flow;
    if (w.n == 0)
        return run_assignments(sh, s);
    if (!literal)
        t = find_target(sh, NULL, w.v[0]);
    if (WK_UNLIKELY(w.v[0].n && w.v[0].p[0] == '%') && replace != WK_REPLACE_SUBST)
        return run_job_name(sh, &w);
    return run_fields(sh, s, &w, &t, replace != WK_REPLACE_NOT);
}

static enum wk_flow run_simple(struct wk_shell *sh, const struct wk_node *n, uint8_t replace)
{
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    struct wk_procsubs *subs = wk_procsubs_mark(sh);
    bool watched = WK_UNLIKELY(sh->st->traps != NULL) && wk_trap_get(sh, WK_TRAP_ERR);
    enum wk_flow flow = simple(sh, wk_as_simple(n), sh->st->traps ? WK_REPLACE_NOT : replace);
    if (WK_UNLIKELY(sh->now.procsubs != subs))
        wk_procsubs_close(sh, subs);
    wk_arena_rewind(&sh->arena, mark);
    wk_set_status_alone(sh);
    if (WK_UNLIKELY(wk_eval_watched(sh))) /* also when the trap was set here, or lines of a function came between */
        sh->failed_line = n->line;
    sh->running = NULL;
    sh->told_fatal = false;
    if (WK_UNLIKELY(flow != WK_NEXT)) {
        bool out_of_range = (flow == WK_BREAK || flow == WK_CONTINUE) && sh->status && wk_opt(sh, ERREXIT);
        enum wk_flow end = out_of_range ? wk_eval_check_as(sh, n, watched) : WK_NEXT;
        return end == WK_NEXT ? flow : end;
    }
    return WK_LIKELY(sh->status == 0) ? WK_NEXT : wk_eval_check_as(sh, n, watched);
}

/* DEBUG first. A `break' of it lets the command run, and leaves the loop then. */
static WK_NOINLINE enum wk_flow watched(struct wk_shell *sh, const struct wk_node *n, uint8_t replace)
{
    bool skip = false, known = n == sh->debugged; /* the shell around has run it for this process */
    enum wk_flow flow = WK_NEXT;
    sh->failed_line = n->line;
    sh->debugged = NULL;
    if (!known)
        flow = wk_eval_before(sh, n, &skip);
    if ((flow != WK_NEXT && flow != WK_BREAK && flow != WK_CONTINUE) || skip)
        return flow;
    int level = sh->flow_level;
    enum wk_flow own = run_simple(sh, n, replace);
    if (own != WK_NEXT)
        return own;
    sh->flow_level = level;
    return flow;
}

enum wk_flow wk_eval_simple(struct wk_shell *sh, const struct wk_node *n)
{
    uint8_t replace = sh->now.replace;
    sh->now.replace = WK_REPLACE_NOT;
    sh->now.arith_failed = false;
    sh->line = n->line;
    wk_set_command(sh, n);
    return WK_UNLIKELY(wk_eval_watched(sh)) ? watched(sh, n, replace) : run_simple(sh, n, replace);
}

/* ---- by words (command, builtin, exec) ------------------------------------------------------- */

enum wk_flow wk_run_words(struct wk_shell *sh, struct wk_str *v, size_t n, int flags)
{
    struct wk_fields w = {v, n, n};
    struct target t = {NULL, NULL};
    if (!(flags & WK_RUN_EXEC)) {
        t = find_target(sh, NULL, v[0]);
        if (flags & (WK_RUN_NO_FUNCTIONS | WK_RUN_ONLY_BUILTIN)) {
            t.func = NULL;
            t.builtin = wk_builtin_find(sh, v[0]);
            if (t.builtin && !wk_builtin_enabled(sh, t.builtin))
                t.builtin = NULL;
        }
    }
    if (t.func)
        return run_function(sh, t.func, NULL, &w);
    if (t.builtin) {
        const struct wk_args a = {v, n, NULL};
        return run_builtin(sh, t.builtin, NULL, &a);
    }
    return wk_run_leaf(sh, v, n, NULL, flags);
}
