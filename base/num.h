/* num.h - integers as text: strict and prefix parsing, sizes with suffixes, durations, printing
 *
 * No function looks at a locale. Text is a slice; nothing needs a NUL.
 */
#ifndef WK_BASE_NUM_H
#define WK_BASE_NUM_H

#include "base/str.h"

/* The longest text of a 64-bit number in base 2, with sign. */
#define WK_NUM_MAX 65

/* Reads the longest number at the start of s, as strtoll does but without skipping blanks: optional
 * sign, then digits of `base` (2..36; 16 takes 0x, 2 takes 0b; 0 = decimal, 0x hex, 0 octal).
 * Returns the bytes used, 0 when there is no number. *err is 0, or -WK_ERANGE with *out at the
 * nearest limit. Any of out, err may not be NULL. */
size_t wk_scan_i64(struct wk_str s, int base, int64_t *out, int *err);
size_t wk_scan_u64(struct wk_str s, int base, uint64_t *out, int *err); /* no '-' */

/* The whole slice must be one number. 0, -WK_EINVAL, or -WK_ERANGE (*out is then the limit). */
WK_NODISCARD int wk_parse_i64(struct wk_str s, int base, int64_t *out);
WK_NODISCARD /* The whole of s as a shell takes a decimal number: any white space in front, spaces and tabs behind. */
int wk_parse_blanked(struct wk_str s, int64_t *out);
int wk_parse_u64(struct wk_str s, int base, uint64_t *out);

/* A decimal count with an optional suffix as GNU tools take them: K M G T P E Z Y R Q alone or with
 * "iB" are powers of 1024, with "B" powers of 1000 (kB, MB); lower-case k is K, m is M; "b" is 512
 * when `blocks`. 0, -WK_EINVAL (text is not of this form), -WK_ERANGE (*out is UINT64_MAX). */
WK_NODISCARD int wk_parse_size(struct wk_str s, bool blocks, uint64_t *out);

/* A non-negative duration in nanoseconds: decimal number with optional fraction and a unit
 * ns us ms s m h d; without a unit seconds. "inf" / "infinity" gives INT64_MAX. Fractions of a
 * nanosecond round up. 0, -WK_EINVAL, -WK_ERANGE (*out is INT64_MAX). */
WK_NODISCARD int wk_parse_duration(struct wk_str s, int64_t *out);

/* Writes v in `base` (2..36, lower-case digits) to out, without NUL; returns the length. */
size_t wk_fmt_u64(char out[WK_NUM_MAX], uint64_t v, unsigned base);
size_t wk_fmt_i64(char out[WK_NUM_MAX], int64_t v);

#endif
