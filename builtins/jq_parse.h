/* jq_parse.h - what the two halves of jq's parser share (jq_parse.c, jq_term.c) */
#ifndef WK_BUILTINS_JQ_PARSE_H
#define WK_BUILTINS_JQ_PARSE_H

#include "builtins/jq_lex.h"

/* A list that grows in the heap and ends in bump memory. */
struct jq_list {
    void **v;
    uint32_t n, cap;
};

struct jq_parser {
    struct jq_text *t;
    struct jq *q;
    struct jq_lexer l;
    unsigned nesting;
    bool failed; /* a syntax error was said: nothing more is read */
};

void wk_jq_list_add(struct jq_parser *p, struct jq_list *list, void *item);
/* The items in bump memory; the list is empty again. */
void *wk_jq_list_end(struct jq_parser *p, struct jq_list *list, uint32_t *n);

/* A node over what was read since `at`. Its children are counted into its height. */
struct jq_node *wk_jq_node(struct jq_parser *p, enum jq_node_kind kind, uint32_t at, struct jq_node *a,
                           struct jq_node *b, struct jq_node *c);
struct jq_node *wk_jq_node_list(struct jq_parser *p, enum jq_node_kind kind, uint32_t at, struct jq_list *kids);
struct jq_node *wk_jq_node_const(struct jq_parser *p, uint32_t at, struct jq_val v);

/* All that read return NULL after an error that was said. */
struct jq_node *wk_jq_read_query(struct jq_parser *p, bool comma); /* with , and | ; or | alone */
struct jq_node *wk_jq_read_operand(struct jq_parser *p, int level);
struct jq_node *wk_jq_read_postfix(struct jq_parser *p);
struct jq_node *wk_jq_read_string(struct jq_parser *p, struct wk_str format);
bool wk_jq_read_patterns(struct jq_parser *p, struct jq_pattern ***patterns, uint32_t *n);

static inline void jq_advance(struct jq_parser *p)
{
    wk_jq_lex(&p->l);
}
static inline bool jq_at(const struct jq_parser *p, int ch) /* a character */
{
    return p->l.tok == JT_CHAR + ch;
}
bool wk_jq_take(struct jq_parser *p, int ch); /* when it is there */
/* It has to be there: a syntax error otherwise. */
bool wk_jq_expect(struct jq_parser *p, int tok);
void *wk_jq_syntax_error(struct jq_parser *p); /* at the present token; NULL */

#endif
