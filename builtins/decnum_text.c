/* decnum_text.c - decimal numbers of any length from and to text in any base */
#include "builtins/decnum.h"

#include "base/num.h"

static uint32_t digit_of(char ch)
{
    return ch <= '9' ? (uint32_t)(ch - '0') : (uint32_t)(ch - 'A') + 10;
}

/* Digits as a whole number; none counts for more than `most`. */
static struct wk_dec *read_whole(struct wk_cmd *c, struct wk_str s, uint32_t base, uint32_t most)
{
    size_t room = s.n / 5 + 2, n = 0; /* 36 to the 5th is below a limb */
    struct wk_dec *x = (struct wk_dec *)wk_heap_zalloc(c->heap, sizeof *x + room * sizeof x->v[0]);
    x->refs = 1;
    for (size_t at = 0; at < s.n;) {
        uint64_t by = 1, carry = 0;
        for (size_t k = 0; k < 5 && at < s.n; k++, at++) {
            by *= base;
            carry = carry * base + WK_MIN(digit_of(s.p[at]), most);
        }
        for (size_t i = 0; i < n; i++) {
            carry += x->v[i] * by;
            x->v[i] = (uint32_t)(carry % WK_DEC_LIMB);
            carry /= WK_DEC_LIMB;
        }
        if (carry)
            x->v[n++] = (uint32_t)carry;
        wk_tick(c, (uint32_t)WK_MIN(n / 8 + 1, (size_t)1 << 24));
    }
    x->whole = n;
    return x;
}

/* The same for base 10, with a fraction. */
static struct wk_dec *read_decimal(struct wk_cmd *c, struct wk_str whole, struct wk_str part)
{
    while (whole.n && whole.p[0] == '0')
        whole = wk_str_from(whole, 1);
    size_t frac = (part.n + WK_DEC_LIMB_DIGITS - 1) / WK_DEC_LIMB_DIGITS;
    size_t limbs = (whole.n + WK_DEC_LIMB_DIGITS - 1) / WK_DEC_LIMB_DIGITS;
    struct wk_dec *x = (struct wk_dec *)wk_heap_zalloc(c->heap, sizeof *x + (frac + limbs + 1) * sizeof x->v[0]);
    x->refs = 1;
    x->scale = part.n;
    x->whole = limbs;
    for (size_t i = 0; i < frac * WK_DEC_LIMB_DIGITS; i++) {
        uint32_t *v = &x->v[frac - 1 - i / WK_DEC_LIMB_DIGITS];
        *v = *v * 10 + (i < part.n ? WK_MIN(digit_of(part.p[i]), 9U) : 0);
    }
    for (size_t i = 0; i < whole.n; i++) {
        uint32_t *v = &x->v[frac + (whole.n - 1 - i) / WK_DEC_LIMB_DIGITS];
        *v = *v * 10 + WK_MIN(digit_of(whole.p[i]), 9U);
    }
    wk_tick(c, (uint32_t)WK_MIN((whole.n + part.n) / 8 + 1, (size_t)1 << 24));
    return x;
}

static struct wk_dec *power_of(struct wk_cmd *c, uint32_t base, size_t e)
{
    struct wk_dec *b = wk_dec_int(c, base), *r = wk_dec_raise(c, b, (int64_t)e, 0);
    wk_dec_unref(c, b);
    return r;
}

/* whole + part / base ^ digits of part */
static struct wk_dec *read_based(struct wk_cmd *c, struct wk_dec *whole, struct wk_str part, uint32_t base,
                                 uint32_t most)
{
    if (!part.n)
        return whole;
    struct wk_dec *top = read_whole(c, part, base, most), *below = power_of(c, base, part.n);
    struct wk_dec *q = wk_dec_div(c, top, below, part.n), *sum = wk_dec_add(c, whole, q, false);
    wk_dec_unref(c, whole);
    wk_dec_unref(c, top);
    wk_dec_unref(c, below);
    wk_dec_unref(c, q);
    return sum;
}

struct wk_dec *wk_dec_read_free(struct wk_cmd *c, struct wk_str whole, struct wk_str part, uint32_t base)
{
    bool decimal = base == 10;
    for (size_t i = 0; i < whole.n && decimal; i++)
        decimal = whole.p[i] <= '9';
    for (size_t i = 0; i < part.n && decimal; i++)
        decimal = part.p[i] <= '9';
    return decimal ? read_decimal(c, whole, part) : read_based(c, read_whole(c, whole, base, 35), part, base, 35);
}

struct wk_dec *wk_dec_read(struct wk_cmd *c, struct wk_str text, uint32_t base)
{
    bool minus = text.n && text.p[0] == '-';
    text = wk_str_from(text, minus);
    size_t point = 0;
    while (point < text.n && text.p[point] != '.')
        point++;
    struct wk_str whole = wk_str(text.p, point), part = wk_str_from(text, WK_MIN(point + 1, text.n));
    struct wk_dec *x;
    if (text.n == 1 && point == 1) {
        x = wk_dec_int(c, digit_of(text.p[0]));
    } else if (base == 10) {
        x = read_decimal(c, whole, part);
    } else {
        x = whole.n == 1 ? wk_dec_int(c, digit_of(whole.p[0])) : read_whole(c, whole, base, base - 1);
        x = read_based(c, x, part, base, base - 1);
    }
    if (!minus)
        return x;
    struct wk_dec *r = wk_dec_negate(c, x);
    wk_dec_unref(c, x);
    return r;
}

struct writer {
    void (*put)(void *ctx, char ch);
    void *ctx;
    uint32_t base;
    size_t width; /* of a digit above base 16 */
};

static void put_text(const struct writer *w, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        w->put(w->ctx, p[i]);
}

static void put_digit(const struct writer *w, uint64_t digit, bool blank)
{
    if (w->base <= 16) {
        w->put(w->ctx, "0123456789ABCDEF"[digit]);
        return;
    }
    char text[WK_NUM_MAX];
    size_t n = wk_fmt_u64(text, digit, 10);
    if (blank)
        w->put(w->ctx, ' ');
    for (size_t i = n; i < w->width; i++)
        w->put(w->ctx, '0');
    put_text(w, text, n);
}

static void put_limb(const struct writer *w, uint32_t limb, size_t skip, size_t end)
{
    char text[WK_DEC_LIMB_DIGITS];
    for (size_t k = WK_DEC_LIMB_DIGITS; k-- > 0; limb /= 10)
        text[k] = (char)('0' + limb % 10);
    put_text(w, text + skip, end - skip);
}

static void write_decimal(const struct writer *w, const struct wk_dec *x)
{
    size_t frac = (x->scale + WK_DEC_LIMB_DIGITS - 1) / WK_DEC_LIMB_DIGITS;
    size_t skip = x->whole * WK_DEC_LIMB_DIGITS - wk_dec_whole_digits(x);
    for (size_t i = x->whole; i-- > 0; skip = 0)
        put_limb(w, x->v[frac + i], skip, WK_DEC_LIMB_DIGITS);
    if (x->scale)
        w->put(w->ctx, '.');
    for (size_t i = frac, left = x->scale; i-- > 0; left -= WK_MIN(left, (size_t)WK_DEC_LIMB_DIGITS))
        put_limb(w, x->v[i], 0, WK_MIN(left, (size_t)WK_DEC_LIMB_DIGITS));
}

/* Digits of the whole part: by division by powers of the base that a limb holds. */
static void write_whole(struct wk_cmd *c, const struct writer *w, const struct wk_dec *x)
{
    size_t frac = (x->scale + WK_DEC_LIMB_DIGITS - 1) / WK_DEC_LIMB_DIGITS, n = x->whole, count = 0, per = 1;
    uint64_t by = w->base;
    while (by * w->base <= WK_DEC_LIMB) {
        by *= w->base;
        per++;
    }
    uint32_t *v = wk_new_n(c, uint32_t, n + 1);
    uint32_t *digit = wk_new_n(c, uint32_t, n * 30 + 64); /* a limb has 30 digits of base 2 */
    memcpy(v, x->v + frac, n * sizeof *v);
    while (n) {
        uint64_t rest = 0;
        for (size_t i = n; i-- > 0;) {
            rest = rest * WK_DEC_LIMB + v[i];
            v[i] = (uint32_t)(rest / by);
            rest %= by;
        }
        while (n && v[n - 1] == 0)
            n--;
        for (size_t k = 0; k < per; k++, rest /= w->base)
            digit[count++] = (uint32_t)(rest % w->base);
        wk_tick(c, (uint32_t)WK_MIN(n / 8 + 1, (size_t)1 << 24));
    }
    while (count && digit[count - 1] == 0)
        count--;
    while (count-- > 0)
        put_digit(w, digit[count], true);
    wk_heap_free(c->heap, v);
    wk_heap_free(c->heap, digit);
}

/* Digits of the fraction, as many as the base needs for a power of it to have more digits than the
 * scale. */
static void write_part(struct wk_cmd *c, const struct writer *w, const struct wk_dec *x)
{
    struct wk_dec *base = wk_dec_int(c, w->base), *unit = wk_dec_int(c, 1);
    size_t n = (x->scale + WK_DEC_LIMB_DIGITS - 1) / WK_DEC_LIMB_DIGITS;
    uint32_t *v = wk_new_n(c, uint32_t, n + 1);
    memcpy(v, x->v, n * sizeof *v);
    w->put(w->ctx, '.');
    for (bool first = true; wk_dec_whole_digits(unit) <= x->scale; first = false) {
        uint64_t carry = 0;
        for (size_t i = 0; i < n; i++) {
            carry += (uint64_t)v[i] * w->base;
            v[i] = (uint32_t)(carry % WK_DEC_LIMB);
            carry /= WK_DEC_LIMB;
        }
        put_digit(w, carry, !first);
        struct wk_dec *next = wk_dec_mul(c, unit, base, 0);
        wk_dec_unref(c, unit);
        unit = next;
        wk_tick(c, (uint32_t)WK_MIN(n / 8 + 1, (size_t)1 << 24));
    }
    wk_dec_unref(c, base);
    wk_dec_unref(c, unit);
    wk_heap_free(c->heap, v);
}

void wk_dec_write(struct wk_cmd *c, struct wk_dec *x, uint32_t base, bool leading_zero,
                  void (*put)(void *ctx, char ch), void *ctx)
{
    char text[WK_NUM_MAX];
    struct writer w = {put, ctx, base, wk_fmt_u64(text, base - 1, 10)};
    if (x->minus)
        put(ctx, '-');
    if (wk_dec_zero(x)) {
        put(ctx, '0');
        return;
    }
    if (!x->whole && leading_zero)
        put(ctx, '0');
    if (base == 10) {
        write_decimal(&w, x);
        return;
    }
    write_whole(c, &w, x);
    if (x->scale)
        write_part(c, &w, x);
}
