/* jq_sorting.c - sort, group_by, unique, min, max and their kin
 *
 * Values are sorted with a rank of 64 bits each, which decides nearly always: a number's place among the
 * doubles, a string's first bytes. What f of sort_by(f) gives stands in arrays of its outputs; where each
 * is one alone the array is looked through.
 */
#include "builtins/jq_builtin.h"

#include "builtins/ptrsort.h"

#include <math.h>

struct item {
    uint64_t rank;
    struct jq_val key; /* borrowed */
    size_t at;         /* in the array */
};

/* ---- ranks ---- */

/* Rising with the double; nan below all, and no two zeros. */
static uint64_t number_rank(double d)
{
    uint64_t bits;
    if (isnan(d))
        return 0;
    d += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &d, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* The first eight bytes. */
static uint64_t text_rank(struct wk_str s)
{
    uint64_t rank = 0;
    size_t n = WK_MIN(s.n, sizeof rank);
    for (size_t i = 0; i < n; i++)
        rank |= (uint64_t)(unsigned char)s.p[i] << (56 - 8 * i);
    return rank;
}

static uint64_t rank_of(struct jq_val v)
{
    return v.kind == JQ_NUMBER   ? number_rank(jq_num(v))
           : v.kind == JQ_STRING ? text_rank(jq_slice(v))
                                 : 0;
}

/* ---- order ---- */

struct sorter {
    struct jq *q;
    bool failed; /* an error is raised */
};

static int compare(void *ctx, const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    struct sorter *s = ctx;
    int order = 0;
    if (a->key.kind != b->key.kind)
        return a->key.kind < b->key.kind ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->key.kind == JQ_STRING)
        return wk_str_cmp(jq_slice(a->key), jq_slice(b->key));
    if (a->key.kind <= JQ_TRUE || (a->key.kind == JQ_NUMBER && !(a->key.is_literal && b->key.is_literal)) ||
        s->failed)
        return 0;
    if (!wk_jq_compare(s->q, a->key, b->key, &order))
        s->failed = true;
    return order;
}

/* Equal as == has it: nan differs from itself. */
static bool same_key(struct sorter *s, const struct item *a, const struct item *b)
{
    return compare(s, a, b) == 0 && !(a->key.kind == JQ_NUMBER && a->rank == 0);
}

/* The array's elements by their keys, in order: n of them in the heap (free_items); NULL with an error raised. */
static const struct item **sorted_items(struct jq *q, struct jq_val keys, bool wrapped)
{
    size_t n = keys.array->n;
    struct item *items = wk_heap_calloc(q->c->heap, n + 1, sizeof *items);
    const struct item **order = wk_heap_calloc(q->c->heap, n + 1, sizeof *order);
    bool single = wrapped;
    for (size_t i = 0; single && i < n; i++)
        single = keys.array->at[i].kind == JQ_ARRAY && keys.array->at[i].array->n == 1;
    for (size_t i = 0; i < n; i++) {
        struct jq_val key = keys.array->at[i];
        if (single)
            key = key.array->at[0];
        items[i] = (struct item){rank_of(key), key, i};
        order[i] = &items[i];
    }
    order[n] = items; /* for free_items */
    wk_tick(q->c, (uint32_t)WK_MIN(n, (size_t)1 << 24) + 1);
    struct sorter s = {.q = q};
    wk_ptr_sort(q->c, (const void **)(void *)order, n, compare, &s);
    if (!s.failed)
        return order;
    wk_heap_free(q->c->heap, items);
    wk_heap_free(q->c->heap, order);
    return NULL;
}

static void free_items(struct jq *q, const struct item **order, size_t n)
{
    wk_heap_free(q->c->heap, (void *)(uintptr_t)order[n]);
    wk_heap_free(q->c->heap, order);
}

/* ---- sort and group ---- */

enum shape { SORTED, GROUPS, FIRSTS };

static struct jq_val take_groups(struct jq *q, struct jq_val array, const struct item *const *items)
{
    struct sorter s = {.q = q};
    struct jq_val result = wk_jq_array(q, 0);
    for (size_t i = 0, n = array.array->n; i < n;) {
        size_t end = i + 1;
        while (end < n && same_key(&s, items[i], items[end]))
            end++;
        struct jq_val group = wk_jq_array(q, end - i);
        for (; i < end; i++)
            group = wk_jq_push(q, group, jq_copy(array.array->at[items[i]->at]));
        result = wk_jq_push(q, result, group);
        wk_tick(q->c, 4);
    }
    return result;
}

static struct jq_val take_items(struct jq *q, struct jq_val array, const struct item *const *items, bool firsts)
{
    struct sorter s = {.q = q};
    struct jq_val result = wk_jq_array(q, firsts ? 0 : array.array->n);
    for (size_t i = 0; i < array.array->n; i++)
        if (!firsts || i == 0 || !same_key(&s, items[i - 1], items[i]))
            result = wk_jq_push(q, result, jq_copy(array.array->at[items[i]->at]));
    wk_tick(q->c, (uint32_t)WK_MIN(array.array->n, (size_t)1 << 24) + 1);
    return result;
}

/* Takes both arrays, which may be the same. */
static bool arrange(struct jq *q, struct jq_val array, struct jq_val keys, bool wrapped, enum shape shape,
                    struct jq_val *out)
{
    const struct item **items = sorted_items(q, keys, wrapped);
    if (items) {
        *out = shape == GROUPS ? take_groups(q, array, items) : take_items(q, array, items, shape == FIRSTS);
        free_items(q, items, array.array->n);
    }
    jq_free(q, array);
    jq_free(q, keys);
    return items != NULL;
}

bool wk_jq_sort(struct jq *q, struct jq_val array, struct jq_val *out)
{
    return arrange(q, array, jq_copy(array), false, SORTED, out);
}

static bool sort(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (a[0].kind != JQ_ARRAY)
        return wk_jq_type_error(q, a[0], "cannot be sorted, as it is not an array");
    return wk_jq_sort(q, a[0], out);
}

static bool unique(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (a[0].kind != JQ_ARRAY)
        return wk_jq_type_error(q, a[0], "cannot be sorted, as it is not an array");
    return arrange(q, a[0], jq_copy(a[0]), false, FIRSTS, out);
}

static bool arrange_by(struct jq *q, struct jq_val *a, enum shape shape, struct jq_val *out)
{
    if (a[0].kind != JQ_ARRAY || a[1].kind != JQ_ARRAY)
        return wk_jq_type_error2(q, a[0], a[1], "cannot be sorted, as they are not both arrays");
    if (a[0].array->n != a[1].array->n)
        return wk_jq_type_error2(q, a[0], a[1], "have wrong length");
    return arrange(q, a[0], a[1], true, shape, out);
}

static bool sort_by(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return arrange_by(q, a, SORTED, out);
}
static bool group_by(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return arrange_by(q, a, GROUPS, out);
}
static bool unique_by(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return arrange_by(q, a, FIRSTS, out);
}

/* ---- least and greatest ---- */

/* Of equal ones the first of the least, the last of the greatest. */
static bool extreme(struct jq *q, struct jq_val array, struct jq_val keys, bool greatest, struct jq_val *out)
{
    if (array.kind != JQ_ARRAY || keys.kind != JQ_ARRAY)
        return wk_jq_type_error2(q, array, keys, "cannot be iterated over");
    if (array.array->n != keys.array->n)
        return wk_jq_type_error2(q, array, keys, "have wrong length");
    size_t best = 0, n = array.array->n;
    bool ok = true;
    for (size_t i = 1; i < n && ok; i++) {
        int order;
        ok = wk_jq_compare(q, keys.array->at[i], keys.array->at[best], &order);
        if (ok && (order < 0) != greatest)
            best = i;
        wk_tick(q->c, 2);
    }
    if (ok)
        *out = n ? jq_copy(array.array->at[best]) : jq_null();
    jq_free(q, array);
    jq_free(q, keys);
    return ok;
}

static bool min(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return extreme(q, a[0], jq_copy(a[0]), false, out);
}
static bool max(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return extreme(q, a[0], jq_copy(a[0]), true, out);
}
static bool min_by(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return extreme(q, a[0], a[1], false, out);
}
static bool max_by(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return extreme(q, a[0], a[1], true, out);
}

/* ---- searching ---- */

static bool bsearch(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (a[0].kind != JQ_ARRAY) {
        jq_free(q, a[1]);
        return wk_jq_type_error(q, a[0], "cannot be searched from");
    }
    size_t lo = 0, hi = a[0].array->n;
    double found = -1;
    bool ok = true;
    while (lo < hi && ok && found < 0) {
        size_t mid = lo + (hi - lo) / 2;
        int order;
        wk_tick(q->c, 2);
        ok = wk_jq_compare(q, a[1], a[0].array->at[mid], &order);
        if (!ok)
            break;
        if (order == 0)
            found = (double)mid;
        else if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    jq_free_args(q, a, 1);
    *out = jq_number(found >= 0 ? found : -1 - (double)lo);
    return ok;
}

static const struct jq_builtin functions[] = {
    {"sort", 0, sort},
    {"unique", 0, unique},
    {"_sort_by_impl", 1, sort_by},
    {"_group_by_impl", 1, group_by},
    {"_unique_by_impl", 1, unique_by},
    {"min", 0, min},
    {"max", 0, max},
    {"_min_by_impl", 1, min_by},
    {"_max_by_impl", 1, max_by},
    {"bsearch", 1, bsearch},
};
const struct jq_table wk_jq_sorting_table = {functions, WK_COUNTOF(functions)};
