/* unicode.c - character classes, case and width by Unicode's tables
 *
 * The tables are made by cmake/make_unicode.cmake.
 */
#include "base/utf8.h"

struct mapping {
    uint32_t from, to;
};

#include "unicode.inc"

enum { PAGES = WK_COUNTOF(to_upper_pages) - 1 }; /* of 256 code points: past them no character has a case */
_Static_assert(WK_COUNTOF(to_lower_pages) == PAGES + 1, "both have the same pages");

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

struct ranges {
    const struct wk_range *r;
    size_t n;
};

static bool lies_in(struct ranges set, uint32_t c)
{
    size_t low = 0, high = set.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (c > set.r[mid].hi)
            low = mid + 1;
        else
            high = mid;
    }
    return low < set.n && c >= set.r[low].lo;
}

/* Past ASCII what is alphabetic or a digit is both alpha and alnum, and nothing is a digit. */
#define RANGES(name) {name##_ranges, WK_COUNTOF(name##_ranges)}
static const struct ranges classes[WK_CLASS_COUNT] = {
    [WK_CLASS_ALNUM] = RANGES(alpha), [WK_CLASS_ALPHA] = RANGES(alpha), [WK_CLASS_BLANK] = RANGES(blank),
    [WK_CLASS_CNTRL] = RANGES(cntrl), [WK_CLASS_GRAPH] = RANGES(graph), [WK_CLASS_LOWER] = RANGES(lower),
    [WK_CLASS_PRINT] = RANGES(print), [WK_CLASS_PUNCT] = RANGES(punct), [WK_CLASS_SPACE] = RANGES(space),
    [WK_CLASS_UPPER] = RANGES(upper),
};
static const struct ranges wide = RANGES(wide), zero = RANGES(zero);

size_t wk_class_ranges(enum wk_class class, const struct wk_range **ranges)
{
    *ranges = classes[class].r;
    return classes[class].n;
}

bool wk_utf8_is(uint32_t c, enum wk_class class)
{
    if (c < 128)
        return ascii_is((int)c, class);
    return class < WK_CLASS_COUNT && lies_in(classes[class], c);
}

static uint32_t mapped(const struct mapping *m, const uint16_t *pages, uint32_t c)
{
    if (c >> 8 >= PAGES)
        return c;
    size_t low = pages[c >> 8], high = pages[(c >> 8) + 1];
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (m[mid].from == c)
            return m[mid].to;
        if (m[mid].from < c)
            low = mid + 1;
        else
            high = mid;
    }
    return c;
}

uint32_t wk_utf8_upper(uint32_t c)
{
    return c < 128 ? (uint32_t)wk_to_upper((int)c) : mapped(to_upper, to_upper_pages, c);
}

uint32_t wk_utf8_lower(uint32_t c)
{
    return c < 128 ? (uint32_t)wk_to_lower((int)c) : mapped(to_lower, to_lower_pages, c);
}

int wk_utf8_width(uint32_t c)
{
    if (c < 128)
        return c == 0 ? 0 : c < 32 || c == 127 ? -1 : 1;
    if (!lies_in(classes[WK_CLASS_PRINT], c))
        return -1;
    return lies_in(wide, c) ? 2 : !lies_in(zero, c);
}
