/* awk_parse.h - what reading and compiling awk programs share */
#ifndef WK_BUILTINS_AWK_PARSE_H
#define WK_BUILTINS_AWK_PARSE_H

#include "builtins/awk.h"

enum awk_token {
    T_EOF,
    T_NEWLINE,
    T_NUMBER,
    T_STRING,
    T_REGEX,
    T_TYPED_REGEX, /* @/…/ */
    T_AT,
    T_NAME,
    T_CALL /* a name with ( right behind it */,
    T_BUILTIN,
    T_BEGIN,
    T_END,
    T_BEGINFILE,
    T_ENDFILE,
    T_FUNCTION,
    T_IF,
    T_ELSE,
    T_WHILE,
    T_FOR,
    T_DO,
    T_BREAK,
    T_CONTINUE,
    T_NEXT,
    T_NEXTFILE,
    T_EXIT,
    T_RETURN,
    T_DELETE,
    T_IN,
    T_GETLINE,
    T_PRINT,
    T_PRINTF,
    T_SWITCH,
    T_CASE,
    T_DEFAULT,
    T_LBRACE,
    T_RBRACE,
    T_LPAREN,
    T_RPAREN,
    T_LBRACKET,
    T_RBRACKET,
    T_SEMI,
    T_COMMA,
    T_PLUS,
    T_MINUS,
    T_STAR,
    T_SLASH,
    T_PERCENT,
    T_POWER,
    T_NOT,
    T_GT,
    T_LT,
    T_GE,
    T_LE,
    T_EQ,
    T_NE,
    T_MATCH,
    T_NOMATCH,
    T_AND,
    T_OR,
    T_QUESTION,
    T_COLON,
    T_ASSIGN,
    T_ADD_ASSIGN,
    T_SUB_ASSIGN,
    T_MUL_ASSIGN,
    T_DIV_ASSIGN,
    T_MOD_ASSIGN,
    T_POW_ASSIGN,
    T_INC,
    T_DEC,
    T_DOLLAR,
    T_PIPE,
    T_PIPE_AND,
    T_APPEND
};

enum { AWK_MOST_NESTING = 500, AWK_MOST_LOCALS = 200 };

/* A loop or switch being compiled: where break and continue jump is filled in at its end. */
struct awk_jumps {
    uint32_t *v;
    size_t n, cap;
};

struct awk_loop {
    struct awk_loop *outer;
    struct awk_jumps breaks, continues;
    bool is_switch;
    unsigned held; /* values on the stack that the loop holds */
};

/* Code of several pieces that run one after the other: each piece ends with a jump to the next. */
struct awk_chain {
    uint32_t first, last; /* the jump of the piece before; UINT32_MAX: none */
};

struct awk_parser {
    struct awk *a;
    const struct awk_source *source;
    size_t nsources, which, next_source; /* which: the text's name; next_source: of those given */
    unsigned including;                  /* files in files */
    const struct awk_parser *includer;   /* where the text is included; NULL: it is not */
    struct wk_str ns;                    /* @namespace; empty: awk */
    struct wk_str text;
    size_t at, line;              /* behind the token */
    size_t token_line, last_line; /* of the token, and of the one before it */
    size_t token_at, before_at;
    enum { AWK_END_ANYWHERE, AWK_END_OF_LINE, AWK_END_OPERATOR } end; /* what the text's end is behind, when it is here:
                                                                         what may end with a line */
    size_t comment_at; /* of one that ends the text; 1 more; 0: there is none */
    size_t last_comment; /* of the last one that was read; 1 more */
    enum awk_token token, before;
    double num;
    struct awk_str *str; /* T_STRING, T_REGEX */
    struct wk_str name;  /* T_NAME, T_CALL */
    enum awk_builtin builtin;
    bool group_done; /* a parenthesised group was compiled already: the next primary */
    unsigned nesting;
    unsigned no_in, no_gt; /* `in` ends the expression; > is a redirection */
    struct awk_loop *loop;
    bool in_func;
    size_t func; /* in_func: which */
    struct awk_passes *passes; /* awk_pass.c: the first npasses of them count */
    size_t npasses;
    size_t loop_end; /* the place of the token behind a loop or switch, which was read while that lasted; 1 more */
    bool loop_end_is_switch;
    size_t groups; /* parentheses that were read */
    bool shows; /* the next list is what print prints */
    bool commented; /* the line's end behind the last comment was told */
    bool faulty; /* there was an error */
    size_t reread; /* what stands in front of it was read before, and its errors told */
    bool closed; /* a statement ended with } or ; */
    size_t assignable; /* where a place must stand to be assigned to */
    struct awk_chain *chains; /* of BEGIN, END, BEGINFILE, ENDFILE, the rules */
    const char *special;   /* BEGIN and the like: whose action this is */
    struct wk_str *locals; /* AWK_MOST_LOCALS */
    size_t nlocals;
};

void wk_awk_advance(struct awk_parser *p);
WK_NORETURN void wk_awk_syntax(struct awk_parser *p, const char *what);
WK_NORETURN void wk_awk_wrong(struct awk_parser *p, const char *fmt, ...) WK_PRINTF(2, 3);
/* What is read on behind: the program does not run. */
void wk_awk_error(struct awk_parser *p, const char *fmt, ...) WK_PRINTF(2, 3);
void wk_awk_expect(struct awk_parser *p, enum awk_token t);
void wk_awk_skip_newlines(struct awk_parser *p);
/* The same where gawk's lexer does it. */
void wk_awk_skip_behind_operator(struct awk_parser *p);
/* The text is that of the next source of the program. False: there is none. */
bool wk_awk_next_source(struct awk_parser *p);
bool wk_awk_is_reserved(struct wk_str name, bool *keyword);

/* awk_source.c */
/* The name as it is kept: in its namespace. */
struct wk_str wk_awk_qualified(struct awk_parser *p, struct wk_str name);
/* What follows @ outside of rules; `items` reads an included file to its end. */
void wk_awk_directive(struct awk_parser *p, void (*items)(struct awk_parser *p));
/* The name of a further source of the program: its number. */
size_t wk_awk_add_source(struct awk *a, const char *name, const char *found);
/* *found: the file that it is. */
struct wk_str wk_awk_read_source(struct wk_cmd *c, const char *path, const char **found, int *err);

static inline uint32_t awk_here(const struct awk_parser *p)
{
    return (uint32_t)p->a->code.n;
}
void wk_awk_emit(struct awk_parser *p, enum awk_op op, size_t operand);
void wk_awk_emit_word(struct awk_parser *p, uint32_t word);
/* A jump whose goal comes later: its place. */
uint32_t wk_awk_emit_jump(struct awk_parser *p, enum awk_op op);
void wk_awk_land(struct awk_parser *p, uint32_t at);

/* Reads one level further in, on a further stack when this one is short. */
void wk_awk_deeper(struct awk_parser *p, void (*read)(struct awk_parser *p));

/* awk_assign.c */
/* The code of an assignment's place, and that of its value behind it, change places: gawk looks at the value first. */
void wk_awk_swap_blocks(struct awk_parser *p, uint32_t place, uint32_t value);
/* `x = x y`: the value is taken out of x, so that it can grow where it is, when nothing else there looks at x. */
void wk_awk_take_first(struct awk_parser *p, uint32_t from, enum awk_place place, size_t slot);

/* The token is a break or continue that belongs to nothing: what is said of it. */
bool wk_awk_is_stray(const struct awk_parser *p);
void wk_awk_stray(struct awk_parser *p);

/* awk_pass.c: a parameter is used as an array; is handed on as an argument; an element, whose word is the last of the
 * code, is one. */
enum awk_pass_kind { AWK_PASS_ARRAY, AWK_PASS_ON, AWK_PASS_ELEMENT };
void wk_awk_note_pass(struct awk_parser *p, enum awk_pass_kind kind, size_t slot, size_t callee, size_t param);
/* At the end of the program. */
void wk_awk_settle_passes(struct awk_parser *p);

/* awk_expr.c */
void wk_awk_expression(struct awk_parser *p);
/* Where print goes: without comparisons and what binds looser. */
void wk_awk_target(struct awk_parser *p);
/* `(a, b)` and the like: how many. */
size_t wk_awk_expressions(struct awk_parser *p, enum awk_token end);
void wk_awk_show_element(struct awk_parser *p);
/* The place that the next tokens name: emits what it needs on the stack. */
enum awk_place wk_awk_place(struct awk_parser *p, size_t *slot);
void wk_awk_emit_store(struct awk_parser *p, enum awk_place place, size_t slot);
void wk_awk_emit_array(struct awk_parser *p, struct wk_str name);
/* The variable's slot and place. */
enum awk_place wk_awk_variable(struct awk_parser *p, struct wk_str name, size_t *slot);
/* The regular expression that is the token, compiled: its number. */
size_t wk_awk_regex_slot(struct awk_parser *p);
size_t wk_awk_function(struct awk_parser *p, struct wk_str name);

#endif
