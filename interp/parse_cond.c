/* parse_cond.c - [[ … ]] */
#include "interp/lexer.h"

static struct wk_cond *parse_or(struct wk_parser *ps);

static struct wk_cond *cond_node(struct wk_parser *ps, enum wk_cond_kind kind, char op)
{
    struct wk_cond *c = WK_PS_NEW(ps, struct wk_cond);
    if (c) {
        c->kind = (uint8_t)kind;
        c->op = op;
    }
    return c;
}

/* The line that bash had come to when a term was complete. */
static struct wk_cond *complete(const struct wk_parser *ps, struct wk_cond *c)
{
    c->line = ps->line;
    return c;
}

/* The line of the whole: a list is complete when the ]] has been read. */
static uint32_t line_of(const struct wk_parser *ps, const struct wk_cond *c)
{
    while (c->kind == WK_COND_NOT)
        c = c->a;
    return c->kind == WK_COND_AND || c->kind == WK_COND_OR ? ps->tok.line : c->line;
}

static void *cond_error_at(struct wk_parser *ps, uint32_t line, const char *before,
                           const char *after)
{
    bool end = ps->tok.kind == WK_TOK_EOF;
    if (ps->tok.kind == WK_TOK_IO_NUMBER || ps->tok.kind == WK_TOK_IO_VAR) { /* has no text */
        wk_ps_error(ps, line, "%s%s", before, after);
        return NULL;
    }
    struct wk_str s = !end ? wk_tok_text(&ps->tok) : ps->eof ? WK_STR("EOF") : WK_STR("newline");
    ps->incomplete = ps->incomplete || (end && ps->eof);
    wk_ps_error(ps, line, "%s `%.*s'%s", before, (int)s.n, s.p, after);
    return NULL;
}

static void *cond_error(struct wk_parser *ps, const char *before, const char *after)
{
    return cond_error_at(ps, ps->tok.kind == WK_TOK_NEWLINE ? ps->tok.line : ps->line, before, after);
}

static bool is_end(const struct wk_parser *ps)
{
    return wk_lex_reserved(ps) == WK_RES_RCOND;
}

/* Is the present token neither a word nor a descriptor, which messages have no text for? */
static bool is_operator(const struct wk_parser *ps)
{
    return ps->tok.kind != WK_TOK_WORD && ps->tok.kind != WK_TOK_IO_NUMBER && ps->tok.kind != WK_TOK_IO_VAR;
}

static bool next(struct wk_parser *ps)
{
    return wk_lex(ps, WK_LEX_COND | WK_LEX_NO_BRACE);
}

static bool skip_newlines(struct wk_parser *ps)
{
    return wk_skip_newlines(ps, WK_LEX_COND | WK_LEX_NO_BRACE);
}

/* The text ended within a word: bash says also what was expected there. */
static void *ended_at(struct wk_parser *ps, uint32_t line, const char *what)
{
    if (ps->err == -WK_ESYNTAX && ps->incomplete && ps->msg.n)
        wk_ps_error(ps, line, "%s", what);
    return NULL;
}

static const char no_term[] = "unexpected token `\377' in conditional command";

static int binary_op(const struct wk_parser *ps)
{
    static const struct {
        const char *text;
        uint8_t op;
    } rows[] = {
        {"==", WK_COND_EQEQ},    {"=", WK_COND_EQ},       {"!=", WK_COND_NE},
        {"=~", WK_COND_MATCH},   {"-eq", WK_COND_INT_EQ}, {"-ne", WK_COND_INT_NE},
        {"-lt", WK_COND_INT_LT}, {"-le", WK_COND_INT_LE}, {"-gt", WK_COND_INT_GT},
        {"-ge", WK_COND_INT_GE}, {"-nt", WK_COND_NT},     {"-ot", WK_COND_OT},
        {"-ef", WK_COND_EF},
    };
    if (ps->tok.kind == WK_TOK_LESS)
        return WK_COND_LT;
    if (ps->tok.kind == WK_TOK_GREAT)
        return WK_COND_GT;
    if (ps->tok.kind != WK_TOK_WORD)
        return -1;
    for (unsigned i = 0; i < WK_COUNTOF(rows); i++)
        if (wk_str_is(ps->tok.s, rows[i].text))
            return rows[i].op;
    return -1;
}

static bool is_unary(struct wk_str s)
{
    return s.n == 2 && s.p[0] == '-' && memchr("abcdefghknoprstuvwxzGLNORS", s.p[1], 26);
}

/* Nothing of the present word is quoted. */
static bool is_plain(const struct wk_parser *ps)
{
    return ps->tok.simple || !(ps->tok.word->flags & WK_WORD_QUOTED);
}

/* In an operand that is an expression, or a name, NAME[…] holds no process substitutions: the subscript is text. */
static struct wk_word *keep_subscript(struct wk_parser *ps, struct wk_word *w)
{
    bool process = false;
    for (uint32_t i = 1; i < w->n_segs; i++)
        process = process || w->segs[i].kind == WK_SEG_PROCSUB;
    struct wk_str s = wk_word_source(w);
    ptrdiff_t open = wk_str_chr(s, '[');
    if (!process || open <= 0 || !wk_str_is_name(wk_str_take(s, (size_t)open)))
        return w;
    struct wk_saved sv;
    struct wk_wb b;
    if (!wk_ps_divert(ps, &sv, s, w->line))
        return NULL;
    wk_wb_init(ps, &b, WK_SCAN_TEXT);
    struct wk_word *made = wk_wb_scan(ps, &b) ? wk_wb_done(ps, &b, true) : NULL;
    wk_ps_return(ps, &sv);
    return made;
}

/* word, word op word */
static struct wk_cond *word_term(struct wk_parser *ps)
{
    struct wk_cond *c = cond_node(ps, WK_COND_WORD, 0);
    if (!c || !(c->left = wk_lex_word(ps)))
        return NULL;
    if (!next(ps))
        return ended_at(ps, ps->line, "conditional binary operator expected");
    int op = binary_op(ps);
    if (op < 0) {
        if (is_end(ps) || ps->tok.kind == WK_TOK_AND_IF || ps->tok.kind == WK_TOK_OR_IF ||
            ps->tok.kind == WK_TOK_RPAREN)
            return complete(ps, c);
        if (is_operator(ps))
            return cond_error(ps, "unexpected token", ", conditional binary operator expected");
        wk_ps_error(ps, ps->line, "conditional binary operator expected");
        return NULL;
    }
    wk_lex_take(ps);
    unsigned flags = WK_LEX_COND | WK_LEX_NO_BRACE;
    if (op == WK_COND_MATCH)
        flags |= WK_LEX_REGEX;
    else if (op <= WK_COND_NE)
        flags |= WK_LEX_PATTERN;
    if (!wk_lex(ps, flags))
        return ended_at(ps, ps->line, "unexpected argument to conditional binary operator");
    c->kind = WK_COND_BINARY;
    c->op = (char)op;
    if (op == WK_COND_MATCH && is_operator(ps) && ps->tok.kind != WK_TOK_EOF && ps->tok.kind != WK_TOK_NEWLINE) {
        c->right = wk_word_plain(ps, WK_STR(""), ps->tok.line); /* the term ends there, with an empty expression */
        return c->right ? complete(ps, c) : NULL;
    }
    if (ps->tok.kind != WK_TOK_WORD || is_end(ps))
        return cond_error(ps, "unexpected argument", " to conditional binary operator");
    c->right = wk_lex_word(ps);
    if (c->right && op >= WK_COND_INT_EQ && op <= WK_COND_INT_GE) {
        c->left = keep_subscript(ps, c->left);
        c->right = keep_subscript(ps, c->right);
    }
    return c->left && c->right ? complete(ps, c) : NULL;
}

static struct wk_cond *paren_term(struct wk_parser *ps)
{
    struct wk_cond *c = cond_node(ps, WK_COND_PAREN, 0);
    uint32_t line = ps->tok.line;
    wk_lex_take(ps);
    if (!c || !(c->a = parse_or(ps)) || !next(ps)) {
        if (ps->err == -WK_ESYNTAX)
            wk_ps_error(ps, line, "expected `)'");
        return NULL;
    }
    if (!is_operator(ps) && !is_end(ps)) {
        wk_ps_error(ps, line, "expected `)'");
        return NULL;
    }
    if (ps->tok.kind != WK_TOK_RPAREN)
        return cond_error_at(ps, line, "unexpected token", ", expected `)'");
    wk_lex_take(ps);
    return complete(ps, c);
}

static struct wk_cond *not_term(struct wk_parser *ps);

static struct wk_cond *term_here(struct wk_parser *ps)
{
    if (!skip_newlines(ps))
        return ended_at(ps, ps->line, no_term);
    if (ps->tok.kind == WK_TOK_LPAREN)
        return paren_term(ps);
    if (!is_operator(ps) && ps->tok.kind != WK_TOK_WORD) {
        unsigned number = ps->tok.kind == WK_TOK_IO_NUMBER ? 284 : 283; /* bash's */
        wk_ps_error(ps, ps->line, "unexpected token %u in conditional command", number);
        return NULL;
    }
    if (ps->tok.kind != WK_TOK_WORD) {
        if (ps->tok.kind == WK_TOK_EOF) {
            ps->incomplete = true;
            wk_ps_error(ps, ps->line, "unexpected token `EOF' in conditional command");
            return NULL;
        }
        return cond_error(ps, "unexpected token", " in conditional command");
    }
    if (is_end(ps)) {
        wk_ps_fail(ps, -WK_ESYNTAX); /* bash gives no message */
        return NULL;
    }
    if (wk_lex_reserved(ps) == WK_RES_BANG)
        return not_term(ps);
    if (is_unary(ps->tok.s) && is_plain(ps)) {
        struct wk_cond *c = cond_node(ps, WK_COND_UNARY, ps->tok.s.p[1]);
        wk_lex_take(ps);
        if (!c)
            return NULL;
        if (!next(ps))
            return ended_at(ps, ps->line, "unexpected argument to conditional unary operator");
        if (ps->tok.kind != WK_TOK_WORD || is_end(ps))
            return cond_error(ps, "unexpected argument", " to conditional unary operator");
        c->left = wk_lex_word(ps);
        if (c->left && c->op == 'v')
            c->left = keep_subscript(ps, c->left);
        return c->left ? complete(ps, c) : NULL;
    }
    return word_term(ps);
}

struct deep_call {
    struct wk_parser *ps;
    struct wk_cond *out;
};

static int deep_term(void *arg)
{
    struct deep_call *d = arg;
    d->out = term_here(d->ps);
    return 0;
}

static struct wk_cond *parse_term(struct wk_parser *ps)
{
    struct wk_cond *c = NULL;
    if (wk_ps_enter(ps)) {
        struct deep_call d = {ps, NULL};
        if (!wk_ps_low(ps))
            c = term_here(ps);
        else if (wk_ps_deep(ps, deep_term, &d))
            c = d.out;
    }
    wk_ps_leave(ps);
    if (!c || ps->err)
        return NULL;
    return skip_newlines(ps) ? c : ended_at(ps, ps->cond_line, "unexpected EOF while looking for `]]'");
}

/* Two ! cancel, as bash prints it. */
static struct wk_cond *not_term(struct wk_parser *ps)
{
    struct wk_cond *c = cond_node(ps, WK_COND_NOT, 0);
    if (!c)
        return NULL;
    wk_lex_take(ps);
    c->a = parse_term(ps);
    if (!c->a)
        return NULL;
    return c->a->kind == WK_COND_NOT ? c->a->a : c;
}

/* Chains lean to the right, as bash prints and evaluates them; their length is bounded by the depth of
 * the tree, so they are built from the left and a long one is no recursion here. */
static struct wk_cond *parse_chain(struct wk_parser *ps, int tok, enum wk_cond_kind kind)
{
    struct wk_cond *first = NULL, **at = &first;
    for (unsigned n = 0;; n++) {
        struct wk_cond *c =
            kind == WK_COND_OR ? parse_chain(ps, WK_TOK_AND_IF, WK_COND_AND) : parse_term(ps);
        if (!c)
            return NULL;
        if (n > ps->o.max_depth) {
            wk_ps_fail(ps, -WK_ELIMIT);
            return NULL;
        }
        *at = c;
        if (ps->tok.kind != tok)
            return first;
        struct wk_cond *j = cond_node(ps, kind, 0);
        if (!j)
            return NULL;
        j->a = c;
        *at = j;
        at = &j->b;
        wk_lex_take(ps);
        if (!skip_newlines(ps))
            return ended_at(ps, ps->line, no_term);
    }
}

static struct wk_cond *parse_or(struct wk_parser *ps)
{
    return parse_chain(ps, WK_TOK_OR_IF, WK_COND_OR);
}

static struct wk_node *cond_cmd(struct wk_parser *ps)
{
    struct wk_node_cond *n = wk_new_node(ps, WK_NODE_COND, sizeof *n, ps->tok.line);
    if (!n)
        return NULL;
    ps->cond_line = n->base.line;
    n->expr = parse_or(ps);
    if (!n->expr || !next(ps))
        return NULL;
    if (is_end(ps)) {
        n->base.line = line_of(ps, n->expr);
        wk_lex_take(ps);
        return &n->base;
    }
    if (ps->tok.kind == WK_TOK_EOF) {
        ps->incomplete = true;
        wk_ps_error(ps, n->base.line, "unexpected EOF while looking for `]]'");
    } else if (is_operator(ps)) {
        cond_error_at(ps, n->base.line, "syntax error in conditional expression: unexpected token",
                      "");
    } else {
        wk_ps_error(ps, n->base.line, "syntax error in conditional expression");
    }
    return NULL;
}

struct wk_node *wk_parse_cond_cmd(struct wk_parser *ps)
{
    ps->compounds++; /* lines of it are joined as those of an array's list */
    struct wk_node *n = cond_cmd(ps);
    ps->compounds--;
    bool within = ps->err_depth > ps->in_comsub; /* of a substitution that is a word of it */
    ps->cond_failed = !n && ps->err == -WK_ESYNTAX && !ps->incomplete && !within;
    if (!n && ps->err == -WK_ESYNTAX && !ps->incomplete && ps->err_place == WK_PARSE_IN_TEXT)
        ps->err_place = WK_PARSE_IN_COND;
    else if (!n && ps->err == -WK_ESYNTAX && ps->err_place == WK_PARSE_IN_TEXT)
        ps->err_place = WK_PARSE_OTHER;
    if (!n && ps->err == -WK_ESYNTAX && ps->err_place == WK_PARSE_IN_SUBST && !within)
        ps->err_place = WK_PARSE_COND_IN_SUBST;
    return n;
}
