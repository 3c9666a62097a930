/* zone_priv.h - what a time zone is made of
 *
 * Only for text/date.
 */
#ifndef WK_TEXT_ZONE_PRIV_H
#define WK_TEXT_ZONE_PRIV_H

#include "base/err.h"
#include "text/date/date.h"

enum { WK_TZ_ABBR = 16 };

/* One kind of local time. */
struct wk_tz_type {
    int32_t gmtoff;
    bool dst, universal; /* universal: a change to it is told in UTC, not in local time */
    char abbr[WK_TZ_ABBR];
};

/* When a change happens, of a POSIX rule. */
struct wk_tz_change {
    char kind;      /* 'J' 1..365 without 29 February, 'D' 0..365, 'M' month.week.day */
    int mon, week, day;
    int32_t at;     /* seconds after local midnight */
    bool missing;   /* the text had none that could be read */
};

/* The rule after the last transition, or all of a POSIX zone. */
struct wk_tz_rule {
    bool any, has_dst;
    struct wk_tz_type std, dst;
    struct wk_tz_change start, end; /* of daylight time */
};

struct wk_tz {
    struct wk_mem *mem; /* NULL: static */
    size_t ntimes, ntypes;
    int64_t *times;
    uint8_t *which;
    struct wk_tz_type *types;
    struct wk_tz_rule rule;
};

/* What names no changes between standard and daylight time has those of the file "posixrules", where there is one. */
enum wk_tz_rest { WK_TZ_REST_OF_RULE, WK_TZ_REST_OF_FILE };

/* Reads a POSIX TZ string into a rule as glibc does: of what is wrong, what came before ("bogus" is a name at +0000). */
enum wk_tz_rest wk_tz_read_rule(struct wk_str text, struct wk_tz_rule *out);
/* The zone of that name in the library's table: its TZif block with 64-bit times, static. */
bool wk_tz_find(struct wk_str name, struct wk_str *block);
/* A zone from such a block. Errors as of wk_tz_file. */
WK_NODISCARD int wk_tz_block(struct wk_mem *m, struct wk_str bytes, struct wk_tz **out);
/* What holds at an instant. */
const struct wk_tz_type *wk_tz_type_at(const struct wk_tz *tz, int64_t sec);

#endif
