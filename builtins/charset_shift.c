/* charset_shift.c - character sets with shift sequences
 *
 * Standard: ISO-2022-JP is RFC 1468, UTF-7 RFC 2152.
 */
#include "builtins/charset_shift.h"

enum { ASCII, ROMAN, KANJI }; /* sets of ISO-2022-JP */

bool wk_shift_find(struct wk_cmd *c, struct wk_str name, struct wk_shift *out)
{
    char plain[16];
    size_t n = 0;
    for (size_t i = 0; i < name.n && n < sizeof plain - 1; i++)
        if (name.p[i] != '-' && name.p[i] != '_')
            plain[n++] = (char)wk_to_upper((unsigned char)name.p[i]);
    plain[n] = '\0';
    *out = (struct wk_shift){WK_SHIFT_NONE, 0, 0, 0, 0, NULL};
    if (strcmp(plain, "UTF7") == 0)
        out->kind = WK_SHIFT_UTF7;
    if (strcmp(plain, "ISO2022JP") == 0 || strcmp(plain, "CSISO2022JP") == 0) {
        out->kind = WK_SHIFT_ISO2022JP;
        out->map = wk_charset_map_read(c, "EUC-JP");
        if (!out->map)
            return false;
    }
    return out->kind != WK_SHIFT_NONE;
}

void wk_shift_reset(struct wk_shift *s)
{
    s->mode = s->nbits = 0;
    s->bits = s->high = 0;
}

/* ---- ISO-2022-JP -------------------------------------------------------------------------------
 */

static const char *const escapes[] = {"\033(B", "\033(J", "\033$B", "\033$@"};

static int get_escape(struct wk_shift *s, const unsigned char *p, size_t n, uint32_t *c)
{
    static const int modes[] = {ASCII, ROMAN, KANJI, KANJI};
    for (size_t i = 0; i < WK_COUNTOF(escapes); i++) {
        if (memcmp(p, escapes[i], WK_MIN(n, (size_t)3)) != 0)
            continue;
        if (n < 3)
            break;
        s->mode = modes[i];
        *c = WK_SHIFT_NOTHING;
        return 3;
    }
    *c = 27;
    return n < 3 ? WK_CHARSET_SHORT : 1;
}

static int get_japanese(struct wk_shift *s, const unsigned char *p, size_t n, uint32_t *c)
{
    if (p[0] == 27)
        return get_escape(s, p, n, c);
    *c = 1;
    if (p[0] >= 0x80)
        return WK_CHARSET_BAD;
    if (s->mode != KANJI || p[0] < 0x21) {
        *c = s->mode == ROMAN && p[0] == 0x5c   ? 0xa5
             : s->mode == ROMAN && p[0] == 0x7e ? 0x203e
                                                : p[0];
        return 1;
    }
    if (n < 2)
        return WK_CHARSET_SHORT;
    unsigned char pair[2] = {(unsigned char)(p[0] | 0x80), (unsigned char)(p[1] | 0x80)};
    if (p[1] >= 0x80 || wk_charset_map_get(s->map, pair, 2, c) != 2) {
        *c = 1;
        return WK_CHARSET_BAD;
    }
    return 2;
}

/* Bytes of c in a set; 0: it has none. */
static size_t in_set(const struct wk_shift *s, int mode, uint32_t c, unsigned char out[4])
{
    out[0] = (unsigned char)c;
    if (mode == ASCII)
        return c < 0x80;
    if (mode == ROMAN) {
        out[0] = c == 0xa5 ? 0x5c : c == 0x203e ? 0x7e : (unsigned char)c;
        return c == 0xa5 || c == 0x203e || (c < 0x80 && c != 0x5c && c != 0x7e && c > ' ');
    }
    if (wk_charset_map_put(s->map, c, out) != 2 || out[0] < 0xa1)
        return 0;
    out[0] &= 0x7f;
    out[1] &= 0x7f;
    return 2;
}

static size_t put_japanese(struct wk_shift *s, uint32_t c, unsigned char out[WK_SHIFT_BYTES])
{
    unsigned char code[4];
    size_t n = in_set(s, s->mode, c, code), at = 0;
    for (int mode = ASCII; !n && mode <= KANJI; mode++) {
        n = in_set(s, mode, c, code);
        if (n) {
            memcpy(out, escapes[mode], 3);
            at = 3;
            s->mode = mode;
        }
    }
    memcpy(out + at, code, n);
    return n ? at + n : 0;
}

/* ---- UTF-7 -------------------------------------------------------------------------------------
 */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int digit_value(unsigned char ch)
{
    const char *at = ch ? strchr(digits, ch) : NULL;
    return at ? (int)(at - digits) : -1;
}

static bool is_direct(uint32_t c)
{
    return c < 128 && (wk_is_alnum((int)c) || (c && strchr("'(),-./:? \t\n\r", (int)c)));
}

/* One unit of UTF-16 more. */
static int take_unit(struct wk_shift *s, uint32_t unit, uint32_t *c)
{
    if (unit >= 0xd800 && unit < 0xdc00 && !s->high) {
        s->high = unit;
        *c = WK_SHIFT_NOTHING;
        return 1;
    }
    bool low = unit >= 0xdc00 && unit < 0xe000;
    if (low != (s->high != 0)) {
        s->high = 0;
        *c = 1;
        return WK_CHARSET_BAD;
    }
    *c = low ? 0x10000 + ((s->high & 0x3ff) << 10) + (unit & 0x3ff) : unit;
    s->high = 0;
    return 1;
}

static int get_utf7(struct wk_shift *s, const unsigned char *p, size_t n, uint32_t *c)
{
    int v = digit_value(p[0]);
    if (s->mode && v >= 0) {
        s->bits = s->bits << 6 | (uint32_t)v;
        s->nbits += 6;
        *c = WK_SHIFT_NOTHING;
        if (s->nbits < 16)
            return 1;
        s->nbits -= 16;
        return take_unit(s, s->bits >> s->nbits & 0xffff, c);
    }
    if (s->mode) { /* the end: rests of bits are 0, and fewer than a digit has */
        bool wrong = s->high || s->nbits >= 6 || (s->bits & ((1u << s->nbits) - 1));
        wk_shift_reset(s);
        *c = 1;
        if (wrong)
            return WK_CHARSET_BAD;
        if (p[0] == '-') {
            *c = WK_SHIFT_NOTHING;
            return 1;
        }
    }
    if (p[0] == '+') {
        if (n < 2)
            return WK_CHARSET_SHORT;
        s->mode = p[1] != '-';
        *c = s->mode ? WK_SHIFT_NOTHING : '+';
        return s->mode ? 1 : 2;
    }
    *c = 1;
    if (p[0] >= 0x80 || p[0] == '\\' || p[0] == '~')
        return WK_CHARSET_BAD;
    *c = p[0];
    return 1;
}

static size_t put_units(struct wk_shift *s, uint32_t c, unsigned char *out)
{
    uint32_t unit[2] = {c, 0};
    size_t n = 0;
    if (c > 0xffff) {
        unit[0] = 0xd800 + ((c - 0x10000) >> 10);
        unit[1] = 0xdc00 + (c & 0x3ff);
    }
    for (int i = 0; i < 1 + (c > 0xffff); i++) {
        uint32_t bits = (s->bits & ((1u << s->nbits) - 1)) << 16 | unit[i];
        int left = s->nbits + 16;
        for (; left >= 6; left -= 6)
            out[n++] = (unsigned char)digits[bits >> (left - 6) & 63];
        s->bits = bits;
        s->nbits = left;
    }
    return n;
}

/* Ends base64; `next` follows: 0 nothing. */
static size_t end_digits(struct wk_shift *s, uint32_t next, unsigned char *out)
{
    size_t n = 0;
    if (s->nbits)
        out[n++] = (unsigned char)digits[s->bits << (6 - s->nbits) & 63];
    if (!next || next == '-' || (next < 128 && digit_value((unsigned char)next) >= 0))
        out[n++] = '-';
    wk_shift_reset(s);
    return n;
}

static size_t put_utf7(struct wk_shift *s, uint32_t c, unsigned char out[WK_SHIFT_BYTES])
{
    size_t n = 0;
    if (is_direct(c)) {
        if (s->mode)
            n = end_digits(s, c, out);
        out[n++] = (unsigned char)c;
        return n;
    }
    if (!s->mode) {
        out[n++] = '+';
        if (c == '+') {
            out[n++] = '-';
            return n;
        }
        s->mode = 1;
    }
    return n + put_units(s, c, out + n);
}

/* ---- both --------------------------------------------------------------------------------------
 */

int wk_shift_get(struct wk_shift *s, const unsigned char *p, size_t n, uint32_t *c)
{
    return s->kind == WK_SHIFT_UTF7 ? get_utf7(s, p, n, c) : get_japanese(s, p, n, c);
}

size_t wk_shift_put(struct wk_shift *s, uint32_t c, unsigned char out[WK_SHIFT_BYTES])
{
    return s->kind == WK_SHIFT_UTF7 ? put_utf7(s, c, out) : put_japanese(s, c, out);
}

size_t wk_shift_end(struct wk_shift *s, unsigned char out[WK_SHIFT_BYTES])
{
    if (!s->mode)
        return 0;
    if (s->kind == WK_SHIFT_UTF7)
        return end_digits(s, 0, out);
    s->mode = ASCII;
    memcpy(out, escapes[ASCII], 3);
    return 3;
}
