/* wk_factor_word.c - prime factors of a number of one word
 *
 * Small primes by division, then Miller and Rabin's test (with bases that prove it below 2^64) and Pollard's rho
 * in Brent's form; products modulo n in Montgomery's form.
 */
#include "builtins/factor.h"

struct word_mod {
    uint64_t m, inverse, one;
};

uint64_t wk_factor_inverse(uint64_t m)
{
    uint64_t x = m; /* right in three bits, twice as many each time */
    for (int i = 0; i < 5; i++)
        x *= 2 - m * x;
    return 0 - x;
}

static struct word_mod mod_of(uint64_t m)
{
    return (struct word_mod){m, wk_factor_inverse(m), (0 - m) % m};
}

static uint64_t times(const struct word_mod *s, uint64_t a, uint64_t b)
{
    wk_u128 t = (wk_u128)a * b;
    wk_u128 u = (wk_u128)((uint64_t)t * s->inverse) * s->m;
    uint64_t high = (uint64_t)(t >> 64), add = (uint64_t)(u >> 64), carry = (uint64_t)t != 0;
    wk_u128 r = (wk_u128)high + add + carry;
    return (uint64_t)(r >= s->m ? r - s->m : r);
}

static uint64_t plus(const struct word_mod *s, uint64_t a, uint64_t b)
{
    return a >= s->m - b ? a - (s->m - b) : a + b;
}

/* base itself is made from ones, so that no conversion is needed. */
static bool is_strong(const struct word_mod *s, unsigned base)
{
    uint64_t b = 0, one = s->one, minus = s->m - one;
    for (unsigned bit = 32; bit-- > 0;) {
        b = plus(s, b, b);
        if (base >> bit & 1)
            b = plus(s, b, one);
    }
    if (!b)
        return true;
    unsigned twos = (unsigned)__builtin_ctzll(s->m - 1);
    uint64_t r = one;
    for (unsigned bit = 64; bit-- > twos;) {
        r = times(s, r, r);
        if ((s->m - 1) >> bit & 1)
            r = times(s, r, b);
    }
    if (r == one || r == minus)
        return true;
    for (unsigned i = 1; i < twos; i++) {
        r = times(s, r, r);
        if (r == minus)
            return true;
    }
    return false;
}

static bool is_prime(const struct word_mod *s)
{
    static const unsigned char bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    for (size_t i = 0; i < sizeof bases; i++)
        if (!is_strong(s, bases[i]))
            return false;
    return true;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* A factor of the composite s->m, or s->m itself when the walk with this step finds none. */
static uint64_t walk(struct wk_cmd *c, const struct word_mod *s, uint64_t step)
{
    enum { BATCH = 128 };
    uint64_t y = plus(s, s->one, s->one), x = y, held = y, product = s->one, g = 1;
    for (uint64_t length = 1; g == 1; length *= 2) {
        x = y;
        for (uint64_t i = 0; i < length; i++)
            y = plus(s, times(s, y, y), step);
        for (uint64_t k = 0; k < length && g == 1; k += BATCH) {
            held = y;
            for (uint64_t i = 0; i < WK_MIN((uint64_t)BATCH, length - k); i++) {
                y = plus(s, times(s, y, y), step);
                product = times(s, product, distance(x, y));
            }
            g = gcd(product, s->m);
            wk_tick(c, BATCH / 4);
        }
        wk_tick(c, (uint32_t)(length / 8 & 0xffffff) + 1);
    }
    if (g < s->m)
        return g;
    do {
        held = plus(s, times(s, held, held), step);
        g = gcd(distance(x, held), s->m);
        wk_tick(c, 1);
    } while (g == 1);
    return g;
}

static uint64_t divisor(struct wk_cmd *c, const struct word_mod *s)
{
    uint64_t step = s->one, g;
    while ((g = walk(c, s, step)) == s->m)
        step = plus(s, step, s->one);
    return g;
}

size_t wk_factor_word(struct wk_cmd *c, uint64_t v, uint64_t out[FACTOR_WORD_MOST])
{
    enum { SMALL = 256 };
    uint64_t todo[FACTOR_WORD_MOST];
    size_t n = 0, left = 0;
    for (; v % 2 == 0; v /= 2)
        out[n++] = 2;
    for (uint64_t p = 3; p < SMALL && p * p <= v; p += 2)
        for (; v % p == 0; v /= p)
            out[n++] = p;
    if (v > 1)
        todo[left++] = v;
    while (left) {
        v = todo[--left];
        struct word_mod s = mod_of(v);
        if (v < (uint64_t)SMALL * SMALL || is_prime(&s)) {
            out[n++] = v;
            continue;
        }
        uint64_t d = divisor(c, &s);
        todo[left++] = d;
        todo[left++] = v / d;
    }
    return n;
}
