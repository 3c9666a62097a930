/* bignum.c - arithmetic on integers of any length, as decimal text (expr)
 *
 * Magnitudes are limbs of nine digits, the lowest first; products and quotients by the school's
 * methods, counted as work.
 */
#include "builtins/bignum.h"

#include "base/num.h"

enum { LIMB_DIGITS = 9, LIMB = 1000000000 };

struct big {
    bool minus;
    uint32_t *v;
    size_t n; /* without leading zeros: 0 for zero */
};

static struct big make(struct wk_cmd *c, size_t n)
{
    return (struct big){.v = wk_new_n(c, uint32_t, n + 1), .n = n};
}

static void trim(struct big *x)
{
    while (x->n && x->v[x->n - 1] == 0)
        x->n--;
    if (!x->n)
        x->minus = false;
}

static struct big read_big(struct wk_cmd *c, struct wk_str s)
{
    bool minus = s.n && s.p[0] == '-';
    s = wk_str_from(s, minus);
    struct big x = make(c, s.n / LIMB_DIGITS + 1);
    for (size_t i = 0, end = s.n; end > 0; i++) {
        size_t from = end > LIMB_DIGITS ? end - LIMB_DIGITS : 0;
        for (size_t k = from; k < end; k++)
            x.v[i] = x.v[i] * 10 + (uint32_t)(s.p[k] - '0');
        end = from;
    }
    x.minus = minus;
    trim(&x);
    return x;
}

static struct wk_str text_of(struct wk_cmd *c, const struct big *x)
{
    char *p = (char *)wk_heap_alloc(c->heap, x->n * LIMB_DIGITS + 3);
    size_t at = 0;
    if (x->minus)
        p[at++] = '-';
    at += wk_fmt_u64(p + at, x->n ? x->v[x->n - 1] : 0, 10);
    for (size_t i = x->n; i-- > 1; at += LIMB_DIGITS) {
        uint32_t limb = x->v[i - 1];
        for (size_t k = LIMB_DIGITS; k-- > 0; limb /= 10)
            p[at + k] = (char)('0' + limb % 10);
    }
    return wk_str(p, at);
}

static int compare(const struct big *a, const struct big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (size_t i = a->n; i-- > 0;)
        if (a->v[i] != b->v[i])
            return a->v[i] < b->v[i] ? -1 : 1;
    return 0;
}

static struct big add(struct wk_cmd *c, const struct big *a, const struct big *b)
{
    struct big r = make(c, WK_MAX(a->n, b->n) + 1);
    uint32_t carry = 0;
    for (size_t i = 0; i < r.n; i++) {
        uint32_t sum = (i < a->n ? a->v[i] : 0) + (i < b->n ? b->v[i] : 0) + carry;
        carry = sum >= LIMB;
        r.v[i] = carry ? sum - LIMB : sum;
    }
    return r;
}

/* Of magnitudes; a is not less than b. */
static struct big subtract(struct wk_cmd *c, const struct big *a, const struct big *b)
{
    struct big r = make(c, a->n);
    uint32_t borrow = 0;
    for (size_t i = 0; i < a->n; i++) {
        uint32_t take = (i < b->n ? b->v[i] : 0) + borrow;
        borrow = a->v[i] < take;
        r.v[i] = a->v[i] + (borrow ? LIMB : 0) - take;
    }
    return r;
}

static struct big sum(struct wk_cmd *c, const struct big *a, const struct big *b, bool b_minus)
{
    struct big r;
    if (a->minus == b_minus) {
        r = add(c, a, b);
        r.minus = a->minus;
    } else if (compare(a, b) >= 0) {
        r = subtract(c, a, b);
        r.minus = a->minus;
    } else {
        r = subtract(c, b, a);
        r.minus = b_minus;
    }
    return r;
}

static struct big multiply(struct wk_cmd *c, const struct big *a, const struct big *b)
{
    struct big r = make(c, a->n + b->n);
    for (size_t i = 0; i < a->n; i++) {
        uint64_t carry = 0;
        for (size_t k = 0; k < b->n || carry; k++) {
            carry += r.v[i + k] + (k < b->n ? (uint64_t)a->v[i] * b->v[k] : 0);
            r.v[i + k] = (uint32_t)(carry % LIMB);
            carry /= LIMB;
        }
        wk_tick(c, (uint32_t)(b->n / 8 & 0xffffff) + 1);
    }
    r.minus = a->minus != b->minus;
    return r;
}

static void scale(struct big *x, uint32_t by)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < x->n; i++) {
        carry += (uint64_t)x->v[i] * by;
        x->v[i] = (uint32_t)(carry % LIMB);
        carry /= LIMB;
    }
}

/* Takes q times b from a's limbs at `at`; true when that was too much. */
static bool take_away(struct big *a, size_t at, const struct big *b, uint64_t q)
{
    uint64_t carry = 0;
    int64_t borrow = 0;
    for (size_t i = 0; i <= b->n; i++) {
        carry += i < b->n ? b->v[i] * q : 0;
        int64_t left = (int64_t)a->v[at + i] - (int64_t)(carry % LIMB) - borrow;
        borrow = left < 0;
        a->v[at + i] = (uint32_t)(left < 0 ? left + LIMB : left);
        carry /= LIMB;
    }
    return borrow;
}

/* Adds b again; true while that does not pay the borrow back. */
static bool give_back(struct big *a, size_t at, const struct big *b)
{
    uint32_t carry = 0;
    for (size_t i = 0; i <= b->n; i++) {
        uint32_t s = a->v[at + i] + (i < b->n ? b->v[i] : 0) + carry;
        carry = s >= LIMB;
        a->v[at + i] = carry ? s - LIMB : s;
    }
    return !carry;
}

/* Quotient or remainder of magnitudes; b is not zero. Both are scaled so that b's first limb is at
 * least half of what a limb holds: a guess from the first limbs is then at most two too great. */
static struct big divide(struct wk_cmd *c, const struct big *x, const struct big *y, bool rest)
{
    struct big a = make(c, x->n + 1), b = make(c, y->n), q = make(c, x->n + 1);
    uint32_t by = LIMB / (y->v[y->n - 1] + 1);
    memcpy(a.v, x->v, x->n * sizeof *a.v);
    memcpy(b.v, y->v, y->n * sizeof *b.v);
    scale(&a, by);
    scale(&b, by);
    for (size_t at = x->n >= y->n ? x->n - y->n + 1 : 0; at-- > 0;) {
        uint64_t top = (uint64_t)a.v[at + b.n] * LIMB + a.v[at + b.n - 1];
        uint64_t guess = WK_MIN(top / b.v[b.n - 1], (uint64_t)LIMB - 1);
        if (guess && take_away(&a, at, &b, guess))
            do
                guess--;
            while (give_back(&a, at, &b));
        q.v[at] = (uint32_t)guess;
        wk_tick(c, (uint32_t)(b.n / 8 & 0xffffff) + 1);
    }
    if (!rest)
        return q;
    uint64_t left = 0;
    for (size_t i = a.n; i-- > 0;) {
        left = left * LIMB + a.v[i];
        a.v[i] = (uint32_t)(left / by);
        left %= by;
    }
    return a;
}

struct wk_str wk_big_op(struct wk_cmd *c, char op, struct wk_str a, struct wk_str b)
{
    struct big x = read_big(c, a), y = read_big(c, b), r;
    if (op == '+' || op == '-') {
        r = sum(c, &x, &y, op == '-' ? !y.minus : y.minus);
    } else if (op == '*') {
        r = multiply(c, &x, &y);
    } else {
        r = divide(c, &x, &y, op == '%');
        r.minus = op == '%' ? x.minus : x.minus != y.minus;
    }
    trim(&r);
    return text_of(c, &r);
}
