/* fnum_digits.h - taking binary floating numbers apart (inside of fnum_*.c only) */
#ifndef WK_BASE_FNUM_DIGITS_H
#define WK_BASE_FNUM_DIGITS_H

#include "base/mem.h"

__extension__ typedef unsigned __int128 wk_u128;

enum wk_float_class { WK_FLOAT_ZERO, WK_FLOAT_FINITE, WK_FLOAT_INF, WK_FLOAT_NAN };

/* A number taken apart: mant * 2^exp, exactly. */
struct wk_float_parts {
    enum wk_float_class class;
    bool negative;
    wk_u128 mant;
    int exp;
    int mant_bits; /* of the type: 53, 64 or 113 */
    int min_exp;   /* exp of the type's least number */
};

struct wk_float_parts wk_float_split(double v);
struct wk_float_parts wk_float_splitl(long double v);

/* Decimal digits: 0.d[0]d[1]… * 10^exp10. d[0] is not '0' unless n is 0. */
struct wk_digits {
    char *d;
    size_t n;
    int64_t exp10;
    bool more; /* digits that are not all zero follow the last one */
    struct wk_mem *mem;
    char *block; /* what to free, NULL while `small` serves */
    char small[512];
};

/* Digits of a finite number: at least `significant` of them, or all up to `fraction` places after
 * the point (the other is then 0), or all there are. False when the account refuses. */
bool wk_digits_make(struct wk_digits *out, struct wk_mem *mem, const struct wk_float_parts *f,
                    size_t significant, size_t fraction);
void wk_digits_release(struct wk_digits *d);

/* Rounds to `keep` digits (may be negative or past the end), half to even. */
void wk_digits_round(struct wk_digits *d, int64_t keep);

/* Number of bits of v: 0 for 0. */
int wk_bits128(wk_u128 v);

#endif
