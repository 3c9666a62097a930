/* sort_memory.c - sort's lines in memory
 *
 * Lines are records in blocks, one behind the other; the array to sort is made when no more fit. An
 * item is a number that orders like the beginning of the present key, and the record. Items go into
 * buckets by the highest bits of it that differ, which are then merged. Items with equal numbers
 * are told apart by the next eight bytes of the key (or, where the key is no plain text, have been
 * by the comparison of keys); those with equal keys by the next key, in the end by the whole line.
 * So each key of a line is looked for once.
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
    void *record;
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

static struct wk_sort_line *keyed_line(const struct item *x)
{
    return (struct wk_sort_line *)x->record;
}

/* The text of a key whose place is known; key n_keys is the whole line. */
static inline struct wk_str text_of(const struct wk_sorter *s, const struct item *x, size_t key)
{
    const struct plain *r = (const struct plain *)x->record;
    if (!s->n_keys)
        return wk_str(r->text, r->n);
    const struct wk_sort_line *l = keyed_line(x);
    return key < s->n_keys ? wk_str(l->key, l->key_n) : wk_str(l->p, l->n);
}

/* Order by the keys from this one on. */
static int cmp_from(const struct wk_sorter *s, size_t key, const struct item *a,
                    const struct item *b)
{
    if (s->n_keys)
        return wk_sort_cmp_from(s, key, keyed_line(a), keyed_line(b));
    int r = wk_str_cmp(text_of(s, a, 0), text_of(s, b, 0));
    return s->reverse ? -r : r;
}

/* What equal leads say of a key: nothing more than they are (EXACT), or ask the key. */
enum { EXACT = -1 };

static inline bool comes_first(const struct wk_sorter *s, const struct item *b,
                               const struct item *a, ptrdiff_t ties)
{
    if (b->lead != a->lead || ties == EXACT)
        return b->lead < a->lead;
    return wk_sort_cmp_key(s, (size_t)ties, text_of(s, b, (size_t)ties),
                           text_of(s, a, (size_t)ties)) < 0;
}

static inline void insert_runs(struct wk_sorter *s, struct item *v, size_t n, ptrdiff_t ties)
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
        wk_tick(s->c, ties == EXACT ? 1 : 16);
    }
}

static inline void merge_two(struct wk_sorter *s, const struct item *from, struct item *to,
                             size_t at, size_t mid, size_t end, ptrdiff_t ties)
{
    size_t a = at, b = mid, k = at;
    if (mid >= end || !comes_first(s, &from[mid], &from[mid - 1], ties)) {
        memcpy(to + at, from + at, (end - at) * sizeof *to);
        wk_tick(s->c, (uint32_t)((end - at) / 64 & 0xffffff) + 1);
        return;
    }
    while (a < mid && b < end) {
        bool second = from[b].lead < from[a].lead; /* without a branch */
        if (ties != EXACT && WK_UNLIKELY(from[b].lead == from[a].lead))
            second = comes_first(s, &from[b], &from[a], ties);
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
                              bool there, ptrdiff_t ties)
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

/* Sorts v by the leads (and by the key `ties`), stably, with as much scratch. */
static inline void sort_leads(struct wk_sort_chunk *c, struct item *v, struct item *scratch,
                              size_t n, ptrdiff_t ties)
{
    struct wk_sorter *s = c->s;
    size_t *ends = c->buckets;
    uint64_t differ = 0;
    for (size_t i = 0; i < n; i++)
        differ |= v[i].lead ^ v[0].lead;
    wk_tick(s->c, (uint32_t)(n / 64 & 0xffffff) + 1);
    if (n < MANY || !differ) {
        if (differ || ties != EXACT)
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

/* ---- keys ---- */

/* Whether a key is compared as plain bytes, perhaps as capitals. */
static bool is_bytes(const struct wk_sorter *s, size_t key)
{
    if (key >= s->n_keys)
        return true;
    const struct wk_sort_key *k = &s->keys[key];
    return k->kind == WK_SORT_TEXT && !k->dictionary && !k->printing;
}

static bool is_reverse(const struct wk_sorter *s, size_t key)
{
    return key < s->n_keys ? s->keys[key].reverse : s->reverse;
}

/* Eight bytes of a text from `depth`. */
static inline uint64_t lead_at(struct wk_str t, size_t depth, bool fold)
{
    uint64_t v = 0;
    if (t.n >= depth + 8 && !fold) {
        memcpy(&v, t.p + depth, 8);
        return __builtin_bswap64(v);
    }
    for (size_t i = depth; i < t.n && i < depth + 8; i++) {
        unsigned char ch = (unsigned char)t.p[i];
        v |= (uint64_t)(unsigned char)(fold ? wk_to_upper(ch) : ch) << (56 - 8 * (i - depth));
    }
    return v;
}

struct range {
    size_t at, n, key, depth;
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

static void set_leads(struct wk_sorter *s, struct item *v, size_t n, size_t key, size_t depth)
{
    bool fold = key < s->n_keys && s->keys[key].fold;
    uint64_t flip = is_reverse(s, key) ? UINT64_MAX : 0;
    for (size_t i = 0; i < n; i++)
        v[i].lead = lead_at(text_of(s, &v[i], key), depth, fold) ^ flip;
    wk_tick(s->c, (uint32_t)(n / 16 & 0xffffff) + 1);
}

/* Finds a further key in the lines. */
static void enter_key(struct wk_sorter *s, struct item *v, size_t n, size_t key)
{
    for (size_t i = 0; i < n && key > 0 && key < s->n_keys; i++) {
        struct wk_sort_line *l = keyed_line(&v[i]);
        struct wk_str t = wk_sort_find_key(s, &s->keys[key], l);
        l->key = t.p;
        l->key_n = t.n;
        if (!is_bytes(s, key))
            v[i].lead = wk_sort_lead(s, key, t);
        wk_tick(s->c, (uint32_t)(l->n / 64 & 0xffffff) + 1);
    }
    if (key > 0 && is_bytes(s, key))
        set_leads(s, v, n, key, 0);
}

/* A few items by all that is left to compare. */
static void insert_few(struct wk_sorter *s, struct item *v, size_t n, size_t key)
{
    for (size_t i = 1; i < n; i++) {
        struct item x = v[i];
        size_t k = i;
        for (; k > 0 && cmp_from(s, key, &x, &v[k - 1]) < 0; k--)
            v[k] = v[k - 1];
        v[k] = x;
        wk_tick(s->c, (uint32_t)((i - k) * (text_of(s, &x, key).n / 64) & 0xffffff) + 1);
    }
}

/* Items whose keys are equal. */
static void next_key(struct wk_sorter *s, struct item *v, struct range g, struct ranges *todo)
{
    size_t key = g.key + 1;
    if (g.n < 2 || key > s->n_keys || (key == s->n_keys && (s->unique || s->stable)))
        return;
    if (g.n <= FEW) {
        enter_key(s, v, g.n, key);
        insert_few(s, v, g.n, key);
    } else {
        push(s->c, todo, (struct range){g.at, g.n, key, 0});
    }
}

/* Where a text ends in the eight bytes of a lead, 9: behind them. */
static inline size_t end_of(const struct wk_sorter *s, const struct item *x, const struct range *g)
{
    size_t n = text_of(s, x, g->key).n;
    return n > g->depth + 8 ? 9 : n - g->depth;
}

/* Texts with equal leads: those that end within them go by length, the others are told apart by
 * their next bytes. */
static void split_group(struct wk_sorter *s, struct item *v, struct item *scratch, struct range g,
                        struct ranges *todo)
{
    size_t counts[10] = {0}, at[10], from[10], k = 0;
    bool reverse = is_reverse(s, g.key);
    for (size_t i = 0; i < g.n; i++)
        counts[end_of(s, &v[i], &g)]++;
    for (size_t i = 0; i < 10; i++) {
        size_t place = reverse ? 9 - i : i;
        from[place] = at[place] = k;
        k += counts[place];
    }
    if (counts[end_of(s, &v[0], &g)] < g.n) {
        memcpy(scratch, v, g.n * sizeof *v);
        for (size_t i = 0; i < g.n; i++)
            v[at[end_of(s, &scratch[i], &g)]++] = scratch[i];
    }
    wk_tick(s->c, (uint32_t)(g.n / 16 & 0xffffff) + 1);
    for (size_t i = 0; i < 9; i++)
        next_key(s, v + from[i], (struct range){g.at + from[i], counts[i], g.key, 0}, todo);
    if (counts[9] > 1) {
        set_leads(s, v + from[9], counts[9], g.key, g.depth + 8);
        push(s->c, todo, (struct range){g.at + from[9], counts[9], g.key, g.depth + 8});
    }
}

/* After sorting by the leads: where several are equal, on with what tells them apart. */
static void refine(struct wk_sorter *s, struct item *v, struct item *scratch, struct range r,
                   struct ranges *todo)
{
    bool bytes = is_bytes(s, r.key);
    for (size_t i = 0, e; i < r.n; i = e) {
        e = i + 1;
        while (e < r.n && v[e].lead == v[i].lead &&
               (bytes ||
                wk_sort_cmp_key(s, r.key, text_of(s, &v[i], r.key), text_of(s, &v[e], r.key)) == 0))
            e++;
        struct range g = {r.at + i, e - i, r.key, r.depth};
        if (g.n == 1)
            continue;
        if (!bytes)
            next_key(s, v + i, g, todo);
        else if (g.n <= FEW)
            insert_few(s, v + i, g.n, g.key);
        else
            split_group(s, v + i, scratch, g, todo);
    }
    wk_tick(s->c, (uint32_t)(r.n / 64 & 0xffffff) + 1);
}

static void sort_items(struct wk_sort_chunk *c, struct item *v, struct item *scratch, size_t n)
{
    struct wk_sorter *s = c->s;
    struct ranges todo = {0};
    push(s->c, &todo, (struct range){0, n, 0, 0});
    if (is_bytes(s, 0))
        set_leads(s, v, n, 0, 0);
    while (todo.n) {
        struct range r = todo.v[--todo.n];
        struct item *x = v + r.at;
        if (r.depth == 0)
            enter_key(s, x, r.n, r.key);
        if (r.n <= FEW) {
            insert_few(s, x, r.n, r.key);
            continue;
        }
        if (is_bytes(s, r.key))
            sort_leads(c, x, scratch, r.n, EXACT);
        else
            sort_leads(c, x, scratch, r.n, (ptrdiff_t)r.key);
        refine(s, x, scratch, r, &todo);
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
                k->items[i++] = (struct item){0, l};
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
    if (n)
        sort_items(k, k->items, k->items + k->cap, n);
    const struct item *last = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct item *x = &k->items[i];
        struct wk_sort_line line = {.p = text_of(s, x, s->n_keys).p,
                                    .n = text_of(s, x, s->n_keys).n};
        if (s->unique && s->n_keys)
            (void)wk_sort_prepare(s, keyed_line(x)); /* the first key again */
        if (s->unique && last && cmp_from(s, 0, last, x) == 0)
            continue;
        last = x;
        wk_sort_put(s, out, &line, debug);
        wk_tick(s->c, 1);
    }
    reset(k);
}
