/* vercmp.c - names in the order of the version numbers in them (ls -v, sort -V) */
#include "builtins/vercmp.h"

/* Length without a suffix like ".tar.gz": (.[A-Za-z~][A-Za-z0-9~]*)*$. All of a name can be one. */
static size_t stem(struct wk_str s)
{
    size_t cut = 0;
    bool in_suffix = false, fresh = false;
    for (size_t i = 0; i < s.n; i++) {
        char ch = s.p[i];
        if (ch == '.') {
            if (!in_suffix || fresh)
                cut = i;
            in_suffix = fresh = true;
        } else if (fresh) {
            if (!wk_is_alpha(ch) && ch != '~') {
                in_suffix = false;
            }
            fresh = false;
        } else if (!wk_is_alnum(ch) && ch != '~') {
            in_suffix = false;
        }
    }
    return in_suffix && !fresh ? cut : s.n;
}

static int order(struct wk_str s, size_t i)
{
    unsigned char ch = i < s.n ? (unsigned char)s.p[i] : 0;
    if (i >= s.n)
        return -1;
    if (wk_is_digit(ch))
        return 0;
    if (wk_is_alpha(ch))
        return ch;
    return ch == '~' ? -2 : ch + 256;
}

static int compare(struct wk_str a, struct wk_str b)
{
    size_t i = 0, k = 0;
    while (i < a.n || k < b.n) {
        int first = 0;
        while ((i < a.n && !wk_is_digit(a.p[i])) || (k < b.n && !wk_is_digit(b.p[k]))) {
            int x = order(a, i), y = order(b, k);
            if (x != y)
                return x < y ? -1 : 1;
            i++;
            k++;
        }
        while (i < a.n && a.p[i] == '0')
            i++;
        while (k < b.n && b.p[k] == '0')
            k++;
        while (i < a.n && k < b.n && wk_is_digit(a.p[i]) && wk_is_digit(b.p[k])) {
            if (!first)
                first = a.p[i] - b.p[k];
            i++;
            k++;
        }
        if (i < a.n && wk_is_digit(a.p[i]))
            return 1;
        if (k < b.n && wk_is_digit(b.p[k]))
            return -1;
        if (first)
            return first;
    }
    return 0;
}

int wk_version_cmp(struct wk_str a, struct wk_str b)
{
    if (a.n == 0 || b.n == 0)
        return (a.n > 0) - (b.n > 0);
    if (a.p[0] == '.' || b.p[0] == '.') {
        if (a.p[0] != '.' || b.p[0] != '.')
            return a.p[0] == '.' ? -1 : 1;
        size_t da = a.n == 1 ? 1 : a.n == 2 && a.p[1] == '.' ? 2 : 3;
        size_t db = b.n == 1 ? 1 : b.n == 2 && b.p[1] == '.' ? 2 : 3;
        if (da != db)
            return da < db ? -1 : 1;
        if (da < 3)
            return 0;
    }
    struct wk_str as = wk_str_take(a, stem(a)), bs = wk_str_take(b, stem(b));
    int r = compare(as, bs);
    return r || (as.n == a.n && bs.n == b.n) ? r : compare(a, b);
}
