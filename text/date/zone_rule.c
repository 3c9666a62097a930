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

static bool is_digit_next(const struct reader *r)
{
    return wk_is_digit(peek(r));
}

/* Three letters or more, or with digits and signs in angle brackets. */
static bool read_name(struct reader *r, char out[WK_TZ_ABBR])
{
    size_t begin = r->i, i = begin;
    bool quoted = peek(r) == '<';
    i += quoted;
    begin = i;
    while (i < r->s.n && (wk_is_alpha((unsigned char)r->s.p[i]) ||
                          (quoted && (wk_is_digit(r->s.p[i]) || r->s.p[i] == '+' || r->s.p[i] == '-'))))
        i++;
    size_t n = i - begin;
    if (n < 3 || (quoted && (i >= r->s.n || r->s.p[i] != '>')))
        return false;
    memcpy(out, r->s.p + begin, WK_MIN(n, WK_TZ_ABBR - 1));
    out[WK_MIN(n, WK_TZ_ABBR - 1)] = '\0';
    r->i = i + quoted;
    return true;
}

/* A number as the C library scans an unsigned short: blanks and a sign before it, and what is too large
 * is cut to its low bits. False when there is none, and r stays. */
static bool scan_short(struct reader *r, uint16_t *out)
{
    struct reader at = *r;
    uint64_t v;
    int err;
    while (at.i < at.s.n && wk_is_space((unsigned char)peek(&at)))
        at.i++;
    bool minus = peek(&at) == '-';
    at.i += minus || peek(&at) == '+';
    if (!is_digit_next(&at))
        return false;
    at.i += wk_scan_u64(wk_str_from(at.s, at.i), 10, &v, &err);
    *out = (uint16_t)(err ? UINT64_MAX : minus ? 0 - v : v);
    *r = at;
    return true;
}

/* hh[:mm[:ss]], as far as it goes. False when there is no number at all. */
static bool scan_clock(struct reader *r, uint16_t v[3])
{
    if (!scan_short(r, &v[0]))
        return false;
    for (size_t k = 1; k < 3 && peek(r) == ':'; k++) {
        struct reader at = {r->s, r->i + 1};
        if (!scan_short(&at, &v[k]))
            break;
        *r = at;
    }
    return true;
}

/* [+-]hh[:mm[:ss]] in seconds west; what is too large is the most. */
static bool read_offset(struct reader *r, int32_t *out)
{
    uint16_t v[3] = {0, 0, 0};
    bool minus = peek(r) == '-';
    r->i += minus || peek(r) == '+';
    if (!scan_clock(r, v))
        return false;
    int32_t s = WK_MIN(v[0], 24) * 3600 + WK_MIN(v[1], 59) * 60 + WK_MIN(v[2], 59);
    *out = minus ? -s : s;
    return true;
}

/* Mm.w.d. What is out of range counts all the same, but ends the text. */
static bool read_month_day(struct reader *r, struct wk_tz_change *c)
{
    uint16_t v[3] = {0, 0, 0};
    size_t n = 0;
    r->i++;
    for (; n < 3 && (n == 0 || take(r, '.')); n++)
        if (!scan_short(r, &v[n]))
            break;
    if (v[0] >= 1 && v[0] <= 12)
        *c = (struct wk_tz_change){.kind = 'M', .mon = v[0], .week = v[1], .day = v[2]};
    return n == 3 && c->kind == 'M' && v[1] >= 1 && v[1] <= 5 && v[2] <= 6;
}

/* The day of a change; false when it is none, with what was read of it. */
static bool read_day(struct reader *r, struct wk_tz_change *c, const struct wk_tz_change *missing)
{
    uint64_t day;
    int err;
    if (r->i >= r->s.n) {
        *c = *missing;
        return true;
    }
    if (peek(r) == 'M')
        return read_month_day(r, c);
    bool julian = take(r, 'J');
    if (julian)
        c->kind = 'J';
    if (!is_digit_next(r))
        return false;
    r->i += wk_scan_u64(wk_str_from(r->s, r->i), 10, &day, &err);
    if (err || day > 365 || (julian && day == 0))
        return false;
    c->day = (int)day;
    return true;
}

static bool read_change(struct reader *r, struct wk_tz_change *c, const struct wk_tz_change *missing)
{
    uint16_t v[3] = {2, 0, 0};
    (void)take(r, ',');
    if (!read_day(r, c, missing))
        return false;
    if (peek(r) && peek(r) != '/' && peek(r) != ',')
        return false;
    if (take(r, '/')) {
        if (r->i >= r->s.n)
            return false;
        bool minus = take(r, '-');
        (void)scan_clock(r, v);
        c->at = v[0] * 3600 + v[1] * 60 + v[2];
        c->at = minus ? -c->at : c->at;
        return true;
    }
    c->at = 7200;
    return true;
}

/* All as glibc takes it: what is wrong ends it, and what came before counts; the changes that are missing are those of the
 * United States. */
enum wk_tz_rest wk_tz_read_rule(struct wk_str text, struct wk_tz_rule *out)
{
    static const struct wk_tz_change us_start = {'M', 3, 2, 0, 7200, false}, us_end = {'M', 11, 1, 0, 7200, false};
    struct reader r = {.s = text};
    int32_t west;
    *out = (struct wk_tz_rule){.any = true};
    out->start.kind = out->end.kind = 'D';
    if (!read_name(&r, out->std.abbr) ||
        (peek(&r) != '+' && peek(&r) != '-' && !is_digit_next(&r)) || !read_offset(&r, &west))
        return WK_TZ_REST_OF_RULE;
    out->std.gmtoff = -west;
    if (r.i == text.n)
        return WK_TZ_REST_OF_RULE;
    out->has_dst = out->dst.dst = true;
    if (read_name(&r, out->dst.abbr)) {
        out->dst.gmtoff = out->std.gmtoff + 3600;
        if (read_offset(&r, &west))
            out->dst.gmtoff = -west;
        if (r.i == text.n || (peek(&r) == ',' && r.i + 1 == text.n)) {
            out->start = us_start;
            out->end = us_end;
            return WK_TZ_REST_OF_FILE;
        }
    }
    out->start.missing = !read_change(&r, &out->start, &us_start);
    out->end.missing = out->start.missing || !read_change(&r, &out->end, &us_end);
    return WK_TZ_REST_OF_RULE;
}

static bool is_leap(int64_t y)
{
    return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

/* The local second (as if UTC) of a change in a year. Before 1970 as glibc has it: the year's own day, but of 1970. */
static int64_t change_in(const struct wk_tz_change *c, int64_t year, int32_t offset)
{
    int64_t day = c->day;
    if (c->missing && year == 0) /* as if it had been computed */
        return offset;
    if (c->kind == 'J') {
        day += is_leap(year) && c->day >= 60 ? 0 : -1;
    } else if (c->kind == 'M') {
        int64_t jan1 = wk_days_from_civil(year, 1, 1), first = wk_days_from_civil(year, c->mon, 1);
        int64_t next = c->mon == 12 ? wk_days_from_civil(year + 1, 1, 1)
                                    : wk_days_from_civil(year, c->mon + 1, 1);
        int64_t wday = ((first + 4) % 7 + 7) % 7, d = c->day - wday;
        d += d < 0 ? 7 : 0;
        for (int k = 1; k < c->week && first + d + 7 < next; k++)
            d += 7;
        day = first - jan1 + d;
    }
    /* It counts the days before a year in an int, which wraps around in far years. */
    int64_t before = (int32_t)(uint32_t)wk_days_from_civil(WK_MAX(year, 1970), 1, 1);
    return (before + day) * 86400 + c->at;
}

static const struct wk_tz_type *rule_type(const struct wk_tz_rule *r, int64_t sec)
{
    if (!r->has_dst)
        return &r->std;
    int64_t year;
    int mon, mday;
    wk_civil_from_days(sec / 86400 - (sec % 86400 < 0), &year, &mon, &mday);
    int64_t start = change_in(&r->start, year, r->std.gmtoff) - r->std.gmtoff;
    int64_t end = change_in(&r->end, year, r->dst.gmtoff) - r->dst.gmtoff;
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
