/* jq_path.c - subscripts and paths of jq's values: reading, setting, deleting */
#include "base/utf8.h"
#include "builtins/jq_builtin.h"
#include "builtins/jq_run.h"

enum { MOST_ELEMENTS = 536870911 }; /* in an array by index */

/* ---- messages -------------------------------------------------------------------------------- */

static bool cannot_index(struct jq *q, struct jq_val v, struct jq_val key)
{
    char shown[30];
    wk_jq_error(q, "Cannot index %s with %s (%s)", wk_jq_kind_name(v), wk_jq_kind_name(key),
                wk_jq_dump_short(q, key, shown, sizeof shown));
    jq_free(q, v);
    jq_free(q, key);
    return false;
}

bool wk_jq_cannot_iterate(struct jq *q, struct jq_val v)
{
    char shown[30];
    wk_jq_error(q, "Cannot iterate over %s (%s)", wk_jq_kind_name(v), wk_jq_dump_short(q, v, shown, sizeof shown));
    jq_free(q, v);
    return false;
}

/* Releases both and says that. */
static bool refuse(struct jq *q, struct jq_val a, struct jq_val b, const char *text)
{
    jq_free(q, a);
    jq_free(q, b);
    return wk_jq_error(q, "%s", text);
}

static const char bad_bounds[] = "Array/string slice indices must be integers";

/* ---- slices ---------------------------------------------------------------------------------- */

static size_t length(struct jq_val v)
{
    return v.kind == JQ_ARRAY ? v.array->n : wk_jq_chars(v);
}

/* The bounds of a slice of n elements; false when they are no numbers. */
static bool bounds(struct jq_val from, struct jq_val to, size_t n, size_t *start, size_t *end)
{
    double len = (double)n, a = 0, b = len;
    if (from.kind == JQ_NUMBER)
        a = jq_num(from);
    else if (from.kind != JQ_NULL)
        return false;
    if (to.kind == JQ_NUMBER)
        b = jq_num(to);
    else if (to.kind != JQ_NULL)
        return false;
    if (a != a)
        a = 0;
    if (b != b)
        b = len;
    a += a < 0 ? len : 0;
    b += b < 0 ? len : 0;
    a = a < 0 ? 0 : a > len ? len : a;
    b = b > len ? len : b < a ? a : b;
    *start = (size_t)a;
    *end = (size_t)b;
    *end += (double)*end < b;
    return true;
}

/* Behind `chars` characters from byte `at` on. */
static size_t skip(struct wk_str s, size_t at, size_t chars)
{
    while (chars-- > 0 && at < s.n)
        do
            at++;
        while (at < s.n && wk_utf8_continues((unsigned char)s.p[at]));
    return at;
}

static struct jq_val slice_string(struct jq *q, struct jq_val v, size_t from, size_t to)
{
    struct wk_str s = jq_slice(v);
    if (wk_jq_chars(v) != s.n) {
        wk_tick(q->c, (uint32_t)WK_MIN(s.n / 64, 1000000));
        size_t a = skip(s, 0, from);
        to = skip(s, a, to - from);
        from = a;
    }
    return wk_jq_string_valid(q, wk_str(s.p + from, to - from));
}

bool wk_jq_slice(struct jq *q, struct jq_val v, struct jq_val from, struct jq_val to, struct jq_val *out)
{
    size_t a, b;
    bool fits = v.kind == JQ_ARRAY || v.kind == JQ_STRING;
    if (v.kind == JQ_NULL || !fits) {
        struct jq_val key = wk_jq_object(q, 2);
        key = wk_jq_object_set(q, key, wk_jq_string_valid(q, WK_STR("start")), from);
        key = wk_jq_object_set(q, key, wk_jq_string_valid(q, WK_STR("end")), to);
        return wk_jq_index(q, v, key, out);
    }
    bool good = bounds(from, to, length(v), &a, &b);
    jq_free(q, from);
    jq_free(q, to);
    if (!good)
        return refuse(q, v, jq_null(), bad_bounds);
    if (v.kind == JQ_ARRAY) {
        *out = wk_jq_array_slice(q, v, a, b);
    } else {
        *out = slice_string(q, v, a, b);
        jq_free(q, v);
    }
    return true;
}

/* The bounds in a key {start, end}, borrowed. */
static bool key_bounds(struct jq_val key, size_t n, size_t *start, size_t *end)
{
    const struct jq_val *from = wk_jq_object_get_str(key, WK_STR("start")),
                        *to = wk_jq_object_get_str(key, WK_STR("end"));
    return from && to && bounds(*from, *to, n, start, end);
}

/* ---- one step -------------------------------------------------------------------------------- */

/* An index as it counts from the front; false: outside (of a double that fits nothing, too). */
static bool position(double d, size_t n, size_t *at)
{
    if (d != d)
        return false;
    d = d <= -1 ? -(double)(int64_t)WK_MIN(-d, 1e15) + (double)n : WK_MAX(d, 0);
    if (d < 0 || d >= (double)n)
        return false;
    *at = (size_t)d;
    return true;
}

bool wk_jq_index(struct jq *q, struct jq_val v, struct jq_val key, struct jq_val *out)
{
    size_t at;
    *out = jq_null();
    if (v.kind == JQ_OBJECT && key.kind == JQ_STRING) {
        const struct jq_val *p = wk_jq_object_get(v, key);
        if (p)
            *out = jq_copy(*p);
    } else if (v.kind == JQ_ARRAY && key.kind == JQ_NUMBER) {
        if (position(jq_num(key), v.array->n, &at))
            *out = jq_copy(v.array->at[at]);
    } else if (key.kind == JQ_OBJECT && (v.kind == JQ_ARRAY || v.kind == JQ_STRING)) {
        const struct jq_val *from = wk_jq_object_get_str(key, WK_STR("start")),
                            *to = wk_jq_object_get_str(key, WK_STR("end"));
        if (!from || !to)
            return refuse(q, v, key, bad_bounds);
        struct jq_val a = jq_copy(*from), b = jq_copy(*to);
        jq_free(q, key);
        return wk_jq_slice(q, v, a, b, out);
    } else if (v.kind == JQ_ARRAY && key.kind == JQ_ARRAY) {
        return wk_jq_indices(q, v, key, out);
    } else if (v.kind != JQ_NULL || (key.kind != JQ_STRING && key.kind != JQ_NUMBER && key.kind != JQ_OBJECT)) {
        return cannot_index(q, v, key);
    }
    jq_free(q, v);
    jq_free(q, key);
    return true;
}

static bool set_element(struct jq *q, struct jq_val v, double d, struct jq_val x, struct jq_val *out)
{
    if (d != d)
        return refuse(q, v, x, "Cannot set array element at NaN index");
    d = d <= -1 ? -(double)(int64_t)WK_MIN(-d, 1e15) + (double)v.array->n : WK_MAX(d, 0);
    if (d < 0)
        return refuse(q, v, x, "Out of bounds negative array index");
    if (d > MOST_ELEMENTS)
        return refuse(q, v, x, "Array index too large");
    *out = wk_jq_array_set(q, v, (size_t)d, x);
    return true;
}

/* The elements of x instead of [from, to). */
static struct jq_val splice(struct jq *q, struct jq_val v, size_t from, size_t to, struct jq_val x)
{
    size_t n = v.array->n, more = x.array->n;
    struct jq_val r;
    if (more == to - from) {
        r = v;
        for (size_t i = 0; i < more; i++)
            r = wk_jq_array_set(q, r, from + i, jq_copy(x.array->at[i]));
        jq_free(q, x);
        return r;
    }
    r = wk_jq_array(q, n - (to - from) + more);
    for (size_t i = 0; i < from; i++)
        r = wk_jq_push(q, r, jq_copy(v.array->at[i]));
    for (size_t i = 0; i < more; i++)
        r = wk_jq_push(q, r, jq_copy(x.array->at[i]));
    for (size_t i = to; i < n; i++)
        r = wk_jq_push(q, r, jq_copy(v.array->at[i]));
    wk_tick(q->c, (uint32_t)WK_MIN(n / 8, 1000000));
    jq_free(q, v);
    jq_free(q, x);
    return r;
}

static bool set_slice(struct jq *q, struct jq_val v, struct jq_val key, struct jq_val x, struct jq_val *out)
{
    size_t from, to;
    bool good = key_bounds(key, v.array->n, &from, &to);
    jq_free(q, key);
    if (!good)
        return refuse(q, v, x, bad_bounds);
    if (x.kind != JQ_ARRAY)
        return refuse(q, v, x, "A slice of an array can only be assigned another array");
    *out = splice(q, v, from, to, x);
    return true;
}

bool wk_jq_set(struct jq *q, struct jq_val v, struct jq_val key, struct jq_val x, struct jq_val *out)
{
    struct jq_val old;
    if (v.kind == JQ_NULL && key.kind == JQ_STRING)
        v = wk_jq_object(q, 1);
    else if (v.kind == JQ_NULL && (key.kind == JQ_NUMBER || key.kind == JQ_OBJECT))
        v = wk_jq_array(q, 1);
    if (v.kind == JQ_OBJECT && key.kind == JQ_STRING) {
        *out = wk_jq_object_set(q, v, key, x);
        return true;
    }
    if (v.kind == JQ_ARRAY && key.kind == JQ_NUMBER) {
        double d = jq_num(key);
        jq_free(q, key);
        return set_element(q, v, d, x, out);
    }
    if (v.kind == JQ_ARRAY && key.kind == JQ_OBJECT)
        return set_slice(q, v, key, x, out);
    /* What could not be read is an error of reading. */
    jq_free(q, x);
    if (!wk_jq_index(q, jq_copy(v), jq_copy(key), &old)) {
        jq_free(q, v);
        jq_free(q, key);
        return false;
    }
    jq_free(q, old);
    if (v.kind == JQ_STRING && key.kind == JQ_OBJECT)
        wk_jq_error(q, "Cannot update string slices");
    else
        wk_jq_error(q, "Cannot update field at %s index of %s", wk_jq_kind_name(key), wk_jq_kind_name(v));
    jq_free(q, v);
    jq_free(q, key);
    return false;
}

bool wk_jq_has(struct jq *q, struct jq_val v, struct jq_val key, struct jq_val *out)
{
    if (v.kind == JQ_OBJECT && key.kind == JQ_STRING) {
        *out = jq_bool(wk_jq_object_get(v, key) != NULL);
    } else if (v.kind == JQ_ARRAY && key.kind == JQ_NUMBER) {
        double d = jq_num(key);
        *out = jq_bool(d > -1 && d < (double)v.array->n);
    } else if (v.kind == JQ_NULL) {
        *out = jq_bool(false);
    } else {
        wk_jq_error(q, "Cannot check whether %s has a %s key", wk_jq_kind_name(v), wk_jq_kind_name(key));
        jq_free(q, v);
        jq_free(q, key);
        return false;
    }
    jq_free(q, v);
    jq_free(q, key);
    return true;
}

/* ---- paths ----------------------------------------------------------------------------------- */

bool wk_jq_getpath(struct jq *q, struct jq_val v, struct jq_val path, struct jq_val *out)
{
    if (path.kind != JQ_ARRAY)
        return refuse(q, v, path, "Path must be specified as an array");
    for (size_t i = 0; i < path.array->n; i++) {
        struct jq_val next;
        if (!wk_jq_index(q, v, jq_copy(path.array->at[i]), &next)) {
            jq_free(q, path);
            return false;
        }
        v = next;
    }
    jq_free(q, path);
    *out = v;
    return true;
}

/* Where the value of a key stands in a container that nobody else has; NULL: not there, or shared. */
static struct jq_val *own_place(struct jq *q, struct jq_val *at, struct jq_val key)
{
    size_t i;
    if (at->kind == JQ_OBJECT && key.kind == JQ_STRING && jq_is_single(*at))
        return (struct jq_val *)(uintptr_t)wk_jq_object_get(*at, key);
    if (at->kind == JQ_ARRAY && key.kind == JQ_NUMBER && jq_is_single(*at) &&
        position(jq_num(key), at->array->n, &i)) {
        *at = wk_jq_array_own(q, *at);
        return &at->array->at[i];
    }
    return NULL;
}

bool wk_jq_key_take(struct jq *q, struct jq_val *at, struct jq_val key, struct jq_val *out)
{
    struct jq_val *p = own_place(q, at, key);
    if (!p)
        return wk_jq_index(q, jq_copy(*at), jq_copy(key), out);
    *out = *p;
    *p = jq_null();
    return true;
}

bool wk_jq_path_take(struct jq *q, struct jq_val *at, struct jq_val path, struct jq_val *out)
{
    if (path.kind != JQ_ARRAY)
        return wk_jq_error(q, "Path must be specified as an array");
    for (size_t i = 0; i < path.array->n; i++) {
        struct jq_val *p = own_place(q, at, path.array->at[i]);
        if (!p) {
            struct jq_val rest = wk_jq_array_slice(q, jq_copy(path), i, path.array->n);
            return wk_jq_getpath(q, jq_copy(*at), rest, out);
        }
        at = p;
    }
    *out = *at;
    *at = jq_null();
    return true;
}

/* The containers down a path are taken out of each other, and put back from the last one on. */
bool wk_jq_setpath(struct jq *q, struct jq_val v, struct jq_val path, struct jq_val x, struct jq_val *out)
{
    if (path.kind != JQ_ARRAY) {
        jq_free(q, x);
        return refuse(q, v, path, "Path must be specified as an array");
    }
    size_t n = path.array->n, i = 0;
    bool good = true;
    if (n > WK_JQ_DEPTH) {
        jq_free(q, x);
        return refuse(q, v, path, "Path too deep");
    }
    struct jq_val small[8], *down = n <= WK_COUNTOF(small) ? small : wk_heap_alloc(q->c->heap, n * sizeof *down);
    while (good && i < n) {
        down[i] = v;
        v = jq_null();
        if (i + 1 < n)
            good = wk_jq_key_take(q, &down[i], path.array->at[i], &v);
        i++;
    }
    if (good) {
        jq_free(q, v); /* what stood at the path, when that is empty */
        while (good && i > 0) {
            i--;
            good = wk_jq_set(q, down[i], jq_copy(path.array->at[i]), x, &x);
        }
    } else {
        jq_free(q, x);
    }
    while (i > 0)
        jq_free(q, down[--i]);
    if (down != small)
        wk_heap_free(q->c->heap, down);
    jq_free(q, path);
    *out = x;
    return good;
}

/* ---- deleting -------------------------------------------------------------------------------- */

/* Paths [from, to) in order; they are alike in what is in front of `level`. */
struct deletion {
    struct jq *q;
    const struct jq_val *paths;
    size_t from, to, level;
    struct jq_val *v; /* changed in place */
    bool good;
};

static void mark_range(bool *gone, size_t from, size_t to)
{
    while (from < to)
        gone[from++] = true;
}

/* Which elements the keys mean. */
static bool mark_elements(struct jq *q, struct jq_val v, const struct jq_val *keys, size_t n, bool *gone)
{
    size_t from, to;
    for (size_t i = 0; i < n; i++) {
        wk_tick(q->c, 1);
        if (keys[i].kind == JQ_NUMBER) {
            if (position(jq_num(keys[i]), v.array->n, &from))
                gone[from] = true;
        } else if (keys[i].kind == JQ_OBJECT) {
            if (!key_bounds(keys[i], v.array->n, &from, &to))
                return wk_jq_error(q, "%s", bad_bounds);
            wk_tick(q->c, (uint32_t)WK_MIN((to - from) / 16, 1000000));
            mark_range(gone, from, to);
        } else {
            return wk_jq_error(q, "Cannot delete %s element of array", wk_jq_kind_name(keys[i]));
        }
    }
    return true;
}

static bool delete_elements(struct jq *q, struct jq_val *v, const struct jq_val *keys, size_t n)
{
    size_t len = v->array->n;
    bool *gone = wk_heap_zalloc(q->c->heap, len + 1);
    bool good = mark_elements(q, *v, keys, n, gone);
    if (good) {
        struct jq_val r = wk_jq_array(q, 0);
        for (size_t i = 0; i < len; i++)
            if (!gone[i])
                r = wk_jq_push(q, r, jq_copy(v->array->at[i]));
        wk_tick(q->c, (uint32_t)WK_MIN(len / 8, 1000000));
        jq_free(q, *v);
        *v = r;
    }
    wk_heap_free(q->c->heap, gone);
    return good;
}

/* The keys are gone from *v. */
static bool delete_keys(struct jq *q, struct jq_val *v, const struct jq_val *keys, size_t n)
{
    if (n == 0 || v->kind == JQ_NULL)
        return true;
    if (v->kind == JQ_ARRAY)
        return delete_elements(q, v, keys, n);
    if (v->kind != JQ_OBJECT)
        return wk_jq_error(q, "Cannot delete fields from %s", wk_jq_kind_name(*v));
    for (size_t i = 0; i < n; i++) {
        if (keys[i].kind != JQ_STRING)
            return wk_jq_error(q, "Cannot delete %s field of object", wk_jq_kind_name(keys[i]));
        *v = wk_jq_object_delete(q, *v, jq_slice(keys[i]));
    }
    return true;
}

static int delete_level(void *arg);

/* The paths [i, j) go on below one key. */
static bool delete_below(struct deletion *d, size_t i, size_t j, struct jq_val key)
{
    struct jq *q = d->q;
    struct jq_val sub;
    if (!wk_jq_key_take(q, d->v, key, &sub))
        return false;
    if (sub.kind == JQ_NULL)
        return true;
    struct deletion inner = {q, d->paths, i, j, d->level + 1, &sub, true};
    wk_jq_deeper(q, delete_level, &inner);
    if (!inner.good) {
        jq_free(q, sub);
        return false;
    }
    struct jq_val v = *d->v;
    *d->v = jq_null();
    return wk_jq_set(q, v, jq_copy(key), sub, d->v);
}

static int delete_level(void *arg)
{
    struct deletion *d = arg;
    struct jq *q = d->q;
    size_t n = 0;
    struct jq_val *keys = wk_heap_calloc(q->c->heap, d->to - d->from + 1, sizeof *keys);
    for (size_t i = d->from, j; d->good && i < d->to; i = j) {
        struct jq_val key = d->paths[i].array->at[d->level];
        bool same = true;
        for (j = i + 1; d->good && j < d->to; j++) {
            d->good = wk_jq_equal(q, key, d->paths[j].array->at[d->level], &same);
            if (!same)
                break;
        }
        if (!d->good)
            break;
        if (d->paths[i].array->n == d->level + 1)
            keys[n++] = key;
        else if (d->v->kind != JQ_NULL)
            d->good = delete_below(d, i, j, key);
    }
    if (d->good)
        d->good = delete_keys(q, d->v, keys, n);
    wk_heap_free(q->c->heap, keys);
    return 0;
}

bool wk_jq_delpaths(struct jq *q, struct jq_val v, struct jq_val paths, struct jq_val *out)
{
    if (paths.kind != JQ_ARRAY)
        return refuse(q, v, paths, "Paths must be specified as an array");
    if (paths.array->n > 1 && !wk_jq_sort(q, paths, &paths)) {
        jq_free(q, v);
        return false;
    }
    size_t n = paths.array->n;
    for (size_t i = 0; i < n; i++) {
        struct jq_val p = paths.array->at[i];
        if (p.kind == JQ_ARRAY && p.array->n <= WK_JQ_DEPTH)
            continue;
        if (p.kind == JQ_ARRAY)
            return refuse(q, v, paths, "Path too deep");
        wk_jq_error(q, "Path must be specified as array, not %s", wk_jq_kind_name(p));
        jq_free(q, v);
        jq_free(q, paths);
        return false;
    }
    struct deletion d = {q, paths.array->at, 0, n, 0, &v, true};
    if (n > 0 && paths.array->at[0].array->n == 0) {
        jq_free(q, v);
        v = jq_null();
    } else if (n > 0) {
        delete_level(&d);
    }
    jq_free(q, paths);
    if (d.good)
        *out = v;
    else
        jq_free(q, v);
    return d.good;
}
