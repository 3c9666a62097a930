/* zone.c - time zones: TZif data, and local time to instant and back */
#include "text/date/zone_priv.h"

static const struct wk_tz utc = {.rule = {.any = true, .std = {.abbr = "UTC"}}};

const struct wk_tz *wk_tz_utc(void)
{
    return &utc;
}

void wk_tz_free(struct wk_tz *tz)
{
    if (!tz || !tz->mem)
        return;
    struct wk_mem *m = tz->mem;
    wk_free(m, tz->times);
    wk_free(m, tz->which);
    wk_free(m, tz->types);
    wk_free(m, tz);
}

static struct wk_tz *new_tz(struct wk_mem *m)
{
    struct wk_tz *tz = WK_NEW(m, struct wk_tz);
    if (tz)
        tz->mem = m;
    return tz;
}

/* Makes a zone that of a rule which has names and offsets but no changes, as glibc does: a change to daylight time moves by
 * how far the standard times are apart, one from it by the rule's own offset. */
static void follow(struct wk_tz *tz, const struct wk_tz_rule *rule)
{
    int32_t standard = 0;
    bool dst = false;
    for (size_t k = 0; k < tz->ntimes; k++)
        if (!tz->types[tz->which[k]].dst)
            standard = tz->types[tz->which[k]].gmtoff;
    for (size_t k = 0; k < tz->ntimes; k++) {
        const struct wk_tz_type *t = &tz->types[tz->which[k]];
        if (!t->universal)
            tz->times[k] += dst ? rule->dst.gmtoff : rule->std.gmtoff - standard;
        dst = t->dst;
        tz->which[k] = dst;
    }
    if (tz->ntypes >= 2) {
        tz->types[0] = rule->std;
        tz->types[1] = rule->dst;
        tz->ntypes = 2;
    }
}

int wk_tz_posix(struct wk_mem *m, struct wk_str text, struct wk_tz **out)
{
    *out = NULL;
    if (text.n && text.p[0] == ':')
        text = wk_str_from(text, 1);
    if (text.n == 0)
        text = WK_STR("UTC0");
    struct wk_str block;
    if (wk_tz_find(text, &block)) {
        int err = wk_tz_block(m, block, out);
        if (err != -WK_EINVAL)
            return err;
    }
    struct wk_tz *tz = new_tz(m);
    if (!tz)
        return -WK_ENOMEM;
    *out = tz;
    if (wk_tz_read_rule(text, &tz->rule) == WK_TZ_REST_OF_RULE ||
        !wk_tz_find(WK_STR("posixrules"), &block))
        return 0;
    struct wk_tz_rule rule = tz->rule;
    wk_tz_free(tz);
    int err = wk_tz_block(m, block, out);
    if (!err)
        follow(*out, &rule);
    return err;
}

/* ---- TZif ---- */

static int64_t big_endian(const char *p, size_t n)
{
    uint64_t v = (unsigned char)p[0] & 0x80 ? ~(uint64_t)0 : 0;
    for (size_t i = 0; i < n; i++)
        v = v << 8 | (unsigned char)p[i];
    return (int64_t)v;
}

enum { HEADER = 44, MOST = 100000 };

struct counts {
    size_t isut, isstd, leap, time, type, chars;
    size_t bytes; /* of the data block */
};

static bool read_header(struct wk_str s, size_t at, size_t width, struct counts *c)
{
    if (s.n < HEADER || at > s.n - HEADER || memcmp(s.p + at, "TZif", 4) != 0)
        return false;
    size_t v[6];
    for (size_t k = 0; k < 6; k++) {
        int64_t n = big_endian(s.p + at + 20 + 4 * k, 4);
        if (n < 0 || n > MOST)
            return false;
        v[k] = (size_t)n;
    }
    *c = (struct counts){v[0], v[1], v[2], v[3], v[4], v[5], 0};
    c->bytes = c->time * (width + 1) + c->type * 6 + c->chars + c->leap * (width + 4) + c->isstd +
               c->isut;
    return c->type >= 1 && c->type <= 256 && c->bytes <= s.n - HEADER - at;
}

static bool read_block(struct wk_tz *tz, const char *p, size_t width, const struct counts *c)
{
    const char *which = p + c->time * width, *types = which + c->time;
    const char *chars = types + c->type * 6, *universal = chars + c->chars + c->leap * (width + 4) + c->isstd;
    tz->ntimes = c->time;
    tz->ntypes = c->type;
    for (size_t k = 0; k < c->time; k++) {
        tz->times[k] = big_endian(p + k * width, width);
        tz->which[k] = (uint8_t)which[k];
        if (tz->which[k] >= c->type || (k && tz->times[k] <= tz->times[k - 1]))
            return false;
    }
    for (size_t k = 0; k < c->type; k++) {
        int64_t off = big_endian(types + k * 6, 4);
        size_t name = (unsigned char)types[k * 6 + 5], n = 0;
        if (off < -172800 || off > 172800 || name >= c->chars)
            return false;
        tz->types[k].gmtoff = (int32_t)off;
        tz->types[k].dst = types[k * 6 + 4] != 0;
        tz->types[k].universal = k < c->isut && universal[k] != 0;
        for (; n < WK_TZ_ABBR - 1 && name + n < c->chars && chars[name + n]; n++)
            tz->types[k].abbr[n] = chars[name + n];
    }
    return true;
}

/* The block at `at` with times of `width` bytes, and the rule behind it. */
static int read_zone(struct wk_mem *m, struct wk_str bytes, size_t at, size_t width, struct wk_tz **out)
{
    struct counts c;
    *out = NULL;
    if (!read_header(bytes, at, width, &c))
        return -WK_EINVAL;
    struct wk_tz *tz = new_tz(m);
    if (!tz)
        return -WK_ENOMEM;
    tz->times = wk_calloc(m, c.time + 1, sizeof *tz->times);
    tz->which = wk_calloc(m, c.time + 1, sizeof *tz->which);
    tz->types = wk_calloc(m, c.type, sizeof *tz->types);
    if (!tz->times || !tz->which || !tz->types) {
        wk_tz_free(tz);
        return -WK_ENOMEM;
    }
    if (!read_block(tz, bytes.p + at + HEADER, width, &c)) {
        wk_tz_free(tz);
        return -WK_EINVAL;
    }
    struct wk_str rest = wk_str_from(bytes, at + HEADER + c.bytes);
    if (width == 8 && rest.n > 2 && rest.p[0] == '\n') {
        rest = wk_str_from(rest, 1);
        ptrdiff_t end = wk_str_chr(rest, '\n');
        struct wk_tz_rule rule;
        if (end > 0) {
            (void)wk_tz_read_rule(wk_str_take(rest, (size_t)end), &rule);
            tz->rule = rule;
        }
    }
    *out = tz;
    return 0;
}

int wk_tz_file(struct wk_mem *m, struct wk_str bytes, struct wk_tz **out)
{
    struct counts c;
    *out = NULL;
    if (!read_header(bytes, 0, 4, &c))
        return -WK_EINVAL;
    if (bytes.p[4] < '2')
        return read_zone(m, bytes, 0, 4, out);
    return read_zone(m, bytes, HEADER + c.bytes, 8, out); /* a second block with 64-bit times follows */
}

int wk_tz_block(struct wk_mem *m, struct wk_str bytes, struct wk_tz **out)
{
    return read_zone(m, bytes, 0, 8, out);
}

/* ---- local time ---- */

static const int64_t LONGEST = (int64_t)1 << 60; /* seconds; years stay below 4 * 10^10 */

/* By a rule alone the C library wants a year that is an int in UTC, too. */
static bool fits_in_utc(int64_t sec)
{
    struct wk_tm tm = {.year = 0};
    wk_civil_from_days(sec / 86400 - (sec % 86400 < 0), &tm.year, &tm.mon, &tm.mday);
    return wk_tm_fits(&tm);
}

bool wk_tz_local(const struct wk_tz *tz, struct wk_instant t, struct wk_tm *out)
{
    if (t.sec > LONGEST || t.sec < -LONGEST || (tz->ntimes == 0 && !fits_in_utc(t.sec)))
        return false;
    const struct wk_tz_type *type = wk_tz_type_at(tz, t.sec);
    int64_t local = t.sec + type->gmtoff;
    int64_t days = local / 86400 - (local % 86400 < 0), sec = local - days * 86400;
    *out = (struct wk_tm){.nsec = t.nsec, .gmtoff = type->gmtoff, .dst = type->dst};
    wk_civil_from_days(days, &out->year, &out->mon, &out->mday);
    out->hour = (int)(sec / 3600);
    out->min = (int)(sec / 60 % 60);
    out->sec = (int)(sec % 60);
    out->wday = (int)(((days + 4) % 7 + 7) % 7);
    out->yday = (int)(days - wk_days_from_civil(out->year, 1, 1));
    memcpy(out->zone, type->abbr, sizeof out->zone);
    return true;
}

/* The local time as if it were UTC, fields carried. */
static bool flat_seconds(const struct wk_tm *tm, int64_t *out)
{
    int64_t year = tm->year, mon = (int64_t)tm->mon - 1;
    const int64_t most = 30000000000;
    if (year > most || year < -most)
        return false;
    year += mon / 12 - (mon % 12 < 0);
    mon = (mon % 12 + 12) % 12;
    int64_t days = wk_days_from_civil(year, (int)mon + 1, 1) + (int64_t)tm->mday - 1;
    *out = days * 86400 + (int64_t)tm->hour * 3600 + (int64_t)tm->min * 60 + tm->sec;
    return *out <= LONGEST && *out >= -LONGEST;
}

/* The instant by a time around t at which daylight time is as asked for; an hour off when there is none. */
static int64_t other_offset(const struct wk_tz *tz, int64_t flat, int64_t t, bool dst)
{
    enum { STRIDE = 601200, FAR = 457243209 / 2 + STRIDE };
    for (int64_t delta = STRIDE; delta < FAR; delta += STRIDE)
        for (int sign = -1; sign <= 1; sign += 2) {
            const struct wk_tz_type *at = wk_tz_type_at(tz, t + delta * sign);
            if (at->dst == dst)
                return flat - at->gmtoff;
        }
    return t + (dst ? -3600 : 3600);
}

/* The C library's way: from a guess towards an instant that shows the fields; where it goes to and fro, they are in a gap. */
bool wk_tz_mktime(const struct wk_tz *tz, struct wk_tm *tm, int isdst, int64_t *guess, struct wk_instant *out)
{
    struct wk_tm asked = *tm, got;
    int64_t flat;
    int probes = 6;
    bool dst2 = false;
    asked.sec = WK_MAX(0, WK_MIN(asked.sec, 59));
    if (!flat_seconds(&asked, &flat))
        return false;
    int64_t t = flat + *guess, t1 = t, t2 = t;
    for (;;) {
        const struct wk_tz_type *at = wk_tz_type_at(tz, t);
        int64_t next = flat - at->gmtoff;
        if (next == t) {
            if (isdst >= 0 && at->dst != (isdst > 0))
                t = other_offset(tz, flat, t, isdst > 0);
            break;
        }
        if (t == t1 && t != t2 && (isdst < 0 ? dst2 <= at->dst : (isdst > 0) != at->dst))
            break;
        if (--probes == 0)
            return false;
        t1 = t2;
        t2 = t;
        t = next;
        dst2 = at->dst;
    }
    int64_t offset = t - flat;
    t += tm->sec - asked.sec;
    *out = (struct wk_instant){t, tm->nsec};
    if (!wk_tz_local(tz, *out, &got) || !wk_tm_fits(&got))
        return false;
    *guess = offset;
    *tm = got;
    return true;
}

bool wk_tz_instant(const struct wk_tz *tz, const struct wk_tm *tm, int isdst, struct wk_instant *out)
{
    struct wk_tm copy = *tm;
    int64_t guess = 0;
    return wk_tz_mktime(tz, &copy, isdst, &guess, out);
}
