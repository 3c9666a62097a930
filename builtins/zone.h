/* zone.h - the time zone of a process, and times as text */
#ifndef WK_BUILTINS_ZONE_H
#define WK_BUILTINS_ZONE_H

#include "kern/cmd.h"
#include "text/date/date.h"

/* A buffer over the process heap's account that is released with the process. */
struct wk_buf *wk_cmd_buf(struct wk_cmd *c, size_t max);

/* The zone that $TZ names: a file of the session below /usr/share/zoneinfo ($TZDIR), a zone of the library's table, a POSIX
 * rule, else UTC; /etc/localtime when TZ is unset. Never NULL; lives as long as the process. P */
const struct wk_tz *wk_zone_of(struct wk_cmd *c);
/* The same for a name that is not from the environment. */
const struct wk_tz *wk_zone_named(struct wk_cmd *c, const char *name);

static inline struct wk_instant wk_instant_of(int64_t ns)
{
    int64_t sec = ns / 1000000000, rest = ns % 1000000000;
    return (struct wk_instant){sec - (rest < 0), (int32_t)(rest < 0 ? rest + 1000000000 : rest)};
}
/* Nanoseconds, at the limits of int64_t when out of range. */
int64_t wk_instant_ns(struct wk_instant t);

/* Replaces b's contents by a time as wk_strftime prints it. */
void wk_instant_text(struct wk_cmd *c, struct wk_buf *b, const struct wk_tz *tz, struct wk_str format,
                     struct wk_instant t);
void wk_zone_text(struct wk_cmd *c, struct wk_buf *b, const struct wk_tz *tz, struct wk_str format,
                  int64_t ns);

/* Reads a date as `date -d` does against now. False when it is none. Nanoseconds reach from 1677 to
 * 2262 and stay at those limits; an instant knows all years. */
bool wk_instant_parse(struct wk_cmd *c, const struct wk_tz *tz, const char *text, int64_t now_ns,
                      struct wk_instant *out);
/* What reads dates in that zone, from now, with TZ="…" for other zones. */
struct wk_date_reader wk_zone_reader(struct wk_cmd *c, const struct wk_tz *tz);
bool wk_zone_parse(struct wk_cmd *c, const struct wk_tz *tz, const char *text, int64_t now_ns,
                   int64_t *ns);

#endif
