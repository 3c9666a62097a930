/* jq_run.c - jq's machine: the loop over instructions */
#include "builtins/jq_run.h"

/* ---- operands -------------------------------------------------------------------------------- */

static inline const struct jq_val *look(const struct jq_frame *f, uint32_t r)
{
    return r & JQ_OPERAND_CONST ? &f->code->consts[r & JQ_OPERAND] : &f->s[r & JQ_OPERAND];
}

static inline struct jq_val fetch(struct jq_frame *f, uint32_t r)
{
    struct jq_val *v = r & JQ_OPERAND_CONST ? &f->code->consts[r & JQ_OPERAND] : &f->s[r & JQ_OPERAND];
    if (!(r & JQ_OPERAND_MOVE))
        return jq_copy(*v);
    struct jq_val moved = *v;
    *v = jq_null();
    return moved;
}

/* An operand that was only looked at. */
static inline void drop(struct jq *q, struct jq_frame *f, uint32_t r)
{
    if (r & JQ_OPERAND_MOVE) {
        struct jq_val v = f->s[r & JQ_OPERAND];
        f->s[r & JQ_OPERAND] = jq_null();
        jq_free(q, v);
    }
}

static inline void put(struct jq *q, struct jq_frame *f, uint32_t slot, struct jq_val v)
{
    struct jq_val old = f->s[slot];
    f->s[slot] = v;
    jq_free(q, old);
}

static struct jq_frame *walk(struct jq_frame *f, uint32_t hops)
{
    while (hops-- > 0)
        f = f->parent;
    return f;
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool compare(struct jq *q, int op, const struct jq_val *a, const struct jq_val *b, bool *out)
{
    int order = 0;
    if (a->kind == JQ_NUMBER && b->kind == JQ_NUMBER && !a->is_literal && !b->is_literal && a->num == a->num &&
        b->num == b->num) {
        order = a->num < b->num ? -1 : a->num > b->num;
    } else if (op == JO_EQ || op == JO_NE) {
        bool equal = false;
        if (!wk_jq_equal(q, *a, *b, &equal))
            return false;
        order = !equal;
    } else if (!wk_jq_compare(q, *a, *b, &order)) {
        return false;
    }
    switch (op) {
    case JO_EQ:
        *out = order == 0;
        return true;
    case JO_NE:
        *out = order != 0;
        return true;
    case JO_LT:
        *out = order < 0;
        return true;
    case JO_LE:
        *out = order <= 0;
        return true;
    case JO_GT:
        *out = order > 0;
        return true;
    default:
        *out = order >= 0;
        return true;
    }
}

static bool arithmetic(struct jq *q, int op, struct jq_val a, struct jq_val b, struct jq_val *out)
{
    if (a.kind == JQ_NUMBER && b.kind == JQ_NUMBER && !a.is_literal && !b.is_literal && op <= JO_MUL) {
        *out = jq_number(op == JO_ADD ? a.num + b.num : op == JO_SUB ? a.num - b.num : a.num * b.num);
        return true;
    }
    switch (op) {
    case JO_ADD:
        return wk_jq_add(q, a, b, out);
    case JO_SUB:
        return wk_jq_subtract(q, a, b, out);
    case JO_MUL:
        return wk_jq_multiply(q, a, b, out);
    case JO_DIV:
        return wk_jq_divide(q, a, b, out);
    default:
        return wk_jq_modulo(q, a, b, out);
    }
}

static bool do_binary(struct jq *q, struct jq_frame *f, const struct jq_ins *i)
{
    struct jq_val out = jq_null();
    bool good;
    if (i->x < JO_EQ) {
        struct jq_val b = fetch(f, i->b), a = fetch(f, i->a);
        good = arithmetic(q, i->x, a, b, &out);
    } else {
        bool r = false;
        good = compare(q, i->x, look(f, i->a), look(f, i->b), &r);
        drop(q, f, i->a);
        drop(q, f, i->b);
        out = jq_bool(r);
    }
    if (good)
        put(q, f, i->dst, out);
    return good;
}

static bool do_index(struct jq *q, struct jq_frame *f, const struct jq_ins *i)
{
    const struct jq_val *a = look(f, i->a), *key = look(f, i->b);
    struct jq_val out;
    if (a->kind == JQ_OBJECT && key->kind == JQ_STRING) {
        const struct jq_val *v = wk_jq_object_get(*a, *key);
        out = v ? jq_copy(*v) : jq_null();
        drop(q, f, i->a);
        drop(q, f, i->b);
    } else {
        struct jq_val k = fetch(f, i->b), v = fetch(f, i->a);
        if (!wk_jq_index(q, v, k, &out))
            return false;
    }
    put(q, f, i->dst, out);
    return true;
}

static bool do_insert(struct jq *q, struct jq_frame *f, const struct jq_ins *i)
{
    char shown[30];
    struct jq_val v = fetch(f, i->c), key = fetch(f, i->b), object = fetch(f, i->a);
    if (key.kind != JQ_STRING) {
        wk_jq_error(q, "Cannot use %s (%s) as object key", wk_jq_kind_name(key),
                    wk_jq_dump_short(q, key, shown, sizeof shown));
        jq_free(q, v);
        jq_free(q, key);
        jq_free(q, object);
        return false;
    }
    put(q, f, i->dst, wk_jq_object_set(q, object, key, v));
    return true;
}

static void do_concat(struct jq *q, struct jq_frame *f, const struct jq_ins *i)
{
    const struct jq_site *s = &f->code->sites[i->c];
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(q->c->heap), SIZE_MAX / 2);
    for (uint32_t k = 0; k < s->n; k++) {
        wk_buf_puts(&b, jq_slice(*look(f, s->operands[k])));
        drop(q, f, s->operands[k]);
    }
    put(q, f, i->dst, wk_jq_string_take(q, &b));
}

static bool do_native(struct jq *q, struct jq_frame *f, const struct jq_ins *i, bool *none)
{
    const struct jq_site *s = &f->code->sites[i->c];
    struct jq_val a[WK_JQ_ARGS_MAX + 1], out = jq_null();
    for (uint32_t k = s->n; k-- > 0;)
        a[k] = fetch(f, s->operands[k]);
    if (!s->native->call(q, a, &out))
        return false;
    *none = out.kind == JQ_NONE;
    if (!*none)
        put(q, f, i->dst, out);
    return true;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static bool is_identical(struct jq_val a, struct jq_val b)
{
    if (a.kind != b.kind)
        return false;
    if (a.kind == JQ_NUMBER) /* one that was computed is not one that was read */
        return a.is_text == b.is_text &&
               (jq_num(a) == jq_num(b) || (jq_num(a) != jq_num(a) && jq_num(b) != jq_num(b)));
    return a.kind < JQ_NUMBER || a.str == b.str;
}

/* The value must be the one that the path leads to. */
static bool do_identical(struct jq *q, struct jq_frame *f, const struct jq_ins *i)
{
    char key[30], value[30];
    struct jq_val v = *look(f, i->a);
    bool own_number = i->a & JQ_OPERAND_CONST && v.kind == JQ_NUMBER && i->a != i->b; /* the program's */
    if (!own_number && is_identical(v, *look(f, i->b)))
        return true;
    wk_jq_dump_short(q, v, value, sizeof value);
    if (i->x == 2)
        return wk_jq_error(q, "Invalid path expression with result %s", value);
    if (i->x == 1)
        return wk_jq_error(q, "Invalid path expression near attempt to iterate through %s", value);
    return wk_jq_error(q, "Invalid path expression near attempt to access element %s of %s",
                       wk_jq_dump_short(q, *look(f, i->c), key, sizeof key), value);
}

/* getpath in a path. */
static bool do_path_get(struct jq *q, struct jq_frame *f, const struct jq_ins *i)
{
    struct jq_val key = jq_copy(*look(f, i->b)), out;
    if (i->path && !is_identical(*look(f, i->a), *look(f, i->e))) {
        char value[30];
        jq_free(q, key);
        return wk_jq_error(q, "Invalid path expression with result %s",
                           wk_jq_dump_short(q, *look(f, i->a), value, sizeof value));
    }
    if (!wk_jq_getpath(q, fetch(f, i->a), jq_copy(key), &out)) {
        jq_free(q, key);
        return false;
    }
    if (i->path) {
        struct jq_val path = jq_copy(*look(f, i->c));
        for (size_t k = 0; k < key.array->n; k++)
            path = wk_jq_push(q, path, jq_copy(key.array->at[k]));
        put(q, f, i->d, path);
    } else {
        drop(q, f, i->b);
    }
    jq_free(q, key);
    put(q, f, i->dst, out);
    return true;
}

static bool do_get(struct jq *q, struct jq_frame *f, const struct jq_ins *i)
{
    struct jq_val out = jq_null(), *at = &f->s[i->a];
    const struct jq_val *path = look(f, i->b);
    bool good;
    switch (i->op) {
    case OP_GET:
        good = wk_jq_getpath(q, jq_copy(*at), jq_copy(*path), &out);
        break;
    case OP_GET_KEY:
        good = wk_jq_index(q, jq_copy(*at), jq_copy(*path), &out);
        break;
    case OP_GET_TAKE:
        good = wk_jq_path_take(q, at, *path, &out);
        break;
    default:
        good = wk_jq_key_take(q, at, *path, &out);
        break;
    }
    if (good)
        put(q, f, i->dst, out);
    return good;
}

static bool do_set(struct jq *q, struct jq_frame *f, const struct jq_ins *i)
{
    struct jq_val v = fetch(f, i->c), key = jq_copy(*look(f, i->b)), at = f->s[i->a], out;
    f->s[i->a] = jq_null();
    if (!(i->op == OP_SET_KEY ? wk_jq_set(q, at, key, v, &out) : wk_jq_setpath(q, at, key, v, &out)))
        return false;
    f->s[i->a] = out;
    return true;
}

static bool do_delete(struct jq *q, struct jq_frame *f, const struct jq_ins *i)
{
    struct jq_val v = fetch(f, i->a), out, paths = jq_copy(f->s[i->b]);
    if (!wk_jq_delpaths(q, v, paths, &out))
        return false;
    put(q, f, i->dst, out);
    return true;
}

/* ---- generators ------------------------------------------------------------------------------ */

/* The next element of the latest choice's container into the frame; the choice goes with the last one. */
static void next_element(struct jq_machine *m, struct jq_choice *c)
{
    struct jq *q = m->q;
    struct jq_frame *f = c->f;
    const struct jq_ins *i = c->pc;
    struct jq_val key = jq_null(), v = jq_null();
    bool last;
    if (c->v.kind == JQ_ARRAY) {
        key = jq_number((double)c->i);
        v = jq_copy(c->v.array->at[c->i++]);
        last = c->i >= c->v.array->n;
    } else {
        wk_jq_object_next(c->v, &c->i, &key, &v);
        (void)jq_copy(key);
        v = jq_copy(v);
        last = --c->n == 0;
    }
    if (i->path) /* takes the key */
        put(q, f, i->d, wk_jq_push(q, jq_copy(c->p), key));
    else
        jq_free(q, key);
    put(q, f, i->dst, v);
    if (last)
        wk_jq_cut(m, m->n - 1);
}

/* False: an error, or *none. */
static bool do_each(struct jq_machine *m, const struct jq_ins *i, bool *none)
{
    struct jq_frame *f = m->f;
    struct jq_val v = fetch(f, i->a);
    if (v.kind != JQ_ARRAY && v.kind != JQ_OBJECT)
        return wk_jq_cannot_iterate(m->q, v);
    size_t n = v.kind == JQ_ARRAY ? v.array->n : wk_jq_object_n(v);
    if (n == 0) {
        jq_free(m->q, v);
        *none = true;
        return true;
    }
    struct jq_choice *c = wk_jq_choose(m, JC_EACH, i);
    c->v = v;
    c->n = n;
    if (i->path)
        c->p = jq_copy(*look(f, i->c));
    next_element(m, c);
    return true;
}

static void next_number(struct jq_machine *m, struct jq_choice *c)
{
    double now = c->v.num;
    put(m->q, c->f, c->pc->dst, jq_number(now));
    c->v.num = now + c->step;
    if (c->step > 0 ? !(c->v.num < c->p.num) : !(c->v.num > c->p.num))
        wk_jq_cut(m, m->n - 1);
}

static bool do_range(struct jq_machine *m, const struct jq_ins *i, bool *none)
{
    struct jq_frame *f = m->f;
    struct jq_val a = *look(f, i->a), b = *look(f, i->b), c = *look(f, i->c);
    if (a.kind != JQ_NUMBER || b.kind != JQ_NUMBER || c.kind != JQ_NUMBER)
        return wk_jq_error(m->q, "Range bounds must be numeric");
    double from = jq_num(a), to = jq_num(b), step = jq_num(c);
    drop(m->q, f, i->a);
    drop(m->q, f, i->b);
    drop(m->q, f, i->c);
    if (!(step > 0 ? from < to : step < 0 && from > to)) {
        *none = true;
        return true;
    }
    struct jq_choice *choice = wk_jq_choose(m, JC_RANGE, i);
    choice->v = jq_number(from);
    choice->p = jq_number(to);
    choice->step = step;
    next_number(m, choice);
    return true;
}

/* limit(n; …): how many outputs. */
static bool do_limit_check(struct jq_machine *m, const struct jq_ins *i, bool *none)
{
    struct jq_val n = fetch(m->f, i->a);
    bool positive = n.kind > JQ_NUMBER || (n.kind == JQ_NUMBER && jq_num(n) > 0);
    *none = n.kind == JQ_NUMBER && jq_num(n) == 0;
    put(m->q, m->f, i->dst, n);
    return positive || *none || wk_jq_error(m->q, "limit doesn't support negative count");
}

static bool do_limit(struct jq_machine *m, const struct jq_ins *i)
{
    struct jq_val n = m->f->s[i->a], left;
    if (n.kind != JQ_NUMBER)
        return wk_jq_subtract(m->q, jq_copy(n), jq_number(1), &left);
    double rest = jq_num(n) - 1;
    put(m->q, m->f, i->a, jq_number(rest));
    if (rest <= 0)
        wk_jq_cut(m, (size_t)m->f->s[i->b].num);
    return true;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void enter(struct jq_machine *m, const struct jq_ins *i, struct jq_frame *g)
{
    struct jq_frame *f = m->f;
    if (!i->tail) {
        g->to = f;
        g->call = i;
    } else if (f->refs == 1) {
        g->to = f->to;
        g->call = f->call;
        f->to = NULL;
        wk_jq_frame_free(m, f);
    } else {
        g->to = jq_frame_ref(f->to);
        g->call = f->call;
        f->refs--;
    }
    m->f = g;
    m->pc = g->code->ins;
}

static void put_input(struct jq_frame *f, struct jq_frame *g, const struct jq_ins *i, const struct jq_site *s)
{
    if (!i->path) {
        g->s[0] = fetch(f, i->a);
        return;
    }
    for (int k = 0; k < 3; k++)
        g->s[k] = jq_copy(*look(f, s->operands[k]));
}

static void do_call(struct jq_machine *m, const struct jq_ins *i)
{
    struct jq_frame *f = m->f;
    const struct jq_site *s = &f->code->sites[i->c];
    struct jq_frame *g = wk_jq_frame(m, wk_jq_code(m->q, s->fn, i->path));
    uint32_t slot = i->path ? 3 : 1;
    g->parent = s->hops == UINT32_MAX ? NULL : jq_frame_ref(walk(f, s->hops));
    for (uint32_t k = 0; k < s->n; k++) {
        const struct jq_arg *a = &s->args[k];
        struct jq_frame *at = a->fn && !a->fn->outer ? NULL : walk(f, a->hops);
        g->closures[k] = a->fn ? (struct jq_closure){a->fn, at} : at->closures[a->index];
        jq_frame_ref(g->closures[k].frame);
        if (a->value != UINT32_MAX)
            g->s[slot++] = fetch(f, a->value);
    }
    put_input(f, g, i, s);
    enter(m, i, g);
}

static void do_call_closure(struct jq_machine *m, const struct jq_ins *i)
{
    struct jq_frame *f = m->f;
    const struct jq_site *s = &f->code->sites[i->c];
    struct jq_closure c = walk(f, s->hops)->closures[s->index];
    struct jq_frame *g = wk_jq_frame(m, wk_jq_code(m->q, c.fn, i->path));
    g->parent = jq_frame_ref(c.frame);
    put_input(f, g, i, s);
    enter(m, i, g);
}

/* An output of the frame at work: to its caller, or (true) to the driver. */
static bool do_return(struct jq_machine *m, const struct jq_ins *i, struct jq_val *out)
{
    struct jq_frame *f = m->f, *to = f->to;
    struct jq_val v, p = jq_none(), a = jq_none();
    if (i->path) {
        p = jq_copy(*look(f, i->b));
        a = jq_copy(*look(f, i->c));
        v = jq_copy(*look(f, i->a));
    } else {
        v = fetch(f, f->refs == 1 && !(i->a & JQ_OPERAND_CONST) ? i->a | JQ_OPERAND_MOVE : i->a);
    }
    const struct jq_ins *call = f->call;
    if (f->refs == 1) {
        f->to = NULL;
        m->f = to;
        wk_jq_frame_free(m, f);
    } else {
        f->refs--;
        m->f = jq_frame_ref(to);
    }
    if (!to) {
        *out = v;
        return true;
    }
    put(m->q, to, call->dst, v);
    if (i->path) {
        put(m->q, to, call->d, p);
        put(m->q, to, call->e, a);
    }
    m->pc = call + 1;
    return false;
}

/* ---- going back ------------------------------------------------------------------------------ */

/* The latest choice's frame goes to work; the choice is gone when `pop`. */
static void resume(struct jq_machine *m, struct jq_choice *c, bool pop)
{
    struct jq_frame *old = m->f;
    m->pc = c->pc;
    m->f = c->f;
    if (pop) {
        struct jq_val v = c->v, p = c->p;
        m->n--;
        jq_free(m->q, v);
        jq_free(m->q, p);
    } else {
        jq_frame_ref(m->f);
    }
    jq_frame_unref(m, old);
}

/* Takes the latest choice; false when there is none. */
static bool go_back(struct jq_machine *m)
{
    while (m->n > 0) {
        struct jq_choice *c = &m->choices[m->n - 1];
        wk_tick(m->q->c, 1);
        switch (c->kind) {
        case JC_FORK:
            resume(m, c, true);
            return true;
        case JC_EACH:
            resume(m, c, false);
            m->pc = c->pc + 1;
            next_element(m, c);
            return true;
        case JC_RANGE:
            resume(m, c, false);
            m->pc = c->pc + 1;
            next_number(m, c);
            return true;
        case JC_ALT:
            if (!c->i) {
                resume(m, c, true);
                return true;
            }
            break;
        default:
            break;
        }
        wk_jq_cut(m, m->n - 1);
    }
    return false;
}

/* An error was raised: to whom it may concern, down to the choice `floor`. 1: goes on at m->pc; 0: as no output;
 * -1: nobody. */
static int unwind(struct jq_machine *m, size_t floor)
{
    struct jq *q = m->q;
    size_t left = SIZE_MAX; /* a try from here on was left before */
    while (m->n > floor) {
        struct jq_choice *c = &m->choices[m->n - 1];
        const struct jq_ins *i = c->pc;
        size_t to = m->n - 1;
        wk_tick(q->c, 1);
        switch (c->kind) {
        case JC_EXIT:
            left = WK_MIN(left, c->i);
            break;
        case JC_TRY: {
            if (to >= left)
                break;
            struct jq_val e = q->error;
            q->error = jq_none();
            if (i->c == UINT32_MAX) {
                wk_jq_cut(m, to);
                jq_free(q, e);
                return 0;
            }
            resume(m, c, true);
            m->pc = m->f->code->ins + i->c;
            put(q, m->f, i->b, e);
            return 1;
        }
        case JC_RETRY:
            jq_free(q, q->error);
            q->error = jq_none();
            resume(m, c, true);
            return 1;
        default:
            break;
        }
        wk_jq_cut(m, to);
    }
    return -1;
}

/* The end of a try's body: later errors are not its own. */
static void leave_try(struct jq_machine *m, size_t mark)
{
    if (m->n == mark + 1)
        wk_jq_cut(m, mark);
    else
        wk_jq_choose(m, JC_EXIT, NULL)->i = mark;
}

/* ---- the loop -------------------------------------------------------------------------------- */

enum outcome { GO_ON, NO_OUTPUT, RAISED, OUTPUT };

static enum outcome done(bool good, bool none)
{
    return !good ? RAISED : none ? NO_OUTPUT : GO_ON;
}

static enum outcome forgive(struct jq *q, const struct jq_ins *i, enum outcome o)
{
    if (o != RAISED || !i->forgiving)
        return o;
    jq_free(q, q->error);
    q->error = jq_none();
    return NO_OUTPUT;
}

/* An error that a `try` may catch on the way; behind the label it is no output. */
static enum outcome do_break(struct jq_machine *m, size_t mark)
{
    struct jq *q = m->q;
    struct jq_val e = wk_jq_object(q, 1);
    q->error = wk_jq_object_set(q, e, wk_jq_string_valid(q, WK_STR("__jq")), jq_number(0));
    int r = unwind(m, mark);
    if (r < 0) {
        jq_free(q, q->error);
        q->error = jq_none();
    }
    return r > 0 ? GO_ON : NO_OUTPUT;
}

/* Control flow and what is about choices. */
static enum outcome flow(struct jq_machine *m, const struct jq_ins *i, struct jq_val *out)
{
    struct jq *q = m->q;
    struct jq_frame *f = m->f;
    bool good, r = false;
    size_t mark;
    switch (i->op) {
    case OP_TRY:
        put(q, f, i->dst, jq_number((double)m->n));
        wk_jq_choose(m, JC_TRY, i);
        return GO_ON;
    case OP_TRY_END:
        leave_try(m, (size_t)f->s[i->a].num);
        return GO_ON;
    case OP_ALT:
        put(q, f, i->dst, jq_number((double)m->n));
        wk_jq_choose(m, JC_ALT, f->code->ins + i->c);
        return GO_ON;
    case OP_ALT_TEST:
        if (!jq_truthy(*look(f, i->a)))
            return NO_OUTPUT;
        mark = (size_t)f->s[i->b].num;
        m->choices[mark].i = 1;
        if (m->n == mark + 1)
            wk_jq_cut(m, mark);
        return GO_ON;
    case OP_RETRY:
        wk_jq_choose(m, JC_RETRY, f->code->ins + i->c);
        return GO_ON;
    case OP_BREAK:
        return do_break(m, (size_t)walk(f, i->b)->s[i->a].num);
    case OP_RANGE:
        good = do_range(m, i, &r);
        return done(good, r);
    case OP_CONCAT:
        do_concat(q, f, i);
        return GO_ON;
    case OP_LIMIT_CHECK:
        good = do_limit_check(m, i, &r);
        return done(good, r);
    case OP_LIMIT:
        return done(do_limit(m, i), false);
    case OP_CALL:
        do_call(m, i);
        return GO_ON;
    case OP_CALL_CLOSURE:
        do_call_closure(m, i);
        return GO_ON;
    case OP_ERROR:
        wk_jq_raise(q, jq_copy(*look(f, i->a)));
        return RAISED;
    default:
        return do_return(m, i, out) ? OUTPUT : GO_ON;
    }
}

/* What makes values and is not met every other instruction. */
static enum outcome make(struct jq_machine *m, const struct jq_ins *i)
{
    struct jq *q = m->q;
    struct jq_frame *f = m->f;
    struct jq_val v = jq_null(), out = jq_null();
    bool none = false, good = true;
    switch (i->op) {
    case OP_OUTER:
        out = jq_copy(walk(f, i->b)->s[i->a]);
        break;
    case OP_TAKE:
        out = f->s[i->a];
        f->s[i->a] = jq_null();
        none = i->x && out.kind == JQ_NONE;
        break;
    case OP_SLICE: {
        struct jq_val to = fetch(f, i->c), from = fetch(f, i->b);
        good = wk_jq_slice(q, fetch(f, i->a), from, to, &out);
        break;
    }
    case OP_SLICE_KEY:
        out = wk_jq_object(q, 2);
        out = wk_jq_object_set(q, out, wk_jq_string_valid(q, WK_STR("start")), fetch(f, i->a));
        out = wk_jq_object_set(q, out, wk_jq_string_valid(q, WK_STR("end")), fetch(f, i->b));
        break;
    case OP_NEGATE:
        good = wk_jq_negate(q, fetch(f, i->a), &out);
        break;
    case OP_NOT:
    case OP_BOOL:
        out = jq_bool(jq_truthy(*look(f, i->a)) == (i->op == OP_BOOL));
        drop(q, f, i->a);
        break;
    case OP_ARRAY:
        out = wk_jq_array(q, 0);
        break;
    case OP_OBJECT:
        out = wk_jq_object(q, i->a);
        break;
    case OP_FORMAT:
        good = wk_jq_format(q, fetch(f, i->a), jq_slice(*look(f, i->b)), &out);
        break;
    case OP_ENV:
        out = wk_jq_env(q);
        break;
    default: /* OP_PATH_ADD */
        v = fetch(f, i->b);
        out = wk_jq_push(q, fetch(f, i->a), v);
        break;
    }
    if (good && !none)
        put(q, f, i->dst, out);
    return done(good, none);
}

/* What looks into values by paths and keys. */
static bool at_paths(struct jq *q, struct jq_frame *f, const struct jq_ins *i)
{
    switch (i->op) {
    case OP_IDENTICAL:
        return do_identical(q, f, i);
    case OP_PATH_GET:
        return do_path_get(q, f, i);
    case OP_SET:
    case OP_SET_KEY:
        return do_set(q, f, i);
    case OP_DELETE:
        return do_delete(q, f, i);
    default:
        return do_get(q, f, i);
    }
}

static enum outcome step(struct jq_machine *m, const struct jq_ins *i, struct jq_val *out)
{
    struct jq *q = m->q;
    struct jq_frame *f = m->f;
    bool good, r = false;
    switch (i->op) {
    case OP_NOP:
        return GO_ON;
    case OP_MOVE:
        put(q, f, i->dst, fetch(f, i->a));
        return GO_ON;
    case OP_INDEX:
        return forgive(q, i, done(do_index(q, f, i), false));
    case OP_BINARY:
        return done(do_binary(q, f, i), false);
    case OP_JUMP:
        m->pc = f->code->ins + i->c;
        return GO_ON;
    case OP_JUMP_FALSE:
        if (!jq_truthy(*look(f, i->a)))
            m->pc = f->code->ins + i->c;
        drop(q, f, i->a);
        return GO_ON;
    case OP_JUMP_CMP:
        if (!compare(q, i->x, look(f, i->a), look(f, i->b), &r))
            return RAISED;
        if (!r)
            m->pc = f->code->ins + i->c;
        drop(q, f, i->a);
        drop(q, f, i->b);
        return GO_ON;
    case OP_BACK:
        return NO_OUTPUT;
    case OP_APPEND:
        f->s[i->a] = wk_jq_push(q, f->s[i->a], fetch(f, i->b));
        return GO_ON;
    case OP_INSERT:
        return done(do_insert(q, f, i), false);
    case OP_EACH:
        good = do_each(m, i, &r);
        return forgive(q, i, done(good, r));
    case OP_FORK:
        wk_jq_choose(m, JC_FORK, f->code->ins + i->c);
        return GO_ON;
    case OP_MARK:
        put(q, f, i->dst, jq_number((double)m->n));
        return GO_ON;
    case OP_CUT:
        wk_jq_cut(m, (size_t)f->s[i->a].num);
        return GO_ON;
    case OP_NATIVE:
        good = do_native(q, f, i, &r);
        return done(good, r);
    case OP_IDENTICAL:
    case OP_PATH_GET:
    case OP_GET:
    case OP_GET_TAKE:
    case OP_GET_KEY:
    case OP_GET_KEY_TAKE:
    case OP_SET:
    case OP_SET_KEY:
    case OP_DELETE:
        return done(at_paths(q, f, i), false);
    case OP_OUTER:
    case OP_TAKE:
    case OP_SLICE:
    case OP_SLICE_KEY:
    case OP_NEGATE:
    case OP_NOT:
    case OP_BOOL:
    case OP_ARRAY:
    case OP_OBJECT:
    case OP_FORMAT:
    case OP_ENV:
    case OP_PATH_ADD:
        return forgive(q, i, make(m, i));
    default:
        return flow(m, i, out);
    }
}

static void stop(struct jq_machine *m)
{
    wk_jq_cut(m, 0);
    jq_frame_unref(m, m->f);
    m->f = NULL;
}

struct jq_machine *wk_jq_machine(struct jq *q, struct jq_program *p)
{
    struct jq_machine *m = wk_heap_zalloc(q->c->heap, sizeof *m);
    m->q = q;
    m->program = p;
    return m;
}

void wk_jq_start(struct jq_machine *m, struct jq_val input)
{
    stop(m);
    m->f = wk_jq_frame(m, wk_jq_code(m->q, &m->program->main, false));
    m->f->s[0] = input;
    m->pc = m->f->code->ins;
}

int wk_jq_next(struct jq_machine *m, struct jq_val *out)
{
    struct jq *q = m->q;
    enum outcome o = m->f ? GO_ON : NO_OUTPUT;
    for (;;) {
        while (WK_LIKELY(o == GO_ON))
            o = step(m, m->pc++, out);
        if (o == OUTPUT)
            return 1;
        int r = o == RAISED ? q->halted ? -1 : unwind(m, 0) : 0;
        if (q->halted) {
            stop(m);
            return 0;
        }
        if (r < 0) {
            stop(m);
            return -1;
        }
        if (r == 0 && !go_back(m)) {
            stop(m);
            return 0;
        }
        o = GO_ON;
    }
}
