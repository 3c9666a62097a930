/* date_parse.c - dates as GNU date -d takes them: items in any order, then one evaluation
 *
 * A date is a row of items (a time, a date, a day, a zone, relative amounts, bare numbers), each
 * seen at most once but for relative amounts. One token is looked ahead, two where a number's
 * meaning hangs on what follows.
 */
#include "text/date/date_lex.h"
#include "text/date/zone_priv.h"

enum { AHEAD = 3 };

struct parse {
    struct wk_date_lexer lex;
    struct wk_date_token ahead[AHEAD];
    size_t nahead;
    struct wk_tm tm;     /* what was said, over the present time */
    size_t year_digits;
    int32_t zone;        /* seconds east */
    int64_t rel[6];      /* by enum wk_date_unit */
    int64_t rel_nsec;
    int64_t day_ordinal;
    int day;
    int local_dst;
    unsigned times, dates, days, zones, local_zones, rels;
};

static struct wk_date_token *peek(struct parse *p, size_t k)
{
    while (p->nahead <= k)
        p->ahead[p->nahead++] = wk_date_next(&p->lex);
    return &p->ahead[k];
}

static void skip(struct parse *p, size_t n)
{
    peek(p, n - 1);
    memmove(p->ahead, p->ahead + n, (p->nahead - n) * sizeof *p->ahead);
    p->nahead -= n;
}

static bool is_kind(struct parse *p, size_t k, enum wk_date_kind kind)
{
    return peek(p, k)->kind == kind;
}

static bool is_char(struct parse *p, size_t k, char c)
{
    return is_kind(p, k, WK_DATE_CHAR) && peek(p, k)->value == c;
}

/* +hh, +hhmm, or +hh with ":mm" following. */
static bool read_offset(struct parse *p, int32_t *out)
{
    struct wk_date_token t = *peek(p, 0);
    int64_t minutes;
    skip(p, 1);
    if (t.value > 9999 || t.value < -9999)
        return false;
    if (is_char(p, 0, ':') && is_kind(p, 1, WK_DATE_NUMBER)) {
        int64_t mm = peek(p, 1)->value;
        skip(p, 2);
        if (mm > 59)
            return false;
        minutes = t.value * 60 + (t.negative ? -mm : mm);
    } else if (t.digits <= 2) {
        minutes = t.value * 60;
    } else {
        minutes = t.value / 100 * 60 + t.value % 100;
    }
    if (minutes < -24 * 60 || minutes > 24 * 60)
        return false;
    *out = (int32_t)minutes * 60;
    return true;
}

static bool set_meridian(struct parse *p, int64_t hour, int64_t meridian)
{
    if (hour < 1 || hour > 12)
        return false;
    p->tm.hour = (int)(hour % 12 + (meridian ? 12 : 0));
    return true;
}

/* A zone offset right behind a time. */
static bool time_zone(struct parse *p)
{
    if (!is_kind(p, 0, WK_DATE_SIGNED))
        return true;
    p->zones++;
    return read_offset(p, &p->zone);
}

/* hh:mm[:ss[.f]] [am|pm|zone]; the hour and the colon are there. */
static bool clock_time(struct parse *p)
{
    int64_t hour = peek(p, 0)->value;
    skip(p, 2);
    struct wk_date_token t = *peek(p, 0);
    if (t.kind != WK_DATE_NUMBER || t.value > 59)
        return false;
    skip(p, 1);
    p->times++;
    p->tm.min = (int)t.value;
    p->tm.sec = 0;
    p->tm.nsec = 0;
    if (is_char(p, 0, ':')) {
        t = *peek(p, 1);
        if ((t.kind != WK_DATE_NUMBER && t.kind != WK_DATE_DECIMAL) || t.value > 60)
            return false;
        skip(p, 2);
        p->tm.sec = (int)t.value;
        p->tm.nsec = t.nsec;
    }
    if (is_kind(p, 0, WK_DATE_MERIDIAN)) {
        int64_t m = peek(p, 0)->value;
        skip(p, 1);
        return set_meridian(p, hour, m);
    }
    if (hour > 23)
        return false;
    p->tm.hour = (int)hour;
    return time_zone(p);
}

static bool add_rel(struct parse *p, const struct wk_date_token *unit, int64_t n, int32_t nsec)
{
    int64_t v;
    p->rels++;
    p->rel_nsec += nsec;
    return !__builtin_mul_overflow(n, unit->factor, &v) &&
           !__builtin_add_overflow(p->rel[unit->value], v, &p->rel[unit->value]);
}

/* A unit with its amount, and "ago" if it follows. The unit is the next token. */
static bool relative(struct parse *p, int64_t n, int32_t nsec)
{
    struct wk_date_token unit = *peek(p, 0);
    skip(p, 1);
    if (is_kind(p, 0, WK_DATE_AGO)) {
        bool back = peek(p, 0)->value == 0;
        skip(p, 1);
        if (back) {
            if (__builtin_sub_overflow(0, n, &n))
                return false;
            nsec = -nsec;
        }
    }
    return add_rel(p, &unit, n, nsec);
}

/* Without its sign; parts of a date are read as signed numbers where hyphens join them. */
static int64_t magnitude(int64_t v)
{
    return v == INT64_MIN ? INT64_MAX : v < 0 ? -v : v;
}

static bool set_year(struct parse *p, const struct wk_date_token *t, int64_t value)
{
    value = magnitude(value);
    if (t->digits == 2 && (t->kind != WK_DATE_SIGNED || t->negative)) /* "+92" is the year 92 */
        value += value < 69 ? 2000 : 1900;
    p->tm.year = value;
    p->year_digits = t->digits;
    return value <= 2147485547;
}

static bool set_month_day(struct parse *p, int64_t mon, int64_t mday)
{
    mon = magnitude(mon);
    mday = magnitude(mday);
    if (mon < 1 || mon > 12 || mday < 1 || mday > 31)
        return false;
    p->tm.mon = (int)mon;
    p->tm.mday = (int)mday;
    return true;
}

/* m/d, m/d/y, y/m/d. */
static bool slash_date(struct parse *p)
{
    struct wk_date_token a = *peek(p, 0), b = *peek(p, 2);
    if (b.kind != WK_DATE_NUMBER)
        return false;
    skip(p, 3);
    p->dates++;
    if (!is_char(p, 0, '/'))
        return set_month_day(p, a.value, b.value);
    struct wk_date_token c = *peek(p, 1);
    if (c.kind != WK_DATE_NUMBER)
        return false;
    skip(p, 2);
    if (a.digits >= 4)
        return set_year(p, &a, a.value) && set_month_day(p, b.value, c.value);
    return set_month_day(p, a.value, b.value) && set_year(p, &c, c.value);
}

/* "2024-01-31": the other parts were read as signed numbers. Then perhaps T and a time. */
static bool iso_date(struct parse *p)
{
    struct wk_date_token y = *peek(p, 0), m = *peek(p, 1), d = *peek(p, 2);
    if (!m.negative || !d.negative)
        return false;
    skip(p, 3);
    p->dates++;
    if (!set_year(p, &y, y.value) || !set_month_day(p, m.value, d.value))
        return false;
    if (!is_kind(p, 0, WK_DATE_T))
        return true;
    if (!is_kind(p, 1, WK_DATE_NUMBER))
        return false;
    skip(p, 1);
    if (is_char(p, 1, ':'))
        return clock_time(p);
    int64_t hour = peek(p, 0)->value;
    skip(p, 1);
    if (!is_kind(p, 0, WK_DATE_SIGNED) || hour > 23) /* the hour alone must have a zone */
        return false;
    p->times++;
    p->tm.hour = (int)hour;
    p->tm.min = p->tm.sec = 0;
    p->tm.nsec = 0;
    return time_zone(p);
}

/* Jan 31 [, 2024]; Jan-31-2024. */
static bool month_first(struct parse *p)
{
    int64_t mon = peek(p, 0)->value;
    struct wk_date_token d = *peek(p, 1);
    if (d.kind == WK_DATE_SIGNED && is_kind(p, 2, WK_DATE_SIGNED)) {
        struct wk_date_token y = *peek(p, 2);
        skip(p, 3);
        p->dates++;
        return set_month_day(p, mon, d.value) && set_year(p, &y, y.value);
    }
    if (d.kind != WK_DATE_NUMBER)
        return false;
    skip(p, 2);
    p->dates++;
    if (!set_month_day(p, mon, d.value))
        return false;
    if (is_char(p, 0, ',')) {
        struct wk_date_token y = *peek(p, 1);
        if (y.kind != WK_DATE_NUMBER)
            return false;
        skip(p, 2);
        return set_year(p, &y, y.value);
    }
    return true;
}

/* 31 Jan [2024]; 31-Jan-2024. */
static bool day_first(struct parse *p)
{
    int64_t mday = peek(p, 0)->value, mon = peek(p, 1)->value;
    struct wk_date_token y = *peek(p, 2);
    p->dates++;
    if (!set_month_day(p, mon, mday))
        return false;
    if (y.kind == WK_DATE_NUMBER || y.kind == WK_DATE_SIGNED) {
        skip(p, 3);
        return set_year(p, &y, y.value);
    }
    skip(p, 2);
    return true;
}

/* A number with nothing around it: yyyymmdd, a year, hhmm or hh. */
static bool bare_number(struct parse *p)
{
    struct wk_date_token t = *peek(p, 0);
    skip(p, 1);
    if (p->dates && !p->year_digits && !p->rels && (p->times || t.digits > 2))
        return set_year(p, &t, t.value);
    if (t.digits > 4) {
        struct wk_date_token y = {.kind = WK_DATE_NUMBER, .digits = t.digits - 4};
        p->dates++;
        return set_month_day(p, t.value / 100 % 100, t.value % 100) &&
               set_year(p, &y, t.value / 10000);
    }
    int64_t hour = t.digits <= 2 ? t.value : t.value / 100;
    int64_t min = t.digits <= 2 ? 0 : t.value % 100;
    p->times++;
    p->tm.hour = (int)hour;
    p->tm.min = (int)min;
    p->tm.sec = 0;
    p->tm.nsec = 0;
    return hour <= 23 && min <= 59;
}

static bool number_item(struct parse *p)
{
    struct wk_date_token t = *peek(p, 0);
    switch (peek(p, 1)->kind) {
    case WK_DATE_UNIT:
        skip(p, 1);
        return relative(p, t.value, 0);
    case WK_DATE_MERIDIAN: {
        int64_t m = peek(p, 1)->value;
        skip(p, 2);
        p->times++;
        p->tm.min = p->tm.sec = 0;
        p->tm.nsec = 0;
        return set_meridian(p, t.value, m);
    }
    case WK_DATE_MONTH:
        return day_first(p);
    case WK_DATE_DAY:
        p->day_ordinal = t.value;
        p->day = (int)peek(p, 1)->value;
        p->days++;
        skip(p, 2);
        return true;
    case WK_DATE_SIGNED:
        if (is_kind(p, 2, WK_DATE_SIGNED))
            return iso_date(p);
        break;
    case WK_DATE_CHAR:
        if (is_char(p, 1, ':'))
            return clock_time(p);
        if (is_char(p, 1, '/'))
            return slash_date(p);
        break;
    default:
        break;
    }
    return bare_number(p);
}

/* UTC, UTC+3, EST DST, UTC +1 day. */
static bool zone_item(struct parse *p)
{
    struct wk_date_token t = *peek(p, 0);
    skip(p, 1);
    p->zones++;
    p->zone = (int32_t)t.value + (t.kind == WK_DATE_DAYZONE ? 3600 : 0);
    if (t.kind == WK_DATE_DAYZONE)
        return true;
    if (t.kind == WK_DATE_ZONE && is_kind(p, 0, WK_DATE_DST)) {
        skip(p, 1);
        p->zone += 3600;
        return true;
    }
    if (!is_kind(p, 0, WK_DATE_SIGNED))
        return true;
    if (is_kind(p, 1, WK_DATE_UNIT)) {
        int64_t n = peek(p, 0)->value;
        skip(p, 1);
        return !is_kind(p, 1, WK_DATE_AGO) && relative(p, n, 0);
    }
    if (t.kind == WK_DATE_T)
        return true;
    int32_t more;
    if (!read_offset(p, &more))
        return false;
    p->zone += more;
    return true;
}

static bool day_item(struct parse *p, int64_t ordinal)
{
    p->days++;
    p->day_ordinal = ordinal;
    p->day = (int)peek(p, 0)->value;
    skip(p, 1);
    if (is_char(p, 0, ','))
        skip(p, 1);
    return true;
}

static bool ordinal_item(struct parse *p)
{
    int64_t n = peek(p, 0)->value;
    skip(p, 1);
    if (is_kind(p, 0, WK_DATE_UNIT))
        return relative(p, n, 0);
    if (!is_kind(p, 0, WK_DATE_DAY))
        return false;
    p->days++;
    p->day_ordinal = n;
    p->day = (int)peek(p, 0)->value;
    skip(p, 1);
    return true;
}

static bool item(struct parse *p)
{
    struct wk_date_token t = *peek(p, 0);
    switch (t.kind) {
    case WK_DATE_NUMBER:
        return number_item(p);
    case WK_DATE_SIGNED:
        if (!is_kind(p, 1, WK_DATE_UNIT))
            return false;
        skip(p, 1);
        return relative(p, t.value, 0);
    case WK_DATE_DECIMAL:
    case WK_DATE_SDECIMAL:
        if (!is_kind(p, 1, WK_DATE_UNIT) || peek(p, 1)->value != WK_DATE_SECOND)
            return false;
        skip(p, 1);
        return relative(p, t.value, t.nsec);
    case WK_DATE_MONTH:
        return month_first(p);
    case WK_DATE_DAY:
        return day_item(p, 0);
    case WK_DATE_ZONE:
    case WK_DATE_DAYZONE:
    case WK_DATE_T:
        return zone_item(p);
    case WK_DATE_LOCALZONE:
        p->local_zones++;
        p->local_dst = (int)t.value;
        skip(p, 1);
        if (is_kind(p, 0, WK_DATE_DST)) {
            p->local_dst = 1;
            skip(p, 1);
        }
        return true;
    case WK_DATE_UNIT:
        return relative(p, 1, 0);
    case WK_DATE_SHIFT:
        skip(p, 1);
        p->rels++;
        p->rel[WK_DATE_DAYS] += t.value;
        return true;
    case WK_DATE_ORDINAL:
        return ordinal_item(p);
    case WK_DATE_MERIDIAN:
    case WK_DATE_DST:
    case WK_DATE_AGO:
    case WK_DATE_CHAR:
    case WK_DATE_BAD:
    case WK_DATE_END:
        break;
    }
    return false;
}

/* Whether the instant shows the time that was asked for. */
static bool shows(const struct wk_tz *tz, struct wk_instant t, const struct wk_tm *want)
{
    struct wk_tm tm;
    return wk_tz_local(tz, t, &tm) && tm.year == want->year && tm.mon == want->mon &&
           tm.mday == want->mday && tm.hour == want->hour && tm.min == want->min &&
           tm.sec == want->sec;
}

static bool add_days_and_months(const struct parse *p, const struct wk_tz *tz, int dst,
                                struct wk_instant *t)
{
    struct wk_tm tm = p->tm;
    int64_t mon, mday;
    struct wk_tm now;
    if (!wk_tz_local(tz, *t, &now))
        return false;
    tm.year = now.year;
    tm.mon = now.mon;
    tm.mday = now.mday;
    tm.hour = now.hour;
    tm.min = now.min;
    tm.sec = now.sec;
    if (__builtin_add_overflow(tm.year, p->rel[WK_DATE_YEAR], &tm.year) ||
        __builtin_add_overflow((int64_t)tm.mon, p->rel[WK_DATE_MONTHS], &mon) ||
        __builtin_add_overflow((int64_t)tm.mday, p->rel[WK_DATE_DAYS], &mday) ||
        mon > INT32_MAX || mon < INT32_MIN || mday > INT32_MAX || mday < INT32_MIN)
        return false;
    tm.mon = (int)mon;
    tm.mday = (int)mday;
    return wk_tz_instant(tz, &tm, dst, t);
}

static bool add_clock(const struct parse *p, struct wk_instant *t)
{
    static const int64_t size[] = {3600, 60, 1};
    int64_t nsec = t->nsec + p->rel_nsec, carry = nsec / 1000000000 - (nsec % 1000000000 < 0), v;
    t->nsec = (int32_t)(nsec - carry * 1000000000);
    if (__builtin_add_overflow(t->sec, carry, &t->sec))
        return false;
    for (int k = 0; k < 3; k++)
        if (__builtin_mul_overflow(p->rel[WK_DATE_HOUR + k], size[k], &v) ||
            __builtin_add_overflow(t->sec, v, &t->sec))
            return false;
    return true;
}

static bool evaluate(struct parse *p, const struct wk_tz *tz, struct wk_instant *out)
{
    struct wk_tm tm = p->tm;
    if (p->times > 1 || p->dates > 1 || p->days > 1 || p->zones + p->local_zones > 1)
        return false;
    bool keep_time = p->times || (p->rels && !p->dates && !p->days);
    if (!keep_time) {
        tm.hour = tm.min = tm.sec = 0;
        tm.nsec = 0;
    }
    bool fresh = p->dates || p->days || p->times;
    int dst = p->local_zones ? p->local_dst : fresh ? -1 : tm.dst;
    p->tm = tm;
    if (!wk_tz_instant(tz, &tm, dst, out))
        return false;
    if (!shows(tz, *out, &tm)) {
        /* A time in a gap of this zone may exist in the one that was named. */
        struct wk_tz fixed = {.rule = {.any = true, .std = {.gmtoff = p->zone}}};
        if (!p->zones || !wk_tz_instant(&fixed, &tm, 0, out) || !shows(&fixed, *out, &tm))
            return false;
        if (p->days || p->rel[WK_DATE_YEAR] || p->rel[WK_DATE_MONTHS] || p->rel[WK_DATE_DAYS])
            return false;
        return add_clock(p, out);
    }
    if (p->days && !p->dates) {
        struct wk_tm now;
        int64_t add, weeks = p->day_ordinal;
        if (!wk_tz_local(tz, *out, &now))
            return false;
        weeks -= weeks > 0 && now.wday != p->day;
        if (__builtin_mul_overflow(weeks, 7, &add) ||
            __builtin_add_overflow(add, (p->day - now.wday + 7) % 7 + tm.mday, &add) ||
            add > INT32_MAX || add < INT32_MIN)
            return false;
        tm.mday = (int)add;
        if (!wk_tz_instant(tz, &tm, -1, out))
            return false;
        dst = -1;
    }
    if ((p->rel[WK_DATE_YEAR] || p->rel[WK_DATE_MONTHS] || p->rel[WK_DATE_DAYS]) &&
        !add_days_and_months(p, tz, dst, out))
        return false;
    if (p->zones) {
        const struct wk_tz_type *type = wk_tz_type_at(tz, out->sec);
        out->sec += type->gmtoff - p->zone;
    }
    return add_clock(p, out);
}

/* TZ="…" at the start. 1 = it was there, 0, or a code. */
static int zone_prefix(struct wk_str *text,
                       int (*zone_named)(void *ctx, struct wk_str name, const struct wk_tz **out),
                       void *ctx, const struct wk_tz **tz)
{
    char name[128];
    size_t n = 0, i = 4;
    if (!wk_str_starts(*text, WK_STR("TZ=\"")))
        return 0;
    for (; i < text->n && text->p[i] != '"'; i++) {
        if (text->p[i] == '\\' && i + 1 < text->n)
            i++;
        if (n == sizeof name)
            return -WK_EINVAL;
        name[n++] = text->p[i];
    }
    if (i >= text->n || !zone_named)
        return -WK_EINVAL;
    *text = wk_str_trim(wk_str_from(*text, i + 1));
    int err = zone_named(ctx, wk_str(name, n), tz);
    return err ? err : 1;
}

/* @seconds, alone. */
static bool epoch_date(struct wk_str text, struct wk_instant *out)
{
    struct wk_date_lexer l = {.s = text, .i = 1};
    struct wk_date_token t = wk_date_next(&l);
    if (t.kind != WK_DATE_NUMBER && t.kind != WK_DATE_SIGNED && t.kind != WK_DATE_DECIMAL &&
        t.kind != WK_DATE_SDECIMAL)
        return false;
    *out = (struct wk_instant){t.value, t.nsec};
    return wk_date_next(&l).kind == WK_DATE_END;
}

/* The abbreviations in use around now. */
static void local_names(struct parse *p, const struct wk_tz *tz, int64_t now)
{
    for (int64_t k = 0; k < 4; k++) {
        const struct wk_tz_type *t = wk_tz_type_at(tz, now + k * 90 * 86400);
        if (t->dst)
            p->lex.dst = t->abbr;
        else
            p->lex.std = t->abbr;
    }
}

int wk_date_parse(struct wk_str text, struct wk_instant now, const struct wk_tz *tz,
                  int (*zone_named)(void *ctx, struct wk_str name, const struct wk_tz **out),
                  void *ctx, struct wk_instant *out)
{
    struct parse p = {.local_dst = -1};
    text = wk_str_trim(text);
    int r = zone_prefix(&text, zone_named, ctx, &tz);
    if (r < 0)
        return r;
    if (text.n && text.p[0] == '@')
        return epoch_date(text, out) ? 0 : -WK_EINVAL;
    if (text.n == 0)
        text = WK_STR("0");
    if (memchr(text.p, '\0', text.n) || !wk_tz_local(tz, now, &p.tm))
        return -WK_EINVAL;
    p.lex.s = text;
    local_names(&p, tz, now.sec);
    while (!is_kind(&p, 0, WK_DATE_END))
        if (!item(&p))
            return -WK_EINVAL;
    return evaluate(&p, tz, out) ? 0 : -WK_EINVAL;
}

int wk_date_posix(struct wk_str text, bool year_last, struct wk_instant now,
                  const struct wk_tz *tz, struct wk_instant *out)
{
    struct wk_tm tm;
    int v[6];
    size_t n = 0, digits = text.n;
    if (!wk_tz_local(tz, now, &tm))
        return -WK_EINVAL;
    tm.sec = 0;
    tm.nsec = 0;
    if (text.n > 3 && text.p[text.n - 3] == '.') {
        digits = text.n - 3;
        if (!wk_is_digit(text.p[digits + 1]) || !wk_is_digit(text.p[digits + 2]))
            return -WK_EINVAL;
        tm.sec = (text.p[digits + 1] - '0') * 10 + text.p[digits + 2] - '0';
    }
    if (digits < 8 || digits > 12 || digits % 2)
        return -WK_EINVAL;
    for (size_t i = 0; i < digits; i += 2) {
        if (!wk_is_digit(text.p[i]) || !wk_is_digit(text.p[i + 1]))
            return -WK_EINVAL;
        v[n++] = (text.p[i] - '0') * 10 + text.p[i + 1] - '0';
    }
    size_t extra = n - 4, at = year_last ? 0 : extra;
    const int *y = year_last ? v + 4 : v;
    if (extra == 1)
        tm.year = y[0] + (y[0] < 69 ? 2000 : 1900);
    else if (extra == 2)
        tm.year = y[0] * 100 + y[1];
    tm.mon = v[at];
    tm.mday = v[at + 1];
    tm.hour = v[at + 2];
    tm.min = v[at + 3];
    if (!wk_tz_instant(tz, &tm, -1, out) || tm.sec > 60)
        return -WK_EINVAL;
    struct wk_tm shown = tm;
    if (tm.sec == 60) { /* a leap second is the next minute's first */
        shown.sec = 59;
        struct wk_instant before = {out->sec - 1, 0};
        return shows(tz, before, &shown) ? 0 : -WK_EINVAL;
    }
    return shows(tz, *out, &shown) ? 0 : -WK_EINVAL;
}
