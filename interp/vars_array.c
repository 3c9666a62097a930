/* vars_array.c - indexed arrays: a vector while dense, sorted blocks of pairs when sparse */
#include "interp/vars_array.h"

#include "base/num.h"

enum { BLOCK_PAIRS = 128, DENSE_SLACK = 256 };

struct pair {
    int64_t index;
    struct wk_elem_value e;
};

/* A run of pairs in order of index; never empty. */
struct block {
    uint32_t n;
    struct pair v[BLOCK_PAIRS];
};

struct wk_array {
    uint32_t refs;
    bool sparse;
    size_t count;
    size_t n; /* dense: greatest index + 1; sparse: number of blocks */
    size_t cap;
    union {
        struct wk_elem_value *v; /* entries at and above n are not initialised */
        struct block **blocks;
    };
};

/* ---- elements ---------------------------------------------------------------------------------
 */

struct wk_str wk_elem_text(const struct wk_elem_value *e, char *scratch)
{
    if (e->text != WK_ELEM_NUMBER)
        return wk_val_str(e->text);
    char digits[WK_NUM_MAX];
    size_t n = wk_fmt_i64(digits, e->ival);
    memcpy(scratch, digits, n);
    scratch[n] = '\0';
    return wk_str(scratch, n);
}

static void elem_drop(struct wk_mem *m, struct wk_elem_value *e)
{
    if (e->text != WK_ELEM_NUMBER)
        wk_val_unref(m, e->text);
    e->text = NULL;
}

static struct wk_elem_value elem_share(const struct wk_elem_value *e)
{
    if (e->text && e->text != WK_ELEM_NUMBER)
        e->text->refs++;
    return *e;
}

bool wk_elem_store(struct wk_mem *m, struct wk_elem_value *e, struct wk_str s)
{
    struct wk_val *v = wk_val_store(m, e->text == WK_ELEM_NUMBER ? NULL : e->text, s);
    if (!v)
        return false;
    e->text = v;
    return true;
}

bool wk_elem_append(struct wk_mem *m, struct wk_elem_value *e, struct wk_str s)
{
    if (!e->text)
        return wk_elem_store(m, e, s);
    if (e->text == WK_ELEM_NUMBER) {
        char scratch[24];
        struct wk_elem_value t = {0};
        if (!wk_elem_store(m, &t, wk_elem_text(e, scratch)))
            return false;
        *e = t;
    }
    return wk_val_append(m, &e->text, s);
}

void wk_elem_store_int(struct wk_mem *m, struct wk_elem_value *e, int64_t v)
{
    elem_drop(m, e);
    e->text = WK_ELEM_NUMBER;
    e->ival = v;
}

/* ---- life -------------------------------------------------------------------------------------
 */

struct wk_array *wk_array_new(struct wk_mem *m)
{
    struct wk_array *a = WK_NEW(m, struct wk_array);
    if (a)
        a->refs = 1;
    return a;
}

struct wk_array *wk_array_ref(struct wk_array *a)
{
    a->refs++;
    return a;
}

static void drop_blocks(struct wk_mem *m, struct block **blocks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < blocks[i]->n; j++)
            elem_drop(m, &blocks[i]->v[j].e);
        wk_free(m, blocks[i]);
    }
    wk_free(m, blocks);
}

void wk_array_unref(struct wk_mem *m, struct wk_array *a)
{
    if (!a || --a->refs)
        return;
    if (a->sparse) {
        drop_blocks(m, a->blocks, a->n);
    } else {
        for (size_t i = 0; i < a->n; i++)
            elem_drop(m, &a->v[i]);
        wk_free(m, a->v);
    }
    wk_free(m, a);
}

static struct block **copy_blocks(struct wk_mem *m, const struct wk_array *a)
{
    struct block **blocks = wk_calloc(m, a->n ? a->n : 1, sizeof *blocks);
    for (size_t i = 0; blocks && i < a->n; i++) {
        struct block *b = wk_alloc(m, sizeof *b);
        if (!b) {
            drop_blocks(m, blocks, i);
            return NULL;
        }
        b->n = a->blocks[i]->n;
        for (uint32_t j = 0; j < b->n; j++) {
            b->v[j].index = a->blocks[i]->v[j].index;
            b->v[j].e = elem_share(&a->blocks[i]->v[j].e);
        }
        blocks[i] = b;
    }
    return blocks;
}

bool wk_array_own(struct wk_mem *m, struct wk_array **pa)
{
    struct wk_array *a = *pa;
    if (WK_LIKELY(a->refs == 1))
        return true;
    struct wk_array *c = wk_alloc(m, sizeof *c);
    if (!c)
        return false;
    *c = *a;
    c->refs = 1;
    c->cap = a->n ? a->n : 1;
    if (a->sparse) {
        c->blocks = copy_blocks(m, a);
    } else {
        c->v = wk_calloc(m, c->cap, sizeof *c->v);
        for (size_t i = 0; c->v && i < a->n; i++)
            c->v[i] = elem_share(&a->v[i]);
    }
    if (a->sparse ? !c->blocks : !c->v) {
        wk_free(m, c);
        return false;
    }
    a->refs--;
    *pa = c;
    return true;
}

size_t wk_array_count(const struct wk_array *a)
{
    return a->count;
}

int64_t wk_array_max(const struct wk_array *a)
{
    if (!a->sparse)
        return (int64_t)a->n - 1;
    if (!a->n)
        return -1;
    const struct block *b = a->blocks[a->n - 1];
    return b->v[b->n - 1].index;
}

/* ---- finding -----------------------------------------------------------------------------------
 */

/* Number of the last block that begins at or before index (0 when none does), and the place in it
 * of the first pair at or after index. */
static size_t find_block(const struct wk_array *a, int64_t index, uint32_t *at)
{
    size_t lo = 0, hi = a->n;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (a->blocks[mid]->v[0].index <= index)
            lo = mid;
        else
            hi = mid;
    }
    const struct block *b = a->blocks[lo];
    uint32_t l = 0, h = b->n;
    while (l < h) {
        uint32_t mid = (l + h) / 2;
        if (b->v[mid].index < index)
            l = mid + 1;
        else
            h = mid;
    }
    *at = l;
    return lo;
}

struct wk_elem_value *wk_array_at(const struct wk_array *a, int64_t index)
{
    if (index < 0)
        return NULL;
    if (!a->sparse) {
        if ((uint64_t)index >= a->n || !a->v[index].text)
            return NULL;
        return &a->v[index];
    }
    if (!a->n)
        return NULL;
    uint32_t at;
    struct block *b = a->blocks[find_block(a, index, &at)];
    return at < b->n && b->v[at].index == index ? &b->v[at].e : NULL;
}

bool wk_array_next(const struct wk_array *a, int64_t from, int64_t *index, struct wk_elem_value **e)
{
    if (!a->sparse) {
        for (size_t i = (size_t)from; i < a->n; i++) {
            if (a->v[i].text) {
                *index = (int64_t)i;
                *e = &a->v[i];
                return true;
            }
        }
        return false;
    }
    if (!a->n)
        return false;
    uint32_t at;
    size_t i = find_block(a, from, &at);
    if (at == a->blocks[i]->n) {
        if (++i == a->n)
            return false;
        at = 0;
    }
    *index = a->blocks[i]->v[at].index;
    *e = &a->blocks[i]->v[at].e;
    return true;
}

/* ---- changing -----------------------------------------------------------------------------------
 */

static bool room_for_block(struct wk_mem *m, struct wk_array *a)
{
    if (a->n < a->cap)
        return true;
    size_t cap = a->cap < 8 ? 8 : a->cap * 2;
    struct block **b = wk_realloc(m, a->blocks, cap * sizeof *b);
    if (!b)
        return false;
    a->blocks = b;
    a->cap = cap;
    return true;
}

static void insert_block(struct wk_array *a, size_t at, struct block *b)
{
    memmove(&a->blocks[at + 1], &a->blocks[at], (a->n - at) * sizeof *a->blocks);
    a->blocks[at] = b;
    a->n++;
}

/* A pair is put before place `at` of block i, which is split when full. */
static struct wk_elem_value *insert_pair(struct wk_mem *m, struct wk_array *a, size_t i,
                                         uint32_t at, int64_t index)
{
    struct block *b = a->n ? a->blocks[i] : NULL;
    if (!b || b->n == BLOCK_PAIRS) {
        if (!room_for_block(m, a))
            return NULL;
        struct block *fresh = wk_alloc(m, sizeof *fresh);
        if (!fresh)
            return NULL;
        fresh->n = 0;
        if (b) {
            /* At the end a full block stays full: rising indices fill the blocks. */
            uint32_t keep = at == BLOCK_PAIRS ? BLOCK_PAIRS : BLOCK_PAIRS / 2;
            fresh->n = b->n - keep;
            memcpy(fresh->v, &b->v[keep], fresh->n * sizeof *fresh->v);
            b->n = keep;
            insert_block(a, i + 1, fresh);
            if (at > keep || at == BLOCK_PAIRS) {
                b = fresh;
                at -= keep;
            }
        } else {
            insert_block(a, 0, fresh);
            b = fresh;
        }
    }
    memmove(&b->v[at + 1], &b->v[at], (b->n - at) * sizeof *b->v);
    b->n++;
    b->v[at] = (struct pair){.index = index};
    a->count++;
    return &b->v[at].e;
}

/* From a vector to blocks. */
static bool make_sparse(struct wk_mem *m, struct wk_array *a)
{
    struct wk_array s = {.refs = a->refs, .sparse = true};
    for (size_t i = 0; i < a->n; i++) {
        if (!a->v[i].text)
            continue;
        size_t last = s.n ? s.n - 1 : 0;
        struct wk_elem_value *e = insert_pair(m, &s, last, s.n ? s.blocks[last]->n : 0, (int64_t)i);
        if (!e) {
            for (size_t j = 0; j < s.n; j++)
                wk_free(m, s.blocks[j]);
            wk_free(m, s.blocks);
            return false;
        }
        *e = a->v[i];
    }
    wk_free(m, a->v);
    *a = s;
    return true;
}

static struct wk_elem_value *make_dense(struct wk_mem *m, struct wk_array *a, size_t i)
{
    if (i >= a->cap) {
        size_t cap = a->cap < 8 ? 8 : a->cap + a->cap / 2;
        cap = i + 1 > cap ? i + 1 : cap;
        struct wk_elem_value *v = wk_realloc(m, a->v, cap * sizeof *v);
        if (!v)
            return NULL;
        a->v = v;
        a->cap = cap;
    }
    if (i >= a->n) {
        memset(&a->v[a->n], 0, (i + 1 - a->n) * sizeof *a->v);
        a->n = i + 1;
    }
    a->count++;
    return &a->v[i];
}

struct wk_elem_value *wk_array_make(struct wk_mem *m, struct wk_array *a, int64_t index)
{
    struct wk_elem_value *e = wk_array_at(a, index);
    if (e)
        return e;
    if (!a->sparse) {
        if ((uint64_t)index < a->n || (uint64_t)index <= 2 * (uint64_t)a->count + DENSE_SLACK)
            return make_dense(m, a, (size_t)index);
        if (!make_sparse(m, a))
            return NULL;
    }
    uint32_t at = 0;
    size_t i = a->n ? find_block(a, index, &at) : 0;
    return insert_pair(m, a, i, at, index);
}

bool wk_array_set(struct wk_mem *m, struct wk_array *a, int64_t index, struct wk_str s)
{
    struct wk_elem_value *e = wk_array_at(a, index);
    if (e)
        return wk_elem_store(m, e, s);
    struct wk_elem_value fresh = {0};
    if (!wk_elem_store(m, &fresh, s))
        return false;
    e = wk_array_make(m, a, index);
    if (!e) {
        elem_drop(m, &fresh);
        return false;
    }
    *e = fresh;
    return true;
}

void wk_array_delete(struct wk_mem *m, struct wk_array *a, int64_t index)
{
    struct wk_elem_value *e = wk_array_at(a, index);
    if (!e)
        return;
    elem_drop(m, e);
    a->count--;
    if (!a->sparse) {
        while (a->n && !a->v[a->n - 1].text)
            a->n--;
        return;
    }
    uint32_t at;
    size_t i = find_block(a, index, &at);
    struct block *b = a->blocks[i];
    memmove(&b->v[at], &b->v[at + 1], (b->n - at - 1) * sizeof *b->v);
    if (--b->n)
        return;
    wk_free(m, b);
    memmove(&a->blocks[i], &a->blocks[i + 1], (a->n - i - 1) * sizeof *a->blocks);
    a->n--;
}
