/* jq_compile_bind.c - jq's compiler: variables, patterns, reduce and foreach */
#include "builtins/jq_compile.h"

struct jq_scope *wk_jq_bind_var(struct jq_cg *g, struct jq_scope *scope, struct wk_str name, struct jq_opnd value)
{
    struct jq_scope *s = wk_jq_scope_add(g->q, scope, JS_VAR, name, JQ_ARITY_VAR);
    s->code = g->code;
    if (jq_is_const(value)) {
        s->kind = JS_CONST;
        s->value = jq_copy(g->code->consts[value.ref & JQ_OPERAND]);
    } else {
        s->slot = wk_jq_own_slot(g, value).ref;
    }
    return s;
}

/* ---- patterns -------------------------------------------------------------------------------- */

struct bind {
    struct jq_cg *g;
    const struct jq_pattern *p;
    struct jq_scope *outer;  /* what keys see */
    struct jq_scope *scope;  /* grows */
    struct jq_scope *shared; /* with alternatives: the variables, made before; NULL */
    struct jq_opnd value;
    struct jq_place *at; /* for paths: where the latest subscript led; NULL */
};

static int bind_pattern(void *arg);

static void bind_name(struct bind *b, struct wk_str name, struct jq_opnd value)
{
    if (!b->shared) {
        for (struct jq_scope *s = b->scope; s != b->outer; s = s->next)
            if (wk_str_eq(s->name, name)) /* the first of a name is it */
                return;
        b->scope = wk_jq_bind_var(b->g, b->scope, name, value);
        return;
    }
    struct jq_scope *s = wk_jq_scope_find(b->g->q, b->shared, name, JQ_ARITY_VAR);
    wk_jq_emit(b->g, OP_MOVE, s->slot, value.ref, 0, 0);
}

static void bind_inner(struct bind *b, const struct jq_pattern *p, struct jq_opnd value)
{
    struct bind inner = {b->g, p, b->outer, b->scope, b->shared, value, b->at};
    wk_jq_deeper(b->g->q, bind_pattern, &inner);
    b->scope = inner.scope;
}

static int bind_pattern(void *arg)
{
    struct bind *b = arg;
    struct jq_cg *g = b->g;
    if (b->p->kind == JP_VAR) {
        bind_name(b, b->p->name, b->value);
        return 0;
    }
    for (uint32_t k = 0; k < b->p->n; k++) { /* an array's from the last one on */
        uint32_t i = b->p->kind == JP_ARRAY ? b->p->n - 1 - k : k;
        const struct jq_entry *e = &b->p->entries[i];
        struct jq_opnd key = b->p->kind == JP_ARRAY
                                 ? wk_jq_const(g, jq_number(i))
                                 : wk_jq_gen_value(g, e->key, b->outer, jq_value_place(jq_alias(b->value)), false);
        uint32_t dst = g->code->nslots++;
        if (b->at) {
            b->at->v = b->value;
            wk_jq_identical(g, *b->at, JQ_IDENT_KEY, key);
        }
        wk_jq_emit(g, OP_INDEX, dst, b->value.ref, key.ref, 0);
        struct jq_opnd v = jq_alias(jq_temp(g, dst));
        if (b->at) {
            uint32_t path = g->code->nslots++;
            wk_jq_emit(g, OP_PATH_ADD, path, b->at->p.ref, key.ref, 0);
            b->at->p = jq_alias(jq_temp(g, path));
            b->at->a = v;
        }
        if (e->var.p)
            bind_name(b, e->var, v);
        if (e->inner)
            bind_inner(b, e->inner, v);
    }
    return 0;
}

/* The variables of all alternatives, so that each of them sets or clears the same slots. */
struct declare {
    struct jq_cg *g;
    const struct jq_pattern *p;
    struct jq_scope *scope;
    const struct jq_scope *until;
};

static void declare_name(struct declare *d, struct wk_str name)
{
    for (struct jq_scope *s = d->scope; s != d->until; s = s->next)
        if (s->arity == JQ_ARITY_VAR && wk_str_eq(s->name, name))
            return;
    d->scope = wk_jq_scope_add(d->g->q, d->scope, JS_VAR, name, JQ_ARITY_VAR);
    d->scope->code = d->g->code;
    d->scope->slot = d->g->code->nslots++;
}

static int declare(void *arg)
{
    struct declare *d = arg;
    wk_tick(d->g->q->c, 1);
    if (d->p->kind == JP_VAR)
        declare_name(d, d->p->name);
    for (uint32_t i = 0; i < d->p->n; i++) {
        if (d->p->entries[i].var.p)
            declare_name(d, d->p->entries[i].var);
        if (d->p->entries[i].inner) {
            struct declare inner = {d->g, d->p->entries[i].inner, d->scope, d->until};
            wk_jq_deeper(d->g->q, declare, &inner);
            d->scope = inner.scope;
        }
    }
    return 0;
}

/* P1 ?// P2 …: an error in a pattern, or behind it, leads to the next one. */
static struct jq_scope *bind_alternatives(struct jq_cg *g, const struct jq_node *n, struct jq_scope *scope,
                                          struct jq_opnd value, struct jq_place *at)
{
    uint32_t p = g->code->nslots++, a = g->code->nslots++;
    struct declare d = {g, NULL, scope, scope};
    for (uint32_t i = 0; i < n->npatterns; i++) {
        d.p = n->patterns[i];
        declare(&d);
    }
    struct jq_opnd null = wk_jq_const(g, jq_null());
    uint32_t *ends = wk_heap_alloc(g->q->c->heap, n->npatterns * sizeof *ends);
    g->nfree = 0;
    for (uint32_t i = 0; i < n->npatterns; i++) {
        bool last = i + 1 == n->npatterns;
        uint32_t retry = last ? 0 : wk_jq_emit(g, OP_RETRY, 0, 0, 0, 0);
        for (struct jq_scope *s = d.scope; s != scope; s = s->next)
            wk_jq_emit(g, OP_MOVE, s->slot, null.ref, 0, 0);
        struct jq_place way = at ? *at : (struct jq_place){.path = false};
        struct bind b = {g, n->patterns[i], scope, d.scope, d.scope, value, at ? &way : NULL};
        jq_choice(g);
        bind_pattern(&b);
        if (at) {
            wk_jq_emit(g, OP_MOVE, p, way.p.ref, 0, 0);
            wk_jq_emit(g, OP_MOVE, a, way.a.ref, 0, 0);
        }
        if (last)
            break;
        ends[i] = wk_jq_emit(g, OP_JUMP, 0, 0, 0, 0);
        wk_jq_land(g, retry);
    }
    for (uint32_t i = 0; i + 1 < n->npatterns; i++)
        wk_jq_land(g, ends[i]);
    wk_heap_free(g->q->c->heap, ends);
    jq_choice(g);
    g->nfree = 0;
    if (at) {
        at->p = jq_alias(jq_temp(g, p));
        at->a = jq_alias(jq_temp(g, a));
    }
    return d.scope;
}

struct jq_scope *wk_jq_bind(struct jq_cg *g, const struct jq_node *n, struct jq_scope *scope, struct jq_opnd value,
                            struct jq_place *at)
{
    if (n->npatterns == 1 && n->patterns[0]->kind == JP_VAR)
        return wk_jq_bind_var(g, scope, n->patterns[0]->name, value);
    if (!jq_is_const(value)) /* it is read again and again */
        value = jq_alias(wk_jq_own_slot(g, value));
    if (n->npatterns > 1)
        return bind_alternatives(g, n, scope, value, at);
    struct bind b = {g, n->patterns[0], scope, scope, NULL, value, at};
    bind_pattern(&b);
    return b.scope;
}

struct jq_place wk_jq_gen_as(struct jq_cg *g, struct jq_want w)
{
    while (w.n->kind == JN_AS) {
        struct jq_opnd value = wk_jq_gen_value(g, w.n->a, w.scope, w.in, false);
        struct jq_place at = wk_jq_alias(w.in);
        w.scope = wk_jq_bind(g, w.n, w.scope, value, w.in.path ? &at : NULL);
        w.in.p = w.in.path ? at.p : w.in.p;
        w.in.a = w.in.path ? at.a : w.in.a;
        w.n = w.n->b;
    }
    return wk_jq_gen(g, w);
}

/* ---- reduce and foreach ---------------------------------------------------------------------- */

/* The state is in a slot of its own, from which each round takes it: what it holds has one owner then. */
struct jq_place wk_jq_gen_fold(struct jq_cg *g, struct jq_want w)
{
    bool each = w.n->kind == JN_FOREACH, path = w.in.path;
    struct jq_place init = wk_jq_gen_in(g, w.n->b, w.scope, w.in, false);
    uint32_t acc = g->code->nslots++, fork = 0;
    wk_jq_settle(g, init.v, acc);
    uint32_t epoch = g->epoch, fails = g->fails;
    if (!each) {
        fork = wk_jq_emit(g, OP_FORK, 0, 0, 0, 0);
        jq_choice(g);
    }
    struct jq_place from = {jq_alias(w.in.v), jq_alias(init.p), jq_alias(init.a), path};
    struct jq_place item = wk_jq_gen_in(g, w.n->a, w.scope, from, false);
    if (path)
        item = wk_jq_alias(item);
    struct jq_scope *scope = wk_jq_bind(g, w.n, w.scope, item.v, path ? &item : NULL);
    uint32_t state = g->code->nslots++;
    wk_jq_emit(g, OP_TAKE, state, acc, 0, 0);
    struct jq_place at = {jq_temp(g, state), jq_alias(item.p), jq_alias(item.a), path};
    struct jq_place next = wk_jq_gen_in(g, w.n->c, scope, at, true);
    if (!each) {
        wk_jq_settle(g, next.v, acc);
        wk_jq_emit(g, OP_BACK, 0, 0, 0, 0);
        wk_jq_land(g, fork);
        g->epoch = epoch;
        g->fails = fails;
        struct jq_place out = {jq_temp(g, acc), jq_alias(init.p), jq_alias(init.a), path};
        if (w.tail)
            wk_jq_return(g, out);
        return out;
    }
    /* The state's slot stands until the next round, so the output may be read there. */
    bool same = next.a.ref == next.v.ref;
    wk_jq_settle(g, next.v, acc);
    next.v = jq_alias(jq_temp(g, acc));
    if (same)
        next.a = next.v;
    jq_choice(g);
    if (w.n->d)
        return wk_jq_gen(g, (struct jq_want){w.n->d, scope, next, false, w.tail});
    if (w.tail)
        wk_jq_return(g, next);
    return next;
}
