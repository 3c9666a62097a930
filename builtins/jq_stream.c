/* jq_stream.c - values as streams of paths and leaves: tostream, and what fromstream puts together */
#include "builtins/jq_builtin.h"

/* ---- tostream ---- */

enum { CHUNK = 4096 }; /* keys in the paths of the events that are made at once, or a few more */

struct walk_level {
    struct jq_val v;     /* borrowed */
    size_t at, previous; /* for wk_jq_each; what led to the member at hand */
};

struct walker {
    struct jq *q;
    struct walk_level *levels;
    size_t n, cap;
    struct jq_val path;   /* to where the walk is */
    struct jq_val events;
    size_t made;
};

static void put_event(struct walker *w, const struct jq_val *leaf)
{
    struct jq *q = w->q;
    struct jq_val path = wk_jq_array(q, w->path.array->n);
    for (size_t i = 0; i < w->path.array->n; i++)
        path = wk_jq_push(q, path, jq_copy(w->path.array->at[i]));
    struct jq_val event = wk_jq_push(q, wk_jq_array(q, 2), path);
    if (leaf)
        event = wk_jq_push(q, event, jq_copy(*leaf));
    w->made += path.array->n + 1;
    wk_tick(q->c, (uint32_t)WK_MIN(path.array->n, (size_t)1 << 20) + 4);
    w->events = wk_jq_push(q, w->events, event);
}

static bool is_leaf(struct jq_val v)
{
    return v.kind < JQ_ARRAY || (v.kind == JQ_ARRAY ? v.array->n == 0 : wk_jq_object_n(v) == 0);
}

static void enter(struct walker *w, struct jq_val v)
{
    if (w->n == w->cap) {
        w->cap = w->cap ? 2 * w->cap : 16;
        w->levels = wk_heap_realloc(w->q->c->heap, w->levels, w->cap * sizeof *w->levels);
    }
    w->levels[w->n++] = (struct walk_level){v, 0, 0};
    w->path = wk_jq_push(w->q, w->path, jq_null());
}

/* The next member of the level on top, whose key becomes the path's last. */
static bool next_member(struct walker *w, struct jq_val *v)
{
    struct walk_level *l = &w->levels[w->n - 1];
    struct jq_val *last = &w->path.array->at[w->path.array->n - 1], key;
    l->previous = l->at;
    if (l->v.kind == JQ_ARRAY) {
        if (l->at == l->v.array->n)
            return false;
        key = jq_number((double)l->at);
        *v = l->v.array->at[l->at++];
    } else {
        if (!wk_jq_object_next(l->v, &l->at, &key, v))
            return false;
        key = jq_copy(key);
    }
    jq_free(w->q, *last);
    *last = key;
    return true;
}

/* Goes to where a chunk ended: for each level what led to the member that was the last. */
static void resume(struct walker *w, struct jq_val top, struct jq_val places)
{
    struct jq_val v = top;
    for (size_t i = 0; i < places.array->n; i++) {
        enter(w, v);
        w->levels[i].at = (size_t)jq_num(places.array->at[i]);
        next_member(w, &v);
    }
}

/* Where the walk is, for resume; null at its end. */
static struct jq_val places_of(struct walker *w)
{
    if (!w->n)
        return jq_null();
    struct jq_val places = wk_jq_array(w->q, w->n);
    for (size_t i = 0; i < w->n; i++)
        places = wk_jq_push(w->q, places, jq_number((double)w->levels[i].previous));
    return places;
}

static struct jq_val two(struct jq *q, struct jq_val x, struct jq_val y)
{
    return wk_jq_push(q, wk_jq_push(q, wk_jq_array(q, 2), x), y);
}

/* The next events, from the places of the argument on, and the places where they end: few at once, since a
 * value's stream is much larger than the value. */
static bool tostream(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    struct walker w = {.q = q, .path = wk_jq_array(q, 8), .events = wk_jq_array(q, 8)};
    if (a[1].kind == JQ_ARRAY)
        resume(&w, a[0], a[1]);
    else if (is_leaf(a[0]))
        put_event(&w, &a[0]);
    else
        enter(&w, a[0]);
    while (w.n && (w.made < CHUNK || w.levels[w.n - 1].at == 0)) {
        struct jq_val v;
        if (!next_member(&w, &v)) {
            put_event(&w, NULL);
            w.n--;
            w.path = wk_jq_array_slice(q, w.path, 0, w.n);
        } else if (is_leaf(v)) {
            put_event(&w, &v);
        } else {
            enter(&w, v);
        }
    }
    struct jq_val places = places_of(&w);
    wk_heap_free(q->c->heap, w.levels);
    jq_free(q, w.path);
    jq_free_args(q, a, 1);
    *out = two(q, w.events, places);
    return true;
}

/* ---- fromstream ---- */

/* The length of a path that may be no path. */
static bool path_length(struct jq *q, struct jq_val path, double *n)
{
    switch ((enum jq_kind)path.kind) {
    case JQ_ARRAY:
        *n = (double)path.array->n;
        return true;
    case JQ_OBJECT:
        *n = (double)wk_jq_object_n(path);
        return true;
    case JQ_STRING:
        *n = (double)wk_jq_chars(path);
        return true;
    case JQ_NUMBER:
        *n = jq_num(path) < 0 ? -jq_num(path) : jq_num(path);
        return true;
    case JQ_NULL:
    case JQ_NONE:
        *n = 0;
        return true;
    case JQ_FALSE:
    case JQ_TRUE:
        break;
    }
    return wk_jq_type_error(q, jq_copy(path), "has no length");
}

/* Puts a leaf where its path says; takes all of it. */
static bool put_leaf(struct jq *q, struct jq_val *value, struct jq_val path, struct jq_val leaf)
{
    if (path.kind == JQ_ARRAY && path.array->n)
        return wk_jq_setpath(q, *value, path, leaf, value);
    jq_free(q, *value);
    *value = leaf;
    if (path.kind == JQ_ARRAY || path.kind == JQ_NULL) {
        jq_free(q, path);
        return true;
    }
    jq_free(q, leaf);
    *value = jq_null();
    struct jq_val none, root = wk_jq_push(q, wk_jq_array(q, 1), wk_jq_string_valid(q, WK_STR("x")));
    return wk_jq_add(q, root, path, &none); /* an error */
}

/* A state [is it whole, the value so far] and an event: the next state. */
static bool fromstream(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    struct jq_val state = a[0], event = a[1], path, leaf = jq_null();
    if (event.kind != JQ_ARRAY && event.kind != JQ_NULL) {
        jq_free(q, state);
        if (event.kind < JQ_NUMBER)
            return wk_jq_type_error(q, event, "has no length");
        return wk_jq_index(q, event, jq_number(0), out);
    }
    if (state.kind != JQ_ARRAY) {
        state = wk_jq_push(q, wk_jq_array(q, 2), jq_bool(false));
        state = wk_jq_push(q, state, jq_null());
    }
    state = wk_jq_array_own(q, state);
    struct jq_val *whole = &state.array->at[0], *at = &state.array->at[1], value = *at;
    *at = jq_null();
    if (jq_truthy(*whole)) {
        jq_free(q, value);
        value = jq_null();
    }
    size_t n = event.kind == JQ_ARRAY ? event.array->n : 0;
    path = n ? jq_copy(event.array->at[0]) : jq_null();
    if (n == 2)
        leaf = jq_copy(event.array->at[1]);
    jq_free(q, event);
    double length = 0;
    bool ok = path_length(q, path, &length);
    *whole = jq_bool(ok && length == (n == 2 ? 0 : 1));
    if (ok && n == 2) {
        ok = put_leaf(q, &value, path, leaf);
    } else {
        jq_free(q, path);
        jq_free(q, leaf);
    }
    if (!ok) {
        jq_free(q, state);
        return false;
    }
    *at = value;
    *out = state;
    return true;
}

static const struct jq_builtin functions[] = {
    {"_tostream", 1, tostream},
    {"_fromstream", 1, fromstream},
};
const struct jq_table wk_jq_stream_table = {functions, WK_COUNTOF(functions)};
