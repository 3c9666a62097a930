/* rg_syntax.c - rg: a pattern in Rust's syntax is read and written in another one
 *
 * One pass, no tree: what was read is written at once. What a repetition stands behind is known by where its text
 * began. Perl's text never depends on options of its own but those written in it.
 */
#include "builtins/rg_parse.h"

#include "base/num.h"
#include "base/utf8.h"

static void release_buf(void *b)
{
    wk_buf_release(b);
}

struct wk_buf *wk_rg_buf(struct wk_cmd *c)
{
    struct wk_buf *b = wk_heap_bump(c->heap, sizeof *b);
    wk_buf_init(b, wk_heap_mem(c->heap), SIZE_MAX / 2);
    wk_heap_own(c->heap, b, release_buf);
    return b;
}

struct wk_str wk_rg_escape(struct wk_cmd *c, struct wk_str text)
{
    struct wk_buf *b = wk_rg_buf(c);
    for (size_t i = 0; i < text.n; i++) {
        if (wk_rg_is_meta((unsigned char)text.p[i]))
            wk_buf_putc(b, '\\');
        wk_buf_putc(b, text.p[i]);
    }
    if (b->failed)
        wk_heap_exhausted(c->heap);
    return wk_buf_str(b);
}

bool wk_rg_is_meta(uint32_t ch)
{
    return ch < 128 && ch && strchr("\\.+*?()|[]{}^$#&-~", (int)ch) != NULL;
}

bool wk_rg_wrong(struct wk_rg_parse *p, const char *text, size_t at, size_t end)
{
    if (!p->err->text)
        *p->err = (struct wk_rg_error){.text = text, .at = at, .end = end};
    return false;
}

uint32_t wk_rg_peek(const struct wk_rg_parse *p, size_t at, size_t *next)
{
    uint32_t ch;
    if (at >= p->s.n)
        return WK_RG_END;
    *next = at + wk_utf8_next(p->s.p + at, p->s.n - at, &ch);
    return ch;
}

/* ---- atoms -------------------------------------------------------------------------------------------------------
 */

static void begin_atom(struct wk_rg_parse *p, bool fragile)
{
    p->atom = p->out ? p->out->n : 0;
    p->has_atom = true;
    p->fragile = fragile;
}

static struct wk_rg_flat *add_flat(struct wk_rg_parse *p)
{
    if (p->flat_n == WK_RG_FLAT_MAX || p->not_flat || p->behind) {
        p->not_flat = true;
        return NULL;
    }
    struct wk_rg_flat *f = &p->flat[p->flat_n++];
    *f = (struct wk_rg_flat){.high = false};
    return f;
}

void wk_rg_put_set(struct wk_rg_parse *p, struct wk_rg_set *s)
{
    struct wk_rg_facts *f = p->facts;
    struct wk_rg_flat *flat = add_flat(p);
    if (!p->syntax->multi_line && !p->syntax->nul_lines)
        s->ascii[0] &= ~(UINT64_C(1) << '\n'); /* no line has one */
    if (flat)
        *flat = (struct wk_rg_flat){{s->ascii[0], s->ascii[1]}, s->n || s->opaque, false, false};
    f->newline = f->newline || wk_rg_set_has(s, '\n');
    for (uint32_t ch = 'a'; ch <= 'z'; ch++)
        if (wk_rg_set_has(s, ch) != wk_rg_set_has(s, ch - 32))
            f->cased_off = true; /* ignoring case would make it another set */
    f->cased_off = f->cased_off || (s->n && !p->flags.i);
    f->past_ascii = f->past_ascii || s->opaque;
    f->bytes = f->bytes || (s->bytes && s->n);
    if (s->too_big)
        (void)wk_rg_wrong(p, WK_RG_TOO_BIG, 0, 0);
    begin_atom(p, false);
    if (!wk_rg_set_put(p->c, s, p->form, p->out))
        f->no_ere = true;
}

static bool has_case(uint32_t ch)
{
    return wk_utf8_upper(ch) != ch || wk_utf8_lower(ch) != ch;
}

static void put_plain(struct wk_rg_parse *p, uint32_t ch)
{
    char text[6];
    struct wk_buf *b = p->out;
    if (p->form == WK_RG_FORM_ERE) {
        if (ch < 128 && ch && strchr("\\.[]*^$+?(){}|", (int)ch))
            wk_buf_putc(b, '\\');
        wk_buf_put(b, text, wk_utf8_put(text, ch));
    } else if (p->form == WK_RG_FORM_BYTES && ch >= 128) {
        size_t n = wk_utf8_put(text, ch);
        wk_buf_put_c(b, "(?:");
        for (size_t i = 0; i < n; i++)
            wk_buf_fmt(b, "\\x%x", (unsigned)(unsigned char)text[i]);
        wk_buf_putc(b, ')');
    } else if (p->form == WK_RG_FORM_ASCII && ch >= 128) {
        wk_buf_put_c(b, "(?!)");
    } else if (ch < 128 && (wk_is_alnum((int)ch) || ch == ' ' || ch == '_')) {
        wk_buf_putc(b, (char)ch);
    } else {
        wk_buf_fmt(b, "\\x{%x}", (unsigned)ch);
    }
}

void wk_rg_put_literal(struct wk_rg_parse *p, uint32_t ch)
{
    struct wk_rg_facts *f = p->facts;
    bool cased = has_case(ch);
    if (ch >= 128 && !p->flags.u)
        (void)wk_rg_wrong(p, WK_RG_NO_UNICODE, p->at, p->at + wk_utf8_put((char[6]){0}, ch));
    f->literal = true;
    f->upper = f->upper || wk_utf8_is(ch, WK_CLASS_UPPER);
    f->newline = f->newline || ch == '\n';
    f->newline_literal = f->newline_literal || ch == '\n';
    if (cased && p->flags.i && !p->syntax->fold_later) {
        struct wk_rg_set s = {.bytes = false};
        f->cased_on = true;
        wk_rg_set_add(p->c, &s, ch, ch);
        wk_rg_set_fold(p->c, &s);
        wk_rg_put_set(p, &s);
        return;
    }
    *(p->flags.i ? &f->cased_on : &f->cased_off) |= cased;
    struct wk_rg_flat *flat = add_flat(p);
    if (flat && ch < 128) {
        flat->ascii[ch / 64] |= UINT64_C(1) << ch % 64;
        if (p->flags.i && cased)
            flat->ascii[1] |= UINT64_C(1) << (ch ^ 32) % 64;
    } else if (flat) {
        flat->high = true;
    }
    begin_atom(p, false);
    if (p->form != WK_RG_FORM_SCAN)
        put_plain(p, ch);
}

static void put_byte(struct wk_rg_parse *p, unsigned byte)
{
    p->facts->bytes = true;
    p->not_flat = true;
    begin_atom(p, false);
    if (p->form != WK_RG_FORM_SCAN)
        wk_buf_fmt(p->out, p->form == WK_RG_FORM_BYTES ? "\\x%x" : "(?!)", byte);
}

static void put_dot(struct wk_rg_parse *p)
{
    struct wk_rg_set s = {.bytes = !p->flags.u};
    if (p->flags.s)
        wk_rg_set_add(p->c, &s, '\n', '\n');
    wk_rg_set_add(p->c, &s, 0, '\n' - 1);
    wk_rg_set_add(p->c, &s, '\n' + 1, p->flags.u ? WK_UTF8_MAX : 0xff);
    bool lines = !p->syntax->multi_line && !p->syntax->nul_lines;
    if (p->form == WK_RG_FORM_ERE && lines && p->flags.u) {
        struct wk_rg_flat *flat = add_flat(p);
        if (flat)
            *flat = (struct wk_rg_flat){{UINT64_MAX, UINT64_MAX}, true, false, false};
        begin_atom(p, false);
        wk_buf_putc(p->out, '.');
        return;
    }
    wk_rg_put_set(p, &s);
}

/* \b of Unicode, where it is not only about ASCII. */
static const char *word_border(struct wk_rg_parse *p, bool negated)
{
    struct wk_rg_set w = {.bytes = false};
    struct wk_buf *b = wk_rg_buf(p->c);
    wk_rg_set_perl(p->c, &w, 'w', false, true);
    wk_rg_set_put(p->c, &w, WK_RG_FORM_UTF, b);
    const char *word = wk_keep(p->c, b);
    return negated ? wk_strf(p->c, "(?:(?<=%s)(?=%s)|(?<!%s)(?!%s))", word, word, word, word)
                   : wk_strf(p->c, "(?:(?<=%s)(?!%s)|(?<!%s)(?=%s))", word, word, word, word);
}

void wk_rg_put_assert(struct wk_rg_parse *p, char which)
{
    const char *text = "";
    bool perl = p->form != WK_RG_FORM_ERE, lines = p->flags.m;
    p->facts->anchored = true;
    p->facts->past_ascii = p->facts->past_ascii || which == 'b' || which == 'B';
    p->facts->whole = p->facts->whole || (which != 'b' && which != 'B');

    if (p->flat_n > (p->flat_alts ? p->flat_at[p->flat_alts - 1] : 0))
        p->behind = true; /* it may only end an alternative */
    begin_atom(p, true);
    if (p->form == WK_RG_FORM_SCAN)
        return;
    switch (which) {
    case '^':
        text = !perl ? (lines ? "^" : "\\`") : lines ? "(?:^|(?<=\\n)\\z)" : "\\A";
        if (perl && lines && !p->syntax->multi_line && !p->syntax->nul_lines)
            text = "^";
        break;
    case '$':
        if (p->syntax->crlf && lines)
            text = perl ? "(?:\\r?"
                          "?(?:$))"
                        : "(\r?$)";
        else
            text = !perl ? (lines ? "$" : "\\'") : lines ? "$" : "\\z";
        break;
    case 'A':
        text = perl ? "\\A" : "\\`";
        break;
    case 'z':
        text = perl ? "\\z" : "\\'";
        break;
    default:
        text = which == 'b' ? "\\b" : "\\B";
        if (p->form == WK_RG_FORM_UTF && p->flags.u)
            text = word_border(p, which == 'B');
    }
    wk_buf_put_c(p->out, text);
}

/* ---- escapes -----------------------------------------------------------------------------------------------------
 */

static bool parse_hex_braces(struct wk_rg_parse *p, size_t at, uint32_t *ch)
{
    size_t close = at + 1;
    uint64_t v = 0;
    while (close < p->s.n && p->s.p[close] != '}')
        close++;
    if (close >= p->s.n)
        return wk_rg_wrong(p, "incomplete escape sequence, reached end of pattern prematurely", p->s.n - 1, p->s.n);
    if (close == at + 1)
        return wk_rg_wrong(p, "hexadecimal literal empty", at, close + 1);
    for (size_t i = at + 1; i < close; i++) {
        if (!wk_is_xdigit((unsigned char)p->s.p[i]))
            return wk_rg_wrong(p, "invalid hexadecimal digit", i, i + 1);
        v = v > WK_UTF8_MAX ? v : v * 16 + (uint64_t)wk_rg_hex_digit(p->s.p[i]);
    }
    if (v > WK_UTF8_MAX || (v >= 0xd800 && v < 0xe000))
        return wk_rg_wrong(p, "hexadecimal literal is not a Unicode scalar value", at + 1, close);
    *ch = (uint32_t)v;
    p->at = close + 1;
    return true;
}

/* \xHH \uHHHH \UHHHHHHHH and the same with braces; `at` is behind the letter. */
static bool parse_hex(struct wk_rg_parse *p, char letter, size_t at, uint32_t *ch)
{
    size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
    uint64_t v = 0;
    if (at >= p->s.n)
        return wk_rg_wrong(p, "incomplete escape sequence, reached end of pattern prematurely", p->s.n, p->s.n);
    if (p->s.p[at] == '{')
        return parse_hex_braces(p, at, ch);
    for (size_t i = 0; i < digits; i++) {
        if (at + i >= p->s.n)
            return wk_rg_wrong(p, "incomplete escape sequence, reached end of pattern prematurely", p->s.n, p->s.n);
        if (!wk_is_xdigit((unsigned char)p->s.p[at + i]))
            return wk_rg_wrong(p, "invalid hexadecimal digit", at + i, at + i + 1);
        v = v * 16 + (uint64_t)wk_rg_hex_digit(p->s.p[at + i]);
    }
    if (v > WK_UTF8_MAX || (v >= 0xd800 && v < 0xe000))
        return wk_rg_wrong(p, "hexadecimal literal is not a Unicode scalar value", at, at + digits);
    *ch = (uint32_t)v;
    p->at = at + digits;
    return true;
}

/* The character of an escape that stands for one; *letter is set instead for \d and its kind. p->at is at the '\'. */
bool wk_rg_parse_escape(struct wk_rg_parse *p, uint32_t *ch, char *letter)
{
    static const char from[] = "aftnrv", to[] = "\a\f\t\n\r\v";
    size_t start = p->at, next = start + 1;
    uint32_t e = wk_rg_peek(p, start + 1, &next);
    *letter = '\0';
    if (e == WK_RG_END)
        return wk_rg_wrong(p, "incomplete escape sequence, reached end of pattern prematurely", start, start + 1);
    p->at = next;
    const char *f = e < 128 ? strchr(from, (int)e) : NULL;
    if (f && e) {
        *ch = (unsigned char)to[f - from];
        return true;
    }
    if (wk_rg_is_meta(e) || (e == ' ' && p->flags.x)) {
        *ch = e;
        return true;
    }
    if (e == 'x' || e == 'u' || e == 'U') {
        p->hex_two = e == 'x' && next < p->s.n && p->s.p[next] != '{';
        return parse_hex(p, (char)e, next, ch);
    }
    if (e < 128 && e && strchr("dDsSwWpPbBAz", (int)e)) {
        *letter = (char)e;
        return true;
    }
    if (e >= '0' && e <= '9') {
        wk_rg_wrong(p, "backreferences are not supported", start, next);
        p->err->needs_pcre = true;
        return false;
    }
    return wk_rg_wrong(p, "unrecognized escape sequence", start, next);
}

static bool parse_escape_atom(struct wk_rg_parse *p)
{
    uint32_t ch = 0;
    char letter;
    struct wk_rg_set s = {.bytes = !p->flags.u};
    size_t start = p->at;
    p->hex_two = false;
    if (!wk_rg_parse_escape(p, &ch, &letter))
        return false;
    if (!letter) {
        if (p->hex_two && ch >= 128 && !p->flags.u)
            put_byte(p, ch);
        else
            wk_rg_put_literal(p, ch);
        return true;
    }
    if (strchr("bBAz", letter)) {
        wk_rg_put_assert(p, letter);
        return true;
    }
    if (letter == 'p' || letter == 'P') {
        if (!wk_rg_parse_property(p, start, letter == 'P', &s))
            return false;
    } else {
        wk_rg_set_perl(p->c, &s, (char)wk_to_lower(letter), wk_is_upper(letter), p->flags.u);
    }
    wk_rg_put_set(p, &s);
    return true;
}

/* ---- groups ------------------------------------------------------------------------------------------------------
 */

/* The letters of (?…) up to ':' or ')'; p->at is at the first. */
static bool parse_flags(struct wk_rg_parse *p, struct wk_rg_flags *flags, bool *opens)
{
    bool on = true, any = false;
    size_t minus = 0, seen[128] = {0};
    for (;;) {
        size_t next = p->at;
        uint32_t ch = wk_rg_peek(p, p->at, &next);
        if (ch == WK_RG_END)
            return wk_rg_wrong(p, "expected flag but got end of regex", p->s.n, p->s.n);
        if (ch == ':' || ch == ')') {
            *opens = ch == ':';
            if (!on && !any)
                return wk_rg_wrong(p, "dangling flag negation operator", minus - 1, minus);
            p->at = next;
            return true;
        }
        bool *to = ch == 'i'   ? &flags->i
                   : ch == 'm' ? &flags->m
                   : ch == 's' ? &flags->s
                   : ch == 'U' ? &flags->U
                   : ch == 'u' ? &flags->u
                   : ch == 'x' ? &flags->x
                               : NULL;
        if (ch != '-' && !to)
            return wk_rg_wrong(p, "unrecognized flag", p->at, next);
        if (seen[ch]) {
            wk_rg_wrong(p, ch == '-' ? "flag negation operator repeated" : "duplicate flag", seen[ch] - 1, seen[ch]);
            p->err->at2 = p->at;
            p->err->end2 = next;
            return false;
        }
        seen[ch] = p->at + 1;
        if (to)
            *to = on;
        any = to != NULL;
        if (ch == '-') {
            on = false;
            minus = next;
        }
        p->at = next;
    }
}

static bool parse_group_name(struct wk_rg_parse *p)
{
    size_t start = p->at, at = start;
    while (at < p->s.n && p->s.p[at] != '>') {
        int ch = (unsigned char)p->s.p[at];
        bool fine = at == start ? wk_is_name_start(ch) : wk_is_name_char(ch) || strchr(".[]", ch);
        if (!fine)
            return wk_rg_wrong(p, "invalid capture group character", at, at + 1);
        at++;
    }
    if (at >= p->s.n)
        return wk_rg_wrong(p, "unclosed capture group name", p->s.n, p->s.n);
    if (at == start)
        return wk_rg_wrong(p, "empty capture group name", at, at);
    const char *name = wk_dupn(p->c, p->s.p + start, at - start);
    for (size_t i = 0; i < p->names->n; i++)
        if (p->names->v[i] && strcmp(p->names->v[i], name) == 0) {
            struct wk_str tag = wk_str(p->s.p + start - 1, at - start + 2); /* with < and > */
            ptrdiff_t first = wk_str_find(p->s, tag);
            wk_rg_wrong(p, "duplicate capture group name", (size_t)first + 1, (size_t)first + tag.n - 1);
            p->err->at2 = start;
            p->err->end2 = at;
            return false;
        }
    p->names->v[p->names->n - 1] = name;
    p->at = at + 1;
    return true;
}

static void add_group(struct wk_rg_parse *p)
{
    struct wk_opt_list *l = p->names;
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 8;
        l->v = wk_heap_realloc(p->c->heap, l->v, l->cap * sizeof *l->v);
    }
    l->v[l->n++] = NULL;
    p->facts->groups++;
}

static bool look_around(struct wk_rg_parse *p, size_t open)
{
    static const char *const forms[] = {"(?=", "(?!", "(?<=", "(?<!"};
    struct wk_str rest = wk_str_from(p->s, open);
    for (size_t i = 0; i < WK_COUNTOF(forms); i++)
        if (wk_str_starts(rest, wk_str_c(forms[i]))) {
            wk_rg_wrong(p, "look-around, including look-ahead and look-behind, is not supported", open,
                        open + strlen(forms[i]));
            p->err->needs_pcre = true;
            return true;
        }
    return false;
}

/* p->at is at the '('. */
static bool parse_open(struct wk_rg_parse *p)
{
    size_t open = p->at;
    struct wk_rg_flags flags = p->flags;
    bool opens = true, captures = false;
    if (look_around(p, open))
        return false;
    if (p->depth == WK_RG_MAX_DEPTH)
        return wk_rg_wrong(p, "exceed the maximum number of nested parentheses/brackets (250)", open, open + 1);
    p->at++;
    struct wk_str rest = wk_str_from(p->s, p->at);
    if (wk_str_starts(rest, WK_STR("?P<")) || wk_str_starts(rest, WK_STR("?<"))) {
        captures = true;
        add_group(p);
        p->at += rest.p[1] == 'P' ? 3 : 2;
        if (!parse_group_name(p))
            return false;
    } else if (rest.n && rest.p[0] == '?') {
        p->at++;
        size_t first = p->at;
        if (first >= p->s.n)
            return wk_rg_wrong(p, "unclosed group", open, open + 1);
        if (!parse_flags(p, &flags, &opens))
            return false;
        if (!opens && p->at == first + 1)
            return wk_rg_wrong(p, "repetition operator missing expression", open + 1, open + 2);
    } else {
        captures = true;
        add_group(p);
    }
    if (!opens) { /* for the rest of the group it stands in */
        p->flags = flags;
        p->has_atom = false;
        return true;
    }
    p->not_flat = true;
    p->stack[p->depth++] = (struct wk_rg_frame){p->flags, open, p->out ? p->out->n : 0};
    p->flags = flags;
    p->has_atom = false;
    if (p->form != WK_RG_FORM_SCAN)
        wk_buf_put_c(p->out, captures || p->form == WK_RG_FORM_ERE ? "(" : "(?:");
    return true;
}

static bool parse_close(struct wk_rg_parse *p)
{
    if (!p->depth)
        return wk_rg_wrong(p, "unopened group", p->at, p->at + 1);
    const struct wk_rg_frame *f = &p->stack[--p->depth];
    p->flags = f->flags;
    if (p->form != WK_RG_FORM_SCAN)
        wk_buf_putc(p->out, ')');
    p->atom = f->out_at;
    p->has_atom = true;
    p->fragile = false;
    p->at++;
    return true;
}

/* ---- repetitions -------------------------------------------------------------------------------------------------
 */

static bool parse_count(struct wk_rg_parse *p, size_t *at, uint32_t *v)
{
    size_t start = *at;
    uint64_t n = 0;
    for (; *at < p->s.n && wk_is_digit((unsigned char)p->s.p[*at]); ++*at)
        n = n > UINT32_MAX ? n : n * 10 + (uint64_t)(p->s.p[*at] - '0');
    if (*at == start)
        return wk_rg_wrong(p, "repetition quantifier expects a valid decimal", start, start);
    if (n > UINT32_MAX)
        return wk_rg_wrong(p, "decimal literal invalid", start, *at);
    *v = (uint32_t)n;
    return true;
}

/* {n} {n,} {n,m}; p->at is at the '{'. */
static bool parse_counts(struct wk_rg_parse *p, uint32_t *min, uint32_t *max)
{
    size_t at = p->at + 1;
    const char *unclosed = "unclosed counted repetition";
    if (at >= p->s.n)
        return wk_rg_wrong(p, unclosed, p->at, at);
    if (!parse_count(p, &at, min))
        return false;
    *max = *min;
    if (at >= p->s.n)
        return wk_rg_wrong(p, unclosed, p->at, at);
    if (p->s.p[at] == ',') {
        at++;
        *max = UINT32_MAX;
        if (at >= p->s.n)
            return wk_rg_wrong(p, unclosed, p->at, at);
        if (p->s.p[at] != '}' && !parse_count(p, &at, max))
            return false;
    }
    if (at >= p->s.n || p->s.p[at] != '}')
        return wk_rg_wrong(p, unclosed, p->at, WK_MIN(at, p->s.n));
    if (*min > *max)
        return wk_rg_wrong(p, "invalid repetition count range, the start must be <= the end", p->at, at + 1);
    p->at = at + 1;
    return true;
}

/* Around what was written since `from`: quadratic only in how often operators stand behind one another, which is
 * bounded. */
static void wrap(struct wk_rg_parse *p, size_t from)
{
    const char *open = p->form == WK_RG_FORM_ERE ? "(" : "(?:";
    size_t n = strlen(open);
    if (p->form == WK_RG_FORM_SCAN || !wk_buf_room(p->out, n + 1))
        return;
    memmove(p->out->p + from + n, p->out->p + from, p->out->n - from);
    memcpy(p->out->p + from, open, n);
    p->out->n += n;
    wk_buf_putc(p->out, ')');
}

static bool parse_repeat(struct wk_rg_parse *p)
{
    size_t op = p->at;
    char ch = p->s.p[op];
    uint32_t min = ch == '+', max = ch == '?' ? 1 : UINT32_MAX;
    if (!p->has_atom)
        return wk_rg_wrong(p, "repetition operator missing expression", op, op + 1);
    if (ch != '{')
        p->at++;
    else if (!parse_counts(p, &min, &max))
        return false;
    bool lazy = p->at < p->s.n && p->s.p[p->at] == '?';
    p->at += lazy;
    if (++p->repeats > WK_RG_MAX_DEPTH && p->fragile)
        return wk_rg_wrong(p, "exceed the maximum number of nested parentheses/brackets (250)", op, op + 1);
    if (p->fragile)
        wrap(p, p->atom);
    if (p->flat_n && !p->not_flat) {
        struct wk_rg_flat *f = &p->flat[p->flat_n - 1];
        p->not_flat = lazy != p->flags.U || p->fragile || max == 0 || (max != UINT32_MAX && max > 1) || min > 1;
        f->optional = min == 0;
        f->loop = max > 1;
    }
    if (p->form != WK_RG_FORM_SCAN) {
        if (ch != '{')
            wk_buf_putc(p->out, ch);
        else if (max == UINT32_MAX)
            wk_buf_fmt(p->out, "{%u,}", (unsigned)min);
        else
            wk_buf_fmt(p->out, "{%u,%u}", (unsigned)min, (unsigned)max);
        if (lazy != p->flags.U && p->form != WK_RG_FORM_ERE)
            wk_buf_putc(p->out, '?');
        if (p->form == WK_RG_FORM_ERE && max > WK_RG_ERE_REPEAT && max != UINT32_MAX)
            p->facts->no_ere = true;
        if (min > WK_RG_PERL_REPEAT || (max != UINT32_MAX && max > WK_RG_PERL_REPEAT))
            return wk_rg_wrong(p, WK_RG_TOO_BIG, 0, 0);
    }
    p->fragile = true; /* one more operator would mean something else */
    return true;
}

/* ---- the pattern -------------------------------------------------------------------------------------------------
 */

static bool are_apart(const struct wk_rg_flat *a, const struct wk_rg_flat *b)
{
    return !(a->ascii[0] & b->ascii[0]) && !(a->ascii[1] & b->ascii[1]) && !(a->high && b->high);
}

/* Whether no text can begin both alternatives: they tell from one another before anything is repeated. */
static bool exclude_each_other(const struct wk_rg_parse *p, size_t a, size_t a_end, size_t b, size_t b_end)
{
    for (; a < a_end && b < b_end; a++, b++) {
        const struct wk_rg_flat *x = &p->flat[a], *y = &p->flat[b];
        if (x->optional || y->optional)
            return false;
        if (are_apart(x, y))
            return true;
        if (x->loop || y->loop)
            return false;
    }
    return false;
}

/* Whether greedy choices give the longest match: each character says which way to go. */
static bool choose_themselves(const struct wk_rg_parse *p)
{
    size_t at = 0;
    for (size_t k = 0; k <= p->flat_alts; k++) {
        size_t end = k < p->flat_alts ? p->flat_at[k] : p->flat_n;
        for (size_t i = at; i < end; i++)
            for (size_t j = i + 1; (p->flat[i].loop || p->flat[i].optional) && j < end; j++) {
                if (!are_apart(&p->flat[i], &p->flat[j]))
                    return false;
                if (!p->flat[j].optional)
                    break;
            }
        for (size_t m = k, from = end; m < p->flat_alts; m++) {
            size_t to = m + 1 < p->flat_alts ? p->flat_at[m + 1] : p->flat_n;
            if (!exclude_each_other(p, at, end, from, to))
                return false;
            from = to;
        }
        at = end;
    }
    return true;
}

static void skip_verbose(struct wk_rg_parse *p)
{
    while (p->at < p->s.n) {
        size_t next = p->at;
        uint32_t ch = wk_rg_peek(p, p->at, &next);
        if (ch == '#')
            while (p->at < p->s.n && p->s.p[p->at] != '\n')
                p->at++;
        else if (ch < 128 ? wk_is_space((int)ch) : wk_utf8_is(ch, WK_CLASS_SPACE))
            p->at = next;
        else
            return;
    }
}

static bool parse_item(struct wk_rg_parse *p)
{
    size_t next = p->at;
    uint32_t ch = wk_rg_peek(p, p->at, &next);
    if (ch != '*' && ch != '+' && ch != '?' && ch != '{')
        p->repeats = 0;
    switch (ch) {
    case '(':
        return parse_open(p);
    case ')':
        return parse_close(p);
    case '[':
        return wk_rg_parse_class(p);
    case '\\':
        return parse_escape_atom(p);
    case '*':
    case '+':
    case '?':
    case '{':
        return parse_repeat(p);
    case '.':
        put_dot(p);
        break;
    case '^':
    case '$':
        wk_rg_put_assert(p, (char)ch);
        break;
    case '|':
        p->has_atom = false;
        p->not_flat = p->not_flat || p->depth || p->flat_alts == WK_RG_FLAT_MAX;
        if (!p->not_flat)
            p->flat_at[p->flat_alts++] = p->flat_n;
        p->behind = false;
        if (p->form != WK_RG_FORM_SCAN)
            wk_buf_putc(p->out, '|');
        break;
    default:
        if (wk_utf8_is_bad(ch))
            put_byte(p, ch - WK_UTF8_BAD);
        else
            wk_rg_put_literal(p, ch);
    }
    p->at = next;
    return true;
}

bool wk_rg_translate(struct wk_cmd *c, struct wk_str pattern, const struct wk_rg_syntax *syntax, enum wk_rg_form form,
                     struct wk_buf *out, struct wk_rg_facts *facts, struct wk_opt_list *names,
                     struct wk_rg_error *err)
{
    struct wk_rg_parse *p = wk_new(c, struct wk_rg_parse);
    *p = (struct wk_rg_parse){
        .c = c, .s = pattern, .syntax = syntax, .form = form, .out = out, .facts = facts, .names = names, .err = err};
    p->flags = (struct wk_rg_flags){
        .i = syntax->icase, .m = true, .s = syntax->dot_all && syntax->multi_line, .u = !syntax->no_unicode};
    *facts = (struct wk_rg_facts){.groups = 0};
    *err = (struct wk_rg_error){.text = NULL};
    names->n = 0;
    bool good = true;
    while (good) {
        if (p->flags.x)
            skip_verbose(p);
        if (p->at >= p->s.n)
            break;
        good = parse_item(p);
        wk_tick(c, 4);
    }
    if (good && p->depth)
        good = wk_rg_wrong(p, "unclosed group", p->stack[p->depth - 1].open, p->stack[p->depth - 1].open + 1);
    facts->greedy_is_longest = good && !p->not_flat && choose_themselves(p);
    if (facts->greedy_is_longest && p->flat_n) {
        facts->flat = wk_new_n(c, struct wk_rg_flat, p->flat_n);
        memcpy(facts->flat, p->flat, p->flat_n * sizeof *p->flat);
        facts->flat_at = wk_new_n(c, size_t, p->flat_alts + 1);
        memcpy(facts->flat_at, p->flat_at, p->flat_alts * sizeof *p->flat_at);
        facts->flat_n = p->flat_n;
        facts->flat_alts = p->flat_alts;
    }
    good = good && !err->text;
    wk_heap_free(c->heap, p);
    return good;
}
