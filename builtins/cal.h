/* cal.h - calendars of the Julian and the Gregorian era, and how months are laid out
 *
 * Days are Julian day numbers. Months are counted from January of the year 0.
 */
#ifndef WK_BUILTINS_CAL_H
#define WK_BUILTINS_CAL_H

#include "kern/cmd.h"

struct cal_date {
    int64_t year;
    int month, day; /* from 1 */
};

/* How months are shown. */
struct cal_style {
    bool columns;      /* weeks are columns (ncal), else lines */
    bool weeks;        /* with their numbers */
    bool day_of_year;    /* instead of the day of the month */
    int first_day;       /* 0: weeks begin on Sunday, 1: on Monday */
    int64_t least;       /* days of a year in its first week */
    int64_t last_julian; /* the last day before the Gregorian calendar */
    int64_t today;       /* underlined where weeks are lines; 0: none */
    int64_t unnumbered;  /* weeks that begin until this day have no numbers */
};

int64_t wk_cal_julian_day(const struct cal_date *d);
int64_t wk_cal_gregorian_day(const struct cal_date *d);
struct cal_date wk_cal_gregorian_date(int64_t day);
/* Easter of the western churches, by the Gregorian calendar; and of the orthodox ones, by the Julian. */
struct cal_date wk_cal_easter(int64_t year);
struct cal_date wk_cal_easter_julian(int64_t year);

/* The day `day` - 1 days behind the first of a month, counted from 1 (any number); 0: there is none. */
int64_t wk_cal_day(const struct cal_style *style, int64_t year, int64_t month, int64_t day);
/* "January" of 1. */
const char *wk_cal_month_name(int month);
/* Prints months from … to. */
void wk_cal_put(struct wk_cmd *c, const struct cal_style *style, int32_t from, int32_t to);

#endif
