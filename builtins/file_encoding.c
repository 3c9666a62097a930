/* file_encoding.c - how text is encoded, and how its lines end
 *
 * Text is made of characters to print and of BEL, BS, HT, LF, VT, FF, CR, ESC and NEL; anything
 * else makes it data.
 */
#include "base/utf8.h"
#include "builtins/file.h"

enum { TEXT_BYTES = 65536, LONG_LINE = 300 };

static bool is_text(uint32_t ch)
{
    return (ch >= 7 && ch <= 13) || ch == 27 || (ch >= 32 && ch < 127) || ch == 0x85;
}

static bool all_bytes(struct wk_str s, uint32_t from)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char ch = (unsigned char)s.p[i];
        if (!is_text(ch) && ch < from)
            return false;
    }
    return true;
}

/* 0: it is not; 1: only ASCII; 2: it has other characters. A last one that is cut off does no harm.
 */
static int looks_utf8(struct wk_str s)
{
    int found = 1;
    for (size_t i = 0; i < s.n;) {
        unsigned char ch = (unsigned char)s.p[i];
        uint32_t v;
        if (ch < 128) {
            if (!is_text(ch))
                return 0;
            i++;
            continue;
        }
        size_t n = wk_utf8_next(s.p + i, s.n - i, &v);
        if (wk_utf8_is_bad(v)) {
            size_t want = ch >= 0xf0 ? 4 : ch >= 0xe0 ? 3 : 2, at = i + 1;
            if (ch < 0xc2 || ch > 0xf4 || s.n - i >= want)
                return 0;
            while (at < s.n && wk_utf8_continues((unsigned char)s.p[at]))
                at++;
            return at == s.n ? found : 0;
        }
        found = 2;
        i += n;
    }
    return found;
}

static uint32_t unit(const char *p, size_t size, bool big)
{
    uint32_t v = 0;
    for (size_t i = 0; i < size; i++)
        v = v << 8 | (unsigned char)p[big ? i : size - 1 - i];
    return v;
}

/* UTF-16 or UTF-32 behind a byte order mark, converted to UTF-8. */
static bool convert_wide(struct wk_cmd *c, struct wk_str s, size_t size, bool big,
                         struct wk_str *out)
{
    struct wk_buf *b = wk_cmd_buf(c, SIZE_MAX / 2);
    uint32_t high = 0;
    for (size_t i = size; s.n - i >= size && i < s.n; i += size) {
        uint32_t v = unit(s.p + i, size, big);
        if (v == 0xfffe || v == 0xffff || (size == 2 && v >= 0xfdd0 && v <= 0xfdef) ||
            (v < 128 && !is_text(v)))
            return false;
        if (size == 2 && v >= 0xd800 && v < 0xdc00) {
            if (high)
                return false;
            high = v;
            continue;
        }
        if (size == 2 && v >= 0xdc00 && v < 0xe000) {
            if (!high)
                return false;
            v = 0x10000 + ((high & 0x3ff) << 10 | (v & 0x3ff));
        } else if (high) {
            return false;
        }
        high = 0;
        char t[6];
        if (v > WK_UTF8_MAX)
            return false;
        wk_buf_put(b, t, wk_utf8_put(t, v));
    }
    *out = wk_buf_str(b);
    return true;
}

static bool looks_wide(struct wk_cmd *c, struct wk_str s, struct wk_encoding *e)
{
    static const struct {
        char mark[5];
        size_t size;
        bool big;
        const char *code, *mime;
    } known[] = {
        {"\xff\xfe\0\0", 4, false, "Unicode text, UTF-32, little-endian", "utf-32le"},
        {"\0\0\xfe\xff", 4, true, "Unicode text, UTF-32, big-endian", "utf-32be"},
        {"\xff\xfe", 2, false, "Unicode text, UTF-16, little-endian", "utf-16le"},
        {"\xfe\xff", 2, true, "Unicode text, UTF-16, big-endian", "utf-16be"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (s.n >= known[i].size && memcmp(s.p, known[i].mark, known[i].size) == 0 &&
            convert_wide(c, s, known[i].size, known[i].big, &e->chars)) {
            e->code = known[i].code;
            e->mime = known[i].mime;
            e->wide = true;
            return true;
        }
    return false;
}

/* EBCDIC of the Americas as Latin-1. */
static const unsigned char from_ebcdic[256] = {
    0,   1,   2,   3,   156, 9,   134, 127, 151, 141, 142, 11,   12,  13,  14,  15,   16,  17,  18,
    19,  157, 133, 8,   135, 24,  25,  146, 143, 28,  29,  30,   31,  128, 129, 130,  131, 132, 10,
    23,  27,  136, 137, 138, 139, 140, 5,   6,   7,   144, 145,  22,  147, 148, 149,  150, 4,   152,
    153, 154, 155, 20,  21,  158, 26,  ' ', 160, 161, 162, 163,  164, 165, 166, 167,  168, 213, '.',
    '<', '(', '+', '|', '&', 169, 170, 171, 172, 173, 174, 175,  176, 177, '!', '$',  '*', ')', ';',
    '~', '-', '/', 178, 179, 180, 181, 182, 183, 184, 185, 203,  ',', '%', '_', '>',  '?', 186, 187,
    188, 189, 190, 191, 192, 193, 194, '`', ':', '#', '@', '\'', '=', '"', 195, 'a',  'b', 'c', 'd',
    'e', 'f', 'g', 'h', 'i', 196, 197, 198, 199, 200, 201, 202,  'j', 'k', 'l', 'm',  'n', 'o', 'p',
    'q', 'r', '^', 204, 205, 206, 207, 208, 209, 229, 's', 't',  'u', 'v', 'w', 'x',  'y', 'z', 210,
    211, 212, '[', 214, 215, 216, 217, 218, 219, 220, 221, 222,  223, 224, 225, 226,  227, 228, ']',
    230, 231, '{', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I',  232, 233, 234, 235,  236, 237, '}',
    'J', 'K', 'L', 'M', 'N', 'O', 'P', 'Q', 'R', 238, 239, 240,  241, 242, 243, '\\', 159, 'S', 'T',
    'U', 'V', 'W', 'X', 'Y', 'Z', 244, 245, 246, 247, 248, 249,  '0', '1', '2', '3',  '4', '5', '6',
    '7', '8', '9', 250, 251, 252, 253, 254, 255};

/* Bytes as the characters of Latin-1. */
static struct wk_str latin1(struct wk_cmd *c, struct wk_str s, const unsigned char *table)
{
    struct wk_buf *b = wk_cmd_buf(c, SIZE_MAX / 2);
    for (size_t i = 0; i < s.n; i++) {
        char t[6];
        unsigned char ch = (unsigned char)s.p[i];
        wk_buf_put(b, t, wk_utf8_put(t, table ? table[ch] : ch));
    }
    return wk_buf_str(b);
}

static bool looks_ebcdic(struct wk_cmd *c, struct wk_str s, struct wk_encoding *e)
{
    uint32_t from = 0x100;
    for (size_t i = 0; i < s.n; i++) {
        uint32_t ch = from_ebcdic[(unsigned char)s.p[i]];
        if (!is_text(ch) && ch < 160)
            return false;
        from = ch >= 160 ? 160 : from;
    }
    e->code = from == 160 ? "International EBCDIC" : "EBCDIC";
    e->mime = "ebcdic";
    e->chars = latin1(c, s, from_ebcdic);
    return true;
}

bool wk_encoding_find(struct wk_cmd *c, struct wk_str data, struct wk_encoding *e)
{
    struct wk_str s = wk_str_take(data, TEXT_BYTES);
    *e = (struct wk_encoding){.type = "text", .chars = s};
    wk_tick(c, (uint32_t)(s.n / 16) + 1);
    if (all_bytes(s, 256)) {
        bool seven = s.n > 4 && memcmp(s.p, "+/v", 3) == 0 && strchr("89+/", s.p[3]) && s.p[3];
        e->code = "ASCII";
        e->mime = seven ? "utf-7" : "us-ascii";
        e->chars = memchr(s.p, 0x85, s.n) ? latin1(c, s, NULL) : s;
    } else if (s.n > 3 && memcmp(s.p, "\xef\xbb\xbf", 3) == 0 && looks_utf8(wk_str_from(s, 3))) {
        e->code = "Unicode text, UTF-8 (with BOM)";
        e->mime = "utf-8";
        e->chars = wk_str_from(s, 3);
    } else if (looks_utf8(s) > 1) {
        e->code = "Unicode text, UTF-8";
        e->mime = "utf-8";
    } else if (looks_wide(c, s, e)) {
        return true;
    } else if (all_bytes(s, 160)) {
        e->code = "ISO-8859";
        e->mime = "iso-8859-1";
        e->chars = latin1(c, s, NULL);
    } else if (all_bytes(s, 128)) {
        e->code = "Non-ISO extended-ASCII";
        e->mime = "unknown-8bit";
        e->chars = latin1(c, s, NULL);
    } else if (!looks_ebcdic(c, s, e)) {
        e->mime = "binary";
        return false;
    }
    return true;
}

/* ---- lines -------------------------------------------------------------------------------------
 */

struct line_ends {
    size_t crlf, cr, lf, nel, longest;
    bool escapes, backspaces;
};

static void count_ends(struct wk_probe *p, struct wk_str text, struct line_ends *l)
{
    bool after_cr = false;
    int64_t i = 0, last = -1;
    for (size_t at = 0; at < text.n; i++) {
        uint32_t ch;
        at += wk_utf8_next(text.p + at, text.n - at, &ch);
        if (ch == '\n') {
            l->crlf += after_cr;
            l->lf += !after_cr;
        } else {
            l->cr += after_cr;
        }
        after_cr = ch == '\r';
        l->nel += ch == 0x85;
        if (ch == '\n' || ch == '\r' || ch == 0x85)
            last = i;
        if (i - last > LONG_LINE)
            l->longest = WK_MAX(l->longest, (size_t)(i - last));
        l->escapes = l->escapes || ch == 27;
        l->backspaces = l->backspaces || ch == '\b';
        if (i % 64 == 0)
            wk_tick(p->c, 1);
    }
    l->cr += after_cr;
}

void wk_encoding_lines(struct wk_probe *p, struct wk_str text)
{
    struct line_ends l = {0};
    count_ends(p, text, &l);
    struct wk_buf *b = p->out;
    if (l.longest)
        wk_buf_fmt(b, ", with very long lines (%zu)", l.longest);
    if (l.crlf || l.cr || l.nel || !l.lf) {
        wk_buf_put_c(b, ", with");
        if (!l.crlf && !l.cr && !l.nel && !l.lf)
            wk_buf_put_c(b, " no");
        if (l.crlf)
            wk_buf_fmt(b, " CRLF%s", l.cr || l.lf || l.nel ? "," : "");
        if (l.cr)
            wk_buf_fmt(b, " CR%s", l.lf || l.nel ? "," : "");
        if (l.lf)
            wk_buf_fmt(b, " LF%s", l.nel ? "," : "");
        if (l.nel)
            wk_buf_put_c(b, " NEL");
        wk_buf_put_c(b, " line terminators");
    }
    if (l.escapes)
        wk_buf_put_c(b, ", with escape sequences");
    if (l.backspaces)
        wk_buf_put_c(b, ", with overstriking");
}
