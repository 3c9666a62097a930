/* jq_onig.c - jq's regular expressions (Oniguruma's, with Perl's syntax) rewritten for PCRE2
 *
 * What is written alike and means the same is copied. Groups lose their names, which are kept by number; a
 * repetition of a repetition gets a group around the inner one; blanks and comments of extended expressions
 * are left out. A pattern is read twice, since references may stand before their groups.
 */
#include "builtins/jq_onig.h"

#include "base/num.h"
#include "base/utf8.h"

enum { REPEAT_MAX = 100000, PCRE_REPEAT_MAX = 65535, STACKED_MAX = 100 };

/* ---- output ---- */

void wk_onig_put(struct onig *w, const char *p, size_t n)
{
    if (w->o.n + n + 1 > w->cap) {
        w->cap = (w->o.n + n + 1) * 2 + 64;
        w->o.text = wk_heap_realloc(w->c->heap, w->o.text, w->cap);
    }
    if (n)
        memcpy(w->o.text + w->o.n, p, n);
    w->o.n += n;
    w->o.text[w->o.n] = '\0';
}

void wk_onig_fail(struct onig *w, const char *message, struct wk_str name)
{
    if (w->o.error)
        return;
    const char *hole = strstr(message, "%s");
    size_t before = hole ? (size_t)(hole - message) : strlen(message);
    w->o.error = wk_heap_alloc(w->c->heap, strlen(message) + name.n + 1);
    memcpy(w->o.error, message, before);
    if (hole && name.n)
        memcpy(w->o.error + before, name.p, name.n);
    size_t rest = hole ? strlen(hole + 2) : 0;
    if (hole)
        memcpy(w->o.error + before + name.n, hole + 2, rest);
    w->o.error[before + (hole ? name.n : 0) + rest] = '\0';
}

static void begin_atom(struct onig *w, enum onig_atom state)
{
    w->atom = w->o.n;
    w->wraps = 0;
    w->state = state;
}

/* A character that stands for itself; n bytes. */
static void put_literal(struct onig *w, const char *p, size_t n)
{
    begin_atom(w, ONIG_ATOM);
    if ((unsigned char)*p < 128 && !wk_is_alnum((unsigned char)*p) && *p > ' ' && *p != 127)
        wk_onig_put_c(w, "\\");
    w->o.ascii = w->o.ascii && (unsigned char)*p < 128;
    wk_onig_put(w, p, n);
}

static void put_number(struct onig *w, const char *before, uint64_t n, const char *after)
{
    char text[WK_NUM_MAX];
    wk_onig_put_c(w, before);
    wk_onig_put(w, text, wk_fmt_u64(text, n, 10));
    wk_onig_put_c(w, after);
}

/* ---- repetition ---- */

/* A group around the last atom. */
static void wrap_atom(struct onig *w)
{
    size_t n = w->o.n - w->atom;
    wk_onig_put_c(w, "(?:)");
    memmove(w->o.text + w->atom + 3, w->o.text + w->atom, n);
    memcpy(w->o.text + w->atom, "(?:", 3);
    w->o.text[w->o.n - 1] = ')';
}

/* What follows the operator: ? and + change how it matches. */
static void put_greed(struct onig *w)
{
    char c = wk_onig_peek(w, 0);
    if (c == '?' || c == '+') {
        wk_onig_put(w, &c, 1);
        w->i++;
    }
}

static bool may_repeat(struct onig *w)
{
    if (w->state == ONIG_NOTHING)
        wk_onig_error(w, "target of repeat operator is not specified");
    else if (w->state == ONIG_ASSERTION)
        wk_onig_error(w, "target of repeat operator is invalid");
    if (w->o.error)
        return false;
    if (w->state == ONIG_REPEATED && ++w->wraps > STACKED_MAX)
        wk_onig_error(w, "too deep nest level");
    else if (w->state == ONIG_REPEATED)
        wrap_atom(w);
    w->state = ONIG_REPEATED;
    return true;
}

static void repeat(struct onig *w)
{
    if (!may_repeat(w))
        return;
    wk_onig_put(w, w->s.p + w->i++, 1);
    put_greed(w);
}

static bool read_count(struct onig *w, size_t *i, uint64_t *v)
{
    size_t start = *i;
    for (*v = 0; *i < w->s.n && wk_is_digit(w->s.p[*i]); ++*i)
        *v = WK_MIN(*v * 10 + (uint64_t)(w->s.p[*i] - '0'), UINT64_C(1) << 40);
    return *i > start;
}

/* {n}, {n,} or {n,m} at i; false when it is something else, which is text. */
static bool interval(struct onig *w)
{
    uint64_t low, high = 0;
    size_t i = w->i + 1;
    bool open = false, comma = false;
    if (!read_count(w, &i, &low))
        return false;
    high = low;
    if (i < w->s.n && w->s.p[i] == ',') {
        comma = true;
        i++;
        open = !read_count(w, &i, &high);
    }
    if (i >= w->s.n || w->s.p[i] != '}')
        return false;
    if (low > REPEAT_MAX || (!open && high > REPEAT_MAX))
        wk_onig_error(w, "too big number for repeat range");
    else if (!open && high < low)
        wk_onig_error(w, "upper is smaller than lower in repeat range");
    else if (low > PCRE_REPEAT_MAX || (!open && high > PCRE_REPEAT_MAX))
        wk_onig_error(w, "too big number for repeat range");
    w->i = i + 1;
    if (!may_repeat(w))
        return true;
    put_number(w, "{", low, comma ? "," : "}");
    if (comma && open)
        wk_onig_put_c(w, "}");
    else if (comma)
        put_number(w, "", high, "}");
    put_greed(w);
    return true;
}

/* ---- names and references ---- */

/* A name up to `end` at i, which goes behind it. */
static bool read_name(struct onig *w, char end, struct wk_str *name)
{
    struct wk_str rest = wk_str_from(w->s, w->i);
    ptrdiff_t n = wk_str_chr(rest, end);
    if (!rest.n) {
        wk_onig_error(w, "end pattern with unmatched parenthesis");
        return false;
    }
    *name = n < 0 ? rest : wk_str_take(rest, (size_t)n);
    if (n < 0) {
        wk_onig_fail(w, "invalid group name <%s>", *name);
        return false;
    }
    if (n == 0) {
        wk_onig_error(w, "group name is empty");
        return false;
    }
    w->i += (size_t)n + 1;
    return true;
}

/* Whether the name is a number, perhaps relative: the group it means, UINT64_MAX when there is no such. */
static bool group_number(const struct onig *w, struct wk_str name, uint64_t *group)
{
    bool minus = name.p[0] == '-', plus = name.p[0] == '+';
    int64_t n;
    if (wk_parse_i64(wk_str_from(name, minus || plus), 10, &n) || n < 0)
        return false;
    uint64_t v = (uint64_t)n;
    if (minus)
        v = v && v <= w->o.groups ? w->o.groups + 1 - v : UINT64_MAX;
    else if (plus)
        v = v <= w->total ? w->o.groups + v : UINT64_MAX;
    *group = v <= w->total ? v : UINT64_MAX;
    return true;
}

/* The number of the last group with the name before `below`; 0. */
static uint32_t named_group(const struct onig *w, struct wk_str name, uint32_t below)
{
    uint32_t known = w->counting ? w->o.groups : w->total;
    for (uint32_t k = WK_MIN(known + 1, below); k-- > 1;)
        if (w->o.names[k].p && wk_str_eq(w->o.names[k], name))
            return k;
    return 0;
}

/* \k<name>, of which groups of the same name are tried from the last on. */
static void put_reference(struct onig *w, struct wk_str name)
{
    uint64_t group;
    begin_atom(w, ONIG_ATOM);
    for (size_t i = 1; i < name.n; i++) /* a level of recursion, which is not looked at */
        if ((name.p[i] == '+' || name.p[i] == '-') && i + 1 < name.n && wk_is_digit(name.p[i + 1]))
            name.n = i;
    if (group_number(w, name, &group)) {
        if ((group == UINT64_MAX || group == 0) && !w->counting)
            wk_onig_error(w, "invalid backref number/name");
        put_number(w, "\\g{", group, "}");
        return;
    }
    uint32_t k = named_group(w, name, UINT32_MAX);
    if (!k && !w->counting)
        wk_onig_fail(w, "undefined name <%s> reference", name);
    put_number(w, "(?:\\g{", k, "}");
    while (k && (k = named_group(w, name, k)) != 0)
        put_number(w, "|\\g{", k, "}");
    wk_onig_put_c(w, ")");
}

/* \g<name>: what stands in the group once more. */
static void put_call(struct onig *w, struct wk_str name)
{
    uint64_t group;
    begin_atom(w, ONIG_ATOM);
    if (!group_number(w, name, &group)) {
        group = named_group(w, name, UINT32_MAX);
        if (!group && !w->counting)
            wk_onig_fail(w, "undefined name <%s> reference", name);
        else if (named_group(w, name, (uint32_t)group))
            wk_onig_fail(w, "multiplex definition name <%s> call", name);
    } else if (group == UINT64_MAX && !w->counting) {
        wk_onig_fail(w, "undefined group <%s> reference", name);
    }
    put_number(w, "(?", group, ")");
}

/* ---- escapes ---- */

/* \1 …: a group when there are so many or it has one digit. */
static bool numbered_reference(struct onig *w)
{
    size_t i = w->i;
    uint64_t v;
    if (w->s.p[i] == '0' || !read_count(w, &i, &v) || (v > 9 && v > w->total))
        return false;
    if (v > w->total && !w->counting)
        wk_onig_error(w, "invalid backref number/name");
    w->i = i;
    begin_atom(w, ONIG_ATOM);
    put_number(w, "\\g{", v, "}");
    return true;
}

static void quoted(struct onig *w)
{
    while (wk_onig_more(w)) {
        if (wk_onig_peek(w, 0) == '\\' && wk_onig_peek(w, 1) == 'E') {
            w->i += 2;
            return;
        }
        uint32_t c;
        size_t n = wk_utf8_next(w->s.p + w->i, w->s.n - w->i, &c);
        put_literal(w, w->s.p + w->i, n);
        w->i += n;
    }
}

static void escape(struct onig *w)
{
    struct wk_str name;
    uint32_t code;
    if (++w->i >= w->s.n) {
        wk_onig_error(w, "end pattern at escape");
        return;
    }
    char e = w->s.p[w->i], next = wk_onig_peek(w, 1);
    if (w->unicode && (e == 'w' || e == 'W')) {
        begin_atom(w, ONIG_ATOM);
        wk_onig_put_c(w, e == 'w' ? "[" : "[^");
        wk_onig_put_word(w);
        wk_onig_put_c(w, "]");
        w->i++;
    } else if (e && strchr("wWdDsSRXN", e)) {
        begin_atom(w, ONIG_ATOM);
        wk_onig_put(w, w->s.p + w->i++ - 1, 2);
    } else if (e && strchr("bBAZzGK", e)) {
        begin_atom(w, ONIG_ASSERTION);
        wk_onig_put(w, w->s.p + w->i++ - 1, 2);
    } else if (e == 'O') {
        begin_atom(w, ONIG_ATOM);
        wk_onig_put_c(w, "(?s:.)");
        w->i++;
    } else if (e == 'y' || e == 'Y') {
        wk_onig_error(w, "text segment boundaries are not supported");
    } else if (e == 'Q') {
        w->i++;
        quoted(w);
    } else if ((e == 'k' || e == 'g') && (next == '<' || next == '\'')) {
        w->i += 2;
        if (!read_name(w, next == '<' ? '>' : '\'', &name))
            return;
        if (e == 'k')
            put_reference(w, name);
        else
            put_call(w, name);
    } else if ((e == 'p' || e == 'P') && next == '{') {
        begin_atom(w, ONIG_ATOM);
        wk_onig_property(w, false);
    } else if (!wk_is_digit(e) || !numbered_reference(w)) {
        if (!wk_onig_code(w, &code))
            code = wk_onig_char(w);
        begin_atom(w, ONIG_ATOM);
        wk_onig_put_char(w, code);
    }
}

/* ---- groups ---- */

static void open_level(struct onig *w, bool looks, bool behind_not)
{
    if (w->depth == JQ_ONIG_DEPTH) {
        wk_onig_error(w, "too deep nest level");
        return;
    }
    bool inside = behind_not || (w->depth && w->levels[w->depth - 1].behind_not);
    w->levels[w->depth++] = (struct onig_level){w->o.n, w->extended, looks, inside};
    w->state = ONIG_NOTHING;
}

static void open_group(struct onig *w, const char *text, bool looks, bool behind_not)
{
    open_level(w, looks, behind_not);
    wk_onig_put_c(w, text);
}

static void open_capture(struct onig *w, struct wk_str name)
{
    if (w->depth && w->levels[w->depth - 1].behind_not)
        wk_onig_error(w, "invalid pattern in look-behind");
    open_group(w, "(", false, false);
    uint32_t k = ++w->o.groups;
    if (k + 1 > w->names_cap) {
        w->names_cap = (k + 1) * 2;
        w->o.names = wk_heap_realloc(w->c->heap, w->o.names, w->names_cap * sizeof *w->o.names);
    }
    w->o.names[k] = name;
}

static void open_named(struct onig *w, char end)
{
    struct wk_str name;
    if (!read_name(w, end, &name))
        return;
    if (wk_is_digit(name.p[0]) || (!wk_is_alnum(name.p[0]) && name.p[0] != '_' && (unsigned char)name.p[0] < 128)) {
        wk_onig_fail(w, "invalid group name <%s>", name);
        return;
    }
    w->o.ascii = w->o.ascii && wk_utf8_ascii(name) == name.n;
    open_capture(w, name);
}

/* (?i), (?m-s:…): x is done here and the others are passed on. */
static void options(struct onig *w)
{
    char on[4], text[16];
    size_t n = 0;
    bool off = false, extended = w->extended;
    memcpy(on, "ims", 4);
    text[n++] = '(';
    text[n++] = '?';
    bool seen[2][3] = {{false}};
    for (;; w->i++) {
        char c = wk_onig_peek(w, 0);
        if (!wk_onig_more(w)) {
            wk_onig_error(w, "end pattern in group");
            return;
        }
        if (c == ')' || c == ':')
            break;
        const char *known = c ? strchr(on, c) : NULL;
        if (c == '-' && !off)
            off = true;
        else if (c == 'x')
            extended = !off;
        else if (known)
            seen[off][known - on] = true;
        else
            wk_onig_error(w, "undefined group option");
        if (w->o.error)
            return;
    }
    for (size_t k = 0; k < 3; k++)
        if (seen[0][k] && !seen[1][k])
            text[n++] = on[k];
    text[n++] = '-';
    for (size_t k = 0; k < 3; k++)
        if (seen[1][k])
            text[n++] = on[k];
    n -= text[n - 1] == '-';
    bool group = w->s.p[w->i++] == ':';
    if (group)
        open_level(w, false, false);
    w->extended = extended;
    w->state = ONIG_NOTHING;
    if (!group && n == 2)
        return;
    text[n++] = group ? ':' : ')';
    wk_onig_put(w, text, n);
}

/* (?(1)…), (?(<name>)…), behind the second parenthesis. */
static void condition(struct onig *w)
{
    struct wk_str name;
    char c = wk_onig_peek(w, 0);
    uint64_t group;
    if (c == '<' || c == '\'') {
        w->i++;
        if (!read_name(w, c == '<' ? '>' : '\'', &name))
            return;
        if (wk_onig_peek(w, 0) != ')') {
            wk_onig_error(w, "invalid if-else syntax");
            return;
        }
        w->i++;
    } else if (!read_name(w, ')', &name)) {
        return;
    }
    if (wk_str_is(name, "DEFINE")) {
        open_group(w, "(?(DEFINE)", false, false);
        return;
    }
    if (!group_number(w, name, &group))
        group = named_group(w, name, UINT32_MAX);
    if ((group == 0 || group == UINT64_MAX) && !w->counting)
        wk_onig_error(w, "invalid backref number/name");
    open_level(w, false, false);
    put_number(w, "(?(", group, ")");
}

static void comment(struct onig *w)
{
    while (wk_onig_more(w) && w->s.p[w->i] != ')')
        w->i += w->s.p[w->i] == '\\' ? 2 : 1;
    if (!wk_onig_more(w))
        wk_onig_error(w, "end pattern in group");
    w->i++;
}

/* What follows "(?". */
static void special_group(struct onig *w)
{
    static const struct {
        const char *text;
        bool looks, behind_not;
    } plain[] = {{":", false, false},   {"=", true, false},  {"!", true, false}, {">", false, false},
                 {"<=", true, false}, {"<!", true, true}};
    struct wk_str rest = wk_str_from(w->s, w->i), name;
    if (!rest.n) {
        wk_onig_error(w, "end pattern in group");
        return;
    }
    for (size_t k = 0; k < WK_COUNTOF(plain); k++)
        if (wk_str_starts(rest, wk_str_c(plain[k].text))) {
            w->i += strlen(plain[k].text);
            open_level(w, plain[k].looks, plain[k].behind_not);
            wk_onig_put_c(w, "(?");
            wk_onig_put_c(w, plain[k].text);
            return;
        }
    char c = rest.p[0];
    if (c == '#') {
        comment(w);
    } else if (c == '<' || c == '\'') {
        w->i++;
        open_named(w, c == '<' ? '>' : '\'');
    } else if (c == '(') {
        w->i++;
        condition(w);
    } else if (c == '&' || c == 'R' || wk_is_digit(c) || c == '+' || (c == '-' && wk_is_digit(wk_onig_peek(w, 1)))) {
        w->i += c == '&';
        if (!read_name(w, ')', &name))
            return;
        if (c == 'R' && name.n == 1)
            name = WK_STR("0");
        put_call(w, name);
    } else {
        options(w);
    }
}

static void open_parenthesis(struct onig *w)
{
    static const char fail[] = "*FAIL)";
    w->i++;
    struct wk_str rest = wk_str_from(w->s, w->i);
    if (wk_onig_peek(w, 0) == '?') {
        w->i++;
        special_group(w);
    } else if (wk_str_starts(rest, wk_str(fail, sizeof fail - 1))) {
        begin_atom(w, ONIG_ATOM);
        wk_onig_put_c(w, "(?!)");
        w->i += sizeof fail - 1;
    } else if (wk_onig_peek(w, 0) == '*') {
        wk_onig_error(w, "undefined callout name");
    } else {
        open_capture(w, wk_str(NULL, 0));
    }
}

static void close_parenthesis(struct onig *w)
{
    if (!w->depth) {
        wk_onig_error(w, "unmatched close parenthesis");
        return;
    }
    const struct onig_level *l = &w->levels[--w->depth];
    wk_onig_put_c(w, ")");
    w->atom = l->start;
    w->wraps = 0;
    w->extended = l->extended;
    w->state = l->looks ? ONIG_ASSERTION : ONIG_ATOM;
    w->i++;
}

/* ---- the whole ---- */

static void skip_comment(struct onig *w)
{
    while (wk_onig_more(w) && w->s.p[w->i] != '\n')
        w->i++;
}

static void step(struct onig *w)
{
    uint32_t c;
    char b = w->s.p[w->i];
    if (w->extended && wk_is_space((unsigned char)b)) {
        w->i++;
        return;
    }
    if (w->extended && b == '#') {
        skip_comment(w);
        return;
    }
    switch (b) {
    case '\\':
        escape(w);
        return;
    case '[':
        w->i++;
        begin_atom(w, ONIG_ATOM);
        wk_onig_class(w);
        return;
    case '(':
        open_parenthesis(w);
        return;
    case ')':
        close_parenthesis(w);
        return;
    case '*':
    case '+':
    case '?':
        repeat(w);
        return;
    case '^':
    case '$':
        begin_atom(w, ONIG_ASSERTION);
        wk_onig_put(w, w->s.p + w->i++, 1);
        return;
    case '.':
        begin_atom(w, ONIG_ATOM);
        wk_onig_put(w, w->s.p + w->i++, 1);
        return;
    case '|':
        wk_onig_put(w, w->s.p + w->i++, 1);
        w->state = ONIG_NOTHING;
        return;
    default:
        break;
    }
    if (b == '{' && interval(w))
        return;
    size_t n = wk_utf8_next(w->s.p + w->i, w->s.n - w->i, &c);
    put_literal(w, w->s.p + w->i, n);
    w->i += n;
}

static void run(struct onig *w, bool extended)
{
    w->i = w->o.n = 0;
    w->depth = w->o.groups = 0;
    w->extended = extended;
    w->state = ONIG_NOTHING;
    w->o.ascii = true;
    wk_onig_put(w, "", 0);
    while (wk_onig_more(w) && !w->o.error) {
        step(w);
        wk_tick(w->c, 1);
    }
    if (w->depth)
        wk_onig_error(w, "end pattern with unmatched parenthesis");
}

struct jq_onig wk_jq_onig(struct wk_cmd *c, struct wk_str pattern, bool extended, bool unicode)
{
    struct onig *w = wk_new(c, struct onig); /* large for a fiber's stack */
    w->c = c;
    w->s = pattern;
    w->unicode = unicode;
    w->counting = true;
    w->total = UINT32_MAX - 1;
    run(w, extended);
    w->counting = false;
    w->total = w->o.groups;
    if (!w->o.error)
        run(w, extended);
    struct jq_onig o = w->o;
    wk_heap_free(c->heap, w);
    return o;
}

void wk_jq_onig_free(struct wk_cmd *c, struct jq_onig *o)
{
    wk_heap_free(c->heap, o->text);
    wk_heap_free(c->heap, o->names);
    wk_heap_free(c->heap, o->error);
    *o = (struct jq_onig){0};
}

const char *wk_jq_onig_message(struct wk_cmd *c, const struct jq_onig *o, const char *text)
{
    static const struct {
        const char *pcre, *onig;
    } messages[] = {
        {"lookbehind assertion is not fixed length", "invalid pattern in look-behind"},
        {"parentheses are too deeply nested", "too deep nest level"},
        {"regular expression is too large", "too big pattern"},
        {"conditional subpattern contains more than two branches", "invalid if-else syntax"},
    };
    for (size_t k = 0; k < WK_COUNTOF(messages); k++)
        if (strstr(text, messages[k].pcre))
            return messages[k].onig;
    if (strstr(text, "unknown property"))
        return wk_strf(c, "invalid character property name {%.*s}", (int)WK_MIN(o->property.n, (size_t)200),
                       o->property.p);
    return text;
}
