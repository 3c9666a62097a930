/* jq_dates.c - jq's functions on dates: seconds since 1970, broken-down times, and text
 *
 * A broken-down time is an array: year, month from 0, day, hours, minutes, seconds, day of the week, day of
 * the year. Seconds may have a fraction.
 */
#include "builtins/jq_builtin.h"
#include "builtins/jq_strptime.h"
#include "builtins/zone.h"

#include <limits.h>
#include <math.h>

enum { FIELDS = 8, NO_WDAY = 8, NO_YDAY = 367, EXPANSION_MAX = 99 };

static const struct wk_tz *zone_of(struct jq *q)
{
    if (!q->zone)
        q->zone = wk_zone_of(q->c);
    return q->zone;
}

/* Up to the first NUL, where the C library stops. */
static struct wk_str c_text(struct jq_val s)
{
    struct wk_str text = jq_slice(s);
    ptrdiff_t nul = wk_str_chr(text, '\0');
    return nul < 0 ? text : wk_str_take(text, (size_t)nul);
}

/* ---- broken-down times as arrays ---- */

static struct jq_val tm_array(struct jq *q, const struct wk_tm *tm, double fraction)
{
    /* The year wraps as an int does. */
    double fields[FIELDS] = {(double)(int32_t)(uint32_t)(uint64_t)tm->year, (double)(tm->mon - 1), tm->mday,
                             tm->hour,         tm->min,               tm->sec + fraction,
                             tm->wday,         tm->yday};
    struct jq_val result = wk_jq_array(q, FIELDS + 1);
    for (size_t i = 0; i < FIELDS; i++)
        result = wk_jq_push(q, result, jq_number(fields[i]));
    return result;
}

static int to_int(double d)
{
    return isnan(d) || d <= INT_MIN ? INT_MIN : d >= INT_MAX ? INT_MAX : (int)d;
}

/* The fields that are there, others are 0; false when one is no number. */
static bool read_tm(struct jq_val v, struct wk_tm *tm)
{
    int fields[FIELDS] = {-1900};
    for (size_t i = 0; i < FIELDS && i < v.array->n; i++) {
        if (v.array->at[i].kind != JQ_NUMBER)
            return false;
        fields[i] = to_int(jq_num(v.array->at[i]) - (i == 0 ? 1900 : 0));
    }
    if (v.array->n == 0)
        fields[0] = 0;
    *tm = (struct wk_tm){.year = (int64_t)fields[0] + 1900,
                         .mon = (int64_t)fields[1] + 1,
                         .mday = fields[2],
                         .hour = fields[3],
                         .min = fields[4],
                         .sec = fields[5],
                         .wday = fields[6],
                         .yday = fields[7]};
    return true;
}

/* Seconds since 1970 in a zone as a broken-down time; takes v. */
static bool break_down(struct jq *q, struct jq_val v, const struct wk_tz *zone, const char *name,
                       struct jq_val *out)
{
    struct wk_tm tm;
    if (v.kind != JQ_NUMBER) {
        jq_free(q, v);
        return wk_jq_error(q, "%s() requires numeric inputs", name);
    }
    double seconds = jq_num(v);
    jq_free(q, v);
    /* Cut towards zero, and the fraction counted from below: as jq does. */
    struct wk_instant t = {wk_jq_int(seconds), 0};
    if (isnan(seconds) || fabs(seconds) >= 9e18 || !wk_tz_local(zone, t, &tm) || !wk_tm_fits(&tm))
        return wk_jq_error(q, "error converting number of seconds since epoch to datetime");
    *out = tm_array(q, &tm, seconds - floor(seconds));
    return true;
}

static bool gmtime_of(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return break_down(q, a[0], wk_tz_utc(), "gmtime", out);
}

static bool localtime_of(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return break_down(q, a[0], zone_of(q), "localtime", out);
}

static bool mktime_of(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    struct wk_tm tm;
    struct wk_instant t;
    if (a[0].kind != JQ_ARRAY) {
        jq_free(q, a[0]);
        return wk_jq_error(q, "mktime requires array inputs");
    }
    bool ok = read_tm(a[0], &tm);
    jq_free(q, a[0]);
    if (!ok)
        return wk_jq_error(q, "mktime requires parsed datetime inputs");
    if (!wk_tz_instant(wk_tz_utc(), &tm, 0, &t) || t.sec == -1)
        return wk_jq_error(q, "invalid gmtime representation");
    if (t.sec == -2) /* what jq takes this second for */
        return wk_jq_error(q, "mktime not supported on this platform");
    *out = jq_number((double)t.sec);
    return true;
}

/* ---- text ---- */

/* A time by a format; the zone is NULL for Greenwich. Takes both. */
static bool format_time(struct jq *q, struct jq_val v, struct jq_val format, const struct wk_tz *zone,
                        const char *name, struct jq_val *out)
{
    struct wk_tm tm;
    bool local = zone != NULL;
    if (v.kind == JQ_NUMBER && !break_down(q, v, local ? zone : wk_tz_utc(), local ? "localtime" : "gmtime", &v)) {
        jq_free(q, format);
        return false;
    }
    bool parsed = v.kind == JQ_ARRAY && read_tm(v, &tm);
    jq_free(q, v);
    if (!parsed || format.kind != JQ_STRING) {
        jq_free(q, format);
        return wk_jq_error(q, parsed ? "%s requires a string format" : "%s requires parsed datetime inputs", name);
    }
    struct wk_instant t;
    if (local) {
        wk_tz_mktime(zone, &tm, -1, &q->zone_guess, &t);
    } else {
        struct wk_tm shown;
        if (wk_tz_instant(wk_tz_utc(), &tm, 0, &t) && wk_tz_local(wk_tz_utc(), t, &shown) && wk_tm_fits(&shown))
            tm = shown;
        memcpy(tm.zone, "GMT", 4);
    }
    struct wk_str text = c_text(format);
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(q->c->heap), text.n + EXPANSION_MAX); /* as much as jq has room for */
    bool failed = !wk_strftime_libc(&b, text, &tm) || (b.n == 0 && text.n);
    if (failed && !(b.failed && !b.over)) {
        wk_buf_release(&b);
        jq_free(q, format);
        return wk_jq_error(q, "%s: unknown system failure", name);
    }
    *out = wk_jq_string_take(q, &b);
    jq_free(q, format);
    return true;
}

static bool strftime_of(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return format_time(q, a[0], a[1], NULL, "strftime/1", out);
}

static bool strflocaltime_of(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return format_time(q, a[0], a[1], zone_of(q), "strflocaltime/1", out);
}

static bool strptime_of(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (a[0].kind != JQ_STRING || a[1].kind != JQ_STRING) {
        jq_free_args(q, a, 1);
        return wk_jq_error(q, "strptime/1 requires string inputs and arguments");
    }
    struct wk_str text = c_text(a[0]), format = c_text(a[1]);
    struct wk_tm tm = {.year = 1900, .mon = 1, .wday = NO_WDAY, .yday = NO_YDAY};
    ptrdiff_t used = wk_jq_strptime(text, format, zone_of(q), &tm);
    struct wk_str rest = wk_str_from(text, used < 0 ? 0 : (size_t)used);
    bool ok = used >= 0 && (rest.n == 0 || wk_is_space((unsigned char)rest.p[0]));
    if (!ok) {
        wk_jq_error(q, "date \"%.*s\" does not match format \"%.*s\"", (int)WK_MIN(text.n, (size_t)1 << 20),
                    text.p, (int)WK_MIN(format.n, (size_t)1 << 20), format.p);
    } else {
        struct jq_val result = tm_array(q, &tm, 0);
        if (rest.n)
            result = wk_jq_push(q, result, wk_jq_string_valid(q, rest));
        *out = result;
    }
    jq_free_args(q, a, 1);
    return ok;
}

static bool now(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    int64_t us = wk_cmd_now(q->c) / 1000;
    jq_free(q, a[0]);
    *out = jq_number((double)(us / 1000000) + (double)(us % 1000000) / 1000000.0);
    return true;
}

static const struct jq_builtin functions[] = {
    {"now", 0, now},
    {"gmtime", 0, gmtime_of},
    {"localtime", 0, localtime_of},
    {"mktime", 0, mktime_of},
    {"strftime", 1, strftime_of},
    {"strflocaltime", 1, strflocaltime_of},
    {"strptime", 1, strptime_of},
};
const struct jq_table wk_jq_date_table = {functions, WK_COUNTOF(functions)};
