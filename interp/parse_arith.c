/* parse_arith.c - arithmetic: from text, or from a word whose expansions are operands
 *
 * An error is a node where bash would notice it: what stands to the left has been evaluated by then.
 * The error token runs from the last token read to the end of the text.
 */
#include "interp/lexer.h"

enum {
    T_END,
    T_BAD,
    T_NUM,
    T_VAR,
    T_OPERAND,
    T_OP,      /* binary: op and level */
    T_ASSIGN,  /* op */
    T_INC,     /* post- or pre-, by what is before */
    T_DEC,
    T_NOT,
    T_COMPL,
    T_AND,
    T_OR,
    T_QUESTION,
    T_COLON,
    T_COMMA,
    T_LPAREN,
    T_RPAREN
};

enum { OPERAND_NEXT = -2, AT_END = -1, LONGEST_CHAIN = 10000, POWER_LEVEL = 10 };

struct place {
    uint32_t seg, off;
};

struct ar {
    struct wk_parser *ps;
    const struct wk_seg *segs;
    uint32_t n_segs;
    struct place begin, at, end;
    uint32_t operand;   /* number of the next one */
    uint32_t powers;    /* ** seen */
    bool whole;         /* one text: error tokens can be given */
    bool unclean;       /* an expansion touches its neighbours: only the text tells */
    bool failed;        /* an error node was made */
    /* present token */
    int tok;
    int prev;           /* kind of the token before */
    uint8_t op, level;
    struct place start; /* of the present token */
    struct place last;  /* of the last one that was not the end */
    int64_t num;
    struct wk_anode *var;
    struct wk_anode *error; /* the token itself is wrong */
    bool error_used;        /* … and stands in the tree */
    struct wk_aerror *err;  /* the error that was found */
};

static struct wk_anode *parse_comma(struct ar *a);
static struct wk_anode *use_error(struct ar *a);
static struct wk_anode *finish(struct ar *a, struct wk_anode *x);
static struct wk_anode *unexpected(struct ar *a, struct wk_anode *before, const char *msg);

/* ---- characters ----------------------------------------------------------------------------- */

static int at_place(const struct ar *a, struct place *p)
{
    for (;;) {
        if (p->seg > a->end.seg || (p->seg == a->end.seg && p->off >= a->end.off) ||
            p->seg >= a->n_segs)
            return AT_END;
        const struct wk_seg *s = &a->segs[p->seg];
        if (s->kind != WK_SEG_LIT)
            return OPERAND_NEXT;
        if (p->off < s->text_len)
            return (unsigned char)s->text[p->off];
        p->seg++;
        p->off = 0;
    }
}

static int peek(struct ar *a)
{
    return at_place(a, &a->at);
}

static void skip(struct ar *a)
{
    a->at.off++;
}

/* Other white space is no part of arithmetic. */
static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static void skip_blanks(struct ar *a)
{
    while (is_blank(peek(a)))
        skip(a);
}

static struct wk_str text_from(const struct ar *a, struct place p)
{
    if (!a->n_segs || p.seg >= a->n_segs || a->segs[p.seg].kind != WK_SEG_LIT)
        return wk_str("", 0);
    uint32_t to = a->end.seg == p.seg ? a->end.off : a->segs[p.seg].text_len;
    uint32_t off = p.off < to ? p.off : to;
    return wk_str(a->segs[p.seg].text + off, to - off);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static struct wk_anode *node(struct ar *a, enum wk_anode_kind kind, unsigned op)
{
    struct wk_anode *n = WK_PS_NEW(a->ps, struct wk_anode);
    if (!n) {
        a->failed = true;
        return NULL;
    }
    n->kind = (uint8_t)kind;
    n->op = (uint8_t)op;
    n->pos = a->last.off;
    return n;
}

static struct wk_anode *error_at(struct ar *a, struct wk_anode *before, const char *msg,
                                 struct place p)
{
    struct wk_anode *n = node(a, WK_A_ERROR, 0);
    if (!n)
        return NULL;
    n->err = WK_PS_NEW(a->ps, struct wk_aerror);
    if (!n->err)
        return NULL;
    n->err->msg = msg;
    n->err->token = text_from(a, p);
    n->u.k.a = before;
    a->err = n->err;
    a->failed = true;
    return n;
}

static struct wk_anode *error(struct ar *a, struct wk_anode *before, const char *msg)
{
    return error_at(a, before, msg, a->last);
}

/* ---- tokens --------------------------------------------------------------------------------- */

static int digit_value(int c, unsigned base)
{
    if (wk_is_digit(c))
        return c - '0';
    if (wk_is_lower(c))
        return c - 'a' + 10;
    if (wk_is_upper(c))
        return c - 'A' + (base <= 36 ? 10 : 36);
    return c == '@' ? 62 : c == '_' ? 63 : 99;
}

/* The value of a number token; msg tells what is wrong. Wraps as bash does. */
static int64_t number(struct wk_str s, const char **msg)
{
    unsigned base = 10;
    uint64_t v = 0;
    size_t i = 0;
    ptrdiff_t hash = wk_str_chr(s, '#');
    *msg = NULL;
    if (s.n > 1 && s.p[0] == '0') {
        base = (s.p[1] | 0x20) == 'x' ? 16 : 8;
        i = base == 16 ? 2 : 1;
    } else if (hash >= 0) {
        unsigned b = 0;
        for (; i < (size_t)hash; i++) {
            if (!wk_is_digit((unsigned char)s.p[i]))
                break;
            b = b > 1000 ? b : b * 10 + (unsigned)(s.p[i] - '0');
        }
        if (i < (size_t)hash)
            *msg = "value too great for base";
        else if (b < 2 || b > 64)
            *msg = "invalid arithmetic base";
        else if ((size_t)hash + 1 == s.n)
            *msg = "invalid integer constant";
        base = b;
        i = (size_t)hash + 1;
    }
    for (; i < s.n && !*msg; i++) {
        if (s.p[i] == '#') {
            *msg = "invalid number";
            break;
        }
        unsigned d = (unsigned)digit_value((unsigned char)s.p[i], base);
        if (d >= base)
            *msg = "value too great for base";
        v = v * base + d;
    }
    return (int64_t)v;
}

static bool is_number_char(int c)
{
    return c > 0 && (wk_is_alnum(c) || c == '#' || c == '@' || c == '_');
}

/* The text between from and to, for one segment. */
static struct wk_str between(const struct ar *a, struct place from, struct place to)
{
    if (from.seg >= a->n_segs || a->segs[from.seg].kind != WK_SEG_LIT)
        return wk_str("", 0);
    uint32_t end = to.seg == from.seg ? to.off : a->segs[from.seg].text_len;
    return wk_str(a->segs[from.seg].text + from.off, end - from.off);
}

static void number_token(struct ar *a)
{
    const struct wk_seg *s = &a->segs[a->at.seg];
    struct place from = a->at;
    uint32_t to = a->at.seg == a->end.seg ? a->end.off : s->text_len;
    while (a->at.off < to && is_number_char((unsigned char)s->text[a->at.off]))
        a->at.off++;
    const char *msg;
    a->tok = T_NUM;
    a->num = number(wk_str(s->text + from.off, a->at.off - from.off), &msg);
    if (a->at.off == s->text_len && peek(a) == OPERAND_NEXT)
        a->unclean = true;
    if (msg) {
        struct place end = a->end;
        a->end = (struct place){from.seg, a->at.off};
        a->error = error_at(a, NULL, msg, from);
        a->end = end;
        if (a->error)
            a->error->err->shown = between(a, a->begin.seg == from.seg ? a->begin : from, a->at);
    }
}

/* A word that expands to the key: the segments between two places, or parsed anew when it is plain text
 * with quotes or dollars in it. */
static struct wk_word *sub_word(struct ar *a, struct place from, struct place to, uint32_t n_ops)
{
    struct wk_parser *ps = a->ps;
    struct wk_wb b;
    if (!n_ops && from.seg == to.seg) {
        struct wk_str s = between(a, from, to);
        if (!memchr(s.p, '$', s.n) && !memchr(s.p, '`', s.n) && !memchr(s.p, '\\', s.n) &&
            !memchr(s.p, '"', s.n) && !memchr(s.p, '\'', s.n))
            return wk_word_plain(ps, s, ps->line);
        struct wk_saved sv;
        struct wk_word *w = NULL;
        s = wk_ps_str(ps, s);
        if (ps->err || !wk_ps_divert(ps, &sv, s, ps->line))
            return NULL;
        ps->quiet = true;
        wk_wb_init(ps, &b, WK_SCAN_TEXT);
        if (wk_wb_scan(ps, &b))
            w = wk_wb_done(ps, &b, false);
        wk_ps_return(ps, &sv);
        if (!w && ps->err == -WK_ESYNTAX) {
            ps->err = 0;
            w = wk_word_plain(ps, s, ps->line);
        }
        return w;
    }
    wk_wb_init(ps, &b, WK_SCAN_TEXT);
    b.dq = true;
    for (struct place p = from; p.seg <= to.seg && p.seg < a->n_segs; p.seg++, p.off = 0) {
        struct wk_seg s = a->segs[p.seg];
        if (s.kind != WK_SEG_LIT) {
            if (p.seg == to.seg && to.off == 0)
                break;
            if (!wk_ps_push(ps, &s, sizeof s))
                return NULL;
            continue;
        }
        struct wk_str t = between(a, p, to);
        if (t.n && (!wk_wb_lit(ps, &b, t.p, t.n, true) || !wk_wb_flush(ps, &b)))
            return NULL;
    }
    return wk_wb_done(ps, &b, false);
}

/* The ] that ends the subscript starting at a->at; false when there is none. Counts operands passed. */
static bool find_bracket(struct ar *a, struct place *out, uint32_t *n_ops)
{
    struct place p = a->at;
    unsigned depth = 0;
    int c;
    *n_ops = 0;
    while ((c = at_place(a, &p)) != AT_END) {
        if (c == OPERAND_NEXT) {
            ++*n_ops;
            p.seg++;
            p.off = 0;
            continue;
        }
        if (c == '\\') {
            p.off++;
            if ((c = at_place(a, &p)) == AT_END || c == OPERAND_NEXT)
                continue;
        } else if (c == '[') {
            depth++;
        } else if (c == ']' && depth-- == 0) {
            *out = p;
            return true;
        }
        p.off++;
    }
    return false;
}

static void next_token(struct ar *a);

struct deep_call {
    struct ar *a;
    struct wk_anode *arg;
    struct wk_anode *(*fn)(struct ar *a, struct wk_anode *arg);
    struct wk_anode *out;
};

static int deep_thunk(void *arg)
{
    struct deep_call *d = arg;
    d->out = d->fn(d->a, d->arg);
    return 0;
}

/* One level deeper in the expression: counted, and on a further stack when this one is nearly used up. */
static struct wk_anode *deeper(struct ar *a, struct wk_anode *arg,
                               struct wk_anode *(*fn)(struct ar *a, struct wk_anode *arg))
{
    struct deep_call d = {a, arg, fn, NULL};
    if (wk_ps_enter(a->ps)) {
        if (!wk_ps_low(a->ps))
            d.out = fn(a, arg);
        else if (!wk_ps_deep(a->ps, deep_thunk, &d))
            d.out = NULL;
    }
    wk_ps_leave(a->ps);
    return d.out;
}

/* The expression between the brackets. */
static struct wk_anode *index_here(struct ar *in, struct wk_anode *unused)
{
    (void)unused;
    next_token(in);
    return in->tok == T_END ? NULL : parse_comma(in);
}

/* [ … ] after a name. */
static void subscript(struct ar *a, struct wk_anode *var)
{
    struct place close;
    uint32_t n_ops;
    skip(a);
    if (!find_bracket(a, &close, &n_ops)) {
        a->error = error_at(a, NULL, "bad array subscript", a->start);
        return;
    }
    struct wk_asub *sub = WK_PS_NEW(a->ps, struct wk_asub);
    if (!sub)
        return;
    sub->first_operand = a->operand;
    sub->n_operands = n_ops;
    sub->word = sub_word(a, a->at, close, n_ops);
    if (!sub->word) {
        a->failed = true;
        return;
    }
    sub->text = close.seg == a->at.seg ? between(a, a->at, close) : wk_str("", 0);
    if (wk_str_is(sub->text, "@"))
        sub->kind = WK_SUB_AT;
    else if (wk_str_is(sub->text, "*"))
        sub->kind = WK_SUB_STAR;
    /* A subscript is expanded as in double quotes: those go, single ones stay. */
    bool quoted = wk_str_chr(sub->text, '"') >= 0 && wk_str_chr(sub->text, '\'') < 0;
    bool dynamic = !n_ops && sub->word->n_segs && (quoted || !(sub->word->flags & WK_WORD_LITERAL));
    if (sub->kind == WK_SUB_EXPR && !dynamic) {
        struct ar in = {.ps = a->ps, .segs = a->segs, .n_segs = a->n_segs, .begin = a->at, .at = a->at, .end = close,
                        .operand = a->operand, .whole = a->whole, .last = a->at};
        sub->index = deeper(&in, NULL, index_here);
        if (sub->index)
            sub->index = finish(&in, sub->index);
        a->unclean |= in.unclean || (in.failed && n_ops);
    }
    a->operand += n_ops;
    var->u.sub = sub;
    a->at = close;
    skip(a);
}

static void name_token(struct ar *a)
{
    const struct wk_seg *s = &a->segs[a->at.seg];
    uint32_t from = a->at.off;
    uint32_t to = a->at.seg == a->end.seg ? a->end.off : s->text_len;
    while (a->at.off < to && wk_is_name_char((unsigned char)s->text[a->at.off]))
        a->at.off++;
    struct wk_str name = wk_str(s->text + from, a->at.off - from);
    a->tok = T_VAR;
    a->var = node(a, WK_A_VAR, 0);
    if (!a->var)
        return;
    a->var->pos = from;
    a->var->id = wk_ps_name(a->ps, name);
    int c = peek(a);
    if (c == OPERAND_NEXT)
        a->unclean = true;
    if (c == '[')
        subscript(a, a->var);
}

struct op_row {
    char text[3];
    uint8_t tok, op, level;
};

/* Longest first for each first character. Levels: higher binds tighter. */
static const struct op_row ops[] = {
    {"<<=", T_ASSIGN, WK_AOP_SHL, 0}, {">>=", T_ASSIGN, WK_AOP_SHR, 0}, {"**", T_OP, WK_AOP_POW, POWER_LEVEL},
    {"<<", T_OP, WK_AOP_SHL, 7},      {">>", T_OP, WK_AOP_SHR, 7},      {"<=", T_OP, WK_AOP_LE, 6},
    {">=", T_OP, WK_AOP_GE, 6},       {"==", T_OP, WK_AOP_EQ, 5},       {"!=", T_OP, WK_AOP_NE, 5},
    {"&&", T_AND, 0, 1},              {"||", T_OR, 0, 1},               {"++", T_INC, 0, 0},
    {"--", T_DEC, 0, 0},              {"+=", T_ASSIGN, WK_AOP_ADD, 0},  {"-=", T_ASSIGN, WK_AOP_SUB, 0},
    {"*=", T_ASSIGN, WK_AOP_MUL, 0},  {"/=", T_ASSIGN, WK_AOP_DIV, 0},  {"%=", T_ASSIGN, WK_AOP_MOD, 0},
    {"&=", T_ASSIGN, WK_AOP_AND, 0},  {"^=", T_ASSIGN, WK_AOP_XOR, 0},  {"|=", T_ASSIGN, WK_AOP_OR, 0},
    {"=", T_ASSIGN, WK_AOP_NONE, 0},  {"<", T_OP, WK_AOP_LT, 6},        {">", T_OP, WK_AOP_GT, 6},
    {"+", T_OP, WK_AOP_ADD, 8},       {"-", T_OP, WK_AOP_SUB, 8},       {"*", T_OP, WK_AOP_MUL, 9},
    {"/", T_OP, WK_AOP_DIV, 9},       {"%", T_OP, WK_AOP_MOD, 9},       {"&", T_OP, WK_AOP_AND, 4},
    {"^", T_OP, WK_AOP_XOR, 3},       {"|", T_OP, WK_AOP_OR, 2},        {"!", T_NOT, 0, 0},
    {"~", T_COMPL, 0, 0},             {"?", T_QUESTION, 0, 0},          {":", T_COLON, 0, 0},
    {",", T_COMMA, 0, 0},             {"(", T_LPAREN, 0, 0},            {")", T_RPAREN, 0, 0},
};

static bool row_matches(const struct ar *a, const char *text, size_t *len)
{
    struct place p = a->at;
    for (*len = 0; *len < 3 && text[*len]; ++*len, p.off++)
        if (at_place(a, &p) != text[*len])
            return false;
    return true;
}

/* ++ and -- belong to a variable before or after them; else they are two signs. */
static bool inc_counts(struct ar *a)
{
    if (a->prev == T_VAR)
        return true;
    struct place p = a->at;
    p.off += 2;
    int c;
    while (is_blank(c = at_place(a, &p)))
        p.off++;
    if (c == OPERAND_NEXT)
        a->unclean = true;
    return wk_is_name_start(c);
}

static void operator_token(struct ar *a, int c)
{
    for (size_t i = 0; i < WK_COUNTOF(ops); i++) {
        size_t len;
        if (ops[i].text[0] != c || !row_matches(a, ops[i].text, &len))
            continue;
        if ((ops[i].tok == T_INC || ops[i].tok == T_DEC) && !inc_counts(a))
            continue;
        a->tok = ops[i].tok;
        a->op = ops[i].op;
        a->level = ops[i].level;
        a->at.off += (uint32_t)len;
        return;
    }
    a->tok = T_BAD;
    bool value = a->prev == T_NUM || a->prev == T_VAR || a->prev == T_OPERAND ||
                 a->prev == T_INC || a->prev == T_DEC;
    a->error = error(a, NULL,
                     value ? "syntax error: invalid arithmetic operator"
                           : "syntax error: operand expected");
}

static void next_token(struct ar *a)
{
    if (a->error || a->ps->err)
        return; /* stays on it */
    skip_blanks(a);
    int c = peek(a);
    a->prev = a->tok;
    a->start = a->at;
    if (c == AT_END) {
        a->tok = T_END;
        return;
    }
    a->last = a->start;
    if (c == OPERAND_NEXT) {
        a->tok = T_OPERAND;
        a->num = a->operand++;
        a->at.seg++;
        a->at.off = 0;
        c = peek(a);
        if (c == OPERAND_NEXT || is_number_char(c) || c == '[' || c == '"' || c == '\'')
            a->unclean = true;
        return;
    }
    if (wk_is_digit(c))
        number_token(a);
    else if (wk_is_name_start(c))
        name_token(a);
    else
        operator_token(a, c);
}

/* ---- expressions ---------------------------------------------------------------------------- */

static struct wk_anode *binary_node(struct ar *a, enum wk_anode_kind kind, unsigned op,
                                    struct wk_anode *x, struct wk_anode *y)
{
    struct wk_anode *n = node(a, kind, op);
    if (n) {
        n->u.k.a = x;
        n->u.k.b = y;
    }
    return n;
}

static bool stop(const struct ar *a)
{
    return a->failed || a->ps->err;
}

static struct wk_anode *use_error(struct ar *a)
{
    a->error_used = true;
    return a->error;
}

/* The variable is evaluated after what stands before it, and only where that is: 0 && 1 x evaluates no x. */
static struct wk_anode *then_evaluate(struct ar *a, struct wk_anode *before, struct wk_anode *var)
{
    struct wk_anode **at = &before;
    while (*at && a->prev != T_RPAREN) {
        uint8_t kind = (*at)->kind;
        if (kind == WK_A_COND)
            at = &(*at)->u.k.c;
        else if (kind == WK_A_AND || kind == WK_A_OR || kind == WK_A_COMMA || kind == WK_A_ASSIGN)
            at = &(*at)->u.k.b;
        else
            break;
    }
    *at = *at ? binary_node(a, WK_A_KEEP, 0, *at, var) : var;
    return before;
}

/* The present token should not stand there. A variable has been evaluated when it is seen, unless it is assigned to. */
static struct wk_anode *unexpected(struct ar *a, struct wk_anode *before, const char *msg)
{
    struct place p = a->at;
    int c;
    while (a->tok == T_VAR && wk_is_space(c = at_place(a, &p)))
        p.off++;
    if (a->tok != T_VAR || !a->var)
        return error(a, before, msg);
    c = at_place(a, &p);
    p.off++;
    if (c == '=' && at_place(a, &p) != '=')
        return error(a, before, msg);
    return error(a, then_evaluate(a, before, a->var), msg);
}

static struct wk_anode *parse_assign(struct ar *a);
static struct wk_anode *parse_unary(struct ar *a);

static struct wk_anode *parse_paren(struct ar *a)
{
    next_token(a);
    struct wk_anode *n = parse_comma(a);
    if (stop(a))
        return n;
    if (a->tok != T_RPAREN)
        return unexpected(a, n, "missing `)'");
    next_token(a);
    if (a->error) {
        a->error->u.k.a = n;
        return use_error(a);
    }
    return n;
}

static struct wk_anode *parse_primary(struct ar *a)
{
    struct wk_anode *n;
    if (a->error)
        return use_error(a);
    switch (a->tok) {
    case T_NUM:
    case T_OPERAND:
        n = node(a, a->tok == T_NUM ? WK_A_NUM : WK_A_OPERAND, 0);
        if (n)
            n->u.num = a->num;
        next_token(a);
        return a->error ? use_error(a) : n;
    case T_VAR:
        n = a->var;
        next_token(a);
        if (a->error)
            return use_error(a);
        if (!stop(a) && n && (a->tok == T_INC || a->tok == T_DEC) && a->prev == T_VAR) {
            struct wk_anode *post =
                binary_node(a, a->tok == T_INC ? WK_A_POST_INC : WK_A_POST_DEC, 0, n, NULL);
            next_token(a);
            return post;
        }
        return n;
    case T_LPAREN:
        return parse_paren(a);
    default:
        return error(a, NULL, "syntax error: operand expected");
    }
}

static struct wk_anode *parse_prefix(struct ar *a)
{
    int tok = a->tok;
    unsigned op = a->op;
    next_token(a);
    if (tok == T_INC || tok == T_DEC) {
        if (a->error || a->tok != T_VAR)
            return a->error ? use_error(a) : error(a, NULL, "syntax error: operand expected");
        struct wk_anode *n = binary_node(a, tok == T_INC ? WK_A_PRE_INC : WK_A_PRE_DEC, 0, a->var, NULL);
        next_token(a);
        if (!stop(a) && (a->tok == T_INC || a->tok == T_DEC) && a->prev == T_VAR)
            return error(a, n,
                         a->tok == T_INC ? "++: assignment requires lvalue"
                                         : "--: assignment requires lvalue");
        return n;
    }
    if (tok == T_NOT)
        op = WK_AOP_NOT;
    else if (tok == T_COMPL)
        op = WK_AOP_COMPL;
    return binary_node(a, WK_A_UNARY, op, parse_unary(a), NULL);
}

static struct wk_anode *unary_here(struct ar *a, struct wk_anode *unused)
{
    (void)unused;
    bool sign = a->tok == T_OP && (a->op == WK_AOP_ADD || a->op == WK_AOP_SUB);
    if (!a->error && (sign || a->tok == T_NOT || a->tok == T_COMPL || a->tok == T_INC ||
                      a->tok == T_DEC))
        return parse_prefix(a);
    return parse_primary(a);
}

static struct wk_anode *parse_unary(struct ar *a)
{
    if (stop(a))
        return a->error ? use_error(a) : NULL;
    return deeper(a, NULL, unary_here);
}

static struct wk_anode *parse_binary(struct ar *a, unsigned level);

/* What stands right of **, which groups from the right. */
static struct wk_anode *power_here(struct ar *a, struct wk_anode *unused)
{
    (void)unused;
    return parse_binary(a, POWER_LEVEL);
}

/* Operators of at least `level`, by precedence; && and || are above all of them. */
static struct wk_anode *parse_binary(struct ar *a, unsigned level)
{
    struct wk_anode *x = parse_unary(a);
    unsigned chain = 0;
    while (!stop(a) && a->tok == T_OP && a->level >= level) {
        unsigned op = a->op, l = a->level;
        if (++chain > LONGEST_CHAIN) {
            wk_ps_fail(a->ps, -WK_ELIMIT);
            return x;
        }
        next_token(a);
        uint32_t right = a->start.off;
        struct wk_anode *y;
        if (op == WK_AOP_POW) {
            a->powers++;
            y = deeper(a, NULL, power_here);
            if (a->ps->err)
                return x;
        } else {
            y = parse_binary(a, l + 1);
        }
        x = binary_node(a, WK_A_BINARY, op, x, y);
        if (x && op != WK_AOP_POW)
            x->pos = right;
    }
    return x;
}

/* The error that was found, with nothing before it: for a branch that is not evaluated. */
static struct wk_anode *same_error(struct ar *a)
{
    struct wk_anode *n = node(a, WK_A_ERROR, 0);
    if (n)
        n->err = a->err;
    return n;
}

static struct wk_anode *cond_node(struct ar *a, struct wk_anode *test, struct wk_anode *x,
                                  struct wk_anode *y)
{
    struct wk_anode *n = binary_node(a, WK_A_COND, 0, test, x);
    if (n)
        n->u.k.c = y;
    return n;
}

/* a && b, a || b: an error on the right shows whatever the left side is. */
static struct wk_anode *parse_logical(struct ar *a, int tok)
{
    struct wk_anode *x = tok == T_OR ? parse_logical(a, T_AND) : parse_binary(a, 2);
    unsigned chain = 0;
    while (!stop(a) && a->tok == tok) {
        if (++chain > LONGEST_CHAIN) {
            wk_ps_fail(a->ps, -WK_ELIMIT);
            return x;
        }
        next_token(a);
        uint32_t powers = a->powers;
        struct wk_anode *y = tok == T_OR ? parse_logical(a, T_AND) : parse_binary(a, 2);
        if (a->failed && a->err)
            x = cond_node(a, x, tok == T_OR ? same_error(a) : y, tok == T_OR ? y : same_error(a));
        else
            x = binary_node(a, tok == T_OR ? WK_A_OR : WK_A_AND, a->powers != powers, x, y);
    }
    return x;
}

static struct wk_anode *cond_rest(struct ar *a, struct wk_anode *test)
{
    uint32_t powers = a->powers;
    next_token(a);
    if (a->tok == T_END || a->tok == T_COLON)
        return error(a, test, "expression expected");
    struct wk_anode *x = parse_comma(a);
    if (stop(a))
        return a->err ? cond_node(a, test, x, same_error(a)) : x;
    if (a->tok != T_COLON) {
        x = unexpected(a, x, "`:' expected for conditional expression");
        return a->err ? cond_node(a, test, x, same_error(a)) : x;
    }
    next_token(a);
    if (a->tok == T_END)
        return error(a, test, "expression expected");
    struct wk_anode *y = parse_logical(a, T_OR);
    if (!stop(a) && a->tok == T_QUESTION)
        y = deeper(a, y, cond_rest);
    struct wk_anode *n = cond_node(a, test, a->failed && a->err ? same_error(a) : x, y);
    if (n && !a->failed)
        n->op = a->powers != powers;
    return n;
}

static struct wk_anode *parse_cond(struct ar *a)
{
    struct wk_anode *test = parse_logical(a, T_OR);
    if (stop(a) || a->tok != T_QUESTION)
        return test;
    return cond_rest(a, test);
}

static struct wk_anode *parse_assign(struct ar *a);

static struct wk_anode *assign_here(struct ar *a, struct wk_anode *unused)
{
    (void)unused;
    bool var = a->tok == T_VAR && !a->error;
    struct place start = a->start;
    struct wk_anode *x = parse_cond(a);
    if (stop(a) || a->tok != T_ASSIGN || !x)
        return x;
    if (!var || x->kind != WK_A_VAR) {
        (void)start;
        return error(a, x, "attempted assignment to non-variable");
    }
    unsigned op = a->op;
    next_token(a);
    struct wk_anode *y = parse_assign(a);
    x = binary_node(a, WK_A_ASSIGN, op, x, y); /* bash points behind the value, not at it */
    return x;
}

static struct wk_anode *parse_assign(struct ar *a)
{
    return deeper(a, NULL, assign_here);
}

static struct wk_anode *parse_comma(struct ar *a)
{
    struct wk_anode *x = parse_assign(a);
    unsigned chain = 0;
    while (!stop(a) && a->tok == T_COMMA) {
        if (++chain > LONGEST_CHAIN) {
            wk_ps_fail(a->ps, -WK_ELIMIT);
            return x;
        }
        next_token(a);
        x = binary_node(a, WK_A_COMMA, 0, x, parse_assign(a));
    }
    return x;
}

/* x is all that could be read: what is behind it is wrong. */
static struct wk_anode *finish(struct ar *a, struct wk_anode *x)
{
    if (a->error && !a->error_used) {
        a->error->u.k.a = x;
        return a->error;
    }
    return stop(a) || a->tok == T_END ? x : unexpected(a, x, "syntax error in expression");
}

static struct wk_anode *parse_all(struct ar *a)
{
    next_token(a);
    if (a->tok == T_END)
        return node(a, WK_A_NUM, 0);
    return finish(a, parse_comma(a));
}

struct wk_arith *wk_arith_from_word(struct wk_parser *ps, struct wk_word *w, struct wk_str text,
                                    uint32_t line)
{
    struct wk_arith *e = WK_PS_NEW(ps, struct wk_arith);
    if (!e)
        return NULL;
    e->word = w;
    e->text = text;
    e->line = line;
    for (uint32_t i = 0; i < w->n_segs; i++)
        e->n_operands += w->segs[i].kind != WK_SEG_LIT;
    uint32_t last = w->n_segs ? w->n_segs - 1 : 0;
    struct ar a = {.ps = ps,
                   .segs = w->segs,
                   .n_segs = w->n_segs,
                   .end = {last, w->n_segs && w->segs[last].kind == WK_SEG_LIT
                                     ? w->segs[last].text_len
                                     : UINT32_MAX},
                   .whole = w->n_segs == 1};
    struct wk_anode *root = parse_all(&a);
    if (ps->err)
        return NULL;
    if (!a.unclean && !(a.failed && (e->n_operands || w->n_segs > 1)))
        e->root = root;
    return e;
}

struct wk_anode *wk_arith_of_text(struct wk_parser *ps, struct wk_str text)
{
    struct wk_seg s = {.kind = WK_SEG_LIT, .text = text.p, .text_len = (uint32_t)text.n};
    struct ar a = {.ps = ps, .segs = &s, .n_segs = 1, .end = {0, s.text_len}, .whole = true};
    return parse_all(&a);
}
