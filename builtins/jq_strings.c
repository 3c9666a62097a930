/* jq_strings.c - jq's functions on strings */
#include "builtins/jq_builtin.h"

#include "base/utf8.h"

#include <math.h>

enum {
    NEEDLE_SHORT = 32,     /* bytes: a longer needle is searched for with a table of its borders */
    REPLACEMENT = 0xfffd,  /* stands for what is no character */
    CODE_POINTS = 0x110000
};

/* ---- searching ---- */

size_t wk_jq_chars_at(struct wk_str s, size_t from, size_t *at, size_t *chars)
{
    const char *p = s.p;
    size_t i = *at, n = *chars;
    for (; i < from; i++)
        n += !wk_utf8_continues((unsigned char)p[i]);
    *at = i;
    *chars = n;
    return n;
}

static void tick_bytes(struct jq *q, size_t n)
{
    wk_tick(q->c, (uint32_t)WK_MIN(n / 64, (size_t)1 << 24) + 1);
}

/* For every byte of the needle the length of the longest border of what ends there. */
static size_t *borders(struct jq *q, struct wk_str needle)
{
    size_t *border = wk_heap_calloc(q->c->heap, needle.n, sizeof *border), k = 0;
    for (size_t i = 1; i < needle.n; i++) {
        while (k && needle.p[i] != needle.p[k])
            k = border[k - 1];
        k += needle.p[i] == needle.p[k];
        border[i] = k;
    }
    tick_bytes(q, needle.n * 8);
    return border;
}

static struct jq_val indices_long(struct jq *q, struct wk_str s, struct wk_str needle)
{
    struct jq_val result = wk_jq_array(q, 0);
    size_t *border = borders(q, needle), k = 0, at = 0, chars = 0;
    for (size_t i = 0; i < s.n; i++) {
        while (k && s.p[i] != needle.p[k])
            k = border[k - 1];
        k += s.p[i] == needle.p[k];
        if (k == needle.n) {
            size_t where = wk_jq_chars_at(s, i + 1 - k, &at, &chars);
            result = wk_jq_push(q, result, jq_number((double)where));
            k = border[k - 1];
        }
    }
    tick_bytes(q, s.n * 8);
    wk_heap_free(q->c->heap, border);
    return result;
}

/* Where the needle begins in s, in characters; matches may overlap. */
static struct jq_val string_indices(struct jq *q, struct wk_str s, struct wk_str needle)
{
    if (needle.n > NEEDLE_SHORT)
        return indices_long(q, s, needle);
    struct jq_val result = wk_jq_array(q, 0);
    size_t from = 0, at = 0, chars = 0;
    tick_bytes(q, s.n);
    while (needle.n) {
        ptrdiff_t i = wk_str_find(wk_str_from(s, from), needle);
        if (i < 0)
            break;
        from += (size_t)i;
        wk_tick(q->c, 1);
        result = wk_jq_push(q, result, jq_number((double)wk_jq_chars_at(s, from, &at, &chars)));
        from++;
    }
    return result;
}

static bool strindices(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (a[0].kind != JQ_STRING) {
        jq_free(q, a[1]);
        return wk_jq_type_error(q, a[0], "cannot be searched, as it is not a string");
    }
    if (a[1].kind != JQ_STRING) {
        jq_free(q, a[0]);
        return wk_jq_type_error(q, a[1], "is not a string");
    }
    *out = string_indices(q, jq_slice(a[0]), jq_slice(a[1]));
    jq_free_args(q, a, 1);
    return true;
}

/* Whether both are strings; else raises the message of a function and frees them. */
static bool both_strings(struct jq *q, struct jq_val *a, const char *message)
{
    if (a[0].kind == JQ_STRING && a[1].kind == JQ_STRING)
        return true;
    jq_free_args(q, a, 1);
    return wk_jq_error(q, "%s", message);
}

static bool startswith(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (!both_strings(q, a, "startswith() requires string inputs"))
        return false;
    *out = jq_bool(wk_str_starts(jq_slice(a[0]), jq_slice(a[1])));
    jq_free_args(q, a, 1);
    return true;
}

static bool endswith(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (!both_strings(q, a, "endswith() requires string inputs"))
        return false;
    *out = jq_bool(wk_str_ends(jq_slice(a[0]), jq_slice(a[1])));
    jq_free_args(q, a, 1);
    return true;
}

/* ---- trimming ---- */

/* s without `left` bytes in front and `right` behind; takes s. */
static struct jq_val cut(struct jq *q, struct jq_val s, size_t left, size_t right)
{
    if (!left && !right)
        return s;
    struct jq_val result = wk_jq_string_valid(q, wk_str(s.str->bytes + left, s.str->n - left - right));
    jq_free(q, s);
    return result;
}

static bool trim_text(struct jq *q, struct jq_val *a, bool left, bool right, struct jq_val *out)
{
    if (!both_strings(q, a, left ? "startswith() requires string inputs" : "endswith() requires string inputs"))
        return false;
    struct wk_str s = jq_slice(a[0]), what = jq_slice(a[1]);
    size_t front = left && wk_str_starts(s, what) ? what.n : 0;
    size_t back = right && wk_str_ends(wk_str_from(s, front), what) ? what.n : 0;
    *out = cut(q, a[0], front, back);
    jq_free(q, a[1]);
    return true;
}

static bool ltrimstr(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return trim_text(q, a, true, false, out);
}
static bool rtrimstr(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return trim_text(q, a, false, true, out);
}
static bool trimstr(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return trim_text(q, a, true, true, out);
}

/* Unicode's White_Space. */
static bool is_white(uint32_t c)
{
    return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
           c == 0x3000;
}

static bool trim_blanks(struct jq *q, struct jq_val *a, bool left, bool right, struct jq_val *out)
{
    if (a[0].kind != JQ_STRING) {
        jq_free(q, a[0]);
        return wk_jq_error(q, "trim input must be a string");
    }
    struct wk_str s = jq_slice(a[0]);
    size_t from = 0, to = s.n;
    uint32_t c;
    tick_bytes(q, s.n);
    while (left && from < to) {
        size_t n = wk_utf8_next(s.p + from, to - from, &c);
        if (!is_white(c))
            break;
        from += n;
    }
    while (right && to > from) {
        size_t n = wk_utf8_prev(s.p, to);
        wk_utf8_next(s.p + to - n, n, &c);
        if (!is_white(c))
            break;
        to -= n;
    }
    *out = cut(q, a[0], from, s.n - to);
    return true;
}

static bool trim(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return trim_blanks(q, a, true, true, out);
}
static bool ltrim(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return trim_blanks(q, a, true, false, out);
}
static bool rtrim(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return trim_blanks(q, a, false, true, out);
}

/* ---- taking apart and putting together ---- */

struct jq_val wk_jq_split(struct jq *q, struct jq_val s, struct jq_val separator)
{
    struct jq_val result = wk_jq_array(q, 0);
    struct wk_str rest = jq_slice(s), by = jq_slice(separator);
    tick_bytes(q, rest.n);
    if (by.n == 0) {
        while (rest.n) {
            uint32_t c;
            size_t n = wk_utf8_next(rest.p, rest.n, &c);
            wk_tick(q->c, 1);
            result = wk_jq_push(q, result, wk_jq_string_valid(q, wk_str_take(rest, n)));
            rest = wk_str_from(rest, n);
        }
        return result;
    }
    if (rest.n == 0)
        return result;
    for (;;) {
        ptrdiff_t i = wk_str_find(rest, by);
        wk_tick(q->c, 1 + (uint32_t)WK_MIN(by.n / 64, (size_t)1 << 20));
        result = wk_jq_push(q, result, wk_jq_string_valid(q, i < 0 ? rest : wk_str_take(rest, (size_t)i)));
        if (i < 0)
            return result;
        rest = wk_str_from(rest, (size_t)i + by.n);
    }
}

static bool split(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (!both_strings(q, a, "split input and separator must be strings"))
        return false;
    *out = wk_jq_split(q, a[0], a[1]);
    jq_free_args(q, a, 1);
    return true;
}

/* Adds the text of one member of join; others than strings and scalars are an error of `+`. */
static bool join_one(struct jq *q, struct jq_val *sum, struct jq_val v)
{
    struct jq_val text = jq_copy(v);
    if (v.kind == JQ_NULL)
        text = wk_jq_string_valid(q, WK_STR(""));
    else if (v.kind < JQ_STRING)
        text = wk_jq_tojson(q, text);
    return wk_jq_add(q, *sum, text, sum);
}

static bool join(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    bool ok = wk_jq_check_iterable(q, a[0]);
    struct jq_val sum = wk_jq_string_valid(q, WK_STR("")), v;
    bool first = true;
    for (size_t at = 0; ok && wk_jq_each(a[0], &at, &v); first = false) {
        wk_tick(q->c, 2);
        ok = (first || wk_jq_add(q, sum, jq_copy(a[1]), &sum)) && join_one(q, &sum, v);
        if (!ok)
            sum = jq_null();
    }
    jq_free_args(q, a, 1);
    if (ok)
        *out = sum;
    else
        jq_free(q, sum);
    return ok;
}

static bool explode(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (a[0].kind != JQ_STRING) {
        jq_free(q, a[0]);
        return wk_jq_error(q, "explode input must be a string");
    }
    struct wk_str s = jq_slice(a[0]);
    struct jq_val result = wk_jq_array(q, wk_jq_chars(a[0]));
    for (size_t i = 0; i < s.n;) {
        uint32_t c;
        i += wk_utf8_next(s.p + i, s.n - i, &c);
        result = wk_jq_push(q, result, jq_number(c));
    }
    tick_bytes(q, s.n * 8);
    jq_free(q, a[0]);
    *out = result;
    return true;
}

static bool implode(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (a[0].kind != JQ_ARRAY) {
        jq_free(q, a[0]);
        return wk_jq_error(q, "implode input must be an array");
    }
    tick_bytes(q, a[0].array->n * 8);
    struct wk_buf b = jq_buf(q);
    for (size_t i = 0; i < a[0].array->n; i++) {
        struct jq_val v = a[0].array->at[i];
        char text[6];
        if (v.kind != JQ_NUMBER || isnan(jq_num(v))) {
            v = jq_copy(v);
            wk_buf_release(&b);
            jq_free(q, a[0]);
            return wk_jq_type_error(q, v, "can't be imploded, unicode codepoint needs to be numeric");
        }
        double d = jq_num(v);
        uint32_t c = d <= -1 || d >= CODE_POINTS ? REPLACEMENT : (uint32_t)(d < 0 ? 0 : d);
        if (c >= 0xd800 && c < 0xe000)
            c = REPLACEMENT;
        wk_buf_put(&b, text, wk_utf8_put(text, c));
    }
    *out = wk_jq_string_take(q, &b);
    jq_free(q, a[0]);
    return true;
}

static bool change_case(struct jq *q, struct jq_val s, const char *name, int (*change)(int c), struct jq_val *out)
{
    if (s.kind != JQ_STRING) {
        jq_free(q, s);
        return wk_jq_error(q, "%s input must be a string", name);
    }
    tick_bytes(q, s.str->n * 8);
    struct wk_buf b = jq_buf(q);
    if (s.str->n && wk_buf_room(&b, s.str->n)) {
        for (size_t i = 0; i < s.str->n; i++)
            b.p[i] = (char)change((unsigned char)s.str->bytes[i]);
        b.n = s.str->n;
        b.p[b.n] = '\0';
    }
    *out = wk_jq_string_take(q, &b);
    jq_free(q, s);
    return true;
}

static bool ascii_downcase(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return change_case(q, a[0], "ascii_downcase", wk_to_lower, out);
}
static bool ascii_upcase(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return change_case(q, a[0], "ascii_upcase", wk_to_upper, out);
}

static const struct jq_builtin functions[] = {
    {"_strindices", 1, strindices},
    {"startswith", 1, startswith},
    {"endswith", 1, endswith},
    {"ltrimstr", 1, ltrimstr},
    {"rtrimstr", 1, rtrimstr},
    {"trimstr", 1, trimstr},
    {"trim", 0, trim},
    {"ltrim", 0, ltrim},
    {"rtrim", 0, rtrim},
    {"split", 1, split},
    {"join", 1, join},
    {"explode", 0, explode},
    {"implode", 0, implode},
    {"ascii_downcase", 0, ascii_downcase},
    {"ascii_upcase", 0, ascii_upcase},
};
const struct jq_table wk_jq_string_table = {functions, WK_COUNTOF(functions)};
