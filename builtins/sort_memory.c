/* sort_memory.c - sort's lines in memory
 *
 * Lines are records in blocks, one behind the other; the array to sort is made when no more fit. An
 * item is a number that orders like the beginning of the line (of its first key) and the record.
 * Items go into buckets by the highest bits that differ, which are then merged; equal numbers are
 * told apart by the comparison of keys, or, where the whole line is the key, by the next eight
 * bytes, until none are left.
 */
#include "builtins/sort.h"

enum {
    FIRST_BLOCK = 8 * 1024,
    LARGEST_BLOCK = 1024 * 1024,
    LEAST_BUDGET = 256 * 1024, /* less is held without asking */
    FEW = 12,                  /* items that are sorted by insertion */
    MANY = 2048,               /* items that go into buckets first */
    BUCKET_BITS = 11
};

/* Of a line without keys; with keys a struct wk_sort_line stands in front of the text. */
struct plain {
    size_t n;
    char text[];
};

struct item {
    uint64_t lead;
    const void *record;
};

struct block {
    struct block *next;
    size_t cap, n; /* n: bytes of complete records */
    char data[];
};

struct wk_sort_chunk {
    struct wk_sorter *s;
    struct block *first, *now, *spare;
    size_t held;        /* bytes of the blocks in use */
    size_t part;        /* text bytes of the unfinished line behind now->n */
    bool open;          /* there is one */
    size_t lines, head; /* head: bytes in front of a text */
    struct item *items; /* twice `cap` of them: the second half is scratch */
    size_t cap;
    size_t buckets[1 << BUCKET_BITS]; /* where each ends: scratch */
};

size_t wk_sort_budget(const struct wk_sorter *s, size_t own)
{
    struct wk_mem *m = wk_heap_mem(s->c->heap);
    size_t used = wk_mem_used(m);
    size_t left = m->limit == SIZE_MAX ? (size_t)1 << 30 : m->limit > used ? m->limit - used : 0;
    left = left > SIZE_MAX - own ? SIZE_MAX : left + own;
    size_t budget = left / 4;
    if (s->buffer)
        budget = s->buffer < left / 2 ? (size_t)s->buffer : left / 2;
    return WK_MAX(budget, (size_t)LEAST_BUDGET);
}

struct wk_sort_chunk *wk_sort_chunk_new(struct wk_sorter *s)
{
    struct wk_sort_chunk *k = wk_new(s->c, struct wk_sort_chunk);
    k->s = s;
    k->head = s->n_keys ? sizeof(struct wk_sort_line) : sizeof(struct plain);
    return k;
}

static void free_blocks(struct wk_sort_chunk *k, struct block *b)
{
    while (b) {
        struct block *next = b->next;
        wk_heap_free(k->s->c->heap, b);
        b = next;
    }
}

void wk_sort_chunk_free(struct wk_sort_chunk *k)
{
    free_blocks(k, k->first);
    free_blocks(k, k->spare);
    wk_heap_free(k->s->c->heap, k->items);
    wk_heap_free(k->s->c->heap, k);
}

bool wk_sort_chunk_any(const struct wk_sort_chunk *k)
{
    return k->lines > 0;
}

/* ---- taking lines ---- */

static size_t item_bytes(const struct wk_sort_chunk *k)
{
    return 2 * sizeof(struct item) * (k->lines + 1);
}

/* Another block with room for the unfinished line and n bytes more. False: lines have to go first.
 */
static bool next_block(struct wk_sort_chunk *k, size_t n)
{
    struct wk_cmd *c = k->s->c;
    size_t want = k->head + k->part + n + 8, cap = k->now ? k->now->cap * 2 : FIRST_BLOCK;
    if (n > SIZE_MAX / 8 || k->part > SIZE_MAX / 8)
        wk_heap_exhausted(c->heap);
    cap = WK_MIN(cap, (size_t)LARGEST_BLOCK);
    if (cap < want)
        cap = want + want / 2;
    struct block *b;
    while ((b = k->spare) && b->cap < want) {
        k->spare = b->next;
        wk_heap_free(c->heap, b);
    }
    if (b)
        cap = b->cap;
    size_t own = k->held + item_bytes(k), after = own + cap;
    if (k->lines && after > LEAST_BUDGET && after > wk_sort_budget(k->s, own))
        return false;
    if (b)
        k->spare = b->next;
    else
        b = (struct block *)wk_heap_alloc(c->heap, sizeof *b + cap);
    *b = (struct block){.cap = cap};
    if (k->part)
        memcpy(b->data + k->head, k->now->data + k->now->n + k->head, k->part);
    if (k->now && k->now == k->first && !k->now->n) { /* held nothing but this part */
        wk_heap_free(c->heap, k->now);
        k->held = 0;
        k->first = NULL;
    } else if (k->now) {
        k->now->next = b;
    }
    if (!k->first)
        k->first = b;
    k->now = b;
    k->held += cap;
    return true;
}

static void finish_line(struct wk_sort_chunk *k)
{
    char *at = k->now->data + k->now->n;
    if (k->s->n_keys) {
        struct wk_sort_line l = {.p = at + k->head, .n = k->part};
        memcpy(at, &l, sizeof l);
    } else {
        memcpy(at, &k->part, sizeof k->part);
    }
    k->now->n += (k->head + k->part + 7) & ~(size_t)7;
    k->lines++;
    k->part = 0;
    k->open = false;
}

size_t wk_sort_chunk_take(struct wk_sort_chunk *k, const char *p, size_t n, bool *full)
{
    const char *at = p, *end = p + n;
    *full = false;
    while (at < end) {
        const char *e = (const char *)memchr(at, k->s->eol, (size_t)(end - at));
        size_t len = e ? (size_t)(e - at) : (size_t)(end - at);
        struct block *b = k->now;
        if ((!b || b->n + k->head + k->part + len + 8 > b->cap) && !next_block(k, len)) {
            *full = true;
            break;
        }
        b = k->now;
        memcpy(b->data + b->n + k->head + k->part, at, len);
        k->part += len;
        k->open = true;
        at += len + (e != NULL);
        if (e)
            finish_line(k);
    }
    return (size_t)(at - p);
}

void wk_sort_chunk_end(struct wk_sort_chunk *k)
{
    if (k->open)
        finish_line(k);
}

/* Forgets the lines; the unfinished one becomes the first. */
static void reset(struct wk_sort_chunk *k)
{
    struct block *b = k->now;
    if (!b)
        return;
    if (k->part)
        memmove(b->data + k->head, b->data + b->n + k->head, k->part);
    for (struct block **at = &k->first; *at; at = &(*at)->next)
        if (*at == b) { /* it is the last one */
            *at = k->spare;
            break;
        }
    k->spare = k->first;
    k->first = b;
    b->next = NULL;
    b->n = 0;
    k->held = b->cap;
    k->lines = 0;
}

/* ---- order ---- */

static const struct wk_sort_line *keyed_line(const struct item *x)
{
    return (const struct wk_sort_line *)x->record;
}

static int cmp_plain(const struct item *a, const struct item *b, size_t depth)
{
    const struct plain *x = (const struct plain *)a->record, *y = (const struct plain *)b->record;
    size_t n = WK_MIN(x->n, y->n);
    int r = depth < n ? memcmp(x->text + depth, y->text + depth, n - depth) : 0;
    return r ? r : (x->n > y->n) - (x->n < y->n);
}

static inline bool comes_first(const struct wk_sorter *s, const struct item *b,
                               const struct item *a, bool ties)
{
    if (b->lead != a->lead || !ties)
        return b->lead < a->lead;
    return wk_sort_cmp(s, keyed_line(b), keyed_line(a)) < 0;
}

static inline void insert_runs(struct wk_sorter *s, struct item *v, size_t n, bool ties)
{
    for (size_t at = 0; at < n; at += FEW) {
        size_t end = n - at < FEW ? n : at + FEW;
        for (size_t i = at + 1; i < end; i++) {
            struct item x = v[i];
            size_t k = i;
            for (; k > at && comes_first(s, &x, &v[k - 1], ties); k--)
                v[k] = v[k - 1];
            v[k] = x;
        }
        if (ties)
            wk_tick(s->c, 16);
    }
}

static inline void merge_two(struct wk_sorter *s, const struct item *from, struct item *to,
                             size_t at, size_t mid, size_t end, bool ties)
{
    size_t a = at, b = mid, k = at;
    if (mid >= end || !comes_first(s, &from[mid], &from[mid - 1], ties)) {
        memcpy(to + at, from + at, (end - at) * sizeof *to);
        wk_tick(s->c, (uint32_t)((end - at) / 64 & 0xffffff) + 1);
        return;
    }
    while (a < mid && b < end) {
        bool second = from[b].lead < from[a].lead; /* without a branch */
        if (ties && WK_UNLIKELY(from[b].lead == from[a].lead))
            second = wk_sort_cmp(s, keyed_line(&from[b]), keyed_line(&from[a])) < 0;
        to[k++] = from[second ? b : a];
        b += second;
        a += !second;
        if ((k & 255) == 0)
            wk_tick(s->c, 256);
    }
    memcpy(to + k, from + a, (mid - a) * sizeof *to);
    k += mid - a;
    memcpy(to + k, from + b, (end - b) * sizeof *to);
}

/* Stable; the result is in v, or in `other` when `there`. */
static inline void merge_sort(struct wk_sorter *s, struct item *v, struct item *other, size_t n,
                              bool there, bool ties)
{
    struct item *from = v, *to = other;
    insert_runs(s, v, n, ties);
    for (size_t run = FEW; run < n; run *= 2) {
        for (size_t at = 0; at < n; at += 2 * run)
            merge_two(s, from, to, at, n - at < run ? n : at + run,
                      n - at < 2 * run ? n : at + 2 * run, ties);
        struct item *swap = from;
        from = to;
        to = swap;
    }
    if ((from == other) != there)
        memcpy(to, from, n * sizeof *v);
}

/* Sorts v by the leads (and by the keys, with `ties`), stably, with as much scratch. */
static inline void sort_leads(struct wk_sort_chunk *c, struct item *v, struct item *scratch,
                              size_t n, bool ties)
{
    struct wk_sorter *s = c->s;
    size_t *ends = c->buckets;
    uint64_t differ = 0;
    for (size_t i = 0; i < n; i++)
        differ |= v[i].lead ^ v[0].lead;
    wk_tick(s->c, (uint32_t)(n / 64 & 0xffffff) + 1);
    if (n < MANY || !differ) {
        if (differ || ties)
            merge_sort(s, v, scratch, n, false, ties);
        return;
    }
    int top = 64 - __builtin_clzll(differ), shift = top > BUCKET_BITS ? top - BUCKET_BITS : 0;
    const size_t mask = (1u << BUCKET_BITS) - 1;
    memset(ends, 0, sizeof c->buckets);
    for (size_t i = 0; i < n; i++)
        ends[(v[i].lead >> shift) & mask]++;
    size_t at = 0;
    for (size_t b = 0; b <= mask; b++) {
        size_t count = ends[b];
        ends[b] = at;
        at += count;
    }
    for (size_t i = 0; i < n; i++)
        scratch[ends[(v[i].lead >> shift) & mask]++] = v[i];
    wk_tick(s->c, (uint32_t)(n / 16 & 0xffffff) + 1);
    for (size_t b = 0, from = 0; b <= mask; from = ends[b++])
        if (ends[b] > from)
            merge_sort(s, scratch + from, v + from, ends[b] - from, true, ties);
}

/* ---- whole lines ---- */

/* Eight bytes of the text from `depth`. */
static uint64_t lead_at(const struct plain *r, size_t depth)
{
    uint64_t v = 0;
    if (r->n >= depth + 8) {
        memcpy(&v, r->text + depth, 8);
        return __builtin_bswap64(v);
    }
    for (size_t i = depth; i < r->n; i++)
        v |= (uint64_t)(unsigned char)r->text[i] << (56 - 8 * (i - depth));
    return v;
}

struct range {
    size_t at, n, depth;
};

struct ranges {
    struct range *v;
    size_t n, cap;
};

static void push(struct wk_cmd *c, struct ranges *r, struct range x)
{
    if (r->n == r->cap) {
        r->cap = r->cap ? r->cap * 2 : 64;
        r->v = (struct range *)wk_heap_realloc(c->heap, r->v, r->cap * sizeof *r->v);
    }
    r->v[r->n++] = x;
}

static void insert_plain(struct wk_sorter *s, struct item *v, size_t n, size_t depth)
{
    for (size_t i = 1; i < n; i++) {
        struct item x = v[i];
        size_t k = i;
        for (; k > 0 && cmp_plain(&x, &v[k - 1], depth) < 0; k--)
            v[k] = v[k - 1];
        v[k] = x;
        size_t bytes = ((const struct plain *)x.record)->n;
        wk_tick(s->c, (uint32_t)((i - k) * (bytes / 64) & 0xffffff) + 1);
    }
}

/* Lines with equal leads: those that end within them go to the front by length, the others are told
 * apart by their next bytes. */
static void split_group(struct wk_sorter *s, struct item *v, struct item *scratch, struct range g,
                        struct ranges *todo)
{
    size_t counts[10] = {0}, at[10], k = 0;
    const size_t end = g.depth + 8;
#define PLACE(x)                                 \
    (((const struct plain *)(x).record)->n > end \
         ? 9                                     \
         : ((const struct plain *)(x).record)->n - g.depth)
    for (size_t i = 0; i < g.n; i++)
        counts[PLACE(v[i])]++;
    for (size_t i = 0; i < 10; k += counts[i++])
        at[i] = k;
    if (counts[9] < g.n && counts[PLACE(v[0])] < g.n) {
        memcpy(scratch, v, g.n * sizeof *v);
        for (size_t i = 0; i < g.n; i++)
            v[at[PLACE(scratch[i])]++] = scratch[i];
    }
#undef PLACE
    size_t rest = counts[9], from = g.n - rest;
    for (size_t i = from; i < g.n; i++)
        v[i].lead = lead_at((const struct plain *)v[i].record, end);
    wk_tick(s->c, (uint32_t)(g.n / 16 & 0xffffff) + 1);
    if (rest > 1)
        push(s->c, todo, (struct range){g.at + from, rest, end});
}

static void sort_plain(struct wk_sort_chunk *c, struct item *v, struct item *scratch, size_t n)
{
    struct wk_sorter *s = c->s;
    struct ranges todo = {0};
    push(s->c, &todo, (struct range){0, n, 0});
    while (todo.n) {
        struct range r = todo.v[--todo.n];
        struct item *x = v + r.at;
        if (r.n <= FEW) {
            insert_plain(s, x, r.n, r.depth);
            continue;
        }
        sort_leads(c, x, scratch, r.n, false);
        for (size_t i = 0, e; i < r.n; i = e) {
            for (e = i + 1; e < r.n && x[e].lead == x[i].lead; e++)
                ;
            if (e - i == 1)
                continue;
            if (e - i <= FEW)
                insert_plain(s, x + i, e - i, r.depth);
            else
                split_group(s, x + i, scratch, (struct range){r.at + i, e - i, r.depth}, &todo);
        }
        wk_tick(s->c, (uint32_t)(r.n / 64 & 0xffffff) + 1);
    }
    wk_heap_free(s->c->heap, todo.v);
}

/* ---- writing ---- */

static void make_items(struct wk_sort_chunk *k)
{
    struct wk_sorter *s = k->s;
    size_t i = 0;
    if (k->cap < k->lines) {
        wk_heap_free(s->c->heap, k->items);
        k->items = NULL;
        if (k->lines > SIZE_MAX / 4 / sizeof *k->items)
            wk_heap_exhausted(s->c->heap);
        k->items = (struct item *)wk_heap_alloc(s->c->heap, 2 * k->lines * sizeof *k->items);
        k->cap = k->lines;
    }
    for (struct block *b = k->first; b; b = b->next) {
        for (size_t at = 0; at < b->n;) {
            void *record = b->data + at;
            size_t n;
            if (s->n_keys) {
                struct wk_sort_line *l = (struct wk_sort_line *)record;
                n = l->n;
                k->items[i++] = (struct item){wk_sort_prepare(s, l), l};
            } else {
                struct plain *l = (struct plain *)record;
                n = l->n;
                k->items[i++] = (struct item){lead_at(l, 0), l};
            }
            at += (k->head + n + 7) & ~(size_t)7;
            wk_tick(s->c, (uint32_t)(n / 64 & 0xffffff) + 1);
        }
    }
}

void wk_sort_chunk_write(struct wk_sort_chunk *k, struct wk_out *out, bool debug)
{
    struct wk_sorter *s = k->s;
    size_t n = k->lines;
    make_items(k);
    if (s->n_keys)
        sort_leads(k, k->items, k->items + k->cap, n, true);
    else
        sort_plain(k, k->items, k->items + k->cap, n);
    const struct item *last = NULL;
    for (size_t i = 0; i < n; i++) {
        /* Whole lines that are equal are the same: the reverse order is read from the end. */
        const struct item *x = &k->items[!s->n_keys && s->reverse ? n - 1 - i : i];
        struct wk_sort_line line;
        if (s->unique && last &&
            (s->n_keys
                 ? last->lead == x->lead && wk_sort_cmp(s, keyed_line(last), keyed_line(x)) == 0
                 : cmp_plain(last, x, 0) == 0))
            continue;
        last = x;
        if (s->n_keys)
            line = *keyed_line(x);
        else
            line = (struct wk_sort_line){.p = ((const struct plain *)x->record)->text,
                                         .n = ((const struct plain *)x->record)->n};
        wk_sort_put(s, out, &line, debug);
        wk_tick(s->c, 1);
    }
    reset(k);
}
