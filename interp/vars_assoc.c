/* vars_assoc.c - associative arrays: open addressing under a mixed hash, walked in bash's order */
#include "base/err.h"
#include "base/hash.h"
#include "base/sort.h"
#include "interp/vars_array.h"

/* bash's table, which is only imitated for its order. */
enum { BASH_CROWD = 2, BASH_GROWTH = 4 };

struct entry {
    struct wk_val *key; /* NULL: deleted */
    struct wk_elem_value e;
    uint32_t fnv;  /* selects bash's bucket */
    uint32_t hash; /* ours, cannot be chosen from outside */
    int64_t rank;  /* place within the bucket, ascending */
};

struct wk_assoc {
    uint32_t refs;
    uint32_t buckets; /* bash's */
    size_t count;
    size_t n, cap; /* entries used (deleted ones too), and room */
    struct entry *v;
    uint32_t *slots; /* entry + 1; 0 = free */
    size_t mask;
    int64_t low; /* least rank given */
    uint64_t seed;
    uint32_t *order; /* NULL: not worked out since keys changed */
};

static void elem_drop(struct wk_mem *m, struct wk_elem_value *e)
{
    if (e->text != WK_ELEM_NUMBER)
        wk_val_unref(m, e->text);
    e->text = NULL;
}

struct wk_assoc *wk_assoc_new(struct wk_mem *m, uint32_t buckets)
{
    struct wk_assoc *a = WK_NEW(m, struct wk_assoc);
    if (!a)
        return NULL;
    a->refs = 1;
    a->buckets = buckets;
    /* An address is enough: it keeps keys that collide from being prepared beforehand. */
    a->seed = (uint64_t)(uintptr_t)a * 0x9e3779b97f4a7c15u ^ m->count;
    return a;
}

uint32_t wk_assoc_buckets(const struct wk_assoc *a)
{
    return a->buckets;
}

struct wk_assoc *wk_assoc_ref(struct wk_assoc *a)
{
    a->refs++;
    return a;
}

static void forget_order(struct wk_mem *m, struct wk_assoc *a)
{
    wk_free(m, a->order);
    a->order = NULL;
}

void wk_assoc_unref(struct wk_mem *m, struct wk_assoc *a)
{
    if (!a || --a->refs)
        return;
    for (size_t i = 0; i < a->n; i++) {
        wk_val_unref(m, a->v[i].key);
        elem_drop(m, &a->v[i].e);
    }
    wk_free(m, a->v);
    wk_free(m, a->slots);
    wk_free(m, a->order);
    wk_free(m, a);
}

bool wk_assoc_own(struct wk_mem *m, struct wk_assoc **pa)
{
    struct wk_assoc *a = *pa;
    if (WK_LIKELY(a->refs == 1))
        return true;
    struct wk_assoc *c = wk_alloc(m, sizeof *c);
    if (!c)
        return false;
    *c = *a;
    c->refs = 1;
    c->order = NULL;
    c->v = NULL;
    c->slots = NULL;
    if (a->cap) {
        c->v = wk_alloc(m, a->cap * sizeof *c->v);
        c->slots = wk_alloc(m, (a->mask + 1) * sizeof *c->slots);
        if (!c->v || !c->slots) {
            wk_free(m, c->v);
            wk_free(m, c->slots);
            wk_free(m, c);
            return false;
        }
        memcpy(c->slots, a->slots, (a->mask + 1) * sizeof *c->slots);
    }
    for (size_t i = 0; i < a->n; i++) {
        struct entry *e = &c->v[i];
        *e = a->v[i];
        if (e->key)
            e->key->refs++;
        if (e->e.text && e->e.text != WK_ELEM_NUMBER)
            e->e.text->refs++;
    }
    a->refs--;
    *pa = c;
    return true;
}

size_t wk_assoc_count(const struct wk_assoc *a)
{
    return a->count;
}

static struct entry *find(const struct wk_assoc *a, struct wk_str key, uint32_t hash)
{
    if (!a->count)
        return NULL;
    for (size_t s = hash & a->mask; a->slots[s]; s = (s + 1) & a->mask) {
        struct entry *e = &a->v[a->slots[s] - 1];
        if (e->hash == hash && e->key && wk_str_eq(wk_val_str(e->key), key))
            return e;
    }
    return NULL;
}

struct wk_elem_value *wk_assoc_at(const struct wk_assoc *a, struct wk_str key)
{
    struct entry *e = find(a, key, (uint32_t)wk_hash64(a->seed, key));
    return e ? &e->e : NULL;
}

static void place(const struct wk_assoc *a, uint32_t *slots, size_t mask, size_t i)
{
    size_t s = a->v[i].hash & mask;
    while (slots[s])
        s = (s + 1) & mask;
    slots[s] = (uint32_t)i + 1;
}

/* Room for one more entry: deleted ones are dropped, then the table doubles when it is still
 * crowded. */
static bool make_room(struct wk_mem *m, struct wk_assoc *a)
{
    if (a->n < a->cap)
        return true;
    size_t cap = a->count < 8 ? 16 : a->count * 2;
    if (cap > UINT32_MAX / 2)
        return false;
    size_t mask = 1;
    while (mask < cap * 2)
        mask *= 2;
    mask--;
    uint32_t *slots = wk_calloc(m, mask + 1, sizeof *slots);
    struct entry *v = slots ? wk_calloc(m, cap, sizeof *v) : NULL;
    if (!v) {
        wk_free(m, slots);
        return false;
    }
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++)
        if (a->v[i].key)
            v[n++] = a->v[i];
    wk_free(m, a->v);
    wk_free(m, a->slots);
    a->v = v;
    a->slots = slots;
    a->n = n;
    a->cap = cap;
    a->mask = mask;
    for (size_t i = 0; i < n; i++)
        place(a, slots, mask, i);
    return true;
}

/* bash hangs each bucket's entries, taken from the front, before those of their new bucket: their
 * order is turned round. */
static void grow_buckets(struct wk_assoc *a)
{
    if (a->count < (size_t)a->buckets * BASH_CROWD || a->buckets > UINT32_MAX / BASH_GROWTH / 2)
        return;
    a->buckets *= BASH_GROWTH;
    a->low = 0;
    for (size_t i = 0; i < a->n; i++) {
        a->v[i].rank = -a->v[i].rank;
        if (a->v[i].rank < a->low)
            a->low = a->v[i].rank;
    }
}

struct wk_elem_value *wk_assoc_make(struct wk_mem *m, struct wk_assoc *a, struct wk_str key)
{
    uint32_t hash = (uint32_t)wk_hash64(a->seed, key);
    struct entry *e = find(a, key, hash);
    if (e)
        return &e->e;
    struct wk_val *k = wk_val_new(m, key);
    if (!k || !make_room(m, a)) {
        wk_val_unref(m, k);
        return NULL;
    }
    forget_order(m, a);
    grow_buckets(a);
    a->v[a->n] = (struct entry){.key = k, .fnv = wk_fnv1(key), .hash = hash, .rank = --a->low};
    place(a, a->slots, a->mask, a->n);
    a->count++;
    return &a->v[a->n++].e;
}

bool wk_assoc_set(struct wk_mem *m, struct wk_assoc *a, struct wk_str key, struct wk_str s)
{
    struct wk_elem_value *e = wk_assoc_at(a, key);
    if (e)
        return wk_elem_store(m, e, s);
    struct wk_elem_value fresh = {0};
    if (!wk_elem_store(m, &fresh, s))
        return false;
    e = wk_assoc_make(m, a, key);
    if (!e) {
        elem_drop(m, &fresh);
        return false;
    }
    *e = fresh;
    return true;
}

void wk_assoc_delete(struct wk_mem *m, struct wk_assoc *a, struct wk_str key)
{
    struct entry *e = find(a, key, (uint32_t)wk_hash64(a->seed, key));
    if (!e)
        return;
    forget_order(m, a);
    wk_val_unref(m, e->key);
    e->key = NULL;
    elem_drop(m, &e->e);
    a->count--;
}

/* ---- order -------------------------------------------------------------------------------------
 */

static int by_bucket(void *ctx, const void *pa, const void *pb)
{
    const struct wk_assoc *a = ctx;
    const struct entry *x = &a->v[*(const uint32_t *)pa], *y = &a->v[*(const uint32_t *)pb];
    uint32_t bx = x->fnv & (a->buckets - 1), by = y->fnv & (a->buckets - 1);
    if (bx != by)
        return bx < by ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

int wk_assoc_order(struct wk_mem *m, struct wk_assoc *a)
{
    if (a->order || !a->count)
        return 0;
    uint32_t *order = wk_alloc(m, a->count * sizeof *order);
    if (!order)
        return -WK_ENOMEM;
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++)
        if (a->v[i].key)
            order[n++] = (uint32_t)i;
    const struct wk_sort how = {.cmp = by_bucket, .ctx = a};
    int r = wk_sort(m, order, n, sizeof *order, &how);
    if (r) {
        wk_free(m, order);
        return r;
    }
    a->order = order;
    return 0;
}

struct wk_elem_value *wk_assoc_nth(const struct wk_assoc *a, size_t i, struct wk_str *key)
{
    struct entry *e = &a->v[a->order[i]];
    *key = wk_val_str(e->key);
    return &e->e;
}

struct wk_assoc *wk_assoc_again(struct wk_mem *m, struct wk_assoc *a)
{
    struct wk_assoc *b = wk_assoc_order(m, a) == 0 ? wk_assoc_new(m, a->buckets) : NULL;
    bool ok = b != NULL;
    for (size_t i = 0; ok && i < a->count; i++) {
        struct wk_str key;
        char scratch[24];
        struct wk_elem_value *e = wk_assoc_nth(a, i, &key);
        ok = wk_assoc_set(m, b, key, wk_elem_text(e, scratch));
    }
    if (ok)
        return b;
    wk_assoc_unref(m, b);
    return NULL;
}
