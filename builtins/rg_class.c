/* rg_class.c - rg: bracket expressions with their set operations, and Unicode's properties */
#include "builtins/rg_parse.h"

#include "base/utf8.h"
#include "builtins/regex.h"

/* ---- properties --------------------------------------------------------------------------------------------------
 */

/* Long names of general categories; PCRE2 knows the short ones. */
static const char *const categories[][2] = {{"other", "C"},
                                            {"control", "Cc"},
                                            {"cntrl", "Cc"},
                                            {"format", "Cf"},
                                            {"unassigned", "Cn"},
                                            {"privateuse", "Co"},
                                            {"surrogate", "Cs"},
                                            {"letter", "L"},
                                            {"casedletter", "L&"},
                                            {"lc", "L&"},
                                            {"lowercaseletter", "Ll"},
                                            {"modifierletter", "Lm"},
                                            {"otherletter", "Lo"},
                                            {"titlecaseletter", "Lt"},
                                            {"uppercaseletter", "Lu"},
                                            {"mark", "M"},
                                            {"combiningmark", "M"},
                                            {"spacingmark", "Mc"},
                                            {"enclosingmark", "Me"},
                                            {"nonspacingmark", "Mn"},
                                            {"number", "N"},
                                            {"decimalnumber", "Nd"},
                                            {"digit", "Nd"},
                                            {"letternumber", "Nl"},
                                            {"othernumber", "No"},
                                            {"punctuation", "P"},
                                            {"punct", "P"},
                                            {"connectorpunctuation", "Pc"},
                                            {"dashpunctuation", "Pd"},
                                            {"closepunctuation", "Pe"},
                                            {"finalpunctuation", "Pf"},
                                            {"initialpunctuation", "Pi"},
                                            {"otherpunctuation", "Po"},
                                            {"openpunctuation", "Ps"},
                                            {"symbol", "S"},
                                            {"currencysymbol", "Sc"},
                                            {"modifiersymbol", "Sk"},
                                            {"mathsymbol", "Sm"},
                                            {"othersymbol", "So"},
                                            {"separator", "Z"},
                                            {"lineseparator", "Zl"},
                                            {"paragraphseparator", "Zp"},
                                            {"spaceseparator", "Zs"}};

/* Without case, blanks, '_' and '-', as such names are compared. */
static char *plain_name(struct wk_cmd *c, struct wk_str name)
{
    char *out = wk_dupn(c, name.p, name.n);
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++)
        if (!strchr("_- ", name.p[i]))
            out[n++] = (char)wk_to_lower((unsigned char)name.p[i]);
    out[n] = '\0';
    return out;
}

static bool try_property(struct wk_cmd *c, const char *text, uint64_t ascii[2])
{
    struct wk_re_error err;
    struct wk_re *re = wk_cmd_re_anywhere(c, wk_str_c(text), WK_RE_PERL | WK_RE_NOSUB, &err);
    struct wk_re_run run = wk_cmd_re_run(c);
    if (!re)
        return false;
    for (unsigned ch = 0; ch < 128; ch++) {
        char one = (char)ch;
        if (wk_re_search(re, &run, wk_str(&one, 1), 0, NULL, 0) == 1)
            ascii[ch / 64] |= UINT64_C(1) << ch % 64;
    }
    return true;
}

/* The property's text for PCRE2, or NULL. A script's name stands for the script, not for its extensions. */
static const char *find_property(struct wk_cmd *c, const char *kind, const char *name, char letter, uint64_t ascii[2])
{
    bool any = !*kind, category = any || !strcmp(kind, "gc") || !strcmp(kind, "generalcategory");
    bool script = any || !strcmp(kind, "sc") || !strcmp(kind, "script");
    bool extensions = !strcmp(kind, "scx") || !strcmp(kind, "scriptextensions");
    const char *text;
    if (!*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789")])
        return NULL;
    if (any && !strcmp(name, "ascii"))
        return ascii[0] = ascii[1] = UINT64_MAX, letter == 'p' ? "[\\x{0}-\\x{7f}]" : "[^\\x{0}-\\x{7f}]";
    if (any && !strcmp(name, "assigned"))
        return ascii[0] = ascii[1] = UINT64_MAX, letter == 'p' ? "\\P{Cn}" : "\\p{Cn}";
    for (size_t i = 0; category && i < WK_COUNTOF(categories); i++)
        if (!strcmp(categories[i][0], name)) {
            (void)try_property(c, wk_strf(c, "\\p{%s}", categories[i][1]), ascii);
            return wk_strf(c, "\\%c{%s}", letter, categories[i][1]);
        }
    if (category && strlen(name) <= 2 && strchr("clmnpsz", name[0])) {
        const char *shown = wk_strf(c, "%c%s", wk_to_upper(name[0]), name + 1);
        if (try_property(c, wk_strf(c, "\\p{%s}", shown), ascii))
            return wk_strf(c, "\\%c{%s}", letter, shown);
    }
    if (extensions || script) {
        text = wk_strf(c, "{%s:%s}", extensions ? "scx" : "sc", name);
        if (try_property(c, wk_strf(c, "\\p%s", text), ascii))
            return wk_strf(c, "\\%c%s", letter, text);
    }
    if (any && strlen(name) > 2 && try_property(c, wk_strf(c, "\\p{%s}", name), ascii))
        return wk_strf(c, "\\%c{%s}", letter, name);
    return NULL;
}

static bool is_case(const char *name)
{
    static const char *const names[] = {
        "lu",        "ll",    "lt",   "uppercaseletter", "lowercaseletter", "titlecaseletter", "uppercase",
        "lowercase", "upper", "lower"};
    for (size_t i = 0; i < WK_COUNTOF(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

bool wk_rg_parse_property(struct wk_rg_parse *p, size_t start, bool negated, struct wk_rg_set *s)
{
    size_t at = p->at, next = at;
    struct wk_str name;
    if (wk_rg_peek(p, at, &next) == WK_RG_END)
        return wk_rg_wrong(p, "incomplete escape sequence, reached end of pattern prematurely", p->s.n, p->s.n);
    if (p->s.p[at] == '{') {
        ptrdiff_t close = wk_str_chr(wk_str_from(p->s, at), '}');
        if (close < 0)
            return wk_rg_wrong(p, "incomplete escape sequence, reached end of pattern prematurely", p->s.n, p->s.n);
        name = wk_str(p->s.p + at + 1, (size_t)close - 1);
        next = at + (size_t)close + 1;
    } else {
        name = wk_str(p->s.p + at, next - at);
    }
    p->at = next;
    struct wk_str kind = wk_str("", 0);
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] == '=' || name.p[i] == ':') {
            bool not = i && name.p[i - 1] == '!';
            negated = negated != not ;
            kind = wk_str(name.p, i - not );
            name = wk_str_from(name, i + 1);
            break;
        }
    uint64_t ascii[2] = {0, 0};
    if (p->flags.i && is_case(plain_name(p->c, name))) { /* either case of its letters */
        kind = wk_str("", 0);
        name = WK_STR("LC");
    }
    const char *text =
        find_property(p->c, plain_name(p->c, kind), plain_name(p->c, name), negated ? 'P' : 'p', ascii);
    if (!text)
        return wk_rg_wrong(p, kind.n ? "Unicode property value not found" : "Unicode property not found", start,
                           next);
    if (!p->flags.u)
        return wk_rg_wrong(p, WK_RG_NO_UNICODE, start, next);
    for (int i = 0; i < 2; i++)
        ascii[i] = negated ? ~ascii[i] : ascii[i];
    wk_rg_set_property(p->c, s, text, ascii);
    return true;
}

/* ---- bracket expressions -----------------------------------------------------------------------------------------
 */

static bool at_text(const struct wk_rg_parse *p, const char *text)
{
    return wk_str_starts(wk_str_from(p->s, p->at), wk_str_c(text));
}

static void add_named(struct wk_rg_parse *p, enum wk_class class, bool negated, struct wk_rg_set *s)
{
    struct wk_rg_set one = {.bytes = !p->flags.u};
    for (uint32_t ch = 0; ch < 128; ch++)
        if (wk_utf8_is(ch, class))
            wk_rg_set_add(p->c, &one, ch, ch);
    if (p->flags.i)
        wk_rg_set_fold(p->c, &one);
    if (negated)
        wk_rg_set_negate(p->c, &one);
    wk_rg_set_combine(p->c, s, &one, '|');
}

/* [:alpha:] and [:^alpha:], of ASCII. */
static bool take_named(struct wk_rg_parse *p, struct wk_rg_set *s)
{
    if (!at_text(p, "[:"))
        return false;
    size_t at = p->at + 2;
    bool negated = at < p->s.n && p->s.p[at] == '^';
    at += negated;
    size_t from = at;
    while (at < p->s.n && wk_is_lower((unsigned char)p->s.p[at]))
        at++;
    struct wk_str name = wk_str(p->s.p + from, at - from);
    if (!wk_str_starts(wk_str_from(p->s, at), WK_STR(":]")))
        return false;
    enum wk_class class = wk_class_named(name);
    if (class != WK_CLASS_COUNT) {
        add_named(p, class, negated, s);
    } else if (wk_str_is(name, "ascii") || wk_str_is(name, "word")) {
        struct wk_rg_set one = {.bytes = !p->flags.u};
        wk_rg_set_add(p->c, &one, 0, 127);
        if (name.p[0] == 'w') {
            one.ascii[0] = one.ascii[1] = 0;
            wk_rg_set_perl(p->c, &one, 'w', false, false);
            one.bytes = !p->flags.u;
        }
        if (negated)
            wk_rg_set_negate(p->c, &one);
        wk_rg_set_combine(p->c, s, &one, '|');
    } else {
        return false;
    }
    p->at = at + 2;
    return true;
}

static void skip_blanks(struct wk_rg_parse *p)
{
    while (p->flags.x && p->at < p->s.n && wk_is_space((unsigned char)p->s.p[p->at]))
        p->at++;
}

/* One end of a range: a character, or a class in *s (then *is_class). */
static bool take_primitive(struct wk_rg_parse *p, uint32_t *ch, struct wk_rg_set *s, bool *is_class)
{
    size_t start = p->at, next = start;
    char letter = '\0';
    *is_class = false;
    *ch = wk_rg_peek(p, start, &next);
    if (*ch != '\\') {
        if (wk_utf8_is_bad(*ch))
            *ch -= WK_UTF8_BAD;
        else if (*ch >= 128 && !p->flags.u)
            return wk_rg_wrong(p, WK_RG_NO_UNICODE, start, next);
        p->at = next;
        return true;
    }
    if (!wk_rg_parse_escape(p, ch, &letter))
        return false;
    if (!letter)
        return true;
    if (strchr("bBAz", letter))
        return wk_rg_wrong(p, "invalid escape sequence found in character class", start, p->at);
    *is_class = true;
    if (letter == 'p' || letter == 'P')
        return wk_rg_parse_property(p, start, letter == 'P', s);
    wk_rg_set_perl(p->c, s, (char)wk_to_lower(letter), wk_is_upper(letter), p->flags.u);
    return true;
}

/* The whole of the expression's beginning is marked. */
static bool is_unclosed(struct wk_rg_parse *p, struct wk_str head)
{
    size_t at = (size_t)(head.p - p->s.p);
    return wk_rg_wrong(p, "unclosed character class", at, at + head.n);
}

static void add_range(struct wk_rg_parse *p, struct wk_rg_set *s, uint32_t lo, uint32_t hi)
{
    struct wk_rg_facts *f = p->facts;
    struct wk_rg_set one = {.bytes = !p->flags.u};
    f->literal = true;
    f->upper = f->upper || wk_utf8_is(lo, WK_CLASS_UPPER) || wk_utf8_is(hi, WK_CLASS_UPPER);
    f->newline_literal = f->newline_literal || lo == '\n' || hi == '\n';
    wk_rg_set_add(p->c, &one, lo, hi);
    if (p->flags.i)
        wk_rg_set_fold(p->c, &one);
    wk_rg_set_combine(p->c, s, &one, '|');
    wk_heap_free(p->c->heap, one.hi);
}

/* A character, a range or a class. */
static bool take_range(struct wk_rg_parse *p, struct wk_str head, struct wk_rg_set *s)
{
    uint32_t lo, hi;
    bool is_class;
    size_t start = p->at, first = start;
    struct wk_rg_set one = {.bytes = !p->flags.u};
    if (!take_primitive(p, &lo, &one, &is_class))
        return false;
    size_t end = p->at;
    skip_blanks(p);
    if (p->at >= p->s.n)
        return is_unclosed(p, head);
    bool range = p->s.p[p->at] == '-' && !at_text(p, "-]") && !at_text(p, "--");
    if (!range) {
        if (is_class)
            wk_rg_set_combine(p->c, s, &one, '|');
        else
            add_range(p, s, lo, lo);
        return true;
    }
    p->at++;
    skip_blanks(p);
    if (p->at >= p->s.n)
        return is_unclosed(p, head);
    if (is_class)
        return wk_rg_wrong(p, "invalid range boundary, must be a literal", start, end);
    start = p->at;
    if (!take_primitive(p, &hi, &one, &is_class))
        return false;
    if (is_class)
        return wk_rg_wrong(p, "invalid range boundary, must be a literal", start, p->at);
    if (hi < lo)
        return wk_rg_wrong(p, "invalid character class range, the start must be <= the end", first, p->at);
    add_range(p, s, lo, hi);
    return true;
}

/* '[', perhaps '^', and what is literal only there. */
static bool take_open(struct wk_rg_parse *p, struct wk_rg_set *s, bool *negated)
{
    size_t open = p->at++;
    skip_blanks(p);
    *negated = p->at < p->s.n && p->s.p[p->at] == '^';
    p->at += *negated;
    skip_blanks(p);
    bool any = false;
    for (; p->at < p->s.n && p->s.p[p->at] == '-'; any = true, p->at++, skip_blanks(p))
        add_range(p, s, '-', '-');
    if (!any && p->at < p->s.n && p->s.p[p->at] == ']') {
        add_range(p, s, ']', ']');
        p->at++;
        skip_blanks(p);
    }
    return p->at < p->s.n || wk_rg_wrong(p, "unclosed character class", open, p->at);
}

static bool parse_body(struct wk_rg_parse *p, struct wk_rg_set *out, unsigned depth);

/* One element of a union; false on an error. */
static bool take_element(struct wk_rg_parse *p, struct wk_str head, struct wk_rg_set *s, unsigned depth)
{
    if (p->s.p[p->at] != '[')
        return take_range(p, head, s);
    if (take_named(p, s))
        return true;
    struct wk_rg_set inner = {.bytes = !p->flags.u};
    if (depth >= WK_RG_CLASS_DEPTH)
        return wk_rg_wrong(p, "exceed the maximum number of nested parentheses/brackets (250)", p->at, p->at + 1);
    if (!parse_body(p, &inner, depth + 1))
        return false;
    wk_rg_set_combine(p->c, s, &inner, '|');
    return true;
}

/* A whole expression; p->at is at its '['. Operators bind to the left, less than standing beside one another. */
static bool parse_body(struct wk_rg_parse *p, struct wk_rg_set *out, unsigned depth)
{
    struct wk_rg_set sum = {.bytes = !p->flags.u};
    size_t open = p->at;
    bool negated;
    char op = '|';
    if (!take_open(p, &sum, &negated))
        return false;
    struct wk_str head = wk_str(p->s.p + open, p->at - open);
    for (;;) {
        skip_blanks(p);
        if (p->at >= p->s.n)
            return is_unclosed(p, head);
        char next = at_text(p, "&&") ? '&' : at_text(p, "--") ? '-' : at_text(p, "~~") ? '~' : '\0';
        if (next || p->s.p[p->at] == ']') {
            wk_rg_set_combine(p->c, out, &sum, op);
            sum = (struct wk_rg_set){.bytes = !p->flags.u};
            op = next;
            p->at += next ? 2 : 1;
            if (!next)
                break;
        } else if (!take_element(p, head, &sum, depth)) {
            return false;
        }
        wk_tick(p->c, 4);
    }
    if (negated)
        wk_rg_set_negate(p->c, out);
    return true;
}

bool wk_rg_parse_class(struct wk_rg_parse *p)
{
    struct wk_rg_set s = {.bytes = !p->flags.u};
    size_t open = p->at;
    if (!parse_body(p, &s, 0))
        return false;
    if (!s.ascii[0] && !s.ascii[1] && !s.n && !s.opaque)
        return wk_rg_wrong(p, "empty character classes are not allowed", open, p->at);
    wk_rg_put_set(p, &s);
    return true;
}
