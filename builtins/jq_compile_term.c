/* jq_compile_term.c - jq's compiler: chains of subscripts, strings, arrays and objects */
#include "builtins/jq_compile.h"

/* ---- .a[0].b[1:2][] --------------------------------------------------------------------------- */

struct step {
    const struct jq_node *n;
    struct jq_opnd b, c;
};

static struct jq_opnd gen_bound(struct jq_cg *g, const struct jq_node *n, struct jq_want *w)
{
    return n ? wk_jq_gen_value(g, n, w->scope, w->in, false) : wk_jq_const(g, jq_null());
}

/* Keys are looked at first, from the last step to the first, all on the chain's own input. */
static struct step *gen_keys(struct jq_cg *g, struct jq_want *w, uint32_t *count, const struct jq_node **base)
{
    uint32_t n = 0, i = 0;
    const struct jq_node *k;
    for (k = w->n; k->kind == JN_INDEX || k->kind == JN_SLICE || k->kind == JN_EACH; k = k->a)
        n++;
    *base = k;
    struct step *steps = wk_heap_alloc(g->q->c->heap, n * sizeof *steps);
    for (k = w->n; i < n; k = k->a, i++) {
        struct step *s = &steps[n - 1 - i];
        *s = (struct step){.n = k};
        if (k->kind == JN_INDEX) {
            s->b = wk_jq_gen_value(g, k->b, w->scope, w->in, false);
        } else if (k->kind == JN_SLICE) {
            s->b = gen_bound(g, k->b, w);
            s->c = gen_bound(g, k->c, w);
        }
    }
    *count = n;
    return steps;
}

static struct jq_opnd step_key(struct jq_cg *g, struct step *s)
{
    if (s->n->kind != JN_SLICE)
        return s->b;
    uint32_t b = wk_jq_use(g, s->b, true), c = wk_jq_use(g, s->c, true), dst = wk_jq_slot(g);
    wk_jq_emit(g, OP_SLICE_KEY, dst, b, c, 0);
    return jq_temp(g, dst);
}

static struct jq_opnd value_step(struct jq_cg *g, struct step *s, struct jq_opnd at)
{
    enum jq_node_kind kind = s->n->kind;
    uint32_t a = wk_jq_use(g, at, true), b = 0, c = 0;
    if (kind != JN_EACH)
        b = wk_jq_use(g, s->b, true);
    if (kind == JN_SLICE)
        c = wk_jq_use(g, s->c, true);
    uint32_t dst = wk_jq_slot(g);
    wk_jq_emit(g, kind == JN_EACH ? OP_EACH : kind == JN_SLICE ? OP_SLICE : OP_INDEX, dst, a, b, c);
    jq_last(g)->forgiving = s->n->op;
    g->fails += s->n->op;
    if (kind == JN_EACH)
        jq_choice(g);
    return jq_temp(g, dst);
}

static struct jq_place path_step(struct jq_cg *g, struct step *s, struct jq_place at)
{
    bool each = s->n->kind == JN_EACH;
    struct jq_opnd key = each ? wk_jq_const(g, jq_null()) : step_key(g, s);
    wk_jq_identical(g, at, each ? JQ_IDENT_EACH : JQ_IDENT_KEY, key);
    uint32_t v = wk_jq_slot(g), p = wk_jq_slot(g);
    if (each) {
        wk_jq_emit(g, OP_EACH, v, at.v.ref, 0, at.p.ref);
        jq_last(g)->path = true;
        jq_last(g)->d = p;
    } else {
        wk_jq_emit(g, OP_INDEX, v, at.v.ref, key.ref, 0);
    }
    jq_last(g)->forgiving = s->n->op;
    g->fails += s->n->op;
    if (each)
        jq_choice(g);
    else
        wk_jq_emit(g, OP_PATH_ADD, p, wk_jq_use(g, at.p, true), wk_jq_use(g, key, true), 0);
    struct jq_place out = {jq_alias(jq_temp(g, v)), jq_temp(g, p), jq_alias(jq_temp(g, v)), true};
    return out;
}

struct jq_place wk_jq_gen_chain(struct jq_cg *g, struct jq_want w)
{
    const struct jq_node *base;
    uint32_t n;
    struct step *steps = gen_keys(g, &w, &n, &base);
    bool own = w.own;
    for (uint32_t i = 0; i < n && own; i++)
        own = steps[i].b.ref != w.in.v.ref && steps[i].c.ref != w.in.v.ref;
    /* An operand that was not asked for is zero, as slot 0 is: constants and keys in use say so. */
    struct jq_place at = wk_jq_gen_in(g, base, w.scope, w.in, own && !w.in.path);
    for (uint32_t i = 0; i < n; i++) {
        if (w.in.path)
            at = path_step(g, &steps[i], at);
        else
            at = jq_value_place(value_step(g, &steps[i], at.v));
    }
    wk_heap_free(g->q->c->heap, steps);
    return at;
}

/* ---- strings --------------------------------------------------------------------------------- */

/* The last query is the outer loop. */
struct jq_opnd wk_jq_gen_string(struct jq_cg *g, struct jq_want w)
{
    uint32_t n = w.n->n, index;
    struct jq_opnd *parts = wk_heap_alloc(g->q->c->heap, n * sizeof *parts);
    struct jq_opnd format = wk_jq_const(g, wk_jq_string(g->q, w.n->name));
    for (uint32_t i = n; i-- > 0;) {
        parts[i] = wk_jq_gen_value(g, w.n->kids[i], w.scope, w.in, false);
        if (i % 2) {
            uint32_t a = wk_jq_use(g, parts[i], true), dst = wk_jq_slot(g);
            wk_jq_emit(g, OP_FORMAT, dst, a, format.ref, 0);
            parts[i] = jq_temp(g, dst);
        }
    }
    struct jq_site *s = wk_jq_site(g, 0, n, &index);
    for (uint32_t i = 0; i < n; i++)
        s->operands[i] = wk_jq_use(g, parts[i], true);
    wk_heap_free(g->q->c->heap, parts);
    uint32_t dst = wk_jq_slot(g);
    wk_jq_emit(g, OP_CONCAT, dst, 0, 0, index);
    return jq_temp(g, dst);
}

/* ---- arrays and objects ---------------------------------------------------------------------- */

struct jq_opnd wk_jq_gen_array(struct jq_cg *g, struct jq_want w)
{
    const struct jq_node *inner = w.n->a;
    uint32_t acc = g->code->nslots++, n = !inner ? 0 : inner->kind == JN_COMMA ? inner->n : 1;
    bool own = w.own && !w.in.path;
    wk_jq_emit(g, OP_ARRAY, acc, 0, 0, 0);
    for (uint32_t i = 0; i < n; i++) {
        const struct jq_node *kid = inner->kind == JN_COMMA ? inner->kids[i] : inner;
        bool plain = wk_jq_is_plain(kid, 0);
        uint32_t at = plain ? 0 : wk_jq_emit(g, OP_NOP, 0, 0, 0, 0), epoch = g->epoch, fails = g->fails;
        struct jq_place in = w.in.path ? wk_jq_alias(w.in) : w.in;
        struct jq_opnd v = wk_jq_gen_in(g, kid, w.scope, in, own && i + 1 == n).v;
        wk_jq_emit(g, OP_APPEND, 0, acc, wk_jq_use(g, v, true), 0);
        if (plain || (g->fails == fails && g->epoch == epoch))
            continue;
        /* It may have any number of outputs: all are taken before the next one. */
        wk_jq_emit(g, OP_BACK, 0, 0, 0, 0);
        jq_at_ins(g, at)->op = OP_FORK;
        wk_jq_land(g, at);
        g->epoch = epoch;
        g->fails = fails;
    }
    return jq_temp(g, acc);
}

struct jq_opnd wk_jq_gen_object(struct jq_cg *g, struct jq_want w)
{
    bool own = w.own && !w.in.path;
    struct jq_opnd at = jq_temp(g, wk_jq_slot(g));
    wk_jq_emit(g, OP_OBJECT, at.ref, w.n->n / 2, 0, 0);
    for (uint32_t i = 0; i < w.n->n; i += 2) {
        bool last = i + 2 == w.n->n;
        struct jq_opnd key = wk_jq_gen_value(g, w.n->kids[i], w.scope, w.in, false);
        struct jq_opnd v =
            wk_jq_gen_value(g, w.n->kids[i + 1], w.scope, w.in, own && last && key.ref != w.in.v.ref);
        uint32_t a = wk_jq_use(g, at, true), b = wk_jq_use(g, key, true), c = wk_jq_use(g, v, true);
        uint32_t dst = wk_jq_slot(g);
        wk_jq_emit(g, OP_INSERT, dst, a, b, c);
        at = jq_temp(g, dst);
    }
    return at;
}
