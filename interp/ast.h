/* ast.h - the nodes of a parsed command
 *
 * Commands are `struct wk_node` (struct wk_cmd is what a leaf command sees, kern/cmd.h).
 *
 * Everything lies in a tree's arena (tree.h) and is read-only after parsing, except the fields
 * named `cache`, which belong to the evaluator (zero at first). Counts are 32 bits. Lists, and-or
 * chains, pipelines, elif chains and words are arrays, so depth in the tree is depth in the script.
 * Numbers of names come from names.h. Strings have a NUL after their last byte.
 */
#ifndef WK_INTERP_AST_H
#define WK_INTERP_AST_H

#include "base/str.h"

struct wk_node;
struct wk_word;
struct wk_anode;

/* ---- words ---------------------------------------------------------------------------------- */

enum wk_seg_kind {
    WK_SEG_LIT,     /* text, with quotes removed */
    WK_SEG_PARAM,   /* $x ${…} */
    WK_SEG_CMDSUB,  /* $(…) `…` */
    WK_SEG_ARITH,   /* $((…)) $[…] */
    WK_SEG_PROCSUB, /* <(…) >(…): `flags & WK_SEG_OUT` for >(…) */
    WK_SEG_TILDE,   /* ~user: text is what follows the ~ ("" "user" "+" "-" "2"), without slash */
    WK_SEG_BRACE    /* {a,b} {1..9}: only in words with WK_WORD_BRACE; see wk_brace */
};

enum wk_seg_flag {
    WK_SEG_QUOTED = 1,   /* no splitting, no globbing. On a LIT: all of it was quoted; an empty
                            quoted
                            LIT ("" or '') makes a field */
    WK_SEG_DQ_OPEN = 2,  /* first segment of a "…" group that holds expansions */
    WK_SEG_DQ_CLOSE = 4, /* last segment of it; "$@" alone has both */
    WK_SEG_GLOB = 8,     /* LIT: has an unquoted * ? [ or extglob operator */
    WK_SEG_OUT = 16,     /* PROCSUB: >(…) */
    WK_SEG_BARE = 32,    /* PARAM written $x, without braces */
    WK_SEG_ARGUMENT = 128, /* TILDE: in an argument that looks like an assignment; not in posix mode */
    WK_SEG_MIXED = 64    /* LIT: part of it was quoted (merged pieces, as in a'b'); counts as quoted
                            for "makes a field", is never split */
};

/* A piece of a word. LIT has two texts: `text` with quoting removed, and `pat` where each quoted
 * character that could be special is preceded by a backslash, so that it can be handed to pattern
 * compilation or globbing (the same pointer when nothing differs). In the right side of =~ `pat` is
 * regular expression text: quoted ERE specials are escaped, unquoted backslashes stay. Words that
 * are wholly inside double quotes (here-documents, operands in "…", arithmetic) have pat == text,
 * all quoted. In an ordinary word neighbouring literal pieces are merged into one LIT. In an
 * operand word (WK_WORD_OPERAND: `${x:-word}`) they are not: there an unquoted LIT is split and
 * globbed as the result of an expansion is. */
struct wk_seg {
    uint8_t kind;  /* enum wk_seg_kind */
    uint8_t flags; /* enum wk_seg_flag */
    uint32_t text_len;
    uint32_t pat_len;
    const char *text; /* LIT, TILDE */
    union {
        const char *pat; /* LIT */
        struct wk_param *param;
        struct wk_cmdsub *cmdsub; /* CMDSUB, PROCSUB */
        struct wk_arith *arith;
        struct wk_brace *brace;
    } u;
};

enum wk_word_flag {
    WK_WORD_LITERAL = 1,      /* no expansion of any kind: `text` is the one field */
    WK_WORD_SINGLE_FIELD = 2, /* always exactly one field: all expansions quoted, no "$@", no glob
                                 */
    WK_WORD_SPLIT = 4,        /* has an unquoted expansion: split, then glob */
    WK_WORD_GLOB = 8,         /* its literal text has an unquoted glob character */
    WK_WORD_BRACE = 16,       /* has BRACE segments: expand them first (wk_brace_next) */
    WK_WORD_QUOTED = 32,      /* some part was quoted */
    WK_WORD_ASSIGN = 64,      /* looks like an assignment and stands as an argument of declare,
                                 export,
                                 local, readonly, typeset, alias: see `assign`
                                     */
    WK_WORD_OPERAND = 128,    /* operand of ${x:-…} and the like: LITs are not merged */
    WK_WORD_KEYWORD = 512,    /* looks like an assignment elsewhere: one before the command under set -k */
    WK_WORD_AT = 256          /* has a "$@"-like expansion: may give any number of fields */
};

struct wk_word {
    const char *text;   /* LITERAL: the text after quote removal; else NULL */
    const char *source; /* as bash would print it */
    struct wk_seg *segs; /* also set for LITERAL (one LIT) unless it is NULL */
    uint32_t text_len, source_len, n_segs;
    uint32_t flags;           /* enum wk_word_flag */
    uint32_t name;            /* interned number of a LITERAL command word, function word or
                                 for-variable; else WK_NAME_NONE */
    uint32_t line;
    struct wk_assign *assign; /* WK_WORD_ASSIGN or KEYWORD only. Not set where the name part is not plain
                                 name= or name+= (a[i]=x, x={a,b}): expand, then
                                 wk_parse_assign_text */
};

static inline struct wk_str wk_word_text(const struct wk_word *w)
{
    return wk_str(w->text, w->text_len);
}
static inline struct wk_str wk_word_source(const struct wk_word *w)
{
    return wk_str(w->source, w->source_len);
}

struct wk_words {
    struct wk_word **v;
    uint32_t n;
};

/* A brace expression. Each alternative is an array of segments (which may hold BRACEs again). A
 * sequence has from/to/step and no alternatives. `plain` is the same text as literal segments, for
 * a shell with brace expansion off. */
struct wk_brace_alt {
    struct wk_seg *segs;
    uint32_t n_segs;
    uint64_t upto; /* words that this alternative and those before it give */
};
enum wk_brace_kind { WK_BRACE_LIST, WK_BRACE_INTS, WK_BRACE_CHARS };
struct wk_brace {
    uint8_t kind;   /* enum wk_brace_kind */
    uint32_t width; /* INTS: zero-pad to this width; 0 = none */
    struct wk_brace_alt *alts;
    uint32_t n_alts;
    int64_t from, to, step; /* step is positive; the direction follows from from and to */
    uint64_t count;         /* words it gives, at most UINT64_MAX */
    struct wk_brace_alt plain; /* only in a brace that stands in no other */
};

/* ---- parameter expansion -------------------------------------------------------------------- */

enum wk_param_kind {
    WK_PARAM_NAME,    /* `id` is the name's number */
    WK_PARAM_POS,     /* `id` is the number of the positional parameter, 0 = $0 */
    WK_PARAM_SPECIAL, /* `id` is the character: @ * # ? - $ ! */
    WK_PARAM_BAD      /* not a valid expansion: "SOURCE: bad substitution" when it is evaluated */
};

/* name, what it is. The operand(s) are in arg (and arg2). */
#define WK_PARAM_OP_LIST(X)                                                   \
    X(NONE, "$x ${x}")                                                        \
    X(DEFAULT, "${x-w} ${x:-w}")                                              \
    X(ASSIGN, "${x=w}")                                                       \
    X(ERROR, "${x?w}")                                                        \
    X(ALT, "${x+w}")                                                          \
    X(TRIM_PREFIX, "${x#p}")                                                  \
    X(TRIM_PREFIX_LONG, "${x##p}")                                            \
    X(TRIM_SUFFIX, "${x%p}")                                                  \
    X(TRIM_SUFFIX_LONG, "${x%%p}")                                            \
    X(REPLACE, "${x/p/w}")                                                    \
    X(REPLACE_ALL, "${x//p/w}")                                               \
    X(REPLACE_PREFIX, "${x/#p/w}")                                            \
    X(REPLACE_SUFFIX, "${x/%p/w}")                                            \
    X(UPPER_FIRST, "${x^p}")                                                  \
    X(UPPER_ALL, "${x^^p}")                                                   \
    X(LOWER_FIRST, "${x,p}")                                                  \
    X(LOWER_ALL, "${x,,p}")                                                   \
    X(TOGGLE_FIRST, "${x~p}")                                                 \
    X(TOGGLE_ALL, "${x~~p}")                                                  \
    X(SUBSTR, "${x:off:len}: offset, length (length may be NULL)")            \
    X(TRANSFORM, "${x@Q}: `transform` is the letter")                         \
    X(NAMES, "${!prefix*} ${!prefix@}: `transform` is * or @; arg is NULL, text in `prefix`") \
    X(KEYS, "${!a[@]} ${!a[*]}")

enum wk_param_op {
#define WK_PARAM_OP_ENUM(name, what) WK_PARAM_OP_##name,
    WK_PARAM_OP_LIST(WK_PARAM_OP_ENUM)
#undef WK_PARAM_OP_ENUM
};

enum wk_param_flag {
    WK_PARAM_COLON = 1,    /* :- := :? :+ */
    WK_PARAM_INDIRECT = 2, /* ${!x…} (not NAMES, not KEYS) */
    WK_PARAM_LENGTH = 4    /* ${#x} */
};

enum wk_sub_kind { WK_SUB_EXPR, WK_SUB_AT, WK_SUB_STAR };

/* [subscript]. For EXPR the evaluator takes `arith` for an indexed array and `word` for an
 * associative one. */
struct wk_subscript {
    uint8_t kind; /* enum wk_sub_kind */
    struct wk_arith *arith;
    struct wk_word *word;  /* expands to the key: quotes removed, no splitting */
    struct wk_str text;    /* as written */
};

struct wk_param {
    uint8_t kind;      /* enum wk_param_kind */
    uint8_t op;        /* enum wk_param_op */
    uint8_t flags;     /* enum wk_param_flag */
    char transform;    /* TRANSFORM: letter; NAMES: * or @ */
    uint32_t id;       /* name number, position or special character */
    struct wk_subscript *sub; /* NULL: none */
    struct wk_word *arg;      /* operand word or pattern; NULL when empty or none (${x:-} has NULL)
                                 */
    struct wk_word *arg2;     /* replacement; NULL when there is no second / or it is empty */
    struct wk_arith *offset, *length;
    struct wk_str source;     /* ${…} as written; empty for $x. BAD: what bash names before
                                 ": bad substitution" (the text of the level it stands in) */
    struct wk_str prefix;     /* NAMES: the prefix; else what bash calls the parameter in messages
                                 ("x", "a[1]", "1") */
    void *cache;
};

/* `transform` of a BAD one that ends the body of a here-document: `source` is all of that, `prefix` what is wrong. */
#define WK_PARAM_BAD_DOC '<'

/* Has ${x@…} a letter that bash knows? */
static inline bool wk_param_transforms(const struct wk_param *p)
{
    return p->transform && memchr("QEPUuLAaKk", p->transform, 10);
}

/* ---- command and process substitution ------------------------------------------------------- */

enum wk_cmdsub_flag {
    WK_CMDSUB_BACKQUOTE = 1,
    WK_CMDSUB_FILE = 2,    /* $(<file): body is a simple command of one redirection */
    WK_CMDSUB_AT_RUN = 4   /* backquotes that do not parse, $(time …): parse `text` (from `line`) when run, perhaps to
                              get the message */
};

struct wk_cmdsub {
    struct wk_node *body; /* NULL: empty */
    uint32_t flags;
    uint32_t line;
    uint32_t shown_line; /* from which the body's lines are counted (wk_cmdsub_number); 0: as they stand */
    uint32_t last_line;  /* the body's last one then */
    struct wk_str text; /* backquotes: the command text after unescaping; else empty */
};

/* ---- arithmetic ----------------------------------------------------------------------------- */

/* One expression.
 *  - n_operands == 0 and root: evaluate root.
 *  - n_operands > 0: `word`'s segments that are not LIT are the operands 0, 1, … in order. Expand
 *  them
 *    all first. When each gives plain decimal digits (no sign, no leading 0, in range) and root is
 *    set, evaluate root with these values for WK_A_OPERAND. Otherwise join texts and values and
 *    evaluate that text (wk_arith_parse_text).
 *  - root == NULL: expand `word` to text, evaluate that text. */
struct wk_arith {
    struct wk_anode *root;
    struct wk_word *word;
    struct wk_str text; /* as written between the brackets */
    uint32_t n_operands;
    uint32_t line;
    void *cache;
};

enum wk_anode_kind {
    WK_A_NUM,      /* num */
    WK_A_VAR,      /* id, sub (NULL: none) */
    WK_A_OPERAND,  /* num is the operand's index */
    WK_A_UNARY,    /* op + - ! ~ on a */
    WK_A_BINARY,   /* op on a, b */
    WK_A_AND,      /* a && b */
    WK_A_OR,       /* a || b */
    WK_A_COND,     /* a ? b : c */
    WK_A_COMMA,    /* a, b */
    WK_A_KEEP,     /* the value of a, after which b is evaluated */
    WK_A_ASSIGN,   /* a (a VAR) op= b; op = WK_AOP_NONE for plain =. For op= bash takes the value
                      of a before it evaluates b */
    WK_A_PRE_INC,  /* ++a and so on; a is a VAR */
    WK_A_PRE_DEC,
    WK_A_POST_INC,
    WK_A_POST_DEC,
    WK_A_ERROR     /* evaluate a (when not NULL), then fail with `err` */
};

enum wk_aop {
    WK_AOP_NONE,
    WK_AOP_ADD,
    WK_AOP_SUB,
    WK_AOP_MUL,
    WK_AOP_DIV,
    WK_AOP_MOD,
    WK_AOP_POW,
    WK_AOP_SHL,
    WK_AOP_SHR,
    WK_AOP_AND,
    WK_AOP_XOR,
    WK_AOP_OR,
    WK_AOP_LT,
    WK_AOP_LE,
    WK_AOP_GT,
    WK_AOP_GE,
    WK_AOP_EQ,
    WK_AOP_NE,
    WK_AOP_NOT,  /* unary ! */
    WK_AOP_COMPL /* unary ~ */
};

/* A subscript inside arithmetic. `word` expands to the key for an associative array; its non-LIT
 * segments are operands first_operand … first_operand + n_operands - 1 of the whole expression,
 * already expanded. For an indexed array evaluate `index`; when index is NULL expand `word` and
 * evaluate that text (possible only where n_operands is 0). */
struct wk_asub {
    uint8_t kind; /* enum wk_sub_kind */
    struct wk_anode *index;
    struct wk_word *word;
    struct wk_str text;
    uint32_t first_operand, n_operands;
};

/* bash prints: EXPRESSION: MSG (error token is "TOKEN"), EXPRESSION being the whole text without
 * leading blanks. Token may be empty; it always runs to the end of the expression. */
struct wk_aerror {
    const char *msg;  /* static: "syntax error: operand expected" … */
    struct wk_str token;
    struct wk_str shown; /* of a wrong number: EXPRESSION up to the end of the token; p NULL: all of it */
};

struct wk_anode {
    uint8_t kind;  /* enum wk_anode_kind */
    uint8_t op;    /* enum wk_aop; of AND, OR and COND: a ** is among what may be passed by */
    uint32_t id;   /* VAR: name number */
    uint32_t pos;  /* byte offset in the text of the right operand of / and %, for the error token
                      of
                      "division by 0"; of the node otherwise */
    union {
        int64_t num;
        struct {
            struct wk_anode *a, *b, *c;
        } k;
        struct wk_asub *sub;
    } u;
    struct wk_aerror *err; /* ERROR only */
    void *cache;
};

/* ---- assignments ---------------------------------------------------------------------------- */

struct wk_elem {
    struct wk_subscript *sub; /* NULL: next index */
    bool append;              /* [sub]+=value */
    struct wk_word *braced;   /* [sub]=a{b,c}: the words that it is in an indexed list, subscript and all; else NULL */
    struct wk_word *value;    /* with sub: one string, never split; without: any number of elements.
                                 NULL: empty string after [sub]= */
};

struct wk_assign {
    uint32_t name;
    uint32_t line;
    bool append;              /* += */
    bool compound;            /* name=(…) */
    bool expanded;            /* its values are: a copy for a declaring builtin */
    struct wk_subscript *sub; /* name[sub]=… */
    struct wk_word *value;    /* scalar: never split or globbed; NULL when empty */
    struct wk_elem *elems;    /* compound */
    uint32_t n_elems;
    struct wk_str source;     /* the whole assignment as bash prints it */
    struct wk_str value_text; /* compound: "(…)" as bash prints it */
    void *cache;
};

/* ---- redirections --------------------------------------------------------------------------- */

enum wk_redir_op {
    WK_REDIR_IN,       /* <  */
    WK_REDIR_OUT,      /* >  */
    WK_REDIR_CLOBBER,  /* >| */
    WK_REDIR_APPEND,   /* >> */
    WK_REDIR_RDWR,     /* <> */
    WK_REDIR_DUP_IN,   /* <& : word is a number, number-, - or an expansion */
    WK_REDIR_DUP_OUT,  /* >& : the same; a bare >&word with another word is OUT_ERR at run time */
    WK_REDIR_OUT_ERR,  /* &>  (and >& with a word that is plainly a file name) */
    WK_REDIR_APPEND_ERR, /* &>> */
    WK_REDIR_HEREDOC,  /* << and <<-: word is the body */
    WK_REDIR_HERESTR   /* <<< */
};

enum wk_redir_flag {
    WK_REDIR_STRIP = 1,   /* <<-: tabs were removed from the body already */
    WK_REDIR_QUOTED = 2,  /* here-document with a quoted delimiter: the body is literal */
    WK_REDIR_PIPE_ERR = 4, /* stands for |&: 2>&1 added after the others */
    WK_REDIR_AMP_AFTER = 8, /* OUT_ERR written as >&word */
    WK_REDIR_MOVE = 16      /* >&word- and <&word-: the word is without that - */
};

struct wk_redir {
    uint8_t op;    /* enum wk_redir_op */
    uint8_t flags; /* enum wk_redir_flag */
    int32_t fd;    /* -1: the operator's default */
    uint32_t line;
    uint32_t var;  /* {var}: name number; WK_NAME_NONE: none */
    struct wk_subscript *var_sub; /* {var[sub]} */
    struct wk_str var_text;       /* what stands between { and } */
    struct wk_word *word; /* target, here-document body or here-string; NULL: empty body */
    struct wk_str delim;  /* HEREDOC: delimiter as written (with its quotes) */
    struct wk_str end;    /* HEREDOC: delimiter with quotes removed */
};

/* ---- commands ------------------------------------------------------------------------------- */

#define WK_NODE_LIST_X(X)                                   \
    X(SIMPLE, simple)     /* assignments, words */         \
    X(PIPELINE, pipeline) /* a | b; also ! and time */     \
    X(ANDOR, andor)       /* a && b || c */                \
    X(LIST, list)         /* a; b & c */                   \
    X(SUBSHELL, body)     /* ( list ) */                   \
    X(GROUP, body)        /* { list; } */                  \
    X(IF, if)             /* if elif else */               \
    X(WHILE, loop)        /* while */                      \
    X(UNTIL, loop)        /* until */                      \
    X(FOR, for)           /* for x in */                   \
    X(SELECT, for)        /* select x in */                \
    X(CFOR, cfor)         /* for ((;;)) */                 \
    X(CASE, case)                                          \
    X(ARITH, arith)       /* (( … )) */                    \
    X(COND, cond)         /* [[ … ]] */                    \
    X(FUNCTION, function)                                  \
    X(COPROC, coproc)

enum wk_node_kind {
#define WK_NODE_ENUM(name, part) WK_NODE_##name,
    WK_NODE_LIST_X(WK_NODE_ENUM)
#undef WK_NODE_ENUM
};

/* The head of every command; the structure of its kind starts with it. */
struct wk_node {
    uint8_t kind; /* enum wk_node_kind */
    uint8_t flags;
    uint32_t line;
    uint32_t end_line; /* line of the closing word of a compound command; else = line */
    uint32_t n_redirs;
    struct wk_redir **redirs;
    void *cache;
};

struct wk_node_simple {
    struct wk_node base;
    struct wk_assign *assigns; /* an array: those before the command word */
    uint32_t n_assigns;
    uint32_t n_words;
    struct wk_word **words;
    bool assign_builtin; /* the first word is literally an assignment builtin (declare, export…) */
};

enum wk_pipeline_flag { WK_PIPE_NOT = 1, WK_PIPE_TIME = 2, WK_PIPE_TIME_POSIX = 4 };

/* n == 1 with NOT or TIME; n == 0: `time` or `!` alone. |& has become a 2>&1 redirection of the
 * command before it. */
struct wk_node_pipeline {
    struct wk_node base; /* flags: enum wk_pipeline_flag */
    struct wk_node **cmds;
    uint32_t n;
};

enum wk_andor_op { WK_ANDOR_FIRST, WK_ANDOR_AND, WK_ANDOR_OR };

struct wk_andor_item {
    struct wk_node *cmd;
    uint32_t op; /* enum wk_andor_op: how it joins what is before it */
};

/* From left to right, && and || of equal strength; n >= 2. */
struct wk_node_andor {
    struct wk_node base;
    struct wk_andor_item *items;
    uint32_t n;
};

struct wk_list_item {
    struct wk_node *cmd;
    bool async;      /* & */
    bool newline;    /* ended by a newline (and not by ; or &) */
    uint32_t around; /* in a substitution: where the complete command ends that this is in; 0: as it was */
};

/* n >= 2, or n == 1 with async. */
struct wk_node_list {
    struct wk_node base;
    struct wk_list_item *items;
    uint32_t n;
};

struct wk_node_body { /* SUBSHELL, GROUP */
    struct wk_node base;
    struct wk_node *body;
};

struct wk_if_arm {
    struct wk_node *test, *body;
};

struct wk_node_if {
    struct wk_node base;
    struct wk_if_arm *arms; /* if, then each elif */
    uint32_t n_arms;
    struct wk_node *otherwise; /* else; NULL: none */
};

struct wk_node_loop { /* WHILE, UNTIL */
    struct wk_node base;
    struct wk_node *test, *body;
};

struct wk_node_for { /* FOR, SELECT */
    struct wk_node base;
    struct wk_word *var; /* var->name is its number; bash checks at run time that it is an
                            identifier */
    bool has_in;         /* false: over "$@" */
    struct wk_words words;
    struct wk_node *body;
};

struct wk_node_cfor {
    struct wk_node base;
    struct wk_arith *init, *test, *step; /* NULL: empty (true for test) */
    struct wk_node *body;
};

enum wk_case_end { WK_CASE_BREAK, WK_CASE_FALL, WK_CASE_NEXT }; /* ;; ;& ;;& */

struct wk_case_item {
    struct wk_words patterns;
    struct wk_node *body; /* NULL: empty */
    uint32_t end;        /* enum wk_case_end */
};

struct wk_node_case {
    struct wk_node base;
    struct wk_word *word;
    struct wk_case_item *items;
    uint32_t n_items;
};

struct wk_node_arith {
    struct wk_node base;
    struct wk_arith *expr;
};

enum wk_cond_kind {
    WK_COND_AND,    /* a && b */
    WK_COND_OR,     /* a || b */
    WK_COND_NOT,    /* ! a */
    WK_COND_PAREN,  /* ( a ): kept for printing */
    WK_COND_UNARY,  /* -x left; op is the letter */
    WK_COND_BINARY, /* left op right; op is enum wk_cond_op */
    WK_COND_WORD    /* left alone: -n */
};

enum wk_cond_op {
    WK_COND_EQ,    /* = : right is a pattern */
    WK_COND_EQEQ,  /* == : the same */
    WK_COND_NE,    /* != : right is a pattern */
    WK_COND_MATCH, /* =~ */
    WK_COND_LT,    /* < : by bytes or locale */
    WK_COND_GT,
    WK_COND_INT_EQ, /* -eq … : both sides arithmetic */
    WK_COND_INT_NE,
    WK_COND_INT_LT,
    WK_COND_INT_LE,
    WK_COND_INT_GT,
    WK_COND_INT_GE,
    WK_COND_NT, /* -nt -ot -ef */
    WK_COND_OT,
    WK_COND_EF
};

struct wk_cond {
    uint8_t kind; /* enum wk_cond_kind */
    char op;      /* UNARY: letter; BINARY: enum wk_cond_op */
    uint32_t line;
    struct wk_cond *a, *b;
    struct wk_word *left, *right;
};

struct wk_node_cond {
    struct wk_node base;
    struct wk_cond *expr;
};

struct wk_node_function {
    struct wk_node base; /* redirections after the body belong to `body` */
    uint32_t name;
    struct wk_word *name_word; /* bash refuses some names at run time */
    struct wk_node *body;
    uint32_t said_line;  /* of declare -F under extdebug: bash keeps that of the last definition inside */
    uint32_t brace_line; /* where DEBUG and RETURN are run for all of it: the last { of a function */
    bool keyword; /* written with `function` */
};

struct wk_node_coproc {
    struct wk_node base;
    struct wk_str name;         /* "COPROC" when none was given */
    const struct wk_word *word; /* the name, to be expanded; NULL: none was given */
    struct wk_node *body;
};

/* wk_as_simple(cmd) and so on: the structure of a command whose kind is known. */
#define WK_NODE_CAST(part)                                                             \
    static inline struct wk_node_##part *wk_as_##part(const struct wk_node *c)          \
    {                                                                                 \
        union {                                                                       \
            const struct wk_node *in;                                                  \
            struct wk_node_##part *out;                                                \
        } u = {.in = c};                                                              \
        return u.out;                                                                 \
    }
WK_NODE_CAST(simple)
WK_NODE_CAST(pipeline)
WK_NODE_CAST(andor)
WK_NODE_CAST(list)
WK_NODE_CAST(body)
WK_NODE_CAST(if)
WK_NODE_CAST(loop)
WK_NODE_CAST(for)
WK_NODE_CAST(cfor)
WK_NODE_CAST(case)
WK_NODE_CAST(arith)
WK_NODE_CAST(cond)
WK_NODE_CAST(function)
WK_NODE_CAST(coproc)

#endif
