/* num.c - integers as text: parsing, sizes, durations, printing */
#include "base/num.h"
#include "base/err.h"

static unsigned digit_value(char c)
{
    if (wk_is_digit(c))
        return (unsigned)(c - '0');
    int lower = c | 0x20;
    if (lower >= 'a' && lower <= 'z')
        return (unsigned)(lower - 'a') + 10;
    return 99;
}

/* Skips 0x / 0b and settles base 0. A prefix without a digit after it is just the number 0. */
static size_t read_prefix(struct wk_str s, int *base)
{
    bool hex = s.n >= 3 && s.p[0] == '0' && (s.p[1] | 0x20) == 'x' && digit_value(s.p[2]) < 16;
    bool bin = s.n >= 3 && s.p[0] == '0' && (s.p[1] | 0x20) == 'b' && digit_value(s.p[2]) < 2;
    if (hex && (*base == 16 || *base == 0)) {
        *base = 16;
        return 2;
    }
    if (bin && *base == 2)
        return 2;
    if (*base == 0)
        *base = s.n && s.p[0] == '0' ? 8 : 10;
    return 0;
}

/* Digits without sign. Returns bytes used including a prefix. */
static size_t scan_digits(struct wk_str s, int base, uint64_t *out, bool *over)
{
    *over = false;
    *out = 0;
    if (base < 0 || base == 1 || base > 36)
        return 0;
    size_t start = read_prefix(s, &base);
    size_t i = start;
    uint64_t v = 0;
    for (; i < s.n; i++) {
        unsigned d = digit_value(s.p[i]);
        if (d >= (unsigned)base)
            break;
        if (__builtin_mul_overflow(v, (uint64_t)base, &v) || __builtin_add_overflow(v, d, &v))
            *over = true;
    }
    *out = v;
    return i == start ? 0 : i;
}

size_t wk_scan_u64(struct wk_str s, int base, uint64_t *out, int *err)
{
    bool over;
    size_t sign = s.n && s.p[0] == '+';
    size_t n = scan_digits(wk_str_from(s, sign), base, out, &over);
    *err = over ? -WK_ERANGE : 0;
    if (over)
        *out = UINT64_MAX;
    return n ? n + sign : 0;
}

size_t wk_scan_i64(struct wk_str s, int base, int64_t *out, int *err)
{
    bool over;
    bool negative = s.n && s.p[0] == '-';
    size_t sign = negative || (s.n && s.p[0] == '+');
    uint64_t v;
    size_t n = scan_digits(wk_str_from(s, sign), base, &v, &over);
    uint64_t most = (uint64_t)INT64_MAX + negative;
    *err = 0;
    if (over || v > most) {
        *err = -WK_ERANGE;
        v = most;
    }
    *out = (int64_t)(negative ? 0 - v : v);
    return n ? n + sign : 0;
}

int wk_parse_i64(struct wk_str s, int base, int64_t *out)
{
    int err;
    size_t n = wk_scan_i64(s, base, out, &err);
    return n == 0 || n != s.n ? -WK_EINVAL : err;
}

int wk_parse_blanked(struct wk_str s, int64_t *out)
{
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
        s.n--;
    while (s.n && wk_is_space((unsigned char)s.p[0]))
        s = wk_str_from(s, 1);
    if (s.n > 1 && s.p[0] == '+' && wk_is_digit((unsigned char)s.p[1]))
        s = wk_str_from(s, 1);
    return wk_parse_i64(s, 10, out);
}

int wk_parse_u64(struct wk_str s, int base, uint64_t *out)
{
    int err;
    size_t n = wk_scan_u64(s, base, out, &err);
    return n == 0 || n != s.n ? -WK_EINVAL : err;
}

/* Multiplies, saturating. */
static bool scale(uint64_t *v, uint64_t by)
{
    if (!__builtin_mul_overflow(*v, by, v))
        return true;
    *v = UINT64_MAX;
    return false;
}

int wk_parse_size(struct wk_str s, bool blocks, uint64_t *out)
{
    static const char letters[] = "KMGTPEZY";
    int err = 0;
    size_t used = 0;
    if (s.n && (s.p[0] == '+' || wk_is_digit(s.p[0])))
        used = wk_scan_u64(s, 10, out, &err);
    else
        *out = 1; /* a suffix alone: "K" is 1K */
    struct wk_str suffix = wk_str_from(s, used);
    if (suffix.n == 0)
        return used ? err : -WK_EINVAL;
    if (suffix.p[0] == 'b' && blocks && suffix.n == 1)
        return scale(out, 512) ? err : -WK_ERANGE;
    char c = suffix.p[0] == 'k' ? 'K' : suffix.p[0] == 'm' ? 'M' : suffix.p[0];
    const char *at = memchr(letters, c, sizeof letters - 1);
    struct wk_str rest = wk_str_from(suffix, 1);
    uint64_t unit = 1024;
    if (!at || (rest.n && !wk_str_is(rest, "B") && !wk_str_is(rest, "iB")))
        return -WK_EINVAL;
    if (wk_str_is(rest, "B"))
        unit = 1000;
    for (const char *l = letters; l <= at; l++)
        if (*out && !scale(out, unit))
            err = -WK_ERANGE;
    return err;
}

static bool unit_ns(struct wk_str unit, uint64_t *ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {
        {"", 1000000000u}, {"s", 1000000000u},  {"ms", 1000000u},      {"us", 1000u},
        {"ns", 1u},        {"m", 60000000000u}, {"h", 3600000000000u}, {"d", 86400000000000u},
    };
    for (size_t i = 0; i < WK_COUNTOF(units); i++) {
        if (wk_str_is(unit, units[i].name)) {
            *ns = units[i].ns;
            return true;
        }
    }
    return false;
}

/* The fraction ".ddd" of a unit, rounded up; its digits are s[0..n). */
static uint64_t fraction_ns(const char *digits, size_t n, uint64_t unit)
{
    __extension__ unsigned __int128 acc = 0; /* the first 18 digits; the others only round up */
    bool rest = false;
    size_t used = n < 18 ? n : 18;
    uint64_t pow = 1;
    for (size_t i = 0; i < used; i++) {
        acc = acc * 10 + (unsigned)(digits[i] - '0');
        pow *= 10;
    }
    for (size_t i = used; i < n; i++)
        rest |= digits[i] != '0';
    acc *= unit;
    return (uint64_t)(acc / pow) + (acc % pow != 0 || rest);
}

int wk_parse_duration(struct wk_str s, int64_t *out)
{
    if (wk_str_is(s, "inf") || wk_str_is(s, "infinity")) {
        *out = INT64_MAX;
        return 0;
    }
    size_t i = 0, point, end;
    bool over = false;
    uint64_t whole = 0, unit, total;
    for (; i < s.n && wk_is_digit(s.p[i]); i++)
        over |= __builtin_mul_overflow(whole, 10u, &whole) ||
                __builtin_add_overflow(whole, (uint64_t)(s.p[i] - '0'), &whole);
    point = end = i;
    if (i < s.n && s.p[i] == '.')
        for (end = ++i; end < s.n && wk_is_digit(s.p[end]); end++)
            ;
    if (point + (end > i ? end - i : 0) == 0 || !unit_ns(wk_str_from(s, end), &unit))
        return -WK_EINVAL;
    if (end > i)
        total = fraction_ns(s.p + i, end - i, unit);
    else
        total = 0;
    over |= __builtin_mul_overflow(whole, unit, &whole) ||
            __builtin_add_overflow(total, whole, &total) || total > INT64_MAX;
    *out = over ? INT64_MAX : (int64_t)total;
    return over ? -WK_ERANGE : 0;
}

size_t wk_fmt_u64(char out[WK_NUM_MAX], uint64_t v, unsigned base)
{
    char tmp[WK_NUM_MAX];
    size_t i = sizeof tmp;
    if (base == 10) { /* a constant divisor is a multiplication */
        do {
            tmp[--i] = (char)('0' + v % 10);
            v /= 10;
        } while (v);
    } else {
        do {
            tmp[--i] = "0123456789abcdefghijklmnopqrstuvwxyz"[v % base];
            v /= base;
        } while (v);
    }
    memcpy(out, tmp + i, sizeof tmp - i);
    return sizeof tmp - i;
}

size_t wk_fmt_i64(char out[WK_NUM_MAX], int64_t v)
{
    size_t sign = v < 0;
    if (sign)
        out[0] = '-';
    char digits[WK_NUM_MAX];
    size_t n = wk_fmt_u64(digits, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10);
    memcpy(out + sign, digits, n);
    return n + sign;
}
