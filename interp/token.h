/* token.h - tokens of the command grammar, with the text that messages show */
#ifndef WK_INTERP_TOKEN_H
#define WK_INTERP_TOKEN_H

#define WK_TOK_LIST(X)     \
    X(EOF, "")             \
    X(NEWLINE, "newline")  \
    X(WORD, "")            \
    X(ASSIGN, "")          \
    X(IO_NUMBER, "")       \
    X(IO_VAR, "")          \
    X(SEMI, ";")           \
    X(DSEMI, ";;")         \
    X(SEMI_AND, ";&")      \
    X(DSEMI_AND, ";;&")    \
    X(AMP, "&")            \
    X(AND_IF, "&&")        \
    X(OR_IF, "||")         \
    X(PIPE, "|")           \
    X(PIPE_AMP, "|&")      \
    X(LPAREN, "(")         \
    X(RPAREN, ")")         \
    X(LESS, "<")           \
    X(GREAT, ">")          \
    X(CLOBBER, ">|")       \
    X(DGREAT, ">>")        \
    X(LESSGREAT, "<>")     \
    X(LESSAND, "<&")       \
    X(GREATAND, ">&")      \
    X(AMPGREAT, "&>")      \
    X(AMPDGREAT, "&>>")    \
    X(DLESS, "<<")         \
    X(DLESSDASH, "<<-")    \
    X(TLESS, "<<<")

enum wk_tok {
#define WK_TOK_ENUM(name, text) WK_TOK_##name,
    WK_TOK_LIST(WK_TOK_ENUM)
#undef WK_TOK_ENUM
};

/* Reserved words, as the command parser asks for them. */
#define WK_RES_LIST(X) \
    X(IF, "if")        \
    X(THEN, "then")    \
    X(ELSE, "else")    \
    X(ELIF, "elif")    \
    X(FI, "fi")        \
    X(CASE, "case")    \
    X(ESAC, "esac")    \
    X(FOR, "for")      \
    X(SELECT, "select") \
    X(WHILE, "while")  \
    X(UNTIL, "until")  \
    X(DO, "do")        \
    X(DONE, "done")    \
    X(IN, "in")        \
    X(FUNCTION, "function") \
    X(TIME, "time")    \
    X(LBRACE, "{")     \
    X(RBRACE, "}")     \
    X(BANG, "!")       \
    X(LCOND, "[[")     \
    X(RCOND, "]]")     \
    X(COPROC, "coproc")

enum wk_res {
    WK_RES_NONE,
#define WK_RES_ENUM(name, text) WK_RES_##name,
    WK_RES_LIST(WK_RES_ENUM)
#undef WK_RES_ENUM
};

#endif
