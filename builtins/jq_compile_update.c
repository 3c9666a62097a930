/* jq_compile_update.c - jq's compiler: = |= += -= *= /= %= //=
 *
 * The value under way is in a slot of its own. Each path gives one round: the value there is taken out (and
 * left there too when the update might have no output: the path is then deleted at the end), changed, and put
 * back. Where nobody else has the value under way it is changed in place.
 */
#include "builtins/jq_compile.h"

struct update {
    struct jq_cg *g;
    struct jq_want w;
    uint32_t acc;     /* the slot of the value under way */
    uint32_t deleted; /* the slot of the paths to delete */
    uint32_t clear;   /* where it is set up: a NOP until it is needed */
    bool deletes;
    struct jq_opnd x; /* the right side's value */
};

/* .a, .[$k], .a.b: one path, if the keys have one output each. */
static bool is_simple(const struct jq_node *n, uint32_t *steps)
{
    *steps = 0;
    for (; (n->kind == JN_INDEX || n->kind == JN_SLICE) && !n->op; n = n->a)
        ++*steps;
    return n->kind == JN_IDENTITY && *steps > 0;
}

static struct jq_opnd gen_key(struct update *u, const struct jq_node *n)
{
    struct jq_cg *g = u->g;
    struct jq_opnd null = wk_jq_const(g, jq_null());
    struct jq_opnd b = n->b ? wk_jq_gen_value(g, n->b, u->w.scope, u->w.in, false) : null;
    if (n->kind == JN_INDEX)
        return b;
    struct jq_opnd c = n->c ? wk_jq_gen_value(g, n->c, u->w.scope, u->w.in, false) : null;
    uint32_t rb = wk_jq_use(g, b, true), rc = wk_jq_use(g, c, true), dst = wk_jq_slot(g);
    wk_jq_emit(g, OP_SLICE_KEY, dst, rb, rc, 0);
    return jq_temp(g, dst);
}

/* The path of a simple one as an array. */
static struct jq_opnd gen_simple_path(struct update *u, const struct jq_node *n, uint32_t steps)
{
    struct jq_cg *g = u->g;
    struct jq_opnd *keys = wk_heap_alloc(g->q->c->heap, steps * sizeof *keys);
    bool constant = true;
    for (uint32_t i = 0; i < steps; i++, n = n->a) {
        keys[i] = gen_key(u, n);
        constant = constant && jq_is_const(keys[i]);
    }
    struct jq_opnd path;
    if (constant) {
        struct jq_val v = wk_jq_array(g->q, steps);
        for (uint32_t i = steps; i-- > 0;)
            v = wk_jq_push(g->q, v, jq_copy(g->code->consts[keys[i].ref & JQ_OPERAND]));
        path = wk_jq_const(g, v);
    } else {
        uint32_t slot = g->code->nslots++;
        wk_jq_emit(g, OP_ARRAY, slot, 0, 0, 0);
        for (uint32_t i = steps; i-- > 0;)
            wk_jq_emit(g, OP_APPEND, 0, slot, wk_jq_use(g, keys[i], true), 0);
        path = jq_alias(jq_temp(g, slot));
    }
    wk_heap_free(g->q->c->heap, keys);
    return path;
}

/* The new value for the one in t. */
static struct jq_opnd gen_operator(struct update *u, struct jq_opnd t)
{
    struct jq_cg *g = u->g;
    if (u->w.n->op != JO_DEFAULT) {
        uint32_t a = wk_jq_use(g, t, true), dst = wk_jq_slot(g);
        wk_jq_emit(g, OP_BINARY, dst, a, u->x.ref, 0);
        jq_last(g)->x = u->w.n->op;
        return jq_temp(g, dst);
    }
    uint32_t skip = wk_jq_emit(g, OP_JUMP_FALSE, 0, t.ref, 0, 0), end = wk_jq_emit(g, OP_JUMP, 0, 0, 0, 0);
    wk_jq_land(g, skip);
    wk_jq_emit(g, OP_MOVE, t.ref, u->x.ref, 0, 0);
    wk_jq_land(g, end);
    return t;
}

static void emit_set(struct update *u, struct jq_opnd path, bool key, struct jq_opnd v)
{
    wk_jq_emit(u->g, key ? OP_SET_KEY : OP_SET, 0, u->acc, path.ref, wk_jq_use(u->g, v, true));
}

/* One round: what is at the path, changed. */
static void gen_round(struct update *u, struct jq_opnd path, bool key)
{
    struct jq_cg *g = u->g;
    if (u->w.n->op == JO_SET) {
        emit_set(u, path, key, u->x);
        return;
    }
    uint32_t t = g->code->nslots++;
    uint32_t get = wk_jq_emit(g, key ? OP_GET_KEY_TAKE : OP_GET_TAKE, t, u->acc, path.ref, 0);
    if (u->w.n->op != JO_MODIFY) {
        emit_set(u, path, key, gen_operator(u, jq_temp(g, t)));
        return;
    }
    uint32_t mark = g->code->nslots++;
    uint32_t at_mark = wk_jq_emit(g, OP_NOP, mark, 0, 0, 0), at_fork = wk_jq_emit(g, OP_NOP, 0, 0, 0, 0);
    uint32_t epoch = g->epoch, fails = g->fails;
    struct jq_opnd v = wk_jq_gen_value(g, u->w.n->b, u->w.scope, jq_value_place(jq_temp(g, t)), true);
    if (g->fails == fails && g->epoch == epoch) {
        emit_set(u, path, key, v);
        return;
    }
    /* Only its first output counts, and with none the path goes. */
    jq_at_ins(g, get)->op = key ? OP_GET_KEY : OP_GET;
    jq_at_ins(g, at_mark)->op = OP_MARK;
    jq_at_ins(g, at_fork)->op = OP_FORK;
    wk_jq_emit(g, OP_CUT, 0, mark, 0, 0);
    g->epoch = epoch;
    g->fails = fails;
    emit_set(u, path, key, jq_alias(v));
    uint32_t end = wk_jq_emit(g, OP_JUMP, 0, 0, 0, 0);
    wk_jq_land(g, at_fork);
    uint32_t whole = path.ref;
    if (key) { /* as an array */
        whole = g->code->nslots++;
        wk_jq_emit(g, OP_ARRAY, whole, 0, 0, 0);
        wk_jq_emit(g, OP_APPEND, 0, whole, path.ref, 0);
    }
    wk_jq_emit(g, OP_APPEND, 0, u->deleted, whole, 0);
    wk_jq_land(g, end);
    u->deletes = true;
    jq_at_ins(g, u->clear)->op = OP_ARRAY;
}

/* The path of a simple one: a key, or an array of them. False: a key left a choice or may have no output, and
 * nothing was emitted. */
static bool gen_keys(struct update *u, uint32_t steps, struct jq_opnd *path)
{
    struct jq_cg *g = u->g;
    uint32_t n = g->code->n, epoch = g->epoch, fails = g->fails, barrier = g->barrier;
    *path = steps == 1 ? gen_key(u, u->w.n->a) : gen_simple_path(u, u->w.n->a, steps);
    if (g->epoch != epoch || g->fails != fails) {
        g->code->n = n;
        g->epoch = epoch;
        g->fails = fails;
        g->barrier = barrier;
        g->nfree = 0; /* what was free in front may have been taken and given back */
        return false;
    }
    if (!jq_is_const(*path) && path->ref == u->w.in.v.ref)
        *path = wk_jq_own_slot(g, *path);
    *path = jq_alias(*path);
    return true;
}

static void start(struct update *u, bool own)
{
    struct jq_cg *g = u->g;
    u->acc = g->code->nslots++;
    u->deleted = g->code->nslots++;
    wk_jq_emit(g, OP_MOVE, u->acc, wk_jq_use(g, u->w.in.v, own), 0, 0);
    u->clear = wk_jq_emit(g, OP_NOP, u->deleted, 0, 0, 0);
}

static void gen_paths(struct update *u)
{
    struct jq_cg *g = u->g;
    start(u, false);
    uint32_t epoch = g->epoch, fails = g->fails, fork = wk_jq_emit(g, OP_FORK, 0, 0, 0, 0);
    jq_choice(g);
    struct jq_opnd v = jq_alias(u->w.in.v);
    struct jq_place in = {v, wk_jq_const(g, wk_jq_array(g->q, 0)), v, true};
    struct jq_place out = wk_jq_gen_in(g, u->w.n->a, u->w.scope, in, false);
    wk_jq_identical(g, out, JQ_IDENT_END, v);
    gen_round(u, out.p, false);
    wk_jq_emit(g, OP_BACK, 0, 0, 0, 0);
    wk_jq_land(g, fork);
    g->epoch = epoch;
    g->fails = fails;
}

/* Within a path this is an error: what an update makes is looked into, and has no path. */
static void no_path(struct update *u)
{
    struct jq_cg *g = u->g;
    uint32_t pair = g->code->nslots++;
    jq_at_ins(g, u->clear)->op = OP_ARRAY;
    wk_jq_emit(g, OP_ARRAY, pair, 0, 0, 0);
    wk_jq_emit(g, OP_APPEND, 0, pair, u->acc, 0);
    wk_jq_emit(g, OP_APPEND, 0, pair, u->deleted, 0);
    struct jq_place at = u->w.in;
    at.v = jq_alias(jq_temp(g, pair));
    wk_jq_identical(g, at, JQ_IDENT_KEY, wk_jq_const(g, jq_number(0)));
}

struct jq_place wk_jq_gen_update(struct jq_cg *g, struct jq_want w)
{
    struct update u = {.g = g, .w = w};
    uint32_t steps;
    u.w.own = w.own && !w.in.path;
    if (w.n->op != JO_MODIFY) {
        u.x = wk_jq_gen_value(g, w.n->b, w.scope, w.in, false);
        if (!jq_is_const(u.x)) /* every round reads it, and the input changes */
            u.x = jq_alias(u.x.temp ? u.x : wk_jq_own_slot(g, u.x));
    }
    struct jq_opnd path;
    if (is_simple(w.n->a, &steps) && gen_keys(&u, steps, &path)) {
        start(&u, u.w.own);
        gen_round(&u, path, steps == 1);
    } else {
        gen_paths(&u);
    }
    struct jq_opnd out = jq_temp(g, u.acc);
    if (w.in.path && w.n->op != JO_SET) {
        no_path(&u);
        return jq_no_path(w.in, out);
    }
    if (u.deletes) {
        uint32_t dst = wk_jq_slot(g);
        wk_jq_emit(g, OP_DELETE, dst, u.acc | JQ_OPERAND_MOVE, u.deleted, 0);
        out = jq_temp(g, dst);
    }
    return jq_no_path(w.in, out);
}
