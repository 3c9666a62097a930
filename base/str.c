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

ptrdiff_t wk_str_find(struct wk_str s, struct wk_str needle)
{
    if (needle.n == 0)
        return 0;
    const char *p = s.n >= needle.n ? memmem(s.p, s.n, needle.p, needle.n) : NULL;
    return p ? p - s.p : -1;
}

typedef uint8_t lanes __attribute__((vector_size(16)));

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
