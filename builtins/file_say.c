/* file_say.c - the messages of magic: values, dates and text in them */
#include "base/fnum.h"
#include "base/utf8.h"
#include "builtins/file.h"
#include "text/printfmt/printfmt.h"

void wk_magic_printable(struct wk_buf *b, struct wk_str s)
{
    for (size_t i = 0; i < s.n && s.p[i]; i++) {
        unsigned char ch = (unsigned char)s.p[i];
        if (ch >= ' ' && ch < 127)
            wk_buf_putc(b, (char)ch);
        else
            wk_buf_fmt(b, "\\%c%c%c", '0' + (ch >> 6), '0' + (ch >> 3 & 7), '0' + (ch & 7));
    }
}

/* "Mon Jan  1 00:00:00 2024". */
static void put_date(struct wk_probe *p, struct wk_buf *b, int64_t sec, bool local)
{
    struct wk_tm tm;
    const struct wk_tz *tz = local ? wk_zone_of(p->c) : wk_tz_utc();
    if (!wk_tz_local(tz, (struct wk_instant){.sec = sec}, &tm) || tm.year > INT32_MAX ||
        tm.year < INT32_MIN)
        wk_buf_put_c(b, "*Invalid datetime*");
    else
        (void)wk_strftime_libc(b, WK_STR("%a %b %e %H:%M:%S %Y"), &tm);
}

static void put_guid(struct wk_buf *b, struct wk_str s)
{
    static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    for (size_t i = 0; i < 16 && s.n == 16; i++)
        wk_buf_fmt(b, "%s%02X", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                   (unsigned)(unsigned char)s.p[order[i]]);
}

static void put_dos(struct wk_buf *b, uint64_t v, bool time)
{
    static const char days[] = "SunMonTueWedThuFriSat",
                      months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    if (time) {
        wk_buf_fmt(b, "%02u:%02u:%02u", (unsigned)(v >> 11 & 31), (unsigned)(v >> 5 & 63),
                   (unsigned)(v & 31) * 2);
        return;
    }
    unsigned mon = (unsigned)(v >> 5 & 15), day = (unsigned)(v & 31),
             year = (unsigned)(v >> 9 & 127) + 1980;
    int64_t n = wk_days_from_civil(year, mon ? (int)mon : 1, day ? (int)day : 1);
    unsigned week = (unsigned)((n + 4) % 7);
    wk_buf_fmt(b, "%.3s, %.3s %02u %u", days + 3 * (week % 7),
               months + 3 * ((mon ? mon - 1 : 0) % 12), day, year);
}

/* The value as text, where the message wants text. */
static void put_text(struct wk_probe *p, const struct wk_magic *m, struct wk_buf *b, uint64_t v,
                     struct wk_str s)
{
    switch (m->type) {
    case WK_MAGIC_DATE:
        put_date(p, b, m->size == 4 ? (int64_t)(uint32_t)v : (int64_t)v, m->local);
        return;
    case WK_MAGIC_WDATE:
        put_date(p, b, (int64_t)(v / 10000000) - INT64_C(11644473600), m->local);
        return;
    case WK_MAGIC_DOSDATE:
    case WK_MAGIC_DOSTIME:
        put_dos(b, v, m->type == WK_MAGIC_DOSTIME);
        return;
    case WK_MAGIC_GUID:
        put_guid(b, s);
        return;
    case WK_MAGIC_INT:
    case WK_MAGIC_ID3:
    case WK_MAGIC_OFFSET:
        wk_buf_put_u64(b, v);
        return;
    default:
        break;
    }
    if ((m->type == WK_MAGIC_STRING_ || m->type == WK_MAGIC_PSTRING ||
         m->type == WK_MAGIC_STRING16)) {
        if (m->reln == '=' || m->reln == '!') {
            s = m->text;
        } else if (!m->text.n || !m->text.p[0]) {
            size_t n = 0;
            while (n < s.n && s.p[n] && s.p[n] != '\n' && s.p[n] != '\r')
                n++;
            s.n = n;
        }
    }
    if (m->flags & WK_MAGIC_TRIM) {
        ptrdiff_t end = wk_str_chr(s, '\0');
        s = wk_str_trim(end < 0 ? s : wk_str_take(s, (size_t)end));
    }
    wk_magic_printable(b, s);
}

/* "${x?yes:no}" stands for one of both. */
static struct wk_str choose(struct wk_probe *p, const char *text)
{
    const char *from = strstr(text, "${x?"), *colon = from ? strchr(from, ':') : NULL;
    const char *end = colon ? strchr(colon, '}') : NULL;
    if (!end)
        return wk_str_c(text);
    const char *yes = from + 4;
    return wk_str_c(wk_strf(p->c, "%.*s%.*s%s", (int)(from - text), text,
                            (int)(p->pie ? colon - yes : end - colon - 1), p->pie ? yes : colon + 1,
                            end + 1));
}

const char *wk_magic_annotation(struct wk_probe *p, const char *text)
{
    return choose(p, text).p;
}

void wk_magic_say(struct wk_probe *p, const struct wk_magic *m, uint64_t v, double f,
                  struct wk_str s)
{
    if (p->separator && !m->nospace)
        wk_buf_putc(p->out, ' ');
    p->separator = true;
    struct wk_str d = choose(p, m->desc);
    bool used = false;
    for (size_t i = 0; i < d.n; i++) {
        if (d.p[i] != '%' || (i + 1 < d.n && d.p[i + 1] == '%')) {
            i += d.p[i] == '%';
            wk_buf_putc(p->out, d.p[i]);
            continue;
        }
        struct wk_printf_spec spec;
        size_t at = i + 1;
        wk_printf_parse(d, &at, &spec);
        i = at - 1;
        if (used || spec.star_width || spec.star_precision || spec.width > 512 ||
            spec.precision > 512)
            continue;
        used = true;
        if (spec.conv == 's') {
            struct wk_buf *b = wk_cmd_buf(p->c, 1 << 16);
            put_text(p, m, b, v, s);
            (void)wk_printf_str(p->out, &spec, wk_buf_str(b), false);
            wk_buf_release(b);
        } else if (spec.conv == 'c') {
            (void)wk_printf_char(p->out, &spec, wk_str((const char *)&(char){(char)v}, 1), false);
        } else if (spec.conv == 'd' || spec.conv == 'i') {
            (void)wk_printf_i64(p->out, &spec, m->size == 8 ? (int64_t)v : (int64_t)(int32_t)v);
        } else if (spec.conv && strchr("ouxX", spec.conv)) {
            (void)wk_printf_u64(p->out, &spec, m->size == 8 ? v : (uint32_t)v);
        } else if (spec.conv && strchr("eEfFgG", spec.conv)) {
            (void)wk_printf_double(p->out, &spec, f);
        }
    }
}
