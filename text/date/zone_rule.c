/* zone_rule.c - POSIX TZ strings */
#include "text/date/zone_priv.h"

#include "base/num.h"

struct reader {
    struct wk_str s;
    size_t i;
};

static char peek(const struct reader *r)
{
    return r->i < r->s.n ? r->s.p[r->i] : '\0';
}

static bool take(struct reader *r, char c)
{
    if (peek(r) != c)
        return false;
    r->i++;
    return true;
}

static bool read_name(struct reader *r, char out[WK_TZ_ABBR])
{
    size_t n = 0, least = 3;
    bool quoted = take(r, '<');
    while (r->i < r->s.n) {
        char c = peek(r);
        bool in = wk_is_alpha((unsigned char)c) ||
                  (quoted && (wk_is_digit(c) || c == '+' || c == '-'));
        if (!in)
            break;
        if (n < WK_TZ_ABBR - 1)
            out[n++] = c;
        r->i++;
    }
    out[n] = '\0';
    if (quoted && !take(r, '>'))
        return false;
    return n >= least;
}

static bool read_number(struct reader *r, int64_t most, int64_t *out)
{
    int64_t v = 0;
    size_t begin = r->i;
    for (; wk_is_digit(peek(r)); r->i++)
        v = WK_MIN(v * 10 + (peek(r) - '0'), most + 1);
    *out = v;
    return r->i > begin && v <= most;
}

/* [+-]hh[:mm[:ss]] in seconds. */
static bool read_offset(struct reader *r, int64_t most_hours, int32_t *out)
{
    bool minus = peek(r) == '-';
    if (minus || peek(r) == '+')
        r->i++;
    int64_t h, m = 0, s = 0;
    if (!read_number(r, most_hours, &h))
        return false;
    if (take(r, ':') && !read_number(r, 59, &m))
        return false;
    if (r->i < r->s.n && peek(r) == ':') {
        r->i++;
        if (!read_number(r, 59, &s))
            return false;
    }
    int64_t v = h * 3600 + m * 60 + s;
    *out = (int32_t)(minus ? -v : v);
    return true;
}

static bool read_change(struct reader *r, struct wk_tz_change *c)
{
    int64_t a, b, d;
    *c = (struct wk_tz_change){.kind = 'D', .at = 7200};
    if (take(r, 'M')) {
        if (!read_number(r, 12, &a) || !take(r, '.') || !read_number(r, 5, &b) || !take(r, '.') ||
            !read_number(r, 6, &d) || a < 1 || b < 1)
            return false;
        *c = (struct wk_tz_change){'M', (int)a, (int)b, (int)d, 7200};
    } else {
        if (take(r, 'J'))
            c->kind = 'J';
        if (!read_number(r, 365, &a) || (c->kind == 'J' && a < 1))
            return false;
        c->day = (int)a;
    }
    return !take(r, '/') || read_offset(r, 167, &c->at);
}

static const struct wk_tz_change us_start = {'M', 3, 2, 0, 7200}, us_end = {'M', 11, 1, 0, 7200};

bool wk_tz_read_rule(struct wk_str text, struct wk_tz_rule *out)
{
    struct reader r = {.s = text};
    int32_t west;
    *out = (struct wk_tz_rule){.any = true};
    if (!read_name(&r, out->std.abbr) || !read_offset(&r, 24, &west))
        return false;
    out->std.gmtoff = -west;
    if (r.i == text.n)
        return true;
    out->has_dst = out->dst.dst = true;
    if (!read_name(&r, out->dst.abbr))
        return false;
    out->dst.gmtoff = out->std.gmtoff + 3600;
    if (r.i < text.n && peek(&r) != ',') {
        if (!read_offset(&r, 24, &west))
            return false;
        out->dst.gmtoff = -west;
    }
    if (r.i == text.n) { /* the rule of the United States, as in glibc */
        out->start = us_start;
        out->end = us_end;
        return true;
    }
    return take(&r, ',') && read_change(&r, &out->start) && take(&r, ',') &&
           read_change(&r, &out->end) && r.i == text.n;
}

/* [+-]hh[:mm[:ss]] as glibc takes it: what is too large is the most, and what is none ends it. */
static int32_t lenient_offset(struct reader *r)
{
    static const int64_t most[] = {24, 59, 59}, unit[] = {3600, 60, 1};
    int64_t v = 0, n;
    bool minus = peek(r) == '-';
    if (minus || peek(r) == '+')
        r->i++;
    for (size_t k = 0; k < 3; k++) {
        if (k > 0 && !(peek(r) == ':' && r->i + 1 < r->s.n && wk_is_digit(r->s.p[r->i + 1])))
            break;
        r->i += k > 0;
        if (!wk_is_digit(peek(r)))
            break;
        (void)read_number(r, most[k], &n);
        v += WK_MIN(n, most[k]) * unit[k];
    }
    return (int32_t)(minus ? -v : v);
}

/* ,START,END: what is missing is that of the United States; what is wrong makes it summer all the year. */
static void lenient_changes(struct reader *r, struct wk_tz_rule *out)
{
    out->start = us_start;
    out->end = us_end;
    if (r->i == r->s.n || (peek(r) == ',' && r->i + 1 == r->s.n))
        return;
    if (take(r, ',') && read_change(r, &out->start) && (!take(r, ',') || read_change(r, &out->end)))
        return;
    out->start = (struct wk_tz_change){.kind = 'D', .at = -86400};
    out->end = (struct wk_tz_change){.kind = 'D', .day = 365, .at = 7 * 86400};
}

void wk_tz_read_rule_leniently(struct wk_str text, struct wk_tz_rule *out)
{
    struct reader r = {.s = text};
    *out = (struct wk_tz_rule){.any = true};
    if (!read_name(&r, out->std.abbr)) {
        out->std.abbr[0] = '\0';
        return;
    }
    out->std.gmtoff = -lenient_offset(&r);
    if (r.i == text.n || !wk_is_digit(r.s.p[r.i - 1]))
        return; /* a name alone, or behind it what is no offset */
    out->has_dst = out->dst.dst = true;
    if (!read_name(&r, out->dst.abbr)) {
        out->dst.abbr[0] = '\0';
        out->start = us_start;
        out->end = us_end;
        return;
    }
    out->dst.gmtoff = out->std.gmtoff + 3600;
    if (r.i < text.n && peek(&r) != ',')
        out->dst.gmtoff = -lenient_offset(&r);
    lenient_changes(&r, out);
}

static bool is_leap(int64_t y)
{
    return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

/* The local second (as if UTC) of a change in a year. */
static int64_t change_in(const struct wk_tz_change *c, int64_t year)
{
    int64_t jan1 = wk_days_from_civil(year, 1, 1), day;
    if (c->kind == 'J') {
        day = jan1 + c->day - 1 + (is_leap(year) && c->day >= 60);
    } else if (c->kind == 'D') {
        day = jan1 + c->day;
    } else {
        int64_t first = wk_days_from_civil(year, c->mon, 1);
        int64_t next = c->mon == 12 ? wk_days_from_civil(year + 1, 1, 1)
                                    : wk_days_from_civil(year, c->mon + 1, 1);
        int64_t wday = ((first + 4) % 7 + 7) % 7;
        day = first + (c->day - wday + 7) % 7 + (c->week - 1) * 7;
        while (day >= next)
            day -= 7;
    }
    return day * 86400 + c->at;
}

static const struct wk_tz_type *rule_type(const struct wk_tz_rule *r, int64_t sec)
{
    if (!r->has_dst)
        return &r->std;
    int64_t year;
    int mon, mday;
    int64_t local = sec + r->std.gmtoff;
    wk_civil_from_days(local / 86400 - (local % 86400 < 0), &year, &mon, &mday);
    year = WK_MAX(year, 1970); /* as glibc: before it, the changes of 1970 */
    int64_t start = change_in(&r->start, year) - r->std.gmtoff;
    int64_t end = change_in(&r->end, year) - r->dst.gmtoff;
    bool dst = start <= end ? sec >= start && sec < end : sec >= start || sec < end;
    return dst ? &r->dst : &r->std;
}

const struct wk_tz_type *wk_tz_type_at(const struct wk_tz *tz, int64_t sec)
{
    if (tz->ntimes == 0 || (sec >= tz->times[tz->ntimes - 1] && tz->rule.any))
        return tz->rule.any ? rule_type(&tz->rule, sec) : &tz->types[0];
    if (sec < tz->times[0]) {
        for (size_t k = 0; k < tz->ntypes; k++)
            if (!tz->types[k].dst)
                return &tz->types[k];
        return &tz->types[0];
    }
    size_t lo = 0, hi = tz->ntimes;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (tz->times[mid] <= sec)
            lo = mid;
        else
            hi = mid;
    }
    return &tz->types[tz->which[lo]];
}
