/* parse_scan.c - the loop that reads the pieces of a word, in every context */
#include "interp/lexer.h"

enum {
    K_ALWAYS = 1, /* special everywhere */
    K_SQ = 2,
    K_DQ = 4,
    K_META = 8,
    K_GLOB = 16,
    K_BRACE = 32,
    K_CLOSE = 64,
    K_SLASH = 128,
    K_PAREN = 256,
    K_BRACKET = 512,
    K_COLON = 1024,
    K_TILDE = 2048,
    K_EQ = 4096,
    K_QUESTION = 8192,
    K_SEMI = 16384,
    K_ANGLE = 32768
};

static const uint16_t kind_of[256] = {
    ['\0'] = K_ALWAYS,
    ['\n'] = K_ALWAYS,
    ['\\'] = K_ALWAYS,
    ['$'] = K_ALWAYS,
    ['`'] = K_ALWAYS,
    ['\''] = K_SQ,
    ['"'] = K_DQ,
    [' '] = K_META,
    ['\t'] = K_META,
    [';'] = K_META | K_SEMI,
    ['&'] = K_META,
    ['|'] = K_META,
    ['<'] = K_META | K_ANGLE,
    ['>'] = K_META | K_ANGLE,
    ['('] = K_META | K_PAREN,
    [')'] = K_META | K_PAREN,
    ['*'] = K_GLOB,
    ['?'] = K_GLOB | K_QUESTION,
    ['['] = K_GLOB | K_BRACKET,
    [']'] = K_BRACKET,
    ['{'] = K_BRACE,
    ['}'] = K_CLOSE,
    ['/'] = K_SLASH,
    [':'] = K_COLON,
    ['~'] = K_TILDE,
    ['='] = K_EQ,
};

static const uint16_t mask_of[] = {
    [WK_SCAN_WORD] = K_ALWAYS | K_SQ | K_DQ | K_META | K_GLOB | K_BRACE | K_TILDE | K_EQ | K_COLON,
    [WK_SCAN_ASSIGN] = K_ALWAYS | K_SQ | K_DQ | K_META | K_GLOB | K_TILDE | K_COLON,
    [WK_SCAN_REGEX] = K_ALWAYS | K_SQ | K_DQ | K_META | K_TILDE,
    [WK_SCAN_OPERAND] = K_ALWAYS | K_SQ | K_DQ | K_GLOB | K_CLOSE | K_TILDE | K_COLON | K_ANGLE,
    [WK_SCAN_DQ_OPERAND] = K_ALWAYS | K_SQ | K_DQ | K_CLOSE,
    [WK_SCAN_PATTERN] = K_ALWAYS | K_SQ | K_DQ | K_GLOB | K_CLOSE | K_TILDE | K_ANGLE,
    [WK_SCAN_PATTERN_SLASH] = K_ALWAYS | K_SQ | K_DQ | K_GLOB | K_CLOSE | K_TILDE | K_ANGLE | K_SLASH,
    [WK_SCAN_DQ] = K_ALWAYS | K_DQ,
    [WK_SCAN_HEREDOC] = K_ALWAYS,
    [WK_SCAN_ARITH] = K_ALWAYS | K_SQ | K_DQ | K_PAREN,
    [WK_SCAN_ARITH_FOR] = K_ALWAYS | K_SQ | K_DQ | K_PAREN | K_SEMI,
    [WK_SCAN_ARITH_TEXT] = K_ALWAYS | K_SQ | K_DQ,
    [WK_SCAN_ARITH_BRACKET] = K_ALWAYS | K_SQ | K_DQ | K_BRACKET,
    [WK_SCAN_SUBSCRIPT] = K_ALWAYS | K_SQ | K_DQ | K_BRACKET | K_CLOSE,
    [WK_SCAN_OFFSET] = K_ALWAYS | K_SQ | K_DQ | K_PAREN | K_COLON | K_QUESTION | K_CLOSE,
    [WK_SCAN_LENGTH] = K_ALWAYS | K_SQ | K_DQ | K_CLOSE,
    [WK_SCAN_TEXT] = K_ALWAYS | K_SQ | K_DQ | K_GLOB,
    [WK_SCAN_DQ_TEXT] = K_ALWAYS,
};

/* What the loop remembers between characters. */
struct nest {
    uint32_t depth;   /* of parentheses or brackets */
    uint32_t ternary; /* ? in an offset that wait for their : */
    uint32_t line;
    bool single;      /* inside '…' that only hides closing characters */
};

enum step { GO, END, FAIL };

static bool is_word_like(const struct wk_wb *b)
{
    return b->scan <= WK_SCAN_REGEX;
}

static enum step literal(struct wk_parser *ps, struct wk_wb *b)
{
    char c = *ps->p;
    wk_ps_eat(ps);
    return wk_wb_lit(ps, b, &c, 1, b->dq || b->in_dq) ? GO : FAIL;
}

static enum step glob_char(struct wk_parser *ps, struct wk_wb *b)
{
    if (literal(ps, b) == FAIL)
        return FAIL;
    if (!b->dq && !b->in_dq)
        b->lit_glob = true;
    return GO;
}

/* ? * + @ ! right before a (, unquoted. */
static bool after_extglob(const struct wk_parser *ps, const struct wk_wb *b)
{
    if (!(ps->o.flags & WK_PARSE_EXTGLOB) && !(b->lex & WK_LEX_PATTERN))
        return false;
    if (!b->lit_open || !ps->lit.n || !ps->src.n || ps->src.n == b->src)
        return false;
    char c = ps->src.p[ps->src.n - 1];
    if (c != ps->lit.p[ps->lit.n - 1] || (c != '?' && c != '*' && c != '+' && c != '@' && c != '!'))
        return false;
    size_t escapes = 0; /* an even number of them quotes each other */
    while (ps->src.n - 1 - escapes > b->src && ps->src.p[ps->src.n - 2 - escapes] == '\\')
        escapes++;
    return escapes % 2 == 0;
}

/* At <( or >(. */
static enum step process_subst(struct wk_parser *ps, struct wk_wb *b, int c)
{
    if (!wk_wb_before(ps, b))
        return FAIL;
    wk_ps_eat(ps);
    return wk_parse_comsub(ps, b, true, c == '>') ? GO : FAIL;
}

static enum step word_meta(struct wk_parser *ps, struct wk_wb *b, struct nest *n, int c)
{
    bool process = (c == '<' || c == '>') && wk_ps_peek2(ps) == '(';
    if (b->scan == WK_SCAN_REGEX && !process) {
        if (c == '(')
            n->depth++;
        else if (c == ')' && n->depth)
            n->depth--;
        else if (c != '|' && n->depth == 0)
            return END;
        return literal(ps, b);
    }
    if (process)
        return process_subst(ps, b, c);
    if (n->depth) {
        if (c == '(')
            n->depth++;
        else if (c == ')')
            n->depth--;
        return literal(ps, b);
    }
    if (c == '(' && after_extglob(ps, b)) {
        n->depth = 1;
        n->line = ps->line;
        return glob_char(ps, b);
    }
    return END;
}

/* ( ) [ ] in arithmetic, offsets and subscripts. */
static enum step bracket(struct wk_parser *ps, struct wk_wb *b, struct nest *n, int c)
{
    if (!n->single) {
        if (c == '(' || c == '[') {
            n->depth++;
        } else if (n->depth) {
            n->depth--;
        } else if (b->scan != WK_SCAN_OFFSET) {
            return END;
        }
    }
    return literal(ps, b);
}

/* One that parts the expressions of for (( … )); parentheses around it make no difference. */
static enum step semicolon(struct wk_parser *ps, struct wk_wb *b, const struct nest *n)
{
    bool quoted = n->single;
    for (size_t i = ps->src.n; i > b->src && ps->src.p[i - 1] == '\\'; i--)
        quoted = !quoted;
    if (!quoted && b->n_semis++ < WK_COUNTOF(b->semi))
        b->semi[b->n_semis - 1] = ps->src.n;
    return literal(ps, b);
}

static enum step colon(struct wk_parser *ps, struct wk_wb *b, struct nest *n)
{
    if (b->scan == WK_SCAN_OFFSET) {
        if (n->depth == 0 && !n->single) {
            if (!n->ternary)
                return END;
            n->ternary--;
        }
        return literal(ps, b);
    }
    if (literal(ps, b) == FAIL)
        return FAIL;
    if (wk_wb_is_value(b) && wk_ps_peek(ps) == '~')
        wk_scan_tilde(ps, b);
    return ps->err ? FAIL : GO;
}

static enum step equals(struct wk_parser *ps, struct wk_wb *b)
{
    bool first = false;
    if (b->tilde_eq && !b->seen_eq) {
        struct wk_str s = wk_buf_str(&ps->lit);
        if (s.n && s.p[s.n - 1] == '+')
            s.n--;
        if (s.n && s.p[s.n - 1] == ']' && wk_str_chr(s, '[') > 0)
            s.n = (size_t)wk_str_chr(s, '[');
        if (b->lit_open && !b->lit_quoted && ps->stk.n == b->stk && wk_str_is_name(s))
            b->seen_eq = first = true;
        else
            b->tilde_eq = false;
    }
    if (literal(ps, b) == FAIL)
        return FAIL;
    if (first && wk_ps_peek(ps) == '~')
        wk_scan_tilde(ps, b);
    return ps->err ? FAIL : GO;
}

static enum step tilde(struct wk_parser *ps, struct wk_wb *b)
{
    bool start = ps->stk.n == b->stk && !b->lit_open && !b->anchored;
    if (start && wk_scan_tilde(ps, b))
        return GO;
    return ps->err ? FAIL : literal(ps, b);
}

static enum step single_quote(struct wk_parser *ps, struct wk_wb *b, struct nest *n)
{
    if (!b->dq && !b->in_dq)
        return wk_scan_single_quote(ps, b) ? GO : FAIL;
    if (b->scan != WK_SCAN_DQ_OPERAND || !(ps->o.flags & WK_PARSE_POSIX)) {
        n->single = !n->single;
        n->line = ps->line;
    }
    return literal(ps, b);
}

static enum step backslash(struct wk_parser *ps, struct wk_wb *b, const struct nest *n)
{
    size_t from = ps->src.n;
    if (!wk_scan_backslash(ps, b))
        return FAIL;
    /* In an operand within double quotes it stays, but the ' behind it opens nothing. */
    bool stays = ps->src.n == from + 1;
    return stays && b->scan == WK_SCAN_DQ_OPERAND && !n->single && wk_ps_peek(ps) == '\'' ? literal(ps, b)
                                                                                          : GO;
}

static enum step double_quote(struct wk_parser *ps, struct wk_wb *b, const struct nest *n)
{
    if (b->scan == WK_SCAN_DQ)
        return END;
    if (n->single && b->scan == WK_SCAN_DQ_OPERAND) { /* quotes nothing, and goes */
        wk_ps_eat(ps);
        return ps->err ? FAIL : GO;
    }
    if (n->single)
        return literal(ps, b);
    return wk_scan_double_quote(ps, b) ? GO : FAIL;
}

/* At the end of the text. */
static enum step at_end(struct wk_parser *ps, const struct wk_wb *b, const struct nest *n)
{
    if (ps->err)
        return FAIL;
    if (n->single)
        return wk_ps_eof_in(ps, '\'', n->line) ? END : FAIL;
    if (n->depth && is_word_like(b))
        return wk_ps_eof_in(ps, ')', b->scan == WK_SCAN_REGEX ? b->line : n->line) ? END : FAIL;
    return END;
}

/* The character behind a part in quotes that starts at q, or NULL. */
static const char *behind_quotes(const char *q, const char *end)
{
    const char quote = *q;
    for (q++; q < end && *q != quote; q++)
        q += quote != '\'' && *q == '\\' && q + 1 < end;
    return q < end ? q + 1 : NULL;
}

/* At ${ or $[ of an expression: does its )) come before the end of the expansion? bash looks for the )) first,
 * and knows no braces and brackets then. -1: what has been read of the input does not tell. */
static int looks_left_open(const struct wk_parser *ps, const struct wk_wb *b)
{
    if (b->scan != WK_SCAN_ARITH && b->scan != WK_SCAN_ARITH_FOR && b->scan != WK_SCAN_ARITH_TEXT)
        return false;
    const char *q = ps->p + 1, *end = ps->end;
    if (q >= end || (*q != '{' && *q != '['))
        return false;
    const char open = *q, close = open == '{' ? '}' : ']';
    unsigned depth = 0, nest = 0;
    while (q < end) {
        if (*q == '\'' || *q == '"' || *q == '`') {
            if (!(q = behind_quotes(q, end)))
                return -1;
            continue;
        }
        if (*q == '\\')
            q++;
        else if (*q == '(')
            depth++;
        else if (*q == ')' && depth-- == 0)
            return q + 1 < end && q[1] == ')';
        else if (*q == open)
            nest++;
        else if (*q == close && --nest == 0)
            return false;
        q++;
    }
    return b->scan == WK_SCAN_ARITH_TEXT ? 1 : -1;
}

static bool is_left_open(struct wk_parser *ps, const struct wk_wb *b)
{
    int open = looks_left_open(ps, b);
    while (open < 0 && wk_ps_read_on(ps))
        open = looks_left_open(ps, b);
    return open > 0;
}

/* The expansion is text for now, and wrong when it is made. */
static enum step left_open(struct wk_parser *ps, struct wk_wb *b)
{
    struct wk_param *p = WK_PS_NEW(ps, struct wk_param);
    if (!p || !wk_wb_before(ps, b))
        return FAIL;
    wk_ps_eat(ps);
    *p = (struct wk_param){.kind = WK_PARAM_BAD, .transform = *ps->p};
    wk_ps_eat(ps);
    b->bad = true;
    struct wk_seg s = {.kind = WK_SEG_PARAM, .u.param = p};
    return wk_wb_seg(ps, b, &s) ? GO : FAIL;
}

/* At a } in the subscript of ${name[…]}: do a ] and another } follow in the same word? */
static bool subscript_goes_on(const struct wk_parser *ps)
{
    char quote = '\0';
    bool closed = false;
    for (const char *p = ps->p + 1; p < ps->end; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '\\' && quote != '\'')
            p++;
        else if (quote)
            quote = c == (unsigned char)quote ? '\0' : quote;
        else if (c == '}' && closed)
            return true;
        else if (c == ']')
            closed = true;
        else if (ps->in_dq && c == '"')
            return false;
        else if (!ps->in_dq && (c == '"' || c == '\''))
            quote = (char)c;
        else if (!ps->in_dq && wk_lex_is_meta(c))
            return false;
    }
    return false;
}

static enum step special(struct wk_parser *ps, struct wk_wb *b, struct nest *n, int c)
{
    /* What comes behind a NUL or a backslash-newline may be nothing special here. */
    if (c != WK_PS_EOF && !(kind_of[c] & mask_of[b->scan]))
        return literal(ps, b);
    switch (c) {
    case WK_PS_EOF:
        return at_end(ps, b, n);
    case '\n':
        return is_word_like(b) && !n->depth ? END : literal(ps, b);
    case '\\':
        return backslash(ps, b, n);
    case '$':
        if (b->scan == WK_SCAN_HEREDOC)
            ps->doc_at = ps->p;
        if (n->single && wk_ps_peek2(ps) == '\'')
            return literal(ps, b);
        if (is_left_open(ps, b))
            return left_open(ps, b);
        return wk_parse_dollar(ps, b) ? GO : FAIL;
    case '`':
        if (b->scan == WK_SCAN_HEREDOC)
            ps->doc_at = ps->p;
        return wk_parse_backquote(ps, b) ? GO : FAIL;
    case '\'':
        return single_quote(ps, b, n);
    case '"':
        return double_quote(ps, b, n);
    case '}':
        if (b->scan == WK_SCAN_SUBSCRIPT && b->stop_close && subscript_goes_on(ps))
            b->stop_close = false;
        return n->single || (b->scan == WK_SCAN_SUBSCRIPT && !b->stop_close) ? literal(ps, b) : END;
    case '/':
        return END;
    case '{':
        b->brace = true;
        return literal(ps, b);
    case '=':
        return equals(ps, b);
    case '~':
        return tilde(ps, b);
    case ':':
        return colon(ps, b, n);
    case '?':
        if (b->scan == WK_SCAN_OFFSET) {
            n->ternary += n->depth == 0 && !n->single;
            return literal(ps, b);
        }
        return glob_char(ps, b);
    case '*':
        return glob_char(ps, b);
    default:
        break;
    }
    unsigned k = kind_of[c] & mask_of[b->scan];
    if (k == K_SEMI)
        return semicolon(ps, b, n);
    if (k & K_META)
        return word_meta(ps, b, n, c);
    if (k & K_ANGLE)
        return wk_ps_peek2(ps) == '(' ? process_subst(ps, b, c) : literal(ps, b);
    if (k & (K_PAREN | K_BRACKET))
        return bracket(ps, b, n, c);
    return k & K_GLOB ? glob_char(ps, b) : literal(ps, b);
}

bool wk_wb_scan(struct wk_parser *ps, struct wk_wb *b)
{
    struct nest n = {0};
    const unsigned mask = mask_of[b->scan];
    for (;;) {
        const char *q = ps->p, *end = ps->end;
        while (q < end && !(kind_of[(unsigned char)*q] & mask))
            q++;
        if (q > ps->p) {
            size_t len = (size_t)(q - ps->p);
            wk_buf_put(&ps->src, ps->p, len);
            if (!wk_wb_lit(ps, b, ps->p, len, b->dq || b->in_dq))
                return false;
            ps->p = q;
        }
        switch (special(ps, b, &n, wk_ps_peek(ps))) {
        case GO:
            break;
        case END:
            return !ps->err;
        case FAIL:
            return wk_ps_fail(ps, -WK_ESYNTAX);
        }
    }
}
