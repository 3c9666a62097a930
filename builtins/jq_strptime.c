/* jq_strptime.c - dates read by a format, as the C library's strptime does in the C locale
 *
 * Blanks in front of a number and blanks in the format match any number of blanks. What the format tells
 * decides what is worked out at the end: days of the week and of the year from a date, a date from a day of
 * the year or from a week and its day.
 */
#include "builtins/jq_strptime.h"

enum { DEPTH_MAX = 2 }; /* directives that stand for formats */

struct reader {
    struct wk_str s;
    size_t i;
    const struct wk_tz *zone;
    struct wk_tm *tm;
    bool pm, have_12, have_mon, have_mday, have_wday, have_yday, have_year2;
    bool want_days; /* of the week and the year */
    int century, sunday_week, monday_week; /* -1: not told */
};

static void skip_blanks(struct reader *r)
{
    while (r->i < r->s.n && wk_is_space((unsigned char)r->s.p[r->i]))
        r->i++;
}

/* Up to `digits` digits within bounds; one that would lead past `high` by ten times what is there is left. */
static bool number(struct reader *r, int low, int high, int digits, int *v)
{
    size_t start;
    while (r->i < r->s.n && r->s.p[r->i] == ' ')
        r->i++;
    start = r->i;
    for (*v = 0; r->i < r->s.n && wk_is_digit(r->s.p[r->i]) && r->i - start < (size_t)digits &&
                 (r->i == start || *v * 10 <= high);
         r->i++)
        *v = *v * 10 + (r->s.p[r->i] - '0');
    return r->i > start && *v >= low && *v <= high;
}

static bool same_letters(struct wk_str s, const char *name, size_t n)
{
    if (s.n < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (wk_to_lower((unsigned char)s.p[i]) != wk_to_lower((unsigned char)name[i]))
            return false;
    return true;
}

/* One of the names, whole or its first three letters. */
static bool name_of(struct reader *r, const char *const *names, int count, int *v)
{
    struct wk_str rest = wk_str_from(r->s, r->i);
    for (int k = 0; k < count; k++) {
        size_t whole = strlen(names[k]);
        size_t n = same_letters(rest, names[k], whole) ? whole : same_letters(rest, names[k], 3) ? 3 : 0;
        if (n) {
            r->i += n;
            *v = k;
            return true;
        }
    }
    return false;
}

static bool half_of_day(struct reader *r)
{
    struct wk_str rest = wk_str_from(r->s, r->i);
    bool am = same_letters(rest, "AM", 2);
    if (!am && !same_letters(rest, "PM", 2))
        return false;
    r->pm = !am;
    r->i += 2;
    return true;
}

/* Z, +hh, +hhmm, +hh:mm: read and not used, as jq does. */
static bool offset(struct reader *r)
{
    skip_blanks(r);
    char sign = r->i < r->s.n ? r->s.p[r->i++] : '\0';
    if (sign == 'Z')
        return true;
    if (sign != '+' && sign != '-')
        return false;
    int v = 0, n = 0;
    for (; n < 4 && r->i < r->s.n && wk_is_digit(r->s.p[r->i]); n++) {
        v = v * 10 + (r->s.p[r->i++] - '0');
        if (n == 1 && r->i < r->s.n && r->s.p[r->i] == ':')
            r->i++;
    }
    return n == 2 || (n == 4 && v % 100 < 60);
}

static bool epoch(struct reader *r)
{
    int64_t v = 0;
    size_t start = r->i;
    for (; r->i < r->s.n && wk_is_digit(r->s.p[r->i]); r->i++) {
        if (v > (INT64_MAX - 9) / 10)
            return false;
        v = v * 10 + (r->s.p[r->i] - '0');
    }
    return r->i > start && wk_tz_local(r->zone, (struct wk_instant){v, 0}, r->tm) && wk_tm_fits(r->tm);
}

static bool read_format(struct reader *r, struct wk_str format, unsigned depth);

/* The directives that are numbers: 1 read, 0 wrong, -1 none of them. */
static int number_directive(struct reader *r, char c)
{
    struct wk_tm *tm = r->tm;
    int v = 0;
    bool ok;
    switch (c) {
    case 'C':
        ok = number(r, 0, 99, 2, &r->century);
        r->want_days = true;
        return ok;
    case 'd':
    case 'e':
        ok = number(r, 1, 31, 2, &tm->mday);
        r->have_mday = r->want_days = true;
        return ok;
    case 'H':
    case 'k':
        r->have_12 = false;
        return number(r, 0, 23, 2, &tm->hour);
    case 'I':
    case 'l':
        ok = number(r, 1, 12, 2, &v);
        tm->hour = v % 12;
        r->have_12 = true;
        return ok;
    case 'j':
        ok = number(r, 1, 366, 3, &v);
        tm->yday = v - 1;
        r->have_yday = true;
        return ok;
    case 'm':
        ok = number(r, 1, 12, 2, &v);
        tm->mon = v;
        r->have_mon = r->want_days = true;
        return ok;
    case 'M':
        return number(r, 0, 59, 2, &tm->min);
    case 'S':
        return number(r, 0, 61, 2, &tm->sec);
    case 'u':
    case 'w':
        ok = c == 'u' ? number(r, 1, 7, 1, &v) : number(r, 0, 6, 1, &v);
        tm->wday = v % 7;
        r->have_wday = true;
        return ok;
    case 'g':
        return number(r, 0, 99, 2, &v);
    case 'G': /* digits that are not looked at */
        if (r->i >= r->s.n || !wk_is_digit(r->s.p[r->i]))
            return 0;
        while (r->i < r->s.n && wk_is_digit(r->s.p[r->i]))
            r->i++;
        return 1;
    case 'U':
        return number(r, 0, 53, 2, &r->sunday_week);
    case 'V':
        return number(r, 0, 53, 2, &v);
    case 'W':
        return number(r, 0, 53, 2, &r->monday_week);
    case 'y':
        ok = number(r, 0, 99, 2, &v);
        tm->year = v >= 69 ? 1900 + v : 2000 + v;
        r->have_year2 = r->want_days = true;
        return ok;
    case 'Y':
        ok = number(r, 0, 9999, 4, &v);
        tm->year = v;
        r->have_year2 = false;
        r->want_days = true;
        return ok;
    default:
        return -1;
    }
}

static bool directive(struct reader *r, char c, unsigned depth)
{
    static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};
    static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};
    static const struct {
        char c;
        const char *format;
    } formats[] = {{'c', "%a %b %e %H:%M:%S %Y"}, {'D', "%m/%d/%y"}, {'F', "%Y-%m-%d"},    {'r', "%I:%M:%S %p"},
                   {'R', "%H:%M"},                {'T', "%H:%M:%S"}, {'x', "%m/%d/%y"}, {'X', "%H:%M:%S"}};
    int v, n = number_directive(r, c);
    if (n >= 0)
        return n;
    for (size_t k = 0; k < WK_COUNTOF(formats); k++)
        if (formats[k].c == c)
            return depth < DEPTH_MAX && read_format(r, wk_str_c(formats[k].format), depth + 1);
    switch (c) {
    case '%':
        return r->i < r->s.n && r->s.p[r->i++] == '%';
    case 'a':
    case 'A':
        r->have_wday = true;
        return name_of(r, days, 7, &r->tm->wday);
    case 'b':
    case 'B':
    case 'h':
        if (!name_of(r, months, 12, &v))
            return false;
        r->tm->mon = v + 1;
        r->have_mon = r->want_days = true;
        return true;
    case 'n':
    case 't':
        skip_blanks(r);
        return true;
    case 'p':
        return half_of_day(r);
    case 's':
        return epoch(r);
    case 'z':
        return offset(r);
    case 'Z': /* read and not used */
        skip_blanks(r);
        while (r->i < r->s.n && !wk_is_space((unsigned char)r->s.p[r->i]))
            r->i++;
        return true;
    default:
        return false;
    }
}

static bool read_format(struct reader *r, struct wk_str format, unsigned depth)
{
    for (size_t i = 0; i < format.n; i++) {
        char c = format.p[i];
        if (wk_is_space((unsigned char)c)) {
            skip_blanks(r);
            continue;
        }
        if (c != '%') {
            if (r->i >= r->s.n || r->s.p[r->i++] != c)
                return false;
            continue;
        }
        for (i++; i < format.n && format.p[i] && strchr("-_0^#", format.p[i]); i++)
            ;
        char modifier = i < format.n && (format.p[i] == 'E' || format.p[i] == 'O') ? format.p[i++] : '\0';
        if (i >= format.n || !format.p[i])
            return false;
        if (modifier && !strchr(modifier == 'E' ? "cCxXY" : "bBdehHImMSUVwWy", format.p[i]))
            return false;
        if (!directive(r, format.p[i], depth))
            return false;
    }
    return true;
}

/* ---- what follows from what was read ---- */

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_before(int64_t year, int64_t mon)
{
    static const int days[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    return days[(mon - 1) % 12] + (mon > 2 && is_leap(year));
}

static void date_of_yday(struct reader *r)
{
    struct wk_tm *tm = r->tm;
    int64_t mon = 12;
    while (mon > 1 && days_before(tm->year, mon) > tm->yday)
        mon--;
    if (!r->have_mon)
        tm->mon = mon;
    if (!r->have_mday)
        tm->mday = tm->yday - days_before(tm->year, mon) + 1;
}

static int week_day(const struct wk_tm *tm)
{
    int64_t days = wk_days_from_civil(tm->year, (int)tm->mon, 1) + tm->mday - 1;
    if (tm->year == 0 && tm->mon < 3) /* leap days are counted so before the year 0 */
        days++;
    return (int)(((days + 4) % 7 + 7) % 7);
}

static void from_week(struct reader *r)
{
    struct wk_tm *tm = r->tm;
    struct wk_tm first = {.year = tm->year, .mon = 1, .mday = 1};
    bool sunday = r->sunday_week >= 0;
    int start = week_day(&first), off = sunday ? 0 : 1, week = sunday ? r->sunday_week : r->monday_week;
    if (!r->have_yday)
        tm->yday = (7 - (start - off)) % 7 + (week - 1) * 7 + (tm->wday - off + 7) % 7;
    if (!r->have_mday || !r->have_mon)
        date_of_yday(r);
}

static void conclude(struct reader *r)
{
    struct wk_tm *tm = r->tm;
    if (r->have_12 && r->pm)
        tm->hour += 12;
    if (r->century >= 0)
        tm->year = r->century * 100 + (r->have_year2 ? tm->year % 100 : 0);
    if (r->want_days && !r->have_wday) {
        if (!(r->have_mon && r->have_mday) && r->have_yday)
            date_of_yday(r);
        tm->wday = week_day(tm);
    }
    if (r->want_days && !r->have_yday)
        tm->yday = days_before(tm->year, tm->mon) + tm->mday - 1;
    if ((r->sunday_week >= 0 || r->monday_week >= 0) && r->have_wday)
        from_week(r);
}

ptrdiff_t wk_jq_strptime(struct wk_str text, struct wk_str format, const struct wk_tz *zone, struct wk_tm *tm)
{
    struct reader r = {.s = text, .zone = zone, .tm = tm, .century = -1, .sunday_week = -1, .monday_week = -1};
    if (!read_format(&r, format, 0))
        return -1;
    conclude(&r);
    return (ptrdiff_t)r.i;
}
