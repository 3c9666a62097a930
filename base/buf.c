/* buf.c - growable bytes with a maximum and sticky failure */
#include "base/buf.h"

void wk_buf_init(struct wk_buf *b, struct wk_mem *m, size_t max)
{
    *b = (struct wk_buf){.mem = m, .max = max > SIZE_MAX / 2 ? SIZE_MAX / 2 : max};
}

void wk_buf_release(struct wk_buf *b)
{
    wk_free(b->mem, b->p);
    wk_buf_init(b, b->mem, b->max);
}

bool wk_buf_room(struct wk_buf *b, size_t more)
{
    if (b->failed)
        return false;
    if (more > b->max || b->n > b->max - more) {
        b->failed = b->over = true;
        return false;
    }
    size_t need = b->n + more + 1;
    if (need <= b->cap)
        return true;
    size_t cap = b->cap < 32 ? 32 : b->cap;
    while (cap < need)
        cap *= 2; /* need <= SIZE_MAX/2 + 1 */
    if (cap > b->max + 1)
        cap = b->max + 1;
    char *p = wk_realloc(b->mem, b->p, cap);
    if (!p) {
        b->failed = true;
        return false;
    }
    b->p = p;
    b->cap = cap;
    p[b->n] = '\0';
    return true;
}

bool wk_buf_put_slow(struct wk_buf *b, const void *p, size_t n)
{
    if (!wk_buf_room(b, n))
        return false;
    if (n)
        memcpy(b->p + b->n, p, n);
    b->n += n;
    b->p[b->n] = '\0';
    return true;
}

bool wk_buf_fill(struct wk_buf *b, char c, size_t n)
{
    if (!wk_buf_room(b, n))
        return false;
    memset(b->p + b->n, c, n);
    b->n += n;
    b->p[b->n] = '\0';
    return true;
}

bool wk_buf_put_u64(struct wk_buf *b, uint64_t v)
{
    char tmp[20];
    size_t i = sizeof tmp;
    do {
        tmp[--i] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    return wk_buf_put(b, tmp + i, sizeof tmp - i);
}

bool wk_buf_put_i64(struct wk_buf *b, int64_t v)
{
    if (v >= 0)
        return wk_buf_put_u64(b, (uint64_t)v);
    wk_buf_putc(b, '-');
    return wk_buf_put_u64(b, 0 - (uint64_t)v);
}

char *wk_buf_take(struct wk_buf *b, size_t *n)
{
    if (!b->p)
        wk_buf_room(b, 0);
    if (b->failed || !b->p)
        return NULL;
    char *p = b->p;
    if (n)
        *n = b->n;
    b->p = NULL;
    b->n = b->cap = 0;
    return p;
}
