/* jq_read.c - JSON texts to jq's values, whole or as a stream of events
 *
 * The parts of the containers that are open lie in one row; when a container ends those behind its
 * beginning become an array or an object of exactly their number. Keys that were met lately are
 * handed out again, so that the same key in many objects is one string, whose hash is known.
 */
#include "builtins/jq_read.h"

#include "builtins/jq_priv.h"

#include <float.h>
#include <math.h>

struct jq_level {
    size_t at; /* of its first part in the row */
};

enum { KEY_MAX = 64 /* bytes of keys that are remembered */ };

static void release(void *obj)
{
    struct jq_reader *r = obj;
    wk_json_release(&r->json);
}

struct jq_reader *wk_jq_reader_new(struct jq *q, unsigned mode)
{
    struct jq_reader *r = wk_new(q->c, struct jq_reader);
    r->q = q;
    /* Streams hold a path and nothing else of what they nest. */
    size_t depth = mode & WK_JSON_STREAM ? SIZE_MAX / 64 : WK_JQ_DEPTH;
    wk_json_init(&r->json, wk_heap_mem(q->c->heap), mode, depth);
    wk_heap_own(q->c->heap, r, release);
    r->path = r->waiting = jq_none();
    return r;
}

void wk_jq_reader_reset(struct jq_reader *r)
{
    wk_json_reset(&r->json);
    while (r->n)
        jq_free(r->q, r->stack[--r->n]);
    r->levels_n = 0;
    jq_free(r->q, r->path);
    jq_free(r->q, r->waiting);
    r->path = r->waiting = jq_none();
    r->entered = false;
    r->ahead = 0;
}

static WK_NOINLINE void grow(struct jq_reader *r)
{
    r->cap = r->cap ? r->cap * 2 : 64;
    r->stack = wk_heap_realloc(r->q->c->heap, r->stack, r->cap * sizeof *r->stack);
}

static inline void push(struct jq_reader *r, struct jq_val v)
{
    if (WK_UNLIKELY(r->n == r->cap))
        grow(r);
    r->stack[r->n++] = v;
}

static void open_level(struct jq_reader *r)
{
    if (r->levels_n == r->levels_cap) {
        r->levels_cap = r->levels_cap ? r->levels_cap * 2 : 16;
        r->levels = wk_heap_realloc(r->q->c->heap, r->levels, r->levels_cap * sizeof *r->levels);
    }
    r->levels[r->levels_n++].at = r->n;
}

static inline bool is_key(const struct jq_str *s, struct wk_str text)
{
    return s && s->n == text.n && memcmp(s->bytes, text.p, text.n) == 0;
}

/* The string of a key. What followed the key before it the last time is looked at first. */
static struct jq_val key_of(struct jq_reader *r)
{
    struct wk_str text = r->json.text;
    struct jq_recent *at = &r->recent[r->recent[r->last_key].follower];
    if (WK_LIKELY(is_key(at->key, text))) {
        r->last_key = (uint16_t)(at - r->recent);
        return jq_copy((struct jq_val){.kind = JQ_STRING, .str = at->key});
    }
    if (text.n > KEY_MAX)
        return wk_jq_string_valid(r->q, text);
    uint32_t hash = jq_hash_text(r->q->seed, text);
    at = &r->recent[hash % WK_JQ_RECENT];
    uint16_t number = (uint16_t)(at - r->recent);
    r->recent[r->last_key].follower = number;
    r->last_key = number;
    if (is_key(at->key, text))
        return jq_copy((struct jq_val){.kind = JQ_STRING, .str = at->key});
    struct jq_val v = wk_jq_string_valid(r->q, text);
    v.str->hash = hash;
    if (at->key)
        jq_free(r->q, (struct jq_val){.kind = JQ_STRING, .str = at->key});
    at->key = jq_copy(v).str;
    return v;
}

/* A number whose digits the reader has counted up; others are looked at in full. */
static inline struct jq_val number_of(struct jq_reader *r)
{
    static const double tens[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const struct wk_json *j = &r->json;
    struct jq_val v = {.kind = JQ_NUMBER, .is_text = true};
    if (!j->short_number || FLT_EVAL_METHOD != 0)
        return wk_jq_number_text(r->q, j->text);
    bool negative = j->text.p[0] == '-';
    double d = (double)j->digits;
    if (j->places) {
        d /= tens[j->places];
        if (j->text.p[j->text.n - 1] == '0' || d < 1e-4)
            return wk_jq_number_text(r->q, j->text);
    }
    v.num = negative ? -d : d;
    return v;
}

static struct jq_val scalar_of(struct jq_reader *r, enum wk_json_token token)
{
    switch (token) {
    case WK_JSON_NULL:
        return jq_null();
    case WK_JSON_FALSE:
    case WK_JSON_TRUE:
        return jq_bool(token == WK_JSON_TRUE);
    case WK_JSON_NUMBER:
        return number_of(r);
    case WK_JSON_NAN:
        return jq_number((double)NAN);
    case WK_JSON_INFINITY:
        return jq_number(r->json.text.p[0] == '-' ? -(double)INFINITY : (double)INFINITY);
    default:
        return wk_jq_string_valid(r->q, r->json.text);
    }
}

static struct jq_val close_level(struct jq_reader *r, bool object)
{
    size_t from = r->levels[--r->levels_n].at, n = r->n - from;
    r->n = from;
    if (n == 0)
        return object ? wk_jq_object(r->q, 0) : wk_jq_array(r->q, 0);
    if (object)
        return wk_jq_object_of(r->q, r->stack + from, n / 2);
    struct jq_val v = wk_jq_array(r->q, n);
    memcpy(v.array->at, r->stack + from, n * sizeof(struct jq_val));
    v.array->n = n;
    return v;
}

/* WK_JSON_MORE, _END or _ERROR as wk_jq_read says them. */
static int stop_of(struct jq_reader *r, enum wk_json_token token)
{
    if (token == WK_JSON_MORE)
        return 0;
    if (token == WK_JSON_END)
        return 2;
    if (r->json.failed)
        wk_heap_exhausted(r->q->c->heap);
    return -1;
}

static int read_value(struct jq_reader *r, struct jq_val *out)
{
    for (;;) {
        struct jq_val v;
        enum wk_json_token token = wk_json_next(&r->json);
        switch (token) {
        case WK_JSON_MORE:
        case WK_JSON_END:
        case WK_JSON_ERROR:
            return stop_of(r, token);
        case WK_JSON_KEY:
            push(r, key_of(r));
            continue;
        case WK_JSON_ARRAY:
        case WK_JSON_OBJECT:
            open_level(r);
            continue;
        case WK_JSON_ARRAY_END:
        case WK_JSON_OBJECT_END:
            v = close_level(r, token == WK_JSON_OBJECT_END);
            break;
        default:
            v = scalar_of(r, token);
        }
        if (r->levels_n == 0) {
            *out = v;
            return 1;
        }
        push(r, v);
    }
}

/* ---- events ---- */

/* [path] or [path, v]; takes v. */
static struct jq_val event(struct jq_reader *r, struct jq_val v)
{
    struct jq_val path = r->path.kind == JQ_NONE ? wk_jq_array(r->q, 0) : jq_copy(r->path);
    struct jq_val e = wk_jq_push(r->q, wk_jq_array(r->q, 2), path);
    return v.kind == JQ_NONE ? e : wk_jq_push(r->q, e, v);
}

/* Drops the path's last part. */
static void path_up(struct jq_reader *r)
{
    size_t n = r->path.array->n;
    r->path = wk_jq_array_slice(r->q, r->path, 0, n - 1);
}

/* A part of the container at hand begins: in an array the path moves on. */
static void next_part(struct jq_reader *r)
{
    if (r->path.kind == JQ_NONE || r->path.array->n == 0)
        return;
    size_t last = r->path.array->n - 1;
    struct jq_val at = r->path.array->at[last];
    if (at.kind == JQ_NUMBER)
        r->path = wk_jq_array_set(r->q, r->path, last, jq_number(at.num + 1));
}

/* A container ends: an empty one is an event of its own, of others their last part's path is told. */
static struct jq_val end_event(struct jq_reader *r, bool object)
{
    if (!r->entered) {
        struct jq_val e = event(r, jq_none());
        path_up(r);
        return e;
    }
    r->entered = false;
    path_up(r);
    return event(r, object ? wk_jq_object(r->q, 0) : wk_jq_array(r->q, 0));
}

/* One more token; 1: an event in *out. A scalar inside of a container is told when what separates it
 * from the rest was met. */
static int take_token(struct jq_reader *r, enum wk_json_token token, struct jq_val *out)
{
    switch (token) {
    case WK_JSON_KEY:
        r->entered = false;
        r->path = wk_jq_array_set(r->q, r->path, r->path.array->n - 1, key_of(r));
        return 0;
    case WK_JSON_ARRAY:
    case WK_JSON_OBJECT:
        next_part(r);
        if (r->path.kind == JQ_NONE)
            r->path = wk_jq_array(r->q, 4);
        r->path = wk_jq_push(r->q, r->path, token == WK_JSON_ARRAY ? jq_number(-1) : jq_null());
        r->entered = true;
        return 0;
    case WK_JSON_ARRAY_END:
    case WK_JSON_OBJECT_END:
        *out = end_event(r, token == WK_JSON_OBJECT_END);
        return 1;
    default:
        next_part(r);
        r->entered = false;
        *out = event(r, scalar_of(r, token));
        if (r->json.depth == 0)
            return 1;
        r->waiting = *out;
        return 0;
    }
}

static int read_event(struct jq_reader *r, struct jq_val *out)
{
    for (;;) {
        enum wk_json_token token = r->ahead ? r->ahead : wk_json_next(&r->json);
        r->ahead = 0;
        bool stop = token == WK_JSON_MORE || token == WK_JSON_END || token == WK_JSON_ERROR;
        if (r->waiting.kind != JQ_NONE && (!stop || r->json.after_comma)) {
            *out = r->waiting;
            r->waiting = jq_none();
            r->ahead = (uint8_t)token; /* of an error or the end another is made */
            return 1;
        }
        if (stop)
            return stop_of(r, token);
        if (take_token(r, token, out))
            return 1;
    }
}

struct jq_val wk_jq_reader_path(struct jq_reader *r)
{
    struct jq_val path = r->path.kind == JQ_NONE ? wk_jq_array(r->q, 0) : jq_copy(r->path);
    if (path.array->n == 0)
        return path;
    size_t last = path.array->n - 1;
    struct jq_val at = path.array->at[last];
    if (at.kind == JQ_NUMBER && (at.num < 0 || r->json.after_comma))
        path = wk_jq_array_set(r->q, path, last, jq_number(at.num + 1));
    else if (at.kind == JQ_STRING && !r->json.has_key)
        path = wk_jq_array_set(r->q, path, last, jq_null());
    return path;
}

int wk_jq_read(struct jq_reader *r, struct jq_val *out)
{
    return r->json.mode & WK_JSON_STREAM ? read_event(r, out) : read_value(r, out);
}

/* ---- texts at hand ---- */

struct jq_reader *wk_jq_text_reader(struct jq *q, struct wk_str text)
{
    if (!q->reader)
        q->reader = wk_jq_reader_new(q, WK_JSON_PLAIN);
    struct jq_reader *r = q->reader;
    wk_jq_reader_reset(r);
    wk_json_restart(&r->json);
    wk_json_feed(&r->json, text.p, text.n);
    wk_json_finish(&r->json);
    return r;
}

struct jq_val wk_jq_reader_error(struct jq_reader *r)
{
    struct wk_buf *b = &r->q->scratch;
    wk_buf_reset(b);
    wk_json_put_error(&r->json, b);
    return wk_jq_string_valid(r->q, wk_buf_str(b));
}

/* An error of fromjson: "WHAT (while parsing 'TEXT')". */
static bool fail_from(struct jq *q, struct jq_val what, struct wk_str text)
{
    struct jq_val message = wk_jq_append(q, what, WK_STR(" (while parsing '"));
    struct jq_val shown = wk_jq_string(q, text);
    message = wk_jq_append(q, message, jq_slice(shown));
    jq_free(q, shown);
    return wk_jq_raise(q, wk_jq_append(q, message, WK_STR("')")));
}

bool wk_jq_fromjson(struct jq *q, struct wk_str text, struct jq_val *out)
{
    struct jq_reader *r = wk_jq_text_reader(q, text);
    struct jq_val v, more;
    int got = wk_jq_read(r, &v);
    wk_tick(q->c, (uint32_t)(text.n / 64));
    if (got == 2)
        return fail_from(q, wk_jq_string_valid(q, WK_STR("Expected JSON value")), text);
    if (got < 0)
        return fail_from(q, wk_jq_reader_error(r), text);
    got = wk_jq_read(r, &more);
    if (got == 2) {
        *out = v;
        return true;
    }
    jq_free(q, v);
    if (got < 0)
        return fail_from(q, wk_jq_reader_error(r), text);
    jq_free(q, more);
    return fail_from(q, wk_jq_string_valid(q, WK_STR("Unexpected extra JSON values")), text);
}
