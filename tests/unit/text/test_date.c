/* test_date.c - calendar, zones, strftime, reading dates */
#include "text/date/date.h"

#include "base/err.h"

#include <criterion/criterion.h>

static struct wk_mem *mem;
static struct wk_buf out;

static void open_mem(void)
{
    mem = wk_mem_new(SIZE_MAX);
    wk_buf_init(&out, mem, 10000);
}

static void close_mem(void)
{
    wk_buf_release(&out);
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

TestSuite(date, .init = open_mem, .fini = close_mem);

Test(date, days_and_dates)
{
    cr_assert_eq(wk_days_from_civil(1970, 1, 1), 0);
    cr_assert_eq(wk_days_from_civil(2000, 3, 1), 11017);
    for (int64_t d = -1000000; d < 1000000; d += 37) {
        int64_t y;
        int m, k;
        wk_civil_from_days(d, &y, &m, &k);
        cr_assert_eq(wk_days_from_civil(y, m, k), d);
    }
}

static const char *shown(const struct wk_tz *tz, int64_t sec, const char *format)
{
    struct wk_tm tm;
    wk_buf_reset(&out);
    if (!wk_tz_local(tz, (struct wk_instant){sec, 123456789}, &tm))
        return "RANGE";
    wk_strftime(&out, wk_str_c(format), &tm);
    return wk_buf_c(&out);
}

Test(date, formats)
{
    const struct wk_tz *u = wk_tz_utc();
    cr_expect_str_eq(shown(u, 0, "%F %T %a %b %j"), "1970-01-01 00:00:00 Thu Jan 001");
    cr_expect_str_eq(shown(u, 1706745600, "%-d|%_d|%e|%05d|%^a|%3N|%N|%s"),
                     "1| 1| 1|00001|THU|123|123456789|1706745600");
    cr_expect_str_eq(shown(u, 1706745600, "%G-W%V-%u %U %W %C %y %q"), "2024-W05-4 04 05 20 24 1");
    cr_expect_str_eq(shown(u, 253402300800, "%F|%Y|%+5Y"), "+10000-01-01|10000|+10000");
    cr_expect_str_eq(shown(u, 0, "%:z %::z %:::z %z %Z %"), "+00:00 +00:00:00 +00 +0000 UTC %");
    cr_expect_str_eq(shown(u, 0, "%c|%x|%X|%r|%D|%h|%%|%Q"),
                     "Thu Jan  1 00:00:00 1970|01/01/70|00:00:00|12:00:00 AM|01/01/70|Jan|%|%Q");
    cr_expect_str_eq(shown(u, INT64_MAX, "%F"), "RANGE");
}

Test(date, posix_zones)
{
    struct wk_tz *tz;
    cr_assert_eq(wk_tz_posix(mem, WK_STR("EST5EDT,M3.2.0,M11.1.0"), &tz), 0);
    cr_expect_str_eq(shown(tz, 1710053999, "%T %Z %z"), "01:59:59 EST -0500");
    cr_expect_str_eq(shown(tz, 1710054000, "%T %Z %z"), "03:00:00 EDT -0400");
    struct wk_tm tm = {.year = 2024, .mon = 11, .mday = 3, .hour = 1, .min = 30};
    struct wk_instant t;
    cr_assert(wk_tz_instant(tz, &tm, -1, &t));
    cr_expect_eq(t.sec, 1730611800);
    cr_assert(wk_tz_instant(tz, &tm, 0, &t));
    cr_expect_eq(t.sec, 1730615400);
    wk_tz_free(tz);
    cr_assert_eq(wk_tz_posix(mem, WK_STR("<+0330>-3:30"), &tz), 0);
    cr_expect_str_eq(shown(tz, 0, "%T %Z %:z"), "03:30:00 +0330 +03:30");
    wk_tz_free(tz);
    static const char *const odd[][2] = {
        {"A1", " +0000"},           {"XXX", "XXX +0000"},     {"XXX99", "XXX -2400"},  {"<ab", " +0000"},
        {"XXX1YYY,x", "YYY +0000"}, {"Foo/Bar", "Foo +0000"}, {"XXX1:5x", "XXX -0105"}};
    for (size_t i = 0; i < WK_COUNTOF(odd); i++) {
        cr_assert_eq(wk_tz_posix(mem, wk_str_c(odd[i][0]), &tz), 0);
        cr_expect_str_eq(shown(tz, 0, "%Z %z"), odd[i][1], "%s", odd[i][0]);
        wk_tz_free(tz);
    }
}

Test(date, zone_data_is_checked)
{
    char bytes[44 + 44 + 20] = "TZif2";
    struct wk_tz *tz;
    memcpy(bytes + 44 + 6, "TZif2", 5);
    for (size_t n = 0; n < sizeof bytes; n++)
        cr_assert_eq(wk_tz_file(mem, wk_str(bytes, n), &tz), -WK_EINVAL);
    bytes[36 + 3] = (char)0x80; /* types: absurd */
    cr_assert_eq(wk_tz_file(mem, wk_str(bytes, sizeof bytes), &tz), -WK_EINVAL);
}

Test(date, reads_dates)
{
    static const struct {
        const char *text, *want;
    } rows[] = { /* now: Sunday 2026-11-29 16:22:10 UTC */
        {"2024-01-31 12:00", "2024-01-31 12:00:00"},
        {"2024-01-31T12:30Z", "2024-01-31 12:30:00"},
        {"2024-01-31T12+02", "2024-01-31 10:00:00"},
        {"@1.5", "1970-01-01 00:00:01"},
        {"now", "2026-11-29 16:22:10"},
        {"", "2026-11-29 00:00:00"},
        {"yesterday", "2026-11-28 16:22:10"},
        {"next friday", "2026-12-04 00:00:00"},
        {"last friday", "2026-11-27 00:00:00"},
        {"2 weeks ago", "2026-11-15 16:22:10"},
        {"+1 day", "2026-11-30 16:22:10"},
        {"Jan 31 + 1 month", "2026-03-03 00:00:00"},
        {"2024-02-29 + 1 year", "2025-03-01 00:00:00"},
        {"Thu, 01 Feb 2024 10:00:00 +0100", "2024-02-01 09:00:00"},
        {"Thu Feb  1 10:00:00 UTC 2024", "2024-02-01 10:00:00"},
        {"1-Jan-92", "1992-01-01 00:00:00"},
        {"5/6/07 3:04 p.m.", "2007-05-06 15:04:00"},
        {"20240131 1230", "2024-01-31 12:30:00"},
        {"10:00 EST", "2026-11-29 15:00:00"},
        {"12:00 UTC+1", "2026-11-29 11:00:00"},
        {"(remark) tomorrow 10:00", "2026-11-30 10:00:00"},
        {"2024-02-30", "INVALID"},
        {"24:00", "INVALID"},
        {"foo", "INVALID"},
        {"1 2", "INVALID"},
        {"@1 day", "INVALID"},
    };
    for (size_t i = 0; i < WK_COUNTOF(rows); i++) {
        struct wk_instant now = {1795969330, 0}, t;
        struct wk_date_reader reader = {.now = now, .tz = wk_tz_utc()};
        int r = wk_date_read(&reader, wk_str_c(rows[i].text), &t);
        cr_expect_str_eq(r ? "INVALID" : shown(wk_tz_utc(), t.sec, "%F %T"), rows[i].want, "%s: %s",
                         rows[i].text, wk_buf_c(&out));
    }
}

Test(date, touch_and_date_operands)
{
    struct wk_instant now = {1795969330, 0}, t;
    cr_assert_eq(wk_date_posix(WK_STR("202401311230.15"), false, now, wk_tz_utc(), &t), 0);
    cr_expect_str_eq(shown(wk_tz_utc(), t.sec, "%F %T"), "2024-01-31 12:30:15");
    cr_assert_eq(wk_date_posix(WK_STR("013112302024.15"), true, now, wk_tz_utc(), &t), 0);
    cr_expect_str_eq(shown(wk_tz_utc(), t.sec, "%F %T"), "2024-01-31 12:30:15");
    cr_assert_eq(wk_date_posix(WK_STR("02300000"), false, now, wk_tz_utc(), &t), -WK_EINVAL);
}
