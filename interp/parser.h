/* parser.h - from script text to trees, one complete command at a time
 *
 * A parser reads a whole text, or lines from a callback. Each call of wk_parser_next gives the tree
 * of one complete command: everything up to the newline that ends it. Between calls the caller runs
 * it, and may change options and aliases.
 *
 * Owner:  one task. The callbacks may park the fiber.
 * Limits: max_depth nested constructs (-WK_ELIMIT), 2 GiB of text in one command; memory by the
 * account.
 */
#ifndef WK_INTERP_PARSER_H
#define WK_INTERP_PARSER_H

#include "interp/ast.h"
#include "interp/names.h"
#include "interp/tree.h"

#include "base/buf.h"

struct wk_parser;

enum wk_parse_flag {
    WK_PARSE_EXTGLOB = 1,
    WK_PARSE_POSIX = 2,
    WK_PARSE_ALIASES = 4,      /* expand aliases (opts.alias must be set) */
    WK_PARSE_NO_COMMENTS = 8,  /* interactive shell with interactive_comments off */
    WK_PARSE_KEEP_TEXT = 16,   /* tree->text */
    WK_PARSE_SILENT = 32,      /* no messages */
    WK_PARSE_BRIEF = 64,       /* of a syntax error only the first message */
    WK_PARSE_BYTES = 128,      /* a character is a byte */
    WK_PARSE_FROM_ZERO = 256   /* the first line has the number 0 */
};

struct wk_parse_opts {
    struct wk_mem *mem;         /* account of trees and parser */
    struct wk_names *names;
    struct wk_str source_name;
    uint32_t first_line;        /* number of the first line; 0 means 1 */
    uint32_t flags;             /* enum wk_parse_flag */
    uint32_t max_depth;         /* nested constructs; 0 means 1000 */

    /* Low stack: when less than 16 KiB are left above stack_floor the parser calls deep(ctx, fn,
     * arg, floor), which runs fn(arg) on a further stack, having set *floor to that stack's floor,
     * restores *floor and returns fn's result; it returns -WK_ELIMIT or -WK_ENOMEM when there is no
     * stack. With no hook the parser answers -WK_ELIMIT. floor 0: not watched. */
    uintptr_t stack_floor;
    int (*deep)(void *ctx, int (*fn)(void *arg), void *arg, uintptr_t *floor);

    /* Further input: set *line to the next piece of text (normally one line with its newline; valid
     * until the next call) and return 1; 0 at the end; -WK_Exxx ends the parse with that.
     * `continued` is false for the first line of a command (PS1) and true inside one (PS2). NULL:
     * no more input. */
    int (*more)(void *ctx, bool continued, struct wk_str *line);
    bool more_is_line; /* what `more` gives counts as one line, whatever is in it */
    bool more_is_file; /* … and a last line without newline gets one */

    /* The value of an alias, or false. Called for unquoted command words. */
    bool (*alias)(void *ctx, struct wk_str name, struct wk_str *value);

    /* Called every 16 tokens, so that a long text or aliases without end can be stopped: 0, or a code
     * that the parse ends with. May be NULL. */
    int (*step)(void *ctx);

    /* A line to print after "NAME: line LINE: ": errors in order, and warnings. May be NULL. */
    void (*message)(void *ctx, uint32_t line, struct wk_str text);

    void *ctx; /* of all of them */
};

/* A parser over `text` (which must stay valid until wk_parser_free; may be empty), followed by what
 * opts->more gives. NULL when there is no memory. */
struct wk_parser *wk_parser_new(const struct wk_parse_opts *opts, struct wk_str text);
void wk_parser_free(struct wk_parser *p);

/* The next complete command. Returns
 *    1            *out is a tree with one reference (its root is NULL for blank lines and comments
 *                 when lines come from `more`: they are handed out so that a prompt can be shown)
 *    0            end of input
 *   -WK_ESYNTAX   messages were given; wk_parser_error tells the first; the rest of the line is
 *   dropped
 *                 and the next call goes on after it
 *   -WK_ELIMIT    nested too deep   -WK_ENOMEM   no memory   or what `more` returned. */
int wk_parser_next(struct wk_parser *p, struct wk_tree **out);

/* The first message of the last -WK_ESYNTAX (without prefix) and its line. Valid until the next
 * call. */
struct wk_str wk_parser_error(const struct wk_parser *p, uint32_t *line);
/* After -WK_ESYNTAX: where the error stands, because bash's shell does different things then. */
enum wk_parse_place {
    WK_PARSE_IN_TEXT,
    WK_PARSE_IN_ARRAY, /* in the list of a=(…): bash goes on with the next line */
    WK_PARSE_IN_COND,  /* in [[ … ]] or for (( … )), and not its missing end: bash's main text leaves $?
                          as it was */
    WK_PARSE_OPEN,     /* the end of the text, inside of quotes, ${…} or (( … )): the main text keeps a
                          status that is not 0 */
    WK_PARSE_OTHER,    /* the number of expressions of for (( … )), or the end within [[: no error of the grammar */
    WK_PARSE_TOO_MANY, /* here-documents: bash ends the shell */
    WK_PARSE_IN_SUBST, /* in $(…) or <(…), and not its missing end: bash ends the shell */
    WK_PARSE_COND_IN_SUBST /* the same in [[ there: with 1 and not 2 */
};
enum wk_parse_place wk_parser_place(const struct wk_parser *p);
/* After WK_PARSE_IN_COND: the input ended before the line did. */
bool wk_parser_cond_ended(const struct wk_parser *p);
/* After -WK_ESYNTAX: it was the end of the input that was unexpected (a REPL may ask for more); after 1: a
 * here-document ended only because the input did. */
bool wk_parser_incomplete(const struct wk_parser *p);
/* The number of the line that the next command starts on. */
uint32_t wk_parser_line(const struct wk_parser *p);
void wk_parser_set_line(struct wk_parser *p, uint32_t line);
/* Options may change between commands. */
void wk_parser_set_flags(struct wk_parser *p, uint32_t flags);
/* The stack changed (the caller resumed elsewhere). */
void wk_parser_set_floor(struct wk_parser *p, uintptr_t floor);
/* What bash puts between a line and the next of the same command, in its history: asked for when `more` is. */
enum wk_parse_joint {
    WK_JOINT_SEMICOLON,  /* "; " */
    WK_JOINT_BARE,       /* ";" */
    WK_JOINT_BLANK,      /* after an operator or a word that a command follows */
    WK_JOINT_NEWLINE,    /* inside of a word or behind a comment */
    WK_JOINT_HEREDOC     /* in a here-document: also nothing is expanded with ! */
};
enum wk_parse_joint wk_parser_joint(const struct wk_parser *p);
/* The quote that the next line begins in: ', " or 0. */
char wk_parser_quote(const struct wk_parser *p);
/* How set -v shows the line that `more` gives. */
enum wk_parse_show {
    WK_SHOW_NOT,    /* a further line of $(…) or <(…) */
    WK_SHOW_LINE,
    WK_SHOW_JOINED  /* of a here-document: without a backslash-newline */
};
enum wk_parse_show wk_parser_shows(const struct wk_parser *p);
/* How many bytes of the given text have been consumed (0 once lines come from `more`). */
size_t wk_parser_offset(const struct wk_parser *p);

/* ---- parsing of strings at run time ---------------------------------------------------------
 * These make a tree (one reference) whose root is NULL and set *out to a node in it. opts as above;
 * only mem, names, flags, depth and stack fields are used, and message for errors. 0 or -WK_Exxx. */

enum wk_text_mode {
    WK_TEXT_WORD,    /* one word, blanks and operators included as ordinary text: `${x@P}`, keys */
    WK_TEXT_DQUOTE,  /* as between double quotes */
    WK_TEXT_HEREDOC, /* as the body of a here-document: " is ordinary (prompts, ENV) */
    WK_TEXT_SUBST,   /* one $(…), from its ( on: for messages */
    WK_TEXT_ARITH    /* an expression: as between double quotes, and double quotes go */
};

int wk_parse_word_text(const struct wk_parse_opts *opts, struct wk_str text, enum wk_text_mode mode,
                       struct wk_tree **tree, struct wk_word **out);
/* "(a b [x]=c)" as the value of a compound assignment (declare "a=(1 2)"); -WK_ESYNTAX when it is
 * none. */
int wk_parse_compound_text(const struct wk_parse_opts *opts, struct wk_str text,
                           struct wk_tree **tree, struct wk_assign **out);
/* name, name+=, name[sub]= … of an argument such as "a[1]+=x" (declare, export, read, unset,
 * printf -v…): sets *out with value_text = the text after = (the value itself is not parsed);
 * *has_value tells if there was a =. -WK_ESYNTAX when it is not of that form (no message). */
int wk_parse_assign_text(const struct wk_parse_opts *opts, struct wk_str text,
                         struct wk_tree **tree, struct wk_assign **out, bool *has_value);

/* An arithmetic text after expansion (let, values of variables, fall-back of wk_arith). The nodes
 * lie in arena `a`. Malformed text gives a tree with WK_A_ERROR where bash would stop; so this
 * fails only with -WK_ENOMEM and -WK_ELIMIT (nested too deep, or a chain of more than 10000
 * operators, which also bounds the depth to the left). Empty text gives NUM 0. The text must live
 * as long as the nodes (error tokens point into it). Subscripts that hold expansions have index
 * NULL. */
int wk_arith_parse_text(const struct wk_parse_opts *opts, struct wk_arena *a, struct wk_str text,
                        struct wk_anode **out);

/* ---- brace expansion ------------------------------------------------------------------------ */

/* Walks the words that a word with WK_WORD_BRACE stands for, in bash's order. */
struct wk_brace_iter {
    const struct wk_word *word;
    struct wk_arena *arena;
    struct wk_names *names;
    uint64_t next, total; /* total saturates at UINT64_MAX */
    bool expand;
};

/* Starts a walk; the words are made in `a` (the caller rewinds it when it likes). With `expand`
 * false (set +B) the one word that comes out has the braces as literal text. it->total tells how
 * many words will come, before any is made. */
void wk_brace_begin(struct wk_brace_iter *it, const struct wk_word *w, struct wk_arena *a,
                    struct wk_names *names, bool expand);
/* The next word: 1 and *out, 0 at the end, -WK_ENOMEM. */
int wk_brace_next(struct wk_brace_iter *it, struct wk_word **out);

/* ---- printing (ast_print.c) -----------------------------------------------------------------
 * These recurse as deep as the command is nested (up to max_depth, some 500 bytes a level): call
 * them on a roomy stack. */

enum wk_print_mode {
    WK_PRINT_FUNCTION, /* as declare -f: over several lines, indented */
    WK_PRINT_LINE,     /* as jobs, BASH_COMMAND: on one line where bash does so */
    WK_PRINT_COMSUB    /* as what stands within $( ) */
};

/* Count the lines of a substitution's commands as bash does, from the line of the command around it. */
void wk_cmdsub_number(struct wk_cmdsub *s, uint32_t line);
bool wk_is_keyword(struct wk_str s); /* a reserved word */
/* Appends the command to b. -WK_ENOMEM when b failed. */
int wk_print_node(struct wk_buf *b, const struct wk_node *cmd, enum wk_print_mode mode);
/* Appends "NAME () \n{ …}" as declare -f prints a function; posix: as it does in POSIX mode. */
int wk_print_function(struct wk_buf *b, struct wk_str name, const struct wk_node *body, bool posix);
/* Appends "() {…}" as a function's value in the environment. */
int wk_print_exported(struct wk_buf *b, const struct wk_node *body);
/* Appends the head of a compound command as set -x shows it ("for x in a b", "case $x in"). */
int wk_print_head(struct wk_buf *b, const struct wk_node *cmd);
/* "==", "-eq"… for an enum wk_cond_op. */
const char *wk_cond_op_text(int op);

#endif
