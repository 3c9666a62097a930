/* sort_number.c - the order of numbers of any length, of unit letters and months (sort -n -h -M) */
#include "builtins/sort.h"

struct number {
    bool minus;
    const char *digits; /* without leading zeros */
    size_t n_digits;
    const char *fraction; /* without trailing zeros */
    size_t n_fraction;
    size_t end; /* offset of the byte behind it */
};

static struct number read_number(struct wk_str s)
{
    struct number v = {0};
    size_t i = 0;
    while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t' || s.p[i] == '\n'))
        i++;
    if (i < s.n && s.p[i] == '-') {
        v.minus = true;
        i++;
    }
    while (i < s.n && s.p[i] == '0')
        i++;
    v.digits = s.p + i;
    while (i < s.n && wk_is_digit(s.p[i]))
        i++;
    v.n_digits = (size_t)(s.p + i - v.digits);
    if (i < s.n && s.p[i] == '.') {
        v.fraction = s.p + ++i;
        while (i < s.n && wk_is_digit(s.p[i]))
            i++;
        v.n_fraction = (size_t)(s.p + i - v.fraction);
        while (v.n_fraction && v.fraction[v.n_fraction - 1] == '0')
            v.n_fraction--;
    }
    v.end = i;
    if (!v.n_digits && !v.n_fraction)
        v.minus = false;
    return v;
}

int wk_sort_cmp_numbers(struct wk_str a, struct wk_str b)
{
    struct number x = read_number(a), y = read_number(b);
    if (x.minus != y.minus)
        return x.minus ? -1 : 1;
    int r;
    if (x.n_digits != y.n_digits) {
        r = x.n_digits < y.n_digits ? -1 : 1;
    } else {
        r = wk_str_cmp(wk_str(x.digits, x.n_digits), wk_str(y.digits, y.n_digits));
        if (!r)
            r = wk_str_cmp(wk_str(x.fraction, x.n_fraction), wk_str(y.fraction, y.n_fraction));
    }
    return x.minus ? -r : r;
}

int wk_sort_unit(struct wk_str s)
{
    static const char units[] = "KMGTPEZY";
    struct number v = read_number(s);
    if ((!v.n_digits && !v.n_fraction) || v.end >= s.n)
        return 0;
    char ch = s.p[v.end] == 'k' ? 'K' : s.p[v.end];
    const char *at = ch ? strchr(units, ch) : NULL;
    int order = at ? (int)(at - units) + 1 : 0;
    return v.minus ? -order : order;
}

int wk_sort_month(struct wk_str s)
{
    static const char names[] = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
    size_t i = 0;
    while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t' || s.p[i] == '\n'))
        i++;
    if (s.n - i < 3)
        return 0;
    for (int m = 0; m < 12; m++) {
        bool same = true;
        for (int k = 0; k < 3; k++)
            same = same && wk_to_upper((unsigned char)s.p[i + (size_t)k]) == names[3 * m + k];
        if (same)
            return m + 1;
    }
    return 0;
}
