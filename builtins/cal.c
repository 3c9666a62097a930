/* cal.c - calendars: cal, with weeks as lines, and ncal, with weeks as columns and more options
 *
 * Standard: POSIX; ncal 12.1.8 of bsdmainutils. Oracle: cal, ncal.
 * Differs:  docs/divergences/cal.md
 */
#include "builtins/cal.h"

#include "base/num.h"
#include "builtins/zone.h"

enum { USAGE = 64 };

/* Last days of the Julian calendar. */
static const struct country {
    char code[3], name[16];
    struct cal_date last;
} countries[] = {
    {"AL", "Albania", {1912, 11, 30}},      {"AT", "Austria", {1583, 10, 5}},
    {"AU", "Australia", {1752, 9, 2}},      {"BE", "Belgium", {1582, 12, 14}},
    {"BG", "Bulgaria", {1916, 3, 31}},      {"CA", "Canada", {1752, 9, 2}},
    {"CH", "Switzerland", {1655, 2, 28}},   {"CN", "China", {1911, 12, 18}},
    {"CZ", "Czech Republic", {1584, 1, 6}}, {"DE", "Germany", {1700, 2, 18}},
    {"DK", "Denmark", {1700, 2, 18}},       {"ES", "Spain", {1582, 10, 4}},
    {"FI", "Finland", {1753, 2, 17}},       {"FR", "France", {1582, 12, 9}},
    {"GB", "United Kingdom", {1752, 9, 2}}, {"GR", "Greece", {1924, 3, 9}},
    {"HU", "Hungary", {1587, 10, 21}},      {"IS", "Iceland", {1700, 11, 16}},
    {"IT", "Italy", {1582, 10, 4}},         {"JP", "Japan", {1918, 12, 18}},
    {"LI", "Lithuania", {1918, 2, 1}},      {"LU", "Luxembourg", {1582, 12, 14}},
    {"LV", "Latvia", {1918, 2, 1}},         {"NL", "Netherlands", {1582, 12, 14}},
    {"NO", "Norway", {1700, 2, 18}},        {"PL", "Poland", {1582, 10, 4}},
    {"PT", "Portugal", {1582, 10, 4}},      {"RO", "Romania", {1919, 3, 31}},
    {"RU", "Russia", {1918, 1, 31}},        {"SI", "Slovenia", {1919, 3, 4}},
    {"SE", "Sweden", {1753, 2, 17}},        {"TR", "Turkey", {1926, 12, 18}},
    {"US", "United States", {1752, 9, 2}},  {"YU", "Yugoslavia", {1919, 3, 4}},
};

static const struct wk_opt cal_options[] = {
    {WK_OPT_FLAG, '1', NULL, NULL, "this month only (standard)", 0, 0, NULL},
    {WK_OPT_FLAG, '3', NULL, NULL, "the month before and the one behind, too", 0, 0, NULL},
    {WK_OPT_FLAG, 'y', NULL, NULL, "the whole year", 0, 0, NULL},
    {WK_OPT_STR, 'A', NULL, "N", "N months more behind", 0, 0, NULL},
    {WK_OPT_STR, 'B', NULL, "N", "N months more before", 0, 0, NULL},
    {WK_OPT_FLAG, 'C', NULL, NULL, "ncal: as cal", 0, 0, NULL},
    {WK_OPT_STR, 'd', NULL, "YYYY-MM", "take this for the present month", 0, 0, NULL},
    {WK_OPT_FLAG, 'j', NULL, NULL, "days of the year instead of days of months", 0, 0, NULL},
    {WK_OPT_STR, 'm', NULL, "MONTH", "a month by number or name; 5f is the next May, 5p the last",
     0, 0, NULL},
    {WK_OPT_FLAG, 'b', NULL, NULL, "ncal: weeks as lines", 0, 0, NULL},
    {WK_OPT_FLAG, 'e', NULL, NULL, "ncal: the date of Easter", 0, 0, NULL},
    {WK_OPT_FLAG, 'h', NULL, NULL, "ncal: the day of -H does not stand out", 0, 0, NULL},
    {WK_OPT_STR, 'H', NULL, "YYYY-MM-DD", "ncal: take this for today; with -b it stands out", 0, 0,
     NULL},
    {WK_OPT_FLAG, 'J', NULL, NULL, "ncal: the Julian calendar", 0, 0, NULL},
    {WK_OPT_FLAG, 'M', NULL, NULL, "ncal: weeks begin on Monday", 0, 0, NULL},
    {WK_OPT_FLAG, 'o', NULL, NULL, "ncal: the date of orthodox Easter", 0, 0, NULL},
    {WK_OPT_FLAG, 'p', NULL, NULL, "ncal: when countries changed their calendar", 0, 0, NULL},
    {WK_OPT_STR, 's', NULL, "COUNTRY", "ncal: the calendar changes as in COUNTRY", 0, 0, NULL},
    {WK_OPT_FLAG, 'S', NULL, NULL, "ncal: weeks begin on Sunday", 0, 0, NULL},
    {WK_OPT_FLAG, 'w', NULL, NULL, "ncal: numbers of weeks", 0, 0, NULL},
    {WK_OPT_STR, 'W', NULL, "N", "ncal: a year's first week has at least N days of it", 0, 0, NULL},
    WK_OPTS_END,
};

struct cal {
    struct wk_cmd *c;
    bool columns; /* ncal */
    bool ncal_only, lines, julian, easter, orthodox, year_given;
    char range; /* '1', '3', 'y' or NUL */
    int32_t before, after;
    const char *month; /* as given */
    const char *today; /* of -H */
    bool plain;        /* -h */
    int64_t year;
    int this_month;
    struct cal_style style;
    const char *operand[2];
    int operands;
};

static WK_NORETURN void usage(struct cal *k)
{
    wk_out_c(k->c->err, "Usage: cal [general options] [-jy] [[month] year]\n"
                        "       cal [general options] [-j] [-m month] [year]\n"
                        "       ncal -C [general options] [-jy] [[month] year]\n"
                        "       ncal -C [general options] [-j] [-m month] [year]\n"
                        "       ncal [general options] [-bhJjpwySM] [-H yyyy-mm-dd] [-s "
                        "country_code] [-W number of days] "
                        "[[month] year]\n"
                        "       ncal [general options] [-Jeo] [year]\n"
                        "General options: [-31] [-A months] [-B months] [-d yyyy-mm]\n");
    wk_exit(k->c, USAGE);
}

/* ---- numbers ------------------------------------------------------------------------------------
 */

/* A number at the start of a text, behind white space, and where it ends (the text when there is
 * none). */
static int64_t leading_number(const char *text, const char **end)
{
    const char *p = text;
    while (*p == ' ' || (*p >= '\t' && *p <= '\r'))
        p++;
    bool negative = *p == '-';
    p += *p == '-' || *p == '+';
    const char *digits = p;
    int64_t v = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        v = v > (INT64_MAX - 9) / 10 ? INT64_MAX : v * 10 + (*p - '0');
    *end = p > digits ? p : text;
    return negative ? -v : v;
}

static int32_t as_int(int64_t v)
{
    return (int32_t)(uint32_t)(uint64_t)v;
}

static int32_t number_of(const char *text)
{
    const char *end;
    return as_int(leading_number(text, &end));
}

/* ---- options ------------------------------------------------------------------------------------
 */

static void put_country(struct cal *k, const struct country *at)
{
    wk_out_fmt(k->c->out, "%c%s %-15s%04d-%02d-%02d", strcmp(at->code, "US") == 0 ? '*' : ' ',
               at->code, at->name, (int)at->last.year, at->last.month, at->last.day);
}

static WK_NORETURN void put_countries(struct cal *k)
{
    size_t half = WK_COUNTOF(countries) / 2;
    for (size_t i = 0; i < half; i++) {
        put_country(k, &countries[i]);
        wk_out_c(k->c->out, "     ");
        put_country(k, &countries[half + i]);
        wk_out_char(k->c->out, '\n');
    }
    wk_exit(k->c, 0);
}

static void set_country(struct cal *k, const char *code)
{
    for (size_t i = 0; i < WK_COUNTOF(countries); i++)
        if (strcmp(code, countries[i].code) == 0) {
            k->style.last_julian = wk_cal_julian_day(&countries[i].last);
            return;
        }
    wk_fail(k->c, USAGE, "%s: invalid country code", code);
}

/* "2024-05": the month is behind the fifth character, whatever stands there, and may be any number.
 */
static void set_present(struct cal *k, const char *text)
{
    k->year = number_of(text);
    k->this_month = strlen(text) > 5 ? number_of(text + 5) : 0;
}

static void take_option(struct cal *k, char option, const char *arg)
{
    struct cal_style *s = &k->style;
    static const struct cal_date never = {10000, 1, 1};
    k->ncal_only = k->ncal_only || strchr("behHJMopsSwW", option);
    if (option == 'C')
        k->columns = false;
    if (!k->columns && k->ncal_only && option != 'p')
        usage(k);
    switch (option) {
    case '1':
    case '3':
    case 'y':
        k->range = option;
        break;
    case 'A':
        k->after = number_of(arg);
        break;
    case 'B':
        k->before = number_of(arg);
        break;
    case 'b':
        k->lines = true;
        break;
    case 'd':
        set_present(k, arg);
        break;
    case 'e':
    case 'o':
        k->easter = true;
        k->orthodox = k->orthodox || option == 'o';
        break;
    case 'H':
        k->today = arg;
        break;
    case 'h':
        k->plain = true;
        break;
    case 'J':
        s->last_julian = wk_cal_julian_day(&never);
        k->julian = true;
        break;
    case 'j':
        s->day_of_year = true;
        break;
    case 'M':
    case 'S':
        s->first_day = option == 'M';
        break;
    case 'm':
        k->month = arg;
        break;
    case 'p':
        put_countries(k);
    case 's':
        set_country(k, arg);
        break;
    case 'W':
        s->least = number_of(arg);
        break;
    case 'w':
        s->weeks = true;
        break;
    default:
        break;
    }
}

/* One word of options: gives how many words they took. */
static int take_word(struct cal *k, int at)
{
    struct wk_cmd *c = k->c;
    for (const char *p = c->argv[at] + 1; *p; p++) {
        const struct wk_opt *o = cal_options;
        while (o->kind != WK_OPT_END && o->short_name != *p)
            o++;
        if (o->kind == WK_OPT_END) {
            int status = c->status;
            wk_msg(c, "invalid option -- '%c'", *p);
            c->status = status;
            usage(k);
        }
        if (!o->arg) {
            take_option(k, *p, NULL);
            continue;
        }
        const char *arg = p[1] ? p + 1 : at + 1 < c->argc ? c->argv[at + 1] : NULL;
        if (!arg) {
            wk_msg(c, "option requires an argument -- '%c'", *p);
            usage(k);
        }
        take_option(k, *p, arg);
        return p[1] ? 1 : 2;
    }
    return 1;
}

static void take_words(struct cal *k)
{
    struct wk_cmd *c = k->c;
    bool options = true, permute = !wk_cmd_env(c, "POSIXLY_CORRECT");
    int operands = 0;
    for (int i = 1; i < c->argc;) {
        const char *word = c->argv[i];
        if (options && strcmp(word, "--") == 0) {
            options = false;
            i++;
        } else if (options && word[0] == '-' && word[1]) {
            i += take_word(k, i);
        } else {
            if (operands < 2)
                k->operand[operands] = word;
            operands++;
            options = options && permute;
            i++;
        }
    }
    k->operands = operands;
}

/* ---- months -------------------------------------------------------------------------------------
 */

static char lower(char ch)
{
    return ch >= 'A' && ch <= 'Z' ? (char)(ch - 'A' + 'a') : ch;
}

static int month_by_name(const char *text)
{
    for (int m = 1; m <= 12; m++) {
        const char *name = wk_cal_month_name(m);
        int i = 0;
        while (i < 3 && lower(text[i]) == lower(name[i]))
            i++;
        if (i == 3)
            return m;
    }
    return 0;
}

/* The month by number or name; behind a number, f is the next one of it and p the last: in the year
 * behind or before when the year was given with it. To -m with a year f means nothing. */
static void read_month(struct cal *k, bool with_year)
{
    const char *end;
    int64_t v = leading_number(k->month, &end);
    int shift = end > k->month && *end == 'f' ? 1 : end > k->month && *end == 'p' ? -1 : 0;
    if (end == k->month)
        v = month_by_name(k->month);
    if (v < 1 || v > 12 || (end > k->month && *end && !shift))
        wk_fail(k->c, USAGE, "%s is neither a month number (1..12) nor a name", k->month);
    bool passed = shift > 0 ? v <= k->this_month : v >= k->this_month;
    if (k->year_given)
        passed = with_year || shift < 0;
    if (shift && passed)
        k->year += shift;
    k->this_month = (int)v;
}

static void read_operands(struct cal *k)
{
    const char *end;
    if (k->operands > 2 || (k->operands == 2 && k->easter))
        usage(k);
    if (k->operands == 2)
        k->month = k->operand[0];
    if (k->operands) {
        const char *text = k->operand[k->operands - 1];
        k->year = as_int(leading_number(text, &end));
        if (*end)
            wk_fail(k->c, USAGE, "not a valid year %s", text);
        if (leading_number(text, &end) < 1 || leading_number(text, &end) > 9999)
            wk_fail(k->c, USAGE, "year `%s' not in range 1..9999", text);
        k->year_given = true;
    } else if (k->year < 1 || k->year > 9999) {
        wk_fail(k->c, USAGE, "year `%lld' not in range 1..9999", (long long)k->year);
    }
    if (k->year_given && !k->month && (k->range == '1' || k->range == '3'))
        wk_fail(k->c, USAGE, "-%c together with a given year but no given month is not supported.",
                k->range);
    if (k->month)
        read_month(k, k->operands == 2);
    else if (k->year_given)
        k->range = 'y';
}

static void put_easter(struct cal *k)
{
    struct cal_date d = wk_cal_easter(k->year);
    if (k->orthodox || k->year < 1583)
        d = wk_cal_easter_julian(k->year);
    if (k->orthodox && k->year >= 1583 && !k->julian)
        d = wk_cal_gregorian_date(wk_cal_julian_day(&d));
    wk_out_fmt(k->c->out, "%02d/%02d/%02d\n", d.month, d.day, (int)(d.year % 100));
}

static void put_months(struct cal *k)
{
    static const struct cal_date change = {1752, 9, 2};
    int32_t before = k->before, after = k->after;
    int month = k->range == 'y' ? 1 : k->this_month;
    if (k->range == 'y')
        after = as_int((int64_t)after + 11);
    if (k->range == '3') {
        before = as_int((int64_t)before + 1);
        after = as_int((int64_t)after + 1);
    }
    if (as_int((int64_t)before + after) < 0)
        before = after = 0;
    k->style.columns = k->columns && !k->lines;
    k->style.unnumbered = k->style.last_julian;
    if (!k->style.columns) {
        k->style.last_julian = wk_cal_julian_day(&change);
        k->style.unnumbered = 0;
    }
    if (k->today && !k->plain) {
        const char *text = k->today;
        size_t n = strlen(text);
        k->style.today = wk_cal_day(&k->style, number_of(text), n > 5 ? number_of(text + 5) : 0,
                                    n > 8 ? number_of(text + 8) : 0);
    }
    int64_t at = k->year * 12 + month - 1;
    wk_cal_put(k->c, &k->style, as_int(at - before), as_int(at + after));
}

static int cal_main(struct wk_cmd *c)
{
    static const struct cal_date change = {1752, 9, 2};
    struct cal k = {.c = c, .columns = strcmp(c->name, "ncal") == 0};
    struct wk_tm tm;
    if (wk_tz_local(wk_zone_of(c), wk_instant_of(wk_cmd_now(c)), &tm)) {
        k.year = (int)tm.year; /* of a clock in nanoseconds */
        k.this_month = (int)tm.mon;
    }
    k.style.least = 4;
    k.style.last_julian = wk_cal_julian_day(&change);
    take_words(&k);
    read_operands(&k);
    if (k.easter)
        put_easter(&k);
    else
        put_months(&k);
    return c->status;
}

WK_COMMAND(cal, .aliases = "ncal", .summary = "show a calendar, or the date of Easter",
           .usage = "cal [OPTION]... [[MONTH] YEAR]\nncal [OPTION]... [[MONTH] YEAR]",
           .std = "ncal 12.1.8", .opts = cal_options, .opts_size = sizeof(bool),
           .flags = WK_CMD_RAW_ARGS | WK_CMD_FILTER, .usage_status = USAGE);
