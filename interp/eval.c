/* eval.c - evaluation of commands: lists, conditions, loops, case; errexit and its kin */
#include "interp/coproc.h"
#include "interp/arith.h"
#include "interp/cond.h"
#include "interp/job_report.h"
#include "interp/expand.h"
#include "interp/run.h"
#include "interp/trap.h"
#include "interp/vars.h"
#include "interp/xtrace.h"

/* ---- further stack --------------------------------------------------------------------------- */

static int eval_thunk(void *p)
{
    struct wk_deep_call *c = p;
    c->flow = wk_eval(c->sh, c->n);
    return 0;
}

WK_COLD enum wk_flow wk_eval_deep(struct wk_shell *sh, const struct wk_node *n)
{
    struct wk_deep_call c = {sh, n, WK_NEXT};
    int result;
    int e = wk_stack_call(sh->task, eval_thunk, &c, &result);
    return e ? wk_sh_nomem(sh) : c.flow;
}

/* ---- watchers -------------------------------------------------------------------------------- */

WK_NOINLINE enum wk_flow wk_eval_before(struct wk_shell *sh, const struct wk_node *n, bool *skip)
{
    *skip = false;
    if (sh->hooks && sh->hooks->before_command) {
        enum wk_flow flow = sh->hooks->before_command(sh, n);
        if (flow != WK_NEXT)
            return flow;
    }
    if (!sh->st->traps || !wk_trap_get(sh, WK_TRAP_DEBUG))
        return WK_NEXT;
    return wk_trap_run_debug(sh, skip);
}

/* ERR trap and set -e after a command that failed. */
WK_NOINLINE enum wk_flow wk_eval_failed(struct wk_shell *sh, const struct wk_node *n)
{
    if (n == sh->unchecked)
        return WK_NEXT;
    if (sh->st->traps && !sh->err_is_new && wk_trap_get(sh, WK_TRAP_ERR)) {
        if (n->kind == WK_NODE_SUBSHELL) /* others have set it already */
            wk_set_command(sh, n);
        if (n->kind == WK_NODE_SIMPLE)
            sh->failed_line = n->line;
        enum wk_flow flow = wk_trap_run(sh, WK_TRAP_ERR);
        bool leaves_loop = flow == WK_BREAK || flow == WK_CONTINUE;
        if (flow != WK_NEXT && !(leaves_loop && wk_opt(sh, ERREXIT)))
            return flow;
    }
    if (!wk_opt(sh, ERREXIT) || sh->now.noerrexit > sh->now.negations)
        return WK_NEXT;
    wk_sh_leave(sh, sh->now.redirected ? WK_LEAVE_REDIRECTED : WK_LEAVE_HERE);
    sh->by_errexit = true;
    return WK_EXIT;
}

enum wk_flow wk_eval_check_as(struct wk_shell *sh, const struct wk_node *n, bool watched)
{
    sh->err_is_new = !watched;
    enum wk_flow flow = wk_eval_check(sh, n);
    sh->err_is_new = false;
    return flow;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static enum wk_flow eval_list(struct wk_shell *sh, const struct wk_node_list *l)
{
    uint8_t replace = sh->now.replace;
    sh->now.replace = WK_REPLACE_NOT;
    for (uint32_t i = 0; i < l->n; i++) {
        const struct wk_list_item *it = &l->items[i];
        if (WK_UNLIKELY(it->around))
            sh->around_line = it->around;
        enum wk_flow flow;
        if (it->async) {
            flow = wk_eval_async(sh, it->cmd);
        } else {
            sh->now.replace = i + 1 == l->n ? replace : WK_REPLACE_NOT;
            flow = wk_eval(sh, it->cmd);
        }
        if (WK_UNLIKELY(flow != WK_NEXT))
            return flow;
    }
    return WK_NEXT;
}

static enum wk_flow eval_andor(struct wk_shell *sh, const struct wk_node_andor *a)
{
    uint8_t replace = sh->now.replace == WK_REPLACE_SUBSHELL ? sh->now.replace : WK_REPLACE_NOT;
    sh->now.replace = WK_REPLACE_NOT;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct wk_andor_item *it = &a->items[i];
        if ((it->op == WK_ANDOR_AND && sh->status != 0) ||
            (it->op == WK_ANDOR_OR && sh->status == 0))
            continue;
        bool last = i + 1 == a->n;
        sh->now.noerrexit += !last;
        sh->now.replace = last ? replace : WK_REPLACE_NOT;
        enum wk_flow flow = wk_eval(sh, it->cmd);
        sh->now.noerrexit -= !last;
        if (WK_UNLIKELY(flow != WK_NEXT))
            return flow;
    }
    return WK_NEXT;
}

/* ---- conditions and loops -------------------------------------------------------------------- */

static inline enum wk_flow eval_test(struct wk_shell *sh, const struct wk_node *test)
{
    sh->now.noerrexit++;
    enum wk_flow flow = wk_eval(sh, test);
    sh->now.noerrexit--;
    return flow;
}

static enum wk_flow eval_if(struct wk_shell *sh, const struct wk_node_if *c)
{
    uint8_t replace = sh->now.replace & WK_REPLACE_SUBST;
    for (uint32_t i = 0; i < c->n_arms; i++) {
        sh->now.replace = false;
        uint32_t read_line = sh->now.read_line;
        enum wk_flow flow = eval_test(sh, c->arms[i].test);
        sh->now.read_line = read_line;
        if (WK_UNLIKELY(flow != WK_NEXT))
            return flow;
        if (sh->status == 0) {
            sh->now.replace = replace;
            return wk_eval(sh, c->arms[i].body);
        }
    }
    if (c->otherwise) {
        sh->now.replace = replace;
        return wk_eval(sh, c->otherwise);
    }
    sh->status = 0;
    return WK_NEXT;
}

/* What a flow out of a loop's test or body means for the loop: true when the loop ends with *flow.
 */
static bool loop_flow(struct wk_shell *sh, enum wk_flow *flow)
{
    if (WK_LIKELY(*flow == WK_NEXT))
        return false;
    if (*flow == WK_BREAK) {
        if (--sh->flow_level <= 0)
            *flow = WK_NEXT;
        return true;
    }
    if (*flow == WK_CONTINUE) {
        if (--sh->flow_level > 0)
            return true;
        *flow = WK_NEXT;
        return false;
    }
    return true;
}

static enum wk_flow eval_while(struct wk_shell *sh, const struct wk_node_loop *l)
{
    bool until = l->base.kind == WK_NODE_UNTIL;
    int status = 0;
    enum wk_flow flow = WK_NEXT;
    sh->now.replace = false;
    sh->now.loop_depth++;
    for (;;) {
        flow = eval_test(sh, l->test);
        if (WK_UNLIKELY(flow != WK_NEXT)) {
            if (loop_flow(sh, &flow)) {
                if ((sh->status == 0) != until) /* else the test ends the loop all the same */
                    status = sh->status;
                break;
            }
            if (until) /* `continue` is true */
                break;
            continue;
        }
        if ((sh->status == 0) == until)
            break;
        flow = wk_eval(sh, l->body);
        status = sh->status;
        if (WK_UNLIKELY(flow != WK_NEXT) && loop_flow(sh, &flow))
            break;
    }
    sh->now.loop_depth--;
    if (flow == WK_NEXT)
        sh->status = status;
    return flow;
}

/* The head of a for, select, case or (( )) as set -x and DEBUG see it. */
static enum wk_flow before_head(struct wk_shell *sh, const struct wk_node *n, bool *skip)
{
    sh->line = n->line;
    wk_set_command(sh, n);
    *skip = false;
    if (wk_eval_watched(sh)) {
        enum wk_flow flow = wk_eval_before(sh, n, skip);
        if (flow != WK_NEXT || *skip)
            return flow;
    }
    return wk_opt(sh, XTRACE) ? wk_xtrace_head(sh, n) : WK_NEXT;
}

enum wk_flow wk_for_words(struct wk_shell *sh, const struct wk_node_for *f, struct wk_fields *out)
{
    if (f->has_in)
        return wk_expand_words(sh, (const struct wk_word *const *)f->words.v, f->words.n, out);
    /* "$@" as it is now: `set` in the body must not change it. */
    const struct wk_params *p = &sh->st->params;
    out->v = wk_arena_alloc(&sh->arena, (p->n + 1) * sizeof *out->v);
    if (!out->v)
        return wk_sh_nomem(sh);
    for (uint32_t i = 0; i < p->n; i++) {
        char *s = wk_arena_strndup(&sh->arena, p->v[i].p, p->v[i].n);
        if (!s)
            return wk_sh_nomem(sh);
        out->v[i] = wk_str(s, p->v[i].n);
    }
    out->n = out->cap = p->n;
    return WK_NEXT;
}

/* A loop over a nameref makes it refer to each word in turn. */
static int set_nameref(struct wk_shell *sh, uint32_t name, struct wk_str target)
{
    struct wk_str base, sub;
    if (!wk_var_split_target(target, &base, &sub)) {
        wk_sh_error(sh, "`%s': not a valid identifier", target.p);
        return -WK_EPERM;
    }
    if (wk_str_eq(base, wk_names_str(sh->names, name))) {
        wk_sh_error(sh, "%.*s: nameref variable self references not allowed", (int)base.n, base.p);
        return -WK_EPERM;
    }
    struct wk_val *v = wk_val_new(sh->mem, target);
    struct wk_var *slot = v ? wk_var_own(sh, name) : NULL;
    if (!slot) {
        wk_val_unref(sh->mem, v);
        return -WK_ENOMEM;
    }
    wk_val_unref(sh->mem, slot->text);
    slot->text = v;
    slot->flags |= WK_VAR_TEXT | WK_VAR_SET;
    return 0;
}

/* The reference at the end of a chain of them is the one that is set; what leads round in a circle is refused, but for
 * a function's own, which means the global variable. */
static int set_last_nameref(struct wk_shell *sh, const struct wk_var *v, uint32_t name, struct wk_str target)
{
    uint32_t end = name;
    struct wk_str sub;
    if (v->flags & WK_VAR_LOCAL && v->text && wk_str_eq(wk_val_str(v->text), wk_names_str(sh->names, name)))
        return wk_var_set(sh, name, target);
    int e = wk_var_resolve(sh, &end, &sub);
    while (!e && v->text) {
        uint32_t next = wk_names_find(sh->names, wk_val_str(v->text));
        v = next == WK_NAME_NONE ? NULL : wk_var_peek(sh, next);
        if (!v || !(v->flags & WK_VAR_NAMEREF))
            break;
        name = next;
    }
    return e ? e : set_nameref(sh, name, target);
}

/* Set the loop's variable; *stop after an error. */
static enum wk_flow for_assign(struct wk_shell *sh, const struct wk_node_for *f,
                               struct wk_str value, bool *stop)
{
    const struct wk_var *v = wk_var_peek(sh, f->var->name);
    sh->now.arith_failed = false;
    uint32_t flags = v ? v->flags : 0;
    if (WK_UNLIKELY((flags & (WK_VAR_DYNAMIC | WK_VAR_NAMEREF)) == WK_VAR_DYNAMIC))
        wk_special_look(sh, v, 1);
    if (WK_UNLIKELY(flags & WK_VAR_NOASSIGN)) {
        *stop = true;
        sh->status = 1;
        return WK_NEXT;
    }
    bool reference = flags & WK_VAR_NAMEREF && !(flags & WK_VAR_READONLY);
    sh->told_readonly = false;
    int e = reference ? set_last_nameref(sh, v, f->var->name, value) : wk_var_set(sh, f->var->name, value);
    if (WK_LIKELY(e == 0))
        return WK_NEXT;
    *stop = true;
    if (sh->now.arith_failed)
        return wk_sh_arith_failed(sh);
    sh->status = 1;
    if (reference && e == -WK_EPERM && !sh->told_readonly) /* what cannot be a name only ends the loop */
        return WK_NEXT;
    return wk_loop_refused(sh, e);
}

enum wk_flow wk_loop_refused(struct wk_shell *sh, int e)
{
    sh->status = 1;
    if (e != -WK_EPERM)
        return wk_sh_fail(sh, e);
    enum wk_flow flow = wk_sh_discard_as(sh, WK_DISCARD_ENDS_POSIX | WK_DISCARD_ENDS_ERREXIT);
    return flow == WK_EXIT ? flow : WK_NEXT;
}

static enum wk_flow for_turns(struct wk_shell *sh, const struct wk_node_for *f,
                              const struct wk_fields *w)
{
    enum wk_flow flow = WK_NEXT;
    int status = 0;
    bool stop = false;
    sh->now.loop_depth++;
    for (size_t i = 0; i < w->n && !stop; i++) {
        bool skip;
        if (WK_UNLIKELY(wk_eval_watched(sh) || wk_opt(sh, XTRACE))) {
            enum wk_flow head = flow = before_head(sh, &f->base, &skip);
            if (flow != WK_NEXT && loop_flow(sh, &flow))
                break;
            if (skip || head != WK_NEXT)
                continue;
        } else {
            sh->line = f->base.line;
        }
        flow = for_assign(sh, f, w->v[i], &stop);
        if (flow != WK_NEXT || stop) {
            status = 1;
            break;
        }
        flow = wk_eval(sh, f->body);
        status = sh->status;
        if (WK_UNLIKELY(flow != WK_NEXT) && loop_flow(sh, &flow))
            break;
    }
    sh->now.loop_depth--;
    if (flow == WK_NEXT)
        sh->status = status;
    return flow;
}

static enum wk_flow eval_for(struct wk_shell *sh, const struct wk_node_for *f)
{
    sh->now.replace = false;
    sh->line = f->base.line;
    if (WK_UNLIKELY(f->var->name == WK_NAME_NONE ||
                    !wk_str_is_name(wk_names_str(sh->names, f->var->name)))) {
        wk_sh_error(sh, "`%s': not a valid identifier", f->var->source);
        bool ends = wk_opt(sh, POSIX) && !sh->interactive;
        sh->status = ends ? 2 : 1;
        return ends ? WK_EXIT : WK_NEXT;
    }
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    struct wk_fields words = {0};
    sh->now.loop_depth++; /* for substitutions in the words: `break' ends their process */
    enum wk_flow flow = wk_for_words(sh, f, &words);
    sh->now.loop_depth--;
    if (flow == WK_NEXT)
        flow = for_turns(sh, f, &words);
    wk_arena_rewind(&sh->arena, mark);
    return flow;
}

/* Errors of (( )) are told in its name. */
static inline enum wk_flow eval_named(struct wk_shell *sh, const struct wk_arith *e, int64_t *out, bool *wrong)
{
    const char *outer = sh->builtin_name;
    sh->builtin_name = sh->running = "((";
    sh->told_fatal = false;
    enum wk_flow flow = wk_arith_eval(sh, e, out);
    sh->builtin_name = outer;
    if (WK_UNLIKELY(sh->told_fatal)) {
        *wrong = false;
        return wk_sh_told(sh);
    }
    return WK_LIKELY(flow == WK_NEXT) ? flow : wk_sh_arith_flow(sh, flow, wrong);
}

/* set -x shows an expression when it is expanded: *out is that text, to be evaluated (no pointer: as it stands). */
static enum wk_flow trace_arith(struct wk_shell *sh, const struct wk_arith *e, struct wk_str *out)
{
    *out = wk_str(NULL, 0);
    if (!e || !e->word)
        return wk_xtrace_arith(sh, e ? e->text : WK_STR("1"));
    enum wk_flow flow = wk_expand_string(sh, e->word, WK_EXPAND_HEREDOC, out);
    return flow == WK_NEXT ? wk_xtrace_arith(sh, *out) : flow;
}

static enum wk_flow eval_traced(struct wk_shell *sh, struct wk_str text, int64_t *out, bool *wrong)
{
    const char *outer = sh->builtin_name;
    sh->builtin_name = sh->running = "((";
    enum wk_flow flow = wk_arith_text(sh, text, out);
    sh->builtin_name = outer;
    return wk_sh_arith_flow(sh, flow, wrong);
}

/* One expression of a C-style for: false with *flow set when the loop cannot go on. */
static bool cfor_eval(struct wk_shell *sh, const struct wk_node_cfor *f, const struct wk_arith *e,
                      int64_t *out, enum wk_flow *flow)
{
    struct wk_str text = {NULL, 0};
    bool wrong = false;
    *out = 1;
    sh->running = "((";
    sh->line = f->base.line;
    if (WK_UNLIKELY(wk_eval_watched(sh) || wk_opt(sh, XTRACE))) {
        bool skip = false;
        wk_set_command(sh, &f->base);
        sh->command_part = e;
        if (wk_eval_watched(sh))
            *flow = wk_eval_before(sh, &f->base, &skip);
        if (*flow == WK_NEXT && wk_opt(sh, XTRACE))
            *flow = trace_arith(sh, e, &text);
        if (*flow != WK_NEXT)
            return false;
    }
    if (!e) /* nothing is 1 */
        return true;
    *flow = WK_UNLIKELY(text.p != NULL) ? eval_traced(sh, text, out, &wrong) : eval_named(sh, e, out, &wrong);
    if (WK_LIKELY(*flow == WK_NEXT))
        return true;
    if (wrong) { /* an arithmetic error ends the loop only */
        sh->status = 1;
        *flow = WK_NEXT;
    }
    return false;
}

static enum wk_flow cfor_turns(struct wk_shell *sh, const struct wk_node_cfor *f)
{
    enum wk_flow flow = WK_NEXT;
    int64_t v;
    int status = 0;
    sh->now.replace = false;
    sh->now.loop_depth++;
    if (!cfor_eval(sh, f, f->init, &v, &flow)) {
        sh->now.loop_depth--;
        return flow;
    }
    for (;;) {
        if (!cfor_eval(sh, f, f->test, &v, &flow)) {
            sh->now.loop_depth--;
            return flow;
        }
        if (v == 0)
            break;
        flow = wk_eval(sh, f->body);
        status = sh->status;
        if (WK_UNLIKELY(flow != WK_NEXT) && loop_flow(sh, &flow))
            break;
        if (!cfor_eval(sh, f, f->step, &v, &flow)) {
            sh->now.loop_depth--;
            return flow;
        }
    }
    sh->now.loop_depth--;
    if (flow == WK_NEXT)
        sh->status = status;
    return flow;
}

static enum wk_flow eval_cfor(struct wk_shell *sh, const struct wk_node_cfor *f)
{
    uint32_t read_line = sh->now.read_line;
    enum wk_flow flow = cfor_turns(sh, f);
    sh->now.read_line = read_line;
    return flow;
}

static enum wk_flow eval_case(struct wk_shell *sh, const struct wk_node_case *c)
{
    bool skip;
    bool replace = sh->now.replace == WK_REPLACE_SUBST;
    sh->now.replace = WK_REPLACE_NOT;
    enum wk_flow flow = before_head(sh, &c->base, &skip);
    if (flow != WK_NEXT || skip)
        return flow;
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    struct wk_str text;
    flow = wk_expand_string(sh, c->word, WK_EXPAND_STRING, &text);
    bool nocase = wk_shopt(sh, NOCASEMATCH), fall = false;
    int status = 0;
    for (uint32_t i = 0; i < c->n_items && flow == WK_NEXT; i++) {
        const struct wk_case_item *it = &c->items[i];
        bool hit = fall;
        for (uint32_t j = 0; j < it->patterns.n && !hit && flow == WK_NEXT; j++)
            flow = wk_match_word(sh, text, it->patterns.v[j], nocase, &hit);
        if (!hit || flow != WK_NEXT)
            continue;
        status = 0;
        if (it->body) {
            sh->now.replace = replace && it->end == WK_CASE_BREAK;
            flow = wk_eval(sh, it->body);
            status = sh->status;
        }
        if (flow != WK_NEXT || it->end == WK_CASE_BREAK)
            break;
        fall = it->end == WK_CASE_FALL;
    }
    wk_arena_rewind(&sh->arena, mark);
    if (flow == WK_NEXT)
        sh->status = status;
    return flow;
}

static enum wk_flow eval_arith(struct wk_shell *sh, const struct wk_node_arith *a)
{
    int64_t v;
    struct wk_str text = {NULL, 0};
    sh->line = sh->failed_line = a->base.end_line;
    wk_set_command(sh, &a->base);
    if (WK_UNLIKELY(wk_eval_watched(sh) || wk_opt(sh, XTRACE))) {
        bool skip = false;
        enum wk_flow flow = wk_eval_watched(sh) ? wk_eval_before(sh, &a->base, &skip) : WK_NEXT;
        if (flow == WK_NEXT && !skip && wk_opt(sh, XTRACE))
            flow = trace_arith(sh, a->expr, &text);
        if (flow != WK_NEXT || skip)
            return flow;
    }
    bool wrong = false;
    enum wk_flow flow =
        WK_UNLIKELY(text.p != NULL) ? eval_traced(sh, text, &v, &wrong) : eval_named(sh, a->expr, &v, &wrong);
    if (WK_LIKELY(flow == WK_NEXT)) {
        sh->status = v == 0;
    } else if (wrong) {
        sh->status = 1;
    } else {
        return flow;
    }
    enum wk_flow end = wk_eval_check(sh, &a->base); /* ERR still finds PIPESTATUS of before */
    wk_set_status_alone(sh);
    return end;
}

static enum wk_flow eval_cond(struct wk_shell *sh, const struct wk_node_cond *c)
{
    int status = 1;
    sh->line = sh->failed_line = c->base.line;
    wk_set_command(sh, &c->base);
    if (WK_UNLIKELY(wk_eval_watched(sh))) {
        bool skip = false;
        enum wk_flow flow = wk_eval_before(sh, &c->base, &skip);
        if (flow != WK_NEXT || skip)
            return flow;
    }
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    sh->now.arith_failed = false;
    enum wk_flow flow = wk_cond_status(sh, c->expr, &status);
    wk_arena_rewind(&sh->arena, mark);
    if (WK_UNLIKELY(sh->now.arith_failed) && flow == WK_NEXT)
        flow = wk_sh_arith_failed(sh);
    if (flow != WK_NEXT)
        return flow;
    sh->status = status;
    enum wk_flow end = wk_eval_check(sh, &c->base); /* ERR still finds PIPESTATUS of before */
    wk_set_status_alone(sh);
    return end;
}

/* ---- a compound command with redirections ---------------------------------------------------- */

static enum wk_flow eval_kind(struct wk_shell *sh, const struct wk_node *n);

/* Is descriptor 0 among them? */
static bool gives_stdin(const struct wk_node *n)
{
    for (uint32_t i = 0; i < n->n_redirs; i++) {
        const struct wk_redir *r = n->redirs[i];
        bool input = r->op == WK_REDIR_IN || r->op == WK_REDIR_RDWR || r->op == WK_REDIR_DUP_IN ||
                     r->op == WK_REDIR_HEREDOC || r->op == WK_REDIR_HERESTR;
        if (input && r->fd <= 0 && r->var == WK_NAME_NONE)
            return true;
    }
    return false;
}

static WK_NOINLINE enum wk_flow eval_redirected(struct wk_shell *sh, const struct wk_node *n)
{
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    struct wk_redir_undo *undo = NULL;
    bool ok = false;
    if (n->kind == WK_NODE_ARITH)
        sh->line = n->end_line;
    else if (n->kind == WK_NODE_CFOR || n->kind == WK_NODE_COND)
        sh->line = n->line;
    else
        sh->line = sh->around_line;
    sh->now.replace = false;
    bool given = sh->now.stdin_given;
    struct wk_procsubs *subs = wk_procsubs_mark(sh);
    enum wk_flow flow =
        wk_redir_apply(sh, (const struct wk_redir *const *)n->redirs, n->n_redirs, &undo, &ok);
    if (flow == WK_NEXT && !ok) {
        sh->refused = n;
        flow = wk_eval_check(sh, n);
    } else if (flow == WK_NEXT) {
        sh->now.stdin_given |= gives_stdin(n);
        flow = eval_kind(sh, n);
        sh->now.stdin_given = given;
    }
    flow = n == sh->now.alone && ok ? wk_trap_leave_last(sh, flow) : wk_trap_leave(sh, flow);
    if (ok)
        wk_redir_undo(sh, undo);
    wk_procsubs_close(sh, subs);
    wk_arena_rewind(&sh->arena, mark);
    return flow;
}

static enum wk_flow eval_subshell(struct wk_shell *sh, const struct wk_node_body *s)
{
    struct wk_inline in;
    struct wk_exit e;
    uint32_t line = sh->line = s->base.end_line;
    int r = wk_inline_begin(sh, &in);
    if (r)
        return r == -WK_EAGAIN ? wk_eval_check(sh, &s->base) : wk_sh_fail(sh, r);
    wk_inline_is_subshell(sh, &in);
    struct wk_redir_undo *undo = NULL;
    bool ok = true;
    enum wk_flow flow = WK_NEXT;
    sh->now.loop_depth = 0;
    sh->now.is_paren = true;
    wk_jobs_hide_outer(sh);
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    sh->now.stdin_given = gives_stdin(&s->base);
    uint32_t around = sh->around_line;
    sh->line = sh->around_line = s->base.end_line; /* the process begins there */
    if (s->base.n_redirs)
        flow = wk_redir_apply(sh, (const struct wk_redir *const *)s->base.redirs, s->base.n_redirs,
                              &undo, &ok);
    sh->now.replace = WK_REPLACE_SUBSHELL;
    if (flow == WK_NEXT && ok)
        flow = wk_eval(sh, s->body);
    sh->now.replace = WK_REPLACE_NOT;
    wk_redir_keep(sh, undo); /* the child's descriptors end with it */
    flow = wk_inline_end(sh, &in, flow, &e);
    sh->around_line = around;
    wk_arena_rewind(&sh->arena, mark);
    sh->line = sh->failed_line = line;
    if (flow != WK_NEXT)
        return flow;
    if (!ok)
        sh->refused = &s->base;
    sh->status = wk_exit_status(e);
    wk_set_status_alone(sh);
    wk_jobs_ended(sh);
    wk_report_signal(sh, in.pid, e, &s->base);
    return wk_eval_check(sh, &s->base);
}

enum wk_flow wk_eval_subshell_here(struct wk_shell *sh, const struct wk_node *n)
{
    const struct wk_node_body *s = wk_as_body(n);
    struct wk_redir_undo *undo = NULL;
    uint8_t replace = sh->now.replace;
    bool ok = true;
    enum wk_flow flow = WK_NEXT;
    sh->now.replace = false;
    sh->now.is_paren = true;
    wk_jobs_hide_outer(sh);
    uint32_t around = sh->around_line;
    sh->line = sh->around_line = n->end_line;
    if (n->n_redirs)
        flow =
            wk_redir_apply(sh, (const struct wk_redir *const *)n->redirs, n->n_redirs, &undo, &ok);
    if (flow == WK_NEXT && ok) {
        sh->now.replace = replace;
        sh->now.stdin_given |= gives_stdin(n);
        flow = wk_eval(sh, s->body);
    }
    sh->around_line = around;
    wk_redir_keep(sh, undo);
    return flow;
}

/* ---- dispatch -------------------------------------------------------------------------------- */

/* for, select and case are what their bodies' compound commands stand in. */
static enum wk_flow eval_around(struct wk_shell *sh, const struct wk_node *n)
{
    uint32_t around = sh->around_line, read_line = sh->now.read_line;
    sh->around_line = n->line;
    enum wk_flow flow = n->kind == WK_NODE_FOR      ? eval_for(sh, wk_as_for(n))
                        : n->kind == WK_NODE_SELECT ? wk_eval_select(sh, n)
                                                    : eval_case(sh, wk_as_case(n));
    sh->around_line = around;
    sh->now.read_line = read_line;
    return flow;
}

static enum wk_flow eval_kind(struct wk_shell *sh, const struct wk_node *n)
{
    switch ((enum wk_node_kind)n->kind) {
    case WK_NODE_SIMPLE:
        return wk_eval_simple(sh, n);
    case WK_NODE_PIPELINE:
        return wk_eval_pipeline(sh, n);
    case WK_NODE_ANDOR:
        return eval_andor(sh, wk_as_andor(n));
    case WK_NODE_LIST:
        return eval_list(sh, wk_as_list(n));
    case WK_NODE_SUBSHELL:
        return eval_subshell(sh, wk_as_body(n));
    case WK_NODE_GROUP:
        sh->now.replace &= WK_REPLACE_SUBST;
        return wk_eval(sh, wk_as_body(n)->body);
    case WK_NODE_IF:
        return eval_if(sh, wk_as_if(n));
    case WK_NODE_WHILE:
    case WK_NODE_UNTIL:
        return eval_while(sh, wk_as_loop(n));
    case WK_NODE_FOR:
    case WK_NODE_SELECT:
    case WK_NODE_CASE:
        return eval_around(sh, n);
    case WK_NODE_CFOR:
        return eval_cfor(sh, wk_as_cfor(n));
    case WK_NODE_ARITH:
        return eval_arith(sh, wk_as_arith(n));
    case WK_NODE_COND:
        return eval_cond(sh, wk_as_cond(n));
    case WK_NODE_FUNCTION:
        return wk_eval_function_def(sh, n);
    case WK_NODE_COPROC:
        return wk_eval_coproc(sh, n);
    }
    return WK_NEXT;
}

/* Commands at whose end bash looks for a signal that ends it. */
static bool looks_at_signals(unsigned kind)
{
    return kind == WK_NODE_ANDOR || kind == WK_NODE_IF || kind == WK_NODE_WHILE || kind == WK_NODE_UNTIL ||
           kind == WK_NODE_FOR || kind == WK_NODE_SELECT || kind == WK_NODE_CASE || kind == WK_NODE_CFOR;
}

enum wk_flow wk_eval(struct wk_shell *sh, const struct wk_node *n)
{
    if (WK_UNLIKELY(wk_stack_low(sh->task)))
        return wk_eval_deep(sh, n);
    if (WK_UNLIKELY(wk_step(sh->k) != 0))
        return WK_STOP;
    if (WK_UNLIKELY(sh->task->signal_check)) {
        enum wk_flow flow = wk_traps_pending(sh);
        if (flow != WK_NEXT)
            return flow;
    }
    if (WK_UNLIKELY(wk_opt(sh, NOEXEC) && !sh->interactive))
        return WK_NEXT;
    bool own = n->n_redirs == 0 || n->kind == WK_NODE_SIMPLE || n->kind == WK_NODE_SUBSHELL ||
               n->kind == WK_NODE_COPROC || n->kind == WK_NODE_FUNCTION;
    enum wk_flow flow = WK_LIKELY(own) ? eval_kind(sh, n) : eval_redirected(sh, n);
    if (WK_UNLIKELY(sh->task->signal_check) && flow == WK_NEXT && looks_at_signals(n->kind))
        flow = wk_traps_pending(sh);
    return flow;
}
