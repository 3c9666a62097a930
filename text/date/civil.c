/* civil.c - days and dates of the Gregorian calendar */
#include "text/date/date.h"

enum { DAYS_PER_ERA = 146097, YEARS_PER_ERA = 400, EPOCH_SHIFT = 719468 };

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Years are counted from March, so that the leap day is a year's last. */
int64_t wk_days_from_civil(int64_t year, int mon, int mday)
{
    year -= mon <= 2;
    int64_t era = floor_div(year, YEARS_PER_ERA), of_era = year - era * YEARS_PER_ERA;
    int64_t of_year = (153 * (mon + (mon > 2 ? -3 : 9)) + 2) / 5 + mday - 1;
    return era * DAYS_PER_ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH_SHIFT;
}

void wk_civil_from_days(int64_t days, int64_t *year, int *mon, int *mday)
{
    days += EPOCH_SHIFT;
    int64_t era = floor_div(days, DAYS_PER_ERA), d = days - era * DAYS_PER_ERA;
    int64_t of_era = (d - d / 1460 + d / 36524 - d / 146096) / 365;
    int64_t of_year = d - (365 * of_era + of_era / 4 - of_era / 100);
    int64_t m = (5 * of_year + 2) / 153;
    *mday = (int)(of_year - (153 * m + 2) / 5 + 1);
    *mon = (int)(m < 10 ? m + 3 : m - 9);
    *year = era * YEARS_PER_ERA + of_era + (*mon <= 2);
}
