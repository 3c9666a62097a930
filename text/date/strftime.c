/* strftime.c - times as text, with GNU date's directives in the C locale */
#include "text/date/date.h"

#include "base/num.h"

static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                   "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January", "February", "March",     "April",
                                     "May",     "June",     "July",      "August",
                                     "September", "October", "November", "December"};

enum { MOST_WIDTH = 1 << 20, NO_WIDTH = -1 };

struct spec {
    char pad;    /* '\0' by the directive, '-', '_', '0', '+' */
    bool upper, swap;
    int width;   /* -1 = none */
    size_t colons;
    bool libc; /* of the C library: a width counts even with -, and some of the rest is unknown */
};

struct writer {
    struct wk_buf *b;
    const struct wk_tm *tm;
    char pad; /* of the year inside a directive that stands for a format */
    bool libc;
};

static bool write_format(struct writer *w, struct wk_str format);

/* Pads what was appended since `from` on the left to the width. */
static void pad_text(struct wk_buf *b, size_t from, const struct spec *f)
{
    size_t n = b->n - from;
    if (f->width <= 0 || (size_t)f->width <= n || (f->pad == '-' && !f->libc) || b->failed)
        return;
    size_t pad = (size_t)f->width - n;
    bool zero = f->pad == '0' || f->pad == '+';
    if (!wk_buf_fill(b, zero ? '0' : ' ', pad))
        return;
    memmove(b->p + from + pad, b->p + from, n);
    memset(b->p + from, zero ? '0' : ' ', pad);
}

static void put_text(struct writer *w, struct spec *f, const char *text, bool upper)
{
    size_t from = w->b->n;
    for (; *text; text++)
        wk_buf_putc(w->b, upper ? (char)wk_to_upper(*text) : *text);
    pad_text(w->b, from, f);
}

/* A number of at least `digits` digits; `fill` is the directive's own padding. */
static void put_signed_number(struct writer *w, const struct spec *f, int64_t v, bool negative, int digits, char fill,
                              bool sign_when_wide)
{
    char text[WK_NUM_MAX];
    char pad = f->pad ? f->pad : fill;
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    size_t n = wk_fmt_u64(text, u, 10);
    size_t width = f->width >= 0 ? (size_t)f->width : (size_t)digits;
    bool wide = n > (size_t)digits || width > (size_t)digits;
    bool plus = pad == '+' && !negative && sign_when_wide && wide;
    char sign = negative ? '-' : plus ? '+' : '\0';
    size_t len = n + (sign != '\0');
    bool none = pad == '-' && !(f->libc && f->width > 0);
    size_t padding = none || width <= len ? 0 : width - len;
    bool blanks = pad == '_' || pad == '-';
    if (blanks)
        wk_buf_fill(w->b, ' ', padding);
    if (sign)
        wk_buf_putc(w->b, sign);
    if (!blanks)
        wk_buf_fill(w->b, '0', padding);
    wk_buf_put(w->b, text, n);
}

static void put_number(struct writer *w, const struct spec *f, int64_t v, int digits, char fill,
                       bool sign_when_wide)
{
    put_signed_number(w, f, v, v < 0, digits, fill, sign_when_wide);
}

static void put_nanoseconds(struct writer *w, const struct spec *f)
{
    char text[9];
    uint32_t v = (uint32_t)w->tm->nsec;
    for (size_t i = 9; i-- > 0; v /= 10)
        text[i] = (char)('0' + v % 10);
    size_t width = f->width > 0 ? (size_t)f->width : 9, n = WK_MIN(width, 9);
    bool strip = f->pad == '_' || (f->pad == '-' && f->width > 0);
    while (strip && n > 1 && text[n - 1] == '0')
        n--;
    wk_buf_put(w->b, text, n);
    if (width > n && f->pad != '-')
        wk_buf_fill(w->b, f->pad == '_' ? ' ' : '0', width - n);
}

/* West, or the zone "-00" of times that nobody tells. */
static char offset_sign(const struct wk_tm *tm)
{
    return tm->gmtoff < 0 || (tm->gmtoff == 0 && tm->zone[0] == '-') ? '-' : '+';
}

/* +hhmm as a number of four digits. */
static void put_plain_zone(struct writer *w, const struct spec *f)
{
    int32_t off = w->tm->gmtoff, minutes = (off < 0 ? -off : off) / 60;
    char text[WK_NUM_MAX];
    size_t n = wk_fmt_u64(text, (uint64_t)(minutes / 60 * 100 + minutes % 60), 10);
    size_t width = f->width > 0 ? (size_t)f->width : 5;
    size_t padding = width > n + 1 && f->pad != '-' ? width - n - 1 : 0;
    if (f->pad == '_')
        wk_buf_fill(w->b, ' ', padding);
    wk_buf_putc(w->b, offset_sign(w->tm));
    if (f->pad != '_')
        wk_buf_fill(w->b, '0', padding);
    wk_buf_put(w->b, text, n);
}

/* +hh:mm, +hh:mm:ss, or as short as it can be. */
static void put_zone(struct writer *w, const struct spec *f)
{
    int32_t off = w->tm->gmtoff;
    uint32_t u = (uint32_t)(off < 0 ? -off : off), h = u / 3600, m = u / 60 % 60, s = u % 60;
    struct wk_buf *b = w->b;
    char tail[8];
    size_t n = 0;
    size_t parts = f->colons == 3 ? (s ? 3u : m ? 2u : 1u) : f->colons == 2 ? 3u : 2u;
    for (size_t k = 1; k < parts; k++) {
        uint32_t v = k == 1 ? m : s;
        tail[n++] = ':';
        tail[n++] = (char)('0' + v / 10);
        tail[n++] = (char)('0' + v % 10);
    }
    char pad = f->pad ? f->pad : '0';
    size_t hours = h >= 10 ? 2 : 1, least = pad == '-' ? hours : 2;
    size_t width = f->width > 0 ? (size_t)f->width : least + n + 1;
    size_t len = 1 + hours + n, padding = width > len && pad != '-' ? width - len : 0;
    if (pad == '_')
        wk_buf_fill(b, ' ', padding);
    wk_buf_putc(b, offset_sign(w->tm));
    if (pad != '_')
        wk_buf_fill(b, '0', padding);
    wk_buf_put_u64(b, h);
    wk_buf_put(b, tail, n);
}

/* ISO 8601's week and the year it belongs to. */
static int64_t iso_week(const struct wk_tm *tm, int *week)
{
    int64_t day = wk_days_from_civil(tm->year, 1, 1) + tm->yday;
    int64_t thursday = day - (tm->wday + 6) % 7 + 3, year;
    int mon, mday;
    wk_civil_from_days(thursday, &year, &mon, &mday);
    *week = (int)((thursday - wk_days_from_civil(year, 1, 1)) / 7) + 1;
    return year;
}

static int64_t epoch(const struct wk_tm *tm)
{
    return (wk_days_from_civil(tm->year, 1, 1) + tm->yday) * 86400 + tm->hour * 3600 +
           tm->min * 60 + tm->sec - tm->gmtoff;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* A directive that stands for a format; its text is padded as a whole. */
static void put_format(struct writer *w, const struct spec *f, const char *format, char year_pad, bool libc)
{
    size_t from = w->b->n;
    struct writer inner = {w->b, w->tm, year_pad, libc};
    write_format(&inner, wk_str_c(format));
    for (size_t i = from; f->upper && i < w->b->n && !w->b->failed; i++)
        w->b->p[i] = (char)wk_to_upper(w->b->p[i]);
    pad_text(w->b, from, f);
}

static int hour12(const struct wk_tm *tm)
{
    return tm->hour % 12 ? tm->hour % 12 : 12;
}

/* Its last two digits; the C library counts them from the century before. */
static int64_t year_of_century(const struct writer *w, int64_t year)
{
    int64_t rest = year % 100;
    return rest >= 0 ? rest : w->libc ? rest + 100 : -rest;
}

/* The directives that are numbers; false when c is none of them. */
static bool number_directive(struct writer *w, const struct spec *f, char c)
{
    const struct wk_tm *tm = w->tm;
    int week;
    switch (c) {
    case 'C': /* the century before the year 1 is -0, but in the C library */
        if (w->libc)
            put_number(w, f, floor_div(tm->year, 100), 2, '0', true);
        else
            put_signed_number(w, f, tm->year / 100, tm->year < 0, 2, '0', true);
        return true;
    case 'd':
        put_number(w, f, tm->mday, 2, '0', false);
        return true;
    case 'e':
        put_number(w, f, tm->mday, 2, '_', false);
        return true;
    case 'g':
        put_number(w, f, year_of_century(w, iso_week(tm, &week)), 2, '0', true);
        return true;
    case 'G':
        put_number(w, f, iso_week(tm, &week), 4, '0', true);
        return true;
    case 'H':
    case 'k':
        put_number(w, f, tm->hour, 2, c == 'H' ? '0' : '_', false);
        return true;
    case 'I':
    case 'l':
        put_number(w, f, hour12(tm), 2, c == 'I' ? '0' : '_', false);
        return true;
    case 'j':
        put_number(w, f, tm->yday + 1, 3, '0', false);
        return true;
    case 'm':
        put_number(w, f, tm->mon, 2, '0', false);
        return true;
    case 'M':
        put_number(w, f, tm->min, 2, '0', false);
        return true;
    case 'q':
        put_number(w, f, (tm->mon - 1) / 3 + 1, 1, '0', false);
        return true;
    case 's':
        put_number(w, f, epoch(tm), 1, '0', false);
        return true;
    case 'S':
        put_number(w, f, tm->sec, 2, '0', false);
        return true;
    case 'u':
        put_number(w, f, (tm->wday + 6) % 7 + 1, 1, '0', false);
        return true;
    case 'U':
        put_number(w, f, (tm->yday - tm->wday + 7) / 7, 2, '0', false);
        return true;
    case 'V':
        iso_week(tm, &week);
        put_number(w, f, week, 2, '0', false);
        return true;
    case 'w':
        put_number(w, f, tm->wday, 1, '0', false);
        return true;
    case 'W':
        put_number(w, f, (tm->yday - (tm->wday + 6) % 7 + 7) / 7, 2, '0', false);
        return true;
    case 'y':
        put_number(w, f, year_of_century(w, tm->year), 2, '0', true);
        return true;
    case 'Y':
        put_number(w, f, tm->year, 4, '0', true);
        return true;
    default:
        return false;
    }
}

static void put_short(struct writer *w, struct spec *f, const char *name)
{
    char text[4] = {name[0], name[1], name[2], '\0'};
    put_text(w, f, text, f->upper || f->swap);
}

/* %F: the year takes what the width leaves. */
static void put_iso_date(struct writer *w, const struct spec *f)
{
    struct spec year = *f;
    year.width = f->width > 6 ? f->width - 6 : f->width >= 0 || f->pad ? 0 : NO_WIDTH;
    if (!year.pad && f->width < 0)
        year.pad = '+';
    put_number(w, &year, w->tm->year, 4, '0', true);
    write_format(w, WK_STR("-%m-%d"));
}

/* The directives that are text; false when c is none. */
static bool text_directive(struct writer *w, struct spec *f, char c)
{
    static const struct {
        char c;
        const char *format;
    } formats[] = {{'c', "%a %b %e %H:%M:%S %Y"}, {'D', "%m/%d/%y"}, {'r', "%I:%M:%S %p"},
                   {'R', "%H:%M"},                {'T', "%H:%M:%S"}, {'x', "%m/%d/%y"},
                   {'X', "%H:%M:%S"}};
    const struct wk_tm *tm = w->tm;
    for (size_t k = 0; k < WK_COUNTOF(formats); k++)
        if (formats[k].c == c) {
            put_format(w, f, formats[k].format, c == 'c' ? '-' : c == 'D' ? f->pad : '\0', w->libc || c == 'x');
            return true;
        }
    switch (c) {
    case 'a':
        put_short(w, f, days[(unsigned)tm->wday % 7]);
        return true;
    case 'A':
        put_text(w, f, days[(unsigned)tm->wday % 7], f->upper || f->swap);
        return true;
    case 'b':
    case 'h':
        put_short(w, f, months[(unsigned)(tm->mon - 1) % 12]);
        return true;
    case 'B':
        put_text(w, f, months[(unsigned)(tm->mon - 1) % 12], f->upper || f->swap);
        return true;
    case 'F':
        put_iso_date(w, f);
        return true;
    case 'n':
        put_text(w, f, "\n", false);
        return true;
    case 't':
        put_text(w, f, "\t", false);
        return true;
    case 'N':
        put_nanoseconds(w, f);
        return true;
    case 'p':
        put_text(w, f, f->swap ? (tm->hour >= 12 ? "pm" : "am") : tm->hour >= 12 ? "PM" : "AM",
                 false);
        return true;
    case 'P':
        put_text(w, f, tm->hour >= 12 ? "pm" : "am", false);
        return true;
    case 'z':
        if (f->colons)
            put_zone(w, f);
        else
            put_plain_zone(w, f);
        return true;
    case 'Z': {
        size_t from = w->b->n;
        for (const char *z = tm->zone; *z; z++)
            wk_buf_putc(w->b, f->swap ? (char)wk_to_lower(*z)
                              : f->upper ? (char)wk_to_upper(*z)
                                         : *z);
        pad_text(w->b, from, f);
        return true;
    }
    default:
        return false;
    }
}

/* What is no directive is copied, s[0..n) after its '%', and padded like one. */
static size_t bad_directive(struct writer *w, const struct spec *f, struct wk_str s, size_t n)
{
    size_t from = w->b->n;
    wk_buf_putc(w->b, '%');
    for (size_t i = 0; i < n; i++)
        wk_buf_putc(w->b, f->upper ? (char)wk_to_upper(s.p[i]) : s.p[i]);
    pad_text(w->b, from, f);
    return n;
}

/* Flags, width, a modifier and colons; how many bytes they take. */
static size_t read_spec(struct wk_str s, struct spec *f, char *modifier)
{
    size_t i = 0;
    for (; i < s.n && s.p[i] && strchr(f->libc ? "-_0^#" : "-_0+^#", s.p[i]); i++) {
        if (s.p[i] == '^')
            f->upper = true;
        else if (s.p[i] == '#')
            f->swap = true;
        else
            f->pad = s.p[i];
    }
    for (; i < s.n && wk_is_digit(s.p[i]); i++)
        f->width = WK_MIN((f->width < 0 ? 0 : f->width) * 10 + (s.p[i] - '0'), MOST_WIDTH);
    if (i < s.n && (s.p[i] == 'E' || s.p[i] == 'O'))
        *modifier = s.p[i++];
    for (; i < s.n && s.p[i] == ':' && !f->libc; i++)
        f->colons++;
    return i;
}

/* With a modifier GNU date leaves a number to the C library, which knows no flags, and pads what that
 * printed as a text. False when c with the modifier is no such number. */
static bool put_plain(struct writer *w, const struct spec *f, char modifier, char c)
{
    struct spec bare = {.pad = strchr("CGY", c) ? '-' : '\0', .width = NO_WIDTH};
    struct writer plain = {w->b, w->tm, '\0', true};
    size_t from = w->b->n;
    if (modifier == 'E' ? !strchr("CyY", c) : c == 's' || (c == 'z' && offset_sign(w->tm) == '-'))
        return false;
    if (c == 'z')
        put_plain_zone(&plain, &bare);
    else if (!number_directive(&plain, &bare, c))
        return false;
    pad_text(w->b, from, f);
    return true;
}

/* One directive; s begins after its '%'. The bytes used. */
static size_t directive(struct writer *w, struct wk_str s)
{
    static const char with_e[] = "cCnpPqrRstTuxXyYzZ", with_o[] = "bBCdegGhHIjklmMnNpPrRsStTuUVwWyzZ";
    struct spec f = {.width = NO_WIDTH, .libc = w->libc};
    char modifier = '\0';
    size_t i = read_spec(s, &f, &modifier);
    char c = i < s.n ? s.p[i] : '\0';
    if (f.colons && (c != 'z' || f.colons > 3)) /* the first colon ends it, unless a z follows them */
        return bad_directive(w, &f, s, c == 'z' ? i + 1 : i - f.colons + 1);
    if (c == '%' && (i == 0 || w->libc)) {
        put_text(w, &f, "%", false);
        return i + 1;
    }
    if (w->libc && c && strchr("qN", c))
        return bad_directive(w, &f, s, i + 1);
    if (!c || c == '%') /* which may begin another */
        return bad_directive(w, &f, s, i);
    if (modifier && !strchr(modifier == 'E' ? with_e : with_o, c))
        return bad_directive(w, &f, s, i + 1);
    if (modifier && !w->libc && put_plain(w, &f, modifier, c))
        return i + 1;
    if (!f.pad && strchr("CgGyY", c))
        f.pad = w->pad;
    if (number_directive(w, &f, c) || text_directive(w, &f, c))
        return i + 1;
    return bad_directive(w, &f, s, i + 1);
}

static bool write_format(struct writer *w, struct wk_str format)
{
    struct wk_buf *b = w->b;
    for (size_t i = 0; i < format.n && !b->failed;) {
        const char *mark = memchr(format.p + i, '%', format.n - i);
        size_t plain = mark ? (size_t)(mark - format.p) - i : format.n - i;
        wk_buf_put(b, format.p + i, plain);
        i += plain;
        if (i >= format.n)
            break;
        i++;
        i += directive(w, wk_str_from(format, i));
    }
    return !b->failed;
}

bool wk_strftime(struct wk_buf *b, struct wk_str format, const struct wk_tm *tm)
{
    struct writer w = {.b = b, .tm = tm};
    return write_format(&w, format);
}

bool wk_strftime_libc(struct wk_buf *b, struct wk_str format, const struct wk_tm *tm)
{
    struct writer w = {.b = b, .tm = tm, .libc = true};
    return write_format(&w, format);
}
