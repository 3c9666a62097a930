/* cal_days.c - days and dates of two calendars, and Easter
 *
 * Method: day numbers by counting years from March; Easter by the tables of the ecclesiastical moon: a year of the
 *         19-year cycle gives the full moon, the Sunday after it is Easter.
 */
#include "builtins/cal.h"

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Days before the first of the month in a year that begins in March, and that year. */
static int64_t days_before_month(const struct cal_date *d, int64_t *year)
{
    *year = d->year - (d->month < 3);
    int month = d->month < 3 ? d->month + 9 : d->month - 3;
    return (153 * month + 2) / 5;
}

int64_t wk_cal_julian_day(const struct cal_date *d)
{
    int64_t year, before = days_before_month(d, &year);
    return before + d->day + 365 * year + floor_div(year, 4) + 1721117;
}

int64_t wk_cal_gregorian_day(const struct cal_date *d)
{
    int64_t year, before = days_before_month(d, &year);
    return before + d->day + 365 * year + floor_div(year, 4) - floor_div(year, 100) + floor_div(year, 400) + 1721119;
}

struct cal_date wk_cal_gregorian_date(int64_t day)
{
    int64_t n = day - 1721120, era = floor_div(n, 146097);
    int64_t rest = n - era * 146097;
    int64_t year = (rest - rest / 1460 + rest / 36524 - rest / 146096) / 365;
    int64_t of_year = rest - (365 * year + year / 4 - year / 100);
    int month = (int)((5 * of_year + 2) / 153);
    struct cal_date d = {.year = year + era * 400 + (month >= 10),
                         .month = month < 10 ? month + 3 : month - 9,
                         .day = (int)(of_year - (153 * month + 2) / 5 + 1)};
    return d;
}

/* n days after 21 March. */
static struct cal_date after_equinox(int64_t year, int64_t n)
{
    int64_t day = 21 + n;
    return (struct cal_date){year, day > 31 ? 4 : 3, (int)(day > 31 ? day - 31 : day)};
}

struct cal_date wk_cal_easter(int64_t year)
{
    int64_t century = year / 100, golden = year % 19;
    int64_t moon = (19 * golden + century - century / 4 - (8 * century + 13) / 25 + 15) % 30;
    moon -= (moon == 29) || (moon == 28 && golden > 10);
    struct cal_date full = after_equinox(year, moon);
    int64_t weekday = (wk_cal_gregorian_day(&full) + 1) % 7;
    return after_equinox(year, moon + 7 - weekday);
}

struct cal_date wk_cal_easter_julian(int64_t year)
{
    int64_t moon = (19 * (year % 19) + 15) % 30;
    struct cal_date full = after_equinox(year, moon);
    int64_t weekday = (wk_cal_julian_day(&full) + 1) % 7;
    return after_equinox(year, moon + 7 - weekday);
}
