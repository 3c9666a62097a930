/* file_parse.c - lines of magic: their offsets, types, tests and annotations
 *
 * Standard: magic(5). An entry's strength decides which comes first: the more it asks of the data,
 * the stronger.
 */
#include "base/num.h"
#include "base/utf8.h"
#include "builtins/file.h"
#include "builtins/ptrsort.h"

struct reader {
    struct wk_cmd *c;
    struct wk_magic_set *set;
    const char *name;
    struct wk_str line;
    size_t at;
    uint32_t number;
    bool failed, in_entry;
};

static void complain(struct reader *r, const char *what, struct wk_str text)
{
    int status = r->c->status;
    wk_out_fmt(r->c->err, "%s, %u: Warning: %s `%.*s' invalid\n", r->name ? r->name : "builtin",
               r->number, what, (int)WK_MIN(text.n, 200), text.p ? text.p : "");
    r->c->status = status;
    r->failed = true;
}

static char peek(const struct reader *r)
{
    return r->at < r->line.n ? r->line.p[r->at] : '\0';
}

static void skip_blanks(struct reader *r)
{
    while (peek(r) == ' ' || peek(r) == '\t')
        r->at++;
}

static bool take(struct reader *r, char ch)
{
    if (r->at >= r->line.n || r->line.p[r->at] != ch)
        return false;
    r->at++;
    return true;
}

static struct wk_str word(struct reader *r)
{
    size_t from = r->at;
    while (r->at < r->line.n && !wk_is_space(r->line.p[r->at]))
        r->at++;
    return wk_str(r->line.p + from, r->at - from);
}

/* A number in C's notation; negative ones too. */
static uint64_t number(struct reader *r)
{
    bool minus = take(r, '-');
    if (!minus)
        (void)take(r, '+');
    uint64_t v = 0;
    int err = 0;
    size_t n = wk_scan_u64(wk_str_from(r->line, r->at), 0, &v, &err);
    if (!n)
        complain(r, "number", wk_str_from(r->line, r->at));
    r->at += n;
    return minus ? (uint64_t)0 - v : v;
}

/* ---- types -------------------------------------------------------------------------------------
 */

struct type_name {
    char name[12];
    uint8_t type, size;
    char order; /* l b m; 0: as the machine, little */
    bool local;
};
static const struct type_name type_names[] = {
    {"byte", WK_MAGIC_INT, 1, 0, false},          {"short", WK_MAGIC_INT, 2, 0, false},
    {"long", WK_MAGIC_INT, 4, 0, false},          {"quad", WK_MAGIC_INT, 8, 0, false},
    {"date", WK_MAGIC_DATE, 4, 0, false},         {"ldate", WK_MAGIC_DATE, 4, 0, true},
    {"qdate", WK_MAGIC_DATE, 8, 0, false},        {"qldate", WK_MAGIC_DATE, 8, 0, true},
    {"qwdate", WK_MAGIC_WDATE, 8, 0, false},      {"msdosdate", WK_MAGIC_DOSDATE, 2, 0, false},
    {"msdostime", WK_MAGIC_DOSTIME, 2, 0, false}, {"float", WK_MAGIC_FLOAT, 4, 0, false},
    {"double", WK_MAGIC_FLOAT, 8, 0, false},      {"id3", WK_MAGIC_ID3, 4, 0, false},
    {"offset", WK_MAGIC_OFFSET, 8, 0, false},     {"guid", WK_MAGIC_GUID, 16, 0, false},
    {"string16", WK_MAGIC_STRING16, 2, 0, false}, {"string", WK_MAGIC_STRING_, 0, 0, false},
    {"pstring", WK_MAGIC_PSTRING, 0, 0, false},   {"search", WK_MAGIC_SEARCH, 0, 0, false},
    {"regex", WK_MAGIC_REGEX, 0, 0, false},       {"octal", WK_MAGIC_OCTAL, 0, 0, false},
    {"der", WK_MAGIC_DER, 0, 0, false},           {"default", WK_MAGIC_DEFAULT, 0, 0, false},
    {"clear", WK_MAGIC_CLEAR, 0, 0, false},       {"name", WK_MAGIC_NAME, 0, 0, false},
    {"use", WK_MAGIC_USE, 0, 0, false},           {"indirect", WK_MAGIC_INDIRECT, 0, 0, false},
};

static const struct type_name *find_type(struct wk_str name)
{
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
        if (wk_str_is(name, type_names[i].name))
            return &type_names[i];
    return NULL;
}

/* The names of the Single Unix Specification: d1 uC s… */
static const struct type_name *find_short_type(struct wk_str name, bool *is_unsigned)
{
    if (wk_str_is(name, "s"))
        return find_type(WK_STR("string"));
    if (name.n < 1 || name.n > 2 || (name.p[0] != 'd' && name.p[0] != 'u'))
        return NULL;
    *is_unsigned = name.p[0] == 'u';
    char size = name.n == 2 ? name.p[1] : 'I';
    return find_type(wk_str_c(size == 'C' || size == '1'                  ? "byte"
                              : size == 'S' || size == '2'                ? "short"
                              : size == 'I' || size == 'L' || size == '4' ? "long"
                              : size == 'Q' || size == '8'                ? "quad"
                                                                          : ""));
}

static bool read_type_name(struct reader *r, struct wk_magic *m)
{
    size_t from = r->at;
    while (wk_is_alnum(peek(r)))
        r->at++;
    struct wk_str whole = wk_str(r->line.p + from, r->at - from), s = whole;
    const struct type_name *t = find_type(s);
    char order = 0;
    if (!t && s.n > 1 && s.p[0] == 'u' && (t = find_type(wk_str_from(s, 1))) == NULL) {
        m->is_unsigned = true;
        s = wk_str_from(s, 1);
    } else if (t && s.n != strlen(t->name)) {
        m->is_unsigned = true;
    }
    if (!t && s.n > 2 && s.p[1] == 'e' && strchr("lbm", s.p[0])) {
        order = s.p[0];
        t = find_type(wk_str_from(s, 2));
    }
    if (!t)
        t = find_short_type(whole, &m->is_unsigned);
    if (!t) {
        complain(r, "type", wk_str_from(wk_str(r->line.p + from, r->line.n - from), 0));
        return false;
    }
    m->type = (enum wk_magic_type)t->type;
    m->size = t->size;
    m->local = t->local;
    m->big = order == 'b';
    m->middle = order == 'm';
    return true;
}

static void read_flag(struct reader *r, struct wk_magic *m, char ch)
{
    static const char letters[] = "cCWwTftbslr";
    static const unsigned bits[] = {WK_MAGIC_LOWER,    WK_MAGIC_UPPER,   WK_MAGIC_COMPACT,
                                    WK_MAGIC_OPTIONAL, WK_MAGIC_TRIM,    WK_MAGIC_WORD,
                                    WK_MAGIC_TEXT,     WK_MAGIC_BINARY,  WK_MAGIC_START,
                                    WK_MAGIC_LINES,    WK_MAGIC_RELATIVE};
    if (m->type == WK_MAGIC_PSTRING && strchr("BHhLlJ", ch)) {
        if (ch == 'J')
            m->pascal_self = true;
        else
            m->pascal = ch;
        return;
    }
    const char *at = strchr(letters, ch);
    if (at)
        m->flags |= bits[at - letters];
    else
        complain(r, "flag", wk_str(&ch, 1));
}

static void read_type(struct reader *r, struct wk_magic *m)
{
    if (!read_type_name(r, m))
        return;
    m->pascal = 'B';
    bool text = wk_magic_is_text(m->type) || m->type == WK_MAGIC_INDIRECT;
    if (text) {
        while (take(r, '/'))
            while (r->at < r->line.n && !wk_is_space(peek(r)) && peek(r) != '/') {
                if (wk_is_digit(peek(r)))
                    m->range = number(r);
                else
                    read_flag(r, m, r->line.p[r->at++]);
            }
        return;
    }
    if (take(r, '~'))
        m->mask_inverse = true;
    if (r->at < r->line.n && strchr("&|^+-*/%", peek(r))) {
        m->mask_op = r->line.p[r->at++];
        m->mask = number(r);
    }
}

/* ---- offsets -----------------------------------------------------------------------------------
 */

/* The letter of an indirect offset. */
static bool read_in_type(struct reader *r, struct wk_magic_number *n)
{
    char ch = peek(r);
    *n = (struct wk_magic_number){.type = WK_MAGIC_INT, .size = 4};
    if (!wk_is_alpha(ch))
        return true;
    r->at++;
    n->big = wk_is_upper(ch);
    switch (wk_to_lower(ch)) {
    case 'b':
    case 'c':
        n->size = 1;
        return true;
    case 's':
    case 'h':
        n->size = 2;
        return true;
    case 'l':
        return true;
    case 'q':
        n->size = 8;
        return true;
    case 'm':
        n->middle = true;
        return true;
    case 'i':
        n->type = WK_MAGIC_ID3;
        return true;
    case 'o':
        n->type = WK_MAGIC_OCTAL;
        return true;
    case 'e':
    case 'f':
    case 'g':
        n->type = WK_MAGIC_FLOAT;
        n->size = 8;
        return true;
    default:
        return false;
    }
}

static void read_indirect(struct reader *r, struct wk_magic *m)
{
    m->indirect = true;
    if (m->relative) {
        m->relative = false;
        m->indirect_relative = true;
    }
    if (take(r, '&'))
        m->relative = true;
    m->offset = (int64_t)number(r);
    m->in = (struct wk_magic_number){.type = WK_MAGIC_INT, .size = 4, .is_unsigned = true};
    if (peek(r) == '.' || peek(r) == ',') {
        bool is_unsigned = r->line.p[r->at++] == '.';
        if (!read_in_type(r, &m->in))
            complain(r, "indirect offset type", wk_str_from(r->line, r->at));
        m->in.is_unsigned = is_unsigned;
    }
    if (take(r, '~'))
        m->in_inverse = true;
    if (r->at < r->line.n && strchr("&|^+-*/%", peek(r))) {
        m->in_op = r->line.p[r->at++];
        m->in_op_indirect = take(r, '(');
        m->in_offset = (int64_t)number(r);
        if (m->in_op_indirect && !take(r, ')'))
            complain(r, "missing ')' in indirect offset", WK_STR(""));
    }
    if (!take(r, ')'))
        complain(r, "missing ')' in indirect offset", WK_STR(""));
}

static void read_offset(struct reader *r, struct wk_magic *m)
{
    while (take(r, '>'))
        if (m->level < WK_MAGIC_LEVELS - 1)
            m->level++;
        else
            r->failed = true;
    m->relative = take(r, '&');
    if (take(r, '(')) {
        read_indirect(r, m);
        return;
    }
    bool minus = peek(r) == '-';
    m->offset = (int64_t)number(r);
    if (minus && !m->relative) {
        m->from_end = true;
        m->offset = -m->offset;
    }
}

/* ---- tests -------------------------------------------------------------------------------------
 */

static int hex_value(int ch)
{
    return wk_is_digit(ch) ? ch - '0' : (ch | 0x20) - 'a' + 10;
}

/* What stands behind a backslash: a letter or a number as in C, any other character itself. */
static void read_escape(struct reader *r, struct wk_buf *b)
{
    if (r->at >= r->line.n) {
        wk_buf_putc(b, '\\');
        return;
    }
    char ch = r->line.p[r->at++];
    static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
    const char *at = strchr(from, ch);
    if (ch && at) {
        wk_buf_putc(b, to[at - from]);
    } else if (ch >= '0' && ch <= '7') {
        int v = ch - '0';
        for (int i = 0; i < 2 && peek(r) >= '0' && peek(r) <= '7'; i++)
            v = v * 8 + (r->line.p[r->at++] - '0');
        wk_buf_putc(b, (char)v);
    } else if (ch == 'x' && wk_is_xdigit(peek(r))) {
        int v = hex_value(r->line.p[r->at++]);
        if (wk_is_xdigit(peek(r)))
            v = v * 16 + hex_value(r->line.p[r->at++]);
        wk_buf_putc(b, (char)v);
    } else {
        wk_buf_putc(b, ch);
    }
}

static void read_text(struct reader *r, struct wk_magic *m)
{
    struct wk_buf *b = wk_cmd_buf(r->c, 8192);
    while (r->at < r->line.n && !wk_is_space(peek(r))) {
        char ch = r->line.p[r->at++];
        if (ch == '\\')
            read_escape(r, b);
        else
            wk_buf_putc(b, ch);
    }
    m->text = wk_str(wk_dupn(r->c, wk_buf_c(b), b->n), b->n);
    wk_buf_release(b);
}

/* Two hexadecimal digits a byte, the first three groups the wrong way round. */
static void read_guid(struct reader *r, struct wk_magic *m)
{
    static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    struct wk_str s = word(r);
    char *to = wk_dupn(r->c, "                ", 16);
    size_t digits = 0;
    for (size_t i = 0; i < s.n && digits < 32; i++)
        if (wk_is_xdigit(s.p[i])) {
            char *byte = &to[order[digits / 2]];
            *byte = (char)(digits % 2 ? (*byte << 4 | hex_value(s.p[i])) : hex_value(s.p[i]));
            digits++;
        }
    m->text = wk_str(to, 16);
}

static void read_value(struct reader *r, struct wk_magic *m)
{
    if (wk_magic_is_text(m->type) || m->type == WK_MAGIC_NAME || m->type == WK_MAGIC_USE ||
        m->type == WK_MAGIC_DER) {
        read_text(r, m);
    } else if (m->type == WK_MAGIC_GUID) {
        read_guid(r, m);
    } else if (m->type == WK_MAGIC_FLOAT) {
        struct wk_str s = word(r);
        uint64_t whole = 0;
        int err;
        (void)wk_scan_u64(s, 10, &whole, &err);
        m->fvalue = (double)whole;
    } else {
        bool inverse = take(r, '~');
        m->value = number(r);
        if (inverse)
            m->value = ~m->value;
        while (wk_is_alpha(peek(r))) /* L, U */
            r->at++;
    }
}

static void read_test(struct reader *r, struct wk_magic *m)
{
    m->reln = '=';
    char ch = peek(r), next = r->at + 1 < r->line.n ? r->line.p[r->at + 1] : '\0';
    bool text = wk_magic_is_text(m->type);
    if (ch == 'x' && (!next || wk_is_space(next))) {
        m->reln = 'x';
        r->at++;
        return;
    }
    if (ch == '=' || ch == '!' || ch == '<' || ch == '>' || (!text && (ch == '&' || ch == '^')))
        if (m->type != WK_MAGIC_NAME && m->type != WK_MAGIC_USE) {
            m->reln = ch;
            r->at++;
            if (peek(r) == '=' && ch != '=')
                r->at++;
            skip_blanks(r);
        }
    if (m->type == WK_MAGIC_DEFAULT || m->type == WK_MAGIC_CLEAR || m->type == WK_MAGIC_INDIRECT) {
        (void)word(r);
        m->reln = 'x';
        return;
    }
    read_value(r, m);
}

/* Backslashes in what is told stand for themselves but for "\b" in front. */
static void read_desc(struct reader *r, struct wk_magic *m)
{
    skip_blanks(r);
    struct wk_str s = wk_str_from(r->line, r->at);
    if (wk_str_starts(s, WK_STR("\\b"))) {
        m->nospace = true;
        s = wk_str_from(s, 2);
    }
    m->desc = wk_dupn(r->c, s.p ? s.p : "", s.n);
}

/* ---- strength ----------------------------------------------------------------------------------
 */

/* Characters of a regular expression that stand for themselves. */
static int64_t plain_chars(struct wk_str s)
{
    int64_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        char ch = s.p[i];
        if (ch == '\\') {
            i++;
            n++;
        } else if (ch == '[' || ch == '{') {
            char end = ch == '[' ? ']' : '}';
            while (i < s.n && s.p[i] != end)
                i++;
            if (ch == '[')
                n++;
        } else if (!strchr("?*.+^$()|", ch)) {
            n++;
        }
    }
    return n ? n : 1;
}

static int64_t strength_of(const struct wk_magic *m)
{
    int64_t v = 20, n = (int64_t)m->text.n;
    switch (m->type) {
    case WK_MAGIC_DEFAULT:
        return 0;
    case WK_MAGIC_STRING_:
    case WK_MAGIC_PSTRING:
    case WK_MAGIC_OCTAL:
        v += n * 10;
        break;
    case WK_MAGIC_STRING16:
        v += n * 5;
        break;
    case WK_MAGIC_SEARCH:
        v += n ? n * WK_MAX(10 / n, 1) : 0;
        break;
    case WK_MAGIC_REGEX:
        n = plain_chars(m->text);
        v += n * WK_MAX(10 / n, 1);
        break;
    case WK_MAGIC_DER:
        v += 10;
        break;
    case WK_MAGIC_CLEAR:
    case WK_MAGIC_NAME:
    case WK_MAGIC_USE:
    case WK_MAGIC_INDIRECT:
        break;
    default:
        v += 10 * m->size;
        break;
    }
    if (m->reln == 'x' || m->reln == '!')
        v = 0;
    else
        v += m->reln == '=' ? 10 : m->reln == '<' || m->reln == '>' ? -20 : -10;
    int64_t f = m->factor;
    v = m->factor_op == '+'        ? v + f
        : m->factor_op == '-'      ? v - f
        : m->factor_op == '*'      ? v * f
        : m->factor_op == '/' && f ? v / f
                                   : v;
    return (v <= 0 ? 1 : v) + !m->desc[0];
}

static bool plain_text(struct wk_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char ch = (unsigned char)s.p[i];
        if (ch < 7 || (ch > 13 && ch < 32 && ch != 27) || ch == 127)
            return false;
    }
    return wk_utf8_valid(s);
}

/* Whether an entry waits until the file is known to be text. */
static bool waits_for_text(const struct wk_magic *m)
{
    if (!wk_magic_is_text(m->type))
        return false;
    if (m->flags & (WK_MAGIC_TEXT | WK_MAGIC_BINARY))
        return m->flags & WK_MAGIC_TEXT;
    return (m->type == WK_MAGIC_SEARCH || m->type == WK_MAGIC_REGEX) && plain_text(m->text);
}

/* ---- lines -------------------------------------------------------------------------------------
 */

static struct wk_magic_entry *add_entry(struct wk_cmd *c, struct wk_magic_entry **v, size_t *n,
                                        size_t *cap)
{
    if (*n == *cap) {
        *cap = *cap ? 2 * *cap : 256;
        *v = (struct wk_magic_entry *)wk_heap_realloc(c->heap, *v, *cap * sizeof **v);
    }
    return &(*v)[(*n)++];
}

static void add_line(struct reader *r, const struct wk_magic *m)
{
    struct wk_magic_set *s = r->set;
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 4096;
        s->v = (struct wk_magic *)wk_heap_realloc(r->c->heap, s->v, s->cap * sizeof *s->v);
    }
    struct wk_magic_entry *e;
    if (!m->level) {
        e = m->type == WK_MAGIC_NAME ? add_entry(r->c, &s->named, &s->nnamed, &s->named_cap)
                                     : add_entry(r->c, &s->entry, &s->nentries, &s->entry_cap);
        *e = (struct wk_magic_entry){.first = (uint32_t)s->n, .text = waits_for_text(m)};
        r->in_entry = m->type != WK_MAGIC_NAME;
    } else {
        e = r->in_entry ? &s->entry[s->nentries - 1] : &s->named[s->nnamed - 1];
    }
    s->v[s->n++] = *m;
    e->n++;
}

/* "!:mime image/png" and its kin belong to the line before. */
static void read_annotation(struct reader *r)
{
    r->at = 2;
    struct wk_str key = word(r);
    skip_blanks(r);
    if (!r->set->n) {
        complain(r, "annotation", key);
        return;
    }
    struct wk_magic *m = &r->set->v[r->set->n - 1];
    if (wk_str_is(key, "strength")) {
        m->factor_op = peek(r);
        if (r->at < r->line.n && strchr("+-*/", m->factor_op))
            r->at++;
        else
            m->factor_op = '+';
        skip_blanks(r);
        m->factor = (uint32_t)number(r);
        return;
    }
    struct wk_str s = wk_str_trim(wk_str_from(r->line, r->at));
    const char *value = wk_dupn(r->c, s.p ? s.p : "", s.n);
    if (wk_str_is(key, "mime"))
        m->mime = value;
    else if (wk_str_is(key, "ext"))
        m->ext = value;
    else if (wk_str_is(key, "apple"))
        m->apple = value;
    else
        complain(r, "annotation", key);
}

static void read_line(struct reader *r)
{
    struct wk_magic m = {.line = r->number};
    r->at = 0;
    read_offset(r, &m);
    if (m.level && !r->set->n)
        complain(r, "No current entry for continuation", WK_STR(""));
    skip_blanks(r);
    if (!r->failed)
        read_type(r, &m);
    skip_blanks(r);
    if (!r->failed)
        read_test(r, &m);
    if (r->failed)
        return;
    read_desc(r, &m);
    add_line(r, &m);
}

bool wk_magic_read(struct wk_cmd *c, struct wk_magic_set *set, const char *name, struct wk_str text)
{
    struct reader r = {.c = c, .set = set, .name = name};
    bool failed = false;
    while (text.n) {
        ptrdiff_t end = wk_str_chr(text, '\n');
        r.line = wk_str_take(text, end < 0 ? text.n : (size_t)end);
        text = wk_str_from(text, r.line.n + 1);
        r.number++;
        r.failed = false;
        wk_tick(c, 4);
        if (r.line.n && r.line.p[r.line.n - 1] == '\r')
            r.line.n--;
        if (!r.line.n || r.line.p[0] == '#' || !wk_str_trim(r.line).n)
            continue;
        if (wk_str_starts(r.line, WK_STR("!:")))
            read_annotation(&r);
        else
            read_line(&r);
        failed = failed || r.failed;
    }
    return !failed;
}

static int by_strength(void *ctx, const void *a, const void *b)
{
    const struct wk_magic_set *s = (const struct wk_magic_set *)ctx;
    const struct wk_magic_entry *x = (const struct wk_magic_entry *)a,
                                *y = (const struct wk_magic_entry *)b;
    int64_t p = s->v[x->first].strength, q = s->v[y->first].strength;
    return p != q ? (p > q ? -1 : 1) : x->first < y->first ? -1 : x->first > y->first;
}

void wk_magic_sort(struct wk_cmd *c, struct wk_magic_set *set)
{
    set->order = wk_new_n(c, const void *, set->nentries + 1);
    for (size_t i = 0; i < set->nentries; i++) {
        set->v[set->entry[i].first].strength = strength_of(&set->v[set->entry[i].first]);
        set->order[i] = &set->entry[i];
    }
    wk_ptr_sort(c, set->order, set->nentries, by_strength, set);
}
