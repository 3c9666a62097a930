/* jq_arith.c - the operators + - * / % of jq and negation, for every kind of value */
#include "builtins/jq_builtin.h"

#include <math.h>

enum {
    REPEAT_MAX = INT32_MAX, /* bytes of "text" * n */
    SUBTRACT_FEW = 8        /* elements up to which `-` on arrays compares one by one */
};

int64_t wk_jq_int(double d)
{
    if (isnan(d))
        return 0;
    if (d >= 9223372036854775808.0)
        return INT64_MAX;
    return d < -9223372036854775808.0 ? INT64_MIN : (int64_t)d;
}

/* ---- + ---- */

static struct jq_val merge(struct jq *q, struct jq_val a, struct jq_val b)
{
    struct jq_val key, v;
    for (size_t at = 0; wk_jq_object_next(b, &at, &key, &v);) {
        wk_tick(q->c, 2);
        a = wk_jq_object_set(q, a, jq_copy(key), jq_copy(v));
    }
    jq_free(q, b);
    return a;
}

static struct jq_val concat(struct jq *q, struct jq_val a, struct jq_val b)
{
    size_t n = b.array->n;
    if (a.array->n == 0) { /* the second one itself, perhaps with a single owner */
        jq_free(q, a);
        return b;
    }
    /* The count stays what it was, should a and b be the same array. */
    for (size_t i = 0; i < n; i++)
        a = wk_jq_push(q, a, jq_copy(b.array->at[i]));
    wk_tick(q->c, (uint32_t)WK_MIN(n, (size_t)1 << 20) + 1);
    jq_free(q, b);
    return a;
}

bool wk_jq_add(struct jq *q, struct jq_val a, struct jq_val b, struct jq_val *out)
{
    if (a.kind == JQ_NUMBER && b.kind == JQ_NUMBER) {
        double sum = jq_num(a) + jq_num(b);
        jq_free(q, a);
        jq_free(q, b);
        *out = jq_number(sum);
    } else if (a.kind == JQ_NULL) {
        *out = b;
    } else if (b.kind == JQ_NULL) {
        *out = a;
    } else if (a.kind == JQ_STRING && b.kind == JQ_STRING) {
        wk_tick(q->c, (uint32_t)WK_MIN(b.str->n / 64, (size_t)1 << 20) + 1);
        *out = wk_jq_append(q, a, jq_slice(b));
        jq_free(q, b);
    } else if (a.kind == JQ_ARRAY && b.kind == JQ_ARRAY) {
        *out = concat(q, a, b);
    } else if (a.kind == JQ_OBJECT && b.kind == JQ_OBJECT) {
        *out = merge(q, a, b);
    } else {
        return wk_jq_type_error2(q, a, b, "cannot be added");
    }
    return true;
}

/* ---- - ---- */

/* Whether x stands in the sorted array. */
static bool search(struct jq *q, struct jq_val sorted, struct jq_val x, bool *found)
{
    size_t lo = 0, hi = sorted.array->n;
    *found = false;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int order;
        if (!wk_jq_compare(q, x, sorted.array->at[mid], &order))
            return false;
        if (order == 0) {
            *found = true;
            return true;
        }
        if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return true;
}

static bool scan(struct jq *q, struct jq_val few, struct jq_val x, bool *found)
{
    *found = false;
    for (size_t i = 0; i < few.array->n && !*found; i++)
        if (!wk_jq_equal(q, x, few.array->at[i], found))
            return false;
    return true;
}

/* a without the elements that equal one of b. */
static bool remove_all(struct jq *q, struct jq_val a, struct jq_val b, struct jq_val *out)
{
    bool sorted = b.array->n > SUBTRACT_FEW;
    if (sorted && !wk_jq_sort(q, b, &b)) {
        jq_free(q, a);
        return false;
    }
    struct jq_val kept = wk_jq_array(q, a.array->n);
    bool ok = true;
    for (size_t i = 0; i < a.array->n && ok; i++) {
        bool found;
        wk_tick(q->c, 4);
        ok = sorted ? search(q, b, a.array->at[i], &found) : scan(q, b, a.array->at[i], &found);
        if (ok && !found)
            kept = wk_jq_push(q, kept, jq_copy(a.array->at[i]));
    }
    jq_free(q, a);
    jq_free(q, b);
    if (ok)
        *out = kept;
    else
        jq_free(q, kept);
    return ok;
}

bool wk_jq_subtract(struct jq *q, struct jq_val a, struct jq_val b, struct jq_val *out)
{
    if (a.kind == JQ_NUMBER && b.kind == JQ_NUMBER) {
        double difference = jq_num(a) - jq_num(b);
        jq_free(q, a);
        jq_free(q, b);
        *out = jq_number(difference);
        return true;
    }
    if (a.kind == JQ_ARRAY && b.kind == JQ_ARRAY)
        return remove_all(q, a, b, out);
    return wk_jq_type_error2(q, a, b, "cannot be subtracted");
}

/* ---- * ---- */

bool wk_jq_repeat(struct jq *q, struct jq_val s, double n, struct jq_val *out)
{
    if (isnan(n) || n < 0) {
        jq_free(q, s);
        *out = jq_null();
        return true;
    }
    size_t times = n > REPEAT_MAX ? REPEAT_MAX : (size_t)n, len = s.str->n;
    if (len && times && times >= ((size_t)REPEAT_MAX + len - 1) / len) {
        jq_free(q, s);
        return wk_jq_error(q, "Repeat string result too long");
    }
    wk_tick(q->c, (uint32_t)(len * times / 64) + 1);
    struct wk_buf b = jq_buf(q);
    if (len && times && wk_buf_room(&b, len * times)) {
        wk_buf_put(&b, s.str->bytes, len);
        while (b.n < len * times) { /* doubling what is there */
            size_t more = WK_MIN(b.n, len * times - b.n);
            memcpy(b.p + b.n, b.p, more);
            b.n += more;
        }
        b.p[b.n] = '\0';
    }
    *out = wk_jq_string_take(q, &b);
    jq_free(q, s);
    return true;
}

/* One level of merging two objects deeply: where it goes on when the level below is done. */
struct merge_level {
    struct jq_val into, from, key; /* key: of `into`, under which the level above puts it */
    size_t at;
};

/* Objects merged key by key; explicit levels, since they nest as deep as values do. */
static bool merge_deep(struct jq *q, struct jq_val a, struct jq_val b, struct jq_val *out)
{
    size_t cap = 16, n = 1;
    struct merge_level *levels = wk_heap_calloc(q->c->heap, cap, sizeof *levels);
    levels[0] = (struct merge_level){a, b, jq_null(), 0};
    bool ok = true;
    while (ok) {
        struct merge_level *l = &levels[n - 1];
        struct jq_val key, v;
        wk_tick(q->c, 2);
        if (!wk_jq_object_next(l->from, &l->at, &key, &v)) {
            struct merge_level done = *l;
            jq_free(q, done.from);
            if (--n == 0) {
                *out = done.into;
                break;
            }
            levels[n - 1].into = wk_jq_object_set(q, levels[n - 1].into, done.key, done.into);
            continue;
        }
        const struct jq_val *old = v.kind == JQ_OBJECT ? wk_jq_object_get(l->into, key) : NULL;
        if (!old || old->kind != JQ_OBJECT) {
            l->into = wk_jq_object_set(q, l->into, jq_copy(key), jq_copy(v));
            continue;
        }
        if (n > WK_JQ_DEPTH) {
            ok = false;
            break;
        }
        if (n == cap) {
            cap *= 2;
            levels = wk_heap_realloc(q->c->heap, levels, cap * sizeof *levels);
            l = &levels[n - 1];
        }
        struct jq_val below = jq_copy(*old);
        /* Taken out, so that it has one owner and is changed in place. */
        l->into = wk_jq_object_set(q, l->into, jq_copy(key), jq_null());
        levels[n++] = (struct merge_level){below, jq_copy(v), jq_copy(key), 0};
    }
    while (!ok && n-- > 0) {
        jq_free(q, levels[n].into);
        jq_free(q, levels[n].from);
        jq_free(q, levels[n].key);
    }
    wk_heap_free(q->c->heap, levels);
    return ok || wk_jq_error(q, "Object merge too deep");
}

bool wk_jq_multiply(struct jq *q, struct jq_val a, struct jq_val b, struct jq_val *out)
{
    if (a.kind == JQ_NUMBER && b.kind == JQ_NUMBER) {
        double product = jq_num(a) * jq_num(b);
        jq_free(q, a);
        jq_free(q, b);
        *out = jq_number(product);
        return true;
    }
    if ((a.kind == JQ_STRING && b.kind == JQ_NUMBER) || (a.kind == JQ_NUMBER && b.kind == JQ_STRING)) {
        struct jq_val s = a.kind == JQ_STRING ? a : b, n = a.kind == JQ_STRING ? b : a;
        double times = jq_num(n);
        jq_free(q, n);
        return wk_jq_repeat(q, s, times, out);
    }
    if (a.kind == JQ_OBJECT && b.kind == JQ_OBJECT)
        return merge_deep(q, a, b, out);
    return wk_jq_type_error2(q, a, b, "cannot be multiplied");
}

/* ---- / and % ---- */

bool wk_jq_divide(struct jq *q, struct jq_val a, struct jq_val b, struct jq_val *out)
{
    if (a.kind == JQ_NUMBER && b.kind == JQ_NUMBER) {
        if (jq_num(b) == 0)
            return wk_jq_type_error2(q, a, b, "cannot be divided because the divisor is zero");
        double quotient = jq_num(a) / jq_num(b);
        jq_free(q, a);
        jq_free(q, b);
        *out = jq_number(quotient);
        return true;
    }
    if (a.kind == JQ_STRING && b.kind == JQ_STRING) {
        *out = wk_jq_split(q, a, b);
        jq_free(q, a);
        jq_free(q, b);
        return true;
    }
    return wk_jq_type_error2(q, a, b, "cannot be divided");
}

bool wk_jq_modulo(struct jq *q, struct jq_val a, struct jq_val b, struct jq_val *out)
{
    if (a.kind != JQ_NUMBER || b.kind != JQ_NUMBER)
        return wk_jq_type_error2(q, a, b, "cannot be divided (remainder)");
    double x = jq_num(a), y = jq_num(b);
    if (isnan(x) || isnan(y)) {
        *out = jq_number((double)NAN);
    } else {
        int64_t divisor = wk_jq_int(y);
        if (divisor == 0)
            return wk_jq_type_error2(q, a, b, "cannot be divided (remainder) because the divisor is zero");
        /* By -1 apart: the least number has no opposite. */
        *out = jq_number(divisor == -1 ? 0 : (double)(wk_jq_int(x) % divisor));
    }
    jq_free(q, a);
    jq_free(q, b);
    return true;
}

/* ---- signs ---- */

/* The literal with its sign changed, or without it; takes v. */
static struct jq_val literal_sign(struct jq *q, struct jq_val v, bool negate)
{
    struct wk_str text = wk_str(v.literal->text, v.literal->n);
    bool minus = text.n && text.p[0] == '-';
    if (!minus && !negate)
        return v;
    char *changed = wk_heap_alloc(q->c->heap, text.n + 1);
    changed[0] = '-';
    memcpy(changed + !minus, text.p + minus, text.n - minus);
    struct jq_val result = wk_jq_number_text(q, wk_str(changed, text.n - minus + !minus));
    wk_heap_free(q->c->heap, changed);
    jq_free(q, v);
    return result;
}

bool wk_jq_negate(struct jq *q, struct jq_val v, struct jq_val *out)
{
    if (v.kind != JQ_NUMBER)
        return wk_jq_type_error(q, v, "cannot be negated");
    *out = v.is_literal ? literal_sign(q, v, true) : jq_number(-v.num);
    return true;
}

struct jq_val wk_jq_abs(struct jq *q, struct jq_val v)
{
    return v.is_literal ? literal_sign(q, v, false) : jq_number(fabs(v.num));
}

/* `if . < 0 then -. else . end`, and null and booleans are less than 0. */
static bool absolute(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    *out = a[0];
    if (a[0].kind > JQ_NUMBER || (a[0].kind == JQ_NUMBER && jq_num(a[0]) >= 0))
        return true;
    return wk_jq_negate(q, a[0], out);
}

/* ---- the operators as functions, as jq's own code calls them ---- */

static bool negate(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return wk_jq_negate(q, a[0], out);
}

#define OPERATOR(name, function)                                              \
    static bool name(struct jq *q, struct jq_val *a, struct jq_val *out)      \
    {                                                                         \
        jq_free(q, a[0]);                                                     \
        return function(q, a[1], a[2], out);                                  \
    }
OPERATOR(plus, wk_jq_add)
OPERATOR(minus, wk_jq_subtract)
OPERATOR(times, wk_jq_multiply)
OPERATOR(over, wk_jq_divide)
OPERATOR(modulo, wk_jq_modulo)

static bool order_of(struct jq *q, struct jq_val *a, int *order)
{
    bool ok = wk_jq_compare(q, a[1], a[2], order);
    jq_free_args(q, a, 2);
    return ok;
}

#define COMPARISON(name, sign)                                                \
    static bool name(struct jq *q, struct jq_val *a, struct jq_val *out)      \
    {                                                                         \
        int order;                                                            \
        if (!order_of(q, a, &order))                                          \
            return false;                                                     \
        *out = jq_bool(order sign 0);                                         \
        return true;                                                          \
    }
COMPARISON(less, <)
COMPARISON(less_equal, <=)
COMPARISON(greater, >)
COMPARISON(greater_equal, >=)

static bool same(struct jq *q, struct jq_val *a, bool *equal)
{
    bool ok = wk_jq_equal(q, a[1], a[2], equal);
    jq_free_args(q, a, 2);
    return ok;
}
static bool equal(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    bool is;
    if (!same(q, a, &is))
        return false;
    *out = jq_bool(is);
    return true;
}
static bool unequal(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    bool is;
    if (!same(q, a, &is))
        return false;
    *out = jq_bool(!is);
    return true;
}

static const struct jq_builtin functions[] = {
    {"abs", 0, absolute},
    {"_negate", 0, negate},
    {"_plus", 2, plus},
    {"_minus", 2, minus},
    {"_multiply", 2, times},
    {"_divide", 2, over},
    {"_mod", 2, modulo},
    {"_equal", 2, equal},
    {"_notequal", 2, unequal},
    {"_less", 2, less},
    {"_lesseq", 2, less_equal},
    {"_greater", 2, greater},
    {"_greatereq", 2, greater_equal},
};
const struct jq_table wk_jq_arith_table = {functions, WK_COUNTOF(functions)};
