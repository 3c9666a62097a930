/* charset.c - character sets by name, one character at a time */
#include "builtins/charset.h"

#include "base/num.h"
#include "builtins/charset_map.h"

struct wide {
    const char *name;
    int unit;
    bool big, mark_read, mark_written, pairs;
};

static const struct wide wides[] = {
    {"UTF16", 2, false, true, true, true},
    {"UTF16LE", 2, false, false, false, true},
    {"UTF16BE", 2, true, false, false, true},
    {"UTF32", 4, false, true, true, false},
    {"UTF32LE", 4, false, false, false, false},
    {"UTF32BE", 4, true, false, false, false},
    {"UNICODE", 2, false, true, true, false},
    {"UCS2", 2, false, true, false, false},
    {"ISO10646UCS2", 2, false, true, false, false},
    {"UCS2LE", 2, false, false, false, false},
    {"UNICODELITTLE", 2, false, false, false, false},
    {"UCS2BE", 2, true, false, false, false},
    {"UNICODEBIG", 2, true, false, false, false},
    {"UCS4", 4, true, false, false, false},
    {"UCS4BE", 4, true, false, false, false},
    {"UCS4LE", 4, false, false, false, false},
    {"WCHART", 4, false, false, false, false},
    {"INTERNAL", 4, false, false, false, false},
};

static const struct {
    const char *name, *table; /* NULL: ASCII or Latin 1, by `kind` */
    enum wk_charset_kind kind;
} aliases[] = {
    {"UTF8", NULL, WK_CHARSET_UTF8},          {"ASCII", NULL, WK_CHARSET_ASCII},
    {"USASCII", NULL, WK_CHARSET_ASCII},      {"US", NULL, WK_CHARSET_ASCII},
    {"646", NULL, WK_CHARSET_ASCII},          {"ISO646US", NULL, WK_CHARSET_ASCII},
    {"ANSIX3.41968", NULL, WK_CHARSET_ASCII}, {"ANSIX3.4", NULL, WK_CHARSET_ASCII},
    {"367", NULL, WK_CHARSET_ASCII},          {"LATIN1", NULL, WK_CHARSET_LATIN1},
    {"L1", NULL, WK_CHARSET_LATIN1},          {"88591", NULL, WK_CHARSET_LATIN1},
    {"819", NULL, WK_CHARSET_LATIN1},         {"LATIN2", "88592", WK_CHARSET_TABLE},
    {"L2", "88592", WK_CHARSET_TABLE},        {"LATIN3", "88593", WK_CHARSET_TABLE},
    {"L3", "88593", WK_CHARSET_TABLE},        {"LATIN4", "88594", WK_CHARSET_TABLE},
    {"L4", "88594", WK_CHARSET_TABLE},        {"CYRILLIC", "88595", WK_CHARSET_TABLE},
    {"ARABIC", "88596", WK_CHARSET_TABLE},    {"GREEK", "88597", WK_CHARSET_TABLE},
    {"GREEK8", "88597", WK_CHARSET_TABLE},    {"HEBREW", "88598", WK_CHARSET_TABLE},
    {"LATIN5", "88599", WK_CHARSET_TABLE},    {"L5", "88599", WK_CHARSET_TABLE},
    {"LATIN6", "885910", WK_CHARSET_TABLE},   {"L6", "885910", WK_CHARSET_TABLE},
    {"LATIN7", "885913", WK_CHARSET_TABLE},   {"L7", "885913", WK_CHARSET_TABLE},
    {"LATIN8", "885914", WK_CHARSET_TABLE},   {"L8", "885914", WK_CHARSET_TABLE},
    {"LATIN9", "885915", WK_CHARSET_TABLE},   {"LATIN10", "885916", WK_CHARSET_TABLE},
    {"L10", "885916", WK_CHARSET_TABLE},      {"MSEE", "1250", WK_CHARSET_TABLE},
    {"MSCYRL", "1251", WK_CHARSET_TABLE},     {"MSANSI", "1252", WK_CHARSET_TABLE},
    {"MSGREEK", "1253", WK_CHARSET_TABLE},    {"MSTURK", "1254", WK_CHARSET_TABLE},
    {"MSHEBR", "1255", WK_CHARSET_TABLE},     {"MSARAB", "1256", WK_CHARSET_TABLE},
    {"WINBALTRIM", "1257", WK_CHARSET_TABLE},
};

enum { NAME_MAX_LENGTH = 32 };

/* Upper case, without '-' and '_'. False when it is too long for a name. */
static bool plain_name(struct wk_str name, char out[NAME_MAX_LENGTH])
{
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == '-' || name.p[i] == '_' || name.p[i] == ' ')
            continue;
        if (n + 1 == NAME_MAX_LENGTH)
            return false;
        out[n++] = (char)wk_to_upper((unsigned char)name.p[i]);
    }
    out[n] = '\0';
    return n > 0;
}

static const struct wk_charset_table *find_table(const char *name)
{
    char own[NAME_MAX_LENGTH];
    for (const struct wk_charset_table *t = wk_charset_tables; t->name; t++)
        if (plain_name(wk_str_c(t->name), own) && strcmp(own, name) == 0)
            return t;
    return NULL;
}

bool wk_charset_find(struct wk_str name, struct wk_charset *out)
{
    static const char *const before[] = {"", "ISO", "CP", "IBM", "WINDOWS"};
    char plain[NAME_MAX_LENGTH];
    if (!plain_name(name, plain))
        return false;
    *out = (struct wk_charset){0};
    for (size_t i = 0; i < WK_COUNTOF(wides); i++) {
        if (strcmp(wides[i].name, plain) == 0) {
            *out = (struct wk_charset){WK_CHARSET_WIDE,       NULL,          NULL,
                                       wides[i].unit,         wides[i].big,  wides[i].mark_read,
                                       wides[i].mark_written, wides[i].pairs};
            return true;
        }
    }
    for (size_t i = 0; i < WK_COUNTOF(before); i++) {
        size_t n = strlen(before[i]);
        if (strncmp(plain, before[i], n) != 0)
            continue;
        const char *rest = plain + n;
        for (size_t k = 0; k < WK_COUNTOF(aliases); k++) {
            if (strcmp(aliases[k].name, rest) == 0) {
                out->kind = aliases[k].kind;
                out->table = aliases[k].table ? find_table(aliases[k].table) : NULL;
                return true;
            }
        }
        out->table = find_table(rest);
        out->kind = WK_CHARSET_TABLE;
        if (out->table)
            return true;
    }
    return false;
}

/* Names of the maps' sections, and others for them. */
static const struct {
    const char *name, *section;
} sections[] = {
    {"EUCJP", "EUC-JP"},
    {"UJIS", "EUC-JP"},
    {"SHIFTJIS", "SHIFT_JIS"},
    {"SJIS", "SHIFT_JIS"},
    {"MSKANJI", "SHIFT_JIS"},
    {"CSSHIFTJIS", "SHIFT_JIS"},
    {"CP932", "CP932"},
    {"MS932", "CP932"},
    {"WINDOWS31J", "CP932"},
    {"SJISOPEN", "CP932"},
    {"SJISWIN", "CP932"},
    {"CSWINDOWS31J", "CP932"},
    {"EUCKR", "EUC-KR"},
    {"CSEUCKR", "EUC-KR"},
    {"UHC", "UHC"},
    {"CP949", "UHC"},
    {"MSCP949", "UHC"},
    {"OSF100020402", "UHC"},
    {"EUCCN", "EUC-CN"},
    {"GB2312", "EUC-CN"},
    {"CSGB2312", "EUC-CN"},
    {"CN", "EUC-CN"},
    {"GBK", "GBK"},
    {"CP936", "GBK"},
    {"936", "GBK"},
    {"MS936", "GBK"},
    {"WINDOWS936", "GBK"},
    {"GB18030", "GB18030"},
    {"BIG5", "BIG5"},
    {"BIGFIVE", "BIG5"},
    {"CNBIG5", "BIG5"},
    {"CP950", "BIG5"},
    {"CSBIG5", "BIG5"},
    {"BIG5HKSCS", "BIG5-HKSCS"},
    {"HKSCSBIG5", "BIG5-HKSCS"},
    {"CP037", "CP037"},
    {"037", "CP037"},
    {"IBM037", "CP037"},
    {"EBCDICCPUS", "CP037"},
    {"EBCDICCPCA", "CP037"},
    {"EBCDICCPNL", "CP037"},
    {"EBCDICCPWT", "CP037"},
    {"CP500", "CP500"},
    {"500", "CP500"},
    {"IBM500", "CP500"},
    {"EBCDICCPBE", "CP500"},
    {"EBCDICCPCH", "CP500"},
    {"CP1047", "CP1047"},
    {"1047", "CP1047"},
    {"IBM1047", "CP1047"},
    {"VISCII", "VISCII"},
    {"TCVN", "TCVN5712-1"},
    {"TCVN5712", "TCVN5712-1"},
    {"TCVN57121", "TCVN5712-1"},
    {"TCVN57121:1993", "TCVN5712-1"},
    {"CSVISCII", "VISCII"},
    {"KOI8T", "KOI8-T"},
    {"KOI8RU", "KOI8-RU"},
    {"MACINTOSH", "MACINTOSH"},
    {"MAC", "MACINTOSH"},
    {"CSMACINTOSH", "MACINTOSH"},
    {"MACCYRILLIC", "MAC-CYRILLIC"},
    {"MACUK", "MAC-UK"},
    {"MACCENTRALEUROPE", "MAC-CENTRALEUROPE"},
    {"CP1282", "MAC-CENTRALEUROPE"},
    {"MACIS", "MAC-IS"},
    {"MACSAMI", "MAC-SAMI"},
    {"CP874", "CP874"},
    {"WINDOWS874", "CP874"},
    {"TIS620", "TIS-620"},
    {"TIS6200", "TIS-620"},
    {"CP1140", "IBM1140"},
    {"IBM1140", "IBM1140"},
    {"CP424", "CP424"},
    {"IBM424", "CP424"},
    {"CP273", "CP273"},
    {"IBM273", "CP273"},
    {"CP278", "CP278"},
    {"IBM278", "CP278"},
    {"CP280", "CP280"},
    {"IBM280", "CP280"},
    {"CP284", "CP284"},
    {"IBM284", "CP284"},
    {"CP285", "CP285"},
    {"IBM285", "CP285"},
    {"CP297", "CP297"},
    {"IBM297", "CP297"},
    {"CP871", "CP871"},
    {"IBM871", "CP871"},
    {"CP875", "CP875"},
    {"CP1026", "CP1026"},
    {"IBM1026", "CP1026"},
    {"CP1255", "CP1255"}, {"1255", "CP1255"}, {"WINDOWS1255", "CP1255"}, {"MSHEBR", "CP1255"},
    {"CP1258", "CP1258"}, {"1258", "CP1258"}, {"WINDOWS1258", "CP1258"}, {"PT154", "PT154"},
    {"CP154", "PT154"},
    {"RK1048", "RK1048"},
    {"ARMSCII8", "ARMSCII-8"},
    {"GEORGIANPS", "GEORGIAN-PS"},
    {"GEORGIANACADEMY", "GEORGIAN-ACADEMY"},
    {"HPROMAN8", "HP-ROMAN8"},
    {"ROMAN8", "HP-ROMAN8"},
    {"R8", "HP-ROMAN8"},
    {"CP1133", "CP1133"},
    {"IBMCP1133", "CP1133"},
};

const char *wk_charset_section_at(size_t i)
{
    for (size_t k = 0; k < WK_COUNTOF(sections); k++) {
        bool first = !k || strcmp(sections[k].section, sections[k - 1].section) != 0;
        if (first && i-- == 0)
            return sections[k].section;
    }
    return NULL;
}

const char *wk_charset_section(struct wk_str name)
{
    char plain[NAME_MAX_LENGTH];
    if (!plain_name(name, plain))
        return NULL;
    for (size_t i = 0; i < WK_COUNTOF(sections); i++)
        if (strcmp(sections[i].name, plain) == 0)
            return sections[i].section;
    return NULL;
}

static int get_wide(const struct wk_charset *s, const unsigned char *p, size_t n, uint32_t *c)
{
    size_t unit = (size_t)s->unit;
    *c = (uint32_t)unit;
    if (n < unit)
        return WK_CHARSET_SHORT;
    uint32_t v = 0;
    for (size_t i = 0; i < unit; i++)
        v = v << 8 | p[s->big ? i : unit - 1 - i];
    if (v >= 0xd800 && v < 0xe000) {
        if (!s->pairs || v >= 0xdc00)
            return WK_CHARSET_BAD;
        if (n < 4)
            return WK_CHARSET_SHORT;
        uint32_t low = s->big ? (uint32_t)p[2] << 8 | p[3] : (uint32_t)p[3] << 8 | p[2];
        if (low < 0xdc00 || low >= 0xe000)
            return WK_CHARSET_BAD;
        *c = 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00);
        return 4;
    }
    if (v > 0x10ffff)
        return WK_CHARSET_BAD;
    *c = v;
    return s->unit;
}

static int get_utf8(const unsigned char *p, size_t n, uint32_t *c)
{
    unsigned char b = p[0];
    size_t length = b < 0x80 ? 1 : b < 0xc2 ? 0 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : b < 0xf5 ? 4 : 0;
    *c = 1;
    if (!length) {
        while (*c < n && *c < 6 && b >= 0xc0 && (p[*c] & 0xc0) == 0x80)
            ++*c;
        return WK_CHARSET_BAD;
    }
    if (length == 1) {
        *c = b;
        return 1;
    }
    uint32_t v = b & (0x7fu >> length);
    size_t i = 1;
    for (; i < length && i < n && (p[i] & 0xc0) == 0x80; i++)
        v = v << 6 | (p[i] & 0x3f);
    bool wrong = (i > 1 && ((b == 0xe0 && p[1] < 0xa0) || (b == 0xf0 && p[1] < 0x90) ||
                            (b == 0xed && p[1] >= 0xa0) || (b == 0xf4 && p[1] >= 0x90)));
    if (i < length && i == n && !wrong)
        return WK_CHARSET_SHORT;
    if (i < length || wrong) {
        *c = (uint32_t)i;
        return WK_CHARSET_BAD;
    }
    *c = v;
    return (int)length;
}

int wk_charset_get(const struct wk_charset *s, const unsigned char *p, size_t n, uint32_t *c)
{
    switch (s->kind) {
    case WK_CHARSET_UTF8:
        return get_utf8(p, n, c);
    case WK_CHARSET_WIDE:
        return get_wide(s, p, n, c);
    case WK_CHARSET_MAP:
        return wk_charset_map_get(s->map, p, n, c);
    default:
        break;
    }
    *c = p[0];
    if (p[0] >= 0x80 && s->kind != WK_CHARSET_LATIN1) {
        *c = s->kind == WK_CHARSET_TABLE ? s->table->code[p[0] - 0x80] : 0;
        if (!*c) {
            *c = 1;
            return WK_CHARSET_BAD;
        }
    }
    return 1;
}

static size_t put_wide(const struct wk_charset *s, uint32_t c, unsigned char out[4])
{
    uint32_t v = c;
    if (s->unit == 2 && c > 0xffff) {
        if (!s->pairs)
            return 0;
        uint32_t high = 0xd800 + ((c - 0x10000) >> 10), low = 0xdc00 + (c & 0x3ff);
        v = s->big ? high << 16 | low : low << 16 | high;
    }
    size_t n = s->unit == 4 || c > 0xffff ? 4 : 2;
    for (size_t i = 0; i < n; i++)
        out[i] = (unsigned char)(v >> 8 * (s->big ? n - 1 - i : i));
    return n;
}

size_t wk_charset_put(const struct wk_charset *s, uint32_t c, unsigned char out[4])
{
    if (s->kind == WK_CHARSET_WIDE)
        return put_wide(s, c, out);
    if (s->kind == WK_CHARSET_MAP)
        return wk_charset_map_put(s->map, c, out);
    out[0] = (unsigned char)c;
    if (c < 0x80 || (c < 0x100 && s->kind == WK_CHARSET_LATIN1))
        return 1;
    if (s->kind == WK_CHARSET_TABLE) {
        for (unsigned i = 0; i < 128; i++) {
            if (s->table->code[i] == c) {
                out[0] = (unsigned char)(0x80 + i);
                return 1;
            }
        }
    }
    if (s->kind != WK_CHARSET_UTF8)
        return 0;
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (unsigned char)(0x80 | (c & 0x3f));
    out[0] = (unsigned char)(0xf00u >> n | c);
    return n;
}
