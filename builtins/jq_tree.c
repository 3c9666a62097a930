/* jq_tree.c - functions on arrays and nested values: add, any, all, reverse, flatten, transpose, contains,
 * the places of one array in another
 *
 * Values nest as deep as memory allows, so what walks through them keeps a stack of its own in the heap.
 */
#include "builtins/jq_builtin.h"

/* ---- over the members ---- */

static bool add(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    bool ok = wk_jq_check_iterable(q, a[0]);
    struct jq_val sum = jq_null(), v;
    for (size_t at = 0; ok && wk_jq_each(a[0], &at, &v);) {
        wk_tick(q->c, 1);
        ok = wk_jq_add(q, sum, jq_copy(v), &sum);
    }
    jq_free(q, a[0]);
    *out = sum;
    return ok;
}

/* Whether some member is as true as `wanted`. */
static bool some(struct jq *q, struct jq_val v, bool wanted, bool *found)
{
    bool ok = wk_jq_check_iterable(q, v);
    struct jq_val member;
    *found = false;
    for (size_t at = 0; ok && !*found && wk_jq_each(v, &at, &member);) {
        wk_tick(q->c, 1);
        *found = jq_truthy(member) == wanted;
    }
    jq_free(q, v);
    return ok;
}

static bool any(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    bool found, ok = some(q, a[0], true, &found);
    *out = jq_bool(found);
    return ok;
}

static bool all(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    bool found, ok = some(q, a[0], false, &found);
    *out = jq_bool(!found);
    return ok;
}

/* Of what has a length and no elements only that of length 0 can be turned round. */
static bool reverse(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    struct jq_val v = a[0];
    if (v.kind == JQ_ARRAY) {
        v = wk_jq_array_own(q, v);
        struct jq_val *at = v.array->at;
        for (size_t i = 0, n = v.array->n; i < n / 2; i++) {
            struct jq_val swap = at[i];
            at[i] = at[n - 1 - i];
            at[n - 1 - i] = swap;
        }
        wk_tick(q->c, (uint32_t)WK_MIN(v.array->n, (size_t)1 << 24) + 1);
        *out = v;
        return true;
    }
    double n = 0;
    if (v.kind == JQ_FALSE || v.kind == JQ_TRUE)
        return wk_jq_type_error(q, v, "has no length");
    if (v.kind == JQ_NUMBER)
        n = jq_num(v) < 0 ? -jq_num(v) : jq_num(v);
    else if (v.kind == JQ_STRING)
        n = (double)wk_jq_chars(v);
    else if (v.kind == JQ_OBJECT)
        n = (double)wk_jq_object_n(v);
    if (!(n <= 0)) /* an error that the index raises */
        return wk_jq_index(q, v, jq_number(n - 1), out);
    jq_free(q, v);
    *out = wk_jq_array(q, 0);
    return true;
}

/* ---- flatten ---- */

struct flat_level {
    struct jq_val v; /* borrowed from the level above */
    size_t at;
};

/* Whether x < 0 in jq's order, in which all that is no number but null and booleans is greater. */
static bool is_negative(struct jq_val x)
{
    return x.kind < JQ_NUMBER || (x.kind == JQ_NUMBER && !(jq_num(x) >= 0));
}

/* Arrays are opened while the depth is not 0; what counts down from a fraction never is. */
static bool flatten(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    struct jq_val input = a[0], depth = a[1];
    bool ok = true;
    if (is_negative(depth))
        ok = wk_jq_error(q, "flatten depth must not be negative");
    ok = ok && wk_jq_check_iterable(q, input);
    double most = depth.kind == JQ_NUMBER ? jq_num(depth) : 0;
    size_t cap = 16, n = 0;
    struct flat_level *levels = wk_heap_calloc(q->c->heap, cap, sizeof *levels);
    struct jq_val result = wk_jq_array(q, 0);
    if (ok)
        levels[n++] = (struct flat_level){input, 0};
    while (n && ok) {
        struct jq_val v;
        wk_tick(q->c, 1);
        if (!wk_jq_each(levels[n - 1].v, &levels[n - 1].at, &v)) {
            n--;
            continue;
        }
        bool open = v.kind == JQ_ARRAY && (depth.kind != JQ_NUMBER || most - (double)(n - 1) != 0);
        if (!open) {
            result = wk_jq_push(q, result, jq_copy(v));
            continue;
        }
        if (depth.kind != JQ_NUMBER) {
            struct jq_val none;
            ok = wk_jq_subtract(q, jq_copy(depth), jq_number(1), &none);
            break;
        }
        if (n == cap) {
            cap *= 2;
            levels = wk_heap_realloc(q->c->heap, levels, cap * sizeof *levels);
        }
        levels[n++] = (struct flat_level){v, 0};
    }
    wk_heap_free(q->c->heap, levels);
    jq_free_args(q, a, 1);
    if (ok)
        *out = result;
    else
        jq_free(q, result);
    return ok;
}

/* ---- transpose ---- */

/* Of arrays and nulls; null for others, which are left to jq's own definition. */
static bool transpose(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    struct jq_val row;
    size_t widest = 0, rows = 0;
    bool regular = a[0].kind >= JQ_ARRAY;
    for (size_t at = 0; regular && wk_jq_each(a[0], &at, &row); rows++) {
        regular = row.kind == JQ_ARRAY || row.kind == JQ_NULL;
        if (row.kind == JQ_ARRAY)
            widest = WK_MAX(widest, row.array->n);
    }
    *out = jq_null();
    if (regular) {
        struct jq_val result = wk_jq_array(q, widest);
        for (size_t i = 0; i < widest; i++) {
            struct jq_val column = wk_jq_array(q, rows);
            for (size_t at = 0; wk_jq_each(a[0], &at, &row);)
                column = wk_jq_push(q, column,
                                    row.kind == JQ_ARRAY && i < row.array->n ? jq_copy(row.array->at[i])
                                                                             : jq_null());
            wk_tick(q->c, (uint32_t)WK_MIN(rows, (size_t)1 << 24) + 1);
            result = wk_jq_push(q, result, column);
        }
        *out = result;
    }
    jq_free(q, a[0]);
    return true;
}

/* ---- contains ---- */

/* Two arrays or two objects being compared; everything is borrowed. */
struct pair {
    struct jq_val a, b;
    size_t i, j; /* elements of b and of a; the entry of b */
};

struct containment {
    struct jq *q;
    struct pair *pairs;
    size_t n, cap;
};

/* Compares a with b: 1 and 0 at once, 2 when they were put on the stack, -1 with an error raised. */
static int begin(struct containment *c, struct jq_val a, struct jq_val b)
{
    bool equal;
    if (a.kind != b.kind || a.kind < JQ_ARRAY) {
        if (a.kind == JQ_STRING && b.kind == JQ_STRING) {
            wk_tick(c->q->c, (uint32_t)WK_MIN((a.str->n + b.str->n) / 64, (size_t)1 << 24) + 1);
            return wk_str_find(jq_slice(a), jq_slice(b)) >= 0;
        }
        return wk_jq_equal(c->q, a, b, &equal) ? equal : -1;
    }
    if (c->n > WK_JQ_DEPTH) {
        wk_jq_error(c->q, "Containment check too deep");
        return -1;
    }
    if (c->n == c->cap) {
        c->cap = c->cap ? 2 * c->cap : 16;
        c->pairs = wk_heap_realloc(c->q->c->heap, c->pairs, c->cap * sizeof *c->pairs);
    }
    c->pairs[c->n++] = (struct pair){a, b, 0, 0};
    return 2;
}

/* Goes on with the pair on top: as begin, or whether it is contained. */
static int go_on(struct containment *c)
{
    struct pair *p = &c->pairs[c->n - 1];
    if (p->a.kind == JQ_ARRAY) {
        if (p->i == p->b.array->n)
            return 1;
        if (p->j == p->a.array->n)
            return 0;
        return begin(c, p->a.array->at[p->j], p->b.array->at[p->i]);
    }
    struct jq_val key, v;
    size_t at = p->i;
    if (!wk_jq_object_next(p->b, &at, &key, &v))
        return 1;
    const struct jq_val *have = wk_jq_object_get(p->a, key);
    return have ? begin(c, *have, v) : 0;
}

/* Tells the pair on top how its member fared; true when that decides it. */
static bool member_done(struct pair *p, int contained)
{
    struct jq_val key, v;
    if (p->a.kind == JQ_OBJECT) {
        wk_jq_object_next(p->b, &p->i, &key, &v);
        return !contained;
    }
    if (contained) {
        p->i++;
        p->j = 0;
    } else {
        p->j++;
    }
    return false;
}

static bool contains(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (a[0].kind != a[1].kind)
        return wk_jq_type_error2(q, a[0], a[1], "cannot have their containment checked");
    struct containment c = {.q = q};
    int r = begin(&c, a[0], a[1]);
    while (c.n && r >= 0) {
        size_t depth = c.n;
        wk_tick(q->c, 2);
        r = go_on(&c);
        if (r < 0 || c.n > depth)
            continue;
        struct pair *p = &c.pairs[c.n - 1];
        bool ended = p->a.kind == JQ_ARRAY ? p->i == p->b.array->n || p->j == p->a.array->n : false;
        struct jq_val key, v;
        size_t at = p->i;
        if (p->a.kind == JQ_OBJECT)
            ended = !wk_jq_object_next(p->b, &at, &key, &v);
        /* r is that of a member, or of the pair itself when there are no more of them. */
        while (ended || member_done(p, r)) {
            if (--c.n == 0)
                break;
            p = &c.pairs[c.n - 1];
            ended = false;
        }
    }
    wk_heap_free(q->c->heap, c.pairs);
    jq_free_args(q, a, 1);
    *out = jq_bool(r > 0);
    return r >= 0;
}

/* ---- one array in another ---- */

/* For every element the length of the longest border of what ends there. */
static bool borders(struct jq *q, const struct jq_array *needle, size_t *border)
{
    size_t k = 0;
    for (size_t i = 1; i < needle->n; i++) {
        bool equal;
        wk_tick(q->c, 2);
        if (!wk_jq_equal(q, needle->at[i], needle->at[k], &equal))
            return false;
        while (!equal && k) {
            k = border[k - 1];
            if (!wk_jq_equal(q, needle->at[i], needle->at[k], &equal))
                return false;
        }
        k += equal;
        border[i] = k;
    }
    return true;
}

bool wk_jq_indices(struct jq *q, struct jq_val v, struct jq_val what, struct jq_val *out)
{
    const struct jq_array *s = v.array, *needle = what.array;
    struct jq_val result = wk_jq_array(q, 0);
    size_t *border = wk_heap_calloc(q->c->heap, needle->n + 1, sizeof *border), k = 0;
    bool ok = needle->n <= s->n && needle->n ? borders(q, needle, border) : true;
    for (size_t i = 0; ok && needle->n && needle->n <= s->n && i < s->n; i++) {
        bool equal = false;
        wk_tick(q->c, 2);
        ok = wk_jq_equal(q, s->at[i], needle->at[k], &equal);
        while (ok && !equal && k) {
            k = border[k - 1];
            ok = wk_jq_equal(q, s->at[i], needle->at[k], &equal);
        }
        k += equal;
        if (ok && k == needle->n) {
            result = wk_jq_push(q, result, jq_number((double)(i + 1 - k)));
            k = border[k - 1];
        }
    }
    wk_heap_free(q->c->heap, border);
    jq_free(q, v);
    jq_free(q, what);
    if (ok)
        *out = result;
    else
        jq_free(q, result);
    return ok;
}

static const struct jq_builtin functions[] = {
    {"add", 0, add},
    {"any", 0, any},
    {"all", 0, all},
    {"reverse", 0, reverse},
    {"flatten", 1, flatten},
    {"_transpose", 0, transpose},
    {"contains", 1, contains},
};
const struct jq_table wk_jq_tree_table = {functions, WK_COUNTOF(functions)};
