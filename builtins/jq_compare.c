/* jq_compare.c - the order of jq's values, and whether they are equal
 *
 * null < false < true < numbers < strings < arrays < objects. Arrays are ordered by their elements;
 * objects by their sorted keys as arrays, then by the values of these keys in turn. What is under way is
 * on a stack in the process heap.
 */
#include "builtins/jq_priv.h"

struct pair {
    struct jq_val a, b;
    struct jq_val *keys; /* of objects that are ordered: sorted */
    size_t at, n;        /* the next part; parts that both have */
};

struct compare {
    struct jq *q;
    bool only_equal, too_deep;
    struct pair few[8], *stack;
    size_t n, cap;
};

/* Keys of two objects as arrays; when they are the same the objects' values are compared in turn. */
static int order_of_keys(struct compare *c, struct pair *p)
{
    size_t n, m;
    struct jq_val *x = wk_jq_keys_sorted(c->q, p->a, &n), *y = wk_jq_keys_sorted(c->q, p->b, &m);
    int order = 0;
    for (size_t i = 0; i < n && i < m && order == 0; i++)
        order = wk_str_cmp(jq_slice(x[i]), jq_slice(y[i]));
    if (order == 0 && n != m)
        order = n < m ? -1 : 1;
    wk_heap_free(c->q->c->heap, y);
    p->keys = x;
    p->n = n;
    return order;
}

static void pop(struct compare *c)
{
    wk_heap_free(c->q->c->heap, c->stack[--c->n].keys);
}

/* Two containers of one kind; what can be said at once, else they are put on the stack. */
static int open_pair(struct compare *c, struct jq_val a, struct jq_val b)
{
    struct pair p = {.a = a, .b = b};
    if (c->n > WK_JQ_DEPTH) {
        c->too_deep = true;
        return 1;
    }
    if (a.kind == JQ_ARRAY) {
        if (c->only_equal && a.array->n != b.array->n)
            return 1;
        p.n = WK_MIN(a.array->n, b.array->n);
    } else if (c->only_equal) {
        if (a.object->live != b.object->live)
            return 1;
    } else {
        int order = order_of_keys(c, &p);
        if (order) {
            wk_heap_free(c->q->c->heap, p.keys);
            return order;
        }
    }
    if (c->n == c->cap) {
        struct pair *more = wk_heap_calloc(c->q->c->heap, c->cap * 2, sizeof *more);
        memcpy(more, c->stack, c->n * sizeof *more);
        if (c->stack != c->few)
            wk_heap_free(c->q->c->heap, c->stack);
        c->stack = more;
        c->cap *= 2;
    }
    c->stack[c->n++] = p;
    return 0;
}

static int compare_one(struct compare *c, struct jq_val a, struct jq_val b)
{
    if (a.kind != b.kind)
        return a.kind < b.kind ? -1 : 1;
    if (a.kind == JQ_NUMBER)
        return wk_jq_compare_numbers(a, b);
    if (a.kind < JQ_STRING || (a.str == b.str && (c->only_equal || a.kind == JQ_STRING)))
        return 0; /* what is one thing is equal, also with nan in it */
    if (a.kind == JQ_STRING)
        return wk_str_cmp(jq_slice(a), jq_slice(b));
    return open_pair(c, a, b);
}

/* The next part of the pair on top; false when there is none. */
static bool next_part(struct compare *c, struct jq_val *a, struct jq_val *b)
{
    struct pair *p = &c->stack[c->n - 1];
    if (p->a.kind == JQ_ARRAY) {
        if (p->at == p->n)
            return false;
        *a = p->a.array->at[p->at];
        *b = p->b.array->at[p->at++];
        return true;
    }
    struct jq_val key;
    if (p->keys) {
        if (p->at == p->n)
            return false;
        key = p->keys[p->at++];
        *a = *wk_jq_object_get(p->a, key);
    } else if (!wk_jq_object_next(p->a, &p->at, &key, a)) {
        return false;
    }
    const struct jq_val *other = wk_jq_object_get(p->b, key);
    *b = other ? *other : jq_none();
    return true;
}

static bool compare(struct jq *q, struct jq_val a, struct jq_val b, bool only_equal, int *out)
{
    struct compare c = {.q = q, .only_equal = only_equal, .cap = WK_COUNTOF(c.few)};
    c.stack = c.few;
    int order = compare_one(&c, a, b);
    uint32_t work = 0;
    while (order == 0 && c.n) {
        if (next_part(&c, &a, &b)) {
            order = compare_one(&c, a, b);
        } else {
            struct pair *p = &c.stack[c.n - 1];
            if (p->a.kind == JQ_ARRAY && p->a.array->n != p->b.array->n)
                order = p->a.array->n < p->b.array->n ? -1 : 1;
            pop(&c);
        }
        if (++work == 64) {
            wk_tick(q->c, work);
            work = 0;
        }
    }
    while (c.n)
        pop(&c);
    if (c.stack != c.few)
        wk_heap_free(q->c->heap, c.stack);
    *out = order;
    if (c.too_deep)
        return wk_jq_error(q, only_equal ? "Equality check too deep" : "Comparison too deep");
    return true;
}

bool wk_jq_compare(struct jq *q, struct jq_val a, struct jq_val b, int *order)
{
    if (a.kind != b.kind)
        *order = a.kind < b.kind ? -1 : 1;
    else if (a.kind == JQ_NUMBER)
        *order = wk_jq_compare_numbers(a, b);
    else if (a.kind == JQ_STRING)
        *order = wk_str_cmp(jq_slice(a), jq_slice(b));
    else if (a.kind < JQ_STRING)
        *order = 0;
    else
        return compare(q, a, b, false, order);
    return true;
}

bool wk_jq_equal(struct jq *q, struct jq_val a, struct jq_val b, bool *equal)
{
    if (a.kind != b.kind)
        *equal = false;
    else if (a.kind == JQ_NUMBER)
        *equal = wk_jq_compare_numbers(a, b) == 0;
    else if (a.kind == JQ_STRING)
        *equal = a.str == b.str || wk_str_eq(jq_slice(a), jq_slice(b));
    else if (a.kind < JQ_STRING) {
        *equal = true;
    } else {
        int order;
        bool ok = compare(q, a, b, true, &order);
        *equal = order == 0;
        return ok;
    }
    return true;
}
