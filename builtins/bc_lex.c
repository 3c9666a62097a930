/* bc_lex.c - the words of bc programs, and what is said about them */
#include "builtins/bc.h"

#include <stdarg.h>

void wk_bc_error(struct bc *b, const char *fmt, ...)
{
    struct wk_buf t;
    va_list args;
    wk_buf_init(&t, wk_heap_mem(b->c->heap), SIZE_MAX / 2);
    va_start(args, fmt);
    wk_buf_vfmt(&t, fmt, args);
    va_end(args);
    char *text = wk_keep(b->c, &t);
    wk_out_flush(b->c->out);
    wk_out_fmt(b->c->err, "%s %llu: %s\n", b->file, (unsigned long long)b->line, text);
    wk_heap_free(b->c->heap, text);
    b->error = true;
}

void wk_bc_nonstandard(struct bc *b, const char *what)
{
    if (b->standard) {
        wk_bc_error(b, "Error: %s", what);
    } else if (b->warn) {
        bool before = b->error;
        wk_bc_error(b, "(Warning) %s", what);
        b->error = before;
    }
}

/* The next byte, -1 at the end. */
static int look(struct bc *b)
{
    while (b->p == b->end) {
        size_t n = 0;
        if (b->source_end) {
            b->line = 1; /* as after the last file */
            return -1;
        }
        if (!b->library && wk_in_chunk(b->in, &b->p, &n)) {
            wk_heap_free(b->c->heap, b->piece); /* a copy, since read() may read another stream */
            b->p = b->piece = wk_dupn(b->c, b->p, n);
            b->end = b->p + n;
            continue;
        }
        b->p = b->end = NULL;
        b->source_end = !wk_bc_next_source(b);
    }
    return (unsigned char)*b->p;
}

static void keep(struct bc *b, char ch)
{
    BC_ROOM(b, b->word, b->n, b->word_cap);
    b->word[b->n++] = ch;
    b->text = b->word;
}

static bool take(struct bc *b, char ch)
{
    if (look(b) != ch)
        return false;
    b->p++;
    return true;
}

static void comment(struct bc *b)
{
    for (int last = 0, ch;; last = ch) {
        ch = look(b);
        if (ch < 0) {
            wk_out_flush(b->c->out);
            wk_out_c(b->c->err, "EOF encountered in a comment.\n");
            return;
        }
        b->p++;
        if (ch == '\n')
            b->line++;
        if (ch == '/' && last == '*')
            return;
    }
}

static void illegal(struct bc *b, int ch)
{
    if (ch < ' ')
        wk_bc_error(b, "illegal character: ^%c", ch + '@');
    else if (ch > '~')
        wk_bc_error(b, "illegal character: \\%03o", (unsigned)ch);
    else
        wk_bc_error(b, "illegal character: %c", ch);
}

static const struct {
    const char *word;
    enum bc_token token;
} words[] = {{"define", BC_DEFINE}, {"break", BC_BREAK}, {"quit", BC_QUIT}, {"length", BC_LENGTH},
             {"return", BC_RETURN}, {"for", BC_FOR}, {"if", BC_IF}, {"while", BC_WHILE}, {"sqrt", BC_SQRT},
             {"scale", BC_SCALE_WORD}, {"ibase", BC_IBASE_WORD}, {"obase", BC_OBASE_WORD}, {"auto", BC_AUTO},
             {"else", BC_ELSE}, {"read", BC_READ}, {"random", BC_RANDOM}, {"warranty", BC_WARRANTY},
             {"halt", BC_HALT}, {"last", BC_LAST_WORD}, {"continue", BC_CONTINUE}, {"print", BC_PRINT},
             {"limits", BC_LIMITS}, {"history", BC_HISTORY_WORD}, {"void", BC_VOID}};

static void name(struct bc *b)
{
    for (int ch; ch = look(b), (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9') || ch == '_'; b->p++)
        keep(b, (char)ch);
    struct wk_str s = wk_str(b->word, b->n);
    for (size_t i = 0; i < WK_COUNTOF(words); i++)
        if (wk_str_is(s, words[i].word)) {
            b->token = words[i].token;
            return;
        }
    b->token = BC_NAME;
    if (b->n > 1 && (b->standard || b->warn)) {
        keep(b, '\0');
        b->n--;
        char *text = wk_strf(b->c, "multiple letter name - %s", b->word);
        const char *p = b->p;
        while (p < b->end && (*p == ' ' || *p == '\t'))
            p++;
        bool last = p < b->end && *p == '\n'; /* told of when the word behind it was seen */
        b->line += last;
        wk_bc_nonstandard(b, text);
        b->line -= last;
    }
}

static bool digit(int ch)
{
    return (ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'Z');
}

/* Whether a backslash at hand is followed by a newline: takes both. Only at the end of a piece of input
 * can it not be told; the backslash is then gone, and *lost says so. */
static bool continued(struct bc *b, bool *lost)
{
    b->p++;
    if (look(b) == '\n') {
        b->p++;
        b->line++;
        return true;
    }
    *lost = true;
    return false;
}

/* Digits with at most one point; the word begins with `first`. */
static void number(struct bc *b, char first)
{
    bool point = first == '.', lost = false;
    keep(b, first);
    for (;;) {
        int ch = look(b);
        if (ch == '\\') {
            if (continued(b, &lost))
                continue;
            illegal(b, '\\');
            break;
        }
        if (!digit(ch) && (ch != '.' || point))
            break;
        point = point || ch == '.';
        keep(b, (char)ch);
        b->p++;
    }
    b->token = BC_NUMBER;
    for (size_t i = 0; i < b->n; i++) {
        if (b->word[i] <= 'F')
            continue;
        if (!b->standard)
            wk_bc_nonstandard(b, "Non-standard base in numeric constant");
        else if (!b->error) /* only as the first error of a line */
            wk_bc_error(b, "Error in numeric constant");
    }
    size_t skip = 0;
    if (b->n > 1 && b->word[b->n - 1] == '.')
        b->n--;
    while (skip + 1 < b->n && b->word[skip] == '0')
        skip++;
    b->text += skip;
    b->n -= skip;
}

/* To the next quote; the text as it is written. When there is none, the quote is all that is taken. */
static bool string(struct bc *b)
{
    uint64_t line = b->line;
    for (int ch; (ch = look(b)) != '"'; b->p++) {
        if (ch < 0) {
            /* Read again what followed the quote. */
            b->line = line;
            char *again = wk_dupn(b->c, b->word ? b->word : "", b->n);
            illegal(b, '"');
            b->p = again;
            b->end = again + b->n;
            return false;
        }
        if (ch == '\n')
            b->line++;
        keep(b, (char)ch);
    }
    b->p++;
    b->token = BC_STRING;
    return true;
}

static bool operator_word(struct bc *b, char ch)
{
    bool eq;
    b->op = ch;
    b->token = BC_CHAR;
    switch (ch) {
    case '+':
    case '-':
        if (take(b, ch)) {
            b->token = BC_STEP;
            b->op = ch == '+' ? 'i' : 'd';
            return true;
        }
        __attribute__((fallthrough));
    case '*':
    case '/':
    case '%':
    case '^':
        if (take(b, '='))
            b->token = BC_ASSIGN;
        return true;
    case '=':
        eq = take(b, '=');
        b->token = eq ? BC_COMPARE : BC_ASSIGN;
        b->op = eq ? '=' : 0;
        return true;
    case '!':
        eq = take(b, '=');
        b->token = eq ? BC_COMPARE : BC_NOT;
        b->op = eq ? '#' : '!';
        return true;
    case '<':
    case '>':
        b->token = BC_COMPARE;
        if (take(b, '='))
            b->op = ch == '<' ? '{' : '}';
        return true;
    case '&':
        if (take(b, '&'))
            b->token = BC_AND;
        return true;
    case '|':
        if (!take(b, '|'))
            return false;
        b->token = BC_OR;
        return true;
    default:
        return strchr("()[]{},;", ch) != NULL;
    }
}

void wk_bc_next(struct bc *b)
{
    for (;;) {
        bool lost = false;
        b->n = 0;
        b->text = "";
        int ch = look(b);
        if (ch < 0) {
            b->token = BC_EOF;
            return;
        }
        if (ch >= 'a' && ch <= 'z') {
            name(b);
            return;
        }
        if (ch == '\\') {
            if (!continued(b, &lost))
                illegal(b, ch);
            continue;
        }
        b->p++;
        if (ch == ' ' || ch == '\t')
            continue;
        if (ch == '\n') {
            b->line++;
            b->token = BC_NEWLINE;
            return;
        }
        if (ch == '#') {
            if (b->standard) {
                illegal(b, ch);
            } else {
                while (ch = look(b), ch >= 0 && ch != '\n')
                    b->p++;
            }
            continue;
        }
        if (ch == '/' && take(b, '*')) {
            comment(b);
            continue;
        }
        if (ch == '"') {
            if (string(b))
                return;
            continue;
        }
        if (ch == '.' && !digit(look(b))) {
            b->token = BC_LAST_WORD;
            return;
        }
        if (ch == '.' || digit(ch)) {
            number(b, (char)ch);
            return;
        }
        if (ch && operator_word(b, (char)ch))
            return;
        illegal(b, ch);
    }
}
