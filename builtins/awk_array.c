/* awk_array.c - awk's arrays
 *
 * Two tables: natural numbers, and other keys. for (k in a) visits as gawk does (seen in its
 * output): the other keys bucket by bucket, the newest of each first, in a table whose sizes are
 * these; then the numbers, rising. An array whose first key was no natural number holds all keys in
 * the first way.
 */
#include "builtins/awk.h"

#include "builtins/ptrsort.h"

enum { MOST_A_BUCKET = 2 };
static const size_t sizes[] = {13,      127,     1021,     8191,    16381,   32749,
                               65497,   131101,  262147,   524309,  1048583, 2097169,
                               4194319, 8388617, 16777259, 33554467};

struct awk_array *wk_awk_array_new(struct awk *a)
{
    struct awk_array *t = wk_new(a->c, struct awk_array);
    t->refs = 1;
    return t;
}

static uint32_t hash_text(struct wk_str s)
{
    uint32_t h = 0;
    for (size_t i = 0; i < s.n; i++)
        h = (uint32_t)(signed char)s.p[i] + h * 65599u;
    return h;
}

static uint32_t hash_number(int64_t v)
{
    uint64_t x = (uint64_t)v * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(x >> 32);
}

/* A natural number as it is written without ornament; -1 for other texts. */
static int64_t number_of(struct wk_str s)
{
    int64_t v = 0;
    if (!s.n || s.n > 15 || (s.p[0] == '0' && s.n > 1))
        return -1;
    for (size_t i = 0; i < s.n; i++) {
        if (!wk_is_digit(s.p[i]))
            return -1;
        v = v * 10 + (s.p[i] - '0');
    }
    return v;
}

static void grow_texts(struct awk *a, struct awk_table *t)
{
    size_t i = 0;
    while (i + 1 < WK_COUNTOF(sizes) && sizes[i] <= t->size)
        i++;
    if (t->size && sizes[i] <= t->size)
        return;
    size_t size = t->size ? sizes[i] : sizes[0];
    struct awk_elem **bucket = wk_new_n(a->c, struct awk_elem *, size);
    for (size_t k = 0; k < t->size; k++) {
        struct awk_elem *e = t->bucket[k], *next;
        for (; e; e = next) {
            next = e->next;
            e->next = bucket[e->hash % size];
            bucket[e->hash % size] = e;
        }
    }
    wk_tick(a->c, (uint32_t)(size / 8) + 1);
    wk_heap_free(a->c->heap, t->bucket);
    t->bucket = bucket;
    t->size = size;
}

static void grow_numbers(struct awk *a, struct awk_table *t)
{
    size_t size = t->size ? t->size * 2 : 16;
    struct awk_elem **bucket = wk_new_n(a->c, struct awk_elem *, size);
    for (size_t k = 0; k < t->size; k++) {
        struct awk_elem *e = t->bucket[k], *next;
        for (; e; e = next) {
            next = e->next;
            e->next = bucket[e->hash & (size - 1)];
            bucket[e->hash & (size - 1)] = e;
        }
    }
    wk_tick(a->c, (uint32_t)(size / 8) + 1);
    wk_heap_free(a->c->heap, t->bucket);
    t->bucket = bucket;
    t->size = size;
}

static struct awk_elem *new_elem(struct awk *a, struct awk_array *t, struct awk_table *in,
                                 int64_t number, uint32_t hash)
{
    struct awk_elem *e = (struct awk_elem *)wk_heap_alloc(a->c->heap, sizeof *e);
    *e = (struct awk_elem){.hash = hash, .number = number};
    size_t at = in == &t->numbers ? hash & (in->size - 1) : hash % in->size;
    e->next = in->bucket[at];
    in->bucket[at] = e;
    t->n++;
    return e;
}

static struct awk_elem *find_number(struct awk *a, struct awk_array *t, int64_t number, bool create)
{
    struct awk_table *in = &t->numbers;
    uint32_t hash = hash_number(number);
    if (in->size) {
        for (struct awk_elem *e = in->bucket[hash & (in->size - 1)]; e; e = e->next)
            if (e->number == number)
                return e;
    }
    if (!create)
        return NULL;
    in->n++;
    if (in->n > in->size)
        grow_numbers(a, in);
    return new_elem(a, t, in, number, hash);
}

static struct awk_elem *find_text(struct awk *a, struct awk_array *t, struct awk_str *key,
                                  bool create)
{
    struct awk_table *in = &t->texts;
    uint32_t hash = hash_text(awk_slice(key));
    if (in->size) {
        for (struct awk_elem *e = in->bucket[hash % in->size]; e; e = e->next)
            if (e->hash == hash && wk_str_eq(awk_slice(e->key), awk_slice(key)))
                return e;
    }
    if (!create)
        return NULL;
    in->n++;
    if (!in->size || in->n / in->size > MOST_A_BUCKET)
        grow_texts(a, in);
    struct awk_elem *e = new_elem(a, t, in, -1, hash);
    /* A part of a record would keep the record. */
    e->key = key->of ? wk_awk_str_new(a, key->n) : awk_str_ref(key);
    if (key->of)
        memcpy(awk_str_bytes(e->key), key->p, key->n);
    return e;
}

struct awk_val *wk_awk_array_at(struct awk *a, struct awk_array *t, struct awk_val *key,
                                bool create)
{
    int64_t number = -1;
    wk_tick(a->c, 1);
    if (key->type == AWK_NUM && key->num >= 0 && key->num < 1e15 &&
        key->num == (double)(int64_t)key->num && !key->has_str)
        number = (int64_t)key->num;
    else
        number = number_of(awk_slice(awk_to_str(a, key)));
    if (t->n == 0 && create)
        t->texts_only = number < 0;
    struct awk_elem *e = number >= 0 && !t->texts_only
                             ? find_number(a, t, number, create)
                             : find_text(a, t, awk_to_str(a, key), create);
    return e ? &e->v : NULL;
}

static void free_elem(struct awk *a, struct awk_elem *e)
{
    awk_drop(a, &e->v);
    if (e->key)
        awk_str_unref(a, e->key);
    wk_heap_free(a->c->heap, e);
}

static void clear_table(struct awk *a, struct awk_table *t)
{
    struct awk_table old = *t;
    *t = (struct awk_table){.bucket = NULL};
    for (size_t i = 0; i < old.size; i++) {
        struct awk_elem *e = old.bucket[i], *next;
        for (; e; e = next) {
            next = e->next;
            free_elem(a, e);
        }
    }
    wk_tick(a->c, (uint32_t)(old.size / 8) + 1);
    wk_heap_free(a->c->heap, old.bucket);
}

void wk_awk_array_clear(struct awk *a, struct awk_array *t)
{
    t->n = 0;
    clear_table(a, &t->texts);
    clear_table(a, &t->numbers);
}

void wk_awk_array_delete(struct awk *a, struct awk_array *t, struct awk_val *key)
{
    struct awk_str *text = awk_to_str(a, key);
    int64_t number = t->texts_only ? -1 : number_of(awk_slice(text));
    struct awk_table *in = number >= 0 ? &t->numbers : &t->texts;
    if (!in->size)
        return;
    uint32_t hash = number >= 0 ? hash_number(number) : hash_text(awk_slice(text));
    struct awk_elem **at = &in->bucket[number >= 0 ? hash & (in->size - 1) : hash % in->size];
    for (; *at; at = &(*at)->next) {
        struct awk_elem *e = *at;
        if (e->hash != hash || e->number != number ||
            (number < 0 && !wk_str_eq(awk_slice(e->key), awk_slice(text))))
            continue;
        *at = e->next;
        in->n--;
        t->n--;
        free_elem(a, e);
        if (t->n == 0)
            wk_awk_array_clear(a, t);
        return;
    }
}

void wk_awk_array_unref(struct awk *a, struct awk_array *t)
{
    if (--t->refs)
        return;
    /* Arrays in arrays are freed one after the other, however deep they lie. */
    t->next_dead = a->dead;
    a->dead = t;
    if (a->burying)
        return;
    a->burying = true;
    while (a->dead) {
        t = a->dead;
        a->dead = t->next_dead;
        wk_awk_array_clear(a, t);
        wk_heap_free(a->c->heap, t);
    }
    a->burying = false;
}

void wk_awk_array_set(struct awk *a, struct awk_array *t, struct awk_str *key, struct awk_val v)
{
    struct awk_val k = awk_string(key);
    struct awk_val *at = wk_awk_array_at(a, t, &k, true);
    awk_drop(a, at);
    *at = v;
}

void wk_awk_array_set_at(struct awk *a, struct awk_array *t, int64_t key, struct awk_val v)
{
    struct awk_val k = awk_num((double)key);
    struct awk_val *at = wk_awk_array_at(a, t, &k, true);
    awk_drop(a, at);
    *at = v;
    if (k.has_str)
        awk_drop(a, &k);
}

static int by_number(void *ctx, const void *x, const void *y)
{
    const struct awk_elem *p = (const struct awk_elem *)x, *q = (const struct awk_elem *)y;
    (void)ctx;
    return (p->number > q->number) - (p->number < q->number);
}

struct awk_elem **wk_awk_array_list(struct awk *a, struct awk_array *t)
{
    struct awk_elem **v = wk_new_n(a->c, struct awk_elem *, t->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < t->texts.size; i++)
        for (struct awk_elem *e = t->texts.bucket[i]; e; e = e->next)
            v[n++] = e;
    size_t first = n;
    for (size_t i = 0; i < t->numbers.size; i++)
        for (struct awk_elem *e = t->numbers.bucket[i]; e; e = e->next) {
            if (!e->key)
                e->key = wk_awk_num_str(a, (double)e->number, a->convfmt);
            v[n++] = e;
        }
    wk_tick(a->c, (uint32_t)((t->texts.size + t->numbers.size) / 8) + 1);
    if (n - first > 1)
        wk_ptr_sort(a->c, (const void **)(void *)(v + first), n - first, by_number, NULL);
    return v;
}
