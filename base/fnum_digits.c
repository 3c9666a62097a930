/* fnum_digits.c - exact decimal digits of binary floating numbers
 *
 * The integer part is a big number divided by 10^9 until nothing is left. A fraction f / 2^k yields
 * nine digits a turn: f * 10^9 / 2^k is f * 5^9 / 2^(k-9), whose integer part is split off. So f
 * grows by 21 bits a turn while k shrinks by 9, and work stays near what the digits wanted need.
 */
#include "base/fnum_digits.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    BILLION = 1000000000,
    FIVE_9 = 1953125,
    /* 2^16384 as an integer; fractions stay below 12,000 bits. */
    BIG_WORDS = 516
};

_Static_assert(LDBL_MANT_DIG <= 113 && LDBL_MAX_EXP <= 16384, "long double is wider than expected");

struct big {
    size_t n; /* words in use; the last one is not 0 */
    uint32_t w[BIG_WORDS];
};

int wk_bits128(wk_u128 v)
{
    uint64_t hi = (uint64_t)(v >> 64), lo = (uint64_t)v;
    return hi ? 128 - __builtin_clzll(hi) : lo ? 64 - __builtin_clzll(lo) : 0;
}

struct wk_float_parts wk_float_split(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    struct wk_float_parts f = {.negative = bits >> 63, .mant_bits = 53, .min_exp = -1074};
    int exp = (int)(bits >> 52 & 0x7ff);
    f.mant = bits & 0xfffffffffffffu;
    if (exp == 0x7ff) {
        f.class = f.mant ? WK_FLOAT_NAN : WK_FLOAT_INF;
        return f;
    }
    f.class = exp == 0 && f.mant == 0 ? WK_FLOAT_ZERO : WK_FLOAT_FINITE;
    if (exp)
        f.mant |= (uint64_t)1 << 52;
    f.exp = (exp ? exp : 1) - 1075;
    return f;
}

struct wk_float_parts wk_float_splitl(long double v)
{
    struct wk_float_parts f = {.negative = signbit(v) != 0,
                               .mant_bits = LDBL_MANT_DIG,
                               .min_exp = LDBL_MIN_EXP - LDBL_MANT_DIG};
    if (isnan(v) || isinf(v) || !(v < 0 || v > 0)) {
        f.class = isnan(v) ? WK_FLOAT_NAN : isinf(v) ? WK_FLOAT_INF : WK_FLOAT_ZERO;
        return f;
    }
    int exp;
    long double m = frexpl(v < 0 ? -v : v, &exp);
    f.class = WK_FLOAT_FINITE;
    int bits = 0;
    while (m > 0) { /* m < 1: its next 32 bits */
        m = ldexpl(m, 32);
        uint32_t chunk = (uint32_t)m;
        m -= (long double)chunk;
        f.mant = f.mant << 32 | chunk;
        bits += 32;
    }
    f.exp = exp - bits;
    /* In the form that the type keeps: as many bits as it has, fewer for the subnormal ones. */
    int lsb = WK_MAX(exp - f.mant_bits, f.min_exp);
    if (lsb > f.exp)
        f.mant >>= lsb - f.exp;
    else
        f.mant <<= f.exp - lsb;
    f.exp = lsb;
    return f;
}

static void big_set(struct big *b, wk_u128 v, size_t shift)
{
    size_t words = shift / 32;
    unsigned bits = shift % 32;
    memset(b->w, 0, words * sizeof b->w[0]);
    b->n = words;
    /* Two steps, since v << 31 may pass 128 bits. */
    uint64_t carry = 0;
    for (; v || carry; v >>= 32) {
        carry |= (uint64_t)(uint32_t)v << bits;
        b->w[b->n++] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* b /= 10^9; returns the remainder. */
static uint32_t big_div_billion(struct big *b)
{
    uint64_t rem = 0;
    for (size_t i = b->n; i-- > 0;) {
        uint64_t cur = rem << 32 | b->w[i];
        b->w[i] = (uint32_t)(cur / BILLION);
        rem = cur % BILLION;
    }
    while (b->n && b->w[b->n - 1] == 0)
        b->n--;
    return (uint32_t)rem;
}

static void big_mul(struct big *b, uint32_t by)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < b->n; i++) {
        carry += (uint64_t)b->w[i] * by;
        b->w[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        b->w[b->n++] = (uint32_t)carry;
}

/* Splits off b >> k (it fits 32 bits) and leaves the k bits below. */
static uint32_t big_take_top(struct big *b, size_t k)
{
    size_t word = k / 32;
    unsigned bit = k % 32;
    if (b->n <= word)
        return 0;
    uint64_t top = b->w[word];
    if (word + 1 < b->n)
        top |= (uint64_t)b->w[word + 1] << 32;
    top >>= bit;
    b->w[word] &= ((uint32_t)1 << bit) - 1;
    b->n = word + 1;
    while (b->n && b->w[b->n - 1] == 0)
        b->n--;
    return (uint32_t)top;
}

/* Nine digits with leading zeros. */
static void put_nine(char *out, uint32_t v)
{
    for (size_t i = 9; i-- > 0; v /= 10)
        out[i] = (char)('0' + v % 10);
}

static bool digits_room(struct wk_digits *d, struct wk_mem *mem, size_t room)
{
    *d = (struct wk_digits){.mem = mem};
    d->d = d->small;
    if (room <= sizeof d->small)
        return true;
    d->block = wk_alloc(mem, room);
    d->d = d->block;
    return d->block != NULL;
}

void wk_digits_release(struct wk_digits *d)
{
    if (d->block)
        wk_free(d->mem, d->block);
    d->block = NULL;
}

/* Drops zeros in front of the first digit. */
static void strip_front(struct wk_digits *d)
{
    size_t zeros = 0;
    while (zeros < d->n && d->d[zeros] == '0')
        zeros++;
    memmove(d->d, d->d + zeros, d->n - zeros);
    d->n -= zeros;
    d->exp10 -= (int64_t)zeros;
}

static void integer_digits(struct wk_digits *d, struct big *b, size_t room)
{
    size_t at = room / 9 * 9; /* from the end backwards */
    size_t end = at;
    while (b->n) {
        at -= 9;
        put_nine(d->d + at, big_div_billion(b));
    }
    memmove(d->d, d->d + at, end - at);
    d->n = end - at;
    d->exp10 = (int64_t)d->n;
    strip_front(d);
}

/* Digits of b / 2^k: appends to d until `places` after the point (or, when `significant` is not 0,
 * until that many digits are there). */
static void fraction_digits(struct wk_digits *d, struct big *b, size_t k, size_t significant,
                            size_t places)
{
    size_t done = 0;
    while (b->n && (significant ? d->n < significant : done < places)) {
        big_mul(b, FIVE_9);
        uint32_t nine;
        if (k >= 9) {
            k -= 9;
            nine = big_take_top(b, k);
        } else {
            nine = (b->n ? b->w[0] : 0) << (9 - k);
            b->n = 0;
        }
        done += 9;
        if (d->n == 0) {
            if (nine == 0) {
                d->exp10 -= 9;
                continue;
            }
            put_nine(d->d, nine);
            d->n = 9;
            strip_front(d);
        } else {
            put_nine(d->d + d->n, nine);
            d->n += 9;
        }
    }
    d->more = b->n != 0;
}

bool wk_digits_make(struct wk_digits *out, struct wk_mem *mem, const struct wk_float_parts *f,
                    size_t significant, size_t fraction)
{
    wk_u128 mant = f->mant;
    int exp = f->exp;
    if (mant == 0)
        return digits_room(out, mem, 0);
    while ((mant & 1) == 0) {
        mant >>= 1;
        exp++;
    }
    struct big b;
    size_t k = exp < 0 ? (size_t)-exp : 0;
    wk_u128 whole = k == 0 ? mant : k < 128 ? mant >> k : 0;
    size_t whole_bits = (size_t)wk_bits128(whole) + (exp > 0 ? (size_t)exp : 0);
    size_t whole_digits = whole_bits * 3 / 10 + whole_bits / 100 + 18; /* log10(2) < 0.31 */
    size_t places = WK_MIN(k, significant ? significant : fraction) + 18;
    if (!digits_room(out, mem, whole_digits + places))
        return false;
    if (whole) {
        big_set(&b, whole, exp > 0 ? (size_t)exp : 0);
        integer_digits(out, &b, whole_digits);
    }
    if (k) {
        wk_u128 part = k < 128 ? mant & (((wk_u128)1 << k) - 1) : mant;
        big_set(&b, part, 0);
        fraction_digits(out, &b, k, significant, fraction);
    }
    return true;
}

void wk_digits_round(struct wk_digits *d, int64_t keep)
{
    if (keep >= (int64_t)d->n)
        return; /* what follows is zero, or below what was asked for */
    if (keep < 0) {
        d->n = 0;
        return;
    }
    size_t n = (size_t)keep;
    bool rest = d->more;
    for (size_t i = n + 1; i < d->n && !rest; i++)
        rest = d->d[i] != '0';
    bool odd = n > 0 && ((d->d[n - 1] - '0') & 1);
    bool up = d->d[n] > '5' || (d->d[n] == '5' && (rest || odd));
    d->n = n;
    d->more = false;
    if (!up)
        return;
    while (n > 0 && d->d[n - 1] == '9')
        d->d[--n] = '0';
    if (n > 0) {
        d->d[n - 1]++;
        return;
    }
    d->d[0] = '1'; /* 99.9 became 100: one digit more in front, zeros stay behind */
    if (d->n == 0)
        d->n = 1;
    d->exp10++;
}
