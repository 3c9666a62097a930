/* renumber.c - the lines of commands in $(…)
 *
 * bash keeps the commands of a substitution as the text that it prints for them, and runs that text from the line of
 * the command around it: comments and empty lines count nothing, and `for i in x; do` is two lines. Backquotes keep
 * their text as it is written.
 */
#include "interp/parser.h"

enum { DEPTH_MOST = 100 }; /* what stands deeper keeps its lines */

struct count {
    bool as_written;     /* backquotes */
    uint32_t shift;      /* then: what is added, modulo 2^32 */
    bool function;       /* in a function's body every command ends its line, whatever else does */
    uint32_t brace_line; /* of the last { of a function */
    unsigned depth;
};

static uint32_t place(struct count *c, struct wk_node *n, uint32_t at);

static uint32_t newlines(struct wk_str s)
{
    uint32_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == '\n';
    return n;
}

static uint32_t word_lines(const struct wk_word *w)
{
    return w ? newlines(wk_word_source(w)) : 0;
}

static uint32_t heredoc_lines(const struct wk_redir *r)
{
    uint32_t n = 2; /* the delimiter, and the end of the command's line */
    for (uint32_t i = 0; r->word && i < r->word->n_segs; i++) {
        const struct wk_seg *s = &r->word->segs[i];
        if (s->kind == WK_SEG_LIT)
            n += newlines(wk_str(s->text, s->text_len));
    }
    return n;
}

static uint32_t redirs_lines(const struct wk_node *n)
{
    uint32_t lines = 0;
    for (uint32_t i = 0; i < n->n_redirs; i++)
        lines += n->redirs[i]->op == WK_REDIR_HEREDOC ? heredoc_lines(n->redirs[i]) : word_lines(n->redirs[i]->word);
    return lines;
}

/* The line of a simple command is the one on which its second word ends. */
static uint32_t place_simple(struct wk_node_simple *s, uint32_t at)
{
    uint32_t words = 0, line = at;
    for (uint32_t i = 0; i < s->n_assigns; i++, words++) {
        at += s->assigns[i].compound ? 0 : newlines(s->assigns[i].source);
        line = words < 2 ? at : line;
    }
    for (uint32_t i = 0; i < s->n_words; i++, words++) {
        at += word_lines(s->words[i]);
        line = words < 2 ? at : line;
    }
    s->base.line = s->base.end_line = line;
    return at;
}

/* A complete command of the substitution: what it is around has the line on which it ends. */
static void end_complete(const struct wk_node_list *l, uint32_t from, uint32_t to, uint32_t line)
{
    while (from <= to)
        l->items[from++].around = line;
}

static uint32_t place_list(struct count *c, const struct wk_node_list *l, uint32_t at)
{
    uint32_t from = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        const struct wk_list_item *it = &l->items[i];
        at = place(c, it->cmd, at);
        bool last = i + 1 == l->n;
        if (c->depth == 1 && (last || (it->newline && !it->async))) {
            end_complete(l, from, i, c->as_written ? it->cmd->end_line : at);
            from = i + 1;
        }
        if (!last && !it->async)
            at += (it->newline ? 1U : 0U) + (c->function ? 1U : 0U);
    }
    return at;
}

/* if A; then⏎B⏎else⏎C⏎fi; elif is an if in the else, closed by a `fi' of its own. */
static uint32_t place_if(struct count *c, const struct wk_node_if *f, uint32_t at)
{
    for (uint32_t i = 0; i < f->n_arms; i++) {
        at = place(c, f->arms[i].test, at + (i > 0)) + 1;
        at = place(c, f->arms[i].body, at) + 1;
    }
    if (f->otherwise)
        at = place(c, f->otherwise, at + 1) + 1;
    return at + (f->n_arms ? f->n_arms - 1 : 0);
}

static uint32_t place_case(struct count *c, const struct wk_node_case *k, uint32_t at)
{
    at += word_lines(k->word);
    for (uint32_t i = 0; i < k->n_items; i++) {
        at += 2; /* its patterns' line, then its commands' */
        at = place(c, k->items[i].body, at) + 1;
    }
    return at + 1;
}

static uint32_t place_function(struct count *c, struct wk_node_function *f, uint32_t at)
{
    bool outer = c->function;
    const struct wk_node *b = f->body;
    bool group = b->kind == WK_NODE_GROUP;
    c->function = true;
    f->body->line = c->brace_line = at + 1;
    at = place(c, group ? wk_as_body(b)->body : f->body, at + 2) + 1;
    c->function = outer;
    f->brace_line = c->as_written ? f->brace_line + c->shift : c->brace_line;
    return at;
}

static uint32_t place_parts(struct count *c, const struct wk_node *n, uint32_t at)
{
    switch ((enum wk_node_kind)n->kind) {
    case WK_NODE_PIPELINE:
        for (uint32_t i = 0; i < wk_as_pipeline(n)->n; i++)
            at = place(c, wk_as_pipeline(n)->cmds[i], at);
        return at;
    case WK_NODE_ANDOR:
        for (uint32_t i = 0; i < wk_as_andor(n)->n; i++)
            at = place(c, wk_as_andor(n)->items[i].cmd, at);
        return at;
    case WK_NODE_LIST:
        return place_list(c, wk_as_list(n), at);
    case WK_NODE_SUBSHELL:
        return place(c, wk_as_body(n)->body, at);
    case WK_NODE_GROUP:
        return place(c, wk_as_body(n)->body, at + c->function) + c->function;
    case WK_NODE_IF:
        return place_if(c, wk_as_if(n), at);
    case WK_NODE_WHILE:
    case WK_NODE_UNTIL:
        at = place(c, wk_as_loop(n)->test, at) + 1;
        return place(c, wk_as_loop(n)->body, at) + 1;
    case WK_NODE_FOR:
    case WK_NODE_SELECT:
        return place(c, wk_as_for(n)->body, at + 2) + 1;
    case WK_NODE_CFOR:
        return place(c, wk_as_cfor(n)->body, at + 2) + 1;
    case WK_NODE_CASE:
        return place_case(c, wk_as_case(n), at);
    case WK_NODE_ARITH:
        return at + newlines(wk_as_arith(n)->expr->text);
    case WK_NODE_FUNCTION:
        return place_function(c, wk_as_function(n), at);
    case WK_NODE_COPROC:
        return place(c, wk_as_coproc(n)->body, at);
    default:
        return at;
    }
}

/* The command begins on line `at`; the line on which it ends. */
static uint32_t place(struct count *c, struct wk_node *n, uint32_t at)
{
    if (!n || c->depth >= DEPTH_MOST)
        return at;
    c->depth++;
    uint32_t line = n->line + c->shift, end = n->end_line + c->shift;
    n->line = at;
    at = n->kind == WK_NODE_SIMPLE ? place_simple(wk_as_simple(n), at) : place_parts(c, n, at);
    if (n->kind != WK_NODE_SIMPLE)
        n->end_line = at;
    at += redirs_lines(n);
    if (c->as_written) {
        n->line = line;
        n->end_line = end;
    }
    c->depth--;
    return at;
}

void wk_cmdsub_number(struct wk_cmdsub *s, uint32_t line)
{
    if (s->shown_line == line)
        return;
    bool as_written = (s->flags & WK_CMDSUB_BACKQUOTE) != 0;
    uint32_t from = s->shown_line ? s->shown_line : s->line;
    struct count c = {.as_written = as_written, .shift = line - from};
    s->shown_line = line;
    s->last_line = place(&c, s->body, line);
    if (as_written)
        s->last_line = s->body->end_line;
}
