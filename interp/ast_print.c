/* ast_print.c - commands as bash prints them */
#include "base/num.h"
#include "interp/lexer.h"

struct printer {
    struct wk_buf *b;
    struct wk_parser *ps; /* watches the stack; may be NULL */
    unsigned indent;
    unsigned functions;   /* > 0: lists go over several lines */
    unsigned joined;      /* > 0: inside a list or pipeline, here-documents wait */
    bool posix;           /* functions inside are printed without the word */
    bool comsub;          /* newlines between commands are kept */
    bool flat;            /* one blank is the indent of every line */
    bool was_heredoc;
    int err;
    const struct wk_redir **docs; /* waiting */
    size_t n_docs, cap_docs;
};

static void print_node(struct printer *p, const struct wk_node *n);

static void put(struct printer *p, const char *s)
{
    wk_buf_put_c(p->b, s);
}

static void put_str(struct printer *p, struct wk_str s)
{
    wk_buf_puts(p->b, s);
}

static void put_word(struct printer *p, const struct wk_word *w)
{
    put_str(p, wk_word_source(w));
}

static void put_indent(struct printer *p)
{
    wk_buf_fill(p->b, ' ', p->flat && p->indent ? 1 : p->indent);
}

static void newline(struct printer *p, const char *s)
{
    put(p, "\n");
    put_indent(p);
    put(p, s);
}

/* A ; unless a & or a newline ends the text already. */
static void semicolon(struct printer *p)
{
    char last = p->b->n ? p->b->p[p->b->n - 1] : '\0';
    if (last != '&' && last != '\n')
        put(p, ";");
}

/* ---- redirections --------------------------------------------------------------------------- */

static void put_number(struct printer *p, const struct wk_redir *r, int normal, bool always)
{
    struct wk_buf *b = p->b;
    if (r->var != WK_NAME_NONE) {
        put(p, "{");
        put_str(p, r->var_text);
        put(p, "}");
    } else if (r->fd >= 0 && (always || r->fd != normal)) {
        wk_buf_put_i64(b, r->fd);
    } else if (always) {
        wk_buf_put_i64(b, normal);
    }
}

static void put_dup(struct printer *p, const struct wk_redir *r)
{
    struct wk_str t = r->word ? wk_word_source(r->word) : WK_STR("");
    bool moves = r->flags & WK_REDIR_MOVE, closes = wk_str_is(t, "-");
    int64_t fd = 0;
    bool is_fd = r->word && r->word->text && wk_parse_i64(t, 10, &fd) == 0 && fd >= 0;
    put_number(p, r, r->op == WK_REDIR_DUP_IN ? 0 : 1, is_fd || moves || closes);
    put(p, r->op == WK_REDIR_DUP_IN && !closes ? "<&" : ">&");
    if (is_fd)
        wk_buf_put_i64(p->b, fd);
    else
        put_str(p, t);
    if (moves)
        put(p, "-");
}

static void put_delimiter(struct printer *p, const struct wk_redir *r)
{
    if (!(r->flags & WK_REDIR_QUOTED)) {
        put_str(p, r->delim);
        return;
    }
    put(p, "'");
    for (size_t i = 0; i < r->end.n; i++)
        if (r->end.p[i] == '\'')
            put(p, "'\\''");
        else
            wk_buf_putc(p->b, r->end.p[i]);
    put(p, "'");
}

static void put_redir(struct printer *p, const struct wk_redir *r)
{
    static const struct {
        const char *text;
        int normal;
    } ops[] = {
        [WK_REDIR_IN] = {"< ", 0},       [WK_REDIR_OUT] = {"> ", 1},
        [WK_REDIR_CLOBBER] = {">| ", 1}, [WK_REDIR_APPEND] = {">> ", 1},
        [WK_REDIR_RDWR] = {"<> ", -1},   [WK_REDIR_OUT_ERR] = {"&> ", 1},
        [WK_REDIR_APPEND_ERR] = {"&>> ", 1}, [WK_REDIR_HERESTR] = {"<<< ", 0},
        [WK_REDIR_HEREDOC] = {"<<", 0},
    };
    if (r->op == WK_REDIR_DUP_IN || r->op == WK_REDIR_DUP_OUT) {
        put_dup(p, r);
        return;
    }
    if (r->op == WK_REDIR_RDWR) /* <> is that of 0, yet bash leaves out a 1 */
        put_number(p, r, r->fd == 1 ? 1 : 0, r->fd != 1);
    else if (r->op != WK_REDIR_OUT_ERR && r->op != WK_REDIR_APPEND_ERR)
        put_number(p, r, ops[r->op].normal, false);
    if (r->op == WK_REDIR_OUT_ERR && (r->flags & WK_REDIR_AMP_AFTER))
        put(p, ">&");
    else
        put(p, ops[r->op].text);
    if (r->op == WK_REDIR_HEREDOC) {
        if (r->flags & WK_REDIR_STRIP)
            put(p, "-");
        put_delimiter(p, r);
    } else if (r->word) {
        put_word(p, r->word);
    }
}

static void flush_docs(struct printer *p)
{
    if (!p->n_docs)
        return;
    put(p, "\n");
    for (size_t i = 0; i < p->n_docs; i++) {
        if (p->docs[i]->word)
            put_word(p, p->docs[i]->word);
        put_str(p, p->docs[i]->end);
        put(p, "\n");
    }
    p->n_docs = 0;
    p->was_heredoc = true;
}

static void defer_doc(struct printer *p, const struct wk_redir *r)
{
    if (p->err)
        return;
    if (!wk_vec_grow(p->b->mem, &p->docs, &p->cap_docs, p->n_docs + 1, sizeof *p->docs))
        p->err = -WK_ENOMEM;
    else
        p->docs[p->n_docs++] = r;
}

/* `sep`: is there something before them? */
static void put_redirs(struct printer *p, const struct wk_node *n, bool sep)
{
    if (n->n_redirs)
        p->was_heredoc = false;
    for (uint32_t i = 0; i < n->n_redirs; i++) {
        if (sep)
            put(p, " ");
        sep = true;
        put_redir(p, n->redirs[i]);
        if (n->redirs[i]->op == WK_REDIR_HEREDOC)
            defer_doc(p, n->redirs[i]);
    }
    if (!p->joined)
        flush_docs(p);
}

/* ---- lists and pipelines -------------------------------------------------------------------- */

/* At the end of the right side of an operator. In functions bash prints the bodies here even when another
 * operator follows, which does not read back; elsewhere we wait for the end of the line. */
static void flush_early(struct printer *p)
{
    if (p->functions || !p->joined)
        flush_docs(p);
}

/* A command inside a compound one: its here-documents come out here. */
static void print_inner(struct printer *p, const struct wk_node *n)
{
    unsigned joined = p->joined;
    p->joined = 0;
    if (n)
        print_node(p, n);
    flush_docs(p);
    p->joined = joined;
}

static void print_pipeline(struct printer *p, const struct wk_node *n)
{
    const struct wk_node_pipeline *c = wk_as_pipeline(n);
    if (n->flags & WK_PIPE_TIME)
        put(p, n->flags & WK_PIPE_TIME_POSIX ? "time -p " : "time ");
    if (n->flags & WK_PIPE_NOT)
        put(p, "! ");
    if (c->n > 1)
        p->joined++;
    for (uint32_t i = 0; i < c->n; i++) {
        if (i) {
            put(p, " |");
            if (p->n_docs) {
                flush_docs(p);
                put(p, " ");
            }
            put(p, " ");
        }
        print_node(p, c->cmds[i]);
    }
    if (c->n > 1) {
        p->joined--;
        flush_early(p);
    }
}

static void print_andor(struct printer *p, const struct wk_node *n)
{
    const struct wk_node_andor *c = wk_as_andor(n);
    p->joined++;
    for (uint32_t i = 0; i < c->n; i++) {
        if (i) {
            put(p, c->items[i].op == WK_ANDOR_AND ? " && " : " || ");
            if (p->n_docs) {
                flush_docs(p);
                put(p, " ");
            }
        }
        print_node(p, c->items[i].cmd);
        if (i)
            flush_early(p);
    }
    p->joined--;
    if (!p->joined)
        flush_docs(p);
}

/* A newline that stands in the text of a substitution. bash indents behind a body, and once more when the
 * body came with the list's first command. */
static void print_text_newline(struct printer *p, bool first)
{
    bool docs = p->n_docs != 0, body = docs || p->was_heredoc;
    flush_docs(p);
    p->was_heredoc = docs && first;
    put(p, "\n");
    if (body)
        put_indent(p);
}

/* What stands between two commands of a list. */
static void print_separator(struct printer *p, const struct wk_list_item *it, bool first)
{
    if (it->async) {
        put(p, " &");
        if (p->n_docs) {
            flush_docs(p);
            put(p, " ");
        }
        put(p, " ");
        return;
    }
    bool line = p->comsub && it->newline; /* in a function one more comes behind it */
    if (line && !p->functions) {
        print_text_newline(p, first);
        return;
    }
    if (p->n_docs) {
        flush_docs(p);
    } else {
        /* bash leaves the ; out after a body, which is wrong where no newline follows */
        bool ended = p->functions ? p->was_heredoc : p->b->n && p->b->p[p->b->n - 1] == '\n';
        if (!ended)
            put(p, line ? "\n" : ";");
        p->was_heredoc = false;
    }
    if (p->functions)
        newline(p, "");
    else
        put(p, " ");
}

static void print_list(struct printer *p, const struct wk_node *n)
{
    const struct wk_node_list *c = wk_as_list(n);
    p->joined++;
    for (uint32_t i = 0; i < c->n; i++) {
        print_node(p, c->items[i].cmd);
        if (i && (!c->items[i].async || c->items[i - 1].async))
            flush_early(p);
        if (i + 1 < c->n) {
            print_separator(p, &c->items[i], i == 0);
        } else if (c->items[i].async) {
            put(p, " &");
            if (p->n_docs) {
                flush_docs(p);
                put(p, " ");
            }
        }
    }
    p->joined--;
    flush_early(p);
}

/* ---- compound commands ---------------------------------------------------------------------- */

static void print_simple(struct printer *p, const struct wk_node *n)
{
    const struct wk_node_simple *c = wk_as_simple(n);
    bool sep = false;
    for (uint32_t i = 0; i < c->n_assigns; i++, sep = true) {
        if (sep)
            put(p, " ");
        put_str(p, c->assigns[i].source);
    }
    for (uint32_t i = 0; i < c->n_words; i++, sep = true) {
        if (sep)
            put(p, " ");
        put_word(p, c->words[i]);
    }
    put_redirs(p, n, sep);
}

/* Body of a loop on its own lines, and the word that ends it. */
static void print_body(struct printer *p, const struct wk_node *body, const char *end)
{
    p->indent += 4;
    put_indent(p);
    print_inner(p, body);
    semicolon(p);
    p->indent -= 4;
    newline(p, end);
}

static void print_if(struct printer *p, const struct wk_node_if *c)
{
    for (uint32_t i = 0; i < c->n_arms; i++) {
        bool more = i + 1 < c->n_arms || c->otherwise;
        if (i) {
            p->indent += 4;
            put_indent(p);
        }
        put(p, "if ");
        print_inner(p, c->arms[i].test);
        semicolon(p);
        put(p, " then\n");
        print_body(p, c->arms[i].body, more ? "else\n" : "fi");
        if (p->b->failed)
            return;
    }
    if (c->otherwise)
        print_body(p, c->otherwise, "fi");
    for (uint32_t i = 1; i < c->n_arms; i++) {
        semicolon(p);
        p->indent -= 4;
        newline(p, "fi");
    }
}

static void print_loop(struct printer *p, const struct wk_node *n)
{
    const struct wk_node_loop *c = wk_as_loop(n);
    put(p, n->kind == WK_NODE_WHILE ? "while " : "until ");
    print_inner(p, c->test);
    semicolon(p);
    put(p, " do\n");
    print_body(p, c->body, "done");
}

static void put_words(struct printer *p, const struct wk_words *w, const char *between)
{
    for (uint32_t i = 0; i < w->n; i++) {
        if (i)
            put(p, between);
        put_word(p, w->v[i]);
    }
}

static void for_head(struct printer *p, const struct wk_node *n)
{
    const struct wk_node_for *c = wk_as_for(n);
    put(p, n->kind == WK_NODE_FOR ? "for " : "select ");
    put_word(p, c->var);
    put(p, " in ");
    if (c->has_in)
        put_words(p, &c->words, " ");
    else
        put(p, "\"$@\"");
}

static void put_expr(struct printer *p, const struct wk_arith *e)
{
    if (e)
        put_str(p, e->text);
    else
        put(p, "1");
}

static void print_cfor(struct printer *p, const struct wk_node_cfor *c)
{
    put(p, "for ((");
    put_expr(p, c->init);
    put(p, "; ");
    put_expr(p, c->test);
    put(p, "; ");
    put_expr(p, c->step);
    put(p, "))");
    newline(p, "do\n");
    print_body(p, c->body, "done");
}

static void print_case(struct printer *p, const struct wk_node_case *c)
{
    static const char *const ends[] = {";;", ";&", ";;&"};
    put(p, "case ");
    put_word(p, c->word);
    put(p, " in ");
    p->indent += 4;
    for (uint32_t i = 0; i < c->n_items; i++) {
        const struct wk_case_item *it = &c->items[i];
        newline(p, "");
        if (it->patterns.n && wk_str_is(wk_word_source(it->patterns.v[0]), "esac"))
            put(p, "(");
        put_words(p, &it->patterns, " | ");
        put(p, ")\n");
        if (it->body) {
            p->indent += 4;
            put_indent(p);
            print_inner(p, it->body);
            p->indent -= 4;
        }
        newline(p, ends[it->end]);
    }
    p->indent -= 4;
    newline(p, "esac");
}

static void print_group(struct printer *p, const struct wk_node *body)
{
    put(p, "{ ");
    if (!p->functions) {
        print_inner(p, body);
        semicolon(p);
        put(p, " }");
        return;
    }
    p->indent += 4;
    newline(p, "");
    print_inner(p, body);
    p->indent -= 4;
    newline(p, "}");
}

/* The braces and what follows them, after "f () \n". */
static void function_body(struct printer *p, const struct wk_node *body)
{
    bool group = body->kind == WK_NODE_GROUP;
    unsigned joined = p->joined;
    p->joined = 0;
    p->functions++;
    bool same_line = p->flat && !p->indent;
    put_indent(p);
    put(p, same_line ? "{ " : "{ \n");
    p->indent += 4;
    put_indent(p);
    print_inner(p, group ? wk_as_body(body)->body : body);
    p->indent -= 4;
    newline(p, "}");
    p->functions--;
    p->was_heredoc = false;
    if (group)
        put_redirs(p, body, true);
    p->joined = joined;
}

static void print_function(struct printer *p, const struct wk_node_function *f)
{
    if (!p->posix)
        put(p, "function ");
    put_word(p, f->name_word);
    put(p, " () \n");
    function_body(p, f->body);
}

static void print_cond(struct printer *p, const struct wk_cond *c);

const char *wk_cond_op_text(int op)
{
    static const char *const texts[] = {"=",   "==",  "!=",  "=~",  "<",   ">",   "-eq", "-ne",
                                        "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};
    return texts[op];
}

static void cond_term(struct printer *p, const struct wk_cond *c)
{
    char op[4] = {'-', c->op, ' ', '\0'};
    switch ((enum wk_cond_kind)c->kind) {
    case WK_COND_NOT:
        put(p, "! ");
        print_cond(p, c->a);
        break;
    case WK_COND_PAREN:
        put(p, "( ");
        print_cond(p, c->a);
        put(p, " )");
        break;
    case WK_COND_WORD:
    case WK_COND_UNARY:
        put(p, c->kind == WK_COND_WORD ? "-n " : op);
        put_word(p, c->left);
        break;
    case WK_COND_BINARY:
        put_word(p, c->left);
        put(p, " ");
        put(p, wk_cond_op_text(c->op));
        put(p, " ");
        put_word(p, c->right);
        break;
    case WK_COND_AND:
    case WK_COND_OR:
        break;
    }
}

struct deep_call {
    struct printer *p;
    const struct wk_node *node;
    const struct wk_cond *cond;
};

static int deep_print(void *arg)
{
    struct deep_call *d = arg;
    if (d->node)
        print_node(d->p, d->node);
    else
        print_cond(d->p, d->cond);
    return 0;
}

/* Is the stack low? Then the rest was done on another one. */
static bool gone_deep(struct printer *p, const struct wk_node *n, const struct wk_cond *c)
{
    if (!p->ps || !wk_ps_low(p->ps))
        return false;
    struct deep_call d = {p, n, c};
    int r = p->ps->o.deep ? p->ps->o.deep(p->ps->o.ctx, deep_print, &d, &p->ps->o.stack_floor)
                          : -WK_ELIMIT;
    if (r < 0)
        p->err = r;
    return true;
}

static void print_cond(struct printer *p, const struct wk_cond *c)
{
    if (p->err || gone_deep(p, NULL, c))
        return;
    for (; c->kind == WK_COND_AND || c->kind == WK_COND_OR; c = c->b) {
        print_cond(p, c->a);
        put(p, c->kind == WK_COND_AND ? " && " : " || ");
    }
    cond_term(p, c);
}

static void print_kind(struct printer *p, const struct wk_node *n)
{
    switch ((enum wk_node_kind)n->kind) {
    case WK_NODE_SIMPLE:
        print_simple(p, n);
        return;
    case WK_NODE_PIPELINE:
        print_pipeline(p, n);
        break;
    case WK_NODE_ANDOR:
        print_andor(p, n);
        break;
    case WK_NODE_LIST:
        print_list(p, n);
        break;
    case WK_NODE_SUBSHELL:
        put(p, "( ");
        print_inner(p, wk_as_body(n)->body);
        put(p, " )");
        break;
    case WK_NODE_GROUP:
        print_group(p, wk_as_body(n)->body);
        break;
    case WK_NODE_IF:
        print_if(p, wk_as_if(n));
        break;
    case WK_NODE_WHILE:
    case WK_NODE_UNTIL:
        print_loop(p, n);
        break;
    case WK_NODE_FOR:
    case WK_NODE_SELECT:
        for_head(p, n);
        put(p, ";");
        newline(p, "do\n");
        print_body(p, wk_as_for(n)->body, "done");
        break;
    case WK_NODE_CFOR:
        print_cfor(p, wk_as_cfor(n));
        break;
    case WK_NODE_CASE:
        print_case(p, wk_as_case(n));
        break;
    case WK_NODE_ARITH:
        put(p, "((");
        put_str(p, wk_as_arith(n)->expr->text);
        put(p, "))");
        break;
    case WK_NODE_COND:
        put(p, "[[ ");
        print_cond(p, wk_as_cond(n)->expr);
        put(p, " ]]");
        break;
    case WK_NODE_FUNCTION:
        print_function(p, wk_as_function(n));
        break;
    case WK_NODE_COPROC:
        put(p, "coproc ");
        put_str(p, wk_as_coproc(n)->name);
        put(p, " ");
        print_node(p, wk_as_coproc(n)->body);
        break;
    }
    put_redirs(p, n, true);
}

static void print_node(struct printer *p, const struct wk_node *n)
{
    if (!p->err && !p->b->failed && !gone_deep(p, n, NULL))
        print_kind(p, n);
}

static int finish(struct printer *p)
{
    flush_docs(p);
    wk_free(p->b->mem, p->docs);
    return p->err ? p->err : p->b->failed ? -WK_ENOMEM : 0;
}

static bool starts_with_paren(const struct wk_node *n)
{
    for (;;) {
        if (n->kind == WK_NODE_LIST)
            n = wk_as_list(n)->items[0].cmd;
        else if (n->kind == WK_NODE_ANDOR)
            n = wk_as_andor(n)->items[0].cmd;
        else if (n->kind == WK_NODE_PIPELINE && !n->flags && wk_as_pipeline(n)->n)
            n = wk_as_pipeline(n)->cmds[0];
        else
            return n->kind == WK_NODE_SUBSHELL || n->kind == WK_NODE_ARITH;
    }
}

int wk_print_comsub(struct wk_parser *ps, struct wk_buf *b, const struct wk_node *body)
{
    struct printer p = {
        .b = b, .ps = ps, .comsub = true, .posix = ps->o.flags & WK_PARSE_POSIX};
    if (starts_with_paren(body)) /* $(( would read as arithmetic */
        put(&p, " ");
    print_node(&p, body);
    return finish(&p);
}

int wk_print_node(struct wk_buf *b, const struct wk_node *n, enum wk_print_mode mode)
{
    struct printer p = {.b = b, .functions = mode == WK_PRINT_FUNCTION, .comsub = mode == WK_PRINT_COMSUB};
    print_node(&p, n);
    return finish(&p);
}

bool wk_is_keyword(struct wk_str s)
{
    static const char *const words[] = {"if",   "then", "else",     "elif",  "fi",    "case",
                                        "esac", "for",  "select",   "while", "until", "do",
                                        "done", "in",   "function", "time",  "{",     "}",
                                        "!",    "[[",   "]]",       "coproc"};
    for (size_t i = 0; i < WK_COUNTOF(words); i++) {
        if (wk_str_is(s, words[i]))
            return true;
    }
    return false;
}

int wk_print_function(struct wk_buf *b, struct wk_str name, const struct wk_node *body, bool posix)
{
    struct printer p = {.b = b, .posix = posix};
    if (wk_is_keyword(name))
        put(&p, "function ");
    put_str(&p, name);
    put(&p, " () \n");
    function_body(&p, body);
    return finish(&p);
}

int wk_print_exported(struct wk_buf *b, const struct wk_node *body)
{
    struct printer p = {.b = b, .flat = true};
    put(&p, "() ");
    function_body(&p, body);
    return finish(&p);
}

int wk_print_head(struct wk_buf *b, const struct wk_node *n)
{
    struct printer p = {.b = b};
    switch (n->kind) {
    case WK_NODE_FOR:
    case WK_NODE_SELECT:
        for_head(&p, n);
        break;
    case WK_NODE_CASE:
        put(&p, "case ");
        put_word(&p, wk_as_case(n)->word);
        put(&p, " in");
        break;
    default:
        print_node(&p, n);
        break;
    }
    return finish(&p);
}
