/* wk_factor_long.c - prime factors of a number of any length
 *
 * As for one word: small primes by division, Miller and Rabin's test (many bases that the number itself chooses),
 * Pollard's rho in Brent's form. Numbers are words, the lowest first; products modulo n in Montgomery's form, into
 * which nothing has to be converted: base and walk begin with the form of one.
 */
#include "builtins/factor.h"

#include "base/hash.h"
#include "base/num.h"
#include "builtins/ptrsort.h"

struct number {
    uint64_t *v;
    size_t n; /* without leading zeros */
};

struct numbers {
    struct number **v;
    size_t n, cap;
};

/* A modulus, with room for results. */
struct long_mod {
    struct wk_cmd *c;
    const uint64_t *m;
    size_t n;
    uint64_t inverse;
    uint64_t *one, *minus, *t, *a, *b;
    uint64_t *block;
};

enum { GROUP = 19 }; /* decimal digits at a time */
static const uint64_t GROUP_UNIT = 10000000000000000000u;

/* ---- numbers ----------------------------------------------------------------------------------- */

static struct number *new_number(struct wk_cmd *c, size_t n)
{
    struct number *x = wk_new(c, struct number);
    x->v = wk_new_n(c, uint64_t, n + 1);
    x->n = n;
    return x;
}

static void free_number(struct wk_cmd *c, struct number *x)
{
    wk_heap_free(c->heap, x->v);
    wk_heap_free(c->heap, x);
}

static void trim(struct number *x)
{
    while (x->n && !x->v[x->n - 1])
        x->n--;
}

static void push(struct wk_cmd *c, struct numbers *l, struct number *x)
{
    if (l->n == l->cap) {
        size_t cap = l->cap * 2 + 16;
        l->v = (struct number **)wk_heap_realloc(c->heap, l->v, cap * sizeof *l->v);
        l->cap = cap;
    }
    l->v[l->n++] = x;
}

static void push_word(struct wk_cmd *c, struct numbers *l, uint64_t v)
{
    struct number *x = new_number(c, 1);
    x->v[0] = v;
    push(c, l, x);
}

static void count_words(struct wk_cmd *c, size_t n)
{
    wk_tick(c, (uint32_t)(n / 8 & 0xffffff) + 1);
}

static struct number *read_number(struct wk_cmd *c, struct wk_str s)
{
    struct number *x = new_number(c, s.n / GROUP + 1);
    size_t used = 0;
    for (size_t i = 0; i < s.n;) {
        size_t end = i + (s.n - i - 1) % GROUP + 1;
        uint64_t carry = 0;
        for (; i < end; i++)
            carry = carry * 10 + (uint64_t)(s.p[i] - '0');
        for (size_t k = 0; k < used; k++) {
            wk_u128 t = (wk_u128)x->v[k] * GROUP_UNIT + carry;
            x->v[k] = (uint64_t)t;
            carry = (uint64_t)(t >> 64);
        }
        if (carry)
            x->v[used++] = carry;
        count_words(c, used);
    }
    trim(x);
    return x;
}

static uint64_t rest(const struct number *x, uint64_t by)
{
    uint64_t r = 0;
    for (size_t i = x->n; i-- > 0;)
        r = (uint64_t)(((wk_u128)r << 64 | x->v[i]) % by);
    return r;
}

/* Divides in place; the rest. */
static uint64_t divide(struct number *x, uint64_t by)
{
    uint64_t r = 0;
    for (size_t i = x->n; i-- > 0;) {
        wk_u128 t = (wk_u128)r << 64 | x->v[i];
        x->v[i] = (uint64_t)(t / by);
        r = (uint64_t)(t % by);
    }
    trim(x);
    return r;
}

/* Destroys x. */
static void put_number(struct wk_cmd *c, struct number *x, struct wk_buf *to)
{
    size_t groups = x->n + x->n / 64 + 1, n = 0; /* a word is 1.014 groups */
    uint64_t *group = wk_new_n(c, uint64_t, groups);
    while (x->n && n < groups) {
        group[n++] = divide(x, GROUP_UNIT);
        count_words(c, x->n);
    }
    wk_buf_putc(to, ' ');
    for (size_t i = n; i-- > 0;) {
        char text[WK_NUM_MAX];
        size_t len = wk_fmt_u64(text, group[i], 10);
        if (i + 1 < n)
            wk_buf_fill(to, '0', GROUP - len);
        wk_buf_put(to, text, len);
    }
    wk_heap_free(c->heap, group);
}

static int compare_words(const uint64_t *a, const uint64_t *b, size_t n)
{
    while (n-- > 0)
        if (a[n] != b[n])
            return a[n] < b[n] ? -1 : 1;
    return 0;
}

/* a -= b, of n words; the borrow. */
static uint64_t take_words(uint64_t *a, const uint64_t *b, size_t n)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < n; i++) {
        wk_u128 t = (wk_u128)a[i] - b[i] - borrow;
        a[i] = (uint64_t)t;
        borrow = (uint64_t)(t >> 64) & 1;
    }
    return borrow;
}

static bool is_zero(const uint64_t *a, size_t n)
{
    while (n && !a[n - 1])
        n--;
    return n == 0;
}

/* x / d, which leaves nothing; d is odd. The quotient's words from the lowest on. */
static struct number *divide_exactly(struct wk_cmd *c, const struct number *x, const struct number *d)
{
    struct number *q = new_number(c, x->n - d->n + 1);
    uint64_t inverse = 0 - wk_factor_inverse(d->v[0]), *left = wk_new_n(c, uint64_t, x->n);
    memcpy(left, x->v, x->n * sizeof *left);
    for (size_t i = 0; i < q->n; i++) {
        uint64_t carry = 0, digit = left[i] * inverse;
        q->v[i] = digit;
        for (size_t k = 0; i + k < x->n && (k < d->n || carry); k++) {
            wk_u128 t = (wk_u128)(k < d->n ? d->v[k] : 0) * digit + carry;
            carry = (uint64_t)(t >> 64) + (left[i + k] < (uint64_t)t);
            left[i + k] -= (uint64_t)t;
        }
        count_words(c, d->n);
    }
    wk_heap_free(c->heap, left);
    trim(q);
    return q;
}

/* ---- arithmetic modulo a number ------------------------------------------------------------------ */

static void plus(const struct long_mod *s, uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < s->n; i++) {
        wk_u128 t = (wk_u128)a[i] + b[i] + carry;
        r[i] = (uint64_t)t;
        carry = (uint64_t)(t >> 64);
    }
    if (carry || compare_words(r, s->m, s->n) >= 0)
        take_words(r, s->m, s->n);
}

static void times(const struct long_mod *s, uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    const size_t n = s->n;
    uint64_t *t = s->t, top = 0;
    memset(t, 0, (n + 1) * sizeof *t);
    for (size_t i = 0; i < n; i++) {
        uint64_t carry = 0, low;
        for (size_t k = 0; k < n; k++) {
            wk_u128 x = (wk_u128)a[k] * b[i] + t[k] + carry;
            t[k] = (uint64_t)x;
            carry = (uint64_t)(x >> 64);
        }
        wk_u128 sum = (wk_u128)t[n] + carry;
        t[n] = (uint64_t)sum;
        top = (uint64_t)(sum >> 64);
        uint64_t q = t[0] * s->inverse;
        low = (uint64_t)(((wk_u128)q * s->m[0] + t[0]) >> 64);
        for (size_t k = 1; k < n; k++) {
            wk_u128 x = (wk_u128)q * s->m[k] + t[k] + low;
            t[k - 1] = (uint64_t)x;
            low = (uint64_t)(x >> 64);
        }
        sum = (wk_u128)t[n] + low;
        t[n - 1] = (uint64_t)sum;
        t[n] = top + (uint64_t)(sum >> 64);
        if (n > 64)
            count_words(s->c, n);
    }
    if (t[n] || compare_words(t, s->m, n) >= 0)
        take_words(t, s->m, n);
    memcpy(r, t, n * sizeof *r);
}

static struct long_mod mod_of(struct wk_cmd *c, const struct number *m)
{
    size_t n = m->n;
    struct long_mod s = {.c = c, .m = m->v, .n = n, .inverse = wk_factor_inverse(m->v[0])};
    s.block = wk_new_n(c, uint64_t, 5 * n + 2);
    s.one = s.block;
    s.minus = s.one + n;
    s.a = s.minus + n;
    s.b = s.a + n;
    s.t = s.b + n;
    s.one[0] = 1;
    for (size_t i = 0; i < n * 64; i++) {
        plus(&s, s.one, s.one, s.one);
        count_words(c, n);
    }
    memcpy(s.minus, m->v, n * sizeof *s.minus);
    (void)take_words(s.minus, s.one, n);
    return s;
}

/* ---- primes -------------------------------------------------------------------------------------- */

static bool bit_of(const uint64_t *v, size_t bit)
{
    return v[bit / 64] >> bit % 64 & 1;
}

/* Whether s->m passes Miller and Rabin's test with the base in s->a. */
static bool is_strong(const struct long_mod *s)
{
    const size_t n = s->n, bytes = n * sizeof(uint64_t);
    uint64_t *r = s->b;
    size_t twos = 1;
    while (!bit_of(s->m, twos)) /* of m - 1: they differ in the lowest bit only */
        twos++;
    memcpy(r, s->one, bytes);
    for (size_t bit = n * 64; bit-- > twos;) {
        times(s, r, r, r);
        if (bit_of(s->m, bit))
            times(s, r, r, s->a);
        wk_tick(s->c, (uint32_t)WK_MIN(n, (size_t)64));
    }
    if (memcmp(r, s->one, bytes) == 0 || memcmp(r, s->minus, bytes) == 0)
        return true;
    for (size_t i = 1; i < twos; i++) {
        times(s, r, r, r);
        if (memcmp(r, s->minus, bytes) == 0)
            return true;
        wk_tick(s->c, (uint32_t)WK_MIN(n, (size_t)64));
    }
    return false;
}

static bool is_prime(const struct long_mod *s)
{
    enum { BASES = 25 };
    const struct wk_str bytes = wk_str((const char *)s->m, s->n * sizeof(uint64_t));
    plus(s, s->a, s->one, s->one);
    for (uint64_t i = 0; i < BASES; i++) {
        if (!is_strong(s))
            return false;
        for (size_t k = 0; k + 1 < s->n; k++)
            s->a[k] = wk_hash64(i * s->n + k, bytes);
        s->a[s->n - 1] = wk_hash64(i * s->n + s->n - 1, bytes) % s->m[s->n - 1];
        s->a[0] |= 1;
    }
    return true;
}

/* ---- a factor of a composite number ---------------------------------------------------------------- */

static void halve(uint64_t *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] = a[i] >> 1 | (i + 1 < n ? a[i + 1] << 63 : 0);
}

/* The greatest common divisor of a and m goes to g (n words each); m is odd, a gets lost. */
static void common(struct wk_cmd *c, uint64_t *g, uint64_t *a, const uint64_t *m, size_t n)
{
    memcpy(g, m, n * sizeof *g);
    while (!is_zero(a, n)) {
        while (!(a[0] & 1)) {
            halve(a, n);
            count_words(c, n);
        }
        if (compare_words(a, g, n) < 0)
            for (size_t i = 0; i < n; i++) {
                uint64_t x = a[i];
                a[i] = g[i];
                g[i] = x;
            }
        take_words(a, g, n);
    }
}

/* One step of the walk, and where it is from x: |x - y|. */
static void step_on(const struct long_mod *s, uint64_t *y, const uint64_t *step)
{
    times(s, y, y, y);
    plus(s, y, y, step);
}

static void distance(const struct long_mod *s, uint64_t *r, const uint64_t *x, const uint64_t *y)
{
    bool less = compare_words(x, y, s->n) < 0;
    memcpy(r, less ? y : x, s->n * sizeof *r);
    take_words(r, less ? x : y, s->n);
}

static bool is_one(const uint64_t *g, size_t n)
{
    return g[0] == 1 && is_zero(g + 1, n - 1);
}

/* A factor goes to g: 1 < g <= s->m; the number itself when the walk with this step finds none. */
static void walk(const struct long_mod *s, const uint64_t *step, uint64_t *g, uint64_t *room)
{
    enum { BATCH = 128 };
    const size_t n = s->n, bytes = n * sizeof *g;
    uint64_t *y = room, *x = y + n, *held = x + n, *product = held + n, *d = product + n;
    const uint32_t work = (uint32_t)WK_MIN(n * n, (size_t)4096);
    plus(s, y, s->one, s->one);
    memcpy(product, s->one, bytes);
    memset(g, 0, bytes);
    g[0] = 1;
    for (uint64_t length = 1; is_one(g, n); length *= 2) {
        memcpy(x, y, bytes);
        for (uint64_t i = 0; i < length; i++) {
            step_on(s, y, step);
            wk_tick(s->c, work);
        }
        for (uint64_t k = 0; k < length && is_one(g, n); k += BATCH) {
            memcpy(held, y, bytes);
            for (uint64_t i = 0; i < WK_MIN((uint64_t)BATCH, length - k); i++) {
                step_on(s, y, step);
                distance(s, d, x, y);
                times(s, product, product, d);
            }
            memcpy(d, product, bytes);
            common(s->c, g, d, s->m, n);
            wk_tick(s->c, BATCH * work);
        }
    }
    if (compare_words(g, s->m, n) < 0)
        return;
    do {
        step_on(s, held, step);
        distance(s, d, x, held);
        common(s->c, g, d, s->m, n);
    } while (is_one(g, n));
}

static struct number *divisor(const struct long_mod *s)
{
    const size_t n = s->n;
    struct number *g = new_number(s->c, n);
    uint64_t *room = wk_new_n(s->c, uint64_t, 6 * n), *step = room + 5 * n;
    do {
        plus(s, step, step, s->one);
        walk(s, step, g->v, room);
    } while (compare_words(g->v, s->m, n) == 0);
    wk_heap_free(s->c->heap, room);
    trim(g);
    return g;
}

/* ---- all factors --------------------------------------------------------------------------------- */

static int by_size(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const struct number *x = (const struct number *)a, *y = (const struct number *)b;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return compare_words(x->v, y->v, x->n);
}

static void take_small(struct wk_cmd *c, struct number *x, struct numbers *done)
{
    enum { SMALL = 5000 };
    for (uint64_t p = 2; p < SMALL && x->n > 1; p += p == 2 ? 1 : 2) {
        while (x->n > 1 && rest(x, p) == 0) {
            divide(x, p);
            push_word(c, done, p);
            count_words(c, x->n * 8);
        }
        count_words(c, x->n * 4);
    }
}

/* The factors of x, which gets lost. */
static void split(struct wk_cmd *c, struct number *x, struct numbers *todo, struct numbers *done)
{
    if (x->n == 1) {
        uint64_t f[FACTOR_WORD_MOST];
        size_t n = x->v[0] > 1 ? wk_factor_word(c, x->v[0], f) : 0;
        for (size_t i = 0; i < n; i++)
            push_word(c, done, f[i]);
        free_number(c, x);
        return;
    }
    struct long_mod s = mod_of(c, x);
    if (is_prime(&s)) {
        push(c, done, x);
    } else {
        struct number *d = divisor(&s);
        push(c, todo, d);
        push(c, todo, divide_exactly(c, x, d));
        free_number(c, x);
    }
    wk_heap_free(c->heap, s.block);
}

void wk_factor_long(struct wk_cmd *c, struct wk_str digits, struct wk_buf *to)
{
    struct numbers todo = {0}, done = {0};
    struct number *x = read_number(c, digits);
    take_small(c, x, &done);
    push(c, &todo, x);
    while (todo.n)
        split(c, todo.v[--todo.n], &todo, &done);
    wk_ptr_sort(c, (const void **)(void *)done.v, done.n, by_size, NULL);
    for (size_t i = 0; i < done.n; i++) {
        put_number(c, done.v[i], to);
        free_number(c, done.v[i]);
    }
    wk_heap_free(c->heap, todo.v);
    wk_heap_free(c->heap, done.v);
}
