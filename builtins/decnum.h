/* decnum.h - decimal numbers of any length with a scale: the arithmetic of bc and dc
 *
 * A number is never changed once it is made and is counted by references: every function that returns
 * one gives the caller a reference of its own, every argument stays the caller's. Work is counted by
 * the limbs that are touched; memory is the process heap's.
 */
#ifndef WK_BUILTINS_DECNUM_H
#define WK_BUILTINS_DECNUM_H

#include "kern/cmd.h"

enum { WK_DEC_LIMB_DIGITS = 9, WK_DEC_LIMB = 1000000000 };

/* Limbs of nine digits, lowest first: those of the fraction (the last one filled up with zeros at its low
 * end), then those of the whole part without leading zeros. */
struct wk_dec {
    uint32_t refs;
    bool minus; /* never for zero */
    size_t whole, scale; /* limbs, digits */
    uint32_t v[];
};

static inline struct wk_dec *wk_dec_ref(struct wk_dec *x)
{
    x->refs++;
    return x;
}
void wk_dec_unref(struct wk_cmd *c, struct wk_dec *x); /* may be NULL */

struct wk_dec *wk_dec_int(struct wk_cmd *c, int64_t v);
/* The number's text in `base` (2…36 of digits 0-9 A-Z): a point, no sign but a leading '-' . A lone
 * digit counts for itself (in another base than 10 also before a point), others at most base - 1. */
struct wk_dec *wk_dec_read(struct wk_cmd *c, struct wk_str text, uint32_t base);
/* Both parts of a number without point or sign; digits may be greater than the base has them. */
struct wk_dec *wk_dec_read_free(struct wk_cmd *c, struct wk_str whole, struct wk_str part, uint32_t base);

bool wk_dec_zero(const struct wk_dec *x);
int wk_dec_compare(const struct wk_dec *a, const struct wk_dec *b);
/* The whole part; false when it does not fit. */
bool wk_dec_i64(const struct wk_dec *x, int64_t *out);
/* Digits of the whole part, 0 when it is zero; all digits, at least 1. */
size_t wk_dec_whole_digits(const struct wk_dec *x);
size_t wk_dec_length(const struct wk_dec *x);
/* Digits from the first that is not zero on, at least 1. */
size_t wk_dec_significant(const struct wk_dec *x);
/* Remainder of the whole part by 256, which is taken off: for numbers as bytes. */
unsigned wk_dec_take_byte(struct wk_cmd *c, struct wk_dec **x);

struct wk_dec *wk_dec_negate(struct wk_cmd *c, const struct wk_dec *x);
/* a + b, or a - b when minus. */
struct wk_dec *wk_dec_add(struct wk_cmd *c, const struct wk_dec *a, const struct wk_dec *b, bool minus);
/* To min(both scales together, max(scale, either)) digits. */
struct wk_dec *wk_dec_mul(struct wk_cmd *c, const struct wk_dec *a, const struct wk_dec *b, size_t scale);
/* Cut at `scale` digits. NULL: b is zero. */
struct wk_dec *wk_dec_div(struct wk_cmd *c, const struct wk_dec *a, const struct wk_dec *b, size_t scale);
/* What wk_dec_div(…, scale) leaves, to max(a's scale, b's and scale) digits; also the quotient when
 * it is asked for. NULL: b is zero. */
struct wk_dec *wk_dec_mod(struct wk_cmd *c, const struct wk_dec *a, const struct wk_dec *b, size_t scale,
                          struct wk_dec **quotient);
/* a to the power e: to min(a's scale times e, max(scale, a's)) digits, to `scale` digits for e < 0. NULL:
 * zero to a negative power. */
struct wk_dec *wk_dec_raise(struct wk_cmd *c, struct wk_dec *a, int64_t e, size_t scale);
/* To max(scale, a's) digits. NULL: a is negative. */
struct wk_dec *wk_dec_sqrt(struct wk_cmd *c, struct wk_dec *a, size_t scale);
/* The same number with fewer digits of fraction. */
struct wk_dec *wk_dec_cut(struct wk_cmd *c, struct wk_dec *a, size_t scale);

/* Hands the text of x in `base` (at least 2) to put, byte by byte. Digits are letters up to base 16,
 * numbers of equal width with a blank in front above. leading_zero: "0.5" for ".5". */
void wk_dec_write(struct wk_cmd *c, struct wk_dec *x, uint32_t base, bool leading_zero,
                  void (*put)(void *ctx, char ch), void *ctx);

#endif
