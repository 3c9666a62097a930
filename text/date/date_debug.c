/* date_debug.c - what is told of how a date was read (date --debug) */
#include "text/date/date_read.h"

#include "base/num.h"

#include <stdarg.h>

static bool heard(const struct wk_date_read *p)
{
    return p->r->say != NULL;
}

static void pass(struct wk_date_read *p)
{
    struct wk_buf *b = p->r->line;
    if (!b->failed)
        p->r->say(p->r->ctx, wk_buf_str(b));
    wk_buf_reset(b);
}

void wk_date_say(struct wk_date_read *p, const char *fmt, ...)
{
    va_list args;
    if (!heard(p))
        return;
    va_start(args, fmt);
    wk_buf_vfmt(p->r->line, fmt, args);
    va_end(args);
    pass(p);
}

/* +hh[:mm[:ss]]. */
static void put_offset(struct wk_buf *b, int32_t off)
{
    int32_t u = off < 0 ? -off : off;
    wk_buf_fmt(b, "%c%02d", off < 0 ? '-' : '+', u / 3600);
    if (u % 3600)
        wk_buf_fmt(b, ":%02d", u / 60 % 60);
    if (u % 60)
        wk_buf_fmt(b, ":%02d", u % 60);
}

const char *wk_date_day_text(const struct wk_date_read *p, char *out)
{
    static const char ordinals[][11] = {"last",  "this",  "next/first", "(SECOND)", "third", "fourth",   "fifth",
                                        "sixth", "seventh", "eight",    "ninth",    "tenth", "eleventh", "twelfth"};
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    size_t n = 0;
    if (p->ordinal_seen && p->day_ordinal >= -1 && p->day_ordinal <= 12) {
        n = strlen(ordinals[p->day_ordinal + 1]);
        memcpy(out, ordinals[p->day_ordinal + 1], n);
    } else if (p->ordinal_seen) {
        n = wk_fmt_i64(out, p->day_ordinal);
    }
    if (n)
        out[n++] = ' ';
    memcpy(out + n, days[(unsigned)p->day % 7], 4);
    return out;
}

/* Whether a part is new: then it is told now, behind a blank if others were. */
static bool is_new(struct wk_date_read *p, size_t part, bool *blank)
{
    if (!p->seen[part] || p->told[part])
        return false;
    p->told[part] = true;
    if (*blank)
        wk_buf_putc(p->r->line, ' ');
    *blank = true;
    return true;
}

static void put_clock(struct wk_date_read *p)
{
    struct wk_buf *b = p->r->line;
    wk_buf_fmt(b, "%02lld:%02lld:%02lld", (long long)p->hour, (long long)p->minutes, (long long)p->sec);
    if (p->nsec)
        wk_buf_fmt(b, ".%09d", p->nsec);
    if (p->meridian == WK_PM)
        wk_buf_put_c(b, "pm");
}

void wk_date_say_part(struct wk_date_read *p, const char *what)
{
    struct wk_buf *b = p->r->line;
    char day[WK_DATE_DAY_TEXT];
    bool blank = false;
    if (!heard(p))
        return;
    wk_buf_fmt(b, "parsed %s part: ", what);
    if (is_new(p, WK_SEEN_DATES, &blank))
        wk_buf_fmt(b, "(Y-M-D) %04lld-%02lld-%02lld", (long long)p->year.value, (long long)p->month,
                   (long long)p->mday);
    if (is_new(p, WK_SEEN_YEAR, &blank))
        wk_buf_fmt(b, "year: %04lld", (long long)p->year.value);
    if (is_new(p, WK_SEEN_TIMES, &blank))
        put_clock(p);
    if (is_new(p, WK_SEEN_DAYS, &blank))
        wk_buf_fmt(b, "%s (day ordinal=%lld number=%d)", wk_date_day_text(p, day), (long long)p->day_ordinal, p->day);
    if (is_new(p, WK_SEEN_LOCAL, &blank))
        wk_buf_fmt(b, "isdst=%d%s", p->local_isdst, p->dsts ? " DST" : "");
    if (is_new(p, WK_SEEN_ZONES, &blank)) {
        wk_buf_put_c(b, "UTC");
        put_offset(b, p->zone);
    }
    if (p->timespec)
        wk_buf_fmt(b, "number of seconds: %lld", (long long)p->sec);
    pass(p);
}

void wk_date_say_relative(struct wk_date_read *p, const char *what)
{
    static const char *const names[] = {"year(s)", "month(s)", "day(s)", "hour(s)", "minutes", "seconds"};
    struct wk_buf *b = p->r->line;
    bool any = false;
    if (!heard(p))
        return;
    wk_buf_fmt(b, "parsed %s part:", what);
    for (size_t k = 0; k < WK_COUNTOF(names); k++)
        if (p->rel[k]) {
            wk_buf_fmt(b, " %+lld %s", (long long)p->rel[k], names[k]);
            any = true;
        }
    if (p->rel_nsec) {
        wk_buf_fmt(b, " %+lld nanoseconds", (long long)p->rel_nsec);
    } else if (!any) {
        wk_buf_put_c(b, " today/this/now");
    }
    pass(p);
}

void wk_date_say_zone(struct wk_date_read *p)
{
    struct wk_buf *b = p->r->line;
    if (!heard(p))
        return;
    wk_buf_put_c(b, "input timezone: ");
    if (p->timespec)
        wk_buf_put_c(b, "'@timespec' - always UTC");
    else if (p->seen[WK_SEEN_ZONES])
        wk_buf_put_c(b, "parsed date/time string");
    else if (!p->tz_text)
        wk_buf_put_c(b, "system default");
    else if (!p->tz_altered && strcmp(p->tz_text, "UTC0") == 0)
        wk_buf_put_c(b, "TZ=\"UTC0\" environment value or -u");
    else
        wk_buf_fmt(b, "TZ=\"%s\" %s", p->tz_text, p->tz_altered ? "in date string" : "environment value");
    if (p->seen[WK_SEEN_LOCAL] && !p->seen[WK_SEEN_ZONES] && p->local_isdst > 0)
        wk_buf_put_c(b, ", dst");
    if (p->seen[WK_SEEN_ZONES]) {
        wk_buf_put_c(b, " (");
        put_offset(b, p->zone);
        wk_buf_putc(b, ')');
    }
    pass(p);
}

static void put_time(struct wk_date_read *p, const struct wk_tm *tm, bool with_zone)
{
    struct wk_buf *b = p->r->line;
    struct wk_tm shown = *tm;
    shown.mon = 1; /* the month may be none */
    wk_buf_put_c(b, "(Y-M-D) ");
    wk_strftime(b, WK_STR("%Y-"), &shown);
    wk_buf_fmt(b, "%02d", tm->mon);
    wk_strftime(b, WK_STR("-%d %H:%M:%S"), &shown);
    if (with_zone && p->seen[WK_SEEN_ZONES]) {
        wk_buf_put_c(b, " TZ=");
        put_offset(b, p->zone);
    }
}

void wk_date_say_time(struct wk_date_read *p, const char *text, const struct wk_tm *tm, const char *tail)
{
    if (!heard(p))
        return;
    wk_buf_fmt(p->r->line, "%s'", text);
    put_time(p, tm, true);
    wk_buf_fmt(p->r->line, "'%s", tail);
    pass(p);
}

void wk_date_say_wrong(struct wk_date_read *p, const struct wk_tm *asked, const struct wk_tm *got)
{
    const bool same[] = {asked->year == got->year, asked->mon == got->mon, asked->mday == got->mday,
                         asked->hour == got->hour, asked->min == got->min, asked->sec == got->sec};
    struct wk_buf *b = p->r->line;
    if (!heard(p))
        return;
    wk_date_say(p, "error: invalid date/time value:");
    wk_date_say_time(p, "    user provided time: ", asked, "");
    wk_date_say_time(p, "       normalized time: ", got, "");
    wk_buf_fill(b, ' ', 33);
    for (size_t k = 0; k < WK_COUNTOF(same); k++) {
        wk_buf_fill(b, ' ', k > 0);
        wk_buf_fill(b, same[k] ? ' ' : '-', k == 0 ? 4 : 2);
    }
    while (b->n && b->p[b->n - 1] == ' ')
        b->n--;
    pass(p);
    wk_date_say(p, "     possible reasons:");
    if (same[0] && same[1] && same[2] && !same[3] && same[4] && same[5])
        wk_date_say(p, "       non-existing due to daylight-saving time;");
    if (!same[1] && !same[2])
        wk_date_say(p, "       invalid day/month combination;");
    wk_date_say(p, "       numeric values overflow;");
    wk_date_say(p, "       %s", p->seen[WK_SEEN_ZONES] ? "incorrect timezone" : "missing timezone");
}

void wk_date_say_final(struct wk_date_read *p, struct wk_instant t)
{
    struct wk_buf *b = p->r->line;
    struct wk_tm tm;
    if (!heard(p))
        return;
    if (!p->tz_text)
        wk_date_say(p, "timezone: system default");
    else if (strcmp(p->tz_text, "UTC0") == 0)
        wk_date_say(p, "timezone: Universal Time");
    else
        wk_date_say(p, "timezone: TZ=\"%s\" environment value", p->tz_text);
    wk_date_say(p, "final: %lld.%09d (epoch-seconds)", (long long)t.sec, t.nsec);
    if (wk_tz_local(wk_tz_utc(), t, &tm) && wk_tm_fits(&tm)) {
        wk_buf_put_c(b, "final: ");
        put_time(p, &tm, false);
        wk_buf_put_c(b, " (UTC)");
        pass(p);
    }
    if (wk_tz_local(p->tz, t, &tm) && wk_tm_fits(&tm)) {
        wk_buf_put_c(b, "final: ");
        put_time(p, &tm, false);
        wk_buf_put_c(b, " (UTC");
        put_offset(b, tm.gmtoff);
        wk_buf_putc(b, ')');
        pass(p);
    }
}
