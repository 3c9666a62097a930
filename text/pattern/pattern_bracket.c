/* pattern_bracket.c - bracket expressions of shell patterns */
#include "text/pattern/pattern_bracket.h"

/* The names POSIX gives the characters of the portable set, where the name is not the character. */
static const struct {
    const char *name;
    char c;
} collating_names[] = {
    {"NUL", 0},         {"SOH", 1},          {"STX", 2},           {"ETX", 3},
    {"EOT", 4},         {"ENQ", 5},          {"ACK", 6},           {"alert", 7},
    {"BS", 8},          {"backspace", 8},    {"HT", 9},            {"tab", 9},
    {"LF", 10},         {"newline", 10},     {"VT", 11},           {"vertical-tab", 11},
    {"FF", 12},         {"form-feed", 12},   {"CR", 13},           {"carriage-return", 13},
    {"SO", 14},         {"SI", 15},          {"DLE", 16},          {"DC1", 17},
    {"DC2", 18},        {"DC3", 19},         {"DC4", 20},          {"NAK", 21},
    {"SYN", 22},        {"ETB", 23},         {"CAN", 24},          {"EM", 25},
    {"SUB", 26},        {"ESC", 27},         {"IS4", 28},          {"FS", 28},
    {"IS3", 29},        {"GS", 29},          {"IS2", 30},          {"RS", 30},
    {"IS1", 31},        {"US", 31},          {"space", ' '},       {"exclamation-mark", '!'},
    {"quotation-mark", '"'}, {"number-sign", '#'}, {"dollar-sign", '$'}, {"percent-sign", '%'},
    {"ampersand", '&'}, {"apostrophe", '\''}, {"left-parenthesis", '('}, {"right-parenthesis", ')'},
    {"asterisk", '*'},  {"plus-sign", '+'},  {"comma", ','},       {"hyphen", '-'},
    {"hyphen-minus", '-'}, {"minus", '-'},   {"dash", '-'},        {"period", '.'},
    {"full-stop", '.'}, {"slash", '/'},      {"solidus", '/'},     {"zero", '0'},
    {"one", '1'},       {"two", '2'},        {"three", '3'},       {"four", '4'},
    {"five", '5'},      {"six", '6'},        {"seven", '7'},       {"eight", '8'},
    {"nine", '9'},      {"colon", ':'},      {"semicolon", ';'},   {"less-than-sign", '<'},
    {"equals-sign", '='}, {"greater-than-sign", '>'}, {"question-mark", '?'},
    {"commercial-at", '@'}, {"left-square-bracket", '['}, {"backslash", '\\'},
    {"reverse-solidus", '\\'}, {"right-square-bracket", ']'}, {"circumflex", '^'},
    {"circumflex-accent", '^'}, {"underscore", '_'}, {"grave-accent", '`'},
    {"left-brace", '{'}, {"left-curly-bracket", '{'}, {"vertical-line", '|'},
    {"right-brace", '}'}, {"right-curly-bracket", '}'}, {"tilde", '~'}, {"DEL", 127},
};

static uint32_t fold(uint32_t c, bool bytes)
{
    return bytes ? (c < 128 ? (uint32_t)wk_to_lower((int)c) : c) : wk_utf8_lower(c);
}

static bool in_class(const struct wk_pat_set *set, uint32_t c)
{
    for (unsigned k = 0; set->classes >> k; k++)
        if ((set->classes >> k & 1) && wk_utf8_is(c, (enum wk_class)k))
            return true;
    return false;
}

/* Without regard to case a character is folded for the ranges, and asked for its class as it is. */
bool wk_pat_set_has(const struct wk_pat_set *set, uint32_t c, bool bytes)
{
    bool in = false;
    if (set->never)
        return false;
    if (set->nocase) {
        if ((!bytes || c < 128) && in_class(set, c))
            return !set->negated;
        c = fold(c, bytes);
    }
    if (bytes) {
        c &= 0xff;
        in = set->bytes[c >> 6] >> (c & 63) & 1;
    } else if (c < 128) {
        in = set->ascii[c >> 6] >> (c & 63) & 1;
    } else {
        for (const struct wk_pat_range *r = set->ranges; r && !in; r = r->next)
            in = c >= r->lo && c <= r->hi;
        in = in || (!set->nocase && in_class(set, c));
    }
    return in != set->negated;
}

/* Reading one bracket expression as characters or as bytes. */
struct reader {
    struct wk_arena *a;
    struct wk_str text;
    size_t i;
    bool bytes;
    struct wk_pat_set *set;
    bool failed;
};

static void add_range(struct reader *r, uint32_t lo, uint32_t hi)
{
    if (r->set->nocase) {
        lo = fold(lo, r->bytes);
        hi = fold(hi, r->bytes);
    }
    if (lo > hi)
        return;
    if (r->bytes) {
        for (uint32_t c = lo & 0xff; c <= (hi & 0xff); c++)
            r->set->bytes[c >> 6] |= 1ull << (c & 63);
        return;
    }
    for (uint32_t c = lo; c <= hi && c < 128; c++)
        r->set->ascii[c >> 6] |= 1ull << (c & 63);
    if (hi < 128)
        return;
    struct wk_pat_range *range = WK_ARENA_NEW(r->a, struct wk_pat_range);
    if (!range) {
        r->failed = true;
        return;
    }
    *range = (struct wk_pat_range){WK_MAX(lo, 128), hi, r->set->ranges};
    r->set->ranges = range;
}

static void add_class(struct reader *r, struct wk_str name)
{
    enum wk_class class = wk_class_named(name);
    bool word = wk_str_is(name, "word");
    if (class == WK_CLASS_COUNT && !word && !wk_str_is(name, "ascii"))
        return;
    bool kept = r->set->nocase && class != WK_CLASS_COUNT;
    for (uint32_t c = 0; c < 128 && !kept; c++) {
        bool in = class != WK_CLASS_COUNT ? wk_utf8_is(c, class) : !word || wk_is_name_char((int)c);
        if (in && r->bytes)
            r->set->bytes[c >> 6] |= 1ull << (c & 63);
        else if (in)
            r->set->ascii[c >> 6] |= 1ull << (c & 63);
    }
    if (kept || (!r->bytes && (class != WK_CLASS_COUNT || word)))
        r->set->classes |= (uint16_t)(1u << (word ? WK_CLASS_ALNUM : class));
}

enum { LONGEST_NAME = 40 }; /* of a class; looking no further keeps hostile text linear */

/* The text between "[x" and "x]" when s at i begins so; the length of the whole, or 0. A class has
 * no ] in its name, and an equivalence class is of one character. */
static size_t delimited(struct wk_str s, size_t i, struct wk_str *inner)
{
    char kind = s.p[i + 1];
    if (kind == '=') {
        uint32_t c;
        size_t n = i + 2 < s.n ? wk_utf8_next(s.p + i + 2, s.n - i - 2, &c) : 0;
        if (!n || i + n + 3 >= s.n || s.p[i + n + 2] != '=' || s.p[i + n + 3] != ']')
            return 0;
        *inner = wk_str(s.p + i + 2, n);
        return n + 4;
    }
    s = wk_str_take(s, i + LONGEST_NAME);
    for (size_t k = i + 2; k + 1 < s.n && (kind != ':' || s.p[k] != ']'); k++)
        if (s.p[k] == kind && s.p[k + 1] == ']' && (k > i + 2 || kind != '.')) {
            *inner = wk_str(s.p + i + 2, k - i - 2);
            return k + 2 - i;
        }
    return 0;
}

/* The character a collating symbol or equivalence class stands for; false when none. */
static bool collating(struct reader *r, struct wk_str name, uint32_t *c)
{
    if (name.n == 0)
        return false;
    if (name.n == 1 || r->bytes) {
        *c = (unsigned char)name.p[0];
        if (name.n == 1)
            return true;
    } else if (wk_utf8_next(name.p, name.n, c) == name.n) {
        return true;
    }
    for (size_t k = 0; k < WK_COUNTOF(collating_names); k++)
        if (wk_str_is(name, collating_names[k].name)) {
            *c = (unsigned char)collating_names[k].c;
            return true;
        }
    return false;
}

/* One end of a range or a single character: 1 and *c, 0 when it stands for nothing. */
static bool read_char(struct reader *r, uint32_t *c)
{
    struct wk_str s = r->text, inner;
    if (s.p[r->i] == '[' && r->i + 1 < s.n && s.p[r->i + 1] == '.') {
        size_t n = delimited(s, r->i, &inner);
        if (n) {
            r->i += n;
            return collating(r, inner, c);
        }
        r->set->never = true; /* bash lets such a bracket match nothing */
    }
    if (s.p[r->i] == '\\' && r->i + 1 < s.n)
        r->i++;
    if (r->bytes) {
        *c = (unsigned char)s.p[r->i++];
    } else {
        r->i += wk_utf8_next(s.p + r->i, s.n - r->i, c);
    }
    return true;
}

/* text.p[i..end) is a whole bracket expression: both brackets are there. */
static bool read_set(struct reader *r, size_t i, size_t end)
{
    struct wk_str inner;
    r->text = wk_str(r->text.p, end - 1); /* the closing bracket is out of sight */
    r->i = i + 1;
    if (r->i < r->text.n && (r->text.p[r->i] == '!' || r->text.p[r->i] == '^')) {
        r->set->negated = true;
        r->i++;
    }
    while (r->i < r->text.n && !r->failed) {
        struct wk_str s = r->text;
        char next = r->i + 1 < s.n ? s.p[r->i + 1] : '\0';
        if (s.p[r->i] == '[' && (next == ':' || next == '=')) {
            size_t n = delimited(s, r->i, &inner);
            uint32_t c;
            if (n) {
                r->i += n;
                if (next == ':')
                    add_class(r, inner);
                else if (collating(r, inner, &c))
                    add_range(r, c, c);
                /* As bash has it, what comes after [=x=] is needed to tell that nothing fits. */
                r->set->never |= next == '=' && r->set->negated && r->i >= s.n;
                continue;
            }
            if (next == ':') { /* the bracket goes, and the rest is text */
                r->i++;
                continue;
            }
        }
        uint32_t lo, hi;
        bool known = read_char(r, &lo);
        if (r->i + 1 < s.n && s.p[r->i] == '-') {
            r->i++;
            if (read_char(r, &hi) && known)
                add_range(r, lo, hi);
        } else if (known) {
            add_range(r, lo, lo);
        }
    }
    return !r->failed;
}

struct wk_pat_set *wk_pat_bracket(struct wk_arena *a, struct wk_str text, size_t i, size_t end,
                                  bool nocase)
{
    struct wk_pat_set *set = WK_ARENA_NEW(a, struct wk_pat_set);
    if (!set)
        return NULL;
    set->nocase = nocase;
    struct reader chars = {.a = a, .text = text, .set = set};
    if (!read_set(&chars, i, end))
        return NULL;
    struct reader bytes = {.a = a, .text = text, .set = set, .bytes = true};
    if (!read_set(&bytes, i, end))
        return NULL;
    return set;
}

/* One character of a bracket, or [.x.]: its length. */
static size_t char_end(struct wk_str s, size_t k)
{
    struct wk_str inner;
    if (s.p[k] == '[' && k + 1 < s.n && s.p[k + 1] == '.') {
        size_t n = delimited(s, k, &inner);
        if (n)
            return k + n;
    }
    return k + (s.p[k] == '\\' && k + 1 < s.n ? 2 : 1);
}

size_t wk_pat_bracket_end(struct wk_str s, size_t i)
{
    struct wk_str inner;
    size_t k = i + 1;
    if (k < s.n && (s.p[k] == '!' || s.p[k] == '^'))
        k++;
    for (bool first = true; k < s.n; first = false) {
        char next = k + 1 < s.n ? s.p[k + 1] : '\0';
        if (s.p[k] == ']' && !first)
            return k + 1;
        if (s.p[k] == '[' && (next == ':' || next == '=')) {
            size_t n = delimited(s, k, &inner);
            if (n) {
                k += n;
                continue;
            }
        }
        k = char_end(s, k);
        if (k + 1 < s.n && s.p[k] == '-' && s.p[k + 1] != ']')
            k = char_end(s, k + 1); /* the end of a range is no class */
    }
    return 0;
}

size_t wk_pat_group_bracket_end(struct wk_str s, size_t i)
{
    char class = '\0';
    size_t k = i + 1;
    if (k < s.n && (s.p[k] == '!' || s.p[k] == '^'))
        k++;
    for (size_t first = k; k < s.n; k++) {
        char next = k + 1 < s.n ? s.p[k + 1] : '\0';
        if (s.p[k] == '\\') {
            k++;
        } else if (class && s.p[k] == ']' && s.p[k - 1] == class) {
            class = '\0';
        } else if (s.p[k] == '[' && (next == ':' || next == '.' || next == '=')) {
            class = next;
            k++;
        } else if (s.p[k] == ']' && k > first) {
            return k + 1;
        }
    }
    return 0;
}
