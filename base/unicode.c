/* unicode.c - character classes, case and width by Unicode's tables */
#include "base/utf8.h"

#include <utf8proc.h>

static const char *const class_names[WK_CLASS_COUNT] = {
    [WK_CLASS_ALNUM] = "alnum", [WK_CLASS_ALPHA] = "alpha", [WK_CLASS_BLANK] = "blank",
    [WK_CLASS_CNTRL] = "cntrl", [WK_CLASS_DIGIT] = "digit", [WK_CLASS_GRAPH] = "graph",
    [WK_CLASS_LOWER] = "lower", [WK_CLASS_PRINT] = "print", [WK_CLASS_PUNCT] = "punct",
    [WK_CLASS_SPACE] = "space", [WK_CLASS_UPPER] = "upper", [WK_CLASS_XDIGIT] = "xdigit",
};

enum wk_class wk_class_named(struct wk_str name)
{
    unsigned i = 0;
    while (i < WK_CLASS_COUNT && !wk_str_is(name, class_names[i]))
        i++;
    return (enum wk_class)i;
}

static bool ascii_is(int c, enum wk_class class)
{
    switch (class) {
    case WK_CLASS_ALNUM:
        return wk_is_alnum(c);
    case WK_CLASS_ALPHA:
        return wk_is_alpha(c);
    case WK_CLASS_BLANK:
        return c == ' ' || c == '\t';
    case WK_CLASS_CNTRL:
        return c < 32 || c == 127;
    case WK_CLASS_DIGIT:
        return wk_is_digit(c);
    case WK_CLASS_GRAPH:
        return c > 32 && c < 127;
    case WK_CLASS_LOWER:
        return wk_is_lower(c);
    case WK_CLASS_PRINT:
        return c >= 32 && c < 127;
    case WK_CLASS_PUNCT:
        return c > 32 && c < 127 && !wk_is_alnum(c);
    case WK_CLASS_SPACE:
        return wk_is_space(c);
    case WK_CLASS_UPPER:
        return wk_is_upper(c);
    case WK_CLASS_XDIGIT:
        return wk_is_xdigit(c);
    case WK_CLASS_COUNT:
        break;
    }
    return false;
}

/* Blanks that do not break a line are no white space to glibc. */
static bool is_space(uint32_t c, utf8proc_category_t cat)
{
    bool no_break = c == 0xa0 || c == 0x2007 || c == 0x202f;
    return (cat == UTF8PROC_CATEGORY_ZS || cat == UTF8PROC_CATEGORY_ZL ||
            cat == UTF8PROC_CATEGORY_ZP) &&
           !no_break;
}

/* Letters by a property that the general category does not tell (circled and squared capitals). */
static bool is_enclosed_upper(uint32_t c)
{
    return (c >= 0x1f130 && c <= 0x1f149) || (c >= 0x1f150 && c <= 0x1f169) ||
           (c >= 0x1f170 && c <= 0x1f189);
}

static bool is_alpha(uint32_t c, utf8proc_category_t cat)
{
    unsigned combining;
    switch (cat) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
        /* Vowel signs and points are letters; variation selectors, nuktas, viramas, accents not. */
        if ((c >= 0xfe00 && c <= 0xfe0f) || c >= 0xe0000)
            return false;
        combining = (unsigned)utf8proc_get_property((utf8proc_int32_t)c)->combining_class;
        return combining == 0 || (combining > 9 && combining < 200);
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
        return true;
    default:
        return (c >= 0x24b6 && c <= 0x24e9) || is_enclosed_upper(c);
    }
}

/* Modifier letters in the shape of small ones. */
static bool is_modifier_lower(uint32_t c)
{
    static const uint32_t ranges[][2] = {
        {0x2b0, 0x2b8},     {0x2c0, 0x2c1},     {0x2e0, 0x2e4},     {0x37a, 0x37a},
        {0x1d2c, 0x1d6a},   {0x1d78, 0x1d78},   {0x1d9b, 0x1dbf},   {0x2071, 0x2071},
        {0x207f, 0x207f},   {0x2090, 0x209c},   {0x2c7c, 0x2c7d},   {0xa69c, 0xa69d},
        {0xa770, 0xa770},   {0xa7f8, 0xa7f9},   {0xab5c, 0xab5f},   {0x10780, 0x10780},
        {0x10783, 0x10785}, {0x10787, 0x107b0}, {0x107b2, 0x107ba},
    };
    for (size_t i = 0; i < WK_COUNTOF(ranges) && c >= ranges[i][0]; i++)
        if (c <= ranges[i][1])
            return true;
    return false;
}

static bool is_lower(uint32_t c, utf8proc_category_t cat)
{
    return cat == UTF8PROC_CATEGORY_LL || wk_utf8_upper(c) != c || c == 0xaa || c == 0xba ||
           (cat == UTF8PROC_CATEGORY_LM && is_modifier_lower(c));
}

static bool is_upper(uint32_t c, utf8proc_category_t cat)
{
    return cat == UTF8PROC_CATEGORY_LU || wk_utf8_lower(c) != c || is_enclosed_upper(c);
}

bool wk_utf8_is(uint32_t c, enum wk_class class)
{
    if (c < 128)
        return ascii_is((int)c, class);
    if (c > WK_UTF8_MAX)
        return false;
    utf8proc_category_t cat = utf8proc_category((utf8proc_int32_t)c);
    if (cat == UTF8PROC_CATEGORY_CN || cat == UTF8PROC_CATEGORY_CS)
        return false;
    bool cntrl = cat == UTF8PROC_CATEGORY_CC || c == 0x2028 || c == 0x2029;
    switch (class) {
    case WK_CLASS_ALPHA:
    case WK_CLASS_ALNUM:
        return is_alpha(c, cat);
    case WK_CLASS_BLANK:
        return is_space(c, cat) && cat == UTF8PROC_CATEGORY_ZS;
    case WK_CLASS_CNTRL:
        return cntrl;
    case WK_CLASS_GRAPH:
        return !cntrl && !is_space(c, cat);
    case WK_CLASS_LOWER:
        return is_lower(c, cat);
    case WK_CLASS_PRINT:
        return !cntrl;
    case WK_CLASS_PUNCT:
        return !cntrl && !is_space(c, cat) && !is_alpha(c, cat);
    case WK_CLASS_SPACE:
        return is_space(c, cat);
    case WK_CLASS_UPPER:
        return is_upper(c, cat);
    case WK_CLASS_DIGIT:
    case WK_CLASS_XDIGIT:
    case WK_CLASS_COUNT:
        break;
    }
    return false;
}

uint32_t wk_utf8_upper(uint32_t c)
{
    if (c < 128)
        return (uint32_t)wk_to_upper((int)c);
    if (c > WK_UTF8_MAX || c == 0xdf) /* glibc has no capital for sharp s */
        return c;
    return (uint32_t)utf8proc_toupper((utf8proc_int32_t)c);
}

uint32_t wk_utf8_lower(uint32_t c)
{
    if (c < 128)
        return (uint32_t)wk_to_lower((int)c);
    return c > WK_UTF8_MAX ? c : (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
}

int wk_utf8_width(uint32_t c)
{
    if (c < 128)
        return c == 0 ? 0 : c < 32 || c == 127 ? -1 : 1;
    if (c > WK_UTF8_MAX || !wk_utf8_is(c, WK_CLASS_PRINT))
        return -1;
    if (c >= 0x1160 && c <= 0x11ff) /* vowels and finals join the Hangul syllable before them */
        return 0;
    if (utf8proc_category((utf8proc_int32_t)c) == UTF8PROC_CATEGORY_MC)
        return 1;
    return utf8proc_charwidth((utf8proc_int32_t)c);
}
