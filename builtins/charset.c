/* charset.c - character sets by name, one character at a time */
#include "builtins/charset.h"

#include "base/num.h"

struct wide {
    const char *name;
    int unit;
    bool big, mark_read, mark_written, pairs;
};

static const struct wide wides[] = {
    {"UTF16", 2, false, true, true, true},     {"UTF16LE", 2, false, false, false, true},
    {"UTF16BE", 2, true, false, false, true},  {"UTF32", 4, false, true, true, false},
    {"UTF32LE", 4, false, false, false, false}, {"UTF32BE", 4, true, false, false, false},
    {"UNICODE", 2, false, true, true, false},  {"UCS2", 2, false, true, false, false},
    {"ISO10646UCS2", 2, false, true, false, false}, {"UCS2LE", 2, false, false, false, false},
    {"UNICODELITTLE", 2, false, false, false, false}, {"UCS2BE", 2, true, false, false, false},
    {"UNICODEBIG", 2, true, false, false, false}, {"UCS4", 4, true, false, false, false},
    {"UCS4BE", 4, true, false, false, false},  {"UCS4LE", 4, false, false, false, false},
    {"WCHART", 4, false, false, false, false}, {"INTERNAL", 4, false, false, false, false},
};

static const struct {
    const char *name, *table; /* NULL: ASCII or Latin 1, by `kind` */
    enum wk_charset_kind kind;
} aliases[] = {
    {"UTF8", NULL, WK_CHARSET_UTF8},         {"ASCII", NULL, WK_CHARSET_ASCII},
    {"USASCII", NULL, WK_CHARSET_ASCII},     {"US", NULL, WK_CHARSET_ASCII},
    {"646", NULL, WK_CHARSET_ASCII},         {"ISO646US", NULL, WK_CHARSET_ASCII},
    {"ANSIX3.41968", NULL, WK_CHARSET_ASCII}, {"ANSIX3.4", NULL, WK_CHARSET_ASCII},
    {"367", NULL, WK_CHARSET_ASCII},         {"LATIN1", NULL, WK_CHARSET_LATIN1},
    {"L1", NULL, WK_CHARSET_LATIN1},         {"88591", NULL, WK_CHARSET_LATIN1},
    {"819", NULL, WK_CHARSET_LATIN1},        {"LATIN2", "88592", WK_CHARSET_TABLE},
    {"L2", "88592", WK_CHARSET_TABLE},       {"LATIN3", "88593", WK_CHARSET_TABLE},
    {"L3", "88593", WK_CHARSET_TABLE},       {"LATIN4", "88594", WK_CHARSET_TABLE},
    {"L4", "88594", WK_CHARSET_TABLE},       {"CYRILLIC", "88595", WK_CHARSET_TABLE},
    {"ARABIC", "88596", WK_CHARSET_TABLE},   {"GREEK", "88597", WK_CHARSET_TABLE},
    {"GREEK8", "88597", WK_CHARSET_TABLE},   {"HEBREW", "88598", WK_CHARSET_TABLE},
    {"LATIN5", "88599", WK_CHARSET_TABLE},   {"L5", "88599", WK_CHARSET_TABLE},
    {"LATIN6", "885910", WK_CHARSET_TABLE},  {"L6", "885910", WK_CHARSET_TABLE},
    {"LATIN7", "885913", WK_CHARSET_TABLE},  {"L7", "885913", WK_CHARSET_TABLE},
    {"LATIN8", "885914", WK_CHARSET_TABLE},  {"L8", "885914", WK_CHARSET_TABLE},
    {"LATIN9", "885915", WK_CHARSET_TABLE},  {"LATIN10", "885916", WK_CHARSET_TABLE},
    {"L10", "885916", WK_CHARSET_TABLE},     {"MSEE", "1250", WK_CHARSET_TABLE},
    {"MSCYRL", "1251", WK_CHARSET_TABLE},    {"MSANSI", "1252", WK_CHARSET_TABLE},
    {"MSGREEK", "1253", WK_CHARSET_TABLE},   {"MSTURK", "1254", WK_CHARSET_TABLE},
    {"MSHEBR", "1255", WK_CHARSET_TABLE},    {"MSARAB", "1256", WK_CHARSET_TABLE},
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
            *out = (struct wk_charset){WK_CHARSET_WIDE, NULL, wides[i].unit, wides[i].big, wides[i].mark_read,
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
    bool wrong = (i > 1 && ((b == 0xe0 && p[1] < 0xa0) || (b == 0xf0 && p[1] < 0x90) || (b == 0xed && p[1] >= 0xa0) ||
                            (b == 0xf4 && p[1] >= 0x90)));
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
