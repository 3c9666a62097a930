/* lexer.h - inside of the parser: state, input, tokens, words
 *
 * Only lexer.c, parse_*.c and ast_print.c include this. Every function answers false (or NULL)
 * after a failure, with the code in ps->err; failures are sticky until the command is given up.
 *
 * Input is a stack of frames: the base (whole text or lines), alias texts above it, and barriers:
 * texts that are parsed by themselves (bodies of here-documents, backquotes). Arrays under
 * construction stand on one byte stack (ps->stk), innermost on top, and are copied to the arena
 * when they are complete. `src` collects what bash would print of the words being read.
 */
#ifndef WK_INTERP_LEXER_H
#define WK_INTERP_LEXER_H

#include "interp/parser.h"
#include "interp/token.h"

#include "base/err.h"

enum wk_frame_kind { WK_FRAME_BASE, WK_FRAME_ALIAS, WK_FRAME_PUSHED, WK_FRAME_BARRIER };

struct wk_frame {
    const char *p, *end, *begin;
    uint8_t kind;         /* enum wk_frame_kind */
    bool alias_next;      /* ALIAS: the value ends in a blank */
    bool dparen;          /* PUSHED: what was read of a (( */
    uint32_t alias;       /* ALIAS: number of the name, not expanded again inside */
    size_t value_len;     /* ALIAS: without the blank that was put behind the value */
};

enum wk_lex_flag {
    WK_LEX_CMD = 1,     /* command position: aliases are expanded, assignments read */
    WK_LEX_ASSIGN = 2,  /* assignments are read as such (arguments of declare…) */
    WK_LEX_COND = 4,    /* inside [[ ]]: no brace expansion */
    WK_LEX_REGEX = 8,   /* right side of =~ */
    WK_LEX_NO_BRACE = 16,
    WK_LEX_NO_COMPOUND = 32, /* neither a=(…) nor a[…]= with blanks: after a redirection */
    WK_LEX_NO_NUMBER = 64,   /* digits before < or > are a word: after >& and <& */
    WK_LEX_PATTERN = 128,    /* right side of == and !=: extglob is on */
    WK_LEX_ELEMENT = 256,    /* of a list: no assignment, ~ after = is text */
    WK_LEX_VALUE = 512,      /* a here-string: ~ as in the value of an assignment */
    WK_LEX_TILDE = 1024      /* an argument of declare and the like: ~ after = in POSIX mode, too */
};

struct wk_token {
    uint8_t kind;           /* enum wk_tok */
    bool simple;            /* WORD: plain characters only; `s` is its text, `word` not yet made */
    uint8_t res;            /* enum wk_res: the reserved word it is, where one may stand */
    uint32_t line;
    uint32_t num;           /* IO_NUMBER */
    struct wk_str s;        /* WORD, ASSIGN: source text; IO_VAR: inside of the braces; NEWLINE
                               with here-documents: the line that it ends */
    struct wk_word *word;   /* WORD (unless simple) */
    struct wk_assign *assign; /* ASSIGN */
};

struct wk_stk {
    char *p;
    size_t n, cap;
};

struct wk_heredoc {
    struct wk_redir *redir;
};

struct wk_parser {
    struct wk_parse_opts o;
    const char *p, *end, *begin; /* the present frame */
    struct wk_frame *frames;     /* those below; [n_frames] describes the present one */
    size_t n_frames, cap_frames;
    uint32_t line;
    uint32_t depth;
    int err;
    bool eof;             /* the base has ended */
    bool eof_newline;     /* the newline that ends the last line was made up */
    bool eof_open;        /* the base ends in a backslash, which was made two: no newline ends it */
    bool eof_seen;        /* the end came right behind a token */
    uint8_t alias_next;   /* an alias value ended in a blank: the next word is tried, too, so many times */
    bool incomplete;
    bool in_value;        /* a parameter in an assignment's value is being read */
    bool in_dq;           /* a parameter between double quotes is, or one inside of it */
    bool continued;       /* a later line of the command is being read */
    bool quiet;           /* no messages: an attempt whose failure is not an error */
    bool hushed;          /* there would have been one */
    bool plain_dollar;    /* inside such a ${x-…}: nor in the patterns of what it holds */
    bool unquoted_text;   /* a here-document's body or a prompt: $'…' is nothing special in its ${x-…} */
    bool in_array;        /* an array's list is what the error is about */
    uint8_t err_place;    /* enum wk_parse_place: of the first message */
    bool have_tok;
    struct wk_token tok;
    struct wk_tree *tree;
    struct wk_arena *arena;
    struct wk_arena alias_arena; /* texts of aliases: they may outlive the tree */
    struct wk_stk stk;
    struct wk_buf src, lit, pat, body, linebuf, msg;
    bool pat_on;
    struct wk_heredoc *docs; /* waiting for their bodies */
    size_t n_docs, cap_docs;
    uint32_t in_comsub;
    bool coproc_in_comsub;   /* one that is a simple command has been parsed in it */
    size_t docs_base;        /* those below belong to a command outside of this substitution */
    uint32_t ticks;          /* tokens, until the next call of step */
    uint64_t reread;         /* bytes that were parsed twice */
    uint32_t err_line, err_depth; /* of the first message, and in how many $( ) */
    const char *doc_at;   /* where the expansion in progress of a here-document begins */
    struct wk_str error_line; /* that a syntax error stands in whose here-documents have been read */
    uint32_t cond_line;   /* of the [[ being read */
    bool cond_failed;     /* an error in [[, and not its missing end … */
    bool cond_ended;      /* … and the input ended before the line did */
    struct wk_buf keep;
    bool between;            /* no token is being read (wk_parser_joint) */
    uint8_t in_heredoc;      /* enum wk_parse_show of the body that is being read; 0: none */
    bool commented;          /* the line ends in a comment */
    char quote;              /* of the word that is being read */
    uint8_t prev[3];         /* the last tokens, the newest first: WK_RES_ + 128, or the kind */
    uint32_t function_line, brace_line; /* of the last function definition, and of the last { of one */
    uint32_t compounds;      /* lists of arrays and [[ … ]] being read */
    struct wk_str text;      /* what wk_parser_new was given */
    const char *text_from;   /* start of the present command in it */
};

/* ---- failures ---- */

/* Records -WK_Exxx (the first one stays) and returns false. */
bool wk_ps_fail(struct wk_parser *ps, int err);
bool wk_ps_nomem(struct wk_parser *ps);
/* Gives a message for `line` and fails with -WK_ESYNTAX. */
bool wk_ps_error(struct wk_parser *ps, uint32_t line, const char *fmt, ...) WK_PRINTF(3, 4);
/* "syntax error near unexpected token" with the line, for the present token (or its EOF form). */
bool wk_ps_unexpected(struct wk_parser *ps);
/* "unexpected EOF while looking for matching `c'". */
bool wk_ps_eof_in(struct wk_parser *ps, char c, uint32_t line);
/* A message that is no failure. */
void wk_ps_warn(struct wk_parser *ps, uint32_t line, const char *fmt, ...) WK_PRINTF(3, 4);

/* Enters a nested construct: false when too deep. Balance with wk_ps_leave also after failure. */
static inline bool wk_ps_enter(struct wk_parser *ps)
{
    return ++ps->depth <= ps->o.max_depth ? true : wk_ps_fail(ps, -WK_ELIMIT);
}
static inline void wk_ps_leave(struct wk_parser *ps)
{
    ps->depth--;
}
/* Is less than 16 KiB of stack left? */
static inline bool wk_ps_low(const struct wk_parser *ps)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return WK_UNLIKELY(here - ps->o.stack_floor < 16384 && ps->o.stack_floor != 0);
}
/* Runs fn(arg) on a further stack. */
bool wk_ps_deep(struct wk_parser *ps, int (*fn)(void *arg), void *arg);

/* ---- memory ---- */

void *wk_ps_alloc(struct wk_parser *ps, size_t n); /* arena, zeroed */
#define WK_PS_NEW(ps, type) ((type *)wk_ps_alloc((ps), sizeof(type)))
char *wk_ps_strndup(struct wk_parser *ps, const char *p, size_t n);
struct wk_str wk_ps_str(struct wk_parser *ps, struct wk_str s);
bool wk_ps_push(struct wk_parser *ps, const void *p, size_t n);
/* Copies what stands above `from` to the arena and takes it off; *n gets the number of elements. */
void *wk_ps_pop(struct wk_parser *ps, size_t from, size_t size, uint32_t *n);
uint32_t wk_ps_name(struct wk_parser *ps, struct wk_str s);

/* ---- characters ---- */

#define WK_PS_EOF (-1)
/* The next character, backslash-newline pairs dropped; WK_PS_EOF at the end. Does not consume. */
int wk_ps_peek_slow(struct wk_parser *ps);
static inline int wk_ps_peek(struct wk_parser *ps)
{
    if (WK_LIKELY(ps->p < ps->end && *ps->p != '\\' && *ps->p != '\0'))
        return (unsigned char)*ps->p;
    return wk_ps_peek_slow(ps);
}
/* The same without dropping backslash-newline (inside single quotes and the like). */
int wk_ps_peek_raw(struct wk_parser *ps);
/* Consumes the character that peek showed. */
static inline void wk_ps_skip(struct wk_parser *ps)
{
    if (*ps->p++ == '\n' && ps->frames[ps->n_frames].kind != WK_FRAME_ALIAS)
        ps->line++;
}
/* The character after the one that peek shows, or WK_PS_EOF; only within the frame. */
static inline int wk_ps_peek2(const struct wk_parser *ps)
{
    return ps->end - ps->p > 1 ? (unsigned char)ps->p[1] : WK_PS_EOF;
}
/* Whether a backslash-newline stands n characters ahead. */
static inline bool wk_ps_parted(const struct wk_parser *ps, size_t n)
{
    return (size_t)(ps->end - ps->p) > n + 1 && ps->p[n] == '\\' && ps->p[n + 1] == '\n';
}
/* Gets one more line behind those of the present frame, to look ahead. False when there is none. */
bool wk_ps_read_on(struct wk_parser *ps);
/* Does the text end in a backslash that nothing quotes? */
bool wk_ends_in_backslash(struct wk_str s);
/* Makes what such pairs part, up to the next blank, operator or quote, one frame without them. */
bool wk_ps_join(struct wk_parser *ps);
/* Consumes it and adds it to the source of the word being read. */
static inline void wk_ps_eat(struct wk_parser *ps)
{
    wk_buf_putc(&ps->src, *ps->p);
    wk_ps_skip(ps);
}
/* Makes `s` (which must live in the arena) the present frame. */
bool wk_ps_frame(struct wk_parser *ps, enum wk_frame_kind kind, struct wk_str s);

/* Leaves what has been put before the text itself: aliases. */
void wk_ps_base(struct wk_parser *ps);

/* State saved around a text that is parsed by itself. */
struct wk_saved {
    struct wk_token tok;
    bool have_tok, quiet, continued, plain_dollar;
    uint8_t alias_next;
    uint32_t line, depth;
    size_t docs_base, n_frames, n_docs, stk, src;
};
/* Starts reading `s` by itself; nothing outside is seen until wk_ps_return. */
bool wk_ps_divert(struct wk_parser *ps, struct wk_saved *sv, struct wk_str s, uint32_t line);
void wk_ps_return(struct wk_parser *ps, const struct wk_saved *sv);

/* ---- tokens ---- */

/* The line that the present NEWLINE ended; one in an alias ends none. */
static inline uint32_t wk_ps_newline_line(const struct wk_parser *ps)
{
    return ps->line - (ps->line > ps->tok.line);
}

/* A copy of the line that was last read from. */
struct wk_str wk_ps_line(struct wk_parser *ps);
/* What messages call a token ("" for the end and numbers). */
struct wk_str wk_tok_text(const struct wk_token *t);
/* Is c what ends any unquoted word (blank, newline, operator)? */
bool wk_lex_is_meta(int c);
/* Is what starts with c the descriptor of a redirection (2> {fd}>)? Consumes nothing. */
bool wk_lex_is_descriptor(struct wk_parser *ps, int c);
/* The next token in ps->tok, read with `flags` unless it is there already. */
bool wk_lex_slow(struct wk_parser *ps, unsigned flags);
static inline bool wk_lex(struct wk_parser *ps, unsigned flags)
{
    return ps->have_tok || wk_lex_slow(ps, flags);
}
static inline void wk_lex_take(struct wk_parser *ps)
{
    ps->have_tok = false;
}
/* What ended here, ( … ) or (( … )), counts as a word for wk_parser_joint. */
static inline void wk_lex_as_word(struct wk_parser *ps)
{
    ps->prev[0] = WK_TOK_WORD;
    ps->prev[1] = WK_TOK_NEWLINE;
}
/* The reserved word that the present token is, or WK_RES_NONE. */
static inline enum wk_res wk_lex_reserved(const struct wk_parser *ps)
{
    return (enum wk_res)ps->tok.res;
}
/* The word of the present WORD or ASSIGN token (made now when it was simple). Takes the token. */
struct wk_word *wk_lex_word(struct wk_parser *ps);
/* Bodies of the here-documents that wait; called at a newline. */
bool wk_heredoc_read(struct wk_parser *ps);
bool wk_heredoc_add(struct wk_parser *ps, struct wk_redir *r);
/* A whole command is followed by what cannot stand there: the documents are read before that is told. */
bool wk_heredoc_before_error(struct wk_parser *ps);
/* After an error at the end of the text: what bash says of documents that still wait. */
void wk_heredoc_give_up(struct wk_parser *ps);
/* The last read of an EOF inside a substitution: what bash says of documents without body. */
bool wk_heredoc_flush(struct wk_parser *ps);
/* Before a token: skips blanks, and a comment when one starts. Fails when the parse must stop. */
void wk_lex_blanks(struct wk_parser *ps);

/* ---- words ---- */

enum wk_scan {
    WK_SCAN_WORD,      /* up to a metacharacter */
    WK_SCAN_ASSIGN,    /* the same, as value of an assignment: ~ after : */
    WK_SCAN_REGEX,     /* right side of =~ */
    WK_SCAN_OPERAND,   /* ${x:-…} unquoted, up to } */
    WK_SCAN_DQ_OPERAND, /* ${x:-…} inside double quotes or a here-document */
    WK_SCAN_PATTERN,   /* ${x#…}, up to } */
    WK_SCAN_PATTERN_SLASH, /* ${x/…/…}, up to / or } */
    WK_SCAN_DQ,        /* up to " */
    WK_SCAN_HEREDOC,   /* up to the end of the frame; " is ordinary */
    WK_SCAN_ARITH,     /* up to the closing ) at depth 0 */
    WK_SCAN_ARITH_FOR, /* the same; where its semicolons stand is remembered */
    WK_SCAN_ARITH_TEXT, /* the same, up to the end of the frame */
    WK_SCAN_ARITH_BRACKET, /* $[…] and subscripts in arithmetic: up to ] */
    WK_SCAN_SUBSCRIPT, /* [ … ] */
    WK_SCAN_OFFSET,    /* ${x:…:…}, up to : or } */
    WK_SCAN_LENGTH,    /* the same, up to } */
    WK_SCAN_TEXT,      /* run-time text as a word, up to the end */
    WK_SCAN_DQ_TEXT    /* run-time text as in double quotes */
};

struct wk_wb {
    size_t stk;        /* where its segments begin */
    size_t src;        /* where its source begins */
    uint32_t line;
    uint8_t scan;      /* enum wk_scan */
    uint16_t lex;      /* WK_LEX_ flags */
    bool dq;           /* everything is within double quotes */
    bool operand;      /* literals are not merged */
    bool lit_open;     /* a literal is being collected */
    bool lit_quoted, lit_unquoted, lit_glob; /* what it has so far */
    bool in_dq;        /* inside a "…" group of an unquoted word */
    bool dq_expands;   /* … which has held an expansion */
    bool pre_quoted, pre_unquoted, pre_glob; /* of the part of the literal before the group */
    size_t dq_lit, dq_pat; /* lengths of lit and pat where the group began */
    bool open_next;    /* the next segment is the first of the group */
    bool stop_close;   /* SUBSCRIPT: a } ends it that no ] and } of the word follow */
    bool brace;        /* an unquoted { was seen */
    bool quoted;       /* some quoting was seen */
    bool bad;          /* a bad substitution is among the segments */
    bool tilde_eq;     /* tilde after the first unquoted = (assignment-like argument) */
    bool seen_eq;
    bool anchored;     /* PATTERN_SLASH: something stands before it, so that a ~ means itself */
    bool inner_dq;     /* inside a "…" group of a DQ_OPERAND: every backslash quotes */
    bool in_value;     /* OPERAND of a parameter in an assignment's value */
    uint32_t n_semis;  /* ARITH_FOR: semicolons outside of quotes and expansions … */
    size_t semi[2];    /* … and where the first two stand in the source */
};
/* Does ~ after : stand for a directory here, as in the value of an assignment? */
static inline bool wk_wb_is_value(const struct wk_wb *b)
{
    return b->scan == WK_SCAN_ASSIGN || (b->tilde_eq && b->seen_eq) || b->in_value;
}

void wk_wb_init(struct wk_parser *ps, struct wk_wb *b, enum wk_scan scan);
/* Appends literal bytes. */
bool wk_wb_lit(struct wk_parser *ps, struct wk_wb *b, const char *p, size_t n, bool quoted);
bool wk_wb_flush(struct wk_parser *ps, struct wk_wb *b);
/* Before anything nested is read: the literal so far is made a segment (ps->lit becomes free). */
bool wk_wb_before(struct wk_parser *ps, struct wk_wb *b);
bool wk_wb_seg(struct wk_parser *ps, struct wk_wb *b, struct wk_seg *seg);
/* … with another text for patterns. */
bool wk_wb_lit_pat(struct wk_parser *ps, struct wk_wb *b, struct wk_str text, struct wk_str pat,
                   bool quoted);
/* At a quote, whose first character is the present one. */
bool wk_scan_single_quote(struct wk_parser *ps, struct wk_wb *b);
bool wk_scan_double_quote(struct wk_parser *ps, struct wk_wb *b);
bool wk_scan_backslash(struct wk_parser *ps, struct wk_wb *b);
/* ~ at a place where it counts: true when it was one (consumed), false also on failure. */
bool wk_scan_tilde(struct wk_parser *ps, struct wk_wb *b);
/* Reads pieces until what ends the mode (not consumed). */
bool wk_wb_scan(struct wk_parser *ps, struct wk_wb *b);
/* Makes the word; NULL on failure. Takes its source off ps->src when pop_src. */
struct wk_word *wk_wb_done(struct wk_parser *ps, struct wk_wb *b, bool pop_src);
/* A word of one literal. */
struct wk_word *wk_word_plain(struct wk_parser *ps, struct wk_str s, uint32_t line);
/* At a $: reads the expansion. */
bool wk_parse_dollar(struct wk_parser *ps, struct wk_wb *b);
bool wk_parse_brace_param(struct wk_parser *ps, struct wk_wb *b);
/* After $ or the opening character, which are consumed. */
bool wk_parse_comsub(struct wk_parser *ps, struct wk_wb *b, bool process, bool out);
bool wk_parse_paren_arith(struct wk_parser *ps, struct wk_wb *b);
/* At "((": the expression with its "))". When it turns out to be two parentheses *closed is false:
 * the first is consumed and the rest will be read again. NULL then and on failure. */
struct wk_arith *wk_parse_dparen(struct wk_parser *ps, bool *closed);
/* Arithmetic up to what ends the scan, which stays; its source stays in src. NULL on failure. */
struct wk_arith *wk_parse_arith(struct wk_parser *ps, enum wk_scan scan);
bool wk_parse_bracket_arith(struct wk_parser *ps, struct wk_wb *b);
bool wk_parse_backquote(struct wk_parser *ps, struct wk_wb *b);
/* $'…' after the quote: appends the decoded bytes (b NULL: to the source only). */
bool wk_parse_ansi_quote(struct wk_parser *ps, struct wk_wb *b);
/* A subscript after its [, up to and with the ]; *closed is false when there was none. */
struct wk_subscript *wk_parse_subscript(struct wk_parser *ps, bool in_assign, bool *closed);
/* Reads a word token that begins with the plain bytes `head` (already consumed). */
struct wk_word *wk_read_word(struct wk_parser *ps, struct wk_str head, unsigned lex);
/* At an assignment: head is name, present character is [ or = or +. Sets *word instead when it
 * turns out not to be one. */
bool wk_read_assign(struct wk_parser *ps, struct wk_str head, unsigned lex, struct wk_assign **out,
                    struct wk_word **word);
bool wk_parse_compound(struct wk_parser *ps, struct wk_assign *as);
/* An argument "name=(…)" of eval and let: the word that its text is. */
struct wk_word *wk_assign_as_text(struct wk_parser *ps, const struct wk_word *w);
/* Gives an argument word its assignment form, when it looks like one. */
bool wk_word_as_assign(struct wk_parser *ps, struct wk_word *w, enum wk_word_flag flag);
/* Turns brace expressions among the segments into BRACE segments. */
bool wk_brace_find(struct wk_parser *ps, struct wk_word *w);

/* ---- arithmetic ---- */

struct wk_arith *wk_arith_from_word(struct wk_parser *ps, struct wk_word *w, struct wk_str text,
                                    uint32_t line);
struct wk_anode *wk_arith_of_text(struct wk_parser *ps, struct wk_str text);

/* ---- commands ---- */

/* A list up to (not with) a token that cannot go on; NULL with ps->err == 0 only when allow_empty. */
struct wk_node *wk_parse_list(struct wk_parser *ps, bool allow_empty);
/* One line's worth: up to the newline or the end. */
struct wk_node *wk_parse_line(struct wk_parser *ps);
struct wk_node *wk_parse_command(struct wk_parser *ps);
struct wk_node *wk_parse_pipeline(struct wk_parser *ps);
struct wk_node *wk_parse_compound_cmd(struct wk_parser *ps, enum wk_res res);
struct wk_node *wk_parse_paren_cmd(struct wk_parser *ps);
struct wk_node *wk_parse_cond_cmd(struct wk_parser *ps);
struct wk_node *wk_parse_function(struct wk_parser *ps, struct wk_word *name, uint32_t line, bool kw);
bool wk_parse_redirs(struct wk_parser *ps, struct wk_node *c);
/* One redirection when the present token starts one: 1, 0 when not, -1 on failure. Pushes nothing. */
int wk_parse_redir(struct wk_parser *ps, struct wk_redir **out);
/* Newlines before the next token, which is read with `flags`. */
bool wk_skip_newlines(struct wk_parser *ps, unsigned flags);
void *wk_new_node(struct wk_parser *ps, enum wk_node_kind kind, size_t size, uint32_t line);

/* ---- printing ---- */

/* wk_print_node with stack watching through ps. */
int wk_print_comsub(struct wk_parser *ps, struct wk_buf *b, const struct wk_node *body);

#endif
