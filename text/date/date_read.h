/* date_read.h - what was read of a date, before it is an instant
 *
 * Only for text/date: date_parse.c fills it, date_eval.c makes an instant of it, date_debug.c tells of both.
 */
#ifndef WK_TEXT_DATE_READ_H
#define WK_TEXT_DATE_READ_H

#include "text/date/date_lex.h"
#include "text/date/zone_priv.h"

enum { WK_DATE_DAY_TEXT = 80 };

enum wk_meridian { WK_AM, WK_PM, WK_MER24 };

/* Parts in the order in which they are told of. */
enum { WK_SEEN_DATES, WK_SEEN_YEAR, WK_SEEN_TIMES, WK_SEEN_DAYS, WK_SEEN_LOCAL, WK_SEEN_ZONES, WK_SEEN_PARTS };

struct wk_date_read {
    struct wk_date_reader *r;
    const struct wk_tz *tz;
    const char *tz_text; /* as TZ said it; NULL: unset */
    bool tz_altered;     /* by a TZ="…" in the text */
    struct wk_date_lexer lex;
    struct wk_date_token ahead;
    bool have_ahead;

    struct wk_tm now;
    struct wk_date_token year; /* value and digits */
    int64_t month, mday, hour, minutes, sec;
    int32_t nsec;
    enum wk_meridian meridian;
    int64_t rel[6]; /* by enum wk_date_unit */
    int64_t rel_nsec;
    int64_t day_ordinal;
    int day;
    int local_isdst;
    int32_t zone; /* seconds east */
    bool timespec, rels, year_seen, ordinal_seen;
    unsigned seen[WK_SEEN_PARTS], dsts; /* how often; the year has year_seen */
    bool told[WK_SEEN_PARTS];
};

/* Items to the end; false where the text is no date. */
bool wk_date_parse_items(struct wk_date_read *p);
/* The instant. False when there is none. */
bool wk_date_evaluate(struct wk_date_read *p, struct wk_instant *out);

/* ---- what --debug tells: each does nothing when nobody listens ---- */

/* A line by wk_buf_fmt. */
void wk_date_say(struct wk_date_read *p, const char *fmt, ...) WK_PRINTF(2, 3);
/* "parsed WHAT part: …": what is new. */
void wk_date_say_part(struct wk_date_read *p, const char *what);
void wk_date_say_relative(struct wk_date_read *p, const char *what);
void wk_date_say_zone(struct wk_date_read *p);
/* A local time that does not exist. */
void wk_date_say_wrong(struct wk_date_read *p, const struct wk_tm *asked, const struct wk_tm *got);
void wk_date_say_final(struct wk_date_read *p, struct wk_instant t);
/* "TEXT 'date'": a line that ends with a quoted time. */
void wk_date_say_time(struct wk_date_read *p, const char *text, const struct wk_tm *tm, const char *tail);
/* The day of the week with its ordinal, into a buffer of WK_DATE_DAY_TEXT bytes. */
const char *wk_date_day_text(const struct wk_date_read *p, char *out);

#endif
