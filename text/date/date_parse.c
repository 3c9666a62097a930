/* date_parse.c - dates as GNU date -d takes them: items in any order
 *
 * A date is a row of items (a time, a date, a day, a zone, relative amounts, bare numbers). One token is
 * looked ahead, and only where it decides; where two readings go on, the longer one is taken.
 */
#include "text/date/date_read.h"

static struct wk_date_token *peek(struct wk_date_read *p)
{
    if (!p->have_ahead) {
        p->ahead = wk_date_next(&p->lex);
        p->have_ahead = true;
        if (p->ahead.kind == WK_DATE_BAD && p->lex.bad[0])
            wk_date_say(p, "error: unknown word '%s'", p->lex.bad);
    }
    return &p->ahead;
}

static struct wk_date_token take(struct wk_date_read *p)
{
    struct wk_date_token t = *peek(p);
    p->have_ahead = false;
    return t;
}

static bool take_kind(struct wk_date_read *p, enum wk_date_kind kind, struct wk_date_token *t)
{
    if (peek(p)->kind != kind)
        return false;
    *t = take(p);
    return true;
}

static bool take_char(struct wk_date_read *p, char c)
{
    if (peek(p)->kind != WK_DATE_CHAR || peek(p)->value != c)
        return false;
    p->have_ahead = false;
    return true;
}

static bool negate(int64_t v, int64_t *out)
{
    return !__builtin_sub_overflow(0, v, out);
}

/* ---- relative amounts ---- */

struct amount {
    enum wk_date_unit unit;
    int64_t n;
    int32_t nsec;
};

/* n of the unit that is the token. */
static bool amount_of(const struct wk_date_token *unit, int64_t n, int32_t nsec, struct amount *a)
{
    *a = (struct amount){(enum wk_date_unit)unit->value, 0, nsec};
    return !__builtin_mul_overflow(n, unit->factor, &a->n);
}

static bool apply(struct wk_date_read *p, const struct amount *a, bool back)
{
    int64_t *rel = &p->rel[a->unit];
    bool over = back ? __builtin_sub_overflow(*rel, a->n, rel) : __builtin_add_overflow(*rel, a->n, rel);
    p->rel_nsec += back ? -a->nsec : a->nsec;
    if (over || p->rel_nsec > INT32_MAX || p->rel_nsec < INT32_MIN)
        return false;
    p->rels = true;
    return true;
}

/* n units, and "ago" if it follows; the unit was taken. */
static bool relative(struct wk_date_read *p, const struct wk_date_token *unit, int64_t n, int32_t nsec)
{
    struct amount a;
    struct wk_date_token ago = {.value = 1};
    if (!amount_of(unit, n, nsec, &a))
        return false;
    (void)take_kind(p, WK_DATE_AGO, &ago);
    if (!apply(p, &a, ago.value == 0))
        return false;
    wk_date_say_relative(p, "relative");
    return true;
}

/* ---- times and zones ---- */

/* Behind a signed number that is an offset from UTC: perhaps ":mm". */
static bool read_offset(struct wk_date_read *p, const struct wk_date_token *hours)
{
    struct wk_date_token mm = {.value = -1};
    int64_t minutes, value = hours->value;
    if (take_char(p, ':') && !take_kind(p, WK_DATE_NUMBER, &mm))
        return false;
    if (mm.value >= 0) {
        if (__builtin_mul_overflow(value, 60, &minutes) ||
            __builtin_add_overflow(minutes, hours->negative ? -mm.value : mm.value, &minutes))
            return false;
    } else {
        if (hours->digits <= 2)
            value *= 100;
        minutes = value / 100 * 60 + value % 100;
    }
    if (minutes < -24 * 60 || minutes > 24 * 60)
        return false;
    p->zone = (int32_t)minutes * 60;
    return true;
}

static bool zone_offset(struct wk_date_read *p, const struct wk_date_token *hours)
{
    p->seen[WK_SEEN_ZONES]++;
    return read_offset(p, hours);
}

static void set_time(struct wk_date_read *p, int64_t hour, int64_t minutes, int64_t sec, int32_t nsec)
{
    p->hour = hour;
    p->minutes = minutes;
    p->sec = sec;
    p->nsec = nsec;
    p->meridian = WK_MER24;
}

/* ":mm[:ss[.f]]" and a meridian, if `half` allows one, or a zone; the colon is the next token. */
static bool clock_time(struct wk_date_read *p, int64_t hour, bool half)
{
    struct wk_date_token mm, t = {.value = 0};
    if (!take_char(p, ':') || !take_kind(p, WK_DATE_NUMBER, &mm))
        return false;
    if (take_char(p, ':') && !take_kind(p, WK_DATE_NUMBER, &t) && !take_kind(p, WK_DATE_DECIMAL, &t))
        return false;
    int64_t sec = t.value;
    int32_t nsec = t.nsec;
    if (half && take_kind(p, WK_DATE_MERIDIAN, &t)) {
        set_time(p, hour, mm.value, sec, nsec);
        p->meridian = t.value ? WK_PM : WK_AM;
        return true;
    }
    if (take_kind(p, WK_DATE_SIGNED, &t) && !zone_offset(p, &t))
        return false;
    set_time(p, hour, mm.value, sec, nsec);
    return true;
}

static bool seen_part(struct wk_date_read *p, size_t part, const char *what)
{
    p->seen[part]++;
    wk_date_say_part(p, what);
    return true;
}

static bool seen_time(struct wk_date_read *p)
{
    return seen_part(p, WK_SEEN_TIMES, "time");
}

/* UTC, UTC+3, EST DST, UTC +1 day; T. */
static bool zone_item(struct wk_date_read *p)
{
    struct wk_date_token zone = take(p), t;
    int32_t base = (int32_t)zone.value;
    p->zone = base;
    if (zone.kind == WK_DATE_DAYZONE) {
        p->zone += 3600;
    } else if (zone.kind == WK_DATE_ZONE && take_kind(p, WK_DATE_DST, &t)) {
        p->zone += 3600;
    } else if (take_kind(p, WK_DATE_SIGNED, &t)) {
        struct wk_date_token unit;
        struct amount a;
        if (take_kind(p, WK_DATE_UNIT, &unit)) {
            if (!amount_of(&unit, t.value, 0, &a) || !apply(p, &a, false))
                return false;
            wk_date_say_relative(p, "relative");
        } else if (zone.kind == WK_DATE_T || !read_offset(p, &t)) {
            return false;
        } else {
            p->zone += base;
        }
    }
    return seen_part(p, WK_SEEN_ZONES, "zone");
}

static bool local_zone_item(struct wk_date_read *p)
{
    struct wk_date_token t = take(p);
    p->local_isdst = (int)t.value;
    if (take_kind(p, WK_DATE_DST, &t)) {
        p->local_isdst = 1;
        p->dsts++;
    }
    return seen_part(p, WK_SEEN_LOCAL, "local_zone");
}

/* ---- dates ---- */

static bool seen_date(struct wk_date_read *p)
{
    return seen_part(p, WK_SEEN_DATES, "date");
}

/* m/d, m/d/y, y/m/d; behind the first number and slash. */
static bool slash_date(struct wk_date_read *p, const struct wk_date_token *a)
{
    struct wk_date_token b, c;
    if (!take_kind(p, WK_DATE_NUMBER, &b))
        return false;
    if (!take_char(p, '/')) {
        p->month = a->value;
        p->mday = b.value;
        return seen_date(p);
    }
    if (!take_kind(p, WK_DATE_NUMBER, &c))
        return false;
    if (a->digits >= 4) {
        wk_date_say(p, "warning: value %lld has %zu digits. Assuming YYYY/MM/DD", (long long)a->value, a->digits);
        p->year = *a;
        p->month = b.value;
        p->mday = c.value;
    } else {
        wk_date_say(p, "warning: value %lld has less than 4 digits. Assuming MM/DD/YY[YY]", (long long)a->value);
        p->month = a->value;
        p->mday = b.value;
        p->year = c;
    }
    return seen_date(p);
}

/* The year behind a hyphen was read as a signed number. */
static bool hyphen_year(struct wk_date_read *p, const struct wk_date_token *t)
{
    p->year = *t;
    return negate(t->value, &p->year.value);
}

/* "2024-01-31", read as a number and two signed ones. Then perhaps T and a time. */
static bool iso_date(struct wk_date_read *p, const struct wk_date_token *y, const struct wk_date_token *m,
                     const struct wk_date_token *d)
{
    struct wk_date_token t;
    p->year = *y;
    if (!negate(m->value, &p->month) || !negate(d->value, &p->mday))
        return false;
    if (!take_kind(p, WK_DATE_T, &t))
        return seen_date(p);
    if (!take_kind(p, WK_DATE_NUMBER, &t))
        return false;
    int64_t hour = t.value;
    if (take_kind(p, WK_DATE_SIGNED, &t)) {
        if (!zone_offset(p, &t))
            return false;
        set_time(p, hour, 0, 0, 0);
    } else if (!clock_time(p, hour, false)) {
        return false;
    }
    p->seen[WK_SEEN_DATES]++;
    return seen_part(p, WK_SEEN_TIMES, "datetime");
}

/* Jan 31 [, 2024]; Jan-31-2024. */
static bool month_item(struct wk_date_read *p)
{
    int64_t mon = take(p).value;
    struct wk_date_token d, y;
    if (take_kind(p, WK_DATE_SIGNED, &d)) {
        if (!take_kind(p, WK_DATE_SIGNED, &y) || !negate(d.value, &p->mday) || !hyphen_year(p, &y))
            return false;
        p->month = mon;
        return seen_date(p);
    }
    if (!take_kind(p, WK_DATE_NUMBER, &d))
        return false;
    p->month = mon;
    p->mday = d.value;
    if (take_char(p, ',')) {
        if (!take_kind(p, WK_DATE_NUMBER, &y))
            return false;
        p->year = y;
    }
    return seen_date(p);
}

/* 31 Jan [2024]; 31-Jan-2024; behind the month. */
static bool day_first(struct wk_date_read *p, int64_t mday, int64_t mon)
{
    struct wk_date_token y;
    p->mday = mday;
    p->month = mon;
    if (take_kind(p, WK_DATE_NUMBER, &y))
        p->year = y;
    else if (take_kind(p, WK_DATE_SIGNED, &y) && !hyphen_year(p, &y))
        return false;
    return seen_date(p);
}

static bool day_item(struct wk_date_read *p, int64_t ordinal, int64_t day)
{
    p->day_ordinal = ordinal;
    p->day = (int)day;
    return seen_part(p, WK_SEEN_DAYS, "day");
}

/* A number with nothing around it: yyyymmdd, a year, hhmm or hh. */
static void bare_number(struct wk_date_read *p, const struct wk_date_token *t)
{
    if (p->seen[WK_SEEN_DATES] && !p->year.digits && !p->rels && (p->seen[WK_SEEN_TIMES] || t->digits > 2)) {
        p->seen[WK_SEEN_YEAR] = 1;
        p->year = *t;
    } else if (t->digits > 4) {
        p->seen[WK_SEEN_DATES]++;
        p->mday = t->value % 100;
        p->month = t->value / 100 % 100;
        p->year.value = t->value / 10000;
        p->year.digits = t->digits - 4;
    } else {
        p->seen[WK_SEEN_TIMES]++;
        bool hours = t->digits <= 2;
        set_time(p, hours ? t->value : t->value / 100, hours ? 0 : t->value % 100, 0, 0);
    }
}

/* A number and a signed one behind it. */
static bool number_and_signed(struct wk_date_read *p, const struct wk_date_token *n)
{
    struct wk_date_token s = take(p), t;
    if (take_kind(p, WK_DATE_SIGNED, &t))
        return iso_date(p, n, &s, &t);
    if (take_kind(p, WK_DATE_UNIT, &t)) {
        struct amount a;
        if (!amount_of(&t, s.value, 0, &a))
            return false;
        bare_number(p, n);
        if (!apply(p, &a, false))
            return false;
        wk_date_say_relative(p, "hybrid");
        return true;
    }
    if (!zone_offset(p, &s))
        return false;
    set_time(p, n->value, 0, 0, 0);
    return seen_time(p);
}

static bool number_item(struct wk_date_read *p)
{
    struct wk_date_token n = take(p), t;
    switch (peek(p)->kind) {
    case WK_DATE_UNIT:
        t = take(p);
        return relative(p, &t, n.value, 0);
    case WK_DATE_MERIDIAN:
        t = take(p);
        set_time(p, n.value, 0, 0, 0);
        p->meridian = t.value ? WK_PM : WK_AM;
        return seen_time(p);
    case WK_DATE_MONTH:
        return day_first(p, n.value, take(p).value);
    case WK_DATE_DAY:
        p->ordinal_seen = true;
        return day_item(p, n.value, take(p).value);
    case WK_DATE_SIGNED:
        return number_and_signed(p, &n);
    case WK_DATE_CHAR:
        if (peek(p)->value == ':')
            return clock_time(p, n.value, true) && seen_time(p);
        if (take_char(p, '/'))
            return slash_date(p, &n);
        break;
    default:
        break;
    }
    bare_number(p, &n);
    wk_date_say_part(p, "number");
    return true;
}

static bool ordinal_item(struct wk_date_read *p)
{
    int64_t n = take(p).value;
    struct wk_date_token t;
    if (take_kind(p, WK_DATE_UNIT, &t))
        return relative(p, &t, n, 0);
    if (!take_kind(p, WK_DATE_DAY, &t))
        return false;
    p->ordinal_seen = true;
    return day_item(p, n, t.value);
}

static bool item(struct wk_date_read *p)
{
    struct wk_date_token n, t;
    struct amount a;
    switch (peek(p)->kind) {
    case WK_DATE_NUMBER:
        return number_item(p);
    case WK_DATE_SIGNED:
        n = take(p);
        return take_kind(p, WK_DATE_UNIT, &t) && relative(p, &t, n.value, 0);
    case WK_DATE_DECIMAL:
    case WK_DATE_SDECIMAL:
        n = take(p);
        return peek(p)->value == WK_DATE_SECOND && take_kind(p, WK_DATE_UNIT, &t) &&
               relative(p, &t, n.value, n.nsec);
    case WK_DATE_MONTH:
        return month_item(p);
    case WK_DATE_DAY:
        t = take(p);
        (void)take_char(p, ',');
        return day_item(p, 0, t.value);
    case WK_DATE_ZONE:
    case WK_DATE_DAYZONE:
    case WK_DATE_T:
        return zone_item(p);
    case WK_DATE_LOCALZONE:
        return local_zone_item(p);
    case WK_DATE_UNIT:
        t = take(p);
        return relative(p, &t, 1, 0);
    case WK_DATE_SHIFT:
        a = (struct amount){WK_DATE_DAYS, take(p).value, 0};
        if (!apply(p, &a, false))
            return false;
        wk_date_say_relative(p, "relative");
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

/* @seconds, alone. */
static bool epoch(struct wk_date_read *p)
{
    struct wk_date_token t = take(p);
    if (t.kind != WK_DATE_NUMBER && t.kind != WK_DATE_SIGNED && t.kind != WK_DATE_DECIMAL &&
        t.kind != WK_DATE_SDECIMAL)
        return false;
    p->timespec = true;
    p->sec = t.value;
    p->nsec = t.nsec;
    wk_date_say_part(p, "number of seconds");
    return peek(p)->kind == WK_DATE_END;
}

bool wk_date_parse_items(struct wk_date_read *p)
{
    if (take_char(p, '@'))
        return epoch(p);
    while (peek(p)->kind != WK_DATE_END)
        if (!item(p))
            return false;
    return true;
}
