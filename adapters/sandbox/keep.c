/* keep.c - a stream of which only so much is kept */
#include "adapters/sandbox/keep.h"

#include "base/num.h"
#include "whelk/sandbox.h"

enum { FIRST = 4096 };

void wk_keep_init(struct wk_keep *k, struct wk_mem *m, int how, size_t max)
{
    *k = (struct wk_keep){.mem = m};
    k->head_max = how == WHELK_KEEP_HEAD ? max : how == WHELK_KEEP_TAIL ? 0 : max / 2;
    k->tail_max = how == WHELK_KEEP_HEAD ? 0 : max - k->head_max;
}

void wk_keep_release(struct wk_keep *k)
{
    wk_free(k->mem, k->head);
    wk_free(k->mem, k->tail);
    *k = (struct wk_keep){.mem = k->mem};
}

static bool grow(struct wk_keep *k, char **p, size_t *cap, size_t need, size_t max)
{
    size_t n = *cap ? *cap : FIRST;
    if (need <= *cap)
        return true;
    while (n < need)
        n = n > max / 2 ? max : 2 * n;
    char *q = wk_realloc(k->mem, *p, n < max ? n : max);
    if (!q) {
        k->failed = true;
        return false;
    }
    *p = q;
    *cap = n < max ? n : max;
    return true;
}

static void put_tail(struct wk_keep *k, const char *p, size_t n)
{
    if (n > k->tail_max) {
        p += n - k->tail_max;
        n = k->tail_max;
    }
    size_t need = k->tail_n + n < k->tail_max ? k->tail_n + n : k->tail_max;
    if (!n || !grow(k, &k->tail, &k->tail_cap, need, k->tail_max))
        return;
    /* Until it is as large as it may be, it begins at its start. */
    size_t at = (k->tail_at + k->tail_n) % k->tail_cap, row = k->tail_cap - at;
    memcpy(k->tail + at, p, n < row ? n : row);
    if (n > row)
        memcpy(k->tail, p + row, n - row);
    size_t over = k->tail_n + n > k->tail_cap ? k->tail_n + n - k->tail_cap : 0;
    k->tail_n += n - over;
    k->tail_at = (k->tail_at + over) % k->tail_cap;
}

void wk_keep_put(struct wk_keep *k, const char *p, size_t n)
{
    k->total += n;
    if (k->failed)
        return;
    if (k->head_n < k->head_max) {
        size_t part = n < k->head_max - k->head_n ? n : k->head_max - k->head_n;
        if (!grow(k, &k->head, &k->head_cap, k->head_n + part, k->head_max))
            return;
        memcpy(k->head + k->head_n, p, part);
        k->head_n += part;
        p += part;
        n -= part;
    }
    if (n && k->tail_max)
        put_tail(k, p, n);
}

void wk_keep_skip(struct wk_keep *k, uint64_t n)
{
    if (!n)
        return;
    k->total += n;
    k->head_max = k->head_n;
    k->tail_n = k->tail_at = 0;
}

bool wk_keep_is_cut(const struct wk_keep *k)
{
    return k->total > (uint64_t)k->head_n + k->tail_n;
}

void wk_keep_parts(const struct wk_keep *k, struct wk_str part[2])
{
    part[0] = wk_str(k->head, k->head_n);
    part[1] = wk_str(k->tail, k->tail_n);
}

size_t wk_keep_note(uint64_t n, char dst[WK_KEEP_NOTE])
{
    static const char before[] = "[\xe2\x80\xa6 ", after[] = " bytes left out \xe2\x80\xa6]\n";
    char digits[WK_NUM_MAX];
    size_t len = wk_fmt_u64(digits, n, 10), at = sizeof before - 1;
    memcpy(dst, before, at);
    for (size_t i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            dst[at++] = ',';
        dst[at++] = digits[i];
    }
    memcpy(dst + at, after, sizeof after - 1);
    return at + sizeof after - 1;
}

/* Bytes at the end that begin a character and do not end it. */
static size_t cut_character(const char *p, size_t n)
{
    for (size_t back = 1; back <= 3 && back <= n; back++) {
        unsigned char c = (unsigned char)p[n - back];
        if (c >= 0xc0)
            return back < (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) ? back : 0;
        if (c < 0x80)
            break;
    }
    return 0;
}

size_t wk_keep_room(const struct wk_keep *k)
{
    return k->head_n + k->tail_n + WK_KEEP_NOTE + 1;
}

size_t wk_keep_write(const struct wk_keep *k, char *dst)
{
    size_t n = k->head_n, skip = 0;
    bool cut = wk_keep_is_cut(k);
    if (n)
        memcpy(dst, k->head, n);
    if (cut) {
        n -= cut_character(dst, n);
        while (skip < 3 && skip < k->tail_n &&
               ((unsigned char)k->tail[(k->tail_at + skip) % k->tail_cap] & 0xc0) == 0x80)
            skip++;
        uint64_t left_out = k->total - n - (k->tail_n - skip);
        if (n && dst[n - 1] != '\n')
            dst[n++] = '\n';
        n += wk_keep_note(left_out, dst + n);
    }
    if (k->tail_n > skip) {
        size_t at = (k->tail_at + skip) % k->tail_cap, rest = k->tail_n - skip, row = k->tail_cap - at;
        memcpy(dst + n, k->tail + at, rest < row ? rest : row);
        if (rest > row)
            memcpy(dst + n + row, k->tail, rest - row);
        n += rest;
    }
    return n;
}
