/* parse_subst.c - $(…) `…` <(…) $((…)) $[…] */
#include "interp/lexer.h"

/* Text parsed a second time: enough for any honest script, and no way to spend hours. */
enum { REREAD_FREE = 4 << 20 };

static bool is_file_read(const struct wk_node *body)
{
    if (!body || body->kind != WK_NODE_SIMPLE || body->n_redirs != 1)
        return false;
    const struct wk_node_simple *s = wk_as_simple(body);
    const struct wk_redir *r = body->redirs[0];
    return !s->n_words && !s->n_assigns && r->op == WK_REDIR_IN && r->fd <= 0 &&
           r->var == WK_NAME_NONE;
}

/* Aliases are for when the commands run; in POSIX mode $( ) has them replaced where it stands, too. */
static uint32_t without_aliases(struct wk_parser *ps, bool late)
{
    uint32_t flags = ps->o.flags;
    if (late || !(flags & WK_PARSE_POSIX))
        ps->o.flags &= ~(uint32_t)WK_PARSE_ALIASES;
    return flags;
}

/* The list and its ); the ( is consumed. *late: it is parsed once more when it runs, from how the commands are shown. A
 * `time' at its beginning is a word like any other for bash's first look at the text; a coprocess that is a simple
 * command is shown with the name COPROC, which is then a word of the command. */
static struct wk_node *paren_body(struct wk_parser *ps, bool *late)
{
    struct wk_token tok = ps->tok;
    uint8_t next = ps->alias_next;
    size_t base = ps->docs_base;
    ps->docs_base = ps->n_docs;
    ps->have_tok = false;
    ps->alias_next = 0;
    ps->in_comsub++;
    char quote = ps->quote;
    ps->quote = '\0';
    uint32_t flags = without_aliases(ps, false);
    bool around = ps->coproc_in_comsub;
    ps->coproc_in_comsub = false;
    *late = wk_lex(ps, WK_LEX_CMD) && wk_lex_reserved(ps) == WK_RES_TIME;
    if (*late)
        ps->tok.res = WK_RES_NONE;
    struct wk_node *body = wk_parse_list(ps, true);
    *late |= ps->coproc_in_comsub;
    ps->coproc_in_comsub = around;
    if (!ps->err && wk_lex(ps, WK_LEX_CMD)) {
        if (ps->tok.kind != WK_TOK_RPAREN)
            wk_ps_unexpected(ps);
        else
            wk_heredoc_flush(ps);
    }
    ps->o.flags = flags;
    ps->in_comsub--;
    ps->quote = quote;
    ps->docs_base = base;
    ps->tok = tok;
    ps->have_tok = false;
    ps->alias_next = next;
    return body;
}

/* After the ( which stands in src already. */
static bool comsub_rest(struct wk_parser *ps, struct wk_wb *b, uint32_t line, bool process, bool out)
{
    struct wk_cmdsub *c = WK_PS_NEW(ps, struct wk_cmdsub);
    if (!c)
        return false;
    c->line = line;
    size_t src = ps->src.n;
    bool late;
    c->body = paren_body(ps, &late);
    if (ps->err)
        return false;
    if (!process && is_file_read(c->body))
        c->flags = WK_CMDSUB_FILE;
    ps->src.n = src;
    if (c->body) {
        int r = wk_print_comsub(ps, &ps->src, c->body);
        if (r < 0)
            return wk_ps_fail(ps, r);
    }
    if (late) {
        c->flags |= WK_CMDSUB_AT_RUN;
        c->text = wk_ps_str(ps, wk_str_from(wk_buf_str(&ps->src), src));
    }
    wk_buf_putc(&ps->src, ')');
    struct wk_seg s = {.kind = process ? WK_SEG_PROCSUB : WK_SEG_CMDSUB, .u.cmdsub = c};
    if (out)
        s.flags |= WK_SEG_OUT;
    return wk_wb_seg(ps, b, &s);
}

bool wk_parse_comsub(struct wk_parser *ps, struct wk_wb *b, bool process, bool out)
{
    uint32_t line = ps->line;
    wk_ps_eat(ps);
    if (!process)
        return comsub_rest(ps, b, line, false, false);
    bool ok = wk_ps_enter(ps); /* the dollar counts itself */
    ok = ok && comsub_rest(ps, b, line, true, out);
    wk_ps_leave(ps);
    return ok;
}

struct wk_arith *wk_parse_arith(struct wk_parser *ps, enum wk_scan scan)
{
    struct wk_wb b;
    wk_wb_init(ps, &b, scan);
    if (!wk_wb_scan(ps, &b))
        return NULL;
    struct wk_str text = wk_ps_str(ps, wk_str_from(wk_buf_str(&ps->src), b.src));
    uint32_t line = b.line;
    struct wk_word *w = wk_wb_done(ps, &b, false);
    return w && !ps->err ? wk_arith_from_word(ps, w, text, line) : NULL;
}

/* At "((": the expression and what closes it, "))" or, with *closed false, a single ). */
static struct wk_arith *try_dparen(struct wk_parser *ps, bool *closed)
{
    uint32_t line = ps->line;
    *closed = false;
    wk_ps_eat(ps);
    wk_ps_eat(ps);
    struct wk_arith *e = wk_parse_arith(ps, WK_SCAN_ARITH);
    if (!e)
        return NULL;
    if (wk_ps_peek(ps) != ')') {
        wk_ps_eof_in(ps, ')', line);
        return NULL;
    }
    wk_ps_eat(ps);
    if (wk_ps_peek(ps) != ')')
        return e;
    wk_ps_eat(ps);
    *closed = true;
    return e;
}

static bool count_reread(struct wk_parser *ps, size_t n)
{
    ps->reread += n;
    return ps->reread <= REREAD_FREE || wk_ps_fail(ps, -WK_ELIMIT);
}

struct wk_arith *wk_parse_dparen(struct wk_parser *ps, bool *closed)
{
    struct wk_saved sv = {.line = ps->line, .stk = ps->stk.n, .n_docs = ps->n_docs};
    size_t src = ps->src.n;
    struct wk_arith *e = try_dparen(ps, closed);
    if (!e)
        return NULL;
    if (*closed) {
        wk_lex_as_word(ps);
        ps->prev[1] = WK_TOK_RPAREN;
        return e;
    }
    if (wk_ps_peek(ps) == WK_PS_EOF) {
        wk_ps_eof_in(ps, ')', sv.line);
        return NULL;
    }
    /* (( that does not end in )): two parentheses. What was read so far is read again. */
    struct wk_str again = wk_ps_str(ps, wk_str_from(wk_buf_str(&ps->src), src + 1));
    ps->src.n = src + 1;
    ps->stk.n = sv.stk;
    ps->n_docs = sv.n_docs;
    if (ps->err || !count_reread(ps, again.n) || !wk_ps_frame(ps, WK_FRAME_PUSHED, again))
        return NULL;
    ps->frames[ps->n_frames].dparen = true;
    ps->line = sv.line;
    return NULL;
}

bool wk_parse_bracket_arith(struct wk_parser *ps, struct wk_wb *b)
{
    uint32_t line = ps->line;
    if (!wk_wb_before(ps, b))
        return false;
    wk_buf_putc(&ps->src, '$');
    wk_ps_eat(ps);
    struct wk_arith *e = wk_parse_arith(ps, WK_SCAN_ARITH_BRACKET);
    if (!e)
        return false;
    if (wk_ps_peek(ps) != ']')
        return wk_ps_eof_in(ps, ']', line);
    wk_ps_eat(ps);
    struct wk_seg s = {.kind = WK_SEG_ARITH, .u.arith = e};
    return wk_wb_seg(ps, b, &s);
}

/* ---- `…` ------------------------------------------------------------------------------------ */

/* Collects the text up to the closing quote in ps->lit, with one level of backslashes taken off.
 * Backslash-newlines go, in quotes and comments, too. */
static bool backquote_text(struct wk_parser *ps, bool dq)
{
    uint32_t line = ps->line;
    wk_ps_eat(ps);
    wk_buf_reset(&ps->lit);
    for (;;) {
        int c = wk_ps_peek(ps);
        if (c == WK_PS_EOF)
            return wk_ps_eof_in(ps, '`', line);
        wk_ps_eat(ps);
        if (c == '`')
            return ps->lit.failed ? wk_ps_nomem(ps) : true;
        if (c == '\\') {
            c = wk_ps_peek_raw(ps);
            if (c == WK_PS_EOF)
                return wk_ps_eof_in(ps, '`', line);
            if (c != '`' && c != '\\' && c != '$' && !(c == '"' && dq))
                wk_buf_putc(&ps->lit, '\\');
            wk_ps_eat(ps);
        }
        wk_buf_putc(&ps->lit, (char)c);
    }
}

/* Parses what bash parses only when it runs: an error comes then. */
static bool late_body(struct wk_parser *ps, struct wk_cmdsub *c)
{
    struct wk_saved sv;
    bool incomplete = ps->incomplete, hushed = ps->hushed;
    if (!wk_ps_divert(ps, &sv, c->text, c->line))
        return false;
    ps->quiet = true;
    ps->hushed = false;
    uint32_t in_comsub = ps->in_comsub;
    ps->in_comsub = 0;
    uint32_t flags = without_aliases(ps, true);
    c->body = wk_parse_list(ps, true);
    if (!ps->err && wk_lex(ps, WK_LEX_CMD) && ps->tok.kind != WK_TOK_EOF)
        wk_ps_unexpected(ps);
    ps->o.flags = flags;
    wk_ps_return(ps, &sv);
    ps->in_comsub = in_comsub;
    ps->incomplete = incomplete;
    if (ps->err == -WK_ESYNTAX || (!ps->err && ps->hushed)) {
        ps->err = 0;
        ps->in_array = false;
        c->body = NULL;
        c->flags |= WK_CMDSUB_AT_RUN;
    }
    ps->hushed = hushed;
    return !ps->err;
}

bool wk_parse_backquote(struct wk_parser *ps, struct wk_wb *b)
{
    struct wk_cmdsub *c = WK_PS_NEW(ps, struct wk_cmdsub);
    if (!c || !wk_wb_before(ps, b))
        return false;
    c->line = ps->line;
    c->flags = WK_CMDSUB_BACKQUOTE;
    if (!backquote_text(ps, b->in_dq && !b->dq)) /* not in here-documents and operands, which are no quotes */
        return false;
    c->text = wk_ps_str(ps, wk_buf_str(&ps->lit));
    bool ok = !ps->err && wk_ps_enter(ps) && late_body(ps, c);
    wk_ps_leave(ps);
    if (!ok)
        return false;
    if (is_file_read(c->body))
        c->flags |= WK_CMDSUB_FILE;
    struct wk_seg s = {.kind = WK_SEG_CMDSUB, .u.cmdsub = c};
    return wk_wb_seg(ps, b, &s);
}

/* ---- $(( … )) and $(( … ) … ) ------------------------------------------------------------------ */

/* At what follows the first ) of "$(( … )", whose text stands in src from `src` on: a substitution whose first
 * command is a subshell. bash looks for its ) without parsing, and keeps the text as it is. */
static bool subst_of_subshell(struct wk_parser *ps, struct wk_wb *b, size_t src, const struct wk_saved *sv)
{
    struct wk_cmdsub *c = WK_PS_NEW(ps, struct wk_cmdsub);
    struct wk_wb rest;
    wk_wb_init(ps, &rest, WK_SCAN_ARITH);
    if (!c || !wk_wb_scan(ps, &rest))
        return false;
    if (wk_ps_peek(ps) != ')')
        return wk_ps_eof_in(ps, ')', sv->line);
    ps->stk.n = sv->stk;
    ps->n_docs = sv->n_docs;
    c->line = sv->line;
    c->text = wk_ps_str(ps, wk_str_from(wk_buf_str(&ps->src), src + 1));
    wk_ps_eat(ps);
    if (ps->err || !count_reread(ps, c->text.n) || !late_body(ps, c))
        return false;
    struct wk_seg s = {.kind = WK_SEG_CMDSUB, .u.cmdsub = c};
    return wk_wb_seg(ps, b, &s);
}

bool wk_parse_paren_arith(struct wk_parser *ps, struct wk_wb *b)
{
    struct wk_saved sv = {.line = ps->line, .stk = ps->stk.n, .n_docs = ps->n_docs};
    size_t src = ps->src.n;
    bool closed;
    struct wk_arith *e = try_dparen(ps, &closed);
    if (!e)
        return false;
    if (!closed)
        return subst_of_subshell(ps, b, src, &sv);
    wk_lex_as_word(ps);
    struct wk_seg s = {.kind = WK_SEG_ARITH, .u.arith = e};
    return wk_wb_seg(ps, b, &s);
}
