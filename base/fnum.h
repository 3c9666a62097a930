/* fnum.h - floating-point numbers as text, exact and locale-free
 *
 * Printing is exact for any precision (what glibc's printf prints); reading is correctly rounded.
 * For long double, reading looks at the first 770 significant digits; those after them only break a
 * tie. Never uses the host's strtod or printf.
 */
#ifndef WK_BASE_FNUM_H
#define WK_BASE_FNUM_H

#include "base/buf.h"

enum {
    WK_FNUM_MINUS = 1, /* left-justified */
    WK_FNUM_PLUS = 2,  /* always a sign */
    WK_FNUM_SPACE = 4, /* a blank where a plus would be */
    WK_FNUM_ALT = 8,   /* # : always a point; %g keeps trailing zeros */
    WK_FNUM_ZERO = 16, /* padded with zeros */
    WK_FNUM_GROUP = 32 /* ' : accepted, does nothing (C.UTF-8 has no grouping) */
};

struct wk_fnum {
    char conv;      /* one of e f g a E F G A */
    unsigned flags; /* WK_FNUM_… */
    size_t width;   /* least number of bytes */
    int precision;  /* -1 = none given */
};

/* Appends v as printf's %conv (double) or %Lconv (long double) would. False when the buffer's
 * maximum or account refuses (sticky as always). Scratch comes from the buffer's account when the
 * number has more than some 1,000 digits. */
bool wk_buf_put_double(struct wk_buf *b, double v, const struct wk_fnum *how);
bool wk_buf_put_ldouble(struct wk_buf *b, long double v, const struct wk_fnum *how);

/* The decimal digits of v (finite, > 0) that are fewest and read back as v; of those the nearest.
 * digits gets them without leading or trailing zeros; returns their number (1..17).
 * v = 0.DIGITS * 10^(*exp10). */
int wk_double_shortest(double v, char digits[17], int *exp10);

/* Reads the longest floating number at the start of s (no blanks skipped): sign, decimal digits
 * with point and exponent, hexadecimal 0x…p…, inf, infinity, nan, nan(chars), letters in any case.
 * Returns the bytes used, 0 when there is none (*out is then 0). *err is 0, or -WK_ERANGE when the
 * value overflowed (±inf) or became less than the least normal and inexact. */
size_t wk_scan_double(struct wk_str s, double *out, int *err);
size_t wk_scan_ldouble(struct wk_str s, long double *out, int *err);

/* The whole slice must be one number: 0, -WK_EINVAL, -WK_ERANGE (*out as above). */
WK_NODISCARD int wk_parse_double(struct wk_str s, double *out);

#endif
