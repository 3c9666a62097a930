/* buf.h - growable bytes with a maximum and sticky failure
 *
 * A run of appends is checked once at the end: after a failure (limit, maximum) further appends do
 * nothing and `failed` stays set. There is always a NUL after the n-th byte once anything was put
 * in. What is appended may not lie in the buffer itself.
 */
#ifndef WK_BASE_BUF_H
#define WK_BASE_BUF_H

#include "base/mem.h"
#include "base/str.h"

#include <stdarg.h>

struct wk_buf {
    char *p; /* NULL while nothing was ever appended */
    size_t n, cap;
    size_t max; /* most bytes it may hold */
    struct wk_mem *mem;
    bool failed;
    bool over; /* ... since it would have passed `max` */
};

/* Sets up an empty buffer of at most `max` bytes (SIZE_MAX/2 = only the account limits it). */
void wk_buf_init(struct wk_buf *b, struct wk_mem *m, size_t max);
/* Frees the contents; the buffer is empty and usable again. */
void wk_buf_release(struct wk_buf *b);
/* Forgets the contents and the failure, keeps the block. */
static inline void wk_buf_reset(struct wk_buf *b)
{
    b->n = 0;
    b->failed = b->over = false;
    if (b->p)
        b->p[0] = '\0';
}
/* Makes room for `more` bytes after n; false on failure (sticky). */
bool wk_buf_room(struct wk_buf *b, size_t more);
bool wk_buf_put_slow(struct wk_buf *b, const void *p, size_t n);

static inline bool wk_buf_put(struct wk_buf *b, const void *p, size_t n)
{
    if (WK_LIKELY(n < b->cap - b->n && b->cap && !b->failed)) {
        if (n)
            memcpy(b->p + b->n, p, n);
        b->n += n;
        b->p[b->n] = '\0';
        return true;
    }
    return wk_buf_put_slow(b, p, n);
}
static inline bool wk_buf_putc(struct wk_buf *b, char c)
{
    return wk_buf_put(b, &c, 1);
}
static inline bool wk_buf_puts(struct wk_buf *b, struct wk_str s)
{
    return wk_buf_put(b, s.p, s.n);
}
static inline bool wk_buf_put_c(struct wk_buf *b, const char *cstr)
{
    return wk_buf_put(b, cstr, strlen(cstr));
}
/* n copies of c. */
bool wk_buf_fill(struct wk_buf *b, char c, size_t n);
/* A decimal number. */
bool wk_buf_put_i64(struct wk_buf *b, int64_t v);
bool wk_buf_put_u64(struct wk_buf *b, uint64_t v);
/* Locale-free formatting: %s %.*s %c %d %i %u %x %X %o %ld %lld %lu %llu %zu %zd %jd %ju %p %% with
 * flags, width and precision; no floats (fnum.h has those), no %n. */
bool wk_buf_fmt(struct wk_buf *b, const char *fmt, ...) WK_PRINTF(2, 3);
/* The same with the arguments in a list, which is left as it was. */
bool wk_buf_vfmt(struct wk_buf *b, const char *fmt, va_list args) WK_PRINTF(2, 0);

static inline struct wk_str wk_buf_str(const struct wk_buf *b)
{
    return (struct wk_str){b->p ? b->p : "", b->n};
}
/* Formats into a block of cap bytes (at least 1), NUL behind: for short texts without an account. What does not fit is
 * left out. Its length. */
size_t wk_fmt_into(char *out, size_t cap, const char *fmt, ...) WK_PRINTF(3, 4);

/* The contents as a C string, "" when empty. Valid until the next change. */
static inline const char *wk_buf_c(const struct wk_buf *b)
{
    return b->p ? b->p : "";
}
/* Takes the block out (to be freed with wk_free on the same account); the buffer is empty again.
 * NULL when it failed or the empty block cannot be made. */
char *wk_buf_take(struct wk_buf *b, size_t *n);

#endif
