/* re_rows.c - from which places of the program the end of a match can be reached, before each of its characters
 *
 * Such a set of places is a row. It follows from the row behind the character, the character's class and, where
 * there are assertions, from what stands before it: so this is an automaton that runs backward, whose states are
 * made when first needed. What is past the cache's size becomes a row of its own, and the cache is emptied before
 * the next match.
 */
#include "text/re/re_rows.h"

enum { FIRST_ROWS = 16, LEAST_ROWS = 24, SLICE = 65536 };
#define UNKNOWN UINT32_MAX

struct wk_re_rows {
    const struct wk_re_prog *p;
    size_t words;     /* of a row */
    size_t sides;     /* that are told apart before a character */
    size_t stride;    /* of `trans`: classes * sides */
    uint64_t *bits;   /* [row * words] */
    size_t n, cap;    /* rows; words allocated */
    uint32_t *trans;  /* [row * stride + class * sides + side], of the rows below `most` */
    size_t trans_cap; /* rows */
    size_t most;      /* rows that are found again */
    uint32_t *table;  /* hash -> row + 1 */
    size_t table_cap;
    uint32_t first[2][WK_RE_SIDE_COUNT][WK_RE_SIDE_COUNT]; /* row + 1 at the end, by `bare` and the sides */
    uint32_t *stack;
};

static struct wk_re_rows *rows_new(struct wk_re *re)
{
    const struct wk_re_prog *p = re->prog;
    struct wk_re_rows *r = WK_NEW(re->mem, struct wk_re_rows);
    if (!r)
        return NULL;
    r->p = p;
    r->words = (p->n + 63) / 64;
    r->sides = p->has_assert ? WK_RE_SIDE_COUNT : 1;
    r->stride = p->classes * r->sides;
    r->most = WK_MAX(re->cache_bytes / (r->stride * sizeof *r->trans + r->words * sizeof *r->bits),
                     (size_t)LEAST_ROWS);
    r->stack = wk_calloc(re->mem, (size_t)p->n + 1, sizeof *r->stack);
    if (!r->stack) {
        wk_free(re->mem, r);
        return NULL;
    }
    return r;
}

void wk_re_rows_free(struct wk_re *re, struct wk_re_rows *r)
{
    if (!r)
        return;
    wk_free(re->mem, r->bits);
    wk_free(re->mem, r->trans);
    wk_free(re->mem, r->table);
    wk_free(re->mem, r->stack);
    wk_free(re->mem, r);
}

static const uint64_t *row_at(const struct wk_re_rows *r, size_t row)
{
    return r->bits + row * r->words;
}

const uint64_t *wk_re_row(const struct wk_re_rows *r, uint32_t row)
{
    return row_at(r, row < r->n ? row : 0);
}

/* ---- making rows ---- */

static void forget(struct wk_re_rows *r)
{
    r->n = 0;
    if (r->table)
        memset(r->table, 0, r->table_cap * sizeof *r->table);
    memset(r->first, 0, sizeof r->first);
}

static uint32_t hash_row(const uint64_t *row, size_t words)
{
    uint64_t h = 0x9e3779b97f4a7c15ull;
    for (size_t i = 0; i < words; i++)
        h = (h ^ row[i]) * 0xff51afd7ed558ccdull, h ^= h >> 32;
    return (uint32_t)(h ^ h >> 29);
}

static bool grow_table(struct wk_re *re, struct wk_re_rows *r)
{
    size_t cap = r->table_cap ? r->table_cap * 2 : 4 * (size_t)FIRST_ROWS;
    uint32_t *table = wk_calloc(re->mem, cap, sizeof *table);
    if (!table)
        return false;
    for (size_t k = 0; k < r->n; k++) {
        size_t i = hash_row(row_at(r, k), r->words) & (cap - 1);
        while (table[i])
            i = (i + 1) & (cap - 1);
        table[i] = (uint32_t)k + 1;
    }
    wk_free(re->mem, r->table);
    r->table = table;
    r->table_cap = cap;
    return true;
}

/* Room for another row behind the last; NULL when the account refuses. */
static uint64_t *candidate(struct wk_re *re, struct wk_re_rows *r)
{
    size_t need;
    if (r->n >= UINT32_MAX - 1 || __builtin_mul_overflow(r->n + 1, r->words, &need) ||
        !wk_vec_grow(re->mem, &r->bits, &r->cap, need, sizeof *r->bits))
        return NULL;
    uint64_t *row = r->bits + r->n * r->words;
    memset(row, 0, r->words * sizeof *row);
    return row;
}

/* The number of the candidate, or of a row that is the same. 0 or -WK_ENOMEM. */
static int settle(struct wk_re *re, struct wk_re_rows *r, uint32_t *out)
{
    *out = (uint32_t)r->n;
    if (r->n >= r->most) {
        r->n++;
        return 0;
    }
    if (r->table_cap < (r->n + 1) * 2 && !grow_table(re, r))
        return -WK_ENOMEM;
    const uint64_t *row = row_at(r, r->n);
    size_t i = hash_row(row, r->words) & (r->table_cap - 1);
    for (; r->table[i]; i = (i + 1) & (r->table_cap - 1))
        if (memcmp(row_at(r, r->table[i] - 1), row, r->words * sizeof *row) == 0) {
            *out = r->table[i] - 1;
            return 0;
        }
    if (r->n == r->trans_cap) {
        size_t cap = r->trans_cap ? r->trans_cap * 2 : FIRST_ROWS, cells;
        if (__builtin_mul_overflow(cap, r->stride * sizeof *r->trans, &cells))
            return -WK_ENOMEM;
        uint32_t *trans = wk_realloc(re->mem, r->trans, cells);
        if (!trans)
            return -WK_ENOMEM;
        r->trans = trans;
        r->trans_cap = cap;
    }
    memset(r->trans + r->n * r->stride, 0xff, r->stride * sizeof *r->trans);
    r->table[i] = (uint32_t)++r->n;
    return 0;
}

static bool bit(const uint64_t *row, uint32_t i)
{
    return row[i >> 6] >> (i & 63) & 1;
}

/* Enters a place that can reach the end, and all that lead to it without a character (`bare`: nor an
 * assertion). */
static void enter(struct wk_re_rows *r, uint64_t *row, uint32_t at, unsigned left, unsigned right, bool bare)
{
    const struct wk_re_prog *p = r->p;
    size_t top = 0;
    if (bit(row, at))
        return;
    row[at >> 6] |= 1ull << (at & 63);
    r->stack[top++] = at;
    while (top) {
        uint32_t i = r->stack[--top];
        for (uint32_t k = p->pred_at[i]; k < p->pred_at[i + 1]; k++) {
            uint32_t from = p->preds[k];
            const struct wk_re_inst *in = &p->inst[from];
            if (in->op == WK_RE_OP_SET || bit(row, from) ||
                (in->op == WK_RE_OP_ASSERT && (bare || !wk_re_assert_holds(p, in->arg, left, right))))
                continue;
            row[from >> 6] |= 1ull << (from & 63);
            r->stack[top++] = from;
        }
    }
}

/* The row before a character of class cls that has `after` behind it. */
static int step_back(struct wk_re *re, struct wk_re_rows *r, uint32_t after, uint32_t cls, unsigned left,
                     uint32_t *out)
{
    const struct wk_re_prog *p = r->p;
    uint64_t *row = candidate(re, r);
    if (!row)
        return -WK_ENOMEM;
    const uint64_t *behind = row_at(r, after);
    for (size_t word = 0; word < r->words; word++)
        for (uint64_t bits = behind[word]; bits; bits &= bits - 1) {
            uint32_t to = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits);
            for (uint32_t e = p->pred_at[to]; e < p->pred_at[to + 1]; e++) {
                const struct wk_re_inst *in = &p->inst[p->preds[e]];
                if (in->op == WK_RE_OP_SET &&
                    (p->member[(size_t)in->arg * p->words + (cls >> 6)] >> (cls & 63) & 1))
                    enter(r, row, p->preds[e], left, p->side[cls], false);
            }
        }
    int err = settle(re, r, out);
    if (!err && after < r->most && *out < r->most)
        r->trans[after * r->stride + cls * r->sides + left] = *out;
    return err;
}

/* The row behind the last character. */
static int last_row(struct wk_re *re, struct wk_re_rows *r, unsigned left, unsigned right, bool bare, uint32_t *out)
{
    uint32_t *known = &r->first[bare][left][right];
    if (*known) {
        *out = *known - 1;
        return 0;
    }
    uint64_t *row = candidate(re, r);
    if (!row)
        return -WK_ENOMEM;
    enter(r, row, r->p->match, left, right, bare);
    int err = settle(re, r, out);
    if (!err && *out < r->most)
        *known = *out + 1;
    return err;
}

/* ---- along a match ---- */

/* The class of the character before `at` and its length. */
static inline size_t class_before(const struct wk_re_prog *p, const char *s, size_t at, uint32_t *cls)
{
    *cls = p->byte_class[(unsigned char)s[at - 1]];
    return WK_LIKELY(*cls != WK_RE_DECODE) ? 1 : wk_re_class_before(p, s, at, cls);
}

static unsigned side_after(const struct wk_re_prog *p, const struct wk_re_scan *scan, size_t at)
{
    uint32_t cls;
    if (at >= scan->s.n)
        return scan->right;
    wk_re_class_at_byte(p, scan->s.p + at, scan->s.n - at, &cls);
    return p->side[cls];
}

int wk_re_rows_fill(struct wk_re *re, struct wk_re_cache *cache, struct wk_re_run *run,
                    const struct wk_re_scan *scan, const struct wk_re_span *span, bool bare, uint32_t *rows)
{
    struct wk_re_rows *r = cache->places ? cache->places : (cache->places = rows_new(re));
    const struct wk_re_prog *p = re->prog;
    const char *s = scan->s.p;
    size_t start = (size_t)span->start, at = (size_t)span->end, counted = at;
    uint32_t row, before = 0; /* before: the class of the character in front of `at`, len bytes */
    if (!r)
        return -WK_ENOMEM;
    if (r->n >= r->most)
        forget(r);
    size_t len = at ? class_before(p, s, at, &before) : 0;
    unsigned left = !p->has_assert ? 0 : at ? p->side[before] : scan->left;
    int err = last_row(re, r, left, p->has_assert ? side_after(p, scan, at) : 0, bare, &row);
    rows[at - start] = row;
    while (at > start && !err) {
        uint32_t cls = before;
        at -= len;
        len = at > start || (p->has_assert && at) ? class_before(p, s, at, &before) : 0;
        left = !p->has_assert ? 0 : at ? p->side[before] : scan->left;
        uint32_t next = row < r->most ? r->trans[row * r->stride + cls * r->sides + left] : UNKNOWN;
        if (WK_UNLIKELY(next == UNKNOWN)) {
            err = step_back(re, r, row, cls, left, &next);
            if (!err)
                err = wk_re_work(run, 1 + r->words * 8);
        }
        row = rows[at - start] = next;
        if (WK_UNLIKELY(counted - at >= SLICE) && !err) {
            err = wk_re_work(run, counted - at);
            counted = at;
        }
    }
    return err ? err : wk_re_work(run, counted - at);
}
