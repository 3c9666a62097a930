/* fuzz_date.c - zones and dates: any TZ, any date against it, any format; or any zone file
 *
 * input: one byte (its lowest bit: the rest is a zone file), then the zone up to a NUL, the date up to a NUL, the
 * format.
 */
#include "base/err.h"
#include "text/date/date.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct wk_str part(struct wk_str *rest)
{
    ptrdiff_t end = wk_str_chr(*rest, '\0');
    struct wk_str one = wk_str_take(*rest, end < 0 ? rest->n : (size_t)end);
    *rest = wk_str_from(*rest, end < 0 ? rest->n : (size_t)end + 1);
    return one;
}

static void hear(void *ctx, struct wk_str line)
{
    (void)ctx;
    (void)line;
}

/* What an instant shows is an instant again, unless its time is there twice. */
static void check_instant(const struct wk_tz *tz, struct wk_instant t)
{
    struct wk_tm tm, back;
    struct wk_instant again;
    int64_t guess;
    if (!wk_tz_local(tz, t, &tm) || !wk_tm_fits(&tm))
        return;
    back = tm;
    guess = -tm.gmtoff;
    if (!wk_tz_mktime(tz, &back, tm.dst, &guess, &again))
        return;
    if (again.sec != t.sec && back.hour == tm.hour && back.min == tm.min && back.sec == tm.sec && again.nsec != t.nsec)
        __builtin_trap();
}

static void read_date(const struct wk_tz *tz, struct wk_mem *m, struct wk_str date, struct wk_str format, bool libc)
{
    struct wk_buf line, out;
    struct wk_instant t;
    wk_buf_init(&line, m, 100000);
    wk_buf_init(&out, m, 100000);
    struct wk_date_reader r = {.now = {1709210096, 5}, .tz = tz, .tz_text = "X", .say = hear, .line = &line};
    if (wk_date_read(&r, date, &t) == 0 || wk_date_posix(date, libc, r.now, tz, &t) == 0) {
        struct wk_tm tm;
        if (t.nsec < 0 || t.nsec > 999999999)
            __builtin_trap();
        check_instant(tz, t);
        if (wk_tz_local(tz, t, &tm))
            (void)(libc ? wk_strftime_libc(&out, format, &tm) : wk_strftime(&out, format, &tm));
    }
    wk_buf_release(&line);
    wk_buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 100000)
        return 0;
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_str rest = wk_str((const char *)data + 1, size - 1);
    struct wk_tz *tz = NULL;
    int err = data[0] & 1 ? wk_tz_file(m, rest, &tz) : wk_tz_posix(m, part(&rest), &tz);
    if (!err) {
        struct wk_str date = data[0] & 1 ? WK_STR("2024-03-10 02:30 +1 month") : part(&rest);
        read_date(tz, m, date, data[0] & 1 ? WK_STR("%c %z") : rest, data[0] & 2);
        wk_tz_free(tz);
    }
    if (wk_mem_used(m) != 0)
        __builtin_trap();
    wk_mem_unref(m);
    return 0;
}
