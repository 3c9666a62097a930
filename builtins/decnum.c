/* decnum.c - decimal numbers of any length with a scale
 *
 * The school's methods on limbs of nine digits; since the point lies between two limbs, sums need no
 * shifting, and products and quotients shift by whole limbs.
 */
#include "builtins/decnum.h"

static size_t frac_of(const struct wk_dec *x)
{
    return (x->scale + WK_DEC_LIMB_DIGITS - 1) / WK_DEC_LIMB_DIGITS;
}

static size_t limbs_for(size_t digits)
{
    return (digits + WK_DEC_LIMB_DIGITS - 1) / WK_DEC_LIMB_DIGITS;
}

static void tick(struct wk_cmd *c, size_t limbs)
{
    wk_tick(c, (uint32_t)WK_MIN(limbs / 8 + 1, (size_t)1 << 24));
}

static struct wk_dec *make(struct wk_cmd *c, size_t whole, size_t scale)
{
    size_t n = limbs_for(scale) + whole;
    if (n > SIZE_MAX / 64)
        wk_heap_exhausted(c->heap);
    struct wk_dec *x = (struct wk_dec *)wk_heap_zalloc(c->heap, sizeof *x + (n + 1) * sizeof x->v[0]);
    x->refs = 1;
    x->whole = whole;
    x->scale = scale;
    tick(c, n);
    return x;
}

void wk_dec_unref(struct wk_cmd *c, struct wk_dec *x)
{
    if (x && --x->refs == 0)
        wk_heap_free(c->heap, x);
}

bool wk_dec_zero(const struct wk_dec *x)
{
    if (x->whole)
        return false;
    for (size_t i = frac_of(x); i-- > 0;)
        if (x->v[i])
            return false;
    return true;
}

/* Cuts what the scale does not hold, drops leading zeros and the sign of zero. */
static struct wk_dec *finish(struct wk_dec *x)
{
    size_t frac = frac_of(x);
    uint32_t keep = 1;
    for (size_t d = x->scale; d % WK_DEC_LIMB_DIGITS; d++)
        keep *= 10;
    if (frac)
        x->v[0] -= x->v[0] % keep;
    while (x->whole && x->v[frac + x->whole - 1] == 0)
        x->whole--;
    if (x->minus && wk_dec_zero(x))
        x->minus = false;
    return x;
}

struct wk_dec *wk_dec_int(struct wk_cmd *c, int64_t v)
{
    struct wk_dec *x = make(c, 3, 0);
    uint64_t m = v < 0 ? -(uint64_t)v : (uint64_t)v;
    for (size_t i = 0; i < 3; i++, m /= WK_DEC_LIMB)
        x->v[i] = (uint32_t)(m % WK_DEC_LIMB);
    x->minus = v < 0;
    return finish(x);
}

bool wk_dec_i64(const struct wk_dec *x, int64_t *out)
{
    uint64_t m = 0;
    size_t frac = frac_of(x);
    *out = 0;
    if (x->whole > 3)
        return false;
    for (size_t i = x->whole; i-- > 0;)
        if (__builtin_mul_overflow(m, (uint64_t)WK_DEC_LIMB, &m) ||
            __builtin_add_overflow(m, (uint64_t)x->v[frac + i], &m))
            return false;
    if (m > INT64_MAX)
        return false;
    *out = x->minus ? -(int64_t)m : (int64_t)m;
    return true;
}

static size_t digits_in(uint32_t limb)
{
    size_t n = 0;
    for (; limb; limb /= 10)
        n++;
    return n;
}

size_t wk_dec_whole_digits(const struct wk_dec *x)
{
    return x->whole ? (x->whole - 1) * WK_DEC_LIMB_DIGITS + digits_in(x->v[frac_of(x) + x->whole - 1]) : 0;
}

size_t wk_dec_length(const struct wk_dec *x)
{
    if (x->whole)
        return wk_dec_whole_digits(x) + x->scale;
    return x->scale ? x->scale : 1;
}

size_t wk_dec_significant(const struct wk_dec *x)
{
    if (x->whole)
        return wk_dec_length(x);
    size_t n = frac_of(x) * WK_DEC_LIMB_DIGITS, unused = n - x->scale;
    for (size_t i = frac_of(x); i-- > 0; n -= WK_DEC_LIMB_DIGITS)
        if (x->v[i])
            return n - (WK_DEC_LIMB_DIGITS - digits_in(x->v[i])) - unused;
    return 1;
}

/* The limb of weight `at - frac` (at counts from the lowest of `frac` limbs of fraction). */
static uint32_t limb_at(const struct wk_dec *x, size_t at, size_t frac)
{
    size_t own = frac_of(x);
    if (at + own < frac)
        return 0;
    at = at + own - frac;
    return at < own + x->whole ? x->v[at] : 0;
}

static int compare_size(const struct wk_dec *a, const struct wk_dec *b)
{
    if (a->whole != b->whole)
        return a->whole < b->whole ? -1 : 1;
    size_t frac = WK_MAX(frac_of(a), frac_of(b));
    for (size_t i = frac + a->whole; i-- > 0;) {
        uint32_t x = limb_at(a, i, frac), y = limb_at(b, i, frac);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

int wk_dec_compare(const struct wk_dec *a, const struct wk_dec *b)
{
    if (a->minus != b->minus)
        return a->minus ? -1 : 1;
    return a->minus ? -compare_size(a, b) : compare_size(a, b);
}

static struct wk_dec *copy(struct wk_cmd *c, const struct wk_dec *a, size_t scale)
{
    struct wk_dec *r = make(c, a->whole, scale);
    size_t frac = limbs_for(scale);
    for (size_t i = 0; i < frac + r->whole; i++)
        r->v[i] = limb_at(a, i, frac);
    r->minus = a->minus;
    return finish(r);
}

struct wk_dec *wk_dec_cut(struct wk_cmd *c, struct wk_dec *a, size_t scale)
{
    return a->scale > scale ? copy(c, a, scale) : wk_dec_ref(a);
}

struct wk_dec *wk_dec_negate(struct wk_cmd *c, const struct wk_dec *x)
{
    struct wk_dec *r = copy(c, x, x->scale);
    r->minus = !x->minus && !wk_dec_zero(x);
    return r;
}

struct wk_dec *wk_dec_add(struct wk_cmd *c, const struct wk_dec *a, const struct wk_dec *b, bool minus)
{
    bool b_minus = b->minus != minus;
    bool sum = a->minus == b_minus;
    struct wk_dec *r = make(c, WK_MAX(a->whole, b->whole) + 1, WK_MAX(a->scale, b->scale));
    r->minus = a->minus;
    if (!sum && compare_size(a, b) < 0) {
        const struct wk_dec *t = a;
        a = b;
        b = t;
        r->minus = b_minus;
    }
    size_t frac = frac_of(r);
    int64_t carry = 0;
    for (size_t i = 0; i < frac + r->whole; i++) {
        carry += limb_at(a, i, frac);
        carry += sum ? (int64_t)limb_at(b, i, frac) : -(int64_t)limb_at(b, i, frac);
        int64_t limb = carry < 0 ? carry + WK_DEC_LIMB : carry % WK_DEC_LIMB;
        r->v[i] = (uint32_t)limb;
        carry = carry < 0 ? -1 : carry / WK_DEC_LIMB;
    }
    return finish(r);
}

/* r[0 … an + bn) = a * b; r is zero before. */
static void multiply(struct wk_cmd *c, const uint32_t *a, size_t an, const uint32_t *b, size_t bn, uint32_t *r)
{
    for (size_t i = 0; i < an; i++) {
        uint64_t carry = 0, by = a[i];
        if (!by)
            continue;
        for (size_t k = 0; k < bn; k++) {
            carry += r[i + k] + by * b[k];
            r[i + k] = (uint32_t)(carry % WK_DEC_LIMB);
            carry /= WK_DEC_LIMB;
        }
        r[i + bn] = (uint32_t)carry;
        tick(c, bn);
    }
}

static size_t sum_of(struct wk_cmd *c, size_t a, size_t b)
{
    if (__builtin_add_overflow(a, b, &a) || a > SIZE_MAX / 64)
        wk_heap_exhausted(c->heap);
    return a;
}

struct wk_dec *wk_dec_mul(struct wk_cmd *c, const struct wk_dec *a, const struct wk_dec *b, size_t scale)
{
    size_t fa = frac_of(a), fb = frac_of(b), an = fa + a->whole, bn = fb + b->whole;
    size_t full = sum_of(c, a->scale, b->scale);
    scale = WK_MIN(full, WK_MAX(scale, WK_MAX(a->scale, b->scale)));
    uint32_t *p = wk_new_n(c, uint32_t, an + bn + 1);
    multiply(c, a->v, an, b->v, bn, p);
    struct wk_dec *r = make(c, a->whole + b->whole, scale);
    size_t frac = frac_of(r);
    memcpy(r->v, p + (fa + fb - frac), (frac + r->whole) * sizeof *p);
    wk_heap_free(c->heap, p);
    r->minus = a->minus != b->minus;
    return finish(r);
}

static void times(uint32_t *x, size_t n, uint32_t by)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < n; i++) {
        carry += (uint64_t)x[i] * by;
        x[i] = (uint32_t)(carry % WK_DEC_LIMB);
        carry /= WK_DEC_LIMB;
    }
}

/* Subtracts guess * b from a[0 … n]; makes the guess smaller while that was too much. */
static uint32_t one_limb(uint32_t *a, const uint32_t *b, size_t n, uint64_t guess)
{
    uint64_t carry = 0;
    int64_t borrow = 0;
    for (size_t i = 0; i <= n; i++) {
        carry += i < n ? guess * b[i] : 0;
        int64_t left = (int64_t)a[i] - (int64_t)(carry % WK_DEC_LIMB) - borrow;
        borrow = left < 0;
        a[i] = (uint32_t)(borrow ? left + WK_DEC_LIMB : left);
        carry /= WK_DEC_LIMB;
    }
    while (borrow) {
        uint32_t over = 0;
        guess--;
        for (size_t i = 0; i <= n; i++) {
            uint32_t s = a[i] + (i < n ? b[i] : 0) + over;
            over = s >= WK_DEC_LIMB;
            a[i] = over ? s - WK_DEC_LIMB : s;
        }
        borrow -= over;
    }
    return (uint32_t)guess;
}

/* q[0 … an - bn] = a / b, both changed; a[an] is room for one limb more; b's last limb is not zero. The
 * factor makes that at least half of what a limb holds, so that a guess from three limbs is one too
 * great at most now and then. */
static void divide(struct wk_cmd *c, uint32_t *a, size_t an, uint32_t *b, size_t bn, uint32_t *q)
{
    uint32_t by = WK_DEC_LIMB / (b[bn - 1] + 1);
    a[an] = 0;
    times(a, an + 1, by);
    times(b, bn, by);
    for (size_t at = an - bn + 1; at-- > 0;) {
        uint64_t top = (uint64_t)a[at + bn] * WK_DEC_LIMB + a[at + bn - 1];
        uint64_t guess = WK_MIN(top / b[bn - 1], (uint64_t)WK_DEC_LIMB - 1);
        q[at] = guess ? one_limb(a + at, b, bn, guess) : 0;
        tick(c, bn);
    }
}

struct wk_dec *wk_dec_div(struct wk_cmd *c, const struct wk_dec *a, const struct wk_dec *b, size_t scale)
{
    size_t fa = frac_of(a), fb = frac_of(b), fq = limbs_for(scale);
    size_t an = fa + a->whole, bn = fb + b->whole;
    while (bn && b->v[bn - 1] == 0)
        bn--;
    if (!bn)
        return NULL;
    /* a's limbs are shifted up by fq + fb - fa. */
    size_t up = sum_of(c, fq, fb), drop = up < fa ? WK_MIN(fa - up, an) : 0;
    size_t room = up < fa ? 0 : up - fa, n = sum_of(c, an - drop, room);
    struct wk_dec *r;
    if (n < bn) {
        r = make(c, 0, scale);
        return finish(r);
    }
    uint32_t *x = wk_new_n(c, uint32_t, n + 2), *y = wk_new_n(c, uint32_t, bn + 1);
    uint32_t *q = wk_new_n(c, uint32_t, n - bn + 2);
    memcpy(x + room, a->v + drop, (an - drop) * sizeof *x);
    memcpy(y, b->v, bn * sizeof *y);
    divide(c, x, n, y, bn, q);
    size_t qn = n - bn + 1;
    r = make(c, qn > fq ? qn - fq : 0, scale);
    memcpy(r->v, q, qn * sizeof *q); /* qn < fq: the limbs above stay zero */
    wk_heap_free(c->heap, x);
    wk_heap_free(c->heap, y);
    wk_heap_free(c->heap, q);
    r->minus = a->minus != b->minus;
    return finish(r);
}

struct wk_dec *wk_dec_mod(struct wk_cmd *c, const struct wk_dec *a, const struct wk_dec *b, size_t scale,
                          struct wk_dec **quotient)
{
    struct wk_dec *q = wk_dec_div(c, a, b, scale);
    if (!q)
        return NULL;
    size_t to = WK_MAX(a->scale, sum_of(c, b->scale, scale));
    struct wk_dec *product = wk_dec_mul(c, q, b, to), *rest = wk_dec_add(c, a, product, true);
    struct wk_dec *r = rest->scale == to ? wk_dec_ref(rest) : copy(c, rest, to);
    wk_dec_unref(c, product);
    wk_dec_unref(c, rest);
    if (quotient)
        *quotient = q;
    else
        wk_dec_unref(c, q);
    return r;
}

unsigned wk_dec_take_byte(struct wk_cmd *c, struct wk_dec **x)
{
    int64_t byte = 0;
    struct wk_dec *by = wk_dec_int(c, 256), *q, *rest = wk_dec_mod(c, *x, by, 0, &q);
    (void)wk_dec_i64(rest, &byte);
    wk_dec_unref(c, by);
    wk_dec_unref(c, rest);
    wk_dec_unref(c, *x);
    *x = q;
    return (unsigned)(byte < 0 ? -byte : byte);
}

static struct wk_dec *exact_product(struct wk_cmd *c, struct wk_dec *gone, const struct wk_dec *b)
{
    struct wk_dec *r = wk_dec_mul(c, gone, b, sum_of(c, gone->scale, b->scale));
    wk_dec_unref(c, gone);
    return r;
}

struct wk_dec *wk_dec_raise(struct wk_cmd *c, struct wk_dec *a, int64_t e, size_t scale)
{
    if (e == 0)
        return wk_dec_int(c, 1);
    uint64_t left = e < 0 ? -(uint64_t)e : (uint64_t)e;
    size_t to = WK_MAX(scale, a->scale), full;
    if (e < 0)
        to = scale;
    else if (!__builtin_mul_overflow(a->scale, left, &full))
        to = WK_MIN(to, full);
    struct wk_dec *power = wk_dec_ref(a), *r = wk_dec_int(c, 1);
    for (;; left >>= 1) {
        if (left & 1)
            r = exact_product(c, r, power);
        if (left <= 1)
            break;
        struct wk_dec *square = wk_dec_mul(c, power, power, sum_of(c, power->scale, power->scale));
        wk_dec_unref(c, power);
        power = square;
    }
    wk_dec_unref(c, power);
    struct wk_dec *one = wk_dec_int(c, 1), *out = e < 0 ? wk_dec_div(c, one, r, to) : wk_dec_cut(c, r, to);
    wk_dec_unref(c, one);
    wk_dec_unref(c, r);
    return out;
}

/* Half of a number that is at least 0, without fraction. */
static struct wk_dec *half_of(struct wk_cmd *c, struct wk_dec *gone)
{
    struct wk_dec *two = wk_dec_int(c, 2), *r = wk_dec_div(c, gone, two, 0);
    wk_dec_unref(c, two);
    wk_dec_unref(c, gone);
    return r;
}

/* Not less than the root of the whole number n, and near it. */
static struct wk_dec *root_guess(struct wk_cmd *c, const struct wk_dec *n)
{
    size_t limbs = (n->whole + 1) / 2;
    struct wk_dec *r = make(c, limbs, 0);
    uint64_t top = n->v[n->whole - 1];
    if (n->whole % 2 == 0)
        top = top * WK_DEC_LIMB + n->v[n->whole - 2];
    uint64_t low = 1, high = WK_DEC_LIMB - 1;
    while (low < high) { /* the least root whose square is above top */
        uint64_t mid = low + (high - low) / 2;
        if (mid * mid > top)
            high = mid;
        else
            low = mid + 1;
    }
    for (size_t i = 0; i < limbs; i++)
        r->v[i] = WK_DEC_LIMB - 1;
    r->v[limbs - 1] = (uint32_t)low;
    return finish(r);
}

struct wk_dec *wk_dec_sqrt(struct wk_cmd *c, struct wk_dec *a, size_t scale)
{
    if (a->minus)
        return NULL;
    if (wk_dec_zero(a))
        return wk_dec_int(c, 0);
    struct wk_dec *one = wk_dec_int(c, 1);
    bool is_one = wk_dec_compare(a, one) == 0;
    if (is_one)
        return one;
    wk_dec_unref(c, one);
    scale = WK_MAX(scale, a->scale);
    /* The whole root of a's limbs shifted up by twice those of the result's fraction. */
    size_t frac = limbs_for(scale), up = 2 * frac;
    struct wk_dec *n = make(c, sum_of(c, up, a->whole), 0);
    memcpy(n->v + (up - frac_of(a)), a->v, (frac_of(a) + a->whole) * sizeof a->v[0]);
    finish(n);
    if (!n->whole) {
        wk_dec_unref(c, n);
        return make(c, 0, scale);
    }
    struct wk_dec *x = root_guess(c, n);
    for (;;) {
        struct wk_dec *q = wk_dec_div(c, n, x, 0), *next = half_of(c, wk_dec_add(c, x, q, false));
        wk_dec_unref(c, q);
        bool less = wk_dec_compare(next, x) < 0;
        wk_dec_unref(c, less ? x : next);
        if (!less)
            break;
        x = next;
    }
    struct wk_dec *r = make(c, x->whole > frac ? x->whole - frac : 0, scale);
    memcpy(r->v, x->v, x->whole * sizeof x->v[0]);
    wk_dec_unref(c, n);
    wk_dec_unref(c, x);
    return finish(r);
}
