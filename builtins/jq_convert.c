/* jq_convert.c - kinds of values, their sizes and keys, and conversions from one kind to another */
#include "builtins/jq_builtin.h"

#include "base/utf8.h"

#include <math.h>

/* ---- kinds and sizes ---- */

static bool type_of(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    *out = wk_jq_string_valid(q, wk_str_c(wk_jq_kind_name(a[0])));
    jq_free(q, a[0]);
    return true;
}

static bool not(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    *out = jq_bool(!jq_truthy(a[0]));
    jq_free(q, a[0]);
    return true;
}

static bool length(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    double n = 0;
    switch ((enum jq_kind)a[0].kind) {
    case JQ_NULL:
        break;
    case JQ_NUMBER:
        *out = wk_jq_abs(q, a[0]);
        return true;
    case JQ_STRING:
        n = (double)wk_jq_chars(a[0]);
        break;
    case JQ_ARRAY:
        n = (double)a[0].array->n;
        break;
    case JQ_OBJECT:
        n = (double)wk_jq_object_n(a[0]);
        break;
    case JQ_NONE:
    case JQ_FALSE:
    case JQ_TRUE:
        return wk_jq_type_error(q, a[0], "has no length");
    }
    jq_free(q, a[0]);
    *out = jq_number(n);
    return true;
}

static bool utf8_length(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (a[0].kind != JQ_STRING)
        return wk_jq_type_error(q, a[0], "only strings have UTF-8 byte length");
    *out = jq_number((double)a[0].str->n);
    jq_free(q, a[0]);
    return true;
}

/* ---- iteration ---- */

bool wk_jq_check_iterable(struct jq *q, struct jq_val v)
{
    char text[WK_JQ_SHORT];
    if (v.kind >= JQ_ARRAY)
        return true;
    return wk_jq_error(q, "Cannot iterate over %s (%s)", wk_jq_kind_name(v),
                       wk_jq_dump_short(q, v, text, sizeof text));
}

bool wk_jq_each(struct jq_val v, size_t *at, struct jq_val *member)
{
    struct jq_val key;
    if (v.kind == JQ_OBJECT)
        return wk_jq_object_next(v, at, &key, member);
    if (*at >= v.array->n)
        return false;
    *member = v.array->at[(*at)++];
    return true;
}

/* ---- keys ---- */

static struct jq_val indices_of(struct jq *q, size_t n)
{
    struct jq_val result = wk_jq_array(q, n);
    for (size_t i = 0; i < n; i++)
        result = wk_jq_push(q, result, jq_number((double)i));
    wk_tick(q->c, (uint32_t)WK_MIN(n / 8, (size_t)1 << 20) + 1);
    return result;
}

static bool keys_unsorted(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    struct jq_val key, v;
    if (a[0].kind == JQ_ARRAY) {
        *out = indices_of(q, a[0].array->n);
    } else if (a[0].kind == JQ_OBJECT) {
        *out = wk_jq_array(q, wk_jq_object_n(a[0]));
        for (size_t at = 0; wk_jq_object_next(a[0], &at, &key, &v);)
            *out = wk_jq_push(q, *out, jq_copy(key));
        wk_tick(q->c, (uint32_t)WK_MIN(out->array->n / 4, (size_t)1 << 20) + 1);
    } else {
        return wk_jq_type_error(q, a[0], "has no keys");
    }
    jq_free(q, a[0]);
    return true;
}

static bool keys(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (a[0].kind != JQ_OBJECT)
        return keys_unsorted(q, a, out);
    size_t n;
    struct jq_val *sorted = wk_jq_keys_sorted(q, a[0], &n);
    struct jq_val result = wk_jq_array(q, n);
    for (size_t i = 0; i < n; i++)
        result = wk_jq_push(q, result, jq_copy(sorted[i]));
    wk_heap_free(q->c->heap, sorted);
    jq_free(q, a[0]);
    *out = result;
    return true;
}

static bool has(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return wk_jq_has(q, a[0], a[1], out);
}

static struct jq_val entry(struct jq *q, struct jq_val key, struct jq_val v)
{
    struct jq_val o = wk_jq_object(q, 2);
    o = wk_jq_object_set(q, o, wk_jq_string_valid(q, WK_STR("key")), key);
    return wk_jq_object_set(q, o, wk_jq_string_valid(q, WK_STR("value")), jq_copy(v));
}

static bool to_entries(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    struct jq_val key, v, result;
    if (a[0].kind == JQ_OBJECT) {
        result = wk_jq_array(q, wk_jq_object_n(a[0]));
        for (size_t at = 0; wk_jq_object_next(a[0], &at, &key, &v);) {
            wk_tick(q->c, 4);
            result = wk_jq_push(q, result, entry(q, jq_copy(key), v));
        }
    } else if (a[0].kind == JQ_ARRAY) {
        result = wk_jq_array(q, a[0].array->n);
        for (size_t i = 0; i < a[0].array->n; i++) {
            wk_tick(q->c, 4);
            result = wk_jq_push(q, result, entry(q, jq_number((double)i), a[0].array->at[i]));
        }
    } else {
        return wk_jq_type_error(q, a[0], "has no keys");
    }
    jq_free(q, a[0]);
    *out = result;
    return true;
}

/* One pair of from_entries into *object. */
static bool put_entry(struct jq *q, struct jq_val pair, struct jq_val *object)
{
    static const char *const names[] = {"key", "Key", "name", "Name"};
    char text[WK_JQ_SHORT];
    struct jq_val key = jq_null();
    if (pair.kind != JQ_OBJECT && pair.kind != JQ_NULL) {
        struct jq_val none; /* for the message */
        return wk_jq_index(q, jq_copy(pair), wk_jq_string_valid(q, WK_STR("key")), &none);
    }
    for (size_t i = 0; i < WK_COUNTOF(names) && pair.kind == JQ_OBJECT && !jq_truthy(key); i++) {
        const struct jq_val *k = wk_jq_object_get_str(pair, wk_str_c(names[i]));
        if (k && (jq_truthy(*k) || i + 1 == WK_COUNTOF(names)))
            key = *k;
    }
    if (key.kind != JQ_STRING)
        return wk_jq_error(q, "Cannot use %s (%s) as object key", wk_jq_kind_name(key),
                           wk_jq_dump_short(q, key, text, sizeof text));
    const struct jq_val *v = wk_jq_object_get_str(pair, WK_STR("value"));
    if (!v)
        v = wk_jq_object_get_str(pair, WK_STR("Value"));
    *object = wk_jq_object_set(q, *object, jq_copy(key), v ? jq_copy(*v) : jq_null());
    return true;
}

static bool from_entries(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    bool ok = wk_jq_check_iterable(q, a[0]);
    struct jq_val pair, result = wk_jq_object(q, 8);
    for (size_t at = 0; ok && wk_jq_each(a[0], &at, &pair);) {
        wk_tick(q->c, 4);
        ok = put_entry(q, pair, &result);
    }
    jq_free(q, a[0]);
    if (ok)
        *out = result;
    else
        jq_free(q, result);
    return ok;
}

/* ---- conversions ---- */

struct jq_val wk_jq_tostring(struct jq *q, struct jq_val v)
{
    return v.kind == JQ_STRING ? v : wk_jq_tojson(q, v);
}

static bool tostring(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    *out = wk_jq_tostring(q, a[0]);
    return true;
}

static bool tojson(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    *out = wk_jq_tojson(q, a[0]);
    return true;
}

static bool fromjson(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (a[0].kind != JQ_STRING)
        return wk_jq_type_error(q, a[0], "only strings can be parsed");
    bool ok = wk_jq_fromjson(q, jq_slice(a[0]), out);
    jq_free(q, a[0]);
    return ok;
}

/* Decimal digits with a point among them or at either end. */
static size_t skip_digits(struct wk_str s, size_t i, bool *any)
{
    for (; i < s.n && wk_is_digit(s.p[i]); i++)
        *any = true;
    return i;
}

/* Whether the whole text is a number: a sign, digits with a point, an exponent; no blanks. */
static bool is_number(struct wk_str s)
{
    bool any = false;
    size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+');
    i = skip_digits(s, i, &any);
    if (i < s.n && s.p[i] == '.')
        i = skip_digits(s, i + 1, &any);
    if (!any)
        return false;
    if (i < s.n && (s.p[i] | 0x20) == 'e') {
        bool exponent = false;
        i++;
        if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
            i++;
        i = skip_digits(s, i, &exponent);
        if (!exponent)
            return false;
    }
    return i == s.n;
}

static bool tonumber(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (a[0].kind == JQ_NUMBER) {
        *out = a[0];
        return true;
    }
    if (a[0].kind != JQ_STRING || !is_number(jq_slice(a[0])))
        return wk_jq_type_error(q, a[0], "cannot be parsed as a number");
    struct wk_str text = jq_slice(a[0]);
    if (text.p[0] == '+')
        text = wk_str_from(text, 1);
    *out = wk_jq_number_text(q, text);
    jq_free(q, a[0]);
    return true;
}

static bool toboolean(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    bool is_true = a[0].kind == JQ_TRUE, is_false = a[0].kind == JQ_FALSE;
    if (a[0].kind == JQ_STRING) {
        is_true = wk_str_is(jq_slice(a[0]), "true");
        is_false = wk_str_is(jq_slice(a[0]), "false");
    }
    if (!is_true && !is_false)
        return wk_jq_type_error(q, a[0], "cannot be parsed as a boolean");
    jq_free(q, a[0]);
    *out = jq_bool(is_true);
    return true;
}

static bool yes(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    jq_free(q, a[0]);
    *out = jq_bool(true);
    return true;
}

static const struct jq_builtin functions[] = {
    {"type", 0, type_of},
    {"not", 0, not},
    {"length", 0, length},
    {"utf8bytelength", 0, utf8_length},
    {"keys", 0, keys},
    {"keys_unsorted", 0, keys_unsorted},
    {"has", 1, has},
    {"to_entries", 0, to_entries},
    {"from_entries", 0, from_entries},
    {"tostring", 0, tostring},
    {"tojson", 0, tojson},
    {"fromjson", 0, fromjson},
    {"tonumber", 0, tonumber},
    {"toboolean", 0, toboolean},
    {"have_literal_numbers", 0, yes},
    {"have_decnum", 0, yes},
};
const struct jq_table wk_jq_value_table = {functions, WK_COUNTOF(functions)};
