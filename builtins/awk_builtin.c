/* awk_builtin.c - awk's functions
 *
 * Standard: POSIX awk, gawk 5.2. Oracle: gawk.
 */
#include "builtins/awk.h"

#include "base/num.h"
#include "base/utf8.h"
#include "builtins/regex.h"
#include "builtins/zone.h"
#include "text/date/date.h"

#include <math.h>

const struct awk_builtin_info wk_awk_builtins[AWK_FUNCTIONS] = {
    [AWK_F_LENGTH] = {"length", 0, 1, 0, 0},
    [AWK_F_SUBSTR] = {"substr", 2, 3, 0, 0},
    [AWK_F_INDEX] = {"index", 2, 2, 0, 0},
    [AWK_F_SPLIT] = {"split", 2, 4, 2 | 8, 4},
    [AWK_F_SUB] = {"sub", 2, 3, 0, 1},
    [AWK_F_GSUB] = {"gsub", 2, 3, 0, 1},
    [AWK_F_GENSUB] = {"gensub", 3, 4, 0, 1},
    [AWK_F_MATCH] = {"match", 2, 3, 4, 2},
    [AWK_F_SPRINTF] = {"sprintf", 1, 255, 0, 0},
    [AWK_F_SIN] = {"sin", 1, 1, 0, 0},
    [AWK_F_COS] = {"cos", 1, 1, 0, 0},
    [AWK_F_ATAN2] = {"atan2", 2, 2, 0, 0},
    [AWK_F_EXP] = {"exp", 1, 1, 0, 0},
    [AWK_F_LOG] = {"log", 1, 1, 0, 0},
    [AWK_F_SQRT] = {"sqrt", 1, 1, 0, 0},
    [AWK_F_INT] = {"int", 1, 1, 0, 0},
    [AWK_F_RAND] = {"rand", 0, 0, 0, 0},
    [AWK_F_SRAND] = {"srand", 0, 1, 0, 0},
    [AWK_F_TOLOWER] = {"tolower", 1, 1, 0, 0},
    [AWK_F_TOUPPER] = {"toupper", 1, 1, 0, 0},
    [AWK_F_CLOSE] = {"close", 1, 2, 0, 0},
    [AWK_F_SYSTEM] = {"system", 1, 1, 0, 0},
    [AWK_F_FFLUSH] = {"fflush", 0, 1, 0, 0},
    [AWK_F_SYSTIME] = {"systime", 0, 0, 0, 0},
    [AWK_F_STRFTIME] = {"strftime", 0, 3, 0, 0},
    [AWK_F_MKTIME] = {"mktime", 1, 2, 0, 0},
    [AWK_F_ASORT] = {"asort", 1, 3, 1 | 2, 0},
    [AWK_F_ASORTI] = {"asorti", 1, 3, 1 | 2, 0},
    [AWK_F_PATSPLIT] = {"patsplit", 2, 4, 2 | 8, 4},
    [AWK_F_STRTONUM] = {"strtonum", 1, 1, 0, 0},
    [AWK_F_AND] = {"and", 2, 255, 0, 0},
    [AWK_F_OR] = {"or", 2, 255, 0, 0},
    [AWK_F_XOR] = {"xor", 2, 255, 0, 0},
    [AWK_F_LSHIFT] = {"lshift", 2, 2, 0, 0},
    [AWK_F_RSHIFT] = {"rshift", 2, 2, 0, 0},
    [AWK_F_COMPL] = {"compl", 1, 1, 0, 0},
    [AWK_F_TYPEOF] = {"typeof", 1, 1, 0, 0},
    [AWK_F_ISARRAY] = {"isarray", 1, 1, 0, 0},
    [AWK_F_MKBOOL] = {"mkbool", 1, 1, 0, 0},
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

/* How many; every byte counts where text is not UTF-8. */
static size_t count_chars(struct awk *a, struct awk_str *s)
{
    if (!a->utf8)
        return s->n;
    if (s->chars)
        return s->chars - 1;
    size_t n = 0;
    uint32_t ch;
    for (size_t i = 0; i < s->n; n++)
        i += (unsigned char)s->p[i] < 0x80 ? 1 : wk_utf8_next(s->p + i, s->n - i, &ch);
    if (n < UINT32_MAX - 1)
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

static struct awk_val f_substr(struct awk *a, struct awk_val *v, size_t n)
{
    struct awk_str *s = text_of(a, v);
    double from = trunc(awk_to_num(a, &v[1])), length = (double)INFINITY, chars = (double)count_chars(a, s);
    if (n > 2) {
        length = awk_to_num(a, &v[2]);
        if (isnan(length) || length <= 0)
            return awk_string(awk_str_ref(a->empty));
        length = trunc(length);
    }
    if (isnan(from) || length < 1)
        return awk_string(awk_str_ref(a->empty));
    if (from < 1) /* the length stays */
        from = 1;
    if (!(length > 0) || from > chars)
        return awk_string(awk_str_ref(a->empty));
    if (length > chars - from + 1)
        length = chars - from + 1;
    size_t at = byte_of(a, s, (size_t)from - 1), end = s->n;
    if (from - 1 + length < chars)
        end = a->utf8 && chars != (double)s->n ? byte_of(a, s, (size_t)(from - 1 + length))
                                               : at + (size_t)length;
    return awk_string(wk_awk_str_part(a, s, at, end - at));
}

static struct awk_val f_index(struct awk *a, struct awk_val *v)
{
    struct awk_str *s = text_of(a, v), *t = text_of(a, &v[1]);
    wk_tick(a->c, (uint32_t)(s->n / 64) + 1);
    if (t->n == 0)
        return awk_num(1);
    for (size_t i = 0; a->icase && i + t->n <= s->n; i++) {
        size_t k = 0;
        while (k < t->n &&
               wk_to_lower((unsigned char)s->p[i + k]) == wk_to_lower((unsigned char)t->p[k]))
            k++;
        wk_tick(a->c, 1);
        if (k == t->n)
            return awk_num((double)char_of(a, s, i) + 1);
    }
    if (a->icase)
        return awk_num(0);
    ptrdiff_t at = wk_str_find(awk_slice(s), awk_slice(t));
    return awk_num(at >= 0 ? (double)char_of(a, s, (size_t)at) + 1 : 0);
}

static struct awk_val change_case(struct awk *a, struct awk_val *v, bool upper)
{
    struct awk_str *s = text_of(a, v);
    bool ascii = true;
    for (size_t i = 0; i < s->n && ascii; i++)
        ascii = (unsigned char)s->p[i] < 0x80;
    wk_tick(a->c, (uint32_t)(s->n / 32) + 1);
    if (ascii || !a->utf8) {
        struct awk_str *t = wk_awk_str_new(a, s->n);
        char *p = awk_str_bytes(t);
        for (size_t i = 0; i < s->n; i++)
            p[i] = (char)(upper ? wk_to_upper((unsigned char)s->p[i])
                                : wk_to_lower((unsigned char)s->p[i]));
        return awk_string(t);
    }
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(a->c->heap), SIZE_MAX / 2);
    for (size_t i = 0; i < s->n;) {
        uint32_t ch;
        char t[6];
        size_t n = wk_utf8_next(s->p + i, s->n - i, &ch);
        if (wk_utf8_is_bad(ch))
            wk_buf_putc(&b, s->p[i]);
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

/* The replacement: & and, for gensub, \1 … are what was found. */
static void put_replacement(struct wk_buf *b, struct awk_str *with, struct awk_str *in,
                            const struct wk_re_span *m, size_t groups, bool numbered)
{
    for (size_t i = 0; i < with->n; i++) {
        char ch = with->p[i];
        size_t k = 0;
        if (ch == '\\' && i + 1 < with->n) {
            char next = with->p[i + 1];
            if (numbered && wk_is_digit(next)) {
                k = (size_t)(next - '0');
                i++;
            } else if (next == '&' || next == '\\') {
                /* \\& is a backslash and what was found; \& is & */
                if (next == '\\' && !numbered && !(i + 2 < with->n && with->p[i + 2] == '&')) {
                    wk_buf_putc(b, ch);
                    if (i + 2 < with->n && with->p[i + 2] == '\\' && i + 3 < with->n &&
                        with->p[i + 3] == '&')
                        continue;
                    wk_buf_putc(b, next);
                    i++;
                    continue;
                }
                wk_buf_putc(b, next);
                i++;
                continue;
            } else {
                wk_buf_putc(b, ch);
                continue;
            }
        } else if (ch != '&') {
            wk_buf_putc(b, ch);
            continue;
        }
        if (k < groups && m[k].start >= 0)
            wk_buf_put(b, in->p + m[k].start, (size_t)(m[k].end - m[k].start));
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
    struct awk_val whole = n > 3 ? awk_copy(&v[3]) : awk_copy(wk_awk_field_at(a, 0));
    struct awk_str *made = wk_awk_replace(a, regex_of(a, v), text_of(a, &v[1]),
                                          awk_to_str(a, &whole), which, true, &times);
    awk_drop(a, &whole);
    return awk_string(made);
}

/* ---- numbers ---- */

static uint64_t bits(struct awk *a, struct awk_val *v, const char *name)
{
    double d = awk_to_num(a, v);
    if (d < 0)
        wk_awk_fatal(a, "%s: received negative value", name);
    return d >= 1.8446744073709552e19 ? UINT64_MAX : (uint64_t)d;
}

static double combine(struct awk *a, enum awk_builtin f, struct awk_val *v, size_t n)
{
    uint64_t x = bits(a, v, wk_awk_builtins[f].name);
    for (size_t i = 1; i < n; i++) {
        uint64_t y = bits(a, &v[i], wk_awk_builtins[f].name);
        x = f == AWK_F_AND ? x & y : f == AWK_F_OR ? x | y : x ^ y;
    }
    return (double)x;
}

static double shift(struct awk *a, enum awk_builtin f, struct awk_val *v)
{
    uint64_t x = bits(a, v, wk_awk_builtins[f].name), by = bits(a, &v[1], wk_awk_builtins[f].name);
    if (by > 63)
        return 0;
    return (double)(f == AWK_F_LSHIFT ? x << by : x >> by);
}

static double to_number(struct awk *a, struct awk_val *v)
{
    if (v->type == AWK_INPUT)
        wk_awk_settle(a, v);
    return v->type == AWK_NUM ? v->num : wk_awk_scan_any(awk_slice(text_of(a, v)), NULL);
}

/* An additive generator over 31 words, as random(3) has it. */
static uint32_t random_bits(struct awk *a)
{
    uint32_t v = a->rng[a->rng_f] += a->rng[a->rng_r];
    a->rng_f = (a->rng_f + 1) % 31;
    a->rng_r = (a->rng_r + 1) % 31;
    return v >> 1;
}

static void seed_random(struct awk *a, double seed)
{
    int64_t x = (int64_t)(uint32_t)(int64_t)WK_MAX(WK_MIN(seed, 9e18), -9e18);
    if (x == 0)
        x = 1;
    for (int i = 0; i < 31; i++) {
        a->rng[i] = (uint32_t)x;
        x = (16807 * (x % 127773) - 2836 * (x / 127773)) % 2147483647;
        if (x < 0)
            x += 2147483647;
    }
    a->rng_f = 3;
    a->rng_r = 0;
    for (int i = 0; i < 310; i++)
        (void)random_bits(a);
    a->seeded = true;
}

static double f_rand(struct awk *a)
{
    if (!a->seeded)
        seed_random(a, a->seed);
    double low = random_bits(a), high = random_bits(a);
    return (low / 2147483648.0 + high) / 2147483648.0;
}

static double f_srand(struct awk *a, struct awk_val *v, size_t n)
{
    double before = a->seed;
    a->seed = n ? awk_to_num(a, v) : (double)(wk_cmd_now(a->c) / 1000000000);
    seed_random(a, a->seed);
    return before;
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
    if (v->type == AWK_REF || v->type == AWK_UNSET)
        return awk_num(0);
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
        return v->has_str ? "strnum" : "number";
    case AWK_STR:
        return "string";
    case AWK_ARRAY:
        return "array";
    case AWK_PATTERN:
        return "regexp";
    default:
        return v->type == AWK_REF ? "untyped" : "unassigned";
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
    size_t count = from->n;
    struct awk_elem **list = wk_awk_array_list(a, from);
    wk_awk_sort(a, list, count, by);
    struct awk_val *values = wk_new_n(a->c, struct awk_val, count + 1);
    for (size_t i = 0; i < count; i++) {
        values[i] = indices ? awk_string(awk_str_ref(list[i]->key)) : awk_copy(&list[i]->v);
        if (!indices && values[i].type == AWK_ARRAY)
            values[i].array->refs++;
    }
    wk_awk_array_clear(a, to);
    for (size_t i = 0; i < count; i++)
        wk_awk_array_set_at(a, to, (int64_t)i + 1, values[i]);
    wk_heap_free(a->c->heap, values);
    wk_awk_list_free(a, list, count);
    return (double)count;
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
            wk_awk_warning(a, "sqrt: called with negative argument %s", wk_awk_show_number(a, x));
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
        return awk_num(f_rand(a));
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
        return awk_num((double)(~bits(a, v, "compl") & ((UINT64_C(1) << 53) - 1)));
    case AWK_F_TYPEOF: {
        const char *name = type_name(a, v);
        return awk_string(wk_awk_str_of(a, name, strlen(name)));
    }
    case AWK_F_ISARRAY:
        return awk_num(v->type == AWK_ARRAY);
    case AWK_F_MKBOOL:
        return awk_num(wk_awk_is_true(a, v));
    default:
        return awk_num(mathematics(a, f, v));
    }
}

void wk_awk_builtin(struct awk *a, enum awk_builtin f, size_t n)
{
    size_t at = a->top - n;
    struct awk_val result = call(a, f, &a->stack[at], n);
    while (a->top > at) {
        struct awk_val v = wk_awk_pop(a);
        awk_drop(a, &v);
    }
    wk_awk_push(a, result);
    wk_tick(a->c, 1);
}
