/* date.h - calendar, time zones, strftime, and dates as people write them
 *
 * Nothing here looks at the host's clock, zone or locale: the caller gives the time and the zone.
 * Instants are seconds since 1970-01-01 00:00:00 UTC (int64_t) and nanoseconds 0..999,999,999.
 */
#ifndef WK_TEXT_DATE_H
#define WK_TEXT_DATE_H

#include "base/buf.h"

struct wk_instant {
    int64_t sec;
    int32_t nsec;
};

/* A broken-down time. Fields as in struct tm except that `year` is the real year and `mon` is
 * 1..12. */
struct wk_tm {
    int64_t year;
    int mon, mday, hour, min, sec; /* 1..12, 1..31, 0..23, 0..59, 0..60 */
    int wday, yday;                /* 0 = Sunday; 0 = 1 January */
    int32_t nsec;
    int32_t gmtoff;  /* seconds east of UTC */
    bool dst;
    char zone[16];   /* abbreviation, NUL-terminated */
};

/* Days since 1970-01-01 of a Gregorian date (any year within +-10^11; month 1..12), and back. */
int64_t wk_days_from_civil(int64_t year, int mon, int mday);
void wk_civil_from_days(int64_t days, int64_t *year, int *mon, int *mday);

/* ---- zones ---- */

struct wk_tz;

/* The zone UTC; static, never freed. */
const struct wk_tz *wk_tz_utc(void);
/* What TZ says, with a colon before it or without: a zone by its name ("Europe/Berlin"; all that were in tzdata when the library
 * was built), or a POSIX string ("EST5EDT,M3.2.0,M11.1.0", "<+03>-3", "" and "UTC0" are UTC). Without a rule the US rule is
 * used; of a text that is none, what can be read: both as in glibc. 0, -WK_ENOMEM. Free with wk_tz_free. */
WK_NODISCARD int wk_tz_posix(struct wk_mem *m, struct wk_str text, struct wk_tz **out);
/* The bytes of a TZif file (versions 1 to 4), copied. Errors as above. */
WK_NODISCARD int wk_tz_file(struct wk_mem *m, struct wk_str bytes, struct wk_tz **out);
void wk_tz_free(struct wk_tz *tz); /* NULL and the static zone are allowed */

/* Breaks an instant down. False when the year does not fit. */
bool wk_tz_local(const struct wk_tz *tz, struct wk_instant t, struct wk_tm *out);
/* The instant of a local time as mktime does: fields out of range are carried; isdst < 0 = find
 * out. Reads year mon mday hour min sec nsec. False on overflow. */
bool wk_tz_instant(const struct wk_tz *tz, const struct wk_tm *tm, int isdst,
                   struct wk_instant *out);

/* The same with all that the C library's mktime does: *guess is how far the last time was from UTC (0 at first; it decides
 * between two instants that fit), and tm is replaced by what the instant shows. False, and tm stays, when there is none whose
 * year is an int of struct tm. */
bool wk_tz_mktime(const struct wk_tz *tz, struct wk_tm *tm, int isdst, int64_t *guess, struct wk_instant *out);
/* Whether the year is one of struct tm: an int, counted from 1900. */
static inline bool wk_tm_fits(const struct wk_tm *tm)
{
    return tm->year <= INT64_C(1900) + INT32_MAX && tm->year >= INT64_C(1900) + INT32_MIN;
}

/* ---- printing ---- */

/* Appends tm by a format with GNU date's directives: all of strftime in the C locale, %N %:z %::z
 * %:::z %P %s %q and the flags - _ 0 + ^ # with a width. An unknown directive is copied. False when
 * the buffer refused. */
bool wk_strftime(struct wk_buf *b, struct wk_str format, const struct wk_tm *tm);
/* The same as the C library's strftime has it (printf, prompts). */
bool wk_strftime_libc(struct wk_buf *b, struct wk_str format, const struct wk_tm *tm);

/* ---- reading ---- */

/* How dates are read, and what lasts from one to the next. */
struct wk_date_reader {
    struct wk_instant now;
    const struct wk_tz *tz;
    const char *tz_text; /* what TZ says, for `say`; NULL = unset */
    /* Unless NULL, gives the zone of a TZ="…" prefix (0 and *out, which the caller keeps, or a negative code). */
    int (*zone_named)(void *ctx, struct wk_str name, const struct wk_tz **out);
    /* Unless NULL, is told line by line how a date is read, as date --debug tells; `line` is where lines are put together. */
    void (*say)(void *ctx, struct wk_str line);
    struct wk_buf *line;
    void *ctx;
    int64_t guess; /* of wk_tz_mktime; 0 at first */
};

/* Reads a date as GNU date -d does ("2024-01-31 12:00 +0200", "@5", "next friday", "2 weeks ago",
 * "TZ=\"Europe/Paris\" 09:00" …). 0, -WK_EINVAL, or what zone_named said. */
WK_NODISCARD int wk_date_read(struct wk_date_reader *r, struct wk_str text, struct wk_instant *out);
/* touch -t and date's operand: [[CC]YY]MMDDhhmm[.ss] (touch), MMDDhhmm[[CC]YY][.ss] (date). */
WK_NODISCARD int wk_date_posix(struct wk_str text, bool year_last, struct wk_instant now,
                               const struct wk_tz *tz, struct wk_instant *out);

#endif
