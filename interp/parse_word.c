/* parse_word.c - words: literals, segments, flags */
#include "base/utf8.h"
#include "interp/lexer.h"

void wk_wb_init(struct wk_parser *ps, struct wk_wb *b, enum wk_scan scan)
{
    *b = (struct wk_wb){
        .stk = ps->stk.n, .src = ps->src.n, .line = ps->line, .scan = (uint8_t)scan};
    switch (scan) {
    case WK_SCAN_DQ_OPERAND:
    case WK_SCAN_DQ:
    case WK_SCAN_HEREDOC:
    case WK_SCAN_ARITH:
    case WK_SCAN_ARITH_FOR:
    case WK_SCAN_ARITH_TEXT:
    case WK_SCAN_ARITH_BRACKET:
    case WK_SCAN_OFFSET:
    case WK_SCAN_LENGTH:
    case WK_SCAN_DQ_TEXT:
        b->dq = true;
        break;
    case WK_SCAN_OPERAND:
        b->operand = true;
        break;
    default:
        break;
    }
}

/* ---- literals ------------------------------------------------------------------------------- */

static bool is_pattern_special(unsigned char c)
{
    static const uint8_t special[256] = {
        ['*'] = 1, ['?'] = 1, ['['] = 1, [']'] = 1, ['\\'] = 1, ['!'] = 1, ['^'] = 1, ['-'] = 1,
        ['+'] = 1, ['@'] = 1, ['('] = 1, [')'] = 1, ['|'] = 1,  ['{'] = 1, ['}'] = 1, [','] = 1,
        ['~'] = 1, [':'] = 1, ['='] = 1, ['&'] = 1,
    };
    return special[c];
}

static bool is_regex_special(unsigned char c)
{
    switch (c) {
    case '.':
    case '[': /* ] and } alone are nothing special */
    case '{':
    case '(':
    case ')':
    case '*':
    case '+':
    case '?':
    case '|':
    case '^':
    case '$':
    case '\\':
        return true;
    default:
        return false;
    }
}

static void open_lit(struct wk_parser *ps, struct wk_wb *b)
{
    if (b->lit_open)
        return;
    ps->lit.n = ps->pat.n = 0;
    ps->lit.failed = ps->pat.failed = false;
    ps->pat_on = false;
    b->lit_open = true;
    b->lit_quoted = b->lit_unquoted = b->lit_glob = false;
}

/* From here on the pattern text differs. */
static void pat_start(struct wk_parser *ps)
{
    if (ps->pat_on)
        return;
    ps->pat_on = true;
    wk_buf_puts(&ps->pat, wk_buf_str(&ps->lit));
}

/* What is quoted and what is not are kept apart: in operands, and behind a brace, where either may come
 * to stand alone. */
static bool parts_quotes(const struct wk_wb *b)
{
    return b->operand || (b->brace && b->scan == WK_SCAN_WORD);
}

static bool lit_state(struct wk_parser *ps, struct wk_wb *b, bool quoted)
{
    if (parts_quotes(b) && b->lit_open && (quoted ? b->lit_unquoted : b->lit_quoted) &&
        !wk_wb_flush(ps, b))
        return false;
    open_lit(ps, b);
    if (quoted)
        b->lit_quoted = b->quoted = true;
    else
        b->lit_unquoted = true;
    return true;
}

/* Whether a [ was seen behind which there is no ] yet: a quoted slash does not end it. */
static bool in_bracket(const struct wk_parser *ps, const struct wk_wb *b)
{
    struct wk_str s = wk_buf_str(&ps->lit);
    return b->lit_glob && wk_str_rchr(s, '[') > wk_str_rchr(s, ']');
}

bool wk_wb_lit(struct wk_parser *ps, struct wk_wb *b, const char *p, size_t n, bool quoted)
{
    if (!lit_state(ps, b, quoted))
        return false;
    bool regex = b->lex & WK_LEX_REGEX, cond = b->lex & WK_LEX_PATTERN;
    if (quoted && !b->dq) {
        for (size_t i = 0; i < n; i++) {
            unsigned char c = (unsigned char)p[i];
            bool escape = regex  ? is_regex_special(c)
                          : cond ? !wk_utf8_continues(c) /* set -x shows it so */
                                 : is_pattern_special(c) || (c == '/' && in_bracket(ps, b));
            if (escape && !ps->pat_on) {
                pat_start(ps);
                wk_buf_put(&ps->pat, p, i);
            }
            if (ps->pat_on) {
                if (escape)
                    wk_buf_putc(&ps->pat, '\\');
                wk_buf_putc(&ps->pat, p[i]);
            }
        }
    } else if (ps->pat_on) {
        wk_buf_put(&ps->pat, p, n);
    }
    wk_buf_put(&ps->lit, p, n);
    return true;
}

bool wk_wb_lit_pat(struct wk_parser *ps, struct wk_wb *b, struct wk_str text, struct wk_str pat,
                   bool quoted)
{
    if (!lit_state(ps, b, quoted))
        return false;
    pat_start(ps);
    wk_buf_puts(&ps->pat, pat);
    wk_buf_puts(&ps->lit, text);
    return true;
}

static bool push_lit(struct wk_parser *ps, struct wk_str text, struct wk_str pat, unsigned flags)
{
    struct wk_seg s = {.kind = WK_SEG_LIT, .flags = (uint8_t)flags};
    s.text = wk_ps_strndup(ps, text.p, text.n);
    s.u.pat = s.text;
    s.text_len = s.pat_len = (uint32_t)text.n;
    if (s.text && ps->pat_on) {
        s.u.pat = wk_ps_strndup(ps, pat.p, pat.n);
        s.pat_len = (uint32_t)pat.n;
    }
    return s.text && s.u.pat && wk_ps_push(ps, &s, sizeof s);
}

static unsigned lit_flags(const struct wk_wb *b, bool quoted, bool unquoted, bool glob)
{
    unsigned f = 0;
    if (b->dq || (quoted && !unquoted))
        f |= WK_SEG_QUOTED;
    else if (quoted)
        f |= WK_SEG_MIXED;
    if (glob)
        f |= WK_SEG_GLOB;
    return f;
}

/* Ends the literal being collected. Inside a "…" group it belongs to the group. */
bool wk_wb_flush(struct wk_parser *ps, struct wk_wb *b)
{
    if (!b->lit_open)
        return true;
    b->lit_open = false;
    if (ps->lit.failed || ps->pat.failed)
        return wk_ps_nomem(ps);
    if (b->in_dq && ps->lit.n == 0)
        return true; /* between two expansions of a group */
    return push_lit(ps, wk_buf_str(&ps->lit), wk_buf_str(&ps->pat),
                    lit_flags(b, b->lit_quoted, b->lit_unquoted, b->lit_glob) |
                        (b->in_dq ? WK_SEG_QUOTED : 0u));
}

/* The first expansion of a "…" group comes: parts the literal into what stood before the group and what
 * is inside. */
static bool split_at_group(struct wk_parser *ps, struct wk_wb *b)
{
    b->dq_expands = true;
    b->lit_open = false;
    if (ps->lit.failed || ps->pat.failed)
        return wk_ps_nomem(ps);
    struct wk_str lit = wk_buf_str(&ps->lit), pat = wk_buf_str(&ps->pat);
    if ((b->pre_quoted || b->pre_unquoted) &&
        !push_lit(ps, wk_str_take(lit, b->dq_lit), wk_str_take(pat, b->dq_pat),
                  lit_flags(b, b->pre_quoted, b->pre_unquoted, b->pre_glob)))
        return false;
    lit = wk_str_from(lit, b->dq_lit);
    pat = wk_str_from(pat, b->dq_pat);
    if (lit.n == 0) {
        b->open_next = true;
        return true;
    }
    return push_lit(ps, lit, pat, WK_SEG_QUOTED | WK_SEG_DQ_OPEN);
}

bool wk_wb_before(struct wk_parser *ps, struct wk_wb *b)
{
    return b->in_dq && !b->dq_expands ? split_at_group(ps, b) : wk_wb_flush(ps, b);
}

bool wk_wb_seg(struct wk_parser *ps, struct wk_wb *b, struct wk_seg *seg)
{
    if (!wk_wb_before(ps, b))
        return false;
    if (b->open_next)
        seg->flags |= WK_SEG_DQ_OPEN;
    b->open_next = false;
    if (b->dq || b->in_dq)
        seg->flags |= WK_SEG_QUOTED;
    return wk_ps_push(ps, seg, sizeof *seg);
}

/* ---- quotes --------------------------------------------------------------------------------- */

bool wk_scan_single_quote(struct wk_parser *ps, struct wk_wb *b)
{
    uint32_t line = ps->line;
    char quote = ps->quote;
    ps->quote = '\'';
    wk_ps_eat(ps);
    if (!wk_wb_lit(ps, b, "", 0, true))
        return false;
    for (;;) {
        int c = wk_ps_peek_raw(ps);
        if (c == WK_PS_EOF)
            return wk_ps_eof_in(ps, '\'', line);
        if (c == '\'') {
            wk_ps_eat(ps);
            ps->quote = quote;
            return true;
        }
        const char *q = ps->p;
        while (q < ps->end && *q != '\'' && *q != '\n' && *q != '\0')
            q++;
        if (q < ps->end && *q == '\n')
            q++;
        size_t n = (size_t)(q - ps->p);
        wk_buf_put(&ps->src, ps->p, n);
        if (!wk_wb_lit(ps, b, ps->p, n, true))
            return false;
        ps->p = q - 1;
        wk_ps_skip(ps);
    }
}

/* Names what is wrong for "TEXT: bad substitution": the text of the level that it stands in. What is not closed is
 * known by the whole word. */
static bool name_bad(struct wk_parser *ps, size_t stk, size_t src, bool whole)
{
    struct wk_str text = wk_str_from(wk_buf_str(&ps->src), src);
    struct wk_str copy = wk_ps_str(ps, text);
    if (ps->err)
        return false;
    for (size_t i = stk; i + sizeof(struct wk_seg) <= ps->stk.n; i += sizeof(struct wk_seg)) {
        struct wk_seg s;
        memcpy(&s, ps->stk.p + i, sizeof s);
        if (s.kind != WK_SEG_PARAM || s.u.param->source.p)
            continue;
        bool bad = s.u.param->kind == WK_PARAM_BAD;
        if (bad ? whole || s.u.param->transform != '}' : s.u.param->op == WK_PARAM_OP_TRANSFORM)
            s.u.param->source = copy;
    }
    return true;
}

bool wk_scan_double_quote(struct wk_parser *ps, struct wk_wb *b)
{
    uint32_t line = ps->line;
    uint8_t scan = b->scan;
    size_t stk = ps->stk.n;
    wk_ps_eat(ps);
    size_t src = ps->src.n;
    bool grouped = !b->dq && !b->in_dq;
    if (parts_quotes(b) && b->lit_open && !wk_wb_flush(ps, b))
        return false;
    if (grouped) {
        b->pre_quoted = b->lit_open && b->lit_quoted;
        b->pre_unquoted = b->lit_open && b->lit_unquoted;
        b->pre_glob = b->lit_open && b->lit_glob;
        if (!wk_wb_lit(ps, b, "", 0, true))
            return false;
        b->dq_lit = ps->lit.n;
        b->dq_pat = ps->pat_on ? ps->pat.n : ps->lit.n;
        b->in_dq = true;
        b->dq_expands = false;
    }
    b->inner_dq = scan == WK_SCAN_DQ_OPERAND;
    b->scan = WK_SCAN_DQ;
    char quote = ps->quote;
    ps->quote = '"';
    bool ok = wk_wb_scan(ps, b);
    ps->quote = quote;
    b->scan = scan;
    b->inner_dq = false;
    if (!ok)
        return false;
    if (wk_ps_peek(ps) != '"')
        return wk_ps_eof_in(ps, '"', line);
    bool arith = scan >= WK_SCAN_ARITH && scan <= WK_SCAN_ARITH_BRACKET;
    if (b->bad && (grouped || arith) && !name_bad(ps, stk, src, false))
        return false;
    wk_ps_eat(ps);
    if (!grouped)
        return true;
    if (b->dq_expands) {
        if (!wk_wb_flush(ps, b))
            return false;
        struct wk_seg s;
        memcpy(&s, ps->stk.p + ps->stk.n - sizeof s, sizeof s);
        s.flags |= WK_SEG_DQ_CLOSE;
        memcpy(ps->stk.p + ps->stk.n - sizeof s, &s, sizeof s);
    }
    b->in_dq = false;
    return true;
}

/* Inside double quotes a backslash quotes only some characters. */
static bool dq_escapes(const struct wk_wb *b, int c)
{
    switch (c) {
    case '$':
    case '`':
    case '\\':
        return true;
    case '"':
        return b->scan != WK_SCAN_HEREDOC;
    case '}':
        return b->scan == WK_SCAN_DQ_OPERAND;
    default:
        return false;
    }
}

bool wk_scan_backslash(struct wk_parser *ps, struct wk_wb *b)
{
    bool dq = b->dq || b->in_dq;
    wk_ps_eat(ps);
    int c = wk_ps_peek_raw(ps);
    if (c == WK_PS_EOF || (ps->eof_newline && c == '\n' && ps->end - ps->p == 1 &&
                           ps->frames[ps->n_frames].kind == WK_FRAME_PUSHED))
        return wk_wb_lit(ps, b, "\\", 1, true);
    if (dq && !b->inner_dq && !dq_escapes(b, c))
        return wk_wb_lit(ps, b, "\\", 1, true);
    bool ok = wk_wb_lit(ps, b, ps->p, 1, true);
    wk_ps_eat(ps);
    return ok;
}

static bool ends_tilde(const struct wk_wb *b, int c)
{
    bool operand = b->scan >= WK_SCAN_OPERAND && b->scan <= WK_SCAN_PATTERN_SLASH;
    switch (c) {
    case '/':
    case ':':
        return true;
    case '}':
        return operand;
    case '|':
        return !operand && b->scan != WK_SCAN_REGEX;
    default: /* in an operand a blank may well be part of what should be a name */
        return (c == WK_PS_EOF || !operand) && wk_lex_is_meta(c);
    }
}

bool wk_scan_tilde(struct wk_parser *ps, struct wk_wb *b)
{
    const char *q = ps->p + 1;
    while (q < ps->end && (wk_is_name_char((unsigned char)*q) || *q == '-' || *q == '+' || *q == '.'))
        q++;
    if (!ends_tilde(b, q < ps->end ? (unsigned char)*q : WK_PS_EOF))
        return false;
    size_t n = (size_t)(q - ps->p - 1);
    struct wk_seg s = {.kind = WK_SEG_TILDE, .text_len = (uint32_t)n};
    s.text = wk_ps_strndup(ps, ps->p + 1, n);
    s.u.pat = NULL;
    if (b->tilde_eq && b->seen_eq && !(b->lex & WK_LEX_TILDE))
        s.flags = WK_SEG_ARGUMENT;
    wk_buf_put(&ps->src, ps->p, n + 1);
    ps->p = q;
    return s.text && wk_wb_seg(ps, b, &s);
}

/* ---- the finished word ---------------------------------------------------------------------- */

static bool gives_many(const struct wk_param *p)
{
    if (p->kind == WK_PARAM_SPECIAL && p->id == '@' && !(p->flags & WK_PARAM_LENGTH))
        return true;
    if (p->sub && p->sub->kind == WK_SUB_AT && !(p->flags & WK_PARAM_LENGTH))
        return true;
    if (p->flags & WK_PARAM_INDIRECT)
        return true;
    if (p->op == WK_PARAM_OP_NAMES)
        return p->transform == '@';
    return p->arg && (p->arg->flags & WK_WORD_AT);
}

static uint32_t word_flags(const struct wk_wb *b, const struct wk_seg *v, size_t n)
{
    uint32_t f = 0;
    bool expands = false;
    for (size_t i = 0; i < n; i++) {
        switch (v[i].kind) {
        case WK_SEG_LIT:
            if (v[i].flags & WK_SEG_GLOB)
                f |= WK_WORD_GLOB;
            continue;
        case WK_SEG_PARAM:
            if (gives_many(v[i].u.param))
                f |= WK_WORD_AT;
            break;
        default:
            break;
        }
        expands = true;
        if (!(v[i].flags & WK_SEG_QUOTED) && v[i].kind != WK_SEG_TILDE && v[i].kind != WK_SEG_PROCSUB)
            f |= WK_WORD_SPLIT;
    }
    if (b->quoted || b->dq)
        f |= WK_WORD_QUOTED;
    if (b->operand)
        f |= WK_WORD_OPERAND;
    if (!expands && !(f & WK_WORD_GLOB) && n <= 1)
        f |= WK_WORD_LITERAL;
    if (!(f & (WK_WORD_SPLIT | WK_WORD_GLOB | WK_WORD_AT)))
        f |= WK_WORD_SINGLE_FIELD;
    return f;
}

struct wk_word *wk_wb_done(struct wk_parser *ps, struct wk_wb *b, bool pop_src)
{
    if (!wk_wb_flush(ps, b))
        return NULL;
    if (ps->src.failed) {
        wk_ps_nomem(ps);
        return NULL;
    }
    if (b->bad && !name_bad(ps, b->stk, b->src, true))
        return NULL;
    struct wk_word *w = WK_PS_NEW(ps, struct wk_word);
    if (!w)
        return NULL;
    uint32_t n;
    w->segs = wk_ps_pop(ps, b->stk, sizeof(struct wk_seg), &n);
    if (!w->segs)
        return NULL;
    w->n_segs = n;
    w->line = b->line;
    w->name = WK_NAME_NONE;
    w->flags = word_flags(b, w->segs, n);
    if (w->flags & WK_WORD_LITERAL) {
        w->text = n ? w->segs[0].text : "";
        w->text_len = n ? w->segs[0].text_len : 0;
    }
    w->source = "";
    if (pop_src) {
        struct wk_str s = wk_str_from(wk_buf_str(&ps->src), b->src);
        if (w->text && wk_str_eq(s, wk_word_text(w)))
            w->source = w->text;
        else
            w->source = wk_ps_strndup(ps, s.p, s.n);
        if (!w->source)
            return NULL;
        w->source_len = (uint32_t)s.n;
        ps->src.n = b->src;
        if (ps->src.p)
            ps->src.p[ps->src.n] = '\0';
    }
    return w;
}

struct wk_word *wk_word_plain(struct wk_parser *ps, struct wk_str s, uint32_t line)
{
    struct block {
        struct wk_word w;
        struct wk_seg seg;
        char text[];
    };
    if (s.n > INT32_MAX) {
        wk_ps_fail(ps, -WK_ELIMIT);
        return NULL;
    }
    struct block *k = wk_arena_alloc(ps->arena, sizeof *k + s.n + 1);
    if (!k) {
        wk_ps_nomem(ps);
        return NULL;
    }
    if (s.n)
        memcpy(k->text, s.p, s.n);
    k->text[s.n] = '\0';
    k->seg = (struct wk_seg){.kind = WK_SEG_LIT,
                             .text = k->text,
                             .text_len = (uint32_t)s.n,
                             .pat_len = (uint32_t)s.n,
                             .u.pat = k->text};
    k->w = (struct wk_word){.text = k->text,
                            .source = k->text,
                            .text_len = (uint32_t)s.n,
                            .source_len = (uint32_t)s.n,
                            .segs = &k->seg,
                            .n_segs = 1,
                            .flags = WK_WORD_LITERAL | WK_WORD_SINGLE_FIELD,
                            .name = WK_NAME_NONE,
                            .line = line};
    return &k->w;
}

/* A word like name=… has ~ expanded after the first = and after each : that follows it. */
static bool tilde_after_head(struct wk_parser *ps, struct wk_wb *b, struct wk_str head)
{
    ptrdiff_t eq = wk_str_chr(head, '=');
    if (b->scan == WK_SCAN_ASSIGN && head.p[head.n - 1] == ':' && wk_ps_peek(ps) == '~')
        wk_scan_tilde(ps, b);
    if (eq < 0 || !b->tilde_eq)
        return !ps->err;
    struct wk_str name = wk_str_take(head, (size_t)eq);
    if (name.n && name.p[name.n - 1] == '+')
        name.n--;
    b->seen_eq = wk_str_is_name(name);
    b->tilde_eq = b->seen_eq;
    char last = head.p[head.n - 1];
    bool here = (last == '=' && (size_t)eq + 1 == head.n) || last == ':';
    if (b->seen_eq && here && wk_ps_peek(ps) == '~')
        wk_scan_tilde(ps, b);
    return !ps->err;
}

struct wk_word *wk_read_word(struct wk_parser *ps, struct wk_str head, unsigned lex)
{
    struct wk_wb b;
    wk_wb_init(ps, &b, lex & WK_LEX_REGEX ? WK_SCAN_REGEX : lex & WK_LEX_VALUE ? WK_SCAN_ASSIGN : WK_SCAN_WORD);
    b.lex = (uint16_t)lex;
    if (head.n) {
        wk_buf_puts(&ps->src, head);
        if (!wk_wb_lit(ps, &b, head.p, head.n, false))
            return NULL;
        b.brace = wk_str_chr(head, '{') >= 0;
    }
    b.tilde_eq = !(lex & (WK_LEX_REGEX | WK_LEX_ELEMENT | WK_LEX_VALUE));
    if (head.n && !tilde_after_head(ps, &b, head))
        return NULL;
    if (!wk_wb_scan(ps, &b))
        return NULL;
    bool brace = b.brace;
    struct wk_word *w = wk_wb_done(ps, &b, true);
    if (w && brace && !(lex & (WK_LEX_NO_BRACE | WK_LEX_COND | WK_LEX_REGEX)) &&
        !wk_brace_find(ps, w))
        return NULL;
    return w;
}
