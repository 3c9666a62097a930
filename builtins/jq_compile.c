/* jq_compile.c - jq's compiler: emitting, operators and control flow */
#include "builtins/jq_compile.h"

/* ---- emitting -------------------------------------------------------------------------------- */

#define GROW(g, v, n, cap)                                                                             \
    do {                                                                                               \
        if ((n) == (cap)) {                                                                            \
            (cap) = (cap) ? (cap) * 2 : 16;                                                            \
            (v) = wk_heap_realloc((g)->q->c->heap, (v), (size_t)(cap) * sizeof *(v));                  \
        }                                                                                              \
    } while (0)

uint32_t wk_jq_emit(struct jq_cg *g, enum jq_opcode op, uint32_t dst, uint32_t a, uint32_t b, uint32_t c)
{
    struct jq_code *k = g->code;
    GROW(g, k->ins, k->n, k->cap);
    k->ins[k->n] = (struct jq_ins){.op = (uint8_t)op, .dst = dst, .a = a, .b = b, .c = c};
    wk_tick(g->q->c, 1);
    return k->n++;
}

void wk_jq_land(struct jq_cg *g, uint32_t i)
{
    g->code->ins[i].c = g->code->n;
    g->barrier = g->code->n;
}

uint32_t wk_jq_slot(struct jq_cg *g)
{
    return g->nfree ? g->free[--g->nfree] : g->code->nslots++;
}

void wk_jq_slot_free(struct jq_cg *g, uint32_t slot)
{
    GROW(g, g->free, g->nfree, g->cap_free);
    g->free[g->nfree++] = slot;
}

struct jq_opnd wk_jq_const(struct jq_cg *g, struct jq_val v)
{
    struct jq_code *k = g->code;
    GROW(g, k->consts, k->nconsts, k->cap_consts);
    k->consts[k->nconsts] = v;
    return (struct jq_opnd){k->nconsts++ | JQ_OPERAND_CONST, 0, false};
}

uint32_t wk_jq_use(struct jq_cg *g, struct jq_opnd o, bool own)
{
    if (!own || !o.temp || o.epoch != g->epoch || jq_is_const(o))
        return o.ref;
    wk_jq_slot_free(g, o.ref);
    return o.ref | JQ_OPERAND_MOVE;
}

void wk_jq_settle(struct jq_cg *g, struct jq_opnd o, uint32_t slot)
{
    struct jq_ins *last = g->code->n > g->barrier ? jq_last(g) : NULL;
    if (o.ref == slot)
        return;
    if (last && o.temp && o.epoch == g->epoch && last->dst == o.ref && !last->path &&
        (last->op == OP_INDEX || last->op == OP_SLICE || last->op == OP_BINARY || last->op == OP_NEGATE ||
         last->op == OP_OUTER || last->op == OP_MOVE || last->op == OP_CONCAT || last->op == OP_INSERT ||
         last->op == OP_BOOL || last->op == OP_NOT || last->op == OP_FORMAT || last->op == OP_NATIVE)) {
        last->dst = slot;
        wk_jq_slot_free(g, o.ref);
        return;
    }
    wk_jq_emit(g, OP_MOVE, slot, wk_jq_use(g, o, true), 0, 0);
}

struct jq_opnd wk_jq_own_slot(struct jq_cg *g, struct jq_opnd o)
{
    if (o.temp && o.epoch == g->epoch && !jq_is_const(o))
        return o;
    uint32_t slot = wk_jq_slot(g);
    wk_jq_emit(g, OP_MOVE, slot, wk_jq_use(g, o, true), 0, 0);
    return jq_temp(g, slot);
}

struct jq_place wk_jq_alias(struct jq_place in)
{
    in.v.temp = in.p.temp = in.a.temp = false;
    return in;
}

uint32_t wk_jq_hops(struct jq_cg *g, const struct jq_code *code)
{
    uint32_t hops = 0;
    for (const struct jq_code *k = g->code; k && k != code; k = k->outer)
        hops++;
    return hops;
}

struct jq_site *wk_jq_site(struct jq_cg *g, uint32_t nargs, uint32_t noperands, uint32_t *index)
{
    struct jq_code *k = g->code;
    GROW(g, k->sites, k->nsites, k->cap_sites);
    struct jq_site *s = &k->sites[k->nsites];
    *s = (struct jq_site){.n = nargs ? nargs : noperands};
    s->args = jq_bump(g->q, (nargs + 1) * sizeof *s->args);
    s->operands = jq_bump(g->q, (noperands + 1) * sizeof *s->operands);
    *index = k->nsites++;
    return s;
}

void wk_jq_identical(struct jq_cg *g, struct jq_place at, int what, struct jq_opnd key)
{
    if (at.v.ref == at.a.ref)
        return;
    wk_jq_emit(g, OP_IDENTICAL, 0, at.v.ref, at.a.ref, key.ref);
    jq_last(g)->x = (uint8_t)what;
}

void wk_jq_return(struct jq_cg *g, struct jq_place out)
{
    struct jq_ins *last = g->code->n > g->barrier ? jq_last(g) : NULL;
    if (last && (last->op == OP_CALL || last->op == OP_CALL_CLOSURE) && last->dst == out.v.ref && out.v.temp &&
        (!out.path || (last->d == out.p.ref && last->e == out.a.ref)))
        last->tail = true;
    wk_jq_emit(g, OP_RETURN, 0, out.v.ref, 0, 0);
    struct jq_ins *r = jq_last(g);
    r->path = out.path;
    r->b = out.path ? out.p.ref : 0;
    r->c = out.path ? out.a.ref : 0;
}

/* ---- joins ----------------------------------------------------------------------------------- */

struct jq_join wk_jq_join(struct jq_cg *g)
{
    return (struct jq_join){UINT32_MAX, UINT32_MAX, UINT32_MAX, g->epoch, true, false};
}

void wk_jq_join_way(struct jq_cg *g, struct jq_join *j, struct jq_place out)
{
    if (j->first) { /* slots of their own: what is free here may be in use on another way */
        j->v = g->code->nslots++;
        j->p = out.path ? g->code->nslots++ : 0;
        j->a = out.path ? g->code->nslots++ : 0;
    }
    if (out.path) {
        wk_jq_emit(g, OP_MOVE, j->p, out.p.ref, 0, 0);
        wk_jq_emit(g, OP_MOVE, j->a, out.a.ref, 0, 0);
        wk_jq_emit(g, OP_MOVE, j->v, out.v.ref, 0, 0);
    } else {
        wk_jq_settle(g, out.v, j->v);
    }
    if (!j->first && g->epoch != j->epoch)
        j->mixed = true;
    j->epoch = g->epoch;
    j->first = false;
}

struct jq_place wk_jq_join_end(struct jq_cg *g, struct jq_join *j, bool path)
{
    if (j->mixed)
        g->epoch = ++g->epochs;
    else
        g->epoch = j->epoch;
    g->barrier = g->code->n;
    struct jq_place out = {jq_temp(g, j->v), {0}, {0}, path};
    if (path) {
        out.p = jq_temp(g, j->p);
        out.a = jq_alias(jq_temp(g, j->a));
    }
    return out;
}

/* ---- operators ------------------------------------------------------------------------------- */

bool wk_jq_is_plain(const struct jq_node *n, unsigned depth)
{
    if (depth > 8)
        return false;
    switch (n->kind) {
    case JN_IDENTITY:
    case JN_CONST:
    case JN_VAR:
        return true;
    case JN_NEGATE:
        return wk_jq_is_plain(n->a, depth + 1);
    case JN_INDEX:
    case JN_BINARY:
        return !(n->kind == JN_INDEX && n->op) && wk_jq_is_plain(n->a, depth + 1) && wk_jq_is_plain(n->b, depth + 1);
    default:
        return false;
    }
}

static bool compare_constants(struct jq_cg *g, int op, struct jq_val a, struct jq_val b, struct jq_val *out)
{
    int order = 0;
    if (!wk_jq_compare(g->q, a, b, &order))
        return false;
    bool r = op == JO_EQ   ? order == 0
             : op == JO_NE ? order != 0
             : op == JO_LT ? order < 0
             : op == JO_LE ? order <= 0
             : op == JO_GT ? order > 0
                           : order >= 0;
    *out = jq_bool(r);
    return true;
}

/* Two constants: their result, unless it is an error or much larger than they are. */
static bool fold(struct jq_cg *g, int op, struct jq_opnd ra, struct jq_opnd rb, struct jq_opnd *out)
{
    if (!jq_is_const(ra) || !jq_is_const(rb))
        return false;
    struct jq_val a = g->code->consts[ra.ref & JQ_OPERAND], b = g->code->consts[rb.ref & JQ_OPERAND], r = jq_null();
    bool good = false;
    if (a.kind > JQ_NUMBER || b.kind > JQ_NUMBER)
        return false;
    if (op == JO_ADD)
        good = wk_jq_add(g->q, jq_copy(a), jq_copy(b), &r);
    else if (op == JO_SUB)
        good = wk_jq_subtract(g->q, jq_copy(a), jq_copy(b), &r);
    else if (op == JO_MUL)
        good = wk_jq_multiply(g->q, jq_copy(a), jq_copy(b), &r);
    else if (op == JO_DIV)
        good = wk_jq_divide(g->q, jq_copy(a), jq_copy(b), &r);
    else if (op == JO_MOD)
        good = wk_jq_modulo(g->q, jq_copy(a), jq_copy(b), &r);
    else
        good = compare_constants(g, op, a, b, &r);
    if (!good) {
        jq_free(g->q, g->q->error);
        g->q->error = jq_none();
        return false;
    }
    *out = wk_jq_const(g, r);
    return true;
}

/* Both operands of a binary operator: the right one is the outer loop. */
static void gen_operands(struct jq_cg *g, struct jq_want *w, struct jq_opnd *a, struct jq_opnd *b)
{
    *b = wk_jq_gen_value(g, w->n->b, w->scope, w->in, false);
    *a = wk_jq_gen_value(g, w->n->a, w->scope, w->in, w->own && !w->in.path && b->ref != w->in.v.ref);
}

static struct jq_opnd combine(struct jq_cg *g, int op, struct jq_opnd a, struct jq_opnd b)
{
    struct jq_opnd r;
    if (fold(g, op, a, b, &r))
        return r;
    uint32_t ra = wk_jq_use(g, a, true), rb = wk_jq_use(g, b, true), dst = wk_jq_slot(g);
    wk_jq_emit(g, OP_BINARY, dst, ra, rb, 0);
    jq_last(g)->x = (uint8_t)op;
    return jq_temp(g, dst);
}

/* a op b op c …: the right sides first, from the last one on. */
static struct jq_opnd gen_binary(struct jq_cg *g, struct jq_want w)
{
    uint32_t n = 0, i = 0;
    const struct jq_node *k;
    bool own = w.own && !w.in.path;
    for (k = w.n; k->kind == JN_BINARY; k = k->a)
        n++;
    struct jq_opnd *right = wk_heap_alloc(g->q->c->heap, n * sizeof *right);
    const struct jq_node **nodes = wk_heap_alloc(g->q->c->heap, n * sizeof *nodes);
    for (k = w.n; k->kind == JN_BINARY; k = k->a, i++) {
        nodes[i] = k;
        right[i] = wk_jq_gen_value(g, k->b, w.scope, w.in, false);
        own = own && right[i].ref != w.in.v.ref;
    }
    struct jq_opnd a = wk_jq_gen_value(g, k, w.scope, w.in, own);
    while (i-- > 0)
        a = combine(g, nodes[i]->op, a, right[i]);
    wk_heap_free(g->q->c->heap, right);
    wk_heap_free(g->q->c->heap, nodes);
    return a;
}

static struct jq_opnd gen_unary(struct jq_cg *g, enum jq_opcode op, struct jq_opnd a)
{
    uint32_t ra = wk_jq_use(g, a, true), dst = wk_jq_slot(g);
    wk_jq_emit(g, op, dst, ra, 0, 0);
    return jq_temp(g, dst);
}

static struct jq_place gen_negate(struct jq_cg *g, struct jq_want w)
{
    struct jq_place a = wk_jq_gen_in(g, w.n->a, w.scope, w.in, w.own && !w.in.path);
    if (jq_is_const(a.v)) {
        struct jq_val v = g->code->consts[a.v.ref & JQ_OPERAND], r;
        if (v.kind == JQ_NUMBER && wk_jq_negate(g->q, jq_copy(v), &r))
            return jq_no_path(a, wk_jq_const(g, r));
    }
    return jq_no_path(a, gen_unary(g, OP_NEGATE, w.in.path ? jq_alias(a.v) : a.v));
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* Free slots are not the same on all ways: each begins with those that were free where they part. */
struct ways {
    uint32_t nfree, *free, epochs;
};
static struct ways part(struct jq_cg *g)
{
    struct ways w = {g->nfree, NULL, g->epochs};
    w.free = wk_heap_alloc(g->q->c->heap, (g->nfree + 1) * sizeof *w.free);
    if (g->nfree)
        memcpy(w.free, g->free, g->nfree * sizeof *w.free);
    return w;
}
/* The next way begins; or, with the last one, all have met. Choices that were left behind on a way may still
 * read what it wrote: no slot is free then. */
static void next_way(struct jq_cg *g, struct ways *w, bool last)
{
    if (g->cap_free < w->nfree) {
        g->cap_free = w->nfree;
        g->free = wk_heap_realloc(g->q->c->heap, g->free, g->cap_free * sizeof *g->free);
    }
    if (w->nfree)
        memcpy(g->free, w->free, w->nfree * sizeof *w->free);
    g->nfree = w->nfree;
    if (last && g->epochs != w->epochs)
        g->nfree = 0;
    if (last)
        wk_heap_free(g->q->c->heap, w->free);
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* Jumps that are taken when a condition does not hold. */
struct exits {
    uint32_t at[16];
    unsigned n;
};

/* Goes on when the query's output is true. */
static void gen_condition(struct jq_cg *g, const struct jq_node *n, struct jq_scope *scope, struct jq_place in,
                          bool own, struct exits *e)
{
    if (n->kind == JN_AND && e->n < 8) {
        gen_condition(g, n->a, scope, in, false, e);
        uint32_t epoch = g->epoch;
        gen_condition(g, n->b, scope, in, own, e);
        if (g->epoch != epoch)
            g->epoch = ++g->epochs;
        return;
    }
    if (n->kind == JN_BINARY && n->op >= JO_EQ && n->op <= JO_GE) {
        struct jq_want w = {n, scope, in, own, false};
        struct jq_opnd a, b;
        gen_operands(g, &w, &a, &b);
        uint32_t ra = wk_jq_use(g, a, true), rb = wk_jq_use(g, b, true);
        e->at[e->n++] = wk_jq_emit(g, OP_JUMP_CMP, 0, ra, rb, 0);
        jq_last(g)->x = n->op;
        return;
    }
    struct jq_opnd v = wk_jq_gen_value(g, n, scope, in, own);
    e->at[e->n++] = wk_jq_emit(g, OP_JUMP_FALSE, 0, wk_jq_use(g, v, true), 0, 0);
}

static void land_all(struct jq_cg *g, const struct exits *e)
{
    for (unsigned i = 0; i < e->n; i++)
        wk_jq_land(g, e->at[i]);
}

static struct jq_place gen_if(struct jq_cg *g, struct jq_want w)
{
    struct exits e = {.n = 0};
    uint32_t end = 0;
    gen_condition(g, w.n->a, w.scope, w.in, false, &e);
    uint32_t epoch = g->epoch;
    struct jq_join j = wk_jq_join(g);
    struct jq_want branch = w;
    struct ways ways = part(g);
    branch.n = w.n->b;
    struct jq_place out = wk_jq_gen(g, branch);
    if (!w.tail) {
        wk_jq_join_way(g, &j, out);
        end = wk_jq_emit(g, OP_JUMP, 0, 0, 0, 0);
    }
    land_all(g, &e);
    next_way(g, &ways, false);
    g->epoch = epoch;
    branch.n = w.n->c;
    if (branch.n) {
        out = wk_jq_gen(g, branch);
    } else {
        out = w.own ? w.in : wk_jq_alias(w.in);
        if (w.tail)
            wk_jq_return(g, out);
    }
    next_way(g, &ways, true);
    if (w.tail)
        return out;
    wk_jq_join_way(g, &j, out);
    wk_jq_land(g, end);
    return wk_jq_join_end(g, &j, w.in.path);
}

/* and, or. For paths both sides are steps on the way, one behind the other. */
static struct jq_place gen_logic(struct jq_cg *g, struct jq_want w)
{
    bool is_and = w.n->kind == JN_AND, path = w.in.path;
    struct jq_place a = wk_jq_gen_in(g, w.n->a, w.scope, w.in, false), b, quick = wk_jq_alias(a);
    uint32_t skip = wk_jq_emit(g, OP_JUMP_FALSE, 0, wk_jq_use(g, a.v, !path), 0, 0), epoch = g->epoch, end = 0;
    struct jq_join j = wk_jq_join(g);
    struct ways ways = part(g);
    quick.v = wk_jq_const(g, jq_bool(!is_and));
    if (!is_and) { /* true: no need of the other */
        wk_jq_join_way(g, &j, quick);
        end = wk_jq_emit(g, OP_JUMP, 0, 0, 0, 0);
        wk_jq_land(g, skip);
        next_way(g, &ways, false);
    }
    g->epoch = epoch;
    struct jq_place in = {w.in.v, jq_alias(a.p), jq_alias(a.a), path};
    b = wk_jq_gen_in(g, w.n->b, w.scope, path ? wk_jq_alias(in) : in, w.own && !path);
    struct jq_place out = jq_no_path(b, gen_unary(g, OP_BOOL, path ? jq_alias(b.v) : b.v));
    wk_jq_join_way(g, &j, out);
    if (is_and) {
        end = wk_jq_emit(g, OP_JUMP, 0, 0, 0, 0);
        wk_jq_land(g, skip);
        next_way(g, &ways, false);
        g->epoch = epoch;
        wk_jq_join_way(g, &j, quick);
    }
    next_way(g, &ways, true);
    wk_jq_land(g, end);
    return wk_jq_join_end(g, &j, path);
}

/* ---- several outputs, errors ----------------------------------------------------------------- */

static struct jq_place gen_comma(struct jq_cg *g, struct jq_want w)
{
    struct jq_join j = wk_jq_join(g);
    uint32_t n = w.n->n;
    uint32_t *ends = wk_heap_alloc(g->q->c->heap, n * sizeof *ends);
    struct jq_place out = w.in;
    struct ways ways = part(g);
    uint32_t epoch = g->epoch;
    for (uint32_t i = 0; i < n; i++) {
        bool last = i + 1 == n;
        uint32_t fork = last ? 0 : wk_jq_emit(g, OP_FORK, 0, 0, 0, 0);
        if (!last)
            jq_choice(g);
        out = wk_jq_gen(g, (struct jq_want){w.n->kids[i], w.scope, w.in, w.own && last, w.tail});
        if (!w.tail)
            wk_jq_join_way(g, &j, out);
        if (last)
            break;
        ends[i] = w.tail ? 0 : wk_jq_emit(g, OP_JUMP, 0, 0, 0, 0);
        wk_jq_land(g, fork);
        next_way(g, &ways, false);
        g->epoch = epoch;
    }
    next_way(g, &ways, true);
    for (uint32_t i = 0; i + 1 < n && !w.tail; i++)
        wk_jq_land(g, ends[i]);
    wk_heap_free(g->q->c->heap, ends);
    return w.tail ? out : wk_jq_join_end(g, &j, w.in.path);
}

static struct jq_place gen_pipe(struct jq_cg *g, struct jq_want w)
{
    struct jq_place at = w.in;
    for (uint32_t i = 0; i < w.n->n; i++)
        at = wk_jq_gen(g, (struct jq_want){w.n->kids[i], w.scope, at, i ? true : w.own, w.tail && i + 1 == w.n->n});
    return at;
}

/* a // b where a has one output. */
static struct jq_place gen_plain_alt(struct jq_cg *g, struct jq_want w)
{
    bool own = w.own && !w.in.path && w.n->a->kind == JN_IDENTITY;
    struct jq_place out = wk_jq_gen_in(g, w.n->a, w.scope, w.in, own);
    uint32_t skip = wk_jq_emit(g, OP_JUMP_FALSE, 0, out.v.ref, 0, 0), epoch = g->epoch, end = 0;
    struct jq_join j = wk_jq_join(g);
    struct ways ways = part(g);
    g->barrier = g->code->n;
    if (w.tail) {
        wk_jq_return(g, out);
    } else {
        wk_jq_join_way(g, &j, out);
        end = wk_jq_emit(g, OP_JUMP, 0, 0, 0, 0);
    }
    wk_jq_land(g, skip);
    next_way(g, &ways, false);
    g->epoch = epoch;
    w.n = w.n->b;
    out = wk_jq_gen(g, w);
    next_way(g, &ways, true);
    if (w.tail)
        return out;
    wk_jq_join_way(g, &j, out);
    wk_jq_land(g, end);
    return wk_jq_join_end(g, &j, w.in.path);
}

/* a // b */
static struct jq_place gen_alt(struct jq_cg *g, struct jq_want w)
{
    if (wk_jq_is_plain(w.n->a, 0))
        return gen_plain_alt(g, w);
    struct jq_join j = wk_jq_join(g);
    uint32_t fails = g->fails;
    uint32_t mark = g->code->nslots++, epoch = g->epoch, end = 0;
    uint32_t alt = wk_jq_emit(g, OP_ALT, mark, 0, 0, 0);
    struct ways ways = part(g);
    struct jq_place out = wk_jq_gen_in(g, w.n->a, w.scope, w.in, false);
    wk_jq_emit(g, OP_ALT_TEST, 0, out.v.ref, mark, 0);
    g->fails = fails;
    if (w.tail) {
        wk_jq_return(g, out);
    } else {
        wk_jq_join_way(g, &j, out);
        end = wk_jq_emit(g, OP_JUMP, 0, 0, 0, 0);
    }
    wk_jq_land(g, alt);
    next_way(g, &ways, false);
    g->epoch = epoch;
    struct jq_want b = w;
    b.n = w.n->b;
    out = wk_jq_gen(g, b);
    next_way(g, &ways, true);
    if (w.tail)
        return out;
    wk_jq_join_way(g, &j, out);
    wk_jq_land(g, end);
    return wk_jq_join_end(g, &j, w.in.path);
}

static struct jq_place gen_try(struct jq_cg *g, struct jq_want w)
{
    const struct jq_node *handler = w.n->b;
    struct jq_join j = wk_jq_join(g);
    uint32_t mark = g->code->nslots++, error = g->code->nslots++, epoch = g->epoch;
    uint32_t at = wk_jq_emit(g, OP_TRY, mark, 0, error, UINT32_MAX);
    struct ways ways = part(g);
    g->fails += !handler;
    struct jq_place out = wk_jq_gen_in(g, w.n->a, w.scope, w.in, w.own && !w.in.path);
    wk_jq_emit(g, OP_TRY_END, 0, mark, 0, 0);
    g->barrier = g->code->n;
    if (handler) {
        wk_jq_join_way(g, &j, out);
        uint32_t end = wk_jq_emit(g, OP_JUMP, 0, 0, 0, 0);
        wk_jq_land(g, at);
        next_way(g, &ways, false);
        g->epoch = epoch;
        struct jq_place in = jq_no_path(w.in, jq_temp(g, error));
        out = wk_jq_gen_in(g, handler, w.scope, in, true);
        wk_jq_join_way(g, &j, out);
        wk_jq_land(g, end);
        out = wk_jq_join_end(g, &j, w.in.path);
        next_way(g, &ways, true);
    } else {
        wk_heap_free(g->q->c->heap, ways.free);
    }
    if (w.tail)
        wk_jq_return(g, out);
    return out;
}

static struct jq_place gen_label(struct jq_cg *g, struct jq_want w)
{
    struct jq_scope *s = wk_jq_scope_add(g->q, w.scope, JS_LABEL, w.n->name, JQ_ARITY_LABEL);
    s->code = g->code;
    s->slot = g->code->nslots++;
    wk_jq_emit(g, OP_MARK, s->slot, 0, 0, 0);
    w.scope = s;
    w.n = w.n->a;
    return wk_jq_gen(g, w);
}

static struct jq_place gen_break(struct jq_cg *g, struct jq_want w)
{
    struct jq_scope *s = wk_jq_scope_find(g->q, w.scope, w.n->name, JQ_ARITY_LABEL);
    wk_jq_emit(g, OP_BREAK, 0, s ? s->slot : 0, s ? wk_jq_hops(g, s->code) : 0, 0);
    g->fails++;
    return jq_no_path(w.in, wk_jq_const(g, jq_null()));
}

static struct jq_place gen_def(struct jq_cg *g, struct jq_want w)
{
    while (w.n->kind == JN_DEF) {
        struct jq_scope *s = wk_jq_scope_add(g->q, w.scope, JS_DEF, w.n->def->name, w.n->def->nparams);
        s->def = w.n->def;
        s->code = g->code;
        w.scope = s;
        w.n = w.n->a;
    }
    return wk_jq_gen(g, w);
}

static struct jq_opnd gen_var(struct jq_cg *g, struct jq_want w)
{
    struct jq_scope *s = wk_jq_scope_find(g->q, w.scope, w.n->name, JQ_ARITY_VAR);
    if (s && s->kind == JS_CONST)
        return wk_jq_const(g, jq_copy(s->value));
    if (s && s->code == g->code)
        return (struct jq_opnd){s->slot, 0, false};
    uint32_t dst = wk_jq_slot(g);
    if (s)
        wk_jq_emit(g, OP_OUTER, dst, s->slot, wk_jq_hops(g, s->code), 0);
    else
        wk_jq_emit(g, OP_ENV, dst, 0, 0, 0);
    return jq_temp(g, dst);
}

/* ---- all kinds ------------------------------------------------------------------------------- */

/* Those whose output is a value without a path. */
static struct jq_opnd gen_plain(struct jq_cg *g, struct jq_want w)
{
    struct jq_val v;
    switch (w.n->kind) {
    case JN_CONST:
        return wk_jq_const(g, jq_copy(w.n->value));
    case JN_VAR:
        return gen_var(g, w);
    case JN_FORMAT: {
        struct jq_opnd format = wk_jq_const(g, wk_jq_string(g->q, w.n->name));
        struct jq_opnd r = gen_unary(g, OP_FORMAT, w.own && !w.in.path ? w.in.v : jq_alias(w.in.v));
        jq_last(g)->b = format.ref;
        return r;
    }
    case JN_STRING:
        return wk_jq_gen_string(g, w);
    case JN_BINARY:
        return gen_binary(g, w);
    default:
        if (wk_jq_constant(g->q, w.n, &v))
            return wk_jq_const(g, v);
        return w.n->kind == JN_ARRAY ? wk_jq_gen_array(g, w) : wk_jq_gen_object(g, w);
    }
}

static struct jq_place gen_node(struct jq_cg *g, struct jq_want w)
{
    struct jq_place out;
    switch (w.n->kind) {
    case JN_PIPE:
        return gen_pipe(g, w);
    case JN_COMMA:
        return gen_comma(g, w);
    case JN_ALT:
        return gen_alt(g, w);
    case JN_IF:
        return gen_if(g, w);
    case JN_TRY:
        return gen_try(g, w);
    case JN_AS:
        return wk_jq_gen_as(g, w);
    case JN_LABEL:
        return gen_label(g, w);
    case JN_DEF:
        return gen_def(g, w);
    case JN_CALL:
        return wk_jq_gen_call(g, w);
    case JN_IDENTITY:
        out = w.own ? w.in : wk_jq_alias(w.in);
        break;
    case JN_INDEX:
    case JN_SLICE:
    case JN_EACH:
        out = wk_jq_gen_chain(g, w);
        break;
    case JN_REDUCE:
    case JN_FOREACH:
        return wk_jq_gen_fold(g, w);
    case JN_BREAK:
        out = gen_break(g, w);
        break;
    case JN_NEGATE:
        out = gen_negate(g, w);
        break;
    case JN_AND:
    case JN_OR:
        out = gen_logic(g, w);
        break;
    case JN_UPDATE:
        out = wk_jq_gen_update(g, w);
        break;
    default:
        out = jq_no_path(w.in, gen_plain(g, w));
        break;
    }
    if (w.tail)
        wk_jq_return(g, out);
    return out;
}

struct deeper {
    struct jq_cg *g;
    struct jq_want w;
    struct jq_place out;
};

static int gen_deeper(void *arg)
{
    struct deeper *d = arg;
    d->out = gen_node(d->g, d->w);
    return 0;
}

struct jq_place wk_jq_gen(struct jq_cg *g, struct jq_want w)
{
    if (!wk_stack_low(g->q->c->task))
        return gen_node(g, w);
    struct deeper d = {g, w, {{0}, {0}, {0}, false}};
    wk_jq_deeper(g->q, gen_deeper, &d);
    return d.out;
}

struct jq_place wk_jq_gen_in(struct jq_cg *g, const struct jq_node *n, struct jq_scope *scope, struct jq_place in,
                             bool own)
{
    return wk_jq_gen(g, (struct jq_want){n, scope, in, own, false});
}

struct jq_opnd wk_jq_gen_value(struct jq_cg *g, const struct jq_node *n, struct jq_scope *scope, struct jq_place in,
                               bool own)
{
    return wk_jq_gen(g, (struct jq_want){n, scope, jq_value_place(in.v), own && !in.path, false}).v;
}

/* ---- functions ------------------------------------------------------------------------------- */

struct jq_code *wk_jq_code(struct jq *q, struct jq_fn *fn, bool path)
{
    struct jq_code *k = fn->code[path];
    if (k)
        return k;
    k = fn->code[path] = jq_bump(q, sizeof *k);
    k->fn = fn;
    k->outer = fn->outer;
    k->path = path;
    k->nslots = path ? 3 : 1;
    struct jq_cg g = {.q = q, .code = k};
    struct jq_scope *scope = fn->scope;
    for (uint32_t i = 0; fn->def && i < fn->def->nparams; i++) {
        scope = wk_jq_scope_add(q, scope, JS_CLOSURE, fn->def->params[i].name, 0);
        scope->code = k;
        scope->slot = k->nclosures++;
        if (fn->def->params[i].is_value) {
            scope = wk_jq_scope_add(q, scope, JS_VAR, fn->def->params[i].name, JQ_ARITY_VAR);
            scope->code = k;
            scope->slot = k->nslots++;
        }
    }
    struct jq_place in = {jq_temp(&g, 0), jq_temp(&g, 1), jq_temp(&g, 2), path};
    if (path)
        in = wk_jq_alias(in);
    (void)wk_jq_gen(&g, (struct jq_want){fn->body, scope, in, true, true});
    if (g.free)
        wk_heap_free(q->c->heap, g.free);
    k->ready = true;
    return k;
}
