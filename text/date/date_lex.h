/* date_lex.h - the words and numbers of a date as people write it
 *
 * Only for text/date.
 */
#ifndef WK_TEXT_DATE_LEX_H
#define WK_TEXT_DATE_LEX_H

#include "base/err.h"
#include "text/date/date.h"

enum wk_date_kind {
    WK_DATE_END,
    WK_DATE_NUMBER,   /* digits */
    WK_DATE_SIGNED,   /* with a sign before it */
    WK_DATE_DECIMAL,  /* with a fraction */
    WK_DATE_SDECIMAL,
    WK_DATE_MONTH,    /* value 1..12 */
    WK_DATE_DAY,      /* 0 = Sunday */
    WK_DATE_MERIDIAN, /* 0 am, 1 pm */
    WK_DATE_ZONE,     /* seconds east */
    WK_DATE_DAYZONE,  /* the same, daylight time: an hour more */
    WK_DATE_LOCALZONE,/* value: daylight time or not, -1: who knows */
    WK_DATE_DST,
    WK_DATE_UNIT,     /* enum wk_date_unit, times `factor` */
    WK_DATE_SHIFT,    /* today, tomorrow…: days */
    WK_DATE_ORDINAL,  /* next, last, third… */
    WK_DATE_AGO,
    WK_DATE_T,        /* the letter alone */
    WK_DATE_CHAR,     /* any other: value */
    WK_DATE_BAD       /* a word that nothing knows, a number too large (which stays unread) */
};

enum wk_date_unit {
    WK_DATE_YEAR,
    WK_DATE_MONTHS,
    WK_DATE_DAYS,
    WK_DATE_HOUR,
    WK_DATE_MINUTE,
    WK_DATE_SECOND
};

struct wk_date_token {
    enum wk_date_kind kind;
    int64_t value;
    int factor;   /* unit: weeks are 7 days */
    size_t digits;
    bool negative;
    int32_t nsec; /* decimal: value is floored */
};

struct wk_date_lexer {
    struct wk_str s;
    size_t i;
    const char *local[2];  /* abbreviations of the local zone; may be NULL */
    int local_dst[2];      /* -1: it does not tell */
    char bad[20];          /* the word that nothing knows, when the last token is BAD; "" for others */
};

struct wk_date_token wk_date_next(struct wk_date_lexer *l);

#endif
