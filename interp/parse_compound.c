/* parse_compound.c - if, while, for, case, groups, (( )) */
#include "interp/lexer.h"

/* Takes the reserved word that must come now. */
static bool expect(struct wk_parser *ps, enum wk_res res)
{
    if (!wk_lex(ps, WK_LEX_CMD))
        return false;
    if (wk_lex_reserved(ps) != res)
        return wk_ps_unexpected(ps);
    wk_lex_take(ps);
    return true;
}

static struct wk_node *parse_if(struct wk_parser *ps, uint32_t line)
{
    struct wk_node_if *n = wk_new_node(ps, WK_NODE_IF, sizeof *n, line);
    size_t stk = ps->stk.n;
    if (!n)
        return NULL;
    for (;;) {
        struct wk_if_arm arm;
        arm.test = wk_parse_list(ps, false);
        if (!arm.test || !expect(ps, WK_RES_THEN))
            return NULL;
        arm.body = wk_parse_list(ps, false);
        if (!arm.body || !wk_ps_push(ps, &arm, sizeof arm))
            return NULL;
        if (wk_lex_reserved(ps) != WK_RES_ELIF)
            break;
        wk_lex_take(ps);
    }
    n->arms = wk_ps_pop(ps, stk, sizeof(struct wk_if_arm), &n->n_arms);
    if (!n->arms)
        return NULL;
    if (wk_lex_reserved(ps) == WK_RES_ELSE) {
        wk_lex_take(ps);
        n->otherwise = wk_parse_list(ps, false);
        if (!n->otherwise)
            return NULL;
    }
    return expect(ps, WK_RES_FI) ? &n->base : NULL;
}

static struct wk_node *parse_loop(struct wk_parser *ps, enum wk_node_kind kind, uint32_t line)
{
    struct wk_node_loop *n = wk_new_node(ps, kind, sizeof *n, line);
    if (!n)
        return NULL;
    n->test = wk_parse_list(ps, false);
    if (!n->test || !expect(ps, WK_RES_DO))
        return NULL;
    n->body = wk_parse_list(ps, false);
    return n->body && expect(ps, WK_RES_DONE) ? &n->base : NULL;
}

static struct wk_node *parse_body(struct wk_parser *ps, enum wk_node_kind kind, uint32_t line)
{
    struct wk_node_body *n = wk_new_node(ps, kind, sizeof *n, line);
    if (!n)
        return NULL;
    n->body = wk_parse_list(ps, false);
    if (!n->body)
        return NULL;
    if (kind == WK_NODE_GROUP)
        return expect(ps, WK_RES_RBRACE) ? &n->base : NULL;
    if (!wk_lex(ps, WK_LEX_CMD))
        return NULL;
    if (ps->tok.kind != WK_TOK_RPAREN) {
        wk_ps_unexpected(ps);
        return NULL;
    }
    wk_lex_take(ps);
    wk_lex_as_word(ps);
    ps->prev[1] = WK_TOK_RPAREN; /* for a (( behind it */
    return &n->base;
}

/* ---- for ------------------------------------------------------------------------------------ */

/* do list done, or { list } where bash takes it. */
static struct wk_node *loop_body(struct wk_parser *ps, bool brace_ok)
{
    if (!wk_skip_newlines(ps, WK_LEX_CMD))
        return NULL;
    enum wk_res res = wk_lex_reserved(ps);
    if (res != WK_RES_DO && !(res == WK_RES_LBRACE && brace_ok)) {
        wk_ps_unexpected(ps);
        return NULL;
    }
    wk_lex_take(ps);
    struct wk_node *body = wk_parse_list(ps, false);
    if (!body || !expect(ps, res == WK_RES_DO ? WK_RES_DONE : WK_RES_RBRACE))
        return NULL;
    return body;
}

/* What stands between (( and )), of `line`, and where the semicolons are that part it. */
struct for_head {
    uint32_t line, n_parts;
    size_t cut[2];
    struct wk_str text;
};

/* Reads up to the ), which stays. A semicolon within quotes or an expansion parts nothing. */
static bool for_head(struct wk_parser *ps, struct for_head *h)
{
    struct wk_wb b;
    size_t src = ps->src.n;
    wk_wb_init(ps, &b, WK_SCAN_ARITH_FOR);
    if (!wk_wb_scan(ps, &b))
        return false;
    if (wk_ps_peek(ps) != ')')
        return wk_ps_eof_in(ps, ')', h->line);
    ps->stk.n = b.stk;
    h->text = wk_ps_str(ps, wk_str_from(wk_buf_str(&ps->src), src));
    h->n_parts = b.n_semis + 1;
    for (uint32_t i = 0; i < b.n_semis && i < WK_COUNTOF(h->cut); i++)
        h->cut[i] = b.semi[i] - src;
    ps->src.n = src;
    return !ps->err;
}

/* One of the three expressions; *out stays NULL when there is none. */
static bool for_expr(struct wk_parser *ps, struct wk_str text, uint32_t line, struct wk_arith **out)
{
    struct wk_saved sv;
    uint32_t flags = ps->o.flags;
    while (text.n && (text.p[0] == ' ' || text.p[0] == '\t'))
        text = wk_str_from(text, 1);
    if (!text.n)
        return true;
    if (!wk_ps_divert(ps, &sv, text, line))
        return false;
    ps->quiet = true;
    ps->o.flags &= ~(uint32_t)WK_PARSE_ALIASES; /* the text has them already */
    *out = wk_parse_arith(ps, WK_SCAN_ARITH_TEXT);
    ps->o.flags = flags;
    wk_ps_return(ps, &sv);
    return *out != NULL;
}

static bool for_exprs(struct wk_parser *ps, const struct for_head *h, struct wk_node_cfor *n)
{
    struct wk_str t = h->text;
    return for_expr(ps, wk_str_take(t, h->cut[0]), h->line, &n->init) &&
           for_expr(ps, wk_str_from(wk_str_take(t, h->cut[1]), h->cut[0] + 1), h->line, &n->test) &&
           for_expr(ps, wk_str_from(t, h->cut[1] + 1), h->line, &n->step);
}

/* After "for": at the second (, the first is taken. How many expressions there are bash asks after the body. */
static struct wk_node *parse_cfor(struct wk_parser *ps, uint32_t line)
{
    struct wk_node_cfor *n = wk_new_node(ps, WK_NODE_CFOR, sizeof *n, line);
    struct for_head h = {.line = line};
    if (!n)
        return NULL;
    wk_lex_take(ps);
    wk_ps_skip(ps);
    if (!for_head(ps, &h))
        return NULL;
    if (wk_ps_peek2(ps) != ')') {
        ps->err_place = WK_PARSE_IN_COND;
        wk_ps_fail(ps, -WK_ESYNTAX); /* bash gives no message */
        return NULL;
    }
    wk_ps_skip(ps);
    wk_ps_skip(ps);
    wk_lex_as_word(ps);
    if (!wk_lex(ps, WK_LEX_CMD))
        return NULL;
    ps->line += ps->tok.kind == WK_TOK_EOF;
    if (ps->tok.kind == WK_TOK_SEMI)
        wk_lex_take(ps);
    n->body = loop_body(ps, true);
    if (!n->body)
        return NULL;
    if (h.n_parts != 3) {
        wk_ps_error(ps, line, "syntax error: %s", h.n_parts < 3 ? "arithmetic expression required" : "`;' unexpected");
        wk_ps_error(ps, line, "syntax error: `((%.*s))'", (int)h.text.n, h.text.p);
        if (ps->err_place == WK_PARSE_IN_TEXT)
            ps->err_place = WK_PARSE_OTHER;
        return NULL;
    }
    return for_exprs(ps, &h, n) ? &n->base : NULL;
}

/* The words after in, and what ends them. */
static bool for_words(struct wk_parser *ps, struct wk_words *out)
{
    size_t stk = ps->stk.n;
    for (;;) {
        if (!wk_lex(ps, 0))
            return false;
        int tok = ps->tok.kind;
        if (tok == WK_TOK_WORD) {
            struct wk_word *w = wk_lex_word(ps);
            if (!w || !wk_ps_push(ps, &w, sizeof w))
                return false;
            continue;
        }
        if (tok != WK_TOK_SEMI && tok != WK_TOK_NEWLINE) {
            ps->line += tok == WK_TOK_EOF; /* may stand here, and is come to once more */
            return wk_ps_unexpected(ps);
        }
        wk_lex_take(ps);
        out->v = wk_ps_pop(ps, stk, sizeof(struct wk_word *), &out->n);
        return out->v != NULL;
    }
}

static struct wk_node *parse_for(struct wk_parser *ps, enum wk_node_kind kind, uint32_t line)
{
    if (!wk_lex(ps, 0))
        return NULL;
    if (kind == WK_NODE_FOR && ps->tok.kind == WK_TOK_LPAREN && wk_ps_peek(ps) == '(')
        return parse_cfor(ps, line);
    struct wk_node_for *n = wk_new_node(ps, kind, sizeof *n, line);
    if (!n)
        return NULL;
    if (ps->tok.kind != WK_TOK_WORD) {
        wk_ps_unexpected(ps);
        return NULL;
    }
    n->var = wk_lex_word(ps);
    if (!n->var)
        return NULL;
    n->var->name = wk_ps_name(ps, n->var->text ? wk_word_text(n->var) : wk_word_source(n->var));
    bool brace_ok = false;
    if (!wk_lex(ps, 0)) /* an alias of `in' or `do' is one on a later line only */
        return NULL;
    if (ps->tok.kind == WK_TOK_SEMI) {
        wk_lex_take(ps);
        brace_ok = true;
    } else {
        brace_ok = ps->tok.kind == WK_TOK_NEWLINE;
        if (!wk_skip_newlines(ps, WK_LEX_CMD))
            return NULL;
        if (wk_lex_reserved(ps) == WK_RES_IN) {
            wk_lex_take(ps);
            n->has_in = brace_ok = true;
            if (!for_words(ps, &n->words))
                return NULL;
        }
    }
    n->body = loop_body(ps, brace_ok);
    return n->body && !ps->err ? &n->base : NULL;
}

/* ---- case ----------------------------------------------------------------------------------- */

static bool case_patterns(struct wk_parser *ps, struct wk_case_item *it)
{
    size_t stk = ps->stk.n;
    if (ps->tok.kind == WK_TOK_LPAREN)
        wk_lex_take(ps);
    for (;;) {
        if (!wk_lex(ps, WK_LEX_NO_BRACE))
            return false;
        if (ps->tok.kind != WK_TOK_WORD)
            return wk_ps_unexpected(ps);
        struct wk_word *w = wk_lex_word(ps);
        if (!w || !wk_ps_push(ps, &w, sizeof w) || !wk_lex(ps, WK_LEX_NO_BRACE))
            return false;
        int tok = ps->tok.kind;
        if (tok != WK_TOK_PIPE && tok != WK_TOK_RPAREN)
            return wk_ps_unexpected(ps);
        wk_lex_take(ps);
        if (tok == WK_TOK_RPAREN)
            break;
    }
    it->patterns.v = wk_ps_pop(ps, stk, sizeof(struct wk_word *), &it->patterns.n);
    return it->patterns.v != NULL;
}

/* One item; *last when esac must follow. */
static bool case_item(struct wk_parser *ps, struct wk_case_item *it, bool *last)
{
    if (!case_patterns(ps, it))
        return false;
    it->body = wk_parse_list(ps, true);
    if (ps->err || !wk_lex(ps, WK_LEX_CMD))
        return false;
    *last = false;
    switch (ps->tok.kind) {
    case WK_TOK_DSEMI:
        it->end = WK_CASE_BREAK;
        break;
    case WK_TOK_SEMI_AND:
        it->end = WK_CASE_FALL;
        break;
    case WK_TOK_DSEMI_AND:
        it->end = WK_CASE_NEXT;
        break;
    default:
        *last = true;
        return true;
    }
    wk_lex_take(ps);
    return true;
}

static struct wk_node *parse_case(struct wk_parser *ps, uint32_t line)
{
    struct wk_node_case *n = wk_new_node(ps, WK_NODE_CASE, sizeof *n, line);
    size_t stk = ps->stk.n;
    if (!n || !wk_lex(ps, WK_LEX_NO_BRACE))
        return NULL;
    if (ps->tok.kind != WK_TOK_WORD) {
        wk_ps_unexpected(ps);
        return NULL;
    }
    n->word = wk_lex_word(ps);
    n->base.line = ps->line; /* of the word's end */
    if (!n->word || !wk_lex(ps, WK_LEX_NO_BRACE) || !wk_skip_newlines(ps, WK_LEX_CMD | WK_LEX_NO_BRACE))
        return NULL;
    if (wk_lex_reserved(ps) != WK_RES_IN) {
        wk_ps_unexpected(ps);
        return NULL;
    }
    wk_lex_take(ps);
    for (bool last = false; !last;) {
        struct wk_case_item it = {0};
        if (!wk_skip_newlines(ps, WK_LEX_NO_BRACE))
            return NULL;
        if (wk_lex_reserved(ps) == WK_RES_ESAC)
            break;
        if (!case_item(ps, &it, &last) || !wk_ps_push(ps, &it, sizeof it))
            return NULL;
    }
    n->items = wk_ps_pop(ps, stk, sizeof(struct wk_case_item), &n->n_items);
    return n->items && expect(ps, WK_RES_ESAC) ? &n->base : NULL;
}

/* ---- ( ) and (( )) -------------------------------------------------------------------------- */

struct wk_node *wk_parse_paren_cmd(struct wk_parser *ps)
{
    uint32_t line = ps->tok.line;
    wk_lex_take(ps);
    if (wk_ps_peek(ps) == '(' && ps->p > ps->begin && ps->p[-1] == '(') {
        bool closed;
        size_t src = ps->src.n;
        ps->p--;
        struct wk_arith *e = wk_parse_dparen(ps, &closed);
        ps->src.n = src;
        if (ps->err)
            return NULL;
        if (closed) {
            struct wk_node_arith *n = wk_new_node(ps, WK_NODE_ARITH, sizeof *n, line);
            if (!n)
                return NULL;
            n->expr = e;
            n->base.end_line = ps->line;
            return &n->base;
        }
    }
    struct wk_node *n = parse_body(ps, WK_NODE_SUBSHELL, line);
    if (n)
        n->end_line = ps->tok.line;
    return n;
}

struct wk_node *wk_parse_compound_cmd(struct wk_parser *ps, enum wk_res res)
{
    uint32_t line = ps->tok.line;
    struct wk_node *n;
    wk_lex_take(ps);
    switch (res) {
    case WK_RES_IF:
        n = parse_if(ps, line);
        break;
    case WK_RES_WHILE:
        n = parse_loop(ps, WK_NODE_WHILE, line);
        break;
    case WK_RES_UNTIL:
        n = parse_loop(ps, WK_NODE_UNTIL, line);
        break;
    case WK_RES_FOR:
        n = parse_for(ps, WK_NODE_FOR, line);
        break;
    case WK_RES_SELECT:
        n = parse_for(ps, WK_NODE_SELECT, line);
        break;
    case WK_RES_CASE:
        n = parse_case(ps, line);
        line = n ? n->line : line;
        break;
    case WK_RES_LCOND:
        n = wk_parse_cond_cmd(ps);
        if (n) /* its errors and its LINENO are those of its end */
            line = n->line;
        break;
    default:
        n = parse_body(ps, WK_NODE_GROUP, line);
        break;
    }
    if (n) {
        n->line = line;
        n->end_line = ps->tok.line;
    }
    return n;
}
