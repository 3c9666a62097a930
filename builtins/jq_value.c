/* jq_value.c - jq's values: their memory, their release, strings
 *
 * Releasing uses no stack: a container that dies keeps the one that held it in a field of its own
 * until its last element is gone.
 */
#include "builtins/jq_priv.h"

#include "base/hash.h"
#include "base/utf8.h"
#include "text/json/json_utf8.h"

enum { POOL_PIECE = 32 * 1024 };

void *wk_jq_pool_fill(struct jq_pool *p, size_t units)
{
    size_t n = units * WK_JQ_POOL_UNIT;
    if (n == 0)
        n = WK_JQ_POOL_UNIT;
    if ((size_t)(p->end - p->at) < n) {
        /* What is left over serves smaller requests. */
        size_t left = (size_t)(p->end - p->at);
        if (left >= WK_JQ_POOL_UNIT)
            jq_pool_free(p, p->at, left);
        p->at = wk_heap_alloc(p->heap, POOL_PIECE);
        p->end = p->at + POOL_PIECE;
    }
    char *block = p->at;
    p->at += n;
    return block;
}

static void release_scratch(void *obj)
{
    wk_buf_release(obj);
}

void wk_jq_init(struct jq *q, struct wk_cmd *c)
{
    *q = (struct jq){.c = c, .seed = wk_kern_random(c->k)};
    q->pool.heap = c->heap;
    wk_buf_init(&q->scratch, wk_heap_mem(c->heap), SIZE_MAX / 2);
    wk_heap_own(c->heap, &q->scratch, release_scratch);
}

const char *wk_jq_kind_name(struct jq_val v)
{
    static const char *const names[] = {"<invalid>", "null",   "boolean", "boolean",
                                        "number",    "string", "array",   "object"};
    return names[v.kind];
}

/* ---- release ---- */

static void free_string(struct jq *q, struct jq_str *s)
{
    jq_pool_free(&q->pool, s, offsetof(struct jq_str, bytes) + s->cap + 1);
}

/* The container that a dying one lay in, and whether that is an object. */
static uint64_t to_link(struct jq_val v)
{
    return v.kind == JQ_NONE ? 0 : (uint64_t)(uintptr_t)v.array | (v.kind == JQ_OBJECT);
}

static struct jq_val from_link(uint64_t link)
{
    if (!link)
        return jq_none();
    void *p = (void *)(uintptr_t)(link & ~(uint64_t)1);
    if (link & 1)
        return (struct jq_val){.kind = JQ_OBJECT, .object = p};
    return (struct jq_val){.kind = JQ_ARRAY, .array = p};
}

/* The next thing to give up of a dying container; false when it is empty. */
static bool take_part(struct jq *q, struct jq_val in, struct jq_val *part)
{
    if (in.kind == JQ_ARRAY) {
        struct jq_array *a = in.array;
        if (a->n == 0)
            return false;
        *part = a->at[--a->n];
        return true;
    }
    return wk_jq_object_take_part(q, in.object, part);
}

void wk_jq_free_slow(struct jq *q, struct jq_val v)
{
    struct jq_val in = jq_none();
    for (;;) {
        if (v.kind == JQ_STRING) {
            free_string(q, v.str);
        } else if (v.kind == JQ_NUMBER) {
            jq_pool_free(&q->pool, v.literal, sizeof *v.literal + v.literal->room);
        } else if (v.kind == JQ_ARRAY && v.array->of) {
            /* The elements are another's: it has one owner fewer. */
            struct jq_array *of = v.array->of;
            wk_jq_array_drop(q, v.array);
            if (of->refs != UINT32_MAX && --of->refs == 0) {
                v = (struct jq_val){.kind = JQ_ARRAY, .array = of};
                continue;
            }
        } else if (v.kind == JQ_ARRAY) {
            v.array->link = to_link(in);
            in = v;
        } else if (v.kind == JQ_OBJECT) {
            v.object->link = to_link(in);
            in = v;
        }
        /* Up to the next thing whose count comes to nothing. */
        uint32_t work = 1;
        for (;; work++) {
            if (in.kind == JQ_NONE) {
                wk_tick(q->c, work);
                return;
            }
            if (take_part(q, in, &v)) {
                uint32_t *refs = (uint32_t *)(void *)v.str;
                if (jq_is_counted(v) && *refs != UINT32_MAX && --*refs == 0)
                    break;
                continue;
            }
            struct jq_val outer = from_link(in.kind == JQ_ARRAY ? in.array->link : in.object->link);
            if (in.kind == JQ_ARRAY)
                wk_jq_array_drop(q, in.array);
            else
                wk_jq_object_drop(q, in.object);
            in = outer;
        }
        wk_tick(q->c, work);
    }
}

/* ---- strings ---- */

struct jq_str *wk_jq_str_new(struct jq *q, size_t n)
{
    if (n > SIZE_MAX / 4)
        wk_heap_exhausted(q->c->heap);
    size_t bytes = jq_pool_room(offsetof(struct jq_str, bytes) + n + 1);
    struct jq_str *s = jq_pool_alloc(&q->pool, bytes);
    s->refs = 1;
    s->hash = 0;
    s->chars = 0;
    s->n = n;
    s->cap = bytes - offsetof(struct jq_str, bytes) - 1;
    s->bytes[n] = '\0';
    return s;
}

static struct jq_val value_of(struct jq_str *s)
{
    return (struct jq_val){.kind = JQ_STRING, .str = s};
}

struct jq_val wk_jq_string_valid(struct jq *q, struct wk_str text)
{
    struct jq_str *s = wk_jq_str_new(q, text.n);
    if (text.n)
        memcpy(s->bytes, text.p, text.n);
    return value_of(s);
}

struct jq_val wk_jq_string(struct jq *q, struct wk_str text)
{
    if (wk_json_utf8_valid(text))
        return wk_jq_string_valid(q, text);
    struct jq_str *s = wk_jq_str_new(q, wk_json_utf8_mended(text, NULL));
    wk_json_utf8_mended(text, s->bytes);
    wk_tick(q->c, (uint32_t)(text.n / 64));
    return value_of(s);
}

/* The process may end for want of memory in here: the buffer, which the heap does not know, is
 * released first. */
struct jq_val wk_jq_string_take(struct jq *q, struct wk_buf *b)
{
    char few[WK_JQ_POOL_MAX];
    size_t n = b->n, bytes = jq_pool_room(offsetof(struct jq_str, bytes) + n + 1);
    bool failed = b->failed;
    if (n <= sizeof few) {
        if (n)
            memcpy(few, b->p, n);
        wk_buf_release(b);
        if (!failed)
            return wk_jq_string_valid(q, wk_str(few, n));
        wk_heap_exhausted(q->c->heap);
    }
    struct jq_str *s = failed ? NULL : wk_heap_try(q->c->heap, bytes);
    if (s) {
        *s = (struct jq_str){.refs = 1, .n = n, .cap = bytes - offsetof(struct jq_str, bytes) - 1};
        memcpy(s->bytes, b->p, n);
        s->bytes[n] = '\0';
    }
    wk_buf_release(b);
    if (!s)
        wk_heap_exhausted(q->c->heap);
    return value_of(s);
}

uint32_t wk_jq_hash(struct jq_str *s, uint64_t seed)
{
    if (s->hash == 0)
        s->hash = jq_hash_text(seed, wk_str(s->bytes, s->n));
    return s->hash;
}

size_t wk_jq_chars(struct jq_val v)
{
    struct jq_str *s = v.str;
    if (s->chars)
        return s->chars - 1;
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) /* valid UTF-8: bytes that begin a character */
        n += !wk_utf8_continues((unsigned char)s->bytes[i]);
    if (n < UINT32_MAX)
        s->chars = (uint32_t)n + 1;
    return n;
}

struct jq_val wk_jq_append(struct jq *q, struct jq_val v, struct wk_str more)
{
    struct jq_str *s = v.str;
    if (more.n > SIZE_MAX / 4 || s->n > SIZE_MAX / 4)
        wk_heap_exhausted(q->c->heap);
    size_t n = s->n + more.n;
    if (!jq_is_single(v) || s->cap < n) {
        size_t room = jq_is_single(v) && s->cap > 32 ? WK_MAX(n, s->cap + s->cap / 2) : n;
        struct jq_str *grown = wk_jq_str_new(q, room);
        memcpy(grown->bytes, s->bytes, s->n);
        grown->n = s->n;
        if (more.n)
            memcpy(grown->bytes + s->n, more.p, more.n);
        jq_free(q, v);
        s = grown;
    } else if (more.n) {
        memcpy(s->bytes + s->n, more.p, more.n);
    }
    s->n = n;
    s->bytes[n] = '\0';
    s->hash = 0;
    s->chars = 0;
    return value_of(s);
}
