/* awk_builtin.c - awk's functions
 *
 * Standard: POSIX awk, gawk 5.2. Oracle: gawk.
 */
#include "builtins/awk_cells.h"

#include "base/fnum.h"
#include "base/num.h"
#include "base/utf8.h"
#include "builtins/regex.h"
#include "builtins/zone.h"
#include "text/date/date.h"

#include <math.h>

const struct awk_builtin_info wk_awk_builtins[AWK_FUNCTIONS] = {
    [AWK_F_LENGTH] = {"length", 0, 1, 0, 0, false},
    [AWK_F_SUBSTR] = {"substr", 2, 3, 0, 0, false},
    [AWK_F_INDEX] = {"index", 2, 2, 0, 0, false},
    [AWK_F_SPLIT] = {"split", 2, 4, 2 | 8, 4, false},
    [AWK_F_SUB] = {"sub", 2, 3, 0, 1, false},
    [AWK_F_GSUB] = {"gsub", 2, 3, 0, 1, false},
    [AWK_F_GENSUB] = {"gensub", 3, 4, 0, 1, true},
    [AWK_F_MATCH] = {"match", 2, 3, 4, 2, false},
    [AWK_F_SPRINTF] = {"sprintf", 1, 255, 0, 0, false},
    [AWK_F_SIN] = {"sin", 1, 1, 0, 0, false},
    [AWK_F_COS] = {"cos", 1, 1, 0, 0, false},
    [AWK_F_ATAN2] = {"atan2", 2, 2, 0, 0, false},
    [AWK_F_EXP] = {"exp", 1, 1, 0, 0, false},
    [AWK_F_LOG] = {"log", 1, 1, 0, 0, false},
    [AWK_F_SQRT] = {"sqrt", 1, 1, 0, 0, false},
    [AWK_F_INT] = {"int", 1, 1, 0, 0, false},
    [AWK_F_RAND] = {"rand", 0, 0, 0, 0, false},
    [AWK_F_SRAND] = {"srand", 0, 1, 0, 0, false},
    [AWK_F_TOLOWER] = {"tolower", 1, 1, 0, 0, false},
    [AWK_F_TOUPPER] = {"toupper", 1, 1, 0, 0, false},
    [AWK_F_CLOSE] = {"close", 1, 2, 0, 0, false},
    [AWK_F_SYSTEM] = {"system", 1, 1, 0, 0, false},
    [AWK_F_FFLUSH] = {"fflush", 0, 1, 0, 0, false},
    [AWK_F_SYSTIME] = {"systime", 0, 0, 0, 0, true},
    [AWK_F_STRFTIME] = {"strftime", 0, 3, 0, 0, true},
    [AWK_F_MKTIME] = {"mktime", 1, 2, 0, 0, true},
    [AWK_F_ASORT] = {"asort", 1, 3, 1 | 2, 0, true},
    [AWK_F_ASORTI] = {"asorti", 1, 3, 1 | 2, 0, true},
    [AWK_F_PATSPLIT] = {"patsplit", 2, 4, 2 | 8, 4, true},
    [AWK_F_STRTONUM] = {"strtonum", 1, 1, 0, 0, true},
    [AWK_F_AND] = {"and", 2, 255, 0, 0, true},
    [AWK_F_OR] = {"or", 2, 255, 0, 0, true},
    [AWK_F_XOR] = {"xor", 2, 255, 0, 0, true},
    [AWK_F_LSHIFT] = {"lshift", 2, 2, 0, 0, true},
    [AWK_F_RSHIFT] = {"rshift", 2, 2, 0, 0, true},
    [AWK_F_COMPL] = {"compl", 1, 1, 0, 0, true},
    [AWK_F_TYPEOF] = {"typeof", 1, 1, 0, 0, true},
    [AWK_F_ISARRAY] = {"isarray", 1, 1, 0, 0, true},
    [AWK_F_MKBOOL] = {"mkbool", 1, 1, 0, 0, true},
    [AWK_F_DCGETTEXT] = {"dcgettext", 1, 3, 0, 0, true},
    [AWK_F_DCNGETTEXT] = {"dcngettext", 3, 5, 0, 0, true},
    [AWK_F_BINDTEXTDOMAIN] = {"bindtextdomain", 1, 2, 0, 0, true},
};

static struct awk_str *text_of(struct awk *a, struct awk_val *v)
{
    return awk_to_str(a, v);
}

static struct awk_re *regex_of(struct awk *a, struct awk_val *v)
{
    return v->type == AWK_PATTERN ? a->regexes[v->slot]
                                  : wk_awk_regex(a, awk_slice(awk_to_str(a, v)));
}

/* ---- characters ---- */

/* How many bytes at the start are characters of one byte, in steps of eight but at the end. */
static size_t ascii_prefix(struct wk_str s)
{
    size_t i = 0;
    for (; s.n - i >= 8; i += 8) {
        uint64_t eight;
        memcpy(&eight, s.p + i, 8);
        if (eight & UINT64_C(0x8080808080808080))
            return i;
    }
    while (i < s.n && (unsigned char)s.p[i] < 0x80)
        i++;
    return i;
}

/* How many; every byte counts where text is not UTF-8. */
static size_t count_chars(struct awk *a, struct awk_str *s)
{
    struct wk_str text = awk_slice(s);
    if (!a->utf8)
        return s->n;
    if (s->chars)
        return s->chars - 1;
    size_t n = ascii_prefix(text);
    uint32_t ch;
    for (size_t i = n; i < s->n; n++) {
        i += wk_utf8_next(s->p + i, s->n - i, &ch);
        if (wk_utf8_is_bad(ch) && !a->warned_bytes) {
            a->warned_bytes = true;
            wk_awk_warning(a, "Invalid multibyte data detected. There may be a mismatch between your data and "
                              "your locale");
        }
    }
    if (n < AWK_FRESH_KEY - 1)
        s->chars = (uint32_t)n + 1;
    wk_tick(a->c, (uint32_t)(s->n / 64) + 1);
    return n;
}

/* The byte at which character number n begins (from 0), at most the end. */
static size_t byte_of(struct awk *a, struct awk_str *s, size_t n)
{
    uint32_t ch;
    if (!a->utf8 || count_chars(a, s) == s->n)
        return WK_MIN(n, s->n);
    size_t i = 0;
    for (; n && i < s->n; n--)
        i += wk_utf8_next(s->p + i, s->n - i, &ch);
    return i;
}

static size_t char_of(struct awk *a, struct awk_str *s, size_t byte)
{
    uint32_t ch;
    size_t n = 0;
    if (!a->utf8 || count_chars(a, s) == s->n)
        return byte;
    for (size_t i = 0; i < byte; n++)
        i += wk_utf8_next(s->p + i, s->n - i, &ch);
    return n;
}

/* Of `chars` characters those from `from`, `length` of them: how many there are, and at what place (from 0). */
static size_t part_of(double chars, double from, double length, size_t *at)
{
    if (!(length >= 1) || from >= chars + 1)
        return 0;
    *at = !(from >= 1) ? 0 : (size_t)from - 1; /* the length stays */
    double left = chars - (double)*at;
    return left < 1 ? 0 : (size_t)WK_MIN(length, left);
}

/* With U+FFFD where bytes are no character. */
static struct awk_val whole_characters(struct awk *a, struct wk_str s)
{
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(a->c->heap), SIZE_MAX / 2);
    for (size_t i = 0, n; i < s.n; i += n) {
        uint32_t ch;
        n = wk_utf8_next(s.p + i, s.n - i, &ch);
        if (wk_utf8_is_bad(ch))
            wk_buf_put_c(&b, "\xef\xbf\xbd");
        else
            wk_buf_put(&b, s.p + i, n);
    }
    return awk_string(wk_awk_str_take(a, &b));
}

static struct awk_val f_substr(struct awk *a, struct awk_val *v, size_t n)
{
    struct awk_str *s = text_of(a, v);
    double from = awk_to_num(a, &v[1]), length = n > 2 ? awk_to_num(a, &v[2]) : (double)INFINITY;
    if (!(length >= 1))
        return awk_string(awk_str_ref(a->empty));
    double chars = (double)count_chars(a, s);
    size_t at = 0, k = part_of(chars, from, length, &at);
    if (a->utf8 && chars != (double)s->n) {
        size_t end = byte_of(a, s, at + k);
        at = byte_of(a, s, at);
        k = end - at;
        if (a->warned_bytes)
            return whole_characters(a, wk_str(s->p + at, k));
    }
    return awk_string(wk_awk_str_part(a, s, at, k));
}

/* Whether s begins with t, in any case. */
static bool starts_alike(struct awk *a, struct wk_str s, struct wk_str t)
{
    while (t.n && s.n) {
        uint32_t x = (unsigned char)s.p[0], y = (unsigned char)t.p[0];
        size_t i = a->utf8 ? wk_utf8_next(s.p, s.n, &x) : 1, k = a->utf8 ? wk_utf8_next(t.p, t.n, &y) : 1;
        if (x != y && awk_fold(a, x) != awk_fold(a, y))
            return false;
        s = wk_str_from(s, i);
        t = wk_str_from(t, k);
        wk_tick(a->c, 1);
    }
    return !t.n;
}

static struct awk_val f_index(struct awk *a, struct awk_val *v)
{
    struct awk_str *s = text_of(a, v), *t = text_of(a, &v[1]);
    wk_tick(a->c, (uint32_t)(s->n / 64) + 1);
    if (t->n == 0)
        return awk_num(1);
    (void)count_chars(a, s);
    (void)count_chars(a, t);
    for (size_t i = 0; a->icase && i < s->n;) {
        uint32_t ch;
        if (starts_alike(a, wk_str_from(awk_slice(s), i), awk_slice(t)))
            return awk_num((double)char_of(a, s, i) + 1);
        i += a->utf8 ? wk_utf8_next(s->p + i, s->n - i, &ch) : 1;
        wk_tick(a->c, 1);
    }
    for (size_t from = 0; !a->icase && from + t->n <= s->n;) {
        ptrdiff_t at = wk_str_find(wk_str_from(awk_slice(s), from), awk_slice(t));
        if (at < 0)
            break;
        at += (ptrdiff_t)from;
        double n = (double)char_of(a, s, (size_t)at);
        if (!a->utf8 || (s->p[at] & 0xc0) != 0x80 || byte_of(a, s, (size_t)n) == (size_t)at)
            return awk_num(n + 1);
        from = (size_t)at + 1; /* in the midst of a character */
    }
    return awk_num(0);
}

typedef uint8_t lanes __attribute__((vector_size(16)));

/* Letters from `first` on (a or A) get the other case, sixteen bytes at a time. */
static void turn_case(char *to, const char *from, size_t n, char first)
{
    size_t i = 0;
    lanes low, letters, bit;
    memset(&low, first, sizeof low);
    memset(&letters, 26, sizeof letters);
    memset(&bit, 32, sizeof bit);
    for (; n - i >= sizeof low; i += sizeof low) {
        lanes x;
        memcpy(&x, from + i, sizeof x);
        x ^= (lanes)((x - low) < letters) & bit;
        memcpy(to + i, &x, sizeof x);
    }
    for (; i < n; i++)
        to[i] = (char)(from[i] ^ ((unsigned char)(from[i] - first) < 26 ? 32 : 0));
}

static struct awk_val change_case(struct awk *a, struct awk_val *v, bool upper)
{
    struct awk_str *s = text_of(a, v);
    bool ascii = !a->utf8 || ascii_prefix(awk_slice(s)) == s->n;
    wk_tick(a->c, (uint32_t)(s->n / 32) + 1);
    if (ascii || !a->utf8) {
        struct awk_str *t = wk_awk_str_new(a, s->n);
        turn_case(awk_str_bytes(t), s->p, s->n, upper ? 'a' : 'A');
        return awk_string(t);
    }
    struct wk_buf b;
    (void)count_chars(a, s);
    wk_buf_init(&b, wk_heap_mem(a->c->heap), SIZE_MAX / 2);
    for (size_t i = 0; i < s->n;) {
        uint32_t ch;
        char t[6];
        size_t n = wk_utf8_next(s->p + i, s->n - i, &ch);
        if (wk_utf8_is_bad(ch))
            wk_buf_put_c(&b, "\xef\xbf\xbd");
        else
            wk_buf_put(&b, t, wk_utf8_put(t, upper ? wk_utf8_upper(ch) : wk_utf8_lower(ch)));
        i += n;
    }
    return awk_string(wk_awk_str_take(a, &b));
}

/* ---- matching and replacing ---- */

static struct awk_val f_match(struct awk *a, struct awk_val *v, size_t n)
{
    enum { GROUPS = 64 };
    struct awk_str *s = text_of(a, v);
    struct awk_re *re = regex_of(a, &v[1]);
    struct wk_re_span m[GROUPS];
    size_t groups = n > 2 ? WK_MIN(wk_re_groups(re->re) + 1, (size_t)GROUPS) : 1;
    bool found = wk_awk_find(a, re, awk_slice(s), 0, false, m, groups);
    double start = 0, length = -1;
    if (found) {
        (void)count_chars(a, s);
        start = (double)char_of(a, s, (size_t)m[0].start) + 1;
        length = (double)char_of(a, s, (size_t)m[0].end) + 1 - start;
    }
    wk_awk_set_global(a, AWK_RSTART, awk_num(start));
    wk_awk_set_global(a, AWK_RLENGTH, awk_num(length));
    if (n <= 2)
        return awk_num(start);
    struct awk_array *t = wk_awk_array_of(a, &v[2]);
    wk_awk_array_clear(a, t);
    for (size_t i = 0; found && i < groups; i++) {
        if (m[i].start < 0)
            continue;
        double at = (double)char_of(a, s, (size_t)m[i].start) + 1;
        const char *const what[] = {"start", "length"};
        double is[] = {at, (double)char_of(a, s, (size_t)m[i].end) + 1 - at};
        wk_awk_array_set_at(
            a, t, (int64_t)i,
            awk_input(wk_awk_str_of(a, s->p + m[i].start, (size_t)(m[i].end - m[i].start))));
        for (size_t k = 0; k < 2; k++) {
            char key[64];
            struct wk_buf b;
            wk_buf_init(&b, wk_heap_mem(a->c->heap), sizeof key);
            wk_buf_put_u64(&b, i);
            wk_buf_puts(&b, a->subsep);
            wk_buf_put_c(&b, what[k]);
            struct awk_str *name = wk_awk_str_take(a, &b);
            wk_awk_array_set(a, t, name, awk_num(is[k]));
            awk_str_unref(a, name);
        }
    }
    return awk_num(start);
}

/* Backslashes at s.p[i], and what they stand in front of: the bytes used. *group: what was found, and for gensub one
 * of its groups, comes behind what was put; -1: nothing does. */
static size_t put_backslashes(struct wk_buf *b, struct wk_str s, size_t i, bool numbered, int *group)
{
    size_t n = 1;
    *group = -1;
    if (numbered) {
        char next = i + 1 < s.n ? s.p[i + 1] : 0;
        if (i + 1 >= s.n)
            wk_buf_putc(b, '\\');
        else if (wk_is_digit(next))
            *group = next - '0';
        else
            wk_buf_putc(b, next);
        return 2;
    }
    while (i + n < s.n && s.p[i + n] == '\\')
        n++;
    bool ends = i + n < s.n && s.p[i + n] == '&'; /* then two of them are one, and one makes & itself */
    for (size_t k = ends ? n / 2 : n / 4 * 2 + n % 4; k > 0; k--) /* else four of them are two */
        wk_buf_putc(b, '\\');
    if (ends && n % 2)
        wk_buf_putc(b, '&');
    else if (ends)
        *group = 0;
    return n + ends;
}

/* The replacement: & and, for gensub, \1 … are what was found. */
static void put_replacement(struct wk_buf *b, struct awk_str *with, struct awk_str *in,
                            const struct wk_re_span *m, size_t groups, bool numbered)
{
    struct wk_str s = awk_slice(with);
    for (size_t i = 0; i < s.n;) {
        int group = -1;
        if (s.p[i] == '\\') {
            i += put_backslashes(b, s, i, numbered, &group);
        } else {
            group = s.p[i] == '&' ? 0 : -1;
            if (group < 0)
                wk_buf_putc(b, s.p[i]);
            i++;
        }
        if (group >= 0 && (size_t)group < groups && m[group].start >= 0)
            wk_buf_put(b, in->p + m[group].start, (size_t)(m[group].end - m[group].start));
    }
}

struct awk_str *wk_awk_replace(struct awk *a, struct awk_re *re, struct awk_str *with,
                               struct awk_str *in, int64_t which, bool groups, double *times)
{
    struct wk_re_span m[10];
    struct wk_str s = awk_slice(in);
    size_t n = groups ? 10 : 1, at = 0, done = 0;
    int64_t seen = 0;
    bool plain = !memchr(with->p, '\\', with->n) && !memchr(with->p, '&', with->n),
         after_match = false;
    struct wk_re_run run = wk_cmd_re_run(a->c);
    run.same = true;
    *times = 0;
    if (!wk_awk_find_on(a, re, &run, s, 0, m, n))
        return awk_str_ref(in);
    struct awk_str *held = awk_str_ref(in), *kept = awk_str_ref(with);
    struct wk_buf *out = wk_awk_buffer(a);
    wk_buf_reset(out);
    do {
        size_t start = (size_t)m[0].start, end = (size_t)m[0].end;
        if (start == end && after_match &&
            start == done) { /* an empty match right behind one is none */
            uint32_t ch;
            if (start >= s.n)
                break;
            at = start + (a->utf8 ? wk_utf8_next(s.p + start, s.n - start, &ch) : 1);
            after_match = false;
            continue;
        }
        seen++;
        if (which == 0 || seen == which) {
            wk_buf_put(out, s.p + done, start - done);
            if (plain)
                wk_buf_puts(out, awk_slice(with));
            else
                put_replacement(out, with, in, m, n, groups);
            done = end;
            ++*times;
            after_match = true;
            if (which)
                break;
        }
        at = end;
        if (start == end) {
            uint32_t ch;
            if (end >= s.n)
                break;
            at = end + (a->utf8 ? wk_utf8_next(s.p + end, s.n - end, &ch) : 1);
            after_match = false;
        }
        if (out->failed)
            wk_heap_exhausted(a->c->heap);
    } while (at <= s.n && wk_awk_find_on(a, re, &run, s, at, m, n));
    wk_buf_put(out, s.p + done, s.n - done);
    if (out->failed)
        wk_heap_exhausted(a->c->heap);
    struct awk_str *made = wk_awk_str_of(a, out->p ? out->p : "", out->n);
    awk_str_unref(a, held);
    awk_str_unref(a, kept);
    wk_tick(a->c, (uint32_t)(s.n / 32) + 1);
    return made;
}

static struct awk_val f_gensub(struct awk *a, struct awk_val *v, size_t n)
{
    struct awk_str *how = text_of(a, &v[2]);
    int64_t which = 1;
    double times;
    if (how->n && (how->p[0] == 'g' || how->p[0] == 'G'))
        which = 0;
    else if (awk_to_num(a, &v[2]) >= 1)
        which = (int64_t)WK_MIN(awk_to_num(a, &v[2]), 1e15);
    else
        wk_awk_warning(a, "gensub: third argument `%.*s' treated as 1", (int)WK_MIN(how->n, (size_t)1000), how->p);
    struct awk_val whole = n > 3 ? awk_copy(&v[3]) : awk_copy(wk_awk_field_at(a, 0));
    struct awk_str *made = wk_awk_replace(a, regex_of(a, v), text_of(a, &v[1]),
                                          awk_to_str(a, &whole), which, true, &times);
    awk_drop(a, &whole);
    return awk_string(made);
}

/* ---- numbers ---- */

/* A double holds 53 bits: of those that are set in front of more, the lowest are kept. */
static double from_bits(uint64_t x)
{
    int low = x ? __builtin_ctzll(x) : 0;
    if (low < 11)
        x &= (UINT64_C(1) << (53 + low)) - 1;
    return (double)x;
}

static uint64_t bits(struct awk *a, struct awk_val *v)
{
    double d = awk_to_num(a, v);
    if (isnan(d)) /* as the machine converts it */
        return UINT64_C(1) << 63;
    return d > 0 && d < 18446744073709551616.0 ? (uint64_t)d : 0;
}

static double combine(struct awk *a, enum awk_builtin f, struct awk_val *v, size_t n)
{
    uint64_t x = 0;
    for (size_t i = n; i-- > 0;) {
        double d = awk_to_num(a, &v[i]);
        if (d < 0)
            wk_awk_fatal(a, "%s: argument %zu negative value %s is not allowed", wk_awk_builtins[f].name, i + 1,
                         wk_awk_show_number(a, d));
        uint64_t y = bits(a, &v[i]);
        x = i == n - 1 ? y : f == AWK_F_AND ? x & y : f == AWK_F_OR ? x | y : x ^ y;
    }
    return from_bits(x);
}

/* %f of it */
static const char *six_places(struct awk *a, double d)
{
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(a->c->heap), SIZE_MAX / 2);
    wk_buf_put_double(&b, d, &(struct wk_fnum){.conv = 'f', .precision = 6});
    return wk_keep(a->c, &b);
}

static double shift(struct awk *a, enum awk_builtin f, struct awk_val *v)
{
    double d = awk_to_num(a, v), e = awk_to_num(a, &v[1]);
    if (d < 0 || e < 0)
        wk_awk_fatal(a, "%s(%s, %s): negative values are not allowed", wk_awk_builtins[f].name, six_places(a, d),
                     six_places(a, e));
    uint64_t x = bits(a, v), by = bits(a, &v[1]) & 63; /* as the machine shifts */
    return from_bits(f == AWK_F_LSHIFT ? x << by : x >> by);
}

static double complement(struct awk *a, struct awk_val *v)
{
    double d = awk_to_num(a, v);
    if (d < 0)
        wk_awk_fatal(a, "compl(%s): negative value is not allowed", six_places(a, d));
    return from_bits(~bits(a, v));
}

static double to_number(struct awk *a, struct awk_val *v)
{
    if (v->type == AWK_INPUT)
        wk_awk_settle(a, v);
    if (v->type == AWK_NUM)
        return v->num;
    struct wk_str s = awk_slice(text_of(a, v));
    return s.n && s.p[0] == '0' ? wk_awk_scan_any(s, NULL) : wk_awk_scan(s, NULL);
}

static double f_srand(struct awk *a, struct awk_val *v, size_t n)
{
    return wk_awk_seed(a, n ? awk_to_num(a, v) : (double)(wk_cmd_now(a->c) / 1000000000));
}

/* ---- time ---- */

static struct awk_val f_strftime(struct awk *a, struct awk_val *v, size_t n)
{
    static const char usual[] = "%a %b %e %H:%M:%S %Z %Y";
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(a->c->heap), SIZE_MAX / 2);
    double when = n > 1 ? awk_to_num(a, &v[1]) : (double)(wk_cmd_now(a->c) / 1000000000);
    bool utc = n > 2 && wk_awk_is_true(a, &v[2]);
    struct wk_str format = n ? awk_slice(text_of(a, v)) : wk_str_c(usual);
    wk_awk_put_time(a, &b, format, (int64_t)WK_MAX(WK_MIN(when, 6e16), -6e16), utc);
    return awk_string(wk_awk_str_take(a, &b));
}

/* ---- the rest ---- */

static struct awk_val f_length(struct awk *a, struct awk_val *v, size_t n)
{
    if (n == 0)
        return awk_num((double)count_chars(a, awk_to_str(a, wk_awk_field_at(a, 0))));
    if (v->type == AWK_REF)
        (void)wk_awk_unset_value(a, v);
    if (v->type == AWK_REF || v->type == AWK_UNSET)
        return awk_num(0);
    if (v->type == AWK_ARRAY && a->posix)
        wk_awk_fatal(a, "length: received array argument");
    if (v->type == AWK_ARRAY)
        return awk_num((double)v->array->n);
    return awk_num((double)count_chars(a, text_of(a, v)));
}

static const char *type_name(struct awk *a, struct awk_val *v)
{
    switch (v->type) {
    case AWK_INPUT:
        wk_awk_settle(a, v);
        return v->type == AWK_NUM ? "strnum" : "string";
    case AWK_NUM:
        return v->strnum ? "strnum" : "number";
    case AWK_STR:
        (void)awk_slice(v->str);
        return v->regexp ? "regexp" : v->scalar ? "unassigned" : "string";
    case AWK_ARRAY:
        return "array";
    case AWK_PATTERN:
        return "regexp";
    default:
        return v->scalar || (v->type == AWK_REF && wk_awk_behind(a, v, 10000)->scalar) ? "unassigned" : "untyped";
    }
}

static double f_split(struct awk *a, struct awk_val *v, size_t n)
{
    struct awk_re *re = n > 2 && v[2].type == AWK_PATTERN ? a->regexes[v[2].slot] : NULL;
    return (double)wk_awk_split(a, text_of(a, v), wk_awk_array_of(a, &v[1]),
                                n > 2 && !re ? &v[2] : NULL, re,
                                n > 3 ? wk_awk_array_of(a, &v[3]) : NULL);
}

static double f_patsplit(struct awk *a, struct awk_val *v, size_t n)
{
    if (n > 2 && v[2].type != AWK_PATTERN && text_of(a, &v[2])->n == 0)
        wk_awk_fatal(a, "patsplit: third argument must be non-null");
    struct awk_re *re = n > 2 ? regex_of(a, &v[2])
                              : wk_awk_regex(a, awk_slice(awk_to_str(a, &a->globals[AWK_FPAT])));
    return (double)wk_awk_patsplit(a, text_of(a, v), wk_awk_array_of(a, &v[1]), re,
                                   n > 3 ? wk_awk_array_of(a, &v[3]) : NULL);
}

static double f_asort(struct awk *a, struct awk_val *v, size_t n, bool indices)
{
    struct awk_array *from = wk_awk_array_of(a, v), *to = n > 1 ? wk_awk_array_of(a, &v[1]) : from;
    struct wk_str by = n > 2     ? awk_slice(text_of(a, &v[2]))
                       : indices ? wk_str_c("@ind_str_asc")
                                 : wk_str_c("@val_type_asc");
    struct awk_sorted s;
    if (to->by_name && n < 2)
        wk_awk_fatal(a, "%s: first argument cannot be %s without a second argument", indices ? "asorti" : "asort",
                     to == a->symtab ? "SYMTAB" : "FUNCTAB");
    wk_awk_check_cleared(a, to, indices ? "asorti" : "asort");
    wk_awk_sorted(a, from, by, &s);
    wk_awk_array_clear(a, to);
    for (size_t i = 0; i < s.n; i++) {
        struct awk_item *it = s.order[i];
        wk_awk_array_set_at(a, to, (int64_t)i + 1, indices ? awk_string(awk_str_ref(it->key)) : it->v);
        if (!indices)
            it->v = (struct awk_val){.type = AWK_UNSET};
    }
    double count = (double)s.n;
    wk_awk_sorted_free(a, &s);
    return count;
}

static double f_close(struct awk *a, struct awk_val *v, size_t n)
{
    int which = 0;
    if (n > 1) {
        struct wk_str s = awk_slice(text_of(a, &v[1]));
        which = wk_str_is(s, "to") ? 'w' : 'r';
    }
    return wk_awk_close(a, text_of(a, v), which);
}

static double mathematics(struct awk *a, enum awk_builtin f, struct awk_val *v)
{
    double x = awk_to_num(a, v);
    switch (f) {
    case AWK_F_SIN:
        return sin(x);
    case AWK_F_COS:
        return cos(x);
    case AWK_F_EXP:
        return exp(x);
    case AWK_F_LOG:
        if (x < 0)
            wk_awk_warning(a, "log: received negative argument %s", wk_awk_show_number(a, x));
        return log(x);
    case AWK_F_SQRT:
        if (x < 0)
            wk_awk_warning(a, "sqrt: received negative argument %s", wk_awk_show_number(a, x));
        return sqrt(x);
    default:
        return trunc(x);
    }
}

static struct awk_val call(struct awk *a, enum awk_builtin f, struct awk_val *v, size_t n)
{
    switch (f) {
    case AWK_F_LENGTH:
        return f_length(a, v, n);
    case AWK_F_SUBSTR:
        return f_substr(a, v, n);
    case AWK_F_INDEX:
        return f_index(a, v);
    case AWK_F_SPLIT:
        return awk_num(f_split(a, v, n));
    case AWK_F_PATSPLIT:
        return awk_num(f_patsplit(a, v, n));
    case AWK_F_GENSUB:
        return f_gensub(a, v, n);
    case AWK_F_MATCH:
        return f_match(a, v, n);
    case AWK_F_SPRINTF:
        return awk_string(wk_awk_format(a, v, n));
    case AWK_F_ATAN2:
        return awk_num(atan2(awk_to_num(a, v), awk_to_num(a, &v[1])));
    case AWK_F_RAND:
        return awk_num(wk_awk_random(a));
    case AWK_F_SRAND:
        return awk_num(f_srand(a, v, n));
    case AWK_F_TOLOWER:
    case AWK_F_TOUPPER:
        return change_case(a, v, f == AWK_F_TOUPPER);
    case AWK_F_CLOSE:
        return awk_num(f_close(a, v, n));
    case AWK_F_SYSTEM:
        return awk_num(wk_awk_system(a, text_of(a, v)));
    case AWK_F_FFLUSH:
        return awk_num(wk_awk_flush(a, n && text_of(a, v)->n ? text_of(a, v) : NULL));
    case AWK_F_SYSTIME:
        return awk_num((double)(wk_cmd_now(a->c) / 1000000000));
    case AWK_F_STRFTIME:
        return f_strftime(a, v, n);
    case AWK_F_MKTIME:
        return awk_num(
            wk_awk_make_time(a, awk_slice(text_of(a, v)), n > 1 && wk_awk_is_true(a, &v[1])));
    case AWK_F_ASORT:
    case AWK_F_ASORTI:
        return awk_num(f_asort(a, v, n, f == AWK_F_ASORTI));
    case AWK_F_STRTONUM:
        return awk_num(to_number(a, v));
    case AWK_F_AND:
    case AWK_F_OR:
    case AWK_F_XOR:
        return awk_num(combine(a, f, v, n));
    case AWK_F_LSHIFT:
    case AWK_F_RSHIFT:
        return awk_num(shift(a, f, v));
    case AWK_F_COMPL:
        return awk_num(complement(a, v));
    case AWK_F_TYPEOF: {
        const char *name = type_name(a, v);
        return awk_string(wk_awk_str_of(a, name, strlen(name)));
    }
    case AWK_F_ISARRAY:
        return awk_num(v->type == AWK_ARRAY);
    case AWK_F_MKBOOL:
        return awk_num(wk_awk_is_true(a, v));
    case AWK_F_DCGETTEXT: /* there are no translations */
        return awk_string(awk_str_ref(text_of(a, v)));
    case AWK_F_DCNGETTEXT:
        return awk_string(awk_str_ref(text_of(a, awk_to_num(a, &v[2]) == 1 ? v : &v[1])));
    case AWK_F_BINDTEXTDOMAIN:
        return awk_string(awk_str_ref(text_of(a, v)));
    default:
        return awk_num(mathematics(a, f, v));
    }
}

/* The text of a cell where it lies, and what holds it; false: it would have to be made, or its characters counted. */
static bool text_in_place(struct awk *a, uint32_t cell, struct wk_str *s, struct awk_str **holder)
{
    if (awk_is_field(cell)) {
        *s = wk_awk_field_text(a, awk_field_of(a, cell));
        *holder = NULL;
    } else {
        struct awk_val *v = awk_cell(a, cell);
        if (!v->has_str || v->type >= AWK_ARRAY || v->type == AWK_NUM)
            return false;
        *s = awk_slice(v->str);
        *holder = v->str;
    }
    return !a->utf8 || ascii_prefix(*s) == s->n;
}

static bool in_place(struct awk *a, enum awk_builtin f, const uint32_t *cells, size_t n, struct awk_val *result)
{
    struct wk_str s, t;
    struct awk_str *holder, *other;
    if (!text_in_place(a, cells[0], &s, &holder))
        return false;
    if (f == AWK_F_LENGTH) {
        *result = awk_num((double)s.n);
    } else if (f == AWK_F_INDEX) {
        if (a->icase || !text_in_place(a, cells[1], &t, &other))
            return false;
        if (awk_is_field(cells[0]) && awk_is_field(cells[1])) /* the second may have moved what the first lies in */
            s = wk_awk_field_text(a, awk_field_of(a, cells[0]));
        *result = awk_num((double)(wk_str_find(s, t) + 1));
        wk_tick(a->c, (uint32_t)(s.n / 64) + 1);
    } else {
        size_t at = 0;
        double from = awk_cell_num(a, cells[1]);
        double length = n > 2 ? awk_cell_num(a, cells[2]) : (double)INFINITY;
        size_t k = part_of((double)s.n, from, length, &at);
        if (awk_is_field(cells[0]))
            s = wk_awk_field_text(a, awk_field_of(a, cells[0]));
        *result = awk_string(holder && k ? wk_awk_str_part(a, holder, at, k) : wk_awk_str_of(a, s.p + at, k));
    }
    return true;
}

void wk_awk_no_array(struct awk *a, const struct awk_builtin_info *f, size_t i)
{
    static const char *const which[] = {"first", "second", "third", "fourth"};
    wk_awk_fatal(a, "%s: %s argument is not an array", f->name, which[WK_MIN(i, (size_t)3)]);
}

void wk_awk_builtin_cells(struct awk *a, enum awk_builtin f, const uint32_t *cells, size_t n)
{
    struct awk_val result;
    if (in_place(a, f, cells, n, &result)) {
        *awk_push(a) = result;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        result = awk_fetch(a, cells[i]);
        *awk_push(a) = result;
    }
    wk_awk_builtin(a, f, n);
}

/* substr with numbers, of a text whose characters are bytes. */
static bool substr_quickly(struct awk *a, size_t n)
{
    struct awk_val *v = &a->stack[a->top - n];
    size_t at = 0;
    if (v->type != AWK_STR || v[1].type != AWK_NUM || v[1].has_str ||
        (n > 2 && (v[2].type != AWK_NUM || v[2].has_str)) || (a->utf8 && ascii_prefix(awk_slice(v->str)) < v->str->n))
        return false;
    struct awk_str *s = v->str;
    size_t k = part_of((double)s->n, v[1].num, n > 2 ? v[2].num : (double)INFINITY, &at);
    v->str = wk_awk_str_part(a, s, at, k);
    v->regexp = v->scalar = false;
    awk_str_unref(a, s);
    a->top -= n - 1;
    return true;
}

void wk_awk_builtin(struct awk *a, enum awk_builtin f, size_t n)
{
    size_t at = a->top - n;
    if (f == AWK_F_SUBSTR && substr_quickly(a, n))
        return;
    if (f == AWK_F_LENGTH && n == 1 && awk_top(a)->type == AWK_STR) {
        awk_become(a, at, (double)count_chars(a, awk_top(a)->str));
        return;
    }
    struct awk_val result = f == AWK_F_SUBSTR ? f_substr(a, &a->stack[at], n) : call(a, f, &a->stack[at], n);
    awk_drop_to(a, at);
    *awk_push(a) = result;
    wk_tick(a->c, 1);
}
