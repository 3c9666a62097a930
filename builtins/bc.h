/* bc.h - the parts of bc: words of the language, its parser, the code it makes and what runs it
 *
 * Owner:  struct bc, in the process heap; so is everything it points to.
 * Limits: names are numbered to 32767, arrays have 16777215 elements, as in GNU bc.
 */
#ifndef WK_BUILTINS_BC_H
#define WK_BUILTINS_BC_H

#include "base/map.h"
#include "builtins/decnum.h"

enum { BC_NAMES_MAX = 32767, BC_DIM_MAX = 16777215, BC_BASE_MAX = 2147483647, BC_PAGE = 256 };

/* Variables that the language knows; a program's own follow. */
enum bc_var { BC_IBASE, BC_OBASE, BC_SCALE, BC_HISTORY, BC_LAST, BC_FIRST_NAME };

enum bc_token {
    BC_EOF, BC_NEWLINE, BC_NAME, BC_NUMBER, BC_STRING,
    BC_ASSIGN,  /* op: 0 or the operator of += … */
    BC_COMPARE, /* op */
    BC_STEP,    /* ++ or --: op is i or d */
    BC_OR, BC_AND, BC_NOT,
    BC_DEFINE, BC_BREAK, BC_QUIT, BC_LENGTH, BC_RETURN, BC_FOR, BC_IF, BC_WHILE, BC_SQRT, BC_ELSE,
    BC_SCALE_WORD, BC_IBASE_WORD, BC_OBASE_WORD, BC_AUTO, BC_READ, BC_RANDOM, BC_WARRANTY, BC_HALT,
    BC_LAST_WORD, BC_CONTINUE, BC_PRINT, BC_LIMITS, BC_HISTORY_WORD, BC_VOID,
    BC_CHAR /* op is the character itself */
};

/* One step of a program. `adr` is where GNU bc would have it in its own form of the code (messages tell it). */
struct bc_ins {
    char op;
    uint32_t adr; /* of the byte after it */
    uint32_t arg; /* variable, label, function */
    char *text; /* of a constant or a string, types of a call's arguments (last one first) */
    size_t n;
    struct wk_dec *value; /* of a constant, in input base `base` */
    uint32_t base;
};

struct bc_code {
    struct bc_ins *v;
    size_t n, cap;
    size_t *label; /* where each label is */
    size_t labels, label_cap;
    uint32_t adr;
};

struct bc_param {
    uint32_t id;
    char kind; /* v: variable, a: array, r: the caller's array itself */
    const char *name;
};

struct bc_function {
    const char *name;
    bool defined, is_void;
    struct bc_code code;
    struct bc_param *v; /* parameters, then local names */
    size_t n, params, cap;
};

/* Pages of elements, made as they are set. */
struct bc_array {
    uint32_t refs;
    struct wk_dec ***page;
    size_t pages;
};

struct bc_frame {
    struct bc_function *f;
    size_t pc, saved; /* height of the stack of hidden values */
};

struct bc_hidden {
    bool array;
    uint32_t id;
    void *old;
};

struct bc_name {
    uint32_t var, array, function; /* numbers, 0: not used so */
};

struct bc_value {
    bool assigns, is_void, compares, bracket;
};

/* What an expression waits for: see bc_expr.c. */
struct bc_item {
    char kind, op;
    bool array;
    uint32_t id;
    struct bc_value left;
    char *types;
    size_t n, cap;
};

/* A statement that is open: see bc_parse.c. */
struct bc_open {
    char kind;
    uint32_t label[4], outer_break, outer_continue;
};

struct bc {
    struct wk_cmd *c;
    bool standard, warn, quiet;
    /* source */
    const char *file;     /* as messages have it */
    struct wk_in *in;     /* NULL: text at hand only */
    const char *p, *end;
    char *piece;          /* what p points into */
    bool source_end, library; /* nothing more to read; the text at hand is the library */
    int source;               /* operands opened */
    uint64_t line;
    /* the word at hand */
    enum bc_token token;
    char op;
    const char *text;
    size_t n;
    char *word;
    size_t word_cap;
    /* parser */
    bool error;
    int calm; /* words until the next syntax error is told */
    bool later; /* the statement follows a semicolon of its line */
    struct bc_function top, *into; /* what a line does; where code goes */
    struct bc_item *item;
    size_t n_item, item_cap;
    struct bc_open *open;
    size_t n_open, open_cap;
    uint32_t break_label, continue_label;
    /* names */
    struct wk_map names;
    char **array_name;
    uint32_t vars, arrays, functions;
    size_t var_cap, array_cap, function_cap;
    struct wk_dec **var;
    struct bc_array **array;
    struct bc_function **function;
    /* run */
    struct wk_dec **stack, *zero, *one;
    size_t n_stack, stack_cap;
    struct bc_frame *frame;
    size_t n_frame, frame_cap;
    struct bc_hidden *hidden;
    size_t n_hidden, hidden_cap;
    uint32_t ibase, obase, scale;
    int64_t history;
    uint64_t random;
    size_t column, width;
};

/* Room for one more in a growing array. */
#define BC_ROOM(b, v, n, cap)                                                                             \
    do {                                                                                                  \
        if ((n) == (cap)) {                                                                               \
            (cap) = (cap) ? (cap) * 2 : 16;                                                               \
            (v) = wk_heap_realloc((b)->c->heap, (v), (cap) * sizeof *(v));                                \
        }                                                                                                 \
    } while (0)

/* bc.c: goes on to the next operand, or standard input; false: there is none */
bool wk_bc_next_source(struct bc *b);

/* bc_lex.c */
void wk_bc_next(struct bc *b);
/* "FILE LINE: text": the line at hand is not run. */
void wk_bc_error(struct bc *b, const char *fmt, ...) WK_PRINTF(2, 3);
/* Of what POSIX does not have: nothing, a warning, or an error. */
void wk_bc_nonstandard(struct bc *b, const char *what);

/* bc_names.c */
uint32_t wk_bc_var_id(struct bc *b, struct wk_str name);
uint32_t wk_bc_array_id(struct bc *b, struct wk_str name);
uint32_t wk_bc_function_id(struct bc *b, struct wk_str name);
struct wk_dec *wk_bc_array_get(const struct bc_array *a, uint32_t at); /* NULL: never set */
void wk_bc_array_set(struct bc *b, struct bc_array *a, uint32_t at, struct wk_dec *v);
struct bc_array *wk_bc_array_new(struct bc *b);
struct bc_array *wk_bc_array_copy(struct bc *b, const struct bc_array *a);
void wk_bc_array_unref(struct bc *b, struct bc_array *a);
void wk_bc_code_reset(struct bc *b, struct bc_code *code);

/* bc_expr.c */
/* The word at hand is taken. */
void wk_bc_advance(struct bc *b);
void wk_bc_emit(struct bc *b, char op, uint32_t arg);
void wk_bc_emit_text(struct bc *b, char op, uint32_t arg, const char *text, size_t n);
uint32_t wk_bc_label(struct bc *b);
void wk_bc_place(struct bc *b, uint32_t label);
/* An expression from the word at hand on; false after a syntax error. */
bool wk_bc_expression(struct bc *b, struct bc_value *out);
bool wk_bc_syntax(struct bc *b); /* tells it; false */

/* bc_parse.c: everything of the source at hand is read and run */
void wk_bc_program(struct bc *b);

/* wk_bc_run.c */
void wk_bc_run(struct bc *b);
void wk_bc_out(struct bc *b, char ch);

/* bc_lib.c */
extern const char wk_bc_library[];

#endif
