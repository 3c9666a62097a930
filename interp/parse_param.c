/* parse_param.c - $x, ${…} and what else a dollar starts */
#include "interp/lexer.h"

#include "base/utf8.h"

/* ---- $'…' ----------------------------------------------------------------------------------- */

static int hex_value(int c)
{
    return wk_is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* Up to `max` digits of base 8 or 16. Returns how many there were. */
static unsigned read_digits(struct wk_parser *ps, unsigned max, unsigned base, uint32_t *v)
{
    unsigned n = 0;
    *v = 0;
    for (; n < max; n++) {
        int c = wk_ps_peek_raw(ps);
        bool ok = base == 16 ? wk_is_xdigit(c) : c >= '0' && c <= '7';
        if (!ok)
            break;
        *v = *v * base + (uint32_t)hex_value(c);
        wk_ps_skip(ps);
    }
    return n;
}

static int simple_escape(int c)
{
    switch (c) {
    case 'a':
        return '\a';
    case 'b':
        return '\b';
    case 'e':
    case 'E':
        return 27;
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'v':
        return '\v';
    case '\\':
    case '\'':
    case '"':
    case '?':
        return c;
    default:
        return -1;
    }
}

/* One escape after its backslash; out gets the bytes. */
static size_t ansi_escape(struct wk_parser *ps, char out[10])
{
    int c = wk_ps_peek_raw(ps);
    uint32_t v;
    out[0] = '\\';
    if (c == WK_PS_EOF)
        return 1;
    if (c >= '0' && c <= '7') {
        read_digits(ps, 3, 8, &v);
        out[0] = (char)(v & 0xff);
        return 1;
    }
    wk_ps_skip(ps);
    int s = simple_escape(c);
    if (s >= 0) {
        out[0] = (char)s;
        return 1;
    }
    out[1] = (char)c;
    if (c == 'x' && wk_ps_peek_raw(ps) == '{') { /* \x{…}: as many digits as there are */
        wk_ps_skip(ps);
        read_digits(ps, UINT32_MAX, 16, &v);
        if (wk_ps_peek_raw(ps) == '}')
            wk_ps_skip(ps);
        out[0] = (char)(v & 0xff);
        return 1;
    }
    if (c == 'x' || c == 'u' || c == 'U') {
        unsigned n = read_digits(ps, c == 'x' ? 2 : c == 'u' ? 4 : 8, 16, &v);
        if (!n)
            return 2;
        if (c == 'x') {
            out[0] = (char)(v & 0xff);
            return 1;
        }
        return wk_char_put(ps->o.flags & WK_PARSE_BYTES, out, v);
    }
    if (c == 'c') {
        int d = wk_ps_peek_raw(ps);
        if (d == WK_PS_EOF || d == '\'') /* the closing quote */
            return 2;
        wk_ps_skip(ps);
        int e = d == '\\' ? wk_ps_peek_raw(ps) : 0; /* the backslash has its own character behind it */
        if (e == '\\' || e == '\'')
            wk_ps_skip(ps);
        if (e == '\'') {
            out[0] = '\\' & 0x1f;
            out[1] = '\'';
            return 2;
        }
        out[0] = d == '?' ? 127 : (char)(wk_to_upper(d) & 0x1f);
        return 1;
    }
    return 2;
}

bool wk_parse_ansi_quote(struct wk_parser *ps, struct wk_wb *b)
{
    static const char alone[] = "''\\'''"; /* what the loop makes of a ' that is the whole text */
    uint32_t line = ps->line;
    size_t src = ps->src.n;
    bool cut = false; /* after a NUL the rest is dropped */
    bool bare = b && b->dq; /* between double quotes: bash prints the text alone */
    if (bare)
        wk_ps_skip(ps);
    else
        wk_ps_eat(ps);
    if (b && !wk_wb_lit(ps, b, "", 0, true))
        return false;
    for (;;) {
        int c = wk_ps_peek_raw(ps);
        char out[10] = {(char)c};
        size_t n = 1;
        if (c == WK_PS_EOF)
            return wk_ps_eof_in(ps, '\'', line);
        wk_ps_skip(ps);
        if (c == '\'' && bare)
            return true;
        if (c == '\'') {
            wk_buf_putc(&ps->src, '\'');
            if (wk_str_is(wk_str_from(wk_buf_str(&ps->src), src), alone)) {
                ps->src.n = src;
                wk_buf_put_c(&ps->src, "\\'");
            }
            return true;
        }
        if (c == '\\')
            n = ansi_escape(ps, out);
        if (n == 1 && out[0] == '\0')
            cut = true;
        if (cut)
            continue;
        if (n == 1 && out[0] == '\'' && !bare)
            wk_buf_put_c(&ps->src, "'\\''");
        else
            wk_buf_put(&ps->src, out, n);
        if (b && !wk_wb_lit(ps, b, out, n, true))
            return false;
    }
}

/* ---- subscripts ----------------------------------------------------------------------------- */

/* Text as arithmetic reads it: a backslash stays unless it is before what double quotes let it quote. NULL without
 * error: it is no word on its own. */
static struct wk_word *arith_word(struct wk_parser *ps, struct wk_str text, uint32_t line)
{
    struct wk_saved sv;
    struct wk_wb b;
    struct wk_word *w = NULL;
    if (!wk_ps_divert(ps, &sv, text, line))
        return NULL;
    ps->quiet = true;
    wk_wb_init(ps, &b, WK_SCAN_ARITH_TEXT);
    if (wk_wb_scan(ps, &b))
        w = wk_wb_done(ps, &b, false);
    wk_ps_return(ps, &sv);
    if (!w && ps->err == -WK_ESYNTAX)
        ps->err = 0;
    return w;
}

/* The subscript as an expression, in which only double quotes go: single ones are an error in it. */
static struct wk_arith *index_of(struct wk_parser *ps, const struct wk_subscript *sub, uint32_t line)
{
    const uint8_t literal = WK_WORD_LITERAL | WK_WORD_QUOTED;
    struct wk_str text = sub->text;
    bool single = wk_str_chr(text, '\'') >= 0, escapes = wk_str_chr(text, '\\') >= 0;
    bool other = escapes || wk_str_chr(text, '$') >= 0;
    struct wk_word *escaped = escapes ? arith_word(ps, text, line) : NULL;
    if (ps->err)
        return NULL;
    if (escaped)
        return wk_arith_from_word(ps, escaped, text, line);
    if ((sub->word->flags & literal) != literal || other)
        return wk_arith_from_word(ps, sub->word, text, line);
    if (!single)
        return wk_arith_from_word(ps, sub->word, wk_word_text(sub->word), line);
    struct wk_word *plain = wk_str_chr(text, '"') < 0 ? wk_word_plain(ps, text, line) : sub->word;
    return plain ? wk_arith_from_word(ps, plain, text, line) : NULL;
}

struct wk_subscript *wk_parse_subscript(struct wk_parser *ps, bool in_assign, bool *closed)
{
    struct wk_wb b;
    struct wk_subscript *sub = WK_PS_NEW(ps, struct wk_subscript);
    if (!sub)
        return NULL;
    wk_wb_init(ps, &b, WK_SCAN_SUBSCRIPT);
    b.stop_close = !in_assign;
    if (!wk_wb_scan(ps, &b))
        return NULL;
    sub->text = wk_ps_str(ps, wk_str_from(wk_buf_str(&ps->src), b.src));
    *closed = wk_ps_peek(ps) == ']';
    uint32_t line = b.line;
    sub->word = wk_wb_done(ps, &b, false);
    if (!sub->word || ps->err)
        return NULL;
    sub->kind = WK_SUB_EXPR;
    if (wk_str_is(sub->text, "@"))
        sub->kind = WK_SUB_AT;
    else if (wk_str_is(sub->text, "*"))
        sub->kind = WK_SUB_STAR;
    else if (!(sub->arith = index_of(ps, sub, line)))
        return NULL;
    if (*closed)
        wk_ps_eat(ps);
    return sub;
}

/* ---- operators of ${…} ---------------------------------------------------------------------- */

/* An operand; NULL with no error when it is empty. slash: one in front belongs to the pattern
 * (${x///}). anchored: no tilde prefix in front (${x/#~}). */
static struct wk_word *operand_from(struct wk_parser *ps, enum wk_scan scan, bool slash, bool anchored)
{
    struct wk_wb b;
    wk_wb_init(ps, &b, scan);
    b.anchored = anchored;
    b.in_value = ps->in_value && scan == WK_SCAN_OPERAND;
    if (slash && wk_ps_peek(ps) == '/') {
        if (!wk_wb_lit(ps, &b, "/", 1, false))
            return NULL;
        wk_ps_eat(ps);
    }
    bool outer = ps->plain_dollar;
    ps->plain_dollar = outer || (ps->unquoted_text && scan == WK_SCAN_DQ_OPERAND);
    bool ok = wk_wb_scan(ps, &b);
    ps->plain_dollar = outer;
    if (!ok)
        return NULL;
    if (ps->stk.n == b.stk && !b.lit_open)
        return NULL;
    return wk_wb_done(ps, &b, false);
}

static struct wk_word *operand(struct wk_parser *ps, enum wk_scan scan)
{
    return operand_from(ps, scan, false, false);
}

/* Consumes c when it comes next. */
static bool accept(struct wk_parser *ps, int c)
{
    if (wk_ps_peek(ps) != c)
        return false;
    wk_ps_eat(ps);
    return true;
}

/* ${x/…}: after the first slash. */
static void replace_op(struct wk_parser *ps, struct wk_param *p)
{
    p->op = WK_PARAM_OP_REPLACE;
    int c = wk_ps_peek(ps);
    if (c == '/')
        p->op = WK_PARAM_OP_REPLACE_ALL;
    else if (c == '#')
        p->op = WK_PARAM_OP_REPLACE_PREFIX;
    else if (c == '%')
        p->op = WK_PARAM_OP_REPLACE_SUFFIX;
    if (p->op != WK_PARAM_OP_REPLACE)
        wk_ps_eat(ps);
    bool all = p->op == WK_PARAM_OP_REPLACE_ALL;
    p->arg = operand_from(ps, WK_SCAN_PATTERN_SLASH, all, !all && p->op != WK_PARAM_OP_REPLACE);
    if (!ps->err && accept(ps, '/'))
        p->arg2 = operand(ps, WK_SCAN_PATTERN);
}

/* ${x:off:len}; false when it is no good. */
static bool substr_op(struct wk_parser *ps, struct wk_param *p)
{
    p->op = WK_PARAM_OP_SUBSTR;
    if (wk_ps_peek(ps) == '}')
        return false;
    p->offset = wk_parse_arith(ps, WK_SCAN_OFFSET);
    if (!ps->err && accept(ps, ':'))
        p->length = wk_parse_arith(ps, WK_SCAN_LENGTH);
    return true;
}

static void value_op(struct wk_parser *ps, struct wk_param *p, int c, bool dq)
{
    switch (c) {
    case '-':
        p->op = WK_PARAM_OP_DEFAULT;
        break;
    case '=':
        p->op = WK_PARAM_OP_ASSIGN;
        break;
    case '?':
        p->op = WK_PARAM_OP_ERROR;
        break;
    default:
        p->op = WK_PARAM_OP_ALT;
        break;
    }
    wk_ps_eat(ps);
    /* The message of ${x?…} is no part of the quoted text around it. */
    p->arg = operand(ps, dq && c != '?' ? WK_SCAN_DQ_OPERAND : WK_SCAN_OPERAND);
}

/* An operator that doubles: # % ^ , ~ */
static void double_op(struct wk_parser *ps, struct wk_param *p, int c, unsigned one)
{
    wk_ps_eat(ps);
    p->op = (uint8_t)(accept(ps, c) ? one + 1 : one);
    p->arg = operand(ps, WK_SCAN_PATTERN);
}

static unsigned case_op(int c)
{
    return c == '^'   ? WK_PARAM_OP_UPPER_FIRST
           : c == ',' ? WK_PARAM_OP_LOWER_FIRST
                      : WK_PARAM_OP_TOGGLE_FIRST;
}

/* What follows the parameter. Returns false when that is no valid operator. */
static bool read_operator(struct wk_parser *ps, struct wk_param *p, bool dq)
{
    int c = wk_ps_peek(ps);
    switch (c) {
    case '}':
        return true;
    case ':':
        wk_ps_eat(ps);
        c = wk_ps_peek(ps);
        if (c != '-' && c != '=' && c != '?' && c != '+')
            return substr_op(ps, p);
        p->flags |= WK_PARAM_COLON;
        value_op(ps, p, c, dq);
        return true;
    case '-':
    case '=':
    case '?':
    case '+':
        value_op(ps, p, c, dq);
        return true;
    case '#':
        double_op(ps, p, c, WK_PARAM_OP_TRIM_PREFIX);
        return true;
    case '%':
        double_op(ps, p, c, WK_PARAM_OP_TRIM_SUFFIX);
        return true;
    case '^':
    case ',':
    case '~':
        if (p->kind == WK_PARAM_SPECIAL && memchr("#?-", (int)p->id, 3))
            return false;
        double_op(ps, p, c, case_op(c));
        return true;
    case '/':
        wk_ps_eat(ps);
        replace_op(ps, p);
        return true;
    case '@':
        wk_ps_eat(ps);
        c = wk_ps_peek(ps);
        p->op = WK_PARAM_OP_TRANSFORM;
        if (wk_is_alpha(c) && wk_ps_peek2(ps) == '}') {
            p->transform = (char)c;
            wk_ps_eat(ps);
            return true;
        }
        if (c == 'A' || c == 'a') /* ask for no value */
            p->transform = '!';
        p->arg = operand(ps, dq ? WK_SCAN_DQ_OPERAND : WK_SCAN_OPERAND);
        return true; /* wrong, but else only where there is a value */
    default:
        return false;
    }
}

/* ---- ${…} ----------------------------------------------------------------------------------- */

static bool is_special(int c)
{
    return c == '@' || c == '*' || c == '#' || c == '?' || c == '-' || c == '$' || c == '!';
}

/* The parameter itself: name, number or special character. */
static bool read_parameter(struct wk_parser *ps, struct wk_param *p)
{
    int c = wk_ps_peek(ps);
    size_t from = ps->src.n;
    if (wk_is_name_start(c)) {
        do
            wk_ps_eat(ps);
        while (wk_is_name_char(wk_ps_peek(ps)));
        p->kind = WK_PARAM_NAME;
        p->id = wk_ps_name(ps, wk_str_from(wk_buf_str(&ps->src), from));
        p->prefix = wk_names_str(ps->o.names, p->id);
        return true;
    }
    if (wk_is_digit(c)) {
        uint64_t v = 0;
        do {
            v = v * 10 + (uint64_t)(c - '0');
            if (v > INT32_MAX)
                v = INT32_MAX;
            wk_ps_eat(ps);
            c = wk_ps_peek(ps);
        } while (wk_is_digit(c));
        p->kind = WK_PARAM_POS;
        p->id = (uint32_t)v;
    } else if (is_special(c)) {
        wk_ps_eat(ps);
        p->kind = WK_PARAM_SPECIAL;
        p->id = (uint32_t)c;
    } else {
        return false;
    }
    p->prefix = wk_ps_str(ps, wk_str_from(wk_buf_str(&ps->src), from));
    return true;
}

/* Does the # or ! after ${ stand for a prefix (length, indirection) and not for $# or $!? */
static bool is_prefix(struct wk_parser *ps, int c)
{
    if (wk_ps_parted(ps, 1) && !wk_ps_join(ps))
        return false;
    int next = wk_ps_peek2(ps);
    if (wk_is_name_start(next) || wk_is_digit(next) || next == '@' || next == '*') {
        if (c == '#' && (next == '@' || next == '*'))
            return ps->end - ps->p > 2 && ps->p[2] == '}';
        return true;
    }
    if (next == '}' || !is_special(next))
        return false;
    if (c == '!' && (next == '#' || next == '?')) /* in POSIX mode these are operators */
        return !(ps->o.flags & WK_PARSE_POSIX);
    if (c == '!' && next == '-')
        return false;
    return ps->end - ps->p > 2 && ps->p[2] == '}'; /* ${#?} ${!#} */
}

/* ${!prefix*} ${!prefix@} ${!a[@]}, when p (indirect) is one of these. */
static bool name_forms(struct wk_parser *ps, struct wk_param *p)
{
    int c = wk_ps_peek(ps);
    if (p->kind == WK_PARAM_NAME && !p->sub && (c == '*' || c == '@') && wk_ps_peek2(ps) == '}') {
        p->op = WK_PARAM_OP_NAMES;
        p->transform = (char)c;
        p->flags = 0;
        wk_ps_eat(ps);
        return true;
    }
    if (c == '}' && p->sub && p->sub->kind != WK_SUB_EXPR) {
        p->op = WK_PARAM_OP_KEYS;
        p->flags = 0;
        return true;
    }
    return false;
}

/* The text that '…' stands for. */
static bool decode(struct wk_parser *ps, struct wk_str *text)
{
    struct wk_wb b;
    size_t src = ps->src.n;
    wk_wb_init(ps, &b, WK_SCAN_DQ);
    b.dq = true;
    if (!wk_parse_ansi_quote(ps, &b) || !wk_wb_flush(ps, &b))
        return false;
    *text = wk_ps_str(ps, wk_str_from(wk_buf_str(&ps->src), src));
    ps->src.n = src;
    ps->stk.n = b.stk;
    return !ps->err;
}

/* "${$'x'…}": between double quotes the decoded text stands for the quoted one; it is read in its place. */
static bool decode_quoted(struct wk_parser *ps)
{
    struct wk_str text;
    wk_ps_skip(ps); /* the dollar */
    return decode(ps, &text) && wk_ps_frame(ps, WK_FRAME_PUSHED, text);
}

/* Is what opens in the text closed there? */
static bool closes_all(struct wk_str s)
{
    size_t dq = 0, bq = 0, escapes = 0;
    int braces = 0, parens = 0;
    for (size_t i = 0; i < s.n; i++) {
        dq += s.p[i] == '"';
        bq += s.p[i] == '`';
        braces += (s.p[i] == '{') - (s.p[i] == '}');
        parens += (s.p[i] == '(') - (s.p[i] == ')');
        escapes = s.p[i] == '\\' ? escapes + 1 : 0;
    }
    return dq % 2 == 0 && bq % 2 == 0 && escapes % 2 == 0 && !braces && !parens;
}

/* "${x-$'…'}": the same, unless the text makes no sense so. */
static bool decode_operand(struct wk_parser *ps, struct wk_wb *b)
{
    struct wk_str text;
    if (!wk_wb_before(ps, b) || !decode(ps, &text))
        return false;
    if (closes_all(text))
        return wk_ps_frame(ps, WK_FRAME_PUSHED, text);
    wk_buf_puts(&ps->src, text);
    return wk_wb_lit(ps, b, text.p, text.n, true);
}

/* Everything between { and }. False when it is a bad substitution. */
static bool read_inside(struct wk_parser *ps, struct wk_param *p, bool dq, bool decodes)
{
    int c = wk_ps_peek(ps);
    if ((c == '#' || c == '!') && is_prefix(ps, c)) {
        p->flags |= c == '#' ? WK_PARAM_LENGTH : WK_PARAM_INDIRECT;
        wk_ps_eat(ps);
    }
    if (decodes && wk_ps_peek(ps) == '$' && wk_ps_peek2(ps) == '\'' && !decode_quoted(ps))
        return false;
    /* ${#+} and the like are neither a length nor an operator with an operand. */
    if (c == '#' && !p->flags && ps->end - ps->p > 2 && ps->p[2] == '}' && strchr("+=%/^,", ps->p[1]))
        return false;
    size_t from = ps->src.n;
    if (wk_ps_peek(ps) == '$' && wk_ps_peek2(ps) == '{') /* an expansion, and no parameter $ */
        return false;
    if (!read_parameter(ps, p))
        return false;
    if (p->kind == WK_PARAM_NAME && wk_ps_peek(ps) == '[') {
        bool closed;
        wk_ps_eat(ps);
        p->sub = wk_parse_subscript(ps, false, &closed);
        if (p->sub && !closed && ps->quote == '"' && !(p->flags & WK_PARAM_LENGTH))
            p->transform = '}'; /* the bracket hides the brace */
        if (!p->sub || !closed || !p->sub->text.n)
            return false;
        p->prefix = wk_ps_str(ps, wk_str_from(wk_buf_str(&ps->src), from));
    }
    if (p->flags & WK_PARAM_INDIRECT && p->kind == WK_PARAM_SPECIAL && (p->id == '!' || p->id == '$'))
        return false;
    if ((p->flags & WK_PARAM_INDIRECT) && name_forms(ps, p))
        return true;
    if (p->flags & WK_PARAM_LENGTH)
        return wk_ps_peek(ps) == '}';
    return read_operator(ps, p, dq);
}

bool wk_parse_brace_param(struct wk_parser *ps, struct wk_wb *b)
{
    bool dq = b->dq || b->in_dq;
    uint32_t line = ps->line;
    struct wk_param *p = WK_PS_NEW(ps, struct wk_param);
    if (!p || !wk_wb_before(ps, b))
        return false;
    size_t from = ps->src.n;
    wk_buf_putc(&ps->src, '$');
    wk_ps_eat(ps);
    bool value = ps->in_value, outer = ps->in_dq;
    ps->in_value = b->in_value || (b->scan == WK_SCAN_ASSIGN && !(b->lex & WK_LEX_ELEMENT)) ||
                   (wk_wb_is_value(b) && b->lex & WK_LEX_ASSIGN);
    ps->in_dq = outer || dq;
    bool good = read_inside(ps, p, dq, outer || (dq && !ps->unquoted_text));
    ps->in_value = value;
    ps->in_dq = outer;
    if (ps->err)
        return false;
    if (!good || wk_ps_peek(ps) != '}') {
        struct wk_wb skip;
        wk_wb_init(ps, &skip, dq ? WK_SCAN_DQ_OPERAND : WK_SCAN_OPERAND);
        if (!wk_wb_scan(ps, &skip))
            return false;
        ps->stk.n = skip.stk;
        *p = (struct wk_param){.kind = WK_PARAM_BAD, .transform = !good && p->transform == '}' ? '}' : '\0'};
        b->bad = true;
    }
    if (wk_ps_peek(ps) != '}')
        return wk_ps_eof_in(ps, '}', line);
    wk_ps_eat(ps);
    if (p->op == WK_PARAM_OP_TRANSFORM && !wk_param_transforms(p)) /* told by the name of the whole word, too */
        b->bad = true;
    else if (p->kind != WK_PARAM_BAD)
        p->source = wk_ps_str(ps, wk_str_from(wk_buf_str(&ps->src), from));
    struct wk_seg s = {.kind = WK_SEG_PARAM, .u.param = p};
    return !ps->err && wk_wb_seg(ps, b, &s);
}

/* ---- $ -------------------------------------------------------------------------------------- */

/* $x $1 $@: the present character is the first after the dollar. */
static bool bare_param(struct wk_parser *ps, struct wk_wb *b, int c)
{
    struct wk_param *p = WK_PS_NEW(ps, struct wk_param);
    if (!p || !wk_wb_before(ps, b))
        return false;
    wk_buf_putc(&ps->src, '$');
    size_t from = ps->src.n;
    if (wk_is_name_start(c)) {
        const char *q = ps->p;
        while (q < ps->end && wk_is_name_char((unsigned char)*q))
            q++;
        wk_buf_put(&ps->src, ps->p, (size_t)(q - ps->p));
        ps->p = q;
        while (wk_is_name_char(wk_ps_peek(ps))) /* after a backslash-newline */
            wk_ps_eat(ps);
        p->kind = WK_PARAM_NAME;
        p->id = wk_ps_name(ps, wk_str_from(wk_buf_str(&ps->src), from));
        p->prefix = wk_names_str(ps->o.names, p->id);
    } else {
        p->kind = wk_is_digit(c) ? WK_PARAM_POS : WK_PARAM_SPECIAL;
        p->id = (uint32_t)(wk_is_digit(c) ? c - '0' : c);
        wk_ps_eat(ps);
        p->prefix = wk_ps_str(ps, wk_str_from(wk_buf_str(&ps->src), from));
    }
    struct wk_seg s = {.kind = WK_SEG_PARAM, .flags = WK_SEG_BARE, .u.param = p};
    return !ps->err && wk_wb_seg(ps, b, &s);
}

static bool paren(struct wk_parser *ps, struct wk_wb *b)
{
    bool outer = ps->unquoted_text, plain = ps->plain_dollar;
    ps->unquoted_text = ps->plain_dollar = false;
    if (wk_ps_parted(ps, 1) && !wk_ps_join(ps))
        return false;
    bool ok = wk_ps_peek2(ps) == '(' ? wk_parse_paren_arith(ps, b)
                                     : wk_parse_comsub(ps, b, false, false);
    ps->unquoted_text = outer;
    ps->plain_dollar = plain;
    return ok;
}

static bool is_arithmetic(const struct wk_wb *b)
{
    return b->scan >= WK_SCAN_ARITH && b->scan <= WK_SCAN_LENGTH && b->scan != WK_SCAN_SUBSCRIPT;
}

/* $'…' in an expression, which has no quotes of its own: bash puts the characters there, in '…'. */
static bool ansi_in_arithmetic(struct wk_parser *ps, struct wk_wb *b)
{
    size_t src = ps->src.n;
    if (!wk_parse_ansi_quote(ps, NULL))
        return false;
    struct wk_str text = wk_str_from(wk_buf_str(&ps->src), src);
    return wk_wb_lit(ps, b, text.p, text.n, true);
}

static bool dollar(struct wk_parser *ps, struct wk_wb *b)
{
    bool dq = b->dq || b->in_dq;
    /* "${x-$'…'}": quotes of these kinds act even there. */
    bool in_operand = b->scan == WK_SCAN_DQ_OPERAND && !b->in_dq && !ps->unquoted_text;
    ps->p++;
    int c = wk_ps_peek(ps);
    if (wk_is_name_char(c) || is_special(c))
        return bare_param(ps, b, c);
    switch (c) {
    case '{':
        return wk_parse_brace_param(ps, b);
    case '(':
        if (!wk_wb_before(ps, b))
            return false;
        wk_buf_putc(&ps->src, '$');
        return paren(ps, b);
    case '[':
        return wk_parse_bracket_arith(ps, b);
    case '\'':
        if (is_arithmetic(b))
            return ansi_in_arithmetic(ps, b);
        if (dq && in_operand)
            return decode_operand(ps, b);
        if (!dq && !ps->plain_dollar)
            return wk_parse_ansi_quote(ps, b);
        break;
    case '"':
        if (dq ? in_operand || is_arithmetic(b) : !ps->plain_dollar)
            return wk_scan_double_quote(ps, b);
        break;
    default:
        break;
    }
    wk_buf_putc(&ps->src, '$');
    return wk_wb_lit(ps, b, "$", 1, dq);
}

struct deep_call {
    struct wk_parser *ps;
    struct wk_wb *b;
};

static int deep_dollar(void *arg)
{
    struct deep_call *d = arg;
    return dollar(d->ps, d->b) ? 0 : d->ps->err;
}

bool wk_parse_dollar(struct wk_parser *ps, struct wk_wb *b)
{
    bool ok = wk_ps_enter(ps);
    if (ok && wk_ps_low(ps)) {
        struct deep_call d = {ps, b};
        ok = wk_ps_deep(ps, deep_dollar, &d);
    } else if (ok) {
        ok = dollar(ps, b);
    }
    wk_ps_leave(ps);
    return ok;
}
