/* date_posix.c - the digits that touch -t and date's operand take */
#include "base/err.h"
#include "text/date/date.h"

/* Whether the instant shows the time that was asked for. */
static bool shows(const struct wk_tz *tz, struct wk_instant t, const struct wk_tm *want)
{
    struct wk_tm tm;
    return wk_tz_local(tz, t, &tm) && tm.year == want->year && tm.mon == want->mon &&
           tm.mday == want->mday && tm.hour == want->hour && tm.min == want->min &&
           tm.sec == want->sec;
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
