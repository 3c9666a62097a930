/* str.h - byte slices: (pointer, length) passed by value for reading
 *
 * A slice owns nothing and may hold any byte. The empty slice may have p == NULL.
 */
#ifndef WK_BASE_STR_H
#define WK_BASE_STR_H

#include "base/compiler.h"

#include <string.h>

struct wk_str {
    const char *p;
    size_t n;
};

/* A literal as a slice, as an expression and as an initialiser. */
#define WK_STR(lit) ((struct wk_str){"" lit "", sizeof(lit) - 1})
#define WK_STR_INIT(lit)           \
    {                              \
        "" lit "", sizeof(lit) - 1 \
    }

static inline struct wk_str wk_str(const char *p, size_t n)
{
    return (struct wk_str){p, n};
}

static inline struct wk_str wk_str_c(const char *cstr)
{
    return (struct wk_str){cstr, cstr ? strlen(cstr) : 0};
}

static inline bool wk_str_eq(struct wk_str a, struct wk_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool wk_str_is(struct wk_str a, const char *cstr)
{
    return wk_str_eq(a, wk_str_c(cstr));
}

static inline bool wk_str_starts(struct wk_str s, struct wk_str prefix)
{
    return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

static inline bool wk_str_ends(struct wk_str s, struct wk_str suffix)
{
    return s.n >= suffix.n &&
           (suffix.n == 0 || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

/* The part from byte `from` (clamped) to the end, and the first n bytes (clamped). */
static inline struct wk_str wk_str_from(struct wk_str s, size_t from)
{
    if (from > s.n)
        from = s.n;
    return (struct wk_str){s.p ? s.p + from : NULL, s.n - from};
}

static inline struct wk_str wk_str_take(struct wk_str s, size_t n)
{
    return (struct wk_str){s.p, n < s.n ? n : s.n};
}

/* Index of the first / last byte c, or -1. */
ptrdiff_t wk_str_chr(struct wk_str s, char c);
ptrdiff_t wk_str_rchr(struct wk_str s, char c);
/* Index of the first occurrence of `needle`, or -1; the empty needle is found at 0. */
ptrdiff_t wk_str_find(struct wk_str s, struct wk_str needle);
/* How often a byte occurs. */
size_t wk_str_count(struct wk_str s, char ch);
/* Byte-wise order as memcmp, the shorter first: <0, 0, >0. */
int wk_str_cmp(struct wk_str a, struct wk_str b);
/* Without leading and trailing blanks, tabs, newlines, CR, FF, VT. */
struct wk_str wk_str_trim(struct wk_str s);

/* ASCII classes that no locale changes. */
static inline bool wk_is_digit(int c)
{
    return c >= '0' && c <= '9';
}
static inline bool wk_is_lower(int c)
{
    return c >= 'a' && c <= 'z';
}
static inline bool wk_is_upper(int c)
{
    return c >= 'A' && c <= 'Z';
}
static inline bool wk_is_alpha(int c)
{
    return wk_is_lower(c | 0x20) && c < 128;
}
static inline bool wk_is_alnum(int c)
{
    return wk_is_alpha(c) || wk_is_digit(c);
}
static inline bool wk_is_name_start(int c)
{
    return wk_is_alpha(c) || c == '_';
}
static inline bool wk_is_name_char(int c)
{
    return wk_is_alnum(c) || c == '_';
}
static inline bool wk_is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}
static inline int wk_to_lower(int c)
{
    return wk_is_upper(c) ? c + 32 : c;
}
static inline int wk_to_upper(int c)
{
    return wk_is_lower(c) ? c - 32 : c;
}
static inline bool wk_is_xdigit(int c)
{
    return wk_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* True when s is a valid shell name: [A-Za-z_][A-Za-z0-9_]*. */
bool wk_str_is_name(struct wk_str s);

#endif
