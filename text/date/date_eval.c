/* date_eval.c - from what was read of a date to the instant, as GNU date -d has it */
#include "text/date/date_read.h"

#include "base/num.h"

/* ---- the parts ---- */

static bool in_int(int64_t v)
{
    return v >= INT32_MIN && v <= INT32_MAX;
}

/* The year as meant: of two digits one of 1969 to 2068. */
static bool whole_year(struct wk_date_read *p, int64_t *out)
{
    int64_t year = p->year.value;
    if (year < 0) {
        year = year == INT64_MIN ? INT64_MAX : -year; /* hyphens were read as signs */
    } else if (p->year.digits == 2) {
        year += year < 69 ? 2000 : 1900;
        wk_date_say(p, "warning: adjusting year value %lld to %lld", (long long)p->year.value, (long long)year);
    }
    *out = year;
    if (year <= INT64_C(1900) + INT32_MAX)
        return true;
    wk_date_say(p, "error: out-of-range year %lld", (long long)year);
    return false;
}

/* By the 12 or the 24 hours of a day; -1: there is no such hour. */
static int day_hour(int64_t hour, enum wk_meridian meridian)
{
    if (meridian == WK_MER24)
        return hour >= 0 && hour < 24 ? (int)hour : -1;
    if (hour < 1 || hour > 12)
        return -1;
    return (int)(hour % 12) + (meridian == WK_PM ? 12 : 0);
}

static bool each_once(struct wk_date_read *p)
{
    const struct {
        unsigned n;
        const char *what;
    } parts[] = {{p->seen[WK_SEEN_TIMES], "time"},
                 {p->seen[WK_SEEN_DATES], "date"},
                 {p->seen[WK_SEEN_DAYS], "days"},
                 {p->dsts, "daylight-saving"},
                 {p->seen[WK_SEEN_LOCAL] + p->seen[WK_SEEN_ZONES], "time-zone"}};
    bool good = true;
    for (size_t k = 0; k < WK_COUNTOF(parts); k++)
        if (parts[k].n > 1) {
            wk_date_say(p, "error: seen multiple %s parts", parts[k].what);
            good = false;
        }
    return good;
}

static bool set_date(struct wk_date_read *p, struct wk_tm *tm)
{
    if (!whole_year(p, &tm->year) || !in_int(p->month - 1) || !in_int(p->mday)) {
        wk_date_say(p, "error: year, month, or day overflow");
        return false;
    }
    tm->mon = (int)p->month;
    tm->mday = (int)p->mday;
    return true;
}

static bool set_clock(struct wk_date_read *p, struct wk_tm *tm)
{
    if (!p->seen[WK_SEEN_TIMES] && (!p->rels || p->seen[WK_SEEN_DATES] || p->seen[WK_SEEN_DAYS])) {
        tm->hour = tm->min = tm->sec = 0;
        tm->nsec = 0;
        wk_date_say(p, "warning: using midnight as starting time: 00:00:00");
        return true;
    }
    tm->hour = day_hour(p->hour, p->meridian);
    if (tm->hour < 0) {
        wk_date_say(p, "error: invalid hour %lld%s", (long long)p->hour,
                    p->meridian == WK_AM ? "am" : p->meridian == WK_PM ? "pm" : "");
        return false;
    }
    tm->min = (int)(uint32_t)p->minutes;
    tm->sec = (int)(uint32_t)p->sec;
    tm->nsec = p->nsec;
    wk_date_say(p, "using %s time as starting value: '%02d:%02d:%02d'",
                p->seen[WK_SEEN_TIMES] ? "specified" : "current", tm->hour, tm->min, tm->sec);
    return true;
}

/* ---- instants ---- */

static bool same_time(const struct wk_tm *a, const struct wk_tm *b)
{
    return a->year == b->year && a->mon == b->mon && a->mday == b->mday && a->hour == b->hour &&
           a->min == b->min && a->sec == b->sec;
}

/* The instant of the time that was asked for, and tm as it shows it. A time in a gap of this zone may exist in
 * one without gaps: the real tool takes that as far west as the one that was named is east (the difference is made
 * good later), which matters to the guess alone. */
static bool start_time(struct wk_date_read *p, struct wk_tm *tm, int isdst, struct wk_instant *out)
{
    struct wk_tm asked = *tm;
    if (wk_tz_mktime(p->tz, tm, isdst, &p->r->guess, out) && same_time(&asked, tm))
        return true;
    if (p->seen[WK_SEEN_ZONES]) {
        struct wk_tz fixed = {.rule = {.any = true, .std = {.gmtoff = -p->zone}}};
        struct wk_tm there = asked;
        if (wk_tz_mktime(&fixed, &there, isdst, &p->r->guess, out) && same_time(&asked, &there)) {
            *tm = there;
            return true;
        }
    }
    wk_date_say_wrong(p, &asked, tm);
    return false;
}

/* A line that has the day of the week between two texts, and then a time. */
static void say_day(struct wk_date_read *p, const char *front, const char *back, const struct wk_tm *tm)
{
    char day[WK_DATE_DAY_TEXT], text[2 * WK_DATE_DAY_TEXT + 64];
    if (!p->r->say)
        return;
    (void)wk_date_day_text(p, day);
    size_t n = strlen(front), m = strlen(day), k = strlen(back);
    memcpy(text, front, n);
    memcpy(text + n, day, m);
    memcpy(text + n + m, back, k + 1);
    wk_date_say_time(p, text, tm, "");
}

static void say_no_day(struct wk_date_read *p, const struct wk_tm *tm)
{
    char back[WK_DATE_DAY_TEXT + 48] = "' (day ordinal=", num[WK_NUM_MAX];
    size_t n = strlen(back), m = wk_fmt_i64(num, p->day_ordinal);
    static const char rest[] = " number=0) resulted in an invalid date: ";
    memcpy(back + n, num, m);
    memcpy(back + n + m, rest, sizeof rest);
    back[n + m + 8] = (char)('0' + p->day);
    say_day(p, "error: day '", back, tm);
}

/* The next such day of the week, or the one by its number. */
static bool go_to_day(struct wk_date_read *p, struct wk_tm *tm, struct wk_instant *out)
{
    int64_t days, weeks = p->day_ordinal - (p->day_ordinal > 0 && tm->wday != p->day);
    bool fits = !__builtin_mul_overflow(weeks, 7, &days) &&
                !__builtin_add_overflow(days, (p->day - tm->wday + 7) % 7 + tm->mday, &days) && in_int(days);
    if (fits)
        tm->mday = (int)days;
    if (!fits || !wk_tz_mktime(p->tz, tm, -1, &p->r->guess, out)) {
        say_no_day(p, tm);
        return false;
    }
    say_day(p, "new start date: '", "' is ", tm);
    return true;
}

static void say_shifted(struct wk_date_read *p, int64_t year, int mon, int mday, const struct wk_tm *tm)
{
    const int64_t years[2] = {year - 1900, tm->year - 1900};
    const int months[2] = {mon, tm->mon}, days[2] = {mday, tm->mday};
    wk_date_say(p, "warning: month/year adjustment resulted in shifted dates:");
    for (size_t k = 0; k < 2; k++) { /* years before 1900 as GNU date shows them */
        int64_t y = years[k], century = y / 100 + 19, rest = y % 100;
        wk_date_say(p, "%s Y M D: %s%02lld%02lld %02d %02d", k ? "   normalized" : "     adjusted",
                    y < -1900 ? "-" : "", (long long)(century < 0 ? -century : century),
                    (long long)(rest < 0 ? -rest : rest), months[k], days[k]);
    }
}

/* Years, months and days. */
static bool add_date(struct wk_date_read *p, const struct wk_tm *asked, int isdst, struct wk_tm *tm,
                     struct wk_instant *out)
{
    const int64_t *rel = p->rel;
    if ((rel[WK_DATE_YEAR] || rel[WK_DATE_MONTHS]) && tm->mday != 15)
        wk_date_say(p, "warning: when adding relative months/years, it is recommended to specify the 15th of the months");
    if (rel[WK_DATE_DAYS] && tm->hour != 12)
        wk_date_say(p, "warning: when adding relative days, it is recommended to specify noon");
    int64_t year, mon, mday;
    if (__builtin_add_overflow(tm->year, rel[WK_DATE_YEAR], &year) ||
        __builtin_add_overflow((int64_t)tm->mon, rel[WK_DATE_MONTHS], &mon) ||
        __builtin_add_overflow((int64_t)tm->mday, rel[WK_DATE_DAYS], &mday) || !in_int(year - 1900) ||
        !in_int(mon - 1) || !in_int(mday)) {
        wk_date_say(p, "error: parse-datetime.y:2148");
        return false;
    }
    struct wk_tm moved = *asked;
    moved.year = year + (mon > INT32_MAX);
    moved.mon = (int)(mon > INT32_MAX ? mon - 12 : mon);
    moved.mday = (int)mday;
    if (!wk_tz_mktime(p->tz, &moved, isdst, &p->r->guess, out)) {
        wk_date_say_time(p, "error: adding relative date resulted in an invalid date: ", &moved, "");
        return false;
    }
    *tm = moved;
    wk_date_say(p, "after date adjustment (%+lld years, %+lld months, %+lld days),", (long long)rel[WK_DATE_YEAR],
                (long long)rel[WK_DATE_MONTHS], (long long)rel[WK_DATE_DAYS]);
    wk_date_say_time(p, "    new date/time = ", tm, "");
    if (isdst >= 0 && tm->dst != (isdst > 0))
        wk_date_say(p, "warning: daylight saving time changed after date adjustment");
    if (!rel[WK_DATE_DAYS] && (tm->mday != mday || (!rel[WK_DATE_MONTHS] && tm->mon != mon)))
        say_shifted(p, year, (int)mon, (int)mday, tm);
    return true;
}

/* Hours, minutes and seconds. */
static bool add_clock(struct wk_date_read *p, const struct wk_tm *tm, struct wk_instant *t)
{
    static const int64_t size[] = {3600, 60, 1};
    const int64_t *rel = p->rel;
    int64_t nsec = t->nsec + p->rel_nsec, carry = nsec / 1000000000 - (nsec % 1000000000 < 0), v;
    bool over = false;
    t->nsec = (int32_t)(nsec - carry * 1000000000);
    for (int k = 0; k < 3; k++)
        over |= __builtin_mul_overflow(rel[WK_DATE_HOUR + k], size[k], &v) ||
                __builtin_add_overflow(t->sec, v, &t->sec);
    if (over || __builtin_add_overflow(t->sec, carry, &t->sec)) {
        wk_date_say(p, "error: adding relative time caused an overflow");
        return false;
    }
    if (!(rel[WK_DATE_HOUR] | rel[WK_DATE_MINUTE] | rel[WK_DATE_SECOND] | p->rel_nsec))
        return true;
    wk_date_say(p, "after time adjustment (%+lld hours, %+lld minutes, %+lld seconds, %+lld ns),",
                (long long)rel[WK_DATE_HOUR], (long long)rel[WK_DATE_MINUTE], (long long)rel[WK_DATE_SECOND],
                (long long)p->rel_nsec);
    wk_date_say(p, "    new time = %lld epoch-seconds", (long long)t->sec);
    struct wk_tm then;
    if (p->r->say && wk_tz_local(p->tz, *t, &then) && wk_tm_fits(&then) && then.dst != tm->dst)
        wk_date_say(p, "warning: daylight saving time changed after time adjustment");
    return true;
}

static void say_start(struct wk_date_read *p, const struct wk_tm *tm)
{
    char text[WK_DATE_DAY_TEXT];
    if (!p->r->say)
        return;
    if (!p->seen[WK_SEEN_DATES] && !p->seen[WK_SEEN_DAYS])
        wk_date_say(p, "using current date as starting value: '(Y-M-D) %04lld-%02d-%02d'", (long long)tm->year, tm->mon,
                    tm->mday);
    if (p->seen[WK_SEEN_DAYS] && p->seen[WK_SEEN_DATES])
        wk_date_say(p, "warning: day (%s) ignored when explicit dates are given", wk_date_day_text(p, text));
    wk_date_say_time(p, "starting date/time: ", tm, "");
}

static void say_epoch(struct wk_date_read *p, const struct wk_tm *tm, int64_t sec)
{
    char tail[96] = " = ";
    if (!p->r->say)
        return;
    size_t n = 3 + wk_fmt_i64(tail + 3, sec);
    memcpy(tail + n, " epoch-seconds", 15);
    wk_date_say_time(p, "", tm, tail);
}

bool wk_date_evaluate(struct wk_date_read *p, struct wk_instant *out)
{
    struct wk_tm tm = p->now;
    if (!each_once(p) || !set_date(p, &tm) || !set_clock(p, &tm))
        return false;
    bool fresh = p->seen[WK_SEEN_DATES] || p->seen[WK_SEEN_DAYS] || p->seen[WK_SEEN_TIMES];
    int isdst = p->seen[WK_SEEN_LOCAL] ? p->local_isdst : fresh ? -1 : tm.dst;
    struct wk_tm asked = tm;
    if (!start_time(p, &tm, isdst, out) ||
        (p->seen[WK_SEEN_DAYS] && !p->seen[WK_SEEN_DATES] && !go_to_day(p, &tm, out)))
        return false;
    say_start(p, &tm);
    if ((p->rel[WK_DATE_YEAR] || p->rel[WK_DATE_MONTHS] || p->rel[WK_DATE_DAYS]) &&
        !add_date(p, &asked, isdst, &tm, out))
        return false;
    if (p->seen[WK_SEEN_ZONES])
        out->sec += tm.gmtoff - p->zone;
    out->nsec = asked.nsec;
    say_epoch(p, &tm, out->sec);
    return add_clock(p, &tm, out);
}

/* ---- the whole ---- */

/* TZ="…" at the start. 1 = it was there, 0, or a code. */
static int zone_prefix(struct wk_date_read *p, struct wk_str *text, char name[], size_t most)
{
    size_t n = 0, i = 4;
    if (!wk_str_starts(*text, WK_STR("TZ=\"")))
        return 0;
    for (; i < text->n && text->p[i] != '"'; i++) {
        if (text->p[i] == '\\') {
            i++;
            if (i >= text->n || (text->p[i] != '\\' && text->p[i] != '"'))
                return 0;
        }
        if (n + 1 >= most)
            return -WK_EINVAL;
        name[n++] = text->p[i];
    }
    if (i >= text->n)
        return 0;
    name[n] = '\0';
    if (!p->r->zone_named)
        return -WK_EINVAL;
    *text = wk_str_from(*text, i + 1);
    p->tz_text = name;
    p->tz_altered = true;
    int err = p->r->zone_named(p->r->ctx, wk_str(name, n), &p->tz);
    return err ? err : 1;
}

static struct wk_str skip_space(struct wk_str s)
{
    while (s.n && wk_is_space((unsigned char)s.p[0]))
        s = wk_str_from(s, 1);
    return s;
}

/* The abbreviations in use around now. */
static void local_names(struct wk_date_read *p, int64_t now)
{
    const struct wk_tz_type *first = wk_tz_type_at(p->tz, now);
    struct wk_date_lexer *l = &p->lex;
    l->local[0] = first->abbr;
    l->local_dst[0] = first->dst;
    for (int64_t k = 1; k < 4 && !l->local[1]; k++) {
        const struct wk_tz_type *t = wk_tz_type_at(p->tz, now + k * 90 * 86400);
        if (t->dst != first->dst) {
            l->local[1] = t->abbr;
            l->local_dst[1] = t->dst;
        }
    }
    if (l->local[1] && strcmp(l->local[0], l->local[1]) == 0) {
        l->local_dst[0] = -1;
        l->local[1] = NULL;
    }
}

static void say_stopped(struct wk_date_read *p)
{
    struct wk_str rest = wk_str_from(p->lex.s, p->lex.i);
    if (rest.n)
        wk_date_say(p, "error: parsing failed, stopped at '%.*s'", (int)rest.n, rest.p);
    else
        wk_date_say(p, "error: parsing failed");
}

int wk_date_read(struct wk_date_reader *r, struct wk_str text, struct wk_instant *out)
{
    char zone[256];
    struct wk_date_read p = {.r = r, .tz = r->tz, .tz_text = r->tz_text, .meridian = WK_MER24};
    if (memchr(text.p, '\0', text.n) || text.n > INT32_MAX)
        return -WK_EINVAL;
    text = skip_space(text);
    int err = zone_prefix(&p, &text, zone, sizeof zone);
    if (err < 0)
        return err;
    if (err > 0)
        text = skip_space(text);
    if (!wk_tz_local(p.tz, r->now, &p.now))
        return -WK_EINVAL;
    p.year = (struct wk_date_token){.value = p.now.year};
    p.month = p.now.mon;
    p.mday = p.now.mday;
    p.hour = p.now.hour;
    p.minutes = p.now.min;
    p.sec = p.now.sec;
    p.nsec = p.now.nsec;
    p.lex.s = text.n ? text : WK_STR("0");
    local_names(&p, r->now.sec);
    if (!wk_date_parse_items(&p)) {
        say_stopped(&p);
        return -WK_EINVAL;
    }
    wk_date_say_zone(&p);
    if (p.timespec)
        *out = (struct wk_instant){p.sec, p.nsec};
    else if (!wk_date_evaluate(&p, out))
        return -WK_EINVAL;
    wk_date_say_final(&p, *out);
    return 0;
}
