/* parse_assign.c - assignments and compound array values */
#include "interp/lexer.h"

/* "name[sub" or "[sub" turned out to be no assignment: gives its pieces to a word and reads on. */
static struct wk_word *word_from_subscript(struct wk_parser *ps, size_t src, struct wk_str head,
                                           const struct wk_subscript *sub, unsigned lex)
{
    struct wk_wb b;
    wk_wb_init(ps, &b, WK_SCAN_WORD);
    b.lex = (uint8_t)lex;
    b.src = src;
    if (!wk_wb_lit(ps, &b, head.p, head.n, false) || !wk_wb_lit(ps, &b, "[", 1, false))
        return NULL;
    b.lit_glob = true;
    for (uint32_t i = 0; i < sub->word->n_segs; i++) {
        struct wk_seg s = sub->word->segs[i];
        bool ok;
        if (s.kind != WK_SEG_LIT)
            ok = wk_wb_seg(ps, &b, &s);
        else
            ok = wk_wb_lit_pat(ps, &b, wk_str(s.text, s.text_len), wk_str(s.u.pat, s.pat_len),
                               s.flags & WK_SEG_QUOTED);
        if (!ok)
            return NULL;
    }
    if (!wk_wb_lit(ps, &b, "]", 1, false) || !wk_wb_scan(ps, &b))
        return NULL;
    return wk_wb_done(ps, &b, true);
}

/* The word that a text is in which nothing parts words. */
static struct wk_word *text_word(struct wk_parser *ps, struct wk_str s, uint32_t line)
{
    struct wk_saved sv;
    struct wk_wb b;
    struct wk_word *w = NULL;
    if (!wk_ps_divert(ps, &sv, s, line))
        return NULL;
    wk_wb_init(ps, &b, WK_SCAN_TEXT);
    if (wk_wb_scan(ps, &b))
        w = wk_wb_done(ps, &b, false);
    wk_ps_return(ps, &sv);
    return w;
}

/* The value after = up to the end of the word; NULL without error when it is empty. */
static struct wk_word *scalar_value(struct wk_parser *ps, unsigned lex)
{
    struct wk_wb b;
    wk_wb_init(ps, &b, WK_SCAN_ASSIGN);
    b.lex = (uint16_t)lex;
    if (!wk_wb_scan(ps, &b))
        return NULL;
    if (ps->stk.n == b.stk && !b.lit_open)
        return NULL;
    return wk_wb_done(ps, &b, false);
}

/* A bad substitution in the value of [sub]= is named by the whole element, whose brackets are quoted then; by the value
 * alone in an associative array (prefix). */
static bool name_whole_element(struct wk_parser *ps, const struct wk_elem *el)
{
    struct wk_str value = wk_word_source(el->value), whole = {0};
    for (uint32_t i = 0; i < el->value->n_segs; i++) {
        struct wk_param *p = el->value->segs[i].kind == WK_SEG_PARAM ? el->value->segs[i].u.param : NULL;
        bool bad = p && (p->kind == WK_PARAM_BAD || (p->op == WK_PARAM_OP_TRANSFORM && !wk_param_transforms(p)));
        if (!bad || !wk_str_eq(p->source, value))
            continue;
        if (!whole.p) {
            struct wk_buf b;
            wk_buf_init(&b, ps->o.mem, INT32_MAX);
            wk_buf_fmt(&b, "\\[%.*s\\]%s=", (int)el->sub->text.n, el->sub->text.p, el->append ? "+" : "");
            wk_buf_puts(&b, value);
            bool failed = b.failed;
            whole = failed ? WK_STR("") : wk_ps_str(ps, wk_buf_str(&b));
            wk_buf_release(&b);
            if (failed || ps->err)
                return failed ? wk_ps_nomem(ps) : false;
        }
        p->prefix = value;
        p->source = whole;
    }
    return true;
}

/* Could a brace of its own be in it? */
static bool has_brace(struct wk_str s)
{
    for (size_t i = 1; i < s.n; i++)
        if (s.p[i] == '{' && s.p[i - 1] != '$')
            return true;
    return false;
}

/* An element with a brace expression is no assignment but a word, except in an associative array. */
static bool braced_element(struct wk_parser *ps, struct wk_elem *el, size_t src, uint32_t line)
{
    struct wk_saved sv;
    struct wk_str source = wk_str_from(wk_buf_str(&ps->src), src);
    if (!has_brace(source))
        return true;
    source = wk_ps_str(ps, source);
    if (ps->err || !wk_ps_divert(ps, &sv, source, line))
        return false;
    struct wk_word *w = wk_read_word(ps, WK_STR(""), WK_LEX_ELEMENT);
    if (w && w->flags & WK_WORD_BRACE && wk_ps_peek(ps) == WK_PS_EOF)
        el->braced = w;
    wk_ps_return(ps, &sv);
    return !ps->err;
}

/* [sub]=value or [sub]+=value inside of a compound value, or a word that starts with [. */
static bool subscripted_element(struct wk_parser *ps, struct wk_elem *el)
{
    bool closed;
    size_t src = ps->src.n, whole = src;
    uint32_t line = ps->line;
    wk_ps_eat(ps);
    struct wk_subscript *sub = wk_parse_subscript(ps, true, &closed);
    if (!sub)
        return false;
    if (!closed)
        return wk_ps_eof_in(ps, ']', line);
    int c = wk_ps_peek(ps);
    if (c == '+' && wk_ps_peek2(ps) == '=') {
        el->append = true;
        wk_ps_eat(ps);
        c = '=';
    }
    if (c != '=') {
        el->value = word_from_subscript(ps, src, WK_STR(""), sub, 0);
        if (el->value)
            wk_buf_puts(&ps->src, wk_word_source(el->value));
        return el->value != NULL;
    }
    wk_ps_eat(ps);
    src = ps->src.n;
    el->sub = sub;
    el->value = scalar_value(ps, WK_LEX_ELEMENT);
    if (el->value && !el->value->source_len) { /* for messages */
        struct wk_str source = wk_ps_str(ps, wk_str_from(wk_buf_str(&ps->src), src));
        el->value->source = source.p;
        el->value->source_len = (uint32_t)source.n;
    }
    return !ps->err && (!el->value || name_whole_element(ps, el)) && braced_element(ps, el, whole, line);
}

/* An operator where only words may stand. */
static bool bad_element(struct wk_parser *ps)
{
    ps->have_tok = false;
    if (!wk_lex(ps, 0))
        return false;
    ps->in_array = true;
    return wk_ps_unexpected(ps);
}

static bool one_element(struct wk_parser *ps, int c)
{
    struct wk_elem el = {0};
    if (c == '[') {
        if (!subscripted_element(ps, &el))
            return false;
    } else {
        bool sub = (c == '<' || c == '>') && wk_ps_peek2(ps) == '(';
        if ((wk_lex_is_meta(c) && !sub) || wk_lex_is_descriptor(ps, c))
            return bad_element(ps);
        el.value = wk_read_word(ps, WK_STR(""), WK_LEX_ELEMENT);
        if (!el.value)
            return false;
        wk_buf_puts(&ps->src, wk_word_source(el.value));
    }
    return wk_ps_push(ps, &el, sizeof el);
}

/* The end of the text inside of an element: bash says so of the list, too. */
static bool element_failed(struct wk_parser *ps)
{
    if (ps->err == -WK_ESYNTAX && ps->incomplete && !ps->in_comsub && ps->err_place != WK_PARSE_IN_ARRAY) {
        ps->err_place = WK_PARSE_IN_ARRAY;
        wk_ps_error(ps, ps->line, "syntax error: unexpected end of file");
    }
    return false;
}

bool wk_parse_compound(struct wk_parser *ps, struct wk_assign *as)
{
    size_t src = ps->src.n, stk = ps->stk.n;
    uint32_t line = ps->line;
    struct wk_token tok = ps->tok;
    bool first = true;
    wk_ps_eat(ps);
    ps->compounds++;
    for (;;) {
        ps->between = true;
        wk_lex_blanks(ps);
        int c = wk_ps_peek(ps);
        ps->between = false;
        if (ps->err)
            return false;
        if (c == WK_PS_EOF) {
            ps->in_array = true;
            return wk_ps_eof_in(ps, ')', line);
        }
        if (c == ')')
            break;
        if (c == '\n') {
            wk_ps_skip(ps);
            if (ps->n_docs > ps->docs_base && !wk_heredoc_read(ps))
                return false;
            continue;
        }
        if (!first)
            wk_buf_putc(&ps->src, ' ');
        first = false;
        if (!one_element(ps, c))
            return element_failed(ps);
    }
    wk_ps_eat(ps);
    ps->compounds--;
    ps->tok = tok;
    ps->have_tok = false;
    as->compound = true;
    as->value_text = wk_ps_str(ps, wk_str_from(wk_buf_str(&ps->src), src));
    as->elems = wk_ps_pop(ps, stk, sizeof(struct wk_elem), &as->n_elems);
    return as->elems && !ps->err;
}

/* a=(b c)d is the string "(b c)d". */
static bool list_as_text(struct wk_parser *ps, struct wk_assign *as)
{
    struct wk_wb b;
    const struct wk_word *list = text_word(ps, as->value_text, as->line);
    wk_wb_init(ps, &b, WK_SCAN_ASSIGN);
    for (uint32_t i = 0; list && i < list->n_segs; i++) {
        struct wk_seg s = list->segs[i];
        if (!wk_wb_seg(ps, &b, &s))
            return false;
    }
    if (!list || !wk_wb_scan(ps, &b))
        return false;
    b.quoted = b.quoted || list->flags & WK_WORD_QUOTED;
    as->compound = false;
    as->elems = NULL;
    as->n_elems = 0;
    as->value = wk_wb_done(ps, &b, false);
    return as->value != NULL;
}

/* After "=": the value. */
static bool read_value(struct wk_parser *ps, struct wk_assign *as, unsigned lex)
{
    if (wk_ps_peek(ps) == '(' && !(lex & WK_LEX_NO_COMPOUND)) {
        bool ok = wk_ps_enter(ps) && wk_parse_compound(ps, as);
        wk_ps_leave(ps);
        if (!ok)
            return false;
        if (wk_lex_is_meta(wk_ps_peek(ps)))
            return true;
        return list_as_text(ps, as);
    }
    as->value = scalar_value(ps, 0);
    return !ps->err;
}

/* Argument of declare and the like: a word that carries the assignment. */
static struct wk_word *assign_word(struct wk_parser *ps, struct wk_assign *as)
{
    struct wk_word *w = wk_word_plain(ps, as->source, as->line);
    if (!w)
        return NULL;
    w->flags = WK_WORD_ASSIGN | WK_WORD_SINGLE_FIELD;
    w->text = NULL;
    w->assign = as;
    return w;
}

bool wk_read_assign(struct wk_parser *ps, struct wk_str head, unsigned lex, struct wk_assign **out,
                    struct wk_word **word)
{
    struct wk_assign *as = WK_PS_NEW(ps, struct wk_assign);
    size_t src = ps->src.n;
    if (!as)
        return false;
    as->line = ps->line;
    wk_buf_puts(&ps->src, head);
    struct wk_str name = head;
    if (head.p[head.n - 1] == '+') {
        as->append = true;
        name.n--;
    }
    as->name = wk_ps_name(ps, name);
    if (wk_ps_peek(ps) == '[') {
        bool closed;
        uint32_t line = ps->line;
        head = wk_ps_str(ps, head); /* the line may go while the subscript is read */
        wk_ps_eat(ps);
        as->sub = wk_parse_subscript(ps, true, &closed);
        if (!as->sub)
            return false;
        if (!closed)
            return wk_ps_eof_in(ps, ']', line);
        if (wk_ps_peek(ps) == '+' && wk_ps_peek2(ps) == '=') {
            as->append = true;
            wk_ps_eat(ps);
        }
        if (wk_ps_peek(ps) != '=') {
            *word = word_from_subscript(ps, src, head, as->sub, lex);
            return *word != NULL;
        }
    }
    wk_ps_eat(ps);
    if (ps->err || !read_value(ps, as, lex))
        return false;
    as->source = wk_ps_str(ps, wk_str_from(wk_buf_str(&ps->src), src));
    if (ps->src.failed)
        return wk_ps_nomem(ps);
    ps->src.n = src;
    if (!(lex & WK_LEX_CMD) && !(*word = assign_word(ps, as)))
        return false;
    *out = as;
    return !ps->err;
}

/* How long the unquoted "name=" or "name+=" at the start of a literal is; 0 when there is none. */
static uint32_t assign_prefix(const struct wk_seg *s, uint32_t *name_len)
{
    struct wk_str text = wk_str(s->text, s->text_len);
    ptrdiff_t eq = wk_str_chr(text, '=');
    if (s->kind != WK_SEG_LIT || (s->flags & WK_SEG_QUOTED) || eq <= 0)
        return 0;
    uint32_t n = (uint32_t)eq;
    *name_len = s->text[n - 1] == '+' ? n - 1 : n;
    if (!wk_str_is_name(wk_str_take(text, *name_len)) || s->pat_len <= n ||
        memcmp(s->text, s->u.pat, n + 1) != 0)
        return 0;
    return n + 1;
}

/* name[sub]=value or name[sub]+=value, as it is written. */
static bool assigns_element(struct wk_str s)
{
    ptrdiff_t open = wk_str_chr(s, '[');
    if (open <= 0 || !wk_str_is_name(wk_str_take(s, (size_t)open)))
        return false;
    struct wk_str rest = wk_str_from(s, wk_var_subscript_end(s, (size_t)open));
    return wk_str_starts(rest, WK_STR("]=")) || wk_str_starts(rest, WK_STR("]+="));
}

bool wk_word_as_assign(struct wk_parser *ps, struct wk_word *w, enum wk_word_flag flag)
{
    uint32_t name_len;
    if (!w->n_segs || w->assign || (w->flags & WK_WORD_BRACE))
        return true;
    if (flag == WK_WORD_ASSIGN && assigns_element(wk_word_source(w))) {
        w->flags |= WK_WORD_ASSIGN; /* one field, whatever it holds */
        return true;
    }
    uint32_t cut = w->segs[0].kind == WK_SEG_LIT ? assign_prefix(&w->segs[0], &name_len) : 0;
    if (!cut || !wk_str_starts(wk_word_source(w), wk_str(w->segs[0].text, cut))) /* or quoted */
        return true;
    struct wk_assign *as = WK_PS_NEW(ps, struct wk_assign);
    if (!as)
        return false;
    as->line = w->line;
    as->source = wk_word_source(w);
    as->append = name_len + 1 != cut;
    as->name = wk_ps_name(ps, wk_str(w->segs[0].text, name_len));
    bool empty = w->n_segs == 1 && w->segs[0].text_len == cut && !(w->flags & WK_WORD_QUOTED);
    if (!empty) {
        struct wk_word *v = WK_PS_NEW(ps, struct wk_word);
        size_t bytes = w->n_segs * sizeof(struct wk_seg);
        struct wk_seg *segs = wk_ps_alloc(ps, bytes);
        if (!v || !segs)
            return false;
        *v = *w;
        memcpy(segs, w->segs, bytes);
        segs[0].text += cut;
        segs[0].text_len -= cut;
        segs[0].u.pat += cut;
        segs[0].pat_len -= cut;
        if (!segs[0].text_len && w->n_segs > 1) {
            segs++;
            v->n_segs--;
        }
        v->segs = segs;
        if (v->text) {
            v->text += cut;
            v->text_len -= cut;
        }
        as->value = v;
    }
    w->assign = as;
    w->flags |= flag;
    return !ps->err;
}

struct wk_word *wk_assign_as_text(struct wk_parser *ps, const struct wk_word *w)
{
    struct wk_word *text = text_word(ps, wk_word_source(w), w->line);
    if (text && !wk_brace_find(ps, text))
        return NULL;
    if (text) {
        text->source = w->source;
        text->source_len = w->source_len;
    }
    return text;
}
