/* jq_lex.h - the tokens of a jq program (jq_lex.c, for jq_parse.c alone) */
#ifndef WK_BUILTINS_JQ_LEX_H
#define WK_BUILTINS_JQ_LEX_H

#include "builtins/jq_ast.h"

enum jq_token {
    JT_EOF,
    JT_BAD, /* a character that begins nothing */
    JT_IDENT,
    JT_FIELD,   /* .name */
    JT_BINDING, /* $name */
    JT_LITERAL, /* a number */
    JT_FORMAT,  /* @name */
    JT_QUOTE,   /* the " that begins a string */
    JT_LOC,     /* $__loc__ */
    JT_REC,     /* .. */
    JT_EQ,
    JT_NE,
    JT_LE,
    JT_GE,
    JT_ALT,         /* // */
    JT_ALTERNATION, /* ?// */
    JT_UPDATE,      /* = and all that end in it: `op` says which */
    JT_DEF,         /* from here to JT_LAST_WORD: keywords, in the order of their table */
    JT_MODULE,
    JT_IMPORT,
    JT_INCLUDE,
    JT_IF,
    JT_THEN,
    JT_ELSE,
    JT_ELIF,
    JT_AS,
    JT_REDUCE,
    JT_FOREACH,
    JT_END,
    JT_AND,
    JT_OR,
    JT_TRY,
    JT_CATCH,
    JT_LABEL,
    JT_BREAK,
    JT_LAST_WORD = JT_BREAK,
    JT_CHAR = 128 /* + the character: one of .[](){}|,:;+-*%/<>?$ */
};

struct jq_lexer {
    struct jq_text *t;
    uint32_t pos;
    uint32_t before, last; /* where what was read last (blanks too) began and ended */
    /* The present token. */
    int tok;
    int op; /* JT_UPDATE */
    uint32_t at, end;
    struct wk_str name;   /* of an identifier, field, binding, format or keyword, without . $ @ */
    struct jq_val value; /* JT_LITERAL */
};

/* Reads the next token. */
void wk_jq_lex(struct jq_lexer *l);
/* The text of a string from the present position up to its closing quote (true in *closed) or a \( ;
 * the position is then behind either. False, said, when it has no end or a wrong escape. */
bool wk_jq_lex_string(struct jq_lexer *l, struct jq_val *text, bool *closed);
/* The present token in the words of messages. */
void wk_jq_token_name(const struct jq_lexer *l, char dst[32]);

#endif
