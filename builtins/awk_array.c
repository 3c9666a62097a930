/* awk_array.c - awk's arrays
 *
 * Natural numbers and other keys are kept apart. for (k in a) visits as gawk does (seen in its
 * output): the other keys bucket by bucket, the newest of each first, in a table whose sizes are
 * these; then the numbers, rising. An array whose first key was no natural number holds all keys in
 * the first way.
 *
 * Numbers below a bound lie in a row, as long as about a quarter of it is used; those above it in a
 * table. The bound rises when a key right behind it is made, or when the table would be enlarged.
 */
#include "builtins/awk.h"

#include "builtins/ptrsort.h"

enum { MOST_A_BUCKET = 2, FIRST_ROW = 16, KEPT_ROW = 256 };
static const uint32_t sizes[] = {13,      127,     1021,     8191,    16381,   32749,
                                 65497,   131101,  262147,   524309,  1048583, 2097169,
                                 4194319, 8388617, 16777259, 33554467};

struct awk_array *wk_awk_array_new(struct awk *a)
{
    struct awk_array *t = wk_new(a->c, struct awk_array);
    t->refs = 1;
    return t;
}

/* h = c + h * 65599 over the (signed) bytes, four at a time. */
static uint32_t hash_text(struct wk_str s)
{
    const uint32_t p1 = 65599, p2 = p1 * p1, p4 = p2 * p2;
    const signed char *c = (const signed char *)s.p;
    uint32_t h = 0;
    size_t i = 0;
    for (; i + 4 <= s.n; i += 4) {
        uint32_t first = (uint32_t)c[i] * p1 + (uint32_t)c[i + 1];
        uint32_t second = (uint32_t)c[i + 2] * p1 + (uint32_t)c[i + 3];
        h = h * p4 + first * p2 + second;
    }
    for (; i < s.n; i++)
        h = (uint32_t)c[i] + h * p1;
    return h;
}

static uint32_t hash_number(int64_t v)
{
    uint64_t x = (uint64_t)v * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(x >> 32);
}

/* A small natural number as it is written without ornament; -1 for other texts. */
static int64_t number_of(struct wk_str s)
{
    int64_t v = 0;
    if (!s.n || s.n > 10 || (s.p[0] == '0' && s.n > 1))
        return -1;
    for (size_t i = 0; i < s.n; i++) {
        if (!wk_is_digit(s.p[i]))
            return -1;
        v = v * 10 + (s.p[i] - '0');
    }
    return v <= INT32_MAX ? v : -1;
}

int64_t wk_awk_negative_key(struct wk_str s)
{
    if (s.n < 2 || s.n > 11 || s.p[0] != '-' || s.p[1] == '0')
        return 0;
    if (wk_str_is(s, "-2147483648"))
        return INT32_MIN;
    int64_t v = number_of(wk_str_from(s, 1));
    return v > 0 ? -v : 0;
}

/* ---- elements in tables ---- */

static struct awk_elem *take_elem(struct awk *a)
{
    struct awk_elem *e = a->spare_elem;
    if (e)
        a->spare_elem = e->next;
    else
        e = (struct awk_elem *)wk_heap_bump(a->c->heap, sizeof *e);
    return e;
}

static void give_elem(struct awk *a, struct awk_elem *e)
{
    e->next = a->spare_elem;
    a->spare_elem = e;
}

static void free_elem(struct awk *a, struct awk_elem *e)
{
    awk_drop(a, &e->v);
    if (e->key.text)
        awk_str_unref(a, e->key.text);
    give_elem(a, e);
}

static void rehash(struct awk *a, struct awk_table *t, uint32_t size)
{
    struct awk_elem **bucket = wk_new_n(a->c, struct awk_elem *, size);
    for (size_t k = 0; k < t->size; k++) {
        struct awk_elem *e = t->bucket[k], *next;
        for (; e; e = next) {
            struct awk_elem **at = &bucket[e->hash % size];
            next = e->next;
            e->next = *at;
            *at = e;
        }
    }
    wk_tick(a->c, (uint32_t)(size / 8) + 1);
    wk_heap_free(a->c->heap, (void *)t->bucket);
    t->bucket = bucket;
    t->size = size;
}

static void grow_texts(struct awk *a, struct awk_table *t)
{
    size_t i = 0;
    while (i + 1 < WK_COUNTOF(sizes) && sizes[i] <= t->size)
        i++;
    if (t->size && sizes[i] <= t->size)
        return;
    rehash(a, t, t->size ? sizes[i] : sizes[0]);
}

static struct awk_val *add_elem(struct awk *a, struct awk_array *t, struct awk_table *in,
                                struct awk_key key, uint32_t hash)
{
    struct awk_elem *e = take_elem(a), **at = &in->bucket[hash % (uint32_t)in->size];
    *e = (struct awk_elem){.hash = hash, .key = key, .next = *at};
    *at = e;
    in->n++;
    t->n++;
    return &e->v;
}

/* ---- numbers in a row ---- */

/* The bound becomes `cap`; what the table holds below it moves into the row. */
static void grow_row(struct awk *a, struct awk_array *t, size_t cap)
{
    struct awk_table *in = &t->numbers;
    if (cap > SIZE_MAX / 2 / sizeof *t->dense)
        wk_heap_exhausted(a->c->heap);
    t->dense = (struct awk_val *)wk_heap_realloc(a->c->heap, t->dense, cap * sizeof *t->dense);
    for (size_t i = t->dense_cap; i < cap; i++)
        t->dense[i] = (struct awk_val){.type = AWK_ABSENT};
    t->dense_cap = cap;
    for (size_t k = 0; in->n && k < in->size; k++) {
        for (struct awk_elem **at = &in->bucket[k], *e; (e = *at);) {
            if ((size_t)e->key.number >= cap) {
                at = &e->next;
                continue;
            }
            t->dense[e->key.number] = e->v;
            t->dense_n++;
            in->n--;
            *at = e->next;
            give_elem(a, e);
        }
    }
    wk_tick(a->c, (uint32_t)((cap + in->size) / 8) + 1);
}

/* The table is full: in a row its keys take less room, or it doubles. False: look again. */
static bool grow_numbers(struct awk *a, struct awk_array *t)
{
    struct awk_table *in = &t->numbers;
    int64_t most = 0;
    for (size_t k = 0; k < in->size; k++)
        for (struct awk_elem *e = in->bucket[k]; e; e = e->next)
            most = WK_MAX(most, e->key.number);
    size_t cap = FIRST_ROW;
    while (cap <= (size_t)most)
        cap *= 2;
    if (in->size && cap / 4 <= in->n + t->dense_n) {
        grow_row(a, t, cap);
        return false;
    }
    rehash(a, in, in->size ? (uint32_t)WK_MIN(in->size * 2, (size_t)1 << 31) : FIRST_ROW);
    return true;
}

struct awk_val *wk_awk_array_at_number(struct awk *a, struct awk_array *t, int64_t key, bool create)
{
    size_t i = (size_t)key;
    struct awk_table *in = &t->numbers;
    while (i >= t->dense_cap) {
        uint32_t hash = hash_number(key);
        for (struct awk_elem *e = in->size ? in->bucket[hash % (uint32_t)in->size] : NULL; e; e = e->next)
            if (e->key.number == key)
                return &e->v;
        if (!create)
            return NULL;
        size_t next = WK_MAX(t->dense_cap * 2, (size_t)FIRST_ROW);
        if (i < next && t->dense_n >= t->dense_cap / 4) {
            grow_row(a, t, next);
            break;
        }
        if (in->n < in->size || grow_numbers(a, t))
            return add_elem(a, t, in, (struct awk_key){.number = key}, hash);
    }
    struct awk_val *v = &t->dense[i];
    if (v->type == AWK_ABSENT) {
        if (!create)
            return NULL;
        *v = (struct awk_val){.type = AWK_UNSET};
        t->dense_n++;
        t->n++;
    }
    return v;
}

/* ---- finding ---- */

/* The same of a string, which may stay a fresh key. */
static int64_t number_of_str(const struct awk_str *s)
{
    return number_of(wk_str(s->p, s->n));
}

/* `whole`: the key as a string, NULL when there is none. */
static struct awk_val *find_text(struct awk *a, struct awk_array *t, struct wk_str key, struct awk_str *whole,
                                 bool create)
{
    struct awk_table *in = &t->texts;
    uint32_t hash = hash_text(key);
    if (in->size) {
        for (struct awk_elem *e = in->bucket[hash % (uint32_t)in->size]; e; e = e->next)
            if (e->hash == hash && wk_str_eq(awk_slice(e->key.text), key))
                return WK_UNLIKELY(t->by_name) ? wk_awk_named(a, t, e) : &e->v;
    }
    if (!create)
        return NULL;
    if (WK_UNLIKELY(t->by_name))
        wk_awk_not_named(a, t, key);
    if (!in->size || (in->n + 1) / in->size > MOST_A_BUCKET)
        grow_texts(a, in);
    /* A part of a record would keep the record. */
    struct awk_str *text = whole && !whole->of ? awk_str_ref(whole) : wk_awk_str_of(a, key.p, key.n);
    return add_elem(a, t, in, (struct awk_key){.text = text, .number = -1}, hash);
}

struct awk_val *wk_awk_array_at_text(struct awk *a, struct awk_array *t, struct wk_str key, bool create)
{
    int64_t number = number_of(key);
    wk_tick(a->c, (uint32_t)(key.n / 64) + 1);
    if (t->n == 0 && create)
        t->texts_only = number < 0 && !wk_awk_negative_key(key);
    return number >= 0 && !t->texts_only ? wk_awk_array_at_number(a, t, number, create)
                                         : find_text(a, t, key, NULL, create);
}

struct awk_val *wk_awk_array_at(struct awk *a, struct awk_array *t, struct awk_val *key, bool create)
{
    int64_t number = -1;
    wk_tick(a->c, 1);
    if (key->type == AWK_NUM && key->num >= 0 && key->num <= INT32_MAX &&
        key->num == (double)(int64_t)key->num && !key->has_str)
        number = (int64_t)key->num;
    else
        number = number_of_str(awk_to_str(a, key));
    if (t->n == 0 && create)
        t->texts_only = number < 0 && !wk_awk_negative_key(awk_slice(awk_to_str(a, key)));
    if (number >= 0 && !t->texts_only)
        return wk_awk_array_at_number(a, t, number, create);
    struct awk_str *s = awk_to_str(a, key);
    wk_tick(a->c, (uint32_t)(s->n / 64));
    return find_text(a, t, awk_slice(s), s, create);
}

/* ---- taking away ---- */

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
    wk_heap_free(a->c->heap, (void *)old.bucket);
}

static void clear_row(struct awk *a, struct awk_array *t)
{
    struct awk_val *v = t->dense;
    size_t cap = t->dense_cap, n = t->dense_n;
    t->dense = NULL;
    t->dense_cap = t->dense_n = 0;
    for (size_t i = 0; n; i++) {
        if (v[i].type == AWK_ABSENT)
            continue;
        struct awk_val old = v[i];
        v[i] = (struct awk_val){.type = AWK_ABSENT};
        awk_drop(a, &old);
        n--;
    }
    wk_tick(a->c, (uint32_t)(cap / 8) + 1);
    if (cap <= KEPT_ROW && !t->dense) { /* it will be filled again: split */
        t->dense = v;
        t->dense_cap = cap;
    } else {
        wk_heap_free(a->c->heap, v);
    }
}

void wk_awk_array_clear(struct awk *a, struct awk_array *t)
{
    t->n = 0;
    if (t->texts.size)
        clear_table(a, &t->texts);
    if (t->dense_cap)
        clear_row(a, t);
    if (t->numbers.size)
        clear_table(a, &t->numbers);
}

static void delete_from(struct awk *a, struct awk_array *t, struct awk_table *in, struct wk_str text, int64_t number)
{
    uint32_t hash = number >= 0 ? hash_number(number) : hash_text(text);
    if (!in->size)
        return;
    for (struct awk_elem **at = &in->bucket[hash % (uint32_t)in->size], *e; (e = *at); at = &e->next) {
        if (e->hash != hash || e->key.number != number ||
            (number < 0 && !wk_str_eq(awk_slice(e->key.text), text)))
            continue;
        *at = e->next;
        in->n--;
        t->n--;
        free_elem(a, e);
        return;
    }
}

void wk_awk_array_delete(struct awk *a, struct awk_array *t, struct awk_val *key)
{
    struct awk_str *text = awk_to_str(a, key);
    wk_awk_check_cleared(a, t, NULL);
    int64_t number = t->texts_only ? -1 : number_of_str(text);
    if (number >= 0 && (size_t)number < t->dense_cap) {
        struct awk_val old = t->dense[number];
        if (old.type == AWK_ABSENT)
            return;
        t->dense[number] = (struct awk_val){.type = AWK_ABSENT};
        t->dense_n--;
        t->n--;
        awk_drop(a, &old);
    } else {
        delete_from(a, t, number >= 0 ? &t->numbers : &t->texts, awk_slice(text), number);
    }
    if (t->n == 0)
        wk_awk_array_clear(a, t);
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
        wk_heap_free(a->c->heap, t->dense);
        wk_heap_free(a->c->heap, t);
    }
    a->burying = false;
}

/* ---- putting in, and listing ---- */

void wk_awk_array_set(struct awk *a, struct awk_array *t, struct awk_str *key, struct awk_val v)
{
    struct awk_val k = awk_string(key);
    struct awk_val *at = wk_awk_array_at(a, t, &k, true);
    awk_drop(a, at);
    *at = v;
}

void wk_awk_array_set_at(struct awk *a, struct awk_array *t, int64_t key, struct awk_val v)
{
    struct awk_val *at;
    if (t->n == 0)
        t->texts_only = false;
    if (t->texts_only) {
        struct awk_val k = awk_num((double)key);
        at = wk_awk_array_at(a, t, &k, true);
        if (k.has_str)
            awk_drop(a, &k);
    } else {
        at = wk_awk_array_at_number(a, t, key, true);
    }
    awk_drop(a, at);
    *at = v;
}

static int by_number(void *ctx, const void *x, const void *y)
{
    const struct awk_elem *p = (const struct awk_elem *)x, *q = (const struct awk_elem *)y;
    (void)ctx;
    return (p->key.number > q->key.number) - (p->key.number < q->key.number);
}

struct awk_key *wk_awk_array_keys(struct awk *a, struct awk_array *t)
{
    struct awk_key *v = wk_new_n(a->c, struct awk_key, t->n + 1);
    size_t n = 0, sparse = 0;
    for (size_t i = 0; i < t->texts.size; i++)
        for (struct awk_elem *e = t->texts.bucket[i]; e; e = e->next)
            v[n++] = (struct awk_key){.text = awk_str_ref(e->key.text), .number = -1};
    for (size_t i = 0, left = t->dense_n; left; i++) {
        if (t->dense[i].type == AWK_ABSENT)
            continue;
        v[n++].number = (int64_t)i;
        left--;
    }
    wk_tick(a->c, (uint32_t)((t->texts.size + t->numbers.size + t->dense_cap) / 8) + 1);
    if (!t->numbers.n)
        return v;
    struct awk_elem **list = wk_new_n(a->c, struct awk_elem *, t->numbers.n);
    for (size_t i = 0; i < t->numbers.size; i++)
        for (struct awk_elem *e = t->numbers.bucket[i]; e; e = e->next)
            list[sparse++] = e;
    if (sparse > 1)
        wk_ptr_sort(a->c, (const void **)(void *)list, sparse, by_number, NULL);
    for (size_t i = 0; i < sparse; i++)
        v[n++].number = list[i]->key.number;
    wk_heap_free(a->c->heap, (void *)list);
    return v;
}
