/* lexer.c - tokens of the command grammar */
#include "interp/lexer.h"

enum {
    STOP = 1,  /* ends the fast scan of a plain word */
    META = 2   /* ends any word */
};

static const uint8_t class_of[256] = {
    ['\0'] = STOP, ['\t'] = STOP | META, ['\n'] = STOP | META, [' '] = STOP | META,
    ['"'] = STOP, ['$'] = STOP, ['\''] = STOP, ['\\'] = STOP, ['`'] = STOP,
    ['&'] = STOP | META, ['('] = STOP | META, [')'] = STOP | META, [';'] = STOP | META,
    ['<'] = STOP | META, ['>'] = STOP | META, ['|'] = STOP | META,
    ['*'] = STOP, ['?'] = STOP, ['['] = STOP,
    ['='] = STOP, ['{'] = STOP, ['~'] = STOP,
};

bool wk_lex_is_meta(int c)
{
    return c == WK_PS_EOF || (class_of[c] & META);
}

static void step(struct wk_parser *ps)
{
    ps->ticks = 0;
    int r = ps->o.step ? ps->o.step(ps->o.ctx) : 0;
    if (r < 0)
        wk_ps_fail(ps, r);
}

void wk_lex_blanks(struct wk_parser *ps)
{
    if (WK_UNLIKELY(++ps->ticks >= 16))
        step(ps);
    for (;;) {
        int c = wk_ps_peek(ps);
        if (c == ' ' || c == '\t') {
            ps->p++;
            continue;
        }
        if (c != '#' || (ps->o.flags & WK_PARSE_NO_COMMENTS))
            return;
        ps->commented = true;
        do {
            const char *nl = memchr(ps->p, '\n', (size_t)(ps->end - ps->p));
            ps->p = nl ? nl : ps->end;
        } while (ps->p == ps->end && wk_ps_peek_raw(ps) != WK_PS_EOF);
        return;
    }
}

/* ---- operators ------------------------------------------------------------------------------ */

static enum wk_tok less_token(struct wk_parser *ps)
{
    switch (wk_ps_peek(ps)) {
    case '&':
        wk_ps_skip(ps);
        return WK_TOK_LESSAND;
    case '>':
        wk_ps_skip(ps);
        return WK_TOK_LESSGREAT;
    case '<':
        wk_ps_skip(ps);
        if (wk_ps_peek(ps) == '<') {
            wk_ps_skip(ps);
            return WK_TOK_TLESS;
        }
        if (wk_ps_peek(ps) == '-') {
            wk_ps_skip(ps);
            return WK_TOK_DLESSDASH;
        }
        return WK_TOK_DLESS;
    default:
        return WK_TOK_LESS;
    }
}

static enum wk_tok amp_token(struct wk_parser *ps)
{
    int c = wk_ps_peek(ps);
    if (c == '&') {
        wk_ps_skip(ps);
        return WK_TOK_AND_IF;
    }
    if (c != '>')
        return WK_TOK_AMP;
    wk_ps_skip(ps);
    if (wk_ps_peek(ps) != '>')
        return WK_TOK_AMPGREAT;
    wk_ps_skip(ps);
    return WK_TOK_AMPDGREAT;
}

static enum wk_tok choose(struct wk_parser *ps, enum wk_tok one, int c1, enum wk_tok t1, int c2,
                          enum wk_tok t2, int c3, enum wk_tok t3)
{
    int c = wk_ps_peek(ps);
    enum wk_tok t = one;
    if (c == c1)
        t = t1;
    else if (c == c2)
        t = t2;
    else if (c == c3)
        t = t3;
    else
        return one;
    wk_ps_skip(ps);
    return t;
}

/* The operator that starts with c, which is consumed. */
static enum wk_tok operator_token(struct wk_parser *ps, int c)
{
    enum wk_tok t;
    switch (c) {
    case ';':
        t = choose(ps, WK_TOK_SEMI, ';', WK_TOK_DSEMI, '&', WK_TOK_SEMI_AND, -2, WK_TOK_EOF);
        if (t == WK_TOK_DSEMI && wk_ps_peek(ps) == '&') {
            wk_ps_skip(ps);
            return WK_TOK_DSEMI_AND;
        }
        return t;
    case '&':
        return amp_token(ps);
    case '|':
        return choose(ps, WK_TOK_PIPE, '|', WK_TOK_OR_IF, '&', WK_TOK_PIPE_AMP, -2, WK_TOK_EOF);
    case '<':
        return less_token(ps);
    case '>':
        return choose(ps, WK_TOK_GREAT, '>', WK_TOK_DGREAT, '|', WK_TOK_CLOBBER, '&',
                      WK_TOK_GREATAND);
    default:
        (void)wk_ps_peek(ps); /* bash looks at the next character, too, perhaps in the next line */
        return c == '(' ? WK_TOK_LPAREN : WK_TOK_RPAREN;
    }
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool is_name(const char *p, size_t n)
{
    return wk_str_is_name(wk_str(p, n));
}

/* Digits right before < or >: a descriptor number. */
static bool io_number(struct wk_parser *ps, struct wk_token *t)
{
    const char *q = ps->p;
    uint64_t v = 0;
    while (q < ps->end && wk_is_digit((unsigned char)*q) && v < 1u << 31)
        v = v * 10 + (uint64_t)(*q++ - '0');
    if (q == ps->end || (*q != '<' && *q != '>') || v >= 1u << 31)
        return false;
    t->kind = WK_TOK_IO_NUMBER;
    t->num = (uint32_t)v;
    ps->p = q;
    return true;
}

/* {name} or {name[sub]} right before < or >. */
static bool io_var(struct wk_parser *ps, struct wk_token *t)
{
    const char *q = ps->p + 1;
    if (q >= ps->end || !wk_is_name_start((unsigned char)*q))
        return false;
    while (q < ps->end && wk_is_name_char((unsigned char)*q))
        q++;
    if (ps->end - q > 1 && *q == '[' && q[1] != ']')
        while (q < ps->end && *q != ']' && *q != '\n' && *q != '}' && *q != ' ')
            q++;
    if (q < ps->end && *q == ']')
        q++;
    if (ps->end - q < 2 || *q != '}' || (q[1] != '<' && q[1] != '>'))
        return false;
    t->kind = WK_TOK_IO_VAR;
    t->s = wk_str(ps->p + 1, (size_t)(q - ps->p - 1));
    ps->p = q + 1;
    return true;
}

bool wk_lex_is_descriptor(struct wk_parser *ps, int c)
{
    struct wk_token t;
    const char *p = ps->p;
    bool is = wk_is_digit(c) ? io_number(ps, &t) : c == '{' && io_var(ps, &t);
    ps->p = p;
    return is;
}

/* A plain word with a { in it needs the slow path only when it could be a brace expression. */
static bool may_be_brace(const char *p, size_t n)
{
    struct wk_str s = wk_str(p, n);
    return wk_str_chr(s, '}') >= 0 && (wk_str_chr(s, ',') >= 0 || wk_str_find(s, WK_STR("..")) >= 0);
}

/* [ or [[ alone: not a pattern. */
static bool is_bracket_command(const char *q, const char *end)
{
    size_t n = end - q > 1 && q[1] == '[' ? 2 : 1;
    return (size_t)(end - q) == n || (class_of[(unsigned char)q[n]] & META);
}

/* [subscript]=( in an argument of declare: a list for an element, which the command refuses. */
static bool is_list_element(const char *q, const char *end)
{
    size_t depth = 0;
    for (; q < end && !(class_of[(unsigned char)*q] & META) && !strchr("'\"\\`", *q); q++) {
        depth += *q == '[';
        if (*q == ']' && --depth == 0) {
            q++;
            q += q < end && *q == '+';
            return end - q > 1 && q[0] == '=' && q[1] == '(';
        }
    }
    return false;
}

enum scan_end { PLAIN, COMPLEX, ASSIGNMENT };

/* Scans plain characters from ps->p; *len gets their number. Tells what the word is. */
static enum scan_end scan_plain(const struct wk_parser *ps, unsigned flags, size_t *len)
{
    const char *from = ps->p, *q = from, *end = ps->end;
    bool brace = false;
    for (;; q++) {
        while (q < end && !(class_of[(unsigned char)*q] & STOP))
            q++;
        *len = (size_t)(q - from);
        if (q == end)
            return COMPLEX;
        if (class_of[(unsigned char)*q] & META) {
            if (*q == '(' && q > from && (q[-1] == '@' || q[-1] == '+' || q[-1] == '!') &&
                ((ps->o.flags & WK_PARSE_EXTGLOB) || (flags & WK_LEX_PATTERN)))
                return COMPLEX;
            if ((*q == '<' || *q == '>') && q + 1 < end && q[1] == '(')
                return COMPLEX;
            return brace && may_be_brace(from, *len) ? COMPLEX : PLAIN;
        }
        if (*q == '{') {
            brace = true;
        } else if (*q == '~') {
            if (!(flags & WK_LEX_COND) && q > from && (q[-1] == ':' || q[-1] == '='))
                return COMPLEX;
        } else if (*q == '=') {
            bool plus = q > from && q[-1] == '+';
            if ((flags & (WK_LEX_CMD | WK_LEX_ASSIGN)) && !brace &&
                is_name(from, *len - (plus ? 1 : 0))) {
                if ((flags & WK_LEX_CMD) ||
                    (!(flags & WK_LEX_NO_COMPOUND) && q + 1 < end && q[1] == '('))
                    return ASSIGNMENT;
            }
        } else if (*q == '[' && (flags & (WK_LEX_CMD | WK_LEX_NO_COMPOUND)) == WK_LEX_CMD &&
                   is_name(from, *len)) {
            return ASSIGNMENT;
        } else if (*q == '[' && (flags & (WK_LEX_ASSIGN | WK_LEX_NO_COMPOUND)) == WK_LEX_ASSIGN &&
                   is_name(from, *len) && is_list_element(q, end)) {
            return ASSIGNMENT;
        } else if (*q == '[' && q == from && is_bracket_command(q, end)) {
            q += q[1] == '[';
        } else {
            return COMPLEX;
        }
    }
}

/* Is the alias of that number being expanded now? */
static bool alias_active(const struct wk_parser *ps, uint32_t id)
{
    for (size_t i = ps->n_frames; i > 0 && ps->frames[i].kind != WK_FRAME_BARRIER; i--)
        if (ps->frames[i].kind == WK_FRAME_ALIAS && ps->frames[i].alias == id)
            return true;
    return false;
}

/* Does an alias's value end inside of quotes or $(…), or in a backslash that quotes what follows? */
static bool ends_open(struct wk_str v)
{
    char quote = '\0';
    size_t depth = 0;
    for (size_t i = 0; i < v.n; i++) {
        if (v.p[i] == '\\' && quote != '\'') {
            if (++i == v.n)
                return true;
        } else if (quote ? v.p[i] == quote : v.p[i] == '"' || v.p[i] == '\'') {
            quote = quote ? '\0' : v.p[i];
        } else if (v.p[i] == '(') {
            depth += depth || (i && v.p[i - 1] == '$');
        } else if (v.p[i] == ')') {
            depth -= depth > 0;
        }
    }
    return quote != '\0' || depth;
}

/* Replaces the word just read by the value of its alias: 1 when done, 0 when it is none, -1 failure. */
static int expand_alias(struct wk_parser *ps, struct wk_str word, uint8_t left)
{
    struct wk_str v;
    uint32_t id = wk_names_find(ps->o.names, word);
    if ((id != WK_NAME_NONE && alias_active(ps, id)) || !ps->o.alias(ps->o.ctx, word, &v))
        return 0;
    id = wk_ps_name(ps, word);
    if (id == WK_NAME_NONE || v.n > INT32_MAX)
        return wk_ps_nomem(ps) - 1;
    bool blank = v.n && (v.p[v.n - 1] == ' ' || v.p[v.n - 1] == '\t');
    char *p = wk_arena_alloc(&ps->alias_arena, v.n + 1);
    if (!p)
        return wk_ps_nomem(ps) - 1;
    if (v.n)
        memcpy(p, v.p, v.n);
    p[v.n] = ' '; /* parts the next token, unless that belongs to what the value leaves open or may end its operator */
    bool open = ends_open(v) || (v.n && memchr(";&|<>()", v.p[v.n - 1], 7));
    if (!open && ps->p < ps->end && (*ps->p == ' ' || *ps->p == '\t'))
        ps->p++; /* instead of it */
    if (!wk_ps_frame(ps, WK_FRAME_ALIAS, wk_str(p, v.n + !open)))
        return -1;
    ps->frames[ps->n_frames].alias = id;
    ps->frames[ps->n_frames].alias_next = blank;
    ps->frames[ps->n_frames].value_len = v.n;
    ps->alias_next = left > 1 ? (uint8_t)(left - 1) : blank; /* for the first word of the value, too */
    return 1;
}

static uint8_t find_reserved(const struct wk_token *t)
{
    static const struct {
        const char *text;
        uint8_t n;
    } words[] = {
        {"", 255},
#define ROW(name, text) {(text), sizeof(text) - 1},
        WK_RES_LIST(ROW)
#undef ROW
    };
    static const uint8_t first[256] = {
        ['i'] = 1, ['t'] = 1, ['e'] = 1, ['f'] = 1, ['c'] = 1, ['s'] = 1, ['w'] = 1,
        ['u'] = 1, ['d'] = 1, ['{'] = 1, ['}'] = 1, ['!'] = 1, ['['] = 1, [']'] = 1,
    };
    if (t->s.n > 8 || t->s.n == 0 || !first[(unsigned char)t->s.p[0]])
        return WK_RES_NONE;
    if (!t->simple && (t->word->flags & (WK_WORD_QUOTED | WK_WORD_LITERAL)) != WK_WORD_LITERAL)
        return WK_RES_NONE;
    for (unsigned i = 1; i < WK_COUNTOF(words); i++)
        if (words[i].n == t->s.n && words[i].text[0] == t->s.p[0] &&
            memcmp(words[i].text, t->s.p, t->s.n) == 0)
            return (uint8_t)i;
    return WK_RES_NONE;
}

static bool wants_alias(const struct wk_parser *ps, const struct wk_token *t, unsigned flags,
                        bool next)
{
    if (!(ps->o.flags & WK_PARSE_ALIASES) || !ps->o.alias || t->kind != WK_TOK_WORD)
        return false;
    if (!(flags & WK_LEX_CMD) && !(next && !(flags & (WK_LEX_COND | WK_LEX_REGEX))))
        return false;
    if (!t->simple && t->word->flags & WK_WORD_QUOTED) /* patterns, braces, ~: any text may be a name */
        return false;
    return !(ps->o.flags & WK_PARSE_POSIX) || t->res == WK_RES_NONE;
}

/* A word, assignment, number or {var} at ps->p. */
static bool word_token(struct wk_parser *ps, int c, unsigned flags)
{
    struct wk_token *t = &ps->tok;
    if (wk_is_digit(c) && !(flags & WK_LEX_NO_NUMBER) && io_number(ps, t))
        return true;
    if (c == '{' && io_var(ps, t))
        return true;
    t->kind = WK_TOK_WORD;
    size_t len = 0;
    enum scan_end how = COMPLEX;
    if (c != '~' && !(flags & WK_LEX_REGEX)) {
        how = scan_plain(ps, flags, &len);
        if (how == COMPLEX && wk_ps_parted(ps, len + (len == 0 && c == '['))) {
            if (!wk_ps_join(ps))
                return false;
            how = scan_plain(ps, flags, &len);
        }
    }
    t->s = wk_str(ps->p, len);
    if (WK_LIKELY(how == PLAIN)) {
        ps->p += len;
        t->simple = true;
        return true;
    }
    ps->p += len;
    if (how == ASSIGNMENT) {
        if (!wk_read_assign(ps, t->s, flags, &t->assign, &t->word))
            return false;
        if (t->assign) {
            t->kind = flags & WK_LEX_CMD ? WK_TOK_ASSIGN : WK_TOK_WORD;
            t->s = t->assign->source;
            if (t->word)
                t->s = wk_word_source(t->word);
            return true;
        }
    } else {
        t->word = wk_read_word(ps, t->s, flags);
    }
    if (!t->word)
        return false;
    t->s = wk_word_source(t->word);
    return true;
}

static bool is_procsub(struct wk_parser *ps, int c)
{
    return (c == '<' || c == '>') && wk_ps_peek2(ps) == '(';
}

bool wk_lex_slow(struct wk_parser *ps, unsigned flags)
{
    struct wk_token *t = &ps->tok;
    for (;;) {
        ps->between = true;
        wk_lex_blanks(ps);
        int c = wk_ps_peek(ps);
        ps->between = false;
        if (ps->err)
            return false;
        *t = (struct wk_token){.line = ps->line};
        if (c == WK_PS_EOF) {
            t->kind = WK_TOK_EOF;
            if (ps->eof_seen || (ps->commented && ps->eof_open)) /* each time bash comes to the end is a line */
                t->line = ++ps->line;
            ps->eof_seen = false;
            break;
        }
        if (c == '\n') {
            t->kind = WK_TOK_NEWLINE;
            wk_ps_skip(ps);
            if (ps->n_docs > ps->docs_base) {
                t->s = wk_ps_line(ps); /* messages show it, not the last one of the bodies */
                if (!wk_heredoc_read(ps))
                    return false;
            }
            break;
        }
        bool meta = class_of[c] & META;
        if (flags & WK_LEX_REGEX)
            meta = meta && c != '(' && c != '|';
        if (meta && !is_procsub(ps, c)) {
            wk_ps_skip(ps);
            t->kind = (uint8_t)operator_token(ps, c);
            break;
        }
        uint8_t next = ps->alias_next;
        ps->alias_next = 0;
        if (!word_token(ps, c, flags))
            return wk_ps_fail(ps, -WK_ESYNTAX); /* keeps an earlier code */
        if (t->kind == WK_TOK_WORD)
            t->res = find_reserved(t);
        if (!wants_alias(ps, t, flags, next))
            break;
        int r = expand_alias(ps, t->s, next);
        if (r < 0)
            return false;
        if (r == 0)
            break;
    }
    if (WK_UNLIKELY(ps->eof)) /* what an operator looked at is not read again */
        ps->eof_seen = t->kind == WK_TOK_WORD || t->kind == WK_TOK_ASSIGN;
    if (t->kind != WK_TOK_NEWLINE) {
        ps->prev[2] = ps->prev[1];
        ps->prev[1] = ps->prev[0];
        ps->prev[0] = t->res ? t->res | 128 : t->kind;
    }
    ps->have_tok = true;
    return true;
}

struct wk_word *wk_lex_word(struct wk_parser *ps)
{
    struct wk_token *t = &ps->tok;
    ps->have_tok = false;
    return t->simple ? wk_word_plain(ps, t->s, t->line) : t->word;
}
