/* jq_compile_call.c - jq's compiler: calls, and the functions that are part of the machine
 *
 * A small function that is not recursive is compiled in place, its arguments where they are named; others are
 * called, with closures for arguments.
 */
#include "builtins/jq_compile.h"

enum {
    MOST_INLINE = 80,     /* nodes of a body that is put in place */
    MOST_INLINED = 4000,  /* nodes put in place within one function */
    MOST_INLINE_DEPTH = 24
};

/* ---- functions of their own ------------------------------------------------------------------ */

static struct jq_fn *make_fn(struct jq_cg *g, const struct jq_node *body, const struct jq_def *def,
                             struct jq_scope *scope, struct jq_code *outer)
{
    struct jq_fn *fn = jq_bump(g->q, sizeof *fn);
    fn->body = body;
    fn->def = def;
    fn->scope = scope;
    fn->outer = outer;
    return fn;
}

/* The function of a definition, or of an argument that was put in place. */
static struct jq_fn *scope_fn(struct jq_cg *g, struct jq_scope *s)
{
    if (!s->fn)
        s->fn = s->kind == JS_DEF ? make_fn(g, s->def->body, s->def, s, s->code)
                                  : make_fn(g, s->node, NULL, s->inner, s->code);
    return s->fn;
}

/* An argument as a closure. One that only names a parameter is that parameter's closure. */
static void make_closure(struct jq_cg *g, const struct jq_node *n, struct jq_scope *scope, struct jq_arg *arg)
{
    struct jq_scope *s = NULL;
    struct jq_code *outer = g->code;
    for (unsigned i = 0; i < 64 && n->kind == JN_CALL && n->n == 0; i++) {
        s = wk_jq_scope_find(g->q, scope, n->name, 0);
        if (!s || s->kind != JS_INLINE)
            break;
        n = s->node;
        scope = s->inner;
        outer = s->code;
        s = NULL;
    }
    if (s && n->kind == JN_CALL && n->n == 0 && s->kind == JS_CLOSURE) {
        arg->fn = NULL;
        arg->hops = wk_jq_hops(g, s->code);
        arg->index = s->slot;
    } else if (s && n->kind == JN_CALL && n->n == 0 && s->kind == JS_DEF) {
        arg->fn = scope_fn(g, s->inner ? s->inner : s);
        arg->hops = wk_jq_hops(g, arg->fn->outer);
    } else {
        arg->fn = make_fn(g, n, NULL, scope, outer);
        arg->hops = wk_jq_hops(g, outer);
    }
}

static struct jq_place finish_call(struct jq_cg *g, struct jq_want *w, enum jq_opcode op, uint32_t a, uint32_t site)
{
    bool path = w->in.path;
    uint32_t v = g->code->nslots++, p = path ? g->code->nslots++ : 0, at = path ? g->code->nslots++ : 0;
    wk_jq_emit(g, op, v, a, path ? w->in.p.ref : 0, site);
    struct jq_ins *i = jq_last(g);
    i->path = path;
    i->d = p;
    i->e = at;
    jq_choice(g);
    struct jq_place out = {jq_temp(g, v), {0}, {0}, path};
    if (path) {
        out.v.temp = false;
        out.p = jq_temp(g, p);
        out.a = jq_alias(jq_temp(g, at));
    }
    if (w->tail)
        wk_jq_return(g, out);
    return out;
}

/* The sites of calls for paths have the input's three operands. */
static void path_operands(struct jq_want *w, struct jq_site *s)
{
    s->operands[0] = w->in.v.ref;
    s->operands[1] = w->in.path ? w->in.p.ref : 0;
    s->operands[2] = w->in.path ? w->in.a.ref : 0;
}

static struct jq_place call_def(struct jq_cg *g, struct jq_want w, struct jq_scope *s)
{
    uint32_t n = w.n->n, index;
    struct jq_opnd *values = wk_heap_calloc(g->q->c->heap, n + 1, sizeof *values);
    bool own = w.own && !w.in.path;
    for (uint32_t i = 0; i < n; i++)
        if (s->def->params[i].is_value) {
            values[i] = wk_jq_gen_value(g, w.n->kids[i], w.scope, w.in, false);
            own = own && values[i].ref != w.in.v.ref;
        }
    struct jq_fn *fn = scope_fn(g, s);
    struct jq_arg *args = wk_heap_calloc(g->q->c->heap, n + 1, sizeof *args);
    for (uint32_t i = 0; i < n; i++) {
        make_closure(g, w.n->kids[i], w.scope, &args[i]);
        args[i].value = s->def->params[i].is_value ? wk_jq_use(g, values[i], true) : UINT32_MAX;
    }
    struct jq_site *site = wk_jq_site(g, n, 3, &index);
    site->n = n;
    if (n)
        memcpy(site->args, args, n * sizeof *args);
    wk_heap_free(g->q->c->heap, args);
    wk_heap_free(g->q->c->heap, values);
    site->fn = fn;
    site->hops = fn->outer ? wk_jq_hops(g, fn->outer) : UINT32_MAX;
    path_operands(&w, site);
    return finish_call(g, &w, OP_CALL, wk_jq_use(g, w.in.v, own), index);
}

static struct jq_place call_closure(struct jq_cg *g, struct jq_want w, struct jq_scope *s)
{
    uint32_t index;
    struct jq_site *site = wk_jq_site(g, 0, 3, &index);
    site->hops = wk_jq_hops(g, s->code);
    site->index = s->slot;
    path_operands(&w, site);
    return finish_call(g, &w, OP_CALL_CLOSURE, wk_jq_use(g, w.in.v, w.own && !w.in.path), index);
}

/* ---- in place -------------------------------------------------------------------------------- */

static bool may_inline(const struct jq_cg *g, uint32_t size)
{
    return size <= MOST_INLINE && g->inlined + size <= MOST_INLINED && g->depth < MOST_INLINE_DEPTH;
}

static struct jq_place inline_def(struct jq_cg *g, struct jq_want w, struct jq_scope *s)
{
    const struct jq_def *d = s->def;
    struct jq_scope *scope = s;
    for (uint32_t i = 0; i < d->nparams; i++) {
        struct jq_scope *value = NULL;
        if (d->params[i].is_value) {
            struct jq_opnd v = wk_jq_gen_value(g, w.n->kids[i], w.scope, w.in, false);
            value = wk_jq_bind_var(g, scope, d->params[i].name, v);
            scope = value;
        }
        scope = wk_jq_scope_add(g->q, scope, JS_INLINE, d->params[i].name, 0);
        scope->node = w.n->kids[i];
        scope->inner = w.scope;
        scope->code = g->code;
    }
    g->inlined += d->body->size;
    g->depth++;
    struct jq_place out = wk_jq_gen(g, (struct jq_want){d->body, scope, w.in, w.own, w.tail});
    g->depth--;
    return out;
}

static struct jq_place inline_argument(struct jq_cg *g, struct jq_want w, struct jq_scope *s)
{
    if (!may_inline(g, s->node->size)) {
        struct jq_fn *fn = scope_fn(g, s);
        uint32_t index;
        struct jq_site *site = wk_jq_site(g, 0, 3, &index);
        site->fn = fn;
        site->n = 0;
        site->hops = fn->outer ? wk_jq_hops(g, fn->outer) : UINT32_MAX;
        path_operands(&w, site);
        return finish_call(g, &w, OP_CALL, wk_jq_use(g, w.in.v, w.own && !w.in.path), index);
    }
    g->inlined += s->node->size;
    w.n = s->node;
    w.scope = s->inner;
    g->depth++;
    struct jq_place out = wk_jq_gen(g, w);
    g->depth--;
    return out;
}

/* ---- builtins -------------------------------------------------------------------------------- */

/* Written in C: one value for each argument, the last argument being the outer loop. */
static struct jq_place call_native(struct jq_cg *g, struct jq_want w, const struct jq_builtin *native)
{
    struct jq_opnd args[WK_JQ_ARGS_MAX + 1];
    uint32_t n = w.n->n, index;
    bool own = w.own && !w.in.path;
    for (uint32_t i = n; i-- > 0;) {
        args[i] = wk_jq_gen_value(g, w.n->kids[i], w.scope, w.in, false);
        own = own && args[i].ref != w.in.v.ref;
    }
    struct jq_site *s = wk_jq_site(g, 0, n + 1, &index);
    s->native = native;
    s->operands[0] = wk_jq_use(g, w.in.v, own);
    for (uint32_t i = 0; i < n; i++)
        s->operands[i + 1] = wk_jq_use(g, args[i], true);
    uint32_t dst = wk_jq_slot(g);
    wk_jq_emit(g, OP_NATIVE, dst, 0, 0, index); /* those without output end the program */
    return jq_no_path(w.in, jq_temp(g, dst));
}

static struct jq_opnd gen_range(struct jq_cg *g, struct jq_want *w)
{
    struct jq_opnd one = wk_jq_const(g, jq_number(1)), zero = wk_jq_const(g, jq_number(0));
    struct jq_opnd v[3] = {zero, one, one};
    uint32_t n = w->n->n;
    for (uint32_t i = 0; i < n; i++)
        v[n == 1 ? 1 : i] = wk_jq_gen_value(g, w->n->kids[i], w->scope, w->in, false);
    uint32_t a = wk_jq_use(g, v[0], true), b = wk_jq_use(g, v[1], true), c = wk_jq_use(g, v[2], true);
    uint32_t dst = wk_jq_slot(g);
    wk_jq_emit(g, OP_RANGE, dst, a, b, c);
    jq_last(g)->x = n == 3;
    jq_choice(g);
    return jq_temp(g, dst);
}

static struct jq_opnd gen_path(struct jq_cg *g, struct jq_want *w)
{
    struct jq_opnd v = jq_alias(w->in.v);
    struct jq_place in = {v, wk_jq_const(g, wk_jq_array(g->q, 0)), v, true};
    struct jq_place out = wk_jq_gen_in(g, w->n->kids[0], w->scope, in, false);
    wk_jq_identical(g, out, JQ_IDENT_END, v);
    return out.p;
}

static struct jq_place gen_getpath(struct jq_cg *g, struct jq_want *w)
{
    struct jq_opnd key = wk_jq_gen_value(g, w->n->kids[0], w->scope, w->in, false);
    bool path = w->in.path;
    bool own = w->own && !path && key.ref != w->in.v.ref;
    uint32_t a = wk_jq_use(g, w->in.v, own), v = wk_jq_slot(g);
    if (!path) {
        wk_jq_emit(g, OP_PATH_GET, v, a, wk_jq_use(g, key, true), 0);
        return jq_value_place(jq_temp(g, v));
    }
    uint32_t p = wk_jq_slot(g);
    wk_jq_emit(g, OP_PATH_GET, v, a, key.ref, w->in.p.ref);
    struct jq_ins *i = jq_last(g);
    i->path = true;
    i->d = p;
    i->e = w->in.a.ref;
    struct jq_place out = {jq_alias(jq_temp(g, v)), jq_temp(g, p), jq_alias(jq_temp(g, v)), true};
    return out;
}

/* first(f): the choices of f are dropped behind its output. */
static struct jq_place gen_first(struct jq_cg *g, struct jq_want *w)
{
    uint32_t mark = g->code->nslots++, epoch = g->epoch, epochs = g->epochs;
    wk_jq_emit(g, OP_MARK, mark, 0, 0, 0);
    struct jq_place out = wk_jq_gen_in(g, w->n->kids[0], w->scope, w->in, w->own);
    if (g->epoch == epoch)
        return out;
    wk_jq_emit(g, OP_CUT, 0, mark, 0, 0);
    g->epoch = epoch;
    if (out.v.temp && out.v.epoch > epochs) /* written since, and nothing goes back to there */
        out.v.epoch = epoch;
    return out;
}

static struct jq_place gen_limit(struct jq_cg *g, struct jq_want *w)
{
    struct jq_opnd n = wk_jq_gen_value(g, w->n->kids[0], w->scope, w->in, false);
    uint32_t mark = g->code->nslots++, count = g->code->nslots++;
    wk_jq_emit(g, OP_LIMIT_CHECK, count, wk_jq_use(g, n, true), 0, 0);
    wk_jq_emit(g, OP_MARK, mark, 0, 0, 0);
    struct jq_place out = wk_jq_gen_in(g, w->n->kids[1], w->scope, w->in, false);
    wk_jq_emit(g, OP_LIMIT, 0, count, mark, 0);
    g->barrier = g->code->n;
    jq_choice(g);
    return out;
}

/* last(f): the slot holds the latest output; that there was one is told by what it holds at first. */
static struct jq_opnd gen_last(struct jq_cg *g, struct jq_want *w)
{
    struct jq_opnd none = wk_jq_const(g, jq_none());
    uint32_t acc = g->code->nslots++, epoch = g->epoch;
    wk_jq_emit(g, OP_MOVE, acc, none.ref, 0, 0);
    uint32_t fork = wk_jq_emit(g, OP_FORK, 0, 0, 0, 0);
    jq_choice(g);
    struct jq_opnd v = wk_jq_gen_value(g, w->n->kids[0], w->scope, w->in, false);
    wk_jq_settle(g, v, acc);
    wk_jq_emit(g, OP_BACK, 0, 0, 0, 0);
    wk_jq_land(g, fork);
    g->epoch = epoch;
    uint32_t dst = g->code->nslots++;
    wk_jq_emit(g, OP_TAKE, dst, acc, 0, 0);
    jq_last(g)->x = 1; /* nothing there: no output */
    g->fails++;
    return jq_temp(g, dst);
}

static struct jq_place gen_error(struct jq_cg *g, struct jq_want *w)
{
    struct jq_opnd v = w->in.v;
    if (w->n->n)
        v = wk_jq_gen_value(g, w->n->kids[0], w->scope, w->in, false);
    wk_jq_emit(g, OP_ERROR, 0, v.ref, 0, 0);
    return jq_no_path(w->in, wk_jq_const(g, jq_null()));
}

static struct jq_place gen_intrinsic(struct jq_cg *g, struct jq_want *w, enum jq_intrinsic what)
{
    uint32_t dst;
    switch (what) {
    case JI_EMPTY:
        wk_jq_emit(g, OP_BACK, 0, 0, 0, 0);
        g->fails++;
        return jq_no_path(w->in, wk_jq_const(g, jq_null()));
    case JI_ERROR:
    case JI_ERROR1:
        return gen_error(g, w);
    case JI_NOT:
        dst = wk_jq_use(g, w->in.v, w->own && !w->in.path);
        wk_jq_emit(g, OP_NOT, wk_jq_slot(g), dst, 0, 0);
        return jq_no_path(w->in, jq_temp(g, jq_last(g)->dst));
    case JI_PATH:
        return jq_no_path(w->in, gen_path(g, w));
    case JI_RANGE1:
    case JI_RANGE2:
    case JI_RANGE3:
        return jq_no_path(w->in, gen_range(g, w));
    case JI_FIRST:
        return gen_first(g, w);
    case JI_LIMIT:
        return gen_limit(g, w);
    case JI_LAST:
        return jq_no_path(w->in, gen_last(g, w));
    case JI_GETPATH:
        return gen_getpath(g, w);
    default:
        dst = wk_jq_slot(g);
        wk_jq_emit(g, OP_ENV, dst, 0, 0, 0);
        return jq_no_path(w->in, jq_temp(g, dst));
    }
}

struct jq_place wk_jq_gen_call(struct jq_cg *g, struct jq_want w)
{
    struct jq_scope *s = wk_jq_scope_find(g->q, w.scope, w.n->name, w.n->n);
    enum jq_intrinsic what = s ? JI_NONE : wk_jq_intrinsic(w.n->name, w.n->n);
    const struct jq_builtin *native = s || what ? NULL : wk_jq_native(w.n->name, w.n->n);
    struct jq_place out;
    if (!s && !what && !native)
        s = wk_jq_prelude_scope(g->q, w.n->name, w.n->n);
    if (s && s->kind == JS_INLINE)
        return inline_argument(g, w, s);
    if (s && s->kind == JS_CLOSURE)
        return call_closure(g, w, s);
    if (s && s->inner)
        s = s->inner;
    if (s)
        return !s->def->recursive && may_inline(g, s->def->body->size) ? inline_def(g, w, s) : call_def(g, w, s);
    out = native ? call_native(g, w, native) : gen_intrinsic(g, &w, what);
    if (w.tail)
        wk_jq_return(g, out);
    return out;
}
