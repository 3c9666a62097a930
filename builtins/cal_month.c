/* cal_month.c - cal: months as lines of text, several side by side
 */
#include "builtins/cal.h"

enum { WEEKS = 6, DAYS = 7, SIDE_MOST = 4 };

const char *wk_cal_month_name(int month)
{
    static const char *const names[] = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};
    return month >= 1 && month <= 12 ? names[month - 1] : "";
}

/* ---- days ---------------------------------------------------------------------------------------
 */

static int month_length(bool leap, int month)
{
    return month == 2 ? 28 + leap : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* The day of a date, 0 when there is none of it: it was skipped with the change of calendars. Nothing is before the
 * last of February of the year 0, which has 28 days. */
static int64_t day_of(const struct cal_style *style, int64_t year, int month, int day)
{
    struct cal_date d = {year, month, day};
    if (month < 1 || year < 0 || (year == 0 && (month < 2 || (month == 2 && day != 28))))
        return 0;
    if (day <= month_length(year % 4 == 0, month)) {
        int64_t n = wk_cal_julian_day(&d);
        if (n <= style->last_julian)
            return n + (year == 0 && month == 2);
    }
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    int64_t n = day <= month_length(leap, month) ? wk_cal_gregorian_day(&d) : 0;
    return n > style->last_julian ? n : 0;
}

static int64_t first_of_month(const struct cal_style *style, int64_t year, int month)
{
    for (int day = 1; day <= 31; day++) {
        int64_t n = day_of(style, year, month, day);
        if (n)
            return n;
    }
    return 0;
}

int64_t wk_cal_day(const struct cal_style *style, int64_t year, int64_t month, int64_t day)
{
    int64_t at = year * 12 + month - 1;
    int64_t first = at < 0 ? 0 : first_of_month(style, at / 12, (int)(at % 12) + 1);
    return first ? first + day - 1 : 0;
}

static int64_t first_of_year(const struct cal_style *style, int64_t year)
{
    for (int month = 1; month <= 12; month++) {
        int64_t n = first_of_month(style, year, month);
        if (n)
            return n;
    }
    return 0;
}

/* How many days before it the week of a day began. */
static int days_into_week(const struct cal_style *style, int64_t day)
{
    return (int)((day + 1 - style->first_day + 7) % 7);
}

/* Weeks are counted by the Gregorian calendar from its first year on, whatever a country used. */
static int64_t first_week(const struct cal_style *style, int64_t year)
{
    struct cal_date d = {year, 1, 1};
    int64_t day = year > 1582 ? wk_cal_gregorian_day(&d) : wk_cal_julian_day(&d);
    int into = days_into_week(style, day);
    return day - into + (into > 7 - style->least ? 7 : 0);
}

static int64_t week_number(const struct cal_style *style, int64_t year, int64_t week)
{
    year++;
    while (week < first_week(style, year))
        year--;
    return (week - first_week(style, year)) / 7 + 1;
}

/* ---- a month ------------------------------------------------------------------------------------
 */

struct month {
    int64_t year;
    int month;
    int64_t number[WEEKS][DAYS]; /* what is shown; 0: nothing */
    int64_t week[WEEKS];         /* its number; 0: none */
    int today;                   /* where it is among all; -1: not here */
};

static void fill_month(const struct cal_style *style, struct month *m, int32_t number)
{
    *m = (struct month){.year = number / 12, .month = number % 12 + 1, .today = -1};
    int64_t first = first_of_month(style, m->year, m->month);
    int64_t year_start = style->day_of_year ? first_of_year(style, m->year) : 0;
    int64_t week = first - days_into_week(style, first), last = first;
    for (int day = 1; first && day <= 31; day++) {
        int64_t n = day_of(style, m->year, m->month, day);
        if (!n || n - week >= WEEKS * DAYS)
            continue;
        last = n;
        if (n == style->today)
            m->today = (int)(n - week);
        m->number[(n - week) / DAYS][(n - week) % DAYS] = style->day_of_year ? n - year_start + 1 : day;
    }
    for (int w = 0; first && style->weeks && w < WEEKS; w++, week += DAYS)
        if (week <= last && week > style->unnumbered)
            m->week[w] = week_number(style, m->year, week);
}

/* ---- weeks as lines -----------------------------------------------------------------------------
 */

struct layout {
    struct wk_out *out;
    const struct cal_style *style;
    const struct month *month;
    int n;         /* months side by side */
    int cell;      /* columns of a day */
    int width;     /* of a month */
    bool with_year; /* in the names of months */
};

static void put_blanks(struct wk_out *out, int n)
{
    for (; n > 0; n--)
        wk_out_char(out, ' ');
}

/* A number at the right of n columns, 0 is none. Gives the columns. */
static int put_cell(struct wk_out *out, int64_t v, int n)
{
    if (!v)
        put_blanks(out, n);
    else
        wk_out_fmt(out, "%*lld", n, (long long)v);
    return n;
}

static void put_title(const struct layout *l, const struct month *m, bool centered)
{
    char text[48];
    const char *name = wk_cal_month_name(m->month);
    size_t n = strlen(name);
    memcpy(text, name, n);
    if (l->with_year) {
        char digits[24];
        size_t at = sizeof digits;
        uint64_t v = m->year < 0 ? 0 - (uint64_t)m->year : (uint64_t)m->year;
        do {
            digits[--at] = (char)('0' + v % 10);
            v /= 10;
        } while (v);
        if (m->year < 0)
            digits[--at] = '-';
        text[n++] = ' ';
        memcpy(text + n, digits + at, sizeof digits - at);
        n += sizeof digits - at;
    }
    int before = centered && (int)n < l->width ? (l->width - (int)n) / 2 : 0;
    put_blanks(l->out, before);
    wk_out_put(l->out, text, n);
    put_blanks(l->out, l->width - before - (int)n);
}

static const char weekdays[][3] = {"Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"};

static void put_weekdays(const struct layout *l)
{
    for (int i = 0; i < l->n; i++) {
        if (l->style->weeks)
            wk_out_c(l->out, " w|");
        for (int d = 0; d < DAYS; d++) {
            put_blanks(l->out, d == 0 && !l->style->weeks ? l->cell - 3 : l->cell - 2);
            wk_out_put(l->out, weekdays[(d + l->style->first_day) % DAYS], 2);
        }
        wk_out_c(l->out, l->style->weeks ? "   " : "  ");
    }
    wk_out_char(l->out, '\n');
}

/* Two columns of the number of a week as it stands in a cell: with days of the year, not the two that matter. */
static void put_week_number(const struct layout *l, int64_t week)
{
    if (l->cell == 4)
        week /= 10;
    (void)put_cell(l->out, week, 2);
    wk_out_char(l->out, '|');
}

/* Today, each character behind an underline and a backspace. With numbers of weeks the last four bytes of it are not
 * there: the next day stands over them. */
static int put_today(const struct layout *l, int64_t v, int n)
{
    char text[12];
    int digits = l->cell - 1, at = 0;
    for (int i = digits - 1; i >= 0; i--, v /= 10)
        text[i] = v ? (char)('0' + v % 10) : ' ';
    put_blanks(l->out, n - digits);
    for (int bytes = 3 * digits - (l->style->weeks ? 4 : 0); bytes > 0; bytes -= 3) {
        wk_out_put(l->out, "_\b", bytes < 2 ? 1 : 2);
        if (bytes > 2)
            wk_out_char(l->out, text[at++]);
    }
    return n;
}

static void put_week(const struct layout *l, const struct month *m, int w)
{
    int last = -1, at = 0;
    for (int d = 0; d < DAYS; d++)
        if (m->number[w][d])
            last = d;
    if (l->style->weeks && last >= 0) {
        put_week_number(l, m->week[w]);
        at = 3;
    }
    for (int d = 0; d <= last; d++) {
        int n = d == 0 && !l->style->weeks ? l->cell - 1 : l->cell;
        bool today = m->today == w * DAYS + d;
        at += today ? put_today(l, m->number[w][d], n) : put_cell(l->out, m->number[w][d], n);
    }
    put_blanks(l->out, l->width - at);
    wk_out_c(l->out, "  ");
}

static void put_lines(const struct layout *l)
{
    for (int i = 0; i < l->n; i++) {
        put_title(l, &l->month[i], true);
        wk_out_c(l->out, "  ");
    }
    wk_out_char(l->out, '\n');
    put_weekdays(l);
    for (int w = 0; w < WEEKS; w++) {
        for (int i = 0; i < l->n; i++)
            put_week(l, &l->month[i], w);
        wk_out_char(l->out, '\n');
    }
}

/* ---- weeks as columns ---------------------------------------------------------------------------
 */

static void put_columns(const struct layout *l)
{
    wk_out_c(l->out, "    ");
    for (int i = 0; i < l->n; i++)
        put_title(l, &l->month[i], false);
    wk_out_char(l->out, '\n');
    for (int d = 0; d < DAYS; d++) {
        wk_out_put(l->out, weekdays[(d + l->style->first_day) % DAYS], 2);
        for (int i = 0; i < l->n; i++)
            for (int w = 0; w < WEEKS; w++)
                (void)put_cell(l->out, l->month[i].number[w][d], l->cell);
        wk_out_char(l->out, '\n');
    }
    if (!l->style->weeks)
        return;
    wk_out_c(l->out, "  ");
    for (int i = 0; i < l->n; i++)
        for (int w = 0; w < WEEKS; w++)
            (void)put_cell(l->out, l->month[i].week[w], l->cell);
    wk_out_char(l->out, '\n');
}

/* ---- all of them --------------------------------------------------------------------------------
 */

static void put_year(const struct layout *l, int side, int64_t year)
{
    int digits = 0;
    int64_t v = year < 0 ? -year : year;
    do
        digits++;
    while (v /= 10);
    put_blanks(l->out, (l->width * side - digits - (year < 0)) / 2);
    wk_out_fmt(l->out, "%lld\n", (long long)year);
}

void wk_cal_put(struct wk_cmd *c, const struct cal_style *style, int32_t from, int32_t to)
{
    struct month months[SIDE_MOST];
    struct layout l = {.out = c->out, .style = style, .month = months};
    l.cell = style->day_of_year ? 4 : 3;
    int side = style->columns ? 4 - style->day_of_year : 3 - style->day_of_year;
    if (style->columns)
        l.width = WEEKS * l.cell;
    else
        l.width = style->day_of_year ? 27 : style->weeks ? 25 : 20;
    /* Full lines of one year each have it above them. */
    bool years = from % 12 % side == 0 && (int64_t)to - from + 1 >= side;
    l.with_year = !years;
    for (int64_t at = from; at <= to; at += side) {
        l.n = 0;
        for (; l.n < side && at + l.n <= to; l.n++)
            fill_month(style, &months[l.n], (int32_t)(at + l.n));
        if (at != from)
            wk_out_char(c->out, '\n');
        if (years && (at == from || at % 12 == 0))
            put_year(&l, side, at / 12);
        if (style->columns)
            put_columns(&l);
        else
            put_lines(&l);
        wk_tick(c, 2000);
    }
}
