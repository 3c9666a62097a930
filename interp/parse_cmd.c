/* parse_cmd.c - lists, pipelines, simple commands, redirections */
#include "interp/lexer.h"

/* Something collected while other arrays grow on the stack. */
struct link {
    struct link *next;
    void *item;
};

struct chain {
    struct link *first, **last;
    uint32_t n;
};

static bool chain_add(struct wk_parser *ps, struct chain *c, void *item)
{
    struct link *l = WK_PS_NEW(ps, struct link);
    if (!l)
        return false;
    l->item = item;
    if (!c->n++)
        c->first = l;
    else
        *c->last = l;
    c->last = &l->next;
    return true;
}

void *wk_new_node(struct wk_parser *ps, enum wk_node_kind kind, size_t size, uint32_t line)
{
    struct wk_node *n = wk_ps_alloc(ps, size);
    if (n) {
        n->kind = (uint8_t)kind;
        n->line = n->end_line = line;
    }
    return n;
}

bool wk_skip_newlines(struct wk_parser *ps, unsigned flags)
{
    while (wk_lex(ps, flags)) {
        if (ps->tok.kind != WK_TOK_NEWLINE)
            return true;
        wk_lex_take(ps);
    }
    return false;
}

/* ---- redirections --------------------------------------------------------------------------- */

static int redir_op(int tok)
{
    switch (tok) {
    case WK_TOK_LESS:
        return WK_REDIR_IN;
    case WK_TOK_GREAT:
        return WK_REDIR_OUT;
    case WK_TOK_CLOBBER:
        return WK_REDIR_CLOBBER;
    case WK_TOK_DGREAT:
        return WK_REDIR_APPEND;
    case WK_TOK_LESSGREAT:
        return WK_REDIR_RDWR;
    case WK_TOK_LESSAND:
        return WK_REDIR_DUP_IN;
    case WK_TOK_GREATAND:
        return WK_REDIR_DUP_OUT;
    case WK_TOK_AMPGREAT:
        return WK_REDIR_OUT_ERR;
    case WK_TOK_AMPDGREAT:
        return WK_REDIR_APPEND_ERR;
    case WK_TOK_DLESS:
    case WK_TOK_DLESSDASH:
        return WK_REDIR_HEREDOC;
    case WK_TOK_TLESS:
        return WK_REDIR_HERESTR;
    default:
        return -1;
    }
}

/* {var} or {var[sub]} */
static bool set_var(struct wk_parser *ps, struct wk_redir *r)
{
    struct wk_str s = ps->tok.s;
    ptrdiff_t k = wk_str_chr(s, '[');
    r->var_text = wk_ps_str(ps, s);
    r->var = wk_ps_name(ps, k < 0 ? s : wk_str_take(s, (size_t)k));
    if (k < 0)
        return !ps->err;
    struct wk_saved sv;
    struct wk_str inner = wk_ps_str(ps, wk_str(s.p + k + 1, s.n - (size_t)k - 1));
    if (ps->err || !wk_ps_divert(ps, &sv, inner, ps->line))
        return false;
    bool closed;
    r->var_sub = wk_parse_subscript(ps, true, &closed);
    wk_ps_return(ps, &sv);
    return r->var_sub != NULL;
}

/* The delimiter without its quotes. */
static bool set_delimiter(struct wk_parser *ps, struct wk_redir *r, const struct wk_word *w)
{
    r->delim = wk_word_source(w);
    if (w->flags & WK_WORD_QUOTED)
        r->flags |= WK_REDIR_QUOTED;
    if (w->n_segs == 1 && w->segs[0].kind == WK_SEG_LIT) {
        r->end = wk_str(w->segs[0].text, w->segs[0].text_len);
        return true;
    }
    /* expansions stay as they are written; quotes go */
    char *p = wk_ps_strndup(ps, w->source, w->source_len);
    if (!p)
        return false;
    size_t n = 0;
    char quote = 0;
    for (uint32_t i = 0; i < w->source_len; i++) {
        char c = p[i];
        if (quote ? c == quote : c == '\'' || c == '"')
            quote = quote ? 0 : c;
        else if (c == '\\' && quote != '\'' && i + 1 < w->source_len)
            p[n++] = p[++i];
        else
            p[n++] = c;
    }
    p[n] = '\0';
    r->end = wk_str(p, n);
    return true;
}

/* A descriptor, or - for none. */
static bool is_fd_text(struct wk_str s)
{
    if (wk_str_is(s, "-"))
        return true;
    for (size_t i = 0; i < s.n; i++)
        if (!wk_is_digit((unsigned char)s.p[i]))
            return false;
    return true;
}

/* The word of >&word- without that -: its last character, whatever it belongs to. */
static bool strip_dash(struct wk_parser *ps, struct wk_word *w)
{
    struct wk_seg *last = w->n_segs ? &w->segs[w->n_segs - 1] : NULL;
    w->source_len--;
    w->text_len -= w->text ? 1 : 0;
    if (last && last->kind != WK_SEG_LIT) { /* $- */
        struct wk_word *dollar = wk_word_plain(ps, WK_STR("$"), ps->line);
        if (!dollar)
            return false;
        *last = dollar->segs[0];
    } else if (last) {
        last->text_len--;
        last->pat_len--;
        if (!last->text_len && w->n_segs > 1 && !(last->flags & (WK_SEG_QUOTED | WK_SEG_MIXED)))
            w->n_segs--;
    }
    char *source = wk_ps_strndup(ps, w->source, w->source_len);
    w->source = source;
    return source && (!w->text || (w->text = wk_ps_strndup(ps, w->text, w->text_len)) != NULL);
}

static bool redir_target(struct wk_parser *ps, struct wk_redir *r, int tok)
{
    bool dup = r->op == WK_REDIR_DUP_IN || r->op == WK_REDIR_DUP_OUT;
    if (dup) {
        wk_lex_blanks(ps);
        if (wk_ps_peek(ps) == '-') { /* >&-x closes, and x is the next word */
            wk_ps_skip(ps);
            r->word = wk_word_plain(ps, WK_STR("-"), ps->line);
            return r->word != NULL;
        }
    }
    if (!wk_lex(ps, dup ? WK_LEX_NO_NUMBER : r->op == WK_REDIR_HERESTR ? WK_LEX_NO_BRACE | WK_LEX_VALUE : 0u))
        return false;
    if (ps->tok.kind != WK_TOK_WORD)
        return wk_ps_unexpected(ps);
    struct wk_word *w = wk_lex_word(ps);
    if (!w)
        return false;
    if (r->op == WK_REDIR_HEREDOC) {
        if (tok == WK_TOK_DLESSDASH)
            r->flags |= WK_REDIR_STRIP;
        return set_delimiter(ps, r, w) && wk_heredoc_add(ps, r);
    }
    r->word = w;
    if (dup && w->source_len > 1 && w->source[w->source_len - 1] == '-') {
        r->flags |= WK_REDIR_MOVE;
        return strip_dash(ps, w);
    }
    if (r->op == WK_REDIR_DUP_OUT && r->fd < 0 && r->var == WK_NAME_NONE && w->text &&
        !is_fd_text(wk_word_text(w))) {
        r->op = WK_REDIR_OUT_ERR;
        r->flags |= WK_REDIR_AMP_AFTER;
    }
    return true;
}

int wk_parse_redir(struct wk_parser *ps, struct wk_redir **out)
{
    int tok = ps->tok.kind;
    if (tok != WK_TOK_IO_NUMBER && tok != WK_TOK_IO_VAR && redir_op(tok) < 0)
        return 0;
    struct wk_redir *r = WK_PS_NEW(ps, struct wk_redir);
    if (!r)
        return -1;
    r->fd = -1;
    r->line = ps->tok.line;
    r->var = WK_NAME_NONE;
    if (tok == WK_TOK_IO_NUMBER)
        r->fd = (int32_t)ps->tok.num;
    else if (tok == WK_TOK_IO_VAR && !set_var(ps, r))
        return -1;
    if (redir_op(tok) < 0) {
        wk_lex_take(ps);
        if (!wk_lex(ps, 0))
            return -1;
        tok = ps->tok.kind;
        if (redir_op(tok) < 0) { /* 2&>x: the & was in the way */
            wk_ps_unexpected(ps);
            return -1;
        }
    }
    r->op = (uint8_t)redir_op(tok);
    wk_lex_take(ps);
    if (!redir_target(ps, r, tok))
        return -1;
    *out = r;
    return 1;
}

static bool set_redirs(struct wk_parser *ps, struct wk_node *n, const struct chain *c)
{
    if (!c->n)
        return true;
    struct wk_redir **v = wk_ps_alloc(ps, (n->n_redirs + (size_t)c->n) * sizeof *v);
    if (!v)
        return false;
    if (n->n_redirs)
        memcpy(v, n->redirs, n->n_redirs * sizeof(struct wk_redir *));
    uint32_t i = n->n_redirs;
    for (struct link *l = c->first; i < n->n_redirs + c->n; l = l->next)
        v[i++] = l->item;
    n->redirs = v;
    n->n_redirs = i;
    return true;
}

bool wk_parse_redirs(struct wk_parser *ps, struct wk_node *node)
{
    struct chain c = {0};
    struct wk_redir *r;
    int got;
    /* Right behind the command an alias may bring the `;' or `)' that must come. */
    while (wk_lex(ps, c.n ? 0 : WK_LEX_CMD) && (got = wk_parse_redir(ps, &r)) != 0)
        if (got < 0 || !chain_add(ps, &c, r))
            return false;
    return !ps->err && set_redirs(ps, node, &c);
}

/* |& is 2>&1 after the command's own redirections. */
static bool add_pipe_err(struct wk_parser *ps, struct wk_node *n)
{
    struct chain c = {0};
    struct wk_redir *r = WK_PS_NEW(ps, struct wk_redir);
    if (!r)
        return false;
    r->op = WK_REDIR_DUP_OUT;
    r->flags = WK_REDIR_PIPE_ERR;
    r->fd = 2;
    r->line = ps->tok.line;
    r->var = WK_NAME_NONE;
    r->word = wk_word_plain(ps, WK_STR("1"), r->line);
    return r->word && chain_add(ps, &c, r) && set_redirs(ps, n, &c);
}

/* ---- simple commands ------------------------------------------------------------------------ */

/* COMMAND: `command`, which lets declare and the like keep their arguments in POSIX mode only.
 * TAKES_TEXT: lists may stand there, but each is a word like any other. */
enum command_class { ORDINARY, COMMAND, COMMAND_DECLARES, TAKES_TEXT, TAKES_LISTS, DECLARES };

static enum command_class classify(struct wk_str s)
{
    static const struct {
        const char *name;
        enum command_class class;
    } rows[] = {
        {"declare", DECLARES}, {"typeset", DECLARES},  {"local", DECLARES},
        {"export", DECLARES},  {"readonly", DECLARES}, {"alias", TAKES_LISTS},
        {"command", COMMAND},  {"eval", TAKES_TEXT},   {"let", TAKES_TEXT},
    };
    if (s.n < 3 || s.n > 8)
        return ORDINARY;
    for (unsigned i = 0; i < WK_COUNTOF(rows); i++)
        if (wk_str_is(s, rows[i].name))
            return rows[i].class;
    return ORDINARY;
}

struct simple {
    struct wk_node_simple *node;
    struct chain assigns, redirs;
    enum command_class class;
    bool after_redir; /* the last part was a redirection, with something before it */
    bool coproc;      /* the next word may be where a command begins, for the first may be a name */
    uint32_t n_words;
    size_t stk;
};

/* The class by a command word: \declare is a command as any. */
static enum command_class classify_word(const struct wk_word *w)
{
    bool plain = (w->flags & (WK_WORD_LITERAL | WK_WORD_QUOTED)) == WK_WORD_LITERAL;
    return plain ? classify(wk_word_text(w)) : ORDINARY;
}

/* The word behind `command`. */
static enum command_class classify_next(const struct wk_word *w)
{
    enum command_class c = classify_word(w);
    return c == COMMAND ? COMMAND : c >= TAKES_LISTS ? COMMAND_DECLARES : ORDINARY;
}

static bool add_word(struct wk_parser *ps, struct simple *s, struct wk_word *w)
{
    if (!w)
        return false;
    if (s->n_words++ == 0) {
        if (w->flags & WK_WORD_LITERAL) {
            w->name = wk_ps_name(ps, wk_word_text(w));
            s->class = s->after_redir ? ORDINARY : classify_word(w);
            s->node->assign_builtin = s->class == DECLARES;
        }
    } else if (s->class == COMMAND) {
        s->class = classify_next(w);
    } else if (s->coproc && s->class == ORDINARY) {
        s->class = classify_word(w);
        if (s->class == ORDINARY && !wk_word_as_assign(ps, w, WK_WORD_ASSIGN))
            return false;
    } else if (s->class == TAKES_TEXT && w->assign) {
        if (!(w = wk_assign_as_text(ps, w)))
            return false;
    } else if (s->class != ORDINARY && s->class != TAKES_TEXT && !wk_word_as_assign(ps, w, WK_WORD_ASSIGN)) {
        return false;
    } else if (w->n_segs && w->segs[0].kind == WK_SEG_PROCSUB) {
        s->after_redir = true; /* bash forgets, too, that assignments may follow */
    } else if (!wk_word_as_assign(ps, w, WK_WORD_KEYWORD)) {
        return false;
    }
    s->coproc = s->coproc && (s->n_words == 1 || w->flags & WK_WORD_ASSIGN);
    return wk_ps_push(ps, &w, sizeof w);
}

static struct wk_node *finish_simple(struct wk_parser *ps, struct simple *s)
{
    struct wk_node_simple *n = s->node;
    n->words = wk_ps_pop(ps, s->stk, sizeof(struct wk_word *), &n->n_words);
    if (!n->words)
        return NULL;
    if (s->assigns.n) {
        n->assigns = wk_ps_alloc(ps, s->assigns.n * sizeof *n->assigns);
        if (!n->assigns)
            return NULL;
        for (struct link *l = s->assigns.first; n->n_assigns < s->assigns.n; l = l->next)
            memcpy(&n->assigns[n->n_assigns++], l->item, sizeof *n->assigns);
    }
    return set_redirs(ps, &n->base, &s->redirs) ? &n->base : NULL;
}

static unsigned lex_flags(const struct simple *s)
{
    bool lists = s->class >= TAKES_TEXT || s->coproc;
    unsigned flags = s->n_words == 0 ? WK_LEX_CMD : lists ? WK_LEX_ASSIGN : 0u;
    if (s->class == COMMAND_DECLARES || s->class >= TAKES_LISTS)
        flags |= WK_LEX_TILDE;
    return s->after_redir ? flags | WK_LEX_NO_COMPOUND : flags;
}

/* One more part of a simple command: 1, 0 at its end, -1 on failure. */
static int simple_part(struct wk_parser *ps, struct simple *s)
{
    struct wk_redir *r;
    if (!wk_lex(ps, lex_flags(s)))
        return -1;
    switch (ps->tok.kind) {
    case WK_TOK_WORD:
        return add_word(ps, s, wk_lex_word(ps)) ? 1 : -1;
    case WK_TOK_ASSIGN:
        wk_lex_take(ps);
        return chain_add(ps, &s->assigns, ps->tok.assign) ? 1 : -1;
    default: {
        int got = wk_parse_redir(ps, &r);
        if (got > 0 && !chain_add(ps, &s->redirs, r))
            return -1;
        s->after_redir = s->n_words || s->assigns.n;
        return got;
    }
    }
}

/* A simple command, or a function definition written name(). `first` is the word behind coproc, already read. */
static struct wk_node *parse_simple(struct wk_parser *ps, struct wk_word *first, bool function_ok)
{
    struct simple s = {.stk = ps->stk.n, .coproc = first != NULL};
    uint32_t line = first ? first->line : ps->tok.line;
    s.node = wk_new_node(ps, WK_NODE_SIMPLE, sizeof *s.node, line);
    if (!s.node || (first && !add_word(ps, &s, first)))
        return NULL;
    int got;
    while ((got = simple_part(ps, &s)) > 0) {
        if (s.n_words + s.assigns.n + s.redirs.n != 1)
            continue;
        if (s.n_words && !wk_lex(ps, lex_flags(&s)))
            return NULL;
        /* bash takes the line that it has come to when the first part is complete, which for a word it
         * knows only after the token behind it */
        s.node->base.line = s.node->base.end_line =
            ps->have_tok && ps->tok.kind == WK_TOK_NEWLINE ? wk_ps_newline_line(ps) : ps->line;
        if (!s.n_words || !function_ok || ps->tok.kind != WK_TOK_LPAREN)
            continue;
        struct wk_word *name;
        memcpy(&name, ps->stk.p + s.stk, sizeof name);
        ps->stk.n = s.stk;
        wk_lex_take(ps);
        if (!wk_lex(ps, WK_LEX_CMD))
            return NULL;
        if (ps->tok.kind != WK_TOK_RPAREN) {
            wk_ps_unexpected(ps);
            return NULL;
        }
        wk_lex_take(ps);
        return wk_parse_function(ps, name, line, false);
    }
    return got < 0 ? NULL : finish_simple(ps, &s);
}

/* ---- functions and coprocesses -------------------------------------------------------------- */

static bool starts_compound(const struct wk_parser *ps, enum wk_res *res)
{
    *res = wk_lex_reserved(ps);
    switch (*res) {
    case WK_RES_IF:
    case WK_RES_CASE:
    case WK_RES_FOR:
    case WK_RES_SELECT:
    case WK_RES_WHILE:
    case WK_RES_UNTIL:
    case WK_RES_LBRACE:
    case WK_RES_LCOND:
        return true;
    default:
        return ps->tok.kind == WK_TOK_LPAREN;
    }
}

static struct wk_node *parse_compound(struct wk_parser *ps, enum wk_res res)
{
    struct wk_node *n =
        ps->tok.kind == WK_TOK_LPAREN ? wk_parse_paren_cmd(ps) : wk_parse_compound_cmd(ps, res);
    return n && wk_parse_redirs(ps, n) ? n : NULL;
}

struct wk_node *wk_parse_function(struct wk_parser *ps, struct wk_word *name, uint32_t line, bool kw)
{
    enum wk_res res;
    struct wk_node_function *f = wk_new_node(ps, WK_NODE_FUNCTION, sizeof *f, line);
    if (!f || !wk_skip_newlines(ps, WK_LEX_CMD))
        return NULL;
    if (!starts_compound(ps, &res)) {
        wk_ps_unexpected(ps);
        return NULL;
    }
    f->name_word = name;
    f->keyword = kw;
    f->name = name->name = wk_ps_name(ps, name->text ? wk_word_text(name) : wk_word_source(name));
    ps->function_line = line;
    if (res == WK_RES_LBRACE || !ps->brace_line)
        ps->brace_line = ps->tok.line;
    f->body = parse_compound(ps, res);
    if (!f->body || ps->err)
        return NULL;
    f->said_line = ps->function_line;
    f->brace_line = ps->brace_line;
    f->base.end_line = f->body->end_line;
    return &f->base;
}

/* The ) that makes "function f ( )" different from "function f (list)". */
static bool empty_parens(struct wk_parser *ps)
{
    int c;
    while ((c = wk_ps_peek(ps)) == ' ' || c == '\t')
        ps->p++;
    return c == ')';
}

static struct wk_node *parse_function_kw(struct wk_parser *ps)
{
    uint32_t line = ps->tok.line;
    wk_lex_take(ps);
    if (!wk_lex(ps, 0))
        return NULL;
    if (ps->tok.kind != WK_TOK_WORD) {
        wk_ps_unexpected(ps);
        return NULL;
    }
    struct wk_word *name = wk_lex_word(ps);
    if (!name || !wk_lex(ps, WK_LEX_CMD))
        return NULL;
    if (ps->tok.kind == WK_TOK_LPAREN && empty_parens(ps)) {
        wk_lex_take(ps);
        if (!wk_lex(ps, 0))
            return NULL;
        wk_lex_take(ps);
    }
    return wk_parse_function(ps, name, line, true);
}

static struct wk_node *one_word(struct wk_parser *ps, struct wk_word *w)
{
    struct simple s = {.stk = ps->stk.n};
    s.node = wk_new_node(ps, WK_NODE_SIMPLE, sizeof *s.node, w->line);
    return s.node && add_word(ps, &s, w) ? finish_simple(ps, &s) : NULL;
}

static struct wk_node *parse_coproc(struct wk_parser *ps)
{
    enum wk_res res;
    struct wk_node_coproc *c = wk_new_node(ps, WK_NODE_COPROC, sizeof *c, ps->tok.line);
    if (!c)
        return NULL;
    c->name = WK_STR("COPROC");
    wk_lex_take(ps);
    if (!wk_lex(ps, WK_LEX_CMD))
        return NULL;
    if (starts_compound(ps, &res)) {
        c->body = parse_compound(ps, res);
    } else if (ps->tok.kind == WK_TOK_WORD && (res == WK_RES_NONE || res == WK_RES_TIME)) {
        struct wk_word *w = wk_lex_word(ps);
        if (!w || !wk_lex(ps, WK_LEX_ASSIGN))
            return NULL;
        if (starts_compound(ps, &res)) {
            c->word = w;
            c->name = w->text ? wk_word_text(w) : wk_word_source(w);
            c->body = parse_compound(ps, res);
        } else if (res != WK_RES_NONE && res != WK_RES_TIME) {
            c->body = one_word(ps, w); /* what is around it may go on with the reserved word */
        } else {
            c->body = parse_simple(ps, w, false);
        }
    } else {
        if (ps->tok.kind != WK_TOK_ASSIGN && ps->tok.kind != WK_TOK_IO_NUMBER &&
            ps->tok.kind != WK_TOK_IO_VAR && redir_op(ps->tok.kind) < 0) {
            wk_ps_unexpected(ps);
            return NULL;
        }
        c->body = parse_simple(ps, NULL, false);
    }
    if (!c->body)
        return NULL;
    ps->coproc_in_comsub |= ps->in_comsub && c->body->kind == WK_NODE_SIMPLE;
    c->base.end_line = c->body->end_line;
    return ps->err ? NULL : &c->base;
}

/* ---- one command ---------------------------------------------------------------------------- */

static struct wk_node *command_here(struct wk_parser *ps)
{
    enum wk_res res;
    if (!wk_lex(ps, WK_LEX_CMD))
        return NULL;
    switch (ps->tok.kind) {
    case WK_TOK_WORD:
        if (starts_compound(ps, &res))
            return parse_compound(ps, res);
        if (res == WK_RES_NONE || res == WK_RES_TIME)
            return parse_simple(ps, NULL, true);
        if (res == WK_RES_FUNCTION)
            return parse_function_kw(ps);
        if (res == WK_RES_COPROC)
            return parse_coproc(ps);
        break;
    case WK_TOK_LPAREN:
        return parse_compound(ps, WK_RES_NONE);
    case WK_TOK_ASSIGN:
    case WK_TOK_IO_NUMBER:
    case WK_TOK_IO_VAR:
        return parse_simple(ps, NULL, false);
    default:
        if (redir_op(ps->tok.kind) >= 0)
            return parse_simple(ps, NULL, false);
        break;
    }
    wk_ps_unexpected(ps);
    return NULL;
}

struct deep_call {
    struct wk_parser *ps;
    struct wk_node *out;
};

static int deep_command(void *arg)
{
    struct deep_call *d = arg;
    d->out = command_here(d->ps);
    return 0;
}

struct wk_node *wk_parse_command(struct wk_parser *ps)
{
    struct wk_node *n = NULL;
    if (wk_ps_enter(ps)) {
        struct deep_call d = {ps, NULL};
        if (!wk_ps_low(ps))
            n = command_here(ps);
        else if (wk_ps_deep(ps, deep_command, &d))
            n = d.out;
    }
    wk_ps_leave(ps);
    return ps->err ? NULL : n;
}

/* ---- pipelines ------------------------------------------------------------------------------ */

/* In POSIX mode `time' before an option is the command of that name. */
static bool is_time(const struct wk_parser *ps)
{
    const char *q = ps->p;
    if (wk_lex_reserved(ps) != WK_RES_TIME)
        return false;
    while (q < ps->end && (*q == ' ' || *q == '\t'))
        q++;
    return !(ps->o.flags & WK_PARSE_POSIX) || q == ps->end || *q != '-';
}

/* ! and time [-p] before a pipeline. *alone: a terminator follows, and something was there. */
static bool pipeline_prefix(struct wk_parser *ps, unsigned *flags, bool *alone)
{
    *alone = false;
    for (bool any = false;; any = true) {
        if (!wk_lex(ps, WK_LEX_CMD))
            return false;
        enum wk_res res = wk_lex_reserved(ps);
        if (res == WK_RES_BANG) {
            *flags ^= WK_PIPE_NOT;
            wk_lex_take(ps);
        } else if (is_time(ps)) {
            *flags |= WK_PIPE_TIME;
            wk_lex_take(ps);
            if (wk_lex(ps, WK_LEX_CMD) && ps->tok.kind == WK_TOK_WORD && wk_str_is(ps->tok.s, "-p")) {
                *flags |= WK_PIPE_TIME_POSIX;
                wk_lex_take(ps);
            }
            if (!ps->err && wk_lex(ps, WK_LEX_CMD) && ps->tok.kind == WK_TOK_WORD &&
                wk_str_is(ps->tok.s, "--")) {
                *flags |= WK_PIPE_TIME_POSIX;
                wk_lex_take(ps);
            }
        } else {
            *alone = any && (ps->tok.kind == WK_TOK_NEWLINE || ps->tok.kind == WK_TOK_SEMI ||
                             ps->tok.kind == WK_TOK_EOF);
            return true;
        }
    }
}

struct wk_node *wk_parse_pipeline(struct wk_parser *ps)
{
    unsigned flags = 0;
    bool alone;
    size_t stk = ps->stk.n;
    if (!wk_lex(ps, WK_LEX_CMD))
        return NULL;
    uint32_t line = ps->tok.line;
    if (!pipeline_prefix(ps, &flags, &alone))
        return NULL;
    struct wk_node *c = alone ? NULL : wk_parse_command(ps);
    if (ps->err)
        return NULL;
    for (;;) {
        if (!alone && !wk_lex(ps, 0))
            return NULL;
        int tok = alone ? WK_TOK_EOF : ps->tok.kind;
        if (tok != WK_TOK_PIPE && tok != WK_TOK_PIPE_AMP)
            break;
        if (tok == WK_TOK_PIPE_AMP && !add_pipe_err(ps, c))
            return NULL;
        wk_lex_take(ps);
        if (!wk_ps_push(ps, &c, sizeof c) || !wk_skip_newlines(ps, WK_LEX_CMD))
            return NULL;
        c = wk_parse_command(ps);
        if (!c)
            return NULL;
    }
    if (!alone && !flags && ps->stk.n == stk)
        return c;
    struct wk_node_pipeline *p = wk_new_node(ps, WK_NODE_PIPELINE, sizeof *p, line);
    if (!p || (!alone && !wk_ps_push(ps, &c, sizeof c)))
        return NULL;
    p->base.flags = (uint8_t)flags;
    p->cmds = wk_ps_pop(ps, stk, sizeof(struct wk_node *), &p->n);
    return p->cmds ? &p->base : NULL;
}

/* ---- lists ---------------------------------------------------------------------------------- */

static struct wk_node *parse_andor(struct wk_parser *ps)
{
    size_t stk = ps->stk.n;
    struct wk_andor_item it = {.op = WK_ANDOR_FIRST};
    it.cmd = wk_parse_pipeline(ps);
    if (!it.cmd)
        return NULL;
    for (;;) {
        if (!wk_lex(ps, WK_LEX_CMD))
            return NULL;
        int tok = ps->tok.kind;
        if (tok != WK_TOK_AND_IF && tok != WK_TOK_OR_IF)
            break;
        wk_lex_take(ps);
        if (!wk_ps_push(ps, &it, sizeof it) || !wk_skip_newlines(ps, WK_LEX_CMD))
            return NULL;
        it.op = tok == WK_TOK_AND_IF ? WK_ANDOR_AND : WK_ANDOR_OR;
        it.cmd = wk_parse_pipeline(ps);
        if (!it.cmd)
            return NULL;
    }
    if (ps->stk.n == stk)
        return it.cmd;
    struct wk_node_andor *n = wk_new_node(ps, WK_NODE_ANDOR, sizeof *n, 0);
    if (!n || !wk_ps_push(ps, &it, sizeof it))
        return NULL;
    n->items = wk_ps_pop(ps, stk, sizeof it, &n->n);
    if (!n->items)
        return NULL;
    n->base.line = n->base.end_line = n->items[0].cmd->line;
    return &n->base;
}

static struct wk_node *finish_list(struct wk_parser *ps, size_t stk)
{
    struct wk_list_item it;
    size_t bytes = ps->stk.n - stk;
    if (!bytes)
        return NULL;
    memcpy(&it, ps->stk.p + stk, sizeof it);
    if (bytes == sizeof it && !it.async) {
        ps->stk.n = stk;
        return it.cmd;
    }
    struct wk_node_list *n = wk_new_node(ps, WK_NODE_LIST, sizeof *n, it.cmd->line);
    if (!n)
        return NULL;
    n->items = wk_ps_pop(ps, stk, sizeof it, &n->n);
    return n->items ? &n->base : NULL;
}

/* Words and operators that end a list; whether they may is the caller's question. */
static bool ends_list(const struct wk_parser *ps)
{
    switch (ps->tok.kind) {
    case WK_TOK_EOF:
    case WK_TOK_RPAREN:
    case WK_TOK_DSEMI:
    case WK_TOK_SEMI_AND:
    case WK_TOK_DSEMI_AND:
        return true;
    default:
        break;
    }
    switch (wk_lex_reserved(ps)) {
    case WK_RES_THEN:
    case WK_RES_ELSE:
    case WK_RES_ELIF:
    case WK_RES_FI:
    case WK_RES_DO:
    case WK_RES_DONE:
    case WK_RES_ESAC:
    case WK_RES_RBRACE:
        return true;
    default:
        return false;
    }
}

/* Takes ; & or newline after a command: 1, 0 when there is none, -1. */
static int separator(struct wk_parser *ps, struct wk_list_item *it)
{
    if (!wk_lex(ps, WK_LEX_CMD))
        return -1;
    int tok = ps->tok.kind;
    it->async = tok == WK_TOK_AMP;
    it->newline = tok == WK_TOK_NEWLINE;
    if (tok != WK_TOK_AMP && tok != WK_TOK_SEMI && tok != WK_TOK_NEWLINE)
        return 0;
    wk_lex_take(ps);
    return 1;
}

/* One command of a list with what separates it from the next: 1, 0 when nothing does, -1. */
static int list_item(struct wk_parser *ps, struct wk_list_item *it)
{
    *it = (struct wk_list_item){.cmd = parse_andor(ps)};
    if (!it->cmd)
        return -1;
    int sep = separator(ps, it);
    return sep < 0 || !wk_ps_push(ps, it, sizeof *it) ? -1 : sep;
}

struct wk_node *wk_parse_list(struct wk_parser *ps, bool allow_empty)
{
    size_t stk = ps->stk.n;
    if (!wk_skip_newlines(ps, WK_LEX_CMD))
        return NULL;
    if (ends_list(ps)) {
        if (!allow_empty)
            wk_ps_unexpected(ps);
        return NULL;
    }
    for (;;) {
        struct wk_list_item it;
        int sep = list_item(ps, &it);
        if (sep < 0)
            return NULL;
        if (sep == 0)
            break;
        if (!wk_skip_newlines(ps, WK_LEX_CMD))
            return NULL;
        if (ends_list(ps))
            break;
    }
    return finish_list(ps, stk);
}

/* Can no command begin with the present token? */
static bool begins_nothing(const struct wk_parser *ps)
{
    switch (ps->tok.kind) {
    case WK_TOK_AMP:
    case WK_TOK_SEMI:
    case WK_TOK_PIPE:
    case WK_TOK_PIPE_AMP:
    case WK_TOK_AND_IF:
    case WK_TOK_OR_IF:
        return true;
    default:
        return ps->tok.kind != WK_TOK_EOF && ends_list(ps);
    }
}

struct wk_node *wk_parse_line(struct wk_parser *ps)
{
    size_t stk = ps->stk.n;
    if (!wk_lex(ps, WK_LEX_CMD) || ps->tok.kind == WK_TOK_EOF)
        return NULL;
    if (ps->tok.kind == WK_TOK_NEWLINE) {
        wk_lex_take(ps);
        return NULL;
    }
    for (;;) {
        struct wk_list_item it;
        int sep = list_item(ps, &it);
        if (sep < 0)
            return NULL;
        if (sep == 0) {
            if (ps->tok.kind == WK_TOK_EOF)
                break;
            if (wk_heredoc_before_error(ps))
                wk_ps_unexpected(ps);
            return NULL;
        }
        if (it.newline)
            break;
        if (!wk_lex(ps, WK_LEX_CMD) || (begins_nothing(ps) && !wk_heredoc_before_error(ps)))
            return NULL;
        if (ps->tok.kind == WK_TOK_EOF)
            break;
        if (ps->tok.kind == WK_TOK_NEWLINE) {
            wk_lex_take(ps);
            break;
        }
    }
    if (ps->tok.kind == WK_TOK_EOF) { /* without a newline before it */
        ps->line++;
        if (!wk_heredoc_read(ps))
            return NULL;
    }
    return finish_list(ps, stk);
}
