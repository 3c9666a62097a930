/* awk_lex.c - tokens of awk programs */
#include "builtins/awk_parse.h"

#include "base/num.h"
#include "base/utf8.h"

#include <stdarg.h>

static const struct {
    const char *word;
    enum awk_token token;
} keywords[] = {
    {"BEGIN", T_BEGIN},
    {"END", T_END},
    {"BEGINFILE", T_BEGINFILE},
    {"ENDFILE", T_ENDFILE},
    {"function", T_FUNCTION},
    {"func", T_FUNCTION},
    {"if", T_IF},
    {"else", T_ELSE},
    {"while", T_WHILE},
    {"for", T_FOR},
    {"do", T_DO},
    {"break", T_BREAK},
    {"continue", T_CONTINUE},
    {"next", T_NEXT},
    {"nextfile", T_NEXTFILE},
    {"exit", T_EXIT},
    {"return", T_RETURN},
    {"delete", T_DELETE},
    {"in", T_IN},
    {"getline", T_GETLINE},
    {"print", T_PRINT},
    {"printf", T_PRINTF},
    {"switch", T_SWITCH},
    {"case", T_CASE},
    {"default", T_DEFAULT},
};

/* ---- messages ---- */

static void put_place(struct awk_parser *p, size_t line)
{
    struct wk_cmd *c = p->a->c;
    wk_out_flush(c->out);
    if (p->a->sources[p->which])
        wk_out_fmt(c->err, "%s: %s:%zu: ", c->name, p->a->sources[p->which], line);
    else
        wk_out_fmt(c->err, "%s: cmd. line:%zu: ", c->name, line);
}

/* In front of a message: which files include the one at hand. */
static void put_includers(struct awk_parser *p)
{
    struct wk_cmd *c = p->a->c;
    wk_out_flush(c->out);
    const char *before = "In file included from";
    for (const struct awk_parser *q = p->includer; q && p->a->sources[q->which]; q = q->includer) {
        bool last = !q->includer || !p->a->sources[q->includer->which];
        wk_out_fmt(c->err, "%s: %s %s:%zu%s\n", c->name, before, p->a->sources[q->which], q->token_line,
                   last ? ":" : ",");
        before = "                 from";
    }
}

/* Whether the last line has a comment. */
static bool ends_with_comment(const struct awk_parser *p)
{
    if (!p->last_comment)
        return false;
    const char *newline = (const char *)memchr(p->text.p + p->last_comment, '\n', p->text.n - p->last_comment);
    return !newline || (size_t)(newline - p->text.p) + 1 == p->text.n;
}

/* The text ends where that cannot be. gawk reads a line's end there first, where there is none. */
static WK_NORETURN void end_of_file(struct awk_parser *p, bool file)
{
    struct wk_cmd *c = p->a->c;
    bool closed = p->commented || (p->text.n && p->text.p[p->text.n - 1] == '\n');
    bool blank = p->text.n && strchr(" \t", p->text.p[p->text.n - 1]);
    size_t line = p->line, at = closed ? p->text.n : blank ? p->text.n - 1 : p->before_at, from;
    if (p->end == AWK_END_OPERATOR) {
        line += file || closed ? 1 : 2;
        at = p->before_at;
    } else {
        line = closed ? line - (line > 1) : line + (p->end != AWK_END_OF_LINE);
        at = ends_with_comment(p) ? p->last_comment - 1 : at;
    }
    put_place(p, line);
    wk_out_c(c->err, "(END OF FILE)\n");
    put_place(p, line);
    for (from = at; from > 0 && p->text.p[from - 1] != '\n'; from--)
        ;
    for (; from < at; from++)
        wk_out_char(c->err, p->text.p[from] == '\t' ? '\t' : ' ');
    wk_out_c(c->err, "^ source files / command-line arguments must contain complete functions or rules\n");
    wk_exit(c, 1);
}

void wk_awk_syntax(struct awk_parser *p, const char *what)
{
    struct wk_cmd *c = p->a->c;
    if (wk_awk_is_stray(p))
        wk_awk_stray(p);
    put_includers(p);
    bool file = p->a->sources[p->which] != NULL, comment = p->token == T_NEWLINE && p->comment_at;
    bool eof = p->token == T_EOF, closed = p->commented || (p->text.n && p->text.p[p->text.n - 1] == '\n');
    if (p->token == T_NEWLINE || eof)
        what = comment ? "syntax error" : "unexpected newline or end of string";
    if (eof && p->token_at >= p->text.n &&
        (file || ends_with_comment(p) || p->end == AWK_END_OPERATOR))
        end_of_file(p, file);
    size_t line = p->line + (eof && !closed && p->end != AWK_END_OF_LINE) - (eof && closed && p->line > 1);
    size_t at = WK_MIN(p->token_at, p->text.n), start = at, end = at;
    if (start > 0 && start == p->text.n && p->text.p[start - 1] == '\n')
        start--;
    while (start > 0 && p->text.p[start - 1] != '\n')
        start--;
    end = start;
    while (end < p->text.n && p->text.p[end] != '\n')
        end++;
    put_place(p, line);
    wk_out_fmt(c->err, "%.*s\n", (int)WK_MIN(end - start, (size_t)4000), p->text.p + start);
    put_place(p, line);
    for (size_t i = start; i < WK_MIN(at, end); i++)
        wk_out_char(c->err, p->text.p[i] == '\t' ? '\t' : ' ');
    wk_out_fmt(c->err, "^ %s\n", what);
    wk_exit(c, 1);
}

static WK_PRINTF(2, 0) void complain(struct awk_parser *p, const char *fmt, va_list ap)
{
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(p->a->c->heap), SIZE_MAX / 2);
    wk_buf_vfmt(&b, fmt, ap);
    const char *text = wk_keep(p->a->c, &b);
    put_includers(p);
    put_place(p, p->line);
    wk_out_fmt(p->a->c->err, "%s\n", text);
}

void wk_awk_error(struct awk_parser *p, const char *fmt, ...)
{
    va_list ap;
    p->faulty = true;
    if (p->token_at < p->reread)
        return;
    va_start(ap, fmt);
    complain(p, fmt, ap);
    va_end(ap);
}

void wk_awk_wrong(struct awk_parser *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    complain(p, fmt, ap);
    va_end(ap);
    wk_exit(p->a->c, 1);
}

/* ---- texts ---- */

static int hex_digit(char ch)
{
    return wk_is_digit(ch) ? ch - '0' : wk_is_xdigit(ch) ? (ch | 32) - 'a' + 10 : -1;
}

/* One escape behind a backslash at s.p[*i]; what it stands for goes to b; others are the character
 * itself. */
static void put_escape(struct wk_buf *b, struct wk_str s, size_t *i)
{
    static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
    char ch = s.p[(*i)++];
    const char *known = ch ? strchr(from, ch) : NULL;
    if (known) {
        wk_buf_putc(b, to[known - from]);
    } else if (ch >= '0' && ch <= '7') {
        unsigned v = (unsigned)(ch - '0');
        for (int k = 0; k < 2 && *i < s.n && s.p[*i] >= '0' && s.p[*i] <= '7'; k++)
            v = v * 8 + (unsigned)(s.p[(*i)++] - '0');
        wk_buf_putc(b, (char)v);
    } else if (ch == 'x' && *i < s.n && hex_digit(s.p[*i]) >= 0) {
        int v = 0;
        for (int k = 0; k < 2 && *i < s.n && hex_digit(s.p[*i]) >= 0; k++)
            v = v * 16 + hex_digit(s.p[(*i)++]);
        wk_buf_putc(b, (char)v);
    } else if (ch == '\n') {
        return;
    } else {
        wk_buf_putc(b, ch);
    }
}

/* A character that needs no backslash. */
static void warn_of_escape(struct awk *a, char ch)
{
    bool *warned = &a->warned[0][(unsigned char)ch];
    if (*warned)
        return;
    *warned = true;
    wk_awk_warning(a, "escape sequence `\\%c' treated as plain `%c'", ch, ch);
}

struct awk_str *wk_awk_unescape(struct awk *a, struct wk_str s)
{
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(a->c->heap), SIZE_MAX / 2);
    for (size_t i = 0; i < s.n;) {
        if (s.p[i] == '\\' && i + 1 < s.n) {
            i++;
            if (a->posix && s.p[i] == 'x') {
                wk_buf_putc(&b, s.p[i++]);
                continue;
            }
            if (!strchr("abfnrtvx01234567\\\"\n", s.p[i]))
                warn_of_escape(a, s.p[i]);
            put_escape(&b, s, &i);
        } else {
            wk_buf_putc(&b, s.p[i++]);
        }
    }
    return wk_awk_str_take(a, &b);
}

static void read_string(struct awk_parser *p)
{
    size_t from = p->at;
    while (p->at < p->text.n && p->text.p[p->at] != '"') {
        if (p->text.p[p->at] == '\n') {
            p->token_at = from - 1;
            wk_awk_syntax(p, "unterminated string");
        }
        p->at += p->text.p[p->at] == '\\' && p->at + 1 < p->text.n ? 2 : 1;
    }
    if (p->at >= p->text.n) {
        p->token_at = from - 1;
        wk_awk_syntax(p, "unterminated string");
    }
    p->str = wk_awk_unescape(p->a, wk_str(p->text.p + from, p->at - from));
    p->at++;
    p->token = T_STRING;
}

static void read_regex(struct awk_parser *p, bool typed)
{
    size_t from = p->at;
    int bracket = 0;
    while (p->at < p->text.n && (p->text.p[p->at] != '/' || bracket)) {
        char ch = p->text.p[p->at];
        if (ch == '\n') {
            p->token_at = from;
            wk_awk_syntax(p, "unterminated regexp");
        }
        if (ch == '\\' && p->at + 1 < p->text.n) {
            p->at++;
        } else if (ch == '[' && !bracket) {
            bracket = 1;
            if (p->at + 1 < p->text.n && p->text.p[p->at + 1] == '^')
                p->at++;
            if (p->at + 1 < p->text.n && p->text.p[p->at + 1] == ']')
                p->at++;
        } else if (ch == '[' && p->at + 1 < p->text.n && p->text.p[p->at + 1] == ':') {
            bracket++;
        } else if (ch == ']' && bracket) {
            bracket--;
        }
        p->at++;
    }
    if (p->at >= p->text.n) {
        p->token_at = from;
        wk_awk_syntax(p, "unterminated regexp");
    }
    p->str = wk_awk_str_of(p->a, p->text.p + from, p->at - from);
    p->at++;
    p->token = typed ? T_TYPED_REGEX : T_REGEX;
}

static void read_number(struct awk_parser *p)
{
    struct wk_str s = wk_str_from(p->text, p->at);
    uint64_t v;
    size_t n = 2;
    if (!p->a->old && s.n > 2 && s.p[0] == '0' && (s.p[1] | 32) == 'x' && hex_digit(s.p[2]) >= 0) {
        while (n < s.n && hex_digit(s.p[n]) >= 0)
            n++;
        p->num =
            wk_parse_u64(wk_str(s.p + 2, n - 2), 16, &v) == 0 ? (double)v : 1.8446744073709552e19;
    } else {
        n = 0;
        bool octal = !p->a->old && s.p[0] == '0' && s.n > 1 && wk_is_digit(s.p[1]);
        while (n < s.n && wk_is_digit(s.p[n])) {
            octal = octal && s.p[n] < '8';
            n++;
        }
        size_t digits = n;
        if (n < s.n && s.p[n] == '.')
            for (n++; n < s.n && wk_is_digit(s.p[n]); n++)
                ;
        if (n < s.n && (s.p[n] | 32) == 'e') {
            size_t e = n + 1 + (n + 1 < s.n && (s.p[n + 1] == '+' || s.p[n + 1] == '-'));
            if (e < s.n && wk_is_digit(s.p[e]))
                for (n = e; n < s.n && wk_is_digit(s.p[n]); n++)
                    ;
        }
        if (octal && n == digits && wk_parse_u64(wk_str(s.p, n), 8, &v) == 0)
            p->num = (double)v;
        else
            p->num = wk_awk_scan(wk_str(s.p, n), NULL);
    }
    p->at += n;
    p->token = T_NUMBER;
}

bool wk_awk_is_reserved(struct wk_str name, bool *keyword)
{
    *keyword = true;
    for (size_t i = 0; i < WK_COUNTOF(keywords); i++)
        if (wk_str_is(name, keywords[i].word))
            return true;
    *keyword = false;
    for (size_t i = 0; i < AWK_FUNCTIONS; i++)
        if (wk_str_is(name, wk_awk_builtins[i].name))
            return true;
    return false;
}

/* A word that the mode does not know. */
static bool is_new(const struct awk *a, const char *word)
{
    static const char *const words[] = {"switch", "case", "default", "BEGINFILE", "ENDFILE", "func"};
    for (size_t i = 0; i < WK_COUNTOF(words); i++)
        if (strcmp(word, words[i]) == 0)
            return i + 1 < WK_COUNTOF(words) ? a->old : a->posix;
    return false;
}

static bool find_keyword(const struct awk *a, struct wk_str name, enum awk_token *token)
{
    for (size_t i = 0; i < WK_COUNTOF(keywords); i++) {
        if (wk_str_is(name, keywords[i].word) && !is_new(a, keywords[i].word)) {
            *token = keywords[i].token;
            return true;
        }
    }
    return false;
}

/* AWK_FUNCTIONS: there is none. */
static enum awk_builtin find_builtin(const struct awk *a, struct wk_str name)
{
    size_t i = 0;
    while (i < AWK_FUNCTIONS && !(wk_str_is(name, wk_awk_builtins[i].name) && !(a->old && wk_awk_builtins[i].gnu)))
        i++;
    return (enum awk_builtin)i;
}

void wk_awk_check_variable(struct awk *a, struct wk_str name)
{
    enum awk_token token;
    const char *kind = find_keyword(a, name, &token) || find_builtin(a, name) != AWK_FUNCTIONS ? "gawk builtin" : NULL;
    for (size_t i = 0; i < a->nfuncs && !kind; i++)
        if (wk_str_is(name, a->funcs[i].name))
            kind = "function";
    bool array = wk_awk_is_symtab(a, name);
    if (!kind && !array)
        return;
    a->pc = NULL; /* gawk has lost its place */
    a->fnr = 0;
    if (array)
        wk_awk_fatal(a, "attempt to use array `%.*s' in a scalar context", (int)name.n, name.p);
    wk_awk_fatal(a, "cannot use %s `%.*s' as variable name", kind, (int)name.n, name.p);
}

/* ns::name */
static void read_qualified(struct awk_parser *p, size_t from)
{
    bool keyword;
    p->at += 2;
    size_t second = p->at;
    while (p->at < p->text.n && (wk_is_alnum(p->text.p[p->at]) || p->text.p[p->at] == '_'))
        p->at++;
    struct wk_str name = wk_str(p->text.p + second, p->at - second);
    if (wk_awk_is_reserved(name, &keyword))
        wk_awk_wrong(p,
                     "error: using reserved identifier `%.*s' as second component of a qualified name is not "
                     "allowed",
                     (int)name.n, name.p);
    p->name = wk_str(p->text.p + from, p->at - from);
}

static void read_word(struct awk_parser *p)
{
    size_t from = p->at;
    while (p->at < p->text.n && (wk_is_alnum(p->text.p[p->at]) || p->text.p[p->at] == '_'))
        p->at++;
    p->name = wk_str(p->text.p + from, p->at - from);
    if (p->at + 2 < p->text.n && p->text.p[p->at] == ':' && p->text.p[p->at + 1] == ':' &&
        (wk_is_alpha(p->text.p[p->at + 2]) || p->text.p[p->at + 2] == '_')) {
        read_qualified(p, from);
    } else {
        if (find_keyword(p->a, p->name, &p->token))
            return;
        p->builtin = find_builtin(p->a, p->name);
        p->token = T_BUILTIN;
        if (p->builtin != AWK_FUNCTIONS)
            return;
    }
    p->token = p->at < p->text.n && p->text.p[p->at] == '(' ? T_CALL : T_NAME;
}

/* ---- tokens ---- */

static const struct {
    const char *text;
    enum awk_token token;
} signs[] = {
    {"**=", T_POW_ASSIGN}, {"&&", T_AND},        {"||", T_OR},         {"++", T_INC},
    {"--", T_DEC},         {"+=", T_ADD_ASSIGN}, {"-=", T_SUB_ASSIGN}, {"*=", T_MUL_ASSIGN},
    {"/=", T_DIV_ASSIGN},  {"%=", T_MOD_ASSIGN}, {"^=", T_POW_ASSIGN}, {"**", T_POWER},
    {"==", T_EQ},          {"!=", T_NE},         {"!~", T_NOMATCH},    {"<=", T_LE},
    {">=", T_GE},          {">>", T_APPEND},     {"|&", T_PIPE_AND},   {"{", T_LBRACE},
    {"}", T_RBRACE},       {"(", T_LPAREN},      {")", T_RPAREN},      {"[", T_LBRACKET},
    {"]", T_RBRACKET},     {";", T_SEMI},        {",", T_COMMA},       {"+", T_PLUS},
    {"-", T_MINUS},        {"*", T_STAR},        {"/", T_SLASH},       {"%", T_PERCENT},
    {"^", T_POWER},        {"!", T_NOT},         {">", T_GT},          {"<", T_LT},
    {"~", T_MATCH},        {"?", T_QUESTION},    {":", T_COLON},       {"=", T_ASSIGN},
    {"$", T_DOLLAR},       {"|", T_PIPE},
};

/* Blanks, comments and continued lines. False at the end of the text. */
static bool skip_blanks(struct awk_parser *p)
{
    if (!p->commented)
        p->comment_at = 0;
    while (p->at < p->text.n) {
        char ch = p->text.p[p->at];
        size_t left = p->text.n - p->at;
        if (ch == ' ' || ch == '\t' || ch == '\r') {
            p->at++;
        } else if (ch == '\\' && left > 1 && p->text.p[p->at + 1] == '\n') {
            p->at += 2;
            p->line++;
        } else if (ch == '\\' && left > 2 && p->text.p[p->at + 1] == '\r' &&
                   p->text.p[p->at + 2] == '\n') {
            p->at += 3;
            p->line++;
        } else if (ch == '#') {
            p->comment_at = p->last_comment = p->at + 1;
            while (p->at < p->text.n && p->text.p[p->at] != '\n')
                p->at++;
        } else {
            return true;
        }
    }
    return false;
}

/* Whether / begins an expression here: not behind what ends an operand. */
static bool wants_operand(enum awk_token before)
{
    switch (before) {
    case T_NUMBER:
    case T_STRING:
    case T_REGEX:
    case T_TYPED_REGEX:
    case T_NAME:
    case T_BUILTIN:
    case T_RPAREN:
    case T_RBRACKET:
    case T_DOLLAR:
    case T_INC:
    case T_DEC:
    case T_GETLINE:
        return false;
    default:
        return true;
    }
}

bool wk_awk_next_source(struct awk_parser *p)
{
    if (p->including || p->next_source >= p->nsources)
        return false;
    p->which = p->next_source++;
    p->text = p->source[p->which].text;
    p->commented = false;
    p->comment_at = p->last_comment = 0;
    p->at = p->reread = 0;
    p->line = 1;
    p->ns = wk_str("", 0);
    return true;
}

void wk_awk_advance(struct awk_parser *p)
{
    p->before = p->token;
    p->last_line = p->token_line;
    p->before_at = p->token_at;
    p->end = AWK_END_ANYWHERE;
    bool more = skip_blanks(p);
    p->token_at = p->at;
    p->token_line = p->line;
    if (!more && p->comment_at && !p->commented && p->token != T_NEWLINE) { /* a comment ends a line */
        p->commented = true;
        p->token_at = p->comment_at - 1;
        p->line++;
        p->token = T_NEWLINE;
        return;
    }
    if (!more) {
        p->token = T_EOF;
        return;
    }
    char ch = p->text.p[p->at];
    if (ch == '\n') {
        if (p->comment_at)
            p->token_at = p->comment_at - 1;
        p->at++;
        p->line++;
        p->token = T_NEWLINE;
        return;
    }
    p->token = T_AT; /* until it is known: what is said of a line's end is not said of it */
    char next = p->at + 1 < p->text.n ? p->text.p[p->at + 1] : 0;
    if (ch == '_' && next == '"') { /* to be translated: there is nothing to do it with */
        p->at += 2;
        read_string(p);
        return;
    }
    if (wk_is_alpha(ch) || ch == '_') {
        read_word(p);
        return;
    }
    if (ch == '@' && next == '/' && !p->a->old) {
        p->at += 2;
        read_regex(p, true);
        return;
    }
    if (ch == '@') {
        p->at++;
        p->token = T_AT;
        return;
    }
    if (wk_is_digit(ch) ||
        (ch == '.' && p->at + 1 < p->text.n && wk_is_digit(p->text.p[p->at + 1]))) {
        read_number(p);
        return;
    }
    if (ch == '"') {
        p->at++;
        read_string(p);
        return;
    }
    if (ch == '/' && wants_operand(p->before)) {
        p->at++;
        read_regex(p, false);
        return;
    }
    struct wk_str rest = wk_str_from(p->text, p->at);
    for (size_t i = 0; i < WK_COUNTOF(signs); i++) {
        struct wk_str sign = wk_str_c(signs[i].text);
        if (wk_str_starts(rest, sign) && !(p->a->posix && wk_str_starts(sign, wk_str_c("**"))) &&
            !(p->a->old && signs[i].token == T_PIPE_AND)) {
            p->at += sign.n;
            p->token = signs[i].token;
            return;
        }
    }
    p->at++;
    if (ch == '.')
        wk_awk_syntax(p, "syntax error");
    if (ch == '\\')
        wk_awk_syntax(p, "backslash not last character on line");
    char text[40] = "invalid char 'x' in expression";
    text[14] = ch;
    wk_awk_syntax(p, wk_dup(p->a->c, text));
}

void wk_awk_expect(struct awk_parser *p, enum awk_token t)
{
    if (p->token != t)
        wk_awk_syntax(p, "syntax error");
    wk_awk_advance(p);
}

void wk_awk_skip_newlines(struct awk_parser *p)
{
    while (p->token == T_NEWLINE)
        wk_awk_advance(p);
    p->end = AWK_END_OF_LINE;
}

void wk_awk_skip_behind_operator(struct awk_parser *p)
{
    size_t at = p->before_at;
    wk_awk_skip_newlines(p);
    p->before_at = at;
    p->end = AWK_END_OPERATOR;
}
