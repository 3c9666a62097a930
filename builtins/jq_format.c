/* jq_format.c - values as text for other languages: @text @json @html @uri @urid @csv @tsv @sh @base64
 * @base64d
 *
 * Work is counted before a buffer is begun, in proportion to what is read.
 */
#include "builtins/jq_builtin.h"

#include "base/base64.h"
#include "base/err.h"
#include "base/utf8.h"

#include <math.h>

static void tick_bytes(struct jq *q, size_t n)
{
    wk_tick(q->c, (uint32_t)WK_MIN(n / 16, (size_t)1 << 24) + 1);
}

/* The characters that are written otherwise; NUL is \0 wherever there are any. */
struct escape {
    char c;
    const char *text;
};

static const struct escape html[] = {
    {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'\'', "&apos;"}, {'"', "&quot;"}, {'\0', "\\0"}};
static const struct escape tabs[] = {{'\t', "\\t"}, {'\n', "\\n"}, {'\r', "\\r"}, {'\\', "\\\\"}, {'\0', "\\0"}};
static const struct escape quotes[] = {{'"', "\"\""}, {'\0', "\\0"}};
static const struct escape shell[] = {{'\'', "'\\''"}, {'\0', "\\0"}};

static void put_escaped(struct wk_buf *b, struct wk_str s, const struct escape *e, size_t n)
{
    size_t from = 0;
    for (size_t i = 0; i < s.n; i++)
        for (size_t k = 0; k < n; k++)
            if (s.p[i] == e[k].c) {
                wk_buf_put(b, s.p + from, i - from);
                wk_buf_put_c(b, e[k].text);
                from = i + 1;
                break;
            }
    wk_buf_put(b, s.p + from, s.n - from);
}

/* ---- rows ---- */

enum row { CSV, TSV, WORDS };

/* One field; false when its kind has no place in a row. */
static bool put_field(struct jq *q, struct wk_buf *b, struct jq_val v, enum row row)
{
    switch ((enum jq_kind)v.kind) {
    case JQ_NULL:
        wk_buf_put_c(b, row == WORDS ? "null" : "");
        return true;
    case JQ_FALSE:
    case JQ_TRUE:
        wk_buf_put_c(b, v.kind == JQ_TRUE ? "true" : "false");
        return true;
    case JQ_NUMBER:
        if (row == WORDS || !isnan(jq_num(v)))
            wk_jq_print_number(q, v, b);
        return true;
    case JQ_STRING:
        if (row == TSV) {
            put_escaped(b, jq_slice(v), tabs, WK_COUNTOF(tabs));
        } else {
            wk_buf_putc(b, row == CSV ? '"' : '\'');
            if (row == CSV)
                put_escaped(b, jq_slice(v), quotes, WK_COUNTOF(quotes));
            else
                put_escaped(b, jq_slice(v), shell, WK_COUNTOF(shell));
            wk_buf_putc(b, row == CSV ? '"' : '\'');
        }
        return true;
    case JQ_NONE:
    case JQ_ARRAY:
    case JQ_OBJECT:
        break;
    }
    return false;
}

static size_t text_bytes(struct jq_val row)
{
    size_t sum = 0;
    for (size_t i = 0; i < row.array->n; i++)
        sum += 8 + (row.array->at[i].kind == JQ_STRING ? row.array->at[i].str->n : 0);
    return sum;
}

static bool put_row(struct jq *q, struct jq_val v, enum row row, const char *bad_field, struct jq_val *out)
{
    static const char *const separators[] = {",", "\t", " "};
    tick_bytes(q, text_bytes(v));
    struct wk_buf b = jq_buf(q);
    for (size_t i = 0; i < v.array->n; i++) {
        if (i)
            wk_buf_put_c(&b, separators[row]);
        if (!put_field(q, &b, v.array->at[i], row)) {
            struct jq_val bad = jq_copy(v.array->at[i]);
            wk_buf_release(&b);
            jq_free(q, v);
            return wk_jq_type_error(q, bad, bad_field);
        }
    }
    *out = wk_jq_string_take(q, &b);
    jq_free(q, v);
    return true;
}

static bool csv(struct jq *q, struct jq_val v, struct jq_val *out)
{
    if (v.kind != JQ_ARRAY)
        return wk_jq_type_error(q, v, "cannot be csv-formatted, only array");
    return put_row(q, v, CSV, "is not valid in a csv row", out);
}

static bool tsv(struct jq *q, struct jq_val v, struct jq_val *out)
{
    if (v.kind != JQ_ARRAY)
        return wk_jq_type_error(q, v, "cannot be tsv-formatted, only array");
    return put_row(q, v, TSV, "is not valid in a csv row", out);
}

static bool sh(struct jq *q, struct jq_val v, struct jq_val *out)
{
    if (v.kind != JQ_ARRAY)
        v = wk_jq_push(q, wk_jq_array(q, 1), v);
    return put_row(q, v, WORDS, "can not be escaped for shell", out);
}

/* ---- plain text ---- */

static bool text(struct jq *q, struct jq_val v, struct jq_val *out)
{
    *out = wk_jq_tostring(q, v);
    return true;
}

static bool json(struct jq *q, struct jq_val v, struct jq_val *out)
{
    *out = wk_jq_tojson(q, v);
    return true;
}

static bool to_html(struct jq *q, struct jq_val v, struct jq_val *out)
{
    v = wk_jq_tostring(q, v);
    tick_bytes(q, v.str->n);
    struct wk_buf b = jq_buf(q);
    put_escaped(&b, jq_slice(v), html, WK_COUNTOF(html));
    *out = wk_jq_string_take(q, &b);
    jq_free(q, v);
    return true;
}

static bool is_unreserved(unsigned char c)
{
    return wk_is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '~';
}

static bool uri(struct jq *q, struct jq_val v, struct jq_val *out)
{
    static const char hex[] = "0123456789ABCDEF";
    v = wk_jq_tostring(q, v);
    tick_bytes(q, v.str->n);
    struct wk_buf b = jq_buf(q);
    for (size_t i = 0; i < v.str->n; i++) {
        unsigned char c = (unsigned char)v.str->bytes[i];
        char three[3] = {'%', hex[c >> 4], hex[c & 15]};
        if (is_unreserved(c))
            wk_buf_putc(&b, (char)c);
        else
            wk_buf_put(&b, three, 3);
    }
    *out = wk_jq_string_take(q, &b);
    jq_free(q, v);
    return true;
}

static int hex_value(char c)
{
    return wk_is_digit(c) ? c - '0' : wk_is_xdigit(c) ? (c | 0x20) - 'a' + 10 : -1;
}

static bool urid(struct jq *q, struct jq_val v, struct jq_val *out)
{
    v = wk_jq_tostring(q, v);
    tick_bytes(q, v.str->n);
    struct wk_str s = jq_slice(v);
    struct wk_buf b = jq_buf(q);
    bool ok = true;
    for (size_t i = 0; i < s.n && ok; i++) {
        if (s.p[i] != '%') {
            wk_buf_putc(&b, s.p[i]);
            continue;
        }
        int high = i + 2 < s.n ? hex_value(s.p[i + 1]) : -1, low = i + 2 < s.n ? hex_value(s.p[i + 2]) : -1;
        ok = high >= 0 && low >= 0;
        if (ok)
            wk_buf_putc(&b, (char)(high << 4 | low));
        i += 2;
    }
    if (!ok || !wk_utf8_valid(wk_buf_str(&b))) {
        wk_buf_release(&b);
        return wk_jq_type_error(q, v, "is not a valid uri encoding");
    }
    *out = wk_jq_string_take(q, &b);
    jq_free(q, v);
    return true;
}

/* ---- base64 ---- */

static bool base64(struct jq *q, struct jq_val v, struct jq_val *out)
{
    v = wk_jq_tostring(q, v);
    tick_bytes(q, v.str->n);
    struct wk_buf b = jq_buf(q);
    wk_base64_put(&b, jq_slice(v));
    *out = wk_jq_string_take(q, &b);
    jq_free(q, v);
    return true;
}

/* What comes behind the first '=' is not looked at. */
static bool base64d(struct jq *q, struct jq_val v, struct jq_val *out)
{
    v = wk_jq_tostring(q, v);
    struct wk_str s = jq_slice(v);
    ptrdiff_t pad = wk_str_chr(s, '=');
    if (pad >= 0)
        s = wk_str_take(s, (size_t)pad);
    tick_bytes(q, s.n);
    struct wk_buf b = jq_buf(q);
    size_t whole = s.n & ~(size_t)3;
    char tail[4] = "====";
    if (s.n % 4)
        memcpy(tail, s.p + whole, s.n % 4);
    bool valid = wk_str_chr(s, '\n') < 0 && wk_base64_get(&b, wk_str_take(s, whole)) != -WK_EINVAL;
    if (valid && s.n % 4 == 1) /* a lone digit, or no digit at all */
        tail[1] = 'A';
    if (valid && s.n % 4)
        valid = wk_base64_get(&b, wk_str(tail, 4)) != -WK_EINVAL;
    if (!valid || s.n % 4 == 1) {
        wk_buf_release(&b);
        return wk_jq_type_error(q, v, valid ? "trailing base64 byte found" : "is not valid base64 data");
    }
    size_t n = b.n;
    char *text = wk_keep(q->c, &b);
    *out = wk_jq_string(q, wk_str(text, n)); /* it may be no UTF-8 */
    wk_heap_free(q->c->heap, text);
    jq_free(q, v);
    return true;
}

/* ---- by name ---- */

bool wk_jq_format(struct jq *q, struct jq_val v, struct wk_str format, struct jq_val *out)
{
    static const struct {
        const char *name;
        bool (*put)(struct jq *q, struct jq_val v, struct jq_val *out);
    } formats[] = {{"text", text}, {"json", json}, {"csv", csv},       {"tsv", tsv},        {"html", to_html},
                   {"uri", uri},   {"urid", urid}, {"sh", sh},         {"base64", base64}, {"base64d", base64d}};
    for (size_t i = 0; i < WK_COUNTOF(formats); i++)
        if (wk_str_is(format, formats[i].name))
            return formats[i].put(q, v, out);
    jq_free(q, v);
    return wk_jq_error(q, "%.*s is not a valid format", (int)WK_MIN(format.n, (size_t)1 << 20), format.p);
}

static bool format(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (a[1].kind != JQ_STRING) {
        jq_free(q, a[0]);
        return wk_jq_type_error(q, a[1], "is not a valid format");
    }
    bool ok = wk_jq_format(q, a[0], jq_slice(a[1]), out);
    jq_free(q, a[1]);
    return ok;
}

static const struct jq_builtin functions[] = {
    {"format", 1, format},
};
const struct jq_table wk_jq_format_table = {functions, WK_COUNTOF(functions)};
