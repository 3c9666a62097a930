/* fnum_parse.c - reading floating numbers, correctly rounded
 *
 * A number of at most 19 digits with a small power of ten is one exact multiplication or division.
 * Otherwise digits * 10^e is made as a quotient of big integers (5^e on one side, powers of two
 * kept apart) that has more bits than the type, and rounded half to even with a sticky bit.
 */
#include "base/fnum.h"

#include "base/err.h"
#include "base/fnum_digits.h"

#include <float.h>
#include <math.h>

enum {
    MAX_DIGITS = 770, /* the longest exact midpoint of two doubles has 767 */
    NUM_WORDS = 520,  /* 10^4934, the largest number of any type */
    DEN_WORDS = 424   /* 5^5737: 10^-4967 with 770 digits */
};

/* What the text says: 0.d1d2… * 10^exp10. */
struct decimal {
    const char *first; /* first digit that is not zero; a point may stand among those after it */
    size_t n;          /* digits looked at, without trailing zeros, at most MAX_DIGITS */
    bool more;         /* others follow that are not all zero */
    int64_t exp10;
};

struct target {
    int bits, min_exp, max_exp; /* mantissa; exp of the least number; 2^max_exp overflows */
};

/* mant * 2^exp, to be rounded; sticky: a little more than that. */
struct rounded {
    wk_u128 mant;
    int64_t exp;
    int err;
    bool inf;
};

static int64_t saturate(int64_t v)
{
    const int64_t far = (int64_t)1 << 60;
    return v > far ? far : v < -far ? -far : v;
}

/* An exponent after e or p. Returns the bytes used, 0 when it is none. */
static size_t read_exponent(struct wk_str s, char letter, int64_t *out)
{
    size_t i = 1;
    bool negative = false;
    int64_t v = 0;
    if (s.n < 2 || (s.p[0] | 0x20) != letter)
        return 0;
    if (s.p[i] == '+' || s.p[i] == '-')
        negative = s.p[i++] == '-';
    if (i >= s.n || !wk_is_digit(s.p[i]))
        return 0;
    for (; i < s.n && wk_is_digit(s.p[i]); i++)
        if (v < (int64_t)1 << 56) /* beyond that every number is 0 or infinite */
            v = v * 10 + (s.p[i] - '0');
    *out = negative ? -v : v;
    return i;
}

/* Keeps exp within what the types know, rounding `v` (bits below are in sticky). */
static struct rounded round_to(wk_u128 mant, int64_t exp, bool sticky, const struct target *t)
{
    struct rounded r = {0};
    int64_t lsb = exp + wk_bits128(mant) - t->bits;
    if (lsb < t->min_exp)
        lsb = t->min_exp;
    int64_t drop = lsb - exp;
    if (drop > 0) {
        wk_u128 rest, half;
        if (drop > 127) {
            sticky = sticky || mant;
            rest = 0;
            half = 1;
            mant = 0;
        } else {
            half = (wk_u128)1 << (drop - 1);
            rest = mant & ((half << 1) - 1);
            mant >>= drop;
        }
        if (rest > half || (rest == half && (sticky || (mant & 1))))
            mant++;
        sticky = sticky || rest;
    } else if (mant) {
        mant <<= -drop; /* as many bits as the type has: it does not pass 113 */
    }
    r.mant = mant;
    r.exp = lsb;
    if (mant && lsb + wk_bits128(mant) > t->max_exp) {
        r.inf = true;
        r.err = -WK_ERANGE;
    } else if (sticky && lsb == t->min_exp && wk_bits128(mant) < t->bits) {
        r.err = -WK_ERANGE;
    }
    return r;
}

/* ---- big integers: little-endian rows of 32-bit words ------------------------------------------
 */

static size_t mul_small(uint32_t *w, size_t n, uint32_t by, uint32_t add)
{
    uint64_t carry = add;
    for (size_t i = 0; i < n; i++) {
        carry += (uint64_t)w[i] * by;
        w[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        w[n++] = (uint32_t)carry;
    return n;
}

static size_t mul_pow5(uint32_t *w, size_t n, size_t power)
{
    for (; power >= 13; power -= 13)
        n = mul_small(w, n, 1220703125, 0);
    uint32_t rest = 1;
    while (power--)
        rest *= 5;
    return mul_small(w, n, rest, 0);
}

static size_t bit_length(const uint32_t *w, size_t n)
{
    return n ? n * 32 - (size_t)__builtin_clz(w[n - 1]) : 0;
}

static size_t shift_left(uint32_t *w, size_t n, size_t by)
{
    size_t words = by / 32;
    unsigned bits = by % 32;
    w[n] = 0;
    for (size_t i = n + 1; i-- > 0;) {
        uint64_t pair = (uint64_t)w[i] << 32 | (i ? w[i - 1] : 0);
        w[i + words] = (uint32_t)(pair >> (32 - bits));
    }
    memset(w, 0, words * sizeof *w);
    n += words + 1;
    while (n && w[n - 1] == 0)
        n--;
    return n;
}

/* One word of a long division: u[0..dn] / d, d's top bit set; leaves the remainder in u. */
static uint32_t divide_step(uint32_t *u, const uint32_t *d, size_t dn)
{
    uint64_t top = (uint64_t)u[dn] << 32 | u[dn - 1];
    uint64_t q = top / d[dn - 1], rem = top % d[dn - 1];
    uint32_t second = dn > 1 ? d[dn - 2] : 0, under = dn > 1 ? u[dn - 2] : 0;
    while (q > UINT32_MAX || q * second > (rem << 32 | under)) {
        q--;
        rem += d[dn - 1];
        if (rem > UINT32_MAX)
            break;
    }
    uint64_t carry = 0, borrow = 0;
    for (size_t i = 0; i <= dn; i++) {
        carry += i < dn ? q * d[i] : 0;
        uint64_t diff = (uint64_t)u[i] - (uint32_t)carry - borrow;
        u[i] = (uint32_t)diff;
        borrow = diff >> 63;
        carry >>= 32;
    }
    if (borrow) { /* q was one too many */
        q--;
        carry = 0;
        for (size_t i = 0; i <= dn; i++) {
            carry += (uint64_t)u[i] + (i < dn ? d[i] : 0);
            u[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return (uint32_t)q;
}

/* The top 128 bits of a row; the exponent of the lowest of them is added to *exp. */
static wk_u128 top_bits(const uint32_t *w, size_t n, int64_t *exp, bool *sticky)
{
    size_t len = bit_length(w, n);
    size_t low = len > 128 ? len - 128 : 0;
    wk_u128 v = 0;
    for (size_t i = n; i-- > 0;) {
        size_t at = i * 32;
        if (at >= low)
            v |= (wk_u128)w[i] << (at - low);
        else if (at + 32 > low)
            v |= w[i] >> (low - at);
    }
    for (size_t i = 0; i * 32 < low && !*sticky; i++)
        *sticky = i * 32 + 32 <= low ? w[i] != 0 : (w[i] & (((uint32_t)1 << low % 32) - 1)) != 0;
    *exp += (int64_t)low;
    return v;
}

/* Digits of d as a row; a 1 after them stands for those that were not looked at. */
static size_t digits_to_row(const struct decimal *d, uint32_t *w, size_t *count)
{
    size_t n = 0, done = 0;
    const char *p = d->first;
    while (done < d->n) {
        uint32_t chunk = 0, scale = 1;
        for (; done < d->n && scale < 1000000000; p++) {
            if (*p == '.')
                continue;
            chunk = chunk * 10 + (uint32_t)(*p - '0');
            scale *= 10;
            done++;
        }
        n = mul_small(w, n, scale, chunk);
    }
    *count = d->n;
    if (d->more) {
        n = mul_small(w, n, 10, 1);
        ++*count;
    }
    return n;
}

static struct rounded slow_decimal(const struct decimal *d, const struct target *t)
{
    uint32_t num[NUM_WORDS], den[DEN_WORDS];
    size_t count;
    bool sticky = false;
    size_t n = digits_to_row(d, num, &count);
    int64_t e10 = d->exp10 - (int64_t)count, exp = e10;
    if (e10 >= 0) {
        n = mul_pow5(num, n, (size_t)e10);
        wk_u128 mant = top_bits(num, n, &exp, &sticky);
        return round_to(mant, exp, sticky, t);
    }
    den[0] = 1;
    size_t dn = mul_pow5(den, 1, (size_t)-e10);
    /* The divisor's top bit set, and a quotient of at least bits + 2 bits. */
    size_t align = (32 - bit_length(den, dn) % 32) % 32;
    dn = shift_left(den, dn, align);
    size_t want = bit_length(den, dn) + (size_t)t->bits + 2, have = bit_length(num, n);
    size_t up = want > have ? want - have : 0;
    n = shift_left(num, n, up);
    exp += (int64_t)align - (int64_t)up;
    if (n < dn)
        n = dn; /* cannot be: num has more bits */
    num[n] = 0;
    wk_u128 mant = 0;
    /* More quotient words than 128 bits come only from long digit rows: keep the top ones. */
    for (size_t i = n - dn + 1; i-- > 0;) {
        uint32_t q = divide_step(num + i, den, dn);
        if (mant >> 96) {
            sticky = sticky || q;
            exp += 32;
        } else {
            mant = mant << 32 | q;
        }
    }
    for (size_t i = 0; i < dn && !sticky; i++)
        sticky = num[i] != 0;
    return round_to(mant, exp, sticky, t);
}

/* ---- scanning ----------------------------------------------------------------------------------
 */

/* Bytes of the number (0 = none). */
static size_t scan_decimal(struct wk_str s, struct decimal *d)
{
    size_t i = 0, digits = 0, kept = 0, trailing = 0;
    bool point = false;
    int64_t exp = 0;
    *d = (struct decimal){0};
    for (; i < s.n; i++) {
        if (s.p[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (!wk_is_digit(s.p[i]))
            break;
        digits++;
        exp += !point;
        if (s.p[i] == '0') {
            if (!d->first)
                exp--; /* in front of the first digit: one place fewer */
            else
                trailing++;
            continue;
        }
        if (!d->first)
            d->first = s.p + i;
        kept += trailing + 1;
        trailing = 0;
    }
    if (digits == 0)
        return 0;
    d->n = WK_MIN(kept, (size_t)MAX_DIGITS);
    d->more = kept > d->n;
    int64_t by = 0;
    i += read_exponent(wk_str_from(s, i), 'e', &by);
    d->exp10 = saturate(exp + by);
    return i;
}

static uint64_t first_digits(const struct decimal *d)
{
    uint64_t v = 0;
    const char *p = d->first;
    for (size_t done = 0; done < d->n; p++) {
        if (*p == '.')
            continue;
        v = v * 10 + (uint64_t)(*p - '0');
        done++;
    }
    return v;
}

/* Bytes after "0x". */
static size_t scan_hex(struct wk_str s, wk_u128 *mant, int64_t *exp, bool *sticky)
{
    size_t i = 0, digits = 0;
    bool point = false;
    *mant = 0;
    *exp = 0;
    *sticky = false;
    for (; i < s.n; i++) {
        if (s.p[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (!wk_is_xdigit(s.p[i]))
            break;
        unsigned v =
            wk_is_digit(s.p[i]) ? (unsigned)(s.p[i] - '0') : (unsigned)((s.p[i] | 0x20) - 'a') + 10;
        digits++;
        if (*mant >> 120) {
            *sticky = *sticky || v;
            *exp += point ? 0 : 4;
        } else {
            *mant = *mant << 4 | v;
            *exp -= point ? 4 : 0;
        }
    }
    if (digits == 0)
        return 0;
    int64_t by = 0;
    i += read_exponent(wk_str_from(s, i), 'p', &by);
    *exp = saturate(*exp + by);
    return i;
}

static bool word_at(struct wk_str s, const char *lower)
{
    size_t i = 0;
    for (; lower[i]; i++)
        if (i >= s.n || (s.p[i] | 0x20) != lower[i])
            return false;
    return true;
}

/* Bytes of "nan(chars)" after "nan". */
static size_t scan_nan_tag(struct wk_str s)
{
    if (s.n == 0 || s.p[0] != '(')
        return 0;
    size_t i = 1;
    while (i < s.n && wk_is_name_char((unsigned char)s.p[i]))
        i++;
    return i < s.n && s.p[i] == ')' ? i + 1 : 0;
}

enum text_kind { TEXT_NONE, TEXT_ZERO, TEXT_INF, TEXT_NAN, TEXT_DECIMAL, TEXT_HEX };

struct scanned {
    enum text_kind kind;
    bool negative;
    size_t used;
    struct decimal dec;
    wk_u128 mant; /* of a hexadecimal number */
    int64_t exp;
    bool sticky;
};

static void scan(struct wk_str s, struct scanned *o)
{
    *o = (struct scanned){0};
    o->negative = s.n && s.p[0] == '-';
    size_t sign = o->negative || (s.n && s.p[0] == '+');
    struct wk_str t = wk_str_from(s, sign);
    size_t n = 0;
    if (word_at(t, "inf")) {
        o->kind = TEXT_INF;
        n = word_at(t, "infinity") ? 8 : 3;
    } else if (word_at(t, "nan")) {
        o->kind = TEXT_NAN;
        n = 3 + scan_nan_tag(wk_str_from(t, 3));
    } else if (t.n > 2 && t.p[0] == '0' && (t.p[1] | 0x20) == 'x' &&
               (n = scan_hex(wk_str_from(t, 2), &o->mant, &o->exp, &o->sticky))) {
        n += 2;
        o->kind = o->mant ? TEXT_HEX : TEXT_ZERO;
    } else if ((n = scan_decimal(t, &o->dec))) {
        o->kind = o->dec.n ? TEXT_DECIMAL : TEXT_ZERO;
    }
    o->used = n ? n + sign : 0;
}

/* A finite number that the quick way did not give. */
static struct rounded convert(const struct scanned *o, const struct target *t)
{
    if (o->kind == TEXT_HEX)
        return round_to(o->mant, o->exp, o->sticky, t);
    if (o->dec.exp10 > 4934)
        return (struct rounded){.inf = true, .err = -WK_ERANGE};
    if (o->dec.exp10 < -4966)
        return (struct rounded){.err = -WK_ERANGE};
    return slow_decimal(&o->dec, t);
}

size_t wk_scan_double(struct wk_str s, double *out, int *err)
{
    static const struct target target = {DBL_MANT_DIG, DBL_MIN_EXP - DBL_MANT_DIG, DBL_MAX_EXP};
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct scanned o;
    scan(s, &o);
    double v = 0;
    *err = 0;
    int64_t e10 = o.dec.exp10 - (int64_t)o.dec.n;
    if (o.kind == TEXT_INF) {
        v = (double)INFINITY;
    } else if (o.kind == TEXT_NAN) {
        v = (double)NAN;
    } else if (FLT_EVAL_METHOD == 0 && o.kind == TEXT_DECIMAL && o.dec.n <= 15 && e10 >= -22 &&
               e10 <= 22) {
        v = (double)first_digits(&o.dec);
        v = e10 < 0 ? v / tens[-e10] : v * tens[e10];
    } else if (o.kind == TEXT_DECIMAL || o.kind == TEXT_HEX) {
        struct rounded r = convert(&o, &target);
        *err = r.err;
        v = r.inf ? (double)INFINITY : ldexp((double)(uint64_t)r.mant, (int)r.exp);
    }
    *out = o.used && o.negative ? -v : v;
    return o.used;
}

size_t wk_scan_ldouble(struct wk_str s, long double *out, int *err)
{
    static const struct target target = {LDBL_MANT_DIG, LDBL_MIN_EXP - LDBL_MANT_DIG, LDBL_MAX_EXP};
    struct scanned o;
    scan(s, &o);
    long double v = 0;
    *err = 0;
    int64_t e10 = o.dec.exp10 - (int64_t)o.dec.n;
    if (o.kind == TEXT_INF) {
        v = (long double)INFINITY;
    } else if (o.kind == TEXT_NAN) {
        v = (long double)NAN;
    } else if (LDBL_MANT_DIG >= 64 && o.kind == TEXT_DECIMAL && o.dec.n <= 19 && e10 >= -27 &&
               e10 <= 27) {
        v = (long double)first_digits(&o.dec);
        long double ten = 1; /* 10^27 and those before it are exact in 64 bits */
        for (int64_t i = e10 < 0 ? -e10 : e10; i > 0; i--)
            ten *= 10;
        v = e10 < 0 ? v / ten : v * ten;
    } else if (o.kind == TEXT_DECIMAL || o.kind == TEXT_HEX) {
        struct rounded r = convert(&o, &target);
        *err = r.err;
        long double m = ldexpl((long double)(uint64_t)(r.mant >> 64), 64);
        m += (long double)(uint64_t)r.mant;
        v = r.inf ? (long double)INFINITY : ldexpl(m, (int)r.exp);
    }
    *out = o.used && o.negative ? -v : v;
    return o.used;
}

int wk_parse_double(struct wk_str s, double *out)
{
    int err;
    size_t n = wk_scan_double(s, out, &err);
    return n == 0 || n != s.n ? -WK_EINVAL : err;
}
