/* str.c - byte slices */
#define _GNU_SOURCE /* memmem, memrchr */
#include "base/str.h"

ptrdiff_t wk_str_chr(struct wk_str s, char c)
{
    const char *p = s.n ? memchr(s.p, c, s.n) : NULL;
    return p ? p - s.p : -1;
}

ptrdiff_t wk_str_rchr(struct wk_str s, char c)
{
    const char *p = s.n ? memrchr(s.p, c, s.n) : NULL;
    return p ? p - s.p : -1;
}

typedef uint8_t lanes __attribute__((vector_size(16)));

/* The first byte of `v` from i on, and of that at the distance of the last, sixteen at a time; where both are
 * right the rest is compared. What that costs is bounded by what it passes: then memmem goes on. */
static ptrdiff_t find_short(struct wk_str s, struct wk_str needle)
{
    lanes first, last;
    size_t i = 0, end = s.n - needle.n + 1, compared = 0;
    memset(&first, needle.p[0], sizeof first);
    memset(&last, needle.p[needle.n - 1], sizeof last);
    while (i < end && end >= sizeof(lanes) && compared <= 8 * i + 4096) {
        lanes x, y;
        if (end - i < sizeof(lanes))
            i = end - sizeof(lanes); /* the last ones, and some once more */
        uint64_t half[2];
        memcpy(&x, s.p + i, sizeof x);
        memcpy(&y, s.p + i + needle.n - 1, sizeof y);
        x = (lanes)((x == first) & (y == last));
        memcpy(half, &x, sizeof half);
        for (size_t k = 0; (half[0] | half[1]) && k < sizeof x; k++) {
            if (!x[k])
                continue;
            if (memcmp(s.p + i + k, needle.p, needle.n) == 0)
                return (ptrdiff_t)(i + k);
            compared += needle.n;
        }
        i += sizeof x;
    }
    if (i >= end)
        return -1;
    const char *p = (const char *)memmem(s.p + i, s.n - i, needle.p, needle.n);
    return p ? p - s.p : -1;
}

ptrdiff_t wk_str_find(struct wk_str s, struct wk_str needle)
{
    if (needle.n == 0)
        return 0;
    if (needle.n == 1)
        return wk_str_chr(s, needle.p[0]);
    return s.n >= needle.n ? find_short(s, needle) : -1;
}

/* Sixteen bytes at a time: a lane counts up to 255 before the lanes are added up. */
size_t wk_str_count(struct wk_str s, char ch)
{
    lanes wanted;
    size_t count = 0, i = 0;
    memset(&wanted, ch, sizeof wanted);
    while (s.n - i >= sizeof(lanes)) {
        size_t turns = (s.n - i) / sizeof(lanes);
        lanes sums = {0};
        for (turns = turns < 255 ? turns : 255; turns; turns--, i += sizeof(lanes)) {
            lanes v;
            memcpy(&v, s.p + i, sizeof v);
            sums -= (lanes)(v == wanted); /* equal is -1 */
        }
        for (size_t k = 0; k < sizeof sums; k++)
            count += sums[k];
    }
    for (; i < s.n; i++)
        count += s.p[i] == ch;
    return count;
}

int wk_str_cmp(struct wk_str a, struct wk_str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int d = n ? memcmp(a.p, b.p, n) : 0;
    if (d)
        return d;
    return a.n < b.n ? -1 : a.n > b.n;
}

struct wk_str wk_str_trim(struct wk_str s)
{
    while (s.n && wk_is_space((unsigned char)s.p[0]))
        s = wk_str_from(s, 1);
    while (s.n && wk_is_space((unsigned char)s.p[s.n - 1]))
        s.n--;
    return s;
}

bool wk_str_is_name(struct wk_str s)
{
    if (s.n == 0 || !wk_is_name_start((unsigned char)s.p[0]))
        return false;
    for (size_t i = 1; i < s.n; i++)
        if (!wk_is_name_char((unsigned char)s.p[i]))
            return false;
    return true;
}
