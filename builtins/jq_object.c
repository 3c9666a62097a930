/* jq_object.c - jq's objects: entries in order of insertion, found by hashes of their keys */
#include "builtins/jq_priv.h"

#include "builtins/ptrsort.h"

static struct jq_val value_of(struct jq_object *o)
{
    return (struct jq_val){.kind = JQ_OBJECT, .object = o};
}

static struct jq_val key_value(struct jq_str *s)
{
    return (struct jq_val){.kind = JQ_STRING, .str = s};
}

static size_t places_for(size_t cap)
{
    size_t n = 2 * WK_JQ_LINEAR;
    while (n < cap + cap / 2)
        n *= 2;
    return n;
}

static struct jq_object *new_object(struct jq *q, size_t room)
{
    size_t few = room <= WK_JQ_LINEAR ? WK_MAX(room, (size_t)1) : 0;
    if (room > UINT32_MAX / 4)
        wk_heap_exhausted(q->c->heap);
    struct jq_object *o = jq_pool_alloc(&q->pool, sizeof *o + few * sizeof(struct jq_entry));
    *o = (struct jq_object){.refs = 1,
                            .few_n = (uint32_t)few,
                            .cap = (uint32_t)few,
                            .seed = q->seed,
                            .at = o->few};
    if (room > WK_JQ_LINEAR) {
        size_t n = places_for(room);
        o->at = jq_pool_alloc(&q->pool, room * sizeof *o->at);
        o->places = jq_pool_alloc(&q->pool, n * sizeof *o->places);
        memset(o->places, 0, n * sizeof *o->places);
        o->cap = (uint32_t)room;
        o->mask = (uint32_t)(n - 1);
    }
    return o;
}

struct jq_val wk_jq_object(struct jq *q, size_t room)
{
    return value_of(new_object(q, room));
}

size_t wk_jq_object_n(struct jq_val v)
{
    return v.object->live;
}

static void drop_tables(struct jq *q, struct jq_object *o)
{
    if (o->at != o->few)
        jq_pool_free(&q->pool, o->at, o->cap * sizeof *o->at);
    if (o->places)
        jq_pool_free(&q->pool, o->places, ((size_t)o->mask + 1) * sizeof *o->places);
}

void wk_jq_object_drop(struct jq *q, struct jq_object *o)
{
    drop_tables(q, o);
    jq_pool_free(&q->pool, o, sizeof *o + o->few_n * sizeof(struct jq_entry));
}

bool wk_jq_object_take_part(struct jq *q, struct jq_object *o, struct jq_val *part)
{
    while (o->used) {
        struct jq_entry *e = &o->at[o->used - 1];
        if (e->key) {
            jq_free(q, key_value(e->key));
            e->key = NULL;
            *part = e->v;
            o->used--;
            return true;
        }
        o->used--;
    }
    return false;
}

/* ---- finding ---- */

static void add_place(struct jq_object *o, uint32_t hash, uint32_t entry)
{
    size_t i = hash & o->mask;
    while (o->places[i].at1)
        i = (i + 1) & o->mask;
    o->places[i] = (struct jq_place){hash, entry + 1};
}

static struct jq_entry *find_linear(struct jq_object *o, struct wk_str key)
{
    for (size_t i = 0; i < o->used; i++) {
        struct jq_str *k = o->at[i].key;
        if (k && k->n == key.n && memcmp(k->bytes, key.p, key.n) == 0)
            return &o->at[i];
    }
    return NULL;
}

static struct jq_entry *find_hashed(struct jq_object *o, struct wk_str key, uint32_t hash)
{
    for (size_t i = hash & o->mask; o->places[i].at1; i = (i + 1) & o->mask) {
        if (o->places[i].hash != hash)
            continue;
        struct jq_entry *e = &o->at[o->places[i].at1 - 1];
        if (e->key && e->key->n == key.n && memcmp(e->key->bytes, key.p, key.n) == 0)
            return e;
    }
    return NULL;
}

static struct jq_entry *find(struct jq_object *o, struct jq_str *key)
{
    if (o->places)
        return find_hashed(o, wk_str(key->bytes, key->n), wk_jq_hash(key, o->seed));
    for (size_t i = 0; i < o->used; i++) /* keys of one input are often one string */
        if (o->at[i].key == key)
            return &o->at[i];
    return find_linear(o, wk_str(key->bytes, key->n));
}

const struct jq_val *wk_jq_object_get(struct jq_val v, struct jq_val key)
{
    struct jq_entry *e = find(v.object, key.str);
    return e ? &e->v : NULL;
}

const struct jq_val *wk_jq_object_get_str(struct jq_val v, struct wk_str key)
{
    struct jq_object *o = v.object;
    struct jq_entry *e =
        o->places ? find_hashed(o, key, jq_hash_text(o->seed, key)) : find_linear(o, key);
    return e ? &e->v : NULL;
}

bool wk_jq_object_next(struct jq_val v, size_t *at, struct jq_val *key, struct jq_val *value)
{
    struct jq_object *o = v.object;
    while (*at < o->used) {
        struct jq_entry *e = &o->at[(*at)++];
        if (!e->key)
            continue;
        *key = key_value(e->key);
        *value = e->v;
        return true;
    }
    return false;
}

/* ---- changing ---- */

/* Moves the entries that count into an object with room for `room`; `from` loses them when it has a
 * single owner and keeps its own counts of them otherwise. */
static void move_entries(struct jq_object *from, struct jq_object *to, bool copy)
{
    for (size_t i = 0; i < from->used; i++) {
        struct jq_entry e = from->at[i];
        if (!e.key)
            continue;
        if (copy) {
            (void)jq_copy(key_value(e.key));
            (void)jq_copy(e.v);
        }
        if (to->places)
            add_place(to, wk_jq_hash(e.key, to->seed), to->used);
        to->at[to->used++] = e;
    }
    to->live = from->live;
}

static struct jq_object *copy_of(struct jq *q, struct jq_val v, size_t room)
{
    struct jq_object *o = v.object, *fresh = new_object(q, WK_MAX(room, o->live));
    move_entries(o, fresh, true);
    wk_tick(q->c, o->live / 8);
    jq_free(q, v);
    return fresh;
}

/* The row and the places anew, with room for `room` entries: deleted ones go. The object has a
 * single owner. */
static void remake(struct jq *q, struct jq_object *o, size_t room)
{
    struct jq_object *fresh = new_object(q, WK_MAX(room, (size_t)WK_JQ_LINEAR + 1));
    move_entries(o, fresh, false);
    wk_tick(q->c, o->used / 8);
    drop_tables(q, o);
    o->at = fresh->at;
    o->places = fresh->places;
    o->used = fresh->used;
    o->cap = fresh->cap;
    o->mask = fresh->mask;
    jq_pool_free(&q->pool, fresh, sizeof *fresh);
}

/* Room for one more entry in an object that has a single owner. */
static void make_room(struct jq *q, struct jq_object *o)
{
    if (o->cap < WK_JQ_LINEAR) {
        size_t room = WK_MIN((size_t)o->cap * 2 + 1, (size_t)WK_JQ_LINEAR);
        struct jq_entry *row = jq_pool_alloc(&q->pool, room * sizeof *row);
        memcpy(row, o->at, o->used * sizeof *row);
        if (o->at != o->few)
            jq_pool_free(&q->pool, o->at, o->cap * sizeof *row);
        o->at = row;
        o->cap = (uint32_t)room;
    } else {
        remake(q, o, (size_t)o->live * 2);
    }
}

struct jq_val wk_jq_object_set(struct jq *q, struct jq_val v, struct jq_val key, struct jq_val x)
{
    struct jq_object *o = v.object;
    if (o->refs != 1)
        o = copy_of(q, v, (size_t)o->live + 1);
    struct jq_entry *e = find(o, key.str);
    if (e) {
        struct jq_val before = e->v;
        e->v = x;
        jq_free(q, key);
        jq_free(q, before);
        return value_of(o);
    }
    if (o->used == o->cap)
        make_room(q, o);
    if (o->places)
        add_place(o, wk_jq_hash(key.str, o->seed), o->used);
    o->at[o->used++] = (struct jq_entry){key.str, x};
    o->live++;
    return value_of(o);
}

struct jq_val wk_jq_object_of(struct jq *q, const struct jq_val *pairs, size_t n)
{
    struct jq_object *o = new_object(q, n);
    if (n > WK_JQ_LINEAR) {
        struct jq_val v = value_of(o);
        for (size_t i = 0; i < n; i++)
            v = wk_jq_object_set(q, v, pairs[2 * i], pairs[2 * i + 1]);
        return v;
    }
    uint64_t seen = 0; /* a bit of each hash: most keys are told apart by it */
    for (size_t i = 0; i < n; i++) {
        struct jq_val key = pairs[2 * i], x = pairs[2 * i + 1];
        uint64_t bit = (uint64_t)1 << (wk_jq_hash(key.str, q->seed) & 63);
        struct jq_entry *e = seen & bit ? find(o, key.str) : NULL;
        seen |= bit;
        if (e) {
            jq_free(q, key);
            jq_free(q, e->v);
            e->v = x;
            continue;
        }
        o->at[o->used++] = (struct jq_entry){key.str, x};
        o->live++;
    }
    return value_of(o);
}

struct jq_val wk_jq_object_delete(struct jq *q, struct jq_val v, struct wk_str key)
{
    if (!wk_jq_object_get_str(v, key))
        return v;
    struct jq_object *o = v.object;
    if (o->refs != 1)
        o = copy_of(q, v, 0);
    struct jq_entry *e =
        o->places ? find_hashed(o, key, jq_hash_text(o->seed, key)) : find_linear(o, key);
    struct jq_entry gone = *e;
    o->live--;
    if (!o->places) {
        o->used--;
        memmove(e, e + 1, (size_t)(&o->at[o->used] - e) * sizeof *e);
    } else {
        e->key = NULL;
        e->v = jq_null();
        if (o->live < o->used / 4)
            remake(q, o, (size_t)o->live * 2);
    }
    jq_free(q, key_value(gone.key)); /* `key` may have lain in it */
    jq_free(q, gone.v);
    return value_of(o);
}

/* ---- order ---- */

static int order_of_keys(void *ctx, const void *a, const void *b)
{
    const struct jq_str *x = a, *y = b;
    (void)ctx;
    return wk_str_cmp(wk_str(x->bytes, x->n), wk_str(y->bytes, y->n));
}

struct jq_val *wk_jq_keys_sorted(struct jq *q, struct jq_val v, size_t *n)
{
    struct jq_object *o = v.object;
    const void **keys = wk_heap_calloc(q->c->heap, o->live, sizeof *keys);
    struct jq_val *out = wk_heap_calloc(q->c->heap, o->live, sizeof *out);
    struct jq_val key, value;
    *n = 0;
    for (size_t at = 0; wk_jq_object_next(v, &at, &key, &value);)
        keys[(*n)++] = key.str;
    wk_ptr_sort(q->c, keys, *n, order_of_keys, NULL);
    struct jq_str *s;
    for (size_t i = 0; i < *n; i++) {
        memcpy(&s, &keys[i], sizeof s); /* they are no constants of ours */
        out[i] = key_value(s);
    }
    wk_heap_free(q->c->heap, keys);
    return out;
}
