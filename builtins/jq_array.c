/* jq_array.c - jq's arrays: elements in a block, or a part of another's */
#include "builtins/jq_priv.h"

static struct jq_val value_of(struct jq_array *a)
{
    return (struct jq_val){.kind = JQ_ARRAY, .array = a};
}

enum {
    FEW_MAX = 16,     /* elements that lie in the array itself */
    SHARED_LEAST = 16 /* elements from which on a part shares them */
};

static struct jq_array *new_array(struct jq *q, size_t room)
{
    size_t few = room <= FEW_MAX ? WK_MAX(room, (size_t)2) : 0;
    if (room > SIZE_MAX / (4 * sizeof(struct jq_val)))
        wk_heap_exhausted(q->c->heap);
    size_t bytes = jq_pool_room(sizeof(struct jq_array) + few * sizeof(struct jq_val));
    struct jq_array *a = jq_pool_alloc(&q->pool, bytes);
    *a = (struct jq_array){.refs = 1, .few_n = (uint32_t)few, .cap = few, .at = a->few};
    if (room > FEW_MAX) {
        a->block = a->at = jq_pool_alloc(&q->pool, room * sizeof(struct jq_val));
        a->cap = a->block_n = room;
    }
    return a;
}

struct jq_val wk_jq_array(struct jq *q, size_t room)
{
    return value_of(new_array(q, room));
}

void wk_jq_array_drop(struct jq *q, struct jq_array *a)
{
    if (a->block)
        jq_pool_free(&q->pool, a->block, a->block_n * sizeof(struct jq_val));
    jq_pool_free(&q->pool, a, sizeof *a + a->few_n * sizeof(struct jq_val));
}

/* An array of its own with the same elements and room for more. Takes it. */
static struct jq_val copy_of(struct jq *q, struct jq_val v, size_t room)
{
    struct jq_array *a = v.array, *b = new_array(q, WK_MAX(a->n, room));
    for (size_t i = 0; i < a->n; i++)
        b->at[i] = jq_copy(a->at[i]);
    b->n = a->n;
    wk_tick(q->c, (uint32_t)WK_MIN(a->n / 16, (size_t)1000000));
    jq_free(q, v);
    return value_of(b);
}

struct jq_val wk_jq_array_own(struct jq *q, struct jq_val v)
{
    return v.array->refs == 1 && !v.array->of ? v : copy_of(q, v, 0);
}

/* Room for n elements in an array that has a single owner. */
static void grow(struct jq *q, struct jq_array *a, size_t n)
{
    size_t room = WK_MAX(n, a->cap * 2);
    if (n > SIZE_MAX / (4 * sizeof(struct jq_val)))
        wk_heap_exhausted(q->c->heap);
    struct jq_val *block;
    size_t bytes = a->block_n * sizeof *block;
    if (bytes > WK_JQ_POOL_MAX && a->at == a->block) {
        block = wk_heap_realloc(q->c->heap, a->block, room * sizeof *block);
    } else {
        block = jq_pool_alloc(&q->pool, room * sizeof *block);
        memcpy(block, a->at, a->n * sizeof *block);
        if (a->block)
            jq_pool_free(&q->pool, a->block, bytes);
    }
    a->block = a->at = block;
    a->block_n = a->cap = room;
}

struct jq_val wk_jq_push(struct jq *q, struct jq_val v, struct jq_val e)
{
    struct jq_array *a = v.array;
    if (WK_UNLIKELY(a->refs != 1 || a->of)) {
        v = copy_of(q, v, a->n + 1 + a->n / 2);
        a = v.array;
    }
    if (WK_UNLIKELY(a->n == a->cap))
        grow(q, a, a->n + 1);
    a->at[a->n++] = e;
    return v;
}

struct jq_val wk_jq_array_set(struct jq *q, struct jq_val v, size_t i, struct jq_val e)
{
    v = wk_jq_array_own(q, v);
    struct jq_array *a = v.array;
    if (i >= a->n) {
        if (i >= a->cap)
            grow(q, a, i + 1);
        for (size_t k = a->n; k < i; k++)
            a->at[k] = jq_null();
        wk_tick(q->c, (uint32_t)((i - a->n) / 16));
        a->n = i + 1;
        a->at[i] = e;
        return v;
    }
    struct jq_val before = a->at[i];
    a->at[i] = e;
    jq_free(q, before);
    return v;
}

struct jq_val wk_jq_array_slice(struct jq *q, struct jq_val v, size_t from, size_t to)
{
    struct jq_array *a = v.array;
    if (to > a->n)
        to = a->n;
    if (from >= to) {
        jq_free(q, v);
        return wk_jq_array(q, 0);
    }
    if (from == 0 && to == a->n)
        return v;
    if (a->refs == 1) {
        if (!a->of) {
            for (size_t i = 0; i < a->n; i++) {
                if (i == from)
                    i = to;
                if (i < a->n)
                    jq_free(q, a->at[i]);
            }
            a->cap -= from;
        }
        a->at += from;
        a->n = to - from;
        return v;
    }
    struct jq_array *b;
    if (to - from < SHARED_LEAST) {
        b = new_array(q, to - from);
        for (size_t i = from; i < to; i++)
            b->at[i - from] = jq_copy(a->at[i]);
    } else {
        b = new_array(q, 0);
        b->of = jq_copy(value_of(a->of ? a->of : a)).array;
        b->at = a->at + from;
        b->cap = 0;
    }
    b->n = to - from;
    jq_free(q, v);
    return value_of(b);
}
