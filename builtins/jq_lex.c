/* jq_lex.c - the tokens of a jq program */
#include "builtins/jq_lex.h"
#include "base/utf8.h"

static const char *const words[] = {"def",  "module", "import",  "include", "if",  "then", "else", "elif",  "as",
                                    "reduce", "foreach", "end", "and", "or", "try", "catch", "label", "break"};

static int peek(const struct jq_lexer *l, uint32_t ahead)
{
    size_t i = (size_t)l->pos + ahead;
    return i < l->t->s.n ? (unsigned char)l->t->s.p[i] : -1;
}

/* A comment goes on in the next line behind an odd number of backslashes. */
static void skip_comment(struct jq_lexer *l)
{
    bool odd = false;
    for (int ch; (ch = peek(l, 0)) >= 0; l->pos++) {
        if (ch == '\n' && !odd)
            return;
        if (ch == '\r' && odd && peek(l, 1) == '\n')
            continue; /* \ CR LF */
        odd = ch == '\\' && !odd;
    }
}

static void skip_blanks(struct jq_lexer *l)
{
    for (int ch; (ch = peek(l, 0)) >= 0;) {
        uint32_t from = l->pos;
        if (ch == '#')
            skip_comment(l);
        else if (ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r')
            while ((ch = peek(l, 0)) == ' ' || ch == '\t' || ch == '\n' || ch == '\r')
                l->pos++;
        else
            return;
        l->before = from;
        l->last = l->pos;
    }
}

/* A name, with parts of it in front of :: when `path`. */
static struct wk_str read_name(struct jq_lexer *l, bool path)
{
    uint32_t from = l->pos;
    while (wk_is_name_char(peek(l, 0)))
        l->pos++;
    while (path && peek(l, 0) == ':' && peek(l, 1) == ':' && wk_is_name_start(peek(l, 2))) {
        l->pos += 2;
        while (wk_is_name_char(peek(l, 0)))
            l->pos++;
    }
    return wk_str(l->t->s.p + from, l->pos - from);
}

static void read_number(struct jq_lexer *l)
{
    uint32_t from = l->pos;
    while (wk_is_digit(peek(l, 0)))
        l->pos++;
    if (peek(l, 0) == '.') {
        l->pos++;
        while (wk_is_digit(peek(l, 0)))
            l->pos++;
    }
    if ((peek(l, 0) | 0x20) == 'e') {
        uint32_t sign = peek(l, 1) == '+' || peek(l, 1) == '-';
        if (wk_is_digit(peek(l, 1 + sign))) {
            l->pos += 1 + sign;
            while (wk_is_digit(peek(l, 0)))
                l->pos++;
        }
    }
    l->tok = JT_LITERAL;
    l->value = wk_jq_number_text(l->t->q, wk_str(l->t->s.p + from, l->pos - from));
}

/* = and the operators that end in it, comparisons too. */
static bool read_operator(struct jq_lexer *l, int ch)
{
    static const struct {
        char text[4];
        uint8_t tok, op;
    } table[] = {{"?//", JT_ALTERNATION, 0},     {"//=", JT_UPDATE, JO_DEFAULT}, {"|=", JT_UPDATE, JO_MODIFY},
                 {"+=", JT_UPDATE, JO_ADD},      {"-=", JT_UPDATE, JO_SUB},      {"*=", JT_UPDATE, JO_MUL},
                 {"/=", JT_UPDATE, JO_DIV},      {"%=", JT_UPDATE, JO_MOD},      {"==", JT_EQ, 0},
                 {"!=", JT_NE, 0},               {"<=", JT_LE, 0},               {">=", JT_GE, 0},
                 {"//", JT_ALT, 0},              {"..", JT_REC, 0},              {"=", JT_UPDATE, JO_SET}};
    for (size_t i = 0; i < WK_COUNTOF(table); i++) {
        size_t n = strlen(table[i].text), k = 0;
        if (table[i].text[0] != ch)
            continue;
        while (k < n && peek(l, (uint32_t)k) == (unsigned char)table[i].text[k])
            k++;
        if (k == n) {
            l->tok = table[i].tok;
            l->op = table[i].op;
            l->pos += (uint32_t)n;
            return true;
        }
    }
    return false;
}

static void read_word(struct jq_lexer *l)
{
    l->name = read_name(l, true);
    l->tok = JT_IDENT;
    for (size_t i = 0; i < WK_COUNTOF(words); i++)
        if (wk_str_is(l->name, words[i]))
            l->tok = JT_DEF + (int)i;
}

void wk_jq_lex(struct jq_lexer *l)
{
    skip_blanks(l);
    int ch = peek(l, 0);
    l->at = l->pos;
    if (ch < 0) {
        l->tok = JT_EOF;
        l->at = l->before;
        l->end = l->last;
        return;
    }
    if (ch == '"') {
        l->tok = JT_QUOTE;
        l->pos++;
    } else if (ch == '.' && wk_is_name_start(peek(l, 1))) {
        l->pos++;
        l->tok = JT_FIELD;
        l->name = read_name(l, false);
    } else if (wk_is_digit(ch) || (ch == '.' && wk_is_digit(peek(l, 1)))) {
        read_number(l);
    } else if (wk_is_name_start(ch)) {
        read_word(l);
    } else if (ch == '$' && wk_is_name_start(peek(l, 1))) {
        l->pos++;
        l->name = read_name(l, true);
        l->tok = wk_str_is(l->name, "__loc__") ? JT_LOC : JT_BINDING;
    } else if (ch == '@' && wk_is_name_char(peek(l, 1))) {
        l->pos++;
        l->tok = JT_FORMAT;
        l->name = read_name(l, false);
    } else if (!read_operator(l, ch)) {
        l->tok = strchr(".[](){}|,:;+-*%/<>?$", ch) && ch ? JT_CHAR + ch : JT_BAD;
        l->pos++;
    }
    l->before = l->at;
    l->end = l->last = l->pos;
}

/* ---- strings --------------------------------------------------------------------------------- */

static int hex4(const struct jq_lexer *l)
{
    int v = 0;
    for (uint32_t i = 0; i < 4; i++) {
        int ch = peek(l, i);
        if (!wk_is_xdigit(ch))
            return -1;
        v = v * 16 + (wk_is_digit(ch) ? ch - '0' : (ch | 0x20) - 'a' + 10);
    }
    return v;
}

static void put_rune(struct wk_buf *b, uint32_t r)
{
    char text[6];
    wk_buf_put(b, text, wk_utf8_put(text, r));
}

/* \uXXXX, the position behind the u: two that make a pair are one character. */
static bool unicode_escape(struct jq_lexer *l, struct wk_buf *b)
{
    int v = hex4(l);
    if (v < 0)
        return false;
    l->pos += 4;
    if (v >= 0xD800 && v < 0xDC00 && peek(l, 0) == '\\' && peek(l, 1) == 'u') {
        l->pos += 2;
        int low = hex4(l);
        if (low >= 0xDC00 && low < 0xE000) {
            l->pos += 4;
            put_rune(b, 0x10000u + ((uint32_t)(v - 0xD800) << 10) + (uint32_t)(low - 0xDC00));
            return true;
        }
        l->pos -= 2;
    }
    put_rune(b, v >= 0xD800 && v < 0xE000 ? 0xFFFD : (uint32_t)v);
    return true;
}

static bool escape(struct jq_lexer *l, struct wk_buf *b)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int ch = peek(l, 0);
    if (ch < 0)
        return false;
    l->pos++;
    if (ch == 'u')
        return unicode_escape(l, b);
    const char *p = ch ? strchr(from, ch) : NULL;
    return p && wk_buf_putc(b, to[p - from]);
}

bool wk_jq_lex_string(struct jq_lexer *l, struct jq_val *text, bool *closed)
{
    struct wk_buf b;
    uint32_t from = l->pos;
    bool good = true;
    wk_buf_init(&b, wk_heap_mem(l->t->q->c->heap), SIZE_MAX / 2);
    for (;;) {
        size_t rest = l->t->s.n - l->pos, n = 0;
        const char *p = l->t->s.p + l->pos;
        while (n < rest && p[n] != '"' && p[n] != '\\')
            n++;
        wk_buf_put(&b, p, n);
        l->pos += (uint32_t)n;
        int ch = peek(l, 0);
        if (ch < 0) {
            wk_buf_release(&b);
            l->tok = JT_EOF;
            l->before = l->pos > from ? from : l->before;
            l->last = l->pos;
            wk_jq_complain(l->t, l->before, l->last, "syntax error, unexpected end of file, expecting QQSTRING_TEXT or "
                                                     "QQSTRING_INTERP_START or QQSTRING_END");
            return false;
        }
        l->pos++;
        *closed = ch == '"';
        if (*closed)
            break;
        if (peek(l, 0) == '(') {
            l->pos++;
            break;
        }
        uint32_t at = l->pos - 1;
        if (good && !escape(l, &b)) {
            good = false;
            wk_jq_complain(l->t, at, l->pos, "Invalid escape");
        }
    }
    l->before = l->pos - 1;
    l->last = l->pos;
    if (b.failed) {
        wk_buf_release(&b);
        wk_heap_exhausted(l->t->q->c->heap);
    }
    *text = wk_jq_string(l->t->q, wk_buf_str(&b));
    wk_buf_release(&b);
    return good;
}

void wk_jq_token_name(const struct jq_lexer *l, char dst[32])
{
    static const char *const names[] = {
        [JT_EOF] = "end of file", [JT_BAD] = "INVALID_CHARACTER", [JT_IDENT] = "IDENT", [JT_FIELD] = "FIELD",
        [JT_BINDING] = "BINDING", [JT_LITERAL] = "LITERAL",       [JT_FORMAT] = "FORMAT", [JT_QUOTE] = "QQSTRING_START",
        [JT_LOC] = "$__loc__",    [JT_REC] = "..",                [JT_EQ] = "==",       [JT_NE] = "!=",
        [JT_LE] = "<=",           [JT_GE] = ">=",                 [JT_ALT] = "//",      [JT_ALTERNATION] = "?//"};
    static const char *const updates[] = {[JO_ADD] = "+=", [JO_SUB] = "-=", [JO_MUL] = "*=", [JO_DIV] = "/=",
                                          [JO_MOD] = "%=", [JO_SET] = "'='", [JO_MODIFY] = "|=", [JO_DEFAULT] = "//="};
    const char *s = "";
    if (l->tok >= JT_CHAR) {
        const char quoted[4] = {'\'', (char)(l->tok - JT_CHAR), '\'', '\0'};
        memcpy(dst, quoted, sizeof quoted);
        return;
    }
    if (l->tok >= JT_DEF)
        s = words[l->tok - JT_DEF];
    else if (l->tok == JT_UPDATE)
        s = updates[l->op];
    else
        s = names[l->tok];
    memcpy(dst, s, strlen(s) + 1);
}
