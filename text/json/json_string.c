/* json_string.c - strings of JSON texts: their end, what they say, how they are written */
#include "text/json/json_priv.h"

#include "base/utf8.h"
#include "text/json/json_utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ---- looking for bytes that matter ---- */

#ifdef __SSE2__
/* Bits of the 16 bytes at p that matter; those that are not ASCII in *wide. */
static inline unsigned look_at(const char *p, bool del, unsigned *wide)
{
    __m128i v;
    memcpy(&v, p, sizeof v);
    __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
    __m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
    /* unsigned v < 0x20: the lesser of v and 0x1f is v */
    __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v);
    if (del)
        low = _mm_or_si128(low, _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7f)));
    *wide = (unsigned)_mm_movemask_epi8(v);
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), low));
}
enum { STEP = 16 };
#else
#define ONES 0x0101010101010101u
#define TOPS 0x8080808080808080u
static inline uint64_t zero_bytes(uint64_t v)
{
    return (v - ONES) & ~v & TOPS; /* exact up to the first one */
}
/* Whether any of the 8 bytes matters, by a bit of each byte; exact for the first one only. */
static inline uint64_t look_at_word(const char *p, bool del, uint64_t *wide)
{
    uint64_t v;
    memcpy(&v, p, 8);
    *wide = v & TOPS;
    return zero_bytes(v ^ (ONES * '"')) | zero_bytes(v ^ (ONES * '\\')) | ((v - ONES * 0x20) & ~v & TOPS) |
           (del ? zero_bytes(v ^ (ONES * 0x7f)) : 0);
}
#endif

/* Index of the first byte from i on that matters (DEL among them when asked for), s.n if none; *wide
 * is set when one before it is not ASCII. */
static inline size_t find(struct wk_str s, size_t i, bool del, bool *wide)
{
#ifdef __SSE2__
    for (; i + STEP <= s.n; i += STEP) {
        unsigned wides, hits = look_at(s.p + i, del, &wides);
        if (hits) {
            unsigned at = (unsigned)__builtin_ctz(hits);
            *wide = *wide || (wides & ((1u << at) - 1));
            return i + at;
        }
        *wide = *wide || wides;
    }
    if (i < s.n) { /* the last few, with zeros behind them */
        char last[STEP] = {0};
        memcpy(last, s.p + i, s.n - i);
        unsigned mask = (1u << (s.n - i)) - 1, wides, hits = look_at(last, del, &wides) & mask;
        if (hits)
            mask = (hits & (0u - hits)) - 1;
        *wide = *wide || (wides & mask);
        return hits ? i + (unsigned)__builtin_ctz(hits) : s.n;
    }
    return s.n;
#else
    for (; i + 8 <= s.n; i += 8) {
        uint64_t wides;
        if (look_at_word(s.p + i, del, &wides))
            break; /* the exact place is found below */
        *wide = *wide || wides;
    }
    for (; i < s.n; i++) {
        unsigned char b = (unsigned char)s.p[i];
        if (b == '"' || b == '\\' || b < 0x20 || (del && b == 0x7f))
            return i;
        *wide = *wide || b >= 0x80;
    }
    return s.n;
#endif
}

static size_t find_matter(struct wk_str s, size_t i, bool *wide)
{
    return find(s, i, false, wide);
}

size_t wk_json_plain(struct wk_str s, bool ascii)
{
    bool wide = false;
    size_t n = find(s, 0, true, &wide);
    return ascii && wide ? wk_utf8_ascii(wk_str_take(s, n)) : n;
}

const char *wk_json_string_end(const char *p, const char *end, bool *escaped, bool *plain)
{
    struct wk_str s = wk_str(p, (size_t)(end - p));
    bool wide = false;
    size_t i = 0;
    if (*escaped && s.n) {
        *escaped = *plain = false;
        i = 1;
    }
    for (;;) {
        i = find_matter(s, i, &wide);
        if (wide)
            *plain = false;
        if (i == s.n || s.p[i] == '"')
            return p + i;
        *plain = false;
        if (s.p[i] == '\\') {
            if (i + 1 == s.n) {
                *escaped = true;
                return end;
            }
            i++;
        }
        i++;
    }
}

/* ---- reading ---- */

/* The four hexadecimal digits at p, or -1. */
static int read_hex4(const char *p)
{
    int v = 0;
    for (size_t i = 0; i < 4; i++) {
        int c = (unsigned char)p[i];
        if (!wk_is_xdigit(c))
            return -1;
        v = v * 16 + (wk_is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return v;
}

static char simple_escape(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return '\0';
    }
}

static const char bad_pair[] = "Invalid \\uXXXX\\uXXXX surrogate pair escape";

/* \uXXXX, or two of them, at p: appends the character. */
static const char *read_unicode(struct wk_buf *out, const char **p, const char *end)
{
    if (end - *p < 6)
        return "Invalid \\uXXXX escape";
    int v = read_hex4(*p + 2);
    if (v < 0)
        return "Invalid characters in \\uXXXX escape";
    *p += 6;
    if (v >= 0xd800 && v < 0xdc00) {
        if (end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u')
            return bad_pair;
        int low = read_hex4(*p + 2);
        if (low < 0xdc00 || low > 0xdfff)
            return bad_pair;
        *p += 6;
        v = 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00);
    }
    if (v >= 0xdc00 && v <= 0xdfff)
        v = 0xfffd;
    char text[6];
    wk_buf_put(out, text, wk_utf8_put(text, (uint32_t)v));
    return NULL;
}

static bool put_mended(struct wk_buf *out, struct wk_str s)
{
    if (wk_json_utf8_valid(s))
        return wk_buf_puts(out, s);
    size_t n = wk_json_utf8_mended(s, NULL);
    if (!wk_buf_room(out, n))
        return false;
    wk_json_utf8_mended(s, out->p + out->n);
    out->n += n;
    out->p[out->n] = '\0';
    return true;
}

const char *wk_json_decode(struct wk_json *j, struct wk_str raw, struct wk_str *text)
{
    struct wk_buf *out = &j->decoded;
    const char *p = raw.p, *end = raw.p + raw.n;
    bool wide = false;
    if (find_matter(raw, 0, &wide) == raw.n && (!wide || wk_json_utf8_valid(raw))) {
        *text = raw;
        return NULL;
    }
    wk_buf_reset(out);
    while (p < end) {
        wide = false;
        size_t n = find_matter(wk_str(p, (size_t)(end - p)), 0, &wide);
        if (wide)
            put_mended(out, wk_str(p, n));
        else
            wk_buf_put(out, p, n);
        p += n;
        if (p == end)
            break;
        if (*p != '\\')
            return "Invalid string: control characters from U+0000 through U+001F must be escaped";
        if (end - p < 2)
            return "Expected escape character at end of string";
        if (p[1] == 'u') {
            const char *error = read_unicode(out, &p, end);
            if (error)
                return error;
            continue;
        }
        char c = simple_escape(p[1]);
        if (!c)
            return "Invalid escape";
        wk_buf_putc(out, c);
        p += 2;
    }
    if (out->failed)
        j->failed = true;
    *text = wk_buf_str(out);
    return NULL;
}

/* ---- writing ---- */

static void put_escape(struct wk_buf *out, uint32_t c)
{
    static const char hex[] = "0123456789abcdef";
    char text[6] = {'\\', 'u', hex[c >> 12 & 15], hex[c >> 8 & 15], hex[c >> 4 & 15], hex[c & 15]};
    wk_buf_put(out, text, 6);
}

static void put_special(struct wk_buf *out, unsigned char c)
{
    static const char letters[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    char two[2] = {'\\', c == '"' || c == '\\' ? (char)c : c < sizeof letters ? letters[c] : '\0'};
    if (two[1])
        wk_buf_put(out, two, 2);
    else
        put_escape(out, c);
}

bool wk_json_put_string(struct wk_buf *out, struct wk_str s, bool ascii)
{
    size_t n = wk_json_plain(s, ascii);
    if (n == s.n && n && wk_buf_room(out, n + 2)) {
        char *p = out->p + out->n;
        p[0] = '"';
        memcpy(p + 1, s.p, n);
        memcpy(p + 1 + n, "\"", 2); /* and the NUL of a buffer */
        out->n += n + 2;
        return true;
    }
    wk_buf_putc(out, '"');
    for (size_t i = 0; i < s.n; n = wk_json_plain(wk_str_from(s, i), ascii)) {
        wk_buf_put(out, s.p + i, n);
        i += n;
        if (i == s.n)
            break;
        unsigned char c = (unsigned char)s.p[i];
        if (c < 0x80) {
            put_special(out, c);
            i++;
            continue;
        }
        uint32_t code;
        i += wk_utf8_next(s.p + i, s.n - i, &code);
        if (code > 0xffff) {
            put_escape(out, 0xd800 + ((code - 0x10000) >> 10));
            put_escape(out, 0xdc00 + ((code - 0x10000) & 0x3ff));
        } else {
            put_escape(out, code);
        }
    }
    return wk_buf_putc(out, '"');
}
