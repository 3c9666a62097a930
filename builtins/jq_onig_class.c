/* jq_onig_class.c - characters by code, properties and bracketed classes of jq's regular expressions */
#include "builtins/jq_onig.h"

#include "base/num.h"
#include "base/utf8.h"

enum { CODE_MAX = 0x10ffff, IMPOSSIBLE = 0x7fffffff };

void wk_onig_put_char(struct onig *w, uint32_t c)
{
    char text[WK_NUM_MAX];
    if (c > CODE_MAX || (c >= 0xd800 && c < 0xe000)) {
        wk_onig_put_c(w, "(?!)");
        return;
    }
    if (c < 128 && wk_is_alnum((int)c)) {
        text[0] = (char)c;
        wk_onig_put(w, text, 1);
        return;
    }
    w->o.ascii = w->o.ascii && c < 128;
    wk_onig_put_c(w, "\\x{");
    wk_onig_put(w, text, wk_fmt_u64(text, c, 16));
    wk_onig_put_c(w, "}");
}

/* ---- codes ---- */

static uint32_t digit_value(char c)
{
    return wk_is_digit(c) ? (uint32_t)(c - '0') : wk_is_xdigit(c) ? (uint32_t)((c | 0x20) - 'a' + 10) : 99;
}

/* At most `most` digits of the base at i. */
static uint32_t read_digits(struct onig *w, uint32_t base, size_t most, size_t *count)
{
    uint32_t v = 0;
    *count = 0;
    while (*count < most && digit_value(wk_onig_peek(w, 0)) < base) {
        v = v > CODE_MAX ? IMPOSSIBLE : v * base + digit_value(wk_onig_peek(w, 0));
        w->i++;
        ++*count;
    }
    return v;
}

/* {DIGITS} at i. */
static bool read_braced(struct onig *w, uint32_t base, uint32_t *c)
{
    size_t start = w->i, count;
    w->i++;
    *c = read_digits(w, base, 16, &count);
    if (count && wk_onig_peek(w, 0) == '}') {
        w->i++;
        return true;
    }
    w->i = start;
    return false;
}

/* One code, after the backslash; *byte tells that it is one byte of a character. */
static bool read_code(struct onig *w, uint32_t *c, bool *byte)
{
    size_t start = w->i, count;
    char kind = wk_onig_peek(w, 0);
    *byte = false;
    if ((kind == 'x' || kind == 'o') && wk_onig_peek(w, 1) == '{') {
        w->i++;
        if (read_braced(w, kind == 'x' ? 16 : 8, c))
            return true;
    } else if (kind == 'x' && digit_value(wk_onig_peek(w, 1)) < 16) {
        w->i++;
        *c = read_digits(w, 16, 2, &count);
        *byte = *c >= 128;
        return true;
    } else if (kind >= '0' && kind <= '7') {
        *c = read_digits(w, 8, 3, &count);
        *byte = *c >= 128 && *c < 256;
        return true;
    }
    w->i = start;
    return false;
}

bool wk_onig_code(struct onig *w, uint32_t *c)
{
    bool byte;
    char bytes[4];
    size_t n = 1;
    if (!read_code(w, c, &byte))
        return false;
    if (!byte)
        return true;
    bytes[0] = (char)*c;
    size_t need = *c >= 0xf0 ? 4 : *c >= 0xe0 ? 3 : 2;
    if (*c < 0xc2 || *c > 0xf4) {
        wk_onig_error(w, "invalid code point value");
        return true;
    }
    while (n < need && wk_onig_peek(w, 0) == '\\') {
        size_t start = w->i++;
        if (!read_code(w, c, &byte) || !byte) {
            w->i = start;
            break;
        }
        bytes[n++] = (char)*c;
    }
    if (n < need || wk_utf8_next(bytes, n, c) != n || wk_utf8_is_bad(*c)) {
        *c = '?';
        wk_onig_error(w, "too short multibyte code string");
    }
    return true;
}

uint32_t wk_onig_char(struct onig *w)
{
    static const char letters[] = "tnrfae", codes[] = "\t\n\r\f\a\033";
    uint32_t c;
    w->i += wk_utf8_next(w->s.p + w->i, w->s.n - w->i, &c);
    const char *letter = c && c < 128 ? strchr(letters, (int)c) : NULL;
    if (letter)
        return (unsigned char)codes[letter - letters];
    if (c != 'c')
        return c;
    if (!wk_onig_more(w)) {
        wk_onig_error(w, "end pattern at control");
        return c;
    }
    w->i += wk_utf8_next(w->s.p + w->i, w->s.n - w->i, &c);
    return c == '?' ? 127 : c & 31;
}

/* ---- properties ---- */

static const char *const posix_names[] = {"alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph",
                                          "lower", "print", "punct", "space", "upper", "word",  "xdigit"};

static bool is_posix(struct wk_str name)
{
    for (size_t k = 0; k < WK_COUNTOF(posix_names); k++)
        if (wk_str_is(name, posix_names[k]))
            return true;
    return false;
}

void wk_onig_put_word(struct onig *w)
{
    wk_onig_put_c(w, w->unicode ? "\\p{Alphabetic}\\p{M}\\p{N}\\p{Pc}" : "\\w");
}

/* [:name:] for a class; punct has the symbols with it. */
static void put_posix(struct onig *w, struct wk_str name, bool negated)
{
    bool punct = wk_str_is(name, "punct");
    if (w->unicode && !negated && wk_str_is(name, "word")) {
        wk_onig_put_word(w);
        return;
    }
    if (w->unicode && !negated && wk_str_is(name, "alnum")) {
        wk_onig_put_c(w, "\\p{Alphabetic}\\p{Nd}");
        return;
    }
    wk_onig_put_c(w, negated ? "[:^" : "[:");
    wk_onig_put(w, name.p, name.n);
    wk_onig_put_c(w, ":]");
    if (punct && !negated)
        wk_onig_put_c(w, "\\p{S}");
}

/* The long names of general categories. */
static const struct {
    const char *name, *category;
} categories[] = {
    {"any", "Any"},
    {"casedletter", "L&"},
    {"closepunctuation", "Pe"},
    {"connectorpunctuation", "Pc"},
    {"control", "Cc"},
    {"currencysymbol", "Sc"},
    {"dashpunctuation", "Pd"},
    {"decimalnumber", "Nd"},
    {"enclosingmark", "Me"},
    {"finalpunctuation", "Pf"},
    {"format", "Cf"},
    {"initialpunctuation", "Pi"},
    {"lc", "L&"},
    {"letter", "L"},
    {"letternumber", "Nl"},
    {"lineseparator", "Zl"},
    {"lowercaseletter", "Ll"},
    {"mark", "M"},
    {"mathsymbol", "Sm"},
    {"modifierletter", "Lm"},
    {"modifiersymbol", "Sk"},
    {"nonspacingmark", "Mn"},
    {"number", "N"},
    {"openpunctuation", "Ps"},
    {"other", "C"},
    {"otherletter", "Lo"},
    {"othernumber", "No"},
    {"otherpunctuation", "Po"},
    {"othersymbol", "So"},
    {"paragraphseparator", "Zp"},
    {"privateuse", "Co"},
    {"punctuation", "P"},
    {"separator", "Z"},
    {"spaceseparator", "Zs"},
    {"spacingmark", "Mc"},
    {"surrogate", "Cs"},
    {"symbol", "S"},
    {"titlecaseletter", "Lt"},
    {"unassigned", "Cn"},
    {"uppercaseletter", "Lu"},
};

/* The name in small letters without blanks, '-' and '_'. */
static struct wk_str plain_name(struct wk_str name, char *dst, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < name.n && n < room; i++)
        if (!strchr(" -_", name.p[i]) || !name.p[i])
            dst[n++] = (char)wk_to_lower((unsigned char)name.p[i]);
    return wk_str(dst, n);
}

bool wk_onig_property(struct onig *w, bool in_class)
{
    char plain[64];
    bool negated = wk_onig_peek(w, 0) == 'P';
    if (wk_onig_peek(w, 1) != '{')
        return false;
    ptrdiff_t end = wk_str_chr(wk_str_from(w->s, w->i), '}');
    if (end < 0) {
        wk_onig_fail(w, "invalid character property name {%s}", wk_str_from(w->s, w->i));
        return true;
    }
    struct wk_str name = wk_str(w->s.p + w->i + 2, (size_t)end - 2);
    w->i += (size_t)end + 1;
    if (name.n && name.p[0] == '^') {
        negated = !negated;
        name = wk_str_from(name, 1);
    }
    struct wk_str known = plain_name(name, plain, sizeof plain);
    if (is_posix(known)) {
        if (!in_class)
            wk_onig_put_c(w, negated ? "[^" : "[");
        put_posix(w, known, negated && in_class);
        if (!in_class)
            wk_onig_put_c(w, "]");
        return true;
    }
    if (wk_str_is(known, "assigned")) {
        wk_onig_put_c(w, negated ? "\\p{Cn}" : "\\P{Cn}");
        return true;
    }
    w->o.property = name;
    wk_onig_put_c(w, negated ? "\\P{" : "\\p{");
    for (size_t k = 0; k < WK_COUNTOF(categories); k++)
        if (wk_str_is(known, categories[k].name)) {
            wk_onig_put_c(w, categories[k].category);
            wk_onig_put_c(w, "}");
            return true;
        }
    if (wk_str_chr(name, '=') >= 0 || wk_str_chr(name, ':') >= 0)
        wk_onig_fail(w, "invalid character property name {%s}", name);
    wk_onig_put(w, name.p, name.n);
    wk_onig_put_c(w, "}");
    return true;
}

/* ---- classes ---- */

enum member { MEMBER_CHAR, MEMBER_SET };

/* [:name:] at i; false when there is none. */
static bool posix_class(struct onig *w)
{
    bool negated = wk_onig_peek(w, 2) == '^';
    size_t at = 2 + negated, n = 0;
    while (wk_is_alnum((unsigned char)wk_onig_peek(w, at + n)))
        n++;
    if (wk_onig_peek(w, at + n) != ':' || wk_onig_peek(w, at + n + 1) != ']')
        return false;
    struct wk_str name = wk_str_take(wk_str_from(w->s, w->i + at), n);
    if (!is_posix(name))
        wk_onig_error(w, "invalid POSIX bracket type");
    put_posix(w, name, negated);
    w->i += at + n + 2;
    return true;
}

/* One member: a character comes back in *c, a set is written at once. */
static enum member read_member(struct onig *w, uint32_t *c)
{
    if (wk_onig_peek(w, 0) == '[' && wk_onig_peek(w, 1) == ':' && posix_class(w))
        return MEMBER_SET;
    if (wk_onig_peek(w, 0) != '\\') {
        w->i += wk_utf8_next(w->s.p + w->i, w->s.n - w->i, c);
        return MEMBER_CHAR;
    }
    w->i++;
    if (!wk_onig_more(w)) {
        wk_onig_error(w, "premature end of char-class");
        return MEMBER_CHAR;
    }
    char e = wk_onig_peek(w, 0), set[2] = {'\\', e};
    if (e == 'w' && w->unicode) {
        wk_onig_put_word(w);
        w->i++;
        return MEMBER_SET;
    }
    if (e && strchr("wWdDsS", e)) {
        wk_onig_put(w, set, 2);
        w->i++;
        return MEMBER_SET;
    }
    if ((e == 'p' || e == 'P') && wk_onig_property(w, true))
        return MEMBER_SET;
    if (e == 'b') {
        w->i++;
        *c = '\b';
    } else if (!wk_onig_code(w, c)) {
        *c = wk_onig_char(w);
    }
    return MEMBER_CHAR;
}

/* A ']' at the start is a member when the class has another one. */
static bool closes_later(const struct onig *w)
{
    for (size_t i = w->i + 1; i < w->s.n; i++) {
        if (w->s.p[i] == ']')
            return true;
        if (w->s.p[i] == '\\')
            i++;
    }
    return false;
}

static bool dash_follows(const struct onig *w)
{
    return wk_onig_peek(w, 0) == '-' && w->i + 1 < w->s.n && w->s.p[w->i + 1] != ']';
}

static void put_range(struct onig *w, uint32_t first, uint32_t last)
{
    if (first > CODE_MAX || (first >= 0xd800 && first < 0xe000))
        return; /* no character at all */
    wk_onig_put_char(w, first);
    if (last == first)
        return;
    wk_onig_put_c(w, "-");
    wk_onig_put_char(w, last > CODE_MAX ? CODE_MAX : last >= 0xd800 && last < 0xe000 ? 0xd7ff : last);
}

void wk_onig_class(struct onig *w)
{
    wk_onig_put_c(w, "[");
    if (wk_onig_peek(w, 0) == '^') {
        wk_onig_put_c(w, "^");
        w->i++;
    }
    if (wk_onig_peek(w, 0) == ']' && !closes_later(w))
        wk_onig_error(w, "empty char-class");
    for (bool first = true; !w->o.error; first = false) {
        uint32_t c = 0, last = 0;
        if (!wk_onig_more(w)) {
            wk_onig_error(w, "premature end of char-class");
            return;
        }
        if (wk_onig_peek(w, 0) == ']' && !first)
            break;
        enum member kind = read_member(w, &c);
        if (kind == MEMBER_SET) {
            if (dash_follows(w))
                wk_onig_error(w, "unmatched range specifier in char-class");
            continue;
        }
        last = c;
        if (dash_follows(w)) {
            w->i++;
            if (read_member(w, &last) == MEMBER_SET)
                wk_onig_error(w, "char-class value at end of range");
            else if (last < c)
                wk_onig_error(w, "empty range in char class");
        }
        put_range(w, c, last);
    }
    w->i++;
    wk_onig_put_c(w, "]");
}
